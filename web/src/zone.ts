// SPDX-License-Identifier: Apache-2.0
// zone - where moments are told in: UTC in a report, which is read anywhere; the zone of its reader on a page that is live

import { scaleTime, scaleUtc, TimeScale } from "d3-scale";
import { timeFormat, utcFormat } from "d3-time-format";

let readers = false;
const shortName = new Intl.DateTimeFormat("en", { timeZoneName: "short" });

/** From then on; before anything is drawn. */
export function useReadersZone(): void {
	readers = true;
}

export function dateFormat(pattern: string): (date: Date) => string {
	const utc = utcFormat(pattern), local = timeFormat(pattern);
	return (date) => (readers ? local : utc)(date);
}

export function dateScale(): TimeScale {
	return readers ? scaleTime() : scaleUtc();
}

/** "UTC", "GMT+5:30": where it changes in the year, what it is then. */
export function zoneName(date: Date): string {
	return readers ? shortName.formatToParts(date).find((part) => part.type === "timeZoneName")?.value ?? "" : "UTC";
}

export function isMidnight(date: Date): boolean {
	return readers ? date.getHours() === 0 && date.getMinutes() === 0 : date.getUTCHours() === 0 && date.getUTCMinutes() === 0;
}

export function dayOfMonth(date: Date): number {
	return readers ? date.getDate() : date.getUTCDate();
}
