/* SPDX-License-Identifier: Apache-2.0 */
#include "report/borrow/face.h"

#include "report/out/held_shape.h"

const struct fl_document fl_borrow_what_if_document = {
	.kind = "WhatIf", .policy = "borrow", .shape = &fl_what_if_shape, .face = &fl_borrow_reports
};

const struct fl_document fl_borrow_plan_document = {
	.kind = "Plan", .policy = "borrow", .shape = &fl_plan_shape, .face = &fl_borrow_reports
};

const struct fl_report_face fl_borrow_reports = {
	.what_if = &fl_borrow_what_if_document,
	.plan = &fl_borrow_plan_document,
	.queue_key = "clusterQueue",
	.preemptor_key = "preemptor",
	.admitted = "admitted",
	.evicted = "preempted",
	.held = "FLAVORS",
	.titles = { [FL_LIST_ADMITTED] = "Newly admitted",
		    [FL_LIST_RELEASED] = "No longer admitted",
		    [FL_LIST_MOVED] = "Admitted differently",
		    [FL_LIST_EVICTED] = "Newly preempted",
		    [FL_LIST_SPARED] = "No longer preempted",
		    [FL_LIST_WAITS] = "Waits newly or for another reason",
		    [FL_LIST_LEFT] = "No longer waits" },
	.tables = fl_borrow_plan_tables,
	.n_tables = sizeof fl_borrow_plan_tables / sizeof *fl_borrow_plan_tables,
	.nothing = "No workload is admitted or preempted.",
	.headline = fl_report_warnings,
	.add_why = fl_plan_add_shortage,
	.stand_new = fl_borrow_stand_new,
	.stand_look = fl_borrow_stand_look,
	.cycle_shape = &fl_borrow_cycle_shape,
	.held_shape = &fl_held_podsets_shape,
	.held_text = fl_plan_held_text,
	.nodes_text = fl_borrow_what_if_text,
	.node_shape = &fl_borrow_what_if_shape,
};
