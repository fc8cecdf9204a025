# SPDX-License-Identifier: Apache-2.0
"""fairlead run over TLS: the same as over the socket, and what only a network has."""
import contextlib
import hashlib
import json
import os
import pathlib
import re
import signal
import socket
import ssl
import struct
import subprocess
import time

import pytest
from conftest import DEADLINE, Daemon, end, write_config
from ports import free_port
from test_interactive import (  # noqa: F401 (tests that run here, too, with the daemon below)
    FAIRLEAD, JOB, Terminal, environment, job_that, run, test_cancelled_by_another,
    test_client_is_killed_while_it_runs, test_ctrl_c_at_a_terminal_while_it_waits, test_ctrl_c_without_a_terminal,
    test_daemon_and_client_are_killed, test_daemon_is_killed_while_it_waits, test_exit_status, test_held_and_after,
    test_leaves_while_it_waits, test_much_output_at_a_terminal, test_output_that_is_not_read, test_shell_at_a_terminal,
    test_terminal_goes_away, test_terminal_is_put_back, test_typed_while_it_waits, test_waits_for_its_turn, test_what_is_told)
from test_tcp_tls import context

IN, OUT, ERR, SIZE, STATE, TAKEN, BEGIN = range(7)
# KiB by which a daemon may grow that keeps nothing for its clients; sanitizers keep what was freed.
MORE = 8192 if os.environ.get("FAIRLEAD_SANITIZED") else 2048


def reached(folder):
    """All connections come from one address, so that there is more than one of people may have."""
    one = Daemon(folder, write_config(folder))
    one.config.write_text(one.config.read_text().replace("  jobs:", "  limits: {handshakesPerSecond: 1000}\n  jobs:", 1))
    one.port = free_port()
    return one.start()


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    daemon = reached(tmp_path_factory.mktemp("daemon"))
    yield daemon
    assert end(daemon) == 0, daemon.said()


@pytest.fixture
def daemon(tmp_path):
    one = reached(tmp_path)
    yield one
    end(one)


# --- the command ---


def test_bytes(shared):
    """10 MB of any bytes there and back, output and errors apart, and the end of input."""
    data = os.urandom(10_000_000)
    code, out, err = run(shared, "cat", data=data)
    assert (code, err) == (0, b"") and hashlib.sha256(out).digest() == hashlib.sha256(data).digest()
    code, out, err = run(shared, "--", "sh", "-c", "cat >&2; echo out; tty", data=b"x" * 300_000)
    assert (code, out, err) == (1, b"out\nnot a tty\n", b"x" * 300_000)
    assert run(shared, "--", "sh", "-c", "exec <&-; sleep 0.2; echo done", data=data) == (0, b"done\n", b"")


def test_environment_is_without_the_way_here(shared):
    """The job runs on another machine, to which the client's server and the file of its token mean nothing."""
    known = json.loads((pathlib.Path(shared.reached["XDG_CONFIG_HOME"]) / "fairlead" / "server.json").read_text())
    done = subprocess.run([FAIRLEAD, "run", "--", "env"], capture_output=True, timeout=60, cwd=shared.folder, check=False,
                          env={**environment(shared), "FAIRLEAD_SERVER": known["server"]})
    assert done.returncode == 0 and b"FAIRLEAD_JOB_ID=" in done.stdout, done
    assert b"FAIRLEAD_SERVER" not in done.stdout


def test_terminal_is_the_users(shared):
    """The run's user has made it: programs that open it by its name may."""
    t = Terminal(shared, "--", "sh", "-c", "stat -Lc 'of %u' $(tty); id -u; echo named >$(tty)")
    assert len(set(t.until(r"of (\d+)\r\n(\d+)\r\nnamed").groups())) == 1
    assert t.end() == 0


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_daemon_ends_while_it_runs(daemon, number):
    """The run goes on; what was typed and printed meanwhile comes once, when there is a daemon again."""
    t = Terminal(daemon, "--", "bash", "--norc", "-i")
    t.until(r"\$ $")
    t.ask("n=0; echo begun", "\nbegun")
    job = job_that(daemon, "runs")
    for i in (1, 2):
        t.type("sleep 0.7; echo meanwhile $((n += 1))\n")
        daemon.stop(number)
        t.until("has lost its daemon; it goes on")
        t.type("echo typed $((n * 100))\n")
        time.sleep(1)
        daemon.start()
        t.until(f"\nmeanwhile {i}\r")
        t.until(f"\ntyped {i}00\r")
    assert daemon.job(job)["state"] == "runs" and daemon.job(job)["attempt"] == 1
    t.type("exit 9\n")
    assert t.end() == 9


