# SPDX-License-Identifier: Apache-2.0
"""what-if: the difference is that of two plans, and a change is what kubectl would make of it."""
import copy
import gzip
import json
import os
import pathlib
import random
import subprocess

import pytest

import manifests as m

SOURCE = pathlib.Path(os.environ.get("FAIRLEAD_SOURCE", pathlib.Path(__file__).parents[2]))
# Of the recorded cases that it looks at, one in so many; the longer run has them all.
PART = int(os.environ.get("FAIRLEAD_CASES_PART", "1"))
COLUMNS = {"COLUMNS": "80"}
PREEMPTION = {"reclaimWithinCohort": "Any", "withinClusterQueue": "LowerPriority"}


def until_assumed(text):
    return text.split("\nAssumed:\n")[0]


@pytest.fixture
def what_if(fairlead, write, valid):
    """The JSON of a change to a state, both as lists of objects, valid by the schema."""
    def run(state, change=(), *more, code=0):
        write("state.json", m.dump(*state))
        args = ["what-if", "-f", "state.json", "-o", "json", *more]
        if change:
            write("change.json", m.dump(*change))
            args += ["--change", "change.json"]
        r = fairlead(*args)
        assert r.code == code, r.err
        return valid(r.json(), "what-if")

    return run


def larger_a(cpu="8"):
    return m.cluster_queue("a", m.quota("f", cpu=cpu), cohort="co")


def names(rows):
    return [row["workload"] for row in rows]


# --- what is said ---

def test_text(fairlead, write):
    write("c.json", m.dump(*m.small(), m.no_fair_sharing()))
    write("change.json", m.dump(larger_a()))
    r = fairlead("what-if", "-f", "c.json", "--change", "change.json", "--fail-if",
                 "admitted.new(a) > 1 or evicted.new > 0", env=COLUMNS)
    assert (r.code, r.err) == (0, "")
    assert until_assumed(r.out) == """\
The change:
  change ClusterQueue/a (change.json:5)

Before: 2 admitted, 1 waits, 0 preempted on the way.
After: 3 admitted, 0 wait, 0 preempted on the way.

Newly admitted: 1
  WORKLOAD  QUEUE  PODS  FLAVORS
  ns/a1     a         1  cpu: f

Quota and usage:
  NODE  FLAVOR  RESOURCE   QUOTA  MAY BORROW   MAY LEND    USAGE  BORROWED
  a     f       cpu       4 -> 8   unlimited  unlimited   1 -> 4         0
  co    f       cpu            0   unlimited  unlimited  7 -> 10         0

Does not fail, because it is not true: admitted.new(a) > 1 or evicted.new > 0
  not true: admitted.new(a) > 1 (1 > 1)
  not true: evicted.new > 0 (0 > 0)
"""


