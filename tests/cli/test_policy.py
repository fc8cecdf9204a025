# SPDX-License-Identifier: Apache-2.0
"""The Policy document: what it refuses, where it says so, and what the answers make of it."""
import json
import re

import pytest

import manifests as m
from conftest import SCHEMAS, SOURCE

HEAD = "apiVersion: fairlead.dev/v1alpha1\nkind: Policy\nmetadata: {name: p}\n"


def world():
    """r holds all of q's quota since midnight; q wants it back."""
    return [
        m.flavor("f"), m.namespace("ns"),
        m.cluster_queue("q", m.quota("f", cpu="4"), cohort="c",
                        preemption={"reclaimWithinCohort": "Any"}),
        m.cluster_queue("r", m.quota("f", cpu="0"), cohort="c"),
        m.local_queue("lq", "q"), m.local_queue("lr", "r"),
        m.workload("victim", "lr", cpu="4", admitted=("r", "f")),
        m.workload("wants", "lq", cpu="4"),
    ]


def run(fairlead, write, policy, *args, now="2026-01-01T00:05:00Z"):
    write("c.json", m.dump(*world()))
    write("p.yaml", policy)
    return fairlead(*args, "-f", "c.json", "-f", "p.yaml", "--now", now)


@pytest.mark.parametrize("policy, place, text, hint", [
    ("spec: {defaults: {minimumRuntime: 1m}}\n", "4:35", "unknown field 'minimumRuntime'",
     "did you mean 'minimumRunTime'?"),
    ("spec: {protection: {}}\n", "4:20", "unknown field 'protection'", None),
    ("spec: {defaults: {minimumRunTime: 5}}\n", "4:35",
     "expected a length of time, not a number", None),
    ("spec: {defaults: {minimumRunTime: 5 minutes}}\n", "4:35",
     "'5 minutes' is not a length of time", "write it like 10s, 5m or 1h30m"),
    ("spec: {defaults: {minimumRunTime: -5m}}\n", "4:35", "'-5m' is not a length of time", None),
    ("spec: {defaults: {preemptionDelay: {InCohortFairShare: 1m}}}\n", "4:56",
     "unknown field 'InCohortFairShare'", "did you mean 'InCohortFairSharing'?"),
    ("spec: {defaults: {reclaimBackOff: {max: 1m}}}\n", "4:35", "no base", None),
    ("spec: {defaults: {reclaimBackOff: {base: 2m, max: 1m}}}\n", "4:35",
     "'max' is less than 'base'", None),
    ("spec: {defaults: {overrulingPriority: high}}\n", "4:39",
     "expected a whole number, not a string", None),
    ("spec: {defaults: {overrulingPriority: 3000000000}}\n", "4:39",
     "3000000000 does not fit 32 bits", None),
    ("spec: {defaults: {holdFreedQuota: maybe}}\n", "4:35",
     "expected a boolean, not a string", None),
    ("spec: {cohorts: [{minimumRunTime: 1m}]}\n", "4:18", "no name", None),
    ("spec: {cohorts: {name: c}}\n", "4:17", "expected a list, not a map", None),
    ("spec: {clusterQueues: [{name: q}, {name: q}]}\n", "4:35", "'q' is there already",
     "write all that holds for it in one place"),
    ("spec: {admissionFairSharing: {usage: Precise}}\n", "4:38",
     "'Precise' is none of Sampled, Exact", None),
    ("spec: {headsPerCycle: 2}\n", "4:23", "expected a string, not a number", None),
    ("spec: {headsPerCycle: many}\n", "4:23", "'many' is none of one, all", None),
    ("spec: {defaults: {headsPerCycle: all}}\n", "4:34", "unknown field 'headsPerCycle'", None),
])
def test_refused_with_place(fairlead, write, policy, place, text, hint):
    r = run(fairlead, write, HEAD + policy, "plan")
    assert r.code == 1
    assert r.out == ""
    assert r.first_error.startswith(f"p.yaml:{place}: error: Policy/p .spec")
    assert r.first_error.endswith(text)
    if hint:
        assert f"hint: {hint}" in r.err


@pytest.mark.parametrize("policy, text, hint", [
    (HEAD + "---\n" + HEAD.replace("name: p", "name: other"), "a second Policy",
     "the first is at p.yaml:1:1"),
    (HEAD.replace("v1alpha1", "v2"), "there is no kind 'Policy' of 'fairlead.dev/v2'",
     "the kinds of fairlead.dev/v1alpha1 are Policy, UsageHistory, Simulation, Moves and Daemon"),
    (HEAD.replace("kind: Policy", "kind: Politics"),
     "there is no kind 'Politics' of 'fairlead.dev/v1alpha1'", None),
])
def test_what_is_ours_is_not_passed_over(fairlead, write, policy, text, hint):
    r = run(fairlead, write, policy, "check")
    assert r.code == 1
    assert r.first_error.endswith(text)
    if hint:
        assert f"hint: {hint}" in r.err


