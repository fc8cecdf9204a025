# SPDX-License-Identifier: Apache-2.0
"""The daemon is killed and started under every view, of a machine and of a cluster: what is new is seen without loading the page anew."""
import os
import sys

import pytest

from live import KEPT, SOURCE, lab_in
from test_live_agreement import beside  # noqa: F401

sys.path.append(str(SOURCE / "tests" / "kube"))
from watching import workload  # noqa: E402

pytestmark = [pytest.mark.e2e, pytest.mark.skipif("FAIRLEADD" not in os.environ, reason="needs the daemon")]
SLEEP = ("sh", "-c", "sleep 600")
GO = 'until [ -e "$0" ]; do sleep 0.1; done; echo two'


def fill(daemon):
    """Genome has what it borrows, atlas takes some back, one job waits, one writes, and a simulation is over."""
    for number in [daemon.submit(*SLEEP, queue="genome", name="align", requests={"cpu": "1"}) for _ in range(8)]:
        daemon.wait(number, "runs")
    jobs = {"waits": daemon.submit(*SLEEP, queue="cms", name="tracks", requests={"cpu": "9"})}
    jobs["writes"] = daemon.submit("sh", "-c", f"echo one; {GO}", str(daemon.folder / "go"), queue="atlas", requests={"cpu": "1"})
    daemon.wait(jobs["writes"], "runs")
    jobs["simulated"] = daemon.post("/v1/simulations?horizon=1h").json()["id"]
    daemon.until(lambda: daemon.get(f"/v1/simulations/{jobs['simulated']}").json()["state"] == "done", "it is done")
    return jobs


@pytest.fixture(scope="module")
def lab(pages, tmp_path_factory):
    with lab_in(pages, tmp_path_factory.mktemp("killed"), fill, head=KEPT) as live:
        yield live


def waits(page):
    """One more job that does, and goes on to: it asks for more than there is."""
    page.daemon.submit("true", queue="cms", name="meanwhile", requests={"cpu": "9"})


def takes(page):
    """A job of genome makes way once more."""
    page.daemon.wait(page.daemon.submit("true", queue="atlas", requests={"cpu": "1"}))


def changes(page):
    text = page.daemon.get("/v1/configuration").json()["text"]
    new = text.replace("weight: 2}", "weight: 3}")
    assert new != text
    assert page.daemon.ask("PUT", "/v1/configuration", new.encode(), {"Content-Type": "application/yaml", "If-Match": "*"}).status == 200


def of_queue(page, kind, name):
    return next(one for one in page.daemon.get("/v1/queues").json()["queues"] if (one["kind"], one["name"]) == (kind, name))


def taken(page):
    return len(page.daemon.get("/v1/events?kind=Preempted").text.splitlines())


def sees_tree(page):
    page.until("return document.querySelector('[data-key=\"ClusterQueue/cms\"] .waiting')?.innerText.trim() === arguments[0]",
               str(of_queue(page, "ClusterQueue", "cms")["waiting"]))


def sees_queue(page):
    page.until("return document.querySelectorAll('.waiting-list li').length === arguments[0]", of_queue(page, "ClusterQueue", "cms")["waiting"])


def sees_cohort(page):
    page.until("""return [...document.querySelectorAll('.figure')].find((one) => one.querySelector('dt').textContent === 'waiting')
                  ?.querySelector('dd').firstChild.textContent === arguments[0]""", str(of_queue(page, "Cohort", "physics")["waiting"]))


def sees_it_cancelled(page):
    page.says("cancelled", ".about")


def sees_output(page):
    page.says("two", ".output")
    page.says("done", ".about")


def sees_newer(page):
    page.until("return [...document.querySelectorAll('button')].some((b) => /^Show .* newer job/.test(b.innerText))")


def sees_taken(page):
    page.until("return document.querySelectorAll('.takings li').length === arguments[0]", taken(page))


def sees_taken_along_time(page):
    page.until("return parseInt(document.querySelector('[aria-labelledby=usage-title] .says')?.innerText) === arguments[0]", taken(page))


def sees_version(page):
    page.says(f"Version {page.daemon.get('/v1/configuration').json()['version']}", ".versions")


