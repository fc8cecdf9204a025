// SPDX-License-Identifier: Apache-2.0
// waits - how long jobs waited: a histogram for each queue or size class, and the longest of each

import { durationAxis } from "../axis";
import { App } from "../app";
import { CardSpec, choices } from "../card";
import { h, svg } from "../dom";
import { count, duration, percent } from "../format";
import { Quantiles } from "../report";
import { Run } from "../run";
import { filled, Row, rowPlot, stroked } from "../row_plot";
import { Table } from "../table";
import { tipContent } from "../tip";
import { fold } from "./stacked";

interface Group {
	name: string;
	colour: string;
	counts: number[];
	wait?: Quantiles | null;
}

const MOST = 12;

function grouped(run: Run, by: "queue" | "class", klass: number | null): Group[] {
	const groups = new Map<number, Group>(), { waits = [], classes = [], nodes, waitEdges = [] } = run.report;
	for (const row of waits) {
		if (by === "queue" && klass !== null && row.class !== klass)
			continue;
		const key = by === "queue" ? row.node : row.class;
		let group = groups.get(key);
		if (!group) {
			const whole = klass === null || by === "class";
			group = by === "queue"
				? { name: nodes[key]!.name, colour: run.colourOf(key), counts: [], wait: whole ? nodes[key]!.wait : null }
				: { name: classes[key]?.name ?? String(key), colour: "var(--accent)", counts: [], wait: classes[key]?.wait };
			group.counts = Array<number>(waitEdges.length + 1).fill(0);
			groups.set(key, group);
		}
		row.counts.forEach((jobs, i) => { group!.counts[i] = (group!.counts[i] ?? 0) + jobs; });
	}
	const sum = (g: Group): number => g.counts.reduce((a, b) => a + b, 0);
	return [...groups.entries()].sort(([a, x], [b, y]) => (by === "queue" ? sum(y) - sum(x) : 0) || a - b).map(([, g]) => g);
}

function binName(edges: number[], i: number): string {
	if (i === 0)
		return `below ${duration(edges[0]!)}`;
	return i === edges.length ? `${duration(edges[i - 1]!)} and more` : `${duration(edges[i - 1]!)} to ${duration(edges[i]!)}`;
}

/** Where among the bins, each as wide as the others, a wait is. */
function place(edges: number[], v: number): number {
	const bin = edges.filter((e) => v >= e).length;
	if (bin === 0)
		return edges[0] ? v / edges[0] : 0;
	if (bin === edges.length)
		return bin + 0.5;
	const low = edges[bin - 1]!, high = edges[bin]!;
	return bin + Math.log(v / low) / Math.log(high / low);
}

function histogramRow(group: Group, edges: number[]): Row {
	const n = group.counts.reduce((a, b) => a + b, 0), most = Math.max(1, ...group.counts), { wait } = group;
	return {
		name: group.name, colour: group.colour,
		value: wait ? `half ≤ ${duration(wait.p50)}, 90 % ≤ ${duration(wait.p90)}` : `${count(n)} jobs`,
		tip: () => tipContent(group.name, group.counts.flatMap((jobs, i) =>
			jobs ? [{ name: binName(edges, i), value: `${count(jobs)} (${percent(jobs / n)})` }] : []), [`${count(n)} jobs`]),
		draw: (x, top, height) => [
			...group.counts.flatMap((jobs, i) => {
				const tall = jobs ? Math.max(1.5, jobs / most * (height - 4)) : 0;
				return [filled(svg("rect", { class: "bar", x: x(i) + 1, width: Math.max(1, x(i + 1) - x(i) - 2), y: top + height - tall,
					height: tall }), group.colour)];
			}),
			svg("line", { class: "base", x1: x(0), x2: x(edges.length + 1), y1: top + height, y2: top + height }),
			...(wait ? [[wait.p50, "median"], [wait.p90, "ninety"]] as const : []).map(([v, kind]) =>
				svg("line", { class: `quantile ${kind}`, x1: x(place(edges, v)), x2: x(place(edges, v)), y1: top, y2: top + height })),
		],
	};
}

function histogramTable(groups: Group[], edges: number[], by: string): Table {
	return {
		columns: [{ title: by }, ...[...edges, 0].map((_, i) => ({ title: binName(edges, i), format: count })),
			{ title: "median", format: duration }, { title: "90 %", format: duration }],
		rows: groups.map((g) => [g.name, ...g.counts, g.wait?.p50, g.wait?.p90]),
	};
}