def test_text_of_everything_else(fairlead, write):
    """Preemption, other flavors, reasons, shares, what comes and goes, in one text."""
    state = [
        m.namespace("ns"), m.flavor("f"), m.flavor("g"), m.configuration(),
        m.cluster_queue("a", m.quota("f", cpu="4"), m.quota("g", cpu="2"), cohort="co", preemption=PREEMPTION),
        m.cluster_queue("b", m.quota("f", cpu="4"), cohort="co"),
        m.local_queue("la", "a"), m.local_queue("lb", "b"),
        m.workload("b1", "lb", cpu="3", admitted=("b", "f")),
        m.workload("b2", "lb", cpu="3", admitted=("b", "f"), created="2026-01-01T00:00:01Z"),
        m.workload("b3", "lb", cpu="2", created="2026-01-01T00:00:02Z"),
        m.workload("a1", "la", cpu="2", created="2026-01-01T00:00:03Z"),
        m.workload("a2", "la", cpu="2", created="2026-01-01T00:00:04Z"),
    ]
    change = [
        m.cluster_queue("a", m.quota("g", cpu="2"), m.quota("f", cpu="6"), cohort="co", preemption=PREEMPTION),
        m.workload("a0", "la", cpu="3", priority=9, created="2026-01-01T00:00:00Z"),
        m.workload("a3", "la", cpu="9", created="2026-01-01T00:00:09Z"),
    ]
    write("c.json", m.dump(*state))
    write("change.json", m.dump(*change))
    r = fairlead("what-if", "-f", "c.json", "--change", "change.json", "--delete", "Workload/ns/b3", env=COLUMNS)
    assert (r.code, r.err) == (0, "")
    assert until_assumed(r.out) == """\
The change:
  delete Workload/ns/b3
  change ClusterQueue/a (change.json:5)
  add Workload/ns/a0 (change.json:47)
  add Workload/ns/a3 (change.json:83)

Before: 4 admitted, 1 waits, 0 preempted on the way.
After: 4 admitted, 2 wait, 1 preempted on the way.

Newly admitted: 1
  WORKLOAD  QUEUE  PODS  FLAVORS
  ns/a0     a         1  cpu: f

No longer admitted: 1
  WORKLOAD  QUEUE  NOW
  ns/b2     b      does not fit, and no workload it may preempt would free
                   enough: asks for 3 cpu in flavor 'f', 2 available

Admitted differently: 2
  WORKLOAD  BEFORE            AFTER
  ns/a1     a, 1 pod, cpu: f  a, 1 pod, cpu: g
  ns/a2     a, 1 pod, cpu: g  a, 1 pod, cpu: f

Newly preempted: 1
  WORKLOAD  QUEUE  FOR    REASON
  ns/b2     b      ns/a2  InCohortReclamation

Waits newly or for another reason: 1
  WORKLOAD  QUEUE  BEFORE  AFTER
  ns/a3     a              does not fit, and no workload it may preempt would
                           free enough: asks for 9 cpu in flavor 'f', 2
                           available

No longer waits: 1
  WORKLOAD  QUEUE  NOW
  ns/b3     b      deleted

Shares:
  NODE  BEFORE  AFTER
  b        200      0

Quota and usage:
  NODE  FLAVOR  RESOURCE   QUOTA  MAY BORROW   MAY LEND   USAGE  BORROWED
  a     f       cpu       4 -> 6   unlimited  unlimited  2 -> 5         0
  b     f       cpu            4   unlimited  unlimited  6 -> 3    2 -> 0
"""


def test_nothing_different(fairlead, write, what_if):
    state = m.small()
    x = what_if(state, [larger_a("4")])
    assert x["different"] is False and x["nodes"] == [] and x["before"] == x["after"]
    assert x["changes"] == [{"change": "replace", "object": "ClusterQueue/a", "file": "change.json", "line": 5}]
    r = fairlead("what-if", "-f", "state.json", "--change", "change.json", env=COLUMNS)
    assert r.code == 0 and "\nNothing would be different.\n" in r.out


def test_long_lists_are_cut(fairlead, write):
    many = [m.workload(f"w{i:03}", "la", cpu="2", created="2026-01-02T00:00:00Z") for i in range(30)]
    write("c.json", m.dump(*m.small(), *many))
    write("change.json", m.dump(larger_a("100")))
    args = ("what-if", "-f", "c.json", "--change", "change.json")
    out = fairlead(*args).out
    assert "Newly admitted: 31\n" in out and "\n  ... and 11 more; --all lists them\n" in out
    out = fairlead(*args, "--all").out
    assert out.count("ns/w0") == 30 and "more" not in out


# --- both ways to the answer ---

