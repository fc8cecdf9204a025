// SPDX-License-Identifier: Apache-2.0
// job_view - one job: what happened to it, why it is where it is, when it starts, what would change that, its output

import { h, named, swatch } from "../src/dom";
import { amount, count, duration, percent } from "../src/format";
import { asks, holds } from "./amounts";
import { JobPage, LiveEvent } from "./answers";
import { errorText, Refused } from "./api";
import { App, View, ViewKind } from "./app";
import { ago, exactly, ms } from "./clock";
import { Explanation } from "./explanation";
import { setText } from "./keyed";
import { queueOfJob } from "./model";
import { Output } from "./output";
import { Route, routeHash } from "./route";
import { isOver, setState, stateElement } from "./state";
import { timelineBar, timelineList } from "./timeline";
import { Timer } from "./timer";
import { whyElements } from "./why";

const EXPLAINED = 10000; // milliseconds between two explanations, which take a while
const READ = 1000;

class JobView implements View {
	readonly element: HTMLElement;
	readonly back: Route = { view: "jobs" };
	private readonly id: number;
	private readonly heading = h("h1", {});
	private readonly about = h("p", { class: "about" });
	private readonly problem = h("p", { class: "none" });
	private readonly state = stateElement("waits");
	private readonly facts = h("dl", { class: "facts" });
	private readonly timeline = h("div", {});
	private readonly why = h("div", { class: "why-body" });
	private readonly whyCard: HTMLElement;
	private readonly known = h("div", { class: "job-column" },
		h("section", { class: "card", "aria-labelledby": "timeline-title" }, h("h2", { id: "timeline-title" }, "What happened"), this.timeline),
		h("section", { class: "card", "aria-labelledby": "facts-title" }, h("h2", { id: "facts-title" }, "The job"), this.facts));
	private readonly outputCard = h("section", { class: "card", "aria-labelledby": "output-title" }, h("h2", { id: "output-title" }, "Output"));
	private job: JobPage | null = null;
	private events: LiveEvent[] = [];
	private output: Output | null = null;
	private said = "";
	private readonly later = new Timer(() => void this.read(!this.job));
	private readonly laterWhy = new Timer(() => void this.explain());
	private explaining = false;
	private explained = 0;
	private again = false;
	private explanation: Explanation | null = null;
	private coloured = false;

	constructor(private readonly app: App, route: Route) {
		this.id = Number(route.job) || 0;
		this.whyCard = h("section", { class: "card", "aria-labelledby": "why-title" }, h("h2", { id: "why-title" }, "Why it waits"), this.why);
		this.whyCard.hidden = this.outputCard.hidden = true;
		this.known.hidden = true;
		this.heading.textContent = `Job ${this.id}`;
		this.element = h("div", { class: "view job-view" },
			h("nav", { class: "crumbs", "aria-label": "Where this is" }, h("a", { href: routeHash({ view: "jobs" }) }, "Jobs"), h("span", {}, `Job ${this.id}`)),
			this.heading, this.about, this.problem,
			h("div", { class: "job-grid" },
				this.known,
				h("div", { class: "job-column" }, this.whyCard, this.outputCard)));
		void this.read(true);
	}

	title(): string {
		return this.job?.name ? `${this.job.name} · job ${this.id}` : `Job ${this.id}`;
	}

	show(): void {
		// The number is all there is of its address.
	}

	dispose(): void {
		this.later.end();
		this.laterWhy.end();
		this.output?.close();
	}

	update(change: string): void {
		const mine = this.app.store.events.some((event) => event.job === this.id || event.by === this.id);
		if ((change === "events" && (mine || this.app.store.lost)) || change === "again")
			this.later.once(READ / 4);
		else if (change === "tree" && this.job) {
			if (!isOver(this.job.state))
				this.later.once(READ / 4);
			this.recolour();
		}
	}

	/** What came before the tree has no colours and links of queues yet. */
	private recolour(): void {
		const known = this.app.store.model.nodes.size > 0;
		if (!known || this.coloured)
			return;
		this.coloured = true;
		this.draw();
		if (this.explanation)
			this.drawWhy(this.explanation);
	}

	private async read(first: boolean): Promise<void> {
		try {
			const [job, events] = await Promise.all([this.app.api.get<JobPage>(`/v1/jobs/${this.id}`), this.readEvents()]);
			if (this.later.ended)
				return;
			this.job = job;
			this.known.hidden = false;
			this.events = events;
			setText(this.problem, "");
			this.draw();
			this.explainSoon();
		} catch (error) {
			if (first && !this.later.ended)
				setText(this.problem, errorText(error));
		}
	}

	/** Of a caller that may not see them there are none. */
	private async readEvents(): Promise<LiveEvent[]> {
		try {
			const response = await this.app.api.open(`/v1/events?job=${this.id}&after=0.0&limit=1000`);
			return (await response.text()).split("\n").filter((line) => line).map((line) => JSON.parse(line) as LiveEvent);
		} catch (error) {
			if (error instanceof Refused && error.status !== 401)
				return [];
			throw error;
		}
	}

