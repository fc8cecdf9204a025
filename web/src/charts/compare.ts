// SPDX-License-Identifier: Apache-2.0
// compare - variants of one workload beside each other, and the trade-off of a sweep

import { App, Plots, Sweep } from "../app";
import { durationAxis, linearAxis } from "../axis";
import { CardSpec } from "../card";
import { h, named, svg, swatch } from "../dom";
import { amount, axisUnit, count, duration, hours, number, parameter, percent } from "../format";
import { resample, Run } from "../run";
import { filled, rowPlot } from "../row_plot";
import { Values } from "../report";
import { tipContent } from "../tip";
import { layersOf, MOST_PARTS } from "./stacked";
import { quantileMarks, quantileRows } from "./waits";

/** A figure of a run, and whether more of it is better. */
interface Measure {
	name: string;
	of: (run: Run) => number | undefined;
	format: (x: number) => string;
	better: "more" | "less";
}

export function measures(resource: string, unit: string): Measure[] {
	return [
		{ name: "Jain's index", of: (r) => r.report.totals.fairness?.jain, format: (x) => x.toFixed(3), better: "more" },
		{ name: "held of entitled", of: (r) => r.report.totals.fairness?.blockedRatio?.mean, format: percent, better: "more" },
		{ name: `use of ${resource}`, of: (r) => r.report.totals.utilisation[resource], format: percent, better: "more" },
		{ name: "median wait", of: (r) => r.report.totals.wait?.p50, format: duration, better: "less" },
		{ name: "90 % wait", of: (r) => r.report.totals.wait?.p90, format: duration, better: "less" },
		{ name: "longest wait", of: (r) => r.report.totals.wait?.max, format: duration, better: "less" },
		{ name: "jobs stopped", of: (r) => r.report.totals.evictions, format: count, better: "less" },
		{ name: lostName(unit), of: (r) => r.report.totals.lostHours[resource],
			format: (x) => unit === "bytes" ? hours(x, unit) : number(x), better: "less" },
	];
}

/** "lost core-hours" */
export function lostName(unit: string): string {
	return `lost ${unit === "bytes" ? "" : unit.replace(/s$/, "-")}hours`;
}

/** Six colours apart; of more variants a row from one colour to another, as of a sweep. */
export function variantColour(i: number, count: number): string {
	return count <= 6 ? `var(--v${i})` : `color-mix(in srgb, var(--v1), var(--v2) ${Math.round(i / (count - 1) * 100)}%)`;
}

function difference(measure: Measure, value: number, base: number): HTMLElement {
	const by = value - base, same = Math.abs(by) <= 0.005 * Math.abs(base);
	const good = same ? "same" : (by > 0) === (measure.better === "more") ? "good" : "bad";
	const text = by === 0 ? "the same" : same ? "about the same" : `${by > 0 ? "+" : "−"}${base ? percent(Math.abs(by / base)) : measure.format(Math.abs(by))}`;
	return h("small", { class: good }, same ? text : `${text} ${good === "good" ? "better" : "worse"}`);
}

export function keyFigures(app: App): CardSpec {
	const { runs, state } = app, { resource } = state.now, base = runs[0]!;
	const list = measures(resource, base.unitOf(resource)).filter((m) => runs.some((r) => m.of(r) !== undefined));
	const cell = (m: Measure, run: Run, i: number): HTMLElement => {
		const value = m.of(run), first = m.of(base);
		return h("td", { class: "number" }, value === undefined ? "–" : m.format(value),
			i && value !== undefined && first !== undefined ? difference(m, value, first) : null);
	};
	return {
		id: "compared", title: "The variants compared", wide: true,
		says: `Differences are to \u2068${base.name}\u2069, the first.`,
		help: "One workload, run once for each variant. Better and worse are meant for one figure alone: a variant that is fairer may " +
			"well lose more work. Press a variant's name to see all charts of it below.",
		draw: () => h("div", { class: "table-scroll", tabindex: 0, role: "region", "aria-label": "figures of the variants" },
			h("table", { class: "compared" }, h("thead", {}, h("tr", {}, h("th", {}, "variant"), ...list.map((m) => h("th", { scope: "col" }, m.name)))),
				h("tbody", {}, ...runs.map((run, i) => h("tr", {}, h("th", { scope: "row" }, h("button", { type: "button", class: "plain",
					click: () => state.set({ variant: i }) }, swatch(variantColour(i, runs.length)), named(run.name))),
					...list.map((m) => cell(m, run, i))))))),
		table: () => ({ columns: [{ title: "variant" }, ...list.map((m) => ({ title: m.name, format: m.format }))],
			rows: runs.map((run) => [run.name, ...list.map((m) => m.of(run))]) }),
	};
}

