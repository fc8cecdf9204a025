# SPDX-License-Identifier: Apache-2.0
"""The examples of the four traces run and end, and their pages show what the commands print."""
import glob
import importlib.util
import json
import os
import subprocess

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.environ.get("FAIRLEAD_SOURCE", os.path.join(HERE, "..", ".."))
FAIRLEAD = os.path.join(os.environ.get("FAIRLEAD_BUILD", os.path.join(ROOT, "build")), "fairlead")
TRACES = os.path.join(ROOT, "examples", "traces")
# Jobs that the excerpt has for it, and those that finish.
JOBS = {"hpc2n": (1500, 1500), "lcg": (1500, 1500), "sdsc-blue": (1359, 1359), "openb": (701, 684)}


def run(*args):
	return subprocess.run([FAIRLEAD, *args], cwd=ROOT, capture_output=True, text=True, check=False)


def excerpts():
	spec = importlib.util.spec_from_file_location("excerpts", os.path.join(HERE, "excerpts.py"))
	module = importlib.util.module_from_spec(spec)
	spec.loader.exec_module(module)
	return module


@pytest.mark.parametrize("name", JOBS)
def test_an_example_ends(name):
	done = run("simulate", "-f", f"examples/traces/{name}.yaml", "-o", "json")
	totals = json.loads(done.stdout)["totals"]
	assert done.returncode == 0
	assert (totals["jobs"], totals["finished"]) == JOBS[name]


@pytest.mark.parametrize("name", JOBS)
def test_every_variant_is_another_run(name):
	files = sorted(glob.glob(os.path.join(TRACES, name + "-*.yaml")))
	given = [a for f in files for a in ("--variant", f"{os.path.basename(f)[:-5]}={f}")]
	done = run("compare", "-f", f"examples/traces/{name}.yaml", *given, "-o", "json")
	totals = [v["report"]["totals"] for v in json.loads(done.stdout)["variants"]]
	assert done.returncode == 0 and len(files) >= 1 and len(totals) == len(files) + 1
	assert all(t["jobs"] == JOBS[name][0] for t in totals)
	assert all(t["wait"] != totals[0]["wait"] for t in totals[1:])


def test_the_page_shows_what_is_printed():
	# after a change of wording: tests/stories/excerpts.py --write doc/guide/traces.md
	page = os.path.join(ROOT, "doc", "guide", "traces.md")
	assert excerpts().stale(page) == []
	with open(page, encoding="utf-8") as f:
		commands = [command for command, _ in excerpts().BLOCK.findall(f.read())]
	for name in JOBS:
		assert any(f"examples/traces/{name}" in command for command in commands), name


def test_the_run_that_ends_make_examples(tmp_path):
	done = subprocess.run([os.path.join(TRACES, "run.sh"), str(tmp_path / "out")], text=True,
			      env=dict(os.environ, FAIRLEAD=FAIRLEAD), capture_output=True, check=False)
	assert done.returncode == 0 and f"{tmp_path}/out/report.html" in done.stdout.splitlines()[-1]
	assert (tmp_path / "out" / "report.html").stat().st_size > 100000
