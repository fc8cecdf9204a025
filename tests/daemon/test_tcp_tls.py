# SPDX-License-Identifier: Apache-2.0
"""TLS: which versions, which certificate, and what becomes of connections when it changes."""
import concurrent.futures
import hashlib
import http.client
import os
import pathlib
import re
import socket
import ssl
import time

import pytest

from certificates import Certificate
from conftest import ACCOUNT, DEADLINE, Answer
from test_tcp import addresses, document, refused, serve  # noqa: F401 (a fixture)


def make_certificate(folder, days=90, names=("chain.pem", "key.pem")):
    """Certificate and key for 127.0.0.1, signed by itself and valid for so many days, put in their places whole."""
    made = Certificate(folder, "made", ["127.0.0.1"], (-9, days))
    places = [folder / name for name in names]
    for path, place in zip((made.file, made.key), places):
        path.chmod(0o600)
        if os.geteuid() == 0:
            os.chown(path, ACCOUNT, ACCOUNT)
        os.replace(path, place)
    return places


# Of a daemon that is asked again and again until it has read a file.
POLLED = "  limits: {handshakesPerSecond: 1000}\n"


def context(trusted=None, version=None):
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if version:
        made.maximum_version = version
        made.set_ciphers("DEFAULT:@SECLEVEL=0")
    if trusted:
        made.load_verify_locations(trusted)
    else:
        made.check_hostname = False
        made.verify_mode = ssl.CERT_NONE
    return made


def connect(at, using=None):
    connection = http.client.HTTPSConnection(*at, timeout=DEADLINE, context=using or context())
    connection.connect()
    return connection


def health(connection):
    connection.request("GET", "/v1/health")
    return Answer(connection.getresponse())


def fingerprint(connection):
    digest = hashlib.sha256(connection.sock.getpeercert(binary_form=True)).hexdigest().upper()
    return ":".join(re.findall("..", digest))


def test_versions(serve):
    daemon = serve("[{address: '127.0.0.1:0', tls: {selfSigned: true}}]")
    at, = addresses(daemon)
    for version, name in [(ssl.TLSVersion.TLSv1_2, "TLSv1.2"), (ssl.TLSVersion.TLSv1_3, "TLSv1.3")]:
        connection = connect(at, context(version=version))
        assert connection.sock.version() == name
        for _ in range(3):
            assert health(connection).json() == {"status": "ok"}
        connection.close()
    for version in (ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1):
        with pytest.warns(DeprecationWarning):
            using = context(version=version)
        with pytest.raises(ssl.SSLError):
            connect(at, using)
    with pytest.raises((http.client.BadStatusLine, ConnectionError)):
        plain = http.client.HTTPConnection(*at, timeout=DEADLINE)
        health(plain)
    daemon.until(lambda: re.search(r"^fairlead_http_handshakes_failed_total 3$", daemon.get("/metrics").text, re.M), "they are counted")
    answer = connect(at)
    answer.request("GET", "/v1/jobs")
    assert answer.getresponse().status == 401


def test_self_signed(serve):
    """It is told by its fingerprint, stays the same, and its names are those that the daemon may have."""
    daemon = serve("[{address: 'localhost:0', tls: {selfSigned: true}, names: [lab.example]}]")
    print(daemon.said())
    told = set(re.findall(r"listens on \S+, with the certificate SHA-256 ([0-9A-F:]{95})\n", daemon.said()))
    assert len(told) == 1
    key = daemon.state / "tls-key.pem"
    assert key.stat().st_mode & 0o777 == 0o600
    trusted = daemon.state / "tls-certificate.pem"
    for at in addresses(daemon):
        connection = connect(at, context(trusted))
        assert {fingerprint(connection)} == told
        connection.close()
        for name in ("localhost", "lab.example"):
            with socket.create_connection(at, DEADLINE) as s:
                context(trusted).wrap_socket(s, server_hostname=name).close()
        with socket.create_connection(at, DEADLINE) as s, pytest.raises(ssl.SSLCertVerificationError):
            context(trusted).wrap_socket(s, server_hostname="other.example")
    assert daemon.stop() == 0
    daemon.start()
    assert {fingerprint(connect(at)) for at in addresses(daemon)} == told


