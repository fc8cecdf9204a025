# SPDX-License-Identifier: Apache-2.0
"""WHY of a list: which words in which state, for each policy; that they do not change with every cycle; what it costs."""
import json
import os
import re
import subprocess
import time

import pytest

from conftest import CONFIG, processor_seconds
from test_policies import MACHINE, daemon_of, queue  # noqa: F401 (a fixture)


def why(daemon, number):
    """Of the page and of the list, which are the same where no cycle came between."""
    while True:
        before = daemon.job(number)["why"]
        listed = [j["why"] for j in daemon.get("/v1/jobs?limit=10000").json()["jobs"] if j["id"] == number]
        if daemon.job(number)["why"] == before:
            assert listed in ([before], [])
            return before


def says(daemon, number, text):
    daemon.until(lambda: why(daemon, number) == text, f"{text}, not {why(daemon, number)}")


def fill(daemon, n=4, **spec):
    """Four cores in use."""
    for number in [daemon.submit("sleep", "1000", requests={"cpu": "1"}, **spec) for _ in range(n)]:
        daemon.wait(number, "runs")
        assert why(daemon, number) is None


def test_states(daemon):
    fill(daemon)
    first = daemon.submit(requests={"cpu": "1"})
    second = daemon.submit(requests={"cpu": "500m", "memory": "1Gi"})
    urgent = daemon.submit(requests={"cpu": "2"}, priority=5)
    large = daemon.submit(requests={"cpu": "5"})
    many = daemon.submit(requests={"cpu": "1", "memory": "900Mi"}, tasks=3)
    other = daemon.submit(requests={"cpu": "1"}, queue="other")
    held = daemon.submit(hold=True)
    one = daemon.submit(after=[{"job": first, "when": "ok"}])
    five = daemon.submit(after=[{"job": n, "when": "any"} for n in (first, second, urgent, large, many)])
    for number, text in (
            (urgent, "4 of 4 cpu in use; next in its queue"),
            (first, "4 of 4 cpu in use; 1 ahead of it"),
            (second, "4 of 4 cpu in use; 2 ahead of it"),
            (large, "asks for 5 cpu, and there are 4"),
            (many, "4 of 4 cpu in use; 4 ahead of it"),
            (other, "4 of 4 cpu in use; next in its queue"),
            (held, "held until it is released"),
            (one, f"waits for job {first}"),
            (five, f"waits for jobs {first}, {second}, {urgent} and 2 more")):
        says(daemon, number, text)
    assert daemon.post(f"/v1/jobs/{held}/release").status == 200
    says(daemon, held, "4 of 4 cpu in use; 5 ahead of it")
    assert daemon.post(f"/v1/jobs/{held}/hold").status == 200
    says(daemon, held, "held by an admin until it is released" if os.getuid() == 0 else "held until it is released")
    assert daemon.post(f"/v1/jobs/{urgent}/cancel").status == 200
    says(daemon, first, "4 of 4 cpu in use; next in its queue")
    assert daemon.job(urgent)["why"] == daemon.job(urgent)["reason"]


def test_of_memory(daemon):
    daemon.wait(daemon.submit("sleep", "1000", requests={"cpu": "100m", "memory": "3Gi"}), "runs")
    says(daemon, daemon.submit(requests={"cpu": "1", "memory": "2Gi"}), "3Gi of 4Gi memory in use; next in its queue")


OWN = CONFIG.replace("metadata: {name: other}\nspec:\n  cohortName: machine\n", """\
metadata: {name: other}
spec:
  cohortName: below
  resourceGroups:
  - coveredResources: [cpu]
    flavors: [{name: default, resources: [{name: cpu, nominalQuota: "1", borrowingLimit: "1"}]}]
""") + """\
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: Cohort
metadata: {name: below}
spec:
  parentName: machine
  resourceGroups:
  - coveredResources: [cpu]
    flavors: [{name: default, resources: [{name: cpu, nominalQuota: "0", borrowingLimit: LIMIT}]}]
"""


@pytest.mark.parametrize("limit, text", [
    ("3", "2 of 2 cpu in use in queue 'other'; next in its queue"),
    ("0", "1 of 1 cpu in use in cohort 'below'; next in its queue"),
])
def test_of_a_limit_below(daemon_of, limit, text):  # noqa: F811
    assert "cohortName: below" in OWN
    daemon = daemon_of(OWN.replace("LIMIT", f'"{limit}"'))
    fill(daemon, 2 if limit == "3" else 1, queue="other")
    says(daemon, daemon.submit(queue="other", requests={"cpu": "1"}), text)
    job = daemon.submit(queue="other", requests={"cpu": "1", "memory": "1Gi"})
    says(daemon, job, "requests a resource that its queue has no quota for")


