# SPDX-License-Identifier: Apache-2.0
"""preemptionGuarantee: settles, where another one leads after each decision: who yielded asks no lower than it did."""
import pytest
from scheduling import condition_of, handed_over, is_true
from test_scheduler import pending, running
from watching import condition

KUEUE = """apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
fairSharing: {preemptionStrategies: [LessThanOrEqualToFinalShare, LessThanInitialShare]}
"""
OWN = """apiVersion: fairlead.dev/v1alpha1
kind: Daemon
metadata: {name: cluster}
---
apiVersion: fairlead.dev/v1alpha1
kind: Policy
metadata: {name: cluster}
spec: {%s}
"""
SETTLES = "preemptionGuarantee: settles"


class Leaders:
    """One leads at a time; the next one knows what the API has, and nothing else."""

    def __init__(self, server, decide):
        self.server, self.decide, self.n = server, decide, 0
        self.one = self.next()

    def next(self):
        if self.n:
            self.one.process.kill()
            self.one.process.wait()
            self.server.change_lease(holderIdentity="")  # as if it had run out
        self.n += 1
        self.one = self.decide(identity=f"leader{self.n}")
        return self.one

    def wait(self, condition):
        return self.one.wait(condition)

    def has_looked(self):
        """At all that waits: what came later and fits is admitted, twice."""
        for k in range(2):
            pending(self.server, f"probe{self.n}{k}", "probe")
            self.wait(lambda k=k: f"probe{self.n}{k}" in running(self.server))
            self.server.finish("a", f"probe{self.n}{k}")


def begin(server, policy=SETTLES):
    """4 cpu of a cohort, and two queues that borrow them; the fair share of each is half."""
    server.put("configmaps", "fairlead", "fairlead", data={"own.yaml": OWN % policy})
    server.put("configmaps", "kueue-system", "kueue-manager-config", data={"controller_manager_config.yaml": KUEUE})
    server.put("cohorts", None, "co", spec={"resourceGroups": [{"coveredResources": ["cpu"], "flavors": [
        {"name": "default", "resources": [{"name": "cpu", "nominalQuota": "4"}]}]}]})
    handed_over(server, "q0", "q1", quota=0, cohortName="co", queueingStrategy="BestEffortFIFO",
                preemption={"withinClusterQueue": "LowerPriority", "reclaimWithinCohort": "Any"})
    handed_over(server, "probe", quota=1)


def evicted(server, name):
    return sum(w[:2] == ("evict", f"a/{name}") for w in server.writes)


def preempted(server, name):
    return condition_of(server.state("workloads")["a", name], "Preempted")["message"]


def go_round(server, leaders, each=lambda: None):
    """small goes for urgent, which goes for other and third; then small would take from them, and all would go round."""
    pending(server, "small", "q0", created="2026-11-01T10:00:00Z")
    leaders.wait(lambda: "small" in running(server))
    each()
    pending(server, "urgent", "q0", cpu=4, priority=9, created="2026-11-01T10:00:01Z")
    leaders.wait(lambda: evicted(server, "small"))
    each()
    leaders.wait(lambda: "urgent" in running(server))
    each()
    pending(server, "other", "q1", cpu=2, created="2026-11-01T10:00:02Z")
    leaders.wait(lambda: evicted(server, "urgent"))
    each()
    leaders.wait(lambda: "other" in running(server))
    each()
    pending(server, "third", "q1", cpu=2, created="2026-11-01T10:00:03Z")
    leaders.wait(lambda: evicted(server, "third") or "third" in running(server))
    each()
    leaders.has_looked()


def kueue_writes(server, name):
    """What Kueue's controllers still write of one that was evicted, always the whole set: it waits in a queue that is on Hold, its
    pods are not ready, and what was said of it before stays, in another order and of another generation."""
    said = [{**c, "observedGeneration": 7} for c in server.state("workloads")["a", name]["status"]["conditions"]
            if c["type"] not in ("QuotaReserved", "Admitted", "PodsReady", "Requeued")]
    server.change("a", name, conditions=[condition("PodsReady", False, "WaitForStart"), condition("Requeued", True, "BackoffFinished"), {
        **condition("QuotaReserved", False, "Inactive"), "message": "ClusterQueue q0 is inactive"}, {
            **condition("Admitted", False, "NoReservation"), "message": "The workload has no reservation"}, *reversed(said)])


