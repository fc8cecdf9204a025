# SPDX-License-Identifier: Apache-2.0
"""Every route of the API."""
import http.client
import json
import os
import pathlib
import pwd
import re
import shutil
import subprocess
import sys
import threading
import time
from urllib.parse import quote

import pytest

import conftest
from conftest import ms


def test_health(shared):
    answer = shared.get("/v1/health")
    health = answer.json()
    assert answer.status == 200
    assert health["status"] == "ok" and health["problem"] is None
    assert health["pid"] == shared.process.pid and health["policy"] == "borrow"
    assert ms(health["startedAt"]) <= ms(health["now"])


def test_metrics(shared):
    answer = shared.get("/metrics")
    assert answer.status == 200 and answer.headers["Content-Type"].startswith("text/plain")
    assert "fairlead_build_info" in answer.text
    if shutil.which("promtool"):
        subprocess.run(["promtool", "check", "metrics"], input=answer.text, text=True, check=True,
                       capture_output=True)


def figure(daemon, name):
    line = next(l for l in daemon.get("/metrics").text.splitlines() if l.startswith(name + " "))
    return float(line.split()[1])


def test_metrics_of_the_process(shared):
    pid = shared.process.pid
    started = float(pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19])
    boot = next(float(line.split()[1]) for line in open("/proc/stat") if line.startswith("btime"))
    assert figure(shared, "process_start_time_seconds") == pytest.approx(
        boot + started / os.sysconf("SC_CLK_TCK"), abs=0.02)
    assert figure(shared, "process_max_fds") == conftest.open_file_limits(shared)[0]
    # What was just closed may be counted for a moment.
    before = min(figure(shared, "process_open_fds") for _ in range(20))
    held = [shared.follow("/v1/events?follow=1") for _ in range(5)]
    shared.until(lambda: figure(shared, "process_open_fds") >= before + 5, "they are counted")
    for _, connection in held:
        connection.close()
    shared.until(lambda: figure(shared, "process_open_fds") < before + 5, "they have gone")
    assert figure(shared, "process_resident_memory_bytes") > 2**20
    assert figure(shared, "process_cpu_seconds_total") > 0
    assert figure(shared, "fairlead_restored") == 0
    assert figure(shared, "fairlead_store_errors_total") == 0


@pytest.mark.parametrize("method, path, status, text", [
    ("GET", "/v1", 404, "no such path"),
    ("GET", "/v1/jobs/", 404, "no such path"),
    ("GET", "/v1/jobs/1x", 404, "no such path"),
    ("GET", "/v1/jobs/-1", 404, "no such path"),
    ("GET", "/v1/jobs/99999999999999999999999", 404, "no such path"),
    ("DELETE", "/v1/jobs", 405, "this path does not have this method"),
    ("GET", "/v1/jobs/999999", 404, "no job 999999"),
    ("POST", "/v1/jobs/999999/cancel", 404, "no job 999999"),
    ("GET", "/v1/jobs/999999/log", 404, "no job 999999"),
    ("GET", "/v1/jobs/999999/explain", 404, "no job 999999"),
    ("GET", "/v1/jobs?state=asleep", 400, "no state 'asleep'"),
    ("GET", "/v1/jobs?limit=x", 400, "'limit' is not a number"),
    ("GET", "/v1/jobs?limit=", 400, "'limit' is not a number"),
    ("GET", "/v1/jobs?limit=10001", 400, "'limit' is more than 10000"),
    ("GET", "/v1/jobs?after=-3", 400, "'after' is not a number"),
    ("GET", "/v1/events?after=x", 400, "'after' is the id of an event"),
    ("GET", "/v1/events?after=1.2.3", 400, "'after' is the id of an event"),
    ("GET", "/v1/history?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z", 400, "'from' is after 'to'"),
    ("GET", "/v1/jobs?sate=done", 400, "'sate' is not an argument of this path"),
    ("GET", "/v1/tree?format=text&x=1", 400, "'x' is not an argument of this path"),
    ("GET", "/v1/queues?queue=a", 400, "'queue' is not an argument of this path"),
    ("GET", "/v1/events?since=now", 400, "'since' is not a time"),
    ("GET", "/v1/events?kind=preempted", 400, "there are no events of kind 'preempted'"),
    ("GET", "/v1/tree?format=xml", 400, "'format' is text or json"),
    ("GET", "/v1/tree?width=x", 400, "'width' is not a number"),
    ("GET", "/v1/tree?node=nowhere", 404, "no cohort or queue 'nowhere'"),
    ("GET", "/v1/plan?cycles=0", 400, "'cycles' must be at least 1"),
    ("GET", "/v1/plan?cycles=100001", 400, "'cycles' is more than 100000"),
    ("GET", "/v1/history?from=yesterday", 400, "'from' is not a time"),
    ("GET", "/v1/usage?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z", 400, "'from' is after 'to'"),
    ("GET", "/v1/usage?to=tomorrow", 400, "'to' is not a time"),
    ("POST", "/v1/what-if", 400, "no changes"),
    ("POST", "/v1/backup?to=relative", 400, "'to' must be the absolute path"),
])
def test_wrong_requests(shared, method, path, status, text):
    answer = shared.ask(method, path)
    assert answer.status == status, answer.text
    assert text in answer.error
    assert answer.json()["status"] == status


