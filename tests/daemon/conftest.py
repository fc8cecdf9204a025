# SPDX-License-Identifier: Apache-2.0
"""Black-box tests of the daemon: a real one, on a state folder and a socket of its own."""
import datetime
import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time

import pytest

SOURCE = pathlib.Path(os.environ.get("FAIRLEAD_SOURCE", pathlib.Path(__file__).parents[2]))
DEADLINE = 60.0
OVER = ("done", "failed", "cancelled")


def ms(text):
    """Of a moment as the API writes it (with a fraction or without: not to be compared as texts)."""
    return round(datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() * 1000)


class Connection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("fairlead", timeout=DEADLINE)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(DEADLINE)
        self.sock.connect(str(self.path))


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()

    @property
    def text(self):
        return self.body.decode()

    def json(self):
        return json.loads(self.body)

    @property
    def error(self):
        return self.json()["error"]["text"]


class Daemon:
    """fairleadd --state STATE: start, stop and kill it; ask it."""

    def __init__(self, folder, config=None):
        self.folder = folder
        self.state = folder / "state"
        self.socket = folder / "d.sock"
        self.config = config
        self.process = None

    def start(self, *more, ready=True, environment=None):
        args = [os.environ["FAIRLEADD"], "--state", str(self.state), "--socket", str(self.socket)]
        if self.config:
            args += ["--config", str(self.config)]
        args += more
        self.log = open(self.folder / "log", "ab")
        self.process = subprocess.Popen(args, stdout=self.log, stderr=self.log, cwd=self.folder,
                                        start_new_session=True, env={**os.environ, **(environment or {})})
        if ready:
            self.until(lambda: self.is_up(), "it listens")
        return self

    def is_up(self):
        assert self.process.poll() is None, self.said()
        return self.answers()

    def answers(self):
        try:
            return self.get("/v1/health").status in (200, 503)
        except OSError:
            return False

    def said(self):
        return (self.folder / "log").read_text(errors="replace")

    def stop(self, number=signal.SIGTERM):
        if self.process and self.process.poll() is None:
            self.process.send_signal(number)
        code = self.process.wait(DEADLINE)
        self.log.close()
        return code

    def until(self, condition, what, seconds=DEADLINE):
        end = time.monotonic() + seconds
        while not (value := condition()):
            assert time.monotonic() < end, f"not within {seconds} s: {what}\n{self.said()}"
            time.sleep(0.01)
        return value

    def ask(self, method, path, body=None, headers=None):
        connection = Connection(self.socket)
        try:
            try:
                connection.request(method, path, body, headers or {})
            except BrokenPipeError:
                pass  # it was answered before all of it was sent
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def get(self, path):
        return self.ask("GET", path)

    def post(self, path, body=None):
        if body is not None and not isinstance(body, (str, bytes)):
            body = json.dumps(body)
        return self.ask("POST", path, body or b"")

    def follow(self, path):
        """Lines as they come, and the connection to close."""
        connection = Connection(self.socket)
        connection.request("GET", path)
        response = connection.getresponse()
        assert response.status == 200, response.read()
        return response, connection

    def submit(self, *command, **spec):
        """One job, whatever is not said is as small as can be; its number."""
        spec = {"queue": "default", "requests": {"cpu": "100m"}, "directory": str(self.folder),
                "command": list(command) or ["true"], **spec}
        answer = self.post("/v1/jobs", spec)
        assert answer.status == 201, answer.text
        jobs = answer.json()["jobs"]
        return jobs[0] if len(jobs) == 1 else jobs

    def job(self, number):
        answer = self.get(f"/v1/jobs/{number}")
        assert answer.status == 200, answer.text
        return answer.json()

    def wait(self, number, *states):
        states = states or OVER
        return self.until(lambda: (job := self.job(number))["state"] in states and job,
                          f"job {number} is one of {states}: {self.job(number)}")


def pytest_configure(config):
    """A folder of its own: the usual one of a user is closed to others whenever any pytest begins."""
    if config.option.basetemp is None:
        config.own_temp = tempfile.mkdtemp(prefix="fairlead-")
        config.option.basetemp = os.path.join(config.own_temp, "t")


def pytest_sessionfinish(session, exitstatus):
    if exitstatus == 0 and hasattr(session.config, "own_temp"):
        shutil.rmtree(session.config.own_temp, ignore_errors=True)


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """One daemon for all tests of a file that leave it as it was."""
    folder = tmp_path_factory.mktemp("daemon")
    daemon = Daemon(folder, write_config(folder)).start()
    yield daemon
    assert end(daemon) == 0, daemon.said()


@pytest.fixture
def daemon(tmp_path):
    """One of its own, to be killed and started as one likes."""
    one = Daemon(tmp_path, write_config(tmp_path)).start()
    yield one
    end(one)


def end(daemon):
    """Jobs outlive a daemon; here none is to be left."""
    if daemon.process.poll() is None:
        for job in daemon.get("/v1/jobs?limit=10000").json()["jobs"]:
            daemon.post(f"/v1/jobs/{job['id']}/cancel")
        daemon.until(lambda: not daemon.get("/v1/jobs").json()["jobs"], "all jobs are over")
    return daemon.stop()


CONFIG = """\
apiVersion: fairlead.dev/v1alpha1
kind: Daemon
metadata: {name: test}
spec:
  machine:
    cohort: machine
    flavors:
    - {name: default, resources: {cpu: "4", memory: 4Gi}}
  jobs: {grace: 1s}
  access: {withoutAccount: allow}  # users made up for tests have none
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: default}
spec:
  cohortName: machine
  namespaceSelector: {}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: default, namespace: default}
spec: {clusterQueue: default}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: other}
spec:
  cohortName: machine
  namespaceSelector: {}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: other, namespace: default}
spec: {clusterQueue: other}
"""


def write_config(folder):
    (folder / "daemon.yaml").write_text(CONFIG)
    return folder / "daemon.yaml"
