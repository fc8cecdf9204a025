# SPDX-License-Identifier: Apache-2.0
"""The way to the page: the address that `fairlead page` prints, in the browser; and a queue with a history."""
import importlib.util
import os
import signal
import sys

import pytest

from live import COHORT, QUEUE, SOURCE, WIDTHS, Live, daemons, lab_in, start

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
    with lab_in(pages, tmp_path_factory.mktemp("ways")) as live:
        yield live


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


@pytest.mark.e2e
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


@pytest.mark.e2e
def test_the_page_says_when_the_command_has_ended(lab, command):
    lab.driver.get(command.line)
    lab.live()
    command.end(signal.SIGINT)
    # Behind a port of the command there is nothing any more, so nobody says why.
    lab.says("stale since", ".state")
    lab.says("If the command fairlead page has ended, run it again", ".notice")


@pytest.mark.e2e
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


@pytest.fixture(scope="module")
def old(pages, tmp_path_factory):
    """A daemon of which three hours were summed up, in a second; genome holds what it has, and a job of it waits."""
    folder = tmp_path_factory.mktemp("old")
    if os.geteuid() == 0:
        daemons.let_pass(folder)
    daemon = start(folder, kind=of_daemons("test_tiers").Traveller)
    daemon.queue = "genome"
    for _ in range(8):
        daemon.wait(daemon.submit("sleep", "86400", queue="genome", name="runs", requests={"cpu": "1"}), "runs")
    daemon.submit("sleep", "86400", queue="genome", name="waits", requests={"cpu": "1"})
    daemon.sum_up(3)
    yield Live(pages, daemon)
    pages.driver.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": ""})
    pages.driver.get("about:blank")
    assert daemons.end(daemon) == 0, daemon.said()


@pytest.mark.e2e
@pytest.mark.skipif("FAIRLEAD_CLOCK" not in os.environ, reason="needs the library that sets clocks")
def test_the_history_of_a_queue(old):
    rows = old.daemon.rows()
    assert len(rows) >= 3 and rows[-1]["resources"]["cpu"]["held"] == pytest.approx(8)
    old.driver.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": "Asia/Kolkata"})
    old.open("#view=queue&queue=genome", old.token("history"))
    old.live().says("On average it held", ".queue-grid .says")
    old.until("return document.querySelector('.plot.time svg, .plot.time canvas') !== null")
    old.run("document.querySelector('details.data').open = true")
    cells = old.until("""const rows = [...document.querySelectorAll("details.data tbody tr")];
                         return rows.length && rows.map((row) => [...row.children].map((cell) => cell.textContent));""")
    hours = {row["from"][:13] for row in rows}
    assert len(cells) == len(hours), (cells, rows)
    assert any("8\u00a0cpu" in cell or cell == "8" for cell in cells[-1]), cells
    # The reader's zone: half an hour beside full hours of UTC.
    moment = old.run("return document.querySelector('details.data tbody tr td, details.data tbody tr th').textContent")
    assert ":30" in moment, moment
    old.looks_well("queue-history", 1400)
    # Of a cohort the store has no series.
    old.open("#view=queue&queue=biology&kind=Cohort", old.token("history-2"))
    old.live().says("Below it")
    assert old.run("return document.querySelector('[aria-labelledby=along-title]')") is None


@pytest.mark.e2e
@pytest.mark.skipif("FAIRLEAD_CLOCK" not in os.environ, reason="needs the library that sets clocks")
def test_times_are_in_the_zone_of_the_reader(old):
    """How long ago, by the clock of the daemon, which is hours ahead of that of the browser; and on hover when."""
    old.driver.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": "Asia/Kolkata"})
    old.open("#view=jobs", old.token("zone"))
    old.live().until("return document.querySelectorAll('.virtual-body time').length === 9")
    shown, title, at = old.run("const t = document.querySelector('.virtual-body time'); return [t.textContent, t.title, t.dateTime]")
    assert shown == "3\u00a0h ago", (shown, title)
    assert title.endswith("GMT+5:30"), title
    assert title == old.run("""return new Intl.DateTimeFormat("en", { year: "numeric", month: "short", day: "numeric", hour: "2-digit",
        minute: "2-digit", second: "2-digit", hour12: false, timeZone: "Asia/Kolkata", timeZoneName: "short" }).format(Date.parse(arguments[0]))""", at)


LONG = "q" * 100 + "." + "q" * 152
LONG_COHORT = "-".join(["cohort"] * 36)  # of words, and as long as a name may be


@pytest.fixture(scope="module")
def long_names(pages, tmp_path_factory):
    """Names of 251 and 253 bytes, the most that a queue or cohort can have; what else attacks is no name of them."""
    def fill(daemon):
        number = daemon.submit("sleep", "600", queue=LONG, name="n" * 63, requests={"cpu": "9"})
        daemon.wait(number, "waits")
        return number

    also = COHORT.format(name=LONG_COHORT) + QUEUE.format(name=LONG, parent=LONG_COHORT, cpu=1, weight=1)
    with lab_in(pages, tmp_path_factory.mktemp("long"), fill, also=also) as live:
        yield live


@pytest.mark.e2e
@pytest.mark.parametrize("width", WIDTHS)
def test_long_names_are_whole_somewhere(long_names, width):
    for view, hash_, seen in (("tree", "#view=tree", ".virtual-body > .row"), ("queue", f"#view=queue&queue={LONG}", ".waiting-list li"),
                              ("cohort", f"#view=queue&queue={LONG_COHORT}&kind=Cohort", ".below-list li"), ("jobs", "#view=jobs", ".virtual-body > .row"),
                              ("job", f"#view=job&job={long_names.jobs}", ".inequality")):
        long_names.open(hash_, long_names.admin, width, 1000)
        long_names.live().until("return document.querySelector(arguments[0]) !== null", seen)
        long_names.looks_well(f"long-{view}", width)
