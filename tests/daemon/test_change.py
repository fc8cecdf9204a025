# SPDX-License-Identifier: Apache-2.0
"""What people change of jobs that exist: many of them in one request, held ones, updates, requeues."""
import json
import os
import pwd
import signal
import subprocess

import pytest

from conftest import SOURCE, end, ms, processor_seconds  # noqa: F401
from test_isolation import root_only, somebody, spec

ME = pwd.getpwuid(os.geteuid()).pw_name
# Says which signals it gets, and goes on; it ends when `end` exists.
HEARS = """\
import os, pathlib, signal, time
out = open("heard", "a", buffering=1)
for name in ("USR1", "USR2", "HUP"):
    signal.signal(getattr(signal, "SIG" + name), lambda n, f: out.write(f"{n}\\n"))
pathlib.Path("ready").touch()
while not os.path.exists("end"):
    time.sleep(0.01)
"""

PENDING = {"waits", "starts"}  # of a job for which there is room, when the answer is written
MOVES = {"now": None, "waitedSeconds": None}  # of a job: what time alone changes


def many(daemon, what, **body):
    return daemon.post(f"/v1/jobs/{what}", body)


def outcome(answer):
    """By job: its state, or why nothing was done."""
    assert answer.status == 200, answer.text
    said = answer.json()
    rows = {row["job"]: row.get("state") or row["error"]["text"] for row in said["jobs"]}
    assert said["done"] + said["refused"] == len(rows)
    assert said["refused"] == sum("error" in row for row in said["jobs"])
    return rows


def events(daemon, number, *kinds):
    lines = daemon.get(f"/v1/events?job={number}&limit=1000").text.splitlines()
    return [one for one in map(json.loads, lines) if not kinds or one["kind"] in kinds]


def restarted(daemon):
    daemon.stop(signal.SIGKILL)
    daemon.start()


@pytest.fixture
def ask(daemon, tmp_path):
    def run(*args):
        done = subprocess.run([os.environ["FAIRLEAD"], *args], cwd=tmp_path, capture_output=True, timeout=60,
                              stdin=subprocess.DEVNULL, text=True, check=False,
                              env={**os.environ, **daemon.reached, "LC_ALL": "C.UTF-8",
                                   "FAIRLEAD_QUEUE": "default"})
        return done.returncode, done.stdout, done.stderr

    return run


# --- many jobs in one request ---

def test_lists_and_filters(daemon):
    """Each is found by what it is; all that is said holds together."""
    jobs = {}
    for name, more in {"a": {"queue": "other"}, "b": {"name": "train"}, "c": {"name": "train", "queue": "other"},
                       "d": {"command": ["/usr/bin/env", "true"]}}.items():
        jobs[name] = daemon.submit(**{"hold": True, **more})
    runs = daemon.submit("sleep", "1000", name="train")
    array = daemon.submit(hold=True, array=3)
    daemon.wait(runs, "runs")
    every = [*jobs.values(), runs, *array]

    def found(**body):
        """Holding what is held, or runs, changes nothing."""
        rows = outcome(many(daemon, "hold", **body))
        assert set(rows.values()) <= {"held", "runs"}, rows
        assert daemon.post(f"/v1/jobs/{runs}/release").status == 200
        return sorted(rows)

    assert found(user=ME) == every
    assert found(name="train") == [jobs["b"], jobs["c"], runs]
    assert found(name="train", queue="other") == [jobs["c"]]
    assert found(name="env") == [jobs["d"]]  # that of its program
    assert found(state="RUNNING") == found(state="r") == found(state="runs,stops") == [runs]
    assert found(state="PENDING") == found(state="pd") == found(state="held") == [n for n in every if n != runs]
    assert found(state="PENDING", name="train", user=ME, queue="default") == [jobs["b"]]
    assert found(user="nobody") == found(queue="default", state="depends") == found(state="done") == []
    assert found(jobs=f"{array[0]}[]") == array
    before = processor_seconds(daemon)
    assert found(jobs=",".join(1000 * [f"{array[0]}[]"])) == array  # once each
    assert processor_seconds(daemon) - before < 1
    assert found(jobs=f"{jobs['a']},{array[0]}-{array[2]},{jobs['a']}") == [jobs["a"], *array]
    assert found(jobs=f"{jobs['a']}-{runs}", name="train") == [jobs["b"], jobs["c"], runs]
    assert outcome(many(daemon, "cancel", jobs=f"{array[1]},999-1000")) == {
        array[1]: "cancelled", 999: "there is no job 999", 1000: "there is no job 1000"}
    assert outcome(many(daemon, "cancel", jobs=str(array[1]))) == {array[1]: f"job {array[1]} has ended: cancelled"}
    assert outcome(many(daemon, "cancel", jobs=f"{array[0]}[]")) == {array[0]: "cancelled", array[2]: "cancelled"}
    assert outcome(many(daemon, "cancel", user=ME, state="PENDING")) == {n: "cancelled" for n in jobs.values()}
    assert outcome(many(daemon, "cancel", queue="default")) == {runs: "stops"}
    daemon.wait(runs, "cancelled")
    # One row of the audit log for each request, with the jobs.
    rows = daemon.get("/v1/audit?limit=3").json()["audit"]
    assert [row["subject"] for row in rows][:2] == [f"job {runs}", "jobs " + ", ".join(map(str, jobs.values()))]


