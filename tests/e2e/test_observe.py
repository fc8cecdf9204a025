# SPDX-License-Identifier: Apache-2.0
"""The daemon as deploy/observe starts it, beside the real Kueue: its container's root, its account, its configuration."""
import json
import os
import pathlib
import re
import signal
import subprocess
import time
from collections import Counter

import container
import pytest
from bed import KUEUE, wait_for
from churn import Churn
from deployed import Deployed
from objects import local_queue, set_up_configuration, set_up_queues, wait_for_condition, workload
from scale import Scalability

SOURCE = pathlib.Path(os.environ["FAIRLEAD_SOURCE"])
ACCOUNT = "system:serviceaccount:fairlead:fairlead"
# 50 in `make soak`.
RESTARTS = int(os.environ.get("FAIRLEAD_E2E_RESTARTS", "2"))
PART = int(os.environ.get("FAIRLEAD_E2E_SCALE_PART", "60"))
MAY_GET = [{"apiGroups": ["kueue.x-k8s.io"], "resources": ["workloads"], "verbs": ["get"]}]


@pytest.fixture(scope="module")
def observer(kueue, tmp_path_factory):
    """Its volume is as a kubelet gives one to the group (fsGroup) of a pod; alice may see all that it answers."""
    if os.getuid():
        pytest.skip("only root can enter another root folder")
    kueue.define(SOURCE / "tests" / "e2e" / "definitions")
    set_up_configuration(kueue)
    set_up_queues(kueue.admin, {"small": {"cpu": 2, "cohort": "all"}, "other": {"cpu": 2, "cohort": "all"}})
    kueue.grant("sees-all", MAY_GET + [{"apiGroups": ["kueue.x-k8s.io"], "resources": ["clusterqueues"], "verbs": ["get"]}],
                user="alice")
    root = container.make_root(tmp_path_factory.mktemp("observer"))
    volume = root / "var" / "lib" / "fairlead"
    os.chown(volume, 0, 65532)
    volume.chmod(0o2775)
    one = Deployed(kueue, root, SOURCE / "deploy" / "observe")
    wait_for("it is ready", one.is_ready)
    return one


def test_what_kueue_decided_is_explained(kueue, observer):
    for i in range(5):
        kueue.admin.create(KUEUE, "workloads", workload(f"w{i}", "small"), "default")
        time.sleep(1.1)  # which came first is told by whole seconds
    for i in range(4):
        wait_for_condition(kueue.admin, f"w{i}", "Admitted")
    wait_for_condition(kueue.admin, "w4", "QuotaReserved", "False")

    def explained():
        answer = observer.ask("/v1/workloads/default/w4/explain", kueue.tokens["alice"])
        return answer if answer.status == 200 and "w4" in answer.text else None

    assert "small" in wait_for("the last one is explained", explained).text


def test_the_command_in_the_pod_asks_as_an_admin(kueue, observer):
    assert observer.exec("explain", "default/w4").stdout.startswith("default/w4 waits")
    assert observer.exec("agreement", "--since", "1h").stdout.startswith("Decisions from")
    assert observer.exec("tree").stdout == tree(kueue, observer)


def test_the_command_with_a_token_and_the_fingerprint_of_the_log(kueue, observer, tmp_path):
    """doc/guide/kubernetes.md, over a tunnel of kubectl."""
    kueue.account("reader")
    kueue.grant("reader", MAY_GET, account=("default", "reader"), namespace="default")
    fingerprint = re.findall("SHA-256 ([0-9A-F:]+)", observer.process.log.read_text())[-1]
    env = {**os.environ, "HOME": str(tmp_path)}

    def fairlead(*words, given=""):
        return subprocess.run([os.environ["FAIRLEAD"], *words], env=env, input=given, text=True, timeout=60, capture_output=True)

    done = fairlead("login", f"https://localhost:{observer.ports['api']}", "--server-fingerprint", fingerprint,
                    given=kueue.account_token("reader"))
    assert done.returncode == 0 and "system:serviceaccount:default:reader" in done.stdout, done.stderr
    assert fairlead("explain", "default/w4").stdout.startswith("default/w4 waits")
    assert fairlead("tree").returncode == 1
    other = ("00" if fingerprint[:2] != "00" else "11") + fingerprint[2:]
    assert fairlead("login", f"https://localhost:{observer.ports['api']}", "--server-fingerprint", other, given="unseen").returncode != 0


