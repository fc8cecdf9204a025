// SPDX-License-Identifier: Apache-2.0
// headline - a run in a few figures and sentences

import { Child, h } from "./dom";
import { count, duration, hours, percent, within } from "./format";
import { Run } from "./run";

const ENDS: Record<string, string> = {
	"all-done": "It ran until all jobs were done.",
	until: "It ended at the time that was asked for.",
	"no-progress": "It ended because nothing that waited could ever start.",
	stopped: "It was interrupted: the figures are of what was done until then.",
};

function figure(label: string, value: string, note?: string): HTMLElement {
	return h("div", { class: "figure" }, h("dt", {}, label), h("dd", {}, value, note ? h("small", {}, note) : null));
}

export function figures(run: Run): HTMLElement {
	const { totals } = run.report, { wait, fairness } = totals, resource = run.mainResource();
	const used = totals.utilisation[resource], lost = totals.lostHours[resource] ?? 0, all = totals.hours[resource] ?? 0;
	const unit = run.unitOf(resource), arriving = totals.arrivalUtilisation?.[resource];
	const cells: Child[] = [
		figure("Jobs finished", count(totals.finished), totals.jobs ? `of ${count(totals.jobs)}` : undefined),
		used === undefined ? null : figure(`Use of ${resource}`, percent(used),
			arriving === undefined ? hours(all, unit) : `${percent(arriving)} until the last arrival`),
		wait?.n ? figure("Median wait", duration(wait.p50), `nine in ten: ${duration(wait.p90)}`) : null,
		fairness?.jain === undefined ? null : figure("Jain's index", fairness.jain.toFixed(2), "1 is even"),
		fairness?.blockedRatio ? figure("Held of entitled", percent(fairness.blockedRatio.mean), "while something waited") : null,
		figure("Jobs stopped", count(totals.evictions), lost > 0 ? `lost ${hours(lost, unit)}` : "nothing was lost"),
	];
	return h("dl", { class: "figures" }, ...cells);
}

export function sentences(run: Run): HTMLElement {
	const { report } = run, { totals } = report, { wait, fairness } = totals;
	const resource = run.mainResource(), used = totals.utilisation[resource], lost = totals.lostHours[resource] ?? 0;
	const left = [totals.waiting ? `${count(totals.waiting)} still waited` : "", totals.running ? `${count(totals.running)} still ran` : "",
		totals.gaveUp ? `${count(totals.gaveUp)} gave up` : "", totals.excluded ? `${count(totals.excluded)} were left out` : ""].filter(Boolean);
	const text = totals.jobs === 0 ? ["There was no job to run."] : [
		`${count(totals.finished)} of ${count(totals.jobs)} jobs finished within ${duration(report.seconds)}${
			left.length ? `; ${left.join(", ")}` : ""}.`,
		ENDS[report.ended] ?? "",
		used === undefined ? "" : `On average ${percent(used)} of the ${resource} was in use.`,
		wait?.n ? `Half of the jobs started ${within(wait.p50)}, nine in ten ${within(wait.p90)}; one waited ${duration(wait.max)}.` : "",
		totals.evictions ? `${count(totals.evictions)} times a job was stopped before it was done, which cost ${
			hours(lost, run.unitOf(resource))}.` : "No job was stopped before it was done.",
		fairness?.blockedRatio ? `Queues that waited held ${percent(fairness.blockedRatio.mean)} of what they were entitled to.` : "",
	];
	const assumed = report.assumptions ?? [];
	return h("div", { class: "sentences" }, h("p", {}, text.filter(Boolean).join(" ")),
		assumed.length ? h("details", {}, h("summary", {}, "What was assumed"),
			h("ul", {}, ...assumed.map((a) => h("li", {}, h("bdi", {}, a))))) : null);
}
