# SPDX-License-Identifier: Apache-2.0
"""A daemon beside KAI: its answers are those of a file with the same objects, whatever happens to them."""
import difflib
import json
import os
import random
import time

import kai
import pytest
from fake import Fault
from watching import Unix, fill, workload

SEEDS = [int(s) for s in os.environ.get("FAIRLEAD_SEEDS", "1 2").split()]


def now(text):
    """Without what was before, which a file does not know."""
    return "\n".join(line for line in text.split("\n") if not line.startswith("  It was preempted at "))


def check(fake, w, tmp_path, *explained):
    """The daemon says what the command says of the same objects, once it has heard of all."""
    file = kai.dump(fake, tmp_path / "dump.json")
    said = [(f"/v1/{verb}", kai.of_file(verb, file, *words).partition("\nAssumed:\n")[0])
            for verb, words in (("plan", ("--cycles", "3")), ("tree", ()))]
    said += [(f"/v1/workloads/{name}/explain", kai.of_file("explain", file, name).partition("\nAssumed:\n")[0])
             for name in explained]
    for path, text in said:
        arguments = {"cycles": 3} if path.endswith("plan") else {}
        answer = []
        try:
            w.wait(lambda p=path, a=arguments, t=text: answer.append(now(w.get(p, **a))) or answer[-1].strip() == t.strip(), seconds=60)
        except AssertionError:
            print(*difflib.unified_diff(answer[-1].split("\n"), text.split("\n"), "daemon", "file", lineterm=""), sep="\n")
            raise


def test_answers_are_those_of_a_file(fake, watch, tmp_path):
    kai.fill(fake, nodes=2)
    kai.group(fake, "waits", least=2)
    for k in range(3):
        kai.pod(fake, f"waits-{k}", "waits", gpus=2)
    kai.group(fake, "runs", queue="team-b")
    kai.pod(fake, "runs-0", "runs", gpus=6, node="n1", phase="Running")
    kai.pod(fake, "system", None, gpus=0, node="n1", phase="Running", scheduler="default-scheduler")
    kai.pod(fake, "elsewhere", None, gpus=9, scheduler="default-scheduler")
    kai.pod(fake, "alone", None, gpus=1)
    w = watch().ready()
    check(fake, w, tmp_path, "ns/waits", "ns/runs")
    assert w.get("/v1/health")["policy"] == "entitle"
    assert {verb for verb, _, _ in fake.requests} <= {"list", "watch", "get"}
    asked = {plural for verb, plural, _ in fake.requests if verb == "list"}
    assert {"pods", "nodes", "podgroups", "bindrequests", "queues", "schedulingshards", "priorityclasses", "configmaps"} == asked


def counts(w, name="team-a"):
    q = next(q for q in w.get("/v1/queues")["queues"] if q["name"] == name)
    return q["running"], q["waiting"], q["held"]


def test_no_number_is_given_twice(fake, watch):
    """Events are kept, so what they say of a number is of one gang."""
    def number():
        return w.wait(lambda: w.get("/v1/jobs")["jobs"])[0]["id"]

    kai.fill(fake)
    kai.group(fake, "one")
    w = watch().ready()
    kai.pod(fake, "one-0", "one", gpus=1)
    before = number()
    time.sleep(1.5)  # what is kept is written within a second
    assert w.end() == 0
    w = watch().ready()
    assert number() > before


