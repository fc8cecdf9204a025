# SPDX-License-Identifier: Apache-2.0
"""A Kubernetes control plane of one's own: etcd, kube-apiserver, and what else a test asks for.

Everything is below one folder, which goes with it: data, certificates, kubeconfig files, logs, the
audit log.  Nothing is shared with another bed, so several may run beside each other.  There are no
nodes, no scheduler of pods and no network of pods; a test that needs a running pod writes its
status itself.  What a process says goes to NAME.log in the folder.
"""
import base64
import contextlib
import ctypes
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.request

import yaml
from certificates import Certificate
from client import ApiError, Client, path_of
from ports import free_port

# Without any right but those that a test gives.
PEOPLE = ("alice", "bob", "carol", "dave")
DEADLINE = 60.0
ACCOUNT = 65532  # user and group of the container
KUEUE = "kueue.x-k8s.io/v1beta2"
# What changes nothing that the API server keeps: reviews are answered and forgotten.
READS = ("get", "list", "watch")
REVIEWS = (("authentication.k8s.io", "tokenreviews"), ("authorization.k8s.io", "subjectaccessreviews"))
# All but what the API server asks itself; a watch is told when it begins, too.
AUDIT_POLICY = {
    "apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitStages": ["RequestReceived"],
    "rules": [{"level": "None", "users": ["system:apiserver"]}, {"level": "Metadata"}],
}
CONTROLLERS = ("job-controller", "namespace-controller", "garbage-collector-controller",
               "serviceaccount-controller", "serviceaccount-token-controller")


def wait_for(what, condition, seconds=DEADLINE, pause=0.05):
    """Until @condition gives something that counts as true, which is returned."""
    end = time.monotonic() + seconds
    while True:
        got = condition()
        if got:
            return got
        if time.monotonic() > end:
            raise TimeoutError(f"{what}: not within {seconds:.0f} s")
        time.sleep(pause)


def begin(root=None):
    """In the new process: it ends when the test run does, however that ends, which giving up root would undo.

    @root: its root folder, in which it is the account of the container.
    """
    libc = ctypes.CDLL(None)
    if root:
        os.chroot(root)
        os.chdir("/")
        os.setgroups([])
        os.setgid(ACCOUNT)
        os.setuid(ACCOUNT)
    libc.prctl(1, signal.SIGKILL)


