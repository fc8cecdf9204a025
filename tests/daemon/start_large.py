#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long a start takes with many large jobs that are held: after a kill, and after a stop.

  start_large.py [--jobs N] [--bytes N] [--within SECONDS]

What jobs are to run is read when they start, so that a start goes by how many there are and not by
how long their environments are.
"""
import argparse
import pathlib
import shutil
import signal
import sys
import tempfile
import time

import conftest

REQUEST = 3_500_000  # bytes, below limits.bodyBytes


def submit(daemon, jobs, size):
    at_once = max(1, REQUEST // size)
    for first in range(0, jobs, at_once):
        body = {"jobs": [{"command": ["true"], "directory": "/", "queue": "default", "hold": True,
                          "requests": {"cpu": "1"},
                          "environment": {"A": f"{first} {i} ".ljust(size, "x")}}
                         for i in range(min(at_once, jobs - first))]}
        answer = daemon.post("/v1/jobs", body)
        assert answer.status == 201, answer.text


def start(daemon, what, jobs):
    began = time.monotonic()
    daemon.start()
    took = time.monotonic() - began
    listed = 0
    after = 0
    while page := daemon.get(f"/v1/jobs?state=held&limit=10000&after={after}").json()["jobs"]:
        listed += len(page)
        after = page[-1]["id"]
    assert listed == jobs, f"{listed} of {jobs} jobs after {what}"
    print(f"{what}: {took:.2f} s", flush=True)
    return took


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=50000)
    parser.add_argument("--bytes", type=int, default=125000)
    parser.add_argument("--within", type=float, help="seconds that each start may take")
    parser.add_argument("--folder", help="where the state is to be for a while")
    args = parser.parse_args()
    conftest.DEADLINE = 600.0
    folder = pathlib.Path(tempfile.mkdtemp(prefix="fairlead-start-", dir=args.folder))
    config = folder / "daemon.yaml"
    config.write_text(conftest.CONFIG.replace(
        "  jobs: {grace: 1s}", "  jobs: {grace: 1s}\n  limits: {bytesPerUser: 1Ti}"))
    daemon = conftest.Daemon(folder, config).start()
    try:
        began = time.monotonic()
        submit(daemon, args.jobs, args.bytes)
        print(f"{args.jobs} jobs of {args.bytes} bytes submitted in "
              f"{time.monotonic() - began:.1f} s", flush=True)
        daemon.stop(signal.SIGKILL)
        took = [start(daemon, "start after a kill", args.jobs)]
        assert daemon.stop() == 0, daemon.said()
        took.append(start(daemon, "start after a stop", args.jobs))
        assert daemon.stop() == 0, daemon.said()
    finally:
        if daemon.process.poll() is None:
            daemon.stop(signal.SIGKILL)
        shutil.rmtree(folder)
    if args.within and max(took) > args.within:
        sys.exit(f"more than {args.within} s")


if __name__ == "__main__":
    main()
