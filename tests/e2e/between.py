# SPDX-License-Identifier: Apache-2.0
"""Stands between an API server and etcd: holds back what etcd says of one kind, so that the server's cache gets old, or
makes all of it slow."""
import contextlib
import queue
import socket
import threading
import time

CHUNK = 1 << 16


class Between:
    """`with Between(etcd_port, "leases") as b`: an API server that reaches etcd by `b.port`.

    An API server has a connection to etcd for each kind, which is known by the keys that it asks for.
    `delay`: seconds that all takes longer, on the way there and on the way back.
    """

    def __init__(self, etcd_port, plural, delay=0.0):
        self.etcd_port, self.key, self.delay = etcd_port, f"/registry/{plural}/".encode(), delay
        self.flows = threading.Event()
        self.flows.set()
        self.door = socket.create_server(("127.0.0.1", 0))
        self.port = self.door.getsockname()[1]
        self.open = []

    def __enter__(self):
        threading.Thread(target=self.accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.flows.set()
        for one in (self.door, *self.open):
            # A thread that waits for it is woken by this alone.
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    @contextlib.contextmanager
    def held(self):
        """Nothing of the kind arrives in this block; afterwards all does."""
        self.flows.clear()
        try:
            yield
        finally:
            self.flows.set()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                client = self.door.accept()[0]
                server = socket.create_connection(("127.0.0.1", self.etcd_port))
                self.open += (client, server)
                of_kind = threading.Event()
                for words in ((client, server, None, of_kind), (server, client, of_kind, None)):
                    threading.Thread(target=self.pump, args=words, daemon=True).start()

    def pump(self, source, sink, holds, finds):
        """@holds: set when this connection is one of the kind; @finds: to be set then."""
        tail, pieces = b"", queue.SimpleQueue()
        threading.Thread(target=self.deliver, args=(pieces, sink, holds), daemon=True).start()
        with contextlib.suppress(OSError):
            while data := source.recv(CHUNK):
                if finds and not finds.is_set():
                    if self.key in tail + data:
                        finds.set()
                    tail = data[-len(self.key):]
                pieces.put((time.monotonic() + self.delay, data))
        pieces.put((0, b""))
        with contextlib.suppress(OSError):
            source.shutdown(socket.SHUT_RDWR)

    def deliver(self, pieces, sink, holds):
        with contextlib.suppress(OSError):
            while (piece := pieces.get())[1]:
                time.sleep(max(0.0, piece[0] - time.monotonic()))
                if holds and holds.is_set():
                    self.flows.wait()
                sink.sendall(piece[1])
        with contextlib.suppress(OSError):
            sink.shutdown(socket.SHUT_RDWR)
