# SPDX-License-Identifier: Apache-2.0
import datetime

import pytest

import conftest
import entitle_manifests as k
import manifests as m

NOW = "2026-01-01T02:00:00Z"


def ended(name, started, finished, queue="la", **requests):
    """One that ran for a while and is done."""
    w = m.workload(name, queue, created=started, admitted=("a", "f"), **requests)
    w["status"]["conditions"].append({"type": "Finished", "status": "True", "reason": "Succeeded", "message": "",
                                      "lastTransitionTime": finished})
    return w


def cluster(*objects, cpu="4"):
    return [m.namespace("ns"), m.flavor("f"), m.cluster_queue("a", m.quota("f", cpu=cpu)),
            m.local_queue("la", "a"), *objects]


def running(limit=None, runs_for=None):
    w = m.workload("runs", "la", cpu="4", created="2026-01-01T01:00:00Z", admitted=("a", "f"))
    if limit:
        w["spec"]["maximumExecutionTimeSeconds"] = limit
    if runs_for:
        w["metadata"]["annotations"] = {"fairlead.dev/runs-for": runs_for}
    return w


def waiting(cpu="3"):
    return m.workload("waits", "la", cpu=cpu, created="2026-01-01T01:30:00Z")


def eta(fairlead, write, valid, *objects):
    write("c.json", m.dump(*objects))
    r = fairlead("explain", "--eta", "-f", "c.json", "--now", NOW, "-o", "json", "ns/waits")
    assert (r.code, r.err) == (0, "")
    return valid(r.json(), "explain")["eta"]


def test_text(fairlead, write):
    write("c.json", m.dump(*cluster(running(runs_for="3h10m"), waiting())))
    r = fairlead("explain", "--eta", "-f", "c.json", "--now", NOW, "ns/waits", env={"COLUMNS": "80"})
    assert (r.code, r.err) == (0, "")
    assert "  expected start: in about 2 h 10 min (between 2 h 10 min and 2 h 10 min in 8 of\n  10 cases)\n" \
        "  waits for: the end of ns/runs in 100 of 100 runs\n" \
        "  run times of 1: told beforehand\n" in r.out


def test_without_the_option_nothing_is_said(fairlead, write):
    write("c.json", m.dump(*cluster(running(runs_for="3h10m"), waiting())))
    args = ("explain", "-f", "c.json", "--now", NOW, "ns/waits")
    assert "expected start" not in fairlead(*args).out
    assert "eta" not in fairlead(*args, "-o", "json").json()


def test_all_else_stays_as_without(fairlead, write):
    write("c.json", m.dump(*cluster(running(runs_for="3h10m"), waiting())))
    args = ("explain", "-f", "c.json", "--now", NOW, "ns/waits", "-o", "json")
    with_eta = fairlead(*args, "--eta").json()
    del with_eta["eta"]
    assert with_eta == fairlead(*args).json()


def test_exact(fairlead, write, valid):
    e = eta(fairlead, write, valid, *cluster(running(runs_for="3h10m"), waiting()))
    assert (e["state"], e["start"], e["from"], e["to"]) == ("Later", *["2026-01-01T04:10:00Z"] * 3)
    assert (e["runs"], e["started"], e["level"]) == (100, 100, 0.8)
    assert e["awaits"] == {"workload": "ns/runs", "runs": 100, "queue": "a", "queueRuns": 100}
    assert [(b["from"], b["workloads"]) for b in e["basis"]] == [("Told", 1), ("Unknown", 1)]


def test_from_those_that_finished(fairlead, write, valid):
    """Of those that ran longer than an hour all took two."""
    done = [ended(f"long-{i}", "2025-12-01T00:00:00Z", "2025-12-01T02:00:00Z", cpu="4") for i in range(30)]
    done += [ended(f"short-{i}", "2025-12-01T00:00:00Z", "2025-12-01T00:01:00Z", cpu="4") for i in range(10)]
    e = eta(fairlead, write, valid, *cluster(*done, running(), waiting()))
    assert (e["state"], e["start"]) == ("Later", "2026-01-01T03:00:00Z")
    assert "Unknown" not in [b["from"] for b in e["basis"]]