def test_who_may_not_get_a_workload_is_not_answered(kueue, observer):
    assert observer.ask("/v1/workloads/default/w4/explain", kueue.tokens["bob"]).status in (403, 404)
    assert observer.ask("/v1/workloads/default/w4/explain", "nobody's").status == 401
    assert observer.ask("/v1/workloads/default/w4/explain").status == 401


def test_each_of_two_namespaces_sees_its_own(kueue, observer):
    """By Roles: what is of the other namespace is counted, and has no name."""
    kueue.admin.create("v1", "namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "side"}})
    kueue.admin.create(KUEUE, "localqueues", local_queue("aside", "small"), "side")
    kueue.admin.create(KUEUE, "workloads", workload("of-side", "aside", cpu=50), "side")
    kueue.grant("sees-its-own", MAY_GET, user="carol", namespace="default")
    kueue.grant("sees-its-own", MAY_GET, user="dave", namespace="side")
    wait_for("it is known", lambda: observer.ask("/v1/workloads/side/of-side/explain", kueue.tokens["alice"]).status == 200)
    for user, own, others in (("carol", {f"w{i}" for i in range(5)}, 1), ("dave", {"of-side"}, 5)):
        jobs = observer.ask("/v1/jobs", kueue.tokens[user]).json()
        assert {j["name"] for j in jobs["jobs"]} == own and jobs["others"] == [{"queue": None, "jobs": others}]
        queues = observer.ask("/v1/queues", kueue.tokens[user]).json()["queues"]
        assert {q["namespace"] for q in queues} == {"default" if user == "carol" else "side"}
        for path in ("/v1/plan?cycles=5", "/v1/agreement", "/v1/queues", "/v1/jobs"):
            answer = observer.ask(path, kueue.tokens[user])
            assert answer.status == 200 and ("side" in answer.text) <= (user == "dave"), answer.text
        assert observer.ask("/v1/tree", kueue.tokens[user]).status == 403
    assert observer.ask("/v1/workloads/side/of-side/explain", kueue.tokens["dave"]).status == 200
    assert observer.ask("/v1/workloads/side/of-side/explain", kueue.tokens["carol"]).status == 404
    for plural, name in (("workloads", "of-side"), ("localqueues", "aside")):
        kueue.admin.delete(KUEUE, plural, name, "side")
    check_the_mirror(kueue, observer)


def test_metrics_have_a_listener_of_their_own(observer):
    assert observer.ask("/metrics", port="metrics").status == 200
    assert observer.ask("/v1/health", port="metrics").status == 404


def test_every_right_that_it_needs_is_in_its_role(kueue, observer):
    asked = list(kueue.requests(user=ACCOUNT))
    assert asked and [r["requestURI"] for r in asked if r["responseStatus"]["code"] == 403] == []


def tree(kueue, observer):
    return observer.ask("/v1/tree?format=text", kueue.tokens["alice"]).text


def check_the_mirror(kueue, observer):
    """What the daemon has is what a fresh list has, object by object; and it answers what the command answers of that."""
    end = time.monotonic() + 120
    while (done := observer.exec("agreement", "--verify")).returncode != 0:
        observer.process.check()
        assert time.monotonic() < end, (done.stdout, done.stderr)
    compare_the_trees(kueue, observer)


def compare_the_trees(kueue, observer):
    env = {**os.environ, "KUBECONFIG": str(kueue.kubeconfig())}
    end = time.monotonic() + 300
    while True:
        fresh = subprocess.run([os.environ["FAIRLEAD"], "tree", "--context", "bed"], env=env, text=True, timeout=300,
                               stdin=subprocess.DEVNULL, capture_output=True)
        observer.process.check()
        answer = observer.ask("/v1/tree?format=text", kueue.tokens["alice"])
        if (fresh.returncode, answer.status) == (0, 200) and fresh.stdout == answer.text:
            return
        assert time.monotonic() < end, f"{fresh.stdout}\n{fresh.stderr}\n{answer.status} {answer.text}"
        time.sleep(1)


def test_a_server_that_is_killed_while_objects_change(kueue, observer):
    """And Kueue decides. After each start of the server the daemon has what a fresh list has, object by object."""
    changes = 0
    for i in range(RESTARTS):
        with Churn(kueue.client(), KUEUE, "workloads", lambda name: workload(name, "other"), seed=i) as churn:
            time.sleep(0.5 + 0.1 * (i % 7))
            kueue.restart_api(signal.SIGKILL if i % 3 else signal.SIGTERM)
            kueue.admin.create(KUEUE, "workloads", workload(f"after-{i}", "other"), "default")

            def explained(i=i):
                observer.process.check()
                return observer.ask(f"/v1/workloads/default/after-{i}/explain", kueue.tokens["alice"]).status == 200

            wait_for("the newcomer is known", explained, 120)
        assert churn.changes() > 20, churn.done
        changes += churn.changes()
        check_the_mirror(kueue, observer)
    wait_for("it is ready", observer.is_ready, 120)
    print(f"{RESTARTS} starts of the server, {changes} changes of objects")


def test_what_was_deleted_before_a_compaction_goes(kueue, observer):
    with kueue.behind() as hidden:
        for i in range(0, RESTARTS, 2):
            hidden.delete(KUEUE, "workloads", f"after-{i}", "default")
        kueue.compact()
    check_the_mirror(kueue, observer)
    assert observer.ask("/v1/workloads/default/after-0/explain", kueue.tokens["alice"]).status == 404


def test_a_right_that_is_taken_away_is_told_and_what_was_heard_stays(kueue, observer):
    """When it is not ready any more, after two minutes: tests/kube/test_cluster.py."""
    roles = ("rbac.authorization.k8s.io/v1", "clusterroles")
    role = kueue.admin.get(*roles, "fairlead-observe")
    rules = [{**r, "resources": [n for n in r["resources"] if n != "localqueues"]} for r in role["rules"]]
    before = tree(kueue, observer)
    said = len(observer.process.log.read_text())
    kueue.admin.patch(*roles, "fairlead-observe", {"rules": rules})
    # A watch that is open stays so: the server asks at its beginning.
    kueue.restart_api(signal.SIGKILL)
    # It lists them where the server, which has just started, does not know the version at which its watch was.
    wait_for("it is told", lambda: re.search("(?m)localqueues.*does not permit it.*cannot (list|watch)", observer.process.log.read_text()[said:]))
    wait_for("the others are watched", lambda: "workloads are read again" in observer.process.log.read_text()[said:])
    assert observer.probe("livenessProbe")
    assert tree(kueue, observer) == before
    # Of this queue it hears when it may.
    kueue.admin.create(KUEUE, "localqueues", local_queue("late", "small"), "default")
    kueue.admin.create(KUEUE, "workloads", workload("meanwhile", "late"), "default")
    # Its account may not list them, either, and so does not say that all is the same.
    end = time.monotonic() + 120  # a server that has just started may end a watch once more
    while (unsure := observer.exec("agreement", "--verify")).returncode == 1 and time.monotonic() < end:
        time.sleep(1)
    assert unsure.returncode == 4 and "Not compared: localqueues.kueue.x-k8s.io, as you may not list them" in unsure.stdout, unsure.stdout
    kueue.admin.patch(*roles, "fairlead-observe", {"rules": role["rules"]})
    check_the_mirror(kueue, observer)
    assert observer.is_ready()


class Agreement:
    """The daemon's answer, once all windows are over: it says the same for @steady seconds."""

    def __init__(self, observer, token, steady=12):
        since = time.monotonic()
        end = since + 300
        answer = observer.ask("/v1/agreement", token).json()
        while time.monotonic() - since < steady and time.monotonic() < end:
            time.sleep(1)
            before, answer = answer, observer.ask("/v1/agreement", token).json()
            if before["kinds"] != answer["kinds"]:
                since = time.monotonic()
        self.answer = answer
        self.kinds = {row["kind"]: row for row in answer["kinds"]}

    def decided(self, kind):
        """By either side."""
        row = self.kinds[kind]
        return row["real"] + row["engine"]

    def unexplained(self, kind):
        """Decisions of @kind that are of one side alone, and are neither time nor the order of watch events.

        Of a window 64 are listed; the others are taken to be as these.
        """
        row = self.kinds[kind]
        apart = row["real"] - row["realToo"] + row["engine"] - row["engineToo"]
        listed = [(2 if d["side"] == "placed" else 1, d["cause"]) for d in self.answer["differences"] if d["kind"] == kind]
        unexplained = sum(n for n, cause in listed if cause not in ("time", "order"))
        assert bool(apart) == bool(listed), str(self)
        return unexplained / sum(n for n, _ in listed) * apart if listed else 0

    def __str__(self):
        """All of it, for people: counts, causes, and each difference."""
        words = [f"{self.answer['windows']} windows, {self.answer['unjudged']} decisions not judged"]
        words += ["{kind}: {realToo} of Kueue's {real} are the engine's, {engineToo} of the engine's {engine} are Kueue's".format(**row)
                  for row in self.kinds.values()]
        words += [f"{n} x {kind} by {side}: {cause}" for (kind, side, cause), n in
                  sorted(Counter((d["kind"], d["side"], d["cause"]) for d in self.answer["differences"]).items())]
        words += [json.dumps(d) for d in self.answer["differences"]]
        return "\n".join(words)


def check_the_agreement(agreement):
    """What Kueue decided, the engine did; what differs is time or order.

    A slow machine makes more of these two, and none of other causes.
    """
    pathlib.Path(os.environ.get("FAIRLEAD_E2E_AGREEMENT", os.devnull)).write_text(json.dumps(agreement.answer))
    print(agreement)
    assert agreement.kinds["admit"]["real"] > ENOUGH, str(agreement)
    unexplained = sum(map(agreement.unexplained, agreement.kinds))
    assert unexplained <= 0.01 * sum(map(agreement.decided, agreement.kinds)), str(agreement)


ENOUGH = 150  # admissions


def run_beside(kueue, observer, round_):
    scale = Scalability(kueue, PART, round_=round_)
    scale.make_queues()
    check_the_mirror(kueue, observer)
    before = observer.process.seconds_of_processor()
    assert scale.run(), f"{scale.progress()}\n{Agreement(observer, kueue.tokens['alice'], steady=0)}"
    print(f"{len(scale.plan)} workloads in {scale.seconds:.0f} s, {scale.evictions} evictions: "
          f"{observer.process.seconds_of_processor() - before:.1f} s of fairleadd's processor time")
    check_the_mirror(kueue, observer)


def test_beside_kueue_for_its_scalability_workload(kueue, observer):
    """Judging takes a tenth of the time at most: how much of a round is judged is the machine's."""
    for round_ in range(4):
        run_beside(kueue, observer, round_)
        agreement = Agreement(observer, kueue.tokens["alice"])
        if agreement.kinds["admit"]["real"] > ENOUGH:
            break
    check_the_agreement(agreement)


def test_in_all_this_nothing_was_written(kueue, observer):
    """The last one: every request of the daemon's account, in the API server's own words."""
    asked = {(r["verb"], r.get("objectRef", {}).get("resource")) for r in kueue.requests(user=ACCOUNT)}
    assert {("list", "workloads"), ("watch", "workloads"), ("create", "tokenreviews"),
            ("create", "subjectaccessreviews")} <= asked
    assert kueue.writes(user=ACCOUNT) == []
