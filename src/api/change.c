/* SPDX-License-Identifier: Apache-2.0 */
/*
 * change - objects after seal: another model with what is there now, and a policy that continues
 *
 * All that can fail is done beside the engine, which then takes it over as a whole.  New pending
 * Workloads alone join the engine's own model (join.c), while it has places for them.
 */
#include <string.h>

#include "api/engine.h"
#include "api/join.h"
#include "model/table.h"

/* What is made, and what it is made of. */
struct changing {
	fairlead_engine *e;
	struct fl_changes changes;
	struct fl_model *edit; /* what is read, alone */
	struct fl_shelf shelf;
	struct fl_model *model;
	const struct fl_policy_ops *ops;
	struct fl_policy *policy;
	struct fl_workload *was; /* by workload of `model`: in the engine's; FL_NONE */
	struct fl_pairs pods;    /* namespace and name -> workload, of the engine's lone pods */
	fairlead_error *err;
};

static int check_may_change(const fairlead_engine *e, fairlead_error *err)
{
	if (!e->policy)
		return fl_fail(err, FAIRLEAD_ESTATE, "the engine is not sealed yet");
	if (!e->keeps) {
		(void)fl_fail(err, FAIRLEAD_ESTATE,
			      "the engine is sealed, and has not kept its objects");
		(void)fl_fail_hint(err, "make it with FAIRLEAD_KEEP_OBJECTS");
		return FAIRLEAD_ESTATE;
	}
	return e->marks ? fl_fail(err, FAIRLEAD_ESTATE,
				  "objects do not change inside a mark: roll it back first") :
			  0;
}

/* --- what changes --- */

/* They are what was before, or what a simulation is to do. */
static int check_kind(const struct changing *c, uint32_t row)
{
	static const char *const before[] = { "UsageHistory", "Simulation", "Moves" };

	for (size_t i = 0; i < sizeof before / sizeof *before; i++)
		if (strcmp(c->changes.rows[row].kind, before[i]) == 0)
			return fl_fail(c->err, FAIRLEAD_EINPUT, "'%s' is read before seal only",
				       fl_change_name(&c->changes, row));
	return 0;
}

static int read_changes(struct changing *c, const char *name, const struct fl_source *source,
			const char *const *removed, size_t n_removed)
{
	int r = fl_changes_init(&c->changes, &c->e->mem, c->err);

	c->changes.now = c->e->now - FL_SECOND; /* a new workload is created a second later */
	if (r == 0)
		r = fl_model_new(&c->e->mem, &c->edit, c->err);
	for (size_t i = 0; i < n_removed && r == 0; i++)
		r = fl_changes_delete(&c->changes, removed[i], c->err);
	if (r < 0)
		return r;
	c->edit->wanted = c->e->wanted;
	if (source)
		r = fl_kube_read_from(c->edit, name, source, &c->changes.collect, c->err);
	if (r == 0 && c->edit->n_nodes + c->edit->n_workloads + c->edit->n_tasks && !c->changes.n)
		r = fl_fail(c->err, FAIRLEAD_EINPUT,
			    "'%.200s' has no objects: write them with apiVersion and kind", name);
	for (uint32_t i = 0; i < c->changes.n && r == 0; i++)
		r = check_kind(c, i);
	return r;
}

/* Does more change than the set of workloads? */
static bool changes_rules(const struct changing *c)
{
	static const char *const plain[] = { "Workload", "Pod", "PodGroup" };

	for (uint32_t i = 0; i < c->changes.n; i++) {
		bool found = false;

		for (size_t k = 0; k < sizeof plain / sizeof *plain; k++)
			found |= strcmp(c->changes.rows[i].kind, plain[k]) == 0;
		if (!found)
			return true;
	}
	return false;
}

static int make_model(struct changing *c)
{
	int r = fl_model_new(&c->e->mem, &c->model, c->err);

	if (r == 0)
		r = fl_shelf_init(&c->shelf, &c->e->mem, c->err);
	if (r < 0)
		return r;
	c->model->wanted = c->e->wanted;
	c->model->spare = c->e->model->n_workloads / FL_ENGINE_SPARE_SHARE + FL_ENGINE_SPARE;
	r = fl_shelf_lay(&c->e->shelf, &c->changes, c->edit, c->model, &c->shelf, c->err);
	return r < 0 ? r : fl_model_seal(c->model, c->err);
}

