# SPDX-License-Identifier: Apache-2.0
"""What fairness costs: the script runs, its tables stand in the guide, its pictures are sound."""
import json
import os
import subprocess
import xml.etree.ElementTree as xml

import pytest

from conftest import SOURCE

GUIDE = SOURCE / "doc" / "guide"
WITHOUT = ["first come", "best effort", "fair, no preemption"]


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    path = tmp_path_factory.mktemp("cost")
    subprocess.run([SOURCE / "tools" / "fairness-cost", "--only", "sdsc-blue,openb", "--load", "1.2",
                    path], check=True, env=dict(os.environ), stderr=subprocess.DEVNULL)
    return path


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
    page = (GUIDE / "fairness-cost.md").read_text()
    assert (out / "tables.md").read_text() in page


@pytest.mark.parametrize("name", ["use", "wait", "ratio"])
def test_pictures(out, name):
    for folder in (out, GUIDE):
        path = folder / ("fairness-cost-%s.svg" % name)
        text = path.read_text()
        assert len(text) < 60000 and "prefers-color-scheme:dark" in text
        assert xml.fromstring(text).tag.endswith("svg")
    assert path.name in (GUIDE / "fairness-cost.md").read_text()
