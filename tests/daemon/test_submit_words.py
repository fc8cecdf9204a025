# SPDX-License-Identifier: Apache-2.0
"""Jobs that wait for a time, for their array, for their name; that are not queued again; scripts from standard input."""
import json
import os
import re
import subprocess
import time

import pytest
from conftest import CONFIG, Daemon, end, ms

FAIRLEAD = os.environ.get("FAIRLEAD")
JOB = {"queue": "default", "command": ["true"], "directory": "/"}


def command(daemon, *args, text=""):
    """fairlead ARGS; its exit status, output and errors."""
    done = subprocess.run([FAIRLEAD, *args], input=text, capture_output=True, text=True, timeout=60,
                          env={**os.environ, **daemon.reached, "FAIRLEAD_QUEUE": "default"}, cwd=daemon.folder, check=False)
    return done.returncode, done.stdout, done.stderr


def numbers(out):
    """The jobs of "17-26"."""
    first, _, last = out.strip().partition("-")
    return list(range(int(first), int(last or first) + 1))


def states(daemon, jobs):
    return [daemon.job(n)["state"] for n in jobs]


def utc(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + seconds))


# --- a time ---


def test_begin(daemon):
    """It is pending and says when it begins; a start in between does not lose it, and it runs then."""
    for seconds in (6, 20, 50):  # the start is to come before that, on a busy machine, too
        job = daemon.submit("true", begin=utc(seconds), queue="default")
        page, text = daemon.job(job), daemon.get(f"/v1/jobs/{job}/explain").text
        daemon.stop(9)
        daemon.start()
        again = daemon.job(job)
        if time.time() * 1000 < ms(page["begin"]):
            break
    assert page["state"] == again["state"] == "waits"
    assert re.fullmatch(r"begins at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC", page["reason"])
    assert text == f"job {job}: waits, {page['reason']}\n"
    assert page["begin"] == page["reason"][10:-4].replace(" ", "T") + "Z"
    daemon.wait(job, "done")
    ended = daemon.job(job)
    assert ms(ended["startedAt"]) >= ms(page["begin"])


def test_begin_that_came_while_it_was_down(daemon):
    soon, over, held = [daemon.submit("true", queue="default", **more)
                        for more in ({"begin": utc(2)}, {"begin": utc(-3600)}, {"begin": utc(2), "hold": True})]
    daemon.wait(over, "done")
    daemon.stop(9)
    time.sleep(3)
    daemon.start()
    daemon.wait(soon, "done")
    assert daemon.job(held)["state"] == "held"
    assert daemon.post(f"/v1/jobs/{held}/release").status == 200
    daemon.wait(held, "done")


# --- an array ---


def test_array_limit(daemon):
    """Of 6 jobs 2 run at once, whatever is done to the daemon; each has its index."""
    code, out, _ = command(daemon, "submit", "-r", "cpu=1m", "--array", "1-11:2%2", "--wrap",
                           "echo $FAIRLEAD_ARRAY_INDEX $FAIRLEAD_ARRAY_COUNT $FAIRLEAD_ARRAY_MIN $FAIRLEAD_ARRAY_MAX "
                           "$FAIRLEAD_ARRAY_STEP; date +%s.%N >> began; until [ -e go ]; do sleep 0.05; done; sleep 1; "
                           "date +%s.%N >> ended")
    jobs = numbers(out)
    assert code == 0 and len(jobs) == 6
    for job in jobs[:2]:
        daemon.wait(job, "runs")
    assert states(daemon, jobs)[2:] == ["depends"] * 4
    assert daemon.job(jobs[3])["reason"] == "waits for others of its array: 2 of them may run at once"
    daemon.until(lambda: open(f"{daemon.folder}/began", encoding="utf-8").read().count("\n") == 2, "two say that they run")
    (daemon.folder / "go").touch()
    most = 2
    for kill in range(300):
        # All of them of one moment.
        now = [job["state"] for job in daemon.get(f"/v1/jobs?array={jobs[0]}").json()["jobs"]]
        most = max(most, sum(s in ("waits", "starts", "runs", "stops") for s in now))
        if not now:
            break
        if kill in (1, 5):
            daemon.stop(9)
            daemon.start()
        time.sleep(0.2)
    assert set(states(daemon, jobs)) == {"done"} and most == 2
    began, ended = ([float(x) for x in open(f"{daemon.folder}/{name}", encoding="utf-8")] for name in ("began", "ended"))
    events = sorted([(t, 1) for t in began] + [(t, -1) for t in ended])
    running = [sum(step for _, step in events[:i + 1]) for i in range(len(events))]
    assert max(running) == 2
    for i, job in enumerate(jobs):
        assert daemon.get(f"/v1/jobs/{job}/log").text == f"{2 * i + 1} 6 1 11 2\n"
    page = daemon.job(jobs[1])
    assert (page["array"], page["arrayIndex"], page["arrayMost"]) == (jobs[0], 3, 2)


