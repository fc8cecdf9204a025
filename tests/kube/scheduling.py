# SPDX-License-Identifier: Apache-2.0
"""A fake API server with a Lease that takes writes of Workloads' status, and does what Kueue's controllers do then."""
import copy
import json
import re
import threading
import time

from fake import Cut, Fake, Fault
from watching import fill, queue

MANAGER, STATUS = "kueue-admission", re.compile(
    r"/apis/kueue\.x-k8s\.io/(v1beta\d)/namespaces/([^/]+)/workloads/([^/]+)/status\?fieldManager=([\w-]+)&force=true(&timeout=\d+s)?")
EVENTS = re.compile(r"/apis/events\.k8s\.io/v1/namespaces/([^/]+)/events(\?timeout=\d+s)?")
LEASE = re.compile(r"/apis/coordination\.k8s\.io/v1/namespaces/fairlead/leases(/fairlead)?(\?timeout=\d+s)?")


def condition_of(one, kind):
    return next((c for c in one.get("status", {}).get("conditions", ()) if c["type"] == kind), {})


def is_true(one, kind):
    return condition_of(one, kind).get("status") == "True"


def holds(one):
    """(queue, cpu), or None."""
    admission = one.get("status", {}).get("admission")
    if not admission or not is_true(one, "QuotaReserved") or is_true(one, "Finished"):
        return None
    return str(admission["clusterQueue"]), sum(float(r["resourceUsage"].get("cpu", 0)) for r in admission["podSetAssignments"])


def handed_over(fake, *names, quota=4, scheduler="true", stop="Hold", **spec):
    """ClusterQueues with a LocalQueue of their name in namespace a each."""
    for name in names:
        fake.put("clusterqueues", None, name, metadata={"annotations": {"fairlead.dev/scheduler": scheduler}},
                 spec={**queue(quota), "stopPolicy": stop, **spec})
        fake.put("localqueues", "a", name, spec={"clusterQueue": name})


