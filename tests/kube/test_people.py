# SPDX-License-Identifier: Apache-2.0
"""Callers with tokens of the cluster: whose they are and what they may get is the API server's to say."""
import hashlib
import http.client
import itertools
import json
import threading
import time

import pytest
from watching import fill, workload

ADMIN, ALICE, BOB, EVE, RITA = "t-admin", "t-alice", "t-bob", "t-eve", "t-rita"


@pytest.fixture
def w(fake, watch):
    fill(fake)
    workload(fake, "a", "alpha-runs", cpu=2, held=True)
    workload(fake, "b", "beta-runs", cpu=2, held=True)
    workload(fake, "a", "alpha-waits", cpu=1, priority=1)
    workload(fake, "b", "beta-waits", cpu=1, priority=2)
    fake.people = {ADMIN: {"username": "root", "groups": ["system:masters"]},
                   ALICE: {"username": "alice", "uid": "7", "groups": ["team-a"], "extra": {"k": ["v"]}},
                   BOB: {"username": "bob"}, EVE: {"username": "eve"}, RITA: {"username": "rita"}}
    # Who may get Workloads of which namespace, and who ClusterQueues.
    namespaces, queues = {"alice": "a", "eve": "b", "rita": "a"}, {"rita"}

    def may(user, verb, resource, namespace, name):
        return verb == "get" and (user == "root" or (resource == "workloads" and namespace == namespaces.get(user)) or
                                  (resource == "clusterqueues" and user in queues))
    fake.may = may
    return watch(listen=True).ready()


class Stream:
    """Events as they happen, for a token."""

    def __init__(self, w, token, path="/v1/events?follow=1", accept="application/x-ndjson"):
        self.connection = http.client.HTTPConnection("127.0.0.1", w.port, timeout=20)
        self.connection.request("GET", path, headers={"Authorization": f"Bearer {token}", "Accept": accept})
        self.answer = self.connection.getresponse()
        assert self.answer.status == 200, self.answer.read()

    def take(self, n):
        return [json.loads(self.answer.readline()) for _ in range(n)]


def names(text):
    """Of what the callers of these tests may not all see, the names in @text."""
    return {name for name in ("alpha", "beta", "cq") if name in text}


def test_all_is_for_who_may_get_all(fake, w):
    status, text = w.ask("/v1/workloads/b/beta-waits/explain", token=ADMIN)
    assert status == 200 and "b/beta-waits" in text
    assert w.ask("/v1/queues", token=ADMIN)[0] == 200
    assert w.ask("/v1/whoami", token=ADMIN)[1]["user"] == "root"


def test_own_namespace_with_other_names_hidden(fake, w):
    status, text = w.ask("/v1/workloads/a/alpha-waits/explain", token=ALICE)
    assert status == 200 and "a/alpha-waits" in text
    assert "beta" not in text and "'cq'" not in text
    number = next(k for k in range(1, 9) if "beta-waits" in str(w.ask(f"/v1/jobs/{k}/explain")[1])[:40])
    for path in ("/v1/workloads/b/beta-waits/explain", f"/v1/jobs/{number}/explain", "/v1/workloads/b/none/explain"):
        status, answer = w.ask(path, token=ALICE)
        assert status == 404 and answer["text"] == "there is no such Workload that you may get", path
    for text in (w.ask("/v1/plan?cycles=5", token=ALICE)[1], str(w.ask("/v1/plan?cycles=5&format=json", token=ALICE)[1])):
        assert "beta" not in text and "cq" not in text.replace("clusterqueue", ""), text
    assert "b/beta-waits" in w.get("/v1/plan", cycles=5)  # names are hidden in copies only
    for path in ("/v1/tree", "/v1/mirror", "/v1/shares", "/v1/usage", "/v1/snapshot", "/v1/audit", "/v1/starts", "/v1/history", "/v1/series",
                 "/v1/agreement/1/state", "/v1/workloads/a/alpha-waits/explain?eta=1"):
        assert w.ask(path, token=ALICE)[0] == 403, path


