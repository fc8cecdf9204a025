# SPDX-License-Identifier: Apache-2.0
"""A record decides as its original does, and a redacted one tells no name."""
import copy
import gzip
import json
import os
import pathlib
import re

import pytest

import manifests as m

SOURCE = pathlib.Path(os.environ.get("FAIRLEAD_SOURCE", pathlib.Path(__file__).parents[2]))
# Of the recorded cases that it looks at, one in so many; the longer run has them all.
PART = int(os.environ.get("FAIRLEAD_CASES_PART", "1"))
# Every build answers the same; under sanitizers a part of the examples is enough.
EXAMPLES = [*sorted((SOURCE / "examples" / "stories").glob("*.yaml"))[::5 if os.environ.get("FAIRLEAD_SANITIZED") else 1],
            SOURCE / "examples" / "company"]
SUITES = ("borrow", "tree", "classical", "fair", "fairtree", "cycle", "multicycle", "corner", "loops", "afs")
EVERY = 24  # cases of a suite: one in so many

# Words that say what an object is or does, and are nobody's names.
PLAIN = set("""
apiVersion kind metadata name namespace uid creationTimestamp spec status items labels List v1
""".split())


def cases():
    """Recorded cases of all suites, as lists of objects."""
    for suite in SUITES:
        path = SOURCE / "tests" / "conformance" / f"{suite}.jsonl.gz"
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for i, line in enumerate(lines):
                if i % (PART if suite == "corner" else EVERY * PART) == 0:
                    yield json.loads(line)


def case_objects(case):
    """The objects of a case; its config as a Configuration among them."""
    config = {k: v for k, v in case.get("config", {}).items() if k in ("fairSharing", "admissionFairSharing")}
    head = [{"apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration", **config}] if config else []
    return head + case["objects"]


def strings(value, keys=True):
    """All texts in a value, keys of maps with them."""
    if isinstance(value, dict):
        for k, v in value.items():
            if keys:
                yield k
            yield from strings(v, keys)
    elif isinstance(value, list):
        for v in value:
            yield from strings(v, keys)
    elif isinstance(value, str):
        yield value


def pairs(before, after, into):
    """What text became what other, in two documents of one shape."""
    assert type(before) is type(after), (before, after)
    if isinstance(before, dict):
        assert len(before) == len(after)
        for (k, v), (x, y) in zip(before.items(), after.items()):
            into.append((k, x))
            pairs(v, y, into)
    elif isinstance(before, list):
        assert len(before) == len(after)
        for v, y in zip(before, after):
            pairs(v, y, into)
    elif isinstance(before, str):
        into.append((before, after))
    else:
        assert before == after


ALIAS = re.compile(r"(?:0-|[a-z]z-)?(?:Word|[a-z]+)-\d+-[0-9a-f]{8}")


def plain(value, names, default=None):
    """Text with aliases turned back into names; a name that stands for several kinds stays one text."""
    if isinstance(value, dict):
        return {plain(k, names): plain(v, names) for k, v in value.items()}
    if isinstance(value, list):
        return [plain(v, names) for v in value]
    if isinstance(value, str):
        return ALIAS.sub(lambda a: names[a.group()], value)
    return value


def by_name(value):
    """Lists of objects with a `workload` or a name in the order of the names: whose they are counts."""
    if isinstance(value, dict):
        return {k: by_name(v) for k, v in value.items()}
    if isinstance(value, list):
        return sorted((by_name(v) for v in value), key=lambda v: json.dumps(v, sort_keys=True))
    return value


def names_behind(record, redacted):
    """alias -> name, and that no two names share one."""
    found, names = [], {}
    record = copy.deepcopy(record)
    for before, after in zip(record["items"], redacted["items"]):
        if "excludeResourcePrefixes" in before.get("resources", {}):  # becomes whole names
            before["resources"]["excludeResourcePrefixes"] = after["resources"]["excludeResourcePrefixes"]
    pairs(record, redacted, found)
    for name, alias in found:
        if ALIAS.fullmatch(alias) and name != alias:
            assert names.setdefault(alias, name) == name
    return names


def plan(fairlead, path, *more):
    r = fairlead("plan", "--settle", "--cycles", "60", "-o", "json", *more, "-f", path)
    assert r.code in (0, 1), r.err
    return r.out


def check_record(fairlead, tmp_path, path, more=()):
    """Byte for byte the same plan; the same decisions of the same workloads when redacted."""
    want = plan(fairlead, path, *more)
    r = fairlead("record", "-f", path, "-O", "record.json")
    assert (r.code, r.out) == (0, "")
    assert plan(fairlead, "record.json", *more) == want
    assert fairlead("record", "-f", "record.json").out == (tmp_path / "record.json").read_text()
    r = fairlead("record", "--redact", "--salt", "s", "-f", path)
    assert r.code == 0
    (tmp_path / "redacted.json").write_text(r.out)
    record = json.loads((tmp_path / "record.json").read_text())
    names = names_behind(record, r.json())
    got = plain(json.loads(plan(fairlead, "redacted.json", *more)), names)
    assert by_name(got) == by_name(json.loads(want))
    return record, r.json(), names


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.name)
def test_examples(fairlead, tmp_path, path):
    check_record(fairlead, tmp_path, str(path))


