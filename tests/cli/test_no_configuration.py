# SPDX-License-Identifier: Apache-2.0
"""Without Kueue's Configuration fair sharing is taken to be off: a warning above every answer that it could change."""
import copy

import pytest

import entitle_manifests as kai
import manifests as m

START = "Warning: there is no Configuration in the input: fair sharing is taken to be off, "
UUID = "8a6e0c1d-1234-4abc-8def-00000000000"


def state(*more, without=()):
    return [o for o in m.small() if o["metadata"]["name"] not in without] + list(more)


def alone():
    """No queue of theirs can borrow."""
    return [m.namespace("ns"), m.flavor("f"), m.cluster_queue("a", m.quota("f", cpu="4")), m.cluster_queue("b", m.quota("f", cpu="4")),
            m.local_queue("la", "a"), m.local_queue("lb", "b"), m.workload("a1", "la", cpu="9")]


def kept():
    """Queues of one cohort that lend nothing to each other."""
    own = {"nominalQuota": "4", "lendingLimit": "0"}
    return [m.namespace("ns"), m.flavor("f"), m.cluster_queue("a", m.quota("f", cpu=own), cohort="co"),
            m.cluster_queue("b", m.quota("f", cpu=own), cohort="co"), m.local_queue("la", "a"), m.workload("a1", "la", cpu="9")]


def one():
    """A queue that borrows from its cohort has nobody to share with."""
    return [m.namespace("ns"), m.flavor("f"), m.cohort("co", None, m.quota("f", cpu="4")),
            m.cluster_queue("a", m.quota("f", cpu="4"), cohort="co"), m.local_queue("la", "a"), m.workload("a1", "la", cpu="9")]


SET = ["--set", "ClusterQueue/a: fairSharing.weight=2"]


@pytest.mark.parametrize("objects, args, warned", [
    (state(), ["plan"], True),
    (state(), ["plan", "--settle"], True),
    (state(), ["prove"], True),
    (state(), ["tree"], True),
    (state(), ["explain", "ns/a1"], True),
    (state(), ["explain", "--eta", "ns/a1"], True),
    (state(), ["what-if", *SET], True),
    (state(), ["plan", "--policy", "drf"], False),        # it has no fair sharing
    (state(), ["explain", "ns/b1"], False),               # it holds its quota
    (state(without=("a1", "a2")), ["plan"], False),       # nobody waits
    (state(without=("a1", "a2")), ["tree"], True),        # but shares would be shown
    (state(m.no_fair_sharing()), ["plan"], False),
    (state(m.configuration()), ["plan"], False),
    (alone(), ["plan"], False),
    (alone(), ["tree"], False),
    (kept(), ["plan"], False),
    (one(), ["plan"], False),
    (state(m.cluster_queue("c", m.quota("f", cpu="1")), m.local_queue("lc", "c"), m.workload("c1", "lc", cpu="2")),
     ["explain", "ns/c1"], False),                        # in a tree of its own
    (kai.small(), ["plan"], False),
])
def test_where_it_matters(fairlead, write, valid, objects, args, warned):
    write("c.json", m.dump(*copy.deepcopy(objects)))
    r = fairlead(*args, "-f", "c.json")
    assert r.out.startswith(START) == warned and r.err == ""
    assert ("fair sharing is taken to be off" in r.out) == warned
    x = valid(fairlead(*args, "-f", "c.json", "-o", "json").json(), args[0])
    assert ("warnings" in x) == warned
    assert not (warned and any("fair sharing is off" in a for a in x["assumptions"]))
    if warned:
        assert x["warnings"] == [r.out.split("\n")[0].removeprefix("Warning: ")]


def test_a_simulation_says_what_its_cluster_is_like(fairlead, write):
    write("c.json", m.dump(*state()))
    r = fairlead("simulate", "-f", "c.json", "--until", "1h")
    assert "Warning" not in r.out and "fair sharing is off: no Configuration in the input" in r.out


def dumped(objects):
    out = copy.deepcopy(objects)
    for i, o in enumerate(out):
        o["metadata"]["uid"] = UUID + str(i)
    return out


@pytest.mark.parametrize("objects, found", [
    (state(), 0),                                # manifests: written by people
    (dumped(state()), 1),                        # from a cluster
    (dumped(alone()), 0),
    (dumped(state()) + [m.no_fair_sharing()], 0),
])
def test_check(fairlead, write, valid, objects, found):
    write("c.json", m.dump(*objects))
    x = valid(fairlead("check", "-f", "c.json", "-o", "json").json(), "check")
    assert [w["kind"] for w in x["warnings"] if w["kind"] == "no-configuration"] == ["no-configuration"] * found
    r = fairlead("check", "--strict", "-f", "c.json")
    assert ("this is from a cluster, but the input has no Configuration" in r.err) == bool(found)
    assert found == r.code or "never" in r.err
