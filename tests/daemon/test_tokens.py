# SPDX-License-Identifier: Apache-2.0
"""Tokens: who makes them, what each may, and how one ends."""
import concurrent.futures
import http.client
import json
import os
import pwd
import signal
import subprocess
import sys
import time

import pytest

from conftest import CONFIG, DEADLINE, Answer, Connection, Daemon, end

ROOT = os.geteuid() == 0
NOBODY = "nobody"
as_root = pytest.mark.skipif(not ROOT, reason="only root makes tokens for others")


@pytest.fixture
def daemon(tmp_path):
    one = Daemon(tmp_path, listening(tmp_path)).start()
    yield one
    end(one)


def listening(folder):
    path = folder / "daemon.yaml"
    path.write_text(CONFIG.replace("spec:\n", "spec:\n  listen: [{address: '127.0.0.1:0'}]\n", 1))
    return path


def make(daemon, name="ci", status=201, **wish):
    answer = daemon.post("/v1/tokens", {"name": name, "role": "submit", **wish})
    assert answer.status == status, answer.text
    return answer.json()


def far(daemon):
    host, port = daemon.get("/v1/health").json()["listens"][0].rsplit(":", 1)
    return http.client.HTTPConnection(host, int(port), timeout=DEADLINE)


def ask(daemon, token, method, path, body=None):
    connection = far(daemon)
    try:
        connection.request(method, path, json.dumps(body) if body is not None else None,
                           {"Authorization": f"Bearer {token}"})
        return Answer(connection.getresponse())
    finally:
        connection.close()


def follow(daemon, token, path):
    connection = far(daemon)
    connection.request("GET", path, headers={"Authorization": f"Bearer {token}"})
    response = connection.getresponse()
    assert response.status == 200, response.read()
    return connection, response


def job_in(queue, **more):
    return {"queue": queue, "requests": {"cpu": "100m"}, "directory": "/", "command": ["true"], **more}


def seconds_to_end(response):
    began = time.monotonic()
    try:
        while response.read1(65536):
            pass
    except (http.client.IncompleteRead, ConnectionError):
        pass
    return time.monotonic() - began


READ, SUBMIT, ADMIN = "read", "submit", "admin"


@pytest.mark.parametrize("method, path, body, allowed", [
    ("GET", "/v1/jobs", None, {READ, SUBMIT, ADMIN}),
    ("GET", "/v1/events", None, {READ, SUBMIT, ADMIN}),
    ("GET", "/v1/queues", None, {READ, SUBMIT, ADMIN}),
    ("POST", "/v1/jobs", job_in("default"), {SUBMIT, ADMIN}),
    ("POST", "/v1/jobs/cancel", {"jobs": "9999"}, {SUBMIT, ADMIN}),
    ("GET", "/v1/audit", None, {ADMIN}),
    ("GET", "/v1/snapshot", None, {ADMIN}),
    ("POST", "/v1/reload", None, {ADMIN}),
    ("GET", "/v1/configuration", None, {READ, SUBMIT, ADMIN}),
    ("PUT", "/v1/configuration", {}, {ADMIN}),  # 409: it is that of files
    ("POST", "/v1/configuration/versions/0/restore", None, {ADMIN}),
    # Of no role: these are for users of the socket.
    ("GET", "/v1/tokens", None, set()),
    ("POST", "/v1/tokens", {"name": "more", "role": "read"}, set()),
    ("POST", "/v1/tokens/admin/revoke", None, set()),
])
def test_roles(shared_far, method, path, body, allowed):
    daemon, tokens = shared_far
    for role, token in tokens.items():
        answer = ask(daemon, token, method, path, body)
        if role in allowed:
            assert answer.status in (200, 201, 404, 409), (role, answer.text)
        else:
            assert answer.status == 403, (role, answer.text)


@pytest.fixture(scope="module")
def shared_far(tmp_path_factory):
    folder = tmp_path_factory.mktemp("daemon")
    one = Daemon(folder, listening(folder)).start()
    yield one, {role: make(one, role, role=role)["token"] for role in (READ, SUBMIT, ADMIN)}
    assert end(one) == 0, one.said()


