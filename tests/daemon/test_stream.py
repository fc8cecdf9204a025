# SPDX-License-Identifier: Apache-2.0
"""GET /v1/events as server-sent events: what a browser's EventSource gets, and how it goes on."""
import json
import signal
import sqlite3
import time

import pytest

from conftest import Connection

SENT = {"Accept": "text/event-stream"}


class Source:
    """Reads as the HTML standard says, and keeps the id to name when it connects again."""

    def __init__(self, daemon, path="/v1/events", last=None, **headers):
        self.connection = Connection(daemon.socket)
        headers = {**SENT, **headers}
        if last is not None:
            headers["Last-Event-ID"] = last
        self.connection.request("GET", path, headers=headers)
        self.response = self.connection.getresponse()
        assert self.response.status == 200, self.response.read()
        assert self.response.headers["Content-Type"] == "text/event-stream"
        assert self.response.headers["Cache-Control"] == "no-store"
        self.last = last or ""
        self.retry = None
        self.comments = []

    def next(self):
        """(kind, data) of the next event; None: the stream has ended."""
        kind, data = "message", []
        while line := self.response.readline():
            line = line.decode().rstrip("\n")
            name, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if not line:
                if data:
                    return kind, json.loads("\n".join(data))
                kind = "message"
            elif not name:
                self.comments.append((value, self.last))
            elif name == "id":
                self.last = value
            elif name == "event":
                kind = value
            elif name == "retry":
                self.retry = int(value)
            else:
                assert name == "data", line
                data.append(value)
        return None

    def close(self):
        self.connection.close()


def lines(daemon, path):
    return [json.loads(line) for line in daemon.get(path).text.splitlines()]


def finished(daemon):
    number = daemon.submit("true")
    daemon.wait(number)
    daemon.until(lambda: len(lines(daemon, f"/v1/events?job={number}&after=0.0")) == 4, "all is told")
    return number


def test_an_event_has_its_id_kind_and_line(shared):
    number = finished(shared)
    source = Source(shared, f"/v1/events?job={number}&after=0.0")
    for wanted in lines(shared, f"/v1/events?job={number}&after=0.0"):
        assert source.next() == (wanted["kind"], wanted)
        assert source.last == wanted["id"]
    assert source.retry == 3000
    source.close()


def test_lines_stay_for_whoever_does_not_ask(shared):
    finished(shared)
    for accept in (None, "*/*", "application/x-ndjson, text/event-stream", "application/json"):
        answer = shared.ask("GET", "/v1/events?limit=1", headers={"Accept": accept} if accept else {})
        assert answer.headers["Content-Type"] == "application/x-ndjson", accept
        assert len(answer.text.splitlines()) == 1


def test_it_begins_now_and_goes_on(shared):
    """Without an id those from now on, until the client leaves or has as many as it wants."""
    finished(shared)
    source = Source(shared, "/v1/events?kind=Submitted&limit=2")
    numbers = [shared.submit("true"), shared.submit("true")]
    assert [source.next()[1]["job"] for _ in numbers] == numbers
    assert source.next() is None
    source.close()


def test_the_last_id_counts_more_than_the_address(shared):
    number = finished(shared)
    path = f"/v1/events?job={number}&after=0.0"
    ids = [event["id"] for event in lines(shared, path)]
    source = Source(shared, path, last=ids[1])
    assert source.next()[0] == "Started"
    source.close()
    assert len(lines(shared, path)) == 4, "a header that only server-sent events have"


@pytest.mark.parametrize("last", ["x", "-1", "17.0.0", "99999999999999999999999999999999999"])
def test_an_id_that_is_none_is_refused(shared, last):
    answer = shared.ask("GET", "/v1/events", headers={**SENT, "Last-Event-ID": last})
    assert (answer.status, answer.error) == (400, "'Last-Event-ID' is the id of an event, such as 17.0")


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_it_goes_on_after_a_restart(daemon, how):
    """Each event once: what came before, while it was away, and after."""
    source = Source(daemon, "/v1/events?after=0.0")
    first = daemon.submit("true", array=20)
    seen = []
    while not seen or seen[-1]["job"] != first[9]:
        seen.append(source.next()[1])
    daemon.stop(how)
    source.close()
    daemon.start()
    for number in first:
        daemon.wait(number)
    daemon.until(lambda: len(lines(daemon, "/v1/events?after=0.0&limit=1000&kind=Finished")) == 20, "all is told")
    wanted = lines(daemon, "/v1/events?after=0.0&limit=1000")
    again = Source(daemon, "/v1/events?after=0.0", last=source.last)
    while len(seen) < len(wanted):
        kind, event = again.next()
        assert kind == event["kind"] != "reset"
        seen.append(event)
    again.close()
    assert [event["id"] for event in seen] == [event["id"] for event in wanted]


