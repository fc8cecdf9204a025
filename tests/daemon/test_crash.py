# SPDX-License-Identifier: Apache-2.0
"""The daemon is killed at a chosen call that changes the disk or starts a process, or that call fails.

How many such calls there are while it works is counted first; FAIRLEAD_CRASH_POINTS of them (24), spread
over all, are tried, each in a daemon of its own: killed before the call, after it, or told that the disk is
full. `make soak` tries each.  FAIRLEAD_SEED says which ones and how.
"""
import collections
import concurrent.futures
import http.client
import json
import os
import random
import signal
import subprocess
import time

import pytest

from conftest import OVER, Answer, Connection, Daemon

POINTS = int(os.environ.get("FAIRLEAD_CRASH_POINTS", "24"))  # 0: all of them
SEED = int(os.environ.get("FAIRLEAD_SEED", "0"))
HOWS = "before", "after", "full"
AT_ONCE = 6  # they sleep for the most part

SAYS = 'echo "begin $FAIRLEAD_JOB_ID $FAIRLEAD_ATTEMPT" >>"$1"; sleep "$2"; ' \
       'echo "end $FAIRLEAD_JOB_ID $FAIRLEAD_ATTEMPT" >>"$1"'


# Of no job that was not updated.
UPDATE = {"priority": 7, "timeLimit": "9m", "name": "updated", "comment": "x"}


class Gone(Exception):
    """The daemon was killed."""


class Trial:
    def __init__(self, folder, at, how):
        folder.mkdir()
        self.at, self.how = at, how
        self.daemon, self.witness, self.log = Daemon(folder), folder / "witness", folder / "crash"
        self.witness.touch()
        self.taken, self.cancelled, self.backed_up = set(), set(), False
        self.asked = set()  # to be cancelled, whether it was answered or not
        self.updated = set()

    def __str__(self):
        what = self.log.read_text().strip() if self.log.exists() else "never"
        return f"{self.how} call {self.at} ({what})"

    def ask(self, method, path, body=None):
        try:
            return self.daemon.ask(method, path, body)
        except (OSError, http.client.HTTPException) as e:
            raise Gone from e

    def submit(self, command=None, **spec):
        """What was taken is remembered, and may not be lost."""
        spec = {"queue": "default", "requests": {"cpu": "100m"}, "directory": str(self.daemon.folder),
                "command": command or ["sh", "-c", SAYS, "sh", str(self.witness), "0.05"], **spec}
        answer = self.ask("POST", "/v1/jobs", json.dumps(spec))
        assert answer.status in (201, 503), answer.text
        jobs = answer.json()["jobs"] if answer.status == 201 else []
        self.taken |= set(jobs)
        return jobs

    def cancel(self, jobs):
        self.asked.update(jobs[:1])
        if jobs and self.ask("POST", f"/v1/jobs/{jobs[0]}/cancel").status == 200:
            self.cancelled.add(jobs[0])

    def update(self, jobs):
        """All of it or nothing, and what was answered stays."""
        body = {"jobs": str(jobs[0]), "set": UPDATE} if jobs else {"user": "nobody", "set": UPDATE}
        answer = self.ask("POST", "/v1/jobs/update", json.dumps(body))
        if answer.status == 200 and jobs:
            assert answer.json()["done"] == 1, answer.text
            self.updated.add(jobs[0])

    def before(self):
        """A state that has something in it, and a job that runs."""
        self.daemon.start()
        self.submit()
        self.submit(["sh", "-c", SAYS, "sh", str(self.witness), "0.7"])
        assert self.daemon.stop() == 0

    def work(self):
        """All that it does, once, until it is killed or told to stop."""
        environment = {"LD_PRELOAD": os.environ["FAIRLEAD_CRASH"], "CRASH_AT": str(self.at), "CRASH_HOW": self.how,
                       "CRASH_LOG": str(self.log)}
        self.daemon.start(ready=False, environment=environment)
        try:
            while not self.is_up():
                time.sleep(0.01)
            for _ in range(3):
                self.submit()
            array = self.submit(array=3)
            self.cancel(self.submit(hold=True))
            self.update(self.submit(hold=True))
            if array:
                self.submit(after=[{"job": array[0]}])
            self.ask("POST", "/v1/reload")
            self.backed_up = self.ask("POST", f"/v1/backup?to={self.daemon.folder}/backup").status == 200
            time.sleep(0.25)
            endless = self.submit(["sleep", "60"])
            time.sleep(0.1)
            if endless:
                self.ask("POST", "/v1/jobs/requeue", json.dumps({"jobs": str(endless[0])}))
                time.sleep(0.1)
            self.cancel(endless)
            time.sleep(0.1)
            self.daemon.process.send_signal(signal.SIGTERM)
        except Gone:
            pass
        self.daemon.process.wait(60)
        self.daemon.log.close()

    def is_up(self):
        if self.daemon.process.poll() is not None:
            raise Gone
        try:
            return Answer(self.connected()).status in (200, 503)
        except OSError:
            return False
        except http.client.HTTPException as e:
            raise Gone from e

    def connected(self):
        connection = Connection(self.daemon.socket)
        connection.request("GET", "/v1/health")
        return connection.getresponse()

    def after(self):
        """It begins again as if nothing had been, and all that was taken comes to its end, once."""
        self.daemon.start()
        states = "held,depends,waits,starts,runs,stops,done,failed,cancelled"
        jobs = {}

        def over():
            rows = self.daemon.get(f"/v1/jobs?state={states}&limit=10000").json()["jobs"]
            jobs.update({row["id"]: row for row in rows})
            return all(row["state"] in OVER or row["id"] not in self.taken for row in rows
                       if row["name"] != "sleep" and row["state"] != "held")

        self.daemon.until(over, "all that was taken is over")
        for number in self.taken:
            job = self.daemon.job(number)
            has = [job.get(key) == value for key, value in UPDATE.items()]
            assert all(has) if number in self.updated else all(has) or not any(has), (number, job)
        for row in jobs.values():
            if row["state"] not in OVER:
                self.asked.add(row["id"])
                self.daemon.post(f"/v1/jobs/{row['id']}/cancel")
        self.daemon.until(lambda: not self.daemon.get("/v1/jobs").json()["jobs"], "all jobs are over")
        lost = self.taken - set(jobs)
        assert not lost, f"lost: {lost}"
        said = collections.Counter(tuple(line.split()) for line in self.witness.read_text().splitlines())
        assert all(n == 1 for n in said.values()), f"an attempt ran twice: {said}"
        for number, row in jobs.items():
            assert row["state"] != "cancelled" or number in self.asked, (number, row)
            ends = [key for key in said if key[0] == "end" and key[1] == str(number)]
            if number in self.cancelled:
                assert row["state"] in ("cancelled", "stops"), (number, row)
            elif row["name"] not in ("sleep",) and row["state"] not in ("held", "cancelled"):
                assert row["state"] == "done" and len(ends) == 1, (number, row, said)
        assert self.daemon.get("/v1/health").json()["warning"] is None, "a kill is no restore"
        assert self.daemon.stop() == 0
        verify(self.daemon.state)
        if self.backed_up:
            verify(self.daemon.folder / "backup")


