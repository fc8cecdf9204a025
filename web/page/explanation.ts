// SPDX-License-Identifier: Apache-2.0
// explanation - what explain answers, of any policy, as far as the page draws it

export type Bound = number | string;

export interface Need {
	resource?: string;
	flavor?: string;
	verdict: string;
	requested?: Bound;
	available?: Bound;
	maximum?: Bound;
	binding?: { by: string; node: { kind: string; name: string } };
}

export interface Rule {
	rule: string;
	meaning: string;
	message: string;
	count: number;
	victims: { workload?: string; clusterQueue?: string; queue?: string; node?: { name: string }; resource?: string; unit?: string;
		lhs?: Bound; rhs?: Bound; left?: Bound; right?: Bound }[];
}

export interface Change {
	workload?: string;
	node?: { kind: string; name: string };
	queue?: string;
	machine?: string;
	field: string;
	flavor?: string;
	resource?: string;
	from: Bound;
	to: Bound;
	set?: string[];
	message?: string;
}

export interface Eta {
	state: string;
	message: string;
	start: string | null;
	from: string | null;
	to: string | null;
	level: number;
	runs: number;
	awaits?: { workload: string | null; runs: number; queue: string; queueRuns: number };
	basis: { meaning: string; workloads: number }[];
}

export interface Explanation {
	policy: "borrow" | "entitle" | "drf";
	clusterQueue?: string;
	queue?: string;
	state: string;
	reason: string;
	message: string;
	failed?: Need & { meaning?: string; queue?: string; left?: Bound; right?: Bound; message?: string; rule?: string };
	obstacles?: { meaning: string; queue: string; resource?: string; left: Bound; right: Bound; message: string }[];
	shortage?: { flavor: string; resource: string; requested: number; available?: Bound; capacity?: Bound };
	holders?: { clusterQueue?: string; queue?: string; usage?: Bound; own?: Bound; borrowed?: Bound; allocated?: number;
		fairShare?: Bound; workloads: number }[];
	ahead?: { count: number; workloads?: { workload: string; priority: number }[]; first?: string[] } | number;
	preemption?: { considered: number; refused: Rule[]; victims: { workload: string; reason: string }[] };
	eviction?: { considered: number; refused: Rule[] };
	proposals?: { changes: Change[]; set?: string[]; message: string }[];
	changes?: Change[];
	lastEviction?: { at: string | null; reason: string; message?: string };
	preemptedBy?: { at: string | null; workload?: string; job?: number; clusterQueue?: string; present: boolean;
		shares?: { node: { name: string }; share: { weightedShare: string } }[] };
	eta?: Eta;
}
