/* SPDX-License-Identifier: Apache-2.0 */
/*
 * binding - the engine as a flat C interface, for properties written in Python
 *
 * One handle is a model and its policy.  Answers are rows of int64, valid until
 * the next call on the handle; engine.py beside it gives them names.  A call that
 * fails returns less than 0 and leaves its message in prop_error.
 *
 * Test code: memory comes from the heap, and running out of it ends the program.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask/common/settle.h"
#include "codec/object/kube.h"
#include "decide/borrow/borrow.h"
#include "decide/entitle/entitle.h"
#include "decide/entitle/state/state.h"
#include "decide/policy.h"

#define EXPORT __attribute__((visibility("default")))

struct prop {
	const struct fl_policy_ops *ops; /* NULL until the model is read */
	struct fl_model *m;
	struct fl_policy *p;
	int64_t *rows, *placed; /* the answer, and placements beside it */
	uint32_t n_rows, cap_rows, n_placed, cap_placed;
	double *bundles;           /* the same of amounts */
	int64_t checks[FL_CHECKS]; /* rows of evidence of the last step, try or settle */
	char error[1200];
};

static int64_t *more(int64_t **rows, uint32_t *n, uint32_t *cap, uint32_t width)
{
	if (*n + width > *cap) {
		*cap = (*n + width) * 2;
		*rows = realloc(*rows, *cap * sizeof **rows);
		if (!*rows)
			abort();
	}
	*n += width;
	return *rows + *n - width;
}

static int64_t *row(struct prop *h, uint32_t width)
{
	return more(&h->rows, &h->n_rows, &h->cap_rows, width);
}

static int64_t or_none(uint32_t id) { return id == FL_NONE ? -1 : (int64_t)id; }

static int failed(struct prop *h, int r, const fairlead_error *err)
{
	if (r < 0)
		(void)snprintf(h->error, sizeof h->error, "%s:%u:%u: %s: %s", err->file, err->line,
			       err->column, err->subject, err->text);
	return r;
}

EXPORT void prop_close(struct prop *h);
EXPORT void prop_close(struct prop *h)
{
	if (h->ops)
		h->ops->free(h->p);
	fl_model_free(h->m);
	free(h->rows);
	free(h->placed);
	free(h->bundles);
	free(h);
}

/* A handle on the objects of one text; what went wrong stands in @why (1200 bytes), then NULL. */
EXPORT struct prop *prop_open(const char *text, size_t len, int64_t now, char *why);
EXPORT struct prop *prop_open(const char *text, size_t len, int64_t now, char *why)
{
	struct prop *h = calloc(1, sizeof *h);
	struct fl_policy_options options = { .mem = &fl_mem_heap, .now = now };
	fairlead_error err = { 0 };
	int r;

	if (!h)
		abort();
	r = fl_model_new(&fl_mem_heap, &h->m, &err);
	if (r == 0)
		r = fl_kube_read(h->m, "case", text, len, &err);
	if (r == 0)
		r = fl_model_seal(h->m, &err);
	if (r == 0)
		h->ops = fl_model_dialect(h->m) == FL_DIALECT_KAI ? &fl_entitle_policy :
								    &fl_borrow_policy;
	if (r == 0)
		r = h->ops->new (h->m, &options, &h->p, &err);
	if (r == 0)
		return h;
	(void)failed(h, r, &err);
	memcpy(why, h->error, sizeof h->error);
	prop_close(h);
	return NULL;
}

EXPORT const char *prop_error(const struct prop *h);
EXPORT const char *prop_error(const struct prop *h) { return h->error; }

EXPORT const int64_t *prop_rows(const struct prop *h);
EXPORT const int64_t *prop_rows(const struct prop *h) { return h->rows; }

EXPORT const int64_t *prop_placed(const struct prop *h, uint32_t *ret_n);
EXPORT const int64_t *prop_placed(const struct prop *h, uint32_t *ret_n)
{
	*ret_n = h->n_placed;
	return h->placed;
}

/*
 * Name of node, workload, resource or flavor @id (kind 0..3), of reason or check (4, 5), machine or
 * task (6, 7); NULL behind the last.
 */
