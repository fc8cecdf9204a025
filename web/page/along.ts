// SPDX-License-Identifier: Apache-2.0
// along - one queue along time, from the tiers of the daemon's store, with the report's plot

import { choices } from "../src/card";
import { h } from "../src/dom";
import { Values } from "../src/report";
import { Geometry } from "../src/run";
import { tableDetails } from "../src/table";
import { TimePlot, TimePlotSpec, timeTable } from "../src/time_plot";
import { View as Window, ViewState } from "../src/view";
import { long, unitOf } from "./amounts";
import { Series, SeriesRow } from "./answers";
import { Api, errorText, withQuery } from "./api";
import { ms } from "./clock";
import { setText } from "./keyed";

const STEPS: Record<string, { title: string; step: "hour" | "day"; seconds: number; back: number }> = {
	week: { title: "7 days", step: "hour", seconds: 3600, back: 7 * 86400 },
	quarter: { title: "90 days", step: "day", seconds: 86400, back: 90 * 86400 },
	years: { title: "2 years", step: "day", seconds: 86400, back: 730 * 86400 },
};

/** The window of the plots, which is no part of the page's address yet. */
class OwnWindow extends ViewState {
	protected write(): void {
		// The address is the router's.
	}
}

const MOST = 40; // pages of a series

export async function readSeries(api: Api, queue: string, step: "hour" | "day", from: number, to: number): Promise<SeriesRow[]> {
	const rows: SeriesRow[] = [];
	let at: string | undefined = new Date(from).toISOString();
	for (let page = 0; at && page < MOST; page++) {
		const answer: Series = await api.get<Series>(withQuery("/v1/series", { queue, step, from: at, to: new Date(to).toISOString() }));
		rows.push(...answer.rows);
		at = answer.more;
	}
	return rows;
}

/** Rows as buckets of equal length; what is missing between is unknown. */
export function bucketsOf(rows: readonly SeriesRow[], step: number): { geometry: Geometry; pick: (of: (row: SeriesRow) => number | undefined) => Values } {
	const start = Math.floor(ms(rows[0]!.from) / 1000 / step) * step, end = ms(rows[rows.length - 1]!.to) / 1000;
	const n = Math.max(1, Math.ceil((end - start) / step - 1e-6));
	return { geometry: { start, step, n }, pick: (of) => {
		const values: Values = Array<number | null>(n).fill(null);
		for (const row of rows)
			values[Math.min(n - 1, Math.floor((ms(row.from) / 1000 - start) / step))] = of(row) ?? null;
		return values;
	} };
}

export class Along {
	readonly element: HTMLElement;
	private readonly says = h("p", { class: "says" });
	private readonly body = h("div", { class: "body" });
	private readonly table = tableDetails("along-time", () => this.plot ? timeTable([{ plot: this.plot, spec: this.spec! }]) : { columns: [], rows: [] });
	private readonly keys = h("p", { class: "key" }, h("i", { class: "key-band" }), "held", h("i", { class: "key-line" }), "entitled to",
		h("i", { class: "key-dots" }), "held and asked for");
	private readonly below = h("div", { class: "below" });
	private plot: TimePlot | null = null;
	private spec: TimePlotSpec | null = null;
	private rows: SeriesRow[] = [];
	private span = "week";
	private read = 0;
	private width = 0;
	private readonly watcher = new ResizeObserver(() => { if (this.body.clientWidth !== this.width) this.draw(); });

	constructor(private readonly api: Api, private readonly queue: string, private readonly colour: () => string, private resource: string,
		private readonly now: () => number) {
		this.element = h("section", { class: "card", "aria-labelledby": "along-title" }, h("h2", { id: "along-title" }, "Over time"), this.says,
			h("div", { class: "controls" }, choices("Span", Object.entries(STEPS).map(([value, { title }]) => ({ name: title, value })),
				() => this.span, (span) => { this.span = span; void this.load(); })),
			this.keys, this.body, this.below);
		this.below.append(this.table.element);
		this.watcher.observe(this.body);
		void this.load();
	}

	dispose(): void {
		this.watcher.disconnect();
		this.plot?.dispose();
	}

	show(resource: string): void {
		if (resource === this.resource)
			return;
		this.resource = resource;
		this.draw();
	}

	private async load(): Promise<void> {
		const mine = ++this.read, { step, back } = STEPS[this.span]!, to = this.now();
		try {
			const rows = await readSeries(this.api, this.queue, step, to - back * 1000, to);
			if (mine === this.read) {
				this.rows = rows;
				this.draw();
			}
		} catch (error) {
			if (mine === this.read)
				setText(this.says, errorText(error));
		}
	}

	private draw(): void {
		const { rows, resource } = this;
		this.plot?.dispose();
		this.plot = null;
		this.width = this.body.clientWidth;
		if (!rows.length || !this.width) {
			this.body.replaceChildren();
			setText(this.says, rows.length ? "" : "Nothing is known of this time yet: the store sums up whole hours, and the first one is not over.");
			this.keys.hidden = this.below.hidden = true;
			return;
		}
		this.keys.style.setProperty("--queue", this.colour());
		const { geometry, pick } = bucketsOf(rows, STEPS[this.span]!.seconds);
		const part = (row: SeriesRow) => row.resources[resource];
		const held = pick((row) => part(row)?.held), entitled = pick((row) => part(row)?.entitled);
		const wanted = pick((row) => part(row) ? part(row)!.held + part(row)!.waiting : undefined);
		this.spec = { label: `${resource} of ${this.queue} along time`, geometry, height: 220, format: (x) => long(resource, x),
			unit: unitOf(resource) ? undefined : resource, layers: [
				{ name: "held", colour: this.colour(), values: held, kind: "band" },
				{ name: "entitled to", colour: "var(--ink)", values: entitled, kind: "line" },
				{ name: "held and asked for", colour: "var(--quiet)", values: wanted, kind: "line", dash: "dotted", loose: true }] };
		const whole = { from: geometry.start, to: geometry.start + geometry.n * geometry.step };
		const view: Window = { variant: 0, node: null, resource, ...whole, at: null, chart: null };
		this.plot = new TimePlot(this.spec, new OwnWindow(view, whole), this.width);
		this.body.replaceChildren(this.plot.host);
		this.keys.hidden = this.below.hidden = false;
		this.table.refresh();
		setText(this.says, this.finding(rows));
	}

	private finding(rows: readonly SeriesRow[]): string {
		const seconds = rows.reduce((sum, row) => sum + row.seconds, 0) || 1;
		const mean = (of: (row: SeriesRow) => number): number => rows.reduce((sum, row) => sum + of(row) * row.seconds, 0) / seconds;
		const held = mean((row) => row.resources[this.resource]?.held ?? 0), due = mean((row) => row.resources[this.resource]?.entitled ?? 0);
		const preempted = rows.reduce((sum, row) => sum + row.preempted, 0);
		return `On average it held ${long(this.resource, held)}, and was entitled to ${long(this.resource, due)} of what it asked for. ${
			preempted ? `${preempted} of its jobs were preempted.` : "None of its jobs was preempted."}`;
	}
}
