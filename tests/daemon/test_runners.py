# SPDX-License-Identifier: Apache-2.0
"""Runners that are killed, daemons that are not there meanwhile, jobs that do not want to end; each
with control groups and without."""
import os
import pathlib
import signal

import pytest

import conftest
from conftest import Daemon

JOBS = "jobs: {grace: 1s, losses: 3}"
UNTIL_TOLD = "until [ -e end ]; do sleep 0.05; done"


@pytest.fixture(params=["auto", "off"])
def place(request, tmp_path):
    config = conftest.write_config(tmp_path)
    config.write_text(config.read_text().replace("jobs: {grace: 1s}", JOBS).replace(
        "  machine:\n", f"  machine:\n    cgroup: {request.param}\n").replace('cpu: "4"', 'cpu: "8"'))
    daemon = Daemon(tmp_path, config).start()
    daemon.mark = f"770{os.getpid()}"  # seconds that nobody else sleeps for
    yield daemon
    if daemon.process.poll() is not None:
        daemon.start()
    conftest.end(daemon)


def processes(mark):
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if mark in (path / "cmdline").read_text(errors="replace"):
                found.append((int(path.name), (path / "stat").read_text().rsplit(")", 1)[1].split()[0]))
        except OSError:
            pass
    return [pid for pid, state in found if state != "Z"]


def kill_runner(place, number):
    pids = processes(f"{place.state}/runs/{number}/")
    assert len(pids) > 0
    # Children that are about to be the command have its name, too: the first is the runner.
    os.kill(min(pids), signal.SIGKILL)


def hidden(place):
    """In sessions of their own, without an environment, stopped: nothing of ours to be found by."""
    m = place.mark
    return ["sh", "-c", f"setsid env -i sleep {m}1 & (setsid setsid env -i sleep {m}2 &); "
            f"(setsid env -i sh -c 'kill -STOP $$; : {m}3' &); echo >>up; sleep {m}4"]


def lines(place, name="up"):
    path = place.folder / name
    return path.read_text().count("\n") if path.exists() else 0


def left(place):
    place.until(lambda: not processes(place.mark), "nothing is left of it")


def is_contained(place, number):
    return place.job(number)["contained"]


def test_runner_killed_again_and_again(place):
    number = place.submit(*hidden(place))
    for attempt in range(1, 5):
        place.until(lambda: lines(place) == attempt, "it runs")
        place.wait(number, "runs")
        if not is_contained(place, number):
            pytest.skip("neither control groups nor namespaces of processes are available")
        assert (place.job(number)["attempt"], place.job(number)["losses"]) == (attempt, attempt - 1)
        # Of an earlier attempt nothing runs beside it.
        place.until(lambda: len(processes(place.mark)) in (4, 5), "what it starts is there")
        kill_runner(place, number)
        place.until(lambda: place.job(number)["losses"] == attempt or place.job(number)["state"] == "failed",
                    "it was lost")
        if place.job(number)["state"] == "failed":
            break
    job = place.job(number)
    assert (job["state"], job["reason"], job["losses"]) == ("failed", "lost", 3)
    left(place)


def test_runner_killed_without_daemon(place):
    number = place.submit(*hidden(place))
    place.until(lambda: lines(place) == 1, "it runs")
    place.wait(number, "runs")
    contained = is_contained(place, number)
    if not contained:
        pytest.skip("neither control groups nor namespaces of processes are available")
    place.stop(signal.SIGKILL)
    kill_runner(place, number)
    place.start()
    place.until(lambda: lines(place) == 2, "it runs again")
    job = place.wait(number, "runs")
    assert (job["attempt"], job["losses"]) == (2, 1)
    assert place.post(f"/v1/jobs/{number}/cancel").status == 200
    assert place.wait(number)["state"] == "cancelled"
    left(place)


def test_runner_killed_while_the_daemon_is_stopped(place):
    lost = place.submit("sleep", f"{place.mark}1")
    ends = place.submit("sh", "-c", f"{UNTIL_TOLD}; exit 7")
    place.wait(lost, "runs"), place.wait(ends, "runs")
    place.process.send_signal(signal.SIGSTOP)
    (place.folder / "end").touch()
    kill_runner(place, lost)
    place.until(lambda: not processes(f"{place.state}/runs/{ends}/"), "the other one has ended")
    place.process.send_signal(signal.SIGCONT)
    assert place.wait(ends)["exit"]["status"] == 7
    place.until(lambda: place.job(lost)["attempt"] == 2, "it runs again")