def test_queues_of_one_namespace(fake, w):
    """Each sees LocalQueues of the own namespace; who may get ClusterQueues sees these with all that is in them."""
    for token, namespace in ((ALICE, "a"), (EVE, "b")):
        answer = w.ask("/v1/queues", token=token)[1]
        assert [(q["name"], q["kind"], q["namespace"], q["running"], q["waiting"]) for q in answer["queues"]] == [
            (f"{namespace}/main", "LocalQueue", namespace, 1, 1)]
        assert not names(json.dumps(answer)) and answer["total"] == {}
    rows = w.ask("/v1/queues", token=RITA)[1]["queues"]
    assert [(q["name"], q.get("namespace"), q["running"], q["waiting"]) for q in rows] == [("cq", None, 2, 2), ("a/main", "a", 1, 1)]
    assert [q["name"] for q in w.ask("/v1/shares", token=RITA)[1]["shares"]] == ["cq"]
    assert "cq" in w.ask("/v1/tree", token=RITA)[1]
    assert w.ask("/v1/queues", token=BOB)[1]["queues"] == []


def test_jobs_of_one_namespace(fake, w):
    """Those of others are counted by queue, or as a number where names of queues may not be seen."""
    everybody = {j["name"]: j for j in w.ask("/v1/jobs", token=ADMIN)[1]["jobs"]}
    assert set(everybody) == {"alpha-runs", "alpha-waits", "beta-runs", "beta-waits"}
    assert "others" not in w.ask("/v1/jobs", token=ADMIN)[1]
    for token, own, queue in ((ALICE, "alpha", None), (EVE, "beta", None), (RITA, "alpha", "cq")):
        answer = w.ask("/v1/jobs", token=token)[1]
        assert [j["name"] for j in answer["jobs"]] == [f"{own}-runs", f"{own}-waits"]
        assert answer["others"] == [{"queue": queue, "jobs": 2}]
        assert names(json.dumps(answer)) == {own} | ({"cq"} if queue else set())
    answer = w.ask("/v1/jobs?state=waits", token=ALICE)[1]
    assert [j["name"] for j in answer["jobs"]] == ["alpha-waits"] and answer["others"] == [{"queue": None, "jobs": 1}]
    assert "'hidden'" in answer["jobs"][0]["why"] and "'cq'" in everybody["alpha-waits"]["why"]
    for path in ("/v1/jobs?queue=b/main", "/v1/jobs?user=b", "/v1/jobs?queue=b/none", "/v1/jobs?user=b&state=done"):
        status, answer = w.ask(path, token=ALICE)
        assert (status, answer["jobs"], answer["others"]) == (200, [], []), path  # whether there is one or not
    assert w.ask("/v1/jobs?limit=1", token=ALICE)[1]["more"] is True
    assert w.ask("/v1/jobs", token=BOB)[1]["others"] == [{"queue": None, "jobs": 4}]
    mine, other = everybody["alpha-waits"]["id"], everybody["beta-waits"]["id"]
    assert w.ask(f"/v1/jobs/{mine}", token=ALICE)[1]["name"] == "alpha-waits"
    for path in (f"/v1/jobs/{other}", "/v1/jobs/12345"):
        status, answer = w.ask(path, token=ALICE)
        assert (status, answer["text"]) == (404, "there is no such Workload that you may get"), path


def test_pending_of_a_local_queue_of_ones_own(fake, w):
    path = "/apis/visibility.kueue.x-k8s.io/v1beta2/namespaces/%s/localqueues/main/pendingworkloads"
    assert len(w.ask(path % "a", token=ALICE)[1]["items"]) == 1
    assert w.ask(path % "b", token=ALICE)[0] == w.ask(path % "c", token=ALICE)[0] == 404
    assert w.ask("/apis/visibility.kueue.x-k8s.io/v1beta2/clusterqueues/cq/pendingworkloads", token=ALICE)[0] == 403


