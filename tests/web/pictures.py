#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the pictures of doc/guide/page.md anew: a daemon with jobs, and its page.  Environment as measure.py.

tests/web/pictures.py [FOLDER]   (doc/guide)
"""
import os
import pathlib
import shutil
import sys
import tempfile

from browser import Browser, chromium
from live import SOURCE, Live, daemons, start

SLEEP = ("sh", "-c", "for i in $(seq 3); do echo step $i; done; sleep 600")


def fill(daemon):
    for name, queue, cpu, number in (("align", "genome", "1", 8), ("fit-mass", "atlas", "2", 1), ("calibrate", "cms", "1", 3)):
        for _ in range(number):
            last = daemon.submit(*SLEEP, queue=queue, name=name, requests={"cpu": cpu, "memory": "512Mi"}, directory="/tmp")
        if name != "calibrate":
            daemon.wait(last, "runs")
    daemon.until(lambda: daemon.get("/v1/jobs?state=waits&queue=genome").json()["jobs"], "one was preempted")


def draw(live, to):
    token = live.token("pictures")
    waits = next(job for job in live.daemon.get("/v1/jobs?state=waits&queue=genome").json()["jobs"] if job["evictions"])["id"]
    for name, hash_, seen, height in (("queues", "#view=tree", ".virtual-body > .row", 460), ("job", f"#view=job&job={waits}", ".eta", 1040)):
        live.open(hash_, token, 1100, height)
        live.live().until("return document.querySelector(arguments[0]) !== null", seen)
        live.run("document.querySelector('.where').textContent = 'lab · runs jobs'")
        live.pages.settle()
        live.driver.save_screenshot(str(to / f"page-{name}.png"))


def main():
    to = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else SOURCE / "doc" / "guide"
    folder = pathlib.Path(tempfile.mkdtemp(prefix="fairlead-"))
    if os.geteuid() == 0:
        daemons.let_pass(folder)
    daemon = start(folder)
    try:
        fill(daemon)
        with chromium("browser") as driver:
            draw(Live(Browser(driver), daemon), to)
    finally:
        daemons.end(daemon)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
