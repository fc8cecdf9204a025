# SPDX-License-Identifier: Apache-2.0
"""`tree` of the entitle policy."""
import pytest

import entitle_manifests as m

OFF = m.shard(kValue=0)


def test_a_terminal_of_80_columns(fairlead, write):
    write("c.json", m.dump(*m.small(), OFF))
    r = fairlead("tree", "-f", "c.json", env={"COLUMNS": "80"})
    assert (r.code, r.err) == (0, "")
    assert r.out == """\
QUEUE    RESOURCE DESERVED OVER-QUOTA FAIR SHARE ALLOCATED SATURATION REQUEST
products gpu             4          -          4         -          -       4
└─speech gpu             4          -          4         -          -       4
research gpu             4          -          4         6       1.50       7
├─nlp    gpu             1          -          1         -          -       1
└─vision gpu             3          -          3         6       2.00       6
Left out, for want of width: LIMIT, WEIGHT, PRIORITY, WAITING (a wider terminal
or a pipe shows them, and -o json has all)
left out, because no queue limits it: cpu, memory (-o json has it)

To be divided: 8 gpu, 64 cpu, 512G memory
"""


def test_a_wide_terminal_has_all(fairlead, write):
    write("c.json", m.dump(*m.small(), OFF))
    r = fairlead("tree", "-f", "c.json", "products", env={"COLUMNS": "200"})
    assert r.out.splitlines()[0].split("  ")[-4:] == ["LIMIT", "WEIGHT", "PRIORITY", "WAITING"]
    assert r.out.splitlines()[2].split() == [
        "└─speech", "gpu", "4", "-", "4", "-", "-", "4", "6", "1", "100", "1"]
    assert "divided" not in r.out and len(r.out.splitlines()) == 4


@pytest.mark.parametrize("gpu,shown", [
    ((-1, 1, -1), ["gpu", "cpu", "memory"]),   # nothing has a bound: then all of them
    ((-1, 1, 4), ["gpu"]),
])
def test_resources_that_no_queue_bounds_are_left_out(fairlead, write, gpu, shown):
    write("c.json", m.dump(m.machine("m1"), m.queue("d", gpu=(-1, 1, -1)), m.queue("a", "d", gpu=gpu),
                           *m.gang("w", "a", on="m1"), OFF))
    r = fairlead("tree", "-f", "c.json", "d", env={"COLUMNS": "80"})
    assert [name for name in ("gpu", "cpu", "memory") if f" {name}  " in r.out] == shown
    assert ("limits it: cpu, memory (-o json has it)" in r.out) == (len(shown) == 1)


def test_only_resources_that_somebody_uses(fairlead, write):
    write("c.json", m.dump(
        m.machine("m1"), m.queue("d"), m.queue("a", "d", gpu=(2, 1, -1)), m.queue("b", "d", gpu=(1, 1, -1)),
        *m.gang("w", "a", pods=4, cpu="0", memory="0", on="m1"), OFF))
    assert fairlead("tree", "-f", "c.json", env={"COLUMNS": "80"}).out == """\
QUEUE RESOURCE DESERVED OVER-QUOTA FAIR SHARE ALLOCATED SATURATION REQUEST
d     gpu             -          4          4         4       1.00       4
├─a   gpu             2          2          4         4       1.00       4
└─b   gpu             1          -          -         -          -       -
Left out, for want of width: LIMIT, WEIGHT, PRIORITY, WAITING (a wider terminal
or a pipe shows them, and -o json has all)

To be divided: 8 gpu, 64 cpu, 512G memory
"""


def test_usage_over_time_has_a_column(fairlead, write):
    history = {"apiVersion": "fairlead.dev/v1alpha1", "kind": "UsageHistory", "metadata": {"name": "h"},
               "spec": {"usage": {"vision": {"gpu": 0.5}}}}
    write("c.json", m.dump(*m.small(), m.shard(kValue=1), history))
    r = fairlead("tree", "-f", "c.json", env={"COLUMNS": "200"})
    assert "USAGE" in r.out.splitlines()[0]
    assert [line.split()[-2] for line in r.out.splitlines() if "vision" in line] == ["0.500"]


