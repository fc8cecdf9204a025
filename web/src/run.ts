// SPDX-License-Identifier: Apache-2.0
// run - one report with what the charts ask of it: the tree, series by node, a colour for each name

import { NodeSeries, RunEvent, SimulationReport, Values } from "./report";

export const PALETTE = 10;

export interface Geometry {
	start: number;
	step: number;
	n: number;
}

/** What one chart calls a part of the tree: a node, or the rest of a parent's children as one. */
export interface Part {
	node: number | null; // null: the rest
	name: string;
	colour: string;
	series: NodeSeries;
}

/**
 * Colours go by path, so that a queue has the same in all charts and all variants. Siblings never
 * share one while there are enough; when all leaves together are few, nor do they.
 */
export class Colours {
	private readonly of = new Map<string, number>();

	constructor(run: Run) {
		if (run.leaves.length <= PALETTE)
			run.bySize(run.leaves).forEach((leaf, i) => this.of.set(run.path(leaf), i));
		for (const siblings of [run.roots, ...run.children])
			this.assign(run, run.bySize(siblings));
	}

	private assign(run: Run, siblings: number[]): void {
		const taken = new Set(siblings.map((i) => this.of.get(run.path(i))));
		for (const i of siblings) {
			if (this.of.has(run.path(i)))
				continue;
			let colour = 0;
			while (taken.has(colour))
				colour++;
			taken.add(colour);
			this.of.set(run.path(i), colour);
		}
	}

	colour(path: string): string {
		const i = this.of.get(path);
		return i === undefined || i >= PALETTE ? "var(--rest)" : `var(--c${i})`;
	}
}

export class Run {
	readonly children: number[][];
	readonly roots: number[] = [];
	readonly leaves: number[] = [];
	readonly time: Geometry | null;
	readonly events: RunEvent[]; // on the clock of the series
	private readonly series = new Map<number, NodeSeries>();
	private readonly rest = new Map<number, NodeSeries>();
	private readonly paths: string[] = [];
	colours: Colours;

	constructor(readonly report: SimulationReport, readonly name: string, colours?: Colours) {
		this.children = report.nodes.map(() => []);
		report.nodes.forEach((node, i) => {
			(node.parent === null ? this.roots : this.children[node.parent]!).push(i);
			this.paths.push((node.parent === null ? "" : this.paths[node.parent] + "\u0000") + node.name);
		});
		report.nodes.forEach((_, i) => this.children[i]!.length || this.leaves.push(i));
		this.time = report.series && report.series.n > 0 ? report.series : null;
		this.events = (report.events ?? []).map((e) => ({ ...e, at: e.at + (this.time?.start ?? 0) }));
		for (const series of report.series?.nodes ?? []) {
			if (series.rest)
				this.rest.set(series.parent ?? -1, series);
			else if (series.node !== undefined)
				this.series.set(series.node, series);
		}
		this.colours = colours ?? new Colours(this);
	}

	path(node: number): string {
		return this.paths[node]!;
	}

	nameOf(node: number): string {
		return this.report.nodes[node]!.name;
	}

	colourOf(node: number): string {
		return this.colours.colour(this.path(node));
	}

	/** In the resource that has most of its capacity used: the one that a run is about. */
	mainResource(): string {
		let best = "", most = -1;
		for (const { name } of this.report.resources) {
			const used = this.report.totals.utilisation[name] ?? 0;
			if (used > most && !/memory|storage|pods/.test(name))
				[best, most] = [name, used];
		}
		return best || this.report.resources[0]?.name || "";
	}

	unitOf(resource: string): string {
		return this.report.resources.find((r) => r.name === resource)?.unit ?? "";
	}

	/** Largest first by what was used of the main resource; ties by place. */
	bySize(nodes: readonly number[], resource = this.mainResource()): number[] {
		const size = (i: number) => this.report.nodes[i]!.hours?.[resource] ?? 0;
		return [...nodes].sort((a, b) => size(b) - size(a) || a - b);
	}

