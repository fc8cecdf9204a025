// SPDX-License-Identifier: Apache-2.0
// view - what the reader looks at, kept in the address so that a link leads to the same sight

export interface View {
	variant: number;
	node: number | null;
	resource: string;
	from: number;
	to: number;
	at: number | null; // the moment that is pinned
	chart: string | null;
}

export type Change = "what" | "window" | "moment";

export class ViewState {
	private readonly listeners = new Map<Change, Set<() => void>>();
	hover: number | null = null;

	constructor(public now: View, readonly whole: { from: number; to: number }) {}

	on(change: Change, listener: () => void): () => void {
		const set = this.listeners.get(change) ?? new Set();
		this.listeners.set(change, set.add(listener));
		return () => set.delete(listener);
	}

	private tell(change: Change): void {
		for (const listener of [...(this.listeners.get(change) ?? [])])
			listener();
	}

	/** Change some of it; whoever draws that hears of it, and the address follows. */
	set(part: Partial<View>): void {
		const before = this.now;
		this.now = { ...before, ...part };
		this.write();
		if (before.variant !== this.now.variant || before.node !== this.now.node || before.resource !== this.now.resource)
			this.tell("what");
		if (before.from !== this.now.from || before.to !== this.now.to)
			this.tell("window");
		if (before.at !== this.now.at)
			this.tell("moment");
	}

	point(t: number | null): void {
		if (t === this.hover)
			return;
		this.hover = t;
		this.tell("moment");
	}

	/** Never outside the run, never shorter than `least`. */
	zoom(from: number, to: number, least: number): void {
		const { from: first, to: last } = this.whole;
		const length = Math.min(Math.max(to - from, Math.min(least, last - first)), last - first);
		const middle = (from + to) / 2;
		const start = Math.min(Math.max(middle - length / 2, first), last - length);
		this.set({ from: start, to: start + length });
	}

	isWhole(): boolean {
		return this.now.from <= this.whole.from && this.now.to >= this.whole.to;
	}

	/** A link to this sight, and to a chart of it. */
	hash(chart: string | null = this.now.chart): string {
		const parts: [string, string | number][] = [];
		if (this.now.variant)
			parts.push(["v", this.now.variant]);
		parts.push(["n", this.now.node ?? "all"], ["r", this.now.resource]);
		if (!this.isWhole())
			parts.push(["from", Number(this.now.from.toFixed(3))], ["to", Number(this.now.to.toFixed(3))]);
		if (this.now.at !== null)
			parts.push(["at", Number(this.now.at.toFixed(3))]);
		if (chart)
			parts.push(["c", chart]);
		return "#" + parts.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join("&");
	}

	protected write(): void {
		try {
			history.replaceState(null, "", this.hash());
		} catch {
			// Some viewers of files forbid it; the page works without.
		}
	}
}

/** What of a view an address names; what is nonsense is left out. */
export function readHash(hash: string): Partial<View> {
	const given = new URLSearchParams(hash.replace(/^#/, ""));
	const result: Partial<View> = {};
	const numeric = (key: string): number | undefined => {
		const text = given.get(key);
		const value = text ? Number(text) : NaN;
		return Number.isFinite(value) ? value : undefined;
	};
	const variant = numeric("v"), node = numeric("n"), from = numeric("from"), to = numeric("to"), at = numeric("at");
	if (variant !== undefined)
		result.variant = variant;
	if (given.get("n") === "all")
		result.node = null;
	else if (node !== undefined)
		result.node = node;
	if (from !== undefined && to !== undefined && from < to)
		[result.from, result.to] = [from, to];
	if (at !== undefined)
		result.at = at;
	const resource = given.get("r"), chart = given.get("c");
	if (resource)
		result.resource = resource;
	if (chart)
		result.chart = chart;
	return result;
}