# --- submit ---

@pytest.mark.parametrize("body, status, text", [
    ("", 400, ""),
    ("{", 400, ""),
    ("[]", 400, ""),
    ("null", 400, ""),
    ("{\"queue\":\"\\u0000\"}", 400, ""),
    (b"\xff\xfe", 400, ""),
    ({"jobs": []}, 400, "no jobs"),
    ({"jobs": 3}, 400, "'jobs' is a list"),
    ({"jobs": [{"queue": "default"}]}, 400, "jobs[0]"),
    ({"queue": "default", "command": ["x"]}, 400, "directory"),
    ({"queue": "nowhere", "command": ["x"], "directory": "/tmp"}, 404, "nowhere"),
    ({"queue": "default", "command": ["x"], "directory": "tmp"}, 400, "directory"),
    ({"queue": "default", "command": ["x"], "directory": "/tmp", "uid": 0}, 400, "uid"),
    ({"queue": "default", "command": ["x"], "directory": "/tmp",
      "requests": {"unobtainium": 1}}, 400, "unobtainium"),
    ({"queue": "default", "command": ["x"], "directory": "/tmp",
      "after": [{"job": 999999}]}, 404, "999999"),
])
def test_wrong_jobs(shared, body, status, text):
    answer = shared.post("/v1/jobs", body)
    assert answer.status == status, answer.text
    assert text in answer.error
    assert shared.get("/v1/health").json()["status"] == "ok"


def test_all_or_nothing(shared):
    before = shared.submit("true")
    good = {"queue": "default", "command": ["true"], "directory": "/tmp"}
    answer = shared.post("/v1/jobs", {"jobs": [good, {**good, "queue": "nowhere"}]})
    assert answer.status == 404
    assert shared.submit("true") == before + 1


def test_many_jobs(shared):
    one = {"queue": "default", "command": ["true"], "directory": "/tmp"}
    numbers = shared.post("/v1/jobs", {"jobs": [one] * 20}).json()["jobs"]
    assert numbers == list(range(numbers[0], numbers[0] + 20))
    for number in numbers:
        assert shared.wait(number)["state"] == "done"


def test_array(shared):
    numbers = shared.submit("sh", "-c", "exit $FAIRLEAD_ARRAY_INDEX", array=3)
    assert len(numbers) == 3
    for index, number in enumerate(numbers):
        job = shared.wait(number)
        assert job["array"] == numbers[0] and job["arrayIndex"] == index
        assert job["exit"] == {"kind": "exited", "status": index}
    listed = shared.get(f"/v1/jobs?array={numbers[0]}&state=done,failed").json()["jobs"]
    assert [job["id"] for job in listed] == numbers


def test_body_limit(shared):
    answer = shared.post("/v1/jobs", b" " * (4 * 1024 * 1024 + 1))
    assert answer.status == 413


# --- jobs ---

def test_job_whole(shared):
    number = shared.submit("sh", "-c", "exit 3", name="three", requests={"cpu": "1500m"},
                           environment={"K": "v"}, timeLimit="1h", priority=7)
    job = shared.wait(number)
    assert job["state"] == "failed" and job["exit"] == {"kind": "exited", "status": 3}
    assert job["name"] == "three" and job["priority"] == 7 and job["tasks"] == 1
    assert job["requests"] == {"cpu": "1500m"} and job["timeLimit"] == "1h"
    assert job["command"] == ["sh", "-c", "exit 3"] and job["environment"] == {"K": "v"}
    assert ms(job["submittedAt"]) <= ms(job["startedAt"]) <= ms(job["endedAt"])
    assert job["reason"] == "exited with status 3"
    assert "devices" not in job, "it has none, in memory as in its row"
    attempts = shared.until(lambda: (a := shared.job(number)["attempts"]) and a[0]["to"] and a,
                            "its attempt has an end")
    assert [a["attempt"] for a in attempts] == [1]
    assert attempts[0]["ended"] == "exited"
    assert attempts[0]["placement"] == [
        {"resource": "cpu", "flavor": "default", "amount": "1500m"}]


def test_more_than_there_is(shared):
    note = "it asks for 6 of cpu, and this machine has 4: it stays pending until the machine has more"
    body = {"queue": "default", "requests": {"cpu": 3}, "tasks": 2, "directory": "/", "command": ["true"]}
    answer = shared.post("/v1/jobs", {"jobs": [body, {**body, "tasks": 1, "hold": True}, body]})
    assert (answer.status, answer.json()["notes"]) == (201, [note])
    numbers = answer.json()["jobs"]
    answer = shared.post("/v1/jobs", {**body, "requests": {"memory": "4Gi"}, "hold": True})
    assert "this machine has 4Gi" in answer.json()["notes"][0]
    numbers += answer.json()["jobs"]
    answer = shared.post("/v1/jobs", {**body, "requests": {"memory": "2Gi"}, "hold": True})
    assert "notes" not in answer.json()
    for number in numbers + answer.json()["jobs"]:
        shared.post(f"/v1/jobs/{number}/cancel")


