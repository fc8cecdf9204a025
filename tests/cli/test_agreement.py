# SPDX-License-Identifier: Apache-2.0
"""fairlead agreement: figures, differences and kept states, of a daemon that answers what it is told."""
import tempfile

import pytest

import fake_daemon as fake

FROM, TO = "2026-01-02T11:00:00Z", "2026-01-02T12:00:00Z"


def row(kind, real, real_too, engine, engine_too, reason=None):
    return {"kind": kind, **({"reason": reason} if reason else {}), "real": real, "realToo": real_too, "engine": engine,
            "engineToo": engine_too, "ofReal": real_too / real if real else None,
            "ofEngine": engine_too / engine if engine else None}


ANSWER = {
    "from": FROM, "to": TO, "began": FROM, "windowSeconds": 5.0, "windows": 12, "unjudged": 2,
    "kinds": [row("admit", 20000, 19999, 20001, 19999), row("evict", 4, 3, 3, 3)],
    "reasons": [row("admit", 20000, 19999, 20001, 19999, "Fits"), row("evict", 3, 2, 3, 3, "InClusterQueue"),
                row("evict", 1, 1, 0, 0, "InCohortReclamation")],
    "differences": [
        {"number": 1, "window": 7, "at": FROM, "kind": "admit", "side": "real", "cause": "order", "workload": "ns/a", "queue": "q",
         "real": "Fits", "engine": "PreemptionNoCandidates", "said": "Quota reserved in ClusterQueue q", "kept": True,
         "inequality": {"check": "Available", "meaning": "request <= what is available to the queue now", "node": "q",
                        "flavor": "f", "resource": "cpu", "lhs": 4000, "rhs": 1000, "holds": False}},
        {"number": 2, "window": 8, "at": FROM, "later": TO, "kind": "evict", "side": "engine", "cause": "time", "queue": "q",
         "engine": "InClusterQueue", "kept": False,
         "inequality": {"check": "S2-a", "meaning": "of shares", "lhs": 0.5, "rhs": "inf", "holds": True}},
        {"number": 3, "window": 8, "at": FROM, "kind": "admit", "side": "placed", "cause": "rule", "workload": "ns/c", "queue": "q",
         "real": "Fits", "engine": "Fits", "kept": False}],
}


@pytest.fixture
def daemon():
    with tempfile.TemporaryDirectory(prefix="fl", dir="/tmp") as folder:
        made = fake.Fake(f"{folder}/s")
        yield made
        made.stop()


@pytest.fixture
def ask(fairlead, daemon):
    return lambda *args, **how: fairlead(*args, env={"FAIRLEAD_SOCKET": daemon.path}, **how)


def test_figures_and_differences(ask, daemon):
    daemon.answers["GET /v1/agreement"] = 200, ANSWER
    r = ask("agreement", "--since", FROM)
    assert r.code == 0, r.err
    assert daemon.asked[0][1] == "/v1/agreement?from=2026-01-02T11%3A00%3A00Z"
    lines = [" ".join(line.split()) for line in r.out.splitlines()]
    assert lines[0] == "Decisions from 2026-01-02 11:00:00 to 2026-01-02 12:00:00 UTC, in 12 windows"
    assert "DECISION REASON SCHEDULER ENGINE TOO ENGINE SCHEDULER TOO" in lines
    # Never 100 % of what is not all; and a reason only where there are several.
    assert "admissions 20000 99.99 % 20001 99.99 %" in lines
    assert "preemptions 4 75.00 % 3 100 %" in lines
    assert [lines[i - 1] for i, line in enumerate(lines) if line == "Differences" or line.startswith("DECISION")] == ["", ""]
    assert "InClusterQueue 3 66.66 % 3 100 %" in lines
    assert "InCohortReclamation 1 100 % 0 -" in lines
    assert not any(line.startswith("Fits") for line in lines)
    assert "2 decisions could not be compared." in lines
    assert "2026-01-02 11:00:00 ns/a of q: admitted, not by the engine" in lines
    assert "the engine: PreemptionNoCandidates" in lines
    assert "the cluster says: Quota reserved in ClusterQueue q" in lines
    assert "Available of q, cpu in f: does not hold, with 4000 and 1000" in lines
    assert "the state just before: fairlead agreement 7 >FILE, for plan -f FILE" in lines
    assert "2026-01-02 11:00:00 a workload of q: preempted only by the engine" in lines
    assert "the cause: the order of what was heard and decided before" in lines and "the cause: time" in lines
    assert "S2-a: holds, with 0.5 and inf" in lines
    assert "the scheduler decided so at 2026-01-02 12:00:00" in lines
    assert "2026-01-02 11:00:00 ns/c of q: admitted by both, otherwise placed" in lines


