/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/drive.h"

#include <string.h>

#include "ask/explain.h"
#include "ask/ledger.h"
#include "ask/lint.h"
#include "ask/pending.h"
#include "codec/kube.h"
#include "fuzz/fuzz.h"
#include "fuzz/invariants.h"

static const struct fl_policy_ops *const ops = &fl_borrow_policy;

struct run {
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

/* Results that nothing may depend on, but that must be computed. */
static void look(struct run *r)
{
	struct fl_pending_list pending = { .mem = &fl_mem_heap };
	struct fl_arena arena;
	struct fl_explain x;
	struct fl_ledger ledger;
	fairlead_error err;
	uint64_t before[2], after[2];

	invariants_hold(r->p, r->m);
	fl_arena_init(&arena, &fl_mem_heap);
	ops->digest(r->p, r->now, before);
	if (r->m->n_workloads &&
	    fl_explain(ops, r->p, r->m, r->now, any_workload(r), &arena, &x, &err) == 0)
		r->counts->explained++;
	ENSURE(fl_pending_fill(&pending, ops, r->p, r->m, /* d= */ NULL, &err) == 0);
	ENSURE(fl_ledger_init(&ledger, fl_borrow_tree(r->p), fl_borrow_usage(r->p), &arena, &err) ==
	       0);
	for (uint32_t n = 0; n < r->m->n_nodes; n++) {
		struct fl_share share;

		ops->share(r->p, (struct fl_node){ n }, &share);
	}
	ops->digest(r->p, r->now, after);
	ENSURE(memcmp(before, after, sizeof before) == 0); /* a question changes nothing */
	fl_pending_done(&pending);
	fl_arena_done(&arena);
}

static bool step(struct run *r, fl_time now, struct fl_decisions *d)
{
	fairlead_error err;

	if (ops->step(r->p, now, 0, /* sink= */ NULL, d, &err) < 0)
		return false;
	invariants_hold(r->p, r->m);
	return true;
}

static void apply(struct run *r, enum fl_event_kind kind, struct fl_workload w)
{
	struct fl_event e = { .kind = kind, .workload = w };
	fairlead_error err;

	(void)ops->apply(r->p, r->now, &e, &err);
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
	invariants_hold(r->p, r->m);
}

static void decide(struct run *r)
{
	struct fl_decisions d;
	fairlead_error err;
	fl_mark mark;
	uint64_t before[2], after[2];

	look(r);
	ops->digest(r->p, r->now, before);
	if (ops->mark(r->p, &mark, &err) < 0)
		return;
	play(r);
	ops->rollback(r->p, mark);
	ops->digest(r->p, r->now, after);
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
		code = fl_lint(r.m, &err);
	if (code == 0 && fl_model_policy(r.m) == FL_POLICY_BORROW) {
		r.now = r.m->newest == FL_TIME_NONE ? 0 : r.m->newest;
		struct fl_policy_options options = { .mem = &fl_mem_heap, .now = r.now };

		counts->read++;
		code = ops->new (r.m, &options, &r.p, &err);
		if (code == 0)
			decide(&r);
	}
	if (code < 0)
		ENSURE(err.code == code && err.text[0] && code != FAIRLEAD_ENOMEM);
	ops->free(r.p);
	fl_model_free(r.m);
}
