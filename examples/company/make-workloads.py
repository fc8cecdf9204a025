#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turn an excerpt of a real GPU cluster's trace into Workloads for the company of tree.yaml.

make-workloads.py                    read openb-excerpt.csv, write workloads.yaml beside it
make-workloads.py --out FILE         write elsewhere
make-workloads.py --excerpt TRACE    make openb-excerpt.csv from openb_pod_list_gpuspec33.csv

Nothing is random: the same bytes come out at every run.  README.md says what of
the trace became what.
"""
import argparse
import csv
import datetime
import os
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
START = datetime.datetime(2026, 1, 1)
SINGLES = 270  # pods of one GPU in the excerpt
PRIORITY = {"LS": ("latency-sensitive", 100), "Guaranteed": ("guaranteed", 80), "Burstable": ("burstable", 50),
	    "BE": ("best-effort", 0)}
# Who holds what when the story begins: team, flavor, GPUs.
HELD = (("language-training", "v100", 48), ("language-eval", "t4", 22), ("platform-batch", "t4", 38),
	("platform-ci", "t4", 8), ("vision-serving", "t4", 12), ("language-serving", "t4", 16))


def models(row):
	"""The flavors that the pod's gpu_spec allows; both when it names none."""
	spec = [m for m in row["gpu_spec"].split("|") if m]
	if not spec:
		return ("t4", "v100")
	return tuple(f for f, prefix in (("t4", "T4"), ("v100", "V100")) if any(m.startswith(prefix) for m in spec))


def make_excerpt(trace):
	"""All pods of several GPUs, and evenly spread ones of a single GPU, that T4 or V100 suit."""
	with open(trace, newline="", encoding="utf-8") as f:
		rows = [r for r in csv.DictReader(f) if int(r["num_gpu"]) > 0 and models(r)]
	several = [r for r in rows if int(r["num_gpu"]) > 1]
	single = [r for r in rows if int(r["num_gpu"]) == 1]
	step = len(single) / SINGLES
	chosen = several + [single[int(i * step)] for i in range(SINGLES)]
	chosen.sort(key=lambda r: r["name"])
	with open(os.path.join(HERE, "openb-excerpt.csv"), "w", newline="", encoding="utf-8") as f:
		writer = csv.DictWriter(f, list(rows[0]), lineterminator="\n")
		writer.writeheader()
		writer.writerows(chosen)


def team_of(row):
	"""The trace names no user: what kind of work it is says the team, a checksum the department."""
	dice = zlib.crc32(row["name"].encode())
	if int(row["num_gpu"]) > 1 or row["qos"] in ("Burstable", "Guaranteed"):
		return ("vision-training", "language-training")[dice % 2]
	if row["qos"] == "LS":
		return ("vision-serving", "language-serving", "vision-research")[dice % 3]
	return ("language-eval", "platform-batch", "platform-batch", "platform-ci")[dice % 4]


def stamp(seconds):
	return (START + datetime.timedelta(seconds=int(float(seconds)))).strftime("%Y-%m-%dT%H:%M:%SZ")


def requests(row):
	return {"cpu": f"{row['cpu_milli']}m", "memory": f"{row['memory_mib']}Mi", "nvidia.com/gpu": row["num_gpu"]}


def admission(row, team, flavor):
	at = stamp(row["scheduled_time"] or row["creation_time"])
	usage = requests(row)
	return (f"status:\n  admission:\n    clusterQueue: {team}\n    podSetAssignments:\n    - name: main\n"
		f"      count: 1\n      flavors: {{{', '.join(f'{r}: {flavor}' for r in usage)}}}\n"
		f"      resourceUsage: {{{', '.join(f'{r}: {chr(34)}{v}{chr(34)}' for r, v in usage.items())}}}\n"
		f"  conditions:\n"
		f'  - {{type: QuotaReserved, status: "True", reason: QuotaReserved, lastTransitionTime: "{at}", message: ""}}\n'
		f'  - {{type: Admitted, status: "True", reason: Admitted, lastTransitionTime: "{at}", message: ""}}\n')


def workload(row, flavor):
	"""@flavor: where it is admitted already, None while it waits."""
	team = team_of(row)
	department, queue = team.split("-")
	name, priority = PRIORITY[row["qos"]]
	allowed = models(row)
	wanted = ", ".join(f'{r}: "{v}"' for r, v in requests(row).items())
	text = (f"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: Workload\nmetadata:\n  name: {row['name']}\n"
		f"  namespace: {department}\n  uid: {row['name']}\n  creationTimestamp: \"{stamp(row['creation_time'])}\"\n"
		f"spec:\n  queueName: {queue}\n"
		f"  priorityClassRef: {{group: kueue.x-k8s.io, kind: WorkloadPriorityClass, name: {name}}}\n"
		f"  priority: {priority}\n  podSets:\n  - name: main\n    count: 1\n    template:\n      spec:\n"
		f"        restartPolicy: Never\n")
	if len(allowed) == 1:
		text += f"        nodeSelector: {{gpu-model: {allowed[0].upper()}}}\n"
	if tolerates(row):
		text += "        tolerations:\n        - {key: gpu-tier, value: training, effect: NoSchedule}\n"
	text += f"        containers:\n        - {{name: main, image: job, resources: {{requests: {{{wanted}}}}}}}\n"
	return text + (admission(row, team, flavor) if flavor else "")


def tolerates(row):
	"""V100s are for those who name them and for jobs of several GPUs."""
	return "V100" in row["gpu_spec"] or int(row["num_gpu"]) > 1


def held_flavors(rows):
	"""name -> flavor of what is admitted when the story begins: the oldest of each holder first."""
	held = {}
	for team, flavor, room in HELD:
		for row in sorted(rows, key=lambda r: (int(float(r["creation_time"])), r["name"])):
			gpus = int(row["num_gpu"])
			if team_of(row) != team or row["name"] in held or flavor not in models(row) or gpus > room:
				continue
			if flavor == "v100" and not tolerates(row):
				continue
			held[row["name"]] = flavor
			room -= gpus
	return held


def main():
	parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
	parser.add_argument("--excerpt", metavar="TRACE")
	parser.add_argument("--out", default=os.path.join(HERE, "workloads.yaml"))
	args = parser.parse_args()
	if args.excerpt:
		make_excerpt(args.excerpt)
	with open(os.path.join(HERE, "openb-excerpt.csv"), newline="", encoding="utf-8") as f:
		rows = list(csv.DictReader(f))
	held = held_flavors(rows)
	with open(args.out, "w", encoding="utf-8") as f:
		f.write("# Written by make-workloads.py from openb-excerpt.csv (see NOTICE).\n")
		for row in rows:
			f.write(workload(row, held.get(row["name"])))


if __name__ == "__main__":
	main()
