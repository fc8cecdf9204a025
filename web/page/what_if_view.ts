// SPDX-License-Identifier: Apache-2.0
// what_if_view - changes of quotas, limits, weights and policies on the tree itself, and what they would do
//
// All changes are in the address. Over a machine they are made in the text of its configuration, and what that
// text would do is asked, which is exactly what is applied then; a change without a place in the text is tried
// alone. Over a cluster the page writes nothing: it gives the commands.

import { h, named, swatch } from "../src/dom";
import { count } from "../src/format";
import { copyButton } from "../src/table";
import { quantity } from "./amounts";
import { Configuration } from "./answers";
import { errorText, withQuery } from "./api";
import { App, View, ViewKind } from "./app";
import { Difference } from "./difference";
import { differenceElements } from "./difference_view";
import { Choice, choicesOf, Field, fieldsOf, parseEdit, parseLines, withEdit, wrongValue } from "./edits";
import { keyed, setAttribute, setText } from "./keyed";
import { kubectlCommands, manifestOf } from "./manifest";
import { QueueNode } from "./model";
import { Route, routeHash } from "./route";
import { editText } from "./text_edit";
import { parseOrder, TreeRow, treeRows } from "./tree";
import { queueHash } from "./tree_view";
import { lineDifference, lineElements, Versions } from "./versions";
import { VirtualList } from "./virtual";

const narrow = window.matchMedia("(max-width: 699px)");

/** What was answered, of which lines, and how it can be applied. */
interface Answered {
	lines: string;
	difference: Difference;
	applied: { configuration: Configuration; etag: string | null; text: string; without: string[] } | null;
}

type Input = HTMLInputElement | HTMLSelectElement;

class WhatIfView implements View {
	readonly element: HTMLElement;
	readonly search: HTMLInputElement;
	readonly back: Route = { view: "tree" };
	private readonly choice = h("select", { "aria-label": "Fields" });
	private readonly heading = h("div", { class: "row heading edit-row", role: "row" });
	private readonly list: VirtualList<TreeRow>;
	private readonly says = h("p", { class: "says" });
	private readonly edits = h("ul", { class: "edits" });
	private readonly asks = h("button", { type: "button", class: "primary", click: () => void this.ask() }, "What would change");
	private readonly simulates = h("a", { class: "button" }, "Simulate with it");
	private readonly undoAll = h("button", { type: "button", click: () => this.setLines([]) }, "Undo all");
	private readonly other = h("input", { "aria-label": "Another field", placeholder: "ClusterQueue/a: stopPolicy=Hold", spellcheck: "false", autocomplete: "off" });
	private readonly told = h("p", { class: "told", role: "status" });
	private readonly result = h("div", { class: "difference" });
	private readonly resultCard: HTMLElement;
	private readonly applyCard = h("section", { class: "card", "aria-labelledby": "apply-title" });
	private readonly place = h("div", { class: "versions-place" });
	private versions: Versions | null = null;
	private answered: Answered | null = null;
	private asking: AbortController | null = null;
	private route: Route = {};
	private choices: Choice[] = [];
	private begun = false;

	constructor(private readonly app: App) {
		this.search = h("input", { type: "search", placeholder: "Search queues", "aria-label": "Search queues", autocomplete: "off", spellcheck: "false" });
		this.search.addEventListener("input", () => app.router.change({ search: this.search.value }));
		this.choice.addEventListener("change", () => app.router.change({ field: this.choice.value }));
		this.list = new VirtualList<TreeRow>({
			label: "Fields of queues and cohorts", role: "treegrid", heading: this.heading, rowHeight: () => narrow.matches ? 96 : 46,
			key: (row) => `${row.node.key}\n${this.chosen}`, make: (row) => this.makeRow(row), update: (element, row) => this.fill(element, row),
			open: (row) => this.rowOf(row)?.querySelector<HTMLElement>("input, select")?.focus(),
		});
		this.resultCard = h("section", { class: "card", "aria-labelledby": "difference-title" }, h("h2", { id: "difference-title" }, "What would change"), this.result);
		this.resultCard.hidden = this.applyCard.hidden = true;
		const add = h("form", { class: "tools-row", submit: (event: Event) => { event.preventDefault(); this.add(); } }, this.other, h("button", {}, "Add"));
		this.element = h("div", { class: "view what-if-view" }, h("h1", {}, "What if"),
			h("p", { class: "says" }, "Change what queues have on the tree, and see what would happen. Nothing is applied by that."),
			h("div", { class: "what-if-grid" },
				h("div", { class: "what-if-tree" }, h("div", { class: "tools-row" }, this.search, h("label", {}, h("span", {}, "Fields"), this.choice)), this.list.element),
				h("div", { class: "job-column what-if-side" },
					h("section", { class: "card", "aria-labelledby": "edits-title" }, h("h2", { id: "edits-title" }, "Changes"), this.says, this.edits,
						h("p", { class: "buttons" }, this.asks, this.simulates, this.undoAll), this.told, h("details", {}, h("summary", {}, "Another field"), add)),
					this.resultCard, this.applyCard),
				this.place));
	}