class Process:
    """One program with its log; a name is used again when it is started again."""

    def __init__(self, folder, name, arguments, env=None, root=None):
        self.log = folder / f"{name}.log"
        self.name = name
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen([str(a) for a in arguments], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            cwd=folder, env={**os.environ, **(env or {})}, preexec_fn=lambda: begin(root))

    @property
    def pid(self):
        return self.process.pid

    def alive(self):
        return self.process.poll() is None

    def check(self):
        if not self.alive():
            raise RuntimeError(f"{self.name} ended with {self.process.returncode}:\n{self.tail()}")

    def tail(self, lines=20):
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])

    def stop(self, how=signal.SIGTERM, seconds=30):
        """It is gone when this returns: a port stays taken while a server drains."""
        if not self.alive():
            return
        self.process.send_signal(how)
        self.process.send_signal(signal.SIGCONT)
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def seconds_of_processor(self):
        """User and system time so far."""
        fields = pathlib.Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Bed:
    """`with Bed(programs) as bed`: up when the block begins, gone when it ends."""

    def __init__(self, programs, keep=False, audit=AUDIT_POLICY):
        self.programs = pathlib.Path(programs)
        self.keep = keep
        self.may_write = None  # for the check at its end (conftest.py)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="fairlead-bed."))
        self.audit_log = self.folder / "audit.log"
        self.port, self.etcd_port, self.peer_port, self.manager_port = free_port(), free_port(), free_port(), free_port()
        self.others = []
        self.etcd = self.api = None
        self.extra = []
        self.make_identities()
        (self.folder / "audit.yaml").write_text(json.dumps(audit))

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    # Who may call

    def make_identities(self):
        pki = self.folder / "pki"
        pki.mkdir(mode=0o700)
        self.authority = Certificate(pki, "authority", is_authority=True)
        self.serving = Certificate(pki, "server", authority=self.authority)
        self.signing = Certificate(pki, "accounts")
        self.tokens = {name: f"token-of-{name}" for name in ("admin", *PEOPLE)}
        rows = [f'{token},{name},{name},"{"system:masters" if name == "admin" else "people"}"'
                for name, token in self.tokens.items()]
        (pki / "tokens.csv").write_text("\n".join(rows) + "\n")

    def client(self, user="admin", token=None, port=None, **more):
        return Client(port or self.port, self.authority.file, token or self.tokens[user], **more)

    def certificate(self, user):
        """(file, key) of a certificate by which the API server knows its holder as @user."""
        made = Certificate(self.folder / "pki", user, names=(), authority=self.authority)
        return made.file, made.key

    def kubeconfig(self, user="admin", token=None, token_file=None, namespace=None, certificate=None,
                   exec_plugin=None, server=None):
        """A file with the one context "bed", by token unless a file of one, a @certificate (file, key) or an exec
        plugin is given."""
        name = user if token is None else "token"
        who = {"token": token or self.tokens.get(user)}
        if token_file:
            who = {"tokenFile": str(token_file)}
        if certificate:
            name, who = f"{user}-certificate", {"client-certificate": str(certificate[0]), "client-key": str(certificate[1])}
        if exec_plugin:
            name, who = f"{user}-exec", {"exec": exec_plugin}
        context = {"cluster": "bed", "user": user, **({"namespace": namespace} if namespace else {})}
        out = pathlib.Path(tempfile.mkdtemp(prefix=f"{name}.", dir=self.folder)) / "kubeconfig"
        out.write_text(yaml.safe_dump({
            "apiVersion": "v1", "kind": "Config", "current-context": "bed",
            "clusters": [{"name": "bed", "cluster": {"server": server or f"https://127.0.0.1:{self.port}",
                                                     "certificate-authority": str(self.authority.file)}}],
            "users": [{"name": user, "user": who}],
            "contexts": [{"name": "bed", "context": context}],
        }))
        out.chmod(0o600)
        return out

    def whole_kubeconfig(self, path, user="admin"):
        """At @path with all that it names in it: the bed's folder is closed to the user that a daemon becomes."""
        config = yaml.safe_load(self.kubeconfig(user).read_text())
        cluster = config["clusters"][0]["cluster"]
        cluster["certificate-authority-data"] = base64.b64encode(pathlib.Path(cluster.pop("certificate-authority")).read_bytes()).decode()
        path.write_text(yaml.safe_dump(config))
        return path

    def account(self, name, namespace="default"):
        """A service account, made when it is not there."""
        self.admin.apply("v1", "serviceaccounts", {"apiVersion": "v1", "kind": "ServiceAccount",
                                                   "metadata": {"name": name}}, namespace)
        return f"system:serviceaccount:{namespace}:{name}"

    def account_token(self, name, namespace="default", pod=None, seconds=3600):
        """As a pod gets one: of an audience and an end, and bound to @pod (its object) when one is given."""
        spec = {"expirationSeconds": seconds}
        if pod:
            spec["boundObjectRef"] = {"kind": "Pod", "apiVersion": "v1", "name": pod["metadata"]["name"],
                                      "uid": pod["metadata"]["uid"]}
        path = path_of("v1", "serviceaccounts", namespace, name, "token")
        return self.admin.ask("POST", path, {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
                                             "spec": spec})["status"]["token"]

    def grant(self, name, rules, user=None, group=None, account=None, namespace=None):
        """A role of @rules and its binding to one @user, @group or @account (namespace, name); in one @namespace or in all."""
        kind, api = ("Role" if namespace else "ClusterRole"), "rbac.authorization.k8s.io/v1"
        subject = {"kind": "ServiceAccount", "namespace": account[0], "name": account[1]} if account else \
            {"kind": "User" if user else "Group", "name": user or group, "apiGroup": "rbac.authorization.k8s.io"}
        self.admin.apply(api, f"{kind.lower()}s", {"apiVersion": api, "kind": kind, "metadata": {"name": name},
                                                   "rules": rules}, namespace)
        self.admin.apply(api, f"{kind.lower()}bindings", {
            "apiVersion": api, "kind": f"{kind}Binding", "metadata": {"name": name}, "subjects": [subject],
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": name}}, namespace)

    # Up and down

    def program(self, name):
        return self.programs / name

    def start_etcd(self):
        own, peer = f"http://127.0.0.1:{self.etcd_port}", f"http://127.0.0.1:{self.peer_port}"
        self.etcd = Process(self.folder, "etcd", [
            self.program("etcd"), "--data-dir=etcd", f"--listen-client-urls={own}", f"--advertise-client-urls={own}",
            f"--listen-peer-urls={peer}", f"--initial-advertise-peer-urls={peer}", f"--initial-cluster=default={peer}",
            "--unsafe-no-fsync", "--log-level=warn"])

    def api_words(self, port, audit_log, etcd_port=None):
        pki = self.folder / "pki"
        return [
            self.program("kube-apiserver"), f"--etcd-servers=http://127.0.0.1:{etcd_port or self.etcd_port}",
            "--bind-address=127.0.0.1",
            "--advertise-address=127.0.0.1", f"--secure-port={port}", f"--tls-cert-file={self.serving.file}",
            f"--tls-private-key-file={self.serving.key}", f"--client-ca-file={self.authority.file}",
            f"--cert-dir={pki}", f"--service-account-issuer=https://127.0.0.1:{self.port}",
            f"--service-account-key-file={self.signing.file}", f"--service-account-signing-key-file={self.signing.key}",
            f"--token-auth-file={pki}/tokens.csv", "--authorization-mode=RBAC", "--service-cluster-ip-range=10.0.0.0/24",
            # Pods need no account of their own here, so no controller has to make one first.
            "--disable-admission-plugins=ServiceAccount", "--allow-privileged=true",
            f"--audit-policy-file={self.folder}/audit.yaml", f"--audit-log-path={audit_log}",
            "--audit-log-maxsize=4000", *self.extra]

    def start_api(self, port=None, wait=True):
        """On its own port, or on another, where only those come who know it."""
        self.admin = self.client(port=port, agent="bed")
        self.api = Process(self.folder, "kube-apiserver", self.api_words(port or self.port, self.audit_log))
        if wait:
            self.wait_until_ready(self.api, self.admin)

    def wait_until_ready(self, api, client):
        def ready():
            api.check()
            self.etcd.check()
            try:
                return client.ask("GET", "/readyz") == "ok"
            except (OSError, ApiError):
                return False

        wait_for("the API server is ready", ready, 120)

    @contextlib.contextmanager
    def second_api(self, etcd_port=None):
        """The port of one more API server, with caches of its own, on the same etcd; not in the audit log.

        @etcd_port: by which it reaches etcd, where something stands between.
        """
        port = free_port()
        process = self.run("kube-apiserver-2", self.api_words(port, self.folder / "audit-2.log", etcd_port))
        try:
            self.wait_until_ready(process, self.client(port=port))
            yield port
        finally:
            process.stop(signal.SIGKILL)
            self.others.remove(process)

    def start(self):
        self.start_etcd()
        self.start_api()

    def kill_api(self):
        """Without warning: watches end in the middle of a frame."""
        self.api.stop(signal.SIGKILL)

    def restart_api(self, how=signal.SIGTERM):
        """Told to end it waits a minute for open watches, which do not end: clients see it draining for some seconds."""
        self.api.stop(how, seconds=5)
        self.start_api()

    @contextlib.contextmanager
    def behind(self):
        """Away for whoever knows the API server by its port; the test still changes objects, by `bed.admin`."""
        self.api.stop(signal.SIGKILL)
        self.start_api(free_port())
        try:
            yield self.admin
        finally:
            self.restart_api(signal.SIGKILL)

    def compact(self):
        """What was before now is forgotten: whoever resumes from there is told 410."""
        def etcd(path, body):
            request = urllib.request.Request(f"http://127.0.0.1:{self.etcd_port}{path}", json.dumps(body).encode())
            # Never by a proxy that the environment names.
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=DEADLINE) as answer:
                return json.load(answer)

        key = base64.b64encode(b"compact").decode()
        revision = etcd("/v3/kv/range", {"key": key})["header"]["revision"]
        etcd("/v3/kv/compaction", {"revision": revision, "physical": True})
        return int(revision)

    def stop(self):
        for process in (*reversed(self.others), self.api, self.etcd):
            if process:
                # Nothing here is kept: no need to drain.
                process.stop(signal.SIGKILL)
        self.others.clear()
        if not self.keep:
            shutil.rmtree(self.folder, ignore_errors=True)

    # What else runs

    def run(self, name, arguments, env=None, root=None):
        """A process that ends with the bed; @root: a container's."""
        process = Process(self.folder, name, arguments, env, root)
        self.others.append(process)
        return process

    def start_controllers(self):
        """Jobs make pods, namespaces and what hangs on owners go away, accounts appear."""
        config = self.kubeconfig()
        manager = self.run("kube-controller-manager", [
            self.program("kube-controller-manager"), f"--kubeconfig={config}", f"--authentication-kubeconfig={config}",
            f"--authorization-kubeconfig={config}", "--bind-address=127.0.0.1", f"--secure-port={self.manager_port}",
            "--leader-elect=false", f"--controllers={','.join(CONTROLLERS)}", "--use-service-account-credentials=false",
            f"--service-account-private-key-file={self.signing.key}", f"--cert-dir={self.folder}/pki/manager"])
        wait_for("the default account", lambda: manager.check() or self.admin.find("v1", "serviceaccounts", "default", "default"))
        return manager

    def define(self, folder, conversion=None):
        """The definitions (CustomResourceDefinition) of each file in @folder; served when this returns.

        @conversion: of each kind's plural, what its `conversion` is; where it has none, one version is stored.
        """
        names = []
        for file in sorted(pathlib.Path(folder).glob("*.yaml")):
            with open(file, encoding="utf-8") as f:
                for body in yaml.load_all(f, yaml.CSafeLoader):
                    body["spec"].pop("conversion", None)
                    if body["spec"]["names"]["plural"] in (conversion or {}):
                        body["spec"]["conversion"] = conversion[body["spec"]["names"]["plural"]]
                    body["metadata"].get("annotations", {}).pop("cert-manager.io/inject-ca-from", None)
                    self.admin.create("apiextensions.k8s.io/v1", "customresourcedefinitions", body)
                    names.append(body["metadata"]["name"])
        for name in names:
            wait_for(f"{name} is served", lambda name=name: self.served(name))
        return names

    def served(self, definition):
        body = self.admin.get("apiextensions.k8s.io/v1", "customresourcedefinitions", definition)
        if not any(c["type"] == "Established" and c["status"] == "True" for c in body.get("status", {}).get("conditions") or ()):
            return False
        spec = body["spec"]
        for version in spec["versions"]:
            if version["served"]:
                try:
                    self.admin.list(f"{spec['group']}/{version['name']}", spec["names"]["plural"], query="limit=1")
                except ApiError:
                    return False
        return True

    def define_kueue(self, conversion=None):
        return self.define(self.program("definitions"), conversion)

    def start_kueue(self):
        """Kueue's core controllers and scheduler: no webhooks, no integration of jobs; it decides on Workloads."""
        return self.run("minimalkueue", [self.program("minimalkueue"), f"--kubeconfig={self.kubeconfig()}"])

    def namespace(self, name, labels=None):
        self.admin.apply("v1", "namespaces", {"apiVersion": "v1", "kind": "Namespace",
                                              "metadata": {"name": name, "labels": labels or {}}})
        return name

    # What was asked

    def requests(self, user=None, agent=None, since=0):
        """Rows of the audit log (dicts) of one @user, or whose User-Agent begins with @agent, from its byte @since on."""
        with open(self.audit_log, encoding="utf-8") as f:
            f.seek(since)
            for line in f:
                if not line.endswith("\n"):
                    return
                row = json.loads(line)
                if (user is None or row["user"].get("username") == user) and \
                        (agent is None or row.get("userAgent", "").startswith(agent)):
                    yield row

    def writes(self, user=None, agent=None, since=0):
        """Of those, each that is neither a read nor a review, as text; refused ones, too."""
        out = []
        for row in self.requests(user, agent, since):
            what = row.get("objectRef", {})
            review = row["verb"] == "create" and (what.get("apiGroup", ""), what.get("resource")) in REVIEWS
            if row["verb"] not in READS and not review:
                out.append(f"{row['verb']} {row['requestURI']} by {row['user'].get('username')} ({row.get('userAgent')})")
        return out

    def audited_so_far(self):
        """For `since` of requests."""
        return self.audit_log.stat().st_size