def sees_simulation(page):
    number = page.daemon.get("/v1/simulations").json()["simulations"][-1]["id"]
    page.says(f"Simulation {number}", ".simulations")


def sees_report(page):
    """It is a document, and stays."""
    assert page.run("return document.querySelectorAll('.report .plot').length") > 5


# View -> address, what is there when it is open, what happens before the kill, what after the start, what is seen then. Before: what no event
# tells of, or what is drawn only when a slice of time is over.
VIEWS = {
    "tree": ("#view=tree", ".virtual-body > .row", None, waits, sees_tree),
    "queue": ("#view=queue&queue=cms", ".waiting-list li", None, waits, sees_queue),
    "cohort": ("#view=queue&queue=physics&kind=Cohort", ".below-list li", None, waits, sees_cohort),
    "over": ("#view=jobs&state=over", ".virtual-body > .row", None, takes, sees_newer),
    "output": ("#view=job&job={writes}", ".output", None, lambda page: (page.daemon.folder / "go").write_text(""), sees_output),
    "job": ("#view=job&job={waits}", ".why-body p", None, lambda page: page.daemon.post(f"/v1/jobs/{page.jobs['waits']}/cancel"), sees_it_cancelled),
    "preemptions": ("#view=preemptions", ".takings li", None, takes, sees_taken),
    "time": ("#view=time", ".plot.time", takes, None, sees_taken_along_time),
    "what-if": ("#view=what-if", ".versions li", changes, None, sees_version),
    "simulate": ("#view=simulate", ".simulate-form", None, lambda page: page.daemon.post("/v1/simulations?horizon=1h"), sees_simulation),
    "simulation": ("#view=simulation&id={simulated}", ".report .plot", None, None, sees_report),
}


@pytest.mark.parametrize("view", ["simulation", *(name for name in VIEWS if name != "simulation")])
def test_of_a_machine(lab, view):
    hash_, there, before, after, sees = VIEWS[view]
    if view == "over":
        takes(lab)
    lab.open(hash_.format(**lab.jobs), lab.admin)
    lab.live().until("return document.querySelector(arguments[0]) !== null", there)
    if before:
        before(lab)
    lab.away(lab.daemon)
    lab.back(lab.daemon)
    if after:
        after(lab)
    sees(lab)


def test_a_view_that_is_opened_while_the_daemon_is_away(lab):
    number = lab.daemon.submit("true", queue="cms", name="unseen", requests={"cpu": "9"})
    lab.open("#view=tree", lab.admin)
    lab.live()
    lab.away(lab.daemon)
    lab.run("location.hash = arguments[0]", f"#view=job&job={number}")
    lab.says(f"Job {number}", "h1")
    lab.back(lab.daemon)
    lab.says("unseen", "h1")
    lab.says("waits", ".about")


def sees_tree_of_cluster(page, name):
    page.until("return document.querySelector('[data-key=\"ClusterQueue/cq\"] .waiting')?.innerText.trim() === arguments[0]",
               str(page.watching.counts()[1]))


def sees_windows(page, name):
    windows = page.watching.get("/v1/agreement")["windows"]
    page.says("One window" if windows == 1 else f"{windows} windows", ".agreement-grid .says")


CLUSTER = {
    "tree": sees_tree_of_cluster,
    "queue&queue=cq": lambda page, name: page.says(name, ".waiting-list"),
    "jobs": lambda page, name: page.says(name, ".virtual-body"),
    "agreement": sees_windows,
}


@pytest.mark.parametrize("view", CLUSTER)
def test_of_a_cluster(beside, view):  # noqa: F811
    """By a token of the cluster: that of a page ends with the daemon."""
    w, name = beside.watching, f"new-{view.split('&')[0]}"
    beside.open(f"#view={view}", "t-alice")
    beside.live().says("live", ".state")
    beside.away(w)
    beside.back(w)
    workload(beside.fake, "a", name, cpu=9)
    w.wait(lambda: any(job["name"] == name for job in w.get("/v1/jobs?state=waits&limit=100")["jobs"]))
    CLUSTER[view](beside, name)
