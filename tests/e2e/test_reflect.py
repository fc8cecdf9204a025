# SPDX-License-Identifier: Apache-2.0
"""What the client sees of a real API server is what a fresh list has, object by object, whatever happens to it."""
import base64
import os
import pathlib
import random
import sys
import threading
import time

import pytest
import yaml
from bed import wait_for
from client import MERGE, ApiError, path_of

sys.path.append(str(pathlib.Path(os.environ.get("FAIRLEAD_SOURCE", pathlib.Path(__file__).parents[2])) / "tests" / "kube"))
from followed import Follow  # noqa: E402

MAPS = "/v1/configmaps"
THINGS = "example.com/v1/things"
CRD = {
    "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "things.example.com"},
    "spec": {"group": "example.com", "scope": "Namespaced", "names": {"plural": "things", "singular": "thing", "kind": "Thing"},
             "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {
                 "type": "object", "x-kubernetes-preserve-unknown-fields": True}}}]}}


def plain(o):
    """Without what only lists, or only events, have."""
    if o is None:
        return None
    meta = {k: v for k, v in o["metadata"].items() if k != "managedFields"}
    return {**{k: v for k, v in o.items() if k not in ("apiVersion", "kind")}, "metadata": meta}


def listed(bed, plural="configmaps", api="v1"):
    return {(o["metadata"]["namespace"], o["metadata"]["name"]): plain(o) for o in bed.admin.list(api, plural)}


def wait_equal(f, bed, plural="configmaps", api="v1", seconds=60):
    def equal():
        with f.changed:
            mine = {k: plain(o) for k, o in f.mirrors.get(plural, {}).items()}
        assert f.process.poll() is None
        return plural not in f.listing and mine == listed(bed, plural, api)

    wait_for(f"{plural}: the mirror equals a list", equal, seconds, pause=0.3)


def note(name, **data):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


@pytest.fixture
def follow(bed):
    started = []

    def start(*words, config=None):
        started.append(Follow(config or bed.kubeconfig(), "seed=1", *words))
        return started[-1]

    yield start
    for one in started:
        if one.process.poll() is None:
            one.end()
        assert one.process.returncode == 0


def test_lists_in_pages_and_watches_over_one_connection(bed, follow):
    for k in range(1100):
        bed.admin.create("v1", "configmaps", note(f"m{k}", text="x" * 50), "default")
    f = follow(MAPS, "/v1/namespaces", "/v1/pods", "/v1/nodes", "rbac.authorization.k8s.io/v1/clusterroles")
    wait_equal(f, bed)
    assert [line["objects"] for line in f.lines if line["what"] == "remaining"][0] >= 500
    bed.admin.create("v1", "configmaps", note("new", text="\u4e16\U0001f600\"\\ <&>"), "default")
    bed.admin.delete("v1", "configmaps", "m7", "default")
    wait_equal(f, bed)
    assert f.count("trouble") == 0
    assert f.end()["connections"] <= 6, "one for the watches (HTTP/2), and one for each of five lists at most"


def test_initial_events_instead_of_a_list(bed, follow):
    f = follow("+" + MAPS)
    wait_equal(f, bed)
    assert f.listed["configmaps"] == 1 and f.count("trouble") == 0
    f.end()
    lists = [r for r in bed.requests(user="admin", agent="fairlead") if r["verb"] == "list" and r["objectRef"]["resource"] == "configmaps"]
    assert len(lists) <= 3, "those of the test before"


def test_killed_while_objects_change(bed, follow):
    f = follow(MAPS, "most=2000")
    wait_equal(f, bed)
    stop, chance = threading.Event(), random.Random(1)

    def change():
        client = bed.client()
        while not stop.is_set():
            name = f"k{chance.randrange(40)}"
            try:
                if chance.random() < 0.3:
                    client.delete("v1", "configmaps", name, "default")
                elif client.find("v1", "configmaps", name, "default"):
                    client.ask("PATCH", path_of("v1", "configmaps", "default", name), {"data": {"n": str(chance.random())}}, MERGE)
                else:
                    client.create("v1", "configmaps", note(name), "default")
            except (ApiError, OSError):
                time.sleep(0.1)

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(2):
            time.sleep(chance.uniform(0.2, 1.5))
            bed.kill_api()
            bed.start_api()
    finally:
        stop.set()
        thread.join()
    wait_equal(f, bed)
    f.wait(lambda f: not any(f.trouble.values()))
    assert f.listed["configmaps"] <= 2, "it goes on from where it was"


def test_a_definition_that_is_removed_and_put_back(bed, follow):
    f = follow(THINGS, "again=1000")
    f.wait(lambda f: f.listed.get("things"))
    assert f.lines[1]["version"] is None and f.count("trouble") == 0
    for k in range(2):
        bed.admin.create("apiextensions.k8s.io/v1", "customresourcedefinitions", CRD)
        wait_for("it is served", lambda: bed.served("things.example.com"))
        for n in range(5):
            bed.admin.create("example.com/v1", "things", {"apiVersion": "example.com/v1", "kind": "Thing",
                                                          "metadata": {"name": f"t{k}{n}"}, "spec": {"n": n}}, "default")
        wait_equal(f, bed, "things", "example.com/v1")
        assert len(f.mirrors["things"]) == 5
        bed.admin.delete("apiextensions.k8s.io/v1", "customresourcedefinitions", "things.example.com")
        f.wait(lambda f: not f.mirrors["things"] and f.lines[-1]["what"] in ("listed", "fine"), seconds=60)


def change_config(path, change):
    config = yaml.safe_load(path.read_text())
    change(config)
    path.write_text(yaml.safe_dump(config))
    return path


def test_a_client_certificate_as_file_and_as_data(bed, follow):
    files = bed.certificate("dora")
    bed.grant("dora-reads", [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["list", "watch"]}], user="dora")

    def inline(config):
        cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
        for rows, key in ((cluster, "certificate-authority"), (user, "client-certificate"), (user, "client-key")):
            rows[key + "-data"] = base64.b64encode(pathlib.Path(rows.pop(key)).read_bytes()).decode()

    for config in (bed.kubeconfig("dora", certificate=files), change_config(bed.kubeconfig("dora", certificate=files), inline)):
        f = follow(MAPS, config=config)
        wait_equal(f, bed)
        assert f.count("trouble") == 0


def test_another_name_of_the_server(bed, follow):
    def name(text):
        return change_config(bed.kubeconfig(), lambda c: c["clusters"][0]["cluster"].update({"tls-server-name": text}))

    f = follow(MAPS, config=name("localhost"))
    wait_equal(f, bed)
    f = follow(MAPS, config=name("elsewhere.example.com"))
    f.wait(lambda f: f.trouble.get("configmaps"))
    assert "not trusted" in f.trouble["configmaps"]["text"]
