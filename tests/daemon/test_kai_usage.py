# SPDX-License-Identifier: Apache-2.0
"""What KAI's scheduler asks a Prometheus for: the requests that its client sends, and integrals of what was held."""
import http.client
import json
import math
import os
import sqlite3
import time
import urllib.parse

import pytest

from conftest import DEADLINE, Answer, end
from test_policies import entitled, queue, sleeps
from test_tcp import addresses
from test_tiers import HOUR, Traveller

DAY = 86400
GI = 1 << 30
CAPACITY = {name: 'sum(kube_node_status_capacity{resource="%s"})' % name for name in ("nvidia_com_gpu", "cpu", "memory")}
HELD = {"nvidia_com_gpu": "kai_queue_allocated_gpus", "cpu": "kai_queue_allocated_cpu_cores",
        "memory": "kai_queue_allocated_memory_bytes"}
# In the order in which one fetch asks.
METRICS = list(CAPACITY.values()) + list(HELD.values())
FORM = "application/x-www-form-urlencoded"
LISTEN = "  listen: [{address: '127.0.0.1:0', serves: {usage: open}}]\n  limits: {requestsWithoutToken: 1000}\n"


class Usage:
    """KAI's client: its forms, as they were seen on the wire, to a listener without tokens."""

    def __init__(self, daemon, method="POST"):
        self.daemon, self.method = daemon, method
        self.at, = addresses(daemon)

    def send(self, path, fields, **headers):
        body = urllib.parse.urlencode(fields)
        connection = http.client.HTTPConnection(*self.at, timeout=DEADLINE)
        try:
            if self.method == "GET":
                connection.request("GET", f"{path}?{body}")
            else:
                connection.request("POST", path, body, {"Content-Type": FORM, **headers})
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def rows(self, path, fields):
        answer = self.send(path, fields)
        assert (answer.status, answer.headers["Content-Type"]) == (200, "application/json"), answer.text
        whole = answer.json()
        assert set(whole) == {"status", "data"} and whole["status"] == "success"
        assert whole["data"]["resultType"] == "vector"
        asked = float(fields.get("time", fields.get("end")))
        for row in whole["data"]["result"]:
            assert set(row) == {"metric", "value"} and row["value"][0] == pytest.approx(asked, abs=0.001)
            assert isinstance(row["value"][1], str)
        return [(row["metric"], float(row["value"][1])) for row in whole["data"]["result"]]

    def sliding(self, metric, at, window="168h0m0s", step="1m0s", half=None):
        return self.rows("/api/v1/query", {"query": f"sum_over_time(({decayed(metric, at, half)})[{window}:{step}])",
                                           "time": number(at)})

    def ranged(self, metric, start, at, step="60", half=None):
        return self.rows("/api/v1/query_range", {"query": f"sum_over_time({decayed(metric, at, half)})",
                                                 "start": number(start), "end": number(at), "step": step})


def number(t):
    return f"{t:.7f}".rstrip("0").rstrip(".")


def decayed(metric, at, half):
    return f"(({metric}) * (0.5^(({int(at)} - time()) / {half:f})))" if half else metric


def by_queue(rows):
    assert all(set(metric) == {"queue_name"} for metric, _ in rows)
    assert [metric["queue_name"] for metric, _ in rows] == sorted(metric["queue_name"] for metric, _ in rows)
    return {metric["queue_name"]: value for metric, value in rows}


def attempts(daemon):
    """(queue, from, to or None, {resource: amount}), as they are stored."""
    store = sqlite3.connect(f"file:{daemon.state}/fairlead.db?mode=ro", uri=True)
    try:
        rows = store.execute("SELECT queue, since, until, placement FROM admissions").fetchall()
    finally:
        store.close()
    return [(name, since / 1e9, until and until / 1e9,
             {grant["resource"]: grant["amount"] for grant in json.loads(placement or "[]")})
            for name, since, until, placement in rows]


