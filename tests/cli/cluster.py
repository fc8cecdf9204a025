# SPDX-License-Identifier: Apache-2.0
"""A cluster for the command: a fake API server with objects, a kubeconfig for it, and a dump of the same objects."""
import copy
import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "kube"))

from fake import Fake  # noqa: E402

KINDS = {
    "kueue.x-k8s.io/v1beta2": {
        "ResourceFlavor": "resourceflavors", "Cohort": "cohorts", "ClusterQueue": "clusterqueues",
        "LocalQueue": "localqueues", "Workload": "workloads", "WorkloadPriorityClass": "workloadpriorityclasses",
        "AdmissionCheck": "admissionchecks", "Topology": "topologies"},
    "v1": {"Namespace": "namespaces", "Pod": "pods", "Node": "nodes", "ConfigMap": "configmaps", "LimitRange": "limitranges"},
    "node.k8s.io/v1": {"RuntimeClass": "runtimeclasses"},
    "scheduling.k8s.io/v1": {"PriorityClass": "priorityclasses"},
    "scheduling.run.ai/v2": {"Queue": "queues"},
    "scheduling.run.ai/v2alpha2": {"PodGroup": "podgroups"},
    "kai.scheduler/v1": {"SchedulingShard": "schedulingshards"},
}
BUILT_IN = ("v1", "node.k8s.io/v1", "scheduling.k8s.io/v1")  # a server leaves apiVersion and kind out in lists of these
CLUSTER_WIDE = ("Namespace", "Node", "PriorityClass", "ResourceFlavor", "Cohort", "ClusterQueue", "WorkloadPriorityClass",
                "AdmissionCheck", "Topology", "Queue", "SchedulingShard", "RuntimeClass")


class Cluster:
    def __init__(self, folder, certificate, objects, kueue=True, kai=False):
        self.folder, self.certificate = folder, certificate
        self.fake = Fake(certificate.file, certificate.key, seed=int(os.environ.get("FAIRLEAD_SEED", "1")))
        served = {v for v in KINDS if "kueue" not in v and "run.ai" not in v and "kai." not in v}
        served |= {v for v in KINDS if kueue and "kueue" in v} | {v for v in KINDS if kai and ("run.ai" in v or "kai." in v)}
        self.fake.kinds = {}
        for version in served:
            group, _, name = version.rpartition("/")
            self.fake.kinds.setdefault(group, {})[name] = list(KINDS[version].values())
        for one in objects:
            self.put(one)
        self.write_config()

    def put(self, one):
        one = copy.deepcopy(one)
        version, kind, meta = one.pop("apiVersion"), one.pop("kind"), one.pop("metadata")
        namespace = None if kind in CLUSTER_WIDE else meta.setdefault("namespace", "default")
        said = {} if version in BUILT_IN else {"apiVersion": version, "kind": kind}
        self.fake.put(KINDS[version][kind], namespace or "", meta["name"], metadata=meta, **said, **one)

    def write_config(self, user="{token: secret}", cluster="", name="kubeconfig"):
        path = self.folder / name
        path.write_text(
            f"current-context: here\nclusters:\n- name: c\n  cluster: {{server: 'https://127.0.0.1:{self.fake.port}', "
            f"{cluster or f'certificate-authority: {self.certificate.file}'}}}\n"
            f"users:\n- name: u\n  user: {user}\n"
            f"contexts:\n- name: here\n  context: {{cluster: c, user: u}}\n")
        return str(path)

    def dump(self, name="dump.json"):
        """The same objects in a file, as `kubectl get -o json` writes them."""
        items = [{"apiVersion": version, "kind": kind, **one} for version, kinds in KINDS.items()
                 for kind, plural in kinds.items() for _, one in sorted(self.fake.objects.get(plural, {}).items())]
        (self.folder / name).write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
        return name

    def lists(self):
        return [plural for verb, plural, _ in self.fake.requests if verb == "list"]

    def close(self):
        self.fake.close()
