# SPDX-License-Identifier: Apache-2.0
"""A daemon over the network: which one is asked, whether it is trusted, and what gets the token."""
import json
import os
import pty
import subprocess
import tempfile
import termios
import time

import pytest

import fake_daemon as fake
from certificates import Certificate
from fake_daemon import error, event, job, lines

TOKEN = "fl_a1_" + "x" * 43
WHO = {"user": "alice", "token": "laptop", "role": "submit", "queues": ["team-a", "team-b"], "expiresAt": None}


@pytest.fixture
def serve():
    """Servers of a test: serve(certificate) or, without TLS, serve()."""
    made = []

    def begin(certificate=None):
        made.append(fake.Remote(certificate))
        made[-1].answers["GET /v1/health"] = 200, {"status": "ok"}
        made[-1].answers["GET /v1/whoami"] = 200, WHO
        made[-1].answers["GET /v1/jobs"] = 200, {"now": fake.NOW, "jobs": [job(17)], "more": False}
        return made[-1]

    yield begin
    for one in made:
        one.stop()


@pytest.fixture
def local():
    with tempfile.TemporaryDirectory(prefix="fl", dir="/tmp") as folder:
        made = fake.Fake(f"{folder}/s")
        made.answers["GET /v1/jobs"] = 200, {"now": fake.NOW, "jobs": [job(3)], "more": False}
        yield made
        made.stop()


@pytest.fixture
def token(tmp_path):
    path = tmp_path / "token"
    path.write_text(TOKEN + "\n")
    path.chmod(0o600)
    return str(path)


@pytest.fixture
def ask(fairlead, tmp_path):
    """The command, with a configuration of its own and no terminal."""
    def run(*args, env=None, **how):
        return fairlead(*args, env={"HOME": str(tmp_path), **(env or {})}, prefix=("setsid", "-w"), **how)

    return run


def configuration(tmp_path):
    return tmp_path / ".config" / "fairlead" / "server.json"


# --- addresses ---

@pytest.mark.parametrize("url, why", [
    ("host:8450", "it does not begin with https://"),
    ("ftp://host", "it does not begin with https://"),
    ("https://", "its host is neither a name nor an address"),
    ("https://ho st", "its host is neither a name nor an address"),
    ("https://-x", "its host is neither a name nor an address"),
    ("https://[::x]", "its host is neither a name nor an address"),
    ("https://" + "a" * 254, "its host is neither a name nor an address"),
    ("https://[::1", "a ']' is missing"),
    ("https://host:0", "its port is not a number from 1 to 65535"),
    ("https://host:65536", "its port is not a number from 1 to 65535"),
    ("https://host:x", "its port is not a number from 1 to 65535"),
    ("https://alice@host", "it names a user; a token says your name"),
    ("https://host/v1", "nothing may follow the host and its port"),
    ("https://host?x", "nothing may follow the host and its port"),
])
def test_what_is_no_address(ask, url, why):
    r = ask("jobs", "--server", url)
    assert (r.code, r.out) == (1, "")
    assert r.err == (f"fairlead: error: {url[:200]}: this is not the address of a server: {why}\n"
                     "hint: such as https://host.example:8450\n")


@pytest.mark.parametrize("host", ["host.example", "192.0.2.1", "0.0.0.0", "localhost.example", "[::2]", "128.0.0.1", "127.1"])
def test_no_token_without_tls_beyond_this_machine(ask, token, host):
    r = ask("jobs", "--server", f"http://{host}:8450", "--token-file", token)
    assert r.code == 1 and "without TLS only this machine itself is asked\nhint: use https://, or a tunnel: ssh -L" in r.err


def test_without_tls_on_this_machine(ask, serve, token):
    server = serve()
    for url in (server.url, server.url + "/", server.url.replace("127.0.0.1", "LOCALHOST").replace("http", "HTTP")):
        r = ask("jobs", "--server", url, "--token-file", token)
        assert (r.code, r.err) == (0, "") and "  17  " in r.out
    assert set(server.tokens) == {f"Bearer {TOKEN}"}


# --- which daemon ---

