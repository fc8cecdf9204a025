/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evidence - a trial with the inequalities that were tested
 *
 * Rows are gathered first and reported when all of them are there: a listener gets all or none.
 */
#include "api/engine.h"

struct gathered {
	const struct fl_mem *mem;
	struct fl_evidence *rows;
	uint32_t n, cap;
	bool out_of_memory;
};

static void gather(void *user, const struct fl_evidence *row)
{
	struct gathered *g = user;

	g->out_of_memory = g->out_of_memory || fl_mem_grow(g->mem, &g->rows, &g->cap, g->n + 1,
							   sizeof *g->rows, /* err= */ NULL) < 0;
	if (!g->out_of_memory)
		g->rows[g->n++] = *row;
}

static fairlead_number public_number(const struct fl_number *from)
{
	static const fairlead_number_kind kinds[] = {
		[FL_NUMBER_AMOUNT] = FAIRLEAD_NUMBER_AMOUNT,
		[FL_NUMBER_SHARE] = FAIRLEAD_NUMBER_SHARE,
		[FL_NUMBER_TIME] = FAIRLEAD_NUMBER_TIME,
		[FL_NUMBER_DURATION] = FAIRLEAD_NUMBER_DURATION,
		[FL_NUMBER_BUNDLE] = FAIRLEAD_NUMBER_BUNDLE,
		[FL_NUMBER_RATIO] = FAIRLEAD_NUMBER_RATIO,
	};
	bool exact = from->kind == FL_NUMBER_AMOUNT || from->kind == FL_NUMBER_TIME ||
		     from->kind == FL_NUMBER_DURATION;

	return (fairlead_number){ .kind = kinds[from->kind],
				  .amount = exact ? from->amount : 0,
				  .value = exact ? 0 : from->share };
}

static int name_or_none(fairlead_engine *e, struct fl_workload w, const char **ret,
			fairlead_error *err)
{
	*ret = "";
	return w.v == FL_NONE ? 0 : fl_engine_name(e, w, ret, err);
}

static const char *podset_of(const struct fl_model *m, const struct fl_evidence *row)
{
	const struct fl_workload_row *w;

	if (row->podset == FL_NONE || row->workload.v == FL_NONE)
		return "";
	w = &m->workloads[row->workload.v];
	return row->podset < w->podsets.n ?
		       fl_model_text(m, m->podsets[w->podsets.first + row->podset].name) :
		       "";
}

static int public_row(fairlead_engine *e, const struct fl_evidence *from, fairlead_evidence *ret,
		      fairlead_error *err)
{
	const struct fl_model *m = e->model;
	int r;

	*ret = (fairlead_evidence){
		.check = fl_check_name(from->check),
		.meaning = fl_check_meaning(from->check),
		.podset = podset_of(m, from),
		.node = from->node.v == FL_NONE ? "" :
						  fl_model_text(m, m->nodes[from->node.v].name),
		.flavor = from->flavor.v == FL_NONE ?
				  "" :
				  fl_model_text(m, m->flavors[from->flavor.v].name),
		.resource = from->resource.v == FL_NONE ?
				    "" :
				    fl_model_text(m, m->resources[from->resource.v]),
		.lhs = public_number(&from->lhs),
		.rhs = public_number(&from->rhs),
		.holds = from->holds,
		.search = from->search,
	};
	r = name_or_none(e, from->workload, &ret->workload, err);
	return r < 0 ? r : name_or_none(e, from->victim, &ret->victim, err);
}

static int public_rows(fairlead_engine *e, const struct gathered *g, fairlead_evidence **ret,
		       fairlead_error *err)
{
	int r = 0;

	*ret = fl_arena_alloc(&e->texts, g->n, sizeof **ret, err);
	if (!*ret)
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < g->n && r == 0; i++)
		r = public_row(e, &g->rows[i], &(*ret)[i], err);
	return r;
}

/* What a listener hears, in order; what decisions take can still fail then. */
struct listener {
	const fairlead_evidence *rows;
	uint32_t n;
	fairlead_evidence_fn *evidence;
	fairlead_decision_fn *fn;
	void *user;
	bool told;
};

static void tell_evidence(struct listener *l)
{
	for (uint32_t i = 0; i < l->n && !l->told; i++)
		l->evidence(l->user, &l->rows[i]);
	l->told = true;
}

static void tell_decision(void *user, const fairlead_decision *decision)
{
	struct listener *l = user;

	tell_evidence(l);
	if (l->fn)
		l->fn(l->user, decision);
}

int fairlead_engine_explain(fairlead_engine *e, int64_t now, const char *workload,
			    fairlead_evidence_fn *evidence, fairlead_decision_fn *fn, void *user,
			    fairlead_error *err)
{
	struct gathered g = { .mem = &e->mem };
	const struct fl_sink sink = { .row = gather, .user = &g };
	struct listener l = { .evidence = evidence, .fn = fn, .user = user };
	struct fl_decisions decisions;
	fairlead_evidence *rows = NULL;
	struct fl_workload w;
	int r = fl_engine_find(e, workload, &w, err);

	if (r < 0)
		return r;
	fl_arena_reset(&e->texts);
	r = e->ops->try(e->policy, now, w, evidence ? &sink : NULL, &decisions, err);
	if (r == 0 && g.out_of_memory)
		r = fl_fail_nomem(err);
	if (r == 0)
		r = public_rows(e, &g, &rows, err);
	l.rows = rows;
	l.n = g.n;
	if (r == 0)
		r = fl_engine_tell(e, &decisions, tell_decision, &l, err);
	if (r == 0)
		tell_evidence(&l); /* where there is no decision */
	fl_mem_free(&e->mem, g.rows);
	return r;
}
