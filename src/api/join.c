/* SPDX-License-Identifier: Apache-2.0 */
#include "api/join.h"

#include <string.h>

#include "model/join_from.h"
#include "model/table.h"

struct joining {
	fairlead_engine *e;
	struct fl_model *fresh; /* what is new, alone */
	struct fl_shelf shelf;  /* its objects */
	struct fl_workload *in; /* by workload of `fresh`: in the engine's model */
	uint32_t n;             /* that have joined it */
	fairlead_error *err;
};

/* New and pending Workloads, and nothing else? */
static bool are_newcomers(const fairlead_engine *e, const struct fl_changes *changes,
			  const struct fl_model *edit)
{
	const struct fl_model *m = e->model;

	if (!e->ops->join || fl_model_places_left(m) < edit->n_workloads || fl_model_is_worn(m) ||
	    edit->n_workloads != changes->n)
		return false;
	for (uint32_t i = 0; i < changes->n; i++)
		if (changes->rows[i].deleted || strcmp(changes->rows[i].kind, "Workload") != 0)
			return false;
	for (uint32_t w = 0; w < edit->n_workloads; w++) {
		const struct fl_workload_row *row = &edit->workloads[w];

		if (row->gang != FL_NONE || row->admitted_queue_name.v != FL_NONE ||
		    row->admission.n > 0 ||
		    fl_model_find_workload(m, fl_model_text(edit, row->namespace),
					   fl_model_text(edit, row->name))
				    .v != FL_NONE)
			return false;
	}
	return true;
}

static int read_fresh(struct joining *j, struct fl_changes *changes, const struct fl_model *edit)
{
	int r = fl_model_new(&j->e->mem, &j->fresh, j->err);

	if (r == 0)
		r = fl_shelf_init(&j->shelf, &j->e->mem, j->err);
	if (r < 0)
		return r;
	j->fresh->wanted = j->e->wanted;
	r = fl_shelf_add(changes, edit, j->fresh, &j->shelf, j->err);
	return r < 0 ? r : fl_shelf_reserve(&j->e->shelf, &j->shelf, j->err);
}

/* The places of the new objects are in inputs that the model may not have. */
static int push_inputs(struct joining *j)
{
	struct fl_model *m = j->e->model;
	int r = 0;

	for (uint32_t i = 0; i < j->fresh->n_inputs && r == 0; i++) {
		const char *name = fl_model_text(j->fresh, j->fresh->inputs[i]);
		struct fl_sym sym;
		uint32_t k = 0;

		r = fl_model_sym(m, name, strlen(name), &sym, j->err);
		while (k < m->n_inputs && m->inputs[k].v != sym.v)
			k++;
		if (r == 0 && k == m->n_inputs)
			r = fl_model_push_inputs(m, &sym, /* ret_id= */ NULL, j->err);
	}
	return r;
}

/* Takes part, absent yet.  1: it needs a new model. */
static int join_one(struct joining *j, uint32_t w)
{
	const fairlead_engine *e = j->e;
	struct fl_workload in;
	const char *why;
	int r = fl_model_join_from(e->model, j->fresh, (struct fl_workload){ w }, &in, &why,
				   j->err);

	if (r != 0)
		return r;
	r = e->ops->join(e->policy, in, j->err);
	if (r == 0)
		j->in[j->n++] = in;
	else
		(void)fl_model_leave(e->model, in, /* err= */ NULL);
	return r;
}

/* All of those that joined, or none. */
static int submit_all(const struct joining *j)
{
	const fairlead_engine *e = j->e;
	fl_mark mark;
	int r = e->ops->mark(e->policy, &mark, j->err);

	if (r < 0)
		return r;
	for (uint32_t i = 0; i < j->n && r == 0; i++) {
		const struct fl_event come = { .kind = FL_EV_SUBMIT, .workload = j->in[i] };

		r = e->ops->apply(e->policy, e->now, &come, j->err);
		if (r == FAIRLEAD_ESTATE)
			r = 0; /* it has no queue, and stays out */
	}
	if (r == 0)
		e->ops->keep(e->policy, mark);
	else
		e->ops->rollback(e->policy, mark);
	return r;
}

/* All of them, or, with an answer that is not 0, none. */
static int join_all(struct joining *j)
{
	const fairlead_engine *e = j->e;
	const uint32_t n_notices = e->model->n_notices, dropped = e->model->notices_dropped;
	int r = 0;

	j->in = e->mem.resize(e->mem.user, NULL,
			      (j->fresh->n_workloads + (size_t)1) * sizeof *j->in);
	if (!j->in)
		return fl_fail_nomem(j->err);
	/* To give the places back takes no memory then. */
	r = fl_mem_grow(e->model->mem, &e->model->vacant, &e->model->cap_vacant,
			e->model->n_vacant + j->fresh->n_workloads, sizeof *e->model->vacant,
			j->err);
	if (r == 0)
		r = fl_model_take_notices(e->model, j->fresh, j->err);
	for (uint32_t w = 0; w < j->fresh->n_workloads && r == 0; w++)
		r = join_one(j, w);
	if (r == 0)
		r = submit_all(j);
	while (r != 0 && j->n > 0) {
		const struct fl_workload in = j->in[--j->n];

		(void)e->ops->leave(e->policy, in, /* err= */ NULL);
		(void)fl_model_leave(e->model, in, /* err= */ NULL);
	}
	if (r != 0) {
		e->model->n_notices = n_notices;
		e->model->notices_dropped = dropped;
	}
	return r;
}

int fl_engine_join(fairlead_engine *e, struct fl_changes *changes, const struct fl_model *edit,
		   fairlead_error *err)
{
	struct joining j = { .e = e, .err = err };
	int r = 1;

	if (are_newcomers(e, changes, edit)) {
		r = read_fresh(&j, changes, edit);
		if (r == 0)
			r = push_inputs(&j);
		if (r == 0)
			r = join_all(&j);
		if (r == 0)
			fl_shelf_join(&e->shelf, &j.shelf);
	}
	fl_mem_free(&e->mem, j.in);
	fl_shelf_done(&j.shelf);
	fl_model_free(j.fresh);
	return r;
}
