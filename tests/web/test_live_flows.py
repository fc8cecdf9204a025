# SPDX-License-Identifier: Apache-2.0
"""The page along time: what queues held, who preempted whom, and how it was at a moment that is over."""
import json
import os
import time

import pytest

from live import WIDTHS, daemons, lab_in

pytestmark = pytest.mark.skipif("FAIRLEADD" not in os.environ, reason="needs the daemon")
SLEEP = ("sh", "-c", "sleep 600")


def preempted(daemon):
    return [json.loads(line) for line in daemon.get("/v1/events?kind=Preempted").text.splitlines()]


def between(one, other):
    """A moment between two of the API, in seconds, with both sides some milliseconds away."""
    assert daemons.ms(other) - daemons.ms(one) > 300, (one, other)
    return (daemons.ms(one) + daemons.ms(other)) / 2000


def fill(daemon):
    """Genome has the whole machine for a while; then physics takes back what it has lent, twice."""
    jobs = {"first": [daemon.submit(*SLEEP, queue="genome", name="align", requests={"cpu": "1"}) for _ in range(8)]}
    for number in jobs["first"]:
        daemon.wait(number, "runs")
    time.sleep(1)  # a time in which nothing happens, which is looked at later
    jobs["atlas"] = daemon.submit(*SLEEP, queue="atlas", name="fit", requests={"cpu": "2"})
    daemon.wait(jobs["atlas"], "runs")
    jobs["cms"] = daemon.submit(*SLEEP, queue="cms", name="reco", requests={"cpu": "1"})
    daemon.wait(jobs["cms"], "runs")
    before = daemon.job(jobs["first"][-1])["attempts"][0]["from"]
    jobs["alone"] = between(before, daemon.job(jobs["atlas"])["submittedAt"])
    return jobs


@pytest.fixture(scope="module")
def lab(pages, tmp_path_factory):
    with lab_in(pages, tmp_path_factory.mktemp("flows"), fill) as live:
        yield live


@pytest.fixture
def page(lab):
    yield lab
    # The daemon reads its store for few at once: a page asks again.
    assert [text for text in lab.pages.complaints() if "503" not in text] == []


def open_table(page, card):
    page.until("return document.querySelector(`[aria-labelledby='${arguments[0]}-title'] .plot`) !== null", card)
    page.run("document.querySelector(`[aria-labelledby='${arguments[0]}-title'] details.data`).open = true", card)
    page.until("return document.querySelector(`[aria-labelledby='${arguments[0]}-title'] details.data table`) !== null", card)
    return page.run("""const table = document.querySelector(`[aria-labelledby='${arguments[0]}-title'] details.data table`);
        const cell = (td) => td.dataset.value === undefined ? td.innerText : Number(td.dataset.value);
        return [[...table.querySelectorAll("thead th")].map((th) => th.innerText),
                [...table.querySelectorAll("tbody tr")].map((tr) => [...tr.children].map(cell))];""", card)


@pytest.mark.e2e
def test_history_says_what_was_wanted(lab):
    """What it held, and what its jobs that wait ask for: together what all of its jobs ask for."""
    now = preempted(lab.daemon)[-1]["at"]
    answer = lab.daemon.get(f"/v1/history?from={now}").json()
    seconds = (daemons.ms(answer["to"]) - daemons.ms(answer["from"])) / 1000
    genome = next(q for q in answer["queues"] if q["name"] == "genome")["had"]["cpu"]
    assert genome["wantedUnitSeconds"] == pytest.approx(8 * seconds, rel=0.02, abs=0.1)
    assert genome["unitSeconds"] < genome["wantedUnitSeconds"]


def test_what_queues_held_along_time(page):
    page.open("#view=time&range=all", page.admin)
    page.live().says("In all the time that is known", ".says")
    heads, rows = open_table(page, "usage")
    assert set(heads[1:]) == {"genome", "atlas", "cms", "quota"}
    place = {name: heads.index(name) for name in heads}
    held = [row for row in rows if isinstance(row[place["genome"]], (int, float))]
    assert 5 < max(row[place["genome"]] for row in held) <= 8.01, "it had more than what is left to it"
    # All slices together are what the API says of the time that they cover; the last one may not be over.
    whole, step = held[:-2], held[1][0] - held[0][0]
    begin, end = (time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(t)) for t in (whole[0][0], whole[-1][0] + step))
    rows_of = {q["name"]: q for q in page.daemon.get(f"/v1/history?from={begin}&to={end}").json()["queues"]}
    for name in ("genome", "atlas", "cms"):
        assert sum(row[place[name]] for row in whole) * step == pytest.approx(rows_of[name]["had"]["cpu"]["unitSeconds"], rel=0.01, abs=0.1), name
    assert all(row[place["quota"]] == 8 for row in held)
    assert all(sum(row[place[q]] for q in ("genome", "atlas", "cms")) <= 8.01 for row in held)
    # A link shows the same: what is chosen is in the address.
    page.run("[...document.querySelectorAll('.choices button')].find((b) => b.textContent === 'last day').click()")
    page.until("return location.hash.includes('range=day')")
    page.says("In the last day", ".says")
    page.run("""const s = document.querySelector('main [aria-label="Resource"]'); s.value = 'memory'; s.dispatchEvent(new Event('change'));""")
    page.until("return location.hash.includes('resource=memory')")
    page.says("Nobody held any memory", ".says")


