# SPDX-License-Identifier: Apache-2.0
"""What fairness and settling cost: the script runs, its tables stand in the guide, its pictures are sound."""
import importlib.machinery
import importlib.util
import json
import os
import subprocess
import xml.etree.ElementTree as xml

import pytest

from conftest import SOURCE

# Every build has the same figures; traces, stories and the simulator's own tests are run sanitized, too.
pytestmark = pytest.mark.skipif(bool(os.environ.get("FAIRLEAD_SANITIZED")), reason="the same figures, slowly")
GUIDE = SOURCE / "doc" / "guide"
FIGURES = SOURCE / "bench" / "results"
WITHOUT = ["first come", "best effort", "fair, no preemption"]


def ran(path, *args):
    subprocess.run([SOURCE / "tools" / "fairness-cost", *args, path], check=True, env=dict(os.environ),
                   stderr=subprocess.DEVNULL)
    return path


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    return ran(tmp_path_factory.mktemp("cost"), "--only", "sdsc-blue,openb", "--load", "1.2")


@pytest.fixture(scope="module")
def settles(tmp_path_factory):
    return ran(tmp_path_factory.mktemp("settles"), "--settles", "--only", "sdsc-blue,lcg", "--load", "1.2")


def test_figures(out):
    runs = json.loads((out / "figures.json").read_text())
    assert [r["trace"] for r in runs] == ["sdsc-blue", "openb"]
    for run in runs:
        variants = {v["name"]: v for v in run["variants"]}
        for name, v in variants.items():
            assert v["jobs"] == variants["fair"]["jobs"]
            assert 0 < v["kept"] <= v["held"] <= 1
            assert v["kept"] == pytest.approx(v["held"] - v["lost"])
            assert (v["evictions"] == 0 and v["lost"] == 0) == (name in WITHOUT)
            assert 0 <= v["worst"] <= 1 and 0 < v["ratio"] <= 1 and 0 < v["jain"] <= 1
            assert v["p50"] <= v["p90"] <= v["longest"]
        assert variants["best effort"]["kept"] >= variants["first come"]["kept"]
        assert variants["fair"]["ratio"] > variants["best effort"]["ratio"]
        assert variants["fair, checkpoints"]["lost"] <= variants["fair"]["lost"]


def test_the_page_is_right(out):
    page = (FIGURES / "fairness-cost.md").read_text()
    assert (out / "tables.md").read_text() in page


@pytest.mark.parametrize("name", ["use", "wait", "ratio"])
def test_pictures(out, name):
    for folder in (out, GUIDE):
        path = folder / ("fairness-cost-%s.svg" % name)
        text = path.read_text()
        assert len(text) < 60000 and "prefers-color-scheme:dark" in text
        assert xml.fromstring(text).tag.endswith("svg")
    assert path.name in (GUIDE / "fairness-cost.md").read_text()


# --- what settling costs ---

def test_what_settling_costs(settles):
    runs = json.loads((settles / "figures.json").read_text())
    assert [r["trace"] for r in runs] == ["sdsc-blue", "lcg"]
    for run in runs:
        variants = {v["name"]: v for v in run["variants"]}
        for name, v in variants.items():
            assert v["jobs"] == variants["fair"]["jobs"]
            assert 0 < v["kept"] <= v["held"] <= 1 and 0 <= v["rounds"] <= v["evictions"]
            assert (v["evictions"] == 0) == (name == "fair, no preemption")
        for name, other in (("fair, settles", "fair"), ("owned, settles", "owned, fair")):
            ways = settles / ("%s-%g" % (run["trace"], run["load"])) / name.replace(", ", "-")
            loops = json.loads((ways / "summary.json").read_text()).get("loops", [])
            assert not any(loop["sure"] for loop in loops)  # pairs may meet again as others finish
            assert variants[name]["rounds"] <= variants[other]["rounds"]
            assert {k: v for k, v in variants[name].items() if k not in ("name", "seconds")} != {
                k: v for k, v in variants[other].items() if k not in ("name", "seconds")}
    assert {v["name"]: v["rounds"] > 0 for v in runs[0]["variants"] if "settles" not in v["name"]} == {
        "fair, no preemption": False, "fair": True, "fair, first rule": False, "fair, freed is held": True,
        "owned, fair": True}


def test_the_page_of_settling_is_right(settles):
    page = (FIGURES / "settles.md").read_text()
    tables = (settles / "tables.md").read_text().split("\n**")
    assert len(tables) == 2 and all(table.strip("*\n") in page for table in tables)
    text = (GUIDE / "settles-lost.svg").read_text()
    assert xml.fromstring(text).tag.endswith("svg") and "settles-lost.svg" in (GUIDE / "fairness-cost.md").read_text()
    assert xml.fromstring((settles / "settles-lost.svg").read_text()).tag.endswith("svg")


def tool():
    loader = importlib.machinery.SourceFileLoader("fairness_cost", str(SOURCE / "tools" / "fairness-cost"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("fairness_cost", loader))
    loader.exec_module(module)
    return module


def test_differences():
    """Over loads nearby: the mean, the least and the most, by the load they are near to."""
    def run(load, **kept):
        both = {"kept": 0.5, "lost": 0.1, "evictions": 100, "jain": 0.9, "ratio": 0.5, "small": 60}
        names = {name for pair in tool().PAIRS for name in pair}
        return {"trace": "lcg", "load": load, "variants": [
            {**both, "name": n, **(kept if n == "fair, settles" else {})} for n in sorted(names)]}

    table = tool().differences([run(1.2, kept=0.52, evictions=90), run(0.85), run(1.16, kept=0.47, evictions=100)])
    assert "| LCG, 1.2 | -0.5 (-3.0 to +2.0) | 0.0 (0.0 to 0.0) | -5.0 (-10.0 to 0.0) |" in table
    assert table.count("| LCG, 0.85 | 0.0 (0.0 to 0.0) |") == table.count("**fair, settles** less **fair**") + 2
