// SPDX-License-Identifier: Apache-2.0
// jobs_view - all jobs, or those of a queue, a user, a state, a text; of 100,000 only those in sight are elements

import { h, named, swatch } from "../src/dom";
import { count } from "../src/format";
import { asks, holds } from "./amounts";
import { Job } from "./answers";
import { errorText } from "./api";
import { App, View, ViewKind } from "./app";
import { ago, exactly, ms, timeElement } from "./clock";
import { JobFilter, JobList, STATES } from "./job_list";
import { setAttribute, setText } from "./keyed";
import { queueOfJob } from "./model";
import { Route, routeHash } from "./route";
import { setState, since, stateElement } from "./state";
import { Timer } from "./timer";
import { VirtualList } from "./virtual";

const narrow = window.matchMedia("(max-width: 699px)");
const COLUMNS = [["Job", "id"], ["Name", "job-name"], ["State", "job-state-cell"], ["Queue", "queue"], ["User", "user"],
	["Asks for", "asks"], ["Since", "when"], ["Why", "why"]] as const;

export function jobHash(id: number): string {
	return routeHash({ view: "job", job: id });
}

class JobsView implements View {
	readonly element: HTMLElement;
	readonly search: HTMLInputElement;
	private readonly queue = h("input", { type: "text", placeholder: "any queue", "aria-label": "Queue", list: "queue-names",
		autocomplete: "off", spellcheck: "false" });
	private readonly user = h("input", { type: "text", placeholder: "any user", "aria-label": "User", autocomplete: "off", spellcheck: "false" });
	private readonly names = h("datalist", { id: "queue-names" });
	private readonly states = h("div", { class: "choices", role: "group", "aria-label": "State" });
	private readonly says = h("p", { class: "says" });
	private readonly newer = h("button", { type: "button", class: "newer", click: () => this.begin() });
	private readonly none = h("p", { class: "none" });
	private readonly list: VirtualList<Job>;
	private jobs: JobList | null = null;
	private then: readonly Job[] | null | undefined; // of the moment that the list is of
	private key_ = "";
	private route: Route = {};
	private readonly later = new Timer(() => this.begin());

	constructor(private readonly app: App) {
		this.search = h("input", { type: "search", placeholder: "any text", "aria-label": "Text in the number, name, user, queue or why",
			autocomplete: "off", spellcheck: "false" });
		for (const [field, input] of [["text", this.search], ["queue", this.queue], ["user", this.user]] as const)
			input.addEventListener(input === this.search ? "input" : "change", () => app.router.change({ [field]: input.value.trim() }));
		this.states.append(...Object.entries(STATES).map(([word, { title }]) => h("button", { type: "button", "data-state": word,
			click: () => app.router.change({ state: word }) }, title)));
		this.newer.hidden = true;
		this.list = new VirtualList<Job>({
			label: "Jobs", role: "table",
			heading: h("div", { class: "row heading job-row", role: "row" },
				...COLUMNS.map(([title, name]) => h("span", { class: name, role: "columnheader" }, title))),
			rowHeight: () => narrow.matches ? 72 : 36,
			key: (job) => String(job.id),
			make: (job) => this.makeRow(job), update: (element, job) => this.fill(element, job),
			open: (job) => app.router.go({ view: "job", job: job.id }),
			seen: (_, to) => this.jobs?.want(to),
		});
		this.element = h("div", { class: "view" }, h("h1", {}, "Jobs"), this.says,
			h("div", { class: "tools-row" }, this.states, this.search, this.queue, this.user, this.names), this.newer,
			this.list.element, this.none);
	}

	title(): string {
		return "Jobs";
	}

	dispose(): void {
		this.jobs?.close();
		this.list.dispose();
		this.later.end();
	}

	private get filter(): JobFilter {
		const { queue, user, state, text } = this.route;
		return { queue, user, state: state ?? "", text };
	}

	show(route: Route): void {
		this.route = route;
		const key = JSON.stringify(this.filter);
		for (const [field, input] of [["text", this.search], ["queue", this.queue], ["user", this.user]] as const)
			if (document.activeElement !== input)
				input.value = route[field] ?? "";
		for (const button of this.states.children)
			setAttribute(button, "aria-pressed", String((button as HTMLElement).dataset.state === (route.state ?? "")));
		if (key === this.key_)
			return;
		// While a text is typed only the last state of it is asked for.
		const typed = this.key_ !== "" && document.activeElement === this.search;
		this.key_ = key;
		this.later.stop();
		if (typed)
			this.later.again(200);
		else
			this.begin();
	}

	private begin(): void {
		this.jobs?.close();
		const { past } = this.app.store, { queue } = this.filter, wanted = queue && past ? queueOfJob(past.model, queue) : undefined;
		const of = (job: Job): boolean => !queue || job.queue === queue || (wanted !== undefined && queueOfJob(past!.model, job.queue) === wanted);
		this.then = past?.jobs;
		this.jobs = new JobList(this.app.api, this.filter, () => requestAnimationFrame(() => this.draw()), past ? (past.jobs ?? []).filter(of) : undefined);
		if (this.key_ && window.scrollY > 0)
			window.scrollTo(0, 0);
		this.draw();
	}

