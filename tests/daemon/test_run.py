# SPDX-License-Identifier: Apache-2.0
"""What `make run` shows: examples/machine/run.sh keeps its promises, and nothing of it stays."""
import glob
import http.client
import os
import pathlib
import pty
import re
import signal
import socket
import subprocess
import time

import pytest
from conftest import ACCOUNT

SOURCE = pathlib.Path(os.environ.get("FAIRLEAD_SOURCE", pathlib.Path(__file__).parents[2]))


def processes(word):
    found = []
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            found += [path] if word.encode() in pathlib.Path(path).read_bytes() else []
        except OSError:
            pass  # it is gone
    return found


class Run:
    """run.sh as it is called in CI: nothing of it is a terminal, unless `files` are."""

    FILES = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}

    def __init__(self, files=None, user=None, **environment):
        self.process = subprocess.Popen(
            [SOURCE / "examples/machine/run.sh"], start_new_session=True, **(files or self.FILES), **(user or {}),
            env={**os.environ, "LC_ALL": "C.UTF-8", "FAIRLEAD_SPEED": "2", **environment})

    def until(self, word):
        seen = ""
        while word not in seen:
            line = self.process.stdout.readline()
            assert line, seen
            seen += line
        return seen

    def place(self):
        """The folder that it made: its daemon, a child, was told."""
        for path in glob.glob("/proc/[0-9]*/stat"):
            try:
                fields = pathlib.Path(path).read_text().rsplit(")", 1)[1].split()
                words = pathlib.Path(path).with_name("cmdline").read_bytes().decode().split("\0")
            except OSError:
                continue
            if int(fields[1]) == self.process.pid and "--state" in words:
                return os.path.dirname(words[words.index("--state") + 1])
        return None

    def end(self, seconds=90):
        out, _ = self.process.communicate(timeout=seconds)
        return self.process.returncode, out


def assert_nothing_left(place):
    assert place and place.startswith("/tmp/fairlead-run.")
    assert not os.path.exists(place)
    end = time.monotonic() + 10  # the runner of a job that is over says so, and ends
    while processes(place) and time.monotonic() < end:
        time.sleep(0.05)
    assert processes(place) == []


def port_of_page(text):
    """Of the last address of the page that was printed."""
    return int(re.findall(r"^http://127\.0\.0\.1:(\d+)/#code=\S+$", text, re.M)[-1])


def status_of_page(port):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", "/")
        return connection.getresponse().status
    finally:
        connection.close()


def test_the_whole_story(tmp_path):
    begun = time.monotonic()
    # A socket that somebody listens on, and that is said to be the daemon's: it has one of its own.
    with socket.socket(socket.AF_UNIX) as taken:
        taken.bind(str(tmp_path / "taken.sock"))
        taken.listen()
        run = Run(FAIRLEAD_SOCKET=str(tmp_path / "taken.sock"))
        head = run.until("language: jobs")
        place = run.place()
        page = port_of_page(head)
        assert status_of_page(page) == 200
        code, out = run.end()
    out = head + out
    assert code == 0, out
    with pytest.raises(ConnectionRefusedError):
        status_of_page(page)
    assert "until a key is pressed" not in out
    assert time.monotonic() - begun < 60
    assert_nothing_left(place)

    assert out.count("fairlead top") >= 6 and "\x1b" not in out
    assert re.search(r"Preempted +\d+  vision +is preempted because its side has the larger share, for job \d+", out)
    # For quota, mostly; for its turn, or for victims that go, when there is some just then.
    assert re.search(r"== why job 62 waits\n\n\$ fairlead explain 62\njob 62 waits\b", out) and "asks for: " in out
    report = out[out.index("== what each team had"):]
    rows = {line.strip("├└─ ").split()[0]: line for line in report.splitlines() if "cpu" in line and "%" in line}
    had = {team: int(re.search(r"(\d+) %", rows[team])[1]) for team in ("vision", "language", "robotics")}
    assert sum(had.values()) in (99, 100, 101) and had["vision"] > had["language"] > had["robotics"] > 0
    assert "fairleadd --config examples/machine/daemon.yaml" in report
    assert_failed_and_interactive(out, "not a tty")


def assert_failed_and_interactive(out, terminal):
    assert re.search(r"\$ fairlead job 63\nJob 63, cat\nfailed: exited with status 1\n", out), out
    assert re.search(r"The last lines of standard error\n  .*results\.csv.*No such file", out), out
    assert re.search(rf"\$ fairlead run .* -- tty\n{terminal}\n", out), out


