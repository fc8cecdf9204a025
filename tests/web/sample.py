#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""sample - reports as `simulate` and `compare` write them, made up, for the page's tests

usage: sample.py small|medium|large|comparison|sweep|empty|single|hostile

The numbers hang together as a run's do: what is held is never above what is wanted or there, the
queues of a cohort add up to it, and the same name gives the same report each time.
"""

import json
import math
import random
import sys

HOSTILE = [
    "</script><img src=x onerror=\"document.title='owned'\">",
    "<!--<script>",
    "a-very-long-queue-name-" * 12,
    "größe-数据队列-🚀",
    "\u202eright-to-left \u05e2\u05d1\u05e8\u05d9\u05ea",
    "'\"&amp;\\u003c",
]
EDGES = [1, 10, 60, 600, 3600, 6 * 3600, 86400, 3 * 86400, 7 * 86400]
CLASSES = ["1", "2-8", "9-64", "65+"]


def divide(total, wanted, weights):
    """What each is entitled to: as much as it wants, the rest by weight."""
    left, open_ = total, set(range(len(wanted)))
    got = [0.0] * len(wanted)
    while open_ and left > 1e-9:
        unit = left / sum(weights[i] for i in open_)
        full = [i for i in open_ if wanted[i] <= unit * weights[i] + 1e-12]
        if not full:
            for i in open_:
                got[i] = unit * weights[i]
            break
        for i in full:
            got[i] = wanted[i]
            left -= wanted[i]
            open_.discard(i)
    return got


def waits(rng, n, typical):
    if not n:
        return None
    values = sorted(max(0.0, rng.lognormvariate(math.log(typical), 1.6) - 5) for _ in range(min(n, 400)))
    at = lambda q: values[min(len(values) - 1, int(q * len(values)))]
    return {"n": n, "mean": sum(values) / len(values), "p50": at(.5), "p90": at(.9), "p99": at(.99),
            "max": values[-1]}, values


def histogram(values, n):
    counts = [0] * (len(EDGES) + 1)
    for v in values:
        counts[sum(v >= e for e in EDGES)] += 1
    return [round(c * n / len(values)) for c in counts]


def total_of(lists):
    return [sum(column) for column in zip(*lists)]


def report(seed, cohorts, leaves_each, n, names=None, name="sample", fair=1.0, days=30, swing=1.0, every=1,
           resources=3):
    """A tree of cohorts and queues over `n` buckets, where something changes in each `every`th.

    `fair` near 1 keeps close to what is entitled.
    """
    rng = random.Random(seed)
    capacity = {"cpu": 2400.0, "nvidia.com/gpu": 320.0, "memory": 2400 * 4 * 2**30}
    capacity = dict(list(capacity.items())[:resources])
    step, start = days * 86400 / n, 1027839845.0
    nodes = [{"name": "cluster", "kind": "Cohort", "parent": None}]
    leaves = []
    for c in range(cohorts):
        parent = len(nodes)
        nodes.append({"name": ["physics", "chemistry", "biology", "engineering"][c % 4] + (str(c) if c > 3 else ""),
                      "kind": "Cohort", "parent": 0})
        for i in range(leaves_each):
            leaves.append(len(nodes))
            nodes.append({"name": names[len(leaves) - 1] if names else f"team-{chr(97 + c % 26)}{i + 1}",
                          "kind": "ClusterQueue", "parent": parent})
    weights = [rng.choice([1, 1, 2, 3]) for _ in leaves]
    phase = [rng.random() * 6.28 for _ in leaves]
    size = [rng.paretovariate(1.3) for _ in leaves]
    scale = 1.15 / sum(size)
    level = [1.0] * len(leaves)
    usable = [1.0] * n
    for b in range(int(n * .55), int(n * .62)):
        usable[b] = .75
    held = {r: {i: [] for i in leaves} for r in capacity}
    wanted = {r: {i: [] for i in leaves} for r in capacity}
    entitled = {r: {i: [] for i in leaves} for r in capacity}
    jain, envy, waiting_of = [], [], {i: [] for i in leaves}
    for b in range(n):
        day = b * step / 86400
        for k in range(len(leaves)):
            level[k] = max(.02, level[k] + rng.gauss(0, .12) * swing + .05 * (1 - level[k]))
        for r, cap in capacity.items():
            if b % every:
                for table in (held, wanted, entitled):
                    for i in leaves:
                        table[r][i].append(table[r][i][-1])
                continue
            asks = [max(0, level[k] * size[k] * scale * (1 + .6 * math.sin(day * 6.28 + phase[k]))
                        * (1 if k % 3 or r != "nvidia.com/gpu" else .1)) * cap for k in range(len(leaves))]
            there = cap * usable[b]
            fairly = divide(there, asks, weights)
            greedy = divide(there, asks, [a + 1e-9 for a in asks])
            got = [fair * f + (1 - fair) * g for f, g in zip(fairly, greedy)]
            for k, i in enumerate(leaves):
                held[r][i].append(got[k] * .98)
                wanted[r][i].append(asks[k])
                entitled[r][i].append(fairly[k])
        ratios = [held["cpu"][i][-1] / max(1e-9, entitled["cpu"][i][-1]) for i in leaves]
        jain.append(sum(ratios)**2 / (len(ratios) * sum(x * x for x in ratios) + 1e-12))
        envy.append(max(ratios) - min(ratios))
        for i in leaves:
            waiting_of[i].append(max(0.0, wanted["cpu"][i][-1] - held["cpu"][i][-1]) / 8)

    hours = step / 3600
    jobs_of, all_waits, rows, seen = {}, [], [], {}
    for k, i in enumerate(leaves):
        jobs_of[i] = max(1, int(sum(held["cpu"][i]) * hours / 40))
        typical = 200 + 2e4 * max(0, 1 - held["cpu"][i][-1] / max(1e-9, wanted["cpu"][i][-1])) / fair
        summary, values = waits(rng, jobs_of[i], typical)
        all_waits += values
        node = nodes[i]
        counts = histogram(values, jobs_of[i])
        for c, part in enumerate([.6, .25, .1, .05]):
            mine = [round(x * part) for x in counts]
            if any(mine):
                rows.append({"node": i, "class": c, "counts": mine})
                seen[c] = seen.get(c, 0) + sum(mine)
        ratio = [h / max(1e-9, min(e, w)) for h, e, w in zip(held["cpu"][i], entitled["cpu"][i], wanted["cpu"][i])]
        node.update(jobs=jobs_of[i], finished=jobs_of[i] - k % 3, waiting=k % 3, starts=jobs_of[i] + k,
                    evictions=int(rng.random() * 40), preemptions=int(rng.random() * 40), wait=summary,
                    slowdown={**summary, "mean": 3.0, "p50": 1.2, "p90": 9.0, "p99": 40.0, "max": 200.0},
                    blockedSeconds=rng.random() * days * 43200, ratio={"mean": sum(ratio) / n, "least": min(ratio)})
    children = {i: [j for j, x in enumerate(nodes) if x["parent"] == i] for i in range(len(nodes))}

    def leaves_of(i):
        return [i] if not children[i] else [x for c in children[i] for x in leaves_of(c)]

    for i, node in enumerate(nodes):
        mine = leaves_of(i)
        for r in capacity:
            for table, of in (("held", held), ("wanted", wanted), ("entitled", entitled)):
                node.setdefault(table, {})[r] = sum(sum(of[r][x]) for x in mine) / n
            node.setdefault("hours", {})[r] = node["held"][r] * n * hours
            node.setdefault("lostHours", {})[r] = node["hours"][r] * .015 * (1 + i % 4)
        if children[i]:
            summary, _ = waits(rng, sum(jobs_of[x] for x in mine), 3000)
            node.update(wait=summary, slowdown=summary, blockedSeconds=0, ratio={"mean": .9, "least": .4})
            for key in ("jobs", "finished", "waiting", "starts", "evictions", "preemptions"):
                node[key] = sum(nodes[x][key] for x in mine)
    series = []
    for i in range(len(nodes)):
        mine = leaves_of(i)
        row = {"node": i}
        for table, of in (("held", held), ("wanted", wanted), ("entitled", entitled)):
            row[table] = {r: [round(x, 1) for x in total_of([of[r][m] for m in mine])] for r in capacity}
        row["share"] = [round(x / capacity["cpu"], 4) for x in row["held"]["cpu"]]
        row["waiting"] = [round(x, 1) for x in total_of([waiting_of[m] for m in mine])]
        series.append(row)
    flows = []
    for a in leaves:
        for b in leaves:
            if a != b and rng.random() < min(.5, 8 / len(leaves)):
                count = int(rng.paretovariate(.9))
                flows.append({"from": a, "to": b, "reason": rng.choice(["InCohortFairSharing", "InCohortReclamation"]),
                              "count": count, "lostHours": {"cpu": count * 7.5, "nvidia.com/gpu": count * 1.2}})
    if flows:
        flows.append({"from": None, "to": leaves[0], "reason": "MachineFailed", "count": 3, "lostHours": {"cpu": 40.0}})
    summary, _ = waits(rng, sum(jobs_of.values()), 3000 / fair)
    used = {r: nodes[0]["held"][r] / cap for r, cap in capacity.items()}
    return {
        "apiVersion": "fairlead.dev/v1alpha1", "kind": "SimulationReport", "name": name, "policy": "borrow",
        "seed": seed, "ended": "all-done", "start": "2002-07-28T07:04:05Z", "seconds": days * 86400.0,
        "assumptions": ["jobs run as long as the trace says", "machines are not looked at"],
        "resources": [{"name": r, "unit": {"cpu": "cores", "memory": "bytes"}.get(r, "GPUs"), "capacity": cap}
                      for r, cap in capacity.items()],
        "totals": {
            "jobs": nodes[0]["jobs"], "finished": nodes[0]["finished"], "gaveUp": 2, "waiting": nodes[0]["waiting"],
            "running": 4, "excluded": 12, "starts": nodes[0]["starts"], "evictions": nodes[0]["evictions"],
            "cycles": 12345, "events": 98765, "utilisation": used,
            "arrivalUtilisation": {r: u * 1.1 for r, u in used.items()}, "hours": nodes[0]["hours"],
            "lostHours": nodes[0]["lostHours"], "wait": summary,
            "slowdown": {**summary, "mean": 3.1, "p50": 1.2, "p90": 9.3, "p99": 44.0, "max": 213.0},
            "fairness": {"jain": sum(jain) / n, "largestEnvy": max(envy),
                         "blockedRatio": {"mean": .8 * fair + .1, "least": .3 * fair},
                         "corrections": {"n": 41, "p50": 900 / fair, "p90": 7200 / fair, "max": 86400.0}},
            "recordedWait": {**summary, "p50": summary["p50"] * 1.7, "p90": summary["p90"] * 1.4}},
        "nodes": nodes,
        "classes": [{"name": c, "jobs": seen.get(k, 0),
                     "wait": {"n": seen.get(k, 0), "mean": 4e3 * (k + 1), "p50": 300.0 * 4**k, "p90": 5e3 * 3**k,
                              "p99": 3e4 * 2**k, "max": 1e5 * (k + 1)},
                     "largestWait": {"workload": f"trace/job-{rng.randrange(99999)}", "seconds": 1e5 * (k + 1)}}
                    for k, c in enumerate(CLASSES)],
        "waitEdges": EDGES, "waits": rows, "flows": flows,
        "series": {"start": start, "step": step, "n": n,
                   "cluster": {"jain": jain, "jainLeast": [j * .9 for j in jain], "envy": envy, "waiting": total_of(waiting_of.values()),
                               "running": [sum(held["cpu"][i][b] for i in leaves) / 8 for b in range(n)],
                               "capacity": {r: [cap * u for u in usable] for r, cap in capacity.items()},
                               "held": {r: series[0]["held"][r] for r in capacity}},
                   "nodes": series},
        "events": [{"at": .25 * days * 86400, "kind": "changed", "text": f"{nodes[2]['name']} cpu nominal 10"},
                   {"at": .55 * days * 86400, "kind": "failed", "text": "rack-7, a quarter of all"},
                   {"at": .62 * days * 86400, "kind": "back", "text": "rack-7"},
                   {"at": days * 86400 - 3600, "kind": "changed", "text": "cohort physics"}]}


def comparison(points):
    variants = [{"name": name, "report": report(5, 2, 3, 240, name=name, fair=fair)} for name, fair in points]
    return {"apiVersion": "fairlead.dev/v1alpha1", "kind": "ComparisonReport", "name": "half-lives", "variants": variants}


def sweep():
    values = [3600 * f for f in (1, 3, 6, 12, 24, 72, 168, 336, 720)]
    result = comparison([(f"half-life={v // 3600}h", .25 + .75 / (1 + i * .3)) for i, v in enumerate(values)])
    result["sweep"] = {"parameter": "half-life", "unit": "seconds",
                       "points": [{"value": v, "variant": i} for i, v in enumerate(values)]}
    return result


def empty():
    return {"apiVersion": "fairlead.dev/v1alpha1", "kind": "SimulationReport", "name": "nothing", "policy": "borrow",
            "seed": 1, "ended": "all-done", "start": "2026-01-01T00:00:00Z", "seconds": 0.0, "assumptions": [],
            "resources": [], "totals": {"jobs": 0, "finished": 0, "gaveUp": 0, "waiting": 0, "running": 0, "excluded": 0,
                                        "starts": 0, "evictions": 0, "cycles": 0, "events": 0, "utilisation": {},
                                        "hours": {}, "lostHours": {}},
            "nodes": [], "classes": [], "waitEdges": EDGES, "waits": [], "flows": [], "events": []}


def single():
    one = {"n": 1, "mean": 0.0, "p50": 0.0, "p90": 0.0, "p99": 0.0, "max": 0.0}
    node = {"name": "only", "kind": "ClusterQueue", "parent": None, "jobs": 1, "finished": 1, "waiting": 0, "starts": 1,
            "evictions": 0, "preemptions": 0, "wait": one, "slowdown": {**one, "mean": 1.0}, "hours": {"cpu": 2.0},
            "lostHours": {"cpu": 0.0}, "held": {"cpu": 4.0}, "wanted": {"cpu": 4.0}, "entitled": {"cpu": 4.0},
            "blockedSeconds": 0.0}
    result = empty()
    result.update(name="one job", seconds=1800.0, resources=[{"name": "cpu", "unit": "cores", "capacity": 8}],
                  nodes=[node], waits=[{"node": 0, "class": 0, "counts": [1] + [0] * len(EDGES)}],
                  classes=[{"name": "2-8", "jobs": 1, "wait": one, "largestWait": {"workload": "default/a", "seconds": 0.0}}],
                  series={"start": 0.0, "step": 1800.0, "n": 1,
                          "cluster": {"jain": [1.0], "envy": [0.0], "waiting": [0], "running": [1],
                                      "capacity": {"cpu": [8]}, "held": {"cpu": [4.0]}},
                          "nodes": [{"node": 0, "held": {"cpu": [4.0]}, "wanted": {"cpu": [4.0]},
                                     "entitled": {"cpu": [4.0]}, "share": [.5], "waiting": [0]}]})
    result["totals"].update(jobs=1, finished=1, starts=1, cycles=1, events=2, utilisation={"cpu": .5}, hours={"cpu": 2.0},
                            lostHours={"cpu": 0.0}, wait=one)
    return result


SAMPLES = {
    "small": lambda: report(1, 1, 3, 360),
    "medium": lambda: report(3, 3, 4, 512, fair=.6),
    "behind": lambda: report(5, 1, 30, 60, fair=.3),
    "large": lambda: report(2, 4, 65, 1024, swing=.6, every=16, resources=1),
    "comparison": lambda: comparison([("baseline", .55), ("fair sharing", 1.0), ("first come", .2)]),
    "sweep": sweep,
    "empty": empty,
    "single": single,
    "hostile": lambda: report(4, 2, 3, 60, names=HOSTILE, name=HOSTILE[0]),
}

if __name__ == "__main__":
    json.dump(SAMPLES[sys.argv[1]](), sys.stdout, ensure_ascii=False, separators=(",", ":"))
