// SPDX-License-Identifier: Apache-2.0
// edits - changes of fields as the lines that what-if takes: "ClusterQueue/a: nominalQuota[cpu,default]=4"
//
// The lines stand in the address, so that a link shows the same changes. A line that is of no field that the
// tree knows is kept as it is.

import { fromCounted, quantity, unitOf } from "./amounts";
import { Cell, Counted, Policy } from "./answers";
import { QueueNode } from "./model";

export interface Edit {
	object: string; // "ClusterQueue/a"
	path: string; // "nominalQuota[cpu,default]"
	value: string; // "null" removes the field
}

export function parseEdit(line: string): Edit | null {
	const parts = /^\s*([A-Za-z]+(?:\/[^:]+)?):\s*(?:spec\.)?([^=]+?)\s*=(.*)$/.exec(line);
	return parts && !/[+-]$/.test(parts[2]!) ? { object: parts[1]!, path: parts[2]!, value: parts[3]!.trim() } : null;
}

export function editLine({ object, path, value }: Edit): string {
	return `${object}: ${path}=${value}`;
}

/** Of two lines about one field the last counts. */
export function parseLines(text: string | undefined): string[] {
	const lines = (text ?? "").split("\n").map((line) => line.trim()).filter((line) => line);
	const field = (line: string): string => {
		const edit = parseEdit(line);
		return edit ? `${edit.object}: ${edit.path}` : line;
	};
	return lines.filter((line, i) => !lines.slice(i + 1).some((other) => field(other) === field(line)))
		.map((line) => { const edit = parseEdit(line); return edit ? editLine(edit) : line; });
}

/** Sets one field, or with null takes the change of it back. */
export function withEdit(lines: readonly string[], object: string, path: string, value: string | null): string[] {
	const others = lines.filter((line) => {
		const edit = parseEdit(line);
		return edit?.object !== object || edit.path !== path;
	});
	return value === null ? others : [...others, editLine({ object, path, value })];
}

const BINARY: [string, number][] = [["Ti", 2 ** 40], ["Gi", 2 ** 30], ["Mi", 2 ** 20], ["Ki", 2 ** 10]];

/** An amount as Kubernetes writes it: "4", "0.5", "12Gi". */
export function quantityText(resource: string, x: number): string {
	const unit = unitOf(resource) && x !== 0 ? BINARY.find(([, size]) => x % size === 0) : undefined;
	return unit ? `${x / unit[1]}${unit[0]}` : String(x);
}

export interface Field {
	path: string;
	title: string; // of a column, and for those who do not see
	short: string; // where there is no room for headings
	now: string | null; // as it is written; null: it is not told
	unit: string;
	choices?: string[];
	/** Text for what is empty, where a field may be. */
	empty?: string;
}

export const PREEMPTION = "preemption";

const POLICIES: [string, string, string, string[]][] = [
	["preemption.reclaimWithinCohort", "Takes back", "takes back", ["Never", "LowerPriority", "Any"]],
	["preemption.borrowWithinCohort.policy", "Preempts to borrow", "to borrow", ["Never", "LowerPriority"]],
	["preemption.withinClusterQueue", "Preempts in the queue", "in the queue", ["Never", "LowerPriority", "LowerOrNewerEqualPriority"]]];

function limit(resource: string, x: Counted | undefined): string {
	return x === undefined || x === "unlimited" ? "" : quantityText(resource, fromCounted(resource, x));
}

const KAI: Record<string, string> = { gpu: "GPUs", cpu: "millicores", memory: "MB" };

export interface Choice {
	key: string;
	title: string;
}

/** What fields there are to choose among. */
export function choicesOf(policy: Policy, nodes: Iterable<QueueNode>): Choice[] {
	if (policy === "entitle")
		return Object.keys(KAI).map((key) => ({ key, title: key }));
	const all = new Map<string, Cell>();
	for (const node of nodes)
		for (const cell of node.cells)
			all.set(`${cell.resource},${cell.flavor}`, cell);
	const one = new Set([...all.values()].map((cell) => cell.flavor)).size === 1;
	const cells = [...all].map(([key, cell]) => ({ key, title: one ? cell.resource : `${cell.resource} of ${cell.flavor}` }));
	return [...(cells.length ? cells : [{ key: "weight", title: "weights" }]), { key: PREEMPTION, title: "preemption" }];
}

function fieldsOfKai(resource: string): Field[] {
	const unit = KAI[resource] ?? "";
	return [["overQuotaWeight", "Weight beyond quota", "weight", ""], ["quota", "Quota", "quota", unit], ["limit", "Limit", "limit", unit]].map(
		([name, title, short, of]) => ({ path: `resources.${resource}.${name!}`, title: title!, short: short!, now: null, unit: of!, empty: "as it is" }));
}

/** Of a queue or cohort, for a choice of the reader: a resource in a flavor, or the policies of preemption. */
export function fieldsOf(node: QueueNode, chosen: string): (Field | null)[] {
	if (node.kind === "Queue")
		return fieldsOfKai(chosen);
	if (chosen === PREEMPTION)
		return POLICIES.map(([path, title, short, choices]) => node.kind === "ClusterQueue" ? { path, title, short, choices, now: null, unit: "" } : null);
	const weight: Field = { path: "fairSharing.weight", title: "Weight", short: "weight", now: String(node.weight), unit: "" };
	const cell = node.cells.find((one) => `${one.resource},${one.flavor}` === chosen);
	// A cohort without quota of its own has no flavors that could have some.
	if (!cell || (node.kind === "Cohort" && !node.cells.some((one) => one.nominal !== 0 || one.borrowingLimit !== undefined || one.lendingLimit !== undefined)))
		return [weight, null, null, null];
	const { resource } = cell, unit = unitOf(resource) || resource;
	const amount = (name: string, title: string, short: string, x: Counted | undefined, empty?: string): Field =>
		({ path: `${name}[${chosen}]`, title, short, now: limit(resource, x), unit, empty });
	return [weight, amount("nominalQuota", "Quota", "quota", cell.nominal),
		amount("borrowingLimit", "Borrows at most", "borrows", cell.borrowingLimit, "no limit"),
		amount("lendingLimit", "Lends at most", "lends", cell.lendingLimit, "no limit")];
}

/** null: it is well; else what is wrong with it. */
export function wrongValue(field: Field, text: string): string | null {
	if (field.choices || (text === "" && field.empty !== undefined))
		return null;
	const value = quantity(text);
	return Number.isNaN(value) || !Number.isFinite(value) ? `“${text}” is no quantity: a number, such as 4, 0.5 or 12Gi` :
		value < 0 ? "it cannot be less than 0" : null;
}
