# SPDX-License-Identifier: Apache-2.0
"""What a listener sees is what the server has, object by object, after each fault."""
import os
import resource
import time

import pytest
from fake import Fault
from followed import WORKLOADS

QUEUES = "kueue.x-k8s.io/v1beta2,v1beta1/clusterqueues"
PODS = "/v1/pods"
SEEDS = os.environ.get("FAIRLEAD_SEEDS", "1 2 3").split()


def fill(fake, n, plural="workloads"):
    for k in range(n):
        fake.put(plural, f"team-{k % 7}", f"w{k}", spec={"count": k, "text": "x" * (k % 300)})


def paths(fake, verb, plural="workloads"):
    with fake.lock:
        return [path for v, p, path in fake.requests if v == verb and p == plural]


def change(fake, n=20, plural="workloads"):
    """Adds, changes and deletes."""
    for k in range(n):
        fake.put(plural, "team-0", f"n{k}", spec={"count": k})
        fake.put(plural, "team-0", f"n{k // 2}", spec={"count": -k})
    for k in range(0, n, 3):
        fake.delete(plural, "team-0", f"n{k}")


def test_a_list_and_then_each_change(fake, follow):
    fill(fake, 1234)
    f = follow(WORKLOADS)
    f.wait_equal(fake, "workloads")
    assert f.listed["workloads"] == 1
    fake.put("workloads", "new", "one", spec={"a": "\u4e16\u754c \U0001f600 \"\\ \u2028"})
    fake.delete("workloads", "team-0", "w0")
    fake.put("workloads", "team-1", "w1", spec={"changed": [1.5e300, -0, True, None]})
    f.wait_equal(fake, "workloads")
    assert f.listed["workloads"] == 1
    pages = paths(fake, "list")
    assert len(pages) == 3 and all("limit=500" in p and "timeout=" in p for p in pages)
    assert [line["objects"] for line in f.lines if line["what"] == "remaining"] == [734, 234]
    assert f.count("trouble") == 0


def test_a_namespace(fake, follow):
    fill(fake, 50)
    f = follow(WORKLOADS + "/team-3", "/v1/configmaps/with%20odd")
    f.wait(lambda f: f.listed.get("workloads") and f.listed.get("configmaps"))
    fill(fake, 60)
    f.wait(lambda f: f.mirrors["workloads"] == {k: o for k, o in fake.state("workloads").items() if k[0] == "team-3"})
    assert "/namespaces/team-3/workloads?" in paths(fake, "list")[0]
    assert "/namespaces/with%2520odd/configmaps?" in paths(fake, "list", "configmaps")[0]


@pytest.mark.parametrize("seed", SEEDS)
def test_any_faults(fake, follow, seed):
    """Half of all answers are wrong in some way, while objects change and old versions are forgotten."""
    fake.random.seed(int(seed))
    kinds = ("workloads", "clusterqueues", "pods")
    for plural in kinds:
        fill(fake, 400, plural)
    f = follow("page=150", "silence=700", "timeout=1500", "again=600", WORKLOADS, "+" + QUEUES, PODS)
    fake.chance = 0.5
    for k in range(12):
        for plural in kinds:
            change(fake, 10, plural)
        if k % 4 == 3:
            fake.compact()
        if k % 3 == 2:
            fake.cut_all()
        time.sleep(0.3)
    fake.chance = 0
    fake.cut_all()
    f.wait_equal(fake, *kinds)
    f.wait(lambda f: not any(f.trouble.values()))
    change(fake)
    f.wait_equal(fake, *kinds)


@pytest.mark.parametrize("verb", ["list", "watch"])
@pytest.mark.parametrize("how", ["reset", "close"])
def test_cut_at_each_byte(fake, follow, verb, how):
    fake.put("workloads", "a", "w", spec={"text": "\u4e16\\\""})
    fake.bookmarks = 0.05
    f = follow("first=10", "most=40", WORKLOADS)
    f.wait_equal(fake, "workloads")
    for at in range(0, 600, 11):
        with fake.lock:
            fake.faults.append((verb, "workloads", Fault(at=at, how=how)))
            if verb == "list":
                fake.faults.append(("watch", "workloads", Fault(status=410)))
        if at % 77 == 0:
            fake.put("workloads", "a", "w", spec={"at": at})
            fake.cut_all()
    f.wait(lambda f: not fake.faults, seconds=120)
    fake.put("workloads", "a", "last")
    f.wait_equal(fake, "workloads")


