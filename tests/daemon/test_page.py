# SPDX-License-Identifier: Apache-2.0
"""The page: its files, which everybody may have, and how a browser gets the rights of who opened it."""
import contextlib
import gzip
import http.client
import json
import os
import pathlib
import pwd
import re
import select
import signal
import socket
import subprocess

import pytest

import conftest
from conftest import DEADLINE, Connection
from test_tcp import addresses, ask, serve  # noqa: F401  (a fixture)

POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
          "base-uri 'none'; form-action 'none'; frame-ancestors 'none'")


@pytest.fixture
def daemon(serve):  # noqa: F811
    """That takes as many requests without a token as a test makes."""
    return serve("[{address: '127.0.0.1:0'}]", more="  limits: {requestsWithoutToken: 1000}\n")


def raw(address, path, method="GET", **headers):
    """The answer with its bytes as they were sent."""
    connection = http.client.HTTPConnection(*address, timeout=DEADLINE)
    try:
        connection.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
        response = connection.getresponse()
        return response.status, response.headers, response.read()
    finally:
        connection.close()


def assets(index):
    return re.findall(rb'(?:src|href)="(/[^"]+)"', index)


def test_the_files_need_no_token(serve):  # noqa: F811
    daemon = serve("[{address: '127.0.0.1:0'}]")
    at, = addresses(daemon)
    status, headers, index = raw(at, "/")
    assert status == 200 and headers["Content-Type"] == "text/html; charset=utf-8"
    assert headers["Cache-Control"] == "no-cache"
    names = [name.decode() for name in assets(index)]
    assert sorted(re.sub("[0-9a-f]{20}", "HASH", name) for name in names) == ["/page-HASH.css", "/page-HASH.js"]
    for name in ["/", *names]:
        status, headers, plain = raw(at, name)
        assert status == 200 and plain
        assert headers["Content-Security-Policy"] == POLICY
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["Vary"] == "Accept-Encoding" and "Content-Encoding" not in headers
        assert "Set-Cookie" not in headers
        if name != "/":
            assert headers["Cache-Control"] == "public, max-age=31536000, immutable"
        status, headers, packed = raw(at, name, Accept_Encoding="br, gzip")
        assert headers["Content-Encoding"] == "gzip" and gzip.decompress(packed) == plain
        assert raw(at, name, Accept_Encoding="gzip;q=0, br")[2] == plain
        status, head, nothing = raw(at, name, method="HEAD")
        assert (status, nothing, head["Content-Length"]) == (200, b"", str(len(plain)))
        assert raw(at, name, method="POST")[0] == 405
    # The same on the socket, where the kernel says who asks.
    connection = Connection(daemon.socket)
    connection.request("GET", "/")
    assert connection.getresponse().read() == index
    connection.close()


def test_a_browser_that_has_them_is_told_so(serve):  # noqa: F811
    at, = addresses(serve("[{address: '127.0.0.1:0'}]"))
    tag = raw(at, "/")[1]["ETag"]
    assert tag.startswith('W/"')
    for known in (tag, tag[2:], f'"other", {tag}', "*"):
        status, headers, nothing = raw(at, "/", If_None_Match=known)
        assert (status, nothing) == (304, b""), known
        assert headers["ETag"] == tag and headers["Content-Security-Policy"] == POLICY
    for other in ('"other"', tag[:-2] + '"', ""):
        assert raw(at, "/", If_None_Match=other)[0] == 200, other


def test_only_these_paths_need_no_token(serve):  # noqa: F811
    at, = addresses(serve("[{address: '127.0.0.1:0'}]"))
    name = assets(raw(at, "/")[2])[0].decode()
    for path in ("/index.html", name + "x", name[:-1], "/page-.js", "//", "/page-0000.js"):
        assert ask(at, path).status == 401, path
    assert ask(at, "/", Origin="http://elsewhere.example").status == 403
    assert ask(at, "/", Host="elsewhere.example").status == 421


def test_a_listener_without_the_api_has_no_page(serve):  # noqa: F811
    at, = addresses(serve("[{address: '127.0.0.1:0', serves: {api: 'off', metrics: open}}]"))
    assert ask(at, "/").status == 404
    assert ask(at, "/metrics").status == 200


