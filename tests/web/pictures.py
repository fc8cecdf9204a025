#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the pictures of doc/guide/page.md anew: a daemon with jobs, and its page.  Environment as measure.py.

tests/web/pictures.py [STORE]

STORE, of past.py: those of a long time, too.
"""
import os
import pathlib
import shutil
import sys
import tempfile
import urllib.parse

from browser import Browser, chromium
from live import SOURCE, Live, daemons, start
from measure_store import Store

TO = SOURCE / "doc" / "guide"
CHANGE = urllib.parse.quote("ClusterQueue/genome: nominalQuota[cpu,default]=4")
SLEEP = ("sh", "-c", "for i in $(seq 3); do echo step $i; done; sleep 600")


def fill(daemon):
    for name, queue, cpu, number in (("align", "genome", "1", 8), ("fit-mass", "atlas", "2", 1), ("calibrate", "cms", "1", 3)):
        for _ in range(number):
            last = daemon.submit(*SLEEP, queue=queue, name=name, requests={"cpu": cpu, "memory": "512Mi"}, directory="/tmp")
        if name != "calibrate":
            daemon.wait(last, "runs")
    daemon.until(lambda: daemon.get("/v1/jobs?state=waits&queue=genome").json()["jobs"], "one was preempted")


def draw(live, views):
    """@views: of each name its address, what is there once it is drawn, and its height."""
    token = live.token("pictures")
    for name, (hash_, seen, height) in views.items():
        live.open(hash_, token, 1100, height)
        live.live().until("return document.querySelector(arguments[0]) !== null", seen)
        live.run("document.querySelector('.where').textContent = 'lab · runs jobs'")
        if name == "what-if":
            live.run("[...document.querySelectorAll('button')].find((b) => b.textContent === 'What would change').click()")
            live.until("return document.querySelector('.difference') !== null")
        live.pages.settle()
        live.driver.save_screenshot(str(TO / f"page-{name}.png"))


def of_a_moment(driver):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="fairlead-"))
    if os.geteuid() == 0:
        daemons.let_pass(folder)
    daemon = start(folder)
    try:
        fill(daemon)
        waits = next(job for job in daemon.get("/v1/jobs?state=waits&queue=genome").json()["jobs"] if job["evictions"])["id"]
        draw(Live(Browser(driver), daemon), {
            "queues": ("#view=tree", ".virtual-body > .row", 460), "job": (f"#view=job&job={waits}", ".eta", 1040),
            "what-if": (f"#view=what-if&set={CHANGE}", ".virtual-body > .row", 900)})
    finally:
        daemons.end(daemon)
        shutil.rmtree(folder, ignore_errors=True)


def of_years(driver, folder):
    store = Store(folder)
    try:
        store.settle()
        draw(Live(Browser(driver), store.daemon), {
            "over-time": ("#view=time&range=all", ".plot.time", 900), "preemptions": ("#view=preemptions&range=month", ".takings li", 900)})
    finally:
        store.end()


def main():
    with chromium("browser") as driver:
        of_a_moment(driver)
        if len(sys.argv) > 1:
            of_years(driver, sys.argv[1])


if __name__ == "__main__":
    main()
