// SPDX-License-Identifier: Apache-2.0
// dialog - asks before something is done, and says what happens then

import { Child, h } from "../src/dom";
import { errorText } from "./api";

export interface Question {
	title: string;
	body: Child[];
	button: string;
	/** What is answered is told in place of the question's end; an error stays in the dialog. */
	run: () => Promise<void>;
}

/** The browser keeps the focus in it, and gives it back; Escape is no. */
export function ask({ title, body, button, run }: Question): void {
	// Two clicks are one question.
	if (document.querySelector("dialog.question[open]"))
		return;
	const problem = h("p", { class: "bad", role: "alert" });
	const dialog = h("dialog", { class: "keys question", "aria-labelledby": "question-title" }, h("h2", { id: "question-title" }, title), ...body, problem);
	const yes = h("button", { type: "button", class: "primary" }, button), no = h("button", { type: "button", click: () => dialog.close() }, "Cancel");
	dialog.append(h("p", { class: "buttons" }, yes, no));
	yes.addEventListener("click", async () => {
		yes.disabled = true;
		problem.textContent = "";
		try {
			await run();
			dialog.close();
		} catch (error) {
			problem.textContent = errorText(error);
			yes.disabled = false;
		}
	});
	dialog.addEventListener("close", () => dialog.remove());
	document.body.append(dialog);
	dialog.showModal();
	no.focus();
}