BAD = [
    ("cancel", {}, "no job is named"),
    ("cancel", {"jobs": ""}, "'jobs' must be a text that is not empty"),
    ("cancel", {"jobs": 3}, "'jobs' must be a text that is not empty"),
    ("cancel", {"jobs": "x"}, "'x' is not a job"),
    ("cancel", {"jobs": "0"}, "'0' is not a job"),
    ("cancel", {"jobs": "3,,4"}, "'' is not a job"),
    ("cancel", {"jobs": "3,"}, "'3' is not a job"),
    ("cancel", {"jobs": "5-3"}, "'5-3' is not a job"),
    ("cancel", {"jobs": "-3"}, "'-3' is not a job"),
    ("cancel", {"jobs": "3[]4"}, "'3[]4' is not a job"),
    ("cancel", {"jobs": "99999999999999999999"}, "is not a job"),
    ("cancel", {"jobs": "1-20000"}, "'1-20000' are more than 10000 jobs"),
    ("cancel", {"jobs": "1-9000,10001-19000"}, "more than 10000 jobs"),
    ("cancel", {"jobs": ",".join(["1"] * 1001)}, "1000 numbers and ranges"),
    ("cancel", {"state": "sleeping"}, "there is no state 'sleeping'"),
    ("cancel", {"state": "waits,"}, "there is no state ''"),
    ("cancel", {"state": "x" * 500}, "there is no state 'xxx"),
    ("cancel", {"user": ["a"]}, "'user' must be a text"),
    ("cancel", {"usr": "a"}, "there is no field 'usr'"),
    ("cancel", {"jobs": "1", "stop": True}, "there is no field 'stop'"),
    ("cancel", {"jobs": "1", "signal": "WINCH"}, "'WINCH' is none of HUP, INT, KILL"),
    ("cancel", {"jobs": "1", "signal": 10}, "'signal' must be the name of a signal"),
    ("cancel", {"jobs": "1", "signal": "999"}, "'999' is none of"),
    ("cancel", {"jobs": "1", "after": -1}, "'after' must be the number of a job"),
    ("cancel", [], "must be a JSON object"),
    ("hold", {"jobs": "1", "stop": "yes"}, "'stop' must be true or false"),
    ("hold", {"jobs": "1", "reason": 7}, "must be a text, not a number"),
    ("hold", {"jobs": "1", "reason": "x" * 254}, "is longer than 253 bytes"),
    ("hold", {"jobs": "1", "reason": "a\x1b[31m"}, "control characters"),
    ("update", {"jobs": "1"}, "'set' is missing"),
    ("update", {"jobs": "1", "set": {}}, "must be an object with what is to change"),
    ("update", {"jobs": "1", "set": {"command": ["x"]}}, "'command' of a job cannot be changed"),
    ("update", {"jobs": "1", "set": {"uid": 0}}, "'uid' of a job cannot be changed"),
    ("update", {"jobs": "1", "set": {"first": {}}}, "'first' of a job cannot be changed"),
    ("update", {"jobs": "1", "set": {"priority": "high"}}, "must be a whole number"),
    ("update", {"jobs": "1", "set": {"priority": 2**31}}, "is not from"),
    ("update", {"jobs": "1", "set": {"timeLimit": "soon"}}, "timeLimit"),
    ("update", {"jobs": "1", "set": {"timeLimit": "0s"}}, "must be longer than 0"),
    ("update", {"jobs": "1", "set": {"name": ""}}, "must be a text that is not empty"),
    ("update", {"jobs": "1", "set": {"queue": None}}, "must be a text that is not empty"),
    ("update", {"jobs": "1", "set": {"after": [{"job": 0}]}}, "after[0]"),
    ("update", {"jobs": "1", "set": {"after": [{"job": 1}] * 17}}, "at most 16 others"),
    ("update", {"jobs": "1", "set": {"comment": "x" * 1024}}, "is longer than 1023 bytes"),
]


