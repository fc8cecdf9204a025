// SPDX-License-Identifier: Apache-2.0
// clock - moments in the reader's zone: how long ago, and exactly when the pointer rests on it

import { h } from "../src/dom";
import { duration } from "../src/format";

const exact = new Intl.DateTimeFormat("en", { year: "numeric", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit",
	second: "2-digit", hour12: false, timeZoneName: "short" });
const clock = new Intl.DateTimeFormat("en", { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });
const day = new Intl.DateTimeFormat("en", { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", hour12: false });

let ahead = 0; // of the daemon's clock, in milliseconds

/** The daemon's clock counts, as its moments are told by it. */
export function setNow(text: string): void {
	ahead = Date.parse(text) - Date.now();
}

export function now(): number {
	return Date.now() + ahead;
}

export function ms(text: string | null | undefined): number {
	return text ? Date.parse(text) : NaN;
}

export function exactly(at: number): string {
	return Number.isFinite(at) ? exact.format(at) : "";
}

/** "14:03:20" of today, "Nov 3, 14:03" of other days. */
export function short(at: number): string {
	return Math.abs(at - now()) < 20 * 3600e3 ? clock.format(at) : day.format(at);
}

/** "3 min ago", "in 2 h": one unit, which is enough for a list and does not change with every second. */
export function ago(at: number): string {
	const seconds = (now() - at) / 1000, size = Math.abs(seconds);
	if (size < 1)
		return "now";
	const unit = size < 60 ? 1 : size < 3600 ? 60 : size < 2 * 86400 ? 3600 : 86400;
	const text = duration(Math.floor(size / unit) * unit);
	return seconds < 0 ? `in ${text}` : `${text} ago`;
}

/** An element that says how long ago, and on hover when; `refreshTimes` keeps it true. */
export function timeElement(text: string | null | undefined, say: (at: number) => string = ago): HTMLElement {
	const at = ms(text);
	if (!Number.isFinite(at))
		return h("span", {}, "–");
	const element = h("time", { datetime: text!, title: exactly(at) }, say(at));
	if (say === ago)
		element.dataset.ago = String(at);
	return element;
}

/** Writes only what has become another text. */
export function refreshTimes(root: ParentNode): void {
	for (const element of root.querySelectorAll<HTMLElement>("time[data-ago]")) {
		const text = ago(Number(element.dataset.ago));
		if (element.textContent !== text)
			element.textContent = text;
	}
}
