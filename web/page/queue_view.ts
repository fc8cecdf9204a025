// SPDX-License-Identifier: Apache-2.0
// queue_view - one queue or cohort: what it has and holds, its limits, the ledger, who waits, its history

import { h, named, swatch } from "../src/dom";
import { count } from "../src/format";
import { Table, tableElement } from "../src/table";
import { fromCounted, long, short } from "./amounts";
import { Job, Jobs } from "./answers";
import { withQuery } from "./api";
import { Along } from "./along";
import { App, View, ViewKind } from "./app";
import { barElement, barKey, barText, setBar } from "./bar";
import { now } from "./clock";
import { jobHash } from "./jobs_view";
import { keyed, setAttribute, setText } from "./keyed";
import { ledgerElements } from "./ledger";
import { EMPTY, findNode, pathOf, QueueNode } from "./model";
import { Route, routeHash } from "./route";
import { heldOf } from "./tree";
import { queueHash, shareText } from "./tree_view";

const WAITING = 50, PAGE = 1000, CHILDREN = 40, NAMED = 8;

/** Of which each `name` is the number of a job. */
interface Pending {
	items: { metadata: { name: string }; priority: number }[];
}

/** A LocalQueue whose ClusterQueue the reader may not see: nothing of that is known. */
function isLocal(node: QueueNode): boolean {
	return node.kind === "LocalQueue";
}

function pendingPath(node: QueueNode): string {
	const name = isLocal(node) ? `namespaces/${encodeURIComponent(node.namespace!)}/localqueues/${encodeURIComponent(node.name.split("/").pop()!)}`
		: `clusterqueues/${encodeURIComponent(node.name)}`;
	return `/apis/visibility.kueue.x-k8s.io/v1beta2/${name}/pendingworkloads`;
}

/** The list of jobs is of one queue: where several lead into a node there are as many lists. */
function jobsLinks(queues: readonly string[]): (Node | string)[] {
	const link = (queue: string, text: string | Node): Node => h("a", { href: routeHash({ view: "jobs", queue }) }, text);
	return queues.length === 1 ? [link(queues[0]!, "All of its jobs")]
		: ["Jobs of ", ...queues.slice(0, NAMED).flatMap((queue, i) => [i ? ", " : "", link(queue, named(queue))]),
			queues.length > NAMED ? ` and ${count(queues.length - NAMED)} more queues` : ""];
}

class QueueView implements View {
	readonly element: HTMLElement;
	readonly back: Route = { view: "tree" };
	private readonly crumbs = h("nav", { class: "crumbs", "aria-label": "Where this is" });
	private readonly heading = h("h1", {});
	private readonly says = h("p", { class: "says" });
	private readonly notes = h("ul", { class: "notes" });
	private readonly resource = h("select", { "aria-label": "Resource" });
	private readonly jobs = h("span", { class: "its-jobs" });
	private readonly figures = h("dl", { class: "figures" });
	private readonly bar = barElement();
	private readonly barBox = h("div", { class: "wide-bar" }, this.bar, barKey());
	private readonly limits = h("section", { class: "card" });
	private readonly ledger = h("section", { class: "card" });
	private readonly children = h("section", { class: "card" });
	private readonly waiting = h("ol", { class: "waiting-list" });
	private readonly waitingSays = h("p", { class: "says" });
	private readonly waitingCard: HTMLElement;
	private readonly tools: HTMLElement;
	private readonly left = h("div", { class: "job-column" });
	private readonly right = h("div", { class: "job-column" });
	private along: Along | null = null;
	private reading = false;
	private closed = false;
	private drawn: Record<string, string> = {};
	private route: Route;

	constructor(private readonly app: App, route: Route) {
		this.route = route;
		this.resource.addEventListener("change", () => app.router.change({ resource: this.resource.value }));
		this.tools = h("span", { class: "heading-tools" }, this.jobs, h("label", {}, h("span", {}, "Resource"), this.resource));
		this.waitingCard = h("section", { class: "card", "aria-labelledby": "waiting-title" }, h("h2", { id: "waiting-title" }, "Waiting, in order"), this.waitingSays, this.waiting);
		this.element = h("div", { class: "view queue-view" }, this.crumbs,
			h("div", { class: "heading-row" }, this.heading, this.tools),
			this.notes, this.says, this.barBox, this.figures, h("div", { class: "queue-grid" }, this.left, this.right, this.limits));
	}

	private get node(): QueueNode | undefined {
		const { model } = this.app.store, name = this.route.queue ?? "";
		return findNode(model, name, this.route.kind) ?? (this.route.kind ? undefined : model.byJobs.get(name));
	}

	private get now(): string {
		const { resources } = this.app.store.model;
		return resources.includes(this.route.resource ?? "") ? this.route.resource! : resources[0] ?? "cpu";
	}

	title(): string {
		return this.route.queue ?? "Queue";
	}

	show(route: Route): void {
		this.route = route;
		this.draw();
	}

	dispose(): void {
		this.closed = true;
		this.along?.dispose();
	}

	update(change: string): void {
		if (change === "tree")
			this.draw();
	}