def test_who_took_from_whom(page):
    events = preempted(page.daemon)
    assert {e["by"] for e in events} == {page.jobs["atlas"], page.jobs["cms"]}
    page.open("#view=preemptions", page.admin)
    page.live().says(f"{len(events)} jobs were preempted in the last hour", ".says")
    page.says("takes back its own quota that was lent", ".rule-bars")
    pairs = page.run("return [...document.querySelectorAll('.pairs li')].map((li) => [li.querySelector('button').innerText.replace(/\\s+/g, ' ').trim(), li.querySelector('b').innerText])")
    taken = {job: sum(e["by"] == page.jobs[job] for e in events) for job in ("atlas", "cms")}
    assert pairs == [[f"{queue} took from genome", str(n)] for queue, n in sorted(taken.items(), key=lambda x: -x[1])]
    _, rows = open_table(page, "pairs")
    assert [row[:3] for row in rows] == [[queue, "genome", n] for queue, n in sorted(taken.items(), key=lambda x: -x[1])]
    # Each line leads to both jobs; a pair is chosen.
    page.run("[...document.querySelectorAll('.pairs button')].find((b) => b.innerText.includes('cms')).click()")
    page.until("return document.querySelectorAll('.takings li').length === arguments[0]", taken["cms"])
    links = page.run("return [...document.querySelectorAll('.takings li a')].map((a) => a.textContent)")
    [one] = [e for e in events if e["by"] == page.jobs["cms"]]
    assert links == [f"job {page.jobs['cms']}", f"job {one['job']}"]
    page.run("document.querySelector('.takings li a').click()")
    page.until("return location.hash.startsWith('#view=job&')")


@pytest.mark.e2e
def test_preemptions_come_without_a_reload(page):
    page.open("#view=preemptions", page.admin)
    page.live().until("return document.querySelectorAll('.takings li').length > 0")
    before = len(preempted(page.daemon))
    number = page.daemon.submit("true", queue="atlas", name="more", requests={"cpu": "1"})
    page.daemon.wait(number)
    assert len(preempted(page.daemon)) > before
    page.until("return document.querySelectorAll('.takings li').length === arguments[0]", len(preempted(page.daemon)))


def test_the_page_as_it_was(page):
    at = round(page.jobs["alone"], 1)
    page.open(f"#view=tree&at={at}", page.admin)
    page.live().says("As it was at", ".moment")
    page.until("return document.querySelector('[data-key=\"ClusterQueue/genome\"] .used')?.innerText.trim() === '8 / 2'")
    page.until("return document.querySelector('[data-key=\"ClusterQueue/genome\"] .running')?.innerText.trim() === '8'")
    assert page.rows()["ClusterQueue/atlas"]["used"] == "0 / 3"
    # It stays so from view to view, and in the address of each.
    page.run("[...document.querySelectorAll('.bar nav a')].find((a) => a.textContent === 'Jobs').click()")
    page.until("return location.hash.includes('view=jobs') && location.hash.includes('at=')")
    page.until("return document.querySelectorAll('.virtual-body > .row').length === 8")
    states = {row["job-state-cell"].split()[-1] for row in page.rows().values()}
    assert states == {"runs"}
    page.press("g", "p")
    page.says("No job was preempted in the last hour before this moment", ".says")
    page.press("n")
    page.until("return !location.hash.includes('at=') && document.querySelector('.moment').hidden")
    page.says("jobs were preempted in the last hour", ".says")


@pytest.mark.e2e
def test_a_moment_is_read_where_the_daemon_asks_for_a_pause(page):
    """Its jobs are read in pieces: more of them than one may ask for at once."""
    page.open("#view=tree", page.admin)
    page.live().run("""const real = window.fetch, at = arguments[0];
        window.paused = 0;
        window.fetch = (url, options) => String(url).includes("/v1/jobs?at=") && window.paused++ < 2
            ? Promise.resolve(new Response("{}", { status: 429, headers: { "Retry-After": "1" } })) : real(url, options);
        location.hash = `#view=jobs&at=${at}`;""", round(page.jobs["alone"], 1))
    page.until("return window.paused === 3 && document.querySelector('.virtual-body > .row') !== null")
    page.says("As it was at", ".moment")


@pytest.mark.e2e
def test_a_moment_is_chosen_with_keys(page):
    page.open("#view=time&range=all", page.admin)
    page.live().until("return document.querySelector('.plot.time') !== null")
    page.run("document.querySelector('.plot.time').focus()")
    page.press("Home", "ArrowRight", "Enter")
    page.until("return location.hash.includes('at=')")
    page.says("As it was at", ".moment")
    page.says("Preemptions about this moment")
    page.run("[...document.querySelectorAll('.moment button')].find((b) => b.textContent === 'Back to now').click()")
    page.until("return !location.hash.includes('at=')")


VIEWS = {"time": "#view=time&range=all", "preemptions": "#view=preemptions", "then": "#view=time&range=all&at={at}", "then-tree": "#view=tree&at={at}"}


@pytest.mark.e2e
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("view", VIEWS)
def test_no_text_is_cut_or_lies_on_another(page, view, width):
    page.open(VIEWS[view].format(at=round(page.jobs["alone"], 1)), page.admin, width, 1000)
    page.live().until("return document.querySelector('.plot, .virtual-body > .row') !== null")
    if "then" in view:
        page.says("As it was at", ".moment")
    page.looks_well(view, width)
