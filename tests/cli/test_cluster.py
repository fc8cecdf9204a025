# SPDX-License-Identifier: Apache-2.0
"""--context: a cluster in place of files.  The same objects give the same answers, and each trouble is told with what to do."""
import json
import os
import pathlib
import re
import socket
import stat
import subprocess

import certificates
import manifests as m
import pytest
import yaml
from cluster import KINDS, Cluster


@pytest.fixture(scope="session")
def certificate(tmp_path_factory):
    return certificates.Certificate(tmp_path_factory.mktemp("certificate"), "server")


@pytest.fixture
def cluster(tmp_path, certificate):
    started = []

    def start(objects, **which):
        started.append(Cluster(tmp_path, certificate, objects, **which))
        return started[-1]

    yield start
    for one in started:
        one.close()


@pytest.fixture
def ask(fairlead, tmp_path):
    """The command with this kubeconfig."""
    return lambda *words, **more: fairlead(*words, env={"KUBECONFIG": str(tmp_path / "kubeconfig"), **more.pop("env", {})}, **more)


def config_map(**fair):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "kueue-manager-config", "namespace": "kueue-system"},
            "data": {"controller_manager_config.yaml": json.dumps(m.configuration(**fair))}}


def limit_range(**limits):
    return {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "limits", "namespace": "ns"},
            "spec": {"limits": [{"type": "Pod", **{k: {"cpu": v} for k, v in limits.items()}}]}}


RUNTIME_CLASS = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "kata"}, "handler": "kata",
                 "overhead": {"podFixed": {"cpu": "250m"}}}


def many():
    """Kinds of all sorts, an owner, and what is only told of."""
    return [
        *m.small(), m.namespace("other"), m.cohort("co"),
        m.local_queue("lo", "a", ns="other"),
        m.workload("job-train-7-abc", "la", owner="train-7", cpu="9"),
        m.workload("o1", "lo", ns="other", cpu="2"),
        {"apiVersion": m.API, "kind": "WorkloadPriorityClass", "metadata": {"name": "high"}, "value": 10},
        {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "p"}, "value": 5},
        {"apiVersion": m.API, "kind": "AdmissionCheck", "metadata": {"name": "prov"}, "spec": {"controllerName": "x.example/y"}},
        limit_range(min="500m"), RUNTIME_CLASS,
        config_map(preemptionStrategies=["LessThanInitialShare"]),
    ]


def kai_objects():
    text = (pathlib.Path(__file__).parent / "entitle.yaml").read_text()
    return list(yaml.safe_load_all(text))


def plain(text, name):
    """Without the name of the file, and without places in it."""
    return re.sub(rf"(?m)^{re.escape(name)}(:\d+)*: ", "X: ", text)


SIMULATION = {"apiVersion": "fairlead.dev/v1alpha1", "kind": "Simulation", "metadata": {"name": "s"}, "spec": {"until": "1h"}}

VERBS = [
    ["check"], ["check", "-o", "json"], ["tree"], ["tree", "-o", "json"], ["tree", "a"], ["plan"], ["plan", "--settle", "-o", "json"],
    ["explain", "ns/a1"], ["explain", "ns/a1", "-o", "json"], ["explain", "ns/job/train-7"], ["explain", "job/train-7"],
    ["what-if", "--set", "ClusterQueue/a: nominalQuota[cpu,f]+=8"], ["prove"], ["record"], ["record", "--redact", "--salt", "x"],
    ["simulate", "--until", "1h", "--from-snapshot"], ["divide"],
]


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_the_same_objects_give_the_same_answer(cluster, ask, verb):
    c = cluster(many())
    there, here = ask(*verb, "--context", "here"), ask(*verb, "-f", c.dump())
    assert there.code == here.code, there.err
    if verb[0] == "record":
        assert in_any_order(there) == in_any_order(here)
        return
    name = lambda r, title: plain(r.out, title).replace(f'"{title}"', '"X"')
    if "json" in verb and verb[0] in ("check", "explain"):
        a, b = there.json(), here.json()
        for one in a, b:
            for key in ("warnings", "notes", "errors"):
                for row in one.get(key) or []:
                    if isinstance(row, dict):
                        [row.pop(k, None) for k in ("file", "line", "column")]
            one.pop("trial", None)
        assert strip_commands(a) == strip_commands(b)
    else:
        assert name(there, "here").replace("--context here", "-f dump.json") == name(here, "dump.json")
    assert plain(there.err, "here") == plain(here.err, "dump.json")


