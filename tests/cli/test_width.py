# SPDX-License-Identifier: Apache-2.0
"""A table that is too wide for the terminal says which columns it leaves out, or comes in parts."""
import re

import pytest

import entitle_manifests as e
import manifests as m
from test_compare import tiny  # noqa: F401 (the fixture)

WIDTHS = [40, 60, 80, 120]
LEFT_OUT = re.compile(r"Left out, for want of width: (.*?) \(a wider terminal or a pipe shows (it|them), and -o json has all\)")


def heads(text, first="QUEUE"):
    """Of the first table, in which columns stand two blanks apart, or one where it is tight."""
    [line] = [line for line in text.splitlines() if line.strip().startswith(first)][:1]
    return line


def left_out(text):
    found = LEFT_OUT.search(" ".join(text.split()))
    return found.group(1).split(", ") if found else []


def wide(fairlead, *args):
    """The columns when there is room for all."""
    return re.split(r"\s{2,}", heads(fairlead(*args, env={"COLUMNS": "400"}).out).strip())


@pytest.mark.parametrize("width", WIDTHS)
def test_tree_of_kueue(fairlead, write, width):
    write("c.json", m.dump(*m.small(), m.configuration()))
    check(fairlead, width, "tree", "-f", "c.json")


@pytest.mark.parametrize("width", WIDTHS)
def test_tree_of_kai(fairlead, write, width):
    write("c.json", e.dump(*e.small(), e.shard(kValue=0)))
    check(fairlead, width, "tree", "-f", "c.json")


def check(fairlead, width, *args):
    all_columns = wide(fairlead, *args)
    assert {"WAITING"} <= set(all_columns)
    r = fairlead(*args, env={"COLUMNS": str(width)})
    assert r.code == 0
    gone = left_out(r.out)
    shown = f" {heads(r.out)} "
    for column in all_columns:
        assert (f" {column} " in shown) != (column in gone), column
    assert all(column in all_columns for column in gone)
    assert gone or width > 60


@pytest.mark.parametrize("width", WIDTHS)
def test_compare_keeps_all_variants(fairlead, tiny, width):  # noqa: F811
    names = [f"kept-{i}" for i in range(5)]
    variants = [a for name in names for a in ("--variant", f"{name}=keep.yaml")]
    r = fairlead("compare", "-f", tiny, *variants, env={"COLUMNS": str(width)})
    assert r.code == 0
    text = fairlead("compare", "-f", tiny, *variants, env={"COLUMNS": "400"}).out
    figures = [line.split("  ")[1] for line in text.splitlines() if line.startswith("  ")]
    for name in ["baseline", *names]:
        assert len(re.findall(rf" {name}\b", r.out)) == 2  # figures, and queues
    for figure in figures:
        assert f"  {figure}" in r.out
    assert "Left out" not in r.out
    if width > 40:
        assert max(len(line) for line in r.out.splitlines()) <= width


@pytest.mark.parametrize("width", WIDTHS)
def test_sweep_keeps_all_figures(fairlead, tiny, width):  # noqa: F811
    r = fairlead("compare", "-f", tiny, "--sweep", "grace=1s..1h", env={"COLUMNS": str(width)})
    assert r.code == 0 and "Left out" not in r.out
    for head in "FINISHED", "USE", "P50", "P90", "MAX", "JAIN", "RATIO", "WORST", "CORRECTED", "EVICTED", "LOST":
        assert re.search(rf"\b{head}\b", r.out)
    assert max(len(line) for line in r.out.splitlines()) <= width
