# SPDX-License-Identifier: Apache-2.0
"""fairlead run: at a terminal, with pipes, while it waits, when one of the processes is killed, and clients that do not keep to what
was agreed."""
import array
import fcntl
import hashlib
import json
import os
import pathlib
import pty
import re
import select
import signal
import socket
import struct
import subprocess
import termios
import time

import pytest
from conftest import ACCOUNT, ms, write_config
from test_policies import daemon_of, entitled, queue, sleeps  # noqa: F401

FAIRLEAD = os.environ.get("FAIRLEAD")
JOB = {"queue": "default", "command": ["cat"], "directory": "/", "interactive": "files", "requests": {"cpu": "100m"}}
WHOLE = ("-r", "cpu=4")  # nothing else runs beside it


def environment(daemon):
    return {**os.environ, **daemon.reached, "FAIRLEAD_QUEUE": "default", "PS1": "$ ", "TERM": "dumb", "ENV": ""}


def without_waiting(text):
    """Of a run that found room at once: on a busy machine it may be said to wait, before it begins."""
    return re.sub(r"fairlead: job \d+ waits in [^\r\n]*(\r\x1b\[K|\n)", "", text)


def run(daemon, *args, data=b"", **more):
    """Without a terminal; exit status, output and errors."""
    done = subprocess.run([FAIRLEAD, "run", *args], input=data, capture_output=True, timeout=60, env=environment(daemon), cwd=daemon.folder,
                          check=False, **more)
    return done.returncode, done.stdout, without_waiting(done.stderr.decode("latin-1")).encode("latin-1")


class Terminal:
    """fairlead run at a terminal of its own, as a person has it."""

    def __init__(self, daemon, *args):
        self.daemon = daemon
        self.text = ""
        self.code = None
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(daemon.folder)
            os.execve(FAIRLEAD, [FAIRLEAD, "run", *args], environment(daemon))

    def resize(self, lines, columns):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def type(self, text):
        os.write(self.fd, text.encode())

    def read(self, seconds):
        """What comes within that time; False: nothing more will."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return True
        try:
            more = os.read(self.fd, 65536)
        except OSError:
            return False
        self.text += more.decode(errors="replace")
        return bool(more)

    def until(self, pattern, seconds=30):
        deadline = time.monotonic() + seconds
        while not (found := re.search(pattern, self.text)):
            assert time.monotonic() < deadline, f"not printed: {pattern}\n{self.text!r}\n{self.daemon.said()}"
            self.read(0.1)
        self.text = self.text[found.end():]
        return found

    def ask(self, command, pattern):
        """At a shell whose prompt has been printed."""
        self.text = ""
        self.type(command + "\n")
        return self.until(pattern)

    def end(self, seconds=30):
        deadline = time.monotonic() + seconds
        while self.read(0.1):
            if self.code is None and (ended := os.waitpid(self.pid, os.WNOHANG))[0]:
                self.code = os.waitstatus_to_exitcode(ended[1])
            assert time.monotonic() < deadline, f"it does not end: {self.text!r}\n{self.daemon.said()}"
        os.close(self.fd)
        if self.code is None:
            self.code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self.code


def last_job(daemon):
    return max(job["id"] for job in daemon.get("/v1/jobs?state=held,depends,waits,starts,runs,stops,done,failed,cancelled").json()["jobs"])


def job_that(daemon, *states):
    """The one interactive job that has not ended, once it is in one of these states."""
    def found():
        jobs = [job for job in daemon.get("/v1/jobs").json()["jobs"] if job.get("name") != "block" and job["state"] in states]
        return jobs[0]["id"] if jobs else None
    return daemon.until(found, f"a job is one of {states}")


def block(daemon):
    """Takes the whole machine; its job."""
    job = daemon.submit("sleep", "600", name="block", requests={"cpu": "4"})
    daemon.wait(job, "runs")
    return job


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def in_front(shell):
    """The name of what is in the foreground of a shell's terminal."""
    try:
        group = open(f"/proc/{shell}/stat").read().rpartition(")")[2].split()[5]
        return open(f"/proc/{group}/comm").read().strip()
    except OSError:
        return None


