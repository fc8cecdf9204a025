// SPDX-License-Identifier: Apache-2.0
// amounts - quantities as Kubernetes writes them, as numbers and for people

import { amount, number } from "../src/format";

const scale: Record<string, number> = { n: 1e-9, u: 1e-6, m: 1e-3, "": 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18,
	Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50, Ei: 2 ** 60 };

/** "500m" is 0.5, "4Gi" is 4294967296; "unlimited" is infinite; what is no quantity is not a number. */
export function quantity(text: string | number | null | undefined): number {
	if (typeof text === "number")
		return text;
	if (text === null || text === undefined)
		return NaN;
	if (text === "unlimited" || text === "inf")
		return Infinity;
	const parts = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)([A-Za-z]*)$/.exec(text);
	const unit = parts ? scale[parts[2]!] : undefined;
	return unit === undefined ? NaN : Number(parts![1]) * unit;
}

export function unitOf(resource: string): string {
	return /memory|storage|hugepages/.test(resource) ? "bytes" : "";
}

/** What trees and explanations count: cpu in thousandths. */
export function fromCounted(resource: string, x: number | string | undefined): number {
	const value = quantity(x);
	return resource === "cpu" ? value / 1000 : value;
}

/** An amount without the name of what is counted, for a column that has it: "4.5", "12 GiB", "no limit". */
export function short(resource: string, x: number): string {
	return x === Infinity ? "no limit" : unitOf(resource) ? amount(x, "bytes") : number(x);
}

/** In a sentence: "4.5 cpu", "12 GiB memory". */
export function long(resource: string, x: number): string {
	return `${short(resource, x)}\u00a0${resource}`;
}

/** What a job of a cluster holds, of which it is not told what it asks for. */
export function holds(job: { placement?: { resource: string; amount: string }[] }): Record<string, string> {
	const sums: Record<string, string> = {};
	for (const { resource, amount: text } of job.placement ?? [])
		sums[resource] = resource in sums ? String(quantity(sums[resource]) + quantity(text)) : text;
	return sums;
}

/** What a job asks for: "1 cpu, 512 MiB memory". */
export function asks(requests: Record<string, string> | undefined): string {
	return Object.entries(requests ?? {}).map(([resource, text]) => long(resource, quantity(text))).join(", ");
}