def test_recorded_cases(fairlead, tmp_path):
    n = 0
    for case in cases():
        (tmp_path / "case.json").write_text(m.dump(*case_objects(case)))
        check_record(fairlead, tmp_path, "case.json", ("--now", case["config"]["now"]))
        n += 1
    assert n > 120 / PART


def test_explanations(fairlead, tmp_path):
    path = str(SOURCE / "examples" / "company")
    assert fairlead("record", "-f", path, "-O", "record.json").code == 0
    waiting = [p["workload"] for p in json.loads(plan(fairlead, path))["cycles"][0]["pending"]]
    for name in waiting[::max(1, len(waiting) // 8)]:
        for form in ("json", "text"):
            want = fairlead("explain", "-o", form, "-f", path, name)
            got = fairlead("explain", "-o", form, "-f", "record.json", name)
            assert (got.code, got.out.replace("-f record.json", f"-f {path}")) == (want.code, want.out)


# --- what a record leaves out ---

SECRETS = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: kueue-manager-config, namespace: kueue-system, creationTimestamp: "2026-03-01T00:00:00Z",
  annotations: {secret-a1: secret-a2}}
data:
  controller_manager_config.yaml: |
    apiVersion: config.kueue.x-k8s.io/v1beta2
    kind: Configuration
    fairSharing: {preemptionStrategies: [LessThanInitialShare]}
    integrations: {frameworks: [secret-b]}
---
apiVersion: v1
kind: Namespace
metadata: {name: secret-c, labels: {secret-d: secret-e, kubernetes.io/metadata.name: secret-c}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: secret-f, labels: {secret-g1: secret-g2}}
spec:
  nodeLabels: {secret-h: secret-i, secret-gen: "40"}
  nodeTaints: [{key: secret-j, value: secret-k, effect: NoSchedule}]
  tolerations: [{key: secret-l, operator: Equal, value: secret-m}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: Cohort
metadata: {name: secret-n}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: secret-o}
spec:
  cohortName: secret-n
  namespaceSelector:
    matchLabels: {kubernetes.io/metadata.name: secret-c}
    matchExpressions: [{key: secret-d, operator: In, values: [secret-e, secret-p]}]
  resourceGroups:
  - coveredResources: [cpu, secret.example/q]
    flavors:
    - {name: secret-f, resources: [{name: cpu, nominalQuota: 5.50}, {name: secret.example/q, nominalQuota: 16}]}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: secret-r, namespace: secret-c}
spec: {clusterQueue: secret-o}
status: {conditions: [{type: Active, status: "True", message: secret-s}], flavors: [{name: secret-f}]}
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: secret-t}
value: 0x1F
description: secret-u
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: Workload
metadata:
  name: secret-v
  namespace: secret-c
  uid: secret-w
  creationTimestamp: "2026-02-01T00:00:00Z"
  labels: {secret-x: secret-y}
  ownerReferences: [{apiVersion: secret-z, kind: Job, name: secret-z, uid: secret-z, controller: true}, {apiVersion: secret-3, kind: Secret2Job, name: secret-3, uid: secret-z}]
spec:
  queueName: secret-r
  priorityClassName: secret-t
  priorityClassSource: scheduling.k8s.io/priorityclass
  podSets:
  - name: secret-4
    count: 1
    template:
      metadata: {labels: {secret-5: secret-6}}
      spec:
        schedulerName: secret-7
        nodeSelector: {secret-h: secret-i}
        tolerations: [{key: secret-j, operator: Exists}]
        affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [
          {matchExpressions: [{key: secret-gen, operator: Gt, values: ["8"]}]}]}}}
        containers:
        - name: secret-8
          image: secret-9
          env: [{name: secret-10, value: secret-11}]
          resources: {requests: {cpu: "1.5", secret.example/q: 2}}
status:
  conditions:
  - {type: Evicted, status: "True", reason: Secret12, message: secret-13, lastTransitionTime: "2026-02-02T00:00:00Z"}
  - {type: Secret14, status: "False", reason: Secret15, lastTransitionTime: "2026-02-03T00:00:00Z"}
