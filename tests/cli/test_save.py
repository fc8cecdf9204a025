# SPDX-License-Identifier: Apache-2.0
"""An image answers as the manifests that it was saved from, and anything else is refused."""
import gzip
import json
import os
import pathlib

import pytest

import manifests as m

SOURCE = pathlib.Path(os.environ.get("FAIRLEAD_SOURCE", pathlib.Path(__file__).parents[2]))
COMPANY = str(SOURCE / "examples" / "company")
ENTITLED = str(SOURCE / "tests" / "cli" / "entitle.yaml")
STORIES = sorted(str(p) for p in (SOURCE / "examples" / "stories").glob("*.yaml"))
AGAIN = "hint: save it again from its manifests with this version\n"
MANIFESTS = "hint: give the manifests that the image was saved from\n"


def save(fairlead, source, name="c.image", *more):
    r = fairlead("save", "-f", source, "--out", name, *more)
    assert (r.code, r.out) == (0, ""), r.err
    return name


@pytest.mark.parametrize("source", [COMPANY, ENTITLED, *STORIES[::4]], ids=lambda s: pathlib.Path(s).stem)
def test_answers_are_the_same(fairlead, source):
    image = save(fairlead, source)
    verbs = [("tree",), ("plan", "--settle", "--all"), ("plan", "-o", "json", "--cycles", "3")]
    if source == ENTITLED:
        verbs += [("divide",)]
    for verb in verbs:
        want, got = fairlead(*verb, "-f", source), fairlead(*verb, "-f", image)
        assert (got.code, got.out, got.err) == (want.code, want.out, want.err), verb


def test_explain_is_the_same(fairlead):
    image = save(fairlead, COMPANY)
    waits = [p["workload"] for p in fairlead("plan", "-f", COMPANY, "-o", "json").json()["cycles"][0]["pending"]]
    name = waits[0] if isinstance(waits[0], str) else "/".join(waits[0].values())
    want, got = fairlead("explain", "-f", COMPANY, name), fairlead("explain", "-f", image, name)
    assert want.code == 0 and (got.code, got.out) == (want.code, want.out)


def test_the_same_state_is_the_same_bytes(fairlead, tmp_path):
    save(fairlead, COMPANY, "one")
    save(fairlead, COMPANY, "two")
    save(fairlead, "one", "three")
    one = (tmp_path / "one").read_bytes()
    assert one == (tmp_path / "two").read_bytes() == (tmp_path / "three").read_bytes()


def test_packed_and_piped(fairlead, tmp_path):
    save(fairlead, COMPANY)
    image = (tmp_path / "c.image").read_bytes()
    (tmp_path / "c.gz").write_bytes(gzip.compress(image))
    want = fairlead("tree", "-f", COMPANY).out
    assert fairlead("tree", "-f", "c.gz").out == want
    assert fairlead("tree", "-f", "-", stdin=image).out == want


def test_the_clock(fairlead, write):
    save(fairlead, COMPANY, "c.image", "--now", "2026-05-01T00:00:00Z")
    out = fairlead("check", "-f", "c.image").out
    assert out.startswith("an image of the borrow policy at 2026-05-01T00:00:00Z: ")
    later = ("--now", "2026-06-01T00:00:00Z")
    assert fairlead("plan", "-f", "c.image", *later).out == fairlead("plan", "-f", COMPANY, *later).out


def test_warnings_stay(fairlead, write):
    write("s.yaml", "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: q}\nspec: {typo: 1}\n")
    save(fairlead, "s.yaml")
    want, got = fairlead("tree", "-f", "s.yaml"), fairlead("tree", "-f", "c.image")
    assert "s.yaml:4:14: warning: ClusterQueue/q .spec.typo" in want.err and got.err == want.err
    assert fairlead("tree", "-f", "c.image", "--strict").code == 1


QUEUES = [
    m.flavor("f"), m.cohort("c"),
    m.cluster_queue("a", m.quota("f", cpu=4), cohort="c"),
    m.cluster_queue("b", m.quota("f", cpu=4), cohort="c"),
]


def state(write, objects, name="s.json"):
    return write(name, json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))


def test_what_if_of_cells(fairlead, write):
    image = save(fairlead, state(write, QUEUES))
    change = state(write, [m.cluster_queue("a", m.quota("f", cpu=9), cohort="c")], "change.json")
    want = fairlead("what-if", "-f", "s.json", "--change", change)
    got = fairlead("what-if", "-f", image, "--change", change)
    assert got.code == 0 and (got.out, got.err) == (want.out, want.err)


