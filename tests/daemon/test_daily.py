# SPDX-License-Identifier: Apache-2.0
"""Every line with `$` of doc/guide/daily.md is run, in order, and prints what stands below it.

    test_daily.py --write     puts what it prints there
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import conftest
from conftest import Daemon

PAGE = conftest.SOURCE / "doc/guide/daily.md"
QUEUES = conftest.CONFIG.replace("name: default", "name: vision").replace("name: other", "name: language") \
    .replace("clusterQueue: default", "clusterQueue: vision").replace("clusterQueue: other", "clusterQueue: language") \
    .replace("- {name: vision, resources", "- {name: default, resources").replace("namespace: vision", "namespace: default")


def run(page, place):
    """The page with what its lines print now."""
    environment = {**os.environ, **place.reached, "USER": "root", "COLUMNS": "120",
                   "PATH": f"{os.path.dirname(os.environ['FAIRLEAD'])}:{os.environ['PATH']}"}
    out, inside = [], False
    for line in page.splitlines():
        if line.startswith("```"):
            inside = line == "```console"
        if inside and not line.startswith(("$ ", "```")):
            continue
        out.append(line)
        if inside and line.startswith("$ "):
            # `run` is for the daemon's own machine.
            way = {"FAIRLEAD_SOCKET": str(place.socket)} if "fairlead run" in line else {}
            done = subprocess.run(["sh", "-c", line[2:]], capture_output=True, text=True, timeout=60,
                                  cwd=place.folder, env={**environment, **way})
            assert done.returncode == 0, (line, done.stdout, done.stderr)
            said = re.sub(r"\b(root|" + re.escape(os.environ.get("USER") or "root") + r")\b", "root", done.stdout)
            out += [text.rstrip() for text in said.splitlines()]
            place.settle()
    return "\n".join(out) + "\n"


def cpus(job):
    asked = job["requests"].get("cpu", "0")
    return int(asked[:-1]) / 1000 if asked.endswith("m") else int(asked)


def is_about_to_change(job, free):
    if job["state"] == "waits":  # it starts with the next pass
        return cpus(job) <= free and "next in its queue" in job["why"]
    return job["state"] in ("starts", "stops") or (job["state"] == "runs" and cpus(job) < 1)


class Place(Daemon):
    def settle(self):
        """Until nothing is about to start or to end, so that the next line prints the same each time."""
        def is_quiet():
            jobs = self.get("/v1/jobs").json()["jobs"]
            free = 4 - sum(cpus(j) for j in jobs if j["state"] in ("starts", "runs", "stops"))
            return not any(is_about_to_change(j, free) for j in jobs)

        self.until(is_quiet, "it is quiet")


def on_a_machine(folder):
    (folder / "daemon.yaml").write_text(QUEUES)
    place = Place(folder, folder / "daemon.yaml").start()
    try:
        return run(PAGE.read_text(), place)
    finally:
        conftest.end(place)


def test_page(tmp_path):
    assert on_a_machine(tmp_path) == PAGE.read_text()


if __name__ == "__main__":
    assert sys.argv[1:] == ["--write"], __doc__
    with tempfile.TemporaryDirectory(prefix="fairlead-") as made:
        os.chmod(made, 0o755)
        PAGE.write_text(on_a_machine(pathlib.Path(made)))
