# SPDX-License-Identifier: Apache-2.0
"""Black-box tests of the command: exit code, standard output and standard error, exactly."""
import json
import os
import pathlib
import subprocess

import pytest

SOURCE = pathlib.Path(os.environ.get("FAIRLEAD_SOURCE", pathlib.Path(__file__).parents[2]))
SCHEMAS = SOURCE / "doc" / "schema"


class Result:
    def __init__(self, done):
        self.code = done.returncode
        self.out = done.stdout.decode("utf-8", "surrogateescape")
        self.err = done.stderr.decode("utf-8", "surrogateescape")

    def json(self):
        return json.loads(self.out)

    @property
    def first_error(self):
        return self.err.splitlines()[0] if self.err else ""


@pytest.fixture
def fairlead(tmp_path):
    """Run the command in an empty folder: fairlead("plan", "-f", "x.yaml", stdin=b"...")."""
    binary = os.environ["FAIRLEAD"]

    def run(*args, stdin=b"", env=None, prefix=()):
        variables = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"):
            if name in os.environ:
                variables[name] = os.environ[name]
        variables.update(env or {})
        done = subprocess.run(
            [*prefix, binary, *args], input=stdin, cwd=tmp_path, env=variables,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, check=False)
        statuses = (0, 1, 2, 3, 4, 5) if args[:1] == ("prove",) else (0, 1, 2, 3, 4) if args[:1] == ("what-if",) \
            else (0, 1, 2, 3)
        assert done.returncode in statuses, (done.returncode, done.stderr)
        return Result(done)

    return run


@pytest.fixture
def write(tmp_path):
    """Write a file into the folder the command runs in; its name."""
    def put(name, content):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, str):
            content = content.encode()
        path.write_bytes(content)
        return name

    return put


@pytest.fixture
def valid():
    """Check a document against the published schema of its verb."""
    jsonschema = pytest.importorskip("jsonschema")

    def check(document, verb):
        schema = json.loads((SCHEMAS / f"{verb}.schema.json").read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.Draft202012Validator(schema).validate(document)
        return document

    return check
