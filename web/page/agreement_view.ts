// SPDX-License-Identifier: Apache-2.0
// agreement_view - how often the scheduler of the cluster and the engine decide the same, and where they do not

import { h, named, swatch } from "../src/dom";
import { count, number } from "../src/format";
import { copyButton } from "../src/table";
import { Agreement, AgreementDifference, AgreementRow, agreementSays, Cause, CAUSES, KINDS, partText, SIDES } from "./agreement";
import { fromCounted, long, quantity } from "./amounts";
import { errorText, withQuery } from "./api";
import { App, View, ViewKind } from "./app";
import { exactly, ms, now, timeElement } from "./clock";
import { inequalityElement, splitRule } from "./inequality";
import { keyed, setText } from "./keyed";
import { queueOfJob } from "./model";
import { Route, routeHash } from "./route";
import { saveBlob } from "./save";
import { Store } from "./store";
import { Timer } from "./timer";

const TIMES: [string, string, number][] = [["", "last 7 days", 7 * 24], ["24", "last 24 hours", 24], ["1", "last hour", 1]];
const AGAIN = 15000; // milliseconds between two readings
const SHOWN = 50;
const COLOURS: Record<Cause, string> = { rule: "var(--bad)", time: "var(--c0)", order: "var(--c1)", unknown: "var(--rest)" };

function rowElement(row: AgreementRow): HTMLElement {
	const part = (title: string, of: number, too: number, ratio: number | null): Node[] => {
		const bar = h("i", { class: "own", "aria-hidden": "true" });
		bar.style.width = `${100 * (ratio ?? 0)}%`;
		return [h("span", { class: "what" }, title), h("span", { class: "track" }, bar), h("b", {}, partText(ratio)), h("small", {}, `${count(too)} of ${count(of)}`)];
	};
	return h("li", { class: row.reason ? "by-reason" : "by-kind" }, h("h3", {}, row.reason ? named(row.reason) : KINDS[row.kind]),
		h("div", { class: "parts" }, ...part("the scheduler's that are the engine's, too", row.real, row.realToo, row.ofReal), ...part("the engine's that are the scheduler's, too", row.engine, row.engineToo, row.ofEngine)));
}

class AgreementView implements View {
	readonly element: HTMLElement;
	private readonly hours = h("select", { "aria-label": "Time" }, ...TIMES.map(([key, title]) => h("option", { value: key }, title)));
	private readonly cause = h("select", { "aria-label": "Cause" }, h("option", { value: "" }, "any"), ...(Object.keys(CAUSES) as Cause[]).map((key) => h("option", { value: key }, CAUSES[key].title)));
	private readonly says = h("p", { class: "says" });
	private readonly about = h("p", { class: "says" });
	private readonly rows = h("ul", { class: "agreement-rows" });
	private readonly bar = h("div", { class: "cause-bar", role: "img" });
	private readonly legend = h("ul", { class: "causes" });
	private readonly list = h("ol", { class: "disagreements" });
	private readonly more = h("button", { type: "button", class: "more", click: () => { this.all = true; this.draw(); } });
	private readonly none = h("p", { class: "none" });
	private readonly told = h("p", { class: "told", role: "status" });
	private readonly causesCard: HTMLElement;
	private readonly parts: HTMLElement[];
	private answer: Agreement | null = null;
	private route: Route = {};
	private all = false;
	private read = 0;
	private asked: string | null = null;
	private readonly later = new Timer(() => void this.ask());

	constructor(private readonly app: App) {
		this.hours.addEventListener("change", () => app.router.change({ hours: this.hours.value }));
		this.cause.addEventListener("change", () => app.router.change({ cause: this.cause.value }));
		this.causesCard = h("section", { class: "card", "aria-labelledby": "causes-title" }, h("h2", { id: "causes-title" }, "Why they differ"), this.bar, this.legend);
		this.parts = [h("div", { class: "tools-row" }, h("label", {}, h("span", {}, "Time"), this.hours), h("label", {}, h("span", {}, "Cause"), this.cause)),
			h("div", { class: "agreement-grid" },
				h("div", { class: "job-column" }, h("section", { class: "card", "aria-labelledby": "often-title" }, h("h2", { id: "often-title" }, "How often"), this.about, this.rows), this.causesCard),
				h("section", { class: "card", "aria-labelledby": "differences-title" }, h("h2", { id: "differences-title" }, "Differences, the newest first"), this.told, this.list, this.more, this.none))];
		this.element = h("div", { class: "view agreement-view" }, h("h1", {}, "Agreement"), this.says, ...this.parts);
	}

