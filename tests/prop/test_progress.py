# SPDX-License-Identifier: Apache-2.0
"""What becomes of those who wait: guarantees, termination, rest."""
from dataclasses import replace

from counter import counterexample
from engine import ADMIT, ADMITTED, EVICTING, PARKED, RESERVE, WAITING, Engine, decided
from made import EITHER, anything, cases, happenings, prop
from reckon import Tree
from test_books import happen
from world import FINAL

EVEN = dict(fair=EITHER, weights=("1", "0", "2"), priorities=2)
FLAT = dict(EVEN, cohorts=(1, 1), limited=False, cohort_quota=False)


# -- a claimant: who asks for no more than its queue's own quota ----------------

def claimants(e):
	usage = e.usage()
	for job in e.in_state(WAITING):
		j = e.case.job(job)
		node = e.case.node(j.queue)
		if all(usage.get((j.queue, "f", r), 0) + amount <= e.case.quota(node, "f", r).nominal
		       for r, amount in zip(e.case.resources, j.ask)):
			yield job


def is_served(e, job, cycles):
	"""Does it get its quota within so many cycles, evictions done between them?"""
	for _ in range(cycles):
		e.step()
		if job in e.in_state(ADMITTED, EVICTING):
			return True
		e.complete()
	return False


def alone(case, cycles):
	"""The first claimant, with nobody else waiting at first."""
	with Engine(case) as e:
		jobs = list(claimants(e))[:1]
	for job in jobs:
		with Engine(replace(case, jobs=tuple(j for j in case.jobs if j.held or j.name == job))) as e:
			assert is_served(e, job, cycles), job


def among_others(case, cycles):
	"""The first claimant that is the head of its queue, beside all others who wait."""
	with Engine(case) as e:
		mark = e.mark()
		heads = {d.job for d in e.step() if d.kind in (ADMIT, RESERVE) or d.preemptor is None}
		e.rollback(mark)
		for job in [j for j in claimants(e) if j in heads][:1]:
			assert is_served(e, job, cycles), job


@prop(400, case=cases(**FLAT))
def test_claims_alone_in_a_flat_cohort(case):
	"""In a flat cohort where every queue may reclaim (Any), a workload within its queue's nominal quota,
	the only one that waits, holds it in the second cycle at the latest.  With and without fair sharing."""
	alone(case, 2)


@prop(400, case=cases(**FLAT))
def test_claims_among_others_in_a_flat_cohort(case):
	"""The same beside whoever else waits, if it is the head of its queue: within twelve cycles."""
	among_others(case, 12)


@prop(300, case=cases(**{**EVEN, "fair": (None,)}))
def test_claims_without_fair_sharing(case):
	"""Without fair sharing the same in any tree, with any limits: alone in the second cycle, among others
	within twelve."""
	alone(case, 2)
	among_others(case, 12)


@prop(400, case=cases(hold=(True,), **EVEN))
def test_claims_with_held_quota(case):
	"""With a Policy that holds freed quota the same in any tree, with any limits, with fair sharing:
	alone in the second cycle, among others within twelve."""
	alone(case, 2)
	among_others(case, 12)


SETTLES = {"preemptionGuarantee": "settles"}


@prop(400, case=cases(**EVEN))
def test_claims_with_the_guarantee(case):
	"""With a Policy that wants preemption to settle the same in any tree, with any limits, with and without
	fair sharing; and where it has come to rest, nobody waits who is within its queue's quota."""
	case = replace(case, policy=SETTLES)
	alone(case, 2)
	among_others(case, 12)
	with Engine(case) as e:
		assert e.settle().settled
		assert not list(claimants(e))


MIXED = dict(EVEN, reclaim=("Any", "Any", "Never", "LowerPriority"), strict=(False, True),
	     within=("Never", "LowerPriority", "LowerOrNewerEqualPriority"), borrow_within=(None, "LowerPriority"),
	     fungibility=((), (("preference", "PreemptionOverBorrowing"),)))


def sides(case, queue):
	"""The queue and the cohorts above it, but for the root."""
	while case.node(queue).parent is not None:
		yield queue
		queue = case.node(queue).parent


def made_way(case, decisions):
	"""Who was preempted by somebody below a node that both have in common."""
	queue = {j.name: j.queue for j in case.jobs}
	return {d.job for d in decided(decisions) if d.preemptor is not None and
		set(sides(case, queue[d.job])) & set(sides(case, queue[d.preemptor]))}


