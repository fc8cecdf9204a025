# SPDX-License-Identifier: Apache-2.0
"""Mistakes that a new user makes, one a manifest, and what must be said of each.

A row is a mistake as a person would call it, what is changed in manifests that are right, and
for each command the exit status and the words that must be in its answer: what is wrong,
where, and what to do.  doc/guide/check.md has the table for readers: its lines are those of
`said`, and a test holds them to what check prints.
"""
import re
import sys

import pytest

from conftest import SOURCE

FLAVOR = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata:
  name: default
"""
QUEUE = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata:
  name: team
spec:
  cohortName: lab
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [cpu, memory]
    flavors:
    - name: default
      resources:
      - name: cpu
        nominalQuota: 8
      - name: memory
        nominalQuota: 32Gi
"""
LOCAL = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata:
  name: main
  namespace: lab
spec:
  clusterQueue: team
"""
JOB = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: train
  namespace: lab
  labels:
    kueue.x-k8s.io/queue-name: main
spec:
  parallelism: 2
  completions: 2
  suspend: true
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: main
        image: example.com/tool
        resources:
          requests:
            cpu: 1
            memory: 2Gi
"""
CONFIGURATION = "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
NAMESPACE = "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: lab\n"
GROUP = "---\n".join(f"""\
apiVersion: v1
kind: Pod
metadata:
  name: score-{i}
  namespace: lab
  labels:
    kueue.x-k8s.io/queue-name: main
    kueue.x-k8s.io/pod-group-name: score
  annotations:
    kueue.x-k8s.io/pod-group-total-count: "2"
spec:
  containers:
  - name: main
    image: example.com/tool
    resources:
      requests:
        cpu: 1
        memory: 1Gi
""" for i in range(2))

KAI_TOP = """\
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata:
  name: lab
spec:
  resources:
    gpu: {quota: 4, limit: -1, overQuotaWeight: 1}
    cpu: {quota: -1, limit: -1, overQuotaWeight: 1}
    memory: {quota: -1, limit: -1, overQuotaWeight: 1}
"""
KAI_QUEUE = """\
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata:
  name: team
spec:
  parentQueue: lab
  resources:
    gpu: {quota: 2, limit: 4, overQuotaWeight: 1}
    cpu: {quota: -1, limit: -1, overQuotaWeight: 1}
    memory: {quota: -1, limit: -1, overQuotaWeight: 1}
"""
KAI_NODE = """\
apiVersion: v1
kind: Node
metadata:
  name: node-1
status:
  allocatable: {cpu: "64", memory: 256Gi, nvidia.com/gpu: "4", pods: "110"}
  conditions: [{type: Ready, status: "True"}]
"""
KAI_POD = """\
apiVersion: v1
kind: Pod
metadata:
  name: train
  namespace: lab
  labels:
    kai.scheduler/queue: team
spec:
  schedulerName: kai-scheduler
  containers:
  - name: main
    image: example.com/tool
    resources:
      limits:
        nvidia.com/gpu: 1
"""
KUEUE = {"flavor": FLAVOR, "queue": QUEUE, "local": LOCAL, "job": JOB}
PODS = {"flavor": FLAVOR, "queue": QUEUE, "local": LOCAL, "job": GROUP}
KAI = {"top": KAI_TOP, "queue": KAI_QUEUE, "node": KAI_NODE, "pod": KAI_POD}


class Mistake:
    """@said: how check's first finding begins, without its place; @then: of other commands (status, words)."""

    def __init__(self, name, part, wrong, right, said, hint=None, base=KUEUE, add="", code=0, line=None, **then):
        self.name, self.part, self.wrong, self.right = name, part, wrong, right
        self.base, self.add, self.said, self.hint, self.code = base, add, said, hint, code
        self.line, self.then = line, then

    def text(self):
        parts = dict(self.base)
        if self.part:
            assert self.right in parts[self.part], self.name
            parts[self.part] = parts[self.part].replace(self.right, self.wrong)
        return "---\n".join([*parts.values(), *([self.add] if self.add else [])])


LABEL = "  labels:\n    kueue.x-k8s.io/queue-name: main\n"
NO_QUEUE = "Job/lab/train: no Workload is made of it: the object has no label kueue.x-k8s.io/queue-name: "
WRITE_LABEL = "write the label kueue.x-k8s.io/queue-name into the job's own metadata.labels"
CPU = ".spec.resourceGroups[0].flavors[0].resources[0]"
UNSUITED = ("Workload/lab/job-train-e5b0e: not even an empty cluster admits it: it matches no flavor of its queue: ")

