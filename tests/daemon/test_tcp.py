# SPDX-License-Identifier: Apache-2.0
"""On TCP: what is served to whom, and by which name."""
import http.client
import json
import os
import socket
import time

import pytest

from conftest import DEADLINE, Answer, Daemon

DOCUMENT = """\
apiVersion: fairlead.dev/v1alpha1
kind: Daemon
metadata: {{name: lab}}
spec:
  listen: {listen}
"""


def document(folder, listen, more=""):
    path = folder / "daemon.yaml"
    path.write_text(DOCUMENT.format(listen=listen) + more)
    path.chmod(0o644)
    return path


def addresses(daemon):
    """Of TCP, as (host, port)."""
    texts = daemon.get("/v1/health").json()["listens"]
    return [(text.rpartition(":")[0].strip("[]"), int(text.rpartition(":")[2])) for text in texts]


def ask(address, path, method="GET", **headers):
    connection = http.client.HTTPConnection(*address, timeout=DEADLINE)
    try:
        connection.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
        return Answer(connection.getresponse())
    finally:
        connection.close()


@pytest.fixture
def serve(tmp_path):
    """A daemon with this .spec.listen."""
    daemons = []

    def start(listen, more="", ready=True):
        daemon = Daemon(tmp_path, document(tmp_path, listen, more))
        daemons.append(daemon)
        return daemon.start(ready=ready)
    yield start
    for daemon in daemons:
        if daemon.process.poll() is None:
            assert daemon.stop() == 0, daemon.said()


def test_what_needs_a_token(serve):
    daemon = serve("[{address: '127.0.0.1:0'}]")
    at, = addresses(daemon)
    assert f"fairleadd: listens on 127.0.0.1:{at[1]}" in daemon.said()
    answer = ask(at, "/v1/health")
    assert (answer.status, answer.json()) == (200, {"status": "ok"})
    for path in ("/v1/jobs", "/v1/usage", "/v1/audit", "/page", "/v1/health/", "//v1/health", "/v1/none"):
        answer = ask(at, path)
        assert answer.status == 401, path
        assert answer.headers["WWW-Authenticate"] == 'Bearer realm="fairlead"'
        assert answer.error == "a token is needed here"
    assert ask(at, "/v1/jobs", "POST").status == 401
    answer = ask(at, "/v1/jobs", Authorization="Bearer fl_nobody_has_it")
    assert answer.status == 401
    assert answer.headers["WWW-Authenticate"] == 'Bearer realm="fairlead", error="invalid_token"'
    assert answer.error == "this token is not valid, or not any more"
    assert ask(at, "/v1/jobs", Authorization="Basic YTpi").status == 401
    assert ask(at, "/metrics").status == 404
    assert "Access-Control-Allow-Origin" not in answer.headers and "Set-Cookie" not in answer.headers


@pytest.mark.parametrize("serves, statuses", [
    ("{metrics: open}", {"/metrics": 200, "/v1/health": 404, "/v1/jobs": 404, "/v1/usage": 404}),
    ("{metrics: token, probe: open}", {"/metrics": 401, "/v1/health": 200, "/v1/jobs": 404}),
    ("{usage: open}", {"/api/v1/query": 400, "/api/v1/query_range": 400, "/api/v1/query/": 404, "/api/v1/labels": 404,
                       "/metrics": 404, "/v1/usage": 404, "/v1/health": 404, "/v1/history": 404}),
    ("{api: token}", {"/metrics": 404, "/v1/usage": 401, "/v1/health": 401, "/v1/jobs": 401, "/api/v1/query": 401}),
])
def test_what_is_served(serve, serves, statuses):
    daemon = serve(f"[{{address: '127.0.0.1:0', serves: {serves}}}]")
    at, = addresses(daemon)
    assert {path: ask(at, path).status for path in statuses} == statuses


def test_names(serve):
    daemon = serve("[{address: '127.0.0.1:0', names: [lab.example]}, {address: '[::1]:0'}]")
    v4, v6 = addresses(daemon)
    rows = [(v4, "127.0.0.1", 200), (v4, "127.0.0.1:9", 200), (v4, "localhost:8450", 200), (v4, "LOCALHOST", 200),
            (v4, "lab.example:1", 200), (v4, "Lab.Example", 200), (v4, "evil.example", 421), (v4, "127.0.0.2", 421),
            (v4, "lab.example.evil", 421), (v4, "", 421), (v4, "[::1]", 421), (v6, "[::1]:1", 200),
            (v6, "[0:0::1]", 200), (v6, "localhost", 200), (v6, "lab.example", 421), (v6, "::1", 421)]
    for at, host, status in rows:
        answer = ask(at, "/v1/health", Host=host)
        assert answer.status == status, (at, host, answer.text)
    assert ask(v4, "/v1/health", Host="evil.example").error == "this server does not have the name in the Host header"


def test_origins(serve):
    daemon = serve("[{address: '127.0.0.1:0', names: [lab.example]}]")
    at, = addresses(daemon)
    for host, origin, status in [
            ("lab.example:1", "http://lab.example:1", 200), ("lab.example:1", "https://lab.example:1", 403),
            ("lab.example:1", "http://lab.example", 403), ("lab.example", "http://localhost", 403),
            ("lab.example", "null", 403), ("lab.example", "", 403), ("lab.example", "http://evil.example", 403)]:
        assert ask(at, "/v1/health", Host=host, Origin=origin).status == status, (host, origin)


