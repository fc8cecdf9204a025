// SPDX-License-Identifier: Apache-2.0
// taking_list - preemptions as a list: when, who took from whom, the two jobs, and the rule in words

import { h, named, swatch } from "../src/dom";
import { App } from "./app";
import { exactly, short } from "./clock";
import { jobHash } from "./jobs_view";
import { keyed, setText } from "./keyed";
import { queueOfJob } from "./model";
import { ruleText, Taking } from "./takings";

export class TakingList {
	readonly element = h("div", { class: "takings" });
	private readonly list = h("ol", { "aria-label": "Preemptions" });
	private readonly none = h("p", { class: "quiet" });

	constructor(private readonly app: App) {
		this.element.append(this.list, this.none);
	}

	show(takings: readonly Taking[], none: string): void {
		setText(this.none, takings.length ? "" : none);
		keyed(this.list, takings, { key: (one) => one.id, make: (one) => this.row(one), update: () => undefined });
	}

	private queue(name: string): HTMLElement {
		return h("span", { class: "queue-link" }, swatch(queueOfJob(this.app.store.present, name)?.colour ?? "var(--rest)"), named(name || "not told"));
	}

	private row(one: Taking): HTMLElement {
		const job = (id: number | null): Node => id === null ? h("span", {}, "a job") : h("a", { href: jobHash(id) }, `job ${id}`);
		return h("li", {}, h("time", { datetime: new Date(one.at * 1000).toISOString(), title: exactly(one.at * 1000) }, short(one.at * 1000)),
			h("span", { class: "who" }, this.queue(one.to), " ", job(one.taker), h("span", { class: "arrow" }, " took from "), this.queue(one.from), " ", job(one.victim)),
			h("span", { class: "rule", title: one.text ? `${one.rule}: it ${one.text}` : one.rule }, ruleText(one.rule)));
	}
}

/** All of a list of jobs that this view leads to is read by `Enter` and the arrow keys: its links. */
export function moveAlong(list: HTMLElement, key: string): boolean {
	if (key !== "j" && key !== "k")
		return false;
	const links = [...list.querySelectorAll<HTMLElement>("a")], at = links.indexOf(document.activeElement as HTMLElement);
	links[Math.min(links.length - 1, Math.max(0, at + (key === "j" ? 1 : -1)))]?.focus();
	return links.length > 0;
}