def test_of_itself(shared):
    told = shared.get("/v1/daemon").json()
    health = shared.get("/v1/health").json()
    assert told["watches"] == "machine" and told["role"] is None and told["host"]
    assert all(told[name] == health[name] for name in ("version", "policy", "startedAt", "problem", "warning"))


def test_lists(shared):
    numbers = [shared.submit("true", hold=True, queue=queue)
               for queue in ("default", "other", "default")]
    after = f"after={numbers[0] - 1}"

    def listed(query):
        answer = shared.get(f"/v1/jobs?{after}&{query}").json()
        return [job["id"] for job in answer["jobs"]], answer["more"]

    assert listed("state=held") == (numbers, False)
    assert listed("") == (numbers, False)
    assert listed("state=held&queue=other") == ([numbers[1]], False)
    assert listed("state=held&user=nobody") == ([], False)
    assert listed("state=runs") == ([], False)
    assert listed("state=runs&queue=other") == ([], False)
    lost = shared.get("/v1/jobs?queue=othr")
    assert lost.status == 404 and "there is no queue 'othr'" in lost.error
    assert listed("state=held&limit=2") == (numbers[:2], True)
    assert listed("state=held&limit=3") == (numbers, False)
    assert listed("state=held&limit=2&last=1") == (numbers[1:], True)
    shared.post(f"/v1/jobs/{numbers[1]}/cancel")
    shared.wait(numbers[1], "cancelled")
    assert listed("state=held,cancelled") == (numbers, False)
    assert listed("state=cancelled") == ([numbers[1]], False)
    assert listed("state=held,cancelled&limit=2&last=1") == (numbers[1:], True)
    assert listed("state=held,cancelled&last=1") == (numbers, False)
    assert listed(f"state=held,cancelled&last=1&limit=1&before={numbers[2]}") == ([numbers[1]], True)
    assert listed(f"state=held,cancelled&last=1&before={numbers[1]}") == ([numbers[0]], False)
    assert listed(f"state=held,cancelled&before={numbers[2]}") == (numbers[:2], False)
    assert listed(f"state=held&before={numbers[0]}") == ([], False)
    assert listed("state=held") == ([numbers[0], numbers[2]], False)
    for number in numbers:
        shared.post(f"/v1/jobs/{number}/cancel")


def test_wishes(shared):
    number = shared.submit("sleep", "1000", hold=True)
    wish = lambda what: shared.post(f"/v1/jobs/{number}/{what}")
    assert shared.job(number)["state"] == "held"
    assert wish("priority?value=-5").json()["job"] == number
    assert shared.job(number)["priority"] == -5
    for value in ("", "x", "1.5", "99999999999", " 1"):
        assert wish(f"priority?value={value.replace(' ', '%20')}").status == 400
    assert wish("release").status == 200
    shared.wait(number, "runs")
    assert shared.job(number)["devices"] == []
    assert wish("hold").json() == {"job": number, "state": "runs"}
    assert wish("hold?stop=1").status == 200
    shared.wait(number, "held")
    assert wish("cancel").json() == {"job": number, "state": "cancelled"}
    assert wish("cancel").status == 409
    assert wish("release").status == 409
    assert shared.job(number)["state"] == "cancelled"


# --- logs ---

def test_log(shared):
    number = shared.submit("sh", "-c", "echo out; echo err >&2; printf 'a\\0\\377b'")
    shared.wait(number)
    answer = shared.get(f"/v1/jobs/{number}/log")
    assert answer.body == b"out\na\0\377b" and answer.headers["X-Fairlead-Attempt"] == "1"
    assert answer.headers["Content-Type"].startswith("text/plain")
    assert shared.get(f"/v1/jobs/{number}/log?stream=err").body == b"err\n"
    assert shared.get(f"/v1/jobs/{number}/log?from=4").body == b"a\0\377b"
    assert shared.get(f"/v1/jobs/{number}/log?tail=2").body == b"\377b"
    assert shared.get(f"/v1/jobs/{number}/log?from=100").body == b""
    assert shared.get(f"/v1/jobs/{number}/log?stream=in").status == 400
    assert shared.get(f"/v1/jobs/{number}/log?task=1").status == 404
    assert shared.get(f"/v1/jobs/{number}/log?attempt=2").status == 404
    assert shared.get(f"/v1/jobs/{number}/log?task=x").status == 400


def test_large_log(shared):
    number = shared.submit("sh", "-c", "head -c 8000000 /dev/zero")
    shared.wait(number)
    assert shared.get(f"/v1/jobs/{number}/log").body == bytes(8000000)


def test_log_followed(shared):
    """From before it starts to its end."""
    go = shared.folder / "go"
    number = shared.submit("sh", "-c", f"echo one; until [ -e {go} ]; do sleep 0.05; done; echo two",
                           hold=True)
    response, connection = shared.follow(f"/v1/jobs/{number}/log?follow=1")
    shared.post(f"/v1/jobs/{number}/release")
    assert response.readline() == b"one\n"
    go.touch()
    assert response.read() == b"two\n"
    connection.close()


