# SPDX-License-Identifier: Apache-2.0
"""The configuration over the API: got, checked, compared, replaced, restored; and what a kill leaves of it."""
import http.client
import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time

import pytest

from conftest import AS_ROOT, CONFIG, DEADLINE, Answer, Daemon, end
from test_recovery import on_disk, spoil_image
from test_tcp import addresses
from test_tcp_tls import context

API = CONFIG.replace("spec:\n  machine:", "spec:\n  configuration: api\n  machine:", 1)
WEIGHT = "  namespaceSelector: {}\n"


def weigh(text, weight):
    """Another weight of the queue `default`."""
    return text.replace(WEIGHT, WEIGHT + f"  fairSharing: {{weight: {weight}}}\n", 1)


def write(daemon, text):
    daemon.config.write_text(text)


@pytest.fixture
def kept(tmp_path):
    """One whose configuration is in its database."""
    (tmp_path / "daemon.yaml").write_text(API)
    one = Daemon(tmp_path, tmp_path / "daemon.yaml").start()
    yield one
    end(one)


class Far(Daemon):
    """It is asked over TCP with TLS, by a token of role admin, from when it has one."""

    secret = None

    def ask(self, method, path, body=None, headers=None):
        if not self.secret:
            return super().ask(method, path, body, headers)
        connection = http.client.HTTPSConnection(*self.at, timeout=DEADLINE, context=context())
        try:
            connection.request(method, path, body, {"Authorization": f"Bearer {self.secret}", **(headers or {})})
            return Answer(connection.getresponse())
        finally:
            connection.close()


@pytest.fixture(params=["socket", "network"])
def either(request, tmp_path):
    """The same as `kept`, asked by the socket or by the network."""
    far = "  listen: [{address: '127.0.0.1:0', tls: {selfSigned: true}}]\n  limits: {handshakesPerSecond: 1000}\n"
    text = API.replace("spec:\n", "spec:\n" + far, 1) if request.param == "network" else API
    (tmp_path / "daemon.yaml").write_text(text)
    one = (Far if request.param == "network" else Daemon)(tmp_path, tmp_path / "daemon.yaml").start()
    one.text = text
    if request.param == "network":
        one.at, = addresses(one)
        one.secret = one.post("/v1/tokens", {"name": "ci", "role": "admin"}).json()["token"]
    yield one
    one.secret = None
    end(one)


def got(daemon):
    answer = daemon.get("/v1/configuration")
    assert answer.status == 200, answer.text
    assert answer.headers["ETag"] == f'"{answer.json()["version"]}"'
    return answer.json()


def put(daemon, text, version=None, reason=None, match=None):
    match = match or (f'"{version}"' if version is not None else None)
    path = "/v1/configuration" + (f"?reason={reason}" if reason else "")
    return daemon.ask("PUT", path, text.encode(), {"If-Match": match} if match else {})


def replace(daemon, text, reason=None):
    answer = put(daemon, text, got(daemon)["version"], reason)
    assert answer.status == 200, answer.text
    return answer.json()


def versions(daemon):
    return daemon.get("/v1/configuration/versions").json()["versions"]


def weight(daemon):
    """As the tree of the daemon has it, and not what a text says of it."""
    return next(n for n in daemon.get("/v1/queues").json()["queues"] if n["name"] == "default")["weight"]


def rows(daemon, statement):
    store = sqlite3.connect(f"file:{daemon.state}/fairlead.db?mode=ro", uri=True, timeout=60)
    found = store.execute(statement).fetchall()
    store.close()
    return found


# --- read ---

def test_it_is_read_as_it_was_written(shared):
    is_ = got(shared)
    assert is_["text"] == CONFIG == is_["documents"][0]["text"]
    assert [d["name"] for d in is_["documents"]] == [str(shared.config)]
    assert (is_["version"], is_["kept"], is_["how"], is_["by"], is_["why"]) == (0, "file", "start", None, None)
    assert [v["version"] for v in versions(shared)] == [0]
    assert shared.get("/v1/configuration/versions/0").json() == is_
    assert shared.get("/v1/configuration/versions/17").status == 404


