# SPDX-License-Identifier: Apache-2.0
"""Watches and lists that are answered, and do not tell what changes: what is told is old, and that is said."""
import json
import re
import time

import pytest
from fake import Fault
from followed import WORKLOADS

NEVER = 1e9  # seconds


def fill(fake, n=10, name="w"):
    for k in range(n):
        fake.put("workloads", "a", f"{name}{k:03}", spec={"count": k})


def asked(fake, verb, plural="workloads"):
    with fake.lock:
        return [path for v, p, path in fake.requests if (v, p) == (verb, plural)]


def troubles(f):
    return [line for line in f.lines if line["what"] == "trouble"]


def test_watches_from_which_nothing_comes(fake, follow):
    """As behind a proxy that keeps answers back: it is told until something comes, and lists take the place of watches."""
    fill(fake)
    fake.bookmarks = 0.2
    fake.always["watch", "workloads"] = Fault(at=0, how="silence")
    f = follow("silence=600", WORKLOADS)
    f.wait(lambda f: f.trouble.get("workloads"))
    assert len(asked(fake, "watch")) <= 2, "silence is told at once"
    assert "nothing comes from its watches" in f.trouble["workloads"]["text"]
    assert f.trouble["workloads"]["hint"].startswith("does a proxy")
    fill(fake, name="new")
    f.wait_equal(fake, "workloads")
    f.wait(lambda f: f.listed["workloads"] >= 3)
    assert f.count("fine") == 0
    fake.always.clear()
    f.wait(lambda f: not f.trouble["workloads"])
    assert f.count("fine") == 1


def test_a_server_that_starts_again_and_again_is_not_silent(fake, follow):
    """Nothing changes, so nothing comes of the watches that it cuts: that is no trouble once it is back."""
    fill(fake)
    fake.bookmarks = NEVER
    f = follow(WORKLOADS)
    f.wait_equal(fake, "workloads")
    for n in range(1, 4):
        fake.faults.append(("watch", "workloads", Fault(status=503)))
        fake.cut_all()
        f.wait(lambda f, n=n: f.count("fine") == n)
        time.sleep(0.2)
    assert f.listed["workloads"] == 1


@pytest.mark.parametrize("seconds", [0.001, 1.2])
def test_watches_that_end_before_anything_comes(fake, follow, seconds):
    fill(fake)
    fake.bookmarks, fake.most_seconds = NEVER, seconds
    f = follow("silence=10000", WORKLOADS)
    f.wait(lambda f: f.trouble.get("workloads"))
    assert "nothing comes from its watches: the API server ends them" in f.trouble["workloads"]["text"]
    time.sleep(2)
    assert f.count("fine") == 0 and len(asked(fake, "watch")) < 20
    fake.put("workloads", "a", "new")
    f.wait_equal(fake, "workloads")
    f.wait(lambda f: f.count("fine"))


def test_one_watch_that_ends_is_no_trouble(fake, follow):
    fill(fake)
    fake.bookmarks = 0.3
    f = follow(WORKLOADS)
    f.wait_equal(fake, "workloads")
    for _ in range(3):
        fake.faults.append(("watch", "workloads", Fault(at=0, how="close")))
        fake.cut_all()
        f.wait(lambda f: not fake.faults)
        n = f.count("bookmark")
        f.wait(lambda f, n=n: f.count("bookmark") > n)
    # One that is cut while it is asked for is a failure of its own, which is over at once.
    assert all(re.search("nothing comes|closed the connection", line["text"]) for line in troubles(f))
    assert not f.trouble.get("workloads")


def test_a_watch_that_ends_after_one_bookmark_is_not_asked_for_at_once(fake, follow):
    fill(fake)
    fake.bookmarks, fake.most_seconds = 0.001, 0.05
    f = follow("first=500", WORKLOADS)
    f.wait(lambda f: f.count("bookmark"))
    before = len(asked(fake, "watch"))
    time.sleep(2)
    assert len(asked(fake, "watch")) - before <= 10
    assert f.count("trouble") == 0


@pytest.mark.parametrize("status", [400, 422])
def test_a_page_that_cannot_be_answered(fake, follow, status):
    """It is not asked for again with the same token."""
    fill(fake, 100)
    serve = fake.page

    def page(conn, fault, group, version, plural, namespace, query):
        if "continue" in query:
            fake.status(conn, status, "BadRequest", "no such token")
        else:
            serve(conn, fault, group, version, plural, namespace, query)

    fake.page = page
    f = follow("page=30", WORKLOADS)
    f.wait_equal(fake, "workloads")
    f.wait(lambda f: f.listed.get("workloads"))
    assert len(asked(fake, "list")) == 3 and "limit=0" in asked(fake, "list")[2]


