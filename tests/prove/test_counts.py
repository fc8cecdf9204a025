# SPDX-License-Identifier: Apache-2.0
"""A part of the catalogue has as many loops as it had, and with the settling rule none.

counts.json says how many; PROVE_UPDATE=1 writes it anew.
"""
import json
import os
import subprocess

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
COUNTS = os.path.join(HERE, "counts.json")
# one of so many of each family: a second or less each
EVERY = {"flat": 1499, "two-queues": 797, "lower": 1999, "never": 2503, "within": 1999, "tree-quota": 4001,
	 "tree-plain": 997, "tree-within": 797, "two-resources": 1999, "gangs": 97}
MODES = ("as-is", "prompt", "hold", "settles")
COUNTED = ("explored", "possible", "forced", "always", "scheduler", "strict", "unseen", "incomplete", "bound")


def explored(*args):
	run = subprocess.run([os.environ["CATALOGUE"], *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
			     check=False, text=True)
	assert run.returncode == 0, f"{args}: {run.returncode} {run.stderr}"
	result = json.loads(run.stdout)
	return {name: " ".join(str(of[c]) for c in COUNTED) for name, of in result["strategies"].items()}


def compare(name, mode, found):
	with open(COUNTS, encoding="utf-8") as f:
		counts = json.load(f)
	if os.environ.get("PROVE_UPDATE"):
		counts[f"{name} {mode}"] = found
		with open(COUNTS, "w", encoding="utf-8") as f:
			json.dump(counts, f, indent=1, sort_keys=True)
			f.write("\n")
	assert counts[f"{name} {mode}"] == found
	if mode == "settles":
		assert all(of.split()[1:6] == ["0"] * 5 for of in found.values())


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("family", EVERY)
def test_family(family, mode):
	"""So many of this part of the family go round."""
	compare(family, mode, explored(family, "--every", str(EVERY[family]), "--mode", mode))


@pytest.mark.parametrize("mode", MODES)
def test_sampled(mode):
	"""So many of the first ones that are drawn go round."""
	compare("sampled", mode, explored("sampled", "--sample", "1500", "--states", "200", "--mode", mode))
