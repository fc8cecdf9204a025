// SPDX-License-Identifier: Apache-2.0
// entitled - what each queue held, wanted and was entitled to: one small chart each

import { App, Plots } from "../app";
import { CardSpec } from "../card";
import { h, named, swatch } from "../dom";
import { amount, axisUnit, percent } from "../format";
import { Part } from "../run";
import { Layer } from "../time_plot";

const MOST = 12;

function panel(app: App, plots: Plots, part: Part, width: number): HTMLElement {
	const { resource } = app.state.now, unit = app.run.unitOf(resource), { held, wanted, entitled } = part.series;
	const none = Array<null>(app.run.time!.n).fill(null);
	const layers: Layer[] = [
		{ name: "held", colour: part.colour, values: held[resource] ?? none, kind: "band" },
		{ name: "wanted", colour: "var(--quiet)", values: wanted[resource] ?? none, kind: "line", dash: "dotted", loose: true },
		{ name: "entitled", colour: "var(--ink)", values: entitled[resource] ?? none, kind: "line" },
	];
	return h("figure", { class: "panel" }, h("figcaption", {}, swatch(part.colour), named(part.name)),
		plots.add({ label: `${part.name}: held, wanted and entitled`, layers, geometry: app.run.time!, height: 130,
			format: (x) => amount(x, unit), unit: axisUnit(unit), events: app.events, ticks: 3 }, width, part.name));
}

export function entitled(app: App): CardSpec | null {
	const { run, state } = app, { node, resource } = state.now;
	if (!run.time)
		return null;
	const parts = run.parts(node, resource, MOST, (nodes) => run.byMissed(nodes)).filter((p) => p.node !== null || p.series.entitled[resource]);
	const plots = new Plots(state);
	const leaves = run.leavesBelow(node), behind = leaves.filter((i) => (run.report.nodes[i]!.ratio?.mean ?? 1) < 0.9).length;
	return {
		id: "entitled", title: `What each held of the ${resource}, and what it was entitled to`, wide: true,
		says: behind ? `${behind} of ${leaves.length} queues held less than ${percent(0.9)} of what they were entitled to while they waited; those that missed most come first.`
			: undefined,
		help: "The band is what the queue held, the solid line what fair sharing entitled it to at that moment, the dotted line " +
			"what it wanted. A band below the solid line, with the dotted line above, is a queue that waits for its share; a band " +
			"above the solid line borrows. Each chart has its own scale.",
		draw: (width) => {
			plots.clear();
			const columns = Math.max(1, Math.min(parts.length, Math.floor(width / 300)));
			const each = Math.floor((width - (columns - 1) * 16) / columns);
			const grid = h("div", { class: "panels" }, ...parts.map((part) => panel(app, plots, part, each)));
			grid.style.gridTemplateColumns = `repeat(${columns}, ${each}px)`;
			return h("div", {}, h("p", { class: "key" }, h("i", { class: "key-band" }), "held ", h("i", { class: "key-line" }),
				"entitled ", h("i", { class: "key-dots" }), "wanted"), grid);
		},
		table: () => plots.table(),
	};
}
