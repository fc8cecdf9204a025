// SPDX-License-Identifier: Apache-2.0
// time_view - queues along time: what they held, wanted and were entitled to, as parts, and who took from whom

import { h, named, swatch } from "../src/dom";
import { percent } from "../src/format";
import { RunEvent } from "../src/report";
import { Geometry } from "../src/run";
import { tableDetails } from "../src/table";
import { Layer, TimePlot, TimePlotSpec, timeTable } from "../src/time_plot";
import { AlongPart, alongParts, AlongSeries, fairnessSays, siblingsOf, usageSays } from "./along_parts";
import { long, unitOf } from "./amounts";
import { errorText } from "./api";
import { App, View, ViewKind } from "./app";
import { now } from "./clock";
import { setText } from "./keyed";
import { momentOf } from "./moment";
import { pathOf, QueueNode } from "./model";
import { seriesOf, Windows, windowsOf } from "./past";
import { Route, routeHash } from "./route";
import { rangeChoices, readFirst, RoutedWindow, Span, spanOf } from "./span";
import { QueuesOfJobs, readTakings, Taking } from "./takings";
import { TakingList } from "./taking_list";
import { Timer } from "./timer";
import { heldOf } from "./tree";
import { queueHash } from "./tree_view";

const SOON = 150, ROUND = 12; // takings about a moment
const wide = 1000, panelWidth = 330;

/** A card whose picture is made anew with the window, and the table of what it draws. */
class TimeCard {
	readonly element: HTMLElement;
	readonly says = h("p", { class: "says" });
	readonly body = h("div", { class: "body" });
	private made: { plot: TimePlot; spec: TimePlotSpec; prefix?: string }[] = [];
	private readonly table: ReturnType<typeof tableDetails>;

	constructor(id: string, title: string, help: string, ...above: HTMLElement[]) {
		this.table = tableDetails(id, () => timeTable(this.made));
		this.element = h("section", { class: "card", "aria-labelledby": `${id}-title` }, h("h2", { id: `${id}-title` }, title), this.says, ...above,
			this.body, h("div", { class: "below" }, h("details", { class: "help" }, h("summary", {}, "How to read this"), h("p", {}, help)), this.table.element));
	}

	clear(): void {
		this.made.forEach(({ plot }) => plot.dispose());
		this.made = [];
	}

	plot(spec: TimePlotSpec, state: RoutedWindow, width: number, prefix?: string): HTMLElement {
		const plot = new TimePlot(spec, state, width);
		this.made.push({ plot, spec, prefix });
		return plot.host;
	}

	put(...children: Node[]): void {
		this.body.replaceChildren(...children);
		this.table.refresh();
	}
}

const MARKS = 120; // on a picture

/** What is too close together to be told apart is one mark. */
function marksOf(takings: readonly Taking[], { step, n }: Geometry): RunEvent[] {
	const each = step * n / MARKS, near = new Map<number, Taking[]>();
	for (const one of takings) {
		const k = Math.floor(one.at / each);
		const some = near.get(k);
		if (some)
			some.push(one);
		else
			near.set(k, [one]);
	}
	return takings.length <= MARKS / 2 ? takings.map((one) => ({ at: one.at, kind: "failed", text: takingText(one) }))
		: [...near.values()].map((some) => ({ at: some[0]!.at, kind: "failed", text: some.length === 1 ? takingText(some[0]!) : `${some.length.toLocaleString("en")} jobs were preempted` }));
}

function takingText(one: Taking): string {
	return `${one.to || "a queue"} took from ${one.from || "a queue"}`;
}

