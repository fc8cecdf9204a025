// SPDX-License-Identifier: Apache-2.0
// tree_view - all queues and cohorts: what each has, holds, borrows and lends, its share, who waits

import { h, named, swatch } from "../src/dom";
import { count, number } from "../src/format";
import { long, short } from "./amounts";
import { App, View, ViewKind } from "./app";
import { barElement, barKey, setBar } from "./bar";
import { setAttribute, setText } from "./keyed";
import { EMPTY, Model, QueueNode } from "./model";
import { Route, routeHash } from "./route";
import { heldOf, orderText, parseOrder, TreeOrder, TreeRow, treeRows } from "./tree";
import { VirtualList } from "./virtual";

const COLUMNS: { by: TreeOrder["by"] | null; title: string; class: string }[] = [
	{ by: "name", title: "Queue", class: "name-cell" }, { by: null, title: "Held", class: "bar-cell" },
	{ by: "used", title: "Used / quota", class: "used" }, { by: null, title: "Borrowed", class: "borrowed-cell" },
	{ by: null, title: "Lent", class: "lent-cell" }, { by: "share", title: "Share", class: "share" },
	{ by: "running", title: "Running", class: "running" }, { by: "waiting", title: "Waiting", class: "waiting" },
	{ by: "pending", title: "Asked for", class: "asked" }];

const narrow = window.matchMedia("(max-width: 699px)");

/** What the number is, by the policy that goes by it. */
export function shareMeans(policy: string): string {
	return policy === "entitle" ? "What it holds, as a part of its fair share: of the resource of which that is most"
		: policy === "drf" ? "Its part of all that there is, of the resource of which it has most, by its weight: the least is served first"
			: "What it borrows, in thousandths of what its cohort can lend, by its weight: the least is served first";
}

export function shareText(share: number): string {
	return Number.isNaN(share) ? "–" : share === Infinity ? "∞" : number(share);
}

export function queueHash(node: QueueNode): string {
	return routeHash(queueRoute(node));
}

function queueRoute(node: QueueNode): Record<string, string | null> {
	return { view: "queue", queue: node.name, kind: node.kind === "Cohort" ? "Cohort" : null };
}

/** The state of a tree in a sentence or two. */
export function treeSays(model: Model, resource: string): string {
	if (!model.roots.length)
		return "There are no queues that you may see.";
	const sum = (pick: (node: QueueNode) => number): number => model.roots.reduce((s, node) => s + pick(node), 0);
	const used = sum((n) => heldOf(n, resource).used), quota = sum((n) => heldOf(n, resource).quota), waiting = sum((n) => n.waiting);
	const leaves = [...model.nodes.values()].filter((node) => !node.children.length);
	const most = leaves.reduce<QueueNode | null>((best, node) => node.waiting > (best?.waiting ?? 0) ? node : best, null);
	const borrower = leaves.reduce<QueueNode | null>((best, node) =>
		heldOf(node, resource).borrowed > (best ? heldOf(best, resource).borrowed : 0) ? node : best, null);
	const local = model.roots.every((node) => node.kind === "LocalQueue");
	return [local ? "These are LocalQueues of your namespaces; you may not see their ClusterQueues, and so neither what those have nor what they hold."
		: `${short(resource, used)} of ${long(resource, quota)} ${used === 1 ? "is" : "are"} in use.`,
		borrower ? `Most is borrowed by \u2068${borrower.name}\u2069: ${short(resource, heldOf(borrower, resource).borrowed)}.` : "",
		Number.isNaN(waiting) ? "" : waiting ? `${count(waiting)} ${waiting === 1 ? "job waits" : "jobs wait"}${most && waiting > 1 ? `, ${most.waiting === waiting ? "all" : "most"} of them in \u2068${most.name}\u2069${most.waiting === waiting ? "" : ` (${count(most.waiting)})`}` : most ? ` in \u2068${most.name}\u2069` : ""}.`
			: "No job waits."].filter((text) => text).join(" ");
}

