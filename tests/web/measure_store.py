# SPDX-License-Identifier: Apache-2.0
"""Figures of the page over a store that tests/web/past.py made: measure.py --store FOLDER [SECONDS [PAGES]]."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

from live import daemons

CHANGES = 60  # a second
QUEUE = "team-01"
DAY = 86400
BUSY, QUIET = 0.02, 240  # of a core, and seconds until the daemon needs less
ROWS = "return document.querySelectorAll('.virtual-body > .row').length > 5"
SAYS = "const says = document.querySelector('.says'); return says && says.textContent.length > 10 && !/being read|looked at/.test(says.textContent)"
TYPE = """const input = document.querySelector("main input[type=search]"); input.focus(); input.value = "%s"; input.dispatchEvent(new Event("input", { bubbles: true }));"""


def press(text):
    return f"[...document.querySelectorAll('main button, nav a, .bar a')].find((b) => b.textContent.trim() === '{text}').click()"


def views(now, job):
    """Each with what is seen once it is there."""
    return {
        "queues": ("#view=tree", ROWS), "one queue": (f"#view=queue&queue={QUEUE}", SAYS), "jobs": ("#view=jobs", ROWS),
        "jobs that are over": ("#view=jobs&state=over", ROWS), "one job": (f"#view=job&job={job}", "return document.querySelector('.timeline li')"),
        "over time: a day": ("#view=time&range=day", SAYS), "over time: all": ("#view=time&range=all", SAYS),
        "preemptions: a day": ("#view=preemptions&range=day", SAYS), "preemptions: all": ("#view=preemptions&range=all", SAYS),
        "queues 10 days ago": (f"#view=tree&at={now - 10 * DAY}", ROWS), "jobs 10 days ago": (f"#view=jobs&at={now - 10 * DAY}", ROWS),
        "queues a year ago": (f"#view=tree&at={now - 365 * DAY}", ROWS), "what if": ("#view=what-if", ROWS),
    }


INTERACTIONS = {  # in the view, what a reader does, and what is seen then
    "search queues": ("#view=tree", TYPE % "team-01", "return document.querySelectorAll('.virtual-body > .row').length < 5"),
    "sort queues": ("#view=tree", "[...document.querySelectorAll('.heading button')].find((b) => b.textContent === 'Waiting').click()",
                    "return location.hash.includes('sort=-waiting')"),
    "open a queue": ("#view=tree", "location.hash = '#view=queue&queue=team-02'", "return document.querySelector('h1').textContent.includes('team-02')"),
    "to the jobs": ("#view=tree", "location.hash = '#view=jobs'", ROWS),
    "jobs that run": ("#view=jobs", press("running"), "return document.querySelector('.virtual-body > .row .job-state-cell')?.textContent.includes('runs')"),
    "open a job": ("#view=jobs", "location.hash = document.querySelector('.virtual-body a').hash", "return document.querySelector('.timeline li')"),
    "scroll a screen": ("#view=jobs", "window.scrollBy(0, 800)", "return document.querySelectorAll('.virtual-body > .row').length > 5"),
    "a text in the jobs not over": ("#view=jobs", TYPE % "job-5271", "return /have|has/.test(document.querySelector('.says').textContent)"),
    "the last day of time": ("#view=time", press("last day"), "return document.querySelector('.says').textContent.includes('last day')"),
    "one pair of preemptions": ("#view=preemptions&range=month", "document.querySelector('main button.plain').click()", "return location.hash.includes('pair=')"),
}


class Store:
    """A daemon over a copy of the folder, with a port of its own."""

    def __init__(self, folder):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="fairlead-"))
        shutil.copytree(folder, self.folder, dirs_exist_ok=True)
        text = (self.folder / "daemon.yaml").read_text()
        (self.folder / "daemon.yaml").write_text(re.sub(r"127\.0\.0\.1:\d+", f"127.0.0.1:{daemons.free_port()}", text))
        if os.geteuid() == 0:
            for one in (self.folder / "state").iterdir():
                os.chown(one, daemons.ACCOUNT, daemons.ACCOUNT)
            os.chown(self.folder / "state", daemons.ACCOUNT, daemons.ACCOUNT)
            daemons.let_pass(self.folder)
        begun = time.monotonic()
        self.daemon = daemons.Daemon(self.folder, self.folder / "daemon.yaml").start()
        self.started = round(time.monotonic() - begun, 1)

    def settle(self):
        """Once it has done what comes with a start."""
        for _ in range(QUIET // 2):
            used = daemons.processor_seconds(self.daemon)
            time.sleep(2)
            if daemons.processor_seconds(self.daemon) - used <= 2 * BUSY:
                return

    def end(self):
        for states in ("held,waits", "starts,runs"):  # those that wait first: they would start
            self.daemon.post("/v1/jobs/cancel", {"state": states})
        self.daemon.until(lambda: not self.daemon.get("/v1/jobs?state=starts,runs,stops").json()["jobs"], "no job runs")
        self.daemon.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


def crowd(live, token, pages, changes, seconds, *paths):
    """tests/web/crowd.py, begun."""
    return subprocess.Popen([sys.executable, pathlib.Path(__file__).with_name("crowd.py"), live.url, token, str(pages), str(changes), str(seconds), QUEUE, *paths],
                            stdout=subprocess.PIPE, text=True)


def cost_of_pages(live, token, pages, seconds=30):
    """Of a core that the daemon uses: by changes alone, and with the pages."""
    of = {}
    for name, n in (("changesAlone", 0), ("withPages", pages)):
        used, begun = daemons.processor_seconds(live.daemon), time.monotonic()
        said = json.loads(crowd(live, token, n, CHANGES, seconds).communicate()[0])
        of[name] = {"percentOfCore": round(100 * (daemons.processor_seconds(live.daemon) - used) / (time.monotonic() - begun), 1), **said}
    return of


def while_things_change(live, token, seconds, tasks, heap):
    """A page that is open while jobs come and go; figures of memory each ten minutes."""
    of = {}
    for name, hash_ in (("queues", "#view=tree"), ("jobs", "#view=jobs")):
        live.open(hash_, token)
        live.until(ROWS)
        live.live()
        time.sleep(3)
        tasks(live)
        before, memory = heap(live), []
        changing = crowd(live, token, 0, CHANGES, seconds)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            time.sleep(min(600, max(0, end - time.monotonic())))
            memory.append(heap(live))
        of[name] = {**json.loads(changing.communicate()[0]), "longTasksMs": tasks(live), "heapMBAndNodesBefore": before, "later": memory}
    return of


def measure(folder, live_over, timed, tasks, heap, seconds=60, pages=50):
    """@live_over: the page of a daemon; the rest as measure.py has it."""
    store = Store(folder)
    figures = {"secondsToStart": store.started}
    try:
        store.settle()
        live = live_over(store.daemon)
        token = live.token("figures")
        job = store.daemon.get("/v1/jobs?state=waits&limit=1").json()["jobs"][0]["id"]
        for name, (hash_, ready) in views(int(time.time()), job).items():
            live.open(hash_, token)
            live.until(ready)
            figures[name] = {"firstPaintMs": live.run("return Math.round(performance.getEntriesByName('first-contentful-paint')[0].startTime)"),
                             "readyMs": live.run("return Math.round(performance.now())"), "longTasksMs": tasks(live), "heapMB": heap(live)[0]}
        for name, (hash_, script, seen) in INTERACTIONS.items():
            live.open(hash_, token)
            live.until(ROWS if "tree" in hash_ or "jobs" in hash_ else SAYS)
            live.live()
            time.sleep(1)
            tasks(live)
            figures[name] = {"ms": timed(live, script, seen), "longTasksMs": tasks(live)}
        figures["live"] = while_things_change(live, token, seconds, tasks, heap)
        live.driver.get("about:blank")
        figures["pages"] = cost_of_pages(live, token, pages)
    finally:
        print(json.dumps(figures, indent=1))
        store.end()
