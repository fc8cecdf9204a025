# SPDX-License-Identifier: Apache-2.0
"""The page about Kueue's scalability scenarios says what the command says."""
import csv

import pytest

from conftest import SOURCE

EXAMPLES = SOURCE / "examples" / "kueue-scalability"
CLASSES = ["large", "medium", "small"]


def row(name):
    page = (EXAMPLES / "README.md").read_text()
    return next(line for line in page.splitlines() if line.startswith("| %s |" % name))


@pytest.mark.parametrize("name", ["fifteenth", "fifth"])
def test_the_page_is_right(fairlead, tmp_path, name):
    r = fairlead("simulate", "-f", str(EXAMPLES / (name + ".yaml")), "-o", "json", "--out", "o")
    assert (r.code, r.err) == (0, "")
    report = r.json()
    totals = report["totals"]
    waits = {c["name"]: c["wait"]["mean"] for c in report["classes"]}
    evicted = dict.fromkeys(CLASSES, 0)
    with open(tmp_path / "o" / "jobs.csv", newline="", encoding="utf-8") as f:
        for job in csv.DictReader(f):
            evicted[job["class"]] += int(job["evictions"])
    assert totals["finished"] == totals["jobs"]
    assert sum(evicted.values()) == totals["evictions"]
    cells = [name, "{:,}".format(totals["jobs"]), "%g" % report["seconds"],
             "%.1f %%" % (100 * totals["utilisation"]["cpu"])]
    cells += ["%.2f" % waits[c] for c in CLASSES] + [str(evicted[c]) for c in CLASSES]
    assert row(name) == "| %s |" % " | ".join(cells)


def test_fair_sharing_changes_the_reason_only(fairlead):
    scenario = ["-f", str(EXAMPLES / "fifteenth.yaml")]
    plain = fairlead("simulate", *scenario, "-o", "json").json()
    fair = fairlead("simulate", *scenario, "-f", str(EXAMPLES / "fair.yaml"), "-o", "json").json()
    assert plain["totals"] == fair["totals"] and plain["classes"] == fair["classes"]
    reasons = [{f["reason"] for f in r["flows"]} for r in (plain, fair)]
    assert reasons == [{"InClusterQueue", "InCohortReclamation"},
                       {"InClusterQueue", "InCohortFairSharing"}]


def test_the_time_between_cycles_bounds_admissions(fairlead):
    """With 30 queues 600 ms are 50 admissions a second, and no wait is longer with less."""
    r = fairlead("compare", "-f", str(EXAMPLES / "fifteenth.yaml"),
                 "--sweep", "cycle-interval=100ms,600ms,3s", "-o", "json")
    reports = [v["report"] for v in r.json()["variants"]]
    assert [round(x["seconds"], 2) for x in reports] == [6.8, 21.8, 99.2]
    assert [x["totals"]["evictions"] for x in reports] == [150, 0, 0]
