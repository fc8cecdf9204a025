// SPDX-License-Identifier: Apache-2.0
// stacked - usage, and what waits, over time: stacked along the tree, one level at a time

import { App, Plots } from "../app";
import { CardSpec } from "../card";
import { h, named, swatch } from "../dom";
import { amount, axisUnit, count, number, percent } from "../format";
import { NodeSeries, Values } from "../report";
import { Part, Run } from "../run";
import { Layer } from "../time_plot";

export const MOST_PARTS = 10;

/** Where in the tree we are, each step a way back up. */
function crumbs(app: App): HTMLElement {
	const { run, state } = app, path: (number | null)[] = [];
	for (let node = state.now.node; node !== null; node = run.report.nodes[node]!.parent)
		path.unshift(node);
	if (run.roots.length > 1 || !path.length)
		path.unshift(null);
	const text = (node: number | null): Node | string => node === null ? "everything" : named(run.nameOf(node));
	return h("nav", { class: "crumbs", "aria-label": "place in the tree" }, h("span", { class: "in" }, "in"), ...path.map((node, i) =>
		i === path.length - 1 ? h("span", { "aria-current": "true" }, text(node))
			: h("button", { type: "button", click: () => state.set({ node }) }, text(node))));
}

function legend(app: App, parts: Part[], value: (part: Part) => string): HTMLElement {
	return h("ul", { class: "legend" }, ...parts.map((part) => {
		const inside = [swatch(part.colour), named(part.name), h("span", { class: "value" }, value(part))];
		const opens = part.node !== null && app.run.children[part.node]!.length > 0 && part.node !== app.state.now.node;
		return h("li", {}, opens ? h("button", { type: "button", title: "Look inside",
			click: () => app.state.set({ node: part.node }) }, ...inside, h("span", { class: "into", "aria-hidden": "true" }, "›"))
			: h("span", {}, ...inside));
	}));
}

function mean(values: Values): number {
	let sum = 0, n = 0;
	for (const value of values)
		if (value !== null && value !== undefined) {
			sum += value;
			n++;
		}
	return n ? sum / n : 0;
}

/** The line above the bands: what there is, or for a part of the tree what it is entitled to. */
function ceiling(run: Run, node: number | null, resource: string): Layer | null {
	const whole = node === null || run.report.nodes[node]!.parent === null;
	const values = whole ? run.capacity(resource) : run.seriesOf(node!)?.entitled?.[resource];
	return values ? { name: whole ? "capacity" : "entitled", colour: "var(--ink)", values, kind: "line", dash: "dashed" } : null;
}

export function layersOf(run: Run, parts: Part[], pick: (s: NodeSeries) => Values | undefined): Layer[] {
	return parts.map((part) => ({ name: part.name, colour: part.colour, kind: "band" as const,
		values: pick(part.series) ?? Array<null>(run.time!.n).fill(null) }));
}

export function usage(app: App): CardSpec | null {
	const { run, state } = app, { node, resource } = state.now;
	if (!run.time)
		return null;
	const unit = run.unitOf(resource), parts = run.parts(node, resource, MOST_PARTS);
	const top = ceiling(run, node, resource), plots = new Plots(state);
	const layers = [...layersOf(run, parts, (s) => s.held[resource]), ...(top ? [top] : [])];
	const used = parts.map((part) => mean(part.series.held[resource] ?? []));
	const all = used.reduce((a, b) => a + b, 0), own = used.map((x, i) => parts[i]!.node === null ? -1 : x);
	const biggest = own.indexOf(Math.max(...own));
	return {
		id: "usage", title: `Who used the ${resource}, over time`, wide: true,
		says: parts.length > 1 && all > 0
			? `${fold(parts[biggest]!.name)} used most: ${percent(used[biggest]! / all)} of what was used here, ${
				amount(used[biggest]!, unit)} on average.` : undefined,
		help: "Each band is what one queue or cohort held; together they are what was used. The dashed line is what there was " +
			"(or, inside a cohort, what it was entitled to): the room below it was free. Press a name with › to look inside it. " +
			"Drag over the chart to see a span of time in all charts; click to pin a moment; a double click shows everything again. " +
			"Triangles mark changes, failures and what came back.",
		draw: (width) => {
			plots.clear();
			return h("div", {}, crumbs(app), plots.add({ label: `Use of ${resource}, stacked by queue`, layers,
				geometry: run.time!, height: width < 520 ? 220 : 300, format: (x) => amount(x, unit), unit: axisUnit(unit), events: app.events }, width),
				legend(app, parts, (part) => amount(mean(part.series.held[resource] ?? []), unit)));
		},
		table: () => plots.table(),
	};
}

export function waiting(app: App): CardSpec | null {
	const { run, state } = app, { node } = state.now;
	const whole = run.report.series?.cluster;
	if (!run.time || !whole?.waiting)
		return null;
	const parts = run.parts(node, state.now.resource, MOST_PARTS), plots = new Plots(state);
	const most = Math.max(0, ...whole.waiting.map((x) => x ?? 0));
	if (!most)
		return null;
	return {
		id: "waiting", title: "How many jobs waited, over time",
		says: `At the worst moment ${count(most)} jobs waited in all.`,
		help: "Jobs that had arrived and did not run, stacked by the queues of the same part of the tree as above. A hill that " +
			"goes down again is a burst that was worked off; one that only grows is a queue that asks for more than it can ever get.",
		draw: (width) => {
			plots.clear();
			return plots.add({ label: "Jobs that waited, stacked by queue", layers: layersOf(run, parts, (s) => s.waiting),
				geometry: run.time!, height: width < 520 ? 200 : 280, format: number, events: app.events }, width);
		},
		table: () => plots.table(),
	};
}

/** A name inside a sentence: short enough, and closed off from the direction of what follows. */
export function fold(name: string): string {
	const letters = Array.from(name);
	return "\u2068" + (letters.length > 40 ? letters.slice(0, 39).join("") + "…" : name) + "\u2069";
}
