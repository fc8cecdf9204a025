# SPDX-License-Identifier: Apache-2.0
"""The judge is judged: `run` must fail on every kind of planted mistake.

A stand-in for replay answers with the recorded outcome, spoiled in one place.
"""
import gzip
import json
import os
import subprocess
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
ECHO = """#!{python}
import json, sys
answers = json.load(open({answers!r}))
for line in open(sys.argv[1]):
	case = json.loads(line)
	assert "expected" not in case
	if case["id"] in answers:
		print(json.dumps(dict(id=case["id"], **answers[case["id"]])))
sys.exit({status})
"""


def first_cases(suite, want, n=3):
	cases = []
	with gzip.open(os.path.join(HERE, suite + ".jsonl.gz"), "rt") as f:
		for line in f:
			case = json.loads(line)
			if any(c.get(want) for c in case["expected"]["cycles"]):
				cases.append(case)
			if len(cases) == n:
				break
	return cases


def arithmetic(kind, n=3):
	with gzip.open(os.path.join(HERE, "afs_decay.jsonl.gz"), "rt") as f:
		return [c for c in map(json.loads, f) if c["kind"] == kind and c["expected"].get("penalty") != {}][:n]


def judge(tmp_path, cases, answers, *options, status=0):
	with gzip.open(tmp_path / "fair.jsonl.gz", "wt") as f:
		for case in cases:
			f.write(json.dumps(case) + "\n")
	(tmp_path / "answers.json").write_text(json.dumps(answers))
	echo = tmp_path / "replay"
	echo.write_text(ECHO.format(python=sys.executable, answers=str(tmp_path / "answers.json"), status=status))
	echo.chmod(0o755)
	return subprocess.run([os.path.join(HERE, "run"), "--suites", "fair", "--data", str(tmp_path), "--replay",
			       str(echo), "--failures", *options], capture_output=True, text=True, check=False)


def truth(cases):
	return {c["id"]: {"got": json.loads(json.dumps(c["expected"]))} for c in cases}


def cycle_with(answer, key):
	return next(c for c in answer["got"]["cycles"] if c.get(key))


def spoil_flavor(answer):
	flavors = cycle_with(answer, "admitted")["admitted"][0]["podSets"][0]["flavors"]
	flavors[next(iter(flavors))] = "elsewhere"


def spoil_count(answer):
	cycle_with(answer, "admitted")["admitted"][0]["podSets"][0]["count"] += 1


def spoil_admitted(answer):
	cycle_with(answer, "admitted")["admitted"].pop()


def spoil_twice(answer):
	rows = cycle_with(answer, "admitted")["admitted"]
	rows.append(rows[0])


def spoil_preemptor(answer):
	cycle_with(answer, "preempted")["preempted"][0]["preemptor"] = "ns/nobody"


def spoil_reason(answer):
	cycle_with(answer, "preempted")["preempted"][0]["reason"] = "InClusterQueue?"


def spoil_share_bit(answer):
	shares = cycle_with(answer, "shares")["shares"]["clusterQueues"]
	name = sorted(shares)[0]
	shares[name]["precise"] += "1"


def spoil_share_more(answer):
	cycle_with(answer, "shares")["shares"]["clusterQueues"]["ghost"] = {"weightedShare": "0", "precise": "0"}


def usage_with(answer, key):
	cycle = cycle_with(answer, "localQueueUsage")
	return next(u for u in cycle["localQueueUsage"].values() if u[key])


def spoil_usage(answer):
	usage_with(answer, "usage")["usage"] = "12345.678"


def spoil_consumed(answer):
	row = usage_with(answer, "consumed")["consumed"]
	name = sorted(row)[0]
	row[name] = "1" + row[name]


def spoil_consumed_more(answer):
	usage_with(answer, "consumed")["consumed"]["ghost"] = "1m"


def spoil_consumed_less(answer):
	row = usage_with(answer, "consumed")["consumed"]
	row.pop(next(k for k in sorted(row) if not row[k].startswith("0")))


def spoil_cycles(answer):
	answer["got"]["cycles"].append({"admitted": [], "preempted": []})


def spoil_all(answer):
	answer.pop("got")
	answer["error"] = "out of luck"


