# SPDX-License-Identifier: Apache-2.0
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
    assert doc["errors"][0] == {"file": "./a.yaml", "line": 3, "column": 11, "subject": "ResourceFlavor .metadata",
                                "message": "expected a map, not a number"}


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
    objects.append(m.cohort("co", None, m.quota("f", cpu={"nominalQuota": "1", "borrowingLimit": "1"})))
    write("c.json", m.dump(*objects))
    r = fairlead("check", "-f", "c.json", "-o", "json")
    assert r.code == 0
    assert "root-borrowing-limit" in [w["kind"] for w in r.json()["warnings"]]


def test_missing_file(fairlead, valid):
    r = fairlead("check", "-f", "nothing.yaml", "-o", "json")
    assert (r.code, r.err) == (1, "")
    doc = valid(r.json(), "check")
    assert doc["errors"] == [{"file": "nothing.yaml", "message": "no such file or directory"}]