	/** A queue that had nothing for a minute is less of a wrong than one with half of its own for a month. */
	missed(node: number): number {
		const { ratio, blockedSeconds } = this.report.nodes[node]!;
		return ratio ? (1 - ratio.mean) * (blockedSeconds ?? 0) : 0;
	}

	/** First who missed most of what it was entitled to; ties by place. */
	byMissed(nodes: readonly number[]): number[] {
		return [...nodes].sort((a, b) => this.missed(b) - this.missed(a) || a - b);
	}

	/** All leaves below a node (null: of the whole), or the node itself. */
	leavesBelow(node: number | null): number[] {
		const isBelow = (at: number | null): boolean => at === node || (at !== null && isBelow(this.report.nodes[at]!.parent));
		return this.leaves.filter((leaf) => isBelow(leaf));
	}

	seriesOf(node: number): NodeSeries | undefined {
		return this.series.get(node);
	}

	/** The children of a node (null: of the whole), the first `most` of them, by size, and the rest as one. */
	parts(node: number | null, resource: string, most: number, order = (i: number[]) => this.bySize(i, resource)): Part[] {
		const below = node === null ? this.roots : this.children[node]!;
		const nodes = order(below.length || node === null ? below : [node]).filter((i) => this.series.has(i));
		const keep = nodes.length > most ? most - 1 : nodes.length;
		const parts: Part[] = nodes.slice(0, keep).map((i) => ({
			node: i, name: this.nameOf(i), colour: this.colourOf(i), series: this.series.get(i)!,
		}));
		const left = nodes.slice(keep).map((i) => this.series.get(i)!);
		const others = this.rest.get(node ?? -1);
		if (others)
			left.push(others);
		if (left.length) {
			const count = below.length - keep;
			parts.push({ node: null, name: count === 1 ? "1 other" : `${count} others`, colour: "var(--rest)",
				series: addUp(left) });
		}
		return parts;
	}

	/** Where a reader begins: the first node that divides into several, null for the whole. */
	firstView(): number | null {
		let node: number | null = null, below = this.roots;
		while (below.length === 1 && this.children[below[0]!]!.length) {
			node = below[0]!;
			below = this.children[node]!;
		}
		return node;
	}

	capacity(resource: string): Values {
		const values = this.report.series?.cluster.capacity[resource];
		const whole = this.report.resources.find((r) => r.name === resource)?.capacity ?? 0;
		return values ?? Array<number>(this.time?.n ?? 0).fill(whole);
	}
}

function addUp(all: NodeSeries[]): NodeSeries {
	if (all.length === 1)
		return all[0]!;
	const add = (lists: (Values | undefined)[]): Values => {
		const sum: number[] = [];
		for (const list of lists)
			list?.forEach((x, i) => { sum[i] = (sum[i] ?? 0) + (x ?? 0); });
		return sum;
	};
	const each = (pick: (s: NodeSeries) => Record<string, Values>): Record<string, Values> => {
		const keys = new Set(all.flatMap((s) => Object.keys(pick(s) ?? {})));
		return Object.fromEntries([...keys].map((key) => [key, add(all.map((s) => pick(s)?.[key]))]));
	};
	return { rest: true, held: each((s) => s.held), wanted: each((s) => s.wanted), entitled: each((s) => s.entitled),
		waiting: add(all.map((s) => s.waiting)) };
}

/** Values of another run at this one's buckets; nothing where that run has none. */
export function resample(values: Values, from: Geometry, to: Geometry): Values {
	const result: Values = [];
	for (let i = 0; i < to.n; i++) {
		const t = to.start + (i + 0.5) * to.step;
		const at = Math.floor((t - from.start) / from.step);
		result.push(at >= 0 && at < from.n ? values[at] ?? null : null);
	}
	return result;
}
