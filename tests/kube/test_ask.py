# SPDX-License-Identifier: Apache-2.0
"""Single requests end once: with an answer, or with what went wrong."""
import json

import pytest
from fake import Fault
from followed import WORKLOADS


def answers(f, n):
    f.wait(lambda f: f.count("answer") == n)
    return [line for line in f.lines if line["what"] == "answer"]


def test_answers_are_whole_and_one_that_is_cancelled_has_none(fake, follow):
    f = follow("ask=5", WORKLOADS)
    got = answers(f, 4)
    assert sorted(json.loads(a["body"])["spec"]["token"] for a in got) == ["0", "1", "2", "3"]
    assert {a["status"] for a in got} == {201}
    f.wait(lambda f: f.listed.get("workloads"))
    assert f.count("answer") == 4


def test_later_is_later(fake, follow):
    """Refused and not acted on: asked again, within its time."""
    fake.faults += [("create", "tokenreviews", Fault(status=429, retry_after=1)), ("create", "tokenreviews", Fault(status=503, retry_after=1))]
    f = follow("ask=2", WORKLOADS)
    assert answers(f, 1)[0]["status"] == 201
    assert sum(1 for verb, _, _ in fake.requests if verb == "create") == 3


@pytest.mark.parametrize("fault, status, text", [
    (Fault(status=429, retry_after=2), 429, "asks for fewer requests (429): a \"fault\""),
    (Fault(status=500), 500, "refuses (500)"),
    (Fault(status=409), 409, "refuses (409)"),
])
def test_what_does_not_end_in_time(fake, follow, fault, status, text):
    fake.always["create", "tokenreviews"] = fault
    got = answers(follow("ask=2", "timeout=3500", WORKLOADS), 1)[0]
    assert got["status"] == status and text in got["text"] and got["subject"] == f"https://127.0.0.1:{fake.port}"


def test_credentials_are_read_again_once(fake, follow, tmp_path):
    fake.tokens = {"other"}
    f = follow("ask=3", "again=200", WORKLOADS)
    assert {a["status"] for a in answers(f, 2)} == {401}
    assert sum(1 for verb, _, _ in fake.requests if verb == "create") == 2, "there were no others to try"
    (tmp_path / "token").write_text("other")
    f.wait(lambda f: f.listed.get("workloads"))


def test_nobody_is_there(fake, follow):
    fake.close()
    f = follow("ask=2", "timeout=2000", WORKLOADS)
    got = answers(f, 1)[0]
    assert got["status"] == 0 and got["text"] == "no API server answers there"
    f.wait(lambda f: f.trouble.get("workloads"))


PLUGIN = """#!/bin/sh
echo run >>{folder}/runs
sleep 0.3
cat {folder}/said
"""


def test_a_plugin_gives_credentials_and_others_when_they_are_refused(fake, follow, tmp_path):
    def say(text):
        (tmp_path / "said").write_text(text)

    def token(text):
        say(json.dumps({"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"token": text}}))

    script = tmp_path / "plugin"
    script.write_text(PLUGIN.format(folder=tmp_path))
    script.chmod(0o755)
    plugin = f"{{apiVersion: client.authentication.k8s.io/v1, command: {script}, interactiveMode: Never}}"
    token("secret")
    fake.put("workloads", "a", "w")
    f = follow("again=300", WORKLOADS, "/v1/pods", "ask=4", plugin=plugin)
    f.wait_equal(fake, "workloads")
    assert {a["status"] for a in answers(f, 3)} == {201}
    assert (tmp_path / "runs").read_text() == "run\n", "all wait for the one"
    token("other")
    fake.tokens = {"other"}
    fake.cut_all()
    fake.put("workloads", "a", "new")
    f.wait_equal(fake, "workloads")
    say("rubbish")
    fake.tokens = {"third"}
    fake.cut_all()
    f.wait(lambda f: f.trouble.get("workloads"))
    assert "ExecCredential" in f.trouble["workloads"]["text"]
    token("third")
    f.wait(lambda f: not any(f.trouble.values()))
