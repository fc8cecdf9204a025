# SPDX-License-Identifier: Apache-2.0
"""Moving about: zoom by mouse, wheel, finger and keyboard, into the tree, and back by a link."""
import pytest
from selenium.webdriver import ActionChains, Keys

TIP = "const t = document.querySelector('.tip'); return t.hidden ? '' : t.textContent"
PLOT = "#usage .plot.time"


def plot(browser):
    return browser.driver.find_element("css selector", PLOT)


def into_view(browser, selector=PLOT):
    browser.run("document.querySelector(arguments[0]).scrollIntoView({block: 'center'})", selector)
    browser.settle()  # scrolling puts the tooltip away
    return browser.run("const b = document.querySelector(arguments[0]).getBoundingClientRect();"
                       "return [b.left, b.top, b.width, b.height]", selector)


def mouse(browser, kind, x, y, **more):
    browser.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, **more})


def drag(browser, x0, x1, y):
    mouse(browser, "mousePressed", x0, y, button="left", buttons=1, clickCount=1)
    for x in (x0 + (x1 - x0) / 2, x1):
        mouse(browser, "mouseMoved", x, y, button="left", buttons=1)
    mouse(browser, "mouseReleased", x1, y, button="left", clickCount=1)
    browser.settle()


def window(browser):
    given = dict(part.split("=") for part in browser.run("return location.hash").lstrip("#").split("&") if part)
    return float(given.get("from", "nan")), float(given.get("to", "nan"))


def test_drag_zooms_all_time_charts(browser):
    report = browser.open("small", 1200)
    before = browser.ticks("usage"), browser.ticks("waiting"), browser.ticks("utilisation")
    left, top, width, height = into_view(browser)
    drag(browser, left + width * 0.4, left + width * 0.6, top + height / 2)
    after = browser.ticks("usage"), browser.ticks("waiting"), browser.ticks("utilisation")
    assert all(a != b for a, b in zip(after, before))
    series = report["series"]
    start, length = series["start"], series["step"] * series["n"]
    begin, end = window(browser)
    assert (begin - start) / length == pytest.approx(0.4, abs=0.05) and (end - begin) / length == pytest.approx(0.2, abs=0.03)
    _, rows = browser.table("usage")
    assert begin - series["step"] <= rows[0][0] and rows[-1][0] <= end
    browser.run("[...document.querySelectorAll('.zoom button')].find((b) => b.textContent === 'All').click()")
    assert (browser.ticks("usage"), browser.ticks("waiting"), browser.ticks("utilisation")) == before


def test_wheel_zooms_with_ctrl_only(browser):
    browser.open("small", 1200)
    before = browser.ticks("usage")
    left, top, width, height = into_view(browser)
    at = {"x": left + width / 2, "y": top + height / 2, "deltaX": 0, "deltaY": -300}
    browser.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": "mouseWheel", **at})
    assert browser.ticks("usage") == before
    left, top, width, height = into_view(browser)
    at.update(y=top + height / 2)
    for _ in range(3):
        browser.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": "mouseWheel", "modifiers": 2, **at})
    browser.settle()
    assert browser.ticks("usage") != before


def test_keyboard_moves_zooms_and_pins(browser):
    browser.open("small", 1200)
    into_view(browser)
    browser.run("document.querySelector(arguments[0]).focus()", PLOT)
    before = browser.ticks("usage")
    keys = lambda *all: (ActionChains(browser.driver).send_keys(*all).perform(), browser.settle())
    keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    first = browser.run(TIP)
    assert "UTC" in first and "together" in first
    keys(Keys.ARROW_RIGHT)
    assert browser.run(TIP) not in ("", first)
    keys("+")
    zoomed = browser.ticks("usage")
    assert zoomed != before
    keys(Keys.SHIFT, Keys.ARROW_RIGHT)
    keys(Keys.NULL, Keys.ENTER)
    assert "at=" in browser.run("return location.hash")
    keys(Keys.ESCAPE)
    assert browser.run(TIP) == "" and "at=" not in browser.run("return location.hash")
    keys("0")
    assert browser.ticks("usage") == before
    for card in ("waits", "flows", "lost"):
        browser.run("document.querySelector(`#${arguments[0]} .plot`).focus()", card)
        browser.settle()
        keys(Keys.ARROW_DOWN)
        assert len(browser.run(TIP)) > 5


