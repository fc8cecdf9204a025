// SPDX-License-Identifier: Apache-2.0
// tree - the rows of a tree: what is open, found and in which order

import { Held, nothing, QueueNode } from "./model";

export interface TreeOrder {
	by: "name" | "used" | "share" | "running" | "waiting" | "pending";
	down: boolean;
}

export interface TreeRow {
	node: QueueNode;
	open: boolean | null; // null: it has nothing below
	place: number; // among its siblings, from 1 on
	siblings: number;
	found: boolean; // by the search; else it only leads to one that was
	/** One scale for the bars of siblings: the largest of what they have, hold and ask for. */
	scale: number;
	shareScale: number;
}

export function heldOf(node: QueueNode, resource: string): Held {
	return node.held.get(resource) ?? nothing;
}

const number = (x: number): number => Number.isNaN(x) ? -1 : x;

function value(node: QueueNode, by: TreeOrder["by"], resource: string): number {
	switch (by) {
	case "used": return heldOf(node, resource).used;
	case "pending": return heldOf(node, resource).pending;
	case "share": return number(node.share);
	case "running": return node.running;
	case "waiting": return node.waiting;
	case "name": return 0;
	}
}

export function parseOrder(text: string | undefined): TreeOrder {
	const by = (text ?? "name").replace(/^-/, "");
	return { by: (["used", "share", "running", "waiting", "pending"].includes(by) ? by : "name") as TreeOrder["by"],
		down: text?.startsWith("-") ?? false };
}

export function orderText({ by, down }: TreeOrder): string {
	return by === "name" && !down ? "" : (down ? "-" : "") + by;
}

/** From the top down, as they are to be seen. A search opens what leads to what it finds. */
export function treeRows(roots: readonly QueueNode[], options: { closed: ReadonlySet<string>; search: string; order: TreeOrder;
	resource: string }): TreeRow[] {
	const { closed, order, resource } = options, wanted = options.search.trim().toLowerCase();
	const rows: TreeRow[] = [], leads = new Map<QueueNode, boolean>();
	const look = (node: QueueNode): boolean => {
		const below = node.children.map(look).includes(true);
		const found = below || node.name.toLowerCase().includes(wanted);
		leads.set(node, found);
		return found;
	};
	if (wanted)
		roots.forEach(look);
	const add = (siblings: readonly QueueNode[]): void => {
		const seen = wanted ? siblings.filter((node) => leads.get(node)) : siblings;
		const sign = order.down ? -1 : 1;
		const sorted = [...seen].sort((a, b) => sign * (value(a, order.by, resource) - value(b, order.by, resource)) ||
			(order.by === "name" ? sign : 1) * (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
		const extent = (node: QueueNode): number => {
			const { quota, used, pending } = heldOf(node, resource);
			return Math.max(Number.isFinite(quota) ? quota : 0, used + pending);
		};
		const scale = siblings.reduce((most, node) => Math.max(most, extent(node)), 0) || 1;
		const shareScale = siblings.reduce((most, node) => Math.max(most, Number.isFinite(node.share) ? node.share : 0), 0) || 1;
		sorted.forEach((node, i) => {
			const open = node.children.length ? Boolean(wanted) || !closed.has(node.key) : null;
			rows.push({ node, open, place: i + 1, siblings: sorted.length, scale, shareScale,
				found: !wanted || node.name.toLowerCase().includes(wanted) });
			if (open)
				add(node.children);
		});
	};
	add(roots);
	return rows;
}
