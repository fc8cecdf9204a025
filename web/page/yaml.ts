// SPDX-License-Identifier: Apache-2.0
// yaml - where the parts of a document stand in its text, for the YAML that configurations are written in
//
// Block and flow mappings and lists, plain and quoted words on one line, comments. What else there may be, as
// anchors, tags or words over several lines, is an error: a text that is not understood is not changed.

export interface Part {
	kind: "map" | "list" | "word";
	flow: boolean;
	from: number; // in the text
	to: number;
	word: string;
	entries: { key: string; value: Part }[]; // of a list without keys
	indent: number; // of the entries of a block
}

interface Line {
	indent: number;
	from: number; // behind the indent
	to: number;
}

export class NotUnderstood extends Error {}

const WORD = /^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')/;

function unquote(text: string): string {
	if (text.startsWith("'"))
		return text.slice(1, -1).replace(/''/g, "'");
	if (!text.startsWith("\""))
		return text;
	try {
		return JSON.parse(text) as string;
	} catch {
		throw new NotUnderstood(text);
	}
}

class Reader {
	private readonly lines: Line[] = [];
	private at = 0;

	constructor(private readonly text: string, from: number, to: number) {
		for (let begin = from; begin < to;) {
			const next = text.indexOf("\n", begin), end = next < 0 || next > to ? to : next;
			const line = text.slice(begin, end), indent = /^ */.exec(line)![0].length;
			if (/^\t/.test(line.slice(indent)))
				throw new NotUnderstood("a tab");
			if (line.trim() && !line.trimStart().startsWith("#") && line !== "---" && !line.startsWith("%"))
				this.lines.push({ indent, from: begin + indent, to: end });
			begin = end + 1;
		}
	}

	whole(): Part | null {
		const first = this.lines[0];
		if (!first)
			return null;
		const part = this.block(first.indent);
		if (this.at < this.lines.length)
			throw new NotUnderstood("what is behind the end");
		return part;
	}

	/** At a line with this indent: a mapping, a list, or one value. */
	private block(indent: number): Part {
		const line = this.lines[this.at]!, rest = this.text.slice(line.from, line.to);
		if (/^-( |$)/.test(rest))
			return this.list(indent);
		return this.keyOf(line.from, line.to) ? this.map(indent) : this.value(line.from, indent - 1);
	}