class TreeView implements View {
	readonly element: HTMLElement;
	readonly search: HTMLInputElement;
	private readonly says = h("p", { class: "says" });
	private readonly resource = h("select", { "aria-label": "Resource" });
	/** For where there is no room for headings. */
	private readonly order = h("select", { "aria-label": "Sort" }, ...COLUMNS.flatMap((column) => column.by
		? [h("option", { value: orderText({ by: column.by, down: column.by !== "name" }) }, column.title)] : []));
	private readonly none = h("p", { class: "none" });
	private readonly heads: HTMLElement[];
	private readonly list: VirtualList<TreeRow>;
	private route: Route = {};

	constructor(private readonly app: App) {
		this.search = h("input", { type: "search", placeholder: "Search queues", "aria-label": "Search queues", autocomplete: "off",
			spellcheck: "false" });
		this.search.addEventListener("input", () => app.router.change({ search: this.search.value }));
		this.resource.addEventListener("change", () => app.router.change({ resource: this.resource.value }));
		this.order.addEventListener("change", () => app.router.change({ sort: this.order.value }));
		this.heads = COLUMNS.map((column) => h("span", { class: column.class, role: "columnheader" }, column.by
			? h("button", { type: "button", click: () => this.sort(column.by!) }, column.title) : column.title));
		this.list = new VirtualList<TreeRow>({
			label: "Queues and cohorts", role: "treegrid",
			heading: h("div", { class: "row heading tree-row", role: "row" }, ...this.heads),
			rowHeight: () => narrow.matches ? 62 : 38,
			key: (row) => row.node.key,
			make: (row) => this.makeRow(row), update: (element, row) => this.fill(element, row),
			open: (row) => app.router.go(queueRoute(row.node)),
		});
		this.element = h("div", { class: "view" },
			h("h1", {}, "Queues"), this.says,
			h("div", { class: "tools-row" }, this.search, h("label", {}, h("span", {}, "Resource"), this.resource),
				h("label", { class: "sort" }, h("span", {}, "Sort"), this.order),
				h("button", { type: "button", click: () => this.closeAll(false) }, "Open all"),
				h("button", { type: "button", click: () => this.closeAll(true) }, "Close all"), barKey()),
			this.list.element, this.none);
	}

	title(): string {
		return "Queues";
	}

	dispose(): void {
		this.list.dispose();
	}

	show(route: Route): void {
		this.route = route;
		if (document.activeElement !== this.search)
			this.search.value = route.search ?? "";
		this.draw();
	}

	update(change: string): void {
		if (change === "tree")
			this.draw();
	}

	private get closed(): Set<string> {
		return new Set((this.route.closed ?? "").split("\n").filter((key) => key));
	}

	private rows(): TreeRow[] {
		return treeRows(this.app.store.model.roots, { closed: this.closed, search: this.route.search ?? "",
			order: parseOrder(this.route.sort), resource: this.now });
	}

	private get now(): string {
		const { resources } = this.app.store.model;
		return resources.includes(this.route.resource ?? "") ? this.route.resource! : resources[0] ?? "cpu";
	}

	private draw(): void {
		const { model } = this.app.store, order = parseOrder(this.route.sort);
		if (this.resource.options.length !== model.resources.length ||
			model.resources.some((name, i) => this.resource.options[i]!.value !== name))
			this.resource.replaceChildren(...model.resources.map((name) => h("option", { value: name }, name)));
		this.resource.value = this.now;
		const loaded = model !== EMPTY;
		setText(this.says, loaded ? treeSays(model, this.now) : "");
		setAttribute(this.heads[COLUMNS.findIndex(({ by }) => by === "share")]!, "title", shareMeans(model.policy));
		this.heads.forEach((head, i) => setAttribute(head, "aria-sort", COLUMNS[i]!.by === order.by
			? order.down ? "descending" : "ascending" : null));
		this.order.value = orderText({ by: order.by, down: order.by !== "name" });
		const rows = this.rows();
		this.list.set(rows);
		setText(this.none, rows.length || !loaded || !model.nodes.size ? "" : `No queue has “${this.route.search ?? ""}” in its name.`);
	}

	private sort(by: TreeOrder["by"]): void {
		const now = parseOrder(this.route.sort);
		this.app.router.change({ sort: orderText({ by, down: now.by === by ? !now.down : by !== "name" }) });
	}

