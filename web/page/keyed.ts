// SPDX-License-Identifier: Apache-2.0
// keyed - children of an element as a list says, each kept for its key: what is selected, focused or
// scrolled stays so, and nothing is written that is so already

export interface Keyed<T> {
	key: (item: T) => string;
	make: (item: T) => HTMLElement;
	update: (element: HTMLElement, item: T) => void;
}

const known = new WeakMap<Element, Map<string, HTMLElement>>();

export function keyed<T>(parent: Element, items: readonly T[], how: Keyed<T>): void {
	const before = known.get(parent) ?? new Map<string, HTMLElement>(), after = new Map<string, HTMLElement>();
	for (const item of items) {
		const key = how.key(item);
		if (after.has(key))
			continue;
		const element = before.get(key) ?? how.make(item);
		how.update(element, item);
		after.set(key, element);
	}
	for (const [key, element] of before)
		if (after.get(key) !== element)
			element.remove();
	// The one with the focus is not moved: that would take the focus away. The others go around it.
	let place = parent.firstElementChild;
	const focused = document.activeElement;
	for (const element of after.values()) {
		if (element === place) {
			place = place.nextElementSibling;
		} else if (place && element.contains(focused)) {
			while (place && place !== element) {
				const next: Element | null = place.nextElementSibling;
				parent.append(place);
				place = next;
			}
			place = element.nextElementSibling;
		} else {
			parent.insertBefore(element, place);
		}
	}
	known.set(parent, after);
}

/** Text of an element, written only when it changes. */
export function setText(element: Element, text: string): void {
	if (element.textContent !== text)
		element.textContent = text;
}

export function setAttribute(element: Element, name: string, value: string | null): void {
	if (value === null)
		element.removeAttribute(name);
	else if (element.getAttribute(name) !== value)
		element.setAttribute(name, value);
}
