// SPDX-License-Identifier: Apache-2.0
// keys - what the keyboard does anywhere on the page, and the list of it

import { h } from "../src/dom";

export interface Binding {
	keys: string; // as pressed: "?", "g t"
	text: string;
	run: () => void;
}

const WITHIN = 1500; // milliseconds from the first key to the second

export const LIST_KEYS: [string, string][] = [["j, ↓", "next row"], ["k, ↑", "row before"], ["Home, End", "first, last row"],
	["Enter", "open the row"], ["→, ←", "open, close what is below a row of the tree"], ["Esc", "back, or out of a field"]];

export class Keys {
	private first: { key: string; at: number } | null = null;
	private readonly dialog = h("dialog", { class: "keys", "aria-labelledby": "keys-title" });

	/** `other` takes what is no binding. */
	constructor(private readonly bindings: () => Binding[], private readonly other: (key: string) => boolean) {
		document.addEventListener("keydown", (event) => this.pressed(event));
		document.body.append(this.dialog);
		this.dialog.addEventListener("click", (event) => { if (event.target === this.dialog) this.dialog.close(); });
	}

	private pressed(event: KeyboardEvent): void {
		if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || this.dialog.open)
			return;
		const target = event.target as HTMLElement;
		if (target.closest("input, select, textarea")) {
			if (event.key === "Escape")
				target.blur();
			return;
		}
		if ((event.key === "Enter" || event.key === " ") && target.closest("button, a, summary"))
			return;
		if (this.bound(event.key) || this.other(event.key))
			event.preventDefault();
	}

	private bound(key: string): boolean {
		const keys = this.first && performance.now() - this.first.at < WITHIN ? `${this.first.key} ${key}` : key;
		this.first = null;
		const binding = this.bindings().find((one) => one.keys === keys);
		if (binding)
			binding.run();
		else if (this.bindings().some((one) => one.keys.startsWith(keys + " ")))
			this.first = { key, at: performance.now() };
		else
			return false;
		return true;
	}

	/** The list; the browser keeps the focus in it, and gives it back. */
	help(): void {
		const row = (keys: string, text: string): Node[] => [
			h("dt", {}, ...keys.split(/, | /).flatMap((key, i) => [i ? " " : null, h("kbd", {}, key)])), h("dd", {}, text)];
		this.dialog.replaceChildren(h("h2", { id: "keys-title" }, "Keys"),
			h("dl", {}, ...this.bindings().flatMap((one) => row(one.keys, one.text)), ...LIST_KEYS.flatMap(([keys, text]) => row(keys, text))),
			h("form", { method: "dialog" }, h("button", { autofocus: true }, "Close")));
		this.dialog.showModal();
	}
}