/* --- workloads of the engine and of the new model --- */

static bool same_text(const struct changing *c, struct fl_sym old, struct fl_sym fresh)
{
	return strcmp(fl_model_text(c->e->model, old), fl_model_text(c->model, fresh)) == 0;
}

static bool same_podsets(const struct changing *c, struct fl_span old, struct fl_span fresh)
{
	for (uint32_t i = 0; i < old.n && old.n == fresh.n; i++) {
		const struct fl_podset *x = &c->e->model->podsets[old.first + i];
		const struct fl_podset *y = &c->model->podsets[fresh.first + i];

		if (x->count != y->count || x->min_count != y->min_count ||
		    x->spec_hash != y->spec_hash || !same_text(c, x->name, y->name))
			return false;
	}
	return old.n == fresh.n;
}

static bool same_tasks(const struct changing *c, struct fl_span old, struct fl_span fresh)
{
	for (uint32_t i = 0; i < old.n && old.n == fresh.n; i++) {
		const struct fl_task_row *x = &c->e->model->tasks[old.first + i];
		const struct fl_task_row *y = &c->model->tasks[fresh.first + i];

		if (!same_text(c, x->name, y->name) ||
		    memcmp(&x->request, &y->request, sizeof x->request) != 0)
			return false;
	}
	return old.n == fresh.n;
}

/* Asks @fresh for what @old asked for? */
static bool same_wants(const struct changing *c, const struct fl_workload_row *old,
		       const struct fl_workload_row *fresh)
{
	if (fresh->gang == FL_NONE)
		return same_podsets(c, old->podsets, fresh->podsets);
	return same_tasks(c, c->e->model->gangs[old->gang].tasks,
			  c->model->gangs[fresh->gang].tasks);
}

/* The model's own table has no pods that are one for themselves. */
static int list_pods(struct changing *c)
{
	const struct fl_model *old = c->e->model;
	int r = 0;

	fl_pairs_init(&c->pods, &c->e->mem);
	for (uint32_t w = 0; w < old->n_workloads && r == 0; w++) {
		const struct fl_workload_row *row = &old->workloads[w];
		uint32_t same;

		if (row->gang != FL_NONE && old->gangs[row->gang].lone)
			r = fl_pairs_add(&c->pods, row->namespace.v, row->name.v, w, &same, c->err);
	}
	return r < 0 ? r : 0;
}

/* The row of the engine's model that has the name; FL_NONE. */
static uint32_t find_old(const struct changing *c, const struct fl_workload_row *row)
{
	const struct fl_model *old = c->e->model;
	const char *namespace = fl_model_text(c->model, row->namespace),
		   *name = fl_model_text(c->model, row->name);
	struct fl_sym ns = fl_names_find(&old->names, namespace, strlen(namespace)),
		      sym = fl_names_find(&old->names, name, strlen(name));

	enum fl_table table = fl_table_of_workload(c->model, row);

	if (ns.v == FL_NONE || sym.v == FL_NONE)
		return FL_NONE;
	return table == FL_TABLE_POD ? fl_pairs_find(&c->pods, ns.v, sym.v) :
				       fl_table_find(old, table, ns, sym);
}

static int refuse(const struct changing *c, const struct fl_workload_row *row, const char *text,
		  const char *hint)
{
	char subject[FL_SUBJECT];

	(void)fl_fail(c->err, FAIRLEAD_EINPUT, "%s", text);
	(void)fl_fail_hint(c->err, "%s", hint);
	fl_fail_in(c->err, "%s",
		   fl_table_subject(c->model, fl_table_of_workload(c->model, row), row->namespace,
				    row->name, subject));
	return FAIRLEAD_EINPUT;
}

static bool holds_by_status(const struct fl_model *m, const struct fl_workload_row *row)
{
	struct fl_span tasks = { 0 };

	if (row->gang == FL_NONE)
		return row->admitted_queue.v != FL_NONE;
	tasks = m->gangs[row->gang].tasks;
	for (uint32_t i = 0; i < tasks.n; i++)
		if (m->tasks[tasks.first + i].machine.v != FL_NONE)
			return true;
	return false;
}

/*
 * Which workload of the engine's each is; FL_NONE for a new one.  New is also one that was there
 * without a queue, and a pending one that asks for something else than before.
 */