def suite(name, every):
    with gzip.open(SOURCE / "tests" / "conformance" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        for i, line in enumerate(lines):
            if i % (every * PART) == 0:
                case = json.loads(line)
                config = {k: v for k, v in case["config"].items() if k == "fairSharing"}
                head = [{"apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration", **config}]
                yield case, (head if config else []) + case["objects"]


def quotas(obj):
    for group in obj.get("spec", {}).get("resourceGroups", []):
        for flavor in group["flavors"]:
            yield from flavor["resources"]


def change_cells(rng, objects):
    """Some queues and cohorts with other quotas, limits and weights."""
    nodes = [o for o in objects if o["kind"] in ("ClusterQueue", "Cohort") and (list(quotas(o)))]
    change = copy.deepcopy(rng.sample(nodes, min(len(nodes), rng.randint(1, 2))))
    for obj in change:
        for q in quotas(obj):
            unit = "Gi" if q["name"] == "memory" else ""
            if rng.random() < 0.7:
                q["nominalQuota"] = f"{rng.randint(0, 12)}{unit}"
            if rng.random() < 0.3 and obj["spec"].get("cohortName", obj["spec"].get("parentName")):
                q["borrowingLimit"] = f"{rng.randint(0, 6)}{unit}"
        if rng.random() < 0.3:
            obj["spec"]["fairSharing"] = {"weight": rng.choice(["0", "500m", "2", "7"])}
    return change


def comparable(x):
    return {k: v for k, v in x.items() if k != "changes"}


@pytest.mark.parametrize("name", ["fair", "classical", "tree", "borrow", "fairtree"])
def test_cells_as_events_or_as_another_model(what_if, name):
    """A change of cells runs on one policy; with one more object it takes a second model: the same answer."""
    rng = random.Random(name)
    differ = 0
    for case, objects in suite(name, 10):
        change = change_cells(rng, objects)
        args = ("--now", case["config"]["now"], "--cycles", "60")
        one = what_if(objects, change, *args)
        two = what_if(objects, [*change, m.flavor("not-used-by-anybody")], *args)
        assert comparable(one) == comparable(two), case["id"]
        differ += one["different"]
    assert differ > 10 / PART


def applied(state, change, deletions):
    """The state after kubectl, by hand."""
    def key(o):
        return (o["kind"], o["metadata"].get("namespace") if o["kind"] in ("Workload", "LocalQueue") else None,
                o["metadata"].get("name"))
    fresh = {key(o): copy.deepcopy(o) for o in change}
    out = []
    for old in state:
        if old["kind"] != "Configuration" and key(old) in deletions:
            continue
        new = fresh.pop(key(old), None) if old["kind"] != "Configuration" else None
        if new is None:
            out.append(old)
            continue
        for part in ("uid", "creationTimestamp"):
            if part in old["metadata"]:
                new["metadata"].setdefault(part, old["metadata"][part])
        if "status" in old:
            new["status"] = {**old["status"], **new.get("status", {})}
        out.append(new)
    return out + list(fresh.values())


@pytest.mark.parametrize("name", ["multicycle", "fair", "classical"])
def test_each_side_is_a_plan(fairlead, write, what_if, name):
    rng = random.Random(name)
    for case, objects in suite(name, 9):
        change = change_cells(rng, objects)
        workloads = [o for o in objects if o["kind"] == "Workload"]
        urgent = copy.deepcopy(rng.choice(workloads))
        urgent["spec"]["priority"] = 1000
        for gone in ("status", "uid", "creationTimestamp"):
            urgent.pop(gone, None)
            urgent["metadata"].pop(gone, None)
        new = copy.deepcopy(rng.choice(workloads))
        new.pop("status", None)
        new["metadata"].update(name="zz-new", uid="zz-new")
        dead = rng.choice(workloads)["metadata"]
        if dead["name"] == urgent["metadata"]["name"]:
            dead = None
        deletions = {("Workload", dead["namespace"], dead["name"])} if dead else set()
        args = ("--now", case["config"]["now"], "--cycles", "60")
        more = ("--delete", f"Workload/{dead['namespace']}/{dead['name']}") if dead else ()
        x = what_if(objects, [*change, urgent, new], *args, *more)
        evicted = {}
        for side, state in (("before", objects), ("after", applied(objects, [*change, urgent, new], deletions))):
            write("plan.json", m.dump(*state))
            plan = fairlead("plan", "--settle", *args, "-f", "plan.json", "-o", "json").json()
            assert x[side]["settled"] == plan["settled"], case["id"]
            assert ("loop" in x[side]) == ("loop" in plan)
            assert x[side]["cycles"] == len(plan["cycles"]), case["id"]
            evicted[side] = {p["workload"] for c in plan["cycles"] for p in c["preempted"]}
            assert x[side]["evicted"] == len(evicted[side]), case["id"]
            if plan["settled"]:
                last = plan["cycles"][-1]
                waiting = {p["workload"] for p in last["pending"]} | set(names(last["preempted"]))
                assert x[side]["waiting"] == len(waiting), case["id"]
        assert names(x["preempted"]) == sorted(evicted["after"] - evicted["before"])
        assert names(x["noLongerPreempted"]) == sorted(evicted["before"] - evicted["after"])


def test_order_of_the_input_does_not_count(what_if):
    rng = random.Random(3)
    state = m.small()
    change = [larger_a("5"), m.workload("a0", "la", cpu="2"), m.workload("a3", "la", cpu="2")]
    want = comparable(what_if(state, change, "--delete", "Workload/ns/a2"))
    for _ in range(10):
        rng.shuffle(state)
        rng.shuffle(change)
        assert comparable(what_if(state, change, "--delete", "Workload/ns/a2")) == want


# --- as kubectl would ---

def test_replaced_workloads_stay_as_they_were(what_if):
    """Without status and uid in the manifest, b1 is still admitted; a1 keeps its place by its time."""
    b1, a1 = m.workload("b1", "lb", cpu="6", priority=3), m.workload("a1", "la", cpu="2")
    for w in (b1, a1):
        del w["metadata"]["uid"], w["metadata"]["creationTimestamp"]
    x = what_if(m.small(), [b1, a1])
    assert (names(x["admitted"]), names(x["noLongerAdmitted"]), x["moved"]) == (["ns/a1"], ["ns/a2"], [])
    assert [(c["change"], c["object"]) for c in x["changes"]] == [
        ("replace", "Workload/ns/b1"), ("replace", "Workload/ns/a1")]
    # What a status does say counts, key by key.
    b1["status"] = {"conditions": []}
    assert names(what_if(m.small(), [b1])["noLongerAdmitted"]) == ["ns/b1"]  # a1 came first
    b1["spec"]["active"] = False
    x = what_if(m.small(), [b1])
    assert x["noLongerAdmitted"] == [{"workload": "ns/b1", "clusterQueue": "b", "message": "deactivated"}]


def test_added_workloads_come_last(what_if):
    """Without creationTimestamp, as a manifest has it: created a second after all that is there."""
    new = m.workload("a0", "la", cpu="1")
    del new["metadata"]["uid"], new["metadata"]["creationTimestamp"]
    state = [o for o in m.small() if o["metadata"]["name"] not in ("a1", "b1")]
    state[2]["spec"]["resourceGroups"][0]["flavors"][0]["resources"][0]["nominalQuota"] = "1"
    state[3]["spec"]["resourceGroups"] = []
    x = what_if(state, [new])
    assert x["admitted"] == [] and names(x["waiting"]) == ["ns/a0"]
    new["metadata"]["creationTimestamp"] = "2020-01-01T00:00:00Z"
    x = what_if(state, [new])
    assert names(x["admitted"]) == ["ns/a0"] and names(x["noLongerAdmitted"]) == ["ns/a2"]


def test_deleted_namespace(what_if):
    other = [m.namespace("other"), m.local_queue("lo", "a", ns="other"),
             m.workload("o1", "lo", ns="other", cpu="1", admitted=("a", "f"))]
    x = what_if(m.small() + other, (), "--delete", "Namespace/other")
    assert x["noLongerAdmitted"] == [{"workload": "other/o1", "clusterQueue": "a", "message": "deleted"}]
    # The same where the namespace is only assumed, and for what is named otherwise.
    assumed = [o for o in m.small() + other if o["kind"] != "Namespace"]
    assert names(what_if(assumed, (), "--delete", "namespace/other")["noLongerAdmitted"]) == ["other/o1"]
    assert names(what_if(assumed, (), "--delete", "workload/other/o1")["noLongerAdmitted"]) == ["other/o1"]


def test_namespaces_stay_assumed(what_if):
    """A change that brings the first Namespace does not make all others vanish."""
    state = [o for o in m.small() if o["kind"] != "Namespace"]
    x = what_if(state, [m.namespace("another")])
    assert x["different"] is False
    assert sum("every namespace exists" in a for a in x["assumptions"]) == 1


def test_configuration_in_a_config_map(what_if):
    text = "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
    config_map = {"apiVersion": "v1", "kind": "ConfigMap",
                  "metadata": {"name": "kueue-manager-config", "namespace": "kueue-system"},
                  "data": {"controller_manager_config.yaml": text}}
    x = what_if([config_map, *m.small()], [m.configuration()])
    assert x["changes"][0]["object"] == "Configuration" and x["changes"][0]["change"] == "replace"
    shares = {n["name"]: n["share"] for n in x["nodes"]}
    assert shares == {}  # nobody's share is compared with what did not exist
    x = what_if([m.configuration(), *m.small()], [config_map])
    assert x["changes"][0]["change"] == "replace"
    x = what_if([config_map, *m.small()], (), "--delete", "ConfigMap/kueue-system/kueue-manager-config")
    assert x["changes"] == [{"change": "delete", "object": "Configuration"}]
    (warning,) = x["warnings"]
    assert warning.startswith("with the change: there is no Configuration in the input: fair sharing is taken to be off")
    (warning,) = what_if(m.small(), [m.configuration()])["warnings"]
    assert warning.startswith("without the change: there is no Configuration")


def test_shares_and_weights(what_if):
    state = [m.configuration(), *m.small()]
    heavy = m.cluster_queue("b", m.quota("f", cpu="4"), cohort="co", fairSharing={"weight": "2"})
    x = what_if(state, [heavy])
    assert x["nodes"] == [{
        "kind": "ClusterQueue", "name": "b", "quota": [],
        "share": {"before": {"weightedShare": "250", "precise": "250"},
                  "after": {"weightedShare": "125", "precise": "125"}}}]


def test_a_loop_appears(what_if):
    state = m.loop()
    calm = [o for o in state if o["kind"] == "Configuration" or o["metadata"]["name"] != "w0"]
    w0 = [o for o in state if o["kind"] == "Workload" and o["metadata"]["name"] == "w0"]
    x = what_if(calm, w0, "--fail-if", "loops.new > 0 and loops.before == 0", code=1)
    assert x["before"]["settled"] is True and "loop" not in x["before"]
    assert x["after"]["settled"] is False
    assert x["after"]["loop"]["workloads"] == ["ns/w0", "ns/w3", "ns/w4"]
    assert x["failIf"] == {
        "expression": "loops.new > 0 and loops.before == 0", "holds": True,
        "comparisons": [{"text": "loops.new > 0", "left": "1", "right": "0", "holds": True},
                        {"text": "loops.before == 0", "left": "0", "right": "0", "holds": True}]}


def test_a_loop_in_text_and_the_limit(fairlead, write):
    write("c.json", m.dump(*m.loop()))
    args = ("what-if", "-f", "c.json", "--delete", "Workload/ns/w0")
    out = fairlead(*args, env=COLUMNS).out
    assert "  Never settles: cycles 2 to 4 repeat for ever. Taking turns:\n    ns/w0\n    ns/w3\n" in out
    assert "\nNo longer preempted: 2\n" in out
    out = fairlead(*args, "--cycles", "1", env=COLUMNS).out
    assert "  Not settled after 1 cycles, the limit.\n" in out


def test_waits_for_another_reason(what_if):
    stopped = m.cluster_queue("a", m.quota("f", cpu="4"), cohort="co", stopPolicy="Hold")
    x = what_if(m.small(), [stopped])
    assert x["waiting"][0]["workload"] == "ns/a1"
    assert x["waiting"][0]["before"]["reason"] == "PreemptionNoCandidates"
    assert x["waiting"][0]["after"]["reason"] != x["waiting"][0]["before"]["reason"]


def test_nodes_that_come_and_go(what_if):
    x = what_if(m.small(), [m.cluster_queue("c", m.quota("f", cpu="2"), cohort="co")], "--delete", "ClusterQueue/a")
    assert [(n["name"], n.get("change")) for n in x["nodes"] if n["kind"] == "ClusterQueue"] == [
        ("a", "removed"), ("c", "added")]
    assert x["noLongerAdmitted"] == [{
        "workload": "ns/a2", "clusterQueue": "a", "message": "belongs to a queue that does not exist"}]


# --- conditions ---

@pytest.mark.parametrize("expression, code", [
    ("admitted.new > 0", 1), ("admitted.new(b) > 0", 0), ("evicted > 0", 0),
    ("waiting(a) < waiting.before(a)", 1), ("usage(a, cpu) >= 4", 1), ("quota.before(a, cpu) == 4000m", 1)])
def test_fail_if(fairlead, write, expression, code):
    write("c.json", m.dump(*m.small()))
    write("change.json", m.dump(larger_a()))
    r = fairlead("what-if", "-f", "c.json", "--change", "change.json", "--fail-if", expression)
    assert r.code == code
    says = "Fails, because it is true" if code else "Does not fail, because it is not true"
    assert f"\n{says}: {expression}\n  {'true' if code else 'not true'}: {expression} (" in r.out


def test_a_wrong_condition_is_found_before_anything_is_read(fairlead):
    r = fairlead("what-if", "-f", "not-there.yaml", "--change", "nor-this.yaml", "--fail-if", "evictd > 0")
    assert (r.code, r.out) == (2, "")
    assert r.err == """\
fairlead what-if: --fail-if: column 1: there is no 'evictd'; did you mean 'evicted'?
  evictd > 0
  ^
See 'fairlead what-if --help'.
"""


def test_a_condition_about_nobody(fairlead, write):
    write("c.json", m.dump(*m.small()))
    r = fairlead("what-if", "-f", "c.json", "--delete", "Workload/ns/a1", "--fail-if", "1 > 2 and share(ab) > 4")
    assert (r.code, r.out) == (2, "")
    assert r.err == """\
fairlead what-if: --fail-if: column 17: there is no queue or cohort 'ab'; did you mean 'a', 'b' or 'co'?
  1 > 2 and share(ab) > 4
                  ^
See 'fairlead what-if --help'.
"""


# --- mistakes ---

@pytest.mark.parametrize("args, says", [
    ((), "no change: give --set 'KIND/NAME: PATH=VALUE', --change FILE or --delete KIND/NAME"),
    (("--change", "-", "-f", "-"), "standard input cannot be both the state and the change"),
    (("--delete", "Workloads/ns/a1"), "--delete: there is no kind 'Workloads'; did you mean 'Workload'?"),
    (("--delete", "Event/x"), "--delete: there is no kind 'Event'"),
    (("--delete", "ClusterQueue"), "--delete: 'ClusterQueue' is not KIND/NAME"),
    (("--delete", "ClusterQueue/a/b"), "--delete: 'ClusterQueue/a/b' is not KIND/NAME"),
    (("--delete", "Workload/a/b/c"), "--delete: 'Workload/a/b/c' is not KIND/NAMESPACE/NAME"),
    (("--delete", "Workload//b"), "--delete: 'Workload//b' is not KIND/NAMESPACE/NAME"),
])
def test_usage(fairlead, write, args, says):
    write("c.json", m.dump(*m.small()))
    r = fairlead("what-if", "-f", "c.json", *args)
    assert (r.code, r.out, r.first_error) == (2, "", f"fairlead what-if: {says}")


def fails(fairlead, write, change, *args):
    write("c.json", m.dump(*m.small()))
    if change is not None:
        write("change.yaml", change)
        args += ("--change", "change.yaml")
    r = fairlead("what-if", "-f", "c.json", *args)
    assert (r.code, r.out) == (1, "")
    return r.err


def test_a_deletion_of_nothing(fairlead, write):
    assert fails(fairlead, write, None, "--delete", "ClusterQueue/aa") == (
        "fairlead: error: --delete: there is no ClusterQueue/aa in the input\n"
        "hint: did you mean 'ClusterQueue/a' or 'ClusterQueue/b'?\n")
    assert fails(fairlead, write, None, "--delete", "Workload/a1") == (
        "fairlead: error: --delete: there is no Workload/default/a1 in the input\n"
        "hint: did you mean 'Workload/ns/a1'?\n")
    # An implicit cohort stands in no manifest.
    assert fails(fairlead, write, None, "--delete", "Cohort/co").startswith(
        "fairlead: error: --delete: there is no Cohort/co in the input\n")


def test_bad_changes(fairlead, write):
    assert fails(fairlead, write, "kind: ClusterQueue\napiVersion: kueue.x-k8s.io/v1beta2\nmetadata: {name: a}\n"
                 "spec:\n  queueingStrategy: Strict\n") == (
        "change.yaml:5:21: error: ClusterQueue/a .spec.queueingStrategy: 'Strict' is none of BestEffortFIFO, "
        "StrictFIFO\n")
    assert fails(fairlead, write, "\nkind: ClusterQeue\napiVersion: kueue.x-k8s.io/v1beta2\nmetadata: {name: a}\n") == (
        "change.yaml:2:1: error: ClusterQeue/a: kind 'ClusterQeue' of 'kueue.x-k8s.io/v1beta2' is not read\n"
        "hint: the effect of changing it is not known; remove it, or correct its kind\n")
    twice = m.dump(larger_a(), larger_a("9"))
    assert "ClusterQueue/a: defined twice\nhint: first defined at change.yaml:5:3\n" in fails(fairlead, write, twice)
    assert "ClusterQueue/a: both changed and deleted\n" in fails(
        fairlead, write, m.dump(larger_a()), "--delete", "ClusterQueue/a")
    assert fails(fairlead, write, "a: [") .startswith("change.yaml:1:")


def test_a_change_that_makes_the_input_invalid(fairlead, write):
    """Two Policies: each is right by itself."""
    policy = "apiVersion: fairlead.dev/v1alpha1\nkind: Policy\nmetadata: {name: %s}\n"
    write("policy.yaml", policy % "one")
    err = fails(fairlead, write, policy % "two", "-f", "policy.yaml")
    assert err == "change.yaml:1:1: error: Policy/two: a second Policy\nhint: the first is at policy.yaml:1:1\n"


def test_warnings(fairlead, write):
    """Those of the state, those of the change, and what only both together bring."""
    state = m.small()
    state[-1]["spec"]["fooo"] = 1
    write("c.json", m.dump(*state))
    change = larger_a()
    change["spec"]["bar"] = 1
    write("change.json", m.dump(change, {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}}))
    r = fairlead("what-if", "-f", "c.json", "--change", "change.json", "--delete", "ResourceFlavor/f")
    assert r.code == 0
    lines = [line for line in r.err.splitlines() if ": warning: " in line or ": note: " in line]
    assert [line.split(": ", 3)[2:] for line in lines] == [
        ["Workload/ns/a2 .spec.fooo", "unknown field 'fooo'"],
        ["ClusterQueue/a .spec.bar", "unknown field 'bar'"],
        ["Service/s", "kind 'Service' of 'v1' is not read"],
        lines[3].split(": ", 3)[2:], lines[4].split(": ", 3)[2:]]
    assert len(lines) == 5 and all("flavor 'f'" in line or "missing" in line for line in lines[3:])
    r = fairlead("what-if", "-f", "c.json", "--change", "change.json", "--strict")
    assert (r.code, r.out) == (1, "")


