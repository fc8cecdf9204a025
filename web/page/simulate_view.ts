// SPDX-License-Identifier: Apache-2.0
// simulate_view - what would come of the present state: simulations are begun, followed, cancelled, and compared

import { h, named } from "../src/dom";
import { count, duration, percent } from "../src/format";
import { errorText, withQuery } from "./api";
import { App, View, ViewKind } from "./app";
import { timeElement } from "./clock";
import { editLine, parseEdit, parseLines } from "./edits";
import { keyed, setAttribute, setText } from "./keyed";
import { Route, routeHash } from "./route";
import { Timer } from "./timer";
import { TraceForm } from "./trace_form";

export interface Simulation {
	id: number;
	state: "running" | "done" | "failed" | "cancelled";
	progress: number;
	user?: string;
	startedAt: string;
	endedAt: string | null;
	error: { text: string; hint?: string } | null;
	horizonSeconds: number | null; // null: to the end of its trace
	seed: number;
	arrivals: boolean;
	trace: boolean; // of the jobs of a log
}

const HORIZONS: [string, string][] = [["1h", "1 hour"], ["6h", "6 hours"], ["1d", "1 day"], ["7d", "7 days"], ["30d", "30 days"]];
const AGAIN = { running: 700, quiet: 10000 }; // milliseconds
const STATES = { running: "runs", done: "done", failed: "failed", cancelled: "cancelled" };

/** The daemon does not tell the changes of a simulation; those that this page has begun it knows. */
const changes = new Map<string, string[]>();
const known = (one: Simulation): string => `${one.id} ${one.startedAt}`;

const length = ({ horizonSeconds }: Simulation): string => horizonSeconds === null ? "to its end" : duration(horizonSeconds);

export function simulationName(one: Simulation): string {
	const lines = changes.get(known(one)) ?? [];
	const what = one.trace ? "a trace" : `seed ${one.seed}${one.arrivals ? "" : ", nothing new"}`;
	return `${one.id}: ${length(one)}, ${what}${lines.length ? `, ${lines.join("; ")}` : ""}`;
}

class SimulateView implements View {
	readonly element: HTMLElement;
	private readonly horizon = h("select", {}, ...HORIZONS.map(([key, title]) => h("option", { value: key }, title)));
	private readonly seed = h("input", { type: "number", min: 1, step: 1, value: 1, inputmode: "numeric" });
	private readonly arrivals = h("input", { type: "checkbox", checked: true });
	private readonly begins = h("button", { class: "primary" }, "Simulate");
	private readonly lines = h("p", { class: "says" });
	private readonly told = h("p", { class: "told", role: "status" });
	private readonly compare = h("a", { class: "button" }, "Compare");
	private readonly list = h("ul", { class: "simulations" });
	private readonly none = h("p", { class: "none" });
	private readonly chosen = new Set<number>();
	private rows: Simulation[] = [];
	private route: Route = {};
	private readonly trace = new TraceForm((log, queue) => this.beginTrace(log, queue), (error) => setText(this.told, errorText(error)));
	private readonly later = new Timer(() => void this.read());

	constructor(private readonly app: App) {
		this.horizon.value = "1d";
		const label = (text: string, input: Node, after = ""): Node => h("label", {}, h("span", {}, text), input, after);
		const form = h("form", { class: "simulate-form", submit: (event: Event) => { event.preventDefault(); void this.begin(); } },
			label("For", this.horizon), label("Seed", this.seed), h("label", {}, this.arrivals, h("span", {}, "jobs come as they came lately")), this.begins);
		this.element = h("div", { class: "view simulate-view" }, h("h1", {}, "Simulate"),
			h("p", { class: "says" }, "The present state goes on in virtual time, beside the daemon: nothing changes by that. How long jobs run is drawn from those that ended lately."),
			h("section", { class: "card", "aria-labelledby": "begin-title" }, h("h2", { id: "begin-title" }, "A new one"), this.lines, form, this.told, this.trace.element),
			h("section", { class: "card", "aria-labelledby": "ran-title" }, h("div", { class: "heading-row" }, h("h2", { id: "ran-title" }, "Those there are"), this.compare), this.list, this.none));
		void this.read();
	}

	title(): string {
		return "Simulate";
	}

	dispose(): void {
		this.later.end();
	}

	show(route: Route): void {
		this.route = route;
		const lines = parseLines(route.set);
		this.lines.replaceChildren(...(lines.length ? ["With ", h("bdi", {}, lines.map((line) => { const edit = parseEdit(line); return edit ? editLine(edit) : line; }).join("; ")), " ",
			h("a", { href: routeHash({ view: "what-if", set: route.set }) }, "Change it"), " · ", h("a", { href: routeHash({ view: "simulate" }) }, "Without it")]
			: ["With what queues have now. ", h("a", { href: routeHash({ view: "what-if" }) }, "Change something first")]));
		this.draw();
		this.drawTrace();
	}

	update(change: string): void {
		if (change === "status")
			this.draw();
		else if (change === "again")
			void this.read();
		if (change !== "events")
			this.drawTrace();
	}

	private drawTrace(): void {
		this.trace.show(this.app.store.present, this.app.store.daemon?.watches === "machine");
	}

	private async beginTrace(log: Blob, queue: string): Promise<void> {
		const lines = parseLines(this.route.set);
		setText(this.told, "");
		this.begun(await this.app.api.send<Simulation>("POST", withQuery("/v1/simulations", { trace: "swf", queue, set: lines.join("\n") }),
			{ body: log, headers: { "Content-Type": "text/plain" } }), lines);
		await this.read();
	}

