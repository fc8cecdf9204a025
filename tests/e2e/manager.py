# SPDX-License-Identifier: Apache-2.0
"""Kueue's whole manager: what makes Workloads of Jobs and Pods, starts and stops them, and refuses by its webhooks.

It runs in a root folder of its own, for it reads its certificate from a fixed path; entering that takes root.  It finds
the API server as a pod does, as the service account `kueue-system/kueue-controller-manager`.
"""
import base64
import json
import os
import shutil
import signal
import urllib.error
import urllib.request

import container
import yaml
from bed import free_port, wait_for

NAMESPACE, ACCOUNT = "kueue-system", "kueue-controller-manager"
CERTIFICATES = "etc/kueue/metrics/certs"  # the manager's own path
# Of the kinds that the bed serves; the others' webhooks would never be asked.
GROUPS = ("", "batch", "kueue.x-k8s.io")
CONVERTED = ("clusterqueues", "cohorts", "localqueues", "multikueueclusters", "workloads")
NOT_SYSTEM = {"matchExpressions": [{"key": "kubernetes.io/metadata.name", "operator": "NotIn",
                                    "values": ["kube-system", NAMESPACE]}]}


class Manager:
    """Defines Kueue's kinds and starts it; `kill` and `start` do so to the process alone.

    @configuration: what is other than in Kueue's own, as in its Configuration.
    """

    def __init__(self, bed, **configuration):
        self.bed = bed
        self.root = bed.folder / "kueue"
        self.hook, self.health = free_port(), free_port()
        self.user = f"system:serviceaccount:{NAMESPACE}:{ACCOUNT}"
        bed.define_kueue(dict.fromkeys(CONVERTED, {"strategy": "Webhook", "webhook": {
            "conversionReviewVersions": ["v1"], "clientConfig": self.served_at("/convert")}}))
        bed.namespace(NAMESPACE)
        bed.account(ACCOUNT, NAMESPACE)
        bed.grant("kueue-manager", [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}], account=(NAMESPACE, ACCOUNT))
        self.make_root()
        self.start(**configuration)
        # Not before it answers: what they watch over is refused until then.
        self.register_webhooks()

    def served_at(self, path):
        authority = base64.b64encode(self.bed.authority.file.read_bytes()).decode()
        return {"url": f"https://127.0.0.1:{self.hook}{path}", "caBundle": authority}

    def register_webhooks(self):
        with open(self.bed.program("webhooks") / "manifests.yaml", encoding="utf-8") as f:
            for body in yaml.load_all(f, yaml.CSafeLoader):
                body["webhooks"] = [w for w in body["webhooks"] if w["rules"][0]["apiGroups"][0] in GROUPS]
                for hook in body["webhooks"]:
                    hook["clientConfig"] = self.served_at(hook["clientConfig"]["service"]["path"])
                    if hook["rules"][0]["apiGroups"] == [""]:
                        hook["namespaceSelector"] = NOT_SYSTEM
                self.bed.admin.create("admissionregistration.k8s.io/v1", f"{body['kind'].lower()}s", body)

    def make_root(self):
        (self.root / CERTIFICATES).mkdir(parents=True)
        self.root.chmod(0o755)
        shutil.copy(self.bed.serving.file, self.root / CERTIFICATES / "tls.crt")
        shutil.copy(self.bed.serving.key, self.root / CERTIFICATES / "tls.key")
        (self.root / CERTIFICATES / "tls.key").chmod(0o644)
        program = self.bed.program("kueue-manager").resolve()
        try:
            os.link(program, self.root / "manager")
        except OSError:
            shutil.copy(program, self.root / "manager")
        token = self.bed.account_token(ACCOUNT, NAMESPACE, seconds=24 * 3600)
        self.env = container.mount_account(self.root, self.bed, token, NAMESPACE)

    def start(self, **configuration):
        """Ready, webhooks and all, when this returns."""
        gates = {"VisibilityOnDemand": False, **configuration.pop("featureGates", {})}
        (self.root / "etc" / "kueue" / "configuration").write_text(json.dumps({
            "apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration", "namespace": NAMESPACE,
            "health": {"healthProbeBindAddress": f"127.0.0.1:{self.health}"}, "metrics": {"bindAddress": "0"},
            "webhook": {"host": "127.0.0.1", "port": self.hook, "certDir": f"/{CERTIFICATES}"},
            "leaderElection": {"leaderElect": False}, "internalCertManagement": {"enable": False},
            "clientConnection": {"qps": 300, "burst": 500}, "integrations": {"frameworks": ["batch/job", "pod"]},
            "managedJobsNamespaceSelector": NOT_SYSTEM, "featureGates": gates, **configuration}))
        self.process = self.bed.run("kueue-manager", ["/manager", "--config=/etc/kueue/configuration", "--zap-log-level=2"],
                                    self.env, self.root)
        wait_for("Kueue's manager is ready", self.ready)

    def ready(self):
        self.process.check()
        try:
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(
                    f"http://127.0.0.1:{self.health}/readyz", timeout=5) as answer:
                return answer.read() == b"ok"
        except (urllib.error.URLError, OSError):
            return False

    def kill(self, how=signal.SIGKILL):
        self.process.stop(how)
