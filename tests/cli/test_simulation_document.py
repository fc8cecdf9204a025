# SPDX-License-Identifier: Apache-2.0
"""The Simulation document: what it refuses and where it says so, and what it is made of."""
import gzip
import json
import re

import pytest

import manifests as m
from conftest import SCHEMAS, SOURCE
from test_policy import paths

HEAD = "apiVersion: fairlead.dev/v1alpha1\nkind: Simulation\nmetadata: {name: s}\n"
CLASS = "name: c, to: q, count: 3, runs: 1h, requests: {cpu: 1}"
QUOTA = "clusterQueue: q, flavor: f, resource: cpu"
TRACE = "".join(f"{n} {60 * n} 0 600 1 -1 -1 1 900 -1 1 {user} {group} -1 1 -1 -1 -1\n"
                for n, (user, group) in enumerate([(3, 1), (4, 1), (3, 1), (30, 2)], 1))


def tree():
    return m.dump(m.flavor("f"), m.namespace("ns"),
                  m.cluster_queue("q", m.quota("f", cpu="4"), cohort="c"),
                  m.cluster_queue("team-b", m.quota("f", cpu="4"), cohort="c"),
                  m.local_queue("main", "team-b"))


def simulate(fairlead, write, spec, *args):
    write("tree.json", tree())
    write("s.yaml", HEAD + spec)
    return fairlead("simulate", "-f", "s.yaml", *args)


def templated(rules, match="user-*", **more):
    """A spec with a trace, and a template for users."""
    return json.dumps({"spec": {
        "trees": ["tree.json"],
        "sources": [{"swf": "t.swf", "queues": rules, **more}],
        "queueTemplates": [{"match": match, "clusterQueue": {
            "cohortName": "c", "resourceGroups": [{"coveredResources": ["cpu"],
                                                  "flavors": [m.quota("f", cpu="2")]}]}}]}})[1:-1] + "\n"


