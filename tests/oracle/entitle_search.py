# SPDX-License-Identifier: Apache-2.0
"""entitle_search - looking for victims: consolidation, reclaim, preempt

All three try candidates: the victims so far are evicted in a simulation, the
waiting jobs are walked in their order and the one in question and the victims
are placed again, and a rule says whether the outcome will do.
"""
import entitle_cycle as cycle
from entitle import total_of
from entitle_heap import JobQueue
from entitle_rules import (can_reclaim, over_quota, preempt_min_runtime, reclaim_min_runtime,
			   reclaimable)


class Trial:
	"""The evictions of a simulation.  A task may be evicted twice, and is then counted twice."""

	def __init__(self, cluster, machines):
		self.cluster, self.evictions, self.placed = cluster, [], []
		self.machines = machines        # in sight: nobody is placed on another
		self.moves = 0

	def evict(self, task):
		before = task.status
		if before == cycle.RELEASING:
			before = next(b for t, b, _ in self.evictions if t is task)
		self.evictions.append((task, before, task.machine))
		self.cluster.set_state(task, cycle.RELEASING, task.machine)
		self.cluster.count(task, -1)
		task.trial = True

	def place(self, task, machine):
		self.moves += 1
		if task in machine.tasks:
			self.put_back(task)
		else:
			self.cluster.set_state(task, cycle.RESERVED, machine)
			self.placed.append(task)
			task.trial = False
		self.cluster.count(task, 1)

	def put_back(self, task):
		"""The first eviction of the task has not been."""
		index = next(i for i, (t, _, _) in enumerate(self.evictions) if t is task)
		_, before, machine = self.evictions.pop(index)
		self.cluster.set_state(task, before, machine)
		task.trial = False

	def place_job(self, view):
		cluster, saved = self.cluster, self.cluster.snapshot()
		mine = list(self.evictions), list(self.placed)
		tasks = view.to_start(True)
		if not cluster.within_capacity(view.job, view.request(True)):
			return False
		for task in tasks:
			machine = cluster.machine_for(task, self.machines)
			if machine is None:
				cluster.restore(saved)
				self.evictions, self.placed = mine
				return False
			self.place(task, machine)
		return True

	def place_victim(self, view):
		"""Where there is no place for it, it knows from now on what it would start."""
		tasks, amount, moves = view.to_start(True), view.request(True), self.moves
		if not self.place_job(view):
			view.job.remembered = tasks, amount if self.moves == moves else None

	def walk(self, partial, victim_tasks):
		"""All jobs in their order; only the one in question and the victims are placed."""
		victims = {t.job for t in victim_tasks}
		views = []
		for job in self.cluster.jobs:
			if job is partial.job:
				views.append(partial)
			elif job in victims or any(t.status == cycle.PENDING for t in job.tasks):
				views.append(cycle.View(job))
		waiting = JobQueue(self.cluster, views)
		placed = False
		while waiting:
			view = waiting.pop()
			if view.job is partial.job:
				if not self.place_job(view):
					return False
				placed = True
			elif view.job in victims:
				self.place_victim(view)
		return placed


class Recorded:
	"""Victims of one part, for the next: who leaves, or has a place promised, and what was offered with them."""

	def __init__(self, groups=(), evicted=()):
		self.tasks = {t for g in groups for t in g if t in evicted or t.status == cycle.RESERVED}
		self.groups = [g for g in groups if any(t in self.tasks for t in g)]


