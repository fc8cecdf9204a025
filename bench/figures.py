# SPDX-License-Identifier: Apache-2.0
"""What the tools of this folder share: the benches, how one is run, and how one is counted."""
import json
import math
import os
import platform
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
DATA = os.path.join(HERE, "data")
BUILD = os.environ.get("FAIRLEAD_BUILD", os.path.join(ROOT, "build"))


class Bench:
    """One figure.  @program with @args prints JSON with @key in it; with @count in place of @args,
    {n} filled in, it does the same work n times and prints nothing: from @few to @many is what is
    counted, and so neither reading nor warming up is.  @key None: it is counted only."""

    def __init__(self, name, program, what, count, few, many, args=None, key=None):
        self.name, self.program, self.what = name, program, what
        self.count, self.few, self.many = count.split(), few, many
        self.args, self.key = (args or "").split(), key


def cycle(name, case):
    return Bench(name, "cycle", "a cycle", "--cycles {n} {data}/%s.jsonl.gz" % case, 2, 6,
                 "{data}/%s.jsonl.gz" % case, "cycleMs")


def event(name, more):
    size = "--queues 100 --jobs 10000 " + more
    return Bench(name, "event", "an event", size + " --plain --warm 200 --events {n}", 500, 1500,
                 size + " --events 20000", "nsMean")


def entitle(name, size):
    return Bench(name, "entitle", "a cycle", size + " --repeat {n}", 1, 5, size, "stepMs")


BENCHES = [
    cycle("cycle-fair-fit", "a-100cq-fair-fit"),
    cycle("cycle-fair-preempt", "a-100cq-fair-preempt"),
    cycle("cycle-classical-fit", "c-1000cq-classical-fit"),
    cycle("cycle-classical-preempt", "a-100cq-classical-preempt"),
    event("event-room", "--load 70"),
    event("event-saturated", "--load 200"),
    event("event-one-tree", "--load 70 --tree one"),
    Bench("divide", "divide", "a division", "--repeat {n} {data}/perf-1000-k1.json.gz", 2, 12,
          "{data}/perf-1000-k1.json.gz", "divideMs"),
    Bench("divide-one-leaf", "divide", "a change", "--changes {n}", 200, 1200,
          "--leaves 1000", "againUs"),
    Bench("simulate", "simulate", "a run", "--jobs 600 --queues 20 --load 80 --runs {n}", 1, 2,
          "--jobs 5000 --queues 20 --load 80", "nsPerEvent"),
    Bench("image", "image", "a save and a load", "--queues 100 --jobs 2000 --runs {n}", 1, 2,
          "--queues 100 --jobs 10000", "loadMs"),
    entitle("cycle-entitle-room", "--leaves 100 --machines 200 --running 300 --waiting 300"),
    entitle("cycle-entitle-full", "--leaves 30 --machines 40 --running 150 --waiting 60"),
    Bench("read-yaml", "read", "a reading", "--yaml {n}", 1, 2, "--objects 2000", "yamlMs"),
    Bench("read-json", "read", "a reading", "--json {n}", 1, 3, "--objects 2000", "jsonMs"),
    Bench("explain-json", "explain", "an answer", "--json {n}", 2, 22, "--runs 50", "jsonUs"),
    Bench("explain-text", "explain", "an answer", "--text {n}", 2, 22, "--runs 50", "textUs"),
    Bench("daemon-submit", "submit", "a submission", "--submit {n}", 100, 300,
          "--jobs 500", "submitUs"),
    Bench("daemon-replay", "submit", "a submission", "--replay {n}", 100, 300,
          "--jobs 500", "replayUs"),
]


def named(names):
    """Those benches, or all."""
    known = {b.name: b for b in BENCHES}
    for name in names:
        if name not in known:
            raise Failed("no bench '%s'; there are %s" % (name, ", ".join(known)))
    return [known[name] for name in names] if names else BENCHES


class Failed(Exception):
    """Something could not be run; the text says what."""


def run(command, **more):
    """What it prints."""
    try:
        r = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                           **more)
    except OSError as e:
        raise Failed("%s: %s" % (command[0], e.strerror)) from e
    if r.returncode:
        raise Failed("%s\nended with status %d: %s" % (
            " ".join(command), r.returncode, (r.stderr or r.stdout).strip()[-1500:]))
    return r.stdout


class Build:
    """A build folder."""

    def __init__(self, folder):
        self.folder = os.path.abspath(folder)

    def program(self, name):
        return os.path.join(self.folder, "bench", name)

    def has(self, name):
        return os.access(self.program(name), os.X_OK)

    def command(self, bench, args, n=0):
        return [self.program(bench.program)] + [a.format(n=n, data=DATA) for a in args]

    def lines(self, program, args):
        """The JSON lines that a bench prints."""
        text = run([self.program(program)] + [str(a).format(data=DATA) for a in args])
        return [json.loads(line) for line in text.splitlines()]

    def measure(self, bench):
        return self.lines(bench.program, bench.args)[0][bench.key]

    def instructions(self, bench):
        """Of one cycle, event, division: what the many cost beyond the few, by their number."""
        few, many = (instructions(self.command(bench, bench.count, n))
                     for n in (bench.few, bench.many))
        return round((many - few) / (bench.many - bench.few))

    def made_with(self):
        """All that the number of instructions hangs on beside the sources."""
        try:
            with open(os.path.join(self.folder, "bench", "build.json"), encoding="utf-8") as f:
                made = json.load(f)
        except (OSError, ValueError) as e:
            raise Failed("%s is no build of this tree: %s" % (self.folder, e)) from e
        return dict(made, libc=" ".join(platform.libc_ver()), machine=platform.machine())


def instructions(command):
    if not shutil.which("valgrind"):
        raise Failed("valgrind is not installed; tools/bootstrap test installs it")
    r = subprocess.run(["valgrind", "--tool=cachegrind", "--cache-sim=no",
                        "--cachegrind-out-file=/dev/null", "--child-silent-after-fork=yes", "--"]
                       + command,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                       env=dict(os.environ, LC_ALL="C"))
    found = re.search(r"I\s+refs:\s+([0-9,]+)", r.stderr)
    if r.returncode or not found:
        raise Failed("cachegrind gave no count for\n%s\n%s" % (" ".join(command),
                                                               r.stderr.strip()[-1500:]))
    return int(found.group(1).replace(",", ""))


def exponent(points):
    """The e for which n^e fits best, by least squares of the logarithms: points are (n, value)."""
    logs = [(math.log(n), math.log(v)) for n, v in points]
    x0 = sum(x for x, _ in logs) / len(logs)
    y0 = sum(y for _, y in logs) / len(logs)
    return sum((x - x0) * (y - y0) for x, y in logs) / sum((x - x0) ** 2 for x, _ in logs)


def main(tool, name):
    """Run @tool as the program @name."""
    try:
        sys.exit(tool())
    except Failed as e:
        print("%s: %s" % (name, e), file=sys.stderr)
        sys.exit(3)
    except BrokenPipeError:
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
