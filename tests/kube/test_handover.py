# SPDX-License-Identifier: Apache-2.0
"""fairlead handover against a fake API server, beside which a stand-in for Kueue says that queues are stopped.

What the real Kueue does is tried in tests/e2e/test_handover.py.
"""
import json
import os
import pathlib
import pty
import select
import subprocess
import threading
import time

import jsonschema
import pytest
import watching
from fake import Fault
from followed import kubeconfig

MARK = "fairlead.dev/scheduler"
SCHEMA = pathlib.Path(os.environ["FAIRLEAD_SOURCE"]) / "doc" / "schema" / "handover.schema.json"
CHECKS = {"admissionChecksStrategy": {"admissionChecks": [{"name": "prov"}]}}


class Hurry:
    """Clocks of the command run ten times as fast, where there is the library for it: it waits for seconds of its own."""

    def __init__(self, file):
        self.file, self.over = file, threading.Event()
        self.file.write_text("0")
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        for ahead in range(1, 100000):
            if self.over.wait(0.1):
                return
            self.file.with_suffix(".new").write_text(str(ahead))
            self.file.with_suffix(".new").rename(self.file)

    def end(self):
        self.over.set()
        self.thread.join()


class Done:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def json(self):
        answer = json.loads(self.out)
        jsonschema.validate(answer, json.loads(SCHEMA.read_text()))
        return answer


class Cluster:
    """Queues a and b of cohort `team`, and a queue `lone`, with a local queue of the same name each."""

    def __init__(self, fake, folder, certificate):
        self.fake, self.folder = fake, folder
        self.config = kubeconfig(folder, fake.port, certificate.file)
        self.kueue_stops, self.hurried, self.inactive = True, {}, {"fairlead"}
        fake.plain = True
        fake.kinds["kueue.x-k8s.io"]["v1beta2"] += ["admissionchecks"]
        fake.put("namespaces", None, "default")
        fake.put("resourceflavors", None, "default", spec={})
        for name, cohort in ("a", "team"), ("b", "team"), ("lone", None):
            self.queue(name, cohort)
        self.configure({})
        fake.after_patch = lambda plural, name: self.say_stopped(name)

    def queue(self, name, cohort=None, cpu=4, metadata=(), **spec):
        self.fake.put("clusterqueues", None, name, metadata={"generation": 1, **dict(metadata)}, spec={
            **watching.queue(cpu), "stopPolicy": "None", **({"cohortName": cohort} if cohort else {}), **spec})
        self.fake.put("localqueues", "default", name, spec={"clusterQueue": name})
        self.say_stopped(name)

    def change(self, name, metadata=(), **spec):
        """As anybody else would."""
        with self.fake.lock:
            old = self.fake.objects["clusterqueues"][None, name]
            meta = {k: v for k, v in old["metadata"].items() if k != "resourceVersion"}
            meta["generation"] += bool(spec)
            self.fake.put("clusterqueues", None, name, metadata={**meta, **dict(metadata)},
                          spec={**old["spec"], **spec}, status=old.get("status", {}))

    def say_stopped(self, name):
        if not self.kueue_stops:
            return
        with self.fake.lock:
            old = self.fake.objects["clusterqueues"][None, name]
            stopped = old["spec"]["stopPolicy"] != "None"
            inactive = [c["name"] for c in old["spec"].get("admissionChecksStrategy", {}).get("admissionChecks", ()) if c["name"] in
                        self.inactive]
            meta = {k: v for k, v in old["metadata"].items() if k != "resourceVersion"}
            said = f"Can't admit new workloads: references inactive AdmissionCheck(s): {','.join(inactive)}." if inactive else ""
            self.fake.put("clusterqueues", None, name, metadata=meta, spec=old["spec"], status={"conditions": [{
                **watching.condition("Active", not stopped and not inactive, "Stopped" if stopped else
                                     "AdmissionCheckInactive" if inactive else "Ready"), "message": said}]})

    def configure(self, configuration):
        text = json.dumps({"apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration", **configuration})
        self.fake.put("configmaps", "kueue-system", "kueue-manager-config", data={"controller_manager_config.yaml": text})

    def workload(self, name, queue, cpu=1, held=False, metadata=(), status=(), podset=(), finished=False, **spec):
        conditions = [watching.condition("QuotaReserved"), watching.condition("Admitted")] if held else []
        conditions += [watching.condition("Finished")] if finished else []
        admission = {"admission": {"clusterQueue": queue, "podSetAssignments": [{
            "name": "main", "count": 1, "flavors": {"cpu": "default"}, "resourceUsage": {"cpu": str(cpu)}}]}} if held else {}
        self.fake.put("workloads", "default", name, metadata={"creationTimestamp": "2026-11-01T10:00:00Z", **dict(metadata)},
                      status={"conditions": conditions, **admission, **dict(status)}, spec={
                          "queueName": queue, "priority": 0, "active": True, "podSets": [{
                              "name": "main", "count": 1, "template": {"spec": {"containers": [{
                                  "name": "c", "image": "x", "resources": {"requests": {"cpu": str(cpu)}}}]}}, **dict(podset)}],
                          **spec})

    def environment(self):
        kept = {name: os.environ[name] for name in ("PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS") if name in os.environ}
        return {**kept, "KUBECONFIG": str(self.config), "TMPDIR": str(self.folder), "TERM": "dumb", "COLUMNS": "150", **self.hurried}

    def run(self, *words):
        done = subprocess.run([os.environ["FAIRLEAD"], "handover", *words, "--context", "fake"], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120, check=False, env=self.environment())
        return Done(done.returncode, done.stdout, done.stderr)

    def at_terminal(self, *words, types):
        """Standard input is a terminal, at which @types is typed when it asks."""
        master, slave = pty.openpty()
        process = subprocess.Popen([os.environ["FAIRLEAD"], "handover", *words, "--context", "fake"], stdin=slave,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment())
        os.close(slave)
        read = ""
        while "[y/N]" not in read and select.select([process.stderr], [], [], 60)[0]:
            more = os.read(process.stderr.fileno(), 4096).decode()
            assert more, read
            read += more
        os.write(master, types.encode())
        out, err = process.communicate(timeout=120)
        os.close(master)
        return Done(process.returncode, out, read + err)

    def standing(self, name):
        one = self.fake.objects["clusterqueues"][None, name]
        return one["spec"]["stopPolicy"], one["metadata"].get("annotations", {}).get(MARK)

    def check(self, name, controller="example.com/licence"):
        self.fake.put("admissionchecks", None, name, spec={"controllerName": controller})

    def checks(self, name):
        """Names of its admission checks, and those that the annotation has."""
        one = self.fake.objects["clusterqueues"][None, name]
        rows = one["spec"].get("admissionChecksStrategy", {}).get("admissionChecks", ())
        return [c["name"] for c in rows], one["metadata"].get("annotations", {}).get("fairlead.dev/checks")

    def take_time(self):
        self.hurried = {}

    def patches(self):
        return [path.partition("?")[0] for verb, _, path in self.fake.requests if verb == "patch"]

    def only_v1beta1(self):
        del self.fake.kinds["kueue.x-k8s.io"]["v1beta2"]
        for name in "ab":
            self.change(name, cohort="team")

    def is_unchanged(self):
        return not self.patches()