	update(change: string): void {
		if (change === "tree" && this.then !== this.app.store.past?.jobs) {
			this.begin();
		} else if (change === "tree") {
			const names = [...this.app.store.model.nodes.values()].flatMap((node) => node.children.length ? [] : node.queues);
			if (names.length !== this.names.childElementCount)
				this.names.replaceChildren(...names.map((name) => h("option", { value: name })));
			// Also what is not of one job may have changed: how many are ahead of it.
			const [from, to] = this.list.range();
			void this.jobs?.refresh(from, to);
			this.draw();
		} else if (change === "events" && this.app.store.lost) {
			this.begin();
		} else if (change === "events") {
			this.jobs?.heard(this.app.store.events);
			this.drawNewer();
		}
	}

	private drawNewer(): void {
		const n = this.jobs?.newer ?? 0;
		this.newer.hidden = n === 0;
		setText(this.newer, n === 1 ? "Show one newer job" : `Show ${count(n)} newer jobs`);
	}

	private draw(): void {
		const { jobs } = this;
		if (!jobs)
			return;
		const total = this.expected();
		this.list.set(jobs.items, jobs.more ? Math.max(total ?? 0, jobs.items.length) : jobs.items.length);
		this.drawNewer();
		const { filter } = this, shown = count(jobs.items.length);
		const what = STATES[filter.state ?? ""]?.title ?? "not over";
		const order = jobs.newestFirst ? "the newest first" : "the oldest first";
		const others = jobs.others ? ` ${count(jobs.others)} others are not shown to you.` : "";
		if (this.then === null) {
			setText(this.says, "The jobs of that moment are being read.");
			setText(this.none, "");
			return;
		}
		setText(this.says, jobs.error !== null || (!jobs.items.length && !jobs.more && !this.app.store.partial && !filter.text) ? "" : filter.text
			? `${jobs.items.length === 1 ? "1 job has" : `${shown} jobs have`} “${filter.text}” in ${jobs.items.length === 1 ? "it" : "them"}${
				jobs.more ? "; more are looked at" : ""}.${others}`
			: `${jobs.more ? total !== null ? `${count(Math.max(total, jobs.items.length))} jobs` : `More than ${shown} jobs`
				: jobs.items.length === 1 ? "1 job" : `${shown} jobs`}, ${
				what === "all" ? "over or not" : what}, ${order}.${others}`);
		setText(this.none, jobs.error !== null ? errorText(jobs.error) : jobs.items.length || jobs.more ? "" : this.app.store.partial || Object.values(filter).some((value) => value) ? "There are no such jobs." : "No job runs or waits.");
	}

	/** How many there will be, where the tree has counted them. */
	private expected(): number | null {
		const { queue, user, state, text } = this.filter, { model } = this.app.store;
		if (user || text || !model.nodes.size || !(state === "" || state === "running" || state === "waiting"))
			return null;
		const node = queue ? queueOfJob(model, queue) : undefined;
		if (queue && !node)
			return null;
		return (node ? [node] : model.roots).reduce((sum, one) => sum + (state === "waiting" ? 0 : one.running) +
			(state === "running" ? 0 : one.waiting + one.heldJobs), 0);
	}

	key(key: string): boolean {
		return this.list.key(key);
	}

	private makeRow(job: Job): HTMLElement {
		const cell = (name: string, ...children: Node[]): HTMLElement => h("span", { class: name, role: "cell" }, ...children);
		return h("div", { class: "row job-row" },
			cell("id", h("a", { href: jobHash(job.id), tabindex: -1 }, String(job.id))),
			cell("job-name", named(job.name || "–")), cell("job-state-cell", stateElement(job.state)),
			cell("queue", swatch("var(--rest)"), named(job.queue)), cell("user", named(job.user)), cell("asks", h("b", {})),
			cell("when", timeElement(since(job) ?? job.submittedAt)), cell("why", h("bdi", {})));
	}

	private fill(element: HTMLElement, job: Job): void {
		const [, name, state, queue, , asked, when, why] = element.children as unknown as HTMLElement[];
		const bdi = name!.firstElementChild as HTMLElement;
		setText(bdi, job.name || "–");
		setAttribute(bdi, "title", job.name);
		setState(state!.firstElementChild as HTMLElement, job.state);
		const colour = queueOfJob(this.app.store.model, job.queue)?.colour ?? "var(--rest)";
		const mark = queue!.firstElementChild as HTMLElement;
		if (mark.style.background !== colour)
			mark.style.background = colour;
		const wants = asks(job.requests ?? holds(job)) + ((job.tasks ?? 1) > 1 ? ` × ${count(job.tasks!)}` : "");
		setText(asked!.firstElementChild!, wants);
		setAttribute(asked!, "title", wants);
		const at = ms(since(job)), time = when!.firstElementChild as HTMLElement;
		if (Number.isFinite(at) && time.dataset.ago !== String(at)) {
			time.dataset.ago = String(at);
			time.title = exactly(at);
			setText(time, ago(at));
		}
		setText(why!.firstElementChild!, job.why ?? "");
		setAttribute(why!, "title", job.why);
	}
}

export const jobsView: ViewKind = { name: "jobs", title: "Jobs", key: "j", identity: [], make: (app) => new JobsView(app) };