	/** "key:" at a place: the key, and where its value begins. */
	private keyOf(from: number, to: number): { key: string; next: number } | null {
		const rest = this.text.slice(from, to), quoted = WORD.exec(rest)?.[0];
		const found = quoted ? /^\s*:(?=\s|$)/.exec(rest.slice(quoted.length)) : /^([^\s#{}[\],&*!|>'"%@`][^#]*?)\s*:(?=\s|$)/.exec(rest);
		if (!found)
			return null;
		const length = (quoted ?? "").length + found[0].length;
		return { key: quoted ? unquote(quoted) : found[1]!, next: from + length + /^ */.exec(rest.slice(length))![0].length };
	}

	private map(indent: number): Part {
		const part: Part = { kind: "map", flow: false, from: this.lines[this.at]!.from, to: 0, word: "", entries: [], indent };
		for (let line = this.lines[this.at]; line && line.indent === indent; line = this.lines[this.at]) {
			const key = this.keyOf(line.from, line.to);
			if (!key)
				throw new NotUnderstood(this.text.slice(line.from, line.to));
			const value = this.value(key.next, indent);
			part.entries.push({ key: key.key, value });
			part.to = value.to;
		}
		return this.ended(part, indent);
	}

	private list(indent: number): Part {
		const part: Part = { kind: "list", flow: false, from: this.lines[this.at]!.from, to: 0, word: "", entries: [], indent };
		for (let line = this.lines[this.at]; line && line.indent === indent && /^-( |$)/.test(this.text.slice(line.from, line.to)); line = this.lines[this.at]) {
			const gap = /^-\s*/.exec(this.text.slice(line.from, line.to))![0].length;
			let value: Part;
			if (line.from + gap < line.to && !this.text.slice(line.from + gap, line.to).startsWith("#")) {
				// What is behind the dash is a line of its own, further in.
				this.lines[this.at] = { indent: indent + gap, from: line.from + gap, to: line.to };
				value = this.block(indent + gap);
			} else {
				value = this.value(line.to, indent);
			}
			part.entries.push({ key: "", value });
			part.to = value.to;
		}
		return part;
	}

	private ended(part: Part, indent: number): Part {
		const line = this.lines[this.at];
		if (line && line.indent > indent)
			throw new NotUnderstood(this.text.slice(line.from, line.to));
		return part;
	}

	/** From a place within the present line on; goes to the line behind it. */
	private value(from: number, indent: number): Part {
		const line = this.lines[this.at]!, rest = this.text.slice(from, line.to);
		if (!rest.trim() || /^\s*#/.test(rest)) {
			this.at++;
			const next = this.lines[this.at];
			// A list may stand as far left as its key.
			if (next && (next.indent > indent || (next.indent === indent && /^-( |$)/.test(this.text.slice(next.from, next.to)))))
				return this.block(next.indent);
			return { kind: "word", flow: false, from, to: from, word: "", entries: [], indent };
		}
		if (/^[&*!]/.test(rest))
			throw new NotUnderstood(rest);
		if (/^[|>]/.test(rest)) {
			let to = line.to;
			for (this.at++; (this.lines[this.at]?.indent ?? -1) > indent; this.at++)
				to = this.lines[this.at]!.to;
			return { kind: "word", flow: false, from, to, word: rest, entries: [], indent };
		}
		const part = this.flow(from, line.to, false);
		while (this.at < this.lines.length && this.lines[this.at]!.to < part.to)
			this.at++;
		const last = this.lines[this.at]!, behind = this.text.slice(part.to, last.to);
		if (behind.trim() && !/^\s+#/.test(behind))
			throw new NotUnderstood(behind);
		this.at++;
		return this.ended(part, indent);
	}

	private gap(at: number): number {
		for (;;) {
			while (/\s/.test(this.text[at] ?? ""))
				at++;
			if (this.text[at] !== "#")
				return at;
			while (at < this.text.length && this.text[at] !== "\n")
				at++;
		}
	}

	private flow(from: number, lineEnd: number, inside: boolean): Part {
		const open = this.text[from];
		if (open !== "{" && open !== "[") {
			const rest = this.text.slice(from, lineEnd);
			const word = WORD.exec(rest)?.[0] ?? (inside ? /^(?:[^,{}[\]#:\n]|:(?![\s,}\]]))*/ : /^(?:[^#\n]|(?<=\S)#)*/).exec(rest)![0].trimEnd();
			if (/^[&*!]/.test(word))
				throw new NotUnderstood(word);
			return { kind: "word", flow: true, from, to: from + word.length, word: unquote(word), entries: [], indent: -1 };
		}
		const part: Part = { kind: open === "{" ? "map" : "list", flow: true, from, to: from, word: "", entries: [], indent: -1 };
		for (let at = this.gap(from + 1); ;) {
			if (this.text[at] === (open === "{" ? "}" : "]")) {
				part.to = at + 1;
				return part;
			}
			const end = this.text.indexOf("\n", at), to = end < 0 ? this.text.length : end;
			let key = "";
			if (open === "{") {
				const word = this.flow(at, to, true);
				at = this.gap(word.to);
				if (word.kind !== "word" || this.text[at] !== ":")
					throw new NotUnderstood(this.text.slice(at, to));
				key = word.word;
				at = this.gap(at + 1);
			}
			const line = this.text.indexOf("\n", at);
			const value = this.flow(at, line < 0 ? this.text.length : line, true);
			part.entries.push({ key, value });
			at = this.gap(value.to);
			if (this.text[at] === ",")
				at = this.gap(at + 1);
			else if (this.text[at] !== "}" && this.text[at] !== "]")
				throw new NotUnderstood(this.text.slice(at, at + 40));
		}
	}
}

/** The documents of a text; of one that is not understood null. */
export function documents(text: string): (Part | null)[] {
	const marks = [0, ...[...text.matchAll(/^---(?:[ \t].*)?$/gm)].map((mark) => mark.index!)];
	return marks.map((from, i) => {
		try {
			return new Reader(text, from, marks[i + 1] ?? text.length).whole();
		} catch (error) {
			if (error instanceof NotUnderstood)
				return null;
			throw error;
		}
	});
}

export function child(part: Part | null | undefined, key: string): Part | undefined {
	return part?.kind === "map" ? part.entries.find((one) => one.key === key)?.value : undefined;
}
