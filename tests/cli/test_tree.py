# SPDX-License-Identifier: Apache-2.0
import random

import pytest

import manifests as m


def test_text_is_a_tree(fairlead, write):
    write("c.json", m.dump(*m.small(), m.configuration()))
    r = fairlead("tree", "-f", "c.json", env={"COLUMNS": "100"})
    assert (r.code, r.err) == (0, "")
    assert r.out == """\
QUEUE  FLAVOR  RESOURCE  QUOTA  OWN  USED  BORROWED  LENT  AVAILABLE  SHARE  WAITING
co     f       cpu           8    -     6         -     -          2
├─a    f       cpu           4    4     -         -     2          2      0        2
└─b    f       cpu           4    4     6         2     -          2    250
"""


def test_ascii_where_the_locale_has_no_glyphs(fairlead, write):
    write("c.json", m.dump(*m.small()))
    r = fairlead("tree", "-f", "c.json", env={"COLUMNS": "100", "LC_ALL": "C"})
    assert "|-a " in r.out and "`-b " in r.out


def test_narrow_terminal_gives_up_columns(fairlead, write):
    write("c.json", m.dump(*m.small(), m.no_fair_sharing()))
    head = fairlead("tree", "-f", "c.json", env={"COLUMNS": "60"}).out.splitlines()[0]
    assert head.split() == ["QUEUE", "FLAVOR", "RESOURCE", "QUOTA", "USED", "BORROWED", "LENT", "AVAILABLE"]


def test_borrowing_limit_and_several_flavors(fairlead, write):
    write("c.json", m.dump(
        m.namespace("ns"), m.flavor("f"), m.flavor("g"),
        m.cluster_queue("a", m.quota("f", cpu={"nominalQuota": "1", "borrowingLimit": "3"}, memory="1Gi"),
                        m.quota("g", cpu="1500m", memory="512Mi"), cohort="co"),
        m.cluster_queue("b", m.quota("f", cpu="9", memory="1Gi"), cohort="co"),
        m.local_queue("la", "a"), m.workload("a1", "la", cpu="3", admitted=("a", "f")),
        m.no_fair_sharing()))
    r = fairlead("tree", "-f", "c.json", "a", env={"COLUMNS": "100"})
    assert (r.code, r.err) == (0, "")
    assert r.out.splitlines()[1].split() == ["a", "f", "cpu", "1", "1", "3", "2/3", "-", "1"]
    assert r.out.splitlines()[3].split() == ["g", "cpu", "1500m", "1500m", "-", "-", "-", "1500m"]
    assert len(r.out.splitlines()) == 5


def memory_row(fairlead, write, quota, used, cpu="1"):
    write("c.json", m.dump(
        m.namespace("ns"), m.flavor("f"), m.cluster_queue("a", m.quota("f", cpu=cpu, memory=quota)),
        m.local_queue("la", "a"), m.workload("a1", "la", memory=used, admitted=("a", "f"))))
    lines = fairlead("tree", "-f", "c.json").out.splitlines()
    return lines[1].split()[3], lines[2].split()[1:4]


@pytest.mark.parametrize("quota, used, row", [
    ("8Gi", "2Gi", ["8Gi", "8Gi", "2Gi"]),
    ("7680Gi", "1794Gi", ["7680Gi", "7680Gi", "1794Gi"]),       # short: exact
    ("5685875Mi", "2Ti", ["5.42Ti", "5.42Ti", "2Ti"]),
    ("5685875Mi", "2Gi", ["5.422Ti", "5.422Ti", "2Gi"]),        # 5.420Ti are left: three decimals tell
    ("1234567", "123456", ["1.18Mi", "1.18Mi", "123456"]),
    ("1048575Mi", "100Gi", ["1024.0Gi", "1024.0Gi", "100Gi"]),
    ("10000001Ki", "10000000Ki", ["10000001Ki", "10000001Ki", "10240M"]),  # they differ: exact
    ("4G", "1500M", ["4G", "4G", "1500M"]),                     # powers of ten, as they were written
    ("5685875Mi", "400G", ["5.42Ti", "5.42Ti", "372.5Gi"]),        # not beside one that is rounded in powers of two
    ("8Ei", "2Gi", ["unlimited", "unlimited", "2Gi"]),
])
def test_long_amounts_of_memory(fairlead, write, quota, used, row):
    assert memory_row(fairlead, write, quota, used)[1] == row


@pytest.mark.parametrize("cpu, text", [
    ("99999m", "99999m"), ("878514m", "878.514"), ("878500m", "878.5"), ("1234567", "1234567"),
])
def test_long_amounts_of_cores(fairlead, write, cpu, text):
    assert memory_row(fairlead, write, "1Gi", "1Gi", cpu)[0] == text


