// SPDX-License-Identifier: Apache-2.0
// slots - the buckets in a window of time, taken together until there are no more than can be seen

import { Values } from "./report";
import { Geometry } from "./run";

export interface Slots {
	first: number; // bucket
	size: number; // buckets in one slot
	count: number;
	time: number[]; // where each begins, and where the last one ends
}

export function slotsOf(g: Geometry, from: number, to: number, most: number): Slots {
	const first = Math.min(g.n - 1, Math.max(0, Math.floor((from - g.start) / g.step + 1e-6)));
	const last = Math.max(first + 1, Math.min(g.n, Math.ceil((to - g.start) / g.step - 1e-6)));
	const size = Math.max(1, Math.ceil((last - first) / Math.max(1, most)));
	const count = Math.ceil((last - first) / size);
	const time: number[] = [];
	for (let i = 0; i < count; i++)
		time.push(g.start + (first + i * size) * g.step);
	time.push(g.start + last * g.step);
	return { first, size, count, time };
}

export type Merge = "mean" | "most" | "least";

/** Of each slot the mean, or an extreme, which stays one; null where nothing of it is known. */
export function merge(values: Values, slots: Slots, how: Merge = "mean"): Values {
	const result: Values = [];
	for (let i = 0; i < slots.count; i++) {
		let sum = 0, n = 0, most = -Infinity, least = Infinity;
		const begin = slots.first + i * slots.size;
		const end = i === slots.count - 1 ? Infinity : begin + slots.size;
		for (let b = begin; b < Math.min(end, begin + slots.size, values.length); b++) {
			const value = values[b];
			if (value !== null && value !== undefined) {
				sum += value;
				n++;
				most = Math.max(most, value);
				least = Math.min(least, value);
			}
		}
		result.push(!n ? null : how === "mean" ? sum / n : how === "most" ? most : least);
	}
	return result;
}

/** The slot that a moment is in, -1 outside. */
export function slotAt(slots: Slots, t: number): number {
	if (t < slots.time[0]! || t > slots.time[slots.count]!)
		return -1;
	let low = 0, high = slots.count - 1;
	while (low < high) {
		const middle = (low + high + 1) >> 1;
		if (slots.time[middle]! <= t)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}
