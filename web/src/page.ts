// SPDX-License-Identifier: Apache-2.0
// page - a report as cards: of a run, or of several compared; alone in its window, or a part of another page

import { App } from "./app";
import { Card, CardSpec } from "./card";
import { keyFigures, overlays, ratiosCompared, usages, waitsCompared } from "./charts/compare";
import { entitled } from "./charts/entitled";
import { blocked, fairness } from "./charts/fairness";
import { flows } from "./charts/flows";
import { events, queues } from "./charts/lists";
import { lost } from "./charts/lost";
import { usage, waiting } from "./charts/stacked";
import { tradeoff } from "./charts/tradeoff";
import { utilisation } from "./charts/utilisation";
import { longest, waits } from "./charts/waits";
import { h, named } from "./dom";
import { figures, sentences } from "./headline";
import { navigationBar } from "./navigation";
import { Report } from "./report";
import { Colours, Run } from "./run";
import { themeButton } from "./theme";
import { readHash, View, ViewState } from "./view";

function runsOf(report: Report): Run[] {
	if (report.kind !== "ComparisonReport")
		return [new Run(report, report.name)];
	const runs: Run[] = [];
	for (const { name, report: one } of report.variants)
		runs.push(new Run(one, name, runs[0]?.colours));
	return runs;
}

/** The time that any of the runs covers. */
function wholeOf(runs: Run[]): { from: number; to: number } {
	const times = runs.flatMap(({ time }) => time ? [time] : []);
	if (!times.length)
		return { from: 0, to: 1 };
	return { from: Math.min(...times.map((t) => t.start)), to: Math.max(...times.map((t) => t.start + t.n * t.step)) };
}

/** What the address asks for, as far as these runs have it. */
function possible(asked: Partial<View>, runs: Run[], whole: { from: number; to: number }): Partial<View> {
	const view = { ...asked }, run = runs[view.variant ?? 0];
	if (!run)
		delete view.variant;
	if (view.node !== undefined && view.node !== null && !(run ?? runs[0]!).report.nodes[view.node])
		delete view.node;
	if (view.resource && !(run ?? runs[0]!).report.resources.some((r) => r.name === view.resource))
		delete view.resource;
	if (view.from !== undefined && (view.from >= whole.to || view.to! <= whole.from)) {
		delete view.from;
		delete view.to;
	} else if (view.from !== undefined) {
		view.from = Math.max(view.from, whole.from);
		view.to = Math.min(view.to!, whole.to);
	}
	return view;
}

/** Within another page, whose address it leaves alone. */
export interface Within {
	/** Colours that the page has for queues already. */
	colours: (run: Run) => Colours;
}

class StateWithin extends ViewState {
	hash(): string {
		return location.hash;
	}

	protected write(): void {
		// The address is the page's.
	}
}

export class ReportPage {
	private cards: Card[] = [];
	private readonly app: App;
	private readonly state: ViewState;
	private readonly content: HTMLElement;
	private readonly watcher = new ResizeObserver(() => this.resized());
	private width = 0;
	private bar: ReturnType<typeof navigationBar> | null = null;

	constructor(private readonly report: Report, private readonly root: HTMLElement, within: Within | null = null) {
		if (report.kind === "ComparisonReport" && !report.variants.length)
			throw new Error("the comparison has no variant");
		this.content = h(within ? "div" : "main");
		const runs = runsOf(report), whole = wholeOf(runs), first = runs[0]!;
		const begin: View = { variant: 0, node: first.firstView(), resource: first.mainResource(), ...whole, at: null, chart: null };
		this.state = within ? new StateWithin(begin, whole) : new ViewState({ ...begin, ...possible(readHash(location.hash), runs, whole) }, whole);
		if (within)
			runs.forEach((run) => { run.colours = within.colours(run); });
		this.app = new App(runs, this.state, report.kind === "ComparisonReport" ? report.sweep ?? null : null);
		this.root.replaceChildren(...(within ? [] : [this.header()]), this.content);
		this.state.on("what", () => this.build());
		// After the plots have taken up the new window.
		this.state.on("window", () => queueMicrotask(() => this.cards.forEach((card) => card.refreshTable())));
		if (!within)
			window.addEventListener("hashchange", () => this.state.set({ ...begin, ...possible(readHash(location.hash), runs, whole) }));
		this.watcher.observe(this.content);
		this.build();
		this.goTo(this.state.now.chart);
	}

	dispose(): void {
		this.watcher.disconnect();
	}

