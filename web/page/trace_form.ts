// SPDX-License-Identifier: Apache-2.0
// trace_form - a log of jobs from the reader's disk, and the queue that its jobs go to

import { h } from "../src/dom";
import { Model } from "./model";

// The compiler that Debian has does not know it yet; browsers do.
declare const DecompressionStream: new (format: "gzip") => ReadableWritablePair<Uint8Array, Uint8Array>;

export class TraceForm {
	readonly element: HTMLElement;
	private readonly file = h("input", { type: "file", accept: ".swf,.txt,.gz", "aria-label": "Trace" });
	private readonly queue = h("select", { "aria-label": "Queue of its jobs" });
	private readonly button = h("button", { type: "submit", class: "primary" }, "Simulate the trace");

	/** `begin`: sends the log to be simulated with its jobs in the queue. */
	constructor(begin: (log: Blob, queue: string) => Promise<void>, failed: (error: unknown) => void) {
		const label = (text: string, input: Node): Node => h("label", {}, h("span", {}, text), input);
		const submit = async (): Promise<void> => {
			const file = this.file.files?.[0];
			if (!file)
				throw new Error("Choose the file of the trace first.");
			await begin(await logOf(file), this.queue.value);
		};
		this.element = h("details", { class: "trace" }, h("summary", {}, "The jobs of a trace"),
			h("p", { class: "says" }, "Jobs of a log in the Standard Workload Format (.swf, also .swf.gz) come to the queues that there are, at its times, without the jobs of now. The file goes to the daemon for this alone."),
			h("form", { class: "simulate-form", submit: (event: Event) => {
				event.preventDefault();
				this.button.disabled = true;
				void submit().catch(failed).finally(() => { this.button.disabled = false; });
			} }, label("File", this.file), label("All of its jobs go to", this.queue), this.button));
	}

	/** Only over a machine there is something to run them on. */
	show(model: Model, machine: boolean): void {
		this.element.hidden = !machine;
		const names = [...model.nodes.values()].filter((node) => node.kind !== "Cohort").map((node) => node.name);
		if (names.length !== this.queue.options.length || names.some((name, i) => this.queue.options[i]!.value !== name))
			this.queue.replaceChildren(...names.map((name) => h("option", { value: name }, name)));
	}
}

async function logOf(file: File): Promise<Blob> {
	if (!file.name.endsWith(".gz"))
		return file;
	return await new Response(file.stream().pipeThrough(new DecompressionStream("gzip"))).blob();
}