@pytest.fixture
def cluster(fake, tmp_path, certificate):
    """Where the command does not wait as long as it says, unless the test calls take_time."""
    made = Cluster(fake, tmp_path, certificate)
    if "FAIRLEAD_CLOCK" not in os.environ:
        yield made
        return
    hurry = Hurry(tmp_path / "time")
    made.hurried = {"LD_PRELOAD": os.environ["FAIRLEAD_CLOCK"], "TIME_FILE": str(hurry.file)}
    yield made
    hurry.end()


# --- over and back ---


@pytest.mark.parametrize("name", ["a", "cohort/team"])
def test_a_whole_tree_by_any_of_its_names(cluster, name):
    cluster.take_time()
    cluster.workload("waits", "a")
    cluster.workload("runs", "a", held=True)
    cluster.workload("done", "a", held=True, finished=True)
    began = time.monotonic()
    done = cluster.run(name, "--yes")
    assert done.code == 0, done.err
    assert time.monotonic() - began >= 3
    assert cluster.standing("a") == cluster.standing("b") == ("Hold", "true")
    assert cluster.standing("lone") == ("None", None)
    lines = [line.split() for line in done.out.splitlines()]
    assert ["a", "cpu", "4", "None", "->", "Hold", "Kueue", "->", "fairlead", "1", "1"] in lines
    assert "ClusterQueue b: handed over" in done.out and "The tree of cohort team is handed over" in done.out
    assert "no new reservation for 3 s" in done.out


def test_a_queue_without_a_cohort_is_a_tree(cluster):
    done = cluster.run("lone", "--yes")
    assert done.code == 0 and "The tree of ClusterQueue lone is handed over" in done.out, done.err
    assert cluster.standing("lone") == ("Hold", "true") and cluster.standing("a") == ("None", None)


