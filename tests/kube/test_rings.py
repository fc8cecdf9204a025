# SPDX-License-Identifier: Apache-2.0
"""A ring of cohorts is told of: one Event for each Cohort of it and each ClusterQueue below, when it appears and when it has ended."""
import os
import pathlib
import time

import pytest
import yaml
from fake import Fault
from scheduling import handed_over
from test_scheduler import pending, running


def cohorts(server, **parents):
    for name, parent in parents.items():
        server.put("cohorts", None, name, spec={"parentName": parent} if parent else {})


def told(server):
    return [(e["reason"], e["regarding"]["kind"], e["regarding"]["name"]) for e in list(server.events.values())]


def of(reason, queues=("q", "under"), names=("a", "b", "c")):
    return sorted([(reason, "Cohort", n) for n in names] + [(reason, "ClusterQueue", n) for n in queues])


def decides(server, daemon, name):
    """It goes on beside that."""
    pending(server, name, "free")
    daemon.wait(lambda: name in running(server))
    server.finish("a", name)


@pytest.fixture
def ring(server):
    """a is below b, b below c; q is of a, under of the cohort below, which is below c; free stands beside."""
    cohorts(server, a="b", b="c", c=None, below="c")
    handed_over(server, "q", cohortName="a")
    handed_over(server, "under", cohortName="below")
    handed_over(server, "free", quota=1)
    return server


def test_it_appears_and_is_gone(ring, decide):
    one = decide()
    decides(ring, one, "first")
    assert not ring.events
    cohorts(ring, c="a")
    one.wait(lambda: sorted(told(ring)) == of("CohortCycle"))
    decides(ring, one, "second")
    events = {e["regarding"]["name"]: e for e in ring.events.values()}
    assert events["q"]["note"] == "It is below a ring of cohorts, where nothing is admitted: a, b, c"
    assert events["b"]["note"] == "It is part of a ring of cohorts, where nothing is admitted: a, b, c"
    assert events["a"]["type"] == "Warning" and events["a"]["action"] == "StopAdmission"
    for kind, plural, name in (("Cohort", "cohorts", "a"), ("ClusterQueue", "clusterqueues", "q")):
        uid = ring.state(plural)[None, name]["metadata"]["uid"]
        assert events[name]["regarding"] == {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": kind, "name": name, "uid": uid}
    cohorts(ring, c=None)
    one.wait(lambda: sorted(told(ring)[5:]) == of("CohortCycleEnded"))
    assert {e["type"] for e in list(ring.events.values())[5:]} == {"Normal"}
    # And once more; one that is deleted is not told of.
    cohorts(ring, c="a")
    one.wait(lambda: sorted(told(ring)[10:]) == of("CohortCycle"))
    ring.delete("clusterqueues", None, "q")
    cohorts(ring, c=None)
    one.wait(lambda: sorted(told(ring)[15:]) == of("CohortCycleEnded", queues=("under",)))
    decides(ring, one, "third")
    assert len(ring.events) == 19


def test_the_next_leader_does_not_tell_it_again(ring, decide):
    cohorts(ring, c="a")
    one = decide()
    one.wait(lambda: sorted(told(ring)) == of("CohortCycle"))
    one.process.kill()
    one.process.wait()
    ring.change_lease(holderIdentity="")
    before = sum(r[:2] == ("create", "events") for r in ring.requests)
    two = decide(identity="two")
    two.wait(lambda: sum(r[:2] == ("create", "events") for r in ring.requests) == before + 5)
    decides(ring, two, "first")
    assert len(ring.events) == 5
    cohorts(ring, c=None)
    two.wait(lambda: sorted(told(ring)[5:]) == of("CohortCycleEnded"))


@pytest.mark.parametrize("status", [403, 503])
def test_one_that_is_not_taken_keeps_no_decision(ring, decide, status):
    ring.always["create", "events"] = Fault(status=status)
    cohorts(ring, c="a")
    one = decide()
    one.wait(lambda: any(r[:2] == ("create", "events") for r in ring.requests))
    decides(ring, one, "first")
    if status == 403:  # in the log, once
        one.wait(lambda: sum(r[:2] == ("create", "events") for r in ring.requests) == 5)
        decides(ring, one, "second")
        assert one.text().count("refuses an Event about a ring of cohorts") == 1 and not ring.events
        return
    del ring.always["create", "events"]
    one.wait(lambda: sorted(told(ring)) == of("CohortCycle"))


def test_no_more_than_ten_a_second(ring, decide):
    for k in range(30):
        handed_over(ring, f"more{k:02}", cohortName="a")
    cohorts(ring, c="a")
    one = decide()
    one.wait(lambda: ring.events)
    began = time.monotonic()
    one.wait(lambda: len(ring.events) == 35)
    assert time.monotonic() - began >= 2  # ten at once, and three times more, a second later each
    assert sorted(told(ring)) == of("CohortCycle", queues=("q", "under", *(f"more{k:02}" for k in range(30))))


def test_all_that_is_written_is_in_the_role(ring, decide):
    cohorts(ring, c="a")
    one = decide()
    one.wait(lambda: len(ring.events) == 5)
    decides(ring, one, "first")
    verbs = {"POST": "create", "PUT": "update"}
    written = {(verbs.get(verb, verb), plural) for verb, plural, _ in ring.requests} - {("GET", "leases")}
    roles = yaml.safe_load_all((pathlib.Path(os.environ["FAIRLEAD_SOURCE"]) / "deploy" / "scheduler" / "role.yaml").read_text())
    granted = {(verb, resource.partition("/")[0]) for role in roles for rule in role.get("rules", ()) for resource in rule["resources"]
               for verb in rule["verbs"]}
    reads = ("get", "list", "watch")
    assert {w for w in written if w[0] not in reads} | {("create", "leases"), ("update", "leases")} == {g for g in granted if g[0] not in reads}
