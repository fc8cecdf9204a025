// SPDX-License-Identifier: Apache-2.0
// difference - what what-if answers, of any policy, as far as the page draws it

import { Bound } from "./explanation";

export interface Moved {
	workload: string;
	clusterQueue?: string;
	queue?: string;
	preemptor?: string;
	reclaimer?: string;
	reason?: string;
	message?: string;
	before?: { reason?: string; message?: string };
	after?: { reason?: string; message?: string };
}

export interface End {
	settled: boolean;
	cycles: number;
	admitted: number;
	waiting: number;
	evicted: number;
	loop?: { firstCycle: number; period: number; workloads: string[] };
}

export interface CellSide {
	nominal?: Bound;
	borrowingLimit?: Bound;
	lendingLimit?: Bound;
	usage: Bound;
	borrowed?: Bound;
}

/** Of entitle a bundle by resource; of drf a share. */
export interface Standing {
	fairShare?: Record<string, Bound>;
	allocated?: Record<string, Bound>;
	weight?: number;
	share?: unknown;
}

export interface ChangedNode {
	kind?: string;
	name: string;
	change?: "added" | "removed";
	share?: { before?: { weightedShare: string; precise: string }; after?: { weightedShare: string; precise: string } };
	quota?: { flavor: string; resource: string; before?: CellSide; after?: CellSide }[];
	before?: Standing;
	after?: Standing;
}

export interface Difference {
	policy: string;
	assumptions: string[];
	warnings?: string[];
	changes: { change: string; object: string; set?: string[] }[];
	different: boolean;
	before: End;
	after: End;
	admitted: Moved[];
	noLongerAdmitted: Moved[];
	moved: Moved[];
	preempted: Moved[];
	noLongerPreempted: Moved[];
	waiting: Moved[];
	noLongerWaiting: Moved[];
	nodes: ChangedNode[];
}
