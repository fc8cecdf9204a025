// SPDX-License-Identifier: Apache-2.0
// answers - what the daemon's API answers, as far as the page reads it (GET /v1/openapi.json has all)

export interface Daemon {
	version: string;
	policy: Policy;
	now: string;
	startedAt: string;
	problem: string | null;
	warning: string | null;
	watches: "machine" | "cluster";
	host: string;
	role: "observe" | "scheduler" | null;
}

export type Policy = "borrow" | "entitle" | "drf";

export interface WhoAmI {
	user: string;
	role: "none" | "read" | "submit" | "admin";
	expiresAt?: string | null;
	queues?: string[] | null;
}

export interface QueueAnswer {
	name: string;
	kind: "Cohort" | "ClusterQueue" | "LocalQueue" | "Queue";
	namespace?: string;
	parent: string | null;
	weight: number;
	share: number | string | null;
	resources: Record<string, Partial<Record<"nominal" | "usage" | "borrowed" | "lent" | "pending" | "fairShare", string>>>;
	running: number;
	waiting: number;
	held: number;
	conditions: { type?: string; reason?: string; message?: string; text?: string }[];
	submit: string[];
	mayUse: boolean;
}

export interface Queues {
	policy: Policy;
	now: string;
	queues: QueueAnswer[];
	warning?: string;
}

export type Counted = number | "unlimited";

export interface Cell {
	flavor: string;
	resource: string;
	nominal: Counted;
	subtree: Counted;
	borrowingLimit?: Counted;
	lendingLimit?: Counted;
	usage: number;
	borrowed: number;
	lent: number;
	available: Counted;
}

export interface Tree {
	policy: Policy;
	nodes: { kind: string; name: string; parent?: string; inactive?: string; message?: string; quota?: Cell[];
		resources?: { resource: string; deserved?: Counted; limit?: Counted; fairShare?: Counted; allocated?: number }[];
		share?: { weightedShare: string; dominantResource?: string } }[];
}

export interface Job {
	id: number;
	name: string;
	tasks?: number;
	requests?: Record<string, string>;
	placement?: { resource: string; amount: string }[];
	queue: string;
	user: string;
	state: JobState;
	reason: string | null;
	why: string | null;
	priority: number;
	submittedAt: string | null;
	startedAt: string | null;
	endedAt: string | null;
	attempt: number;
	evictions: number;
	ranSeconds: number;
	exit: { kind: string; status: number } | null;
	array: number | null;
	arrayIndex?: number;
}

export type JobState = "held" | "depends" | "waits" | "starts" | "runs" | "stops" | "done" | "failed" | "cancelled" | "damaged";

export interface JobPage extends Job {
	command?: string[];
	directory?: string;
	comment?: string;
	timeLimit?: string;
	after?: { job: number; when: string }[];
	attempts: { attempt: number; from: string; to: string | null; ended: string | null; preemptor: number | null;
		waitedSeconds: number }[];
	waitedSeconds: number;
	lostSeconds: number;
	cpuEfficiency?: number;
	memoryEfficiency?: number;
	peakMemoryBytes?: number;
	now: string;
}

export interface Jobs {
	jobs: Job[];
	more: boolean;
	continue?: string;
	others?: { queue: string | null; jobs: number }[];
	now: string;
}

export interface LiveEvent {
	id: string;
	at: string;
	kind: string;
	job: number | null;
	attempt: number | null;
	queue: string | null;
	reason: string | null;
	by: number | null;
	text: string | null;
}

export interface SeriesRow {
	from: string;
	to: string;
	seconds: number;
	tier: string;
	started: number;
	preempted: number;
	share?: number;
	waitMean?: number;
	resources: Record<string, Record<"held" | "entitled" | "waiting" | "borrowed" | "lent" | "nominal", number>>;
}

export interface Series {
	queue: string;
	step: "hour" | "day" | "month";
	from: string;
	to: string;
	rows: SeriesRow[];
	more?: string;
}

export interface Version {
	version: number;
	at: string | null;
	how: "start" | "reload" | "put" | "restore" | null;
	by: string | null;
	why: string | null;
}

export interface Configuration extends Version {
	kept: "file" | "api";
	text: string;
}

export interface Configured extends Version {
	changed: boolean;
	warnings: string[];
}
