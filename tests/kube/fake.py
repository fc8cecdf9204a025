# SPDX-License-Identifier: Apache-2.0
"""An API server that serves lists and watches over TLS and HTTP/1.1, with the faults that a real one does not
give on command.

State: objects by kind, and a log of changes that can be compacted. What it answers is what a real one answers; how,
is up to `Fault`s: those that a test has put for a request, or random ones of a seed.
"""
import base64
import contextlib
import copy
import email.utils
import json
import random
import socket
import ssl
import struct
import threading
import time
import urllib.parse

LIST_KINDS = {
    "": {"v1": ["pods", "nodes", "namespaces", "configmaps", "limitranges"]},
    "scheduling.k8s.io": {"v1": ["priorityclasses"]},
    "node.k8s.io": {"v1": ["runtimeclasses"]},
    "kueue.x-k8s.io": {v: ["workloads", "clusterqueues", "localqueues", "cohorts", "resourceflavors", "workloadpriorityclasses"]
                       for v in ("v1beta1", "v1beta2")},
    "scheduling.run.ai": {"v2": ["queues"], "v2alpha2": ["podgroups"], "v1alpha2": ["bindrequests"]},
    "kai.scheduler": {"v1": ["schedulingshards"]},
}


def is_selected(one, query):
    """As far as it is asked for: metadata.name=X, status.phase!=X."""
    for term in filter(None, query.get("fieldSelector", "").split(",")):
        path, value = term.replace("!=", "=").split("=")
        at = one
        for word in path.split("."):
            at = at.get(word, {})
        if (at == value) == ("!=" in term):
            return False
    return True


def merged(old, change):
    """A merge patch of JSON (RFC 7386)."""
    if not isinstance(change, dict):
        return change
    out = dict(old) if isinstance(old, dict) else {}
    for key, value in change.items():
        if value is None:
            out.pop(key, None)
        else:
            out[key] = merged(out.get(key), value)
    return out


class Cut(Exception):
    """The connection is over."""


class Fault:
    """What happens to one answer. @status: instead of it. @at: the body ends there, after so many bytes: `how`
    is reset, close, or silence. @odd: a byte that no JSON has is put in there. @size: of pieces, at most."""

    def __init__(self, status=None, retry_after=None, at=None, how="reset", odd=None, size=None, error=None, endless=False):
        self.status, self.retry_after, self.at, self.how, self.odd, self.size = status, retry_after, at, how, odd, size
        self.error, self.endless = error, endless