def claims(e, but=()):
	"""Who waits within its queue's quota of what it asks for, in a queue that may reclaim from all: of each
	queue those who were looked at, which are its head and who is parked."""
	case, usage = e.case, e.usage()
	for q in case.queues:
		waits = sorted((case.job(j) for j in e.in_state(WAITING) if case.job(j).queue == q.name),
			       key=lambda j: (-j.priority, j.age, j.name))
		parked = [case.job(j) for j in e.in_state(PARKED) if case.job(j).queue == q.name]
		for j in waits[:1] + parked:
			within = all(amount == 0 or usage.get((q.name, "f", r), 0) + amount * j.count
				     <= case.quota(q, "f", r).nominal for r, amount in zip(case.resources, j.ask))
			if within and q.reclaim == "Any" and j.name not in but:
				yield j.name


@prop(800, case=cases(**MIXED))
def test_nobody_claims_at_rest(case):
	"""With a Policy that wants preemption to settle, in any tree, with any limits, with and without fair
	sharing, queues that may preempt or not, StrictFIFO and not, and requests of 0: where it has come to
	rest no head waits that is within its queue's quota of what it asks for, if the queue may reclaim from
	all and it did not make way for its own side."""
	with Engine(replace(case, policy=SETTLES)) as e:
		ended = e.settle(300)
		assert ended.settled
		assert not list(claims(e, made_way(case, ended.decisions)))


def test_reclaim_against_tournament():
	"""Broken: the same with fair sharing in a tree of two levels.  w3 is within its queue's quota, so it
	reclaims it from w0.  Then both are heads again, and the tournament, which compares c1 with q0 and
	not queue with queue, serves w0 first; it takes the freed quota, and w3 reclaims it again.  For ever,
	with the default strategies, one resource, equal weights and priorities, BestEffortFIFO queues."""
	with Engine(counterexample("reclaim-against-tournament")) as e:
		ended = e.settle()
		assert (ended.loop_first, ended.loop_period) == (3, 2)
		again = [d for d in ended.decisions if d.cycle in (3, 4) and d in decided(ended.decisions)]
		assert [(d.job, d.preemptor, d.reason) for d in again] == [
			("w0", None, "Fits"), ("w0", "w3", "InCohortReclamation")]
	held = replace(counterexample("reclaim-against-tournament"), policy={"holdFreedQuota": True})
	with Engine(held) as e:
		assert e.settle().settled and "w3" in e.in_state(ADMITTED)


# -- a preemptor: whose victims have gone ---------------------------------------

def promised_and_not_given(case, events=()):
	"""Preemptors of one cycle that are not admitted in the next, all victims gone."""
	with Engine(case) as e:
		for what, which in events:
			happen(e, what, which)
		e.complete()
		promised = [d.job for d in e.step() if d.kind == RESERVE]
		e.complete()
		e.step()
		return [job for job in promised if job not in e.in_state(ADMITTED)]


@prop(500, case=anything(hold=(True,)),
      events=happenings("step", "finished", "cancel", "submit", "grow"))
def test_held_quota_is_given(case, events):
	"""With a Policy that holds freed quota: whoever preempted is admitted in the cycle after its victims
	have gone, whatever happened before."""
	assert not promised_and_not_given(case, events)


def test_held_in_another_flavor():
	"""Mended: the same where looking anew led astray.  w1 is promised g; once its victim has gone there is
	room in f, too, which comes first and is promised to w4.  It keeps to g."""
	assert promised_and_not_given(counterexample("held-in-another-flavor")) == []


def test_freed_for_another():
	"""Broken: the same without that Policy.  w0 goes for w3; w2, which is within the quota of its queue and
	therefore served first, takes a part of what was freed, and w3 does not fit any more."""
	assert promised_and_not_given(counterexample("freed-for-another")) == ["w3"]


# -- an end, and rest ------------------------------------------------------------

@prop(300, case=anything())
def test_searches_are_bounded(case):
	"""A look for victims compares shares at most twice for each workload that holds quota, and one try of
	a workload looks at most once for each flavor and resource and once for the whole, for each count
	of pods that partial admission tries."""
	with Engine(case) as e:
		held = len(e.held())
		for job in e.in_state(WAITING):
			e.attempt(job)
			rows = e.evidence()
			counts = 1 + (case.job(job).least is not None) * (case.job(job).count + 1).bit_length()
			assert rows["S2-a"] + rows["S2-b"] <= 2 * held * (len(case.columns) + 1) * counts, job


@prop(400, case=anything())
def test_it_ends_or_goes_round(case):
	"""Settling comes to rest or finds a loop, within 100 cycles on cases of this size."""
	with Engine(case) as e:
		ended = e.settle(100)
		assert ended.settled or ended.loop_first


