// SPDX-License-Identifier: Apache-2.0
// past - what queues held in windows of time, from the tiers of the daemon's store; and one moment of it

import { Geometry } from "../src/run";
import { Values } from "../src/report";
import { Job, JobPage, Jobs } from "./answers";
import { Api, Refused, withQuery } from "./api";
import { ms } from "./clock";
import { Held, Model, nothing, queueOfJob, QueueNode } from "./model";

export interface HistoryPart {
	unitSeconds: number;
	dueUnitSeconds?: number;
	wantedUnitSeconds?: number;
}

export interface History {
	from: string;
	to: string;
	tier: string;
	errorSeconds: number;
	queues: { name: string; kind: string; had: Record<string, HistoryPart>; jobs: number; preempted: number }[];
	gaps?: { from: string; to: string; why: string }[];
}

/** A moment that is over: the tree, and which jobs there were. */
export interface Past {
	at: number; // seconds
	tier: string; // what it is known from
	model: Model;
	jobs: Job[] | null; // null: not read yet, or not to be had
	partly: boolean; // older jobs were not looked at
}

const iso = (seconds: number): string => new Date(Math.round(seconds * 1000)).toISOString();

const TRIES = 10, PAUSE = 300; // milliseconds

/** The daemon reads its store for few at once, lets each ask so often in a while, and others have pages, too. */
async function patiently<T>(ask: () => Promise<T>): Promise<T> {
	for (let i = 1;; i++) {
		try {
			return await ask();
		} catch (error) {
			if (!(error instanceof Refused) || (error.status !== 503 && error.status !== 429) || i === TRIES)
				throw error;
			const wait = error.after && error.status === 429 ? 1000 * error.after : PAUSE * i * (0.5 + Math.random());
			await new Promise((done) => setTimeout(done, wait));
		}
	}
}

let before: Promise<unknown> = Promise.resolve();

/** One after the other, whoever asks. */
export function readHistory(api: Api, from: number, to: number): Promise<History> {
	const mine = before.then(() => patiently(() => api.get<History>(withQuery("/v1/history", { from: iso(from), to: iso(to) }))));
	before = mine.catch(() => undefined);
	return mine;
}

const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800,
	1209600, 2592000];
const SETTLED = 60; // seconds after which a window does not change any more

/** Windows of one length that cover a time: no more of them than can be read soon. */
export function windowsOf(from: number, to: number, nodes: number): Geometry {
	const most = Math.max(12, Math.min(60, Math.floor(8000 / Math.max(1, nodes))));
	const step = STEPS.find((one) => (to - from) / one <= most) ?? Math.ceil((to - from) / most);
	const start = Math.floor(from / step) * step;
	return { start, step, n: Math.max(1, Math.ceil((to - start) / step)) };
}

/** Reads windows, each once: what is over is kept. */
export class Windows {
	private readonly kept = new Map<string, History>();

	constructor(private readonly api: Api) {}

	async read({ start, step, n }: Geometry, now: number, going: () => boolean): Promise<(History | null)[]> {
		const answers = Array<History | null>(n).fill(null);
		for (let i = 0; i < n && going(); i++) {
			const from = start + i * step, to = from + step, key = `${from} ${to}`;
			if (from >= now)
				break;
			answers[i] = this.kept.get(key) ?? await readHistory(this.api, from, Math.min(to, now));
			if (to < now - SETTLED)
				this.kept.set(key, answers[i]!);
		}
		return answers;
	}
}

export type What = "held" | "entitled" | "wanted";

const FIELDS = { held: "unitSeconds", entitled: "dueUnitSeconds", wanted: "wantedUnitSeconds" } as const;

/** Means of each window, by the key of a node. */
export function seriesOf(windows: readonly (History | null)[], resource: string, what: What): Map<string, Values> {
	const of = new Map<string, Values>();
	windows.forEach((window, i) => {
		const seconds = window ? (ms(window.to) - ms(window.from)) / 1000 : 0;
		for (const queue of seconds > 0 ? window!.queues : []) {
			const key = `${queue.kind}/${queue.name}`, amount = queue.had[resource]?.[FIELDS[what]];
			let values = of.get(key);
			if (!values)
				of.set(key, values = Array<number | null>(windows.length).fill(null));
			// A resource that nobody held nor wanted is not in the answer.
			values[i] = amount === undefined ? queue.had[resource] ? null : 0 : amount / seconds;
		}
	});
	return of;
}

