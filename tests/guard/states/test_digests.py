# SPDX-License-Identifier: Apache-2.0
"""digests.py says which world is another one, whatever of its line differs."""
import os
import pathlib
import subprocess
import sys

import pytest

import digests

LINES = digests.KEPT.read_text().splitlines()
WORLD = next(i for i, line in enumerate(LINES) if line.startswith("run --policy entitle")) + 3


def run(path):
    return subprocess.run([sys.executable, pathlib.Path(digests.__file__), os.environ["FAIRLEAD_INCREMENTAL"],
                           "--kept", path, "--every", "10"], capture_output=True, text=True, check=False)


def test_a_thousand_are_kept():
    assert {how: len(lines) for how, lines in digests.kept(digests.KEPT).items()} == dict(digests.RUNS)
    assert sum(n for _, n in digests.RUNS) == 1000


@pytest.mark.parametrize("field", range(1, 5))
def test_another_line_is_seen(tmp_path, field):
    words = LINES[WORLD].split()
    words[field] = words[field][:-1] + ("1" if words[field][-1] == "0" else "0")
    (tmp_path / "kept").write_text("\n".join([*LINES[:WORLD], " ".join(words), *LINES[WORLD + 1:]]) + "\n")
    done = run(tmp_path / "kept")
    assert done.returncode == 1
    assert f"--world 2: was {' '.join(words)}" in done.stdout and "1 of 30 worlds differ" in done.stdout


def test_nothing_to_compare_is_seen(tmp_path):
    (tmp_path / "kept").write_text("\n".join(LINES[:5]) + "\n")
    assert run(tmp_path / "kept").returncode == 1


def test_a_program_that_fails_is_seen(tmp_path):
    (tmp_path / "kept").write_text("\n".join(LINES).replace("--policy borrow", "--policy none") + "\n")
    assert run(tmp_path / "kept").returncode == 1
