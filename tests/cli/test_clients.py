# SPDX-License-Identifier: Apache-2.0
"""The verbs that ask the daemon, against one that answers what it is told (fake_daemon.py)."""
import json
import os
import pathlib
import pty
import select
import signal
import struct
import subprocess
import fcntl
import tempfile
import termios
import time

import pytest

import fake_daemon as fake
from fake_daemon import error, event, job, lines

NOW = fake.NOW
ALL = "held,depends,waits,starts,runs,stops,done,failed,cancelled"


@pytest.fixture
def daemon():
    with tempfile.TemporaryDirectory(prefix="fl", dir="/tmp") as folder:
        made = fake.Fake(f"{folder}/s")
        yield made
        made.stop()


@pytest.fixture
def ask(fairlead, daemon):
    def run(*args, env=None, **how):
        return fairlead(*args, env={"FAIRLEAD_SOCKET": daemon.path, **(env or {})}, **how)

    return run


def see(verb):
    return f"See 'fairlead {verb} --help'.\n"


def spec_of(daemon):
    """What was submitted, without the environment."""
    spec = json.loads(next(body for method, path, body in daemon.asked if (method, path) == ("POST", "/v1/jobs")))
    environment = spec.pop("environment")
    return spec, environment


# --- when it is not there ---

CALLS = [["submit", "-q", "a", "--", "true"], ["jobs"], ["job", "17"], ["logs", "17"], ["cancel", "17"],
         ["hold", "17"], ["release", "17"], ["requeue", "17"], ["update", "17", "--priority", "1"], ["watch", "17"], ["acknowledge"], ["configuration", "get"], ["queues"], ["events"], ["history"], ["usage"], ["agreement"], ["top"], ["explain", "17"], ["tree"], ["plan"],
         ["what-if", "--delete", "ClusterQueue/q"]]


@pytest.mark.parametrize("args", CALLS, ids=lambda a: a[0])
def test_no_daemon(fairlead, tmp_path, args):
    where = str(tmp_path / "none.sock")
    r = fairlead(args[0], "--socket", where, *args[1:])
    assert (r.code, r.out) == (3, "")
    assert r.err.startswith(f"fairlead: error: {where}: no daemon listens here\nhint: start one: ")
    manifests = "hint: for manifests give -f FILE, a folder, or - for standard input\n"
    assert r.err.endswith(manifests) == (args[0] in ("explain", "tree", "plan", "what-if"))
    assert fairlead(*args, env={"FAIRLEAD_SOCKET": where}).err == r.err


@pytest.mark.parametrize("args", CALLS, ids=lambda a: a[0])
@pytest.mark.parametrize("answer, code, message", [
    ((403, error(403, "this is not for you", "ask bob, who is admin")), 1,
     "this is not for you\nhint: ask bob, who is admin\n"),
    ((409, error(409, "it is over")), 1, "it is over\n"),
    ((429, error(429, "more than 10 requests a second")), 3,
     "more than 10 requests a second\nhint: try again in a moment\n"),
    ((503, error(503, "the disk is full", "make room")), 3, "the disk is full\nhint: make room\n"),
    ((500, "oops"), 3, "the daemon answered with HTTP status 500 and no reason\n"),
    ((403, error(403, "bad\x1b[2J\x9b")), 1, "bad?[2J?\n"),
])
def test_refusals(ask, daemon, args, answer, code, message):
    daemon.answer = lambda *_: answer
    r = ask(*args)
    assert (r.code, r.out) == (code, "")
    hint = "hint: for manifests give -f FILE, a folder, or - for standard input\n"
    if code == 3 and args[0] in ("explain", "tree", "plan", "what-if"):
        message += hint
    assert r.err.replace("job 17: ", "") == "fairlead: error: " + message


@pytest.mark.parametrize("args", [c for c in CALLS if c[0] not in ("logs", "events", "explain", "tree", "plan",
                                                                     "what-if")], ids=lambda a: a[0])
def test_not_understood(ask, daemon, args):
    for content in ("", "[]", "<html>"):
        daemon.answer = lambda *_: (200, content)
        r = ask(*args)
        assert r.code == 3
        assert r.err == ("fairlead: error: the daemon's answer is not understood\n"
                         "hint: fairleadd and fairlead should be of the same version\n")


@pytest.mark.parametrize("args", CALLS, ids=lambda a: a[0])
def test_gone_in_the_middle(ask, daemon, args):
    daemon.answer = lambda *_: None
    r = ask(*args)
    assert r.code == 3
    assert "the daemon closed the connection before it answered" in r.err


# --- submit ---


def test_submit(ask, daemon, tmp_path):
    daemon.answers["POST /v1/jobs"] = 201, {"jobs": [17]}
    r = ask("submit", "-q", "team-a", "-r", "cpu=500m,mem=4Gi", "--request", "example.com/fpga=1", "--name", "n",
            "--tasks", "2", "--priority", "-5", "--after", "12,13:any,3-4:failed", "--hold", "--time", "1h30m",
            "--grace", "5s", "--signal", "INT", "--output", "logs/%j", "--select", "gpu-type=a100", "--env", "A=1",
            "--", "python", "train.py", "--lr", "1", env={"B": "2"})
    assert (r.code, r.out, r.err) == (0, "17\n", "")
    spec, environment = spec_of(daemon)
    assert spec == {
        "command": ["python", "train.py", "--lr", "1"], "queue": "team-a",
        "requests": {"cpu": "500m", "memory": "4Gi", "example.com/fpga": "1"}, "name": "n", "tasks": 2,
        "priority": -5, "after": [{"job": 12, "when": "ok"}, {"job": 13, "when": "any"},
                                  {"job": 3, "when": "failed"}, {"job": 4, "when": "failed"}],
        "hold": True, "timeLimit": "1h30m", "grace": "5s", "signal": "INT", "output": f"{tmp_path}/logs/%j",
        "labels": {"gpu-type": "a100"}, "directory": str(tmp_path)}
    assert (environment["A"], environment["B"], environment["PATH"]) == ("1", "2", os.environ["PATH"])
    assert [p for _, p, _ in daemon.asked] == ["/v1/jobs"]


def test_submit_numbers(ask, daemon, valid):
    for jobs, text in ([5], "5\n"), ([5, 6, 7], "5-7\n"), ([5, 7, 8], "5\n7-8\n"):
        daemon.answers["POST /v1/jobs"] = 201, {"jobs": jobs}
        assert ask("submit", "-q", "a", "--array", "3", "--", "true").out == text
        r = ask("submit", "-q", "a", "-o", "json", "--", "true")
        assert valid(r.json(), "submit") == {"apiVersion": "fairlead.dev/v1alpha1", "kind": "Submitted", "jobs": jobs}


def test_submit_notes(ask, daemon, valid):
    daemon.answers["POST /v1/jobs"] = 201, {"jobs": [17], "notes": ["it asks for 99 of cpu, and there are 8"]}
    r = ask("submit", "-q", "a", "-r", "cpu=99", "--", "true")
    assert (r.code, r.out, r.err) == (0, "17\n", "fairlead: warning: it asks for 99 of cpu, and there are 8\n")
    r = ask("submit", "-q", "a", "-r", "cpu=99", "-o", "json", "--", "true")
    assert (r.code, r.err) == (0, "")
    assert valid(json.loads(r.out), "submit")["notes"] == ["it asks for 99 of cpu, and there are 8"]


def test_submit_environment(ask, daemon, write):
    daemon.answers["POST /v1/jobs"] = 201, {"jobs": [1]}
    write("vars", "# these\n\n  X=from file\nY\n")
    r = ask("submit", "-q", "a", "--clean-env", "--env-file", "vars", "--env", "Z", "--env", "E=", "--", "true",
            env={"Y": "yes", "Z": "a=b", "OTHER": "no"})
    assert r.code == 0
    assert spec_of(daemon)[1] == {"X": "from file", "Y": "yes", "Z": "a=b", "E": ""}


@pytest.mark.parametrize("text", ["\ufeffX=1\r\n# these\r\n\r\n  Y= a\rb \r\nZ", "\ufeff  X=1\nY= a\rb \nZ\r"])
def test_submit_environment_of_a_file_of_another_system(ask, daemon, tmp_path, text):
    daemon.answers["POST /v1/jobs"] = 201, {"jobs": [1]}
    (tmp_path / "vars").write_bytes(text.encode())
    r = ask("submit", "-q", "a", "--clean-env", "--env-file", "vars", "--", "true", env={"Z": "z"})
    assert (r.code, r.err) == (0, "")
    assert spec_of(daemon)[1] == {"X": "1", "Y": " a\rb ", "Z": "z"}


