# SPDX-License-Identifier: Apache-2.0
import re

import pytest

import manifests as m
from conftest import SOURCE

VERBS = ["check", "tree", "plan", "explain", "what-if", "record"]
ASK = ["tree", "plan", "explain", "what-if"]  # the daemon, without an input


def see(verb=""):
    return f"See 'fairlead{' ' + verb if verb else ''} --help'.\n"


def test_help(fairlead):
    r = fairlead("--help")
    assert (r.code, r.err) == (0, "")
    assert r.out.startswith("Usage: fairlead VERB [OPTION...] [-f FILE... | --context CONTEXT]\n")
    for verb in VERBS:
        assert f"\n  {verb} " in r.out
    assert max(len(line) for line in r.out.splitlines()) <= 80


@pytest.mark.parametrize("verb", VERBS)
def test_help_of_verb(fairlead, verb):
    r = fairlead(verb, "--help")
    assert (r.code, r.err) == (0, "")
    files = "-f FILE... | --context CONTEXT"
    files = f"[{files}]" if verb in ASK else f"{{{files}}}"
    assert r.out.startswith(f"Usage: fairlead {verb} [OPTION...] {files}")
    assert ("--settle" in r.out) == (verb == "plan")
    assert fairlead(verb, "-h").out == r.out


def verbs_of(help_text):
    return re.findall(r"^  ([a-z-]+)  ", help_text.split("\nVerbs:\n")[1].split("\nOptions:\n")[0], re.MULTILINE)


def test_help_fits_a_terminal(fairlead):
    """Of every verb, at 80 columns; what is filled says the same words as the table, which completion has."""
    verbs = verbs_of(fairlead("--help").out)
    assert len(verbs) > 25
    for verb in verbs:
        text = fairlead(verb, "--help").out
        assert max(map(len, text.splitlines())) <= 80, verb
        words = " ".join(text.split())
        for line in fairlead("completion", "words", "--", verb, "--").out.splitlines():
            option, _, meaning = line.partition("\t")
            assert f"{option} " in words and f" {meaning}" in words, (verb, line)


def test_help_and_version_as_verbs(fairlead):
    assert fairlead("help").out == fairlead("--help").out
    assert fairlead("version").out == fairlead("--version").out
    for verb in verbs_of(fairlead("--help").out):
        r = fairlead("help", verb)
        assert (r.code, r.out, r.err) == (0, fairlead(verb, "--help").out, "")


def test_help_can_be_completed(fairlead):
    offered = [line.partition("\t")[0] for line in fairlead("completion", "words", "--", "help", "pl").out.splitlines()]
    assert offered == ["plan"]


def test_every_verb_is_in_the_manual(fairlead):
    """A line of fairlead(1), and a page of its own."""
    pages = SOURCE / "doc" / "man"
    page = (pages / "fairlead.1").read_text()
    for verb in verbs_of(fairlead("--help").out):
        assert re.search(rf"(?m)^\.It Cm {verb}( .*)?\n.*see\n\.Xr fairlead-{verb} 1$", page), verb
        assert (pages / f"fairlead-{verb}.1").exists(), verb


def test_version(fairlead):
    r = fairlead("--version")
    assert (r.code, r.err) == (0, "")
    assert r.out.startswith("fairlead 0.")


@pytest.mark.parametrize("args, message", [
    ([], "fairlead: a verb is missing\n" + see()),
    (["help", "paln"], "fairlead: unknown verb 'paln'; did you mean 'plan'?\n" + see()),
    (["help", "zzzzzzzzz"], "fairlead: unknown verb 'zzzzzzzzz'\n" + see()),
    (["help", "plan", "tree"], "fairlead help: unexpected argument 'tree'\n" + see("help")),
    (["version", "1"], "fairlead version: unexpected argument '1'\n" + see("version")),
    (["paln"], "fairlead: unknown verb 'paln'; did you mean 'plan'?\n" + see()),
    (["zzzzzzzzz"], "fairlead: unknown verb 'zzzzzzzzz'\n" + see()),
    (["--frobnicate"], "fairlead: unknown option '--frobnicate'\n" + see()),
    (["check"], "fairlead check: no input: give -f FILE, a folder, or - for standard input; or --context CONTEXT for a cluster\n"
     + see("check")),
    (["plan", "-f"], "fairlead plan: option '-f' needs a value\n" + see("plan")),
    (["plan", "--cycels", "3"], "fairlead plan: unknown option '--cycels'; did you mean '--cycles'?\n" + see("plan")),
    (["plan", "-x"], "fairlead plan: unknown option '-x'\n" + see("plan")),
    (["plan", "-é"], "fairlead plan: unknown option '-é'\n" + see("plan")),
    (["plan", "--settle=1"], "fairlead plan: option '--settle' takes no value\n" + see("plan")),
    (["tree", "--settle"], "fairlead tree: unknown option '--settle'\n" + see("tree")),
    (["plan", "-f", "x", "extra"],
     "fairlead plan: unexpected argument 'extra'; files are given with -f\n" + see("plan")),
    (["tree", "-f", "x", "a", "b"], "fairlead tree: unexpected argument 'b'\n" + see("tree")),
    (["explain", "-f", "x"], "fairlead explain: WORKLOAD is missing\n" + see("explain")),
    (["plan", "-f", "x", "-o", "xml"], "fairlead plan: --output: 'xml' is neither text nor json\n" + see("plan")),
    (["check", "-f", "x", "-o", "xml"],
     "fairlead check: --output: 'xml' is none of text, json and sarif\n" + see("check")),
    (["plan", "-f", "x", "-o", "sarif"], "fairlead plan: --output: 'sarif' is neither text nor json\n" + see("plan")),
    (["plan", "-f", "x", "--cycles", "0"],
     "fairlead plan: --cycles: '0' is not a number from 1 to 100000\n" + see("plan")),
    (["plan", "-f", "x", "--cycles", "many"],
     "fairlead plan: --cycles: 'many' is not a number from 1 to 100000\n" + see("plan")),
    (["plan", "-f", "x", "--cycle-interval", "1"],
     "fairlead plan: --cycle-interval: '1' is not a time such as 1s or 500ms\n" + see("plan")),
    (["plan", "-f", "x", "--now", "today"],
     "fairlead plan: --now: 'today' is not a time such as 2026-01-01T00:00:00Z\n" + see("plan")),
    (["plan", "-f", "x", "--policy", "fifo"],
     "fairlead plan: --policy: 'fifo' is neither borrow nor entitle nor drf\n" + see("plan")),
    (["plan", "--context"], "fairlead plan: option '--context' needs a value\n" + see("plan")),
])
def test_usage_errors(fairlead, args, message):
    r = fairlead(*args)
    assert (r.code, r.out, r.err) == (2, "", message)


def test_policy_borrow_is_accepted(fairlead, write):
    write("c.json", m.dump(*m.small()))
    assert fairlead("plan", "--policy", "borrow", "-f", "c.json").code == 0


def test_output_that_cannot_be_written(fairlead, write):
    write("c.json", m.dump(*m.small()))
    r = fairlead("plan", "-f", "c.json", "-o", "json", prefix=("sh", "-c", '"$@" > /dev/full', "sh"))
    assert (r.code, r.err) == (3, "fairlead: error: the output could not be written\n")


def test_interval_forms(fairlead, write):
    write("c.json", m.dump(*m.small()))
    for text in ("1s", "500ms", "1m30s", "2h"):
        assert fairlead("plan", "-f", "c.json", "--cycle-interval", text).code == 0
