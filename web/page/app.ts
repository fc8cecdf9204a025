// SPDX-License-Identifier: Apache-2.0
// app - what a view is, and what all of them share

import { Api } from "./api";
import { Change, Store } from "./store";
import { Route, Router } from "./route";

export interface App {
	api: Api;
	store: Store;
	router: Router;
	/** To be heard by those who do not see. */
	announce: (text: string) => void;
}

/** One sight of the page; the frame makes it, tells it of changes, and puts it away. */
export interface View {
	readonly element: HTMLElement;
	title: () => string;
	/** The address has changed, and still names this view of this thing. */
	show: (route: Route) => void;
	/** Something has happened; within an animation frame. */
	update?: (change: Change) => void;
	dispose?: () => void;
	/** True: the key was for the view. */
	key?: (key: string) => boolean;
	search?: HTMLInputElement;
	/** Where Escape goes. */
	back?: Route;
}

export interface ViewKind {
	name: string; // in the address
	title: string; // in the navigation
	key?: string; // behind g; without one it is not in the navigation
	/** False: this daemon has no such thing. */
	available?: (store: Store) => boolean;
	/** Fields of the address that make it another thing, and so another view. */
	identity: string[];
	make: (app: App, route: Route) => View;
}
