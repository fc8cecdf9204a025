// SPDX-License-Identifier: Apache-2.0
// time_axis - ticks of a time axis: dates for a run with a calendar, durations for one without

import { duration, isRelative } from "./format";
import { dateFormat, dateScale, dayOfMonth, isMidnight } from "./zone";

export interface Tick {
	t: number;
	text: string;
}

const day = dateFormat("%-d %b"), month = dateFormat("%b %Y"), clock = dateFormat("%H:%M"), second = dateFormat("%H:%M:%S");
const spans = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400,
	172800, 432000, 604800, 1209600, 2592000, 5184000, 7776000, 15552000, 31536000];

function dateText(date: Date, span: number): string {
	if (date.getTime() % 60000)
		return second(date);
	if (!isMidnight(date))
		return clock(date);
	return dayOfMonth(date) === 1 && span > 40 * 86400 ? month(date) : day(date);
}

export function timeTicks(from: number, to: number, start: number, count: number): Tick[] {
	const dates = !isRelative(start);
	if (dates)
		return dateScale().domain([new Date(from * 1000), new Date(to * 1000)]).ticks(count)
			.map((date) => ({ t: date.getTime() / 1000, text: dateText(date, to - from) }));
	const step = spans.find((s) => (to - from) / s <= count) ?? Math.ceil((to - from) / count);
	const ticks: Tick[] = [];
	for (let i = Math.ceil((from - start) / step - 1e-9); start + i * step <= to + 1e-9; i++)
		ticks.push({ t: start + i * step, text: duration(Math.round(i * step * 1000) / 1000) });
	return ticks;
}
