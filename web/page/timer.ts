// SPDX-License-Identifier: Apache-2.0
// timer - one thing that a view does later, and not any more once the view is put away

export class Timer {
	private waits: ReturnType<typeof setTimeout> | null = null;
	private over = false;

	constructor(private readonly run: () => void) {}

	/** The view was put away: answers that come now are for nobody. */
	get ended(): boolean {
		return this.over;
	}

	/** In so many milliseconds, unless it is waited for already: what does not end must not keep it from being done. */
	once(wait: number): void {
		if (this.waits === null)
			this.again(wait);
	}

	/** In so many milliseconds from now, whatever was waited for. */
	again(wait: number): void {
		this.stop();
		if (this.over)
			return;
		this.waits = setTimeout(() => {
			this.waits = null;
			this.run();
		}, wait);
	}

	stop(): void {
		if (this.waits !== null)
			clearTimeout(this.waits);
		this.waits = null;
	}

	end(): void {
		this.over = true;
		this.stop();
	}
}
