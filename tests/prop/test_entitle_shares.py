# SPDX-License-Identifier: Apache-2.0
"""The entitle policy: what the division promises."""
from dataclasses import replace

from entitle_counter import entitled
from entitle_engine import Entitled
from entitle_made import worlds
from hypothesis import strategies as st
from made import prop

BOUNDED = ({"division": "Bounded"},)
PLAIN = dict(settings=False, gangs=(2, 8))


def shares(world):
	with Entitled(world) as e:
		return e.standings()


def may_have(s):
	"""What it asks for, within its limit."""
	return s.request if s.limit < 0 else min(s.request, s.limit)


def owed(s, there, asked=None):
	"""What it deserves of that, unbounded being all `there` is, as far as it asks for it."""
	return min(there if s.deserved < 0 else s.deserved, may_have(s) if asked is None else asked)


def can(world, rows, name):
	"""What the bounded division takes as useful to a queue: what leaves below it can use."""
	s, below = rows[name], world.below(name)
	useful = sum(can(world, rows, q.name) for q in below) if below else s.request
	useful = useful if s.limit < 0 else min(useful, s.limit)
	return useful if s.weight > 0 or s.deserved < 0 else min(useful, s.deserved)


def families(world):
	"""Parents, None for the top, and the queues below each."""
	return [(p, [q.name for q in world.below(p)])
		for p in [None] + [q.name for q in world.queues] if world.below(p)]


def of(world, rows, parent):
	return sum(world.machines) if parent is None else rows[parent].fair_share


@prop(150, world=worlds(**PLAIN))
def test_deserved_is_granted(world):
	"""Every queue's fair share is at least what it deserves, as far as it asks for that within its limit,
	whatever history says and whatever others ask for.  Compatible division."""
	rows = shares(world)
	for parent, names in families(world):
		for name in names:
			assert rows[name].fair_share >= owed(rows[name], of(world, rows, parent)), name


def test_shares_above_capacity():
	"""Broken: siblings have in sum no more than their parent.  Nothing cuts what is deserved: two queues that
	deserve 3 GPUs each of a machine of 4 have shares of 3 and 3."""
	world = entitled("shares-above-capacity")
	assert sum(s.fair_share for s in shares(world).values()) > sum(world.machines)


def test_remainder_not_asked_for():
	"""Broken: nobody's fair share is more than it asks for or may have.  What rounding to whole GPUs has left
	goes out in whole GPUs: who asks for half a GPU more may be given a whole one."""
	assert any(s.fair_share > may_have(s) for s in shares(entitled("remainder-not-asked-for")).values())


def test_undivided():
	"""Broken: nothing is left while somebody asks.  History has taken every portion to nothing, and nobody
	gets what is left over what is deserved."""
	world = entitled("undivided")
	rows = shares(world)
	assert sum(s.fair_share for s in rows.values()) + 1 <= min(sum(world.machines), sum(map(may_have, rows.values())))


@prop(200, world=worlds(policy=BOUNDED, **PLAIN))
def test_bounded_within_and_full(world):
	"""With `division: Bounded`: siblings have in sum exactly the smaller of what their parent has and what they
	can use, and nobody more than it can use; with any history, up to rounding."""
	rows = shares(world)
	for parent, names in families(world):
		there, useful = of(world, rows, parent), {name: can(world, rows, name) for name in names}
		for name in names:
			assert -1e-9 <= rows[name].fair_share <= useful[name] + 1e-9, name
		given = sum(rows[name].fair_share for name in names)
		assert abs(given - min(there, sum(useful.values()))) < 1e-9, (parent, given, there, useful)


@prop(200, world=worlds(policy=BOUNDED, **PLAIN))
def test_bounded_grants_what_fits(world):
	"""With `division: Bounded`: where what siblings deserve fits into what their parent has, each is granted
	it, as far as it asks for it."""
	rows = shares(world)
	for parent, names in families(world):
		there = of(world, rows, parent)
		mine = {n: owed(rows[n], there, can(world, rows, n)) for n in names}
		if sum(mine.values()) <= there:
			for n in names:
				assert rows[n].fair_share >= mine[n] - 1e-9, n


def by_priority(world, rows):
	return {(parent, p): sum(rows[n].fair_share for n in names if world.queue(n).priority == p)
		for parent, names in families(world) for p in {world.queue(n).priority for n in names}}


@prop(200, world=worlds(policy=BOUNDED, deep=False, **PLAIN))
def test_history_moves_within_a_priority(world):
	"""With `division: Bounded`: what siblings of one priority have in sum does not depend on history."""
	with_history = by_priority(world, shares(world))
	without = by_priority(world, shares(replace(world, usage={})))
	for key, amount in without.items():
		assert abs(amount - with_history[key]) < 1e-9, key


def test_history_over_priority():
	"""Broken: the same in the compatible division.  What rounding leaves to a priority is given only after the
	rounds of all lower ones, and how much that is hangs on history."""
	world = entitled("history-over-priority")
	assert by_priority(world, shares(world)) != by_priority(world, shares(replace(world, usage={})))


def weighted(world, k):
	return replace(world, queues=tuple(replace(q, weight=q.weight * k) for q in world.queues))


@prop(150, world=worlds(policy=({}, {}, BOUNDED[0]), **PLAIN), power=st.integers(0, 20))
def test_entitled_weights_by_a_power_of_two(world, power):
	"""All over-quota weights times 2^n: the same fair shares, bit for bit."""
	a, b = shares(world), shares(weighted(world, 2 ** power))
	assert {n: s.fair_share for n, s in a.items()} == {n: s.fair_share for n, s in b.items()}


def scaled(world, k):
	def times(x):
		return x if x < 0 else x * k
	return replace(world, machines=tuple(m * k for m in world.machines),
		       queues=tuple(replace(q, deserved=times(q.deserved), limit=times(q.limit)) for q in world.queues),
		       gangs=tuple(replace(g, asks=tuple(a * k for a in g.asks)) for g in world.gangs))


@prop(100, world=worlds(policy=BOUNDED, asks=(1, 2, 3), history=False, deserved=(0, 1, 2, 4), **PLAIN))
def test_queues_alike_have_alike(world):
	"""Queues that are alike in everything but name and age have fair shares that differ by a GPU at most."""
	rows = shares(world)
	for _, names in families(world):
		alike = {}
		for n in names:
			q, s = world.queue(n), rows[n]
			alike.setdefault((q.priority, s.weight, s.deserved, s.limit, s.request), []).append(s.fair_share)
		for group in alike.values():
			assert max(group) - min(group) <= 1 + 1e-9


def test_shares_of_twice_as_much():
	"""Broken: all GPUs times 2, and all shares are times 2.  Shares are of whole GPUs, and what one GPU cannot
	be divided into, two can."""
	world = entitled("shares-of-twice-as-much")
	a, b = shares(world), shares(scaled(world, 2))
	assert {n: 2 * s.fair_share for n, s in a.items()} != {n: s.fair_share for n, s in b.items()}
