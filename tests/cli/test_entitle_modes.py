# SPDX-License-Identifier: Apache-2.0
"""Modes of a Policy, from the manifests to what is printed; their examples are those of the guide."""
import json

import pytest
import yaml

import entitle_manifests as e
import manifests as m
from conftest import SOURCE

MODES = SOURCE / "examples" / "modes"
# example: what its Policy changes in the first cycle
EXAMPLES = {
    "turns": ([], [("lab/red-job", "lab/green-job")]),
    "below-quota": ([("lab/green-job", "lab/red-gang")], []),
    "protect-quota": ([("lab/green-gang", "lab/red-gang")], []),
}


def policy(**spec):
    return {"apiVersion": "fairlead.dev/v1alpha1", "kind": "Policy", "metadata": {"name": "p"}, "spec": spec}


def history(**spec):
    return {"apiVersion": "fairlead.dev/v1alpha1", "kind": "UsageHistory", "metadata": {"name": "h"}, "spec": spec}


def evicted(r):
    assert r.code == 0, r.err
    return [(row["workload"], row["reclaimer"]) for c in r.json()["cycles"] for row in c["evicted"]]


@pytest.mark.parametrize("name", EXAMPLES)
def test_what_a_mode_changes(fairlead, valid, name):
    default, changed = EXAMPLES[name]
    world = ["-f", str(MODES / f"{name}.yaml"), "-o", "json"]
    assert evicted(fairlead("plan", *world)) == default
    r = fairlead("plan", *world, "-f", str(MODES / f"{name}-policy.yaml"))
    valid(r.json(), "plan")
    assert evicted(r) == changed


def test_a_policy_that_switches_nothing_on(fairlead):
    """Off is off: the same bytes."""
    for name in EXAMPLES:
        world = ["-f", str(MODES / f"{name}.yaml")]
        off = policy(entitlement={"turns": False, "division": "Compatible", "keepBelowQuota": False,
                                  "protectQuota": False, "usageWithinShare": "Counted",
                                  "documentedMultiplier": False})
        for verb in (["plan"], ["plan", "--settle", "-o", "json"], ["tree"]):
            plain = fairlead(*verb, *world)
            assert fairlead(*verb, *world, "-f", "-", stdin=json.dumps(off).encode()).out == plain.out


def test_every_example_settles_and_is_clean(fairlead):
    for world in sorted(MODES.glob("*.yaml")):
        if world.name.endswith("-policy.yaml"):
            continue
        kinds = [w["kind"] for w in fairlead("check", "-f", str(world), "-o", "json").json()["warnings"]]
        assert kinds == (["child-quota-above-parent"] if world.stem == "bounded" else [])
        for other in MODES.glob(world.stem.split("-")[0] + "*-policy.yaml"):
            r = fairlead("plan", "--settle", "-f", str(world), "-f", str(other), "-o", "json")
            assert r.code == 0 and r.json()["settled"] is True


def test_modes_do_not_depend_on_the_order_of_the_input(fairlead, write):
    for world in ("turns", "budgets-early", "budgets-later", "below-quota"):
        mode = world.split("-", maxsplit=1)[0] if world.startswith("budgets") else world
        objects = [o for n in (world, f"{mode}-policy")
                   for o in yaml.safe_load_all((MODES / f"{n}.yaml").read_text()) if o]
        said = []
        for order in (objects, objects[::-1], sorted(objects, key=lambda o: o["metadata"]["name"])):
            write("c.json", m.dump(*order))
            said.append(fairlead("plan", "--settle", "-f", "c.json").out)
        assert said[0] == said[1] == said[2] and "Settled" in said[0]


def test_a_turn_is_explained(fairlead):
    files = [a for n in ("turns", "turns-policy") for a in ("-f", str(MODES / f"{n}.yaml"))]
    r = fairlead("explain", "lab/green-job", *files)
    assert r.code == 0 and "evicts 1 workload for it (reclaim)" in r.out
    files[1] = str(MODES / "turns-early.yaml")
    failed = fairlead("explain", "lab/green-job", *files, "-o", "json").json()["failed"]
    assert (failed["rule"], failed["queue"], failed["left"]) == ("Turn", "red", 0.5)
    # four hours of forty-four, of which a third is red's
    assert failed["right"] == pytest.approx(3 * 4 / 44)
    assert failed["message"] == "'red' has held 0.273 times its part of gpu over time, and yields at 0.5"


