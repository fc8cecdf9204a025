// SPDX-License-Identifier: Apache-2.0
// tradeoff - what a parameter buys and costs: a small chart for each figure, over the swept values

import { scaleLinear, scaleLog } from "d3-scale";
import { line } from "d3-shape";
import { App, Sweep } from "../app";
import { durationTicks } from "../axis";
import { CardSpec } from "../card";
import { h, svg, textWidth } from "../dom";
import { duration, parameter } from "../format";
import { hideTipOf, showTip, tipContent } from "../tip";
import { lostName, measures, sweepTable } from "./compare";

type Measure = ReturnType<typeof measures>[number];

const HEIGHT = 190, TOP = 22, BOTTOM = 34;

function panel(app: App, sweep: Sweep, measure: Measure, width: number): HTMLElement {
	const points = sweep.points.map((p) => ({ ...p, y: measure.of(app.runs[p.variant]!) }))
		.filter((p): p is typeof p & { y: number } => p.y !== undefined).sort((a, b) => a.value - b.value);
	const values = points.map((p) => p.value), low = Math.min(...values), high = Math.max(...values);
	const lowest = Math.min(...points.map((p) => p.y)), highest = Math.max(...points.map((p) => p.y));
	// A difference that nobody would notice is not blown up to the height of the chart.
	const middle = (lowest + highest) / 2, half = Math.max((highest - lowest) * 0.68, Math.abs(middle) * 0.03, 1e-9);
	const y = scaleLinear().domain([lowest >= 0 ? Math.max(0, middle - half) : middle - half, middle + half])
		.range([HEIGHT - BOTTOM, TOP]);
	const marks = measure.format === duration ? durationTicks(y.domain()[0]!, y.domain()[1]!, 4) : y.ticks(3);
	const left = Math.max(36, ...marks.map((m) => textWidth(measure.format(m), 11) + 10));
	const x = (low > 0 && high / low > 20 ? scaleLog() : scaleLinear()).domain(low === high ? [low - 1, high + 1] : [low, high])
		.range([left + 12, width - 24]);
	let free = -Infinity;
	const labels = points.flatMap((p) => {
		const text = parameter(p.value, sweep.unit), half = textWidth(text, 11) / 2;
		if (x(p.value) - half < free + 5)
			return [];
		free = x(p.value) + half;
		return [svg("text", { class: "tick", x: x(p.value), y: HEIGHT - BOTTOM + 17, "text-anchor": "middle" }, text)];
	});
	const dot = (p: typeof points[number], best: boolean): SVGElement => {
		const chosen = app.state.now.variant === p.variant;
		const name = app.runs[p.variant]!.name;
		const tell = (): void => {
			const box = mark.getBoundingClientRect();
			showTip(mark, box.right, box.bottom, tipContent(name, [{ name: sweep.parameter, value: parameter(p.value, sweep.unit) },
				{ name: measure.name, value: measure.format(p.y) }]));
		};
		const choose = (): void => app.state.set({ variant: p.variant });
		const mark: SVGCircleElement = svg("circle", { class: `point ${chosen ? "chosen" : ""} ${best ? "best" : ""}`, cx: x(p.value), cy: y(p.y),
			r: chosen ? 7 : 5, tabindex: 0, role: "button", "aria-label": `${name}: ${measure.name} ${measure.format(p.y)}`,
			pointerenter: tell, focus: tell, blur: () => hideTipOf(mark), pointerleave: () => hideTipOf(mark), click: choose,
			keydown: (event: KeyboardEvent) => event.key === "Enter" && choose() });
		return mark;
	};
	const even = highest - lowest <= 1e-6 * Math.abs(highest), best = measure.better === "more" ? highest : lowest;
	const extremes = even ? points.slice(0, 1) : [points.find((p) => p.y === lowest)!, points.find((p) => p.y === highest)!];
	return h("figure", { class: "panel plot tradeoff" },
		h("figcaption", {}, measure.name, h("small", {}, measure.better === "more" ? "more is better" : "less is better")),
		svg("svg", { width, height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}` },
			...marks.flatMap((m) => [svg("line", { class: "gridline", x1: left, x2: width - 8, y1: y(m), y2: y(m) }),
				svg("text", { class: "tick", x: left - 6, y: y(m) + 4, "text-anchor": "end" }, measure.format(m))]),
			svg("path", { class: "line tradeoff-line", d: line().x((_, i) => x(values[i]!)).y((v) => y(v))(points.map((p) => p.y)) }),
			...points.map((p) => dot(p, !even && p.y === best)),
			...extremes.map((p) => svg("text", { class: "point-text", x: Math.max(left + 20, Math.min(width - 36, x(p.value))), y: y(p.y) + (p.y === lowest && !even ? 19 : -11),
				"text-anchor": "middle" }, measure.format(p.y))),
			...labels,
			svg("text", { class: "tick axis-name", x: (left + width) / 2, y: HEIGHT - 3, "text-anchor": "middle" }, sweep.parameter)));
}

export function tradeoff(app: App): CardSpec | null {
	const { sweep, runs, state } = app;
	if (!sweep || !sweep.points.length)
		return null;
	const { resource } = state.now, unit = runs[0]!.unitOf(resource);
	const all = measures(resource, unit).filter((m) => sweep.points.some((p) => m.of(runs[p.variant]!) !== undefined));
	const drawn = all.filter((m) => ["Jain's index", `use of ${resource}`, "90 % wait", lostName(unit)].includes(m.name));
	return {
		id: "tradeoff", title: `What ${sweep.parameter} buys, and what it costs`, wide: true,
		help: `One run for each value of ${sweep.parameter}. The axes do not begin at 0: look at the numbers before you call a slope steep. ` +
			"The best value of each figure is filled. Press a point to see all charts of that run below.",
		draw: (width) => {
			const columns = width >= 1150 ? 4 : width >= 560 ? 2 : 1, each = Math.floor((width - (columns - 1) * 16) / columns);
			const grid = h("div", { class: "panels" }, ...drawn.map((m) => panel(app, sweep, m, each)));
			grid.style.gridTemplateColumns = `repeat(${columns}, ${each}px)`;
			return grid;
		},
		table: () => sweepTable(app, sweep, all),
	};
}
