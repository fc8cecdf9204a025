# SPDX-License-Identifier: Apache-2.0
"""The unit of deploy/, under a real systemd in namespaces of its own."""
import os
import pathlib
import subprocess

import pytest

HERE = pathlib.Path(__file__).parent
SOURCE = pathlib.Path(os.environ["FAIRLEAD_SOURCE"])
UNSHARE = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--cgroup", "--uts", "--ipc"]


@pytest.fixture
def group():
    """A control group to start in, which is the root of those that systemd sees."""
    for root in "/sys/fs/cgroup", "/sys/fs/cgroup/unified":
        folder = pathlib.Path(root, f"fairlead-test-{os.getpid()}")
        if pathlib.Path(root, "cgroup.procs").exists() and os.access(root, os.W_OK):
            try:
                folder.mkdir()
            except OSError:
                continue
            yield folder
            for left in sorted(folder.glob("**/"), reverse=True):
                left.rmdir()
            return
    pytest.skip("no control groups of version 2 here")


def test_service(tmp_path, group):
    if not os.access("/lib/systemd/systemd", os.X_OK):
        pytest.skip("no systemd here")
    if os.geteuid() != 0 or subprocess.run([*UNSHARE, "mount", "--make-rprivate", "/"],
                                           capture_output=True).returncode != 0:
        pytest.skip("no namespaces may be made here")
    build = pathlib.Path(os.environ["FAIRLEADD"]).parent
    done = subprocess.run(
        ["sh", "-c", 'echo $$ >"$0"/cgroup.procs && exec "$@"', str(group), *UNSHARE,
         str(HERE / "systemd_boot"), str(build), str(SOURCE / "deploy/fairleadd.service"),
         "systemd_inside.py", str(tmp_path)],
        capture_output=True, text=True, timeout=240)
    log = tmp_path / "log"
    assert log.exists(), done
    assert log.read_text().splitlines()[-1:] == ["well"], log.read_text()
