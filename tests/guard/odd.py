# SPDX-License-Identifier: Apache-2.0
"""Inputs and command lines that people do not mean: what is said of them is guarded as well."""
import json

import worlds

FLAVOR = "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: f}\n"
QUEUE = """apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: q}
spec:
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [cpu]
    flavors:
    - name: f
      resources:
      - {name: cpu, nominalQuota: QUOTA}
"""
COHORT = "apiVersion: kueue.x-k8s.io/v1beta2\nkind: Cohort\nmetadata: {name: NAME}\nspec: {parentName: PARENT}\n"
LOCAL = """apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: l, namespace: ns}
spec: {clusterQueue: TO}
"""
JOB = """apiVersion: kueue.x-k8s.io/v1beta2
kind: Workload
metadata: {name: NAME, namespace: ns, uid: NAME, creationTimestamp: "2026-01-01T00:00:00Z"}
spec:
  queueName: l
  podSets:
  - name: main
    count: 1
    template: {spec: {containers: [{name: c, resources: {requests: {cpu: "CPU"}}}]}}
"""
KAI_QUEUE = """apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: NAME}
spec: {PARENT resources: {gpu: {quota: QUOTA, overQuotaWeight: 1, limit: -1}}}
"""
BODY = {"totalResource": {"GPU": 100, "CPU": 16000, "Memory": 32000000}, "queues": [
    {"uid": "vision", "resourceShare": {"gpu": {"deserved": 10, "overQuotaWeight": 3}}},
    {"uid": "speech", "resourceShare": {"gpu": {"deserved": 10, "overQuotaWeight": 1}}},
    {"uid": "robots", "resourceShare": {"gpu": {"request": 5.5, "overQuotaWeight": 2}}}]}


def cohort(name, parent):
    return COHORT.replace("NAME", name).replace("PARENT", parent)


def job(name, cpu):
    return JOB.replace("NAME", name).replace("CPU", cpu)


def kai_queue(name, quota, parent=None):
    text = KAI_QUEUE.replace("PARENT", f"parentQueue: {parent}," if parent else "")
    return text.replace("NAME", name).replace("QUOTA", quota)


def documents(*texts):
    return "---\n".join(texts)


def queue(quota, *more):
    return documents(FLAVOR, QUEUE.replace("QUOTA", quota), LOCAL.replace("TO", "q"),
                     "apiVersion: v1\nkind: Namespace\nmetadata: {name: ns}\n", *more)


