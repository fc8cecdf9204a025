# SPDX-License-Identifier: Apache-2.0
import math
import re
import xml.etree.ElementTree

import pytest

import manifests as m
from conftest import SOURCE

HOUR = 3600


def portion(k, weight, usage, busy=False):
    """The rule itself: the others as one queue, of the rest of the weights."""
    own = max(weight + k * (weight - usage), 0)
    rest = 1 - weight
    return own / (own + max(rest + k * (rest - (1 - usage if busy else 0)), 0))


def usage(part, hours, window=168, half_life=None):
    """A sum over samples, one a minute, as a metrics server would make it."""
    weights = [1 if half_life is None else 0.5 ** (i / 60 / half_life) for i in range(int(window * 60))]
    return part * sum(weights[:int(hours * 60)]) / sum(weights)


@pytest.fixture
def tune(fairlead, valid):
    def ask(*args):
        r = fairlead("tune", "-o", "json", *args)
        assert (r.code, r.err) == (0, "")
        return valid(r.json(), "tune")

    return ask


def test_text(fairlead):
    r = fairlead("tune", "--k", "1", "--half-life", "24h", "--weights", "1,3", env={"COLUMNS": "100"})
    assert (r.code, r.err) == (0, "")
    words, picture = r.out.split("Portion, ")
    assert words == """\
k 1, half-life 1d, window 7d

To use the whole cluster for 1h is a usage of 2.87 %. For a queue of weight 1 (25 % of all weights)
it
  costs 4.37 % of its over-quota portion if the others used nothing
  costs nothing, the portion even grows by 88.5 %, if the others used all the rest
  is half forgotten 1d after it ended, and all forgotten after 7d

WEIGHT  QUEUES  PART  HOUR COSTS  IDLE GETS  YIELDS FROM  YIELDS AFTER  BACK AFTER
     1       1  25 %      4.37 %       50 %     k 0.3333        23h43m       1d23h
     3       1  75 %     0.485 %      100 %          k 3         never       9h52m
HOUR: of the whole cluster, the others idle. IDLE: a queue that used nothing while the others used
everything. YIELDS: a queue that holds everything gets nothing from this k on, and after this time.
BACK: time idle until its portion is again that of its weight.

Model: two queues of equal weight with jobs that need the whole cluster take turns of 7d.

"""
    rows = [line for line in picture.splitlines() if line[7:8] in "┤│"]
    assert len(rows) == 10 and not any(line.endswith(" ") for line in r.out.splitlines())
    assert rows[0].endswith("weight 1: low 0 %") and rows[1].endswith("weight 3: low 80 %")
    assert rows[0].startswith(" 100 % ┤") and rows[-1].startswith("   0 % ┤")
    assert re.search(r"^        0 +1d +2d .* 7d$", picture, re.M)
    assert r.out.splitlines()[-2].startswith("note: a queue of weight 3 that holds everything keeps")


def test_ascii_and_narrow(fairlead):
    r = fairlead("tune", "--weights", "1,3", env={"LC_ALL": "C", "COLUMNS": "60"})
    assert r.out.isascii() and "a: weight 1" in r.out and "b: weight 3" in r.out
    assert all(len(line) <= 60 for line in r.out.splitlines())
    assert "| " not in fairlead("tune", env={"LC_ALL": "C", "COLUMNS": "30"}).out  # no room: no picture


@pytest.mark.parametrize("half_life, hours, gpus, weights, k", [
    (None, 1, 16, "1,1", 1), (24, 12, 4, "1,1,2", 2), (6, 48, 16, "1,3", 5), (1000, 5, 10, "2,1,1", 0.5),
])
def test_numbers_are_those_of_sampled_usage(tune, half_life, hours, gpus, weights, k):
    got = tune("--gpus", str(gpus), "--cluster", "16", "--hours", str(hours), "--weights", weights, "--k", str(k),
               "--half-life", f"{half_life}h" if half_life else "none")
    w = float(weights.split(",")[0]) / sum(map(float, weights.split(",")))
    u = usage(gpus / 16, hours, half_life=half_life)
    assert got["use"]["usage"] == pytest.approx(u, rel=2e-3)
    assert got["use"]["costIfOthersIdle"] == pytest.approx(1 - portion(k, w, u) / w, abs=2e-3)
    assert got["use"]["costIfOthersBusy"] == pytest.approx(1 - portion(k, w, u, True) / w, abs=1e-2)
    for row in got["weights"]:
        p = row["part"]
        least = (p - 1 / 32) / (1 - p)  # shares are rounded to whole ones of 16
        assert row["yieldsFromK"] == pytest.approx(least)
        assert (row["yieldsAfterSeconds"] is None) == (k < least)
        assert row["portionWhenIdle"] == pytest.approx(portion(k, p, 0, True))


