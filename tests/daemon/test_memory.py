# SPDX-License-Identifier: Apache-2.0
"""A daemon that has more than half of the machine's memory makes no copy of itself."""
import os

import pytest

from conftest import Daemon, end, write_config

pytestmark = pytest.mark.skipif("FAIRLEAD_MEMORY" not in os.environ, reason="it is run by its own test, with a library")


@pytest.mark.parametrize("pages, status", [(64, 503), (1 << 30, 200)])
def test_questions(tmp_path, pages, status):
    daemon = Daemon(tmp_path, write_config(tmp_path)).start(
        environment={"LD_PRELOAD": os.environ["FAIRLEAD_MEMORY"], "MEMORY_PAGES": str(pages)})
    try:
        number = daemon.submit("true", requests={"cpu": "9"})
        for method, path in [("GET", "/v1/plan"), ("POST", "/v1/what-if?set=ClusterQueue/other:%20spec.fairSharing.weight=2"),
                             ("GET", f"/v1/jobs/{number}/explain?eta=1"), ("GET", "/v1/snapshot"),
                             ("POST", "/v1/simulations")]:
            answer = daemon.ask(method, path)
            wanted = 202 if status == 200 and path == "/v1/simulations" else status
            assert answer.status == wanted, (path, answer.text[:500])
            assert status == 200 or "more than half of the machine's memory" in answer.error
        assert daemon.get("/v1/jobs").status == 200, "what takes no copy is answered"
        assert daemon.get(f"/v1/jobs/{number}/explain").status == 200
    finally:
        end(daemon)
