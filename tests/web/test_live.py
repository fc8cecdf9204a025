# SPDX-License-Identifier: Apache-2.0
"""The page that a daemon serves: over a real one, with real jobs, that is also killed and started under it."""
import json
import os

import pytest

from live import HOSTILE, WIDTHS, lab_in

pytestmark = pytest.mark.skipif("FAIRLEADD" not in os.environ, reason="needs the daemon")
SLEEP = ("sh", "-c", "echo begins; sleep 600")


def fill(daemon):
    """Eight cores in use by biology and physics, some that wait, one that never starts, one that is over."""
    jobs = {"over": daemon.submit("sh", "-c", "echo said; exit 3", queue="cms", name="fails", requests={"cpu": "1"})}
    daemon.wait(jobs["over"])
    jobs["first"] = [daemon.submit(*SLEEP, queue="genome", name="align", requests={"cpu": "1"}) for _ in range(8)]
    for number in jobs["first"]:
        daemon.wait(number, "runs")
    # It takes back what physics has lent.
    jobs["taker"] = daemon.submit(*SLEEP, queue="atlas", name="fit-mass", requests={"cpu": "2"})
    daemon.wait(jobs["taker"], "runs")
    jobs["large"] = daemon.submit("true", queue="atlas", name="too-large", requests={"cpu": "9"})
    jobs["hostile"] = [daemon.submit("true", queue="cms", name=name, requests={"cpu": "4"}) for name in HOSTILE]
    jobs["held"] = daemon.submit("true", queue="cms", name="held", hold=True)
    return jobs


@pytest.fixture(scope="module")
def lab(pages, tmp_path_factory):
    with lab_in(pages, tmp_path_factory.mktemp("lab"), fill) as live:
        yield live


@pytest.fixture
def page(lab):
    yield lab
    # The daemon makes two forecasts of a user at once: pages that come quickly ask for one again.
    assert [text for text in lab.pages.complaints() if not ("eta=1" in text and "503" in text)] == []


def evicted(page):
    return next(job for job in page.daemon.get("/v1/jobs?state=waits&queue=genome").json()["jobs"] if job["evictions"])


def test_without_a_token_it_says_what_to_do(lab):
    lab.pages.size(1000)
    lab.driver.get("about:blank")
    lab.driver.get(lab.url + "/#view=jobs")
    lab.run("sessionStorage.clear()")
    lab.driver.refresh()
    lab.says("This page needs a code")
    lab.says("fairlead page", "main")
    lab.open("#view=jobs", "fl_nobody_has_it")
    lab.says("This page has no access any more")


def test_tree_says_what_the_api_says(page):
    page.open("#view=tree", page.admin)
    page.live().until("return document.querySelectorAll('.virtual-body > .row').length === 6")
    queues = {f"{q['kind']}/{q['name']}": q for q in page.daemon.get("/v1/queues").json()["queues"] if q["kind"] != "LocalQueue"}
    rows = page.rows()
    assert set(rows) == set(queues)
    for key, row in rows.items():
        assert row["running"] == (str(queues[key]["running"]) if queues[key]["running"] else "–"), key
        assert row["waiting"] == (str(queues[key]["waiting"]) if queues[key]["waiting"] else "–"), key
    assert rows["ClusterQueue/atlas"]["used"] == "2 / 3" and rows["ClusterQueue/genome"]["used"].endswith("/ 2")
    bar = page.run("return document.querySelector('[data-key=\"ClusterQueue/genome\"] .quota-bar').getAttribute('aria-label')")
    assert bar.startswith("uses 6 of 2 cpu, borrows 4"), bar


@pytest.mark.e2e
def test_tree_is_searched_sorted_and_closed(page):
    page.open("#view=tree&search=gen", page.admin)
    page.live().until("return document.querySelectorAll('.virtual-body > .row').length === 3")
    assert set(page.rows()) == {"Cohort/lab", "Cohort/biology", "ClusterQueue/genome"}
    page.type_into("Search queues", "")
    page.until("return document.querySelectorAll('.virtual-body > .row').length === 6")
    page.run("[...document.querySelectorAll('.heading button')].find((b) => b.textContent === 'Used / quota').click()")
    page.until("return location.hash.includes('sort=-used')")
    order = page.run("return [...document.querySelectorAll('.virtual-body > .row')].sort((a, b) => a.ariaRowIndex - b.ariaRowIndex).map((r) => r.dataset.key)")
    assert order.index("Cohort/biology") < order.index("Cohort/physics") and order.index("ClusterQueue/atlas") < order.index("ClusterQueue/cms")
    page.run("document.querySelector('[data-key=\"Cohort/physics\"] .twist').click()")
    page.until("return document.querySelectorAll('.virtual-body > .row').length === 4")
    assert page.run("return document.querySelector('[data-key=\"Cohort/physics\"]').ariaExpanded") == "false"
    # What was seen is in the address.
    page.driver.refresh()
    page.until("return document.querySelectorAll('.virtual-body > .row').length === 4")