@pytest.mark.parametrize("spec, place, text, hint", [
    ("{untill: 30d}", "4:16", "unknown field 'untill'", "did you mean 'until'?"),
    ("{until: 0s}", "4:15", "expected more than 0", None),
    ("{until: 30}", "4:15", "'30' is not a length of time",
     "write it with a unit, for example 10s, 5m or 30d"),
    ("{until: 3 days}", "4:15", "'3 days' is not a length of time", "write it like 10s, 5m or 30d"),
    ("{seed: -1}", "4:14", "expected a whole number of 0 or more", None),
    ("{seed: 18446744073709551616}", "4:14", "18446744073709551616 does not fit 64 bits", None),
    ("{start: yesterday}", "4:15", "'yesterday' is not a time", "write it like 2026-01-31T12:00:00Z"),
    ("{trees: ['']}", "4:16", "expected the name of a file", None),
    ("{sources: [{swf: t, openb: {pods: p}}]}", "4:18",
     "expected one of swf, openb, generator, objects", None),
    ("{sources: [{openb: {nodes: n}}]}", "4:26", "no pods", None),
    ("{sources: [{swf: t, load: 0, queues: [{to: q}]}]}", "4:33", "expected a number above 0", None),
    ("{sources: [{swf: t, runtime: -2, queues: [{to: q}]}]}", "4:36",
     "expected a number above 0", None),
    ("{sources: [{swf: t}]}", "4:18", "no 'queues': its jobs have no queue",
     "'queues: [{to: NAME}]' gives all jobs to one queue"),
    ("{sources: [{swf: t, queues: [{users: [1]}]}]}", "4:36", "no 'to'",
     "name a queue, or write 'leaveOut: true'"),
    ("{sources: [{swf: t, queues: [{to: q, leaveOut: true}]}]}", "4:36",
     "both 'to' and 'leaveOut'", None),
    ("{sources: [{swf: t, queues: [{users: [20-1], to: q}]}]}", "4:45",
     "'20-1' ends before it begins", None),
    ("{sources: [{swf: t, queues: [{users: [], to: q}]}]}", "4:44",
     "an empty list matches no job", None),
    ("{sources: [{swf: t, queues: [{to: 'u-{usr}'}]}]}", "4:41",
     "no value is known for '{usr}'", "the names are {user}, {group}, {queue} and {partition}"),
    ("{sources: [{objects: o, cancelled: true}]}", "4:42",
     "not allowed with 'objects', whose contents say it", None),
    ("{queueTemplates: [{match: a*b*, clusterQueue: {}}]}", "4:33", "more than one '*'", None),
    ("{queueTemplates: [{match: a}]}", "4:25", "expected one of clusterQueue, localQueue, queue", None),
    ("{queueTemplates: [{match: a, clusterQueue: {}}, {match: a, clusterQueue: {}}]}", "4:63",
     "queueTemplates[0] makes these, too", None),
    ("{classes: [{name: c, to: q, count: 1, runs: 1h}]}", "4:18", "no requests", None),
    ("{classes: [{name: c, to: q, runs: 1h, requests: {cpu: 1}}]}", "4:18",
     "neither 'count' nor a time between jobs in 'every': jobs would arrive without end", None),
    ("{classes: [{name: c, to: q, count: 1, runs: 1h, requests: {cpu: -1}}]}", "4:71",
     "the quantity '-1' is negative", None),
    (f"{{classes: [{{{CLASS}, pods: 0}}]}}", "4:81", "pods are whole numbers of at least 1", None),
    (f"{{classes: [{{{CLASS}, pods: 65537}}]}}", "4:81", "more than 65536 pods", None),
    (f"{{classes: [{{{CLASS}, pods: {{uniform: [1, 65537]}}}}]}}", "4:81", "more than 65536 pods", None),
    ("{sources: [{swf: t, queues: [{leaveOut: FALSE}]}]}", "4:36", "no 'to'",
     "name a queue, or write 'leaveOut: true'"),
    (f"{{classes: [{{{CLASS}, every: {{uniform: [2m, 1m]}}}}]}}", "4:97",
     "the most is less than the least", None),
    (f"{{classes: [{{{CLASS}, every: {{exponential: 0s}}}}]}}", "4:96", "expected more than 0", None),
    (f"{{classes: [{{{CLASS}, every: {{lognormal: {{median: 1h, p84: 1m}}}}}}]}}", "4:94",
     "'p84' is less than the median", None),
    (f"{{classes: [{{{CLASS}, every: {{exponential: 1m, uniform: [1m, 2m]}}}}]}}", "4:82",
     "expected one of uniform, exponential, lognormal, pareto, weibull", None),
    (f"{{classes: [{{{CLASS}, every: {{pareto: {{least: 1m, exponent: 0}}}}}}]}}", "4:113",
     "expected a number above 0", None),
    (f"{{classes: [{{{CLASS}, hours: {{from: \"17:00\", to: \"09:00\"}}}}]}}", "4:82",
     "the hours end before they begin", None),
    (f"{{classes: [{{{CLASS}, hours: {{from: \"25:00\"}}}}]}}", "4:89",
     "'25:00' is not a time of day", "write for example \"09:00\"; from \"00:00\" to \"24:00\""),
    (f"{{classes: [{{{CLASS}, begins: 2d, ends: 1d}}]}}", "4:18", "'ends' is before 'begins'", None),
    (f"{{classes: [{{{CLASS}}}, {{{CLASS}}}]}}", "4:76", "classes[0] has the name 'c', too", None),
    ("{eviction: {checkpoint: sometimes}}", "4:31", "'sometimes' is not a length of time",
     "never, always, or a length of time such as 10m"),
    ("{eviction: {backOff: {base: 2m, max: 1m}}}", "1:1", "'max' is less than 'base'", None),
    ("{report: {top: 0}}", "4:22", "expected a number from 1 to 1000", None),
    ("{changes: [{clusterQueue: q, weight: 2}]}", "4:18", "no at", None),
    ("{changes: [{at: 1d, weight: 2}]}", "4:18",
     "expected one of clusterQueue, cohort, queue, machine", None),
    ("{changes: [{at: 1d, clusterQueue: q}]}", "4:18", "no number is given, so nothing would change", None),
    ("{changes: [{at: 1d, clusterQueue: q, nominalQuota: 3}]}", "4:18",
     "no 'flavor': a quota is for one flavor", None),
    ("{changes: [{at: 1d, machine: n, weight: 3}]}", "4:47", "a machine has no 'weight'", None),
    (f"{{failures: [{{{QUOTA}, every: 1d, lasts: 1h}}]}}", "4:19", "no amount", None),
    (f"{{failures: [{{{QUOTA}, amount: 0, every: 1d, lasts: 1h}}]}}", "4:71",
     "expected more than 0", None),
])
def test_refused_with_place(fairlead, write, spec, place, text, hint):
    r = simulate(fairlead, write, f"spec: {spec}\n")
    assert r.code == 1 and r.out == ""
    assert re.match(rf"s\.yaml:{place}: error: Simulation/s .*: {re.escape(text)}$", r.first_error), \
        r.err
    if hint:
        assert r.err.splitlines()[1].strip().endswith(hint), r.err


