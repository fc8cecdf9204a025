/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/reload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decide/entitle/entitle.h"
#include "decide/image.h"

static const char maker[] = "reload";

/* What the callers of these policies hold. */
struct reloaded {
	struct fl_state s; /* the model is the caller's until the first load */
	bool own_model;
	uint32_t marks;
	struct fl_policy_options options;
	uint32_t steps;
};

static struct reloaded *of(const struct fl_policy *p) { return (void *)(uintptr_t)p; }

struct fl_policy *reload_inner(struct fl_policy *p) { return of(p)->s.policy; }

int reload_write(void *user, const void *from, size_t n, fairlead_error *err)
{
	struct reload_bytes *b = user;

	if (b->n + n > b->cap) {
		size_t cap = (b->n + n) * 2;
		char *wider = realloc(b->bytes, cap);

		if (!wider)
			return fl_fail_nomem(err);
		b->bytes = wider;
		b->cap = cap;
	}
	memcpy(b->bytes + b->n, from, n);
	b->n += n;
	return 0;
}

int reload_read(void *user, char *to, size_t size, size_t *ret, fairlead_error *err)
{
	struct reload_bytes *b = user;
	size_t left = b->n - b->at;

	(void)err;
	*ret = left < size ? left : size;
	if (*ret)
		memcpy(to, b->bytes + b->at, *ret);
	b->at += *ret;
	return 0;
}

static void must(bool holds, const char *what, const fairlead_error *err)
{
	if (holds)
		return;
	fprintf(stderr, "reload: %s: %s\n", what, err->text);
	abort();
}

static void save(const struct fl_state *s, struct reload_bytes *to)
{
	const struct fl_image_output sink = { reload_write, to };
	fairlead_error err = { .code = 0 };

	must(fl_state_save(s, &sink, maker, &err) == 0, "cannot be saved", &err);
}

static void reload(struct reloaded *r)
{
	struct reload_bytes first = { 0 }, second = { 0 };
	const struct fl_source source = { reload_read, &first };
	fairlead_error err = { .code = 0 };
	uint64_t was[2], is[2];
	struct fl_state s;

	save(&r->s, &first);
	must(fl_state_load(&fl_mem_heap, &source, maker, &s, &err) == 0, "cannot be loaded", &err);
	save(&s, &second);
	must(first.n == second.n && memcmp(first.bytes, second.bytes, first.n) == 0,
	     "is saved otherwise again", &err);
	r->s.ops->digest(r->s.policy, r->s.now, was);
	s.ops->digest(s.policy, s.now, is);
	must(memcmp(was, is, sizeof was) == 0, "has another digest", &err);
	r->s.ops->free(r->s.policy);
	if (r->own_model)
		fl_model_free(r->s.model);
	r->s = s;
	r->own_model = true;
	free(first.bytes);
	free(second.bytes);
}

/* A new policy on the same model continues. */
static void adopt(struct reloaded *r)
{
	uint32_t n = r->s.model->n_workloads;
	struct fl_workload *was = malloc((n + 1) * sizeof *was);
	struct fl_policy *next = NULL;
	fairlead_error err = { .code = 0 };
	uint64_t before[2], after[2];

	must(was, "has no memory", &err);
	for (uint32_t w = 0; w < n; w++)
		was[w].v = w;
	must(r->s.ops->new (r->s.model, &r->options, &next, &err) == 0, "cannot be made", &err);
	must(r->s.ops->adopt(next, r->s.now, r->s.policy, was, &err) == 0, "cannot be adopted",
	     &err);
	r->s.ops->digest(r->s.policy, r->s.now, before);
	r->s.ops->digest(next, r->s.now, after);
	must(memcmp(before, after, sizeof before) == 0, "has another digest when it is adopted",
	     &err);
	r->s.ops->free(r->s.policy);
	r->s.policy = next;
	free(was);
}

/* --- the policy --- */

static int make(const struct fl_policy_ops *ops, const struct fl_model *m,
		const struct fl_policy_options *options, struct fl_policy **ret,
		fairlead_error *err)
{
	struct reloaded *r = calloc(1, sizeof *r);
	int rc;

	if (!r)
		return fl_fail_nomem(err);
	r->options = *options;
	r->s = (struct fl_state){ .model = (void *)(uintptr_t)m, .ops = ops, .now = options->now };
	rc = ops->new (m, options, &r->s.policy, err);
	if (rc < 0)
		free(r);
	else
		*ret = (void *)r;
	return rc;
}

