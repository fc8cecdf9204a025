# SPDX-License-Identifier: Apache-2.0
"""A daemon that is none: it answers on a Unix socket, or over the network, what a test tells it to, and
keeps what it was asked."""
import http.server
import json
import os
import socketserver
import ssl
import threading

NOW = "2026-01-02T12:00:00Z"


class Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    request_queue_size = 32

    def handle_error(self, request, client_address):
        pass  # a client that went away


class RemoteServer(socketserver.ThreadingMixIn, socketserver.TCPServer):
    daemon_threads = True
    request_queue_size = 32
    allow_reuse_address = True

    def handle_error(self, request, client_address):
        pass  # a client that does not trust it


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def address_string(self):
        return "socket"

    def log_message(self, *args):
        pass

    def serve(self):
        size = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(size)
        self.server.fake.asked.append((self.command, self.path, body.decode()))
        self.server.fake.tokens.append(self.headers.get("Authorization"))
        answer = self.server.fake.answer(self.command, self.path, body)
        if answer is None:  # the daemon dies
            self.close_connection = True
            return
        status, content = answer
        if isinstance(content, dict):
            content = json.dumps(content)
        if isinstance(content, str):
            content = content.encode()
        if isinstance(content, bytes):
            self.send_response(status)
            if status in (301, 302, 307, 308):
                self.send_header("Location", self.server.fake.location)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)
            return
        self.send_response(status)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for piece in content:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            self.wfile.flush()
        self.wfile.write(b"0\r\n\r\n")

    do_GET = do_POST = do_DELETE = serve


class Fake:
    """answers: from "METHOD /path" (without query) to (status, content), a list of them, the last
    for good, or a function of the path and body.  Content: JSON, text, bytes, or pieces of bytes."""

    location = ""

    def __init__(self, path):
        self.path = path
        self.begin(Server(path, Handler))

    def begin(self, server):
        self.answers = {}
        self.asked, self.tokens = [], []  # the same length
        self.server = server
        self.server.fake = self
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01})
        self.thread.start()

    def answer(self, method, path, body):
        found = self.answers.get(f"{method} {path.split('?')[0]}")
        if found is None:
            return 404, error(404, "there is no such thing here")
        if callable(found):
            return found(path, body)
        if isinstance(found, list):
            return found.pop(0) if len(found) > 1 else found[0]
        return found

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()
        if os.path.exists(self.path):
            os.unlink(self.path)


class Remote(Fake):
    """The same on a port of 127.0.0.1; @certificate: of TLS."""

    def __init__(self, certificate=None):
        server = RemoteServer(("127.0.0.1", 0), Handler, bind_and_activate=True)
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate.file, certificate.key)
            server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        self.path = ""
        self.url = f"http{'s' if certificate else ''}://127.0.0.1:{server.server_address[1]}"
        self.begin(server)


def error(code, text, hint=""):
    return {"status": code, "text": text, "hint": hint}


def job(number, state="waits", **more):
    return {"id": number, "name": "train", "queue": "team-a", "user": "alice", "state": state, "reason": "", "why": None,
            "priority": 0, "tasks": 1, "requests": {"cpu": "2", "nvidia.com/gpu": "1"},
            "submittedAt": "2026-01-02T11:30:00Z", "startedAt": None, "endedAt": None, "attempt": 0,
            "evictions": 0, "losses": 0, "ranSeconds": 0, "exit": None, "placement": [], "devices": [],
            "array": None, "arrayIndex": 0, **more}


def event(seq, kind, job=17, **more):
    return {"id": f"{seq}.0", "at": "2026-01-02T11:30:%02dZ" % (seq % 60), "kind": kind, "job": job,
            "attempt": None, "queue": "team-a", "reason": "", "by": None, "text": "", **more}


def lines(*events):
    return "".join(json.dumps(e) + "\n" for e in events)