export function waits(app: App): CardSpec | null {
	const { run } = app, edges = run.report.waitEdges ?? [], { wait, recordedWait: recorded } = run.report.totals;
	if (!run.report.waits?.length || !edges.length)
		return null;
	let by: "queue" | "class" = "queue", klass: number | null = null;
	const place = h("div"), classes = run.report.classes ?? [];
	let width = 600, groups = grouped(run, by, klass), refresh = (): void => undefined;
	const draw = (): void => {
		groups = grouped(run, by, klass);
		place.replaceChildren(groups.length ? rowPlot({ label: "Waiting times", rowHeight: 34,
			rows: groups.slice(0, MOST).map((g) => histogramRow(g, edges)),
			axis: { x: (v) => v / (edges.length + 1), ticks: edges.map((e, i) => ({ at: i + 1, text: duration(e) })) } }, width)
			: h("p", {}, "No job of this size."));
		refresh();
	};
	const sizes = choices<number | null>("size of the job", [{ name: "all sizes", value: null },
		...classes.map(({ name }, value) => ({ name, value }))], () => klass, (value) => { klass = value; draw(); });
	return {
		id: "waits", title: "How long jobs waited", wide: true,
		says: wait?.n ? `Half of the jobs waited ${duration(wait.p50)} at most, nine in ten ${duration(wait.p90)}, the last ${
			duration(wait.max)}.` + (recorded?.n ? ` In the record it was ${duration(recorded.p50)}, ${duration(recorded.p90)} and ${
			duration(recorded.max)}.` : "") : undefined,
		help: "A histogram for each queue: how many of its jobs waited how long, from not at all (left) to weeks (right); each step to " +
			"the right is several times as long. The solid tick is the median, the dotted one the wait that nine in ten do not pass. " +
			"Heights compare within a row, not between rows." + (groups.length > MOST ? " The table has all queues." : ""),
		controls: h("div", { class: "controls" },
			choices("rows", [{ name: "by queue", value: "queue" as const }, { name: "by size", value: "class" as const }], () => by,
				(value) => { by = value; sizes.hidden = by === "class" || classes.length < 2; draw(); }),
			classes.length < 2 ? null : sizes),
		draw: (given) => {
			width = given;
			draw();
			refresh = () => place.dispatchEvent(new CustomEvent("redrawn", { bubbles: true }));
			return place;
		},
		table: () => histogramTable(groups, edges, by),
	};
}

export function longest(app: App): CardSpec | null {
	const { run } = app, classes = (run.report.classes ?? []).filter((c) => c.wait?.n);
	if (!classes.length)
		return null;
	const worst = [...classes].sort((a, b) => b.wait!.max - a.wait!.max)[0]!;
	return {
		id: "longest", title: "The longest wait, by size of the job",
		says: `The longest of all was ${duration(worst.wait!.max)}, for a job of size ${fold(worst.name)}${
			worst.largestWait ? ` (${fold(worst.largestWait.workload)})` : ""}.`,
		help: "For each size: the thick line goes from the median to what nine in ten do not pass, the thin line on to 99 in a hundred, " +
			"and the diamond is the longest of all. The axis is logarithmic. Large jobs that wait far longer than small ones starve.",
		draw: (width) => rowPlot({
			label: "Longest wait by size", rowHeight: 22, axis: durationAxis(worst.wait!.max),
			rows: classes.map(({ name, wait, largestWait }) => ({
				name, value: duration(wait!.max), tip: () => tipContent(`size ${name}`, quantileRows(wait!),
					largestWait ? [`longest: ${largestWait.workload}`] : []),
				draw: (x, top, height) => quantileMarks(wait!, x, top + height / 2, "var(--accent)"),
			})) }, width),
		table: () => ({
			columns: [{ title: "size" }, { title: "jobs", format: count }, ...["median", "90 %", "99 %", "longest"].map((title) =>
				({ title, format: duration })), { title: "workload" }],
			rows: classes.map(({ name, wait, largestWait }) =>
				[name, wait!.n, wait!.p50, wait!.p90, wait!.p99, wait!.max, largestWait?.workload]),
		}),
	};
}

export function quantileRows(wait: Quantiles): { name: string; value: string }[] {
	return [{ name: "median", value: duration(wait.p50) }, { name: "90 %", value: duration(wait.p90) },
		{ name: "99 %", value: duration(wait.p99) }, { name: "longest", value: duration(wait.max) },
		{ name: "jobs", value: count(wait.n) }];
}

export function quantileMarks(wait: Quantiles, x: (v: number) => number, y: number, colour: string): SVGElement[] {
	const top = x(wait.max);
	return [
		stroked(svg("line", { class: "range thin", x1: x(wait.p90), x2: x(wait.p99), y1: y, y2: y }), colour),
		stroked(svg("line", { class: "range thick", x1: x(wait.p50), x2: x(wait.p90), y1: y, y2: y }), colour),
		filled(svg("circle", { class: "dot", cx: x(wait.p50), cy: y, r: 5 }), colour),
		stroked(svg("path", { class: "diamond", d: `M${top - 5},${y}l5,-5l5,5l-5,5z` }), colour),
	];
}
