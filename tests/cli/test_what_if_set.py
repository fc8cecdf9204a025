# SPDX-License-Identifier: Apache-2.0
"""what-if --set, and what --change merges: the same as an object that says all of it."""
import copy
import json

import pytest

import entitle_manifests as kai
import manifests as m

GPU = "nvidia.com/gpu"


def queue(state, name):
    return next(o for o in state if o["kind"] == "ClusterQueue" and o["metadata"]["name"] == name)


def resources(obj, flavor=0):
    return obj["spec"]["resourceGroups"][0]["flavors"][flavor]["resources"]


@pytest.fixture
def what_if(fairlead, write, valid):
    def run(state, *args, code=0):
        write("state.json", m.dump(*state) if isinstance(state, list) else state)
        r = fairlead("what-if", "-f", "state.json", "-o", "json", *args)
        assert r.code == code, r.err
        return valid(r.json(), "what-if")

    return run


# --- fields that are set ---

@pytest.mark.parametrize("text", [
    "ClusterQueue/a: nominalQuota[cpu,f]+=1",
    "clusterqueue/a:nominalQuota[cpu]=5",
    "ClusterQueue/a: spec.resourceGroups[0].flavors[name=f].resources[name=cpu].nominalQuota=5",
    "ClusterQueue/a: resourceGroups[0].flavors[0].resources[0].nominalQuota += 1000m",
    "ClusterQueue/b: nominalQuota[cpu,f] += 1",
    "Workload/ns/b1: active=false",
    "Workload/ns/a1: spec.podSets[name=main].template.spec.containers[0].resources.requests[cpu]=2",
    "Workload/ns/a1: spec.podSets[0].template.spec.containers[name=c].resources.requests.cpu-=1",
])
def test_one_that_admits(what_if, text):
    x = what_if(m.small(), "--set", text)
    assert [row["workload"] for row in x["admitted"]] == ["ns/a1"]
    (change,) = x["changes"]
    head, path = text.split(":", 1)
    assert change == {"change": "set", "object": {"c": "ClusterQueue", "C": "ClusterQueue", "W": "Workload"}[head[0]] +
                      head[head.index("/"):], "set": [path.strip()]}


def test_text(fairlead, write):
    write("c.json", m.dump(*m.small(), m.no_fair_sharing()))
    r = fairlead("what-if", "-f", "c.json", "--set", "ClusterQueue/a: nominalQuota[cpu,f]+=1",
                 "--set", "ClusterQueue/a: spec.fairSharing.weight=2")
    assert (r.code, r.err) == (0, "")
    assert r.out.startswith("""\
The change:
  set ClusterQueue/a: nominalQuota[cpu,f]+=1
  set ClusterQueue/a: spec.fairSharing.weight=2

Before: 2 admitted, 1 waits, 0 preempted on the way.
After: 2 admitted, 1 waits, 0 preempted on the way.
""")


def test_each_field_is_that_of_an_object(what_if, write):
    """Limits, weights, policies, cohorts, LocalQueues, priorities."""
    state = m.small()
    for name, text, change in [
            ("a", "borrowingLimit[cpu,f]=1", lambda o: resources(o)[0].update(borrowingLimit="1")),
            ("b", "lendingLimit[cpu]=0", lambda o: resources(o)[0].update(lendingLimit="0")),
            ("a", "spec.fairSharing.weight=3", lambda o: o["spec"].update(fairSharing={"weight": "3"})),
            ("a", "preemption.reclaimWithinCohort=Any",
             lambda o: o["spec"].update(preemption={"reclaimWithinCohort": "Any"})),
            ("a", "stopPolicy=Hold", lambda o: o["spec"].update(stopPolicy="Hold")),
            ("a", "cohortName=null", lambda o: o["spec"].pop("cohortName")),
            ("a", "cohortName=other", lambda o: o["spec"].update(cohortName="other")),
            ("a", "resourceGroups=[]", lambda o: o["spec"].update(resourceGroups=[]))]:
        obj = copy.deepcopy(queue(state, name))
        change(obj)
        obj["spec"] = {**{k: None for k in queue(state, name)["spec"]}, **obj["spec"]}
        write("object.json", json.dumps(obj))
        got = what_if(state, "--set", f"ClusterQueue/{name}: {text}")
        want = what_if(state, "--change", "object.json")
        for x in (got, want):
            del x["changes"]
        assert got == want, text
    x = what_if(state, "--set", "LocalQueue/ns/la: spec.clusterQueue=b")
    assert [row["workload"] for row in x["moved"] + x["admitted"]] == ["ns/a2"]
    x = what_if([*state, m.cohort("co", "org")], "--set", "Cohort/co: parentName=null")
    assert [row["workload"] for row in x["admitted"] + x["noLongerAdmitted"]] == []


