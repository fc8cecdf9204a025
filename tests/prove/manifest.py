#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A configuration of the catalogue as Kubernetes objects.

    manifest.py [--settles] < line.json > case.yaml

The input is one line of `catalogue --out`, or an object with a "config" of a result file.
"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "prop"))
from world import COHORT, FINAL, INITIAL, QUEUE, Case, Job, Node, Quota  # noqa: E402

STRATEGIES = {"final": (FINAL,), "initial": (INITIAL,), "final+initial": (FINAL, INITIAL), "classical": None}


def quota_of(node):
	return tuple(Quota(n, None if b < 0 else b, None if lend < 0 else lend) for n, b, lend in node["quota"])


def node_of(kind, number, node):
	quota = quota_of(node)
	if kind == COHORT and not any(q.nominal for q in quota):
		quota = ()
	extra = {"within": node["within"], "reclaim": node["reclaim"]} if kind == QUEUE else {}
	return Node(f"{'q' if kind == QUEUE else 'c'}{number}", kind,
		    None if node["parent"] < 0 else f"c{node['parent']}", str(node["weight"]), quota, **extra)


def case_of(config):
	cohorts = [node_of(COHORT, i, n) for i, n in enumerate(config["cohorts"])]
	queues = [node_of(QUEUE, i, n) for i, n in enumerate(config["queues"])]
	if config["strict"]:
		queues = [Node(**{**q.__dict__, "strict": True}) for q in queues]
	jobs = [Job(f"w{i}", f"q{j['queue']}", tuple(j["ask"]), j["priority"], count=j["count"],
		    least=None if j["least"] < 0 else j["least"]) for i, j in enumerate(config["jobs"])]
	return Case(tuple(cohorts + queues), tuple(jobs), config["resources"], config["flavors"],
		    STRATEGIES[config["strategies"]], {"holdFreedQuota": True} if config["hold"] else {})


if __name__ == "__main__":
	found = json.loads(sys.stdin.read())
	print("# SPDX-License-Identifier: Apache-2.0")
	print(case_of(found.get("config", found)).manifest(), end="")
