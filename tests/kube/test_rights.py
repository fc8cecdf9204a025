# SPDX-License-Identifier: Apache-2.0
"""deploy/observe gives the daemon the rights that it uses, and no others; so does `check --rbac` for the command."""
import os
import pathlib
import subprocess
import urllib.parse

import yaml
from watching import fill

OBSERVE = pathlib.Path(os.environ["FAIRLEAD_SOURCE"]) / "deploy" / "observe"
# Of KAI alone; the daemon asks for all of them, or for none.
KAI = {("scheduling.run.ai", "queues"), ("scheduling.run.ai", "podgroups"), ("scheduling.run.ai", "bindrequests"),
       ("kai.scheduler", "schedulingshards"), ("", "pods"), ("", "nodes")}
OWN = ("", "configmaps", "fairlead")
REVIEWS = {("authentication.k8s.io", "tokenreviews"), ("authorization.k8s.io", "subjectaccessreviews")}


def documents(kind):
    return [d for d in yaml.safe_load_all((OBSERVE / "role.yaml").read_text()) if d["kind"] == kind]


def granted(roles, verb):
    """{(group, resource), or (group, resource, name) where a rule has names}"""
    return {(g, r, *name) for role in roles for rule in role["rules"] if verb in rule["verbs"] for g in rule["apiGroups"]
            for r in rule["resources"] for name in ([(n,) for n in rule["resourceNames"]] if "resourceNames" in rule else [()])}


def asked(requests, verb):
    out = set()
    for what, plural, path in requests:
        path, _, query = path.partition("?")
        words, fields = path.strip("/").split("/"), urllib.parse.parse_qs(query).get("fieldSelector", [])
        if what == verb:
            out.add(("" if words[0] == "api" else words[1], plural, *(f.partition("metadata.name=")[2] for f in fields)))
    return out


def test_the_role_of_the_daemon_is_what_it_asks_for(fake, watch):
    roles = documents("ClusterRole") + documents("Role")
    for group, plural, *_ in granted(roles, "list"):
        versions = fake.kinds.setdefault(group, {"v1": []})
        if not any(plural in kinds for kinds in versions.values()):
            versions[next(iter(versions))].append(plural)
    fill(fake)
    w = watch().ready()
    used = w.wait(lambda: asked(fake.requests, "list") == asked(fake.requests, "watch") and asked(fake.requests, "list"))
    unused = set() if KAI & used else KAI
    assert granted(roles, "list") == granted(roles, "watch") == granted(roles, "get") == used | unused
    assert granted(roles, "create") == REVIEWS
    # Of its own namespace, no ConfigMap but its own.
    assert granted(documents("Role"), "list") == {OWN}


def test_the_command_reads_what_the_daemon_reads():
    """Of Kueue: what is not in one of both would make their answers differ."""
    done = subprocess.run([os.environ["FAIRLEAD"], "check", "--rbac"], capture_output=True, text=True, timeout=30, check=True)
    printed = granted([yaml.safe_load(done.stdout)], "list")
    deployed = granted(documents("ClusterRole"), "list")
    assert {row for row in deployed - printed if row not in KAI} == set()
    # Of these the command says what it leaves out.
    assert {row for row in printed - deployed if row not in KAI} == {("kueue.x-k8s.io", "admissionchecks"),
                                                                      ("kueue.x-k8s.io", "topologies")}