@pytest.mark.parametrize("spec, place, text, hint", [
    ("changes: [{at: 1d, clusterQueue: qq, weight: 2}]", "5:48", "there is no ClusterQueue 'qq'",
     "did you mean 'q'?"),
    ("changes: [{at: 1d, clusterQueue: q, flavor: ff, resource: cpu, nominalQuota: 3}]", "5:80",
     "there is no ResourceFlavor 'ff'", "did you mean 'f'?"),
    ("changes: [{at: 1d, clusterQueue: q, flavor: f, resource: gpu, nominalQuota: 3}]", "5:79",
     "there is no resource 'gpu'", "did you mean 'cpu'?"),
    ("changes: [{at: 1d, clusterQueue: q, weight: 2}, {at: 24h, clusterQueue: q, weight: 3}]",
     "5:86", "this is changed twice at the same time", None),
    ("failures: [{machine: n, every: 1d, lasts: 1h}]", "5:14",
     "the borrow policy has no machines",
     "name a clusterQueue or cohort, a flavor and a resource"),
    (f"failures: [{{{QUOTA}, amount: 1, every: 1d, lasts: 1h}},"
     f" {{{QUOTA}, amount: 2, every: 2d, lasts: 1h}}]", "5:92",
     "an earlier entry has a failure of the same already", None),
    ("classes: [{name: c, to: team_b, count: 1, runs: 1h, requests: {cpu: 1}}]", "5:13",
     "there is no queue 'team_b'", "did you mean 'team-b'?"),
    ("classes: [{name: c, to: nobody, count: 1, runs: 1h, requests: {cpu: 1}}]", "5:13",
     "there is no queue 'nobody'", "'queueTemplates' can make queues for names like this"),
    ("classes: [{name: c, to: q, every: 1h, runs: 1h, requests: {cpu: 1}}]", "5:13",
     "jobs arrive without end: give it a 'count' or an 'ends', or the simulation an 'until'", None),
])
def test_what_it_names_must_be_there(fairlead, write, spec, place, text, hint):
    r = simulate(fairlead, write, f"spec:\n  {spec}\n  trees: [tree.json]\n")
    assert r.code == 1 and r.out == ""
    assert re.match(rf"s\.yaml:{place}: error: Simulation/s.*: {re.escape(text)}$", r.first_error), \
        r.err
    if hint:
        assert r.err.splitlines()[1].strip().endswith(hint), r.err


def test_a_second_one(fairlead, write):
    r = simulate(fairlead, write, "---\n" + HEAD)
    assert r.code == 1
    assert r.first_error == "s.yaml:5:1: error: Simulation/s: a second Simulation"
    assert "the first is at s.yaml:1:1" in r.err


