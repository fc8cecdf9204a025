# SPDX-License-Identifier: Apache-2.0
"""Holds answers of the daemon against its own description, /v1/openapi.json."""
import datetime
import functools
import json
import os
import pathlib
import re

import jsonschema

PROBLEM = "application/problem+json"
FORMATS = jsonschema.FormatChecker()


@FORMATS.checks("date-time", raises=ValueError)
def is_time(value):
    return not isinstance(value, str) or bool(datetime.datetime.fromisoformat(value.replace("Z", "+00:00")).tzinfo)


@functools.lru_cache
def description(of="openapi"):
    """Of all daemons, or that of a machine alone ("openapi-machine")."""
    return json.loads((pathlib.Path(os.environ["FAIRLEAD_BUILD"]) / "tests" / "daemon" / f"{of}.json").read_text())


def pattern(template):
    parts = re.split(r"(\{[^}]+\})", template)
    return re.compile("".join("[0-9]+" if part in ("{job}", "{simulation}") else "[^/]+" if part.startswith("{") else re.escape(part)
                              for part in parts))


@functools.lru_cache
def paths():
    """Each path as a pattern, those without parts first."""
    return [(pattern(path), path) for path in sorted(description()["paths"], key=lambda path: path.count("{"))]


@functools.lru_cache(maxsize=None)
def validator(pointer):
    """Of the schema there, with all that it refers to."""
    return jsonschema.Draft202012Validator({"$ref": "#" + pointer, **description()},
                                           format_checker=FORMATS)


def operation(method, path):
    path = path.split("?")[0]
    for form, template in paths():
        if form.fullmatch(path):
            return template, description()["paths"][template].get(method.lower())
    return None, None


def escaped(text):
    return text.replace("~", "~0").replace("/", "~1")


def check(method, path, status, kind, body):
    """A whole answer; raises jsonschema.ValidationError, or AssertionError where it is not described."""
    kind = (kind or "").split(";")[0]
    if status == 304 or method == "HEAD":
        return
    if status >= 400 and not (path.startswith("/v1/health") and status == 503 and kind == "application/json"):
        if path.startswith("/apis/"):
            assert kind == "application/json", f"{method} {path}: {status} as {kind}"
            validator("/components/schemas/status").validate(json.loads(body))
            return
        if path.startswith("/api/v1/") and kind == "application/json":
            validator("/components/schemas/query").validate(json.loads(body))
            return
        assert kind == PROBLEM, f"{method} {path}: {status} as {kind}"
        problem = json.loads(body)
        validator("/components/schemas/problem").validate(problem)
        assert problem["status"] == status
        return
    template, described = operation(method, path)
    assert described, f"{method} {path} is not described"
    there = "200" if status == 503 else str(status)
    assert there in described["responses"], f"{method} {path}: {status} is not described"
    content = described["responses"][there].get("content", {})
    assert kind in content, f"{method} {path}: {kind} is not described"
    if "json" not in kind:
        return
    pointer = "/".join(["/paths", escaped(template), method.lower(), "responses", there, "content", escaped(kind), "schema"])
    if kind == "application/x-ndjson":
        lines = body.decode().splitlines()
        for line in lines[:100]:
            validator(pointer).validate(json.loads(line))
    else:
        validator(pointer).validate(json.loads(body))