# --- codes and tokens ---

def exchange(address, code):
    return post(address, "/v1/page/token", {"code": code})


def post(address, path, body=None, method="POST", **headers):
    connection = http.client.HTTPConnection(*address, timeout=DEADLINE)
    try:
        connection.request(method, path, json.dumps(body) if body is not None else None,
                           {name.replace("_", "-"): value for name, value in headers.items()})
        return conftest.Answer(connection.getresponse())
    finally:
        connection.close()


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


def opened(daemon, at):
    """A page of this user: its token."""
    answer = exchange(at, daemon.post("/v1/page/codes").json()["code"])
    assert answer.status == 200, answer.text
    return answer.json()["token"]


def test_a_code_gives_the_rights_of_its_caller_once(daemon):
    at, = addresses(daemon)
    assert post(at, "/v1/page/codes").status == 401
    code = daemon.post("/v1/page/codes").json()
    assert set(code) == {"code", "expires"}
    answer = exchange(at, code["code"])
    assert answer.status == 200 and answer.headers["Cache-Control"] == "no-store"
    page = answer.json()
    assert set(page) == {"token", "expires", "role", "user", "queues"}
    me = daemon.get("/v1/whoami").json()
    assert (page["user"], page["role"], page["queues"]) == (me["user"], me["role"], None)
    assert page["token"] != code["code"] and page["expires"] > code["expires"]
    who = ask(at, "/v1/whoami", **bearer(page["token"])).json()
    assert (who["user"], who["uid"], who["role"], who["expiresAt"]) == (me["user"], me["uid"], me["role"], page["expires"])
    # Once; and neither the code nor a token of it is anything else.
    for wrong in (code["code"], page["token"], "fl_" + "a" * 10 + "_" + "a" * 52, "", "x" * 3000):
        answer = exchange(at, wrong)
        assert answer.status == 401, wrong
        assert answer.error == "this address was used already, or is older than a minute"
        assert answer.json()["hint"] == "open the page anew: fairlead page"
    assert ask(at, "/v1/jobs", **bearer(code["code"])).status == 401
    for odd in ({}, {"code": 1}, {"code": "a", "more": 1}, []):
        assert post(at, "/v1/page/token", odd).status == 400, odd
    assert post(at, "/v1/page/token", {"code": "x" * 5000}).status == 413
    # It is in no list, and what outlives it cannot be made by it.
    assert daemon.get("/v1/tokens").json()["tokens"] == []
    for path, body in (("/v1/tokens", {"name": "n", "role": "read"}), ("/v1/page/codes", None), ("/v1/tokens/n/revoke", None)):
        assert post(at, path, body, **bearer(page["token"])).status == 403, path
    assert ask(at, "/v1/tokens", **bearer(page["token"])).status == 403
    answer = post(at, "/v1/page/token", method="DELETE", **bearer(page["token"]))
    assert (answer.status, answer.json()) == (200, {"status": "ended"})
    assert ask(at, "/v1/whoami", **bearer(page["token"])).status == 401
    answer = daemon.ask("DELETE", "/v1/page/token")
    assert (answer.status, answer.error) == (409, "this is not the token of a page")


def test_it_ends_with_the_token_that_opened_it(daemon):
    at, = addresses(daemon)

    def token():
        return daemon.post("/v1/tokens", {"name": "lap", "role": "read"}).json()["token"]
    parent = bearer(token())
    code = post(at, "/v1/page/codes", **parent).json()["code"]
    unused = post(at, "/v1/page/codes", **parent).json()["code"]
    page = exchange(at, code).json()
    assert page["role"] == "read"
    who = ask(at, "/v1/whoami", **bearer(page["token"])).json()
    assert (who["role"], who["token"], who["queues"]) == ("read", "lap", None)
    assert post(at, "/v1/jobs", {}, **bearer(page["token"])).status == 403
    stream = http.client.HTTPConnection(*at, timeout=DEADLINE)
    stream.request("GET", "/v1/events?follow=1", headers=bearer(page["token"]))
    events = stream.getresponse()
    assert events.status == 200
    assert daemon.post("/v1/tokens/lap/revoke").status == 200
    with pytest.raises(http.client.IncompleteRead):
        events.read()
    stream.close()
    assert ask(at, "/v1/whoami", **bearer(page["token"])).status == 401
    answer = exchange(at, unused)
    assert (answer.status, answer.error) == (401, "the token by which the page was opened has ended")
    # Another token of that name is another one.
    token()
    assert ask(at, "/v1/whoami", **bearer(page["token"])).status == 401