def test_array_whose_jobs_end_otherwise(daemon):
    """Cancelled ones, one that is held and one that fails make room for the next."""
    jobs = numbers(command(daemon, "submit", "--hold", "-r", "cpu=1m", "--array", "5%1", "--", "false")[1])
    assert states(daemon, jobs) == ["held"] * 5
    for job in jobs[1:]:
        daemon.post(f"/v1/jobs/{job}/release")
    daemon.wait(jobs[1], "failed")
    daemon.wait(jobs[4], "failed")
    assert daemon.job(jobs[0])["state"] == "held"
    sleeps = numbers(command(daemon, "submit", "-r", "cpu=1m", "--array", "4%1", "--", "sleep", "60")[1])
    daemon.wait(sleeps[0], "runs")
    daemon.post(f"/v1/jobs/{sleeps[1]}/cancel")
    daemon.post(f"/v1/jobs/{sleeps[0]}/hold?stop=1")
    daemon.wait(sleeps[0], "held")
    daemon.wait(sleeps[2], "runs")
    assert states(daemon, sleeps) == ["held", "cancelled", "runs", "depends"]
    daemon.post(f"/v1/jobs/{sleeps[0]}/release")
    assert daemon.job(sleeps[0])["state"] == "depends"


# --- other jobs ---


def test_singleton(daemon):
    first = daemon.submit("sleep", "60", queue="default", name="night")
    second, third = [daemon.submit("true", queue="default", name="night", singleton=True) for _ in range(2)]
    other = daemon.submit("true", queue="default", name="day", singleton=True)
    daemon.wait(first, "runs")
    daemon.wait(other, "done")
    assert states(daemon, [second, third]) == ["depends", "depends"]
    assert daemon.job(third)["reason"] == "waits for earlier jobs of its name to end (singleton)"
    daemon.stop(9)
    daemon.start()
    assert states(daemon, [second, third]) == ["depends", "depends"]
    daemon.post(f"/v1/jobs/{first}/cancel")
    daemon.wait(third, "done")
    assert ms(daemon.job(second)["endedAt"]) <= ms(daemon.job(third)["startedAt"])


def test_gates_without_an_image(daemon):
    """The state begins afresh, from the rows of the database: what waited does so still, and goes on."""
    first = daemon.submit("sleep", "60", queue="default", name="night")
    daemon.wait(first, "runs")
    alone = daemon.submit("true", queue="default", name="night", singleton=True, after=[{"job": first, "when": "any"}])
    array = numbers(command(daemon, "submit", "-r", "cpu=1m", "--array", "3%1", "--", "sleep", "60")[1])
    later = daemon.submit("true", queue="default", begin=utc(3600))
    daemon.wait(array[0], "runs")
    before = states(daemon, [alone, *array, later])
    assert before == ["depends", "runs", "depends", "depends", "waits"]
    daemon.stop()
    for name in os.listdir(daemon.state):
        if name.startswith("checkpoint-"):
            with open(f"{daemon.state}/{name}", "r+b") as f:
                f.write(b"nonsense")
    daemon.start()
    assert "begins without history" in daemon.said(), daemon.said()
    assert states(daemon, [alone, *array, later]) == before
    assert daemon.job(later)["reason"].startswith("begins at ")
    for job in (first, array[0]):
        daemon.post(f"/v1/jobs/{job}/cancel")
    daemon.wait(alone, "done")
    daemon.wait(array[1], "runs")
    assert daemon.job(array[2])["state"] == "depends"


