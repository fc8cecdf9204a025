# SPDX-License-Identifier: Apache-2.0
"""Every bad input: a clear error at its place, exit code 1, and nothing is used."""
import gzip
import os
import pathlib
import shlex
import shutil
import subprocess

import pytest

import manifests as m

SOURCE = pathlib.Path(os.environ.get("FAIRLEAD_SOURCE", pathlib.Path(__file__).parents[2]))

QUEUE = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata:
  name: q
spec:
  resourceGroups:
  - coveredResources: [cpu]
    flavors:
    - name: f
      resources:
      - name: cpu
        nominalQuota: {quota}
"""
FLAVOR = "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata:\n  name: {name}\n"
ALIASES = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"a{i}: &a{i} [" + ",".join([f"*a{i - 1}"] * 10) + "]\n" for i in range(1, 12))

BAD = {
    "broken YAML": (
        "kind: [a\nb: c\n",
        "x.yaml:2:2: error: invalid YAML: did not find expected ',' or ']' while parsing a flow sequence "
        "that starts in line 1\n"),
    "a tab in YAML": (
        "kind: X\nmetadata:\n\tname: x\n",
        "x.yaml:3:1: error: invalid YAML: a tab where only blanks may indent\n"),
    "broken JSON": (
        '{"kind": "List", "items": [}',
        "x.yaml:1:28: error: expected a value, not '}'\n"),
    "duplicate key": (
        FLAVOR.format(name="a") + "  name: b\n",
        "x.yaml:5:3: error: duplicate key 'name'\n"),
    "duplicate key in JSON": (
        '{"apiVersion": "v1",\n "kind": "List", "kind": "List"}',
        "x.yaml:2:18: error: duplicate key 'kind'\n"),
    "wrong type": (
        "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: 7\n",
        "x.yaml:3:11: error: ResourceFlavor .metadata: expected a map, not a number\n"),
    "a required field misspelt": (
        QUEUE.format(quota="4").replace("nominalQuota", "nominalQouta"),
        "x.yaml:11:9: error: ClusterQueue/q .spec.resourceGroups[0].flavors[0].resources[0]: no nominalQuota\n"
        "hint: did you mean 'nominalQuota' by 'nominalQouta'?\n"),
    "negative quantity": (
        QUEUE.format(quota="-4"),
        "x.yaml:12:23: error: ClusterQueue/q .spec.resourceGroups[0].flavors[0].resources[0].nominalQuota: "
        "the quantity '-4' is negative\n"),
    "no quantity": (
        QUEUE.format(quota="4 cores"),
        "x.yaml:12:23: error: ClusterQueue/q .spec.resourceGroups[0].flavors[0].resources[0].nominalQuota: "
        "'4 cores' is not a quantity\n"
        "hint: write a number with an optional suffix, such as 500m, 1.5Gi or 1e3\n"),
    "a unit of bytes": (
        QUEUE.format(quota="1.5 GB"),
        "x.yaml:12:23: error: ClusterQueue/q .spec.resourceGroups[0].flavors[0].resources[0].nominalQuota: "
        "'1.5 GB' is not a quantity\n"
        "hint: write 1.5G for powers of 1000, 1.5Gi for powers of 1024\n"),
    "kilo": (
        QUEUE.format(quota="4KIB"),
        "x.yaml:12:23: error: ClusterQueue/q .spec.resourceGroups[0].flavors[0].resources[0].nominalQuota: "
        "'4KIB' is not a quantity\n"
        "hint: write 4k for powers of 1000, 4Ki for powers of 1024\n"),
    "no unit of bytes": (
        QUEUE.format(quota="4GBs"),
        "x.yaml:12:23: error: ClusterQueue/q .spec.resourceGroups[0].flavors[0].resources[0].nominalQuota: "
        "'4GBs' is not a quantity\n"
        "hint: write a number with an optional suffix, such as 500m, 1.5Gi or 1e3\n"),
    "two objects without a line between": (
        FLAVOR.format(name="a") + FLAVOR.format(name="b"),
        "x.yaml:5:1: error: duplicate key 'apiVersion'\nhint: between two objects of a file stands a line '---'\n"),
    "a template": (
        FLAVOR.format(name="{{ .Values.name }}"),
        "x.yaml:4:10: error: a key must be a text\n"
        "hint: a template with {{ }} has to be filled in first, such as by 'helm template'\n"),
    "indentation of a key": (
        "kind: X\nmetadata:\n    name: x\n  labels: {}\n",
        "x.yaml:4:3: error: invalid YAML: did not find expected key while parsing a block mapping that starts in line 1\n"
        "hint: the keys of a map begin in one column: compare this line with those above it\n"),
    "indentation of a dash": (
        "kind: X\na:\n  - b\n  c: d\n",
        "x.yaml:4:3: error: invalid YAML: did not find expected '-' indicator while parsing a block collection "
        "that starts in line 3\n"
        "hint: the dashes of a list begin in one column: compare this line with those above it\n"),
    "a colon in a text": (
        "kind: X: y\n",
        "x.yaml:1:8: error: invalid YAML: mapping values are not allowed in this context\n"
        "hint: a text with ': ' in it needs quotes; a key begins in the column of those beside it\n"),
    "two objects of one name": (
        FLAVOR.format(name="a") + "---\n" + FLAVOR.format(name="a"),
        "x.yaml:6:1: error: ResourceFlavor/a: defined twice\nhint: first defined at x.yaml:1:1\n"),
    "a resource in two groups": (
        QUEUE.format(quota="1") + "  - coveredResources: [cpu]\n"
        "    flavors: [{name: g, resources: [{name: cpu, nominalQuota: 1}]}]\n",
        "x.yaml:13:5: error: ClusterQueue/q .spec.resourceGroups[1].coveredResources[0]: "
        "resource 'cpu' is covered by resourceGroups[0] already\n"),
    "nesting bomb in YAML": (
        "a: " + "[" * 100000,
        "x.yaml:1:67: error: nested deeper than 64 levels\n"),
    "nesting bomb in JSON": (
        '{"a":' * 100000,
        "x.yaml:1:321: error: nested deeper than 64 levels\n"),
    "alias bomb": (
        ALIASES,
        "x.yaml:1:20: error: aliases expand to more than 1048576 tokens\n"),
    "invalid UTF-8": (
        b'kind: "\xff\xfe"\n',
        "x.yaml:1:8: error: invalid UTF-8\n"),
    "empty": ("", "x.yaml: error: is empty\n"),
    "blank": (" \n\t\n", "x.yaml: error: is empty\n"),
}


@pytest.mark.parametrize("content, message", BAD.values(), ids=BAD.keys())
@pytest.mark.parametrize("verb", ["plan", "check"])
def test_bad_input(fairlead, write, verb, content, message):
    write("x.yaml", content)
    r = fairlead(verb, "-f", "x.yaml")
    assert r.code == 1
    assert r.out == ("" if verb == "plan" else "1 error\n")
    if verb == "plan":
        assert r.err == message
    else:  # with notes and warnings behind it; two groups are looked at before the place of the second is known
        assert message.split(" error: ")[1] in r.err.split(" error: ")[1]


def test_name_over_253_bytes(fairlead, write):
    write("x.yaml", FLAVOR.format(name="a" * 254))
    r = fairlead("plan", "-f", "x.yaml")
    assert (r.code, r.out) == (1, "")
    assert r.err.startswith("x.yaml:") and "253" in r.err
    write("y.yaml", FLAVOR.format(name="a" * 253))
    assert fairlead("plan", "-f", "y.yaml").code == 0


def test_100_mb_in_one_text(fairlead, write):
    write("x.json", b'{"apiVersion": "v1", "kind": "List", "items": [{"a": "' + b"x" * 100_000_000 + b'"}]}')
    r = fairlead("plan", "-f", "x.json")
    assert (r.code, r.out, r.err) == (1, "", "x.json:1:54: error: a text of more than 262144 bytes\n")


def test_100_mb_in_one_line(fairlead, write):
    write("x.json", b'{"apiVersion":"v1","kind":"List","items":[' + b" " * 100_000_000 + b"}")
    r = fairlead("plan", "-f", "x.json")
    assert (r.code, r.out, r.err) == (1, "", "x.json:1:100000043: error: expected a value, not '}'\n")


def test_quantity_beyond_int64_is_unlimited(fairlead, write):
    write("x.yaml", FLAVOR.format(name="f") + "---\n" + QUEUE.format(quota="1E"))
    r = fairlead("tree", "-f", "x.yaml", "-o", "json")
    assert r.code == 0
    assert r.json()["nodes"][0]["quota"][0]["nominal"] == "unlimited"


def test_quantity_that_overflows(fairlead, write):
    write("x.yaml", FLAVOR.format(name="f") + "---\n" + QUEUE.format(quota="99999999999999999999"))
    r = fairlead("plan", "-f", "x.yaml")
    line = next(i for i, text in enumerate((FLAVOR.format(name="f") + "---\n" + QUEUE.format(quota="99999999999999999999")).splitlines(), 1) if "9999" in text)
    assert (r.code, r.out) == (1, "")
    assert r.err.startswith(f"x.yaml:{line}:")
    assert r.err.endswith(": the quantity '99999999999999999999' overflows\n"
                          "hint: for no limit leave the limit out, or write 1E\n")


@pytest.mark.parametrize("text, message", [
    ('{"apiVersion":"v1","kind":"List","items":"x"}', "1:42: error: List .items: expected a list, not a string"),
    ('{"apiVersion":"v1","items":{},"kind":"List"}', "1:28: error: List .items: expected a list, not a map"),
    ('{"apiVersion":"v1","kind":"WorkloadList","items":7}',
     "1:50: error: WorkloadList .items: expected a list, not a number"),
    ('{"apiVersion":"v1","kind":"List","item":[]}',
     "1:1: error: List: no items\nhint: did you mean 'items' by 'item'?"),
])
def test_items_that_are_no_list(fairlead, write, text, message):
    write("x.json", text)
    r = fairlead("plan", "-f", "x.json")
    assert (r.code, r.out, r.err) == (1, "", f"x.json:{message}\n")


def test_a_list_of_nothing(fairlead, write):
    """As Go writes an empty list, and a kind that is only called so."""
    write("x.json", '{"apiVersion":"v1","kind":"WorkloadList","items":null}')
    assert fairlead("check", "-f", "x.json").err == ""
    write("x.json", '{"apiVersion":"example.com/v1","kind":"AllowList","metadata":{"name":"x"}}')
    assert fairlead("check", "-f", "x.json").err == (
        "x.json:1:1: note: AllowList/x: kind 'AllowList' of 'example.com/v1' is not read\n")


def test_folder_without_manifests(fairlead, tmp_path):
    (tmp_path / "d").mkdir()
    r = fairlead("plan", "-f", "d")
    assert (r.code, r.out) == (1, "")
    assert r.err == ("d: error: no manifests in this folder\n"
                     "hint: files named *.yaml, *.yml or *.json, also with .gz, are read\n")


def test_missing_file(fairlead):
    r = fairlead("plan", "-f", "nothing.yaml")
    assert (r.code, r.out, r.err) == (1, "", "nothing.yaml: error: no such file or directory\n")


def test_glob_without_match(fairlead):
    r = fairlead("plan", "-f", "*.yaml")
    assert (r.code, r.out, r.err) == (1, "", "*.yaml: error: no file matches this pattern\n")


def test_unreadable_file(fairlead, write, tmp_path):
    write("x.yaml", FLAVOR.format(name="f"))
    os.chmod(tmp_path / "x.yaml", 0)
    prefix = ()
    if os.getuid() == 0:
        if not shutil.which("setpriv"):
            pytest.skip("root reads everything, and there is no setpriv to be somebody else")
        prefix = ("setpriv", "--reuid=65534", "--clear-groups")
        for folder in [tmp_path, *tmp_path.parents]:
            if not os.stat(folder).st_mode & 0o001:
                os.chmod(folder, os.stat(folder).st_mode | 0o011)
    r = fairlead("plan", "-f", "x.yaml", prefix=prefix)
    assert (r.code, r.out, r.err) == (1, "", "x.yaml: error: permission denied\n")


def test_fifo(fairlead, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    r = fairlead("plan", "-f", "pipe")
    assert (r.code, r.out) == (1, "")
    assert r.err == ("pipe: error: is a pipe, not a file\n"
                     "hint: give - for standard input and redirect the pipe there\n")


def test_device(fairlead):
    r = fairlead("plan", "-f", "/dev/null")
    assert (r.code, r.out, r.err) == (1, "", "/dev/null: error: is not a regular file\n")


def test_empty_standard_input(fairlead):
    r = fairlead("plan", "-f", "-")
    assert (r.code, r.out, r.err) == (1, "", "standard input: error: is empty\n")


def test_standard_input_twice(fairlead):
    r = fairlead("plan", "-f", "-", "-f", "-")
    assert (r.code, r.out, r.err) == (1, "", "standard input: error: can be read only once\n")


@pytest.mark.parametrize("cut", [12, 60, -1])
def test_truncated_gzip(fairlead, write, cut):
    write("x.yaml.gz", gzip.compress(m.dump(*m.small()).encode(), mtime=0)[:cut])
    r = fairlead("plan", "-f", "x.yaml.gz")
    assert (r.code, r.out, r.err) == (1, "", "x.yaml.gz: error: the gzip data ends too early\n")


def test_damaged_gzip(fairlead, write):
    packed = bytearray(gzip.compress(m.dump(*m.small()).encode(), mtime=0))
    packed[-6] ^= 0xff
    write("x.yaml.gz", bytes(packed))
    r = fairlead("plan", "-f", "x.yaml.gz")
    assert (r.code, r.out, r.err) == (1, "", "x.yaml.gz: error: the gzip data is damaged\n")


def test_nothing_is_used_after_an_error(fairlead, write):
    write("good.json", m.dump(*m.small()))
    write("bad.yaml", "kind: [a\n")
    for order in (["good.json", "bad.yaml"], ["bad.yaml", "good.json"]):
        r = fairlead("plan", "-f", order[0], "-f", order[1], "-o", "json")
        assert (r.code, r.out) == (1, "")


def test_one_name_in_two_files(fairlead, write):
    write("a.yaml", FLAVOR.format(name="f"))
    write("b.yaml", FLAVOR.format(name="f"))
    r = fairlead("plan", "-f", "a.yaml", "-f", "b.yaml")
    assert (r.code, r.err) == (1, "b.yaml:1:1: error: ResourceFlavor/f: defined twice\n"
                                  "hint: first defined at a.yaml:1:1\n")


def test_control_characters_do_not_reach_the_terminal(fairlead, write):
    flavor = FLAVOR.format(name='"\\e[31mred"')
    write("x.yaml", flavor + "---\n" + flavor)
    r = fairlead("plan", "-f", "x.yaml")
    assert r.code == 1
    assert r.err.startswith("x.yaml:")
    assert "\x1b" not in r.err + r.out


@pytest.mark.parametrize("verb", ["check", "tree", "plan"])
def test_control_characters_beyond_ascii(fairlead, write, verb):
    """U+009B is what ESC [ is, to terminals that know it."""
    write("x.yaml", QUEUE.format(quota="1").replace("name: q", 'name: "q\\u009b31m"', 1))
    r = fairlead(verb, "-f", "x.yaml")
    assert "\u009b" not in r.err + r.out and "?31m" in r.err + r.out
    r = fairlead("tree", "-f", "x.yaml", "-o", "json")
    assert "\\u009b31m" in r.out and r.json()["nodes"][0]["name"] == "q\u009b31m"


# The same cluster, however it is given.

def plan_of(r):
    assert (r.code, r.err) == (0, "")
    return r.json()["cycles"]


def test_ways_to_give_input(fairlead, write, tmp_path):
    text = m.dump(*m.small())
    write("c.json", text)
    want = plan_of(fairlead("plan", "-o", "json", "-f", "c.json"))
    write("c.json.gz", gzip.compress(text.encode()))
    members = gzip.compress(text[:100].encode()) + gzip.compress(text[100:].encode())
    write("members.gz", members)
    objects = m.small()
    for i, o in enumerate(objects):
        write(f"dir/sub{i % 3}/{i}.yaml", m.dump(o))
    write("dir/.hidden.yaml", "kind: [")
    write("dir/notes.txt", "not a manifest")
    assert plan_of(fairlead("plan", "-o", "json", "-f", "c.json.gz")) == want
    assert plan_of(fairlead("plan", "-o", "json", "-f", "members.gz")) == want
    assert plan_of(fairlead("plan", "-o", "json", "-f", "-", stdin=text.encode())) == want
    assert plan_of(fairlead("plan", "-o", "json", "-f", "-", stdin=gzip.compress(text.encode()))) == want
    assert plan_of(fairlead("plan", "-o", "json", "-f", "dir")) == want
    assert plan_of(fairlead("plan", "-o", "json", "-f", "dir/*/*.yaml")) == want
    write("docs.yaml", "".join("---\n" + m.dump(o) + "\n" for o in objects))
    assert plan_of(fairlead("plan", "-o", "json", "-f", "docs.yaml")) == want


def test_order_of_objects_does_not_matter(fairlead, write):
    write("a.json", m.dump(*m.small()))
    write("b.json", m.dump(*reversed(m.small())))
    a, b = (fairlead("plan", "-o", "json", "-f", f, "--cycles", "3") for f in ("a.json", "b.json"))
    assert a.out == b.out


@pytest.mark.parametrize("args, code", [
    (["check"], 0), (["tree"], 0), (["plan"], 0), (["plan", "--settle"], 0), (["explain", "ns/a1"], 0),
    (["record"], 0), (["prove"], 0), (["check", "-o", "sarif"], 0),
    (["what-if", "--delete", "Workload/ns/a2"], 0),  # reads it twice
    (["what-if", "--set", "ClusterQueue/a: nominalQuota[cpu]+=1"], 0),
    (["what-if", "--set", "ClusterQueue/a: stopPolicy=Hold"], 0)])
def test_a_pipe_of_the_shell(write, tmp_path, args, code):
    """fairlead VERB -f <(cat FILE): the same as of the file, also where it is read twice."""
    write("c.json", m.dump(*m.small()))
    answers = []
    for file in ("c.json", "<(cat c.json)", "<(gzip -c c.json)"):
        command = " ".join(shlex.quote(a) for a in [os.environ["FAIRLEAD"], args[0]])
        rest = " ".join(shlex.quote(a) for a in args[1:])
        done = subprocess.run(["bash", "-c", f"{command} {rest} -f {file}"], cwd=tmp_path, capture_output=True,
                              timeout=60, check=False, stdin=subprocess.DEVNULL)
        assert done.returncode == code, done.stderr
        answers.append(done.stdout.replace(b"-f c.json", b"-f <(...)"))  # in commands to be pasted
    if "sarif" not in args:  # which names the file
        assert answers[0] == answers[1] == answers[2]


def test_a_pipe_of_the_shell_as_a_scenario(write, tmp_path):
    """compare reads it once for each point."""
    source = SOURCE / "examples" / "simulate" / "first.yaml"
    answers = []
    for file in (shlex.quote(str(source)), f"<(cat {shlex.quote(str(source))})"):
        done = subprocess.run(
            ["bash", "-c", f"{shlex.quote(os.environ['FAIRLEAD'])} compare --sweep load=0.75,1 --until 1d -f {file}"],
            capture_output=True, timeout=60, check=False, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        answers.append(done.stdout)
    assert answers[0] == answers[1]