def test_log_of_one_that_never_runs(shared):
    number = shared.submit("true", hold=True)
    assert shared.get(f"/v1/jobs/{number}/log").status == 404
    response, connection = shared.follow(f"/v1/jobs/{number}/log?follow=1")
    shared.post(f"/v1/jobs/{number}/cancel")
    assert response.read() == b""
    connection.close()


# --- events ---

def events(text):
    return [json.loads(line) for line in text.splitlines()]


def kinds(text):
    return [event["kind"] for event in events(text)]


def test_events(shared):
    number = shared.submit("true")
    shared.wait(number)
    path = f"/v1/events?job={number}&after=0.0"
    shared.until(lambda: len(events(shared.get(path).text)) == 4, "all is told")
    answer = shared.get(path)
    assert answer.headers["Content-Type"] == "application/x-ndjson"
    assert kinds(answer.text) == ["Submitted", "Admitted", "Started", "Finished"]
    ids = [event["id"] for event in events(answer.text)]
    assert ids == sorted(ids, key=lambda i: [int(n) for n in i.split(".")])
    assert kinds(shared.get(f"{path[:-3]}{ids[1]}").text) == ["Started", "Finished"]
    assert kinds(shared.get(path + "&limit=2").text) == ["Submitted", "Admitted"]
    assert kinds(shared.get(path + "&kind=Started").text) == ["Started"]
    assert kinds(shared.get(path + "&queue=other").text) == []
    last = f"/v1/events?job={number}&limit=2"
    assert kinds(shared.get(last).text) == ["Started", "Finished"]
    ended = events(answer.text)[-1]["at"]
    assert kinds(shared.get(f"/v1/events?job={number}&since=2001-01-01T00:00:00Z").text) == kinds(answer.text)
    assert kinds(shared.get(f"/v1/events?job={number}&since={ended[:-1]}{'9' if '.' in ended else '.001'}Z").text) == []
    assert shared.get("/v1/events?since=2101-01-01T00:00:00Z").text == ""


def test_last_events_are_as_many_as_asked_for(shared):
    """Also of those that are not written yet, of which there are many just now."""
    shared.wait(shared.submit("true"))
    end = []

    def submit():
        while not end:
            for number in shared.submit("true", hold=True, array=5):
                shared.post(f"/v1/jobs/{number}/cancel")

    thread = threading.Thread(target=submit)
    thread.start()
    try:
        shared.until(lambda: len(events(shared.get("/v1/events?limit=40").text)) == 40, "there are so many")
        newest = [0, 0]
        for limit in [1, 2, 3, 7, 40] * 30:
            ids = [[int(n) for n in event["id"].split(".")]
                   for event in events(shared.get(f"/v1/events?limit={limit}").text)]
            assert len(ids) == limit and ids == sorted(ids) and ids[-1] >= newest
            newest = ids[-1]
    finally:
        end.append(True)
        thread.join()


def test_events_followed(shared):
    """Each once, whether it is read from the store or told as it happens."""
    first = shared.submit("true", hold=True)
    response, connection = shared.follow(f"/v1/events?follow=1&job={first}&after=0.0")
    assert json.loads(response.readline())["kind"] == "Submitted"
    rest = [json.loads(response.readline())["kind"] for _ in range(0)]
    shared.post(f"/v1/jobs/{first}/release")
    while not rest or rest[-1] != "Finished":
        rest.append(json.loads(response.readline())["kind"])
    assert [k for k in rest if k != "Held"] == ["Released", "Admitted", "Started", "Finished"]
    connection.close()


def test_many_followers(shared):
    """Whoever begins while much happens gets all of it, in order, and none of it twice."""
    wanted, streams = [], []
    for i in range(10):
        wanted += shared.submit("true", array=5)
        streams.append(shared.follow("/v1/events?follow=1&after=0.0&kind=Submitted"))
    for response, connection in streams:
        seen = []
        while not seen or seen[-1]["job"] < wanted[-1]:
            seen.append(json.loads(response.readline()))
        jobs = [event["job"] for event in seen]
        assert jobs == list(range(1, wanted[-1] + 1))
        connection.close()
    for number in wanted:
        shared.wait(number)


def test_events_from_now_on(shared):
    shared.submit("true")
    response, connection = shared.follow("/v1/events?follow=1&kind=Submitted&limit=1")
    number = shared.submit("true")
    assert json.loads(response.readline())["job"] == number
    assert response.read() == b""
    connection.close()


# --- queues and questions ---

