// SPDX-License-Identifier: Apache-2.0
// moment - the bar that says which moment the page shows, and what is known of it

import { h } from "../src/dom";
import { errorText } from "./api";
import { App } from "./app";
import { ago, exactly, ms, now } from "./clock";
import { setText } from "./keyed";
import { Model } from "./model";
import { History, jobsAt, modelAt, Past, readHistory } from "./past";

const SPAN = 0.05; // seconds that stand for the moment

export function momentOf(text: string | undefined): number | null {
	const at = Number(text);
	return text && Number.isFinite(at) && at > 0 ? at : null;
}

export class MomentBar {
	readonly element = h("div", { class: "moment", role: "status" });
	private readonly text = h("p", {});
	private at: number | null = null;
	private history: History | null = null;
	private jobs: Past["jobs"] = null;
	private partly = false;
	private drawn: Model | null = null;
	private read = 0;

	constructor(private readonly app: App) {
		this.element.hidden = true;
		this.element.append(this.text, h("button", { type: "button", title: "Key: n", click: () => this.back() }, "Back to now"));
		app.store.on("tree", () => { if (this.history && this.drawn !== app.store.present) this.draw(); });
	}

	back(): void {
		this.app.router.change({ at: null });
		this.app.announce("The page shows what is now");
	}

	/** What the address names. */
	show(): void {
		const at = momentOf(this.app.router.now.at);
		if (at === this.at)
			return;
		this.at = at;
		this.element.hidden = at === null;
		this.history = this.jobs = null;
		if (at === null)
			this.app.store.showPast(null);
		else
			void this.load(at);
	}

	private async load(at: number): Promise<void> {
		const mine = ++this.read, going = (): boolean => mine === this.read && this.at === at;
		setText(this.text, `As it was at ${exactly(at * 1000)}: it is being read.`);
		if (at * 1000 > now()) {
			setText(this.text, `${exactly(at * 1000)} is yet to come.`);
			return;
		}
		try {
			const history = await readHistory(this.app.api, at, Math.min(at + SPAN, now() / 1000));
			if (!going())
				return;
			this.history = history;
			this.draw();
			const { jobs, partly } = await jobsAt(this.app.api, at, going);
			if (!going())
				return;
			this.jobs = jobs;
			this.partly = partly;
			this.draw();
		} catch (error) {
			if (going())
				setText(this.text, `What was at ${exactly(at * 1000)} cannot be read: ${errorText(error)}`);
		}
	}

	private draw(): void {
		const { present } = this.app.store, at = this.at!, history = this.history!;
		this.drawn = present;
		this.app.store.showPast({ at, tier: history.tier, model: modelAt(present, history, this.jobs), jobs: this.jobs, partly: this.partly });
		const gap = history.gaps?.find(({ from, to }) => ms(from) <= at * 1000 && ms(to) > at * 1000);
		setText(this.text, [`As it was at ${exactly(at * 1000)} (${ago(at * 1000)}).`,
			gap ? `Nothing was kept of that time: ${gap.why}.` : "",
			history.tier === "exact" ? "" : `Only sums are kept of then: what queues held is the mean of its ${history.tier}.`,
			this.partly ? "Of the jobs only the newest 50,000 were looked at." : "",
			"Quotas, limits and weights are those of now."].filter((text) => text).join(" "));
	}
}
