// SPDX-License-Identifier: Apache-2.0
// gestures - what a mouse, a finger, two fingers, a wheel and a keyboard mean on a time chart
//
// Drag selects a span, a click or tap pins a moment, two fingers and Ctrl + wheel zoom, a sideways
// wheel moves. A plain wheel and a finger that goes up or down scroll the page, as everywhere.

import { Geometry } from "./run";
import { ViewState } from "./view";

export interface Plane {
	host: HTMLElement;
	left: () => number; // of the drawing inside the host
	width: () => number;
	geometry: Geometry;
	/** A span is being chosen; null: no more. */
	choosing: (span: [number, number] | null) => void;
	/** Pointed at a moment, at this place of the viewport; null: no more. */
	pointed: (t: number | null, x: number, y: number) => void;
}

const DRAG = 6; // pixels that make a click a drag

export function installGestures(plane: Plane, state: ViewState): void {
	const { host } = plane;
	const fingers = new Map<number, number>();
	let anchor: number | null = null, dragged = false, pinch: { span: number; from: number; to: number; t: number } | null = null;
	const least = plane.geometry.step * 4;

	const timeAt = (clientX: number): number => {
		const x = clientX - host.getBoundingClientRect().left - plane.left();
		const part = Math.min(1, Math.max(0, x / Math.max(1, plane.width())));
		return state.now.from + part * (state.now.to - state.now.from);
	};
	const point = (t: number | null, x: number, y: number): void => {
		state.point(t);
		plane.pointed(t, x, y);
	};
	const pixels = (a: number, b: number): number =>
		Math.abs(a - b) / (state.now.to - state.now.from) * plane.width();

	const beginPinch = (): void => {
		const [a, b] = [...fingers.values()] as [number, number];
		pinch = { span: Math.max(20, Math.abs(a - b)), from: state.now.from, to: state.now.to, t: timeAt((a + b) / 2) };
		anchor = null;
		plane.choosing(null);
	};
	const movePinch = (): void => {
		const [a, b] = [...fingers.values()] as [number, number];
		const scale = pinch!.span / Math.max(20, Math.abs(a - b));
		state.zoom(pinch!.t - (pinch!.t - pinch!.from) * scale, pinch!.t + (pinch!.to - pinch!.t) * scale, least);
	};

	host.addEventListener("pointerdown", (event) => {
		if (event.button !== 0)
			return;
		fingers.set(event.pointerId, event.clientX);
		host.setPointerCapture(event.pointerId);
		if (fingers.size === 2)
			return beginPinch();
		anchor = timeAt(event.clientX);
		dragged = false;
	});
	host.addEventListener("pointermove", (event) => {
		const t = timeAt(event.clientX);
		if (fingers.has(event.pointerId))
			fingers.set(event.pointerId, event.clientX);
		if (pinch && fingers.size === 2)
			return movePinch();
		if (anchor !== null) {
			dragged ||= pixels(anchor, t) > DRAG;
			if (dragged)
				plane.choosing([Math.min(anchor, t), Math.max(anchor, t)]);
		}
		point(t, event.clientX, event.clientY);
	});
	const release = (event: PointerEvent, done: boolean): void => {
		fingers.delete(event.pointerId);
		if (pinch) {
			pinch = fingers.size ? pinch : null;
			return;
		}
		const begun = anchor, t = timeAt(event.clientX);
		anchor = null;
		plane.choosing(null);
		if (!done || begun === null)
			return;
		if (dragged)
			state.zoom(Math.min(begun, t), Math.max(begun, t), least);
		else {
			state.set({ at: state.now.at !== null && pixels(state.now.at, t) < DRAG ? null : t });
			point(t, event.clientX, event.clientY);
		}
	};
	host.addEventListener("pointerup", (event) => release(event, true));
	host.addEventListener("pointercancel", (event) => release(event, false));
	host.addEventListener("pointerleave", (event) => {
		if (event.pointerType === "mouse" && anchor === null)
			point(null, 0, 0);
	});
	host.addEventListener("dblclick", () => state.set({ from: state.whole.from, to: state.whole.to, at: null }));
	host.addEventListener("wheel", (event) => {
		const length = state.now.to - state.now.from;
		if (event.ctrlKey || event.metaKey) {
			event.preventDefault();
			const t = timeAt(event.clientX), scale = Math.exp(Math.max(-100, Math.min(100, event.deltaY)) * 0.004);
			state.zoom(t - (t - state.now.from) * scale, t + (state.now.to - t) * scale, least);
		} else if (Math.abs(event.deltaX) > Math.abs(event.deltaY) && !state.isWhole()) {
			event.preventDefault();
			const by = event.deltaX / plane.width() * length;
			state.zoom(state.now.from + by, state.now.to + by, least);
		}
	}, { passive: false });

	host.addEventListener("keydown", (event) => {
		const { from, to } = state.now, length = to - from, middle = state.hover ?? (from + to) / 2;
		const box = host.getBoundingClientRect();
		const go = (t: number): void => {
			const inside = Math.min(to, Math.max(from, t));
			point(inside, box.left + plane.left() + (inside - from) / length * plane.width(), box.top + 20);
		};
		const step = Math.max(plane.geometry.step, length / 100);
		const keys: Record<string, () => void> = {
			ArrowLeft: () => event.shiftKey ? state.zoom(from - length / 5, to - length / 5, least) : go(middle - step),
			ArrowRight: () => event.shiftKey ? state.zoom(from + length / 5, to + length / 5, least) : go(middle + step),
			Home: () => go(from),
			End: () => go(to),
			"+": () => state.zoom(middle - (middle - from) / 2, middle + (to - middle) / 2, least),
			"=": () => keys["+"]!(),
			"-": () => state.zoom(middle - (middle - from) * 2, middle + (to - middle) * 2, least),
			"0": () => state.set({ from: state.whole.from, to: state.whole.to }),
			Enter: () => state.set({ at: state.now.at === null ? middle : null }),
			Escape: () => { state.set({ at: null }); point(null, 0, 0); },
		};
		const act = event.ctrlKey || event.altKey || event.metaKey ? undefined : keys[event.key];
		if (act) {
			event.preventDefault();
			act();
		}
	});
	host.addEventListener("blur", () => point(null, 0, 0));
}
