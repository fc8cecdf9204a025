# SPDX-License-Identifier: Apache-2.0
"""The entitle policy: what its cycles may do, and what becomes of those who wait."""
from engine import CANCEL, EVICT, FINISHED, REJECTED, RESERVE, SUBMIT, WAIT, Refused
from entitle_counter import entitled
from entitle_engine import ALLOCATABLE, DESERVED, HOLDS, LEAVES, LIMIT, OVER_QUOTA_WEIGHT, WAITS, Entitled
from entitle_made import worlds
from made import happenings, prop

MODES = ({}, {}, {"division": "Bounded"}, {"turns": True}, {"keepBelowQuota": True}, {"protectQuota": True},
	 {"division": "Bounded", "turns": True, "keepBelowQuota": True, "protectQuota": True})
HAPPENINGS = happenings("step", "step", "leave", "step", "leave", "finished", "cancel", "submit", "rejected",
			"deserved", "limit", "weight", "machine")
EVENTS = {"finished": FINISHED, "cancel": CANCEL, "submit": SUBMIT, "rejected": REJECTED}
CELLS = {"deserved": DESERVED, "limit": LIMIT, "weight": OVER_QUOTA_WEIGHT, "machine": ALLOCATABLE}


def happen(e, what, which):
	"""What came of it; events that do not suit are refused, and change nothing."""
	if what == "step":
		return e.step()
	if what == "leave":
		return e.complete()
	if what in CELLS:
		names = e.machines if what == "machine" else e.nodes
		return e.set(CELLS[what], names[which % len(names)], which // 8 % 6)
	try:
		return e.jobs and e.event(EVENTS[what], e.jobs[which % len(e.jobs)])
	except Refused as refused:
		return str(refused)


def recount(world, placed, state, firm=False):
	"""GPUs of each queue's tasks in that state, those below it, too."""
	out = {q.name: 0 for q in world.queues}
	for task, (gang, is_in, _) in placed.items():
		g = world.gang(gang)
		if is_in == state and (g.firm or not firm):
			for name in world.path(g.queue):
				out[name] += g.asks[int(task.rpartition("-")[2])]
	return out


def on_machines(world, placed, *states):
	out = {f"m{i}": 0 for i in range(len(world.machines))}
	for task, (gang, state, machine) in placed.items():
		if machine is not None and (state in states or not states):
			out[machine] += world.gang(gang).asks[int(task.rpartition("-")[2])]
	return out


@prop(120, world=worlds(policy=MODES), some=HAPPENINGS)
def test_entitled_books_are_recounted(world, some):
	"""Whatever happens, what each queue holds, what of it cannot be preempted, and what each machine has idle
	and leaving is what a recount of the tasks gives."""
	with Entitled(world) as e:
		for event in [("step", 0)] + some:
			happen(e, *event)
			placed, rows, rooms = e.placed(), e.standings(), e.rooms()
			held, firm = recount(world, placed, HOLDS), recount(world, placed, HOLDS, firm=True)
			taken, leaving = on_machines(world, placed), on_machines(world, placed, LEAVES)
			assert {n: s.allocated for n, s in rows.items()} == held
			assert {n: s.firm for n, s in rows.items()} == firm
			for name, (allocatable, idle, goes) in rooms.items():
				assert (idle, goes) == (allocatable - taken[name], leaving[name]), name


def check_step(world, e):
	"""One cycle, held against the state before it."""
	before, active, idle = e.standings(), e.tasks_in(HOLDS), e.rooms()
	told = e.step()
	after = e.standings()
	for name, s in after.items():
		was = before[name]
		assert s.limit < 0 or s.allocated <= max(s.limit, was.allocated), ("limit", name)
		assert s.deserved < 0 or s.firm <= max(s.deserved, was.firm), ("cannot be preempted", name)
	for name, (_, room, _) in e.rooms().items():
		assert room >= min(0, idle[name][1]), ("machine", name)
	holds, leaves = e.tasks_in(HOLDS), e.tasks_in(LEAVES)
	for g in world.gangs:
		assert holds[g.name] <= active[g.name] or holds[g.name] + leaves[g.name] >= g.least, ("gang", g.name)
	return told


@prop(150, world=worlds(policy=MODES), some=HAPPENINGS)
def test_cycles_are_legal(world, some):
	"""No cycle takes a queue at any level above its limit, or with what cannot be preempted above what it
	deserves, or further above where it was before; no machine is given more than it has; and a gang is
	bound whole or not at all.  In every mode, whatever happens between cycles."""
	with Entitled(world) as e:
		check_step(world, e)
		for event in some:
			if event[0] == "step":
				check_step(world, e)
			else:
				happen(e, *event)


def lost(world, told):
	"""Tasks each gang loses to reclaim or preemption."""
	out = {}
	for d in told:
		if d.kind == EVICT and d.reason in ("Reclaim", "Preempt"):
			out[d.gang] = out.get(d.gang, 0) + d.count
	return out


def robbed(world, had, told):
	"""Gangs that have not run for their minimum run time and keep fewer tasks than their minimum."""
	return [gang for gang, n in lost(world, told).items()
		if "minRuntime" in world.shard and world.gang(gang).on and world.gang(gang).ran < 20
		and had[gang] - n < world.gang(gang).least]


@prop(250, world=worlds(policy=MODES))
def test_minimum_run_time_protects(world):
	"""Who has run for less than the minimum run time keeps its gang's minimum: reclaim and preemption take at
	most what it has beyond that.  For a workload alone in its cycle."""
	with Entitled(world) as e:
		waits, had = e.tasks_in(WAITS), e.tasks_in(HOLDS)
		for g in world.gangs:
			if waits[g.name]:
				assert not robbed(world, had, e.attempt(g.name)), g.name


def test_taken_twice():
	"""Broken: the same in a whole cycle.  Two reclaims of one cycle take a pod each of one that has two and
	needs one: for the second, the pod that leaves because of the first still counts."""
	world = entitled("taken-twice")
	with Entitled(world) as e:
		assert robbed(world, e.tasks_in(HOLDS), e.step())


def sides(world, a, b):
	"""The queues of the same depth above, below their lowest common ancestor, of the leaf @b as @a sees it."""
	above = list(world.path(a))
	for name in world.path(b):
		if world.queue(name).parent in above or world.queue(name).parent is None:
			return name
	return None


@prop(250, world=worlds(policy=MODES))
def test_victims_are_over_what_they_deserve(world):
	"""Reclaim takes from a queue only if it, or the queue above it that stands beside the reclaimer's, holds
	more GPUs than it deserves when the search begins.  For a workload alone in its cycle."""
	with Entitled(world) as e:
		rows = e.standings()
		for g in world.gangs:
			if not e.tasks_in(WAITS)[g.name]:
				continue
			for d in e.attempt(g.name):
				if d.kind == EVICT and d.reason == "Reclaim":
					side = rows[sides(world, g.queue, world.gang(d.gang).queue)]
					assert 0 <= side.deserved < side.allocated, (g.name, d.gang)


@prop(250, world=worlds(policy=MODES))
def test_preemption_stays_within_a_queue(world):
	"""Preemption takes from workloads of the same queue and a lower priority, and from none that cannot be
	preempted; nothing takes from those, but that its own gang is stale.  In the first cycle."""
	with Entitled(world) as e:
		for d in e.step():
			if d.kind != EVICT:
				continue
			victim = world.gang(d.gang)
			assert not victim.firm or d.reason == "StaleGang", d
			if d.reason == "Preempt":
				served = world.gang(d.for_whom)
				assert (served.queue, served.priority > victim.priority) == (victim.queue, True), d


@prop(150, world=worlds(asks=(1,), policy=({"protectQuota": True}, {"protectQuota": True, "division": "Bounded"})))
def test_protected_quota(world):
	"""With `protectQuota` no reclaim takes a queue at any level below what it deserves.  For a workload alone
	in its cycle, whose queues are not above those that lose; pods of one GPU."""
	with Entitled(world) as e:
		rows = e.standings()
		for g in world.gangs:
			if not e.tasks_in(WAITS)[g.name]:
				continue
			less = {q.name: 0 for q in world.queues}
			told = e.attempt(g.name)
			moved = {d.gang for d in told if d.kind == RESERVE}
			for d in told:
				if d.kind == EVICT and d.reason == "Reclaim" and d.gang not in moved:
					for name in world.path(world.gang(d.gang).queue):
						less[name] += d.count
			for name in set(less) - set(world.path(g.queue)):
				s = rows[name]
				assert less[name] == 0 or s.deserved < 0 or s.allocated - less[name] >= s.deserved, (g.name, name)


@prop(150, world=worlds(policy=MODES))
def test_entitled_ends_or_goes_round(world):
	"""Settling comes to rest or finds a loop, and at rest it stays: settling again binds and evicts nobody."""
	with Entitled(world) as e:
		ended = e.settle(300)
		assert ended.settled or ended.loop_first, ended.cycles
		if ended.settled:
			assert {d.kind for d in e.settle(300).decisions} <= {WAIT, RESERVE}


def test_promised_for_ever():
	"""Broken: who is promised a place gets it if nobody must go for it.  At rest, cycle after cycle,
	consolidation finds a way to place a gang of three for which allocation, pod by pod, finds none."""
	with Entitled(entitled("promised-for-ever")) as e:
		assert e.settle().settled
		told = e.step()
		assert [d.kind for d in told if d.kind != WAIT] == [RESERVE]
		assert e.step() == told


def test_goes_round():
	"""Broken: it comes to rest.  What reclaim has freed for one workload is taken by preemption for a larger
	one of the same queue, for which it is not enough; and who had to go is the first to have it again."""
	with Entitled(entitled("goes-round")) as e:
		ended = e.settle()
		assert not ended.settled and ended.loop_first and ended.loop_period
