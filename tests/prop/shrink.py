# SPDX-License-Identifier: Apache-2.0
"""From a case on which a property breaks to the smallest one found on which it still does.

Takes away, one at a time, jobs, queues, cohorts, resources, flavors, limits and
settings, then makes numbers smaller, as long as the same kind of failure
remains.  What is taken away never adds a feature, so a case stays within the
conditions of its property; and it stays admissible.
"""
from dataclasses import replace

from reckon import Tree
from world import COHORT, FINAL, INITIAL, QUEUE, Quota

TRIES = 6000


def admissible(case):
	for column in case.columns:
		tree = Tree(case, *column)
		if tree.broken(tree.uses(case.usage(), *column)):
			return False
	return True


def with_node(case, i, **new):
	return replace(case, nodes=case.nodes[:i] + (replace(case.nodes[i], **new),) + case.nodes[i + 1:])


def with_job(case, i, **new):
	return replace(case, jobs=case.jobs[:i] + (replace(case.jobs[i], **new),) + case.jobs[i + 1:])


def fewer_nodes(case):
	for n in reversed(case.nodes):
		others = tuple(x for x in case.nodes if x is not n)
		if n.kind == QUEUE and len(case.queues) > 1:
			yield replace(case, nodes=others, jobs=tuple(j for j in case.jobs if j.queue != n.name))
		elif n.kind == COHORT and (n.parent or not any(x.parent == n.name for x in others)):
			yield replace(case, nodes=tuple(
				replace(x, parent=n.parent) if x.parent == n.name else x for x in others))


def fewer_columns(case):
	columns = case.columns
	if case.n_resources > 1 and all(any(j.ask[:1]) for j in case.jobs):
		keep = [columns.index(c) for c in columns if c[1] == case.resources[0]]
		yield replace(keep_columns(case, keep), n_resources=1,
			      jobs=tuple(replace(j, ask=j.ask[:1]) for j in case.jobs))
	if case.n_resources > 1 and all(any(j.ask[1:]) for j in case.jobs):
		keep = [columns.index(c) for c in columns if c[1] == case.resources[1]]
		yield replace(keep_columns(case, keep), n_resources=1,
			      jobs=tuple(replace(j, ask=j.ask[1:]) for j in case.jobs))
	if case.n_flavors > 1:
		for kept in case.flavors:
			keep = [columns.index(c) for c in columns if c[0] == kept]
			if all(j.held in (None, kept) for j in case.jobs):
				yield replace(keep_columns(case, keep), n_flavors=1, jobs=tuple(
					replace(j, held=j.held and case.flavors[0]) for j in case.jobs))


def keep_columns(case, keep):
	return replace(case, nodes=tuple(
		replace(n, quota=tuple(n.quota[i] for i in keep) if n.quota else ()) for n in case.nodes))


def plainer_node(case, i):
	n = case.nodes[i]
	for name, plain in (("weight", "1"), ("strict", False), ("within", "Never"), ("reclaim", "Any"),
			    ("borrow_within", None), ("fungibility", ())):
		if getattr(n, name) != plain:
			yield with_node(case, i, **{name: plain})
	if n.kind == COHORT and n.quota:
		yield with_node(case, i, quota=())
	for k, q in enumerate(n.quota):
		for plain in (Quota(q.nominal), Quota(q.nominal, None, q.lend), Quota(q.nominal, q.borrow),
			      *(Quota(x, q.borrow, None if q.lend is None else min(q.lend, x))
				for x in (0, q.nominal // 2, q.nominal - 1))):
			if plain != q and plain.nominal >= 0:
				yield with_node(case, i, quota=n.quota[:k] + (plain,) + n.quota[k + 1:])


def plainer_job(case, i):
	j = case.jobs[i]
	for name, plain in (("count", 1), ("least", None), ("priority", 0), ("age", 0), ("held", None), ("since", None)):
		if getattr(j, name) != plain:
			yield with_job(case, i, **{name: plain}, **({"least": None} if name == "count" else {}))
	if j.count > 1:
		yield with_job(case, i, count=1, least=None, ask=tuple(a * j.count for a in j.ask))
	for r, amount in enumerate(j.ask):
		for less in (0, amount // 2, amount - 1):
			ask = j.ask[:r] + (less,) + j.ask[r + 1:]
			if 0 <= less < amount and any(ask):
				yield with_job(case, i, ask=ask)


def smaller(value):
	"""Simpler values, the boldest first."""
	if hasattr(value, "smaller"):
		yield from value.smaller()
		return
	if isinstance(value, list):
		for i in reversed(range(len(value))):
			yield value[:i] + value[i + 1:]
		for i, x in enumerate(value):
			if isinstance(x, tuple):
				for less in {0, x[-1] // 2, x[-1] - 1}:
					if 0 <= less < x[-1]:
						yield value[:i] + [x[:-1] + (less,)] + value[i + 1:]
		return
	if isinstance(value, int):
		yield from (x for x in sorted({0, value // 2, value - 1}) if 0 <= x < value)
		return
	case = value
	for i in reversed(range(len(case.jobs))):
		yield replace(case, jobs=case.jobs[:i] + case.jobs[i + 1:])
	yield from fewer_nodes(case)
	yield from fewer_columns(case)
	if case.fair and len(case.fair) > 1:
		yield replace(case, fair=(FINAL,))
		yield replace(case, fair=(INITIAL,))
	for i in range(len(case.nodes)):
		yield from plainer_node(case, i)
	for i in range(len(case.jobs)):
		yield from plainer_job(case, i)
	tidy = renumbered(case)
	if tidy != case:
		yield tidy


def renumbered(case):
	"""c0, c1, ..., q0, q1, ..., w0, w1, ... without gaps, in the same order."""
	def names(of):
		return {n: f"{n[0]}{i}" for i, n in enumerate(sorted(of, key=lambda n: int(n[1:])))}
	nodes, jobs = {}, names(j.name for j in case.jobs)
	for kind in (COHORT, QUEUE):
		nodes.update(names(n.name for n in case.nodes if n.kind == kind))
	return replace(case,
		       nodes=tuple(replace(n, name=nodes[n.name], parent=n.parent and nodes[n.parent]) for n in case.nodes),
		       jobs=tuple(replace(j, name=jobs[j.name], queue=nodes[j.queue]) for j in case.jobs))


def failure(test, arguments):
	try:
		test(**arguments)
	except Exception as e:  # whatever it is, the same kind is looked for
		return e
	return None


def shrink(test, arguments):
	"""The smallest arguments found on which `test` fails in the same way, and that failure."""
	found, tries = failure(test, arguments), 0
	was_admissible = {name: admissible(v) for name, v in arguments.items() if hasattr(v, "jobs")}
	better = True
	while better and tries < TRIES:
		better = False
		for name, value in list(arguments.items()):
			if isinstance(value, bool) or not (isinstance(value, (list, int)) or hasattr(value, "brief")):
				continue
			for less in smaller(value):
				if was_admissible.get(name) and not admissible(less):
					continue
				tries += 1
				again = failure(test, {**arguments, name: less})
				if type(again) is type(found):
					arguments, found, better = {**arguments, name: less}, again, True
					break
				if tries >= TRIES:
					break
			if better:
				break
	return arguments, found