def test_headers_twice(serve):
    at, = addresses(serve("[{address: '127.0.0.1:0'}]"))
    for header in ("Host: 127.0.0.1", "Origin: a\r\nOrigin: b", "Authorization: a\r\nAuthorization: b"):
        with socket.create_connection(at, DEADLINE) as s:
            s.sendall(f"GET /v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\n{header}\r\n\r\n".encode())
            assert s.recv(1000).startswith(b"HTTP/1.1 400 "), header


def test_health_tells_users_of_the_socket_more(serve):
    daemon = serve("[{address: 'localhost:0', serves: {probe: open}}]")
    assert set(daemon.get("/v1/health").json()) > {"status", "version", "pid", "listens"}
    for at in addresses(daemon):
        assert ask(at, "/v1/health").json() == {"status": "ok"}


def refused(folder, listen, *more):
    daemon = Daemon(folder, document(folder, listen)).start(*more, ready=False)
    code = daemon.process.wait(DEADLINE)
    daemon.log.close()
    return code, daemon.said()


@pytest.mark.parametrize("listen, code, texts", [
    ("[{address: '0.0.0.0:0'}]", 1, [
        "daemon.yaml:5:12: error: Daemon/lab .spec.listen[0]: TLS is missing: tokens would be sent in clear text to "
        "0.0.0.0:0, beyond this machine", "hint: add tls: {selfSigned: true}"]),
    ("[{address: '127.0.0.1:0'}, {address: '[::]:0', serves: {metrics: token}}]", 1, [
        "daemon.yaml:5:38: error: Daemon/lab .spec.listen[1]: TLS is missing"]),
    ("[{address: 'no-such-name.invalid:1'}]", 1, [
        "daemon.yaml:5:12: error: Daemon/lab .spec.listen[0]: 'no-such-name.invalid' has no address on this machine"]),
    ("[{address: '192.0.2.1:1', serves: {probe: open}}]", 3, [
        "error: .spec.listen: cannot listen on 192.0.2.1:1: Cannot assign requested address",
        "hint: this machine does not have the address"]),
])
def test_refused_at_the_start(tmp_path, listen, code, texts):
    got, said = refused(tmp_path, listen)
    assert got == code, said
    for text in texts:
        assert text in said


def test_a_port_that_is_taken(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, said = refused(tmp_path, f"[{{address: '127.0.0.1:{port}'}}]")
    assert code == 3
    assert f"error: .spec.listen: cannot listen on 127.0.0.1:{port}: Address already in use" in said
    assert "hint: another process listens there" in said


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may take such a port")
def test_a_port_for_root(serve):
    """The daemon is not root any more when it serves there."""
    with socket.socket() as free:
        try:
            free.bind(("127.0.0.1", 845))
        except OSError:
            pytest.skip("port 845 is taken")
    daemon = serve("[{address: '127.0.0.1:845'}]")
    assert ask(("127.0.0.1", 845), "/v1/health").status == 200
    assert f"\nUid:\t{0}\t" not in open(f"/proc/{daemon.process.pid}/status").read()


def test_limited_without_a_token(serve):
    """Those who guess are told to wait, and users of the socket do not notice it."""
    daemon = serve("[{address: '127.0.0.1:0'}]", more="  limits: {requestsWithoutToken: 5}\n")
    at, = addresses(daemon)
    statuses = [ask(at, "/v1/jobs", Authorization=f"Bearer fl_{i}").status for i in range(40)]
    assert set(statuses) == {401, 429} and statuses[:5] == [401] * 5
    assert daemon.get("/v1/jobs").status == 200
    assert json.loads(daemon.get("/v1/health").text)["status"] == "ok"


def test_bodies_without_a_token_keep_nobody_out(serve):
    """What shows no token sends nothing that is kept, so that it cannot use up the room of bodies that all share."""
    daemon = serve("[{address: '127.0.0.1:0'}]")
    at, = addresses(daemon)
    head = b"POST /v1/health HTTP/1.1\r\nHost: localhost\r\n"
    for length in (b"Content-Length: 5\r\n\r\nabcde", b"Transfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n"):
        with socket.create_connection(at, DEADLINE) as s:
            s.sendall(head + length)
            answer = b""
            while b"has no body" not in answer and (more := s.recv(10000)):
                answer += more
            assert answer.startswith(b"HTTP/1.1 413 ") and b"a request without a token has no body" in answer, answer
    slow = []
    for _ in range(20):
        s = socket.create_connection(at, DEADLINE)
        try:
            s.sendall(head + b"Content-Length: 4194304\r\n\r\n" + 4000000 * b"x")
        except OSError:
            pass  # it was refused by its head
        slow.append(s)
        time.sleep(0.06)
    number = daemon.submit(hold=True, comment=1000 * "c")
    assert daemon.job(number)["state"] == "held"
    for s in slow:
        s.close()
