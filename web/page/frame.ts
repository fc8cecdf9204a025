// SPDX-License-Identifier: Apache-2.0
// frame - header, navigation, state of the connection, and the place where one view is at a time

import { h } from "../src/dom";
import { themeButton } from "../src/theme";
import { App, View, ViewKind } from "./app";
import { exactly, refreshTimes, ago, short } from "./clock";
import { Binding, Keys } from "./keys";
import { setAttribute, setText } from "./keyed";
import { MomentBar } from "./moment";
import { routeHash } from "./route";
import { Change } from "./store";

const STEP = 1000;
const LOOPBACK = /^(localhost|127\.[\d.]+|\[::1\])$/;

const ROLES: Record<string, string> = { machine: "runs jobs", observe: "observes the cluster", scheduler: "decides for the cluster" };

export class Frame {
	private view: View | null = null;
	private shown = "";
	private ended = false; // the header says so from then on
	private readonly where = h("bdi", { class: "where" });
	private readonly state = h("span", { class: "state" });
	private readonly notice = h("div", { class: "notice", role: "alert" });
	private readonly navigation = h("nav", { "aria-label": "Views" });
	private readonly main = h("main", { id: "main", tabindex: -1 });
	private readonly heard = h("p", { class: "heard", role: "status", "aria-live": "polite" });
	private readonly keys: Keys;
	private readonly moment: MomentBar;

	constructor(private readonly app: App, private readonly kinds: ViewKind[], host: HTMLElement) {
		const help = h("button", { type: "button", class: "help-button", title: "Keys (?)", "aria-label": "List of keys",
			click: () => this.keys.help() }, "?");
		this.moment = new MomentBar(app);
		host.replaceChildren(
			h("a", { class: "skip", href: "#main", click: (event: MouseEvent) => { event.preventDefault(); this.main.focus(); } },
				"Skip to the content"),
			h("header", { class: "bar" }, h("p", { class: "brand" }, h("strong", {}, "fairlead"), this.where), this.state,
				h("span", { class: "tools" }, help, themeButton()), this.navigation),
			this.notice, this.moment.element, this.main, this.heard);
		this.notice.hidden = true;
		this.keys = new Keys(() => this.bindings(), (key) => this.other(key));
		app.router.on(() => this.show());
		for (const change of ["tree", "events", "status", "again"] as const)
			app.store.on(change, () => this.changed(change));
		setInterval(() => this.tick(), STEP);
		this.status();
	}

	announce(text: string): void {
		setText(this.heard, text);
	}

	private listed(): ViewKind[] {
		return this.kinds.filter((kind) => kind.key && (kind.available?.(this.app.store) ?? true));
	}

	private bindings(): Binding[] {
		return [
			{ keys: "?", text: "this list", run: () => this.keys.help() },
			{ keys: "/", text: "search, or filter", run: () => this.view?.search?.focus() },
			...this.listed().map((kind) => ({ keys: `g ${kind.key!}`, text: `go to: ${kind.title}`,
				run: () => this.app.router.go({ view: kind.name }) })),
			...(this.app.router.now.at ? [{ keys: "n", text: "back to now", run: () => this.moment.back() }] : []),
		];
	}

	private other(key: string): boolean {
		if (this.view?.key?.(key))
			return true;
		if (key !== "Escape" || !this.view?.back)
			return false;
		this.app.router.go(this.view.back);
		return true;
	}

	/** What the address names. */
	show(): void {
		const route = this.app.router.now;
		this.moment.show();
		const kind = this.kinds.find((one) => one.name === route.view) ?? this.kinds[0]!;
		const identity = JSON.stringify([kind.name, ...kind.identity.map((field) => route[field] ?? null)]);
		if (identity !== this.shown || !this.view) {
			const first = this.shown === "";
			this.view?.dispose?.();
			this.shown = identity;
			this.view = kind.make(this.app, route);
			this.main.replaceChildren(this.view.element);
			this.view.show(route);
			if (!first) {
				window.scrollTo(0, 0);
				this.main.focus({ preventScroll: true });
			}
		} else {
			this.view.show(route);
		}
		this.navigate(kind);
		document.title = `${this.view.title()} · fairlead`;
	}

	private navigate(now: ViewKind): void {
		const links = this.listed().map((kind) => h("a", { href: routeHash({ view: kind.name }), title: `Keys: g ${kind.key!}`,
			"aria-current": kind === now ? "page" : undefined }, kind.title));
		const same = links.length === this.navigation.childElementCount && links.every((link, i) =>
			link.isEqualNode(this.navigation.children[i]!));
		if (!same)
			this.navigation.replaceChildren(...links);
	}

	private changed(change: Change): void {
		if (change === "status") {
			this.status();
			this.navigate(this.kinds.find((one) => one.name === this.app.router.now.view) ?? this.kinds[0]!);
		}
		this.view?.update?.(change);
		if (this.view)
			document.title = `${this.view.title()} · fairlead`;
	}

	private status(): void {
		const { status, daemon } = this.app.store;
		const never = this.app.store.me === null;
		setText(this.where, daemon ? `${daemon.host || location.hostname} · ${ROLES[daemon.role ?? "machine"]!}` : never ? "" : location.hostname);
		setAttribute(this.where, "title", this.where.textContent);
		setAttribute(this.state, "class", `state ${status.live ? "live" : "stale"}`);
		setText(this.state, status.live ? "live" : never ? "connecting" : `stale since ${short(status.since)}`);
		setAttribute(this.state, "title", status.live ? "What happens is seen at once" : status.problem ?? "");
		const texts = [
			!status.live && status.problem ? `${status.problem} What is seen here is of ${never ? "no" : exactly(status.since)} (${
				ago(status.since)}). The daemon is asked again by itself.${LOOPBACK.test(location.hostname) ? " If the command fairlead page has ended, run it again." : ""}`.replace(/ of no \(.*?\)/, " nothing yet") : null,
			status.live && daemon?.problem ? `The daemon is not well: ${daemon.problem}` : null,
			status.live && daemon?.warning ? daemon.warning : null].filter((text): text is string => text !== null);
		this.notice.hidden = !texts.length;
		setText(this.notice, texts.join(" "));
	}

	private tick(): void {
		refreshTimes(this.main);
		if (!this.app.store.status.live && !this.ended)
			this.status();
	}

	/** Nothing can be asked any more: why, and what to do. */
	end(title: string, text: string, todo: string): void {
		this.ended = true;
		this.app.store.close();
		this.view?.dispose?.();
		this.view = null;
		this.notice.hidden = true;
		this.navigation.replaceChildren();
		setAttribute(this.state, "class", "state stale");
		setText(this.state, "no access");
		this.main.replaceChildren(h("section", { class: "card ended" }, h("h1", {}, title), h("p", {}, text), h("p", {}, todo),
			h("pre", {}, h("code", {}, "fairlead page"))));
		document.title = `${title} · fairlead`;
		this.main.focus();
	}
}
