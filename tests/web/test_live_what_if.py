# SPDX-License-Identifier: Apache-2.0
"""What if: fields on the tree, the difference, what applies it and what takes it back; of an admin and of a reader."""
import gzip
import os
import urllib.parse

import pytest

from live import KEPT, WIDTHS, lab_in

pytestmark = pytest.mark.skipif("FAIRLEADD" not in os.environ, reason="needs the daemon")
QUOTA = "ClusterQueue/genome: nominalQuota[cpu,default]=4"


def fill(daemon):
    for number in [daemon.submit("sleep", "600", queue="genome", name="align", requests={"cpu": "1"}) for _ in range(8)]:
        daemon.wait(number, "runs")
    daemon.wait(daemon.submit("sleep", "600", queue="atlas", name="fit-mass", requests={"cpu": "2"}), "runs")
    daemon.submit("sleep", "600", queue="cms", name="tracks", requests={"cpu": "4"})


@pytest.fixture(scope="module")
def lab(pages, tmp_path_factory):
    with lab_in(pages, tmp_path_factory.mktemp("lab"), fill, head=KEPT) as live:
        live.reader = live.token("eyes", "read")
        yield live


@pytest.fixture
def page(lab):
    yield lab
    assert lab.pages.complaints() == []


def address(*lines, **more):
    return "#" + urllib.parse.urlencode({"view": "what-if", "set": "\n".join(lines), **more}, quote_via=urllib.parse.quote)


def field(page, label):
    return page.until("return document.querySelector(`main [aria-label=\"${arguments[0]}\"]`)", label)


def press(page, text, within="main"):
    page.until("""const button = [...document.querySelectorAll(`${arguments[0]} button`)].find((b) => b.innerText === arguments[1] && !b.disabled && b.checkVisibility());
                  button?.click(); return button !== undefined""", within, text)


def version(page):
    return page.daemon.get("/v1/configuration").json()


@pytest.mark.e2e
def test_fields_are_changed_marked_and_undone(page):
    page.open("#view=what-if", page.admin)
    page.live().says("Nothing is changed yet")
    assert field(page, "Quota, cpu, of genome").get_attribute("value") == "2"
    page.type_into("Quota, cpu, of genome", "4")
    page.says("quota of cpu 2 → 4", ".edits")
    assert QUOTA in urllib.parse.unquote(page.run("return location.hash"))
    assert "changed" in field(page, "Quota, cpu, of genome").get_attribute("class")
    page.type_into("Weight of atlas", "3")
    page.type_into("Borrows at most, cpu, of cms", "1")
    page.says("borrows at most of cpu no limit → 1", ".edits")
    page.type_into("Fields", "preemption")
    page.type_into("Takes back of cms", "LowerPriority")
    page.says("takes back → LowerPriority", ".edits")
    assert page.run("return document.querySelectorAll('.edits li').length") == 4
    # What was there again is no change.
    page.type_into("Fields", "cpu,default")
    page.type_into("Weight of atlas", "2")
    page.until("return document.querySelectorAll('.edits li').length === 3")
    page.run("document.querySelector(`[aria-label='Undo: ${arguments[0]}']`).click()", QUOTA)
    page.until("return document.querySelectorAll('.edits li').length === 2")
    page.until("return document.querySelector(`[aria-label='Quota, cpu, of genome']`).value === '2'")
    press(page, "Undo all")
    page.says("Nothing is changed yet")
    assert "set=" not in page.run("return location.hash")


@pytest.mark.e2e
def test_what_is_no_quantity_is_said_and_not_taken(page):
    page.open("#view=what-if", page.admin)
    page.live().says("Nothing is changed yet")
    page.type_into("Quota, cpu, of genome", "many")
    page.says("“many” is no quantity")
    assert field(page, "Quota, cpu, of genome").get_attribute("aria-invalid") == "true"
    page.type_into("Quota, cpu, of genome", "-1")
    page.says("it cannot be less than 0")
    assert "set=" not in page.run("return location.hash")


def test_a_link_shows_what_would_change(page):
    line = "ClusterQueue/cms: nominalQuota[cpu,default]=4"
    page.open(address(line), page.admin)
    page.live().says("would run", ".difference .message")
    # As the daemon says of the same text.
    text = version(page)["text"].replace('{name: cpu, nominalQuota: "1"}', '{name: cpu, nominalQuota: "4"}')
    told = page.daemon.ask("POST", "/v1/configuration/difference?format=json", text.encode(), {"Content-Type": "application/yaml"}).json()
    assert told["preempted"], told
    page.says(f"{told['after']['admitted']} jobs would run", ".difference .message")
    page.says("Would make way", ".difference")
    page.until("return document.querySelectorAll('.moved')[0].children.length === arguments[0]", len(told["preempted"]))
    page.says("quota 1 → 4", ".changed-nodes")
    # Of another change it says that it is of another.
    page.type_into("Weight of atlas", "7")
    page.until("return document.querySelector('.difference.old') !== null")
    press(page, "Ask again")
    page.until("return document.querySelector('.difference.old') === null")