def verify(state):
    answer = subprocess.run([os.environ["FAIRLEADD"], "--verify", "--state", str(state)], capture_output=True,
                            text=True, check=False)
    assert answer.returncode == 0, answer.stderr


def try_at(folder, at, how):
    trial = Trial(folder, at, how)
    try:
        trial.before()
        trial.work()
        trial.after()
    except BaseException as e:
        raise AssertionError(f"{trial}: {e}\n{trial.daemon.said()[-3000:]}") from e
    finally:
        if trial.daemon.process and trial.daemon.process.poll() is None:
            trial.daemon.process.kill()
            trial.daemon.process.wait()
    return trial


def test_killed_at_each_call(tmp_path):
    if "FAIRLEAD_CRASH" not in os.environ:
        pytest.skip("the library that kills was not built")
    counted = try_at(tmp_path / "count", 0, "before")
    calls = int(counted.log.read_text().split()[0])
    assert calls > 100, "it does not see what the daemon does"
    rng = random.Random(SEED)
    step = max(1, calls // POINTS) if POINTS else 1
    points = [(at, HOWS[i % 3]) for i, at in enumerate(range(1 + rng.randrange(step), calls + 1, step))]
    if not POINTS:
        points = [(at, how) for at, _ in points for how in HOWS]
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        trials = list(pool.map(lambda p: try_at(tmp_path / f"{p[1]}-{p[0]}", *p), points))
    hit = collections.Counter(t.log.read_text().split()[1] for t in trials if t.log.exists())
    print(f"\n{calls} calls, {len(points)} points, {sum(hit.values())} hit: {dict(hit)}")
    assert sum(hit.values()) >= len(points) * 2 // 3