def jobs(n=3):
	with gzip.open(os.path.join(HERE, "jobs.jsonl.gz"), "rt") as f:
		return [c for c in map(json.loads, f) if c["expected"]["workloads"] and c["expected"]["objects"]][:n]


def first_job(answer):
	return answer["got"]["workloads"][0]


def spoil_job_name(answer):
	first_job(answer)["name"] += "x"


def spoil_job_more(answer):
	first_job(answer)["podSets"][0]["requests"]["ghost"] = 1


def spoil_job_less(answer):
	first_job(answer)["labels"].popitem()


def spoil_job_sets(answer):
	first_job(answer)["podSets"].append(first_job(answer)["podSets"][0])


def spoil_job_inadmissible(answer):
	first_job(answer)["inadmissible"] = "never"


def spoil_job_ignored(answer):
	answer["got"]["ignored"] = "active"


def spoil_job_suspended(answer):
	answer["got"]["objects"][0]["suspended"] = None


def test_truth_of_jobs_passes(tmp_path):
	cases = jobs()
	done = judge(tmp_path, cases, truth(cases))
	assert (done.returncode, done.stdout) == (0, "fair 3/3 100.0 %\n")


@pytest.mark.parametrize("spoil", [spoil_job_name, spoil_job_more, spoil_job_less, spoil_job_sets,
				   spoil_job_inadmissible, spoil_job_ignored, spoil_job_suspended])
def test_mistakes_in_jobs_are_found(tmp_path, spoil):
	cases = jobs()
	answers = truth(cases)
	spoil(answers[cases[1]["id"]])
	done = judge(tmp_path, cases, answers)
	assert done.returncode == 1
	assert done.stdout.startswith("fair 2/3 66.6 %\n  " + cases[1]["id"])


@pytest.mark.parametrize("suite", ["fair", "multicycle", "afs"])
def test_truth_passes(tmp_path, suite):
	cases = first_cases(suite, "preempted")
	done = judge(tmp_path, cases, truth(cases))
	assert (done.returncode, done.stdout) == (0, "fair 3/3 100.0 %\n")


def test_informative_keys_do_not_count(tmp_path):
	cases = first_cases("fair", "preempted")
	answers = truth(cases)
	for answer in answers.values():
		for cycle in answer["got"]["cycles"]:
			cycle["heads"], cycle["pending"] = [], []
	assert judge(tmp_path, cases, answers).returncode == 0


@pytest.mark.parametrize("spoil,want", [
	(spoil_flavor, "admitted"), (spoil_count, "admitted"), (spoil_admitted, "admitted"), (spoil_twice, "admitted"),
	(spoil_preemptor, "preempted"), (spoil_reason, "preempted"), (spoil_share_bit, "shares"),
	(spoil_share_more, "shares"), (spoil_cycles, "shares"), (spoil_all, "shares"),
])
def test_planted_mistake_is_found(tmp_path, spoil, want):
	cases = first_cases("fair", want)
	answers = truth(cases)
	spoil(answers[cases[1]["id"]])
	done = judge(tmp_path, cases, answers)
	assert done.returncode == 1
	assert done.stdout.startswith("fair 2/3 66.6 %\n  " + cases[1]["id"] + ": ")


@pytest.mark.parametrize("spoil", [spoil_usage, spoil_consumed, spoil_consumed_more, spoil_consumed_less])
def test_planted_mistake_in_usage_is_found(tmp_path, spoil):
	cases = [c for c in first_cases("afs", "localQueueUsage", 20)
		 if any(r["consumed"] for r in c["expected"]["cycles"][0]["localQueueUsage"].values())][:3]
	answers = truth(cases)
	spoil(answers[cases[1]["id"]])
	done = judge(tmp_path, cases, answers)
	assert done.returncode == 1
	assert done.stdout.startswith("fair 2/3 66.6 %\n  " + cases[1]["id"] + ": cycle 1: localQueueUsage")


