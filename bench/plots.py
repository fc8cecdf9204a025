# SPDX-License-Identifier: Apache-2.0
"""Pictures as SVG: one file each, in the viewer's light or dark colours, and narrow as a phone."""
import math

WIDTH = 460
LINE = 17               # of text
COLOURS = 4
STYLE = """<style>
text{font:13px system-ui,sans-serif;fill:#333}
.title{font-size:15px;font-weight:600}.small{font-size:12px;fill:#5c6570}.end{text-anchor:end}
.middle{text-anchor:middle}
.back{fill:#fff}.grid{stroke:#d9dde3}.mark{stroke:#5c6570;stroke-dasharray:3 3}
.line{fill:none;stroke-width:2.2;stroke-linejoin:round}.link{stroke:#9aa4b2}
.c0{stroke:#0b62c4}.c1{stroke:#c2410c}.c2{stroke:#15803d}.c3{stroke:#9333ea}
.t0{fill:#0b62c4}.t1{fill:#c2410c}.t2{fill:#15803d}.t3{fill:#9333ea}
@media(prefers-color-scheme:dark){
text{fill:#ddd}.small{fill:#a4adba}
.back{fill:#15181d}.grid{stroke:#323a45}.mark{stroke:#9aa4b2}.link{stroke:#5c6570}
.c0{stroke:#6cb0ff}.c1{stroke:#ff9a66}.c2{stroke:#5fd38a}.c3{stroke:#c99bff}
.t0{fill:#6cb0ff}.t1{fill:#ff9a66}.t2{fill:#5fd38a}.t3{fill:#c99bff}
}
</style>"""


