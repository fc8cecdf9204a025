# SPDX-License-Identifier: Apache-2.0
"""Bits that flip in the files of a state: refused, or told, or they change nothing.

FAIRLEAD_FLIPS is how many flips there are in each file (8; `make soak`: 400).
"""
import json
import os
import pathlib
import random
import shutil
import sqlite3
import subprocess
import sys

import jsonschema
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "daemon"))

from conftest import Daemon, end, ms, write_config  # noqa: E402

FLIPS = int(os.environ.get("FAIRLEAD_FLIPS", "8"))
SEED = int(os.environ.get("FAIRLEAD_SEED", "1"))
ALL = ("held,depends,waits,starts,runs,stops,done,failed,cancelled")


def settle(d):
    d.until(lambda: not d.get("/v1/jobs?state=waits,starts,runs,stops").json()["jobs"],
            "nothing runs")


class Moment:
    """Of two clocks, which each start reads anew and cannot read at one moment: to a thousandth of a second."""

    def __init__(self, text):
        self.text = text

    def __eq__(self, other):
        if self.text is None or other.text is None:
            return self.text == other.text
        return abs(ms(self.text) - ms(other.text)) <= 1

    def __repr__(self):
        return str(self.text)


def jobs(d):
    """What is known of each, but for what may be another at each start."""
    keys = "name", "state", "user", "queue", "requests", "priority", "exit"
    rows = d.get(f"/v1/jobs?limit=10000&state={ALL}").json()["jobs"]
    return {row["id"]: (*(str(row.get(key)) for key in keys), *(Moment(row.get(key)) for key in ("submittedAt", "endedAt")))
            for row in rows}


def some_jobs(d):
    for i in range(12):
        d.submit("true", name=f"j{i}", environment={"TEXT": "x" * 40 * i})
    d.submit(hold=True, array=8, name="array")
    settle(d)


@pytest.fixture(scope="module")
def states(tmp_path_factory):
    """{how it ended: (state, jobs)}: killed, with a log; and stopped."""
    folder = tmp_path_factory.mktemp("states")
    d = Daemon(folder, write_config(folder)).start()
    some_jobs(d)
    d.stop()
    d.start()
    some_jobs(d)
    want = jobs(d)
    shutil.copytree(d.state, folder / "killed", ignore=shutil.ignore_patterns("*.sock"))
    d.stop()
    shutil.copytree(d.state, folder / "stopped", ignore=shutil.ignore_patterns("*.sock"))
    return {how: (folder / how, want) for how in ("killed", "stopped")}


def at(folder, state):
    folder.mkdir()
    d = Daemon(folder, write_config(folder))
    shutil.copytree(state, d.state)
    return d


def verify(d):
    return subprocess.run([os.environ["FAIRLEADD"], "--verify", "--state", d.state],
                          capture_output=True, text=True)


def is_told(d):
    words = "damaged", "cut off", "begins without history"
    return d.get("/v1/health").json()["status"] != "ok" or any(w in d.said() for w in words)


def outcome(d, want):
    """"refused", "told", or "same"; "unseen": a job is another, and nobody says so."""
    verified = verify(d)
    before = {p.name: p.read_bytes() for p in d.state.iterdir()
              if p.is_file() and not p.name.endswith("-shm") and p.name != "lock"}
    assert verified.returncode in (0, 1), verified.stderr
    d.start(ready=False)
    d.until(lambda: d.process.poll() is not None or d.answers(), "it listens, or it is refused")
    if d.process.poll() is not None:
        assert d.process.returncode == 1 and "hint:" in d.said(), d.said()
        assert verified.returncode == 1, f"{verified.stdout} but {d.said()}"
        for name, bytes_ in before.items():
            assert (d.state / name).read_bytes() == bytes_, f"{name} was written to"
        return "refused"
    have = jobs(d)
    told = is_told(d)
    # All of it is read by verify: what it calls whole is the same, or lacks its end.
    if verified.returncode == 0 and "cut" not in verified.stdout:
        assert have == want, d.said()
    d.stop()
    if have == want:
        return "told" if told else "same"
    changed = [i for i in want if have.get(i) != want[i]]
    return "told" if told else f"unseen: {[(want[i], have.get(i)) for i in changed[:2]]}"


def flip(path, r):
    size = path.stat().st_size
    place = r.randrange(size)
    with open(path, "r+b") as f:
        f.seek(place)
        byte = f.read(1)[0]
        f.seek(place)
        f.write(bytes([byte ^ 1 << r.randrange(8)]))
    return place


