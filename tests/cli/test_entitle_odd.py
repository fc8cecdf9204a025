# SPDX-License-Identifier: Apache-2.0
"""Odd worlds of the entitle policy: what fuzzing has found, and pods that suit no machine."""
import entitle_manifests as m


def group(name, pods=()):
    objects = [{"apiVersion": "scheduling.run.ai/v2alpha2", "kind": "PodGroup",
                "metadata": {"name": name, "namespace": "ns"}, "spec": {"queue": "q", "minMember": 1}}]
    for i, phase in enumerate(pods):
        pod = m.pod(f"{name}-{i}", name, "2026-01-01T00:00:00Z", 1, 1, "1G")
        pod["status"] = {"phase": phase}
        objects.append(pod)
    return objects


def test_groups_without_pods_that_want_to_run(fairlead, write):
    """One whose pods are all done takes no part; one that has none yet waits for them."""
    write("c.json", m.dump(m.queue("q"), m.machine("m"), *group("done", ["Succeeded", "Failed"]), *group("none")))
    r = fairlead("explain", "-f", "c.json", "ns/done")
    assert (r.code, r.out.splitlines()[0]) == (
        0, "ns/done takes no part: it has fewer pods than the minimum of its gang.")
    r = fairlead("explain", "-f", "c.json", "ns/none")
    assert (r.code, r.out.splitlines()[0]) == (0, "ns/none waits: it has fewer pods than the minimum of its gang.")
    r = fairlead("plan", "-f", "c.json")
    assert r.code == 0
    assert "1 waits:" in r.out and "has fewer pods than the minimum" in r.out


def test_others_hold_more_than_there_is(fairlead, write):
    """Shares of nothing are nothing: the total is not below 0."""
    other = m.pod("other", None, "2026-01-01T00:00:00Z", 5, 1, "1G", on="m", scheduler="default-scheduler")
    write("c.json", m.dump(m.queue("q", gpu=(0, 1, -1)), m.machine("m", gpu=2), other, *group("w", ["Pending"])))
    r = fairlead("tree", "-f", "c.json", "-o", "json")
    assert r.code == 0
    gpu = next(row for row in r.json()["nodes"][0]["resources"] if row["resource"] == "gpu")
    assert (r.json()["total"]["gpu"], gpu["fairShare"]) == (0, 0)


def test_pods_that_no_machine_suits(fairlead, write):
    """Selectors and taints keep a pod from machines with room, and that is what it is told."""
    wants, bears, free = (m.pod(name, None, "2026-01-01T00:00:00Z", 1, 1, "1G") for name in ("wants", "bears", "free"))
    for pod in (wants, bears, free):
        pod["metadata"]["labels"] = {"kai.scheduler/queue": "q"}
    wants["spec"].update(nodeSelector={"kind": "h100"}, tolerations=[{"operator": "Exists"}])
    bears["spec"].update(nodeSelector={"kind": "a100"}, tolerations=[{"operator": "Exists"}])
    machine = m.machine("m")
    machine["metadata"]["labels"] = {"kind": "a100"}
    machine["spec"] = {"taints": [{"key": "x", "value": "y", "effect": "NoSchedule"}]}
    write("c.json", m.dump(m.queue("top", gpu=(8, 1, -1)), m.queue("q", "top", gpu=(8, 1, -1)), machine, wants, bears, free))
    r = fairlead("plan", "-f", "c.json", "-o", "json")
    cycle = r.json()["cycles"][0]
    assert (r.code, [a["workload"] for a in cycle["allocated"]]) == (0, ["ns/bears"])
    assert [(p["workload"], p["reason"]) for p in cycle["pending"]] == [
        ("ns/free", "NoMatchingMachine"), ("ns/wants", "NoMatchingMachine")]
    r = fairlead("explain", "-f", "c.json", "ns/wants")
    assert r.out.splitlines()[0] == (
        "ns/wants waits: it is kept from every machine by its node selector, its affinity or their taints.")


def test_a_tree_that_is_too_deep(fairlead, write):
    """256 levels above a queue are the most, as for cohorts; the name of the message hangs on no order."""
    chain = [m.queue("q000")] + [m.queue(f"q{i:03}", f"q{i - 1:03}") for i in range(1, 257)]
    write("c.json", m.dump(m.machine("m"), *chain))
    assert fairlead("check", "-f", "c.json").code == 0
    chain += [m.queue(f"q{i:03}", f"q{i - 1:03}") for i in range(257, 260)]
    for objects in (chain, chain[::-1]):
        write("c.json", m.dump(m.machine("m"), *objects))
        r = fairlead("check", "-f", "c.json", "-o", "json")
        assert (r.code, [(e["subject"], e["message"]) for e in r.json()["errors"]]) == (
            1, [("Queue/q257", "queues nest deeper than 256 levels")])