def test_names_that_nobody_has_are_warned_of(fairlead, write):
    r = run(fairlead, write, HEAD + "spec:\n  cohorts: [{name: nowhere, minimumRunTime: 1m}]\n",
            "check")
    assert r.code == 0
    assert "p.yaml:5:13: warning: Policy: there is no Cohort 'nowhere'" in r.err
    assert "hint: its settings have no effect" in r.err


def test_configuration_and_policy_do_not_disturb_each_other(fairlead, write):
    configuration = ("apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
                     "fairSharing: {}\n")
    for both in (HEAD + "---\n" + configuration, configuration + "---\n" + HEAD):
        r = run(fairlead, write, both, "plan", "-o", "json")
        assert r.code == 0
        assert "shares" in r.json()["cycles"][0]
        r = run(fairlead, write, both + "---\n" + HEAD, "plan")
        assert r.code == 1 and "a second Policy" in r.err


def test_explain_names_the_protection(fairlead, write):
    policy = HEAD + "spec: {defaults: {minimumRunTime: 10m}}\n"
    r = run(fairlead, write, policy, "explain", "ns/wants", "-o", "json")
    assert r.code == 0
    answer = json.dumps(r.json())
    assert "PreemptionProtected" in answer and "MinimumRunTime" in answer
    r = run(fairlead, write, policy, "explain", "ns/wants")
    assert "minimum run time" in r.out


@pytest.mark.parametrize("policy, minutes", [("", 5), ("spec: {defaults: {minimumRunTime: 10m}}", 10),
                                             ("spec: {defaults: {preemptionDelay: 30m}}", 30)])
def test_settle_goes_where_time_leads(fairlead, write, policy, minutes):
    r = run(fairlead, write, HEAD + policy, "plan", "--settle", "-o", "json")
    assert r.code == 0
    plan = r.json()
    assert plan["settled"] is True
    cycles = [c for c in plan["cycles"] if c["preempted"]]
    assert [p["workload"] for c in cycles for p in c["preempted"]] == ["ns/victim"]
    if minutes > 5:
        assert plan["cycles"][0]["pending"][-1]["reason"] == "PreemptionProtected"


SIXTY = """
apiVersion: fairlead.dev/v1alpha1
kind: Simulation
metadata: {name: sixty}
spec:
  start: "2026-01-05T00:00:00Z"
  until: 12h
  classes: [{name: small, to: a, count: 60, every: 1s, runs: 2h, requests: {cpu: 1}}]
  cycles: {interval: 1m}
---
{apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: f}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: a}
spec:
  namespaceSelector: {}
  resourceGroups: [{coveredResources: [cpu], flavors: [{name: f, resources: [{name: cpu, nominalQuota: 64}]}]}]
"""


@pytest.mark.parametrize("heads, longest", [("", 3481), ("spec: {headsPerCycle: one}\n", 3481),
                                            ("spec: {headsPerCycle: all}\n", 59)])
def test_many_heads_a_cycle(fairlead, write, heads, longest):
    # Sixty jobs of a minute, quota for all of them, one head a cycle, a cycle a minute: an hour.
    r = fairlead("simulate", "-f", write("s.yaml", SIXTY), "-f", write("p.yaml", HEAD + heads),
                 "-o", "json")
    assert r.code == 0
    totals = r.json()["totals"]
    assert (totals["finished"], totals["evictions"]) == (60, 0)
    assert totals["wait"]["max"] == longest


def test_many_heads_are_every_cycles_decisions(fairlead, write):
    """Two queues that share: what a plan of one cycle admits is what as many cycles admit."""
    world = [m.flavor("f"), m.namespace("ns")]
    for q in "ab":
        world += [m.cluster_queue(q, m.quota("f", cpu="4"), cohort="c"), m.local_queue("l" + q, q)]
        world += [m.workload(f"{q}{i}", "l" + q, cpu="2") for i in range(3)]
    files = ("-f", write("c.json", m.dump(*world)))
    one = fairlead("plan", *files, "--cycles", "9", "-o", "json").json()["cycles"]
    many = fairlead("plan", *files, "-f", write("p.yaml", HEAD + "spec: {headsPerCycle: all}\n"),
                    "--cycles", "1", "-o", "json").json()["cycles"]
    named = [sorted(a["workload"] for c in cycles for a in c["admitted"]) for cycles in (one, many)]
    assert len(many) == 1 and len(one) > 1 and len(named[0]) == 4
    assert named[0] == named[1]


