# SPDX-License-Identifier: Apache-2.0
"""What users cannot do to each other, nor to admins. As root: only root can be somebody else."""
import concurrent.futures
import json
import os
import pathlib
import signal
import subprocess
import sys

import pytest

root_only = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
SOMEBODY = """
import json, os, pathlib, sys
sys.path.insert(0, sys.argv[1])
import conftest
os.setgroups([]); os.setgid(65001); os.setuid(65001)
d = conftest.Daemon(pathlib.Path('/tmp'))
d.socket = sys.argv[2]
answers = [d.ask(method, path, json.dumps(body) if body else None)
           for method, path, body in json.loads(sys.argv[3])]
print(json.dumps([[a.status, a.text] for a in answers]))
"""


def somebody(daemon, *asks):
    """Status and text of each answer to a user who is nobody in particular."""
    for folder in daemon.socket.parents:
        if folder.stat().st_uid == os.geteuid() and not folder.stat().st_mode & 0o001:
            os.chmod(folder, folder.stat().st_mode | 0o011)
    done = subprocess.run([sys.executable, "-c", SOMEBODY, os.path.dirname(__file__),
                           str(daemon.socket), json.dumps(asks)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def spec(**more):
    return {"queue": "default", "requests": {"cpu": "100m"}, "directory": "/", "command": ["true"],
            "hold": True, **more}


def jobs(daemon, text):
    """The configuration says so of jobs."""
    config = daemon.config.read_text()
    daemon.config.write_text(config.replace("jobs: {grace: 1s}", f"jobs: {{{text}}}"))
    assert daemon.post("/v1/reload").status == 200


@root_only
def test_priority_has_a_limit(daemon):
    jobs(daemon, "grace: 1s, maxPriority: 10")
    theirs, high, batch = somebody(
        daemon, ["POST", "/v1/jobs", spec(priority=10)], ["POST", "/v1/jobs", spec(priority=11)],
        ["POST", "/v1/jobs", {"jobs": [spec(), spec(priority=2**31 - 1)]}])
    assert theirs[0] == 201
    for status, text in high, batch:
        assert status == 403 and "maxPriority" in json.loads(text)["hint"]
    assert json.loads(high[1])["text"] == (
        "priority 11 is for admins; the highest for other users is 10")
    number = json.loads(theirs[1])["jobs"][0]
    up, down = somebody(daemon, ["POST", f"/v1/jobs/{number}/priority?value=11", None],
                        ["POST", f"/v1/jobs/{number}/priority?value=-3", None])
    assert (up[0], down[0]) == (403, 200) and "priority 11 is for admins" in up[1]
    assert daemon.job(number)["priority"] == -3
    # Admins have no limit, and what was refused is in the audit log.
    assert daemon.post(f"/v1/jobs/{number}/priority?value=50").status == 200
    assert daemon.job(daemon.submit(hold=True, priority=50))["priority"] == 50
    said = [(row["action"], row["status"]) for row in daemon.get("/v1/audit").json()["audit"]]
    assert said.count(("submit", 403)) == 2 and said.count(("priority", 403)) == 1


@root_only
def test_what_an_admin_holds_only_admins_release(daemon):
    (_, text), = somebody(daemon, ["POST", "/v1/jobs", spec()])
    number = json.loads(text)["jobs"][0]
    release, hold = f"/v1/jobs/{number}/release", f"/v1/jobs/{number}/hold"
    assert daemon.post(hold).status == 200
    daemon.stop(signal.SIGKILL)
    daemon.start()
    no, again = somebody(daemon, ["POST", release, None], ["POST", hold, None])
    assert no[0] == 409 and f"job {number} is held by an admin" in no[1] and again[0] == 200
    assert daemon.job(number)["reason"] == "waits to be released by an admin"
    (status, _), = somebody(daemon, ["POST", release, None])
    assert status == 409 and daemon.job(number)["state"] == "held"
    assert daemon.post(release).status == 200
    daemon.wait(number, "done")
    # What its owner holds, its owner releases; and may cancel what an admin holds.
    (_, text), = somebody(daemon, ["POST", "/v1/jobs", spec()])
    number = json.loads(text)["jobs"][0]
    (status, _), = somebody(daemon, ["POST", f"/v1/jobs/{number}/release", None])
    assert status == 200
    (_, text), = somebody(daemon, ["POST", "/v1/jobs", spec()])
    number = json.loads(text)["jobs"][0]
    assert daemon.post(f"/v1/jobs/{number}/hold").status == 200
    (status, _), = somebody(daemon, ["POST", f"/v1/jobs/{number}/cancel", None])
    assert status == 200
    daemon.wait(number, "cancelled")


def test_grace_has_a_limit(daemon):
    """Nobody stays for ever by ignoring a signal."""
    answer = daemon.post("/v1/jobs", spec(grace="301s"))
    assert answer.status == 400 and "its grace is longer than the limit, 300 s" in answer.error
    deaf = daemon.submit("sh", "-c", "trap '' TERM; while :; do sleep 0.1; done", grace="5m")
    daemon.wait(deaf, "runs")
    jobs(daemon, "grace: 100ms, maxGrace: 100ms")
    assert daemon.post(f"/v1/jobs/{deaf}/cancel").status == 200
    assert daemon.wait(deaf)["state"] == "cancelled"


def test_nothing_is_not_asked_for(shared):
    """What asks for nothing would run at once, however much of it there is."""
    body = spec()
    del body["requests"]
    answer = shared.post("/v1/jobs", body)
    assert answer.status == 201
    assert shared.job(answer.json()["jobs"][0])["requests"] == {"cpu": "1"}
    answer = shared.post("/v1/jobs", spec(requests={"cpu": 0, "memory": "0"}))
    assert answer.status == 400 and answer.error == "the job asks for nothing"


def name_of(process):
    try:
        return pathlib.Path(f"/proc/{process}/comm").read_text()
    except OSError:  # it has just ended
        return None


def children(daemon):
    pid = daemon.process.pid
    all_of_it = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return {one for one in all_of_it if name_of(one) not in (None, "fairlead-spawn\n")}


def is_stopped(child):
    """One that was about to end when it was told is a zombie and counts no more."""
    try:
        return pathlib.Path(f"/proc/{child}/stat").read_text().rsplit(")", 1)[1].split()[0] == "T"
    except OSError:
        return False


@root_only
def test_questions_of_one_user(daemon):
    """Half of what is thought about at once is for others, who hear at once that they may ask."""
    plan = ["GET", "/v1/plan?cycles=1000", None]
    stopped = set()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        asked = []
        while len(stopped) < 2:
            asked = [a for a in asked if not a.done()]
            if len(asked) == len(stopped):
                asked.append(pool.submit(somebody, daemon, plan, plan, plan, plan, plan))
            for child in children(daemon) - stopped:
                try:
                    os.kill(int(child), signal.SIGSTOP)
                    stopped.add(child)
                except ProcessLookupError:
                    pass
            stopped = set(filter(is_stopped, stopped))
        (status, text), = somebody(daemon, plan)
        assert status == 503 and "too many questions" in text
        assert daemon.get("/v1/plan").status == 200
        for child in stopped:
            os.kill(int(child), signal.SIGCONT)
        for answers in [a.result() for a in asked]:
            assert {status for status, _ in answers} == {200}


@root_only
def test_why_it_did_not_start_is_for_its_owner(daemon):
    number = daemon.submit("no-such-program-of-mine", name="mine")
    daemon.wait(number, "failed")
    why = "impossible: cannot run 'no-such-program-of-mine': No such file or directory"
    mine = daemon.until(lambda: (job := daemon.job(number))["attempts"][0]["ended"] and job,
                        "its attempt has an end")
    assert (mine["reason"], mine["attempts"][0]["ended"], len(mine["attempts"])) == (why, why, 1)
    seen = somebody(daemon, *(["GET", path, None] for path in (
        f"/v1/jobs/{number}", "/v1/jobs?state=failed", f"/v1/jobs/{number}/explain", f"/v1/events?job={number}")))
    assert all(status == 200 for status, _ in seen)
    assert json.loads(seen[0][1])["reason"] == "impossible"
    assert not any("of-mine" in text for _, text in seen)