def test_after_begun(daemon):
    first = daemon.submit("sleep", "60", queue="default", hold=True)
    second = daemon.submit("true", queue="default", after=[{"job": first, "when": "begun"}])
    assert daemon.job(second)["state"] == "depends"
    daemon.post(f"/v1/jobs/{first}/release")
    daemon.wait(second, "done")
    assert daemon.job(first)["state"] == "runs"


def test_after_what_has_ended(daemon):
    """One that could never start is refused with how the other ended; nothing of the request is taken."""
    well, ill = daemon.submit("true", queue="default"), daemon.submit("false", queue="default")
    daemon.wait(well, "done")
    daemon.wait(ill, "failed")
    for after, when, state, verb in ((ill, "ok", "failed", "succeed"), (well, "failed", "done", "fail")):
        r = daemon.post("/v1/jobs", {"jobs": [
            {"queue": "default", "command": ["true"], "directory": "/"},
            {"queue": "default", "command": ["true"], "directory": "/", "after": [{"job": after, "when": when}]}]})
        assert r.status == 409
        assert r.error == (f"after: job {after} has ended: {state}; a job that waits for it to {verb} could never start")
        assert r.json()["hint"] == f"--after {after}:any starts however that ended"
    r = daemon.post("/v1/jobs", {"queue": "default", "command": ["true"], "directory": "/", "array": "0-9%2",
                                 "after": [{"job": 99}]})
    assert (r.status, r.error) == (404, "after: there is no job 99")
    assert daemon.submit("true", queue="default", after=[{"job": ill, "when": "any"}, {"job": well}]) == ill + 1


# --- what becomes of a run ---


def test_no_requeue(daemon):
    """Its runner is killed: it has failed, and what waited for it to succeed is cancelled."""
    once = daemon.submit("sleep", "60", queue="default", requeue=False)
    behind = daemon.submit("true", queue="default", after=[{"job": once}])
    daemon.wait(once, "runs")
    found = subprocess.run(["pgrep", "-f", f"{daemon.state}/runs/{once}/"], capture_output=True, text=True, check=True)
    # Children that are about to be the command have its name, too: the first is the runner.
    os.kill(min(int(pid) for pid in found.stdout.split()), 9)
    daemon.wait(once, "failed")
    page = daemon.job(once)
    assert page["reason"] == "lost, and it is not queued again (--no-requeue)"
    assert (page["attempt"], page["requeue"]) == (1, False)
    daemon.wait(behind, "cancelled")


def test_no_gpu(daemon):
    code, _, err = command(daemon, "submit", "-r", "gpu=1", "--", "true")
    assert code == 1
    assert err.startswith("fairlead: error: this machine has no GPU, so there is no 'gpu' here\nhint: ")


GPU_QUEUE = """\
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: gpu}
spec:
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [nvidia.com/gpu]
    flavors: [{name: default, resources: [{name: nvidia.com/gpu, nominalQuota: 2}]}]
"""


def test_quota_without_gpu(tmp_path):
    """An admin has given quota for what is not there: it is taken, with a note."""
    (tmp_path / "daemon.yaml").write_text(CONFIG + GPU_QUEUE)
    daemon = Daemon(tmp_path, tmp_path / "daemon.yaml").start()
    try:
        r = daemon.post("/v1/jobs", {**JOB, "queue": "gpu", "requests": {"nvidia.com/gpu": 2}})
        assert r.status == 201
        assert r.json()["notes"] == ["it asks for 2 of nvidia.com/gpu, and this machine has none"]
    finally:
        end(daemon)


# --- what is shown ---


def test_page(daemon):
    code, out, err = command(daemon, "submit", "--hold", "--comment", "second try", "--no-requeue", "--begin", "2036-01-02",
                             "-J", "n", "-d", "singleton", "--array", "4%2", "--hook", "fail,end:mail me", "--hook",
                             "echo $FAIRLEAD_JOB_ID", "-t", "1-02:00:00", "--", "true")
    assert (code, err) == (0, "")
    text = command(daemon, "job", str(numbers(out)[0]))[1]
    for line in ("comment     second try", "requeue     not when it was preempted or lost", "begin       not before 2036-01-0",
                 "singleton   waits for earlier jobs of its name", "hook        end,fail: mail me", "2 at once",
                 "hook        begin,end,fail,preempted: echo $FAIRLEAD_JOB_ID", "time limit  1d2h"):
        assert line in text, (line, text)


