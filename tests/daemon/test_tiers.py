# SPDX-License-Identifier: Apache-2.0
"""History in tiers: hours go by, and what was held in each of them is told, whatever happens to the daemon meanwhile."""
import os
import pathlib
import random
import shutil
import sqlite3
import subprocess
import tarfile
import time

import pytest

from conftest import AS_ROOT, CONFIG, SOURCE, Daemon, end, ms, write_config

HOUR, DAY = 3600, 86400
KILLS = int(os.environ.get("FAIRLEAD_KILLS", "8"))


class Traveller(Daemon):
    """All its clocks can be set forward, and that of the wall beside them."""

    ahead = 0
    queue = "default"

    def start(self, *more, **options):
        environment = {"LD_PRELOAD": os.environ["FAIRLEAD_CLOCK"], "TIME_FILE": str(self.folder / "ahead"),
                       "CLOCK_FILE": str(self.folder / "wall")}
        self.pass_time(0)
        return super().start(*more, environment=environment, **options)

    def pass_time(self, seconds):
        self.ahead += seconds
        self.put("ahead", self.ahead)

    def set_wall(self, seconds):
        self.put("wall", seconds)

    def put(self, name, number):
        (self.folder / "new").write_text(str(number))
        (self.folder / "new").rename(self.folder / name)

    def ask_json(self, path):
        answer = self.get(path)
        assert answer.status == 200, answer.text
        return answer.json()

    def rows(self, step="hour", queue=None):
        """All that there are; each begins where the one before it ended."""
        path = f"/v1/series?queue={queue or self.queue}&step={step}&from=2026-01-01T00:00:00Z"
        answer = self.ask_json(path)
        rows = answer["rows"]
        while answer.get("more"):
            answer = self.ask_json(path.replace("2026-01-01T00:00:00Z", answer["more"]))
            rows += answer["rows"]
        for before, row in zip(rows, rows[1:]):
            assert before["to"] == row["from"], (before, row)
        return rows

    def whole_hours(self):
        return [row for row in self.rows() if ms(row["to"]) % (HOUR * 1000) == 0]

    def sum_up(self, hours):
        """Hours go by, one after the other, and each is summed up."""
        for _ in range(hours):
            last = self.rows()[-1:]
            self.pass_time(HOUR)
            self.until(lambda last=last: self.rows()[-1:] != last and self.is_summed_up(), "the hour is summed up")

    def is_summed_up(self):
        """Up to half a minute and one part ago."""
        now = self.ask_json("/v1/health")["now"]
        rows = self.rows()
        return rows and ms(now) - ms(rows[-1]["to"]) < 700 * 1000

    def held(self, **arguments):
        """Of the queue: from what, core seconds, attempts, preempted."""
        answer = self.ask_json("/v1/history?" + "&".join(f"{name}={value}" for name, value in arguments.items()))
        queue = next(q for q in answer["queues"] if q["name"] == "default")
        assert answer["errorSeconds"] == 0, answer
        return answer["tier"], queue["had"].get("cpu", {"unitSeconds": 0})["unitSeconds"], queue["jobs"], queue["preempted"]


@pytest.fixture
def daemon(tmp_path):
    one = Traveller(tmp_path, write_config(tmp_path)).start()
    yield one
    end(one)


def core_seconds(rows):
    return sum(row["resources"].get("cpu", {"held": 0})["held"] * row["seconds"] for row in rows)


def running(daemon, cpu="2", **spec):
    job = daemon.submit("sleep", "600", requests={"cpu": cpu}, **spec)
    return daemon.wait(job, "runs")


