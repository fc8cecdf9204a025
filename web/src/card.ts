// SPDX-License-Identifier: Apache-2.0
// card - a chart with its title, what it says in words, how to read it, and its table

import { h } from "./dom";
import { Table, tableDetails } from "./table";

export interface CardSpec {
	id: string;
	title: string;
	says?: string; // what is seen, in a sentence
	help: string; // how to read it
	wide?: boolean;
	controls?: Node;
	/** Called with the width there is; again when that changes. */
	draw: (width: number) => Node;
	table?: () => Table;
}

/** A list of choices of which one is pressed. */
export function choices<T>(label: string, options: { name: string; value: T }[], chosen: () => T, choose: (value: T) => void):
	HTMLElement {
	const buttons = options.map(({ name, value }) => h("button", {
		type: "button", click: () => { choose(value); press(); } }, name));
	const press = () => buttons.forEach((button, i) =>
		button.setAttribute("aria-pressed", String(options[i]!.value === chosen())));
	press();
	return h("div", { class: "choices", role: "group", "aria-label": label }, ...buttons);
}

export class Card {
	readonly element: HTMLElement;
	private readonly body = h("div", { class: "body" });
	private readonly details: ReturnType<typeof tableDetails> | null;

	constructor(private readonly spec: CardSpec, link: (id: string) => void) {
		this.details = spec.table ? tableDetails(spec.id, spec.table) : null;
		this.element = h("section", { class: spec.wide ? "card wide" : "card", id: spec.id, "aria-labelledby": spec.id + "-title" },
			h("h2", { id: spec.id + "-title" }, spec.title,
				h("button", { type: "button", class: "anchor", title: "Link to this chart",
					"aria-label": "Link to this chart", click: () => link(spec.id) }, "#")),
			spec.says ? h("p", { class: "says" }, spec.says) : null,
			spec.controls, this.body,
			h("div", { class: "below" }, h("details", { class: "help" }, h("summary", {}, "How to read this"),
				h("p", {}, spec.help)), this.details?.element));
		// A chart with choices of its own tells when its table has become another.
		this.body.addEventListener("redrawn", () => this.refreshTable());
	}

	draw(): void {
		const style = getComputedStyle(this.element);
		const width = this.element.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
		this.body.replaceChildren(this.spec.draw(Math.max(200, Math.floor(width))));
		this.details?.refresh();
	}

	refreshTable(): void {
		this.details?.refresh();
	}
}