	private draw(): void {
		const job = this.job!, node = queueOfJob(this.app.store.model, job.queue);
		const said = JSON.stringify([job, this.events, node?.colour, Boolean(node)], (key, value: unknown) => key === "now" || key === "ranSeconds" || key === "waitedSeconds" ? undefined : value);
		setState(this.state, job.state);
		if (said !== this.said) {
			this.said = said;
			this.heading.replaceChildren(job.name ? named(job.name) : `Job ${this.id}`);
			const queue = node ? h("a", { class: "queue-link", href: routeHash({ view: "queue", queue: node.name }) }, swatch(node.colour), named(job.queue)) : named(job.queue);
			this.about.replaceChildren(this.state, `Job ${job.id} of ${this.app.store.ofCluster ? "namespace " : ""}`, named(job.user), " in queue ", queue);
			this.timeline.replaceChildren(timelineBar(job, node?.colour ?? "var(--rest)"), timelineList(this.events, job));
			this.facts.replaceChildren(...this.factsOf(job));
		} else if (!job.endedAt) {
			this.timeline.firstElementChild!.replaceWith(timelineBar(job, node?.colour ?? "var(--rest)"));
		}
		this.whyCard.hidden = isOver(job.state) || !this.why.childElementCount;
		if (!this.output && job.attempt > 0 && !this.app.store.ofCluster && job.command) {
			this.output = new Output(this.app.api, this.id, () => ({ over: isOver(this.job!.state), attempt: this.job!.attempt }));
			this.outputCard.append(this.output.element);
			this.outputCard.hidden = false;
		}
	}

	private factsOf(job: JobPage): Node[] {
		const rows: [string, Node | string | null][] = [
			["holds", job.requests ? null : asks(holds(job))],
			["asks for", asks(job.requests) + ((job.tasks ?? 1) > 1 ? ` for each of ${count(job.tasks!)} tasks` : "") || null],
			["submitted", job.submittedAt ? h("time", { datetime: job.submittedAt, title: ago(ms(job.submittedAt)) }, exactly(ms(job.submittedAt))) : null],
			["ended", job.endedAt ? exactly(ms(job.endedAt)) : null],
			["priority", String(job.priority)],
			["time limit", job.timeLimit ?? null],
			["waits for", job.after?.length ? h("span", {}, ...job.after.flatMap((one, i) => [i ? ", " : "",
				h("a", { href: routeHash({ view: "job", job: one.job }) }, `job ${one.job}`), ` (${one.when})`])) : null],
			["attempts", job.attempt > 1 ? count(job.attempt) : null],
			["evicted", job.evictions ? `${count(job.evictions)} ${job.evictions === 1 ? "time" : "times"}` : null],
			["waited", job.waitedSeconds >= 1 ? duration(job.waitedSeconds) : null],
			["lost by evictions", job.lostSeconds > 0 ? duration(job.lostSeconds) : null],
			["cpu used", job.cpuEfficiency !== undefined ? `${percent(job.cpuEfficiency)} of what it held` : null],
			["memory used", job.memoryEfficiency !== undefined ? `${percent(job.memoryEfficiency)} of what it held` + (job.peakMemoryBytes ? ` (${amount(job.peakMemoryBytes, "bytes")})` : "") : null],
			["how it ended", job.endedAt && job.reason ? h("bdi", {}, job.reason) : null],
			["comment", job.comment ? h("bdi", {}, job.comment) : null],
			["command", job.command ? h("code", { dir: "auto" }, job.command.join(" ")) : null],
			["folder", job.directory ? h("code", { dir: "auto" }, job.directory) : null]];
		return rows.flatMap(([name, value]) => value === null || value === "" ? [] : [h("dt", {}, name), h("dd", {}, value)]);
	}

	/** At once, and then again while it waits and things happen, but not more often than it is worth. */
	private explainSoon(): void {
		const { job } = this;
		if (!job || isOver(job.state) || ["runs", "stops", "starts"].includes(job.state)) {
			this.why.replaceChildren();
			this.whyCard.hidden = true;
			return;
		}
		this.laterWhy.once(this.explained ? Math.max(0, this.explained + EXPLAINED - performance.now()) : 0);
	}

	private async explain(): Promise<void> {
		if (this.explaining || this.later.ended)
			return;
		this.explaining = true;
		try {
			// Without a forecast it is there at once.
			if (!this.explained)
				this.drawWhy(await this.app.api.get<Explanation>(`/v1/jobs/${this.id}/explain?format=json`));
			// Who sees a part of a cluster has no forecasts.
			await this.app.store.known;
			if (!this.app.store.partial)
				this.drawWhy(await this.app.api.get<Explanation>(`/v1/jobs/${this.id}/explain?format=json&eta=1`));
			else if (this.explained)
				this.drawWhy(await this.app.api.get<Explanation>(`/v1/jobs/${this.id}/explain?format=json`));
		} catch (error) {
			if (error instanceof Refused && (error.status === 503 || error.status === 429))
				this.again = true; // too many forecasts at once
			else if (!this.later.ended && error instanceof Refused && !this.why.childElementCount)
				this.why.replaceChildren(h("p", {}, errorText(error)));
		} finally {
			this.explaining = false;
			this.explained = performance.now();
		}
		if (this.again && !this.later.ended) {
			this.again = false;
			this.explainSoon();
		}
		this.whyCard.hidden = this.later.ended || isOver(this.job!.state) || !this.why.childElementCount;
	}

	private drawWhy(explanation: Explanation): void {
		if (this.later.ended || this.why.contains(document.activeElement) && this.why.querySelector("details[open]"))
			return;
		this.explanation = explanation;
		this.why.replaceChildren(...whyElements(explanation, this.app.store.ofCluster ? null : this.id, this.app.store.model));
		this.whyCard.hidden = false;
	}
}

export const jobView: ViewKind = { name: "job", title: "Job", identity: ["job"], make: (app, route) => new JobView(app, route) };
