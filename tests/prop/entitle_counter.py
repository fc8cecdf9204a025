# SPDX-License-Identifier: Apache-2.0
"""Counterexamples of the entitle policy, as counter.py has those of the other."""
import os

import yaml

from counter import FOLDER
from entitle_world import NOW, Gang, Queue, World


def seconds(text):
	return int(text[11:13]) * 3600 + int(text[14:16]) * 60 + int(text[17:19])


def entitled(name):
	"""The world of a file that `World.manifest` wrote; other objects are not understood."""
	path = os.path.join(FOLDER, name + ".yaml")
	with open(path, encoding="utf-8") as f:
		objects = list(yaml.safe_load_all(f))
	of = {}
	for o in objects:
		of.setdefault(o["kind"], []).append(o)
	world = World(tuple(map(load_queue, of["Queue"])),
		      tuple(number(o["status"]["allocatable"]["nvidia.com/gpu"]) for o in of["Node"]),
		      tuple(load_gang(o, of.get("Pod", [])) for o in of.get("PodGroup", [])),
		      *(o[0]["spec"] if o else {} for o in [of.get("SchedulingShard")]),
		      *(o[0]["spec"]["entitlement"] if o else {} for o in [of.get("Policy")]),
		      *({n: u["gpu"] for n, u in o[0]["spec"]["usage"].items()} if o else {}
			for o in [of.get("UsageHistory")]))
	assert world.objects() == objects, f"{path} is not in the form of World.manifest"
	return world


def number(text):
	return int(text) if float(text) == int(float(text)) else float(text)


def load_queue(o):
	gpu = o["spec"]["resources"]["gpu"]
	return Queue(o["metadata"]["name"], o["spec"].get("parentQueue"), gpu["quota"], gpu["limit"],
		     gpu["overQuotaWeight"], o["spec"]["priority"], seconds(o["metadata"]["creationTimestamp"]))


def load_gang(o, pods):
	name, spec = o["metadata"]["name"], o["spec"]
	mine = [p for p in pods if p["metadata"]["annotations"]["pod-group-name"] == name]
	asks = [number(p["metadata"]["annotations"].get("gpu-fraction") or
		       p["spec"]["containers"][0]["resources"].get("limits", {}).get("nvidia.com/gpu", 0)) for p in mine]
	since = o["metadata"].get("annotations", {}).get("kai.scheduler/last-start-timestamp")
	return Gang(name, spec["queue"], tuple(asks), spec["minMember"], int(spec["priorityClassName"][1:]),
		    spec["preemptibility"] == "non-preemptible", seconds(o["metadata"]["creationTimestamp"]),
		    tuple(int(p["spec"]["nodeName"][1:]) for p in mine if "nodeName" in p["spec"]),
		    NOW - seconds(since) if since else 1800)