	title(): string {
		return "What if";
	}

	dispose(): void {
		this.list.dispose();
		this.asking?.abort();
		this.versions?.dispose();
	}

	show(route: Route): void {
		this.route = route;
		if (document.activeElement !== this.search)
			this.search.value = route.search ?? "";
		this.draw();
	}

	update(change: string): void {
		if (change === "again")
			void this.versions?.read();
		else if (change !== "events")
			this.draw();
	}

	key(key: string): boolean {
		return this.list.key(key);
	}

	private get lines(): string[] {
		return parseLines(this.route.set);
	}

	private get chosen(): string {
		return this.choices.some((one) => one.key === this.route.field) ? this.route.field! : this.choices[0]?.key ?? "";
	}

	private get machine(): boolean {
		return this.app.store.daemon?.watches === "machine";
	}

	private get mayApply(): boolean {
		return this.app.store.me?.role === "admin";
	}

	private rowOf(row: TreeRow): HTMLElement | undefined {
		return [...this.list.element.querySelectorAll<HTMLElement>("[data-key]")].find((one) => one.dataset.key === `${row.node.key}\n${this.chosen}`);
	}

	private setLines(lines: string[]): void {
		setText(this.told, "");
		this.app.router.change({ set: lines.join("\n") });
	}

	private draw(): void {
		const { model, daemon } = this.app.store;
		if (!model.nodes.size)
			return;
		this.choices = choicesOf(model.policy, model.nodes.values());
		if (this.choice.options.length !== this.choices.length || this.choices.some((one, i) => this.choice.options[i]!.value !== one.key))
			this.choice.replaceChildren(...this.choices.map(({ key, title }) => h("option", { value: key }, title)));
		this.choice.value = this.chosen;
		const titles = this.columns();
		if (this.heading.childElementCount !== titles.length + 1 || titles.some((title, i) => this.heading.children[i + 1]!.textContent !== title))
			this.heading.replaceChildren(h("span", { role: "columnheader" }, "Queue"), ...titles.map((title) => h("span", { role: "columnheader" }, title)));
		this.list.element.style.setProperty("--fields", String(titles.length));
		this.list.set(treeRows(model.roots, { closed: new Set(), search: this.route.search ?? "", order: parseOrder(undefined), resource: model.resources[0] ?? "cpu" }));
		if (!this.versions && daemon && this.machine) {
			this.versions = new Versions(this.app.api, () => this.mayApply, (text) => this.tell(text));
			this.place.replaceChildren(this.versions.element);
		}
		this.drawEdits();
		if (!this.begun && daemon !== undefined && this.app.store.me) {
			this.begun = true;
			if (this.lines.length)
				void this.ask();
		}
	}

	private columns(): string[] {
		const fields = [...this.app.store.model.nodes.values()].map((node) => fieldsOf(node, this.chosen));
		const best = fields.find((row) => row.every((field) => field)) ?? fields[0] ?? [];
		return best.map((field) => field ? `${field.title}${field.unit && field.title === "Quota" ? `, ${field.unit}` : ""}` : "");
	}

	private makeRow({ node }: TreeRow): HTMLElement {
		const fields = fieldsOf(node, this.chosen);
		return h("div", { class: "row edit-row" }, h("span", { class: "name-cell", role: "gridcell" }, swatch(node.colour), h("a", { href: queueHash(node), tabindex: -1 }, named(node.name))),
			...fields.some((field) => field) ? [] : [h("span", { class: "no-field", role: "gridcell" }, node.children.length ? "for the queues below it" : "has no such field")],
			...fields.map((field, i) => h("span", { class: "field", role: "gridcell" }, field ? h("span", { class: "field-name", "aria-hidden": "true" }, field.short) : null,
				field ? this.makeInput(node, field, i) : null)));
	}

	private makeInput(node: QueueNode, field: Field, place: number): Input {
		const label = `${field.title}${field.unit ? `, ${field.unit},` : ""} of ${node.name}`;
		const input = field.choices ? h("select", { "aria-label": label }, h("option", { value: "" }, "as it is"), ...field.choices.map((one) => h("option", { value: one }, one)))
			: h("input", { "aria-label": label, inputmode: "text", autocomplete: "off", spellcheck: "false", placeholder: field.empty });
		input.addEventListener("change", () => this.changed(node.key, place, input));
		return input;
	}

