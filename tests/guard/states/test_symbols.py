# SPDX-License-Identifier: Apache-2.0
"""symbols.py sees what is gone, what is new, and what is declared in another way."""
import os
import pathlib
import shutil
import subprocess

import pytest

HERE = pathlib.Path(__file__).parent
INCLUDE = pathlib.Path(os.environ["FAIRLEAD_SOURCE"]) / "include"
KEPT = (HERE / "symbols.txt").read_text()


def run(include=INCLUDE, kept=None):
    more = ["--kept", str(kept)] if kept else []
    return subprocess.run([HERE / "symbols.py", os.environ["FAIRLEAD_LIBRARY"], str(include), *more],
                          capture_output=True, text=True, check=False)


def test_they_are_as_they_were():
    done = run()
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("start", ["exports ", "is ", "macro ", "fairlead.h: ", "error.h: "])
def test_new_and_gone(tmp_path, start):
    line = next(line for line in KEPT.splitlines() if line.startswith(start))
    (tmp_path / "less").write_text(KEPT.replace(line + "\n", "", 1))
    (tmp_path / "more").write_text(KEPT + line + "_too\n")
    done = run(kept=tmp_path / "less")
    assert done.returncode == 1 and f"new: {line}\n" in done.stdout
    done = run(kept=tmp_path / "more")
    assert done.returncode == 1 and f"gone: {line}_too\n" in done.stdout


@pytest.mark.parametrize("old, new", [
    ("int64_t", "int32_t"), ("const fairlead_engine_options *options", "fairlead_engine_options *options"), ("FAIRLEAD_EINPUT", "FAIRLEAD_EBAD"),
])
def test_another_declaration(tmp_path, old, new):
    shutil.copytree(INCLUDE, tmp_path / "include")
    changed = 0
    for path in (tmp_path / "include" / "fairlead").iterdir():
        text = path.read_text()
        changed += text.count(old)
        path.write_text(text.replace(old, new))
    assert changed
    done = run(tmp_path / "include")
    assert done.returncode == 1 and "gone: " in done.stdout and "new: " in done.stdout
