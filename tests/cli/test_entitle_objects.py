# SPDX-License-Identifier: Apache-2.0
"""KAI's objects: what check says of them, where, and what becomes of names."""
import json
import re

import pytest

import entitle_manifests as e
import manifests as m
from conftest import SCHEMAS, SOURCE
from test_policy import paths

SAMPLE = SOURCE / "tests" / "cli" / "entitle.yaml"
SIMULATION = ("WindowSize: 10\nHalfLifePeriod: 5\nNodes: [{GPUs: 8, Count: 2}]\n"
              "Queues: [{Name: d}, {Name: q, Parent: d}]\nJobs: {q: {GPUs: 4, NumPods: 1, NumJobs: 3}}\n")
BODY = {"totalResource": {"GPU": 8}, "queues": [{"uid": "a"}, {"uid": "b"}]}


def warnings(r):
    return [(w["kind"], w.get("line"), w.get("subject")) for w in r.json()["warnings"]]


def test_sample_is_clean(fairlead, valid):
    r = fairlead("check", "-f", str(SAMPLE), "-o", "json", "--strict")
    assert r.code == 0, r.out
    assert valid(r.json(), "check")["warnings"] == []


def test_summary(fairlead):
    r = fairlead("check", "-f", str(SAMPLE))
    assert (r.code, r.out) == (0, "4 queues, 1 node, 4 workloads: no errors, 0 warnings\n")


def test_objects_of_both_policies(fairlead, write):
    write("k.yaml", m.dump(m.cluster_queue("q", m.quota("f", cpu="4"))))
    files = ("-f", str(SAMPLE), "-f", "k.yaml")
    r = fairlead("check", *files)
    assert r.code == 1
    assert "the input has objects of two policies, Kueue's and KAI's" in r.err
    assert "4 queues, 1 node, 4 workloads" in fairlead("check", *files, "--policy", "entitle").out
    assert "1 cluster queue, 0 cohorts" in fairlead("check", *files, "--policy", "borrow").out


def test_samples_from_the_future(fairlead, write):
    write("h.yaml", "apiVersion: fairlead.dev/v1alpha1\nkind: UsageHistory\nmetadata: {name: h}\nspec:\n  samples:\n"
                    "  - {from: '2026-01-02T03:00:00Z', to: '2026-01-02T04:00:00Z', capacity: {gpu: 8}}\n")
    files = ("-f", str(SAMPLE), "-f", "h.yaml")
    for verb in ("check", "plan", "tree"):
        assert fairlead(verb, *files).code == 0
        r = fairlead(verb, *files, "--now", "2026-01-02T03:30:00Z")
        assert r.code == 1
        assert r.first_error == ("h.yaml:6:74: error: UsageHistory capacity: "
                                 "a sample from the future: it ends after now")


def test_findings_of_check(fairlead, write, valid):
    objects = [e.machine("n"), e.queue("top", gpu=(2, 1, 4)), e.queue("a", "top", gpu=(3, 1, 5)),
               e.queue("lost", "gone"), *e.gang("big", "a", pods=1, gpu=9)]
    write("c.json", m.dump(*objects))
    r = fairlead("check", "-f", "c.json", "-o", "json")
    assert r.code == 0
    kinds = {w["kind"] for w in valid(r.json(), "check")["warnings"]}
    assert kinds == {"child-quota-above-parent", "child-limit-above-parent", "missing-parent", "never-fits"}
    assert all(w["file"] == "c.json" and w["line"] for w in r.json()["warnings"])
    assert fairlead("check", "-f", "c.json", "--strict").code == 1


