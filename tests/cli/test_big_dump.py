# SPDX-License-Identifier: Apache-2.0
"""Dumps that are larger than the memory there is: what is kept is the rows, never the text."""
import gzip
import os
import subprocess
import sys
import threading
import time

import pytest

from conftest import SOURCE

sys.path.insert(0, str(SOURCE / "bench"))
import bigdump  # noqa: E402

# A sanitizer reserves terabytes of addresses and is slow.
SANITIZED = "ASAN_OPTIONS" in os.environ
# Everything the process may map: the command and its libraries are some 20 MB of that.
LIMIT_KB = 48_000


def run(tmp_path, form, megabytes, *args, pack=False):
    """Pipe a dump into the command: exit code, standard output and error, and how many Workloads went in."""
    if SANITIZED:
        megabytes /= 20
    limit = "" if SANITIZED else f"ulimit -v {LIMIT_KB}; "
    child = subprocess.Popen(["sh", "-c", limit + 'exec "$0" "$@"', os.environ["FAIRLEAD"], *args],
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path)
    pieces = []

    def feed():
        out = gzip.open(child.stdin, "wb", compresslevel=1) if pack else child.stdin
        try:
            for piece in bigdump.chunks(form, megabytes):
                pieces.append(len(piece))
                out.write(piece)
            out.close()
            child.stdin.close()
        except BrokenPipeError:
            pass

    feeder = threading.Thread(target=feed)
    feeder.start()
    out, err = child.stdout.read().decode(), child.stderr.read().decode()
    feeder.join()
    workloads = (len(pieces) - 2) * bigdump.WORKLOADS_AT_A_TIME  # but the head and the tail
    return child.wait(), out, err, workloads


@pytest.mark.parametrize("form, megabytes", [("json", 110), ("yaml", 40), ("documents", 40)])
def test_a_pipe(tmp_path, form, megabytes):
    start = time.monotonic()
    code, out, err, workloads = run(tmp_path, form, megabytes, "check", "-f", "-")
    assert (code, err) == (0, "")
    assert out == f"1 cluster queue, 0 cohorts, 1 local queue, {workloads} workloads: no errors, 0 warnings\n"
    assert time.monotonic() - start < 120  # a few seconds, where nobody else is at work


def test_packed(tmp_path):
    code, out, err, workloads = run(tmp_path, "json", 50, "check", "-f", "-", pack=True)
    assert (code, err) == (0, "")
    assert f" {workloads} workloads: no errors" in out


def test_a_mistake_far_away(tmp_path):
    """The place is exact behind tens of megabytes, and nothing is answered."""
    path = tmp_path / "x.json"
    with open(path, "wb") as f:
        for piece in bigdump.chunks("json", 2 if SANITIZED else 30):
            f.write(piece)
    text = path.read_bytes()
    at = text.rindex(b'"schedulerName": "default-scheduler"')
    line, column = text.count(b"\n", 0, at) + 1, at - text.rindex(b"\n", 0, at)
    path.write_bytes(text[:at] + b"'" + text[at + 1:])
    code, out, err, _ = run(tmp_path, "yaml", 0, "plan", "-f", "x.json")
    assert (code, out) == (1, "")
    assert err == f"x.json:{line}:{column}: error: expected a key in double quotes, not '''\n"


def one_object(values):
    items = b",".join(b'{"a": %d}' % i for i in range(values // 3))
    return b'{"apiVersion": "v1", "kind": "Other", "list": [' + items + b"]}"


def test_one_large_object(tmp_path):
    """One object is kept whole, so it has a limit of its own."""
    (tmp_path / "x.json").write_bytes(one_object(5_000_000))
    done = subprocess.run([os.environ["FAIRLEAD"], "plan", "-f", "x.json"], cwd=tmp_path, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr == b"x.json:1:1: error: an object of more than 4194304 values\n"
    head = b'{"apiVersion": "v1", "kind": "Other", "list": ['
    (tmp_path / "x.json").write_bytes(head + b",".join([b'"' + b"x" * 250_000 + b'"'] * 270) + b"]}")
    done = subprocess.run([os.environ["FAIRLEAD"], "plan", "-f", "x.json"], cwd=tmp_path, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr == b"x.json:1:1: error: an object of more than 67108864 bytes\n"


def test_the_limit_is_one(tmp_path):
    """An object that is kept does not fit in what the others here have."""
    if SANITIZED:
        pytest.skip("no limit under a sanitizer")
    (tmp_path / "x.json").write_bytes(one_object(3_000_000))
    code, out, err, _ = run(tmp_path, "yaml", 0, "plan", "-f", "x.json")
    assert (code, out) == (3, "")
    assert err == "x.json: error: out of memory\n"
