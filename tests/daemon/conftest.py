# SPDX-License-Identifier: Apache-2.0
"""Black-box tests of the daemon: a real one, on a state folder and a socket of its own."""
import datetime
import http.client
import json
import os
import pathlib
import pwd
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

import pytest

SOURCE = pathlib.Path(os.environ.get("FAIRLEAD_SOURCE", pathlib.Path(__file__).parents[2]))
sys.path.append(str(SOURCE / "tests" / "lib"))
import openapi  # noqa: E402
from own_temp import pytest_configure, pytest_sessionfinish  # noqa: E402, F401
from ports import free_port  # noqa: E402

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
        problem = self.json()
        return problem["error"] if problem.get("status") == "error" else problem["text"]


ACCOUNT = 64733  # of a daemon that root has started, where there is no account "fairlead"
try:
    ACCOUNT = pwd.getpwnam("fairlead").pw_uid
except KeyError:
    pass


# The tests are root, and make up users.
AS_ROOT = ["--root-jobs", "--users", "1-4294967294"] if os.geteuid() == 0 else []


def open_file_limits(daemon, new=None):
    """Of the daemon, asked and set as its user: root may not where it lacks a capability."""
    change = f", {new!r}" if new else ""
    code = f"import resource; print(*resource.prlimit({daemon.process.pid}, resource.RLIMIT_NOFILE{change}))"
    as_account = {"user": ACCOUNT, "group": ACCOUNT, "extra_groups": []} if os.geteuid() == 0 else {}
    said = subprocess.run(["/usr/bin/python3", "-c", code], capture_output=True, text=True, check=True, cwd="/",
                          **as_account).stdout
    return tuple(map(int, said.split()))


def processor_seconds(daemon):
    """Which it has used: not more where others use the machine, too."""
    fields = pathlib.Path(f"/proc/{daemon.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def let_pass(folder):
    """A daemon that root has started is not root: pytest's folders are closed to others.  In this one
    it makes backups, and removes its socket."""
    os.chown(folder, ACCOUNT, ACCOUNT)
    for one in [folder, *folder.parents]:
        if one.name.startswith("fairlead-") or one == pathlib.Path(tempfile.gettempdir()):
            break
        one.chmod(one.stat().st_mode | 0o055)


# The command asks over TCP, with TLS and a token; the tests themselves go on over the socket.
OVER_TCP = bool(os.environ.get("FAIRLEAD_TEST_SERVER"))


class Daemon:
    """fairleadd --state STATE: start, stop and kill it; ask it."""

    def __init__(self, folder, config=None):
        self.folder = folder
        self.state = folder / "state"
        self.socket = folder / "d.sock"
        self.config = config
        self.process = None
        self.port = free_port() if OVER_TCP and config else None

    def start(self, *more, ready=True, environment=None):
        args = [os.environ["FAIRLEADD"], "--state", str(self.state), "--socket", str(self.socket)]
        args += AS_ROOT
        if AS_ROOT:
            let_pass(self.folder)
        if self.port:
            self.listen()
        if self.config:
            args += ["--config", str(self.config)]
        args += more
        self.log = open(self.folder / "log", "ab")
        self.process = subprocess.Popen(args, stdout=self.log, stderr=self.log, cwd=self.folder,
                                        start_new_session=True, env={**os.environ, **(environment or {})})
        if ready:
            self.until(lambda: self.is_up(), "it listens")
        return self

    def listen(self):
        """On TCP as well: .spec.listen of its configuration."""
        text = self.config.read_text()
        if "  listen: " not in text:
            listen = f"  listen: [{{address: '127.0.0.1:{self.port}', tls: {{selfSigned: true}}}}]\n"
            text, n = re.subn(r"kind: Daemon\n(?:.*\n)*?spec:\n", lambda m: m.group(0) + listen, text, count=1)
            assert n == 1, text
            self.config.write_text(text)

    @property
    def reached(self):
        """Variables with which the command asks it."""
        if not self.port:
            return {"FAIRLEAD_SOCKET": str(self.socket)}
        variables = {"XDG_CONFIG_HOME": str(self.folder / "configuration")}
        if not (self.folder / "configuration").exists():
            self.log_in(variables)
        return variables

    def log_in(self, variables):
        found = self.until(lambda: re.search(r"certificate SHA-256 (\S+)\n", self.said()), "it says its fingerprint")
        made = self.post("/v1/tokens", {"name": "tests", "role": "admin"})
        assert made.status == 201, made.text
        done = subprocess.run([os.environ["FAIRLEAD"], "login", f"https://127.0.0.1:{self.port}", "--server-fingerprint", found[1]],
                              input=made.json()["token"], capture_output=True, text=True, timeout=DEADLINE, check=False,
                              env={**os.environ, **variables})
        assert done.returncode == 0, done.stderr

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
            answer = Answer(connection.getresponse())
        finally:
            connection.close()
        openapi.check(method, path, answer.status, answer.headers["Content-Type"], answer.body)
        return answer

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


@pytest.fixture(autouse=True)
def passed(tmp_path):
    if os.geteuid() == 0:
        let_pass(tmp_path)


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
        jobs = [str(job["id"]) for job in daemon.get("/v1/jobs?limit=10000").json()["jobs"]]
        for some in range(0, len(jobs), 500):
            daemon.post("/v1/jobs/cancel", {"jobs": ",".join(jobs[some:some + 500])})
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