# Each is read by check, tree and plan.
MANIFESTS = {
    "empty.yaml": "",
    "comment-only.yaml": "# nothing here\n",
    "markers-only.yaml": "---\n---\n...\n",
    "null.yaml": "null\n",
    "scalar.yaml": "just words\n",
    "list-at-top.yaml": "- 1\n- 2\n",
    "not-closed.yaml": "kind: [a\n",
    "tab.yaml": "kind: x\n\tname: y\n",
    "bad-indent.yaml": "a:\n   b: 1\n  c: 2\n",
    "anchors.yaml": "a: &x {b: 1}\nc: *x\nd: *y\n",
    "nul-byte.yaml": "kind: a\0b\n",
    "not-utf-8.yaml": b"kind: \xff\xfe\n",
    "mark-of-order.yaml": b"\xef\xbb\xbf" + FLAVOR.encode(),
    "crlf.yaml": FLAVOR.replace("\n", "\r\n"),
    "no-kind.yaml": "apiVersion: v1\nmetadata: {name: x}\n",
    "no-name.yaml": "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {}\n",
    "other-kind.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\n",
    "other-version.yaml": FLAVOR.replace("v1beta2", "v9"),
    "unknown-field.yaml": FLAVOR + "spec: {nodeLabel: {a: b}}\n",
    "key-twice.yaml": FLAVOR + "kind: ResourceFlavor\n",
    "defined-twice.yaml": documents(FLAVOR, FLAVOR),
    "wrong-type.yaml": FLAVOR + "spec: [1]\n",
    "control-characters.yaml": FLAVOR.replace("name: f", 'name: "\\e[31mred"'),
    "not-closed.json": '{"apiVersion": "v1", "kind": ',
    "comma.json": '{"a": 1,}',
    "number.json": '{"a": 01}',
    "escape.json": '{"a": "\\q"}',
    "deep.json": "[" * 2000 + "]" * 2000,
    "after-the-end.json": '{"apiVersion": "v1", "kind": "List", "items": []} x',
    "empty-list.json": '{"apiVersion": "v1", "kind": "List", "items": []}',
    "body.json": json.dumps(BODY),
    "quota-bad.yaml": queue("many", job("a", "1")),
    "quota-negative.yaml": queue('"-1"', job("a", "1")),
    "quota-huge.yaml": queue('"9223372036854775807"', job("a", "9223372036854775807"), job("b", "1")),
    "quota-too-large.yaml": queue('"99999999999999999999"', job("a", "1")),
    "quota-milli.yaml": queue('"1500m"', job("a", "600m"), job("b", "0.9"), job("c", "1e-3")),
    "quota-zero.yaml": queue("0", job("a", "1"), job("b", "0")),
    "no-flavor.yaml": documents(QUEUE.replace("QUOTA", "4"), LOCAL.replace("TO", "q"), job("a", "1")),
    "no-queue.yaml": documents(FLAVOR, LOCAL.replace("TO", "other"), job("a", "1")),
    "no-local-queue.yaml": documents(FLAVOR, QUEUE.replace("QUOTA", "4"), job("a", "1")),
    "no-namespace.yaml": documents(FLAVOR, QUEUE.replace("QUOTA", "4"), LOCAL.replace("TO", "q"), job("a", "1")),
    "job-twice.yaml": queue("4", job("a", "1"), job("a", "2")),
    "own-parent.yaml": documents(cohort("a", "a"), queue("4", job("a", "1"))),
    "cycle-of-two.yaml": documents(cohort("a", "b"), cohort("b", "a"), queue("4", job("a", "1"))).replace(
        "  namespaceSelector", "  cohortName: a\n  namespaceSelector"),
    "cycle-of-three.yaml": documents(cohort("a", "b"), cohort("b", "c"), cohort("c", "a"), cohort("d", "a"),
                                     queue("4", job("a", "1"))).replace(
        "  namespaceSelector", "  cohortName: d\n  namespaceSelector"),
    "kai-cycle.yaml": documents(kai_queue("a", "1", "b"), kai_queue("b", "1", "a")),
    "kai-own-parent.yaml": kai_queue("a", "1", "a"),
    "kai-no-parent.yaml": kai_queue("a", "1", "nobody"),
    "kai-bad-quota.yaml": kai_queue("a", "lots"),
    "kai-negative.yaml": kai_queue("a", "-7"),
    "kai-no-machines.yaml": documents(kai_queue("d", "4"), kai_queue("a", "2", "d"), kai_queue("b", "2", "d")),
    "both-policies.yaml": documents(queue("4", job("a", "1")), kai_queue("a", "2")),
    "policy-bad.yaml": documents(queue("4", job("a", "1")), "apiVersion: fairlead.dev/v1alpha1\nkind: Policy\n"
                                 "metadata: {name: p}\nspec: {defaults: {minimumRunTime: soon}, more: 1}\n"),
    "simulation-bad.yaml": "apiVersion: fairlead.dev/v1alpha1\nkind: Simulation\nmetadata: {name: s}\n"
                           "spec: {until: never, sources: [{swf: not-there.swf}]}\n",
}