def test_priority_of_a_workload(what_if):
    state = m.small()
    queue(state, "a")["spec"]["preemption"] = {"withinClusterQueue": "LowerPriority", "reclaimWithinCohort": "Any"}
    state[-1] = m.workload("a2", "la", cpu="1", admitted=("a", "f"))
    state[-3] = m.workload("b1", "lb", cpu="4", admitted=("b", "f"))
    state[-2] = m.workload("a1", "la", cpu="4")
    x = what_if(state, "--set", "Workload/ns/a1: priority=1")
    assert [row["workload"] for row in x["preempted"]] == ["ns/a2"]


def test_of_kai(what_if, fairlead, write):
    write("c.json", kai.dump(*kai.small()))
    r = fairlead("what-if", "-f", "c.json", "-o", "json", "--set", "Queue/vision: spec.resources.gpu.quota+=2")
    assert r.code == 0, r.err
    x = r.json()
    assert x["changes"] == [{"change": "set", "object": "Queue/vision", "set": ["spec.resources.gpu.quota+=2"]}]
    assert x["different"] is True


def test_settings(what_if, write):
    """A Configuration, in a ConfigMap, or none yet."""
    text = "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
    config_map = {"apiVersion": "v1", "kind": "ConfigMap",
                  "metadata": {"name": "kueue-manager-config", "namespace": "kueue-system"},
                  "data": {"controller_manager_config.yaml": text}}
    write("fair.json", json.dumps(m.configuration()))
    want = what_if(m.small(), "--change", "fair.json")
    for state in (m.small(), [config_map, *m.small()],
                  [{k: v for k, v in m.configuration().items() if k != "fairSharing"}, *m.small()]):
        got = what_if(state, "--set", "Configuration: fairSharing={}")
        assert {k: got[k] for k in ("before", "after", "nodes")} == {k: want[k] for k in ("before", "after", "nodes")}


# --- mistakes ---

@pytest.mark.parametrize("text, err", [
    ("ClusterQueue/a nominalQuota[cpu]=1", "there is no ':' behind the object"),
    ("Clusterqeue/a: nominalQuota[cpu]=1", "there is no kind 'Clusterqeue'; did you mean 'ClusterQueue'?"),
    ("ClusterQueue/a: nominalQuota[cpu]", "'nominalQuota[cpu]': there is no '='"),
    ("ClusterQueue/a/b: nominalQuota[cpu]=1", "'ClusterQueue/a/b' is not KIND/NAME"),
    ("ClusterQueue/a: nominalQuota[cpu]=[", "'nominalQuota[cpu]=['"),
])
def test_usage(fairlead, write, text, err):
    write("c.json", m.dump(*m.small()))
    r = fairlead("what-if", "-f", "c.json", "--set", text)
    assert (r.code, r.out) == (2, "") and err in r.err, r.err


@pytest.mark.parametrize("text, err", [
    ("ClusterQueue/aa: nominalQuota[cpu]=1",
     "fairlead: error: --set: there is no ClusterQueue/aa in the input\nhint: did you mean 'ClusterQueue/a'"),
    ("Workload/a1: priority=1",
     "fairlead: error: --set: there is no Workload/default/a1 in the input\nhint: did you mean 'Workload/ns/a1'"),
    ("ClusterQueue/a: nominalQuota[cpu,t4]=1",
     "--set: error: ClusterQueue/a: it has no flavor 't4'\nhint: its flavors are: f\n"),
    ("ClusterQueue/a: nominalQuota[gpu,f]=1",
     "--set: error: ClusterQueue/a: it has no quota of 'gpu' in flavor 'f'\nhint: flavor 'f' has: cpu\n"),
    ("ClusterQueue/a: spec.fairSharing.weights=1",
     "--set: error: ClusterQueue/a: there is no field 'weights' in spec.fairSharing\nhint: did you mean 'weight'?\n"),
    ("ClusterQueue/a: status.pendingWorkloads=1",
     "--set: error: ClusterQueue/a: 'status' is not read: no decision depends on it\n"),
    ("ClusterQueue/a: nominalQuota[cpu]=many",
     "--set: error: ClusterQueue/a .spec.resourceGroups[0].flavors[0].resources[0].nominalQuota: "),
    ("ClusterQueue/a: nominalQuota[cpu]-=5",
     "--set: error: ClusterQueue/a .spec.resourceGroups[0].flavors[0].resources[0].nominalQuota: "),
    ("ClusterQueue/a: borrowingLimit[cpu]+=5",
     "--set: error: ClusterQueue/a: 'spec.resourceGroups[0].flavors[0].resources[0].borrowingLimit' is not set, "
     "so nothing can be added to it\nhint: with = a value is set whatever it was\n"),
])
def test_what_is_not_there(fairlead, write, text, err):
    write("c.json", m.dump(*m.small()))
    r = fairlead("what-if", "-f", "c.json", "--set", text)
    assert (r.code, r.out) == (1, "") and r.err.startswith(err), r.err


def test_both_set_and_deleted(fairlead, write):
    write("c.json", m.dump(*m.small()))
    r = fairlead("what-if", "-f", "c.json", "--delete", "ClusterQueue/a", "--set", "ClusterQueue/a: stopPolicy=Hold")
    assert r.code == 2 and "--set: both changed and deleted" in r.err


