# SPDX-License-Identifier: Apache-2.0
"""The report's page in Debian's chromium: pages are made by the C code that embeds the bundle."""
import json
import os
import pathlib
import subprocess

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support import wait

import sample
from own_temp import pytest_configure, pytest_sessionfinish  # noqa: F401

PAGE_OF = os.environ["PAGE_OF"]


class Browser:
    def __init__(self, driver, folder):
        self.driver, self.folder, self.made = driver, folder, {}

    def page(self, name):
        """The file of a sample, and the report that is in it."""
        if name not in self.made:
            report = sample.SAMPLES[name]()
            path = self.folder / f"{name}.html"
            with open(path, "wb") as out:
                subprocess.run([PAGE_OF], input=json.dumps(report, ensure_ascii=False).encode(), stdout=out, check=True)
            self.made[name] = (path, report)
        return self.made[name]

    def size(self, width, height=900):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})
        self.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": width < 600})

    def open(self, name, width=1400, hash_=""):
        """Open it anew (a hash alone would not load anything); what it had to complain about before is forgotten."""
        path, report = self.page(name)
        self.size(width)
        self.driver.get("about:blank")
        for log in ("browser", "performance"):
            self.driver.get_log(log)
        self.driver.get(path.as_uri() + hash_)
        return report

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def settle(self):
        """Two frames: what an observer or a queued redraw does is done."""
        self.driver.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")

    def complaints(self):
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self):
        messages = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        return [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]

    def open_table(self, card):
        """A table is made when its details open, and the browser says so in a task of its own: some time later."""
        self.run("document.querySelector(`#${arguments[0]} details.data`).open = true", card)
        wait.WebDriverWait(self.driver, 20, 0.01).until(
            lambda _: self.run("return !!document.querySelector(`#${arguments[0]} details.data table`)", card))

    def table(self, card):
        """Headings, and all rows of a card's table: numbers as numbers, names as text."""
        self.open_table(card)
        return self.run("""
            const details = document.querySelector(`#${arguments[0]} details.data`);
            return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => {
                const more = details.querySelector("button.more");
                if (more && !more.hidden) more.click();
                const cell = (td) => td.dataset.value === undefined ? td.textContent : Number(td.dataset.value);
                done([[...details.querySelectorAll("thead th")].map((th) => th.textContent),
                      [...details.querySelectorAll("tbody tr")].map((tr) => [...tr.children].map(cell))]);
            })));""", card)

    def ticks(self, card, plot=0):
        """What the time axis of a plot says."""
        return self.run("""
            const plot = document.querySelectorAll(`#${arguments[0]} .plot.time`)[arguments[1]];
            return [...plot.querySelectorAll("text.tick")].filter((t) => t.getAttribute("text-anchor") === "middle")
                .map((t) => t.textContent);""", card, plot)


@pytest.fixture(scope="session")
def driver():
    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
    driver.set_script_timeout(30)
    yield driver
    driver.quit()


@pytest.fixture(scope="session")
def pages(driver, tmp_path_factory):
    return Browser(driver, tmp_path_factory.mktemp("pages"))


@pytest.fixture
def browser(pages):
    """In the light, whatever the test before did."""
    pages.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
        "features": [{"name": "prefers-color-scheme", "value": "light"}]})
    yield pages
    assert pages.complaints() == []


@pytest.fixture
def page_of():
    return pathlib.Path(PAGE_OF)