class Sized:
    """A daemon whose machine has as much as is said, for run.sh."""

    def __init__(self, folder, cpu):
        text = (SOURCE / "examples/machine/daemon.yaml").read_text()
        text = text.replace("[company.yaml]", f"[{SOURCE}/examples/machine/company.yaml]")
        text, n = re.subn(r"- name: default .*", f'- {{name: default, resources: {{cpu: "{cpu}", memory: 16Mi}}}}', text)
        assert n == 1
        (folder / f"{cpu}.yaml").write_text(text)
        self.program = folder / f"fairleadd-{cpu}"
        self.program.write_text(f'#!/bin/sh\nshift 2\nexec {os.environ["FAIRLEADD"]} --config {folder}/{cpu}.yaml "$@"\n')
        self.program.chmod(0o755)


def test_machines_of_any_size(tmp_path):
    """Not waited for one after the other: their jobs sleep."""
    parts = {"500m": "62m", "1": "125m", "64": "8"}
    runs = {cpu: Run(FAIRLEADD=str(Sized(tmp_path, cpu).program), FAIRLEAD=os.environ["FAIRLEAD"]) for cpu in parts}
    for cpu, run in runs.items():
        code, out = run.end()
        assert code == 0, out
        assert f"== {cpu} cpu for three teams, {parts[cpu]} for each job" in out
        assert "Preempted" in out and f"asks for    cpu={parts[cpu]}\n" in out
        assert max(map(int, re.findall(r"(\d+) run,", out))) == 8, out


@pytest.mark.skipif(os.geteuid() != 0, reason="the whole story is that of a user")
def test_as_a_user(tmp_path):
    user = {"user": ACCOUNT, "group": ACCOUNT, "extra_groups": [], "cwd": "/"}
    if subprocess.run(["test", "-x", os.environ["FAIRLEAD"]], check=False, **user).returncode:
        pytest.skip("another user cannot run a build below a folder of root")
    run = Run(user=user, HOME="/nonexistent")
    code, out = run.end()
    assert code == 0, out
    assert "--account root" not in out
    assert_failed_and_interactive(out, "not a tty")


def test_at_a_terminal():
    ours, theirs = pty.openpty()
    run = Run(files={"stdin": theirs, "stdout": theirs, "stderr": theirs}, FAIRLEAD_SPEED="4", TERM="dumb")
    os.close(theirs)
    out, pressed = b"", False
    while True:
        try:
            out += os.read(ours, 65536)
        except OSError:  # nobody has it open any more
            break
        last = out.partition(b"until a key is pressed")[2].replace(b"\r\n", b"\n").decode()
        if not pressed and "#code=" in last and last.endswith("\n"):
            assert status_of_page(port_of_page(last)) == 200
            assert os.write(ours, b"x") == 1
            pressed = True
    os.close(ours)
    assert pressed, out
    assert run.process.wait(30) == 0, out.decode()
    text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", out.decode().replace("\r\n", "\n"))
    assert_failed_and_interactive(text, "/dev/pts/\\d+")


def test_interrupted():
    run = Run()
    run.until("language: jobs")
    place = run.place()
    os.killpg(run.process.pid, signal.SIGINT)
    code, _ = run.end()
    assert code == 128 + signal.SIGINT
    assert_nothing_left(place)


def test_an_error_in_the_middle(tmp_path):
    # A command that fails once the jobs of the first team are there.
    command = tmp_path / "fairlead"
    command.write_text('#!/bin/sh\ncase "$*" in *language*) exit 3;; esac\n'
                       f'exec {os.environ["FAIRLEAD"]} "$@"\n')
    command.chmod(0o755)
    run = Run(FAIRLEAD=str(command), FAIRLEADD=os.environ["FAIRLEADD"])
    head = run.until("vision: jobs")
    place = run.place()
    code, out = run.end()
    assert code == 3, head + out
    assert_nothing_left(place)


def test_a_daemon_that_is_killed():
    run = Run()
    run.until("vision: jobs")
    place = run.place()
    for path in processes(place + "/state"):
        if b"fairleadd" in pathlib.Path(path).read_bytes():
            os.kill(int(path.split("/")[2]), signal.SIGKILL)
    code, out = run.end()
    assert code == 3, out
    assert_nothing_left(place)


def test_a_daemon_that_does_not_start():
    run = Run(FAIRLEADD="/bin/false")
    code, _ = run.end()
    assert code == 1
