// SPDX-License-Identifier: Apache-2.0
// text_edit - changes of fields made in the text of a configuration, which stays as it was otherwise

import { Edit, parseEdit } from "./edits";
import { child, documents, Part } from "./yaml";

type Step = { key: string } | { field: string; is: string };

/** "nominalQuota[cpu,default]" is a place deep in a queue; others are as they are written. */
function stepsOf(root: Part, path: string): Step[][] {
	const amount = /^(nominalQuota|borrowingLimit|lendingLimit)\[([^,\]]+),([^\]]+)\]$/.exec(path);
	if (!amount)
		return /[[\]]/.test(path) ? [] : [path.split(".").map((key) => ({ key }))];
	const groups = child(child(root, "spec"), "resourceGroups")?.entries ?? [];
	return groups.map((_, i) => [{ key: "resourceGroups" }, { field: "", is: String(i) }, { key: "flavors" }, { field: "name", is: amount[3]! },
		{ key: "resources" }, { field: "name", is: amount[2]! }, { key: amount[1]! }]);
}

function step(at: Part | undefined, to: Step): Part | undefined {
	if ("key" in to)
		return child(at, to.key);
	if (at?.kind !== "list")
		return undefined;
	return to.field === "" ? at.entries[Number(to.is)]?.value : at.entries.find((one) => child(one.value, to.field)?.word === to.is)?.value;
}

/** As the text has it: quantities are quoted, as people write them there. */
function written(path: string, value: string): string {
	return value !== "null" && /^(nominalQuota|borrowingLimit|lendingLimit)\[/.test(path) || /[^\w.+-]/.test(value) ? JSON.stringify(value) : value;
}

function insert(text: string, map: Part, keys: string[], value: string): string | null {
	const entry = keys.slice(1).reduceRight((inner, key) => `{${key}: ${inner}}`, value), key = keys[0]!;
	if (map.flow) {
		const end = map.to - 1, spaced = map.entries.length ? map.entries[map.entries.length - 1]!.value.to : end;
		return `${text.slice(0, spaced)}${map.entries.length ? ", " : ""}${key}: ${entry}${text.slice(spaced)}`;
	}
	// Behind what the map ends with, and the comment on that line.
	const end = text.indexOf("\n", map.to), place = end < 0 ? text.length : end;
	return `${text.slice(0, place)}\n${" ".repeat(map.indent)}${key}: ${entry}${text.slice(place)}`;
}

function put(text: string, root: Part, edit: Edit): string | null {
	const spec = child(root, "spec"), value = written(edit.path, edit.value);
	for (const steps of stepsOf(root, edit.path)) {
		let at = spec, i = 0;
		for (let next; at && i < steps.length && (next = step(at, steps[i]!)); i++)
			at = next;
		const left = steps.slice(i);
		if (at && !left.length)
			return at.kind === "word" && !/^[|>]/.test(at.word) ? text.slice(0, at.from) + (at.from === at.to && !/\s$/.test(text.slice(0, at.from)) ? " " : "") + value + text.slice(at.to) : null;
		if (at?.kind === "map" && left.every((one) => "key" in one) && !(left.length > 1 && edit.path.includes("[")))
			return edit.value === "null" ? text : insert(text, at, left.map((one) => (one as { key: string }).key), value);
	}
	return null;
}

/** The text with the changes in it; or the lines for which there is no place that is understood. */
export function editText(text: string, lines: readonly string[]): { text: string; without: string[] } {
	const without: string[] = [];
	for (const line of lines) {
		const edit = parseEdit(line), [kind, name] = edit?.object.split(/\/(.*)/) ?? [];
		const root = edit && name ? documents(text).find((one) => child(one, "kind")?.word === kind && child(child(one, "metadata"), "name")?.word === name) : null;
		const changed = edit && root ? put(text, root, edit) : null;
		if (changed === null)
			without.push(line);
		else
			text = changed;
	}
	return { text, without };
}
