# SPDX-License-Identifier: Apache-2.0
"""Where the state folder and the database disagree: restored, cut off, removed, damaged."""
import json
import os
import pathlib
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile

import pytest

from conftest import OVER, Daemon, end


def fairleadd(*args):
    return subprocess.run([os.environ["FAIRLEADD"], *map(str, args)], capture_output=True, text=True,
                          check=False)


def restore(daemon, backup, *more):
    return fairleadd("--restore", backup, "--state", daemon.state, "--config", daemon.config, *more)


def without_database(daemon):
    """What somebody does who reads that the database is damaged."""
    for path in daemon.state.iterdir():
        if path.name.startswith(("fairlead.db", "checkpoint", "lock")):
            path.unlink()


def secret(daemon, mark, **spec):
    return daemon.submit("sh", "-c", 'echo "secret of $1"', "sh", mark, name=mark, **spec)


def back_up(daemon, name="backup"):
    answer = daemon.post(f"/v1/backup?to={daemon.folder / name}")
    assert answer.status == 200, answer.text
    return daemon.folder / name


def tree_of(folder):
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*")}


@pytest.fixture
def behind(daemon):
    """Its backup knows three jobs; six have run, and the folders of all are there."""
    for i in range(3):
        daemon.wait(secret(daemon, f"old{i}"), "done")
    daemon.backup = back_up(daemon)
    for i in range(3):
        daemon.wait(secret(daemon, f"new{i}"), "done")
    assert daemon.stop() == 0
    yield daemon
    end(daemon)


REFUSED = re.compile(r"error: .*/ended/6 is of job 6, but the database has (none after job 3|no job at all): "
                     r"it has lost jobs, and would give their numbers to new jobs\nhint: nothing was changed; ")


def test_restore_that_would_give_numbers_again_is_refused(behind):
    without_database(behind)
    before = tree_of(behind.state)
    answer = restore(behind, behind.backup)
    assert answer.returncode == 1 and REFUSED.search(answer.stderr), answer
    assert "--adopt-runs" in answer.stderr
    assert tree_of(behind.state) == before


def test_restore_over_a_state_says_that_there_is_one(behind):
    answer = restore(behind, behind.backup)
    assert answer.returncode == 3 and "is a state folder already" in answer.stderr, answer


def test_start_without_the_database_is_refused(behind):
    without_database(behind)
    before = tree_of(behind.state / "ended")
    behind.start(ready=False)
    assert behind.process.wait(60) == 1
    assert REFUSED.search(behind.said()), behind.said()
    assert tree_of(behind.state / "ended") == before
    assert not (behind.state / "fairlead.db").exists(), "what is restored there now is refused"


def test_start_and_verify_with_a_database_that_knows_too_little(behind):
    """As after a write-ahead log that was cut off: what is there is whole, and there is too little."""
    without_database(behind)
    (behind.state / "ended").rename(behind.folder / "ended")
    assert restore(behind, behind.backup).returncode == 0
    assert fairleadd("--verify", "--state", behind.state).returncode == 0
    (behind.folder / "ended").rename(behind.state / "ended")
    answer = fairleadd("--verify", "--state", behind.state)
    assert answer.returncode == 1 and REFUSED.search(answer.stderr), answer
    behind.start(ready=False)
    assert behind.process.wait(60) == 1
    assert REFUSED.search(behind.said()), behind.said()


@pytest.mark.parametrize("lost", ["removed", "emptied"])
def test_a_write_ahead_log_that_is_gone(daemon, lost):
    """What was acknowledged stands in it alone: to go on without it would be to forget it."""
    for i in range(2):
        daemon.wait(secret(daemon, f"old{i}"), "done")
    daemon.stop()
    daemon.start()
    for i in range(2):
        daemon.wait(secret(daemon, f"new{i}"), "done")
    daemon.stop(signal.SIGKILL)
    log = daemon.state / "fairlead.db-wal"
    assert log.stat().st_size > 0
    if lost == "removed":
        log.unlink()
    else:
        os.truncate(log, 0)
    assert fairleadd("--verify", "--state", daemon.state).returncode == 1
    daemon.start(ready=False)
    assert daemon.process.wait(60) == 1
    assert "ended/4 is of job 4, but the database has none after job 2" in daemon.said()