def test_wrong_bytes(fake, follow):
    fill(fake, 3)
    for at in range(0, 1000, 100):
        fake.faults.append(("list", "workloads", Fault(odd=at)))
        fake.faults.append(("watch", "workloads", Fault(odd=at)))
    f = follow("most=100", WORKLOADS)
    change(fake, 3)
    f.wait(lambda f: not any(verb == "list" for verb, _, _ in fake.faults))
    f.wait_equal(fake, "workloads")
    assert any("the answer is wrong" in line["text"] for line in f.lines if line["what"] == "trouble")
    fake.faults.clear()
    f.wait(lambda f: not f.trouble["workloads"])


def test_what_was_deleted_before_a_410_is_not_there(fake, follow):
    fill(fake, 300)
    f = follow("again=500", WORKLOADS)
    f.wait_equal(fake, "workloads")
    fake.forbidden.add(("watch", "workloads"))
    fake.cut_all()
    for k in range(0, 300, 2):
        fake.delete("workloads", f"team-{k % 7}", f"w{k}")
    fake.compact()
    f.wait(lambda f: f.trouble.get("workloads"))
    assert len(f.mirrors["workloads"]) == 300  # what it had
    fake.forbidden.clear()
    f.wait_equal(fake, "workloads")


def test_410_while_it_watches(fake, follow):
    fill(fake, 20)
    f = follow(WORKLOADS)
    f.wait_equal(fake, "workloads")
    with fake.lock:
        for k in range(10):
            fake.delete("workloads", f"team-{k % 7}", f"w{k}")
        fake.compact()
    f.wait_equal(fake, "workloads")
    assert f.listed["workloads"] == 2


def test_410_in_the_middle_of_a_list(fake, follow):
    fill(fake, 100)
    fake.faults += [("list", "workloads", Fault(size=1000)), ("list", "workloads", Fault(status=410))]
    f = follow("page=30", WORKLOADS)
    f.wait_equal(fake, "workloads")
    assert f.count("begun") == 2
    assert "limit=0" in paths(fake, "list")[2], "pages end too soon, so it is listed at once"


def test_bookmarks_are_where_it_goes_on(fake, follow):
    fake.bookmarks = 0.1
    fill(fake, 3)
    f = follow(WORKLOADS)
    f.wait_equal(fake, "workloads")
    for k in range(50):
        fake.put("pods", "a", f"p{k}")
    f.wait(lambda f: any(line["what"] == "bookmark" and int(line["resourceVersion"]) == fake.version for line in f.lines))
    with fake.lock:
        fake.oldest, fake.log = fake.version, []  # nothing before can be watched
    fake.cut_all()
    f.wait(lambda f: len(paths(fake, "watch")) == 2)
    fake.put("workloads", "a", "new")
    f.wait_equal(fake, "workloads")
    assert f.listed["workloads"] == 1 and f.count("trouble") == 0


def test_a_watch_ends_as_the_server_wants(fake, follow):
    fake.most_seconds, fake.bookmarks = 0.3, 0.05
    fill(fake, 3)
    f = follow(WORKLOADS)
    for k in range(20):
        fake.put("workloads", "a", f"n{k}")
        time.sleep(0.1)
    f.wait_equal(fake, "workloads")
    assert f.listed["workloads"] == 1 and f.count("trouble") == 0
    assert len(paths(fake, "watch")) > 3


@pytest.mark.parametrize("status, later", [(429, 1), (429, None), (503, 1), (500, None)])
def test_refused_without_end(fake, follow, status, later):
    fill(fake, 10)
    f = follow("timeout=1500", WORKLOADS)
    f.wait_equal(fake, "workloads")
    fake.always["watch", "workloads"] = fake.always["list", "workloads"] = Fault(status=status, retry_after=later)
    fake.cut_all()
    f.wait(lambda f: (f.trouble.get("workloads") or {}).get("status") == status)
    before, began = len(fake.requests), time.monotonic()
    time.sleep(2)
    assert len(fake.requests) - before <= 7 * (time.monotonic() - began), "it asks less and less"
    assert str(status) in f.trouble["workloads"]["text"] and "a \"fault\" \u00e4\u4e16" in f.trouble["workloads"]["text"]
    assert f.trouble["workloads"]["since"] > 1e12
    assert len(f.mirrors["workloads"]) == 10
    fake.always.clear()
    fake.put("workloads", "a", "new")
    f.wait_equal(fake, "workloads")
    f.wait(lambda f: not f.trouble["workloads"])
    assert f.listed["workloads"] == 1


