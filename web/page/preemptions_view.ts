// SPDX-License-Identifier: Apache-2.0
// preemptions_view - who took from whom, by which rule, per pair of queues and along time; loops that go on

import { h, named, swatch } from "../src/dom";
import { count, percent } from "../src/format";
import { matrix, MatrixEnd } from "../src/matrix";
import { Geometry } from "../src/run";
import { tableDetails } from "../src/table";
import { Layer, TimePlot, TimePlotSpec, timeTable } from "../src/time_plot";
import { errorText } from "./api";
import { App, View, ViewKind } from "./app";
import { exactly, ms, now, short } from "./clock";
import { LiveEvent } from "./answers";
import { keyed, setAttribute, setText } from "./keyed";
import { queueOfJob } from "./model";
import { momentOf } from "./moment";
import { windowsOf } from "./past";
import { Route } from "./route";
import { rangeChoices, readFirst, RoutedWindow, Span, spanOf } from "./span";
import { moveAlong, TakingList } from "./taking_list";
import { Pair, pairKey, pairsOf, QueuesOfJobs, readEvents, readTakings, ruleText, Taking } from "./takings";
import { Timer } from "./timer";
import { queueHash } from "./tree_view";

const SHOWN = 200, MOST_ENDS = 16, MOST_PAIRS = 12, LOOPS = 20, SOON = 150;

class PreemptionsView implements View {
	readonly element: HTMLElement;
	private readonly says = h("p", { class: "says", role: "status" });
	private readonly ranges: ReturnType<typeof rangeChoices>;
	private readonly loops = h("section", { class: "card loops", "aria-labelledby": "loops-title" });
	private readonly picture = h("div", { class: "body" });
	private readonly pairs = h("ul", { class: "pairs", "aria-label": "Pairs of queues" });
	private readonly pairSays = h("p", { class: "says" });
	private readonly rules = h("ul", { class: "rule-bars", "aria-label": "Rules" });
	private readonly along = h("div", { class: "body" });
	private readonly alongSays = h("p", { class: "says" });
	private readonly chosen = h("p", { class: "chosen" });
	private readonly list: TakingList;
	private readonly pairTable = tableDetails("preemptions", () => ({
		columns: [{ title: "took" }, { title: "lost" }, { title: "jobs", format: count }, { title: "rules" }, { title: "last" }],
		rows: this.all.map((pair) => [pair.to || "not told", pair.from, pair.count, [...pair.rules].map(([rule, n]) => `${rule} ${n}`).join(", "), exactly(pair.last.at * 1000)]) }));
	private readonly alongTable = tableDetails("preemptions-along-time", () => this.plot && this.spec ? timeTable([{ plot: this.plot, spec: this.spec }]) : { columns: [], rows: [] });
	private readonly queues: QueuesOfJobs;
	private readonly body: HTMLElement;
	private takings: Taking[] = [];
	private all: Pair[] = [];
	private more = false;
	private plot: TimePlot | null = null;
	private spec: TimePlotSpec | null = null;
	private first: number | null = null;
	private span: Span | null = null;
	private looped: LiveEvent[] = [];
	private read = 0;
	private wanted = "";
	private readonly later = new Timer(() => void this.load());
	private width = 0;
	private readonly watcher = new ResizeObserver(() => { if (this.element.clientWidth !== this.width) this.draw(); });

	constructor(private readonly app: App, private route: Route) {
		this.queues = new QueuesOfJobs(app.api);
		this.list = new TakingList(app);
		this.ranges = rangeChoices(app.router);
		const card = (id: string, title: string, ...children: (Node | null)[]): HTMLElement =>
			h("section", { class: "card", "aria-labelledby": `${id}-title` }, h("h2", { id: `${id}-title` }, title), ...children);
		this.body = h("div", { class: "preemption-cards" },
			card("pairs", "Who took from whom", this.pairSays, this.picture, this.pairs, h("div", { class: "below" }, h("details", { class: "help" }, h("summary", {}, "How to read this"),
				h("p", {}, "A row is the queue that took, a column the queue that lost a job; the number is how many jobs made way. Two dark cells that mirror each other are two queues that " +
					"take turns in stopping each other. A cell, or a line below, shows only its preemptions in the list.")), this.pairTable.element)),
			card("rules", "By which rule", this.rules),
			card("along", "Over time", this.alongSays, this.along, h("div", { class: "below" }, this.alongTable.element)),
			card("list", "The preemptions", this.chosen, this.list.element));
		this.element = h("div", { class: "view preemptions-view" }, h("h1", {}, "Preemptions"), this.says, h("div", { class: "tools-row" }, this.ranges.element), this.loops, this.body);
		this.loops.hidden = this.body.hidden = true;
		this.watcher.observe(this.element);
	}

