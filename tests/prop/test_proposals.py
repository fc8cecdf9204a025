# SPDX-License-Identifier: Apache-2.0
"""What explain proposes, and the commands that it prints to try it."""
import json
import os
import re
import subprocess
import tempfile

import yaml

from entitle_made import worlds
from made import EITHER, anything, prop
from world import flow

STATES = {"Admit": "AdmittedNext", "Allocate": "AdmittedNext", "Preempt": "Preempting", "Reserve": "Preempting"}


def ask(*words):
	done = subprocess.run([os.environ["FAIRLEAD"], *words, "-o", "json"], capture_output=True, text=True, check=False)
	assert done.returncode == 0, (words, done.stderr)
	return json.loads(done.stdout)


def run(command):
	"""The command as a person pastes it; its answer as JSON."""
	folder = os.path.dirname(os.environ["FAIRLEAD"])
	done = subprocess.run(["bash", "-c", command + " -o json"], capture_output=True, text=True, check=False,
			      env={**os.environ, "PATH": folder + ":" + os.environ["PATH"]})
	assert done.returncode == 0, (command, done.stderr)
	return json.loads(done.stdout)


def printed(file, job):
	text = subprocess.run([os.environ["FAIRLEAD"], "explain", "-f", file, "ns/" + job], capture_output=True, text=True,
			      check=True).stdout
	return [line.strip() for line in text.split("\n") if line.startswith("    fairlead ")]


def set_field(objects, text):
	"""What --set does, of the paths that explain writes."""
	subject, path, value = re.fullmatch(r"(\S+): (\S+?)=(\S+)", text).groups()
	kind, *rest = subject.split("/")
	obj = next(o for o in objects if o["kind"] == kind and o["metadata"]["name"] == rest[-1] and
		   (len(rest) == 1 or o["metadata"]["namespace"] == rest[0]))
	quota = re.fullmatch(r"(\w+)\[(.+),(.+)\]", path)
	if quota:
		field, resource, flavor = quota.groups()
		at = next(r for g in obj["spec"]["resourceGroups"] for f in g["flavors"] if f["name"] == flavor
			  for r in f["resources"] if r["name"] == resource)
		at[field] = value
		return
	path = [a or b for a, b in re.findall(r"\[(.+?)\]|([^.\[\]]+)", path)]
	at = obj if path[0] in ("spec", "status") else obj["spec"]
	for key in path[:-1]:
		at = at.setdefault(key, {})
	at[path[-1]] = yaml.safe_load(value)


def changed(manifest, command):
	"""The manifest with the changes of a command laid over it."""
	objects = list(yaml.safe_load_all(manifest))
	objects += [json.loads(o) for o in re.findall(r"--change <\(echo '(.+?)'\)", command)]
	for text in re.findall(r"--set '(.+?)'", command):
		set_field(objects, text)
	return "---\n".join("".join(f"{key}: {flow(value)}\n" for key, value in o.items()) for o in objects)


def check(manifest, jobs, proposals_of, cells_of):
	with tempfile.TemporaryDirectory() as folder:
		file, other = os.path.join(folder, "x.yaml"), os.path.join(folder, "y.yaml")
		with open(file, "w", encoding="utf-8") as f:
			f.write(manifest)
		for job in jobs:
			proposals = ask("explain", "-f", file, "ns/" + job).get(proposals_of, [])
			commands = printed(file, job)
			assert len(commands) == len(proposals)
			for p, command in zip(proposals, commands):
				answer = run(command)
				given = re.findall(r"--set '(.+?)'", command)
				assert p.get("set", given) == given and len(answer["changes"]) >= 1
				if cells_of:
					assert len(given) == len(p[cells_of])
				with open(other, "w", encoding="utf-8") as f:
					f.write(changed(manifest, command))
				x = ask("explain", "-f", other, "ns/" + job)
				if p["comingCycle"] == "Wait":
					assert (x["state"], x["alone"]["decision"]) == ("Waiting", p["alone"]), command
				else:
					assert x["state"] == STATES[p["comingCycle"]], command


@prop(80, case=anything(fair=EITHER))
def test_commands_of_proposals_do_it(case):
	"""Each change that explain proposes has a command that runs, and on the changed objects the workload is
	what explain said that it would be: admitted, preempting others, or fit for its turn."""
	check(case.manifest(), [j.name for j in case.jobs if not j.held], "proposals", "changes")


@prop(80, world=worlds())
def test_commands_of_gang_proposals_do_it(world):
	"""The same of KAI's queues, machines and priorities: the gang starts, evicts others, or would if it alone waited."""
	check(world.manifest(), [g.name for g in world.gangs if not g.on], "changes", None)
