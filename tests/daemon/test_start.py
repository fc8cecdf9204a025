# SPDX-License-Identifier: Apache-2.0
"""What a start reads, and what one user can make of it."""
import contextlib
import os
import signal
import socket
import sqlite3
import subprocess

import pytest

from conftest import CONFIG, Daemon, end, ms


def with_limits(tmp_path, text):
    (tmp_path / "daemon.yaml").write_text(
        CONFIG.replace("  jobs: {grace: 1s}", f"  jobs: {{grace: 1s}}\n  limits: {{{text}}}"))
    return Daemon(tmp_path, tmp_path / "daemon.yaml")


def written_over(daemon, specs):
    """The specs of these jobs are others; what they were."""
    with contextlib.closing(sqlite3.connect(daemon.state / "fairlead.db", timeout=60)) as db:
        were = {job: db.execute("SELECT spec FROM specs WHERE job = ?", (job,)).fetchone()[0] for job in specs}
        for job, spec in specs.items():
            assert db.execute("UPDATE specs SET spec = ? WHERE job = ?", (spec, job)).rowcount == 1
        db.commit()
    return were


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_specs_are_read_when_jobs_start(daemon, number):
    """A start goes by how many jobs there are, not by what they are to run: nothing of it is read."""
    first = daemon.submit("echo", "first", hold=True, environment={"A": "x" * 100000})
    last = daemon.submit("sleep", "0", requests={"cpu": "2"}, tasks=2, hold=True, priority=7,
                         after=[{"job": first}], environment={"A": "x" * 100000})
    kept = [daemon.job(n) for n in (first, last)]
    # So that they are in a checkpoint, and behind it there is none that is spoilt.
    assert daemon.stop() == 0
    daemon.start()
    before = daemon.submit("true", hold=True)
    daemon.stop(number)
    specs = written_over(daemon, {first: "spoilt", last: "spoilt"})
    daemon.start()
    assert "begins without history" not in daemon.said()
    # Whoever reads a spoilt spec says so.
    assert daemon.get("/v1/health").status == 200
    assert "\nfairlead_store_damaged 0\n" in daemon.get("/metrics").text
    assert written_over(daemon, specs) == {first: "spoilt", last: "spoilt"}
    listed = {j["id"]: j for j in daemon.get("/v1/jobs?state=held").json()["jobs"]}
    assert set(listed) == {first, last, before}
    for was in kept:
        now = listed[was["id"]]
        assert all(now[k] == was[k] for k in ("state", "queue", "user", "priority"))
        # Of two clocks, which cannot be read at one moment.
        assert abs(ms(now["submittedAt"]) - ms(was["submittedAt"])) <= 1
    # The policy has all that it needs to decide about them.
    assert daemon.post(f"/v1/jobs/{last}/release").status == 200
    assert daemon.get("/v1/jobs?state=depends").json()["jobs"][0]["id"] == last
    assert daemon.post(f"/v1/jobs/{first}/cancel").status == 200
    assert daemon.post(f"/v1/jobs/{before}/release").status == 200
    daemon.wait(before, "done")
    listed = daemon.get("/v1/jobs?state=cancelled").json()["jobs"]
    assert {j["id"] for j in listed} == {first, last}


def test_bytes_of_a_user(tmp_path):
    daemon = with_limits(tmp_path, "bytesPerUser: 64Ki").start()
    try:
        large = {"environment": {"A": "x" * 20000}, "hold": True}
        held = [daemon.submit("true", **large) for _ in range(3)]
        spec = {"queue": "default", "requests": {"cpu": "1"}, "directory": "/",
                "command": ["true"], **large}
        for body in spec, {"jobs": [{**spec, "environment": {}}, spec]}:
            answer = daemon.post("/v1/jobs", body)
            assert answer.status == 429
            assert answer.error == ("the jobs of a user that have not ended may have at most 64Ki of "
                                    "commands and environments")
            assert "bytesPerUser" in answer.json()["hint"]
        assert len(daemon.get("/v1/jobs").json()["jobs"]) == 3  # all or none
        small = daemon.submit("true", hold=True)
        # The same after a start, from a checkpoint and without one.
        for number in signal.SIGKILL, signal.SIGTERM:
            daemon.stop(number)
            daemon.start()
            assert daemon.post("/v1/jobs", spec).status == 429
        assert daemon.stop() == 0
        for image in daemon.state.glob("checkpoint-*.image"):
            whole = bytearray(image.read_bytes())
            whole[-100] ^= 1
            image.write_bytes(whole)
        daemon.start()
        assert "begins without history" in daemon.said()
        assert daemon.post("/v1/jobs", spec).status == 429
        # A job that is over counts no more; one of an array counts each.
        assert daemon.post(f"/v1/jobs/{held[0]}/cancel").status == 200
        daemon.wait(held[0])
        assert daemon.post("/v1/jobs", {**spec, "array": 2}).status == 429
        assert daemon.post("/v1/jobs", spec).status == 201
        assert daemon.job(small)["state"] == "held"
    finally:
        end(daemon)


