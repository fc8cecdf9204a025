/* SPDX-License-Identifier: Apache-2.0 */
#include "ask/prove/remedy.h"

#include <string.h>

#include "ask/common/pending.h"
#include "ask/prove/face.h"
#include "ask/prove/proof.h"

struct trial {
	const struct fl_policy_ops *ops;
	const struct fl_remedy_options *options;
	struct fl_model model; /* the given one, but for what is tried; its rows are shared */
	struct fl_remedies *all;
	uint32_t cap_waiting;
};

/* --- its result --- */

static int count(void *user, const struct fl_settle_cycle *cycle, fairlead_error *err)
{
	struct fl_remedy *r = user;
	const struct fl_decisions *d = cycle->decisions;

	(void)err;
	for (uint32_t i = 0; i < d->n; i++)
		r->evictions += d->rows[i].kind == FL_EVICT && !d->rows[i].already_evicting;
	return 0;
}

static int keep_waiting(struct trial *t, struct fl_policy *p, struct fl_remedy *r,
			fairlead_error *err)
{
	struct fl_pending_list pending = { .mem = t->options->mem };
	struct fl_remedies *all = t->all;
	int rc = fl_pending_fill(&pending, t->ops, p, &t->model, /* d= */ NULL, err);

	if (rc == 0 && all->n_waiting + pending.n > t->cap_waiting) {
		uint32_t cap = 2 * (all->n_waiting + pending.n);
		struct fl_workload *grown = fl_arena_alloc(t->options->arena, cap, sizeof(*grown),
							   err);

		if (grown && all->n_waiting)
			memcpy(grown, all->waiting, all->n_waiting * sizeof(*grown));
		all->waiting = grown;
		t->cap_waiting = cap;
		rc = grown ? 0 : FAIRLEAD_ENOMEM;
	}
	if (rc == 0) {
		r->waiting = (struct fl_span){ all->n_waiting, pending.n };
		for (uint32_t i = 0; i < pending.n; i++)
			all->waiting[all->n_waiting++] = pending.rows[i].workload;
	}
	fl_pending_done(&pending);
	return rc;
}

static int settle(struct trial *t, struct fl_policy *p, struct fl_remedy *r, fairlead_error *err)
{
	const struct fl_settle_options options = {
		.mem = t->options->mem,
		.now = t->options->now,
		.interval = t->options->interval,
		.cycles = t->options->cycles,
		.to_the_end = true,
	};
	fl_mark mark;
	int rc = t->ops->mark(p, &mark, err);

	if (rc < 0)
		return rc;
	rc = fl_settle(t->ops, p, &t->model, &options, count, r, &r->own, err);
	if (rc == 0 && r->own.settled)
		rc = keep_waiting(t, p, r, err);
	t->ops->rollback(p, mark);
	return rc;
}

static int prove(struct trial *t, struct fl_policy *p, struct fl_prove_result *ret,
		 enum fl_whole *ret_whole, fairlead_error *err)
{
	const struct fl_prove_options options = {
		.mem = t->options->mem,
		.now = t->options->now,
		.states = t->options->states,
		.bytes = t->options->bytes,
		.progress = t->options->progress,
		.user = t->options->user,
	};
	int rc = fl_proof(t->ops, p, &t->model, &options, /* prover= */ NULL, ret, err);

	*ret_whole = FL_WHOLE_UNKNOWN;
	if (rc == 0 && ret->loop != FL_LOOP_NONE)
		rc = fl_whole_loop(t->ops, p, &t->model, &options, ret, ret_whole, err);
	fl_prove_done(options.mem, ret);
	return rc;
}

static int try(struct trial *t, struct fl_remedy *r, fairlead_error *err)
{
	enum fl_whole whole = FL_WHOLE_UNKNOWN;
	const struct fl_policy_options options = { .mem = t->options->mem, .now = t->options->now };
	struct fl_policy *p = NULL;
	int rc = t->ops->new (&t->model, &options, &p, err);

	if (rc == 0)
		rc = settle(t, p, r, err);
	if (rc == 0)
		rc = prove(t, p, &r->proof, &whole, err);
	r->race = whole == FL_WHOLE_NONE;
	t->ops->free(p);
	return rc;
}

uint32_t fl_remedy_states(const struct fl_model *m)
{
	/* Each state has a move for each workload, and each move spells all of them. */
	const uint64_t moves = 10000, words = 10000000;
	uint64_t n = (uint64_t)m->n_workloads + 1;

	return (uint32_t)(moves / n < words / (n * n) ? moves / n : words / (n * n));
}

int fl_remedy_none(const struct fl_policy_ops *ops, const struct fl_model *m,
		   const struct fl_remedy_options *options, struct fl_prove_result *ret,
		   enum fl_whole *ret_whole, fairlead_error *err)
{
	const struct fl_policy_options fresh = { .mem = options->mem, .now = options->now };
	struct trial t = { .ops = ops, .options = options, .model = *m };
	struct fl_policy *p = NULL;
	int rc = ops->new (m, &fresh, &p, err);

	if (rc == 0)
		rc = prove(&t, p, ret, ret_whole, err);
	ops->free(p);
	return rc;
}

int fl_remedies_try(const struct fl_policy_ops *ops, const struct fl_model *m,
		    const struct fl_remedy_options *options, struct fl_remedies *ret,
		    fairlead_error *err)
{
	struct trial t = { .ops = ops, .options = options, .all = ret };
	const struct fl_prove_face *face = fl_prove_face_of(ops);
	int rc = 0;

	*ret = (struct fl_remedies){ 0 };
	for (unsigned k = 0; k < face->n_remedies; k++) {
		struct fl_remedy *r = &ret->rows[ret->n];

		t.model = *m;
		rc = face->remedies[k].lay(&t.model, options->arena, err);
		if (rc > 0)
			continue;
		*r = (struct fl_remedy){ .kind = face->remedies[k].kind };
		if (rc == 0)
			rc = try(&t, r, err);
		if (rc < 0)
			return rc;
		ret->n++;
	}
	return 0;
}
