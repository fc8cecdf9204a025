// SPDX-License-Identifier: Apache-2.0
// theme - light or dark: as the system says, until the reader says otherwise

import { h } from "./dom";

const NEXT: Record<string, string> = { auto: "light", light: "dark", dark: "auto" };

function stored(): string {
	try {
		return localStorage.getItem("fairlead-theme") ?? "auto";
	} catch {
		return "auto"; // some browsers keep nothing for files
	}
}

export function themeButton(): HTMLElement {
	let theme = stored() in NEXT ? stored() : "auto";
	const button = h("button", { type: "button", class: "theme" });
	const system = window.matchMedia("(prefers-color-scheme: dark)");
	const show = (): void => {
		document.documentElement.dataset.theme = theme === "auto" ? system.matches ? "dark" : "light" : theme;
		button.textContent = { auto: "◐ Auto", light: "☀ Light", dark: "☾ Dark" }[theme] ?? theme;
		button.title = `Theme: ${theme}. Press for ${NEXT[theme]}.`;
	};
	button.addEventListener("click", () => {
		theme = NEXT[theme]!;
		try {
			localStorage.setItem("fairlead-theme", theme);
		} catch {
			// It holds until the page is closed.
		}
		show();
	});
	system.addEventListener("change", show);
	show();
	return button;
}
