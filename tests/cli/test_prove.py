# SPDX-License-Identifier: Apache-2.0
"""`prove`: known loops, what it says of them, and that they can be followed by `plan --settle`."""
import json
import os
import pathlib
import re
import signal
import subprocess
import time
import xml.etree.ElementTree as ElementTree

import pytest

import manifests as m

SOURCE = pathlib.Path(os.environ.get("FAIRLEAD_SOURCE", pathlib.Path(__file__).parents[2]))
EXAMPLE = str(SOURCE / "examples" / "loops" / "three-workloads.yaml")
SETTLES = str(SOURCE / "examples" / "loops" / "settles.yaml")
BEST_EFFORT = str(SOURCE / "tests" / "prop" / "counterexamples" / "best-effort-loop.yaml")
ENTITLED = str(SOURCE / "tests" / "cli" / "entitle.yaml")
PREEMPTION = {"reclaimWithinCohort": "Any", "withinClusterQueue": "Never"}
BOTH = ["LessThanOrEqualToFinalShare", "LessThanInitialShare"]


def queue(name, cohort, weight=None, **nominal):
    more = {"fairSharing": {"weight": weight}} if weight else {}
    return [m.cluster_queue(name, m.quota("f", **nominal), cohort=cohort, preemption=PREEMPTION, **more),
            m.local_queue("l" + name, name)]


def equal_shares():
    """The contested resource is not the dominant one: shares are equal before and after."""
    return [m.namespace("ns"), m.flavor("f"), m.configuration(preemptionStrategies=BOTH[:1]),
            m.cohort("root", None, m.quota("f", cpu="1", gpu="10")),
            *queue("lender", "root", cpu="9", gpu="0"), *queue("a", "root", cpu="0", gpu="0"),
            *queue("b", "root", cpu="0", gpu="0"),
            m.workload("lent", "llender", cpu="9", admitted=("lender", "f")),
            m.workload("a-gpu", "la", gpu="5", admitted=("a", "f")),
            m.workload("b-gpu", "lb", gpu="5", admitted=("b", "f")),
            m.workload("a-cpu", "la", cpu="1"), m.workload("b-cpu", "lb", cpu="1")]


def two_levels():
    return [m.namespace("ns"), m.flavor("f"), m.configuration(), m.cohort("root"),
            m.cohort("l", "root", fairSharing={"weight": "3"}), m.cohort("r", "root", m.quota("f", cpu="1")),
            *queue("q0", "l", cpu="1"), *queue("q2", "l", cpu="0"), *queue("q1", "root", cpu="2"),
            m.workload("w3", "lq2", cpu="3"), m.workload("w0", "lq1", cpu="1"), m.workload("w4", "lq1", cpu="1"),
            m.workload("w1", "lq1", cpu="2")]


def three_units():
    return [m.namespace("ns"), m.flavor("f"), m.configuration(),
            *queue("q0", "co", weight="3", cpu="2"), *queue("q1", "co", cpu="1"),
            m.workload("w0", "lq0", cpu="3"), m.workload("w3", "lq1", cpu="2"), m.workload("w4", "lq1", cpu="1")]


def race():
    """a gets its own back from b; b alone comes back again before it."""
    return [m.namespace("ns"), m.flavor("f"), *queue("a", "co", cpu="2"), *queue("b", "co", cpu="2"),
            m.workload("a1", "la", cpu="2"), m.workload("b1", "lb", cpu="3", admitted=("b", "f"))]


def crowd():
    """So many elsewhere that no other order is tried: what is small is looked at in more ways."""
    many = [x for i in range(40) for x in [m.workload(f"x{i:02}", "lz", cpu="1")]]
    return [*queue("z", None, cpu="40"), *many]


KNOWN = {
    # name: objects, kind, does no order rest, moves of a round, race, moves of the shortest, does the own order loop
    "equal shares": (equal_shares, "forced", True, 6, False, 3, True),
    "three workloads": (m.loop, "forced", True, 8, False, 3, True),
    "two levels": (two_levels, "forced", False, 8, False, 3, False),
    "three units": (three_units, "forced", True, 8, False, 3, False),
    "race": (race, "possible", False, 3, True, 3, False),
}