def test_a_page_without_end(fake, follow):
    fake.faults.append(("list", "workloads", Fault(endless=True)))
    fill(fake, 10)
    f = follow("timeout=700", "quiet=1", WORKLOADS)
    f.wait(lambda f: f.listed.get("workloads"))
    assert "does not end in time" in [line for line in f.lines if line["what"] == "trouble"][0]["text"]
    assert f.end()["KiB"] < (200000 if os.environ.get("FAIRLEAD_SANITIZED") else 40000)


def test_pages_without_end(fake, follow):
    fill(fake, 400)
    f = follow("page=10", "objects=200", "again=100", "qps=1000", WORKLOADS)
    f.wait(lambda f: f.trouble.get("workloads"))
    assert f.trouble["workloads"]["text"] == "the list has more than 200 objects"
    for k in range(250):
        fake.delete("workloads", f"team-{k % 7}", f"w{k}")
    f.wait_equal(fake, "workloads")
    f.wait(lambda f: not f.trouble["workloads"])


def test_silence(fake, follow):
    fill(fake, 10)
    fill(fake, 10, "pods")
    fake.bookmarks = 0.2
    fake.faults.append(("watch", "workloads", Fault(at=0, how="silence")))
    f = follow("silence=2000", WORKLOADS, PODS)
    f.wait_equal(fake, "workloads", "pods")
    change(fake, 5)
    f.wait_equal(fake, "workloads")
    assert len(paths(fake, "watch")) == 2
    assert f.listed["workloads"] == 1
    assert len(paths(fake, "watch", "pods")) == 1, "the other watch stays"
    fake.always["watch", "workloads"] = fake.always["watch", "pods"] = Fault(at=0, how="silence")
    fake.cut_all()
    f.wait(lambda f: len(paths(fake, "watch")) >= 5 and f.trouble.get("workloads"))
    fake.always.clear()
    f.wait(lambda f: not f.trouble["workloads"])


def test_a_list_that_is_silent(fake, follow):
    fill(fake, 10)
    fake.faults.append(("list", "workloads", Fault(at=200, how="silence")))
    f = follow("timeout=2500", WORKLOADS)
    f.wait_equal(fake, "workloads")
    assert f.count("begun") == 2


def test_credentials_that_change_in_the_middle_of_a_list(fake, follow, tmp_path):
    fill(fake, 100)
    fake.faults.append(("list", "workloads", Fault(at=3000, how="silence")))
    f = follow("page=20", "timeout=2500", WORKLOADS)
    f.wait(lambda f: f.count("seen") > 3)
    (tmp_path / "token").write_text("other")
    fake.tokens = {"other"}
    f.wait_equal(fake, "workloads")
    assert f.count("trouble") <= 1


def test_credentials_that_are_not_valid_any_more(fake, follow, tmp_path):
    fill(fake, 10)
    f = follow("again=300", WORKLOADS)
    f.wait_equal(fake, "workloads")
    fake.tokens = {"other"}
    fake.cut_all()
    f.wait(lambda f: (f.trouble.get("workloads") or {}).get("status") == 401)
    assert "does not accept the credentials" in f.trouble["workloads"]["text"]
    before, began = len(fake.requests), time.monotonic()
    time.sleep(1)
    assert len(fake.requests) - before <= 8 * (time.monotonic() - began)
    (tmp_path / "token").write_text("other")
    change(fake, 5)
    f.wait_equal(fake, "workloads")
    f.wait(lambda f: not f.trouble["workloads"])


