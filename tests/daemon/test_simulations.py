# SPDX-License-Identifier: Apache-2.0
"""Simulations as jobs of the daemon: from the live state, in copies of the process that cannot harm it."""
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import time

import pytest

from conftest import DEADLINE, Daemon, end, write_config
from test_isolation import is_stopped, root_only
from test_spawn import as_user
from test_tokens import ask as ask_far
from test_tokens import listening, make


def copies(daemon):
    """Processes that the daemon has made of itself and that live; not the one that starts jobs."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            stat = (path / "stat").read_text().rpartition(")")[2].split()
            name = (path / "comm").read_text().strip()
        except OSError:
            continue
        if stat[1] == str(daemon.process.pid) and stat[0] != "Z" and name == "fairleadd":
            found.append(int(path.name))
    return found


def begin(daemon, query="", body=None):
    answer = daemon.post("/v1/simulations" + query, body)
    assert answer.status == 202, answer.text
    begun = answer.json()
    assert begun["state"] == "running" and answer.headers["Location"] == f"/v1/simulations/{begun['id']}"
    return begun["id"]


def of(daemon, number):
    answer = daemon.get(f"/v1/simulations/{number}")
    assert answer.status == 200, answer.text
    return answer.json()


def ended(daemon, number):
    return daemon.until(lambda: (s := of(daemon, number))["state"] != "running" and s, "it has ended")


def report(daemon, number):
    answer = daemon.get(f"/v1/simulations/{number}/report?format=json")
    assert answer.status == 200, answer.text
    return answer.json()


@pytest.fixture(scope="module")
def busy(tmp_path_factory):
    """A job that runs, and one that is pending until it ends."""
    folder = tmp_path_factory.mktemp("daemon")
    config = write_config(folder)
    config.write_text(config.read_text().replace("  jobs:", "  limits: {jobsPerUser: 100000}\n  jobs:"))
    daemon = Daemon(folder, config).start()
    daemon.submit("sleep", "1000", requests={"cpu": "3"}, timeLimit="1h")
    daemon.submit("sleep", "1000", requests={"cpu": "3"}, timeLimit="1h", queue="other")
    yield daemon
    end(daemon)


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    """With so many pending jobs that a simulation takes a while; and tokens may ask it."""
    folder = tmp_path_factory.mktemp("daemon")
    daemon = Daemon(folder, listening(folder)).start()
    daemon.submit("sleep", "1000", requests={"cpu": "4"})
    many = daemon.submit("true", requests={"cpu": "4"}, timeLimit="1h", array=10000)
    yield daemon
    daemon.post("/v1/jobs/cancel", {"jobs": f"{many[0]}[]"})
    end(daemon)


def stop_copy(daemon, before, is_running):
    """The copy that has come, and stands still before it has ended; None: it has ended before."""
    while is_running():
        for new in set(copies(daemon)) - before:
            try:
                # It is bound to its daemon before it gives way to others.
                while os.getpriority(os.PRIO_PROCESS, new) == 0:
                    time.sleep(0.001)
                os.kill(new, signal.SIGSTOP)
            except ProcessLookupError:
                continue
            daemon.until(lambda n=new: is_stopped(n) or n not in copies(daemon), "it stands still, or has ended")
            if is_stopped(new) and is_running():
                return new
        time.sleep(0.002)
    return None


def begin_and_stop(daemon, ask):
    """The answer to who begins a simulation, and its copy: again, where that has ended too early."""
    end = time.monotonic() + DEADLINE
    while True:
        before = set(copies(daemon))
        status, text = ask()
        if status != 202:
            return status, text, None
        number = json.loads(text)["id"]
        copy = stop_copy(daemon, before, lambda: of(daemon, number)["state"] == "running")
        if copy:
            return status, text, copy
        assert daemon.ask("DELETE", f"/v1/simulations/{number}").status == 200
        assert time.monotonic() < end, "each simulation ended before it could be stopped"


@pytest.fixture
def stopped(full):
    """Begins a simulation whose copy stands still, until it is told to go on; its number and process."""
    def stopped_one():
        status, text, copy = begin_and_stop(full, lambda: ((a := full.post("/v1/simulations?horizon=366d")).status, a.text))
        assert status == 202, text
        return json.loads(text)["id"], copy

    yield stopped_one
    for one in full.get("/v1/simulations").json()["simulations"]:
        full.ask("DELETE", f"/v1/simulations/{one['id']}")
    full.until(lambda: not copies(full), "no copy is left")


def test_from_the_live_state(busy):
    number = begin(busy, "?horizon=12h&seed=7&arrivals=0")
    done = ended(busy, number)
    assert (done["state"], done["progress"], done["error"]) == ("done", 1, None)
    assert (done["horizonSeconds"], done["seed"], done["arrivals"]) == (43200, 7, False)
    assert done["endedAt"] and done["reportBytes"] > 0
    said = report(busy, number)
    assert said["kind"] == "SimulationReport" and said["seed"] == 7
    assert said["totals"]["jobs"] == 2 == said["totals"]["finished"]
    assert 60 < said["totals"]["wait"]["max"] <= 3600, "one waits for the end of the other, within its limit"
    text = busy.get(f"/v1/simulations/{number}/report").text
    assert "no new jobs come" in text and "2 finished" in text
    page = busy.get(f"/v1/simulations/{number}/report?format=html")
    assert page.headers["Content-Type"].startswith("text/html") and "SimulationReport" in page.text
    assert number in [s["id"] for s in busy.get("/v1/simulations").json()["simulations"]]


def test_jobs_come_as_they_came_lately(busy):
    number = ended(busy, begin(busy, "?horizon=1d&seed=3"))["id"]
    assert report(busy, number)["totals"]["jobs"] > 2
    assert "jobs that came lately come again, at other times" in busy.get(f"/v1/simulations/{number}/report").text


def test_with_changes(busy):
    """A queue that is held starts nothing; the state stays as it is."""
    held = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ClusterQueue", "metadata": {"name": "other"},
            "spec": {"stopPolicy": "Hold"}}
    for query, body in [("", held), ("&set=ClusterQueue/other:%20spec.stopPolicy=Hold", None)]:
        number = begin(busy, "?horizon=12h&arrivals=0" + query, body)
        assert ended(busy, number)["state"] == "done"
        totals = report(busy, number)["totals"]
        assert (totals["finished"], totals["waiting"] + totals["excluded"]) == (1, 1), totals
    assert len(busy.get("/v1/jobs?state=waits").json()["jobs"]) == 1
    assert report(busy, ended(busy, begin(busy, "?horizon=12h&arrivals=0"))["id"])["totals"]["finished"] == 2


LOG = "; UnixStartTime: 1000000000\n" + "".join(
    f"{i} {60 * i} 0 {600 + i} {1 + i % 2} -1 -1 {1 + i % 2} 900 -1 1 {i % 4} 1 1 1 1 -1 -1\n" for i in range(1, 51))


def test_jobs_of_a_trace(busy):
    """They come to the machine as it is, at the times of the log; those of the daemon are not there, and go on."""
    before = busy.get("/v1/jobs").json()["jobs"]
    done = ended(busy, begin(busy, "?trace=swf&queue=other", LOG))
    assert (done["state"], done["error"], done["horizonSeconds"]) == ("done", None, None), done
    assert (done["trace"], done["arrivals"]) == (True, False)
    said = report(busy, done["id"])
    assert (said["totals"]["jobs"], said["totals"]["finished"]) == (50, 50)
    assert "2001-09-09" in busy.get(f"/v1/simulations/{done['id']}/report").text
    assert "the jobs are those of the trace that was sent" in busy.get(f"/v1/simulations/{done['id']}/report").text
    # Half an hour of it, while the queue starts nothing.
    held = ended(busy, begin(busy, "?trace=swf&queue=other&horizon=30m&set=ClusterQueue/other:%20stopPolicy=Hold", LOG))
    totals = report(busy, held["id"])["totals"]
    assert held["horizonSeconds"] == 1800 and totals["finished"] == 0, totals
    assert [job["id"] for job in busy.get("/v1/jobs").json()["jobs"]] == [job["id"] for job in before]


@pytest.mark.parametrize("queue, log, text", [
    ("nosuch", LOG, "there is no queue 'nosuch'"),
    ("other", LOG + "hello 7\n", "line 52: field 1, job number: 'hello' is not a number"),
    ("team-%7Buser%7D", LOG, "there is no queue 'team-1'"),
])
def test_a_trace_that_is_wrong(busy, queue, log, text):
    failed = ended(busy, begin(busy, f"?trace=swf&queue={queue}", log))
    assert failed["state"] == "failed" and text in failed["error"]["text"], failed


@pytest.mark.parametrize("query, body, status, text", [
    ("?trace=csv&queue=other", LOG, 400, "'trace' is not 'swf'"),
    ("?trace=swf", LOG, 400, "'queue' is missing"),
    ("?trace=swf&queue=other", None, 400, "the body is empty"),
    ("?horizon=x", None, 400, "'horizon' is not a length of time"),
    ("?horizon=0s", None, 400, "'horizon' is more than 0 and at most 366d"),
    ("?horizon=367d", None, 400, "'horizon' is more than 0 and at most 366d"),
    ("?seed=-1", None, 400, "'seed' is not a number"),
    ("?horizn=1d", None, 400, "'horizn' is not an argument"),
    ("", "kind: [", 400, ""),
    ("", {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}}, 400, "changes objects of its trees only"),
    ("?set=x", None, 400, ""),
])
def test_refused(busy, query, body, status, text):
    before = busy.get("/v1/simulations").json()
    answer = busy.post("/v1/simulations" + query, body)
    assert answer.status == status and text in answer.text, answer.text
    assert busy.get("/v1/simulations").json() == before


def test_a_change_that_the_configuration_refuses(busy):
    number = begin(busy, "?delete=ClusterQueue/nosuch")
    failed = ended(busy, number)
    assert failed["state"] == "failed" and "nosuch" in failed["error"]["text"]
    answer = busy.get(f"/v1/simulations/{number}/report")
    assert answer.status == 409 and "nosuch" in answer.text


@pytest.mark.parametrize("method, path", [("GET", ""), ("DELETE", ""), ("GET", "/report")])
def test_unknown(busy, method, path):
    answer = busy.ask(method, f"/v1/simulations/999{path}")
    assert answer.status == 404 and "there is no simulation 999" in answer.text


def test_is_nice_and_confined(full, stopped):
    _, copy = stopped()
    stat = pathlib.Path(f"/proc/{copy}/stat").read_text().rpartition(")")[2].split()
    assert int(stat[16]) >= 10
    limits = pathlib.Path(f"/proc/{copy}/limits").read_text()
    of_memory = next(l for l in limits.splitlines() if l.startswith("Max address space"))
    of_time = next(l for l in limits.splitlines() if l.startswith("Max cpu time"))
    assert of_memory.split()[3].isdigit() and of_time.split()[3] == "600"


def test_cancelled_then_forgotten(full, stopped):
    number, copy = stopped()
    answer = full.get(f"/v1/simulations/{number}/report")
    assert answer.status == 409 and "has not ended" in answer.text
    answer = full.ask("DELETE", f"/v1/simulations/{number}")
    assert answer.status == 200 and answer.json()["state"] == "cancelled"
    assert not os.path.exists(f"/proc/{copy}")
    assert of(full, number)["state"] == "cancelled"
    assert full.get(f"/v1/simulations/{number}/report").status == 409
    assert full.ask("DELETE", f"/v1/simulations/{number}").status == 200
    assert full.get(f"/v1/simulations/{number}").status == 404


def test_killed_copy(full, stopped):
    number, copy = stopped()
    os.kill(copy, signal.SIGKILL)
    failed = ended(full, number)
    assert failed["state"] == "failed" and "was killed by signal 9" in failed["error"]["text"]
    assert full.get("/v1/health").json()["status"] == "ok"


def test_four_at_once(full, stopped):
    begun = [stopped()[0] for _ in range(4)]
    answer = full.post("/v1/simulations")
    assert answer.status == 429 and "four simulations run already" in answer.text
    assert full.get("/v1/plan").status == 200, "questions are limited for themselves"
    full.ask("DELETE", f"/v1/simulations/{begun[0]}")
    number, copy = stopped()
    os.kill(copy, signal.SIGCONT)
    assert ended(full, number)["state"] == "done"


@root_only
def test_two_of_one_user_whose_others_see_them(full, stopped):
    def ask(uid, method, path):
        said = as_user(uid, full, lambda one: json.dumps([(a := one.ask(method, path)).status, a.text]))
        return json.loads(said)

    def ask_and_stop(uid):
        return begin_and_stop(full, lambda: ask(uid, "POST", "/v1/simulations?horizon=366d"))[:2]

    first = json.loads(ask_and_stop(4001)[1])["id"]
    assert ask_and_stop(4001)[0] == 202
    status, text = ask_and_stop(4001)
    assert status == 429 and "two simulations of this user" in text
    assert ask(4002, "GET", f"/v1/simulations/{first}")[0] == 200
    for method, path in [("DELETE", ""), ("GET", "/report")]:
        status, text = ask(4002, method, f"/v1/simulations/{first}{path}")
        assert status == 403 and "belongs to another user" in text
    assert ask(4001, "DELETE", f"/v1/simulations/{first}")[0] == 200


def test_tokens_have_the_share_of_their_user(full, stopped):
    """Any role may ask, cancel and forget, as it changes nothing; all tokens of a user together have its two."""
    first, second = (make(full, f"sim-{role}", role=role)["token"] for role in ("read", "submit"))

    def begin_far(secret):
        ask = lambda: ((a := ask_far(full, secret, "POST", "/v1/simulations?horizon=366d")).status, a.text)  # noqa: E731
        return begin_and_stop(full, ask)[:2]

    begun = [begin_far(secret) for secret in (first, second)]
    assert [status for status, _ in begun] == [202, 202], begun
    for secret in (first, second):
        status, text = begin_far(secret)
        assert status == 429 and "two simulations of this user run already" in text
    number = json.loads(begun[1][1])["id"]
    assert ask_far(full, first, "DELETE", f"/v1/simulations/{number}").json()["state"] == "cancelled"
    assert begin_far(first)[0] == 202
    assert ask_far(full, first, "DELETE", f"/v1/simulations/{number}").status == 200
    assert full.get(f"/v1/simulations/{number}").status == 404


@root_only
def test_tokens_leave_simulations_of_others_alone(full, stopped):
    number, _ = stopped()
    secret = make(full, "sim-other", role="read", user="nobody")["token"]
    assert ask_far(full, secret, "GET", f"/v1/simulations/{number}").status == 200
    for method, path in [("DELETE", ""), ("GET", "/report")]:
        answer = ask_far(full, secret, method, f"/v1/simulations/{number}{path}")
        assert answer.status == 403 and "belongs to another user" in answer.text


def nine_of_ten(daemon):
    """Seconds within which nine of ten answers come."""
    times = []
    for _ in range(50):
        began = time.monotonic()
        assert daemon.get("/v1/health").status == 200
        times.append(time.monotonic() - began)
    return sorted(times)[45]


def test_daemon_stays_quick(full, stopped):
    """While four copies compute, nothing waits for them: it answers as when they stand still, but for what else runs here."""
    these = [copy for _, copy in [stopped() for _ in range(4)]]
    least = 2 if os.environ.get("FAIRLEAD_SANITIZED") else 0.25
    for last in (False, False, False, True):  # what else the machine does may hold up some of them
        alone = nine_of_ten(full)
        for copy in these:
            with contextlib.suppress(ProcessLookupError):
                os.kill(copy, signal.SIGCONT)
        beside = nine_of_ten(full)
        if beside < max(least, 3 * alone):
            break
        assert not last, (alone, beside)
        for copy in set(these) & set(copies(full)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(copy, signal.SIGSTOP)


@pytest.mark.skipif(bool(os.environ.get("FAIRLEAD_SANITIZED")), reason="without memory the sanitizer waits for itself, for ever")
def test_memory_that_is_not_enough(tmp_path):
    config = write_config(tmp_path)
    config.write_text(config.read_text().replace(
        "  jobs:", "  limits: {simulationBytes: 1Mi, jobsPerUser: 100000}\n  jobs:"))
    daemon = Daemon(tmp_path, config).start()
    try:
        many = daemon.submit("true", requests={"cpu": "5"}, timeLimit="1h", array=6000)
        failed = ended(daemon, begin(daemon))
        assert failed["state"] == "failed" and "memory" in failed["error"]["text"], failed
        assert "simulationBytes" in failed["error"]["hint"]
        assert daemon.get("/v1/health").json()["status"] == "ok"
        assert daemon.get("/v1/plan").status == 200
        daemon.post("/v1/jobs/cancel", {"jobs": f"{many[0]}[]"})
    finally:
        end(daemon)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_of_them(tmp_path, how):
    daemon = Daemon(tmp_path, write_config(tmp_path)).start()
    many = daemon.submit("true", requests={"cpu": "5"}, timeLimit="1h", array=6000)
    post = lambda: ((a := daemon.post("/v1/simulations?horizon=366d")).status, a.text)  # noqa: E731
    _, _, copy = begin_and_stop(daemon, post)
    daemon.stop(how)
    daemon.until(lambda: not os.path.exists(f"/proc/{copy}"), "it is gone, too")
    daemon.start()
    try:
        assert daemon.get("/v1/simulations").json() == {"simulations": []}
        assert sorted(p.name for p in (tmp_path / "state").glob("*simul*")) == []
        daemon.post("/v1/jobs/cancel", {"jobs": f"{many[0]}[]"})
    finally:
        end(daemon)


# --- the verb ---

def fairlead(daemon, *args, **more):
    return subprocess.run([os.environ["FAIRLEAD"], "simulate", "--socket", daemon.socket, *args],
                          capture_output=True, text=True, timeout=60, **more)


def test_verb(busy):
    before = busy.get("/v1/simulations").json()
    done = fairlead(busy, "--until", "12h", "--seed", "4", "--no-arrivals")
    assert done.returncode == 0 and "2 finished" in done.stdout, done.stderr
    said = json.loads(fairlead(busy, "--until", "12h", "-o", "json", "--no-arrivals", "--set",
                               "ClusterQueue/other: fairSharing.weight=2").stdout)
    assert said["kind"] == "SimulationReport" and said["seconds"] <= 43200
    assert busy.get("/v1/simulations").json() == before, "they are forgotten"


@pytest.mark.parametrize("args, code, text", [
    (["--out", "x"], 2, "--out needs an input"),
    (["--from-snapshot"], 2, "--from-snapshot needs an input"),
    (["--until", "400d"], 1, "'horizon' is more than 0 and at most 366d"),
    (["--delete", "ClusterQueue/nosuch"], 1, "nosuch"),
    (["-f", "/dev/null", "--no-arrivals"], 2, "are of the daemon's state"),
])
def test_verb_refuses(busy, args, code, text):
    done = fairlead(busy, *args)
    assert done.returncode == code and text in done.stderr, done


def test_verb_is_cancelled(full, stopped):
    """Ctrl-C: the copy is gone, too."""
    copy, end = None, time.monotonic() + DEADLINE
    while not copy:
        assert time.monotonic() < end, "each simulation ended before it could be stopped"
        before = set(copies(full))
        verb = subprocess.Popen([os.environ["FAIRLEAD"], "simulate", "--socket", full.socket, "--until", "366d"],
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        copy = stop_copy(full, before, lambda v=verb: v.poll() is None)
    time.sleep(0.3)
    verb.send_signal(signal.SIGINT)
    assert verb.wait(DEADLINE) == 1
    full.until(lambda: not os.path.exists(f"/proc/{copy}"), "it is gone")


def test_jobs_are_told_by_their_names(daemon):
    """Of jobs that come again; they have more names than the queues and the rest of the configuration."""
    names = [f"job-{i:03}" for i in range(150)]
    answer = daemon.post("/v1/jobs", {"jobs": [{"queue": "default", "name": name, "command": ["true"], "directory": "/",
                                       "requests": {"cpu": "100m"}} for name in names]})
    assert answer.status == 201, answer.text
    daemon.until(lambda: not daemon.get("/v1/jobs").json()["jobs"], "all are over")
    number = begin(daemon, "?horizon=2d&all=1")
    assert ended(daemon, number)["state"] == "done"
    told = report(daemon, number)
    assert told["name"] == "From the present state"
    assert [one["name"] for one in told["classes"] if one["name"].startswith("job-")] == names
    text = daemon.get(f"/v1/simulations/{number}/report").text
    assert "\njob-000 " in text and "\njob-149 " in text
