# SPDX-License-Identifier: Apache-2.0
"""What the daemon survives: killed at any moment, a full disk, a damaged store, odd requests.

FAIRLEAD_KILLS is how often it is killed (30; `make soak`: 200).
"""
import collections
import http.client
import json
import os
import random
import signal
import socket
import sqlite3
import subprocess
import threading
import time

import pytest

from conftest import OVER, Daemon

KILLS = int(os.environ.get("FAIRLEAD_KILLS", "30"))

COMPANY = """
apiVersion: fairlead.dev/v1alpha1
kind: Daemon
metadata: {name: faults}
spec:
  machine:
    cohort: company
    flavors: [{name: default, resources: {cpu: "4", memory: 4Gi}}]
  jobs: {grace: 1s, losses: 3}
  cycleInterval: 5ms
---
apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
fairSharing: {}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: a}
spec: {cohortName: company, namespaceSelector: {}, preemption: {reclaimWithinCohort: Any}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: b}
spec: {cohortName: company, namespaceSelector: {}, preemption: {reclaimWithinCohort: Any}}
---
apiVersion: fairlead.dev/v1alpha1
kind: Policy
metadata: {name: settles}
spec: {preemptionGuarantee: settles}
"""

# Says when an attempt begins and, unless it is told to go, when it ends; one write is one line, and
# nothing is forked that a signal could take away.
WITNESS = """
say() { read -r up rest < /proc/uptime; echo "$FAIRLEAD_JOB_ID $FAIRLEAD_ATTEMPT $1 $up $CPUS" >> "$WITNESS"; }
say begin
trap 'say end; exit 143' TERM
sleep "$1" & wait $!
say end
"""


def job(queue="a", command=("true",), cpu="1", **more):
    return {"queue": queue, "command": list(command), "directory": "/",
            "requests": {"cpu": cpu}, **more}


def submit(daemon, one):
    answer = daemon.post("/v1/jobs", one)
    assert answer.status == 201, answer.text
    return answer.json()["jobs"][0]


@pytest.fixture
def company(tmp_path):
    path = tmp_path / "daemon.yaml"
    path.write_text(COMPANY)
    daemon = Daemon(tmp_path, path)
    yield daemon
    if daemon.process:
        daemon.stop(signal.SIGKILL)
    subprocess.run(["pkill", "-9", "-f", f"fairlead-runner.*{tmp_path}"], check=False)


def all_jobs(daemon):
    jobs, after = {}, 0
    while True:
        answer = daemon.get(f"/v1/jobs?state=held,depends,waits,starts,runs,stops,done,failed,"
                            f"cancelled&after={after}&limit=1000").json()
        for row in answer["jobs"]:
            jobs[row["id"]] = row
            after = max(after, row["id"])
        if not answer["more"]:
            return jobs


class Load(threading.Thread):
    """Submits until it is told to end; what was acknowledged counts, whatever happens then."""

    def __init__(self, daemon, seed, witness):
        super().__init__(daemon=True)
        self.target_daemon, self.witness = daemon, witness
        self.random, self.acknowledged, self.ended = random.Random(seed), [], False

    def run(self):
        while not self.ended:
            cpus = str(self.random.randint(1, 3))
            one = job(self.random.choice("ab"), ["sh", "-c", WITNESS, "job",
                                                 f"{self.random.uniform(0.02, 0.3):.3f}"], cpu=cpus,
                      environment={"WITNESS": str(self.witness), "PATH": os.environ["PATH"], "CPUS": cpus})
            if self.random.random() < 0.05:
                one["hold"] = True
            if self.random.random() < 0.05:
                one["array"] = 3
            try:
                answer = self.target_daemon.post("/v1/jobs", one)
                if answer.status == 201:
                    self.acknowledged += answer.json()["jobs"]
            except (OSError, http.client.HTTPException):  # it was killed: no answer
                time.sleep(0.01)
            time.sleep(self.random.uniform(0, 0.4))


