# SPDX-License-Identifier: Apache-2.0
"""The state folder that is kept: where it is, how it is unpacked, and what is said of one."""
import datetime
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "daemon"))

from conftest import Daemon, ms  # noqa: E402

KEPT = HERE / "folder"
CONFIG = "daemon.yaml"  # its name is in the checkpoint, so it is that of no place
ALL = "held,depends,waits,starts,runs,stops,done,failed,cancelled"
OVER = ("done", "failed", "cancelled")


def beside(folder):
    """A daemon in @folder with the configuration there, not started."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in (CONFIG, "company.yaml"):
        shutil.copyfile(KEPT / name, folder / name)
    return Daemon(folder, CONFIG)


def unpack(folder):
    """The same on a copy of what is kept."""
    daemon = beside(folder)
    with tarfile.open(KEPT / "state.tar.gz") as tar:
        members = tar.getmembers()
        for member in members:  # whoever unpacks it is whose it is
            member.uid, member.gid, member.uname, member.gname = os.getuid(), os.getgid(), "", ""
        tar.extractall(folder, members)
    return daemon


def recorded():
    return json.loads((KEPT / "recorded.json").read_text())


def replayed(state):
    """Lines of tests/guard/states/replayed.c."""
    done = subprocess.run([os.environ["FAIRLEAD_REPLAYED"], str(state), CONFIG],
                          cwd=state.parent, capture_output=True, text=True, check=False)
    return done.stdout.splitlines() + done.stderr.splitlines()


def version():
    return subprocess.run([os.environ["FAIRLEADD"], "--version"], capture_output=True, text=True,
                          check=True).stdout.strip()


def shown(daemon):
    """All that people see of a daemon's past, as JSON."""
    ids = [job["id"] for job in daemon.get(f"/v1/jobs?limit=10000&state={ALL}").json()["jobs"]]
    audit = daemon.get("/v1/audit?limit=10000").json()["audit"]
    return {
        "jobs": {str(i): daemon.job(i) for i in ids},
        "logs": {str(i): daemon.get(f"/v1/jobs/{i}/log").text for i in ids
                 if daemon.job(i)["state"] in OVER},
        "events": [json.loads(line) for line in
                   daemon.get("/v1/events?after=0.0&limit=100000").text.splitlines()],
        "audit": [row for row in reversed(audit)],
    }


TIMES = ("at", "from", "to", "submittedAt", "startedAt", "endedAt")


def walk(value, fn):
    """With other times, and without what hangs on whether a job was read from its row."""
    if isinstance(value, list):
        return [walk(v, fn) for v in value]
    if isinstance(value, dict):
        return {k: fn(v) if k in TIMES and isinstance(v, str) else walk(v, fn)
                for k, v in value.items() if k not in ("now", "waitedSeconds") and (k != "devices" or v)}
    return value


def zero(seen):
    return ms(seen["jobs"]["1"]["submittedAt"])


def in_ms(value, since):
    """Times as milliseconds since the first job: the wall's clock may be another one by now."""
    return walk(value, lambda text: ms(text) - since)


def differences(want, have, path=""):
    """Where two values differ; times may by what rounding makes of them."""
    if isinstance(want, dict) and isinstance(have, dict):
        keys = sorted({*want, *have})
        return [d for k in keys for d in differences(want.get(k), have.get(k), f"{path}.{k}")]
    if isinstance(want, list) and isinstance(have, list) and len(want) == len(have):
        return [d for i, (a, b) in enumerate(zip(want, have)) for d in differences(a, b, f"{path}[{i}]")]
    if isinstance(want, int) and isinstance(have, int) and path.rsplit(".", 1)[-1] in TIMES:
        return [] if abs(want - have) <= 2 else [f"{path}: {want} and now {have}"]
    return [] if want == have else [f"{path}: {want!r} and now {have!r}"]


def rfc3339(milliseconds):
    at = datetime.datetime.fromtimestamp(milliseconds / 1000, datetime.timezone.utc)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
