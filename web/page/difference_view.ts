// SPDX-License-Identifier: Apache-2.0
// difference_view - what a change would do, in words first: who would run, who would make way, shares, waits

import { h, named, swatch } from "../src/dom";
import { count, number } from "../src/format";
import { fromCounted, quantity, short } from "./amounts";
import { CellSide, ChangedNode, Difference, End, Moved } from "./difference";
import { Bound } from "./explanation";
import { findNode, Model, queueOfJob } from "./model";
import { routeHash } from "./route";
import { ruleText } from "./takings";
import { workloadLink } from "./why";

const SHOWN = 12;

const jobs = (n: number): string => n === 1 ? "1 job" : `${count(n)} jobs`;

function ends(side: End): string {
	return side.loop ? `never settles: from cycle ${side.loop.firstCycle} on the same ${jobs(side.loop.workloads.length)} come and go again every ${side.loop.period} cycles` : "does not settle within what was looked at";
}

export function differenceSays(d: Difference): string {
	const { before, after } = d;
	if (!d.different)
		return "It would change nothing: the same jobs would run, with the same shares.";
	const lost = d.preempted.length + d.noLongerAdmitted.filter((one) => !d.preempted.some((other) => other.workload === one.workload)).length;
	const than = (is: number, was: number): string => is === was ? ", as without it" : ` instead of ${count(was)}`;
	if (after.admitted === before.admitted && after.waiting === before.waiting && !lost && after.settled && before.settled)
		return `As many jobs would run and wait as without it: ${count(after.admitted)} and ${count(after.waiting)}. No job would make way for it.`;
	return [`With it ${jobs(after.admitted)} would run${than(after.admitted, before.admitted)}, and ${count(after.waiting)} would wait${than(after.waiting, before.waiting)}.`,
		lost ? `${lost === 1 ? "1 job would make way" : `${count(lost)} jobs would make way`} for it.` : "No job would make way for it.",
		after.settled ? "" : `With it the state ${ends(after)}.`, before.settled || !after.settled ? "" : `Without it the state ${ends(before)}.`].filter((text) => text).join(" ");
}

function figures(d: Difference): HTMLElement {
	const figure = (title: string, was: number, is: number): Node => h("div", { class: "figure" }, h("dt", {}, title),
		h("dd", {}, count(is), h("small", {}, is === was ? "the same without it" : `${is > was ? "+" : "−"}${count(Math.abs(is - was))}: ${count(was)} without it`)));
	return h("dl", { class: "figures" }, figure("would run", d.before.admitted, d.after.admitted), figure("would wait", d.before.waiting, d.after.waiting),
		figure("would be preempted", d.before.evicted, d.after.evicted));
}

function queueElement(model: Model, name: string): HTMLElement {
	const node = queueOfJob(model, name);
	return node ? h("a", { class: "queue-link", href: routeHash({ view: "queue", queue: node.name }) }, swatch(node.colour), named(name)) : named(name);
}

function group(title: string, rows: readonly Moved[], model: Model, detail: (row: Moved) => (Node | string | null)[]): HTMLElement | null {
	if (!rows.length)
		return null;
	const list = h("ul", { class: "moved" });
	const fill = (most: number): void => list.replaceChildren(...rows.slice(0, most).map((row) => h("li", {}, workloadLink(row.workload), " of ",
		queueElement(model, row.clusterQueue ?? row.queue ?? ""), ...detail(row))), rows.length > most
		? h("li", {}, h("button", { type: "button", class: "small", click: () => fill(rows.length) }, `Show all ${count(rows.length)}`)) : "");
	fill(SHOWN);
	return h("section", {}, h("h3", {}, title, h("small", { class: "quiet" }, ` ${count(rows.length)}`)), list);
}

function reasons(row: Moved): (Node | string | null)[] {
	const { before, after } = row;
	return [after?.message ?? after?.reason ? h("span", { class: "detail" }, `It ${after?.message ?? after?.reason ?? ""}.`) : null,
		before?.message ? h("span", { class: "detail quiet" }, `Without the change it ${before.message}.`) : null];
}

function twoBars(was: number, is: number, most: number, text: [string, string], colour: string): HTMLElement {
	const line = (name: string, value: number, shown: string): Node[] => {
		const bar = h("i", { "aria-hidden": "true", class: name });
		bar.style.width = `${100 * Math.min(1, (Number.isFinite(value) ? Math.abs(value) : most) / (most || 1))}%`;
		return [h("span", { class: "what" }, name), h("span", { class: "track" }, bar), h("b", {}, shown)];
	};
	const element = h("div", { class: "two-bars" }, ...line("now", was, text[0]), ...line("then", is, text[1]));
	element.style.setProperty("--queue", colour);
	return element;
}

const precise = (share: { weightedShare: string; precise: string } | undefined): number => quantity(share?.precise ?? share?.weightedShare);