def test_json(fairlead, write, valid):
    write("c.json", m.dump(*m.small(), OFF))
    tree = valid(fairlead("tree", "-f", "c.json", "-o", "json").json(), "tree")
    assert tree["total"] == {"gpu": 8, "cpu": 64000, "memory": 512e9}
    assert [n["name"] for n in tree["nodes"]] == ["products", "speech", "research", "nlp", "vision"]
    vision = tree["nodes"][-1]
    assert {k: v for k, v in vision.items() if k != "resources"} == {
        "kind": "Queue", "name": "vision", "parent": "research", "priority": 100, "runningWorkloads": 3,
        "pendingWorkloads": 0}
    assert vision["resources"][0] == {
        "resource": "gpu", "deserved": 3, "overQuota": 0, "fairShare": 3, "allocated": 6,
        "allocatedNonPreemptible": 0, "saturation": 2, "request": 6, "limit": "unlimited", "overQuotaWeight": 1,
        "usage": 0}


def test_what_takes_no_part_stands_below(fairlead, write, valid):
    write("c.json", m.dump(m.machine("m1"), m.queue("a", "gone"), m.queue("d"), OFF))
    r = fairlead("tree", "-f", "c.json")
    assert r.out.splitlines()[-1] == "Queue a takes no part: a queue above it does not exist"
    tree = valid(fairlead("tree", "-f", "c.json", "-o", "json").json(), "tree")
    assert tree["nodes"][-1] == {
        "kind": "Queue", "name": "a", "parent": "gone", "priority": 100, "inactive": "ParentNotFound",
        "message": "a queue above it does not exist"}


def test_quotas_are_there_before_anybody_asks(fairlead, write):
    write("c.json", m.dump(m.machine("m1"), m.queue("p", gpu=(4, 1, -1)), m.queue("a", "p", gpu=(3, 1, 6)), OFF))
    assert fairlead("tree", "-f", "c.json", env={"COLUMNS": "200"}).out.splitlines()[:3] == [
        "QUEUE  RESOURCE  DESERVED  OVER-QUOTA  FAIR SHARE  ALLOCATED  SATURATION  REQUEST      LIMIT  WEIGHT  PRIORITY  WAITING",
        "p      gpu              4           -           -          -           -        -  unlimited       1       100",
        "└─a    gpu              3           -           -          -           -        -          6       1       100",
    ]
    assert fairlead("divide", "-f", "c.json", env={"COLUMNS": "200"}).out.splitlines()[5:8] == [
        "  QUEUE  PRIORITY  RESOURCE  WEIGHT  DESERVED  LIMIT  REQUEST  FAIR SHARE",
        "  a           100  gpu            1         3      6        -           -",
        "",
    ]


def test_usage_of_more_than_there_was(fairlead, write):
    history = {"apiVersion": "fairlead.dev/v1alpha1", "kind": "UsageHistory", "metadata": {"name": "h"}, "spec": {
        "samples": [{"from": "2026-01-01T00:00:00Z", "to": "2026-01-01T01:00:00Z", "capacity": {"gpu": 1},
                     "queues": {"a": {"gpu": 6e300}, "b": {"gpu": 3}}}]}}
    write("c.json", m.dump(m.machine("m1"), m.queue("a"), m.queue("b"), *m.gang("w", "a"), history))
    lines = fairlead("tree", "-f", "c.json", env={"COLUMNS": "200"}).out.splitlines()
    assert [line.split()[10] for line in lines[1:3]] == ["6e+300", "3.000"]


@pytest.mark.parametrize("name, error", [
    ("visio", "there is no queue 'visio'\nhint: did you mean 'vision'?"),
    ("x", "there is no queue 'x'"),
])
def test_no_such_queue(fairlead, write, name, error):
    write("c.json", m.dump(*m.small(), OFF))
    r = fairlead("tree", "-f", "c.json", name)
    assert (r.code, r.err) == (1, f"fairlead: error: {error}\n")
