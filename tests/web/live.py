# SPDX-License-Identifier: Apache-2.0
"""A daemon on loopback with queues and jobs of its own, or one beside a cluster, and its page in the browser."""
import contextlib
import importlib.util
import json
import os
import pathlib
import re
import signal
import time

import axe

SOURCE = pathlib.Path(os.environ.get("FAIRLEAD_SOURCE", pathlib.Path(__file__).parents[2]))
_spec = importlib.util.spec_from_file_location("daemon_conftest", SOURCE / "tests" / "daemon" / "conftest.py")
daemons = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(daemons)

DEADLINE = 60.0
WIDTHS = (390, 1024, 1600)  # of a window, in pixels
HOSTILE = ["</script><img src=x onerror=\"document.title='owned'\">", "שלום עולם (1)", "=cmd|' /C calc'!A0", "x" * 63]

HEAD = """\
apiVersion: fairlead.dev/v1alpha1
kind: Daemon
metadata: {{name: lab}}
spec:
  listen: [{{address: '127.0.0.1:{port}'}}]
  machine:
    cohort: lab
    flavors:
    - {{name: default, resources: {{cpu: "8", memory: 32Gi}}}}
  jobs: {{grace: 1s}}
  access: {{withoutAccount: allow}}
{spec}---
apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
fairSharing: {{}}
"""

# Its configuration is changed by an admin of the API.
KEPT = HEAD.replace("spec:\n", "spec:\n  configuration: api\n", 1)

COHORT = """\
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: Cohort
metadata: {{name: {name}}}
spec: {{parentName: lab}}
"""

QUEUE = """\
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {{name: {name}}}
spec:
  cohortName: {parent}
  namespaceSelector: {{}}
  fairSharing: {{weight: {weight}}}
  preemption: {{reclaimWithinCohort: Any, withinClusterQueue: LowerPriority}}
  resourceGroups:
  - coveredResources: [cpu, memory]
    flavors:
    - name: default
      resources:
      - {{name: cpu, nominalQuota: "{cpu}"}}
      - {{name: memory, nominalQuota: 4Gi}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {{name: {name}, namespace: default}}
spec: {{clusterQueue: {name}}}
"""


def start(folder, more=0, head=HEAD, kind=daemons.Daemon, spec="", also=""):
    """Three queues in two cohorts, and `more` that have nothing; `spec` is of the Daemon, `also` are other documents."""
    text = head.format(port=daemons.free_port(), spec=spec) + COHORT.format(name="physics") + COHORT.format(name="biology")
    for name, parent, cpu, weight in (("atlas", "physics", 3, 2), ("cms", "physics", 1, 1), ("genome", "biology", 2, 1)):
        text += QUEUE.format(name=name, parent=parent, cpu=cpu, weight=weight)
    for i in range(more):
        text += QUEUE.format(name=f"team-{i:04}", parent="biology", cpu=0, weight=1)
    (folder / "daemon.yaml").write_text(text + also)
    return kind(folder, folder / "daemon.yaml").start()


class Live:
    """The page of a daemon, in a browser that has a token of it."""

    def __init__(self, pages, daemon):
        self.pages, self.driver, self.daemon = pages, pages.driver, daemon
        self.url = "http://" + daemon.get("/v1/health").json()["listens"][0]
        self.shown = None

    def token(self, name, role="admin"):
        made = self.daemon.post("/v1/tokens", {"name": name, "role": role, "expires": "1d"})
        assert made.status == 201, made.text
        return made.json()["token"]

    def open(self, hash_, token, width=1400, height=900):
        self.pages.size(width, height)
        self.driver.get("about:blank")
        self.driver.get(self.url + "/#none")
        self.run("sessionStorage.setItem('fairlead.token', arguments[0])", token)
        self.driver.get("about:blank")
        self.driver.get_log("browser")
        self.driver.get(self.url + "/" + hash_)

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def until(self, script, *arguments, seconds=DEADLINE):
        """What the script returns, once that is something; an element that went away meanwhile is no failure."""
        end = time.monotonic() + seconds
        while not (value := self.run(script, *arguments)):
            assert time.monotonic() < end, (f"not within {seconds} s: {script} {arguments}\n"
                                            f"{self.run('return document.body.innerText')}\n{self.driver.get_log('browser')}")
            time.sleep(0.05)
        return value

    def live(self):
        self.until("return document.querySelector('.state').textContent === 'live'")
        return self

    def says(self, text, within="body"):
        self.until("return document.querySelector(arguments[0])?.innerText.includes(arguments[1])", within, text)

    def press(self, *keys):
        for key in keys:
            self.run("""(document.activeElement ?? document.body).dispatchEvent(
                new KeyboardEvent("keydown", { key: arguments[0], bubbles: true, cancelable: true }))""", key)

    def type_into(self, label, text):
        self.run("""const input = document.querySelector(`main [aria-label="${arguments[0]}"]`);
                    input.focus(); input.value = arguments[1];
                    input.dispatchEvent(new Event("input", { bubbles: true })); input.dispatchEvent(new Event("change", { bubbles: true }));""",
                 label, text)

    def rows(self):
        """Of the list: the texts of the cells that are seen, by the key of each row."""
        return self.run("""return Object.fromEntries([...document.querySelectorAll(".virtual-body > .row")].map((row) =>
            [row.dataset.key, Object.fromEntries([...row.children].filter((c) => getComputedStyle(c).display !== "none")
                .map((c) => [c.className.split(" ")[0], c.innerText.trim()]))]))""")

    def shot(self, name):
        """A picture of all of it, for people; where FAIRLEAD_SHOTS says, else nowhere."""
        if folder := os.environ.get("FAIRLEAD_SHOTS"):
            pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
            self.driver.save_screenshot(str(pathlib.Path(folder) / f"{name}.png"))

    def away(self, daemon):
        """@daemon is killed under the page, which says since when it is stale."""
        self.run("window.same = true")
        daemon.stop(signal.SIGKILL)
        self.until("return /^stale since .*[0-9]/.test(document.querySelector('.state').textContent)")
        self.until("return /What is seen here is of .*[0-9].* ago.* asked again by itself/.test(document.querySelector('.notice').innerText)")

    def back(self, daemon):
        """It is started again, which the page sees by itself."""
        daemon.start()
        self.live().until("return document.querySelector('.notice').hidden")
        assert self.run("return window.same"), "it was not loaded anew"

    def faults(self):
        """Texts that are cut without a title that has all of them, and texts that lie on others."""
        return self.run(FAULTS)

    def looks_well(self, name, width):
        """All of it in a window that is as high, light and dark: pictures of @name, no text is cut or lies on another, and it is
        accessible; of what axe looks at only colours are others in the dark."""
        self.pages.size(width, max(1000, min(4000, self.run("return document.documentElement.scrollHeight"))))
        for theme in ("dark", "light"):
            self.pages.theme(theme)
            self.pages.settle()
            self.shot(f"{name}-{width}-{theme}")
            wrong = self.faults() + axe.violations(self.driver, colours_alone=theme == "dark")
            assert not wrong, "\n".join([f"{name}, {width} pixels, {theme}", *map(str, wrong)])


