# SPDX-License-Identifier: Apache-2.0
"""What a job used, waited for and lost; and what is said of one that failed."""
import os
import signal
import subprocess
import time

import pytest

from conftest import Daemon, end, write_config

# So much CPU time, and memory that is written to.
BURN = ("import time\nx = bytearray([1]) * {mega} * 2**20\n"
        "while time.process_time() < {seconds}: pass")


@pytest.fixture(params=["auto", "off"])
def place(request, tmp_path):
    """With control groups where there are some, and without."""
    config = write_config(tmp_path)
    config.write_text(config.read_text().replace("    flavors:\n", f"    cgroup: \"{request.param}\"\n    flavors:\n"))
    one = Daemon(tmp_path, config).start()
    yield one
    end(one)


def runner_of(daemon, number):
    """Of its first attempt, and behind it children that are about to be the command; none when it has ended."""
    found = subprocess.run(["pgrep", "-f", f"fairlead-runner {daemon.state}/runs/{number}/1"], capture_output=True,
                           text=True).stdout
    return sorted(map(int, found.split()))


def ended(daemon, number):
    """The job when it is over, and its last attempt is written, which is a moment later."""
    daemon.wait(number)
    return daemon.until(lambda: (job := daemon.job(number))["attempts"][-1]["to"] and job, "it is written")


def burn(daemon, seconds, mega, **spec):
    return daemon.submit("/usr/bin/python3", "-c", BURN.format(seconds=seconds, mega=mega), **spec)


def test_measured(place):
    number = burn(place, 0.6, 150, requests={"cpu": "2", "memory": "400Mi"})
    job = ended(place, number)
    [one] = job["attempts"]
    assert 0.6 <= job["cpuSeconds"] < 3 and one["cpuSeconds"] == job["cpuSeconds"]
    assert 150 * 2**20 < job["peakMemoryBytes"] < 400 * 2**20 and one["peakMemoryBytes"] == job["peakMemoryBytes"]
    assert job["memoryEfficiency"] == pytest.approx(job["peakMemoryBytes"] / (400 * 2**20))
    # Of two cores, for as long as it had them: half of that, less the time it takes to start.
    assert job["cpuEfficiency"] == pytest.approx(job["cpuSeconds"] / (2 * job["ranSeconds"]), abs=0.01)
    assert 0 < job["cpuEfficiency"] <= 0.55
    assert job["lostSeconds"] == 0 and job["waitedSeconds"] >= 0


def test_of_all_tasks_and_what_they_start(place):
    number = place.submit("sh", "-c", f"/usr/bin/python3 -c '{BURN.format(seconds=0.2, mega=1)}'; "
                                      f"/usr/bin/python3 -c '{BURN.format(seconds=0.2, mega=1)}'", tasks=2)
    assert 0.8 <= ended(place, number)["cpuSeconds"] < 4


def test_while_it_runs(place):
    number = place.submit("sleep", "1000", requests={"cpu": "1", "memory": "1Mi"})
    job = place.wait(number, "runs")
    known = {"cpuSeconds", "peakMemoryBytes", "cpuEfficiency", "memoryEfficiency"}
    assert not known & job.keys() and not known & job["attempts"][0].keys()


def test_what_never_began_used_nothing(place):
    job = ended(place, place.submit("/nonexistent/program"))
    assert job["state"] == "failed" and "cpuSeconds" not in job and "peakMemoryBytes" not in job


def test_waited_and_lost(daemon):
    """An attempt that was stopped is lost, and the time up to the next one is waited."""
    number = daemon.submit("sh", "-c", "[ $FAIRLEAD_ATTEMPT = 2 ] || exec sleep 1000")
    daemon.wait(number, "runs")
    time.sleep(0.5)
    assert daemon.post(f"/v1/jobs/{number}/hold?stop=1").status == 200
    daemon.wait(number, "held")
    time.sleep(0.5)
    held = daemon.until(lambda: (job := daemon.job(number))["attempts"][0]["to"] and job, "it is written")
    assert held["waitedSeconds"] >= 0.5 and held["lostSeconds"] >= 0.5 and held["attempts"][0]["ended"] == "held"
    assert daemon.post(f"/v1/jobs/{number}/release").status == 200
    job = ended(daemon, number)
    assert job["state"] == "done"
    assert job["lostSeconds"] == held["lostSeconds"] == pytest.approx(held["ranSeconds"], abs=0.01)
    assert job["waitedSeconds"] == pytest.approx(sum(a["waitedSeconds"] for a in job["attempts"]))
    assert job["attempts"][1]["waitedSeconds"] >= 0.5
    assert job["cpuSeconds"] == pytest.approx(sum(a["cpuSeconds"] for a in job["attempts"]))