@pytest.mark.parametrize("subject,objects", [
    ("ClusterQueue/a", [m.cluster_queue("a", m.quota("f", cpu=4), cohort="d")]),
    ("ClusterQueue/a", [m.cluster_queue("a", m.quota("g", cpu=4), cohort="c")]),
    ("ClusterQueue/a", [m.cluster_queue("a", m.quota("f", cpu=4, memory=1), cohort="c")]),
    ("ClusterQueue/a", [m.cluster_queue("a", m.quota("f", cpu=4), cohort="c", queueingStrategy="StrictFIFO")]),
    ("ClusterQueue/new", [m.cluster_queue("new", m.quota("f", cpu=4), cohort="c")]),
    ("Namespace/x", [m.namespace("x")]),
], ids=["cohort", "flavor", "resource", "strategy", "new", "kind"])
def test_what_if_of_more_is_refused(fairlead, write, subject, objects):
    image = save(fairlead, state(write, QUEUES))
    r = fairlead("what-if", "-f", image, "--change", state(write, objects, "change.json"))
    assert r.code == 1 and r.out == ""
    assert r.err.endswith(f"fairlead: error: {subject}: in an image only quotas, limits and weights of its "
                          f"ClusterQueues and Cohorts can be changed\n{MANIFESTS}")


def test_deletions_are_refused(fairlead, write):
    image = save(fairlead, state(write, QUEUES))
    r = fairlead("what-if", "-f", image, "--delete", "ClusterQueue/a")
    assert r.code == 1 and r.first_error.startswith("fairlead: error: ClusterQueue/a: in an image only ")


@pytest.mark.parametrize("args,text", [
    (("record", "-f", "c.image"), "is an image, and only manifests are read here"),
    (("simulate", "-f", "c.image"), "is an image, and only manifests are read here"),
    (("explain", "--eta", "-f", "c.image", "x"), "is an image, and only manifests are read here"),
    (("tree", "-f", "c.image", "-f", "s.json"), "is an image, a whole state: nothing can be added"),
    (("tree", "-f", "s.json", "-f", "c.image"), "is an image, a whole state: nothing can be added"),
])
def test_where_manifests_are_needed(fairlead, write, args, text):
    save(fairlead, state(write, QUEUES))
    r = fairlead(*args)
    assert r.code == 1 and r.err == f"c.image: error: {text}\n{MANIFESTS}"


def test_another_policy(fairlead, write):
    save(fairlead, state(write, QUEUES))
    r = fairlead("tree", "-f", "c.image", "--policy", "entitle")
    assert r.code == 1 and r.first_error == "fairlead: error: the image is of the policy borrow"
    assert fairlead("tree", "-f", "c.image", "--policy", "borrow").code == 0


def test_what_is_no_image_of_ours(fairlead, write, tmp_path):
    save(fairlead, state(write, QUEUES))
    image = (tmp_path / "c.image").read_bytes()
    damaged = bytearray(image)
    damaged[len(image) // 2] ^= 1
    older = image[:16] + b"fairlead 0.0.9\0" + image[31:]
    for bad, text in ((image[:100], "the image is cut off"), (image[:-1], "the image is cut off"),
                      (bytes(damaged), "the image is damaged: its checksum is wrong"),
                      (image + b"x", "the image is damaged: its checksum is wrong"),
                      (older, "the image is of another version: 'fairlead 0.0.9', format 1")):
        write("bad.image", bad)
        r = fairlead("tree", "-f", "bad.image")
        assert (r.code, r.out, r.err) == (1, "", f"bad.image: error: {text}\n{AGAIN}")
    write("bad.image", image[:7])
    assert fairlead("tree", "-f", "bad.image").code == 1


def test_bad_usage(fairlead, write):
    state(write, QUEUES)
    r = fairlead("save", "-f", "s.json")
    assert r.code == 2 and r.first_error == "fairlead save: no file to write to: give --out FILE"
    r = fairlead("save", "-f", "s.json", "--out", "no/such/folder")
    assert r.code == 3 and r.first_error == "no/such/folder: error: no such file or directory"
    r = fairlead("save", "-f", "s.json", "--out", "/dev/full")
    assert r.code == 3 and r.first_error == "/dev/full: error: no space left on device"
    assert fairlead("save", "-f", "nothing.yaml", "--out", "x").code == 1


def test_a_simulation_is_no_state(fairlead, write, tmp_path):
    write("sim.yaml", "apiVersion: fairlead.dev/v1alpha1\nkind: Simulation\nmetadata: {name: s}\nspec: {}\n")
    r = fairlead("save", "-f", "sim.yaml", "-f", state(write, QUEUES), "--out", "x")
    assert r.code == 1 and "a simulation cannot be saved, only a state" in r.err
    assert not list(tmp_path.glob("x*"))
