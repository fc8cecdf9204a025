// SPDX-License-Identifier: Apache-2.0
// flows - who preempted whom, as a matrix: the larger, the darker

import { App } from "../app";
import { CardSpec } from "../card";
import { count, hours } from "../format";
import { matrix, MatrixEnd } from "../matrix";
import { Run } from "../run";
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

function drawing(run: Run, flows: Flow[], unit: string, width: number): HTMLElement {
	const rows = largest(flows, (f) => f.from).shown, columns = largest(flows, (f) => f.to).shown;
	const end = (i: number | null): MatrixEnd => ({ name: i === null ? "no queue" : run.nameOf(i), colour: i === null ? "var(--rest)" : run.colourOf(i) });
	return matrix({ label: "Who preempted whom", rows: rows.map(end), columns: columns.map(end),
		cell: (r, c) => {
			const flow = flows.find((f) => f.from === rows[r] && f.to === columns[c]);
			return flow && { count: flow.count, tip: [{ name: "jobs stopped", value: count(flow.count) },
				{ name: "work lost", value: hours(flow.lost, unit) }, ...[...flow.reasons].map(([reason, jobs]) => ({ name: reason, value: count(jobs) }))] };
		},
		empty: [{ name: "jobs stopped", value: "none" }], title: (row, column) => `${fold(row.name)} → ${fold(column.name)}` }, width);
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
		draw: (width) => drawing(run, all, unit, width),
		table: () => ({
			columns: [{ title: "preemptor" }, { title: "victim" }, { title: "jobs stopped", format: count },
				{ title: "work lost", format: (v) => hours(v, unit) }, { title: "reasons" }],
			rows: [...all].sort((a, b) => b.count - a.count).map((f) =>
				[name(f.from), name(f.to), f.count, f.lost, [...f.reasons].map(([r, n]) => `${r} ${n}`).join(", ")]),
		}),
	};
}
