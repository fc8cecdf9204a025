# SPDX-License-Identifier: Apache-2.0
"""The clock on the wall is set, while the daemon runs and while it does not: it is how times are shown, and begins jobs."""
import datetime
import os
import subprocess
import time

import pytest

from conftest import Daemon, end, ms

DAY = 86400


@pytest.fixture
def daemon(tmp_path, monkeypatch):
    (tmp_path / "offset").write_text("0")
    monkeypatch.setenv("CLOCK_FILE", str(tmp_path / "offset"))
    monkeypatch.setenv("LD_PRELOAD", os.environ["FAIRLEAD_CLOCK"])
    one = Daemon(tmp_path).start()
    monkeypatch.delenv("LD_PRELOAD")
    yield one
    end(one)


def set_clock(daemon, seconds):
    (daemon.folder / "offset").write_text(str(seconds))


def shown(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def is_sound(daemon, offset):
    """Times are those of the clock as it is now, in their order, and figures are of what ran."""
    now = shown(daemon.get("/v1/health").json()["now"])
    assert abs(now - time.time() - offset) < 60
    history = daemon.get("/v1/history").json()
    assert ms(history["from"]) <= ms(history["to"])
    events = [line for line in daemon.get("/v1/events?after=0.0&limit=10000").text.splitlines()]
    assert events


def test_clock_is_set(daemon, monkeypatch):
    long = daemon.submit("sleep", "600", timeLimit="20m")
    daemon.wait(long, "runs")
    submitted = shown(daemon.job(long)["submittedAt"])
    for offset in 30 * DAY, -365 * DAY, 0, 50 * 365 * DAY, -1700000000:
        set_clock(daemon, offset)
        short = daemon.submit("true")
        job = daemon.wait(short)
        assert job["state"] == "done" and 0 <= job["ranSeconds"] < 60
        assert ms(job["submittedAt"]) <= ms(job["startedAt"]) <= ms(job["endedAt"])
        # The other one has not come to its limit, and was submitted when it was, by this clock.
        still = daemon.job(long)
        assert still["state"] == "runs" and still["attempt"] == 1
        assert abs(shown(still["submittedAt"]) - submitted - offset) < 60
        is_sound(daemon, offset)
    # Also while it does not run.
    for offset in 30 * DAY, -10 * 365 * DAY, 0:
        set_clock(daemon, offset)
        daemon.stop(9)
        monkeypatch.setenv("LD_PRELOAD", os.environ["FAIRLEAD_CLOCK"])
        daemon.start()
        monkeypatch.delenv("LD_PRELOAD")
        still = daemon.job(long)
        assert still["state"] == "runs" and still["attempt"] == 1
        assert daemon.wait(daemon.submit("true"))["state"] == "done"
        is_sound(daemon, offset)
    assert daemon.post(f"/v1/jobs/{long}/cancel").status == 200
    assert daemon.wait(long)["state"] == "cancelled"
    assert daemon.stop() == 0
    checked = subprocess.run([os.environ["FAIRLEADD"], "--verify", "--state", str(daemon.state)],
                             capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr


def utc(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + seconds))


def test_begin_follows_the_clock(daemon):
    """Jobs begin by the clock as it is set, soon after that; one whose begin has come does not wait for it again."""
    soon, later = daemon.submit("sleep", "600", begin=utc(1800)), daemon.submit("true", begin=utc(10 * DAY))
    assert daemon.job(soon)["state"] == "waits"
    set_clock(daemon, 3600)
    daemon.wait(soon, "runs")
    set_clock(daemon, 0)
    daemon.stop(9)
    daemon.start()
    assert [daemon.job(n)["state"] for n in (soon, later)] == ["runs", "waits"]
    assert daemon.post(f"/v1/jobs/{soon}/cancel").status == 200