class Meddler(threading.Thread):
    """Cancels, holds and releases what was submitted, asks, and makes backups."""

    def __init__(self, daemon, seed, loads):
        super().__init__(daemon=True)
        self.target_daemon, self.random, self.loads = daemon, random.Random(seed), loads
        self.cancelled, self.backups, self.ended = {}, [], False
        self.asked = set()  # to be cancelled, whether anybody answered or not

    def once(self):
        number = self.random.choice([n for load in self.loads for n in load.acknowledged[-20:]] or [1])
        what = self.random.choice(["cancel", "hold", "release", "ask", "backup"])
        if what == "ask":
            self.target_daemon.get(self.random.choice(["/v1/queues", "/metrics", "/v1/plan?cycles=2", "/v1/history"]))
        elif what == "backup":
            to = self.target_daemon.folder / f"backup-{len(self.backups)}-{self.random.randrange(1 << 30)}"
            if self.target_daemon.post(f"/v1/backup?to={to}").status == 200:
                self.backups.append(to)
        else:
            if what == "cancel":
                self.asked.add(number)
            if self.target_daemon.post(f"/v1/jobs/{number}/{what}").status == 200 and what == "cancel":
                self.cancelled.setdefault(number, uptime())

    def run(self):
        while not self.ended:
            try:
                self.once()
            except (OSError, http.client.HTTPException):
                pass
            time.sleep(self.random.uniform(0, 0.1))


def uptime():
    with open("/proc/uptime", encoding="ascii") as f:
        return float(f.read().split()[0])


def runs_of(witness):
    """(job, attempt) -> [(begin, end or None)], as the jobs themselves saw it."""
    runs = collections.defaultdict(list)
    for line in witness.read_text().splitlines():
        number, attempt, what, at, _cpus = line.split()
        if what == "begin":
            runs[int(number), int(attempt)].append([float(at), None])
        elif runs[int(number), int(attempt)]:
            runs[int(number), int(attempt)][-1][1] = float(at)
    return runs


def most_at_once(witness):
    """Cpus of all that ran at the same time, of runs that said when they ended."""
    runs, steps, now, most = {}, [], 0, 0
    for line in witness.read_text().splitlines():
        number, attempt, what, at, cpus = line.split()
        if what == "begin":
            runs[number, attempt] = float(at), int(cpus)
        elif (number, attempt) in runs:
            began, cpus = runs.pop((number, attempt))
            steps += [(began, cpus), (float(at), -cpus)]
    for _, cpus in sorted(steps):
        now += cpus
        most = max(most, now)
    return most


def kill_somehow(daemon, rng):
    """While it works, while it begins, while it ends, or after it was stopped for a while."""
    how = rng.random()
    time.sleep(rng.uniform(0.01, 0.4))
    if how < 0.2:
        daemon.stop(signal.SIGKILL)
        daemon.start(ready=False)
        time.sleep(rng.uniform(0, 0.1))
    elif how < 0.35:
        daemon.process.send_signal(signal.SIGTERM)
        time.sleep(rng.uniform(0, 0.03))
    elif how < 0.45:
        daemon.process.send_signal(signal.SIGSTOP)
        time.sleep(rng.uniform(0, 0.4))
    daemon.stop(signal.SIGKILL)


def test_killed_under_load(company, tmp_path, record_property):
    """kill -9 at random moments: nothing acknowledged is lost, nothing runs twice."""
    rng = random.Random(int(os.environ.get("FAIRLEAD_SEED", "4711")))
    witness = tmp_path / "witness"
    witness.touch()
    company.start()
    loads = [Load(company, seed, witness) for seed in range(3)]
    for load in loads:
        load.start()
    recoveries = []
    meddler = Meddler(company, 17, loads)
    meddler.start()
    for _ in range(KILLS):
        kill_somehow(company, rng)
        began = time.monotonic()
        company.start()
        recoveries.append(time.monotonic() - began)
    for thread in (*loads, meddler):
        thread.ended = True
    for thread in (*loads, meddler):
        thread.join()
    acknowledged = {n for load in loads for n in load.acknowledged}
    for row in all_jobs(company).values():
        if row["state"] not in OVER:
            company.post(f"/v1/jobs/{row['id']}/release")
    company.until(lambda: not company.get("/v1/jobs").json()["jobs"], "everybody is done",
                  seconds=60 + 2 * KILLS)

    jobs, runs = all_jobs(company), runs_of(witness)
    assert acknowledged <= set(jobs), "lost"
    assert len(acknowledged) == sum(len(load.acknowledged) for load in loads), "a number given twice"
    for number in acknowledged:
        # Who is cancelled though nobody was told so: the daemon was killed before it answered.
        assert (jobs[number]["state"] == "cancelled" and number in meddler.asked) or (
            jobs[number]["state"] == "done" and number not in meddler.cancelled), jobs[number]
    assert sum(jobs[n]["state"] == "done" for n in acknowledged) > len(acknowledged) // 3
    for (number, _attempt), times in runs.items():
        # A runner that was about to start it may be late by as much as the machine is busy.
        assert number not in meddler.cancelled or times[0][0] < meddler.cancelled[number] + 5, "it ran after that"
    for run, times in runs.items():
        assert len(times) == 1, f"{run} ran {len(times)} times"
    spans = collections.defaultdict(list)
    for (number, _attempt), [(begin, end)] in runs.items():
        spans[number].append((begin, end or begin))
    for number, times in spans.items():
        times.sort()
        for (_, end), (begin, _) in zip(times, times[1:]):
            assert begin >= end, f"two attempts of {number} at once"

    assert most_at_once(witness) <= 4, "more ran than there is"
    company.stop()
    for state in (company.state, *meddler.backups):
        verify = subprocess.run([os.environ["FAIRLEADD"], "--verify", "--state", str(state)],
                                capture_output=True, text=True, check=False)
        assert verify.returncode == 0, verify.stderr
    check_history(company, runs)
    print(f"\n{KILLS} kills, {len(acknowledged)} jobs, {len(runs)} runs, recovery "
          f"{sorted(recoveries)[len(recoveries) // 2]:.2f} s median, {max(recoveries):.2f} s at most")


