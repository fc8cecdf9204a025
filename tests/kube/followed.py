# SPDX-License-Identifier: Apache-2.0
"""The program follow, and the mirror that its lines make."""
import json
import os
import signal
import subprocess
import threading
import time

KUBECONFIG = """apiVersion: v1
kind: Config
current-context: fake
clusters:
- name: fake
  cluster: {{server: "https://127.0.0.1:{port}", certificate-authority: {ca}}}
users:
- name: fake
  user: {{tokenFile: {token}}}
contexts:
- name: fake
  context: {{cluster: fake, user: fake}}
"""
WORKLOADS = "kueue.x-k8s.io/v1beta2,v1beta1/workloads"


def kubeconfig(folder, port, ca, token="secret"):
    (folder / "token").write_text(token)
    path = folder / "kubeconfig"
    path.write_text(KUBECONFIG.format(port=port, ca=ca, token=folder / "token"))
    return path


PROGRAM = os.environ.get("FAIRLEAD_FOLLOW") or os.path.join(os.environ.get("FAIRLEAD_BUILD", "build"), "tests/kube/follow")


class Follow:
    def __init__(self, config, *words):
        self.lines, self.mirrors, self.seen, self.trouble, self.listed, self.listing = [], {}, {}, {}, {}, set()
        self.changed = threading.Condition()
        self.process = subprocess.Popen([PROGRAM, str(config), *words], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, text=True)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            try:
                one = json.loads(line)
            except ValueError as error:
                raise ValueError(f"not JSON: {line!r}") from error
            with self.changed:
                self.lines.append(one)
                if "kind" in one:
                    self.take(one["kind"], one)
                self.changed.notify_all()

    def take(self, kind, one):
        mirror = self.mirrors.setdefault(kind, {})
        key = (one.get("namespace"), one.get("name"))
        what = one["what"]
        if what == "begun":
            self.seen[kind] = set()
            self.listing.add(kind)
        elif what in ("seen", "too large"):
            self.seen.setdefault(kind, set()).add(key)
            mirror[key] = one["object"]
        elif what == "ended":
            mirror.pop(key, None)
        elif what == "listed":
            for old in set(mirror) - self.seen[kind]:
                del mirror[old]
            self.listed[kind] = self.listed.get(kind, 0) + 1
            self.listing.discard(kind)
        elif what in ("trouble", "fine"):
            self.trouble[kind] = one if what == "trouble" else None

    def wait(self, condition, seconds=60):
        """Until @condition of this is true, looked at when lines have come."""
        end, seen = time.monotonic() + seconds, None
        while True:
            with self.changed:
                if len(self.lines) == seen:
                    self.changed.wait(0.05)
                seen = len(self.lines)
                done = condition(self)
            if done:
                return
            assert time.monotonic() < end, ("not so in time", self.lines[-5:])
            assert self.process.poll() is None, (self.process.returncode, self.lines[-5:])
            time.sleep(0.02)

    def wait_equal(self, fake, *plurals, seconds=60):
        """Until it has what the server has, and no list is being read."""
        def equal(_):
            return not self.listing & set(plurals) and all(self.mirrors.get(p, {}) == fake.state(p) for p in plurals)

        try:
            self.wait(equal, seconds)
        except AssertionError as error:
            for p in plurals:
                mine, its = self.mirrors.get(p, {}), fake.state(p)
                differ = [k for k in set(mine) | set(its) if mine.get(k) != its.get(k)]
                raise AssertionError(f"{p}: {differ[:5]} differ, of {len(mine)} and {len(its)}") from error

    def count(self, what, kind=None):
        return sum(1 for line in self.lines if line["what"] == what and kind in (None, line.get("kind")))

    def end(self):
        """Its last line."""
        self.wait(lambda f: f.lines)
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(30)
        self.reader.join(30)
        assert code == 0
        return self.lines[-1]
