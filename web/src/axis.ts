// SPDX-License-Identifier: Apache-2.0
// axis - common axes of row plots: amounts from 0, durations by decades

import { scaleLinear } from "d3-scale";
import { duration } from "./format";
import { RowAxis } from "./row_plot";

export function linearAxis(most: number, format: (x: number) => string, count = 5, reference?: number): RowAxis {
	const x = scaleLinear().domain([0, most || 1]).nice(count).range([0, 1]).clamp(true);
	return { x, ticks: x.ticks(count).map((at) => ({ at, text: format(at) })), reference };
}

const marks = [1, 10, 60, 600, 3600, 6 * 3600, 86400, 7 * 86400, 30 * 86400, 365 * 86400];

/** From a second (all below it stands there) to `most`, by the logarithm. */
export function durationAxis(most: number): RowAxis {
	const top = Math.max(60, most * 1.1);
	const x = (v: number): number => Math.log(Math.max(1, Math.min(v, top))) / Math.log(top);
	return { x, ticks: marks.filter((m) => m <= top).map((at) => ({ at, text: at === 1 ? "≤ 1\u00a0s" : duration(at) })) };
}

const round = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400,
	172800, 432000, 864000, 1728000, 4320000, 8640000];

/** Where a linear axis of durations has its marks: at round numbers of minutes, hours or days. */
export function durationTicks(from: number, to: number, most: number): number[] {
	const step = round.find((r) => (to - from) / r <= most) ?? to - from;
	const ticks: number[] = [];
	for (let i = Math.ceil(from / step); i * step <= to; i++)
		ticks.push(i * step);
	return ticks;
}