@pytest.mark.parametrize("how", ["restored", "started", "nothing left"])
def test_adopted_numbers_go_on_above(behind, how):
    without_database(behind)
    if how == "restored":
        assert restore(behind, behind.backup, "--adopt-runs").returncode == 0
        behind.start()
    else:
        if how == "started":
            (behind.state / "ended").rename(behind.folder / "ended")
            assert restore(behind, behind.backup).returncode == 0
            (behind.folder / "ended").rename(behind.state / "ended")
        behind.start("--adopt-runs")
    number = secret(behind, "latest")
    assert number == 7
    assert behind.wait(number, "done")["attempt"] == 1
    assert behind.get("/v1/jobs/7/log").text == "secret of latest\n"
    # What the database does not know is kept, and nobody is told that it is his.
    assert behind.get("/v1/jobs/6").status == 404
    kept = [path.read_text() for path in behind.state.rglob("out.0")]
    assert sorted(kept) == sorted(f"secret of {mark}\n" for mark in
                                  ("old0", "old1", "old2", "new0", "new1", "new2", "latest"))


# --- runs of the same number ---

LOUD = 'echo out; echo "begin $FAIRLEAD_ATTEMPT" >>"$1"; while [ ! -e "$2" ]; do sleep 0.05; done; echo "end $FAIRLEAD_ATTEMPT" >>"$1"; exit 3'


class Witness:
    """Lines that a job's attempts write themselves: which of them began and came to their end."""

    def __init__(self, daemon, name="witness"):
        self.path, self.end = daemon.folder / name, daemon.folder / (name + ".end")
        self.path.touch()

    def job(self, daemon, **spec):
        """It goes on until there is a file `end`."""
        return daemon.submit("sh", "-c", LOUD, "sh", str(self.path), str(self.end), **spec)

    @property
    def lines(self):
        return self.path.read_text().splitlines()

    def processes(self):
        return subprocess.run(["pgrep", "-f", str(self.path)], capture_output=True, text=True,
                              check=False).stdout.split()


def flip(path, at, n):
    whole = bytearray(path.read_bytes())
    for i in range(at, at + n):
        whole[i] ^= 0xff
    with open(path, "r+b") as f:
        f.write(whole)


DAMAGE = {
    "both status slots": lambda run: flip(run / "run", 40, 900),
    "one status slot": lambda run: flip(run / "run", 40, 8),
    "the other status slot": lambda run: flip(run / "run", 552, 8),
    "order slots": lambda run: flip(run / "run", 1064, 900),
    "spec": lambda run: flip(run / "run", 2200, 4),
    "empty": lambda run: os.truncate(run / "run", 0),
    "cut off": lambda run: os.truncate(run / "run", 1024),
    "no file": lambda run: (run / "run").unlink(),
    "nothing in its folder": lambda run: [path.unlink() for path in run.iterdir()],
    "no folder": shutil.rmtree,
    "no runs": lambda run: shutil.rmtree(run.parent.parent),
}


@pytest.mark.parametrize("when", ["runs", "has ended"])
def test_a_run_that_cannot_be_read_is_ended_before_it_runs_again(daemon, when):
    """All at once, a job each: whatever is damaged, no attempt runs beside another, and a loss is told."""
    jobs = {}
    for what in DAMAGE:
        if what == "no runs":
            continue
        witness = Witness(daemon, what.replace(" ", "-"))
        jobs[what] = witness.job(daemon), witness
    for number, witness in jobs.values():
        daemon.until(lambda w=witness: w.lines == ["begin 1"], "it runs")
        daemon.wait(number, "runs")
        daemon.until(lambda n=number: (daemon.state / "runs" / str(n) / "1" / "out.0").exists(), "its output is kept")
    daemon.stop(signal.SIGKILL)
    if when != "runs":
        for _, witness in jobs.values():
            witness.end.touch()
        daemon.until(lambda: all(len(w.lines) == 2 for _, w in jobs.values()), "they end")
        runners = ["pgrep", "-f", f"{daemon.state}/runs/"]
        daemon.until(lambda: not subprocess.run(runners, capture_output=True, check=False).stdout, "runners have written that down")
    for what, (number, _) in jobs.items():
        DAMAGE[what](daemon.state / "runs" / str(number) / "1")
    daemon.start()
    for what, (number, witness) in jobs.items():
        taken_over = what in ("one status slot", "the other status slot", "order slots") or \
            (what, when) == ("both status slots", "runs")
        job = daemon.until(lambda n=number: (j := daemon.job(n))["state"] in ("runs", *OVER) and j, "it runs")
        if when == "runs":
            assert len(witness.processes()) <= 2, f"{what}: two attempts at once: {witness.lines}"
            daemon.until(lambda w=witness: taken_over or len(w.lines) == 2, "it runs again")
            job = daemon.wait(number, "runs", *OVER)
            assert witness.lines == ["begin 1", *([] if taken_over else ["begin 2"])], what
            assert (job["state"], job["attempt"], job["losses"]) == ("runs", 2 - taken_over, 1 - taken_over), what
        else:
            job = daemon.wait(number)
            assert (job["state"], job["exit"]["status"]) == ("failed", 3), what
            assert [line for line in witness.lines if line == "begin 1"] == ["begin 1"], what
            assert job["attempt"] == job["losses"] + 1 == len(witness.lines) / 2, what
            assert job["losses"] == 1 or taken_over or what == "one status slot", (what, job)
        if job["losses"]:
            lost = [e for line in daemon.get(f"/v1/events?job={number}&after=0.0&limit=100").text.splitlines()
                    if '"Lost"' in line for e in [line]]
            assert len(lost) == 1 and "damaged or missing" in lost[0] or what == "one status slot", (what, lost)


