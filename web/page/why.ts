// SPDX-License-Identifier: Apache-2.0
// why - an explanation as sentences, the comparisons that failed as pictures, and the smallest changes

import { h, named, swatch } from "../src/dom";
import { count, duration, number } from "../src/format";
import { copyButton } from "../src/table";
import { fromCounted, long, quantity, short } from "./amounts";
import { exactly, ms, short as shortTime, timeElement } from "./clock";
import { Bound, Change, Eta, Explanation, Rule } from "./explanation";
import { Inequality, inequalityElement, splitRule } from "./inequality";
import { findNode, Model, queueOfJob } from "./model";
import { routeHash } from "./route";

const SHOWN = 4;

/** "default/5" of a machine is job 5. */
export function workloadLink(workload: string): HTMLElement {
	const id = /^default\/(\d+)$/.exec(workload)?.[1] ?? /^(\d+)$/.exec(workload)?.[1];
	return id ? h("a", { href: routeHash({ view: "job", job: id }) }, `job ${id}`) : named(workload);
}

function queueLink(model: Model, name: string): HTMLElement {
	const node = findNode(model, name) ?? queueOfJob(model, name);
	return node ? h("a", { class: "queue-link", href: routeHash({ view: "queue", queue: node.name }) }, swatch(node.colour), named(name)) : named(name);
}

function failedParts(e: Explanation): Inequality[] {
	const { failed, shortage } = e;
	if (failed?.requested !== undefined && failed.resource) {
		const resource = failed.resource, never = failed.verdict === "ExceedsMaxQuota";
		const right = never ? failed.maximum : failed.available;
		const side = (text: string, x: Bound | undefined) => ({ text, value: fromCounted(resource, x), shown: long(resource, fromCounted(resource, x)) });
		return [{ left: side("it asks for", failed.requested), relation: "≤",
			right: side(never ? "there can be at most" : "its queue can have now", right ?? 0) }];
	}
	if (shortage) {
		const side = (text: string, x: Bound | undefined) => ({ text, value: fromCounted(shortage.resource, x),
			shown: long(shortage.resource, fromCounted(shortage.resource, x)) });
		return [{ left: side("it asks for", shortage.requested), relation: "≤", right: side("is free", shortage.available ?? shortage.capacity ?? 0) }];
	}
	return (e.obstacles ?? []).slice(0, SHOWN).flatMap((one) => {
		const sides = splitRule(one.meaning);
		const side = (text: string, x: Bound) => ({ text, value: quantity(x), shown: one.resource ? long(one.resource, quantity(x)) : number(quantity(x)) });
		return sides ? [{ left: side(sides.left, one.left), relation: sides.relation, right: side(sides.right, one.right) }] : [];
	});
}

/** Of the comparisons of a rule the nearest to have held is the first. */
function ruleElement(rule: Rule): HTMLElement {
	const first = rule.victims[0], sides = splitRule(rule.meaning);
	const shown = (x: Bound | undefined): { value: number; shown: string } => {
		if (first?.unit === "nanoseconds")
			return { value: quantity(x), shown: duration(quantity(x) / 1e9) };
		const value = first?.resource ? fromCounted(first.resource, x) : quantity(x);
		return { value, shown: first?.resource ? long(first.resource, value) : number(value) };
	};
	const left = first?.lhs ?? first?.left, right = first?.rhs ?? first?.right;
	return h("li", {}, h("p", {}, h("strong", {}, count(rule.count)), ` ${rule.count === 1 ? "job is" : "jobs are"} kept by this: ${rule.message}.`,
		first?.workload ? h("span", { class: "example" }, " As ", workloadLink(first.workload), first.clusterQueue ?? first.queue ? " of " : "",
			first.clusterQueue ?? first.queue ? named(first.clusterQueue ?? first.queue!) : "", ":") : null),
		first && sides && left !== undefined && right !== undefined && first.unit !== "time"
			? inequalityElement({ left: { text: sides.left, ...shown(left) }, relation: sides.relation, right: { text: sides.right, ...shown(right) } })
			: null);
}