def test_findings_do_not_depend_on_the_order(fairlead, write):
    objects = [e.machine("n"), e.queue("top", gpu=(2, 1, 4)), e.queue("a", "top", gpu=(3, 1, 5)),
               e.queue("b", "lost"), e.queue("lost", "gone"), *e.gang("big", "a", pods=2, gpu=9),
               *e.gang("g", "b"), *e.gang("t", "top")]
    found = []
    for order in (objects, objects[::-1]):
        write("c.json", m.dump(*order))
        r = fairlead("check", "-f", "c.json", "-o", "json")
        assert r.code == 0
        found.append(sorted((w["kind"], w["subject"], w["message"]) for w in r.json()["warnings"]))
    assert found[0] == found[1]
    assert len(found[0]) > 5


def test_loop_of_parents(fairlead, write):
    write("q.yaml", "".join(f"---\napiVersion: scheduling.run.ai/v2\nkind: Queue\nmetadata: {{name: {n}}}\n"
                            f"spec: {{parentQueue: {p}, resources: {{}}}}\n" for n, p in [("b", "a"), ("a", "b")]))
    for verb in ("check", "plan", "tree"):
        r = fairlead(verb, "-f", "q.yaml")
        assert r.code == 1
        assert r.first_error == ("q.yaml:7:1: error: Queue/a: the parents of queues form a loop: 'a -> b -> a'")


def test_all_errors_of_all_files(fairlead, write):
    write("a.yaml", json.dumps(e.queue("a", gpu=(1, -1, -1))))
    write("b.yaml", json.dumps(e.shard(kValue="much")))
    r = fairlead("check", "-f", "a.yaml", "-f", "b.yaml", "-o", "json")
    assert r.code == 1
    assert [(x["file"], x["message"]) for x in r.json()["errors"]] == [
        ("a.yaml", ".spec.resources.gpu.overQuotaWeight: a weight below 0"),
        ("b.yaml", ".spec.kValue: expected a number, not a string")]


@pytest.mark.parametrize("text", [SIMULATION, json.dumps(BODY)])
def test_inputs_of_simulators(fairlead, write, text):
    write("s.yaml", text)
    assert fairlead("check", "-f", "s.yaml").code == 0
    r = fairlead("record", "-f", "s.yaml")
    assert r.code == 1
    assert r.first_error.endswith("the input of a simulator cannot be recorded or changed")


def test_record_hides_every_name(fairlead, write):
    history = {"apiVersion": "fairlead.dev/v1alpha1", "kind": "UsageHistory", "metadata": {"name": "secret-h"},
               "spec": {"usage": {"secret-q": {"gpu": 0.5}}, "samples": [
                   {"from": "2026-01-01T00:00:00Z", "to": "2026-01-01T00:01:00Z", "capacity": {"gpu": 8},
                    "queues": {"secret-q": {"gpu": 2}}}]}}
    policy = {"apiVersion": "fairlead.dev/v1alpha1", "kind": "Policy", "metadata": {"name": "secret-p"},
              "spec": {"budgets": {"period": {"cron": "@daily"}, "queues": [{"name": "secret-q", "gpuHours": 4}]}}}
    objects = [e.machine("secret-n"), e.queue("secret-top", gpu=(8, 1, -1)),
               e.queue("secret-q", "secret-top", displayName="secret"), history, policy,
               *e.gang("secret-g", "secret-q", pods=2, gpu=1, on="secret-n", ns="secret-ns",
                       started="2026-01-01T01:00:00Z", priorityClassName="train")]
    lone = e.pod("secret-lone", None, "2026-01-01T01:00:00Z", 1, "1", "1G", ns="secret-ns", on="secret-n")
    lone["metadata"]["labels"] = {"kai.scheduler/queue": "secret-q", "secret-key": "secret-value"}
    lone["metadata"]["annotations"] = {"secret-annotation": "secret", "gpu-fraction-num-devices": "1"}
    lone["spec"]["nodeSelector"] = {"secret-key": "secret-value"}
    objects[0]["metadata"]["labels"] = {"secret-key": "secret-value"}
    objects[0]["spec"] = {"taints": [{"key": "secret-taint", "effect": "NoSchedule"}]}
    write("c.json", m.dump(*objects, lone))
    r = fairlead("record", "-f", "c.json", "--redact", "--salt", "x")
    assert r.code == 0, r.err
    assert "secret" not in r.out
    items = r.json()["items"]
    queue = next(i["metadata"]["name"] for i in items if i["kind"] == "Queue" and "parentQueue" in i["spec"])
    node = next(i["metadata"]["name"] for i in items if i["kind"] == "Node")
    group = next(i for i in items if i["kind"] == "PodGroup")
    pods = [i for i in items if i["kind"] == "Pod"]
    assert group["spec"]["queue"] == queue and group["spec"]["priorityClassName"] == "train"
    assert {p["spec"]["nodeName"] for p in pods} == {node}
    assert sum(p["metadata"].get("annotations", {}).get("pod-group-name") == group["metadata"]["name"]
               for p in pods) == 2
    assert pods[-1]["metadata"]["labels"] == {"kai.scheduler/queue": queue}
    history = next(i for i in items if i["kind"] == "UsageHistory")
    assert list(history["spec"]["usage"]) == list(history["spec"]["samples"][0]["queues"]) == [queue]
    # it reads as the original does
    write("r.json", r.out)
    said = [warnings(fairlead("check", "-f", f, "-o", "json")) for f in ("c.json", "r.json")]
    assert [k for k, _, _ in said[0]] == [k for k, _, _ in said[1]]
    # names keep their order, so that ties are broken alike
    names = sorted(i["metadata"]["name"] for i in items if i["kind"] in ("Pod", "PodGroup"))
    assert names.index(group["metadata"]["name"]) == 0