@pytest.mark.parametrize("spec, place", [
    ("{trees: [gone.yaml]}", "4:16"),
    ("{sources: [{swf: gone.yaml, queues: [{to: q}]}]}", "4:18"),
])
def test_missing_file_names_who_named_it(fairlead, write, spec, place):
    write("deep/s.yaml", HEAD + f"spec: {spec}\n")
    r = fairlead("simulate", "-f", "deep")
    assert r.code == 1
    assert r.first_error == "deep/gone.yaml: error: no such file or directory"
    assert f"it is named at deep/s.yaml:{place}" in r.err


def test_truncated_trace(fairlead, write):
    write("t.swf", gzip.compress((TRACE * 100).encode())[:-20])
    r = simulate(fairlead, write, templated([{"to": "q"}]))
    assert r.code == 1 and r.out == "" and r.first_error.startswith("t.swf"), r.err


def jobs(r):
    assert r.code == 0, r.err
    return {n["name"]: n["jobs"] for n in r.json()["nodes"] if n["kind"] == "ClusterQueue"}


RULES = [{"users": ["1-20"], "to": "user-{user}"}, {"groups": [2], "leaveOut": True}]


@pytest.mark.parametrize("packed", [False, True])
def test_rules_templates_and_files_beside_the_document(fairlead, write, packed):
    write("in/t.swf", gzip.compress(TRACE.encode()) if packed else TRACE)
    write("in/tree.json", tree())
    write("in/s.yaml", HEAD + templated(RULES))
    for named in ("in/s.yaml", "in/s*.yaml"):
        r = fairlead("simulate", "-f", named, "-o", "json")
        assert jobs(r) == {"q": 0, "team-b": 0, "user-3": 2, "user-4": 1} and r.err == ""
    document = (HEAD + templated(RULES)).replace('"t.swf"', '"in/t.swf"')
    document = document.replace('"tree.json"', '"in/tree.json"')
    r = fairlead("simulate", "-f", "-", "-o", "json", stdin=document.encode())
    assert jobs(r) == {"q": 0, "team-b": 0, "user-3": 2, "user-4": 1}


def test_a_local_queue_by_its_name(fairlead, write):
    write("t.swf", TRACE)
    for to in ("main", "ns/main"):
        r = simulate(fairlead, write, templated([{"to": to}]), "-o", "json")
        assert jobs(r) == {"q": 0, "team-b": 4}
        assert "no queue is made by this template" in r.err


def made(template):
    """A spec whose template makes what @template says of each user."""
    spec = json.loads("{" + templated([{"to": "user-{user}"}]) + "}")["spec"]
    spec["queueTemplates"] = [{"match": "user-*", **template}]
    return json.dumps({"spec": spec})[1:-1] + "\n"


def test_template_of_local_queues(fairlead, write, tmp_path):
    write("t.swf", TRACE)
    r = simulate(fairlead, write, made({"localQueue": {"clusterQueue": "q"}}), "-o", "json",
                 "--out", "out")
    assert jobs(r) == {"q": 4, "team-b": 0} and r.err == ""
    with open(tmp_path / "out" / "jobs.csv", encoding="utf-8") as f:
        assert [line.split(",")[1:3] for line in f][1:] == [
            ["q", "3"], ["q", "4"], ["q", "3"], ["q", "30"]]


@pytest.mark.parametrize("template, text", [
    ({"localQueue": {}}, "clusterQueue"),
    ({"localQueue": {"clusterQueue": "q"}, "queue": {}},
     "expected one of clusterQueue, localQueue, queue"),
    ({}, "expected one of clusterQueue, localQueue, queue"),
    ({"localQueue": {"clusterQueue": "q", "weight": 1}}, "unknown field 'weight'"),
])
def test_template_that_is_none(fairlead, write, template, text):
    write("t.swf", TRACE)
    r = simulate(fairlead, write, made(template))
    assert r.code == 1 and "queueTemplates[0]" in r.err and text in r.err


