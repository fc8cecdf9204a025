# SPDX-License-Identifier: Apache-2.0
"""The clock of the daemon's machine is an hour off, and jumps while it runs: times are those of the API server."""
import datetime
import json
import os
import re
import time

import pytest
from watching import Unix, condition, fill, workload

HOUR = 3600
SOON = 20  # seconds: so long a step of a test may take
CUT = 6  # seconds: three attempts, whose begin is a whole second, with a clock that is known to a second

pytestmark = pytest.mark.skipif("FAIRLEAD_CLOCK" not in os.environ, reason="needs the library that sets clocks")


class Clock:
    """Of the machine that the daemon is on; not of the API server's."""

    def __init__(self, folder, monkeypatch):
        self.file = folder / "clock"
        self.set(0)
        monkeypatch.setenv("CLOCK_FILE", str(self.file))
        monkeypatch.setenv("LD_PRELOAD", os.environ["FAIRLEAD_CLOCK"])

    def set(self, seconds):
        new = self.file.with_suffix(".new")
        new.write_text(str(seconds))
        new.chmod(0o644)
        new.rename(self.file)


@pytest.fixture
def clock(tmp_path, monkeypatch):
    return Clock(tmp_path, monkeypatch)


def utc():
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def shown(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def is_now(text):
    return abs(shown(text) - time.time()) < SOON


def settled(w):
    """What is held of the queue, and for how long in all, once it does not grow any more."""
    def read():
        queue = next(q for q in w.get("/v1/history")["queues"] if q["name"] == "cq" and q["kind"] == "ClusterQueue")
        return queue["had"]["cpu"]["unitSeconds"] if queue["had"] else None

    def same():
        before = read()
        time.sleep(0.3)
        return before is not None and read() == before and (before,)
    return w.wait(same)[0]


@pytest.mark.parametrize("off", [HOUR, -HOUR])
def test_a_machine_an_hour_off(fake, watch, clock, off):
    """A Workload's life while the clock jumps: nothing lasts an hour, or ends before it began."""
    clock.set(off)
    fill(fake)
    workload(fake, "a", "one", cpu=3, created=utc())
    w = watch().ready()
    begun = time.monotonic()
    assert is_now(w.get("/v1/health")["now"])
    assert re.search(f"clock is about 3[56].. s {'ahead of' if off > 0 else 'behind'} the API server's", w.text())

    def ready():
        health = w.get("/v1/health", ready=1)
        assert health["status"] == "ok" and is_now(health["now"]), health

    for jump in off, 0, -off:
        clock.set(jump)
        reserved = utc()
        workload(fake, "a", "one", cpu=3, held=True, created=reserved, reserved=reserved)
        w.wait(lambda: w.counts() == (1, 0))
        ready()
        time.sleep(1.1)  # times are whole seconds
        workload(fake, "a", "one", cpu=3, created=reserved, conditions=[condition("Evicted", reason="Preempted", at=utc())])
        w.wait(lambda: w.counts() == (0, 1))
        ready()
    [job] = w.get("/v1/jobs")["jobs"]
    assert 1 <= job["ranSeconds"] <= time.monotonic() - begun + CUT, job
    page = w.wait(lambda: (page := w.get(f"/v1/jobs/{job['id']}")) and [bool(a["to"]) for a in page["attempts"]] == [True] * 3 and page)
    for attempt in page["attempts"]:
        assert is_now(attempt["from"]) and 0 <= shown(attempt["to"]) - shown(attempt["from"]) < SOON, page
    assert 0 < settled(w) <= 3 * (time.monotonic() - begun + CUT)
    connection = Unix(w.socket)
    connection.request("GET", "/v1/events?after=0.0")
    events = [json.loads(line) for line in connection.getresponse().read().splitlines()]
    connection.close()
    assert len(events) >= 6 and all(is_now(e["at"]) for e in events), events
    waited = [line for line in w.get("/metrics").splitlines() if line.startswith('fairlead_job_wait_seconds_sum{queue="cq"}')]
    assert 0 <= float(waited[0].split()[1]) < SOON
    admitted = w.wait(lambda: [k for k in w.get("/v1/agreement")["kinds"] if k["kind"] == "admit" and k["real"]])[0]
    assert admitted["realToo"] == admitted["real"] and is_now(w.get("/v1/agreement")["began"])
    assert w.end() == 0


def test_restarts_over_a_clock_that_jumps(fake, watch, clock):
    """What was kept with another clock of the machine is of the same times."""
    fill(fake)
    reserved = utc()
    workload(fake, "a", "one", cpu=3, held=True, created=reserved, reserved=reserved)
    for jump in HOUR, -HOUR, 0:
        clock.set(jump)
        w = watch().ready()
        [job] = w.wait(lambda w=w: w.get("/v1/jobs")["jobs"])
        page = w.wait(lambda w=w, job=job: (page := w.get(f"/v1/jobs/{job['id']}"))["attempts"] and page)
        assert [(a["from"], a["to"]) for a in page["attempts"]] == [(reserved, None)] and job["attempt"] == 1
        answer = w.get("/v1/history")
        assert all(shown(g["to"]) - shown(g["from"]) < SOON for g in answer.get("gaps", []))
        time.sleep(1.1)
        assert w.end() == 0


def test_callers_are_asked_about_again(fake, watch, clock):
    """What may be read is known for a minute, whatever the clock shows."""
    fill(fake)
    fake.people["t"] = {"username": "ann", "uid": "1", "groups": []}
    fake.may = lambda *_: True
    w = watch(listen=True).ready()
    assert w.ask("/v1/queues", token="t")[0] == 200
    asked = len(fake.reviews)
    for jump in HOUR, -HOUR:
        clock.set(jump)
        assert w.ask("/v1/queues", token="t")[0] == 200
    assert len(fake.reviews) == asked


def test_a_server_whose_clock_goes_on(fake, watch):
    """Forward it is followed, by an hour not at once; back it is told, as times cannot begin again."""
    fill(fake)
    w = watch().ready()
    assert w.get("/v1/health")["status"] == "ok"
    fake.ahead = 50
    fake.cut_all()
    w.wait(lambda: shown(w.get("/v1/health")["now"]) - time.time() > 45)
    w.wait(lambda: w.get("/v1/health")["status"] == "ok")
    fake.ahead = 0
    fake.cut_all()
    w.wait(lambda: re.match(r"an API server's clock is [45]. s behind what was told before", w.get("/v1/health").get("problem") or ""))
    assert "\nfairlead_store_failing 0\n" in w.get("/metrics")
    fake.ahead = HOUR
    fake.cut_all()
    w.wait(lambda: re.search(r"API server's clock is 3[56].. s ahead of what was told before: followed once", w.text()))
    assert shown(w.get("/v1/health")["now"]) - time.time() < 50 + SOON


def test_a_server_that_says_no_date(fake, watch):
    fill(fake)
    fake.ahead = None
    w = watch().ready()
    assert is_now(w.get("/v1/health")["now"])
