# SPDX-License-Identifier: Apache-2.0
"""The daemon as deploy/ starts it, without a runtime of containers."""
import http.client
import json
import ssl

import container
import kustomize
from ports import free_port


class Answer:
    def __init__(self, status, text):
        self.status, self.text = status, text

    def json(self):
        return json.loads(self.text)


class Deployed:
    """A pod of the Deployment of @base, a folder of deploy/, as a process: its container's root (container.py), its
    account, its configuration."""

    def __init__(self, bed, root, base):
        self.bed, self.root = bed, root
        objects = kustomize.load(bed, base)
        self.pod = kustomize.one(objects, "Deployment")["spec"]["template"]
        configuration = kustomize.one(objects, "ConfigMap")
        text = configuration["data"]["daemon.yaml"]
        self.ports = {}
        for port, name in ((8443, "api"), (9090, "metrics")):
            self.ports[name] = free_port()
            text = text.replace(f"0.0.0.0:{port}", f"127.0.0.1:{self.ports[name]}")
        configuration["data"]["daemon.yaml"] = text
        kustomize.apply(bed.admin, objects)
        (root / "etc" / "fairlead").mkdir()
        (root / "etc" / "fairlead" / "daemon.yaml").write_text(text)
        self.start()

    def start(self):
        spec = {**self.pod["spec"], "volumes": [], "containers": [{**self.pod["spec"]["containers"][0], "volumeMounts": []}]}
        pod = self.bed.admin.ask("POST", "/api/v1/namespaces/fairlead/pods", {
            "apiVersion": "v1", "kind": "Pod", "metadata": {"generateName": "fairlead-"}, "spec": spec})
        self.name = pod["metadata"]["name"]
        token = self.bed.account_token("fairlead", "fairlead", pod)
        self.env = container.mount_account(self.root, self.bed, token, "fairlead")
        # What is not a value is the pod's name.
        self.env.update({e["name"]: e.get("value", self.name) for e in spec["containers"][0]["env"]})
        words = ["/usr/bin/fairleadd", *spec["containers"][0]["args"]]
        self.process = self.bed.run("fairleadd", words, self.env, self.root)

    def exec(self, *words):
        """As `kubectl exec` runs the command in the pod."""
        return container.inside(self.root, "/usr/bin/fairlead", *words, env=self.env)

    def ask(self, path, token=None, port="api", body=None):
        """Without a look at its certificate, which it made itself."""
        tls = ssl._create_unverified_context()
        make = (http.client.HTTPSConnection, {"context": tls}) if port == "api" else (http.client.HTTPConnection, {})
        connection = make[0]("127.0.0.1", self.ports[port], timeout=30, **make[1])
        try:
            connection.request("POST" if body else "GET", path, body, {"Authorization": f"Bearer {token}"} if token else {})
            answer = connection.getresponse()
            return Answer(answer.status, answer.read().decode())
        finally:
            connection.close()

    def probe(self, kind):
        """As the kubelet asks: by the path of the Deployment."""
        self.process.check()
        try:
            return self.ask(self.pod["spec"]["containers"][0][kind]["httpGet"]["path"]).status == 200
        except OSError:
            return False

    def is_ready(self):
        return self.probe("readinessProbe") and self.probe("livenessProbe")
