// SPDX-License-Identifier: Apache-2.0
// row_plot - a row for each name, marks along one common axis: bars, dots with ranges, histograms

import { fit, h, svg, textWidth } from "./dom";
import { hideTipOf, showTip } from "./tip";

export interface Row {
	name: string;
	colour?: string; // of the mark beside the name
	value: string; // at the end of the row
	tip: () => Node[];
	draw: (x: (v: number) => number, top: number, height: number) => SVGElement[];
}

export interface RowAxis {
	x: (v: number) => number; // 0..1
	ticks: { at: number; text: string }[];
	reference?: number; // a line that rows are compared with
}

export interface RowPlotSpec {
	label: string;
	rows: Row[];
	axis: RowAxis;
	rowHeight: number;
}

const AXIS = 24, NARROW = 520;

/** Names stand beside the marks, or above them where the page is narrow. */
export function rowPlot(spec: RowPlotSpec, width: number): HTMLElement {
	const narrow = width < NARROW;
	const names = narrow ? 0 : Math.min(width * 0.3, 24 + Math.max(...spec.rows.map((r) => textWidth(r.name.slice(0, 60), 13))));
	const values = narrow ? 0 : Math.min(width * 0.3, 16 + Math.max(0, ...spec.rows.map((r) => textWidth(r.value, 12))));
	const head = narrow ? 18 : 0, pitch = spec.rowHeight + head + (narrow ? 8 : 6);
	const left = names + 4, right = width - values - (narrow ? 12 : 4), bottom = 4 + pitch * spec.rows.length;
	const x = (v: number): number => left + spec.axis.x(v) * (right - left);

	const focus = svg("rect", { class: "row-focus", x: 0, width, height: pitch, rx: 3, visibility: "hidden" });
	const host = h("div", { class: "plot rows", tabindex: 0, role: "application", "aria-roledescription": "chart",
		"aria-label": `${spec.label}. Up and down arrow keys go through the rows.` },
		svg("svg", { width, height: bottom + AXIS, viewBox: `0 0 ${width} ${bottom + AXIS}`, "aria-hidden": "true" }, focus,
			...axisMarks(spec.axis, x, bottom, left, right),
			...spec.rows.flatMap((row, i) => rowMarks(row, 4 + i * pitch))));

	function rowMarks(row: Row, top: number): SVGElement[] {
		const base = narrow ? top + 13 : top + spec.rowHeight / 2 + 4;
		const valueWidth = narrow ? textWidth(row.value, 12) + 8 : 0;
		const dot = row.colour ? svg("rect", { x: 2, y: base - 9, width: 9, height: 9, rx: 2 }) : null;
		dot?.style.setProperty("fill", row.colour!);
		const indent = dot ? 16 : 2;
		return [...(dot ? [dot] : []),
			svg("text", { class: "row-name", x: indent, y: base },
				fit(row.name, (narrow ? width - valueWidth : names) - indent - 4, 13)),
			svg("text", { class: "row-value", x: width - 2, y: base, "text-anchor": "end" }, row.value),
			...row.draw(x, top + head, spec.rowHeight)];
	}

	let at = -1;
	const show = (i: number, px: number, py: number): void => {
		at = i;
		focus.setAttribute("visibility", "visible");
		focus.setAttribute("y", String(4 + i * pitch - 2));
		showTip(host, px, py, spec.rows[i]!.tip());
	};
	const rowAt = (event: PointerEvent): number =>
		Math.floor((event.clientY - host.getBoundingClientRect().top - 4) / pitch);
	const pointed = (event: PointerEvent): void => {
		const i = rowAt(event);
		if (i >= 0 && i < spec.rows.length)
			show(i, event.clientX, event.clientY);
		else
			leave();
	};
	const leave = (): void => focus.setAttribute("visibility", "hidden");
	host.addEventListener("pointermove", pointed);
	host.addEventListener("pointerdown", pointed);
	host.addEventListener("pointerleave", (event) => {
		if (event.pointerType === "mouse") {
			leave();
			hideTipOf(host);
		}
	});
	host.addEventListener("blur", leave);
	host.addEventListener("keydown", (event) => {
		const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
		if (!step || !spec.rows.length)
			return;
		event.preventDefault();
		const i = Math.min(spec.rows.length - 1, Math.max(0, at + step)), box = host.getBoundingClientRect();
		show(i, box.left + left + 20, box.top + 4 + i * pitch + pitch / 2);
	});
	return host;
}

function axisMarks(axis: RowAxis, x: (v: number) => number, bottom: number, left: number, right: number): SVGElement[] {
	let free = -Infinity;
	const marks: SVGElement[] = [svg("line", { class: "base", x1: left, x2: right, y1: bottom, y2: bottom })];
	for (const tick of axis.ticks) {
		const px = x(tick.at), half = textWidth(tick.text, 11) / 2;
		marks.push(svg("line", { class: "gridline", x1: px, x2: px, y1: 2, y2: bottom }));
		const middle = Math.max(half, Math.min(px, right + 4 - half));
		if (middle - half < free + 6)
			continue;
		free = middle + half;
		marks.push(svg("text", { class: "tick", x: middle, y: bottom + 16, "text-anchor": "middle" }, tick.text));
	}
	if (axis.reference !== undefined)
		marks.push(svg("line", { class: "reference", x1: x(axis.reference), x2: x(axis.reference), y1: 0, y2: bottom }));
	return marks;
}

/** A filled mark of a colour that a style sheet may know by a variable. */
export function filled<T extends SVGElement>(mark: T, colour: string): T {
	mark.style.setProperty("fill", colour);
	return mark;
}

export function stroked<T extends SVGElement>(mark: T, colour: string): T {
	mark.style.setProperty("stroke", colour);
	return mark;
}
