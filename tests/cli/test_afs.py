# SPDX-License-Identifier: Apache-2.0
"""Admission fair sharing: who is next, sampled and exact, and what time alone changes."""
import pytest

import manifests as m

CONFIGURATION = {"apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration",
                 "admissionFairSharing": {"usageHalfLifeTime": "1h", "usageSamplingInterval": "5m"}}
EXACT = {"apiVersion": "fairlead.dev/v1alpha1", "kind": "Policy", "metadata": {"name": "default"},
         "spec": {"admissionFairSharing": {"usage": "Exact"}}}
SAMPLED = {**EXACT, "spec": {"admissionFairSharing": {"usage": "Sampled"}}}


def local_queue(name, consumed, last_update):
    status = {"admissionFairSharingStatus": {"consumedResources": {"cpu": consumed},
                                             "lastUpdate": last_update}}
    return {**m.local_queue(name, "q"), "status": {"fairSharing": status}}


def world(*policy):
    """idle was sampled with 4 an hour ago and has held nothing since; busy with 3, and holds 4 all along."""
    return [
        CONFIGURATION, *policy, m.flavor("f"), m.namespace("ns"),
        m.cluster_queue("q", m.quota("f", cpu="6"), queueingStrategy="StrictFIFO",
                        admissionScope={"admissionMode": "UsageBasedAdmissionFairSharing"}),
        local_queue("idle", "4", "2026-01-01T01:00:00Z"), local_queue("busy", "3", "2026-01-01T01:00:00Z"),
        m.workload("running", "busy", cpu="4", admitted=("q", "f")),
        m.workload("of-idle", "idle", cpu="2"),
        m.workload("of-busy", "busy", cpu="2"),
    ]


def admitted(result):
    return [a["workload"] for c in result.json()["cycles"] for a in c["admitted"]]


@pytest.mark.parametrize("policy, first", [((), "ns/of-busy"), ((SAMPLED,), "ns/of-busy"), ((EXACT,), "ns/of-idle")])
def test_exact_counts_what_was_held_since_the_last_sample(fairlead, write, policy, first):
    write("c.json", m.dump(*world(*policy)))
    result = fairlead("plan", "-f", "c.json", "--now", "2026-01-01T02:00:00Z", "-o", "json")
    assert admitted(result) == [first], result.err
    assert not result.err


@pytest.mark.parametrize("policy", [(), (EXACT,)])
def test_last_update_is_a_time_of_the_input(fairlead, write, policy):
    """--now is the newest time; at that time nothing has passed since the sample, and 3 is less than 4."""
    write("c.json", m.dump(*world(*policy)))
    result = fairlead("plan", "-f", "c.json", "-o", "json")
    assert "the clock is 2026-01-01T01:00:00Z, the newest time in the input" in result.json()["assumptions"]
    assert admitted(result) == ["ns/of-busy"]


@pytest.mark.parametrize("update", [None, "2027-01-01T00:00:00Z"])
def test_odd_last_updates(fairlead, write, update):
    """Absent, or after now (a clock that went back): usage counts as of now."""
    objects = world(EXACT)
    for o in objects:
        if o["kind"] == "LocalQueue":
            o["status"]["fairSharing"]["admissionFairSharingStatus"]["lastUpdate"] = update
    write("c.json", m.dump(*objects))
    result = fairlead("plan", "-f", "c.json", "--now", "2026-01-01T02:00:00Z", "-o", "json")
    assert admitted(result) == ["ns/of-busy"]


def test_a_bad_last_update_is_an_error_with_its_place(fairlead, write):
    write("c.yaml", "apiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\nmetadata: {name: a, namespace: ns}\n"
          "status: {fairSharing: {admissionFairSharingStatus: {lastUpdate: yesterday}}}\n")
    result = fairlead("plan", "-f", "c.yaml")
    assert result.code == 1
    assert result.first_error.startswith("c.yaml:4:")
    assert "'yesterday' is not a time" in result.first_error


@pytest.mark.parametrize("policy", [(), (EXACT,)])
def test_settle_goes_on_where_time_changes_who_is_next(fairlead, write, policy):
    """of-large, next by usage, does not fit; an hour and a half later of-idle is next."""
    objects = [o for o in world(*policy) if o.get("metadata", {}).get("name") != "of-busy"]
    objects.append(m.workload("of-large", "busy", cpu="3"))
    for o in objects:
        if o["kind"] == "LocalQueue" and o["metadata"]["name"] == "idle":
            o["status"]["fairSharing"]["admissionFairSharingStatus"]["consumedResources"]["cpu"] = "12"
    write("c.json", m.dump(*objects))
    result = fairlead("plan", "-f", "c.json", "--now", "2026-01-01T01:00:00Z", "--settle", "-o", "json")
    assert result.code == 0, result.err
    assert admitted(result) == ["ns/of-idle"]
    assert result.json()["settled"] is True
