// SPDX-License-Identifier: Apache-2.0
// stream - server-sent events over fetch, as EventSource sends no Authorization header

export interface ServerEvent {
	id: string | null;
	event: string;
	data: string;
}

/** Takes the text of a stream in pieces of any size, and gives whole events. */
export class EventParser {
	private rest = "";
	private id: string | null = null;
	private event = "";
	private data: string[] = [];
	/** The last id that was named, also by a keep-alive. */
	lastId: string | null = null;

	feed(text: string): ServerEvent[] {
		const lines = (this.rest + text).split(/\r\n|\n|\r(?!$)/);
		this.rest = lines.pop()!;
		return lines.map((line) => this.line(line)).filter((event): event is ServerEvent => event !== null);
	}

	private line(line: string): ServerEvent | null {
		if (line === "")
			return this.end();
		const colon = line.indexOf(":");
		const field = colon < 0 ? line : line.slice(0, colon);
		const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
		if (field === "id")
			this.lastId = this.id = value;
		else if (field === "event")
			this.event = value;
		else if (field === "data")
			this.data.push(value);
		return null;
	}

	private end(): ServerEvent | null {
		const event = this.data.length ? { id: this.id, event: this.event || "message", data: this.data.join("\n") } : null;
		this.id = null;
		this.event = "";
		this.data = [];
		return event;
	}
}

/** Pieces of text as they come, until the stream ends. `quiet` milliseconds without any are an end, too. */
export async function readText(response: Response, piece: (text: string) => void, quiet: number | null): Promise<void> {
	const reader = response.body!.getReader(), decoder = new TextDecoder();
	for (;;) {
		let timer: ReturnType<typeof setTimeout> | undefined;
		if (quiet !== null)
			timer = setTimeout(() => void reader.cancel().catch(() => undefined), quiet);
		const { done, value } = await reader.read().finally(() => clearTimeout(timer));
		if (done)
			return;
		piece(decoder.decode(value, { stream: true }));
	}
}