def test_of_a_lost_runner_nothing_is_known(daemon):
    number = daemon.submit("sh", "-c", "[ $FAIRLEAD_ATTEMPT = 2 ] || exec sleep 1000")
    daemon.wait(number, "runs")
    os.kill(runner_of(daemon, number)[0], signal.SIGKILL)
    job = ended(daemon, number)
    first, second = job["attempts"]
    assert first["ended"] == "lost" and "cpuSeconds" not in first and "cpuSeconds" in second
    assert job["lostSeconds"] > 0 and job["losses"] == 1


def test_kept_over_kills(daemon):
    """Known of a run that ended while no daemon was there, and after a kill before the row was written."""
    waiting = daemon.submit("sh", "-c", f"until [ -e {daemon.folder}/go ]; do sleep 0.02; done; exec /usr/bin/python3 -c "
                                        f"'{BURN.format(seconds=0.3, mega=50)}'")
    daemon.wait(waiting, "runs")
    daemon.stop(signal.SIGKILL)
    (daemon.folder / "go").touch()
    daemon.until(lambda: not runner_of(daemon, waiting), "it ends")
    daemon.start()
    before = ended(daemon, waiting)
    assert before["cpuSeconds"] >= 0.3 and before["peakMemoryBytes"] > 50 * 2**20
    later = burn(daemon, 0.1, 1)
    daemon.wait(later)
    daemon.stop(signal.SIGKILL)
    daemon.start()
    again = ended(daemon, waiting)
    for key in "cpuSeconds", "peakMemoryBytes", "waitedSeconds", "lostSeconds":
        assert again[key] == before[key]
    assert ended(daemon, later)["cpuSeconds"] >= 0.1


# --- one that failed ---

def page(daemon, number, **how):
    return subprocess.run([os.environ["FAIRLEAD"], "job", "--socket", str(daemon.socket), str(number)],
                          capture_output=True, text=True, **how).stdout


@pytest.mark.parametrize("command, spec, lines, advice", [
    (["sh", "-c", "echo so >&2; nosuchcommand"], {}, ["so", "nosuchcommand: not found"], "status 127"),
    (["sh", "-c", "echo why >&2; exit 3"], {}, ["why"], "'fairlead logs"),
    (["sh", "-c", "kill -9 $$"], {}, [], "killed by a person"),
    (["sh", "-c", "kill -SEGV $$"], {}, [], "which is a mistake in it"),
    (["/nonexistent/program"], {}, [], "is the command spelled right"),
    (["true"], {"directory": "/nonexistent"}, [], "make that folder"),
    (["sh", "-c", "echo waits >&2; exec sleep 1000"], {"timeLimit": "3s"}, ["waits"], "more time with --time"),
    (["true"], {"output": "/nonexistent/file"}, [], "name another file with --output"),
])
def test_of_one_that_failed(shared, command, spec, lines, advice):
    number = shared.submit(*command, **spec)
    assert shared.wait(number)["state"] == "failed"
    said = page(shared, number)
    assert advice in said.replace("\n", " ")
    assert ("The last lines of standard error" in said) == bool(lines)
    for line in lines:
        assert line in said


@pytest.mark.skipif(os.getuid() != 0, reason="only root can ask as somebody else")
def test_of_somebody_else(shared):
    """Neither lines of its output nor paths are for others; what to try is."""
    os.chmod(shared.socket, 0o666)
    for folder in (shared.folder, *shared.folder.parents):
        if folder.stat().st_uid == os.getuid() and str(folder) not in ("/", "/tmp"):
            os.chmod(folder, 0o755)
    number = shared.submit("sh", "-c", "echo secret >&2; exit 127")
    shared.wait(number)
    said = page(shared, number, user="nobody", cwd="/")
    assert "status 127" in said and "secret" not in said and "fairlead logs" not in said
    assert "secret" in page(shared, number)