class Search:
	"""The search for one job; `allowed(partial, victims)` judges an outcome."""

	def __init__(self, cluster, job, candidates, allowed):
		self.cluster, self.job = cluster, job
		self.candidates, self.allowed = candidates, allowed

	def solve(self):
		"""The trial that did it, its effects still in the books; or None and nothing has changed."""
		tasks = cycle.View(self.job).to_start()
		if any(t.status == cycle.RELEASING for t in tasks):
			return None     # it remembers tasks that leave for good: the real program crashes
		recorded, start = Recorded(), self.cluster.snapshot()
		self.open = self.open_machines()
		for m in range(1, len(tasks) + 1):
			found = self.solve_part(cycle.View(self.job, tasks[:m], m), recorded)
			if found is None:
				self.cluster.restore(start)
				return None
			trial, recorded = found
			if m < len(tasks):
				self.cluster.restore(start)
		return trial if tasks else None

	def open_machines(self):
		"""Those with idle GPUs, or with more that leave than are promised; all for a job with a task that wants none."""
		if any(t.request["gpu"] == 0 for t in self.job.tasks):
			return set(self.cluster.machines)
		return {m for m in self.cluster.machines
			if m.idle()["gpu"] > 0 or m.free()["gpu"] - m.idle()["gpu"] > 0}

	def solve_part(self, partial, recorded):
		known = {t for group in recorded.groups for t in group}
		groups = []
		self.near = self.open | {t.machine for t in recorded.tasks if t.machine}
		if recorded.groups and self.enough_gpus(partial, recorded.groups):
			found = self.simulate(partial, recorded.groups, groups)
			if found:
				return found
		waiting = JobQueue(self.cluster, [cycle.View(j) for j in self.candidates()], victims=True)
		while waiting:
			view = waiting.pop()
			offer, rest = self.offer(view)
			if any(t in known for t in offer):
				rest = [t for t in view.tasks if t not in known]
				if rest:
					waiting.push(cycle.View(view.job, rest))
				continue
			if rest:
				waiting.push(cycle.View(view.job, rest))
			if not offer:
				continue  # what was left of an elastic job waits or is evicted
			groups.append(offer)
			if not self.enough_gpus(partial, recorded.groups + groups):
				continue
			found = self.simulate(partial, recorded.groups, groups)
			if found:
				return found
		return None

	def offer(self, view):
		"""(what it gives, what it keeps): one task while it is above its minimum, else all."""
		active = [t for t in view.tasks if t.active()]
		if view.minimum < len(active):
			return active[-1:], [t for t in view.tasks if t is not active[-1]]
		return active, []

	def enough_gpus(self, partial, groups):
		"""Could the tasks be placed if only GPUs counted, largest first?"""
		room = {m.name: m.free()["gpu"] for m in self.cluster.machines}
		for task in (t for group in groups for t in group):
			room[task.machine.name] += task.request["gpu"]
		needs = sorted((t.request["gpu"] for t in partial.tasks), reverse=True)
		names = sorted(room, key=lambda name: -room[name])
		for need in needs:
			if need == 0:
				return True
			for name in names:
				if room[name] >= need:
					room[name] -= need
					break
			else:
				return False
		return True

	def simulate(self, partial, recorded, groups):
		"""On several machines: one try for each that has a task of the newest victim."""
		if not groups:
			machines = [None]
		else:
			machines = sorted({t.machine for t in groups[-1][0].job.tasks if t.machine},
					  key=lambda m: m.name)
		start = self.cluster.snapshot()
		for machine in machines:
			here = {t.job for group in groups for t in group if t.machine is machine}
			with_it = [g for g in groups if g[0].job in here]
			of_here = [t for group in recorded + groups for t in group if t.job in here]
			new = {t.machine for t in of_here} - self.near
			self.near |= new
			trial = Trial(self.cluster, self.near)
			tasks = [t for group in recorded for t in group] + of_here
			for task in tasks:
				trial.evict(task)
			if trial.walk(partial, tasks):
				if not self.allowed(partial, [t for group in recorded + groups for t in group]):
					break
				return trial, Recorded(recorded + with_it, {t for t, _, _ in trial.evictions})
			self.near -= new
			self.cluster.restore(start)
		self.cluster.restore(start)
		return None


def commit(cluster, action, trial):
	for task, _, _ in trial.evictions:
		task.trial = False
	for task, _, _ in trial.evictions:
		if task.status == cycle.RELEASING:
			cluster.note(action, "evicted", task)
	for task in trial.placed:
		cluster.note(action, "pipelined", task)


