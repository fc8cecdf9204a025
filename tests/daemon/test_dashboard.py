# SPDX-License-Identifier: Apache-2.0
"""The dashboard for Grafana: each of its queries is run by Prometheus against a daemon with jobs."""
import json
import re
import shutil
import socket
import subprocess
import threading
import urllib.parse
import urllib.request

import pytest

from conftest import DEADLINE, SOURCE, Daemon, end
from ports import free_port

needs_prometheus = pytest.mark.skipif(not shutil.which("prometheus"),
                                      reason="there is no prometheus; tools/bootstrap test gets it")

BOARD = json.loads((SOURCE / "deploy/grafana.json").read_text())
PANELS = [p for p in BOARD["panels"] if p["type"] != "row"]
VARIABLES = {v["name"] for v in BOARD["templating"]["list"]}
# What Grafana puts in.
PUT_IN = {"$queue": ".*", "$job": ".*", "$__range": "1h"}
# Nothing is to be seen there when all is well, or without such a resource.
MAY_BE_EMPTY = {"Runs lost", "Pending demand: other resources"}

CONFIG = """\
apiVersion: fairlead.dev/v1alpha1
kind: Daemon
metadata: {name: test}
spec:
  machine:
    cohort: machine
    flavors: [{name: default, resources: {cpu: "4", memory: 4Gi}}]
  jobs: {grace: 1s}
  access: {withoutAccount: allow}
"""
QUEUE = """---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: NAME}
spec:
  cohortName: machine
  namespaceSelector: {}
  preemption: {reclaimWithinCohort: Any, withinClusterQueue: LowerPriority}
  resourceGroups:
  - coveredResources: [cpu, memory]
    flavors: [{name: default, resources: [{name: cpu, nominalQuota: 2}, {name: memory, nominalQuota: 2Gi}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: NAME, namespace: default}
spec: {clusterQueue: NAME}
"""


