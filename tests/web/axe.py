# SPDX-License-Identifier: Apache-2.0
"""axe-core in a page: what is wrong in it for those who do not see it, or do not see it well."""
import os
import pathlib

# The file of its script (tests/e2e/axe); without one it finds nothing.
FILE = os.environ.get("FAIRLEAD_AXE")
RUN = """
const done = arguments[arguments.length - 1];
axe.run(document, arguments[0]).then(
    ({ violations }) => done(violations.flatMap((rule) => rule.nodes.map((node) =>
        `${rule.id}: ${rule.help}: ${node.target.join(" ")}: ${node.failureSummary.replace(/\\s+/g, " ")}`))),
    (error) => done([`axe did not run: ${error}`]));
"""

# Of its rules about colours those of WCAG's level AA, as all of the others that it runs by itself.
COLOURS = ["color-contrast", "link-in-text-block"]


def violations(driver, colours_alone=False):
    """Of all rules that it runs by itself, as text: all but AAA's and experimental ones; or of those about colours."""
    if not FILE:
        return []
    if not driver.execute_script("return 'axe' in window"):
        driver.execute_script(pathlib.Path(FILE).read_text(encoding="utf-8"))
    return driver.execute_async_script(RUN, {"runOnly": {"type": "rule", "values": COLOURS}} if colours_alone else {})
