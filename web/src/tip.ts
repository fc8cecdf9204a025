// SPDX-License-Identifier: Apache-2.0
// tip - the one tooltip of the page: follows a pointer, stays for a touch, goes with Escape

import { h } from "./dom";

let owner: Element | null = null;
const box = h("div", { class: "tip", role: "status", "aria-live": "polite" });
box.hidden = true;

export function installTip(): void {
	document.body.append(box);
	document.addEventListener("keydown", (event: KeyboardEvent) => {
		if (event.key === "Escape")
			hideTip();
	});
	document.addEventListener("pointerdown", (event: PointerEvent) => {
		if (!(event.target instanceof Element && event.target.closest(".plot")))
			hideTip();
	});
	document.addEventListener("scroll", hideTip, { passive: true });
}

/** Beside the point (of the viewport), on whichever side there is room; it is `of` that chart until another shows one. */
export function showTip(of: Element, x: number, y: number, content: Node[]): void {
	owner = of;
	box.replaceChildren(...content);
	box.hidden = false;
	const { width, height } = box.getBoundingClientRect();
	const room = document.documentElement.clientWidth, space = window.innerHeight;
	let left = x + 14, top = y + 14;
	if (left + width > room - 4)
		left = x - width - 14;
	if (top + height > space - 4)
		top = y - height - 14;
	box.style.left = `${Math.max(4, Math.min(left, room - width - 4))}px`;
	box.style.top = `${Math.max(4, top)}px`;
}

/** Put away the one of this chart; that of another one stays. */
export function hideTipOf(of: Element): void {
	if (owner === of)
		hideTip();
}

function hideTip(): void {
	owner = null;
	box.hidden = true;
}

/** Heading and lines "what: how much", each with its colour if it has one. */
export function tipContent(title: string, rows: { name: string; value: string; mark?: Node }[], notes: string[] = []):
	Node[] {
	return [
		h("strong", {}, h("bdi", {}, title)),
		...(rows.length ? [h("dl", {}, ...rows.flatMap(({ name, value, mark }) => [
			h("dt", {}, mark, h("bdi", {}, name)), h("dd", {}, value)]))] : []),
		...notes.map((note) => h("p", {}, h("bdi", {}, note))),
	];
}