def test_quantities_are_numbers(tmp_path):
	cases = first_cases("afs", "localQueueUsage", 1)
	for amounts, same in ((("11093m", "11.093"), 1), (("4Gi", "4294967296.000"), 1), (("1e3", "1k"), 1),
			      (("5m", "5"), 0), (("4Gi", "4G"), 0), (("1", "1x"), 0), (("0", ""), 0)):
		cases[0]["expected"]["cycles"][0]["localQueueUsage"]["ns/x"] = {"consumed": {"cpu": amounts[0]}, "usage": "+Inf"}
		answers = truth(cases)
		answers[cases[0]["id"]]["got"]["cycles"][0]["localQueueUsage"]["ns/x"]["consumed"]["cpu"] = amounts[1]
		assert judge(tmp_path, cases, answers).returncode == 1 - same, amounts


def test_planted_mistake_in_arithmetic_is_found(tmp_path):
	cases = arithmetic("decay", 2) + arithmetic("entryPenalty", 1)
	assert judge(tmp_path, cases, truth(cases)).returncode == 0
	for i, spoil in enumerate((lambda got: got["steps"].pop(),
				   lambda got: got["steps"][0]["newConsumed"].popitem(),
				   lambda got: got["penalty"].popitem())):
		answers = truth(cases)
		spoil(answers[cases[i]["id"]]["got"])
		done = judge(tmp_path, cases, answers)
		assert (done.returncode, done.stdout[:14]) == (1, "fair 2/3 66.6 ")


def divisions(n):
	with gzip.open(os.path.join(HERE, "division.jsonl.gz"), "rt") as f:
		return [json.loads(line) for line in f][:n]


def scale(part, factor):
	def spoil(got):
		queue = next(q for q in got[part].values() if q["cpu"])
		queue["cpu"] *= factor
	return spoil


@pytest.mark.parametrize("spoil,found", [
	(scale("fairShare", 1 + 1e-5), 1), (scale("request", 1 - 1e-5), 1), (scale("fairShare", 1 + 1e-7), 0),
	(lambda got: got["fairShare"].popitem(), 1), (lambda got: got.pop("request"), 1),
])
def test_planted_mistake_in_a_division_is_found(tmp_path, spoil, found):
	cases = divisions(3)
	answers = truth(cases)
	spoil(answers[cases[1]["id"]]["got"])
	done = judge(tmp_path, cases, answers)
	assert (done.returncode, done.stdout[:8]) == (found, "fair 2/3" if found else "fair 3/3")


def test_wrong_expectation_is_found(tmp_path):
	cases = first_cases("fair", "preempted")
	answers = truth(cases)
	spoil_reason({"got": cases[0]["expected"]})
	assert judge(tmp_path, cases, answers).returncode == 1


def test_silence_and_bad_exit_fail(tmp_path):
	cases = first_cases("fair", "preempted")
	answers = truth(cases)
	assert judge(tmp_path, cases, answers, status=9).returncode == 1
	answers.popitem()
	assert judge(tmp_path, cases, answers).returncode == 1


def test_unexplained_is_left_out(tmp_path):
	cases = first_cases("fair", "preempted")
	answers = truth(cases)
	spoil_reason(answers[cases[0]["id"]])
	cases[0]["unexplained"] = True
	done = judge(tmp_path, cases, answers)
	assert (done.returncode, done.stdout) == (0, "fair 2/2 100.0 %\n")


def test_relative_tolerance(tmp_path):
	cases = first_cases("fair", "shares", 1)
	answers = truth(cases)
	shares = cycle_with(answers[cases[0]["id"]], "shares")["shares"]["clusterQueues"]
	cycle_with({"got": cases[0]["expected"]}, "shares")["shares"]["clusterQueues"]["x"] = {"precise": "100"}
	shares["x"] = {"precise": "100.00000000001"}
	assert judge(tmp_path, cases, answers).returncode == 1
	cases[0]["compare"] = {"relative": 1e-11}
	assert judge(tmp_path, cases, answers).returncode == 0


def test_shuffle_keeps_the_objects(tmp_path):
	cases = first_cases("fair", "preempted")
	assert judge(tmp_path, cases, truth(cases), "--shuffle", "7").returncode == 0


def test_show_names_the_difference(tmp_path):
	cases = first_cases("fair", "preempted", 1)
	answers = truth(cases)
	spoil_reason(answers[cases[0]["id"]])
	done = judge(tmp_path, cases, answers, "--show", cases[0]["id"])
	assert "!! cycle 1: preempted missing: " in done.stdout
	assert "InClusterQueue?" in done.stdout
