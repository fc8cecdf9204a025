#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""check-semantics - rules in words, and what they and the comments that name them point to

usage: tools/check-semantics.py [ROOT]

doc/semantics/POLICY.md has the rules of a policy, numbered (B4.2), each with the functions that make it
so and the recorded suites in which it decides something. Of each page:

  - numbers go up, and each stands once, below the heading of its group (## B4 ...);
  - each rule has a line "> Code: `file` (`function`, ...)" and says where it is recorded or tested;
  - each file and function is there, and the function is defined in that file;
  - each suite is one of tests/conformance, and each case that is named is in one of that rule's suites;
  - each link to a file leads somewhere.

And of each source: "doc/semantics/borrow.md, B4.2 and B7" names rules or groups that the page has, and
nothing names a section of a document that is not in the tree.
"""
import gzip
import pathlib
import re
import sys

RULE = re.compile(r"^\*\*([A-Z]\d+\.\d+)\b")
GROUP = re.compile(r"^## ([A-Z]\d+) ")
FILE = re.compile(r"`([\w./-]+\.(?:c|h|def))`(?:\s*\(([^)]*)\))?")
# In one breath with the page: "borrow.md, B3", "B3, B7.4 and B9".
NAMED = re.compile(r"doc/semantics/(\w+)\.md, ((?:[A-Z]\d+(?:\.\d+)*)(?:(?:, | and )[A-Z]\d+(?:\.\d+)*)*)")
NOWHERE = re.compile(r"\bconformance: ?\d|\(section \d|/\* Section \d|recorded cases, \d")
FEWEST = 10  # rules of a page: fewer, and the form has changed


class Page:
    def __init__(self, root, path):
        self.root, self.path, self.policy = root, path, path.stem
        self.rules, self.groups, self.faults = {}, [], []
        self.texts, self.cases = {}, {}

    def fault(self, number, text):
        self.faults.append(f"{self.path.relative_to(self.root)}:{number}: {text}")

    def source(self, name):
        """A file below the policy's folder, that of all policies, src, or the root."""
        for folder in (f"src/decide/{self.policy}", "src/decide", "src", ""):
            path = self.root / folder / name
            if path.is_file():
                return path
        return None

    def defines(self, path, function):
        """At the beginning of a line, and with a body: a prototype is not enough."""
        if path not in self.texts:
            self.texts[path] = path.read_text()
        # A type in front; parameters on several lines.
        pattern = r"^(?:\w[\w\s*]*?[\s*])" + re.escape(function) + r"\([^;{}]*\)\s*\{"
        return re.search(pattern, self.texts[path], re.M) is not None

    def cases_of(self, suite):
        if suite not in self.cases:
            with gzip.open(self.root / "tests/conformance" / (suite + ".jsonl.gz"), "rt") as f:
                self.cases[suite] = {m.group(1) for m in re.finditer(r'"id": ?"([^"]+)"', f.read())}
        return self.cases[suite]

    def read(self):
        rule, trailer = None, ""
        for number, line in enumerate(self.path.read_text().splitlines() + [""], 1):
            if trailer and not line.startswith(">"):
                self.check_trailer(number - 1, rule, trailer)
                trailer = ""
            if GROUP.match(line):
                self.begin_group(number, GROUP.match(line).group(1))
                rule = None
            elif RULE.match(line):
                rule = RULE.match(line).group(1)
                self.begin_rule(number, rule)
            elif line.startswith("> "):
                trailer += line[1:]
            for name in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", line):
                if "://" not in name and not (self.path.parent / name).exists():
                    self.fault(number, f"{name} is not there")
        for rule, (number, told) in self.rules.items():
            if not told:
                self.fault(number, f"{rule} does not say which function makes it so")
        if len(self.rules) < FEWEST:
            self.fault(1, f"only {len(self.rules)} rules")
        return self

    def begin_group(self, number, group):
        if group in self.groups or (self.groups and int(group[1:]) != int(self.groups[-1][1:]) + 1):
            self.fault(number, f"{group} is not the number after {self.groups[-1]}")
        self.groups.append(group)

    def begin_rule(self, number, rule):
        group, place = rule.split(".")
        if not self.groups or group != self.groups[-1]:
            self.fault(number, f"{rule} stands in another group")
        elif rule in self.rules:
            self.fault(number, f"{rule} stands twice")
        elif int(place) != 1 + sum(r.split(".")[0] == group for r in self.rules):
            self.fault(number, f"{rule} is not the next number")
        self.rules.setdefault(rule, [number, False])

    def check_trailer(self, number, rule, text):
        if not rule:
            return
        code, _, pins = re.sub(r"\s+", " ", text).partition(" Recorded: ")
        code, _, tests = code.partition(" Tested: ")
        pins, _, more = pins.partition(" Tested: ")
        self.rules[rule][1] = " Code: " in code and self.check_code(number, rule, code)
        self.check_pins(number, rule, pins)
        for name in re.findall(r"tests/[\w./-]+\w", tests + more):
            if not (self.root / name).is_file():
                self.fault(number, f"{rule}: {name} is not there")
        if not pins and not tests + more:
            self.fault(number, f"{rule} is neither recorded nor tested")

    def check_code(self, number, rule, text):
        files = FILE.findall(text)
        for name, functions in files:
            path = self.source(name)
            if not path:
                self.fault(number, f"{rule}: {name} is not there")
                continue
            for function in re.findall(r"`(\w+)`", functions):
                if not self.defines(path, function):
                    self.fault(number, f"{rule}: {name} does not define {function}")
        return bool(files)

    def check_pins(self, number, rule, text):
        suites = re.findall(r"`(\w+)`", text)
        known = [s for s in suites if (self.root / f"tests/conformance/{s}.jsonl.gz").is_file()]
        for suite in set(suites) - set(known):
            self.fault(number, f"{rule}: there is no suite {suite}")
        for case in re.findall(r"[a-z_]\w*(?:-\w+)+", re.sub(r"`\w+`", "", text)):
            if not any(case in self.cases_of(s) for s in known):
                self.fault(number, f"{rule}: no case {case} in these suites")


def join(text):
    """One line of all, a comment's " * " left out; and where each line of the file begins in it."""
    joined, starts = "", []
    for line in text.splitlines():
        starts.append(len(joined))
        joined += re.sub(r"^\s*\*(?!/) ?", "", line) + " "
    return joined, starts


def check_source(root, path, pages):
    joined, starts = join(path.read_text(errors="replace"))

    def fault(at, text):
        return f"{path.relative_to(root)}:{sum(s <= at for s in starts)}: {text}"

    faults = []
    for found in NAMED.finditer(joined):
        page = pages.get(found.group(1))
        for rule in re.findall(r"[A-Z]\d+(?:\.\d+)*", found.group(2)):
            if not page or (rule not in page.rules and rule not in page.groups):
                faults.append(fault(found.start(), f"there is no {rule} in {found.group(1)}.md"))
    for found in NOWHERE.finditer(joined):
        faults.append(fault(found.start(), f"a section of no document: '{found.group(0)}'"))
    return faults


def main(argv):
    root = pathlib.Path(argv[1] if len(argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    pages = {p.stem: Page(root, p).read() for p in sorted((root / "doc/semantics").glob("*.md"))}
    faults = [f for page in pages.values() for f in page.faults]
    if not pages:
        faults.append("doc/semantics: no page")
    for path in sorted(p for p in (root / "src").rglob("*.[ch]")):
        faults += check_source(root, path, pages)
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
