# SPDX-License-Identifier: Apache-2.0
"""entitle_cycle - what a cycle does to a cluster, and the cycles of a recorded case

The state with all its books, allocation, and what happens between cycles.  The
actions that look for victims are in entitle_search.py.
"""
import entitle
import entitle_search
import entitle_turns
from entitle import RESOURCES, bundle, make_tree, minus, plus, total_of
from entitle_heap import JobQueue
from entitle_rules import over_limit, over_quota, usage_of_samples

PENDING, RUNNING, RESERVED, RELEASING = "pending", "running", "reserved", "releasing"
ACTIONS = ("allocate", "consolidation", "reclaim", "preempt", "stalegangeviction")
MAX_CYCLES = 16


class Task:
	def __init__(self, job, number, request):
		self.job, self.request = job, request
		self.name = f"{job.name}-{number}"
		self.status, self.machine = PENDING, None
		self.trial = False      # evicted in a simulation that is still going on

	def active(self):
		return self.status in (RUNNING, RESERVED)


class Job:
	def __init__(self, given, queues):
		self.name, self.queue = given["name"], queues[given["queue"]]
		self.priority = given["priority"]
		self.preemptible = given.get("preemptible", self.priority < 100)
		self.created = given["creationOrder"]
		self.minimum = max(1, given["minAvailable"])
		self.age = given.get("runningForSeconds")       # None: never started
		self.awaited = False    # it had a place reserved by the last cycle
		self.stale = given.get("staleForSeconds")       # None: it has its minimum, or nothing
		# The answer to what it would start, and what that asks for (None: to be asked anew), from
		# when it was asked for last to when a task of it changes: evictions that became final leave it.
		self.remembered = None
		self.tasks = [Task(self, i, bundle(given["perTask"])) for i in range(given["tasks"])]
		self.tasks.sort(key=lambda t: t.name)

	def __repr__(self):
		return self.name

	def running(self):
		return [t for t in self.tasks if t.status == RUNNING]

	def mind(self):
		"""After a change: its age, and for how long it has had too little."""
		running = len(self.running())
		if not running:
			self.age = None
		self.stale = (self.stale or 0) if 0 < running < self.minimum else None

	def grow_older(self, seconds):
		self.age = None if self.age is None else self.age + seconds
		self.stale = None if self.stale is None else self.stale + seconds

	def elastic(self):
		return self.minimum < len(self.tasks)


class View:
	"""A job, or a part of it that is looked at as if it were a job."""

	def __init__(self, job, tasks=None, minimum=None):
		self.job, self.part = job, tasks is not None
		self.tasks = job.tasks if tasks is None else tasks
		self.minimum = job.minimum if minimum is None else minimum

	def active(self):
		return sum(t.active() for t in self.tasks)

	def held(self):
		return total_of(t.request for t in self.tasks if t.status == RUNNING)

	def to_start(self, trial=False):
		if self.job.remembered and not self.part:
			return self.job.remembered[0]
		tasks = [t for t in self.tasks if t.status == PENDING or
			 (trial and t.status == RELEASING and t.trial)]
		active = self.active()
		return tasks[:self.minimum - active if active < self.minimum else 1]

	def request(self, trial=False):
		tasks = self.to_start(trial)
		if self.job.remembered and not self.part:
			if self.job.remembered[1] is not None:
				return self.job.remembered[1]
			tasks = [t for t in tasks if t.status == PENDING]
		return total_of(t.request for t in tasks)


class Machine:
	"""idle + releasing is what a task may be given; the sums follow from the states of its tasks."""

	def __init__(self, given):
		self.name, self.capacity = given["name"], bundle(given["capacity"])
		self.tasks = {}         # task -> its state here

	def idle(self):
		return minus(self.capacity, total_of(t.request for t, s in self.tasks.items() if s != RESERVED))

	def free(self):
		"""Idle, and what is going away, less what is reserved."""
		held = total_of(t.request for t, s in self.tasks.items() if s != RELEASING)
		return minus(self.capacity, held)


def fits(request, amounts):
	return all(request[r] <= amounts[r] for r in RESOURCES)