USE = ["--gpus", "4", "--hours", "12", "--cluster", "16", "--weights", "1,1,2"]


@pytest.mark.parametrize("args, found, k, half_life, window", [
    (USE + ["--penalty", "50%"], "kAndHalfLife", 8 / 3, 5.39, 168),
    (USE + ["--penalty", "0.5", "--half-life", "6h"], "k", 3.2, 6, 168),
    (USE + ["--penalty", "50%", "--k", "3"], "halfLife", 3, 5.795, 168),
    (USE + ["--penalty", "5%"], "kAndHalfLife", 1, 77.22, 168),
    (USE + ["--penalty", "50%", "--k", "3", "--half-life", "none"], "window", 3, None, 15.75),
    (["--hours", "84", "--penalty", "100%"], "kAndHalfLife", 2, 53.0, 168),
    (["--hours", "84", "--penalty", "40%"], "kAndHalfLife", 1, 202.4, 168),
    (["--hours", "84", "--penalty", "20%"], "k", 0.5, None, 168),
    (["--hours", "126", "--penalty", "50%", "--others", "busy"], "k", 1, None, 168),
])
def test_what_is_found_does_what_was_asked(tune, args, found, k, half_life, window):
    got = tune(*args)
    cost = got["use"]["costIfOthersBusy" if "busy" in args else "costIfOthersIdle"]
    assert got["found"] == found
    assert cost == pytest.approx(got["cost"], rel=1e-5)
    assert got["k"] == pytest.approx(k, rel=1e-2)
    assert got["windowSeconds"] == pytest.approx(window * HOUR, rel=1e-2)
    if half_life is None:
        assert got["halfLifeSeconds"] is None
    else:
        assert got["halfLifeSeconds"] == pytest.approx(half_life * HOUR, rel=1e-2)


@pytest.mark.parametrize("args, text, hint", [
    (USE + ["--penalty", "50%", "--half-life", "24h"],
     "this is a usage of 7.38 %, which costs at most 23.9 %, whatever k is",
     "with a half-life below 9h49m there is such a k"),
    (USE + ["--penalty", "50%", "--others", "busy"],
     "25 % of the cluster is not above the queue's part by weight, 25 %: while the others use the rest, that costs nothing, "
     "whatever the parameters are", "with --others idle any usage costs something"),
    (["--gpus", "1", "--cluster", "16", "--hours", "9", "--penalty", "50%"],
     "to use 6.25 % of the cluster costs a queue with 50 % of the weights at most 6.67 %, whatever the parameters are",
     "give a smaller --penalty, or more --gpus"),
    (USE + ["--penalty", "50%", "--k", "1"],
     "with k 1 this needs a usage of 28.6 %; a queue that uses 25 % of the cluster stays below it", "give a k above 1.333"),
    (["--hours", "84", "--penalty", "1%", "--k", "2"],
     "with k 2 it costs at least 50 %, with no half-life", "give a k of 0.0202 or less"),
    (["--hours", "12", "--penalty", "1%", "--k", "1", "--half-life", "1d"],
     "with k 1 it costs at least 17.2 %, with the longest window", "give a k of 0.03499 or less"),
    (["--penalty", "50%", "--k", "0"], "with k 0 usage costs nothing", None),
    (["--penalty", "50%", "--weights", "2"], "a queue alone gets everything: no usage costs it anything", None),
])
def test_what_cannot_be(fairlead, args, text, hint):
    r = fairlead("tune", *args)
    assert (r.code, r.out) == (1, "")
    assert r.err == f"fairlead: error: {text}\n" + (f"hint: {hint}\n" if hint else "")


@pytest.mark.parametrize("args, code, text", [
    (["--k", "-2"], "k-below-zero", "k -2 is taken as 0, as in the real program"),
    (["--k", "0"], "k-zero", "with k 0 usage has no effect: half-life and window are inert, and shares are those of "
                             "plain division"),
    (["--weights", "3"], "one-queue", "one queue alone gets everything: all of this is inert"),
    (["--half-life", "100d"], "half-life-inert",
     "the half-life of 100d is nearly inert: in a window of 7d the oldest usage still counts 95 %"),
    (["--half-life", "1h"], "window-inert", "the window of 7d is inert: after 20 half-lives a millionth is left"),
    (["--window", "30s"], "window-below-fetch",
     "the window of 30s is shorter than the 1m between two looks at usage: most of it is never seen"),
    (["--k", "0.5"], "never-yields",
     "a queue of weight 1 that holds everything keeps some portion whatever it used: a queue that needs the whole cluster "
     "never gets it, below k 1"),
    (["--weights", "1,1,1"], "three-queues",
     "of three or more queues with jobs that need the whole cluster none yields in the real program before its job "
     "ends, whatever k is: those that wait share what is free"),
])
def test_notes(tune, args, code, text):
    assert {"code": code, "text": text} in tune(*args)["notes"]