def test_jobs_that_end_without_daemon(place):
    commands = f"{UNTIL_TOLD}; exit 9", f"{UNTIL_TOLD}; kill -11 $$", UNTIL_TOLD
    numbers = [place.submit("sh", "-c", command) for command in commands]
    for number in numbers:
        place.wait(number, "runs")
    place.stop(signal.SIGKILL)
    (place.folder / "end").touch()
    place.until(lambda: not processes(f"{place.state}/runs/"), "all have ended")
    place.start()
    ends = [(place.wait(n)["state"], place.job(n)["exit"]["kind"], place.job(n)["exit"]["status"])
            for n in numbers]
    assert ends == [("failed", "exited", 9), ("failed", "signalled", 11), ("done", "exited", 0)]
    assert [place.job(n)["attempt"] for n in numbers] == [1, 1, 1]


RACE = """
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
end = time.time() + 20
for i in range(10):
    if os.fork() == 0:
        os.setsid()
        while time.time() < end:
            if os.fork() == 0:
                os.setsid()
            else:
                os._exit(0)
time.sleep(1000)
"""
OWN = """
import os, sys, time
for i in range(10):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.environ.clear()
            os.execvp("sleep", ["sleep", sys.argv[1]])
        os._exit(0)
time.sleep(1000)
"""


@pytest.mark.parametrize("what", ["deaf", "sessions", "stopped", "polite", "own", "race"])
def test_cancelled_with_all_that_it_started(place, what):
    m = place.mark
    command = {
        "deaf": ["sh", "-c", f"trap '' TERM; while :; do sleep {m}1; done"],
        "sessions": ["sh", "-c", "for i in 1 2 3 4 5 6 7 8; do (setsid env -i sh -c "
                     f"\"trap '' TERM HUP; sleep {m}1\" &); done; sleep {m}2"],
        "stopped": ["sh", "-c", f"kill -STOP $$; sleep {m}1"],
        "polite": ["sh", "-c", f"trap 'exit 0' TERM; sleep {m}1 & wait"],
        "own": ["python3", "-c", OWN, f"{m}1"],
        "race": ["python3", "-c", RACE, f"{m}1"],
    }[what]
    number = place.submit(*command)
    place.wait(number, "runs")
    place.until(lambda: processes(m), "it is there")
    assert place.post(f"/v1/jobs/{number}/cancel").status == 200
    assert place.wait(number)["state"] == "cancelled"
    assert processes(m) == []


def test_what_ended_jobs_leave_behind(place):
    number = place.submit("sh", "-c", f"(setsid env -i sleep {place.mark}1 &); exit 0")
    assert place.wait(number)["state"] == "done"
    assert processes(place.mark) == []


def test_time_limit_of_a_deaf_job(place):
    number = place.submit("sh", "-c", "trap '' TERM; while :; do sleep 0.1; done", timeLimit="3s",  # to become deaf
                          grace="200ms")
    job = place.wait(number)
    assert job["state"] == "failed" and "time limit" in job["reason"]
    assert (job["exit"]["kind"], job["exit"]["status"]) == ("signalled", 9)


def test_many_tasks(place):
    number = place.submit("sh", "-c", "echo $FAIRLEAD_TASK", tasks=200, requests={"cpu": "1m"})
    assert place.wait(number)["state"] == "done"
    assert place.get(f"/v1/jobs/{number}/log?task=199").text == "199\n"


def test_devices_of_two_resources_with_the_same_numbers(tmp_path):
    """After a restart a run has its own still, and those of the other resource are free."""
    config = conftest.write_config(tmp_path)
    config.write_text(config.read_text().replace("    - {name: default,", """\
    - name: gpus
      resources: {nvidia.com/gpu: auto}
      devices: {resource: nvidia.com/gpu, numbers: [0, 1]}
    - name: cards
      resources: {example.com/card: auto}
      devices: {resource: example.com/card, numbers: [0, 1]}
    - {name: default,"""))
    daemon = Daemon(tmp_path, config).start()
    try:
        def hold(resource):
            number = daemon.submit("sleep", "600", requests={resource: "1"})
            daemon.wait(number, "runs")
            return daemon.job(number)["devices"]

        assert hold("nvidia.com/gpu") == [0]
        assert daemon.stop() == 0
        daemon.start()
        assert (hold("example.com/card"), hold("example.com/card"), hold("nvidia.com/gpu")) == ([0], [1], [1])
    finally:
        conftest.end(daemon)