@pytest.mark.parametrize("name", KNOWN)
def test_known_loops(fairlead, write, valid, name):
    objects, kind, always, moves, is_race, shortest, own = KNOWN[name]
    write("c.json", m.dump(*objects()))
    r = fairlead("prove", "-f", "c.json", "-o", "json", "--out", "loop.json")
    assert (r.code, r.err) == (1, "")
    proof = valid(r.json(), "prove")
    loop = proof["loop"]
    assert (proof["complete"], proof["end"]) == (True, "all")
    assert (loop["kind"], loop["always"], len(loop["round"])) == (kind, always, moves)
    assert (loop["race"], loop["shortest"]) == (is_race, shortest)
    assert ("firstCycle" in loop["ownOrder"], loop["ownOrder"]["settled"]) == (own, not own)
    assert any(step["preempted"] for step in loop["round"])
    # All is as before: who holds what after the round is what was held before it.
    before = loop["prefix"][-1]["holds"] if loop["prefix"] else None
    assert before is None or before == loop["round"][-1]["holds"]
    # Setting it settles ends every loop here; and the same is found when it is really set.
    settles = [x for x in proof["remedies"] if x["setting"] == "preemptionGuarantee: settles"]
    assert [x["ends"] for x in settles] == [True]
    r = fairlead("prove", "--check", "-f", "c.json", "-f", SETTLES, "-o", "json")
    assert (r.code, valid(r.json(), "prove")["states"]) == (0, settles[0]["states"])
    # It can be followed.
    r = fairlead("plan", "--settle", "-f", "loop.json", "-o", "json")
    assert (r.code, r.err) == (1, "")
    plan = valid(r.json(), "plan")
    assert (plan["loop"]["order"], plan["loop"]["period"]) == ("given", moves)
    assert plan["loop"]["firstCycle"] == len(loop["prefix"]) + 1
    taken = [x for s in loop["round"] for x in sorted((p["workload"], p.get("preemptor")) for p in s["preempted"])]
    assert [(p["workload"], p.get("preemptor")) for p in plan["loop"]["preemptions"]] == taken
    assert plan["loop"]["orders"]["loop"] == kind


def test_rules_and_shares(fairlead, write):
    write("c.json", m.dump(*m.loop()))
    r = fairlead("prove", "-f", "c.json", "-o", "json")
    taken = {p["workload"]: p for s in r.json()["loop"]["round"] for p in s["preempted"]}
    assert {w: (p["reason"], p["rule"]["check"]) for w, p in taken.items()} == {
        "ns/w0": ("InCohortReclamation", "WithinNominal"),
        "ns/w3": ("InCohortFairSharing", "S2-b"), "ns/w4": ("InCohortFairSharing", "S2-a")}
    assert taken["ns/w3"]["rule"] == {"check": "S2-b", "node": "q1", "left": 1000 / 6, "right": 2000 / 6}
    assert taken["ns/w3"]["shares"] == {"preemptor": {"node": "q0", "before": 0, "after": 1000 / 6},
                                        "victim": {"node": "q1", "before": 4000 / 6, "after": 0}}
    assert taken["ns/w0"]["rule"] == {"check": "WithinNominal", "node": "q1", "resource": "cpu",
                                      "left": 2000, "right": 2000}


def test_text(fairlead):
    r = fairlead("prove", "-f", EXAMPLE, env={"COLUMNS": "100"})
    assert (r.code, r.err) == (1, "")
    assert r.out.startswith("""\
A preemption loop, forced: whatever the order of decisions, preemption never settles.
The scheduler's own order loops, too: cycles 1 to 3 repeat for ever (plan --settle).
Explored: """)
    assert """
2. ml/blue-4 (blue) starts
3. ml/red-5 (red) preempts ml/blue-2 (blue) and ml/blue-4 (blue)
   ml/blue-2: InCohortFairSharing; S2-a: share of red with ml/red-5, 166.667, <= share of blue
   without ml/blue-2, 333.333
   ml/blue-4: InCohortFairSharing; S2-b: share of red with ml/red-5, 166.667, < share of blue,
   333.333
   shares once that is done: red 0 -> 166.667, blue 666.667 -> 0
4. ml/blue-2 (blue) has stopped
""" in r.out
    assert "The state is again that before move 2.\n" in r.out
    assert "It takes no race:" in r.out
    out = fairlead("prove", "-f", EXAMPLE).out  # as wide as it gets
    assert re.search(r"Policy: preemptionGuarantee: settles +yes +no order loops", out)
    assert re.search(r"Policy: defaults: holdFreedQuota: true +no +a loop is left, forced", out)