@pytest.mark.e2e
def test_what_the_daemon_refuses_is_told(page):
    page.open(address("ClusterQueue/nobody: fairSharing.weight=2"), page.admin)
    page.live().says("nobody", ".told")
    assert page.run("return document.querySelector('.difference .message')") is None
    assert [text for text in page.pages.complaints() if "what-if" not in text] == []


def test_an_admin_applies_and_rolls_back(page):
    before = version(page)
    page.open(address(QUOTA), page.admin)
    page.live()
    press(page, "Apply…")
    page.says("replaces version", "dialog[open]")
    page.says('+       - {name: cpu, nominalQuota: "4"}', "dialog[open] .lines")
    page.run("""const input = document.querySelector("dialog[open] input"); input.value = "more for genome"; input.dispatchEvent(new Event("input"))""")
    press(page, "Apply", "dialog[open]")
    page.says("of the configuration is in force", ".told")
    after = version(page)
    assert after["version"] > before["version"] and after["why"] == "more for genome"
    assert after["text"].splitlines() == [line.replace('"2"', '"4"') if line == '      - {name: cpu, nominalQuota: "2"}' else line for line in before["text"].splitlines()]
    page.says("more for genome", ".versions")
    page.until("return document.querySelector(`[aria-label='Quota, cpu, of genome']`).value === '4'")
    page.says("Nothing is changed yet")
    page.until("return document.querySelector(`[aria-label='Roll back to version ${arguments[0]}']`) !== null", before["version"])
    page.run("const back = document.querySelector(`[aria-label='Roll back to version ${arguments[0]}']`); back.click(); back.click()", before["version"])
    page.says("as a new version", "dialog[open]")
    press(page, "Roll back", "dialog[open]")
    page.until("return document.querySelector('dialog[open]') === null")
    page.until("return document.querySelector(`[aria-label='Quota, cpu, of genome']`).value === '2'")
    again = version(page)
    assert again["version"] > after["version"] and again["text"] == before["text"] and again["how"] == "restore"


@pytest.mark.e2e
def test_of_two_admins_one_wins(page):
    page.open(address(QUOTA), page.admin)
    page.live()
    press(page, "Apply…")
    page.says("replaces version", "dialog[open]")
    other = version(page)["text"].replace("fairSharing: {weight: 2}", "fairSharing: {weight: 3}")
    assert page.daemon.ask("PUT", "/v1/configuration", other.encode(), {"Content-Type": "application/yaml", "If-Match": "*"}).status == 200
    press(page, "Apply", "dialog[open]")
    page.until("return document.querySelector('dialog[open] [role=alert]').innerText !== ''")
    assert version(page)["text"] == other
    press(page, "Cancel", "dialog[open]")
    assert all("412" in text for text in page.pages.complaints())
    back = other.replace("fairSharing: {weight: 3}", "fairSharing: {weight: 2}")
    assert page.daemon.ask("PUT", "/v1/configuration", back.encode(), {"Content-Type": "application/yaml", "If-Match": "*"}).status == 200


def test_a_reader_tries_but_has_nothing_that_applies(page):
    page.open(address(QUOTA), page.reader)
    page.live().says("An admin can apply it")
    texts = page.run("return [...document.querySelectorAll('main button')].filter((b) => b.checkVisibility()).map((b) => b.innerText)")
    assert not {"Apply…", "Roll back…"} & set(texts), texts


def test_a_simulation_to_its_end(page):
    page.open("#view=simulate&set=" + urllib.parse.quote(QUOTA), page.admin)
    page.live().says(QUOTA)
    page.says("There is none")
    for horizon in ("1h", "6h"):
        page.run("const s = document.querySelector('.simulate-form select'); s.value = arguments[0]; s.dispatchEvent(new Event('change'))", horizon)
        press(page, "Simulate")
        page.until("return [...document.querySelectorAll('.simulations > li')].every((li) => li.innerText.includes('done')) && document.querySelectorAll('.simulations > li').length === arguments[0]",
                   1 if horizon == "1h" else 2)
    told = page.daemon.get("/v1/simulations").json()["simulations"]
    assert [one["horizonSeconds"] for one in told] == [3600, 21600]
    page.says(QUOTA, ".simulations")
    page.run("[...document.querySelectorAll('.simulations input')].forEach((box) => box.click())")
    page.until("const link = [...document.querySelectorAll('a.button')].find((a) => a.innerText === 'Compare 2'); link?.click(); return link !== undefined")
    page.says("2: 6\u00a0h, seed 1", ".report")
    page.until("return document.querySelector('.report .card svg') !== null")
    page.press("Escape")
    page.until("return location.hash === '#view=simulate'")
    page.open("#view=simulation&id=1", page.admin)
    page.live().says("jobs finished within 1\u00a0h", ".report")
    page.until("return document.querySelectorAll('.report .plot').length > 5")
    page.says("Save as a page", "main")
    # The address stays that of the page, whatever is pressed in the report.
    page.run("document.querySelector('.report .legend button, .report .zoom button').click()")
    assert page.run("return location.hash") == "#view=simulation&id=1"


