# SPDX-License-Identifier: Apache-2.0
"""The clients against the daemon itself, and what they print against its published form."""
import json
import os
import subprocess

import jsonschema
import pytest

from conftest import SOURCE


@pytest.fixture
def ask(daemon, tmp_path):
    def run(*args):
        done = subprocess.run([os.environ["FAIRLEAD"], *args], cwd=tmp_path, stdout=subprocess.PIPE, timeout=60,
                              stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, check=False,
                              env={**os.environ, **daemon.reached, "LC_ALL": "C.UTF-8",
                                   "FAIRLEAD_QUEUE": "default"})
        return done.returncode, done.stdout, done.stderr

    return run


def test_a_job_from_end_to_end(ask):
    code, out, err = ask("submit", "-r", "cpu=100m", "--wait", "--env", "X=it", "--", "sh", "-c", "echo $X; exit 7")
    assert (code, out) == (7, "1\n")
    assert err.startswith("fairlead: note: job 1: failed")
    assert ask("logs", "1") == (0, "it\n", "")
    assert ask("logs", "-f", "1") == (0, "it\n", "")
    assert ask("submit", "--wait", "-r", "cpu=100m", "--", "sh", "-c", "kill -9 $$")[0] == 137
    assert ask("submit", "--wait", "-r", "cpu=100m", "--", "true")[::2] == (0, "")
    code, out, _ = ask("submit", "--hold", "--array", "3", "-r", "cpu=100m", "--", "true")
    assert (code, out) == (0, "4-6\n")
    assert ask("cancel", "5") == (0, "job 5 cancelled\n", "")
    assert ask("release", "4[]")[0] == 0
    assert ask("job", "99")[0] == 1
    assert ask("cancel", "1")[0] == 1


def test_json_is_as_published(ask):
    assert ask("submit", "-r", "cpu=100m", "--wait", "--", "true")[0] == 0
    assert ask("submit", "-r", "cpu=99999", "--after", "1", "--time", "1h", "--", "true")[0] == 0
    for args in (["jobs", "--all"], ["job", "1"], ["job", "2"], ["queues"], ["events"], ["cancel", "2"],
                 ["tree"], ["plan"]):
        code, out, err = ask(*args, "-o", "json")
        assert (code, err) == (0, ""), args
        schema = json.loads((SOURCE / "doc" / "schema" / f"{args[0]}.schema.json").read_text())
        documents = out.splitlines() if args[0] == "events" else [out]
        assert documents
        for one in documents:
            jsonschema.Draft202012Validator(schema).validate(json.loads(one))
    for args in ["top", "--once"], ["queues"], ["jobs"], ["tree"], ["plan"]:
        assert ask(*args)[0] == 0