# Command lines; small.yaml and kai.yaml are below.  None of them reaches a daemon: there is none.
LINES = [
    [], ["--help"], ["--version"], ["-h"], ["nothing"], ["pla"], ["--nothing"], ["plan"], ["check"],
    ["help"], ["plan", "--"], ["plan", "-f"], ["plan", "-f", ""], ["plan", "-f", "not-there.yaml"],
    ["plan", "-f", "no-folder/*.yaml"], ["plan", "-f", "/dev/null"], ["plan", "-f", "-"],
    ["plan", "-f", "-", "-f", "-"], ["plan", "-f", "empty-folder"], ["plan", "--nothing", "-f", "small.yaml"],
    ["plan", "--setle", "-f", "small.yaml"], ["plan", "-f", "small.yaml", "more"],
    ["plan", "-f", "small.yaml", "-o", "xml"], ["plan", "-f", "small.yaml", "-o", "sarif"],
    ["plan", "-f", "small.yaml", "--cycles", "0"], ["plan", "-f", "small.yaml", "--cycles", "-1"],
    ["plan", "-f", "small.yaml", "--cycles", "x"], ["plan", "-f", "small.yaml", "--cycles", "3"],
    ["plan", "-f", "small.yaml", "--cycles", "3", "--cycle-interval", "1h", "--all"],
    ["plan", "-f", "small.yaml", "--cycle-interval", "0s"], ["plan", "-f", "small.yaml", "--now", "yesterday"],
    ["plan", "-f", "small.yaml", "--now", "2030-01-01T00:00:00Z"], ["plan", "-f", "small.yaml", "--strict"],
    ["plan", "-f", "small.yaml", "--policy", "entitle"], ["plan", "-f", "small.yaml", "--policy", "other"],
    ["plan", "-f", "kai.yaml", "--policy", "borrow"], ["plan", "-f", "small.yaml", "-f", "small.yaml"],
    ["plan", "-f", "kai.yaml", "--settle", "--all"], ["plan", "-f", "small.yaml", "-f", "kai.yaml"],
    ["tree", "-f", "small.yaml", "q0"], ["tree", "-f", "small.yaml", "nowhere"],
    ["tree", "-f", "small.yaml", "q0", "q1"], ["tree", "-f", "kai.yaml", "d0"],
    ["check", "-f", "small.yaml", "--strict"], ["check", "-f", "empty.yaml", "-f", "small.yaml"],
    ["explain", "-f", "small.yaml"], ["explain", "-f", "small.yaml", "w0"],
    ["explain", "-f", "small.yaml", "ns/nobody"], ["explain", "-f", "small.yaml", "ns/w0", "--eta"],
    ["explain", "-f", "small.yaml", "ns/w1", "--all"], ["explain", "-f", "small.yaml", "a", "b"],
    ["explain", "-f", "kai.yaml", "ns/g0", "--eta"], ["explain", "-f", "kai.yaml", "ns/g1", "--all"],
    ["what-if", "-f", "small.yaml"], ["what-if", "-f", "small.yaml", "--change", "not-there.yaml"],
    ["what-if", "-f", "small.yaml", "--change", "small.yaml"],
    ["what-if", "-f", "small.yaml", "--change", "small-change.yaml", "--fail-if", "evicted.new > 0"],
    ["what-if", "-f", "small.yaml", "--change", "small-change.yaml", "--fail-if", "waiting >= 0"],
    ["what-if", "-f", "small.yaml", "--change", "small-change.yaml", "--fail-if", "evictd > 0"],
    ["what-if", "-f", "small.yaml", "--change", "small-change.yaml", "--fail-if", "1 >"],
    ["what-if", "-f", "small.yaml", "--delete", "ClusterQueue/q0"],
    ["what-if", "-f", "small.yaml", "--delete", "ClusterQueue/nobody"],
    ["what-if", "-f", "small.yaml", "--delete", "Nothing/a"], ["what-if", "-f", "small.yaml", "--delete", "a"],
    ["what-if", "-f", "kai.yaml", "--delete", "Node/n0"], ["what-if", "-f", "kai.yaml", "--change", "kai-change.yaml"],
    ["simulate", "-f", "small.yaml"], ["simulate", "-f", "small.yaml", "--until", "1d"],
    ["simulate", "-f", "small.yaml", "--until", "x"], ["simulate", "-f", "small.yaml", "--from-snapshot"],
    ["simulate", "-f", "kai.yaml", "--from-snapshot", "--until", "1d"],
    ["compare", "-f", "small.yaml"], ["compare", "-f", "small.yaml", "--sweep", "nothing=1"],
    ["compare", "-f", "small.yaml", "--variant", "x"], ["compare", "-f", "small.yaml", "--variant", "x=not-there.yaml"],
    ["tune"], ["tune", "--k", "x"], ["tune", "--k", "-1"], ["tune", "--k", "1", "--half-life", "24h", "--weights", "1,3"],
    ["tune", "--k", "5", "--half-life", "24h", "--weights", "1,3", "--hours", "24"],
    ["tune", "--gpus", "4", "--hours", "12", "--cluster", "16", "--weights", "1,1,2", "--penalty", "50%"],
    ["tune", "--gpus", "4", "--hours", "12", "--cluster", "16", "--penalty", "50%", "--others", "busy"],
    ["tune", "--gpus", "4", "--hours", "12", "--cluster", "16", "--penalty", "50%", "--half-life", "24h"],
    ["tune", "--penalty", "150%"], ["tune", "--weights", "0,0"], ["tune", "--others", "some"],
    ["tune", "-f", "kai.yaml", "d0"], ["tune", "-f", "kai.yaml", "nobody"], ["tune", "-f", "small.yaml"],
    ["prove", "-f", "small.yaml", "--bound", "0"], ["prove", "-f", "small.yaml", "--bound", "1"],
    ["prove", "-f", "small.yaml", "--memory", "1Ki"], ["prove", "-f", "small.yaml", "--check", "--bound", "200"],
    ["prove"], ["divide", "-f", "small.yaml"], ["divide", "-f", "kai.yaml", "--rounds"],
    ["divide", "-f", "body.json", "--rounds"], ["divide", "-f", "body.json", "-o", "text"], ["divide", "-f", "kai.yaml", "--all"],
    ["record", "-f", "not-there.yaml"], ["record", "-f", "small.yaml", "-O", "no-folder/x.json"],
    ["save", "-f", "small.yaml"], ["save", "-f", "small.yaml", "-O", "no-folder/x.image"],
    ["completion"], ["completion", "bash"], ["completion", "zsh"], ["completion", "fish"], ["completion", "csh"],
    ["completion", "words", "--", "pl"], ["completion", "words", "--", "plan", "--set"],
    ["completion", "words", "--", "check", "-o", ""], ["completion", "words", "--", "explain", "-f", "small.yaml", "ns/w"],
    ["completion", "words", "--", "tree", "-f", "small.yaml", ""],
    ["completion", "words", "--", "what-if", "-f", "small.yaml", "--delete", "C"],
    ["jobs", "--socket", "not-there.sock"], ["jobs", "--state", "odd"], ["cancel"], ["cancel", "x"], ["logs"],
    ["events", "--since", "never"], ["history", "--since", "x"], ["usage", "--until", "x"], ["submit"], ["submit", "-r", "cpu=x", "--", "true"],
    ["submit", "--tasks", "0", "--", "true"], ["submit", "not-there.sh"], ["queues", "more"], ["top", "--for", "x"],
    ["job"], ["hold"], ["release", "a-b"], ["acknowledge", "--nothing"],
]
VERBS = ["check", "tree", "plan", "prove", "divide", "explain", "what-if", "simulate", "compare", "record",
         "save", "tune", "submit", "jobs", "job", "logs", "cancel", "hold", "release", "queues", "events",
         "history", "usage", "top", "acknowledge", "completion"]


def files():
    """Everything above and two worlds, by name."""
    kueue, kai = worlds.kueue(1), worlds.kai(1)
    out = {n: t if isinstance(t, bytes) else t.encode() for n, t in MANIFESTS.items()}
    out["small.yaml"] = worlds.as_yaml(kueue.objects).encode()
    out["small-change.yaml"] = worlds.as_yaml([kueue.change]).encode()
    out["kai.yaml"] = worlds.as_yaml(kai.objects).encode()
    out["kai-change.yaml"] = worlds.as_yaml([kai.change]).encode()
    return out