# --- a script on standard input ---

SCRIPTS = [
    ("#!/bin/sh\necho $0 $# $2\nread line || echo no input\n", ["a", "b c"], "/dev/fd/3 2 b c\nno input\n"),
    ("#!/bin/bash -eu\nset -o pipefail; echo $FAIRLEAD_JOB_NAME\nfalse\necho never\n", [], "stdin\n"),
    ("#!/usr/bin/env python3\nimport sys\nprint(sys.argv[1:], sys.stdin.read() == '')\n", ["x"], "['x'] True\n"),
    ("#!/bin/cat\nEND_OF_SCRIPT_0\n$HOME `date` 'x' \"\\\nlast", [],
     "#!/bin/cat\nEND_OF_SCRIPT_0\n$HOME `date` 'x' \"\\\nlast\n"),
    ("#!/bin/sh\n" + "".join(f"x={i} # {'.' * 20}\n" for i in range(3000)) + "echo $x\n", [], "2999\n"),
]


@pytest.mark.parametrize("script, arguments, printed", SCRIPTS, ids=[str(i) for i in range(len(SCRIPTS))])
def test_standard_input(daemon, script, arguments, printed):
    """It is kept with the job: it runs as it was given, once more after a kill of the daemon."""
    code, out, err = command(daemon, "submit", "--hold", "-r", "cpu=1m", "-", *arguments, text=script)
    assert (code, err) == (0, "")
    daemon.stop(9)
    daemon.start()
    daemon.post(f"/v1/jobs/{int(out)}/release")
    daemon.wait(int(out), "done", "failed")
    assert daemon.get(f"/v1/jobs/{int(out)}/log").text == printed


# --- bad input: what is refused, and nothing of it is taken ---

REFUSED = [
    ({"begin": "tomorrow"}, "begin: 'tomorrow' is not a time"),
    ({"array": "1-"}, "array: '1-' is not a list of indexes up to 9999999"),
    ({"array": "0-10000"}, "array: '0-10000' has more than 10000 jobs"),
    ({"array": "1%0"}, "array: '1%0' does not end in a number of jobs behind %"),
    ({"array": "0-" + "9" * 100000}, "array: '0-" + "9" * 58 + "...' is not a list of indexes up to 9999999"),
    ({"array": ",".join(["0-9999"] * 2000)}, "array: '" + ",".join(["0-9999"] * 9)[:60] + "' has more than 10000 jobs"),
    ({"singleton": True}, "singleton needs a name: it waits for earlier jobs of the same name"),
    ({"requeue": "no"}, "requeue: must be true or false, not a text"),
    ({"comment": "x" * 1024}, "comment: is longer than 1023 bytes"),
    ({"hooks": [{"command": "x"}] * 9}, "hooks: has 9 entries; at most 8 are allowed"),
    ({"hooks": [{"command": "x", "on": ["lost"]}]}, "hooks[0] on: has something other than begin, end, fail and preempted"),
    ({"hooks": [{"command": "x" * 131072}]}, "hooks[0]: command, hooks and environment together have more than 131072 bytes"),
    ({"timeLimit": "1:99"}, "timeLimit: '1:99' is not a length of time"),
    ({"output": "/x-%A"}, "output: '%A' in it is not known; after % comes j, t, a or %"),
    ({"after": [{"job": 1, "when": "soon"}]}, "after[0] when: is none of ok, failed, any and begun"),
]


def test_refused(daemon):
    for more, text in REFUSED:
        r = daemon.post("/v1/jobs", {**JOB, **more})
        assert r.status == 400, (more, r.text[:300])
        assert r.error == text, more
    states_all = "held,depends,waits,starts,runs,stops,done,failed,cancelled"
    assert daemon.get(f"/v1/jobs?state={states_all}").json()["jobs"] == []
    assert json.loads(daemon.get("/v1/health").text)["status"] == "ok"
