# SPDX-License-Identifier: Apache-2.0
"""The three processes of a daemon that root has started: what each may, and that none is missed.

FAIRLEAD_KILLS says how often each of them is killed; FAIRLEAD_SEED, when."""
import collections
import http.client
import os
import pathlib
import random
import signal
import subprocess
import threading
import time

import pytest

import conftest
from conftest import ACCOUNT, Daemon

KILLS = int(os.environ.get("FAIRLEAD_KILLS", "3"))
USERS = [65530, 65531]
WITNESS = """\
echo "$FAIRLEAD_JOB_ID $FAIRLEAD_ATTEMPT" >>"$1"
sleep "$2"
"""

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root starts three processes")


@pytest.fixture
def three(tmp_path):
    config = conftest.write_config(tmp_path)
    config.write_text(config.read_text().replace("jobs: {grace: 1s}", "jobs: {grace: 1s, losses: 1000}").replace(
        'cpu: "4"', 'cpu: "8"'))
    one = Daemon(tmp_path, config).start()
    yield one
    if one.process.poll() is not None:
        one.start()
    conftest.end(one)


def children(pid):
    return [int(one) for one in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def name_of(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def parent_of(pid):
    try:
        return int(status_of(pid)["PPid"])
    except OSError:
        return None


def spawner_of(daemon):
    return next((one for one in children(daemon.process.pid) if name_of(one) == "fairlead-spawn"), None)


def status_of(pid):
    lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    return dict(line.split(":\t", 1) for line in lines if ":\t" in line)


def test_who_is_what(three):
    job = three.submit("sleep", "1000")
    three.wait(job, "runs")
    daemon, spawner = three.process.pid, spawner_of(three)
    said = status_of(daemon)
    assert said["Uid"].split() == [str(ACCOUNT)] * 4
    assert (said["Groups"].split(), said["NoNewPrivs"]) == ([], "1")
    for kind in "CapInh", "CapPrm", "CapEff", "CapAmb":
        assert int(said[kind], 16) == 0, kind
    if not os.environ.get("FAIRLEAD_SANITIZED"):
        assert said["Seccomp"] == "2"
    # What it was as root is out of reach of others that are its account.
    assert os.stat(f"/proc/{daemon}/fd").st_uid == 0

    assert status_of(spawner)["Uid"].split() == ["0"] * 4
    assert sorted(os.listdir(f"/proc/{spawner}/fd"), key=int)[:4] == ["0", "1", "2", "3"]
    assert pathlib.Path(f"/proc/{spawner}/environ").read_bytes().count(b"\0") <= 3  # of sanitizers
    assert os.stat(three.state).st_uid == ACCOUNT
    assert oct(os.stat(three.state).st_mode & 0o777) == "0o700"


def test_runner_is_its_users(three):
    job = submit_as(three, USERS[0], "sleep", "1000")
    three.wait(job, "runs")
    [runner] = [one for one in runners_of(three) if status_of(one)["Uid"].split()[0] == str(USERS[0])]
    said = status_of(runner)
    assert said["Uid"].split() == said["Gid"].split() == [str(USERS[0])] * 4
    for kind in "CapInh", "CapPrm", "CapEff", "CapAmb":
        assert int(said[kind], 16) == 0, kind
    done = subprocess.run(["ls", f"/proc/{runner}/fd"], capture_output=True, text=True, check=False, cwd="/",
                          user=USERS[0], group=USERS[0], extra_groups=[])
    assert done.returncode != 0 and "denied" in done.stderr


def test_spawner_killed(three):
    """The daemon says so and ends with 3; a next one has all that ran, and starts what waits."""
    runs = three.submit("sleep", "1000")
    three.wait(runs, "runs")
    os.kill(spawner_of(three), signal.SIGKILL)
    assert three.process.wait(conftest.DEADLINE) == 3
    assert "fairlead-spawn, which starts the runs, has ended" in three.said()
    three.start()
    found = three.job(runs)
    assert (found["state"], len(found["attempts"])) == ("runs", 1)
    assert three.wait(three.submit("true"))["state"] == "done"


def test_daemon_killed(three):
    """Its spawner ends with it, and another one serves the next."""
    before = spawner_of(three)
    three.stop(signal.SIGKILL)
    three.until(lambda: name_of(before) != "fairlead-spawn", "its spawner has ended")
    three.start()
    assert spawner_of(three) not in (None, before)
    assert three.wait(three.submit("true"))["state"] == "done"


def test_a_spawner_that_is_late(three):
    """It removes the socket of its daemon, and not that of the next one, whatever number the file system gives to that."""
    late = spawner_of(three)
    os.kill(late, signal.SIGSTOP)
    three.stop(signal.SIGKILL)
    three.start()
    os.kill(late, signal.SIGCONT)
    three.until(lambda: name_of(late) != "fairlead-spawn", "it has ended")
    assert three.socket.exists() and three.get("/v1/health").status == 200
    assert three.stop() == 0 and not three.socket.exists()


# --- killed under load ---


def as_user(uid, daemon, ask):
    """What @ask returns, in a process of that user."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            os.setgroups([])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
            os.write(write, str(ask(daemon)).encode())
            code = 0
        finally:
            os._exit(code)
    os.close(write)
    with open(read, encoding="ascii") as said:
        text = said.read()
    os.waitpid(pid, 0)
    return text


def submit_as(daemon, uid, *command):
    number = as_user(uid, daemon, lambda one: one.submit(*command, directory="/"))
    return int(number) if number else None


def runners_of(daemon):
    """Not their children, which have the name until they are the command of a user."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if f"{daemon.state}/runs/".encode() in (path / "cmdline").read_bytes() and \
                    name_of(path.name) == "fairlead-runner":
                found.append(int(path.name))
        except OSError:
            pass
    return [one for one in found if parent_of(one) not in found]


class Load(threading.Thread):
    """One user's short and long jobs; what was acknowledged counts, whatever happens then."""

    def __init__(self, daemon, uid, witness):
        super().__init__(daemon=True)
        self.target_daemon, self.uid, self.witness = daemon, uid, witness
        self.random, self.acknowledged, self.ended = random.Random(uid), [], False

    def run(self):
        while not self.ended:
            seconds = 1.5 if self.random.random() < 0.1 else self.random.uniform(0, 0.1)
            try:
                number = submit_as(self.target_daemon, self.uid, "sh", "-c", WITNESS, "job", str(self.witness),
                                   f"{seconds:.3f}")
                if number:
                    self.acknowledged.append(number)
            except (OSError, http.client.HTTPException, AssertionError):
                pass
            time.sleep(self.random.uniform(0, 0.15))


def kill_one(daemon, what, rng):
    """The run whose runner it was, if it was one's."""
    time.sleep(rng.uniform(0, 0.25))
    if what == "daemon":
        daemon.stop(signal.SIGKILL)
        return None
    if what == "spawner":
        spawner = spawner_of(daemon)
        assert spawner, daemon.said()
        os.kill(spawner, signal.SIGKILL)
        assert daemon.process.wait(conftest.DEADLINE) == 3, daemon.said()
        daemon.log.close()
        return None
    return daemon.until(lambda: kill_a_runner(daemon, rng), "a short job runs")


def kill_a_runner(daemon, rng):
    found = [one for one in runners_of(daemon) if one not in daemon.spared]
    try:
        killed = rng.choice(found)
        run = pathlib.Path(f"/proc/{killed}/cmdline").read_bytes().split(b"\0")[1].decode()
        os.kill(killed, signal.SIGKILL)
    except (OSError, IndexError):  # there is none, or it has just ended
        return None
    number, attempt = run.split("/")[-2:]
    return int(number), int(attempt)


def test_each_killed_under_load(three, tmp_path):
    rng = random.Random(int(os.environ.get("FAIRLEAD_SEED", "4711")))
    loads = []
    for uid in USERS:
        witness = tmp_path / f"witness-{uid}"
        witness.touch()
        os.chown(witness, uid, uid)
        loads.append(Load(three, uid, witness))
    long_ones = [submit_as(three, uid, "sleep", "100000") for uid in USERS]
    for number in long_ones:
        three.wait(number, "runs")
    three.spared = runners_of(three)
    assert len(three.spared) == len(USERS)
    for load in loads:
        load.start()
    todo = [what for what in ("daemon", "spawner", "runner") for _ in range(KILLS)]
    rng.shuffle(todo)
    killed, counts = set(), collections.Counter()
    for what in todo:
        run = kill_one(three, what, rng)
        counts[what] += 1
        killed |= {run} - {None}
        if what != "runner":
            three.start()
    for load in loads:
        load.ended = True
    for load in loads:
        load.join()

    acknowledged = [number for load in loads for number in load.acknowledged]
    assert len(set(acknowledged)) == len(acknowledged) > KILLS, "a number given twice, or no load"
    three.until(lambda: len(three.get("/v1/jobs?limit=1000").json()["jobs"]) == len(long_ones), "all are done",
                seconds=60 + 2 * KILLS)
    ran = collections.Counter()
    for load in loads:
        for line in load.witness.read_text().splitlines():
            number, attempt = map(int, line.split())
            ran[number, attempt] += 1
    assert not [run for run, times in ran.items() if times != 1], "run twice"
    for number in acknowledged:
        found = three.job(number)  # none is lost
        assert found["state"] == "done", (found, three.said())
        attempts = len(found["attempts"])
        assert (number, attempts) in ran, found
        # More than one run only where a runner was killed.
        again = {attempt for attempt in range(1, attempts) if (number, attempt) not in killed}
        assert not again, (found, killed)
    for number in long_ones:
        found = three.job(number)
        assert (found["state"], len(found["attempts"])) == ("runs", 1), found
    assert sorted(runners_of(three)) == sorted(three.spared)
    print(f"\nkilled: {dict(counts)}; {len(acknowledged)} jobs, {len(ran)} runs, 0 lost, 0 twice")
