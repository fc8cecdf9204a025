#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""read.py [FAIRLEAD [MEGABYTES]] - how fast, and in how much memory, a big dump is read.

Writes a dump as kubectl would (bigdump.py), lets `fairlead check` read it, and prints a JSON line for each
form: processor seconds (the least of 5 runs), megabytes a second, and the most memory that was resident.
Marks: 100 MB/s for JSON, 25 MB/s for YAML, 32 MB resident for 100 MB. Exit 1 when one is missed.
"""
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

import bigdump

MARKS = {"json": 100, "yaml": 25, "documents": 25}
MOST_MB = 32


def peak_kb(pid):
	try:
		with open(f"/proc/{pid}/status", encoding="ascii") as f:
			return next((int(line.split()[1]) for line in f if line.startswith("VmHWM")), 0)
	except OSError:
		return 0


def run(command):
	"""(processor seconds, peak in MB)"""
	before, peak = resource.getrusage(resource.RUSAGE_CHILDREN), 0
	child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
	while child.poll() is None:
		peak = max(peak, peak_kb(child.pid))
		time.sleep(0.002)
	if child.returncode:
		sys.exit(f"read.py: {command[0]} ended with status {child.returncode}")
	after = resource.getrusage(resource.RUSAGE_CHILDREN)
	return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, peak / 1000


def main(argv):
	here = os.path.dirname(os.path.abspath(__file__))
	fairlead = argv[0] if argv else os.path.join(here, "..", "build", "fairlead")
	megabytes, missed = float(argv[1]) if len(argv) > 1 else 100, False
	for form, mark in MARKS.items():
		with tempfile.NamedTemporaryFile() as f:
			for piece in bigdump.chunks(form, megabytes):
				f.write(piece)
			f.flush()
			runs = [run([fairlead, "check", "-f", f.name]) for _ in range(5)]
			size = os.path.getsize(f.name) / 1e6
		seconds, peak = min(r[0] for r in runs), max(r[1] for r in runs)
		good = size / seconds >= mark and peak <= MOST_MB
		missed = missed or not good
		print(json.dumps({"form": form, "megabytes": round(size, 1), "cpuSeconds": round(seconds, 3),
		                  "mbPerS": round(size / seconds, 1), "mark": mark, "peakMB": round(peak, 1),
		                  "within": good}), flush=True)
	return missed


if __name__ == "__main__":
	sys.exit(main(sys.argv[1:]))
