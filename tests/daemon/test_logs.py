# SPDX-License-Identifier: Apache-2.0
"""Both streams of a job in their order: by the API, framed or not, by the command; and what is refused."""
import os
import struct
import subprocess

import pytest

STEP = "until [ -e step ]; do sleep 0.01; done; rm step"
MIXED = f"for i in 1 2 3; do echo out $i; {STEP}; echo err $i >&2; {STEP}; done"
LINES = [f"{s} {i}" for i in (1, 2, 3) for s in ("out", "err")]


def mixed(daemon, limit=18):
    """A job that has printed the lines, each when the one before it was kept, up to so many bytes of a stream: what is written
    within a moment may be read in another order."""
    number = daemon.submit("sh", "-c", MIXED)
    daemon.wait(number, "runs")
    for i in range(len(LINES)):
        kept = min(6 * (i // 2 + 1), limit) + min(6 * ((i + 1) // 2), limit)
        daemon.until(lambda n=kept: len(daemon.get(f"/v1/jobs/{number}/log?stream=both").body) >= n, "it is kept")
        (daemon.folder / "step").touch()
        daemon.until(lambda: not (daemon.folder / "step").exists(), "it goes on")
    daemon.wait(number)
    return number


@pytest.fixture
def logs(shared):
    def run(number, *args, **how):
        return subprocess.run([os.environ["FAIRLEAD"], "logs", "--socket", str(shared.socket), *args, str(number)],
                              capture_output=True, **how)
    return run


def frames(body):
    """[(1 or 2, bytes)] of a framed answer."""
    all_ = []
    while body:
        stream, n = struct.unpack_from(">BxxxI", body)
        assert stream in (1, 2) and len(body) >= 8 + n > 8
        all_.append((stream, body[8:8 + n]))
        body = body[8 + n:]
    return all_


def test_in_order(shared, logs):
    number = mixed(shared)
    log = f"/v1/jobs/{number}/log"
    assert shared.get(f"{log}?stream=both").text.splitlines() == LINES
    answer = shared.get(f"{log}?stream=both&framed=1")
    assert answer.headers["Content-Type"] == "application/octet-stream"
    assert frames(answer.body) == [(1 + i % 2, f"{line}\n".encode()) for i, line in enumerate(LINES)]
    assert shared.get(f"{log}?stream=both&tail=8").text == "3\nerr 3\n"
    assert shared.get(f"{log}?stream=both&from=18").text == "\n".join(LINES[3:]) + "\n"
    assert shared.get(f"{log}?stream=both&from=30&tail=100").text == "\n".join(LINES[5:]) + "\n"
    assert shared.get(f"{log}?stream=both&from=100").text == ""
    done = logs(number)
    assert done.stdout.decode() == "out 1\nout 2\nout 3\n" and done.stderr.decode() == "err 1\nerr 2\nerr 3\n"
    both = subprocess.run(["sh", "-c", 'exec "$0" "$@" 2>&1', os.environ["FAIRLEAD"], "logs", "--socket",
                           str(shared.socket), str(number)], capture_output=True, text=True)
    assert both.stdout.splitlines() == LINES
    assert logs(number, "--out").stderr == b"" and logs(number, "--out").stdout == done.stdout
    assert logs(number, "--err").stdout == done.stderr and logs(number, "--err").stderr == b""
    assert logs(number, "--out", "--err").stdout == done.stdout
    tail = logs(number, "--tail", "8")
    assert (tail.stdout, tail.stderr) == (b"3\n", b"err 3\n")


def test_followed(shared):
    """Each as it comes, from before it starts to its end."""
    go = shared.folder / "next"
    wait = f"until [ -e {go} ]; do sleep 0.02; done; rm {go}"
    number = shared.submit("sh", "-c", f"echo one; {wait}; echo two >&2; {wait}; echo three", hold=True)
    response, connection = shared.follow(f"/v1/jobs/{number}/log?stream=both&framed=1&follow=1")
    shared.post(f"/v1/jobs/{number}/release")
    for stream, text in ((1, b"one\n"), (2, b"two\n"), (1, b"three\n")):
        got, n = struct.unpack(">BxxxI", response.read(8))
        assert (got, response.read(n)) == (stream, text)
        go.touch()
    assert response.read() == b""
    connection.close()


def test_large(shared):
    """More than any buffer, of both, and with a tail of it."""
    number = shared.submit("sh", "-c", "for i in 1 2 3 4; do head -c 1000000 /dev/zero; "
                                       "head -c 500000 /dev/zero | tr '\\0' x >&2; done")
    shared.wait(number)
    body = shared.get(f"/v1/jobs/{number}/log?stream=both").body
    assert len(body) == 6_000_000 and body.count(b"x") == 2_000_000
    parts = frames(shared.get(f"/v1/jobs/{number}/log?stream=both&framed=1").body)
    assert b"".join(part for _, part in parts) == body
    assert b"".join(part for stream, part in parts if stream == 2) == b"x" * 2_000_000
    assert shared.get(f"/v1/jobs/{number}/log?stream=both&tail=700000").body == body[-700_000:]


def test_beyond_the_limit(daemon):
    """What is not kept of one stream is told; the order of what is kept stays."""
    text = daemon.config.read_text()
    assert "jobs: {grace: 1s}" in text
    daemon.config.write_text(text.replace("jobs: {grace: 1s}", "jobs: {grace: 1s, outputLimit: 10}"))
    daemon.stop()
    daemon.start()
    number = mixed(daemon, limit=10)
    lost = "\n[fairlead: 8 more bytes were not kept: the limit is 10 bytes]\n"
    assert daemon.get(f"/v1/jobs/{number}/log?stream=both").text == f"out 1\nerr 1\nout {lost}err {lost}"


def test_order_that_is_damaged(shared):
    """Whatever stands in the record: nothing is lost or doubled, and each stream is as it was."""
    number = mixed(shared)
    record = shared.until(lambda: list(shared.state.glob(f"ended/{number}/1/order.0")), "it is kept")[0]
    whole = record.read_bytes()
    assert len(whole) == 5 * 8
    out, err = (shared.get(f"/v1/jobs/{number}/log?stream={s}").text.split("\n") for s in ("out", "err"))
    for damage in (b"", whole[:3], whole[:-1], bytes(40), b"\xff" * 40, whole[16:], whole[:8] * 5, os.urandom(80)):
        record.write_bytes(damage)
        parts = frames(shared.get(f"/v1/jobs/{number}/log?stream=both&framed=1").body)
        for stream, lines in ((1, out), (2, err)):
            assert b"".join(part for s, part in parts if s == stream).decode().split("\n") == lines, damage
    record.unlink()
    assert shared.get(f"/v1/jobs/{number}/log?stream=both").text.split() == " ".join(out + err).split()


def test_of_tasks(shared, logs):
    number = shared.submit("sh", "-c", "echo out $FAIRLEAD_TASK; echo err $FAIRLEAD_TASK >&2", tasks=2)
    shared.wait(number)
    for task in 0, 1:
        done = logs(number, "--task", str(task), text=True)
        assert (done.stdout, done.stderr) == (f"out {task}\n", f"err {task}\n")


@pytest.mark.parametrize("query, status, text", [
    ("stream=all", 400, "'stream' must be out, err or both"),
    ("stream=", 400, "'stream' must be out, err or both"),
    ("framed=1", 400, "'framed' is for stream=both only"),
    ("stream=err&framed=1", 400, "'framed' is for stream=both only"),
    ("stream=both&from=-1", 400, "'from' is not a number"),
    ("stream=both&tail=x", 400, "'tail' is not a number"),
    ("stream=both&task=7", 404, "there is no task 7"),
    ("stream=both&attempt=9", 404, "there is no output of attempt 9"),
    ("stream=both&order=1", 400, "'order' is not an argument of this path"),
])
def test_what_is_refused(shared, query, status, text):
    number = shared.submit("true")
    shared.wait(number)
    answer = shared.get(f"/v1/jobs/{number}/log?{query}")
    assert answer.status == status and text in answer.error


@pytest.mark.parametrize("args, code, text", [
    (["--both"], 2, "unknown option '--both'"),
    (["--out=file"], 2, "--out"),
    (["--tail", "-1"], 2, "--tail"),
    (["--task", "7"], 1, "there is no task 7"),
    (["--attempt", "9"], 1, "there is no output of attempt 9"),
])
def test_what_the_command_refuses(shared, logs, args, code, text):
    number = shared.submit("true")
    shared.wait(number)
    done = logs(number, *args, text=True)
    assert done.returncode == code and text in done.stderr and done.stdout == "", done.stderr
