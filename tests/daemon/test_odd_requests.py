# SPDX-License-Identifier: Apache-2.0
"""Requests as nobody would write them, through the whole daemon: made of each path of its description, then damaged.

FAIRLEAD_ODD_SECONDS and FAIRLEAD_ODD_SEED say how long and which ones; what a daemon did not survive is written to
the folder FAIRLEAD_ODD_KEEP, and goes to odd_requests/ with the commit that mends it."""
import json
import os
import pathlib
import random
import re
import socket
import time

import openapi

SECONDS = float(os.environ.get("FAIRLEAD_ODD_SECONDS", "5"))
SEED = int(os.environ.get("FAIRLEAD_ODD_SEED", "1"))
KEPT = pathlib.Path(__file__).with_name("odd_requests")

# Never runs: no machine of a test has so much.
JOB = {"queue": "default", "command": ["true"], "directory": "/", "requests": {"cpu": "1000", "memory": "1Ti"}, "name": "n",
       "priority": 1, "tasks": 2, "timeLimit": "1h", "grace": "5s", "signal": "INT", "begin": "2030-01-01T00:00:00Z",
       "after": [{"job": 1, "when": "any"}], "labels": {"a": "b"}, "environment": {"A": "b"}, "array": "0-3%2",
       "hooks": [{"on": ["end"], "command": "true"}], "comment": "c", "output": "/tmp/%j"}
