# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest (-p parts): the files of a folder in several parts, which run side by side, or a part of the tests."""


def pytest_addoption(parser):
    parser.addoption("--part", default="1/1", metavar="K/N",
                     help="every Nth file only, from the Kth on: the parts run side by side")
    parser.addoption("--every", type=int, default=1, metavar="N", help="every Nth test only")


def pytest_collection_modifyitems(config, items):
    part, parts = (int(x) for x in config.getoption("--part").split("/"))
    files = sorted({item.path.name for item in items})
    mine = set(files[part - 1::parts])
    chosen = [item for item in items if item.path.name in mine][::config.getoption("--every")]
    if len(chosen) < len(items):
        config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
        items[:] = chosen