class TimeView implements View {
	readonly element: HTMLElement;
	private readonly says = h("p", { class: "says", role: "status" });
	private readonly resource = h("select", { "aria-label": "Resource" });
	private readonly ranges: ReturnType<typeof rangeChoices>;
	private readonly crumbs = h("nav", { class: "crumbs", "aria-label": "Part of the tree" });
	private readonly legend = h("ul", { class: "legend", "aria-label": "Queues" });
	private readonly usage = new TimeCard("usage", "Who held it", "Each band is what one queue or cohort held, as the mean of a slice of time; together they are what " +
		"was in use. The dashed line is all quota of now. Triangles are preemptions. Drag over the picture to see a shorter time, and click to see the whole page as it was at " +
		"that moment; a double click shows all the time that is known.");
	private readonly fairness = new TimeCard("fairness", "Held, wanted, entitled", "The band is what a queue held. The line is what quota and weight would have given it " +
		"while it wanted as much, the dotted line what it held and asked for. A band that stays below its line is a queue that got less than it was entitled to.",
		h("p", { class: "key" }, h("i", { class: "key-band" }), "held", h("i", { class: "key-line" }), "entitled to", h("i", { class: "key-dots" }), "held and asked for"));
	private readonly shares = new TimeCard("shares", "Parts of what was held", "All that was held is 100 %, and each band the part of one queue: who had how much of it, however much was in use.");
	private readonly cards = h("div", { class: "time-cards" });
	private readonly about: TakingList;
	private readonly aboutCard: HTMLElement;
	private readonly windows: Windows;
	private readonly queues: QueuesOfJobs;
	private first: number | null = null;
	private geometry: Geometry | null = null;
	private series: AlongSeries | null = null;
	private shown: { resource: string; answers: Awaited<ReturnType<Windows["read"]>> } | null = null;
	private takings: Taking[] = [];
	private older = false; // there were others before
	private state: RoutedWindow | null = null;
	private span: Span | null = null;
	private read = 0;
	private readonly later = new Timer(() => void this.load());
	private width = 0;
	private wanted = "";
	private readonly watcher = new ResizeObserver(() => { if (this.element.clientWidth !== this.width) this.draw(); });

	constructor(private readonly app: App, private route: Route) {
		this.windows = new Windows(app.api);
		this.queues = new QueuesOfJobs(app.api);
		this.ranges = rangeChoices(app.router);
		this.resource.addEventListener("change", () => app.router.change({ resource: this.resource.value }));
		this.about = new TakingList(app);
		this.aboutCard = h("section", { class: "card", "aria-labelledby": "about-title" }, h("h2", { id: "about-title" }, "Preemptions about this moment"), this.about.element);
		this.aboutCard.hidden = true;
		this.element = h("div", { class: "view time-view" }, h("h1", {}, "Over time"), this.says,
			h("div", { class: "tools-row" }, this.ranges.element, h("label", {}, h("span", {}, "Resource"), this.resource)), this.crumbs, this.cards);
		this.cards.append(this.usage.element, this.aboutCard, this.fairness.element, this.shares.element);
		this.cards.hidden = true; // until there is something to draw
		this.usage.body.after(this.legend);
		this.watcher.observe(this.element);
	}

	title(): string {
		return "Over time";
	}

	dispose(): void {
		this.later.end();
		this.watcher.disconnect();
		[this.usage, this.fairness, this.shares].forEach((card) => card.clear());
	}

	private get now(): string {
		const { resources } = this.app.store.present;
		return resources.includes(this.route.resource ?? "") ? this.route.resource! : resources[0] ?? "cpu";
	}

	private get inside(): QueueNode | undefined {
		return this.app.store.present.nodes.get(this.route.in ?? "");
	}

	show(route: Route): void {
		this.route = route;
		const at = momentOf(route.at), wanted = JSON.stringify([route.range, route.from, route.to]);
		if (this.state && this.state.now.at !== at)
			this.state.set({ at });
		if (wanted !== this.wanted)
			this.later.again(this.wanted ? SOON : 0);
		else if (this.shown)
			this.draw();
		this.wanted = wanted;
	}

	update(change: string): void {
		if (change === "again")
			this.later.again(0);
		if (change !== "tree" || !this.app.store.present.nodes.size)
			return;
		// A picture of a time that goes on is made anew when a slice of it is over.
		if (!this.geometry || (this.span?.name && now() / 1000 > this.span.to + this.geometry.step / 2))
			this.later.again(0);
	}