def test_nobodys_job(fairlead, write):
    write("t.swf", TRACE)
    r = simulate(fairlead, write, templated([{"users": [3], "to": "q"}, {"users": ["5-9"],
                                                                         "to": "q"}]))
    assert r.code == 1
    assert r.first_error.startswith("t.swf:2:")
    assert "the job of user '4', group '1'" in r.err and "has no queue" in r.err
    assert "rules are for users 3; users 5-9 (s.yaml:4)" in r.err


def test_rule_and_template_that_nobody_comes_to(fairlead, write):
    write("t.swf", TRACE)
    r = simulate(fairlead, write, templated([{"users": [77], "to": "q"}, {"to": "q"}]))
    assert r.code == 0
    assert re.search(r"s\.yaml:4:\d+: warning: Simulation/s: no job of sources\[0\] matches this rule",
                     r.err)
    assert "no queue is made by this template" in r.err


def test_queue_that_neither_tree_nor_template_has(fairlead, write):
    write("t.swf", TRACE)
    r = simulate(fairlead, write, templated([{"to": "usr-{user}"}]))
    assert r.code == 1
    assert "there is no queue 'usr-3', and no template makes it" in r.first_error


def workload(name, annotations):
    w = m.workload(name, "main", cpu="1")
    w["metadata"]["annotations"] = {f"fairlead.dev/{k}": v for k, v in annotations.items()}
    return w


def test_annotations(fairlead, write):
    write("w.json", m.dump(
        *json.loads(tree())["items"],
        workload("first", {"arrives-at": "2026-01-01T00:00:00Z", "runs-for": "1h", "class": "a"}),
        workload("later", {"arrives-at": "30m", "runs-for": "1d", "user": "u"}),
        workload("leaves", {"gives-up-after": "1m", "runs-for": "1h"})))
    r = fairlead("simulate", "-f", "w.json", "-o", "json")
    assert r.code == 0, r.err
    report = r.json()
    assert report["start"] == "2026-01-01T00:00:00Z"
    assert report["totals"]["jobs"] == report["totals"]["finished"] == 3
    assert report["seconds"] == 30 * 60 + 24 * 3600
    assert "a" in [c["name"] for c in report["classes"]]


def kai_pod(name, queue=None, group=None, **annotations):
    pod = {"apiVersion": "v1", "kind": "Pod",
           "metadata": {"name": name, "namespace": "ns", "labels": {}, "annotations": {
               f"fairlead.dev/{k.replace('_', '-')}": v for k, v in annotations.items()}},
           "spec": {"schedulerName": "kai-scheduler",
                    "containers": [{"name": "c", "resources": {"requests": {"nvidia.com/gpu": 1}}}]},
           "status": {"phase": "Pending"}}
    if queue:
        pod["metadata"]["labels"]["kai.scheduler/queue"] = queue
    if group:
        pod["metadata"]["annotations"]["pod-group-name"] = group
    return pod


def test_annotations_of_pods(fairlead, write):
    """Alone, or of a PodGroup: the first pod by name says it for all, whatever the order."""
    share = {"quota": 2, "limit": -1, "overQuotaWeight": 1}
    objects = [
        {"apiVersion": "scheduling.run.ai/v2", "kind": "Queue", "metadata": {"name": "q"},
         "spec": {"resources": {"cpu": share, "memory": share, "gpu": share}}},
        {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"},
         "status": {"allocatable": {"cpu": "8", "memory": "16Gi", "nvidia.com/gpu": "2",
                                    "pods": "110"}}},
        {"apiVersion": "scheduling.run.ai/v2alpha2", "kind": "PodGroup",
         "metadata": {"name": "two", "namespace": "ns"}, "spec": {"queue": "q", "minMember": 2}},
        kai_pod("two-a", group="two", arrives_at="30m", runs_for="20m"),
        kai_pod("two-b", group="two", arrives_at="9h", runs_for="9h"),
        kai_pod("one", queue="q", arrives_at="5m", runs_for="10m")]
    for some in (objects, objects[::-1]):
        write("k.json", m.dump(*some))
        r = fairlead("simulate", "-f", "k.json", "--out", "out", "-o", "json")
        assert r.code == 0, r.err
        assert r.json()["totals"]["finished"] == 2
        assert r.json()["seconds"] == 50 * 60


