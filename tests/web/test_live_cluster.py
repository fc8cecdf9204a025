# SPDX-License-Identifier: Apache-2.0
"""The page that a daemon serves over a cluster: to those who see all of it, to those who see a part, and to those who see nothing."""
import functools
import os
import sys

import pytest

from live import SOURCE, WIDTHS, Beside

sys.path.append(str(SOURCE / "tests" / "kube"))
pytestmark = pytest.mark.skipif("FAIRLEADD" not in os.environ, reason="needs the daemon")
ROOT, ALICE, RITA, BOB = "t-root", "t-alice", "t-rita", "t-bob"


@pytest.fixture(scope="module")
def cluster(pages, tmp_path_factory):
    """Two teams of a cohort; all see all, but alice (Workloads of a), rita (those, and ClusterQueues) and bob (nothing)."""
    import certificates
    from fake import Fake
    from followed import kubeconfig
    from watching import Watching, fill, let_pass, queue, workload
    folder = tmp_path_factory.mktemp("cluster")
    let_pass(folder)
    made = certificates.Certificate(folder, "server")
    fake = Fake(made.file, made.key, seed=1)
    fill(fake)
    fake.put("cohorts", None, "lab", spec={})
    fake.put("clusterqueues", None, "cq", spec={**queue(4), "cohortName": "lab"})
    fake.put("clusterqueues", None, "lender", spec={**queue(1), "cohortName": "lab"})
    fake.put("localqueues", "a", "spare", spec={"clusterQueue": "lender"})
    for namespace, name, more in (("a", "alpha-runs", {"cpu": 3, "held": True}), ("b", "beta-runs", {"cpu": 2, "held": True}),
                                  ("a", "alpha-waits", {"cpu": 2, "priority": 1}), ("b", "beta-waits", {"cpu": 1, "priority": 2}),
                                  ("a", "alpha-large", {"cpu": 9})):
        workload(fake, namespace, name, **more)
    fake.people = {ROOT: {"username": "root", "groups": ["system:masters"]}, ALICE: {"username": "alice"}, RITA: {"username": "rita"},
                   BOB: {"username": "bob"}}
    fake.may = lambda user, verb, resource, namespace, name: verb == "get" and (
        user == "root" or user in ("alice", "rita") and (resource, namespace) == ("workloads", "a") or
        (user, resource) == ("rita", "clusterqueues"))
    home = folder / "daemon"
    home.mkdir()
    watching = Watching(home, kubeconfig(folder, fake.port, made.file), listen=True).ready()
    watching.wait(lambda: watching.counts() == (2, 3))
    over = Beside(pages, watching)
    over.workload = functools.partial(workload, fake)
    yield over
    pages.driver.get("about:blank")
    ended = watching.end()
    fake.close()
    assert ended == 0, watching.text()


@pytest.fixture
def page(cluster):
    yield cluster
    # What a caller may not ask is asked once: that is how the page knows. Forecasts that came too quickly are asked for again, and a stream
    # that was cut is begun again.
    assert [text for text in cluster.pages.complaints() if not any(word in text for word in (
        "/v1/events - Failed to load resource: net::ERR_INCOMPLETE_CHUNKED_ENCODING", "/v1/daemon - ", "/v1/tree?format=json - ", f"/v1/jobs/{cluster.number('beta-waits')} - ")) and not ("eta=1" in text and "503" in text)] == []


def texts(page, selector):
    return page.run("return [...document.querySelectorAll(arguments[0])].map((e) => e.innerText)", selector)


def test_who_sees_all(page):
    page.see("#view=tree", ROOT).says("observes the cluster", ".where")
    page.until("return document.querySelectorAll('.virtual-body > .row').length === 3")
    rows = page.rows()
    assert set(rows) == {"Cohort/lab", "ClusterQueue/cq", "ClusterQueue/lender"}
    assert (rows["ClusterQueue/cq"]["used"], rows["ClusterQueue/cq"]["running"], rows["ClusterQueue/cq"]["waiting"]) == ("5 / 4", "2", "3")
    page.see("#view=queue&queue=cq", ROOT).says("Borrow from it")
    page.says("alpha-waits", ".waiting-list")
    assert texts(page, ".waiting-list li a") == ["beta-waits", "alpha-waits", "alpha-large"]
    assert texts(page, ".its-jobs a") == ["a/main", "b/main"]
    # A LocalQueue is seen as what it leads into.
    page.see("#view=queue&queue=b/main", ROOT).says("Queue cq", "h1")
    page.see("#view=queue&queue=lab&kind=Cohort", ROOT).says("Below it")
    page.see("#view=jobs", ROOT).says("alpha-large", ".virtual-body")
    rows = page.rows()
    assert {row["job-name"]: row["state"] for row in [{**row, "state": row["job-state-cell"].split()[-1]} for row in rows.values()]} == {
        "alpha-runs": "runs", "beta-runs": "runs", "alpha-waits": "waits", "beta-waits": "waits", "alpha-large": "waits"}
    assert rows[str(page.number("alpha-runs"))]["asks"] == "3\u00a0cpu"
    # All are of the same ClusterQueue; jobs may come before the tree does.
    page.until("const marks = [...document.querySelectorAll('.virtual-body .swatch')]; return marks.length && marks.every((one) => one.style.background === 'var(--c0)')")