def test_a_version_that_cannot_be_watched(fake, follow):
    fill(fake)
    fake.faults.append(("watch", "workloads", Fault(status=400)))
    f = follow(WORKLOADS)
    f.wait(lambda f: f.listed.get("workloads") == 2)
    fill(fake, name="new")
    f.wait_equal(fake, "workloads")
    f.wait(lambda f: not f.trouble.get("workloads"))
    assert f.listed["workloads"] == 2


def test_empty_pages_without_end(fake, follow):
    sent = []

    def page(conn, fault, group, version, plural, namespace, query):
        sent.append(query.get("continue"))
        body = fake.begin(conn, fault)
        body.send(json.dumps({"metadata": {"resourceVersion": "9", "continue": f"t{len(sent)}"}, "items": []}))
        body.end()

    fake.page = page
    f = follow("page=50", "objects=1000", "again=60000", "qps=1000", WORKLOADS)
    f.wait(lambda f: f.trouble.get("workloads"))
    assert f.trouble["workloads"]["text"] == "the list has more than 1000 objects"
    assert len(sent) == 21 and len(set(sent)) == 21


@pytest.mark.parametrize("status", [403, 500])
def test_a_refusal_is_not_heard(fake, follow, status):
    """The age of what was told grows, whatever the server answers."""
    fill(fake)
    f = follow("again=200", "first=100", "most=200", WORKLOADS)
    f.wait_equal(fake, "workloads")
    fake.always["list", "workloads"] = fake.always["watch", "workloads"] = Fault(status=status)
    fake.compact()  # it lists again
    fake.cut_all()
    f.wait(lambda f: len(troubles(f)) >= 8)
    old = [line["old"] for line in troubles(f)]
    assert old == sorted(old) and old[-1] >= 500, old
    fake.always.clear()
    f.wait(lambda f: not f.trouble["workloads"])


LOCAL_QUEUES = "kueue.x-k8s.io/v1beta2,v1beta1/localqueues"


def test_a_server_that_sends_no_bookmarks(fake, follow):
    """Where nothing changes, nothing comes: no trouble, no lists, and one watch after the other."""
    fill(fake)
    fake.bookmarks = NEVER
    fake.put("localqueues", "a", "cq")
    f = follow("silence=3000", WORKLOADS, LOCAL_QUEUES)
    f.wait_equal(fake, "workloads")
    f.wait_equal(fake, "localqueues")
    fake.put("localqueues", "a", "cq2")
    f.wait_equal(fake, "localqueues")
    time.sleep(10)
    assert troubles(f) == [] and f.listed["workloads"] == 1
    assert 3 <= len(asked(fake, "watch")) <= 5
    fill(fake, name="new")
    f.wait_equal(fake, "workloads")
    assert f.listed["workloads"] == 1


def test_a_change_while_a_quiet_watch_was_dead(fake, follow):
    """The next one begins with it."""
    fill(fake)
    fake.bookmarks = NEVER
    fake.put("localqueues", "a", "cq")
    f = follow("silence=3000", WORKLOADS, LOCAL_QUEUES)
    f.wait_equal(fake, "workloads")
    f.wait(lambda f: asked(fake, "watch", "localqueues"))
    fake.put("localqueues", "a", "cq2")
    f.wait_equal(fake, "localqueues")
    fake.faults.append(("watch", "workloads", Fault(at=0, how="silence")))
    f.wait(lambda f: not fake.faults)
    fill(fake, name="new")
    f.wait_equal(fake, "workloads")
    assert troubles(f) == [] and f.listed["workloads"] == 1


def test_a_server_from_which_nothing_ever_came(fake, follow):
    """It may send no bookmarks, or a proxy keeps all back: that is told, and lists keep what is known from being old."""
    fill(fake)
    fake.bookmarks = NEVER
    kinds = ["kueue.x-k8s.io/v1beta2/" + kind for kind in ("clusterqueues", "localqueues", "cohorts", "resourceflavors")]
    f = follow("silence=3000", WORKLOADS, *kinds)
    f.wait(lambda f: f.listed.get("workloads", 0) >= 3)
    old = [line["old"] for line in troubles(f)]
    # FL_FOLLOWING_OLDEST is a third more than the silence, and a list takes a while on a busy machine.
    assert len(old) >= 5 and max(old) < 5500, old
    fake.put("localqueues", "a", "new")  # from now on it is known that changes come through
    f.wait(lambda f: not any(f.trouble.values()))
