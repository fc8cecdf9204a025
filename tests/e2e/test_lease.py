# SPDX-License-Identifier: Apache-2.0
"""One of several leads (src/kube/lease.h), by the Lease of a real API server."""
import signal

import pytest
from contender import SLOW, Contender, now, wait_for

API = "coordination.k8s.io/v1"
# ms; a server that starts takes some seconds, in which it is not renewed.
TIMES = {"lasts": 4000, "every": 400, "most": 3000, "look": 100}


@pytest.fixture
def contend(bed):
    """contend(identity): each ends well, unless a test ended it."""
    started = []

    def start(identity):
        started.append(Contender(bed.kubeconfig(), identity, *(f"{name}={value}" for name, value in TIMES.items())))
        return started[-1]

    yield start
    for one in started:
        if one.process.poll() is None:
            one.process.send_signal(signal.SIGCONT)
            assert one.end() == 0
    if bed.admin.find(API, "leases", "leader", "default"):
        bed.admin.delete(API, "leases", "leader", "default")


def lease(bed):
    return bed.admin.get(API, "leases", "leader", "default")


def test_it_is_made_renewed_given_back_and_taken(bed, contend):
    one = contend("one")
    leads = one.wait("leads")
    made = lease(bed)
    assert made["spec"]["holderIdentity"] == "one" and int(made["metadata"]["resourceVersion"]) >= int(leads["version"])
    wait_for(lambda: lease(bed)["spec"]["renewTime"] > made["spec"]["renewTime"])
    two = contend("two")
    wait_for(lambda: two.ask()["holder"] == "one")
    assert one.end() == 0
    two.wait("leads")
    after = lease(bed)["spec"]
    assert after["holderIdentity"] == "two" and after["leaseTransitions"] == made["spec"]["leaseTransitions"] + 1


def test_the_next_leads_after_the_end_of_one_that_is_dead(bed, contend):
    one, two = contend("one"), None
    one.wait("leads")
    two = contend("two")
    wait_for(lambda: two.ask()["holder"] == "one")
    one.end(signal.SIGKILL)
    dead = now()
    assert dead + TIMES["lasts"] - TIMES["every"] - 1000 <= two.wait("leads")["at"]


def test_nobody_leads_while_the_server_is_away(bed, contend):
    many = [contend(f"c{i}") for i in range(3)]
    wait_for(lambda: any(one.ask()["leads"] for one in many))
    first = next(one for one in many if one.ask()["leads"])
    bed.kill_api()
    first.wait("lost")
    assert not any(one.ask()["leads"] for one in many)
    bed.start_api()
    wait_for(lambda: any(one.ask()["leads"] for one in many), 2 * SLOW)
    assert [one.ask()["leads"] for one in many].count(True) == 1


def test_of_many_at_once_never_two_lead(bed, contend):
    """Each in turn is stopped past its end and goes on: it has led when another did not."""
    many = [contend(f"c{i}") for i in range(3)]
    for _ in range(3):
        wait_for(lambda: any(one.ask()["leads"] for one in many))
        leader = next(one for one in many if one.ask()["leads"])
        others = [one for one in many if one is not leader]
        leader.process.send_signal(signal.SIGSTOP)
        wait_for(lambda others=others: any(one.ask()["leads"] for one in others))
        leader.process.send_signal(signal.SIGUSR1)
        leader.process.send_signal(signal.SIGCONT)
        assert not leader.ask()["leads"]
        assert [one.ask()["leads"] for one in others].count(True) == 1
