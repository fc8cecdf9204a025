# SPDX-License-Identifier: Apache-2.0
"""A state on a disk that is full, again and again, and on one that cannot be written to any more."""
import collections
import os
import signal
import subprocess
import threading
import time

import pytest

import conftest
from conftest import Daemon

STATES = "done,failed,cancelled,runs,held,waits,stops,starts,depends"


@pytest.fixture
def disk(tmp_path):
    path = tmp_path / "disk"
    path.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=12m,mode=0755", "tmpfs", path],
                      capture_output=True).returncode:
        pytest.skip("nothing can be mounted here")
    yield path
    subprocess.run(["umount", "-l", path])


@pytest.fixture
def place(disk, tmp_path):
    daemon = Daemon(tmp_path, conftest.write_config(tmp_path))
    daemon.state = disk / "state"
    daemon.runs = tmp_path / "runs"
    daemon.runs.touch()
    daemon.start()
    yield daemon
    (disk / "filler").unlink(missing_ok=True)
    if daemon.process.poll() is not None:
        daemon.start()
    conftest.end(daemon)


def fill(disk):
    with open(disk / "filler", "ab", buffering=0) as filler:
        try:
            while True:
                filler.write(b"x" * 4096)
        except OSError:
            pass


def submit(place, seconds="0.05", **more):
    """Whatever runs says so itself, on another disk."""
    return place.post("/v1/jobs", {
        "queue": "default", "requests": {"cpu": "500m"}, "directory": "/",
        "command": ["sh", "-c", "echo begin $FAIRLEAD_JOB_ID $FAIRLEAD_ATTEMPT >>$0; sleep $1; "
                    "echo end $FAIRLEAD_JOB_ID $FAIRLEAD_ATTEMPT >>$0", str(place.runs), seconds],
        "environment": {"PATH": os.environ["PATH"]}, **more})


def take(acknowledged, answer):
    if answer.status == 201:
        acknowledged += answer.json()["jobs"]
    return answer.status


def check(place, acknowledged):
    """All that was acknowledged is known and has run once; what the state holds is whole."""
    place.until(lambda: place.get("/v1/health").status == 200, "it writes again")
    place.until(lambda: not place.get("/v1/jobs").json()["jobs"], "all are over")
    jobs = {j["id"]: j for j in place.get(f"/v1/jobs?limit=10000&state={STATES}").json()["jobs"]}
    assert set(acknowledged) <= set(jobs)
    said = collections.Counter(place.runs.read_text().splitlines())
    assert not [line for line, times in said.items() if times > 1], "twice"
    for number in acknowledged:
        state = jobs[number]["state"]
        ends = sum(times for line, times in said.items() if line.startswith(f"end {number} "))
        assert ends == (state == "done"), (number, jobs[number])
    assert place.stop() == 0
    done = subprocess.run([os.environ["FAIRLEADD"], "--verify", "--state", place.state],
                          capture_output=True, text=True)
    assert done.returncode == 0 and "is whole" in done.stdout, done.stderr


def test_killed_on_a_full_disk(place, disk):
    acknowledged = []
    for more in ({"seconds": "2"}, {"seconds": "2", "name": "loud"}):
        assert take(acknowledged, submit(place, **more)) == 201
    for number in acknowledged:
        place.wait(number, "runs")
    fill(disk)
    statuses = {201}
    for _ in range(2000):
        if 503 not in statuses:
            statuses.add(take(acknowledged, submit(place, name="y" * 60, hold=True)))
    assert statuses == {201, 503}
    health = place.get("/v1/health")
    assert health.status == 503 and "full" in health.json()["problem"]
    # What is known can be read, and nothing is said to be done that is not written.
    assert place.get("/v1/jobs").status == 200
    told = acknowledged.pop(0)
    cancelled = place.post(f"/v1/jobs/{told}/cancel").status
    assert cancelled in (200, 503)
    place.until(lambda: place.runs.read_text().count("end") >= 1, "one ends meanwhile")
    place.stop(signal.SIGKILL)
    place.start(ready=False)
    place.until(lambda: place.process.poll() is not None or place.answers(), "it starts or says why not")
    if place.process.poll() is not None:
        assert place.process.returncode == 3 and "make room" in place.said()
    (disk / "filler").unlink()
    if place.process.poll() is not None:
        place.start()
    if cancelled == 200:
        assert place.wait(told)["state"] == "cancelled"
    for number in acknowledged:
        if place.job(number)["state"] == "held":
            place.post(f"/v1/jobs/{number}/cancel")
    check(place, acknowledged)


def test_full_again_and_again(place, disk):
    acknowledged = []
    for turn in range(4):
        statuses = collections.Counter()

        def load():
            for _ in range(40):
                try:
                    statuses[take(acknowledged, submit(place))] += 1
                except (OSError, EOFError):
                    statuses["gone"] += 1
                except Exception as e:  # an answer that was cut off by a kill
                    statuses[type(e).__name__] += 1
                time.sleep(0.005)

        thread = threading.Thread(target=load)
        thread.start()
        place.until(lambda: statuses[201] + statuses[503], "somebody was answered")
        fill(disk)
        if turn % 2:
            place.stop(signal.SIGKILL)
        thread.join()
        (disk / "filler").unlink()
        if turn % 2:
            place.start()
        place.until(lambda: place.get("/v1/health").status == 200, "it writes again")
        assert statuses[201] + statuses[503] > 0
    check(place, acknowledged)


def test_read_only_disk(place, disk):
    number = submit(place).json()["jobs"][0]
    place.wait(number)
    place.stop(signal.SIGKILL)
    assert subprocess.run(["mount", "-o", "remount,ro", disk]).returncode == 0
    try:
        place.start(ready=False)
        assert place.process.wait(60) == 3 and "Read-only file system" in place.said()
        done = subprocess.run([os.environ["FAIRLEADD"], "--verify", "--state", place.state],
                              capture_output=True, text=True)
    finally:
        assert subprocess.run(["mount", "-o", "remount,rw", disk]).returncode == 0
    assert done.returncode == 0 and "is whole" in done.stdout, done.stderr
    place.start()
    assert place.job(number)["state"] == "done"
