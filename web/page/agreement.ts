// SPDX-License-Identifier: Apache-2.0
// agreement - what GET /v1/agreement answers, as far as the page draws it, and its words

import { Bound } from "./explanation";

export type Side = "real" | "engine" | "placed";
export type Cause = "rule" | "time" | "order" | "unknown";

export interface AgreementRow {
	kind: "admit" | "evict";
	reason?: string;
	real: number;
	realToo: number;
	engine: number;
	engineToo: number;
	ofReal: number | null;
	ofEngine: number | null;
}

export interface AgreementDifference {
	number: number;
	window: number;
	at: string;
	later?: string;
	kind: "admit" | "evict";
	side: Side;
	cause: Cause;
	workload?: string;
	queue?: string;
	real?: string;
	engine?: string;
	said?: string;
	inequality?: { check: string; meaning: string; node?: string; flavor?: string; resource?: string; lhs: Bound; rhs: Bound; holds: boolean };
	kept: boolean;
}

export interface Agreement {
	from: string;
	to: string;
	began: string;
	windowSeconds: number;
	windows: number;
	unjudged: number;
	kinds: AgreementRow[];
	reasons: AgreementRow[];
	differences: AgreementDifference[];
}

export const KINDS = { admit: "admissions", evict: "preemptions" };

export const CAUSES: Record<Cause, { title: string; text: string }> = {
	rule: { title: "another rule", text: "a rule that the scheduler does not follow, or what it has in its memory alone" },
	time: { title: "time", text: "the scheduler decided so later, or the workload ended before it could, or the scheduler was behind" },
	order: { title: "order", text: "the order in which things were heard and decided before" },
	unknown: { title: "not known", text: "to find it took too long" } };

export const SIDES: Record<"admit" | "evict", Record<Side, string>> = {
	admit: { real: "admitted, not by the engine", engine: "admitted only by the engine", placed: "admitted by both, otherwise placed" },
	evict: { real: "preempted, not by the engine", engine: "preempted only by the engine", placed: "preempted by both" } };

/** Rounded down, so that 100 % means all. */
export function partText(part: number | null): string {
	return part === null ? "–" : part === 1 ? "100\u00a0%" : `${(Math.floor(part * 1e4) / 100).toFixed(2)}\u00a0%`;
}

export function agreementSays(a: Agreement): string {
	const decided = a.kinds.reduce((sum, row) => sum + row.real, 0), too = a.kinds.reduce((sum, row) => sum + row.realToo, 0);
	if (!a.windows || !decided)
		return "Nothing was compared in this time: the scheduler decided nothing.";
	const n = a.differences.length;
	return `Of ${decided.toLocaleString("en")} decisions of the scheduler the engine made ${decided === too ? "all" : too.toLocaleString("en")} as well${decided === too ? "" : `, ${partText(too / decided)}`}. ${
		n === 0 ? "There is no difference." : n === 1 ? "There is one difference." : `There are ${n.toLocaleString("en")} differences.`}`;
}
