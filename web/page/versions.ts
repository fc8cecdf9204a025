// SPDX-License-Identifier: Apache-2.0
// versions - the configuration of a machine: a change of it is applied as a new version, and taken back by another

import { h, named } from "../src/dom";
import { copyButton } from "../src/table";
import { Configuration, Configured, Version } from "./answers";
import { Api, errorText, withQuery } from "./api";
import { timeElement } from "./clock";
import { ask } from "./dialog";
import { Difference } from "./difference";
import { differenceSays } from "./difference_view";

const LOOK = 8; // lines behind in which the same line is looked for
const AROUND = 2;
const SHOWN = 10;

const YAML = { "Content-Type": "application/yaml" };

export interface Line {
	mark: " " | "-" | "+";
	text: string;
}

/** Lines that differ, with some around them; texts that differ in a few places, as edits of fields make them. */
export function lineDifference(was: string, is: string): Line[] {
	const a = was.split("\n"), b = is.split("\n"), all: Line[] = [];
	let i = 0, k = 0;
	while (i < a.length || k < b.length) {
		if (i < a.length && a[i] === b[k]) {
			all.push({ mark: " ", text: a[i++]! });
			k++;
			continue;
		}
		const added = i < a.length ? b.slice(k, k + LOOK).indexOf(a[i]!) : -1, gone = k < b.length ? a.slice(i, i + LOOK).indexOf(b[k]!) : -1;
		if (i >= a.length || (added > 0 && (gone < 0 || added <= gone)))
			all.push({ mark: "+", text: b[k++]! });
		else if (k >= b.length || gone > 0)
			all.push({ mark: "-", text: a[i++]! });
		else
			all.push({ mark: "-", text: a[i++]! }, { mark: "+", text: b[k++]! });
	}
	const near = all.map((_, at) => all.slice(Math.max(0, at - AROUND), at + AROUND + 1).some((line) => line.mark !== " "));
	return all.flatMap((line, at) => near[at] ? [line] : near[at - 1] ? [{ mark: " ", text: "…" } as Line] : []);
}

export function lineElements(lines: readonly Line[]): HTMLElement {
	return h("pre", { class: "lines", tabindex: 0, "aria-label": "Lines that change" }, ...lines.map(({ mark, text }) =>
		h("span", { class: mark === "+" ? "added" : mark === "-" ? "gone" : "" }, `${mark} ${text}`)));
}

const HOW: Record<string, string> = { start: "at the start", reload: "by a reload", put: "by a change", restore: "by a roll back" };

export class Versions {
	readonly element: HTMLElement;
	private readonly says = h("p", { class: "says" });
	private readonly list = h("ol", { class: "versions" });
	private rows: Version[] = [];
	private all = false;
	private kept: "file" | "api" = "file";
	private closed = false;

	constructor(private readonly api: Api, private readonly mayApply: () => boolean, private readonly told: (text: string) => void) {
		this.element = h("section", { class: "card", "aria-labelledby": "versions-title" }, h("h2", { id: "versions-title" }, "Versions of the configuration"), this.says, this.list);
		void this.read();
	}

	dispose(): void {
		this.closed = true;
	}

	async read(): Promise<void> {
		try {
			const [versions, configuration] = await Promise.all([this.api.get<{ versions: Version[] }>("/v1/configuration/versions"), this.configuration()]);
			if (this.closed)
				return;
			this.rows = versions.versions;
			this.kept = configuration.value.kept;
			this.draw();
		} catch (error) {
			this.says.textContent = errorText(error);
		}
	}

	async configuration(): Promise<{ value: Configuration; etag: string | null }> {
		return (await this.api.getIfChanged<Configuration>("/v1/configuration", null))!;
	}

