# SPDX-License-Identifier: Apache-2.0
"""What the charts draw is what the report says, and what their tables say."""
import re

import pytest

CPU = "cpu"


def path_tops(d, baseline):
    """Heights above the baseline along the upper edge of a step band: M x,y H x V y ... or L."""
    points = [(float(x), float(y)) for x, y in re.findall(r"[ML](-?[\d.]+),(-?[\d.]+)", d)]
    upper = points[:len(points) // 2]
    return [baseline - y for _, y in upper]


def leaves(report):
    parents = {node["parent"] for node in report["nodes"]}
    return [i for i in range(len(report["nodes"])) if i not in parents]


def test_usage_table_and_bands(browser):
    report = browser.open("small", 1600)
    headings, rows = browser.table("usage")
    names = [node["name"] for node in report["nodes"]]
    series = {names[s["node"]]: s for s in report["series"]["nodes"]}
    assert headings[0] == "from" and headings[-1] == "entitled" and len(rows) == report["series"]["n"]
    for column, name in list(enumerate(headings))[1:-1]:
        assert [row[column] for row in rows] == pytest.approx(series[name]["held"][CPU])
    # The first band stands on the axis: its heights are as its numbers.
    d = browser.run("return document.querySelector('#usage path.band').getAttribute('d')")
    base = browser.run("return Number(document.querySelector('#usage line.base').getAttribute('y1'))")
    tops, values = path_tops(d, base), [row[1] for row in rows]
    scale = tops[0] / values[0]
    steps = [top / scale for top in tops[::2]]
    assert len(steps) >= len(values) and steps[:len(values)] == pytest.approx(values, rel=0.01, abs=2)


def test_entitled_has_a_panel_for_each_queue(browser):
    report = browser.open("small", 1600)
    headings, rows = browser.table("entitled")
    names = [report["nodes"][i]["name"] for i in leaves(report)]
    assert sorted({h.split(": ")[0] for h in headings[1:]}) == sorted(names)
    series = {report["nodes"][s["node"]]["name"]: s for s in report["series"]["nodes"]}
    for column, heading in list(enumerate(headings))[1:]:
        name, what = heading.split(": ")
        values = series[name][what][CPU]
        size = -(-len(values) // len(rows))
        means = [sum(values[i:i + size]) / len(values[i:i + size]) for i in range(0, len(values), size)]
        assert [row[column] for row in rows] == pytest.approx(means)
    assert browser.run("return document.querySelectorAll('#entitled .plot.time').length") == len(names)


def test_waits_by_queue_and_by_size(browser):
    report = browser.open("small", 1200)
    edges = len(report["waitEdges"])

    def expected(key, only=None):
        sums = {}
        for row in report["waits"]:
            if only is None or row["class"] == only:
                mine = sums.setdefault(row[key], [0] * (edges + 1))
                for i, count in enumerate(row["counts"]):
                    mine[i] += count
        return sums

    def drawn():
        browser.settle()
        return {row[0]: row[1:edges + 2] for row in browser.table("waits")[1]}

    press = "[...document.querySelectorAll('#waits .choices button')].find((b) => b.textContent === arguments[0]).click()"
    assert drawn() == {report["nodes"][i]["name"]: counts for i, counts in expected("node").items()}
    browser.run(press, "2-8")
    assert drawn() == {report["nodes"][i]["name"]: counts for i, counts in expected("node", 1).items()}
    browser.run(press, "by size")
    assert drawn() == {report["classes"][i]["name"]: counts for i, counts in expected("class").items()}
    heights = browser.run("return [...document.querySelectorAll('#waits rect.bar')].map((r) => Number(r.getAttribute('height')))")
    counts = [count for mine in expected("class").values() for count in mine]
    assert [h > 0 for h in heights] == [c > 0 for c in counts]


def test_lost_bars_are_as_long_as_the_losses(browser):
    report = browser.open("small", 1200)
    _, rows = browser.table("lost")
    losses = sorted((report["nodes"][i]["lostHours"][CPU] for i in leaves(report)), reverse=True)
    assert [row[1] for row in rows] == pytest.approx(losses)
    widths = browser.run("return [...document.querySelectorAll('#lost rect.bar')].map((r) => Number(r.getAttribute('width')))")
    assert [w / widths[0] for w in widths] == pytest.approx([x / losses[0] for x in losses])


def test_flows_are_all_in_the_matrix(browser):
    report = browser.open("small", 1200)
    _, rows = browser.table("flows")
    name = lambda i: "no queue" if i is None else report["nodes"][i]["name"]
    assert {(r[0], r[1]): r[2] for r in rows} == {(name(f["from"]), name(f["to"])): f["count"] for f in report["flows"]}
    assert sorted(browser.run("return [...document.querySelectorAll('#flows .cell-text')].map((t) => t.textContent)")) == \
        sorted(f"{f['count']:,}" for f in report["flows"])


def test_fairness_blocked_and_longest(browser):
    report = browser.open("small", 1600)
    _, rows = browser.table("blocked")
    # Who missed most comes first: how far behind, times how long.
    nodes = sorted((report["nodes"][i] for i in leaves(report)),
                   key=lambda n: -(1 - n["ratio"]["mean"]) * n["blockedSeconds"])
    assert [(r[0], r[1], r[2]) for r in rows] == [(n["name"], n["ratio"]["mean"], n["ratio"]["least"]) for n in nodes]
    headings, rows = browser.table("fairness")
    assert headings == ["from", "least", "Jain's index", "largest envy"]
    cluster = report["series"]["cluster"]
    mean = sum(cluster["jain"]) / report["series"]["n"]
    assert sum(r[2] for r in rows) / len(rows) == pytest.approx(mean, rel=1e-3)
    # Several buckets are one step of the line, and the worst of them is seen all the same.
    assert len(rows) < report["series"]["n"]
    assert min(r[1] for r in rows) == pytest.approx(min(cluster["jainLeast"]))
    assert max(r[3] for r in rows) == pytest.approx(max(cluster["envy"]))
    _, rows = browser.table("longest")
    assert [[r[0], r[5], r[6]] for r in rows] == [[c["name"], c["wait"]["max"], c["largestWait"]["workload"]]
                                                  for c in report["classes"]]
    _, rows = browser.table("events")
    assert [r[0] for r in rows] == [report["series"]["start"] + e["at"] for e in report["events"]]


def test_same_queue_same_colour(browser):
    report = browser.open("small", 1600)
    colours = browser.run("""
        const found = {};
        const add = (name, colour) => { (found[name] = found[name] ?? new Set()).add(colour); };
        for (const li of document.querySelectorAll("#usage .legend li"))
            add(li.querySelector("bdi").textContent, li.querySelector(".swatch").style.background);
        for (const panel of document.querySelectorAll("#entitled figcaption"))
            add(panel.querySelector("bdi").textContent, panel.querySelector(".swatch").style.background);
        for (const id of ["waits", "blocked", "lost"])
            for (const text of document.querySelectorAll(`#${id} .row-name`))
                add(text.textContent, text.previousElementSibling.style.fill);
        return Object.entries(found).map(([name, set]) => [name, [...set]]);""")
    found = dict(colours)
    names = [report["nodes"][i]["name"] for i in leaves(report)]
    assert all(len(found[name]) == 1 for name in names)
    assert len({found[name][0] for name in names}) == len(names)


def test_resource_is_chosen_for_all(browser):
    report = browser.open("small", 1200)
    browser.run("""const s = [...document.querySelectorAll(".navigator select")].pop();
                   s.selectedIndex = 1; s.dispatchEvent(new Event("change"));""")
    browser.settle()
    assert browser.run("return document.querySelector('#usage h2').textContent").startswith("Who used the nvidia.com/gpu")
    _, rows = browser.table("lost")
    assert rows[0][1] == max(report["nodes"][i]["lostHours"]["nvidia.com/gpu"] for i in leaves(report))
    assert "r=nvidia.com%2Fgpu" in browser.run("return location.hash")


def test_comparison_puts_variants_side_by_side(browser):
    report = browser.open("comparison", 1600)
    runs = [variant["report"] for variant in report["variants"]]
    headings, rows = browser.table("compared")
    assert [row[0] for row in rows] == [variant["name"] for variant in report["variants"]]
    assert [row[headings.index("Jain's index")] for row in rows] == [r["totals"]["fairness"]["jain"] for r in runs]
    words = browser.run("return [...document.querySelectorAll('table.compared tbody tr')].map((tr) => tr.children[1].textContent)")
    assert "better" in words[1] and "worse" in words[2] and "er" not in words[0]
    tops = browser.run("""return [...document.querySelectorAll("#usages .plot.time")].map((p) =>
        [...p.querySelectorAll("text.tick")].filter((t) => t.getAttribute("text-anchor") === "end").map((t) => t.textContent).join())""")
    assert len(tops) == 3 and len(set(tops)) == 1  # one scale
    _, rows = browser.table("ratios-compared")
    ratios = {n["name"]: [r["nodes"][i]["ratio"]["mean"] for r in runs] for i, n in enumerate(runs[0]["nodes"])}
    assert all(row[1:] == ratios[row[0]] for row in rows) and len(rows) == 6


def test_sweep_draws_the_tradeoff(browser):
    report = browser.open("sweep", 1600)
    points = report["sweep"]["points"]
    assert browser.run("return document.querySelectorAll('#tradeoff .panel').length") == 4
    assert browser.run("return document.querySelectorAll('#tradeoff circle').length") == 4 * len(points)
    headings, rows = browser.table("tradeoff")
    assert headings[0] == "half-life" and [row[0] for row in rows] == [p["value"] for p in points]
    assert [row[headings.index("90 % wait")] for row in rows] == \
        [report["variants"][p["variant"]]["report"]["totals"]["wait"]["p90"] for p in points]
    browser.run("document.querySelectorAll('#tradeoff circle')[3].dispatchEvent(new MouseEvent('click'))")
    browser.settle()
    name = report["variants"][points[3]["variant"]]["name"]
    assert browser.run("return document.querySelector('h2.part').textContent") == f"In detail: {name}"
    assert "v=3" in browser.run("return location.hash")


def test_worst_off_come_first_and_all_count(browser):
    report = browser.open("behind", 1600)
    nodes = report["nodes"]
    queues = leaves(report)
    behind = [i for i in queues if nodes[i]["ratio"]["mean"] < .9]
    says = browser.run("return document.querySelector('#entitled .says').textContent")
    assert says.startswith(f"{len(behind)} of {len(queues)} queues held less than 90\u00a0%")
    shown = browser.run("return [...document.querySelectorAll('#entitled figcaption bdi')].map((n) => n.textContent)")
    missed = [(1 - n["ratio"]["mean"]) * n["blockedSeconds"] for name in shown for n in nodes if n["name"] == name]
    assert len(missed) > 2 and missed == sorted(missed, reverse=True)
