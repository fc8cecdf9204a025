# SPDX-License-Identifier: Apache-2.0
"""The list of all runs, in one order.  A run's name is its identity in the record."""
import pathlib
import re

import odd
import worlds

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The names that runs see, and where these folders are: a folder that moves changes this line alone.
LINKS = {"examples": "examples", "prove": "tests/prove/cases", "properties": "tests/prop/counterexamples",
         "found": "tests/fuzz/found", "cli": "tests/cli"}
WORLDS = 500
TEXT, JSON = [], ["-o", "json"]

# Left out, and why:
# - what needs a daemon: its answers hold times and process ids; tests/daemon looks at them;
# - the bytes of an image (save): they belong to one build; what is read from it is compared;
# - record --redact without --salt: random by purpose;
# - what Ctrl-C and a terminal change.


class Run:
    """
    One question to the command: in text, as JSON, or both.

    before: command lines that make what it reads; text, json: what each form adds to the line, or
    None; whole: keep what it prints and not only digests; out: it writes into its own folder, "OUT"
    in a line.
    """

    def __init__(self, name, args, *, text=TEXT, json=JSON, before=(), whole=False, locale="C", where="."):
        self.name, self.args, self.text, self.json = name, list(args), text, json
        self.before, self.whole, self.locale, self.where = list(before), whole, locale, where
        self.reads = {}  # files that must be written for it: path -> function that makes their text

    def line(self, more, args=None):
        folder = "out/" + self.name.replace("/", "_")
        return [a.replace("OUT", folder) for a in (args or self.args) + list(more)]