EXPORT const char *prop_name(const struct prop *h, int kind, uint32_t id);
EXPORT const char *prop_name(const struct prop *h, int kind, uint32_t id)
{
	const struct fl_model *m = h->m;

	switch (kind) {
	case 0:
		return id < m->n_nodes ? fl_model_text(m, m->nodes[id].name) : NULL;
	case 1:
		return id < m->n_workloads ? fl_model_text(m, m->workloads[id].name) : NULL;
	case 2:
		return id < m->n_resources ? fl_model_text(m, m->resources[id]) : NULL;
	case 3:
		return id < m->n_flavors ? fl_model_text(m, m->flavors[id].name) : NULL;
	case 4:
		return id < FL_REASONS ? fl_reason_name((enum fl_reason)id) : NULL;
	case 5:
		return id < FL_CHECKS ? fl_check_name((enum fl_check)id) : NULL;
	case 6:
		return id < m->n_machines ? fl_model_text(m, m->machines[id].name) : NULL;
	case 7:
		return id < m->n_tasks ? fl_model_text(m, m->tasks[id].name) : NULL;
	default:
		return NULL;
	}
}

/* What an enumerator is here; -1 when there is none of that name. */
EXPORT int prop_constant(const char *name);
EXPORT int prop_constant(const char *name)
{
	static const struct {
		const char *name;
		int value;
	} all[] = {
#define CONSTANT(prefix, name) { #name, prefix##name }
		CONSTANT(FL_, ADMIT),
		CONSTANT(FL_, RESERVE),
		CONSTANT(FL_, EVICT),
		CONSTANT(FL_, WAIT),
		CONSTANT(FL_STATE_, WAITING),
		CONSTANT(FL_STATE_, INADMISSIBLE),
		CONSTANT(FL_STATE_, ADMITTED),
		CONSTANT(FL_STATE_, EVICTING),
		CONSTANT(FL_EV_, SUBMIT),
		CONSTANT(FL_EV_, CANCEL),
		CONSTANT(FL_EV_, EVICTED),
		CONSTANT(FL_EV_, FINISHED),
		CONSTANT(FL_EV_, REJECTED),
		CONSTANT(FL_CELL_, NOMINAL),
		CONSTANT(FL_CELL_, BORROWING_LIMIT),
		CONSTANT(FL_CELL_, LENDING_LIMIT),
		CONSTANT(FL_CELL_, WEIGHT),
		CONSTANT(FL_CELL_, PRIORITY),
		CONSTANT(FL_CELL_, DESERVED),
		CONSTANT(FL_CELL_, LIMIT),
		CONSTANT(FL_CELL_, OVER_QUOTA_WEIGHT),
		CONSTANT(FL_CELL_, QUEUE_PRIORITY),
		CONSTANT(FL_CELL_, ALLOCATABLE),
		CONSTANT(FL_TASK_, WAITS),
		CONSTANT(FL_TASK_, HOLDS),
		CONSTANT(FL_TASK_, LEAVES),
#undef CONSTANT
	};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (strcmp(all[i].name, name) == 0)
			return all[i].value;
	return -1;
}

/* node, flavor, resource, known, nominal, borrowing and lending limit, subtree, local, potential, usage, available, balance */
EXPORT int prop_cells(struct prop *h);
EXPORT int prop_cells(struct prop *h)
{
	const struct fl_tree *t = fl_borrow_tree(h->p);
	const struct fl_usage *u = fl_borrow_usage(h->p);

	h->n_rows = 0;
	for (uint32_t i = 0; i < t->n_order; i++) {
		struct fl_node n = { t->order[i] };
		const struct fl_tree_root *root = fl_tree_root_of(t, n);

		for (uint32_t c = 0; c < root->n_columns; c++) {
			struct fl_column column = { c };
			size_t at = fl_tree_cell(t, n, column);
			int64_t *to = row(h, 13);

			to[0] = n.v;
			to[1] = root->columns[c].flavor.v;
			to[2] = root->columns[c].resource.v;
			to[3] = t->known[at];
			to[4] = t->nominal[at];
			to[5] = t->borrowing_limit[at];
			to[6] = t->lending_limit[at];
			to[7] = t->subtree[at];
			to[8] = t->local[at];
			to[9] = t->potential[at];
			to[10] = u->cell[at];
			to[11] = fl_quota_available(t, u, n, column);
			to[12] = fl_quota_balance(t, u, n, column);
		}
	}
	return (int)(h->n_rows / 13);
}

/* precise, ratio, weight, borrowing of node @n; precise may be infinite */
EXPORT void prop_share(const struct prop *h, uint32_t n, double ret[4]);
EXPORT void prop_share(const struct prop *h, uint32_t n, double ret[4])
{
	struct fl_share s;

	h->ops->share(h->p, (struct fl_node){ n }, &s);
	ret[0] = s.precise;
	ret[1] = s.ratio;
	ret[2] = s.weight;
	ret[3] = s.borrowing;
}

/* --- entitle only --- */

static double *put(double *to, const struct fl_bundle *bundle)
{
	memcpy(to, bundle->of, sizeof bundle->of);
	return to + FL_BUNDLE;
}