class Cluster:
	def __init__(self, case, reverse=False):
		self.queues = make_tree(case["queues"])
		self.machines = [Machine(m) for m in case["nodes"]]
		self.jobs = [Job(j, self.queues) for j in case["jobs"] if j["queue"] in self.queues]
		self.jobs.sort(key=lambda j: j.created)
		self.depth = case.get("queueDepthPerAction", {})
		if reverse:     # the order in which heaps are filled: should not matter, unless one is cut
			self.queues = dict(reversed(self.queues.items()))
			if not self.depth:
				self.jobs.reverse()
		self.total = total_of(m.capacity for m in self.machines)
		arguments = case.get("proportionArguments", {})
		self.multiplier = max(1.0, float(arguments.get("relcaimerSaturationMultiplier", 1)))
		self.k = float(arguments.get("kValue", case.get("kValue", 1)))
		defaults = case.get("minRuntimeArguments", {})
		self.reclaim_default = defaults.get("defaultReclaimMinRuntimeSeconds", 0)
		self.preempt_default = defaults.get("defaultPreemptMinRuntimeSeconds", 0)
		self.method = defaults.get("reclaimResolveMethod", "lca")
		self.on = {name: True for name in ACTIONS} | case.get("actions", {})
		self.grace = case.get("staleGraceSeconds", 60)
		self.spread = case.get("spread", {})
		self.moved_are_victims = not case.get("consolidatingReclaim", True)
		self.modes = case.get("modes", {})
		self.has_usage = "windowSize" in case or any("usage" in q for q in case["queues"])
		by_name = {m.name: m for m in self.machines}
		for given in case["jobs"]:
			if given["state"] == "Running" and given["queue"] in self.queues:
				job = next(j for j in self.jobs if j.name == given["name"])
				for task in job.tasks[:given.get("running", len(job.tasks))]:
					self.set_state(task, RUNNING, by_name[given["node"]])
		for job in self.jobs:
			job.mind()
		self.did = {}

	# -- the books --

	def set_state(self, task, status, machine):
		task.status, task.machine = status, machine
		machine.tasks[task] = status
		task.job.remembered = None

	def count(self, task, sign):
		for queue in task.job.queue.up():
			change = {r: sign * task.request[r] for r in RESOURCES}
			queue.allocated = plus(queue.allocated, change)
			if not task.job.preemptible:
				queue.allocated_firm = plus(queue.allocated_firm, change)

	def snapshot(self):
		return ([(t, t.status, t.machine, t.trial) for j in self.jobs for t in j.tasks],
			[(m, dict(m.tasks)) for m in self.machines],
			[(q, q.allocated, q.allocated_firm) for q in self.queues.values()])

	def restore(self, saved):
		for task, status, machine, trial in saved[0]:
			if task.status != status:
				task.job.remembered = None
			task.status, task.machine, task.trial = status, machine, trial
		for machine, tasks in saved[1]:
			machine.tasks = dict(tasks)
		for queue, queue.allocated, queue.allocated_firm in saved[2]:
			pass

	def start_cycle(self):
		"""Books and fair shares from scratch."""
		for queue in self.queues.values():
			queue.allocated, queue.allocated_firm, queue.request = bundle(), bundle(), bundle()
		for job in self.jobs:
			for task in job.tasks:
				if task.status == RUNNING:
					self.count(task, 1)
				for queue in job.queue.up():
					queue.request = plus(queue.request, task.request)
		entitle.divide_all(self.queues, self.total, self.k, self.modes.get("boundedDivision", False))
		if self.modes.get("turns") and self.has_usage:
			entitle_turns.shift(self)

	def end_cycle(self):
		"""Bound runs, evicted and reserved waits."""
		for machine in self.machines:
			machine.tasks = {t: s for t, s in machine.tasks.items() if s == RUNNING}
		for job in self.jobs:
			job.remembered = None
			job.awaited = any(t.status == RESERVED for t in job.tasks)
			for task in job.tasks:
				task.trial = False
				if task.status != RUNNING:
					task.status, task.machine = PENDING, None
			job.mind()

	# -- placing --

	def machine_for(self, task, machines):
		"""Where there is room now before where there will be; without GPUs for who needs none; the
		fullest, or, when told to spread, that with the largest part free; by name."""
		r = "gpu" if task.request["gpu"] > 0 else "cpu"

		def room(machine):
			free, all_of_it = machine.free()[r], machine.capacity[r]
			if not self.spread.get(r):
				return free
			return -free / all_of_it if all_of_it else 0

		def key(machine):
			return (not fits(task.request, machine.idle()), r == "cpu" and machine.capacity["gpu"] > 0,
				room(machine), machine.name)
		for machine in sorted(machines, key=key):
			if fits(task.request, machine.free()):
				return machine
		return None

	def within_capacity(self, job, request):
		return over_limit(job.queue, request) is None and \
			over_quota(job.queue, job.preemptible, request) is None

	def ready(self, job):
		waiting = [t for t in job.tasks if t.status == PENDING]
		return bool(waiting) and len(waiting) + sum(t.active() for t in job.tasks) >= job.minimum

	def note(self, action, what, task):
		self.did.setdefault(action, {})[task] = what

	def counted(self):
		"""A task counts once for each action that left it in another state, by that state."""
		state, actions = {}, []
		for name in (name for name in ACTIONS if name in self.did):
			counts = {}
			for task, what in self.did[name].items():
				if state.get(task) != what:
					of = counts.setdefault(what, {})
					of[task.job.name] = of.get(task.job.name, 0) + 1
			state |= self.did[name]
			if counts:
				actions.append({"action": name, **counts})
		return actions

	# -- the actions --

	def waiting(self, action, who=lambda job: True):
		return JobQueue(self, [View(j) for j in self.jobs if self.ready(j) and who(j)],
				depth=self.depth.get(action, 0))

	def jobs_in_order(self, leaf):
		queue = JobQueue(self, [View(j) for j in self.jobs if j.queue is leaf and self.ready(j)])
		while queue:
			yield queue.pop()

	def allocate(self):
		waiting = self.waiting("allocate")
		while waiting:
			view = waiting.pop()
			if self.allocate_job(view) and any(t.status == PENDING for t in view.tasks):
				waiting.push(view)

	def allocate_job(self, view):
		job, tasks = view.job, view.to_start()
		if not self.within_capacity(job, view.request()):
			return False
		saved, before = self.snapshot(), view.active()
		for task in tasks:
			machine = self.machine_for(task, self.machines)
			if machine is None:
				self.restore(saved)
				return False
			bind = fits(task.request, machine.idle())
			self.set_state(task, RUNNING if bind else RESERVED, machine)
			self.count(task, 1)
		running = len(job.running())
		if any(t.status == RESERVED for t in job.tasks) and running < job.minimum:
			for task in tasks:
				self.set_state(task, RESERVED, task.machine)
		for task in tasks:
			self.note("allocate", "bound" if task.status == RUNNING else "pipelined", task)
		if before == 0 and any(t.status == RUNNING for t in tasks):
			job.age = 0
		return True

	def evict_stale(self):
		"""Gangs that have had fewer than their minimum for too long, and will in the next cycle."""
		for job in self.jobs:
			used = sum(t.status != PENDING for t in job.tasks)
			if job.stale is None or job.stale < self.grace or used >= job.minimum:
				continue
			for task in job.tasks:
				if task.active():
					self.set_state(task, RELEASING, task.machine)
					self.count(task, -1)
					self.note("stalegangeviction", "evicted", task)

	def cycle(self):
		self.did = {}
		self.start_cycle()
		actions = {"allocate": self.allocate, "stalegangeviction": self.evict_stale}
		for name in ACTIONS:
			if self.on[name]:
				actions.get(name, lambda: getattr(entitle_search, name)(self))()
		fair = {name: dict(q.fair_share) for name, q in self.queues.items()}
		actions = self.counted()
		self.end_cycle()
		return {"actions": actions or None, "fairShare": fair, "running": self.running()}

	def running(self):
		counts = {j.name: sum(t.status == RUNNING for t in j.tasks) for j in self.jobs}
		return {name: n for name, n in sorted(counts.items()) if n}

	# -- orders of the first state --

	def pending_order(self):
		return self.popped(self.waiting("allocate"))

	def victim_order(self):
		return self.popped(JobQueue(self, [View(j) for j in self.jobs if j.preemptible and
						   any(t.active() for t in j.tasks)], victims=True))

	def popped(self, queue):
		names = []
		while queue:
			names.append(queue.pop().job.name)
		return names