def test_queues(shared):
    shared.until(lambda: not shared.get("/v1/jobs").json()["jobs"], "nobody runs")
    running = shared.submit("sleep", "1000", requests={"cpu": 3})
    waiting = shared.submit("sleep", "1000", requests={"cpu": 2}, queue="other")
    held = shared.submit("true", hold=True)
    shared.wait(running, "runs")
    shared.wait(waiting, "waits")
    rows = {(q["kind"], q["name"]): q for q in shared.get("/v1/queues").json()["queues"]}
    assert set(rows) == {("Cohort", "machine"), ("ClusterQueue", "default"),
                         ("LocalQueue", "default"), ("ClusterQueue", "other"),
                         ("LocalQueue", "other")}
    cohort = rows["Cohort", "machine"]
    assert (cohort["running"], cohort["waiting"], cohort["held"]) == (1, 1, 1)
    assert cohort["resources"]["cpu"]["nominal"] == "4"
    default = rows["ClusterQueue", "default"]
    assert default["parent"] == "machine" and default["conditions"] == []
    assert default["resources"]["cpu"] == {
        "nominal": "0", "usage": "3", "borrowed": "3", "lent": "0", "pending": "0"}
    other = rows["ClusterQueue", "other"]
    assert other["resources"]["cpu"]["pending"] == "2"
    local = rows["LocalQueue", "other"]
    assert local["waiting"] == 1 and local["parent"] == "other"
    assert local["submit"] == ["other"] and local["mayUse"] is True
    shares = shared.get("/v1/shares").json()["shares"]
    assert {row["name"] for row in shares} == {"machine", "default", "other"}

    # and what is asked of such a state
    text = shared.get(f"/v1/jobs/{waiting}/explain").text
    assert text.startswith(f"job {waiting} waits: it asks for 2 cpu")
    answer = shared.get(f"/v1/jobs/{waiting}/explain?format=json")
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.json()["kind"] == "Explanation" and answer.json()["policy"] == "borrow"
    assert "expected start" in shared.get(f"/v1/jobs/{waiting}/explain?eta=1").text
    assert "held" in shared.get(f"/v1/jobs/{held}/explain").text
    tree = shared.get("/v1/tree?format=json").json()
    assert {node["name"] for node in tree["nodes"]} == {"machine", "default", "other"}
    assert "other" not in shared.get("/v1/tree?node=default").text
    assert "\x1b[" in shared.get("/v1/tree?color=1").text
    assert "\x1b[" not in shared.get("/v1/tree").text
    assert "waits" in shared.get("/v1/plan?cycles=3").text
    assert shared.get("/v1/plan?format=json").json()["kind"] == "Plan"

    more = shared.post("/v1/what-if?format=json", {
        "apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ClusterQueue",
        "metadata": {"name": "other"}, "spec": {"cohortName": "elsewhere"}})
    assert more.status == 200 and "elsewhere" in more.text, more.text
    image = shared.get("/v1/snapshot")
    assert image.status == 200
    (shared.folder / "image").write_bytes(image.body)
    done = subprocess.run([os.environ["FAIRLEAD"], "explain", f"default/{waiting}", "-f",
                           str(shared.folder / "image")], capture_output=True, text=True)
    assert done.returncode == 0 and "it asks for 2 cpu" in done.stdout, done.stderr
    for number in (running, waiting, held):
        shared.post(f"/v1/jobs/{number}/cancel")
        shared.wait(number)
    assert shared.get(f"/v1/jobs/{held}/explain").text == f"job {held}: cancelled, by {pwd.getpwuid(os.getuid()).pw_name}\n"


def test_what_if(shared):
    shared.until(lambda: not shared.get("/v1/jobs").json()["jobs"], "nobody runs")
    running = shared.submit("sleep", "1000", requests={"cpu": 3})
    waiting = shared.submit("sleep", "1000", requests={"cpu": 2})
    shared.wait(running, "runs")
    answer = shared.post("/v1/what-if", """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: Cohort
metadata: {name: machine}
spec:
  resourceGroups:
  - coveredResources: [cpu, memory]
    flavors:
    - name: default
      resources:
      - {name: cpu, nominalQuota: 5}
      - {name: memory, nominalQuota: 4Gi}
""")
    assert answer.status == 200, answer.text
    assert f"\n  {waiting} " in answer.text and "default/" not in answer.text
    assert shared.job(waiting)["state"] == "waits"
    answer = shared.post("/v1/what-if", """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: default}
spec: {cohortName: machine, namespaceSelector: {}, fairSharing: {weight: 5}}
""")  # what it may have comes from the machine
    assert answer.status == 200 and "change ClusterQueue/default" in answer.text, answer.text
    other = "kind: ClusterQueue\napiVersion: kueue.x-k8s.io/v1beta2\nmetadata: {name: another}\n" \
            "spec: {cohortName: machine, namespaceSelector: {}}\n"
    added = shared.post("/v1/what-if?format=json", other)
    assert added.status == 200 and '"add"' in added.text, added.text
    # Single fields: of what the daemon has now, and of what it was configured with.
    more = shared.post("/v1/what-if?format=json&set=Cohort/machine:%20nominalQuota[cpu]%2B=1", "")
    assert more.status == 200 and '"set":"nominalQuota[cpu]+=1"' in more.text.replace('["', '"'), more.text
    hold = shared.post("/v1/what-if?format=json&set=ClusterQueue/default:%20stopPolicy=Hold", "")
    assert hold.status == 200 and '"different":true' in hold.text, hold.text
    for body, path, text in [
            ("kind: [\n", "", "change"),
            ("", "?set=ClusterQueue/no:%20stopPolicy=Hold", "there is no ClusterQueue/no"),
            ("", "?set=ClusterQueue/default:%20stop=Hold", "has no field 'stop'"),
            ("", "?set=ClusterQueue/default", "there is no ':'"),
            ("", "?delete=ClusterQueue/no", "there is no ClusterQueue/no"),
            ("", "?delete=Q/x", "there is no kind 'Q'"),
            ("apiVersion: kueue.x-k8s.io/v1beta2\nkind: Workload\nmetadata: {name: a}\n", "", "its trees")]:
        wrong = shared.post("/v1/what-if" + path, body)
        assert wrong.status in (400, 404) and text in wrong.text, wrong.text
    for number in (running, waiting):
        shared.post(f"/v1/jobs/{number}/cancel")