def in_any_order(record):
    """A record has the objects in the order in which they were read."""
    return sorted(json.dumps(one) for one in record.json()["items"])


def strip_commands(value):
    """The command that shows more names its input."""
    text = json.dumps(value)
    return json.loads(text.replace('"--context", "here"', '"-f", "dump.json"').replace("--context here", "-f dump.json"))


KAI_VERBS = [["check"], ["tree"], ["plan"], ["divide", "-o", "text"], ["tune", "team-a"], ["record"]]


@pytest.mark.parametrize("verb", KAI_VERBS, ids=" ".join)
def test_the_same_of_kai(cluster, ask, verb):
    c = cluster(kai_objects(), kueue=False, kai=True)
    there, here = ask(*verb, "--context", "here"), ask(*verb, "-f", c.dump())
    assert there.code == here.code == 0, there.err
    if verb[0] == "record":
        assert in_any_order(there) == in_any_order(here)
    else:
        assert there.out == here.out
    assert {"pods", "nodes", "queues", "podgroups"} <= set(c.lists())


def test_only_lists(cluster, ask):
    """Each kind once, by GET; pods and nodes only where KAI has queues."""
    c = cluster(many(), kai=True)
    assert ask("tree", "--context", "here").code == 0
    assert {verb for verb, _, _ in c.fake.requests} == {"list"}
    lists = c.lists()
    assert "pods" not in lists and "nodes" not in lists
    assert len(lists) == len(set(lists))
    c.fake.requests.clear()
    assert ask("tree", "--context", "here", "--policy", "borrow").code == 0
    assert "queues" not in c.lists() and "workloads" in c.lists()


def test_an_older_version(cluster, ask):
    c = cluster([])
    c.fake.kinds["kueue.x-k8s.io"] = {"v1beta1": list(KINDS[m.API].values())}
    for one in m.small():
        if one["apiVersion"] == m.API:
            one["apiVersion"] = "kueue.x-k8s.io/v1beta1"
            one["spec"].pop("cohortName", None)
            c.fake.put(KINDS[m.API][one["kind"]], one["metadata"].get("namespace", ""), one["metadata"]["name"],
                       metadata=one["metadata"], **{k: v for k, v in one.items() if k != "metadata"})
    done = ask("tree", "--context", "here", "-o", "json")
    assert done.code == 0, done.err


def test_pages(cluster, ask):
    """A list of many pages is whole; one whose pages were forgotten begins again."""
    c = cluster(m.small())
    for i in range(1200):
        c.put(m.workload(f"w{i:04}", "la", cpu="1"))
    assert "1203 workloads" in ask("check", "--context", "here").out
    assert c.lists().count("workloads") == 3
    serve, forgot = c.fake.page, []

    def page(conn, fault, group, version, plural, namespace, query):
        if plural == "workloads" and "continue" in query and not forgot:
            forgot.append(True)
            c.fake.status(conn, 410, "Expired", "too old")
        else:
            serve(conn, fault, group, version, plural, namespace, query)

    c.fake.page = page
    assert "1203 workloads" in ask("check", "--context", "here").out


def test_many_are_told_before(cluster, ask):
    c = cluster(m.small())
    for i in range(10000):
        c.put(m.workload(f"w{i:05}", "la", cpu="1"))
    done = ask("check", "--context", "here")
    assert "fairlead: reads 10003 workloads.kueue.x-k8s.io of here\n" in done.err
    assert "10003 workloads" in done.out


