// SPDX-License-Identifier: Apache-2.0
// manifest - changes of fields for people who keep manifests: YAML with what changes, and kubectl's commands
//
// Lists in these objects are replaced as a whole by kubectl's merge, so amounts are patched by their place in
// the list, with a test of the names there: kubectl refuses the patch where the object is another by now.

import { Edit, parseEdit } from "./edits";
import { Model, QueueNode } from "./model";

const AMOUNT = /^(nominalQuota|borrowingLimit|lendingLimit)\[([^,\]]+),([^\]]+)\]$/;
const RESOURCES: Record<string, string> = { ClusterQueue: "clusterqueues.kueue.x-k8s.io", Cohort: "cohorts.kueue.x-k8s.io", Queue: "queues.scheduling.run.ai" };

type Tree = { [key: string]: Tree | string | number | null };

function valueOf(path: string, value: string): string | number | null {
	if (value === "null")
		return null;
	return AMOUNT.test(path) || !/^-?\d+(\.\d+)?$/.test(value) ? value : Number(value);
}

/** Where a resource in a flavor stands: flavors of one group have a resource in common. */
function placeOf(node: QueueNode, resource: string, flavor: string): { group: number; flavor: number; resource: number } | null {
	const groups: { resources: string[]; flavors: string[] }[] = [];
	for (const cell of node.cells) {
		let group = groups.find((one) => one.flavors.includes(cell.flavor) || one.resources.includes(cell.resource));
		if (!group)
			groups.push(group = { resources: [], flavors: [] });
		for (const [list, name] of [[group.resources, cell.resource], [group.flavors, cell.flavor]] as const)
			if (!list.includes(name))
				list.push(name);
	}
	const i = groups.findIndex((one) => one.flavors.includes(flavor) && one.resources.includes(resource));
	return i < 0 ? null : { group: i, flavor: groups[i]!.flavors.indexOf(flavor), resource: groups[i]!.resources.indexOf(resource) };
}

function nest(tree: Tree, keys: string[], value: string | number | null): void {
	const [key, ...rest] = keys;
	if (!rest.length)
		tree[key!] = value;
	else
		nest((tree[key!] ??= {}) as Tree, rest, value);
}

const shell = (text: string): string => `'${text.replace(/'/g, "'\\''")}'`;

function byObject(lines: readonly string[]): Map<string, Edit[]> {
	const all = new Map<string, Edit[]>();
	for (const line of lines) {
		const edit = parseEdit(line);
		if (edit)
			all.set(edit.object, [...(all.get(edit.object) ?? []), edit]);
	}
	return all;
}

/** One command for each object and kind of patch; those without a place are told by their lines. */
export function kubectlCommands(lines: readonly string[], model: Model): { commands: string[]; without: string[] } {
	const commands: string[] = [], without: string[] = [];
	for (const [object, edits] of byObject(lines)) {
		const [kind, name] = object.split(/\/(.*)/) as [string, string], node = model.nodes.get(object);
		const resource = RESOURCES[kind], merged: Tree = {}, steps: unknown[] = [];
		for (const edit of edits) {
			const amount = AMOUNT.exec(edit.path), place = amount && node ? placeOf(node, amount[2]!, amount[3]!) : null;
			if (!resource || (amount ? !place : /[[\]]/.test(edit.path))) {
				without.push(`${object}: ${edit.path}=${edit.value}`);
			} else if (amount && place) {
				const flavor = `/spec/resourceGroups/${place.group}/flavors/${place.flavor}`, at = `${flavor}/resources/${place.resource}`;
				steps.push({ op: "test", path: `${flavor}/name`, value: amount[3] }, { op: "test", path: `${at}/name`, value: amount[2] },
					edit.value === "null" ? { op: "remove", path: `${at}/${amount[1]}` } : { op: "add", path: `${at}/${amount[1]}`, value: edit.value });
			} else {
				nest(merged, ["spec", ...edit.path.split(".")], valueOf(edit.path, edit.value));
			}
		}
		const command = (type: string, patch: unknown): string => `kubectl patch ${resource!} ${shell(name)} --type=${type} -p ${shell(JSON.stringify(patch))}`;
		if (Object.keys(merged).length)
			commands.push(command("merge", merged));
		if (steps.length)
			commands.push(command("json", steps));
	}
	return { commands, without };
}

function yaml(tree: Tree, indent: string): string {
	return Object.entries(tree).map(([key, value]) => value !== null && typeof value === "object" ? `${indent}${key}:\n${yaml(value, indent + "  ")}`
		: `${indent}${key}: ${typeof value === "string" ? JSON.stringify(value) : String(value)}\n`).join("");
}

/** Only what changes, to be put into the manifests; `what-if --change` and `kubectl` with a merge by name read it as it is. */
export function manifestOf(lines: readonly string[]): string {
	return [...byObject(lines)].map(([object, edits]) => {
		const spec: Tree = {}, amounts = new Map<string, Map<string, Tree>>();
		for (const { path, value } of edits) {
			const amount = AMOUNT.exec(path);
			if (!amount) {
				nest(spec, path.split("."), valueOf(path, value));
				continue;
			}
			const flavor = amounts.get(amount[3]!) ?? new Map<string, Tree>();
			amounts.set(amount[3]!, flavor.set(amount[2]!, { ...flavor.get(amount[2]!), [amount[1]!]: valueOf(path, value) }));
		}
		const groups = [...amounts].map(([flavor, resources]) => `    - name: ${JSON.stringify(flavor)}\n      resources:\n${[...resources].map(([name, fields]) =>
			`      - name: ${JSON.stringify(name)}\n${yaml(fields, "        ")}`).join("")}`).join("");
		return `# ${object}: only what changes\nspec:\n${yaml(spec, "  ")}${groups ? `  resourceGroups:\n  - flavors:\n${groups}` : ""}`;
	}).join("---\n");
}
