/* SPDX-License-Identifier: Apache-2.0 */
#include "prop/shadow.h"

#include <stdlib.h>
#include <string.h>

#include "prop/lockstep.h"

enum { FEW = 200, NOW_AND_THEN = 256 };

/* A policy and its shadow; the caller knows p[FULL] alone. */
struct pair {
	struct lockstep l;
	fl_mark (*marks)[BOTH]; /* open ones */
	uint32_t n_marks, cap_marks, calls;
	struct pair *next;
};

static struct pair *pairs;

static struct pair *pair_of(const struct fl_policy *p)
{
	struct pair *pair = pairs;

	while (pair && pair->l.p[FULL] != p)
		pair = pair->next;
	ENSURE(pair);
	return pair;
}

static void must_be_same(struct pair *pair, bool same, const char *what)
{
	if (same)
		return;
	(void)fflush(stdout);
	(void)fprintf(stderr, "shadow: %s: %s\n", what, pair->l.difference);
	_Exit(9);
}

static void compare(struct pair *pair, fl_time now, const char *what)
{
	pair->l.now = now;
	if (pair->l.m->n_workloads <= FEW || pair->calls++ % NOW_AND_THEN == 0)
		must_be_same(pair, lockstep_same_state(&pair->l), what);
}

/* Takes both policies; @p[PART] NULL: there is none. */
static struct fl_policy *join(const struct fl_policy_ops *ops, const struct fl_model *m,
			      fl_time now, struct fl_policy *const p[BOTH])
{
	struct pair *pair = calloc(1, sizeof *pair);

	ENSURE(pair && p[PART]);
	pair->l = (struct lockstep){
		.ops = { ops, ops }, .m = m, .now = now, .p = { p[FULL], p[PART] }
	};
	pair->next = pairs;
	pairs = pair;
	compare(pair, now, "new");
	return p[FULL];
}

static int open_pair(const struct fl_policy_ops *ops, const struct fl_model *m,
		     const struct fl_policy_options *options, struct fl_policy **ret,
		     fairlead_error *err)
{
	struct fl_policy *p[BOTH] = { NULL };
	int r = ops->new (m, options, &p[FULL], err);

	if (r < 0)
		return r;
	(void)ops->new (m, options, &p[PART], NULL);
	*ret = join(ops, m, options->now, p);
	return 0;
}

static int load_pair(const struct fl_policy_ops *ops, const struct fl_model *m,
		     const struct fl_policy_options *options, const struct fl_image *image,
		     struct fl_policy **ret, fairlead_error *err)
{
	struct fl_policy *p[BOTH] = { NULL };
	int r = ops->load(m, options, image, &p[FULL], err);

	if (r < 0)
		return r;
	(void)ops->load(m, options, image, &p[PART], NULL);
	*ret = join(ops, m, options->now, p);
	return 0;
}

static int borrow_new(const struct fl_model *m, const struct fl_policy_options *options,
		      struct fl_policy **ret, fairlead_error *err)
{
	return open_pair(&__real_fl_borrow_policy, m, options, ret, err);
}

static int entitle_new(const struct fl_model *m, const struct fl_policy_options *options,
		       struct fl_policy **ret, fairlead_error *err)
{
	return open_pair(&__real_fl_entitle_policy, m, options, ret, err);
}

static int borrow_load(const struct fl_model *m, const struct fl_policy_options *options,
		       const struct fl_image *image, struct fl_policy **ret, fairlead_error *err)
{
	return load_pair(&__real_fl_borrow_policy, m, options, image, ret, err);
}

static int entitle_load(const struct fl_model *m, const struct fl_policy_options *options,
			const struct fl_image *image, struct fl_policy **ret, fairlead_error *err)
{
	return load_pair(&__real_fl_entitle_policy, m, options, image, ret, err);
}

static int shadow_save(const struct fl_policy *p, struct fl_image_writer *w, fairlead_error *err)
{
	return pair_of(p)->l.ops[FULL]->save(p, w, err);
}

static int shadow_adopt(struct fl_policy *p, fl_time now, const struct fl_policy *from,
			const struct fl_workload *was, fairlead_error *err)
{
	struct pair *pair = pair_of(p);
	int r = pair->l.ops[FULL]->adopt(p, now, from, was, err);

	if (r < 0)
		return r;
	ENSURE(pair->l.ops[PART]->adopt(pair->l.p[PART], now, pair_of(from)->l.p[PART], was,
					NULL) == 0);
	compare(pair, now, "adopt");
	return 0;
}