def test_queue_has_limits_ledger_and_who_waits(page):
    page.open("#view=queue&queue=genome", page.admin)
    page.live().says("Inside cohort lab")
    page.says("Borrow from it")
    page.says("Limits, by flavor")
    waits = [job["name"] for job in page.daemon.get("/v1/jobs?state=waits&queue=genome").json()["jobs"]]
    page.until("return document.querySelectorAll('.waiting-list li').length === arguments[0]", len(waits))
    page.says("cpu in use", ".waiting-list")
    page.open("#view=queue&queue=nobody", page.admin)
    page.live().says("There is no such queue")


def test_jobs_come_and_go_without_a_reload(page):
    page.open("#view=jobs&queue=cms", page.admin)
    page.live().says("held", ".virtual-body")
    number = page.daemon.submit("true", queue="cms", name="newcomer", requests={"cpu": "4"})
    page.until("return document.querySelector(`[data-key=\"${arguments[0]}\"]`)?.innerText.includes('newcomer')", str(number))
    assert page.daemon.post(f"/v1/jobs/{number}/cancel").status == 200
    # It stays where it was, with its new state.
    page.until("return document.querySelector(`[data-key=\"${arguments[0]}\"]`)?.innerText.includes('cancelled')", str(number))


@pytest.mark.e2e
def test_filters(page):
    page.open("#view=jobs&state=failed", page.admin)
    page.live().until("return document.querySelectorAll('.virtual-body > .row').length === 1")
    assert page.rows()[str(page.jobs["over"])]["why"] == "exited with status 3"
    page.open("#view=jobs", page.admin)
    page.live().says("too-large", ".virtual-body")
    page.type_into("Text in the number, name, user, queue or why", "TOO-LARGE")
    page.until("return document.querySelectorAll('.virtual-body > .row').length === 1")
    page.says("1 job has “TOO-LARGE” in it", ".says")
    assert "text=TOO-LARGE" in page.run("return location.hash")
    page.type_into("User", "nobody")
    page.says("There are no such jobs", ".none")


def test_why_a_job_waits(page):
    job = evicted(page)
    page.open(f"#view=job&job={job['id']}", page.admin)
    explained = page.daemon.get(f"/v1/jobs/{job['id']}/explain?format=json").json()
    page.live().says(explained["message"].split(";")[0][:60], ".why-body")
    page.says(f"Preempted by job {page.jobs['taker']}", ".timeline")
    page.says("has to be at most (≤), and is not", ".inequality")
    page.says("Who holds cpu there", ".why-body")
    page.says(f"fairlead update {job['id']} --priority 1", ".proposals")
    page.says("Expected start", ".eta")
    page.says("begins", ".output")
    sides = page.run("return [...document.querySelector('.inequality').querySelectorAll('b')].map((b) => b.textContent)")
    assert sides == ["1\u00a0cpu", "0\u00a0cpu"]
    page.open(f"#view=job&job={page.jobs['large']}", page.admin)
    page.live().says("there can be at most", ".inequality")
    sides = page.run("return [...document.querySelector('.inequality').querySelectorAll('b')].map((b) => b.textContent)")
    assert sides == ["9\u00a0cpu", "8\u00a0cpu"]


@pytest.mark.e2e
def test_output_follows(page):
    go = page.daemon.folder / "go"
    number = page.daemon.submit("sh", "-c", f"echo one; until [ -e {go} ]; do sleep 0.1; done; echo two", queue="atlas", requests={"cpu": "100m"}, priority=1)
    page.daemon.wait(number, "runs")
    page.open(f"#view=job&job={number}", page.admin)
    page.live().says("one", ".output")
    assert "two" not in page.run("return document.querySelector('.output').textContent")
    go.write_text("")
    page.says("two", ".output")
    page.says("done", ".about")
    page.says("This is the end of it")


@pytest.mark.e2e
def test_agreement_is_of_clusters(lab):
    lab.open("#view=agreement", lab.admin)
    lab.live().says("This one runs the jobs of a machine", "main")
    assert "How often" not in [title.text for title in lab.driver.find_elements("css selector", "h2")]


@pytest.mark.e2e
def test_a_job_that_is_not_there(lab):
    lab.open("#view=job&job=99999", lab.admin)
    lab.live().says("there is no job 99999")


