#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""entitle_check - how far the oracle agrees with what was recorded

Computes each case of the named files from its input, compares with its
`expected`, prints a line per suite; exits 1 if anything differs.
"""
import argparse
import collections
import datetime
import gzip
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

import entitle  # noqa: E402
import entitle_rules as rules  # noqa: E402


def shares(queues):
	return {name: dict(q.fair_share) for name, q in queues.items()}


def division(case):
	queues = entitle.make_tree(case["queues"])
	entitle.roll_up_requests(queues)
	entitle.divide_all(queues, case["total"], case["k"], case.get("bounded", False))
	return {"fairShare": shares(queues), "request": {n: q.request for n, q in queues.items()}}


def timeaware(case):
	if case["kind"] == "usage":
		capacity = case["capacity"]
		if isinstance(capacity, dict):
			capacity = [capacity] * len(case["allocations"])
		return {"usage": rules.usage_of_samples(case["allocations"], capacity,
							case["windowSeconds"], case["halfLifeSeconds"])}
	now = datetime.datetime.fromisoformat(case["now"].replace("Z", "+00:00"))
	if case["kind"] == "cronReset":
		start = rules.cron_start(case["cron"], now)
	else:
		start = rules.tumbling_start(
			datetime.datetime.fromisoformat(case["start"].replace("Z", "+00:00")),
			datetime.timedelta(seconds=case["windowSeconds"]), now)
	return {"windowStart": start.strftime("%Y-%m-%dT%H:%M:%SZ")}


def reclaim(case):
	queues = entitle.make_tree(case["queues"])
	who = case["reclaimer"]
	leaf, request = queues[who["queue"]], entitle.bundle(who["request"])
	victims = [(queues[v["queue"]], [entitle.bundle(x) for x in v["resources"]])
		   for v in case["reclaimees"]]
	strategies = []
	for victim, _ in victims:
		mine, other = rules.levelled(leaf, victim)
		fair = rules.over_fair_share(other, other.allocated)
		quota = rules.below_deserved(mine, request, other, other.allocated)
		strategies.append({"reclaimee": victim.name, "leveledReclaimer": mine.name,
				   "leveledReclaimee": other.name, "maintainFairShare": fair,
				   "guaranteeDeservedQuota": quota, "fits": fair or quota})
	multiplier = case["reclaimerUtilizationMultiplier"]
	return {"canReclaimResources": rules.can_reclaim(leaf, who["preemptible"], request),
		"reclaimable": rules.reclaimable(queues, leaf, who["preemptible"], request, victims, multiplier,
						 case.get("keepBelowQuota", False),
						 case.get("protectQuota", False)),
		"strategies": strategies}


def order(case):
	# Siblings, whose parent is not given; pairs in name order.
	queues = {q["name"]: entitle.Queue(q) for q in sorted(case["queues"], key=lambda q: q["name"])}
	none = entitle.bundle()
	sums = {name: entitle.total_of(entitle.bundle(v) for v in jobs) for name, jobs in case["jobs"].items()}
	total = entitle.bundle(case["total"])
	result = []
	for l in queues:
		for r in queues:
			pair = (sums.get(l, none), sums.get(r, none))
			job, victims = (pair, (none, none)) if case["kind"] == "pending" else ((none, none), pair)
			if l != r:
				result.append([l, r, rules.compare_queues(queues[l], queues[r], *job, *victims, total)])
	return {"compare": result}


def capacity(case):
	queues = entitle.make_tree(case["queues"])
	job = case["job"]
	answers = rules.capacity_answer(queues[job["queue"]], job["preemptible"],
					[entitle.bundle(t) for t in job["tasks"]])
	names = ("isJobOverQueueCapacity", "isNonPreemptibleJobOverQuota")
	return {name: {"schedulable": a is None, **({"reason": a[0], "queue": a[1]} if a else {})}
		for name, a in zip(names, answers)}


def minruntime(case):
	queues = entitle.make_tree(case["queues"])
	pending, victim = queues[case["pendingQueue"]], queues[case["victimQueue"]]
	return {"preemptMinRuntimeSeconds":
		rules.preempt_min_runtime(victim, case["defaultPreemptMinRuntimeSeconds"]),
		"reclaimMinRuntimeSeconds":
		rules.reclaim_min_runtime(pending, victim, case["defaultReclaimMinRuntimeSeconds"],
					  case["reclaimResolveMethod"])}


def cluster(case):
	import entitle_cycle
	return entitle_cycle.run_case(case)


def timeseries(series, bend=None, reverse=False):
	import entitle_cycle
	rows = entitle_cycle.run_series(series, bend, reverse)
	return {"rows": [[t, n, round(a, 6), round(f, 6)] for t, n, a, f in rows]}


SUITES = {"division": division, "timeaware": timeaware, "reclaim": reclaim, "reclaim_saturation": reclaim,
	  "order": order, "capacity": capacity, "minruntime": minruntime, "cluster": cluster,
	  "cluster_fragment": cluster, "timeseries": timeseries}


def differences(want, got, where=""):
	"""The places where two outcomes differ; numbers to a relative 1e-6, messages not at all."""
	if isinstance(want, bool) or isinstance(got, bool) or want is None or isinstance(want, str):
		return [] if want == got else [f"{where}: expected {want!r}, got {got!r}"]
	if isinstance(want, (int, float)) and isinstance(got, (int, float)):
		if abs(want - got) <= 1e-6 * max(abs(want), abs(got), 1e-9):
			return []
		return [f"{where}: expected {want}, got {got}"]
	if isinstance(want, list) and isinstance(got, list) and len(want) == len(got):
		return [d for i, pair in enumerate(zip(want, got)) for d in differences(*pair, f"{where}[{i}]")]
	if isinstance(want, dict) and isinstance(got, dict):
		keys = [k for k in {**want, **got} if k != "message"]
		return [d for k in keys for d in differences(want.get(k), got.get(k), f"{where}.{k}")]
	return [f"{where}: expected {want!r}, got {got!r}"]


def read(path):
	opener = gzip.open if path.endswith(".gz") else open
	with opener(path, "rt") as lines:
		return [json.loads(line) for line in lines if line.strip()]


def main():
	parser = argparse.ArgumentParser(description=__doc__)
	parser.add_argument("--failures", type=int, default=3, help="how many to print per suite")
	parser.add_argument("--every", type=int, default=1, metavar="N", help="every Nth case of a file, from the first on")
	parser.add_argument("--only", help="the id of one case")
	parser.add_argument("files", nargs="+")
	args = parser.parse_args()
	bad = False
	for path in args.files:
		agree, of, by_class = 0, 0, collections.Counter()
		for case in read(path)[::args.every]:
			if args.only and case["id"] != args.only:
				continue
			of += 1
			try:
				got = SUITES[case["suite"]](case)
				# Some recorded clusters have no order of the first state.
				for order in ("pendingPopOrder", "victimPopOrder"):
					if order in got:
						case["expected"].setdefault(order, got[order])
				found = differences(case["expected"], got)
			except Exception as error:  # a broken rule must not hide the other cases
				if args.only:
					raise
				found = [f"{type(error).__name__}: {error}"]
			agree += not found
			if found:
				by_class[case.get("class")] += 1
				if sum(by_class.values()) <= args.failures:
					print(f"  {case['id']}: {found[0][:600]}  ({len(found)})")
		print(f"{os.path.basename(path)}: {agree} of {of} agree", dict(by_class) if by_class else "")
		bad |= agree != of
	sys.exit(bad)


if __name__ == "__main__":
	main()