def test_large_annotations_and_too_large_objects(fake, follow):
    fake.put("workloads", "a", "large", metadata={"annotations": {"k": "\u00e4" * 50000, "l\"\\": "\n" * 50000}})
    fake.put("workloads", "a", "huge", text="x" * (9 << 20))
    fake.put("workloads", "a", "zlast")
    f = follow(WORKLOADS)
    f.wait(lambda f: f.listed.get("workloads"))
    expected = fake.state("workloads")
    expected["a", "huge"] = None
    assert f.mirrors["workloads"] == expected
    assert [line["name"] for line in f.lines if line["what"] == "too large"] == ["huge"]
    fake.put("workloads", "a", "huge", text="y" * (9 << 20))
    f.wait(lambda f: f.count("too large") == 2)
    fake.put("workloads", "a", "huge", text="small")
    f.wait_equal(fake, "workloads")
    fake.put("workloads", "a", "huge", text="z" * (9 << 20))
    fake.delete("workloads", "a", "huge")
    f.wait_equal(fake, "workloads")
    assert f.end()["KiB"] < 400000


def test_nested_too_deep(fake, follow):
    deep = []
    for _ in range(200):
        deep = [deep]
    fake.put("workloads", "a", "deep", spec=deep)
    fake.put("workloads", "a", "zlast")
    f = follow(WORKLOADS)
    f.wait(lambda f: f.listed.get("workloads"))
    assert f.mirrors["workloads"]["a", "deep"] is None and ("a", "zlast") in f.mirrors["workloads"]


def test_names_and_labels_that_are_odd(fake, follow):
    names = ["a" * 253, "x.y-z.0", "system:node:a", "%41", "{\"name\":\"w\"}"]
    labels = {"example.com/" + "l" * 63: "", "metadata": "managedFields", "items": "[]", "resourceVersion": "1", "k": "v-._"}
    for name in names:
        fake.put("workloads", "n" * 63, name, metadata={"labels": labels, "annotations": {"items": "]}", "managedFields": "\u0000\u001f\u007f"}},
                 items=[{"metadata": {"name": "inner", "managedFields": [1]}}], managedFields={"a": 1}, object={"metadata": {}})
    f = follow(WORKLOADS)
    f.wait_equal(fake, "workloads")
    fake.put("workloads", "", "without-namespace", spec=None)
    for name in names[:3]:
        fake.delete("workloads", "n" * 63, name)
    f.wait_equal(fake, "workloads")


def test_another_answer_than_before_is_asked_about_soon(fake, follow):
    """A server that starts is away, then not ready, then refuses: waits do not go on growing meanwhile."""
    fill(fake, 1)
    f = follow("first=50", "most=20000", WORKLOADS)
    f.wait_equal(fake, "workloads")

    def asked():
        return sum(r[:2] == ("watch", "workloads") for r in fake.requests)

    def wait(n):
        end = time.monotonic() + 60
        while asked() < n:
            assert time.monotonic() < end
            time.sleep(0.01)
        return time.monotonic()

    fake.always["watch", "workloads"] = Fault(status=503)
    before = asked()
    fake.cut_all()
    wait(before + 6)
    times = []
    for n, status in enumerate((500, 502, 504)):  # what else the machine does may hold up one of them
        fake.always["watch", "workloads"] = Fault(status=status)
        first = wait(before + 7 + 2 * n)
        times.append(wait(before + 8 + 2 * n) - first)
    assert min(times) < 1
    fake.always.clear()
    f.wait(lambda f: not f.trouble["workloads"])


def test_a_kind_that_may_not_be_read(fake, follow):
    fill(fake, 10)
    fill(fake, 10, "pods")
    fake.forbidden.add(("list", "workloads"))
    f = follow("again=300", WORKLOADS, PODS)
    f.wait_equal(fake, "pods")
    f.wait(lambda f: f.trouble.get("workloads"))
    trouble = f.trouble["workloads"]
    assert (trouble["verb"], trouble["status"], trouble["of"]) == ("list", 403, "workloads.kueue.x-k8s.io")
    assert "`list` on `workloads` of the group `kueue.x-k8s.io`" in trouble["hint"]
    fake.forbidden.clear()
    f.wait_equal(fake, "workloads")
    f.wait(lambda f: not f.trouble["workloads"])
    fake.forbidden |= {("watch", "workloads"), ("list", "workloads")}
    fake.cut_all()
    f.wait(lambda f: f.trouble["workloads"])
    change(fake, 5)
    time.sleep(0.7)
    assert f.trouble["workloads"]["verb"] == "watch" and len(f.mirrors["workloads"]) == 10
    change(fake, 5, "pods")
    f.wait_equal(fake, "pods")
    fake.forbidden.clear()
    f.wait_equal(fake, "workloads")
    assert f.listed["workloads"] == 1


