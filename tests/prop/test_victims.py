# SPDX-License-Identifier: Apache-2.0
"""Who may be preempted, by whom, and how many.  (KEP-1714)"""
import itertools

from counter import counterexample
from engine import EVICT, PARKED, RESERVE, WAITING, Engine
from made import FAIR, anything, cases, prop
from reckon import Tree
from world import FINAL

def attempts(e):
	"""(job, its placement, victims with their reasons) of everybody who would preempt if it were alone."""
	for job in e.in_state(WAITING, PARKED):
		rows = e.attempt(job)
		if rows[0].kind == RESERVE:
			yield job, rows[0].placement, [(d.job, d.reason) for d in rows[1:]]


def lacking(e, job, placement):
	"""Columns of which there is not enough for the job."""
	cells, queue = e.cells(), e.case.job(job).queue
	return [c for c, amount in placement.items() if amount > max(0, cells[(queue,) + c].available)]


def excess(case, usage, queue, column):
	"""How far the queue is beyond its nominal quota; negative when it is within."""
	return usage.get((queue,) + column, 0) - case.quota(case.node(queue), *column).nominal


def without(case, usage, held, job):
	out = dict(usage)
	for column, amount in held[job].items():
		out[(case.job(job).queue,) + column] -= amount
	return out


def taken(e):
	"""Each victim of another queue as it is taken: job, victim, its reason, what the job lacks, usage with
	the victims before it gone."""
	held = e.held()
	for job, placement, victims in attempts(e):
		lack, usage = lacking(e, job, placement), e.usage()
		for victim, reason in victims:
			if e.case.job(victim).queue != e.case.job(job).queue:
				yield job, victim, reason, lack, usage
			usage = without(e.case, usage, held, victim)


def borrows(case, usage, job, columns):
	return any(excess(case, usage, case.job(job).queue, c) > 0 for c in columns)


@prop(300, case=anything())
def test_victims_are_of_borrowers(case):
	"""Tried alone, a workload preempts in another queue only what uses a resource of which there is not
	enough, and only if that queue uses more than its nominal quota of such a resource before the
	first victim is taken.  With and without fair sharing."""
	with Engine(case) as e:
		usage, held = e.usage(), e.held()
		for job, victim, _, lack, _ in taken(e):
			assert set(held[victim]) & set(lack), (job, victim)
			assert borrows(case, usage, victim, lack), (job, victim)


@prop(250, case=anything(fair=(None,)))
def test_classical_victims_borrow_when_taken(case):
	"""Without fair sharing: when a workload of another queue is taken, with the victims before it gone,
	its queue still uses more than its nominal quota of a resource that is needed."""
	with Engine(case) as e:
		for job, victim, _, lack, usage in taken(e):
			assert borrows(case, usage, victim, lack), (job, victim)


@prop(250, case=anything(fair=FAIR))
def test_fair_victims_borrow_something_when_taken(case):
	"""With fair sharing: when a workload of another queue is taken, with the victims before it gone, its
	queue uses more than its nominal quota of some resource, needed or not."""
	with Engine(case) as e:
		for job, victim, _, _, usage in taken(e):
			assert borrows(case, usage, victim, case.columns), (job, victim)


def test_needed_not_borrowed():
	"""Broken: that what the queue borrows then is what is needed.  w2 lacks gpu; w0 goes, and q0 has no
	more gpu than its own; but it still borrows net, so w1 loses the gpu that was guaranteed."""
	with Engine(counterexample("needed-not-borrowed")) as e:
		found = [(job, victim) for job, victim, _, lack, usage in taken(e)
			 if not borrows(e.case, usage, victim, lack)]
		assert found == [("w2", "w1")]


def test_own_reservation():
	"""Broken: within a whole cycle, that a queue within its nominal quota loses nothing.  q1 holds 4 of 5,
	and its next workload w3, served first, is promised 2 more; when w0 is looked at again, because
	its victim was taken, that promise counts as usage of q1, and w2 goes."""
	case = counterexample("own-reservation")
	with Engine(case) as e:
		usage = e.usage()
		victims = [d for d in e.step() if d.kind == EVICT and d.queue != case.job(d.preemptor).queue]
		assert [(d.job, d.preemptor) for d in victims
			if excess(case, usage, d.queue, ("f", "gpu")) <= 0] == [("w2", "w0")]


