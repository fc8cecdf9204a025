# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest (-p counts): how many tests passed, for the line that tests/e2e/run prints last."""
import json
import os
import pathlib
import signal

# What a shell runs beside other things ignores SIGINT, and so would all that the tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_terminal_summary(terminalreporter):
    count = {kind: len(rows) for kind, rows in terminalreporter.stats.items()}
    pathlib.Path(os.environ["FAIRLEAD_E2E_COUNTS"]).write_text(json.dumps({
        "passed": count.get("passed", 0), "skipped": count.get("skipped", 0),
        "failed": count.get("failed", 0) + count.get("error", 0)}))