def test_who_says_which(ask, serve, local, token, tmp_path):
    one, two = serve(), serve()
    both = {"FAIRLEAD_SERVER": one.url, "FAIRLEAD_SOCKET": local.path}
    two.answers["GET /v1/jobs"] = 200, {"now": fake.NOW, "jobs": [job(99)], "more": False}

    def first(*args, env=None):
        r = ask("jobs", "--format", "id", *args, env=env)
        assert r.code == 0, r.err
        return r.out.split()[-1]

    assert first("--server", two.url, env=both) == "99"
    assert first("--socket", local.path, env={"FAIRLEAD_SERVER": one.url}) == "3"
    assert first(env={"FAIRLEAD_SERVER": one.url}) == "17"
    assert ask("login", two.url, stdin=TOKEN.encode()).code == 0
    assert first() == "99"
    assert first(env={"FAIRLEAD_SOCKET": local.path}) == "3"
    assert first(env={"FAIRLEAD_SERVER": one.url}) == "17"
    r = ask("jobs", env=both)
    assert (r.code, r.err) == (1, "fairlead: error: FAIRLEAD_SERVER and FAIRLEAD_SOCKET are both set, and name two daemons\n"
                               "hint: unset one of them, or give --server or --socket\n")
    r = ask("jobs", "--server", one.url, "--socket", local.path)
    assert (r.code, r.err.splitlines()[0]) == (2, "fairlead jobs: --socket and --server name two daemons")
    r = ask("jobs", "--socket", local.path, "--token-file", token)
    assert (r.code, r.err.splitlines()[0]) == (1, "fairlead: error: --token-file is about a server, and the socket of this "
                                               "machine is asked")


def test_a_token_is_for_its_server_only(ask, serve, tmp_path):
    one, two = serve(), serve()
    assert ask("login", one.url, stdin=TOKEN.encode()).code == 0
    assert ask("jobs").code == 0
    assert ask("jobs", "--server", one.url + "/").code == 0
    assert one.tokens[-2:] == [f"Bearer {TOKEN}"] * 2
    assert ask("jobs", "--server", two.url).code == 0
    assert ask("jobs", env={"FAIRLEAD_SERVER": two.url}).code == 0
    assert two.tokens == [None, None]


def test_a_redirection_is_not_followed(ask, serve, token):
    one, two = serve(), serve()
    one.location = two.url + "/v1/jobs"
    for status in (301, 302, 307, 308):
        for content in ("", "<html>elsewhere</html>"):
            one.answers["GET /v1/jobs"] = status, content
            r = ask("jobs", "--server", one.url, "--token-file", token)
            assert (r.code, r.out) == (3, "")
            assert f"the daemon answered with HTTP status {status} and no reason" in r.err
    assert two.asked == []


def test_no_proxy_gets_the_token(ask, serve, token):
    server, proxy = serve(), serve()
    env = {name: proxy.url for name in ("http_proxy", "https_proxy", "all_proxy", "ALL_PROXY")}
    assert ask("jobs", "--server", server.url, "--token-file", token, env=env).code == 0
    assert proxy.asked == []


# --- files of tokens ---

def test_token_files(ask, serve, token, tmp_path):
    server = serve()

    def refused(path, **how):
        r = ask("jobs", "--server", server.url, "--token-file", str(path), **how)
        assert (r.code, r.out) == (1, "")
        return r.err

    for mode in (0o640, 0o604, 0o620, 0o601, 0o644):
        os.chmod(token, mode)
        assert refused(token) == (f"fairlead: error: {token}: others may read or write this file: its mode is {mode:04o}\n"
                                  f"hint: chmod 600 {token}\n")
    os.chmod(token, 0o400)
    assert ask("jobs", env={"FAIRLEAD_SERVER": server.url, "FAIRLEAD_TOKEN_FILE": token}).code == 0
    assert "hint: it is to have the token that 'fairlead token create' printed\n" in refused(tmp_path / "none")
    assert "this is not a regular file" in refused(tmp_path)
    os.mkfifo(tmp_path / "pipe", 0o600)
    assert "this is not a regular file" in refused(tmp_path / "pipe")
    os.chmod(token, 0o600)
    for text, why in ((b"", "there is no token"), (b" \n\n", "there is no token"), (b"a b\n", "this is not a token"),
                      (b"a\nX-Evil: 1\n", "this is not a token"), (b"a\x00b", "this is not a token"),
                      (b"x" * 70000, "the file is too large")):
        (tmp_path / "token").write_bytes(text)
        assert why in refused(token)
    if os.geteuid() == 0:
        os.chown(token, 12345, 12345)
        assert "the file belongs to another user\n" in refused(token)
    assert len(server.asked) == 1


