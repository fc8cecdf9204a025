#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of tables.md that are of Kueue's rules, from results.

    table.py [FOLDER] [--write]      --write puts them into the page, between its marks
"""
import glob
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(HERE, "tables.md")
FAMILIES = ("flat", "two-queues", "lower", "never", "within", "tree", "tree-quota", "tree-plain", "tree-within",
	    "two-resources", "gangs", "sampled")
STRATEGIES = ("classical", "final", "initial", "final+initial")
MODES = ("prompt", "as-is", "hold", "settles")


def load(folder):
	found = {}
	for name in glob.glob(os.path.join(folder, "*.json")):
		with open(name, encoding="utf-8") as f:
			r = json.load(f)
		# a whole run before a part of it
		if found.get((r.get("family"), r.get("mode")), {"every": 2 ** 60})["every"] < r.get("every", 1):
			continue
		if "mode" in r and "strategies" in r and r["family"] in FAMILIES:
			found[r["family"], r["mode"]] = r
	return found


def number(n):
	return f"{n:,}"


def bounds(found):
	yield "| family | levels | queues | workloads | resources | nominal | request | cohort quota | root quota |" \
	      " weight | priorities | within | reclaim | pods |"
	yield "|---|" + "---:|" * 10 + "---|---|---|"
	for family in FAMILIES:
		b = next((found[family, m].get("bounds") for m in MODES if (family, m) in found), None)
		if b:
			yield (f"| {family} | {b['levels']} | 2–{b['queues']} | 2–{b['workloads']} | {b['resources']} |"
			       f" 0–{b['nominal']} | {1 if b['resources'] == 1 else 0}–{b['request']} |"
			       f" {'0–%d' % b['cohortQuota'] if b['levels'] > 1 else '–'} | 0–{b['rootQuota']} |"
			       f" {'1' if b['weight'] == 1 else '0–%d' % b['weight']} | {b['priorities']} |"
			       f" {b['withinClusterQueue']} | {b['reclaimWithinCohort']} |"
			       f" {'of 1, minCount' if b.get('gangs') else 'one'} |")


def sizes(found):
	yield "| family | configurations | up to names | all fits | somebody never starts | as a smaller one | explored |"
	yield "|---|" + "---:|" * 6
	for family in FAMILIES:
		r = next((found[family, m] for m in MODES if (family, m) in found), None)
		if r and "bounds" in r:  # the same in every mode
			yield "| " + " | ".join([family] + [number(r[k]) for k in (
				"configurations", "orbits", "fits", "never", "alike", "looked")]) + " |"


def cell(found, family, mode, strategies, what):
	r = found.get((family, mode))
	of = r and r["strategies"].get(strategies)
	if not of:
		return "·"
	return " / ".join(number(of[w]) for w in what) + part_of(r)


def part_of(r):
	"""Of a run that looked at a part only."""
	return "" if r["every"] == 1 else f" (every {r['every']}th)"


def loops(found):
	yield "| family | strategies | explored | rules alone: possible / forced | any order: possible / forced |" \
	      " the scheduler's own order | held: possible / forced | settles: any |"
	yield "|---|---|" + "---:|" * 6
	for family in FAMILIES:
		for s in STRATEGIES:
			r = next((found[family, m]["strategies"][s] for m in MODES
				  if s in found.get((family, m), {"strategies": {}})["strategies"]), None)
			if not r:
				continue
			both = ("possible", "forced")
			settles = found.get((family, "settles"), {}).get("strategies", {}).get(s)
			any_left = "·" if not settles else number(settles["possible"] + settles["forced"])
			any_left += part_of(found[family, "settles"]) if settles else ""
			yield (f"| {family} | {s} | {number(r['explored'])} | {cell(found, family, 'prompt', s, both)} |"
			       f" {cell(found, family, 'as-is', s, both)} |"
			       f" {cell(found, family, 'as-is', s, ('scheduler',))} |"
			       f" {cell(found, family, 'hold', s, both)} | {any_left} |")


TABLES = {"bounds": bounds, "sizes": sizes, "loops": loops}


def main():
	folder = next((a for a in sys.argv[1:] if a != "--write"), os.path.join(HERE, "results"))
	found = load(folder)
	texts = {name: "\n".join(table(found)) for name, table in TABLES.items()}
	if "--write" not in sys.argv:
		print("\n\n".join(texts.values()))
		return
	with open(PAGE, encoding="utf-8") as f:
		page = f.read()
	for name, text in texts.items():
		page = re.sub(f"(<!-- {name} -->\n).*?(<!-- end -->)", lambda m, t=text: f"{m[1]}{t}\n{m[2]}", page,
			      flags=re.S)
	with open(PAGE, "w", encoding="utf-8") as f:
		f.write(page)


if __name__ == "__main__":
	main()
