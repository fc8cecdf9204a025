// SPDX-License-Identifier: Apache-2.0
// navigation - the bar that stays in sight: the whole run small, the window on it, and what is chosen

import { scaleLinear } from "d3-scale";
import { area, curveStepAfter } from "d3-shape";
import { App } from "./app";
import { h, svg } from "./dom";
import { duration, moment } from "./format";
import { merge, slotsOf } from "./slots";
import { copyButton } from "./table";

const HEIGHT = 40, EDGE = 8;

function overview(app: App, width: number): SVGElement {
	const { run, state } = app, time = run.time!, { resource } = state.now;
	const slots = slotsOf(time, state.whole.from, state.whole.to, Math.floor(width / 2));
	const held = merge(run.report.series!.cluster.held[resource] ?? [], slots).map((v) => v ?? 0);
	const most = Math.max(...merge(run.capacity(resource), slots).map((v) => v ?? 0), ...held) || 1;
	const x = scaleLinear().domain([state.whole.from, state.whole.to]).range([0, width]);
	const path = svg("path", { class: "overview", d: area().x((_, i) => x(slots.time[i]!)).y0(() => HEIGHT)
		.y1((v) => HEIGHT - v / most * (HEIGHT - 4)).curve(curveStepAfter)([...held, held[held.length - 1] ?? 0]) });
	const before = svg("rect", { class: "shade", x: 0, y: 0, height: HEIGHT }), after = svg("rect", { class: "shade", y: 0, height: HEIGHT });
	const frame = svg("rect", { class: "frame", y: 1, height: HEIGHT - 2, rx: 4 }), pin = svg("line", { class: "pin", y1: 0, y2: HEIGHT });
	const place = (): void => {
		const from = x(state.now.from), to = x(state.now.to);
		before.setAttribute("width", String(Math.max(0, from)));
		after.setAttribute("x", String(to));
		after.setAttribute("width", String(Math.max(0, width - to)));
		frame.setAttribute("x", String(Math.max(1, from)));
		frame.setAttribute("width", String(Math.max(3, Math.min(width - 1, to) - Math.max(1, from))));
		pin.setAttribute("visibility", state.now.at === null ? "hidden" : "visible");
		for (const key of ["x1", "x2"])
			pin.setAttribute(key, String(x(state.now.at ?? 0)));
	};
	place();
	const drawing = svg("svg", { width, height: HEIGHT, "aria-hidden": "true" }, path, before, after, frame, pin);
	drawing.addEventListener("placed", place);
	return drawing;
}

/** Drag the window, or one of its edges; elsewhere a drag makes a new window. */
function installDrag(app: App, host: HTMLElement): void {
	const { state } = app, least = app.run.time!.step * 4;
	const timeOf = (clientX: number): number => {
		const box = host.getBoundingClientRect();
		return state.whole.from + Math.min(1, Math.max(0, (clientX - box.left) / box.width)) * (state.whole.to - state.whole.from);
	};
	let drag: ((t: number) => void) | null = null;
	host.addEventListener("pointerdown", (event) => {
		const { from, to } = state.now, t = timeOf(event.clientX);
		const near = EDGE / host.getBoundingClientRect().width * (state.whole.to - state.whole.from);
		host.setPointerCapture(event.pointerId);
		if (!state.isWhole() && Math.abs(t - from) < near)
			drag = (now) => state.zoom(Math.min(now, to - least), to, least);
		else if (!state.isWhole() && Math.abs(t - to) < near)
			drag = (now) => state.zoom(from, Math.max(now, from + least), least);
		else if (!state.isWhole() && t > from && t < to)
			drag = (now) => state.zoom(from + now - t, to + now - t, least);
		else
			drag = (now) => Math.abs(now - t) > near && state.zoom(Math.min(t, now), Math.max(t, now), least);
	});
	host.addEventListener("pointermove", (event) => drag?.(timeOf(event.clientX)));
	for (const end of ["pointerup", "pointercancel"])
		host.addEventListener(end, () => { drag = null; });
}

function select<T extends string | number>(label: string, options: { name: string; value: T }[], value: T, choose: (i: number) => void):
	HTMLElement {
	const element = h("select", { "aria-label": label }, ...options.map((o) =>
		h("option", { value: o.value, selected: o.value === value }, o.name.length > 60 ? o.name.slice(0, 59) + "…" : o.name)));
	element.addEventListener("change", () => choose(element.selectedIndex));
	return h("label", {}, h("span", {}, label), element);
}

export function navigationBar(app: App): { element: HTMLElement; draw: () => void } {
	const { state, run } = app, element = h("div", { class: "navigator" });
	const resources = run.report.resources, strip = h("div", { class: "strip" }), says = h("span", { class: "window" });
	const zoom = (by: number): void => {
		const { from, to } = state.now, middle = state.now.at !== null && state.now.at > from && state.now.at < to ? state.now.at : (from + to) / 2;
		state.zoom(middle - (middle - from) * by, middle + (to - middle) * by, run.time!.step * 4);
	};
	const button = (text: string, title: string, click: () => void): HTMLButtonElement =>
		h("button", { type: "button", title, "aria-label": title, click }, text);
	const whole = button("All", "Show the whole time", () => state.set({ from: state.whole.from, to: state.whole.to }));
	const unpin = button("", "Let go of the pinned moment", () => state.set({ at: null }));
	unpin.className = "unpin";
	element.append(h("div", { class: "choices-row" },
		app.runs.length > 1 ? select("variant", app.runs.map((r, value) => ({ name: r.name, value })), state.now.variant,
			(variant) => state.set({ variant })) : "",
		resources.length > 1 ? select("resource", resources.map(({ name }) => ({ name, value: name })), state.now.resource,
			(i) => state.set({ resource: resources[i]!.name })) : "",
		...(run.time ? [h("span", { class: "zoom" }, button("+", "Zoom in", () => zoom(0.5)), button("−", "Zoom out", () => zoom(2)), whole),
			says, unpin] : []),
		copyButton("Copy link", () => location.href.replace(/#.*/, "") + state.hash())));
	if (run.time) {
		element.append(strip);
		installDrag(app, strip);
	}

	const tell = (): void => {
		strip.firstElementChild?.dispatchEvent(new Event("placed"));
		const { from, to, at } = state.now, { start, step } = run.time!;
		whole.disabled = state.isWhole();
		says.textContent = state.isWhole() ? `${duration(to - from)} in all` : `${duration(to - from)} from ${moment(from, start, step)}`;
		unpin.hidden = at === null;
		unpin.textContent = at === null ? "" : `${moment(at, start, step)} ✕`;
	};
	if (run.time)
		for (const change of ["window", "moment"] as const)
			state.on(change, () => element.isConnected && tell());
	return {
		element,
		draw: () => {
			if (!run.time)
				return;
			strip.replaceChildren(overview(app, Math.max(100, strip.clientWidth)));
			tell();
		},
	};
}
