/* SPDX-License-Identifier: Apache-2.0 */
#include "fault/calls.h"

#include "ask/common/difference.h"

void add(struct run *r, uint64_t value)
{
	r->result = (r->result ^ value) * UINT64_C(0x100000001b3);
}

void add_model(struct run *r, const struct fl_model *m)
{
	add(r, m->n_notices);
	add(r, m->n_nodes);
	add(r, m->n_workloads);
	add(r, m->n_resources);
	add(r, m->names.n);
	for (uint32_t i = 0; i < m->n_notices; i++)
		for (const char *at = fl_model_text(m, m->notices[i].text); *at; at++)
			add(r, (unsigned char)*at);
}

void add_decisions(struct run *r, const struct fl_decisions *d)
{
	for (uint32_t i = 0; i < d->n; i++) {
		add(r, d->rows[i].kind);
		add(r, d->rows[i].reason);
		add(r, d->rows[i].workload.v);
		add(r, d->rows[i].placement.n);
	}
}

int call_step(struct run *r, fairlead_error *err)
{
	struct fl_decisions d;
	int code = r->ops->step(r->p, (NOW + 1) * FL_SECOND, 0, /* sink= */ NULL, &d, err);

	if (code == 0)
		add_decisions(r, &d);
	return code;
}

int call_forget(struct run *r, fairlead_error *err)
{
	return r->ops->forget(r->p, (NOW + 1) * FL_SECOND, err);
}

int call_mark(struct run *r, fairlead_error *err)
{
	fl_mark mark = 0;
	int code = r->ops->mark(r->p, &mark, err);

	if (code == 0)
		r->ops->rollback(r->p, mark);
	return code;
}

int outcome_of(struct run *r, const struct fl_ask_face *face, fairlead_error *err)
{
	struct fl_arena arena;
	struct fl_outcome_options o = { .face = face,
					.mem = &r->f.mem,
					.arena = &arena,
					.now = (NOW + 1) * FL_SECOND,
					.interval = FL_SECOND,
					.cycles = 10 };
	struct fl_outcome outcome = { 0 };
	struct fl_difference d = { 0 };
	fl_mark mark = 0;
	int code = r->ops->mark(r->p, &mark, err);

	if (code < 0)
		return code;
	fl_arena_init(&arena, &r->f.mem);
	code = fl_outcome_run(r->ops, r->p, r->m, &o, &outcome, err);
	r->ops->rollback(r->p, mark);
	if (code == 0)
		code = fl_difference(&outcome, &outcome, &arena, &d, err);
	if (code == 0) {
		assert_false(d.any);
		add(r, outcome.pending.n);
	}
	fl_outcome_done(&outcome);
	fl_arena_done(&arena);
	return code;
}

static void take_image(const struct run *r, struct image *i)
{
	*i = (struct image){ .n = 0 };
	r->ops->digest(r->p, NOW * FL_SECOND, i->digest);
	r->look(r, i);
}

static void check_error(const char *name, int code, const fairlead_error *err)
{
	CHECK(code == FAIRLEAD_ENOMEM, name);
	CHECK(err->code == code && strcmp(err->text, "out of memory") == 0, name);
}

/* @call builds something from nothing and, whatever happens, gives all of it back. */
void each_of_building(const char *name, struct run *r, call_fn *call)
{
	uint64_t want;
	unsigned long n;

	fail_mem_init(&r->f);
	r->result = 0;
	CHECK(call(r, NULL) == 0, name);
	CHECK(r->f.live == 0 && r->f.calls > 0, name);
	want = r->result;
	for (n = 1;; n++) {
		fairlead_error err = { 0 };
		unsigned long before = r->f.calls;

		r->result = 0;
		r->f.fail_at = n;
		int code = call(r, &err);

		r->f.fail_at = 0;
		CHECK(r->f.live == 0, name);
		if (code == 0) {
			CHECK(r->f.calls - before < n, name);
			break;
		}
		check_error(name, code, &err);
	}
	CHECK(n > 1 && r->result == want, name);
}

/* A policy from r->f, with a mark open, so that what is done must be noted. */
static void prepare(struct run *r, const struct row *row)
{
	struct fl_policy_options options = { .mem = &r->f.mem,
					     .now = NOW * FL_SECOND,
					     .moving_usage = r->moving_usage };
	fl_mark mark;

	fail_mem_init(&r->f);
	r->result = 0;
	assert_int_equal(r->ops->new (r->m, &options, &r->p, NULL), 0);
	if (row->before)
		assert_int_equal(row->before(r, NULL), 0);
	if (row->call != r->unmarked)
		assert_int_equal(r->ops->mark(r->p, &mark, NULL), 0);
	r->result = 0;
}

void each_of_operations(const struct row *row, struct run *r)
{
	static struct image before, after, want;
	struct run twin = *r;
	unsigned long n;
	int code, outcome;

	prepare(&twin, row);
	outcome = row->call(&twin, NULL);
	CHECK(outcome == 0 || (outcome == FAIRLEAD_ESTATE && !row->allocates), row->name);
	take_image(&twin, &want);
	prepare(r, row);
	take_image(r, &before);
	for (n = 1;; n++) {
		fairlead_error err = { 0 };
		unsigned long calls = r->f.calls;

		r->result = 0;
		r->f.fail_at = n;
		code = row->call(r, &err);
		r->f.fail_at = 0;
		if (code == outcome) {
			CHECK(r->f.calls - calls < n, row->name);
			break;
		}
		check_error(row->name, code, &err);
		take_image(r, &after);
		CHECK(memcmp(&before, &after, sizeof before) == 0, row->name);
	}
	CHECK((n > 1) == row->allocates, row->name);
	CHECK(r->result == twin.result, row->name);
	take_image(r, &after);
	CHECK(memcmp(&want, &after, sizeof want) == 0, row->name);
	r->p = r->ops->free(r->p);
	twin.p = twin.ops->free(twin.p);
	CHECK(r->f.live == 0 && twin.f.live == 0, row->name);
}