static struct fl_policy *shadow_free(struct fl_policy *p)
{
	struct pair **at = &pairs, *pair;

	if (!p)
		return NULL;
	while (*at && (*at)->l.p[FULL] != p)
		at = &(*at)->next;
	pair = *at;
	ENSURE(pair);
	*at = pair->next;
	for (int i = 0; i < BOTH; i++)
		pair->l.ops[FULL]->free(pair->l.p[i]);
	free(pair->marks);
	free(pair);
	return NULL;
}

static int shadow_apply(struct fl_policy *p, fl_time now, const struct fl_event *event,
			fairlead_error *err)
{
	struct pair *pair = pair_of(p);
	int full = pair->l.ops[FULL]->apply(p, now, event, err);
	int part = pair->l.ops[FULL]->apply(pair->l.p[PART], now, event, NULL);

	must_be_same(pair, full == part || lockstep_differ(&pair->l, "%d, else %d", full, part),
		     "event");
	compare(pair, now, "event");
	return full;
}

static int shadow_step(struct fl_policy *p, fl_time now, unsigned flags, const struct fl_sink *sink,
		       struct fl_decisions *ret, fairlead_error *err)
{
	struct pair *pair = pair_of(p);
	struct fl_decisions d[BOTH];
	int r = pair->l.ops[FULL]->step(p, now, flags | FL_STEP_FULL, sink, &d[FULL], err);

	if (r < 0)
		return r;
	ENSURE(pair->l.ops[FULL]->step(pair->l.p[PART], now, 0, NULL, &d[PART], NULL) == 0);
	must_be_same(pair, lockstep_same_step(&pair->l, d), "step");
	compare(pair, now, "step");
	*ret = d[FULL];
	return 0;
}

/* A cycle of one workload, of which both must say the same. */
typedef int one_cycle(struct fl_policy *p, fl_time now, struct fl_workload w,
		      const struct fl_sink *sink, struct fl_decisions *ret, fairlead_error *err);

static int look_at_one(struct pair *pair, one_cycle *cycle, const char *name, fl_time now,
		       struct fl_workload w, const struct fl_sink *sink, struct fl_decisions *ret,
		       fairlead_error *err)
{
	struct fl_decisions d[BOTH];
	int full = cycle(pair->l.p[FULL], now, w, sink, &d[FULL], err);
	int part = cycle(pair->l.p[PART], now, w, NULL, &d[PART], NULL);

	must_be_same(pair, full == part || lockstep_differ(&pair->l, "%d, else %d", full, part),
		     name);
	if (full < 0)
		return full;
	must_be_same(pair, lockstep_same_try(&pair->l, d), name);
	*ret = d[FULL];
	return 0;
}

static int shadow_try(struct fl_policy *p, fl_time now, struct fl_workload w,
		      const struct fl_sink *sink, struct fl_decisions *ret, fairlead_error *err)
{
	struct pair *pair = pair_of(p);

	return look_at_one(pair, pair->l.ops[FULL]->try, "try", now, w, sink, ret, err);
}

static int shadow_serve(struct fl_policy *p, fl_time now, struct fl_workload w,
			const struct fl_sink *sink, struct fl_decisions *ret, fairlead_error *err)
{
	struct pair *pair = pair_of(p);
	int r = look_at_one(pair, pair->l.ops[FULL]->serve, "serve", now, w, sink, ret, err);

	compare(pair, now, "serve");
	return r;
}

static int shadow_forget(struct fl_policy *p, fl_time now, fairlead_error *err)
{
	struct pair *pair = pair_of(p);
	int r = pair->l.ops[FULL]->forget(p, now, err);

	if (r < 0)
		return r;
	ENSURE(pair->l.ops[FULL]->forget(pair->l.p[PART], now, NULL) == 0);
	compare(pair, now, "forget");
	return 0;
}

static fl_time shadow_wake(const struct fl_policy *p, fl_time now)
{
	struct pair *pair = pair_of(p);
	fl_time full = pair->l.ops[FULL]->wake(p, now),
		part = pair->l.ops[FULL]->wake(pair->l.p[PART], now);

	must_be_same(pair,
		     full == part || lockstep_differ(&pair->l, "%lld, else %lld", (long long)full,
						     (long long)part),
		     "wake");
	return full;
}

