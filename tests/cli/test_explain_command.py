# SPDX-License-Identifier: Apache-2.0
"""The commands that explain prints below what it proposes: they can be pasted, at any width."""
import json
import os
import pathlib
import re
import subprocess

import pytest

import entitle_manifests as kai
import manifests as m
from conftest import SOURCE

STORIES = sorted((SOURCE / "examples" / "stories").glob("*.yaml"))


def shell(folder, line, **env):
    binary = pathlib.Path(os.environ["FAIRLEAD"])
    return subprocess.run(["bash", "-c", line], cwd=folder, capture_output=True, text=True, check=False, timeout=60,
                          env={**os.environ, "PATH": f"{binary.parent}:{os.environ['PATH']}", **env})


def commands(text):
    """Those of an answer; a line that ends with a backslash goes on."""
    lines = text.replace(" \\\n", " ").split("\n")
    return [line.strip() for line in lines if line.startswith("    fairlead ")]


def sets(command):
    return re.findall(r"--set '(.*?)'(?= |$)", command)


@pytest.mark.parametrize("story", STORIES, ids=lambda path: path.stem)
def test_stories(fairlead, story, tmp_path):
    """Each command runs, sets what the JSON has, and admits the workload, or evicts others for it."""
    plan = fairlead("plan", "-f", str(story), "-o", "json").json()
    names = {row["workload"] for cycle in plan.get("cycles", []) for row in cycle["pending"]}
    for name in sorted(names):
        answer = fairlead("explain", "-f", str(story), "-o", "json", name).json()
        text = fairlead("explain", "-f", str(story), name).out
        proposals = answer.get("proposals", [])
        assert [sets(c) for c in commands(text)] == [p["set"] for p in proposals]
        for p, command in zip(proposals, commands(text)):
            done = shell(tmp_path, command + " -o json")
            assert done.returncode == 0, done.stderr
            x = json.loads(done.stdout)
            admitted = {row["workload"] for row in x["admitted"]}
            # The victims may be the same without the change, for another one.
            preempts = {row["preemptor"] for row in x["preempted"]} | \
                {row["workload"] for row in x["waiting"] if row["after"]["reason"] == "WaitingForPreemptedWorkloads"}
            assert p["comingCycle"] == "Wait" or name in admitted | preempts, (command, done.stdout)


def test_text(fairlead, write):
    write("a.json", m.dump(*m.small()))
    r = fairlead("explain", "-f", "a.json", "ns/a1")
    assert ("The smallest change that admits it\n"
            "  ClusterQueue 'a': nominalQuota of cpu in flavor 'f' from 4 to 5; then the coming cycle admits it\n"
            "    fairlead what-if -f a.json --set 'ClusterQueue/a: nominalQuota[cpu,f]=5'\n") in r.out


@pytest.mark.parametrize("width", [20, 40, 60, 80, 200])
def test_narrow(fairlead, write, width, tmp_path):
    write("a.json", m.dump(*m.small()))
    text = fairlead("explain", "-f", "a.json", "ns/a1", env={"COLUMNS": str(width)}).out
    found = commands(text)
    assert found[0] == "fairlead what-if -f a.json --set 'ClusterQueue/a: nominalQuota[cpu,f]=5'" or " \\\n" in text
    for command in re.findall(r"    fairlead (?:.*\\\n)*.*\n", text):
        done = shell(tmp_path, command)
        assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("files, words", [
    (["a b.json"], "-f 'a b.json'"),
    (["it's.json"], "-f 'it'\\''s.json'"),
    (["$(x).json"], "-f '$(x).json'"),
    (["folder/"], "-f folder/"),
    (["one.json", "-"], "-f one.json -f -"),
])
def test_files_as_given(fairlead, write, files, words, tmp_path):
    state = m.small()
    for i, name in enumerate(files):
        part = state if len(files) == 1 else state[:3] if i == 0 else state[3:]
        if name != "-":
            write(name + "x.json" if name.endswith("/") else name, m.dump(*part))
    stdin = m.dump(*state[3:]).encode()
    options = [word for name in files for word in ("-f", name)]
    command = commands(fairlead("explain", *options, "ns/a1", stdin=stdin).out)[0]
    assert command.startswith(f"fairlead what-if {words} --set")
    (tmp_path / "stdin").write_bytes(stdin)
    done = shell(tmp_path, command + " <stdin")
    assert (done.returncode, done.stderr) == (0, "") and "Newly admitted: 1" in done.stdout


def test_pipes_are_said_to_be_some(write, tmp_path):
    """What a shell gives as /dev/fd/63 nobody can open again."""
    write("a.json", m.dump(*m.small()))
    done = shell(tmp_path, "fairlead explain -f <(cat a.json) ns/a1")
    assert commands(done.stdout)[0] == "fairlead what-if -f <(...) --set 'ClusterQueue/a: nominalQuota[cpu,f]=5'"


def test_clock_and_policy_are_kept(fairlead, write):
    write("a.json", m.dump(*m.small()))
    r = fairlead("explain", "-f", "a.json", "--now", "2026-02-01T00:00:00Z", "--policy", "borrow", "ns/a1")
    assert commands(r.out)[0].startswith(
        "fairlead what-if -f a.json --policy borrow --now 2026-02-01T00:00:00Z --set ")


