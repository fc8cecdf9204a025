#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Figures of the live page over a daemon with many queues and jobs: what doc/guide/page.md says.

FAIRLEADD=... tests/web/measure.py [QUEUES [JOBS]]
FAIRLEADD=... tests/web/measure.py --store FOLDER [SECONDS [PAGES]]

It is no test: figures are of the machine, and of what else that does.  Needs what the tests of the page need, and
FAIRLEAD_BUILD, FAIRLEAD_SOURCE, PYTHONPATH=tests/lib as they have it.
"""
import json
import os
import pathlib
import shutil
import sys
import tempfile
import time

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

from browser import Browser
from live import Live, daemons, start
from measure_store import measure

OBSERVE = """
window.tasks = [];
new PerformanceObserver((list) => tasks.push(...list.getEntries().map((one) => Math.round(one.duration)))).observe({ type: "longtask", buffered: true });
"""
HELD = 500  # jobs of a request


def fill(daemon, jobs, queues):
    for done in range(0, jobs, HELD):
        body = {"jobs": [{"queue": f"team-{(done + i) % queues:04}", "requests": {"cpu": "1"}, "command": ["true"], "name": f"job-{done + i}",
                          "directory": str(daemon.folder), "hold": True} for i in range(HELD)]}
        made = daemon.post("/v1/jobs", body)
        assert made.status == 201, made.text[:500]


def timed(live, script, until):
    """Milliseconds from what a reader does to what is seen, in the browser."""
    return live.driver.execute_async_script("""
        const done = arguments[arguments.length - 1], begin = performance.now(), seen = new Function(arguments[1]);
        new Function(arguments[0])();
        const look = () => seen() ? done(Math.round(performance.now() - begin)) : requestAnimationFrame(look);
        look();""", script, until)


def tasks(live):
    """Above 50 ms since they were asked for."""
    return live.run("const seen = window.tasks; window.tasks = []; return seen")


def heap(live):
    """MB of JavaScript after it was cleaned up, and all of the tab's nodes."""
    live.driver.execute_cdp_cmd("HeapProfiler.collectGarbage", {})
    found = {one["name"]: one["value"] for one in live.driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]}
    return round(found["JSHeapUsedSize"] / 2**20, 1), int(found["Nodes"])


def browser():
    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
    driver.execute_cdp_cmd("Performance.enable", {})
    driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": OBSERVE})
    driver.set_script_timeout(600)
    return driver


def over_store(folder, *numbers):
    driver = browser()
    try:
        measure(folder, lambda daemon: Live(Browser(driver), daemon), timed, tasks, heap, *(int(one) for one in numbers))
    finally:
        driver.quit()


def main():
    if sys.argv[1:2] == ["--store"]:
        over_store(*sys.argv[2:])
        return
    queues, jobs = (int(word) for word in sys.argv[1:] + ["2000", "100000"][len(sys.argv) - 1:])
    folder = pathlib.Path(tempfile.mkdtemp(prefix="fairlead-"))
    daemons.let_pass(folder) if os.geteuid() == 0 else None
    daemon = start(folder, more=queues, spec=f"  limits: {{jobsPerUser: {2 * jobs}}}\n")
    driver = browser()
    figures = {"queuesOfTheDaemon": queues, "jobsOfTheDaemon": jobs}
    try:
        begin = time.monotonic()
        fill(daemon, jobs, queues)
        figures["secondsToSubmit"] = round(time.monotonic() - begin)
        live = Live(Browser(driver), daemon)
        token = live.token("figures")
        for name, hash_, ready in (("tree", "#view=tree", "return document.querySelectorAll('.virtual-body > .row').length > 10"),
                                   ("jobs", "#view=jobs", "return document.querySelectorAll('.virtual-body > .row').length > 10")):
            live.open(hash_, token)
            live.until(ready)
            figures[name] = {
                "firstPaintMs": live.run("return Math.round(performance.getEntriesByName('first-contentful-paint')[0].startTime)"),
                "rowsMs": live.run("return Math.round(performance.now())"), "longTasksMs": tasks(live)}
            if name == "tree":
                live.live()
                figures[name]["searchMs"] = timed(live, """const input = document.querySelector("[aria-label='Search queues']"); input.value = "team-0999";
                    input.dispatchEvent(new Event("input", { bubbles: true }));""", "return document.querySelectorAll('.virtual-body > .row').length < 5")
                live.run("history.replaceState(null, '', '#view=tree'); window.dispatchEvent(new HashChangeEvent('hashchange'))")
                figures[name]["sortMs"] = timed(live, "[...document.querySelectorAll('.heading button')].find((b) => b.textContent === 'Waiting').click()",
                                                "return location.hash.includes('sort=-waiting')")
            else:
                figures[name]["toTheEndMs"] = timed(live, "window.scrollTo(0, document.documentElement.scrollHeight)", """
                    window.scrollTo(0, document.documentElement.scrollHeight);
                    return [...document.querySelectorAll('.virtual-body > .row')].some((row) => Number(row.dataset.key) >= %d)""" % jobs)
                figures[name]["textMs"] = timed(live, """const input = document.querySelector("main input[type=search]"); input.focus(); input.value = "job-%d";
                    input.dispatchEvent(new Event("input", { bubbles: true }));""" % (jobs - 1), f"return document.querySelector('.virtual-body').innerText.includes('job-{jobs - 1}')"
                                                " && document.querySelectorAll('.virtual-body > .row').length < 3")
            figures[name]["longTasksAfterMs"] = tasks(live)
            figures[name]["heapMB"], figures[name]["nodes"] = heap(live)
        # What happens meanwhile: half a minute of submissions, one after the other.
        live.open("#view=tree", token)
        live.live()
        tasks(live)
        end, changes = time.monotonic() + 30, 0
        while time.monotonic() < end:
            daemon.submit("true", queue="team-0001", hold=True)
            changes += 1
        figures["live"] = {"seconds": 30, "changes": changes, "longTasksMs": tasks(live)}
        figures["live"]["heapMB"], figures["live"]["nodes"] = heap(live)
    finally:
        print(json.dumps(figures, indent=1))
        driver.quit()
        daemon.stop()  # its jobs are held
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
