// SPDX-License-Identifier: Apache-2.0
// flows - who preempted whom, as a matrix: the larger, the darker

import { App } from "../app";
import { CardSpec } from "../card";
import { fit, h, svg, textWidth } from "../dom";
import { count, hours } from "../format";
import { Run } from "../run";
import { hideTipOf, showTip, tipContent } from "../tip";
import { fold } from "./stacked";

interface Flow {
	from: number | null;
	to: number;
	count: number;
	lost: number;
	reasons: Map<string, number>;
}

const MOST = 16;

function collect(run: Run, resource: string): Flow[] {
	const flows = new Map<string, Flow>();
	for (const { from, to, reason, count: jobs, lostHours } of run.report.flows ?? []) {
		const key = `${from} ${to}`, flow = flows.get(key) ?? { from, to, count: 0, lost: 0, reasons: new Map<string, number>() };
		flow.count += jobs;
		flow.lost += lostHours?.[resource] ?? 0;
		flow.reasons.set(reason, (flow.reasons.get(reason) ?? 0) + jobs);
		flows.set(key, flow);
	}
	return [...flows.values()];
}

/** The nodes with most in their row or column, in the order of the tree. */
function largest(flows: Flow[], end: (f: Flow) => number | null): { shown: (number | null)[]; hidden: number } {
	const sums = new Map<number | null, number>();
	for (const flow of flows)
		sums.set(end(flow), (sums.get(end(flow)) ?? 0) + flow.count);
	const order = [...sums].sort((a, b) => b[1] - a[1] || (a[0] ?? -1) - (b[0] ?? -1));
	return { shown: order.slice(0, MOST).map(([i]) => i).sort((a, b) => (a ?? Infinity) - (b ?? Infinity)),
		hidden: Math.max(0, order.length - MOST) };
}

