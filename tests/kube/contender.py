# SPDX-License-Identifier: Apache-2.0
"""The program `lease`, which would lead, and what it says."""
import itertools
import json
import os
import signal
import subprocess
import threading
import time

PROGRAM = os.path.join(os.environ.get("FAIRLEAD_BUILD", "build"), "tests/kube/lease")
SLOW = 60


def now():
    """ms of the clock that the program tells."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) * 1000


def wait_for(condition, seconds=SLOW):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


class Contender:
    def __init__(self, config, identity, *words):
        self.identity, self.lines, self.changed = identity, [], threading.Condition()
        self.process = subprocess.Popen([PROGRAM, str(config), identity, *words], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, text=True)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            with self.changed:
                self.lines.append(json.loads(line))
                self.changed.notify_all()

    def wait(self, what, count=1, seconds=SLOW):
        """The @count-th line that says @what."""
        def found():
            return next(itertools.islice((one for one in self.lines if one["what"] == what), count - 1, None), None)

        with self.changed:
            assert self.changed.wait_for(found, seconds), (what, self.lines)
            return found()

    def ask(self):
        self.wait("start")
        n = sum(one["what"] == "asked" for one in self.lines)
        self.process.send_signal(signal.SIGUSR1)
        return self.wait("asked", n + 1)

    def end(self, how=signal.SIGTERM):
        self.wait("start")
        self.process.send_signal(how)
        self.process.wait(SLOW)
        self.reader.join(SLOW)
        return self.process.returncode
