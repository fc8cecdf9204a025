// SPDX-License-Identifier: Apache-2.0
// api - requests to the daemon that served the page, with the token of this tab; errors are for people

import { setNow } from "./clock";

const KEPT = "fairlead.token";

/** What was refused, in the daemon's words: what is wrong, and what to do. */
export class Refused extends Error {
	constructor(readonly status: number, text: string, readonly hint: string | null, readonly after: number | null = null) {
		super(text);
	}
}

export interface Answer<T> {
	value: T;
	etag: string | null;
}

export class Api {
	private token: string | null = null;
	/** Called when the token is not valid any more: nothing else is to be asked. */
	ended: (why: Refused) => void = () => undefined;

	constructor() {
		try {
			this.token = sessionStorage.getItem(KEPT);
		} catch {
			// Where nothing is kept, the token is that of the fragment and ends with the page.
		}
	}

	get hasToken(): boolean {
		return this.token !== null;
	}

	/** What has ended is not shown to the daemon again, also not when the page is read anew. */
	private forget(why: Refused): void {
		this.token = null;
		try {
			sessionStorage.removeItem(KEPT);
		} catch {
			// Nothing was kept.
		}
		this.ended(why);
	}

	/** The one-time code of the address becomes a token that this tab alone keeps. */
	async exchange(code: string): Promise<void> {
		const response = await fetch("/v1/page/token", { method: "POST", headers: { "Content-Type": "application/json" },
			body: JSON.stringify({ code }), cache: "no-store" });
		if (!response.ok)
			throw await refusal(response);
		this.token = (await response.json() as { token: string }).token;
		try {
			sessionStorage.setItem(KEPT, this.token);
		} catch {
			// As above.
		}
	}

	/** The response, whatever its status but a refusal; `path` is relative to the origin. */
	async open(path: string, options: RequestInit & { headers?: Record<string, string> } = {}): Promise<Response> {
		const headers: Record<string, string> = { ...options.headers };
		if (this.token)
			headers.Authorization = `Bearer ${this.token}`;
		const response = await fetch(path, { ...options, headers, cache: "no-store" });
		if (response.ok || response.status === 304)
			return response;
		const why = await refusal(response);
		if (response.status === 401)
			this.forget(why);
		throw why;
	}

	async get<T>(path: string, signal?: AbortSignal): Promise<T> {
		return timed(await (await this.open(path, { signal })).json() as T);
	}

	/** A request that is no GET; an answer without a body is null. */
	async send<T>(method: string, path: string, options: RequestInit & { headers?: Record<string, string> } = {}): Promise<Answer<T>> {
		const response = await this.open(path, { ...options, method }), text = await response.text();
		return { value: (text ? JSON.parse(text) : null) as T, etag: response.headers.get("ETag") };
	}

	/** null: nothing has happened since the answer with this tag. */
	async getIfChanged<T>(path: string, etag: string | null): Promise<Answer<T> | null> {
		const response = await this.open(path, { headers: etag ? { "If-None-Match": etag } : {} });
		return response.status === 304 ? null : { value: timed(await response.json() as T), etag: response.headers.get("ETag") };
	}
}

/** Answers tell when they were made: what is told with them is as long ago as it is by the daemon's clock. */
function timed<T>(value: T): T {
	const { now } = value as { now?: unknown };
	if (typeof now === "string")
		setNow(now);
	return value;
}

async function refusal(response: Response): Promise<Refused> {
	const after = Number(response.headers.get("Retry-After")) || null;
	try {
		const problem = await response.json() as { text?: string; detail?: string; hint?: string };
		return new Refused(response.status, problem.text ?? problem.detail ?? `status ${response.status}`, problem.hint ?? null, after);
	} catch {
		return new Refused(response.status, `The daemon answered with status ${response.status}.`, null, after);
	}
}

/** "/v1/jobs?queue=a": without arguments that are empty. */
export function withQuery(path: string, query: Record<string, string | number | boolean | null | undefined>): string {
	const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== "" && value !== false);
	if (!given.length)
		return path;
	return path + "?" + given.map(([key, value]) => `${key}=${encodeURIComponent(value === true ? 1 : value!)}`).join("&");
}

/** What to tell a reader of an error, as one sentence or two. */
export function errorText(error: unknown): string {
	if (error instanceof Refused)
		return error.hint ? `${error.message}: ${error.hint}` : error.message;
	if (error instanceof TypeError)
		return "The daemon does not answer.";
	return error instanceof Error ? error.message : String(error);
}