@pytest.mark.parametrize("what, body, text", BAD, ids=[f"{what}-{n}" for n, (what, _, _) in enumerate(BAD)])
def test_bad_requests(shared, what, body, text):
    """Refused as a whole, before any job is looked at."""
    number = shared.submit(hold=True)
    if isinstance(body, dict) and body.get("jobs") == "1":
        body = {**body, "jobs": str(number)}
    before = shared.job(number)
    answer = shared.post(f"/v1/jobs/{what}", body)
    assert answer.status == 400 and text in answer.error, answer.text
    assert {**shared.job(number), **MOVES} == {**before, **MOVES}
    assert many(shared, "cancel", jobs=str(number)).status == 200


def test_more_than_fit_into_one_answer(daemon):
    """The rest is asked for behind the last one."""
    first = daemon.submit(hold=True, array=6000)[0]
    daemon.submit(hold=True, array=6000)
    answer = many(daemon, "cancel", user=ME).json()
    assert (answer["done"], answer["refused"], answer["after"]) == (10000, 0, first + 9999)
    answer = many(daemon, "cancel", user=ME, after=answer["after"]).json()
    assert answer["done"] == 2000 and "after" not in answer
    assert not daemon.get("/v1/jobs").json()["jobs"]


@root_only
def test_other_users_jobs(daemon):
    (_, text), = somebody(daemon, ["POST", "/v1/jobs", spec()])
    theirs, mine = json.loads(text)["jobs"][0], daemon.submit(hold=True)
    user = daemon.job(theirs)["user"]
    said = somebody(daemon, ["POST", "/v1/jobs/cancel", {"jobs": f"{theirs}-{mine}", "signal": "USR1"}],
                    ["POST", "/v1/jobs/update", {"jobs": str(mine), "set": {"priority": -5}}],
                    ["POST", "/v1/jobs/hold", {"user": ME}],
                    ["POST", "/v1/jobs/cancel", {"state": "held"}])
    signal_, update, hold, cancel = [(status, json.loads(answer)) for status, answer in said]
    not_mine = "this job belongs to another user"
    assert [row["error"]["text"] for row in signal_[1]["jobs"]] == [f"job {theirs} does not run", not_mine]
    assert update[1]["jobs"] == hold[1]["jobs"] == [{"job": mine, "error": {"text": not_mine}}]
    assert cancel[1] == {"jobs": [{"job": theirs, "state": "cancelled"}], "done": 1, "refused": 0, "only": user}
    assert daemon.job(mine)["state"] == "held" and daemon.job(mine)["priority"] == 0
    assert daemon.get("/v1/audit?limit=3").json()["audit"][1]["subject"] == "no job; 1 refused"
    assert outcome(many(daemon, "cancel", state="PENDING")) == {mine: "cancelled"}


# --- signals ---

