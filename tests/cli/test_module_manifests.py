# SPDX-License-Identifier: Apache-2.0
"""Every manifest in Kueue's and KAI's Go modules is read, by check, tree and plan.

The modules are looked for in Go's module cache, sigs.k8s.io/kueue@VERSION and
github.com/.../kai-scheduler@VERSION: each YAML file, and each block of YAML in a Markdown
page that names a kind.  What is no object is listed in NOT_READ, with the reason, and by
what it contains: for a server refuses it as well.  Of these check must say so; tree and plan may do without it.
"""
import glob
import os
import re
import subprocess

import pytest
import yaml

from test_api_limits import CACHE

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
MODULES = {
    "Kueue": os.path.join(CACHE, "sigs.k8s.io", "kueue@*"),
    "KAI": os.path.join(CACHE, "github.com", "*", "*-scheduler@*"),
}
SECONDS = 20  # for one file and verb, under sanitizers as well; without them it is a hundredth of this
BLOCK = re.compile(r"^( *)```ya?ml\n(.*?)^ *```", re.MULTILINE | re.DOTALL)

# Files of programs that no API server ever sees: they have a kind and no name.
OWN_CONFIGURATION = {"Configuration", "Kustomization", "Component", "Cluster", "Config", "Plugin"}

SERVED = {"kueue.x-k8s.io/v1beta1", "kueue.x-k8s.io/v1beta2"}


def documents(text):
    return [d for d in yaml.load_all(text, Loader=LOADER) if d is not None]


def is_template(text):
    return "{{" in text


def is_no_yaml(text):
    try:
        documents(text)
    except yaml.YAMLError:
        return True
    return False


def is_patch(text):
    return any(not isinstance(d, dict) for d in documents(text))


def is_load(text):
    return any("kind" not in d and "cohorts" in d for d in documents(text))


def has_no_kind(text):
    return any("kind" not in d for d in documents(text))


def has_no_version(text):
    return any("apiVersion" not in d for d in documents(text))


def nameless(text):
    """The kinds of objects without name."""
    return {d["kind"] for d in documents(text) if not d["kind"].endswith("List")
            and not set(d.get("metadata") or {}) & {"name", "generateName"}} - OWN_CONFIGURATION


def is_nameless_event(text):
    return nameless(text) == {"Event"}


def has_no_name(text):
    return bool(nameless(text))


def is_of_old_version(text):
    return any(re.match(r"kueue\.x-k8s\.io/v1alpha", d["apiVersion"]) and d["kind"] not in ("CohortList",)
               for d in documents(text))


def has_comment_of_c(text):
    return re.search(r"requeueAfterSeconds: *[0-9]+ //", text)


# (what it is, how it is recognized, why it is no manifest, what must be said of it), the first that
# applies.  Where nothing is said in particular, it need only end in good order.
NOT_READ = [
    ("template", is_template, "a template of Helm or Go is YAML only when it was filled in", None),
    ("no YAML", is_no_yaml, "a sketch with '...' in it, or a file that no parser accepts", r"error: "),
    ("patch", is_patch, "a list is a patch of kustomize or the data of a tool",
     r"error: expected an object, not a (list|text)"),
    ("load", is_load, "input of Kueue's own load generator, which is read and is no object", None),
    ("no kind", has_no_kind, "values of Helm, a kustomization in short form, or the file of a tool",
     r"error: no kind"),
    ("no version", has_no_version, "a server refuses an object without apiVersion", r"error: .*: no apiVersion"),
    ("event", is_nameless_event, "an Event without name is refused, but events of a dump are not looked at", None),
    ("no name", has_no_name, "a server refuses an object without name", r"error: .*: no (name|metadata)$"),
    ("old version", is_of_old_version, "a server of today has no such version of the kind", r"error: .*: there is no kind"),
    ("comment of C", has_comment_of_c, "// begins no comment: a text stands where a number belongs", r"error: .*expected a whole number"),
]