def integral(low, high, now, half, slices=20000):
    """Of 0.5^((now - t) / half), by the middle of many slices."""
    if high <= low:
        return 0
    if not half:
        return high - low
    width = (high - low) / slices
    return width * math.fsum(0.5 ** ((now - (low + (i + 0.5) * width)) / half) for i in range(slices))


def expected(daemon, resource, start, at, half, step=60):
    """By queue, from what is stored; those above others have what is below them."""
    unit = 1000 if resource == "cpu" else 1
    held = {}
    for name, since, until, amounts in attempts(daemon):
        value = amounts.get(resource, 0) / unit * integral(max(since, start), min(until or at, at), int(at), half) / step
        for of in (name, "dept"):
            held[of] = held.get(of, 0) + value
    return {name: value for name, value in held.items() if value > 0}


@pytest.fixture
def daemon(tmp_path):
    config = tmp_path / "daemon.yaml"
    text = entitled(queue("a", 2000), queue("b", 2000)).replace("  cycleInterval", LISTEN + "  cycleInterval", 1)
    config.write_text(text.replace("  jobs: {grace: 1s}\n", "  jobs: {grace: 1s}\n  keep: {tiers: {exact: 12h}}\n", 1))
    one = Traveller(tmp_path, config).start()
    yield one
    for row in one.get("/v1/jobs?limit=1000").json()["jobs"]:
        one.post(f"/v1/jobs/{row['id']}/cancel")
    one.until(lambda: not one.get("/v1/jobs").json()["jobs"], "all are over")
    end(one)


def run(daemon, name, cpu, n):
    jobs = [daemon.submit("sleep", "60", queue=name, requests={"cpu": str(cpu), "memory": "1Gi"}) for _ in range(n)]
    daemon.until(lambda: all(daemon.job(job)["state"] == "runs" for job in jobs), "they run")
    return jobs


def settled(daemon, n):
    """All is on the disk, too."""
    daemon.until(lambda: len(attempts(daemon)) == n, "rows are written")


def check(usage, now, half, began):
    """All that is held, in a window of a week and since a moment, against the integrals."""
    for name, start in ("cpu", now - 7 * DAY), ("memory", now - 7 * DAY), ("cpu", began - 100.25), ("cpu", now - 1.75):
        got = by_queue(usage.ranged(HELD[name], start, now, half=half))
        want = expected(usage.daemon, name, start, now, half)
        assert set(got) == set(want)
        for of in got:  # their clocks differ by less than a millisecond
            assert got[of] == pytest.approx(want[of], rel=1e-6, abs=4 * 0.001 / 60 * (GI if name == "memory" else 1)), (name, of)
    assert by_queue(usage.sliding(HELD["cpu"], now, half=half)) == by_queue(
        usage.ranged(HELD["cpu"], now - 7 * DAY, now, half=half))


@pytest.mark.skipif("FAIRLEAD_CLOCK" not in os.environ, reason="needs the library that sets clocks")
def test_integrals(daemon):
    """Over hours that go by: with and without a half-life, before and after a restart."""
    usage = Usage(daemon)
    wall = lambda: time.time() + daemon.ahead  # noqa: E731
    began = wall()
    first = run(daemon, "a", 1, 2)
    settled(daemon, 2)
    check(usage, wall(), None, began)
    daemon.pass_time(2 * HOUR + 100)
    run(daemon, "b", 2, 1)
    settled(daemon, 3)
    for half in None, 3600, 86400:
        check(usage, wall(), half, began)
    daemon.post(f"/v1/jobs/{first[0]}/cancel")
    daemon.until(lambda: any(until for _, _, until, _ in attempts(daemon)), "it has ended, and that is on the disk")
    daemon.pass_time(3 * HOUR)
    at = wall()
    for half in None, 1800, 86400:
        check(usage, at, half, began)
    fields = {"query": f"sum_over_time(({decayed(HELD['cpu'], at, 1800)})[168h0m0s:1m0s])", "time": number(at)}
    before = usage.send("/api/v1/query", fields).text
    assert usage.send("/api/v1/query", fields).text == before
    daemon.stop()
    daemon.start()
    again = Usage(daemon)
    was = {row["metric"]["queue_name"]: float(row["value"][1]) for row in json.loads(before)["data"]["result"]}
    assert by_queue(again.rows("/api/v1/query", fields)) == {of: pytest.approx(was[of], rel=1e-6) for of in was}
    capacity = again.ranged(CAPACITY["cpu"], at - 60, at)
    assert capacity == [({}, pytest.approx(4, rel=1e-9))]


