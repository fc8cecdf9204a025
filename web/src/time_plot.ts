// SPDX-License-Identifier: Apache-2.0
// time_plot - stacked bands and lines over time, with one window and one cursor for all of the page

import { NumberScale, scaleLinear } from "d3-scale";
import { area, curveStepAfter, line } from "d3-shape";
import { h, svg, swatch, textWidth } from "./dom";
import { moment, number } from "./format";
import { installGestures } from "./gestures";
import { RunEvent, Values } from "./report";
import { Geometry } from "./run";
import { Merge, merge, slotAt, Slots, slotsOf } from "./slots";
import { Table } from "./table";
import { Tick, timeTicks } from "./time_axis";
import { hideTipOf, showTip, tipContent } from "./tip";
import { ViewState } from "./view";

export interface Layer {
	name: string;
	colour: string;
	values: Values;
	kind: "band" | "line";
	dash?: "dotted" | "dashed";
	merge?: Merge; // what becomes of several buckets in one slot; else their mean
	/** The axis is not stretched for it; what is above is cut off. */
	loose?: boolean;
}

export interface TimePlotSpec {
	label: string; // for those who hear it
	layers: Layer[]; // bands from the bottom up
	geometry: Geometry;
	height: number;
	format: (x: number) => string;
	unit?: string; // named once above the axis, whose ticks are then numbers only
	ymax?: number; // fixed; else what is seen decides, but
	yleast?: number; // the axis goes at least so far
	events?: RunEvent[];
	ticks?: number;
}

const BOTTOM = 22, TIP_ROWS = 12;
let clips = 0;

export class TimePlot {
	readonly host: HTMLElement;
	slots!: Slots;
	merged: Values[] = [];
	private left = 40;
	private readonly top: number;
	private readonly tick: (x: number) => string;
	private readonly cursor = svg("line", { class: "cursor", y1: 6 });
	private readonly pin = svg("line", { class: "pin", y1: 0 });
	private readonly span = svg("rect", { class: "span" });
	private readonly x: NumberScale = scaleLinear();
	private readonly stop: (() => void)[];

	constructor(private readonly spec: TimePlotSpec, private readonly state: ViewState, private readonly width: number) {
		this.top = spec.unit ? 20 : 10;
		this.tick = spec.unit ? number : spec.format;
		this.host = h("div", { class: "plot time", tabindex: 0, role: "application", "aria-roledescription": "time chart",
			"aria-label": `${spec.label}. Arrow keys move along, plus and minus zoom, Enter pins a moment.` });
		installGestures({ host: this.host, left: () => this.left, width: () => this.width - this.left - 8,
			geometry: spec.geometry, choosing: (span) => this.choose(span),
			pointed: (t, px, py) => t === null ? hideTipOf(this.host) : this.tell(t, px, py) }, state);
		this.stop = [state.on("window", () => this.render()), state.on("moment", () => this.mark())];
		this.render();
	}

	/** No more redrawing of what is not on the page any more. */
	dispose(): void {
		this.stop.forEach((stop) => stop());
	}

	private render(): void {
		const { spec, state } = this;
		this.slots = slotsOf(spec.geometry, state.now.from, state.now.to, Math.floor((this.width - 48) / 2));
		this.merged = spec.layers.map((layer) => merge(layer.values, this.slots, layer.merge));
		const stacked = this.stack();
		const y = scaleLinear().domain([0, spec.ymax ?? Math.max(spec.yleast ?? 0, this.highest(stacked) * 1.04 || 1)]).range([spec.height - BOTTOM, this.top]);
		const marks = y.ticks(spec.ticks ?? Math.max(2, Math.floor(spec.height / 48)));
		this.left = Math.min(this.width / 3, Math.max(30, ...marks.map((m) => textWidth(this.tick(m), 11) + 10)));
		this.x.domain([state.now.from, state.now.to]).range([this.left, this.width - 8]);
		const id = `clip${clips++}`;
		this.host.replaceChildren(svg("svg", { width: this.width, height: spec.height, "aria-hidden": "true",
			viewBox: `0 0 ${this.width} ${spec.height}` },
			svg("clipPath", { id }, svg("rect", { x: this.left, y: this.top - 2, width: Math.max(0, this.width - 8 - this.left),
				height: spec.height - BOTTOM - this.top + 2 })),
			...this.grid(y, marks),
			svg("g", { "clip-path": `url(#${id})` }, ...this.paths(stacked, y)),
			...this.axis(), ...this.eventMarks(), this.span, this.pin, this.cursor));
		this.span.setAttribute("y", String(this.top));
		this.span.setAttribute("height", String(spec.height - BOTTOM - this.top));
		this.cursor.setAttribute("y2", String(spec.height - BOTTOM));
		this.pin.setAttribute("y2", String(spec.height - BOTTOM));
		this.choose(null);
		this.mark();
	}