MISTAKES = [
    # --- the text -------------------------------------------------------------------------------
    Mistake("a key in the wrong column", "queue", "     resources:\n      - name: cpu", "      resources:\n      - name: cpu",
            "invalid YAML: did not find expected key while parsing a block mapping that starts in line 14",
            "the keys of a map begin in one column: compare this line with those above it", code=1, line=17,
            plan=(1, "invalid YAML")),
    Mistake("a tab in front of a key", "queue", "\tcohortName: lab", "  cohortName: lab",
            "invalid YAML: a tab where only blanks may indent", code=1, line=11, plan=(1, "a tab")),
    Mistake("two objects without `---` between them", "flavor", FLAVOR + LOCAL, FLAVOR, "duplicate key 'apiVersion'",
            "between two objects of a file stands a line '---'", code=1, line=5),
    Mistake("a template of Helm", "queue", "name: {{ .Values.team }}", "name: team", "a key must be a text",
            "a template with {{ }} has to be filled in first, such as by 'helm template'", code=1, line=9),
    Mistake("the same queue twice", None, "", "", "ClusterQueue/team: defined twice",
            "first defined at m.yaml:6:1", add=QUEUE, code=1, plan=(1, "defined twice")),
    # --- fields of queues -----------------------------------------------------------------------
    Mistake("`32GB` of memory", "queue", "32GB", "32Gi",
            "ClusterQueue/team .spec.resourceGroups[0].flavors[0].resources[1].nominalQuota: '32GB' is not a quantity",
            "write 32G for powers of 1000, 32Gi for powers of 1024", code=1, line=21, plan=(1, "'32GB' is not a quantity")),
    Mistake("`8 cores`", "queue", "nominalQuota: 8 cores", "nominalQuota: 8",
            f"ClusterQueue/team {CPU}.nominalQuota: '8 cores' is not a quantity",
            "write a number with an optional suffix, such as 500m, 1.5Gi or 1e3", code=1, line=19),
    Mistake("a negative quota", "queue", "nominalQuota: -8", "nominalQuota: 8",
            f"ClusterQueue/team {CPU}.nominalQuota: the quantity '-8' is negative", code=1, line=19),
    Mistake("a field in lower case", "queue", "nominalquota: 8", "nominalQuota: 8",
            f"ClusterQueue/team {CPU}: no nominalQuota", "did you mean 'nominalQuota' by 'nominalquota'?", code=1, line=18),
    Mistake("`limit` for `limits`", "job", "limit:", "requests:",
            "Workload/lab/job-train-e5b0e .spec.podSets[0].template.spec.containers[0].resources.limit: unknown field 'limit'",
            "did you mean 'limits'?"),
    Mistake("a word that the field does not know", "queue", "  queueingStrategy: FIFO\n  namespaceSelector: {}",
            "  namespaceSelector: {}",
            "ClusterQueue/team .spec.queueingStrategy: 'FIFO' is not StrictFIFO or BestEffortFIFO", code=1, line=12),
    Mistake("a map where a list belongs", "queue", "    coveredResources", "  - coveredResources",
            "ClusterQueue/team .spec.resourceGroups: expected a list, not a map", code=1, line=14),
    Mistake("a covered resource without quota", "queue", "", "      - name: memory\n        nominalQuota: 32Gi\n",
            "ClusterQueue/team .spec.resourceGroups[0].flavors[0]: no quota for 'memory', which is in coveredResources",
            "give each flavor a quota for each of coveredResources, 0 if there is none", code=1, line=16),
    Mistake("quota for a resource that is not covered", "queue", "[cpu]", "[cpu, memory]",
            "ClusterQueue/team .spec.resourceGroups[0].flavors[0].resources[1]: resource 'memory' is not in coveredResources",
            "add it to coveredResources, or remove the quota", code=1, line=20),
    Mistake("no `namespaceSelector`", "queue", "", "  namespaceSelector: {}\n",
            "ClusterQueue/team: no namespaceSelector: the queue admits from no namespace",
            "write 'namespaceSelector: {}' to admit from every namespace",
            plan=(0, "is in a namespace that its queue does not select")),
    Mistake("a selector that no namespace matches", "queue", "namespaceSelector: {matchLabels: {team: red}}",
            "namespaceSelector: {}", "LocalQueue/lab/main: cluster queue 'team' does not select namespace 'lab': nothing is admitted",
            add=NAMESPACE, explain=(0, "it is in a namespace that its queue does not select")),
    Mistake("a lending limit above the quota", "queue", "nominalQuota: 8\n        lendingLimit: 12", "nominalQuota: 8",
            f"ClusterQueue/team {CPU}.lendingLimit: lendingLimit 12 is above nominalQuota 8",
            "lower it, or leave it out to lend everything", code=1, line=20),
    Mistake("weight 0", "queue", "  fairSharing: {weight: 0}\n  namespaceSelector: {}", "  namespaceSelector: {}",
            "ClusterQueue/team: weight 0: whatever it borrows makes its share infinite", add=CONFIGURATION + "fairSharing: {}\n"),
    Mistake("a stopped queue that was forgotten", "queue", "  stopPolicy: Hold\n  namespaceSelector: {}",
            "  namespaceSelector: {}", "ClusterQueue/team: the queue is stopped: it admits nothing",
            plan=(0, "belongs to a queue that is not active")),
    # --- names ----------------------------------------------------------------------------------
    Mistake("a flavor that does not exist", "queue", "- name: dfault", "- name: default",
            "ClusterQueue/team: flavor 'dfault' does not exist; the queue is inactive", "did you mean 'default'?",
            plan=(0, "belongs to a queue that is not active")),
    Mistake("a cluster queue that does not exist", "local", "clusterQueue: taem", "clusterQueue: team",
            "LocalQueue/lab/main: cluster queue 'taem' does not exist", "did you mean 'team'?",
            explain=(0, "belongs to a queue that does not exist")),
    Mistake("a job in another namespace than its queue", "job", "namespace: home", "namespace: lab",
            "Workload/home/job-train-e5b0e: local queue 'home/main' does not exist",
            "did you mean 'lab/main'? A workload uses the local queues of its own namespace",
            plan=(0, "belongs to a queue that does not exist")),
    Mistake("a priority class that does not exist", "job",
            "queue-name: main\n    kueue.x-k8s.io/priority-class: urgent", "queue-name: main",
            "Job/lab/train: no Workload is made of it: the priority class that it names does not exist: "
            "WorkloadPriorityClass 'urgent'"),
    # --- the Configuration ----------------------------------------------------------------------
    Mistake("a feature gate that does not exist", None, "", "",
            "Configuration .featureGates.PartialAdmissions: unknown feature gate 'PartialAdmissions'",
            add=CONFIGURATION + "featureGates:\n  PartialAdmissions: true\n"),
    Mistake("`fairsharing`", None, "", "", "Configuration .fairsharing: unknown field 'fairsharing'",
            "did you mean 'fairSharing'?", add=CONFIGURATION + "fairsharing: {}\n"),
    Mistake("a strategy that does not exist", None, "", "",
            "Configuration .fairSharing.preemptionStrategies[0]: 'LessThanFinalShare' is none of "
            "LessThanOrEqualToFinalShare, LessThanInitialShare", code=1,
            add=CONFIGURATION + "fairSharing:\n  preemptionStrategies: [LessThanFinalShare]\n"),
    # --- jobs -----------------------------------------------------------------------------------
    Mistake("a job without a queue", "job", "", LABEL,
            "1 object has no Workload, such as Job/lab/train: the object has no label kueue.x-k8s.io/queue-name"),
    Mistake("the queue as an annotation", "job", "  annotations:", "  labels:", NO_QUEUE + "it is an annotation here", WRITE_LABEL),
    Mistake("the queue on the pods", "job",
            "spec:\n  parallelism: 2\n  completions: 2\n  suspend: true\n  template:\n    metadata:\n      labels:\n"
            "        kueue.x-k8s.io/queue-name: main\n",
            LABEL + "spec:\n  parallelism: 2\n  completions: 2\n  suspend: true\n  template:\n",
            NO_QUEUE + "only the template of its pods has it", WRITE_LABEL),
    Mistake("a pod group without its total count", "job", "", '  annotations:\n    kueue.x-k8s.io/pod-group-total-count: "2"\n',
            "Pod/lab/score-0: no Workload is made of it: Kueue's webhook rejects the object: a group of pods needs both "
            "kueue.x-k8s.io/pod-group-name and kueue.x-k8s.io/pod-group-total-count", base=PODS),
    Mistake("a pod group that lacks a pod", "job", 'total-count: "3"', 'total-count: "2"',
            "Pod/lab/score-0: no Workload is made of it: the pod group has fewer pods than its pod-group-total-count", base=PODS),
    Mistake("more than the queue can ever have", "job", "parallelism: 20\n  completions: 20", "parallelism: 2\n  completions: 2",
            "Workload/lab/job-train-e5b0e: asks for 20 of 'cpu', but cluster queue 'team' can never have more than 8 in one flavor",
            plan=(0, "asks for 20 cpu in flavor 'default', 8 at most"),
            explain=(0, "can never be admitted as quotas stand", "nominalQuota of cpu in flavor 'default' from 8 to 20")),
    Mistake("a resource that the queue does not cover", "job", "cpu: 1\n            nvidia.com/gpu: 1\n", "cpu: 1\n",
            "Workload/lab/job-train-e5b0e: asks for 'nvidia.com/gpu', which cluster queue 'team' has no quota for",
            plan=(0, "requests a resource that its queue has no quota for"), explain=(0, "can never be admitted", "no quota for")),
    Mistake("a resource by another name than the queue's", "job", "cpu: 1\n            nvidia.com/gpu: 1\n", "cpu: 1\n",
            "Workload/lab/job-train-e5b0e: asks for 'nvidia.com/gpu', which cluster queue 'team' has no quota for",
            "did you mean 'gpu'?", base={**KUEUE, "queue": QUEUE.replace("[cpu, memory]", "[cpu, memory, gpu]")
                                         + "      - name: gpu\n        nominalQuota: 4\n"}),
    Mistake("a node selector that no flavor matches", "job", "restartPolicy: Never\n      nodeSelector: {zone: west}",
            "restartPolicy: Never", UNSUITED + "the label zone of flavor 'default' is 'east', its pods ask for 'west'",
            base={**KUEUE, "flavor": FLAVOR + "spec:\n  nodeLabels: {zone: east}\n"},
            plan=(0, "matches no flavor of its queue"), explain=(0, "can never be admitted")),
    Mistake("a taint that the pods do not tolerate", "flavor",
            FLAVOR + 'spec:\n  nodeTaints: [{key: spot, value: "true", effect: NoSchedule}]\n', FLAVOR,
            UNSUITED + "its pods do not tolerate the taint spot=true of flavor 'default'", explain=(0, "can never be admitted")),
    Mistake("requests above limits", "job", "requests:\n            cpu: 2\n            memory: 2Gi\n          limits:\n            cpu: 1\n",
            "requests:\n            cpu: 1\n            memory: 2Gi\n",
            "Workload/lab/job-train-e5b0e: a container requests more than its limits", plan=(0, "requests more than its own limits")),
    # --- KAI ------------------------------------------------------------------------------------
    Mistake("KAI: a parent that does not exist", "queue", "parentQueue: lba", "parentQueue: lab",
            "Queue/team: parent 'lba' does not exist; the queue and all below it are left out", "did you mean 'lab'?",
            base=KAI, plan=(0, "belongs to a queue whose parent does not exist")),
    Mistake("KAI: a queue that does not exist", "pod", "queue: taem", "queue: team",
            "Pod/lab/train: queue 'taem' does not exist", "did you mean 'team'?", base=KAI,
            plan=(0, "belongs to a queue that does not exist")),
    Mistake("KAI: a pod in a queue that is no leaf", "pod", "queue: lab", "queue: team",
            "Pod/lab/train: queue 'lab' has queues below it: the workload is never scheduled, but its request counts",
            base=KAI, explain=(0, "is in a queue that has queues below it")),
    Mistake("KAI: a limit below the quota", "queue", "limit: 1", "limit: 4",
            "Queue/team .spec.resources.gpu: the limit is less than the quota: the queue never gets its quota", base=KAI),
    Mistake("KAI: no limit", "queue", "{quota: 2, overQuotaWeight: 1}", "{quota: 2, limit: 4, overQuotaWeight: 1}",
            "Queue/team .spec.resources.gpu: no limit: KAI reads a missing limit as 0, so the queue can hold nothing of it, "
            "not even its quota", "write limit: -1 for no limit", base=KAI, plan=(0, "its limit is 0")),
    Mistake("KAI: a resource that is left out", "queue", "", "    cpu: {quota: -1, limit: -1, overQuotaWeight: 1}\n",
            "Queue/team .spec.resources: no 'cpu': nothing that asks for it can run", base=KAI),
    Mistake("KAI: a quota in quotes", "queue", 'quota: "2"', "quota: 2",
            "Queue/team .spec.resources.gpu.quota: expected a number, not a string", code=1, base=KAI),
    # --- what a server with Kueue or KAI refuses, or drops ------------------------------------------
    Mistake('a version that does not exist', 'queue', 'kueue.x-k8s.io/v1beta3', 'kueue.x-k8s.io/v1beta2',
            "ClusterQueue/team: there is no kind 'ClusterQueue' of apiVersion 'kueue.x-k8s.io/v1beta3'",
            "write 'apiVersion: kueue.x-k8s.io/v1beta2' and 'kind: ClusterQueue'", code=1, line=6),
    Mistake('the API group misspelt', 'queue', 'kueue.k8s.io/v1beta2', 'kueue.x-k8s.io/v1beta2',
            "ClusterQueue/team: there is no kind 'ClusterQueue' of apiVersion 'kueue.k8s.io/v1beta2'",
            "write 'apiVersion: kueue.x-k8s.io/v1beta2' and 'kind: ClusterQueue'", code=1, line=6),
    Mistake('a kind in the wrong case', 'queue', 'kind: Clusterqueue', 'kind: ClusterQueue',
            "Clusterqueue/team: there is no kind 'Clusterqueue' of apiVersion 'kueue.x-k8s.io/v1beta2'",
            "write 'apiVersion: kueue.x-k8s.io/v1beta2' and 'kind: ClusterQueue'", code=1, line=6),
    Mistake('`cohort`, which v1beta2 calls `cohortName`', 'queue', 'cohort: lab', 'cohortName: lab',
            "ClusterQueue/team .spec.cohort: unknown field 'cohort': it is one of v1beta1, and this is "
            'v1beta2',
            "write 'cohortName'", line=11),
    Mistake('a quota that is a number with a point', 'queue', 'nominalQuota: 1.5', 'nominalQuota: 8',
            "ClusterQueue/team .spec.resourceGroups[0].flavors[0].resources[0].nominalQuota: '1.5' is "
            'no quantity: a server makes it 1.5 when the object is created, and refuses it in an update',
            'write "1.5"', line=19),
    Mistake('a borrowing limit without cohort', None, '', '',
            'ClusterQueue/team .spec.resourceGroups[0].flavors[0].resources[0].borrowingLimit: '
            'borrowingLimit without cohortName: what has no parent neither borrows nor lends', code=1, line=19,
            base={**KUEUE, "queue": QUEUE.replace("  cohortName: lab\n", "").replace(
                "Quota: 8\n", "Quota: 8\n        borrowingLimit: 4\n")}),
    Mistake('resources in another order than covered', 'queue', '[memory, cpu]', '[cpu, memory]',
            "ClusterQueue/team .spec.resourceGroups[0].flavors[0].resources[0].name: "
            "name is 'cpu' where coveredResources has 'memory'",
            'list the resources of each flavor in the order of coveredResources', code=1, line=18),
    Mistake('coveredResources forgotten', 'queue', '  - flavors:', '  - coveredResources: [cpu, memory]\n    flavors:',
            'ClusterQueue/team .spec.resourceGroups[0]: no coveredResources', code=1, line=14),
    Mistake('borrowWithinCohort while reclaim is Never', 'queue', '  preemption: {reclaimWithinCohort: Never, borrowWithinCohort: {policy: LowerPriority}}\n  namespaceSelector: {}', '  namespaceSelector: {}',
            'ClusterQueue/team .spec.preemption.borrowWithinCohort: '
            'borrowWithinCohort without reclaimWithinCohort, which is Never',
            'set reclaimWithinCohort to LowerPriority or Any', code=1, line=12),
    Mistake('a name with a capital letter', 'queue', 'name: Team', 'name: team',
            "ClusterQueue/Team .metadata.name: 'Team' is not a name: lower-case letters, digits, '-' "
            "and '.', with a letter or digit at both ends and beside each dot", code=1, line=9),
    Mistake('KAI: a version that does not exist', 'queue', 'scheduling.run.ai/v1\n', 'scheduling.run.ai/v2\n',
            "Queue/team: there is no kind 'Queue' of apiVersion 'scheduling.run.ai/v1'",
            "write 'apiVersion: scheduling.run.ai/v2' and 'kind: Queue'", code=1, line=11, base=KAI),
    Mistake('KAI: `parent` for `parentQueue`', 'queue', 'parent: lab', 'parentQueue: lab',
            "Queue/team .spec.parent: unknown field 'parent'",
            "did you mean 'parentQueue'?", line=16, base=KAI),
]