def test_signals(daemon):
    (daemon.folder / "hears.py").write_text(HEARS)
    heard = daemon.folder / "heard"
    number = daemon.submit("/usr/bin/python3", "hears.py")
    pending = daemon.submit(hold=True)
    daemon.until((daemon.folder / "ready").exists, "it listens")
    daemon.wait(number, "runs")
    assert outcome(many(daemon, "cancel", jobs=str(number), signal="USR1")) == {number: "runs"}
    daemon.until(lambda: heard.read_text() == "10\n", "it got the first")
    # Pending ones are left alone; when they are named it is told.
    assert outcome(many(daemon, "cancel", user=ME, signal="SIGUSR2")) == {number: "runs"}
    daemon.until(lambda: heard.read_text() == "10\n12\n", "it got the second")
    assert outcome(many(daemon, "cancel", jobs=f"{pending}", signal="1")) == {
        pending: f"job {pending} does not run"}
    restarted(daemon)
    assert outcome(many(daemon, "cancel", jobs=str(number), signal="1")) == {number: "runs"}
    daemon.until(lambda: heard.read_text() == "10\n12\n1\n", "the daemon that found it can signal, too")
    # Stopped, and on.
    many(daemon, "cancel", jobs=str(number), signal="STOP")
    many(daemon, "cancel", jobs=str(number), signal="CONT")
    assert [one["text"] for one in events(daemon, number, "Signalled")] == [
        f"signal {n}, by {ME}" for n in (10, 12, 1, 19, 18)]
    (daemon.folder / "end").touch()
    job = daemon.wait(number)
    assert (job["state"], job["attempt"], job["evictions"], job["losses"]) == ("done", 1, 0, 0)
    assert heard.read_text() == "10\n12\n1\n"
    assert daemon.job(pending)["state"] == "held"


# --- hold ---

def test_hold_of_a_running_job(daemon):
    """It runs on; what is held is that it starts again."""
    runs, preempted = (daemon.submit("sleep", "1000") for _ in range(2))
    daemon.wait(runs, "runs")
    daemon.wait(preempted, "runs")
    assert outcome(many(daemon, "hold", jobs=f"{runs},{preempted}", reason="until Monday")) == {
        runs: "runs", preempted: "runs"}
    job = daemon.job(runs)
    assert (job["state"], job["reason"], job["attempt"]) == ("runs", "held from starting again by an admin: until Monday", 1)
    restarted(daemon)
    assert daemon.job(runs)["reason"] == "held from starting again by an admin: until Monday"
    # It is put back, and stays there.
    assert outcome(many(daemon, "requeue", jobs=str(preempted))) == {preempted: "stops"}
    job = daemon.wait(preempted, "held")
    assert job["reason"] == "waits to be released by an admin: until Monday"
    # Released while it runs, and stopped in the old way.
    assert outcome(many(daemon, "release", jobs=f"{runs},{preempted}")).keys() == {runs, preempted}
    assert daemon.job(runs)["reason"] is None
    daemon.wait(preempted, "runs")
    assert outcome(many(daemon, "hold", jobs=f"{runs}-{preempted}", stop=True)) == {runs: "stops", preempted: "stops"}
    for number in runs, preempted:
        assert daemon.wait(number, "held")["reason"] == "waits to be released by an admin"
    assert [one["reason"] for one in events(daemon, runs, "Held")] == ["running", None]
    restarted(daemon)
    assert daemon.job(runs)["state"] == "held"


# --- update ---

