/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operation sequences on the entitle policy: the input's bytes choose a small world,
 * then events, cells, samples of usage, cycles, trials, marks, rollbacks and questions.
 *
 * After each: what is kept adds up (entitle_invariants.h).  A step binds nobody beyond a
 * machine's room, a limit or the quota for what cannot be preempted, and no gang in part.
 * A rollback gives back every task, figure and the digest; so does an operation that
 * fails for want of memory, and then it is done as if nothing had been.  A trial and a
 * question change nothing.
 */
#include <string.h>

#include "ask/common/settle.h"
#include "ask/entitle/explain.h"
#include "codec/object/kube.h"
#include "decide/entitle/entitle.h"
#include "decide/entitle/state/state.h"
#include "fuzz/chosen_entitle.h"
#include "fuzz/entitle_invariants.h"
#include "lib/fail_mem.h"

enum {
	TOPS = 2,
	MIDDLES = 2,
	LEAVES = 4,
	QUEUES = TOPS + MIDDLES + LEAVES,
	MACHINES = 3,
	JOBS = 8,
	PODS = 3,
	TASKS = JOBS * PODS + 1,
	DEPTH = 5,
	MOST_OPERATIONS = 200
};

static const struct fl_policy_ops *const ops = &fl_entitle_policy;
static const struct chosen_entitle size_of_world = {
	.tops = TOPS,
	.middles = MIDDLES,
	.leaves = LEAVES,
	.machines = MACHINES,
	.jobs = JOBS,
	.pods = PODS,
};

/* --- all that must come back --- */

struct image {
	fl_mark mark;
	fl_time now;
	uint64_t digest[2];
	struct fl_task tasks[TASKS];
	struct fl_job jobs[JOBS];
	struct fl_standing queues[QUEUES];
	struct fl_room rooms[MACHINES];
	struct fl_bundle total, usage[QUEUES], history[QUEUES];
};

static void take_image(const struct fl_policy *p, fl_time now, struct image *i)
{
	const struct fl_model *m = p->model;

	i->now = now;
	ops->digest(p, now, i->digest);
	memcpy(i->tasks, p->tasks, m->n_tasks * sizeof *p->tasks);
	memcpy(i->jobs, p->jobs, m->n_workloads * sizeof *p->jobs);
	memcpy(i->queues, p->queues, m->n_nodes * sizeof *p->queues);
	memcpy(i->rooms, p->rooms, m->n_machines * sizeof *p->rooms);
	i->total = p->total;
	if (p->usage)
		memcpy(i->usage, p->usage, sizeof i->usage);
	/* As of later than any event so far. */
	if (p->history)
		fl_history_usage(p->history, now + 600 * FL_SECOND, i->history);
}

static bool same_bundle(const struct fl_bundle *a, const struct fl_bundle *b)
{
	return memcmp(a, b, sizeof *a) == 0;
}

static void same_job(const struct fl_job *a, const struct fl_job *b)
{
	ENSURE(a->priority == b->priority && a->preemptible == b->preemptible);
	ENSURE(a->n_waits == b->n_waits && a->n_holds == b->n_holds);
	ENSURE(a->n_promised == b->n_promised && a->n_leaves == b->n_leaves);
	ENSURE(a->present == b->present && a->started == b->started);
	ENSURE(a->stale_since == b->stale_since && a->reason == b->reason);
}

static void same_queue(const struct fl_standing *a, const struct fl_standing *b)
{
	ENSURE(a->priority == b->priority && same_bundle(&a->deserved, &b->deserved));
	ENSURE(same_bundle(&a->limit, &b->limit) && same_bundle(&a->weight, &b->weight));
	ENSURE(same_bundle(&a->fair_share, &b->fair_share));
	ENSURE(same_bundle(&a->request, &b->request));
	ENSURE(same_bundle(&a->allocated, &b->allocated));
	ENSURE(same_bundle(&a->non_preemptible, &b->non_preemptible));
}

static void same_as(const struct fl_policy *p, const struct image *before)
{
	static struct image after;
	const struct fl_model *m = p->model;

	take_image(p, before->now, &after);
	ENSURE(memcmp(after.digest, before->digest, sizeof after.digest) == 0);
	for (uint32_t t = 0; t < m->n_tasks; t++)
		ENSURE(after.tasks[t].state == before->tasks[t].state &&
		       after.tasks[t].machine.v == before->tasks[t].machine.v &&
		       after.tasks[t].promised.v == before->tasks[t].promised.v &&
		       after.tasks[t].trial == before->tasks[t].trial);
	for (uint32_t w = 0; w < m->n_workloads; w++)
		same_job(&after.jobs[w], &before->jobs[w]);
	for (uint32_t q = 0; q < m->n_nodes; q++)
		same_queue(&after.queues[q], &before->queues[q]);
	for (uint32_t i = 0; i < m->n_machines; i++)
		ENSURE(same_bundle(&after.rooms[i].allocatable, &before->rooms[i].allocatable) &&
		       same_bundle(&after.rooms[i].idle, &before->rooms[i].idle) &&
		       same_bundle(&after.rooms[i].leaving, &before->rooms[i].leaving));
	ENSURE(same_bundle(&after.total, &before->total));
	if (p->usage)
		ENSURE(memcmp(after.usage, before->usage, sizeof after.usage) == 0);
	if (p->history)
		ENSURE(memcmp(after.history, before->history, sizeof after.history) == 0);
}

