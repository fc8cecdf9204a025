# SPDX-License-Identifier: Apache-2.0
"""What `kubectl apply -k` does with deploy/: kustomize itself builds it, and each object is applied."""
import os
import pathlib
import subprocess
import tempfile

import yaml
from client import path_of

# Kind -> plural, and whether it is in a namespace.
KINDS = {
    "Namespace": ("namespaces", False), "ServiceAccount": ("serviceaccounts", True),
    "ClusterRole": ("clusterroles", False), "ClusterRoleBinding": ("clusterrolebindings", False),
    "Role": ("roles", True), "RoleBinding": ("rolebindings", True), "ConfigMap": ("configmaps", True),
    "PersistentVolumeClaim": ("persistentvolumeclaims", True), "Deployment": ("deployments", True),
    "PodDisruptionBudget": ("poddisruptionbudgets", True),
    "ValidatingAdmissionPolicy": ("validatingadmissionpolicies", False),
    "ValidatingAdmissionPolicyBinding": ("validatingadmissionpolicybindings", False),
    "Service": ("services", True), "NetworkPolicy": ("networkpolicies", True), "ServiceMonitor": ("servicemonitors", True),
    "PrometheusRule": ("prometheusrules", True),
}


def load(bed, *folders):
    """The objects of a kustomization of one's own that has these @folders: bases and components, as they say."""
    rows = {"Kustomization": [], "Component": []}
    with tempfile.TemporaryDirectory(dir=bed.folder) as own:
        for folder in folders:
            kind = yaml.safe_load((folder / "kustomization.yaml").read_text())["kind"]
            rows[kind].append(os.path.relpath(os.path.realpath(folder), os.path.realpath(own)))
        (pathlib.Path(own) / "kustomization.yaml").write_text(yaml.safe_dump({
            "apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization", "resources": rows["Kustomization"],
            "components": rows["Component"]}))
        done = subprocess.run([bed.program("kustomize"), "build", own], check=True, stdout=subprocess.PIPE, timeout=60)
    return list(yaml.safe_load_all(done.stdout))


def apply(client, objects):
    """One after the other; a field that the API does not know is refused, and not passed over."""
    for body in objects:
        plural, namespaced = KINDS[body["kind"]]
        path = path_of(body["apiVersion"], plural, body["metadata"]["namespace"] if namespaced else None,
                       body["metadata"]["name"])
        client.ask("PATCH", f"{path}?fieldManager=test&fieldValidation=Strict", body, "application/apply-patch+yaml")


def one(objects, kind, name=None):
    """The only object of @kind, or that of a @name."""
    found = [o for o in objects if o["kind"] == kind and name in (None, o["metadata"]["name"])]
    assert len(found) == 1, f"{kind} {name}: {len(found)} objects"
    return found[0]