static double *room_for(struct prop *h, size_t bundles)
{
	free(h->bundles);
	h->bundles = malloc((bundles + 1) * sizeof(struct fl_bundle));
	if (!h->bundles)
		abort();
	return h->bundles;
}

/* By node: deserved, limit, weight, fair share, request, allocated, non-preemptible, usage. */
EXPORT const double *prop_standings(struct prop *h);
EXPORT const double *prop_standings(struct prop *h)
{
	double *to = room_for(h, (size_t)h->m->n_nodes * 8);

	for (uint32_t n = 0; n < h->m->n_nodes; n++) {
		const struct fl_standing *s = fl_entitle_standing(h->p, (struct fl_node){ n });
		struct fl_bundle usage = fl_entitle_usage(h->p, (struct fl_node){ n });

		to = put(put(put(to, &s->deserved), &s->limit), &s->weight);
		to = put(put(put(to, &s->fair_share), &s->request), &s->allocated);
		to = put(put(to, &s->non_preemptible), &usage);
	}
	return h->bundles;
}

/* By machine: allocatable, idle, leaving. */
EXPORT const double *prop_machines(struct prop *h);
EXPORT const double *prop_machines(struct prop *h)
{
	double *to = room_for(h, (size_t)h->m->n_machines * 3);

	for (uint32_t i = 0; i < h->m->n_machines; i++) {
		const struct fl_room *room = &h->p->rooms[i];

		to = put(put(put(to, &room->allocatable), &room->idle), &room->leaving);
	}
	return h->bundles;
}

/* workload, state, machine of each task */
EXPORT int prop_tasks(struct prop *h);
EXPORT int prop_tasks(struct prop *h)
{
	h->n_rows = 0;
	for (uint32_t t = 0; t < h->m->n_tasks; t++) {
		int64_t *to = row(h, 3);

		to[0] = or_none(h->p->tasks[t].workload.v);
		to[1] = h->p->tasks[t].state;
		to[2] = or_none(h->p->tasks[t].machine.v);
	}
	return (int)h->m->n_tasks;
}

/* --- either policy --- */

/* state and reason of each workload */
EXPORT int prop_states(struct prop *h);
EXPORT int prop_states(struct prop *h)
{
	h->n_rows = 0;
	for (uint32_t w = 0; w < h->m->n_workloads; w++) {
		int64_t *to = row(h, 2);

		to[0] = h->ops->state(h->p, (struct fl_workload){ w });
		to[1] = h->ops->reason(h->p, (struct fl_workload){ w });
	}
	return (int)h->m->n_workloads;
}

/* workload, flavor, resource, amount, count of all that is held */
EXPORT int prop_held(struct prop *h);
EXPORT int prop_held(struct prop *h)
{
	h->n_rows = 0;
	for (uint32_t w = 0; w < h->m->n_workloads; w++) {
		struct fl_workload id = { w };
		enum fl_workload_state state = h->ops->state(h->p, id);
		uint32_t n = 0;
		const struct fl_placement *p = h->ops->placement(h->p, id, &n);

		if (state != FL_STATE_ADMITTED && state != FL_STATE_EVICTING)
			continue;
		for (uint32_t i = 0; i < n; i++) {
			int64_t *to = row(h, 5);

			to[0] = w;
			to[1] = or_none(p[i].flavor.v);
			to[2] = or_none(p[i].resource.v);
			to[3] = p[i].amount;
			to[4] = p[i].count;
		}
	}
	return (int)(h->n_rows / 5);
}

static void count(void *user, const struct fl_evidence *e)
{
	((struct prop *)user)->checks[e->check]++;
}

static struct fl_sink counting(struct prop *h)
{
	memset(h->checks, 0, sizeof h->checks);
	return (struct fl_sink){ .row = count, .user = h };
}

EXPORT int64_t prop_checks(const struct prop *h, int check);
EXPORT int64_t prop_checks(const struct prop *h, int check) { return h->checks[check]; }

/*
 * cycle, kind, reason, workload, preemptor, queue, already evicting, first placement, how many,
 * action and tasks (entitle)
 */
static void put_decisions(struct prop *h, uint32_t cycle, const struct fl_decisions *d)
{
	uint32_t placed = h->n_placed / 5;

	for (uint32_t i = 0; i < d->n; i++) {
		const struct fl_decision *x = &d->rows[i];
		int64_t *to = row(h, 11);

		to[0] = cycle;
		to[1] = x->kind;
		to[2] = x->reason;
		to[3] = x->workload.v;
		to[4] = or_none(x->preemptor.v);
		to[5] = x->cluster_queue.v;
		to[6] = x->already_evicting;
		to[7] = placed + x->placement.first;
		to[8] = x->placement.n;
		to[9] = x->action;
		to[10] = x->count;
	}
	for (uint32_t i = 0; i < d->n_placements; i++) {
		const struct fl_placement *p = &d->placements[i];
		int64_t *to = more(&h->placed, &h->n_placed, &h->cap_placed, 5);

		to[0] = or_none(p->podset);
		to[1] = or_none(p->flavor.v);
		to[2] = or_none(p->resource.v);
		to[3] = p->amount;
		to[4] = p->count;
	}
}