def test_the_life_of_a_gang(fake, watch, tmp_path):
    kai.fill(fake)
    w = watch().ready()
    connection = Unix(w.socket)
    connection.request("GET", "/v1/events?follow=1")
    stream = connection.getresponse()
    kai.group(fake, "g", least=2)
    kai.pod(fake, "g-0", "g")
    w.wait(lambda: counts(w) == (0, 0, 1))  # one pod of two
    kai.pod(fake, "g-1", "g")
    w.wait(lambda: counts(w) == (0, 1, 0))
    check(fake, w, tmp_path, "ns/g")
    for name in ("g-0", "g-1"):
        kai.bind(fake, name, "n1")
    w.wait(lambda: counts(w) == (1, 0, 0))
    check(fake, w, tmp_path, "ns/g")
    for name in ("g-0", "g-1"):
        kai.pod(fake, name, "g", node="n1", phase="Running")
        fake.delete("bindrequests", "ns", name)
    kai.group(fake, "g", least=2, annotations={"kai.scheduler/last-start-timestamp": "2026-11-01T11:00:00Z"})
    check(fake, w, tmp_path, "ns/g")
    for name in ("g-0", "g-1"):
        kai.pod(fake, name, "g", node="n1", phase="Running", deleted=True)
    check(fake, w, tmp_path)
    for name in ("g-0", "g-1"):
        fake.delete("pods", "ns", name)
    w.wait(lambda: counts(w) == (0, 0, 1))
    for name in ("g-2", "g-3"):
        kai.pod(fake, name, "g")
    w.wait(lambda: counts(w) == (0, 1, 0))
    check(fake, w, tmp_path, "ns/g")
    for name in ("g-2", "g-3"):
        kai.pod(fake, name, "g", node="n1", phase="Running")
    w.wait(lambda: counts(w) == (1, 0, 0))
    for name in ("g-2", "g-3"):
        kai.pod(fake, name, "g", node="n1", phase="Succeeded")
    w.wait(lambda: counts(w) == (0, 0, 0))
    check(fake, w, tmp_path)
    told = []
    while "Finished" not in told:
        told.append(json.loads(stream.readline())["kind"])
    connection.close()
    assert [kind for kind in told if kind in ("Submitted", "Admitted", "Preempted", "Finished")] == \
        ["Submitted", "Admitted", "Preempted", "Submitted", "Admitted", "Finished"]
    agreed = w.get("/v1/agreement")["kinds"][0]
    assert agreed["kind"] == "admit" and agreed["real"] == agreed["realToo"] == 2


def change(fake, dice, there, queues):
    """One change of what a cluster may change, by KAI or by its users."""
    name = f"g{dice.randrange(6)}"
    pods = there.setdefault(name, {})
    what = dice.randrange(9)
    if what < 2 or not pods:
        queues[name] = dice.choice(["team-a", "team-b", "nowhere", "dept"])
        kai.group(fake, name, queue=queues[name], least=dice.randint(1, 3),
                  **({"preemptibility": "non-preemptible"} if dice.random() < 0.2 else {}))
        for _ in range(dice.randint(1, 3)):
            at = f"{name}-{dice.randrange(5)}"
            if at not in pods:
                pods[at] = {"gpus": dice.randint(0, 3)}
                kai.pod(fake, at, name, **pods[at])
        return
    at = dice.choice(sorted(pods))
    one = pods[at]
    if what == 2:
        fake.delete("pods", "ns", at)
        del pods[at]
    elif what == 3 and "node" not in one:
        kai.bind(fake, at, dice.choice(["n1", "n2", "gone"]), **({"phase": "Failed", "failedAttempts": 3} if dice.random() < 0.3 else {}))
    elif what == 4:
        one.update(deleted=True)
    elif what == 5 and one.get("node"):
        one.update(phase=dice.choice(["Running", "Succeeded", "Failed", "Pending"]))
    elif what == 6:
        kai.node(fake, dice.choice(["n1", "n2"]), gpus=dice.choice([4, 8]), ready=dice.random() < 0.8, beat=dice.randrange(60))
    elif what == 7:
        kai.queue(fake, dice.choice(["team-a", "team-b"]), dice.choice([2, 4, 6]), parentQueue="dept")
    else:
        one.update(node=dice.choice(["n1", "n2"]), phase="Running")
    if at in pods:
        kai.pod(fake, at, name, **one)


@pytest.mark.parametrize("seed", SEEDS)
def test_any_changes(fake, watch, tmp_path, seed):
    dice, there, queues = random.Random(seed), {}, {}
    kai.fill(fake, nodes=2)
    w = watch().ready()
    for _ in range(6):
        for _ in range(dice.randint(5, 25)):
            change(fake, dice, there, queues)
        if dice.random() < 0.3:
            fake.cut_all()
        # In a file a group without pods waits for its first ones; so does one that is in no leaf, and has ended.
        for name, pods in there.items():
            over = all(p.get("phase") in ("Succeeded", "Failed") for p in pods.values())
            if over and (not pods or not queues[name].startswith("team")) and ("ns", name) in fake.state("podgroups"):
                fake.delete("podgroups", "ns", name)
        check(fake, w, tmp_path)
    w.has_all()