	title(): string {
		return "Agreement";
	}

	dispose(): void {
		this.later.end();
	}

	show(route: Route): void {
		this.route = route;
		this.hours.value = route.hours ?? "";
		this.cause.value = route.cause ?? "";
		this.draw();
		if (this.asked !== (route.hours ?? ""))
			void this.ask();
	}

	update(change: string): void {
		if (change === "status")
			this.draw();
		if (change === "again")
			void this.ask();
		if (change === "tree")
			this.later.once(Math.max(0, this.read + AGAIN - performance.now()));
	}

	private async ask(): Promise<void> {
		const asked = this.route.hours ?? "", hours = TIMES.find(([key]) => key === asked)?.[2];
		this.asked = asked;
		await this.app.store.known;
		if (!applies(this.app.store)) {
			this.parts.forEach((part) => { part.hidden = true; });
			setText(this.says, `How often two schedulers decide the same is told by a daemon that observes a cluster. This one ${
				this.app.store.daemon?.watches === "cluster" ? "decides for it" : "runs the jobs of a machine"}.`);
			return;
		}
		try {
			const answer = await this.app.api.get<Agreement>(withQuery("/v1/agreement", { from: asked && hours ? new Date(now() - hours * 3600e3).toISOString() : null }));
			if (this.later.ended || asked !== (this.route.hours ?? ""))
				return;
			this.answer = answer;
			setText(this.told, "");
			this.draw();
		} catch (error) {
			if (!this.later.ended)
				setText(this.told, errorText(error));
		}
		this.read = performance.now();
	}

	private draw(): void {
		const a = this.answer;
		this.causesCard.hidden = !a?.differences.length;
		if (!a)
			return;
		setText(this.says, agreementSays(a));
		setText(this.about, `${a.windows === 1 ? "One window" : `${count(a.windows)} windows`} of ${a.windowSeconds} seconds ${a.windows === 1 ? "was" : "were"} compared, from ${exactly(ms(a.from))} to ${exactly(ms(a.to))}.${
			a.unjudged ? ` ${count(a.unjudged)} decisions could not be judged.` : ""}`);
		const said = JSON.stringify([a.kinds, a.reasons]);
		if (this.rows.dataset.said !== said) {
			this.rows.dataset.said = said;
			this.rows.replaceChildren(...a.kinds.flatMap((kind) => [rowElement(kind), ...a.reasons.filter((row) => row.kind === kind.kind).map(rowElement)]));
		}
		this.drawCauses(a);
		const wanted = a.differences.filter((one) => !this.route.cause || one.cause === this.route.cause).reverse(), shown = this.all ? wanted : wanted.slice(0, SHOWN);
		keyed(this.list, shown, { key: (one) => `${one.number} ${one.later ?? ""} ${one.kept} ${this.app.store.me?.role ?? ""}`, make: (one) => this.differenceElement(one), update: () => undefined });
		this.more.hidden = shown.length === wanted.length;
		setText(this.more, `Show all ${count(wanted.length)}`);
		setText(this.none, wanted.length ? "" : a.differences.length ? "There is none with this cause." : "There is none.");
	}

