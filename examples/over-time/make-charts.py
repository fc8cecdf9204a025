#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make-charts.py [--build DIR] - doc/guide/over-time-*.svg, from what the simulations here come to

Runs fairlead and draws what each queue held over time, stacked.  Those of THEMED are written for a
light and a dark page, too: a README names both, since there the page's theme counts, not the reader's system.
"""
import argparse
import csv
import os
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
HOUR, DAY = 3600, 86400
LEFT, RIGHT, TOP, BOTTOM, WIDTH, HEIGHT = 52, 110, 44, 34, 760, 240

# name, title, files, column, queues, height of all, until, one point each, one tick each
CHARTS = [
	("two-coasts", "CPUs of two teams on two coasts, a working week", ["two-coasts.yaml"], "cpu",
	 ["team-e", "team-w"], 260, 5 * DAY, HOUR / 2, DAY),
	("by-turns", "GPUs of three users with jobs of an hour, two days", ["by-turns-three.yaml"],
	 "nvidia.com/gpu", ["blue", "green", "red"], 32, 2 * DAY, HOUR / 2, DAY / 4),
	("burst", "GPUs: a burst twice a week among training", ["burst.yaml"], "nvidia.com/gpu",
	 ["quick", "blue", "green", "red"], 40, 14 * DAY, 3 * HOUR, 2 * DAY),
	("guaranteed", "GPUs of three teams; red and green train from the second week on",
	 ["guaranteed.yaml"], "nvidia.com/gpu", ["blue", "green", "red"], 32, 21 * DAY, 3 * HOUR, 7 * DAY),
	("budgets", "GPUs of three teams with budgets of 30 days", ["budgets.yaml", "budgets-kept.yaml"],
	 "nvidia.com/gpu", ["blue", "green", "red"], 8, 60 * DAY, 6 * HOUR, 10 * DAY),
]
THEMED = ["two-coasts"]
COLOURS = {"blue": 0, "team-e": 0, "red": 1, "team-w": 1, "green": 2, "quick": 3}
STYLE = """text{font:13px system-ui,sans-serif;fill:#333}
.title{font-size:15px;font-weight:600}.small{font-size:12px;fill:#666}
.back{fill:#fff}.grid{stroke:#d9dde3}.c0{fill:#0b62c4}.c1{fill:#c2410c}.c2{fill:#15803d}.c3{fill:#9333ea}
@media(prefers-color-scheme:dark){
text{fill:#ddd}.small{fill:#9aa4b2}
.back{fill:#15181d}.grid{stroke:#323a45}.c0{fill:#6cb0ff}.c1{fill:#ff9a66}.c2{fill:#5fd38a}.c3{fill:#c99bff}
}"""


def series(fairlead, files, until, column):
	"""{queue: [(time, held)]}; a row's held is the mean from its time to the next one's."""
	with tempfile.TemporaryDirectory() as folder:
		subprocess.run([fairlead, "simulate", "--until", f"{until}s", "--out", folder]
			       + [a for f in files for a in ("-f", f)],
			       cwd=HERE, check=True, stdout=subprocess.DEVNULL)
		found = {}
		with open(os.path.join(folder, "series.csv"), encoding="utf-8", newline="") as f:
			for row in csv.DictReader(f):
				if row[column + " held"]:
					found.setdefault(row["queue"], []).append(
						(float(row["time"]), float(row[column + " held"])))
	return found


def means(rows, until, step):
	"""The mean over each step."""
	sums = [[0, 0] for _ in range(int(until / step))]
	for at, held in rows:
		i = int(at / step)
		if i < len(sums):
			sums[i][0] += held
			sums[i][1] += 1
	out, last = [], 0.0
	for total, n in sums:
		last = total / n if n else last
		out.append(last)
	return out


def area(low, high, x, y):
	"""One step after the other, there above and back below."""
	up = "".join(f"V{y(v):.1f}H{x(i + 1):.1f}" for i, v in enumerate(high))
	down = "".join(f"V{y(low[i]):.1f}H{x(i):.1f}" for i in reversed(range(len(low))))
	return f"M{x(0):.1f} {y(low[0]):.1f}{up}{down}Z"


def draw(title, queues, rows, top, until, step, tick):
	stacked, below = [], [0.0] * int(until / step)
	for q in queues:
		above = [a + b for a, b in zip(below, means(rows.get(q, []), until, step))]
		stacked.append((below, above))
		below = above
	def x(i):
		return LEFT + (WIDTH - LEFT - RIGHT) * i * step / until
	def y(v):
		return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * v / top
	out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
	       f"<title>{title}</title>", f"<style>\n{STYLE}\n</style>",
	       f'<rect class="back" width="{WIDTH}" height="{HEIGHT}"/>',
	       f'<text class="title" x="16" y="26">{title}</text>']
	for part in (0, 0.25, 0.5, 0.75, 1):
		out.append(f'<path class="grid" d="M{LEFT} {y(top * part):.1f}H{WIDTH - RIGHT}"/>'
			   f'<text class="small" x="{LEFT - 8}" y="{y(top * part) + 4:.1f}" '
			   f'text-anchor="end">{top * part:g}</text>')
	for i, (low, high) in enumerate(stacked):
		colour = COLOURS[queues[i]]
		out.append(f'<path class="c{colour}" d="{area(low, high, x, y)}"/>')
		out.append(f'<rect class="c{colour}" x="{WIDTH - RIGHT + 14}" y="{TOP + 22 * (len(queues) - 1 - i)}" '
			   f'width="12" height="12"/><text x="{WIDTH - RIGHT + 32}" '
			   f'y="{TOP + 11 + 22 * (len(queues) - 1 - i)}">{queues[i]}</text>')
	at = 0
	while at <= until:
		label = f"{at / HOUR:g}h" if tick < DAY else f"day {at / DAY:g}"
		out.append(f'<text class="small" x="{x(at / step):.1f}" y="{HEIGHT - 12}" '
			   f'text-anchor="middle">{label}</text>')
		at += tick
	return "\n".join(out + ["</svg>", ""])


def themed(picture):
	"""{"light": ..., "dark": ...} of a picture that has both."""
	light, dark = STYLE.removesuffix("\n}").split("\n@media(prefers-color-scheme:dark){\n")
	return {"light": picture.replace(STYLE, light), "dark": picture.replace(STYLE, light + "\n" + dark)}


def write(name, text):
	with open(os.path.join(ROOT, "doc", "guide", f"over-time-{name}.svg"), "w", encoding="utf-8") as f:
		f.write(text)


def main():
	parser = argparse.ArgumentParser(description=__doc__)
	parser.add_argument("--build", default=os.path.join(ROOT, "build"))
	fairlead = os.path.join(parser.parse_args().build, "fairlead")
	for name, title, files, column, queues, top, until, step, tick in CHARTS:
		rows = series(fairlead, files, until, column)
		picture = draw(title, queues, rows, top, until, step, tick)
		write(name, picture)
		if name in THEMED:
			for theme, text in themed(picture).items():
				write(f"{name}-{theme}", text)


if __name__ == "__main__":
	main()