def test_schema_of_history_and_parser_know_the_same_fields():
    schema = json.loads((SCHEMAS / "usage-history.schema.json").read_text())
    guide = (SOURCE / "doc" / "guide" / "fields.md").read_text()
    known = re.findall(r"(?:^|`)(\.[^\s`]+)", guide.split("## UsageHistory\n")[1].split("\n## ")[0], re.M)
    spec = schema["properties"]["spec"]["properties"]
    for node, name in ((spec["samples"]["items"]["properties"], "queues"), (spec, "usage")):
        node[name] = {"properties": {"*": node[name]["additionalProperties"]}}
    found = {p for p in paths(schema, schema, "") if not p.endswith(("queues", "usage"))}
    assert found == {k for k in known if not k.startswith(".metadata.") or k == ".metadata.name"}


def test_schema_takes_what_the_parser_takes(fairlead, write, valid):
    history = {"apiVersion": "fairlead.dev/v1alpha1", "kind": "UsageHistory", "metadata": {"name": "h"},
               "spec": {"usage": {"q": {"gpu": 0.5}}, "samples": [
                   {"from": "2026-01-01T00:00:00Z", "to": "2026-01-01T00:01:00Z",
                    "capacity": {"gpu": 8, "cpu": "4", "memory": "1Gi"}, "queues": {"q": {"gpu": 2}}}]}}
    valid(history, "usage-history")
    write("c.json", m.dump(e.queue("q"), history))
    assert fairlead("check", "-f", "c.json").code == 0


NO_NODE = "No Node is in the input: there is nothing to divide and nothing to run on, so no workload can start.\n\n"


@pytest.mark.parametrize("verb", [["plan"], ["tree"], ["divide"], ["explain", "ns/g"], ["what-if", "--delete", "queue/b"]])
def test_without_nodes_the_first_line_says_so(fairlead, write, verb):
    objects = [e.queue("a"), e.queue("b"), *e.gang("g", "a")]
    write("none.json", m.dump(*objects))
    write("one.json", m.dump(*objects, e.machine("n")))
    assert fairlead(*verb, "-f", "none.json").out.startswith(NO_NODE)
    assert NO_NODE.strip() not in fairlead(*verb, "-f", "one.json").out
    assert fairlead(*verb, "-f", "none.json", "-o", "json").out.startswith("{")
