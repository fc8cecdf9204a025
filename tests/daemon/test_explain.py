# SPDX-License-Identifier: Apache-2.0
"""What explain proposes on a machine: never more than there is, and what it says comes true."""
import json
import os
import re
import subprocess

import pytest

from conftest import Daemon, end
from test_isolation import root_only, somebody

HEAD = """\
apiVersion: fairlead.dev/v1alpha1
kind: Daemon
metadata: {name: test}
spec:
  machine:
    COHORT
    flavors:
    - {name: default, resources: {cpu: "4", memory: 4Gi}}
  jobs: {grace: 1s}
  access: {withoutAccount: allow}
  cycleInterval: 5ms
"""

QUEUE = """---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: NAME}
spec:
  PARENT
  namespaceSelector: {}
  preemption: {reclaimWithinCohort: Any}
"""

QUOTA = """\
  resourceGroups:
  - coveredResources: [cpu, memory]
    flavors: [{name: default, resources: [{name: cpu, nominalQuota: CPU}, {name: memory, nominalQuota: 0}]}]
"""


def queue(name, parent="cohortName: machine", cpu=None):
    text = QUEUE.replace("NAME", name).replace("PARENT", parent)
    return text if cpu is None else text + QUOTA.replace("CPU", cpu)


def started(folder, *queues, cohort="cohort: machine"):
    (folder / "daemon.yaml").write_text(HEAD.replace("COHORT", cohort) + "".join(queues))
    return Daemon(folder, folder / "daemon.yaml").start()


def asks(daemon, queue, cpu):
    return daemon.submit("sleep", "1000", queue=queue, requests={"cpu": cpu})


def proposals(daemon, job):
    answer = daemon.get(f"/v1/jobs/{job}/explain?format=json").json()
    assert daemon.get(f"/v1/workloads/default/{job}/explain?format=json").json()["workload"] == answer["workload"]
    for wrong in "none", "0", "9" * 40:
        assert daemon.get(f"/v1/workloads/default/{wrong}/explain").status == 404
    return {c["field"]: c for p in answer.get("proposals", []) for c in p["changes"]}


@pytest.mark.parametrize("queues, cohort", [
    ((queue("a"), queue("b")), "cohort: machine"),
    ((queue("a", cpu="1"), queue("b", cpu="3")), "cohort: machine"),
    ((queue("a", "cohortName: other", "1"), queue("b", "cohortName: other", "3")), ""),
])
def test_no_quota_beyond_the_machine(tmp_path, queues, cohort):
    daemon = started(tmp_path, *queues, cohort=cohort)
    try:
        larger = asks(daemon, "a", "5")     # than the machine: no quota helps
        daemon.wait(larger, "waits")
        daemon.until(lambda: "never" in daemon.get(f"/v1/jobs/{larger}/explain").text, "it was looked at")
        assert "nominalQuota" not in proposals(daemon, larger)
        assert "smallest change" not in daemon.get(f"/v1/jobs/{larger}/explain").text
    finally:
        end(daemon)


def test_what_is_proposed_comes_true(tmp_path):
    """All is in use, so more quota is no more room; but with quota of its own a queue may take it back."""
    daemon = started(tmp_path, queue("a"), queue("b"))
    try:
        running = [asks(daemon, "b", "2"), asks(daemon, "b", "2")]
        for job in running:
            daemon.wait(job, "runs")
        waiting = asks(daemon, "a", "3")
        daemon.until(lambda: "parked" in daemon.get(f"/v1/jobs/{waiting}/explain").text, "it was looked at")
        change = proposals(daemon, waiting)["nominalQuota"]
        assert pasted(daemon, waiting) == [True]
        assert (change["node"]["name"], change["from"], change["to"]) == ("a", 0, 3000), change
        # One less than that would not do, and so much does: by a reload, as a user would do it.
        for cpu, state in (("2999m", "waits"), ("3", "runs")):
            (tmp_path / "daemon.yaml").write_text(
                HEAD.replace("COHORT", "cohort: machine") + queue("a", cpu=cpu) + queue("b"))
            assert daemon.post("/v1/reload").status == 200
            daemon.until(lambda: daemon.get("/v1/shares").status == 200, "it has been read")
            if state == "runs":
                daemon.wait(waiting, "runs")
            else:
                assert daemon.job(waiting)["state"] == "waits"
    finally:
        end(daemon)