def check_history(daemon, runs):
    """Each run that was seen stands in the history, and each that stands there was over."""
    store = sqlite3.connect(daemon.state / "fairlead.db")
    rows = store.execute("SELECT job, attempt, since, until FROM admissions").fetchall()
    assert len({(r[0], r[1]) for r in rows}) == len(rows)
    assert set(runs) <= {(r[0], r[1]) for r in rows}
    assert all(r[3] is not None and r[3] >= r[2] for r in rows)
    counts = store.execute("SELECT count(*), max(seq) FROM journal").fetchone()
    assert counts[0] <= counts[1]
    store.close()


def test_runner_killed(company):
    company.start()
    number = submit(company, job(command=["sleep", "60"]))
    company.until(lambda: company.job(number)["state"] == "runs", "it runs")
    before = company.job(number)["attempt"]
    subprocess.run(["pkill", "-9", "-f", f"fairlead-runner.*{company.state}"], check=True)
    company.until(lambda: company.job(number)["attempt"] > before, "it runs again")
    assert company.job(number)["losses"] == 1
    lost = [line for line in company.get("/metrics").text.splitlines()
            if line.startswith("fairlead_job_losses_total{")]
    assert len(lost) == 1 and lost[0].endswith(" 1"), lost


def test_runner_and_daemon_killed(company):
    """What the job has started in sessions of its own goes with it, before it runs again."""
    company.start()
    mark = f"{os.getpid()}.5"  # to be found by
    number = submit(company, job(command=["sh", "-c", f"setsid sleep 6{mark} & (setsid sleep 6{mark} &); sleep 6{mark}"]))
    sleeps = ["pgrep", "-fc", f"^sleep 6{mark}$"]
    company.until(lambda: subprocess.run(sleeps, capture_output=True, text=True, check=False).stdout == "3\n",
                  "all are there")
    company.until(lambda: company.job(number)["state"] == "runs", "it runs")
    company.stop(signal.SIGKILL)
    subprocess.run(["pkill", "-9", "-f", f"fairlead-runner.*{company.state}"], check=True)
    company.start()
    company.until(lambda: company.job(number)["attempt"] == 2, "it runs again")
    company.until(lambda: company.job(number)["state"] == "runs", "it runs")
    assert company.job(number)["losses"] == 1
    company.until(lambda: subprocess.run(sleeps, capture_output=True, text=True, check=False).stdout == "3\n",
                  "those of the second attempt are there, and none of the first")
    company.post(f"/v1/jobs/{number}/cancel")
    company.until(lambda: company.job(number)["state"] == "cancelled", "it is gone")
    assert subprocess.run(sleeps, capture_output=True, text=True, check=False).stdout == "0\n"


def test_second_daemon(company, tmp_path):
    company.start()
    other = Daemon(tmp_path, company.config)
    other.socket = tmp_path / "other.sock"
    other.start(ready=False)
    assert other.process.wait(20) == 3
    assert str(company.process.pid) in other.said()
    assert company.get("/v1/health").status == 200


