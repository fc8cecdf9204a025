# SPDX-License-Identifier: Apache-2.0
"""entitle_rules - usage over time, and the rules that decide between queues

Each function is one rule of the description, on a tree of entitle.Queue.
"""
import calendar
import datetime
import math

from entitle import RESOURCES, UNLIMITED, all_less, at_most, bundle, minus, over, plus, total_of


# -- usage over time ----------------------------------------------------------

def usage_of_samples(allocations, capacities, window, half_life):
	"""One sample a second, the last one is now: queue -> share of the capacity of that time."""
	n = min(len(allocations), int(window))
	allocations = allocations[len(allocations) - n:]
	capacities = capacities[len(capacities) - n:]
	weights = [1.0 if not half_life else 0.5 ** ((window - i) / half_life) for i in range(n)]
	capacity = bundle()
	sums = {}
	for weight, held, of in zip(weights, allocations, capacities):
		for r in RESOURCES:
			capacity[r] += weight * of.get(r, 0)
		for name, amounts in held.items():
			mine = sums.setdefault(name, bundle())
			for r in RESOURCES:
				mine[r] += weight * amounts.get(r, 0)
	return {name: {r: mine[r] / capacity[r] if capacity[r] else 0.0 for r in RESOURCES}
		for name, mine in sums.items()}


def tumbling_start(start, window, now):
	if start > now:
		return now
	best = start
	while best + window < now:
		best += window
	return best


class Cron:
	"""Five fields, each with lists, ranges and steps; Sunday is 0."""

	DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
	NAMES = {name.lower(): i for names in (calendar.month_abbr, DAYS) for i, name in enumerate(names) if name}
	SHORT = {"@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *",
		 "@weekly": "0 0 * * 0", "@daily": "0 0 * * *", "@midnight": "0 0 * * *",
		 "@hourly": "0 * * * *"}

	def __init__(self, text):
		fields = self.SHORT.get(text, text).split()
		bounds = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 6))
		self.sets = [self.values(f, *b) for f, b in zip(fields, bounds)]
		self.any_day = fields[2][0] in "*?"
		self.any_weekday = fields[4][0] in "*?"

	def values(self, field, low, high):
		result = set()
		for part in field.split(","):
			part, _, step = part.partition("/")
			first, dash, last = part.partition("-")
			if first in "*?":
				a, b = low, high
			else:
				a = self.number(first)
				b = self.number(last) if dash else (high if step else a)
			result |= set(range(a, b + 1, int(step or 1)))
		return result

	def number(self, text):
		return self.NAMES[text.lower()] if text.lower() in self.NAMES else int(text)

	def day_fits(self, t):
		day, weekday = t.day in self.sets[2], (t.weekday() + 1) % 7 in self.sets[4]
		return day and weekday if self.any_day or self.any_weekday else day or weekday

	def after(self, t):
		"""The first occurrence strictly after t."""
		t = t.replace(second=0, microsecond=0) + datetime.timedelta(minutes=1)
		for _ in range(1000000):
			if t.month not in self.sets[3] or not self.day_fits(t):
				t = t.replace(hour=0, minute=0) + datetime.timedelta(days=1)
			elif t.hour not in self.sets[1]:
				t = t.replace(minute=0) + datetime.timedelta(hours=1)
			elif t.minute not in self.sets[0]:
				t += datetime.timedelta(minutes=1)
			else:
				return t
		raise ValueError("never")


def cron_start(text, now):
	cron = Cron(text)
	third = cron.after(cron.after(cron.after(now)))
	start = walk = now - (third - now)
	while True:
		walk = cron.after(walk)
		if walk >= now:
			return start
		start = walk


# -- reclaim ------------------------------------------------------------------

def can_reclaim(leaf, preemptible, request):
	if not at_most(plus(leaf.allocated, request), leaf.fair_share):
		return False
	return preemptible or at_most(plus(leaf.allocated_firm, request), leaf.deserved)


def levelled(a, b):
	"""The first two queues in which the ways from the root differ."""
	pair = None
	for pair in zip(a.down(), b.down()):
		if pair[0] is not pair[1]:
			break
	return pair


def over_fair_share(queue, remaining):
	return not at_most(remaining, queue.allocatable())


def below_deserved(mine, request, other, remaining):
	return at_most(plus(mine.allocated, request), mine.deserved) and not at_most(remaining, other.deserved)


def saturation(amount, share):
	if share == 0:
		return math.inf if amount > 0 else 0.0
	return 0.0 if share == UNLIMITED else amount / share


def takes_quota(leaf, victims, remaining, involved):
	"""protectQuota: a queue that loses something ends below its quota, or farther below."""
	for victim, vectors in victims:
		side = levelled(leaf, victim)[1]
		for node in victim.up() if vectors else ():
			for r in involved[node.name]:
				if node.deserved[r] != UNLIMITED and \
						remaining[node.name][r] < min(node.allocated[r], node.deserved[r]):
					return True
			if node is side:
				break
	return False


def leaves_quota(queue, request, mine):
	"""keepBelowQuota: it was below its quota of something that is asked for, and is above it now."""
	return any(request[r] > 0 and queue.deserved[r] != UNLIMITED and
		   queue.allocated[r] < queue.deserved[r] < mine[r] for r in RESOURCES)