class Scheduling(Fake):
    def __init__(self, *words, **more):
        self.writes = []  # (verb of Workload/status, namespace/name, what it made of it)
        self.events = {}  # by name, in the order in which they came
        self.holders = {}  # by uid: (queue, cpu)
        self.held, self.most, self.total = {}, {}, 0  # by queue: cpu that is held; and the most there ever was, in all of them too
        self.before_write = lambda namespace, name: None
        self.gone = 0.1  # seconds until the pods of an evicted one are gone
        self.lost = 0  # answers to writes that are done, and not sent
        self.fault_of_write = lambda namespace, name: None  # a Fault; or "not sent", "lost", "silence", "slow": it is not done; is; is, and waits
        self.answered = []  # of each write the connection on which its answer was sent
        self.told = lambda plural, kind, one: None  # of each change; with the lock, as the next
        self.look = lambda verb, old, new: None  # of each write that is done
        super().__init__(*words, **more)
        self.plain = True
        self.kinds["coordination.k8s.io"] = {"v1": ["leases"]}
        fill(self)
        self.lease = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "fairlead"},
                      "spec": {"holderIdentity": "", "leaseDurationSeconds": 1}}  # as one that led has given it back

    # --- the Lease ---

    @property
    def lease(self):
        """None: it is not there."""
        return self.objects.get("leases", {}).get(("fairlead", "fairlead"))

    @lease.setter
    def lease(self, lease):
        with self.lock:
            if lease is None:
                self.delete("leases", "fairlead", "fairlead")
            else:
                self.put("leases", "fairlead", **{**lease, "name": "fairlead", "metadata": {
                    k: v for k, v in lease["metadata"].items() if k not in ("resourceVersion", "managedFields")}})

    def change_lease(self, **spec):
        with self.lock:
            self.lease = {**self.lease, "spec": {**self.lease["spec"], **spec}}

    # --- what is held ---

    def count(self, kind, one):
        """With the lock."""
        if self.holders.pop(one["metadata"]["uid"], None) is None and not holds(one):
            return
        if kind != "DELETED" and holds(one):
            self.holders[one["metadata"]["uid"]] = holds(one)
        self.held = {}
        for queue, cpu in self.holders.values():
            self.held[queue] = self.held.get(queue, 0) + cpu
            self.most[queue] = max(self.held[queue], self.most.get(queue, 0))
        self.total = max(sum(self.held.values()), self.total)

    def tell(self, plural, kind, one):
        super().tell(plural, kind, one)
        self.told(plural, kind, one)
        if plural == "workloads":
            self.count(kind, one)

    def change(self, namespace, name, **status):
        """As Kueue's controllers do it; None: taken away."""
        with self.lock:
            old = self.objects["workloads"].get((namespace, name))
            if not old:
                return
            new = copy.deepcopy({**old.get("status", {}), **status})
            self.put("workloads", namespace, name, metadata={k: v for k, v in old["metadata"].items() if k != "resourceVersion"},
                     spec=old["spec"], status={k: v for k, v in new.items() if v is not None})

    def is_gone(self, namespace, name, uid):
        """The pods are: its quota is free."""
        with self.lock:
            one = self.objects["workloads"].get((namespace, name))
            if not one or one["metadata"]["uid"] != uid or not is_true(one, "Evicted"):
                return
            conditions = [c for c in one["status"]["conditions"] if c["type"] not in ("QuotaReserved", "Admitted", "Requeued")]
            since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            conditions += [{"type": kind, "status": status, "reason": "Pending", "message": "", "lastTransitionTime": since}
                           for kind, status in (("QuotaReserved", "False"), ("Admitted", "False"), ("Requeued", "True"))]
            self.change(namespace, name, admission=None, conditions=conditions)

    def activate(self, namespace, name, active):
        """As a user says and Kueue carries it out: what is not active holds nothing once its pods are gone."""
        with self.lock:
            one = self.objects["workloads"][namespace, name]
            status, evicts = copy.deepcopy(one["status"]), holds(one) and not active
            if evicts:
                status["conditions"] = [c for c in status["conditions"] if c["type"] != "Evicted"] + [{
                    "type": "Evicted", "status": "True", "reason": "Deactivated", "message": "",
                    "lastTransitionTime": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}]
            self.put("workloads", namespace, name, metadata={k: v for k, v in one["metadata"].items() if k != "resourceVersion"},
                     spec={**copy.deepcopy(one["spec"]), "active": active}, status=status)
        if evicts:
            threading.Timer(self.gone, self.is_gone, (namespace, name, one["metadata"]["uid"])).start()

    def finish(self, namespace, name):
        one = self.state("workloads")[namespace, name]
        self.change(namespace, name, conditions=one["status"]["conditions"] + [{
            "type": "Finished", "status": "True", "reason": "Succeeded", "message": "",
            "lastTransitionTime": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}])

    # --- requests ---

    def answer(self, conn, method, path, headers, sent):
        if method == "PATCH":
            self.patch(conn, path, headers, sent)
        elif LEASE.fullmatch(path) and (method != "GET" or "/fairlead/leases/" in path):
            self.answer_lease(conn, method, path, sent)
        elif method == "POST" and "/events" in path:
            self.take_event(conn, path, headers, json.loads(sent))
        else:
            super().answer(conn, method, path, headers, sent)

    def send(self, conn, code, body):
        data = json.dumps(body).encode()
        conn.sendall(f"HTTP/1.1 {code} OK\r\n{self.date()}Content-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n".encode()
                     + data)

    def patch(self, conn, path, headers, sent):
        version, namespace, name, manager, _ = STATUS.fullmatch(path).groups()
        assert headers["content-type"] == "application/apply-patch+yaml" and manager == MANAGER
        body = json.loads(sent)
        assert body["apiVersion"] == f"kueue.x-k8s.io/{version}" and set(body) == {"apiVersion", "kind", "metadata", "status"}
        assert set(body["metadata"]) == {"name", "namespace", "uid", "resourceVersion"}
        with self.lock:
            self.requests.append(("patch", "workloads", path))
        fault, how = self.fault_for("patch", "workloads"), self.fault_of_write(namespace, name)
        if isinstance(how, Fault):
            fault = how
        if fault.status:
            self.status(conn, fault.status, "No", "a fault", fault.retry_after)
            return
        if how == "not sent":
            self.reset(conn)
            raise Cut
        self.before_write(namespace, name)
        with self.lock:
            old = self.objects["workloads"].get((namespace, name))
            meta = old["metadata"] if old else {}
            if not old or meta["uid"] != body["metadata"]["uid"] or meta["resourceVersion"] != body["metadata"]["resourceVersion"]:
                self.status(conn, 409 if old else 404, "Conflict", "it has changed")
                return
            self.put("workloads", namespace, name, metadata={k: v for k, v in meta.items() if k != "resourceVersion"},
                     spec=old["spec"], status=body["status"])
            new = self.objects["workloads"][namespace, name]
            evicted = is_true(new, "Evicted")
            self.writes.append(("evict" if evicted else "admit", f"{namespace}/{name}", new))
            self.look(self.writes[-1][0], old, new)
            lost = self.lost > 0
            self.lost -= lost
        if evicted:
            threading.Timer(self.gone, self.is_gone, (namespace, name, meta["uid"])).start()
        if how == "silence":
            self.over.wait(3600)
        if lost or how in ("lost", "silence"):
            self.reset(conn)
            raise Cut
        if how == "slow":
            self.over.wait(0.3)
        self.send(conn, 200, new)
        self.answered.append(conn)

    def take_event(self, conn, path, headers, event):
        """As the API server validates it (ValidateEventCreate)."""
        match = EVENTS.fullmatch(path)
        assert match and headers["content-type"] == "application/json", path
        with self.lock:
            self.requests.append(("create", "events", path))
        fault = self.fault_for("create", "events")
        if fault.at == 0:
            if fault.how == "silence":
                self.over.wait(3600)
            self.reset(conn)
            raise Cut
        if fault.status:
            self.status(conn, fault.status, "No", "a fault", fault.retry_after)
            return
        name = event["metadata"]["name"]
        assert set(event) == {"apiVersion", "kind", "metadata", "eventTime", "type", "reason", "action", "reportingController",
                              "reportingInstance", "note", "regarding"}
        assert event["apiVersion"] == "events.k8s.io/v1" and event["kind"] == "Event"
        assert event["metadata"]["namespace"] == match[1] == event["regarding"].get("namespace", "default")
        assert re.fullmatch(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*", name) and len(name) <= 253
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", event["eventTime"])
        assert event["type"] in ("Normal", "Warning") and len(event["note"]) <= 1024
        assert all(0 < len(event[k]) <= 128 for k in ("reason", "action", "reportingController", "reportingInstance"))
        with self.lock:
            if name in self.events:
                self.status(conn, 409, "AlreadyExists", "it is there")
                return
            self.events[name] = event
        self.send(conn, 201, event)

    def answer_lease(self, conn, method, path, sent):
        with self.lock:
            self.requests.append((method, "leases", path))
            body = json.loads(sent) if sent else None
            there = self.lease is not None
            if method == "POST" and there or method == "PUT" and (
                    not there or body["metadata"]["resourceVersion"] != self.lease["metadata"]["resourceVersion"]):
                return self.status(conn, 409, "Conflict", "no")
            if method == "GET" and not there:
                return self.status(conn, 404, "NotFound", "no")
            if body:
                self.lease = body
            return self.send(conn, 201 if method == "POST" else 200, self.lease)