function cellText(resource: string, before: CellSide | undefined, after: CellSide | undefined): string {
	const say = (x: Bound | undefined): string => x === undefined ? "no limit" : short(resource, fromCounted(resource, x));
	return ([["quota", "nominal"], ["borrows at most", "borrowingLimit"], ["lends at most", "lendingLimit"], ["uses", "usage"], ["borrows", "borrowed"]] as const)
		.filter(([, key]) => (before?.[key] ?? null) !== (after?.[key] ?? null)).map(([name, key]) => `${name} ${say(before?.[key])} → ${say(after?.[key])}`).join(", ");
}

function standing(node: ChangedNode): string[] {
	const all: string[] = [];
	for (const [name, key] of [["fair share", "fairShare"], ["holds", "allocated"]] as const)
		for (const resource of new Set([...Object.keys(node.before?.[key] ?? {}), ...Object.keys(node.after?.[key] ?? {})])) {
			const was = node.before?.[key]?.[resource] ?? 0, is = node.after?.[key]?.[resource] ?? 0;
			if (was !== is)
				all.push(`${resource}: ${name} ${short(resource, quantity(was))} → ${short(resource, quantity(is))}`);
		}
	return all;
}

function shares(d: Difference, model: Model): HTMLElement | null {
	if (!d.nodes.length)
		return null;
	const share = (node: ChangedNode): [number, number] => [precise(node.share?.before), precise(node.share?.after)];
	const most = Math.max(...d.nodes.flatMap(share).filter((x) => Number.isFinite(x)), 0);
	const list = h("ul", { class: "changed-nodes" });
	const row = (node: ChangedNode): HTMLElement => {
		const [was, is] = share(node), known = findNode(model, node.name, node.kind ?? "Queue");
		const say = (x: number): string => Number.isNaN(x) ? "–" : x === Infinity ? "∞" : number(x);
		const texts = [...(node.quota ?? []).map((cell) => [`${cell.resource}${d.nodes.some((one) => one.quota?.some((other) => other.flavor !== cell.flavor)) ? ` of ${cell.flavor}` : ""}: `,
			cellText(cell.resource, cell.before, cell.after)].join("")), ...standing(node)];
		return h("li", {}, h("p", {}, known ? h("a", { class: "queue-link", href: routeHash({ view: "queue", queue: node.name, kind: node.kind === "Cohort" ? "Cohort" : null }) },
			swatch(known.colour), named(node.name)) : named(node.name), node.change ? ` is ${node.change}` : node.kind === "Cohort" ? h("small", { class: "quiet" }, " cohort") : ""),
			was !== is && !(Number.isNaN(was) && Number.isNaN(is)) ? h("div", {}, h("small", { class: "quiet" }, "share"), twoBars(was, is, most, [say(was), say(is)], known?.colour ?? "var(--rest)")) : null,
			...texts.map((text) => h("span", { class: "detail" }, text)));
	};
	const fill = (n: number): void => list.replaceChildren(...d.nodes.slice(0, n).map(row), d.nodes.length > n
		? h("li", {}, h("button", { type: "button", class: "small", click: () => fill(d.nodes.length) }, `Show all ${count(d.nodes.length)}`)) : "");
	fill(SHOWN);
	return h("section", {}, h("h3", {}, "Shares, quota and use", h("small", { class: "quiet" }, ` ${count(d.nodes.length)}`)), list);
}

export function differenceElements(d: Difference, model: Model): HTMLElement[] {
	const by = (row: Moved): (Node | string | null)[] => {
		const other = row.preemptor ?? row.reclaimer;
		return [other ? " by " : "", other ? workloadLink(other) : null, row.reason ? h("span", { class: "detail quiet", title: row.reason }, ruleText(row.reason)) : null];
	};
	const message = (row: Moved): (Node | string | null)[] => [row.message ? h("span", { class: "detail" }, `It ${row.message}.`) : null];
	const notes = [...(d.warnings ?? []), ...d.assumptions];
	const all: (HTMLElement | null)[] = [h("p", { class: "message" }, differenceSays(d)), d.different ? figures(d) : null,
		group("Would make way", d.preempted, model, by), group("Would run", d.admitted, model, () => []),
		group(d.preempted.length ? "Would not run any more, either" : "Would not run any more", d.noLongerAdmitted.filter((one) => !d.preempted.some((other) => other.workload === one.workload)), model, message), group("Would not be preempted any more", d.noLongerPreempted, model, by),
		group("Would run otherwise: elsewhere, or in other flavors", d.moved, model, () => []), group("Would wait for another reason", d.waiting, model, reasons),
		group("Would neither wait nor run", d.noLongerWaiting, model, message), shares(d, model),
		h("details", {}, h("summary", {}, "What this is drawn from"), h("p", {}, "The state as it is now goes on, with the change and without it, until nothing would change any more. Meanwhile no job ends and none comes."),
			notes.length ? h("ul", {}, ...notes.map((text) => h("li", {}, h("bdi", {}, text)))) : null)];
	return all.filter((one): one is HTMLElement => one !== null);
}