function changeText(change: Change): (Node | string)[] {
	const say = (x: Bound): string => change.resource ? short(change.resource, fromCounted(change.resource, x)) : number(quantity(x));
	const field = { nominalQuota: "its quota", borrowingLimit: "its borrowing limit", lendingLimit: "its lending limit", weight: "its weight",
		priority: "its priority", quota: "its quota", limit: "its limit", overQuotaWeight: "its weight", allocatable: "what can be used" }[change.field] ?? change.field;
	const of = change.node?.name ?? change.queue ?? change.machine;
	return [change.workload ? "This job: " : of ? named(of) : "", change.workload || !of ? "" : ": ", field,
		change.resource ? ` of ${change.resource}` : "", ` from ${say(change.from)} to ${say(change.to)}`];
}

function commands(changes: Change[], set: string[] | undefined, job: number | null): string[] {
	const update = changes.find((one) => one.field === "priority");
	return [...(update && job !== null ? [`fairlead update ${job} --priority ${update.to}`] : []),
		...(set?.length ? ["fairlead what-if " + set.map((text) => `--set '${text.replace(/'/g, "'\\''")}'`).join(" ")] : [])];
}

/** Jobs are not changed there, only what queues have. */
function tryLink(set: string[] | undefined): HTMLElement | null {
	return set?.length && set.every((line) => /^(ClusterQueue|Cohort|Queue)\//.test(line))
		? h("p", {}, h("a", { href: routeHash({ view: "what-if", set: set.join("\n") }) }, "Try it on the tree")) : null;
}

function changesCard(e: Explanation, job: number | null): HTMLElement | null {
	const proposals = e.proposals ?? (e.policy === "entitle" ? (e.changes ?? []).map((one) =>
		({ changes: [one], set: one.set, message: one.message ?? "" })) : []);
	if (!proposals.length)
		return null;
	return h("section", {}, h("h3", {}, "The smallest changes, each of which is enough"), h("ol", { class: "proposals" }, ...proposals.map((proposal) =>
		h("li", {}, h("p", {}, ...proposal.changes.flatMap((change, i) => [i ? "; " : "", ...changeText(change)]),
			proposal.message ? `. Then ${proposal.message}.` : "."),
			...commands(proposal.changes, proposal.set, job).map((command) => h("p", { class: "command" }, h("code", {}, command),
				copyButton("Copy", () => command))), tryLink(proposal.set)))));
}

function holders(e: Explanation, model: Model): HTMLElement | null {
	const all = e.holders ?? [], resource = e.failed?.resource ?? "";
	if (!all.length)
		return null;
	const use = (x: Bound | undefined): number => e.policy === "borrow" ? fromCounted(resource, x) : quantity(x);
	const most = Math.max(...all.map((one) => use(one.usage ?? one.allocated)), 1e-9);
	return h("section", {}, h("h3", {}, resource ? `Who holds ${resource} there` : "Who holds it"), h("ul", { class: "holders" }, ...all.slice(0, 12).map((one) => {
		const used = use(one.usage ?? one.allocated), borrowed = one.borrowed === undefined ? 0 : use(one.borrowed), name = one.clusterQueue ?? one.queue ?? "";
		const bar = h("span", { class: "track", "aria-hidden": "true" }, h("i", { class: "own" }), h("i", { class: "borrowed" }));
		const [own, lent] = [...bar.children] as HTMLElement[];
		bar.style.setProperty("--queue", (findNode(model, name) ?? queueOfJob(model, name))?.colour ?? "var(--rest)");
		own!.style.width = `${100 * (used - borrowed) / most}%`;
		lent!.style.width = `${100 * borrowed / most}%`;
		return h("li", {}, queueLink(model, name), bar, h("b", {}, short(resource, used) + (borrowed > 0 ? `, ${short(resource, borrowed)} of it borrowed` : "")),
			h("small", {}, one.workloads === 1 ? "1 job" : `${count(one.workloads)} jobs`));
	}), all.length > 12 ? h("li", {}, `and ${count(all.length - 12)} more queues`) : null));
}

/** The median and the interval on a line from now on. */
export function etaElement(eta: Eta): HTMLElement {
	const start = ms(eta.start), from = ms(eta.from), to = ms(eta.to);
	const parts: (Node | null)[] = [h("p", { class: "eta-says" }, h("strong", {}, `Expected start: ${eta.message}`), ".")];
	if (Number.isFinite(start) && Number.isFinite(from) && Number.isFinite(to)) {
		const begin = Date.now(), end = Math.max(to, begin + 1000) + (to - begin) * 0.05;
		const place = (t: number): string => `${Math.max(0, Math.min(100, 100 * (t - begin) / (end - begin)))}%`;
		const range = h("i", { class: "range-bar" }), dot = h("i", { class: "median" });
		range.style.left = place(from);
		range.style.width = `calc(${place(to)} - ${place(from)})`;
		dot.style.left = place(start);
		parts.push(h("div", { class: "eta-line", role: "img", "aria-label": `between ${exactly(from)} and ${exactly(to)}` }, range, dot),
			h("p", { class: "eta-ends" }, h("span", {}, "now"), h("span", {}, `${shortTime(from)} – ${shortTime(to)}`)));
	}
	if (eta.awaits)
		parts.push(h("p", {}, `It waits for a job of queue `, named(eta.awaits.queue), ` to end, in ${eta.awaits.queueRuns} of ${eta.runs} simulated futures`,
			eta.awaits.workload ? ", most often " : "", eta.awaits.workload ? workloadLink(eta.awaits.workload) : "", "."));
	if (eta.basis.length)
		parts.push(h("details", {}, h("summary", {}, "What this is drawn from"), h("ul", {}, ...eta.basis.map((one) =>
			h("li", {}, `how long ${count(one.workloads)} ${one.workloads === 1 ? "job runs" : "jobs run"}: ${one.meaning}`)))));
	return h("section", { class: "eta" }, ...parts);
}

function ahead(e: Explanation): HTMLElement | null {
	const n = typeof e.ahead === "number" ? e.ahead : e.ahead?.count ?? 0;
	const names = typeof e.ahead === "object" ? e.ahead.workloads?.map((one) => one.workload) ?? e.ahead.first ?? [] : [];
	if (!n)
		return null;
	const shown = names.slice(0, 8);
	return h("p", {}, h("strong", {}, n === 1 ? "1 job is ahead of it in its queue" : `${count(n)} jobs are ahead of it in its queue`),
		shown.length ? ": " : "", ...shown.flatMap((name, i) => [i ? ", " : "", workloadLink(name)]), n > shown.length && shown.length ? ` and ${count(n - shown.length)} more` : "", ".");
}

function evicted(e: Explanation): HTMLElement | null {
	const { preemptedBy: by, lastEviction: last } = e;
	if (!last)
		return null;
	return h("p", {}, "It was evicted ", last.at ? timeElement(last.at) : "", by ? " by " : "", by ? by.job ? workloadLink(String(by.job)) : named(by.workload ?? "another job") : "",
		by?.clusterQueue ? " of queue " : "", by?.clusterQueue ? named(by.clusterQueue) : "", last.message ? `: ${last.message}` : "", ".",
		by?.shares?.length ? ` Shares now: ${by.shares.map((one) => `${number(quantity(one.share.weightedShare))} of \u2068${one.node.name}\u2069`).join(", ")}.` : "");
}

/** `job`: by which the daemon lets it be changed; null: it is a Workload of a cluster. */
export function whyElements(e: Explanation, job: number | null, model: Model): HTMLElement[] {
	const rules = (e.preemption ?? e.eviction)?.refused ?? [], considered = (e.preemption ?? e.eviction)?.considered ?? 0;
	const all: (HTMLElement | null)[] = [
		h("p", { class: "message" }, e.message), evicted(e), ahead(e), ...failedParts(e).map(inequalityElement), e.eta ? etaElement(e.eta) : null,
		holders(e, model),
		rules.length ? h("section", {}, h("h3", {}, `Why none of ${count(considered)} running jobs makes way`),
			h("ul", { class: "rules" }, ...rules.map(ruleElement))) : null,
		changesCard(e, job)];
	return all.filter((one): one is HTMLElement => one !== null);
}
