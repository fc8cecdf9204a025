#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""symbols - what libfairlead exports and its headers declare is what they did: ../states.md

    symbols.py LIBRARY INCLUDE [--record]

LIBRARY is libfairlead.so, INCLUDE the folder that fairlead/*.h are in; symbols.txt is what they are
held against, or with --record what is written. tests/api/symbols.sh says whether both fit together;
that something is gone from both, or has other parameters, is seen here. A declaration is kept as it
stands, without comments and layout.
"""
import pathlib
import re
import subprocess
import sys

KEPT = pathlib.Path(__file__).resolve().parent / "symbols.txt"
HEAD = """\
# SPDX-License-Identifier: Apache-2.0
# Written by tests/guard/states/symbols.py: what the library exports, and what its headers declare.
"""


def out(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def exported(library):
    """Name, version of it if any, and whether it is code or data."""
    rows = [line.split() for line in out("nm", "-D", "--defined-only", library).splitlines()]
    return [f"exports {row[2]} {row[1]}" for row in rows]


def soname(library):
    return [f"is {name}" for name in re.findall(r"SONAME.*\[(.*)\]", out("readelf", "-d", library))]


def declarations(text):
    """Up to a ; that is in no braces."""
    depth, at, found = 0, 0, []
    for i, c in enumerate(text):
        depth += {"{": 1, "}": -1}.get(c, 0)
        if c == ";" and depth == 0:
            found.append(" ".join(text[at:i].split()))
            at = i + 1
    return [d for d in found if d]


def declared(include, header):
    """Of what the compiler sees of @header, what stands in it and not in one that it includes."""
    text, mine = "", False
    for line in out("cc", "-E", "-I", include, header).splitlines():
        marker = re.match(r'# \d+ "(.*?)"', line)
        if marker:
            mine = pathlib.Path(marker[1]).name == header.name and header.parent.name in marker[1]
        elif mine:
            text += line + "\n"
    return [f"{header.name}: {d}" for d in declarations(text)]


def macros(include, header):
    rows = [line.split(None, 2) for line in out("cc", "-E", "-dM", "-I", include, header).splitlines()]
    return [f"macro {' '.join(row[1:])}" for row in rows
            if row[1].startswith(("FAIRLEAD", "fairlead")) and not row[1].endswith("_H") and "VERSION" not in row[1]]


def now(library, include):
    headers = sorted(pathlib.Path(include).glob("fairlead/*.h"))
    rows = soname(library) + exported(library)
    for header in headers:
        rows += declared(include, header) + macros(include, header)
    return sorted(set(rows))


def main():
    library, include = sys.argv[1:3]
    rows = now(library, include)
    path = pathlib.Path(sys.argv[4]) if sys.argv[3:4] == ["--kept"] else KEPT
    if sys.argv[3:] == ["--record"]:
        path.write_text(HEAD + "\n".join(rows) + "\n")
        return
    kept = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    gone, new = [r for r in kept if r not in rows], [r for r in rows if r not in kept]
    print("\n".join([f"gone: {r}" for r in gone] + [f"new: {r}" for r in new] +
                    [f"symbols: {len(rows)} here, {len(kept)} were kept"]))
    sys.exit(1 if gone or new or len(rows) < 50 else 0)


main()
