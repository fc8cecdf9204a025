// SPDX-License-Identifier: Apache-2.0
// store - the live state: events with ids by one stream, which connects again and catches up, and the
// tree, which is read again after events, once for many of them
//
// Listeners are called in an animation frame, so that a burst of events is one task and one drawing.
// A stream that breaks or says nothing makes the state stale; it says since when.

import { Api, Refused, errorText } from "./api";
import { Daemon, LiveEvent, Queues, Tree, WhoAmI } from "./answers";
import { now } from "./clock";
import { EMPTY, makeModel, Model } from "./model";
import { Past } from "./past";
import { EventParser, readText, ServerEvent } from "./stream";

/** "again": a stream has begun after another one. What a view reads by itself, as no event tells of it, it reads anew. */
export type Change = "tree" | "events" | "status" | "again";

export interface Status {
	live: boolean;
	since: number; // by the daemon's clock; of what is stale the last moment that was heard of
	problem: string | null; // why it is not live
}

const QUIET = 45000; // thrice the time after which the daemon sends a keep-alive
const LEAST = 1000; // between two readings of the tree
const SOON = 2000; // from the end of a stream to the next, before the state is stale
const LONGEST = 15000; // between two tries to connect

export class Store {
	/** The tree as it is now. */
	present: Model = EMPTY;
	/** What it was, while the page shows a moment that is over. */
	past: Past | null = null;
	daemon: Daemon | null = null;
	me: WhoAmI | null = null;
	status: Status = { live: false, since: now(), problem: null };
	/** Of the last drawing. */
	events: LiveEvent[] = [];
	/** What happened before is not known any more: whatever was read is read again. */
	lost = false;
	private waiting: LiveEvent[] = [];
	private changed = new Set<Change>();
	private drawing = false;
	private readonly listeners = new Map<Change, Set<() => void>>();
	private lastId: string | null = null;
	private tags: { queues: string | null; tree: string | null } = { queues: null, tree: null };
	private answers: { queues: Queues | null; tree: Tree | null } = { queues: null, tree: null };
	private reading = false;
	private again = false;
	private pause = LEAST;
	private stop: AbortController | null = null;
	private wake: (() => void) | null = null;
	private connected = false;
	private connect_!: () => void;
	/** What the reader may see is known: it was connected once. */
	readonly known = new Promise<void>((done) => { this.connect_ = done; });
	private closed = false;
	private treeRefused = false;
	private late: ReturnType<typeof setTimeout> | undefined;

	constructor(readonly api: Api) {
		// A page that a browser keeps for its back button would keep its stream, too, and there are few for one host.
		window.addEventListener("pagehide", () => this.close());
		for (const [target, name] of [[window, "online"], [document, "visibilitychange"]] as const)
			target.addEventListener(name, () => { if (!document.hidden) this.wake?.(); });
	}

	/** What views are to show. */
	get model(): Model {
		return this.past?.model ?? this.present;
	}

	showPast(past: Past | null): void {
		this.past = past;
		this.tell("tree");
	}

	on(change: Change, listener: () => void): () => void {
		const set = this.listeners.get(change) ?? new Set();
		this.listeners.set(change, set.add(listener));
		return () => void set.delete(listener);
	}

	/** Does not return while there is a token. */
	async run(): Promise<void> {
		for (let failed = 0; !this.closed;) {
			let why = "The daemon ended the stream.";
			try {
				await this.connect(() => {
					failed = 0;
					clearTimeout(this.late);
					this.late = undefined;
				});
			} catch (error) {
				if (error instanceof Refused && error.status === 401)
					return;
				why = errorText(error);
			}
			// A stream ends now and then, as when rights are asked for anew: it is stale where the next does not begin soon.
			if (failed)
				this.stale(why);
			else
				this.late ??= setTimeout(() => this.stale(why), SOON);
			// The first try comes at once: a stream also ends where a daemon is started anew.
			const wait = failed ? Math.min(LONGEST, 500 * 2 ** failed) * (0.75 + Math.random() / 2) : 200;
			failed++;
			await this.sleep(wait);
		}
	}

	close(): void {
		this.closed = true;
		this.stop?.abort();
		this.wake?.();
	}

	private sleep(milliseconds: number): Promise<void> {
		return new Promise<void>((done) => {
			const timer = setTimeout(done, milliseconds);
			this.wake = () => { clearTimeout(timer); done(); };
		}).then(() => { this.wake = null; });
	}

