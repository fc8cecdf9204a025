#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""excerpts.py [--write] FILE.md... - the output shown in a guide page is what the command prints

Runs every `$ fairlead ...` of a page's code blocks and compares what stands below
it with the output, shortened: assumptions are left out, and of many cycles or rows
the first and the last are kept.  `| head -N` behind a command is its first N lines.
--write puts the present output there.
"""
import os
import re
import shlex
import subprocess
import sys

ROOT = os.environ.get("FAIRLEAD_SOURCE",
		      os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
FAIRLEAD = os.path.join(os.environ.get("FAIRLEAD_BUILD", os.path.join(ROOT, "build")), "fairlead")
BLOCK = re.compile(r"^```\n\$ fairlead (.*)\n((?:(?!```).*\n)*)```$", re.MULTILINE)
ROWS = 8


def without_middle_cycles(lines):
	starts = [i for i, line in enumerate(lines) if re.match(r"Cycle \d+:", line)]
	if len(starts) <= 4:
		return lines
	return lines[:starts[2]] + ["[...]", ""] + lines[starts[-1]:]


def without_many_rows(lines):
	out, rows = [], 0
	for line in lines:
		is_row = line.startswith("  ") and not re.match(r"  [A-Z]+ ", line)
		rows = rows + 1 if is_row else 0
		if rows <= ROWS:
			out.append(line)
		elif rows == ROWS + 1:
			out.append("  [...]")
	return out


def shorten(text):
	text = text.split("\nAssumed:")[0].rstrip("\n")
	return "\n".join(without_many_rows(without_middle_cycles(text.split("\n")))) + "\n"


def output_of(command):
	arguments, _, lines = command.partition(" | head -")
	environment = {k: v for k, v in os.environ.items() if k != "COLUMNS"}  # as wide as it gets
	environment["LC_ALL"] = "C.UTF-8"
	done = subprocess.run([FAIRLEAD] + shlex.split(arguments), cwd=ROOT, capture_output=True,
			      text=True, check=False, env=environment)
	shown = shorten(done.stdout)
	return "".join(shown.splitlines(keepends=True)[:int(lines)]) if lines else shown


def stale(path):
	"""The commands whose output in the page is not the present one."""
	with open(path, encoding="utf-8") as f:
		text = f.read()
	return [m.group(1) for m in BLOCK.finditer(text) if m.group(2) != output_of(m.group(1))]


def write(path):
	with open(path, encoding="utf-8") as f:
		text = f.read()
	text = BLOCK.sub(lambda m: f"```\n$ fairlead {m.group(1)}\n{output_of(m.group(1))}```", text)
	with open(path, "w", encoding="utf-8") as f:
		f.write(text)


def main(argv):
	if argv and argv[0] == "--write":
		for path in argv[1:]:
			write(path)
		return 0
	found = [f"{path}: fairlead {command}" for path in argv for command in stale(path)]
	print("\n".join(found))
	return 1 if found else 0


if __name__ == "__main__":
	sys.exit(main(sys.argv[1:]))