def wait_attached(daemon):
    """Until a client is attached to a job of the daemon that runs now."""
    def attached():
        begun = ms(daemon.get("/v1/health").json()["startedAt"])
        return any(row["action"] == "attach" and ms(row["at"]) >= begun for row in daemon.get("/v1/audit").json()["audit"])
    daemon.until(attached, "its client is attached again")


# --- a terminal ---


def test_shell_at_a_terminal(shared):
    t = Terminal(shared, "--", "bash", "--norc", "-i")
    t.until(r"\$ $")
    t.ask("tty", r"/dev/pts/\d+")
    t.resize(43, 121)
    t.ask("until stty size | grep '^43 121$'; do sleep 0.05; done", r"\n43 121\r")
    t.resize(21, 77)
    t.ask("until stty size | grep '^21 77$'; do sleep 0.05; done", r"\n21 77\r")
    t.ask("test -t 0 -a -t 1 -a -t 2 && echo three $((1 + 2))", "three 3")
    t.ask("echo job $FAIRLEAD_JOB_ID.", r"job \d+\.")
    shell = t.ask("ps -o tpgid=,pid= -p $$ | xargs", r"\n(\d+) (\d+)")[2]
    # Job control: Ctrl-Z stops, bg and fg go on, Ctrl-C ends what is in the foreground and not the shell.
    t.type("sleep 300\n")
    shared.until(lambda: in_front(shell) == "sleep", "it runs")
    t.type("\x1a")
    t.until("Stopped")
    t.ask("jobs", r"\[1\]\+ +Stopped +sleep 300")
    t.ask("bg; jobs", "Running")
    t.type("fg\n")
    t.until("sleep 300")
    shared.until(lambda: in_front(shell) == "sleep", "it runs on")
    t.type("\x03")
    t.until(r"\$ $")
    t.ask("echo status $?", r"status 130\r\n[^\r\n]*\$ $")
    # Ctrl-D: the end.
    t.ask("(exit 5)", r"\(exit 5\)\r\n[^\r\n]*\$ $")
    t.type("\x04")
    assert t.end() == 5
    assert shared.job(last_job(shared))["state"] == "failed"


@pytest.mark.parametrize("script,code,said", [
    ("exit 0", 0, None),
    ("exit 3", 3, None),
    ("exit 255", 255, None),
    ("kill -TERM $$", 143, "killed by signal 15"),
    ("kill -KILL $$", 137, "killed by signal 9"),
])
def test_exit_status(shared, script, code, said):
    """Of the command; what it does not say by itself is told."""
    for more in ([], ["--pty"]):
        got, out, err = run(shared, *more, "--", "sh", "-c", script)
        assert (got, out) == (code, b""), err
        assert (said in err.decode()) if said else err == b""


def test_terminal_is_put_back(shared):
    """Settings of the terminal are as before, however it ends."""
    new = pty.openpty()
    before = termios.tcgetattr(new[0])
    for fd in new:
        os.close(fd)
    for command, key in (("true", ""), ("sleep 300", "signal")):
        t = Terminal(shared, "--", "sh", "-c", "echo begins; " + command)
        t.until("begins")
        if key:
            raw = termios.tcgetattr(t.fd)
            assert not raw[3] & termios.ECHO and not raw[3] & termios.ISIG
            os.kill(t.pid, signal.SIGTERM)
            t.until("is cancelled")
            os.waitpid(t.pid, 0)
        else:
            shared.until(lambda: os.waitpid(t.pid, os.WNOHANG)[0], "it ends")
        assert termios.tcgetattr(t.fd) == before
        os.close(t.fd)


def test_much_output_at_a_terminal(shared):
    """The last of it is not lost when the job ends, and a lot of input arrives."""
    t = Terminal(shared, "--", "sh", "-c", "stty -opost; seq 1 60000; echo the end")
    t.end()
    numbers = re.findall(r"\d+", without_waiting(t.text))
    assert numbers == [str(i) for i in range(1, 60001)] and t.text.endswith("the end\n")
    t = Terminal(shared, "--", "sh", "-c", "stty raw -echo; echo ready; head -c 300000 | sha256sum")
    t.until("ready")
    data = "".join(chr(97 + i * 7 % 26) for i in range(300000))
    at = 0
    while at < len(data):
        at += os.write(t.fd, data[at:at + 4000].encode())
    t.until(hashlib.sha256(data.encode()).hexdigest())
    assert t.end() == 0


