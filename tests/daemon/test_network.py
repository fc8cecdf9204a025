# SPDX-License-Identifier: Apache-2.0
"""Every line with `$` of doc/guide/network.md is run, in order, and prints what stands below it; the
daemon listens as its document says, on a free port of this machine.

    test_network.py --write     puts what it prints there
"""
import getpass
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import conftest
from conftest import Daemon
from ports import free_port

PAGE = conftest.SOURCE / "doc/guide/network.md"
HERE = ("On the machine", "When a token is lost")  # what is typed there; the rest is typed elsewhere
JOURNAL = "#!/bin/sh\ncat {log}\n"


class Place(Daemon):
    """The machine, and a home on another one, which has nothing but what the page puts there."""

    def __init__(self, folder):
        super().__init__(folder, conftest.write_config(folder))
        self.port, self.at = None, free_port()
        self.start()
        bin_folder = folder / "bin"
        bin_folder.mkdir()
        (bin_folder / "journalctl").write_text(JOURNAL.format(log=folder / "log"))
        (bin_folder / "journalctl").chmod(0o755)
        path = f"{bin_folder}:{os.path.dirname(os.environ['FAIRLEAD'])}:{os.environ['PATH']}"
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("FAIRLEAD_", "XDG_"))}
        self.here = {**clean, "PATH": path, "FAIRLEAD_SOCKET": str(self.socket)}
        self.elsewhere = {**clean, "PATH": path, "HOME": str(folder / "home"), "COLUMNS": "120"}

    def listen_as(self, document):
        """The page's document is a part of the configuration from the next start on."""
        listen = document[document.index("  listen:"):].replace("0.0.0.0:8450", f"127.0.0.1:{self.at}")
        text = self.config.read_text()
        assert text.count("spec:\n  machine:") == 1
        self.config.write_text(text.replace("spec:\n  machine:", f"spec:\n{listen}  machine:"))
        assert self.stop() == 0
        self.start()

    def run(self, line, here):
        done = subprocess.run(["sh", "-c", line.replace("lab.example:8450", f"127.0.0.1:{self.at}")], capture_output=True,
                              text=True, timeout=60, cwd=self.folder, env=self.here if here else self.elsewhere,
                              stdin=subprocess.DEVNULL, start_new_session=True)
        assert done.returncode == 0, (line, done.stdout, done.stderr)
        said = re.sub(r"\b" + re.escape(getpass.getuser()) + r"\b *", lambda m: "alice".ljust(len(m.group())), done.stdout)
        return said.replace(f"127.0.0.1:{self.at}", "lab.example:8450")


def run(page, place):
    out, block, document, section = [], "", [], ""
    for line in page.splitlines():
        section = line[3:] if line.startswith("## ") else section
        if line.startswith("```"):
            if block == "```yaml":
                place.listen_as("\n".join(document) + "\n")
            block = "" if block else line
        elif block == "```yaml":
            document.append(line)
        elif block == "```console" and not line.startswith("$ "):
            continue
        out.append(line)
        if block == "```console" and line.startswith("$ "):
            out += [text.rstrip() for text in place.run(line[2:], section in HERE).splitlines()]
    return "\n".join(out) + "\n"


def on_a_machine(folder):
    place = Place(folder)
    try:
        said = run(PAGE.read_text(), place)
        # What was revoked at the end is refused, and the login says how to go on.
        done = subprocess.run([os.environ["FAIRLEAD"], "jobs"], capture_output=True, text=True, timeout=60, check=False,
                              env=place.elsewhere)
        assert done.returncode == 1 and "'fairlead login https://127.0.0.1:" in done.stderr, done
        return said
    finally:
        conftest.end(place)


def test_page(tmp_path):
    assert on_a_machine(tmp_path) == PAGE.read_text()


if __name__ == "__main__":
    assert sys.argv[1:] == ["--write"], __doc__
    with tempfile.TemporaryDirectory(prefix="fairlead-") as made:
        os.chmod(made, 0o755)
        PAGE.write_text(on_a_machine(pathlib.Path(made)))