def test_submit_environment_that_is_not_utf8(fairlead, daemon, tmp_path):
    daemon.answers["POST /v1/jobs"] = 201, {"jobs": [1]}
    r = subprocess.run([os.environ["FAIRLEAD"], "submit", "-q", "a", "--", "true"], cwd=tmp_path,
                       env={b"FAIRLEAD_SOCKET": daemon.path.encode(), b"ODD": b"\xff", b"GOOD": b"1"},
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    assert (r.returncode, r.stdout) == (0, b"1\n")
    assert r.stderr == b"fairlead: warning: ODD: left out of the environment: it is not UTF-8\n"
    assert set(spec_of(daemon)[1]) == {"FAIRLEAD_SOCKET", "GOOD"}


def test_submit_places(ask, daemon, tmp_path):
    daemon.answers["POST /v1/jobs"] = 201, {"jobs": [1]}
    for args, directory, output in [
            (["--dir", "sub", "--output", "x"], f"{tmp_path}/sub", f"{tmp_path}/sub/x"),
            (["--dir", "/d", "--output", "x"], "/d", "/d/x"), (["--output", "/abs"], str(tmp_path), "/abs")]:
        daemon.asked.clear()
        assert ask("submit", "-q", "a", *args, "--", "true").code == 0
        spec, _ = spec_of(daemon)
        assert (spec["directory"], spec["output"]) == (directory, output)


def queue(name, kind="ClusterQueue", parent=None, resources=None, **more):
    amounts = {"nominal": "4", "usage": "0", "borrowed": "0", "lent": "0", "pending": "0"}
    return {"name": name, "kind": kind, "parent": parent, "weight": 1, "share": 0,
            "resources": resources if resources is not None else {"cpu": amounts, "nvidia.com/gpu": amounts},
            "running": 0, "waiting": 0, "held": 0, "conditions": [], **more}


@pytest.mark.parametrize("queues, env, chosen", [
    ([queue("c", "Cohort"), queue("only")], {}, "only"),
    ([queue("x", submit=["door"])], {}, "door"),
    ([queue("mine"), queue("theirs", mayUse=False)], {}, "mine"),
    ([queue("a", submit=["a"]), queue("a", "LocalQueue", "a", submit=["a"])], {}, "a"),
    ([queue("a"), queue("b")], {"FAIRLEAD_QUEUE": "b"}, "b"),
])
def test_submit_default_queue(ask, daemon, queues, env, chosen):
    daemon.answers["POST /v1/jobs"] = 201, {"jobs": [1]}
    daemon.answers["GET /v1/queues"] = 200, {"queues": queues}
    assert ask("submit", "--", "true", env=env).code == 0
    assert spec_of(daemon)[0]["queue"] == chosen


def test_submit_no_default_queue(ask, daemon):
    daemon.answers["GET /v1/queues"] = 200, {"queues": [queue("a"), queue("b", submit=["b1", "b2"])]}
    r = ask("submit", "--", "true")
    assert (r.code, r.err) == (2, "fairlead submit: no queue is named: give -q QUEUE, or set FAIRLEAD_QUEUE, to one of a, b1, b2\n" +
                               see("submit"))
    daemon.answers["GET /v1/queues"] = 200, {"queues": [queue("a", mayUse=False)]}
    r = ask("submit", "--", "true")
    assert (r.code, r.err) == (2, "fairlead submit: you may use none of the queues; an admin can change that in "
                               ".spec.access of the Daemon\n" + see("submit"))
    daemon.answers["GET /v1/queues"] = 200, {"queues": []}
    r = ask("submit", "--", "true")
    assert (r.code, r.err) == (2, "fairlead submit: there is no queue; an admin has to create one\n" + see("submit"))


def test_submit_gpu_is_short(ask, daemon):
    daemon.answers["POST /v1/jobs"] = 201, {"jobs": [1]}
    for resources, name in [({"nvidia.com/gpu": {}}, "nvidia.com/gpu"), ({"gpu": {}, "amd.com/gpu": {}}, "gpu"),
                            ({"cpu": {}}, "gpu")]:
        daemon.asked.clear()
        daemon.answers["GET /v1/queues"] = 200, {"queues": [queue("a", resources=resources)]}
        assert ask("submit", "-q", "a", "-r", "gpu=1", "--", "true").code == 0
        assert spec_of(daemon)[0]["requests"] == {name: "1"}
    both = queue("a", resources={"nvidia.com/gpu": {}, "amd.com/gpu": {}})
    daemon.answers["GET /v1/queues"] = 200, {"queues": [both]}
    r = ask("submit", "-q", "a", "-r", "gpu=1", "--", "true")
    assert (r.code, r.err) == (2, "fairlead submit: --request: gpu may mean nvidia.com/gpu or amd.com/gpu here; "
                               "name one of them\n" + see("submit"))


@pytest.mark.parametrize("args, message", [
    ([], "a command is missing: fairlead submit -q QUEUE -- python train.py, or a script"),
    (["--"], "a command is missing: fairlead submit -q QUEUE -- python train.py, or a script"),
    (["--quue", "a", "--", "x"], "unknown option '--quue'; did you mean '--queue'?"),
    (["--hold=1", "--", "x"], "option '--hold' takes no value"),
    (["-q"], "option '-q' needs a value"),
    (["-o", "xml", "--", "x"], "--format: 'xml' is neither text nor json; --output PATH is the file for what the job prints"),
    (["-r", "cpu", "--", "x"], "--request: 'cpu' is not RESOURCE=AMOUNT, such as cpu=2"),
    (["-r", "=2", "--", "x"], "--request: '=2' is not RESOURCE=AMOUNT, such as cpu=2"),
    (["-r", "cpu=2,", "--", "x"], "--request: '' is not RESOURCE=AMOUNT, such as cpu=2"),
    (["-r", "cpu=two", "--", "x"], "--request: cpu: 'two' is not a quantity"),
    (["-r", "mem=4", "--", "x"], "--request: memory: 4 without a unit is bytes; give one, such as 4Mi or 4Gi"),
    (["-r", "gpu=0.5", "--", "x"], "--request: gpu: '0.5' is not a whole number"),
    (["-r", "mem=99E", "--", "x"], "--request: memory: '99E' is too large"),
    (["--after", "x", "--", "x"], "--after: 'x' is not a job, such as 17, or jobs, such as 17-20"),
    (["--after", "1-99", "--", "x"], "--after: '1-99' is not a job, such as 17, or jobs, such as 17-20"),
    (["--after", "1:done", "--", "x"], "--after: 'done' is none of ok, failed, any and begun"),
    (["--select", "a100", "--", "x"], "--select: 'a100' is not KEY=VALUE"),
    (["--env", "=x", "--", "x"], "--env: '=x' is not the name of a variable"),
    (["--env", "NOT_SET_HERE", "--", "x"], "--env: NOT_SET_HERE is not set here"),
    (["--env", b"A=\xff", "--", "x"], None),
    (["--grace", "soon", "--", "x"], "--grace: 'soon' is not a duration such as 90s or 1h30m"),
    (["--tasks", "0", "--", "x"], "--tasks: '0' is not a number from 1 to 4096"),
    (["--priority", "high", "--", "x"], "--priority: 'high' is not a whole number of at most nine digits"),
    (["--signal", "STOP", "--", "x"], "--signal: 'STOP' is none of HUP, INT, KILL, QUIT, TERM, USR1 and USR2"),
])
def test_submit_usage(ask, daemon, args, message):
    r = ask("submit", *args)
    assert (r.code, r.out) == (2, "")
    if message:
        assert r.err == f"fairlead submit: {message}\n" + see("submit")
    else:
        assert "is not UTF-8" in r.err
    assert not daemon.asked


@pytest.mark.parametrize("args, message", [
    (["--", ""], "fairlead: error: command: names no program\n"),
    (["-r", "a b=1", "--", "x"], "fairlead: error: requests: 'a b' is not the name of a resource\n"),
    (["--name", "x" * 64, "--", "x"], "fairlead: error: name: is longer than 63 bytes\n"),
    (["--name", "a\x1bb", "--", "x"], "fairlead: error: name: has control characters, or characters that cannot be seen\n"),
    (["--env", "A=" + "x" * 131000, "--env", "B=" + "x" * 131000, "--", "x"],
     "fairlead: error: environment: command, hooks and environment together have more than 131072 bytes\n"
     "hint: put long data into a file; with --clean-env no variable of your environment is passed on\n"),
    (["--env-file", "none", "--", "x"], "none: error: no such file or directory\n"),
])
def test_submit_refused_here(ask, daemon, args, message):
    r = ask("submit", "-q", "a", *args)
    assert (r.code, r.out, r.err) == (1, "", message)
    assert not daemon.asked


# --- scripts ---


def test_script(ask, daemon, write, tmp_path):
    daemon.answers["POST /v1/jobs"] = 201, {"jobs": [1]}
    write("train.sh", "#!/usr/bin/env -S bash -e\r\n# trains\n#FAIRLEAD -q team-a -r 'cpu=2,example.com/x=1' # why\n\n"
          "#FAIRLEAD --name \"a b\" --hold\n#FAIRLEADING no\necho hi\n#FAIRLEAD --tasks 9\n")
    assert ask("submit", "-r", "cpu=4", "train.sh", "--lr", "1").code == 0
    spec, _ = spec_of(daemon)
    assert spec == {"queue": "team-a", "requests": {"cpu": "4", "example.com/x": "1"}, "name": "a b", "hold": True,
                    "command": ["/usr/bin/env", "-S bash -e", f"{tmp_path}/train.sh", "--lr", "1"],
                    "directory": str(tmp_path)}


@pytest.mark.parametrize("content, code, message", [
    (None, 1, "s: error: no such file or directory\nhint: a command comes after --: fairlead submit ... -- PROGRAM; "
     "without -- it is a script\n"),
    ("", 1, "s: error: is empty\n"),
    ("echo\n", 1, "s: error: does not begin with #!, as a script does\nhint: begin it with #!/bin/sh; a program "
     "comes after --: fairlead submit ... -- PROGRAM\n"),
    ("#!/bin/sh\n#FAIRLEAD --quue a\n", 2, "fairlead submit: unknown option '--quue'; did you mean '--queue'?\n" +
     see("submit") + "s:2: note: the option is here\n"),
    ("#!/bin/sh\n\n#FAIRLEAD --tasks x\n", 2, "fairlead submit: --tasks: 'x' is not a number from 1 to 4096\n" +
     see("submit") + "s:3: note: the option is here\n"),
    ("#!/bin/sh\n#FAIRLEAD -q 'a\n", 1, "s:2: error: a quote does not end here\n"),
    ("#!/bin/sh\n#FAIRLEAD python x\n", 1,
     "s:2: error: only options may follow #FAIRLEAD; the command is the script itself\n"),
    ("#!/bin/sh\n#FAIRLEAD --socket x\n", 1, "s:2: error: --socket belongs on the command line, not in a script\n"),
    ("#!/bin/sh\n#FAIRLEAD -o json\n", 1, "s:2: error: --format belongs on the command line, not in a script\n"),
    ("#!\n", 1, "fairlead: error: command: names no program\n"),
])
def test_script_errors(ask, daemon, write, content, code, message):
    if content is not None:
        write("s", content)
    r = ask("submit", "-q", "a", "s")
    assert (r.code, r.out, r.err) == (code, "", message)
    assert not daemon.asked


def test_script_that_is_a_folder(ask):
    r = ask("submit", "-q", "a", ".")
    assert (r.code, r.err) == (1, ".: error: is not a file\n")


# --- waiting ---


def wait(daemon, tmp_path, *args, **how):
    return subprocess.Popen([os.environ["FAIRLEAD"], "submit", "-q", "a", "--wait", *args, "--", "true"], cwd=tmp_path,
                            env={**os.environ, "FAIRLEAD_SOCKET": daemon.path}, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, **how)


@pytest.mark.parametrize("over, code, message", [
    (job(17, "done", exit={"kind": "exited", "status": 0}), 0, ""),
    (job(17, "failed", exit={"kind": "exited", "status": 7}), 7, "fairlead: note: job 17: failed, status 7\n"),
    (job(17, "failed", reason="ended by signal 9", exit={"kind": "signalled", "status": 9}), 137,
     "fairlead: note: job 17: failed: ended by signal 9\n"),
    (job(17, "cancelled", reason="cancelled by bob"), 1, "fairlead: note: job 17: cancelled: cancelled by bob\n"),
    (job(17, "cancelled", exit={"kind": "exited", "status": 0}), 1, "fairlead: note: job 17: cancelled, status 1\n"),
])
def test_wait(daemon, tmp_path, over, code, message):
    daemon.answers["POST /v1/jobs"] = 201, {"jobs": [17]}
    daemon.answers["GET /v1/jobs/17"] = [(200, job(17)), (200, job(17, "runs")), (200, over)]
    daemon.answers["GET /v1/events"] = 200, lines(event(5, "Started"))
    out, err = (p := wait(daemon, tmp_path)).communicate(timeout=60)
    assert (p.returncode, out, err) == (code, "17\n", message)
    followed = [path for _, path, _ in daemon.asked if path.startswith("/v1/events")]
    assert followed == ["/v1/events?job=17&after=0.0&follow=1", "/v1/events?job=17&after=5.0&follow=1"]


def test_wait_for_an_array(daemon, tmp_path):
    daemon.answers["POST /v1/jobs"] = 201, {"jobs": [1, 2, 3]}
    for n, status in (1, 0), (2, 4), (3, 5):
        state = "failed" if status else "done"
        daemon.answers[f"GET /v1/jobs/{n}"] = 200, job(n, state, exit={"kind": "exited", "status": status})
    out, err = (p := wait(daemon, tmp_path, "--array", "3")).communicate(timeout=60)
    assert (p.returncode, out) == (4, "1-3\n")
    assert err == "fairlead: note: job 2: failed, status 4\nfairlead: note: job 3: failed, status 5\n"


def test_wait_through_a_restart(daemon, tmp_path):
    daemon.answers["POST /v1/jobs"] = 201, {"jobs": [17]}
    daemon.answers["GET /v1/jobs/17"] = [None, (200, job(17, "done", exit={"kind": "exited", "status": 0}))]
    out, err = (p := wait(daemon, tmp_path)).communicate(timeout=60)
    assert (p.returncode, out) == (0, "17\n")
    assert err == "fairlead: the daemon is not reachable; the job goes on, and fairlead waits\n"


@pytest.mark.parametrize("jobs, message", [
    ([17], "\nfairlead: job 17 goes on; fairlead job 17 shows it, fairlead cancel 17 ends it\n"),
    ([17, 18, 19], "\nfairlead: job 17 and 2 more go on; fairlead job 17 shows it, fairlead cancel 17 ends it\n"),
])
def test_wait_interrupted(daemon, tmp_path, jobs, message):
    daemon.answers["POST /v1/jobs"] = 201, {"jobs": jobs}
    daemon.answers["GET /v1/jobs/17"] = 200, job(17)
    daemon.answers["GET /v1/events"] = 200, until_closed(daemon)
    p = wait(daemon, tmp_path)
    wait_until(lambda: any(path.startswith("/v1/events") for _, path, _ in daemon.asked))
    p.send_signal(signal.SIGINT)
    out, err = p.communicate(timeout=60)
    daemon.ended = True
    assert p.returncode == 130
    assert err == message


def until_closed(daemon):
    daemon.ended = False
    yield b"\n"
    while not daemon.ended:
        time.sleep(0.02)


def wait_until(condition):
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


# --- lists ---

JOBS = [
    job(17, "runs", startedAt="2026-01-02T11:40:00Z", attempt=1),
    job(18, "waits", name="", user="bob", reason="waits for 1 gpu"),
    job(19, "depends", array=19, arrayIndex=3, tasks=4, reason="waits for job 17"),
]
OVER = [
    job(20, "failed", exit={"kind": "exited", "status": 3}, ranSeconds=12.5),
    job(21, "failed", exit={"kind": "signalled", "status": 9}, ranSeconds=7300),
    job(22, "failed", exit={"kind": "lost", "status": 0}),
    job(23, "done", exit={"kind": "exited", "status": 0}, name="x\x1b[31m\n"),
]


def test_jobs(ask, daemon, valid):
    daemon.answers["GET /v1/jobs"] = 200, {"now": NOW, "jobs": JOBS, "more": False}
    r = ask("jobs")
    assert (r.code, r.err) == (0, "")
    assert r.out == """\
  JOB  NAME      QUEUE   USER   STATE    TIME  ASKS FOR          WHY
   17  train     team-a  alice  runs      20m  cpu=2, gpu=1
   18  -         team-a  bob    waits     30m  cpu=2, gpu=1      waits for 1 gpu
   19  train[3]  team-a  alice  depends   30m  4 x cpu=2, gpu=1  waits for job 17

1 run, 1 wait, 1 depend.
"""
    assert daemon.asked[0][1] == "/v1/jobs?limit=1000"
    document = valid(ask("jobs", "-o", "json").json(), "jobs")
    assert (document["kind"], [j["id"] for j in document["jobs"]]) == ("Jobs", [17, 18, 19])


def test_jobs_that_are_over(ask, daemon):
    daemon.answers["GET /v1/jobs"] = 200, {"now": NOW, "jobs": OVER, "more": True}
    assert ask("jobs", "--all").out == """\
  JOB  NAME     QUEUE   USER   STATE   TIME  ASKS FOR      WHY
   20  train    team-a  alice  failed   12s  cpu=2, gpu=1  exit status 3
   21  train    team-a  alice  failed  2h1m  cpu=2, gpu=1  ended by signal 9
   22  train    team-a  alice  failed    0s  cpu=2, gpu=1  lost
   23  x?[31m?  team-a  alice  done      0s  cpu=2, gpu=1

1 done, 3 failed; there are more: --limit says how many to show.
"""
    assert daemon.asked[0][1] == f"/v1/jobs?state={ALL.replace(',', '%2C')}&limit=1000&last=1"


@pytest.mark.parametrize("columns, heads", [
    ("60", "JOB NAME STATE WHY"), ("80", "JOB NAME QUEUE USER STATE TIME WHY"),
    ("120", "JOB NAME QUEUE USER STATE TIME ASKS FOR WHY"), ("200", "JOB NAME QUEUE USER STATE TIME ASKS FOR WHY")])
def test_jobs_fit(ask, daemon, columns, heads):
    many = [*JOBS, job(1700, "waits", name="a-sweep-of-all-parameters", queue="team-a",
                       reason="waits for 1 gpu of cohort company: team-b holds 3, of which 1 is borrowed")]
    daemon.answers["GET /v1/jobs"] = 200, {"now": NOW, "jobs": many}
    out = ask("jobs", env={"COLUMNS": columns}).out.splitlines()
    assert " ".join(out[0].split()) == heads
    assert max(map(len, out)) <= int(columns)


def test_jobs_arguments(ask, daemon):
    daemon.answers["GET /v1/jobs"] = 200, {"jobs": []}
    r = ask("jobs", "-q", "a/b&c", "-u", "bob", "--state", "waits,runs", "--limit", "5")
    assert (r.code, r.out) == (0, "No jobs.\n")
    assert daemon.asked[0][1] == "/v1/jobs?state=waits%2Cruns&queue=a%2Fb%26c&user=bob&limit=5"
    assert ask("jobs").out == "No jobs that wait or run; --all lists those that are over, too.\n"


@pytest.mark.parametrize("args, message", [
    (["jobs", "--state", "wait"], "--state: there is no state 'wait'; did you mean 'waits'?"),
    (["jobs", "--state", "runs,"], "--state: there is no state ''; the states are held, depends, waits, starts, runs, "
     "stops, done, failed and cancelled; PENDING and RUNNING are some of these"),
    (["jobs", "--all", "--state", "runs"], "give either --all or --state, not both"),
    (["jobs", "--start", "--all"], "--start lists pending jobs: it goes without --all and --state"),
    (["jobs", "--start", "--state", "waits"], "--start lists pending jobs: it goes without --all and --state"),
    (["jobs", "--start", "-o", "json"], "with --start give --json, not -o json"),
    (["jobs", "--json", "-o", "json"], "give either --json, a line for each job, or -o json, one document"),
    (["jobs", "--json", "--format", "id"], "give either --format or --json, not both"),
    (["jobs", "--format", "id", "-o", "json"], "--format is for text, and not for -o json"),
    (["jobs", "--noheader"], "--noheader goes with columns such as '%i %j %T'"),
    (["jobs", "--noheader", "--format", "id"], "--noheader goes with columns such as '%i %j %T'"),
    (["jobs", "-o", "id,name"], "--output: 'id,name' is neither text nor json"),
    *[(["jobs", "--format", text], "--format: " + message) for text, message in [
        ("", "a column is missing"), (",", "a column is missing"), ("id,", "a column is missing"),
        ("id,,name", "a column is missing"), ("named", "'named' is not a column; did you mean 'name'?"),
        ("ID", "'ID' is not a column; did you mean 'id'?"),
        ("?!", "'?!' is not a column; there are id, name, queue, user, state, time, asks, why, reason, start, between, "
         "priority, tasks, cpu, memory, gpu, array, index, submitted, started, ended, exit, attempt, evictions, losses"),
        ("why:", "'' is not a width from 1 to 1000"), ("why:0,id", "'0' is not a width from 1 to 1000"),
        ("why:1001", "'1001' is not a width from 1 to 1000"), ("why:x", "'x' is not a width from 1 to 1000"),
        ("why:4x", "after 'why' comes a comma or :WIDTH"), ("why:999999999999", "'999999999999' is not a width from 1 to 1000"),
        (",".join(["id"] * 33), "more than 32 columns"), ("%i " * 33, "more than 32 columns"),
        ("%", "after the last % a letter is missing"), ("%.8", "after the last % a letter is missing"),
        ("%.i", "'' is not a width from 1 to 1000"), ("%0i", "'0' is not a width from 1 to 1000"),
        ("%i %Z", "%Z is none of the letters of squeue that are understood here: i A j P u T t M R r S Q p C m b F K V e"),
        ("%\x1b", "%? is none of the letters of squeue that are understood here: i A j P u T t M R r S Q p C m b F K V e"),
    ]],
    (["jobs", "--limit", "0"], "--limit: '0' is not a number from 1 to 10000"),
    (["jobs", "x"], "unexpected argument 'x'"),
    (["job"], "JOB is missing"),
    (["job", "x"], "'x' is not the number of a job, such as 17"),
    (["job", "17-18"], "'17-18' is not the number of a job, such as 17"),
    (["job", "0"], "'0' is not the number of a job, such as 17"),
    (["logs", "17[]"], "'17[]' is not the number of a job, such as 17"),
    (["logs", "17", "--task", "x"], "--task: 'x' is not a number from 0 to 4095"),
    (["logs", "17", "--attempt", "0"], "--attempt: '0' is not a number from 1 on"),
    (["logs", "17", "--tail", "much"], "--tail: 'much' is not a size such as 4096 or 4Ki"),
    (["cancel"], "no job is named: give their numbers, or say which with --user, --queue, --name or --state"),
    (["cancel", "1", "x"], "'x' is not a job: 17, some: 3,5,10-20, or an array: 17[]"),
    (["cancel", "9-1"], "'9-1' is not a job: 17, some: 3,5,10-20, or an array: 17[]"),
    (["hold", "1-99999"], "'1-99999' are more than 10000 jobs"),
    (["events", "--since", "x"], "--since: 'x' is neither a time such as 2026-01-01T00:00:00Z nor how long ago, such "
     "as 1h"),
    (["events", "--job", "x"], "'x' is not the number of a job, such as 17"),
    (["events", "--limit", "x"], "--limit: 'x' is not a number from 1 to 1000000"),
    (["explain", "x"], "'x' is not the number of a job, such as 17"),
    (["explain", "ns/job/x"], "'ns/job/x' is not the number of a job, such as 17"),
    (["explain", "ns/.."], "'ns/..' is not the number of a job, such as 17"),
    (["explain", "ns/../x"], "'ns/../x' is not the number of a job, such as 17"),
    *[([verb, *operand, *option], f"{option[0]} needs an input: give -f FILE, a folder, or - for standard input; "
       "without -f the daemon is asked")
      for verb, operand, option in [
          ("tree", [], ["--now", "2026-01-01T00:00:00Z"]), ("plan", [], ["--settle"]), ("plan", [], ["--strict"]),
          ("plan", [], ["--cycle-interval", "5s"]), ("explain", ["17"], ["--policy", "borrow"]),
          ("what-if", [], ["--fail-if", "evicted.new > 0"])]],
    (["what-if"], "no change: give --set 'KIND/NAME: PATH=VALUE', --change FILE or --delete KIND/NAME"),
])
def test_usage(ask, daemon, args, message):
    r = ask(*args)
    assert (r.code, r.out, r.err) == (2, "", f"fairlead {args[0]}: {message}\n" + see(args[0]))
    assert not daemon.asked


MANY = [job(17, "runs", startedAt="2026-01-02T11:40:00Z", tasks=2, requests={"cpu": "1500m", "memory": "3Gi"}, attempt=1),
        job(18, name="tr\u00e4in\x1b[2J", why="8 of 8 cpu in use; 2 ahead of it", array=15, arrayIndex=3, priority=-2)]


@pytest.mark.parametrize("columns, text", [
    ("id", "JOB\n 17\n 18\n"),
    ("id,state,why:6", "JOB  STATE  WHY\n 17  runs\n 18  waits  8 of 8\n"),
    ("state:3,id", "STATE  JOB\nrun     17\nwai     18\n"),
    ("name,array,index", "NAME              ARRAY  INDEX\ntrain                 -      0\ntr\u00e4in?[2J[3]        15      3\n"),
    ("name:4", "NAME\ntrai\ntr\u00e4i\n"),
    ("tasks,cpu,memory,gpu", "TASKS  CPU  MEMORY  GPU\n    2    3  6.00Gi    -\n    1    2       -    1\n"),
    ("id,started,ended,exit,attempt", "JOB  STARTED (UTC)        ENDED (UTC)  EXIT  ATTEMPT\n"
     " 17  2026-01-02 11:40:00  -            -           1\n 18  -                    -            -           0\n"),
    ("%i %T", "JOB STATE\n17 runs\n18 waits\n"),
    ("%.5i|%8j|%.3t|", "  JOB|NAME    |STA|\n   17|train   |run|\n   18|tr\u00e4in?[2|wai|\n"),
    ("job %A: %R.", "job JOB: WHY.\njob 17: .\njob 18: 8 of 8 cpu in use; 2 ahead of it.\n"),
    ("%Q\t%C\x07", "PRIORITY\tCPU?\n0\t3?\n-2\t2?\n"),
])
def test_columns(ask, daemon, columns, text):
    daemon.answers["GET /v1/jobs"] = 200, {"now": NOW, "jobs": MANY, "more": False}
    r = ask("jobs", "--format", columns)
    how = str.splitlines if "%" in columns else lambda t: [line.split() for line in t.splitlines()]
    assert (r.code, r.err, how(r.out)) == (0, "", how(text))
    if "%" in columns:
        assert ask("jobs", "-o", columns).out == r.out
        assert ask("jobs", "-o", columns, "--noheader").out == r.out.split("\n", 1)[1]


def test_columns_of_none_and_of_more(ask, daemon):
    daemon.answers["GET /v1/jobs"] = 200, {"now": NOW, "jobs": [], "more": False}
    assert ask("jobs", "-o", "%i %T", "--noheader").out == ""
    assert ask("jobs", "--json").out == ""
    daemon.answers["GET /v1/jobs"] = 200, {"now": NOW, "jobs": MANY, "more": True}
    for args in ["--json"], ["--format", "id"], ["-o", "%i"]:
        assert ask("jobs", *args).err == "fairlead: note: there are more jobs: --limit says how many to show\n"


def test_json_lines(ask, daemon):
    daemon.answers["GET /v1/jobs"] = 200, {"now": NOW, "jobs": MANY, "more": False}
    r = ask("jobs", "--json")
    assert [json.loads(line) for line in r.out.splitlines()] == MANY and "\x1b" not in r.out


def test_starts(ask, daemon):
    states = {17: "Later", 18: "Fits", 19: "Never", 20: "Beyond", 21: "Unknown"}
    starts = [{"job": n, "state": s, "start": None, "from": None, "to": None} for n, s in states.items()]
    starts[0].update({"start": "2026-01-02T12:40:00Z", "from": "2026-01-02T12:30:00.5Z", "to": "2026-01-03T01:00:00Z"})
    starts.append({**starts[0], "job": 22, "to": "2026-01-02T13:00:00Z"})
    starts.append({**starts[0], "job": 23, "to": None})
    daemon.answers["GET /v1/jobs"] = 200, {"now": NOW, "jobs": [job(n) for n in range(17, 25)], "more": False}
    daemon.answers["GET /v1/starts"] = 200, {"starts": starts, "more": False, "runs": 100, "now": NOW}
    r = ask("jobs", "-q", "a&b", "-u", "bob", "--start", "--format", "id,start,between")
    assert (r.code, r.err) == (0, "")
    assert [line.split(None, 1) for line in r.out.splitlines()[1:]] == [
        ["17", "2026-01-02 12:40:00     2026-01-02 12:30:00 to 2026-01-03 01:00:00"],
        ["18", "soon                    -"], ["19", "never as things are     -"],
        ["20", "later than is foreseen  -"], ["21", "not known               -"],
        ["22", "2026-01-02 12:40:00     2026-01-02 12:30:00 to 13:00:00"],
        ["23", "2026-01-02 12:40:00     2026-01-02 12:30:00 to later than is foreseen"],
        ["24", "-                       -"]]
    assert [p for _, p, _ in daemon.asked] == ["/v1/jobs?state=waits&queue=a%26b&user=bob&limit=200",
                                               "/v1/starts?queue=a%26b&user=bob&limit=200"]
    daemon.asked.clear()
    assert "START (UTC)" in ask("jobs", "--start", "--limit", "5000").out
    assert [p for _, p, _ in daemon.asked] == ["/v1/jobs?state=waits&limit=1000", "/v1/starts?limit=1000"]
    lines = [json.loads(line) for line in ask("jobs", "--start", "--json").out.splitlines()]
    assert [line.get("expected") for line in lines] == [*starts, None]
    daemon.answers["GET /v1/starts"] = 503, error(503, "too much is asked at once")
    r = ask("jobs", "--format", "%i %S")  # which needs it, too
    assert (r.code, r.out) == (3, "") and "too much is asked at once" in r.err


WHOLE = job(
    17, "runs", now=NOW, command=["python", "train.py", "it's", "a b", ""], directory="/srv/alice", priority=5,
    output="/srv/alice/log", timeLimit="1h30m", after=[{"job": 12, "when": "ok"}, {"job": 13, "when": "any"}],
    startedAt="2026-01-02T11:40:00Z", evictions=1, array=15, arrayIndex=2, devices=[0, 1],
    placement=[{"resource": "cpu", "flavor": "default", "amount": "2"},
               {"resource": "nvidia.com/gpu", "flavor": "default", "amount": "2"}],
    attempts=[{"attempt": 1, "from": "2026-01-02T11:31:00Z", "to": "2026-01-02T11:35:00Z", "ended": "preempted",
               "preemptor": 18, "placement": [], "waitedSeconds": 60.0},
              {"attempt": 2, "from": "2026-01-02T11:40:00Z", "to": None, "ended": None, "preemptor": None,
               "placement": [], "waitedSeconds": 1.5, "cpuSeconds": 90.25,
               "peakMemoryBytes": 2**31}], outputLost=0, waitedSeconds=400.5, lostSeconds=240.0, cpuSeconds=90.25,
               peakMemoryBytes=2**31, cpuEfficiency=0.188, memoryEfficiency=0.5)


def test_job(ask, daemon, valid):
    daemon.answers["GET /v1/jobs/17"] = 200, WHOLE
    r = ask("job", "17")
    assert (r.code, r.err) == (0, "")
    assert r.out == """\
Job 17, train[2]
runs

  queue       team-a, of alice
  asks for    cpu=2, gpu=1
  holds       cpu=2 of default, gpu=2 of default; devices 0, 1
  command     python train.py 'it'\\''s' 'a b' ''
  directory   /srv/alice
  output      /srv/alice/log
  time limit  1h30m
  priority    5
  evictions   1
  array       15[], number 2 of it
  after       12 (ok), 13 (any)
  submitted   2026-01-02 11:30:00 UTC, 30m ago
  started     2026-01-02 11:40:00 UTC, 20m ago
  waited      6m40s
  lost        4m in attempts that must be made again
  used        1m30s of CPU time, 19 % of the cpu that it held
              2.00Gi of memory at its highest, 50 % of the memory that it held

  ATTEMPT  FROM (UTC)           FOR  ENDED
        1  2026-01-02 11:31:00   4m  preempted for job 18
        2  2026-01-02 11:40:00  20m  runs
"""
    document = valid(ask("job", "17", "-o", "json").json(), "job")
    assert document == {"apiVersion": "fairlead.dev/v1alpha1", "kind": "Job", **WHOLE}


def test_job_that_waits(ask, daemon):
    daemon.answers["GET /v1/jobs/18"] = 200, {"now": NOW, **job(18, reason="refused", why="8 of 8 cpu in use; 2 ahead of it")}
    out = ask("job", "default/18").out
    assert out.startswith("Job 18, train\nwaits: 8 of 8 cpu in use; 2 ahead of it\n\n  queue ")
    assert out.endswith("\n\n'fairlead explain 18' shows the numbers.\n")


def test_job_that_is_over(ask, daemon):
    daemon.answers["GET /v1/jobs/20"] = 200, {"now": NOW, **OVER[0], "endedAt": "2026-01-02T11:59:00Z",
                                              "outputLost": 5000}
    out = ask("job", "20").out
    assert out.startswith("Job 20, train\nfailed: exit status 3\n")
    assert "  ended       2026-01-02 11:59:00 UTC, 1m ago\n  ran         12s\n" in out
    assert "\n  dropped     5000 bytes of output, beyond the limit\n" in out


@pytest.mark.parametrize("kind, status, reason, advice", [
    ("exited", 127, "exited with status 127", "status 127 is that of a shell that did not find a command: is it spelled "
     "right, and in the PATH of the job (--env PATH)?"),
    ("exited", 126, "exited with status 126", "status 126 is that of a shell that may not run a command: chmod +x, and does "
     "its first line name a program that is there?"),
    ("exited", 137, "exited with status 137", "status 137 is that of a shell whose program was killed by signal 9, mostly "
     "as there was no memory left; it used 1.50Gi."),
    ("exited", 139, "exited with status 139", "a status above 128 is that of a shell whose program was ended by signal 11."),
    ("exited", 137, "exited with status 137, out of memory", "ask for more memory: it used 1.50Gi, which is all that it "
     "asked for."),
    ("signalled", 9, "killed by signal 9, out of memory", "ask for more memory: it used 1.50Gi, which is all that it asked "
     "for."),
    ("signalled", 9, "killed by signal 9", "killed by a person, or by the kernel as the machine ran out of memory; it "
     "used 1.50Gi."),
    ("signalled", 15, "killed by signal 15 (time limit)", "give it more time with --time, or let it save its state at the "
     "signal and go on from there."),
    ("exited", 0, "exited with status 0 (time limit)", "give it more time with --time, or let it save its state at the "
     "signal and go on from there."),
    ("signalled", 11, "killed by signal 11", "the program used memory that it does not have, which is a mistake in it."),
    ("impossible", 0, "impossible: cannot go to the directory '/a': No such file or directory", "make that folder, let the "
     "job enter it, or name another one with --dir."),
    ("impossible", 0, "impossible: cannot run 'trian.py': No such file or directory", "is the command spelled right, in the "
     "PATH of the job (--env PATH), and may it be run?"),
    ("impossible", 0, "impossible: cannot write output to '/a': Permission denied", "name another file with --output, or "
     "leave it out: the daemon keeps the output then."),
    ("impossible", 0, "impossible: the daemon runs as user 5 and cannot run jobs of user 6; only a daemon that runs as root "
     "can", "ask an admin: only a daemon that runs as root can run jobs of other users."),
    ("lost", 0, "lost", "what stood beside the job was ended too often; its events say when: fairlead events --job 20."),
    ("not started", 0, "not started: cannot make a process", "it could not be started too often; its events say when: "
     "fairlead events --job 20."),
    ("exited", 1, "exited with status 1", None),
    ("signalled", 15, "killed by signal 15", None),
    ("odd", "x", "", None),
])
def test_what_to_try(ask, daemon, kind, status, reason, advice):
    one = job(20, "failed", exit={"kind": kind, "status": status}, reason=reason, peakMemoryBytes=3 * 2**29, now=NOW,
              command=["sh"], output="/srv/log")
    daemon.answers["GET /v1/jobs/20"] = 200, one
    said = ask("job", "20").out.split("\n\n")[-1].replace("\n", " ")
    assert said == (f"What to try: {advice} " if advice else "") + "Its output is in /srv/log. "
    del one["peakMemoryBytes"], one["command"], one["output"]  # of somebody else
    said = ask("job", "20").out.split("\n\n")[-1].replace("\n", " ")
    assert said == (f"What to try: {advice} ".replace("1.50Gi", "an unknown amount") if advice else said)
    daemon.answers["GET /v1/jobs/20"] = 200, {**one, "state": "done"}
    assert "What to try" not in ask("job", "20").out
    assert not [p for _, p, _ in daemon.asked if "log" in p]


def test_last_lines(ask, daemon):
    """The last ten lines of standard error, of the first task that has some; nothing of it obeys a terminal."""
    one = job(20, "failed", exit={"kind": "exited", "status": 1}, reason="exited with status 1", now=NOW, command=["sh"])
    text = "".join(f"line {i}\n" for i in range(30)) + "\x1b[2Jlast"
    daemon.answers["GET /v1/jobs/20"] = 200, one
    daemon.answers["GET /v1/jobs/20/log"] = 200, text.encode()
    assert ask("job", "20").out.endswith(
        "\n\nThe last lines of standard error\n" + "".join(f"  line {i}\n" for i in range(21, 30)) + "  ?[2Jlast\n\n"
        "'fairlead logs 20' shows its output.\n")
    daemon.answers["GET /v1/jobs/20/log"] = 200, b""
    assert ask("job", "20").out.endswith("\n\n'fairlead logs 20' shows its output.\n")
    daemon.answers["GET /v1/jobs/20/log"] = 403, error(403, "no")
    assert ask("job", "20").code == 0
    daemon.asked.clear()
    one["tasks"] = 20
    daemon.answers["GET /v1/jobs/20/log"] = lambda path, _: (200, b"" if "task=2" not in path else b"here\n")
    assert "\nThe last lines of standard error of task 2\n  here\n" in ask("job", "20").out
    assert [p for _, p, _ in daemon.asked] == ["/v1/jobs/20"] + [
        f"/v1/jobs/20/log?task={i}&stream=err&tail=8192" for i in range(3)]
    daemon.answers["GET /v1/jobs/20/log"] = 200, b""
    daemon.asked.clear()
    ask("job", "20")
    assert len(daemon.asked) == 1 + 8


@pytest.mark.parametrize("odd", [{}, {"id": "x", "state": 7, "requests": [], "attempts": [1, {}], "placement": {},
                                      "after": ["x"], "command": [1], "exit": "y", "submittedAt": "never",
                                      "devices": "z", "tasks": -1, "ranSeconds": 1e300, "attempt": None}])
def test_odd_answers_break_nothing(ask, daemon, odd):
    daemon.answers["GET /v1/jobs/1"] = 200, odd
    daemon.answers["GET /v1/jobs"] = 200, {"jobs": [odd, 3, "x"], "more": "y"}
    daemon.answers["GET /v1/queues"] = 200, {"queues": [odd, 3, {"name": "a", "parent": "a"}, queue("b", parent="b")]}
    daemon.answers["GET /v1/events"] = 200, "\nnonsense\n" + lines(odd) + "x" * 70000 + "\n" + lines({"kind": "Last"})
    daemon.answers["GET /v1/history"] = 200, {"queues": [odd, 3, {"name": "a", "parent": "a", "had": {"cpu": 7}}]}
    for args in ["job", "1"], ["jobs"], ["queues"], ["events"], ["history"], ["top", "--once"]:
        assert ask(*args).code == 0
        if args[0] != "top":
            ask(*args, "-o", "json")
    assert "Last" in ask("events").out


def test_deep_answers(ask, daemon):
    daemon.answers["GET /v1/queues"] = 200, '{"queues":' + "[" * 500 + "]" * 500 + "}"
    r = ask("queues", "-o", "json")
    assert r.code == 0 and r.json()["kind"] == "Queues"


QUEUES = [queue("company", "Cohort"), queue("research", "Cohort", "company"),
          queue("team-a", parent="research", running=3, waiting=4, share=375, resources={
              "cpu": {"nominal": "16", "usage": "40", "borrowed": "24", "lent": "0", "pending": "1500m"},
              "nvidia.com/gpu": {"nominal": "2", "usage": "5", "borrowed": "3", "lent": "0", "pending": "2"}}),
          queue("team-b", parent="ghost", resources={"cpu": {"nominal": "unlimited", "usage": "1"},
                                                      "memory": {"nominal": "24684084Ki", "usage": "1536Mi"}}, weight=2.5,
                conditions=["the flavor spot is not there", {"text": "stopped"}]),
          queue("team-c", parent="ghost", resources={}),
          queue("team-a", "LocalQueue", "team-a", resources={}),
          queue("door", "LocalQueue", "team-a", resources={"cpu": {"pending": "2"}}, share=None)]


def test_queues(ask, daemon, valid):
    daemon.answers["GET /v1/queues"] = 200, {"policy": "borrow", "queues": QUEUES}
    r = ask("queues")
    assert (r.code, r.err) == (0, "")
    assert r.out == """\
  QUEUE       RESOURCE      QUOTA    USED  BORROWED  LENT  WANTED  SHARE  WEIGHT  RUN  WAIT  HELD
  company     cpu               4       -         -     -       -      -       1    -     -     -
  │           gpu               4       -         -     -       -
  └─research  cpu               4       -         -     -       -      -       1    -     -     -
    │         gpu               4       -         -     -       -
    └─team-a  cpu              16      40        24     -   1500m    375       1    3     4     -
      │       gpu               2       5         3     -       2
      └─door  cpu               -       -         -     -       2      -       1    -     -     -
  ghost
  ├─team-b    cpu       unlimited       1         -     -       -      -     2.5    -     -     -
  │           memory      23.54Gi  1536Mi         -     -       -
  └─team-c                                                             -       1    -     -     -
team-b: the flavor spot is not there
team-b: stopped
"""
    daemon.answers["GET /v1/queues"] = 200, {
        "policy": "borrow", "now": NOW, "total": {}, "queues": [{"submit": [], "mayUse": False, **q} for q in QUEUES]}
    valid(ask("queues", "-o", "json").json(), "queues")
    daemon.answers["GET /v1/queues"] = 200, {"queues": []}
    assert ask("queues").out == "No queues.\n"


# --- cancel, hold, release ---


def changes(*rows, **more):
    """What the daemon says of (job, state) or (job, None, error)."""
    jobs = [{"job": n, "state": state} if state else {"job": n, "error": {"text": why[0]}} for n, state, *why in rows]
    return {"jobs": jobs, "done": sum("state" in j for j in jobs), "refused": sum("error" in j for j in jobs), **more}


@pytest.mark.parametrize("verb, state", [("cancel", "cancelled"), ("hold", "held"), ("release", "waits"),
                                         ("requeue", "stops")])
def test_wishes(ask, daemon, valid, verb, state):
    """One request for all of them, whichever way they are named."""
    daemon.answers[f"POST /v1/jobs/{verb}"] = 200, changes((17, state), (18, state), (30, state))
    r = ask(verb, "17-18", "30[]")
    assert (r.code, r.out, r.err) == (0, "".join(f"job {n} {state}\n" for n in (17, 18, 30)), "")
    body, = [json.loads(body) for _, _, body in daemon.asked]
    assert body == {"jobs": "17-18,30[]", **({"stop": False} if verb == "hold" else {})}
    daemon.answers[f"POST /v1/jobs/{verb}"] = 200, changes((17, state), (99, None, "there is no job 99"),
                                                           (5, None, "it is bob's"))
    r = ask(verb, "-o", "json", "17", "99,5", "-u", "ann", "-q", "a/b", "-n", "x", "--state", "PENDING")
    assert json.loads(daemon.asked[1][2]) | {"stop": 0} == {
        "jobs": "17,99,5", "user": "ann", "queue": "a/b", "name": "x", "state": "PENDING", "stop": 0}
    assert r.code == 1
    assert valid(r.json(), "cancel")["refused"] == 2
    assert r.err == "fairlead: error: there is no job 99\nfairlead: error: job 5: it is bob's\n"


def test_wishes_of_very_many(ask, daemon):
    """The rest is asked for until there is none; all of it is one answer."""
    daemon.answers["POST /v1/jobs/cancel"] = [
        (200, changes((17, "cancelled"), after=17, only="ann")), (200, changes(after=40, only="ann")),
        (200, changes((50, "stops"), (51, None, "no\x1b[2J"), only="ann"))]
    r = ask("cancel", "-q", "a")
    assert (r.code, r.out) == (1, "job 17 cancelled\njob 50 stops\n")
    assert r.err == ("fairlead: error: job 51: no?[2J\n"
                     "fairlead: 3 jobs found of ann, 1 refused (all users are for admins)\n")
    assert [json.loads(body) for _, _, body in daemon.asked] == [
        {"queue": "a"}, {"queue": "a", "after": 17}, {"queue": "a", "after": 40}]
    daemon.answers["POST /v1/jobs/cancel"] = [(200, changes((17, "cancelled"), after=17)),
                                              (503, error(503, "the disk is full"))]
    r = ask("cancel", "-q", "a", "-o", "json")
    assert r.code == 3 and r.json()["done"] == 1  # what was done is told


def test_update(ask, daemon):
    daemon.answers["POST /v1/jobs/update"] = 200, changes((17, "waits"))
    r = ask("update", "17", "--priority", "-3", "--time", "none", "--after", "12,14-15:any", "--comment", "none",
            "--hold-reason", "x", "-n", "none", "-q", "none")
    assert (r.code, r.out, r.err) == (0, "job 17 updated\n", "")
    assert json.loads(daemon.asked[0][2]) == {"jobs": "17", "set": {
        "priority": -3, "timeLimit": None, "comment": None, "holdReason": "x", "name": "none", "queue": "none",
        "after": [{"job": n, "when": when} for n, when in ((12, "ok"), (14, "any"), (15, "any"))]}}


def test_signal(ask, daemon):
    daemon.answers["POST /v1/jobs/cancel"] = 200, changes((17, "runs"))
    assert ask("cancel", "-s", "SIGUSR1", "17").out == "job 17 was sent the signal\n"
    assert json.loads(daemon.asked[0][2]) == {"jobs": "17", "signal": "SIGUSR1"}


# --- watch ---


@pytest.mark.parametrize("over, code, message", [
    (job(17, "done", exit={"kind": "exited", "status": 0}), 0, ""),
    (job(17, "failed", exit={"kind": "exited", "status": 7}), 7, "fairlead: note: job 17: failed, status 7\n"),
    (job(17, "cancelled", reason="by bob"), 1, "fairlead: note: job 17: cancelled: by bob\n"),
])
def test_watch_as_lines(ask, daemon, over, code, message):
    """Each event once, also those that came with its end."""
    every = [event(1, "Submitted"), event(2, "Started"), event(3, "Failed", text="bad\x1b[2J")]

    def events(path, _):
        after = int(path.split("after=")[1].split(".")[0])
        left = every[after:]
        return 200, lines(*(left if "limit=" in path else left[:1]))

    daemon.answers["GET /v1/jobs/17"] = [(200, job(17)), (200, job(17)), (200, job(17, "runs")), (200, over)]
    daemon.answers["GET /v1/events"] = events
    r = subprocess.run([os.environ["FAIRLEAD"], "watch", "17"], env={**os.environ, "FAIRLEAD_SOCKET": daemon.path},
                       capture_output=True, text=True, timeout=60, check=False)  # its status may be any
    assert (r.returncode, r.stderr) == (code, message)
    assert [line.split()[2] for line in r.stdout.splitlines()] == ["Submitted", "Started", "Failed"]
    assert "bad?[2J" in r.stdout


def test_watch_of_nothing(ask):
    r = ask("watch", "17")
    assert (r.code, r.out, r.err) == (1, "", "fairlead: error: there is no such thing here\n")
    assert ask("watch", "17-18").code == 2


def test_watch_on_a_terminal(daemon):
    """Redrawn until it ends; the last picture stays, and its status is that of the job."""
    waits = [job(n, priority=p) for n, p in ((3, 0), (17, 5), (20, 9), (21, 5))]
    daemon.answers["GET /v1/jobs"] = 200, {"jobs": waits, "more": False}
    daemon.answers["GET /v1/jobs/17"] = [(200, job(17, priority=5)), (200, job(17, priority=5)), (200, job(17, "runs")),
                                         (200, job(17, "failed", exit={"kind": "exited", "status": 7}))]
    daemon.answers["GET /v1/jobs/17/log"] = lambda path, _: (
        (200, b"one\n" * 40 + b"two\x1b[2J\nlast") if "stream=out" in path else (404, error(404, "none")))
    seen, status = in_terminal(daemon, ["watch", "17"], None)
    assert os.waitstatus_to_exitcode(status) == 7
    assert b"Place 2 of 4 pending jobs in queue team-a" in seen
    last = seen[seen.rindex(b"\x1b[?1049l"):] if b"\x1b[?1049l" in seen else seen
    assert b"two?J" in last and b"last" in last and b"Errors" not in last and last.count(b"one") < 20
    # A key leaves it alone.
    daemon.answers["GET /v1/jobs/17"] = 200, job(17, "runs")
    seen, status = in_terminal(daemon, ["watch", "17"], b"Output", keys=b"q")
    assert status == 0


# --- logs and events ---


def frame(stream, text):
    """A piece of standard output (1) or standard error (2) among both."""
    return struct.pack(">BxxxI", stream, len(text)) + text


def test_logs(ask, daemon):
    daemon.answers["GET /v1/jobs/17/log"] = 200, [b"a\xff", b"\x1b[31m", b"b\n"]
    r = ask("logs", "--out", "17")
    assert (r.code, r.out.encode("utf-8", "surrogateescape"), r.err) == (0, b"a\xff\x1b[31mb\n", "")
    ask("logs", "-f", "--err", "--task", "3", "--attempt", "2", "--tail", "4Ki", "17")
    both = frame(1, b"a\xff\n") + frame(2, b"b\n") + frame(1, b"") + frame(1, b"c\n")
    daemon.answers["GET /v1/jobs/17/log"] = 200, [both[:3], both[3:9], both[9:20], *(bytes([b]) for b in both[20:])]
    for args in [], ["--out", "--err"]:
        r = ask("logs", *args, "17")
        assert (r.code, r.out.encode("utf-8", "surrogateescape"), r.err) == (0, b"a\xff\nc\n", "b\n")
    assert [p for _, p, _ in daemon.asked] == [
        "/v1/jobs/17/log?stream=out", "/v1/jobs/17/log?task=3&stream=err&attempt=2&tail=4096&follow=1",
        *2 * ["/v1/jobs/17/log?stream=both&framed=1"]]
    r = ask("logs", "18")
    assert (r.code, r.out, r.err) == (1, "", "fairlead: error: there is no such thing here\n")
    daemon.answers["GET /v1/jobs/17/log"] = 200, [frame(1, b"a\n"), b"no frame"]
    r = ask("logs", "17")
    assert (r.code, r.out, r.err) == (3, "a\n", "fairlead: error: the daemon's answer is not understood\n")


def in_terminal(daemon, args, until, keys=b"", columns=80, rows=24, sig=None, env=None):
    """What is on a terminal when `until` has come; then keys or a signal, and the exit status."""
    ready, go = os.pipe()
    pid, fd = pty.fork()
    if pid == 0:
        os.read(ready, 1)  # not before the terminal was looked at
        os.execvpe(os.environ["FAIRLEAD"], ["fairlead", *args],
                   {**os.environ, "FAIRLEAD_SOCKET": daemon.path, "TERM": "xterm", "LC_ALL": "C.UTF-8", **(env or {})})
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    before, seen, sent, end = termios.tcgetattr(fd), b"", False, time.monotonic() + 60
    os.write(go, b"x")
    os.close(ready)
    os.close(go)
    while time.monotonic() < end:
        if select.select([fd], [], [], 0.05)[0]:
            try:
                piece = os.read(fd, 65536)
            except OSError:
                break
            if not piece:
                break
            seen += piece
        if not sent and until and until in seen:
            sent = True
            if sig:
                os.kill(pid, sig)
            else:
                os.write(fd, keys)
    after = termios.tcgetattr(fd)
    _, status = os.waitpid(pid, 0)
    os.close(fd)
    assert after == before
    return seen, status


def test_logs_on_a_terminal(daemon):
    daemon.answers["GET /v1/jobs/17/log"] = 200, [
        frame(stream, text) for stream, text in (
            (1, b"50%\r100%\n\x1b]0;evil\x07"), (1, b"\x1b"), (1, b"[31mred"), (1, b"\xc3"),
            (1, b"\xa4\xff\xc2\x9b2J\x1b[2J"), (1, b"\xe2\x82"))]
    seen, status = in_terminal(daemon, ["logs", "17"], None)
    assert status == 0
    assert seen.replace(b"\r\n", b"\n") == b"50%\r100%\n?]0;evil?\x1b[31mred\xc3\xa4??2J?J?\x1b[0m"
    seen, _ = in_terminal(daemon, ["logs", "17"], None, env={"NO_COLOR": "1"})
    assert b"\x1b" not in seen
    daemon.answers["GET /v1/jobs/17/log"] = 200, [frame(2, b"one\n") + frame(1, b"two\x07\n"), frame(2, b"\x1b[2Jthree\n")]
    seen, _ = in_terminal(daemon, ["logs", "17"], None)
    assert seen.replace(b"\r\n", b"\n") == b"one\ntwo?\n?Jthree\n"


EVENTS = [event(1, "Submitted"), event(2, "Preempted", by=18, reason="InCohortFairSharing"),
          event(3, "Admitted", text="admitted\x1b[2J"), event(4, "ConditionChanged", job=None, queue="q", text="a"),
          event(5, "Stopped", reason="Cancelled")]


def test_events(ask, daemon, valid):
    daemon.answers["GET /v1/events"] = 200, lines(*EVENTS)
    r = ask("events")
    assert (r.code, r.err) == (0, "")
    assert r.out == """\
2026-01-02 11:30:01  Submitted             17  team-a
2026-01-02 11:30:02  Preempted             17  team-a        InCohortFairSharing, for job 18
2026-01-02 11:30:03  Admitted              17  team-a        admitted?[2J
2026-01-02 11:30:04  ConditionChanged          q             a
2026-01-02 11:30:05  Stopped               17  team-a        Cancelled
"""
    assert daemon.asked[0][1] == "/v1/events?limit=1000"
    documents = [json.loads(line) for line in ask("events", "-o", "json").out.splitlines()]
    assert [valid(d, "events")["event"] for d in documents] == [e["kind"] for e in EVENTS]
    assert {d["kind"] for d in documents} == {"Event"}


def test_events_follow(ask, daemon):
    def answer(path, body):
        if "follow" in path:
            return 200, [b'{"id":"6.0","kind":"Sta', b'rted"}\n\n', lines(event(7, "Finished")).encode()]
        return 200, lines(*EVENTS)

    daemon.answers["GET /v1/events"] = answer
    r = ask("events", "-f", "-q", "team-a")
    assert r.code == 0
    assert [kind in line for kind, line in zip(("Stopped", "Started", "Finished"), r.out.splitlines()[-3:])] == [True] * 3
    assert [p for _, p, _ in daemon.asked] == ["/v1/events?queue=team-a&limit=10",
                                               "/v1/events?queue=team-a&after=5.0&follow=1"]
    daemon.asked.clear()
    ask("events", "--job", "17", "--since", "2026-01-01T00:00:00Z", "--limit", "7")
    assert daemon.asked[0][1] == "/v1/events?job=17&since=2026-01-01T00%3A00%3A00Z&limit=7"
    assert ask("events", "--since", "1h").code == 0


def test_events_of_a_kind(ask, daemon):
    daemon.answers["GET /v1/events"] = 200, lines(*EVENTS)
    assert ask("events", "--kind", "Preempted", "--limit", "7").code == 0
    assert daemon.asked[0][1] == "/v1/events?kind=Preempted&limit=7"


# --- history ---


def past(name, parent, had, due, parts, jobs=0, **more):
    figures = {"unitSeconds": had, "part": parts[0], "dueUnitSeconds": due, "duePart": parts[1]}
    return {"name": name, "kind": "Cohort" if parent is None else "ClusterQueue", "parent": parent, "weight": 1,
            "had": {"cpu": figures, "memory": figures}, "jobs": jobs, "preempted": 0, **more}


def test_history(ask, daemon, valid):
    daemon.answers["GET /v1/history"] = 200, {
        "from": "2026-01-02T11:00:00Z", "to": NOW, "tier": "exact", "errorSeconds": 0, "queues": [
        past("company", None, 20000, 21600, (1, 1)),
        past("a", "company", 15000, 14400, (0.75, 0.66), 28, weight=2, waitMedian=3.25, waitLongest=5400, preempted=3),
        past("b", "company", 5000, 7200, (0.25, 0.34), 1, waitMedian=12, waitLongest=12), past("c", "company", 0, 0, (0, 0))]}
    r = ask("history", "--since", "2026-01-02T11:00:00Z")
    assert (r.code, r.err) == (0, "")
    assert daemon.asked[0][1] == "/v1/history?from=2026-01-02T11%3A00%3A00Z"
    assert r.out == """\
  QUEUE    WEIGHT  RESOURCE   HELD   PART    DUE  JOBS  WAITED  LONGEST  PREEMPTED
  company          cpu       5.56h  100 %  100 %
  ├─a           2  cpu       4.17h   75 %   66 %    28   3.25s     1.5h          3
  ├─b           1  cpu       1.39h   25 %   34 %     1     12s      12s          0
  └─c           1  cpu          0s    0 %    0 %     0                           0
HELD: amount times time. PART: the part of all that was held. DUE: the part that its weight would have given \
it while it wanted as much. WAITED: p50 of the waits of its jobs.
"""
    valid(ask("history", "-o", "json").json(), "history")


def test_history_of_sums(ask, daemon, valid):
    """The median of waits is not known, and the end says of which sums it is."""
    answer = {"from": "2025-01-02T11:00:00Z", "to": NOW, "tier": "day", "errorSeconds": 90000, "queues": [
        past("a", "", 15000, 14400, (1, 1), 28, waitLongest=5400)]}
    daemon.answers["GET /v1/history"] = 200, answer
    r = ask("history", "--since", "2025-01-02T11:00:00Z")
    assert (r.code, r.err) == (0, "")
    lines = r.out.splitlines()
    assert lines[1].split()[-4:] == ["28", "-", "1.5h", "0"]
    assert lines[-1] == "From sums of each day: of 25h at the ends the part by length counts."
    valid(ask("history", "-o", "json").json(), "history")
    answer["errorSeconds"] = 0
    assert ask("history").out.splitlines()[-1] == "From sums of each day."
    answer["tier"] = "exact"
    assert "sums" not in ask("history").out


def test_history_since_when(ask):
    r = ask("history", "--since", "yesterday")
    assert r.code == 2 and "--since: 'yesterday' is neither a time" in r.err


# --- usage ---


def held(**resources):
    return {name: dict(zip(("unitSeconds", "partOfQueue", "part"), figures)) for name, figures in resources.items()}


def of_user(user, queue, jobs, preempted, **resources):
    return {"user": user, "queue": queue, "jobs": jobs, "attempts": jobs + preempted, "preempted": preempted,
            "held": held(**resources)}


USERS = [of_user(None, "a", 1, 0, cpu=(90, 0.01, 0.004)),
         of_user("ann", "a", 12, 2, cpu=(15000, 0.75, 0.5), memory=(2 ** 30 * 7200, 1, 1)),
         of_user("ann", "b", 1, 0, cpu=(5000, 1, 0.17)), of_user("bob", "a", 0, 0)]


def test_usage(ask, daemon, valid):
    daemon.answers["GET /v1/usage"] = 200, {"from": "2026-01-02T11:00:00Z", "to": NOW, "tier": "exact", "errorSeconds": 0, "users": USERS}
    r = ask("usage", "--since", "2026-01-02T11:00:00Z", "--until", NOW)
    assert (r.code, r.err) == (0, "")
    to = NOW.replace(":", "%3A")
    assert daemon.asked[0][1] == f"/v1/usage?from=2026-01-02T11%3A00%3A00Z&to={to}"
    assert r.out.split("\n", 1)[1] == """\
  USER         QUEUE  JOBS  RESOURCE        HELD  OF QUEUE  OF ALL  PREEMPTED
  (not known)  a         1  cpu             90 s       1 %     0 %          0
  ann          a        12  cpu          4.167 h      75 %    50 %          2
                            memory (Gi)      2 h     100 %   100 %
               b         1  cpu          1.389 h     100 %    17 %          0
  bob          a         0                                                  0
HELD: amount times time. OF QUEUE: the part of what all users held in that queue; OF ALL: in all queues.
(not known): the daemon does not keep these jobs any more (keep.jobs).
"""
    assert r.out.startswith("Held from 2026-01-02 11:00:00 to ")
    valid(ask("usage", "-o", "json").json(), "usage")
    assert daemon.asked[-1][1] == "/v1/usage"


def test_usage_of_nobody(ask, daemon):
    daemon.answers["GET /v1/usage"] = 200, {"from": "2026-01-02T11:00:00Z", "to": NOW, "users": []}
    assert ask("usage").out.endswith("\nNo job held anything then.\n")


def test_usage_odd_answers(ask, daemon):
    daemon.answers["GET /v1/usage"] = 200, {"users": [3, None, {}, {"user": 7, "held": {"cpu": 1, "gpu": {"part": "x"}}}]}
    assert ask("usage").code == 0


@pytest.mark.parametrize("option", ["--since", "--until"])
def test_usage_times(ask, option):
    r = ask("usage", option, "yesterday")
    assert r.code == 2 and f"{option}: 'yesterday' is neither a time" in r.err


# --- top ---


def top_answers(daemon, events=()):
    daemon.answers["GET /v1/queues"] = 200, {"policy": "borrow", "now": NOW, "queues": QUEUES}
    daemon.answers["GET /v1/jobs"] = 200, {"now": NOW, "jobs": JOBS}
    daemon.answers["GET /v1/events"] = 200, lines(*events)


def test_top_once(ask, daemon):
    top_answers(daemon, EVENTS[:1])
    r = ask("top", "--once")
    assert (r.code, r.err) == (0, "")
    assert r.out == """\
fairlead top  2026-01-02 12:00:00 UTC  1 run, 1 wait, 1 depend
cpu, 41 in all: █ within quota, ▓ above quota, · free quota
  QUEUE       OF ALL THERE IS           USED      QUOTA  WANTED  RUN  WAIT  SHARE
  company     ··                           0          4       0    0     0      0
  └─research  ··                           0          4       0    0     0      0
    └─team-a  █████████▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓    40         16   1500m    3     4    375
  ghost
  ├─team-b    █                            1  unlimited       0    0     0      0
  └─team-c                                                         0     0      0

2026-01-02 11:30:01  Submitted             17  team-a

  JOB  NAME      QUEUE   USER   STATE    TIME  ASKS FOR          WHY
   17  train     team-a  alice  runs      20m  cpu=2, gpu=1
   18  -         team-a  bob    waits     30m  cpu=2, gpu=1      waits for 1 gpu
   19  train[3]  team-a  alice  depends   30m  4 x cpu=2, gpu=1  waits for job 17
"""
    assert "█" not in ask("top", "--once", env={"LC_ALL": "C"}).out


def test_top_for_a_while(ask, daemon):
    top_answers(daemon, EVENTS[:1])
    daemon.answers["GET /v1/jobs"] = 200, {"now": NOW, "jobs": JOBS * 4}
    r = ask("top", "--for", "300ms")
    assert (r.code, r.err) == (0, "")
    assert r.out.count("fairlead top") == 2  # at the beginning and at the end
    assert r.out.count("\nand 7 more\n") == 2
    assert ask("top", "--for", "never").code == 2


def test_top_of_more_jobs_than_it_asks_for(ask, daemon):
    """What runs comes first, however high its number; and all are counted."""
    top_answers(daemon)
    daemon.answers["GET /v1/jobs"] = [
        (200, {"now": NOW, "more": True, "jobs": [job(1, "runs", now=NOW), job(2, "waits", now=NOW)]}),
        (200, {"now": NOW, "more": False, "jobs": [job(1, "runs", now=NOW), job(900, "runs", now=NOW)]})]
    out = ask("top", "--once").out
    assert out.splitlines()[0] == "fairlead top  2026-01-02 12:00:00 UTC  3 run, 4 wait"
    assert [line.split()[0] for line in out.split("  JOB  ")[1].splitlines()[1:]] == ["1", "900", "2", "and"]


def test_top_for_a_while_on_a_terminal(daemon):
    top_answers(daemon, EVENTS)
    seen, status = in_terminal(daemon, ["top", "--for", "300ms"], b"\x1b[?1049l", b"", columns=80, rows=8)
    assert status == 0
    assert b"fairlead top" in seen.split(b"\x1b[?1049l")[1]  # what was seen last stays


def test_top_with_nothing(ask, daemon):
    daemon.answers["GET /v1/queues"] = 200, {"now": NOW, "queues": []}
    daemon.answers["GET /v1/jobs"] = 200, {"jobs": []}
    daemon.answers["GET /v1/events"] = 200, ""
    r = ask("top", "--once")
    assert (r.code, r.out.splitlines()[0]) == (0, "fairlead top  2026-01-02 12:00:00 UTC  no jobs")


@pytest.mark.parametrize("columns", [60, 80, 120, 200])
@pytest.mark.parametrize("how", ["q", "Q", "interrupt"])
def test_top_on_a_terminal(daemon, columns, how):
    top_answers(daemon, EVENTS)
    keys = {"q": b"q", "Q": b"Q", "interrupt": b"\x03"}[how]
    seen, status = in_terminal(daemon, ["top"], b"\x1b[?7h", keys, columns=columns, rows=8)
    assert status == 0
    assert seen.startswith(b"\x1b[?1049h\x1b[?25l") and seen.endswith(b"\x1b[?25h\x1b[?1049l")
    assert b"[2J" not in seen.replace(b"\x1b[2J", b"", 1).replace(b"?[2J", b"")
    for picture in seen.split(b"\x1b[?7l\x1b[H")[1:]:
        assert picture.count(b"\n") <= 7


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_top_restores_after_signals(daemon, number):
    top_answers(daemon)
    seen, status = in_terminal(daemon, ["top"], b"\x1b[?7h", sig=number)
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == number
    assert b"\x1b[?25h\x1b[?1049l" in seen


def test_top_ends_with_the_daemon(daemon):
    top_answers(daemon)
    daemon.answers["GET /v1/jobs"] = [(200, {"jobs": []}), None]
    seen, status = in_terminal(daemon, ["top"], None)
    assert os.waitstatus_to_exitcode(status) == 3
    assert b"\x1b[?1049l" in seen and b"the daemon closed the connection" in seen.split(b"\x1b[?1049l")[1]


# --- questions that may be put to manifests, too ---


@pytest.mark.parametrize("args, path", [
    (["explain", "17"], "/v1/jobs/17/explain?"), (["explain", "job/17", "--eta"], "/v1/jobs/17/explain?eta=1&"),
    (["explain", "ns/17"], "/v1/workloads/ns/17/explain?"), (["explain", "a/w-1"], "/v1/workloads/a/w-1/explain?"),
    (["tree"], "/v1/tree?"), (["tree", "team a"], "/v1/tree?node=team%20a&"), (["plan"], "/v1/plan?"),
    (["plan", "--cycles", "3", "--all"], "/v1/plan?cycles=3&"),
])
def test_questions(ask, daemon, args, path):
    daemon.answers[f"GET {path.split('?')[0]}"] = 200, "Said \x1b[1mso\x1b[0m.\x07\n"
    r = ask(*args, env={"COLUMNS": "90"})
    assert (r.code, r.out, r.err) == (0, "Said so.?\n", "")
    rest = "format=text&width=90&color=0" + ("&all=1" if "--all" in args else "")
    assert daemon.asked[0][:2] == ("GET", path + rest)
    daemon.answers[f"GET {path.split('?')[0]}"] = 200, '{"kind":"X"}\n'
    assert ask(*args, "-o", "json").json() == {"kind": "X"}


def test_what_if(ask, daemon, write):
    daemon.answers["POST /v1/what-if"] = 200, "No difference.\n"
    write("a.yaml", "kind: A\n")
    write("b.yaml", "kind: B\n")
    r = ask("what-if", "--change", "a.yaml", "--change", "b.yaml", "--delete", "ClusterQueue/q", "--cycles", "4")
    assert (r.code, r.out, r.err) == (0, "No difference.\n", "")
    assert daemon.asked == [("POST", "/v1/what-if?delete=ClusterQueue%2Fq&cycles=4&format=text&width=0&color=0",
                             "kind: A\n\n---\nkind: B\n")]
    r = ask("what-if", "--change", "none.yaml")
    assert (r.code, len(daemon.asked)) == (1, 1)
    assert r.err.startswith("none.yaml: error: ")


# --- completion ---


@pytest.mark.parametrize("words, found", [
    (["job", ""], ["17\ttrain", "18\t", "19\ttrain"]), (["cancel", "17", "1"], ["17\ttrain", "18\t", "19\ttrain"]),
    (["explain", ""], ["17\ttrain", "18\t", "19\ttrain"]), (["jobs", "--queue", "team-"], ["team-a\tClusterQueue"]),
    (["jobs", "--state", "d"], ["depends\t", "done\t"]), (["submit", "-q", "x"], []), (["submit", "tr"], [":file\t"]), (["submit", "--dir", ""], [":file\t"]),
])
def test_completion(ask, daemon, words, found):
    daemon.answers["GET /v1/jobs"] = 200, {"jobs": [*JOBS, {"id": 20, "name": "$(evil)"}][:3]}
    daemon.answers["GET /v1/queues"] = 200, {"queues": [queue("team-a"), queue("other"), queue("team-$x")]}
    assert ask("completion", "words", "--", *words).out.splitlines() == found


def test_completion_without_a_daemon(fairlead):
    r = fairlead("completion", "words", "--", "job", "", env={"FAIRLEAD_SOCKET": "/none"})
    assert (r.code, r.err) == (0, "")


# --- help ---

CLIENTS = ["submit", "jobs", "job", "logs", "cancel", "hold", "release", "requeue", "update", "watch", "queues", "events",
           "history", "usage", "top", "acknowledge", "configuration"]


@pytest.mark.parametrize("verb", CLIENTS)
def test_help(fairlead, verb):
    r = fairlead(verb, "--help")
    assert (r.code, r.err) == (0, "")
    assert r.out.startswith(f"Usage: fairlead {verb} [OPTION...]")
    assert "-f FILE" not in r.out.splitlines()[0]
    assert f"\n  {verb} " in fairlead("--help").out
    page = pathlib.Path(os.environ.get("FAIRLEAD_SOURCE", ".")) / f"doc/man/fairlead-{verb}.1"
    for line in r.out.splitlines():
        if line.startswith("  -") or line.startswith("      --"):
            option = line.split("--")[1].split()[0].rstrip(",")
            assert f"Fl -{option}" in page.read_text().replace(", -", " Fl -").replace("Fl Fl", "Fl") or \
                option in ("help", "socket", "output", "format")
