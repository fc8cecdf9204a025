# SPDX-License-Identifier: Apache-2.0
"""The power is cut at any moment: nothing that was acknowledged is lost, nothing is refused.

All that a daemon and its runners do to the state folder is written down while jobs come and go
(trace.c). At random points of it a disk is made as a power cut might leave it (disk.py), and a daemon
is started there. FAIRLEAD_POWER_CUTS is at how many points (20; `make soak`: 1000).
"""
import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "daemon"))

from conftest import Daemon, end, write_config  # noqa: E402
from disk import Disk, note  # noqa: E402

CUTS = int(os.environ.get("FAIRLEAD_POWER_CUTS", "20"))
SEED = int(os.environ.get("FAIRLEAD_SEED", "1"))


class Traced(Daemon):
    """Notes what it acknowledged, after it did."""

    def __init__(self, folder, config):
        super().__init__(folder, config)
        self.trace = folder / "trace"

    def start(self, *args, **how):
        return super().start(*args, **how, environment={
            "LD_PRELOAD": os.environ["FAIRLEAD_DISK_TRACE"], "DISK_ROOT": str(self.state),
            "DISK_TRACE": str(self.trace)})

    def submit(self, *command, **spec):
        number = super().submit(*command, **spec)
        note(self.trace, f"submitted {number}")
        return number

    def act(self, number, what):
        answer = self.post(f"/v1/jobs/{number}/{what}")
        assert answer.status == 200, answer.text
        note(self.trace, f"{what} {number}")

    def over(self, number):
        note(self.trace, f"{self.wait(number)['state']} {number}")


def work(d, r):
    """What jobs there are, in what order: each line is something else to lose."""
    held = []
    for _ in range(12):
        what = r.randrange(6)
        if what == 0:
            held.append(d.submit(hold=True))
        elif what == 1 and held:
            d.act(held.pop(r.randrange(len(held))), r.choice(["cancel", "release"]))
        elif what == 2:
            d.over(d.submit("sh", "-c", "echo out; echo err >&2; exit 1"))
        elif what == 3:
            d.act(d.submit(hold=True, environment={"MUCH": "x" * r.randrange(60000)}), "cancel")
        elif what == 4:
            d.over(d.submit("sh", "-c", "echo out; sleep 0.01; echo err >&2; sleep 0.01; echo more"))
        else:
            d.submit("sh", "-c", "echo err >&2; echo out")


def record(folder, r):
    """A trace with several starts, checkpoints, a kill, and a log that is begun anew."""
    d = Traced(folder, write_config(folder))
    d.state.mkdir(mode=0o700)
    for round_ in range(4):
        d.start()
        note(d.trace, "up")
        work(d, r)
        if round_ % 2:
            d.stop(9)
        else:
            d.until(lambda: not d.get("/v1/jobs?state=waits,starts,runs,stops").json()["jobs"],
                    "nothing runs")
            d.stop()
    return d


def check_output(d, number):
    """Whatever was lost of a job's output, both streams as one have what each of them has, once."""
    log = f"/v1/jobs/{number}/log"

    def each():
        return {1: d.get(f"{log}?stream=out").body, 2: d.get(f"{log}?stream=err").body}

    was, now = None, each()
    while was != now:  # one that was lost runs again, and prints
        was = now
        both = d.get(f"{log}?stream=both&framed=1")
        now = each()
    if both.status == 404:
        return 0
    assert both.status == 200, both.text
    streams, at = {1: b"", 2: b""}, 0
    while at < len(both.body):
        stream, n = struct.unpack_from(">BxxxI", both.body, at)
        streams[stream] += both.body[at + 8:at + 8 + n]
        at += 8 + n
    assert at == len(both.body)
    assert streams == now
    return len(streams[2]) > 0


def expected(notes):
    """{number: states it may be in}."""
    want = {}
    for line in notes:
        what, _, number = line.partition(" ")
        if what == "submitted":
            want[int(number)] = {"held", "waits", "starts", "runs", "stops", "done", "failed",
                                 "cancelled"}
        elif what == "cancel":
            want[int(number)] = {"cancelled"}
        elif what == "release":
            want[int(number)] = {"waits", "starts", "runs", "stops", "done", "failed"}
        elif what in ("done", "failed"):
            want[int(number)] = {what}
    return want


ALL = "/v1/jobs?limit=10000&state=held,depends,waits,starts,runs,stops,done,failed,cancelled"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("recorded")
    d = record(folder, random.Random(SEED))
    yield d
    d.start()
    end(d)


def test_power_cuts(recorded, tmp_path):
    r = random.Random(SEED)
    disk = Disk(recorded.trace)
    root = recorded.state.stat().st_ino
    told = jobs = outputs = 0
    for i, n in enumerate(sorted(r.sample(range(1, len(disk) + 1), min(CUTS, len(disk))))):
        folder = tmp_path / f"cut{i}"
        folder.mkdir()
        d = Daemon(folder, recorded.config)
        disk.cut(n, r, d.state, root)
        where = f"seed {SEED}, cut {i}, behind {n} of {len(disk)} records"
        fairleadd = os.environ["FAIRLEADD"]
        verified = subprocess.run([fairleadd, "--verify", "--state", d.state],
                                  capture_output=True, text=True)
        if "up" in disk.notes:
            assert verified.returncode == 0, f"{where}: {verified.stderr}"
        d.start(ready=False)
        try:
            d.until(lambda: d.process.poll() is not None or d.answers(), "it listens")
            assert d.process.poll() is None, f"{where}: {d.said()}"
            health = d.get("/v1/health").json()
            assert health["status"] == "ok", f"{where}: {health}"
            have = {job["id"]: job["state"] for job in d.get(ALL).json()["jobs"]}
            for number, states in expected(disk.notes).items():
                assert have.get(number) in states, f"{where}: job {number} is {have.get(number)}"
            jobs += len(have)
            outputs += sum(check_output(d, number) for number in have)
            told += "pages were cut off" in d.said()
        finally:
            if d.process.poll() is None:
                end(d)
        shutil.rmtree(folder)
    print(f"{CUTS} cuts of {len(disk)} records, {jobs} jobs, {outputs} with output, {told} logs cut off and told")
    assert jobs > 0
    assert outputs > 0
    assert told > 0
