// SPDX-License-Identifier: Apache-2.0
// main - the page of a report: reads the data that stands in it, and shows it

import { h } from "./dom";
import { ReportPage } from "./page";
import { Report } from "./report";
import { installTip } from "./tip";

function start(): void {
	const root = document.getElementById("page")!, data = document.getElementById("data")!;
	try {
		const report = JSON.parse(data.textContent ?? "") as Report;
		new ReportPage(report, root);
		document.title = `${report.name} · fairlead`;
		installTip();
	} catch (error) {
		root.replaceChildren(h("main", {}, h("h1", {}, "This report cannot be shown"), h("p", {}, String(error))));
		throw error;
	}
}

start();
