# SPDX-License-Identifier: Apache-2.0
"""The page over a real cluster: beside Kueue, which decides, and where fairlead does. Over a machine, and over a made-up cluster: tests/web."""
import pathlib
import shlex
import shutil
import tempfile

import pytest
from actor import reserved
from bed import KUEUE
from browser import driver, pages  # noqa: F401
from client import MERGE, path_of
from live import Beside
from objects import set_up_configuration
from test_scheduler import MAY_WRITE, Tree
from watching import Watching

RECLAIMS = {"preemption": {"withinClusterQueue": "LowerPriority", "reclaimWithinCohort": "Any"}}
PATCHES = {"merge": MERGE, "json": "application/json-patch+json"}


@pytest.fixture(scope="module")
def tree(manager):
    manager.bed.namespace("fairlead")
    manager.bed.may_write = MAY_WRITE
    set_up_configuration(manager.bed)
    return Tree(manager)


@pytest.fixture(scope="module")
def watch(tree, pages):  # noqa: F811
    """watch(*words): the page of a daemon that follows the bed."""
    started, folder = [], pathlib.Path(tempfile.mkdtemp(prefix="fairlead-"))
    folder.chmod(0o755)

    def start(*words):
        home = folder / str(len(started))
        home.mkdir()
        started.append(Watching(home, tree.bed.whole_kubeconfig(home / "kubeconfig"), *words, listen=True))
        return Beside(pages, started[-1].ready())

    yield start
    pages.driver.get("about:blank")
    for one in started:
        assert one.end() == 0, one.text()
    shutil.rmtree(folder)


def share(tree, left, right, **more):
    """KEP-1714's story: the left team takes what the right one leaves; then that comes."""
    tree.queues(f"{left}-and-{right}", **{name: (4, {**RECLAIMS, **more}) for name in (left, right)})
    if more:
        tree.hand_over(left, right)


def come(tree, name, number, runs):
    tree.submit_all(*(f"{name}-{k}" for k in range(number)), queue=name)
    tree.wait(f"{runs} of {name} run", lambda: len(tree.holders(name)) == runs)


def waiting(tree, queue):
    """The names of Workloads that wait there: of jobs of one second any may be first."""
    return sorted(w["metadata"]["name"] for w in tree.admin.list(KUEUE, "workloads", "default")
                  if w["spec"]["queueName"] == queue and not reserved(w))


def took(page, taker, loser):
    page.until("return [...document.querySelectorAll('.pairs button')].some((one) => one.innerText.replace(/\\s+/g, ' ').trim() === arguments[0])",
               f"{taker} took from {loser}")


@pytest.fixture(scope="module")
def observed(tree, watch):
    """Of eight jobs the left team has four, once the right one has come."""
    share(tree, "left", "right")
    page = watch()
    page.admin = tree.bed.tokens["admin"]
    come(tree, "left", 8, 8)
    # Before the right team comes, so that it is seen to come.
    page.see("#view=tree", page.admin)
    page.until("return document.querySelector('[data-key=\"ClusterQueue/left\"] .used')?.innerText.trim() === '8 / 4'")
    come(tree, "right", 6, 4)
    return page


def row(page, queue, used, runs, waits):
    """What the tree has of a queue, in the end."""
    page.until("""const cells = document.querySelectorAll(`[data-key="ClusterQueue/${arguments[0]}"] > *`);
                  const of = (name) => [...cells].find((cell) => cell.classList.contains(name))?.innerText.trim();
                  return [of("used"), of("running"), of("waiting")].join() === arguments[1]""", queue, f"{used},{runs},{waits}")


def test_queues_as_they_change(observed):
    """In the page that was opened before the right team came."""
    row(observed, "left", "4 / 4", 4, 4)
    row(observed, "right", "4 / 4", 4, 2)
    observed.see("#view=queue&queue=right", observed.admin).says("Limits, by flavor")
    observed.until("return document.querySelectorAll('.waiting-list li').length === 2")


def test_jobs_are_real_workloads(tree, observed):
    observed.see("#view=jobs", observed.admin).says("14 jobs", ".says")
    names = {w["metadata"]["name"] for w in tree.admin.list(KUEUE, "workloads", "default")}
    assert {cell["job-name"] for cell in observed.rows().values()} == names


def test_why_a_workload_waits(tree, observed):
    number = observed.number(waiting(tree, "right")[0])
    observed.see(f"#view=job&job={number}", observed.admin)
    explained = observed.watching.get(f"/v1/jobs/{number}/explain", format="json")
    observed.says(explained["message"].split(";")[0][:60], ".why-body")
    # Each of the left team's that wait was preempted.
    observed.see(f"#view=job&job={observed.number(waiting(tree, 'left')[0])}", observed.admin).says("Preempted by", ".timeline")


