// SPDX-License-Identifier: Apache-2.0
// d3 - the part of d3's modules that the charts use; Debian has the modules without their types

declare module "d3-scale" {
	export interface NumberScale {
		(x: number): number;
		domain(d: readonly number[]): this;
		domain(): number[];
		range(r: readonly number[]): this;
		range(): number[];
		invert(y: number): number;
		ticks(count?: number): number[];
		nice(count?: number): this;
		clamp(on: boolean): this;
	}
	export interface TimeScale {
		domain(d: readonly Date[]): this;
		ticks(count?: number): Date[];
	}
	export function scaleLinear(): NumberScale;
	export function scaleLog(): NumberScale;
	export function scaleTime(): TimeScale;
	export function scaleUtc(): TimeScale;
}

declare module "d3-shape" {
	export interface Curve {
		readonly curve: unique symbol;
	}
	export interface Line {
		(data: readonly number[]): string | null;
		x(f: (d: number, i: number) => number): this;
		y(f: (d: number, i: number) => number): this;
		defined(f: (d: number, i: number) => boolean): this;
		curve(c: Curve): this;
	}
	export interface Area {
		(data: readonly number[]): string | null;
		x(f: (d: number, i: number) => number): this;
		y0(f: (d: number, i: number) => number): this;
		y1(f: (d: number, i: number) => number): this;
		defined(f: (d: number, i: number) => boolean): this;
		curve(c: Curve): this;
	}
	export function line(): Line;
	export function area(): Area;
	export const curveStepAfter: Curve;
}

declare module "d3-time-format" {
	export function timeFormat(format: string): (d: Date) => string;
	export function utcFormat(format: string): (d: Date) => string;
}
