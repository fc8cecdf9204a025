# SPDX-License-Identifier: Apache-2.0
"""entitle - queues, quantities and the division, slow and obvious

The second policy once more, written from the description of its rules, never
from the engine.  A quantity is a dict of the three resources; a rule is a few
lines; nothing is kept that can be computed again.  The rules about decisions
are in entitle_rules.py, the cycle in entitle_cycle.py and entitle_search.py.
"""
import datetime
import math

RESOURCES = ("cpu", "memory", "gpu")
UNLIMITED = -1.0


# -- quantities ---------------------------------------------------------------

def bundle(given=None):
	given = given or {}
	return {r: float(given.get(r, 0)) for r in RESOURCES}


def plus(a, b):
	return {r: a[r] + b[r] for r in RESOURCES}


def minus(a, b):
	return {r: a[r] - b[r] for r in RESOURCES}


def total_of(bundles):
	result = bundle()
	for one in bundles:
		result = plus(result, one)
	return result


def amount_at_most(a, b):
	if b == UNLIMITED:
		return True
	return a != UNLIMITED and a <= b


def at_most(a, b):
	return all(amount_at_most(a[r], b[r]) for r in RESOURCES)


def all_less(a, b):
	return all(a[r] < b[r] for r in RESOURCES)


def over(a, b):
	"""a / b as IEEE has it."""
	if b:
		return a / b
	if a == 0 or a != a:
		return math.nan
	return math.inf if a > 0 else -math.inf


def seconds(text):
	return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


# -- queues -------------------------------------------------------------------

class Queue:
	"""One queue of the tree with what is known about it."""

	def __init__(self, given):
		self.name = given["name"]
		self.parent_name = given.get("parent") or ""
		self.parent = None
		self.children = []
		self.priority = given.get("priority", 100)
		if "creationOrder" in given:
			self.created = given["creationOrder"]
		elif "creationTimestamp" in given:
			self.created = seconds(given["creationTimestamp"])
		else:
			self.created = 0
		if "resources" in given:
			def field(name):
				return {r: float(given["resources"].get(r, {}).get(name, 0))
					for r in RESOURCES}
			self.deserved, self.limit = field("deserved"), field("limit")
			self.weight, self.request = field("overQuotaWeight"), field("request")
		else:
			self.deserved = bundle(given.get("deserved"))
			self.limit = bundle(given.get("limit"))
			self.weight = bundle(given.get("overQuotaWeight"))
			self.request = bundle(given.get("request"))
		self.usage = bundle(given.get("usage"))
		self.fair_share = bundle(given.get("fairShare"))
		self.allocated = bundle(given.get("allocated"))
		self.allocated_firm = bundle(given.get("allocatedNonPreemptible"))
		self.late = 0           # turns: of equal priority the smaller goes first
		self.preempt_min = given.get("preemptMinRuntimeSeconds")
		self.reclaim_min = given.get("reclaimMinRuntimeSeconds")

	def __repr__(self):
		return f"queue {self.name}"

	def up(self):
		"""The queue and all above it, nearest first."""
		node = self
		while node is not None:
			yield node
			node = node.parent

	def down(self):
		"""The path from the root to the queue."""
		return list(self.up())[::-1]

	def requestable(self, r):
		limit = self.limit[r]
		return self.request[r] if limit == UNLIMITED else min(limit, self.request[r])

	def allocatable(self):
		return {r: self.allocatable_of(r) for r in RESOURCES}

	def allocatable_of(self, r):
		if self.deserved[r] == UNLIMITED:
			return self.limit[r]
		most = max(self.deserved[r], self.fair_share[r])
		return most if self.limit[r] == UNLIMITED else min(self.limit[r], most)


def make_tree(given):
	"""name -> Queue, in the order given; without those that hang in the air."""
	queues = {q["name"]: Queue(q) for q in given}
	while True:
		lost = [q.name for q in queues.values() if q.parent_name and q.parent_name not in queues]
		if not lost:
			break
		for name in lost:
			del queues[name]
	for queue in queues.values():
		if queue.parent_name:
			queue.parent = queues[queue.parent_name]
			queue.parent.children.append(queue)
	return queues


def roots(queues):
	return [q for q in queues.values() if q.parent is None]


def roll_up_requests(queues):
	"""What the leaves ask for is asked for by everything above them as well."""
	own = {name: q.request if not q.children else bundle() for name, q in queues.items()}
	for queue in queues.values():
		queue.request = bundle()
	for name, queue in queues.items():
		for node in queue.up():
			node.request = plus(node.request, own[name])


# -- the division of one resource among siblings -------------------------------

def satisfied(queue, r):
	share = queue.fair_share[r]
	if queue.request[r] <= share:
		return True
	return queue.limit[r] != UNLIMITED and queue.limit[r] <= share


def wanted(queue, r):
	return max(0.0, queue.requestable(r) - queue.fair_share[r])


def divide_deserved(queues, r, total):
	left = total
	for queue in queues:
		deserved = total if queue.deserved[r] == UNLIMITED else queue.deserved[r]
		queue.fair_share[r] = min(deserved, queue.requestable(r))
		left -= queue.fair_share[r]
	return left


