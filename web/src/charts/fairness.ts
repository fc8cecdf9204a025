// SPDX-License-Identifier: Apache-2.0
// fairness - Jain's index and envy over time; what blocked queues held of what they were entitled to

import { App, Plots } from "../app";
import { linearAxis } from "../axis";
import { CardSpec } from "../card";
import { h, svg } from "../dom";
import { count, duration, number, percent } from "../format";
import { filled, Row, rowPlot, stroked } from "../row_plot";
import { Layer } from "../time_plot";
import { tipContent } from "../tip";
import { fold } from "./stacked";

export function fairness(app: App): CardSpec | null {
	const { run, state } = app, cluster = run.report.series?.cluster, totals = run.report.totals.fairness;
	if (!run.time || !cluster?.jain)
		return null;
	const plots = new Plots(state), corrections = totals?.corrections;
	const says = [
		totals?.jain !== undefined ? `Jain's index ${totals.jain.toFixed(2)} on average (1 is even).` : "",
		corrections?.n ? `Of ${count(corrections.n)} times that a waiting queue fell behind, half were put right within ${
			duration(corrections.p50)}, nine in ten within ${duration(corrections.p90)}.` : "",
	].filter(Boolean).join(" ");
	return {
		id: "fairness", title: "How fair it was, over time", says,
		help: "Jain's index of held / entitled over the queues that want something: 1 when all get the same part of what they are " +
			"entitled to, towards 0 when few get all. Envy is the largest distance between a queue that waits below its share and " +
			"another one: 0.5 means somebody had half a share more. Where there is more time than room, the line is at the largest.",
		draw: (width) => {
			plots.clear();
			const part = (label: string, layers: Layer[], ymax?: number) => h("figure", { class: "panel" }, h("figcaption", {}, label),
				plots.add({ label, geometry: run.time!, height: 120, ymax, yleast: 0.2, format: (x) => number(x), layers,
					events: app.events, ticks: 3 }, width));
			const jain: Layer[] = [{ name: "Jain's index", colour: "var(--accent)", values: cluster.jain!, kind: "line" }];
			if (cluster.jainLeast)
				jain.unshift({ name: "least", colour: "var(--quiet)", values: cluster.jainLeast, kind: "line", dash: "dotted", merge: "least" });
			return h("div", {}, part("Jain's index (1 is even): mean, and dotted the least", jain, 1.02),
				cluster.envy ? part("Largest envy (0 is none)", [{ name: "largest envy", colour: "var(--accent)", values: cluster.envy,
					kind: "line", merge: "most" }]) : null);
		},
		table: () => plots.table(),
	};
}

const FIRST = 14;

export function blocked(app: App): CardSpec | null {
	const { run } = app, nodes = run.report.nodes;
	const rows = run.byMissed(run.leaves.filter((i) => nodes[i]!.ratio?.mean !== undefined && (nodes[i]!.blockedSeconds ?? 0) > 0));
	if (!rows.length)
		return null;
	const worst = rows[0]!, most = Math.max(1, ...rows.map((i) => nodes[i]!.ratio!.mean));
	const row = (i: number): Row => {
		const { ratio, blockedSeconds, name } = nodes[i]!, colour = run.colourOf(i);
		return {
			name, colour, value: percent(ratio!.mean),
			tip: () => tipContent(name, [{ name: "mean of held / entitled", value: percent(ratio!.mean) },
				{ name: "least", value: percent(ratio!.least) }, { name: "time with something waiting", value: duration(blockedSeconds!) }]),
			draw: (x, top, height) => [
				stroked(svg("line", { class: "range", x1: x(ratio!.least), x2: x(ratio!.mean), y1: top + height / 2, y2: top + height / 2 }), colour),
				filled(svg("circle", { class: "dot", cx: x(ratio!.mean), cy: top + height / 2, r: 5 }), colour),
				stroked(svg("line", { class: "range", x1: x(ratio!.least), x2: x(ratio!.least), y1: top + 4, y2: top + height - 4 }), colour)],
		};
	};
	return {
		id: "blocked", title: "What waiting queues held of what they were entitled to",
		says: `${fold(nodes[worst]!.name)} was kept from most of its own: it had ${percent(nodes[worst]!.ratio!.mean)} of it while it waited, in all ${
			duration(nodes[worst]!.blockedSeconds!)}.`,
		help: "Only moments count at which something of the queue waited. The dot is the mean of held / entitled, the line goes down to " +
			"the least. At 100 % (the dashed line) a queue waits because it wants more than its share, and that is fair; left of it " +
			"somebody else has what it should have. First come those that missed most: how far behind, times how long.",
		draw: (width) => rowPlot({ label: "Held of entitled, by queue", rowHeight: 18, rows: rows.slice(0, FIRST).map(row),
			axis: linearAxis(most, percent, width < 520 ? 3 : 5, 1) }, width),
		table: () => ({
			columns: [{ title: "queue" }, { title: "mean held / entitled", format: percent }, { title: "least", format: percent },
				{ title: "time blocked", format: duration }],
			rows: rows.map((i) => [nodes[i]!.name, nodes[i]!.ratio!.mean, nodes[i]!.ratio!.least, nodes[i]!.blockedSeconds]),
		}),
	};
}
