// SPDX-License-Identifier: Apache-2.0
// lost - work that preemption threw away, by queue

import { App } from "../app";
import { linearAxis } from "../axis";
import { CardSpec } from "../card";
import { svg } from "../dom";
import { count, hours, number, percent } from "../format";
import { filled, rowPlot } from "../row_plot";
import { tipContent } from "../tip";

const FIRST = 14;

export function lost(app: App): CardSpec | null {
	const { run, state } = app, { resource } = state.now, unit = run.unitOf(resource), nodes = run.report.nodes;
	const of = (i: number): number => nodes[i]!.lostHours?.[resource] ?? 0;
	const used = (i: number): number => nodes[i]!.hours?.[resource] ?? 0;
	const rows = run.leaves.filter((i) => of(i) > 0).sort((a, b) => of(b) - of(a) || a - b);
	const whole = run.report.totals.lostHours[resource] ?? 0, all = run.report.totals.hours[resource] ?? 0;
	if (!rows.length)
		return null;
	return {
		id: "lost", title: `Work that was lost${unit === "bytes" || !unit ? "" : `, in ${unit.replace(/s$/, "")}-hours`}`,
		says: `${hours(whole, unit)} in all` + (all > 0 ? `, ${percent(whole / all)} of what was used.` : "."),
		help: "When a job is stopped before it is done, what it computed since its last checkpoint (or since its start) is lost, and has " +
			"to be done again. The bar is what jobs of this queue lost, as victims.",
		draw: (width) => rowPlot({
			label: "Lost work by queue", rowHeight: 16, axis: linearAxis(of(rows[0]!), number, width < 520 ? 3 : 5),
			rows: rows.slice(0, FIRST).map((i) => ({
				name: nodes[i]!.name, colour: run.colourOf(i),
				value: number(of(i)) + (used(i) > 0 ? ` (${percent(of(i) / used(i))})` : ""),
				tip: () => tipContent(nodes[i]!.name, [{ name: "lost", value: hours(of(i), unit) }, { name: "used", value: hours(used(i), unit) },
					{ name: "times stopped", value: count(nodes[i]!.evictions) }]),
				draw: (x, top, height) => [filled(svg("rect", { class: "bar", x: x(0), y: top, width: Math.max(1, x(of(i)) - x(0)), height, rx: 2 }),
					run.colourOf(i))],
			})) }, width),
		table: () => ({
			columns: [{ title: "queue" }, { title: "lost", format: (v) => hours(v, unit) }, { title: "used", format: (v) => hours(v, unit) },
				{ title: "times stopped", format: count }],
			rows: rows.map((i) => [nodes[i]!.name, of(i), used(i), nodes[i]!.evictions]),
		}),
	};
}