def test_no_token_is_said(ask, serve, token):
    server = serve()
    server.answers["GET /v1/jobs"] = 401, error(401, "this needs a token")
    r = ask("jobs", "--server", server.url)
    assert (r.code, r.err) == (1, f"fairlead: error: {server.url}: this needs a token\n"
                               f"hint: 'fairlead login {server.url}' takes a token; or --token-file FILE\n")
    r = ask("jobs", "--server", server.url, "--token-file", token)
    assert f"hint: 'fairlead login {server.url}' takes another token" in r.err
    server.answers["GET /v1/jobs"] = 404, error(404, "not here")
    assert ask("jobs", "--server", server.url).err == "fairlead: error: not here\n"


# --- trust ---

@pytest.fixture
def authority(tmp_path):
    return Certificate(tmp_path, "authority", is_authority=True)


def test_an_authority_of_its_own(ask, serve, token, authority, tmp_path):
    server = serve(Certificate(tmp_path, "server", authority=authority))
    r = ask("jobs", "--server", server.url, "--token-file", token)
    assert (r.code, r.out) == (3, "")
    assert r.err == (f"fairlead: error: {server.url}: no authority that this machine trusts has signed the server's certificate\n"
                     f"hint: 'fairlead login {server.url}' shows its fingerprint; or --ca-file FILE names the certificate of "
                     "its authority\n")
    assert TOKEN not in str(server.tokens)
    for how in ([["--ca-file", str(authority.file)], {}], [[], {"FAIRLEAD_CA_FILE": str(authority.file)}]):
        r = ask("jobs", "--server", server.url, "--token-file", token, *how[0], env=how[1])
        assert (r.code, r.err) == (0, "") and "  17  " in r.out
    assert server.tokens[-1] == f"Bearer {TOKEN}"
    other = Certificate(tmp_path, "other", is_authority=True)
    r = ask("jobs", "--server", server.url, "--ca-file", str(other.file))
    assert r.code == 3 and "no authority of the CA file has signed the server's certificate" in r.err
    r = ask("jobs", "--server", server.url, "--ca-file", str(tmp_path / "none"))
    assert r.code == 3 and "the certificates of --ca-file cannot be read" in r.err


@pytest.mark.parametrize("made, says", [
    ({"names": ["a.example", "192.0.2.7"]}, "the server's certificate is for a.example, 192.0.2.7, not for 127.0.0.1\n"
     "hint: use one of its names in the address"),
    ({"days": (-10, -1)}, "the server's certificate expired at 20"),
    ({"days": (2, 10)}, "the server's certificate is valid only from 20"),
])
def test_certificates_that_do_not_fit(ask, serve, token, authority, tmp_path, made, says):
    certificate = Certificate(tmp_path, "server", authority=authority, **made)
    server = serve(certificate)
    r = ask("jobs", "--server", server.url, "--token-file", token, "--ca-file", str(authority.file))
    assert (r.code, r.out) == (3, "")
    assert r.err.startswith(f"fairlead: error: {server.url}: {says}")
    assert set(server.tokens) <= {None}
    # What is trusted by its key needs no name, no authority and no date.
    r = ask("jobs", "--server", server.url, "--token-file", token, "--server-fingerprint", certificate.fingerprint)
    assert (r.code, r.err) == (0, "")


def test_fingerprints(ask, serve, token, tmp_path):
    certificate = Certificate(tmp_path, "server")
    server = serve(certificate)
    digits = certificate.fingerprint.replace(":", "")
    for form in (certificate.fingerprint, digits, digits.lower(), "sha256:" + digits.lower(), "SHA256:" + certificate.fingerprint):
        assert ask("jobs", "--server", server.url, "--token-file", token, "--server-fingerprint", form).code == 0
    assert ask("jobs", env={"FAIRLEAD_SERVER": server.url, "FAIRLEAD_SERVER_FINGERPRINT": digits}).code == 0
    before = server.tokens.count(f"Bearer {TOKEN}")
    for bad in ("sha256:" + digits[:-1] + ("0" if digits[-1] != "0" else "1"), "sha256:" + "0" * 64):
        r = ask("jobs", "--server", server.url, "--token-file", token, "--server-fingerprint", bad)
        assert r.code == 3
        assert r.err.startswith(f"fairlead: error: {server.url}: the server has another certificate than the one that was "
                                "confirmed\n")
    assert server.tokens.count(f"Bearer {TOKEN}") == before
    for bad in ("", "sha256:", "sha256:" + digits + "0", digits[1:], "md5:" + digits, "x" * 64):
        r = ask("jobs", "--server", server.url, "--server-fingerprint", bad)
        assert r.code == 1 and "this is not the fingerprint of a server's certificate\n" in r.err, bad
    # A trust that is given replaces all of the one that is configured.
    other = Certificate(tmp_path, "other", is_authority=True)
    r = ask("jobs", "--server", server.url, "--ca-file", str(other.file), env={"FAIRLEAD_SERVER_FINGERPRINT": digits})
    assert r.code == 3 and "no authority of the CA file" in r.err