def test_no_notes_where_all_is_well(tune):
    assert tune("--k", "2")["notes"] == []


@pytest.mark.parametrize("args, text", [
    (["--k", "x"], "--k: 'x' is not a number"),
    (["--k", "nan"], "--k: 'nan' is not a number"),
    (["--gpus", "4"], "--gpus needs --cluster, or Nodes in an input"),
    (["--gpus", "0", "--cluster", "4"], "--gpus: '0' is not a number above 0"),
    (["--gpus", "5", "--cluster", "4"], "--gpus: 5 is more than the 4 GPUs of the cluster"),
    (["--hours", "1e9"], "--hours: '1e9' is not from 0.001 to 1000000"),
    (["--half-life", "1 week"], "--half-life: '1 week' is not a time such as 12h or 7d"),
    (["--window", "0s"], "--window: '0s' is not a time such as 12h or 7d"),
    (["--penalty", "150%"], "--penalty: '150%' is not a part such as 50% or 0.5"),
    (["--penalty", "50"], "--penalty: '50' is not a part such as 50% or 0.5"),
    (["--weights", "1,,2"], "--weights: '1,,2' is not a list of numbers above 0"),
    (["--weights", "1,-2"], "--weights: '1,-2' is not a list of numbers above 0"),
    (["--weight", "3", "--weights", "1,2"], "--weight: 3 is none of --weights"),
    (["--others", "some"], "--others: 'some' is neither idle nor busy"),
    (["--k", "1", "--half-life", "1d", "--window", "7d", "--penalty", "50%"],
     "nothing is left to find: leave out one of --k, --half-life, --window and --penalty"),
    (["a"], "a QUEUE needs an input: give -f FILE"),
])
def test_wrong_usage(fairlead, args, text):
    r = fairlead("tune", *args)
    assert (r.code, r.out) == (2, "")
    assert r.err.splitlines()[0] == f"fairlead tune: {text}"


def test_svg_is_the_picture(fairlead, tmp_path):
    args = ["tune", *USE, "--penalty", "50%", "--svg"]
    assert fairlead(*args, "out.svg").code == 0
    text = (tmp_path / "out.svg").read_text()
    assert fairlead(*args, "-").out == text
    root = xml.etree.ElementTree.fromstring(text)
    ns = "{http://www.w3.org/2000/svg}"
    _, _, width, height = map(float, root.get("viewBox").split())
    words = [t.text for t in root.iter(f"{ns}text")]
    assert {"weight 1 (25 %)", "weight 2 (50 %)", "What 4 of 16 GPUs for 12h cost", "100 %", "12h"} <= set(words)
    assert "prefers-color-scheme:dark" in text and "href" not in text and "@import" not in text
    lines = [p.get("d") for p in root.iter(f"{ns}path") if "line" in p.get("class")]
    assert len(lines) == 2
    numbers = [[float(n) for n in re.findall(r"[-\d.]+", d)] for d in lines]
    for line in numbers:
        assert all(0 <= x <= width for x in line[::2]) and all(0 <= y <= height for y in line[1::2])
    axis = {t.text: float(t.get("y")) - 4.5 for t in root.iter(f"{ns}text") if t.get("text-anchor") == "end"}
    lowest = max(numbers[0][1::2])
    assert math.isclose(lowest, axis["50 %"], abs_tol=1.5)  # half of the portion, where the use ends


def test_svg_that_cannot_be_written(fairlead):
    r = fairlead("tune", "--svg", "nowhere/x.svg")
    assert r.code == 3
    assert r.err == "fairlead: error: nowhere/x.svg: No such file or directory\n"


def test_many_weights_are_thinned_in_the_picture(fairlead):
    text = fairlead("tune", "--weight", "4", "--weights", "1,2,3,4,5,6,7", "--svg", "-").out
    assert re.findall(r"weight (\d)", text) == ["7", "4", "1"] or \
        sorted(re.findall(r"weight (\d)", text)) == ["1", "4", "7"]