def test_a_seed_of_64_bits(fairlead, write):
    for seed, said in (("18446744073709551615", 2**64 - 1), ("0o17", 15), ("0x1F", 31)):
        r = simulate(fairlead, write, f"spec: {{seed: {seed}, trees: [tree.json]}}\n", "-o", "json")
        assert r.code == 0, r.err
        assert r.json()["seed"] == said


def test_left_out_however_true_is_written(fairlead, write):
    write("t.swf", TRACE)
    rules = "[{users: [3], leaveOut: TRUE}, {to: q}]"
    r = simulate(fairlead, write, f"spec: {{trees: [tree.json], "
                 f"sources: [{{swf: t.swf, queues: {rules}}}]}}\n", "-o", "json")
    assert r.code == 0, r.err
    assert r.json()["totals"]["jobs"] == 2


@pytest.mark.parametrize("annotation, text", [
    ({"arrives-at": "soon"}, "'soon' is not a length of time"),
    ({"arrives-at": "2026-13-01T00:00:00Z"}, "'2026-13-01T00:00:00Z' is not a time"),
    ({"runs-for": "0s"}, "expected more than 0"),
    ({"gives-up-after": "-1s"}, "'-1s' is not a length of time"),
])
def test_bad_annotations(fairlead, write, annotation, text):
    write("w.json", m.dump(*json.loads(tree())["items"], workload("w", annotation)))
    r = fairlead("simulate", "-f", "w.json", "--strict")
    assert r.code == 1
    assert "Workload/ns/w .metadata.annotations" in r.first_error
    assert r.first_error.endswith(text)
    r = fairlead("simulate", "-f", "w.json")
    assert r.code == 0 and "Left out" in r.out and text in " ".join(r.out.split())


def test_other_verbs_read_past_it(fairlead, write):
    write("tree.json", tree())
    write("s.yaml", HEAD + "spec: {trees: [elsewhere.yaml],"
                           " changes: [{at: 1d, clusterQueue: x, weight: 2}]}\n")
    assert fairlead("tree", "-f", "tree.json", "-f", "s.yaml").code == 0


def test_schema_and_parser_know_the_same_fields(valid):
    schema = json.loads((SCHEMAS / "simulation.schema.json").read_text())
    guide = (SOURCE / "doc" / "guide" / "fields.md").read_text()
    table = guide.split("## Simulation\n")[1].split("\n## ")[0]
    known = re.findall(r"(?:^|`)(\.[^\s`]+)", table, re.M)
    inner = re.compile(r"\.queueTemplates\[\]\.(clusterQueue|localQueue|queue)\.")
    assert {p.replace("[]", "") for p in paths(schema, schema, "")} == {
        k.replace("[]", "") for k in known
        if (not k.startswith(".metadata.") or k == ".metadata.name") and not inner.search(k)}
    valid({"apiVersion": "fairlead.dev/v1alpha1", "kind": "Simulation", "metadata": {"name": "s"},
           **json.loads("{" + templated(RULES) + "}")}, "simulation")


def examples():
    yaml = pytest.importorskip("yaml")
    for path in sorted((SOURCE / "examples").rglob("*.yaml")):
        text = path.read_text()
        if "kind: Simulation" in text:
            for document in yaml.safe_load_all(text):
                if document and document.get("kind") == "Simulation":
                    yield json.loads(json.dumps(document, default=str))


def test_examples_are_valid(valid):
    for document in examples():
        valid(document, "simulation")