def test_changed_settings_count_at_the_next_start(tmp_path):
    """Also those that are read at a start only; the checkpoint has them as they were."""
    daemon = with_limits(tmp_path, "bodyBytes: 1Ki").start()
    try:
        assert daemon.post("/v1/jobs", "x" * 2000).status == 413
        assert daemon.stop() == 0
        daemon = with_limits(tmp_path, "bodyBytes: 4Ki").start()
        assert daemon.post("/v1/jobs", "x" * 2000).status == 400
    finally:
        end(daemon)


def test_a_start_says_that_it_lasts(tmp_path):
    """To the service manager, before it is ready; or a long one would be ended."""
    path = tmp_path / "notify"
    manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    manager.bind(str(path))
    path.chmod(0o777)
    manager.settimeout(60)
    daemon = Daemon(tmp_path)
    process = subprocess.Popen(
        [os.environ["FAIRLEADD"], "--state", str(daemon.state), "--socket", str(daemon.socket)],
        env={**os.environ, "NOTIFY_SOCKET": str(path)}, stderr=subprocess.PIPE)
    said = []
    try:
        while not said or said[-1] != "READY=1":
            said.append(manager.recv(4096).decode())
        assert said[0] == "EXTEND_TIMEOUT_USEC=30000000", said
    finally:
        process.terminate()
        process.communicate(timeout=60)
        manager.close()
    assert process.returncode == 0


@pytest.mark.parametrize("over", [False, True])
def test_a_list_reads_so_much_and_no_more(tmp_path, over):
    """Others wait meanwhile: a page of large jobs has fewer of them, and all pages have all."""
    daemon = with_limits(tmp_path, "bodyBytes: 16Mi").start()
    try:
        spec = {"command": ["true"], "directory": "/", "queue": "default", "hold": True,
                "requests": {"cpu": "1"}, "environment": {"A": "x" * 120000}}
        answer = daemon.post("/v1/jobs", {**spec, "array": 300})
        assert answer.status == 201, answer.text
        numbers = answer.json()["jobs"]
        for number in numbers[::2] if over else []:
            assert daemon.post(f"/v1/jobs/{number}/cancel").status == 200
        if over:  # what is over is read from the store once it is not in memory any more
            assert daemon.stop() == 0
            daemon.start()
        seen, after, pages = [], 0, 0
        states = "held,cancelled"
        while True:
            page = daemon.get(f"/v1/jobs?state={states}&limit=10000&after={after}").json()
            assert page["jobs"], "a page has one at least"
            pages += 1
            seen += [j["id"] for j in page["jobs"]]
            if not page["more"]:
                break
            assert len(page["jobs"]) < 300
            after = seen[-1]
        assert seen == numbers and 2 <= pages <= 6
        backwards = daemon.get(f"/v1/jobs?state={states}&limit=10000&last=1").json()
        assert backwards["more"]
        last = [j["id"] for j in backwards["jobs"]]
        assert last == numbers[-len(last):]
        # What is done to an array is done to all of it.
        done = subprocess.run([os.environ["FAIRLEAD"], "cancel", f"{numbers[0]}[]", "--socket",
                               str(daemon.socket)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert not daemon.get("/v1/jobs").json()["jobs"]
    finally:
        daemon.stop(signal.SIGKILL)


def test_threads_whatever_the_environment_says(tmp_path):
    """Those that read much of the store are not to take all there are: a commit needs one."""
    daemon = Daemon(tmp_path)
    for size in "1", "64":
        daemon.start(environment={"UV_THREADPOOL_SIZE": size})
        made = len(os.listdir(f"/proc/{daemon.process.pid}/task"))
        assert daemon.stop() == 0
        hears = os.geteuid() == 0  # one hears the answers of the process that starts runs
        assert made == 1 + 4 + hears, size


def test_help_fits_a_terminal():
    done = subprocess.run([os.environ["FAIRLEADD"], "--help"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "") and done.stdout.startswith("usage: fairleadd ")
    assert max(map(len, done.stdout.splitlines())) <= 80
