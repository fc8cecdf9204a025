# SPDX-License-Identifier: Apache-2.0
"""Hooks: commands that are told of what happens to a job, as its user, and that change nothing of it."""
import os
import subprocess
import time

import pytest

import conftest
from conftest import Daemon


@pytest.fixture(params=["auto", "off"])
def place(request, tmp_path):
    config = conftest.write_config(tmp_path)
    config.write_text(config.read_text().replace("  machine:\n", f"  machine:\n    cgroup: {request.param}\n"))
    daemon = Daemon(tmp_path, config).start()
    yield daemon
    if daemon.process.poll() is not None:
        daemon.start()
    conftest.end(daemon)


def told(place, *on, command='echo "$FAIRLEAD_EVENT $FAIRLEAD_ATTEMPT $FAIRLEAD_STATUS $FAIRLEAD_REASON" >>said'):
    return [{"on": list(on), "command": command}] if on else [{"command": command}]


def said(place):
    path = place.folder / "said"
    return path.read_text().splitlines() if path.exists() else []


def wait_said(place, lines):
    place.until(lambda: said(place) == lines, f"{lines} are said, and not {said(place)}", seconds=20)


def test_each_event_once(place):
    place.wait(place.submit("true", hooks=told(place)), "done")
    wait_said(place, ["begin 1 0 ", "end 1 0 "])
    place.wait(place.submit("sh", "-c", "exit 3", hooks=told(place)), "failed")
    wait_said(place, ["begin 1 0 ", "end 1 0 ", "begin 1 0 ", "fail 1 3 "])
    assert place.submit("no-such-program", hooks=told(place, "fail"))
    place.until(lambda: len(said(place)) == 5, "a job that cannot be run has failed, too")
    assert said(place)[4].startswith("fail 1 ")


def test_only_what_is_wanted(place):
    hooks = told(place, "end") + told(place, "fail", command="echo no >>said") + told(place, "begin", "end")
    place.wait(place.submit("true", hooks=hooks), "done")
    wait_said(place, ["begin 1 0 ", "end 1 0 ", "end 1 0 "])


def test_stopped(place):
    for how, line in (("cancel", "fail 1 143 cancelled"), ("hold?stop=1", "preempted 1 143 held")):
        (place.folder / "said").unlink(missing_ok=True)
        number = place.submit("sleep", "60", hooks=told(place, "fail", "preempted"))
        place.wait(number, "runs")
        assert place.post(f"/v1/jobs/{number}/{how}").status == 200
        wait_said(place, [line])
    place.post(f"/v1/jobs/{number}/cancel")


def test_one_that_hangs_changes_nothing(place):
    """The end is told at once; the hook has its minute, and the next job its room."""
    mark = f"88{os.getpid()}"
    hooks = told(place, command=f"exec sleep {mark}")
    begun = time.monotonic()
    number = place.submit("true", requests={"cpu": "4"}, hooks=hooks)
    assert place.wait(number)["state"] == "done"
    place.wait(place.submit("true", requests={"cpu": "4"}), "done")
    assert time.monotonic() - begun < 30
    assert place.job(number)["attempts"][0]["ended"]
    sleeps = place.until(lambda: running(f"sleep\0{mark}"), "the hook runs")
    for pid in sleeps:  # not for a minute in each run of the tests
        os.kill(pid, 9)


def running(words):
    found = []
    for entry in os.listdir("/proc"):
        try:
            if entry.isdigit() and open(f"/proc/{entry}/cmdline").read().startswith(words):
                found.append(int(entry))
        except OSError:
            pass
    return found


def test_odd_ones(place):
    """One that fails, that is no program, that leaves a process, that writes without end."""
    mark = f"89{os.getpid()}"
    hooks = [{"command": c} for c in ("exit 7", "/no/such/program", f"(setsid sleep {mark} &)",
                                      "yes | head -c 100000000", "kill -9 $$")]
    number = place.submit("true", hooks=hooks + told(place, "end"))
    assert place.wait(number)["state"] == "done"
    wait_said(place, ["end 1 0 "])
    place.until(lambda: not running(f"sleep\0{mark}"), "what a hook has left is ended with it", seconds=20)