def test_what_is_no_server(ask, serve, tmp_path):
    plain, tls = serve(), serve(Certificate(tmp_path, "server"))
    r = ask("jobs", "--server", plain.url.replace("http", "https"))
    assert r.code == 3 and "no connection with TLS could be made\n" in r.err
    r = ask("jobs", "--server", tls.url.replace("https", "http"))
    assert r.code == 3 and "the daemon closed the connection before it answered" in r.err
    r = ask("jobs", "--server", "https://127.0.0.1:1")
    assert r.code == 3 and r.err.startswith("fairlead: error: https://127.0.0.1:1: no daemon listens there\n")
    r = ask("jobs", "--server", "https://none.invalid:1")
    assert r.code == 3 and r.err.startswith("fairlead: error: https://none.invalid:1: there is no machine of this name\n")


# --- login ---

def test_login(ask, serve, tmp_path):
    certificate = Certificate(tmp_path, "server")
    server = serve(certificate)
    r = ask("login", server.url, stdin=TOKEN.encode() + b"\n")
    assert (r.code, r.out) == (1, "")
    assert r.err == (f"fairlead: error: {server.url}: it is not confirmed that this is the right server\n"
                     "hint: when its admin says that its fingerprint is this, give --server-fingerprint "
                     f"{certificate.fingerprint}\n")
    assert not configuration(tmp_path).exists() and set(server.tokens) <= {None}
    r = ask("login", server.url, "--server-fingerprint", certificate.fingerprint, stdin=TOKEN.encode() + b"\n")
    path = configuration(tmp_path)
    assert (r.code, r.err) == (0, "")
    assert r.out == (f"server  {server.url}\nuser    alice\ntoken   laptop\nrole    submit\nqueues  team-a, team-b\n"
                     f"written {path}\n")
    assert path.stat().st_mode & 0o7777 == 0o600 and path.parent.stat().st_mode & 0o7777 == 0o700
    assert json.loads(path.read_text()) == {"server": server.url, "token": TOKEN, "key": certificate.key_pin}
    assert [p.name for p in path.parent.iterdir()] == ["server.json"]
    assert ask("jobs").code == 0
    r = ask("login")
    assert r.out == (f"server  {server.url}\nfrom    {path}\nuser    alice\ntoken   laptop\nrole    submit\n"
                     "queues  team-a, team-b\n")
    assert ask("logout").out == f"removed {path}\n"
    assert not path.exists()
    assert ask("logout").out == "there is no login\n"


def test_login_keeps_files_by_their_paths(ask, serve, token, authority, tmp_path):
    server = serve(Certificate(tmp_path, "server", authority=authority))
    r = ask("login", server.url, "--ca-file", "authority.crt", "--token-file", "token",
            env={"XDG_CONFIG_HOME": str(tmp_path / "xdg")})
    assert (r.code, r.err) == (0, "")
    written = json.loads((tmp_path / "xdg/fairlead/server.json").read_text())
    assert written == {"server": server.url, "tokenFile": token, "caFile": str(authority.file)}
    assert TOKEN not in str(written)
    assert ask("jobs", env={"XDG_CONFIG_HOME": str(tmp_path / "xdg")}).code == 0
    assert server.tokens[-1] == f"Bearer {TOKEN}"


def test_a_login_that_fails_leaves_the_one_before(ask, serve, tmp_path):
    one, two = serve(), serve()
    assert ask("login", one.url, stdin=TOKEN.encode()).code == 0
    before = configuration(tmp_path).read_bytes()
    two.answers["GET /v1/whoami"] = 401, error(401, "the token is not valid")
    r = ask("login", two.url, stdin=TOKEN.encode())
    assert (r.code, r.out) == (1, "") and f"{two.url}: the token is not valid" in r.err
    for text in (b"", b"\n", b"two words\n"):
        r = ask("login", two.url, stdin=text)
        assert r.code == 1 and "token" in r.err
    assert ask("login", "https://127.0.0.1:1", stdin=TOKEN.encode()).code == 3
    assert ask("login", one.url, "--server", two.url).code == 2
    assert ask("login", one.url, "extra").code == 2
    assert configuration(tmp_path).read_bytes() == before


