# SPDX-License-Identifier: Apache-2.0
"""`check -o sarif`: valid by the standard, and what a code host makes of it."""
import gzip
import json
import pathlib

import jsonschema
import pytest

import manifests as m

SCHEMA = json.loads((pathlib.Path(__file__).parent / "sarif.schema.json").read_text())
FLAVOR = "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: f, bogus: 1}\n"


@pytest.fixture
def sarif(fairlead):
    """The run of a check; its exit code is that of the text."""
    def check(*args, stdin=b""):
        r = fairlead("check", *args, "-o", "sarif", stdin=stdin)
        assert r.err == ""
        assert r.code == fairlead("check", *args, stdin=stdin).code
        document = r.json()
        jsonschema.Draft202012Validator(SCHEMA).validate(document)
        run = document["runs"][0]
        rules = run["tool"]["driver"]["rules"]
        assert len({rule["id"] for rule in rules}) == len(rules)
        for result in run["results"]:
            assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
            assert rules[result["ruleIndex"]]["defaultConfiguration"]["level"] == result["level"]
        prints = [result["partialFingerprints"]["fairleadFinding/v2"] for result in run["results"]]
        assert len(set(prints)) == len(prints)
        assert run["invocations"][0]["exitCode"] == r.code
        return run

    return check


def place(result):
    physical = result["locations"][0]["physicalLocation"]
    region = physical.get("region", {})
    return physical["artifactLocation"]["uri"], region.get("startLine"), region.get("startColumn")


def test_schema_itself():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_clean(sarif, write):
    write("c.json", m.dump(*m.small()[:6]))
    run = sarif("-f", "c.json")
    assert run["results"] == []
    assert run["tool"]["driver"]["name"] == "fairlead"
    assert run["invocations"] == [{"executionSuccessful": True, "exitCode": 0}]


def test_warning(sarif, write):
    write("f.yaml", FLAVOR)
    result, = sarif("-f", "f.yaml")["results"]
    assert (result["ruleId"], result["level"]) == ("unknown-field", "warning")
    assert result["message"]["text"] == "ResourceFlavor/f .metadata.bogus: unknown field 'bogus'"
    assert place(result) == ("f.yaml", 3, 28)
    assert result["locations"][0]["logicalLocations"] == [{"fullyQualifiedName": "ResourceFlavor/f .metadata.bogus"}]
    assert sarif("--strict", "-f", "f.yaml")["results"] == [result]


def test_hint_is_part_of_the_message(sarif, write):
    write("f.yaml", FLAVOR.replace("bogus", "lables"))
    result, = sarif("-f", "f.yaml")["results"]
    assert "\nhint: " in result["message"]["text"]


def test_errors(sarif, write):
    write("bad.yaml", "kind: [\n")
    write("also.yaml", "kind: 7: 8\n")
    write("empty.yaml", "")
    results = sarif("-f", "bad.yaml", "-f", "also.yaml", "-f", "empty.yaml", "-f", "bad.yaml")["results"]
    assert [(r["ruleId"], r["level"]) for r in results] == [
        ("malformed", "error"), ("malformed", "error"), ("unreadable", "error")]
    assert place(results[2]) == ("empty.yaml", None, None)
    result, = sarif("-f", "missing.yaml")["results"]
    assert (result["ruleId"], place(result)[0]) == ("unreadable", "missing.yaml")


def test_limit(sarif, write):
    write("deep.json", '{"kind": ' + "[" * 100 + "]" * 100 + "}")
    assert sarif("-f", "deep.json")["results"][0]["ruleId"] == "above-limit"


def test_assumptions_are_notes(sarif):
    run = sarif("-f", "-", stdin=FLAVOR.encode())
    levels = {rule["id"]: rule["defaultConfiguration"]["level"] for rule in run["tool"]["driver"]["rules"]}
    assert (levels["assumed"], levels["never-fits"], levels["malformed"]) == ("note", "warning", "error")


@pytest.mark.parametrize("name", ["é", "𝄞", "é𝄞 ẞ", "x"])
@pytest.mark.parametrize("kind", ["yaml", "json"])
def test_columns_are_utf16_units(sarif, write, name, kind):
    line = f'"metadata": {{"name": "n", "annotations": {{"k": "{name}"}}, "bogus": 1}}'
    text = f'{{"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ResourceFlavor",\n{line}}}'
    if kind == "yaml":
        text = "# a comment makes it YAML, not JSON\n" + text
    write(f"f.{kind}", text)
    result, = sarif("-f", f"f.{kind}")["results"]
    before = line[:line.index("1}")]
    assert place(result)[2] == len(before.encode("utf-16-le")) // 2 + 1
    assert place(result)[1] == (3 if kind == "yaml" else 2)


