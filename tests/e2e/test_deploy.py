# SPDX-License-Identifier: Apache-2.0
"""deploy/observe on a real API server: it is taken, and its account may do what it says and nothing else."""
import os
import pathlib
import shutil

import kustomize
import pytest
from container import inside, make_root
from rights import READ, granted, may, resources, verbs_of, writes

SOURCE = pathlib.Path(os.environ["FAIRLEAD_SOURCE"])
OBSERVE = SOURCE / "deploy" / "observe"
REVIEWS = {("create", "authentication.k8s.io", "tokenreviews", ""), ("create", "authorization.k8s.io", "subjectaccessreviews", "")}


@pytest.fixture(scope="module")
def objects(bed):
    bed.define_kueue()
    bed.define(SOURCE / "tests" / "e2e" / "definitions")
    built = kustomize.load(bed, OBSERVE, OBSERVE / "monitoring")
    kustomize.apply(bed.admin, built)
    return built


def test_the_account_may_do_what_is_listed_and_nothing_else(bed, objects):
    elsewhere = may(bed.admin, "default")
    assert elsewhere == granted(objects, "ClusterRole")
    assert may(bed.admin, "fairlead") == elsewhere
    assert writes(elsewhere) == REVIEWS


def test_of_configurations_its_own_and_that_of_kueue_are_read(bed, objects):
    def verbs(namespace, name):
        return verbs_of(bed.admin, "", "configmaps", namespace, name)

    assert verbs("kueue-system", "kueue-manager-config") == set(READ) and not verbs("kueue-system", "other")
    assert verbs("fairlead", "fairlead") == set(READ) and not verbs("fairlead", "other")


def test_the_rights_name_resources_that_there_are(bed, objects):
    named = {row[1:] for kind in ("ClusterRole", "Role") for row in granted(objects, kind)}
    assert named and named <= resources(bed.admin)


def test_the_pod_is_taken_where_pods_are_restricted(bed, objects):
    template = kustomize.one(objects, "Deployment")["spec"]["template"]
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "as-deployed", **template["metadata"]},
           "spec": template["spec"]}
    path = "/api/v1/namespaces/fairlead/pods?dryRun=All&fieldValidation=Strict"
    assert bed.admin.ask("POST", path, pod)["metadata"]["namespace"] == "fairlead"
    container = template["spec"]["containers"][0]["securityContext"]
    assert container["readOnlyRootFilesystem"] and container["capabilities"]["drop"] == ["ALL"]


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    if os.getuid():
        pytest.skip("only root can enter another root folder")
    return make_root(tmp_path_factory.mktemp("container"))


def test_the_container_has_no_shell_and_no_packages(root):
    names = {p.name for p in root.rglob("*") if p.is_file()}
    assert not names & {"sh", "bash", "dash", "busybox", "apt-get", "dpkg", "perl", "python3"}
    assert {p.name for p in (root / "usr" / "bin").iterdir()} == {"fairlead", "fairleadd", "kubectl-fairlead"}
    written = [p for p in root.rglob("*") if not p.is_symlink() and p.stat().st_uid == 65532]
    assert written == [root / "var" / "lib" / "fairlead"]


def test_the_programs_run_where_there_is_nothing_else(root):
    for program in ("fairlead", "fairleadd"):
        answer = inside(root, f"/usr/bin/{program}", "--version")
        assert answer.returncode == 0 and answer.stdout.startswith(program), answer.stdout
    shutil.copytree(SOURCE / "examples" / "company", root / "tmp" / "company", dirs_exist_ok=True)
    answer = inside(root, "/usr/bin/fairlead", "explain", "-f", "/tmp/company", "platform/openb-pod-1111")
    assert answer.returncode == 0 and "openb-pod-1111" in answer.stdout, answer.stdout