	/** Lower and upper edge of each band; a line has only the upper. */
	private stack(): { low: number[]; high: Values }[] {
		const sum = Array<number>(this.slots.count).fill(0);
		return this.spec.layers.map((layer, i) => {
			if (layer.kind === "line")
				return { low: [], high: this.merged[i]! };
			const low = [...sum];
			this.merged[i]!.forEach((value, s) => { sum[s]! += value ?? 0; });
			return { low, high: [...sum] };
		});
	}

	private highest(stacked: { high: Values }[]): number {
		let most = 0, loose = 0;
		stacked.forEach(({ high }, i) => {
			for (const value of high)
				if (this.spec.layers[i]!.loose)
					loose = Math.max(loose, value ?? 0);
				else
					most = Math.max(most, value ?? 0);
		});
		return Math.max(most, most ? Math.min(loose, most * 1.25) : loose);
	}

	private grid(y: NumberScale, marks: number[]): SVGElement[] {
		return marks.flatMap((m): SVGElement[] => [
			svg("line", { class: "gridline", x1: this.left, x2: this.width - 8, y1: y(m), y2: y(m) }),
			svg("text", { class: "tick", x: this.left - 6, y: y(m) + 4, "text-anchor": "end" }, this.tick(m)),
		]).concat(this.spec.unit ? [svg("text", { class: "tick", x: 0, y: 9 }, this.spec.unit)] : []);
	}

	private paths(stacked: { low: number[]; high: Values }[], y: NumberScale): SVGElement[] {
		const { time } = this.slots;
		// A step curve needs the end of the last slot as a point of its own.
		const closed = (v: Values): number[] => [...v, v[v.length - 1] ?? null].map((x) => x ?? NaN);
		const known = (v: number): boolean => !Number.isNaN(v);
		return this.spec.layers.map((layer, i) => {
			const high = closed(stacked[i]!.high), low = closed(stacked[i]!.low);
			const px = (_: number, s: number): number => this.x(time[s]!);
			const path = svg("path", layer.kind === "band"
				? { class: "band", d: area().x(px).y0((_, s) => y(low[s]!)).y1((_, s) => y(high[s]!)).curve(curveStepAfter)(high) }
				: { class: `line ${layer.dash ?? ""}`, d: line().x(px).y((v) => y(v)).defined(known).curve(curveStepAfter)(high) });
			path.style.setProperty(layer.kind === "band" ? "fill" : "stroke", layer.colour);
			return path;
		});
	}

	private axis(): SVGElement[] {
		const { from, to } = this.state.now, base = this.spec.height - BOTTOM;
		let free = -Infinity;
		const fits = (tick: Tick): boolean => {
			const half = textWidth(tick.text, 11) / 2, middle = this.x(tick.t);
			if (middle - half < free + 10 || middle + half > this.width)
				return false;
			free = middle + half;
			return true;
		};
		const ticks = timeTicks(from, to, this.spec.geometry.start, Math.max(2, Math.floor((this.width - this.left) / 80)));
		return [svg("line", { class: "base", x1: this.left, x2: this.width - 8, y1: base, y2: base }),
			...ticks.filter(fits).flatMap((tick) => [
				svg("line", { class: "base", x1: this.x(tick.t), x2: this.x(tick.t), y1: base, y2: base + 4 }),
				svg("text", { class: "tick", x: this.x(tick.t), y: base + 16, "text-anchor": "middle" }, tick.text)])];
	}