@pytest.fixture(params=MISTAKES, ids=[m.name for m in MISTAKES])
def mistake(request):
    return request.param


def findings(err):
    """(line or None, text, hint or None) of each finding."""
    found = []
    for row in err.splitlines():
        if row.startswith("hint: "):
            found[-1][2] = row[len("hint: "):]
            continue
        match = re.match(r"m\.yaml:(\d+):\d+: (?:error|warning|note): (.*)$", row)
        assert match, row
        found.append([int(match.group(1)), match.group(2), None])
    return found


def test_without_a_mistake(fairlead, write):
    for base in (KUEUE, PODS, KAI):
        write("m.yaml", "---\n".join(base.values()))
        r = fairlead("check", "--strict", "-f", "m.yaml")
        assert r.code == 0, r.err
        assert "\n1 waits" not in fairlead("plan", "--settle", "-f", "m.yaml").out


def test_check_says_it_first(fairlead, write, mistake):
    """What is wrong, at its line, and what to do, before anything that only follows from it."""
    write("m.yaml", mistake.text())
    r = fairlead("check", "-f", "m.yaml")
    line, said, hint = findings(r.err)[0]
    assert r.code == mistake.code
    assert said.startswith(mistake.said) and hint == mistake.hint
    assert mistake.line in (None, line)