def test_typed_while_it_waits(daemon):
    """A line that was typed early is the job's."""
    job = block(daemon)
    t = Terminal(daemon, *WHOLE, "--", "sh", "-c", "read line; echo got $line")
    t.until(r"job \d+ waits in default: ")
    t.type("early\n")
    daemon.post(f"/v1/jobs/{job}/cancel")
    t.until("got early")
    assert t.end() == 0


# --- pipes ---


def test_pipes(shared):
    """Binary data through cat, errors apart; the files are those of the command, not a copy."""
    data = os.urandom(20_000_000)
    code, out, err = run(shared, "cat", data=data)
    assert (code, err) == (0, b"") and hashlib.sha256(out).digest() == hashlib.sha256(data).digest()
    assert run(shared, "--", "sh", "-c", "echo out; echo err >&2; tty") == (1, b"out\nnot a tty\n", b"err\n")
    with open(shared.folder / "in", "wb") as file:
        file.write(b"first\nsecond\n")
    # One position in the file: the job and the command share it.
    script = f"exec <in >out; {FAIRLEAD} run -- sh -c 'read a; echo $a'; echo -; cat"
    assert subprocess.run(["bash", "-c", script], env=environment(shared), cwd=shared.folder, check=False, timeout=60).returncode == 0
    assert (shared.folder / "out").read_bytes() == b"first\n-\nsecond\n"


def test_output_that_is_not_read(shared):
    """The command gets SIGPIPE, as in a shell."""
    script = f"{FAIRLEAD} run -- sh -c 'yes; echo $? >&2' | head -n 1"
    done = subprocess.run(["bash", "-c", script], env=environment(shared), cwd=shared.folder, check=False, timeout=60, capture_output=True)
    assert done.stdout == b"y\n"


def test_nothing_is_kept(shared):
    run(shared, "echo", "secret")
    answer = shared.get(f"/v1/jobs/{last_job(shared)}/log")
    assert answer.status == 404 and "is interactive: its output went to its client and is not kept" in answer.error
    done = subprocess.run([FAIRLEAD, "logs", str(last_job(shared))], env=environment(shared), check=False, capture_output=True, text=True)
    assert done.returncode == 1 and "is interactive" in done.stderr
    assert subprocess.run(["grep", "-rl", "secret-that", str(shared.state)], check=False, capture_output=True).stdout == b""


# --- turns ---