@prop(400, case=cases(cohorts=(1, 1), resources=(1, 1), limited=False, fair=((FINAL,),)))
def test_final_share_settles_flat(case):
	"""In a flat cohort with one resource, equal weights and priorities and no limits, with
	LessThanOrEqualToFinalShare alone, it comes to rest."""
	with Engine(case) as e:
		assert e.settle().settled


@prop(400, case=cases(resources=(1, 1), limited=False, fair=((FINAL,),), hold=(True,)))
def test_final_share_settles_with_held_quota(case):
	"""The same in any tree, with a Policy that holds freed quota."""
	with Engine(case) as e:
		assert e.settle().settled


@prop(600, case=anything())
def test_the_guarantee_settles(case):
	"""With a Policy that wants preemption to settle it comes to rest, whatever there is."""
	with Engine(replace(case, policy=SETTLES)) as e:
		assert e.settle(300).settled


def test_best_effort_loop():
	"""Broken: the same with both strategies, the default: BestEffortFIFO queues, one resource, equal weights, no
	arrivals, and every cycle's evictions wake the next round; S2-b takes w0 and w3 for w1, and w3, which
	q1 is owed, takes w1's quota back.  Holding freed quota does not help."""
	case = counterexample("best-effort-loop")
	for policy in ({}, {"holdFreedQuota": True}):
		with Engine(replace(case, policy=policy)) as e:
			assert e.settle().loop_period == 10
	for strategy in case.fair:
		with Engine(replace(case, fair=(strategy,))) as e:
			assert e.settle().settled


@prop(400, case=anything())
def test_settled_stays_settled(case):
	"""Where it has come to rest, nothing is decided in any further cycle, nobody has to go, and usage and
	shares stay; settling again decides nothing."""
	with Engine(case) as e:
		if not e.settle().settled:
			return
		was = e.held(), e.shares()
		for _ in range(4):
			assert not decided(e.step()) and not e.evicting()
		again = e.settle()
		assert again.settled and not decided(again.decisions)
		assert (e.held(), e.shares()) == was


def could_start(e, jobs):
	"""Those for which there is room in some flavor, with as few pods as they allow."""
	case, usage = e.case, e.usage()
	names = [n.name for n in case.nodes]
	for name in jobs:
		j = case.job(name)
		for f in case.flavors:
			trees = [Tree(case, f, r) for r in case.resources]
			if all(t.fits(t.uses(usage, f, r), names.index(j.queue), amount * (j.least or j.count))
			       for t, r, amount in zip(trees, case.resources, j.ask)):
				yield name
				break


USUAL = ((), (("whenCanBorrow", "TryNextFlavor"),), (("whenCanPreempt", "MayStopSearch"),))


@prop(400, case=anything(flavors=(1, 1), strict=(False,), fungibility=USUAL))
def test_nothing_waits_that_fits(case):
	"""With one flavor, BestEffortFIFO queues, and not the preference PreemptionOverBorrowing: where it has
	come to rest, nobody waits for whom there is room."""
	with Engine(case) as e:
		if e.settle().settled:
			assert not list(could_start(e, e.in_state(WAITING, PARKED)))


@prop(300, case=anything(flavors=(1, 1)))
def test_nothing_is_parked_that_fits(case):
	"""With one flavor, whatever else is set: nobody is parked for whom there is room."""
	with Engine(case) as e:
		if e.settle().settled:
			assert not list(could_start(e, e.in_state(PARKED)))


def test_parked_though_it_fits():
	"""Broken: the same with two flavors.  w1 fits in f.  In the first cycle w0, which may not preempt, keeps what
	is free there, and w1 is skipped; in the second w1 goes on where it stopped, with g, where there is
	nothing.  There the scan ends and w1 is parked, w0 too; f stays free."""
	with Engine(counterexample("parked-though-it-fits")) as e:
		assert e.settle().settled
		assert list(could_start(e, e.in_state(PARKED))) == ["w1"]


def test_kept_free():
	"""Broken: the same with a StrictFIFO queue that may not reclaim from Any.  Its head finds nobody to preempt
	and keeps its place in every cycle; what is free is kept for it, and w1 waits though it would fit."""
	with Engine(counterexample("kept-free")) as e:
		assert e.settle().settled
		assert "w1" in could_start(e, e.in_state(WAITING, PARKED))


def test_parked_could_preempt():
	"""Broken: that nobody is parked who could preempt by now.  w2 was parked when nobody borrowed; another
	workload has borrowed since, but an admission wakes nobody."""
	with Engine(counterexample("parked-could-preempt")) as e:
		assert e.settle().settled
		assert "w2" in e.in_state(PARKED) and e.attempt("w2")[0].kind == RESERVE
