// SPDX-License-Identifier: Apache-2.0
// virtual - a list of which only the rows in sight are elements: 100,000 rows cost as much as forty
//
// It scrolls with the page. All rows are equally high. Arrow keys, j, k, Home, End and the page keys
// move along, Enter opens; the row with the focus is kept even when it is scrolled out of sight.

import { h } from "../src/dom";
import { keyed, setAttribute } from "./keyed";

export interface VirtualSpec<T> {
	label: string;
	role: "table" | "treegrid";
	heading: HTMLElement | null; // a row of columns
	rowHeight: () => number;
	key: (item: T) => string;
	make: (item: T) => HTMLElement; // a row; its role is set here
	update: (element: HTMLElement, item: T, index: number) => void;
	open: (item: T) => void;
	/** Rows from..to are in sight: more of them may be wanted. */
	seen?: (from: number, to: number) => void;
}

const MORE = 8; // rows beyond what is seen, on both sides

export class VirtualList<T> {
	readonly element: HTMLElement;
	private items: readonly T[] = [];
	private readonly body = h("div", { class: "virtual-body", role: "rowgroup" });
	private active: string | null = null;
	private readonly places = new Map<string, number>();
	private placed: { items: readonly T[]; count: number } = { items: [], count: 0 };
	private drawing = false;
	private known = 0;
	private readonly onScroll = (): void => this.soon();
	private readonly watcher = new ResizeObserver(() => this.soon());

	constructor(private readonly spec: VirtualSpec<T>) {
		this.element = h("div", { class: "virtual", role: spec.role, "aria-label": spec.label }, spec.heading, this.body);
		window.addEventListener("scroll", this.onScroll, { passive: true });
		window.addEventListener("resize", this.onScroll);
		this.watcher.observe(document.documentElement);
		this.element.addEventListener("focusin", (event) => {
			const row = (event.target as Element).closest<HTMLElement>("[data-key]");
			if (row)
				this.mark(row.dataset.key!);
		});
		this.body.addEventListener("click", (event) => {
			const target = event.target as Element, row = target.closest<HTMLElement>("[data-key]");
			const place = row ? this.places.get(row.dataset.key!) : undefined;
			if (place !== undefined && !target.closest("button, a, input, select") && !getSelection()?.toString())
				this.spec.open(this.items[place]!);
		});
	}

	dispose(): void {
		window.removeEventListener("scroll", this.onScroll);
		window.removeEventListener("resize", this.onScroll);
		this.watcher.disconnect();
	}

	/**
	 * `total`: rows that there will be, where not all are known yet. A list that only grows may be the same array:
	 * then only what is new is looked at.
	 */
	set(items: readonly T[], total = items.length): void {
		this.items = items;
		this.known = Math.max(total, items.length);
		if (items !== this.placed.items || items.length < this.placed.count) {
			this.places.clear();
			this.placed = { items, count: 0 };
		}
		for (; this.placed.count < items.length; this.placed.count++)
			this.places.set(this.spec.key(items[this.placed.count]!), this.placed.count);
		setAttribute(this.element, "aria-rowcount", String(this.known + (this.spec.heading ? 1 : 0)));
		this.draw();
	}

	get current(): T | undefined {
		const place = this.active === null ? undefined : this.places.get(this.active);
		return place === undefined ? undefined : this.items[place];
	}

	private soon(): void {
		if (this.drawing)
			return;
		this.drawing = true;
		requestAnimationFrame(() => {
			this.drawing = false;
			this.draw();
		});
	}

	/** The rows that are in sight of the window now. */
	range(): [number, number] {
		const height = this.spec.rowHeight(), top = this.body.getBoundingClientRect().top;
		const first = Math.floor(-top / height) - MORE, last = Math.ceil((window.innerHeight - top) / height) + MORE;
		return [Math.max(0, Math.min(first, this.known)), Math.max(0, Math.min(last, this.known))];
	}

	draw(): void {
		if (!this.element.isConnected)
			return;
		const height = this.spec.rowHeight();
		const total = `${this.known * height}px`;
		if (this.body.style.height !== total)
			this.body.style.height = total;
		const [from, to] = this.range();
		this.spec.seen?.(from, to);
		const shown: { item: T; index: number }[] = [];
		for (let index = from; index < Math.min(to, this.items.length); index++)
			shown.push({ item: this.items[index]!, index });
		const kept = this.active === null ? undefined : this.places.get(this.active);
		if (kept !== undefined && (kept < from || kept >= to) && this.body.contains(document.activeElement))
			(kept < from ? shown.unshift.bind(shown) : shown.push.bind(shown))({ item: this.items[kept]!, index: kept });
		const entry = kept !== undefined && kept >= from && kept < to ? this.active : shown[0] ? this.spec.key(shown[0].item) : null;
		keyed(this.body, shown, {
			key: ({ item }) => this.spec.key(item),
			make: ({ item }) => {
				const row = this.spec.make(item);
				row.dataset.key = this.spec.key(item);
				row.setAttribute("role", "row");
				return row;
			},
			update: (row, { item, index }) => {
				const place = `translateY(${index * height}px)`;
				if (row.style.transform !== place)
					row.style.transform = place;
				setAttribute(row, "aria-rowindex", String(index + (this.spec.heading ? 2 : 1)));
				// One of them is reached with Tab; from there the arrow keys go on.
				setAttribute(row, "tabindex", this.spec.key(item) === entry ? "0" : "-1");
				this.spec.update(row, item, index);
			},
		});
	}

	private mark(key: string): void {
		this.active = key;
		for (const row of this.body.querySelectorAll<HTMLElement>("[data-key]"))
			setAttribute(row, "tabindex", row.dataset.key === key ? "0" : "-1");
	}

	/** To another row; the first step goes to the first that is in sight. */
	move(step: number): void {
		const height = this.spec.rowHeight(), now = this.active === null ? undefined : this.places.get(this.active);
		const first = Math.max(0, Math.ceil((this.top() - this.body.getBoundingClientRect().top) / height));
		this.focus(now === undefined ? first : now + step);
	}

	private top(): number {
		return parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) || 0;
	}

	focus(place: number): void {
		const index = Math.min(this.items.length - 1, Math.max(0, place));
		if (index < 0)
			return;
		const height = this.spec.rowHeight(), top = this.body.getBoundingClientRect().top + index * height;
		if (top < this.top())
			window.scrollBy(0, top - this.top());
		else if (top + height > window.innerHeight)
			window.scrollBy(0, top + height - window.innerHeight);
		this.active = this.spec.key(this.items[index]!);
		this.draw();
		([...this.body.children].find((row) => (row as HTMLElement).dataset.key === this.active) as HTMLElement | undefined)
			?.focus({ preventScroll: true });
	}

	/** True: the key was for the list. */
	key(key: string): boolean {
		const page = Math.max(1, Math.floor((window.innerHeight - this.top()) / this.spec.rowHeight()) - 1);
		const steps: Record<string, number> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1, PageDown: page, PageUp: -page };
		if (key in steps)
			this.move(steps[key]!);
		else if (key === "Home")
			this.focus(0);
		else if (key === "End")
			this.focus(this.items.length - 1);
		else if (key === "Enter" && this.current !== undefined)
			this.spec.open(this.current);
		else
			return false;
		return true;
	}
}