def search_all(cluster, action, wanted, candidates, allowed):
	"""The jobs that wait, in their order; what each of them finds is kept."""
	waiting = cluster.waiting(action, lambda job: action != "consolidation" or job.preemptible)
	while waiting:
		job = waiting.pop().job
		if not wanted(job):
			continue
		frozen = {q: (q.allocated, q.allocated_firm) for q in cluster.queues.values()}
		trial = Search(cluster, job, lambda: candidates(job),
			       lambda partial, tasks: allowed(partial, tasks, frozen)).solve()
		if trial is not None:
			commit(cluster, action, trial)


def may_be_victim(job):
	return job.preemptible and any(t.active() for t in job.tasks)


# -- consolidation --------------------------------------------------------------

def consolidation(cluster):
	def wanted(job):
		room = sum(m.free()["gpu"] for m in cluster.machines)
		return room >= cycle.View(job).request()["gpu"]

	def candidates(job):
		return [j for j in cluster.jobs if j is not job and may_be_victim(j)]

	def allowed(partial, tasks, frozen):
		return all(t.status != cycle.RELEASING for t in tasks)

	search_all(cluster, "consolidation", wanted, candidates, allowed)


# -- reclaim --------------------------------------------------------------------

def protected(job, minimum):
	return job.age is not None and job.age < minimum


def spared(tasks, minimum_of):
	"""Would a protected elastic job fall below its minimum?"""
	for job in {t.job for t in tasks}:
		if job.elastic() and protected(job, minimum_of(job)):
			used = sum(t.status != cycle.PENDING for t in job.tasks)
			if job.minimum > used - sum(t.job is job for t in tasks):
				return True
	return False


def victim_vectors(job, tasks, moved_count):
	"""One for each task above the minimum, one for the core; what is active again only if told so."""
	mine = [t for t in tasks if t.job is job]
	core, extra = mine[:job.minimum], mine[job.minimum:]
	parts = [[t for t in part if moved_count or not t.active()] for part in [[t] for t in extra] + [core]]
	return [total_of(t.request for t in part) for part in parts if part]


def reclaim(cluster):
	def minimum_of(pending):
		return lambda job: reclaim_min_runtime(pending.queue, job.queue, cluster.reclaim_default,
						       cluster.method)

	def wanted(job):
		return can_reclaim(job.queue, job.preemptible, cycle.View(job).request())

	def candidates(job):
		minimum = minimum_of(job)
		return [j for j in cluster.jobs if may_be_victim(j) and j.queue is not job.queue
			and (j.elastic() or not protected(j, minimum(j)))]

	def allowed(partial, tasks, frozen):
		victims = {}
		for job in dict.fromkeys(t.job for t in tasks):
			victims.setdefault(job.queue.name, []).extend(
				victim_vectors(job, tasks, cluster.moved_are_victims))
		victims = [(cluster.queues[name], vectors) for name, vectors in victims.items() if vectors]
		now = {q: (q.allocated, q.allocated_firm) for q in frozen}
		for queue in frozen:
			queue.allocated, queue.allocated_firm = frozen[queue]
		request = total_of(t.request for t in partial.tasks)
		good = reclaimable(cluster.queues, partial.job.queue, partial.job.preemptible, request,
				   victims, cluster.multiplier,
				   cluster.modes.get("keepBelowQuota", False),
				   cluster.modes.get("protectQuota", False))
		for queue in now:
			queue.allocated, queue.allocated_firm = now[queue]
		return good and not spared(tasks, minimum_of(partial.job))

	search_all(cluster, "reclaim", wanted, candidates, allowed)


# -- preempt --------------------------------------------------------------------

def preempt(cluster):
	def minimum_of(job):
		return preempt_min_runtime(job.queue, cluster.preempt_default)

	def wanted(job):
		return over_quota(job.queue, job.preemptible, cycle.View(job).request()) is None

	def candidates(job):
		return [j for j in cluster.jobs if may_be_victim(j) and j.queue is job.queue
			and j.priority < job.priority
			and (j.elastic() or not protected(j, minimum_of(j)))]

	def allowed(partial, tasks, frozen):
		return not spared(tasks, minimum_of)

	search_all(cluster, "preempt", wanted, candidates, allowed)
