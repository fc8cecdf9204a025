# SPDX-License-Identifier: Apache-2.0
"""The page of a daemon that watches a cluster: preemptions and loops of its scheduler, and a moment that is over."""
import os
import sys
import time

import pytest

from live import SOURCE, Beside

sys.path.append(str(SOURCE / "tests" / "kube"))
import certificates  # noqa: E402
from fake import Fake  # noqa: E402
from followed import kubeconfig  # noqa: E402
from watching import Watching, condition, fill, let_pass, queue, workload  # noqa: E402

pytestmark = [pytest.mark.e2e, pytest.mark.skipif("FAIRLEADD" not in os.environ, reason="needs the daemon")]
PREEMPTED = "Preempted to accommodate a workload (UID: %s, JobUID: UNKNOWN) due to prioritization in the ClusterQueue; " \
            "preemptor path: /cq; preemptee path: /cq"


@pytest.fixture(scope="module")
def cluster(pages, tmp_path_factory):
    folder = tmp_path_factory.mktemp("cluster")
    let_pass(folder)
    certificate = certificates.Certificate(folder, "server")
    fake = Fake(certificate.file, certificate.key, seed=1)
    fake.people, fake.may = {"t-admin": {"username": "root", "groups": ["system:masters"]}}, lambda *_: True
    fill(fake)
    fake.put("clusterqueues", None, "cq", spec={**queue(4), "preemption": {"withinClusterQueue": "LowerPriority"}})
    w = Watching(folder, kubeconfig(folder, fake.port, certificate.file), listen=True).ready()
    yield Beside(pages, w), fake, w
    pages.driver.get("about:blank")
    assert w.end() in (0, -9), w.text()
    fake.close()


def stamp():
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def preempt(fake, victim, taker, taken):
    """The taker gets the quota of the victim, which waits again."""
    message = PREEMPTED % fake.objects["workloads"]["a", taker[0]]["metadata"]["uid"]
    why = [{**condition("Evicted", reason="Preempted", at=taken), "message": message},
           {**condition("Preempted", reason="InClusterQueue", at=taken), "message": message}]
    made = {"cpu": 3, "created": fake.begun}
    workload(fake, "a", victim[0], priority=victim[1], held=True, conditions=why, reserved=taken, **made)
    workload(fake, "a", victim[0], priority=victim[1], conditions=why, **made)
    workload(fake, "a", taker[0], priority=taker[1], held=True, reserved=taken, **made)


def test_preemptions_loops_and_a_moment_of_a_cluster(cluster):
    page, fake, w = cluster
    fake.begun = stamp()
    x, y = ("x", 1), ("y", 2)
    workload(fake, "a", "x", cpu=3, priority=1, created=fake.begun)
    workload(fake, "a", "y", cpu=3, priority=2, held=True, created=fake.begun, reserved=fake.begun)
    w.wait(lambda: w.counts() == (1, 1))
    for _ in range(8):
        preempt(fake, y, x, stamp())
        x, y = y, x
    w.wait(lambda: "fairlead_preemption_loops_total 1" in w.get("/metrics").splitlines())
    page.open("#view=preemptions&range=all", "t-admin")
    page.live().says("preempted in all the time that is known", ".says")
    page.says("Jobs seem to preempt each other in a loop", ".loops")
    page.says("2 jobs preempt each other in turn", ".loops")
    page.says("fairlead prove", ".loops")
    page.says("higher priority in the same queue", ".rule-bars")
    page.until("return document.querySelector('.pairs button')?.innerText.replace(/\\s+/g, ' ').trim() === 'cq took from cq'")
    page.until("return document.querySelectorAll('.takings li').length > 0")
    page.looks_well("cluster-preemptions", 1400)
    # A moment: the one that is held holds 3 of 4, the other waits.
    w.wait(lambda: w.counts() == (1, 1))
    began = time.time()
    w.wait(lambda: time.time() > began + 2.5)
    at = int(began) + 1
    page.open(f"#view=tree&at={at}", "t-admin")
    page.live().says("As it was at", ".moment")
    page.until("return document.querySelector('[data-key=\"ClusterQueue/cq\"] .used')?.innerText.trim() === '3 / 4'")
    page.until("return document.querySelector('[data-key=\"ClusterQueue/cq\"] .running')?.innerText.trim() === '1'")
    page.press("g", "o")
    page.says("held most of it, 100", ".says")
    page.looks_well("cluster-time", 1400)
    assert [text for text in page.pages.complaints() if "503" not in text] == []