	private draw(): void {
		this.says.textContent = this.kept === "api" ? "Each change is a version. To roll back makes a new one with the old text."
			: "The files of the daemon count: change them, and run “fairlead reload”. With “configuration: api” in them, changes are made here.";
		const shown = this.all ? this.rows : this.rows.slice(0, SHOWN);
		this.list.replaceChildren(...shown.map((row, i) => h("li", {}, h("b", {}, `Version ${row.version}`), i === 0 ? h("span", { class: "in-force" }, "in force") : null,
			timeElement(row.at), h("span", { class: "how" }, HOW[row.how ?? ""] ?? "", row.by ? " of " : "", row.by ? named(row.by) : null), row.why ? h("bdi", { class: "reason" }, row.why) : null,
			h("span", { class: "buttons" }, h("button", { type: "button", class: "small", "aria-label": `Text of version ${row.version}`, click: () => void this.look(row) }, "Text"),
				i > 0 && this.kept === "api" && this.mayApply() ? h("button", { type: "button", class: "small", "aria-label": `Roll back to version ${row.version}`, click: () => void this.rollBack(row) }, "Roll back…") : null))),
			this.rows.length > shown.length ? h("li", {}, h("button", { type: "button", class: "small", click: () => { this.all = true; this.draw(); } }, `Show all ${this.rows.length}`)) : "");
	}

	private async textOf(row: Version): Promise<string> {
		return (await this.api.get<Configuration>(`/v1/configuration/versions/${row.version}`)).text;
	}

	private async look(row: Version): Promise<void> {
		try {
			const text = await this.textOf(row);
			const dialog = h("dialog", { class: "keys question", "aria-labelledby": "text-title" }, h("h2", { id: "text-title" }, `Version ${row.version}`),
				h("pre", { class: "lines", tabindex: 0, "aria-label": "Text" }, text), h("form", { method: "dialog", class: "buttons" }, copyButton("Copy", () => text), h("button", { autofocus: true }, "Close")));
			dialog.addEventListener("close", () => dialog.remove());
			document.body.append(dialog);
			dialog.showModal();
		} catch (error) {
			this.told(errorText(error));
		}
	}

	private async rollBack(row: Version): Promise<void> {
		try {
			const [text, now] = await Promise.all([this.textOf(row), this.configuration()]);
			const would = h("p", {}, "What it would change is being asked …");
			this.difference(text).then((d) => { would.textContent = differenceSays(d); }, (error: unknown) => { would.textContent = errorText(error); });
			ask({ title: `Roll back to version ${row.version}?`, button: "Roll back",
				body: [h("p", {}, `The configuration of version ${row.version} replaces that of version ${now.value.version} at once, as a new version. Both are kept.`), would,
					lineElements(lineDifference(now.value.text, text))],
				run: async () => {
					const done = await this.api.send<Configured>("POST", `/v1/configuration/versions/${row.version}/restore`, { headers: { "If-Match": now.etag ?? "" } });
					this.finished(done.value);
				} });
		} catch (error) {
			this.told(errorText(error));
		}
	}

	async difference(text: string, signal?: AbortSignal): Promise<Difference> {
		return (await this.api.send<Difference>("POST", "/v1/configuration/difference?format=json", { body: text, headers: YAML, signal })).value;
	}

	/** Asks, and puts the text in place of the one that was read with this tag. */
	apply(now: Configuration, etag: string | null, text: string, would: Difference, applied: () => void): void {
		const reason = h("input", { "aria-label": "Why, for other people", placeholder: "why, for other people", maxlength: 60, autocomplete: "off" });
		ask({ title: "Apply this change?", button: "Apply",
			body: [h("p", {}, `The new text replaces version ${now.version} of the configuration at once, and is kept as a version of its own, from which you can roll back. ${differenceSays(would)}`),
				lineElements(lineDifference(now.text, text)), h("p", {}, reason)],
			run: async () => {
				const done = await this.api.send<Configured>("PUT", withQuery("/v1/configuration", { reason: reason.value.trim() }),
					{ body: text, headers: { ...YAML, "If-Match": etag ?? "" } });
				applied();
				this.finished(done.value);
			} });
	}

	private finished(done: Configured): void {
		this.told([done.changed ? `Version ${done.version} of the configuration is in force.` : "The configuration is what it was.", ...done.warnings].join(" "));
		void this.read();
	}
}
