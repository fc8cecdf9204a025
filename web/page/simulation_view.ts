// SPDX-License-Identifier: Apache-2.0
// simulation_view - the report of a simulation, or of several beside each other, by the report's own parts
//
// The page that the daemon makes of a report cannot be opened from here: its script stands in it, which the
// policy of this page forbids, also in what it opens. So its data are read out of its text, where no "<" is in them.

import { h } from "../src/dom";
import { ReportPage } from "../src/page";
import { Report, SimulationReport } from "../src/report";
import { Colours, Run } from "../src/run";
import { errorText } from "./api";
import { App, View, ViewKind } from "./app";
import { setText } from "./keyed";
import { findNode, Model } from "./model";
import { Route, routeHash } from "./route";
import { saveBlob } from "./save";
import { Simulation, simulationName } from "./simulate_view";

const DATA = '<script type="application/json" id="data">';

/** A queue has the colour that it has on the whole page. */
class LiveColours extends Colours {
	constructor(run: Run, private readonly model: Model) {
		super(run);
	}

	colour(path: string): string {
		const node = findNode(this.model, path.split("\u0000").pop()!);
		return node && node.colour !== "var(--quiet)" ? node.colour : super.colour(path);
	}
}

class SimulationView implements View {
	readonly element: HTMLElement;
	readonly back: Route = { view: "simulate" };
	private readonly ids: string[];
	private readonly heading = h("h1", {});
	private readonly problem = h("p", { class: "none", role: "status" });
	private readonly tools = h("div", { class: "tools-row" });
	private readonly place = h("div", { class: "report" });
	private report: ReportPage | null = null;
	private closed = false;

	constructor(private readonly app: App, route: Route) {
		this.ids = (route.id ?? "").split(",").filter((id) => /^\d+$/.test(id));
		setText(this.heading, this.title());
		setText(this.problem, "The report is read …");
		this.element = h("div", { class: "view simulation-view" }, h("nav", { class: "crumbs", "aria-label": "Where this is" }, h("a", { href: routeHash({ view: "simulate" }) }, "Simulate"),
			h("span", {}, this.title())), this.heading, this.tools, this.problem, this.place);
		void this.read();
	}

	title(): string {
		return this.ids.length > 1 ? `Simulations ${this.ids.join(", ")}` : `Simulation ${this.ids[0] ?? ""}`;
	}

	show(): void {
		// Which ones they are is all there is of its address.
	}

	dispose(): void {
		this.closed = true;
		this.report?.dispose();
	}

	private async page(id: string): Promise<Response> {
		return await this.app.api.open(`/v1/simulations/${id}/report?format=html`);
	}

	private async data(id: string): Promise<SimulationReport> {
		const text = await (await this.page(id)).text(), begin = text.indexOf(DATA), end = text.indexOf("</script>", begin);
		if (begin < 0 || end < 0)
			throw new Error("The report has no data that this page understands.");
		return JSON.parse(text.slice(begin + DATA.length, end)) as SimulationReport;
	}

	private async read(): Promise<void> {
		try {
			if (!this.ids.length)
				throw new Error("There is no such simulation.");
			const [reports, all] = await Promise.all([Promise.all(this.ids.map((id) => this.data(id))),
				this.app.api.get<{ simulations: Simulation[] }>("/v1/simulations")]);
			if (this.closed)
				return;
			const name = (id: string): string => { const one = all.simulations.find((other) => String(other.id) === id); return one ? simulationName(one) : id; };
			const report: Report = reports.length === 1 ? reports[0]! : { kind: "ComparisonReport", name: this.title(), variants: reports.map((one, i) => ({ name: name(this.ids[i]!), report: one })) };
			setText(this.problem, "");
			// Where it stands in the page its width is known.
			this.report = new ReportPage(report, this.place, { colours: (run) => new LiveColours(run, this.app.store.model) });
			this.tools.replaceChildren(...this.ids.map((id) => h("button", { type: "button", click: () => void this.save(id) },
				this.ids.length > 1 ? `Save report ${id} as a page` : "Save as a page")));
		} catch (error) {
			if (!this.closed)
				setText(this.problem, errorText(error));
		}
	}

	private async save(id: string): Promise<void> {
		try {
			saveBlob(`simulation-${id}.html`, await (await this.page(id)).blob());
		} catch (error) {
			setText(this.problem, errorText(error));
		}
	}
}

export const simulationView: ViewKind = { name: "simulation", title: "Simulation", identity: ["id"], make: (app, route) => new SimulationView(app, route) };