def test_waits_for_its_turn(daemon):
    job = block(daemon)
    client = subprocess.Popen([FAIRLEAD, "run", *WHOLE, "echo", "done"], env=environment(daemon), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
    assert re.match(r"fairlead: job \d+ waits in default: .+\n", client.stderr.readline())
    assert client.poll() is None
    daemon.post(f"/v1/jobs/{job}/cancel")
    assert client.communicate(timeout=30) == ("done\n", "") and client.returncode == 0


def test_held_and_after(daemon):
    client = subprocess.Popen([FAIRLEAD, "run", "--hold", "echo", "released"], env=environment(daemon), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
    job = job_that(daemon, "held")
    assert "waits in default: waits to be released" in client.stderr.readline()
    daemon.post(f"/v1/jobs/{job}/release")
    assert client.communicate(timeout=30) == ("released\n", "") and client.returncode == 0


@pytest.mark.parametrize("number,code", [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGKILL, -9)])
def test_leaves_while_it_waits(daemon, number, code):
    """Ctrl-C, and any other way to leave, cancels it."""
    blocks = block(daemon)
    client = subprocess.Popen([FAIRLEAD, "run", *WHOLE, "touch", "ran"], env=environment(daemon), cwd=daemon.folder, stderr=subprocess.PIPE,
                              stdin=subprocess.DEVNULL, text=True)
    client.stderr.readline()
    job = job_that(daemon, "waits")
    client.send_signal(number)
    assert client.wait(30) == code
    page = daemon.wait(job, "cancelled")
    assert "its client has left" in page["reason"]
    if number != signal.SIGKILL:
        assert client.stderr.read() == f"fairlead: job {job} is cancelled\n"
    daemon.post(f"/v1/jobs/{blocks}/cancel")
    daemon.wait(blocks)
    assert not (daemon.folder / "ran").exists()


def test_ctrl_c_at_a_terminal_while_it_waits(daemon):
    block(daemon)
    t = Terminal(daemon, *WHOLE, "--", "bash")
    t.until("waits in default")
    job = job_that(daemon, "waits")
    t.type("\x03")
    assert t.end() == 130
    daemon.wait(job, "cancelled")


# --- while it runs ---


def test_ctrl_c_without_a_terminal(daemon):
    """As srun: once says what it does, twice within a second cancels it."""
    client = subprocess.Popen([FAIRLEAD, "run", "--", "sh", "-c", "echo $$; exec sleep 300"], env=environment(daemon), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
    client.stdout.readline()
    job = job_that(daemon, "runs")
    time.sleep(0.3)
    for _ in range(2):
        client.send_signal(signal.SIGINT)
        assert client.stderr.readline() == f"fairlead: job {job} runs; Ctrl-C once more within a second cancels it\n"
        time.sleep(1.5)
        assert client.poll() is None and daemon.job(job)["state"] == "runs"
    def ends():
        client.send_signal(signal.SIGINT)
        time.sleep(0.1)
        return client.poll() is not None
    daemon.until(ends, "two of a second end it")
    assert client.returncode == 130
    assert daemon.wait(job)["state"] == "cancelled"


@pytest.mark.parametrize("pty_too", [False, True])
def test_client_is_killed_while_it_runs(daemon, pty_too):
    """No process of it is left."""
    client = subprocess.Popen([FAIRLEAD, "run", *(["--pty"] if pty_too else []), "--", "sh", "-c", "sleep 301 & echo $$ $!; wait"],
                              env=environment(daemon), stdout=subprocess.PIPE, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
    pids = list(map(int, client.stdout.readline().split()))
    job = job_that(daemon, "runs")
    client.kill()
    page = daemon.wait(job)
    assert page["state"] == "cancelled" and len(pids) == 2
    assert not any(map(is_alive, pids))


def test_terminal_goes_away(daemon):
    """A window that is closed: the shell gets SIGHUP, and the job is cancelled."""
    t = Terminal(daemon, "--", "sh", "-c", "trap 'echo hangup > trapped; exit' HUP; echo ready; while :; do sleep 0.05; done")
    t.until("ready")
    job = job_that(daemon, "runs")
    os.close(t.fd)
    assert daemon.wait(job)["state"] in ("cancelled", "failed")
    daemon.until(lambda: (daemon.folder / "trapped").exists(), "the shell heard it")
    os.waitpid(t.pid, 0)


@pytest.mark.parametrize("options,script,code,said", [
    (["-t", "1s"], "sleep 300", 143, "time limit"),
    (["-t", "1s", "--pty"], "sleep 300", 129, "time limit"),
    (["--dir", "/nowhere"], "true", 1, "cannot go to the directory '/nowhere'"),
])
def test_what_is_told(shared, options, script, code, said):
    got, _, err = run(shared, *options, "--", "sh", "-c", script)
    assert got == code and said in err.decode(), err


def test_cancelled_by_another(daemon):
    client = subprocess.Popen([FAIRLEAD, "run", "--", "sleep", "300"], env=environment(daemon), stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                              text=True)
    job = job_that(daemon, "runs")
    daemon.post(f"/v1/jobs/{job}/cancel")
    assert client.wait(30) == 143 and f"job {job}: cancelled" in client.stderr.read()


def test_preempted(daemon_of):  # noqa: F811 (the fixture)
    """It is not queued again, and that is told."""
    daemon = daemon_of(entitled(queue("a", 2000), queue("b", 2000)))
    client = subprocess.Popen([FAIRLEAD, "run", "-q", "a", *WHOLE, "--", "sleep", "300"], env=environment(daemon), stderr=subprocess.PIPE,
                              stdin=subprocess.DEVNULL, text=True)
    job = job_that(daemon, "runs")
    [taker] = sleeps(daemon, "b", 2, 1)
    assert client.wait(30) == 143
    said = client.stderr.read()
    assert "preempted" in said and "it is not queued again" in said, said
    assert daemon.job(job)["state"] == "failed"
    daemon.wait(taker, "runs")
    daemon.post(f"/v1/jobs/{taker}/cancel")


def test_is_not_queued_again(daemon):
    """Neither by requeue, nor by a hold that stops it."""
    client = subprocess.Popen([FAIRLEAD, "run", "--", "sleep", "300"], env=environment(daemon), stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                              text=True)
    job = job_that(daemon, "runs")
    for _ in range(2):
        answer = daemon.post("/v1/jobs/requeue", {"jobs": str(job)}).json()
        assert f"job {job} is interactive, and is not queued again" in answer["jobs"][0]["error"]["text"], answer
        daemon.post(f"/v1/jobs/{job}/hold?stop=1")
        assert daemon.wait(job)["state"] == "failed"
    assert client.wait(30) == 143 and "it is not queued again" in client.stderr.read()


# --- the daemon is killed ---


def test_daemon_is_killed_while_it_waits(daemon):
    """The client attaches again, and the job runs in its turn."""
    blocks = block(daemon)
    t = Terminal(daemon, *WHOLE, "--", "sh", "-c", "echo it runs; exit 6")
    t.until("waits in default")
    for number in (signal.SIGKILL, signal.SIGTERM):
        daemon.stop(number)
        t.until("has lost its daemon; fairlead waits")
        daemon.start()
        wait_attached(daemon)
    job = job_that(daemon, "waits")
    daemon.post(f"/v1/jobs/{blocks}/cancel")
    t.until("it runs")
    assert t.end() == 6 and daemon.job(job)["attempt"] == 1


def test_daemon_is_killed_while_it_runs(daemon):
    """The run goes on and is typed at meanwhile; its status is told after the start."""
    t = Terminal(daemon, "--", "bash", "--norc", "-i")
    t.until(r"\$ $")
    job = job_that(daemon, "runs")
    daemon.stop(9)
    t.until("has lost its daemon; it goes on")
    t.ask("echo still $((40 + 2))", "still 42")
    daemon.start()
    wait_attached(daemon)
    t.ask("echo again $((40 + 3))", "again 43")
    assert daemon.job(job)["state"] == "runs"
    daemon.stop(9)
    t.until("has lost its daemon")
    t.type("exit 9\n")
    time.sleep(1)
    daemon.start()
    assert t.end() == 9
    assert daemon.job(job)["attempt"] == 1


def test_daemon_and_client_are_killed(daemon):
    """No client attaches after the start: the job is cancelled, whether it waits or runs."""
    runs = subprocess.Popen([FAIRLEAD, "run", "-r", "cpu=3", "--", "sleep", "300"], env=environment(daemon), stdin=subprocess.DEVNULL)
    first = job_that(daemon, "runs")
    waits = subprocess.Popen([FAIRLEAD, "run", *WHOLE, "--", "sleep", "300"], env=environment(daemon), stdin=subprocess.DEVNULL)
    second = job_that(daemon, "waits")
    daemon.stop(9)
    for client in (runs, waits):
        client.kill()
        client.wait()
    daemon.start()
    assert daemon.job(first)["state"] == "runs"
    for job in (first, second):
        assert daemon.wait(job)["state"] == "cancelled"


@pytest.mark.parametrize("times", [6])
def test_daemon_is_killed_at_any_time(daemon, times):
    """Each run prints its line once or is told to have failed; none twice."""
    def lines():
        return (daemon.folder / "ran").read_text().splitlines() if (daemon.folder / "ran").exists() else []

    for i in range(times):
        client = subprocess.Popen([FAIRLEAD, "run", "--", "sh", "-c", f"echo ran {i} >> ran; sleep 0.2"], env=environment(daemon),
                                  cwd=daemon.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if i % 3 == 2:
            daemon.until(lambda n=i: f"ran {n}" in lines(), "it runs")
        else:
            time.sleep(0.02 * i * (5 if os.environ.get("FAIRLEAD_SANITIZED") else 1))
        daemon.stop(9)
        daemon.start()
        client.communicate(timeout=60)
    assert len(lines()) == len(set(lines())) and len(lines()) >= times // 3, lines()


@pytest.mark.skipif(os.geteuid() != 0, reason="only a daemon that root has started has a spawner")
def test_spawner_is_killed(daemon):
    """The daemon ends with it; the run goes on, and its end is told after the next start."""
    client = subprocess.Popen([FAIRLEAD, "run", "--", "sh", "-c", "sleep 4; exit 8"], env=environment(daemon), stdin=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True)
    job_that(daemon, "runs")
    children = subprocess.run(["pgrep", "-P", str(daemon.process.pid), "-x", "fairlead-spawn"], capture_output=True, text=True, check=True)
    os.kill(int(children.stdout), signal.SIGKILL)
    assert daemon.process.wait(30) != 0
    daemon.start()
    assert client.wait(30) == 8


# --- the interface itself ---


class Client:
    """The connection of a client: asks to attach, reads states, sends descriptors."""

    def __init__(self, daemon, job):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(30)
        self.socket.connect(str(daemon.socket))
        self.socket.sendall(b"POST /v1/jobs/%d/attach HTTP/1.0\r\nContent-Length: 0\r\n\r\n" % job)
        self.text = b""
        head = self.until(b"\r\n\r\n")
        self.status = int(head.split()[1])

    def until(self, end):
        while end not in self.text:
            more = self.socket.recv(4096)
            assert more, self.text
            self.text += more
        found, _, self.text = self.text.partition(end)
        return found.decode()

    def states_to_the_end(self):
        try:
            while more := self.socket.recv(4096):
                self.text += more
        except ConnectionResetError:
            pass  # it was closed with something that was not read
        return re.findall(r'"state":"(\w+)"', self.text.decode())

    def send(self, files, text=b"\0"):
        self.socket.sendmsg([text], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", files))] if files else [])

    def refusal(self):
        while more := self.socket.recv(4096):
            self.text += more
        return self.text.decode()


def test_attach(shared):
    """The states in their order, and the files."""
    job = shared.post("/v1/jobs", {**JOB, "command": ["sh", "-c", "tr a-z A-Z"]}).json()["jobs"][0]
    client = Client(shared, job)
    assert client.status == 200
    (inside, into), (outof, outside) = os.pipe(), os.pipe()
    os.write(into, b"words")
    os.close(into)
    client.send([inside, outside, outside])
    os.close(inside)
    os.close(outside)
    states = client.states_to_the_end()
    # On a busy machine it has ended when it is told that it runs.
    order = ["waits", "starts", "runs", "done"]
    assert states == [s for s in order if s in states] and {"starts", "done"} <= set(states), states
    assert os.read(outof, 100) == b"WORDS" and os.read(outof, 100) == b""
    os.close(outof)
    wait_attached(shared)


@pytest.mark.parametrize("spec,said", [
    ({"interactive": "window"}, "'window' is neither files nor terminal"),
    ({"interactive": True}, "must be a text, not true or false"),
    ({"tasks": 2}, "an interactive job has one task, not 2"),
    ({"array": 3}, "an array cannot be interactive"),
    ({"output": "/tmp/x"}, "the output of an interactive job goes to its client, so it has no file for it"),
    ({"requeue": True}, "an interactive job is not queued again when it was preempted: its client does not give the same input twice"),
])
def test_specs_that_are_refused(shared, spec, said):
    answer = shared.post("/v1/jobs", {**JOB, **spec})
    assert answer.status == 400 and said in answer.error


def test_attach_that_is_refused(shared):
    plain = shared.submit("sleep", "60")
    over = shared.submit("true")
    shared.wait(over)
    for job, status, said in ((plain, 400, f"job {plain} is not interactive"), (over, 409, f"job {over} has ended"),
                              (999999, 404, "there is no job 999999")):
        client = Client(shared, job)
        assert client.status == status and said in client.refusal()
    shared.post(f"/v1/jobs/{plain}/cancel")
    held = shared.post("/v1/jobs", {**JOB, "hold": True}).json()["jobs"][0]
    first = Client(shared, held)
    second = Client(shared, held)
    assert (first.status, second.status) == (200, 409) and "a client is attached to job" in second.refusal()
    assert shared.job(held)["state"] == "held"
    first.socket.close()
    shared.wait(held, "cancelled")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root is several users")
def test_attach_of_another_user(daemon):
    """Neither another user nor an admin has a say: only the kernel's word for the owner counts."""
    job = daemon.post("/v1/jobs", {**JOB, "hold": True}).json()["jobs"][0]
    code = ("import socket, sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); "
            "s.sendall(b'POST /v1/jobs/%d/attach HTTP/1.0\\r\\n\\r\\n' % int(sys.argv[2])); print(s.recv(4096).decode())")
    said = subprocess.run(["/usr/bin/python3", "-c", code, str(daemon.socket), str(job)], capture_output=True, text=True, check=True, user=60123,
                          group=60123, extra_groups=[], cwd="/").stdout
    assert " 403 " in said and "belongs to another user" in said
    # Root is an admin: it may cancel a job of another user, but not attach to it.
    of_user = subprocess.run(["/usr/bin/python3", "-c", f"""
import http.client, json, socket, sys
s = socket.socket(socket.AF_UNIX); s.connect({str(daemon.socket)!r})
body = json.dumps({{'queue': 'default', 'command': ['true'], 'directory': '/', 'interactive': 'files', 'hold': True}})
s.sendall(('POST /v1/jobs HTTP/1.0\\r\\nContent-Length: %d\\r\\n\\r\\n%s' % (len(body), body)).encode())
print(s.recv(4096).decode().partition('\\r\\n\\r\\n')[2])"""], capture_output=True, text=True, check=True, user=60123, group=60123,
                             extra_groups=[], cwd="/").stdout
    other = int(re.search(r"\[(\d+)\]", of_user)[1])
    client = Client(daemon, other)
    assert client.status == 403 and "only its owner can attach to a job" in client.refusal()


@pytest.mark.parametrize("files,text,said", [
    (0, b"x", "there is no message with them"),
    (1, b"x", "its message has not three of them"),
    (2, b"x", "its message has not three of them"),
    (4, b"x", "its message has not three of them"),
    (200, b"x", "its message has not three of them"),
    (3, b"GET / HTTP/1.1\r\n\r\n" * 100, None),  # as much text as one likes
], ids=["none", "one", "two", "four", "many", "text"])
def test_messages_that_are_wrong(daemon, files, text, said):
    """The run does not begin, what was sent is closed, and the daemon goes on."""
    job = daemon.post("/v1/jobs", {**JOB, "command": ["true"]}).json()["jobs"][0]
    client = Client(daemon, job)
    read, write = os.pipe()
    client.send([write] * files, text)
    os.close(write)
    if said:
        daemon.until(lambda: any(e["kind"] == "NotStarted" for e in events(daemon, job)), "it was not started")
        client.socket.close()
        page = daemon.wait(job)
        assert page["state"] == "cancelled"
    else:
        assert client.states_to_the_end()[-1] == "done"
        client.socket.close()
    assert select.select([read], [], [], 30)[0] and os.read(read, 1) == b""
    os.close(read)
    assert daemon.get("/v1/health").status == 200


def events(daemon, job):
    return [json.loads(line) for line in daemon.get(f"/v1/events?job={job}").text.splitlines()]


def test_terminal_that_is_none(daemon):
    """A job that is to have a terminal and gets pipes could never run."""
    job = daemon.post("/v1/jobs", {**JOB, "interactive": "terminal"}).json()["jobs"][0]
    client = Client(daemon, job)
    read, write = os.pipe()
    client.send([read, write, write])
    assert client.states_to_the_end()[-1] == "failed"
    assert "not a terminal that it can have as its own" in daemon.job(job)["reason"]


def test_client_that_sends_nothing(daemon):
    """Its run waits some seconds for the files, is not started, and is cancelled when the client leaves."""
    job = daemon.post("/v1/jobs", JOB).json()["jobs"][0]
    client = Client(daemon, job)
    daemon.until(lambda: any(e["kind"] == "NotStarted" for e in events(daemon, job)), "it was not started")
    client.socket.close()
    daemon.wait(job, "cancelled")


def test_job_without_a_client(daemon):
    """It holds its place for some seconds and is cancelled."""
    began = time.monotonic()
    job = daemon.post("/v1/jobs", JOB).json()["jobs"][0]
    daemon.wait(job, "starts")
    page = daemon.wait(job)
    assert page["state"] == "cancelled" and 14 < time.monotonic() - began < 45
    assert daemon.get("/v1/queues").status == 200


def open_files(daemon):
    fds = pathlib.Path(f"/proc/{daemon.process.pid}/fd")
    for fd in fds.iterdir():
        try:
            yield os.readlink(fd)
        except FileNotFoundError:  # it was just closed
            pass


def test_files_of_a_slow_file_system(daemon):
    """The daemon never has the descriptors of a user: none of them is among its own."""
    job = daemon.post("/v1/jobs", {**JOB, "hold": True}).json()["jobs"][0]
    client = Client(daemon, job)
    with open(daemon.folder / "marked", "wb") as file:
        client.send([file.fileno()] * 3)
    time.sleep(0.5)
    assert not any("marked" in name for name in open_files(daemon))
    client.socket.close()
    daemon.wait(job, "cancelled")


def test_descriptors_do_not_leak(daemon):
    """100 runs, some of which end in other ways."""
    def count():
        return len(os.listdir(f"/proc/{daemon.process.pid}/fd"))

    run(daemon, "true")
    time.sleep(1.5)
    before = count()
    for i in range(25):
        four = [subprocess.Popen([FAIRLEAD, "run", *(["--pty"] if n % 2 else []), "--", "sh", "-c", ("true", "exit 3", "kill -9 $$", "sleep 300")[n]],
                                 env=environment(daemon), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                for n in range(4)]
        if i % 2:
            time.sleep(0.05 * (i % 5))
        four[3].kill()
        for client in four:
            client.wait(60)
    daemon.until(lambda: not daemon.get("/v1/jobs").json()["jobs"], "all are over", 90)
    daemon.until(lambda: count() <= before + 2, f"{before} descriptors, not {count()}", 30)


def test_not_root(tmp_path):
    """A daemon that is not root's gives its own user the same, without a spawner."""
    if os.geteuid() != 0:
        pytest.skip("not root: all tests here are of a daemon that root has not started")
    os.chown(tmp_path, ACCOUNT, ACCOUNT)
    for above in tmp_path.parents:
        if above.name.startswith("fairlead-"):
            break
        above.chmod(0o755)
    log = open(tmp_path / "log", "wb")
    write_config(tmp_path)
    who = {"user": ACCOUNT, "group": ACCOUNT, "extra_groups": []}
    process = subprocess.Popen([os.environ["FAIRLEADD"], "--state", str(tmp_path / "state"), "--socket", str(tmp_path / "s"), "--config",
                                str(tmp_path / "daemon.yaml")], stdout=log, stderr=log, cwd=tmp_path, **who)
    deadline = time.monotonic() + 30
    while f"listens on {tmp_path}/s" not in (tmp_path / "log").read_text():
        assert time.monotonic() < deadline, (tmp_path / "log").read_text()
        time.sleep(0.05)
    env = {**os.environ, "FAIRLEAD_SOCKET": str(tmp_path / "s"), "FAIRLEAD_QUEUE": "default"}
    for options, out in ((["--no-pty"], b"not a tty\nwords\n"), (["--pty"], b"/dev/pts/")):
        done = subprocess.run([FAIRLEAD, "run", *options, "--", "sh", "-c", "tty; cat; exit 4"], input=b"words\n", capture_output=True, timeout=60,
                              env=env, cwd="/", check=False, **who)
        assert done.returncode == 4 and out in done.stdout, done
    process.terminate()
    assert process.wait(30) == 0
    log.close()


# --- the command line ---


@pytest.mark.parametrize("args,said", [
    ([], "a command is missing: fairlead run -q QUEUE -- bash"),
    (["--array", "3", "true"], "unknown option '--array'"),
    (["--wait", "true"], "unknown option '--wait'"),
    (["--output", "x", "true"], "unknown option '--output'"),
    (["-r", "cpu", "true"], "fairlead run: --request: 'cpu' is not RESOURCE=AMOUNT"),
    (["--requeue", "true"], "unknown option '--requeue'"),
])
def test_command_lines_that_are_refused(shared, args, said):
    code, out, err = run(shared, *args)
    assert (code, out) == (2, b"") and said in err.decode()


def test_without_a_daemon(tmp_path):
    done = subprocess.run([FAIRLEAD, "run", "-q", "default", "true"], env={**os.environ, "FAIRLEAD_SOCKET": str(tmp_path / "none")},
                          capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 3 and "no daemon listens here" in done.stderr