def test_json(ask, daemon, valid):
    daemon.answers["GET /v1/agreement"] = 200, ANSWER
    answer = ask("agreement", "-o", "json").json()
    valid(answer, "agreement")
    assert (answer["kind"], answer["differences"]) == ("Agreement", ANSWER["differences"])
    assert daemon.asked[0][1] == "/v1/agreement"


def test_nothing_was_decided(ask, daemon):
    daemon.answers["GET /v1/agreement"] = 200, {**ANSWER, "windows": 0, "unjudged": 0, "reasons": [], "differences": [],
                                                 "kinds": [row("admit", 0, 0, 0, 0), row("evict", 0, 0, 0, 0)]}
    out = ask("agreement").out
    assert "admissions" in out and "Differences" not in out and "100 %" not in out


@pytest.mark.parametrize("odd", [{}, {"kinds": 3, "differences": {}}, {"kinds": [3, None, {}], "reasons": [7],
                                  "differences": [None, 3, {"side": 7, "inequality": {"lhs": [], "rhs": {}}}]}])
def test_odd_answers(ask, daemon, odd):
    daemon.answers["GET /v1/agreement"] = 200, odd
    assert ask("agreement").code == 0


def test_a_state_is_written(ask, daemon):
    daemon.answers["GET /v1/agreement/7/state"] = 200, "an image"
    r = ask("agreement", "7")
    assert (r.code, r.out) == (0, "an image")
    daemon.answers["GET /v1/agreement/8/state"] = 404, fake.error(404, "the state before that window is not kept")
    assert ask("agreement", "8").err == "fairlead: error: the state before that window is not kept\n"


@pytest.mark.parametrize("args, message", [
    (["agreement", "x"], "'x' is not the number of a window"),
    (["agreement", "7", "8"], "unexpected argument '8'"),
    (["agreement", "--since", "soon"], "--since: 'soon' is neither a time such as 2026-01-01T00:00:00Z nor how long ago, such as 1h"),
])
def test_usage(ask, daemon, args, message):
    r = ask(*args)
    assert (r.code, r.out) == (2, "")
    assert message in r.err
    assert daemon.asked == []


def test_objects_of_a_daemon_of_another_version_are_not_compared(ask, daemon):
    daemon.answers["GET /v1/mirror"] = 200, {"form": "0", "version": "9.9.9", "problem": None, "kinds": [], "objects": []}
    r = ask("agreement", "--verify", "--kubeconfig", "/none")
    assert r.code == 3 and not r.out
    assert "the daemon is of version 9.9.9 and this command of 0." in r.err and "nothing can be compared" in r.err
    assert "kubectl -n fairlead exec deployment/fairlead -- fairlead agreement --verify" in r.err
    # Who may not see all is refused, which is no answer, either.
    daemon.answers["GET /v1/mirror"] = 403, {"text": "this needs the right to get ClusterQueues"}
    r = ask("agreement", "--verify", "--kubeconfig", "/none")
    assert r.code == 3 and not r.out and "this needs the right to get ClusterQueues" in r.err


@pytest.mark.parametrize("words, text", [
    (("--context", "a"), "--context is for --verify"), (("--kubeconfig", "a"), "--kubeconfig is for --verify"),
    (("--verify", "7"), "--verify compares objects: it takes no window and no time"),
    (("--verify", "--since", "1h"), "--verify compares objects: it takes no window and no time")])
def test_what_goes_with_verify(ask, words, text):
    r = ask("agreement", *words)
    assert r.code == 2 and text in r.err and not r.out