def test_all_runs_gone(daemon):
    witness = Witness(daemon)
    number = witness.job(daemon)
    daemon.until(lambda: witness.lines, "it runs")
    daemon.wait(number, "runs")
    daemon.stop(signal.SIGKILL)
    DAMAGE["no runs"](daemon.state / "runs" / str(number) / "1")
    daemon.start()
    daemon.until(lambda: witness.lines == ["begin 1", "begin 2"], "it runs again")
    assert len(witness.processes()) <= 2
    assert daemon.job(number)["losses"] == 1


def test_restore_while_a_job_runs(daemon):
    """The same folder, without its database: what runs is found by its token and taken over."""
    witness = Witness(daemon)
    number = witness.job(daemon)
    daemon.until(lambda: witness.lines, "it runs")
    daemon.wait(number, "runs")
    backup = back_up(daemon)
    daemon.stop(signal.SIGKILL)
    without_database(daemon)
    assert restore(daemon, backup).returncode == 0
    daemon.start()
    witness.end.touch()
    job = daemon.wait(number)
    assert (job["attempt"], job["losses"], job["exit"]["status"]) == (1, 0, 3)
    assert witness.lines == ["begin 1", "end 1"]


@pytest.fixture
def elsewhere(daemon):
    """Restored into a new folder, while a job runs whose folder is in the one of before."""
    daemon.runs = Witness(daemon)
    daemon.number = daemon.runs.job(daemon)
    daemon.until(lambda: daemon.runs.lines, "it runs")
    daemon.wait(daemon.number, "runs")
    daemon.backup = back_up(daemon)
    yield daemon
    end(daemon)


@pytest.mark.parametrize("lock", ["a file", "a pipe"])
def test_restore_into_a_new_folder_while_a_job_runs(elsewhere, lock):
    elsewhere.stop(signal.SIGKILL)
    if lock == "a pipe":
        (elsewhere.state / "lock").unlink()
        os.mkfifo(elsewhere.state / "lock")
    elsewhere.state = elsewhere.folder / "state2"
    assert restore(elsewhere, elsewhere.backup).returncode == 0
    elsewhere.start()
    assert elsewhere.job(elsewhere.number)["state"] == "runs"
    elsewhere.runs.end.touch()
    job = elsewhere.wait(elsewhere.number)
    assert (job["attempt"], job["losses"], job["exit"]["status"]) == (1, 0, 3)
    assert elsewhere.runs.lines == ["begin 1", "end 1"]
    assert not list((elsewhere.folder / "state" / "runs").iterdir())


def test_restore_to_another_disk_while_a_job_runs(elsewhere):
    """Its folder cannot be moved there: it is ended before it runs again."""
    other = pathlib.Path(tempfile.mkdtemp(dir="/dev/shm", prefix="fairlead-"))
    other.chmod(0o755)
    if os.stat(other).st_dev == os.stat(elsewhere.folder).st_dev:
        pytest.skip("there is no other file system")
    try:
        elsewhere.stop(signal.SIGKILL)
        elsewhere.state = other / "state"
        assert restore(elsewhere, elsewhere.backup).returncode == 0
        elsewhere.start()
        elsewhere.until(lambda: elsewhere.runs.lines == ["begin 1", "begin 2"], "it runs again")
        assert len(elsewhere.runs.processes()) <= 2, "attempt 1 is there yet"
        assert elsewhere.job(elsewhere.number)["losses"] == 1
        end(elsewhere)
    finally:
        shutil.rmtree(other)