@pytest.mark.parametrize("wish, status, text", [
    ({"name": ""}, 400, "'' is not the name of a token"),
    ({"name": "a b"}, 400, "'a b' is not the name of a token"),
    ({"name": "x" * 64}, 400, "is not the name of a token"),
    ({"role": "root"}, 400, "'root' is not a role"),
    ({"role": None}, 400, "'role' must be a text"),
    ({"queues": []}, 400, "a token names 1 to 64 queues, or none at all"),
    ({"queues": ["default"] * 65}, 400, "a token names 1 to 64 queues"),
    ({"queues": "default"}, 400, "'queues' must be a list of names"),
    ({"queues": [7]}, 400, "'queues' must be a list of names"),
    ({"queues": ["nowhere"]}, 404, "there is no queue 'nowhere'"),
    ({"queues": ["default"], "role": "read"}, 400, "only a token of role submit names queues"),
    ({"expires": "soon"}, 400, "'soon' is not how long a token can be in use"),
    ({"expires": "0s"}, 400, "'0s' is not how long"),
    ({"expires": "99999d"}, 400, "'99999d' is not how long"),
    ({"user": "no-such-user"}, 400, "there is no user 'no-such-user' on this machine"),
    ({"colour": "red"}, 400, "'colour' is not a field of this request"),
    ({"name": "read"}, 409, "has a token 'read'"),
])
def test_wishes_refused(shared_far, wish, status, text):
    daemon, _ = shared_far
    answer = daemon.post("/v1/tokens", {"name": "new", "role": "submit", **wish})
    assert answer.status == status and text in answer.error, answer.text
    assert not [t for t in daemon.get("/v1/tokens").json()["tokens"] if t["name"] == "new"]


def test_what_is_not_a_token(shared_far):
    daemon, tokens = shared_far
    good = tokens[READ]
    other = good[:-1] + ("a" if good[-1] != "a" else "b")
    for text in ("", "x", good[:-1], good + "a", good.upper(), other, good.split("_")[1], "fl_" + "a" * 8000):
        answer = ask(daemon, text, "GET", "/v1/jobs")
        assert answer.status == 401, (text, answer.text)
        assert text == "" or text not in answer.text or len(text) < 3
    assert ask(daemon, good, "GET", "/v1/jobs").status == 200


def test_on_the_socket(daemon):
    """The kernel says who asks: a token is not looked at, and is not let pass as if it had been."""
    token = make(daemon)["token"]
    answer = daemon.ask("GET", "/v1/jobs", headers={"Authorization": f"Bearer {token}"})
    assert answer.status == 400 and answer.error == "a token is not asked for on this socket"
    assert token not in answer.text


def test_queues(daemon):
    token = make(daemon, queues=["other"])["token"]
    refused = ask(daemon, token, "POST", "/v1/jobs", job_in("default"))
    assert refused.status == 403
    assert "does not name queue 'default'" in refused.error and "/ci " in refused.error
    taken = ask(daemon, token, "POST", "/v1/jobs", job_in("other", hold=True))
    assert taken.status == 201, taken.text
    own, = taken.json()["jobs"]
    foreign = daemon.submit(hold=True)
    for path in ("cancel", "hold", "release"):
        answer = ask(daemon, token, "POST", f"/v1/jobs/{foreign}/{path}")
        assert answer.status == 403 and "in a queue that the token does not name" in answer.error, answer.text
    assert ask(daemon, token, "GET", f"/v1/jobs/{foreign}/log").status == 403
    # What it runs is not shown either, and neither is a job moved out of its queues.
    assert "command" not in ask(daemon, token, "GET", f"/v1/jobs/{foreign}").json()
    assert "command" in ask(daemon, token, "GET", f"/v1/jobs/{own}").json()
    answer = ask(daemon, token, "POST", "/v1/jobs/update", {"jobs": str(own), "set": {"queue": "default"}})
    assert answer.status == 403, answer.text
    both = ask(daemon, token, "POST", "/v1/jobs/cancel", {"jobs": f"{own},{foreign}"}).json()
    assert (both["done"], both["refused"]) == (1, 1), both
    assert daemon.job(foreign)["state"] == "held"


