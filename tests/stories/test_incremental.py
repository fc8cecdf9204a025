# SPDX-License-Identifier: Apache-2.0
"""A simulation is the same, in every event and moment, whether cycles look at what changed or at all.

The command is run as it is, and again with a second policy beside (prop/shadow.h): there each
step looks at everything, a second policy at what changed only, and both must say the same.  So the
first run tells what steps that leave out decide, the second what full ones do.
"""
import glob
import json
import os
import random
import subprocess

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.environ.get("FAIRLEAD_SOURCE", os.path.join(HERE, "..", ".."))
FAIRLEAD = os.environ.get("FAIRLEAD", os.path.join(ROOT, "build", "fairlead"))
SHADOWED = os.environ.get("FAIRLEAD_SHADOWED", os.path.join(ROOT, "build", "tests", "fairlead-shadowed"))
SCENARIOS = int(os.environ.get("FAIRLEAD_SCENARIOS", "12"))
SLOW = ("guaranteed", "burst")  # months; the other stories do what they do
TRACES = ("hpc2n", "sdsc-blue", "lcg", "openb")
KUEUE = "kueue.x-k8s.io/v1beta2"


def run(program, *args):
	return subprocess.run([program, *args], cwd=ROOT, capture_output=True, text=True, check=False)


def told(program, out, *args):
	"""Every file of a report, by name."""
	done = run(program, "simulate", *args, "--out", str(out))
	assert done.returncode == 0, done.stderr
	files = {}
	for name in sorted(os.listdir(out)):
		with open(os.path.join(out, name), encoding="utf-8") as f:
			files[name] = f.read()
	assert files["events.jsonl"] and files["series.csv"] and files["jobs.csv"]
	return files


def same(tmp_path, *args):
	plain, shadowed = (told(p, tmp_path / str(i), *args) for i, p in enumerate((FAIRLEAD, SHADOWED)))
	for name in plain:
		assert plain[name] == shadowed[name], name
	return plain


def examples():
	names = [*(f"traces/{t}.yaml" for t in TRACES), "simulate/first.yaml"]
	over_time = glob.glob(os.path.join(ROOT, "examples", "over-time", "*.yaml"))
	return names + sorted("over-time/" + os.path.basename(f) for f in over_time
			      if "kind: Simulation" in open(f, encoding="utf-8").read() and
			      not os.path.basename(f).startswith(SLOW))


@pytest.mark.parametrize("name", examples())
def test_an_example(name, tmp_path):
	same(tmp_path, "-f", f"examples/{name}")


@pytest.mark.parametrize("name", TRACES)
def test_variants(name, tmp_path):
	"""`compare` runs the excerpts with preemption, strict queues, failures and by usage."""
	files = sorted(glob.glob(os.path.join(ROOT, "examples", "traces", name + "-*.yaml")))
	given = [a for f in files for a in ("--variant", f"{os.path.basename(f)[:-5]}={f}")]
	args = ["compare", "-f", f"examples/traces/{name}.yaml", *given, "-o", "json"]
	plain, shadowed = run(FAIRLEAD, *args), run(SHADOWED, *args)
	assert plain.returncode == shadowed.returncode == 0, shadowed.stderr
	assert plain.stdout == shadowed.stdout


# --- made-up ones ---

def quota(rng, cpu, limits=True):
	q = {"name": "cpu", "nominalQuota": cpu}
	if limits and rng.random() < 0.3:
		q["borrowingLimit"] = rng.randrange(1, 20)
	if limits and rng.random() < 0.3:
		q["lendingLimit"] = rng.randrange(0, cpu + 1)
	return q


def groups(rng, cpu, limits=True):
	names = ["f", "g"][:1 + (rng.random() < 0.4)]
	return [{"coveredResources": ["cpu"],
		 "flavors": [{"name": n, "resources": [quota(rng, cpu, limits)]} for n in names]}]


def kueue(kind, name, spec, **metadata):
	return {"apiVersion": KUEUE, "kind": kind, "metadata": {"name": name, **metadata}, "spec": spec}


def configuration(rng):
	c = {"apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration"}
	if rng.random() < 0.7:
		c["fairSharing"] = {"preemptionStrategies": rng.choice([
			["LessThanOrEqualToFinalShare", "LessThanInitialShare"], ["LessThanInitialShare"],
			["LessThanOrEqualToFinalShare"]])}
	if rng.random() < 0.3:
		c["admissionFairSharing"] = {"usageHalfLifeTime": rng.choice(["1h", "24h"]),
					     "usageSamplingInterval": "5m"}
	return c