def test_a_copy_beside_the_daemon_is_refused(elsewhere):
    """Both would run the same jobs: the second one does not begin, and the first does not notice."""
    copy = Daemon(elsewhere.folder, elsewhere.config)
    copy.state, copy.socket = elsewhere.folder / "copy", elsewhere.folder / "copy.sock"
    assert restore(copy, elsewhere.backup).returncode == 0
    copy.start(ready=False)
    assert copy.process.wait(60) == 3
    assert (f"error: job {elsewhere.number} runs for another fairleadd, process {elsewhere.process.pid}, with the "
            f"state folder {elsewhere.state}\nhint: stop that one first") in copy.said()
    assert elsewhere.runs.lines == ["begin 1"]
    assert elsewhere.job(elsewhere.number)["state"] == "runs"


def test_a_restored_database_ends_what_it_does_not_know(daemon):
    """After the backup a job was started, another one was submitted: both run, and neither goes on unknown."""
    known = Witness(daemon, "known")
    blocker = daemon.submit("sleep", "60", requests={"cpu": "4"})
    daemon.wait(blocker, "runs")
    waits = known.job(daemon, requests={"cpu": "3"})
    backup = back_up(daemon)
    daemon.post(f"/v1/jobs/{blocker}/cancel")
    daemon.until(lambda: known.lines == ["begin 1"], "it runs")
    unknown = Witness(daemon, "unknown")
    other = unknown.job(daemon)
    daemon.until(lambda: unknown.lines, "it runs")
    daemon.stop(signal.SIGKILL)
    without_database(daemon)
    assert restore(daemon, backup).returncode == 1
    assert restore(daemon, backup, "--adopt-runs").returncode == 0
    daemon.start()
    assert not unknown.processes(), "nobody knows of it"
    assert daemon.get(f"/v1/jobs/{other}").status == 404
    assert (daemon.state / "stray" / f"{other}.1" / "run").exists()
    # It ran when the backup was made; that it was cancelled since then its folder says.
    assert daemon.wait(blocker)["state"] == "cancelled"
    daemon.until(lambda: len(known.lines) == 2, "it has its turn again")
    assert known.lines == ["begin 1", "begin 1"] and len(known.processes()) <= 2
    assert daemon.job(waits)["attempt"] == 1


# --- the image of the policy cannot be read, and a job is damaged ---

def spoil_image(daemon):
    for image in daemon.state.glob("checkpoint-*.image"):
        whole = bytearray(image.read_bytes())
        whole[-100] ^= 1
        image.write_bytes(whole)


def on_disk(daemon, statement):
    store = sqlite3.connect(daemon.state / "fairlead.db", timeout=60)
    rows = store.execute(statement).fetchall()
    store.commit()
    store.close()
    return rows


def all_events(daemon):
    return on_disk(daemon, "SELECT seq, n, kind, job FROM events")


SPOILT = {
    "spec": "UPDATE specs SET spec = replace(spec, 'sleep', 'sloop') WHERE job = {}",
    "changing": "UPDATE jobs SET losses = losses + 1 WHERE id = {}",
    "fixed": "UPDATE jobs SET uid = uid + 1 WHERE id = {}",
}


@pytest.mark.parametrize("what", SPOILT)
def test_a_damaged_job_ends_whole(daemon, what):
    """Its run, its quota, and whoever waits for it: when the policy begins afresh it is over for all."""
    witness = Witness(daemon)
    spoilt = witness.job(daemon)
    daemon.until(lambda: witness.lines, "it runs")
    daemon.wait(spoilt, "runs")
    over = daemon.submit("true")
    daemon.wait(over, "done")
    wants = {when: daemon.submit("true", after=[{"job": over}, {"job": spoilt, "when": when}])
             for when in ("ok", "failed", "any")}
    held = daemon.submit("true", hold=True, after=[{"job": spoilt}])
    behind = daemon.submit("true", after=[{"job": wants["ok"]}])
    other = daemon.submit("sleep", "60")
    daemon.wait(other, "runs")
    assert daemon.stop() == 0
    were = all_events(daemon)
    spoil_image(daemon)
    on_disk(daemon, SPOILT[what].format(spoilt))
    daemon.start()
    assert "begins without history" in daemon.said()
    assert not witness.processes(), "its run is ended"
    for number in (wants["ok"], held, behind):
        assert daemon.job(number)["state"] == "cancelled", (number, daemon.job(number))
    for when in "failed", "any":
        daemon.wait(wants[when], "done")
    daemon.wait(other, "runs")
    assert on_disk(daemon, f"SELECT attempt, ended FROM admissions WHERE job = {spoilt} AND "
                           "until IS NOT NULL") == [(1, "damaged")]
    assert on_disk(daemon, f"SELECT attempt, reason FROM jobs WHERE id = {spoilt} AND ended IS NOT NULL") == [
        (1, f"damaged: its {'spec' if what == 'spec' else 'row'} does not match its checksum")]
    assert [e["job"] for e in events(daemon, "Failed")] == [spoilt]
    assert sorted(e["job"] for e in events(daemon, "Cancelled")) == sorted([wants["ok"], held, behind])
    assert all(row in all_events(daemon) for row in were), "what was there is not written over"
    # All of it stands there for good, whatever the next start begins with.
    daemon.stop(signal.SIGKILL)
    daemon.start()
    assert daemon.job(behind)["state"] == "cancelled"
    assert [e["job"] for e in events(daemon, "Failed")] == [spoilt]