def test_it_writes_with_the_version_that_it_has_just_read(cluster):
    assert cluster.run("team", "--yes").code == 0
    assert cluster.patches() == [f"/apis/kueue.x-k8s.io/v1beta2/clusterqueues/{name}" for name in "abab"]
    assert [verb for verb, _, _ in cluster.fake.requests if verb not in ("list", "watch", "one", "patch", "get")] == []


def test_a_tree_that_is_handed_over_already(cluster):
    assert cluster.run("team", "--yes").code == 0
    before = len(cluster.patches())
    done = cluster.run("team", "--yes")
    assert done.code == 0 and done.out == "The tree of cohort team is handed over already\n" and len(cluster.patches()) == before


def test_a_dry_run_where_nothing_is_left(cluster):
    assert "It is Kueue's already" in cluster.run("team", "--back", "--dry-run").out
    assert cluster.run("team", "--yes").code == 0
    assert "It is handed over already" in cluster.run("team", "--dry-run").out


def test_half_a_tree_is_finished(cluster):
    cluster.change("a", {"annotations": {MARK: "true", "other": "kept"}}, stopPolicy="Hold")
    cluster.say_stopped("a")
    seen = []

    def after(plural, name):
        cluster.say_stopped(name)
        seen.append((*cluster.standing("a"), *cluster.standing("b")))

    cluster.fake.after_patch = after
    done = cluster.run("team", "--yes")
    assert done.code == 0 and "A part of it is handed over already" in done.out, done.err
    assert "ClusterQueue b: handed over" in done.out
    # Where fairlead decides already it stops first: it must not find the tree whole before Kueue has stopped.
    assert seen == [("Hold", "handover", "None", None), ("Hold", "handover", "Hold", "handover"), ("Hold", "true", "Hold", "handover"),
                    ("Hold", "true", "Hold", "true")]
    assert cluster.fake.objects["clusterqueues"][None, "a"]["metadata"]["annotations"]["other"] == "kept"


@pytest.mark.parametrize("before", [None, "", "kept"])
def test_the_label_is_there_between_the_steps(cluster, before):
    """By it a policy of the API server refuses what Kueue decided before; somebody's own stays as it is."""
    labels = {"other": "kept"} | ({MARK: before} if before is not None else {})
    cluster.change("a", {"labels": labels})
    seen = []

    def after(plural, name):
        cluster.say_stopped(name)
        seen.append(cluster.fake.objects["clusterqueues"][None, "a"]["metadata"]["labels"])

    cluster.fake.after_patch = after
    for words in ["--yes"], ["--back", "--yes"]:
        assert cluster.run("team", *words).code == 0
        assert seen[1] == {"other": "kept", MARK: "handover" if before is None else before} and seen[-1] == labels
        seen.clear()


STOPS = [  # before, handed over, given back again
    (("None", None), ("Hold", "true"), ("None", None)),
    (("Hold", None), ("Hold", "hold"), ("Hold", None)),
    (("HoldAndDrain", None), ("Hold", "drain"), ("HoldAndDrain", None)),
    (("None", "true"), ("Hold", "true"), ("None", None)),
    (("None", "hold"), ("Hold", "hold"), ("Hold", None)),
    (("HoldAndDrain", "true"), ("Hold", "drain"), ("HoldAndDrain", None)),
    (("Hold", "handover"), ("Hold", "true"), ("None", None)),
]


@pytest.mark.parametrize("before, over, back", STOPS, ids=[f"{s}-{m}" for (s, m), _, _ in STOPS])
def test_a_stop_outlives_both_ways(cluster, before, over, back):
    stop, mark = before
    cluster.change("a", {"annotations": {MARK: mark} if mark else {}}, stopPolicy=stop)
    cluster.say_stopped("a")
    assert cluster.run("team", "--yes").code == 0
    assert cluster.standing("a") == over
    assert cluster.run("team", "--back", "--yes").code == 0
    assert cluster.standing("a") == back and cluster.standing("b") == ("None", None)


