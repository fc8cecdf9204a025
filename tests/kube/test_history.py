# SPDX-License-Identifier: Apache-2.0
"""What a daemon that watches a cluster keeps: jobs, attempts, events and usage, also after a restart or a kill."""
import json
import os
import signal
import sqlite3
import subprocess
import time

import pytest

from followed import kubeconfig
from watching import Unix, Watching, as_account, condition, fill, queue, workload


def jobs(w, **arguments):
    return {job["name"]: job for job in w.get("/v1/jobs", **arguments)["jobs"]}


def events(w, **arguments):
    connection = Unix(w.socket)
    connection.request("GET", "/v1/events?after=0.0" + "".join(f"&{k}={v}" for k, v in arguments.items()))
    lines = connection.getresponse().read().splitlines()
    connection.close()
    return [json.loads(line) for line in lines]


def stored(w):
    """So many jobs are in the store."""
    store = sqlite3.connect(f"file:{w.folder}/state/fairlead.db?mode=ro", uri=True, timeout=60)
    try:
        return store.execute("SELECT count(*) FROM objects").fetchone()[0]
    finally:
        store.close()


def kept(w, name, state):
    """The job, once the store has it so."""
    return w.wait(lambda: (job := jobs(w, state=state).get(name)) and job)


def test_jobs_and_their_attempts(fake, watch):
    fill(fake)
    workload(fake, "a", "one", cpu=3)
    workload(fake, "b", "two", cpu=1, priority=5)
    w = watch().ready()
    assert {n: (j["state"], j["queue"], j["user"]) for n, j in jobs(w).items()} == {
        "one": ("waits", "a/main", "a"), "two": ("waits", "b/main", "b")}
    workload(fake, "a", "one", cpu=3, held=True)
    w.wait(lambda: jobs(w)["one"]["state"] == "runs")
    number = jobs(w)["one"]["id"]
    # What is not in the store yet is told from memory.
    page = w.wait(lambda: (page := w.get(f"/v1/jobs/{number}"))["attempts"] and page)
    assert page["name"] == "one" and page["placement"] == [{"resource": "cpu", "flavor": "default", "amount": "3"}]
    assert page["attempts"][0]["from"] == "2026-11-01T11:00:00Z"
    workload(fake, "a", "one", cpu=3, held=True, conditions=[condition("Evicted", reason="Preempted")])
    workload(fake, "a", "one", cpu=3, conditions=[condition("Evicted", reason="Preempted")])
    w.wait(lambda: jobs(w)["one"]["evictions"] == 1 and jobs(w)["one"]["state"] == "waits")
    fake.delete("workloads", "a", "one")
    over = kept(w, "one", "cancelled")
    assert over["id"] == number
    w.wait(lambda: [a["ended"] for a in w.get(f"/v1/jobs/{number}")["attempts"]] == ["preempted"])
    assert [e["kind"] for e in events(w, job=number)] == ["Admitted", "Preempted", "Requeued", "Cancelled"]
    assert set(jobs(w)) == {"two"}


def test_a_restart(fake, watch):
    fill(fake)
    for name in "one", "two", "three", "four":
        workload(fake, "a", name, held=name != "four")
    w = watch().ready()
    before = w.wait(lambda: len(found := jobs(w)) == 4 and found)
    workload(fake, "b", "five")
    first = w.wait(lambda: events(w))
    assert w.end() == 0
    workload(fake, "a", "two", held=True, conditions=[condition("Finished", at="2026-11-01T12:30:00Z")])
    fake.delete("workloads", "a", "three")
    workload(fake, "a", "four", held=True)
    time.sleep(1.2)
    w = watch().ready()
    now = w.wait(lambda: "three" in (found := jobs(w, state="")) and found)
    assert {n: (j["id"], j["state"]) for n, j in now.items() if n != "five"} == {
        "one": (before["one"]["id"], "runs"), "two": (before["two"]["id"], "done"),
        "three": (before["three"]["id"], "cancelled"), "four": (before["four"]["id"], "runs")}
    assert now["two"]["endedAt"] == "2026-11-01T12:30:00Z"
    assert "deleted between" in now["three"]["reason"] and "when it was not watched" in now["three"]["reason"]
    workload(fake, "b", "six")
    second = w.wait(lambda: len(found := events(w)) > len(first) and found)
    assert second[:len(first)] == first
    assert [e["kind"] for e in second[len(first):]] == ["Submitted"]
    ids = [tuple(map(int, e["id"].split("."))) for e in second]
    assert ids == sorted(set(ids))
    w.has_all()