def test_resources_by_their_short_names(what_if, fairlead, write):
    state = m.small()
    for o in state:
        if o["kind"] == "ClusterQueue":
            o["spec"]["resourceGroups"][0]["coveredResources"] = [GPU]
            resources(o)[0]["name"] = GPU
        if o["kind"] == "Workload":
            requests = o["spec"]["podSets"][0]["template"]["spec"]["containers"][0]["resources"]["requests"]
            requests[GPU] = requests.pop("cpu")
            for a in o.get("status", {}).get("admission", {}).get("podSetAssignments", []):
                a["flavors"] = {GPU: "f"}
                a["resourceUsage"] = {GPU: a["resourceUsage"]["cpu"]}
    for name in (GPU, "gpu"):
        x = what_if(state, "--set", f"ClusterQueue/a: nominalQuota[{name},f]+=1")
        assert [row["workload"] for row in x["admitted"]] == ["ns/a1"]


# --- an image ---

def test_of_an_image(fairlead, write, what_if):
    """It is as if the manifests were there, as long as only quotas, limits and weights change."""
    state = m.small()
    queue(state, "a")["spec"].update(
        queueingStrategy="StrictFIFO", fairSharing={"weight": "0.3"},
        namespaceSelector={"matchLabels": {"kubernetes.io/metadata.name": "ns"}},
        preemption={"reclaimWithinCohort": "Any", "borrowWithinCohort": {"policy": "LowerPriority",
                                                                        "maxPriorityThreshold": 5}},
        flavorFungibility={"whenCanBorrow": "TryNextFlavor"})
    write("state.json", m.dump(*state))
    assert fairlead("save", "-f", "state.json", "--out", "image").code == 0
    for args in (["--set", "ClusterQueue/a: nominalQuota[cpu,f]+=1"], ["--change", "part.json"]):
        write("part.json", json.dumps({"apiVersion": m.API, "kind": "ClusterQueue", "metadata": {"name": "a"},
                                       "spec": {"resourceGroups": [m_group("5")]}}))
        got = fairlead("what-if", "-f", "image", "-o", "json", *args)
        assert got.code == 0, got.err
        want = what_if(state, *args)
        assert got.json() == want
    r = fairlead("what-if", "-f", "image", "--set", "ClusterQueue/a: stopPolicy=Hold")
    assert r.code == 1 and "in an image only quotas, limits and weights" in r.err
    r = fairlead("what-if", "-f", "image", "--set", "ClusterQueue/x: stopPolicy=Hold")
    assert r.code == 1 and "--set: there is no ClusterQueue/x" in r.err


def m_group(cpu):
    return {"flavors": [{"name": "f", "resources": [{"name": "cpu", "nominalQuota": cpu}]}]}


# --- what --change merges ---

def part(name, **spec):
    return json.dumps({"apiVersion": m.API, "kind": "ClusterQueue", "metadata": {"name": name}, "spec": spec})


def test_a_part_of_an_object(what_if, write):
    """What the file leaves out stays; lists have keys; null removes."""
    state = m.small()
    queue(state, "a")["spec"]["fairSharing"] = {"weight": "2"}
    state.insert(0, m.configuration())
    write("part.json", part("a", resourceGroups=[m_group("5")]))
    x = what_if(state, "--change", "part.json")
    assert [row["workload"] for row in x["admitted"]] == ["ns/a1"]
    write("part.json", part("a", fairSharing={"weight": "1"}))
    assert what_if(state, "--change", "part.json")["noLongerAdmitted"] == []
    write("part.json", part("a", cohortName=None))
    write("whole.json", json.dumps({**queue(state, "a"), "spec": {
        **queue(state, "a")["spec"], "cohortName": None}}))
    one, two = what_if(state, "--change", "part.json"), what_if(state, "--change", "whole.json")
    del one["changes"], two["changes"]
    assert one == two and one["different"] is True


def test_what_was_applied_the_last_time_is_removed(what_if, write):
    """As kubectl does it, by its annotation."""
    state = m.small()
    full = copy.deepcopy(queue(state, "a"))
    full["spec"]["stopPolicy"] = "Hold"
    kept = copy.deepcopy(full)
    queue(state, "a").update(full)
    write("change.json", json.dumps({**full, "spec": {k: v for k, v in full["spec"].items() if k != "stopPolicy"}}))
    assert what_if(state, "--change", "change.json")["different"] is False
    queue(state, "a")["metadata"] = {**full["metadata"], "annotations": {
        "kubectl.kubernetes.io/last-applied-configuration": json.dumps(kept)}}
    assert what_if(state, "--change", "change.json")["different"] is True


def test_set_after_change(what_if, write):
    write("part.json", part("a", resourceGroups=[m_group("4500m")]))
    x = what_if(m.small(), "--change", "part.json", "--set", "ClusterQueue/a: nominalQuota[cpu]+=500m")
    assert [row["workload"] for row in x["admitted"]] == ["ns/a1"]
    assert x["changes"] == [{"change": "replace", "object": "ClusterQueue/a", "file": "part.json", "line": 1,
                             "set": ["nominalQuota[cpu]+=500m"]}]
