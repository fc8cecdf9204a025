#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""planted - every fault that is planted in the tests is still there, with the test that finds it

    planted.py ROOT TESTS.json [--list FILE]

../planted.txt has a line for each: the test of meson, the file, and the text in it that plants the
fault, or nothing where the file itself is the fault. It fails for one whose file or text is gone, for
a test that there is not or that `make test` leaves to the longer run, and for a fault in one of the
tables below that has no line. A file that was moved is found by its name, and the line has to be
corrected. TESTS.json is intro-tests.json of a
build; --list takes another list.
"""
import fnmatch
import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
FEWEST = 200
LATER = {"more", "soak"}  # suites that `make test` leaves out
# Where each match is a fault: what is new there has to be listed.
TABLES = {
    "tests/tools/checks-can-fail.sh": ("checks-can-fail", r"^\s*((?:layers|symbols|text|fails|counts) ['\"].*)$"),
    "tests/conformance/test_run.py": ("conformance-judge", r"^def (spoil_\w+|test_planted\w+)\("),
    "tests/daemon/test_recovery.py": ("daemon", r"^    (\"[^\"]+\": (?:lambda run|shutil|\"UPDATE).*)$"),
    "tests/daemon/crash.c": ("daemon-crash", r"^(CALL\(.*)$"),
    "tests/unit/store/test_open.c": ("store/open", r"^\t(\{ \"[^\"]+\", \w+, FAIRLEAD_E\w+,)"),
    "tests/unit/store/test_damage.c": ("store/damage", r"^\t(\{ \"(?:UPDATE|DELETE|DROP|PRAGMA)[^\"]*\")"),
    "tests/unit/store/test_disk.c": ("store/disk", r"^\t(\{ \"[^\"]+\", FAIL_\w+, \w+,)"),
    "tests/unit/base/test_image.c": ("base/image", r"^\t\t(\{ \"[^\"]+\", [^\"]*,)"),
    "tests/unit/backend/test_faults.c": ("backend/faults", r"^TEST_IN\(\w+, \w+, (\w+)\)"),
    "tests/unit/backend/test_strays.c": ("backend/strays", r"^(enum damage \{.*\};)$"),
    "tests/fault/test_command.py": ("fault-command", r"^def (test_\w+)\("),
    "tests/guard/states/test_folder.py": ("guard-folder", r"^    (\"[^\"]+\": \(check_\w+, lambda .*)$"),
}


def flat(text):
    """Layout does not count."""
    return " ".join(text.split())


def listed(path):
    """(number of the line, test, file, text)."""
    rows = []
    for i, line in enumerate(path.read_text().splitlines(), 1):
        if line and not line.startswith("#"):
            test, file, text = (line.split(" | ", 2) + [""])[:3]
            rows.append((i, test.strip(), file.strip(), flat(text)))
    return rows


def in_tables(root):
    for file, (test, pattern) in TABLES.items():
        found = re.findall(pattern, (root / file).read_text(), re.M) if (root / file).is_file() else []
        yield file, test, [flat(text) for text in found]


def moved(root, file):
    name = pathlib.Path(file).name
    return [str(p.relative_to(root)) for p in sorted((root / "tests").rglob(name))]


def wrong_with(root, tests, test, file, text):
    """None, or what is wrong with one line. tests: name -> is it run by `make test`?"""
    found = [now for name, now in tests.items() if fnmatch.fnmatch(name, test)]
    if not any(found):
        return f"`make test` does not run '{test}'" if found else f"there is no test '{test}'"
    if not (root / file).is_file():
        there = ", ".join(moved(root, file))
        return f"{file} is gone" + (f"; is it {there} now?" if there else "")
    if text not in flat((root / file).read_text(errors="replace")):
        return f"{file} does not plant it any more: {text}"
    return None


def main():
    root, tests = pathlib.Path(sys.argv[1]).resolve(), json.loads(pathlib.Path(sys.argv[2]).read_text())
    path = pathlib.Path(sys.argv[4]) if sys.argv[3:4] == ["--list"] else HERE.parent / "planted.txt"
    rows, said = listed(path), []
    names = {t["name"]: not LATER & {s.split(":")[-1] for s in t["suite"]} for t in tests}
    for number, test, file, text in rows:
        wrong = wrong_with(root, names, test, file, text)
        said += [f"{path.name}:{number}: {wrong}"] if wrong else []
    have = {(file, text) for _, _, file, text in rows}
    for file, test, texts in in_tables(root):
        said += [f"not listed: {test} | {file} | {t}" for t in texts if (file, t) not in have]
        said += [] if texts else [f"{file}: nothing in it looks like a planted fault"]
    if len(rows) < FEWEST:
        said.append(f"{path.name} has {len(rows)} lines, and there should be {FEWEST}")
    print("\n".join([*said, f"planted: {len(rows)} listed, {len(said)} complaints"]))
    sys.exit(1 if said else 0)


if __name__ == "__main__":
    main()