def test_packed_and_standard_input(sarif, write):
    write("f.yaml.gz", gzip.compress(FLAVOR.encode()))
    result, = sarif("-f", "f.yaml.gz")["results"]
    artifact = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert artifact == {"uri": "f.yaml.gz", "description": {"text": "lines and columns are those of the unpacked text"}}
    assert place(result) == ("f.yaml.gz", 3, 28)
    result, = sarif("-f", "-", stdin=FLAVOR.encode())["results"]
    artifact = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert artifact == {"uri": "stdin", "description": {"text": "standard input"}}
    assert place(result) == ("stdin", 3, None)


@pytest.mark.parametrize("given, uri", [
    ("./f.yaml", "f.yaml"),
    ("././/f.yaml", "f.yaml"),
    ("a b/é%.yaml", "a%20b/%C3%A9%25.yaml"),
    ("a//x.yaml", "a/x.yaml"),
    ("a:b.yaml", "a%3Ab.yaml"),
    ("back\\slash.yaml", "back%5Cslash.yaml"),
])
def test_uri(sarif, write, given, uri):
    write(given, FLAVOR)
    result, = sarif("-f", given)["results"]
    assert place(result)[0] == uri


def test_uri_with_a_root(sarif, write, tmp_path, tmp_path_factory):
    write("f.yaml", FLAVOR)
    write("in/side.yaml", FLAVOR)
    outside = tmp_path_factory.mktemp("other") / "f.yaml"
    outside.write_text(FLAVOR)
    for given, uri in [
            (str(tmp_path / "f.yaml"), "f.yaml"),
            (f"../{tmp_path.name}/f.yaml", "f.yaml"),
            ("in/../f.yaml", "f.yaml"),
            (str(outside), f"file://{outside}"),
            (f"../{outside.parent.name}/f.yaml", f"file://{outside}")]:
        result, = sarif("-f", given)["results"]
        assert place(result)[0] == uri


def test_folder(sarif, write):
    write("deploy/f.yaml", FLAVOR)
    result, = sarif("-f", ".")["results"]
    assert place(result)[0] == "deploy/f.yaml"


def prints(run):
    return sorted(r["partialFingerprints"]["fairleadFinding/v2"] for r in run["results"])


def test_fingerprints_survive_moves(sarif, write):
    twice = FLAVOR.replace("bogus: 1", "bogus: 1, more: 2").replace("name: f", "name: g") + "---\n" + FLAVOR
    write("f.yaml", twice)
    before = sarif("-f", "f.yaml")
    write("f.yaml", "# a\n# few\n# lines\n" + "---\n".join(reversed(twice.split("---\n"))))
    after = sarif("-f", "f.yaml")
    assert len(before["results"]) == 3 and prints(before) == prints(after)
    assert sorted(map(place, before["results"])) != sorted(map(place, after["results"]))


def fnv(*texts):
    """FNV-1a of the texts, each with its NUL."""
    value = 0xcbf29ce484222325
    for byte in b"".join(t.encode() + b"\0" for t in texts):
        value = (value ^ byte) * 0x100000001b3 % 2 ** 64
    return value


def identity(result):
    """Rule, file, object and field: nothing that is worded for people."""
    logical = result["locations"][0].get("logicalLocations", [{"fullyQualifiedName": ""}])
    return result["ruleId"], place(result)[0], logical[0]["fullyQualifiedName"]


def test_fingerprints_are_of_what_identifies_a_finding(sarif, write):
    twice = FLAVOR.replace("bogus: 1", "bogus: 1, lables: {}")
    queue = m.cluster_queue("a", m.quota("nowhere", cpu="1"))
    write("f.yaml", twice)
    write("c.json", m.dump(queue, m.local_queue("la", "missing"), m.workload("w", "missing", cpu="1")))
    results = sarif("-f", "f.yaml", "-f", "c.json")["results"]
    assert len(results) > 4
    for result in results:
        assert prints({"results": [result]})[0].split(":")[0] == f"{fnv(*identity(result)):016x}"


def test_fingerprints_survive_another_wording(sarif, write):
    """The message depends on the value that is wrong; the finding is the same."""
    found = []
    for name in ["[1]", "{a: b}"]:
        write("f.yaml", FLAVOR.replace("name: f, bogus: 1", f"name: {name}"))
        result, = sarif("-f", "f.yaml")["results"]
        found.append(result)
    assert identity(found[0]) == identity(found[1])
    assert found[0]["message"] != found[1]["message"]
    assert prints({"results": found[:1]}) == prints({"results": found[1:]})


def test_equal_findings_are_told_apart(sarif, write):
    write("c.json", m.dump(*m.small(), m.workload("x", "nowhere", cpu="1")))
    write("two.yaml", FLAVOR.replace("bogus: 1", "bogus: 1, BOGUS: 2"))
    assert len(prints(sarif("-f", "two.yaml"))) == 2


def test_more_than_are_kept(sarif, write):
    fields = ", ".join(f"x{i}: 1" for i in range(10050))
    write("f.yaml", FLAVOR.replace("bogus: 1", fields))
    run = sarif("-f", "f.yaml")
    assert len(run["results"]) == 10000
    assert run["invocations"][0]["toolExecutionNotifications"] == [
        {"level": "warning", "message": {"text": "50 more warnings, above the limit of what is kept"}}]