	private fieldNow(key: string, place: number): Field | null {
		const node = this.app.store.model.nodes.get(key);
		return node ? fieldsOf(node, this.chosen)[place] ?? null : null;
	}

	private changed(key: string, place: number, input: Input): void {
		const field = this.fieldNow(key, place), text = input.value.trim();
		if (!field)
			return;
		const wrong = wrongValue(field, text);
		setAttribute(input, "aria-invalid", wrong ? "true" : null);
		if (wrong) {
			setText(this.told, `${field.title} of ${key.replace(/^[^/]*\//, "")}: ${wrong}.`);
			return;
		}
		const same = field.now === null ? text === "" : text === field.now || quantity(text) === quantity(field.now);
		this.setLines(withEdit(this.lines, key, field.path, same ? null : text === "" ? "null" : text));
	}

	private fill(element: HTMLElement, { node }: TreeRow): void {
		const edits = new Map(this.lines.map((line) => parseEdit(line)).flatMap((edit) => edit?.object === node.key ? [[edit.path, edit.value] as const] : []));
		const indent = `${Math.min(node.depth, 8) * (narrow.matches ? 10 : 18)}px`, name = element.firstElementChild as HTMLElement;
		if (name.style.paddingLeft !== indent)
			name.style.paddingLeft = indent;
		setAttribute(element, "aria-level", String(node.depth + 1));
		element.classList.toggle("cohort", node.children.length > 0);
		fieldsOf(node, this.chosen).forEach((field, i) => {
			const input = element.children[i + 1]?.querySelector<Input>("input, select");
			if (!field || !input)
				return;
			const changed = edits.get(field.path), value = changed === undefined ? field.now ?? "" : changed === "null" ? "" : changed;
			input.classList.toggle("changed", changed !== undefined);
			setAttribute(input, "title", changed !== undefined ? `Changed; it is ${field.now === null ? "not told here" : field.now || field.empty || "nothing"} now`
				: input instanceof HTMLInputElement ? value || field.empty || null : null);
			if (document.activeElement === input && changed === undefined && input.value !== "")
				return;
			if (input.value !== value) {
				input.value = value;
				setAttribute(input, "aria-invalid", null);
			}
		});
	}

	private add(): void {
		const edit = parseEdit(this.other.value);
		if (!edit) {
			setText(this.told, "A change is written as KIND/NAME: FIELD=VALUE, such as Cohort/east: fairSharing.weight=2.");
			return;
		}
		this.setLines(withEdit(this.lines, edit.object, edit.path, edit.value));
		this.other.value = "";
	}