class Beside(Live):
    """The page of a daemon beside a cluster (a Watching that listens)."""

    def __init__(self, pages, watching):  # pylint: disable=super-init-not-called
        self.pages, self.driver, self.watching, self.url = pages, pages.driver, watching, f"http://127.0.0.1:{watching.port}"
        self.tokens = {}

    def token(self, who=None):  # pylint: disable=arguments-differ
        """Of a page that was opened by @who, a token of the cluster; by an admin over the socket where there is none."""
        if who not in self.tokens:
            status, made = self.watching.ask("/v1/page/codes", "POST", token=who)
            assert status == 200, made
            status, given = self.watching.ask("/v1/page/token", "POST", token="none", body=json.dumps({"code": made["code"]}))
            assert status == 200, given
            self.tokens[who] = given["token"]
        return self.tokens[who]

    def see(self, hash_, who=None, **more):
        self.open(hash_, self.token(who), **more)
        return self.live()

    def number(self, name):
        """The id of a Workload that is not over."""
        return next(job["id"] for job in self.watching.get("/v1/jobs?state=waits,runs&limit=100")["jobs"] if job["name"] == name)


FAULTS = """
const leaves = [];
const walker = document.createTreeWalker(document.getElementById("page"), NodeFilter.SHOW_TEXT);
const hidden = (e) => { const s = getComputedStyle(e); return s.visibility === "hidden" || s.display === "none" || Number(s.opacity) === 0; };
for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || element.closest(".skip, .heard, [hidden], option, datalist, noscript, details:not([open]) > :not(summary)") || hidden(element))
        continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const rect of range.getClientRects()) {
        if (rect.width < 1 || rect.height < 1)
            continue;
        let box = { left: rect.left, right: rect.right, top: rect.top, bottom: rect.bottom }, cut = false, scrolls = false;
        for (let e = element; e && e.id !== "page"; e = e.parentElement) {
            const s = getComputedStyle(e), b = e.getBoundingClientRect();
            if (s.overflowX === "auto" || s.overflowX === "scroll" || s.overflowY === "auto") scrolls = true;
            if (s.overflowX === "visible" && s.overflowY === "visible") continue;
            if (!scrolls && (box.right > b.right + 1.5 || box.left < b.left - 1.5 || box.bottom > b.bottom + 3)) cut = true;
            box = { left: Math.max(box.left, b.left), right: Math.min(box.right, b.right), top: Math.max(box.top, b.top), bottom: Math.min(box.bottom, b.bottom) };
        }
        const whole = element.closest("[title]")?.title ?? "";
        if (cut && !whole.includes(node.data.trim().slice(0, 200)))
            return [["cut", node.data.slice(0, 60), element.className]];
        if (box.right - box.left > 1 && box.bottom - box.top > 3)
            leaves.push({ ...box, text: node.data.trim().slice(0, 60), element, sticky: Boolean(element.closest(".bar, .heading, thead")) });
    }
}
if (document.documentElement.scrollWidth > innerWidth)
    return [["wider than the window", document.documentElement.scrollWidth, innerWidth]];
leaves.sort((a, b) => a.top - b.top);
const faults = [];
for (let i = 0; i < leaves.length; i++)
    for (let k = i + 1; k < leaves.length && leaves[k].top < leaves[i].bottom - 3; k++) {
        const a = leaves[i], b = leaves[k];
        const across = Math.min(a.right, b.right) - Math.max(a.left, b.left), down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (across > 1.5 && down > 4 && a.sticky === b.sticky && a.element !== b.element)
            faults.push(["on each other", a.text, b.text]);
    }
return faults.slice(0, 5);
"""


@contextlib.contextmanager
def lab_in(pages, folder, fill=lambda daemon: None, **more):
    """A Live over a daemon of `start`, with an admin's token as `admin` and what `fill` has submitted as `jobs`."""
    if os.geteuid() == 0:
        daemons.let_pass(folder)
    daemon = start(folder, **more)
    live = Live(pages, daemon)
    live.admin, live.jobs = live.token("page"), fill(daemon)
    yield live
    pages.driver.get("about:blank")
    assert daemons.end(daemon) == 0, daemon.said()
