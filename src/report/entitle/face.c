/* SPDX-License-Identifier: Apache-2.0 */
#include "report/entitle/face.h"

#include "ask/entitle/obstacle.h"
#include "ask/entitle/standings.h"
#include "report/entitle/tree_report.h"
#include "report/entitle/words.h"
#include "report/out/held_shape.h"

void fl_entitle_headline(const struct fl_report *r)
{
	if (r->model->n_machines || r->model->entitle.fairshare_body)
		return;
	fl_report_say(
		r, FL_STYLE_WARN, 0,
		"No Node is in the input: there is nothing to divide and nothing to run on, so "
		"no workload can start.");
	putc('\n', r->out);
}

static void add_why(const struct fl_report *r, const struct fl_pending *p, const struct fl_why *why,
		    bool people, char *buffer, size_t size)
{
	const struct fl_obstacle_log *log = (const struct fl_obstacle_log *)why;

	(void)people;
	fl_entitle_obstacle_text(r, fl_obstacle_of(log, p->workload, p->reason), ": ", buffer,
				 size);
}

static int stand_new(const struct fl_report *r, struct fl_arena *a, void **ret, fairlead_error *err)
{
	struct fl_standings *s = fl_arena_alloc(a, 1, sizeof(*s), err);
	int rc = s ? fl_standings_init(s, r->model, a, err) : FAIRLEAD_ENOMEM;

	if (rc == 0)
		*ret = s;
	return rc;
}

static void stand_look(void *stand, const struct fl_policy_ops *ops, const struct fl_policy *p)
{
	(void)ops;
	fl_standings_look(stand, p);
}

static int end_text(const struct fl_report *r, const void *stand, fairlead_error *err)
{
	const struct fl_entitle_tree tree = { .standings = stand, .top = { FL_NONE } };

	if (tree.standings->n == 0)
		return 0;
	putc('\n', r->out);
	fl_report_say(r, FL_STYLE_BOLD, 0, "Fair shares:");
	return fl_entitle_shares_table(r, &tree, err);
}

static void held_text(const struct fl_report *r, const struct fl_model *m, struct fl_workload w,
		      const struct fl_placement *rows, uint32_t n, char pods[32], char *text,
		      size_t size)
{
	int32_t sum = 0;

	(void)r;
	(void)w;
	fl_machines_text(m, rows, n, text, size);
	for (uint32_t i = 0; i < n; i++)
		sum += rows[i].count;
	snprintf(pods, 32, "%d", sum);
}

const struct fl_document fl_entitle_what_if_document = { .kind = "WhatIf",
							 .policy = "entitle",
							 .shape = &fl_what_if_shape,
							 .face = &fl_entitle_reports };

const struct fl_document fl_entitle_plan_document = {
	.kind = "Plan", .policy = "entitle", .shape = &fl_plan_shape, .face = &fl_entitle_reports
};

const struct fl_report_face fl_entitle_reports = {
	.what_if = &fl_entitle_what_if_document,
	.plan = &fl_entitle_plan_document,
	.queue_key = "queue",
	.preemptor_key = "reclaimer",
	.admitted = "allocated",
	.evicted = "evicted",
	.held = "MACHINES",
	.titles = { [FL_LIST_ADMITTED] = "Newly allocated",
		    [FL_LIST_RELEASED] = "No longer allocated",
		    [FL_LIST_MOVED] = "Allocated differently",
		    [FL_LIST_EVICTED] = "Newly evicted",
		    [FL_LIST_SPARED] = "No longer evicted",
		    [FL_LIST_WAITS] = "Waits newly or for another reason",
		    [FL_LIST_LEFT] = "No longer waits" },
	.tables = fl_entitle_plan_tables,
	.n_tables = sizeof fl_entitle_plan_tables / sizeof *fl_entitle_plan_tables,
	.headline = fl_entitle_headline,
	.nothing = "No workload is allocated or evicted.",
	.add_why = add_why,
	.stand_new = stand_new,
	.stand_look = stand_look,
	.cycle_shape = &fl_entitle_cycle_shape,
	.end_text = end_text,
	.held_shape = &fl_held_machines_shape,
	.held_text = held_text,
	.nodes_text = fl_entitle_what_if_text,
	.node_shape = &fl_entitle_what_if_shape,
};
