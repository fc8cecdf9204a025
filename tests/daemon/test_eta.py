# SPDX-License-Identifier: Apache-2.0
"""When will a job start?  From limits, from what has ended and from who came, in words of jobs."""
import http.client
import os
import threading

import pytest

from conftest import ms


def eta(daemon, number):
    """A copy of the daemon answers.

    gcc 12's address sanitizer does not take its allocator's locks around fork, as the C library does: a copy that
    is made while another thread allocates can stand still, so there it is asked again.
    """
    path = f"/v1/jobs/{number}/explain?eta=1&format=json"
    for last in (False, False, True) if os.environ.get("FAIRLEAD_SANITIZED") else (True,):
        try:
            answer = daemon.get(path)
            break
        except TimeoutError:
            if last:
                raise
    assert answer.status == 200, answer.text
    return answer.json()["eta"]


def basis(e):
    return {b["from"]: b["workloads"] for b in e["basis"]}


def test_up_to_the_limit_of_who_runs(daemon):
    """Nothing has ended yet: a limit is the most that can be."""
    runs = daemon.submit("sleep", "600", requests={"cpu": "4"}, timeLimit="1h")
    daemon.wait(runs, "runs")
    waits = daemon.submit("true", requests={"cpu": "2"}, timeLimit="10m")
    daemon.wait(waits, "waits")
    e = eta(daemon, waits)
    assert e["state"] == "Later" and "Unknown" not in basis(e)
    assert ms(e["from"]) <= ms(e["start"])
    assert e["awaits"]["workload"] == str(runs)
    text = daemon.get(f"/v1/jobs/{waits}/explain?eta=1").text
    assert "expected start: in about" in text or "expected start: not before" in text
    assert f"waits for: the end of job {runs} in" in text
    assert "up to their time limit" in text and "default/" not in text.split("expected start")[1]


def test_by_those_that_ended(daemon):
    """Of the same user, queue and name: without any limit."""
    for _ in range(12):
        daemon.wait(daemon.submit("sleep", "0.3", requests={"cpu": "4"}, name="short"), "done")
    runs = daemon.submit("sleep", "600", requests={"cpu": "4"}, name="long")
    daemon.wait(runs, "runs")
    waits = daemon.submit("true", requests={"cpu": "4"}, name="short")
    daemon.wait(waits, "waits")
    e = eta(daemon, waits)
    assert e["state"] == "Later"
    assert e["arrivals"] == 14  # all that came since there is a daemon
    assert basis(e).get("Unknown", 0) == 0
    assert "of those that" not in e["message"]
    # and what the forecast was asked of is as it was
    assert {j["id"] for j in daemon.get("/v1/jobs").json()["jobs"]} == {runs, waits}
    assert daemon.job(waits)["state"] == "waits"


def test_nothing_is_known(daemon):
    runs = daemon.submit("sleep", "600", requests={"cpu": "4"})
    daemon.wait(runs, "runs")
    waits = daemon.submit("true", requests={"cpu": "4"})
    daemon.wait(waits, "waits")
    assert eta(daemon, waits)["state"] == "Unknown"
    text = daemon.get(f"/v1/jobs/{waits}/explain?eta=1").text
    assert "needed: time limits (fairlead submit --time), or jobs that have ended" in " ".join(text.split())


def test_what_is_there_after_a_restart(daemon):
    """The store is where the past stands."""
    for _ in range(5):
        daemon.wait(daemon.submit("sleep", "0.2", requests={"cpu": "4"}), "done")
    runs = daemon.submit("sleep", "600", requests={"cpu": "4"}, timeLimit="30m")
    daemon.wait(runs, "runs")
    waits = daemon.submit("true", requests={"cpu": "4"})
    daemon.wait(waits, "waits")
    daemon.stop()
    daemon.start()
    daemon.wait(waits, "waits")
    e = eta(daemon, waits)
    assert (e["state"], e["arrivals"]) == ("Later", 7)
    assert basis(e).get("Unknown", 0) == 0


def test_asked_while_it_stops(daemon):
    """Whoever asked hears something, or that nobody is there any more; and it stops in time."""
    runs = daemon.submit("sleep", "600", requests={"cpu": "4"}, timeLimit="1h")
    daemon.wait(runs, "runs")
    waits = daemon.submit("true", requests={"cpu": "4"})
    daemon.wait(waits, "waits")
    heard = []

    def ask():
        try:
            heard.append(daemon.get(f"/v1/jobs/{waits}/explain?eta=1").status)
        except (OSError, http.client.HTTPException):
            heard.append(None)

    askers = [threading.Thread(target=ask) for _ in range(6)]
    for asker in askers:
        asker.start()
    assert daemon.stop() == 0, daemon.said()
    for asker in askers:
        asker.join()
    assert len(heard) == 6 and set(heard) <= {200, 503, None}
    daemon.start()


@pytest.mark.parametrize("held", [True, False])
def test_who_is_in_no_policy(daemon, held):
    """Who is held, or over, has no time: the sentence is that of an explanation without it."""
    number = daemon.submit("true", hold=held)
    daemon.wait(number, "held" if held else "done")
    text = daemon.get(f"/v1/jobs/{number}/explain?eta=1").text
    assert text.startswith(f"job {number}: {'held' if held else 'done'}")


# --- of a list ---

def starts(daemon, query=""):
    path = "/v1/starts" + query
    for last in (False, False, True) if os.environ.get("FAIRLEAD_SANITIZED") else (True,):
        try:
            return daemon.get(path)
        except TimeoutError:
            if last:
                raise


def test_starts_of_pending_jobs(daemon):
    """The same futures answer for all of them: later ones of a queue start later, and none that does not wait is told."""
    runs = daemon.submit("sleep", "600", requests={"cpu": "4"}, timeLimit="1h")
    daemon.wait(runs, "runs")
    waits = [daemon.submit("true", requests={"cpu": "4"}, timeLimit="10m") for _ in range(3)]
    never = daemon.submit("true", requests={"cpu": "9"}, queue="other")
    daemon.submit(hold=True)
    daemon.wait(never, "waits")
    answer = starts(daemon)
    assert answer.status == 200, answer.text
    told = {s["job"]: s for s in answer.json()["starts"]}
    assert list(told) == [*waits, never] and answer.json()["runs"] > 0 and not answer.json()["more"]
    assert told[never] == {"job": never, "state": "Never", "start": None, "from": None, "to": None}
    for number in waits:
        one = told[number]
        assert one["state"] == "Later" and ms(one["from"]) <= ms(one["start"]) and (
            one["to"] is None or ms(one["start"]) <= ms(one["to"]))
    assert ms(told[waits[0]]["start"]) <= ms(told[waits[1]]["start"]) <= ms(told[waits[2]]["start"])
    alone = eta(daemon, waits[0])
    assert abs(ms(alone["start"]) - ms(told[waits[0]]["start"])) < 600_000
    assert [s["job"] for s in starts(daemon, "?queue=other").json()["starts"]] == [never]
    some = starts(daemon, "?limit=2").json()
    assert [s["job"] for s in some["starts"]] == waits[:2] and some["more"]
    assert starts(daemon, "?user=nobody").json()["starts"] == []
    assert daemon.job(waits[0])["state"] == "waits"


@pytest.mark.parametrize("query, text", [
    ("?limit=x", "'limit' is not a number"), ("?limit=1001", "'limit' is more than 1000"),
    ("?state=runs", "'state' is not an argument of this path"),
])
def test_starts_that_are_refused(shared, query, text):
    answer = shared.get("/v1/starts" + query)
    assert answer.status == 400 and text in answer.error
