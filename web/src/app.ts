// SPDX-License-Identifier: Apache-2.0
// app - what charts share: the runs, what is looked at, and the plots that must be let go again

import { RunEvent } from "./report";
import { Run } from "./run";
import { Table } from "./table";
import { TimePlot, TimePlotSpec, timeTable } from "./time_plot";
import { ViewState } from "./view";

export interface Sweep {
	parameter: string;
	unit: string;
	points: { value: number; variant: number }[];
}

export class App {
	constructor(readonly runs: Run[], readonly state: ViewState, readonly sweep: Sweep | null) {}

	/** The variant that the reader looks at. */
	get run(): Run {
		return this.runs[this.state.now.variant] ?? this.runs[0]!;
	}

	get events(): RunEvent[] {
		return this.run.events;
	}
}

/** The time plots of one card: made anew when it is drawn, and read by its table. */
export class Plots {
	private made: { plot: TimePlot; spec: TimePlotSpec; prefix?: string }[] = [];

	constructor(private readonly state: ViewState) {}

	clear(): void {
		this.made.forEach(({ plot }) => plot.dispose());
		this.made = [];
	}

	add(spec: TimePlotSpec, width: number, prefix?: string): HTMLElement {
		const plot = new TimePlot(spec, this.state, width);
		this.made.push({ plot, spec, prefix });
		return plot.host;
	}

	table(): Table {
		return timeTable(this.made);
	}
}