def test_files_are_the_truth(daemon):
    """PUT is refused whatever it says; a reload is a version."""
    for match in (None, '"0"', '"17"', "*"):
        refused = put(daemon, weigh(CONFIG, 3), match=match)
        assert refused.status == 409 and "files" in refused.error
        assert "configuration: api" in refused.json()["hint"]
    assert daemon.post("/v1/configuration/versions/0/restore").status == 409
    write(daemon, weigh(CONFIG, 3))
    assert daemon.post("/v1/reload").status == 200
    is_ = got(daemon)
    assert is_["version"] > 0 and is_["how"] == "reload" and is_["text"] == weigh(CONFIG, 3)
    assert is_["by"] and [v["version"] for v in versions(daemon)] == [is_["version"], 0]
    daemon.process.send_signal(signal.SIGHUP)
    time.sleep(0.2)
    assert got(daemon)["version"] == is_["version"], "the same again is no version"


def test_files_of_a_tree_become_one_text(tmp_path):
    """What is got can be put."""
    document, objects = API.split("---\n", 1)
    (tmp_path / "daemon.yaml").write_text(document.replace("spec:", "spec:\n  tree: [objects.yaml]", 1))
    (tmp_path / "objects.yaml").write_text(objects.rstrip("\n"))
    daemon = Daemon(tmp_path, tmp_path / "daemon.yaml").start()
    try:
        is_ = got(daemon)
        assert len(is_["documents"]) == 2
        answer = replace(daemon, is_["text"])
        assert answer["changed"] and any(".spec.tree" in w for w in answer["warnings"])
        daemon.stop(signal.SIGKILL)
        (tmp_path / "objects.yaml").write_text(objects)
        daemon.start()
        assert got(daemon)["text"] == is_["text"]
        daemon.wait(daemon.submit("true"), "done")
    finally:
        end(daemon)


# --- check ---

WRONG = {
    "a field": (API.replace("cohortName", "cohortNames", 1), None),
    "a word": (API.replace("configuration: api", "configuration: apis"), (5, 18, "apis")),
    "no YAML": (API + "{", (None, None, "")),
    "a queue": (API.replace("withoutAccount: allow}", "withoutAccount: allow, queues: [{queue: nobody}]}"),
                (11, None, "nobody")),
    "empty": ("", (None, None, "empty")),
    "a zero byte": (API + "\0", (None, None, "zero byte")),
    "no UTF-8": (API.encode().decode() + "# \udcff", (None, None, "")),
}


def bytes_of(text):
    return text.encode(errors="surrogateescape")


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_told_with_its_place(kept, what):
    text, wanted = WRONG[what]
    before = got(kept)
    answer = kept.ask("POST", "/v1/configuration/check", bytes_of(text))
    assert answer.status == 200, answer.text
    said = answer.json()
    if wanted is None:
        assert said["ok"] and not said["errors"]
        assert any(n["kind"] == "unknown-field" and n["file"] == "configuration" and n["line"] and n["column"]
                   for n in said["notices"]), said
        return
    line, column, words = wanted
    assert not said["ok"] and len(said["errors"]) == 1
    error = said["errors"][0]
    assert words in error["message"]
    assert line is None or (error["file"], error["line"]) == ("configuration", line), error
    assert column is None or error["column"] == column
    refused = kept.ask("PUT", "/v1/configuration", bytes_of(text), {"If-Match": '"0"'})
    assert refused.status == 400 and words in refused.error
    assert got(kept) == before and versions(kept)[0]["version"] == 0


def test_a_check_says_what_counts_later(kept):
    said = kept.post("/v1/configuration/check", API.replace(
        "  jobs: {grace: 1s}", "  state: /elsewhere\n  limits: {connections: 300}\n  jobs: {grace: 1s}")).json()
    assert said["ok"] and said["atStart"] == [".spec.limits.connections"] and said["ofFile"] == [".spec.state"]