@pytest.mark.parametrize("how,name", [("killed", "fairlead.db"), ("killed", "fairlead.db-wal"),
                                      ("killed", "checkpoint"), ("stopped", "fairlead.db"),
                                      ("stopped", "checkpoint")])
def test_flips(states, tmp_path, how, name):
    r = random.Random(f"{SEED} {how} {name}")
    state, want = states[how]
    counts = {"refused": 0, "told": 0, "same": 0}
    for i in range(FLIPS):
        d = at(tmp_path / str(i), state)
        [path] = [p for p in d.state.iterdir()
                  if p.name == name or (name == "checkpoint" and p.name.startswith(name))]
        place = flip(path, r)
        came = outcome(d, want)
        assert came in counts, f"seed {SEED}, flip {i} at byte {place} of {path.name}: {came}"
        counts[came] += 1
        shutil.rmtree(d.folder)
    print(f"{how} {name}: {counts}")


def test_flip_in_the_log(states, tmp_path):
    """A bit in the middle: the commits behind it are not taken from those who were told of them."""
    state, want = states["killed"]
    d = at(tmp_path / "d", state)
    path = d.state / "fairlead.db-wal"
    size = path.stat().st_size
    with open(path, "r+b") as f:
        f.seek(32 + (4096 + 24) * 6 + 100)
        byte = f.read(1)[0]
        f.seek(-1, os.SEEK_CUR)
        f.write(bytes([byte ^ 1]))
    assert size > 32 + (4096 + 24) * 40
    verified = verify(d)
    assert verified.returncode == 1 and "its page 7 does not match its checksum" in verified.stderr
    assert outcome(d, want) == "refused"
    assert "commits" in d.said() and "restore a backup" in d.said()


def change(state, statement):
    """As a bad disk would: the sums stay."""
    store = sqlite3.connect(state / "fairlead.db")
    store.execute(statement)
    store.commit()
    store.close()


def test_damaged_spec(states, tmp_path):
    """A job whose spec is another now is not run: it has failed, and all see why."""
    state, _ = states["stopped"]
    d = at(tmp_path / "d", state)
    change(d.state, "UPDATE specs SET spec = replace(spec, '\"true\"', '\"evil\"') "
                    "WHERE job = (SELECT min(job) FROM specs JOIN jobs ON jobs.id = job "
                    "WHERE jobs.state = 0)")
    assert "job 13 does not match its checksum (1 such row)" in verify(d).stderr
    d.start()
    assert d.job(14)["state"] == "held"
    assert d.job(13)["state"] == "damaged"
    d.post("/v1/jobs/13/release")
    d.post("/v1/jobs/14/release")
    d.wait(14, "done")
    d.until(lambda: "job 13 is damaged" in d.said() or d.submit() and None, "it says so")
    assert not (d.state / "runs" / "13").exists() and not (d.state / "ended" / "13").exists()
    health = d.get("/v1/health").json()
    assert health["status"] == "degraded"
    assert {"job": 13, "text": "its spec does not match its checksum"} in health["damaged"]
    listed = {job["id"]: job for job in d.get(f"/v1/jobs?state={ALL}").json()["jobs"]}
    assert listed[13]["state"] == "damaged"
    assert "its spec in the database does not match its checksum" in listed[13]["reason"]
    assert "fairlead_store_damaged 1" in d.get("/metrics").text
    for args in ["job", "13"], ["jobs", "--all"]:
        told = subprocess.run([os.environ["FAIRLEAD"], *args], capture_output=True, text=True,
                              env={**os.environ, "FAIRLEAD_SOCKET": str(d.socket)})
        assert "damaged" in told.stdout, told.stderr
        document = json.loads(subprocess.run([*told.args, "-o", "json"], capture_output=True, text=True,
                                             env={**os.environ, "FAIRLEAD_SOCKET": str(d.socket)}).stdout)
        schema = pathlib.Path(os.environ["FAIRLEAD_SOURCE"], f"doc/schema/{args[0]}.schema.json")
        jsonschema.validate(document, json.loads(schema.read_text()))
    assert d.submit() and d.stop() == 0


def test_damaged_owner(states, tmp_path):
    """Whose a job is stands in its row: a row that is another gives nobody its output."""
    state, _ = states["stopped"]
    d = at(tmp_path / "d", state)
    change(d.state, "UPDATE jobs SET uid = uid + 1 WHERE id = 1")
    d.start()
    assert d.job(1)["state"] == "damaged"
    assert d.get("/v1/jobs/1/log").status == 503
    assert d.get("/v1/health").json()["status"] == "degraded"
    end(d)