def test_self_signed_for_other_names(serve):
    """It is made again when it lacks a name, with the key that clients may have confirmed, and the log says so."""
    daemon = serve("[{address: '127.0.0.1:0', tls: {selfSigned: true}}]")
    key, chain = daemon.state / "tls-key.pem", daemon.state / "tls-certificate.pem"
    old = fingerprint(connect(addresses(daemon)[0])), key.read_text()
    for names, again in [("[new.example]", True), ("[new.example, localhost]", False), ("[]", False)]:
        assert daemon.stop() == 0
        document(daemon.folder, f"[{{address: '127.0.0.1:0', tls: {{selfSigned: true}}, names: {names}}}]")
        said = len(daemon.said())
        daemon.start()
        at, = addresses(daemon)
        text = daemon.said()[said:]
        assert (f"the certificate {chain} was made again, with the same key" in text) == again, text
        now = fingerprint(connect(at)), key.read_text()
        assert f"with the certificate SHA-256 {now[0]}" in text
        assert (now[0] != old[0]) == again and now[1] == old[1]
        old = now
        with socket.create_connection(at, DEADLINE) as s:
            context(chain).wrap_socket(s, server_hostname="new.example").close()
    # And when it ends soon.
    assert daemon.stop() == 0
    make_certificate(daemon.state, days=10, names=("tls-certificate.pem", "tls-key.pem"))
    daemon.start()
    assert daemon.said().count("was made again, with the same key") == 2
    assert "more days" not in daemon.said()
    connect(addresses(daemon)[0], context(chain))


def test_replaced_while_connections_are_open(serve, tmp_path):
    chain, key = make_certificate(tmp_path)
    daemon = serve(f"[{{address: '127.0.0.1:0', tls: {{certificate: {chain}, key: {key}}}}}]", POLLED)
    at, = addresses(daemon)
    old = connect(at, context(chain))
    assert health(old).status == 200
    first = fingerprint(old)
    make_certificate(tmp_path)
    new = daemon.until(lambda: fingerprint(connect(at)) != first and connect(at, context(chain)), "it is read again")
    assert f"the certificate {chain} was read again: SHA-256 {fingerprint(new)}" in daemon.said()
    # A broken one is not taken, and warned of once.
    second = fingerprint(new)
    begun = len(daemon.said())  # it may have read one of the two files before the other was replaced
    key.write_text("-----BEGIN PRIVATE KEY-----\nbroken\n")
    daemon.until(lambda: fingerprint(connect(at)) == second and "stays in use" in daemon.said()[begun:], "it warns")
    time.sleep(1.2)
    assert fingerprint(connect(at)) == second
    assert daemon.said()[begun:].count("the certificate from before stays in use") == 1
    # The key of another one.
    os.rename(chain, tmp_path / "kept.pem")
    assert fingerprint(connect(at)) == second
    make_certificate(tmp_path)
    os.replace(tmp_path / "kept.pem", chain)
    daemon.until(lambda: connect(at) and "the key is not the one of the certificate" in daemon.said(), "it warns")
    for connection in (old, new):
        assert health(connection).status == 200
    assert fingerprint(old) == first


def test_one_that_ends_while_connections_are_open(serve, tmp_path):
    """What is open goes on; who comes later gets the certificate that has ended, and then the one that replaces it."""
    for seconds in (4, 20, 60):  # it is to be connected to before it ends, on a busy machine, too
        ends = int(time.time()) + seconds
        chain, key = make_certificate(tmp_path, days=(ends - time.time()) / 86400)
        daemon = serve(f"[{{address: '127.0.0.1:0', tls: {{certificate: {chain}, key: {key}}}}}]", POLLED)
        at, = addresses(daemon)
        try:
            old = connect(at, context(chain))
            break
        except ssl.SSLCertVerificationError:
            assert time.time() >= ends and daemon.stop() == 0
    assert f"warning: the certificate {chain} is valid for 0 more days" in daemon.said()
    while time.time() < ends + 1:
        assert health(old).status == 200
        time.sleep(0.2)
    assert health(old).status == 200
    with pytest.raises(ssl.SSLCertVerificationError, match="expired"):
        connect(at, context(chain))
    first = fingerprint(old)
    make_certificate(tmp_path)
    new = daemon.until(lambda: fingerprint(connect(at)) != first and connect(at, context(chain)), "it is read again")
    assert health(new).status == health(old).status == 200 and fingerprint(old) == first
    # One that has ended already is used as it is, and warned of.
    make_certificate(tmp_path, days=-1)
    daemon.until(lambda: connect(at) and "is not valid any more" in daemon.said(), "it warns")
    assert health(new).status == 200


