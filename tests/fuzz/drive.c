/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/drive.h"

#include <string.h>

#include "ask/borrow/explain.h"
#include "ask/borrow/ledger.h"
#include "ask/common/pending.h"
#include "ask/entitle/explain.h"
#include "ask/lint/entitle.h"
#include "ask/lint/lint.h"
#include "codec/object/kube.h"
#include "decide/entitle/entitle.h"
#include "fuzz/entitle_invariants.h"
#include "fuzz/fuzz.h"
#include "fuzz/invariants.h"

struct run {
	const struct fl_policy_ops *ops;
	struct fl_model *m;
	struct fl_policy *p;
	fl_time now;
	struct random *random;
	struct drive_counts *counts;
};

static struct fl_workload any_workload(struct run *r)
{
	return (struct fl_workload){ pick(r->random, r->m->n_workloads) };
}

static void check(const struct run *r)
{
	if (r->ops == &fl_borrow_policy)
		invariants_hold(r->p, r->m);
	else
		entitle_invariants_hold(r->p, r->m);
}

static int explain(struct run *r, struct fl_arena *arena, fairlead_error *err)
{
	struct fl_workload w = any_workload(r);
	struct fl_entitle_explain entitled;
	struct fl_explain x;

	return r->ops == &fl_borrow_policy ?
		       fl_explain(r->ops, r->p, r->m, r->now, w, /* machine= */ NULL, arena, &x,
				  err) :
		       fl_entitle_explain(r->ops, r->p, r->m, r->now, w, /* machine= */ NULL, arena,
					  &entitled, err);
}

/* Results that nothing may depend on, but that must be computed. */
static void look(struct run *r)
{
	struct fl_pending_list pending = { .mem = &fl_mem_heap };
	struct fl_arena arena;
	struct fl_ledger ledger;
	fairlead_error err;
	uint64_t before[2], after[2];

	check(r);
	fl_arena_init(&arena, &fl_mem_heap);
	r->ops->digest(r->p, r->now, before);
	if (r->m->n_workloads && explain(r, &arena, &err) == 0)
		r->counts->explained++;
	ENSURE(fl_pending_fill(&pending, r->ops, r->p, r->m, /* d= */ NULL, &err) == 0);
	if (r->ops == &fl_borrow_policy)
		ENSURE(fl_ledger_init(&ledger, fl_borrow_tree(r->p), fl_borrow_usage(r->p), &arena,
				      &err) == 0);
	for (uint32_t n = 0; n < r->m->n_nodes; n++) {
		struct fl_share share;

		r->ops->share(r->p, (struct fl_node){ n }, &share);
	}
	r->ops->digest(r->p, r->now, after);
	ENSURE(memcmp(before, after, sizeof before) == 0); /* a question changes nothing */
	fl_pending_done(&pending);
	fl_arena_done(&arena);
}

static bool step(struct run *r, fl_time now, struct fl_decisions *d)
{
	fairlead_error err;

	if (r->ops->step(r->p, now, 0, /* sink= */ NULL, d, &err) < 0)
		return false;
	check(r);
	return true;
}

static void apply(struct run *r, enum fl_event_kind kind, struct fl_workload w)
{
	struct fl_event e = { .kind = kind, .workload = w };
	fairlead_error err;

	(void)r->ops->apply(r->p, r->now, &e, &err);
}

/* All that is done here is taken back. */
static void play(struct run *r)
{
	static const enum fl_event_kind kinds[] = { FL_EV_SUBMIT,   FL_EV_CANCEL,   FL_EV_EVICTED,
						    FL_EV_FINISHED, FL_EV_REJECTED, FL_EV_STARTED };
	struct fl_decisions d;

	for (int i = 0; i < 2; i++) {
		if (!step(r, r->now + i * FL_SECOND, &d))
			return;
		for (uint32_t k = 0; k < d.n; k++) {
			r->counts->admitted += d.rows[k].kind == FL_ADMIT;
			apply(r, d.rows[k].kind == FL_EVICT ? FL_EV_EVICTED : FL_EV_STARTED,
			      d.rows[k].workload);
		}
		r->counts->decided++;
	}
	for (int i = 0; i < 8 && r->m->n_workloads; i++)
		apply(r, kinds[pick(r->random, 6)], any_workload(r));
	check(r);
}

static void decide(struct run *r)
{
	struct fl_decisions d;
	fairlead_error err;
	fl_mark mark;
	uint64_t before[2], after[2];

	look(r);
	r->ops->digest(r->p, r->now, before);
	if (r->ops->mark(r->p, &mark, &err) < 0)
		return;
	play(r);
	r->ops->rollback(r->p, mark);
	r->ops->digest(r->p, r->now, after);
	ENSURE(memcmp(before, after, sizeof before) == 0); /* rollback is exact */
	for (int i = 0; i < 2; i++)
		if (!step(r, r->now + i * FL_SECOND, &d))
			return;
	look(r);
}

void drive(const char *text, size_t len, struct random *random, struct drive_counts *counts)
{
	struct run r = { .random = random, .counts = counts };
	fairlead_error err = { 0 };

	ENSURE(fl_model_new(&fl_mem_heap, &r.m, &err) == 0);
	int code = fl_kube_read(r.m, "in", text, len, &err);

	if (code == 0)
		code = fl_model_seal(r.m, &err);
	if (code == 0)
		code = fl_model_dialect(r.m) == FL_DIALECT_KAI ? fl_lint_entitle(r.m, &err) :
								 fl_lint_borrow(r.m, &err);
	if (code == 0 && fl_model_dialect(r.m) == FL_DIALECT_KUEUE)
		r.ops = &fl_borrow_policy;
	if (code == 0 && fl_model_dialect(r.m) == FL_DIALECT_KAI)
		r.ops = &fl_entitle_policy;
	if (r.ops) {
		r.now = r.m->newest == FL_TIME_NONE ? 0 : r.m->newest;
		struct fl_policy_options options = { .mem = &fl_mem_heap,
						     .now = r.now,
						     .moving_usage = r.ops == &fl_entitle_policy &&
								     pick(random, 2) };

		counts->read++;
		code = r.ops->new (r.m, &options, &r.p, &err);
		if (code == 0)
			decide(&r);
	}
	if (code < 0)
		ENSURE(err.code == code && err.text[0] && code != FAIRLEAD_ENOMEM);
	if (r.ops)
		r.ops->free(r.p);
	fl_model_free(r.m);
}