	/** A part is made anew only when what it says has changed. */
	private part(name: string, element: HTMLElement, key: unknown, make: () => (Node | string)[]): void {
		const text = JSON.stringify(key);
		if (this.drawn[name] === text || (element.contains(document.activeElement) && this.drawn[name] !== undefined))
			return;
		this.drawn[name] = text;
		element.replaceChildren(...make());
	}

	private draw(): void {
		const { node } = this, { model } = this.app.store;
		if (!node) {
			setText(this.heading, this.route.queue ?? "Queue");
			setText(this.says, model === EMPTY ? "" : "There is no such queue, or you may not see it.");
			this.barBox.hidden = this.tools.hidden = this.limits.hidden = true;
			return;
		}
		this.tools.hidden = false;
		this.barBox.hidden = isLocal(node);
		const resource = this.now, held = heldOf(node, resource);
		this.part("crumbs", this.crumbs, pathOf(node).map((one) => one.key), () => [h("a", { href: routeHash({ view: "tree" }) }, "Queues"),
			...pathOf(node).slice(0, -1).map((one) => h("a", { href: queueHash(one) }, named(one.name))), h("span", {}, named(node.name))]);
		this.part("heading", this.heading, [node.key, node.colour], () => [swatch(node.colour), h("small", {}, node.kind === "Cohort" ? "Cohort " : isLocal(node) ? "LocalQueue " : "Queue "), named(node.name)]);
		if (this.resource.options.length !== model.resources.length)
			this.resource.replaceChildren(...model.resources.map((name) => h("option", { value: name }, name)));
		this.resource.value = resource;
		this.part("notes", this.notes, node.notes, () => node.notes.map((text) => h("li", {}, h("bdi", {}, text))));
		setText(this.says, isLocal(node) ? `You may not see its ClusterQueue, and so neither what that has nor what it holds.${
			held.pending ? ` The waiting jobs of this one ask for ${long(resource, held.pending)}.` : ""}` : `It ${barText(held, resource)}.`);
		this.barBox.style.setProperty("--queue", node.colour);
		setBar(this.bar, held, Math.max(Number.isFinite(held.quota) ? held.quota : 0, held.used + held.pending) || 1, resource, node.colour);
		this.part("figures", this.figures, [resource, held, node.share, node.running, node.waiting, node.weight, node.heldJobs], () => this.figuresOf(node, resource));
		this.part("jobs", this.jobs, [node.children.length, node.queues], () => node.children.length ? [] : jobsLinks(node.queues));
		this.place_(node);
		this.part("limits", this.limits, node.cells, () => [h("h2", {}, "Limits, by flavor"), h("div", { class: "stacked" }, tableElement(limitsTable(node), "limits"))]);
		this.part("ledger", this.ledger, [resource, pathOf(node).map((one) => [one, ...one.children].map((n) => [n.key, heldOf(n, resource)])), node.children.map((n) => heldOf(n, resource))],
			() => [h("h2", {}, "Who lends, and who borrows"), ...ledgerElements(node, resource)]);
		this.part("children", this.children, [resource, node.children.map((one) => [one.key, heldOf(one, resource), one.share, one.waiting])],
			() => [h("h2", {}, "Below it"), childrenList(node, resource)]);
		this.along?.show(resource);
		void this.readWaiting(node);
	}

	private place_(node: QueueNode): void {
		// The store sums up queues; of a cohort it has no series.
		if (!this.along && node.kind !== "Cohort" && !this.app.store.partial)
			this.along = new Along(this.app.api, node.name, () => this.node?.colour ?? "var(--rest)", this.now, now);
		const put = (column: HTMLElement, parts: (HTMLElement | null | undefined)[]): void => {
			const wanted = parts.filter((part): part is HTMLElement => Boolean(part));
			if (wanted.length !== column.childElementCount || wanted.some((part, i) => column.children[i] !== part))
				column.replaceChildren(...wanted);
		};
		put(this.left, [this.along?.element, this.ledger]);
		put(this.right, [node.children.length ? this.children : this.waitingCard]);
		this.limits.hidden = !node.cells.length;
		this.ledger.hidden = this.app.store.model.policy !== "borrow" || (!node.parent && !node.children.length);
	}

	private figuresOf(node: QueueNode, resource: string): Node[] {
		const held = heldOf(node, resource);
		const figure = (title: string, value: string, more?: string | null): Node =>
			h("div", { class: "figure" }, h("dt", {}, title), h("dd", {}, value, more ? h("small", {}, more) : null));
		const siblings = (node.parent?.children ?? this.app.store.model.roots).filter((one) => !Number.isNaN(one.share));
		const place = [...siblings].sort((a, b) => b.share - a.share).indexOf(node) + 1;
		return [...isLocal(node) ? [] : [figure("in use", short(resource, held.used), `of ${long(resource, held.quota)}`),
			figure("share", shareText(node.share), !Number.isNaN(node.share) && siblings.length > 1 ? `rank ${place} of ${siblings.length} siblings, weight ${node.weight}` : `weight ${node.weight}`)],
			figure("running", Number.isNaN(node.running) ? "–" : count(node.running), node.running === 1 ? "job" : "jobs"),
			figure("waiting", Number.isNaN(node.waiting) ? "–" : count(node.waiting), held.pending > 0 ? `for ${long(resource, held.pending)}` : node.heldJobs ? `and ${count(node.heldJobs)} held` : null),
		];
	}

