#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""entitle_random - random cases of entitlement

    entitle_random.py SEED N [SUITE...]

writes N cases in the form of the recorded ones, without outcome.  A seed is
always the same case.  Numbers are small, so that ties and thin rules come up.
"""
import json
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

import entitle  # noqa: E402
from entitle import RESOURCES  # noqa: E402

UNIT = {"cpu": 1000, "memory": 1000000000, "gpu": 1}
SUITES = ("division", "division", "timeaware", "reclaim", "reclaim", "reclaim_saturation", "order",
	  "capacity", "minruntime", "cluster", "cluster", "cluster", "cluster", "cluster_fragment",
	  "timeseries")


class Maker:
	def __init__(self, seed, suites=SUITES):
		self.rng = random.Random(seed)
		self.suite = self.rng.choice(suites)
		self.id = f"{self.suite}-r{seed:07d}"

	def one_in(self, n):
		return self.rng.randrange(n) == 0

	def pick(self, *values):
		return self.rng.choice(values)

	def make(self):
		case = {"id": self.id, "suite": "cluster" if self.suite == "world" else self.suite}
		case.update(getattr(self, "make_" + self.suite)())
		return case

	# -- queues --

	def shape(self, levels, most):
		"""[(name, parent)...], parents first."""
		made = [("d0", "")]
		depth = {"d0": 1}
		for i in range(1, self.rng.randint(2, most)):
			above = [n for n, d in depth.items() if d < levels]
			parent = self.rng.choice(above + [""]) if not self.one_in(4) else ""
			name = f"q{i}" if not self.one_in(8) else f"Q{i}"
			made.append((name, parent))
			depth[name] = depth[parent] + 1 if parent else 1
		return made

	def amount(self, r, most):
		return self.rng.randint(0, most) * UNIT[r]

	def deserved(self, r, most):
		if r != "gpu" and not self.fine:
			return -1
		return -1 if self.one_in(8) else self.amount(r, most)

	def limit(self, r, most):
		if r != "gpu" and not self.fine:
			return -1
		return self.amount(r, most) if self.one_in(5) else -1

	def queue(self, name, parent, i, most):
		"""As the suites have it, without what is known only later."""
		weights = (0, 1, 1, 1, 2, 3, 0.5)
		return {"name": name, "parent": parent, "priority": self.pick(100, 100, 100, 50, 200),
			"creationTimestamp": f"2026-01-01T00:{i if self.apart else 0:02d}:00Z", "uid": name,
			"deserved": {r: self.deserved(r, most) for r in RESOURCES},
			"limit": {r: self.limit(r, most) for r in RESOURCES},
			"overQuotaWeight": {r: self.pick(*weights) if r == "gpu" or self.fine else 1
					    for r in RESOURCES}}

	def queues(self, levels=3, most=9, amounts=8):
		self.fine, self.apart = self.one_in(2), not self.one_in(4)
		shape = self.shape(levels, most)
		return [self.queue(n, p, i, amounts) for i, (n, p) in enumerate(shape)]

	def leaves(self, queues):
		parents = {q["parent"] for q in queues}
		return [q for q in queues if q["name"] not in parents]

	# -- the division --

	def make_division(self):
		queues = self.queues(levels=self.rng.randint(1, 4), most=self.pick(4, 8, 16))
		leaves = [q["name"] for q in self.leaves(queues)]
		odd = self.one_in(3)
		for q in queues:
			amounts = {what: q.pop(what) for what in ("deserved", "limit", "overQuotaWeight")}
			asks = {r: self.amount(r, self.pick(0, 4, 12)) if q["name"] in leaves else 0
				for r in RESOURCES}
			if odd:
				asks = {r: a * self.pick(1, 0.5, 0.7) if r == "gpu" else a + self.pick(0, 1, 333)
					if a else a for r, a in asks.items()}
			q["resources"] = {r: {**{k: v[r] for k, v in amounts.items()}, "request": asks[r]}
					  for r in RESOURCES}
		k = self.pick(0, 0, 1, 1, 0.5, 3)
		if k and not self.one_in(4):
			for q in queues:
				q["usage"] = {r: self.rng.randint(0, 100) / 100 for r in RESOURCES}
		return {"compare": {"relative": 1e-6}, "class": "random", "k": k, "bounded": self.one_in(3),
			"total": {r: self.amount(r, self.pick(3, 10, 40)) for r in RESOURCES}, "queues": queues}

	# -- usage over time --

	def sample(self, names):
		return {n: {r: self.amount(r, 4) for r in RESOURCES} for n in names if not self.one_in(5)}

	def make_timeaware(self):
		kind = self.pick("usage", "tumblingReset", "cronReset")
		case = {"compare": {"relative": 1e-6}, "kind": kind, "windowSeconds": self.rng.randint(1, 40),
			"halfLifeSeconds": self.pick(0, 0, 1, 5, 20)}
		now = self.moment()
		if kind == "usage":
			n = self.rng.randint(1, 40)
			case["allocations"] = [self.sample(("q0", "q1", "q2")) for _ in range(n)]
			case["capacity"] = [{r: self.rng.randint(1, 9) * UNIT[r] for r in RESOURCES}] * n
		elif kind == "tumblingReset":
			case["windowSeconds"] = self.pick(3600, 86400, 604800, 100)
			case.update(start=self.moment(), now=now)
		else:
			case.update(cron=self.cron(), now=now)
			del case["windowSeconds"]
		return case

	def moment(self):
		r = self.rng.randrange
		return (f"2026-{1 + r(4):02d}-{1 + r(28):02d}T{r(24):02d}:"
			f"{self.pick(0, 30, r(60)):02d}:{self.pick(0, r(60)):02d}Z")

	def cron(self):
		r = self.rng.randrange
		return " ".join((self.pick("0", "*/15", str(r(60))), self.pick("0", "*", "*/6", str(r(24))),
				 self.pick("*", "*", "1", str(1 + r(28)), "1,15"), self.pick("*", "*", "*/2", "1-3"),
				 self.pick("*", "0", "1-5", str(r(7)))))

	# -- rules on standings --

	def with_standings(self, queues, tight=False):
		"""Amounts that fit together: sums upwards, the division's fair shares."""
		parents = {q["name"]: q["parent"] for q in queues}
		for q in queues:
			for what in ("allocated", "allocatedNonPreemptible", "request"):
				q[what] = {r: 0 for r in RESOURCES}
		by_name = {q["name"]: q for q in queues}
		for leaf in self.leaves(queues):
			for r in RESOURCES:
				held = self.amount(r, 6)
				firm = self.rng.randint(0, held // UNIT[r]) * UNIT[r] if self.one_in(2) else 0
				asks = held + self.amount(r, 6)
				name = leaf["name"]
				while name:
					by_name[name]["allocated"][r] += held
					by_name[name]["allocatedNonPreemptible"][r] += firm
					by_name[name]["request"][r] += asks
					name = parents[name]
		total = {r: self.rng.randint(4, 30) * UNIT[r] for r in RESOURCES}
		tree = entitle.make_tree(queues)
		entitle.divide_all(tree, total, 1)
		for q in queues:
			q["fairShare"] = {r: int(v) if v == int(v) else v
					  for r, v in tree[q["name"]].fair_share.items()}
			if tight and any(p == q["name"] for p in parents.values()):
				q["fairShare"] = {r: max(0, q["allocated"][r] + self.rng.randint(-4, 2) * UNIT[r])
						  for r in RESOURCES}
		return total

	def vector(self, most=3):
		return {r: self.amount(r, most) for r in RESOURCES}

	def make_reclaim(self, tight=False):
		queues = self.queues()
		total = self.with_standings(queues, tight)
		leaves = [q["name"] for q in self.leaves(queues)]
		mine = self.rng.choice(leaves)
		others = [n for n in leaves if n != mine]
		self.rng.shuffle(others)
		victims = [{"queue": n, "resources": [self.vector() for _ in range(self.rng.randint(1, 3))]}
			   for n in others[:self.rng.randint(0, 3)]]
		modes = {"keepBelowQuota": self.one_in(4), "protectQuota": self.one_in(4)}
		return {"compare": "exact", "reclaimerUtilizationMultiplier": self.pick(1, 1, 1.2, 1.5, 2), **modes,
			"total": total, "queues": queues, "reclaimees": victims,
			"reclaimer": {"queue": mine, "preemptible": not self.one_in(3), "request": self.vector()}}

	def make_reclaim_saturation(self):
		return self.make_reclaim(tight=True)

	def make_order(self):
		queues = self.queues(levels=1, most=6)
		total = self.with_standings(queues)
		kind = self.pick("pending", "pending", "victims")
		jobs = {q["name"]: [self.vector() for _ in range(1 if kind == "pending" else self.rng.randint(1, 3))]
			for q in queues}
		return {"compare": "exact", "kind": kind, "total": total, "queues": queues, "jobs": jobs}

	def make_capacity(self):
		queues = self.queues()
		self.with_standings(queues)
		return {"compare": "exact", "queues": queues,
			"job": {"queue": self.rng.choice(self.leaves(queues))["name"],
				"preemptible": self.one_in(2),
				"tasks": [self.vector(2) for _ in range(self.rng.randint(1, 3))]}}

	def make_minruntime(self):
		queues = []
		for name, parent in self.shape(4, 10):
			q = {"name": name, "parent": parent}
			for what in ("preemptMinRuntimeSeconds", "reclaimMinRuntimeSeconds"):
				if self.one_in(2):
					q[what] = self.rng.randrange(0, 600, 60)
			queues.append(q)
		leaves = [q["name"] for q in self.leaves(queues)]
		return {"compare": "exact", "reclaimResolveMethod": self.pick("lca", "queue"),
			"defaultPreemptMinRuntimeSeconds": self.pick(0, 90),
			"defaultReclaimMinRuntimeSeconds": self.pick(0, 45), "queues": queues,
			"pendingQueue": self.rng.choice(leaves), "victimQueue": self.rng.choice(leaves)}

	# -- clusters --

	def make_cluster(self, machines=1):
		gpus = self.pick(2, 4, 6, 8, 12)
		queues = self.queues(levels=self.pick(2, 3, 3, 4), most=self.pick(3, 5, 8), amounts=self.pick(2, 3, gpus))
		times = self.one_in(3)
		limits = self.one_in(3)
		priorities = self.one_in(3)
		for i, q in enumerate(queues):
			del q["creationTimestamp"], q["uid"]
			q["creationOrder"] = i
			if not limits:
				q["limit"] = {r: -1 for r in RESOURCES}
			if not priorities:
				q["priority"] = 100
			for what in ("reclaimMinRuntimeSeconds", "preemptMinRuntimeSeconds"):
				if times and self.one_in(2):
					q[what] = self.pick(0, 60, 600, 3600)
		queues = self.below_roots(queues)
		small = self.one_in(4)   # cpu and memory are scarce too
		capacity = {"cpu": 8000 if small else 1000000, "memory": 8000000000 if small else 10 ** 13}
		if machines == 1:
			sizes = [gpus]
		else:
			sizes = [self.pick(0, 2, 2, 4, 4, 4) for _ in range(machines)]
		nodes = [{"name": f"node{i}", "capacity": {**capacity, "gpu": n}} for i, n in enumerate(sizes)]
		case = {"compare": "exact", "class": "random", "nodes": nodes, "queues": queues,
			"jobs": self.jobs(queues, nodes, small)}
		if self.one_in(3):
			case["proportionArguments"] = {
				"relcaimerSaturationMultiplier": self.pick("1.2", "1.5", "3")}
		self.settings(case)
		return case

	# What no recorded cluster has: each is the real program's default where a case does not say.

	def settings(self, case):
		for name, odds in (("usage", 3), ("defaults", 4), ("off", 8), ("depth", 8), ("spread", 5),
				   ("stale", 5), ("moved", 8), ("modes", 4), ("turns", 5)):
			if self.one_in(odds):
				getattr(self, "set_" + name)(case)

	def set_usage(self, case):
		for q in case["queues"]:
			q["usage"] = {r: self.rng.randint(0, 20) / 20 for r in RESOURCES}
		case.setdefault("proportionArguments", {})["kValue"] = self.pick("0.3", "1", "5")

	def set_defaults(self, case):
		case["minRuntimeArguments"] = {
			"defaultReclaimMinRuntimeSeconds": self.pick(0, 60, 1800),
			"defaultPreemptMinRuntimeSeconds": self.pick(0, 60, 1800),
			"reclaimResolveMethod": self.pick("lca", "queue")}

	def set_off(self, case):
		case["actions"] = {a: False for a in ("allocate", "consolidation", "reclaim", "preempt")
				   if self.one_in(3)}

	def set_depth(self, case):
		case["queueDepthPerAction"] = {
			a: self.pick(1, 2, 3) for a in ("allocate", "consolidation", "reclaim", "preempt")
			if not self.one_in(3)}

	def set_spread(self, case):
		case["spread"] = {"gpu": not self.one_in(4), "cpu": self.one_in(2)}

	def set_stale(self, case):
		"""Some of those that run have lost tasks."""
		case["staleGraceSeconds"] = self.pick(0, 60, 300)
		for job in case["jobs"]:
			if job["state"] == "Running" and job["tasks"] > 1 and self.one_in(2):
				job.update(running=self.rng.randint(1, job["tasks"]), staleForSeconds=self.pick(0, 60, 400))

	def set_moved(self, case):
		case["consolidatingReclaim"] = False

	def set_modes(self, case):
		case["modes"] = {m: True for m in ("boundedDivision", "keepBelowQuota", "protectQuota")
				 if self.one_in(2)}

	def set_turns(self, case):
		"""They need usage, and something that is not deserved."""
		if not any("usage" in q for q in case["queues"]):
			self.set_usage(case)
		for q in case["queues"]:
			if q["deserved"]["gpu"] == -1:
				q["deserved"]["gpu"] = self.pick(0, 1)
		case.setdefault("modes", {})["turns"] = True

	# -- time series --

	def make_timeseries(self):
		"""A cluster whose usage moves, a second and a sample a cycle."""
		case = self.make_cluster(machines=self.pick(1, 1, 2))
		short = {59: 1, 60: 2, 300: 3, 400: 4, 600: 4, 1800: 7, 3600: 10, 7200: 20}
		for what in (case, case.get("minRuntimeArguments", {}), *case["queues"], *case["jobs"]):
			for key, value in what.items():
				if key.endswith("Seconds"):
					what[key] = short.get(value, value)
		for q in case["queues"]:
			q.pop("usage", None)
		case.get("proportionArguments", {}).pop("kValue", None)
		case.update(cycles=self.rng.randint(20, 40), windowSize=self.pick(3, 8, 15, 30),
			    halfLifePeriod=self.pick(0, 0, 2, 5, 10), kValue=self.pick(0, 0.3, 1, 1, 5))
		return case

	def below_roots(self, queues):
		"""A root without children gets one, for jobs are below roots."""
		for root in [q for q in self.leaves(queues) if not q["parent"]]:
			child = json.loads(json.dumps(root))
			child.update(name=root["name"] + "-a", parent=root["name"], creationOrder=len(queues))
			queues.append(child)
		return queues

	def make_cluster_fragment(self):
		return self.make_cluster(machines=self.rng.randint(2, 4))

	# -- larger ones, for what needs several searches in a cycle: who is looked at again, and where --

	def make_world(self):
		"""Machines that are nearly full, gangs and elastic jobs, some without GPUs, and many that wait."""
		queues = self.queues(levels=self.pick(2, 3, 3), most=self.pick(4, 6), amounts=self.pick(2, 4, 8))
		for i, q in enumerate(queues):
			del q["creationTimestamp"], q["uid"]
			q.update(creationOrder=i, priority=100)
			if not self.one_in(6):
				q["limit"] = {r: -1 for r in RESOURCES}
		queues = self.below_roots(queues)
		nodes = [{"name": f"node{i}", "capacity": {"cpu": 12000, "memory": 10 ** 13, "gpu": self.pick(2, 4, 4, 8)}}
			 for i in range(self.rng.randint(2, 5))]
		if self.one_in(4):
			nodes[0]["capacity"]["gpu"] = 0
		room = {n["name"]: dict(n["capacity"]) for n in nodes}
		leaves = [q["name"] for q in self.leaves(queues)]
		shapes = self.pick(((1, 1), (2, 2), (3, 2)), ((2, 2), (3, 3), (4, 2)), ((2, 1), (3, 1), (4, 3), (1, 1)))
		waiting, jobs = self.rng.randint(4, 12), []
		for i in range(waiting + self.rng.randint(5, 20)):
			tasks, least = self.pick(*shapes)
			each = {"cpu": 1000, "memory": 1000000000, "gpu": 0 if self.one_in(12) else self.pick(1, 1, 1, 2, 3)}
			job = {"name": f"j{i:02d}", "queue": self.rng.choice(leaves), "priority": self.pick(50, 50, 60),
			       "preemptible": True, "creationOrder": i, "tasks": tasks, "minAvailable": least,
			       "perTask": each, "state": "Pending"}
			fits = [n for n in room if all(tasks * each[r] <= room[n][r] for r in RESOURCES)]
			if fits and i >= waiting:
				node = self.rng.choice(fits)
				runs = self.rng.randint(least, tasks)
				for r in RESOURCES:
					room[node][r] -= runs * each[r]
				job.update(state="Running", node=node, running=runs, runningForSeconds=3600)
			jobs.append(job)
		return {"compare": "exact", "class": "random", "nodes": nodes, "queues": queues, "jobs": jobs}

	def jobs(self, queues, nodes, small):
		"""Some run, and fill the machines more or less; the others wait."""
		room = {n["name"]: dict(n["capacity"]) for n in nodes}
		leaves = [q["name"] for q in self.leaves(queues)]
		crowd = self.pick((1, 1, 1, 2, 3, 4), (1, 1, 2), (1,), (2, 3, 4, 5))
		elastic = self.pick(0, 0, 1, 2)     # none, some, nearly all
		sizes = self.pick((1, 1, 1, 2, 2, 3, 4), (1, 2), (1,))
		priorities = self.pick((50, 50, 50, 40, 60, 75, 100), (50, 50, 50, 100), (40, 50, 60))
		running = self.pick(1, 3, 5, 8, 12)
		result = []
		for i in range(running + self.pick(1, 2, 3, 5)):
			tasks = self.pick(*crowd)
			minimum = tasks
			if elastic and self.rng.randrange(3) < elastic:
				minimum = self.pick(1, 1, self.rng.randint(1, tasks))
			priority = self.pick(*priorities)
			each = {"cpu": self.pick(0, 1, 1, 2) * 1000 if small else 1000,
				"memory": self.pick(1, 1, 2) * 1000000000, "gpu": self.pick(*sizes)}
			if self.one_in(20):
				each["gpu"] = 0
			job = {"name": f"j{i:02d}", "queue": self.rng.choice(leaves), "priority": priority,
			       "preemptible": priority < 100, "creationOrder": i, "tasks": tasks,
			       "minAvailable": minimum, "perTask": each, "state": "Pending"}
			where = [n for n in room if all(tasks * each[r] <= room[n][r] for r in RESOURCES)]
			if where and i < running:
				node = self.rng.choice(where)
				for r in RESOURCES:
					room[node][r] -= tasks * each[r]
				job.update(state="Running", node=node,
					   runningForSeconds=self.pick(59, 60, 600, 1800, 7200))
			result.append(job)
		order = list(range(len(result)))
		self.rng.shuffle(order)
		for job, i in zip(result, order):
			job["creationOrder"] = i
		return result


def make(seed, suites=SUITES):
	return Maker(seed, suites).make()


def main():
	if len(sys.argv) < 3:
		sys.exit(__doc__)
	first, n = int(sys.argv[1]), int(sys.argv[2])
	for seed in range(first, first + n):
		print(json.dumps(make(seed, tuple(sys.argv[3:]) or SUITES)))


if __name__ == "__main__":
	main()
