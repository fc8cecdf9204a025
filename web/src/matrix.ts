// SPDX-License-Identifier: Apache-2.0
// matrix - counts by row and column: the larger, the darker

import { fit, h, svg, textWidth } from "./dom";
import { count } from "./format";
import { hideTipOf, showTip, tipContent } from "./tip";

export interface MatrixEnd {
	name: string;
	colour: string;
}

export interface MatrixCell {
	count: number;
	tip: { name: string; value: string }[];
}

export interface MatrixSpec {
	label: string;
	rows: MatrixEnd[];
	columns: MatrixEnd[];
	cell: (row: number, column: number) => MatrixCell | undefined;
	empty: { name: string; value: string }[]; // of a cell without a count
	title: (row: MatrixEnd, column: MatrixEnd) => string;
	open?: (row: number, column: number) => void;
}

export function matrix(spec: MatrixSpec, width: number): HTMLElement {
	const { rows, columns } = spec;
	const side = Math.min(width * 0.34, 156, 24 + Math.max(...rows.map(({ name }) => textWidth(name.slice(0, 60), 12))));
	const head = Math.min(120, 26 + Math.max(...columns.map(({ name }) => textWidth(name.slice(0, 60), 12))));
	const cell = Math.max(22, Math.min(38, (width - side - 4) / columns.length));
	const all = rows.map((_, r) => columns.map((__, c) => spec.cell(r, c)));
	const most = Math.max(1, ...all.flat().map((one) => one?.count ?? 0));
	const total = { width: Math.ceil(side + cell * columns.length + 2), height: Math.ceil(head + cell * rows.length + 2) };
	const focus = svg("rect", { class: "cell-focus", width: cell, height: cell, visibility: "hidden" });
	const colourDot = (colour: string, x: number, y: number): SVGElement => {
		const dot = svg("rect", { x, y, width: 9, height: 9, rx: 2 });
		dot.style.setProperty("fill", colour);
		return dot;
	};
	const cellMark = (one: MatrixCell, r: number, c: number): SVGElement[] => {
		const strength = Math.sqrt(one.count / most), x = side + c * cell, y = head + r * cell, text = count(one.count);
		const mark = svg("rect", { class: "cell", x: x + 1, y: y + 1, width: cell - 2, height: cell - 2, rx: 3 });
		mark.style.setProperty("fill", `color-mix(in srgb, var(--accent) ${Math.round(12 + 88 * strength)}%, var(--card))`);
		return [mark, ...(textWidth(text, 11) < cell - 3 ? [svg("text", { class: `cell-text ${strength > 0.5 ? "strong" : ""}`,
			x: x + cell / 2, y: y + cell / 2 + 4, "text-anchor": "middle" }, text)] : [])];
	};
	const drawing = svg("svg", { ...total, viewBox: `0 0 ${total.width} ${total.height}`, "aria-hidden": "true" },
		...rows.flatMap(({ name, colour }, r) => [colourDot(colour, 0, head + (r + 0.5) * cell - 5),
			svg("text", { class: "row-name", x: 14, y: head + (r + 0.5) * cell + 4 }, fit(name, side - 18))]),
		...columns.flatMap(({ name, colour }, c) => {
			const x = side + (c + 0.5) * cell;
			return [colourDot(colour, x - 4.5, head - 12), svg("text", { class: "row-name", transform: `translate(${x + 4},${head - 16}) rotate(-90)` },
				fit(name, head - 20))];
		}),
		...rows.flatMap((_, r) => columns.map((__, c) => svg("rect", { class: "cell empty", x: side + c * cell + 1, y: head + r * cell + 1,
			width: cell - 2, height: cell - 2, rx: 3 }))),
		...all.flatMap((line, r) => line.flatMap((one, c) => one ? cellMark(one, r, c) : [])), focus);

	const host = h("div", { class: "plot matrix", tabindex: 0, role: "application", "aria-roledescription": "chart",
		"aria-label": `${spec.label}. Arrow keys go through the cells.` }, drawing);
	let row = 0, column = -1;
	const show = (r: number, c: number, px: number, py: number): void => {
		[row, column] = [r, c];
		focus.setAttribute("visibility", "visible");
		focus.setAttribute("x", String(side + c * cell));
		focus.setAttribute("y", String(head + r * cell));
		showTip(host, px, py, tipContent(spec.title(rows[r]!, columns[c]!), all[r]![c]?.tip ?? spec.empty));
	};
	const cellAt = (event: PointerEvent): [number, number] | null => {
		const box = drawing.getBoundingClientRect();
		const c = Math.floor((event.clientX - box.left - side) / cell), r = Math.floor((event.clientY - box.top - head) / cell);
		return r >= 0 && c >= 0 && r < rows.length && c < columns.length ? [r, c] : null;
	};
	const pointed = (event: PointerEvent): void => {
		const at = cellAt(event);
		if (at)
			show(...at, event.clientX, event.clientY);
	};
	const open = (r: number, c: number): void => { if (all[r]?.[c]) spec.open?.(r, c); };
	host.addEventListener("pointermove", pointed);
	host.addEventListener("pointerdown", pointed);
	host.addEventListener("click", (event) => {
		const at = cellAt(event as PointerEvent);
		if (at)
			open(...at);
	});
	host.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && hideTipOf(host));
	host.addEventListener("blur", () => focus.setAttribute("visibility", "hidden"));
	host.addEventListener("keydown", (event) => {
		const steps: Record<string, [number, number]> = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
		const step = steps[event.key];
		if (!step && (event.key !== "Enter" || column < 0 || !spec.open))
			return;
		event.preventDefault();
		if (!step)
			return open(row, column);
		const r = Math.min(rows.length - 1, Math.max(0, row + step[0])), c = Math.min(columns.length - 1, Math.max(0, column + step[1]));
		const box = drawing.getBoundingClientRect();
		show(r, c, box.left + side + (c + 0.5) * cell, box.top + head + (r + 0.5) * cell);
	});
	return host;
}