@as_root
def test_acts_for_its_user(daemon):
    """Its jobs run as the user, with the group; they are the user's; and it may no more than the user."""
    who = pwd.getpwnam(NOBODY)
    token = make(daemon, user=NOBODY)["token"]
    job, = ask(daemon, token, "POST", "/v1/jobs", job_in("default", command=["sh", "-c", "id -u; id -g"])).json()["jobs"]
    daemon.wait(job, "done")
    assert ask(daemon, token, "GET", f"/v1/jobs/{job}/log").text.split() == [str(who.pw_uid), str(who.pw_gid)]
    assert daemon.job(job)["user"] == NOBODY
    roots = daemon.submit(hold=True)
    assert ask(daemon, token, "POST", f"/v1/jobs/{roots}/cancel").status == 403
    answer = daemon.post("/v1/tokens", {"name": "big", "role": "admin", "user": NOBODY})
    assert answer.status == 403 and answer.error == "user nobody is not an admin, so no token of that user is"
    rows = daemon.get("/v1/audit").json()["audit"]
    assert "nobody/ci" in {row["user"] for row in rows if row["action"] == "submit"}


ASK_AS = """
import os, socket, sys
gid, uid, path, request = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
os.setgroups([]); os.setgid(gid); os.setuid(uid)
s = socket.socket(socket.AF_UNIX); s.connect(path); s.sendall(request.encode())
data = b""
while (more := s.recv(65536)): data += more
sys.stdout.buffer.write(data)
"""


def ask_as(daemon, user, method, path, body=""):
    who = pwd.getpwnam(user)
    request = (f"{method} {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: {len(body)}\r\n\r\n{body}")
    said = subprocess.run([sys.executable, "-c", ASK_AS, str(who.pw_gid), str(who.pw_uid), str(daemon.socket), request],
                          capture_output=True, check=True, timeout=DEADLINE).stdout.decode()
    head, _, text = said.partition("\r\n\r\n")
    return int(head.split()[1]), text


@as_root
def test_users_and_their_own(daemon):
    make(daemon, "roots")
    status, text = ask_as(daemon, NOBODY, "POST", "/v1/tokens", '{"name": "mine", "role": "read"}')
    assert status == 201, text
    mine = json.loads(text)
    for body in ('{"name": "x", "role": "read", "user": "root"}', '{"name": "x", "role": "admin"}',
                 '{"name": "x", "role": "submit", "user": "daemon"}'):
        status, text = ask_as(daemon, NOBODY, "POST", "/v1/tokens", body)
        assert status == 403, (body, text)
    status, text = ask_as(daemon, NOBODY, "GET", "/v1/tokens")
    assert [t["name"] for t in json.loads(text)["tokens"]] == ["mine"]
    assert {t["name"] for t in daemon.get("/v1/tokens").json()["tokens"]} == {"roots", "mine"}
    roots = next(t["id"] for t in daemon.get("/v1/tokens").json()["tokens"] if t["name"] == "roots")
    for path in (f"/v1/tokens/{roots}/revoke", "/v1/tokens/roots/revoke", "/v1/tokens/roots/revoke?user=root"):
        status, text = ask_as(daemon, NOBODY, "POST", path)
        assert status == 404, (path, text)
    status, text = ask_as(daemon, NOBODY, "POST", "/v1/tokens/mine/revoke")
    assert (status, json.loads(text)["id"]) == (200, mine["id"])
    assert ask(daemon, mine["token"], "GET", "/v1/jobs").status == 401
    assert daemon.post("/v1/tokens/mine/revoke?user=nobody").status == 409


