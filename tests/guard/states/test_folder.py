# SPDX-License-Identifier: Apache-2.0
"""A state folder of an earlier version is opened, and all in it is as it was: ../states.md.

It was killed while jobs ran. Their processes are gone, so they are lost and wait again, as
doc/guide/daemon.md says; all else is as it was told before the kill.
"""
import copy
import os
import pathlib
import shutil
import sqlite3
import subprocess

import pytest

import folder as kept

WANT = kept.recorded()
AGAIN = "the folder is of another version: make it again (tests/guard/states.md)"
same_version = pytest.mark.skipif(kept.version() != WANT["version"], reason=AGAIN)
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="the jobs in the folder are root's")


def start(daemon):
    """Until all that can be found of the runs has been found; before that a lost one counts nowhere."""
    daemon.start()
    daemon.until(lambda: daemon.get("/v1/events?after=0.0&limit=100000&kind=Lost").text.count("\n")
                 >= len(job_with("runs")), "what ran is lost")


def opened(daemon):
    start(daemon)
    return kept.shown(daemon)


def verify(daemon):
    return subprocess.run([os.environ["FAIRLEADD"], "--verify", "--state", daemon.state],
                          capture_output=True, text=True, check=False)


def end(daemon):
    if daemon.process and daemon.process.poll() is None:
        for job in daemon.get("/v1/jobs?limit=10000").json()["jobs"]:
            daemon.post(f"/v1/jobs/{job['id']}/cancel")
        daemon.until(lambda: not daemon.get("/v1/jobs").json()["jobs"], "all jobs are over")
        assert daemon.stop() == 0, daemon.said()


@pytest.fixture
def daemon(tmp_path):
    one = kept.unpack(tmp_path)
    yield one
    end(one)


def job_with(state):
    return [i for i, job in WANT["jobs"].items() if job["state"] == state]


# --- what is checked, of any folder and any record ---

def check_whole(daemon):
    answer = verify(daemon)
    assert (answer.returncode, answer.stderr) == (0, ""), answer


def check_replayed(daemon, want=WANT):
    assert kept.replayed(daemon.state) == want["replayed"]


def check_over(want, have):
    """Jobs that are over, are held, or wait for others are as they were, to their output."""
    left = {i for i, job in want["jobs"].items() if job["state"] in (*kept.OVER, "held", "depends")}
    pick = [kept.in_ms({i: seen["jobs"].get(i) for i in left}, kept.zero(seen)) for seen in (want, have)]
    assert kept.differences(*pick) == []
    assert set(have["jobs"]) == set(want["jobs"])
    assert {i: have["logs"].get(i) for i in want["logs"]} == want["logs"]


def check_lost(want, have):
    """What ran has lost its processes, which is told and counted; then it has its next attempt."""
    lost = {e["job"] for e in have["events"][len(want["events"]):] if e["kind"] == "Lost"}
    assert lost == {int(i) for i, job in want["jobs"].items() if job["state"] in ("runs", "starts")}
    for i, before in want["jobs"].items():
        now = have["jobs"][i]
        if before["state"] in (*kept.OVER, "held", "depends"):
            continue
        assert now["state"] in ("waits", "starts", "runs"), now
        assert now["losses"] == before["losses"] + (int(i) in lost), now
        assert now["attempt"] >= before["attempt"] and now["evictions"] >= before["evictions"], now
        same = "name", "queue", "requests", "priority", "command", "environment", "tasks", "user"
        assert [now.get(k) for k in same] == [before.get(k) for k in same]


def check_past(want, have):
    """Events, who did what, and who held what: all that was, in its order; then what came since."""
    for what in ("events", "audit"):
        pick = [kept.in_ms(seen[what][:len(want[what])], kept.zero(seen)) for seen in (want, have)]
        assert kept.differences(*pick) == []


# --- tests ---

def test_verify_finds_nothing(daemon):
    check_whole(daemon)


@same_version
def test_replay_comes_to_the_same_digest(daemon):
    check_replayed(daemon)
    check_replayed(daemon)


@as_root
def test_every_job_is_there(daemon):
    have = opened(daemon)
    check_over(WANT, have)
    check_lost(WANT, have)
    check_past(WANT, have)
    assert "begins without history" not in daemon.said() or kept.version() != WANT["version"]
    health = daemon.get("/v1/health").json()
    assert health["status"] == "ok" and health["damaged"] == [] and health["warning"] is None


def rows_of_history(answer):
    return {row["name"]: (row["jobs"], row["preempted"],
                          {r: pytest.approx(v["unitSeconds"], abs=0.05) for r, v in row["had"].items()},
                          {r: pytest.approx(v["duePart"], abs=0.01) for r, v in row["had"].items()})
            for row in answer["queues"]}


@as_root
def test_history_is_summed_up_as_before(daemon):
    start(daemon)
    have = {"jobs": {"1": daemon.job(1)}}
    to = kept.ms(WANT["history"]["to"]) - kept.zero(WANT) + kept.zero(have)
    text = kept.rfc3339(to)
    answer = daemon.get(f"/v1/history?to={text}").json()
    assert rows_of_history(answer) == rows_of_history(WANT["history"])