/* One cycle, or with @w not FL_NONE a try of it; how many rows of decisions. */
EXPORT int prop_decide(struct prop *h, int64_t now, uint32_t w);
EXPORT int prop_decide(struct prop *h, int64_t now, uint32_t w)
{
	struct fl_sink sink = counting(h);
	struct fl_decisions d;
	fairlead_error err = { 0 };
	int r = w == FL_NONE ? h->ops->step(h->p, now, 0, &sink, &d, &err) :
			       h->ops->try(h->p, now, (struct fl_workload){ w }, &sink, &d, &err);

	h->n_rows = h->n_placed = 0;
	if (r < 0)
		return failed(h, r, &err);
	put_decisions(h, 1, &d);
	return (int)(h->n_rows / 11);
}

/* FL_EV_... @kind of workload @w */
EXPORT int prop_event(struct prop *h, int64_t now, int kind, uint32_t w);
EXPORT int prop_event(struct prop *h, int64_t now, int kind, uint32_t w)
{
	struct fl_event e = { .kind = (enum fl_event_kind)kind, .workload = { w } };
	fairlead_error err = { 0 };

	return failed(h, h->ops->apply(h->p, now, &e, &err), &err);
}

/* A quota, limit, priority or weight (FL_CELL_... @kind) becomes @amount or @weight; a priority is
 * that of workload @node. */
EXPORT int prop_change(struct prop *h, int64_t now, int kind, uint32_t node, uint32_t flavor,
		       uint32_t resource, int64_t amount, double weight);
EXPORT int prop_change(struct prop *h, int64_t now, int kind, uint32_t node, uint32_t flavor,
		       uint32_t resource, int64_t amount, double weight)
{
	struct fl_event e = { .kind = FL_EV_CELL,
			      .workload = { node },
			      .cell = { .kind = (enum fl_cell_kind)kind,
					.node = { node },
					.flavor = { flavor },
					.resource = { resource },
					.amount = amount,
					.weight = weight } };
	fairlead_error err = { 0 };

	return failed(h, h->ops->apply(h->p, now, &e, &err), &err);
}

EXPORT int prop_mark(struct prop *h, uint32_t *ret);
EXPORT int prop_mark(struct prop *h, uint32_t *ret)
{
	fairlead_error err = { 0 };

	return failed(h, h->ops->mark(h->p, ret, &err), &err);
}

EXPORT void prop_rollback(struct prop *h, uint32_t mark);
EXPORT void prop_rollback(struct prop *h, uint32_t mark) { h->ops->rollback(h->p, mark); }

EXPORT void prop_keep(struct prop *h, uint32_t mark);
EXPORT void prop_keep(struct prop *h, uint32_t mark) { h->ops->keep(h->p, mark); }

EXPORT void prop_digest(const struct prop *h, int64_t now, uint64_t ret[2]);
EXPORT void prop_digest(const struct prop *h, int64_t now, uint64_t ret[2])
{
	h->ops->digest(h->p, now, ret);
}

static int log_cycle(void *user, const struct fl_settle_cycle *c, fairlead_error *err)
{
	(void)err;
	put_decisions(user, c->number, c->decisions);
	return 0;
}

/* Settle; how many rows of decisions. @ret: cycles, kept, settled, first cycle and period of a loop. */
EXPORT int prop_settle(struct prop *h, int64_t now, int64_t interval, uint32_t cycles,
		       int64_t ret[5]);
EXPORT int prop_settle(struct prop *h, int64_t now, int64_t interval, uint32_t cycles,
		       int64_t ret[5])
{
	struct fl_sink sink = counting(h);
	struct fl_settle_options options = {
		.mem = &fl_mem_heap,
		.sink = &sink,
		.now = now,
		.interval = interval,
		.cycles = cycles,
		.to_the_end = true,
	};
	struct fl_settle_result result;
	fairlead_error err = { 0 };
	int r;

	h->n_rows = h->n_placed = 0;
	r = fl_settle(h->ops, h->p, h->m, &options, log_cycle, h, &result, &err);
	if (r < 0)
		return failed(h, r, &err);
	ret[0] = result.cycles;
	ret[1] = result.kept;
	ret[2] = result.settled;
	ret[3] = result.loop_first;
	ret[4] = result.loop_period;
	return (int)(h->n_rows / 11);
}