static int new_borrow(const struct fl_model *m, const struct fl_policy_options *options,
		      struct fl_policy **ret, fairlead_error *err)
{
	return make(&fl_borrow_policy, m, options, ret, err);
}

static int new_entitle(const struct fl_model *m, const struct fl_policy_options *options,
		       struct fl_policy **ret, fairlead_error *err)
{
	return make(&fl_entitle_policy, m, options, ret, err);
}

static struct fl_policy *done(struct fl_policy *p)
{
	if (!p)
		return NULL;
	of(p)->s.ops->free(of(p)->s.policy);
	if (of(p)->own_model)
		fl_model_free(of(p)->s.model);
	free(of(p));
	return NULL;
}

static int apply(struct fl_policy *p, fl_time now, const struct fl_event *event,
		 fairlead_error *err)
{
	of(p)->s.now = now;
	return of(p)->s.ops->apply(of(p)->s.policy, now, event, err);
}

static int step(struct fl_policy *p, fl_time now, unsigned flags, const struct fl_sink *sink,
		struct fl_decisions *ret, fairlead_error *err)
{
	if (!of(p)->marks)
		(of(p)->steps++ % 2 ? adopt : reload)(of(p));
	of(p)->s.now = now;
	return of(p)->s.ops->step(of(p)->s.policy, now, flags, sink, ret, err);
}

static int try(struct fl_policy *p, fl_time now, struct fl_workload w, const struct fl_sink *sink,
	       struct fl_decisions *ret, fairlead_error *err)
{
	return of(p)->s.ops->try(of(p)->s.policy, now, w, sink, ret, err);
}

static fl_time wake(const struct fl_policy *p, fl_time now)
{
	return of(p)->s.ops->wake(of(p)->s.policy, now);
}

static int mark(struct fl_policy *p, fl_mark *ret, fairlead_error *err)
{
	int rc = of(p)->s.ops->mark(of(p)->s.policy, ret, err);

	if (rc == 0)
		of(p)->marks = *ret + 1;
	return rc;
}

static void rollback(struct fl_policy *p, fl_mark m)
{
	of(p)->s.ops->rollback(of(p)->s.policy, m);
	of(p)->marks = m < of(p)->marks ? m : of(p)->marks;
}

static void keep(struct fl_policy *p, fl_mark m)
{
	of(p)->s.ops->keep(of(p)->s.policy, m);
	of(p)->marks = m < of(p)->marks ? m : of(p)->marks;
}

static void share(const struct fl_policy *p, struct fl_node n, struct fl_share *ret)
{
	of(p)->s.ops->share(of(p)->s.policy, n, ret);
}

static enum fl_workload_state state(const struct fl_policy *p, struct fl_workload w)
{
	return of(p)->s.ops->state(of(p)->s.policy, w);
}

static const struct fl_placement *placement(const struct fl_policy *p, struct fl_workload w,
					    uint32_t *ret_n)
{
	return of(p)->s.ops->placement(of(p)->s.policy, w, ret_n);
}

static double held(const struct fl_policy *p, struct fl_workload w, struct fl_resource r)
{
	return of(p)->s.ops->held(of(p)->s.policy, w, r);
}

static enum fl_reason reason(const struct fl_policy *p, struct fl_workload w)
{
	return of(p)->s.ops->reason(of(p)->s.policy, w);
}

static void digest(const struct fl_policy *p, fl_time now, uint64_t ret[2])
{
	of(p)->s.ops->digest(of(p)->s.policy, now, ret);
}

#define REST                                                                                       \
	.free = done, .apply = apply, .step = step, .try = try, .wake = wake, .mark = mark,        \
	.rollback = rollback, .keep = keep, .share = share, .state = state,                        \
	.placement = placement, .held = held, .reason = reason, .digest = digest

const struct fl_policy_ops reload_borrow = { .name = "borrow", .new = new_borrow, REST };
const struct fl_policy_ops reload_entitle = { .name = "entitle", .new = new_entitle, REST };