@pytest.mark.parametrize("words, end", [((), ("Hold", "true")), (("--back",), ("None", None))], ids=["over", "back"])
def test_never_do_both_decide(cluster, words, end):
    """All queues are between them for the time of the barrier."""
    cluster.take_time()
    if words:
        for name in "ab":
            cluster.change(name, {"annotations": {MARK: "true"}}, stopPolicy="Hold")
            cluster.say_stopped(name)
    seen, times = [], []

    def after(plural, name):
        cluster.say_stopped(name)
        seen.append((name, cluster.standing(name)))
        times.append(time.monotonic())

    cluster.fake.after_patch = after
    done = cluster.run("team", *words, "--yes")
    assert done.code == 0, done.err
    assert seen == [("a", ("Hold", "handover")), ("b", ("Hold", "handover")), ("a", end), ("b", end)]
    assert times[2] - times[1] >= 3


@pytest.mark.parametrize("words, end", [((), ("Hold", "true")), (("--back",), ("None", None))], ids=["over", "back"])
def test_it_ended_in_the_middle(cluster, words, end):
    """The barrier is waited for once more, whichever way it goes on."""
    cluster.take_time()
    for name in "ab":
        cluster.change(name, {"annotations": {MARK: "handover"}}, stopPolicy="Hold")
        cluster.say_stopped(name)
    began = time.monotonic()
    assert cluster.run("team", *words, "--yes").code == 0
    assert time.monotonic() - began >= 3 and cluster.standing("a") == cluster.standing("b") == end


def test_nobody_reads_what_it_says(cluster):
    """`| head`: it goes its way to the end, and says that it could not say all."""
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([os.environ["FAIRLEAD"], "handover", "team", "--yes", "--context", "fake"], stdin=subprocess.DEVNULL, stdout=write,
                          stderr=subprocess.PIPE, text=True, timeout=120, check=False, env=cluster.environment())
    os.close(write)
    assert done.returncode == 3 and cluster.standing("a") == cluster.standing("b") == ("Hold", "true"), done.stderr


def test_back_of_half_a_tree(cluster):
    """What Kueue decides for meanwhile is not waited for."""
    cluster.change("a", {"annotations": {MARK: "true"}}, stopPolicy="Hold")
    cluster.say_stopped("a")
    done = cluster.run("team", "--back", "--yes")
    assert done.code == 0 and cluster.standing("a") == ("None", None), done.err


def test_back_of_what_is_kueues(cluster):
    done = cluster.run("team", "--back", "--yes")
    assert done.code == 0 and "The tree of cohort team is Kueue's" in done.out and cluster.is_unchanged()


def test_back_names_whom_kueue_may_preempt(cluster):
    """Two of a's six are beyond its quota, and b may take back its own; of b nobody is."""
    assert cluster.run("team", "--yes").code == 0
    cluster.change("b", preemption={"reclaimWithinCohort": "Any"})
    for k in range(6):
        cluster.workload(f"borrows-{k}", "a", held=True)
    cluster.workload("within", "b", held=True)
    done = cluster.run("team", "--back", "--dry-run")
    assert done.code == 0 and "Kueue may preempt these afterwards" in done.out, done.err
    assert "a, cpu in default, 2 over: " + ", ".join(f"default/borrows-{k}" for k in range(6)) in done.out
    assert "within" not in done.out
    over = cluster.run("team", "--back", "--dry-run", "-o", "json").json()["over"]
    assert over == [{"clusterQueue": "a", "resource": "cpu", "flavor": "default", "over": "2",
                     "workloads": [f"default/borrows-{k}" for k in range(6)]}]


def test_pods_that_are_done_count_no_more(cluster):
    """Of four pods two are done: the Workload holds two cpu of the five in a queue with four."""
    cluster.change("a", {"annotations": {MARK: "true"}}, stopPolicy="Hold")
    cluster.change("b", {"annotations": {MARK: "true"}}, stopPolicy="Hold", preemption={"reclaimWithinCohort": "Any"})
    cluster.workload("shrinks", "a", held=True, podset={"count": 4}, status={
        "reclaimablePods": [{"name": "main", "count": 2}], "admission": {"clusterQueue": "a", "podSetAssignments": [
            {"name": "main", "count": 4, "flavors": {"cpu": "default"}, "resourceUsage": {"cpu": "4"}}]}})
    for k in range(3):
        cluster.workload(f"whole-{k}", "a", held=True)
    over = cluster.run("team", "--back", "--dry-run", "-o", "json").json()["over"]
    assert [(o["over"], o["workloads"]) for o in over] == [("1", ["default/shrinks"] + [f"default/whole-{k}" for k in range(3)])]


