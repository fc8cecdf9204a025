/* SPDX-License-Identifier: Apache-2.0 */
#include "ask/borrow/explain_try.h"

int fl_try_apply(const struct fl_try *t, const struct fl_explain_change *c, fairlead_error *err)
{
	const struct fl_explain_run *r = t->run;
	bool priority = c->kind == FL_CELL_PRIORITY;
	struct fl_event event = {
		.kind = FL_EV_CELL,
		.workload = { priority ? r->x->workload.v : FL_NONE },
		.cell = { .kind = c->kind,
			  .node = c->node,
			  .flavor = c->flavor,
			  .resource = c->resource,
			  .amount = c->to,
			  .weight = c->weight_to },
	};

	return r->ops->apply(r->policy, r->now, &event, err);
}

fl_amount fl_try_spare(const struct fl_explain_run *r, struct fl_flavor f, struct fl_resource k)
{
	const struct fl_explain_machine *m = r->machine;

	for (uint32_t i = 0; m && i < m->n; i++)
		if (m->spare[i].flavor.v == f.v && m->spare[i].resource.v == k.v)
			return m->spare[i].amount;
	return m ? 0 : FL_UNLIMITED;
}

/* How much more quota there is with all cells of the flavor and resource of cell @i. */
static fl_amount more_quota(const struct fl_try *t, uint32_t i)
{
	const struct fl_explain_change *of = &t->cells[i];
	fl_amount sum = 0;

	for (uint32_t k = 0; k < t->n; k++)
		if (t->cells[k].kind == FL_CELL_NOMINAL && t->cells[k].flavor.v == of->flavor.v &&
		    t->cells[k].resource.v == of->resource.v)
			sum = fl_sat_add(sum, fl_sat_sub(t->cells[k].to, t->cells[k].from));
	return sum;
}

/* What the cells give, the cohort that has the rest of the machine no longer has. 1: it has not so much. */
static int take_from_rest(const struct fl_try *t, fairlead_error *err)
{
	const struct fl_explain_run *r = t->run;
	int rc = 0;

	for (uint32_t i = 0; r->machine && i < t->n && rc == 0; i++) {
		struct fl_explain_change rest = t->cells[i];
		fl_amount more = more_quota(t, i);

		if (rest.kind != FL_CELL_NOMINAL)
			continue;
		if (more > fl_try_spare(r, rest.flavor, rest.resource))
			return 1;
		rest.node = r->machine->rest;
		if (rest.node.v == FL_NONE)
			continue;
		/* of several cells each sets it to the same */
		struct fl_column c = fl_tree_column(r->tree, rest.node, rest.flavor, rest.resource);

		rest.to = fl_sat_sub(fl_try_spare(r, rest.flavor, rest.resource), more);
		rc = c.v == FL_NONE ? 0 : fl_try_apply(t, &rest, err);
	}
	return rc;
}

static int decide(const struct fl_try *t, struct fl_try_answer *ret, fairlead_error *err)
{
	const struct fl_explain_run *r = t->run;
	struct fl_workload w = r->x->workload;
	struct fl_decisions d;

	int rc = t->cycle ?
			 r->ops->step(r->policy, r->now, FL_STEP_FULL, /* sink= */ NULL, &d, err) :
			 r->ops->try(r->policy, r->now, w, /* sink= */ NULL, &d, err);
	for (uint32_t i = 0; rc == 0 && i < d.n; i++)
		if (d.rows[i].kind == FL_EVICT)
			ret->n_victims += d.rows[i].preemptor.v == w.v;
		else if (d.rows[i].workload.v == w.v)
			ret->kind = d.rows[i].kind;
	return rc;
}

int fl_try_ask(const struct fl_try *t, struct fl_try_answer *ret, fairlead_error *err)
{
	const struct fl_explain_run *r = t->run;
	struct fl_try_answer answer = { .kind = FL_WAIT };
	fairlead_error refused;
	fl_mark mark;
	int rc = 0;

	*ret = answer;
	if (r->x->n_tries >= FL_TRY_MOST)
		return 0;
	r->x->n_tries++;
	if ((rc = r->ops->mark(r->policy, &mark, err)) < 0)
		return rc;
	for (uint32_t i = 0; i < t->n && rc == 0; i++)
		rc = fl_try_apply(t, &t->cells[i], &refused);
	if (rc == 0)
		rc = take_from_rest(t, &refused);
	if (rc == 0)
		rc = decide(t, &answer, err);
	else
		rc = rc == FAIRLEAD_ENOMEM ? fl_fail_nomem(err) : 0;
	r->ops->rollback(r->policy, mark);
	if (rc == 0)
		*ret = answer;
	return rc;
}

/* 1.0, 1.1, ... 9.9, 10, 11, ...: as they are read (codec/text/quantity.c), digits times a power. */
static double weight_at(fl_amount position)
{
	static const double powers[] = { 1e-4, 1e-3, 1e-2, 1e-1, 1e0, 1e1, 1e2,
					 1e3,  1e4,  1e5,  1e6,  1e7, 1e8 };
	fl_amount digits = 10 + position % 90, power = position / 90;

	if (digits % 10 == 0) {
		digits /= 10;
		power++;
	}
	return (double)digits * powers[power];
}

fl_amount fl_try_weight_position(double weight)
{
	fl_amount low = -1, high = FL_TRY_WEIGHTS;

	while (high - low > 1) {
		fl_amount middle = low + (high - low) / 2;

		if (weight_at(middle) <= weight)
			low = middle;
		else
			high = middle;
	}
	return low;
}

void fl_try_set(struct fl_explain_change *cell, fl_amount position)
{
	if (cell->kind == FL_CELL_WEIGHT)
		cell->weight_to = weight_at(position);
	else
		cell->to = position;
}

int fl_try_least(struct fl_try *t, uint32_t i, fl_amount fails, fl_amount does,
		 struct fl_try_answer *ret, fairlead_error *err)
{
	struct fl_try_answer answer;
	int rc;

	*ret = (struct fl_try_answer){ .kind = FL_WAIT };
	if (does <= fails)
		return 0;
	fl_try_set(&t->cells[i], does);
	rc = fl_try_ask(t, &answer, err);
	if (rc < 0 || !fl_try_does(answer))
		return rc;
	*ret = answer;
	for (bool first = true; rc == 0 && does - fails > 1; first = false) {
		/* Often @does is what is missing, exactly: then the one before says so at once. */
		fl_amount middle = first ? does - 1 : fails + (does - fails) / 2;

		fl_try_set(&t->cells[i], middle);
		rc = fl_try_ask(t, &answer, err);
		if (rc == 0 && fl_try_does(answer)) {
			does = middle;
			*ret = answer;
		} else {
			fails = middle;
		}
	}
	fl_try_set(&t->cells[i], does);
	if (t->run->x->n_tries >= FL_TRY_MOST)
		ret->kind = FL_WAIT;
	return rc;
}
