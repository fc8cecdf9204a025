# SPDX-License-Identifier: Apache-2.0
"""The description of the API: that it is OpenAPI 3.1, that it is what is served, and that answers are held against it."""
import json
import re

import jsonschema
import pytest

import openapi

METHODS = {"get", "put", "post", "delete"}


def nodes(value, at=""):
    yield at, value
    if isinstance(value, dict):
        for key, one in value.items():
            yield from nodes(one, f"{at}/{openapi.escaped(key)}")
    elif isinstance(value, list):
        for i, one in enumerate(value):
            yield from nodes(one, f"{at}/{i}")


def find(pointer):
    value = openapi.description()
    for part in pointer.removeprefix("#/").split("/"):
        value = value[part.replace("~1", "/").replace("~0", "~")]
    return value


def test_form():
    """What the specification asks of a document with these parts."""
    document = openapi.description()
    assert document["openapi"] == "3.1.0"
    assert {"title", "version"} <= document["info"].keys() and "url" not in document["info"]["license"]
    assert document.keys() <= {"openapi", "info", "servers", "security", "paths", "components"}
    assert document["components"].keys() <= {"schemas", "responses", "securitySchemes"}
    for name in document["components"]["schemas"]:
        assert re.fullmatch(r"[a-zA-Z0-9._-]+", name)
    ids = []
    for path, item in document["paths"].items():
        assert path.startswith("/") and item.keys() <= METHODS
        for method, of in item.items():
            ids.append(of["operationId"])
            assert of.keys() <= {"operationId", "description", "parameters", "requestBody", "responses", "x-fairlead"}
            assert of["description"] and "default" in of["responses"] and len(of["responses"]) > 1
            assert all(re.fullmatch("[1-5][0-9][0-9]|default", status) for status in of["responses"])
            named = [(one["in"], one["name"]) for one in of["parameters"]]
            assert len(set(named)) == len(named)
            assert {name for place, name in named if place == "path"} == set(re.findall(r"{(\w+)}", path))
            assert all(one["description"] and one["required"] == (one["in"] == "path") for one in of["parameters"])
            assert method != "get" or "requestBody" not in of
    assert len(set(ids)) == len(ids) > 20


def test_references_and_schemas():
    document = openapi.description()
    references = [value["$ref"] for _, value in nodes(document) if isinstance(value, dict) and isinstance(value.get("$ref"), str)]
    assert len(references) > 100
    for reference in references:
        assert find(reference)
    for schema in document["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(schema)
    used = {reference.rsplit("/", 1)[1] for reference in references}
    assert {name for name in document["components"]["schemas"] if name not in used} == set()


def test_served(daemon):
    assert daemon.get("/v1/openapi.json").json() == openapi.description("openapi-machine")


def test_arguments_are_those_described(daemon):
    """Each that is described is taken, and none that is not; of routes without a part in their path."""
    for path, item in openapi.description("openapi-machine")["paths"].items():
        if "get" not in item or "{" in path:
            continue
        odd = daemon.get(f"{path}?wrong=1")
        assert odd.status == 400 and "'wrong' is not an argument of this path" in odd.error
        for one in item["get"]["parameters"]:
            answer = daemon.get(f"{path}?{one['name']}=" + {"boolean": "0", "integer": "1"}.get(one["schema"]["type"], "x"))
            assert answer.status in (200, 400, 404), (path, one)
            assert answer.status != 400 or "is not an argument" not in answer.error, (path, one)


@pytest.mark.parametrize("change", [
    lambda jobs: jobs.pop("now"),
    lambda jobs: jobs.update(more="no"),
    lambda jobs: jobs["jobs"][0].update(state="dancing"),
    lambda jobs: jobs["jobs"][0].update(submittedAt="yesterday"),
])
def test_a_wrong_answer_is_found(daemon, change):
    daemon.submit(hold=True)
    jobs = daemon.get("/v1/jobs").json()
    openapi.check("GET", "/v1/jobs", 200, "application/json", json.dumps(jobs).encode())
    change(jobs)
    with pytest.raises(jsonschema.ValidationError):
        openapi.check("GET", "/v1/jobs", 200, "application/json", json.dumps(jobs).encode())


def test_what_is_not_described_is_found():
    for answer in (("GET", "/v1/nothing", 200, "application/json", b"{}"),
                   ("GET", "/v1/jobs", 201, "application/json", b"{}"),
                   ("GET", "/v1/jobs", 200, "text/html", b""),
                   ("GET", "/v1/jobs", 404, "application/json", b"{}")):
        with pytest.raises(AssertionError):
            openapi.check(*answer)