def test_names_are_text(page):
    page.open("#view=jobs&queue=cms", page.admin)
    page.live().says(HOSTILE[0], ".virtual-body")
    for number, name in zip(page.jobs["hostile"], HOSTILE):
        page.open(f"#view=job&job={number}", page.admin)
        page.live().says(name, "h1")
        assert page.run("return document.querySelector('h1 bdi').title") == name
        assert page.run("return document.querySelectorAll('img').length") == 0
        assert page.run("return document.querySelectorAll('script').length") == 1
    assert page.run("return document.title") != "owned"


@pytest.mark.e2e
def test_keys(page):
    page.open("#view=tree", page.admin)
    page.live().until("return document.querySelectorAll('.virtual-body > .row').length === 6")
    page.press("?")
    page.says("go to: Jobs", "dialog[open]")
    page.run("document.querySelector('dialog').close()")
    page.press("j", "j", "j")
    assert page.run("return document.activeElement.dataset.key") == "ClusterQueue/genome"
    page.press("k")
    assert page.run("return document.activeElement.dataset.key") == "Cohort/biology"
    page.press("ArrowLeft")
    page.until("return document.querySelectorAll('.virtual-body > .row').length === 5")
    assert page.run("return document.activeElement.dataset.key") == "Cohort/biology", "the focus is kept"
    page.press("Enter")
    page.says("Below it")
    page.press("Escape")
    page.until("return location.hash === '#view=tree'")
    page.press("g", "j")
    page.until("return location.hash === '#view=jobs'")
    page.press("/")
    assert page.run("return document.activeElement.type") == "search"
    page.press("g", "t", "Escape")
    assert page.run("return document.activeElement === document.body || location.hash") in (True, "#view=jobs")


@pytest.mark.e2e
def test_of_many_jobs_only_those_in_sight_are_elements(page):
    numbers = []
    for _ in range(6):
        body = {"jobs": [{"queue": "genome", "requests": {"cpu": "1"}, "command": ["true"], "directory": str(page.daemon.folder), "name": f"many-{i}",
                          "hold": True} for i in range(500)]}
        made = page.daemon.post("/v1/jobs", body)
        assert made.status == 201, made.text
        numbers += made.json()["jobs"]
    page.open("#view=jobs&queue=genome", page.admin)
    page.live().says("3,0", ".says")
    page.run("window.scrollTo(0, document.documentElement.scrollHeight)")
    page.until("""window.scrollTo(0, document.documentElement.scrollHeight);
                  return document.querySelector(`[data-key="${arguments[0]}"]`) !== null""", str(numbers[-1]))
    assert page.run("return document.querySelectorAll('.virtual-body > .row').length") < 80
    page.open("#view=jobs&queue=genome&state=waiting&text=many-499", page.admin)
    page.live().until("return document.querySelectorAll('.virtual-body > .row').length === 6")
    for some in range(0, len(numbers), 500):
        page.daemon.post("/v1/jobs/cancel", {"jobs": ",".join(map(str, numbers[some:some + 500]))})


VIEWS = {"tree": "#view=tree", "queue": "#view=queue&queue=genome", "cohort": "#view=queue&queue=physics&kind=Cohort", "jobs": "#view=jobs",
         "over": "#view=jobs&state=over", "waiting": None, "large": None}


@pytest.mark.e2e
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("view", VIEWS)
def test_no_text_is_cut_or_lies_on_another(page, view, width):
    number = {"waiting": lambda: evicted(page)["id"], "large": lambda: page.jobs["large"]}.get(view)
    page.open(VIEWS[view] or f"#view=job&job={number()}", page.admin, width, 1000)
    page.live().until("return document.querySelector('.virtual-body > .row, .ledger h3, .inequality') !== null")
    page.looks_well(view, width)


def test_the_daemon_is_killed_and_started_under_it(lab):
    """Under each of its other views: test_live_killed.py."""
    lab.open("#view=jobs&queue=cms", lab.admin)
    lab.live().says("held", ".virtual-body")
    lab.away(lab.daemon)
    lab.back(lab.daemon)
    number = lab.daemon.submit("true", queue="cms", name="meanwhile", requests={"cpu": "4"})
    lab.until("return document.querySelector(`[data-key=\"${arguments[0]}\"]`)?.innerText.includes('meanwhile')", str(number))


def test_a_token_that_is_revoked_ends_the_page(lab):
    token = lab.token("short")
    lab.open("#view=tree", token)
    lab.live()
    assert lab.daemon.post("/v1/tokens/short/revoke").status == 200
    lab.says("This page has no access any more")
    assert json.loads(lab.run("return JSON.stringify([...document.querySelectorAll('nav a')].length)")) == 0
