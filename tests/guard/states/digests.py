#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""digests - random runs come to the states that they came to: ../states.md

    digests.py PROGRAM [--every N]      holds PROGRAM (tests/prop/incremental) against digests.txt
    digests.py PROGRAM --record         writes digests.txt again

A line of digests.txt is a world: its number, how many events and steps there were, a hash of all
that was decided, and the digest of the policy in the end. A line that begins with "run" says how the
program is called for those below it.
"""
import pathlib
import subprocess
import sys

KEPT = pathlib.Path(__file__).resolve().parent / "digests.txt"
RUNS = [("--policy borrow --seed 101", 450), ("--policy borrow --seed 102 --settles 1", 150),
        ("--policy borrow --seed 103 --heads 1", 100), ("--policy entitle --seed 104", 300)]
TOLD = 5  # worlds of a run that are named
HEAD = """\
# SPDX-License-Identifier: Apache-2.0
# Written by tests/guard/states/digests.py: world, events, steps, hash of what was decided, digest.
"""


def lines_of(program, how, n):
    done = subprocess.run([program, *how.split(), "--digests", str(n)], capture_output=True, text=True,
                          check=False)
    if done.returncode:
        sys.exit(f"digests: {program} {how}: status {done.returncode}\n{done.stderr}")
    return done.stdout.splitlines()


def record(program):
    text = HEAD
    for how, n in RUNS:
        text += "\n".join([f"run {how}", *lines_of(program, how, n)]) + "\n"
    KEPT.write_text(text)
    print(f"digests: {sum(n for _, n in RUNS)} worlds recorded")


def kept(path):
    """{how: [line]}."""
    runs = {}
    for line in path.read_text().splitlines():
        if line.startswith("run "):
            lines = runs.setdefault(line[4:], [])
        elif line and not line.startswith("#"):
            lines.append(line)
    return runs


def compare(program, path, every):
    """How many worlds there were, and the lines that tell how they differ."""
    worlds, told = 0, []
    for how, lines in kept(path).items():
        want = lines[:len(lines) // every]
        if not want:
            continue
        have = lines_of(program, how, len(want))
        worlds += len(want)
        bad = [(a, b) for a, b in zip(want, have) if a != b]
        for a, b in bad[:TOLD]:
            told += [f"incremental {how} --world {a.split()[0]}: was {a}", f"{'':12}and now {b}"]
        if bad or len(have) != len(want):
            told.append(f"incremental {how}: {len(bad)} of {len(want)} worlds differ")
    return worlds, told


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    program, options = sys.argv[1], sys.argv[2:]
    if options == ["--record"]:
        return record(program)
    every = int(options[options.index("--every") + 1]) if "--every" in options else 1
    path = pathlib.Path(options[options.index("--kept") + 1]) if "--kept" in options else KEPT
    worlds, told = compare(program, path, every)
    print("\n".join([*told, f"digests: {worlds} worlds, {'others' if told else 'as they were'}"]))
    # Where nothing is compared nothing is known.
    sys.exit(1 if told or worlds < 100 else 0)


if __name__ == "__main__":
    main()