def test_no_loop(fairlead, valid):
    r = fairlead("prove", "--check", "-f", EXAMPLE, "-f", SETTLES)
    assert (r.code, r.err) == (0, "")
    assert re.match(r"No preemption loop: \d+ states, \d+ moves, at most 3 evictions in any order\.\n"
                    r"Whatever the order of decisions, preemption settles; 1 of the states is settled\. Any order means: ",
                    r.out)
    proof = valid(fairlead("prove", "--check", "-f", EXAMPLE, "-f", SETTLES, "-o", "json").json(), "prove")
    assert (proof["complete"], proof["mostEvictions"], proof["resting"]) == (True, 3, 1)
    assert (proof["proof"], proof["end"]) == (True, "all")
    assert "loop" not in proof and "remedies" not in proof


def test_the_theorem_answers_at_once(fairlead, valid):
    r = fairlead("prove", "-f", EXAMPLE, "-f", SETTLES)
    assert (r.code, r.err) == (0, "")
    assert r.out.startswith("No preemption loop, by the theorem of preemptionGuarantee: settles.\n")
    for place in ("doc/guide/policy.md", "src/decide/borrow/README.md"):
        assert place in r.out and (SOURCE / place).is_file()
    assert "Why it settles" in (SOURCE / "src/decide/borrow/README.md").read_text()
    proof = valid(fairlead("prove", "-f", EXAMPLE, "-f", SETTLES, "-o", "json").json(), "prove")
    assert (proof["proof"], proof["end"], proof["states"], proof["complete"]) == (True, "theorem", 0, False)


def test_an_eviction_that_is_given_up_is_no_proof(fairlead, write):
    """evictionTimeout: the theorem supposes of evictions what nobody can promise, so all is explored."""
    settles = pathlib.Path(SETTLES).read_text()
    write("s.yaml", settles.replace("Guarantee: settles}", "Guarantee: settles, evictionTimeout: 5m}"))
    for check in ([], ["--check"]):
        r = fairlead("prove", *check, "-f", EXAMPLE, "-f", "s.yaml")
        assert r.code == 1 and re.search(r"^\d\. time passes until no refusal is temporary", r.out, re.M), r.out
        assert "holds only while no eviction takes longer than evictionTimeout" in " ".join(r.out.split())
        assert not fairlead("prove", *check, "-f", EXAMPLE, "-f", "s.yaml", "-o", "json").json()["proof"]


def test_the_theorem_says_nothing_of_more_than_there_is(fairlead, write):
    """Quota was cut below what is held: promises may be void, so all is looked at."""
    policy = {"apiVersion": "fairlead.dev/v1alpha1", "kind": "Policy", "metadata": {"name": "p"},
              "spec": {"preemptionGuarantee": "settles"}}
    def input_with(held):
        write("c.json", m.dump(m.namespace("ns"), m.flavor("f"), m.configuration(), policy,
                               *queue("a", "co", cpu="2"), *queue("b", "co", cpu="2"),
                               m.workload("b1", "lb", cpu=held, admitted=("b", "f")), m.workload("a1", "la", cpu="2")))
    input_with("4")
    assert "by the theorem" in fairlead("prove", "-f", "c.json").out
    input_with("5")
    r = fairlead("prove", "-f", "c.json")
    assert r.code == 0 and r.out.startswith("No preemption loop: ")


def test_nothing_is_written_without_a_loop(fairlead, tmp_path):
    r = fairlead("prove", "-f", EXAMPLE, "-f", SETTLES, "--out", "l.json", "--svg", "l.svg")
    assert (r.code, r.err) == (0, "fairlead: no loop, so l.json is not written\n"
                                  "fairlead: no loop, so l.svg is not written\n")
    assert not (tmp_path / "l.json").exists() and not (tmp_path / "l.svg").exists()


def test_bound(fairlead, valid):
    r = fairlead("prove", "-f", EXAMPLE, "-f", SETTLES, "--check", "--bound", "4")
    assert r.code == 4
    assert r.out.startswith("No preemption loop so far: 4 states, ")
    assert "\nThat is the bound: --bound N explores more.\n" in r.out
    proof = valid(fairlead("prove", "-f", EXAMPLE, "-f", SETTLES, "--check", "--bound", "4", "-o", "json").json(), "prove")
    assert (proof["states"], proof["complete"], proof["end"]) == (4, False, "bound")
    assert "mostEvictions" not in proof
    r = fairlead("prove", "-f", EXAMPLE, "-f", SETTLES, "--check", "--memory", "1Ki")
    assert r.code == 4 and "That is all the memory allowed: --memory SIZE allows more." in r.out
    assert r.out.startswith("No preemption loop so far: 0 states, ")