function matrix(run: Run, flows: Flow[], unit: string, width: number): HTMLElement {
	const rows = largest(flows, (f) => f.from).shown, columns = largest(flows, (f) => f.to).shown;
	const name = (i: number | null): string => i === null ? "no queue" : run.nameOf(i);
	const side = Math.min(width * 0.34, 150, 18 + Math.max(...rows.map((i) => textWidth(name(i).slice(0, 60), 12))));
	const head = Math.min(120, 26 + Math.max(...columns.map((i) => textWidth(name(i).slice(0, 60), 12))));
	const cell = Math.max(22, Math.min(38, (width - side - 4) / columns.length));
	const most = Math.max(...flows.map((f) => f.count));
	const at = (r: number, c: number): Flow | undefined => flows.find((f) => f.from === rows[r] && f.to === columns[c]);
	const total = { width: Math.ceil(side + cell * columns.length + 2), height: Math.ceil(head + cell * rows.length + 2) };
	const focus = svg("rect", { class: "cell-focus", width: cell, height: cell, visibility: "hidden" });
	const colourDot = (i: number | null, x: number, y: number): SVGElement => {
		const dot = svg("rect", { x, y, width: 9, height: 9, rx: 2 });
		dot.style.setProperty("fill", i === null ? "var(--rest)" : run.colourOf(i));
		return dot;
	};
	const cellMark = (flow: Flow, r: number, c: number): SVGElement[] => {
		const strength = Math.sqrt(flow.count / most), x = side + c * cell, y = head + r * cell, text = count(flow.count);
		const mark = svg("rect", { class: "cell", x: x + 1, y: y + 1, width: cell - 2, height: cell - 2, rx: 3 });
		mark.style.setProperty("fill", `color-mix(in srgb, var(--accent) ${Math.round(12 + 88 * strength)}%, var(--card))`);
		return [mark, ...(textWidth(text, 11) < cell - 3 ? [svg("text", { class: `cell-text ${strength > 0.5 ? "strong" : ""}`,
			x: x + cell / 2, y: y + cell / 2 + 4, "text-anchor": "middle" }, text)] : [])];
	};
	const drawing = svg("svg", { ...total, viewBox: `0 0 ${total.width} ${total.height}`, "aria-hidden": "true" },
		...rows.flatMap((i, r) => [colourDot(i, 0, head + (r + 0.5) * cell - 5),
			svg("text", { class: "row-name", x: 14, y: head + (r + 0.5) * cell + 4 }, fit(name(i), side - 18))]),
		...columns.flatMap((i, c) => {
			const x = side + (c + 0.5) * cell;
			return [colourDot(i, x - 4.5, head - 12), svg("text", { class: "row-name", transform: `translate(${x + 4},${head - 16}) rotate(-90)` },
				fit(name(i), head - 20))];
		}),
		...rows.flatMap((_, r) => columns.map((__, c) => svg("rect", { class: "cell empty", x: side + c * cell + 1, y: head + r * cell + 1,
			width: cell - 2, height: cell - 2, rx: 3 }))),
		...rows.flatMap((_, r) => columns.flatMap((__, c) => {
			const flow = at(r, c);
			return flow ? cellMark(flow, r, c) : [];
		})), focus);

	const host = h("div", { class: "plot matrix", tabindex: 0, role: "application", "aria-roledescription": "chart",
		"aria-label": "Who preempted whom. Arrow keys go through the cells." }, drawing);
	let row = 0, column = -1;
	const show = (r: number, c: number, px: number, py: number): void => {
		[row, column] = [r, c];
		const flow = at(r, c);
		focus.setAttribute("visibility", "visible");
		focus.setAttribute("x", String(side + c * cell));
		focus.setAttribute("y", String(head + r * cell));
		showTip(host, px, py, tipContent(`${fold(name(rows[r]!))} → ${fold(name(columns[c]!))}`, flow
			? [{ name: "jobs stopped", value: count(flow.count) }, { name: "work lost", value: hours(flow.lost, unit) },
				...[...flow.reasons].map(([reason, jobs]) => ({ name: reason, value: count(jobs) }))]
			: [{ name: "jobs stopped", value: "none" }]));
	};
	const pointed = (event: PointerEvent): void => {
		const box = drawing.getBoundingClientRect();
		const c = Math.floor((event.clientX - box.left - side) / cell), r = Math.floor((event.clientY - box.top - head) / cell);
		if (r >= 0 && c >= 0 && r < rows.length && c < columns.length)
			show(r, c, event.clientX, event.clientY);
	};
	host.addEventListener("pointermove", pointed);
	host.addEventListener("pointerdown", pointed);
	host.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && hideTipOf(host));
	host.addEventListener("blur", () => focus.setAttribute("visibility", "hidden"));
	host.addEventListener("keydown", (event) => {
		const steps: Record<string, [number, number]> = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
		const step = steps[event.key];
		if (!step)
			return;
		event.preventDefault();
		const r = Math.min(rows.length - 1, Math.max(0, row + step[0])), c = Math.min(columns.length - 1, Math.max(0, column + step[1]));
		const box = drawing.getBoundingClientRect();
		show(r, c, box.left + side + (c + 0.5) * cell, box.top + head + (r + 0.5) * cell);
	});
	return host;
}

export function flows(app: App): CardSpec | null {
	const { run, state } = app, { resource } = state.now, unit = run.unitOf(resource), all = collect(run, resource);
	if (!all.length)
		return null;
	const name = (i: number | null): string => i === null ? "no queue" : run.nameOf(i);
	const sum = all.reduce((n, f) => n + f.count, 0), top = [...all].sort((a, b) => b.count - a.count)[0]!;
	const hidden = Math.max(largest(all, (f) => f.from).hidden, largest(all, (f) => f.to).hidden);
	return {
		id: "flows", title: "Who preempted whom",
		says: `${count(sum)} jobs were stopped; most often ${fold(name(top.from))} stopped those of ${fold(name(top.to))}: ${count(top.count)}.`,
		help: "A row is the queue that took, a column the queue that lost a job; the number is how many jobs. Two dark cells that mirror " +
			"each other at the diagonal are two queues that take turns in stopping each other. “No queue” is a failure or a change." +
			(hidden ? ` The ${MOST} with most are drawn; the table has all.` : ""),
		draw: (width) => matrix(run, all, unit, width),
		table: () => ({
			columns: [{ title: "preemptor" }, { title: "victim" }, { title: "jobs stopped", format: count },
				{ title: "work lost", format: (v) => hours(v, unit) }, { title: "reasons" }],
			rows: [...all].sort((a, b) => b.count - a.count).map((f) =>
				[name(f.from), name(f.to), f.count, f.lost, [...f.reasons].map(([r, n]) => `${r} ${n}`).join(", ")]),
		}),
	};
}