@root_only
def test_whose_jobs_they_are(tmp_path):
    """How much of its queue is of the same user; nothing where all is."""
    daemon = started(tmp_path, queue("a"), queue("b"))

    def own(job):
        return daemon.get(f"/v1/jobs/{job}/explain?format=json").json().get("own")

    try:
        mine = asks(daemon, "a", "1")
        daemon.wait(mine, "runs")
        waiting = asks(daemon, "a", "4")
        daemon.until(lambda: "parked" in daemon.get(f"/v1/jobs/{waiting}/explain").text, "it was looked at")
        assert own(waiting) is None
        ((status, text),) = somebody(daemon, ["POST", "/v1/jobs", {
            "queue": "a", "requests": {"cpu": "2"}, "directory": "/", "command": ["sleep", "1000"]}])
        assert status == 201, text
        theirs = json.loads(text)["jobs"][0]
        daemon.wait(theirs, "runs")
        assert own(waiting) == {"user": "root", "flavor": "default", "resource": "cpu", "holds": 1000,
                                "queueHolds": 3000, "workloads": 1, "queueWorkloads": 2}
        assert ("\n  user 'root' holds 1 of the 3 cpu that queue 'a' holds in flavor 'default', in 1 of 2 jobs\n"
                in daemon.get(f"/v1/jobs/{waiting}/explain").text)
        assert (own(theirs)["holds"], own(theirs)["user"]) == (2000, daemon.job(theirs)["user"])
        daemon.post(f"/v1/jobs/{mine}/cancel")
        daemon.until(lambda: "\n  user 'root' holds nothing of the 2 cpu that queue 'a' holds in flavor 'default'\n" in
                     daemon.get(f"/v1/jobs/{waiting}/explain").text, "it is only theirs")
    finally:
        end(daemon)


def pasted(daemon, job):
    """Of each command that explain prints: does it run, and preempt others for the job or admit it?"""
    folder = os.path.dirname(os.environ["FAIRLEAD"])
    environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", **daemon.reached}
    text = daemon.get(f"/v1/jobs/{job}/explain").text
    out = []
    for command in re.findall(r"(?m)^    (fairlead .*)$", text):
        done = subprocess.run(["bash", "-c", command + " -o json"], env=environment, capture_output=True, text=True,
                              check=False, timeout=60)
        assert done.returncode == 0, (command, done.stderr)
        x = json.loads(done.stdout)
        names = [row["workload"] for row in x["admitted"]] + [row["preemptor"] for row in x["preempted"]]
        out.append(f"default/{job}" in names)
    return out


def test_names_are_those_of_jobs(tmp_path):
    daemon = started(tmp_path, queue("a", cpu="2").replace("Any", "LowerPriority"), queue("b"))
    try:
        running = asks(daemon, "b", "3")
        daemon.wait(running, "runs")
        waiting = asks(daemon, "a", "2")
        daemon.until(lambda: "parked" in daemon.get(f"/v1/jobs/{waiting}/explain").text, "it was looked at")
        text = daemon.get(f"/v1/jobs/{waiting}/explain?all=1").text
        assert text.startswith(f"job {waiting} waits: ") and "default/" not in text
        rows = [line.split() for line in text.splitlines() if line.startswith(f"  {running} ")]
        assert rows and all(row[1] == "b" for row in rows), text
        text = daemon.post("/v1/what-if", queue("a", cpu="3").replace("---\n", "", 1)).text
        assert f"  {waiting} " in text and f"  {running} " in text and "default/" not in text, text
    finally:
        end(daemon)


SHARES = """---
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: NAME, creationTimestamp: "2026-01-01T00:00:00Z"}
spec:
  PARENT
  resources:
    gpu: {quota: 0, overQuotaWeight: 1, limit: -1}
    cpu: {quota: CPU, overQuotaWeight: 1, limit: -1}
    memory: {quota: -1, overQuotaWeight: 1, limit: -1}
"""


def test_entitlement_is_not_proposed_beyond_the_machine_either(tmp_path):
    names = (("x", "", "2000"), ("a", "parentQueue: x", "2000"), ("y", "", "1000"), ("b", "parentQueue: y", "1000"))
    tree = "".join(SHARES.replace("NAME", n).replace("PARENT", p).replace("CPU", c) for n, p, c in names)
    daemon = started(tmp_path, tree, cohort="")
    try:
        larger = asks(daemon, "a", "5")
        daemon.wait(larger, "waits")
        daemon.until(lambda: "waits" in daemon.get(f"/v1/jobs/{larger}/explain").text, "it was looked at")
        answer = daemon.get(f"/v1/jobs/{larger}/explain?format=json").json()
        assert answer["policy"] == "entitle" and not answer.get("changes"), answer.get("changes")
    finally:
        end(daemon)
