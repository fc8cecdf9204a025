// SPDX-License-Identifier: Apache-2.0
// format - numbers, amounts, durations and moments for people

import { dateFormat, zoneName } from "./zone";

const gap = "\u00a0";

function digits(x: number): string {
	const size = Math.abs(x);
	const places = size === 0 || size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : size >= 0.01 ? 3 : 4;
	const text = x.toFixed(places);
	return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

function scaled(x: number, base: number, names: string[]): string {
	let i = 0;
	while (Math.abs(x) >= base * 0.9995 && i < names.length - 1) {
		x /= base;
		i++;
	}
	return digits(x) + (names[i] ? gap + names[i] : "");
}

/** 1,234 as "1.23 k". */
export function number(x: number): string {
	if (!Number.isFinite(x))
		return "–";
	return scaled(x, 1000, ["", "k", "M", "G", "T", "P"]);
}

/** Whole things, to the last one. */
export function count(x: number): string {
	return Math.round(x).toLocaleString("en");
}

export function amount(x: number, unit: string): string {
	if (unit === "bytes")
		return scaled(x, 1024, ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]);
	return number(x) + (unit ? gap + unit : "");
}

/** What an axis may say once; of bytes each tick has its own. */
export function axisUnit(unit: string): string | undefined {
	return unit === "bytes" ? undefined : unit || undefined;
}

/** Resource-hours: "1.2 k core-hours". */
export function hours(x: number, unit: string): string {
	if (unit === "bytes")
		return amount(x, unit) + "-hours";
	const one = unit.replace(/s$/, "");
	return number(x) + gap + (one ? one + "-hours" : "hours");
}

export function percent(x: number): string {
	if (!Number.isFinite(x))
		return "–";
	const p = x * 100;
	return (Math.abs(p) >= 10 || p === 0 ? p.toFixed(0) : digits(Number(p.toPrecision(2)))) + gap + "%";
}

const steps: [string, number][] = [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]];

/** The two largest units: "3 d 4 h", "12 min", "0.35 s". */
export function duration(seconds: number): string {
	if (!Number.isFinite(seconds))
		return "–";
	const sign = seconds < 0 ? "−" : "";
	const x = Math.abs(seconds);
	if (x < 60)
		return sign + digits(x) + gap + "s";
	for (let i = 0; i < steps.length - 1; i++) {
		const [unit, size] = steps[i]!, [below, small] = steps[i + 1]!;
		const rounded = Math.round(x / small) * small;
		if (rounded < size)
			continue;
		const whole = Math.floor(rounded / size), rest = Math.round((rounded - whole * size) / small);
		if (whole >= 30 || !rest)
			return sign + count(x / size) + gap + unit;
		return `${sign}${whole}${gap}${unit} ${rest}${gap}${below}`;
	}
	return sign + digits(x) + gap + "s";
}

/** A wait in a sentence: "within 3 h", "at once". */
export function within(seconds: number): string {
	return seconds < 0.5 ? "at once" : `within ${duration(seconds)}`;
}

/** Runs of made-up workloads begin at the epoch: their moments are counted from the start. */
export function isRelative(start: number): boolean {
	return start < 1e8;
}

const minute = dateFormat("%Y-%m-%d %H:%M"), second = dateFormat("%Y-%m-%d %H:%M:%S");

export function moment(t: number, start: number, step: number): string {
	if (isRelative(start))
		return duration(t - start) + " after the start";
	const date = new Date(t * 1000);
	return `${(step < 60 ? second : minute)(date)} ${zoneName(date)}`;
}

/** A parameter of a sweep. */
export function parameter(value: number, unit: string): string {
	return unit === "seconds" ? duration(value) : amount(value, unit);
}
