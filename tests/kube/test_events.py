# SPDX-License-Identifier: Apache-2.0
"""`events` of the Daemon document: an Event about each Workload that is evicted, or about each that is admitted, too, behind the decisions."""
import time

import pytest
from fake import Fault
from scheduling import condition_of, handed_over
from test_scheduler import admits, pending, running

DAEMON = "apiVersion: fairlead.dev/v1alpha1\nkind: Daemon\nmetadata: {name: own}\nspec:\n"


def wanted(server, events):
    server.put("configmaps", "fairlead", "fairlead", data={"daemon.yaml": f"{DAEMON}  events: {events}\n"})


def told(server):
    return [(e["reason"], e["regarding"]["name"]) for e in list(server.events.values())]


def asked(server):
    return sum(r[:2] == ("create", "events") for r in list(server.requests))


def counted(one, result):
    line = next(line for line in one.get("/metrics").splitlines() if line.startswith(f'fairlead_kube_events_total{{result="{result}"}}'))
    return int(float(line.split()[-1]))


def preempts(server, one):
    """low runs, and makes room for high."""
    pending(server, "low")
    admits(server, one, "low")
    pending(server, "high", priority=10)
    admits(server, one, "high")


@pytest.fixture
def queue(server):
    handed_over(server, "q", quota=1, preemption={"withinClusterQueue": "LowerPriority"})
    return server


@pytest.mark.parametrize("said", [None, "none"])
def test_none_is_written_where_none_is_wanted(queue, decide, said):
    if said:
        wanted(queue, said)
    one = decide()
    preempts(queue, one)
    queue.finish("a", "high")
    admits(queue, one, "low")  # evicted, and admitted again
    assert asked(queue) == 0 and not queue.events
    assert [counted(one, r) for r in ("done", "rejected", "dropped")] == [0, 0, 0]


def test_evictions(queue, decide):
    wanted(queue, "preempted")
    one = decide()
    preempts(queue, one)
    one.wait(lambda: told(queue) == [("Preempted", "low")])
    event, = queue.events.values()
    evicted = next(w[2] for w in queue.writes if w[0] == "evict")
    assert event["note"] == condition_of(evicted, "Evicted")["message"] == condition_of(evicted, "Preempted")["message"]
    assert event["type"] == "Normal" and event["action"] == "Preempt" and event["reportingController"] == "fairlead.dev/scheduler"
    assert event["regarding"] == {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Workload", "namespace": "a", "name": "low",
                                  "uid": evicted["metadata"]["uid"]}
    one.wait(lambda: counted(one, "done") == 1)
    assert asked(queue) == 1
    # And of a queue that is drained.
    handed_over(queue, "q", quota=1, scheduler="drain", preemption={"withinClusterQueue": "LowerPriority"})
    one.wait(lambda: told(queue)[1:] == [("EvictedDueToClusterQueueStopped", "high")])
    assert list(queue.events.values())[1]["note"] == "The ClusterQueue is stopped"


def test_all(queue, decide):
    wanted(queue, "all")
    one = decide()
    preempts(queue, one)
    one.wait(lambda: told(queue) == [("Admitted", "low"), ("Preempted", "low"), ("Admitted", "high")])
    first = next(iter(queue.events.values()))
    assert first["note"] == "Admitted by ClusterQueue q, wait time since reservation was 0s" and first["action"] == "Admit"
    # What is said meanwhile counts from then on.
    wanted(queue, "none")
    queue.finish("a", "high")
    one.wait(lambda: "low" in running(queue) and one.get("/v1/queues"))
    pending(queue, "next", priority=10)
    queue.finish("a", "low")
    admits(queue, one, "next")
    wanted(queue, "preempted")
    one.wait(lambda: asked(queue) >= 3)
    assert ("Admitted", "next") not in told(queue)


def test_an_eviction_by_kueue_is_not_told_as_ours(queue, decide):
    """Its cause is written before our write of the same Workload comes, which is refused."""
    wanted(queue, "preempted")
    one = decide()
    pending(queue, "low")
    admits(queue, one, "low")

    def before(namespace, name):
        if name == "low" and not condition_of(queue.state("workloads")["a", "low"], "Evicted"):
            queue.activate("a", "low", False)

    queue.before_write = before
    pending(queue, "high", priority=10)
    admits(queue, one, "high")
    assert [w[:2] for w in queue.writes] == [("admit", "a/low"), ("admit", "a/high")]
    assert asked(queue) == 0 and not queue.events


