# SPDX-License-Identifier: Apache-2.0
"""The tutorials of examples/tutorials: what each folder's manifests give, reckoned by hand.

Each folder has the manifests and a README.md that tells the story; tutorials/NAME.json, here, has the
cycles of `plan --settle` with all that is admitted and preempted, what waits and what is
said of it, the shares or fair shares at the end, and words of `explain`.  These numbers
were not copied from an answer: the README has the reckoning.  The names of Workloads that
are made of jobs end with five digits of a hash there, which are left out here.
"""
import glob
import importlib.util
import json
import os
import re
import subprocess

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.environ.get("FAIRLEAD_SOURCE", os.path.join(HERE, "..", ".."))
FAIRLEAD = os.path.join(os.environ.get("FAIRLEAD_BUILD", os.path.join(ROOT, "build")), "fairlead")
TUTORIALS = os.path.join(ROOT, "examples", "tutorials")
NAMES = sorted(os.path.basename(os.path.dirname(p)) for p in glob.glob(os.path.join(TUTORIALS, "*", "README.md")))
RESOURCES = {"gpu": "nvidia.com/gpu"}


def load_excerpts():
	spec = importlib.util.spec_from_file_location("excerpts", os.path.join(HERE, "excerpts.py"))
	module = importlib.util.module_from_spec(spec)
	spec.loader.exec_module(module)
	return module


def run(verb, name, *more):
	done = subprocess.run([FAIRLEAD, verb, "-f", os.path.join(TUTORIALS, name), *more], capture_output=True,
			      text=True, check=False, env={**os.environ, "LC_ALL": "C.UTF-8"})
	assert done.returncode == 0, done.stderr
	return done


def plain(name):
	"""Without the digits of the hash."""
	return re.sub(r"(/(?:\w+)-[\w-]+)-[0-9a-f]{5}$", r"\1", name)


@pytest.fixture(params=NAMES)
def tutorial(request):
	with open(os.path.join(HERE, "tutorials", request.param + ".json"), encoding="utf-8") as f:
		return request.param, json.load(f)


def pod_sets(expected, got):
	"""[count, flavor] of each set: by name, or in a list where names are hashes."""
	rows = {s["name"]: [s["count"], *sorted(set(s["flavors"].values()))] for s in got}
	assert (sorted(rows.values()) if isinstance(expected, list) else rows) == expected


def same_borrow_cycle(expected, got):
	admitted = {plain(a["workload"]): a["podSets"] for a in got["admitted"]}
	assert sorted(admitted) == sorted(expected.get("admitted", {}))
	for name, sets in admitted.items():
		pod_sets(expected["admitted"][name], sets)
	assert {plain(p["workload"]): [plain(p["preemptor"]), p["reason"]] for p in got["preempted"]} \
		== expected.get("preempted", {})


def same_entitle_cycle(expected, got):
	assert {a["workload"]: list(a["machines"]) for a in got["allocated"]} \
		== {w: [m] for w, m in expected.get("allocated", {}).items()}
	assert {e["workload"]: [e["reclaimer"], e["reason"]] for e in got["evicted"]} == expected.get("evicted", {})
	assert [r["workload"] for r in got.get("reserved", [])] == expected.get("reserved", [])


def test_there_are_tutorials():
	assert len(NAMES) >= 12


def test_check_has_nothing_to_say(tutorial):
	name, _ = tutorial
	answer = json.loads(run("check", name, "--strict", "-o", "json").stdout)
	assert answer["errors"] == [] and answer["warnings"] == []


def test_the_plan_is_the_one_that_the_rules_give(tutorial):
	name, expected = tutorial
	plan = json.loads(run("plan", name, "--settle", "-o", "json").stdout)
	assert plan["settled"] is True
	assert len(plan["cycles"]) == len(expected["cycles"])
	same = same_borrow_cycle if plan["policy"] == "borrow" else same_entitle_cycle
	for cycle, got in zip(expected["cycles"], plan["cycles"]):
		same(cycle, got)
	assert sorted(plain(p["workload"]) for p in plan["cycles"][-1]["pending"]) == sorted(expected["waits"])


def test_why_they_wait(tutorial):
	"""Said of the first of each queue."""
	name, expected = tutorial
	rows = run("plan", name, "--settle").stdout.split(" wait", 1)[1].split("\n\n")[0].splitlines()[2:]
	for workload, words in expected["waits"].items():
		if words:
			assert any(plain(r.split()[2]) == workload and words in r for r in rows), (workload, rows)


def test_shares_at_the_end(tutorial):
	name, expected = tutorial
	last = json.loads(run("plan", name, "--settle", "-o", "json").stdout)["cycles"][-1]
	for queue, share in expected.get("shares", {}).items():
		assert float(last["shares"]["clusterQueues"][queue]["precise"]) == pytest.approx(share, abs=1e-9)
	for queue, share in expected.get("fairShare", {}).items():
		assert last["fairShare"][queue]["gpu"] == pytest.approx(share, abs=1e-9)


def test_tree(tutorial):
	"""[nominal quota, available] of each queue, of its first flavor; of KAI's queues the fair shares."""
	name, expected = tutorial
	nodes = {n["name"]: n for n in json.loads(run("tree", name, "-o", "json").stdout)["nodes"]
		 if n["kind"] != "Cohort"}
	for queue, resources in expected.get("tree", {}).items():
		for resource, numbers in resources.items():
			row = next(q for q in nodes[queue]["quota"] if q["resource"] == RESOURCES.get(resource, resource))
			assert [row["nominal"], row["available"]] == numbers, (queue, resource)
	for queue, share in expected.get("fairShare", {}).items():
		row = next(r for r in nodes[queue]["resources"] if r["resource"] == "gpu")
		assert row["fairShare"] == pytest.approx(share, abs=1e-9)


def name_to_ask(name, expected):
	"""Of a Job namespace/job/name; else the name of its Workload, with the digits."""
	asked = expected["explain"]["workload"]
	if "/job/" in asked:
		return asked
	plan = json.loads(run("plan", name, "-o", "json").stdout)
	return next(p["workload"] for p in plan["cycles"][0]["pending"] if plain(p["workload"]) == asked)


def test_explain_of_one_that_waits(tutorial):
	name, expected = tutorial
	said = run("explain", name, name_to_ask(name, expected)).stdout
	assert " waits" in said.split("\n")[0]
	for words in expected["explain"]["says"]:
		assert words in said, words


def test_readme_shows_what_the_command_prints(tutorial):
	name, expected = tutorial
	excerpts = load_excerpts()
	page = os.path.join(TUTORIALS, name, "README.md")
	# after a change of wording: tests/stories/excerpts.py --write examples/tutorials/*/README.md
	with open(page, encoding="utf-8") as f:
		commands = [command for command, _ in excerpts.BLOCK.findall(f.read())]
	assert f"plan --settle -f examples/tutorials/{name}" in commands
	assert f"explain -f examples/tutorials/{name} {name_to_ask(name, expected)}" in commands
	assert excerpts.stale(page) == []


def test_the_guide_leads_to_each():
	with open(os.path.join(ROOT, "doc", "guide", "README.md"), encoding="utf-8") as f:
		linked = re.findall(r"\(\.\./\.\./examples/tutorials/([\w-]+)/README\.md\)", f.read())
	assert sorted(linked) == NAMES
