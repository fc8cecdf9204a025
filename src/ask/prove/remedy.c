/* SPDX-License-Identifier: Apache-2.0 */
#include "ask/prove/remedy.h"

#include <string.h>

#include "ask/common/pending.h"
#include "ask/prove/proof.h"
#include "decide/policies.h"

struct trial {
	const struct fl_policy_ops *ops;
	const struct fl_model *given;
	const struct fl_remedy_options *options;
	struct fl_model model; /* the given one, but for what is tried; its rows are shared */
	struct fl_remedies *all;
	uint32_t cap_waiting;
};

/* --- what is laid over --- */

/* 0; 1 when it is so already, or means nothing here; or an error. */
typedef int fl_lay(struct trial *t, fairlead_error *err);

static int lay_settles(struct trial *t, fairlead_error *err)
{
	bool is = t->model.settings.settles;

	(void)err;
	t->model.settings.settles = true;
	return is;
}

static int lay_strategy(struct trial *t, enum fl_fair_strategy strategy)
{
	struct fl_settings *s = &t->model.settings;

	if (!s->fair_sharing || (s->n_strategies == 1 && s->strategies[0] == strategy))
		return 1;
	s->strategies[0] = strategy;
	s->n_strategies = 1;
	return 0;
}

static int lay_final_share(struct trial *t, fairlead_error *err)
{
	(void)err;
	return lay_strategy(t, FL_FINAL_SHARE);
}

static int lay_initial_share(struct trial *t, fairlead_error *err)
{
	(void)err;
	return lay_strategy(t, FL_INITIAL_SHARE);
}

/* For all: rows for some stay, but do not say no; the row for all is there, or made. */
static int lay_hold(struct trial *t, fairlead_error *err)
{
	const struct fl_model *m = t->given;
	struct fl_protection_row *rows = fl_arena_alloc(t->options->arena, m->n_protections + 1,
							sizeof(*rows), err);
	bool is = false, all = false, no = false;

	if (!rows)
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < m->n_protections; i++) {
		rows[i] = m->protections[i];
		if (rows[i].scope == FL_PROTECT_ALL) {
			all = true;
			is = rows[i].says.hold_freed_quota == FL_SWITCH_ON;
			rows[i].says.hold_freed_quota = FL_SWITCH_ON;
		} else if (rows[i].says.hold_freed_quota == FL_SWITCH_OFF) {
			no = true;
			rows[i].says.hold_freed_quota = FL_SWITCH_UNSET;
		}
	}
	t->model.protections = rows;
	if (!all) {
		rows[m->n_protections] = (struct fl_protection_row){
			.scope = FL_PROTECT_ALL, .node = { FL_NONE }, .says = fl_protection_default
		};
		rows[m->n_protections].says.hold_freed_quota = FL_SWITCH_ON;
		t->model.n_protections++;
	}
	return is && !no;
}

static int lay_best_effort(struct trial *t, fairlead_error *err)
{
	const struct fl_model *m = t->given;
	struct fl_node_row *rows = fl_arena_alloc(t->options->arena, (size_t)m->n_nodes + 1,
						  sizeof(*rows), err);
	bool any = false;

	if (!rows)
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < m->n_nodes; i++) {
		rows[i] = m->nodes[i];
		any |= rows[i].kind == FL_CLUSTER_QUEUE && rows[i].strategy == FL_STRICT_FIFO;
		rows[i].strategy = FL_BEST_EFFORT_FIFO;
	}
	t->model.nodes = rows;
	return !any;
}

static int lay_protect_quota(struct trial *t, fairlead_error *err)
{
	bool is = t->model.entitle.protect_quota;

	(void)err;
	t->model.entitle.protect_quota = true;
	return is;
}

static int lay_keep_below(struct trial *t, fairlead_error *err)
{
	bool is = t->model.entitle.keep_below_quota;

	(void)err;
	t->model.entitle.keep_below_quota = true;
	return is;
}

static int lay_multiplier(struct trial *t, fairlead_error *err)
{
	bool is = t->model.entitle.multiplier >= FL_REMEDY_MULTIPLIER_TRIED;

	(void)err;
	t->model.entitle.multiplier = FL_REMEDY_MULTIPLIER_TRIED;
	return is;
}

static const struct {
	fl_lay *lay;
	enum fl_dialect of;
} remedies[FL_REMEDIES] = {
	[FL_REMEDY_SETTLES] = { lay_settles, FL_DIALECT_KUEUE },
	[FL_REMEDY_FINAL_SHARE] = { lay_final_share, FL_DIALECT_KUEUE },
	[FL_REMEDY_INITIAL_SHARE] = { lay_initial_share, FL_DIALECT_KUEUE },
	[FL_REMEDY_HOLD] = { lay_hold, FL_DIALECT_KUEUE },
	[FL_REMEDY_BEST_EFFORT] = { lay_best_effort, FL_DIALECT_KUEUE },
	[FL_REMEDY_PROTECT_QUOTA] = { lay_protect_quota, FL_DIALECT_KAI },
	[FL_REMEDY_KEEP_BELOW] = { lay_keep_below, FL_DIALECT_KAI },
	[FL_REMEDY_MULTIPLIER] = { lay_multiplier, FL_DIALECT_KAI },
};

/* --- what becomes of it --- */

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
	struct trial t = { .ops = ops, .given = m, .options = options, .all = ret };
	int rc = 0;

	*ret = (struct fl_remedies){ 0 };
	for (unsigned k = 0; k < FL_REMEDIES; k++) {
		struct fl_remedy *r = &ret->rows[ret->n];

		if (remedies[k].of != fl_policy_dialect(ops))
			continue;
		t.model = *m;
		rc = remedies[k].lay(&t, err);
		if (rc > 0)
			continue;
		*r = (struct fl_remedy){ .kind = (enum fl_remedy_kind)k };
		if (rc == 0)
			rc = try(&t, r, err);
		if (rc < 0)
			return rc;
		ret->n++;
	}
	return 0;
}