def names_in(files, most=3):
    """Some workloads that stand in manifests: the first, one in the middle, the last."""
    found = []
    for path in files:
        path = ROOT / re.sub(r"^\w+", lambda m: LINKS[m[0]], path)
        for p in sorted(path.glob("*.yaml")) if path.is_dir() else [path]:
            for doc in re.split(r"(?m)^---.*$", p.read_text()):
                if re.search(r"(?m)^kind: (Workload|PodGroup)\s*$", doc):
                    name, ns = (re.search(r"\b%s: *\"?([\w.-]+)" % k, doc) for k in ("name", "namespace"))
                    if name and ns:
                        found.append(f"{ns[1]}/{name[1]}")
    picks = {0, len(found) // 2, len(found) - 1} if found else set()
    return [found[i] for i in sorted(picks)][:most]


def of_files(*paths):
    return [a for p in paths for a in ("-f", p)]


def manifests(name, *files, bound=300, explained=3, eta=True):
    """All that can be asked of a state of a cluster.  eta: a forecast, too; slow where preemption goes round."""
    f = of_files(*files)

    def run(what, args, **more):
        return Run(f"{name}/{what}", args, whole=True, locale="C.UTF-8", **more)

    yield run("check", ["check", *f])
    yield run("sarif", ["check", *f], text=None, json=["-o", "sarif"])
    yield run("tree", ["tree", *f])
    yield run("plan", ["plan", *f])
    yield run("settle", ["plan", "--settle", *f])
    yield run("all", ["plan", "--cycles", "2", "--all", *f])
    yield run("prove", ["prove", "--bound", str(bound), *f])
    yield run("loop", ["prove", "--bound", str(bound), "--out", "OUT/loop.json", "--svg", "OUT/loop.svg", *f])
    yield run("divide", ["divide", "--rounds", *f])
    yield run("record", ["record", *f], text=None, json=[])
    yield run("redact", ["record", "--redact", "--salt", "guard", *f], text=None, json=[])
    yield run("image", ["tree", "-f", "OUT/image"], before=[["save", *f, "--out", "OUT/image"]])
    for i, workload in enumerate(names_in(files, explained)):
        yield run(f"explain-{i}", ["explain", workload, *f])
        if eta and i == 0:
            yield run("eta", ["explain", "--eta", workload, *f])
        yield run(f"without-{i}", ["what-if", "--delete", "Workload/" + workload, *f])


MODES = [("turns", "turns"), ("turns-early", "turns"), ("protect-quota", "protect-quota"),
         ("budgets-spent", "budgets-stop"), ("budgets-spent", "budgets"), ("budgets-later", "budgets"),
         ("budgets-early", "budgets"), ("below-quota", "below-quota"), ("bounded", "bounded")]
SIMULATIONS = {
    "first": ["simulate/first.yaml"], "loop": ["simulate/loop.yaml"],
    "baseline": ["kueue-scalability/baseline.yaml"],
    "baseline-fair": ["kueue-scalability/baseline.yaml", "kueue-scalability/fair.yaml"],
    "fifteenth": ["kueue-scalability/fifteenth.yaml"], "fifth": ["kueue-scalability/fifth.yaml"],
    "two-coasts": ["over-time/two-coasts.yaml"], "by-turns-two": ["over-time/by-turns-two.yaml"],
    "by-turns-three": ["over-time/by-turns-three.yaml"],
    "by-turns-three-policy": ["over-time/by-turns-three.yaml", "modes/turns-policy.yaml"],
    "by-turns-five": ["over-time/by-turns-five.yaml"], "guaranteed": ["over-time/guaranteed.yaml"],
    "burst": ["over-time/burst.yaml"], "budgets": ["over-time/budgets.yaml"],
    **{f"budgets-{k}": ["over-time/budgets.yaml", f"over-time/budgets-{k}.yaml"]
       for k in ("kept", "twice", "first-come")},
    **{t: [f"traces/{t}.yaml"] for t in (
        "hpc2n", "lcg", "openb", "sdsc-blue")},
}
COMPARISONS = {
    "load": ["simulate/first.yaml", "--sweep", "load=0.5..1.5/3"],
    "checkpoint": ["simulate/first.yaml", "--sweep", "checkpoint=10m..7d"],
    "variants": ["simulate/first.yaml", *(
        a for v in ("saved", "patient", "no-preemption")
        for a in ("--variant", f"{v}=examples/simulate/variants/{v}.yaml"))],
    "interval": ["kueue-scalability/fifteenth.yaml", "--sweep", "cycle-interval=100ms..2s"],
    "half-life": ["over-time/by-turns-three.yaml", "--sweep", "half-life=1h,1d", "--until", "2d"],
    **{base: [f"traces/{base}.yaml", *(a for v in variants for a in (
        "--variant", f"{v}=examples/traces/{base}-{v}.yaml"))] for base, variants in {
            "hpc2n": ["fifo", "usage", "preempt"], "lcg": ["tree"], "sdsc-blue": ["equal", "preempt", "strict"],
            "openb": ["no-t4", "t4-fails", "reclaim"]}.items()},
    "seeds": ["simulate/first.yaml", "--sweep", "load=1,1.1", "--seed", "7", "--top", "2", "--until", "2d"],
}


def simulations():
    for name, files in SIMULATIONS.items():
        f = of_files(*(f"examples/{p}" for p in files))
        yield Run(f"simulate/{name}", ["simulate", *f], whole=True, locale="C.UTF-8")
        yield Run(f"simulate/{name}/out", ["simulate", "--until", "3d", "--out", "OUT", *f], json=None)
    for name, (file, *more) in COMPARISONS.items():
        yield Run(f"compare/{name}", ["compare", "-f", f"examples/{file}", "--out", "OUT", *more],
                  whole=True, locale="C.UTF-8")


def examples():
    for path in sorted((ROOT / "examples/stories").glob("*.yaml")):
        yield from manifests(f"stories/{path.stem}", f"examples/stories/{path.name}")
    yield from manifests("loops/three", "examples/loops/three-workloads.yaml", eta=False)
    yield from manifests("loops/three-settled", "examples/loops/three-workloads.yaml", "examples/loops/settles.yaml")
    yield from manifests("company", "examples/company", bound=5)
    yield from manifests("departments", "examples/departments", bound=50)
    yield from manifests("gpu-lab", "examples/gpu-lab/cluster", bound=50)
    yield from manifests("machine", "examples/machine/company.yaml")
    for mode in dict.fromkeys(m for m, _ in MODES):
        yield from manifests(f"modes/{mode}", f"examples/modes/{mode}.yaml", bound=50)
    for mode, policy in MODES:
        yield from manifests(f"modes/{mode}-by-{policy}", f"examples/modes/{mode}.yaml",
                             f"examples/modes/{policy}-policy.yaml", bound=50)
    for what in ("fourth-machine", "no-history"):
        yield Run(f"gpu-lab/{what}", ["what-if", "-f", "examples/gpu-lab/cluster",
                                      "--change", f"examples/gpu-lab/changes/{what}.yaml"], whole=True)
    yield Run("company/platform", ["tree", "-f", "examples/company", "platform"], whole=True, locale="C.UTF-8")
    for queue in ("language", "research"):
        yield Run(f"gpu-lab/tune-{queue}", ["tune", "-f", "examples/gpu-lab/cluster", queue,
                                            "--svg", "OUT/tune.svg"], whole=True)
    yield from simulations()


def corner_cases():
    for path in sorted((ROOT / LINKS["prove"]).glob("*.yaml")):
        yield from manifests(f"prove/{path.stem}", f"prove/{path.name}", explained=1, eta=False)
    for path in sorted((ROOT / LINKS["properties"]).glob("*.yaml")):
        yield from manifests(f"properties/{path.stem}", f"properties/{path.name}", explained=1)
    yield from manifests("cli/entitle", "cli/entitle.yaml", explained=2)
    for path in sorted((ROOT / LINKS["found"]).glob("*/*")):
        for verb in ("check", "plan"):
            yield Run(f"found/{path.parent.name}/{path.name}/{verb}",
                      [verb, "-f", f"found/{path.parent.name}/{path.name}"], whole=True)


def odd_ones():
    for name in odd.MANIFESTS:
        for verb in ("check", "tree", "plan"):
            yield Run(f"odd/{name}/{verb}", [verb, "-f", name], whole=True, where="odd")
        yield Run(f"odd/{name}/sarif", ["check", "-f", name], text=None, json=["-o", "sarif"], whole=True, where="odd")
    for name in ("body.json", "kai-no-machines.yaml"):
        yield Run(f"odd/{name}/divide", ["divide", "-f", name], text=None, json=[], whole=True, where="odd")
    for args in odd.LINES:
        name = "line/" + (" ".join(args) or "(none)")
        file_verb = args[:1] and args[0] in odd.VERBS[:12] and "--" not in args
        yield Run(name, args, json=JSON if file_verb else None, whole=True, where="odd")
    for verb in odd.VERBS:
        yield Run(f"line/{verb} --help", [verb, "--help"], json=None, whole=True, where="odd")


def of_world(w, ending, as_text):
    path, change = f"worlds/{w.name}.{ending}", f"worlds/{w.name}-change.{ending}"

    def run(what, args):
        made = Run(f"{w.name}/{what}", [*args, "-f", path])
        made.reads = {path: lambda: as_text(w.objects), change: lambda: as_text([w.change])}
        return made

    yield run("check", ["check"])
    yield run("tree", ["tree"])
    yield run("plan", ["plan"])
    yield run("settle", ["plan", "--settle"])
    for i, workload in enumerate(w.waiting[:2]):
        yield run(f"explain-{i}", ["explain", workload])
    yield run("what-if", ["what-if", "--change", change])
    yield run("prove", ["prove", "--bound", "100"])
    if w.name.startswith("kai"):
        yield run("divide", ["divide", "--rounds"])


def all_runs():
    runs = [*examples(), *corner_cases(), *odd_ones()]
    for i, w in enumerate(worlds.all_worlds(WORLDS)):
        # Both ways to write them down, by turns of two: each for Kueue and for KAI.
        runs += of_world(w, *(("json", worlds.as_json), ("yaml", worlds.as_yaml))[i // 2 % 2])
    names = set()
    for run in runs:
        assert run.name not in names, f"two runs of the name {run.name}"
        names.add(run.name)
    return runs


def files_of(runs):
    """What must be written before these can run: path -> bytes."""
    files = {f"odd/{name}": content for name, content in odd.files().items()}
    for path, text in {path: text for run in runs for path, text in run.reads.items()}.items():
        files[path] = text().encode()
    return files