static int shadow_mark(struct fl_policy *p, fl_mark *ret, fairlead_error *err)
{
	struct pair *pair = pair_of(p);
	fl_mark marks[BOTH];
	int r = pair->l.ops[FULL]->mark(p, &marks[FULL], err);

	if (r < 0)
		return r;
	ENSURE(pair->l.ops[FULL]->mark(pair->l.p[PART], &marks[PART], NULL) == 0);
	ENSURE(fl_mem_grow(&fl_mem_heap, &pair->marks, &pair->cap_marks, pair->n_marks + 1,
			   sizeof *pair->marks, NULL) == 0);
	memcpy(pair->marks[pair->n_marks++], marks, sizeof marks);
	*ret = marks[FULL];
	return 0;
}

/* What ends one ends all newer ones; one that is not open is left alone. */
static void end_mark(struct fl_policy *p, fl_mark mark,
		     void (*end)(struct fl_policy *p, fl_mark mark))
{
	struct pair *pair = pair_of(p);

	end(p, mark);
	for (uint32_t i = 0; i < pair->n_marks; i++)
		if (pair->marks[i][FULL] == mark) {
			end(pair->l.p[PART], pair->marks[i][PART]);
			pair->n_marks = i;
		}
	compare(pair, pair->l.now, "mark");
}

static void shadow_rollback(struct fl_policy *p, fl_mark mark)
{
	end_mark(p, mark, pair_of(p)->l.ops[FULL]->rollback);
}

static void shadow_keep(struct fl_policy *p, fl_mark mark)
{
	end_mark(p, mark, pair_of(p)->l.ops[FULL]->keep);
}

/* Questions are answered by the first alone. */
static void shadow_share(const struct fl_policy *p, struct fl_node n, struct fl_share *ret)
{
	pair_of(p)->l.ops[FULL]->share(p, n, ret);
}

static enum fl_workload_state shadow_state(const struct fl_policy *p, struct fl_workload w)
{
	return pair_of(p)->l.ops[FULL]->state(p, w);
}

static const struct fl_placement *shadow_placement(const struct fl_policy *p, struct fl_workload w,
						   uint32_t *ret_n)
{
	return pair_of(p)->l.ops[FULL]->placement(p, w, ret_n);
}

static double shadow_held(const struct fl_policy *p, struct fl_workload w, struct fl_resource r)
{
	return pair_of(p)->l.ops[FULL]->held(p, w, r);
}

static enum fl_reason shadow_reason(const struct fl_policy *p, struct fl_workload w)
{
	return pair_of(p)->l.ops[FULL]->reason(p, w);
}

static void shadow_digest(const struct fl_policy *p, fl_time now, uint64_t ret[2])
{
	pair_of(p)->l.ops[FULL]->digest(p, now, ret);
}

static void shadow_spell(const struct fl_policy *p, fl_time now, fl_word *word, void *user)
{
	pair_of(p)->l.ops[FULL]->spell(p, now, word, user);
}

static void shadow_gist(const struct fl_policy *p, fl_time now, fl_word *word, void *user)
{
	pair_of(p)->l.ops[FULL]->gist(p, now, word, user);
}

#define SHADOW(its_name, its_new, its_load)                                                        \
	{                                                                                          \
		.name = (its_name), .new = (its_new), .free = shadow_free, .save = shadow_save,    \
		.load = (its_load), .apply = shadow_apply, .step = shadow_step, .try = shadow_try, \
		.wake = shadow_wake, .mark = shadow_mark, .rollback = shadow_rollback,             \
		.keep = shadow_keep, .share = shadow_share, .state = shadow_state,                 \
		.placement = shadow_placement, .held = shadow_held, .reason = shadow_reason,       \
		.digest = shadow_digest, .spell = shadow_spell, .gist = shadow_gist,               \
		.serve = shadow_serve, .forget = shadow_forget, .adopt = shadow_adopt,             \
	}

const struct fl_policy_ops __wrap_fl_borrow_policy = SHADOW("borrow", borrow_new, borrow_load);
const struct fl_policy_ops __wrap_fl_entitle_policy = SHADOW("entitle", entitle_new, entitle_load);