	private begun({ value }: { value: Simulation }, lines: string[]): void {
		changes.set(known(value), lines);
		this.app.announce(`Simulation ${value.id} runs`);
	}

	private may(one: Simulation): boolean {
		const { me } = this.app.store;
		// One that a token has begun is told as user/token: it is that user's.
		return me !== null && (me.role === "admin" || me.user === one.user || Boolean(one.user?.startsWith(`${me.user}/`)));
	}

	private async begin(): Promise<void> {
		const lines = parseLines(this.route.set);
		setText(this.told, "");
		this.begins.disabled = true;
		try {
			const seed = this.seed.valueAsNumber;
			if (!Number.isInteger(seed) || seed < 0)
				throw new Error("The seed is a whole number.");
			this.begun(await this.app.api.send<Simulation>("POST", withQuery("/v1/simulations", { horizon: this.horizon.value, seed, arrivals: this.arrivals.checked ? null : "0", set: lines.join("\n") })), lines);
			await this.read();
		} catch (error) {
			setText(this.told, errorText(error));
		}
		this.begins.disabled = false;
	}

	private async read(): Promise<void> {
		this.later.stop();
		try {
			const was = new Map(this.rows.map((one) => [one.id, one.state]));
			this.rows = (await this.app.api.get<{ simulations: Simulation[] }>("/v1/simulations")).simulations.reverse();
			for (const one of this.rows)
				if (was.get(one.id) === "running" && one.state !== "running")
					this.app.announce(`Simulation ${one.id} ${STATES[one.state]}`);
			this.draw();
		} catch (error) {
			setText(this.told, errorText(error));
		}
		this.later.again(this.rows.some((one) => one.state === "running") ? AGAIN.running : AGAIN.quiet);
	}

	private draw(): void {
		for (const id of [...this.chosen])
			if (!this.rows.some((one) => one.id === id && one.state === "done"))
				this.chosen.delete(id);
		setText(this.none, this.rows.length ? "" : "There is none. Those that have ended are kept for an hour.");
		keyed(this.list, this.rows, { key: known, make: (one) => this.make(one), update: (element, one) => this.fill(element, one) });
		this.compare.hidden = this.rows.filter((one) => one.state === "done" && this.may(one)).length < 2;
		setText(this.compare, this.chosen.size < 2 ? "Choose two to compare" : `Compare ${count(this.chosen.size)}`);
		setAttribute(this.compare, "href", this.chosen.size < 2 ? null : routeHash({ view: "simulation", id: [...this.chosen].sort((a, b) => a - b).join(",") }));
	}

	private make(one: Simulation): HTMLElement {
		const box = h("input", { type: "checkbox", "aria-label": `Compare simulation ${one.id}`, change: () => {
			if (box.checked)
				this.chosen.add(one.id);
			else
				this.chosen.delete(one.id);
			this.draw();
		} });
		const lines = changes.get(known(one)) ?? [];
		return h("li", {}, box, h("div", { class: "simulation" }, h("p", {}, h("b", {}, `Simulation ${one.id}`), h("span", { class: "simulation-state" })),
			h("p", { class: "quiet" }, `${length(one)}, seed ${one.seed}, ${one.trace ? "jobs of a trace" : one.arrivals ? "with new jobs" : "without new jobs"}`, one.user ? ", of " : "", one.user ? named(one.user) : "", ", ", timeElement(one.startedAt)),
			lines.length ? h("p", {}, h("bdi", {}, lines.join("; "))) : null, h("p", { class: "bad problem" }),
			h("progress", { max: 1, "aria-label": `Progress of simulation ${one.id}` })),
			h("span", { class: "buttons" }, h("a", { class: "button", href: routeHash({ view: "simulation", id: one.id }) }, "Report"),
				h("button", { type: "button", class: "small", click: () => void this.end(one.id) }, "Cancel")));
	}

	private fill(element: HTMLElement, one: Simulation): void {
		const running = one.state === "running", mine = this.may(one);
		const box = element.querySelector<HTMLInputElement>("input")!, progress = element.querySelector("progress")!;
		const [report, end] = element.lastElementChild!.children as unknown as HTMLElement[];
		box.style.visibility = one.state === "done" && mine ? "visible" : "hidden";
		setText(element.querySelector(".simulation-state")!, running ? ` ${percent(one.progress)}` : ` ${STATES[one.state]}`);
		setText(element.querySelector(".problem")!, one.error ? `${one.error.text}${one.error.hint ? `: ${one.error.hint}` : ""}` : "");
		if (progress.value !== one.progress)
			progress.value = one.progress;
		progress.hidden = !running;
		report!.hidden = one.state !== "done" || !mine;
		end!.hidden = !mine;
		setText(end!, running ? "Cancel" : "Forget");
		setAttribute(end!, "aria-label", `${running ? "Cancel" : "Forget"} simulation ${one.id}`);
	}

	private async end(id: number): Promise<void> {
		try {
			await this.app.api.send("DELETE", `/v1/simulations/${id}`);
		} catch (error) {
			setText(this.told, errorText(error));
		}
		await this.read();
	}
}

export const simulateView: ViewKind = { name: "simulate", title: "Simulate", key: "s", identity: [], make: (app) => new SimulateView(app) };
