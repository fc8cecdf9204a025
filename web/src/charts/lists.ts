// SPDX-License-Identifier: Apache-2.0
// lists - what is best read as a list: all queues with their figures, and what happened when

import { App } from "../app";
import { CardSpec } from "../card";
import { h } from "../dom";
import { count, duration, hours, moment, percent } from "../format";
import { tableElement } from "../table";

export function queues(app: App): CardSpec | null {
	const { run, state } = app, { resource } = state.now, unit = run.unitOf(resource), nodes = run.report.nodes;
	if (!nodes.length)
		return null;
	const table = () => ({
		columns: [{ title: "queue" }, { title: "in" }, { title: "jobs", format: count }, { title: "finished", format: count },
			{ title: "median wait", format: duration }, { title: "90 % wait", format: duration }, { title: "longest", format: duration },
			{ title: "used", format: (v: number) => hours(v, unit) }, { title: "held / entitled", format: percent },
			{ title: "stopped", format: count }, { title: "stopped others", format: count },
			{ title: "lost", format: (v: number) => hours(v, unit) }],
		rows: run.bySize(nodes.map((_, i) => i), resource).map((i) => {
			const n = nodes[i]!;
			return [n.name, n.parent === null ? null : nodes[n.parent]!.name, n.jobs, n.finished, n.wait?.p50, n.wait?.p90, n.wait?.max,
				n.hours?.[resource], n.ratio?.mean, n.evictions, n.preemptions, n.lostHours?.[resource]];
		}),
	});
	return {
		id: "queues", title: "All queues and cohorts", wide: true,
		says: `${run.leaves.length} ${run.leaves.length === 1 ? "queue" : "queues"}. Press a heading to sort.`,
		help: "Waits are those of jobs that started. Held / entitled counts only moments at which something of the queue waited. " +
			"Stopped: jobs of the queue that were preempted or failed; stopped others: what it preempted.",
		draw: () => tableElement(table(), "all queues", 12), table,
	};
}

export function events(app: App): CardSpec | null {
	const { run, state } = app, all = app.events;
	if (!all.length)
		return null;
	const start = run.time?.start ?? 0, step = run.time?.step ?? 1;
	return {
		id: "events", title: "What happened when",
		help: "Changes of quotas, failures, and what came back. They are the triangles above the time charts; press a moment to mark it " +
			"in all of them.",
		draw: () => h("ol", { class: "events" }, ...all.slice(0, 12).map((e) => h("li", { class: e.kind },
			h("button", { type: "button", click: () => state.set({ at: e.at }) }, moment(e.at, start, step)),
			h("span", { class: "kind" }, e.kind), h("bdi", {}, e.text))),
			all.length > 12 ? h("li", {}, `and ${all.length - 12} more: see the table`) : null),
		table: () => ({ columns: [{ title: "when", format: (t) => moment(t, start, step) }, { title: "kind" }, { title: "what" }],
			rows: all.map((e) => [e.at, e.kind, e.text]) }),
	};
}
