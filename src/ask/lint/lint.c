/* SPDX-License-Identifier: Apache-2.0 */
#include "ask/lint/lint.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ask/lint/lint_run.h"
#include "ask/lint/tree.h"
#include "ask/lint/usage.h"
#include "ask/lint/workload.h"
#include "decide/borrow/borrow.h"

const char *fl_lint_node(const struct fl_lint *l, struct fl_node n, char buffer[FL_SUBJECT])
{
	const struct fl_node_row *row = &l->m->nodes[n.v];

	return fl_table_subject(l->m, fl_table_of_node(row), (struct fl_sym){ 0 }, row->name,
				buffer);
}

const char *fl_lint_resource(const struct fl_lint *l, struct fl_resource r)
{
	return fl_model_text(l->m, l->m->resources[r.v]);
}

const char *fl_lint_flavor(const struct fl_lint *l, struct fl_flavor f)
{
	return fl_model_text(l->m, l->m->flavors[f.v].name);
}

const char *fl_lint_amount(const struct fl_lint *l, struct fl_resource r, fl_amount amount,
			   char buffer[32])
{
	bool cpu = strcmp(fl_lint_resource(l, r), "cpu") == 0;

	if (amount == FL_UNLIMITED)
		(void)snprintf(buffer, 32, "an unlimited amount");
	else if (cpu && amount % 1000 == 0)
		(void)snprintf(buffer, 32, "%" PRId64, amount / 1000);
	else
		(void)snprintf(buffer, 32, "%" PRId64 "%s", amount, cpu ? "m" : "");
	return buffer;
}

/* All workloads that hold quota are done. */
static int make_empty(struct fl_lint *l, fairlead_error *err)
{
	int r = 0;

	for (uint32_t w = 0; w < l->m->n_workloads && r == 0; w++) {
		struct fl_event done = { .kind = FL_EV_FINISHED, .workload = { w } };
		enum fl_workload_state state = l->ops->state(l->policy, done.workload);

		if (state == FL_STATE_ADMITTED || state == FL_STATE_EVICTING)
			r = l->ops->apply(l->policy, l->now, &done, err);
	}
	return r;
}

int fl_lint_borrow(struct fl_model *m, fairlead_error *err)
{
	static int (*const parts[])(struct fl_lint *, fairlead_error *) = {
		make_empty,        fl_lint_objects, fl_lint_trees,
		fl_lint_workloads, fl_lint_matches, fl_lint_usage,
	};
	struct fl_lint l = {
		.m = m,
		.ops = &fl_borrow_policy,
		.now = m->newest == FL_TIME_NONE ? 0 : m->newest,
	};
	struct fl_policy_options options = { .mem = m->mem, .now = l.now };
	int r;

	r = l.ops->new (m, &options, &l.policy, err);
	if (r < 0)
		return r;
	l.tree = fl_borrow_tree(l.policy);
	for (size_t i = 0; i < sizeof parts / sizeof *parts && r == 0; i++)
		r = parts[i](&l, err);
	l.ops->free(l.policy);
	return r;
}
