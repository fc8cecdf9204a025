# SPDX-License-Identifier: Apache-2.0
import json
import os
import re

import pytest

BODY = {
    "totalResource": {"GPU": 100, "CPU": 16000, "Memory": 32000000},
    "queues": [
        {"uid": "vision", "resourceShare": {"gpu": {"deserved": 10, "overQuotaWeight": 3}}},
        {"uid": "speech", "resourceShare": {"gpu": {"deserved": 10, "overQuotaWeight": 1}}},
        {"uid": "robots", "resourceShare": {"gpu": {"request": 5.5, "overQuotaWeight": 2}}},
    ],
}
ANSWER = {
    "robots": {"gpu": 5.5, "cpu": 16000, "memory": 100000},
    "speech": {"gpu": 28.5, "cpu": 16000, "memory": 100000},
    "vision": {"gpu": 66, "cpu": 16000, "memory": 100000},
}
SAMPLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "entitle.yaml")
GUIDE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "doc", "guide", "entitlement.md")


@pytest.mark.parametrize("options", [(), ("-o", "json")])
def test_answers_as_the_simulator_does(fairlead, write, options):
    write("body.json", json.dumps(BODY))
    r = fairlead("divide", "-f", "body.json", *options)
    assert r.code == 0
    assert json.loads(r.out) == ANSWER


def test_order_of_the_queues_does_not_matter(fairlead, write):
    write("body.json", json.dumps({"queues": BODY["queues"][::-1], "totalResource": BODY["totalResource"]}))
    assert json.loads(fairlead("divide", "-f", "body.json").out) == ANSWER


def test_history_and_parents_of_a_body_are_left_out(fairlead, write):
    body = json.loads(json.dumps(BODY))
    body.update(kValue=1, totalUsageCapacity={"GPU": 100})
    body["queues"][0].update(parentQueue="speech", childQueues=[])
    body["queues"][0]["resourceShare"]["gpu"]["absoluteUsage"] = 90
    write("body.json", json.dumps(body))
    assert json.loads(fairlead("divide", "-f", "body.json").out) == ANSWER


def test_a_body_without_queues(fairlead, write):
    write("body.json", json.dumps({"totalResource": {"GPU": 1}, "queues": []}))
    r = fairlead("divide", "-f", "body.json")
    assert (r.code, r.out, r.err) == (0, "{}\n", "")


def test_the_guide_shows_what_is_printed(fairlead, write):
    write("body.json", json.dumps(BODY))
    out = fairlead("divide", "--rounds", "-f", "body.json", env={"COLUMNS": "100"}).out
    with open(GUIDE, encoding="utf-8") as f:
        blocks = re.findall(r"```\n(.*?)```", f.read().split("\n## How fair shares are divided\n")[1], re.S)
    assert json.loads(blocks[0]) == BODY
    assert blocks[1] in out


def test_text_of_a_body(fairlead, write):
    write("body.json", json.dumps(BODY))
    r = fairlead("divide", "-o", "text", "-f", "body.json", env={"COLUMNS": "100"})
    assert r.out.startswith("""\
All queues divide 100 gpu, 16 cpu, 32M memory
  QUEUE   PRIORITY  RESOURCE  WEIGHT   DESERVED      LIMIT  REQUEST  FAIR SHARE
  robots         0  gpu            2          -  unlimited      5.5         5.5
                    cpu            1  unlimited  unlimited      100          16
                    memory         1  unlimited  unlimited     100k        100k
""")


def test_a_long_step_is_cut(fairlead, write):
    queues = [{"uid": f"q{i:02}", "resourceShare": {}} for i in range(30)]
    write("body.json", json.dumps({"totalResource": {"GPU": 9}, "queues": queues}))
    short = fairlead("divide", "--rounds", "-f", "body.json").out
    long = fairlead("divide", "--rounds", "--all", "-f", "body.json").out
    assert "and 20 more (--all lists them)" in short
    assert "more (" not in long
    assert long.count("q29") > short.count("q29") > 0