def test_update_of_a_pending_job(daemon):
    first = daemon.submit(hold=True)
    number = daemon.submit(hold=True, timeLimit="1h", name="a", after=[{"job": first}])
    change = {"priority": 5, "timeLimit": "90m", "queue": "other", "name": "b", "comment": "for the paper",
              "after": [{"job": first, "when": "any"}], "holdReason": "the data is not there"}
    assert outcome(many(daemon, "update", jobs=str(number), set=change)) == {number: "held"}

    def check():
        job = daemon.job(number)
        assert {key: job[key] for key in ("priority", "timeLimit", "queue", "name", "comment", "after", "reason")} == {
            **{key: value for key, value in change.items() if key != "holdReason"}, "timeLimit": "1h30m",
            "reason": "waits to be released: the data is not there"}

    check()
    restarted(daemon)  # from the journal
    check()
    assert [one["text"] for one in events(daemon, number, "Changed")] == [
        "name from a to b; queue from default to other; priority from 0 to 5; time limit from 1h to 1h30m; "
        f"dependencies from {first} to {first}:any; comment from none to some; "
        f"reason of the hold from none to the data is not there, by {ME}"]
    assert daemon.get("/v1/audit?limit=1").json()["audit"][0] | {"at": 0, "pid": 0} == {
        "at": 0, "pid": 0, "uid": os.geteuid(), "user": ME, "action": "update", "status": 200,
        "subject": f"job {number}"}
    daemon.stop()  # from the image
    daemon.start()
    check()
    # Back again, and it runs where it was moved to.
    none = {"timeLimit": None, "comment": None, "after": None}
    assert outcome(many(daemon, "update", jobs=str(number), set=none)) == {number: "held"}
    job = daemon.job(number)
    assert not {"timeLimit", "comment", "after"} & job.keys()
    outcome(many(daemon, "release", jobs=str(number)))
    assert daemon.wait(number)["state"] == "done"
    assert [row["queue"] for row in events(daemon, number, "Started")] == ["other"]
    outcome(many(daemon, "cancel", jobs=str(first)))


def test_update_moves_what_waits(daemon):
    """To a queue whose quota is free; it keeps its number, and is decided there at once."""
    full = daemon.submit("sleep", "1000", requests={"cpu": "4"})
    daemon.wait(full, "runs")
    waits = daemon.submit("true", requests={"cpu": "4"})
    daemon.until(lambda: daemon.job(waits)["state"] == "waits", "it waits")
    assert outcome(many(daemon, "update", jobs=str(waits), set={"queue": "other"})) == {waits: "waits"}
    assert daemon.job(waits)["queue"] == "other"
    restarted(daemon)
    outcome(many(daemon, "cancel", jobs=str(full)))
    assert daemon.wait(waits)["state"] == "done"
    said = outcome(many(daemon, "update", jobs=str(waits), set={"queue": "default"}))
    assert said == {waits: f"job {waits} has ended: done"}
    answer = many(daemon, "update", jobs=str(waits), set={"queue": "nowhere"})
    assert answer.status == 404 and "there is no queue 'nowhere'" in answer.error


def test_time_limit_of_a_running_job(daemon):
    """Lowered: it ends by it. Raised: it outlives the first one."""
    lowered = daemon.submit("sleep", "1000")
    daemon.wait(lowered, "runs")
    until_told = ["sh", "-c", "until [ -e end ]; do sleep 0.05; done"]
    numbers = []
    for limit in "1h", None:
        number = daemon.submit(*until_told, timeLimit="6s")
        numbers.append(number)
        daemon.wait(number, "runs")
        assert outcome(many(daemon, "update", jobs=str(number), set={"timeLimit": limit})) == {number: "runs"}
    raised, lifted = numbers
    restarted(daemon)
    outcome(many(daemon, "update", jobs=str(lowered), set={"timeLimit": "500ms"}))
    job = daemon.wait(lowered, "failed")
    assert "time limit" in job["reason"]
    for number in raised, lifted:
        daemon.until(lambda n=number: daemon.job(n)["ranSeconds"] > 7, "the first limit is over")
        assert daemon.job(number)["state"] == "runs"
    (daemon.folder / "end").touch()
    assert daemon.wait(raised)["state"] == daemon.wait(lifted)["state"] == "done"


def test_what_of_a_running_job_stays(daemon):
    number = daemon.submit("sleep", "1000", name="a")
    other = daemon.submit(hold=True)
    daemon.wait(number, "runs")
    for change, text in (({"queue": "other", "name": "b"}, "runs: its queue cannot be changed"),
                         ({"after": [{"job": other}], "priority": 9}, "runs: its dependencies cannot be changed"),
                         ({"holdReason": "x", "comment": "y"}, "is not held")):
        assert text in outcome(many(daemon, "update", jobs=str(number), set=change))[number]
    job = daemon.job(number)  # nothing half done
    assert (job["name"], job["queue"], job["priority"], job.get("comment")) == ("a", "default", 0, None)
    outcome(many(daemon, "update", jobs=f"{number}-{other}", set={"name": "c", "priority": 3}))
    assert [(daemon.job(n)["name"], daemon.job(n)["priority"]) for n in (number, other)] == [("c", 3)] * 2
    outcome(many(daemon, "cancel", user=ME))
    daemon.wait(number)