def test_coming_cycle(fairlead, write, tmp_path):
    """Where it would be admitted later anyway, what the change brings is seen in the coming cycle."""
    write("a.json", m.dump(m.flavor("f"), m.cluster_queue("a", m.quota("f", cpu=2)), m.local_queue("a", "a"),
                           m.workload("w1", "a", created="2026-01-01T00:00:00Z", cpu=3),
                           m.workload("w2", "a", created="2026-01-01T00:00:01Z", cpu=2)))
    (command,) = commands(fairlead("explain", "-f", "a.json", "ns/w2").out)
    assert command == "fairlead what-if -f a.json --cycles 1 --set 'Workload/ns/w2: priority=1'"
    done = shell(tmp_path, command)
    assert "Newly admitted: 1\n" in done.stdout and "\n  ns/w2 " in done.stdout


def test_several_cells(fairlead, write, tmp_path):
    """One --set each."""
    write("a.json", m.dump(m.flavor("f"), m.cluster_queue("a", m.quota("f", cpu=1, memory=1)), m.local_queue("a", "a"),
                           m.workload("w", "a", cpu=3, memory="2Gi")))
    answer = fairlead("explain", "-f", "a.json", "-o", "json", "ns/w").json()
    (proposal,) = answer["proposals"]
    assert proposal["set"] == ["ClusterQueue/a: nominalQuota[cpu,f]=3", "ClusterQueue/a: nominalQuota[memory,f]=2Gi"]
    (command,) = commands(fairlead("explain", "-f", "a.json", "ns/w").out)
    assert "Newly admitted: 1\n" in shell(tmp_path, command).stdout


def test_image(fairlead, write, tmp_path):
    """Of an image quotas and weights can be changed, workloads cannot."""
    write("a.json", m.dump(m.flavor("f"), m.cluster_queue("a", m.quota("f", cpu=2)), m.local_queue("a", "a"),
                           m.workload("w1", "a", created="2026-01-01T00:00:00Z", cpu=3),
                           m.workload("w2", "a", created="2026-01-01T00:00:01Z", cpu=2)))
    assert fairlead("save", "-f", "a.json", "--out", "a.image").code == 0
    assert commands(fairlead("explain", "-f", "a.image", "ns/w2").out) == []
    (proposal,) = fairlead("explain", "-f", "a.image", "-o", "json", "ns/w2").json()["proposals"]
    assert "set" not in proposal
    for command in commands(fairlead("explain", "-f", "a.image", "ns/w1").out):
        assert "Newly admitted: 1\n" in shell(tmp_path, command).stdout


def job(name, cpu, created):
    return {"apiVersion": "batch/v1", "kind": "Job",
            "metadata": {"name": name, "namespace": "ns", "creationTimestamp": created,
                         "labels": {"kueue.x-k8s.io/queue-name": "a"}},
            "spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [
                {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}]}}}}


def test_workload_that_is_made_of_a_job(fairlead, write, tmp_path):
    write("a.json", m.dump(m.flavor("f"), m.cluster_queue("a", m.quota("f", cpu=2)), m.local_queue("a", "a"),
                           job("j1", "3", "2026-01-01T00:00:00Z"), job("j2", "2", "2026-01-01T00:00:01Z")))
    (command,) = commands(fairlead("explain", "-f", "a.json", "ns/job/j2").out)
    assert re.search(r"--set 'Workload/ns/job-j2-\w+: priority=1'$", command)
    done = shell(tmp_path, command)
    assert done.returncode == 0 and "Newly admitted: 1\n" in done.stdout, done.stderr


def test_machine_of_kai(fairlead, write, tmp_path):
    """A name with dots is a field between brackets."""
    write("a.json", kai.dump(kai.machine("m1", gpu=2), kai.queue("d"), kai.queue("q", "d", gpu=(8, 1, 8)),
                             *kai.gang("w", "q", gpu=4)))
    found = commands(fairlead("explain", "-f", "a.json", "ns/w").out)
    assert found == ["fairlead what-if -f a.json --set 'Node/m1: status.allocatable[nvidia.com/gpu]=4'"]
    assert "Newly allocated: 1\n" in shell(tmp_path, found[0]).stdout


def test_class_of_a_gang(fairlead, write, tmp_path):
    """Its priority is that of a class; what a priority of 100 would make of it is kept away."""
    write("a.json", kai.dump(
        kai.priority_class("high", 100), kai.machine("m1", gpu=2), kai.queue("d"), kai.queue("q", "d", gpu=(2, 1, 2)),
        *kai.gang("w1", "q", gpu=2, created="2026-01-01T01:00:00Z"),
        *kai.gang("w2", "q", gpu=2, created="2026-01-01T02:00:00Z")))
    found = commands(fairlead("explain", "-f", "a.json", "ns/w2").out)
    assert found[0] == """\
fairlead what-if -f a.json --cycles 1 --change <(echo '{"apiVersion": "scheduling.k8s.io/v1", \
"kind": "PriorityClass", "metadata": {"name": "priority-51"}, "value": 51}') \
--set 'PodGroup/ns/w2: priorityClassName=priority-51'"""
    done = shell(tmp_path, found[0])
    assert done.returncode == 0 and "\n  ns/w2 " in done.stdout, done.stderr
    answer = fairlead("explain", "-f", "a.json", "-o", "json", "ns/w2").json()
    assert "set" not in answer["changes"][0]  # the class would not be there