---
apiVersion: v1
kind: Secret
metadata: {name: secret-16, namespace: secret-c}
data: {secret-17: c2VjcmV0}
"""


def test_nothing_leaks(fairlead, write, tmp_path):
    write("s.yaml", SECRETS)
    record, redacted, names = check_record(fairlead, tmp_path, "s.yaml")
    assert "secret" not in json.dumps(redacted).lower()
    # Of what decides, each text was hidden: the names that the plain record has.
    hidden = {t for t in strings(record) if "secret" in t.lower()}
    assert hidden == set(names.values())
    assert {"secret-c", "secret-f", "secret.example/q", "secret-i", "secret-t", "Secret12"} <= hidden
    # What decides nothing is in neither.
    for text in ("secret-a1", "secret-b", "secret-g1", "secret-s", "secret-u", "secret-x", "secret-1\"",
                 "secret-5", "secret-7", "secret-9", "secret-10", "secret-13", "secret-16"):
        assert text not in json.dumps(record)
    kinds = [o["kind"] for o in record["items"]]
    assert kinds == ["Configuration", "Namespace", "ResourceFlavor", "Cohort", "ClusterQueue", "LocalQueue",
                     "PriorityClass", "Workload"]
    # The workload runs, so selectors, taints, tolerations and numbers still match.
    assert len(json.loads(plan(fairlead, "redacted.json"))["cycles"][0]["admitted"]) == 1
    # The clock came from the ConfigMap.
    assert "2026-03-01T00:00:00Z" in plan(fairlead, "redacted.json")
    quotas = record["items"][4]["spec"]["resourceGroups"][0]["flavors"][0]["resources"]
    assert [q["nominalQuota"] for q in quotas] == [5.5, 16]
    assert record["items"][6]["value"] == 31


SETTINGS = """\
apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
featureGates: {LocalQueueMetrics: true, SecretGate: false}
resources:
  excludeResourcePrefixes: [secret.example/no-, cpux]
  transformations: [{input: secret.example/mig, strategy: Replace, outputs: {secret.example/slices: 2}}]
---
apiVersion: fairlead.dev/v1alpha1
kind: Policy
metadata: {name: secret-policy}
spec:
  cohorts: [{name: secret-cohort, minimumRunTime: 1h}]
  clusterQueues: [{name: secret-q, minimumRunTime: {InCohortReclamation: 2h}}]
---
apiVersion: v1
kind: LimitRange
metadata: {name: secret-range, namespace: secret-ns}
spec: {limits: [{type: Container, defaultRequest: {cpu: 2}}, {type: SecretType}]}
---
apiVersion: node.k8s.io/v1
kind: RuntimeClass
metadata: {name: secret-class}
handler: secret-handler
overhead: {podFixed: {cpu: 1}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: secret-flavor}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: secret-q}
spec:
  cohortName: secret-cohort
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [cpu, secret.example/slices]
    flavors:
    - name: secret-flavor
      resources: [{name: cpu, nominalQuota: 3}, {name: secret.example/slices, nominalQuota: 4}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: secret-l, namespace: secret-ns}
spec: {clusterQueue: secret-q}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: Workload
metadata: {name: secret-w, namespace: secret-ns, uid: secret-u, creationTimestamp: "2026-02-01T00:00:00Z"}
spec:
  queueName: secret-l
  podSets:
  - count: 1
    template:
      spec:
        runtimeClassName: secret-class
        containers:
        - {name: c, resources: {requests: {secret.example/mig: 2, secret.example/no-1: 9, secret.example/no-2: 1}}}