def one_round(queues, r, amount, k, remainders):
	"""One round of a priority class: what is left, and whether there is another."""
	all_weight = sum(q.weight[r] for q in queues if wanted(q, r) > 0)
	if all_weight == 0:
		return amount, False
	part = {}
	for queue in queues:
		if not satisfied(queue, r):
			normal = queue.weight[r] / all_weight
			part[queue.name] = max(0.0, normal + k * (normal - queue.usage[r]))
	all_parts = sum(part.values())
	if all_parts == 0:
		return amount, False
	again = False
	start = amount
	for queue in queues:
		if queue.name not in part or queue.weight[r] == 0 or amount == 0:
			continue
		want = wanted(queue, r)
		fair = start * (part[queue.name] / all_parts)
		if want <= fair:
			give = want
			remainders.pop(queue.name, None)
		else:
			give = math.floor(fair)
			if fair - give > 0:
				remainders[queue.name] = fair - give
		if give != 0 and want < fair:
			again = True
		queue.fair_share[r] += give
		amount -= give
	return amount, again and amount != 0


def divide_resource(queues, r, total, k):
	left = divide_deserved(queues, r, total)
	if left <= 0:
		return
	remainders = {}
	classes = sorted({q.priority for q in queues}, reverse=True)
	for priority in classes:
		members = [q for q in queues if q.priority == priority]
		again = True
		while again:
			left, again = one_round(members, r, left, k, remainders)
	for priority in classes:
		members = [q for q in queues if q.priority == priority and q.name in remainders]
		members.sort(key=lambda q: (-remainders[q.name], q.created, q.name))
		for queue in members:
			if left <= 0:
				return
			give = min(1.0, left)
			queue.fair_share[r] += give
			left -= give


def divide(siblings, total, k):
	"""The fair shares of these queues and of everything below them."""
	if not siblings:
		return
	for r in RESOURCES:
		divide_resource(siblings, r, total[r], k)
	for queue in siblings:
		divide(queue.children, queue.fair_share, k)


# -- the bounded division: no more than there is, nothing idle ------------------

def can(queue, r):
	"""What it could use at all, of what is asked for below it."""
	amount = sum(can(q, r) for q in queue.children) if queue.children else queue.request[r]
	if queue.limit[r] != UNLIMITED:
		amount = min(amount, queue.limit[r])
	if queue.weight[r] == 0 and queue.deserved[r] != UNLIMITED:
		amount = min(amount, queue.deserved[r])
	return amount


def divide_class(shares, caps, weights, usage, k, amount, order):
	"""Rounds, then remainders, among the queues of a class; what is left.  All dicts are by name."""
	remainders = {}
	again = True
	while again and amount > 0:
		want = {n: caps[n] - shares[n] for n in caps if caps[n] > shares[n] and weights[n] > 0}
		if not want:
			break
		all_weight = sum(weights[n] for n in want)
		normal = {n: weights[n] / all_weight for n in want}
		part = {n: max(0.0, normal[n] + k * (normal[n] - usage[n])) for n in want}
		if sum(part.values()) == 0:
			part = normal
		all_parts, start, again = sum(part.values()), amount, False
		for name in want:
			fair = start * (part[name] / all_parts)
			if want[name] <= fair:
				give = want[name]
				remainders.pop(name, None)
				again |= want[name] < fair
			else:
				give = math.floor(fair)
				if fair > give:
					remainders[name] = fair - give
			shares[name] += give
			amount -= give
	still = [n for n in caps if caps[n] > shares[n] and weights[n] > 0]
	for name in sorted(still, key=lambda n: (-remainders.get(n, 0), order[n])):
		give = min(1.0, caps[name] - shares[name], max(0.0, amount))
		shares[name] += give
		amount -= give
	return amount


def divide_bounded_resource(queues, r, total, k):
	most = {q.name: can(q, r) for q in queues}
	deserved = {q.name: total if q.deserved[r] == UNLIMITED else q.deserved[r] for q in queues}
	core = {n: min(deserved[n], most[n]) for n in most}
	order = {q.name: (q.created, q.name) for q in queues}
	left = total
	for amount in core.values():
		left -= amount
	short = left < 0
	shares = {n: 0.0 for n in most} if short else dict(core)
	if short:
		left = total
	for priority in sorted({q.priority for q in queues}, reverse=True):
		members = [q for q in queues if q.priority == priority]
		caps = {q.name: (core if short else most)[q.name] for q in members}
		weights = {q.name: deserved[q.name] if short else q.weight[r] for q in members}
		mine = {n: shares[n] for n in caps}
		left = divide_class(mine, caps, weights, {q.name: q.usage[r] for q in members},
				    0 if short else k, left, order)
		shares.update(mine)
	for queue in queues:
		queue.fair_share[r] = shares[queue.name]


def divide_bounded(siblings, total, k):
	for r in RESOURCES if siblings else ():
		divide_bounded_resource(siblings, r, total[r], k)
	for queue in siblings:
		divide_bounded(queue.children, queue.fair_share, k)


def divide_all(queues, total, k, bounded=False):
	how = divide_bounded if bounded else divide
	how(roots(queues), bundle(total), max(0.0, float(k)))