	title(): string {
		return "Preemptions";
	}

	dispose(): void {
		this.later.end();
		this.watcher.disconnect();
		this.plot?.dispose();
	}

	show(route: Route): void {
		this.route = route;
		const wanted = JSON.stringify([route.range, route.from, route.to, route.at]);
		if (wanted !== this.wanted)
			this.later.again(this.wanted ? SOON : 0);
		else if (this.span)
			this.draw();
		this.wanted = wanted;
	}

	update(change: string): void {
		const { store } = this.app, present = store.present.nodes.size > 0;
		if (change === "again" || (change === "tree" && present && !this.span))
			this.later.again(0);
		else if (change === "tree")
			this.drawLoops();
		else if (change === "events" && !this.route.at && (store.lost || store.events.some(({ kind }) => kind === "Preempted" || kind === "LoopDetected")))
			this.later.once(1000);
	}

	private async load(): Promise<void> {
		const { present } = this.app.store, mine = ++this.read, going = (): boolean => mine === this.read && !this.later.ended;
		if (!present.nodes.size)
			return;
		try {
			this.first ??= await readFirst(this.app.api, present);
			const span = spanOf(this.route, this.first, momentOf(this.route.at) ?? now() / 1000);
			const { takings, more } = await readTakings(this.app.api, this.queues, present, span.from, span.to);
			const looped = await readEvents(this.app.api, { kind: "LoopDetected", since: new Date(span.from * 1000).toISOString(), limit: LOOPS });
			if (!going())
				return;
			[this.span, this.takings, this.more] = [span, takings, more];
			this.looped = looped.filter((event) => ms(event.at) / 1000 <= span.to);
			this.all = pairsOf(takings);
			this.draw();
		} catch (error) {
			if (going())
				setText(this.says, errorText(error));
		}
	}

	private colour(name: string): string {
		return queueOfJob(this.app.store.present, name)?.colour ?? "var(--rest)";
	}

	private draw(): void {
		const { span, takings, all } = this;
		this.width = this.element.clientWidth;
		if (!span || !this.width)
			return;
		this.ranges.refresh(span);
		const [most] = all, at = momentOf(this.route.at);
		setText(this.says, !most ? `No job was preempted in ${span.title}${at === null ? "" : " before this moment"}.`
			: `${this.more ? "At least " : ""}${takings.length === 1 ? "One job was" : `${count(takings.length)} jobs were`} preempted in ${span.title}${at === null ? "" : " before this moment"}. Most often \u2068${
				most.to || "a queue that is not told"}\u2069 took from \u2068${most.from}\u2069: ${count(most.count)} (${ruleText([...most.rules].sort((a, b) => b[1] - a[1])[0]![0])}).`);
		this.body.hidden = !most;
		this.drawLoops();
		this.drawPairs();
		this.drawRules();
		this.drawAlong(span);
		this.drawList();
		this.pairTable.refresh();
		this.alongTable.refresh();
	}