def test_names_of_jobs_and_namespaces(cluster, ask):
    cluster(many())
    whole = ask("explain", "--context", "here", "ns/job-train-7-abc")
    for words in (["ns/job/train-7"], ["job/train-7"], ["-n", "ns", "job/train-7"], ["-n", "ns", "job-train-7-abc"], ["job-train-7-abc"],
                  ["-A", "job/train-7"]):
        assert ask("explain", "--context", "here", *words).out == whole.out
    assert ask("explain", "--context", "here", "-n", "other", "job/train-7").code == 1


def test_check_of_one_namespace(cluster, ask):
    c = cluster(many())
    assert "4 workloads" in ask("check", "--context", "here").out.replace("5 workloads", "4 workloads")
    c.fake.requests.clear()
    assert "1 workload:" in ask("check", "--context", "here", "-n", "other").out
    assert any("/namespaces/other/workloads" in path for _, _, path in c.fake.requests)
    assert not any("/namespaces/other/clusterqueues" in path for _, _, path in c.fake.requests)


def test_files_beside(cluster, ask, write):
    """Files are laid beside what the cluster has."""
    cluster(many())
    name = write("more.json", json.dumps(m.workload("mine", "la", cpu="1")))
    assert ask("explain", "--context", "here", "-f", name, "ns/mine").code == 0
    assert ask("explain", "--context", "here", "ns/mine").code == 1


def test_a_record_is_taken_by_all(cluster, ask, tmp_path):
    c = cluster(many())
    assert ask("record", "--context", "here", "--out", "r.json").code == 0
    there = ask("tree", "--context", "here")
    assert there.code == 0, there.err
    assert ask("tree", "-f", "r.json").out == there.out
    hidden = ask("record", "--context", "here", "--redact")
    assert hidden.code == 0 and "train-7" not in hidden.out
    c.fake.close()
    assert ask("save", "-f", "r.json", "--out", "i").code == 0


def test_save(cluster, ask):
    cluster(many())
    assert ask("save", "--context", "here", "--out", "image").code == 0
    there = ask("tree", "--context", "here")
    assert there.code == 0, there.err
    assert ask("tree", "-f", "image").out == there.out


def test_places_are_names(cluster, ask):
    """What is wrong has the name of its object, and no line of what was read."""
    broken = m.cluster_queue("bad", m.quota("none", cpu="4"))
    cluster([*many(), broken])
    done = ask("check", "--context", "here")
    assert re.search(r"(?m)^here: warning: ClusterQueue/bad", done.err), done.err
    assert not re.search(r"(?m)^here:\d", done.err)
    sarif = ask("check", "--context", "here", "-o", "sarif").json()
    for one in sarif["runs"][0]["results"]:
        for place in one.get("locations", []):
            assert place["physicalLocation"].get("region", {"startLine": 1})["startLine"] >= 1


def test_what_pods_ask_for_depends_on_runtime_classes_and_limit_ranges(cluster, ask):
    boxed = m.workload("boxed", "la", cpu="1")
    boxed["spec"]["podSets"][0]["template"]["spec"]["runtimeClassName"] = "kata"
    cluster([*m.small(), boxed, RUNTIME_CLASS])
    assert "asks for: 1250m cpu" in ask("explain", "--context", "here", "ns/boxed").out
    cluster([*m.small(), boxed, RUNTIME_CLASS, limit_range(min="2")])
    assert "more or less than a LimitRange of its namespace allows" in ask("explain", "--context", "here", "ns/boxed").out


# --- as a plugin of kubectl ---


