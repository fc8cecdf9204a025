#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plain DRF a second time, slowly, and held against the engine on random cases.

Written from the paper (Ghodsi et al., NSDI 2011, algorithm 1 and section 4.3) and the words in
src/decide/drf/README.md, without a look at the engine: every share is a fraction and computed anew,
every choice a minimum over all.  Each case is a random cluster; the engine's `plan` says what one
step decides, then some tasks are done and the rest is the next input.

usage: drf.py FAIRLEAD [--seed N] [--count N]

Prints the seed and the input of the first case that differs, and exits 1.
"""
import argparse
import json
import random
import subprocess
import sys
from fractions import Fraction

UNITS = {"cpu": 1, "memory": 1, "gpu": 1, "pods": 1}
ROUNDS = 3


# -- the rules ------------------------------------------------------------------------------------

class Cluster:
	"""Queues, tasks and what they hold, as plain values."""

	def __init__(self, flavors, queues, tasks):
		self.flavors, self.queues, self.tasks = flavors, queues, tasks
		self.capacity = {}
		for q in queues:
			for group in q["groups"]:
				for flavor, quotas in group["flavors"]:
					for resource, amount in quotas.items():
						key = flavor, resource
						self.capacity[key] = self.capacity.get(key, 0) + amount

	def held(self, queue=None):
		"""(flavor, resource) -> amount, of one queue or of all."""
		sum_of = {}
		for t in self.tasks:
			if t["holds"] is not None and (queue is None or t["queue"] == queue):
				for rows in t["holds"]:
					for resource, (flavor, amount) in rows.items():
						sum_of[flavor, resource] = sum_of.get((flavor, resource), 0) + amount
		return sum_of

	def dominant(self, queue):
		"""The largest part that a queue has of any resource, over all flavors."""
		most = Fraction(0)
		held = self.held(queue["name"])
		for resource in UNITS:
			mine = sum(a for (f, r), a in held.items() if r == resource)
			there = sum(a for (f, r), a in self.capacity.items() if r == resource)
			if mine:
				assert there, "somebody holds what is not there"
				most = max(most, Fraction(mine, there))
		return most

	def order(self, queue):
		"""Smaller: its turn comes first."""
		weight = queue["weight"]
		return (weight == 0, self.dominant(queue) / (weight or 1))

	def line(self, queue):
		"""Who waits, first things first."""
		return sorted((t for t in self.tasks if t["queue"] == queue["name"] and t["waits"]
			       and not t["never"]), key=before)

	def fit(self, task, empty):
		"""What it would hold, a row a podset, or why it does not fit."""
		queue = next(q for q in self.queues if q["name"] == task["queue"])
		held = {} if empty else self.held()
		taken, rows = {}, []
		for pods in task["podsets"]:
			wants = {r: a * pods["count"] for r, a in pods["asks"].items()}
			covered = {r for g in queue["groups"] for r in g["resources"]}
			if "pods" in covered:
				wants["pods"] = pods["count"]
			if any(r not in covered and a > 0 for r, a in wants.items()):
				return "ResourceNotCovered"
			row = {}
			for group in queue["groups"]:
				here = {r: a for r, a in wants.items() if r in group["resources"]}
				if not here:
					continue
				suiting = [f for f, _ in group["flavors"] if pods["zone"] in (None, self.flavors[f])]
				chosen = None
				for f in suiting:
					if all(a + taken.get((f, r), 0) <= max(0, self.capacity.get((f, r), 0) - held.get((f, r), 0))
					       for r, a in here.items()):
						chosen = f
						break
				if chosen is None:
					return "ExceedsMaxQuota" if suiting else "NoMatchingFlavor"
				for r, a in here.items():
					row[r] = chosen, a
			for r, (f, a) in row.items():
				taken[f, r] = taken.get((f, r), 0) + a
			rows.append(row)
		return rows

	def step(self):
		"""Algorithm 1: names of those who are admitted, in order."""
		admitted = []
		while True:
			lines = [(self.order(q), before(self.line(q)[0]), self.line(q)[0])
				 for q in self.queues if not q["stopped"] and self.line(q)]
			if not lines:
				return admitted
			task = min(lines, key=lambda line: line[:2])[2]
			rows = self.fit(task, empty=False)
			if not isinstance(rows, str):
				task["holds"], task["waits"] = rows, False
				admitted.append(task["name"])
				continue
			never = self.fit(task, empty=True)
			if isinstance(never, str):
				task["never"] = never
				continue
			task["short"] = True
			return admitted

	def reasons(self):
		"""Why everybody waits who does."""
		ret = {}
		for q in self.queues:
			for t in (t for t in self.tasks if t["queue"] == q["name"] and t["waits"]):
				line = self.line(q)
				ret[t["name"]] = ("ClusterQueueInactive" if q["stopped"] else
						  t["never"] or
						  ("WaitingForQuota" if t["short"] else
						   "NotItsTurn" if line[0] is t else "BehindHead"))
		return ret


def before(task):
	return -task["priority"], task["created"], task["name"]


# -- a random cluster -----------------------------------------------------------------------------

def make(rng):
	flavors = {f"f{i}": rng.choice("xyz") for i in range(rng.randint(1, 3))}
	odd = {"g": rng.choice("xyz")} if rng.random() < 0.4 else {}
	queues = []
	for i in range(rng.randint(1, 5)):
		resources = ["cpu", "memory"] + ["pods"] * (rng.random() < 0.2)
		names = rng.sample(sorted(flavors), rng.randint(1, len(flavors)))
		groups = [(resources, names)] + [(["gpu"], sorted(odd))] * bool(odd)
		queues.append({
			"name": f"q{i}",
			"weight": rng.choice([Fraction(1)] * 5 + [Fraction(w) for w in ("0", "0.5", "2", "3", "0.3")]),
			"stopped": rng.random() < 0.08,
			"cohort": rng.choice((None, None, "c", "d")),
			"groups": [{"resources": rs,
				    "flavors": [(f, {r: rng.choice((0, 1, 2, 3, 4, 6, 9)) for r in rs}) for f in fs]}
				   for rs, fs in groups]})
	tasks = []
	for i in range(rng.randint(0, 24)):
		podsets = [{"count": rng.choice((1, 1, 1, 2, 3)), "zone": rng.choice((None, None, None, "x", "y")),
			    "asks": {r: rng.choice((0, 1, 1, 2, 3, 5)) for r in ("cpu", "memory", "gpu")
				     if rng.random() < (0.8 if r != "gpu" else 0.15)}}
			   for _ in range(rng.choice((1, 1, 1, 2)))]
		tasks.append({"name": f"t{i:02}", "queue": rng.choice(queues)["name"], "podsets": podsets,
			      "priority": rng.choice((0, 0, 0, 1, 5)), "created": rng.randint(0, 3),
			      "holds": None, "waits": True, "never": None, "short": False})
	return Cluster({**flavors, **odd}, queues, tasks)


# -- as manifests ---------------------------------------------------------------------------------

def manifest(kind, name, spec, namespaced=False, version="kueue.x-k8s.io/v1beta1", **metadata):
	if namespaced:
		metadata["namespace"] = "ns"
	return {"apiVersion": version, "kind": kind, "metadata": {"name": name, **metadata}, "spec": spec}


def queue_manifest(q):
	spec = {"namespaceSelector": {}, "fairSharing": {"weight": str(float(q["weight"]))},
		"resourceGroups": [{"coveredResources": g["resources"], "flavors": [
			{"name": f, "resources": [{"name": r, "nominalQuota": str(a[r])} for r in g["resources"]]}
			for f, a in g["flavors"]]} for g in q["groups"]]}
	if q["stopped"]:
		spec["stopPolicy"] = "Hold"
	if q["cohort"]:
		spec["cohort"] = q["cohort"]
	return manifest("ClusterQueue", q["name"], spec)


def task_manifest(t):
	podsets = []
	for i, p in enumerate(t["podsets"]):
		pod = {"containers": [{"name": "c", "resources": {"requests": {r: str(a) for r, a in p["asks"].items()}}}]}
		if p["zone"]:
			pod["nodeSelector"] = {"zone": p["zone"]}
		podsets.append({"name": f"p{i}", "count": p["count"], "template": {"spec": pod}})
	ret = manifest("Workload", t["name"], {"queueName": t["queue"], "priority": t["priority"], "podSets": podsets},
		       namespaced=True, uid=t["name"], creationTimestamp=f"2026-01-01T00:00:0{t['created']}Z")
	if t["holds"]:
		ret["status"] = {
			"admission": {"clusterQueue": t["queue"], "podSetAssignments": [
				{"name": f"p{i}", "count": p["count"], "flavors": {r: f for r, (f, a) in rows.items()},
				 "resourceUsage": {r: str(a) for r, (f, a) in rows.items()}}
				for i, (p, rows) in enumerate(zip(t["podsets"], t["holds"]))]},
			"conditions": [{"type": c, "status": "True", "reason": "Test", "message": "",
					"lastTransitionTime": "2026-01-01T00:00:05Z"} for c in ("QuotaReserved", "Admitted")]}
	return ret


def manifests(c):
	items = [manifest("ResourceFlavor", f, {"nodeLabels": {"zone": zone}}) for f, zone in c.flavors.items()]
	items += [queue_manifest(q) for q in c.queues]
	items += [manifest("LocalQueue", q["name"], {"clusterQueue": q["name"]}, namespaced=True) for q in c.queues]
	items += [task_manifest(t) for t in c.tasks]
	return json.dumps({"apiVersion": "v1", "kind": "List", "items": items}, indent=1)


# -- held against each other ------------------------------------------------------------------------

def flavors_of(rows):
	return [{r: f for r, (f, _) in row.items()} for row in rows]


def compare(c, done):
	"""What differs, in words; None: nothing does."""
	cycle = done["cycles"][0]
	had = {a["workload"][3:]: [p["flavors"] for p in a["podSets"]] for a in cycle["admitted"]}
	admitted = c.step()
	want = {t["name"]: flavors_of(t["holds"]) for t in c.tasks if t["name"] in admitted}
	if had != want:
		return f"admitted: {had}, but by the rules {want}"
	had, want = {p["workload"][3:]: p["reason"] for p in cycle["pending"]}, c.reasons()
	if had != want:
		return f"who waits: {had}, but by the rules {want}"
	for q in c.queues:
		if q["stopped"]:
			continue
		share, text = c.dominant(q), cycle["shares"][q["name"]]["precise"]
		if share and not q["weight"]:
			same = text == "inf"
		else:
			want = float(1000 * share / (q["weight"] or 1))
			same = abs(float(text) - want) <= 1e-12 * want
		if not same:
			return f"share of {q['name']}: {text}, but by the rules {1000 * share} / {q['weight']}"
	return None


def run(fairlead, seed):
	rng = random.Random(seed)
	c = make(rng)
	for _ in range(ROUNDS):
		text = manifests(c)
		done = subprocess.run([fairlead, "plan", "--policy", "drf", "-o", "json", "-f", "-"], input=text,
				      capture_output=True, text=True, check=False)
		if done.returncode != 0:
			return text, done.stderr
		why = compare(c, json.loads(done.stdout))
		if why:
			return text, why
		c.tasks = [t for t in c.tasks if not t["holds"] or rng.random() < 0.6]
		for t in c.tasks:
			t["never"], t["short"] = None, False
	return None


def main():
	parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
	parser.add_argument("fairlead")
	parser.add_argument("--seed", type=int, default=1)
	parser.add_argument("--count", type=int, default=400)
	o = parser.parse_args()
	for seed in range(o.seed, o.seed + o.count):
		found = run(o.fairlead, seed)
		if found:
			print(f"{found[0]}\n\nseed {seed}: {found[1]}")
			return 1
	print(f"{o.count} cases of {ROUNDS} steps, from seed {o.seed}: the same")
	return 0


if __name__ == "__main__":
	sys.exit(main())