@pytest.mark.parametrize("damage", ["header", "truncated", "newer", "another"])
def test_damaged_store(company, damage):
    company.start()
    submit(company, job())
    company.stop()
    path = company.state / "fairlead.db"
    if damage == "header":
        with open(path, "r+b") as f:
            f.write(b"not a database at all, is it?...")
    elif damage == "truncated":
        os.truncate(path, path.stat().st_size // 2)
    else:
        store = sqlite3.connect(path)
        store.execute("PRAGMA user_version = 999" if damage == "newer" else
                      "PRAGMA application_id = 42")
        store.commit()
        store.close()
    before = path.read_bytes()
    company.start(ready=False)
    assert company.process.wait(20) in (1, 3)
    assert "hint:" in company.said()
    assert path.read_bytes() == before


def test_cut_off_checkpoint(company):
    company.start()
    company.submit(queue="a")
    company.stop()
    for image in company.state.glob("checkpoint-*"):
        image.write_bytes(image.read_bytes()[:-40])
    company.start(ready=False)
    assert company.process.wait(20) == 1
    assert "hint:" in company.said()


def test_other_checkpoint(company):
    """The image of the policy cannot be read, as after an upgrade: the jobs are there."""
    company.start()
    running = submit(company, job(command=["sleep", "60"], cpu="4"))
    company.until(lambda: company.job(running)["state"] == "runs", "it runs")
    waiting = submit(company, job(cpu="4"))
    company.stop()
    for image in company.state.glob("checkpoint-*"):
        whole = bytearray(image.read_bytes())
        whole[-100] ^= 1
        image.write_bytes(whole)
    company.start()
    assert company.job(running)["state"] == "runs"
    assert company.job(running)["attempt"] == 1
    assert company.job(waiting)["state"] == "waits"
    assert "begins without history" in company.said()
    company.post(f"/v1/jobs/{running}/cancel")
    company.until(lambda: company.job(waiting)["state"] == "done", "the other one had its turn")


def test_read_only_state(company):
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    company.start()
    company.stop()
    os.chmod(company.state, 0o500)
    company.start(ready=False)
    assert company.process.wait(20) == 3
    os.chmod(company.state, 0o700)


@pytest.fixture
def small_disk(tmp_path):
    """A small file system; where none can be mounted the test is left out."""
    path = tmp_path / "small"
    path.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", path],
                      capture_output=True, check=False).returncode:
        pytest.skip("nothing can be mounted here")
    yield path
    subprocess.run(["umount", "-l", path], check=False)


def test_disk_full(company, small_disk):
    company.state = small_disk / "state"
    company.start()
    running = submit(company, job(command=["sh", "-c", "sleep 2; exit 7"]))
    company.until(lambda: company.job(running)["state"] == "runs", "it runs")
    filler = small_disk / "filler"
    full = os.open(filler, os.O_WRONLY | os.O_CREAT)
    for size in (1 << 20, 4096):
        try:
            while os.write(full, b"x" * size):
                pass
        except OSError:
            pass
    os.close(full)
    refused = None
    for _ in range(2000):
        answer = company.post("/v1/jobs", job(environment={"X": "y" * 2000}))
        if answer.status == 503:
            refused = answer
            break
    assert refused is not None and "full" in refused.text
    assert company.get("/v1/health").status == 503
    errors = next(line for line in company.get("/metrics").text.splitlines()
                  if line.startswith("fairlead_store_errors_total "))
    assert int(errors.split()[1]) >= 1
    time.sleep(2.5)  # the job ends meanwhile: nobody can write that down
    filler.unlink()
    company.until(lambda: company.get("/v1/health").status == 200, "it writes again")
    company.until(lambda: company.job(running)["state"] == "failed", "what became of it is known")
    assert company.job(running)["exit"]["status"] == 7
    assert company.post("/v1/jobs", job()).status == 201


@pytest.mark.parametrize("bytes_", [
    b"\0" * 4096, b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n",
    b"POST /v1/jobs HTTP/1.1\r\nContent-Length: 99999999999999\r\n\r\n",
    b"POST /v1/jobs HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    b"GET /" + b"a" * 100000 + b" HTTP/1.1\r\n\r\n",
    b"GET /v1/jobs/../../etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n",
    b"POST /v1/jobs HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n{\"a\":",
], ids=["zeros", "no path", "version", "length", "chunks", "long", "dots", "cut off"])
def test_odd_requests(company, bytes_):
    company.start()
    s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    s.connect(str(company.socket))
    s.settimeout(2)
    try:
        s.sendall(bytes_)
        s.recv(65536)
    except OSError:
        pass
    s.close()
    assert company.get("/v1/health").status == 200