def test_a_plugin_of_kubectl(cluster, ask, tmp_path):
    cluster(many())
    plugin = tmp_path / "bin" / "kubectl-fairlead"
    plugin.parent.mkdir()
    plugin.symlink_to(os.environ["FAIRLEAD"])

    def run(*words):
        return subprocess.run([plugin, *words], cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
                              env={**os.environ, "KUBECONFIG": str(tmp_path / "kubeconfig")}, check=False)

    assert run("explain", "ns/a1").stdout == ask("explain", "--context", "here", "ns/a1").out.replace(
        "fairlead what-if --context here", "kubectl fairlead what-if")
    assert run("tree").returncode == 0
    assert run("tree", "--help").stdout.startswith("Usage: kubectl fairlead tree ")
    assert "See 'kubectl fairlead tree --help'." in run("tree", "--no").stderr


# --- the role ---


def test_the_role_is_what_is_read(cluster, ask):
    """Who has the ClusterRole may ask all that is asked, and nothing in it is not asked for."""
    role = yaml.safe_load(ask("check", "--rbac").out)
    assert role["kind"] == "ClusterRole"
    granted = {(g, r) for rule in role["rules"] for g in rule["apiGroups"] for r in rule["resources"]}
    assert all(rule["verbs"] == ["list"] for rule in role["rules"])
    assert [r["resourceNames"] for r in role["rules"] if r["resources"] == ["configmaps"]] == [["kueue-manager-config"]]
    c = cluster([*many(), *kai_objects()], kai=True)
    ask("check", "--context", "here")
    asked = set()
    for _, plural, path in c.fake.requests:
        words = path.split("?")[0].strip("/").split("/")
        asked.add(("" if words[0] == "api" else words[1], plural))
    assert asked == granted


# --- trouble ---


def test_no_such_context(cluster, ask):
    cluster(m.small())
    done = ask("tree", "--context", "hree")
    assert done.code == 1
    assert done.err.endswith("kubeconfig: error: there is no context 'hree'\nhint: did you mean 'here'?\n")


def test_no_kubeconfig(fairlead):
    done = fairlead("tree", "--context", "here", env={"HOME": "/nowhere"})
    assert (done.code, done.err) == (1, "fairlead: error: there is no kubeconfig: looked at /nowhere/.kube/config\n"
                                        "hint: give --kubeconfig FILE, or set KUBECONFIG\n")


def test_a_server_that_is_not_there(cluster, ask):
    c = cluster(m.small())
    with socket.socket() as taken:  # and nothing listens on it
        taken.bind(("127.0.0.1", 0))
        c.fake.port = taken.getsockname()[1]
        c.write_config()
        done = ask("tree", "--context", "here")
    assert done.code == 3
    assert f"https://127.0.0.1:{c.fake.port}: no API server answers there" in done.err
    assert done.err.count("error:") == 1


def test_a_certificate_that_is_not_trusted(cluster, ask, tmp_path):
    c = cluster(m.small())
    other = certificates.Certificate(tmp_path, "other")
    c.write_config(cluster=f"certificate-authority: {other.file}")
    done = ask("tree", "--context", "here")
    assert done.code == 3 and "the server's certificate is not trusted" in done.err
    assert c.fake.requests == []
    c.write_config(cluster="insecure-skip-tls-verify: true")
    assert ask("tree", "--context", "here").code == 0


def test_credentials_that_are_refused(cluster, ask):
    c = cluster(m.small())
    c.write_config(user="{token: SECRET}")
    done = ask("tree", "--context", "here")
    assert done.code == 3 and "does not accept the credentials" in done.err
    assert "SECRET" not in done.err and done.err.count("error:") == 1


@pytest.mark.parametrize("plural, needed", [("workloads", True), ("clusterqueues", True), ("namespaces", False), ("configmaps", False),
                                            ("priorityclasses", False), ("limitranges", False), ("runtimeclasses", False)])