	/** The order is that of the queue; what keeps each one comes with the jobs. */
	private async readWaiting(node: QueueNode): Promise<void> {
		if (node.children.length || this.reading || this.closed)
			return;
		if (this.app.store.past) {
			setText(this.waitingSays, "The order of that time is not kept. All of its jobs has those that waited then.");
			this.waiting.replaceChildren();
			return;
		}
		if (this.app.store.partial && !isLocal(node)) {
			setText(this.waitingSays, node.waiting ? "Their order is for those who may get all Workloads." : "No job waits.");
			return;
		}
		this.reading = true;
		try {
			const { items } = node.waiting ? await this.app.api.get<Pending>(withQuery(pendingPath(node), { limit: WAITING })) : { items: [] };
			const first = Math.min(...items.map(({ metadata }) => Number(metadata.name)));
			const jobs = items.length ? await Promise.all(node.queues.slice(0, NAMED).map((queue) =>
				this.app.api.get<Jobs>(withQuery("/v1/jobs", { queue, limit: PAGE, state: "waits", after: first - 1 })))) : [];
			const of = new Map(jobs.flatMap((answer) => answer.jobs).map((job) => [String(job.id), job]));
			this.drawWaiting(node, items.map(({ metadata, priority }) => ({ name: metadata.name, priority, job: of.get(metadata.name) ?? null })));
		} catch {
			setText(this.waitingSays, node.waiting ? "The order cannot be read." : "No job waits.");
		} finally {
			this.reading = false;
		}
	}

	private drawWaiting(node: QueueNode, rows: { name: string; priority: number; job: Job | null }[]): void {
		if (this.closed)
			return;
		setText(this.waitingSays, !node.waiting ? "No job waits." : node.waiting > rows.length ? `The first ${count(rows.length)} of ${count(node.waiting)}.` : "");
		keyed(this.waiting, rows, {
			key: (row) => row.name,
			make: (row) => h("li", {}, h("a", { href: jobHash(Number(row.name)) }, named(row.job?.name || `job ${row.name}`)),
				h("small", { class: "id" }, row.job?.name ? `job ${row.name}` : ""), h("small", { class: "asked" }), h("span", { class: "why" }, h("bdi", {}))),
			update: (element, row) => {
				const [, , asked, why] = element.children as unknown as HTMLElement[];
				setText(asked!, row.priority ? `priority ${row.priority}` : "");
				setText(why!.firstElementChild!, row.job?.why ?? "");
				setAttribute(why!, "title", row.job?.why ?? null);
			},
		});
	}

	key(key: string): boolean {
		const links = [...this.waiting.querySelectorAll<HTMLElement>("a")], at = links.indexOf(document.activeElement as HTMLElement);
		if (key !== "j" && key !== "k" || !links.length)
			return false;
		links[Math.min(links.length - 1, Math.max(0, at + (key === "j" ? 1 : -1)))]!.focus();
		return true;
	}
}

function limitsTable(node: QueueNode): Table {
	const amount = (resource: string, x: number | string | undefined): string => x === undefined ? "no limit" : short(resource, fromCounted(resource, x));
	return { columns: ["Resource", "Flavor", "Own quota", "With all below", "Borrows at most", "Lends at most", "Used", "Can have now"].map((title) => ({ title })),
		rows: node.cells.map((cell) => [cell.resource, cell.flavor, amount(cell.resource, cell.nominal), amount(cell.resource, cell.subtree),
			amount(cell.resource, cell.borrowingLimit), amount(cell.resource, cell.lendingLimit), amount(cell.resource, cell.usage), amount(cell.resource, cell.available)]) };
}

function childrenList(node: QueueNode, resource: string): HTMLElement {
	const extent = (one: QueueNode): number => Math.max(Number.isFinite(heldOf(one, resource).quota) ? heldOf(one, resource).quota : 0,
		heldOf(one, resource).used + heldOf(one, resource).pending);
	const scale = Math.max(...node.children.map(extent), 0) || 1;
	return h("ul", { class: "below-list" }, ...node.children.slice(0, CHILDREN).map((one) => {
		const bar = barElement(), held = heldOf(one, resource);
		setBar(bar, held, scale, resource, one.colour);
		return h("li", {}, h("a", { class: "queue-link", href: queueHash(one) }, swatch(one.colour), named(one.name)), bar,
			h("b", {}, `${short(resource, held.used)} / ${short(resource, held.quota)}`), h("small", {}, `share ${shareText(one.share)}`));
	}), node.children.length > CHILDREN ? h("li", {}, `and ${count(node.children.length - CHILDREN)} more`) : null);
}

export const queueView: ViewKind = { name: "queue", title: "Queue", identity: ["queue", "kind"], make: (app, route) => new QueueView(app, route) };