def test_back_names_nobody_where_nobody_reclaims(cluster):
    for k in range(6):
        cluster.workload(f"borrows-{k}", "a", held=True)
    cluster.change("a", {"annotations": {MARK: "true"}}, stopPolicy="Hold", preemption={"reclaimWithinCohort": "Any"})
    assert cluster.run("team", "--back", "--dry-run", "-o", "json").json()["over"] == []


# --- asking ---


def test_nothing_is_changed_without_a_terminal(cluster):
    done = cluster.run("team")
    assert done.code == 2 and "there is no terminal" in done.err and cluster.fake.requests == []
    done = cluster.run("team", "-o", "json")
    assert done.code == 2 and "does not ask" in done.err and cluster.fake.requests == []


@pytest.mark.parametrize("types", ["\n", "n\n", "no\n", "Y es\n", "\x04"])
def test_any_other_answer_is_no(cluster, types):
    done = cluster.at_terminal("team", types=types)
    assert done.code == 1 and "nothing is changed" in done.err and cluster.is_unchanged()
    assert "None -> Hold" in done.out


@pytest.mark.parametrize("types", ["y\n", "yes\n"])
def test_yes(cluster, types):
    done = cluster.at_terminal("team", types=types)
    assert done.code == 0 and "Hand the tree over to fairlead? [y/N]" in done.err, done.err
    assert cluster.standing("a") == cluster.standing("b") == ("Hold", "true")


def test_dry_run(cluster):
    done = cluster.run("team", "--dry-run")
    assert done.code == 0 and "None -> Hold" in done.out and cluster.is_unchanged()
    answer = cluster.run("team", "--dry-run", "-o", "json").json()
    assert cluster.is_unchanged() and answer["dryRun"] and not answer["done"] and answer["tree"] == "cohort team"
    assert answer["clusterQueues"][0] == {
        "clusterQueue": "a", "nominalQuota": "cpu 4", "before": {"stopPolicy": "None", "scheduler": None, "check": False},
        "after": {"stopPolicy": "Hold", "scheduler": "true", "check": False}, "pending": 0, "holding": 0, "changes": True, "done": False}


def test_json_says_what_was_done(cluster):
    cluster.change("b", {"annotations": {MARK: "true"}}, stopPolicy="Hold")
    cluster.say_stopped("b")
    answer = cluster.run("team", "--yes", "-o", "json").json()
    assert answer["done"] and [(q["clusterQueue"], q["changes"], q["done"]) for q in answer["clusterQueues"]] == [
        ("a", True, True), ("b", False, False)]


# --- names ---


def test_a_name_that_is_not_there(cluster):
    done = cluster.run("teem", "--yes")
    assert done.code == 1 and "there is no cohort or ClusterQueue 'teem'" in done.err and "did you mean 'team'?" in done.err
    assert cluster.run("cohort/a", "--yes").code == 1 and cluster.run("queue/team", "--yes").code == 1
    assert cluster.is_unchanged()


def test_a_name_of_two_trees(cluster):
    cluster.queue("team", None)
    done = cluster.run("team", "--yes")
    assert done.code == 1 and "hint: say cohort/team or queue/team" in done.err and cluster.is_unchanged()
    assert cluster.run("queue/team", "--yes").code == 0
    assert cluster.standing("team") == ("Hold", "true") and cluster.standing("a") == ("None", None)


# --- what is refused: a row a reason ---

def annotated(**annotations):
    return {"annotations": {f"kueue.x-k8s.io/{k.replace('_', '-')}": v for k, v in annotations.items()}}