@as_root
def test_it_goes_on_taking_jobs(daemon):
    daemon.start()
    last = max(map(int, WANT["jobs"]))
    numbers = [daemon.submit("sh", "-c", f"echo {queue}", queue=queue, directory="/", priority=100,
                             requests={"cpu": "10m"}) for queue in ("vision", "ada", "bob", "robotics")]
    assert numbers == list(range(last + 1, last + 5))
    for number in job_with("held"):
        assert daemon.post(f"/v1/jobs/{number}/release").status == 200
    for number in job_with("runs") + job_with("waits"):
        assert daemon.post(f"/v1/jobs/{number}/cancel").status == 200
    for number in numbers + [int(i) for i in job_with("held") if WANT["jobs"][i]["command"] == ["true"]]:
        assert daemon.wait(number)["state"] == "done", daemon.job(number)
    assert daemon.get(f"/v1/jobs/{numbers[1]}/log").text == "ada\n"
    end(daemon)
    check_whole(daemon)
    daemon.start()  # and is read by the next start
    assert daemon.job(numbers[0])["state"] == "done"


@as_root
def test_without_its_image_the_jobs_are_the_same(daemon):
    """As a version reads it that does not know the image: the policy begins afresh."""
    for image in daemon.state.glob("checkpoint-*"):
        whole = bytearray(image.read_bytes())
        whole[-100] ^= 1
        image.write_bytes(whole)
    have = opened(daemon)
    assert "begins without history" in daemon.said()
    check_over(WANT, have)
    check_lost(WANT, have)
    check_past(WANT, have)


def bytes_of(state):
    return {str(p.relative_to(state)): p.read_bytes() for p in state.rglob("*")
            if p.is_file() and p.name != "lock" and not p.name.endswith("-shm")
            and not (p.name.endswith("-wal") and not p.stat().st_size)}  # who reads makes an empty one


def test_of_a_newer_format_it_is_refused(daemon):
    path = daemon.state / "fairlead.db"
    store = sqlite3.connect(path)
    known = store.execute("PRAGMA user_version").fetchone()[0]
    store.execute(f"PRAGMA user_version = {known + 1}")
    store.commit()
    store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    store.close()
    before = bytes_of(daemon.state)
    text = f"is of a newer fairleadd: its version is {known + 1}, and this one knows {known}\n"
    answer = verify(daemon)
    assert answer.returncode == 1 and text in answer.stderr and "hint: nothing was changed" in answer.stderr
    daemon.start(ready=False)
    assert daemon.process.wait(60) == 1
    assert text in daemon.said()
    assert bytes_of(daemon.state) == before


# --- each check can fail ---

def tampered(change):
    want = copy.deepcopy(WANT)
    change(want)
    return want


def other_digest(want):
    want["replayed"] = [line.replace("digest: ", "digest: 0") for line in want["replayed"]]


def other_priority(want):
    want["replayed"] = [line.replace("priority 7", "priority 8") for line in want["replayed"]]


@same_version
@pytest.mark.parametrize("change", [other_digest, other_priority])
def test_another_record_of_replay_is_seen(daemon, change):
    with pytest.raises(AssertionError):
        check_replayed(daemon, tampered(change))


@same_version
@as_root
def test_a_folder_that_went_on_is_seen(daemon):
    daemon.start()
    assert daemon.stop() == 0
    with pytest.raises(AssertionError):
        check_replayed(daemon)
    daemon.start()


def change_database(daemon):
    store = sqlite3.connect(daemon.state / "fairlead.db")
    store.execute(f"UPDATE jobs SET priority = 9 WHERE id = {job_with('held')[0]}")
    store.commit()
    store.close()


def flip_image(daemon):
    image = next(daemon.state.glob("checkpoint-*"))
    whole = bytearray(image.read_bytes())
    whole[-100] ^= 1
    image.write_bytes(whole)


def lose_log(daemon):
    (daemon.state / "fairlead.db-wal").unlink()


@pytest.mark.parametrize("change", [change_database, flip_image, lose_log])
def test_a_damaged_folder_is_seen(daemon, change):
    change(daemon)
    with pytest.raises(AssertionError):
        check_whole(daemon)


SEEN = {  # in the record: what is changed there, and the check that is to see it
    "state": (check_over, lambda w: w["jobs"][job_with("done")[0]].update(state="failed")),
    "exit": (check_over, lambda w: w["jobs"][job_with("failed")[0]]["exit"].update(status=77)),
    "time": (check_over, lambda w: w["jobs"][job_with("done")[1]].update(endedAt="2020-01-01T00:00:00Z")),
    "attempts": (check_over, lambda w: w["jobs"][job_with("done")[0]]["attempts"].pop()),
    "one more": (check_over, lambda w: w["jobs"].update({"1000": w["jobs"]["1"]})),
    "output": (check_over, lambda w: w["logs"].update({"1": "another\n"})),
    "lost": (check_lost, lambda w: w["jobs"][job_with("waits")[0]].update(state="runs")),
    "losses": (check_lost, lambda w: w["jobs"][job_with("runs")[0]].update(losses=1)),
    "command": (check_lost, lambda w: w["jobs"][job_with("runs")[0]].update(command=["other"])),
    "event": (check_past, lambda w: w["events"][5].update(kind="Other")),
    "no event": (check_past, lambda w: w["events"].pop(7)),
    "audit": (check_past, lambda w: w["audit"][3].update(status=500)),
}


@as_root
def test_another_record_is_seen(daemon):
    have = opened(daemon)
    for what, (check, change) in SEEN.items():
        check(WANT, have)
        with pytest.raises(AssertionError):
            check(tampered(change), have)
            pytest.fail(f"{what}: not seen", pytrace=False)