def relay(path):
    """Port of 127.0.0.1 whose connections are passed on to the socket, as the guide has it."""
    door = socket.create_server(("127.0.0.1", 0))

    def copy(a, b):
        try:
            while piece := a.recv(65536):
                b.sendall(piece)
            b.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def serve():
        while True:
            try:
                client, _ = door.accept()
            except OSError:
                return
            daemon = socket.socket(socket.AF_UNIX)
            daemon.connect(str(path))
            for a, b in ((client, daemon), (daemon, client)):
                threading.Thread(target=copy, args=(a, b), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    return door


@pytest.fixture(scope="module")
def prometheus(tmp_path_factory):
    """One that has asked a daemon with jobs a few times; how to put a query to it."""
    folder = tmp_path_factory.mktemp("daemon")
    (folder / "daemon.yaml").write_text(CONFIG + QUEUE.replace("NAME", "a") + QUEUE.replace("NAME", "b"))
    daemon = Daemon(folder, folder / "daemon.yaml").start()
    door = relay(daemon.socket)
    (folder / "prometheus.yml").write_text(f"""\
global: {{scrape_interval: 1s, scrape_timeout: 1s}}
scrape_configs: [{{job_name: fairlead, static_configs: [{{targets: ["127.0.0.1:{door.getsockname()[1]}"]}}]}}]
""")
    port = free_port()
    log = open(folder / "prometheus.log", "wb")
    process = subprocess.Popen(["prometheus", f"--config.file={folder / 'prometheus.yml'}",
                                f"--storage.tsdb.path={folder / 'data'}", f"--web.listen-address=127.0.0.1:{port}"],
                               stdout=log, stderr=log)

    def ask(query):
        url = f"http://127.0.0.1:{port}/api/v1/query?" + urllib.parse.urlencode({"query": query})
        with urllib.request.urlopen(url, timeout=DEADLINE) as answer:
            return json.load(answer)["data"]["result"]

    def has(query):
        try:
            return ask(query)
        except OSError:
            return None

    try:
        daemon.until(lambda: has("up == 1"), "it was asked once")
        borrower = daemon.submit("sleep", "1000", queue="a", requests={"cpu": "4", "memory": "1Gi"})
        daemon.wait(borrower, "runs")
        daemon.wait(daemon.submit("sleep", "1000", queue="b", requests={"cpu": "2", "memory": "1Gi"}), "runs")
        daemon.submit("true", queue="b", requests={"cpu": "9", "memory": "1Gi"})
        for _ in range(3):
            daemon.wait(daemon.submit("true", queue="b", requests={"memory": "1Mi"}), "done")
        daemon.until(lambda: has('fairlead_jobs_ended_total{state="done"} >= 3'), "it has seen what happened")
        daemon.until(lambda: has('count_over_time(fairlead_jobs_ended_total{state="done"}[5m]) >= 4'), "rates are of some looks")
        yield ask
    finally:
        process.kill()
        process.wait()
        door.close()
        end(daemon)


QUERIES = [(panel["title"], target["expr"]) for panel in PANELS for target in panel["targets"]]


@needs_prometheus
@pytest.mark.parametrize("title, query", QUERIES, ids=[f"{title}-{i}" for i, (title, _) in enumerate(QUERIES)])
def test_query(prometheus, title, query):
    for name, value in PUT_IN.items():
        query = query.replace(name, value)
    assert "$" not in query, "a variable that this test does not know"
    answer = prometheus(query)
    assert answer or title in MAY_BE_EMPTY, f"nothing comes of {query}"
    assert all(re.fullmatch(r"[-+0-9.e]+|NaN|[+-]Inf", row["value"][1]) for row in answer)


@needs_prometheus
def test_variables_have_values(prometheus):
    for variable in BOARD["templating"]["list"]:
        if variable["type"] == "query":
            metric, label = re.fullmatch(r"label_values\((\w+), (\w+)\)", variable["query"]["query"]).groups()
            assert {row["metric"][label] for row in prometheus(metric)}, variable["name"]


def test_panels_can_be_read():
    assert len({p["id"] for p in BOARD["panels"]}) == len(BOARD["panels"])
    assert len({p["title"] for p in PANELS}) == len(PANELS)
    for panel in PANELS:
        assert panel["description"].endswith(".") and panel["fieldConfig"]["defaults"]["unit"], panel["title"]
        assert all(t["legendFormat"] for t in panel["targets"]), panel["title"]
        assert set(re.findall(r"\$(\w+)", " ".join(t["expr"] for t in panel["targets"]))) <= VARIABLES | {"__range"}


def test_metrics_are_those_of_the_daemon():
    table = set(re.findall(r'"((?:fairlead|process)_\w+)"', (SOURCE / "src/daemon/metrics/metrics.def").read_text()))
    for _, query in QUERIES:
        for name in re.findall(r"(?:fairlead|process)_\w+", query):
            assert name.removesuffix("_bucket") in table, query


def test_all_that_is_asked_for_fits(tmp_path):
    """As many series as are allowed, and the gauge says what has none."""
    (tmp_path / "daemon.yaml").write_text(
        CONFIG.replace("  jobs:", "  metrics: {queues: 1}\n  jobs:") + "".join(QUEUE.replace("NAME", n) for n in "abc"))
    daemon = Daemon(tmp_path, tmp_path / "daemon.yaml").start()
    try:
        daemon.submit("true", queue="c", requests={"cpu": "99"})
        text = daemon.until(lambda: (t := daemon.get("/metrics").text) and
                            'fairlead_queue_jobs{queue="(other)",state="waiting"} 1' in t and t, "it is pending")
        assert 'fairlead_metrics_left_out{kind="queue"} 2' in text
        assert 'fairlead_metrics_left_out{kind="cohort"} 0' in text
        assert 'fairlead_queue_share{queue="a"}' in text and 'fairlead_queue_share{queue="b"}' not in text
    finally:
        end(daemon)


def test_of_many_queues_a_copy_writes_it(tmp_path):
    """More than 1,000 of them; figures of the process are there, too."""
    n = 1001
    (tmp_path / "daemon.yaml").write_text(
        CONFIG.replace("  jobs:", "  metrics: {queues: 10000}\n  jobs:") +
        "".join(f"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {{name: q{i:04}}}\n"
                "spec: {cohortName: machine, namespaceSelector: {}}\n" for i in range(n)))
    daemon = Daemon(tmp_path, tmp_path / "daemon.yaml").start()
    try:
        text = daemon.get("/metrics").text
        assert text.count("\nfairlead_queue_share{") == n
        assert re.search(r"^process_open_fds [1-9]", text, re.M) and re.search(r"^process_resident_memory_bytes [1-9]", text, re.M)
    finally:
        end(daemon)
