# SPDX-License-Identifier: Apache-2.0
"""No limit of ours is below what the real definitions of Kueue's and KAI's objects allow.

The definitions are read where Go's module cache has them, from
sigs.k8s.io/kueue@VERSION/config/components/crd/bases and
github.com/.../kai-scheduler@VERSION/deployments/kai-scheduler/crds.
"""
import glob
import os
import re

import pytest

from conftest import SOURCE

CACHE = os.environ.get("GOMODCACHE") or os.path.join(
    (os.environ.get("GOPATH") or os.path.expanduser("~/go")).split(os.pathsep)[0], "pkg", "mod")
KUEUE = os.path.join(CACHE, "sigs.k8s.io", "kueue@*", "config", "components", "crd", "bases", "*.yaml")
KAI = os.path.join(CACHE, "github.com", "*", "*-scheduler@*", "deployments", "kai-scheduler", "crds", "*.yaml")

# The last keys of a list's path, and the limit that it must not exceed; any other list is held by FL_MAX_LIST.
LISTS = {
    "spec.podSets": "FL_MAX_PODSETS",
    "status.reclaimablePods": "FL_MAX_PODSETS",
    "status.admission.podSetAssignments": "FL_MAX_PODSETS",
    "spec.resourceGroups": "FL_MAX_RESOURCE_GROUPS",
    "spec.resourceGroups.flavors": "FL_MAX_FLAVORS",
    "spec.resourceGroups.coveredResources": "FL_MAX_RESOURCES",
    "spec.resourceGroups.flavors.resources": "FL_MAX_RESOURCES",
}
# Not read, so that no limit of a list holds for what is in it.
NOT_READ = ("status.admission.podSetAssignments.topologyAssignment.",)
READ = {"ClusterQueue", "Cohort", "LocalQueue", "ResourceFlavor", "Workload", "WorkloadPriorityClass",
        "Queue", "PodGroup", "SchedulingShard"}


def limits():
    """{name: value} of src/base/limits.h."""
    text = (SOURCE / "src" / "base" / "limits.h").read_text(encoding="utf-8")
    found = re.findall(r"^\t(FL_MAX_\w+) = (\d+)(?: << (\d+))?,", text, re.MULTILINE)
    return {name: int(value) << int(shift or 0) for name, value, shift in found}


def keywords(text):
    """(kind, version, path of properties, keyword, value) of each maxItems and the like in a CRD.

    As controller-gen writes it: a key a line, two blanks a level, long texts as blocks.
    """
    stack, block, kind, version = [], None, None, None
    rows = []
    for line in text.splitlines():
        indent = len(line) - len(line.lstrip(" "))
        if not line.strip() or (block is not None and indent > block):
            continue
        block = None
        part = re.match(r" *(- )?([\w.$/-]+):(?: (.*))?$", line)
        if not part:
            continue
        item, key, value = part.groups()
        indent += 2 if item else 0
        while stack and stack[-1][0] >= indent:
            stack.pop()
        stack.append((indent, key))
        if value and value[0] in "|>":
            block = indent
        names = [k for _, k in stack]
        if names == ["spec", "names", "kind"]:
            kind = value
        if names[:2] == ["spec", "versions"] and len(names) == 3 and key == "name":
            version = value
        if key in ("maxItems", "maxLength", "maxProperties") and value and value.isdigit():
            path = [after for before, after in zip(names, names[1:]) if before == "properties"]
            rows.append((kind, version, ".".join(path), key, int(value), len(rows)))
    return kind, rows


SAMPLE = """\
spec:
  group: kueue.x-k8s.io
  names:
    kind: Workload
  versions:
  - name: v1beta2
    schema:
      openAPIV3Schema:
        properties:
          spec:
            description: |-
              not a limit
              maxItems: 3
            properties:
              podSets:
                items:
                  properties:
                    name:
                      maxLength: 63
                      type: string
                  type: object
                maxItems: 18
                type: array
"""


def exceeded(text):
    """What a definition allows and we do not, a line each."""
    known = limits()
    kind, rows = keywords(text)
    if kind not in READ:
        return []
    wrong = []
    for _, version, path, key, value, _ in rows:
        if path.startswith(NOT_READ):
            continue
        limit = {"maxItems": LISTS.get(path, "FL_MAX_LIST"), "maxProperties": "FL_MAX_LIST",
                 "maxLength": "FL_MAX_TEXT"}[key]
        if known[limit] < value:
            wrong.append(f"{kind} {version} .{path}: {value}, {limit} is {known[limit]}")
    return wrong


def test_the_reader_of_definitions():
    assert keywords(SAMPLE) == ("Workload", [
        ("Workload", "v1beta2", "spec.podSets.name", "maxLength", 63, 0),
        ("Workload", "v1beta2", "spec.podSets", "maxItems", 18, 1)])
    assert exceeded(SAMPLE) == []
    assert exceeded(SAMPLE.replace("maxItems: 18", "maxItems: 19")) == [
        "Workload v1beta2 .spec.podSets: 19, FL_MAX_PODSETS is 18"]
    assert exceeded(SAMPLE.replace("kind: Workload", "kind: Other").replace("maxItems: 18", "maxItems: 19")) == []


def test_what_is_not_read_may_be_longer(fairlead, write):
    counts = ",".join(["1"] * (limits()["FL_MAX_LIST"] + 1))
    workload = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: Workload
metadata: {name: w, namespace: ns}
spec: {podSets: [{name: main, count: 1, template: {spec: {containers: [{name: c, image: i}]}}}]}
status:
  admission:
    clusterQueue: q
    podSetAssignments:
    - {name: main, count: 1, topologyAssignment: {levels: [rack], slices: [{domainCount: NUMBER, valuesPerLevel: [{universal: x}], podCounts: {individual: [COUNTS]}}]}}
"""
    write("w.yaml", workload.replace("NUMBER", str(counts.count(",") + 1)).replace("COUNTS", counts))
    assert fairlead("check", "-f", "w.yaml").code == 0


def test_limits_that_go_together():
    """One queue may have 256 flavors with 64 resources each, which its tree must have room for."""
    known = limits()
    assert known["FL_MAX_COLUMNS"] >= 256 * known["FL_MAX_RESOURCES"]


@pytest.mark.parametrize("of,pattern,least", [("Kueue", KUEUE, set(LISTS)), ("KAI", KAI, set())])
def test_no_limit_is_below_the_api(of, pattern, least):
    files = sorted(glob.glob(pattern))
    if not files:
        pytest.skip(f"Go's module cache in {CACHE} has no definitions of {of}")
    wrong, seen = [], set()
    for name in files:
        with open(name, encoding="utf-8") as f:
            text = f.read()
        wrong += [f"{os.path.basename(name)}: {line}" for line in exceeded(text)]
        seen |= {row[2] for row in keywords(text)[1]}
    assert not wrong, "\n".join(wrong)
    assert least <= seen, least - seen