def held(daemon):
    """A code that ends with the connection that is returned."""
    connection = Connection(daemon.socket)
    connection.request("POST", "/v1/page/codes?hold=1")
    response = connection.getresponse()
    assert response.status == 200
    return connection, response, json.loads(response.readline())["code"]


def test_it_ends_with_the_request_that_holds_it(daemon):
    at, = addresses(daemon)
    connection, response, code = held(daemon)
    token = exchange(at, code).json()["token"]
    stream = http.client.HTTPConnection(*at, timeout=DEADLINE)
    stream.request("GET", "/v1/events?follow=1", headers=bearer(token))
    events = stream.getresponse()
    assert events.status == 200
    response.close()
    connection.close()
    with pytest.raises(http.client.IncompleteRead):
        events.read()
    stream.close()
    assert ask(at, "/v1/whoami", **bearer(token)).status == 401
    # A code that nobody has used ends with it, too.
    connection, response, code = held(daemon)
    response.close()
    connection.close()
    daemon.until(lambda: exchange(at, code).status == 401, "the code ends")


def test_limits(daemon):
    at, = addresses(daemon)
    codes = [daemon.post("/v1/page/codes").json()["code"] for _ in range(16)]
    answer = daemon.post("/v1/page/codes")
    assert (answer.status, answer.error) == (429, "you have 16 pages open, which is the most")
    token = exchange(at, codes[0]).json()["token"]
    assert daemon.post("/v1/page/codes").status == 429
    assert post(at, "/v1/page/token", method="DELETE", **bearer(token)).status == 200
    assert daemon.post("/v1/page/codes").status == 200


def test_codes_are_not_guessed_at_any_rate(serve):  # noqa: F811
    daemon = serve("[{address: '127.0.0.1:0'}]", more="  limits: {requestsWithoutToken: 5}\n")
    at, = addresses(daemon)
    statuses = [exchange(at, "fl_" + "a" * 10 + "_" + "a" * 52).status for _ in range(40)]
    assert set(statuses) == {401, 429}


# --- the relay of this machine ---

def relayed(daemon, method, path, body=None, port=4711, **headers):
    """The answer to what comes through a relay."""
    connection = Connection(daemon.socket)
    try:
        connection.request("POST", f"/v1/page/relay?port={port}")
        response = connection.getresponse()
        assert (response.status, response.read()) == (204, b"")
        connection.auto_open = 0  # another connection would be the user's
        headers = {"Host": f"127.0.0.1:{port}", **{name.replace("_", "-"): value for name, value in headers.items()}}
        connection.request(method, path, body, headers)
        return conftest.Answer(connection.getresponse())
    finally:
        connection.close()


def test_a_relay_gives_its_rights_up(daemon):
    code = daemon.post("/v1/page/codes").json()["code"]

    def over(*arguments, **more):
        return relayed(daemon, *arguments, **more)
    assert daemon.post("/v1/page/relay").error == "'port' is missing: where the relay listens"
    assert daemon.post("/v1/page/relay?port=65536").error == "'port' is more than 65535"
    for path in ("/v1/whoami", "/v1/health", "/v1/jobs", "/metrics", "/v1/page/codes"):
        assert over("GET", path).status in (401, 404), path
    assert over("POST", "/v1/page/relay?port=4712").status == 401
    for host, status in (("localhost:4711", 200), ("127.0.0.1:4712", 421), ("127.0.0.1", 421), ("elsewhere.example:4711", 421)):
        assert over("GET", "/", Host=host).status == status, host
    assert over("GET", "/", Origin="http://127.0.0.1:4711").status == 200
    assert over("GET", "/", Origin="http://127.0.0.1:4712").status == 403
    token = over("POST", "/v1/page/token", json.dumps({"code": code})).json()["token"]
    assert over("GET", "/v1/whoami", **bearer(token)).json()["uid"] == os.geteuid()
    answer = over("POST", "/v1/page/relay?port=4711", **bearer(token))
    assert (answer.status, answer.error) == (409, "a relay asks at the daemon's socket, on its machine")
    # What was sent behind it, before it was answered, is not the user's either.
    with socket.socket(socket.AF_UNIX) as s:
        s.settimeout(DEADLINE)
        s.connect(str(daemon.socket))
        s.sendall(b"POST /v1/page/relay?port=4711 HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"
                  b"GET /v1/whoami HTTP/1.1\r\nHost: 127.0.0.1:4711\r\nConnection: close\r\n\r\n")
        said = b""
        while piece := s.recv(65536):
            said += piece
        assert said.startswith(b"HTTP/1.1 204 ") and b"HTTP/1.1 401 " in said and b"uid" not in said