@pytest.mark.skipif("FAIRLEAD_CLOCK" not in os.environ, reason="needs the library that sets clocks")
def test_a_stop_while_nothing_is_heard(fake, watch, tmp_path, monkeypatch):
    """The time before the stop was not watched either: what ended in it is kept after the next start."""
    monkeypatch.setenv("LD_PRELOAD", os.environ["FAIRLEAD_CLOCK"])
    monkeypatch.setenv("TIME_FILE", str(tmp_path / "ahead"))
    fill(fake)
    workload(fake, "a", "one")
    w = watch().ready()
    w.wait(lambda: stored(w) == 1)
    time.sleep(1.2)
    monkeypatch.delenv("LD_PRELOAD")
    fake.forbidden.add(("watch", "workloads"))
    fake.cut_all()
    w.wait(lambda: "cannot watch" in w.text())
    (tmp_path / "ahead").write_text("125")
    w.wait(lambda: (answer := w.ask("/v1/health?ready=1"))[0] == 503 and "workloads" in answer[1]["problem"])
    time.sleep(1.2)
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    workload(fake, "a", "unseen", held=True, conditions=[condition("Finished", at=at)])
    time.sleep(1.2)
    assert w.end() == 0
    fake.forbidden.clear()
    w = watch().ready()
    assert kept(w, "unseen", "done")["endedAt"] == at
    gaps = w.wait(lambda: w.get("/v1/history").get("gaps"))
    assert len(gaps) == 1 and gaps[0]["from"] < at < gaps[0]["to"], gaps


def test_a_kill(fake, watch):
    """What was heard a moment before is heard again; what was kept stays."""
    fill(fake)
    for k in range(20):
        workload(fake, "a", f"w{k}")
    w = watch().ready()
    before = w.wait(lambda: len(found := jobs(w)) == 20 and found)
    w.wait(lambda: stored(w) == 20)
    numbers = {name: job["id"] for name, job in before.items()}
    for k in range(20):
        workload(fake, "a", f"w{k}", held=True)
        if k == 10:
            time.sleep(0.5)
    w.process.send_signal(signal.SIGKILL)
    w.process.wait(20)
    w = watch().ready()
    now = w.wait(lambda: len(found := jobs(w, state="runs")) == 20 and found)
    assert {n: j["id"] for n, j in now.items()} == numbers
    for job in now.values():
        attempts = w.wait(lambda job=job: w.get(f"/v1/jobs/{job['id']}")["attempts"])
        assert [a["to"] for a in attempts] == [None] and job["attempt"] == 1
    w.has_all()
    assert w.end() == 0


