# SPDX-License-Identifier: Apache-2.0
"""fairleadd --cluster beside a fake API server, and objects for it."""
import http.client
import json
import os
import pathlib
import socket
import subprocess
import tempfile
import time
import urllib.parse

from ports import free_port

DEADLINE = 60  # seconds, of a busy machine under sanitizers
DAEMON = """apiVersion: fairlead.dev/v1alpha1
kind: Daemon
metadata: {name: cluster}
spec:
  listen:
  - {address: "127.0.0.1:%d", serves: {api: token, metrics: open, probe: open}}
"""


def fill(fake, quota=4):
    """A queue `cq` with two namespaces, a and b."""
    for namespace in "ab":
        fake.put("namespaces", None, namespace)
        fake.put("localqueues", namespace, "main", spec={"clusterQueue": "cq"})
    fake.put("resourceflavors", None, "default", spec={})
    fake.put("clusterqueues", None, "cq", spec=queue(quota))


def queue(quota):
    return {"namespaceSelector": {}, "resourceGroups": [{
        "coveredResources": ["cpu"], "flavors": [{"name": "default", "resources": [{"name": "cpu", "nominalQuota": str(quota)}]}]}]}


def condition(kind, status=True, reason="r", at="2026-11-01T11:00:00Z"):
    return {"type": kind, "status": str(status), "reason": reason, "message": "", "lastTransitionTime": at}


def workload(fake, namespace, name, cpu=1, priority=0, held=False, conditions=(), created="2026-11-01T10:00:00Z",
             reserved="2026-11-01T11:00:00Z", owners=(), labels=None, **spec):
    status = {"conditions": list(conditions)}
    if held:
        status["conditions"] += [condition("QuotaReserved", at=reserved), condition("Admitted", at=reserved)]
        status["admission"] = {"clusterQueue": "cq", "podSetAssignments": [{
            "name": "main", "count": 1, "flavors": {"cpu": "default"}, "resourceUsage": {"cpu": str(cpu)}}]}
    fake.put("workloads", namespace, name, metadata={"creationTimestamp": created, "ownerReferences": list(owners), "labels": labels or {}}, status=status, spec={
        "queueName": "main", "priority": priority, "active": True, "podSets": [{"name": "main", "count": 1, "template": {
            "spec": {"containers": [{"name": "c", "image": "x", "resources": {"requests": {"cpu": str(cpu)}}}]}}}], **spec})


ACCOUNT = 64733  # of a daemon that root has started, where there is no account "fairlead"


def let_pass(*folders):
    """A daemon that root has started is not root: the folders of pytest are closed to others.  In these it removes its socket."""
    for folder in folders if os.geteuid() == 0 else ():
        os.chown(folder, ACCOUNT, ACCOUNT)
        for one in [folder, *folder.parents]:
            if one == pathlib.Path(tempfile.gettempdir()):
                break
            one.chmod(one.stat().st_mode | 0o055)


def as_account():
    """For subprocess: the user that a daemon is which root has started."""
    return {"user": ACCOUNT, "group": ACCOUNT, "extra_groups": []} if os.geteuid() == 0 else {}


class Unix(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=DEADLINE)
        self.path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.path)


class Watching:
    def __init__(self, folder, kubeconfig, *words, listen=False, starter=(), inside=()):
        """@starter: as_account(), where root shall not have started it; @inside: words before its own; no @kubeconfig: as in a pod."""
        self.folder, self.port, self.socket, self.kubeconfig = folder, None, folder / "socket", kubeconfig
        self.starter, self.process = dict(starter), None
        self.command = [*inside, os.environ["FAIRLEADD"], "--cluster", *(["--kubeconfig", str(kubeconfig)] if kubeconfig else []),
                        "--state", str(folder / "state"), "--socket", str(self.socket), *words]
        if listen:
            self.port = free_port()
            (folder / "daemon.yaml").write_text(DAEMON % self.port)
            self.command += ["--config", str(folder / "daemon.yaml")]
        let_pass(folder)
        self.start()

    def start(self):
        self.log = open(self.folder / "log", "a+")
        self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stderr=self.log, **self.starter)

    def stop(self, how):
        self.process.send_signal(how)
        self.process.wait(DEADLINE)

    def ask(self, path, method="GET", token=None, body=None, headers=(), want=None):
        """(status, the answer: JSON or text; or the header @want)"""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE) if token else Unix(self.socket)
        try:
            connection.request(method, path, body=body,
                               headers={**({"Authorization": f"Bearer {token}"} if token else {}), **dict(headers)})
            answer = connection.getresponse()
            raw, kind = answer.read(), answer.headers["Content-Type"]
            if want:
                return answer.status, answer.headers[want]
            if "octet-stream" in kind:
                return answer.status, raw
            return answer.status, json.loads(raw) if raw and "json" in kind else raw.decode()
        finally:
            connection.close()

    def get(self, path, **arguments):
        status, answer = self.ask(path + ("?" + urllib.parse.urlencode(arguments) if arguments else ""))
        assert status == 200, (path, answer)
        return answer

    def wait(self, condition, seconds=DEADLINE):
        end = time.monotonic() + seconds
        while True:
            assert self.process.poll() is None, self.text()
            try:
                found = condition()
                if found:
                    return found
            except (OSError, AssertionError, KeyError, http.client.HTTPException):
                pass
            assert time.monotonic() < end, self.text()
            time.sleep(0.02)

    def ready(self):
        self.wait(lambda: self.get("/v1/queues")["queues"])
        return self

    def verify(self, *words):
        """What the daemon has beside a fresh list, by the command."""
        return subprocess.run([os.environ["FAIRLEAD"], "agreement", "--verify", "--socket", self.socket, "--kubeconfig", self.kubeconfig,
                               *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)

    def has_all(self):
        """It has what the server has, object by object."""
        done = self.verify()
        assert done.returncode == 0, (done.stdout, done.stderr, self.text())

    def limit_files(self, most):
        """In bytes, a number or "RLIM_INFINITY"; set as its user: root may not where it lacks a capability."""
        code = f"from resource import *; prlimit({self.process.pid}, RLIMIT_FSIZE, ({most}, RLIM_INFINITY))"
        subprocess.run(["/usr/bin/python3", "-c", code], check=True, cwd="/", timeout=DEADLINE, **as_account())

    def queue(self, name="cq"):
        return next(q for q in self.get("/v1/queues")["queues"] if q["name"] == name and q["kind"] == "ClusterQueue")

    def counts(self):
        q = self.queue()
        return q["running"], q["waiting"]

    def text(self):
        self.log.flush()
        return (self.folder / "log").read_text()

    def end(self):
        if self.process.poll() is None:
            self.process.terminate()
        return self.process.wait(DEADLINE)
