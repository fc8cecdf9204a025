# SPDX-License-Identifier: Apache-2.0
"""One bad object does not stop a dump: it is left out, or counts as admitted, or makes answers uncertain."""
import copy

import pytest

import manifests as m


def world(*more):
    return m.dump(m.namespace("ns"), m.flavor("f"), m.cluster_queue("q", m.quota("f", cpu="4")),
                  m.local_queue("l", "q"), m.workload("fine", "l", cpu="1"), *more)


def bad(**kwargs):
    w = m.workload("bad", "l", cpu="1", **kwargs)
    w["spec"]["podSets"][0]["count"] = "three"
    return w


def admitted_bad():
    return bad(admitted=("q", "f"))


def unreadable():
    w = admitted_bad()
    w["status"]["admission"]["podSetAssignments"] = "all of them"
    return w


@pytest.mark.parametrize("verb", [["plan"], ["tree"], ["explain", "ns/fine"], ["prove"], ["save", "--out", "i"]])
def test_left_out(fairlead, write, verb):
    write("c.json", world(bad()))
    r = fairlead(*verb, "-f", "c.json")
    assert r.code == 0, r.err
    told = " ".join((r.out + r.err).split())
    assert "Workload/ns/bad" in told and "count: expected a whole number, not a string" in told
    assert fairlead(*verb, "-f", "c.json", "--strict").code == 1


def test_left_out_in_json(fairlead, write, valid):
    write("c.json", world(bad()))
    for verb in (["plan"], ["tree"], ["explain", "ns/fine"], ["what-if", "--delete", "Workload/ns/fine"]):
        doc = fairlead(*verb, "-f", "c.json", "-o", "json").json()
        assert [(x["object"], x["file"], "counted" in x) for x in doc["leftOut"]] == [
            ("Workload/ns/bad", "c.json", False)], verb
        assert "uncertain" not in doc
    plan = valid(fairlead("plan", "-f", "c.json", "-o", "json").json(), "plan")
    assert [a["workload"] for c in plan["cycles"] for a in c["admitted"]] == ["ns/fine"]
    assert fairlead("check", "-f", "c.json").code == 1


def test_what_is_fine_is_not_told(fairlead, write):
    write("c.json", world())
    doc = fairlead("plan", "-f", "c.json", "-o", "json").json()
    assert "leftOut" not in doc and "uncertain" not in doc
    assert "Left out" not in fairlead("plan", "-f", "c.json").out


def test_admitted_counts(fairlead, write):
    """What it holds stands in its status: 1 of 4."""
    write("c.json", world(admitted_bad()))
    write("good.json", world(m.workload("bad", "l", cpu="1", admitted=("q", "f"))))
    want = fairlead("tree", "-f", "good.json", "-o", "json").json()
    r = fairlead("tree", "-f", "c.json", "-o", "json").json()
    assert [(x["object"], x["counted"]) for x in r["leftOut"]] == [("Workload/ns/bad", True)]
    assert r["nodes"] == want["nodes"]


def test_uncertain(fairlead, write):
    write("c.json", world(unreadable()))
    for verb in (["plan"], ["tree"], ["explain", "ns/fine"]):
        assert [x["object"] for x in fairlead(*verb, "-f", "c.json", "-o", "json").json()["uncertain"]] == [
            "Workload/ns/bad"]
        assert fairlead(*verb, "-f", "c.json").out.startswith("Uncertain")
    assert fairlead("prove", "-f", "c.json").code == 4
    write("d.json", m.dump(m.workload("more", "l", cpu="1")))
    r = fairlead("what-if", "-f", "c.json", "--change", "d.json", "--fail-if", "evicted.new > 0")
    assert r.code == 4, r.err


def test_what_configures_is_told_and_read(fairlead, write):
    """The scheduler would decide by it, whatever a server says."""
    queue = m.cluster_queue("q", m.quota("f", cpu={"nominalQuota": "4", "lendingLimit": "9"}), cohort="c")
    write("c.json", m.dump(m.namespace("ns"), m.flavor("f"), queue, m.local_queue("l", "q"), m.workload("w", "l", cpu="1")))
    r = fairlead("plan", "-f", "c.json")
    assert r.code == 0 and "a server would refuse this: lendingLimit 9 is above nominalQuota 4" in r.err
    assert fairlead("plan", "-f", "c.json", "--strict").code == 1
    assert fairlead("check", "-f", "c.json").code == 1


def test_fields_of_the_other_version(fairlead, write):
    """tree sees what a cluster would: `cohort` is dropped from v1beta2, and is the cohort in v1beta1."""
    queue = m.cluster_queue("q", m.quota("f", cpu="4"))
    queue["spec"]["cohort"] = "lab"
    old = copy.deepcopy(queue)
    old["apiVersion"] = "kueue.x-k8s.io/v1beta1"
    for objects, names in ((queue, ["q"]), (old, ["lab", "q"])):
        write("c.json", m.dump(m.flavor("f"), objects))
        assert [n["name"] for n in fairlead("tree", "-f", "c.json", "-o", "json").json()["nodes"]] == names
    write("c.json", m.dump(m.flavor("f"), queue))
    r = fairlead("check", "-f", "c.json")
    assert "unknown field 'cohort': it is one of v1beta1" in r.err and "write 'cohortName'" in r.err


def test_all_errors_in_one_run(fairlead, write):
    one, two = bad(), m.workload("worse", "l", cpu="1")
    del two["spec"]["podSets"][0]["template"]
    two["spec"]["podSets"][0]["minCount"] = 0
    write("c.json", world(one, two))
    errors = fairlead("check", "-f", "c.json", "-o", "json").json()["errors"]
    assert [(e["kind"], e["path"]) for e in errors] == [
        ("malformed", ".spec.podSets[0].count"), ("malformed", ".spec.podSets[0].minCount"),
        ("malformed", ".spec.podSets[0]")]


def test_was(fairlead, write):
    """A change is judged as an update; a new object, and one of the other version, as created."""
    queue = m.local_queue("l", "q")
    write("old.json", m.dump(queue, m.local_queue("gone", "q")))
    queue["spec"]["clusterQueue"] = "other"
    write("new.json", m.dump(queue, m.local_queue("more", "q")))
    assert fairlead("check", "-f", "new.json").code == 0
    r = fairlead("check", "-f", "new.json", "--was", "old.json")
    assert r.code == 1
    assert r.first_error.endswith("LocalQueue/ns/l .spec.clusterQueue: clusterQueue does not change once it is set")
    assert fairlead("check", "-f", "new.json", "--was", "nothing.json").code == 1