def test_a_round_says_whether_it_is_a_race(fairlead, write, valid):
    """Also when the rest was not looked at, and so whether there is another one is not known."""
    write("c.json", m.dump(*race(), *crowd(), m.no_fair_sharing()))
    for bound in ("100", "1000"):
        r = fairlead("prove", "-f", "c.json", "--bound", bound, "-o", "json")
        proof = valid(r.json(), "prove")
        assert (r.code, proof["complete"], proof["loop"]["race"]) == (1, False, True)
        assert "onlyRaces" not in proof["loop"]
    out = fairlead("prove", "-f", "c.json", "--bound", "100").out
    assert out.startswith("A preemption loop, possible, by a race: ")
    assert "Whether there is a loop without a race is not known." in out


def test_a_round_without_a_race_says_so(fairlead, write):
    write("c.json", m.dump(*equal_shares(), *crowd()))
    r = fairlead("prove", "-f", "c.json", "--bound", "1000", "-o", "json")
    assert (r.code, r.json()["complete"], r.json()["loop"]["race"]) == (1, False, False)
    out = fairlead("prove", "-f", "c.json", "--bound", "1000").out
    assert ("It takes no race: each preemption is completed before another workload is considered. "
            "With races, 3 moves are enough.\n") in out


def test_resume(fairlead, write, tmp_path):
    write("c.json", m.dump(*two_levels()))
    whole = fairlead("prove", "-f", "c.json", "-o", "json").json()
    r = fairlead("prove", "-f", "c.json", "--bound", "2", "--resume", "state")
    assert r.code == 4 and "and --resume state goes on from here.\n" in r.out
    first = (tmp_path / "state").read_bytes()
    r = fairlead("prove", "-f", "c.json", "--bound", "10", "--resume", "state", "-o", "json")
    assert (tmp_path / "state").read_bytes() != first
    again = fairlead("prove", "-f", "c.json", "--resume", "state", "-o", "json")
    assert (again.code, again.json()) == (1, whole)


def test_resume_refuses(fairlead, write, tmp_path):
    write("c.json", m.dump(*two_levels()))
    write("other.json", m.dump(*three_units()))
    assert fairlead("prove", "-f", "c.json", "--bound", "2", "--resume", "state").code == 4
    state = (tmp_path / "state").read_bytes()
    r = fairlead("prove", "-f", "other.json", "--resume", "state")
    assert (r.code, r.out) == (1, "") and r.first_error.startswith("state: error: ")
    write("cut", state[:-40])
    write("text", "no image")
    for name in ("cut", "text", "c.json"):
        r = fairlead("prove", "-f", "c.json", "--resume", name)
        assert (r.code, r.out) == (1, ""), name
        assert r.first_error.startswith(name + ": error: ")
    assert (tmp_path / "state").read_bytes() == state


def until_it_works(process, seconds):
    """It catches SIGINT, and has used so much of a processor."""
    end = time.monotonic() + 60
    while True:
        assert process.poll() is None and time.monotonic() < end
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
        fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        if int(re.search(r"SigCgt:\s*(\w+)", status)[1], 16) >> (signal.SIGINT - 1) & 1 and \
                int(fields[11]) >= seconds * os.sysconf("SC_CLK_TCK"):
            return
        time.sleep(0.02)


