# SPDX-License-Identifier: Apache-2.0
"""The last preemption of a job, of which explain tells."""
from test_policies import daemon_of, entitled, queue, sleeps, states  # noqa: F401


def test_explain_tells_of_the_preemption(daemon_of):  # noqa: F811 (the fixture)
    daemon = daemon_of(entitled(queue("a", 2000), queue("b", 2000)))
    first = sleeps(daemon, "a", 1, 4)
    daemon.until(lambda: states(daemon, first) == ["runs"] * 4, "a has the whole machine")
    [taker] = sleeps(daemon, "b", 2, 1)
    daemon.until(lambda: states(daemon, [taker]) == ["runs"], "b has its part")
    lost = [n for n in first if daemon.job(n)["state"] == "waits"]
    assert len(lost) == 2
    for number in lost:
        x = daemon.get(f"/v1/jobs/{number}/explain?format=json").json()
        assert x["preemptedBy"].pop("at")
        assert x["preemptedBy"].pop("workload").endswith(f"/{taker}")
        assert x["preemptedBy"] == {"job": taker, "clusterQueue": "b", "reason": "Reclaim", "present": True}
        assert x["lastEviction"]["reason"] == "Preempted" and not x["lastEviction"]["admittedSince"]
        text = daemon.get(f"/v1/jobs/{number}/explain").text
        assert f" by job {taker} of queue 'b', which holds quota now. The rule: reclaim: " in text
    assert "preemptedBy" not in daemon.get(f"/v1/jobs/{taker}/explain?format=json").json()
    daemon.post(f"/v1/jobs/{taker}/cancel")
    daemon.until(lambda: states(daemon, first) == ["runs"] * 4, "a has all of it again")
    text = daemon.get(f"/v1/jobs/{lost[0]}/explain").text
    assert "Before its present admission it was preempted at " in text
    x = daemon.get(f"/v1/jobs/{lost[0]}/explain?format=json").json()
    assert x["lastEviction"]["admittedSince"] and x["preemptedBy"]["job"] == taker
    for number in first:
        daemon.post(f"/v1/jobs/{number}/cancel")
