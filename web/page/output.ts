// SPDX-License-Identifier: Apache-2.0
// output - what a job writes, as it writes it: the last part of it, which follows while the reader is at its end

import { h } from "../src/dom";
import { Api, errorText, Refused } from "./api";
import { setText } from "./keyed";
import { readText } from "./stream";

const TAIL = 64 * 1024, KEPT = 512 * 1024, AGAIN = 1000;

export class Output {
	readonly element: HTMLElement;
	private readonly text = h("pre", { class: "output", tabindex: 0, "aria-label": "Output of the job" });
	private readonly says = h("p", { class: "says" });
	private readonly stop = new AbortController();
	private waiting = "";
	private drawing = false;
	private kept = 0;
	private closed = false;

	/** `state`: which attempt is the last, and whether there can be no other. */
	constructor(private readonly api: Api, private readonly job: number, private readonly state: () => { over: boolean; attempt: number }) {
		this.element = h("div", {}, this.says, this.text);
		window.addEventListener("pagehide", () => this.close(), { signal: this.stop.signal });
		void this.run();
	}

	close(): void {
		this.closed = true;
		this.stop.abort();
	}

	/** A stream ends with its attempt; another attempt is another stream, and a broken one is read anew. */
	private async run(): Promise<void> {
		for (let done = 0; !this.closed; await new Promise((next) => setTimeout(next, AGAIN))) {
			const { over, attempt } = this.state();
			if (done === attempt && !over)
				continue;
			if (done === attempt)
				return setText(this.says, this.kept || this.waiting ? "This is the end of it." : "It has written nothing.");
			try {
				const response = await this.api.open(`/v1/jobs/${this.job}/log?stream=both&attempt=${attempt}&tail=${TAIL}&follow=1`, { signal: this.stop.signal });
				this.begin(attempt);
				await readText(response, (piece) => this.add(piece), null);
				done = attempt;
				setText(this.says, "This attempt has ended.");
			} catch (error) {
				if (!this.closed)
					setText(this.says, errorText(error));
				if (error instanceof Refused)
					return;
			}
		}
	}

	private begin(attempt: number): void {
		this.waiting = "";
		this.kept = 0;
		this.text.replaceChildren();
		setText(this.says, attempt > 1 ? `Attempt ${attempt}.` : "");
	}

	private add(piece: string): void {
		this.waiting += piece;
		if (this.waiting.length > KEPT)
			this.waiting = this.waiting.slice(-KEPT);
		if (this.drawing)
			return;
		this.drawing = true;
		requestAnimationFrame(() => this.draw());
	}

	private draw(): void {
		const atEnd = this.text.scrollHeight - this.text.scrollTop - this.text.clientHeight < 40;
		this.drawing = false;
		this.text.append(this.waiting);
		this.kept += this.waiting.length;
		this.waiting = "";
		while (this.kept > KEPT && this.text.childNodes.length > 1) {
			this.kept -= this.text.firstChild!.textContent!.length;
			this.text.firstChild!.remove();
		}
		if (atEnd)
			this.text.scrollTop = this.text.scrollHeight;
	}
}