def kept_rows(w):
    """uid: number, of the store; each has a job of that number."""
    store = sqlite3.connect(f"file:{w.folder}/state/fairlead.db?mode=ro", uri=True, timeout=60)
    store.execute("BEGIN")
    rows = store.execute("SELECT objects.uid, number FROM objects JOIN jobs ON id = number").fetchall()
    (objects,), (n,) = (store.execute(f"SELECT count(*) FROM {table}").fetchone() for table in ("objects", "jobs"))
    store.close()
    assert objects == n == len(rows) == len(dict(rows)) == len({number for _, number in rows})
    return dict(rows)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_the_first_rows_are_more_than_one_commit_takes(fake, watch, how):
    """It ends in between: none of them is lost, none is there twice."""
    most, n, fake.plain = 2048, 5000, True
    fill(fake)
    for k in range(n):
        workload(fake, "ab"[k % 2], f"w{k}", held=k < 4)
    w = watch()
    w.wait(lambda: kept_rows(w) if (w.folder / "state/fairlead.db").exists() else None)
    w.process.send_signal(how)
    assert w.process.wait(20) == (0 if how == signal.SIGTERM else -9)
    first = kept_rows(w)
    assert len(first) == n if how == signal.SIGTERM else len(first) % most == 0 or len(first) == n
    w = watch().ready()
    w.wait(lambda: len(kept_rows(w)) == n)
    assert w.end() == 0
    assert first.items() <= kept_rows(w).items() and len(kept_rows(w)) == n


def history(w, **arguments):
    answer = w.get("/v1/history", **arguments)
    return answer, next(q for q in answer["queues"] if q["name"] == "cq" and q["kind"] == "ClusterQueue")


def test_what_a_queue_held(fake, watch):
    """From when it was first watched; what was held before that is not known of all, and does not count."""
    fill(fake)
    workload(fake, "a", "one", cpu=3, held=True)
    begin = time.monotonic()
    w = watch().ready()
    answer, of = w.wait(lambda: (found := history(w)) and found[1]["had"]["cpu"]["unitSeconds"] and found)
    assert 0 < of["had"]["cpu"]["unitSeconds"] <= 3 * (time.monotonic() - begin) and "gaps" not in answer
    fake.delete("workloads", "a", "one")
    w.wait(lambda: w.counts() == (0, 0))

    def settled():
        before = history(w)[1]["had"]["cpu"]["unitSeconds"]
        time.sleep(0.1)
        return history(w)[1]["had"]["cpu"]["unitSeconds"] == before and before
    held = w.wait(settled)  # its end is in the store
    workload(fake, "b", "two", cpu=2)
    w.wait(lambda: w.counts() == (0, 1))
    assert w.end() == 0
    time.sleep(1.5)
    w = watch().ready()
    answer, of = w.wait(lambda: "gaps" in (found := history(w))[0] and found)
    assert of["had"]["cpu"]["unitSeconds"] == held and of["jobs"] == 2
    assert [g["why"] for g in answer["gaps"]] == ["fairleadd did not run"]
    command = [os.environ["FAIRLEAD"], "history", "--socket", str(w.socket)]
    assert ": fairleadd did not run.\n" in subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    users = w.get("/v1/usage")["users"]
    assert [(u["user"], u["queue"], u["held"]["cpu"]["unitSeconds"]) for u in users] == [("a", "cq", held)]


MACHINE = """apiVersion: fairlead.dev/v1alpha1
kind: Daemon
metadata: {name: test}
spec: {machine: {cohort: machine, flavors: [{name: default, resources: {cpu: "4"}}]}, access: {withoutAccount: allow}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: default}
spec: {cohortName: machine, namespaceSelector: {}}
"""


def test_a_folder_is_of_one_kind_of_daemon(fake, watch, certificate, tmp_path):
    """What one keeps, the other would take for jobs of its own that are gone."""
    def machine(state):
        return subprocess.Popen([os.environ["FAIRLEADD"], "--state", state, "--socket", tmp_path / "other", "--config", config],
                                stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **as_account())

    fill(fake)
    workload(fake, "a", "one", cpu=3)
    w = watch().ready()
    config = tmp_path / "machine.yaml"
    config.write_text(MACHINE)
    assert w.end() == 0
    one = machine(tmp_path / "state")
    said = one.communicate(timeout=60)[1]
    assert one.returncode and "the state is that of a daemon that watches a cluster" in said and "--state" in said, said

    (tmp_path / "state").rename(tmp_path / "kept")
    one = machine(tmp_path / "state")
    said = ""
    while "listens on" not in said:
        line = one.stderr.readline()
        assert line, said
        said += line
    one.send_signal(signal.SIGTERM)
    assert one.wait(60) == 0, one.stderr.read()
    w = Watching(tmp_path, kubeconfig(tmp_path, fake.port, certificate.file))
    assert w.process.wait(60) and "the state is that of a daemon that runs jobs on this machine" in w.text()


