// SPDX-License-Identifier: Apache-2.0
// state - the state of a job as a word with a mark, which is told apart by more than its colour

import { h } from "../src/dom";
import { Job, JobState } from "./answers";
import { setAttribute, setText } from "./keyed";

const WORDS: Record<JobState, [string, string]> = {
	held: ["Ⅱ", "held"], depends: ["↳", "waits for others"], waits: ["…", "waits"], starts: ["▹", "starts"], runs: ["▶", "runs"],
	stops: ["◂", "stops"], done: ["✓", "done"], failed: ["✕", "failed"], cancelled: ["–", "cancelled"], damaged: ["!", "damaged"] };

export function isOver(state: JobState): boolean {
	return ["done", "failed", "cancelled", "damaged"].includes(state);
}

export function stateElement(state: JobState): HTMLElement {
	const element = h("span", { class: "job-state" }, h("i", { "aria-hidden": "true" }), h("span", {}));
	setState(element, state);
	return element;
}

export function setState(element: HTMLElement, state: JobState): void {
	const [mark, word] = WORDS[state] ?? ["?", state];
	setAttribute(element, "class", `job-state ${state}`);
	setText(element.children[0]!, mark);
	setText(element.children[1]!, word);
}

/** The moment that counts in this state. */
export function since(job: Job): string | null {
	return job.endedAt ?? (["runs", "stops", "starts"].includes(job.state) ? job.startedAt : job.submittedAt);
}
