#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# plan.sh [FILE.jsonl[.gz]] - how long `fairlead plan -f` takes end to end, from JSON and from YAML
#
# Takes a recorded case of about 10,000 workloads, writes its objects as
# `kubectl get -o json` and as `-o yaml` would, and times the command on both:
# start, read, decide one cycle, print. The least of 5 runs counts.
# Marks: JSON 0.5 s, YAML 2 s. Exit 1 when one is missed.
set -eu

here=$(dirname "$0")
fairlead=${FAIRLEAD:-$here/../build/fairlead}
case=${1:-$here/data/b-1000cq-fair-preempt.jsonl.gz}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

python3 "$here/dump.py" "$case" "$dir/objects.json" "$dir/objects.yaml"
python3 - "$fairlead" "$dir/objects.json" 0.5 "$dir/objects.yaml" 2 <<'PY'
import json, os, subprocess, sys, time

fairlead, missed = sys.argv[1], False
for path, mark in zip(sys.argv[2:6:2], sys.argv[3:6:2]):
	best = None
	for _ in range(5):
		start = time.monotonic()
		done = subprocess.run([fairlead, "plan", "-f", path, "-o", "json"], stdout=subprocess.PIPE, check=False)
		seconds = time.monotonic() - start
		best = seconds if best is None else min(best, seconds)
		if done.returncode:
			sys.exit(f"plan.sh: fairlead ended with status {done.returncode}")
	size = os.path.getsize(path) / 1e6
	cycle = json.loads(done.stdout)["cycles"][0]
	good = best <= float(mark)
	missed = missed or not good
	print(json.dumps({"input": os.path.basename(path), "megabytes": round(size, 1), "seconds": round(best, 3),
			  "mark": float(mark), "within": good, "admitted": len(cycle["admitted"]),
			  "preempted": len(cycle["preempted"])}))
sys.exit(1 if missed else 0)
PY
