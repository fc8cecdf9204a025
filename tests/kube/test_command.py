# SPDX-License-Identifier: Apache-2.0
"""The command with --context against an API server with faults: each ends with the whole answer, or with one error that says
what is wrong.  Proxies, and plugins for credentials."""
import contextlib
import http.server
import os
import resource
import socket
import stat
import subprocess
import threading
import time

import pytest
import watching
from fake import Fault
from followed import WORKLOADS, kubeconfig


class Done:
    def __init__(self, done):
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr


@pytest.fixture
def ask(fake, certificate, tmp_path):
    """ask(verb, word..., env={}): the command with a kubeconfig for the fake server, or with that of the folder."""
    config = kubeconfig(tmp_path, fake.port, certificate.file)
    kept = {name: os.environ[name] for name in ("PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS") if name in os.environ}

    def run(*words, env=(), **more):
        return Done(subprocess.run(
            [os.environ["FAIRLEAD"], *words, "--context", "fake"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
            check=False, cwd=tmp_path, env={**kept, "KUBECONFIG": str(config), "TMPDIR": str(tmp_path), **dict(env)}, **more))

    return run


def fill(fake, n=3):
    watching.fill(fake)
    for k in range(n):
        watching.workload(fake, "a", f"w{k:04}")


def lists(fake, plural="workloads"):
    with fake.lock:
        return [path for verb, p, path in fake.requests if (verb, p) == ("list", plural)]


def is_one_error(done, *texts):
    assert (done.code, done.out) == (3, ""), (done.out, done.err)
    assert done.err.count("error:") == 1
    for text in texts:
        assert text in done.err, done.err


def test_a_text_that_is_the_name_of_a_key(fake, ask):
    """Its kind is said although it has a text "kind"; one that says its own has it once."""
    fill(fake)
    fake.put("priorityclasses", None, "one", value=10, description="kind")
    fake.put("priorityclasses", None, "two", value=10, kind="PriorityClass", apiVersion="scheduling.k8s.io/v1", description="kind")
    done = ask("check")
    assert done.code == 0 and "3 workloads" in done.out, done.err


# --- faults of answers ---


@pytest.mark.parametrize("fault", [Fault(status=429), Fault(status=429, retry_after=1), Fault(status=503, retry_after=1)],
                         ids=["429", "429 later", "503 later"])
def test_later(fake, ask, fault):
    fill(fake, 1200)
    fake.faults += [("list", "workloads", fault), ("list", "workloads", Fault()), ("list", "workloads", fault)]
    done = ask("check")
    assert done.code == 0 and "1200 workloads" in done.out, done.err
    assert len(lists(fake)) == 5


@pytest.mark.parametrize("status", [202, 203, 204, 206, 302])
def test_a_status_that_is_no_answer(fake, ask, status):
    fill(fake)
    fake.always["list", "workloads"] = Fault(status=status)
    is_one_error(ask("tree"), f"https://127.0.0.1:{fake.port}: the API server's answer has an odd status ({status})")


@pytest.mark.parametrize("status, text", [(400, "the API server refuses (400)"), (500, "the API server refuses (500)"),
                                          (503, "is not available (503)")])
def test_a_refusal(fake, ask, status, text):
    fill(fake)
    fake.always["list", "workloads"] = Fault(status=status)
    is_one_error(ask("tree"), text)


@pytest.mark.parametrize("at", [0, 20, 300])
def test_bytes_that_are_not_json(fake, ask, at):
    fill(fake)
    fake.always["list", "workloads"] = Fault(odd=at)
    is_one_error(ask("tree"), f"https://127.0.0.1:{fake.port}: the answer is wrong")


def test_a_list_that_is_always_forgotten_in_its_middle(fake, ask):
    """It is asked for at once at last."""
    fill(fake, 1200)
    serve = fake.page

    def page(conn, fault, group, version, plural, namespace, query):
        if "continue" in query:
            fake.status(conn, 410, "Expired", "too old")
        else:
            serve(conn, fault, group, version, plural, namespace, query)

    fake.page = page
    done = ask("check")
    assert done.code == 0 and "1200 workloads" in done.out, done.err
    asked = lists(fake)
    assert len(asked) == 7 and "limit=0" in asked[-1] and "continue" not in asked[-1]


def pages(fake, text, token):
    """Lists of workloads go on without end: @token(k) is that of the page behind the k-th."""
    serve, sent = fake.page, []

    def page(conn, fault, group, version, plural, namespace, query):
        if plural != "workloads":
            serve(conn, fault, group, version, plural, namespace, query)
            return
        sent.append(query.get("continue"))
        body = b'{"metadata":{"resourceVersion":"9","continue":"%s"},"items":[%s]}' % (token(len(sent)).encode(), text)
        conn.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body))
        conn.sendall(body)

    fake.page = page
    return sent


def test_the_same_page_again(fake, ask):
    fill(fake)
    pages(fake, b"", lambda k: "a")
    is_one_error(ask("tree"), "the list goes on with the same page")


