# SPDX-License-Identifier: Apache-2.0
"""Objects that change while something else is done: made, changed and deleted at random, by a seed."""
import contextlib
import http.client
import random
import threading
import time

from client import ApiError

# What the API allows in names, labels and annotations, and what is read badly if anything is.
NAMES = ("a", "a.b-c", "0", "x" * 253, "1.2.3")
TEXTS = ("", "plain", "\u4e16\u754c \U0001f600", "quote \" backslash \\ slash / \b\f\n\r\t", "\u2028\u2029", "null",
         "{\"object\":{\"kind\":\"Status\"}}", "y" * 100_000)


class Churn:
    """`with Churn(...) as churn:` in a thread until the block ends; the server may be away in between.

    @make(name): an object of @plural; what changes is a label and an annotation.
    """

    def __init__(self, client, api, plural, make, namespace="default", names=20, seed=1, pause=0.01):
        self.client, self.api, self.plural, self.make, self.namespace = client, api, plural, make, namespace
        self.names = [*NAMES, *(f"churn-{i}" for i in range(names))]
        self.random, self.pause = random.Random(seed), pause
        self.done = {"made": 0, "changed": 0, "deleted": 0, "refused": 0}
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join(120)
        assert not self.thread.is_alive()

    def changes(self):
        return self.done["made"] + self.done["changed"] + self.done["deleted"]

    def run(self):
        while not self.over.is_set():
            with contextlib.suppress(OSError, http.client.HTTPException):
                try:
                    self.step()
                except ApiError as e:
                    # Not there, there already, away, not yet back.
                    if e.status not in (403, 404, 409) and e.status < 500 and e.status != 429:
                        raise
                    self.done["refused"] += 1
            time.sleep(self.pause)

    def step(self):
        name, what = self.random.choice(self.names), self.random.random()
        if what < 0.4:
            self.client.create(self.api, self.plural, self.make(name), self.namespace)
            self.done["made"] += 1
        elif what < 0.8:
            change = {"metadata": {"annotations": {"example.org/text": self.random.choice(TEXTS)},
                                   "labels": {"example.org/n": str(self.random.randrange(1000))}}}
            self.client.patch(self.api, self.plural, name, change, self.namespace)
            self.done["changed"] += 1
        else:
            self.client.delete(self.api, self.plural, name, self.namespace)
            self.done["deleted"] += 1
