# SPDX-License-Identifier: Apache-2.0
"""The books: usage, balances, what is available.  (KEP-79)"""
from hypothesis import strategies as st

import engine
from counter import counterexample
from engine import Engine, Refused
from made import EVENTS, HARMLESS, anything, cases, happenings, prop
from reckon import Tree


def happen(e, what, which):
	"""One happening; what does not suit the state is refused by the engine and changes nothing."""
	case = e.case
	if what == "step":
		return e.step()
	if what == "all evicted":
		return e.complete()
	job = case.jobs[which % len(case.jobs)].name if case.jobs else None
	node = case.nodes[which % len(case.nodes)]
	flavor, resource = case.columns[which % len(case.columns)]
	try:
		if what == "evicted":
			if job in e.evicting():
				e.event(engine.EVICTED, job)
		elif what in ("finished", "cancel", "submit", "rejected"):
			if job:
				e.event({"finished": engine.FINISHED, "cancel": engine.CANCEL, "submit": engine.SUBMIT,
					 "rejected": engine.REJECTED}[what], job)
		elif what == "grow":
			now = e.cells()[node.name, flavor, resource].nominal
			e.change(engine.NOMINAL, node.name, flavor, resource, now + which % 4)
		elif what == "weight":
			e.weigh(node.name, float(which % 4))
		elif what == "priority":
			if job:
				e.prioritise(job, which % 3)
		elif what == "quota":
			e.change(engine.NOMINAL, node.name, flavor, resource, which % 7)
		elif node.parent is not None:
			e.change(engine.BORROW if what == "borrow" else engine.LEND, node.name, flavor, resource,
				 None if which % 3 == 0 else which % 5)
	except Refused:
		pass
	return None


def trees_now(e):
	"""A tree for each column, with quotas and limits as the engine has them by now."""
	cells = e.cells()
	for f, r in e.case.columns:
		if (e.case.nodes[0].name, f, r) not in cells:
			continue
		tree = Tree(e.case, f, r)
		for i, name in enumerate(tree.names):
			cell = cells.get((name, f, r))
			if cell is None:
				continue
			tree.own[i] = cell.nominal
			tree.borrow[i] = None if cell.borrow < 0 else cell.borrow
			tree.lend[i] = None if cell.lend < 0 else cell.lend
		yield f, r, tree, cells


@prop(250, case=anything(), events=happenings(*EVENTS))
def test_books_are_recounted(case, events):
	"""After whatever happens, every figure of every node is what a recount from the bottom gives:
	subtree and local quota from nominal quotas and lending limits, usage of a queue from the
	placements of its workloads, usage of a cohort from what its children pass up, and the balance
	T(x,r) by the recursion of KEP-79, which knows nothing of local quota."""
	with Engine(case) as e:
		for what, which in [("start", 0)] + events:
			happen(e, what, which)
			usage = e.usage()
			for f, r, tree, cells in trees_now(e):
				use = tree.uses(usage, f, r)
				subtree, local, used = tree.derived(use)
				balance = tree.balances(use)
				for i, name in enumerate(tree.names):
					c = cells.get((name, f, r))
					if c is None:
						continue
					assert (c.subtree, c.local, c.usage, c.balance) == (
						subtree[i], local[i], used[i], balance[i]), (what, name, f, r)


def broken_without(e, gone):
	"""(node, flavor, resource) whose balance is below what it may be, the jobs `gone` left out."""
	usage = e.usage(without=gone)
	return {(tree.names[i], f, r) for f, r, tree, _ in trees_now(e)
		for i in tree.broken(tree.uses(usage, f, r))}


@prop(300, case=anything(), events=happenings(*HARMLESS))
def test_balances_hold_without_those_who_must_go(case, events):
	"""From an admissible state, whatever is decided and whatever happens, as long as no quota or limit
	is lowered: with everybody gone who has been told to go, T(x,r) >= -borrowingLimit at every node
	and T >= 0 at every root."""
	with Engine(case) as e:
		for what, which in [("start", 0)] + events:
			happen(e, what, which)
			assert not broken_without(e, e.evicting()), what


def test_over_admission():
	"""Broken: the same without "those told to go left out".  In one cycle w4 is promised the quota of a
	victim, which is more than it needs, and what is left of it lets two others in although only one
	of them fits beside the victim.  Until the victim is gone the cohort uses 7 of 6."""
	with Engine(counterexample("over-admission")) as e:
		assert not broken_without(e, ())
		e.step()
		assert ("c0", "f", "gpu") in broken_without(e, ())
		assert not broken_without(e, e.evicting())
		assert e.cells()["c0", "f", "gpu"].usage == 7


@prop(250, case=anything(), events=happenings(*EVENTS))
def test_no_step_deepens_a_debt(case, events):
	"""Quotas and limits may be lowered under running workloads, and then balances are broken.  A cycle
	admits nobody who makes it worse: after a step each balance (those told to go left out) is either
	at or above what it may be, or not below what it was."""
	with Engine(case) as e:
		for what, which in events:
			gone = e.evicting()
			before = {(f, r): tree.balances(tree.uses(e.usage(without=gone), f, r))
				  for f, r, tree, _ in trees_now(e)}
			if happen(e, what, which) is None:
				continue
			usage = e.usage(without=e.evicting())
			for f, r, tree, _ in trees_now(e):
				use = tree.uses(usage, f, r)
				now = tree.balances(use)
				for i in tree.broken(use):
					assert now[i] >= before[f, r][i], (tree.names[i], f, r)


@prop(400, case=cases(queues=(1, 4), cohorts=(0, 4), resources=(1, 1), jobs=(0, 0), top=6),
      wishes=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 6)), max_size=6))
def test_balances_are_a_flow(case, wishes):
	"""T(x,r) >= -borrowingLimit everywhere and T >= 0 at the roots if and only if quota can be handed
	from those who have it to those who use it, within what each lends and borrows: a maximum flow
	saturates all usage.  The flow knows of no T."""
	tree = Tree(case, *case.columns[0])
	queues = [i for i, is_queue in enumerate(tree.queue) if is_queue]
	use = [0] * len(tree.names)
	for q, amount in wishes:
		use[queues[q % len(queues)]] += amount
	assert tree.feasible(use) == (not tree.broken(use)), use


@prop(300, case=cases(queues=(1, 4), cohorts=(0, 4), resources=(1, 1), top=6, jobs=(0, 6)))
def test_available_is_what_the_flow_admits(case):
	"""What the engine calls available to a queue is the largest amount by which the queue's usage can
	grow with a flow still there; and its potential is the same in an empty tree."""
	with Engine(case) as e:
		f, r = case.columns[0]
		tree, cells = Tree(case, f, r), e.cells()
		use = tree.uses(e.usage(), f, r)
		for i, name in enumerate(tree.names):
			if tree.queue[i]:
				assert cells[name, f, r].available == tree.most(use, i), name
				assert cells[name, f, r].potential == tree.most([0] * len(use), i), name