def test_an_input_without_queues(fairlead, write):
    write("c.json", m.dump(*m.small()))
    r = fairlead("tune", "-f", "c.json")
    assert (r.code, r.err) == (1, "fairlead: error: no queue has a weight for GPUs\n")


def test_an_input_says_what_options_do_not(fairlead, write, valid):
    def queue(name, weight, parent=None):
        gpu = {"gpu": {"quota": 0, "overQuotaWeight": weight, "limit": -1}}
        spec = {"resources": {**gpu, "cpu": gpu["gpu"], "memory": gpu["gpu"]}}
        return {"apiVersion": "scheduling.run.ai/v2", "kind": "Queue", "metadata": {"name": name},
                "spec": {**spec, **({"parentQueue": parent} if parent else {})}}

    write("c.json", m.dump(
        {"apiVersion": "kai.scheduler/v1", "kind": "SchedulingShard", "metadata": {"name": "default"},
         "spec": {"kValue": 2, "usageDBConfig": {"clientType": "prometheus", "usageParams": {
             "halfLifePeriod": "12h", "windowSize": "96h", "windowType": "tumbling",
             "tumblingWindowStartTime": "2026-01-01T00:00:00Z"}}}},
        queue("top", 1), queue("other", 3), queue("a", 2, "top"), queue("b", 2, "top"), queue("c", 4, "top"),
        {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"},
         "status": {"allocatable": {"cpu": "8", "memory": "8Gi", "nvidia.com/gpu": "16"},
                    "conditions": [{"type": "Ready", "status": "True"}]}}))
    got = valid(fairlead("tune", "-f", "c.json", "c", "--gpus", "4", "--window", "48h", "-o", "json").json(), "tune")
    assert (got["k"], got["halfLifeSeconds"], got["windowSeconds"]) == (2, 12 * HOUR, 48 * HOUR)
    assert [(w["weight"], w["queues"], w["part"]) for w in got["weights"]] == [(2, 2, 0.25), (4, 1, 0.5)]
    assert (got["use"]["weight"], got["use"]["clusterPart"]) == (4, 0.25)
    assert {"window-kind", "part-of-cluster"} <= {n["code"] for n in got["notes"]}
    top = fairlead("tune", "-f", "c.json", "-o", "json").json()
    assert [w["weight"] for w in top["weights"]] == [1, 3] and top["use"]["weight"] == 1
    r = fairlead("tune", "-f", "c.json", "d")
    assert (r.code, r.err.splitlines()[-2:]) == (
        1, ["fairlead: error: there is no Queue 'd'", "hint: did you mean 'a', 'b' or 'c'?"])


# --- the guide ---

GUIDE = SOURCE / "doc" / "guide"


def test_the_guide_shows_what_is_printed(fairlead):
    blocks = re.findall(r"```console\n\$ fairlead ([^\n]*)\n(.*?)```\n", (GUIDE / "fairness-over-time.md").read_text(), re.S)
    assert len(blocks) == 5
    for line, shown in blocks:
        r = fairlead(*line.split(), env={"COLUMNS": "90"})
        assert r.out + r.err == shown, line
    assert fairlead("tune", *USE, "--penalty", "50%", "--svg", "-").out == (GUIDE / "tune.svg").read_text()


def tables():
    rows = re.findall(r"^\| (.*) \|$", (GUIDE / "fairness-over-time.md").read_text(), re.M)
    return [[cell.strip() for cell in row.split("|")] for row in rows if not row.startswith("-")]


def test_the_numbers_of_the_guide(fairlead, tune):
    found = {"k": 0, "usage": 0, "turn": 0}
    for row in tables():
        if row[0] in ("k", "half-life"):
            head = row[-1] if row[-1] != "because" else "usage"
        elif head == "turn":
            found["turn"] += 1
            out = fairlead("tune", "--k", row[0], "--half-life", row[1], "--window", row[2]).out
            model = re.search(r"Model: .*?\.\n", out, re.S).group().replace("\n", " ")
            assert model.endswith("one keeps it. " if row[3] == "never" else f"take turns of {row[3]}. "), row
        elif head == "usage":
            found["usage"] += 1
            out = fairlead("tune", *USE, "--half-life", row[0], "--window", row[1]).out
            assert f"is a usage of {row[2]}." in out
        else:
            found["k"] += 1
            limit = 0.5 * (1 + 1 / float(row[0]))
            assert row[1].startswith("more" if limit > 1 else "everything" if limit == 1 else f"{100 * limit:.0f} %")
    assert min(found.values()) >= 4