def test_an_open_end_is_told_as_such(fairlead, write, valid):
    """Of those that ran longer than an hour some ran for weeks: there is no upper end to tell."""
    done = [ended(f"long-{i}", "2025-11-01T00:00:00Z", "2025-11-01T02:00:00Z", cpu="4") for i in range(20)]
    done += [ended(f"weeks-{i}", "2025-11-01T00:00:00Z", "2025-11-25T00:00:00Z", cpu="4") for i in range(9)]
    e = eta(fairlead, write, valid, *cluster(*done, running(), waiting()))
    assert (e["state"], e["start"], e["to"]) == ("Later", "2026-01-01T03:00:00Z", None)
    assert NOW < e["from"] < e["start"] and 50 < e["started"] < 84
    assert e["message"] == ("in about 1 h, not before 37 min from now and maybe much later: not within 7 d in "
                            f"{100 - e['started']} of 100 runs")


def test_an_end_that_only_might_be_later(fairlead, write, valid):
    """All runs start within what is looked at; the interval around them ends behind it."""
    done = [ended(f"long-{i}", "2025-11-01T00:00:00Z", "2025-11-07T13:00:00Z", cpu="4") for i in range(30)]
    e = eta(fairlead, write, valid, *cluster(*done, running(), waiting()))
    assert (e["state"], e["start"], e["to"]) == ("Later", "2026-01-07T14:00:00Z", None)
    assert (e["started"], e["runs"], e["horizonSeconds"]) == (100, 100, 7 * 86400)
    assert e["message"] == "in about 6 d 12 h (between 4 d 1 h and more than 7 d in 8 of 10 cases)"


def test_it_probably_takes_longer_than_anybody_looks(fairlead, write, valid):
    done = [ended(f"long-{i}", "2025-11-01T00:00:00Z", "2025-11-01T02:00:00Z", cpu="4") for i in range(9)]
    done += [ended(f"weeks-{i}", "2025-11-01T00:00:00Z", "2025-11-25T00:00:00Z", cpu="4") for i in range(20)]
    e = eta(fairlead, write, valid, *cluster(*done, running(), waiting()))
    assert (e["state"], e["start"], e["to"]) == ("Later", None, None)
    assert e["message"] == ("not before 45 min from now, probably much later: within 7 d in "
                            f"{e['started']} of 100 runs")


def test_a_run_ends_at_its_limit(fairlead, write, valid):
    """Those that ended had none, and ran longer."""
    done = [ended(f"long-{i}", "2025-12-01T00:00:00Z", "2025-12-01T09:00:00Z", cpu="4") for i in range(30)]
    e = eta(fairlead, write, valid, *cluster(*done, running(limit=7200), waiting()))
    assert e["state"] == "Later" and e["start"] <= "2026-01-01T03:00:00Z"


def test_a_day_that_is_known_comes_again(fairlead, write, valid):
    """Nothing is told of what ended two days ago: that does not mean that nobody came."""
    hour = 3600
    day = [ended(f"s{i}", at(-i * hour), at(-i * hour + 4.5 * hour), cpu="1") for i in range(5, 24)]
    now = [m.workload(f"s{i}", "la", cpu="1", created=at(-i * hour), admitted=("a", "f")) for i in range(1, 5)]
    e = eta(fairlead, write, valid, *cluster(*day, *now, m.workload("waits", "la", cpu="4", created=at(-1800))))
    assert (e["state"], e["horizonSeconds"]) == ("Beyond", 7 * 86400)


def test_order_of_the_input_does_not_matter(fairlead, write, valid):
    done = [ended(f"j{i}", "2025-12-31T00:00:00Z", f"2025-12-31T{i:02}:30:00Z", cpu="1") for i in range(20)]
    objects = cluster(*done, running(), waiting())
    assert eta(fairlead, write, valid, *objects) == eta(fairlead, write, valid, *reversed(objects))