	private eventMarks(): SVGElement[] {
		const { from, to } = this.state.now;
		let last = -Infinity;
		return (this.spec.events ?? []).filter(({ at }) => {
			const free = at >= from && at <= to && this.x(at) - last >= 3;
			last = free ? this.x(at) : last;
			return free;
		}).flatMap((event) => {
			const x = this.x(event.at);
			return [svg("line", { class: `event ${event.kind}`, x1: x, x2: x, y1: 8, y2: this.spec.height - BOTTOM }),
				svg("path", { class: `event-head ${event.kind}`, d: `M${x - 4},2h8l-4,7z` })];
		});
	}

	private choose(span: [number, number] | null): void {
		this.span.setAttribute("visibility", span ? "visible" : "hidden");
		if (span) {
			this.span.setAttribute("x", String(this.x(span[0])));
			this.span.setAttribute("width", String(this.x(span[1]) - this.x(span[0])));
		}
	}

	private mark(): void {
		for (const [element, t] of [[this.cursor, this.state.hover], [this.pin, this.state.now.at]] as const) {
			const seen = t !== null && t >= this.state.now.from && t <= this.state.now.to;
			element.setAttribute("visibility", seen ? "visible" : "hidden");
			if (seen)
				for (const key of ["x1", "x2"])
					element.setAttribute(key, String(this.x(t)));
		}
	}

	private tell(t: number, px: number, py: number): void {
		const slot = slotAt(this.slots, t);
		if (slot < 0)
			return;
		const { spec } = this, bands = spec.layers.filter((l) => l.kind === "band").length;
		const rows = spec.layers.map((layer, i) => ({ name: layer.name, value: this.merged[i]![slot],
			mark: swatch(layer.colour) })).reverse();
		const large = [...rows].sort((a, b) => (b.value ?? 0) - (a.value ?? 0)).slice(0, TIP_ROWS);
		const shown = rows.length > TIP_ROWS ? rows.filter((row) => large.includes(row)) : rows;
		const lines: { name: string; value: string; mark?: Node }[] = shown.map(({ name, value, mark }) => ({ name, mark,
			value: value === null || value === undefined ? "–" : spec.format(value) }));
		if (bands > 1) {
			const sum = spec.layers.reduce((s, layer, i) => s + (layer.kind === "band" ? this.merged[i]![slot] ?? 0 : 0), 0);
			lines.push({ name: "together", value: spec.format(sum) });
		}
		const notes = (spec.events ?? []).filter((e) => Math.abs(this.x(e.at) - this.x(t)) < 6).slice(0, 5)
			.map((e) => `${moment(e.at, spec.geometry.start, spec.geometry.step)}: ${e.kind}: ${e.text}`);
		showTip(this.host, px, py, tipContent(moment(this.slots.time[slot]!, spec.geometry.start, spec.geometry.step), lines, notes));
	}
}

/** What the plots of a card draw now; all have the same slots. */
export function timeTable(plots: { plot: TimePlot; spec: TimePlotSpec; prefix?: string }[]): Table {
	const first = plots[0];
	if (!first)
		return { columns: [], rows: [] };
	const { start, step } = first.spec.geometry;
	return {
		columns: [{ title: "from", format: (t) => moment(t, start, step) }, ...plots.flatMap(({ spec, prefix }) =>
			spec.layers.map((layer) => ({ title: prefix ? `${prefix}: ${layer.name}` : layer.name, format: spec.format })))],
		rows: first.plot.slots.time.slice(0, -1).map((t, s) =>
			[t, ...plots.flatMap(({ plot }) => plot.merged.map((values) => values[s] ?? null))]),
	};
}