def test_events_of_one_namespace(fake, w):
    """A stream of each; what happens to jobs of others is told of their queue, or not at all."""
    tokens = (ADMIN, ALICE, EVE, RITA)
    admin, alice, eve, rita = streams = [Stream(w, token) for token in tokens]
    try:
        workload(fake, "b", "beta-new")
        workload(fake, "a", "alpha-new")
        first, second = admin.take(2)
        assert (first["queue"], second["queue"]) == ("b/main", "a/main") and first["job"] and first["text"] == "pending"
        assert alice.take(1) == [second] and eve.take(1) == [first]
        hidden, own = rita.take(2)
        assert own == second
        assert hidden == {**first, "queue": "cq", "job": None, "attempt": None, "by": None, "text": None}
        number = first["job"]
    finally:
        for one in streams:
            one.connection.close()
    # Asked for by its number, another's job has no event, and the next one of all is sent.
    one, all_of_a = Stream(w, RITA, f"/v1/events?follow=1&job={number}"), Stream(w, ALICE, "/v1/events?limit=1",
                                                                                 accept="text/event-stream")
    try:
        fake.delete("workloads", "b", "beta-new")
        fake.delete("workloads", "a", "alpha-new")
        event = next(line for line in iter(all_of_a.answer.readline, b"") if line.startswith(b"data: "))
        assert b"a/main" in event and b"Cancelled" in event
        one.connection.sock.settimeout(0.3)
        with pytest.raises(TimeoutError):
            one.answer.readline()
    finally:
        one.connection.close()
        all_of_a.connection.close()


def between(w, tokens):
    """All of it, and answers to these callers, where nothing was compared meanwhile."""
    whole = w.ask("/v1/agreement", token=ADMIN)[1]
    answers = [w.ask("/v1/agreement", token=token)[1] for token in tokens]
    return w.ask("/v1/agreement", token=ADMIN)[1]["kinds"] == whole["kinds"] and (whole, answers)


def test_agreement_of_one_namespace(fake, w):
    """All that was compared is counted; of differences only what the caller may see is said."""
    workload(fake, "b", "beta-waits", cpu=1, priority=2, held=True)  # not the engine's: there is no room
    w.wait(lambda: w.get("/v1/agreement")["differences"])
    callers = ((EVE, True, False), (RITA, False, True), (ALICE, False, False))
    whole, answers = w.wait(lambda: between(w, [token for token, _, _ in callers]))
    assert whole["differences"][0]["workload"] == "b/beta-waits" and whole["differences"][0]["queue"] == "cq"
    for (_, workloads, queues), answer in zip(callers, answers):
        one = answer["differences"][0]
        assert answer["kinds"] == whole["kinds"] and answer["reasons"] == whole["reasons"]
        assert (one.get("workload") == "b/beta-waits", one.get("queue") == "cq") == (workloads, queues)
        assert names(json.dumps(answer)) == ({"beta"} if workloads else set()) | ({"cq"} if queues else set())


def test_a_stream_is_of_a_token_that_is_believed(fake, w):
    """It outlives the server's look at its token each second."""
    stream = Stream(w, ALICE)
    try:
        time.sleep(2.5)
        workload(fake, "a", "alpha-later")
        assert stream.take(1)[0]["kind"] == "Submitted"
    finally:
        stream.connection.close()


def test_conditional_requests_are_for_who_sees_all(fake, w):
    """What others may see changes without the state, so their answers have no version."""
    tag = w.ask("/v1/queues", token=ADMIN, want="ETag")[1]
    assert w.ask("/v1/queues", token=ADMIN, headers={"If-None-Match": tag})[0] == 304
    assert w.ask("/v1/queues", token=ALICE, headers={"If-None-Match": tag})[0] == 200
    assert w.ask("/v1/queues", token=ALICE, want="ETag")[1] is None
    for path in ("/v1/tree", "/v1/jobs/12345"):
        assert w.ask(path, token=ALICE, headers={"If-None-Match": "*"})[0] in (403, 404)
        assert w.ask(path, token=ALICE, want="ETag")[1] is None