def escape(text):
    return str(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def short(value):
    """Three figures, and no more zeros than they need."""
    return "%.3g" % value if value < 1000 else format(int(float("%.3g" % value)), ",")


def duration(ns):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if ns >= size * 0.9995:
            return "%s %s" % (short(ns / size), unit)
    return "%s ns" % short(ns)


class Axis:
    """A logarithmic axis of whole decades around the values, from one coordinate to another."""

    def __init__(self, values, start, end, show=short):
        self.low = math.floor(math.log10(min(values)) + 1e-9)
        self.high = max(self.low + 1, math.ceil(math.log10(max(values)) - 1e-9))
        self.start, self.end, self.show = start, end, show

    def at(self, value):
        part = (math.log10(value) - self.low) / (self.high - self.low)
        return self.start + part * (self.end - self.start)

    def ticks(self, most=8):
        step = -(-(self.high - self.low) // most)
        return [(self.at(10.0 ** d), self.show(10.0 ** d))
                for d in range(self.low, self.high + 1, step)]


class Picture:
    def __init__(self, title, height):
        self.height = height
        self.parts = ["<title>%s</title>" % escape(title), STYLE,
                      '<rect class="back" width="%d" height="%d"/>' % (WIDTH, height)]
        self.text(12, 22, title, "title")

    def text(self, x, y, text, kind=""):
        self.parts.append('<text class="%s" x="%.1f" y="%.1f">%s</text>' % (
            kind, x, y, escape(text)))

    def values(self, x, y, coloured):
        """Ends at @x; each in the colour of its series."""
        self.parts.append('<text class="end" x="%.1f" y="%.1f">%s</text>' % (x, y, "".join(
            '<tspan class="t%d" dx="%d">%s</tspan>' % (colour, 10 if i else 0, escape(text))
            for i, (colour, text) in enumerate(coloured))))

    def line(self, x1, y1, x2, y2, kind):
        self.parts.append('<line class="%s" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>' % (
            kind, x1, y1, x2, y2))

    def dot(self, x, y, colour, radius=4.5):
        self.parts.append('<circle class="t%d" cx="%.1f" cy="%.1f" r="%.1f"/>' % (
            colour, x, y, radius))

    def bar(self, x, y, width, height, colour):
        self.parts.append('<rect class="t%d" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>' % (
            colour, x, y, max(width, 0.5), height))

    def curve(self, points, colour):
        self.parts.append('<polyline class="line c%d" points="%s"/>' % (
            colour, " ".join("%.1f,%.1f" % p for p in points)))

    def legend(self, y, names):
        """Colours and their names; where it ends."""
        x = 18
        for colour, name in enumerate(names):
            width = 26 + 7 * len(name)
            if x > 18 and x + width > WIDTH:
                x, y = 18, y + LINE
            self.dot(x, y - 4, colour)
            self.text(x + 9, y, name)
            x += width
        return y

    def svg(self):
        return "\n".join(
            ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" '
             'viewBox="0 0 %d %d" role="img">' % (WIDTH, self.height, WIDTH, self.height)]
            + self.parts + ["</svg>", ""])


def dots(title, names, rows, show=duration):
    """A row a thing, a dot a series, on one axis.  @rows: (label, values, None where there is
    none)."""
    top, step = 62, 2 * LINE + 10
    p = Picture(title, top + step * len(rows) + 34)
    p.legend(44, names)
    axis = Axis([v for _, values in rows for v in values if v], 24, WIDTH - 30, show)
    bottom = top + step * len(rows)
    for x, label in axis.ticks(6):
        p.line(x, top, x, bottom, "grid")
        p.text(x, bottom + 18, label, "small middle")
    for i, (label, values) in enumerate(rows):
        y = top + step * i
        at = [axis.at(v) for v in values if v]
        p.text(18, y + 14, label)
        p.line(min(at), y + 30, max(at), y + 30, "link")
        for colour, value in enumerate(values):
            if value:
                p.dot(axis.at(value), y + 30, colour)
        p.values(WIDTH - 18, y + 14, [(c, show(v)) for c, v in enumerate(values) if v])
    return p.svg()


def latency(title, series, marks):
    """@series: (name, [(part that is not slower, ns)]); @marks: (part, ns)."""
    names = [name for name, _ in series]
    top = 44 + LINE * len(names)
    left, right, bottom = 64, WIDTH - 24, top + 230
    p = Picture(title, bottom + 44)
    for i, name in enumerate(names):
        p.dot(18, 40 + LINE * i, i)
        p.text(27, 44 + LINE * i, name)
    values = [v for _, points in series for _, v in points if v > 0] + [v for _, v in marks]
    y = Axis(values, bottom, top, duration)
    x = Axis([1, 1e5], left, right)
    for at, label in y.ticks():
        p.line(left, at, right, at, "grid")
        p.text(left - 6, at + 4, label, "small end")
    for percent in (50, 90, 99, 99.9, 99.99):
        part, label = percent / 100, "%g %%" % percent
        at = x.at(1 / (1 - part))
        p.line(at, top, at, bottom, "grid")
        p.text(at, bottom + 18, label, "small middle")
    p.text(right, bottom + 36, "of all events are as fast as that", "small end")
    for part, ns in marks:
        at = x.at(1 / (1 - part))
        p.line(left, y.at(ns), at, y.at(ns), "mark")
        p.line(at, y.at(ns), at, bottom, "mark")
    for colour, (_, points) in enumerate(series):
        p.curve([(x.at(1 / (1 - part)), y.at(ns)) for part, ns in points if ns > 0], colour)
    return p.svg()


def panels(title, series, show):
    """Two panels a row, one a series: its points over the size, and the exponent.  @show: of a
    value and its unit."""
    wide, high, gap = (WIDTH - 36) / 2, 168, 12
    p = Picture(title, int(34 + math.ceil(len(series) / 2) * high))
    for i, one in enumerate(series):
        left, top = 12 + (i % 2) * (wide + gap), 34 + (i // 2) * high
        p.text(left, top + 14, one["title"])
        p.text(left, top + 14 + LINE, "exponent %.2f" % one["exponent"], "t%d" % (i % COLOURS))
        points = one["points"]
        x = Axis([n for n, _ in points], left + 58, left + wide - 12)
        y = Axis([v for _, v in points], top + high - 36, top + 44,
                 lambda v, unit=one["unit"]: show(v, unit))
        for at, label in y.ticks(4):
            p.line(left + 52, at, left + wide - 6, at, "grid")
            p.text(left + 47, at + 4, label, "small end")
        for at, label in x.ticks(4):
            p.text(at, top + high - 18, {"1,000,000": "1 M", "100,000": "100 k", "10,000": "10 k",
                                         "1,000": "1 k"}.get(label, label), "small middle")
        p.curve([(x.at(n), y.at(v)) for n, v in points], i % COLOURS)
        for n, v in points:
            p.dot(x.at(n), y.at(v), i % COLOURS, 3)
    return p.svg()


def bars(title, names, rows, mark):
    """A stacked bar a row: (label, parts).  A line is drawn at @mark: (value, what it is)."""
    top, step = 62, 2 * LINE + 16
    p = Picture(title, top + step * len(rows) + 30)
    p.legend(44, names)
    scale = (WIDTH - 36) / max([sum(parts) for _, parts in rows] + [mark[0]])
    for i, (label, parts) in enumerate(rows):
        x, y = 18, top + step * i
        p.text(18, y + 14, label)
        p.text(WIDTH - 18, y + 14, short(sum(parts)), "end")
        for colour, part in enumerate(parts):
            p.bar(x, y + 21, part * scale, 16, colour)
            x += part * scale
    x, bottom = 18 + mark[0] * scale, top + step * len(rows)
    p.line(x, top + 18, x, bottom - 2, "mark")
    right = x > WIDTH / 2
    p.text(x + (4 if right else -4), bottom + 13, mark[1], "small end" if right else "small")
    return p.svg()
