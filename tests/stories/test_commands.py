# SPDX-License-Identifier: Apache-2.0
"""Command blocks of README and guide run as they are printed.

Blocks with the output of one command (`$ fairlead ...`) are for excerpts.py.  Every other block of commands is run here
by bash, in a folder that has what the page speaks of, with a stand-in for kubectl (`kubectl` beside this); those that are not
have their reason below.
"""
import glob
import os
import re
import shutil
import subprocess

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.environ.get("FAIRLEAD_SOURCE", os.path.join(HERE, "..", ".."))
BUILD = os.environ.get("FAIRLEAD_BUILD", os.path.join(ROOT, "build"))
CLUSTER = os.path.join(HERE, "cluster")
PAGES = ["README.md"] + sorted(os.path.relpath(p, ROOT) for p in glob.glob(os.path.join(ROOT, "doc", "guide", "*.md")) +
			       glob.glob(os.path.join(ROOT, "examples", "*", "README.md")))
COMMAND = re.compile(r"(\$ )?(fairlead|fairleadd|kubectl|curl|make|meson|ninja|cc|jq|for|export|git|sudo|tools/\S+|bench/\S+) ")

# Page and beginning of the block: why it is not run.
NOT_RUN = {
	("README.md", "make run"): "installs packages and builds",
	("doc/guide/agreement.md", "$ kubectl -n fairlead exec"): "asks a daemon in a cluster; tests/e2e does",
	("doc/guide/api.md", "curl"): "a daemon of the system; tests/daemon asks the same",
	("doc/guide/context.md", "fairlead check --rbac"): "asks for rights in a cluster; tests/e2e does",
	("doc/guide/daemon.md", "fairleadd --state"): "starts a daemon; tests/daemon submits the same",
	("doc/guide/daemon.md", "fairleadd --config"): "goes on for ever",
	("doc/guide/daemon.md", "fairlead configuration"): "asks a daemon; tests/daemon does",
	("doc/guide/daemon.md", "fairlead run"): "is a terminal of a daemon; tests/daemon runs the same",
	("doc/guide/embed.md", "cc scheduler.c"): "needs the library to be installed; tests/api builds the program",
	("doc/guide/explain.md", "fairlead what-if --set 'Cohort/machine"): "asks a daemon; tests/daemon does",
	("doc/guide/explain.md", "fairlead what-if: --fail-if"): "is what an error looks like",
	("doc/guide/fairness-cost.md", "$ tools/fairness-cost"): "takes hours, and logs that are not here",
	("doc/guide/forecast.md", "bench/eta.py"): "takes a log that is not here",
	("doc/guide/handover.md", "fairlead handover prod --context bed --dry-run"): "asks a cluster; tests/e2e does",
	("doc/guide/handover.md", "fairlead check --rbac"): "asks for rights in a cluster; tests/e2e does",
	("doc/guide/handover.md", "kubectl annotate"): "writes to a cluster; tests/kube does",
	("doc/guide/history.md", "fairlead history"): "asks a daemon; tests/daemon does",
	("doc/guide/kubernetes.md", "kubectl get events"): "asks for Events; tests/kube reads the same",
	("doc/guide/kubernetes.md", "kubectl label clusterqueue"): "writes to a cluster; tests/e2e does",
	("doc/guide/kubernetes.md", "fairlead check --rbac"): "asks for rights in a cluster; tests/e2e does",
	("doc/guide/kubernetes.md", "fairleadd --cluster"): "watches a cluster; tests/e2e does",
	("doc/guide/kubernetes.md", "fairlead handover COHORT --back"): "writes to a cluster; tests/e2e does",
	("doc/guide/kubernetes.md", "kubectl -n fairlead exec"): "asks in a pod; tests/e2e asks a pod the same",
	("doc/guide/kubernetes.md", "kubectl -n research create"): "asks a pod with a token; tests/e2e does",
	("doc/guide/metrics.md", "curl"): "a daemon of the system; tests/daemon asks the same",
	("doc/guide/page.md", "fairlead page"): "asks a daemon; tests/daemon does",
	("doc/guide/performance.md", "make build"): "builds",
	("doc/guide/simulate.md", "$ jq"): "shows lines of a report that the page does not make",
	("examples/machine/README.md", "fairleadd --config"): "goes on for ever; `make run` and tests/daemon do it",
}
# Exit statuses other than 0 that the page speaks of.
STATUSES = {
	("doc/guide/explain.md", "fairlead what-if -f cluster.yaml --change queues/"): (0, 1),
	("doc/guide/loops.md", "fairlead prove"): (1,),
	("doc/guide/prove.md", "fairlead prove -f cluster.yaml"): (1,),
}
# Of a page that speaks of another cluster.
CLUSTERS = {"doc/guide/prove.md": os.path.join(ROOT, "tests", "prove", "cases", "forced-s1-s2-a-s2-b-tree.yaml")}

