#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Each test that doc/design/threat-model.md names is there: threats.py ROOT"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
page = root / "doc" / "design" / "threat-model.md"
rows = [line for line in page.read_text().splitlines() if line.startswith("|") and "---" not in line]
missing = []
named = 0
for row in rows:
    for name in re.findall(r"`([\w/]+\.(?:py|c)::\w*)`", row):
        file, test = name.split("::")
        path = root / "tests" / file
        text = path.read_text() if path.is_file() else ""
        named += 1
        form = rf"^def {test}\(" if file.endswith(".py") else rf"^TEST(_IN)?\((\w+, \w+, )?{test}\)$"
        if not re.search(form, text, re.M):
            missing.append(f"{page}: there is no test {name}")
for row in rows:
    last = row.rstrip(" |").rpartition("|")[2].strip()
    if last not in ("test", "above") and "::" not in last:
        missing.append(f"{page}: no test is named in: {row}")
print(*missing, sep="\n", end="\n" if missing else "")
sys.exit(1 if missing or not named else 0)