def test_who_may_get_nothing(fake, w):
    assert w.ask("/v1/workloads/a/alpha-waits/explain", token=BOB)[0] == 404
    text = w.ask("/v1/plan?cycles=5", token=BOB)[1]
    assert "alpha" not in text and "beta" not in text


def test_tokens_that_are_not_valid(fake, w):
    for _ in range(3):
        assert w.ask("/v1/plan", token="guessed")[0] == 401
    assert sum(kind == "tokenreviews" and spec["token"] == "guessed" for kind, spec in fake.reviews) == 1


def asked_from(w, address, token, ret):
    """The status for @token, of a caller at @address."""
    connection = http.client.HTTPConnection("127.0.0.1", w.port, timeout=60, source_address=(address, 0))
    try:
        connection.request("GET", "/v1/whoami", headers={"Authorization": f"Bearer {token}"})
        ret.append(connection.getresponse().status)
    finally:
        connection.close()


def test_tokens_that_are_made_up(fake, w):
    """The API server is asked about as many as requests without a token are limited to; who is known is served."""
    assert w.ask("/v1/whoami", token=ALICE)[0] == 200
    begun, before, statuses = time.monotonic(), len(fake.reviews), []
    for k in range(400):
        asked_from(w, "127.0.0.2", f"made-up-{k}", statuses)
    asked, most = len(fake.reviews) - before, 20 * (2 + time.monotonic() - begun)
    assert statuses.count(401) == asked and statuses.count(429) == 400 - asked
    assert asked <= most, (asked, most)
    assert w.ask("/v1/whoami", token=ALICE)[0] == 200


def test_more_tokens_than_are_asked_about_at_once(fake, w):
    """None of them is said not to be valid."""
    valid = {f"t-{k}": {"username": f"user-{k}"} for k in range(40)}
    go_on, statuses = threading.Event(), []

    class Slow(dict):
        def get(self, token):
            go_on.wait(60)
            return super().get(token)
    fake.people = Slow(valid)
    asking = [threading.Thread(target=asked_from, args=(w, f"127.0.0.{2 + k % 4}", f"t-{k}", statuses)) for k in range(40)]
    for one in asking:
        one.start()
    try:
        w.wait(lambda: len(statuses) == 8)
        assert set(statuses) == {503}
    finally:
        go_on.set()
        for one in asking:
            one.join()
    assert sorted(statuses) == [200] * 32 + [503] * 8


def test_answers_are_believed_for_a_minute(fake, w):
    for _ in range(5):
        assert w.ask("/v1/workloads/a/alpha-waits/explain", token=ALICE)[0] == 200
    kinds = [kind for kind, _ in fake.reviews]
    assert kinds.count("tokenreviews") == 1
    specs = [spec for kind, spec in fake.reviews if kind == "subjectaccessreviews"]
    assert len(specs) == len({str(s["resourceAttributes"]) for s in specs})
    assert specs[0]["user"] == "alice" and specs[0]["groups"] == ["team-a"] and specs[0]["extra"] == {"k": ["v"]}
    assert {verb for verb, _, _ in fake.requests} <= {"list", "watch", "get", "create"}
    assert {plural for verb, plural, _ in fake.requests if verb == "create"} == {"tokenreviews", "subjectaccessreviews"}


