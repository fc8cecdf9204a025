# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest (-p parts): the files of a folder in several parts, which run side by side."""


def pytest_addoption(parser):
    parser.addoption("--part", default="1/1", metavar="K/N",
                     help="every Nth file only, from the Kth on: the parts run side by side")


def pytest_collection_modifyitems(config, items):
    part, parts = (int(x) for x in config.getoption("--part").split("/"))
    files = sorted({item.path.name for item in items})
    mine = set(files[part - 1::parts])
    out = [item for item in items if item.path.name not in mine]
    if out:
        config.hook.pytest_deselected(items=out)
        items[:] = [item for item in items if item.path.name in mine]
