# SPDX-License-Identifier: Apache-2.0
"""What the stories with time come to, asserted from `fairlead simulate`.

The scenarios are those of examples/over-time; doc/guide/stories-over-time.md tells them.  Beside
each claim stands a run in which it must not hold: without fair sharing, with k 0, or without a budget.
"""
import csv
import importlib.util
import json
import os
import shutil
import subprocess

import pytest

ROOT = os.environ.get("FAIRLEAD_SOURCE", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
FAIRLEAD = os.path.join(os.environ.get("FAIRLEAD_BUILD", os.path.join(ROOT, "build")), "fairlead")
EXAMPLES = os.path.join(ROOT, "examples", "over-time")
TURNS = os.path.join(ROOT, "examples", "modes", "turns-policy.yaml")
HOUR, DAY = 3600, 86400
GPU = "nvidia.com/gpu"


class Run:
	"""A simulation of examples/over-time, with some texts in its files replaced by others."""

	def __init__(self, folder, files, replace=None, until=None):
		self.out = str(folder / "out")
		copies = str(folder / "in")
		shutil.copytree(EXAMPLES, copies)
		for name, pairs in (replace or {}).items():
			path = os.path.join(copies, name)
			with open(path, encoding="utf-8") as f:
				text = f.read()
			for old, new in pairs:
				assert old in text, (name, old)
				text = text.replace(old, new)
			with open(path, "w", encoding="utf-8") as f:
				f.write(text)
		arguments = [FAIRLEAD, "simulate", "--out", self.out, "-o", "json"]
		arguments += ["--until", until] if until else []
		arguments += [a for f in files for a in ("-f", os.path.join(copies, f))]
		done = subprocess.run(arguments, capture_output=True, text=True, check=False)
		assert done.returncode == 0, done.stderr
		self.summary = json.loads(done.stdout)
		self.nodes = {n["name"]: n for n in self.summary["nodes"]}

	def events(self, kind):
		with open(os.path.join(self.out, "events.jsonl"), encoding="utf-8") as f:
			return [e for e in map(json.loads, f) if e["kind"] == kind]

	def jobs(self):
		with open(os.path.join(self.out, "jobs.csv"), encoding="utf-8", newline="") as f:
			return list(csv.DictReader(f))

	def series(self, queue, resource=GPU):
		"""[(time, held, wanted)], means over steps of the same length."""
		with open(os.path.join(self.out, "series.csv"), encoding="utf-8", newline="") as f:
			return [(float(r["time"]), float(r[resource + " held"]), float(r[resource + " wanted"]))
				for r in csv.DictReader(f) if r["queue"] == queue]

	def held(self, queue, begin, end, beyond=0):
		"""Mean of the GPUs beyond so many, in this part of time."""
		found = [max(held - beyond, 0) for at, held, _ in self.series(queue) if begin <= at < end]
		return sum(found) / len(found)

	def parts(self, queues):
		total = self.summary["resources"]
		capacity = next(r["capacity"] for r in total if r["name"] == GPU) * self.summary["seconds"] / HOUR
		return {q: self.nodes[q]["hours"].get(GPU, 0) / capacity for q in queues}


# --- KEP-1714, story 1: two coasts ---

def borrowed(run):
	"""(east, west) beyond their own, of each step in which both want more than they have."""
	east, west = run.series("team-e", "cpu"), run.series("team-w", "cpu")
	return [(e[1] - 40, w[1] - 20) for e, w in zip(east, west) if e[2] > e[1] + 20 and w[2] > w[1] + 20]


def test_two_coasts_share_the_pool_equally(tmp_path):
	run = Run(tmp_path, ["two-coasts.yaml"])
	both = borrowed(run)
	assert len(both) >= 100
	assert max(abs(e - w) for e, w in both) < 1  # of 200
	# alone in the morning the east has nearly all it wants
	assert max(held for _, held, _ in run.series("team-e", "cpu")) > 40 + 150
	assert all(float(j["waited"]) <= 60 for j in run.jobs() if j["class"] == "urgent-e")


def test_two_coasts_do_not_without_fair_sharing(tmp_path):
	both = borrowed(Run(tmp_path, ["two-coasts.yaml"], {"two-coasts.yaml": [
		("fairSharing: {preemptionStrategies: [LessThanOrEqualToFinalShare, LessThanInitialShare]}", "")]}))
	assert sum(abs(e - w) for e, w in both) / len(both) > 20


# --- time-aware fairness, story 1: in turn ---

USERS = {"two": ["blue", "red"], "three": ["blue", "green", "red"], "five": ["amber", "blue", "green", "red", "white"]}


@pytest.mark.parametrize("users", USERS)
def test_users_of_the_whole_cluster_take_turns(tmp_path, users):
	run = Run(tmp_path, [f"by-turns-{users}.yaml"])
	parts = run.parts(USERS[users])
	assert sum(parts.values()) > 0.98
	for user, part in parts.items():
		assert part == pytest.approx(1 / len(parts), abs=0.04), user
	assert run.summary["totals"]["evictions"] <= 3  # jobs end by themselves


@pytest.mark.parametrize("users", USERS)
def test_users_of_the_whole_cluster_get_the_same_with_turns(tmp_path, users):
	run = Run(tmp_path, [f"by-turns-{users}.yaml", TURNS])
	parts = run.parts(USERS[users])
	assert sum(parts.values()) > 0.97
	for user, part in parts.items():
		assert part == pytest.approx(1 / len(parts), abs=0.01), user


@pytest.mark.parametrize("users,starved", [("two", 0), ("three", 1), ("five", 2)])
def test_without_history_the_first_ones_have_it(tmp_path, users, starved):
	run = Run(tmp_path, [f"by-turns-{users}.yaml"], {"lab.yaml": [("kValue: 1", "kValue: 0")]})
	parts = run.parts(USERS[users])
	assert sum(part == 0 for part in parts.values()) == starved
	assert max(parts.values()) - min(parts.values()) > 0.3


LONG = [("runs: 1h", "runs: 365d"), ("every: 2h", "every: 30d")]


@pytest.mark.parametrize("policy,least", [([], 0), ([TURNS], 0.30)])
def test_jobs_that_do_not_end_need_turns(tmp_path, policy, least):
	run = Run(tmp_path, ["by-turns-three.yaml"] + policy, {"by-turns-three.yaml": LONG}, until="28d")
	parts = run.parts(USERS["three"])
	assert sum(parts.values()) > 0.97
	assert min(parts.values()) >= least and (max(parts.values()) < 0.4) == bool(policy)


# --- story 4: no over-usage ---

WITHIN = ["blue", "green", "red"]



def test_usage_within_a_share_is_penalised(tmp_path):
	"""Three queues that never hold more than their quarter, and one that was idle."""
	run = Run(tmp_path, ["within-share.yaml"])
	parts = run.parts(WITHIN + ["wide"])
	assert all(0.23 < parts[q] < 0.245 for q in WITHIN)  # of 0.25
	assert all(held <= 8 for q in WITHIN for _, held, _ in run.series(q))
	assert parts["wide"] == pytest.approx(8 * 12 * 12 / (32 * 28 * 24))  # all of its jobs
	assert max(float(j["waited"]) for j in run.jobs() if j["class"] == "wide-train") == 0


@pytest.mark.parametrize("free", [["../modes/free-within-policy.yaml"], []])
def test_usage_within_a_share_that_is_free_starves_the_larger_job(tmp_path, free):
	"""With the Policy, and just so without history."""
	files = ["within-share.yaml"] + [os.path.join(ROOT, "examples", "modes", os.path.basename(f)) for f in free]
	run = Run(tmp_path, files, None if free else {"lab.yaml": [("kValue: 1", "kValue: 0")]})
	parts = run.parts(WITHIN + ["wide"])
	assert all(parts[q] > 0.248 for q in WITHIN)
	assert parts["wide"] == pytest.approx(12 * 12 / (32 * 28 * 24))  # the first, in an empty cluster
	assert run.held("wide", 12 * HOUR, 28 * DAY) == 0
	assert run.held("lab", DAY, 28 * DAY) == pytest.approx(24, abs=0.1)  # 8 of 32 GPUs are idle


# --- story 2: a burst ---

def bursts(run):
	return [j for j in run.jobs() if j["class"] == "burst"]


def test_a_burst_gets_its_gpus(tmp_path):
	run = Run(tmp_path, ["burst.yaml"])
	found = bursts(run)
	assert len(found) == 4
	assert all(j["state"] == "finished" and j["evictions"] == "0" for j in found)
	assert max(float(j["waited"]) for j in found) < HOUR
	assert run.summary["totals"]["utilisation"][GPU] > 0.95
	# what the training teams had differs little
	hours = [run.nodes[q]["hours"][GPU] for q in ("blue", "green", "red")]
	assert max(hours) < 1.05 * min(hours)


def test_without_history_only_the_first_one_does(tmp_path):
	run = Run(tmp_path, ["burst.yaml"], {"burst.yaml": [("kValue: 2", "kValue: 0")]})
	assert [j["state"] for j in bursts(run)] == ["finished", "waiting", "waiting", "waiting"]


# --- story 3: what is guaranteed, and what is shared ---

def test_guaranteed_work_is_not_interrupted_and_training_shares_the_rest(tmp_path):
	run = Run(tmp_path, ["guaranteed.yaml"])
	evicted = [e["workload"] for e in run.events("evicted")]
	assert evicted and all("-train-" in w for w in evicted)
	for c in run.summary["classes"]:
		if c["name"].endswith("-inference"):
			assert c["jobs"] == 2 and c["wait"]["max"] == 0
		if c["name"].endswith("-notebook"):
			assert c["jobs"] > 40 and c["wait"]["p90"] <= 20 * 60
	# red has half of the weights, the others a quarter each; of 14 GPUs beyond what they deserve
	second = {q: run.held(q, 7 * DAY, 14 * DAY, beyond=6) for q in ("blue", "green", "red")}
	third = {q: run.held(q, 15 * DAY, 21 * DAY, beyond=6) for q in ("blue", "green", "red")}
	assert second["blue"] < 0.7 * second["green"]  # it had the first week
	assert third["blue"] == pytest.approx(third["green"], rel=0.1)
	assert third["red"] / sum(third.values()) == pytest.approx(0.5, abs=0.1)
	assert sum(third.values()) == pytest.approx(14, abs=0.5)


def test_notebooks_without_their_priority_wait_like_training(tmp_path):
	run = Run(tmp_path, ["guaranteed.yaml"], {"guaranteed.yaml": [
		("kValue: 1", "kValue: 0"), ("priority: 100", "priority: 50")]}, until="14d")
	assert all(c["wait"]["p90"] > 2 * HOUR for c in run.summary["classes"] if c["name"].endswith("-notebook"))
	# and without history nobody pays for a week alone
	assert run.held("blue", 8 * DAY, 14 * DAY, 6) > 0.9 * run.held("green", 8 * DAY, 14 * DAY, 6)


# --- story 5: budgets ---

TEAMS = {"red": 0.40, "green": 0.35, "blue": 0.25}
MONTH = 5760  # GPU-hours in 30 days


def months(run):
	"""[{team: GPU-hours}] of both months."""
	return [{q: run.held(q, m * 30 * DAY, (m + 1) * 30 * DAY) * 720 for q in TEAMS} for m in (0, 1)]


def test_budgets_are_kept_within_five_percent(tmp_path):
	run = Run(tmp_path, ["budgets.yaml", "budgets-kept.yaml"])
	for month in months(run):
		for team, part in TEAMS.items():
			assert month[team] == pytest.approx(part * MONTH, rel=0.05), month
	# who is interrupted has used its budget
	for e in run.events("evicted"):
		begin = e["at"] // (30 * DAY) * 30 * DAY
		used = run.held(e["queue"], begin, e["at"]) * (e["at"] - begin) / HOUR
		assert used == pytest.approx(TEAMS[e["queue"]] * MONTH, rel=0.02)


def test_budgets_are_not_kept_without(tmp_path):
	run = Run(tmp_path, ["budgets.yaml"])
	assert any(abs(month[team] - part * MONTH) > 0.05 * part * MONTH
		   for month in months(run) for team, part in TEAMS.items())


def test_too_large_budgets_in_proportion(tmp_path):
	run = Run(tmp_path, ["budgets.yaml", "budgets-twice.yaml"])
	for month in months(run):
		for team, part in TEAMS.items():
			assert month[team] / sum(month.values()) == pytest.approx(part, rel=0.05), month
	assert 0 < run.summary["totals"]["lostHours"][GPU] < 0.03 * 2 * MONTH


def test_too_large_budgets_without_interruption(tmp_path):
	run = Run(tmp_path, ["budgets.yaml", "budgets-first-come.yaml"])
	assert run.summary["totals"]["evictions"] == 0


def test_too_large_budgets_and_endless_jobs(tmp_path):
	endless = {"budgets.yaml": [("count: 40, runs: {uniform: [1d, 4d]}", "count: 1, runs: 365d")]}
	run = Run(tmp_path, ["budgets.yaml", "budgets-first-come.yaml"], endless, until="30d")
	first, second, third = sorted((run.held(q, 0, 30 * DAY) * 720 / (2 * MONTH * part) for q, part in TEAMS.items()), reverse=True)
	assert first == pytest.approx(1, abs=0.02) and 0.2 < second < 0.9 and third < 0.02


# --- what tune says, against what happens ---

DYNAMICS = """apiVersion: fairlead.dev/v1alpha1
kind: Simulation
metadata: {{name: dynamics}}
spec:
  start: "2026-01-05T00:00:00Z"
  until: {days}d
  queueTemplates:
{queues}
  classes:
  - {{name: a, to: a, count: 1, runs: 3650d, requests: {{nvidia.com/gpu: {gpus}}}}}
  - {{name: b, to: b, count: 1, runs: 3650d, requests: {{nvidia.com/gpu: {gpus}}}}}
  cycles: {{interval: 1m}}
  eviction: {{grace: 1s, checkpoint: always}}
---
apiVersion: kai.scheduler/v1
kind: SchedulingShard
metadata: {{name: default}}
spec:
  kValue: {k}
  usageDBConfig:
    clientType: prometheus
    usageParams: {{windowSize: {window}h, {half_life}}}
---
apiVersion: v1
kind: Node
metadata: {{name: gpu-1}}
status: {{allocatable: {{cpu: "64", memory: 256Gi, nvidia.com/gpu: "{gpus}"}}}}
---
apiVersion: fairlead.dev/v1alpha1
kind: UsageHistory
metadata: {{name: idle}}
spec:
  samples:
  - {{from: "2025-11-01T00:00:00Z", to: "2026-01-05T00:00:00Z", capacity: {{gpu: {gpus}}}, queues: {{}}}}
"""
QUEUE = ("  - {{match: {0}, queue: {{resources: {{cpu: {{quota: -1, overQuotaWeight: 1, limit: -1}}, memory: {{quota: -1, "
	 "overQuotaWeight: 1, limit: -1}}, gpu: {{quota: 0, overQuotaWeight: {1}, limit: -1}}}}}}}}")


def simulated_turns(folder, k, half_life, window, gpus, weights, days):
	path = folder / "dynamics.yaml"
	path.write_text(DYNAMICS.format(
		k=k, window=window, gpus=gpus, days=days, half_life=f"halfLifePeriod: {half_life}h" if half_life else "",
		queues="\n".join(QUEUE.format(q, w) for q, w in zip("ab", weights))), encoding="utf-8")
	done = subprocess.run([FAIRLEAD, "simulate", "-f", str(path), "--out", str(folder / "out")],
			      capture_output=True, text=True, check=False)
	assert done.returncode == 0, done.stderr
	with open(folder / "out" / "events.jsonl", encoding="utf-8") as f:
		starts = [e for e in map(json.loads, f) if e["kind"] == "started"]
	assert starts[0]["queue"] == "a"
	return [b["at"] - a["at"] for a, b in zip(starts, starts[1:])]


def told(k, half_life, window, gpus, weights):
	arguments = ["--k", str(k), "--window", f"{window}h", "--weights", ",".join(map(str, weights)), "--cluster", str(gpus),
		     "--half-life", f"{half_life}h" if half_life else "none", "-o", "json"]
	done = subprocess.run([FAIRLEAD, "tune"] + arguments, capture_output=True, text=True, check=False)
	assert done.returncode == 0, done.stderr
	return json.loads(done.stdout)


# the part by which a simulated turn may differ; short ones are longer by what the switch costs
@pytest.mark.parametrize("k,half_life,window,gpus,within", [
	(0.5, 0, 24, 8, 0), (0.9, 6, 24, 64, 0), (0.9, 6, 24, 8, 0.01), (1, 0, 24, 8, 0.01), (1, 6, 24, 64, 0.01),
	(2, 0, 24, 8, 0.01), (5, 0, 24, 64, 0.01), (1.5, 12, 24, 8, 0.01), (3, 6, 24, 8, 0.02), (2, 2, 24, 64, 0.03),
	(5, 2, 24, 64, 0.12), (1, 0, 48, 16, 0.01), (2, 24, 168, 8, 0.01),
])
def test_turns_of_two_are_as_tune_says(tmp_path, k, half_life, window, gpus, within):
	says = told(k, half_life, window, gpus, [1, 1])
	turns = simulated_turns(tmp_path, k, half_life, window, gpus, [1, 1], days=30 if window > 48 else 14)
	if says["turnOfTwoSeconds"] is None:
		assert within == 0 and turns == []
		return
	late = turns[len(turns) // 2:]
	assert max(late) - min(late) <= 120  # stable, to a cycle or two
	assert sum(late) / len(late) == pytest.approx(says["turnOfTwoSeconds"], rel=within, abs=120)


@pytest.mark.parametrize("weights,gpus", [([1, 1], 8), ([3, 1], 8), ([3, 1], 64), ([2, 1], 16), ([9, 1], 64)])
def test_a_holder_yields_from_the_k_that_tune_says(tmp_path, weights, gpus):
	says = told(1, 0, 24, gpus, weights)["weights"]
	least = next(w["yieldsFromK"] for w in says if w["weight"] == weights[0])
	for times, yields in ((0.98, False), (1.02, True)):
		folder = tmp_path / str(times)
		folder.mkdir()
		turns = simulated_turns(folder, round(least * times, 6), 0, 24, gpus, weights, days=3)
		assert bool(turns) == yields
		if yields:
			after = next(w for w in told(round(least * times, 6), 0, 24, gpus, weights)["weights"]
				     if w["weight"] == weights[0])["yieldsAfterSeconds"]
			assert turns[0] == pytest.approx(after, abs=180)


# --- the guide ---

def load_script(path):
	spec = importlib.util.spec_from_file_location("script", path)
	module = importlib.util.module_from_spec(spec)
	spec.loader.exec_module(module)
	return module


def test_guide_shows_what_the_command_prints():
	excerpts = load_script(os.path.join(os.path.dirname(os.path.abspath(__file__)), "excerpts.py"))
	# after a change of wording: tests/stories/excerpts.py --write doc/guide/stories-over-time.md
	page = os.path.join(ROOT, "doc", "guide", "stories-over-time.md")
	with open(page, encoding="utf-8") as f:
		assert len(excerpts.BLOCK.findall(f.read())) >= 6
	assert excerpts.stale(page) == []


def test_pictures_for_light_and_dark_pages():
	charts = load_script(os.path.join(ROOT, "examples", "over-time", "make-charts.py"))
	for name in charts.THEMED:
		def picture(suffix=""):
			with open(os.path.join(ROOT, "doc", "guide", f"over-time-{name}{suffix}.svg"), encoding="utf-8") as f:
				return f.read()
		found = charts.themed(picture())
		assert found == {theme: picture("-" + theme) for theme in ("light", "dark")}
		assert not any("prefers-color-scheme" in text for text in found.values())
		assert found["light"] != found["dark"]