def test_daemon_is_killed_under_much_data(daemon):
    """No byte is lost and none comes twice, in both directions."""
    data = os.urandom(30_000_000)
    source = subprocess.Popen([FAIRLEAD, "run", "cat"], env=environment(daemon), stdin=open(write(daemon, data), "rb"),
                              stdout=open(daemon.folder / "copy", "wb"), stderr=subprocess.PIPE)
    job_that(daemon, "runs")
    for _ in range(3):
        daemon.until(lambda size=(daemon.folder / "copy").stat().st_size: source.poll() is not None or (daemon.folder / "copy").stat().st_size > size,
                     "some of it has come")
        daemon.stop(9)
        daemon.start()
    assert source.wait(180) == 0, source.stderr.read()
    assert (daemon.folder / "copy").read_bytes() == data


def write(daemon, data):
    (daemon.folder / "data").write_bytes(data)
    return daemon.folder / "data"


def test_ends_while_there_is_no_daemon(daemon):
    """Its status and the last of its output come after the start."""
    client = subprocess.Popen([FAIRLEAD, "run", "--", "sh", "-c", "echo first; sleep 1; echo last; exit 7"], env=environment(daemon),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert client.stdout.readline() == b"first\n"
    daemon.stop(9)
    time.sleep(2)
    daemon.start()
    assert client.communicate(timeout=30)[0] == b"last\n" and client.returncode == 7


# --- the stream itself ---


def frame(kind, payload=b""):
    return struct.pack(">B3xI", kind, len(payload)) + payload


class Stream:
    """A client that speaks frames itself."""

    def __init__(self, daemon, job, secret=None, headers="Connection: Upgrade\r\nUpgrade: fairlead-run\r\n", tls=True):
        self.socket = socket.create_connection(("127.0.0.1", daemon.port), DEADLINE)
        if tls:
            self.socket = context().wrap_socket(self.socket)
        self.socket.sendall((f"POST /v1/jobs/{job}/attach HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n{headers}"
                             f"Authorization: Bearer {secret or token(daemon)}\r\n\r\n").encode())
        self.bytes = b""
        while b"\r\n\r\n" not in self.bytes:
            self.bytes += self.more()
        self.head, _, self.bytes = self.bytes.partition(b"\r\n\r\n")
        self.status = int(self.head.split()[1])

    def more(self):
        more = self.socket.recv(65536)
        assert more, self.bytes
        return more

    def frame(self):
        while len(self.bytes) < 8 or len(self.bytes) < 8 + struct.unpack(">I", self.bytes[4:8])[0]:
            self.bytes += self.more()
        kind, n = struct.unpack(">B3xI", self.bytes[:8])
        payload, self.bytes = self.bytes[8:8 + n], self.bytes[8 + n:]
        return kind, payload

    def until(self, kind, payload=None):
        while (found := self.frame())[0] != kind or payload not in (None, found[1]):
            pass
        return found[1]

    def state(self, *wanted):
        while (state := json.loads(self.until(STATE))["state"]) not in wanted:
            pass
        return state

    def send(self, *frames):
        self.socket.sendall(b"".join(frames))

    def is_closed(self):
        try:
            while more := self.socket.recv(65536):
                self.bytes += more
        except (ConnectionResetError, ssl.SSLError):
            pass
        return True


def token(daemon, role="submit", **more):
    made = daemon.post("/v1/tokens", {"name": f"t{time.monotonic_ns()}", "role": role, **more})
    assert made.status == 201, made.text
    return made.json()["token"]


def submit(daemon, *command, **spec):
    return daemon.post("/v1/jobs", {**JOB, "command": list(command), **spec}).json()["jobs"][0]


def test_frames(shared):
    """States, input, output, errors, what was taken; cut at every byte."""
    job = submit(shared, "sh", "-c", "tr a-z A-Z; echo end >&2; exit 3")
    stream = Stream(shared, job)
    assert stream.status == 101 and b"Upgrade: fairlead-run" in stream.head
    for byte in frame(TAKEN, bytes(8)) + frame(IN, b"words") + frame(SIZE, bytes(4)) + frame(IN):
        stream.send(bytes([byte]))
    kinds, states = {OUT: b"", ERR: b""}, []
    while not states or states[-1] not in ("done", "failed"):
        kind, payload = stream.frame()
        if kind == STATE:
            states.append(json.loads(payload)["state"])
        elif kind in kinds:
            kinds[kind] += payload
    assert kinds == {OUT: b"WORDS", ERR: b"end\n"} and states[-1] == "failed"
    assert stream.is_closed() and shared.job(job)["exit"]["status"] == 3


def processor_seconds(daemon, job):
    """Of the job's runner."""
    ticks, found = 0, False
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if f"{daemon.state}/runs/{job}/" in (path / "cmdline").read_text():
                fields = (path / "stat").read_text().rpartition(")")[2].split()
                ticks += int(fields[11]) + int(fields[12])
                found = True
        except OSError:
            pass
    assert found
    return ticks / os.sysconf("SC_CLK_TCK")


def test_terminal_that_nobody_has_any_more(shared):
    """What is typed goes nowhere, and the runner rests."""
    job = submit(shared, "sh", "-c", "exec sleep 600 <&- >&- 2>&-", interactive="terminal")
    stream = Stream(shared, job)
    stream.send(frame(TAKEN, bytes(8)))
    stream.state("runs")
    time.sleep(0.5)
    for _ in range(3):
        stream.send(frame(IN, 60000 * b"y" + b"\n"))
    time.sleep(1)
    before = processor_seconds(shared, job)
    time.sleep(2)
    assert processor_seconds(shared, job) - before < 1
    assert shared.job(job)["state"] == "runs"  # it was not hung up
    shared.post(f"/v1/jobs/{job}/cancel")
    shared.wait(job, "cancelled")


def test_size_of_the_terminal(shared):
    stream = Stream(shared, submit(shared, "sh", "-c", "read line; stty size", interactive="terminal"))
    stream.send(frame(TAKEN, bytes(8)), frame(SIZE, struct.pack(">HH", 43, 121)), frame(IN, b"\n"))
    text = b""
    while b"43 121\r\n" not in text:
        text += stream.until(OUT)


@pytest.mark.parametrize("garbage", [
    frame(BEGIN), frame(STATE, b"x"), frame(9, b"x"), frame(255), b"\0\1\0\0\0\0\0\0", frame(SIZE, b"123"), frame(TAKEN, b"1"),
    struct.pack(">B3xI", IN, 65537), struct.pack(">B3xI", IN, 0xffffffff), b"GET / HTTP/1.1\r\n\r\n",
], ids=["begin", "state", "unknown", "highest", "zeros", "size", "taken", "long", "longest", "http"])
@pytest.mark.parametrize("when", ["held", "runs"])
def test_frames_that_are_wrong(shared, garbage, when):
    """The stream ends, and the job is cancelled, as if its client had left."""
    job = submit(shared, "sleep", "600", **({"hold": True} if when == "held" else {}))
    stream = Stream(shared, job)
    stream.send(frame(TAKEN, bytes(8)))
    stream.state(when)
    stream.send(garbage)
    assert stream.is_closed()
    page = shared.wait(job, "cancelled")
    assert when == "runs" or "its client has left" in page["reason"]


def test_numbers_that_are_wrong(shared):
    """What a client says to have taken and has not is its own loss."""
    stream = Stream(shared, submit(shared, "sh", "-c", "cat; seq 10000"))
    stream.send(frame(TAKEN, b"\xff" * 8), *[frame(TAKEN, struct.pack(">Q", n)) for n in (5, 1 << 63, 0, 7)], frame(IN, b"hello"))
    stream.send(frame(TAKEN, b"\xff" * 8), frame(IN))
    assert stream.state("done", "failed") == "done"


def test_client_that_vanishes(shared):
    job = submit(shared, "sh", "-c", "sleep 600")
    stream = Stream(shared, job)
    stream.send(frame(TAKEN, bytes(8)))
    stream.state("runs")
    stream.socket.close()
    shared.wait(job, "cancelled")


def memory(pid):
    return int(re.search(r"VmRSS:\s+(\d+)", open(f"/proc/{pid}/status").read())[1])


def test_client_that_never_reads(daemon):
    """Daemon and runner keep what they said that they keep; the job waits, and others do not."""
    streams = []
    for _ in range(8):
        streams.append(Stream(daemon, submit(daemon, "yes")))
        streams[-1].send(frame(TAKEN, bytes(8)))
        streams[-1].state("runs")
    before = memory(daemon.process.pid)
    time.sleep(3)
    began = time.monotonic()
    assert daemon.get("/v1/jobs").status == 200 and time.monotonic() - began < 20
    assert memory(daemon.process.pid) - before < MORE
    for stream in streams:
        stream.socket.close()
    daemon.until(lambda: not daemon.get("/v1/jobs").json()["jobs"], "all are cancelled")


def test_client_that_types_what_nobody_reads(daemon):
    job = submit(daemon, "sleep", "600")
    stream = Stream(daemon, job)
    stream.send(frame(TAKEN, bytes(8)))
    stream.state("runs")
    before = memory(daemon.process.pid)
    stream.socket.settimeout(2)
    sent = 0
    with pytest.raises(TimeoutError):
        while sent < 100_000_000:
            stream.send(frame(IN, bytes(65536)))
            sent += 65536
    assert sent < 20_000_000 and memory(daemon.process.pid) - before < MORE
    stream.socket.close()
    daemon.wait(job, "cancelled")


def test_attach_that_is_refused_far(shared):
    plain, over = shared.submit("sleep", "60"), shared.submit("true")
    shared.wait(over)
    for job, status, said in ((plain, 400, b"is not interactive"), (over, 409, b"has ended"), (999999, 404, b"there is no job 999999")):
        stream = Stream(shared, job)
        assert stream.status == status and said in stream.bytes + (b"" if said in stream.bytes else stream.more())
    shared.post(f"/v1/jobs/{plain}/cancel")
    held = submit(shared, "cat", hold=True)
    assert Stream(shared, held, headers="").status == 426
    assert Stream(shared, held, token(shared, "read")).status == 403
    assert Stream(shared, held, "fl_0_x").status == 401
    first, second = Stream(shared, held), Stream(shared, held)
    assert (first.status, second.status) == (101, 409)
    first.socket.close()
    shared.wait(held, "cancelled")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root is several users")
def test_token_of_somebody_else(daemon):
    """Neither another user's nor an admin's: it would be their files."""
    code = ("import http.client, json, socket, sys\n"
            "c = http.client.HTTPConnection('x'); c.sock = socket.socket(socket.AF_UNIX); c.sock.connect(sys.argv[1])\n"
            "c.request('POST', sys.argv[2], sys.argv[3]); print(c.getresponse().read().decode())")

    def as_user(path, body):
        said = subprocess.run(["/usr/bin/python3", "-c", code, str(daemon.socket), path, json.dumps(body)], capture_output=True, text=True,
                              check=True, user=60123, group=60123, extra_groups=[], cwd="/").stdout
        return json.loads(said)

    own = submit(daemon, "cat", hold=True)
    job = as_user("/v1/jobs", {**JOB, "hold": True})["jobs"][0]
    assert Stream(daemon, job, token(daemon, "admin")).status == 403
    made = as_user("/v1/tokens", {"name": "mine", "role": "submit"})
    if "token" in made:  # an account is needed for it
        assert Stream(daemon, own, made["token"]).status == 403
        assert Stream(daemon, job, made["token"]).status == 101
    daemon.post(f"/v1/jobs/{own}/cancel")


def test_token_is_revoked(daemon):
    """Its stream ends within a second, and the job with it."""
    made = daemon.post("/v1/tokens", {"name": "gone", "role": "submit"}).json()["token"]
    job = submit(daemon, "sleep", "600")
    stream = Stream(daemon, job, made)
    stream.send(frame(TAKEN, bytes(8)))
    stream.state("runs")
    began = time.monotonic()
    assert daemon.post("/v1/tokens/gone/revoke").status == 200
    assert stream.is_closed() and time.monotonic() - began < 10
    daemon.wait(job, "cancelled")


def test_runner_of_another(shared):
    """Who connects to a runner and is not the daemon is sent away."""
    job = submit(shared, "cat")
    stream = Stream(shared, job)
    stream.send(frame(TAKEN, bytes(8)))
    stream.state("runs")
    names = set(re.findall(r"@(fairlead-run-\S+)", open("/proc/net/unix").read()))
    assert names
    sent_away = 0
    for name in names:
        if os.geteuid() == 0:
            other = socket.socket(socket.AF_UNIX)
            other.settimeout(DEADLINE)
            with contextlib.suppress(ConnectionRefusedError):  # one of another daemon, that has ended
                other.connect("\0" + name)
                assert other.recv(100) == b""
                sent_away += 1
    assert sent_away or os.geteuid() != 0
    stream.send(frame(IN, b"still"))
    assert stream.until(OUT) == b"still"
    stream.socket.close()
    shared.wait(job, "cancelled")


def test_many_at_once(daemon):
    """Descriptors are counted, and none is left."""
    def count():
        return len(os.listdir(f"/proc/{daemon.process.pid}/fd"))

    run(daemon, "true")
    time.sleep(1.5)
    before = count()
    secret = token(daemon)
    for _ in range(3):
        streams = [Stream(daemon, submit(daemon, "cat", requests={"cpu": "10m"}), secret) for _ in range(20)]
        assert {stream.status for stream in streams} == {101}
        for stream in streams:
            stream.send(frame(TAKEN, bytes(8)), frame(IN, b"x"), frame(IN))
        for stream in streams[::2]:
            assert stream.state("done", "failed") == "done"
        for stream in streams:
            stream.socket.close()
    daemon.until(lambda: not daemon.get("/v1/jobs").json()["jobs"], "all are over", 90)
    daemon.until(lambda: count() <= before + 2, f"{before} descriptors, not {count()}", 30)
