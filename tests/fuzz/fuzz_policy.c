/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operation sequences on the policy: the input's bytes choose a small world, then
 * events, cycles, trials, marks, rollbacks and questions one after another.
 *
 * After each: what is kept adds up (invariants.h).  A rollback gives back every
 * byte of usage and quota, every workload's state and the digest; so does an
 * operation that fails for want of memory, and then it is done as if nothing had
 * been.  A trial and a question change nothing.
 */
#include <string.h>

#include "ask/borrow/explain.h"
#include "ask/common/settle.h"
#include "codec/object/kube.h"
#include "fuzz/chosen_borrow.h"
#include "fuzz/invariants.h"
#include "lib/fail_mem.h"

enum { QUEUES = 4, COHORTS = 4, FLAVORS = 2, JOBS = 12, DEPTH = 5, MOST_OPERATIONS = 200 };

static const struct fl_policy_ops *const ops = &fl_borrow_policy;
static const struct chosen_borrow size_of_world = {
	.queues = QUEUES, .cohorts = COHORTS, .flavors = FLAVORS, .jobs = JOBS
};

/* --- all that must come back --- */

struct image {
	fl_mark mark;
	fl_time now;
	uint64_t digest[2];
	struct {
		enum fl_workload_state state;
		enum fl_reason reason;
		uint32_t placed;
	} jobs[JOBS];
	unsigned char bytes[1 << 14];
	size_t n;
};

static void keep_bytes(struct image *i, const void *ptr, size_t size)
{
	ENSURE(size <= sizeof i->bytes - i->n);
	memcpy(i->bytes + i->n, ptr, size);
	i->n += size;
}

static void take_image(const struct fl_policy *p, fl_time now, struct image *i)
{
	const struct fl_tree *t = fl_borrow_tree(p);
	const struct fl_usage *u = fl_borrow_usage(p);

	i->n = 0;
	i->now = now;
	ops->digest(p, now, i->digest);
	for (uint32_t w = 0; w < JOBS; w++) {
		i->jobs[w].state = ops->state(p, (struct fl_workload){ w });
		i->jobs[w].reason = ops->reason(p, (struct fl_workload){ w });
		(void)ops->placement(p, (struct fl_workload){ w }, &i->jobs[w].placed);
	}
	keep_bytes(i, u->cell, t->cells * sizeof *u->cell);
	keep_bytes(i, u->borrowed, t->res_cells * sizeof *u->borrowed);
	keep_bytes(i, u->borrowing, t->n_nodes * sizeof *u->borrowing);
	keep_bytes(i, t->nominal, t->cells * sizeof *t->nominal);
	keep_bytes(i, t->borrowing_limit, t->cells * sizeof *t->borrowing_limit);
	keep_bytes(i, t->lending_limit, t->cells * sizeof *t->lending_limit);
	keep_bytes(i, t->subtree, t->cells * sizeof *t->subtree);
	keep_bytes(i, t->potential, t->cells * sizeof *t->potential);
	keep_bytes(i, t->known, t->cells * sizeof *t->known);
	keep_bytes(i, t->weight, t->n_nodes * sizeof *t->weight);
}

static void same_as(const struct fl_policy *p, const struct image *before)
{
	static struct image after;

	take_image(p, before->now, &after);
	ENSURE(memcmp(after.digest, before->digest, sizeof after.digest) == 0);
	for (uint32_t w = 0; w < JOBS; w++)
		ENSURE(after.jobs[w].state == before->jobs[w].state &&
		       after.jobs[w].reason == before->jobs[w].reason &&
		       after.jobs[w].placed == before->jobs[w].placed);
	ENSURE(after.n == before->n && memcmp(after.bytes, before->bytes, after.n) == 0);
}

/* --- operations --- */

struct run {
	struct choices *c;
	const struct fl_model *m;
	struct fl_policy *p;
	struct fail_mem mem;
	fl_time now;
	uint32_t depth;
	struct image images[DEPTH];
};

static struct fl_event any_event(struct run *r)
{
	static const enum fl_event_kind kinds[] = { FL_EV_SUBMIT,  FL_EV_CANCEL,   FL_EV_STARTED,
						    FL_EV_EVICTED, FL_EV_FINISHED, FL_EV_REJECTED,
						    FL_EV_CELL,    FL_EV_CELL };
	static const enum fl_cell_kind cells[] = { FL_CELL_NOMINAL, FL_CELL_BORROWING_LIMIT,
						   FL_CELL_LENDING_LIMIT, FL_CELL_WEIGHT,
						   FL_CELL_PRIORITY };
	struct fl_event e = { .kind = kinds[choose(r->c, 8)] };

	e.workload.v = choose(r->c, JOBS);
	if (e.kind == FL_EV_CELL) {
		unsigned amount = choose(r->c, 12);

		e.cell.kind = cells[choose(r->c, 5)];
		e.cell.node.v = choose(r->c, r->m->n_nodes);
		e.cell.flavor.v = choose(r->c, r->m->n_flavors);
		e.cell.resource.v = choose(r->c, r->m->n_resources);
		e.cell.amount = amount == 11 ? FL_UNLIMITED : (fl_amount)amount;
		e.cell.weight = amount % 4;
		if (e.cell.kind == FL_CELL_PRIORITY)
			e.cell.amount = amount;
	}
	return e;
}

enum operation { STEP, TRY, EVENT };

struct outcome {
	int code;
	uint32_t n;
	uint64_t hash; /* of the decisions */
};

static struct outcome operate(struct run *r, enum operation what, const struct fl_event *e)
{
	struct outcome o = { 0 };
	struct fl_decisions d = { 0 };
	fairlead_error err = { 0 };