def shortfall(case):
	"""Fair-sharing victims whose queue is below its nominal quota, of something they held, once they are gone."""
	out = []
	with Engine(case) as e:
		held = e.held()
		for job, victim, reason, _, usage in taken(e):
			left, queue = without(case, usage, held, victim), case.job(victim).queue
			if reason == "InCohortFairSharing" and any(
					amount and excess(case, left, queue, c) < 0 for c, amount in held[victim].items()):
				out.append((job, victim))
	return out


@prop(400, case=cases(cohorts=(1, 1), resources=(1, 1), fair=((FINAL,),), weights=("1", "2", "3")))
def test_final_share_stops_at_nominal(case):
	"""In a flat cohort with one resource, LessThanOrEqualToFinalShare alone never takes a queue below its
	nominal quota: the preemptor borrows, so the victim's side must still borrow without the victim."""
	assert not shortfall(case)


def test_below_nominal():
	"""Broken: the same with LessThanInitialShare, which compares before the victim goes: q0, nominal 1,
	loses its only workload of 3 to a queue that borrows."""
	assert shortfall(counterexample("below-nominal")) == [("w2", "w0")]


def test_below_nominal_two_resources():
	"""Broken: the same with two resources: q1 borrows gpu by as large a share, so it may lose net that is
	its own, and does not become smaller by it."""
	assert shortfall(counterexample("below-nominal-two-resources")) == [("w2", "w0")]


def fits_without(e, job, placement):
	"""A function: does the job fit with these gone?  By balances alone."""
	case, usage, held = e.case, e.usage(), e.held()
	trees = {c: Tree(case, *c) for c in placement}
	at = [n.name for n in case.nodes].index(case.job(job).queue)

	def fits(gone):
		less = usage
		for victim in gone:
			less = without(case, less, held, victim)
		return all(trees[c].fits(trees[c].uses(less, *c), at, amount) for c, amount in placement.items())
	return fits


def spare(e, may_borrow=True):
	"""(job, victim): the job fits with all its victims gone but this one."""
	for job, placement, victims in attempts(e):
		fits, names = fits_without(e, job, placement), [v for v, _ in victims]
		assert fits(names), job
		for v in names:
			others = [x for x in names if x != v]
			usage = e.usage()
			for x in others:
				usage = without(e.case, usage, e.held(), x)
			borrow = any(excess(e.case, usage, e.case.job(job).queue, c) + amount > 0
				     for c, amount in placement.items())
			if fits(others) and (may_borrow or not borrow):
				yield job, v


@prop(400, case=anything(fair=FAIR))
def test_nobody_is_spare(case):
	"""With fair sharing no victim of a workload that is tried alone can be left out: with all others gone
	and this one not, it does not fit."""
	with Engine(case) as e:
		assert not list(spare(e))


@prop(300, case=anything(fair=(None,)))
def test_nobody_is_spare_without_borrowing(case):
	"""Without fair sharing no victim can be left out, if the workload shall not borrow."""
	with Engine(case) as e:
		assert not list(spare(e, may_borrow=False))


def test_spare_victim():
	"""Broken: the same if it may borrow.  w2 would fit by borrowing with w1 alone gone; the first attempt
	is made without borrowing, finds w1 and w0, and is taken."""
	with Engine(counterexample("spare-victim")) as e:
		assert list(spare(e)) == [("w2", "w0")]


def smallest(e, job, placement, victims):
	"""The smallest set of workloads of borrowing queues that would do."""
	case, usage, fits = e.case, e.usage(), fits_without(e, job, placement)
	allowed = [v for v in e.held() if case.job(v).queue != case.job(job).queue
		   and borrows(case, usage, v, case.columns)]
	for n in range(1, len(victims) + 1):
		for some in itertools.combinations(allowed, n):
			if fits(some):
				return list(some)
	return [v for v, _ in victims]


def test_not_the_smallest():
	"""Broken: that no smaller set would do, even among those that may all be reclaimed.  The newest of
	equals go first: two of 1 are taken where one of 4 would do."""
	with Engine(counterexample("not-the-smallest")) as e:
		(job, placement, victims), = attempts(e)
		assert victims == [("w4", "InCohortReclamation"), ("w0", "InCohortReclamation")]
		assert smallest(e, job, placement, victims) == ["w1"]