	/** Loops that were detected in this time, and what queues say of themselves. */
	private drawLoops(): void {
		const { looped } = this, nodes = [...this.app.store.present.nodes.values()].filter((node) => node.notes.some((note) => /loop|livelock/i.test(note)));
		const last = looped[looped.length - 1], wasHidden = this.loops.hidden;
		this.loops.hidden = !last && !nodes.length;
		const key = JSON.stringify([last?.id, nodes.map((node) => [node.key, node.notes])]);
		if (this.loops.hidden || (this.loops.dataset.key === key && !wasHidden))
			return;
		this.loops.dataset.key = key;
		this.loops.replaceChildren(h("h2", { id: "loops-title" }, last?.reason === "sure" ? "Jobs preempt each other in a loop" : "Jobs seem to preempt each other in a loop"),
			...(last ? [h("p", {}, h("bdi", {}, `${last.text ?? ""}.`), ` Heard ${looped.length === 1 ? "once" : `${looped.length} times`}, the last time at ${short(ms(last.at))}. ${
				last.reason === "sure" ? "The same state came back: it goes on until something from outside changes." : "The same jobs went and came back again and again; it may still end."}`)] : []),
			...nodes.map((node) => h("p", {}, h("a", { class: "queue-link", href: queueHash(node) }, swatch(node.colour), named(node.name)), ": ", h("bdi", {}, node.notes.join(" ")))),
			h("p", {}, "Each job that starts takes quota from the next, which waits, and takes it back: all of the work done in between is lost. The command that looks for every such loop, " +
				"tells its steps and which setting ends it:"),
			h("p", { class: "command" }, h("code", {}, "fairlead prove")));
	}

