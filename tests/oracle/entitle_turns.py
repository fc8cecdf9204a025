# SPDX-License-Identifier: Apache-2.0
"""entitle_turns - jobs larger than their queue's share run in turn

Behind a division, at most one queue's share is raised to what its next job
needs, and those of others are lowered by as much: by who has had how much of
its part over time.  Written from the descriptions of turns and claims.
"""
import functools
import math

from entitle import RESOURCES, UNLIMITED, bundle, plus, total_of
from entitle_rules import levelled, over

NOTHING, UNHELD, ALL = range(3)


class Turns:
	def __init__(self, cluster):
		self.cluster, self.queues = cluster, list(cluster.queues.values())
		self.leaves = sorted((q for q in self.queues if not q.children),
				     key=lambda q: (len(q.down()), q.created, q.name))
		self.had = {q: 0.0 for q in self.queues}
		self.margin = dict(self.had)
		self.kept = {q: bundle() for q in self.queues}
		self.divided = {q: dict(q.fair_share) for q in self.queues}

	def siblings(self, queue):
		return [q for q in self.queues if q.parent is queue.parent]

	# -- what they would start, and what they run --

	def could_run_alone(self, tasks):
		"""On empty machines; the tasks of a job are all alike."""
		each = tasks[0].request
		return len(tasks) <= sum(
			math.floor(min((m.capacity[r] / each[r] for r in RESOURCES if each[r] > 0),
				       default=len(tasks)))
			for m in self.cluster.machines)

	def next_job(self, leaf):
		"""The first job by the order of jobs that is within its limits and could run at all."""
		for view in self.cluster.jobs_in_order(leaf):
			if self.cluster.within_capacity(view.job, view.request()) and \
					self.could_run_alone(view.to_start()):
				return view
		return None

	def running(self, leaf):
		"""The largest minimum that runs, each resource for itself."""
		most = bundle()
		for job in self.cluster.jobs:
			if job.queue is leaf:
				core = total_of(t.request for t in job.running()[:job.minimum])
				most = {r: max(most[r], core[r]) for r in RESOURCES}
		return most

	@staticmethod
	def lacks(leaf, amount):
		"""resource -> by how much its share is less than this."""
		return {r: amount[r] - leaf.fair_share[r] for r in RESOURCES
			if amount[r] > 0 and amount[r] > leaf.fair_share[r]}

	# -- who has had how much --

	def part(self, queue, r):
		"""Its part of the cluster: of what its parent has, by weight among those that ask."""
		weights = sum(q.weight[r] for q in self.siblings(queue)
			      if q.priority == queue.priority and q.request[r] > 0)
		if weights == 0:
			return 0.0
		parent = queue.parent
		above = 1.0 if parent is None else \
			max(self.divided[parent][r] / self.cluster.total[r], parent.usage[r])
		return queue.weight[r] / weights * above

	def measure(self, resources):
		for q in self.queues:
			for r in resources:
				if self.cluster.total[r] == 0:
					continue
				part, held = self.part(q, r), q.allocated[r] / self.cluster.total[r]
				if q.usage[r] > 0:
					self.had[q] = max(self.had[q], over(q.usage[r], part))
				if held > 0:
					self.margin[q] = max(self.margin[q],
							     min(1.0, over(held, part)) / (1 + self.cluster.k))

	def ahead(self, a, b):
		return self.had[a] - self.had[b]

	def keeps_from(self, mine, other, r):
		if mine.weight[r] == 0 or other.priority > mine.priority:
			return NOTHING
		if other.priority < mine.priority:
			return UNHELD
		return UNHELD if self.ahead(mine, other) < self.margin[mine] else NOTHING

	def starts_from(self, mine, other, r):
		if mine.weight[r] == 0 or other.priority > mine.priority:
			return NOTHING
		if other.priority < mine.priority:
			return ALL
		if self.margin[other] > 0 and self.ahead(other, mine) >= self.margin[other]:
			return ALL
		later = (self.had[mine], mine.created, mine.name) < (self.had[other], other.created, other.name)
		return UNHELD if later or other not in self.ready else NOTHING

	# -- shifting --

	def least(self, queue, r, reach):
		"""What its share may not fall below."""
		if queue.deserved[r] == UNLIMITED:
			floor = queue.fair_share[r]
		else:
			floor = min(queue.deserved[r], queue.requestable(r))
		return floor if reach == ALL else max(floor, self.kept[queue][r], queue.allocated[r])

	def raise_to(self, leaf, r, target, reach):
		"""Raise the leaf's share, at the cost of siblings and those of all above; what is missing."""
		missing = target - leaf.fair_share[r]
		for mine in leaf.up():
			if missing <= 0:
				break
			needed = missing
			above = self.cluster.total if mine.parent is None else mine.parent.fair_share
			missing -= max(0.0, above[r] - sum(q.fair_share[r] for q in self.siblings(mine)))
			lenders = sorted((q for q in self.siblings(mine) if q is not mine), key=lambda q:
					 (q.priority, -self.had[q], -q.created, [-ord(c) for c in q.name]))
			for most in (UNHELD, ALL):
				for q in lenders:
					far = min(most, reach(mine, q, r))
					lent = min(missing, q.fair_share[r] - self.least(q, r, far))
					if far != NOTHING and lent > 0:
						q.fair_share[r] -= lent
						missing -= lent
			mine.fair_share[r] += needed
		leaf.fair_share[r] = max(leaf.fair_share[r], target)
		return missing

	def serve(self, leaf, target, amount, reach):
		"""All of it, or nothing changes."""
		before = {q: dict(q.fair_share) for q in self.queues}
		for r in self.lacks(leaf, target):
			if self.raise_to(leaf, r, target[r], reach) > 0:
				for q in self.queues:
					q.fair_share = before[q]
				return False
		for q in leaf.up():
			self.kept[q] = plus(self.kept[q], amount)
		return True

	def goes_before(self, a, b):
		def key(leaf, side):
			return (-side.priority, not self.next[leaf].job.awaited, self.had[side], side.created,
				side.name)
		mine, other = levelled(a, b)
		return -1 if key(a, mine) < key(b, other) else 1

	def share(self):
		keep = {q: self.running(q) for q in self.leaves}
		self.next = {q: self.next_job(q) for q in self.leaves}
		start = {q: view.request() for q, view in self.next.items() if view}
		# Of what it does not ask for it may hold more than its share.
		target = {q: {r: a + q.allocated[r] if a > 0 else 0 for r, a in amount.items()}
			  for q, amount in start.items()}
		large = [q for q in target if self.lacks(q, target[q]) and self.lacks(q, start[q])
			 and not self.lacks(q, keep[q])]
		self.ready = {above for q in target if not self.lacks(q, target[q]) for above in q.up()}
		resources = {r for q in self.leaves for r in self.lacks(q, keep[q])} | \
			{r for q in large for r in self.lacks(q, target[q])}
		self.measure([r for r in RESOURCES if r in resources])
		for leaf in self.leaves:
			if self.lacks(leaf, keep[leaf]):
				self.serve(leaf, keep[leaf], keep[leaf], self.keeps_from)
		for leaf in sorted(large, key=functools.cmp_to_key(self.goes_before)):
			if self.serve(leaf, target[leaf], start[leaf], self.starts_from):
				for q in leaf.up():
					q.late = -1
				return


def shift(cluster):
	for queue in cluster.queues.values():
		queue.late = 0
	if cluster.k > 0:
		Turns(cluster).share()