LOAD = """\
apiVersion: fairlead.dev/v1alpha1
kind: Simulation
metadata: {name: load}
spec:
  classes:
  - {name: tests, to: team-a, every: {exponential: 10h}, runs: 1h, requests: {nvidia.com/gpu: 1}}
"""
QUEUE = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: team-a}
spec: {fairSharing: {weight: 2}}
"""


def blocks_of(page):
	"""Each as its commands; what they print is left out where commands have a `$` before them."""
	with open(os.path.join(ROOT, page), encoding="utf-8") as f:
		found = re.findall(r"^```(?:sh|console)?\n(.*?)^```$", re.sub(r"^```\w+\n.*?^```$", fenced, f.read(), flags=re.M | re.S),
				   re.M | re.S)
	for text in found:
		if COMMAND.match(text) and not text.startswith("$ fairlead "):
			yield text


def fenced(match):
	"""Blocks of other languages are taken out, so that their ends begin no block."""
	return match.group(0) if re.match(r"```(sh|console)\n", match.group(0)) else ""


def commands(text):
	if text.startswith("$ "):
		return "".join(line[2:] + "\n" for line in text.splitlines() if line.startswith("$ "))
	return text


def row_of(table, page, text):
	return next((key for key in table if key[0] == page and text.startswith(key[1])), None)


BLOCKS = [(page, text) for page in PAGES for text in blocks_of(page)]


@pytest.fixture
def folder(tmp_path):
	"""What pages speak of."""
	for name in ("examples", "tests", "tools", "bench"):
		os.symlink(os.path.join(os.path.abspath(ROOT), name), tmp_path / name)
	shutil.copy(os.path.join(CLUSTER, "kueue.yaml"), tmp_path / "cluster.yaml")
	(tmp_path / "load.yaml").write_text(LOAD)
	(tmp_path / "queues").mkdir()
	(tmp_path / "queues" / "team-a.yaml").write_text(QUEUE)
	(tmp_path / "bin").mkdir()
	for name, path in (("fairlead", BUILD), ("kubectl", HERE)):
		os.symlink(os.path.join(os.path.abspath(path), name), tmp_path / "bin" / name)
	return tmp_path


def bash(folder, text, inside=".", stops=True):
	environment = {k: v for k, v in os.environ.items() if not k.startswith("FAIRLEAD_SOCKET")}
	environment.update(PATH=f"{folder / 'bin'}:{os.environ['PATH']}", HOME=str(folder), KUBECTL_OBJECTS=CLUSTER,
			   LC_ALL="C.UTF-8")
	return subprocess.run(["bash", *(["-e"] if stops else []), "-o", "pipefail", "-c", text], cwd=folder / inside, env=environment, text=True,
			      capture_output=True, check=False, timeout=120, stdin=subprocess.DEVNULL)


@pytest.mark.parametrize("page, text", [b for b in BLOCKS if not row_of(NOT_RUN, *b)],
			 ids=lambda value: value.split("\n")[0][:40])
def test_block_runs_as_printed(folder, page, text):
	inside = os.path.dirname(page) if page.startswith("examples/") else "."
	key = row_of(STATUSES, page, text)
	if page in CLUSTERS:
		shutil.copy(CLUSTERS[page], folder / "cluster.yaml")
	done = bash(folder, commands(text), inside, stops=not key)
	assert done.returncode in (STATUSES[key] if key else (0,)), done.stderr
	if "-A" in text and "clusterqueues" in text:  # all that decides is in such a dump
		assert "Warning: " not in done.stdout and "no Configuration" not in done.stdout, text


def test_each_reason_is_of_a_block():
	for table in (NOT_RUN, STATUSES):
		assert [key for key in table if not any(row_of({key: 0}, *b) for b in BLOCKS)] == []
	assert len(BLOCKS) >= 25 and len(BLOCKS) - len(NOT_RUN) >= 14


@pytest.mark.parametrize("line, error", [
	("kubectl get cohort -A -o yaml", "doesn't have a resource type"),
	("kubectl get clusterqueues -A", "-o"),
	("kubectl delete clusterqueues -A -o yaml", "invalid choice"),
	("kubectl get configmap kueue-manager-config -o yaml", "not found"),  # it is in another namespace
	("kubectl get configmap -A kueue-manager-config -o yaml", "across all namespaces"),
	("kubectl get workloads -A --watch -o yaml", "unrecognized"),
])
def test_stand_in_refuses_what_it_does_not_know(folder, line, error):
	done = bash(folder, line)
	assert done.returncode != 0 and error in done.stderr, done.stderr


@pytest.mark.parametrize("line, names", [
	("kubectl get workloads -o yaml", set()),  # of namespace "default"
	("kubectl get workloads -n ns -o json", {"train", "job"}),
	("kubectl get workloads,cohorts -A -o yaml", {"train", "job", "east", "west"}),
	("kubectl get cm -n kueue-system kueue-manager-config -o yaml", {"kueue-manager-config"}),
])
def test_stand_in_serves_what_is_asked_for(folder, line, names):
	done = bash(folder, line)
	assert done.returncode == 0, done.stderr
	assert {name for name in ("train", "job", "east", "west", "kueue-manager-config")
		if re.search(rf"\bname\"?: \"?{name}\b", done.stdout)} == names
