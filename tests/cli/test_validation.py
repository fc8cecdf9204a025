# SPDX-License-Identifier: Apache-2.0
"""check says of an object what real API servers with Kueue and KAI said (tests/conformance/validation.jsonl.gz).

A case has an object (or a text), how it was sent, and the verdict: accepted, refused, or accepted with fields
dropped.  What a server refuses ends with 1 and names a field that the server names; what it accepts ends with 0;
each dropped field is named.  STRICTER has the cases in which check differs, each for a reason that
doc/differences.md gives.
"""
import collections
import gzip
import json
import random
import re

import pytest

from conftest import SOURCE

# Reason in doc/differences.md -> cases.
STRICTER = {
    "status of a manifest": [
        "cohort-v1beta1-status-at-creation-type", "cohort-v1beta2-status-at-creation-type",
        "localqueue-v1beta2-status-at-creation-type", "queue-v2-status-at-creation-type",
        "workload-v1beta1-status-at-creation"],
    "amounts beyond 2^63": [
        "clusterqueue-v1beta2-quantity-9223372036854775808-2", "text-quota-huge", "workload-v1beta2-quantity-9e99"],
    "numbers beyond 32 bits": [
        "queue-v2-int64-spec-priority-max", "schedulingshard-v1-int64-spec-queueDepthPerAction-reclaim-max"],
    "amounts below 0": [
        "localqueue-v1beta2-LQ1-weight-negative", "queue-v2-KQ-negative", "queue-v2-KQ-weight-negative",
        "schedulingshard-v1-KS-depth-negative", "workload-v1beta2-WL6-overhead-negative"],
    "a quantity that no program reads": ["localqueue-v1beta2-LQ3-weight-exp-fraction"],
    "a queue that is its own parent": ["queue-v2-KQ-self-parent"],
}
# A server refuses these, and check cannot know it.
LAXER = {
    "kinds of other groups": ["kind-scheduling.x_k8s.io_v1alpha1-PodGroup2"],
    "what was there before": [
        "workload-v1beta2-WS8-cluster-empty-nominated", "workload-v1beta2-WS8-cluster-not-nominated",
        "clusterqueue-v1beta2-UP6-name-changed"],
}
KNOWN = {case for table in (STRICTER, LAXER) for cases in table.values() for case in cases}


def cases():
    with gzip.open(SOURCE / "tests" / "conformance" / "validation.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def shuffled(value, rng):
    """The same with the keys of maps in another order."""
    if isinstance(value, list):
        return [shuffled(item, rng) for item in value]
    if not isinstance(value, dict):
        return value
    keys = list(value)
    rng.shuffle(keys)
    return {key: shuffled(value[key], rng) for key in keys}


def last(path):
    words = [w for w in re.findall(r"[^.\[\]]+", path) if not w.isdigit()]
    return words[-1] if words else ""


def ask(fairlead, write, case, rng):
    options = []
    if "text" in case:
        write("case.yaml", case["text"])
    else:
        objects = [shuffled(o, rng) if rng else o for o in case["objects"]]
        if "featureGates" in case:
            objects.insert(0, {"apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration",
                               "featureGates": case["featureGates"]})
        write("case.yaml", "".join(json.dumps(o, ensure_ascii=False) + "\n" for o in objects))
    if "old" in case:
        write("old.yaml", json.dumps(case["old"], ensure_ascii=False))
        options = ["--was", "old.yaml"]
    r = fairlead("check", "-f", "case.yaml", "-o", "json", *options)
    assert r.code in (0, 1), case["id"]
    return r.code, r.json()


def difference(case, code, answer):
    expected = case["expected"]
    errors = answer["errors"]
    found = errors + answer["warnings"]
    if expected["verdict"] == "refused":
        paths = [last(e["path"]) for e in expected["errors"] if e["path"]]
        if code != 1:
            return "passed"
        # A text that is no YAML has no fields, and what is told of the whole object names none.
        if case["class"] in ("text", "metadata") or not paths or case["id"] in NAMED_ELSEWHERE:
            return None
        return None if any(p in e["message"] for p in paths for e in errors) else "names another field"
    if expected["verdict"] == "accepted":
        return None if code == 0 else "refused"
    return None if all(any(last(d) in f["message"] for f in found) for d in expected["dropped"]) else "drops unsaid"


# The server tells of the field that it makes of this one.
NAMED_ELSEWHERE = {"clusterqueue-v1beta1-b-long-spec-admissionChecks-0-above"}


@pytest.mark.parametrize("seed", [None, 1])
def test_verdicts_of_real_servers(fairlead, write, seed):
    rng = random.Random(seed) if seed else None
    wrong = collections.defaultdict(list)
    n = 0
    for i, case in enumerate(cases()):
        if seed and i % 4:
            continue
        n += 1
        said = difference(case, *ask(fairlead, write, case, rng))
        if (said is not None) != (case["id"] in KNOWN):
            wrong[said].append(case["id"])
    assert not wrong
    assert n == (1599 if seed is None else 400)


def test_differences_are_told():
    page = (SOURCE / "doc" / "differences.md").read_text(encoding="utf-8")
    for reason in [*STRICTER, *LAXER]:
        assert f"**{reason}**" in page.lower(), reason