/* --- a step is legal --- */

/* No more than before, or within @most. */
static void no_further(const struct fl_bundle *before, const struct fl_bundle *after,
		       const struct fl_bundle *most)
{
	for (int r = 0; r < FL_BUNDLE; r++)
		ENSURE(after->of[r] <= before->of[r] || most->of[r] == FL_UNBOUNDED ||
		       after->of[r] <= most->of[r]);
}

static void step_is_legal(const struct fl_policy *p, const struct image *before)
{
	const struct fl_bundle nothing = { { 0 } };

	for (uint32_t q = 0; q < p->model->n_nodes; q++) {
		const struct fl_standing *was = &before->queues[q], *is = &p->queues[q];

		no_further(&was->allocated, &is->allocated, &is->limit);
		no_further(&was->non_preemptible, &is->non_preemptible, &is->deserved);
	}
	for (uint32_t i = 0; i < p->model->n_machines; i++)
		for (int r = 0; r < FL_BUNDLE; r++)
			ENSURE(p->rooms[i].idle.of[r] >= before->rooms[i].idle.of[r] ||
			       p->rooms[i].idle.of[r] >= nothing.of[r]);
	for (uint32_t w = 0; w < p->model->n_workloads; w++) {
		const struct fl_job *was = &before->jobs[w], *is = &p->jobs[w];

		/* Bound whole; the cycle's later actions may take or move some of it again. */
		ENSURE(is->n_holds <= was->n_holds || is->n_holds + is->n_leaves >= is->min_tasks);
	}
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

static struct fl_cell any_cell(struct run *r)
{
	static const enum fl_cell_kind kinds[] = {
		FL_CELL_DESERVED,       FL_CELL_LIMIT,    FL_CELL_OVER_QUOTA_WEIGHT,
		FL_CELL_QUEUE_PRIORITY, FL_CELL_PRIORITY, FL_CELL_ALLOCATABLE
	};
	unsigned amount = choose(r->c, 12);
	struct fl_cell cell = { .kind = kinds[choose(r->c, 6)], .flavor = { FL_NONE } };

	cell.resource = r->m->axis[choose(r->c, 4) ? FL_GPU : FL_CPU];
	if (cell.kind == FL_CELL_ALLOCATABLE)
		cell.machine.v = choose(r->c, r->m->n_machines);
	else
		cell.node.v = choose(r->c, r->m->n_nodes);
	if (cell.kind == FL_CELL_PRIORITY)
		cell.amount = 40 + 10 * (fl_amount)amount;
	else if (cell.kind == FL_CELL_QUEUE_PRIORITY)
		cell.value = 95 + amount;
	else
		cell.value = amount == 11 ? FL_UNBOUNDED : amount;
	return cell;
}

static struct fl_event any_event(struct run *r)
{
	static const enum fl_event_kind kinds[] = { FL_EV_SUBMIT,  FL_EV_CANCEL,   FL_EV_STARTED,
						    FL_EV_EVICTED, FL_EV_FINISHED, FL_EV_REJECTED,
						    FL_EV_CELL,    FL_EV_CELL,     FL_EV_CELL,
						    FL_EV_USAGE };
	struct fl_event e = { .kind = kinds[choose(r->c, 10)] };

	e.workload.v = choose(r->c, JOBS);
	if (e.kind == FL_EV_CELL)
		e.cell = any_cell(r);
	if (e.kind == FL_EV_USAGE) {
		unsigned queue = choose(r->c, QUEUES + 1);

		e.sample = (struct fl_sample){ .node = { queue == QUEUES ? FL_NONE : queue },
					       .from = r->now - choose(r->c, 8) * FL_SECOND,
					       .to = r->now };
		e.sample.amount.of[FL_GPU] = choose(r->c, 8);
	}
	return e;
}

enum operation { STEP, TRY, EVENT };

static uint64_t hash_of(const struct fl_decisions *d)
{
	uint64_t hash = d->n;

	for (uint32_t i = 0; i < d->n; i++)
		hash = hash * 1000003 + (uint64_t)d->rows[i].kind * 64 + d->rows[i].reason * 7 +
		       d->rows[i].workload.v;
	return hash;
}

static int operate(struct run *r, enum operation what, const struct fl_event *e, uint64_t *hash)
{
	struct fl_decisions d = { 0 };
	fairlead_error err = { 0 };
	int code;

	if (what == STEP)
		code = ops->step(r->p, r->now, 0, /* sink= */ NULL, &d, &err);
	else if (what == TRY)
		code = ops->try(r->p, r->now, e->workload, /* sink= */ NULL, &d, &err);
	else
		code = ops->apply(r->p, r->now, e, &err);
	ENSURE(code == 0 || (err.code == code && err.text[0]));
	if (code == 0)
		*hash = hash_of(&d);
	return code;
}

/* Tried first with an allocation that fails, then in full; a step twice, from one state. */
static void operation(struct run *r, enum operation what)
{
	static struct image before;
	struct fl_event e = any_event(r);
	uint64_t hash = 0, again = 0;
	fl_mark mark;
	int code;

	if (what == STEP) {
		ENSURE(ops->mark(r->p, &mark, NULL) == 0);
		ENSURE(operate(r, what, &e, &hash) == 0);
		ops->rollback(r->p, mark);
	}
	take_image(r->p, r->now, &before);
	r->mem.fail_at = 1 + choose(r->c, 8);
	code = operate(r, what, &e, &again);
	r->mem.fail_at = 0;
	if (code == FAIRLEAD_ENOMEM) {
		same_as(r->p, &before);
		code = operate(r, what, &e, &again);
	}
	ENSURE(code == 0 || (what != STEP && (code == FAIRLEAD_ESTATE || code == FAIRLEAD_ENOENT ||
					      code == FAIRLEAD_EINPUT)));
	if (code < 0 || what == TRY)
		same_as(r->p, &before);
	if (what == STEP) {
		ENSURE(hash == again);
		step_is_legal(r->p, &before);
	}
}

static void complete_evictions(struct run *r)
{
	for (uint32_t w = 0; w < r->m->n_workloads; w++) {
		struct fl_event e = { .kind = FL_EV_EVICTED, .workload = { w } };

		if (ops->state(r->p, e.workload) == FL_STATE_EVICTING)
			ENSURE(ops->apply(r->p, r->now, &e, NULL) == 0);
	}
}

static void ask(struct run *r)
{
	static struct image before;
	struct fl_workload w = { choose(r->c, r->m->n_workloads) };
	struct fl_entitle_explain x;
	struct fl_arena arena;
	fairlead_error err = { 0 };

	take_image(r->p, r->now, &before);
	fl_arena_init(&arena, &fl_mem_heap);
	if (fl_entitle_explain(ops, r->p, r->m, r->now, w, /* machine= */ NULL, &arena, &x, &err) <
	    0) {
		(void)fprintf(stderr, "explain: %s\n", err.text);
		abort();
	}
	fl_arena_done(&arena);
	same_as(r->p, &before);
}

static int no_more(void *user, const struct fl_settle_cycle *cycle, fairlead_error *err)
{
	(void)user, (void)cycle, (void)err;
	return 0;
}

/*
 * Settled is settled: one cycle more binds and evicts nobody.  It may promise, again and again:
 * consolidation promises what the limit then refuses (properties.md, promised for ever).
 */
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
			ENSURE(d.rows[i].kind == FL_WAIT || d.rows[i].kind == FL_RESERVE);
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
	case 6:
		complete_evictions(r);
		break;
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
	static struct run r;
	struct choices c = { data, data + size };
	struct fl_model *m = NULL;
	fairlead_error err = { 0 };

	chosen_entitle(&text, &c, &size_of_world);
	ENSURE(fl_model_new(&fl_mem_heap, &m, &err) == 0);
	if (fl_kube_read(m, "in", text.bytes, text.n, &err) < 0 || fl_model_seal(m, &err) < 0) {
		(void)fprintf(stderr, "%u:%u %s: %s\n", err.line, err.column, err.subject,
			      err.text);
		abort();
	}
	ENSURE(m->n_nodes == QUEUES && m->n_workloads == JOBS && m->n_tasks <= TASKS);
	r = (struct run){ .c = &c, .m = m, .now = m->newest };
	fail_mem_init(&r.mem);
	struct fl_policy_options options = { .mem = &r.mem.mem,
					     .now = r.now,
					     .moving_usage = choose(&c, 2) };

	ENSURE(ops->new (m, &options, &r.p, &err) == 0);
	entitle_invariants_hold(r.p, m);
	for (unsigned i = 0; c.at < c.end && i < MOST_OPERATIONS; i++) {
		one_operation(&r);
		entitle_invariants_hold(r.p, m);
	}
	r.p = ops->free(r.p);
	ENSURE(r.mem.live == 0);
	fl_model_free(m);
	return 0;
}