const PANELS = 9;

export function usages(app: App): CardSpec | null {
	const { runs, state } = app, { node, resource } = state.now, plots = new Plots(state);
	const timed = runs.filter((r) => r.time && (node === null || r.report.nodes[node]));
	if (!timed.length)
		return null;
	const unit = timed[0]!.unitOf(resource);
	const top = node === null || timed[0]!.report.nodes[node]!.parent === null
		? Math.max(...timed.map((r) => Math.max(0, ...r.capacity(resource).map((x) => x ?? 0)))) : undefined;
	const panel = (run: Run, width: number): HTMLElement => h("figure", { class: "panel" }, h("figcaption", {}, named(run.name)),
		plots.add({ label: `${run.name}: use of ${resource}`, geometry: run.time!, height: 170, ymax: top && top * 1.05, ticks: 3,
			format: (x) => amount(x, unit), unit: axisUnit(unit), events: run.events,
			layers: layersOf(run, run.parts(node, resource, MOST_PARTS), (s) => s.held[resource]) }, width, run.name));
	return {
		id: "usages", title: `Who used the ${resource}, in each variant`, wide: true,
		help: "The same queues in the same colours, one chart for each variant, all with the same scales: what moves between them is " +
			"what the variant changes." + (timed.length > PANELS ? ` The first ${PANELS} variants are drawn.` : ""),
		draw: (width) => {
			plots.clear();
			const shown = timed.slice(0, PANELS), columns = Math.max(1, Math.min(shown.length, Math.floor(width / 320), 3));
			const each = Math.floor((width - (columns - 1) * 16) / columns);
			const grid = h("div", { class: "panels" }, ...shown.map((run) => panel(run, each)));
			grid.style.gridTemplateColumns = `repeat(${columns}, ${each}px)`;
			const parts = timed[0]!.parts(node, resource, MOST_PARTS);
			return h("div", {}, grid, h("ul", { class: "legend" }, ...parts.map((p) => h("li", {}, h("span", {}, swatch(p.colour), named(p.name))))));
		},
		table: () => plots.table(),
	};
}

function overlay(app: App, id: string, title: string, help: string, pick: (run: Run) => Values | undefined,
	format: (x: number) => string, ymax?: number): CardSpec | null {
	const { runs, state } = app, plots = new Plots(state), base = runs.find((r) => r.time && pick(r));
	if (!base)
		return null;
	const layers = runs.map((run, i) => ({ run, i })).filter(({ run }) => run.time && pick(run)).map(({ run, i }) => ({
		name: run.name, colour: variantColour(i, runs.length), kind: "line" as const,
		values: resample(pick(run)!, run.time!, base.time!) }));
	return {
		id, title, help,
		draw: (width) => {
			plots.clear();
			return h("div", {}, plots.add({ label: title, layers, geometry: base.time!, height: 200, format, ymax, events: base.events }, width),
				h("ul", { class: "legend" }, ...layers.map((l) => h("li", {}, h("span", {}, swatch(l.colour), named(l.name))))));
		},
		table: () => plots.table(),
	};
}

export function overlays(app: App): (CardSpec | null)[] {
	return [
		overlay(app, "jains", "How fair each variant was, over time", "Jain's index of held / entitled: 1 is even. One line for each variant.",
			(r) => r.report.series?.cluster.jain, (x) => number(x), 1.02),
		overlay(app, "queueing", "How many jobs waited in each variant", "All jobs that waited, of all queues. One line for each variant.",
			(r) => r.report.series?.cluster.waiting, number),
	];
}