def test_pages_without_end(fake, ask):
    """Two tokens in turn, and as many objects as no cluster has."""
    fill(fake)
    item = b'{"kind":"W","metadata":{"name":"n","resourceVersion":"1"}}'
    sent = pages(fake, b",".join([item] * 50000), lambda k: "ab"[k % 2])
    is_one_error(ask("tree"), "the list has more than 4194304 objects")
    assert len(sent) == 84


def test_a_full_disk(fake, ask):
    """A limit for files is what a full $TMPDIR is: a write fails."""
    fill(fake, 400)
    done = ask("tree", restore_signals=False, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 14, 1 << 14)))
    is_one_error(done, "what was read of the cluster cannot be kept: file too large", "hint: is there room in $TMPDIR, or /tmp?")


# --- what may not be listed ---


def forbid_kai(fake):
    for plural in ("queues", "podgroups", "schedulingshards"):
        fake.always["list", plural] = Fault(status=403)


def test_what_may_not_be_listed_and_is_not_there(fake, ask):
    """An API server says 403 before 404."""
    fill(fake)
    del fake.kinds["scheduling.run.ai"], fake.kinds["kai.scheduler"]
    forbid_kai(fake)
    done = ask("tree")
    assert done.code == 0 and "you may not list" not in done.err, done.err
    fake.kinds["scheduling.run.ai"] = {"v2": ["queues"]}
    is_one_error(ask("tree"), "fake: error: queues.scheduling.run.ai: you may not list them")


def test_whether_it_is_there_may_not_be_asked(fake, ask):
    fill(fake)
    forbid_kai(fake)
    fake.always["get", ""] = Fault(status=500)
    done = ask("tree")
    assert done.code == 3 and "queues.scheduling.run.ai: you may not list them" in done.err


# --- proxies ---


class Proxy:
    """Tunnels of HTTP, or of SOCKS 5, to ports of this machine; `asked` has where to, as it was asked."""

    def __init__(self, socks=False):
        self.socks, self.asked = socks, []
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                conn, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(conn,), daemon=True).start()

    def read(self, conn, n):
        data = b""
        while len(data) < n:
            data += conn.recv(n - len(data)) or exit()
        return data

    def greet(self, conn):
        self.read(conn, self.read(conn, 2)[1])
        conn.sendall(b"\x05\x00")
        kind = self.read(conn, 4)[3]
        host = self.read(conn, self.read(conn, 1)[0]).decode() if kind == 3 else socket.inet_ntoa(self.read(conn, 4))
        port = int.from_bytes(self.read(conn, 2), "big")
        self.asked.append((kind, host))
        conn.sendall(b"\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00")
        return port

    def serve(self, conn):
        if self.socks:
            port = self.greet(conn)
        else:
            head = b""
            while b"\r\n\r\n" not in head:
                head += conn.recv(4096) or exit()
            self.asked.append(head.decode())
            port = int(head.split(b" ")[1].rpartition(b":")[2])
            conn.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        there = socket.create_connection(("127.0.0.1", port))
        threading.Thread(target=self.pass_on, args=(there, conn), daemon=True).start()
        self.pass_on(conn, there)

    def pass_on(self, one, other):
        try:
            while data := one.recv(65536):
                other.sendall(data)
            other.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def close(self):
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)  # also where a thread waits for the next one
        self.socket.close()


@pytest.fixture
def proxy():
    made = []

    def start(**which):
        made.append(Proxy(**which))
        return made[-1]

    yield start
    for one in made:
        one.close()


def environment(proxy):
    url = f"http://127.0.0.1:{proxy.port}"
    return {name: url for name in ("http_proxy", "https_proxy", "HTTPS_PROXY", "ALL_PROXY")}


def rewrite(tmp_path, **changes):
    path = tmp_path / "kubeconfig"
    text = path.read_text()
    for old, new in changes.values():
        assert old in text
        text = text.replace(old, new)
    path.write_text(text)


def test_no_proxy_of_the_environment_for_this_machine(fake, ask, proxy):
    fill(fake)
    p = proxy()
    assert ask("tree", env=environment(p)).code == 0
    assert p.asked == []


def test_a_token_goes_to_no_proxy_in_clear(ask, proxy, tmp_path, fake, certificate):
    heard = []

    class Server(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            heard.append(self.headers["Authorization"])
            self.send_error(404)

        def log_message(self, *_):
            pass

    server, p = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server), proxy()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    here = f"http://127.0.0.1:{server.server_port}"
    rewrite(tmp_path, server=(f"https://127.0.0.1:{fake.port}", here))
    done = ask("tree", env=environment(p))
    assert done.code == 1 and f"{here}: neither Kueue nor KAI is installed" in done.err
    assert set(heard) == {"Bearer secret"} and p.asked == []
    rewrite(tmp_path, proxy=(f'"{here}"', f'"{here}", proxy-url: "http://127.0.0.1:{p.port}"'))
    done = ask("tree")
    assert "proxy-url: would see a token or password" in done.err, done.err
    assert done.code == 1 and p.asked == []
    server.shutdown()
    server.server_close()


