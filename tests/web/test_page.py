# SPDX-License-Identifier: Apache-2.0
"""What holds for every page: it is one file that needs nothing else, and fits where it is read."""
import json
import re
import subprocess

import pytest

import sample

CARDS = {
    "small": ["usage", "entitled", "waiting", "utilisation", "waits", "fairness", "blocked", "flows", "lost", "longest",
              "events", "queues"],
    "comparison": ["compared", "usages", "jains", "queueing", "waits-compared", "ratios-compared", "usage", "queues"],
    "sweep": ["tradeoff", "compared", "usages", "usage", "queues"],
    "hostile": ["usage", "entitled", "waits", "flows", "lost", "queues"],
    "single": ["usage", "entitled", "utilisation", "waits", "fairness", "longest", "queues"],
    "empty": [],
}


@pytest.mark.parametrize("name", CARDS)
@pytest.mark.parametrize("width", [360, 800, 1600])
def test_loads_offline_and_fits(browser, name, width):
    report = browser.open(name, width)
    browser.settle()
    assert browser.run("return document.title") == f"{report['name']} · fairlead"
    cards = browser.run("return [...document.querySelectorAll('.card')].map((card) => card.id)")
    assert [card for card in CARDS[name] if card not in cards] == []
    assert browser.run("return document.documentElement.scrollWidth") <= width
    assert [url for url in browser.requests() if not url.startswith("about:")] == [browser.page(name)[0].as_uri()]


def test_every_chart_has_title_explanation_and_table(browser):
    browser.open("sweep", 800)
    for card in browser.run("""return [...document.querySelectorAll(".card")].map((card) => ({
            id: card.id, title: card.querySelector("h2").firstChild.textContent,
            help: card.querySelector("details.help p").textContent, table: !!card.querySelector("details.data") }))"""):
        assert len(card["title"]) > 10 and len(card["help"]) > 40 and card["table"], card


def test_policy_runs_no_other_script(browser):
    browser.open("small")
    policy = browser.run("return document.querySelector('meta[http-equiv]').content")
    assert policy.startswith("default-src 'none'; script-src 'sha256-") and "unsafe" not in policy
    browser.run("""const s = document.createElement("script"); s.textContent = "window.intruder = 1"; document.body.append(s);
                   const i = document.createElement("img"); i.src = "http://192.0.2.1/x.png"; document.body.append(i);""")
    assert browser.run("return window.intruder ?? null") is None
    refused = browser.complaints()
    assert len(refused) == 2 and all("Content Security Policy" in text for text in refused)


@pytest.mark.parametrize("width", [360, 1600])
def test_hostile_names_are_text(browser, width):
    browser.open("hostile", width)
    for node in (None, 1, 5):
        if node is not None:
            browser.run("location.hash = `n=${arguments[0]}`", node)
            browser.settle()
        assert browser.run("return document.title").startswith("</script>")
        assert browser.run("return document.querySelectorAll('img').length") == 0
        assert browser.run("return document.querySelectorAll('script').length") == 2
        assert browser.run("return document.documentElement.scrollWidth") <= width
    names = browser.run("return [...document.querySelectorAll('#queues tbody td:first-child bdi')].map((b) => b.textContent)")
    assert set(sample.HOSTILE) <= set(names)


def test_copied_csv_has_no_formulas_and_keeps_names(browser):
    browser.open("hostile")
    browser.run("navigator.clipboard.writeText = async (text) => { window.copied = text; };")
    browser.open_table("queues")
    browser.run("document.querySelector('#queues details.data .buttons button').click()")
    text = browser.run("return window.copied")
    assert '"</script><img src=x onerror=""document.title=\'owned\'"">"' in text
    assert text.count("\r\n") == 10 and not re.search(r"(^|,)[=+@]", text, re.M)


@pytest.mark.parametrize("name", ["small", "hostile"])
def test_data_survives_the_embedding(page_of, name):
    text = json.dumps(sample.SAMPLES[name](), ensure_ascii=False)
    done = subprocess.run([page_of], input=text.encode(), stdout=subprocess.PIPE, check=True)
    again = subprocess.run([page_of], input=text.encode(), stdout=subprocess.PIPE, check=True)
    assert done.stdout == again.stdout
    inside = done.stdout.decode().split('<script type="application/json" id="data">')[1].split("</script>")[0]
    assert "<" not in inside and json.loads(inside) == json.loads(text)


def test_full_disk_is_told(page_of):
    with open("/dev/full", "wb") as full:
        assert subprocess.run([page_of], input=b"{}", stdout=full, check=False).returncode == 1


@pytest.mark.parametrize("text", ["", "{", '{"kind": "ComparisonReport", "name": "x", "variants": []}'])
def test_broken_data_is_said(browser, page_of, tmp_path, text):
    path = tmp_path / "broken.html"
    with open(path, "wb") as out:
        subprocess.run([page_of], input=text.encode(), stdout=out, check=True)
    browser.driver.get(path.as_uri())
    assert browser.run("return document.querySelector('h1').textContent") == "This report cannot be shown"
    assert len(browser.complaints()) == 1


def luminance(colour):
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055)**2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a, b):
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


def test_theme_follows_the_system_until_it_is_chosen(browser):
    browser.open("small")
    colours = {}
    theme = "return document.documentElement.dataset.theme"
    for system in ("light", "dark"):
        browser.theme(system)
        browser.settle()
        assert browser.run(theme) == system
        colours[system] = browser.run("""
            const probe = document.body.appendChild(document.createElement("i"));
            const of = (name) => { probe.style.color = `var(--${name})`; return getComputedStyle(probe).color; };
            const names = ["card", "page", "ink", "quiet", "accent", "good", "bad"]
                .concat([...Array(10).keys()].map((i) => `c${i}`), [...Array(6).keys()].map((i) => `v${i}`));
            const result = Object.fromEntries(names.map((name) => [name, of(name)]));
            probe.remove();
            return result;""")
    for colour in colours.values():
        assert min(contrast(colour[text], colour[on]) for text in ("ink", "quiet", "accent", "good", "bad")
                   for on in ("card", "page")) >= 4.5
        assert min(contrast(colour[fill], colour["card"]) for fill in colour if re.match(r"[cv]\d", fill)) >= 3
    press = "document.querySelector('button.theme').click()"
    browser.run(press)
    assert browser.run(theme) == "light"  # chosen, though the system is dark
    browser.run(press)
    assert browser.run(theme) == "dark"
    browser.run(press)


def test_many_queues_are_drawn(browser):
    report = browser.open("large", 1600)
    assert len(report["nodes"]) > 260 and report["series"]["n"] == 1024
    browser.run("location.hash = 'n=1'")
    browser.settle()
    assert browser.run("return document.querySelectorAll('#usage path.band').length") == 10
    headings, rows = browser.table("queues")
    assert len(rows) == len(report["nodes"]) and headings[0] == "queue"