export function waitsCompared(app: App): CardSpec | null {
	const { runs } = app, timed = runs.map((run, i) => ({ run, i, wait: run.report.totals.wait })).filter(({ wait }) => wait?.n);
	if (!timed.length)
		return null;
	return {
		id: "waits-compared", title: "How long jobs waited in each variant",
		help: "The dot is the median, the thick line goes to what nine in ten do not pass, the thin one to 99 in a hundred; the diamond is the " +
			"longest wait. The axis is logarithmic.",
		draw: (width) => rowPlot({ label: "Waits by variant", rowHeight: 22, axis: durationAxis(Math.max(...timed.map(({ wait }) => wait!.max))),
			rows: timed.map(({ run, i, wait }) => ({ name: run.name, value: `90 % ≤ ${duration(wait!.p90)}`,
				tip: () => tipContent(run.name, quantileRows(wait!)),
				draw: (x, top, height) => quantileMarks(wait!, x, top + height / 2, variantColour(i, runs.length)) })) }, width),
		table: () => ({ columns: [{ title: "variant" }, { title: "jobs", format: count }, ...["median", "90 %", "99 %", "longest"].map((title) =>
			({ title, format: duration }))],
			rows: timed.map(({ run, wait }) => [run.name, wait!.n, wait!.p50, wait!.p90, wait!.p99, wait!.max]) }),
	};
}

const QUEUES = 12;

export function ratiosCompared(app: App): CardSpec | null {
	const { runs } = app, base = runs[0]!;
	const byPath = runs.map((run) => new Map(run.leaves.map((i) => [run.path(i), run.report.nodes[i]!.ratio?.mean] as const)));
	const spread = (path: string): number => {
		const known = byPath.map((m) => m.get(path)).filter((x): x is number => x !== undefined);
		return known.length ? Math.max(...known) - Math.min(...known) : -1;
	};
	const leaves = base.leaves.filter((i) => spread(base.path(i)) >= 0)
		.sort((a, b) => spread(base.path(b)) - spread(base.path(a)) || a - b);
	if (!leaves.length)
		return null;
	const of = (i: number): (number | undefined)[] => byPath.map((m) => m.get(base.path(i)));
	return {
		id: "ratios-compared", title: "What waiting queues held of their share, in each variant",
		says: "The queues for which the variants differ most come first.",
		help: "A dot for each variant: the mean of held / entitled while something of the queue waited. The dashed line is its full share.",
		draw: (width) => h("div", {}, rowPlot({ label: "Held of entitled, by queue and variant", rowHeight: 18,
			axis: linearAxis(Math.max(1, ...leaves.flatMap((i) => of(i).map((x) => x ?? 0))), percent, width < 520 ? 3 : 5, 1),
			rows: leaves.slice(0, QUEUES).map((i) => ({ name: base.nameOf(i), colour: base.colourOf(i), value: "",
				tip: () => tipContent(base.nameOf(i), of(i).map((x, v) => ({ name: runs[v]!.name, value: x === undefined ? "–" : percent(x),
					mark: swatch(variantColour(v, runs.length)) }))),
				draw: (x, top, height) => {
					const known = of(i).filter((v): v is number => v !== undefined), y = top + height / 2;
					return [svg("line", { class: "between", x1: x(Math.min(...known)), x2: x(Math.max(...known)), y1: y, y2: y }),
						...of(i).flatMap((value, v) => value === undefined ? [] : [filled(svg("circle", { class: "dot", cx: x(value), cy: y, r: 5 }),
							variantColour(v, runs.length))])];
				} })) }, width),
			h("ul", { class: "legend" }, ...runs.map((run, v) => h("li", {}, h("span", {}, swatch(variantColour(v, runs.length)), named(run.name)))))),
		table: () => ({ columns: [{ title: "queue" }, ...runs.map((r) => ({ title: r.name, format: percent }))],
			rows: leaves.map((i) => [base.nameOf(i), ...of(i)]) }),
	};
}

export function sweepTable(app: App, sweep: Sweep, list: Measure[]) {
	return { columns: [{ title: sweep.parameter, format: (x: number) => parameter(x, sweep.unit) }, { title: "variant" },
		...list.map((m) => ({ title: m.name, format: m.format }))],
		rows: sweep.points.map((p) => [p.value, app.runs[p.variant]!.name, ...list.map((m) => m.of(app.runs[p.variant]!))]) };
}
