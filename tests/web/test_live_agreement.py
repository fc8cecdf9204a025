# SPDX-License-Identifier: Apache-2.0
"""Agreement: over a daemon that observes a cluster, which is the tests' fake one."""
import os
import pathlib
import sys
import tempfile
import time

import pytest

from live import SOURCE, WIDTHS, Beside

pytestmark = pytest.mark.skipif("FAIRLEADD" not in os.environ, reason="needs the daemon")
sys.path.append(str(SOURCE / "tests" / "kube"))

import certificates  # noqa: E402
from fake import Fake  # noqa: E402
from followed import kubeconfig  # noqa: E402
from watching import Watching, fill, let_pass, queue, workload  # noqa: E402

KNOWN = 2.5  # seconds after which the scheduler knows of a workload, for the engine


def differ(fake, w):
    """The scheduler admits `fits` as the engine does, and `low` where the engine takes `high`."""
    workload(fake, "a", "fits", cpu=1)
    w.wait(lambda: w.counts() == (0, 1))
    workload(fake, "a", "fits", cpu=1, held=True)
    w.wait(lambda: w.counts() == (1, 0))
    w.wait(lambda: w.get("/v1/agreement")["windows"] == 1)
    workload(fake, "a", "low", cpu=3)
    workload(fake, "a", "high", cpu=3, priority=5)
    w.wait(lambda: w.counts() == (1, 2))
    time.sleep(KNOWN)
    workload(fake, "a", "low", cpu=3, held=True)
    w.wait(lambda: len(w.get("/v1/agreement")["differences"]) == 2)


@pytest.fixture(scope="module")
def beside(pages):
    # Not pytest's: that is closed to others whenever any pytest begins, and a daemon that root has started is not root.
    with tempfile.TemporaryDirectory(prefix="fairlead-") as folder:
        yield from watching(pages, pathlib.Path(folder))


def watching(pages, folder):
    folder.chmod(0o755)
    let_pass(folder)
    certificate = certificates.Certificate(folder, "server")
    fake = Fake(certificate.file, certificate.key, seed=1)
    fill(fake)
    fake.put("clusterqueues", None, "cq", spec={**queue(4), "preemption": {"withinClusterQueue": "LowerPriority"}})
    fake.people = {"t-alice": {"username": "alice"}}
    fake.may = lambda user, verb, resource, namespace, name: True
    w = Watching(folder, kubeconfig(folder, fake.port, certificate.file), listen=True).ready()
    differ(fake, w)
    live = Beside(pages, w)
    live.fake = fake
    yield live
    pages.driver.get("about:blank")
    code = w.end()
    fake.close()
    assert code in (0, -9), w.text()


@pytest.fixture
def page(beside):
    yield beside
    assert beside.pages.complaints() == []


def test_how_often_and_each_difference(page):
    page.open("#view=agreement", page.token())
    page.live().says("There are 2 differences")
    page.until("return [...document.querySelectorAll('nav a')].some((a) => a.innerText === 'Agreement')")
    told = page.watching.get("/v1/agreement")
    kind = next(row for row in told["kinds"] if row["kind"] == "admit")
    page.says(f"{kind['realToo']} of {kind['real']}", ".agreement-rows")
    page.says(f"{kind['engineToo']} of {kind['engine']}", ".agreement-rows")
    page.until("return document.querySelectorAll('.disagreements > li').length === 2")
    for one in told["differences"]:
        page.says(one["workload"], ".disagreements")
        for reason in filter(None, (one.get("real"), one.get("engine"))):
            page.says(reason, ".disagreements")
    page.says("admitted only by the engine", ".disagreements")
    assert page.run("return document.querySelector('.cause-bar').getAttribute('aria-label')").count(": 1") == 2


@pytest.mark.e2e
def test_of_a_cause_and_a_time(page):
    cause = page.watching.get("/v1/agreement")["differences"][0]["cause"]
    page.open(f"#view=agreement&cause={cause}&hours=24", page.token())
    page.live().until("return document.querySelectorAll('.disagreements > li').length === 1")
    page.type_into("Cause", "unknown")
    page.says("There is none with this cause")


@pytest.mark.e2e
def test_the_state_is_for_admins(page):
    page.open("#view=agreement", page.token())
    page.live().says("Save the state just before", ".disagreements")
    page.open("#view=agreement", page.token("t-alice"))
    page.live().until("return document.querySelectorAll('.disagreements > li').length === 2")
    assert "Save the state" not in page.run("return document.body.innerText")


def test_a_change_of_a_cluster_is_a_command(page):
    page.open("#view=what-if&set=" + "ClusterQueue%2Fcq%3A%20nominalQuota%5Bcpu%2Cdefault%5D%3D8%0AClusterQueue%2Fcq%3A%20fairSharing.weight%3D2", page.token())
    page.live().says("jobs would run", ".difference .message")
    page.says("The page writes nothing to the cluster")
    page.says("kubectl patch clusterqueues.kueue.x-k8s.io 'cq' --type=merge -p '{\"spec\":{\"fairSharing\":{\"weight\":2}}}'")
    page.says('{"op":"add","path":"/spec/resourceGroups/0/flavors/0/resources/0/nominalQuota","value":"8"}')
    page.says('nominalQuota: "8"', ".what-if-side")
    assert page.run("return [...document.querySelectorAll('main button')].some((b) => b.innerText === 'Apply…')") is False


@pytest.mark.e2e
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("view", ["agreement", "what-if&set=ClusterQueue%2Fcq%3A%20nominalQuota%5Bcpu%2Cdefault%5D%3D8"])
def test_no_text_is_cut_or_lies_on_another(page, view, width):
    page.open(f"#view={view}", page.token(), width, 1000)
    page.live().until("return document.querySelector('.disagreements > li, .difference .message') !== null")
    page.looks_well(f"cluster-{view.split('&')[0]}", width)
