# SPDX-License-Identifier: Apache-2.0
"""Random cases for hypothesis, small and full enough that thin rules and ties come up often.

A case is read off a string of bytes in which each node and job has its own
place, so that zeroing a byte changes one thing and makes it simpler: no job, no
limit, nothing held, the first of the choices.  That is quick to draw and
shrinks well.

Cases are *admissible*: a job holds quota from the start only if it fits beside
those before it, by the balances of reckon.py, so every state is one that
admissions alone could have led to.
"""
import functools
import os
import traceback
from dataclasses import dataclass

from hypothesis import HealthCheck, Phase, given, settings, strategies as st

from reckon import Tree
from shrink import shrink
from world import COHORT, FINAL, INITIAL, QUEUE, Case, Job, Node, Quota

SOAK = int(os.environ.get("FAIRLEAD_PROP_SOAK", "0"))
PART = int(os.environ.get("FAIRLEAD_PROP_PART", "1"))  # of the examples, one in so many

BOTH = ((FINAL, INITIAL),)
FAIR = ((FINAL, INITIAL), (FINAL,), (INITIAL,))
EITHER = FAIR + (None,)


class Broken(AssertionError):
	"""A property does not hold; the text has the case."""


def report(arguments, failure):
	lines = ["".join(traceback.format_exception(failure)).rstrip(), ""]
	for name, value in arguments.items():
		if not hasattr(value, "brief"):
			lines.append(f"{name} = {value!r}")
	for name, value in arguments.items():
		if hasattr(value, "brief"):
			lines += [value.brief(), "", f"{name}, as a file for `fairlead plan --settle -f`:", "", value.manifest()]
	return "\n".join(lines)