def test_streams_go_on_when_it_is_replaced(serve, tmp_path):
    """Events, and the output of a job, over connections that began with the certificate from before."""
    chain, key = make_certificate(tmp_path)
    daemon = serve(f"[{{address: '127.0.0.1:0', tls: {{certificate: {chain}, key: {key}}}}}]", POLLED)
    at, = addresses(daemon)
    secret = daemon.post("/v1/tokens", {"name": "ci", "role": "read"}).json()["token"]
    job = daemon.submit("sh", "-c", "echo one; until [ -e go ]; do sleep 0.05; done; echo two", directory=str(tmp_path))
    daemon.wait(job, "runs")

    def follow(path):
        connection = connect(at, context(chain))
        connection.request("GET", path, headers={"Authorization": f"Bearer {secret}"})
        return connection, connection.getresponse()

    (first, events), (second, log) = follow("/v1/events?follow=1&after=0.0"), follow(f"/v1/jobs/{job}/log?follow=1")
    assert log.readline() == b"one\n"
    before = fingerprint(first)
    for _ in range(2):
        make_certificate(tmp_path)
        daemon.until(lambda: fingerprint(connect(at)) != before, "it is read again")
        before = fingerprint(connect(at))
    (tmp_path / "go").touch()
    assert log.readline() == b"two\n" and log.readline() == b""
    daemon.wait(job)
    later = daemon.submit("true")
    while b'"job":%d,' % later not in (line := events.readline()):
        assert line, "the stream of events ended"
    for connection in (first, second):
        connection.close()


def test_files_that_are_wrong(tmp_path):
    chain, key = make_certificate(tmp_path)
    listen = f"[{{address: '127.0.0.1:0', tls: {{certificate: {chain}, key: {tmp_path}/none.pem}}}}]"
    code, said = refused(tmp_path, listen)
    assert code == 1 and f"error: {chain} and {tmp_path}/none.pem: not a certificate and its key" in said
    os.replace(chain, tmp_path / "other.pem")
    make_certificate(tmp_path)
    code, said = refused(tmp_path, f"[{{address: '127.0.0.1:0', tls: {{certificate: {tmp_path}/other.pem, key: {key}}}}}]")
    assert code == 1 and "the key is not the one of the certificate" in said, said


def test_beyond_loopback_needs_a_token(tmp_path):
    code, said = refused(tmp_path, "[{address: '0.0.0.0:0', tls: {selfSigned: true}}]")
    assert code == 1
    assert "Daemon/lab .spec.listen[0]: a valid token is missing" in said
    assert "hint: start the daemon without .spec.listen, make a token" in said


def test_heads_that_are_too_large(serve):
    """Answers that the library makes go through TLS, too."""
    at, = addresses(serve("[{address: '127.0.0.1:0', tls: {selfSigned: true}}]"))
    for head, status in [(b"GET /v1/health HTTP/1.1\r\nX: " + 40000 * b"x", b"431"), (b"GET /v1/health HTTP/3.0\r\n\r\n", b"505"),
                         (b"GET /" + 40000 * b"x", b"414")]:
        with context().wrap_socket(socket.create_connection(at, DEADLINE)) as s:
            try:
                s.sendall(head)
                answer = s.recv(4000)
            except (BrokenPipeError, ConnectionResetError, ssl.SSLEOFError):
                continue
            assert answer.startswith(b"HTTP/1.1 " + status), answer
            assert b"Content-Type: application/problem+json" in answer


def test_handshakes_are_limited(serve):
    daemon = serve("[{address: '127.0.0.1:0', tls: {selfSigned: true}}]", "  limits: {handshakesPerSecond: 5}\n")
    at, = addresses(daemon)
    done = refused_ones = 0
    began = time.monotonic()

    def try_one(_):
        try:
            connect(at).close()
        except OSError:
            return False
        return True

    with concurrent.futures.ThreadPoolExecutor(30) as many:  # faster than they are answered, however slow that is
        while refused_ones < 15:
            outcomes = list(many.map(try_one, range(30)))
            done += outcomes.count(True)
            refused_ones += outcomes.count(False)
            assert time.monotonic() - began < DEADLINE
    assert 5 <= done <= 6 + 5 * (time.monotonic() - began)
    text = daemon.get("/metrics").text
    assert re.search(r'^fairlead_http_connections_refused_total{reason="handshakes"} ' + str(refused_ones), text, re.M)
    time.sleep(1)
    assert health(connect(at)).status == 200


def test_a_handshake_takes_ten_seconds_at_most(serve):
    daemon = serve("[{address: '127.0.0.1:0', tls: {selfSigned: true}}]")
    at, = addresses(daemon)
    began = time.monotonic()
    with socket.create_connection(at, 30) as silent, socket.create_connection(at, 30) as slow:
        slow.sendall(b"\x16\x03\x01\x02")
        for s in (silent, slow):
            try:
                assert s.recv(100) == b""
            except ConnectionResetError:
                pass
    assert 9 <= time.monotonic() - began <= 25
    assert pathlib.Path(f"/proc/{daemon.process.pid}").exists()