@root_only
def test_only_admins_raise_limits(daemon):
    """The configured longest is for all; the limit of a running job is raised by admins only."""
    config = daemon.config.read_text()
    daemon.config.write_text(config.replace("jobs: {grace: 1s}", "jobs: {grace: 1s, maxTimeLimit: 2h, maxPriority: 9}"))
    assert daemon.post("/v1/reload").status == 200
    (_, text), = somebody(daemon, ["POST", "/v1/jobs", spec(command=["sleep", "1000"], timeLimit="1h")])
    number = json.loads(text)["jobs"][0]

    def they(**change):
        (status, answer), = somebody(daemon, ["POST", "/v1/jobs/update", {"jobs": str(number), "set": change}])
        answer = json.loads(answer)
        return answer["text"] if status != 200 else answer["jobs"][0].get("error", {}).get("text")

    assert they(timeLimit="90m") is None
    assert they(timeLimit="3h") == "the time limit is longer than the longest allowed, 2h"
    assert they(priority=10) == "priority 10 is for admins; the highest for other users is 9"
    somebody(daemon, ["POST", "/v1/jobs/release", {"jobs": str(number)}])
    daemon.wait(number, "runs")
    assert they(timeLimit="1h") is None
    assert they(timeLimit="61m").startswith(f"job {number} runs with a time limit of 1h: only an admin can raise it")
    assert they(timeLimit=None).startswith(f"job {number} runs with a time limit of 1h")
    assert outcome(many(daemon, "update", jobs=str(number), set={"timeLimit": "2h"})) == {number: "runs"}
    assert daemon.job(number)["timeLimit"] == "2h"
    outcome(many(daemon, "cancel", jobs=str(number)))
    daemon.wait(number)


# --- dependencies ---

def after(*jobs):
    return {"after": [{"job": job} for job in jobs]}


def test_dependencies(daemon):
    a, b, c = (daemon.submit(hold=True) for _ in range(3))
    done = daemon.submit("true")
    failed = daemon.submit("false")
    daemon.wait(done)
    daemon.wait(failed)
    change = lambda job, change: outcome(many(daemon, "update", jobs=str(job), set=change))[job]
    assert change(a, after(c)) == "held"  # a later one
    assert change(b, after(a)) == "held"
    for circle in after(b), after(a, b), after(c):
        assert change(c, circle) == f"after: job {c} would wait for itself"
    assert change(b, after(b)) == f"after: job {b} would wait for itself"
    assert change(b, after(999)) == "after: there is no job 999"
    assert f"job {failed} has ended: failed, so job {c} could never start" in change(c, after(failed))
    assert change(c, {"after": [{"job": failed, "when": "any"}, {"job": done}]}) == "held"
    # Two requests of one moment cannot make a circle either: the second is looked at again.
    restarted(daemon)
    outcome(many(daemon, "release", jobs=f"{a},{b}"))
    assert [daemon.job(n)["state"] for n in (a, b, c)] == ["depends", "depends", "held"]
    restarted(daemon)
    outcome(many(daemon, "release", jobs=str(c)))
    for number in a, b, c:
        assert daemon.wait(number)["state"] == "done"
    starts = [ms(events(daemon, n, "Started")[0]["at"]) for n in (c, a, b)]
    assert starts == sorted(starts)


def test_dependencies_of_what_waits(daemon):
    """It leaves the policy, comes back, and ends with what it waits for."""
    full = daemon.submit("sleep", "1000", requests={"cpu": "4"})
    daemon.wait(full, "runs")
    held = daemon.submit(hold=True)
    waits = daemon.submit("true")
    last = daemon.submit("true", after=[{"job": waits}])
    assert outcome(many(daemon, "update", jobs=str(waits), set=after(held))) == {waits: "depends"}
    assert outcome(many(daemon, "update", jobs=str(waits), set={"after": None})) == {waits: "waits"}
    assert outcome(many(daemon, "update", jobs=str(waits), set=after(held))) == {waits: "depends"}
    daemon.stop()
    daemon.start()
    outcome(many(daemon, "cancel", jobs=str(held)))
    assert [daemon.wait(n)["state"] for n in (waits, last)] == ["cancelled", "cancelled"]
    outcome(many(daemon, "cancel", jobs=str(full)))
    daemon.wait(full)