@pytest.mark.parametrize("how", ["silence", "lost"])
def test_a_write_whose_answer_is_lost_is_told_of_once_it_is_seen(queue, decide, how):
    wanted(queue, "preempted")
    one = decide()
    pending(queue, "low")
    admits(queue, one, "low")
    queue.fault_of_write = lambda namespace, name: how if name == "low" else None
    pending(queue, "high", priority=10)
    admits(queue, one, "high")
    one.wait(lambda: told(queue) == [("Preempted", "low")])
    assert asked(queue) == 1


def test_one_that_is_refused_is_left_out(queue, decide):
    wanted(queue, "all")
    queue.always["create", "events"] = Fault(status=403)
    one = decide()
    preempts(queue, one)
    one.wait(lambda: counted(one, "rejected") == 3)
    assert one.text().count("refuses an Event about a/low") == 1 and "refuses an Event about a/high" not in one.text()
    del queue.always["create", "events"]
    queue.finish("a", "high")
    admits(queue, one, "low")
    one.wait(lambda: told(queue) == [("Admitted", "low")])
    assert asked(queue) == 4


def test_one_that_is_lost_is_sent_again(queue, decide):
    wanted(queue, "preempted")
    queue.faults.append(("create", "events", Fault(at=0)))
    queue.faults.append(("create", "events", Fault(status=503)))
    one = decide()
    preempts(queue, one)
    one.wait(lambda: told(queue) == [("Preempted", "low")])
    one.wait(lambda: counted(one, "done") == 1)
    assert counted(one, "dropped") == 0


def test_one_that_is_never_taken_is_left_out_and_told(queue, decide):
    wanted(queue, "preempted")
    queue.always["create", "events"] = Fault(status=500)
    one = decide()
    preempts(queue, one)
    queue.finish("a", "high")
    admits(queue, one, "low")
    one.wait(lambda: counted(one, "dropped") == 1)
    assert "Events about decisions are left out: " in one.text() and "1 Events about decisions were left out" in one.text()
    del queue.always["create", "events"]
    pending(queue, "higher", priority=20)
    one.wait(lambda: told(queue) == [("Preempted", "low")])


def test_no_decision_waits_for_them(server, decide):
    """While none is answered all is admitted, and one at most is sent at a time; then ten a second are written."""
    wanted(server, "all")
    handed_over(server, "q", quota=40)
    server.always["create", "events"] = Fault(at=0, how="silence")
    for k in range(40):
        pending(server, f"w{k:02}")
    began = time.monotonic()
    one = decide()
    one.wait(lambda: len(server.writes) == 40)
    assert asked(server) <= 1 + (time.monotonic() - began) / 5 and not server.events
    del server.always["create", "events"]
    one.wait(lambda: server.events)
    began = time.monotonic()
    one.wait(lambda: len(server.events) >= 31)
    assert time.monotonic() - began >= 2  # ten at once, and two times more, a second later each
    one.wait(lambda: counted(one, "done") + counted(one, "dropped") == 40)
    assert counted(one, "done") == len(told(server)) and counted(one, "dropped") <= 1, "the first, where it was tried three times"


def test_long_names_are_cut_to_what_the_server_takes(server, decide):
    """The fake server holds each against the rules of a real one."""
    wanted(server, "all")
    deep = [f"{'c' * 240}-{k}" for k in range(6)]
    for name, parent in zip(deep, deep[1:] + [""]):
        server.put("cohorts", None, name, spec={"parentName": parent} if parent else {})
    queue = "q" * 253
    server.put("localqueues", "a", "q", spec={"clusterQueue": queue})
    handed_over(server, queue, quota=1, cohortName=deep[0], preemption={"withinClusterQueue": "LowerPriority"})
    one = decide()
    low, high = "l" * 199 + ".-" + "w" * 50, "h" * 253
    pending(server, low)
    admits(server, one, low)
    pending(server, high, priority=10)
    admits(server, one, high)
    one.wait(lambda: [r for r, _ in told(server)] == ["Admitted", "Preempted", "Admitted"])
    evicted = next(w[2] for w in server.writes if w[0] == "evict")
    message = condition_of(evicted, "Preempted")["message"]
    notes = [e["note"] for e in server.events.values()]
    assert len(message) > 1024 and notes[1] == message[:997] + "..."


def test_another_word_is_refused_with_its_place(queue, decide):
    wanted(queue, "most")
    one = decide()
    one.wait(lambda: "data[daemon.yaml]:5:11" in one.text())
    assert "the configuration is refused" in one.text() and "'most'" in one.text() and "none, preempted" in one.text()
    wanted(queue, "all")
    pending(queue, "low")
    one.wait(lambda: told(queue) == [("Admitted", "low")])