	if (what == STEP)
		o.code = ops->step(r->p, r->now, 0, /* sink= */ NULL, &d, &err);
	else if (what == TRY)
		o.code = ops->try(r->p, r->now, e->workload, /* sink= */ NULL, &d, &err);
	else
		o.code = ops->apply(r->p, r->now, e, &err);
	ENSURE(o.code == 0 || (err.code == o.code && err.text[0]));
	for (uint32_t i = 0; o.code == 0 && i < d.n; i++)
		o.hash = o.hash * 1000003 + (uint64_t)d.rows[i].kind * 64 + d.rows[i].reason * 7 +
			 d.rows[i].workload.v;
	o.n = d.n;
	return o;
}

/* Tried first with an allocation that fails, then in full. */
static void operation(struct run *r, enum operation what)
{
	static struct image before;
	struct fl_event e = any_event(r);
	struct outcome o;

	take_image(r->p, r->now, &before);
	r->mem.fail_at = 1 + choose(r->c, 4);
	o = operate(r, what, &e);
	r->mem.fail_at = 0;
	if (o.code == FAIRLEAD_ENOMEM) {
		same_as(r->p, &before);
		o = operate(r, what, &e);
	}
	ENSURE(o.code == 0 || o.code == FAIRLEAD_ESTATE || o.code == FAIRLEAD_ENOENT ||
	       o.code == FAIRLEAD_ELIMIT);
	if (o.code < 0 || what == TRY)
		same_as(r->p, &before);
}

static void complete_evictions(struct run *r)
{
	for (uint32_t w = 0; w < JOBS; w++) {
		struct fl_event e = { .kind = FL_EV_EVICTED, .workload = { w } };

		if (ops->state(r->p, e.workload) == FL_STATE_EVICTING)
			ENSURE(ops->apply(r->p, r->now, &e, NULL) == 0);
	}
}

static void ask(struct run *r)
{
	static struct image before;
	struct fl_arena arena;
	struct fl_explain x;

	take_image(r->p, r->now, &before);
	fl_arena_init(&arena, &fl_mem_heap);
	ENSURE(fl_explain(ops, r->p, r->m, r->now, (struct fl_workload){ choose(r->c, JOBS) },
			  /* machine= */ NULL, &arena, &x, NULL) == 0);
	fl_arena_done(&arena);
	same_as(r->p, &before);
}

static int no_more(void *user, const struct fl_settle_cycle *cycle, fairlead_error *err)
{
	(void)user, (void)cycle, (void)err;
	return 0;
}

/* Settled is settled: one cycle more decides nothing. */
static void settle(struct run *r)
{
	struct fl_settle_options o = { .mem = &fl_mem_heap,
				       .now = r->now,
				       .interval = FL_SECOND,
				       .cycles = 20,
				       .to_the_end = true };
	struct fl_settle_result result;

	ENSURE(fl_settle(ops, r->p, r->m, &o, no_more, NULL, &result, NULL) == 0);
	r->now += 20 * FL_SECOND;
	if (result.settled) {
		struct fl_decisions d;

		ENSURE(ops->step(r->p, r->now, 0, /* sink= */ NULL, &d, NULL) == 0);
		for (uint32_t i = 0; i < d.n; i++)
			ENSURE(d.rows[i].kind == FL_WAIT ||
			       (d.rows[i].kind == FL_EVICT && d.rows[i].already_evicting));
	}
}

static void one_operation(struct run *r)
{
	switch (choose(r->c, 16)) {
	case 0:
		if (r->depth == DEPTH)
			break;
		take_image(r->p, r->now, &r->images[r->depth]);
		ENSURE(ops->mark(r->p, &r->images[r->depth++].mark, NULL) == 0);
		break;
	case 1:
		if (!r->depth)
			break;
		r->depth = choose(r->c, r->depth); /* that one, and all newer ones */
		ops->rollback(r->p, r->images[r->depth].mark);
		same_as(r->p, &r->images[r->depth]);
		break;
	case 2:
		if (!r->depth)
			break;
		r->depth = choose(r->c, r->depth);
		ops->keep(r->p, r->images[r->depth].mark);
		break;
	case 3:
		ask(r);
		break;
	case 4:
		settle(r);
		break;
	case 5:
		complete_evictions(r);
		break;
	case 6:
	case 7:
		operation(r, TRY);
		break;
	case 8:
	case 9:
	case 10:
	case 11:
		operation(r, EVENT);
		break;
	default:
		operation(r, STEP);
	}
	r->now += choose(r->c, 8) * FL_SECOND;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct text text;
	struct choices c = { data, data + size };
	struct fl_model *m = NULL;
	fairlead_error err = { 0 };
	static struct run r;

	chosen_borrow(&text, &c, &size_of_world);
	ENSURE(fl_model_new(&fl_mem_heap, &m, &err) == 0);
	if (fl_kube_read(m, "in", text.bytes, text.n, &err) < 0 || fl_model_seal(m, &err) < 0) {
		(void)fprintf(stderr, "%u:%u %s: %s\n", err.line, err.column, err.subject,
			      err.text);
		abort();
	}
	r = (struct run){ .c = &c, .m = m, .now = m->newest };
	fail_mem_init(&r.mem);
	struct fl_policy_options options = { .mem = &r.mem.mem, .now = r.now };

	ENSURE(m->n_workloads == JOBS && ops->new (m, &options, &r.p, &err) == 0);
	invariants_hold(r.p, m);
	for (unsigned i = 0; c.at < c.end && i < MOST_OPERATIONS; i++) {
		one_operation(&r);
		invariants_hold(r.p, m);
	}
	r.p = ops->free(r.p);
	ENSURE(r.mem.live == 0);
	fl_model_free(m);
	return 0;
}