def verify(daemon):
    done = subprocess.run([os.environ["FAIRLEADD"], "--verify", "--state", str(daemon.state)],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_hours_and_days(daemon):
    job = running(daemon)
    daemon.sum_up(2)
    short = running(daemon, cpu="1")
    daemon.sum_up(27)
    rows = daemon.rows()
    midnights = [row for row in rows if ms(row["to"]) % (DAY * 1000) == 0]
    assert midnights and all(row["tier"] in ("day", "month") for row in midnights), rows
    # What jobs say of themselves.
    until = ms(rows[-1]["to"])
    seconds = 2 * (until - ms(job["startedAt"])) + until - ms(short["startedAt"])
    assert core_seconds(rows) == pytest.approx(seconds / 1000, abs=0.01)
    assert sum(row["started"] for row in rows) == 2
    assert rows[0]["waitLongest"] == pytest.approx((ms(job["startedAt"]) - ms(job["submittedAt"])) / 1000, abs=0.002)
    # By days it is the same, and by one month.
    for step in "day", "month":
        coarse = daemon.rows(step=step)
        assert core_seconds(coarse) == pytest.approx(core_seconds(daemon.rows()), abs=3 * 700)
        assert sum(row["started"] for row in coarse) == 2
        assert len(coarse) < len(rows) / 8
    assert daemon.rows(queue="other") == [] or core_seconds(daemon.rows(queue="other")) == 0


def test_killed_around_the_end_of_an_hour(daemon):
    """Sums and what they replace are in one transaction: nothing is counted twice or left out."""
    chance = random.Random(7)
    job = running(daemon)
    for _ in range(KILLS):
        daemon.pass_time(HOUR)
        daemon.get("/v1/health")  # wakes it
        time.sleep(chance.random() * 0.03)
        daemon.stop(9)
        verify(daemon)
        daemon.start()
        assert daemon.job(job["id"])["attempt"] == 1
    daemon.sum_up(2)
    rows = daemon.rows()
    assert len(rows) >= KILLS
    assert core_seconds(rows) == pytest.approx(2 * (ms(rows[-1]["to"]) - ms(job["startedAt"])) / 1000, abs=0.01)
    assert sum(row["started"] for row in rows) == 1
    assert daemon.stop() == 0
    verify(daemon)
    daemon.start()


KEEP = "  keep: {jobs: 1h, events: 2h, tiers: {exact: 6h, hour: 10h, day: 5y}}\n"


def admissions(daemon):
    store = sqlite3.connect(f"file:{daemon.state}/fairlead.db?mode=ro", uri=True)
    try:
        return store.execute("SELECT count(*) FROM admissions").fetchone()[0]
    finally:
        store.close()


def test_totals_stay_when_rows_are_dropped(tmp_path):
    """First what each job held, then sums of hours, then of days."""
    config = tmp_path / "daemon.yaml"
    config.write_text(CONFIG.replace("  jobs: {grace: 1s}\n", "  jobs: {grace: 1s}\n" + KEEP, 1))
    daemon = Traveller(tmp_path, config).start()
    try:
        # Before any time is skipped, as runners have clocks of their own.
        for job in [daemon.submit("sleep", "1", requests={"cpu": "1"}) for _ in range(3)]:
            assert daemon.wait(job)["state"] == "done"
        daemon.sum_up(2)
        rows = daemon.rows()
        span = {"from": rows[0]["from"], "to": rows[1]["to"]}
        exact = daemon.held(**span)
        assert exact[0] == "exact" and exact[1] > 3 and exact[2] == 3 and admissions(daemon) == 3
        usage = daemon.ask_json("/v1/usage?from=" + rows[0]["from"])
        assert usage["tier"] == "exact" and usage["users"]
        daemon.sum_up(8)
        daemon.until(lambda: daemon.get("/v1/health") and admissions(daemon) == 0, "rows of jobs are dropped")
        summed = daemon.held(**span)
        assert summed[0] == "hour" and summed[1] == pytest.approx(exact[1], abs=0.01) and summed[2:] == exact[2:]
        assert core_seconds(daemon.rows()) == pytest.approx(core_seconds(rows), abs=0.01)
        # What is known of users begins where it is exact, and says so.
        later = daemon.ask_json("/v1/usage?from=" + rows[0]["from"])
        assert later["users"] == [] and ms(later["from"]) > ms(rows[0]["from"])
        daemon.sum_up(40)
        days = daemon.rows()
        assert len(days) < 20 and core_seconds(days) == pytest.approx(core_seconds(rows), abs=0.01)
        verify(daemon)
    finally:
        end(daemon)


def test_in_a_backup(daemon):
    running(daemon)
    daemon.sum_up(4)
    answer = daemon.post(f"/v1/backup?to={daemon.folder / 'backup'}")
    assert answer.status == 200, answer.text
    rows = daemon.rows()
    end(daemon)
    shutil.rmtree(daemon.state)
    done = subprocess.run([os.environ["FAIRLEADD"], "--restore", str(daemon.folder / "backup"), "--state",
                           str(daemon.state), "--config", str(daemon.config)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    daemon.start()
    again = daemon.rows()
    # The clock may have another moment for the same time: to the second it is the same.
    assert [row["resources"] for row in again[:len(rows)]] == [row["resources"] for row in rows]
    daemon.sum_up(1)
    assert len(daemon.rows()) >= len(rows)


def test_the_wall_steps_over_a_months_end(daemon):
    """An hour or month is longer or shorter, and the daemon's own time is counted once."""
    job = running(daemon)
    began = time.monotonic() + daemon.ahead
    for offset in 40 * DAY, 0, -40 * DAY, 3 * HOUR, 0:
        daemon.sum_up(1)
        daemon.set_wall(offset)
        daemon.sum_up(1)
    rows = daemon.rows()
    seconds = sum(row["seconds"] for row in rows)
    assert core_seconds(rows) == pytest.approx(2 * seconds, abs=0.2)
    assert time.monotonic() + daemon.ahead - began == pytest.approx(seconds, abs=700)
    assert sum(row["started"] for row in rows) == 1
    assert [row["tier"] for row in rows].count("month") >= 1
    assert daemon.job(job["id"])["attempt"] == 1


# --- a database of an older version ---

@pytest.fixture
def older(tmp_path):
    """Version 3, which knew no sums: 30 attempts of jobs."""
    states = pathlib.Path(SOURCE) / "tests/guard/states"
    for name in "daemon.yaml", "company.yaml":
        shutil.copyfile(states / "folder" / name, tmp_path / name)
    with tarfile.open(states / "version-3.tar.xz") as tar:
        members = tar.getmembers()
        for member in members:
            member.uid, member.gid = os.getuid(), os.getgid()
        tar.extractall(tmp_path, members)
    one = Traveller(tmp_path, "daemon.yaml")
    one.queue = "vision"
    yield one
    end(one)


@pytest.mark.skipif(not AS_ROOT, reason="the jobs in the folder are root's")
def test_an_older_database_is_summed_up_from_its_first_job(older):
    store = sqlite3.connect(older.state / "fairlead.db")
    assert store.execute("PRAGMA user_version").fetchone()[0] == 3
    ended = store.execute("SELECT count(*) FROM admissions WHERE until IS NOT NULL").fetchone()[0]
    store.close()
    older.start()
    for job in older.ask_json("/v1/jobs?limit=1000")["jobs"]:
        older.post(f"/v1/jobs/{job['id']}/cancel")
    older.until(lambda: not older.ask_json("/v1/jobs")["jobs"], "all are over")
    older.sum_up(1)
    queues = [q for q in older.ask_json("/v1/history")["queues"] if q["kind"] != "Cohort" and q["had"]["cpu"]["unitSeconds"]]
    assert len(queues) >= 3
    for queue in queues:
        rows = older.rows(queue=queue["name"])
        assert core_seconds(rows) == pytest.approx(queue["had"]["cpu"]["unitSeconds"], rel=1e-6, abs=0.01)
    # All of them but those that never began.
    assert sum(row["started"] for q in queues for row in older.rows(queue=q["name"])) >= ended
