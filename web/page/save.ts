// SPDX-License-Identifier: Apache-2.0
// save - what a request answered as a file: a link alone would send no token

import { h } from "../src/dom";

export function saveBlob(name: string, blob: Blob): void {
	const url = URL.createObjectURL(blob);
	h("a", { href: url, download: name }).click();
	setTimeout(() => URL.revokeObjectURL(url), 1000);
}
