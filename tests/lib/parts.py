# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest (-p parts): the files of a folder in several parts, which run side by side, or a part of the tests."""
import collections


def pytest_addoption(parser):
    parser.addoption("--part", default="1/1", metavar="K/N",
                     help="the Kth of N parts, of whole files and about as many tests each: they run side by side")
    parser.addoption("--every", type=int, default=1, metavar="N", help="every Nth test only, and each that asks before it runs (skipif): another build may leave it out")


def pytest_collection_modifyitems(config, items):
    part, parts = (int(x) for x in config.getoption("--part").split("/"))
    tests = collections.Counter(item.path.name for item in items)
    shares = [[0, []] for _ in range(parts)]
    for name in sorted(tests, key=lambda name: (-tests[name], name)):
        least = min(shares, key=lambda share: share[0])
        least[0] += tests[name]
        least[1].append(name)
    mine = set(shares[part - 1][1])
    own = [item for item in items if item.path.name in mine]
    every = set(own[::config.getoption("--every")])
    chosen = [item for item in own if item in every or item.get_closest_marker("skipif")]
    if len(chosen) < len(items):
        config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
        items[:] = chosen