static int match(struct changing *c, uint32_t w)
{
	const struct fl_workload_row *row = &c->model->workloads[w], *old;
	struct fl_workload was = { find_old(c, row) };
	enum fl_workload_state state;

	c->was[w].v = FL_NONE;
	if (was.v == FL_NONE)
		return holds_by_status(c->model, row) ?
			       refuse(c, row, "holds quota, and the engine does not know of it",
				      "after seal a new workload is pending") :
			       0;
	old = &c->e->model->workloads[was.v];
	state = c->e->ops->state(c->e->policy, was);
	if (!same_wants(c, old, row)) {
		if (state == FL_STATE_ADMITTED || state == FL_STATE_EVICTING)
			return refuse(c, row, "holds quota, and its requests would change",
				      "report that it was evicted or has finished, then change it");
		return 0;
	}
	if (state != FL_STATE_ABSENT || old->excluded == 0)
		c->was[w] = was;
	return 0;
}

static int match_all(struct changing *c)
{
	uint32_t n = c->model->n_workloads;
	int r = list_pods(c);

	if (r < 0)
		return r;
	c->was = c->e->mem.resize(c->e->mem.user, NULL, (n + (size_t)1) * sizeof *c->was);
	if (!c->was)
		return fl_fail_nomem(c->err);
	for (uint32_t w = 0; w < n && r == 0; w++)
		r = match(c, w);
	return r;
}

/* --- the policy --- */

/* New workloads; one without a queue stays out. */
static int let_in(struct changing *c)
{
	for (uint32_t w = 0; w < c->model->n_workloads; w++) {
		const struct fl_event come = { .kind = FL_EV_SUBMIT, .workload = { w } };
		int r;

		if (c->was[w].v != FL_NONE || c->model->workloads[w].excluded != 0)
			continue;
		r = c->ops->apply(c->policy, c->e->now, &come, c->err);
		if (r < 0 && r != FAIRLEAD_ESTATE)
			return r;
	}
	return 0;
}

static int make_policy(struct changing *c)
{
	const fairlead_engine *e = c->e;
	bool nothing = e->model->n_nodes + e->model->n_workloads == 0;
	int r = fl_engine_ops(c->model, &c->ops, c->err);

	if (r == 0 && c->ops != e->ops && !nothing)
		r = fl_fail(c->err, FAIRLEAD_EINPUT, "the policy would change from %s to %s",
			    e->ops->name, c->ops->name);
	if (r == 0)
		r = fl_engine_policy(e, c->model, e->now, c->ops, &c->policy, c->err);
	if (r == 0)
		r = match_all(c);
	if (r == 0 && c->ops == e->ops)
		r = c->ops->adopt(c->policy, e->now, e->policy, c->was, c->err);
	if (r == 0)
		r = let_in(c);
	if (r == 0 && changes_rules(c))
		r = c->ops->forget(c->policy, e->now, c->err);
	return r;
}

/* --- all of it --- */

static void take_over(struct changing *c)
{
	fairlead_engine *e = c->e;
	struct fl_kube_tap tap = { .object = e->shelf.tap.object, .user = &e->shelf };

	e->ops->free(e->policy);
	fl_model_free(e->model);
	e->ops = c->ops;
	e->policy = c->policy;
	e->model = c->model;
	fl_shelf_give(&e->shelf, &c->shelf);
	e->shelf = c->shelf;
	e->shelf.tap = tap;
	c->policy = NULL;
	c->model = NULL;
	c->shelf = (struct fl_shelf){ 0 };
}

int fl_engine_change(fairlead_engine *e, const char *name, const struct fl_source *source,
		     const char *const *removed, size_t n_removed, fairlead_error *err)
{
	struct changing c = { .e = e, .err = err };
	int r = check_may_change(e, err);

	if (r < 0)
		return r;
	r = read_changes(&c, name, source, removed, n_removed);
	if (r == 0)
		r = fl_engine_join(e, &c.changes, c.edit, err);
	if (r == 1) {
		r = make_model(&c);
		if (r == 0)
			r = make_policy(&c);
		if (r == 0)
			take_over(&c);
	}
	if (c.policy)
		c.ops->free(c.policy);
	fl_mem_free(&e->mem, c.was);
	fl_pairs_done(&c.pods);
	fl_shelf_done(&c.shelf);
	fl_model_free(c.model);
	fl_model_free(c.edit);
	fl_changes_done(&c.changes);
	return r;
}