"""


def test_settings_that_go_by_names(fairlead, write, tmp_path):
    """Excluded prefixes, transformations, defaults by namespace, overhead by class, protection by queue."""
    write("s.yaml", SETTINGS)
    record, redacted, _ = check_record(fairlead, tmp_path, "s.yaml")
    assert "secret" not in json.dumps(redacted).lower()
    admitted = json.loads(plan(fairlead, "redacted.json"))["cycles"][0]["admitted"]
    assert len(admitted) == 1 and len(admitted[0]["podSets"][0]["flavors"]) == 2
    # A prefix becomes the names that begin so: of two here, and of none.
    settings = redacted["items"][0]["resources"]
    assert len(settings["excludeResourcePrefixes"]) == 2
    assert set(settings["excludeResourcePrefixes"]).isdisjoint(settings["transformations"][0]["outputs"])


def test_aliases_keep_the_order(fairlead, write):
    names = ["b", "a-1", "a", "a10", "a9", "z"]
    objects = [m.namespace("ns"), m.flavor("f"), m.cluster_queue("q", m.quota("f", cpu="1")),
               m.local_queue("l", "q")] + [m.workload(n, "l", cpu="1") for n in names]
    write("c.json", m.dump(*objects))
    items = fairlead("record", "--redact", "-f", "c.json").json()["items"]
    aliases = [o["metadata"]["name"] for o in items if o["kind"] == "Workload"]
    assert sorted(range(6), key=lambda i: names[i]) == sorted(range(6), key=lambda i: aliases[i])


def test_resources_stay_in_their_place(fairlead, write):
    names = ["acme.com/a", "cpu", "dpu", "hugepages-2Mi", "memory", "nvidia.com/gpu", "nvidia.com/gpu.shared",
             "nb", "pods", "zpu"]
    covered = {"name": "f", "resources": [{"name": n, "nominalQuota": "4"} for n in names]}
    write("c.json", m.dump(m.flavor("f"), m.cluster_queue("q", covered)))
    items = fairlead("record", "--redact", "-f", "c.json").json()["items"]
    aliases = items[1]["spec"]["resourceGroups"][0]["coveredResources"]
    assert sorted(range(10), key=lambda i: names[i]) == sorted(range(10), key=lambda i: aliases[i])
    assert [a for a in aliases if a in names] == ["cpu", "hugepages-2Mi", "memory", "nvidia.com/gpu", "pods"]
    for a in aliases:
        assert not any(b != a and b.startswith(a) for b in aliases)


def test_salt(fairlead, write):
    write("c.json", m.dump(*m.small()))
    redact = ("record", "--redact", "-f", "c.json")
    assert fairlead(*redact, "--salt", "x").out == fairlead(*redact, "--salt", "x").out
    assert fairlead(*redact, "--salt", "x").out != fairlead(*redact, "--salt", "y").out
    assert fairlead(*redact).out != fairlead(*redact).out


def test_specs_that_differ_stay_different(fairlead, write):
    """What is left out of a pod spec tells workloads apart (a parked one parks its equals)."""
    one, two, three = (m.workload(n, "l", cpu="1") for n in ("w1", "w2", "w3"))
    two["spec"]["podSets"][0]["template"]["spec"]["containers"][0]["image"] = "other"
    write("c.json", m.dump(m.flavor("f"), m.cluster_queue("q", m.quota("f", cpu="1")), m.local_queue("l", "q"),
                           one, two, three))
    items = fairlead("record", "-f", "c.json").json()["items"]
    specs = [o["spec"]["podSets"][0]["template"]["spec"] for o in items if o["kind"] == "Workload"]
    assert specs[0] == specs[2] != specs[1]


# --- where it goes, and what stands in the way ---

def test_output_file(fairlead, write, tmp_path):
    write("c.json", m.dump(*m.small()))
    want = fairlead("record", "-f", "c.json").out
    r = fairlead("record", "-f", "c.json", "-O", "out.json")
    assert (r.code, r.out, r.err) == (0, "", "")
    assert (tmp_path / "out.json").read_text() == want
    assert sorted(p.name for p in tmp_path.iterdir()) == ["c.json", "out.json"]
    assert fairlead("record", "-f", "c.json", "--out", "/dev/stdout").out == want
    assert fairlead("record", "-f", "c.json", "--out", "-").out == want
    assert sorted(p.name for p in tmp_path.iterdir()) == ["c.json", "out.json"]
    r = fairlead("record", "-f", "c.json", "-O", "no/such/folder.json")
    assert (r.code, r.out) == (3, "")
    assert r.first_error == "no/such/folder.json: error: no such file or directory"


def test_standard_input_and_one_line_an_object(fairlead, valid):
    r = fairlead("record", "-f", "-", stdin=m.dump(*m.small()).encode())
    assert r.code == 0
    document = valid(r.json(), "record")
    lines = r.out.splitlines()
    assert len(lines) == len(document["items"]) + 2
    assert all(json.loads(line.rstrip(",")) for line in lines[1:-1])


def test_nothing_is_written_of_bad_input(fairlead, write, tmp_path):
    write("c.json", m.dump(*m.small(), m.flavor("f")))
    write("out.json", "as it was")
    r = fairlead("record", "-f", "c.json", "-O", "out.json")
    assert (r.code, r.out) == (1, "")
    assert "ResourceFlavor/f: defined twice" in r.first_error
    assert (tmp_path / "out.json").read_text() == "as it was"


def test_the_clock_is_no_part_of_it(fairlead, write):
    write("c.json", m.dump(*m.small()))
    r = fairlead("record", "-f", "c.json", "--now", "2026-05-01T00:00:00Z", "-O", "out.json")
    assert (r.code, r.err) == (0, "fairlead: the clock is not part of a record: give --now again with it\n")


def test_usage(fairlead, write):
    write("c.json", m.dump(*m.small()))
    r = fairlead("record", "-f", "c.json", "--salt", "x")
    assert (r.code, r.first_error) == (2, "fairlead record: --salt needs --redact")
    r = fairlead("record", "-f", "c.json", "--redacted")
    assert (r.code, r.first_error) == (
        2, "fairlead record: unknown option '--redacted'; did you mean '--redact'?")
    r = fairlead("plan", "-f", "c.json", "-O", "x")
    assert (r.code, r.first_error) == (2, "fairlead plan: unknown option '-O'")