def test_a_login_that_is_not_ours(ask, serve, tmp_path):
    server = serve()
    assert ask("login", server.url, stdin=TOKEN.encode()).code == 0
    path = configuration(tmp_path)
    path.chmod(0o644)
    r = ask("jobs")
    assert (r.code, r.err) == (1, f"fairlead: error: {path}: others may read or write this file: its mode is 0644\n"
                               f"hint: chmod 600 {path}\n")
    path.chmod(0o600)
    for text in ("", "[]", "{}", '{"server": "ftp://x"}', '{"server": 5}', f'{{"server": "{server.url}", "token": "a b"}}',
                 f'{{"server": "{server.url}", "token": 5}}', f'{{"server": "{server.url}", "key": "5"}}'):
        path.write_text(text)
        r = ask("jobs")
        assert r.code == 1 and "this is not what 'fairlead login' writes\n" in r.err, text
    before = len(server.asked)
    assert ask("jobs", "--socket", str(tmp_path / "none")).code == 3  # it is not read
    assert len(server.asked) == before
    assert ask("login", server.url, stdin=TOKEN.encode()).code == 0
    assert ask("jobs").code == 0


def at_a_terminal(tmp_path, args, typed):
    """What it prints there; @typed: (what is waited for, what is typed then)."""
    pid, fd = pty.fork()
    if pid == 0:
        os.environ.update({"HOME": str(tmp_path), "LC_ALL": "C.UTF-8"})
        os.execv(os.environ["FAIRLEAD"], ["fairlead", *args])
    said, end, waits = b"", time.monotonic() + 60, list(typed)
    while time.monotonic() < end:
        try:
            piece = os.read(fd, 4096)
        except OSError:
            break
        if not piece:
            break
        said += piece
        if waits and said.rstrip().endswith(waits[0][0].encode()):
            prompt, text = waits.pop(0)
            # What is typed before the echo is off would be shown, and thrown away.
            while prompt.startswith("Token") and termios.tcgetattr(fd)[3] & termios.ECHO:
                assert time.monotonic() < end, said
                time.sleep(0.01)
            os.write(fd, text.encode())
    _, status = os.waitpid(pid, 0)
    os.close(fd)
    return os.waitstatus_to_exitcode(status), said.decode().replace("\r\n", "\n")


def test_login_at_a_terminal(serve, tmp_path):
    certificate = Certificate(tmp_path, "server", names=["192.0.2.1"])
    server = serve(certificate)
    code, said = at_a_terminal(tmp_path, ["login", server.url], [("Type yes:", "yes\n"),
                                                                 (f"Token for {server.url}:", TOKEN + "\n")])
    assert code == 0, said
    assert f"fingerprint  {certificate.fingerprint}\n" in said and "names        192.0.2.1\n" in said
    assert TOKEN not in said  # it is not shown
    assert json.loads(configuration(tmp_path).read_text())["key"] == certificate.key_pin
    before = configuration(tmp_path).read_bytes()
    for answer in ("no\n", "y\n", "\n", "\x04"):
        code, said = at_a_terminal(tmp_path, ["login", server.url], [("Type yes:", answer)])
        assert code == 1 and "it is not confirmed that this is the right server" in said, said
    code, said = at_a_terminal(tmp_path, ["login", server.url],
                               [("Type yes:", "yes\n"), (f"Token for {server.url}:", "\x03\n")])
    assert code == 1 and "this is not a token" in said
    assert configuration(tmp_path).read_bytes() == before


# --- verbs ---