class Page:
    """`fairlead page` while it runs."""

    def __init__(self, daemon, *options, environment=None):
        self.process = subprocess.Popen(
            [os.environ["FAIRLEAD"], "page", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "FAIRLEAD_SOCKET": str(daemon.socket), **(environment or {})}, start_new_session=True)
        assert select.select([self.process.stdout], [], [], DEADLINE)[0], "no address"
        self.line = self.process.stdout.readline().strip()
        found = re.fullmatch(r"https?://([^/]+):(\d+)/#code=(fl_[a-z2-7]+_[a-z2-7]+)", self.line)
        assert found, self.line + self.process.stderr.read()
        self.at, self.code = (found[1], int(found[2])), found[3]

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        code = self.process.wait(DEADLINE)
        self.process.stdout.close()
        self.process.stderr.close()
        return code


@contextlib.contextmanager
def page_of(daemon, *options, **more):
    page = Page(daemon, *options, **more)
    try:
        yield page
    finally:
        if page.process.returncode is None:
            page.end(signal.SIGKILL)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_page_opens_it_on_this_machine(daemon, number):
    with page_of(daemon, "--no-open") as page:
        status, headers, index = raw(page.at, "/")
        assert status == 200 and headers["Content-Security-Policy"] == POLICY
        for name in assets(index):
            assert raw(page.at, name.decode())[0] == 200
        assert ask(page.at, "/v1/whoami").status == 401
        answer = exchange(page.at, page.code)
        assert answer.status == 200, answer.text
        token = answer.json()["token"]
        assert ask(page.at, "/v1/whoami", **bearer(token)).json()["uid"] == os.geteuid()
        # A stream goes through as it comes.
        stream = http.client.HTTPConnection(*page.at, timeout=DEADLINE)
        stream.request("GET", "/v1/events?follow=1", headers={**bearer(token), "Accept": "text/event-stream"})
        events = stream.getresponse()
        assert events.status == 200 and events.readline().startswith(b"retry: ")
        number_of_job = daemon.submit("true")
        seen = b""
        while b'"job":%d,' % number_of_job not in seen:
            line = events.readline()
            assert line, seen
            seen += line
        assert page.end(number) == -number
        stream.close()
    # With the command its rights have ended, by whatever way one asks.
    daemon.until(lambda: relayed(daemon, "GET", "/v1/whoami", **bearer(token)).status == 401, "the token ends")