# --- difference ---

def test_the_difference_is_a_what_if_of_all_of_it(kept):
    kept.submit("sleep", "100", requests={"cpu": "3"})
    waits = kept.submit("sleep", "100", requests={"cpu": "3"}, queue="other")
    kept.until(lambda: kept.job(waits)["state"] == "waits", "it waits")
    text = weigh(API, 4).replace("name: other, namespace: default", "name: others, namespace: default")
    said = kept.ask("POST", "/v1/configuration/difference?format=json", text.encode())
    assert said.status == 200, said.text
    changes = [(c["change"], c["object"]) for c in said.json()["changes"]]
    assert changes == [("replace", "ClusterQueue/default"), ("add", "LocalQueue/default/others"),
                       ("delete", "LocalQueue/default/other")]
    plain = kept.ask("POST", "/v1/configuration/difference", text.encode())
    assert plain.status == 200 and "ClusterQueue/default" in plain.text
    assert got(kept)["version"] == 0 and weight(kept) == 1
    same = kept.ask("POST", "/v1/configuration/difference?format=json", ("# other words\n" + API).encode()).json()
    assert same["changes"] == []
    wrong = kept.ask("POST", "/v1/configuration/difference", b"kind: {")
    assert wrong.status == 400 and wrong.json()["position"]["file"] == "configuration"


# --- put ---

def test_it_is_replaced(kept):
    assert weight(kept) == 1
    answer = replace(kept, weigh(API, 3), "three%20for%20all")
    assert answer["changed"] and answer["how"] == "put" and answer["why"] == "three for all" and answer["by"]
    is_ = got(kept)
    assert is_["text"] == weigh(API, 3) and is_["kept"] == "api" and weight(kept) == 3
    number = is_["version"]
    assert rows(kept, f"SELECT kind FROM journal WHERE seq = {number}") == [(9,)], "the number of its row"
    again = replace(kept, weigh(API, 3))
    assert not again["changed"] and again["version"] == number
    kept.until(lambda: ("configure", f"version {number}", 200) in [
        (a["action"], a["subject"], a["status"]) for a in kept.get("/v1/audit").json()["audit"]], "the audit log has it")
    kept.wait(kept.submit("true"), "done")
    assert kept.post("/v1/reload").status == 409


def test_a_version_has_to_be_named(kept):
    said = put(kept, weigh(API, 3))
    assert said.status == 428 and "If-Match" in said.error
    for match in ('"1"', "0", 'W/"0"', '"00"', '""', '"0', ","):
        assert put(kept, weigh(API, 3), match=match).status == 412, match
    assert got(kept)["version"] == 0
    for match in ('"0"', '"7", "0"'):
        assert put(kept, API, match=match).status == 200, match
    assert put(kept, weigh(API, 3), match="*").status == 200
    assert weight(kept) == 3
    late = put(kept, weigh(API, 4), version=0)
    assert late.status == 412 and "version" in late.error and weight(kept) == 3


@pytest.mark.parametrize("reason", ["x" * 256, "a%0Ab", "%1b%5b31m", "%c2%9b31m", "%e2%80%aeabc", "%ff"])
def test_a_reason_is_a_line(kept, reason):
    assert put(kept, weigh(API, 3), 0, reason).status == 400
    assert got(kept)["version"] == 0


def test_it_stays_in_the_database(kept):
    refused = put(kept, CONFIG, version=0)
    assert refused.status == 400 and "configuration: api" in refused.error
    assert put(kept, API.replace("configuration: api", "configuration: file"), version=0).status == 400
    assert got(kept)["version"] == 0


def without_other():
    text = API[:API.rindex("---\napiVersion")]
    return text[:text.rindex("---\napiVersion")]


