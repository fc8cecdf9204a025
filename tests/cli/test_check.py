# SPDX-License-Identifier: Apache-2.0
import re

import pytest

from conftest import SOURCE
import manifests as m

BAD = "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: 7\n"


def test_clean(fairlead, write, valid):
    objects = m.small()[:6]
    write("c.json", m.dump(*objects))
    r = fairlead("check", "-f", "c.json")
    assert (r.code, r.err) == (0, "")
    assert r.out == "2 cluster queues, 1 cohort, 2 local queues, 0 workloads: no errors, 0 warnings\n"
    doc = valid(fairlead("check", "-f", "c.json", "-o", "json").json(), "check")
    assert (doc["ok"], doc["errors"], doc["warnings"]) == (True, [], [])


def test_errors_of_all_files(fairlead, write, valid):
    write("a.yaml", BAD)
    write("b.json", m.dump(*m.small()))
    write("c.yaml", "kind: [\n")
    r = fairlead("check", "-f", ".")
    assert r.code == 1
    assert [line.split(" error: ")[0] for line in r.err.splitlines()] == ["./a.yaml:3:11:", "./c.yaml:2:1:"]
    assert r.out == "2 errors\n"
    r = fairlead("check", "-f", ".", "-o", "json")
    assert (r.code, r.err) == (1, "")
    doc = valid(r.json(), "check")
    assert doc["ok"] is False
    assert doc["errors"][0] == {"kind": "malformed", "file": "./a.yaml", "line": 3, "column": 11,
                                "subject": "ResourceFlavor .metadata", "path": ".metadata",
                                "message": ".metadata: expected a map, not a number"}


def test_warnings_and_strict(fairlead, write, valid):
    write("c.json", m.dump(*m.small(), m.workload("x", "nowhere", cpu="1")))
    r = fairlead("check", "-f", "c.json")
    assert r.code == 0
    assert r.out.endswith("no errors, 1 warning\n")
    assert r.err.count(": warning: ") == 1
    assert fairlead("check", "--strict", "-f", "c.json").code == 1
    doc = valid(fairlead("check", "-f", "c.json", "-o", "json").json(), "check")
    assert doc["ok"] is True
    warning = doc["warnings"][0]
    assert (warning["kind"], warning["file"]) == ("missing-queue", "c.json")
    assert warning["line"] > 1 and warning["column"] >= 1
    r = fairlead("check", "--strict", "-f", "c.json", "-o", "json")
    assert (r.code, r.json()["ok"]) == (1, False)


def test_lint_is_part_of_check_only(fairlead, write):
    objects = m.small()
    objects.append(m.cohort("co", "top", m.quota("f", cpu={"nominalQuota": "1", "lendingLimit": "0"})))
    write("c.json", m.dump(*objects))
    r = fairlead("check", "-f", "c.json", "-o", "json")
    assert r.code == 0
    assert "nothing-to-lend" in [w["kind"] for w in r.json()["warnings"]]


def test_missing_file(fairlead, valid):
    r = fairlead("check", "-f", "nothing.yaml", "-o", "json")
    assert (r.code, r.err) == (1, "")
    doc = valid(r.json(), "check")
    assert doc["errors"] == [{"kind": "unreadable", "file": "nothing.yaml", "message": "no such file or directory"}]


def test_guide_lists_everything(fairlead, write):
    """The table of the guide says of each kind what the command itself says of it."""
    write("c.json", m.dump(*m.small()))
    rules = fairlead("check", "-f", "c.json", "-o", "sarif").json()["runs"][0]["tool"]["driver"]["rules"]
    page = (SOURCE / "doc" / "guide" / "check.md").read_text()
    table = re.findall(r"^\| `([^`]+)` \| (.*) \| (.*) \|$", page, re.MULTILINE)
    assert table == [(r["id"], r["shortDescription"]["text"], r["help"]["text"]) for r in rules]


EXAMPLES = {"company/tree.yaml": [], "company": ["never-fits"], "stories/cohort-cycle.yaml": ["cohort-cycle"]}


@pytest.mark.parametrize("path", sorted({*EXAMPLES, *(
    str(p.relative_to(SOURCE / "examples")) for p in (SOURCE / "examples" / "stories").glob("*.yaml"))}))
def test_no_false_alarms(fairlead, path):
    """What the examples warn of is meant; two jobs of the company's trace want more than there is."""
    doc = fairlead("check", "-f", str(SOURCE / "examples" / path), "-o", "json").json()
    assert doc["errors"] == []
    assert sorted({w["kind"] for w in doc["warnings"]}) == EXAMPLES.get(path, [])


def test_workload_no_flavor_suits(fairlead, write):
    """Found by trying: the only flavor with enough quota has a taint."""
    spot = m.flavor("spot", nodeTaints=[{"key": "spot", "value": "true", "effect": "NoSchedule"}])
    write("c.json", m.dump(
        m.namespace("ns"), m.flavor("f"), spot,
        m.cluster_queue("a", m.quota("f", cpu="1"), m.quota("spot", cpu="9")),
        m.local_queue("la", "a"), m.workload("w", "la", cpu="3")))
    doc = fairlead("check", "-f", "c.json", "-o", "json").json()
    assert [(w["kind"], w["subject"], w["message"]) for w in doc["warnings"]] == [
        ("never-fits", "Workload/ns/w", "not even an empty cluster admits it: it asks for more than its queue could "
         "ever have: 3 'cpu' in flavor 'f', 1 at most")]


def test_namespaces_that_are_only_assumed(fairlead, write):
    """Without Namespaces in the input a selector by label says nothing against anybody."""
    queue = m.cluster_queue("a", m.quota("f", cpu="4"))
    queue["spec"]["namespaceSelector"] = {"matchLabels": {"team": "red"}}
    objects = [m.flavor("f"), queue, m.local_queue("la", "a"), m.workload("w", "la", cpu="3")]
    write("c.json", m.dump(*objects))
    assert fairlead("check", "-f", "c.json", "-o", "json").json()["warnings"] == []
    write("c.json", m.dump(*objects, m.namespace("ns")))
    kinds = [w["kind"] for w in fairlead("check", "-f", "c.json", "-o", "json").json()["warnings"]]
    assert sorted(kinds) == ["namespace-not-selected", "never-admitted"]


def test_trees_that_no_policy_is_made_of(fairlead, write, valid):
    """What every other verb would refuse is an error of check, too."""
    chain = [m.cohort(f"c{i}", f"c{i + 1}") for i in range(300)]
    write("c.json", m.dump(*m.small(), *chain, m.cluster_queue("deep", m.quota("f", cpu="1"), cohort="c0")))
    r = fairlead("check", "-f", "c.json", "-o", "json")
    assert r.code == 1
    doc = valid(r.json(), "check")
    assert [e["message"] for e in doc["errors"]] == ["cohorts nest deeper than 256 levels"]
