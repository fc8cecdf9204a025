// SPDX-License-Identifier: Apache-2.0
// ledger - who lends into a cohort and who borrows from it
//
// What is lent goes into the cohort, and what is borrowed comes from there: Kueue keeps no account of
// pairs, and so neither is one made up here. The sums of both sides are told as they are.

import { h, named, swatch } from "../src/dom";
import { long, short } from "./amounts";
import { QueueNode } from "./model";
import { routeHash } from "./route";
import { heldOf } from "./tree";

const SHOWN = 12;

export interface Entry {
	node: QueueNode;
	amount: number;
}

export function ledgerOf(cohort: QueueNode, resource: string): { lend: Entry[]; borrow: Entry[] } {
	const side = (of: "lent" | "borrowed"): Entry[] => cohort.children.map((node) => ({ node, amount: heldOf(node, resource)[of] }))
		.filter((entry) => entry.amount > 0).sort((a, b) => b.amount - a.amount || (a.node.name < b.node.name ? -1 : 1));
	return { lend: side("lent"), borrow: side("borrowed") };
}

function side(title: string, entries: Entry[], resource: string, most: number, self: QueueNode): HTMLElement {
	return h("div", {}, h("h4", {}, title), entries.length ? h("ul", { class: "holders" }, ...entries.slice(0, SHOWN).map(({ node, amount }) => {
		const bar = h("span", { class: "track", "aria-hidden": "true" }, h("i", { class: "own" }));
		bar.style.setProperty("--queue", node.colour);
		(bar.firstElementChild as HTMLElement).style.width = `${100 * amount / most}%`;
		return h("li", { class: node === self ? "self" : undefined },
			h("a", { class: "queue-link", href: routeHash({ view: "queue", queue: node.name, kind: node.kind === "Cohort" ? "Cohort" : null }) }, swatch(node.colour), named(node.name)),
			bar, h("b", {}, short(resource, amount)));
	}), entries.length > SHOWN ? h("li", {}, `and ${entries.length - SHOWN} more`) : null) : h("p", { class: "quiet" }, "nobody"));
}

/** Of each cohort above a queue, and of itself when it is one. */
export function ledgerElements(node: QueueNode, resource: string): HTMLElement[] {
	const cohorts: [QueueNode, QueueNode][] = node.children.length ? [[node, node]] : [];
	for (let at: QueueNode = node; at.parent; at = at.parent)
		cohorts.push([at.parent, at]);
	return cohorts.map(([cohort, self]) => {
		const { lend, borrow } = ledgerOf(cohort, resource);
		const most = Math.max(...[...lend, ...borrow].map((entry) => entry.amount), 1e-9);
		const sum = (entries: Entry[]): number => entries.reduce((s, entry) => s + entry.amount, 0);
		const own = sum(borrow) - sum(lend);
		return h("section", { class: "ledger" }, h("h3", {}, "Inside cohort ", named(cohort.name)),
			h("p", { class: "says" }, borrow.length ? `${long(resource, sum(borrow))} ${sum(borrow) === 1 ? "is" : "are"} borrowed: ${[
				lend.length ? `${short(resource, sum(lend))} that its queues do not use` : "",
				own > 1e-9 ? `${short(resource, own)} of what the cohort has itself, or borrows` : ""].filter((text) => text).join(", ")}.`
				: lend.length ? "Nobody borrows." : "Nobody lends, and nobody borrows."),
			!lend.length && !borrow.length ? null : h("div", { class: "sides" }, side("Lend into it", lend, resource, most, self), side("Borrow from it", borrow, resource, most, self)));
	});
}