	private closeAll(close: boolean): void {
		const inner = [...this.app.store.model.nodes.values()].filter((node) => node.children.length && (node.parent || !close));
		this.app.router.change({ closed: close ? inner.map((node) => node.key).join("\n") : null });
	}

	private toggle(row: TreeRow, open: boolean): void {
		const closed = this.closed;
		if (open)
			closed.delete(row.node.key);
		else
			closed.add(row.node.key);
		this.app.router.change({ closed: [...closed].join("\n") });
		this.app.announce(`${row.node.name} is ${open ? "open" : "closed"}`);
	}

	key(key: string): boolean {
		const row = this.list.current;
		if (row && (key === "ArrowRight" || key === "l") && row.open === false)
			this.toggle(row, true);
		else if (row && (key === "ArrowLeft" || key === "h") && row.open)
			this.toggle(row, false);
		else
			return this.list.key(key);
		return true;
	}

	private makeRow({ node }: TreeRow): HTMLElement {
		const twist = h("button", { type: "button", class: "twist", tabindex: -1, click: () => {
			const now = this.rows().find((row) => row.node.key === node.key);
			if (now)
				this.toggle(now, !now.open);
		} });
		return h("div", { class: "row tree-row" },
			h("span", { class: "name-cell", role: "gridcell" }, twist, swatch(node.colour),
				h("a", { href: queueHash(node), tabindex: -1 }, named(node.name)), h("small", { class: "note" })),
			h("span", { class: "bar-cell", role: "gridcell" }, barElement()),
			...COLUMNS.slice(2).map((column) => h("span", { class: column.class, role: "gridcell" },
				column.by === "share" ? h("i", { class: "share-bar", "aria-hidden": "true" }) : null, h("b", {}))));
	}

	private fill(element: HTMLElement, row: TreeRow): void {
		const { node } = row, resource = this.now, held = heldOf(node, resource);
		const [name, bar, ...cells] = element.children as unknown as HTMLElement[];
		setAttribute(element, "aria-level", String(node.depth + 1));
		setAttribute(element, "aria-posinset", String(row.place));
		setAttribute(element, "aria-setsize", String(row.siblings));
		setAttribute(element, "aria-expanded", row.open === null ? null : String(row.open));
		element.classList.toggle("leads", !row.found);
		element.classList.toggle("cohort", node.children.length > 0);
		const indent = `${Math.min(node.depth, 8) * (narrow.matches ? 10 : 18)}px`;
		if (name!.style.paddingLeft !== indent)
			name!.style.paddingLeft = indent;
		const twist = name!.firstElementChild as HTMLElement;
		twist.classList.toggle("leaf", row.open === null);
		setText(twist, row.open === null ? "" : row.open ? "▾" : "▸");
		setAttribute(twist, "aria-label", row.open === null ? null : row.open ? `close ${node.name}` : `open ${node.name}`);
		(name!.children[1] as HTMLElement).style.background = node.colour;
		setText(name!.children[3]!, node.notes.length ? "⚠" : "");
		setAttribute(name!.children[3]!, "title", node.notes.join("\n") || null);
		setBar(bar!.firstElementChild as HTMLElement, held, row.scale, resource, node.colour);
		const say = (x: number): string => x > 0 ? short(resource, x) : "–";
		const texts = [node.kind === "LocalQueue" ? "–" : `${short(resource, held.used)} / ${short(resource, held.quota)}`, say(held.borrowed), say(held.lent),
			shareText(node.share), node.running ? count(node.running) : "–", node.waiting ? count(node.waiting) : "–", say(held.pending)];
		const labels = ["", "borrowed", "lent", "share", "run", "wait", ""];
		texts.forEach((text, i) => {
			setText(cells[i]!.lastElementChild!, text);
			setAttribute(cells[i]!, "data-label", labels[i]! || null);
			cells[i]!.classList.toggle("zero", text === "–");
		});
		const share = cells[3]!.firstElementChild as HTMLElement;
		const width = `${Number.isNaN(node.share) ? 0 : 100 * Math.min(1, node.share / row.shareScale)}%`;
		share.hidden = !(node.share > 0);
		if (share.style.width !== width)
			share.style.width = width;
	}
}

export const treeView: ViewKind = { name: "tree", title: "Queues", key: "t", identity: [], make: (app) => new TreeView(app) };