@pytest.mark.e2e
def test_a_job_of_a_cluster(page):
    page.see(f"#view=job&job={page.number('alpha-waits')}", ROOT)
    page.until("return document.querySelector('.about')?.textContent.includes('of namespace a in queue a/main')")
    page.says("1 job is ahead of it in its queue: b/beta-waits", ".why-body")
    page.says("Expected start", ".eta")
    assert not page.run("return [...document.querySelectorAll('h2')].some((h) => h.textContent === 'Output' && h.checkVisibility())")
    page.see(f"#view=job&job={page.number('alpha-runs')}", ROOT).says("holds", ".facts")
    page.says("3\u00a0cpu", ".facts")
    page.see(f"#view=job&job={page.number('alpha-large')}", ROOT).says("there can be at most", ".inequality")
    assert not [text for text in texts(page, ".command") if text.startswith("fairlead update")]


def test_who_sees_one_namespace(page):
    """LocalQueues stand for what may not be seen, and no request is made that would be refused again and again."""
    page.see("#view=tree", ALICE).says("may not see their ClusterQueues", ".says")
    page.until("return document.querySelectorAll('.virtual-body > .row').length === 2")
    rows = page.rows()
    assert set(rows) == {"LocalQueue/a/main", "LocalQueue/spare"}
    assert (rows["LocalQueue/a/main"]["used"], rows["LocalQueue/a/main"]["running"], rows["LocalQueue/a/main"]["waiting"]) == ("–", "1", "2")
    page.see("#view=queue&queue=a/main", ALICE).says("LocalQueue a/main", "h1")
    page.until("return document.querySelectorAll('.waiting-list li').length === 2")
    assert texts(page, ".waiting-list li a") == ["alpha-waits", "alpha-large"]
    page.see("#view=queue&queue=cq", ALICE).says("There is no such queue, or you may not see it")
    page.see("#view=jobs", ALICE).says("2 others are not shown to you", ".says")
    assert {row["job-name"] for row in page.rows().values()} == {"alpha-runs", "alpha-waits", "alpha-large"}
    page.see(f"#view=job&job={page.number('alpha-waits')}", ALICE).says("hidden-queue", ".why-body")
    page.see(f"#view=job&job={page.number('beta-waits')}", ALICE).says("there is no such Workload that you may get")
    assert not page.run("return [...document.querySelectorAll('.card')].some((card) => card.checkVisibility())")


@pytest.mark.e2e
def test_who_may_get_cluster_queues_too(page):
    page.see("#view=tree", RITA)
    page.until("return document.querySelectorAll('.virtual-body > .row').length === 3")
    page.see("#view=queue&queue=cq", RITA).says("It uses 5 of 4 cpu")
    page.says("Their order is for those who may get all Workloads")
    page.see("#view=jobs", RITA).says("2 others are not shown to you", ".says")


def test_who_sees_nothing(page):
    page.see("#view=tree", BOB).says("There are no queues that you may see", ".says")
    page.see("#view=jobs", BOB).says("5 others are not shown to you", ".says")
    page.says("There are no such jobs", ".none")


@pytest.mark.e2e
def test_what_happens_is_seen_by_those_who_may(page):
    page.see("#view=jobs", ALICE).says("alpha-large", ".virtual-body")
    page.workload("b", "beta-new")
    page.workload("a", "alpha-new", cpu=1)
    page.says("alpha-new", ".virtual-body")
    page.says("4 jobs, not over, the oldest first. 2 others are not shown to you", ".says")
    assert "beta-new" not in page.run("return document.body.innerText")


@pytest.mark.e2e
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("who", [ROOT, ALICE])
def test_no_text_is_cut_or_lies_on_another(page, who, width):
    for view, hash_ in {"tree": "#view=tree", "queue": f"#view=queue&queue={'cq' if who == ROOT else 'a/main'}", "jobs": "#view=jobs",
                        "job": f"#view=job&job={page.number('alpha-waits')}"}.items():
        page.see(hash_, who, width=width, height=1000)
        page.until("return document.querySelector('.virtual-body > .row, .waiting-list li, .why-body p') !== null")
        page.looks_well(f"cluster-{who[2:]}-{view}", width)


@pytest.mark.e2e
@pytest.mark.parametrize("who", [ROOT, ALICE, RITA, BOB])
def test_what_is_refused_is_not_asked_again(page, who):
    """Of each connection at most one request about the daemon, and one about the tree."""
    page.see("#view=tree", who)
    for i in range(3 if who != BOB else 0):  # who is told of nothing that happens
        page.workload("a", f"again-{who}-{i}", priority=-5)
        page.until("return performance.getEntriesByType('resource').filter((one) => new URL(one.name).pathname === '/v1/queues').length > arguments[0]", i + 1)
    refused = page.run("return performance.getEntriesByType('resource').filter((one) => one.responseStatus === 403).map((one) => new URL(one.name).pathname)")
    assert sorted(refused) == {ROOT: [], RITA: ["/v1/daemon"]}.get(who, ["/v1/daemon", "/v1/tree"])