@pytest.fixture
def disk(tmp_path):
    """A small one, on which the state is."""
    path = tmp_path / "state"
    path.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m,mode=0755", "tmpfs", path], capture_output=True).returncode:
        pytest.skip("nothing can be mounted here")
    yield path
    subprocess.run(["umount", "-l", path])


def test_a_disk_that_is_full(disk, fake, watch):
    fill(fake)
    workload(fake, "a", "one", cpu=3)
    w = watch().ready()
    w.wait(lambda: len(jobs(w)) == 1)
    time.sleep(0.5)
    with open(disk / "filler", "ab", buffering=0) as filler:
        try:
            while True:
                filler.write(b"x" * 4096)
        except OSError:
            pass
    workload(fake, "a", "one", cpu=3, held=True)
    for k in range(30):  # what the log has room for is written
        workload(fake, "b", f"more{k}")
        fake.delete("workloads", "b", f"more{k}")
    problem = w.wait(lambda: w.get("/v1/health")["problem"])
    assert problem.startswith("history is not written: ")
    assert w.get("/v1/health", ready=1)["status"] == "degraded"
    workload(fake, "b", "two", cpu=2)
    w.wait(lambda: w.ask("/v1/workloads/b/two/explain")[0] == 200)  # and all before it was heard
    assert w.counts() == (1, 1)
    assert "can have 1 now (1 short)" in w.get("/v1/workloads/b/two/explain", width=200)
    assert {n: j["state"] for n, j in jobs(w).items()} == {"one": "runs", "two": "waits"}
    told = events(w)
    assert [e["kind"] for e in told if e["job"] == jobs(w)["two"]["id"]] == ["Submitted"]
    assert "fairlead_store_errors_total 0" not in w.get("/metrics")
    w.has_all()
    (disk / "filler").unlink()
    w.wait(lambda: w.get("/v1/health")["status"] == "ok")
    assert w.end() == 0
    w = watch().ready()
    assert events(w) == told


def usage(w, metric):
    """As KAI's client asks: in its unit, times samples of a second in a minute that ends now."""
    now = time.time()
    answer = w.get("/api/v1/query", query=f"sum_over_time(({metric})[1m0s:1s])", time=f"{now:.3f}")
    return {row["metric"].get("queue_name"): float(row["value"][1]) for row in answer["data"]["result"]}


def test_usage_as_kai_asks_for_it(fake, watch):
    """What queues held, and their quotas, which change."""
    fill(fake)
    workload(fake, "a", "one", cpu=3, held=True)
    w = watch().ready()
    w.wait(lambda: jobs(w)["one"]["state"] == "runs")
    time.sleep(1.5)
    held = usage(w, "kai_queue_allocated_cpu_cores")
    there = usage(w, 'sum(kube_node_status_capacity{resource="cpu"})')
    assert set(held) == {"cq"} and set(there) == {None}
    assert held["cq"] / there[None] == pytest.approx(3 / 4, rel=0.4)
    fake.put("clusterqueues", None, "cq", spec=queue(40))
    w.wait(lambda: w.queue()["resources"]["cpu"]["nominal"] == "40")
    time.sleep(1.5)
    more = usage(w, 'sum(kube_node_status_capacity{resource="cpu"})')
    assert more[None] > there[None] + 40
    assert w.end() == 0
    w = watch().ready()
    assert usage(w, 'sum(kube_node_status_capacity{resource="cpu"})')[None] > more[None]