ODD = ["../../etc", "a b", "ü\n", "x" * 300, "$(reboot)", "';--", "\x1b[31m", "-rf", "%s%n"]


@pytest.mark.parametrize("text", ODD, ids=range(len(ODD)))
def test_odd_texts(company, text):
    """Anything in a name, path, argument or variable: refused, or kept as it is."""
    company.start()
    number = None
    answer = company.post("/v1/jobs", job(name=text))
    assert answer.status in (201, 400)
    answer = company.post("/v1/jobs", job(queue=text))
    assert answer.status in (400, 404)
    answer = company.post("/v1/jobs", job(command=["sh", "-c", 'printf %s "$X$1"', "sh", text],
                                          environment={"X": text, "PATH": os.environ["PATH"]}))
    if answer.status == 201:
        number = answer.json()["jobs"][0]
        company.until(lambda: company.job(number)["state"] in OVER, "it is over")
        assert company.get(f"/v1/jobs/{number}/log").body == (text + text).encode()
    answer = company.post("/v1/jobs", job(directory="/" + text))
    if answer.status == 201:
        number = answer.json()["jobs"][0]
        company.until(lambda: company.job(number)["state"] in OVER or
                      company.job(number)["losses"] > 0, "it cannot start")
    assert company.get("/v1/health").status == 200


def test_stubborn_jobs(company):
    """One ignores the signal, one forks without end, one fills its log."""
    company.start()
    mark = f"stubborn-{os.getpid()}"  # others may run this test, too
    deaf = submit(company, job(command=["sh", "-c", "trap '' TERM; while :; do sleep 1; done", mark]))
    forks = submit(company, job(command=[
        "sh", "-c", "f() { trap '' TERM; sleep 0.05; [ $1 -gt 0 ] && { f $(($1 - 1)) & "
        "f $(($1 - 1)) & }; while :; do sleep 1; done; }; f 5", mark]))
    loud = submit(company, job(command=["sh", "-c", "while :; do echo loud; done", mark]))
    for number in (deaf, forks, loud):
        company.until(lambda: company.job(number)["state"] == "runs", "it runs")
    time.sleep(0.5)
    for number in (deaf, forks, loud):
        assert company.post(f"/v1/jobs/{number}/cancel").status == 200
    for number in (deaf, forks, loud):
        company.until(lambda: company.job(number)["state"] == "cancelled", "it is gone")
    left = subprocess.run(["pgrep", "-f", mark], capture_output=True, text=True,
                          check=False).stdout
    assert left == ""


def test_output_beyond_the_limit(company):
    """It is dropped and counted, and the job goes on to its end."""
    company.config.write_text(COMPANY.replace("losses: 3", "losses: 3, outputLimit: 1000"))
    company.start()
    loud = submit(company, job(command=["sh", "-c", "head -c 5000 /dev/zero; exit 7"]))
    company.until(lambda: company.job(loud)["state"] == "failed", "it went on to its end")
    assert company.job(loud)["exit"]["status"] == 7
    log = company.get(f"/v1/jobs/{loud}/log").body
    assert log.startswith(b"\0" * 1000) and b"1000 bytes]" in log and len(log) < 1100
    assert company.job(loud)["outputLost"] == 4000


@pytest.mark.parametrize("spec, reason", [
    ({"command": ["/none/such"]}, "cannot run '/none/such': No such file or directory"),
    ({"directory": "/none/such"}, "cannot go to the directory '/none/such': No such file or directory"),
    ({"output": "/none/such"}, "cannot write output to '/none/such': No such file or directory"),
], ids=["program", "directory", "output"])
def test_cannot_be_started(company, spec, reason):
    company.start()
    number = submit(company, {**job(), **spec})
    company.until(lambda: company.job(number)["state"] == "failed", "it is not tried again")
    reason = f"impossible: {reason}"
    assert (company.job(number)["reason"], company.job(number)["attempt"]) == (reason, 1)
    assert company.get(f"/v1/jobs/{number}/explain").text == f"job {number}: failed, {reason}\n"