OTHER = """
import http.client, json, os, sys
os.setgroups([]); os.setgid({uid}); os.setuid({uid})
statuses = []
for method, path, headers in {requests!r}:
    connection = http.client.HTTPConnection("127.0.0.1", {port}, timeout=60)
    connection.request(method, path, headers=headers)
    response = connection.getresponse()
    statuses.append((response.status, response.read().decode()))
print(json.dumps(statuses))
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")
def test_another_user_of_the_machine_gets_nothing_of_it(daemon):
    job = daemon.submit("sleep", "300", name="secret-name")
    uid = pwd.getpwnam("daemon").pw_uid
    wanted = [(method, path, {}) for method, path in (
        ("GET", "/v1/whoami"), ("GET", "/v1/jobs"), ("GET", "/v1/health"), ("POST", f"/v1/jobs/{job}/cancel"),
        ("POST", "/v1/page/codes"), ("POST", "/v1/page/relay?port=1"), ("GET", "/v1/audit"), ("POST", "/v1/reload"),
        ("DELETE", "/v1/page/token"), ("GET", "/v1/snapshot"), ("GET", "/v1/nothing"))]
    wanted += [("GET", "/v1/jobs", {"Authorization": value}) for value in (
        "Bearer fl_" + "a" * 10 + "_" + "a" * 52, "Basic cm9vdDo=", "Bearer ")]
    with page_of(daemon, "--no-open") as page:
        said = subprocess.run(["/usr/bin/python3", "-c", OTHER.format(uid=uid, port=page.at[1], requests=wanted)],
                              capture_output=True, text=True, timeout=DEADLINE, check=True).stdout
        for request, (status, text) in zip(wanted, json.loads(said), strict=True):
            assert status == 401, request
            assert "secret-name" not in text
        assert exchange(page.at, page.code).status == 200
    assert daemon.job(job)["state"] not in ("cancelled", "done")
    daemon.post(f"/v1/jobs/{job}/cancel")


def test_page_over_the_network(daemon):
    at, = addresses(daemon)
    token = daemon.folder / "token"
    token.write_text(daemon.post("/v1/tokens", {"name": "lap", "role": "submit"}).json()["token"])
    token.chmod(0o600)
    options = ["--no-open", "--server", f"http://127.0.0.1:{at[1]}", "--token-file", str(token)]
    with page_of(daemon, *options) as page:
        assert page.at == at
        opened_by = exchange(at, page.code).json()
        assert opened_by["role"] == "submit"
        assert ask(at, "/v1/whoami", **bearer(opened_by["token"])).status == 200
        page.end()
    daemon.until(lambda: ask(at, "/v1/whoami", **bearer(opened_by["token"])).status == 401, "the token ends")
    done = subprocess.run([os.environ["FAIRLEAD"], "page", *options, "--port", "1234"], capture_output=True, text=True,
                          check=False, timeout=DEADLINE)
    assert done.returncode == 2 and "--port is for the page of the daemon of this machine" in done.stderr


def test_page_that_cannot_be_opened(daemon, tmp_path):
    def run(*options, socket_path):
        return subprocess.run([os.environ["FAIRLEAD"], "page", "--no-open", *options], capture_output=True, text=True,
                              check=False, timeout=DEADLINE, env={**os.environ, "FAIRLEAD_SOCKET": str(socket_path)})
    done = run(socket_path=tmp_path / "none.sock")
    assert done.returncode == 3 and done.stdout == "" and "none.sock" in done.stderr
    done = run("--port", str(addresses(daemon)[0][1]), socket_path=daemon.socket)
    assert done.returncode != 0 and done.stdout == "" and "listens" in done.stderr, done.stderr
    for _ in range(16):
        daemon.post("/v1/page/codes")
    done = run(socket_path=daemon.socket)
    assert done.returncode in (1, 3) and "you have 16 pages open" in done.stderr, done.stderr


def test_the_command_says_when_the_daemon_has_left(daemon):
    with page_of(daemon, "--no-open") as page:
        daemon.stop()
        assert page.process.wait(DEADLINE) == 3
        assert "the daemon has stopped, or was killed" in page.process.stderr.read()


def test_the_browser_is_given_no_secret_that_others_see(daemon, tmp_path):
    """xdg-open is called with a file that only this user can read, and the file does not stay."""
    (tmp_path / "bin").mkdir()
    opener = tmp_path / "bin" / "xdg-open"
    opener.write_text(f'#!/bin/sh\nstat -c %a "$1" >{tmp_path}/mode\ncat "$1" >{tmp_path}/html\necho "$@" >{tmp_path}/called\n')
    opener.chmod(0o755)
    with page_of(daemon, environment={"PATH": f"{tmp_path}/bin:{os.environ['PATH']}", "DISPLAY": ":99",
                                      "XDG_RUNTIME_DIR": str(tmp_path)}) as page:
        called = daemon.until(lambda: (tmp_path / "called").exists() and (tmp_path / "called").read_text().strip(), "it is called")
        assert page.code not in called and called.endswith(".html")
        assert (tmp_path / "mode").read_text() == "600\n"
        assert f'url={page.line}"' in (tmp_path / "html").read_text()
        page.end()
    daemon.until(lambda: not pathlib.Path(called).exists(), "the file is removed")