REFUSALS = {
    "cycle": (lambda c: (c.fake.put("cohorts", None, "team", spec={"parentName": "up"}),
                         c.fake.put("cohorts", None, "up", spec={"parentName": "team"})),
              "ClusterQueue/a: is in a cycle of cohorts"),
    "unknown annotation": (lambda c: c.change("a", {"annotations": {MARK: "yes"}}),
                           'ClusterQueue/a: has the annotation fairlead.dev/scheduler: "yes"'),
    "deleted": (lambda c: c.change("b", {"deletionTimestamp": "2026-11-01T10:00:00Z"}), "ClusterQueue/b: is being deleted"),
    "an admission check that is not there": (lambda c: c.change("a", **CHECKS),
                                             "ClusterQueue/a: has the admission check prov, and there is no such AdmissionCheck"),
    "admission checks of v1beta1": (lambda c: (c.only_v1beta1(), c.change("a", admissionChecks=["mine"])),
                                    "has admission checks in a field that only v1beta1 has (mine)"),
    "ProvisioningRequest": (lambda c: (c.change("a", **CHECKS), c.check("prov", "kueue.x-k8s.io/provisioning-request")),
                            "has the admission check prov, for which ProvisioningRequests are made"),
    "MultiKueue": (lambda c: (c.change("a", **CHECKS), c.check("prov", "kueue.x-k8s.io/multikueue")),
                   "has the admission check prov, for which workloads run in another cluster"),
    "a check of fairlead's name": (lambda c: (c.change("a", **CHECKS), c.check("prov"), c.check("fairlead")),
                                   "has admission checks, and the AdmissionCheck fairlead is of example.com/licence"),
    "as many checks as there may be": (lambda c: ([c.check(f"c{k}") for k in range(8)], c.change("a", admissionChecksStrategy={
        "admissionChecks": [{"name": f"c{k}"} for k in range(8)]})), "has as many admission checks as a Workload may have"),
    "MultiKueue of a workload": (lambda c: c.workload("far", "a", status={"clusterName": "far"}),
                                 "Workload/default/far .status.clusterName: runs in another cluster"),
    "Admission Fair Sharing": (lambda c: (
        c.configure({"admissionFairSharing": {"usageHalfLifeTime": "1h", "usageSamplingInterval": "1m"}}),
        c.change("a", admissionScope={"admissionMode": "UsageBasedAdmissionFairSharing"})),
        "ClusterQueue/a: orders local queues by their usage"),
    "gated": (lambda c: c.workload("gated", "b", metadata=annotated(admission_gated_by="x")),
              "Workload/default/gated .metadata.annotations.kueue.x-k8s.io/admission-gated-by: is gated"),
    "topology of a flavor": (lambda c: c.fake.put("resourceflavors", None, "default", spec={"topologyName": "racks"}),
                             "ResourceFlavor/default .spec.topologyName: has a topology"),
    "topology of a workload": (lambda c: c.workload("near", "a", podset={"topologyRequest": {"required": "rack"}}),
                               "Workload/default/near .spec.podSets[0].topologyRequest.required: asks for a topology"),
    "topology of one that runs": (lambda c: c.workload("near", "a", held=True, podset={"topologyRequest": {"preferred": "rack"}}),
                                  "asks for a topology"),
    "waitForPodsReady": (lambda c: c.configure({"waitForPodsReady": {"timeout": "5m", "blockAdmission": True}}),
                         "blocks all admissions until the pods of the last one are ready"),
    "quotaCheckStrategy": (lambda c: c.configure({"resources": {"quotaCheckStrategy": "IgnoreUndeclared"}}),
                           "passes over resources that a queue does not have"),
    "slices": (lambda c: c.workload("wide", "a", metadata=annotated(elastic_job="true")), "is of an elastic job"),
    "concurrent admission": (lambda c: c.change("a", concurrentAdmissionPolicy={"migration": {"mode": "RetainFirstAdmission"}}),
                             "admits its workloads in several variants"),
    "preemption gates": (lambda c: c.workload("polite", "a", preemptionGates=[{"name": "x"}]),
                         "may preempt only when its gates are open"),
    "device claims": (lambda c: c.workload("gpus", "a", podset={"template": {"spec": {
        "resourceClaims": [{"name": "gpu"}], "containers": [{"name": "c", "image": "x"}]}}}), "claims devices"),
    "no Configuration": (lambda c: c.fake.delete("configmaps", "kueue-system", "kueue-manager-config"),
                         "Kueue's Configuration cannot be read"),
    "a Configuration that may not be listed": (lambda c: c.fake.forbidden.add(("list", "configmaps")),
                                               "Kueue's Configuration cannot be read"),
}


def unreadable(cluster, queue):
    """It is admitted there, with an amount that is beyond all numbers here."""
    cluster.workload("huge", queue, held=True, cpu="9e30")


def test_a_tree_of_which_it_is_not_known_how_much_is_held_is_refused_and_others_are_not(cluster):
    unreadable(cluster, "a")
    done = cluster.run("team", "--yes")
    assert done.code == 1 and "how much it holds cannot be read" in done.err and "Workload/default/huge" in done.err, done.err
    assert cluster.is_unchanged()
    assert cluster.run("lone", "--yes").code == 0 and cluster.standing("lone") == ("Hold", "true")


def test_what_is_held_nobody_knows_where_is_refused_for_all_trees(cluster):
    unreadable(cluster, "nosuch")
    for tree in ("team", "lone"):
        done = cluster.run(tree, "--yes")
        assert done.code == 1 and "how much it holds cannot be read" in done.err and cluster.is_unchanged()