def test_one_that_cannot_be_applied_changes_nothing(kept):
    """A running job would be left without its queue."""
    job = kept.submit("sleep", "100", queue="other")
    kept.wait(job, "runs")
    without = without_other()
    check = kept.post("/v1/configuration/check", without).json()
    assert not check["ok"] and check["errors"][0]["message"]
    refused = put(kept, without, version=0)
    assert refused.status in (400, 409), refused.text
    for _ in range(2):
        assert (got(kept)["version"], got(kept)["text"]) == (0, API) and len(versions(kept)) == 1
        assert kept.job(job)["state"] == "runs"
        kept.stop(signal.SIGKILL)
        kept.start()
    assert replace(kept, weigh(API, 2))["changed"]


def test_only_admins_change_it(kept):
    if os.geteuid() != 0:
        pytest.skip("root alone can be another user")
    code = f"""
import sys; sys.path.insert(0, {os.path.dirname(__file__)!r})
from conftest import *
d = Daemon(pathlib.Path({str(kept.folder)!r}))
print(json.dumps([d.get('/v1/configuration').status, d.get('/v1/configuration/versions').status,
  d.get('/v1/configuration/versions/0').status, d.post('/v1/configuration/check', {API!r}).status,
  d.post('/v1/configuration/difference', {API!r}).status,
  d.ask('PUT', '/v1/configuration', b'x', {{'If-Match': '"0"'}}).status,
  d.post('/v1/configuration/versions/0/restore').status]))
"""
    said = subprocess.run(["/usr/bin/python3", "-c", code], capture_output=True, text=True, user=4000, group=4000,
                          extra_groups=[], cwd="/", env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
    assert said.returncode == 0, said.stderr
    assert json.loads(said.stdout) == [200, 200, 200, 200, 200, 403, 403]


# --- at once ---

def test_of_two_with_one_version_one_wins(either):
    """Whether they come in one turn of the loop or one after the other."""
    for round_ in range(20):
        version = got(either)["version"]
        said = {}

        def send(n):
            said[n] = put(either, weigh(either.text, 2 + 2 * round_ + n), version)

        threads = [threading.Thread(target=send, args=(n,)) for n in (0, 1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(a.status for a in said.values()) == [200, 412], [a.text for a in said.values()]
        winner = next(n for n in said if said[n].status == 200)
        assert got(either)["text"] == weigh(either.text, 2 + 2 * round_ + winner)
        assert weight(either) == 2 + 2 * round_ + winner


def test_replaced_while_much_is_asked(either):
    """1,000 requests beside 20 changes: each is answered, none sees half of a change."""
    failed, over = [], threading.Event()
    texts = {0: either.text}

    def ask(n):
        for i in range(125):
            try:
                answer = either.get("/v1/configuration") if i % 3 else either.get("/v1/queues")
                if answer.status != 200:
                    failed.append(answer.text)
                elif i % 3 and weigh(either.text, 1) == answer.json()["text"]:
                    failed.append("a text that nobody has put")
                elif i % 3 and f'"{answer.json()["version"]}"' != answer.headers["ETag"]:
                    failed.append("two versions in one answer")
                elif i % 3:
                    text, version = answer.json()["text"], answer.json()["version"]
                    if texts.setdefault(version, text) != text:
                        failed.append(f"version {version} is two texts")
            except Exception as e:  # whatever it is, it fails the test
                failed.append(repr(e))

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for n in range(2, 22):
        assert replace(either, weigh(either.text, n))["changed"]
        either.submit("true")
    for thread in threads:
        thread.join()
    over.set()
    assert not failed, failed[:3]
    assert got(either)["text"] == weigh(either.text, 21) and len(versions(either)) == 21


# --- restarts, kills, backups ---

@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_it_is_the_same_after_a_restart(kept, how):
    """The file does not count any more, but what the file alone decides; and the log says so."""
    replace(kept, weigh(API, 3), "first")
    replace(kept, weigh(API, 4), "second")
    before, all_ = got(kept), versions(kept)
    write(kept, weigh(API, 9).replace("limits", "limits"))
    kept.stop(how)
    kept.start()
    assert got(kept) == before and versions(kept) == all_ and weight(kept) == 4
    said = f"the configuration is version {before['version']} of the database, and its file is another one"
    kept.until(lambda: said in kept.said(), "the log says so")
    assert replace(kept, weigh(API, 5))["changed"]


def test_killed_at_once_it_begins_with_the_newest_version(kept):
    """Its row is in the journal, and not in the tables: its settings count, and the log has its number."""
    write(kept, weigh(API, 100))
    for most in (8192, 16384, 32768, 65536):
        version = replace(kept, API.replace("  jobs:", f"  limits: {{bodyBytes: {most}}}\n  jobs:", 1))["version"]
        kept.stop(signal.SIGKILL)
        said = len(kept.said())
        kept.start()
        kept.until(lambda: f"is version {version} of the database" in kept.said()[said:], "the log says so")
        assert [kept.post("/v1/jobs", b" " * n).status for n in (most, most + 1)] == [400, 413]


def test_killed_at_once_the_log_says_what_counts_later(kept):
    """Runs go on with the limit of output that was known before the journal was read."""
    version = replace(kept, API.replace("jobs: {grace: 1s}", "jobs: {grace: 1s, outputLimit: 10}", 1))["version"]
    kept.stop(signal.SIGKILL)
    on_disk(kept, f"DELETE FROM settings WHERE name LIKE '%{version:020}'")  # as when it is killed before that batch
    said = "count from the next start on: .spec.jobs.outputLimit\n"
    before = kept.said().count(said)
    kept.start()
    assert kept.said().count(said) == before + 1
    kept.stop()
    kept.start()
    assert kept.said().count(said) == before + 1


def test_the_seed_is_no_other_one(kept):
    kept.stop()
    kept.start()
    assert "its file is another one" not in kept.said()


def test_back_to_files(kept):
    """And to the database again, from the files."""
    replace(kept, weigh(API, 3))
    write(kept, weigh(CONFIG, 7))
    kept.stop()
    kept.start()
    kept.until(lambda: (got(kept)["kept"], weight(kept)) == ("file", 7), "the files count")
    assert put(kept, API, match="*").status == 409
    write(kept, weigh(API, 8))
    assert kept.post("/v1/reload").status == 200
    assert (got(kept)["kept"], weight(kept)) == ("api", 8)
    assert replace(kept, weigh(API, 9))["changed"]
    kept.stop(signal.SIGKILL)
    kept.start()
    assert weight(kept) == 9


def test_killed_while_it_is_replaced(kept):
    """Old or new, whole; and an acknowledged one is never lost."""
    kills = int(os.environ.get("FAIRLEAD_KILLS", "12"))
    last = API
    for n in range(kills):
        wanted, said = weigh(API, 2 + n), []

        def send():
            try:
                said.append(put(kept, wanted, match="*").status)
            except OSError:
                pass
            except Exception as e:  # the answer was cut off
                assert "Remote" in repr(e) or "Incomplete" in repr(e) or "BadStatus" in repr(e), repr(e)

        thread = threading.Thread(target=send)
        thread.start()
        time.sleep(0.0005 * (n % 24))
        kept.stop(signal.SIGKILL)
        thread.join()
        kept.start()
        is_ = got(kept)
        assert is_["text"] in (last, wanted)
        assert said != [200] or is_["text"] == wanted, "it was acknowledged"
        expected = int(is_["text"].split("weight: ")[1].split("}")[0]) if "weight" in is_["text"] else 1
        assert weight(kept) == expected, "what decides is what is told"
        assert versions(kept)[0]["version"] == is_["version"]
        last = is_["text"]


def start_afresh(daemon):
    spoil_image(daemon)
    daemon.start()


def test_without_an_image_it_is_that_of_the_database(kept):
    """The policy begins afresh, with the configuration that was put."""
    replace(kept, weigh(API, 3))
    kept.stop(signal.SIGKILL)
    start_afresh(kept)
    assert "begins without history" in kept.said()
    assert got(kept)["text"] == weigh(API, 3) and weight(kept) == 3 and got(kept)["why"] is None


@pytest.mark.parametrize("when", ["at once", "later", "when the job has ended"])
def test_without_an_image_a_refused_one_does_not_come_back(kept, when):
    """Its row is in the journal, as what is written before it is known whether it can be."""
    version = replace(kept, weigh(API, 3))["version"]
    job = kept.submit("sleep", "100", queue="other")
    kept.wait(job, "runs")
    assert put(kept, without_other(), version=version).status in (400, 409)
    if when != "at once":
        kept.wait(kept.submit("true"))
    if when == "when the job has ended":
        kept.post(f"/v1/jobs/{job}/cancel")
        kept.wait(job)
    kept.stop(signal.SIGKILL if when == "at once" else signal.SIGTERM)
    start_afresh(kept)
    assert "begins without history" in kept.said()
    assert (got(kept)["version"], got(kept)["text"], weight(kept)) == (version, weigh(API, 3), 3)
    assert [v["version"] for v in versions(kept)] == [version, 0]


def test_without_an_image_another_policy_does_not_come_into_force(kept):
    """It was refused: it cannot take over what the one before it knows."""
    refused = put(kept, API.replace("  jobs:", "  policy: drf\n  jobs:", 1), version=0)
    assert refused.status in (400, 409) and "policy" in refused.text, refused.text
    kept.stop(signal.SIGKILL)
    start_afresh(kept)
    assert "begins without history" in kept.said()
    assert (got(kept)["version"], got(kept)["text"]) == (0, API)


def test_without_an_image_a_changed_file_is_a_version(daemon):
    """As with one: its number never stands for two texts."""
    text = weigh(CONFIG, 3)
    daemon.stop()
    write(daemon, text)
    start_afresh(daemon)
    daemon.until(lambda: got(daemon)["version"] > 0, "it is a version")
    assert got(daemon)["text"] == text and [v["how"] for v in versions(daemon)] == ["start", "start"]
    assert daemon.get("/v1/configuration/versions/0").json()["text"] == CONFIG
    daemon.until(lambda: rows(daemon, "SELECT 1 FROM events WHERE kind = 'Configured'"), "it is told")
    before = got(daemon)
    daemon.stop()
    start_afresh(daemon)
    daemon.wait(daemon.submit("true"))
    assert got(daemon) == before and len(versions(daemon)) == 2


def fail_to_start(daemon):
    """After its image is written: it may not open as many files as its limits want."""
    args = [os.environ["FAIRLEADD"], "--state", daemon.state, "--socket", daemon.socket, "--config", daemon.config]
    failed = subprocess.run(["sh", "-c", 'ulimit -n 300; exec "$@"', "sh", *args, *AS_ROOT], cwd=daemon.folder,
                            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=DEADLINE)
    assert failed.returncode and "limits.connections is 400" in failed.stderr, failed.stderr


def test_an_image_of_a_start_that_failed_is_not_ahead_of_the_tables(daemon):
    """A start without an image writes one before it listens: what it read from the journal and the files is kept."""
    assert daemon.post("/v1/tokens", {"name": "ci", "role": "admin"}).status in (200, 201)
    daemon.stop(signal.SIGKILL)
    on_disk(daemon, "DELETE FROM tokens")  # as when it is killed before the batch that writes it
    spoil_image(daemon)
    text = weigh(daemon.config.read_text(), 3).replace("  jobs:", "  limits: {connections: 400}\n  jobs:", 1)
    write(daemon, text)
    fail_to_start(daemon)
    daemon.start()
    assert "begins without history" not in daemon.said(), "the image is that of the start that failed"
    daemon.until(lambda: got(daemon)["version"] > 0, "it is a version")
    assert got(daemon)["text"] == text and [v["how"] for v in versions(daemon)] == ["start", "start"]
    assert [t["name"] for t in daemon.get("/v1/tokens").json()["tokens"]] == ["ci"]
    before = got(daemon)
    daemon.stop()
    daemon.start()
    daemon.wait(daemon.submit("true"))
    assert got(daemon) == before and len(versions(daemon)) == 2


@pytest.mark.parametrize("image", [True, False])
def test_the_warnings_of_a_start_are_those_of_what_will_count(daemon, image):
    """A file that was changed meanwhile is on its way as a row, and the one before is in force until then."""
    assert "warning:" not in daemon.said()
    daemon.stop()
    write(daemon, CONFIG + "---\napiVersion: v1\nkind: Strange\nmetadata: {name: s}\n")
    daemon.start() if image else start_afresh(daemon)
    assert daemon.said().count("warning:") == 1 and "Strange" in daemon.said()
    write(daemon, CONFIG)
    daemon.stop()
    said = len(daemon.said())
    daemon.start()
    assert "warning:" not in daemon.said()[said:]


def test_a_backup_has_it(kept, tmp_path):
    replace(kept, weigh(API, 3), "kept")
    before, all_ = got(kept), versions(kept)
    assert kept.post(f"/v1/backup?to={tmp_path}/backup").status == 200
    replace(kept, weigh(API, 4))
    end(kept)
    made = subprocess.run([os.environ["FAIRLEADD"], "--restore", f"{tmp_path}/backup", "--state", f"{tmp_path}/again",
                           "--config", str(kept.config)], capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    other = Daemon(tmp_path, kept.config)
    other.state = tmp_path / "again"
    other.start()
    try:
        assert got(other) == before and versions(other) == all_ and weight(other) == 3
    finally:
        end(other)


# --- versions ---

def test_versions_are_restored(kept):
    first = replace(kept, weigh(API, 3), "three")["version"]
    replace(kept, weigh(API, 4), "four")
    present = got(kept)["version"]
    stale = kept.ask("POST", f"/v1/configuration/versions/{first}/restore", b"", {"If-Match": f'"{first}"'})
    assert stale.status == 412 and weight(kept) == 4
    answer = kept.ask("POST", f"/v1/configuration/versions/{first}/restore?reason=too%20much", b"",
                      {"If-Match": f'"{present}"'})
    assert answer.status == 200 and answer.json()["why"] == f"version {first}: too much"
    assert answer.json()["how"] == "restore" and weight(kept) == 3 and got(kept)["text"] == weigh(API, 3)
    assert kept.post("/v1/configuration/versions/0/restore").status == 200
    assert weight(kept) == 1
    missing = kept.post("/v1/configuration/versions/4711/restore")
    assert missing.status == 404 and "4711" in missing.error
    assert [v["how"] for v in versions(kept)] == ["restore", "restore", "put", "put", "start"]
    assert kept.get(f"/v1/configuration/versions/{first}").json()["text"] == weigh(API, 3)
    kept.until(lambda: [a["status"] for a in kept.get("/v1/audit").json()["audit"] if a["action"] == "restore"] ==
               [404, 200, 200, 412], "those that were refused, too")


def test_one_of_the_time_of_files_has_to_say_so(daemon):
    """It would take the configuration out of the database."""
    write(daemon, API)
    assert daemon.post("/v1/reload").status == 200
    refused = daemon.post("/v1/configuration/versions/0/restore")
    assert refused.status == 400 and "configuration: api" in refused.error


def test_the_last_hundred_are_kept(kept):
    """Whatever of the journal has expired."""
    made = [replace(kept, weigh(API, 2 + n))["version"] for n in range(101)]
    assert len(versions(kept)) == 100
    assert [v["version"] for v in versions(kept)] == made[::-1][:100]
    oldest = kept.get(f"/v1/configuration/versions/{made[1]}")
    assert oldest.status == 200 and oldest.json()["text"] == weigh(API, 3)


# --- the command ---

def say(daemon, *args, stdin=None):
    return subprocess.run([os.environ["FAIRLEAD"], "configuration", *args, "--socket", str(daemon.socket)], input=stdin,
                          capture_output=True, text=True, timeout=60)


def test_the_command(kept, tmp_path):
    """What is got is edited and set; of two who do so the second one is refused."""
    one = say(kept, "get")
    assert one.returncode == 0 and one.stdout == API + "# fairlead configuration, version 0\n", one.stderr
    (tmp_path / "a.yaml").write_text(weigh(one.stdout, 3))
    check = say(kept, "check", f"{tmp_path}/a.yaml")
    assert (check.returncode, check.stdout) == (0, "the configuration is valid, and could be applied now\n"), check.stderr
    diff = say(kept, "diff", f"{tmp_path}/a.yaml")
    assert diff.returncode == 0 and "change ClusterQueue/default (configuration:13)" in diff.stdout, diff.stderr
    set_ = say(kept, "set", f"{tmp_path}/a.yaml", "--reason", "three for all")
    number = got(kept)["version"]
    assert set_.returncode == 0 and weight(kept) == 3, set_.stderr
    assert set_.stdout.startswith(f"version {number}, put by ") and set_.stdout.endswith(": three for all\n")
    assert got(kept)["text"] == weigh(API, 3), "without the comment"
    late = say(kept, "set", "-", stdin=weigh(one.stdout, 5))
    assert late.returncode == 1 and f"it is version {number} now" in late.stderr and weight(kept) == 3
    unnamed = say(kept, "set", "-", stdin=weigh(API, 5))
    assert unnamed.returncode == 0 and weight(kept) == 5, "without the comment it is the present one"
    same = say(kept, "set", "-", stdin=say(kept, "get").stdout)
    assert same.returncode == 0 and "nothing has changed" in same.stdout
    listed = say(kept, "versions").stdout.splitlines()
    assert len(listed) == 3 and listed[1] == set_.stdout.strip() and listed[2].startswith("version 0, start, ")
    back = say(kept, "restore", str(number), "--reason", "five was too much")
    assert back.returncode == 0 and f": version {number}: five was too much" in back.stdout and weight(kept) == 3
    assert say(kept, "get", "0").stdout == one.stdout
    answer = json.loads(say(kept, "get", "-o", "json").stdout)
    assert answer["kind"] == "ConfigurationVersion" and answer["text"] == weigh(API, 3)


def test_the_command_says_where_it_is_wrong(kept, tmp_path):
    text = say(kept, "get").stdout.replace("configuration: api", "configuration: apis")
    wrong = say(kept, "check", "-", stdin=text)
    assert wrong.returncode == 1 and wrong.stderr.startswith("configuration:5:18: error: "), wrong.stderr
    said = say(kept, "check", "-", "-o", "json", stdin=text)
    assert said.returncode == 1 and not json.loads(said.stdout)["ok"]
    for action in ("set", "diff"):
        refused = say(kept, action, "-", stdin=text)
        assert refused.returncode == 1 and "configuration:5:18: " in refused.stderr, refused.stderr
    assert say(kept, "set", "-", stdin=CONFIG).returncode == 1
    odd = say(kept, "check", "-", stdin=API.replace("cohortName", "cohortNames", 1))
    assert odd.returncode == 0 and "warning: " in odd.stderr and "valid" in odd.stdout
    missing = say(kept, "set", f"{tmp_path}/none.yaml")
    assert missing.returncode == 1 and "none.yaml" in missing.stderr


@pytest.mark.parametrize("args, said", [
    (["sett"], "did you mean 'set'?"), (["zzzzzzzz"], "get, check, diff, set, versions, restore"), ([], "is missing"),
    (["set"], "needs a FILE"), (["check"], "needs a FILE"), (["restore"], "needs the number of a version"),
    (["restore", "x"], "'x' is not the number of a version"), (["get", "-1"], "-1"),
    (["versions", "3"], "takes nothing behind it"), (["set", "a", "b"], "b"),
])
def test_the_command_used_in_a_wrong_way(shared, args, said):
    r = say(shared, *args)
    assert (r.returncode, r.stdout) == (2, "") and said in r.stderr, r.stderr