def test_job_that_was_over_before_a_restart(company):
    company.start()
    number = submit(company, job())
    company.until(lambda: company.job(number)["state"] == "done", "it is done")
    company.stop()
    company.start()
    answer = company.post(f"/v1/jobs/{number}/cancel")
    assert (answer.status, answer.error) == (409, f"job {number} has ended")


def check(daemon):
    return subprocess.run([os.environ["FAIRLEADD"], "--check", "--config", daemon.config.name], text=True,
                          cwd=daemon.folder, capture_output=True, check=False)


def test_wrong_configuration(company):
    """At the start nothing begins; at a reload the one before stays, and the log says so."""
    company.start()
    company.config.write_text(COMPANY.replace("cohort: company", "cohort: compny"))
    wrong = ("daemon.yaml:2:1: error: Daemon/faults .spec.machine.cohort: there is no cohort 'compny'\n"
             "hint: did you mean 'company'?\n")
    company.process.send_signal(signal.SIGHUP)
    company.until(lambda: "the configuration was not changed" in company.said(), "it says that it stays")
    assert wrong in company.said()
    assert company.get("/v1/health").status == 200
    company.stop()
    company.start(ready=False)
    assert company.process.wait(20) == 1
    assert check(company).stderr == wrong
    assert check(company).returncode == 1


def test_odd_configuration(company):
    """What is taken all the same is warned of: when it is checked, at the start, at a reload."""
    odd = COMPANY.replace("fairSharing: {}", "fairsharing: {}").replace(
        "metadata: {name: b}\nspec: {cohortName: company,", "metadata: {name: b}\nspec: {cohortName: compny,")
    says = ["warning: Configuration .fairsharing: unknown field 'fairsharing'; did you mean 'fairSharing'?",
            "warning: ClusterQueue/b: the queue has no quota, so no job that asks for a resource can run; "
            "give it resourceGroups, or put it below the machine's cohort 'company'"]
    company.config.write_text(odd)
    checked = check(company)
    assert (checked.returncode, checked.stdout) == (0, "the configuration is valid\n")
    assert all(text in checked.stderr for text in says)
    company.start()
    assert all(company.said().count(text) == 1 for text in says)
    company.config.write_text(odd.replace('cpu: "4"', 'cpu: "8"').replace("losses: 3", "losses: 3, outputLimit: 1Mi"))
    answer = company.post("/v1/reload")
    assert answer.status == 200
    assert all(company.said().count(text) == 2 for text in says)
    # Who asked is told the same.
    warnings = answer.json()["warnings"]
    assert all(any(text in line for line in warnings) for text in says)
    assert ("these settings count from the next start on: .spec.machine.flavors, .spec.jobs.outputLimit"
            in warnings)
    assert len(warnings) == len(set(warnings))
    assert "these settings count from the next start on: .spec.machine.flavors, .spec.jobs.outputLimit" in company.said()


# From right to left, without width, a new line, a control character of a terminal.
NOT_SEEN = ["\u202e", "\u200b", "\u2028", "\u2066", "\x9b", "\x1b"]


@pytest.mark.parametrize("odd", NOT_SEEN)
def test_names_that_are_not_what_one_sees(company, odd):
    """Refused for jobs; of objects they are shown as '?': when it is checked, too."""
    name = f"a{odd}b"
    company.config.write_text(COMPANY + f"""---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {{name: {json.dumps(name)}}}
spec: {{cohortName: {json.dumps("no" + odd + "where")}, {json.dumps("fi" + odd + "eld")}: 1}}
""")
    checked = check(company)
    said = checked.stdout + checked.stderr
    assert "a?b" in said or "a??b" in said or "a???b" in said
    assert odd not in said
    company.start()
    company.until(lambda: company.is_up(), "it is up")
    assert odd not in company.said()
    for more in {"name": name}, {"queue": name}, {"labels": {"a": name}}:
        answer = company.post("/v1/jobs", job(**more))
        assert answer.status == 400, answer.text
    tree = company.get("/v1/tree?format=text")
    assert tree.status == 200 and odd not in tree.text
    environment = {**os.environ, **company.reached}
    for verb in ["tree"], ["plan"], ["queues"]:
        done = subprocess.run([os.environ["FAIRLEAD"], *verb, "--socket", str(company.socket)],
                              capture_output=True, text=True, env=environment)
        assert odd not in done.stdout + done.stderr, verb
