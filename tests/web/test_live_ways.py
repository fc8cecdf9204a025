# SPDX-License-Identifier: Apache-2.0
"""The way to the page: the address that `fairlead page` prints, in the browser; and a queue with a history."""
import importlib.util
import os
import signal
import sys

import pytest

from live import SOURCE, Live, daemons, start

pytestmark = pytest.mark.skipif("FAIRLEADD" not in os.environ, reason="needs the daemon")


def of_daemons(name):
    """A module of the daemon's tests, which import their own conftest by that name."""
    before, sys.modules["conftest"] = sys.modules.get("conftest"), daemons
    sys.path.append(str(SOURCE / "tests" / "daemon"))
    try:
        spec = importlib.util.spec_from_file_location(f"daemon_{name}", SOURCE / "tests" / "daemon" / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
    finally:
        sys.path.pop()
        if before is not None:
            sys.modules["conftest"] = before


@pytest.fixture(scope="module")
def lab(pages, tmp_path_factory):
    folder = tmp_path_factory.mktemp("ways")
    if os.geteuid() == 0:
        daemons.let_pass(folder)
    daemon = start(folder)
    yield Live(pages, daemon)
    pages.driver.get("about:blank")
    assert daemons.end(daemon) == 0, daemon.said()


@pytest.fixture
def command(lab):
    """`fairlead page` on the machine of the daemon; what the tab had before is forgotten."""
    with of_daemons("test_page").page_of(lab.daemon, "--no-open") as page:
        lab.driver.get("about:blank")
        lab.driver.get(page.line.partition("#")[0])
        lab.run("sessionStorage.clear()")
        lab.driver.get("about:blank")
        lab.pages.size(1200)
        yield page


def test_the_printed_address_opens_the_page(lab, command):
    lab.driver.get(command.line)
    lab.live()
    assert lab.run("return location.href") == command.line.partition("#")[0], "the code is in no address any more"
    token = lab.run("return sessionStorage.getItem('fairlead.token')")
    assert token.startswith("fl_") and token != command.code
    assert lab.run("return localStorage.length + document.cookie.length") == 0
    # The tab has it: it is read anew, and goes elsewhere and back.
    lab.driver.refresh()
    lab.live().says("Queues", "h1")
    lab.driver.get("about:blank")
    lab.driver.back()
    lab.live()
    # Another tab has it not.
    lab.driver.switch_to.new_window("tab")
    try:
        lab.driver.get(command.line.partition("#")[0])
        lab.says("This page needs a code")
    finally:
        lab.driver.close()
        lab.driver.switch_to.window(lab.driver.window_handles[0])


def test_a_view_in_the_address_is_kept(lab, command):
    """A link with a view, and a code before it."""
    lab.driver.get(command.line + "&view=jobs")
    lab.live().says("Jobs", "h1")
    assert lab.run("return location.hash") == "#view=jobs"


def test_a_code_that_was_used(lab, command):
    lab.driver.get(command.line)
    lab.live()
    lab.run("sessionStorage.clear()")
    lab.driver.get("about:blank")
    lab.driver.get(command.line)
    lab.says("The address does not open the page")
    lab.says("this address was used already, or is older than a minute: open the page anew: fairlead page", "main")
    assert "code" not in lab.run("return location.href")


def test_the_page_says_when_the_command_has_ended(lab, command):
    lab.driver.get(command.line)
    lab.live()
    command.end(signal.SIGINT)
    # Behind a port of the command there is nothing any more, so nobody says why.
    lab.says("stale since", ".state")
    lab.says("If the command fairlead page has ended, run it again", ".notice")


def test_the_page_says_when_its_token_has_ended(lab):
    """Over the network the daemon is still there, and says so."""
    token = lab.daemon.folder / "token"
    token.write_text(lab.token("laptop"))
    token.chmod(0o600)
    with of_daemons("test_page").page_of(lab.daemon, "--no-open", "--server", lab.url, "--token-file", str(token)) as command:
        lab.driver.get("about:blank")
        lab.driver.get(command.line)
        lab.live()
        command.end()
        lab.says("This page has no access any more")
        lab.says("fairlead page", "main")
        # It does not ask again and again with what has ended.
        lab.driver.refresh()
        lab.says("no access", ".state")
    assert lab.run("return sessionStorage.getItem('fairlead.token')") is None