	private async load(): Promise<void> {
		const { present } = this.app.store, mine = ++this.read, going = (): boolean => mine === this.read && !this.later.ended;
		if (!present.nodes.size)
			return;
		try {
			this.first ??= await readFirst(this.app.api, present);
			const last = now() / 1000, span = spanOf(this.route, this.first, last), geometry = windowsOf(span.from, span.to, present.nodes.size);
			this.ranges.refresh(span);
			if (!this.shown) {
				this.drawResources();
				setText(this.says, `${span.title} is being read.`.replace(/^./, (letter) => letter.toUpperCase()));
			}
			const answers = await this.windows.read(geometry, last, going);
			const { takings, more } = await readTakings(this.app.api, this.queues, present, span.from, last).catch(() => ({ takings: [] as Taking[], more: false }));
			if (!going())
				return;
			[this.span, this.geometry, this.takings, this.older, this.shown, this.series] = [span, geometry, takings, more, { resource: "", answers }, null];
			this.draw();
		} catch (error) {
			if (going())
				setText(this.says, errorText(error));
		}
	}

	private drawResources(): void {
		const { present } = this.app.store;
		if (this.resource.options.length !== present.resources.length)
			this.resource.replaceChildren(...present.resources.map((name) => h("option", { value: name }, name)));
		this.resource.value = this.now;
	}

	private draw(): void {
		const { geometry, shown, span } = this, { present } = this.app.store, resource = this.now;
		this.width = this.element.clientWidth;
		this.drawResources();
		if (!geometry || !shown || !span || !this.width)
			return;
		this.ranges.refresh(span);
		this.cards.hidden = false;
		if (!this.series || shown.resource !== resource) {
			shown.resource = resource;
			this.series = { held: seriesOf(shown.answers, resource, "held"), entitled: seriesOf(shown.answers, resource, "entitled"), wanted: seriesOf(shown.answers, resource, "wanted") };
		}
		const end = geometry.start + geometry.n * geometry.step, inside = this.inside;
		const first = Number.isFinite(this.first!) ? this.first! : geometry.start;
		this.state = new RoutedWindow(this.app.router, { from: geometry.start, to: end }, { from: Math.min(first, geometry.start), to: Math.max(end, now() / 1000) }, resource);
		const parts = alongParts(siblingsOf(present, inside), this.series, geometry.n);
		const capacity = (inside ? [inside] : present.roots).reduce((sum, node) => sum + heldOf(node, resource).quota, 0);
		const coarse = shown.answers.find((answer) => answer && answer.tier !== "exact")?.tier;
		setText(this.says, `${usageSays(parts, resource, capacity, span.title)}${coarse ? ` Behind what is kept exactly these are sums of each ${coarse}.` : ""}`);
		this.drawCrumbs(inside);
		this.drawUsage(parts, capacity);
		this.drawFairness(parts);
		this.drawShares(parts);
		this.drawAbout();
	}

	private drawCrumbs(inside: QueueNode | undefined): void {
		this.crumbs.hidden = !inside;
		const to = (key: string | null): string => routeHash({ ...this.route, view: "time", in: key });
		this.crumbs.replaceChildren(...(inside ? [h("a", { href: to(null) }, "all queues"), ...pathOf(inside).map((node) =>
			node === inside ? h("span", {}, named(node.name)) : h("a", { href: to(node.key) }, named(node.name)))] : []));
	}

	private common(): { geometry: Geometry; format: (x: number) => string; unit: string | undefined; events: RunEvent[] } {
		const resource = this.now;
		return { geometry: this.geometry!, format: (x) => long(resource, x), unit: unitOf(resource) ? undefined : resource,
			events: marksOf(this.takings, this.geometry!) };
	}

	private widthOf(card: TimeCard): number {
		return Math.max(200, Math.floor(card.body.clientWidth));
	}

	private drawUsage(parts: readonly AlongPart[], capacity: number): void {
		const { usage } = this, resource = this.now, layers: Layer[] = parts.map((part) => ({ name: part.name, colour: part.colour, values: part.held, kind: "band" }));
		if (Number.isFinite(capacity) && capacity > 0)
			layers.push({ name: "quota", colour: "var(--ink)", values: Array<number>(this.geometry!.n).fill(capacity), kind: "line", dash: "dashed" });
		usage.clear();
		const n = this.takings.length;
		setText(usage.says, !n ? "No job was preempted in this time." : this.older
			? `More than ${n.toLocaleString("en")} jobs were preempted in this time; the newest ${n.toLocaleString("en")} are marked.`
			: `${n === 1 ? "One job was" : `${n.toLocaleString("en")} jobs were`} preempted in this time.`);
		const width = this.widthOf(usage);
		usage.put(usage.plot({ label: `${resource} that queues held, stacked`, layers, height: width < 520 ? 220 : 300, ...this.common() }, this.state!, width));
		this.legend.replaceChildren(...parts.map((part) => {
			const inside: Node[] = [swatch(part.colour), named(part.name), h("small", { class: "value" }, long(resource, part.mean.held))];
			if (part.starved !== null)
				inside.push(h("small", { class: "bad" }, `starved: ${percent(part.starved)} of what it was entitled to`));
			return h("li", {}, !part.node ? h("span", {}, ...inside) : part.node.children.length
				? h("a", { class: "queue-link", href: routeHash({ ...this.route, view: "time", in: part.node.key }), title: "Look inside" }, ...inside, h("span", { class: "into", "aria-hidden": "true" }, "›"))
				: h("a", { class: "queue-link", href: queueHash(part.node) }, ...inside));
		}));
	}

