#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The smallest loop of each kind among results, as files.

    smallest.py PROVE-CASES RESULT.json... [--to FOLDER]

Loops are of one kind when they are both forced or both only possible, the same rules take somebody's quota on
the shortest round, and they have a tree of one level or of more, and one resource or two; of those only
possible that with the fewest levels and resources is kept.  Results
of `--mode prompt` count: otherwise almost everything goes round in the same way, as the one
who was preempted may be back before the one it was for.  The smallest one of the results is made
smaller as long as it stays of its kind (tests/prop/shrink.py says how); fewer workloads come first, then
fewer queues, then smaller quotas.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "prop"))
sys.path.insert(0, HERE)
from manifest import case_of  # noqa: E402
from shrink import smaller  # noqa: E402
from world import COHORT  # noqa: E402


def size(case):
	odd = sum(n.weight != "1" for n in case.nodes) + sum(j.priority != 0 or j.count > 1 for j in case.jobs)
	odd += sum((q.borrow is not None) + (q.lend is not None) for n in case.nodes for q in n.quota)
	return (len(case.jobs), len(case.queues), sum(q.nominal for n in case.nodes for q in n.quota),
		sum(sum(j.ask) * j.count for j in case.jobs), len(case.nodes), odd)


def is_tree(case):
	return sum(n.kind == COHORT for n in case.nodes) > 1


class Judge:
	"""What the engine says of a case, as `prove-cases --print` has it."""

	def __init__(self, program):
		self.program, self.file = program, tempfile.mkstemp(suffix=".yaml")[1]

	def kind(self, case):
		with open(self.file, "w", encoding="utf-8") as f:
			f.write(case.manifest())
		run = subprocess.run([self.program, "--print", self.file], stdout=subprocess.PIPE,
				     stderr=subprocess.DEVNULL, check=False, text=True)
		if not run.stdout:
			return None
		said = run.stdout.split(";")[2].split()
		if said[0] == "none" or "incomplete" in said:
			return None
		rules = [w for w in said[1:] if w != "always" and not w.isdigit()]
		return said[0], tuple(rules), is_tree(case), case.n_resources


def shrink(judge, case, kind):
	better = True
	while better:
		better = False
		for less in smaller(case):
			if size(less) < size(case) and judge.kind(less) == kind:
				case, better = less, True
				break
	return case


def main():
	parser = argparse.ArgumentParser()
	parser.add_argument("program")
	parser.add_argument("results", nargs="+")
	parser.add_argument("--to", default=os.path.join(HERE, "cases"))
	options = parser.parse_args()
	judge, found = Judge(options.program), {}
	for name in options.results:
		with open(name, encoding="utf-8") as f:
			result = json.load(f)
		for k in result["kinds"] if result["mode"] == "prompt" else []:
			case = case_of(k["config"])
			kind = judge.kind(case)
			if kind and (kind not in found or size(case) < size(found[kind])):
				found[kind] = case
	plainest = {}
	for loop, *rest in sorted(found):
		plainest.setdefault((loop, rest[0]), (loop, *rest))
	for kind in sorted(found):
		if kind[0] == "possible" and plainest[kind[:2]] != kind:
			continue
		case = shrink(judge, found[kind], kind)
		loop, rules, tree, resources = kind
		words = [loop, *(r.lower() for r in rules), *(["tree"] if tree else []),
			 *(["two-resources"] if resources > 1 else [])]
		print("-".join(words), size(case), case.fair)
		with open(os.path.join(options.to, "-".join(words) + ".yaml"), "w", encoding="utf-8") as f:
			f.write(f"# SPDX-License-Identifier: Apache-2.0\n# The smallest loop found of its kind: {loop}, by "
				f"{', '.join(rules)}.\n")
			f.write(case.manifest())


if __name__ == "__main__":
	main()