def test_of_entitlements(daemon_of):  # noqa: F811
    daemon = daemon_of(MACHINE.replace("    COHORT\n", "") + queue("dept", parent=None) + queue("team"))
    fill(daemon, queue="team")
    says(daemon, daemon.submit(queue="team", requests={"cpu": "2"}), "4 of 4 cpu in use; next in its queue")
    says(daemon, daemon.submit(queue="team", requests={"cpu": "1"}), "4 of 4 cpu in use; 1 ahead of it")
    says(daemon, daemon.submit(queue="team", requests={"cpu": "9"}), "asks for 9 cpu, and there are 4")


def test_of_drf(daemon_of):  # noqa: F811
    daemon = daemon_of(CONFIG.replace("spec:\n", "spec:\n  policy: drf\n", 1))
    fill(daemon)
    says(daemon, daemon.submit(requests={"cpu": "2"}), "4 of 4 cpu in use; next in its queue")
    says(daemon, daemon.submit(requests={"cpu": "1"}), "4 of 4 cpu in use; 1 ahead of it")


def test_it_does_not_flip(daemon):
    """Others come and go twenty times a second; of a job that waits for all the words stay, only the figure changes."""
    for _ in range(60):
        daemon.submit("sleep", "0.1", requests={"cpu": "1"}, queue="other", priority=1)
    waits = daemon.submit("true", requests={"cpu": "4"})
    later = daemon.submit("true", requests={"cpu": "3"})
    texts, reasons = set(), set()
    while daemon.job(waits)["state"] == "waits":
        jobs = {j["id"]: j for j in daemon.get("/v1/jobs?limit=10000").json()["jobs"]}
        for number, place in ((waits, "next in its queue"), (later, "1 ahead of it")):
            if jobs.get(number, {}).get("state") == "waits" and jobs[waits]["state"] == "waits":
                text = jobs[number]["why"]
                assert re.fullmatch(rf"[0-4] of 4 cpu in use; {place}|was submitted just now", text), text
                texts.add(text)
                reasons.add(jobs[number]["reason"])
        time.sleep(0.005)
    print(sorted(texts), sorted(reasons))
    assert len(texts) > 2
    assert daemon.wait(waits)["state"] == daemon.wait(later)["state"] == "done"


def test_of_many(daemon):
    """A list of a thousand among many pending ones looks at each of them a few times, and tries none."""
    fill(daemon)
    n = 4000
    daemon.submit("true", array=n, requests={"cpu": "1"})
    last = daemon.get("/v1/jobs?last=1&limit=1").json()["jobs"][0]["id"]
    says(daemon, last, f"4 of 4 cpu in use; {n - 1} ahead of it")
    began = processor_seconds(daemon)
    jobs = daemon.get("/v1/jobs?limit=1000&state=waits").json()["jobs"]
    took = processor_seconds(daemon) - began
    assert [j["why"] for j in jobs] == ["4 of 4 cpu in use; " + (f"{i} ahead of it" if i else "next in its queue")
                                        for i in range(1000)]
    print(f"1000 of {n} pending jobs in {took:.2f} s of a processor")
    assert os.environ.get("FAIRLEAD_SANITIZED") or took < 2


@pytest.mark.skipif(os.getuid() != 0, reason="only root can ask as somebody else")
def test_for_a_stranger(shared):
    """Others see why, but no folder or program."""
    os.chmod(shared.socket, 0o666)
    for folder in (shared.folder, *shared.folder.parents):
        if folder.stat().st_uid == os.getuid() and str(folder) not in ("/", "/tmp"):
            os.chmod(folder, 0o755)
    number = shared.submit("/nonexistent/secret")
    shared.wait(number)
    said = subprocess.run([os.environ["FAIRLEAD"], "jobs", "-a", "-o", "json", "--socket", str(shared.socket)], user="nobody",
                          cwd="/", capture_output=True, text=True).stdout
    [job] = [j for j in json.loads(said)["jobs"] if j["id"] == number]
    assert job["why"] == "impossible" and "secret" in shared.job(number)["why"]
