# SPDX-License-Identifier: Apache-2.0
"""What queues held over a time, against the times of their jobs: exact, also over kills."""
import itertools
import json
import signal
import sqlite3
import time

import pytest

from conftest import ms
from test_policies import daemon_of, entitled, queue, sleeps, states  # noqa: F401

CPU = {"a": 1, "b": 2}  # of each of its jobs


def history(daemon, **window):
    query = "&".join(f"{k}={v}" for k, v in window.items())
    answer = daemon.get(f"/v1/history?{query}")
    assert answer.status == 200, answer.text
    answer = answer.json()
    return answer, {row["name"]: row for row in answer["queues"]}


def had(rows, name, resource="cpu"):
    return rows[name]["had"].get(resource, {"unitSeconds": 0})["unitSeconds"]


def by_attempts(daemon, numbers, end):
    """Seconds that jobs held something until `end`, of their own attempts; how many were evicted."""
    attempts = [a for n in numbers for a in daemon.job(n)["attempts"]]
    seconds = sum((min(ms(a["to"]), end) if a["to"] else end) - ms(a["from"])
                  for a in attempts) / 1000
    evicted = sum(a["ended"] == "preempted" for a in attempts)
    return seconds, evicted, len(attempts)


def check(daemon, jobs):
    """Moments are told to the millisecond, so each end of an attempt may be off by one."""
    answer, rows = history(daemon)
    for name, numbers in jobs.items():
        seconds, evicted, n = by_attempts(daemon, numbers, ms(answer["to"]))
        assert had(rows, name) == pytest.approx(CPU[name] * seconds, abs=CPU[name] * n * 0.003)
        assert rows[name]["preempted"] == evicted
        assert rows[name]["jobs"] == len(numbers)
    both = sum(had(rows, name) for name in jobs)
    assert had(rows, "dept") == pytest.approx(both, rel=1e-12)
    for name in jobs:
        assert rows[name]["had"]["cpu"]["part"] == pytest.approx(had(rows, name) / both, rel=1e-12)
    return answer, rows


def by_the_store(daemon):
    """Units times nanoseconds, by whole numbers, of what is over."""
    sums = {}
    store = sqlite3.connect(daemon.state / "fairlead.db")
    for name, since, until, placement in store.execute(
            "SELECT queue, since, until, placement FROM admissions"):
        for grant in json.loads(placement):
            key = name, grant["resource"]
            sums[key] = sums.get(key, 0) + grant["amount"] * (until - since)
    store.close()
    return sums


def check_pieces(daemon, rows, moments):
    """A time that is cut at @moments has the sum of its pieces, but for their milliseconds."""
    cuts = [None, *moments, None]
    for name in CPU:
        pieces = 0
        for begin, end in itertools.pairwise(cuts):
            window = ({"from": begin} if begin else {}) | ({"to": end} if end else {})
            pieces += had(history(daemon, **window)[1], name)
        assert pieces == pytest.approx(had(rows, name), abs=0.002 * 4 * len(cuts))


def closed(daemon, numbers):
    """All attempts of jobs that are over; the last end is written with the next batch."""
    def look():
        rows = [row for n in numbers for row in daemon.job(n)["attempts"]]
        return None not in [row["to"] for row in rows] and rows

    return daemon.until(look, "all attempts have ended")


def test_exact(daemon_of, tmp_path):  # noqa: F811 (the fixture)
    daemon = daemon_of(entitled(queue("a", 2000), queue("b", 2000)))
    witness = tmp_path / "witness"
    short = [daemon.submit("sh", "-c", f"date +%s%N >>{witness}; sleep 0.3; date +%s%N >>{witness}",
                           queue="a", requests={"cpu": "1"})]
    daemon.wait(short[0])
    begin, end = (int(line) // 1_000_000 for line in witness.read_text().split())
    [attempt] = closed(daemon, short)
    assert ms(attempt["from"]) - 2 <= begin < end <= ms(attempt["to"]) + 2
    assert ms(attempt["to"]) - ms(attempt["from"]) < end - begin + 20_000

    jobs = {"a": short + sleeps(daemon, "a", 1, 4), "b": []}
    daemon.until(lambda: states(daemon, jobs["a"][1:]) == ["runs"] * 4, "a has the whole machine")
    jobs["b"] = sleeps(daemon, "b", 2, 1)
    daemon.until(lambda: states(daemon, jobs["b"]) == ["runs"], "b has its part")
    daemon.until(lambda: by_attempts(daemon, jobs["a"], 0)[1] == 2, "the ends of both attempts are written")
    first = check(daemon, jobs)[0]["to"]
    daemon.stop(signal.SIGKILL)
    time.sleep(0.2)  # they go on without it
    daemon.start()
    second, rows = check(daemon, jobs)
    assert rows["a"]["preempted"] == 2 and rows["b"]["preempted"] == 0
    assert ms(second["to"]) - ms(first) >= 200
    daemon.stop()
    daemon.start()
    for number in jobs["b"]:
        daemon.post(f"/v1/jobs/{number}/cancel")
    daemon.until(lambda: states(daemon, jobs["a"][1:]) == ["runs"] * 4, "a has all of it again")
    for number in jobs["a"][1:]:
        daemon.post(f"/v1/jobs/{number}/cancel")
    daemon.until(lambda: not daemon.get("/v1/jobs").json()["jobs"], "all are over")

    closed(daemon, jobs["a"] + jobs["b"])
    store = by_the_store(daemon)
    daemon.stop(signal.SIGKILL)
    daemon.start()
    _, rows = check(daemon, jobs)
    assert store == by_the_store(daemon)
    for name in jobs:
        assert had(rows, name) == pytest.approx(store[name, "cpu"] / 1000 / 1e9, rel=1e-12)
    check_pieces(daemon, rows, [first, second["to"]])
    # Before all, and behind all: nobody held anything.
    for window in {"to": "2001-01-01T00:00:00Z"}, {"from": "2100-01-01T00:00:00Z"}:
        assert not any(row["had"] for row in history(daemon, **window)[1].values())


def test_of_gangs_that_wait(daemon_of):  # noqa: F811 (the fixture)
    """With deserved quotas: those that never ran, and those that wait again, want what they ask for."""
    daemon = daemon_of(entitled(queue("a", 2000), queue("b", 2000)))
    first = sleeps(daemon, "a", 1, 4)
    daemon.until(lambda: states(daemon, first) == ["runs"] * 4, "a has the whole machine")
    other = sleeps(daemon, "b", 2, 2)
    daemon.until(lambda: sorted(states(daemon, first)) == ["runs", "runs", "waits", "waits"], "b has its part")
    daemon.until(lambda: states(daemon, other) == ["runs", "waits"], "the second of b waits")
    since = daemon.get("/v1/history").json()["to"]
    time.sleep(0.5)
    answer, rows = history(daemon, **{"from": since})
    seconds = (ms(answer["to"]) - ms(since)) / 1000
    for name, held in ("a", 2), ("b", 2):
        cpu = rows[name]["had"]["cpu"]
        assert cpu["unitSeconds"] == pytest.approx(held * seconds, abs=0.02)
        assert cpu["wantedUnitSeconds"] == pytest.approx(4 * seconds, abs=0.02)
        assert cpu["dueUnitSeconds"] == pytest.approx(2 * seconds, abs=0.02)
    assert rows["dept"]["had"]["cpu"]["wantedUnitSeconds"] == pytest.approx(8 * seconds, abs=0.02)
