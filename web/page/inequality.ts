// SPDX-License-Identifier: Apache-2.0
// inequality - a comparison that did not hold, as two bars along one scale

import { h } from "../src/dom";

export interface Side {
	text: string;
	value: number;
	shown: string;
}

export interface Inequality {
	left: Side;
	relation: string; // that had to hold: "≤"
	right: Side;
	holds?: boolean; // it does not, unless it says so
}

const SIGNS: Record<string, string> = { "<=": "≤", ">=": "≥", "<": "<", ">": ">" };
const WORDS: Record<string, string> = { "≤": "has to be at most (≤)", "≥": "has to be at least (≥)", "<": "has to be less than (<)", ">": "has to be more than (>)" };

/** "a <= b, where c": the sides of a rule, in its own words. */
export function splitRule(meaning: string): { left: string; relation: string; right: string } | null {
	const parts = /^(.*?) (<=|>=|<|>) (.*)$/.exec(meaning);
	return parts ? { left: parts[1]!, relation: SIGNS[parts[2]!]!, right: parts[3]! } : null;
}

/** The words are complete without the bars. */
export function inequalityElement({ left, relation, right, holds }: Inequality): HTMLElement {
	const most = Math.max(Math.abs(left.value), Math.abs(right.value)) || 1;
	const line = (side: Side, name: string): Node[] => {
		const bar = h("i", { class: name, "aria-hidden": "true" });
		const part = side.value === Infinity ? 1 : Number.isFinite(side.value) ? Math.abs(side.value) / (Number.isFinite(most) ? most : 1) : 0;
		bar.style.width = `${100 * Math.min(1, part)}%`;
		return [h("span", { class: "what" }, side.text), h("span", { class: "track" }, bar), h("b", {}, side.shown)];
	};
	return h("div", { class: "inequality" }, ...line(left, "left"),
		h("span", { class: "relation" }, `${WORDS[relation] ?? `has to be ${relation}`}, and is${holds ? "" : " not"}`), ...line(right, "right"));
}