	private async connect(heard: () => void): Promise<void> {
		const headers: Record<string, string> = { Accept: "text/event-stream" };
		if (this.lastId)
			headers["Last-Event-ID"] = this.lastId;
		this.daemon = await this.readDaemon();
		this.me ??= await this.api.get<WhoAmI>("/v1/whoami");
		this.stop = new AbortController();
		const response = await this.api.open("/v1/events", { headers, signal: this.stop.signal });
		const parser = new EventParser();
		// Without an id there is nothing to catch up from: what happened since the last stream was not heard.
		const again = this.connected;
		if (again && !this.lastId) {
			this.lost = true;
			this.tell("events");
		}
		this.connected = true;
		this.connect_();
		this.treeRefused = false;
		this.set({ live: true, since: now(), problem: null });
		// The tree is read after the stream has begun, so that nothing falls between.
		await this.readTree();
		if (again)
			this.tell("again");
		heard();
		await readText(response, (text) => {
			parser.feed(text).forEach((event) => this.take(event));
			this.lastId = parser.lastId ?? this.lastId;
			this.status.since = now();
		}, QUIET);
	}

	get ofCluster(): boolean {
		return this.partial || this.daemon?.watches === "cluster";
	}

	/** The reader sees a part of a cluster: without limits, series and forecasts. */
	get partial(): boolean {
		return this.connected && this.daemon === null;
	}

	/** A caller that sees a part of a cluster may not ask for it. */
	private async readDaemon(): Promise<Daemon | null> {
		try {
			return await this.api.get<Daemon>("/v1/daemon");
		} catch (error) {
			if (error instanceof Refused && error.status === 403)
				return null;
			throw error;
		}
	}

	private take(event: ServerEvent): void {
		if (event.event === "reset") {
			this.lost = true;
			this.tell("events");
		} else {
			this.waiting.push(JSON.parse(event.data) as LiveEvent);
			this.tell("events");
		}
		this.refresh();
	}

	private set(status: Status): void {
		this.status = status;
		this.tell("status");
	}

	private stale(problem: string): void {
		if (this.status.live || this.status.problem !== problem)
			this.set({ live: false, since: this.status.since, problem });
	}

	/** Soon, and once: not more often than the tree can be read in a tenth of the time. */
	refresh(): void {
		if (this.reading) {
			this.again = true;
			return;
		}
		this.reading = true;
		setTimeout(() => {
			void this.readTree().catch(() => undefined).finally(() => {
				this.reading = false;
				if (this.again) {
					this.again = false;
					this.refresh();
				}
			});
		}, this.pause);
	}

	private async readTree(): Promise<void> {
		const begun = performance.now();
		const queues = await this.api.getIfChanged<Queues>("/v1/queues", this.tags.queues);
		if (queues)
			[this.answers.queues, this.tags.queues] = [queues.value, queues.etag];
		try {
			const tree = this.treeRefused ? null : await this.api.getIfChanged<Tree>("/v1/tree?format=json", this.tags.tree);
			if (tree)
				[this.answers.tree, this.tags.tree] = [tree.value, tree.etag];
		} catch (error) {
			if (!(error instanceof Refused) || error.status === 401)
				throw error;
			// Of a caller that sees a part there are no limits; it is not asked again until the next stream.
			this.treeRefused = error.status === 403;
			this.answers.tree = null;
		}
		this.pause = Math.max(LEAST, (performance.now() - begun) * 9);
		if (!this.answers.queues)
			return;
		this.present = makeModel(this.answers.queues, this.answers.tree);
		this.tell("tree");
	}

	private tell(change: Change): void {
		this.changed.add(change);
		if (this.drawing)
			return;
		this.drawing = true;
		// A page that is not seen has no frames; it draws once when it is.
		if (document.hidden)
			setTimeout(() => this.draw(), 1000);
		else
			requestAnimationFrame(() => this.draw());
	}

	private draw(): void {
		const changed = [...this.changed];
		this.drawing = false;
		this.changed.clear();
		this.events = this.waiting;
		this.waiting = [];
		for (const change of changed)
			for (const listener of [...(this.listeners.get(change) ?? [])])
				listener();
		this.lost = false;
	}
}