def test_what_if_gives_out_no_more_than_the_machine_has(shared):
    """Quota that a queue is given is taken from the machine's cohort, as by a reload."""
    shared.until(lambda: not shared.get("/v1/jobs").json()["jobs"], "nobody runs")
    jobs = [shared.submit("sleep", "1000", requests={"cpu": 1}) for _ in range(8)]
    shared.until(lambda: len(shared.get("/v1/jobs?state=runs").json()["jobs"]) == 4, "the machine is full")
    for sets, cohort, runs in [
            (["ClusterQueue/default: nominalQuota[cpu]=3"], 1, 4),
            (["ClusterQueue/default: nominalQuota[cpu]=3", "ClusterQueue/other: nominalQuota[cpu]+=1"], 0, 4),
            (["Cohort/machine: nominalQuota[cpu]+=1"], 5, 5),  # a larger machine, in so many words
            (["ClusterQueue/default: nominalQuota[cpu]=2", "Cohort/machine: nominalQuota[cpu]=5"], 5, 7)]:
        answer = shared.post("/v1/what-if?format=json&set=" + quote("\n".join(sets)), "").json()
        assert (answer["before"]["admitted"], answer["after"]["admitted"]) == (4, runs), answer
        machine = next(node for node in answer["nodes"] if node["name"] == "machine")
        assert [row["after"]["nominal"] for row in machine["quota"]] == [1000 * cohort], answer
    for number in jobs:
        shared.post(f"/v1/jobs/{number}/cancel")


def test_questions_at_once(shared):
    """So many are thought about; more are told to come again; all others are served meanwhile."""
    statuses = []

    def ask():
        statuses.append(shared.get("/v1/plan?cycles=10000").status)

    threads = [threading.Thread(target=ask) for _ in range(12)]
    for thread in threads:
        thread.start()
    assert shared.get("/v1/health").status == 200
    for thread in threads:
        thread.join()
    assert set(statuses) <= {200, 503} and 200 in statuses


# --- admins ---

def test_history(shared):
    answer = shared.get("/v1/history")
    assert answer.status == 200
    assert isinstance(answer.json()["queues"], list)


def test_audit(shared):
    number = shared.submit("true", hold=True)
    shared.post(f"/v1/jobs/{number}/cancel")
    shared.post(f"/v1/jobs/{number}/cancel")
    mine = lambda: [row for row in shared.get("/v1/audit?limit=1000").json()["audit"]
                    if row["subject"] == f"job {number}"]
    rows = shared.until(lambda: len(mine()) >= 3 and mine(), "it is written down")
    found = sorted((row["action"], row["status"]) for row in rows)
    assert found == [("cancel", 200), ("cancel", 409), ("submit", 201)]
    assert {row["uid"] for row in rows} == {os.geteuid()}
    assert {row["user"] for row in rows} == {pwd.getpwuid(os.geteuid()).pw_name}
    assert {row["pid"] for row in rows} == {os.getpid()}


def test_backup(shared, tmp_path):
    to = tmp_path / "copy"
    assert shared.post(f"/v1/backup?to={to}").json() == {"backup": str(to)}
    assert list(to.iterdir())
    again = shared.post(f"/v1/backup?to={to}")
    assert again.status >= 400, again.text


def test_reload(daemon):
    answer = daemon.post("/v1/reload")
    assert answer.status == 200
    assert answer.json()["status"] == "reloaded" and isinstance(answer.json()["warnings"], list)
    good = daemon.config.read_text()
    daemon.config.write_text("kind: [\n")
    refused = daemon.post("/v1/reload")
    assert refused.status == 400, refused.text
    daemon.config.write_text(good + """---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: third, namespace: default}
spec: {clusterQueue: other}
""")
    assert daemon.post("/v1/reload").status == 200
    names = lambda: {q["name"] for q in daemon.get("/v1/queues").json()["queues"]}
    daemon.until(lambda: "third" in names(), "the new queue is there")
    number = daemon.submit("true", queue="third")
    assert daemon.wait(number)["state"] == "done"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