@pytest.mark.parametrize("make, text", REFUSALS.values(), ids=list(REFUSALS))
def test_refused(cluster, make, text):
    make(cluster)
    done = cluster.run("team", "--yes")
    assert done.code == 1 and text in done.err and "hint: " in done.err, (done.out, done.err)
    assert "cohort " in done.err and "it is not handed over, for " in done.err
    assert cluster.is_unchanged() and done.out == ""
    answer = cluster.run("team", "--yes", "-o", "json")
    assert answer.code == 1 and answer.json()["refused"] and not answer.json()["done"] and cluster.is_unchanged()
    # The way back is open all the same.
    assert cluster.run("team", "--back", "--yes").code == 0


ACCEPTED = {
    "a gate whose feature is off": lambda c: (
        c.workload("gated", "b", metadata=annotated(admission_gated_by="x")), c.configure({"featureGates": {"AdmissionGatedBy": False}})),
    "a gate of another tree": lambda c: c.workload("gated", "lone", metadata=annotated(admission_gated_by="x")),
    "a gate of one that is finished": lambda c: c.workload("gated", "a", metadata=annotated(admission_gated_by="x"), finished=True),
    "a topology of another tree's flavor": lambda c: c.fake.put("resourceflavors", None, "racks", spec={"topologyName": "racks"}),
    "a request without a wish": lambda c: c.workload("job", "a", podset={"topologyRequest": {"podIndexLabel": "i"}}),
    "checks of another tree": lambda c: c.change("lone", **CHECKS),
    "usage that no queue orders by": lambda c: c.configure({"admissionFairSharing": {
        "usageHalfLifeTime": "1h", "usageSamplingInterval": "1m"}}),
    "pods that nobody waits for": lambda c: c.configure({"waitForPodsReady": {"timeout": "5m"}}),
}


@pytest.mark.parametrize("make", ACCEPTED.values(), ids=list(ACCEPTED))
def test_not_refused(cluster, make):
    make(cluster)
    done = cluster.run("team", "--dry-run")
    assert done.code == 0, done.err


def test_all_reasons_at_once(cluster):
    cluster.change("a", **CHECKS)
    cluster.workload("gated", "b", metadata=annotated(admission_gated_by="x"))
    done = cluster.run("team", "--yes")
    assert done.code == 1 and "for 2 reasons" in done.err
    assert [r["rule"] for r in cluster.run("team", "--yes", "-o", "json").json()["refused"]] == ["admission checks", "a gate on admission"]


# --- others, and faults ---


def test_kueue_writes_a_queue_all_the_time(cluster):
    """A status of its own between reading and writing, five times: no new question, and no new reading of all."""
    left = [5]

    def before(plural, name):
        if left[0]:
            left[0] -= 1
            cluster.say_stopped(name)

    cluster.fake.before_patch = before
    done = cluster.run("team", "--yes")
    assert done.code == 0 and "read again" not in done.out, done.err
    assert len(cluster.patches()) == 9 and cluster.standing("a") == ("Hold", "true")


def test_a_queue_that_is_written_for_ever(cluster):
    cluster.fake.before_patch = lambda plural, name: cluster.say_stopped(name)
    done = cluster.run("team", "--yes")
    assert done.code == 3 and "ClusterQueue a: it is written by others all the time" in done.err
    assert "0 of 2 ClusterQueues of the tree are on Hold for the handover" in done.err


def test_somebody_changes_a_queue_meanwhile(cluster):
    """All is read and checked again: here with a reason against it."""
    def before(plural, name):
        cluster.fake.before_patch = lambda *_: None
        cluster.change("b", **CHECKS)

    cluster.fake.before_patch = before
    done = cluster.run("team", "--yes")
    assert done.code == 1 and "ClusterQueue b was changed by another: all is read again" in done.out
    assert "has the admission check prov" in done.err and "what is changed already stays on Hold" in done.err
    assert "--back" in done.err
    assert cluster.standing("a") == ("Hold", "handover") and cluster.standing("b") == ("None", None)
    assert cluster.run("team", "--back", "--yes").code == 0
    assert cluster.standing("a") == ("None", None)


def test_a_queue_that_joins_meanwhile(cluster):
    """The tree is read again after it: whole or not at all."""
    def after(plural, name):
        cluster.say_stopped(name)
        if name == "b" and (None, "late") not in cluster.fake.objects["clusterqueues"]:
            cluster.queue("late", "team")

    cluster.fake.after_patch = after
    assert cluster.run("team", "--yes").code == 0
    assert cluster.standing("late") == ("Hold", "true")