def test_submit_to_another_machine(ask, serve, token, tmp_path):
    server = serve()
    server.answers["POST /v1/jobs"] = 201, {"jobs": [1]}
    (tmp_path / "train.sh").write_text("#!/bin/sh\n#FAIRLEAD -r cpu=2\necho it\n")
    variables = {"FAIRLEAD_SERVER": server.url, "FAIRLEAD_TOKEN_FILE": token, "FAIRLEAD_CA_FILE": "/x",
                 "FAIRLEAD_QUEUE": "team-a", "MINE": "1"}
    r = ask("submit", "--output", "%u-%j.log", "train.sh", "a b", env=variables)
    assert (r.code, r.out, r.err) == (0, "1\n", "")
    spec = json.loads(next(body for method, _, body in server.asked if method == "POST"))
    environment = spec.pop("environment")
    assert environment["MINE"] == "1" and not [n for n in environment if n.startswith("FAIRLEAD_") and n != "FAIRLEAD_QUEUE"]
    assert spec["output"] == f"{tmp_path}/alice-%j.log" and spec["directory"] == str(tmp_path)
    # Its text goes along, as the file is not there.
    assert spec["name"] == "train.sh" and spec["requests"] == {"cpu": "2"}
    command = spec["command"]
    assert command[:2] == ["/bin/sh", "-c"] and command[3:] == ["stdin", "a b"] and str(tmp_path) not in command[2]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "it\n"


def test_scripts_do_not_say_which_daemon(ask, serve, token, tmp_path):
    server = serve()
    for option in (f"--server {server.url}", f"--token-file {token}", "--ca-file x", "--server-fingerprint x"):
        (tmp_path / "job.sh").write_text(f"#!/bin/sh\n#FAIRLEAD {option}\ntrue\n")
        r = ask("submit", "-q", "a", "job.sh", env={"FAIRLEAD_SERVER": server.url})
        assert r.code == 1 and "which server is asked belongs on the command line, not in a script" in r.err
    assert server.asked == []


@pytest.mark.parametrize("status, text, code", [(401, "this token is not valid", 1), (404, "there is no simulation 5", 1), (500, "", 3)])
def test_a_simulation_that_is_refused(ask, serve, token, status, text, code):
    """The token has ended, or the simulation is gone: also its end cannot be asked for."""
    server = serve()
    server.answers["POST /v1/simulations"] = 202, {"id": 5}
    for method in "GET", "DELETE":
        server.answers[f"{method} /v1/simulations/5"] = status, error(status, text) if text else ""
    r = ask("simulate", "--server", server.url, "--token-file", token)
    assert (r.code, r.out) == (code, ""), r.err
    assert (text or f"the daemon answered with HTTP status {status} and no reason") in r.err
    assert [method for method, _, _ in server.asked[-3:]] == ["POST", "GET", "DELETE"]


def test_streams(ask, serve, token, tmp_path):
    certificate = Certificate(tmp_path, "server")
    server = serve(certificate)
    where = ["--server", server.url, "--token-file", token, "--server-fingerprint", certificate.fingerprint]

    def slowly(*pieces):
        for piece in pieces:
            yield piece.encode() if isinstance(piece, str) else piece
            time.sleep(0.05)

    server.answers["GET /v1/events"] = lambda path, _: (200, slowly(lines(event(1, "Submitted")), lines(event(2, "Started"))))
    r = ask("events", *where)
    assert (r.code, r.err, len(r.out.splitlines())) == (0, "", 2)
    framed = b"\x01\0\0\0\0\0\0\x03out" + b"\x02\0\0\0\0\0\0\x04err\n"
    server.answers["GET /v1/jobs/17/log"] = lambda path, _: (200, slowly(framed[:5], framed[5:12], framed[12:]))
    r = ask("logs", "-f", "17", *where)
    assert (r.code, r.out, r.err) == (0, "out", "err\n")
    assert server.tokens[-1] == f"Bearer {TOKEN}"
    server.answers["GET /v1/jobs/17"] = [(200, job(17, "runs")), (200, job(17, "done", exit={"kind": "exited", "status": 0}))]
    r = ask("watch", "17", *where)
    assert r.code == 0, r.err


def test_a_server_that_goes_away_and_comes_back(ask, serve, token):
    server = serve()
    answers = [None, None, (200, job(17, "done", exit={"kind": "exited", "status": 0}))]
    server.answers["POST /v1/jobs"] = 201, {"jobs": [17]}
    server.answers["GET /v1/jobs/17"] = lambda *_: answers.pop(0)
    r = ask("submit", "-q", "a", "--wait", "--server", server.url, "--token-file", token, "--", "true")
    assert (r.code, r.out) == (0, "17\n")
    assert r.err == "fairlead: the daemon is not reachable; the job goes on, and fairlead waits\n"
    server.answers["GET /v1/jobs/17/log"] = lambda *_: (200, iter([b"\x01\0\0\0\0\0\0\x03o"]))
    server.answers["GET /v1/events"] = 200, ""
    r = ask("logs", "17", "--server", server.url)
    assert r.code == 0