def run_case(case, reverse=False):
	cluster = Cluster(case, reverse)
	result = {}
	if case["suite"] == "cluster":
		cluster.start_cycle()
		orders = {"pendingPopOrder": cluster.pending_order(), "victimPopOrder": cluster.victim_order()}
		result = {name: order for name, order in orders.items() if order}
	result["cycles"] = []
	while len(result["cycles"]) <= MAX_CYCLES:
		result["cycles"].append(cluster.cycle())
		if result["cycles"][-1]["actions"] is None:
			break
	result["running"] = cluster.running()
	result["quietFromCycle"] = len(result["cycles"]) - 1
	return result


# -- time series ----------------------------------------------------------------

def run_series(series, bend=None, reverse=False):
	"""A sample of usage before each cycle: [(time, queue, allocated, fair share) of GPUs...].

	With a source of random numbers in `bend` usage is off by as much as rounding might make it.
	"""
	cluster = Cluster(series, reverse)
	cluster.k = float(series["kValue"])
	allocations, rows = [], []
	for time in range(series["cycles"]):
		held = {}
		for queue in cluster.queues.values():
			held[queue.name] = total_of(t.request for j in cluster.jobs for t in j.tasks
						    if t.status == RUNNING and queue in j.queue.up())
		allocations.append(held)
		usage = usage_of_samples(allocations, [cluster.total] * len(allocations),
					 series["windowSize"], series.get("halfLifePeriod"))
		for queue in cluster.queues.values():
			queue.usage = usage[queue.name]
			for r in RESOURCES if bend else ():
				queue.usage[r] *= 1 + bend.uniform(-1e-12, 1e-12)
		fair = cluster.cycle()["fairShare"]
		rows += [(time, name, held[name]["gpu"], fair[name]["gpu"]) for name in sorted(fair)]
		for job in cluster.jobs:
			job.grow_older(1)
	return rows