def why_not_read(text):
    """The first row of NOT_READ that applies, or None: then it has to be read."""
    return next((row for row in NOT_READ if row[1](text)), None)


def manifests(module):
    """(where, text) of each file and each block of a page."""
    for folder, folders, names in os.walk(module):
        folders.sort()
        for name in sorted(names):
            if not name.endswith((".yaml", ".yml", ".md")):
                continue
            path = os.path.join(folder, name)
            with open(path, encoding="utf-8") as f:
                text = f.read()
            where = os.path.relpath(path, module)
            if not name.endswith(".md"):
                yield where, text
                continue
            for match in BLOCK.finditer(text):
                block = re.sub("^" + match.group(1), "", match.group(2), flags=re.MULTILINE)
                if re.search(r"^ *(- )?kind:", block, re.MULTILINE):
                    yield f"{where}:{text[:match.start()].count(chr(10)) + 2}", block


def faults(run, write, text):
    """What is wrong with the answers about one file, a line each."""
    write("m.yaml", text)
    row = why_not_read(text)
    wrong = []
    for verb in ("check", "tree", "plan"):
        try:
            done = run(verb, "-f", "m.yaml")
        except (subprocess.TimeoutExpired, AssertionError) as e:  # too long, or a signal
            wrong.append(f"{verb}: {e}")
            continue
        if row is None and (done.code or "error:" in done.err):
            wrong.append(f"{verb}: {done.code}, {done.err}")
        elif verb == "check" and row is not None and row[3] and (done.code != 1 or not re.search(row[3], done.err, re.MULTILINE)):
            wrong.append(f"{verb}: {row[0]}, but {done.code}, {done.err}")
        if verb == "check" and row is None:
            wrong += miscounted(documents(text), done.out)
    return wrong


def miscounted(objects, said):
    """No queue is left out: their numbers are in check's last line."""
    wrong = []
    for kind, words in (("ClusterQueue", "cluster queue"), ("LocalQueue", "local queue")):
        count = sum(o.get("kind") == kind and o["apiVersion"] in SERVED for o in objects)
        found = re.search(rf"(\d+) {words}", said)
        if count and (not found or int(found.group(1)) != count):
            wrong.append(f"check: {count} of kind {kind}, but: {said}")
    return wrong


QUEUE = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: q}
spec: {namespaceSelector: {}}
"""


@pytest.mark.parametrize("text,what", [
    (QUEUE, None),
    (QUEUE.replace("q}", "{{.Name}}}"), "template"),
    (QUEUE + "...\nspec:\n  ...\n", "no YAML"),
    ("- op: remove\n  path: /spec\n", "patch"),
    ("resources: [a.yaml]\n", "no kind"),
    (QUEUE.replace("apiVersion: kueue.x-k8s.io/v1beta2\n", ""), "no version"),
    (QUEUE.replace("name: q", ""), "no name"),
    ("apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n", None),
])
def test_what_is_no_manifest(fairlead, write, text, what):
    row = why_not_read(text)
    assert (row and row[0]) == what
    assert not faults(fairlead, write, text)


@pytest.mark.parametrize("text", [
    QUEUE.replace("name: q", "name: [q]"),
    QUEUE.replace("spec: {", "spec: {queueingStrategy: Fifo, "),
])
def test_a_manifest_that_is_not_read_is_found(fairlead, write, text):
    assert faults(fairlead, write, text)


@pytest.mark.parametrize("of", sorted(MODULES))
def test_manifests_of_the_module(fairlead, write, of):
    modules = sorted(glob.glob(MODULES[of]))
    if not modules:
        pytest.skip(f"Go's module cache in {CACHE} has no module of {of}")
    found, read, wrong = 0, 0, []
    for module in modules:
        for where, text in manifests(module):
            found += 1
            read += why_not_read(text) is None
            wrong += [f"{of} {where}: {line}" for line in faults(fairlead, write, text)]
    assert not wrong, "\n".join(wrong)
    assert found >= 100 and read >= 50
