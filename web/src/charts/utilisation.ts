// SPDX-License-Identifier: Apache-2.0
// utilisation - how much of each resource was used, over time

import { App, Plots } from "../app";
import { CardSpec } from "../card";
import { h, named } from "../dom";
import { percent } from "../format";
import { Values } from "../report";

export function utilisation(app: App): CardSpec | null {
	const { run, state } = app, cluster = run.report.series?.cluster, { utilisation: means } = run.report.totals;
	if (!run.time || !cluster)
		return null;
	const resources = run.report.resources.filter((r) => cluster.held[r.name]);
	const plots = new Plots(state);
	const parts = resources.map(({ name }) => {
		const capacity = run.capacity(name);
		return cluster.held[name]!.map((x, i) => x === null || !capacity[i] ? null : x / capacity[i]!) as Values;
	});
	return {
		id: "utilisation", title: "How busy the cluster was",
		says: resources.map(({ name }) => `${name} ${percent(means[name] ?? NaN)}`).join(", ") + " on average.",
		help: "What was held of what there was at that moment, for each resource. High is good for who pays for the machines; at the " +
			"top all the time means that jobs wait.",
		draw: (width) => {
			plots.clear();
			const height = Math.max(90, Math.floor(200 / Math.max(1, resources.length)));
			return h("div", {}, ...resources.map(({ name }, i) => h("figure", { class: "panel" },
				h("figcaption", {}, named(name)),
				plots.add({ label: `Utilisation of ${name}`, geometry: run.time!, height, ymax: 1, format: percent, ticks: 2,
					layers: [{ name, colour: "var(--accent)", values: parts[i]!, kind: "band" }], events: app.events }, width))));
		},
		table: () => plots.table(),
	};
}