	private header(): HTMLElement {
		const { report } = this, count = report.kind === "ComparisonReport" ? report.variants.length : 0;
		const one = this.app.run.report, asked = report.kind === "ComparisonReport" ? report.asked ?? count : count;
		return h("header", {}, h("div", { class: "top" }, h("h1", {}, named(report.name)), themeButton()),
			h("p", { class: "about" }, count ? `${count < asked ? `stopped after ${count} of ${asked}` : count} variants of one workload` : "One run", ` · policy ${one.policy} · seed ${one.seed}`,
				one.start ? ` · begins ${one.start.replace("T", " ").replace("Z", " UTC")}` : ""));
	}

	private comparison(): (CardSpec | null)[] {
		const { app } = this;
		return app.runs.length < 2 ? [] : [tradeoff(app), keyFigures(app), usages(app), ...overlays(app), waitsCompared(app), ratiosCompared(app)];
	}

	private single(): (CardSpec | null)[] {
		const { app } = this;
		return [usage(app), entitled(app), waiting(app), utilisation(app), waits(app), fairness(app), blocked(app), flows(app), lost(app),
			longest(app), events(app), queues(app)];
	}

	/** Wide cards as they come; what stands between them in two columns. */
	private grid(specs: (CardSpec | null)[]): HTMLElement {
		const cards = specs.flatMap((spec) => spec ? [new Card(spec, (id) => this.link(id))] : []);
		this.cards.push(...cards);
		const blocks: HTMLElement[] = [];
		let columns: HTMLElement[] = [], n = 0;
		for (const { element } of cards) {
			if (element.classList.contains("wide")) {
				columns = [];
				blocks.push(element);
				continue;
			}
			if (!columns.length) {
				n = 0;
				columns = [h("div", { class: "column" }), h("div", { class: "column" })];
				blocks.push(h("div", { class: "columns" }, ...columns));
			}
			element.style.order = String(n); // where there is room for one column only
			columns[n++ % 2]!.append(element);
		}
		return h("div", { class: "grid" }, ...blocks);
	}

	/** All of it anew; what was open stays open, and the reader stays where he is. */
	private build(): void {
		const { app } = this, scroll = window.scrollY, open = new Map<string, boolean>();
		for (const details of this.content.querySelectorAll<HTMLDetailsElement>(".card details"))
			open.set(details.closest(".card")!.id + details.className, details.open);
		const focused = document.activeElement?.closest(".card")?.id;
		this.cards = [];
		this.bar = navigationBar(app);
		const compared = this.comparison();
		this.content.replaceChildren(
			...(compared.length ? [this.grid(compared), h("h2", { class: "part" }, "In detail: ", named(app.run.name))] : []),
			figures(app.run), sentences(app.run), ...(app.run.time || app.runs.length > 1 ? [this.bar.element] : []), this.grid(this.single()));
		if (compared.length)
			this.content.prepend(this.bar.element);
		this.draw();
		for (const details of this.content.querySelectorAll<HTMLDetailsElement>(".card details"))
			details.open = open.get(details.closest(".card")!.id + details.className) ?? false;
		window.scrollTo({ top: scroll, behavior: "instant" as ScrollBehavior });
		if (focused)
			document.getElementById(focused)?.querySelector<HTMLElement>(".body button, .body [tabindex]")?.focus({ preventScroll: true });
	}

	private draw(): void {
		this.width = this.content.clientWidth;
		this.bar?.draw();
		this.cards.forEach((card) => card.draw());
		this.balance();
	}

	/** Each card of two columns goes where there is more room; what stands in one is not stretched meanwhile. */
	private balance(): void {
		for (const columns of this.content.querySelectorAll<HTMLElement>(".columns")) {
			const sides = [...columns.children] as HTMLElement[];
			columns.classList.add("loose");
			const cards = sides.flatMap((side) => [...side.children] as HTMLElement[])
				.sort((a, b) => Number(a.style.order) - Number(b.style.order)).map((card) => ({ card, height: card.offsetHeight }));
			const filled = sides.map(() => 0);
			for (const { card, height } of cards) {
				const side = filled[1]! < filled[0]! ? 1 : 0;
				filled[side]! += height;
				sides[side]!.append(card);
			}
			columns.classList.remove("loose");
		}
	}

	private resized(): void {
		if (this.content.clientWidth !== this.width)
			this.draw();
	}

	private link(id: string): void {
		this.state.set({ chart: id });
		this.goTo(id);
	}

	private goTo(id: string | null): void {
		if (id)
			document.getElementById(id)?.scrollIntoView();
	}
}