	private drawCauses(a: Agreement): void {
		const causes = (Object.keys(CAUSES) as Cause[]).map((cause) => ({ cause, n: a.differences.filter((one) => one.cause === cause).length })).filter(({ n }) => n > 0);
		const said = JSON.stringify(causes);
		if (this.bar.dataset.said === said)
			return;
		this.bar.dataset.said = said;
		this.bar.setAttribute("aria-label", causes.map(({ cause, n }) => `${CAUSES[cause].title}: ${n}`).join(", "));
		this.bar.replaceChildren(...causes.map(({ cause, n }) => {
			const part = h("i", {});
			part.style.background = COLOURS[cause];
			part.style.width = `${100 * n / a.differences.length}%`;
			return part;
		}));
		this.legend.replaceChildren(...causes.map(({ cause, n }) => h("li", {}, swatch(COLOURS[cause]), h("b", {}, count(n)), h("span", {}, `${CAUSES[cause].title}: ${CAUSES[cause].text}`))));
	}

	private differenceElement(one: AgreementDifference): HTMLElement {
		const { model } = this.app.store, node = one.queue ? queueOfJob(model, one.queue) : undefined;
		const queue = node ? h("a", { class: "queue-link", href: routeHash({ view: "queue", queue: node.name }) }, swatch(node.colour), named(node.name)) : one.queue ? named(one.queue) : null;
		const reason = (title: string, text: string | undefined): Node[] => text ? [h("dt", {}, title), h("dd", {}, h("bdi", {}, text))] : [];
		const command = `fairlead agreement ${one.window} >FILE`;
		return h("li", {}, h("p", {}, timeElement(one.at), " ", one.workload ? named(one.workload) : "a workload that you may not see", queue ? " of " : "", queue, `: ${SIDES[one.kind][one.side]}`),
			h("dl", { class: "facts" }, ...reason("the scheduler", one.real), ...reason("the engine", one.engine), ...reason("the cluster says", one.said),
				h("dt", {}, "the cause"), h("dd", {}, `${CAUSES[one.cause].title}: ${CAUSES[one.cause].text}`), ...(one.later ? reason("the scheduler did so", exactly(ms(one.later))) : [])),
			...this.comparison(one),
			one.kept && this.app.store.me?.role === "admin" ? h("p", { class: "command" }, h("button", { type: "button", class: "small", click: () => void this.save(one) }, "Save the state just before"), h("code", {}, command), copyButton("Copy", () => command)) : null);
	}

	/** In words, and as two bars where it is of two amounts. */
	private comparison({ inequality: by }: AgreementDifference): Node[] {
		if (!by)
			return [];
		const sides = splitRule(by.meaning), of = [by.node ? `of ${by.node}` : "", by.resource ? `${by.resource}${by.flavor ? ` in ${by.flavor}` : ""}` : ""].filter((text) => text).join(", ");
		const value = (x: number | string): number => by.resource ? fromCounted(by.resource, x) : quantity(x);
		const shown = (x: number | string): string => by.resource ? long(by.resource, value(x)) : Number.isFinite(value(x)) ? number(value(x)) : String(x);
		const words = h("p", {}, h("b", {}, by.check), of ? " " : "", of ? h("bdi", {}, of) : null, by.holds ? " holds" : " does not hold", sides ? ":" : `, with ${shown(by.lhs)} and ${shown(by.rhs)}: ${by.meaning}`);
		return sides && Number.isFinite(value(by.lhs)) && Number.isFinite(value(by.rhs)) ? [words, inequalityElement({ left: { text: sides.left, value: value(by.lhs), shown: shown(by.lhs) },
			relation: sides.relation, right: { text: sides.right, value: value(by.rhs), shown: shown(by.rhs) }, holds: by.holds })] : [words];
	}

	private async save(one: AgreementDifference): Promise<void> {
		try {
			saveBlob(`window-${one.window}.fairlead`, await (await this.app.api.open(`/v1/agreement/${one.window}/state`)).blob());
		} catch (error) {
			setText(this.told, errorText(error));
		}
	}
}

/** Who sees a part of a cluster is not told the role of its daemon. */
const applies = ({ daemon }: Store): boolean => daemon === null || (daemon.watches === "cluster" && daemon.role === "observe");

/** Only where somebody else decides. */
export const agreementView: ViewKind = { name: "agreement", title: "Agreement", key: "a", identity: [], make: (app) => new AgreementView(app),
	available: (store) => store.daemon !== null && applies(store) };
