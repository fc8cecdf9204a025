#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""simulation - the simulator once more, slow and obvious, and held against the engine's

Decisions are oracle.py's; the clock, what jobs do in it, and when a cycle is due are written
here from the description in src/sim/simulation.h alone.  Each step looks at every job; whether
a cycle moved something is found by comparing all that there is before and after it.  Compares
events at random, moment by moment.
"""
import argparse
import importlib.machinery
import importlib.util
import json
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True

import oracle  # noqa: E402
from quantity import parse_time  # noqa: E402


def load(name):
	loader = importlib.machinery.SourceFileLoader("oracle_" + name, os.path.join(HERE, name))
	module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
	loader.exec_module(module)
	return module


MS = 1000000
SECOND = 1000 * MS
SETTINGS = ("start", "grace", "checkpoint", "restart", "base", "max", "interval")


class Moment(int):
	"""In nanoseconds, which the oracle's own times cannot tell apart."""

	def timestamp(self):
		return int(self)


class Job:
	def __init__(self, w, life):
		self.w, self.name = w, w.key.split("/")[1]
		self.arrives, self.runs, self.leaves = life
		self.state = "to come"
		self.starts = self.evictions = self.done = self.lost = self.running = 0
		self.saved = 0
		self.since = self.goes = self.returns = None

	def pods(self):
		return sum(self.w.counts())

	def ends(self):
		"""When all is done with the pods that run; rounded up to a nanosecond."""
		if not self.running or self.runs < 0:
			return None
		return self.since + -(-(self.runs - self.done) * self.pods() // self.running)


class Simulation:
	def __init__(self, case):
		for f in (oracle.known_frs, oracle.subtree_quota, oracle.local_quota,
			  oracle.potential_available, oracle.lendable):
			f.cache_clear()
		self.engine = oracle.Engine(case)
		self.how = case["simulation"]
		self.now = self.how["start"]
		self.events, self.last, self.due, self.idle = [], None, True, 0
		self.jobs = [Job(w, case["lives"][w.key.split("/")[1]]) for w in self.engine.workloads]
		self.jobs.sort(key=lambda j: j.name)
		self.of = {j.w: j for j in self.jobs}
		for q in self.engine.queues.values():
			q.heap, q.inadmissible, q.marked_shapes = [], [], set()
		groups = [g for q in self.engine.queues.values() for g in q.spec.get("resourceGroups") or []]
		self.most_flavors = max([len(g["flavors"]) for g in groups] + [0])

	def tell(self, kind, job):
		self.events.append((self.now, kind, job.name))
		self.idle = 0

	# -- what happens --

	def submit(self, job):
		self.engine.now = Moment(self.now)
		self.engine.enqueue(job.w)
		job.state, self.due = "waits", True

	def cancel(self, job):
		q = job.w.queue
		q.heap = [w for w in q.heap if w is not job.w]
		q.inadmissible = [w for w in q.inadmissible if w is not job.w]
		if q.sticky is job.w:
			q.sticky = None
		job.w.scan, self.due = None, True

	def free(self, job, again):
		w = job.w
		w.holder.generation += 1
		holder, w.holder, w.usage, w.reserved_at = w.holder, None, {}, None
		w.evicted, w.scan, job.running, self.due = False, None, 0, True
		if again:
			self.engine.enqueue(w)
		self.engine.flush(holder)

	def work(self, job):
		if job.running and self.now > job.since:
			job.done += (self.now - job.since) * job.running // job.pods()
			job.since = self.now

	def finish(self, job):
		self.free(job, again=False)
		job.state = "finished"
		self.tell("finished", job)

	def let_go(self, job):
		self.work(job)
		every = self.how["checkpoint"]
		kept = job.saved
		if every >= 0:
			kept = job.done - ((job.done - job.saved) % every if every else 0)
		job.lost += job.done - kept
		job.done = job.saved = kept
		job.evictions += 1
		self.free(job, again=True)
		job.state = "waits"
		if self.how["base"]:
			self.cancel(job)
			job.state = "away"
			job.returns = self.now + min(self.how["base"] * 2 ** (job.evictions - 1), self.how["max"])
		self.tell("let-go", job)

	def happen(self):
		"""One thing of this moment, but arrivals; False: nothing is left."""
		for job in self.jobs:
			if job.state in ("runs", "goes") and job.ends() is not None and job.ends() <= self.now:
				self.finish(job)
				return True
		for job in self.jobs:
			if job.state == "goes" and job.goes <= self.now:
				self.let_go(job)
				return True
		for job in self.jobs:
			if job.state == "waits" and not job.starts and 0 <= job.leaves <= self.now:
				self.cancel(job)
				job.state = "gone"
				self.tell("gave-up", job)
				return True
		for job in self.jobs:
			if job.state == "away" and job.returns <= self.now:
				self.submit(job)
				self.tell("returned", job)
				return True
		return False

	def arrive(self):
		for job in self.jobs:
			if job.state == "to come" and job.arrives <= self.now:
				self.submit(job)
				self.tell("arrived", job)

	# -- cycles --

	def image(self):
		"""All that the next cycle will decide by, but time."""
		self.engine.cycle += 1
		image = []
		for q in self.engine.nodes():
			if q.kind == "ClusterQueue":
				image.append((q.name, sorted(w.key for w in q.heap),
					      sorted(w.key for w in q.inadmissible), q.sticky))
		for w in self.engine.workloads:
			at = self.engine.scan_start(w) if w.queue else None
			at = {k: p for k, p in (at or {}).items() if p != -1}
			image.append((w.holder, w.evicted, sorted(at.items()) if w in (w.queue.heap if w.queue else ())
				      else None))
		self.engine.cycle -= 1
		return image

	def cycle(self):
		engine = self.engine
		engine.now = Moment(self.now)
		before = self.image()
		self.idle += 1
		heads, admitted, preempted, _ = engine.run_cycle()
		for w, a in admitted:
			w.holder, w.usage, w.reserved_at = w.queue, dict(a.usage), Moment(self.now)
			w.queue.generation += 1
			job = self.of[w]
			job.since = self.now + (self.how["restart"] if job.starts else 0)
			job.running = sum(a.counts)
			job.starts, job.state = job.starts + 1, "runs"
			self.tell("started", job)
		for v, _, _ in preempted:
			v.evicted = True
			job = self.of[v]
			job.state, job.goes = "goes", self.now + self.how["grace"]
			self.tell("evicted", job)
		if any(w in w.queue.inadmissible for w in heads):
			self.idle = 0
		self.last, self.due = self.now, self.image() != before
		if self.idle > 2 * self.most_flavors + 16:      # all have seen all flavors
			self.due = False

	def next_time(self):
		times = []
		for job in self.jobs:
			if job.state == "to come":
				times.append(job.arrives)
			if job.state in ("runs", "goes") and job.ends() is not None:
				times.append(job.ends())
			if job.state == "goes":
				times.append(job.goes)
			if job.state == "away":
				times.append(job.returns)
			if job.state == "waits" and not job.starts and job.leaves >= 0:
				times.append(job.leaves)
		if self.due:
			times.append(self.soonest())
		return max(self.now, min(times)) if times else None

	def soonest(self):
		return self.now if self.last is None else max(self.now, self.last + self.how["interval"])

	def run(self, most):
		while len(self.events) < most:
			when = self.next_time()
			if when is None or all(j.state in ("finished", "gone") for j in self.jobs):
				break
			self.now = when
			while self.happen():
				pass
			self.arrive()   # who comes is in the cycle of the same moment, however short its patience
			if self.due and self.soonest() <= self.now:
				self.cycle()
		return self.events


# -- cases --------------------------------------------------------------------

def make(run, seed):
	"""A random case of the oracle's, whose workloads come over time; None: not of a kind meant here."""
	maker = run.Maker(seed)
	if maker.by_usage or maker.policy or maker.states or maker.gaps or maker.n_workloads > 40:
		return None
	case = maker.make()
	rng = random.Random(f"simulation {seed}")
	start = int(parse_time(case["config"]["now"]).timestamp()) * SECOND
	step = rng.choice((MS, 100 * MS, SECOND))
	case["simulation"] = {
		"start": start, "grace": rng.choice((0, 1, 7, 50)) * step,
		"checkpoint": rng.choice((-1, -1, 0, 3 * step, 20 * step)),
		"restart": rng.choice((0, 0, 2 * step)), "base": rng.choice((0, 0, 5 * step)),
		"max": 40 * step, "interval": rng.choice((100 * MS, step))}
	case["lives"] = {}
	for o in case["objects"]:
		if o["kind"] != "Workload":
			continue
		o.pop("status", None)
		arrives = start + rng.randrange(200) * step
		case["lives"][o["metadata"]["name"]] = (
			arrives, rng.randint(1, 60) * step + rng.randrange(2) * rng.randrange(MS),
			arrives + rng.randrange(100) * step if rng.randrange(8) == 0 else -1)
	return case


def write(case, name):
	config = {"apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration"}
	if "fairSharing" in case["config"]:
		config["fairSharing"] = case["config"]["fairSharing"]
	with open(name, "w", encoding="utf-8") as f:
		print(*(case["simulation"][k] for k in SETTINGS), file=f)
		for job, life in case["lives"].items():
			print(job, *life, file=f)
		for o in [config] + case["objects"]:
			print("---", json.dumps(o), sep="\n", file=f)


def moments(events):
	"""Of one moment in any order: it is left open there between queues."""
	return sorted(events, key=lambda e: (e[0], e[1], e[2]))


def difference(case, events, ended):
	want, got = moments(Simulation(case).run(len(events) + 50)), moments(events)
	if ended == "3":  # in a circle: as far as it was gone
		last = got[-1][0] if got else 0
		want, got = [e for e in want if e[0] < last], [e for e in got if e[0] < last]
	for a, b in zip(want, got):
		if a != b:
			return f"oracle {a}, engine {b}"
	return None if len(want) == len(got) else f"{len(want)} events, and {len(got)} of the engine"


def parse(text):
	"""File -> (events, how it ended)."""
	out, name = {}, None
	for line in text.splitlines():
		words = line.split()
		if len(words) == 1:
			name, events = line, []
		elif words[0] == "ended":
			out[name] = (events, words[1])
		else:
			events.append((int(words[0]), words[1], words[2]))
	return out


def main(argv):
	p = argparse.ArgumentParser(prog="simulation.py", description=__doc__.split("\n\n", maxsplit=1)[0])
	p.add_argument("program", help="tests/oracle/simulate of the build")
	p.add_argument("--seed", type=int, default=1)
	p.add_argument("--count", type=int, default=200, help="so many seeds are tried")
	args = p.parse_args(argv)
	run, bad, events = load("run"), 0, 0
	cases = {seed: make(run, seed) for seed in range(args.seed, args.seed + args.count)}
	cases = {seed: case for seed, case in cases.items() if case is not None}
	with tempfile.TemporaryDirectory() as folder:
		names = {seed: os.path.join(folder, str(seed)) for seed in cases}
		for seed, case in cases.items():
			write(case, names[seed])
		done = subprocess.run([args.program, *names.values()], stdout=subprocess.PIPE, check=True)
	out = parse(done.stdout.decode("utf-8"))
	for seed, case in cases.items():
		got, ended = out[names[seed]]
		events += len(got)
		text = difference(case, got, ended)
		if text is not None:
			bad += 1
			print(f"seed {seed}: {text}", flush=True)
	print(f"{len(cases)} simulations, {events} events, {bad} differ")
	return 1 if bad or not events else 0


if __name__ == "__main__":
	sys.exit(main(sys.argv[1:]))
