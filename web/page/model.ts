// SPDX-License-Identifier: Apache-2.0
// model - queues and cohorts as a tree of numbers, the same for all policies

import { PALETTE } from "../src/run";
import { fromCounted, quantity } from "./amounts";
import { Cell, Policy, QueueAnswer, Queues, Tree } from "./answers";

export interface Held {
	quota: number; // what it has with all below it, before it borrows
	used: number;
	borrowed: number;
	lent: number;
	pending: number;
	entitled: number; // by the policy, NaN where it tells none
}

export interface QueueNode {
	key: string; // kind and name: a cohort may have the name of a queue
	name: string;
	kind: string;
	parent: QueueNode | null;
	children: QueueNode[];
	depth: number;
	weight: number;
	share: number; // NaN: none
	held: Map<string, Held>;
	cells: Cell[]; // by flavor; empty where the policy has none, or the reader may not see them
	running: number;
	waiting: number;
	heldJobs: number;
	notes: string[]; // what is wrong with it
	/** LocalQueues that lead into it, as jobs name them; where there are none, itself. */
	queues: string[];
	namespace: string | null; // of a LocalQueue, which is a node where the reader may not see its ClusterQueue
	colour: string;
}

export interface Model {
	policy: Policy;
	nodes: Map<string, QueueNode>;
	byJobs: Map<string, QueueNode>; // by the name of a queue that jobs have
	roots: QueueNode[];
	resources: string[];
}

export const EMPTY: Model = { policy: "borrow", nodes: new Map(), byJobs: new Map(), roots: [], resources: [] };

export const nothing: Held = { quota: 0, used: 0, borrowed: 0, lent: 0, pending: 0, entitled: NaN };

const rank = (resource: string): number => resource === "cpu" ? 0 : /gpu/.test(resource) ? 1 : resource === "memory" ? 2 : 3;

export function makeModel(queues: Queues, tree: Tree | null): Model {
	const nodes = new Map<string, QueueNode>(), resources = new Set<string>();
	const cells = new Map((tree?.nodes ?? []).map((node) => [`${node.kind}/${node.name}`, node]));
	const seen = new Set(queues.queues.filter((queue) => queue.kind !== "LocalQueue").map((queue) => queue.name));
	const led = (queue: QueueAnswer): boolean => queue.kind === "LocalQueue" && queue.parent !== null && seen.has(queue.parent);
	for (const queue of queues.queues) {
		if (led(queue))
			continue;
		const key = `${queue.kind}/${queue.name}`, more = cells.get(key);
		const notes = queue.conditions.map((c) => c.message ?? c.text ?? c.reason ?? c.type ?? "").filter((text) => text);
		if (more?.message && !notes.includes(more.message))
			notes.push(more.message);
		const held = new Map<string, Held>();
		for (const [resource, a] of Object.entries(queue.resources)) {
			resources.add(resource);
			const own = (more?.quota ?? []).filter((cell) => cell.resource === resource);
			const subtree = own.reduce((sum, cell) => sum + fromCounted(resource, cell.subtree), 0);
			held.set(resource, { quota: own.length ? subtree : quantity(a.nominal ?? "0"), used: quantity(a.usage ?? "0"),
				borrowed: quantity(a.borrowed ?? "0"), lent: quantity(a.lent ?? "0"), pending: quantity(a.pending ?? "0"),
				entitled: quantity(a.fairShare) });
		}
		nodes.set(key, { key, name: queue.name, kind: queue.kind, parent: null, children: [], depth: 0, weight: queue.weight,
			share: quantity(queue.share), held, cells: more?.quota ?? [], running: queue.running, waiting: queue.waiting,
			heldJobs: queue.held, notes, queues: [], namespace: queue.namespace ?? null, colour: "var(--rest)" });
	}
	for (const queue of queues.queues)
		if (led(queue))
			nodes.get(`ClusterQueue/${queue.parent!}`)?.queues.push(queue.name);
	const roots: QueueNode[] = [];
	for (const queue of queues.queues) {
		const node = nodes.get(`${queue.kind}/${queue.name}`);
		if (!node)
			continue;
		if (!node.queues.length)
			node.queues.push(queue.name);
		node.parent = queue.parent === null ? null
			: nodes.get(`Cohort/${queue.parent}`) ?? nodes.get(`Queue/${queue.parent}`) ?? null;
		(node.parent ? node.parent.children : roots).push(node);
	}
	roots.forEach((root) => settle(root, 0));
	paint(roots, nodes);
	const byJobs = new Map([...nodes.values()].filter((node) => node.kind !== "Cohort").flatMap((node) => node.queues.map((name) => [name, node] as const)));
	// A LocalQueue of which there is one of its name is told by that alone, and by its jobs with its namespace.
	for (const queue of queues.queues) {
		const node = byJobs.get(queue.name), whole = `${queue.namespace}/${queue.name}`;
		if (queue.kind === "LocalQueue" && queue.namespace && node && !byJobs.has(whole))
			byJobs.set(whole, node);
	}
	return { policy: queues.policy, nodes, byJobs, roots, resources: [...resources].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1)) };
}

function settle(node: QueueNode, depth: number): void {
	node.depth = depth;
	node.children.forEach((child) => settle(child, depth + 1));
}

/** Leaves that are few have a colour each, and what is above them none; else siblings have, in the order of their names. */
function paint(roots: QueueNode[], nodes: Map<string, QueueNode>): void {
	const byName = (all: QueueNode[]): QueueNode[] => [...all].sort((a, b) => a.name < b.name ? -1 : 1);
	const give = (all: QueueNode[]): void => byName(all).forEach((node, i) => { node.colour = `var(--c${i % PALETTE})`; });
	const leaves = [...nodes.values()].filter((node) => !node.children.length);
	if (leaves.length <= PALETTE) {
		nodes.forEach((node) => { node.colour = "var(--quiet)"; });
		give(leaves);
	} else {
		[roots, ...[...nodes.values()].map((node) => node.children)].forEach(give);
	}
}

export function findNode(model: Model, name: string, kind?: string): QueueNode | undefined {
	for (const one of kind ? [kind] : ["ClusterQueue", "Queue", "LocalQueue", "Cohort"]) {
		const node = model.nodes.get(`${one}/${name}`);
		if (node)
			return node;
	}
	return undefined;
}

/** A queue that jobs name: the LocalQueue, where that is one, or itself. */
export function queueOfJob(model: Model, name: string): QueueNode | undefined {
	return model.byJobs.get(name) ?? findNode(model, name);
}

export function pathOf(node: QueueNode): QueueNode[] {
	const path: QueueNode[] = [];
	for (let at: QueueNode | null = node; at; at = at.parent)
		path.unshift(at);
	return path;
}