	private ends(of: (pair: Pair) => string): string[] {
		const sums = new Map<string, number>();
		for (const pair of this.all)
			sums.set(of(pair), (sums.get(of(pair)) ?? 0) + pair.count);
		return [...sums].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, MOST_ENDS).map(([name]) => name).sort();
	}

	private choose(key: string): void {
		this.app.router.change({ pair: this.route.pair === key ? null : key });
		this.app.announce(this.route.pair ? "The list shows one pair of queues" : "The list shows all preemptions");
	}

	private drawPairs(): void {
		const { all } = this, rows = this.ends((pair) => pair.to), columns = this.ends((pair) => pair.from), of = new Map(all.map((pair) => [pair.key, pair]));
		if (!all.length)
			return;
		const mutual = all.find((pair) => pair.from !== pair.to && of.has(pairKey({ from: pair.to, to: pair.from })));
		setText(this.pairSays, mutual ? `\u2068${mutual.to}\u2069 and \u2068${mutual.from}\u2069 took from each other.` : "No two queues took from each other.");
		const end = (name: string): MatrixEnd => ({ name: name || "not told", colour: this.colour(name) });
		const at = (r: number, c: number): Pair | undefined => of.get(pairKey({ to: rows[r]!, from: columns[c]! }));
		this.picture.replaceChildren(matrix({ label: "Who took from whom", rows: rows.map(end), columns: columns.map(end),
			cell: (r, c) => {
				const pair = at(r, c);
				return pair && { count: pair.count, tip: [{ name: "jobs preempted", value: count(pair.count) }, ...[...pair.rules].map(([rule, n]) => ({ name: ruleText(rule), value: count(n) }))] };
			}, empty: [{ name: "jobs preempted", value: "none" }], title: (row, column) => `\u2068${row.name}\u2069 took from \u2068${column.name}\u2069`,
			open: (r, c) => this.choose(at(r, c)!.key) }, Math.max(200, this.picture.clientWidth)));
		const most = all[0]!.count;
		keyed(this.pairs, all.slice(0, MOST_PAIRS), {
			key: (pair) => pair.key,
			make: (pair) => {
				const bar = h("span", { class: "track", "aria-hidden": "true" }, h("i", { class: "own" }));
				bar.style.setProperty("--queue", this.colour(pair.to));
				return h("li", {}, h("button", { type: "button", class: "plain", title: "Only these in the list", click: () => this.choose(pair.key) },
					h("span", { class: "end" }, swatch(this.colour(pair.to)), named(pair.to || "not told")), h("span", { class: "arrow" }, "took from"),
					h("span", { class: "end" }, swatch(this.colour(pair.from)), named(pair.from))), bar, h("b", {}));
			},
			update: (element, pair) => {
				setAttribute(element.firstElementChild!, "aria-pressed", String(this.route.pair === pair.key));
				(element.children[1]!.firstElementChild as HTMLElement).style.width = `${100 * pair.count / most}%`;
				setText(element.children[2]!, count(pair.count));
			},
		});
	}

	private drawRules(): void {
		const sums = new Map<string, number>();
		for (const taking of this.takings)
			sums.set(taking.rule, (sums.get(taking.rule) ?? 0) + 1);
		const rows = [...sums].sort((a, b) => b[1] - a[1]), all = Math.max(1, this.takings.length);
		keyed(this.rules, rows, {
			key: ([rule]) => rule,
			make: ([rule]) => h("li", {}, h("span", { class: "rule-name" }, h("span", {}, ruleText(rule)), ruleText(rule) === rule ? null : h("small", {}, rule)),
				h("span", { class: "track", "aria-hidden": "true" }, h("i", { class: "own" })), h("b", {})),
			update: (element, [, n]) => {
				(element.children[1]!.firstElementChild as HTMLElement).style.width = `${100 * n / all}%`;
				setText(element.children[2]!, `${count(n)}, ${percent(n / all)}`);
			},
		});
	}

	private drawAlong(span: Span): void {
		const geometry: Geometry = windowsOf(span.from, span.to, 1), takers = this.ends((pair) => pair.to), counts = new Map(takers.map((name) => [name, Array<number>(geometry.n).fill(0)]));
		const rest = Array<number>(geometry.n).fill(0);
		for (const taking of this.takings) {
			const slice = Math.min(geometry.n - 1, Math.max(0, Math.floor((taking.at - geometry.start) / geometry.step)));
			(counts.get(taking.to) ?? rest)[slice]!++;
		}
		const layers: Layer[] = [...counts].map(([name, values]) => ({ name: name || "not told", colour: this.colour(name), values, kind: "band" }));
		if (rest.some((n) => n))
			layers.push({ name: "others", colour: "var(--rest)", values: rest, kind: "band" });
		const sums = Array.from({ length: geometry.n }, (_, i) => layers.reduce((sum, layer) => sum + (layer.values[i] ?? 0), 0)), most = Math.max(...sums);
		setText(this.alongSays, `Most were at ${short(1000 * (geometry.start + sums.indexOf(most) * geometry.step))}: ${count(most)} within ${this.step(geometry.step)}. Colours are those of the queues that took.`);
		const end = geometry.start + geometry.n * geometry.step, first = Number.isFinite(this.first!) ? this.first! : geometry.start;
		this.spec = { label: "Preemptions along time, stacked by the queue that took", layers, geometry, height: 170, format: count, yleast: 2, ticks: 2 };
		this.plot?.dispose();
		this.plot = new TimePlot(this.spec, new RoutedWindow(this.app.router, { from: geometry.start, to: end },
			{ from: Math.min(first, geometry.start), to: Math.max(end, now() / 1000) }, ""), Math.max(200, this.along.clientWidth));
		this.along.replaceChildren(this.plot.host);
	}

	private step(seconds: number): string {
		return seconds % 3600 === 0 ? `${seconds / 3600} h` : seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
	}

	private drawList(): void {
		const wanted = this.all.find((pair) => pair.key === this.route.pair);
		const shown = [...this.takings].reverse().filter((one) => !wanted || pairKey(one) === wanted.key);
		this.chosen.replaceChildren(shown.length > SHOWN ? `The newest ${SHOWN} of ${count(shown.length)}. ` : "The newest first. ",
			...(wanted ? [`Only what \u2068${wanted.to || "not told"}\u2069 took from \u2068${wanted.from}\u2069. `, h("button", { type: "button", class: "small", click: () => this.choose(wanted.key) }, "Show all")] : []));
		this.list.show(shown.slice(0, SHOWN), "There was none.");
	}

	key(key: string): boolean {
		return moveAlong(this.list.element, key);
	}
}

export const preemptionsView: ViewKind = { name: "preemptions", title: "Preemptions", key: "p", identity: [], make: (app, route) => new PreemptionsView(app, route) };