def test_json(fairlead, write, valid):
    write("c.json", m.dump(*m.small(), m.configuration()))
    tree = valid(fairlead("tree", "-f", "c.json", "-o", "json").json(), "tree")
    assert [(n["kind"], n["name"]) for n in tree["nodes"]] == [
        ("Cohort", "co"), ("ClusterQueue", "a"), ("ClusterQueue", "b")]
    assert tree["nodes"][2] == {
        "kind": "ClusterQueue", "name": "b", "parent": "co", "declared": True, "weight": "1",
        "admittedWorkloads": 1, "pendingWorkloads": 0,
        "quota": [{"flavor": "f", "resource": "cpu", "nominal": 4000, "subtree": 4000, "usage": 6000,
                   "borrowed": 2000, "lent": 0, "available": 2000}],
        "share": {"weightedShare": "250", "precise": "250", "dominantResource": "cpu", "borrowing": True}}
    assert tree["nodes"][0]["declared"] is False
    assert tree["nodes"][1]["quota"][0]["lent"] == 2000


def test_unknown_node(fairlead, write):
    write("c.json", m.dump(*m.small()))
    r = fairlead("tree", "-f", "c.json", "cp")
    assert (r.code, r.out) == (1, "")
    assert r.err == "fairlead: error: there is no cohort or queue 'cp'\nhint: did you mean 'co', 'a' or 'b'?\n"


def random_cluster(rng):
    objects = [m.namespace("ns"), m.flavor("f")]
    cohorts = [f"c{i}" for i in range(rng.randint(1, 4))]
    for i, c in enumerate(cohorts):
        own = [m.quota("f", cpu=str(rng.randint(0, 5)))] if rng.random() < 0.5 else []
        objects.append(m.cohort(c, rng.choice(cohorts[:i]) if i else None, *own))
    for i in range(rng.randint(2, 6)):
        limits = {"nominalQuota": str(rng.randint(0, 9))}
        if rng.random() < 0.3:
            limits["lendingLimit"] = str(rng.randint(0, int(limits["nominalQuota"])))
        objects.append(m.cluster_queue(f"q{i}", m.quota("f", cpu=limits), cohort=rng.choice(cohorts)))
        objects.append(m.local_queue(f"l{i}", f"q{i}"))
        objects += [m.workload(f"w{i}-{k}", f"l{i}", cpu=f"{rng.randint(1, 4000)}m")
                    for k in range(rng.randint(0, 4))]
    return objects


def admit(objects, plan):
    """The objects with what @plan admits."""
    admitted = {a["workload"]: a for c in plan["cycles"] for a in c["admitted"]}
    for o in objects:
        name = f"ns/{o['metadata']['name']}"
        if o["kind"] != "Workload" or name not in admitted:
            continue
        cpu = o["spec"]["podSets"][0]["template"]["spec"]["containers"][0]["resources"]["requests"]["cpu"]
        o["status"] = m.workload("x", "y", cpu=cpu, admitted=(admitted[name]["clusterQueue"], "f"))["status"]
    return objects


def test_what_is_borrowed_is_lent_by_somebody(fairlead, valid):
    """At every cohort: borrowed by children + lent by it = own quota used + lent by children + borrowed by it."""
    rng = random.Random(7)
    borrowers = 0
    for _ in range(60):
        objects = random_cluster(rng)
        plan = fairlead("plan", "--settle", "-o", "json", "-f", "-", stdin=m.dump(*objects).encode())
        assert plan.code == 0
        stdin = m.dump(*admit(objects, plan.json())).encode()
        tree = valid(fairlead("tree", "-o", "json", "-f", "-", stdin=stdin).json(), "tree")
        nodes = {(n["kind"], n["name"]): n for n in tree["nodes"]}
        for n in tree["nodes"]:
            if n["kind"] != "Cohort" or not n["quota"]:
                continue
            cells = [c["quota"][0] for c in tree["nodes"] if c.get("parent") == n["name"] and c["quota"]]
            mine = n["quota"][0]
            borrowed, lent = sum(c["borrowed"] for c in cells), sum(c["lent"] for c in cells)
            own = borrowed + mine["lent"] - lent - mine["borrowed"]
            assert 0 <= own <= mine["nominal"], (n, cells)
            if lent:
                assert own == mine["nominal"]  # its own quota goes first
            for c in cells:
                assert c["lent"] <= max(0, c["nominal"] + c["subtree"] - c["usage"])
            borrowers += borrowed > 0
        assert nodes
    assert borrowers > 20
