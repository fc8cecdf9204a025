# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the tests against a real control plane; tests/e2e/run says where everything is.

A bed is up in some 5 seconds, so each file of tests has one and its tests share it; a test that
wants the cluster to itself makes a namespace, or a `Bed` of its own.
"""
import os
import pathlib
import subprocess
import sys

import pytest

SOURCE = pathlib.Path(os.environ.get("FAIRLEAD_SOURCE", pathlib.Path(__file__).parents[2]))
sys.path[:0] = [str(SOURCE / "tests" / "e2e"), str(SOURCE / "tests" / "lib")]
from bed import Bed  # noqa: E402
from kubelet import Kubelet  # noqa: E402
from manager import Manager  # noqa: E402


@pytest.fixture(scope="session")
def programs():
    """The folder of the bed's programs; found, or built once."""
    known = os.environ.get("FAIRLEAD_E2E_PROGRAMS")
    return pathlib.Path(known or subprocess.run([SOURCE / "tests" / "e2e" / "programs"], check=True, text=True,
                                                stdout=subprocess.PIPE).stdout.strip())


@pytest.fixture(scope="module")
def bed(programs):
    """etcd and an API server that knows its own kinds only.

    At its end no request of our programs, in whatever test, has changed what the server keeps, but for those that a
    test says with `may_write`, a pattern of rows of `writes`.
    """
    with Bed(programs, keep=bool(os.environ.get("FAIRLEAD_E2E_KEEP"))) as up:
        yield up
        assert [w for w in up.writes(agent="fairlead") if not (up.may_write and up.may_write.match(w))] == []


@pytest.fixture(scope="module")
def kueue(bed):
    """The bed with Kueue's definitions and its scheduler, which decides."""
    bed.define_kueue()
    bed.start_kueue()
    return bed


@pytest.fixture(scope="module")
def manager(bed):
    """The bed with Kueue's whole manager, the controllers of Jobs, and a stand-in for a node."""
    if os.getuid():
        pytest.skip("only root can enter another root folder")
    bed.start_controllers()
    with Kubelet(bed.client(agent="kubelet")):
        yield Manager(bed)
