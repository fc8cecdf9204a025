/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/common.h"

#include <string.h>

static struct fl_common *of(struct fl_policy *p) { return (struct fl_common *)p; }
static const struct fl_common *in(const struct fl_policy *p) { return (const struct fl_common *)p; }

int fl_common_make(const struct fl_maker *maker, const struct fl_model *model,
		   const struct fl_policy_options *options, const struct fl_image *image,
		   struct fl_policy **ret, fairlead_error *err)
{
	struct fl_policy_options as_saved = *options;
	struct fl_policy *p;
	int r = image ? maker->saved_options(image, &as_saved, err) : 0;

	if (r < 0)
		return r;
	if (!model->sealed)
		return fl_fail(err, FAIRLEAD_ESTATE, "the model is not sealed");
	p = options->mem->resize(options->mem->user, NULL, maker->size);
	if (!p)
		return fl_fail_nomem(err);
	memset(p, 0, maker->size);
	*of(p) = (struct fl_common){ .model = model, .mem = options->mem, .now = as_saved.now };
	fl_arena_init(&of(p)->arena, options->mem);
	fl_arena_init(&of(p)->cycle_arena, options->mem);
	fl_undo_init(&of(p)->undo, options->mem);
	r = maker->setup(p, &as_saved, image, err);
	if (r < 0) {
		maker->free(p);
		return r;
	}
	*ret = p;
	return 0;
}

struct fl_policy *fl_common_free(struct fl_policy *p)
{
	fl_undo_done(&of(p)->undo);
	fl_arena_done(&of(p)->cycle_arena);
	fl_arena_done(&of(p)->arena);
	return fl_mem_free(of(p)->mem, p);
}

int fl_common_mark(struct fl_policy *p, fl_mark *ret, fairlead_error *err)
{
	struct fl_common *c = of(p);
	fl_mark mark;
	int r = fl_undo_mark(&c->undo, &mark, err);

	if (r < 0)
		return r;
	if ((r = fl_undo_reserve(&c->undo, FL_UNDO_OF(c->now), err)) < 0) {
		fl_undo_rollback(&c->undo, mark);
		return r;
	}
	fl_undo_note(&c->undo, &c->now, sizeof c->now); /* answers are as of the last call */
	*ret = mark;
	return 0;
}

void fl_common_keep(struct fl_policy *p, fl_mark mark) { fl_undo_keep(&of(p)->undo, mark); }

int fl_common_unmarked(const struct fl_policy *p, const char *what, fairlead_error *err)
{
	return in(p)->undo.marks ? fl_fail(err, FAIRLEAD_ESTATE, "%s inside a mark", what) : 0;
}

int fl_common_refuse(const struct fl_policy *p, struct fl_workload w, const char *wanted,
		     fairlead_error *err)
{
	const struct fl_model *m = in(p)->model;
	const struct fl_workload_row *row = &m->workloads[w.v];

	return fl_fail(err, FAIRLEAD_ESTATE, "workload '%s/%s' %s",
		       fl_model_text(m, row->namespace), fl_model_text(m, row->name), wanted);
}

int fl_common_adopt(struct fl_policy *p, fl_time now, const struct fl_policy *from,
		    const struct fl_workload *was, struct fl_adoption *ret, fairlead_error *err)
{
	const struct fl_policy *both[] = { p, from };
	int r = 0;

	for (int i = 0; i < 2 && r == 0; i++)
		r = fl_common_unmarked(both[i], "the state of a policy is not carried over", err);
	if (r < 0)
		return r;
	of(p)->now = now;
	return fl_adoption_begin(ret, in(from)->model, in(p)->model, was, in(p)->mem, err);
}