	private drawEdits(): void {
		const { lines } = this, { nodes } = this.app.store.model;
		setText(this.says, lines.length ? `${lines.length === 1 ? "1 field is" : `${count(lines.length)} fields are`} changed. The address has ${lines.length === 1 ? "it" : "them"}: a link shows the same.` : "Nothing is changed yet.");
		this.asks.disabled = !lines.length || this.asking !== null;
		this.simulates.hidden = !lines.length;
		setAttribute(this.simulates, "href", routeHash({ view: "simulate", set: lines.join("\n") }));
		this.undoAll.hidden = lines.length < 2;
		keyed(this.edits, lines, {
			key: (line) => line,
			make: (line) => {
				const edit = parseEdit(line), name = edit?.object.replace(/^[^/]*\//, "") ?? line;
				const texts = edit ? [named(name), h("span", { class: "what" })] : [h("bdi", {}, line)];
				return h("li", {}, h("span", {}, ...texts), h("button", { type: "button", class: "small", "aria-label": `Undo: ${line}`,
					click: () => this.setLines(edit ? withEdit(this.lines, edit.object, edit.path, null) : this.lines.filter((one) => one !== line)) }, "Undo"));
			},
			update: (element, line) => {
				const edit = parseEdit(line), what = element.querySelector(".what"), node = edit ? nodes.get(edit.object) : undefined;
				const field = node && edit ? this.choices.flatMap((one) => fieldsOf(node, one.key)).find((one) => one?.path === edit.path) : undefined;
				if (!edit || !what)
					return;
				const cell = /\[([^,\]]+)/.exec(edit.path)?.[1], is = edit.value === "null" ? field?.empty ?? "nothing" : edit.value;
				setText(what, field ? `: ${field.title.toLowerCase()}${cell ? ` of ${cell}` : ""}${field.now === null ? "" : ` ${field.now || field.empty || "nothing"}`} → ${is}` : `: ${edit.path} → ${is}`);
			},
		});
		const old = this.answered !== null && this.answered.lines !== lines.join("\n");
		this.resultCard.hidden = !this.answered && !this.asking;
		this.result.classList.toggle("old", old);
		this.applyCard.hidden = !this.answered || old || !lines.length;
		if (!lines.length && this.answered)
			this.resultCard.hidden = true;
		setText(this.asks, old ? "Ask again" : "What would change");
	}

	private async ask(): Promise<void> {
		const { lines } = this;
		this.asking?.abort();
		const asking = this.asking = new AbortController();
		setText(this.told, "Asked …");
		this.drawEdits();
		try {
			const answered = await this.answer(lines, asking.signal);
			this.answered = answered;
			this.result.replaceChildren(...differenceElements(answered.difference, this.app.store.model));
			this.drawApply(answered, lines);
			this.tell("");
			this.app.announce(this.result.querySelector(".message")?.textContent ?? "");
		} catch (error) {
			if (!asking.signal.aborted) {
				this.answered = null;
				this.tell(errorText(error));
			}
		}
		if (this.asking === asking)
			this.asking = null;
		this.drawEdits();
	}

	private async answer(lines: string[], signal: AbortSignal): Promise<Answered> {
		const key = lines.join("\n");
		if (this.machine && this.versions) {
			const { value: configuration, etag } = await this.versions.configuration();
			const applied = { configuration, etag, ...editText(configuration.text, lines) };
			if (!applied.without.length)
				return { lines: key, difference: await this.versions.difference(applied.text, signal), applied };
			return { lines: key, difference: await this.tried(key, signal), applied };
		}
		return { lines: key, difference: await this.tried(key, signal), applied: null };
	}

	private async tried(lines: string, signal: AbortSignal): Promise<Difference> {
		return (await this.app.api.send<Difference>("POST", withQuery("/v1/what-if", { format: "json", set: lines }), { signal })).value;
	}

	private tell(text: string): void {
		setText(this.told, text);
		if (text)
			this.app.announce(text);
	}

	private drawApply({ applied, difference }: Answered, lines: string[]): void {
		const command = `fairlead what-if ${lines.map((line) => `--set '${line.replace(/'/g, "'\\''")}'`).join(" ")}`;
		const block = (text: string, label: string): Node => h("div", { class: "copied" }, h("pre", { class: "lines", tabindex: 0, "aria-label": label }, text), copyButton("Copy", () => text));
		const asCommand = h("details", {}, h("summary", {}, "The same as a command"), block(command, "Command"));
		const title = h("h2", { id: "apply-title" }, "To apply it");
		if (!applied) {
			const { commands, without } = kubectlCommands(lines, this.app.store.model);
			this.applyCard.replaceChildren(title, h("p", { class: "says" }, "The page writes nothing to the cluster. To be run by somebody who may change these objects there:"),
				commands.length ? block(commands.join("\n"), "kubectl commands") : h("p", {}, "There is no command for these fields."), without.length ? h("p", {}, `Without a command: ${without.join("; ")}`) : "",
				h("h3", {}, "Or in the manifests"), block(manifestOf(lines), "YAML"), asCommand);
		} else {
			const { configuration, etag, text, without } = applied;
			const changed = lineElements(lineDifference(configuration.text, text));
			const body: (Node | null)[] = without.length ? [h("p", { class: "says" }, `The text of the configuration has no place for this that the page understands, so it was tried alone: ${without.join("; ")}. Change the text by hand: fairlead configuration get, set.`)]
				: configuration.kept === "file" ? [h("p", { class: "says" }, "The files of the daemon count. Change these lines in them, and run “fairlead reload”."), changed]
					: !this.mayApply ? [h("p", { class: "says" }, "An admin can apply it: the address of this page shows the same. These lines would change:"), changed]
						: [h("p", { class: "says" }, "These lines of the configuration change."), changed,
							h("p", { class: "buttons" }, h("button", { type: "button", class: "primary", click: () => this.versions!.apply(configuration, etag, text, difference, () => {
								this.answered = null;
								this.setLines([]);
								this.app.store.refresh();
							}) }, "Apply…"))];
			this.applyCard.replaceChildren(title, ...body.filter((one): one is Node => one !== null), asCommand);
		}
	}
}

export const whatIfView: ViewKind = { name: "what-if", title: "What if", key: "w", identity: [], make: (app) => new WhatIfView(app) };
