// SPDX-License-Identifier: Apache-2.0
// span - the time that a view shows, in the address: the last hour, day, week, month, all, or from - to

import { choices } from "../src/card";
import { View as Window, ViewState } from "../src/view";
import { Api, withQuery } from "./api";
import { Jobs, Series } from "./answers";
import { ms } from "./clock";
import { Model } from "./model";
import { momentOf } from "./moment";
import { Route, Router } from "./route";

const RANGES: Record<string, { title: string; seconds: number }> = {
	hour: { title: "last hour", seconds: 3600 }, day: { title: "last day", seconds: 86400 },
	week: { title: "7 days", seconds: 7 * 86400 }, month: { title: "30 days", seconds: 30 * 86400 },
	all: { title: "all", seconds: Infinity },
};
const FIRST = "hour";

export interface Span {
	name: string | null; // null: from and to of the address
	title: string;
	from: number;
	to: number; // seconds
}

/** `first`: since when anything is known, `last`: now, or the moment that is seen. */
export function spanOf(route: Route, first: number, last: number): Span {
	const from = Number(route.from), to = Number(route.to);
	if (route.from && route.to && from < to)
		return { name: null, title: "this time", from: Math.max(from, first), to: Math.max(Math.min(to, last), Math.max(from, first) + 1) };
	const name = route.range && route.range in RANGES ? route.range : FIRST, { title, seconds } = RANGES[name]!;
	const begin = Math.min(Math.max(last - seconds, Number.isFinite(first) ? first - 1 : 0), last - 60);
	return { name, title: name === "all" ? "all the time that is known" : `the ${title.replace(/^(?=\d)/, "last ")}`, from: begin, to: last };
}

export function rangeChoices(router: Router): { element: HTMLElement; refresh: (span: Span) => void } {
	let now: string | null = null;
	const element = choices("Time", Object.entries(RANGES).map(([value, { title }]) => ({ name: title, value })), () => now ?? "",
		(range) => router.change({ range: range === FIRST ? null : range, from: null, to: null }));
	return { element, refresh: (span) => {
		now = span.name;
		Object.keys(RANGES).forEach((name, i) => element.children[i]!.setAttribute("aria-pressed", String(name === now)));
	} };
}

/** When the first job came, or the first month began that there are sums of. */
export async function readFirst(api: Api, model: Model): Promise<number> {
	const { jobs } = await api.get<Jobs>(withQuery("/v1/jobs", { limit: 1 }) + "&state=");
	let first = ms(jobs[0]?.submittedAt) / 1000;
	const queue = [...model.nodes.values()].find((node) => node.kind !== "Cohort");
	if (queue) {
		const { rows } = await api.get<Series>(withQuery("/v1/series", { queue: queue.name, step: "month", from: "1971-01-01T00:00:00Z" }));
		const sums = ms(rows[0]?.from) / 1000;
		// A month is whole: it may have begun long before its first job.
		if (sums < first - 31 * 86400 || Number.isNaN(first))
			first = sums;
	}
	return Number.isNaN(first) ? Infinity : first;
}

/** The window and the moment of the plots, which the address has. */
export class RoutedWindow extends ViewState {
	private readonly given = { ...this.now };

	constructor(private readonly router: Router, window: { from: number; to: number }, whole: { from: number; to: number }, resource: string) {
		super({ variant: 0, node: null, resource, ...window, at: momentOf(router.now.at), chart: null } as Window, whole);
	}

	protected write(): void {
		const { from, to, at } = this.now, route = this.router.now, all = this.isWhole();
		const moved = from !== this.given.from || to !== this.given.to;
		this.router.change({ at: at === null ? null : Number(at.toFixed(1)),
			...(moved ? all ? { range: "all", from: null, to: null } : { range: null, from: Math.floor(from), to: Math.ceil(to) }
				: { range: route.range, from: route.from, to: route.to }) });
	}
}
