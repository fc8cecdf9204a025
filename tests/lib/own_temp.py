# SPDX-License-Identifier: Apache-2.0
"""For conftest.py: a folder of its own for pytest, as the usual one of a user is closed to others whenever any pytest begins."""
import os
import shutil
import tempfile


def pytest_configure(config):
    """Open to a daemon that root has started, which is not root."""
    if config.option.basetemp is None:
        config.own_temp = tempfile.mkdtemp(prefix="fairlead-")
        os.chmod(config.own_temp, 0o755)
        config.option.basetemp = os.path.join(config.own_temp, "t")


def pytest_sessionfinish(session, exitstatus):
    if exitstatus == 0 and hasattr(session.config, "own_temp"):
        shutil.rmtree(session.config.own_temp, ignore_errors=True)
