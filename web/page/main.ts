// SPDX-License-Identifier: Apache-2.0
// main - the page of a daemon: from a code or a token to the views

import { installTip } from "../src/tip";
import { useReadersZone } from "../src/zone";
import { agreementView } from "./agreement_view";
import { Api, errorText } from "./api";
import { App, ViewKind } from "./app";
import { Frame } from "./frame";
import { jobView } from "./job_view";
import { jobsView } from "./jobs_view";
import { queueView } from "./queue_view";
import { preemptionsView } from "./preemptions_view";
import { parseRoute, routeHash, Router } from "./route";
import { simulateView } from "./simulate_view";
import { simulationView } from "./simulation_view";
import { Store } from "./store";
import { timeView } from "./time_view";
import { treeView } from "./tree_view";
import { whatIfView } from "./what_if_view";

/** In the order of the navigation; the first is the one without an address. */
const VIEWS: ViewKind[] = [treeView, queueView, jobsView, jobView, timeView, preemptionsView,
	whatIfView, simulateView, simulationView, agreementView];

const ADVICE = "Run this where you may ask the daemon, and open the address that it prints. With a daemon on the network, add --server and its address.";

async function start(): Promise<void> {
	const { code, ...view } = parseRoute(location.hash), api = new Api();
	// A code counts once: it is not left in the address, nor in the history.
	if (code)
		history.replaceState(null, "", location.pathname + (Object.keys(view).length ? routeHash(view) : ""));
	const router = new Router(), store = new Store(api);
	const app: App = { api, store, router, announce: (text) => frame.announce(text) };
	const frame = new Frame(app, VIEWS, document.getElementById("page")!);
	installTip();
	useReadersZone();
	api.ended = (why) => frame.end("This page has no access any more", errorText(why), ADVICE);
	if (code) {
		try {
			await api.exchange(code);
		} catch (error) {
			frame.end("The address does not open the page", errorText(error), ADVICE);
			return;
		}
	}
	if (!api.hasToken) {
		frame.end("This page needs a code", "The address of the page ends with a code that counts once, for a minute.", ADVICE);
		return;
	}
	window.addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
	frame.show();
	void store.run();
}

void start();