def test_a_spent_budget_is_explained(fairlead):
    files = [a for n in ("budgets-spent", "budgets-stop-policy") for a in ("-f", str(MODES / f"{n}.yaml"))]
    r = fairlead("explain", "lab/red-job", *files)
    assert r.code == 0
    assert "it belongs to a queue that has used its budget of this period: 'red' has used 2304 gpu-hours of its 2300" \
        in " ".join(r.out.split())
    pending = fairlead("plan", *files, "-o", "json").json()["cycles"][-1]["pending"]
    assert [row["reason"] for row in pending if row["workload"] == "lab/red-job"] == ["BudgetUsed"]


TURNS = policy(entitlement={"turns": True})
BUDGETS = policy(budgets={"period": {"cron": "@monthly"}, "queues": [{"name": "q", "gpuHours": 1}]})


FREE = policy(entitlement={"usageWithinShare": "Free"})
DOCUMENTED = policy(entitlement={"documentedMultiplier": True})
MULTIPLIER = {"proportion": {"arguments": {"reclaimerUtilizationMultiplier": "1.2"}}}


def test_a_documented_multiplier_below_1_is_refused(fairlead, write):
    low = {"proportion": {"arguments": {"reclaimerUtilizationMultiplier": "0.9"}}}
    write("c.json", m.dump(e.machine("n"), e.queue("q"), e.shard(plugins=low), DOCUMENTED))
    r = fairlead("plan", "-f", "c.json")
    assert r.code == 1
    assert "SchedulingShard/default .spec.plugins.proportion.arguments.reclaimerUtilizationMultiplier: " \
        "a multiplier below 1 is not allowed" in r.err


def test_the_documented_multiplier_makes_reclaim_more_conservative(fairlead, write):
    """Of 8 GPUs two queues have 4 each; one that holds none reclaims 4 from one that has all, but not with 1.2."""
    objects = [e.machine("n", gpu=8), e.queue("a", gpu=(0, 1, -1)), e.queue("b", gpu=(0, 1, -1)),
               *[o for i in range(8) for o in e.gang(f"b{i}", "b", on="n")], *e.gang("a0", "a", gpu=4)]
    by = {}
    for name, more in {"none": [], "ignored": [e.shard(plugins=MULTIPLIER)],
                       "documented": [e.shard(plugins=MULTIPLIER), DOCUMENTED]}.items():
        write("c.json", m.dump(*objects, *more))
        first = fairlead("plan", "-f", "c.json", "-o", "json").json()["cycles"][0]
        by[name] = len(first["evicted"])
    assert by == {"none": 4, "ignored": 4, "documented": 0}


@pytest.mark.parametrize("objects, messages", [
    ([TURNS, e.shard(kValue=0), history(usage={"q": {"gpu": 0.5}})],
     ["turns have no effect: kValue is 0, so that history does not count"]),
    ([TURNS, e.shard(kValue=1)],
     ["turns have no effect: there is neither usageDBConfig nor a history of usage"]),
    ([TURNS, e.shard(kValue=1), history(usage={"q": {"gpu": 0.5}})], []),
    ([{**BUDGETS, "spec": {**BUDGETS["spec"], **TURNS["spec"]}}],
     ["turns have no effect beside budgets, which take their place"]),
    ([policy(budgets={"period": {"cron": "@monthly"}})], ["budgets have no effect: no queue has one"]),
    ([policy(entitlement={"protectQuota": True})],
     ["keepBelowQuota and protectQuota have no effect: no queue deserves a part"]),
    ([policy(entitlement={"keepBelowQuota": True}), e.queue("r", "top", gpu=(1, 1, -1))], []),
    ([BUDGETS], []),
    ([FREE, e.shard(kValue=0), history(usage={"q": {"gpu": 0.5}})],
     ["usageWithinShare has no effect: kValue is 0, so that history does not count"]),
    ([FREE, e.shard(kValue=1), history(usage={"q": {"gpu": 0.5}})], []),
    ([DOCUMENTED, e.shard(kValue=1)],
     ["documentedMultiplier has no effect: no reclaimerUtilizationMultiplier above 1 is given"]),
    ([DOCUMENTED, e.shard(plugins=MULTIPLIER)], []),
])
def test_modes_without_effect(fairlead, write, objects, messages):
    write("c.json", m.dump(e.machine("n"), e.queue("top"), e.queue("q", "top"), *objects))
    r = fairlead("check", "-f", "c.json", "-o", "json")
    assert r.code == 0, r.out
    assert [w["message"] for w in r.json()["warnings"] if w["kind"] == "mode-without-effect"] == messages


def test_a_budget_of_an_unknown_queue(fairlead, write):
    unknown = policy(budgets={"period": {"cron": "@monthly"}, "queues": [{"name": "gone", "gpuHours": 1}]})
    write("c.json", m.dump(e.machine("n"), e.queue("top"), unknown))
    r = fairlead("check", "-f", "c.json", "-o", "json")
    assert "missing-node" in [w["kind"] for w in r.json()["warnings"]]