def test_only_what_the_answer_needs_is_asked(fake, w):
    """Each namespace costs a request of the bucket that lists and watches share."""
    def asked(path, token):
        before = len(fake.reviews)
        w.ask(path, token=token)
        return [(s["resourceAttributes"]["resource"], s["resourceAttributes"].get("namespace"), s["resourceAttributes"].get("name"))
                for kind, s in fake.reviews[before:] if kind == "subjectaccessreviews"]

    queues, everything = ("clusterqueues", None, None), ("workloads", None, None)
    assert asked("/v1/whoami", BOB) == [queues, everything]
    for path in ("/v1/whoami", "/v1/openapi.json", "/v1/health", "/v1/audit", "/v1/usage", "/v1/tree", "/v1/shares", "/v1/jobs/12345",
                 "/v1/workloads/c/none/explain"):
        assert asked(path, BOB) == [], path
    assert asked("/v1/workloads/b/beta-waits/explain", BOB) == [("workloads", "b", "beta-waits")]
    assert asked("/apis/visibility.kueue.x-k8s.io/v1beta2/namespaces/b/localqueues/main/pendingworkloads", BOB) == [
        ("workloads", "b", None)]
    assert asked("/v1/jobs", BOB) == [("workloads", "a", None)]
    assert asked("/v1/workloads/a/alpha-waits/explain", ALICE)[2:] == [
        ("workloads", "a", "alpha-waits"), ("workloads", "a", None), ("workloads", "b", None)]
    assert [n for _, n, _ in asked("/v1/tree", RITA)] == [None, None, "a", "b"]


def test_a_name_is_that_of_its_own_token(fake, w):
    """What is believed of tokens has 1,024 places: another token takes that of one whose question is open."""
    def place(token):
        return int.from_bytes(hashlib.sha256(token.encode()).digest()[:4], "little") % 1024

    other = next(t for t in map("t-other-{}".format, itertools.count()) if place(t) == place(ALICE))
    fake.people[other] = {"username": "mallory"}
    may, open_question, go_on = fake.may, threading.Event(), threading.Event()

    def slow(user, verb, resource, namespace, name):
        if user == "alice" and resource == "workloads":
            open_question.set()
            go_on.wait(20)
        return may(user, verb, resource, namespace, name)
    fake.may = slow
    answers = []
    asking = threading.Thread(target=lambda: answers.append(w.ask("/v1/whoami", token=ALICE)))
    asking.start()
    try:
        assert open_question.wait(20)
        status, answer = w.ask("/v1/whoami", token=other)
        assert (status, answer["user"]) == (200, "mallory")
    finally:
        go_on.set()
        asking.join()
    assert answers[0][0] == 200 and answers[0][1]["user"] == "alice", answers


def test_a_page_has_the_rights_of_the_token_that_opened_it(fake, w):
    """It sees what that sees, and ends with it; the token of the cluster is in no browser."""
    opened = w.ask("/v1/page/codes", "POST", token=ALICE)[1]
    assert set(opened) == {"code", "expires"}
    status, page = w.ask("/v1/page/token", "POST", token="none", body=json.dumps({"code": opened["code"]}))
    assert (status, page["user"], page["queues"]) == (200, "alice", None)
    assert w.ask("/v1/whoami", token=page["token"])[1]["user"] == "alice"
    for path in ("/v1/workloads/a/alpha-waits/explain", "/v1/queues", "/v1/plan?cycles=5"):
        theirs, ours = w.ask(path, token=ALICE), w.ask(path, token=page["token"])
        assert ours[0] == theirs[0] == 200 and names(str(ours[1])) == names(str(theirs[1])), path
    assert w.ask("/v1/tree", token=page["token"])[0] == 403
    assert w.ask("/v1/page/codes", "POST", token=page["token"])[0] == 403
    stream = Stream(w, page["token"])
    assert w.ask("/v1/page/token", "DELETE", token=page["token"])[1] == {"status": "ended"}
    with pytest.raises(http.client.IncompleteRead):
        stream.answer.read()
    assert w.ask("/v1/whoami", token=page["token"])[0] == 401
    assert w.ask("/v1/whoami", token=ALICE)[0] == 200
    # The page of a user of the socket sees all, as that does.
    code = w.ask("/v1/page/codes", "POST")[1]["code"]
    page = w.ask("/v1/page/token", "POST", token="none", body=json.dumps({"code": code}))[1]
    assert "cq" in str(w.ask("/v1/tree", token=page["token"])[1])