# --- where both come from ---

def test_standard_input(fairlead, write):
    write("change.json", m.dump(larger_a()))
    write("both.json", m.dump(larger_a(), m.flavor("other")))
    state = m.dump(*m.small()).encode()
    write("c.json", state)
    for change in ("change.json", "both.json"):
        want = fairlead("what-if", "-f", "c.json", "--change", change)
        piped = fairlead("what-if", "-f", "-", "--change", change, stdin=state)
        packed = fairlead("what-if", "-f", "-", "--change", change, stdin=gzip.compress(state))
        assert want.out == piped.out == packed.out and want.code == piped.code == packed.code == 0
    r = fairlead("what-if", "-f", "c.json", "--change", "-", stdin=m.dump(larger_a()).encode())
    assert r.code == 0 and "change ClusterQueue/a (standard input:5)" in r.out


def test_standard_input_of_others_stays_where_it_is(fairlead, write, tmp_path):
    """As in `while read NAME; do fairlead what-if ...; done < LIST`."""
    write("c.json", m.dump(*m.small()))
    write("both.json", m.dump(larger_a(), m.flavor("other")))
    write("list", "one\ntwo\n")
    with open(tmp_path / "list", "rb", buffering=0) as stream:
        stream.read(4)
        r = subprocess.run([os.environ["FAIRLEAD"], "what-if", "-f", "c.json", "--change", "both.json"],
                           cwd=tmp_path, stdin=stream, stdout=subprocess.DEVNULL, check=False)
        assert r.returncode == 0 and stream.read() == b"two\n"


def test_a_folder_of_changes(fairlead, write):
    write("c.json", m.dump(*m.small()))
    write("changes/1.json", m.dump(larger_a()))
    write("changes/2.json", m.dump(m.workload("a9", "la", cpu="1")))
    r = fairlead("what-if", "-f", "c.json", "--change", "changes")
    assert r.code == 0
    assert "change ClusterQueue/a (changes/1.json:5)" in r.out and "add Workload/ns/a9 (changes/2.json:5)" in r.out