def test_an_error_at_the_end_of_the_way(cluster):
    """Behind the barrier; the same command has to wait once more, as it does not know."""
    serve, left = cluster.fake.patch, [3]

    def patch(*words):
        left[0] -= 1
        if left[0] < 0:
            cluster.fake.status(words[0], 500, "No", "no")
        else:
            serve(*words)

    cluster.fake.patch = patch
    done = cluster.run("team", "--yes")
    assert done.code == 3 and "1 of 2 ClusterQueues of the tree are as they shall be" in done.err and "b: is not" in done.err, done.err
    cluster.fake.patch = serve
    done = cluster.run("team", "--yes")
    assert done.code == 0 and "ClusterQueue a: on Hold" in done.out and "Kueue has stopped" in done.out, done.err
    assert cluster.standing("a") == cluster.standing("b") == ("Hold", "true")


@pytest.mark.parametrize("status, hint", [(500, "does Kueue's manager run?"), (403, "ClusterRole"), (422, "go on with the same command")])
def test_an_error_in_the_middle(cluster, status, hint):
    serve = cluster.fake.patch

    def patch(conn, api, plural, namespace, name, change):
        if name == "b":
            cluster.fake.status(conn, status, "No", "no")
        else:
            serve(conn, api, plural, namespace, name, change)

    cluster.fake.patch = patch
    done = cluster.run("team", "--yes")
    assert done.code == 3 and hint in done.err, done.err
    assert "1 of 2 ClusterQueues of the tree are on Hold for the handover" in done.err and "b: is not" in done.err
    assert "go on with the same command, or back with --back" in done.err
    assert cluster.standing("a") == ("Hold", "handover") and cluster.standing("b") == ("None", None)
    cluster.fake.patch = serve
    done = cluster.run("team", "--yes")
    assert done.code == 0 and cluster.standing("b") == ("Hold", "true"), done.err


def test_the_server_goes_in_the_middle(cluster):
    def before(plural, name):
        if name == "b":
            cluster.fake.close()

    cluster.fake.before_patch = before
    done = cluster.run("team", "--yes")
    assert done.code == 3 and "1 of 2 ClusterQueues of the tree are on Hold for the handover" in done.err, done.err


# --- the barrier ---


def test_reservations_that_come_late(cluster):
    """Each of them begins the quiet time anew."""
    cluster.take_time()
    def late():
        time.sleep(1)
        for k in range(3):
            cluster.workload(f"late-{k}", "a", held=True)
            time.sleep(1)
        cluster.workload("theirs", "lone", held=True)

    began = []

    def after(plural, name):
        cluster.say_stopped(name)
        if name == "b" and not began:
            began.append(time.monotonic())
            threading.Thread(target=late).start()

    cluster.fake.after_patch = after
    done = cluster.run("team", "--yes")
    assert done.code == 0 and "(3 came late" in done.out, (done.out, done.err)
    assert time.monotonic() - began[0] >= 6


def test_a_queue_that_is_not_stopped_soon(cluster):
    cluster.take_time()
    cluster.kueue_stops = False

    def after(plural, name):
        def stop():
            cluster.kueue_stops = True
            for queue in "ab":
                cluster.say_stopped(queue)

        if name == "b" and not cluster.kueue_stops:
            threading.Timer(4, stop).start()

    cluster.fake.after_patch = after
    began = time.monotonic()
    assert cluster.run("team", "--yes").code == 0
    assert time.monotonic() - began >= 7


def test_kueue_does_not_stop(cluster):
    cluster.kueue_stops = False
    done = cluster.run("team", "--yes")
    assert done.code == 3 and "2 of 2 ClusterQueues do not say after 60 s that they are stopped, such as a" in done.err
    assert "the same command waits again; --back goes back" in done.err and "is handed over" not in done.out
    assert cluster.standing("a") == cluster.standing("b") == ("Hold", "handover")


def test_watches_may_be_forbidden(cluster):
    cluster.fake.forbidden.add(("watch", "workloads"))
    done = cluster.run("team", "--yes")
    assert done.code == 3 and "workloads is forbidden" in done.err, done.err


def test_watches_that_break(cluster):
    """What is heard again after a cut counts, and the quiet time begins behind it."""
    cluster.fake.faults += [("watch", "workloads", Fault(at=10, how="reset")), ("watch", "clusterqueues", Fault(status=500))]
    done = cluster.run("team", "--yes")
    assert done.code == 0, done.err