def test_revoked_on_open_streams(daemon):
    """Within a second, whether they have something to say or not; others go on."""
    token, other = make(daemon), make(daemon, "other")
    job = daemon.submit("sh", "-c", "while sleep 0.05; do echo line; done")
    daemon.wait(job, "runs")
    daemon.until(lambda: daemon.get(f"/v1/jobs/{job}/log").body, "it has printed")
    streams = [follow(daemon, token["token"], path)
               for path in ("/v1/events?follow=1", f"/v1/jobs/{job}/log?follow=1&stream=out")]
    stays, stays_response = follow(daemon, other["token"], f"/v1/jobs/{job}/log?follow=1&stream=out")
    assert daemon.post(f"/v1/tokens/{token['id']}/revoke").status == 200
    for connection, response in streams:
        assert seconds_to_end(response) < 5
        connection.close()
    assert ask(daemon, token["token"], "GET", "/v1/jobs").status == 401
    assert len(stays_response.read(50)) == 50
    stays.close()
    assert daemon.post(f"/v1/tokens/{token['id']}/revoke").status == 409


def test_expires(daemon):
    for seconds in (5, 20, 60):  # it is to be used before that, on a busy machine, too
        began, name = time.monotonic(), f"ci-{seconds}"
        token = make(daemon, name, expires=f"{seconds}s")["token"]
        try:
            connection, response = follow(daemon, token, "/v1/events?follow=1")
            assert ask(daemon, token, "GET", "/v1/jobs").status == 200
            break
        except AssertionError:
            if seconds == 60 or time.monotonic() - began < seconds:
                raise
    assert seconds_to_end(response) < seconds + 5
    connection.close()
    assert ask(daemon, token, "GET", "/v1/jobs").status == 401
    one, = [t for t in daemon.get("/v1/tokens").json()["tokens"] if t["name"] == name]
    assert one["state"] == "expired" and one["usedAt"]
    make(daemon, name)  # the name is free again


def test_revoked_by_name_is_the_one_in_use(daemon):
    """Whatever the order of ids: those that have expired with that name stay as they are."""
    for _ in range(5):
        make(daemon, expires="1s")
        daemon.until(lambda: all(t["state"] == "expired" for t in daemon.get("/v1/tokens").json()["tokens"]), "expired")
    used = make(daemon)
    assert daemon.post("/v1/tokens/ci/revoke").json()["id"] == used["id"]
    assert ask(daemon, used["token"], "GET", "/v1/jobs").status == 401
    # A name that looks like the id of another one means the other one.
    other = make(daemon, "other")
    alike = make(daemon, other["id"])
    assert daemon.post(f"/v1/tokens/{other['id']}/revoke").json()["id"] == other["id"]
    assert ask(daemon, alike["token"], "GET", "/v1/jobs").status == 200


def files_with(text, *folders):
    return subprocess.run(["grep", "-rlaF", "-e", text, *map(str, folders)], capture_output=True, text=True).stdout


def test_kill_restart_backup_restore(daemon, tmp_path):
    kept, gone = make(daemon, "kept", expires="never"), make(daemon, "gone")
    assert daemon.post("/v1/tokens/gone/revoke").status == 200
    assert ask(daemon, kept["token"], "GET", "/v1/jobs").status == 200

    def check(one):
        assert ask(one, kept["token"], "GET", "/v1/jobs").status == 200
        assert ask(one, gone["token"], "GET", "/v1/jobs").status == 401
        states = {t["name"]: t["state"] for t in one.get("/v1/tokens").json()["tokens"]}
        assert states == {"kept": "in use", "gone": "revoked"}
    for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGKILL):
        daemon.stop(number)
        daemon.start()
        check(daemon)
    backup = tmp_path / "backup"
    assert daemon.post(f"/v1/backup?to={backup}").status == 200
    secret = kept["token"].split("_")[2]
    assert files_with(kept["id"], daemon.state) and files_with(kept["id"], backup)
    assert not files_with(secret, tmp_path)
    assert secret not in daemon.get("/v1/audit").text and secret not in daemon.get("/v1/tokens").text
    daemon.stop()
    fresh = Daemon(tmp_path / "fresh", daemon.config)
    fresh.folder.mkdir(mode=0o777)
    fairleadd = os.environ["FAIRLEADD"]
    subprocess.run([fairleadd, "--restore", backup, "--state", fresh.state], check=True, capture_output=True)
    subprocess.run([fairleadd, "--verify", "--state", fresh.state], check=True, capture_output=True)
    fresh.start()
    check(fresh)
    end(fresh)
    daemon.start()