@pytest.mark.e2e
def test_a_trace_of_the_reader(page, tmp_path):
    """A file, also a compressed one, whose jobs go to a queue; what is wrong in it is told."""
    log = "".join(f"{i} {60 * i} 0 600 1 -1 -1 1 900 -1 1 1 1 1 1 1 -1 -1\n" for i in range(1, 21)).encode()
    (tmp_path / "log.swf.gz").write_bytes(gzip.compress(log))
    (tmp_path / "wrong.swf").write_bytes(log + b"hello 7\n")
    page.open("#view=simulate", page.admin)
    page.live().run("document.querySelector('.trace').open = true")
    press(page, "Simulate the trace")
    page.says("Choose the file of the trace first", ".told")
    page.run("document.querySelector('[aria-label=\"Queue of its jobs\"]').value = 'cms'")
    field = page.driver.find_element("css selector", ".trace input[type=file]")
    for name, said in (("log.swf.gz", "done"), ("wrong.swf", "line 21: field 1, job number: 'hello' is not a number")):
        page.until("return ![...document.querySelectorAll('.trace button')].some((button) => button.disabled)")
        field.send_keys(str(tmp_path / name))
        press(page, "Simulate the trace")
        page.until("const li = document.querySelector('.simulations > li'); return li?.innerText.includes('jobs of a trace') && li.innerText.includes(arguments[0])", said)
    number = page.daemon.get("/v1/simulations").json()["simulations"][-2]["id"]
    assert page.daemon.get(f"/v1/simulations/{number}/report?format=json").json()["totals"]["finished"] == 20
    assert page.faults() == []


@pytest.mark.e2e
def test_a_reader_has_the_report_of_its_own(page):
    page.open("#view=simulate", page.reader)
    page.live()
    press(page, "Simulate")
    page.until("return document.querySelector('.simulations > li:first-child')?.innerText.includes('eyes')")
    page.until("return document.querySelector('.simulations > li:first-child a.button')?.checkVisibility()")


@pytest.mark.e2e
def test_simulations_of_others_and_wrong_ones(page):
    begun = page.daemon.post("/v1/simulations?horizon=1h").json()
    page.open("#view=simulate", page.admin)
    page.live().until("return document.querySelector(`[aria-label='Forget simulation ${arguments[0]}']`)?.checkVisibility()", begun["id"])
    page.run("document.querySelector(`[aria-label='Forget simulation ${arguments[0]}']`).click()", begun["id"])
    page.until("return document.querySelector(`[aria-label='Forget simulation ${arguments[0]}']`) === null", begun["id"])
    assert begun["id"] not in [one["id"] for one in page.daemon.get("/v1/simulations").json()["simulations"]]
    page.open(f"#view=simulation&id={begun['id']}", page.admin)
    page.live().says("simulation", ".none")
    assert all("404" in text for text in page.pages.complaints())


VIEWS = {"none": "#view=what-if", "changed": address("ClusterQueue/cms: nominalQuota[cpu,default]=4", "Cohort/biology: fairSharing.weight=4"),
         "preemption": "#view=what-if&field=preemption", "simulate": "#view=simulate", "simulation": "#view=simulation&id={simulated}"}
READY = {"changed": "Would make way", "simulate": "Simulation ", "simulation": "finished within"}


def simulated(page):
    number = page.daemon.post("/v1/simulations?horizon=6h").json()["id"]
    page.daemon.until(lambda: page.daemon.get(f"/v1/simulations/{number}").json()["state"] == "done", "it is done")
    return number


@pytest.mark.e2e
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("view", VIEWS)
def test_no_text_is_cut_or_lies_on_another(page, view, width):
    hash_ = VIEWS[view].format(simulated=simulated(page)) if view.startswith("simul") else VIEWS[view]
    page.open(hash_, page.admin, width, 1000)
    page.live().says(READY.get(view, "Version 0"), "main")
    page.looks_well(f"what-if-{view}", width)
