# SPDX-License-Identifier: Apache-2.0
"""Who held how much at each moment, by the API server's own account of what was written, whatever wrote it."""
import http.client
import threading
import time
from fractions import Fraction

from bed import KUEUE
from client import ApiError
from objects import condition


def cores(quantity):
    return Fraction(quantity[:-1]) / 1000 if quantity.endswith("m") else Fraction(quantity)


def holds(body):
    """(queue, cpu), or None: from its reservation to the moment at which its admission is taken away, or it is over."""
    admission = body.get("status", {}).get("admission")
    if not admission or condition(body, "Finished") == "True" or condition(body, "QuotaReserved") != "True":
        return None
    rows = admission["podSetAssignments"]
    return admission["clusterQueue"], sum(cores(row["resourceUsage"].get("cpu", "0")) for row in rows)


class Checker:
    """`with Checker(client)`: each version of each Workload, in the order in which they were written.

    Where a server that was started again does not know of what was before, all is listed once more: what held quota
    and let it go in between is not seen then.
    """

    def __init__(self, client):
        self.client, self.over, self.events = client, threading.Event(), []
        first = client.ask("GET", f"/apis/{KUEUE}/workloads")
        self.since = first["metadata"]["resourceVersion"]
        self.begin = {w["metadata"]["uid"]: holds(w) for w in first["items"]}
        self.thread = threading.Thread(target=self.run, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join(30)

    def run(self):
        while not self.over.is_set():
            try:
                for event in self.client.watch(KUEUE, "workloads", self.since, seconds=5):
                    if event["type"] == "ERROR":
                        event = {"type": "LIST", "object": self.client.ask("GET", f"/apis/{KUEUE}/workloads")}
                    self.since = event["object"]["metadata"]["resourceVersion"]
                    self.events.append(event)
            except (OSError, http.client.HTTPException, ApiError, ValueError):
                time.sleep(0.1)

    def holders(self, *queues):
        """{uid: name} of what holds quota of @queues, as far as it was heard; without a list, which is long where many wait."""
        held = {}
        for event in list(self.events):
            for body in event["object"]["items"] if event["type"] == "LIST" else [event["object"]]:
                row = None if event["type"] == "DELETED" else holds(body)
                held.pop(body["metadata"]["uid"], None)
                if row and row[0] in queues:
                    held[body["metadata"]["uid"]] = body["metadata"]["name"]
        return held

    def reached(self):
        """All that is written by now has been heard."""
        newest = self.client.ask("GET", f"/apis/{KUEUE}/workloads")
        versions = {w["metadata"]["uid"]: w["metadata"]["resourceVersion"] for w in newest["items"]}
        heard = {o["metadata"]["uid"]: o["metadata"]["resourceVersion"] for e in list(self.events)
                 for o in (e["object"]["items"] if e["type"] == "LIST" else [e["object"]])}
        return all(heard.get(uid, version) == version or int(heard[uid]) > int(version) for uid, version in versions.items())

    def check(self, quota, queues):
        """The most cpu that @queues held together at any moment is at most @quota; how often each Workload was admitted."""
        end = time.monotonic() + 60
        while not self.reached():
            assert time.monotonic() < end, "the watch does not bring all that was written"
            time.sleep(0.1)
        held = {uid: row for uid, row in self.begin.items() if row and row[0] in queues}
        most, admitted = sum(cpu for _, cpu in held.values()), {}
        for event in list(self.events):
            if event["type"] == "LIST":
                there = {o["metadata"]["uid"] for o in event["object"]["items"]}
                for uid in [uid for uid in held if uid not in there]:
                    del held[uid]
            for body in event["object"]["items"] if event["type"] == "LIST" else [event["object"]]:
                uid, row = body["metadata"]["uid"], None if event["type"] == "DELETED" else holds(body)
                before = held.pop(uid, None)
                if row and row[0] in queues:
                    held[uid] = row
                    name = body["metadata"]["name"]
                    admitted[name] = admitted.get(name, 0) + (not before)
                    assert before in (None, row), f"{name} holds {row}, and held {before} until then"
            total = sum(cpu for _, cpu in held.values())
            assert total <= quota, f"{total} of {quota} cpu held after version {event['object']['metadata']['resourceVersion']}"
            most = max(most, total)
        return most, admitted
