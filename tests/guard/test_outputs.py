# SPDX-License-Identifier: Apache-2.0
"""The guard itself: it must find what was changed on purpose, and must not tell of what may change."""
import contextlib
import functools
import gzip
import importlib.machinery
import importlib.util
import io
import json
import os
import pathlib
import sys
from unittest import mock

import pytest

OUTPUTS = pathlib.Path(__file__).with_name("outputs")
RUNS = "kueue-000/*"        # random ones: their text is not kept
KEPT = "odd/empty.yaml/*"   # a corner case: its text is
FAIRLEAD = os.path.abspath(os.environ["FAIRLEAD"])


def program():
    """The guard as a module: its random clusters are made once."""
    loader = importlib.machinery.SourceFileLoader("outputs", str(OUTPUTS))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("outputs", loader))
    loader.exec_module(module)
    module.list_of_runs.all_runs = functools.cache(module.list_of_runs.all_runs)
    return module


PROGRAM = program()


def guard(*args, fairlead=FAIRLEAD):
    """Exit status and standard output of the guard."""
    line = ["outputs", "--fairlead", str(fairlead), *(str(a) for a in args)]
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err, \
            mock.patch.object(sys, "argv", line):
        status = PROGRAM.main()
    assert not err.getvalue(), err.getvalue()
    return status, out.getvalue()


def make(folder, only):
    path = folder / "was.jsonl.gz"
    assert guard("--record", path, "--only", only)[0] == 0
    return path


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    return make(tmp_path_factory.mktemp("random"), RUNS)


@pytest.fixture(scope="module")
def recorded_whole(tmp_path_factory):
    return make(tmp_path_factory.mktemp("kept"), KEPT)


def check(path, *more, only=RUNS, **how):
    return guard("--check", "--against", path, "--only", only, *more, **how)


@pytest.fixture
def tampered(recorded, tmp_path):
    """A copy of the record with one field of one run changed."""
    def change(field, value):
        rows = [json.loads(line) for line in gzip.open(recorded, "rt")]
        row = next(r for r in rows if r["name"] == "kueue-000/plan")
        assert field in row
        row[field] = value
        path = tmp_path / "was.jsonl.gz"
        path.write_bytes(gzip.compress("".join(json.dumps(r) + "\n" for r in rows).encode()))
        return path

    return change


@pytest.fixture
def fake(tmp_path):
    """A command that prints what the real one does, and a little otherwise."""
    def change(python):
        path = tmp_path / "fairlead"
        path.write_text(f"""#!{sys.executable}
import re, subprocess, sys
done = subprocess.run([{FAIRLEAD!r}, *sys.argv[1:]], capture_output=True)
out, err, status, as_json = done.stdout, done.stderr, done.returncode, "json" in sys.argv
{python}
sys.stdout.buffer.write(out)
sys.stderr.buffer.write(err)
sys.exit(status)
""")
        path.chmod(0o755)
        return path

    return change


def test_the_same_is_the_same(recorded):
    status, out = check(recorded)
    assert status == 0 and "0 differ, 0 more" in out


def test_two_records_of_one_build_are_the_same_bytes(recorded, tmp_path):
    assert make(tmp_path, RUNS).read_bytes() == recorded.read_bytes()


@pytest.mark.parametrize("field, value", [("json", "0" * 16), ("exit", [0, 1]), ("exit", [3, 3])])
@pytest.mark.parametrize("words", [(), ("--words",)])
def test_another_json_or_exit_status_fails(tampered, field, value, words):
    status, out = check(tampered(field, value), *words)
    assert status == 1 and f"DIFFERS kueue-000/plan: {field}" in out and "1 differ, 0 more" in out


@pytest.mark.parametrize("field", ["text", "stderr"])
def test_other_words_fail_unless_they_may_change(tampered, field):
    path = tampered(field, "0" * 16)
    status, out = check(path)
    assert status == 1 and f"words kueue-000/plan: {field}" in out and "0 differ, 1 more" in out
    status, out = check(path, "--words")
    assert status == 0 and f"words kueue-000/plan: {field}" in out


def test_a_run_that_is_not_recorded_fails(recorded):
    status, out = check(recorded, only="kueue-001/plan")
    assert status == 1 and "kueue-001/plan: not in the record" in out


@pytest.mark.parametrize("change", [
    r'out = re.sub(rb"([0-9])(?=[^0-9]*$)", lambda m: b"%d" % ((int(m[1]) + 1) % 10), out) if as_json else out',
    r'out = out.replace(b\'"kind":\', b\'"Kind":\', 1) if as_json else out',
    r'out = out.rstrip(b"\n") if as_json else out',
    r"status = 3",
])
def test_a_command_that_answers_otherwise_fails(recorded, fake, change):
    status, out = check(recorded, "--words", fairlead=fake(change.replace("\\'", "'")))
    assert status == 1 and "DIFFERS kueue-000/plan" in out


def test_a_command_with_other_words(recorded, fake):
    command = fake(r'out = out if as_json else out.replace(b"admitted", b"let in")')
    status, out = check(recorded, fairlead=command)
    assert status == 1 and "words kueue-000/plan: text" in out and " 0 differ" in out
    assert check(recorded, "--words", fairlead=command)[0] == 0


def test_words_within_json_are_no_difference(recorded, fake):
    change = r"""out = re.sub(rb'"(text|hint|message)":"(?=[^"])', rb'"\1":"\\"So\\": ', out)"""
    said = r"""sys.exit(9) if as_json and sys.argv[1] == "explain" and b'"So' not in out else None"""
    assert check(recorded, fairlead=fake(change.replace("out)", "out) if as_json else out") + "\n" + said))[0] == 0


def test_what_is_kept_is_shown(recorded_whole, fake):
    command = fake(r'err = err.replace(b"empty", b"EMPTY"); status = 2')
    status, out = check(recorded_whole, only=KEPT, fairlead=command)
    assert status == 1 and "--- stderr, recorded" in out and "+odd" not in out
    assert any(line.strip().startswith("+") and "EMPTY" in line for line in out.splitlines())


def test_another_build_shows_what_is_not_kept(recorded, fake):
    command = fake(r'out = out.replace(b"admitted", b"let in")')
    status, out = check(recorded, "--old", FAIRLEAD, fairlead=command)
    assert status == 1 and "--- json, recorded" in out and "let in" in out


def test_parts_are_all_of_it():
    def names(*args):
        return guard("--list", *args)[1].splitlines()

    every = names()
    assert sorted(n for i in range(10) for n in names("--part", f"{i}/10")) == sorted(every)
    assert sum("/plan" in n for n in every) > 500