# --- requeue ---

def test_requeue_of_a_running_job(daemon):
    """The same number, no loss, no eviction."""
    number = daemon.submit("sh", "-c", "echo $FAIRLEAD_ATTEMPT >> ran; [ $FAIRLEAD_ATTEMPT = 2 ] || sleep 1000")
    daemon.wait(number, "runs")
    daemon.until(lambda: (daemon.folder / "ran").exists() and (daemon.folder / "ran").read_text() == "1\n", "it ran")
    waits = daemon.submit("true", after=[{"job": number}])
    assert outcome(many(daemon, "requeue", jobs=f"{number},{waits}")) == {
        number: "stops", waits: f"job {waits} is pending already"}
    job = daemon.job(number)
    assert job["state"] != "stops" or job["reason"] == "requeued"
    restarted(daemon)
    job = daemon.wait(number)
    assert (job["state"], job["attempt"], job["evictions"], job["losses"]) == ("done", 2, 0, 0)
    # Attempts are written a moment later.
    daemon.until(lambda: [one["ended"] for one in daemon.job(number)["attempts"]] == ["requeued", "exited"], "both")
    assert (daemon.folder / "ran").read_text() == "1\n2\n"
    assert daemon.wait(waits)["state"] == "done"
    assert [one["reason"] for one in events(daemon, number, "Requeued")] == ["requeued"]


def test_requeue_of_what_has_ended(daemon):
    """It runs once more with its number, however it ended; what others were told of it stays."""
    failed = daemon.submit("sh", "-c", "echo $FAIRLEAD_ATTEMPT; [ -e fixed ]", name="work", priority=4)
    cancelled = daemon.submit("true", hold=True)
    gone = daemon.submit("true", after=[{"job": failed}])
    done, *rest = daemon.submit("true", array=2)
    outcome(many(daemon, "cancel", jobs=str(cancelled)))
    for number in failed, gone, cancelled, done, *rest:
        daemon.wait(number)
    (daemon.folder / "fixed").touch()
    again = [failed, cancelled, done, *rest]
    restarted(daemon)
    said = outcome(many(daemon, "requeue", jobs=f"{failed},{cancelled},{done}[],999"))
    assert said.pop(999) == "there is no job 999"
    assert sorted(said) == sorted(again) and set(said.values()) <= PENDING
    restarted(daemon)
    jobs = [daemon.wait(n) for n in again]
    assert [(job["state"], job["attempt"]) for job in jobs] == [("done", 2), ("done", 1), ("done", 2), ("done", 2)]
    assert (jobs[0]["name"], jobs[0]["priority"], jobs[0]["exit"]) == ("work", 4, {"kind": "exited", "status": 0})
    assert daemon.job(gone)["state"] == "cancelled"
    assert daemon.get(f"/v1/jobs/{failed}/log").text == "2\n"
    assert daemon.get(f"/v1/jobs/{failed}/log?attempt=1").text == "1\n"
    daemon.until(lambda: len(daemon.job(failed)["attempts"]) == 2, "both attempts")
    # By a filter only what has not ended.
    assert outcome(many(daemon, "requeue", user=ME)) == {}
    daemon.stop()
    daemon.start()
    assert daemon.job(failed)["attempt"] == 2
    assert outcome(many(daemon, "requeue", jobs=str(failed)))[failed] in PENDING
    assert daemon.wait(failed)["attempt"] == 3


