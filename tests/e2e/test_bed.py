# SPDX-License-Identifier: Apache-2.0
"""The bed itself: what others stand on."""
import time

import pytest
from bed import KUEUE, wait_for
from client import ApiError
from objects import condition, job, set_up_queues, wait_for_condition, workload


def note(name):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"key": "value"}}


def test_the_server_says_its_version_and_who_calls(bed):
    assert bed.admin.ask("GET", "/version")["gitVersion"] == "v1.36.3"
    review = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
    whoami = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
    assert bed.admin.ask("POST", whoami, review)["status"]["userInfo"]["username"] == "admin"
    by_certificate = bed.client(token="none", certificate=bed.certificate("dora"))
    by_certificate.token = None
    assert by_certificate.ask("POST", whoami, review)["status"]["userInfo"]["username"] == "dora"


def test_people_have_the_rights_that_are_given_and_no_others(bed):
    alice = bed.client("alice")
    with pytest.raises(ApiError) as refused:
        alice.list("v1", "configmaps", "default")
    assert refused.value.status == 403
    bed.grant("reads-maps", [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list", "watch"]}],
              user="alice", namespace="default")
    bed.admin.create("v1", "configmaps", note("seen"), "default")
    wait_for("the right is there", lambda: allowed(alice.list, "v1", "configmaps", "default"))
    assert "seen" in [m["metadata"]["name"] for m in alice.list("v1", "configmaps", "default")]
    with pytest.raises(ApiError) as refused:
        alice.create("v1", "configmaps", note("unwanted"), "default")
    assert refused.value.status == 403


def allowed(call, *arguments):
    try:
        call(*arguments)
        return True
    except ApiError as e:
        if e.status != 403:
            raise
        return False


def test_a_token_of_a_pod_ends_with_the_pod(bed):
    bed.account("robot")
    pod = bed.admin.create("v1", "pods", {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "robot"}, "spec": {
        "serviceAccountName": "robot", "containers": [{"name": "c", "image": "none"}]}}, "default")
    robot = bed.client(token=bed.account_token("robot", pod=pod))
    review = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
    who = robot.ask("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", review)["status"]["userInfo"]
    assert who["username"] == "system:serviceaccount:default:robot"
    assert who["extra"]["authentication.kubernetes.io/pod-name"] == ["robot"]
    bed.admin.ask("DELETE", "/api/v1/namespaces/default/pods/robot?gracePeriodSeconds=0")

    def refused():
        try:
            robot.ask("GET", "/version")
        except ApiError as e:
            return e.status == 401
        return False

    wait_for("the token is refused", refused, 90)


def test_every_request_is_in_the_audit_log(bed):
    before = bed.audited_so_far()
    someone = bed.client(agent="someone/1.0")
    someone.list("v1", "pods")
    someone.create("v1", "configmaps", note("written"), "default")
    next(iter(someone.watch("v1", "configmaps", 0)))

    def seen():
        rows = list(bed.requests(agent="someone/", since=before))
        return rows if {r["verb"] for r in rows} == {"list", "create", "watch"} else None

    for row in wait_for("the requests are told", seen):
        assert row["user"]["username"] == "admin"
    assert not list(bed.requests(user="bob"))
    assert [w.split()[0] for w in bed.writes(agent="someone/", since=before)] == ["create"]
    reviewer = bed.client(agent="reviewer/1.0")
    reviewer.create("authentication.k8s.io/v1", "tokenreviews", {
        "apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "spec": {"token": "nobody's"}})
    wait_for("the review is told", lambda: list(bed.requests(agent="reviewer/")))
    assert bed.writes(agent="reviewer/") == []


def test_a_job_makes_its_pods(bed):
    bed.start_controllers()
    bed.admin.create("batch/v1", "jobs", job("three", "none", parallelism=3), "default")
    bed.admin.patch("batch/v1", "jobs", "three", {"spec": {"suspend": False}}, "default")
    wait_for("three pods", lambda: len(bed.admin.list("v1", "pods", "default", "labelSelector=job-name%3Dthree")) == 3)


def test_objects_and_watches_live_through_a_killed_server(bed):
    bed.admin.create("v1", "configmaps", note("before"), "default")
    since = bed.admin.get("v1", "configmaps", "before", "default")["metadata"]["resourceVersion"]
    bed.kill_api()
    with pytest.raises(OSError):
        bed.admin.list("v1", "configmaps", "default")
    bed.start_api()
    bed.admin.create("v1", "configmaps", note("after"), "default")
    event = next(e for e in bed.admin.watch("v1", "configmaps", since, "default"))
    if event["type"] == "ERROR":  # others wrote meanwhile, and what the new server remembers begins behind that
        assert event["object"]["code"] == 410, event
        assert bed.admin.get("v1", "configmaps", "after", "default")
    else:
        assert (event["type"], event["object"]["metadata"]["name"]) == ("ADDED", "after")


def test_what_was_compacted_cannot_be_resumed_from(bed):
    since = bed.admin.create("v1", "configmaps", note("old"), "default")["metadata"]["resourceVersion"]
    with bed.behind() as hidden:
        hidden.delete("v1", "configmaps", "old", "default")
        hidden.create("v1", "configmaps", note("new"), "default")
        bed.compact()
    try:
        event = next(iter(bed.admin.watch("v1", "configmaps", since, "default")))
        assert event["type"] == "ERROR"
        code = event["object"]["code"]
    except ApiError as e:
        code = e.status
    assert code == 410


def test_kueue_admits_what_fits(kueue):
    admin = kueue.admin
    set_up_queues(admin, {"small": {"cpu": 2}})
    for name in ("first", "second", "third"):
        admin.create(KUEUE, "workloads", workload(name, "small"), "default")
        time.sleep(1.1)  # who came first is told by whole seconds
    for name in ("first", "second"):
        body = wait_for_condition(admin, name, "Admitted")
        assert body["status"]["admission"]["clusterQueue"] == "small"
    body = wait_for_condition(admin, "third", "QuotaReserved", "False")
    assert condition(body, "Admitted") != "True"
