# SPDX-License-Identifier: Apache-2.0
"""The balances of KEP-79 and the flows behind them, from their definitions.

Knows nothing of the engine: a tree of one (flavor, resource) pair is its
parents, own quotas and limits, and everything is computed anew from what the
queues use.
"""
from collections import deque

from world import QUEUE

INFINITE = 10 ** 30


class Tree:
	"""One column of a case: nodes in the order of the case, by index."""

	def __init__(self, case, flavor, resource):
		names = [n.name for n in case.nodes]
		self.names = names
		self.queue = [n.kind == QUEUE for n in case.nodes]
		self.parent = [None if n.parent is None else names.index(n.parent) for n in case.nodes]
		quotas = [case.quota(n, flavor, resource) for n in case.nodes]
		self.own = [q.nominal for q in quotas]
		self.borrow = [q.borrow for q in quotas]
		self.lend = [q.lend for q in quotas]
		self.up = sorted(range(len(names)), key=self.depth, reverse=True)  # children first

	def depth(self, i):
		return 0 if self.parent[i] is None else 1 + self.depth(self.parent[i])

	def path(self, i):
		while i is not None:
			yield i
			i = self.parent[i]

	def uses(self, usage, flavor, resource):
		"""What each node's own workloads hold, from a dict by (queue, flavor, resource)."""
		return [usage.get((name, flavor, resource), 0) for name in self.names]

	# -- T(x, r) of KEP-79: what the subtree of x has left over ------------

	def balances(self, use):
		t = [own - used for own, used in zip(self.own, use)]
		for i in self.up:
			p = self.parent[i]
			if p is not None:
				t[p] += t[i] if self.lend[i] is None else min(self.lend[i], t[i])
		return t

	def floor(self, i):
		"""The least T may be; None: nothing is too little."""
		if self.parent[i] is None:
			return 0
		return None if self.borrow[i] is None else -self.borrow[i]

	def broken(self, use):
		"""Nodes whose balance is below what it may be."""
		t = self.balances(use)
		return [i for i in range(len(t)) if self.floor(i) is not None and t[i] < self.floor(i)]

	def fits(self, use, i, amount):
		"""May the queue i take so much more?  By trying: no balance on its path may be broken then."""
		more = list(use)
		more[i] += amount
		return not set(self.broken(more)) & set(self.path(i))

	# -- what the engine keeps in its columns, from the glossary -----------

	def derived(self, use):
		"""subtree, local, usage of each node."""
		n = len(self.names)
		subtree, usage, local = list(self.own), list(use), [0] * n
		for i in self.up:
			p = self.parent[i]
			if p is None:
				continue
			if self.lend[i] is not None:
				local[i] = max(0, subtree[i] - self.lend[i])
			subtree[p] += subtree[i] - local[i]
			usage[p] += max(0, usage[i] - local[i])
		return subtree, local, usage

	# -- the same question as a flow ----------------------------------------

	def network(self, use):
		"""Own quota flows from the source into each node, up as far as it lends, down as far as it
		borrows, and from a queue to the sink as far as its workloads use it."""
		n = len(self.names)
		net = Network(n + 2)
		for i in range(n):
			net.edge(n, i, self.own[i])
			if self.queue[i]:
				net.edge(i, n + 1, use[i])
			if self.parent[i] is not None:
				net.edge(i, self.parent[i], INFINITE if self.lend[i] is None else self.lend[i])
				net.edge(self.parent[i], i, INFINITE if self.borrow[i] is None else self.borrow[i])
		return net

	def feasible(self, use):
		n = len(self.names)
		return self.network(use).push(n, n + 1) == sum(use)

	def most(self, use, i):
		"""The largest amount that queue i can take beside all that is used, by max-flow."""
		n = len(self.names)
		net = self.network(use)
		net.push(n, n + 1)
		net.edge(i, n + 1, INFINITE)
		return net.push(n, n + 1)


class Network:
	"""Maximum flow in whole numbers by shortest augmenting paths (Edmonds and Karp)."""

	def __init__(self, n):
		self.out = [[] for _ in range(n)]
		self.to, self.room = [], []

	def edge(self, a, b, capacity):
		for x, y, c in ((a, b, capacity), (b, a, 0)):
			self.out[x].append(len(self.to))
			self.to.append(y)
			self.room.append(c)

	def shortest(self, source, sink):
		came, queue = {source: None}, deque([source])
		while queue and sink not in came:
			x = queue.popleft()
			for e in self.out[x]:
				if self.room[e] and self.to[e] not in came:
					came[self.to[e]] = e
					queue.append(self.to[e])
		path, x = [], sink
		while x in came and came[x] is not None:
			path.append(came[x])
			x = self.to[came[x] ^ 1]
		return path

	def push(self, source, sink):
		"""As much more as there is room for."""
		total = 0
		while path := self.shortest(source, sink):
			amount = min(self.room[e] for e in path)
			for e in path:
				self.room[e] -= amount
				self.room[e ^ 1] += amount
			total += amount
		return total
