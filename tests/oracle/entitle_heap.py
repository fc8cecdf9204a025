# SPDX-License-Identifier: Apache-2.0
"""entitle_heap - in which order queues give their jobs

A leaf has a heap of jobs, every other queue a heap of its children, and the
roots are in a heap of their own.  The order between queues changes while jobs
are taken and the heaps are not sorted anew, so what a heap does step by step
is part of the rules.
"""
from entitle import bundle, total_of
from entitle_rules import compare_queues


class Heap:
	"""A binary heap in an array; push, pop and fix move as few as they have to."""

	def __init__(self, before):
		self.items, self.before = [], before

	def less(self, i, j):
		return self.before(self.items[i], self.items[j])

	def swap(self, i, j):
		self.items[i], self.items[j] = self.items[j], self.items[i]

	def rise(self, i):
		while i > 0 and self.less(i, (i - 1) // 2):
			self.swap(i, (i - 1) // 2)
			i = (i - 1) // 2

	def sink(self, i, n):
		while 2 * i + 1 < n:
			child = 2 * i + 1
			if child + 1 < n and self.less(child + 1, child):
				child += 1
			if not self.less(child, i):
				return
			self.swap(i, child)
			i = child

	def push(self, item):
		self.items.append(item)
		self.rise(len(self.items) - 1)

	def pop(self):
		last = len(self.items) - 1
		self.swap(0, last)
		self.sink(0, last)
		return self.items.pop()

	def fix_top(self):
		self.sink(0, len(self.items))


def job_before(l, r):
	"""l, r: entitle_cycle.View"""
	def key(view):
		active = view.active()
		rank = 0 if active < view.minimum else 1 if active == view.minimum else 2
		return -view.job.priority, rank, view.job.created, view.job.name
	return key(l) < key(r)


class Branch:
	"""A queue that has jobs waiting, or something below it has."""

	def __init__(self, queue, before):
		self.queue, self.heap = queue, Heap(before)
		self.parent, self.dirty = None, False

	def leaf(self):
		return not self.queue.children


class JobQueue:
	"""The jobs still to be taken; for victims everything is the other way round."""

	def __init__(self, cluster, views, victims=False, depth=0):
		self.cluster, self.victims, self.depth = cluster, victims, depth
		self.branches = {}
		self.roots = Heap(self.queue_before)
		self.popped = {}
		for view in views:
			queue = view.job.queue
			if queue.children:
				continue  # only leaves give jobs
			if queue.name not in self.branches:
				self.branches[queue.name] = Branch(queue, self.job_before)
			self.enter(self.branches[queue.name], view)
		self.build()

	def enter(self, branch, view):
		"""A heap that is too deep loses its last place, be it not the worst."""
		branch.heap.push(view)
		if self.depth:
			del branch.heap.items[self.depth:]

	def build(self):
		"""From below, older ones first: a branch is compared with its siblings when all below it is there.

		Whatever was put in is to be looked at again before it is trusted.
		"""
		for branch in list(self.branches.values()):
			for queue in branch.queue.up():
				if queue.name not in self.branches:
					self.branches[queue.name] = Branch(queue, self.queue_before)
		def rank(branch):
			return -len(branch.queue.down()), branch.queue.created, branch.queue.name
		for branch in sorted(self.branches.values(), key=rank):
			self.hang(branch)
			branch.dirty = True

	def hang(self, branch):
		if branch.queue.parent is None:
			self.roots.push(branch)
			return
		branch.parent = self.branches[branch.queue.parent.name]
		branch.parent.heap.push(branch)

	def link(self, branch):
		"""Hang a new branch below its parent's, and that where it is new as well."""
		above = branch.queue.parent
		new = above is not None and above.name not in self.branches
		if new:
			self.branches[above.name] = Branch(above, self.queue_before)
		self.hang(branch)
		if new:
			self.link(branch.parent)

	# -- comparing --

	def job_before(self, l, r):
		return not job_before(l, r) if self.victims else job_before(l, r)

	def amounts(self, branch):
		"""(the job it would give next, what it gives and gave): the first for pending, the second for victims."""
		while not branch.leaf():
			branch = branch.heap.items[0]
		view = branch.heap.items[0]
		if not self.victims:
			return view.request(True), bundle()
		given = self.popped.get(branch.queue.name, []) + [view]
		return bundle(), total_of(v.held() for v in given)

	def queue_before(self, l, r):
		if not l.heap.items:
			return not self.victims
		if not r.heap.items:
			return self.victims
		l_job, l_victims = self.amounts(l)
		r_job, r_victims = self.amounts(r)
		first = compare_queues(l.queue, r.queue, l_job, r_job, l_victims, r_victims,
				       self.cluster.total) < 0
		return not first if self.victims else first

	# -- taking and giving back --

	def __bool__(self):
		return bool(self.roots.items)

	def top(self, heap):
		while heap.items[0].dirty:
			branch = heap.items[0]
			heap.fix_top()
			branch.dirty = False
		return heap.items[0]

	def pop(self):
		branch = self.top(self.roots)
		while not branch.leaf():
			branch = self.top(branch.heap)
		view = branch.heap.pop()
		if self.victims:
			self.popped.setdefault(branch.queue.name, []).append(view)
		while branch is not None and not branch.heap.items:
			(branch.parent.heap if branch.parent else self.roots).pop()
			del self.branches[branch.queue.name]
			branch = branch.parent
		self.mark(branch)
		return view

	def push(self, view):
		branch = self.branches.get(view.job.queue.name)
		new = branch is None
		if new:
			branch = Branch(view.job.queue, self.job_before)
			self.branches[branch.queue.name] = branch
		self.enter(branch, view)
		if new:
			self.link(branch)
		self.mark(branch)

	def mark(self, branch):
		while branch is not None:
			branch.dirty = True
			branch = branch.parent
