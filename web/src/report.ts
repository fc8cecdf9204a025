// SPDX-License-Identifier: Apache-2.0
// report - the data that the page is given, as `simulate` and `compare` write it

export type Amounts = Record<string, number>;

/** An absent number is unknown; in a series it is null. */
export type Values = (number | null)[];

export interface Quantiles {
	n: number;
	mean: number;
	p50: number;
	p90: number;
	p99: number;
	max: number;
}

export interface Resource {
	name: string;
	unit: string;
	capacity: number;
}

export interface Fairness {
	jain?: number;
	largestEnvy?: number;
	blockedRatio?: { mean: number; least: number };
	corrections?: { n: number; p50: number; p90: number; max: number };
}

export interface Totals {
	jobs: number;
	finished: number;
	gaveUp: number;
	waiting: number;
	running: number;
	excluded: number;
	starts: number;
	evictions: number;
	cycles: number;
	events: number;
	utilisation: Amounts;
	arrivalUtilisation?: Amounts;
	hours: Amounts;
	lostHours: Amounts;
	wait?: Quantiles | null;
	slowdown?: Quantiles | null;
	recordedWait?: Quantiles | null;
	fairness?: Fairness | null;
}

export interface NodeReport {
	name: string;
	kind: string;
	parent: number | null;
	jobs: number;
	finished: number;
	waiting: number;
	starts: number;
	evictions: number;
	preemptions: number;
	wait?: Quantiles | null;
	slowdown?: Quantiles | null;
	hours?: Amounts;
	lostHours?: Amounts;
	held?: Amounts;
	wanted?: Amounts;
	entitled?: Amounts;
	blockedSeconds?: number;
	ratio?: { mean: number; least: number } | null;
}

export interface ClassReport {
	name: string;
	jobs: number;
	wait?: Quantiles | null;
	largestWait?: { workload: string; seconds: number } | null;
}

export interface NodeSeries {
	node?: number;
	rest?: boolean;
	parent?: number | null;
	held: Record<string, Values>;
	wanted: Record<string, Values>;
	entitled: Record<string, Values>;
	share?: Values;
	waiting?: Values;
}

export interface Series {
	start: number;
	step: number;
	n: number;
	cluster: {
		jain?: Values; // mean over the bucket
		jainLeast?: Values; // least in it
		envy?: Values; // largest in it
		waiting?: Values;
		running?: Values;
		capacity: Record<string, Values>;
		held: Record<string, Values>;
	};
	nodes: NodeSeries[];
}

export interface RunEvent {
	at: number; // seconds since the run began
	kind: string;
	text: string;
}

export interface SimulationReport {
	kind: "SimulationReport";
	name: string;
	policy: string;
	seed: number;
	ended: string;
	start: string;
	seconds: number;
	assumptions?: string[];
	resources: Resource[];
	totals: Totals;
	nodes: NodeReport[];
	classes?: ClassReport[];
	waitEdges?: number[];
	waits?: { node: number; class: number; counts: number[] }[];
	flows?: { from: number | null; to: number; reason: string; count: number; lostHours?: Amounts }[];
	series?: Series;
	events?: RunEvent[];
}

export interface ComparisonReport {
	kind: "ComparisonReport";
	name: string;
	variants: { name: string; report: SimulationReport }[];
	asked?: number;
	sweep?: { parameter: string; unit: string; points: { value: number; variant: number }[] };
}

export type Report = SimulationReport | ComparisonReport;