def test_a_kind_that_may_not_be_listed(cluster, ask, plural, needed):
    c = cluster(many())
    c.fake.forbidden.add(("list", plural))
    done = ask("tree", "--context", "here")
    assert done.code == (3 if needed else 0)
    assert re.search(rf"(?m)^here: {'error' if needed else 'warning'}: {plural}[a-z0-9.-]*: you may not list them", done.err)
    assert "hint: 'fairlead check --rbac' prints the ClusterRole that grants it\n" in done.err
    assert ask("check", "--context", "here").code in (0, 1)


def test_neither_is_installed(cluster, ask):
    c = cluster([m.namespace("ns")], kueue=False)
    done = ask("tree", "--context", "here")
    assert done.code == 1
    assert f"https://127.0.0.1:{c.fake.port}: neither Kueue nor KAI is installed in this cluster" in done.err
    assert "KAI is not installed" in ask("tree", "--context", "here", "--policy", "entitle").err


def test_an_answer_that_is_cut(cluster, ask):
    from fake import Fault
    c = cluster(many())
    c.fake.always["list", "workloads"] = Fault(at=300, how="close")
    done = ask("tree", "--context", "here")
    assert done.code == 3 and done.err.count("error:") == 1 and done.out == ""


PLUGIN = "{exec: {apiVersion: client.authentication.k8s.io/v1, command: ./plugin, interactiveMode: IfAvailable, installHint: get it}}"


def plugin(folder, text):
    path = folder / "plugin"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


CREDENTIAL = '{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"token": "%s"}}'


def test_a_plugin_for_credentials(cluster, ask, tmp_path):
    c = cluster(m.small())
    c.write_config(user=PLUGIN)
    plugin(tmp_path, f"echo run >>runs; echo '{CREDENTIAL % 'secret'}'")
    done = ask("tree", "--context", "here")
    assert done.code == 0, done.err
    assert (tmp_path / "runs").read_text() == "run\n"
    plugin(tmp_path, f"echo run >>runs; echo '{CREDENTIAL % 'SECRET'}'")
    done = ask("tree", "--context", "here")
    assert done.code == 3 and "does not accept the credentials" in done.err and "SECRET" not in done.err
    assert (tmp_path / "runs").read_text() == "run\n" * 3  # and once more after it was refused


@pytest.mark.parametrize("text, message", [
    ("echo rubbish", "did not print an ExecCredential"),
    ("echo no >&2; exit 5", "failed with exit status 5"),
    ("read password || exit 6", "failed with exit status 6"),
])
def test_a_plugin_that_fails(cluster, ask, tmp_path, text, message):
    c = cluster(m.small())
    c.write_config(user=PLUGIN)
    plugin(tmp_path, text)
    done = ask("tree", "--context", "here")
    assert done.code == 3 and message in done.err and f"plugin {tmp_path}/./plugin" in done.err
    assert done.err.count("error:") == 1


def test_contexts_are_completed(cluster, ask):
    cluster(m.small())
    assert ask("completion", "words", "--", "tree", "--context", "").out == "here\t\n"
    assert ask("completion", "words", "--", "tree", "--context", "", env={"KUBECONFIG": "none"}).out == ""


def test_usage(fairlead):
    for words, text in [
        (["tree", "-n", "x", "-f", "y"], "--namespace is of a cluster: give --context CONTEXT"),
        (["tree", "-A", "-f", "y"], "--all-namespaces is of a cluster: give --context CONTEXT"),
        (["tree", "-n", "x", "-A", "--context", "y"], "--namespace and --all-namespaces exclude each other"),
        *((["check", "-n", odd, "--context", "y"], f"--namespace '{odd}' is not the name of a namespace: at most 63 lower case letters, "
           "digits and '-'\n") for odd in ("team-a/x", "team a", "", "..", "a?b", "a%2fb", "Team", "-a", "a" * 64)),
        (["tree", "--context", "x", "--server", "https://y"], "--context names a cluster, and --server a daemon"),
        (["check"], "no input: give -f FILE, a folder, or - for standard input; or --context CONTEXT for a cluster"),
    ]:
        done = fairlead(*words)
        assert done.code == 2 and text in done.err, done.err