@pytest.mark.skipif("FAIRLEAD_CLOCK" not in os.environ, reason="needs the library that sets clocks")
def test_where_sums_are_all_that_is_kept(daemon):
    """Attempts are dropped after half a day: their hours still count, exactly without a half-life."""
    daemon.queue = "a"
    usage = Usage(daemon)
    wall = lambda: time.time() + daemon.ahead  # noqa: E731
    # Before any time is skipped, as runners have clocks of their own.
    daemon.wait(sleeps(daemon, "a", 2, 1, seconds=1)[0])
    daemon.until(lambda: attempts(daemon)[0][2], "rows are written")
    daemon.sum_up(1)
    at = wall()
    kept = by_queue(usage.ranged(HELD["cpu"], at - 7 * DAY, at))
    decays = by_queue(usage.ranged(HELD["cpu"], at - 7 * DAY, at, half=86400))
    assert kept["a"] == kept["dept"] >= 2 / 60
    daemon.sum_up(14)
    daemon.until(lambda: not attempts(daemon), "rows of jobs are dropped")
    assert by_queue(usage.ranged(HELD["cpu"], at - 7 * DAY, at)) == {of: pytest.approx(kept[of], rel=1e-9) for of in kept}
    now = by_queue(usage.ranged(HELD["cpu"], at - 7 * DAY, at, half=86400))
    for of in decays:
        assert 2 ** (-1 / 24) < now[of] / decays[of] < 2 ** (1 / 24)


def window(metric):
    return f"sum_over_time(({metric})[168h0m0s:1m0s])"


def test_one_fetch(daemon):
    """The six requests of one fetch, each of the six forms, by POST and by GET: all that KAI's client takes."""
    run(daemon, "a", 1, 1)
    settled(daemon, 1)
    for method in "POST", "GET":
        usage = Usage(daemon, method)
        time.sleep(0.1)  # the capacity of a range is that since the daemon knows it
        now = time.time()
        for half in None, 86400.0:
            for metric in METRICS:
                for rows in (usage.sliding(metric, now, half=half), usage.ranged(metric, now - 3600, now, half=half),
                             usage.ranged(metric, now, now, half=half)):
                    if metric in CAPACITY.values():
                        assert [labels for labels, _ in rows] == [{}]
                        assert (rows[0][1] > 0) == ("gpu" not in metric)
                    else:
                        assert set(by_queue(rows)) == (set() if "gpu" in metric else {"a", "dept"})
    # A range without length is its last step, or its last second: one job has a core of four.
    now = time.time()
    part = by_queue(usage.ranged(HELD["cpu"], now, now, step="0.01"))["a"] / usage.ranged(CAPACITY["cpu"], now, now, step="0.01")[0][1]
    assert part == pytest.approx(0.25, rel=1e-6)
    assert usage.ranged(CAPACITY["memory"], now, now, step="0.01")[0][1] == pytest.approx(4 * GI, rel=1e-6)
    # A window that has not begun: each of the questions has a range of some hundred nanoseconds, and none is as long as another.
    time.sleep(1)
    now = time.time()
    for nanoseconds in range(0, 1000, 100):
        held, there = (usage.ranged(metric, now, now + ns * 1e-9) for metric, ns in ((HELD["cpu"], nanoseconds), (CAPACITY["cpu"], 300)))
        assert by_queue(held)["a"] / there[0][1] == pytest.approx(0.25, rel=1e-4)
        assert there[0][1] == pytest.approx(4 / 60, rel=1e-4)
    # Before the daemon began nothing is known of the capacity, and nothing was held.
    assert usage.ranged(CAPACITY["cpu"], 1e9, 1e9 + 1) == [] and usage.ranged(HELD["cpu"], 1e9, 1e9 + 1) == []