def policy(rng):
	says = {"minimumRunTime": "20m", "preemptionDelay": "5m", "reclaimBackOff": {"base": "10m"},
		"overrulingPriority": 2, "holdFreedQuota": True}
	spec = {"defaults": {k: v for k, v in says.items() if rng.random() < 0.4},
		"headsPerCycle": rng.choice(["one", "all"]),
		"admissionFairSharing": {"usage": rng.choice(["Sampled", "Exact"])}}
	return {"apiVersion": "fairlead.dev/v1alpha1", "kind": "Policy", "metadata": {"name": "p"}, "spec": spec}


def queue(rng, name):
	spec = {"namespaceSelector": {}, "resourceGroups": groups(rng, rng.randrange(2, 17)),
		"queueingStrategy": rng.choice(["BestEffortFIFO", "StrictFIFO"]),
		"fairSharing": {"weight": rng.choice(["1", "1", "2", "500m", "0"])},
		"preemption": {"withinClusterQueue": rng.choice(["Never", "LowerPriority",
								 "LowerOrNewerEqualPriority"]),
			       "reclaimWithinCohort": rng.choice(["Any", "Any", "LowerPriority", "Never"]),
			       "borrowWithinCohort": {"policy": rng.choice(["Never", "LowerPriority"])}},
		"flavorFungibility": {"whenCanBorrow": rng.choice(["MayStopSearch", "TryNextFlavor"]),
				      "whenCanPreempt": rng.choice(["MayStopSearch", "TryNextFlavor"])},
		"cohortName": rng.choice(["left", "right", "alone"])}
	if rng.random() < 0.3:
		spec["admissionScope"] = {"admissionMode": "UsageBasedAdmissionFairSharing"}
	return kueue("ClusterQueue", name, spec)


def job_class(rng, number, to):
	pods = rng.choice([1, 1, {"uniform": [1, 6]}])
	c = {"name": f"class{number}", "to": to, "every": {"exponential": f"{rng.randrange(5, 120)}m"},
	     "runs": {"lognormal": {"median": f"{rng.randrange(10, 300)}m", "p84": "8h"}},
	     "requests": {"cpu": rng.randrange(1, 6)}, "pods": pods, "priority": rng.randrange(4)}
	if pods != 1 and rng.random() < 0.5:
		c["minPods"] = 1
	return c


def change(rng, queues):
	at = {"at": f"{rng.randrange(1, 70)}h", "clusterQueue": rng.choice(queues)}
	if rng.random() < 0.3:
		return {**at, "weight": rng.choice(["1", "3", "100m"])}
	key = rng.choice(["nominalQuota", "borrowingLimit", "lendingLimit"])
	return {**at, "flavor": "f", "resource": "cpu", key: rng.randrange(0, 20)}


def scenario(seed):
	rng = random.Random(seed)
	names = [f"q{i}" for i in range(rng.randrange(3, 8))]
	spec = {"seed": seed, "start": "2026-01-05T00:00:00Z", "until": "3d",
		"classes": [job_class(rng, i, rng.choice(names)) for i in range(2 * len(names))],
		"changes": [change(rng, names) for _ in range(rng.randrange(6))],
		"cycles": {"interval": rng.choice(["1s", "1m", "10m"]), "period": rng.choice(["10m", "30m"])},
		"eviction": {"grace": rng.choice(["0s", "30s", "10m"]), "checkpoint": "1h", "restart": "2m",
			     "backOff": {"base": "1m", "max": "1h"}}}
	objects = [{"apiVersion": "fairlead.dev/v1alpha1", "kind": "Simulation", "metadata": {"name": "s"},
		    "spec": spec}, configuration(rng)]
	if rng.random() < 0.7:
		objects.append(policy(rng))
	objects += [kueue("ResourceFlavor", f, {}) for f in "fg"]
	objects.append(kueue("Cohort", "above", {"resourceGroups": groups(rng, 8, limits=False)}))
	objects += [kueue("Cohort", c, {"parentName": "above"}) for c in ("left", "right")]
	return objects + [queue(rng, n) for n in names]


@pytest.mark.parametrize("seed", range(1, SCENARIOS + 1))
def test_a_scenario(seed, tmp_path):
	objects = {"apiVersion": "v1", "kind": "List", "items": scenario(seed)}
	(tmp_path / "s.json").write_text(json.dumps(objects), encoding="utf-8")
	files = same(tmp_path, "-f", str(tmp_path / "s.json"))
	assert files["events.jsonl"].count("\n") > 100
