// SPDX-License-Identifier: Apache-2.0
// table - the numbers behind a chart: to read, to sort, to copy, as CSV

import { h, named } from "./dom";

/** A cell is a name, or a number with the way to write it. */
export type Cell = string | number | null | undefined;

export interface Column {
	title: string;
	format?: (x: number) => string; // numbers only; the CSV has them in full
}

export interface Table {
	columns: Column[];
	rows: Cell[][];
}

const SHOWN = 200;

function csvCell(cell: Cell): string {
	if (cell === null || cell === undefined)
		return "";
	if (typeof cell === "number")
		return String(cell);
	// What begins like a formula would be one in a spreadsheet.
	const text = /^[=+@\-\t\r]/.test(cell) ? "'" + cell : cell;
	return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

export function toCsv(table: Table): string {
	return [table.columns.map((c) => csvCell(c.title)), ...table.rows.map((row) => row.map(csvCell))]
		.map((row) => row.join(",") + "\r\n").join("");
}

function compare(a: Cell, b: Cell): number {
	if (typeof a === "number" && typeof b === "number")
		return a - b;
	if (a === null || a === undefined || b === null || b === undefined)
		return (b === null || b === undefined ? 0 : 1) - (a === null || a === undefined ? 0 : 1);
	return String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0;
}

function cellElement(cell: Cell, column: Column): HTMLElement {
	if (typeof cell === "number")
		return h("td", { class: "number", "data-value": cell, "data-column": column.title }, (column.format ?? String)(cell));
	return h("td", { "data-column": column.title }, cell === null || cell === undefined ? "–" : named(cell));
}

/** Headings sort; at most `shown` rows until the reader asks for all. `of`: what it is a table of, for those who do not see where it stands. */
export function tableElement(table: Table, of: string, shown = SHOWN): HTMLElement {
	let order = table.rows, all = false, by = -1, down = false;
	const body = h("tbody"), more = h("button", { class: "more", type: "button" });
	const heads = table.columns.map((column, i) => h("th", { scope: "col" },
		h("button", { type: "button", click: () => sort(i) }, column.title)));

	function sort(column: number): void {
		down = by === column ? !down : typeof table.rows[0]?.[column] === "number";
		by = column;
		order = [...table.rows].sort((a, b) => compare(a[column], b[column]) * (down ? -1 : 1));
		heads.forEach((head, i) => i === by ? head.setAttribute("aria-sort", down ? "descending" : "ascending")
			: head.removeAttribute("aria-sort"));
		fill();
	}

	function fill(): void {
		const rows = all ? order : order.slice(0, shown);
		body.replaceChildren(...rows.map((row) =>
			h("tr", {}, ...row.map((cell, i) => cellElement(cell, table.columns[i]!)))));
		more.hidden = rows.length === order.length;
		more.textContent = `Show all ${order.length.toLocaleString("en")} rows`;
	}

	more.addEventListener("click", () => { all = true; fill(); });
	fill();
	return h("div", { class: "table-scroll", tabindex: 0, role: "region", "aria-label": `Table: ${of}` },
		h("table", {}, h("thead", {}, h("tr", {}, ...heads)), body), more);
}

async function copy(text: string): Promise<boolean> {
	try {
		await navigator.clipboard.writeText(text);
		return true;
	} catch {
		const area = h("textarea", { class: "offscreen" });
		area.value = text;
		document.body.append(area);
		area.select();
		const done = document.execCommand("copy");
		area.remove();
		return done;
	}
}

export function copyButton(label: string, text: () => string): HTMLElement {
	const button = h("button", { type: "button", class: "small" }, label);
	button.addEventListener("click", async () => {
		button.textContent = await copy(text()) ? "Copied" : "Cannot copy here";
		setTimeout(() => { button.textContent = label; }, 1500);
	});
	return button;
}

function download(name: string, text: string): void {
	const url = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
	h("a", { href: url, download: name }).click();
	setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/** Closed until it is wanted: a large table is not even made before. */
export function tableDetails(name: string, table: () => Table): { element: HTMLDetailsElement; refresh: () => void } {
	const place = h("div");
	const element = h("details", { class: "data" }, h("summary", {}, "Table"), place);
	const refresh = () => {
		if (!element.open)
			return;
		place.replaceChildren(
			h("p", { class: "buttons" }, copyButton("Copy as CSV", () => toCsv(table())),
				h("button", { type: "button", class: "small", click: () => download(`${name}.csv`, toCsv(table())) },
					"Download CSV")),
			tableElement(table(), name.replace(/-/g, " ")));
	};
	element.addEventListener("toggle", refresh);
	return { element, refresh };
}
