// SPDX-License-Identifier: Apache-2.0
// job_list - jobs of a filter, read in pages as far as they are wanted, and kept as they are now
//
// Of those that are not over the oldest comes first, as that is how they wait; else the newest. What a
// reader sees does not move: a job that leaves the filter stays in its row, with its new state, until
// the list is begun anew, and newer jobs above the first are only counted.

import { Api, Refused, withQuery } from "./api";
import { Job, Jobs, LiveEvent } from "./answers";

export interface JobFilter {
	queue?: string;
	user?: string;
	state?: string; // "": not over
	text?: string;
}

/** What may be asked for, by the word that stands in the address. */
export const STATES: Record<string, { title: string; states: string | null; over: boolean }> = {
	"": { title: "not over", states: null, over: false },
	running: { title: "running", states: "starts,runs,stops", over: false },
	waiting: { title: "waiting", states: "held,depends,waits", over: false },
	over: { title: "over", states: "done,failed,cancelled", over: true },
	failed: { title: "failed", states: "failed", over: true },
	all: { title: "all", states: "", over: true },
};

const PAGE = 500, AHEAD = 300;
const NEARBY = 20; // jobs that came between those in sight

export class JobList {
	/** The same array while it grows. */
	items: Job[] = [];
	more = true;
	newer = 0; // that came after the list was begun, above its first row
	error: unknown = null;
	others = 0; // that the reader may not see
	private wanted = AHEAD;
	private last: number | null = null;
	private place: string | null = null; // where the daemon goes on
	private begun = false;
	private first: number | null = null;
	private loading = false;
	private closed = false;
	private readonly places = new Map<number, number>();
	private readonly touched = new Set<number>();
	private refreshing = false;
	readonly newestFirst: boolean;
	private readonly text: string;

	/** `given`: all jobs of the queue, as they were at a moment; nothing is read then. */
	constructor(private readonly api: Api, private readonly filter: JobFilter, private readonly changed: () => void, private readonly given?: readonly Job[]) {
		this.newestFirst = STATES[filter.state ?? ""]?.over ?? false;
		this.text = (filter.text ?? "").trim().toLowerCase();
		if (given) {
			const states = STATES[filter.state ?? ""]?.states ?? "";
			this.add((this.newestFirst ? [...given] : [...given].reverse()).filter((job) => (!filter.user || job.user === filter.user) &&
				(!states || states.split(",").includes(job.state)) && this.matches(job)));
			this.more = false;
			changed();
		} else {
			void this.load();
		}
	}

	close(): void {
		this.closed = true;
	}

	private query(more: Record<string, string | number | boolean | null>): string {
		return withQuery("/v1/jobs", { queue: this.filter.queue, user: this.filter.user, ...more }) + this.states();
	}

	/** An empty list of states means all; a parameter that is empty would be left out. */
	private states(): string {
		const states = STATES[this.filter.state ?? ""]?.states ?? null;
		return states === null ? "" : `&state=${states}`;
	}

	/** Rows up to this one are in sight. */
	want(to: number): void {
		this.wanted = to + AHEAD;
		if (this.more && !this.loading && this.error === null && this.items.length < this.wanted)
			void this.load();
	}

	private matches(job: Job): boolean {
		return !this.text || [job.name, String(job.id), job.user, job.queue, job.why ?? ""].some((word) =>
			word.toLowerCase().includes(this.text));
	}

	/** A daemon that asks for a pause, or does not answer for a while, is asked again: a list that is read in many pages goes on. */
	private async readPage(path: string): Promise<Jobs> {
		for (;;) {
			try {
				return await this.api.get<Jobs>(path);
			} catch (error) {
				const passes = error instanceof Refused ? error.status === 429 || error.status === 503 : error instanceof TypeError;
				if (!passes || this.closed)
					throw error;
				await new Promise((next) => setTimeout(next, 1000 * ((error instanceof Refused && error.after) || 1)));
			}
		}
	}

	private async load(): Promise<void> {
		this.loading = true;
		try {
			while (!this.closed && this.more && this.items.length < this.wanted) {
				const from: Record<string, string | number | null> = this.place !== null ? { continue: this.place } : { after: this.last };
				const { jobs, more, others, continue: place } = await this.readPage(this.query(
					{ text: this.text, last: this.newestFirst, limit: PAGE, ...from }));
				if (this.closed)
					return;
				// They are counted in the first page alone.
				if (others && !this.begun)
					this.others = others.reduce((sum, one) => sum + one.jobs, 0);
				this.begun = true;
				if (this.newestFirst)
					jobs.reverse();
				this.add(jobs);
				this.more = more;
				this.place = place ?? null;
				this.changed();
			}
		} catch (error) {
			this.error = error;
			this.changed();
		} finally {
			this.loading = false;
		}
	}

	private add(jobs: Job[]): void {
		for (const job of jobs) {
			this.first ??= job.id;
			this.last = job.id;
			this.places.set(job.id, this.items.length);
			this.items.push(job);
		}
	}

	/** New jobs are read where the list ends with the newest, and counted where it begins with them. */
	heard(events: readonly LiveEvent[]): void {
		if (this.given)
			return;
		for (const event of events) {
			if (event.job === null)
				continue;
			if (this.places.has(event.job))
				this.touched.add(event.job);
			else if (event.kind === "Submitted" && !this.newestFirst && event.job > (this.last ?? 0) && !this.more && !this.loading) {
				// All up to it was looked at.
				this.last = event.job - 1;
				this.more = true;
			}
			else if (this.newestFirst && event.job > (this.first ?? 0) && this.enters(event))
				this.newer++;
		}
		if (this.more && !this.loading && this.items.length < this.wanted)
			void this.load();
	}

	private enters(event: LiveEvent): boolean {
		const kind = { all: "Submitted", over: "Finished", failed: "Finished" }[this.filter.state ?? ""];
		return event.kind === kind && (!this.filter.queue || event.queue === this.filter.queue);
	}

	/** Those in sight are read again: all of them in one request, and each one that has left the filter. */
	async refresh(from: number, to: number): Promise<void> {
		const seen = this.items.slice(from, to);
		const live = seen.some((job) => this.touched.has(job.id) || job.endedAt === null);
		if (this.given || this.refreshing || !seen.length || !live)
			return;
		this.refreshing = true;
		try {
			const ids = seen.map((job) => job.id), wanted = new Set(ids);
			const low = Math.min(...ids);
			const { jobs } = await this.api.get<Jobs>(this.query({ text: this.text, after: low - 1, limit: Math.min(PAGE, seen.length + NEARBY) }));
			for (const job of jobs)
				if (wanted.delete(job.id))
					this.put(job);
			for (const id of wanted)
				if (this.touched.has(id) || this.items[this.places.get(id)!]!.endedAt === null)
					this.put(await this.api.get<Job>(`/v1/jobs/${id}`));
			this.changed();
		} catch {
			// The frame says that the daemon does not answer; what is seen stays.
		} finally {
			this.refreshing = false;
		}
	}

	private put(job: Job): void {
		const place = this.places.get(job.id);
		this.touched.delete(job.id);
		if (place !== undefined)
			this.items[place] = job;
	}
}