def generations(w):
    return int(next(k for k in w.get("/metrics").splitlines() if k.startswith("fairlead_generation_seconds_count")).split()[1])


def test_what_does_not_matter_makes_no_generation(fake, watch, tmp_path):
    kai.fill(fake)
    kai.group(fake, "g")
    kai.pod(fake, "g-0", "g")
    w = watch().ready()
    check(fake, w, tmp_path)
    before = generations(w)
    for beat in range(20):
        kai.node(fake, "n1", beat=beat)
        kai.pod(fake, f"done-{beat}", "g", phase="Succeeded")
        fake.put("queues", None, "dept", metadata={"creationTimestamp": kai.CREATED}, status={"requested": {"cpu": str(beat)}},
                 spec=fake.state("queues")[None, "dept"]["spec"])
    kai.pod(fake, "g-1", "g")
    check(fake, w, tmp_path)
    assert generations(w) - before <= 2


def test_deletes_while_it_was_cut_off(fake, watch, tmp_path):
    kai.fill(fake)
    for k in range(4):
        kai.group(fake, f"g{k}")
        kai.pod(fake, f"p{k}", f"g{k}", **({"node": "n1", "phase": "Running"} if k == 1 else {}))
    w = watch().ready()
    w.wait(lambda: counts(w) == (1, 3, 0))
    for plural in ("pods", "podgroups"):
        fake.always[("watch", plural)] = Fault(status=503, retry_after=0)
    fake.cut_all()
    fake.delete("pods", "ns", "p0")
    fake.delete("podgroups", "ns", "g0")
    kai.pod(fake, "p1", "g1", node="n1", phase="Succeeded")
    fake.delete("podgroups", "ns", "g2")
    fake.compact()
    fake.always.clear()
    w.wait(lambda: counts(w) == (0, 1, 0), seconds=60)
    check(fake, w, tmp_path, "ns/g3")
    w.has_all()


def test_what_if_and_what_cannot_be_read(fake, watch, tmp_path):
    kai.fill(fake, gpus=2)
    kai.group(fake, "g")
    kai.pod(fake, "p", "g", gpus=3)
    kai.pod(fake, "odd", "g", gpus=1)
    fake.put("pods", "ns", "odd", metadata={"annotations": {"pod-group-name": "g", "gpu-fraction": "7"}}, status={}, spec={
        "schedulerName": "kai-scheduler", "containers": []})
    w = watch().ready()
    w.wait(lambda: "a part of a GPU must be more than 0" in w.text())
    assert "ALLOCATED" not in w.get("/v1/plan").partition("waits:")[0]
    more = "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {nvidia.com/gpu: 4}}\n"
    status, text = w.ask("/v1/what-if?cycles=3", method="POST", body=more)
    assert status == 200 and "ns/g" in text, text
    status, answer = w.ask("/v1/what-if?cycles=3", method="POST", body="apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n")
    assert status == 400, answer


def followed(fake):
    return {plural for verb, plural, _ in fake.requests if verb == "list"}


def test_beside_kueue_its_kinds_are_not_read(fake, watch):
    fill(fake)
    workload(fake, "a", "one")
    kai.queue(fake, "team-a", 4)
    w = watch().ready()
    assert w.counts() == (0, 1)
    assert not followed(fake) & {"queues", "podgroups", "pods", "nodes", "bindrequests", "schedulingshards"}


def test_the_policy_says_whose_kinds_are_read(fake, watch):
    fill(fake)
    kai.queue(fake, "team-a", 4)
    fake.put("configmaps", "fairlead", "fairlead", data={"daemon.yaml": (
        "apiVersion: fairlead.dev/v1alpha1\nkind: Daemon\nmetadata: {name: d}\nspec: {policy: entitle}\n")})
    kai.group(fake, "g")
    kai.pod(fake, "p", "g")
    w = watch().ready()
    assert counts(w) == (0, 1, 0)
    assert not followed(fake) & {"clusterqueues", "workloads", "localqueues", "namespaces"}
