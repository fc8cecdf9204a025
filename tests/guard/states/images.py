#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""images - states as `fairlead save` writes them, and what is answered of each: ../states.md

    FAIRLEAD=build/fairlead tests/guard/states/images.py --record [NAME...]

writes images/NAME.image.gz and images/NAME.json.gz again, of all or of those that are named;
--answers in place of --record keeps the images, and writes what is answered of each.
"""
import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parents[2]
IMAGES = HERE / "images"

# What each was saved from; only --record reads it.
WORLDS = {
    "company": ["examples/company"],  # a hierarchy, fair sharing, 230 workloads
    "story": ["examples/stories/kep1714-story3.yaml"],
    "long-distance": ["examples/stories/long-distance-borrowing-a.yaml"],
    "cohort-cycle": ["examples/stories/cohort-cycle.yaml"],  # with a warning
    "loop": ["examples/loops/three-workloads.yaml"],
    "who-yielded": ["tests/prove/cases/who-yielded.yaml"],
    "settles": ["examples/loops/three-workloads.yaml", "examples/loops/settles.yaml"],
    "afs-sampled": [],  # Admission Fair Sharing: those of tests/cli/test_afs.py
    "afs-exact": [],
    "lab": ["examples/gpu-lab/cluster"],  # from here on the entitle policy; with a history of usage
    "departments": ["examples/departments/cluster.yaml", "examples/departments/workloads.yaml"],
    "entitle": ["tests/cli/entitle.yaml"],
    "budgets": ["examples/modes/budgets-spent.yaml", "examples/modes/budgets-policy.yaml"],
    "turns": ["examples/modes/turns-early.yaml", "examples/modes/turns-policy.yaml"],
    "protect-quota": ["examples/modes/protect-quota.yaml", "examples/modes/protect-quota-policy.yaml"],
    "snapshot": None,  # of a daemon, with who is parked: written by make-folder
}
VERBS = [["tree"], ["tree", "-o", "json"], ["check"], ["plan", "--settle", "--all"],
         ["plan", "-o", "json", "--cycles", "3"], ["divide"], ["prove"]]


def run(*args, folder):
    done = subprocess.run([os.environ["FAIRLEAD"], *args], cwd=folder, capture_output=True, check=False,
                          env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TZ": "UTC"})
    return [done.returncode, done.stdout.decode(), done.stderr.decode()]


def version(folder="/"):
    return run("--version", folder=folder)[1].splitlines()[0]


def waits(folder):
    """The first that the next cycle leaves waiting, as explain wants it named."""
    code, out, _ = run("plan", "-f", "c.image", "-o", "json", folder=folder)
    pending = json.loads(out)["cycles"][0]["pending"] if code == 0 else []
    row = pending[0]["workload"] if pending else None
    return row if row is None or isinstance(row, str) else "/".join(row.values())


def questions(folder, name):
    """What c.image in @folder is asked."""
    verbs = [v for v in VERBS if v[0] != "prove" or name in ("loop", "settles", "entitle")]
    return verbs + [["explain", who] for who in [waits(folder)] if who]


def answers(folder, verbs):
    """[arguments, [status, output, errors]] of each."""
    return [[verb, run(*verb[:1], "-f", "c.image", *verb[1:], folder=folder)] for verb in verbs]


def put(name, folder):
    """The image that is kept as c.image in @folder."""
    image = gzip.decompress((IMAGES / f"{name}.image.gz").read_bytes())
    (pathlib.Path(folder) / "c.image").write_bytes(image)
    return image


def recorded(name):
    return json.loads(gzip.decompress((IMAGES / f"{name}.json.gz").read_bytes()))


def afs(name):
    sys.path.insert(0, str(HERE.parents[1] / "cli"))
    import manifests
    import test_afs
    return manifests.dump(*test_afs.world(*([test_afs.EXACT] if name == "afs-exact" else [])))


def save(name, folder):
    files = WORLDS[name]
    if not files:
        text = afs(name)
        (pathlib.Path(folder) / "c.json").write_text(text if isinstance(text, str) else json.dumps(text))
        more = ["--now", "2026-01-01T02:00:00Z", "-f", "c.json"]
    else:
        for i, file in enumerate(files):  # by a name that is not that of a place here
            os.symlink(SOURCE / file, pathlib.Path(folder) / f"{name}-{i}{pathlib.Path(file).suffix}")
        more = [a for i, file in enumerate(files) for a in ("-f", f"{name}-{i}{pathlib.Path(file).suffix}")]
    code, _, err = run("save", *more, "--out", "c.image", folder=folder)
    assert code == 0, err
    image = (pathlib.Path(folder) / "c.image").read_bytes()
    (IMAGES / f"{name}.image.gz").write_bytes(gzip.compress(image, 9, mtime=0))


def record(names, keep):
    for name in names or WORLDS:
        with tempfile.TemporaryDirectory() as folder:
            if keep or WORLDS[name] is None:
                put(name, folder)
            else:
                save(name, folder)
            said = {"version": version(), "answers": answers(folder, questions(folder, name))}
            text = json.dumps(said, indent=1) + "\n"
            (IMAGES / f"{name}.json.gz").write_bytes(gzip.compress(text.encode(), 9, mtime=0))
            print(name, {verb[0]: answer[0] for verb, answer in said["answers"]})


if __name__ == "__main__":
    if sys.argv[1:2] not in (["--record"], ["--answers"]):
        sys.exit(__doc__)
    os.environ["FAIRLEAD"] = os.path.abspath(os.environ["FAIRLEAD"])
    record(sys.argv[2:], keep=sys.argv[1] == "--answers")