def test_the_proxy_of_the_configuration(fake, ask, proxy, tmp_path):
    """For each server, whatever NO_PROXY says."""
    fill(fake)
    p = proxy()
    rewrite(tmp_path, server=(f'"https://127.0.0.1:{fake.port}"', f'"https://127.0.0.1:{fake.port}", proxy-url: "http://127.0.0.1:{p.port}"'))
    done = ask("tree", env={"NO_PROXY": "127.0.0.1,localhost", "no_proxy": "*"})
    assert done.code == 0, done.err
    assert p.asked and all(head.startswith(f"CONNECT 127.0.0.1:{fake.port} ") and "secret" not in head for head in p.asked)


def test_a_proxy_of_socks_is_asked_for_names(fake, ask, proxy, tmp_path):
    fill(fake)
    p = proxy(socks=True)
    rewrite(tmp_path, server=(f'"https://127.0.0.1:{fake.port}"', f'"https://localhost:{fake.port}", proxy-url: "socks5://127.0.0.1:{p.port}"'))
    done = ask("tree")
    assert done.code == 0, done.err
    assert set(p.asked) == {(3, "localhost")}


class Refusing(Proxy):
    """Answers each CONNECT, or greeting of SOCKS, so, and ends."""

    def __init__(self, answer):
        self.answer = answer
        super().__init__()

    def serve(self, conn):
        conn.recv(4096)
        conn.sendall(self.answer)
        conn.close()


@pytest.mark.parametrize("scheme, answer, text", [
    ("http", b"HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\n\r\n",
     "the proxy refuses the connection (407)"),
    ("http", b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n", "the proxy refuses the connection (502)"),
    ("socks5", b"\x05\xff", "the proxy makes no connection"),
    ("http", None, "the proxy does not answer"),
    ("socks5", None, "the proxy does not answer"),
])
def test_a_proxy_that_fails(fake, ask, tmp_path, scheme, answer, text):
    p = Refusing(answer)
    if answer is None:
        p.close()
    server = f"https://127.0.0.1:{fake.port}"
    rewrite(tmp_path, server=(f'"{server}"', f'"{server}", proxy-url: "{scheme}://alice:private@127.0.0.1:{p.port}"'))
    done = ask("tree")
    is_one_error(done, f"{server}: {text}", "see proxy-url of the kubeconfig, and the variable HTTPS_PROXY")
    assert "private" not in done.err
    p.close()


def test_a_proxy_of_the_environment_that_fails(fake, ask, tmp_path):
    p = Refusing(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
    server = "https://api.example:6443"
    rewrite(tmp_path, server=(f"https://127.0.0.1:{fake.port}", server))
    is_one_error(ask("tree", env=environment(p)), f"{server}: the proxy refuses the connection (403)", "HTTPS_PROXY")
    p.close()
    is_one_error(ask("tree", env=environment(p)), f"{server}: neither an API server nor a proxy answers there", "HTTPS_PROXY")


# --- plugins ---


def plugin(tmp_path, script):
    path = tmp_path / "plugin"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    rewrite(tmp_path, user=(f"tokenFile: {tmp_path / 'token'}",
                            f"exec: {{apiVersion: client.authentication.k8s.io/v1, command: {path}, interactiveMode: Never}}"))


CREDENTIAL = '{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"token": "secret"%s}}'


def test_the_time_of_a_plugin_is_not_of_the_requests(fake, ask, follow, tmp_path):
    """Each request has three seconds, and the plugin takes four."""
    fill(fake)
    f = follow("timeout=3000", "first=60000", WORKLOADS)  # writes its own kubeconfig
    f.end()
    plugin(tmp_path, f"sleep 4; echo '{CREDENTIAL % ''}'")
    command = [os.environ["FAIRLEAD_FOLLOW"], str(tmp_path / "kubeconfig"), "timeout=3000", "first=60000", "most=60000", "listed=1", WORKLOADS]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=True)
    assert '"listed"' in done.stdout and '"trouble"' not in done.stdout


def test_a_plugin_that_is_ended_is_no_zombie(fake, follow, tmp_path):
    """It prints without end, again and again; between two of them the process has no child."""
    follow(WORKLOADS).end()
    plugin(tmp_path, "echo run >>%s; exec yes" % (tmp_path / "runs"))
    command = [os.environ["FAIRLEAD_FOLLOW"], str(tmp_path / "kubeconfig"), "first=50", "most=100", WORKLOADS]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + 60
        while not (tmp_path / "runs").exists() or (tmp_path / "runs").read_text().count("run") < 5:
            assert time.monotonic() < end and process.poll() is None
            time.sleep(0.02)
        children = subprocess.run(["ps", "-o", "stat=", "--ppid", str(process.pid)], capture_output=True, text=True, check=False).stdout.split()
        assert len(children) <= 1, children
    finally:
        process.terminate()
        assert process.wait(20) == 0