@pytest.mark.skipif(os.geteuid() != 0, reason="jobs of other users are for a daemon that root has started")
def test_as_its_user(place):
    command = "grep -E '^(Uid|Gid|Groups|CapEff|NoNewPrivs)' /proc/self/status >who; env >env; ls /proc/self/fd >fds"
    place.folder.chmod(0o777)
    spec = {"queue": "default", "requests": {"cpu": "100m"}, "directory": str(place.folder), "command": ["true"],
            "hooks": told(place, "end", command=command)}
    from test_isolation import somebody
    (status, text), = somebody(place, ["POST", "/v1/jobs", spec])
    assert status == 201, text
    place.until(lambda: (place.folder / "fds").exists() and (place.folder / "fds").read_text().count("\n") >= 4, "it ran")
    who = dict(line.split(":\t") for line in (place.folder / "who").read_text().splitlines())
    uid = str((place.folder / "who").stat().st_uid)
    assert uid not in ("0", str(conftest.ACCOUNT)) and who["Uid"].split() == [uid] * 4
    assert int(who["CapEff"], 16) == 0 and who["NoNewPrivs"] == "1"
    env = (place.folder / "env").read_text()
    assert "FAIRLEAD_JOB_ID=1\n" in env and "FAIRLEAD_EVENT=end\n" in env and "FAIRLEAD_RUN=" not in env
    assert len((place.folder / "fds").read_text().split()) == 4  # three, and that of ls


def test_while_the_daemon_is_gone(place):
    number = place.submit("sh", "-c", "until [ -e go ]; do sleep 0.05; done", hooks=told(place, "end"))
    place.wait(number, "runs")
    place.stop(9)
    (place.folder / "go").touch()
    end = time.monotonic() + 20
    while said(place) != ["end 1 0 "]:
        assert time.monotonic() < end, said(place)
        time.sleep(0.05)
    place.start()
    assert place.wait(number)["state"] == "done"
    assert said(place) == ["end 1 0 "]


def test_ends_of_orphans_change_no_time(place):
    """Each end of one that a hook has left is a signal to what waits for the hook."""
    command = "for i in $(seq 150); do (true &); sleep 0.01; done; echo all of them >>said"
    place.wait(place.submit("true", hooks=told(place, "end", command=command)), "done")
    wait_said(place, ["all of them"])


def test_one_that_kills_what_runs_it(place):
    mark = f"90{os.getpid()}"
    command = f"setsid sleep {mark} & echo begun >>said; until [ -e seen ]; do sleep 0.05; done; kill -9 $PPID"
    assert place.wait(place.submit("true", hooks=told(place, "end", command=command)))["state"] == "done"
    wait_said(place, ["begun"])
    place.until(lambda: running(f"sleep\0{mark}"), "it has started another")
    (place.folder / "seen").touch()
    place.until(lambda: not running(f"sleep\0{mark}"), "all that it started is ended", seconds=20)


def test_interactive_that_is_held(place):
    client = subprocess.Popen([os.environ["FAIRLEAD"], "run", "-q", "default", "-r", "cpu=100m", "--hook", "fail,preempted:echo $FAIRLEAD_EVENT >>said", "sleep", "60"],
                              env={**os.environ, "FAIRLEAD_SOCKET": str(place.socket)}, cwd=place.folder,
                              stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
    place.until(lambda: [j for j in place.get("/v1/jobs").json()["jobs"] if j["state"] == "runs"], "it runs")
    assert place.post("/v1/jobs/1/hold?stop=1").status == 200
    assert place.wait(1)["state"] == "failed"
    wait_said(place, ["fail"])
    client.communicate(timeout=30)


@pytest.mark.skipif(os.geteuid() != 0, reason="a program that becomes root is made by root")
def test_not_while_the_job_has_processes(place):
    """One that has become root, where only the end of its runner ends it: the job has ended when it has."""
    program, mark = place.folder / "becomes_root", f"91{os.getpid()}"
    source = '#include <unistd.h>\nint main(int n, char **v) { if (setresuid(0, 0, 0)) return 9; ' \
             'execl("/bin/sleep", "sleep", v[1], (char *)0); return n; }'
    subprocess.run(["cc", "-x", "c", "-o", str(program), "-"], input=source, text=True, check=True)
    program.chmod(0o4755)
    from test_isolation import somebody
    spec = {"queue": "default", "requests": {"cpu": "100m"}, "directory": "/",
            "command": ["sh", "-c", f"{program} {mark} & until [ -e {place.folder}/seen ]; do sleep 0.05; done"], "hooks": [{"on": ["end"], "command": "sleep 30"}]}
    (status, text), = somebody(place, ["POST", "/v1/jobs", spec])
    assert status == 201, text
    place.until(lambda: running(f"sleep\0{mark}"), "it runs as root")
    (place.folder / "seen").touch()
    assert place.wait(1)["state"] == "done"
    place.until(lambda: not running(f"sleep\0{mark}"), "it has ended", seconds=10)