def expire(daemon, seq):
    """As the daemon itself deletes events: the oldest first."""
    store = sqlite3.connect(daemon.state / "fairlead.db", timeout=60)
    store.execute("DELETE FROM events WHERE seq < ?", (seq,))
    store.commit()
    store.close()


def test_an_id_that_has_expired_is_told(daemon):
    finished(daemon)
    finished(daemon)
    every = lines(daemon, "/v1/events?after=0.0")
    ids = [event["id"] for event in every]
    assert daemon.stop() == 0
    kept = next(i for i, event in enumerate(every) if event["kind"] == "Admitted" and i > 4)
    expire(daemon, int(ids[kept].split(".")[0]))
    daemon.start()
    left = lines(daemon, "/v1/events?after=0.0")
    assert 0 < len(left) < len(every) and left[0]["id"] in ids
    lost = ids[ids.index(left[0]["id"]) - 1]
    for last in (ids[0], lost):
        source = Source(daemon, last=last)
        assert source.next() == ("reset", {"after": last, "oldest": left[0]["id"]})
        assert source.last == last, "until there is another one"
        assert [source.next()[1]["id"] for _ in left] == [event["id"] for event in left]
        assert source.last == left[-1]["id"]
        source.close()
    source = Source(daemon, last=left[0]["id"])
    assert source.next()[1] == left[1], "nothing is lost behind the oldest one"
    source.close()


def test_an_id_of_the_future_is_told(daemon):
    """A backup has replaced the database: the client would wait for ever."""
    finished(daemon)
    first = lines(daemon, "/v1/events?after=0.0")[0]
    source = Source(daemon, last="4000000.3")
    assert source.next() == ("reset", {"after": "4000000.3", "oldest": first["id"]})
    assert source.next()[1] == first
    source.close()


def test_without_events_nothing_is_the_oldest(daemon):
    finished(daemon)
    assert daemon.stop() == 0
    expire(daemon, 1 << 60)
    daemon.start()
    source = Source(daemon, last="1.0")
    assert source.next() == ("reset", {"after": "1.0", "oldest": None})
    number = daemon.submit("true")
    assert source.next()[1]["job"] == number
    source.close()


def test_a_silent_stream_is_kept_alive(shared):
    """It tells which events it passed over, so that the id to go on from does not expire."""
    began = time.monotonic()
    source = Source(shared, "/v1/events?queue=other")
    finished(shared)
    newest = lines(shared, "/v1/events?limit=1")[0]["id"]
    while not source.comments:
        line = source.response.readline().decode()
        if line.startswith(":"):
            source.comments.append(line)
    assert 10 < time.monotonic() - began < 45
    assert source.response.readline().decode() == f"id: {newest}\n"
    number = shared.submit("true", queue="other")
    assert source.next()[1]["job"] == number
    source.close()
    shared.wait(number)


def test_one_that_never_reads_delays_nobody(daemon):
    """It is served from the store when it reads again, and misses nothing."""
    slow = Source(daemon, "/v1/events?kind=Submitted&after=0.0")
    numbers = []
    for _ in range(30):
        numbers += daemon.submit("true", hold=True, array=1000, name="n" * 60)
    fast = Source(daemon, "/v1/events?kind=Submitted&after=0.0")
    for source in (fast, slow):
        assert [source.next()[1]["job"] for _ in numbers] == numbers
        source.close()
    daemon.post("/v1/jobs/cancel", {"user": daemon.job(numbers[0])["user"]})
    while daemon.get("/v1/jobs?limit=1").json()["jobs"]:
        daemon.post("/v1/jobs/cancel", {"user": daemon.job(numbers[0])["user"]})


def test_events_that_come_soon_after_others_go_together(daemon):
    """Not a write each; what comes alone is not kept waiting for others."""
    source, pieces = Source(daemon), []
    source.connection.sock.settimeout(60)
    begun, wanted = time.monotonic(), [daemon.submit(hold=True) for _ in range(40)]
    text = b""
    while text.count(b"event: Submitted") < len(wanted) or not text.endswith(b"\n\n"):
        pieces.append(source.response.read1())
        text += pieces[-1]
    # One at once, and then one each tenth of a second.
    assert len(pieces) <= 3 + (time.monotonic() - begun) / 0.1
    jobs = [json.loads(line[6:])["job"] for line in text.decode().splitlines() if line.startswith("data: ")]
    assert sorted(set(jobs)) == wanted and jobs == sorted(jobs)
    source.close()