@root_only
def test_requeue_needs_rights_and_room(daemon):
    config = daemon.config.read_text()
    daemon.config.write_text(config.replace("  access:", "  limits: {jobsPerQueue: 2}\n  access:"))
    assert daemon.post("/v1/reload").status == 200
    mine = []
    for _ in range(3):
        mine.append(daemon.submit("true"))
        daemon.wait(mine[-1])
    (_, text), = somebody(daemon, ["POST", "/v1/jobs/requeue", {"jobs": str(mine[0])}])
    assert json.loads(text)["jobs"][0]["error"]["text"] == "this job belongs to another user"
    full = daemon.submit("sleep", "1000", requests={"cpu": "4"})
    daemon.wait(full, "runs")
    said = outcome(many(daemon, "requeue", jobs=f"{mine[0]}-{mine[2]}"))
    assert said[mine[0]] == "waits"
    assert said[mine[1]].startswith("a queue may have at most 2 jobs that have not ended")
    outcome(many(daemon, "cancel", user=ME))
    daemon.wait(full)


# --- the command ---

def test_command(daemon, ask):
    assert ask("submit", "--hold", "--array", "4", "-r", "cpu=100m", "--name", "x", "--", "sleep", "1000")[1] == "1-4\n"
    assert ask("cancel", "1,3", "9") == (
        1, "job 1 cancelled\njob 3 cancelled\n", "fairlead: error: there is no job 9\n")
    assert ask("cancel", "-n", "x", "--state", "PENDING", "2") == (0, "job 2 cancelled\n", "fairlead: 1 job found\n")
    assert ask("cancel", "-u", "nobody") == (0, "", "fairlead: 0 jobs found\n")
    assert ask("update", "4", "--priority", "3", "--time", "30m", "-q", "other", "--comment", "it", "-n", "y",
               "--hold-reason", "why", "--after", "1:any") == (0, "job 4 updated\n", "")
    job = daemon.job(4)
    assert (job["priority"], job["timeLimit"], job["queue"], job["name"]) == (3, "30m", "other", "y")
    assert ask("update", "4", "--time", "none", "--after", "none", "--comment", "none")[0] == 0
    assert "timeLimit" not in daemon.job(4)
    code, out, err = ask("release", "-u", ME)
    assert (code, err) == (0, "fairlead: 1 job found\n") and out in ("job 4 waits\n", "job 4 starts\n")
    daemon.wait(4, "runs")
    assert ask("hold", "--reason", "later", "4") == (0, "job 4 runs; held from starting again\n", "")
    assert ask("cancel", "-s", "CONT", "4") == (0, "job 4 was sent the signal\n", "")
    assert ask("requeue", "4") == (0, "job 4 stops\n", "")
    daemon.wait(4, "held")
    code, out, _ = ask("cancel", "-q", "other", "-o", "json")
    assert code == 0
    said = json.loads(out)
    assert said["done"] == 1 and said["jobs"] == [{"job": 4, "state": "cancelled"}]


USAGE = [
    (["cancel"], "no job is named: give their numbers, or say which with --user"),
    (["hold"], "no job is named"),
    (["cancel", "x"], "'x' is not a job: 17, some: 3,5,10-20, or an array: 17[]"),
    (["cancel", ""], "'' is not a job"),
    (["cancel", "1", "2-"], "'2-' is not a job"),
    (["cancel", "1-20000"], "'1-20000' are more than 10000 jobs"),
    (["cancel", "--state", "runss"], "did you mean 'runs'?"),
    (["cancel", "-s", "WINCH", "1"], "--signal: 'WINCH' is none of"),
    (["update", "1"], "nothing is to change"),
    (["update", "--priority", "1"], "JOB"),
    (["update", "1", "--priority", "high"], "--priority: 'high' is not a whole number"),
    (["update", "1", "--time", "soon"], "--time: 'soon' is not a duration"),
    (["update", "1", "--after", "x"], "--after: 'x' is not a job"),
    (["update", "1", "--after", "2:maybe"], "--after: 'maybe' is none of ok, failed and any"),
    (["requeue", "17[]x"], "is not a job"),
]


@pytest.mark.parametrize("args, text", USAGE, ids=[" ".join(args) for args, _ in USAGE])
def test_usage(args, text, tmp_path):
    """Refused before the daemon is asked: none is there."""
    done = subprocess.run([os.environ["FAIRLEAD"], *args, "--socket", str(tmp_path / "none")], capture_output=True,
                          text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (2, "") and text in done.stderr, done.stderr