def test_json_of_manifests(fairlead, valid):
    d = valid(fairlead("divide", "-f", SAMPLE, "-o", "json").json(), "divide")
    assert (d["kind"], d["policy"]) == ("Division", "entitle")
    assert "steps" not in d
    names = [q["name"] for q in d["queues"]]
    for q in d["queues"]:
        assert q.get("parent") in names[:names.index(q["name"])] + [None]


def test_steps_add_up_to_the_shares(fairlead, valid):
    d = valid(fairlead("divide", "--rounds", "-f", SAMPLE, "-o", "json").json(), "divide")
    given = {}
    for step in d["steps"]:
        assert step["amount"] - step["left"] == pytest.approx(sum(p["given"] for p in step["queues"]))
        for p in step["queues"]:
            key = (p["queue"], step["resource"])
            given[key] = given.get(key, 0) + p["given"]
    for q in d["queues"]:
        for resource, share in q["fairShare"].items():
            assert given[q["name"], resource] == pytest.approx(share)


POLICY = """\
---
apiVersion: fairlead.dev/v1alpha1
kind: Policy
metadata: {name: p}
spec: {entitlement: {division: Bounded}}
"""


def test_bounded_division_gives_no_more_than_there_is(fairlead, write, valid):
    queue = """\
---
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: %s}
spec: {resources: {gpu: {quota: %s, overQuotaWeight: 1, limit: -1}}}
---
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: %s-leaf}
spec: {parentQueue: %s, resources: {gpu: {quota: 0, overQuotaWeight: 1, limit: -1}}}
---
apiVersion: v1
kind: Pod
metadata: {name: %s, namespace: ns, labels: {kai.scheduler/queue: %s-leaf}}
spec: {schedulerName: kai-scheduler, containers: [{name: c, resources: {limits: {nvidia.com/gpu: 9}}}]}
status: {phase: Pending}
"""
    node = """\
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: 8, memory: 8Gi, pods: 99, nvidia.com/gpu: 9},
  conditions: [{type: Ready, status: "True"}]}
"""
    text = node + "".join(queue % (q, n, q, q, q, q) for q, n in (("a", 8), ("b", 4)))
    write("c.yaml", text)
    write("d.yaml", text + POLICY)
    plain = valid(fairlead("divide", "-f", "c.yaml", "-o", "json").json(), "divide")
    bounded = valid(fairlead("divide", "--rounds", "-f", "d.yaml", "-o", "json").json(), "divide")
    assert (plain["bounded"], bounded["bounded"]) == (False, True)
    shares = [{q["name"]: q["fairShare"]["gpu"] for q in d["queues"]} for d in (plain, bounded)]
    assert shares[0] == {"a": 8, "a-leaf": 8, "b": 4, "b-leaf": 4}
    assert shares[1] == {"a": 6, "a-leaf": 6, "b": 3, "b-leaf": 3}
    assert [s["phase"] for s in bounded["steps"] if s["resource"] == "gpu" and "parent" not in s] == ["short"]
    out = fairlead("divide", "--rounds", "-f", "d.yaml").out
    assert "gpu: more is deserved than there is; priority 100, round 1: 9 in proportion to what is deserved" in out


def test_text_of_manifests_has_a_table_a_group(fairlead):
    out = fairlead("divide", "-f", SAMPLE, env={"COLUMNS": "100"}).out
    assert re.findall(r"^(?:All|Below).*$", out, re.M) == [
        "All queues divide 8 gpu, 64 cpu, 256Gi memory", "Below research: 8 gpu, 17 cpu, 33Gi memory"]


def test_nobody_to_divide_among(fairlead, write):
    write("c.json", json.dumps({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "ns"}}))
    r = fairlead("divide", "-f", "c.json")
    assert r.code == 1
    assert "there is no Queue of scheduling.run.ai" in r.err


def test_wrong_usage(fairlead, write):
    write("body.json", json.dumps(BODY))
    assert fairlead("divide", "-f", "body.json", "--round").code == 0  # as getopt_long abbreviates
    assert fairlead("divide", "-f", "body.json", "vision").code == 2
    assert fairlead("tree", "-f", "body.json", "--rounds").code == 2