def test_the_end_of_a_damaged_job_stands_there_before_the_image(daemon):
    """Killed at once: an image that lacks it would never have it written down."""
    spoilt = daemon.submit("sleep", "60", hold=True)
    behind = daemon.submit("true", after=[{"job": spoilt}])
    assert daemon.stop() == 0
    spoil_image(daemon)
    on_disk(daemon, SPOILT["spec"].format(spoilt))
    before = {path.name for path in daemon.state.glob("checkpoint-*.image")}
    daemon.start(ready=False)
    daemon.until(lambda: {path.name for path in daemon.state.glob("checkpoint-*.image")} - before or
                 daemon.process.poll() is not None, "there is another image")
    daemon.stop(signal.SIGKILL)
    rows = dict(on_disk(daemon, "SELECT id, ended IS NOT NULL FROM jobs"))
    assert rows == {spoilt: 1, behind: 1}


def sum_of(*values):
    """As the store has it (src/store/sum.c), of numbers and texts."""
    lanes, most = [0, 0], (1 << 64) - 1

    def mix(v):
        lanes[0] = (lanes[0] ^ v) * 0x9e3779b97f4a7c15 & most
        lanes[0] = (lanes[0] << 31 | lanes[0] >> 33) & most
        lanes[1] = (lanes[1] + v + 0x7f4a7c15) * 0xc2b2ae3d27d4eb4f & most
        lanes[1] = (lanes[1] << 27 | lanes[1] >> 37) & most ^ lanes[0]
    for value in values:
        mix(2 if isinstance(value, int) else 3)
        if isinstance(value, int):
            mix(value & most)
            continue
        whole = value.encode()
        mix(len(whole))
        for at in range(0, len(whole) // 8 * 8 + 1, 8):
            mix(int.from_bytes(whole[at:at + 8], sys.byteorder))
    return lanes[1] - (1 << 64) if lanes[1] >> 63 else lanes[1]


def write_spec(store, number, spec):
    store.execute("UPDATE specs SET spec = ?, row_sum = ? WHERE job = ?", (spec, sum_of(number, spec), number))


def test_a_stored_job_of_an_older_program(daemon):
    """It took names that are refused now: they are no reason not to start."""
    odd = ["a\u200bb", "\U0001f469\u200d\U0001f4bb"]
    jobs = [daemon.submit("true", hold=True, name="odd name") for _ in odd]
    strange = daemon.submit("true", hold=True)
    for form in "name", "label":
        refused = daemon.post("/v1/jobs", {"queue": "default", "directory": "/", "command": ["true"],
                                           **({"name": odd[0]} if form == "name" else {"labels": {"team": odd[1]}})})
        assert refused.status == 400 and "characters that cannot be seen" in refused.error
    assert daemon.stop() == 0
    # As an older one had written it: with sums that fit.
    store = sqlite3.connect(daemon.state / "fairlead.db")
    for number, name in zip(jobs, odd):
        [(spec,)] = store.execute("SELECT spec FROM specs WHERE job = ?", (number,)).fetchall()
        spec = json.dumps({**json.loads(spec), "name": name}, ensure_ascii=False)
        write_spec(store, number, spec)
    write_spec(store, strange, '{"queue": "default", "whatever": 1}')
    store.commit()
    store.close()
    assert fairleadd("--verify", "--state", daemon.state).returncode == 0
    spoil_image(daemon)
    daemon.start()
    assert "begins without history" in daemon.said()
    for number in jobs:
        assert daemon.post(f"/v1/jobs/{number}/release").status == 200
        daemon.wait(number, "done")
    assert daemon.job(strange)["state"] == "failed"
    assert daemon.job(strange)["reason"].startswith("damaged: this version cannot read its spec")


@pytest.mark.parametrize("what", SPOILT)
def test_damage_is_no_mistake_of_who_asks(daemon, what):
    """A job that is over: what its row knows is told also without its spec; 503 where the row is another."""
    number = daemon.submit("sh", "-c", "echo said # sleep")
    daemon.wait(number, "done")
    assert daemon.stop() == 0
    on_disk(daemon, SPOILT[what].format(number))
    daemon.start()
    for ask, whole in ((lambda: daemon.get(f"/v1/jobs/{number}/log"), 200),
                       (lambda: daemon.get(f"/v1/jobs/{number}/explain"), 200),
                       (lambda: daemon.post(f"/v1/jobs/{number}/cancel"), 409)):
        answer = ask()
        assert answer.status == (whole if what == "spec" else 503), answer.text
        assert what == "spec" or f"job {number} is damaged" in answer.error
    if what == "spec":
        assert daemon.get(f"/v1/jobs/{number}/log").text == "said\n"


# --- a restored state says so ---

def fairlead(daemon, *args):
    return subprocess.run([os.environ["FAIRLEAD"], *args], capture_output=True, text=True, check=False,
                          env={**os.environ, **daemon.reached})


def events(daemon, kind):
    lines = daemon.get(f"/v1/events?after=0.0&limit=1000&kind={kind}").text.splitlines()
    return [json.loads(line) for line in lines]


def test_restored_is_told_until_it_is_acknowledged(behind):
    assert "warning" not in fairlead(behind.start(), "jobs").stderr
    assert behind.post("/v1/acknowledge").status == 409
    witness = Witness(behind)
    unknown = witness.job(behind)
    behind.until(lambda: witness.lines, "it runs")
    behind.stop(signal.SIGKILL)
    without_database(behind)
    assert restore(behind, behind.backup, "--adopt-runs").returncode == 0
    for _ in range(2):
        behind.start()
        text = behind.until(lambda: behind.get("/v1/health").json()["warning"], "it warns")
        assert re.fullmatch(re.escape(f"the state was restored from {behind.backup}: changes after ") +
                            r"20\d\d-\S+Z are lost; numbers go on above 7; runs that are not in it: 1 "
                            r"\(ended now: 1\)", text), text
        assert behind.get("/v1/health").json()["status"] == "ok"
        for path in "jobs", "queues":
            assert behind.get(f"/v1/{path}").json()["warning"] == text
            told = fairlead(behind, path)
            assert told.returncode == 0 and f"fairlead: warning: {text}\nhint: " in told.stderr
        assert [e["text"] for e in events(behind, "Restored")] == [text]
        assert [(e["job"], e["attempt"], e["text"]) for e in events(behind, "RunDisowned")] == [
            (unknown, 1, "it is not in the database: it was ended; its files are kept as "
             f"stray/{unknown}.1")]
        behind.stop(signal.SIGKILL)
    behind.start()
    assert fairlead(behind, "acknowledge").stdout == "acknowledged\n"
    for _ in range(2):
        assert behind.get("/v1/health").json()["warning"] is None
        assert "warning" not in behind.get("/v1/jobs").json()
        assert len(events(behind, "Acknowledged")) == 1
        # It is in the log with the next commit.
        behind.until(lambda: [a["action"] for a in behind.get("/v1/audit").json()["audit"]].count("acknowledge") == 1,
                     "it is in the audit log")
        behind.stop(signal.SIGKILL)
        behind.start()
    again = fairlead(behind, "acknowledge")
    assert again.returncode == 1 and "there is nothing to acknowledge" in again.stderr
    assert secret(behind, "latest") == unknown + 1


def test_adopted_at_the_start_is_told(behind):
    without_database(behind)
    behind.start("--adopt-runs")
    text = behind.until(lambda: behind.get("/v1/health").json()["warning"], "it warns")
    assert text == ("the last job in the database is 0, but there are folders of later jobs: what became of these "
                    "is not known; numbers go on above 6")
    behind.stop()
    behind.start()
    assert behind.get("/v1/health").json()["warning"] == text
