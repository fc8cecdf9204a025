# SPDX-License-Identifier: Apache-2.0
"""What is said of queues that are stopped or lead nowhere, to strangers, and of jobs without a name."""
import os
import shutil
import subprocess

import pytest

from conftest import CONFIG
from test_policies import MACHINE, daemon_of, queue  # noqa: F401 (a fixture)
from test_guard import place  # noqa: F401 (a fixture)

STOP = "metadata: {name: other, namespace: default}\nspec: {clusterQueue: other"


@pytest.mark.parametrize("old, new, why", [
    (STOP, STOP + ", stopPolicy: Hold", "queue 'other' is stopped (stopPolicy)"),
    (STOP, STOP + "s", "queue 'other' leads to ClusterQueue 'others', which does not exist"),
    ("metadata: {name: other}\nspec:\n", "metadata: {name: other}\nspec:\n  stopPolicy: Hold\n", "stopped"),
    ("metadata: {name: other}\nspec:\n", "metadata: {name: else}\nspec:\n",
     "queue 'other' leads to ClusterQueue 'other', which does not exist"),
    (STOP, STOP + "}\n---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"
     "metadata: {name: other, namespace: second}\nspec: {clusterQueue: other",
     "several LocalQueues are called 'other'"),
    ("other", "else", "there is no queue 'other' any more"),
])
def test_why_a_job_takes_no_part(daemon, old, new, why):
    blocker = daemon.submit("sleep", "1000", requests={"cpu": "4"})
    daemon.wait(blocker, "runs")
    job = daemon.submit(queue="other")
    daemon.wait(job, "waits")
    assert old in CONFIG
    (daemon.folder / "daemon.yaml").write_text(CONFIG.replace(old, new))
    answer = daemon.post("/v1/reload")
    assert answer.status == 200, answer.text
    daemon.until(lambda: why in daemon.job(job)["reason"], why)
    if "several" in why or "no queue" in why:  # which is said at once
        return
    later = daemon.submit(queue="other")
    daemon.until(lambda: why in daemon.job(later)["reason"], why)


@pytest.mark.parametrize("more, why", [
    (queue("below", parent="team"), "queue 'team' has queues below it"),
    ("lost", "queue 'team' admits no job: queue 'team': a queue above it does not exist"),
])
def test_why_a_job_takes_no_part_with_entitlements(daemon_of, more, why):  # noqa: F811
    machine = MACHINE.replace("    COHORT\n", "")
    trees = queue("dept", parent=None), queue("team")
    daemon = daemon_of(machine + "".join(trees))
    blocker = daemon.submit("sleep", "1000", queue="team", requests={"cpu": "4"})
    daemon.wait(blocker, "runs")
    job = daemon.submit(queue="team", requests={"cpu": "4"})
    daemon.wait(job, "waits")
    assert daemon.post(f"/v1/jobs/{job}/hold").status == 200  # before there is room for it
    assert daemon.post(f"/v1/jobs/{blocker}/cancel").status == 200
    daemon.wait(blocker, "cancelled")
    daemon.config.write_text(machine + "".join(trees) + more if more != "lost" else
                             machine + queue("dept", parent=None) + queue("team", parent="nowhere"))
    answer = daemon.post("/v1/reload")
    assert answer.status == 200, answer.text
    daemon.post(f"/v1/jobs/{job}/release")
    daemon.until(lambda: why == daemon.job(job)["reason"], why)


def test_a_job_without_a_name_is_called_by_its_program(daemon):
    for command, name in ((["/bin/true"], "true"), (["true"], "true"),
                          ([shutil.which("env"), "true"], "env"), (["/opt/a\u202eb/x\u200by"], "x?y")):
        assert daemon.job(daemon.submit(*command, hold=True))["name"] == name
    assert daemon.job(daemon.submit("/bin/true", hold=True, name="mine"))["name"] == "mine"


@pytest.mark.skipif(os.getuid() != 0, reason="only root can ask as somebody else")
def test_a_stranger_is_told_that_there_are_queues(place):  # noqa: F811 (the fixture)
    assert CONFIG.count("  access: {") == 1
    (place.folder / "daemon.yaml").write_text(CONFIG.replace(
        "  access: {", "  access: {queues: [{queue: default, users: [root]}, {queue: other, users: [root]}], others: deny, "))
    place.config = place.folder / "daemon.yaml"
    place.start()
    done = subprocess.run([os.environ["FAIRLEAD"], "submit", "--socket", str(place.socket), "--", "true"],
                          capture_output=True, text=True, user="nobody", env={"PATH": os.environ["PATH"]}, cwd="/")
    assert done.returncode == 2 and "you may use none of the queues" in done.stderr, done.stderr
    assert "there is no queue" not in done.stderr
