// SPDX-License-Identifier: Apache-2.0
// route - the hash of the address is the whole state of the page: a link shows what was seen

export type Route = Readonly<Record<string, string>>;

export function parseRoute(hash: string): Route {
	return Object.fromEntries(new URLSearchParams(hash.replace(/^#/, "")));
}

/** Without what is empty; `view` comes first, so that an address can be read. */
export function routeHash(route: Record<string, string | number | null | undefined>): string {
	const entries = Object.entries(route).filter(([, value]) => value !== undefined && value !== null && value !== "");
	entries.sort(([a], [b]) => Number(b === "view") - Number(a === "view"));
	return "#" + entries.map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(value!)}`).join("&");
}

export class Router {
	now: Route;
	private readonly listeners = new Set<(route: Route) => void>();

	constructor() {
		this.now = parseRoute(location.hash);
		window.addEventListener("hashchange", () => {
			this.now = parseRoute(location.hash);
			this.tell();
		});
		// The moment that is seen stays while the reader goes from view to view.
		document.addEventListener("click", (event) => this.follow(event), { capture: true });
		document.addEventListener("auxclick", (event) => this.follow(event), { capture: true });
	}

	on(listener: (route: Route) => void): void {
		this.listeners.add(listener);
	}

	private follow(event: Event): void {
		const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>("a[href^='#']") : null;
		if (link && this.now.at && link.hash.includes("view="))
			link.href = routeHash({ at: this.now.at, ...parseRoute(link.hash) });
	}

	/** To another view: a step that the browser's back button undoes. */
	go(route: Record<string, string | number | null | undefined>): void {
		const hash = routeHash({ at: this.now.at, ...route });
		if (hash !== location.hash)
			location.hash = hash;
	}

	/** Within a view, as a filter that is typed: no step of its own. */
	change(part: Record<string, string | number | null | undefined>): void {
		const hash = routeHash({ ...this.now, ...part });
		if (hash === location.hash)
			return;
		history.replaceState(null, "", hash);
		this.now = parseRoute(hash);
		this.tell();
	}

	private tell(): void {
		for (const listener of this.listeners)
			listener(this.now);
	}
}
