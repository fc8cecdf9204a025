// SPDX-License-Identifier: Apache-2.0
// takings - preemptions as events tell them: which job made way for which, by which rule

import { Api, withQuery } from "./api";
import { Jobs, LiveEvent } from "./answers";
import { ms } from "./clock";
import { Model, queueOfJob } from "./model";

export interface Taking {
	id: string;
	at: number; // seconds
	victim: number | null;
	taker: number | null;
	from: string; // the queue that lost; "" where it is not told
	to: string; // the queue that took
	rule: string;
	text: string;
}

const RULES: Record<string, string> = {
	InClusterQueue: "higher priority in the same queue",
	InCohortReclamation: "takes back its own quota that was lent",
	InCohortFairSharing: "has a smaller share than the other queue",
	InCohortReclaimWhileBorrowing: "borrows, and has a higher priority",
};

/** What a rule means; a rule that is not known says its name. */
export function ruleText(rule: string): string {
	return RULES[rule] ?? rule;
}

/** Lines of JSON, as the API gives events that it does not go on with. */
export async function readEvents(api: Api, query: Record<string, string | number | null>): Promise<LiveEvent[]> {
	const text = await (await api.open(withQuery("/v1/events", query))).text();
	return text.split("\n").filter((line) => line).map((line) => JSON.parse(line) as LiveEvent);
}

const TOGETHER = 200; // jobs of which no more than so many numbers apart are asked for at once

/** Knows in which queue a job is: it never becomes another. */
export class QueuesOfJobs {
	private readonly known = new Map<number, string>();

	constructor(private readonly api: Api) {}

	async learn(jobs: readonly (number | null)[]): Promise<void> {
		const unknown = [...new Set(jobs)].filter((job): job is number => job !== null && !this.known.has(job)).sort((a, b) => a - b);
		while (unknown.length) {
			const first = unknown[0]!;
			const { jobs: answer } = await this.api.get<Jobs>(withQuery("/v1/jobs", { after: first - 1, limit: TOGETHER }) + "&state=");
			for (const job of answer)
				this.known.set(job.id, job.queue);
			const last = answer[answer.length - 1]?.id ?? Infinity;
			// One that is in no answer any more has expired, or may not be seen.
			for (; unknown.length && unknown[0]! <= last; unknown.shift())
				if (!this.known.has(unknown[0]!))
					this.known.set(unknown[0]!, "");
		}
	}

	of(job: number | null): string {
		return (job === null ? "" : this.known.get(job)) ?? "";
	}
}

const MOST = 5000;

/** Of a time, the oldest first; `more`: there were others before. */
export async function readTakings(api: Api, queues: QueuesOfJobs, model: Model, from: number, to: number): Promise<{ takings: Taking[]; more: boolean }> {
	const all = await readEvents(api, { kind: "Preempted", since: new Date(from * 1000).toISOString(), limit: MOST });
	const events = all.filter((event) => ms(event.at) <= to * 1000);
	await queues.learn(events.map((event) => event.by));
	const name = (queue: string | null): string => (queue ? queueOfJob(model, queue)?.name ?? queue : "");
	return { more: all.length >= MOST, takings: events.map((event) => ({ id: event.id, at: ms(event.at) / 1000, victim: event.job, taker: event.by,
		from: name(event.queue), to: name(queues.of(event.by)), rule: event.reason ?? "", text: event.text ?? "" })) };
}

export interface Pair {
	key: string;
	from: string;
	to: string;
	count: number;
	rules: Map<string, number>;
	last: Taking;
}

export function pairKey(taking: { from: string; to: string }): string {
	return `${taking.to}\n${taking.from}`;
}

/** Per pair of queues, the most first. */
export function pairsOf(takings: readonly Taking[]): Pair[] {
	const pairs = new Map<string, Pair>();
	for (const taking of takings) {
		const key = pairKey(taking), pair = pairs.get(key) ?? { key, from: taking.from, to: taking.to, count: 0, rules: new Map<string, number>(), last: taking };
		pair.count++;
		pair.rules.set(taking.rule, (pair.rules.get(taking.rule) ?? 0) + 1);
		pair.last = taking;
		pairs.set(key, pair);
	}
	return [...pairs.values()].sort((a, b) => b.count - a.count || (a.key < b.key ? -1 : 1));
}
