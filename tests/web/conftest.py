# SPDX-License-Identifier: Apache-2.0
"""The report's page in Debian's chromium: pages are made by the C code that embeds the bundle."""
import json
import os
import pathlib
import subprocess

import pytest
from selenium.webdriver.support import wait

import own_temp
import sample
from browser import Browser, driver, pages  # noqa: F401
from own_temp import pytest_sessionfinish  # noqa: F401


def pytest_configure(config):
    own_temp.pytest_configure(config)
    config.addinivalue_line("markers", "e2e: left out by `make test`; `make e2e` has them all")


class Reports(Browser):
    def __init__(self, driver, folder):
        super().__init__(driver)
        self.folder, self.made = folder, {}

    def page(self, name):
        """The file of a sample, and the report that is in it."""
        if name not in self.made:
            report = sample.SAMPLES[name]()
            path = self.folder / f"{name}.html"
            with open(path, "wb") as out:
                subprocess.run([os.environ["PAGE_OF"]], input=json.dumps(report, ensure_ascii=False).encode(), stdout=out, check=True)
            self.made[name] = (path, report)
        return self.made[name]

    def open(self, name, width=1400, hash_=""):
        """Open it anew (a hash alone would not load anything); what it had to complain about before is forgotten."""
        path, report = self.page(name)
        self.size(width)
        self.driver.get("about:blank")
        for log in ("browser", "performance"):
            self.driver.get_log(log)
        self.driver.get(path.as_uri() + hash_)
        return report

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
def reports(driver, tmp_path_factory):  # noqa: F811
    return Reports(driver, tmp_path_factory.mktemp("pages"))


@pytest.fixture
def browser(reports):
    """In the light, whatever the test before did."""
    reports.theme("light")
    yield reports
    assert reports.complaints() == []


@pytest.fixture
def page_of():
    return pathlib.Path(os.environ["PAGE_OF"])