def test_ctrl_c(write, tmp_path):
    """Many workloads that borrow from many: more states than anybody waits for."""
    objects = [m.namespace("ns"), m.flavor("f"), m.configuration()]
    for q in range(6):
        objects += queue(f"q{q}", "co", cpu="4")
        objects += [m.workload(f"w{q}-{i}", f"lq{q}", cpu=str(1 + (i + q) % 4)) for i in range(6)]
    write("c.json", m.dump(*objects))
    done = subprocess.Popen([os.environ["FAIRLEAD"], "prove", "-f", "c.json", "--bound", "100000000", "--memory", "8Gi",
                             "--resume", "state"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    until_it_works(done, seconds=0.5)
    done.send_signal(signal.SIGINT)
    out, err = done.communicate(timeout=120)
    assert done.returncode in (1, 4), err
    assert b"It was stopped, and --resume state goes on from here.\n" in out
    assert (tmp_path / "state").stat().st_size > 1000


@pytest.mark.parametrize("args, message", [
    (["--bound", "0"], "--bound: '0' is not a number from 1 to 999999999"),
    (["--bound", "many"], "--bound: 'many' is not a number from 1 to 999999999"),
    (["--memory", "0"], "--memory: '0' is not a size such as 512Mi or 4Gi"),
    (["--memory", "a lot"], "--memory: 'a lot' is not a size such as 512Mi or 4Gi"),
    (["--settle"], "unknown option '--settle'"),
    (["x"], "unexpected argument 'x'; files are given with -f"),
])
def test_usage(fairlead, args, message):
    r = fairlead("prove", "-f", EXAMPLE, *args)
    assert (r.code, r.out) == (2, "")
    assert r.first_error == "fairlead prove: " + message


def test_images(fairlead):
    assert fairlead("save", "-f", EXAMPLE, "--out", "image").code == 0
    assert fairlead("prove", "-f", "image").out == fairlead("prove", "-f", EXAMPLE).out
    r = fairlead("prove", "-f", "image", "--out", "loop.json")
    assert (r.code, r.first_error) == (1, "image: error: is an image, and only manifests are read here")


def test_moves_in_an_image(fairlead):
    assert fairlead("prove", "-f", EXAMPLE, "--out", "loop.json").code == 1
    assert fairlead("save", "-f", "loop.json", "--out", "image").code == 0
    want, got = fairlead("plan", "--settle", "-f", "loop.json"), fairlead("plan", "--settle", "-f", "image")
    assert (want.code, want.out) == (got.code, got.out) and "(Moves)" in want.out


def test_entitle(fairlead, valid):
    r = fairlead("prove", "-f", ENTITLED, "-o", "json", "--out", "loop.json")
    assert (r.code, r.err) == (1, "")
    proof = valid(r.json(), "prove")
    assert (proof["policy"], proof["loop"]["kind"], proof["loop"]["race"]) == ("entitle", "possible", True)
    taken = [p for s in proof["loop"]["round"] for p in s["preempted"]]
    assert [(p["reason"], p["rule"]["check"]) for p in taken] == [("Reclaim", "MaintainFairShare")]
    assert {x["object"] for x in proof["remedies"]} == {"Policy", "SchedulingShard"}
    r = fairlead("plan", "--settle", "-f", "loop.json", "-o", "json")
    assert (r.code, valid(r.json(), "plan")["loop"]["order"]) == (1, "given")


def test_best_effort(fairlead):
    r = fairlead("prove", "-f", BEST_EFFORT, "-o", "json")
    loop = r.json()["loop"]
    assert (r.code, loop["kind"], loop["race"], "firstCycle" in loop["ownOrder"]) == (1, "forced", False, True)


# --- the picture ---

LONG = "research-and-development-of-very-large-models-<&>"


@pytest.mark.parametrize("objects", [m.loop, equal_shares, two_levels, race])
def test_svg(fairlead, write, objects):
    text = m.dump(*objects()).replace('"w4"', f'"{LONG[:-4]}"').replace('"q1"', f'"{LONG[:-3]}-queue"')
    write("c.json", text)
    loop = fairlead("prove", "-f", "c.json", "-o", "json").json()["loop"]
    r = fairlead("prove", "-f", "c.json", "--svg", "-")
    assert (r.code, r.err) == (1, "")
    root = ElementTree.fromstring(r.out)
    width, height = map(float, root.attrib["viewBox"].split()[2:])
    space = "{http://www.w3.org/2000/svg}"
    assert len([x for x in root.iter(space + "rect") if x.get("class") == "state"]) == len(loop["round"])
    for rect in root.iter(space + "rect"):
        assert 0 <= float(rect.get("x", 0)) and float(rect.get("x", 0)) + float(rect.get("width")) <= width
        assert 0 <= float(rect.get("y", 0)) and float(rect.get("y", 0)) + float(rect.get("height")) <= height
    for line in root.iter(space + "text"):
        shown = "".join(line.itertext())
        title = line.find(space + "title")
        shown = shown[len(title.text):] if title is not None else shown
        size = 11 if line.get("class") in ("small", "in") else 16 if line.get("class") == "title" else 12
        left = float(line.get("x")) - (0.6 * size * len(shown) if line.get("text-anchor") == "end" else 0)
        assert 0 <= left and left + (0 if line.get("text-anchor") else 0.6 * size * len(shown)) <= width, shown
    heads = ["".join(t.itertext()) for t in root.iter(space + "text") if t.get("class") == "num"]
    for i in range(len(loop["round"])):
        assert any(h.startswith(f"{len(loop['prefix']) + i + 1}. ") for h in heads)


def test_picture_of_the_guide(fairlead):
    """After a change of it: fairlead prove -f examples/loops/three-workloads.yaml --svg doc/guide/prove.svg"""
    assert fairlead("prove", "-f", EXAMPLE, "--svg", "-").out == (SOURCE / "doc" / "guide" / "prove.svg").read_text()


# --- Moves ---

def moves(*rows, **spec):
    return {"apiVersion": "fairlead.dev/v1alpha1", "kind": "Moves", "metadata": {"name": "m"},
            "spec": {"moves": list(rows), **spec}}


W0, W3, W4 = {"serve": "ns/w0"}, {"serve": "ns/w3"}, {"serve": "ns/w4"}
GONE = [{"letGo": "ns/w3"}, {"letGo": "ns/w4"}]


def test_moves_are_followed(fairlead, write, valid):
    write("c.json", m.dump(*m.loop(), moves(W0, *GONE, W0)))
    r = fairlead("plan", "--settle", "-f", "c.json")
    assert (r.code, r.err) == (0, "")
    assert "4 moves made as given (Moves): they do not loop.\n" in r.out
    plan = valid(fairlead("plan", "--settle", "-f", "c.json", "-o", "json").json(), "plan")
    assert [[p["workload"] for p in c["preempted"]] for c in plan["cycles"]] == [["ns/w3", "ns/w4"], [], [], []]
    assert [[p["workload"] for p in c["admitted"]] for c in plan["cycles"]] == [[], [], [], ["ns/w0"]]


def test_a_round_that_closes_later(fairlead, write):
    """The given part is gone through until a state is there again."""
    one = [W0, *GONE, W0, W4, {"letGo": "ns/w0"}, W4, W3]
    write("c.json", m.dump(*m.loop(), moves(*one, repeat=8)))
    r = fairlead("plan", "--settle", "-f", "c.json")
    assert r.code == 1 and "Never settles in the order that is given (Moves)" in r.out
    write("c.json", m.dump(*m.loop(), moves(W0, {"cycle": True}, repeat=1)))
    r = fairlead("plan", "--settle", "--cycles", "5", "-f", "c.json")
    assert (r.code, r.err) == (0, "")
    assert "5 moves made as given (Moves): they do not loop.\n" in r.out


@pytest.mark.parametrize("rows, spec, error", [
    ([{"serve": "ns/w9"}], {}, "there is no workload 'ns/w9'"),
    ([{"serve": "w0"}], {}, "expected 'NAMESPACE/NAME', not 'w0'"),
    ([{"letGo": "a/b/c"}], {}, "expected 'NAMESPACE/NAME', not 'a/b/c'"),
    ([{"serve": "ns/w0", "cycle": True}], {}, "a move is one of 'serve', 'letGo', 'cycle' and 'wait'"),
    ([{}], {}, "a move is one of 'serve', 'letGo', 'cycle' and 'wait'"),
    ([{"cycle": False}], {}, "expected true"),
    ([W0], {"repeat": 2}, "'repeat' is more than the number of moves"),
    ([W0], {"repeat": -1}, "expected a number of moves"),
    ([{"letGo": "ns/w0"}], {}, "move 1 cannot be made here: ns/w0 is not being evicted"),
    ([W0, W0, *GONE, {"letGo": "ns/w4"}], {}, "move 5 cannot be made here: ns/w4 is not being evicted"),
    ([{"swerve": "ns/w0"}], {}, "unknown field"),
])
def test_bad_moves(fairlead, write, rows, spec, error):
    write("c.json", m.dump(*m.loop(), moves(*rows, **spec)))
    r = fairlead("plan", "--settle", "-f", "c.json")
    assert (r.code, r.out) == (1, "")
    assert re.match(r"c\.json:\d+:\d+: error: Moves", r.first_error) and error in r.first_error


def test_a_second_moves(fairlead, write):
    write("c.json", m.dump(*m.loop(), moves(W0)))
    write("d.json", m.dump(moves(W0)))
    r = fairlead("plan", "--settle", "-f", "c.json", "-f", "d.json")
    assert r.code == 1 and "a second Moves" in r.first_error and "hint: the first is at c.json:" in r.err


def test_moves_elsewhere(fairlead, write):
    write("c.json", m.dump(*m.loop(), moves(W0)))
    warning = "warning: Moves: are used by 'fairlead plan --settle' only, and ignored here\n"
    for args in (["plan"], ["tree"], ["prove"], ["explain", "ns/w0"]):
        r = fairlead(*args, "-f", "c.json")
        assert r.err.endswith(warning), args
        assert re.match(r"c\.json:\d+:\d+: ", r.err)
    for args in (["record"], ["save", "--out", "image"], ["plan", "--settle"]):
        assert fairlead(*args, "-f", "c.json").err == "", args


def test_moves_are_recorded_and_redacted(fairlead, write, tmp_path):
    assert fairlead("prove", "-f", EXAMPLE, "--out", "loop.json").code == 1
    want = fairlead("plan", "--settle", "-f", "loop.json", "-o", "json").json()
    for options in ([], ["--redact", "--salt", "x"]):
        assert fairlead("record", *options, "-f", "loop.json", "--out", "again.json").code == 0
        text = (tmp_path / "again.json").read_text()
        got = fairlead("plan", "--settle", "-f", "again.json", "-o", "json").json()
        assert (got["loop"]["firstCycle"], got["loop"]["period"]) == (
            want["loop"]["firstCycle"], want["loop"]["period"])
        assert ("ml/red-5" in text) == (not options)
    # A Moves of the input is no part of the loop that is found.
    assert fairlead("prove", "-f", "loop.json", "--out", "twice.json").code == 1
    assert (tmp_path / "twice.json").read_text() == (tmp_path / "loop.json").read_text()


def test_schema_of_moves(fairlead, valid, tmp_path):
    assert fairlead("prove", "-f", EXAMPLE, "--out", "loop.json").code == 1
    items = json.loads((tmp_path / "loop.json").read_text())["items"]
    assert [x["kind"] for x in items].count("Moves") == 1
    valid(items[-1], "moves")


# --- plan --settle ---

def test_plan_says_more_of_a_loop(fairlead, write, valid):
    write("c.json", m.dump(*m.loop()))
    r = fairlead("plan", "--settle", "-f", "c.json")
    assert r.code == 1
    assert """In each round:
  ns/w0 preempts ns/w3 (InCohortFairSharing)
  ns/w0 preempts ns/w4 (InCohortFairSharing)
In other orders (""" in r.out
    assert "): whatever the order of decisions, preemption never settles.\n" in r.out
    assert re.search(r"preemptionGuarantee: settles +yes", r.out)
    loop = valid(fairlead("plan", "--settle", "-f", "c.json", "-o", "json").json(), "plan")["loop"]
    assert (loop["order"], loop["orders"]["loop"], loop["orders"]["always"]) == ("own", "forced", True)
    ends = {x["setting"]: x["ends"] for x in loop["remedies"]}
    assert ends["preemptionGuarantee: settles"] and not ends["defaults: holdFreedQuota: true"]
    # What is advised is so when it is done.
    write("hold.yaml", "apiVersion: fairlead.dev/v1alpha1\nkind: Policy\nmetadata: {name: p}\n"
                       "spec: {defaults: {holdFreedQuota: true}}\n")
    assert fairlead("plan", "--settle", "-f", "c.json", "-f", "hold.yaml").code == 1
    r = fairlead("plan", "--settle", "-f", "c.json", "-f", SETTLES, "-o", "json")
    done = next(x for x in loop["remedies"] if x["ends"])
    assert (r.code, len(r.json()["cycles"])) == (0, done["cycles"])
    assert [p["workload"] for p in r.json()["cycles"][-1]["pending"]] == done["waiting"]


@pytest.mark.parametrize("width", [60, 80, 200])
@pytest.mark.parametrize("args", [["prove"], ["plan", "--settle"]])
def test_no_line_is_too_wide(fairlead, width, args):
    r = fairlead(*args, "-f", EXAMPLE, env={"COLUMNS": str(width)})
    assert r.code == 1
    assert max(len(line) for line in r.out.splitlines()) <= width
    assert not any(line != line.rstrip() for line in r.out.splitlines())