def test_kinds_that_come_and_go(fake, follow):
    kinds = fake.kinds["kueue.x-k8s.io"]
    fake.kinds["kueue.x-k8s.io"] = {}
    fill(fake, 10)
    fill(fake, 10, "pods")
    f = follow("again=300", WORKLOADS, PODS)
    f.wait_equal(fake, "pods")
    f.wait(lambda f: f.listed.get("workloads"))
    assert [line["version"] for line in f.lines if line["what"] == "begun" and line["kind"] == "workloads"] == [None]
    assert f.mirrors["workloads"] == {} and f.count("trouble") == 0
    fake.kinds["kueue.x-k8s.io"] = {"v1beta1": ["workloads"]}
    f.wait_equal(fake, "workloads")
    assert f.lines[[line["what"] for line in f.lines].index("seen")]["kind"]
    fake.remove_kind("kueue.x-k8s.io", "workloads")
    f.wait(lambda f: f.listed["workloads"] == 3)
    assert f.mirrors["workloads"] == {}
    fake.kinds["kueue.x-k8s.io"] = kinds
    fill(fake, 5)
    f.wait_equal(fake, "workloads")
    versions = [line["version"] for line in f.lines if line["what"] == "begun" and line["kind"] == "workloads"]
    assert versions == [None, "v1beta1", None, "v1beta2"]


def test_a_server_that_does_not_know_its_kinds_yet(fake, follow):
    """As one does that has just started: what was there is kept."""
    fill(fake, 10)
    f = follow("again=60000", WORKLOADS)  # looked for once more after a twelfth of it
    f.wait_equal(fake, "workloads")
    with fake.lock:
        kinds = fake.kinds
        fake.kinds = {}
    fake.cut_all()
    f.wait(lambda f: any(verb == "get" for verb, _, _ in fake.requests[3:]))
    fake.kinds = kinds
    change(fake, 5)
    f.wait_equal(fake, "workloads")
    assert f.listed["workloads"] == 1 and f.count("begun") == 1


def test_initial_events(fake, follow):
    fill(fake, 700)
    f = follow("+" + WORKLOADS)
    f.wait_equal(fake, "workloads")
    f.wait(lambda f: f.listed.get("workloads"))
    change(fake)
    f.wait_equal(fake, "workloads")
    fake.cut_all()
    change(fake, 7)
    f.wait_equal(fake, "workloads")
    assert paths(fake, "list") == [] and f.listed["workloads"] == 1


@pytest.mark.parametrize("fault", [None, Fault(at=2000), Fault(at=2000, how="silence"), Fault(odd=2000)])
def test_initial_events_that_are_not_sent(fake, follow, fault):
    fill(fake, 70)
    fake.initial = fault is not None
    if fault:
        fake.faults.append(("watch", "workloads", fault))
    f = follow("silence=2500", "+" + WORKLOADS)
    f.wait_equal(fake, "workloads")
    assert len(paths(fake, "list")) == 1 or fault and fault.how == "reset", "a reset may come before the head of the answer"
    change(fake)
    f.wait_equal(fake, "workloads")


def test_requests_begin_at_the_pace_of_the_bucket(fake, follow):
    fill(fake, 300)
    started = time.monotonic()
    f = follow("page=10", "qps=20", "burst=5", WORKLOADS)
    f.wait_equal(fake, "workloads")
    # The pages and what a server is asked before them: the watch may not have begun.
    assert time.monotonic() - started > (31 - 5) / 20
    assert f.end()["requests"] in (31, 32)


def test_many_ends_leave_nothing_open(fake, follow):
    fill(fake, 100)
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    for k in range(5):
        f = follow(WORKLOADS, QUEUES, "+" + PODS)
        time.sleep(0.02 * k)
        f.end()
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before < 10