@pytest.mark.parametrize("again", ["", "stopped and active again"])
def test_what_kueue_writes_later_leaves_it_as_it_is(server, decide, again):
    begin(server)
    leaders = Leaders(server, decide)
    go_round(server, leaders)
    before = preempted(server, "small")
    assert " [fairlead/1 to=" in before
    leaders.one.process.kill()
    if again:
        for active in (False, True):
            server.activate("a", "small", active)
            kueue_writes(server, "small")
    kueue_writes(server, "small")
    assert preempted(server, "small") == before
    leaders.next()
    leaders.has_looked()
    assert running(server) == {"other", "third"} and not evicted(server, "third") and not evicted(server, "other")
    assert preempted(server, "small") == before
    # And still it ends with the one for which it went.
    server.delete("workloads", "a", "urgent")
    leaders.wait(lambda: "small" in running(server))


@pytest.mark.parametrize("how", ["one leader", "another after each decision", "another at the end"])
def test_who_yielded_asks_no_lower(server, decide, how):
    begin(server)
    leaders = Leaders(server, decide)
    go_round(server, leaders, leaders.next if how == "another after each decision" else lambda: None)
    if how == "another at the end":
        leaders.next()
        leaders.has_looked()
    assert running(server) == {"other", "third"} and not evicted(server, "third") and not evicted(server, "other")
    uid = server.state("workloads")["a", "urgent"]["metadata"]["uid"]
    assert f"(UID: {uid}, " in preempted(server, "small") and f" [fairlead/1 to={uid} queue=" in preempted(server, "small")
    assert "[fairlead/" not in condition_of(server.state("workloads")["a", "small"], "Evicted")["message"]
    assert "[fairlead/" not in preempted(server, "urgent")
    # And with the one for which it went, that ends.
    server.delete("workloads", "a", "urgent")
    leaders.wait(lambda: "small" in running(server))
    assert evicted(server, "third") + evicted(server, "other") == 1
    assert preempted(server, "small").startswith("Previously: ") and "[fairlead/" not in preempted(server, "small")


def test_without_the_guarantee_nothing_is_written_and_all_go_round(server, decide):
    begin(server, "preemptionGuarantee: none")
    leaders = Leaders(server, decide)
    go_round(server, leaders)
    assert evicted(server, "third") and not any("[fairlead/" in str(w) for w in server.writes)


@pytest.mark.parametrize("text", [
    " [fairlead/1 to={uid} queue={queue} forgiven=0", " [fairlead/1 to={own} queue={queue} forgiven=0 floors={floors}]",
    " [fairlead/1 to={uid} queue=0000000000000000 forgiven=0 floors={floors}]",
    " [fairlead/1 to={uid} queue={queue} forgiven=0 floors=1.3.7ff8000000000000.0000000000000000]"])
def test_a_text_that_is_not_what_was_written_counts_for_nothing(server, decide, text):
    begin(server)
    leaders = Leaders(server, decide)
    go_round(server, leaders)
    leaders.one.process.kill()
    small, message = server.state("workloads")["a", "small"], preempted(server, "small")
    words = dict(word.split("=") for word in message.rpartition("[fairlead/1 ")[2].rstrip("]").split())
    forged = message.partition(" [fairlead/")[0] + text.format(uid=words["to"], own=small["metadata"]["uid"], **{
        k: words[k] for k in ("queue", "floors")})
    server.change("a", "small", conditions=[{**c, "message": forged} if c["type"] == "Preempted" else c
                                            for c in small["status"]["conditions"]])
    leaders.next()
    leaders.wait(lambda: "small" in running(server))
    assert evicted(server, "third") + evicted(server, "other") == 1
    assert not is_true(server.state("workloads")["a", "urgent"], "Admitted")


@pytest.mark.parametrize("policy", [SETTLES, "defaults: {holdFreedQuota: true}", "preemptionGuarantee: none"])
def test_freed_quota_is_held_over_leaders(server, decide, policy):
    """urgent needs all there is, of which a part is free: another queue, whose share is lower, could take it."""
    begin(server, policy)
    handed_over(server, "q2", quota=0, cohortName="co", queueingStrategy="BestEffortFIFO")
    server.is_gone = lambda *_: None  # its pods take their time
    leaders = Leaders(server, decide)
    pending(server, "most", "q0", cpu=3)
    leaders.wait(lambda: "most" in running(server))
    pending(server, "urgent", "q0", cpu=4, priority=9)
    leaders.wait(lambda: evicted(server, "most"))
    leaders.one.process.kill()
    pending(server, "thief", "q2", created="2026-11-01T09:00:00Z")
    leaders.next()
    leaders.has_looked()
    if policy == "preemptionGuarantee: none":
        assert "thief" in running(server)
        return
    assert "thief" not in running(server)
    del server.is_gone
    server.is_gone("a", "most", server.state("workloads")["a", "most"]["metadata"]["uid"])
    leaders.wait(lambda: "urgent" in running(server))
    leaders.has_looked()
    assert running(server) == {"urgent"} and evicted(server, "most") == 1 and server.total <= 5