def test_nothing_else_is_answered(daemon):
    """What is none of the forms is an error as a Prometheus tells it; other paths are not served there."""
    usage = Usage(daemon)
    good = {"query": window(HELD["cpu"]), "time": "1795363354"}
    for path, fields, text in [
            ("query", {}, "'query' is missing"),
            ("query", {"query": "up"}, "'query' is none that is understood here; sum_over_time((E)[WINDOW:STEP])"),
            ("query", {**good, "time": "soon"}, "'time' is not a number of seconds since 1970"),
            ("query", {**good, "timeout": "1s"}, "the parameters are none that are understood here"),
            ("query", {**good, "query": good["query"] + "\0"}, "the parameters are none that are understood here"),
            ("query", {"query": "x" * 3000}, "the parameters are none that are understood here"),
            ("query_range", good, "the parameters are none that are understood here"),
            ("query_range", {"query": window(HELD["cpu"]), "start": "1", "end": "2", "step": "1"},
             "'query' is none that is understood here; sum_over_time(E)"),
            ("query_range", {"query": f"sum_over_time({HELD['cpu']})", "start": "2", "end": "1", "step": "1"},
             "'start' is after 'end'")]:
        answer = usage.send("/api/v1/" + path, fields)
        assert (answer.status, answer.headers["Content-Type"]) == (400, "application/json"), (fields, answer.text)
        assert answer.json()["status"] == "error" and answer.json()["errorType"] == "bad_data"
        assert answer.json()["error"].startswith(text), answer.text
    twice = usage.send("/api/v1/query?" + urllib.parse.urlencode(good), good)
    assert twice.status == 400 and "each once" in twice.json()["error"]
    assert usage.send("/api/v1/query", good, **{"Content-Type": "application/json"}).status == 400
    assert usage.send("/api/v1/query", {**good, "x": "y" * 5000}).status == 413
    for path in "/api/v1/series", "/api/v1/status/buildinfo", "/v1/usage", "/v1/history", "/v1/jobs", "/metrics", "/v1/health":
        assert usage.send(path, {}).status == 404, path
    # By the socket all users may ask, too.
    answer = daemon.get("/api/v1/query?" + urllib.parse.urlencode(good))
    assert answer.status == 200 and answer.json() == {"status": "success", "data": {"resultType": "vector", "result": []}}
    assert daemon.get("/api/v1/query?query=up").json()["errorType"] == "bad_data"


def test_many_at_once(daemon):
    """One after the other reads the store; those that come when many wait are told so, and the rest of the API goes on."""
    run(daemon, "a", 1, 1)
    at, = addresses(daemon)
    body = urllib.parse.urlencode({"query": window(decayed(HELD["cpu"], time.time(), 86400))}).encode()
    head = f"POST /api/v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Type: {FORM}\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    sockets = []
    for _ in range(12):
        s = http.client.HTTPConnection(*at, timeout=DEADLINE)
        s.connect()
        s.sock.sendall(head + body)
        sockets.append(s)
    assert daemon.get("/v1/usage").status == 200
    statuses = []
    for s in sockets:
        response = http.client.HTTPResponse(s.sock)
        response.begin()
        statuses.append(response.status)
        assert json.loads(response.read())["status"] == ("success" if response.status == 200 else "error")
        s.close()
    assert statuses == [200] * 12
