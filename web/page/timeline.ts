// SPDX-License-Identifier: Apache-2.0
// timeline - what happened to a job: as a line of waiting and running, and as a list of events

import { h, named } from "../src/dom";
import { duration } from "../src/format";
import { JobPage, LiveEvent } from "./answers";
import { exactly, ms, now, short, timeElement } from "./clock";
import { routeHash } from "./route";

interface Span {
	kind: "wait" | "run" | "lost";
	from: number;
	to: number;
	text: string;
}

/** From submission to its end, or to now. A run that has to be made again is lost. */
export function spansOf(job: JobPage, end: number): Span[] {
	const spans: Span[] = [];
	let at = ms(job.submittedAt);
	for (const one of job.attempts) {
		const from = ms(one.from), to = one.to ? ms(one.to) : end;
		if (from > at)
			spans.push({ kind: "wait", from: at, to: from, text: `waited ${duration((from - at) / 1000)}` });
		const lost = one.ended !== null && /preempted|lost|evicted|requeued/.test(one.ended);
		spans.push({ kind: lost ? "lost" : "run", from, to, text: `${one.to ? "ran" : "has run for"} ${duration((to - from) / 1000)}${
			one.ended ? `, ${one.ended}` : ""}` });
		at = to;
	}
	if (end > at && !job.endedAt)
		spans.push({ kind: "wait", from: at, to: end, text: `has waited for ${duration((end - at) / 1000)}` });
	return spans;
}

export function timelineBar(job: JobPage, colour: string): HTMLElement {
	const end = job.endedAt ? ms(job.endedAt) : now(), begin = ms(job.submittedAt);
	const spans = spansOf(job, end), length = Math.max(1, end - begin);
	const bar = h("div", { class: "life", role: "img", "aria-label": spans.map((span) => span.text).join(", then ") });
	bar.style.setProperty("--queue", colour);
	for (const span of spans) {
		const part = h("i", { class: span.kind, title: `${span.text}: ${exactly(span.from)} – ${exactly(span.to)}` });
		part.style.left = `${100 * (span.from - begin) / length}%`;
		part.style.width = `max(2px, ${100 * (span.to - span.from) / length}%)`;
		bar.append(part);
	}
	return h("div", { class: "life-box" }, bar,
		h("p", { class: "life-ends" }, timeElement(job.submittedAt, short), job.endedAt ? timeElement(job.endedAt, short) : h("span", {}, "now")),
		h("ul", { class: "bar-key life-key" }, ...([["wait", "waits"], ["run", "runs"], ["lost", "ran, and has to run again"]] as const)
			.filter(([kind]) => spans.some((span) => span.kind === kind))
			.map(([kind, text]) => h("li", {}, h("i", { class: `sample ${kind}`, "aria-hidden": "true" }), text))));
}

const WORDS: Record<string, string> = { Submitted: "Submitted", Admitted: "Admitted: it has its quota", Started: "Started", Preempted: "Preempted",
	Requeued: "In its queue again", Finished: "Ended", Held: "Held", Released: "Released", Cancelled: "Cancelled", Evicted: "Evicted" };

function line(event: LiveEvent, before: LiveEvent | undefined): HTMLElement {
	const waited = before && (event.kind === "Admitted" || event.kind === "Started") ? (ms(event.at) - ms(before.at)) / 1000 : 0;
	return h("li", { class: `event-${event.kind.toLowerCase()}` }, timeElement(event.at, short), h("div", {},
		h("strong", {}, WORDS[event.kind] ?? event.kind),
		event.kind === "Started" && (event.attempt ?? 1) > 1 ? `, attempt ${event.attempt!}` : "",
		event.kind === "Submitted" && event.queue ? h("span", {}, " to queue ", named(event.queue)) : null,
		event.by ? h("span", {}, " by ", h("a", { href: routeHash({ view: "job", job: event.by }) }, `job ${event.by}`)) : null,
		event.text ? h("span", {}, ": ", h("bdi", {}, event.text)) : event.reason && event.reason !== "Fits" ? h("span", {}, ": ", h("bdi", {}, event.reason)) : null,
		waited >= 0.5 ? h("small", {}, ` after ${duration(waited)}`) : null));
}

/** What it waits for now is the last line. */
export function timelineList(events: readonly LiveEvent[], job: JobPage): HTMLElement {
	const known = events.filter((event, i) => i === 0 || event.id !== events[i - 1]!.id);
	return h("ol", { class: "timeline" }, ...known.map((event, i) => line(event, known[i - 1])),
		!job.endedAt && job.why ? h("li", { class: "now" }, h("span", {}, "now"), h("div", {}, h("strong", {}, "Waits"), ": ", h("bdi", {}, job.why))) : null);
}