def prop(examples, **arguments):
	"""A property: `given` with a number of examples, and the smallest case when it fails.

	The same examples each time, in `make test`, where they are a fourth, and in the longer run; in the
	soak run many times as many, and others each time.  A case is made smaller by shrink.py, which knows what it is made of.
	"""
	def wrap(test):
		known = {}

		@functools.wraps(test)
		def tried(**given_values):
			try:
				test(**given_values)
			except Exception:
				key = repr(given_values)
				if key not in known:
					known[key] = report(*shrink(test, given_values))
				raise Broken(known[key]) from None
		return settings(max_examples=max(1, examples * (SOAK or 1) // PART), derandomize=not SOAK, database=None,
				deadline=None, print_blob=False, phases=(Phase.generate,),
				report_multiple_bugs=False,
				suppress_health_check=list(HealthCheck))(given(**arguments)(tried))
	return wrap


@dataclass(frozen=True)
class Knobs:
	fair: tuple = BOTH
	cohorts: tuple = (1, 3)  # how many, from and to
	queues: tuple = (2, 4)
	resources: tuple = (1, 2)
	flavors: tuple = (1, 1)
	jobs: tuple = (0, 10)
	top: int = 5   # largest quota
	ask: int = 4   # largest request
	held: bool = True
	limited: bool = True
	cohort_quota: bool = True
	weights: tuple = ("1",)
	priorities: int = 1
	ages: int = 4
	strict: tuple = (False,)
	within: tuple = ("Never",)
	reclaim: tuple = ("Any",)
	borrow_within: tuple = (None,)
	fungibility: tuple = ((),)
	partial: bool = False
	hold: tuple = (False,)  # a Policy with holdFreedQuota


ANYTHING = dict(fair=EITHER, cohorts=(0, 3), queues=(1, 4), flavors=(1, 2), weights=("1", "2", "0", "3"),
		priorities=2, within=("Never", "LowerPriority", "LowerOrNewerEqualPriority"),
		reclaim=("Any", "Any", "Never", "LowerPriority", "LowerOrNewerEqualPriority"), strict=(False, True),
		borrow_within=(None, "LowerPriority"), partial=True,
		fungibility=((), (("whenCanBorrow", "TryNextFlavor"),), (("whenCanPreempt", "MayStopSearch"),),
			     (("preference", "PreemptionOverBorrowing"),)))


class Reader:
	"""Bytes as choices; the first choice for 0, and for what is not there."""

	def __init__(self, data, knobs):
		self.data, self.at, self.k = data, 0, knobs

	def of(self, n):
		b = self.data[self.at] if self.at < len(self.data) else 0
		self.at += 1
		return b * n // 256

	def one(self, choices):
		return choices[self.of(len(choices))]

	def between(self, span):
		return span[0] + self.of(span[1] - span[0] + 1)

	def limit(self, top):
		"""None in two cases of three."""
		n = self.of(3 * (top + 1))
		return n - 2 * (top + 1) if self.k.limited and n >= 2 * (top + 1) else None

	def quota(self, wanted):
		out = []
		for _ in range(4):
			nominal, borrow, lend = self.of(self.k.top + 1), self.limit(self.k.top), self.limit(self.k.top)
			out.append(Quota(nominal, borrow, None if lend is None else min(lend, nominal)))
		return tuple(out[:wanted])

	def cohort(self, i, columns):
		parent, weight = self.of(max(1, i)), self.one(self.k.weights)
		quota = self.quota(columns)
		return Node(f"c{i}", COHORT, f"c{parent}" if i else None, weight,
			    quota if self.k.cohort_quota and self.of(2) else ())

	def queue(self, i, cohorts, columns):
		parent = self.of(max(1, cohorts))
		return Node(f"q{i}", QUEUE, f"c{parent}" if cohorts else None, self.one(self.k.weights),
			    self.quota(columns), self.one(self.k.strict), self.one(self.k.within),
			    self.one(self.k.reclaim), self.one(self.k.borrow_within), self.one(self.k.fungibility))

	def job(self, i, queues, resources, flavors):
		there, queue = self.of(8) > 0 or i < self.k.jobs[0], self.of(queues)
		ask = [self.of(self.k.ask + 1), self.of(self.k.ask + 1)][:resources]
		if not any(ask):
			ask[0] = 1
		priority, age, hold = self.of(self.k.priorities), self.of(self.k.ages), self.of(3 * flavors)
		count, least = 1 + self.of(6) // 4, self.of(3)
		if not self.k.partial:
			count = 1
		held = flavors_of(hold - flavors, flavors) if self.k.held else None
		return there and Job(f"w{i}", f"q{queue}", tuple(ask), priority, age, held, None, count,
				     1 if count > 1 and least == 2 else None)


def flavors_of(at, flavors):
	return ("f", "g")[at % flavors] if at >= 0 else None


SIZE = 5 + 3 * 16 + 4 * 19 + 12 * 9


def read(data, k):
	r = Reader(data, k)
	fair = r.one(k.fair)
	resources, flavors = r.between(k.resources), r.between(k.flavors)
	n_cohorts = r.between(k.cohorts)
	nodes = [r.cohort(i, resources * flavors) for i in range(k.cohorts[1])][:n_cohorts]
	n_queues = r.between(k.queues)
	nodes += [r.queue(i, n_cohorts, resources * flavors) for i in range(k.queues[1])][:n_queues]
	jobs = [r.job(i, n_queues, resources, flavors) for i in range(k.jobs[1])]
	policy = {"holdFreedQuota": True} if r.one(k.hold) else {}
	return with_jobs(Case(tuple(nodes), (), resources, flavors, fair, policy), [j for j in jobs if j])


def cases(**knobs):
	k = Knobs(**knobs)
	return st.binary(min_size=SIZE, max_size=SIZE).map(lambda data: read(data, k))


def anything(**but):
	"""Every knob there is, `but` some."""
	return cases(**{**ANYTHING, **but})


def with_jobs(case, jobs):
	"""The case with these jobs; who wants to hold quota but finds none waits."""
	trees = {column: Tree(case, *column) for column in case.columns}
	use = {column: [0] * len(case.nodes) for column in trees}
	at = {n.name: i for i, n in enumerate(case.nodes)}
	out = []
	for j in jobs:
		if j.held is not None:
			wants = [((j.held, r), amount * j.count) for r, amount in zip(case.resources, j.ask)]
			if all(trees[c].fits(use[c], at[j.queue], amount) for c, amount in wants):
				for c, amount in wants:
					use[c][at[j.queue]] += amount
			else:
				j = Job(j.name, j.queue, j.ask, j.priority, j.age, None, None, j.count, j.least)
		out.append(j)
	return Case(case.nodes, tuple(out), case.n_resources, case.n_flavors, case.fair, case.policy)


def happenings(*kinds):
	"""What may happen to a cluster, as (what, which); the number is taken modulo what there is."""
	return st.binary(max_size=24).map(lambda data: [
		(kinds[a * len(kinds) // 256], b) for a, b in zip(data[::2], data[1::2])])


HARMLESS = ("step", "all evicted", "step", "evicted", "finished", "cancel", "submit", "rejected", "grow", "weight", "priority")
EVENTS = HARMLESS + ("quota", "borrow", "lend")
