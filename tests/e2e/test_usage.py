# SPDX-License-Identifier: Apache-2.0
"""Usage over time, asked for by Prometheus' own client for Go, as KAI's scheduler asks: its forms, in its order."""
import json
import os
import subprocess
import time

import pytest
from bed import Process, wait_for
from ports import free_port

CONFIGURATION = """
apiVersion: fairlead.dev/v1alpha1
kind: Daemon
metadata: {name: usage}
spec:
  listen: [{address: '127.0.0.1:PORT', serves: {usage: open}}]
  limits: {requestsWithoutToken: 1000}
  machine:
    flavors: [{name: default, resources: {cpu: "4", memory: 4Gi}}]
---
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: department}
spec:
  resources: RESOURCES
---
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: team}
spec:
  parentQueue: department
  resources: RESOURCES
""".replace("RESOURCES", "{%s}" % ", ".join("%s: {quota: -1, overQuotaWeight: 1, limit: -1}" % r
                                            for r in ("gpu", "cpu", "memory")))
CAPACITY = [f'sum(kube_node_status_capacity{{resource="{r}"}})' for r in ("nvidia_com_gpu", "cpu", "memory")]
HELD = ["kai_queue_allocated_gpus", "kai_queue_allocated_cpu_cores", "kai_queue_allocated_memory_bytes"]
WEEK, STEP = 7 * 86400, 60.0


def questions(now, window, half_life=None):
    """One fetch of KAI's: capacity, then what was held. @window: of a sliding one, or "tumbling" since a minute ago."""
    for metric in CAPACITY + HELD:
        if half_life:
            metric = f"(({metric}) * (0.5^(({int(now)} - time()) / {half_life:f})))"
        if window == "tumbling":
            yield {"query": f"sum_over_time({metric})", "start": now - 60, "end": now, "step": STEP}
        else:
            yield {"query": f"sum_over_time(({metric})[{window}:1m0s])", "time": now}


@pytest.fixture(scope="module")
def asked(programs, tmp_path_factory):
    """A daemon of this machine whose queue "team" holds two cores; asks it by the client."""
    folder = tmp_path_factory.mktemp("usage")
    port, socket = free_port(), folder / "socket"
    (folder / "daemon.yaml").write_text(CONFIGURATION.replace("PORT", str(port)))
    rights = ["--account", "root", "--root-jobs"] if os.getuid() == 0 else []
    daemon = Process(folder, "fairleadd", [os.environ["FAIRLEADD"], "--config", folder / "daemon.yaml", "--state",
                                           folder / "state", "--socket", socket, *rights])
    env = {**os.environ, "FAIRLEAD_SOCKET": str(socket)}

    def fairlead(*words):
        return subprocess.run([os.environ["FAIRLEAD"], *words], env=env, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, timeout=60).stdout

    def ask(rows):
        answer = subprocess.run([programs / "ask-usage", f"http://127.0.0.1:{port}"], check=True, text=True, timeout=120,
                                input="\n".join(map(json.dumps, rows)), stdout=subprocess.PIPE)
        return [json.loads(line) for line in answer.stdout.splitlines()]

    try:
        wait_for("the daemon listens", lambda: daemon.check() or "listens on" in daemon.tail())
        fairlead("submit", "-q", "team", "-r", "cpu=2,memory=1Gi", "--", "sleep", "600")
        wait_for("the job runs", lambda: "runs" in fairlead("jobs", "--json"))
        time.sleep(3)
        yield ask
    finally:
        fairlead("cancel", "1")
        wait_for("the job is over", lambda: "runs" not in fairlead("jobs", "--json"))
        daemon.stop()


@pytest.mark.parametrize("half_life", [None, 86400.0], ids=["plain", "half-life"])
@pytest.mark.parametrize("window", ["168h0m0s", "1w", "tumbling"])
def test_one_fetch_is_answered_as_the_client_takes_it(asked, window, half_life):
    answers = asked(questions(time.time(), window, half_life))
    assert [a.get("error") for a in answers] == [None] * 6
    assert {a["type"] for a in answers} == {"vector"}
    gpus, cores, memory = (float(a["rows"][0]["value"]) for a in answers[:3])
    held = [{row["labels"]["queue_name"]: float(row["value"]) for row in a["rows"]} for a in answers[3:]]
    assert gpus == 0 and not held[0]
    assert set(held[1]) == set(held[2]) == {"department", "team"}
    # Two of four cores, one of four GiB, since a moment after the start: sums of steps of a minute.
    assert 0.05 * 2 / STEP < held[1]["team"] <= cores / 2
    assert held[2]["team"] / memory == pytest.approx(held[1]["team"] / cores / 2, rel=1e-3)
    assert held[1]["department"] == pytest.approx(held[1]["team"], rel=1e-3)


def test_what_is_not_understood_is_an_error_of_the_client(asked):
    answer, = asked([{"query": "up", "time": time.time()}])
    assert "error" in answer and "sum_over_time" in answer["error"], answer
