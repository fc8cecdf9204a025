# SPDX-License-Identifier: Apache-2.0
"""The entitle policy, the same again: in another order, without history, after taking something back."""
import random
from dataclasses import replace

from entitle_engine import Entitled
from entitle_made import worlds
from hypothesis import strategies as st
from made import prop
from test_entitle_cycles import HAPPENINGS, MODES, happen
from test_same import printed


def outcome(world, objects=None):
	with Entitled(world, objects) as e:
		shares = e.whole_standings()
		return shares, e.settle(), e.whole_standings(), e.placed(), e.states()


def by_name(rows):
	return [dict(sorted(part.items())) if isinstance(part, dict) else part for part in rows]


@prop(150, world=worlds(policy=MODES), seed=st.integers(0, 2 ** 32))
def test_entitled_order_of_input(world, seed):
	"""The order of the objects in the input changes no share, no decision, no place and not the order in which
	decisions are given."""
	objects = world.objects()
	random.Random(seed).shuffle(objects)
	assert by_name(outcome(world, objects)) == by_name(outcome(world))


@prop(6, world=worlds(policy=MODES, gangs=(1, 8)), seed=st.integers(0, 2 ** 32))
def test_entitled_order_of_input_in_bytes(world, seed):
	"""The command prints the same bytes, text and JSON, and exits alike, whatever the order of the objects:
	`plan --settle`, `tree` and `explain`."""
	objects = world.objects()
	random.Random(seed).shuffle(objects)
	commands = [("plan", "--settle"), ("tree",)] + [("explain", "ns/" + g.name) for g in world.gangs[:1]]
	for command in commands:
		for form in ("text", "json"):
			assert (printed(objects, *command, "-o", form)
				== printed(world.objects(), *command, "-o", form)), command


@prop(150, world=worlds(policy=MODES), k=st.integers(0, 3))
def test_without_history(world, k):
	"""Where history does not count, be it that k is 0 or that nobody has used anything, all shares and
	decisions are those without any, bit for bit."""
	plain = outcome(replace(world, usage={}, shard={**world.shard, "kValue": 0}))
	unused = outcome(replace(world, usage={}, shard={**world.shard, "kValue": k}))
	k_is_0 = outcome(replace(world, shard={**world.shard, "kValue": 0}))
	assert unused == plain
	assert k_is_0[1:2] + k_is_0[3:] == plain[1:2] + plain[3:]
	for there, without in zip((k_is_0[0], k_is_0[2]), (plain[0], plain[2])):
		assert {n: b[:7] for n, b in there.items()} == {n: b[:7] for n, b in without.items()}


@prop(120, world=worlds(policy=MODES), before=HAPPENINGS, inside=HAPPENINGS, nested=HAPPENINGS, after=HAPPENINGS,
      keep=st.booleans())
def test_entitled_rollback(world, before, inside, nested, after, keep):
	"""Whatever happens behind a mark (cycles, events, changed quotas, limits, weights and machines, and further
	marks that are kept or rolled back), rolling back gives the state before, in every figure and in the
	digest; and from there on everything goes as with an engine that never did any of it.  Two engines
	in the same state have the same digest."""
	with Entitled(world) as a, Entitled(world) as b:
		for event in before:
			assert happen(a, *event) == happen(b, *event)
		was = a.everything()
		assert was == b.everything()
		mark = a.mark()
		for event in inside:
			happen(a, *event)
		inner = a.mark()
		for event in nested:
			happen(a, *event)
		(a.keep if keep else a.rollback)(inner)
		for event in nested:
			happen(a, *event)
		a.rollback(mark)
		assert a.everything() == was
		for event in after:
			assert happen(a, *event) == happen(b, *event)
			assert a.everything() == b.everything()