def test_up_to_its_limit(fairlead, write, valid):
    e = eta(fairlead, write, valid, *cluster(running(limit=7200), waiting()))
    assert e["state"] == "Later"
    assert NOW <= e["from"] < e["start"] < e["to"] <= "2026-01-01T03:00:00Z"
    assert ("Limit", 1) in [(b["from"], b["workloads"]) for b in e["basis"]]


def test_no_figure_when_nothing_is_known(fairlead, write, valid):
    e = eta(fairlead, write, valid, *cluster(running(), waiting()))
    assert (e["state"], e["start"], e["from"], e["to"], e["started"]) == ("Unknown", None, None, None, 0)
    assert e["message"] == "not known: the run times of 2 workloads that run or wait are not known"


@pytest.mark.parametrize("objects, state, message", [
    ([waiting()], "Fits", "at once, it fits"),
    ([running(runs_for="2h"), m.workload("waits", "la", cpu="5")], "Never",
     "never, without a change: it does not start even after all workloads that can end have ended"),
    ([running(runs_for="5000h"), waiting()], "Beyond", "not within 7 d in any of 100 runs"),
    ([m.workload("waits", "la", cpu="1", admitted=("a", "f"))], "Started", "it has started"),
    ([m.workload("waits", "lx", cpu="1")], "TakesNoPart", "none, it takes no part"),
])
def test_states(fairlead, write, objects, state, message):
    write("c.json", m.dump(*cluster(*objects)))
    e = fairlead("explain", "--eta", "-f", "c.json", "--now", NOW, "-o", "json", "ns/waits").json()["eta"]
    assert (e["state"], e["message"]) == (state, message)


def test_no_further_than_arrivals_are_known(fairlead, write, valid):
    """Who waits longer than what is drawn again would find an empty cluster."""
    old = "2025-12-01T00:00:00Z"
    ends = running(runs_for="700h")
    ends["metadata"]["creationTimestamp"] = old
    late = m.workload("waits", "la", cpu="3", created=old)
    e = eta(fairlead, write, valid, *cluster(ends, late))
    assert (e["state"], e["arrivals"], e["horizonSeconds"]) == ("Later", 0, 30 * 86400)
    new = m.workload("new", "la", cpu="1", created="2025-12-31T00:00:00Z")
    new["metadata"]["annotations"] = {"fairlead.dev/runs-for": "1h"}
    e = eta(fairlead, write, valid, *cluster(ends, late, new))
    assert (e["state"], e["arrivals"], e["horizonSeconds"]) == ("Beyond", 1, 7 * 86400)
    assert e["message"] == "not within 7 d in any of 100 runs"


