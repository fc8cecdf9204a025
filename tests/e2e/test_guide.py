# SPDX-License-Identifier: Apache-2.0
"""doc/guide/kubernetes.md, step by step: each command that it shows prints what it shows.

FAIRLEAD_E2E_WRITE=1 writes the page anew.
"""
import os
import pathlib
import re
import subprocess

import pytest
from bed import KUEUE
from objects import cluster_queue, flavor, local_queue, set_up_configuration, wait_for_condition, workload

PAGE = pathlib.Path(os.environ["FAIRLEAD_SOURCE"]) / "doc" / "guide" / "kubernetes.md"
# A block that shows one command and all that it prints.
BLOCK = re.compile(r"(?ms)^```console\n\$ ([^\n]*)\n(.*?)^```$")
QUEUES = {"research": {"cpu": 8}, "production": {"cpu": 8, "preemption": {"reclaimWithinCohort": "Any"}}}
# In this order: namespace, name, cpu, and what becomes of it.
WORKLOADS = [("research", "sweep-1", 6, "Admitted"), ("research", "sweep-2", 6, "Admitted"),
             ("production", "serve", 4, "Admitted"), ("research", "job-train-7-5f3ab", 4, None)]


@pytest.fixture(scope="module")
def prod(kueue, tmp_path_factory):
    """A function: what a command prints, in the folder where the reader is."""
    admin = kueue.admin
    set_up_configuration(kueue)
    admin.apply(KUEUE, "resourceflavors", flavor())
    for name, words in QUEUES.items():
        kueue.namespace(name)
        admin.apply(KUEUE, "clusterqueues", cluster_queue(name, cohort="all", **words))
        admin.apply(KUEUE, "localqueues", local_queue("jobs", name), name)
    for namespace, name, cpu, becomes in WORKLOADS:
        body = workload(name, "jobs", cpu=cpu)
        if name.startswith("job-"):
            body["metadata"]["ownerReferences"] = [{"apiVersion": "batch/v1", "kind": "Job", "name": "train-7", "controller": True,
                                                    "uid": "0b0b0b0b-0000-4000-8000-000000000007"}]
        admin.create(KUEUE, "workloads", body, namespace)
        wait_for_condition(admin, name, becomes or "QuotaReserved", "True" if becomes else "False", namespace)
    config = pathlib.Path(kueue.kubeconfig())
    config.write_text(config.read_text().replace("name: bed", "name: prod").replace("current-context: bed", "current-context: prod")
                      .replace("cluster: bed", "cluster: prod"))
    here = tmp_path_factory.mktemp("reader")
    tools = tmp_path_factory.mktemp("bin")
    (tools / "fairlead").symlink_to(os.environ["FAIRLEAD"])
    env = {**os.environ, "KUBECONFIG": str(config), "PATH": f"{tools}:{os.environ['PATH']}"}

    def run(line):
        return subprocess.run(line, shell=True, env=env, cwd=here, text=True, timeout=60, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout

    return run


def without_times(text):
    return re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "2026-12-01T09:00:00Z", text)


def test_each_command_prints_what_the_page_shows(prod):
    text = PAGE.read_text()
    shown = BLOCK.findall(text)
    assert len(shown) > 5
    printed = [without_times(prod(command)) for command, _ in shown]
    if os.environ.get("FAIRLEAD_E2E_WRITE"):
        answers = iter(printed)
        PAGE.write_text(BLOCK.sub(lambda m: f"```console\n$ {m.group(1)}\n{next(answers)}```", text))
        return
    for (command, expected), got in zip(shown, printed):
        assert got == expected, command
