# SPDX-License-Identifier: Apache-2.0
"""Connections: whoever holds them, and however many, keeps nobody else out for good."""
import contextlib
import json
import os
import pathlib
import pwd
import resource
import signal
import subprocess
import sys
import tempfile
import time

import pytest

import conftest
from conftest import CONFIG, Daemon, end

# Accounts that are on each machine; who has none is one user with all others without.
USERS = [pwd.getpwnam(name).pw_uid for name in ("daemon", "bin", "sys")]
root_only = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")

# Holds N connections as UID, and says so when all have been made, or answered.
HOLDER = """
import os, select, socket, sys
path, uid, n, text = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4].encode()
if uid:
    os.setgroups([]); os.setgid(uid); os.setuid(uid)
held = []
for _ in range(n):
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(20)
    s.connect(path)
    try:
        s.sendall(text)
    except BrokenPipeError:
        pass
    if "answered" in sys.argv:
        s.recv(1)
    held.append(s)
print(len(held), flush=True)
sys.stdin.read()
"""


@contextlib.contextmanager
def holder(daemon, uid, n, text="", *more):
    """Somebody who has so many connections, for as long as it is needed."""
    process = subprocess.Popen([sys.executable, "-c", HOLDER, str(daemon.socket), str(uid), str(n),
                                text, *more], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert int(process.stdout.readline()) == n
        yield process
    finally:
        process.stdin.close()
        assert process.wait(60) == 0
        process.stdout.close()


def as_user(daemon, uid, path="/v1/jobs"):
    """Status and text of one answer."""
    code = f"""
import os, pathlib, sys
sys.path.insert(0, {os.path.dirname(__file__)!r})
import conftest
os.setgroups([]); os.setgid({uid}); os.setuid({uid})
d = conftest.Daemon(pathlib.Path('/tmp'))
d.socket = {str(daemon.socket)!r}
a = d.get({path!r})
print(a.status, a.text)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    status, text = done.stdout.split(" ", 1)
    return int(status), text


@pytest.fixture
def door():
    """Where others may come, whatever becomes of the folders of the tests."""
    with tempfile.TemporaryDirectory(prefix="fairlead-door-", dir="/tmp") as folder:
        os.chmod(folder, 0o755)
        yield pathlib.Path(folder, "d.sock")


def with_limits(tmp_path, door, text, access="others: allow"):
    config = CONFIG.replace("access: {withoutAccount: allow}", f"access: {{{access}}}")
    (tmp_path / "daemon.yaml").write_text(
        config.replace("  jobs: {grace: 1s}", f"  jobs: {{grace: 1s}}\n  limits: {{{text}}}"))
    daemon = Daemon(tmp_path, tmp_path / "daemon.yaml")
    daemon.socket = door
    return daemon


def open_files(daemon):
    return len(os.listdir(f"/proc/{daemon.process.pid}/fd"))


def starve(daemon):
    soft, hard = conftest.open_file_limits(daemon)
    assert soft == hard
    few = open_files(daemon) + 20
    conftest.open_file_limits(daemon, (few, hard))
    with holder(daemon, USERS[0], 100), holder(daemon, USERS[1], 100):
        assert daemon.get("/v1/health").status in (200, 503)
        assert open_files(daemon) >= few - 1
        assert as_user(daemon, USERS[2])[0] == 503
        refused = 'fairlead_http_connections_refused_total{reason="descriptors"} '
        line = next(l for l in daemon.get("/metrics").text.splitlines() if l.startswith(refused))
        assert int(line.split()[1]) > 100
    daemon.until(lambda: as_user(daemon, USERS[2])[0] == 200, "it takes new ones again")
    conftest.open_file_limits(daemon, (hard, hard))
    assert daemon.wait(daemon.submit("true"))["state"] == "done"


@root_only
def test_descriptors_that_run_out_come_back(tmp_path, door):
    """Clients take all that it may open; when they go it answers again, and root all the time."""
    daemon = with_limits(tmp_path, door, "connections: 256").start()
    try:
        starve(daemon)
    finally:
        end(daemon)


@root_only
def test_idle_connections_lock_nobody_out(tmp_path, door):
    daemon = with_limits(tmp_path, door, "connections: 16").start()
    try:
        with holder(daemon, USERS[0], 40), holder(daemon, USERS[1], 40, "POST /v1/jobs HTTP/1.1\r\n"):
            began = time.monotonic()
            assert daemon.get("/v1/health").status == 200  # all that came before are taken
            time.sleep(1.1)  # a request that does not go on is idle, too
            for _ in range(3):
                assert daemon.get("/v1/health").status == 200
                assert daemon.get("/v1/jobs").status == 200
                assert as_user(daemon, USERS[2])[0] == 200
                # Who has half of all gets no more, but is told how the daemon is.
                daemon.until(lambda: as_user(daemon, USERS[1], "/v1/health")[0] == 200, "healthy")
            # Idle ones are closed after a minute in any case: it was not that.
            assert time.monotonic() - began < 50
        daemon.until(lambda: as_user(daemon, USERS[0])[0] == 200, "who has let go comes in again")
    finally:
        end(daemon)


@root_only
def test_root_has_some_of_its_own(tmp_path, door):
    """Also where nothing gives way: all are in use by others who follow."""
    daemon = with_limits(tmp_path, door, "connections: 16").start()
    follow = "GET /v1/events?follow=1 HTTP/1.1\r\nHost: x\r\n\r\n"
    try:
        with holder(daemon, USERS[0], 8, follow, "answered"), holder(daemon, USERS[1], 8, follow, "answered"):
            status, text = as_user(daemon, USERS[2])
            assert status == 503 and json.loads(text)["text"].startswith("too busy")
            assert as_user(daemon, USERS[2], "/v1/health")[0] == 200
            for _ in range(3):
                assert daemon.get("/v1/jobs").status == 200
            number = daemon.submit("true")
            assert daemon.wait(number)["state"] == "done"
        daemon.until(lambda: as_user(daemon, USERS[2])[0] == 200, "there is room again")
    finally:
        end(daemon)


@root_only
def test_who_has_no_account_is_refused(tmp_path, door):
    daemon = with_limits(tmp_path, door, "connections: 16").start()
    try:
        status, text = as_user(daemon, 65001)
        assert status == 403
        assert json.loads(text)["text"] == "this user has no account on this machine"
        assert "withoutAccount" in json.loads(text)["hint"]
        assert as_user(daemon, USERS[0])[0] == 200
        # Many of them are one: others come in.
        with contextlib.ExitStack() as crowd:
            for uid in range(65001, 65009):
                crowd.enter_context(holder(daemon, uid, 8))
            assert as_user(daemon, USERS[0])[0] == 200
            assert daemon.get("/v1/health").status == 200
    finally:
        end(daemon)


def resident(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(next(l for l in status.splitlines() if l.startswith("VmRSS")).split()[1]) * 1024


@root_only
@pytest.mark.parametrize("path, times", [("/v1/jobs?limit=10000", 3), ("/metrics", 50),
                                         ("/v1/events?after=0.0&limit=10000", 3)])
def test_answers_that_nobody_reads_are_bounded(tmp_path, door, path, times):
    """Of one user some 64 MiB and one more answer are kept, and root is served all the while."""
    daemon = with_limits(tmp_path, door, "connections: 128").start()
    try:
        daemon.submit("true", array=4000, hold=True)
        large = len(daemon.get(path).body)
        before = resident(daemon.process.pid)
        text = f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n" * times
        with holder(daemon, USERS[0], 64, text), holder(daemon, USERS[1], 64, text):
            for _ in range(5):
                assert daemon.get("/v1/health").status == 200
                assert daemon.get("/v1/jobs?limit=1").status == 200
                # Each connection may have a small one, and what the library keeps of it.  (A sanitizer
                # keeps what was freed, too.)
                assert os.environ.get("FAIRLEAD_SANITIZED") or resident(daemon.process.pid) - before < (
                    2 * (64 * 2**20 + 3 * large) + 128 * 2**18)
        daemon.until(lambda: as_user(daemon, USERS[2])[0] == 200, "there is room again")
    finally:
        daemon.stop(signal.SIGKILL)  # all are held: nothing runs


def test_a_log_that_is_followed_counts_twice(tmp_path, door):
    """Once for its connection, once for the file."""
    daemon = with_limits(tmp_path, door, "connections: 8").start()
    try:
        number = daemon.submit("sleep", "60")
        daemon.wait(number, "runs")
        places = 8 + 16  # those that are kept for root, or whose daemon it is
        held = [daemon.follow(f"/v1/jobs/{number}/log?follow=1") for _ in range(places // 2)]
        assert open_files(daemon) >= places
        answer = daemon.get("/v1/jobs")
        assert answer.status == 503, answer.text
        held.pop()[1].close()
        daemon.until(lambda: daemon.get("/v1/jobs").status == 200, "one has gone")
        while held:
            held.pop()[1].close()
        daemon.until(lambda: daemon.get("/v1/jobs").status == 200, "all have gone")
    finally:
        end(daemon)


def test_connections_fit_the_open_files(tmp_path, door):
    """Found out at the start, with what would do; jobs have the limit that the daemon was given."""
    daemon = with_limits(tmp_path, door, "connections: 4000")
    args = [os.environ["FAIRLEADD"], "--state", str(daemon.state), "--socket", str(daemon.socket),
            "--config", str(daemon.config), *conftest.AS_ROOT]

    def limited():
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, 1024))

    done = subprocess.run(args, capture_output=True, text=True, preexec_fn=limited, timeout=60)
    assert done.returncode == 1, done.stderr
    assert "limits.connections is 4000" in done.stderr and "may have 1024" in done.stderr
    assert "LimitNOFILE" in done.stderr
    most = int(done.stderr.split("limits.connections to ")[1].split()[0])
    assert 700 < most < 1024
    daemon = with_limits(tmp_path, door, f"connections: {most}")
    log = open(tmp_path / "log", "ab")
    daemon.log = log
    daemon.process = subprocess.Popen(args, stdout=log, stderr=log, preexec_fn=limited,
                                      cwd=tmp_path, start_new_session=True)
    try:
        daemon.until(lambda: daemon.is_up(), "it listens")
        number = daemon.submit("sh", "-c", "ulimit -Sn; ulimit -Hn; env | grep FAIRLEAD_FILES")
        assert daemon.wait(number)["state"] == "failed"  # by grep
        assert daemon.get(f"/v1/jobs/{number}/log").text == "256\n1024\n"
    finally:
        end(daemon)
