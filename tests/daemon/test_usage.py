# SPDX-License-Identifier: Apache-2.0
"""What users held: sums of what queues held."""
import getpass

import pytest

from conftest import ms
from test_policies import daemon_of, entitled, queue, sleeps, states  # noqa: F401


def usage(daemon, query=""):
    answer = daemon.get(f"/v1/usage{query}")
    assert answer.status == 200, answer.text
    return answer.json()


def test_by_user_and_queue(daemon_of):  # noqa: F811 (the fixture)
    daemon = daemon_of(entitled(queue("a", 2000), queue("b", 2000)))
    assert usage(daemon)["users"] == []
    jobs = sleeps(daemon, "a", 1, 2) + sleeps(daemon, "b", 2, 1)
    daemon.until(lambda: states(daemon, jobs) == ["runs"] * 3, "all run")
    answer = usage(daemon)
    assert ms(answer["to"]) - ms(answer["from"]) == pytest.approx(7 * 86400 * 1000, abs=2)
    me = getpass.getuser()
    rows = {row["queue"]: row for row in answer["users"]}
    assert [(row["user"], row["queue"], row["jobs"], row["preempted"]) for row in answer["users"]] == [
        (me, "a", 2, 0), (me, "b", 1, 0)]
    seconds = {name: row["held"]["cpu"]["unitSeconds"] for name, row in rows.items()}
    assert seconds["a"] > 0 and seconds["b"] > 0
    for name, row in rows.items():
        assert row["held"]["cpu"]["partOfQueue"] == 1
        assert row["held"]["cpu"]["part"] == pytest.approx(seconds[name] / sum(seconds.values()), rel=1e-12)
    # The same time as history has it.
    to = answer["to"]
    had = {q["name"]: q["had"] for q in daemon.get(f"/v1/history?to={to}").json()["queues"]}
    again = {row["queue"]: row["held"]["cpu"]["unitSeconds"] for row in usage(daemon, f"?to={to}")["users"]}
    for name in rows:
        assert had[name]["cpu"]["unitSeconds"] == pytest.approx(again[name], abs=0.01)  # told to the millisecond
    assert usage(daemon, "?from=2001-01-01T00:00:00Z&to=2001-01-02T00:00:00Z")["users"] == []
    for number in jobs:
        daemon.post(f"/v1/jobs/{number}/cancel")
