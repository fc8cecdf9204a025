# SPDX-License-Identifier: Apache-2.0
"""Random worlds of the entitle policy for hypothesis, small and full, read off bytes as in made.py.

Who runs at the start fits beside those before it on its machine, within the limits and, if it
cannot be preempted, within the quota of every queue above it: so it could have been given that.
"""
from dataclasses import dataclass, replace

from hypothesis import strategies as st

from entitle_world import Gang, Queue, World
from made import Reader


@dataclass(frozen=True)
class Knobs:
	queues: tuple = (2, 5)
	deep: bool = True      # queues below queues
	machines: tuple = (1, 3)
	gangs: tuple = (0, 8)
	deserved: tuple = (0, 1, 2, 3, 4, 2.5, -1)
	limits: tuple = (-1, -1, -1, 2, 4)
	weights: tuple = (1, 1, 2, 0, 3)
	priorities: tuple = (100, 100, 101)
	asks: tuple = (1, 1, 2, 3, 0.5)
	firm: bool = True
	history: bool = True   # usage and k
	settings: bool = True  # depth, minimum run times, strategies
	policy: tuple = ({},)


class Making(Reader):
	def queue(self, i):
		above = [None] + [f"q{k}" for k in range(min(i, 3))]
		parent = self.one(above) if self.k.deep else None
		return Queue(f"q{i}", parent, self.one(self.k.deserved), self.one(self.k.limits),
			     self.one(self.k.weights), self.one(self.k.priorities), self.of(3))

	def gang(self, i, leaves, machines):
		there, queue, n = self.of(8) > 0, self.one(leaves), 1 + self.of(3)
		ask, odd = self.one(self.k.asks), self.of(4)
		asks = [ask] * 3
		if odd == 3:
			asks = [self.one(self.k.asks) for _ in asks]
		least, priority, firm = 1 + self.of(n), self.one((50, 50, 80)), self.of(5) == 4 and self.k.firm
		runs, on, age, ran = self.of(3), [self.of(len(machines)) for _ in asks], self.of(4), self.one((1800, 5, 40))
		return there and Gang(f"w{i}", queue, tuple(asks[:n]), least, priority, firm, age,
				      tuple(on[:n]) if runs else (), ran)

	def shard(self):
		out = {}
		if self.k.settings:
			out["placementStrategy"] = {"gpu": self.one(("binpack", "spread")), "cpu": "binpack"}
			minimum = self.one((0, 0, 20))
			if minimum:
				out["minRuntime"] = {"preemptMinRuntime": "20s", "reclaimMinRuntime": "20s"}
			depth = self.of(6)
			if depth > 3:
				out["queueDepthPerAction"] = {"allocate": depth - 3, "reclaim": 1}
		return out


def read(data, k):
	r = Making(data, k)
	shard, policy = r.shard(), r.one(k.policy)
	machines = [r.one((4, 2, 8, 3, 1)) for _ in range(k.machines[1])][:r.between(k.machines)]
	queues = [r.queue(i) for i in range(k.queues[1])][:r.between(k.queues)]
	inner = {q.parent for q in queues}
	leaves = [q.name for q in queues if q.name not in inner]
	gangs = [r.gang(i, leaves, machines) for i in range(k.gangs[1])]
	usage = {}
	if k.history:
		shard["kValue"] = r.one((0, 1, 0.5, 5))
		usage = {q.name: part for q in queues if (part := r.one((0, 0, 0.25, 0.5, 0.125)))}
	return started(World(tuple(queues), tuple(machines), (), shard, policy, usage), [g for g in gangs if g])


def started(world, gangs):
	"""The world with these gangs; who cannot run where it wants to waits."""
	idle = list(world.machines)
	held = {q.name: [0, 0] for q in world.queues}
	out = []
	for g in gangs:
		want = sum(g.asks)
		fits = list(idle)
		for m, gpus in zip(g.on, g.asks):
			fits[m] -= gpus
		may = min(fits) >= 0 and all(
			(q.limit < 0 or held[q.name][0] + want <= q.limit) and
			(not g.firm or q.deserved < 0 or held[q.name][1] + want <= q.deserved)
			for q in map(world.queue, world.path(g.queue)))
		if g.on and may:
			idle = fits
			for name in world.path(g.queue):
				held[name][0] += want
				held[name][1] += want * g.firm
		elif g.on:
			g = replace(g, on=())
		out.append(g)
	return replace(world, gangs=tuple(out))


SIZE = 8 + 3 + 5 * 8 + 8 * 16


def worlds(**knobs):
	k = Knobs(**knobs)
	return st.binary(min_size=SIZE, max_size=SIZE).map(lambda data: read(data, k))
