// SPDX-License-Identifier: Apache-2.0
// along_parts - which queues a picture along time shows, what each held, wanted and was entitled to
//
// Those that held most are shown, and the rest together as "others"; a queue that is starved is always
// shown for itself.

import { Values } from "../src/report";
import { PALETTE } from "../src/run";
import { percent } from "../src/format";
import { long } from "./amounts";
import { Model, QueueNode } from "./model";

export interface AlongPart {
	key: string;
	node: QueueNode | null; // null: the others
	name: string;
	colour: string;
	held: Values;
	entitled: Values;
	wanted: Values;
	mean: { held: number; entitled: number; wanted: number };
	/** Of what it was entitled to it held this part, while it wanted more; null: it is not starved. */
	starved: number | null;
}

export interface AlongSeries {
	held: Map<string, Values>;
	entitled: Map<string, Values>;
	wanted: Map<string, Values>;
}

const ENOUGH = 0.9, STARVED_SHOWN = 20;

export function meanOf(values: Values): number {
	const known = values.filter((value): value is number => value !== null);
	return known.length ? known.reduce((sum, value) => sum + value, 0) / known.length : 0;
}

function sumOf(all: readonly Values[], n: number): Values {
	return Array.from({ length: n }, (_, i) => all.reduce<number | null>((sum, values) =>
		values[i] === null || values[i] === undefined ? sum : (sum ?? 0) + values[i]!, null));
}

function part(key: string, node: QueueNode | null, name: string, colour: string, series: Record<"held" | "entitled" | "wanted", Values>): AlongPart {
	const mean = { held: meanOf(series.held), entitled: meanOf(series.entitled), wanted: meanOf(series.wanted) };
	const starved = node && mean.entitled > 1e-9 && mean.held < ENOUGH * mean.entitled && mean.wanted > mean.held ? mean.held / mean.entitled : null;
	return { key, node, name, colour, ...series, mean, starved };
}

/** Inside a cohort what is below it; else all queues where they are few, or what the tree begins with. */
export function siblingsOf(model: Model, inside: QueueNode | undefined): QueueNode[] {
	if (inside?.children.length)
		return inside.children;
	const leaves = [...model.nodes.values()].filter((node) => !node.children.length);
	if (leaves.length <= PALETTE)
		return leaves;
	return model.roots.length === 1 && model.roots[0]!.children.length ? model.roots[0]!.children : model.roots;
}

export function alongParts(nodes: readonly QueueNode[], series: AlongSeries, n: number): AlongPart[] {
	const none: Values = Array<number | null>(n).fill(null);
	const all = nodes.map((node) => part(node.key, node, node.name, node.colour, { held: series.held.get(node.key) ?? none,
		entitled: series.entitled.get(node.key) ?? none, wanted: series.wanted.get(node.key) ?? none }));
	all.sort((a, b) => b.mean.held - a.mean.held || (a.name < b.name ? -1 : 1));
	const most = new Set(all.slice(0, all.length <= PALETTE ? PALETTE : PALETTE - 1));
	[...all].filter((one) => one.starved !== null).sort((a, b) => a.starved! - b.starved!).slice(0, STARVED_SHOWN).forEach((one) => most.add(one));
	const shown = all.filter((one) => most.has(one)), rest = all.filter((one) => !most.has(one));
	if (rest.length)
		shown.push(part("", null, `${rest.length} others`, "var(--rest)", { held: sumOf(rest.map((one) => one.held), n),
			entitled: sumOf(rest.map((one) => one.entitled), n), wanted: sumOf(rest.map((one) => one.wanted), n) }));
	return shown;
}

const closed = (name: string): string => `\u2068${name}\u2069`;

/** Who held most, and who held less than what it was entitled to. */
export function usageSays(parts: readonly AlongPart[], resource: string, capacity: number, title: string): string {
	const used = parts.reduce((sum, one) => sum + one.mean.held, 0);
	const most = parts.filter((one) => one.node).sort((a, b) => b.mean.held - a.mean.held)[0];
	if (!most || used <= 0)
		return `Nobody held any ${resource} in ${title}.`;
	const of = Number.isFinite(capacity) && capacity > 0 ? `${percent(used / capacity)} of ${long(resource, capacity)}` : long(resource, used);
	return `In ${title} ${of} ${Number.isFinite(capacity) ? "was" : "were"} in use on average; ${closed(most.name)} held most of it, ${percent(most.mean.held / used)}.`;
}

export function fairnessSays(parts: readonly AlongPart[], resource: string): string {
	const starved = parts.filter((one) => one.starved !== null).sort((a, b) => a.starved! - b.starved!);
	if (!starved.length)
		return "Each queue that wanted more held at least nine tenths of what it was entitled to.";
	const [worst] = starved;
	return `${closed(worst!.name)} held ${long(resource, worst!.mean.held)} where it was entitled to ${long(resource, worst!.mean.entitled)}: ${
		percent(worst!.starved!)}. ${starved.length > 1 ? `${starved.length - 1} more held less than nine tenths, too.` : "All others held at least nine tenths."}`;
}
