# SPDX-License-Identifier: Apache-2.0
"""The Daemon document among other inputs: read whole, part of no answer, in no recording."""
import json
import re

import pytest

import manifests as m
from conftest import SCHEMAS, SOURCE
from test_policy import paths

DAEMON = """apiVersion: fairlead.dev/v1alpha1
kind: Daemon
metadata: {name: lab}
spec:
  tree: [company.yaml]
  state: /var/lib/fairlead
  socket: {path: /run/fairlead/fairlead.sock, mode: "0660"}
  backend: local
  machine:
    name: node
    cohort: company
    flavors:
    - name: default
      resources: {cpu: auto, memory: auto, nvidia.com/gpu: auto}
      devices: {resource: nvidia.com/gpu, numbers: [0, 1]}
    reserved: {cpu: "1", memory: 2Gi}
    cgroup: auto
  jobs: {grace: 30s, maxGrace: 5m, timeLimit: 24h, maxTimeLimit: 7d, outputLimit: 64Mi, maxPriority: 100, losses: 3}
  keep: {jobs: 7d, events: 30d, history: 400d}
  limits: {jobs: 200000, jobsPerUser: 50000, jobsPerQueue: 100000, bytesPerUser: 512Mi,
           connections: 256, bodyBytes: 4Mi, requestsPerSecond: 2000, simulationBytes: 1Gi}
  metrics: {queues: 256}
  access:
    admins: {users: [alice, 1000], groups: [wheel]}
    queues: [{queue: team-a, users: [bob], groups: [a]}]
    others: deny
    withoutAccount: allow
  cycleInterval: 50ms
  events: preempted
"""
TREE = m.dump(m.flavor("f"), m.cluster_queue("q", m.quota("f", cpu="4"), namespaceSelector={}),
              m.local_queue("main", "q"), m.namespace("ns"))


def valid(document):
    schema = json.loads((SCHEMAS / "daemon.schema.json").read_text())
    pytest.importorskip("jsonschema").validate(document, schema)


def documents():
    yaml = pytest.importorskip("yaml")
    yield yaml.safe_load(DAEMON)
    for path in sorted((SOURCE / "examples").rglob("*.yaml")):
        if "kind: Daemon" in path.read_text():
            yield from (d for d in yaml.safe_load_all(path.read_text()) if d["kind"] == "Daemon")


def test_documents_are_as_the_schema_says():
    found = list(documents())
    assert len(found) > 1
    for document in found:
        valid(document)


def test_schema_and_parser_know_the_same_fields():
    schema = json.loads((SCHEMAS / "daemon.schema.json").read_text())
    guide = (SOURCE / "doc" / "guide" / "fields.md").read_text()
    known = re.findall(r"(?:^|`)(\.[^\s`]+)", guide.split("## Daemon\n")[1].split("\n## ")[0], re.M)
    assert {p.replace("[]", "") for p in paths(schema, schema, "")} == {
        k.replace("[]", "") for k in known
        if not k.startswith(".metadata.") or k == ".metadata.name"}


def test_check(fairlead, write):
    write("d.yaml", DAEMON)
    write("t.json", TREE)
    r = fairlead("check", "-f", "d.yaml", "-f", "t.json")
    assert (r.code, r.err) == (0, "")
    assert r.out.startswith("1 cluster queue, 0 cohorts, 1 local queue")
    write("d.yaml", DAEMON.replace("cycleInterval", "cycelInterval"))
    r = fairlead("check", "-f", "d.yaml")
    assert r.code == 1
    assert r.first_error == \
        "d.yaml:28:18: error: Daemon/lab .spec.cycelInterval: unknown field 'cycelInterval'"
    assert "did you mean 'cycleInterval'?" in r.err
    write("d.yaml", DAEMON.replace("preempted", "evicted"))
    r = fairlead("check", "-f", "d.yaml")
    assert r.code == 1
    assert r.first_error.startswith("d.yaml:29:11: error: Daemon/lab .spec.events: ") and "'evicted'" in r.first_error


def test_no_other_verb_minds_it(fairlead, write):
    write("d.yaml", DAEMON)
    write("t.json", TREE)
    for verb in ("tree", "plan"):
        alone, beside = fairlead(verb, "-f", "t.json"), fairlead(verb, "-f", "t.json", "-f", "d.yaml")
        assert (beside.code, beside.out, beside.err) == (alone.code, alone.out, alone.err)
    r = fairlead("save", "-f", "t.json", "-f", "d.yaml", "--out", "image")
    assert (r.code, r.err) == (0, "")
    assert fairlead("tree", "-f", "image").out == fairlead("tree", "-f", "t.json").out


def test_recordings_are_of_the_state_alone(fairlead, write):
    """Who may do what, and where things are, is nobody's business who gets a recording."""
    write("d.yaml", DAEMON)
    write("t.json", TREE)
    for redact in ((), ("--redact",)):
        r = fairlead("record", "-f", "t.json", "-f", "d.yaml", *redact)
        assert r.code == 0 and "ClusterQueue" in r.out
        for word in ("Daemon", "alice", "/var/lib", "wheel"):
            assert word not in r.out


def test_example(fairlead):
    folder = SOURCE / "examples" / "machine"
    r = fairlead("check", "-f", str(folder))
    assert (r.code, r.err) == (0, ""), r.err