def test_touch_shows_numbers_and_pins(browser):
    browser.open("small", 360)
    left, top, width, height = into_view(browser)
    touch = lambda kind, points: browser.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {
        "type": kind, "touchPoints": [{"x": x, "y": top + height / 2, "id": i} for i, x in enumerate(points)]})
    touch("touchStart", [left + width / 2])
    touch("touchEnd", [])
    browser.settle()
    assert "together" in browser.run(TIP) and "at=" in browser.run("return location.hash")
    before = browser.ticks("usage")
    touch("touchStart", [left + width * 0.5, left + width * 0.6])
    for spread in (0.1, 0.2, 0.3):
        touch("touchMove", [left + width * (0.5 - spread), left + width * (0.6 + spread)])
    touch("touchEnd", [])
    browser.settle()
    assert browser.ticks("usage") != before
    left, top, width, height = into_view(browser, "#lost .plot")
    touch("touchStart", [left + width / 2])
    touch("touchEnd", [])
    browser.settle()
    assert "lost" in browser.run(TIP)


def test_into_a_cohort_and_back(browser):
    browser.open("medium", 1200)
    names = lambda: browser.run("return [...document.querySelectorAll('#usage .legend bdi')].map((b) => b.textContent)")
    whole = names()
    assert sorted(whole) == ["biology", "chemistry", "physics"]
    into_view(browser, "#usage .legend")
    browser.driver.find_element("css selector", "#usage .legend button").click()
    browser.settle()
    assert len(names()) == 4 and all(name.startswith("team-") for name in names())
    assert browser.run("return document.activeElement.closest('.card').id") == "usage"
    assert browser.run("return document.querySelectorAll('#entitled .panel').length") == 4
    browser.run("document.querySelector('#usage .crumbs button').click()")
    assert names() == whole


def test_link_leads_back(browser):
    report = browser.open("comparison", 1200)
    series = report["variants"][1]["report"]["series"]
    begin, length = series["start"], series["step"] * series["n"]
    link = f"#v=1&n=1&r=memory&from={begin + length * 0.25}&to={begin + length * 0.5}&at={begin + length * 0.3}&c=lost"
    browser.open("comparison", 1200, link)
    browser.settle()
    shown = (browser.ticks("usage"), browser.run("return document.querySelector('h2.part').textContent"),
             browser.run("return document.querySelector('.unpin').textContent"))
    assert shown[1] == "In detail: fair sharing" and "UTC" in shown[2] and "Aug" in "".join(shown[0])
    assert abs(browser.run("return document.querySelector('#lost').getBoundingClientRect().top")) < 900
    pins = browser.run("return [...document.querySelectorAll('.plot .pin')].map((p) => p.getAttribute('visibility'))")
    assert set(pins) == {"visible"}
    browser.run("[...document.querySelectorAll('.zoom button')][0].click()")
    again = browser.run("return location.hash")
    ticks = browser.ticks("usage")
    browser.open("comparison", 1200, again)
    assert browser.ticks("usage") == ticks and browser.run("return location.hash") == again


@pytest.mark.parametrize("nonsense", ["#v=99&n=-3&r=none", "#from=9&to=1&at=x", "#from=1e300&to=1e301", "#%00&c=nowhere"])
def test_nonsense_in_a_link_is_ignored(browser, nonsense):
    browser.open("small", 1200, nonsense)
    assert len(browser.ticks("usage")) > 3
    assert browser.run("return document.querySelectorAll('.card').length") == 12