	private drawFairness(parts: readonly AlongPart[]): void {
		const { fairness } = this, resource = this.now, width = this.widthOf(fairness);
		const shown = parts.filter((part) => part.node).length, fit = width >= wide ? Math.floor(width / panelWidth) : width >= 640 ? 2 : 1;
		const columns = Math.max(1, Math.min(fit, shown)), each = Math.floor((width - 16 * (columns - 1)) / columns);
		const order = [...parts].filter((part) => part.node).sort((a, b) => (a.starved ?? 2) - (b.starved ?? 2) || b.mean.wanted - a.mean.wanted);
		fairness.clear();
		setText(fairness.says, fairnessSays(parts, resource));
		const panels = h("div", { class: "panels" }, ...order.map((part) => h("figure", { class: "panel" },
			h("figcaption", {}, swatch(part.colour), named(part.name), h("small", { class: part.starved === null ? undefined : "bad" },
				part.mean.entitled > 0 ? `${percent(part.mean.held / part.mean.entitled)} of what it was entitled to` : "wanted nothing")),
			fairness.plot({ label: `${part.name}: held, wanted and entitled to ${resource}`, height: 150, ...this.common(), events: [], layers: [
				{ name: "held", colour: part.colour, values: part.held, kind: "band" },
				{ name: "entitled to", colour: "var(--ink)", values: part.entitled, kind: "line" },
				{ name: "held and asked for", colour: "var(--quiet)", values: part.wanted, kind: "line", dash: "dotted", loose: true }] }, this.state!, each, part.name))));
		panels.style.gridTemplateColumns = `repeat(${columns}, minmax(0, 1fr))`;
		fairness.put(panels);
	}

	private drawShares(parts: readonly AlongPart[]): void {
		const { shares } = this, n = this.geometry!.n;
		const all = Array.from({ length: n }, (_, i) => parts.reduce((sum, part) => sum + (part.held[i] ?? 0), 0));
		const layers: Layer[] = parts.map((part) => ({ name: part.name, colour: part.colour, kind: "band",
			values: part.held.map((value, i) => all[i]! > 0 ? (value ?? 0) / all[i]! : null) }));
		const due = parts.reduce((sum, part) => sum + part.mean.entitled, 0), used = parts.reduce((sum, part) => sum + part.mean.held, 0);
		const most = parts.filter((part) => part.node).sort((a, b) => b.mean.held - a.mean.held)[0];
		setText(shares.says, most && used > 0 ? `The largest part was that of \u2068${most.name}\u2069: ${percent(most.mean.held / used)}${
			due > 0 ? `; of what all were entitled to its part was ${percent(most.mean.entitled / due)}` : ""}.` : "");
		shares.clear();
		const width = this.widthOf(shares);
		shares.put(shares.plot({ label: "Parts of what was held", layers, height: 200, ...this.common(), format: percent, unit: undefined, ymax: 1, ticks: 4 }, this.state!, width));
	}

	private drawAbout(): void {
		const at = momentOf(this.route.at);
		this.aboutCard.hidden = at === null;
		if (at !== null)
			this.about.show([...this.takings].sort((a, b) => Math.abs(a.at - at) - Math.abs(b.at - at)).slice(0, ROUND).sort((a, b) => b.at - a.at),
				"No job was preempted in the time that is shown.");
	}
}

export const timeView: ViewKind = { name: "time", title: "Over time", key: "o", identity: [], make: (app, route) => new TimeView(app, route) };
