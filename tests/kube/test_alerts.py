# SPDX-License-Identifier: Apache-2.0
"""The alerts of deploy/: each comes when it should and at no other time, by Prometheus' own evaluation; and each metric
that they name is one of the daemon's."""
import os
import pathlib
import re
import shutil
import subprocess

import pytest
import yaml

SOURCE = pathlib.Path(os.environ["FAIRLEAD_SOURCE"])
FILES = [SOURCE / "deploy" / part / "monitoring" / "alerts.yaml" for part in ("observe", "scheduler")]
GROUPS = [group for file in FILES for group in yaml.safe_load(file.read_text())["spec"]["groups"]]
# Two pods when all is well, a value each minute; of writes "rejected" there is one at the start already.
WELL = {
    'fairlead_watch_stale{namespace="fairlead",pod="a"}': "0x60", 'fairlead_watch_stale{namespace="fairlead",pod="b"}': "0x60",
    'fairlead_preemption_loops_total{namespace="fairlead",pod="a"}': "2x60",
    'fairlead_leader{namespace="fairlead",pod="a"}': "1x20 0x40", 'fairlead_leader{namespace="fairlead",pod="b"}': "0x20 1x40",
    'fairlead_intent_oldest_seconds{namespace="fairlead",pod="a"}': "3x60",
    'fairlead_intent_oldest_seconds{namespace="fairlead",pod="b"}': "0x60",
    'fairlead_trees_stopped{namespace="fairlead",pod="a"}': "0x60", 'fairlead_trees_stopped{namespace="fairlead",pod="b"}': "0x60",
    'fairlead_writes_total{namespace="fairlead",pod="a",result="rejected"}': "1x60",
    'fairlead_writes_total{namespace="fairlead",pod="a",result="done"}': "0+30x60",
    'fairlead_writes_total{namespace="fairlead",pod="a",result="conflict"}': "0+1x60",
}
# What is other than well (None: is not there), and at which minutes which alert is there.
CASES = {
    "all is well": ({}, {}),
    "a pod hears nothing": ({'fairlead_watch_stale{namespace="fairlead",pod="b"}': "0x9 1x20 0x30"},
                            {"FairleadWatchStale": range(15, 31)}),
    "a pod hears nothing for a moment": ({'fairlead_watch_stale{namespace="fairlead",pod="b"}': "0x9 1x3 0x46"}, {}),
    "a loop": ({'fairlead_preemption_loops_total{namespace="fairlead",pod="a"}': "2x19 3x40"},
               {"FairleadPreemptionLoop": range(20, 35)}),
    "nobody leads": ({'fairlead_leader{namespace="fairlead",pod="a"}': "1x9 0x50",
                      'fairlead_leader{namespace="fairlead",pod="b"}': "0x29 1x30"}, {"FairleadNoLeader": range(11, 30)}),
    "no pod is there": (dict.fromkeys((s for s in WELL if s.startswith("fairlead_leader")), None),
                        {"FairleadNoLeader": range(1, 60)}),
    "a decision is not seen": ({'fairlead_intent_oldest_seconds{namespace="fairlead",pod="a"}': "0x9 0+60x5 0x40"},
                               {"FairleadIntentsOld": range(12, 16)}),
    "it is not known what is held in a tree": ({'fairlead_trees_stopped{namespace="fairlead",pod="a"}': "0x9 1x20 0x30"},
                                               {"FairleadTreeStopped": range(11, 31)}),
    "a write is refused": ({'fairlead_writes_total{namespace="fairlead",pod="a",result="rejected"}': "1x19 2x40"},
                           {"FairleadWritesRejected": range(20, 30)}),
}


def test_they_name_metrics_that_there_are():
    named = {name for group in GROUPS for rule in group["rules"] for name in re.findall(r"fairlead_\w+", rule["expr"])}
    table = set(re.findall(r"^\| `(fairlead_\w+)` ", (SOURCE / "doc" / "guide" / "metrics.md").read_text(), re.MULTILINE))
    assert named <= table


def test_each_has_a_case_and_says_what_to_do():
    rules = [rule for group in GROUPS for rule in group["rules"]]
    assert {rule["alert"] for rule in rules} == {alert for _, expected in CASES.values() for alert in expected}
    for rule in rules:
        assert rule["labels"]["severity"] in ("warning", "critical")
        assert rule["annotations"]["summary"] and rule["annotations"]["description"]


@pytest.mark.skipif(not shutil.which("promtool"), reason="there is no promtool; tools/bootstrap test gets it")
@pytest.mark.parametrize("what", CASES)
def test_when(what, tmp_path):
    other, expected = CASES[what]
    series = [{"series": name, "values": values} for name, values in {**WELL, **other}.items() if values]
    # Names alone: labels and texts are those of the rules.
    rules = [{**group, "rules": [{key: rule[key] for key in ("alert", "expr", "for") if key in rule} for rule in
                                 group["rules"]]} for group in GROUPS]
    (tmp_path / "rules.yaml").write_text(yaml.safe_dump({"groups": rules}))
    at = [{"eval_time": f"{minute}m", "expr": 'count by (alertname) (ALERTS{alertstate="firing"})',
           "exp_samples": [{"labels": f'{{alertname="{alert}"}}', "value": 1}
                           for alert, minutes in expected.items() if minute in minutes]} for minute in range(1, 59)]
    (tmp_path / "test.yaml").write_text(yaml.safe_dump({
        "rule_files": ["rules.yaml"], "evaluation_interval": "1m",
        "tests": [{"interval": "1m", "input_series": series, "promql_expr_test": at}]}))
    done = subprocess.run(["promtool", "test", "rules", "test.yaml"], cwd=tmp_path, text=True, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(not shutil.which("promtool"), reason="there is no promtool; tools/bootstrap test gets it")
def test_prometheus_takes_them(tmp_path):
    (tmp_path / "rules.yaml").write_text(yaml.safe_dump({"groups": GROUPS}))
    subprocess.run(["promtool", "check", "rules", tmp_path / "rules.yaml"], check=True, timeout=60)