def reclaimable(queues, leaf, preemptible, request, victims, multiplier, keep_below=False, protect=False):
	"""victims: [(leaf queue, [bundle...])...], in the order in which they are taken."""
	multiplier = max(1.0, multiplier)
	remaining, involved = {}, {}
	for victim, vectors in victims:
		mine, other = levelled(leaf, victim)
		for vector in vectors:
			rest = remaining.get(other.name, other.allocated)
			if not over_fair_share(other, rest) and not below_deserved(mine, request, other, rest):
				return False
			for node in victim.up():
				remaining[node.name] = minus(remaining.get(node.name, node.allocated), vector)
		touched = {r for vector in vectors for r in RESOURCES if vector[r] > 0}
		if vectors:
			for node in victim.up():
				involved.setdefault(node.name, set()).update(touched)
	if protect and takes_quota(leaf, victims, remaining, involved):
		return False
	asked = {r for r in RESOURCES if request[r] > 0}
	for node in leaf.up():
		mine = plus(remaining.get(node.name, node.allocated), request)
		remaining[node.name] = mine
		if keep_below and leaves_quota(node, request, mine):
			return False
		for other in queues.values():
			if other is node or other.parent is not node.parent or other.name not in remaining:
				continue
			for r in involved.get(other.name, set()) | asked:
				if too_saturated(node, mine, other, remaining[other.name], r, multiplier):
					return False
		if not preemptible and not at_most(plus(node.allocated_firm, request), node.deserved):
			return False
	return True


def too_saturated(queue, mine, other, theirs, r, multiplier):
	if queue.fair_share[r] == UNLIMITED and other.fair_share[r] == UNLIMITED:
		return False
	ours = saturation(mine[r], queue.fair_share[r])
	return ours > 1 and other.fair_share[r] > 0 and \
		ours * multiplier >= saturation(theirs[r], other.fair_share[r])


# -- the order of queues and jobs ----------------------------------------------

def dominant_share(queue, amounts, total):
	allocatable = queue.allocatable()
	best = 0.0
	for r in RESOURCES:
		most = total[r] if allocatable[r] == UNLIMITED else allocatable[r]
		share = amounts[r] * 1000 if most == 0 else over(amounts[r], most)
		if share > best:
			best = share
	return best


def first_difference(l, r):
	return (l > r) - (l < r)


def zero_share_violation(queue, amounts):
	allocatable = queue.allocatable()
	return any(allocatable[r] == 0 and amounts[r] > 0 for r in RESOURCES)


def compare_queues(l, r, l_job, r_job, l_victims, r_victims, total):
	"""-1: l goes first.  Jobs and victims are bundles (the victims' is their sum)."""
	with_job = [plus(q.allocated, job) for q, job in ((l, l_job), (r, r_job))]
	pairs = (
		lambda i, q: all_less(q.fair_share, q.allocated),
		lambda i, q: not at_most(with_job[i], q.deserved),
		lambda i, q: -q.priority,
		lambda i, q: q.late,
		lambda i, q: zero_share_violation(q, with_job[i]),
		lambda i, q: dominant_share(q, minus(with_job[i], (l_victims, r_victims)[i]), total),
		lambda i, q: dominant_share(q, q.allocated, total),
	)
	for key in pairs:
		result = first_difference(key(0, l), key(1, r))
		if result:
			return result
	mine, theirs = l.allocatable(), r.allocatable()
	if at_most(mine, theirs) and any(less(mine[x], theirs[x]) for x in RESOURCES):
		return -1
	if at_most(theirs, mine) and any(less(theirs[x], mine[x]) for x in RESOURCES):
		return 1
	return -1 if l.created < r.created else 1


def less(a, b):
	"""a < b, where unlimited is more than any number."""
	if a == UNLIMITED:
		return False
	return b == UNLIMITED or a < b


# -- capacity -----------------------------------------------------------------

def over_limit(leaf, request):
	for node in leaf.up():
		for r in RESOURCES:
			if node.limit[r] != UNLIMITED and request[r] != 0 and \
					node.limit[r] < node.allocated[r] + request[r]:
				return node
	return None


def over_quota(leaf, preemptible, request):
	if preemptible:
		return None
	for node in leaf.up():
		for r in RESOURCES:
			if node.deserved[r] != UNLIMITED and request[r] != 0 and \
					node.deserved[r] < node.allocated_firm[r] + request[r]:
				return node
	return None


def capacity_answer(leaf, preemptible, tasks):
	"""(answer of both checks, answer of the second alone), as (reason, queue) or None."""
	request = total_of(tasks)
	quota = over_quota(leaf, preemptible, request)
	second = ("NonPreemptibleOverQuota", quota.name) if quota else None
	limit = over_limit(leaf, request)
	return (("OverLimit", limit.name) if limit else second), second


# -- minimum run time -----------------------------------------------------------

def first_set(path, what, default):
	for node in path:
		value = getattr(node, what)
		if value is not None:
			return value
	return default


def preempt_min_runtime(victim, default):
	return first_set(victim.up(), "preempt_min", default)


def reclaim_min_runtime(pending, victim, default, method="lca"):
	if method == "queue":
		return first_set(victim.up(), "reclaim_min", default)
	ours, theirs = pending.down(), victim.down()
	if ours[0] is not theirs[0]:
		return first_set(theirs[:1], "reclaim_min", default)
	common = 0
	while common + 1 < min(len(ours), len(theirs)) and ours[common + 1] is theirs[common + 1]:
		common += 1
	start = theirs[min(common + 1, len(theirs) - 1)]
	return first_set(start.up(), "reclaim_min", default)
