// SPDX-License-Identifier: Apache-2.0
// bar - what a queue has, holds, borrows, lends and asks for, along one line; the numbers stand beside it

import { h } from "../src/dom";
import { short } from "./amounts";
import { setAttribute } from "./keyed";
import { Held } from "./model";

const PARTS = ["quota", "own", "lent", "borrowed", "pending"] as const;

export function barElement(): HTMLElement {
	return h("span", { class: "quota-bar", role: "img" }, ...PARTS.map((part) => h("i", { class: part })));
}

/** Widths are parts of `scale`, which siblings share. */
export function setBar(bar: HTMLElement, held: Held, scale: number, resource: string, colour: string): void {
	const quota = Number.isFinite(held.quota) ? held.quota : scale;
	const own = Math.max(0, held.used - held.borrowed), lent = Math.min(held.lent, Math.max(0, quota - own));
	const at: Record<typeof PARTS[number], [number, number]> = {
		quota: [0, quota], own: [0, own], lent: [quota - lent, lent],
		borrowed: [own, held.borrowed], pending: [held.used, held.pending],
	};
	PARTS.forEach((part, i) => {
		const element = bar.children[i] as HTMLElement, [from, length] = at[part];
		const left = `${(100 * from / scale).toFixed(2)}%`, width = `${(100 * Math.min(length, scale - from) / scale).toFixed(2)}%`;
		if (element.style.left !== left)
			element.style.left = left;
		if (element.style.width !== width)
			element.style.width = width;
		if (element.hidden !== length <= 0)
			element.hidden = length <= 0;
	});
	if (bar.dataset.colour !== colour) {
		bar.dataset.colour = colour;
		bar.style.setProperty("--queue", colour);
	}
	const text = barText(held, resource);
	setAttribute(bar, "aria-label", text);
	setAttribute(bar, "title", text);
}

export function barText(held: Held, resource: string): string {
	const say = (x: number): string => short(resource, x);
	return [`uses ${say(held.used)} of ${say(held.quota)} ${resource}`,
		held.borrowed > 0 ? `borrows ${say(held.borrowed)}` : "", held.lent > 0 ? `lends ${say(held.lent)}` : "",
		Number.isFinite(held.entitled) ? `is entitled to ${say(held.entitled)}` : "",
		held.pending > 0 ? `its waiting jobs ask for ${say(held.pending)}` : ""].filter((text) => text).join(", ");
}

export function barKey(): HTMLElement {
	const item = (part: string, text: string): Node => h("li", {}, h("i", { class: `sample ${part}`, "aria-hidden": "true" }), text);
	return h("ul", { class: "bar-key", "aria-label": "Parts of the bars" }, item("own", "used of its own"), item("borrowed", "borrowed"),
		item("lent", "lent"), item("quota", "quota"), item("pending", "asked for, waiting"));
}