class Body:
    """Sends a body in chunks, through a fault."""

    def __init__(self, fake, conn, fault):
        self.fake, self.conn, self.fault, self.sent = fake, conn, fault, 0

    def send(self, text):
        data, f = text if isinstance(text, bytes) else text.encode(), self.fault
        if f.odd is not None and self.sent <= f.odd < self.sent + len(data):
            k = f.odd - self.sent
            data = data[:k] + b"\x01" + data[k:]
        stop = None
        if f.at is not None and self.sent + len(data) >= f.at:
            data, stop = data[:f.at - self.sent], f.how
        self.sent += len(data)
        size = f.size and max(f.size, len(data) // 500)
        while data:
            n = self.fake.random.randint(1, size) if size else len(data)
            self.conn.sendall(b"%x\r\n%s\r\n" % (len(data[:n]), data[:n]))
            data = data[n:]
        if stop == "silence":
            self.fake.over.wait(3600)
        if stop == "reset":
            self.fake.reset(self.conn)
        if stop:
            raise Cut

    def end(self):
        self.conn.sendall(b"0\r\n\r\n")


class Fake:
    def __init__(self, certificate, key, token="secret", seed=None):
        self.lock, self.silenced = threading.Condition(), False
        self.kinds = copy.deepcopy(LIST_KINDS)
        self.version, self.oldest = 100, 0
        self.objects = {}  # plural: {(namespace, name): object}
        self.log = []  # (version, plural, type, object)
        self.lists = {}  # version: (plural, [object])
        self.tokens = {token}
        self.forbidden = set()  # (verb, plural)
        self.faults = []  # (verb, plural, Fault): for the next such request
        self.always = {}  # (verb, plural): Fault
        self.plain = False  # answers are sent as they are
        self.before_named = lambda plural: None  # before a list of one by its name is answered
        self.before_patch = self.after_patch = lambda plural, name: None  # before a patch is looked at, and when it is done
        self.random, self.chance = random.Random(seed), 0.0
        self.requests = []  # (verb, plural, path)
        self.bookmarks, self.initial, self.most_seconds = 0.5, True, None  # seconds; sendInitialEvents; of a watch
        self.ahead = 0  # seconds, of its clock; None: no answer says a Date
        self.people, self.may, self.reviews, self.silent = {}, lambda *_: False, [], False  # token: user; see review
        self.over = threading.Event()
        self.connections = set()
        self.rendered = {}  # (plural, start, limit): the text of a page that is known
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self.context = context
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=100)
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    # --- state ---

    def put(self, plural, namespace, name, **fields):
        with self.lock:
            key, kind = (namespace, name), self.objects.setdefault(plural, {})
            self.version += 1
            old = kind.get(key)
            meta = {"name": name, "uid": old["metadata"]["uid"] if old else f"uid-{self.version}",
                    "resourceVersion": str(self.version),
                    "managedFields": [{"manager": "x\"]}", "fieldsV1": {"f:spec": {"f:a": {}}}}]}
            if namespace:
                meta["namespace"] = namespace
            meta.update(fields.pop("metadata", {}))
            kind[key] = {"metadata": meta, **fields}
            self.tell(plural, "MODIFIED" if old else "ADDED", kind[key])

    def delete(self, plural, namespace, name):
        with self.lock:
            self.version += 1
            old = copy.deepcopy(self.objects[plural].pop((namespace, name)))
            old["metadata"]["resourceVersion"] = str(self.version)
            self.tell(plural, "DELETED", old)

    def tell(self, plural, kind, one):
        if not self.silenced:
            self.log.append((self.version, plural, kind, one))
        self.lock.notify_all()

    @contextlib.contextmanager
    def unheard(self):
        """What happens in it no watch is told."""
        with self.lock:
            self.silenced = True
            yield
            self.silenced = False

    def compact(self):
        """Nothing before now can be watched or paged."""
        with self.lock:
            self.version += 1
            self.oldest = self.version
            self.log, self.lists = [], {}
            self.lock.notify_all()

    def remove_kind(self, group, plural):
        """A definition is deleted, with its objects."""
        with self.lock:
            for name in list(self.objects.get(plural, {})):
                self.delete(plural, *name)
            removed = {v: [p for p in ps if p != plural] for v, ps in self.kinds[group].items()}
            self.kinds[group] = removed
            self.lock.notify_all()

    def state(self, plural):
        with self.lock:
            ret = copy.deepcopy(self.objects.get(plural, {}))
        for one in ret.values():
            one["metadata"]["managedFields"] = None
        return ret

    # --- connections ---

    def accept(self):
        while not self.over.is_set():
            try:
                conn, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(conn,), daemon=True).start()

    def reset(self, conn):
        """RST instead of FIN, when the thread that serves it closes it.

        No other may: the one that serves it would go on with whatever has the number of the descriptor next.
        """
        self.connections.discard(conn)
        with contextlib.suppress(OSError):
            conn.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def cut_all(self):
        for conn in list(self.connections):
            self.reset(conn)
            with contextlib.suppress(OSError):
                socket.socket.shutdown(conn, socket.SHUT_RDWR)

    def close(self):
        if self.over.is_set():
            return
        self.over.set()
        self.socket.shutdown(socket.SHUT_RDWR)  # also where a thread waits for the next one
        self.socket.close()
        with self.lock:
            self.lock.notify_all()
        self.cut_all()

    def serve(self, raw):
        try:
            raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            conn = self.context.wrap_socket(raw, server_side=True)
        except (OSError, ssl.SSLError):
            raw.close()
            return
        self.connections.add(conn)
        try:
            data = b""
            while not self.over.is_set():
                while b"\r\n\r\n" not in data:
                    more = conn.recv(65536)
                    if not more:
                        raise Cut
                    data += more
                head, data = data.split(b"\r\n\r\n", 1)
                lines = head.decode().split("\r\n")
                headers = {k.lower(): v for k, v in (line.split(": ", 1) for line in lines[1:])}
                while len(data) < int(headers.get("content-length", 0)):
                    data += conn.recv(65536)
                length = int(headers.get("content-length", 0))
                sent, data = data[:length], data[length:]
                method, path, _ = lines[0].split(" ")
                self.answer(conn, method, path, headers, sent)
        except (OSError, ssl.SSLError, Cut, ValueError):
            pass
        finally:
            self.connections.discard(conn)
            conn.close()

    # --- reviews: whose a token is, and what its holder may do ---

    def review(self, conn, path, body):
        kind, spec = path.partition("?")[0].rsplit("/", 1)[1], body["spec"]
        with self.lock:
            self.reviews.append((kind, spec))
        if self.silent:
            self.over.wait(3600)
        if kind == "tokenreviews":
            user = self.people.get(spec["token"])
            status = {"authenticated": True, "user": user} if user else {"authenticated": False, "error": "no"}
        else:
            a = spec["resourceAttributes"]
            status = {"allowed": self.may(spec["user"], a["verb"], a["resource"], a.get("namespace", ""), a.get("name", ""))}
        data = json.dumps({**body, "status": status}).encode()
        conn.sendall(f"HTTP/1.1 201 Created\r\n{self.date()}Content-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n".encode()
                     + data)

    # --- answers ---

    def date(self):
        return "" if self.ahead is None else f"Date: {email.utils.formatdate(time.time() + self.ahead, usegmt=True)}\r\n"

    def status(self, conn, code, reason="", message="", retry_after=None):
        body = json.dumps({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
                           "message": message, "reason": reason, "code": code}).encode()
        later = f"Retry-After: {retry_after}\r\n" if retry_after is not None else ""
        conn.sendall(f"HTTP/1.1 {code} No\r\n{self.date()}Content-Type: application/json\r\n{later}"
                     f"Content-Length: {len(body)}\r\n\r\n".encode() + body)

    def parse(self, path):
        """(verb, group, version, plural, namespace, query); of one object `query` has the name."""
        path, _, query = path.partition("?")
        query = {k: v[0] for k, v in urllib.parse.parse_qs(query, keep_blank_values=True).items()}
        words = [urllib.parse.unquote(w) for w in path.strip("/").split("/")]
        group, version, rest = ("", words[1], words[2:]) if words[0] == "api" else (words[1], words[2], words[3:])
        if not rest:
            return "get", group, version, "", None, query
        namespace = None
        if rest[0] == "namespaces" and len(rest) > 2:
            namespace, rest = rest[1], rest[2:]
        if len(rest) > 1:
            return "one", group, version, rest[0], namespace, {**query, "name": rest[1]}
        return "watch" if "watch" in query else "list", group, version, rest[0], namespace, query

    def fault_for(self, verb, plural):
        with self.lock:
            for k, (v, p, fault) in enumerate(self.faults):
                if v == verb and p == plural:
                    del self.faults[k]
                    return fault
            if (verb, plural) in self.always:
                return self.always[verb, plural]
            r = self.random
            if self.plain:
                return Fault()
            if r.random() >= self.chance:
                return Fault(size=r.choice([None, 1, 7, 100, 5000]))
            return r.choice([
                lambda: Fault(status=r.choice([500, 503, 504, 429]), retry_after=r.choice([None, 0, 1])),
                lambda: Fault(at=r.choice([0, 1, 100, 5000]) + r.randrange(3000), how=r.choice(["reset", "close"]), size=r.choice([None, 100])),
                lambda: Fault(odd=r.randrange(6000), size=r.choice([None, 100])),
                lambda: Fault(error=r.choice([410, 500, 504]), size=100),
                lambda: Fault(at=r.randrange(4000), how="silence"),
                lambda: Fault(status=410),
            ])()

    def answer(self, conn, method, path, headers, sent):
        verb, group, version, plural, namespace, query = self.parse(path)
        verb = {"POST": "create", "PATCH": "patch"}.get(method, verb)
        with self.lock:
            self.requests.append((verb, plural, path))
            allowed = headers.get("authorization") in {f"Bearer {t}" for t in self.tokens}
            forbidden = (verb, plural) in self.forbidden
            known = version in self.kinds.get(group, {}) and (verb == "get" or plural in self.kinds[group][version])
        fault = self.fault_for(verb, plural)
        if "metadata.name=" in query.get("fieldSelector", ""):
            self.before_named(plural)
        if not allowed:
            self.status(conn, 401, "Unauthorized", "Unauthorized")
        elif fault.status:
            self.status(conn, fault.status, "No", "a \"fault\" \u00e4\u4e16", fault.retry_after)
        elif verb == "create" and plural == "admissionchecks" and not forbidden:
            self.make(conn, plural, json.loads(sent))
        elif verb == "create" and plural != "admissionchecks":
            assert headers["content-type"] == "application/json"
            self.review(conn, path, json.loads(sent))
        elif not known:
            self.status(conn, 404, "NotFound", "the server could not find the requested resource")
        elif forbidden:
            self.status(conn, 403, "Forbidden", f'{plural} is forbidden: User "x" cannot {verb} resource "{plural}"')
        elif verb == "patch":
            assert headers["content-type"] == "application/merge-patch+json"
            self.patch(conn, f"{group}/{version}", plural, namespace, query["name"], json.loads(sent))
        elif verb == "one":
            with self.lock:
                one = copy.deepcopy(self.objects.get(plural, {}).get((namespace, query["name"])))
            self.object(conn, f"{group}/{version}", plural, query["name"], one)
        else:
            {"get": self.kinds_of, "list": self.page, "watch": self.watch}[verb](
                conn, fault, group, version, plural, namespace, query)

    def object(self, conn, api, plural, name, one):
        if one is None:
            self.status(conn, 404, "NotFound", f'{plural} "{name}" not found')
            return
        data = json.dumps({"apiVersion": api, "kind": plural, **one}).encode()
        conn.sendall(f"HTTP/1.1 200 OK\r\n{self.date()}Content-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n".encode()
                     + data)

    def make(self, conn, plural, body):
        """One that is in no namespace."""
        name = body["metadata"]["name"]
        with self.lock:
            there = (None, name) in self.objects.get(plural, {})
            if not there:
                self.put(plural, None, name, spec=body["spec"])
        if there:
            self.status(conn, 409, "AlreadyExists", "it is there")
        else:
            self.object(conn, body["apiVersion"], plural, name, body)

    def patch(self, conn, api, plural, namespace, name, change):
        """A merge patch; a resourceVersion in it has to be the newest, and metadata.generation counts changes of the spec."""
        self.before_patch(plural, name)
        with self.lock:
            old = self.objects.get(plural, {}).get((namespace, name))
            new = merged(old, change) if old else None
            late = old and new["metadata"]["resourceVersion"] != old["metadata"]["resourceVersion"]
            if old and not late:
                new["metadata"]["generation"] = old["metadata"].get("generation", 1) + (new.get("spec") != old.get("spec"))
                new["metadata"].pop("resourceVersion")
                self.put(plural, namespace, name, **new)
                new = copy.deepcopy(self.objects[plural][namespace, name])
        if late:
            self.status(conn, 409, "Conflict", "the object has been modified")
            return
        self.object(conn, api, plural, name, new)
        if new:
            self.after_patch(plural, name)

    def begin(self, conn, fault):
        conn.sendall(f"HTTP/1.1 200 OK\r\n{self.date()}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n".encode())
        return Body(self, conn, fault)

    def kinds_of(self, conn, fault, group, version, plural, namespace, query):
        body = self.begin(conn, fault)
        names = [n for p in self.kinds[group][version] for n in (p, p + "/status")]
        body.send(json.dumps({"kind": "APIResourceList", "groupVersion": f"{group}/{version}",
                              "resources": [{"name": n, "namespaced": True, "verbs": ["list"]} for n in names]}))
        body.end()

    def page(self, conn, fault, group, version, plural, namespace, query):
        limit = int(query.get("limit", 0)) or 1 << 60
        with self.lock:
            if "continue" in query:
                token = json.loads(base64.b64decode(query["continue"]))
                at, start = token["rv"], token["start"]
            else:
                at, start = self.version, 0
                self.lists[at, plural] = [o for (n, _), o in sorted(self.objects.get(plural, {}).items())
                                          if namespace in (None, n) and is_selected(o, query)]
            items = self.lists.get((at, plural))
        if items is None:
            self.status(conn, 410, "Expired", "The provided continue parameter is too old")
            return
        more = len(items) > start + limit
        token = base64.b64encode(json.dumps({"rv": at, "start": start + limit}).encode()).decode() if more else ""
        meta = {"resourceVersion": str(at)}
        if more:
            meta.update({"continue": token, "remainingItemCount": len(items) - start - limit})
        body = self.begin(conn, fault)
        body.send(f'{{"kind":"List","apiVersion":"{group}/{version}","metadata":{json.dumps(meta)},"items":[')
        if fault.endless:
            for k in range(1 << 60):
                body.send(("," if k else "") + json.dumps({"metadata": {"name": f"n{k}", "resourceVersion": "1"}}))
        text = self.rendered.get((plural, start, limit)) or ",".join(map(json.dumps, items[start:start + limit]))
        body.send(text)
        body.send("]}\n")
        body.end()

    def watch(self, conn, fault, group, version, plural, namespace, query):
        initial = query.get("sendInitialEvents") == "true"
        at = int(query.get("resourceVersion") or 0)
        seconds = int(query["timeoutSeconds"])
        assert 300 <= seconds <= 600
        end = time.monotonic() + (self.most_seconds or seconds)
        if initial and not self.initial:
            self.status(conn, 422, "Invalid", "sendInitialEvents is forbidden for watch")
            return
        if not initial and at < self.oldest:
            self.status(conn, 410, "Expired", "too old resource version")
            return
        body = self.begin(conn, fault)

        def event(kind, o):
            body.send(json.dumps({"type": kind, "object": o}) + "\n")

        def mark(version, **notes):
            event("BOOKMARK", {"kind": plural, "metadata": {"resourceVersion": str(version), "creationTimestamp": None, **notes}})

        if initial:
            with self.lock:
                at, items = self.version, [o for (n, _), o in self.objects.get(plural, {}).items()
                                            if namespace in (None, n) and is_selected(o, query)]
            for one in items:
                event("ADDED", one)
            mark(at, annotations={"k8s.io/initial-events-end": "true"})
        if fault.error:
            event("ERROR", {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": "no",
                            "reason": "Expired" if fault.error == 410 else "Timeout", "code": fault.error})
            body.end()
            return
        next_mark = time.monotonic() + self.bookmarks
        while not self.over.is_set():  # once at least, so that a mark that is due is sent
            with self.lock:
                new = [(v, t, o) for v, p, t, o in self.log if v > at and p == plural
                       and namespace in (None, o["metadata"].get("namespace", ""))]
                gone = at < self.oldest
                known = plural in self.kinds.get(group, {}).get(version, [])
                latest = self.version
                if not new and not gone and known:
                    self.lock.wait(max(0, min(0.1, self.bookmarks, end - time.monotonic())))
            if gone:
                event("ERROR", {"kind": "Status", "metadata": {}, "status": "Failure", "message": "too old resource version",
                                "reason": "Expired", "code": 410})
                break
            for v, t, o in new:
                event(t if is_selected(o, query) else "DELETED", o)
                at = v
            if not known:
                break
            if time.monotonic() > next_mark:
                at = max(at, latest) if not new else at
                mark(at)
                next_mark = time.monotonic() + self.bookmarks
            if time.monotonic() >= end:
                break
        body.end()