BODIES = {
    "submit": [JOB, {"jobs": [{**JOB, "array": 3}]}, {**JOB, "interactive": "files"}],
    "cancel_many": [{"jobs": "1,2-3,4[]", "signal": "USR1"}, {"state": "waits"}],
    "hold_many": [{"jobs": "1-9", "stop": True, "reason": "r"}],
    "release_many": [{"user": "root", "after": 3}],
    "requeue_many": [{"jobs": "1-100000"}],
    "update_many": [{"jobs": "1", "set": {"priority": 5, "timeLimit": None, "after": None, "name": "x", "holdReason": "h"}}],
    "what_if": ["apiVersion: kueue.x-k8s.io/v1beta1\nkind: ClusterQueue\nmetadata: {name: default}\nspec: {cohort: a}\n---\n",
                {"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "LocalQueue", "metadata": {"name": "q", "namespace": "n"}}],
    "kai_query_by_form": ["query=sum_over_time((kai_queue_allocated_gpus)%5B1h0m0s:1m0s%5D)&time=5", "query=%zz&&=&time", "a=%00"],
    "kai_query_range_by_form": ["query=sum_over_time(kai_queue_allocated_cpu_cores)&start=1&end=2.5&step=60", "end=" + "9" * 500],
}
VALUES = ["", "0", "1", "-1", "17.0", "99999999999999999999", "1e9", "true", "json", "waits,runs", "default", "2026-01-01T00:00:00Z",
          "%00", "%", "%zz", "%ff%fe", "../..", "a" * 300, "ClusterQueue/default: spec.fairSharing.weight=2", "%0a", "j1", "*"]
WORDS = [b"\r\n", b"\r\n\r\n", b" ", b"\0", b"%00", b"Content-Length: 5\r\n", b"Content-Length: -1\r\n", b"Transfer-Encoding: chunked\r\n",
         b"Connection: close\r\n", b"Expect: 100-continue\r\n", b"HTTP/1.0", b"HTTP/9.9", b"Host: x\r\n", b"{", b"}", b"[", b'"', b"\\u0000", b"null",
         b"-9223372036854775808", b"1e999", b"/v1/jobs/1", b"?limit=1", b"&", b"\xff\xfe", b"If-None-Match: *\r\n", b"Accept: text/event-stream\r\n",
         b"Authorization: Bearer x\r\n", b"Origin: http://evil\r\n", b"Last-Event-ID: 9.9\r\n", b"Upgrade: x\r\n", b"Cookie: a=b\r\n"]
# What a caller may be told.
STATUSES = {100, 101, 200, 201, 202, 204, 304, 400, 401, 403, 404, 405, 408, 409, 411, 412, 413, 414, 415, 417, 421, 428, 429, 431, 501, 503, 505}
# These end or change what the other requests need; a slow one is asked for often enough elsewhere.
LEFT_OUT = {"backup", "snapshot"}


def whole(random_, path, method, described):
    """A request as the description has it, with arguments that may make no sense."""
    path = re.sub(r"{job}", lambda _: str(random_.choice([1, 2, 3, 7, 10**18])), path)
    path = re.sub(r"{[^}]+}", lambda _: random_.choice(["default", "1", "x", "%2e%2e", "a" * 70]), path)
    arguments = [f"{one['name']}={random_.choice(VALUES)}" for one in described["parameters"]
                 if one["in"] == "query" and one["name"] != "follow" and random_.random() < 0.4]
    body = random_.choice(BODIES.get(described["operationId"], [b""]))
    body = body if isinstance(body, bytes) else body.encode() if isinstance(body, str) else json.dumps(body).encode()
    head = f"{method.upper()} {path}{'?' if arguments else ''}{'&'.join(arguments).replace(' ', '%20')} HTTP/1.1\r\nHost: fairlead\r\n"
    if described["operationId"].endswith("_by_form"):
        head += "Content-Type: application/x-www-form-urlencoded\r\n"
    if body or method in ("post", "put"):
        if random_.random() < 0.1:
            head += "Transfer-Encoding: chunked\r\n"
            body = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body) if body else b"0\r\n\r\n"
        else:
            head += f"Content-Length: {len(body)}\r\n"
    return head.encode() + b"\r\n" + body


def damaged(random_, request):
    request = bytearray(request)
    for _ in range(random_.choice([0, 0, 0, 1, 1, 1, 2, 3, 8])):
        at = random_.randrange(len(request) + 1)
        how = random_.randrange(6)
        if how == 0 and request:
            request[min(at, len(request) - 1)] = random_.randrange(256)
        elif how == 1:
            del request[at:at + random_.randrange(1, 40)]
        elif how == 2:
            request[at:at] = random_.choice(WORDS)
        elif how == 3:
            end = random_.randrange(len(request) + 1)
            request[at:at] = request[min(at, end):max(at, end)][:300]
        elif how == 4:
            request[at:at] = random_.choice(VALUES).encode()
        else:
            del request[at:]
    return bytes(request)


def answers(daemon, requests):
    """The statuses of all of them, sent at once on one connection."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as s:
        s.settimeout(0.3)  # a request that is not whole is waited for, a minute long
        s.connect(str(daemon.socket))
        try:
            s.sendall(requests)
            s.shutdown(socket.SHUT_WR)
        except (BrokenPipeError, ConnectionResetError, TimeoutError):
            pass
        said = b""
        try:
            while piece := s.recv(1 << 16):
                said = (said + piece)[-(1 << 22):]
        except (ConnectionResetError, TimeoutError):
            pass
    return [int(status) for status in re.findall(rb"(?:^|\n|\})HTTP/1\.1 ([0-9]{3}) ", said)]


def check(daemon, requests):
    try:
        statuses = answers(daemon, requests)
        assert set(statuses) <= STATUSES, statuses
        assert daemon.process.poll() is None
    except (AssertionError, OSError):
        keep = os.environ.get("FAIRLEAD_ODD_KEEP")
        if keep:
            pathlib.Path(keep, f"{abs(hash(requests)):x}").write_bytes(requests)
        print(requests)
        raise
    return statuses


def test_odd_requests(daemon):
    random_ = random.Random(SEED)
    operations = [(path, method, of) for path, item in sorted(openapi.description()["paths"].items())
                  for method, of in item.items() if of["operationId"] not in LEFT_OUT]
    daemon.submit("true", requests={"cpu": "1000"})
    seen, sent, end = {}, 0, time.monotonic() + SECONDS
    while time.monotonic() < end:
        requests = b"".join(damaged(random_, whole(random_, *random_.choice(operations))) for _ in range(random_.choice([1, 1, 1, 2, 5])))
        for status in check(daemon, requests):
            seen[status] = seen.get(status, 0) + 1
        sent += 1
        if sent % 200 == 0:
            assert daemon.get("/v1/health").status == 200
    health = daemon.get("/v1/health").json()
    assert health["status"] == "ok", health
    print(f"{sent} connections of seed {SEED}: answers {dict(sorted(seen.items()))}")
    assert {200, 400, 404} <= seen.keys()
    # What was taken is kept, and nothing else is.
    before = daemon.get("/v1/jobs?state=&limit=10000").json()["jobs"]
    daemon.stop(9)
    daemon.start()
    after = daemon.get("/v1/jobs?state=&limit=10000").json()["jobs"]
    assert [job["id"] for job in after] == [job["id"] for job in before]


def test_those_that_were_found(daemon):
    for path in sorted(KEPT.glob("*")):
        check(daemon, path.read_bytes())
    assert daemon.get("/v1/health").status == 200