/** The tree with what was held and wanted then; its shape, quotas and weights are the present ones. */
export function modelAt(present: Model, history: History, jobs: readonly Job[] | null): Model {
	const seconds = Math.max(1e-3, (ms(history.to) - ms(history.from)) / 1000);
	const nodes = new Map<string, QueueNode>();
	for (const node of present.nodes.values())
		nodes.set(node.key, { ...node, children: [], parent: null, share: NaN, notes: [], cells: [], heldJobs: 0,
			held: new Map(), running: jobs ? 0 : NaN, waiting: jobs ? 0 : NaN });
	for (const queue of history.queues) {
		const node = nodes.get(`${queue.kind}/${queue.name}`), now = present.nodes.get(`${queue.kind}/${queue.name}`);
		for (const resource of node ? present.resources : []) {
			const { unitSeconds = 0, dueUnitSeconds, wantedUnitSeconds = 0 } = queue.had[resource] ?? {};
			const quota = now!.held.get(resource)?.quota ?? 0, used = unitSeconds / seconds;
			const held: Held = { ...nothing, quota, used, borrowed: Math.max(0, used - quota),
				pending: Math.max(0, wantedUnitSeconds / seconds - used), entitled: (dueUnitSeconds ?? NaN) / seconds };
			node!.held.set(resource, held);
		}
	}
	const roots: QueueNode[] = [];
	for (const node of nodes.values()) {
		const above = present.nodes.get(node.key)!.parent;
		node.parent = above ? nodes.get(above.key) ?? null : null;
		(node.parent ? node.parent.children : roots).push(node);
	}
	const byJobs = new Map([...present.byJobs].map(([name, node]) => [name, nodes.get(node.key)!] as const));
	const model: Model = { ...present, nodes, byJobs, roots };
	const queues = new Map<string, QueueNode | undefined>();
	for (const job of jobs ?? []) {
		if (!queues.has(job.queue))
			queues.set(job.queue, queueOfJob(model, job.queue));
		for (let node = queues.get(job.queue) ?? null; node; node = node.parent)
			node[job.state === "runs" ? "running" : "waiting"]++;
	}
	return model;
}

const PAGE = 500, PAGES = 40, ATTEMPTS = 300;

/** Jobs that were there at a moment, the newest first, each in its state of then. */
export async function jobsAt(api: Api, at: number, going: () => boolean): Promise<{ jobs: Job[]; partly: boolean }> {
	const moment = at * 1000, jobs: Job[] = [];
	let place: string | undefined, partly = true;
	for (let page = 0; page < PAGES && going(); page++) {
		const path = withQuery("/v1/jobs", { at: iso(at), last: true, continue: place, limit: PAGE }) + "&state=";
		const answer: Jobs = await patiently(() => api.get<Jobs>(path));
		for (const job of [...answer.jobs].reverse())
			jobs.push(then(job, moment));
		place = answer.continue;
		if (!place) {
			partly = false;
			break;
		}
	}
	// Of a job that ran more than once only its own page has all attempts.
	const unsure = jobs.filter((job) => job.evictions > 0 && !(ms(job.startedAt) <= moment)).slice(0, ATTEMPTS);
	for (const job of going() ? unsure : []) {
		const { attempts } = await patiently(() => api.get<JobPage>(`/v1/jobs/${job.id}`));
		const one = attempts.find(({ from, to }) => ms(from) <= moment && !(ms(to) <= moment));
		job.state = one ? "runs" : "waits";
		job.startedAt = one ? one.from : null;
	}
	return { jobs, partly };
}

function then(job: Job, moment: number): Job {
	return { ...job, state: ms(job.startedAt) <= moment ? "runs" : "waits", endedAt: null, exit: null, why: null, reason: null };
}
