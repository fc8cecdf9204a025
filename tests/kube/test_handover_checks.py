# SPDX-License-Identifier: Apache-2.0
"""fairlead handover of a queue with admission checks: that of fairlead, which is never active, stands in the place of Hold.

What the real Kueue does is tried in tests/e2e/test_checks.py.
"""
import pytest
from test_handover import MARK, cluster  # noqa: F401  (a fixture)

OURS, TAKEN = {"name": "fairlead"}, {"fairlead.dev/checks": "prov"}


def checked(cluster, mark=None, stop="None", ours=False, known=True):
    """Queue a has the check `prov`; @ours: and that of fairlead, and @known: the annotation that goes with it."""
    cluster.check("prov")
    cluster.change("a", {"annotations": {**({MARK: mark} if mark else {}), **(TAKEN if ours and known else {})}}, stopPolicy=stop,
                   admissionChecksStrategy={"admissionChecks": [{"name": "prov", "onFlavors": ["default"]}, *([OURS] if ours else [])]})
    cluster.say_stopped("a")


def test_a_queue_with_checks(cluster):
    """The check is made once; each other queue is on Hold as ever."""
    checked(cluster)
    seen = []

    def after(plural, name):
        cluster.say_stopped(name)
        seen.append((cluster.standing("a"), cluster.checks("a")[0], cluster.standing("b")))

    cluster.fake.after_patch = after
    done = cluster.run("team", "--yes")
    assert done.code == 0, done.err
    both = ["prov", "fairlead"]
    assert seen == [(("None", "handover"), both, ("None", None)), (("None", "handover"), both, ("Hold", "handover")),
                    (("None", "true"), both, ("Hold", "handover")), (("None", "true"), both, ("Hold", "true"))]
    assert cluster.checks("a") == (both, "prov") and cluster.checks("b") == ([], None)
    rows = cluster.fake.objects["clusterqueues"][None, "a"]["spec"]["admissionChecksStrategy"]["admissionChecks"]
    assert rows == [{"name": "prov", "onFlavors": ["default"]}, OURS]
    assert cluster.fake.objects["admissionchecks"][None, "fairlead"]["spec"] == {"controllerName": "fairlead.dev/scheduler"}
    lines = [line.split() for line in done.out.splitlines()]
    assert ["a", "cpu", "4", "None", "->", "check", "Kueue", "->", "fairlead", "0", "0"] in lines
    assert "ClusterQueue a: has an inactive check, no scheduler decides" in done.out
    assert cluster.run("team", "--yes").out == "The tree of cohort team is handed over already\n"
    done = cluster.run("team", "--back", "--yes", "-o", "json")
    assert done.code == 0 and cluster.checks("a") == (["prov"], None) and cluster.standing("a") == ("None", None)
    assert [(q["before"]["check"], q["after"]["check"]) for q in done.json()["clusterQueues"]] == [(True, False), (False, False)]
    assert [verb for verb, plural, _ in cluster.fake.requests if plural == "admissionchecks" and verb == "create"] == ["create"]


CHECKED_STOPS = [  # before: stop, annotation, ours, as it was left; handed over; given back again
    (("Hold", None, False), "hold", "Hold"),
    (("HoldAndDrain", None, False), "drain", "HoldAndDrain"),
    (("Hold", "true", False), "true", "None"),  # it got its check since
    (("None", "handover", True), "true", "None"),
    (("None", "hold", True), "hold", "Hold"),
    (("None", "drain", True), "drain", "HoldAndDrain"),
    (("None", None, True), "true", "None"),
    (("Hold", "true", True), "hold", "Hold"),  # where the check is Hold is somebody's stop
    (("HoldAndDrain", "true", True), "drain", "HoldAndDrain"),
]


@pytest.mark.parametrize("before, over, back", CHECKED_STOPS, ids=["-".join(map(str, b)) for b, _, _ in CHECKED_STOPS])
def test_a_stop_of_a_queue_with_checks_outlives_both_ways(cluster, before, over, back):
    stop, mark, ours = before
    checked(cluster, mark, stop, ours)
    assert cluster.run("team", "--yes").code == 0
    assert cluster.standing("a") == ("None", over) and cluster.checks("a") == (["prov", "fairlead"], "prov")
    assert cluster.run("team", "--back", "--yes").code == 0
    assert cluster.standing("a") == (back, None) and cluster.checks("a") == (["prov"], None)


@pytest.mark.parametrize("before, back", [(("Hold", "true", True), "Hold"), (("None", None, True), "None"), (("None", "true", True), "None"),
                                          (("Hold", None, False), "Hold")])
def test_back_of_a_queue_with_checks(cluster, before, back):
    stop, mark, ours = before
    checked(cluster, mark, stop, ours)
    assert cluster.run("team", "--back", "--yes").code == 0
    assert cluster.standing("a") == (back, None) and cluster.checks("a") == (["prov"], None)


def test_checks_that_have_changed_since(cluster):
    """The command looks at them, and all of the tree stops first; a list that has no other goes with the check."""
    checked(cluster, "true", ours=True, known=False)
    done = cluster.run("team", "--yes")
    assert done.code == 0 and "ClusterQueue a: has an inactive check" in done.out, done.err
    assert cluster.checks("a") == (["prov", "fairlead"], "prov")
    cluster.change("a", admissionChecksStrategy={"admissionChecks": [OURS]})
    assert cluster.run("team", "--yes").code == 0 and cluster.checks("a") == (["fairlead"], "")
    assert cluster.run("team", "--back", "--yes").code == 0 and cluster.checks("a") == ([], None)


def test_a_check_that_kueue_does_not_find_inactive(cluster):
    """Another one that is inactive is nothing that this waits for."""
    checked(cluster)
    cluster.inactive = {"prov"}
    done = cluster.run("team", "--yes")
    assert done.code == 3 and "1 of 2 ClusterQueues do not say after 60 s that they are stopped, such as a" in done.err, done.err
    cluster.inactive = {"prov", "fairlead"}
    cluster.say_stopped("a")
    assert cluster.run("team", "--yes").code == 0 and cluster.standing("a") == ("None", "true")


def test_the_check_may_not_be_made(cluster):
    checked(cluster)
    cluster.fake.forbidden.add(("create", "admissionchecks"))
    done = cluster.run("team", "--yes")
    assert done.code == 3 and "AdmissionCheck fairlead" in done.err and "create of admissionchecks" in done.err and cluster.is_unchanged()
