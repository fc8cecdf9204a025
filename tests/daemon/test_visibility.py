# SPDX-License-Identifier: Apache-2.0
"""Positions of pending jobs in the form of Kueue's visibility API."""
import pytest

from conftest import Daemon, end, ms, write_config

GROUP = "/apis/visibility.kueue.x-k8s.io/v1beta2"
OF_QUEUE = f"{GROUP}/clusterqueues/default/pendingworkloads"
OF_LOCAL = f"{GROUP}/namespaces/default/localqueues/%s/pendingworkloads"

SECOND_DOOR = """---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: door, namespace: default}
spec: {clusterQueue: default}
"""


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    """A machine that one job fills, and pending jobs behind it: of two LocalQueues of one queue, and of another."""
    folder = tmp_path_factory.mktemp("daemon")
    config = write_config(folder)
    config.write_text(config.read_text() + SECOND_DOOR)
    daemon = Daemon(folder, config).start()
    daemon.wait(daemon.submit("sleep", "1000", requests={"cpu": "4"}), "runs")
    daemon.pending = {name: daemon.submit("true", requests={"cpu": "4"}, queue=queue, priority=priority)
                      for name, queue, priority in [("a", "default/default", 0), ("b", "default/door", 5),
                                                    ("c", "default/default", 0), ("d", "default/door", 0),
                                                    ("e", "other", 9), ("f", "default/default", -1)]}
    daemon.until(lambda: len(items(daemon, OF_QUEUE)) == 5, "all are pending")
    yield daemon
    end(daemon)


def items(daemon, path):
    answer = daemon.get(path)
    assert answer.status == 200, answer.text
    summary = answer.json()
    assert (summary["kind"], summary["apiVersion"], summary["metadata"]) == \
        ("PendingWorkloadsSummary", "visibility.kueue.x-k8s.io/v1beta2", {})
    return summary["items"]


def shown(daemon, path):
    """(who, LocalQueue, priority, position in the queue, position in the LocalQueue)"""
    names = {str(number): name for name, number in daemon.pending.items()}
    return [(names[i["metadata"]["name"]], i["localQueueName"], i["priority"], i["positionInClusterQueue"],
             i["positionInLocalQueue"]) for i in items(daemon, path)]


ALL = [("b", "door", 5, 0, 0), ("a", "default", 0, 1, 0), ("c", "default", 0, 2, 1), ("d", "door", 0, 3, 1),
       ("f", "default", -1, 4, 2)]


@pytest.mark.parametrize("path, rows", [
    (OF_QUEUE, ALL),
    (OF_QUEUE + "?offset=2", ALL[2:]),
    (OF_QUEUE + "?offset=1&limit=2", ALL[1:3]),
    (OF_QUEUE + "?limit=0", []),
    (OF_QUEUE + "?offset=9223372036854775807", []),
    (OF_LOCAL % "door", [ALL[0], ALL[3]]),
    (OF_LOCAL % "default", [ALL[1], ALL[2], ALL[4]]),
    (OF_LOCAL % "default" + "?offset=1&limit=1", [ALL[2]]),
    (f"{GROUP}/clusterqueues/other/pendingworkloads", [("e", "other", 9, 0, 0)]),
])
def test_positions(full, path, rows):
    assert shown(full, path) == rows


def test_metadata(full):
    for item in items(full, OF_QUEUE):
        job = full.job(int(item["metadata"]["name"]))
        assert item["metadata"]["namespace"] == "default"
        assert item["metadata"]["creationTimestamp"].endswith("Z") and "." not in item["metadata"]["creationTimestamp"]
        assert 0 <= ms(job["submittedAt"]) - ms(item["metadata"]["creationTimestamp"]) < 1000


def test_as_many_ahead_as_why_says(full):
    for item in items(full, OF_QUEUE):
        ahead = item["positionInClusterQueue"]
        why = full.job(int(item["metadata"]["name"]))["why"]
        assert (f"{ahead} ahead of it" if ahead else "next in its queue") in why


@pytest.mark.parametrize("path, status, reason, text", [
    (f"{GROUP}/clusterqueues/unknown/pendingworkloads", 404, "NotFound", "there is no queue 'unknown'"),
    (f"{GROUP}/clusterqueues/machine/pendingworkloads", 404, "NotFound", "there is no queue 'machine'"),
    (OF_LOCAL % "unknown", 404, "NotFound", "there is no LocalQueue in that namespace 'unknown'"),
    (OF_QUEUE + "?limit=10001", 400, "BadRequest", "'limit' is more than 10000"),
    (OF_QUEUE + "?offset=-1", 400, "BadRequest", "'offset' is not a number"),
    (OF_QUEUE + "?offsets=1", 400, "BadRequest", "'offsets' is not an argument of this path; did you mean 'offset'"),
    (f"{GROUP}/clusterqueues//pendingworkloads", 404, "NotFound", "there is no such path"),
    (f"{GROUP}/clusterqueues/{'a' * 300}/pendingworkloads", 404, "NotFound", "there is no queue 'aaa"),
    (f"{GROUP}/clusterqueues/a~b%20c/pendingworkloads", 404, "NotFound", "there is no queue 'a~b?c'"),
])
def test_refusals_are_what_clients_of_kubernetes_read(full, path, status, reason, text):
    answer = full.get(path)
    said = answer.json()
    assert answer.status == status == said["code"], answer.text
    assert (said["kind"], said["apiVersion"], said["status"], said["reason"]) == ("Status", "v1", "Failure", reason)
    assert text in said["message"], said