def test_many_heads_mean_nothing_to_the_other_policy(fairlead, write):
    write("e.yaml", (SOURCE / "tests" / "cli" / "entitle.yaml").read_text())
    write("p.yaml", HEAD + "spec: {headsPerCycle: all}\n")
    r = fairlead("check", "-f", "e.yaml", "-f", "p.yaml")
    assert r.code == 0 and "headsPerCycle has no effect" in r.err


def test_the_guarantee_means_nothing_to_the_other_policy(fairlead, write):
    write("e.yaml", (SOURCE / "tests" / "cli" / "entitle.yaml").read_text())
    write("p.yaml", HEAD + "spec: {preemptionGuarantee: settles}\n")
    r = fairlead("check", "-f", "e.yaml", "-f", "p.yaml")
    assert r.code == 0 and "preemptionGuarantee has no effect" in r.err


def test_a_timeout_needs_the_guarantee(fairlead, write):
    write("p.yaml", HEAD + "spec: {evictionTimeout: 5m}\n")
    r = fairlead("check", "-f", "p.yaml")
    assert r.code == 1 and "evictionTimeout has no effect without preemptionGuarantee" in r.err
    assert "it needs preemptionGuarantee: settles" in r.err
    write("p.yaml", HEAD + "spec: {evictionTimeout: 5m, preemptionGuarantee: settles}\n")
    assert fairlead("check", "-f", "p.yaml").code == 0


def test_what_the_guarantee_refused_is_explained(fairlead, write):
    """Two queues with equal shares in GPUs compete for a CPU, which is dominant for neither."""
    taking = {"reclaimWithinCohort": "Any"}
    world = [m.flavor("f"), m.namespace("ns"), m.cohort("c", None, m.quota("f", cpu="1", gpu="10")),
             m.configuration(preemptionStrategies=["LessThanOrEqualToFinalShare"])]
    for q, cpu in ("l", "9"), ("a", "0"), ("b", "0"):
        world += [m.cluster_queue(q, m.quota("f", cpu=cpu, gpu="0"), cohort="c", preemption=taking),
                  m.local_queue("l" + q, q)]
    world += [m.workload("l-cpu", "ll", cpu="9", admitted=("l", "f")),
              m.workload("a-gpu", "la", gpu="5", admitted=("a", "f")),
              m.workload("b-gpu", "lb", gpu="5", admitted=("b", "f")),
              m.workload("a-cpu", "la", cpu="1", admitted=("a", "f"),
                         created="2026-01-01T00:00:01Z"),
              m.workload("b-cpu", "lb", cpu="1")]
    files = ("-f", write("c.json", m.dump(*world)))
    settles = ("-f", write("p.yaml", HEAD + "spec: {preemptionGuarantee: settles}\n"))
    one = fairlead("plan", *files, "-o", "json").json()["cycles"][0]
    assert [p["workload"] for p in one["preempted"]] == ["ns/a-cpu"]
    one = fairlead("plan", *files, *settles, "-o", "json").json()["cycles"][0]
    assert one["preempted"] == []
    why = fairlead("explain", *files, *settles, "ns/b-cpu").out
    assert "Rung" in why and "so that preemption settles" in why
    assert "admitted at share 500, ours 500" in why


def paths(schema, node, path):
    """Every property of the schema as the table of fields writes it."""
    if "$ref" in node:
        node = schema["definitions"][node["$ref"].rsplit("/", 1)[1]]
    for one in node.get("oneOf", [node]):
        if one.get("type") == "array":
            yield from paths(schema, one["items"], path + "[]")
        if "$ref" in one:
            continue
        for name, below in one.get("properties", {}).items():
            if below.get("type") == "array":
                yield f"{path}.{name}[]"
                yield from paths(schema, below["items"], f"{path}.{name}[]")
            else:
                yield f"{path}.{name}"
                yield from paths(schema, below, f"{path}.{name}")


def test_schema_and_parser_know_the_same_fields():
    schema = json.loads((SCHEMAS / "policy.schema.json").read_text())
    guide = (SOURCE / "doc" / "guide" / "fields.md").read_text()
    known = re.findall(r"(?:^|`)(\.[^\s`]+)", guide.split("## Policy\n")[1].split("\n## ")[0], re.M)
    assert set(paths(schema, schema, "")) == {
        k for k in known if not k.startswith(".metadata.") or k == ".metadata.name"}