def test_preemptions_of_kueue(observed):
    observed.see("#view=preemptions", observed.admin).says("4 jobs were preempted in the last hour", ".says")
    observed.says("takes back its own quota that was lent", ".rule-bars")
    took(observed, "right", "left")
    observed.until("return document.querySelectorAll('.takings li').length === 4")


def test_what_was_held_along_time(observed):
    observed.see("#view=time&range=all", observed.admin).says("In all the time that is known", ".says")
    observed.says("4 jobs were preempted in this time", "[aria-labelledby=usage-title] .says")
    observed.until("return ['left', 'right'].every((name) => document.querySelector('.legend').innerText.includes(name))")


def test_how_often_the_engine_agrees(observed):
    observed.watching.wait(lambda: observed.watching.get("/v1/agreement")["windows"])
    told = observed.see("#view=agreement", observed.admin).watching.get("/v1/agreement")
    observed.says("compared, from", ".agreement-grid .says")
    observed.until("return document.querySelectorAll('.by-kind').length === arguments[0]", len(told["kinds"]))
    observed.until("return document.querySelectorAll('.disagreements > li').length === arguments[0]", len(told["differences"]))


def kubectl(client, command):
    """Does what `kubectl patch` would; there is none here."""
    words = shlex.split(command)
    assert words[:2] == ["kubectl", "patch"], command
    plural, _, group = words[2].partition(".")
    assert group == KUEUE.split("/")[0], command
    how, change = words[4].removeprefix("--type="), words[words.index("-p") + 1]
    client.ask("PATCH", path_of(KUEUE, plural, None, words[3]), change, PATCHES[how])


VIEWS = {"tree": "", "queue": "&queue=right", "jobs": "", "time": "&range=all", "preemptions": "", "agreement": "",
         "what-if": "&set=ClusterQueue%2Fright%3A%20nominalQuota%5Bcpu%2Cpool%5D%3D6"}
READY = {"time": ".plot.time", "preemptions": ".takings li", "agreement": ".by-kind", "what-if": ".difference .message", "queue": ".waiting-list li"}


@pytest.mark.parametrize("width", [390, 1600])
def test_all_views_look_well(observed, width):
    for view, more in VIEWS.items():
        observed.see(f"#view={view}{more}", observed.admin, width=width)
        observed.until("return document.querySelector(arguments[0]) !== null", READY.get(view, ".virtual-body > .row"))
        observed.looks_well(f"bed-{view}", width)


def test_the_command_that_is_shown_does_what_was_said(tree, observed):
    """The page writes nothing: who may runs the command; the page sees what comes of it."""
    observed.see(f"#view=what-if{VIEWS['what-if']}", observed.admin).says("10 jobs would run", ".difference .message")
    commands = observed.until("return [...document.querySelectorAll('main pre')].flatMap((one) => one.innerText.split('\\n')).filter((line) => line.startsWith('kubectl patch'))")
    observed.run("location.hash = '#view=tree'")
    row(observed, "right", "4 / 4", 4, 2)
    for command in commands:
        kubectl(tree.admin, command)
    # Which of the teams gets the two cores first is Kueue's: some of them may be lent for a while.
    observed.until("""const of = (queue, name) => document.querySelector(`[data-key="ClusterQueue/${queue}"] .${name}`)?.innerText ?? "";
                      const sum = (name) => ["left", "right"].reduce((sum, queue) => sum + (Number(of(queue, name)) || 0), 0);
                      return of("right", "used").endsWith("/ 6") && sum("running") === 10 && sum("waiting") === 4""")


@pytest.fixture(scope="module")
def decides(tree, watch):
    """The same story, where fairlead decides."""
    share(tree, "ours", "theirs", stopPolicy="Hold")
    page = watch("--role", "scheduler", "--identity", "page")
    page.admin = tree.bed.tokens["admin"]
    come(tree, "ours", 8, 8)
    page.see("#view=tree", page.admin).says("decides for the cluster", ".where")
    page.until("return document.querySelector('[data-key=\"ClusterQueue/ours\"] .used')?.innerText.trim() === '8 / 4'")
    come(tree, "theirs", 6, 4)
    return page


def test_what_fairlead_decides(tree, decides):
    row(decides, "ours", "4 / 4", 4, 4)
    row(decides, "theirs", "4 / 4", 4, 2)
    decides.see("#view=preemptions", decides.admin)
    took(decides, "theirs", "ours")
    number = decides.number(waiting(tree, "theirs")[0])
    explained = decides.watching.get(f"/v1/jobs/{number}/explain", format="json")
    decides.see(f"#view=job&job={number}", decides.admin).says(explained["message"].split(";")[0][:60], ".why-body")


def test_agreement_is_not_of_a_daemon_that_decides(decides):
    decides.see("#view=tree", decides.admin)
    assert "Agreement" not in decides.run("return document.querySelector('nav').innerText")
    decides.see("#view=agreement", decides.admin).says("This one decides for it", "main")
    decides.looks_well("bed-agreement-of-scheduler", 1600)