def test_the_other_commands_say_it_as_well(fairlead, write, mistake):
    write("m.yaml", mistake.text())
    for verb, (code, *words) in mistake.then.items():
        name = ["lab/train" if mistake.base is KAI else "lab/job/train"] if verb == "explain" else []
        r = fairlead(verb, "-f", "m.yaml", *name)
        assert r.code == code, r.err
        for word in words:
            assert word in r.out + r.err, (verb, word)


GUIDE = SOURCE / "doc" / "guide" / "check.md"
TABLE = re.compile(r"(?<=\n\| mistake \| what check says first \|\n\|---\|---\|\n)(?:\|.*\n)*")


def guide_rows():
    return "".join(f"| {m.name} | {m.said}{f' - *{m.hint}*' if m.hint else ''} |\n" for m in MISTAKES)


def test_the_guide_has_them_all():
    """Each row of the guide's table is a mistake of this one, with the words that check begins with."""
    # after a change of wording: python3 tests/cli/test_mistakes.py --write
    assert TABLE.findall(GUIDE.read_text(encoding="utf-8")) == [guide_rows()]


@pytest.mark.parametrize("there,asked,hint", [
    ("default", "defaults", "did you mean 'default'?"),
    ("team-a", "team-b", None),  # another one of a series, which may be gone on purpose
    ("team-10", "team-11", None),
    ("rack-1-a", "rack-2-a", None),
    ("team-a", "tema-b", "did you mean 'team-a'?"),
    ("ab", "xy", None),  # too short to tell
])
def test_what_is_offered(fairlead, write, there, asked, hint):
    write("m.yaml", "---\n".join([FLAVOR, QUEUE.replace("name: team", "name: " + there),
                                  LOCAL.replace("clusterQueue: team", "clusterQueue: " + asked)]))
    assert findings(fairlead("check", "-f", "m.yaml").err)[0][1:] == [
        f"LocalQueue/lab/main: cluster queue '{asked}' does not exist", hint]


def test_there_are_thirty():
    assert len({m.name for m in MISTAKES}) == len(MISTAKES) >= 30


if __name__ == "__main__" and sys.argv[1:] == ["--write"]:
    GUIDE.write_text(TABLE.sub(lambda _: guide_rows(), GUIDE.read_text(encoding="utf-8")), encoding="utf-8")