def owner_of_a_copy(daemon):
    """Of the files in /proc of a process that answers a question; None: there is none now."""
    pid = daemon.process.pid
    for child in open(f"/proc/{pid}/task/{pid}/children").read().split():
        try:
            if open(f"/proc/{child}/comm").read() != "fairlead-spawn\n":
                os.kill(int(child), signal.SIGSTOP)
                owner = os.stat(f"/proc/{child}/environ").st_uid
                os.kill(int(child), signal.SIGCONT)
                return owner
        except OSError:  # it has just ended
            pass
    return None


def test_copies_write_no_core(daemon):
    """The files in /proc of a process of which no core is written are root's, whichever user it is: copies of
    a daemon, and one that root has started and that is not root any more."""
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        asked, end_at = pool.submit(daemon.get, "/v1/plan?cycles=1000"), time.monotonic() + DEADLINE
        while owner_of_a_copy(daemon) != 0:
            assert time.monotonic() < end_at, "no copy was seen of which no core is written"
            if asked.done():
                asked = pool.submit(daemon.get, "/v1/plan?cycles=1000")
        assert asked.result().status == 200
    assert os.stat(f"/proc/{daemon.process.pid}/environ").st_uid == (0 if ROOT else os.geteuid())


def token_verb(daemon, *words):
    return subprocess.run([os.environ["FAIRLEAD"], "token", *words, "--socket", daemon.socket],
                          capture_output=True, text=True, timeout=DEADLINE)


def test_the_verb(daemon):
    made = token_verb(daemon, "create", "ci", "--role", "submit", "--queue", "default", "-q", "other", "--expires", "30d")
    assert made.returncode == 0, made.stderr
    token = made.stdout.strip()
    assert token.startswith("fl_") and made.stdout == token + "\n"
    assert "the token is printed this once; it is in use until 20" in made.stderr and token not in made.stderr
    assert ask(daemon, token, "GET", "/v1/jobs").status == 200
    answer = token_verb(daemon, "list")
    assert answer.returncode == 0, answer.stderr
    listed = answer.stdout.splitlines()
    assert listed[0].split() == ["NAME", "ID", "USER", "ROLE", "QUEUES", "STATE", "EXPIRES", "LAST", "USED"]
    assert listed[1].split()[:2] == ["ci", token.split("_")[1]] and "default/default" in listed[1]
    assert "default/other" in listed[2]
    document = json.loads(token_verb(daemon, "list", "-o", "json").stdout)
    assert document["kind"] == "Tokens" and document["tokens"][0]["queues"] == ["default/default", "default/other"]
    assert json.loads(token_verb(daemon, "create", "b", "--role", "read", "-o", "json").stdout)["token"].startswith("fl_")
    again = token_verb(daemon, "create", "ci", "--role", "read")
    assert again.returncode == 1 and "has a token 'ci'" in again.stderr
    assert token_verb(daemon, "revoke", "ci").stdout == f"token {token.split('_')[1]} is revoked\n"
    assert ask(daemon, token, "GET", "/v1/jobs").status == 401
    names = [line.split()[0] for line in token_verb(daemon, "list").stdout.splitlines()]
    assert names == ["NAME", "b"] and "revoked" in token_verb(daemon, "list", "--all").stdout
    for words, text in [(["create"], "create wants the name"), (["create", "x"], "--role is missing"),
                        (["make"], "'make' is not one of create, list and revoke"),
                        (["list", "x"], "list wants no name"), (["revoke"], "revoke wants the name"),
                        (["revoke", "a/b"], "neither the id nor the name"),
                        (["list", "--role", "read"], "are for create")]:
        refused = token_verb(daemon, *words)
        assert refused.returncode == 2 and text in refused.stderr, refused.stderr
    assert token_verb(daemon, "revoke", "nothing").returncode == 1
