# SPDX-License-Identifier: Apache-2.0
"""planted.py: each fault is there, and one that is gone, or not listed, is seen."""
import json
import os
import pathlib
import shutil
import subprocess

import pytest

HERE = pathlib.Path(__file__).parent
SOURCE = pathlib.Path(os.environ["FAIRLEAD_SOURCE"])
TESTS = os.environ["FAIRLEAD_TESTS"]
LIST = HERE.parent / "planted.txt"


def run(root=SOURCE, tests=TESTS, list_=LIST):
    done = subprocess.run([HERE / "planted.py", str(root), str(tests), "--list", str(list_)],
                          capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


@pytest.fixture
def tree(tmp_path):
    shutil.copytree(SOURCE / "tests", tmp_path / "tests", symlinks=True)
    return tmp_path


def test_all_are_there():
    code, out = run()
    assert code == 0, out


def replace(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_a_fault_that_is_gone(tree):
    replace(tree / "tests/tools/checks-can-fail.sh", "layers 'a sibling'", "true 'a sibling'")
    code, out = run(tree)
    assert code == 1 and out.count("does not plant it any more: layers 'a sibling'") == 1
    assert out.endswith("1 complaints\n")


def test_a_fault_that_is_not_listed(tree):
    replace(tree / "tests/conformance/test_run.py", "def spoil_all(", "def spoil_one_more(answer):\n\tpass\n\n\ndef spoil_all(")
    code, out = run(tree)
    assert code == 1
    assert "not listed: conformance-judge | tests/conformance/test_run.py | spoil_one_more\n" in out


def test_a_file_that_is_gone(tree):
    (tree / "tests" / "elsewhere").mkdir()
    (tree / "tests/disk/disk.py").rename(tree / "tests/elsewhere/disk.py")
    code, out = run(tree)
    assert code == 1 and "tests/disk/disk.py is gone; is it tests/elsewhere/disk.py now?" in out


def test_a_test_that_is_gone(tmp_path):
    text = pathlib.Path(TESTS).read_text()
    assert '"store/open"' in text
    (tmp_path / "tests.json").write_text(text.replace('"store/open"', '"store/closed"'))
    code, out = run(tests=tmp_path / "tests.json")
    assert code == 1 and "there is no test 'store/open'" in out


def test_a_test_of_the_longer_run(tmp_path):
    rows = json.loads(pathlib.Path(TESTS).read_text())
    row = next(r for r in rows if r["name"] == "store/open")
    row["suite"] = ["fairlead:more"]
    (tmp_path / "tests.json").write_text(json.dumps(rows))
    code, out = run(tests=tmp_path / "tests.json")
    assert code == 1 and "`make test` does not run 'store/open'" in out


def test_a_short_list(tmp_path):
    (tmp_path / "list").write_text("\n".join(LIST.read_text().splitlines()[:50]))
    code, out = run(list_=tmp_path / "list")
    assert code == 1 and "and there should be 200" in out
