# SPDX-License-Identifier: Apache-2.0
"""Debian's Chromium without a screen, and what the tests of all pages ask of it."""
import contextlib
import json

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

ARGUMENTS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars")


@contextlib.contextmanager
def chromium(*logs):
    """A browser that is gone afterwards; @logs: those that it keeps ("browser": what its console said; "performance")."""
    options = webdriver.ChromeOptions()
    for argument in ARGUMENTS:
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", dict.fromkeys(logs, "ALL"))
    driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
    try:
        driver.set_script_timeout(30)
        yield driver
    finally:
        driver.quit()


class Browser:
    def __init__(self, driver):
        self.driver = driver

    def size(self, width, height=900):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})
        self.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": width < 600})

    def theme(self, name):
        """"light" or "dark": what the reader's system says that it prefers."""
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": name}]})

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


@pytest.fixture(scope="session")
def driver():
    with chromium("browser", "performance") as one:
        yield one


@pytest.fixture(scope="session")
def pages(driver):
    return Browser(driver)