def test_somebody_else(shared):
    """What is not theirs is refused, by what the kernel says of who asks."""
    number = shared.submit("echo", "secret", hold=True, environment={"TOKEN": "x"})
    os.chmod(shared.folder, 0o755)
    for folder in shared.folder.parents:
        if folder.stat().st_uid == os.geteuid() and not folder.stat().st_mode & 0o001:
            os.chmod(folder, folder.stat().st_mode | 0o011)
    code = """
import json, os, sys
sys.path.insert(0, sys.argv[1])
import conftest, pathlib
os.setgid(65001); os.setuid(65001)
d = conftest.Daemon(pathlib.Path('/tmp'))
d.socket = sys.argv[2]
n = sys.argv[3]
job = d.get('/v1/jobs/' + n)
print(json.dumps({
    'cancel': d.post('/v1/jobs/' + n + '/cancel').status,
    'log': d.get('/v1/jobs/' + n + '/log').status,
    'audit': d.get('/v1/audit').status,
    'snapshot': d.get('/v1/snapshot').status,
    'reload': d.post('/v1/reload').status,
    'acknowledge': d.post('/v1/acknowledge').status,
    'backup': d.post('/v1/backup?to=/tmp/x').status,
    'health': d.get('/v1/health').status,
    'explain': d.get('/v1/jobs/' + n + '/explain').status,
    'job': job.status, 'sees': sorted(job.json())}))
"""
    done = subprocess.run([sys.executable, "-c", code, os.path.dirname(__file__),
                           str(shared.socket), str(number)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    sees = said.pop("sees")
    assert said == {"cancel": 403, "log": 403, "audit": 403, "snapshot": 403, "reload": 403,
                    "acknowledge": 403, "backup": 403, "health": 200, "explain": 200, "job": 200}
    assert "requests" in sees and "state" in sees
    assert not {"command", "environment", "directory", "output"} & set(sees)
    shared.post(f"/v1/jobs/{number}/cancel")


def test_stop_ends_streams(daemon):
    response, connection = daemon.follow("/v1/events?follow=1")
    number = daemon.submit("sleep", "1000")
    daemon.wait(number, "runs")
    log, other = daemon.follow(f"/v1/jobs/{number}/log?follow=1")
    assert daemon.stop() == 0
    for stream in response, log:  # whoever follows sees that this was not the end
        with pytest.raises(http.client.IncompleteRead):
            stream.read()
    connection.close()
    other.close()
    assert not daemon.socket.exists()
    daemon.start()
    assert daemon.wait(number, "runs")["attempt"] == 1


def test_versions(daemon):
    """A client that has the present version is told so, and asks no more than that."""
    def settles():
        tag = daemon.get("/v1/queues").headers["ETag"]
        time.sleep(0.5)
        return daemon.get("/v1/queues").headers["ETag"] == tag

    daemon.submit(hold=True)
    daemon.until(settles, "no row comes any more")
    for path in ("/v1/jobs", "/v1/jobs/1", "/v1/queues", "/v1/shares", "/v1/tree", "/v1/tree?format=json"):
        first = daemon.get(path)
        tag = first.headers["ETag"]
        assert re.fullmatch(r'W/"[0-9]+"', tag) and first.headers["Cache-Control"] == "private, no-cache"
        for known in (tag, tag[2:], f'"x", {tag}', f'W/"1" ,{tag}', "*"):
            same = daemon.ask("GET", path, headers={"If-None-Match": known})
            assert (same.status, same.body, same.headers["ETag"]) == (304, b"", tag), known
        for other in ('W/"0"', tag[:-1], "x", ""):
            assert daemon.ask("GET", path, headers={"If-None-Match": other}).status == 200, other
    daemon.submit(hold=True)
    changed = daemon.ask("GET", "/v1/jobs", headers={"If-None-Match": tag})
    assert changed.status == 200 and len(changed.json()["jobs"]) == 2 and changed.headers["ETag"] != tag
    assert daemon.get("/v1/starts").headers["ETag"] is None
    for path, status in (("/v1/nothing", 404), ("/v1/jobs/99", 404), ("/v1/jobs?limit=x", 400), ("/v1/jobs?queue=nope", 404),
                         ("/v1/tree?node=nope", 404), ("/v1/tree?format=odd", 400)):
        for known in ("*", daemon.get("/v1/jobs").headers["ETag"]):
            failed = daemon.ask("GET", path, headers={"If-None-Match": known})
            assert (failed.status, failed.headers["ETag"]) == (status, None), path
    tag = changed.headers["ETag"]
    daemon.stop()
    daemon.start()
    assert int(daemon.get("/v1/jobs").headers["ETag"][3:-1]) >= int(tag[3:-1])


def test_pages(daemon):
    """Each job once, whatever the limit, also those that have ended."""
    for n in range(4):
        daemon.wait(daemon.submit(), "done")
    daemon.submit(hold=True, array=5)
    for limit in (1, 2, 4, 9, 20):
        seen, place = [], ""
        while True:
            page = daemon.get(f"/v1/jobs?state=&limit={limit}{place}").json()
            seen += [job["id"] for job in page["jobs"]]
            assert ("continue" in page) == page["more"]
            if not page["more"]:
                break
            place = "&continue=" + page["continue"]
        assert seen == list(range(1, 10)), limit
    for limit in (1, 2, 4, 9, 20):
        seen, place = [], ""
        while True:
            page = daemon.get(f"/v1/jobs?state=&last=1&limit={limit}{place}").json()
            seen = [job["id"] for job in page["jobs"]] + seen
            assert ("continue" in page) == page["more"]
            if not page["more"]:
                break
            place = "&continue=" + page["continue"]
        assert seen == list(range(1, 10)), limit
    for wrong in ("17", "j", "j-1", "j1x", "jj1", "j 1", "j99999999999999999999", "j9999999999999999999"):
        assert daemon.get(f"/v1/jobs?continue={wrong.replace(' ', '%20')}").status == 400, wrong
    for other in ("continue=j1&last=1", "continue=j1&after=3", "continue=l1", "continue=l1&last=1&before=3", "continue=l-1&last=1"):
        assert daemon.get(f"/v1/jobs?{other}").status == 400, other


def test_text(daemon):
    """Of jobs those with a text in what their row says, whether they are over or not, and no other."""
    over = daemon.submit(name="Train-7")
    daemon.wait(over, "done")
    nameless = daemon.submit("/bin/echo")
    daemon.wait(nameless, "done")
    held = daemon.submit(name="train-8", hold=True, queue="other")
    daemon.wait(daemon.submit("sleep", "600", name="all", requests={"cpu": "4"}), "runs")
    pending = daemon.submit(name="next", requests={"cpu": "4"})
    changed = daemon.submit(name="before", hold=True)
    assert daemon.post("/v1/jobs/update", {"jobs": str(changed), "set": {"name": "after"}}).status == 200
    daemon.until(lambda: daemon.job(changed)["name"] == "after", "it has another name")

    def found(text, more=""):
        page = daemon.get(f"/v1/jobs?text={text}{more}").json()
        assert not page["more"]
        return [job["id"] for job in page["jobs"]]

    for last in ("", "&last=1"):
        assert found("train", "&state=" + last) == [over, held]
        assert found("TRAIN-8", last) == [held] and found("TRAIN-7", last) == []
        assert found("echo", "&state=" + last) == [nameless]
        assert found("OTHER", last) == [held]
        assert found("cpu+in+use", last) == [pending]
        assert found("until+it+is+released", last) == [held, changed]
        assert found("after", last) == [changed] and found("before", last) == []
        assert found("n", "&queue=other" + last) == [held]
        assert found("x" * 200, "&state=" + last) == []
    assert found(str(pending)) == [pending]
    assert found("") == [job["id"] for job in daemon.get("/v1/jobs").json()["jobs"]]
    assert daemon.get("/v1/jobs?text=n&queue=nope").json()["jobs"] == []

def test_at(daemon):
    """Jobs that there were at a moment, whatever became of them."""
    def moment_behind(at):
        """Moments are told to the millisecond."""
        now = daemon.until(lambda: (now := daemon.get("/v1/health").json()["now"]) and ms(now) > ms(at) + 1 and now, "time goes on")
        return daemon.until(lambda: ms(daemon.get("/v1/health").json()["now"]) > ms(now) + 1 and now, "time goes on")

    over = daemon.submit(name="over", hold=True)
    held = moment_behind(daemon.job(over)["submittedAt"])
    daemon.post(f"/v1/jobs/{over}/release")
    daemon.wait(over, "done")
    first = daemon.submit(name="first", hold=True)
    gone = daemon.submit(name="gone", hold=True)
    moment = moment_behind(daemon.job(gone)["submittedAt"])
    daemon.post(f"/v1/jobs/{gone}/cancel")
    daemon.wait(gone, "cancelled")
    later = daemon.submit(name="later", hold=True)
    end = moment_behind(daemon.job(later)["submittedAt"])

    def there(at, more=""):
        return [job["id"] for job in daemon.get(f"/v1/jobs?state=&at={at}{more}").json()["jobs"]]

    for _ in range(2):
        for last in ("", "&last=1"):
            assert there(moment, last) == [first, gone] and there(moment, "&text=GONE" + last) == [gone]
            assert there(held, last) == [over]
            assert there("2001-01-01T00:00:00Z", last) == []
            assert there(end, last) == [first, later]
        page = daemon.get(f"/v1/jobs?state=&last=1&limit=1&at={moment}").json()
        assert page["more"] and there(moment, f"&last=1&continue={page['continue']}") == [first]
        daemon.stop()
        daemon.start()
    assert daemon.get("/v1/jobs?at=yesterday").status == 400


def test_text_in_pieces(daemon):
    """One answer looks through some jobs only, and says where the next one goes on."""
    for done in range(5):
        daemon.submit(hold=True, array=900, name="rest")
        daemon.submit(hold=True, name=f"wanted-{done}")
    for last in ("", "&last=1"):
        names, place, answers = [], "", 0
        while True:
            page = daemon.get(f"/v1/jobs?text=wanted{last}{place}").json()
            names += [job["name"] for job in (reversed(page["jobs"]) if last else page["jobs"])]
            answers += 1
            if not page["more"]:
                break
            place = "&continue=" + page["continue"]
        assert names == [f"wanted-{i}" for i in (range(4, -1, -1) if last else range(5))] and answers == 3