def at(seconds):
    return (datetime.datetime(2026, 1, 1, 2) + datetime.timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")


def test_who_comes_takes_what_gets_free(fairlead, write, valid):
    """Small ones keep the queue full, as they did all week: one that needs all of it is never let in."""
    hour = 3600
    week = [ended(f"s{i}", at(-i * hour), at(-i * hour + 4.5 * hour), cpu="1") for i in range(5, 8 * 24)]
    now = [m.workload(f"s{i}", "la", cpu="1", created=at(-i * hour), admitted=("a", "f")) for i in range(1, 5)]
    waits = m.workload("waits", "la", cpu="4", created=at(-1800))
    e = eta(fairlead, write, valid, *cluster(*week, *now, waits))
    assert (e["state"], e["arrivals"]) == ("Beyond", 168)
    alone = eta(fairlead, write, valid, *cluster(*now, waits, *[
        ended(f"old{i}", at(-i * hour - 8 * 86400), at(-i * hour + 4.5 * hour - 8 * 86400), cpu="1")
        for i in range(30)]))
    assert (alone["state"], alone["arrivals"]) == ("Later", 5)


@pytest.mark.parametrize("file, name, state", [
    ("goes-round.yaml", "ns/w1", "Unknown"),
    ("best-effort-loop.yaml", "ns/w0", "Later"),
])
def test_circles_come_to_an_end(fairlead, file, name, state):
    """Where preemption goes round for ever, there is an answer all the same; with a clock it could not be tested."""
    path = conftest.SOURCE / "tests" / "prop" / "counterexamples" / file
    e = fairlead("explain", "--eta", "-f", str(path), "-o", "json", name).json()["eta"]
    assert e["state"] == state
    assert e["cut"] == (e["runs"] if state == "Unknown" else 0)


def test_what_is_wrong_is_said_once(fairlead, write):
    write("c.json", m.dump(*cluster(m.workload("odd", "lx", cpu="1"), waiting())))
    r = fairlead("explain", "--eta", "-f", "c.json", "--now", NOW, "ns/waits")
    assert r.err.count("warning") == 1 and "~" not in r.err + r.out


def test_entitle(fairlead, write, valid):
    """A gang waits for others whose ends annotations tell."""
    objects = [*k.small(), *k.gang("v4", "vision", pods=2, created="2026-01-01T06:00:00Z")]
    for o in objects:
        if o["kind"] == "Pod":
            o["metadata"].setdefault("annotations", {})["fairlead.dev/runs-for"] = "100h"
    write("c.json", k.dump(*objects))
    args = ("explain", "--eta", "-f", "c.json")
    name = valid(fairlead("explain", "--eta", "-f", "c.json", "-o", "json", "v4").json(), "explain")["workload"]
    e = fairlead(*args, "-o", "json", name).json()["eta"]
    assert e["state"] == "Later" and e["started"] == 100
    assert "expected start: in about" in fairlead(*args, name).out


def test_a_pod_of_no_group_is_nobody_that_comes_again(fairlead, write, valid):
    """It is a workload of its own, and holds and waits like others."""
    objects = [k.machine("m1", gpu=2), k.queue("d", gpu=(-1, 1, -1)), k.queue("a", "d", gpu=(2, 1, -1)),
               *k.gang("runs", "a", on="m1"), *k.gang("waits", "a", gpu=2, created="2026-01-01T01:30:00Z"),
               k.pod("holds", None, "2026-01-01T01:00:00Z", 1, "1", "1G", on="m1")]
    for o in objects:
        if o["kind"] == "Pod":
            o["metadata"].setdefault("annotations", {})["fairlead.dev/runs-for"] = "3h10m"
    objects[-1]["metadata"]["labels"] = {"kai.scheduler/queue": "a"}
    objects[-1]["metadata"]["annotations"]["fairlead.dev/runs-for"] = "4h10m"
    e = eta(fairlead, write, valid, *objects)
    assert (e["state"], e["start"], e["arrivals"]) == ("Later", "2026-01-01T06:10:00Z", 0)
    assert e["awaits"]["workload"] == "ns/holds"


def test_a_simulation_goes_on_from_there(fairlead, write):
    """What nobody tells is drawn from those that have ended, and the report says so."""
    done = [ended(f"long-{i}", "2025-12-01T00:00:00Z", "2025-12-01T02:00:00Z", cpu="4") for i in range(30)]
    write("c.json", m.dump(*cluster(*done, running(), waiting())))
    args = ("simulate", "-f", "c.json", "--now", NOW, "-o", "json")
    with_it = fairlead(*args, "--from-snapshot")
    assert (with_it.code, with_it.err) == (0, "")
    x = with_it.json()
    assert (x["totals"]["finished"], x["seconds"]) == (2, 3 * 3600)
    assert "how long 2 workloads run is drawn from what is known; of 0 nothing is known: they run on" \
        in x["assumptions"]
    assert "nobody new comes: only what is there already runs until it is done" in x["assumptions"]
    assert fairlead(*args).json()["totals"]["finished"] == 0
