// SPDX-License-Identifier: Apache-2.0
// dom - elements from a tag, attributes and children; strings are always text, never markup

type Value = string | number | boolean | null | undefined | ((event: never) => void);
export type Props = Record<string, Value>;
export type Child = Node | string | null | undefined | false;

function fill(element: Element, props: Props, children: Child[]): void {
	for (const [key, value] of Object.entries(props)) {
		if (typeof value === "function")
			element.addEventListener(key, value as EventListener);
		else if (value !== undefined && value !== null && value !== false)
			element.setAttribute(key, value === true ? "" : String(value));
	}
	for (const child of children)
		if (child)
			element.append(child);
}

export function h<K extends keyof HTMLElementTagNameMap>(tag: K, props: Props = {}, ...children: Child[]):
	HTMLElementTagNameMap[K] {
	const element = document.createElement(tag);
	fill(element, props, children);
	return element;
}

export function svg<K extends keyof SVGElementTagNameMap>(tag: K, props: Props = {}, ...children: Child[]):
	SVGElementTagNameMap[K] {
	const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
	fill(element, props, children);
	return element;
}

/** A name that somebody else chose: of any script and direction, it does not disturb what is around it. */
export function named(name: string): HTMLElement {
	return h("bdi", { class: "name", title: name }, name);
}

/** A little square of a colour; the page's policy allows no style attributes, but properties. */
export function swatch(colour: string): HTMLElement {
	const element = h("i", { class: "swatch", "aria-hidden": "true" });
	element.style.background = colour;
	return element;
}

const ruler = document.createElement("canvas").getContext("2d");

export function textWidth(text: string, size = 12): number {
	if (!ruler)
		return text.length * size * 0.6;
	ruler.font = `${size}px system-ui, sans-serif`;
	return ruler.measureText(text).width;
}

/** As much of the text as fits `px`, with an ellipsis when that is not all. */
export function fit(text: string, px: number, size = 12): string {
	const letters = Array.from(text.slice(0, 300));
	if (letters.length === text.length && textWidth(text, size) <= px)
		return text;
	let least = 0, most = letters.length;
	while (least < most) {
		const middle = (least + most + 1) >> 1;
		if (textWidth(letters.slice(0, middle).join("") + "…", size) <= px)
			least = middle;
		else
			most = middle - 1;
	}
	return least === letters.length && text.length <= 300 ? text : letters.slice(0, least).join("") + "…";
}
