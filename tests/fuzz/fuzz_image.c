/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Images: the input's bytes choose a small world of either policy, some events and cycles, and
 * then damage to its image, which gets the right sum.
 *
 * Undamaged, what is loaded has the digest of what was saved, decides the same in the next
 * cycles, and is saved as the same bytes again.  Damaged, it is refused with a text, or is a
 * state like any other: it can be asked, goes on, rolls back exactly, and can be saved and
 * loaded itself.
 */
#include <string.h>

#include "codec/object/kube.h"
#include "decide/entitle/entitle.h"
#include "decide/image.h"
#include "fuzz/chosen_borrow.h"
#include "fuzz/chosen_entitle.h"
#include "lib/reload.h"

static const struct chosen_borrow borrow_size = {
	.queues = 4, .cohorts = 3, .flavors = 2, .jobs = 10, .rich = true
};
static const struct chosen_entitle entitle_size = {
	.tops = 1, .middles = 1, .leaves = 3, .machines = 3, .jobs = 6, .pods = 3
};
static const char maker[] = "fuzz";

enum { MOST_EVENTS = 24, MOST_DAMAGES = 3 };

/* --- a world, and what happens in it --- */

static bool make(struct choices *c, struct fl_state *s)
{
	static struct text t;
	struct fl_policy_options options = { .mem = &fl_mem_heap };
	bool entitle = choose(c, 2);
	fairlead_error err;

	t.n = 0;
	if (entitle)
		chosen_entitle(&t, c, &entitle_size);
	else
		chosen_borrow(&t, c, &borrow_size);
	*s = (struct fl_state){ .ops = entitle ? &fl_entitle_policy : &fl_borrow_policy };
	ENSURE(fl_model_new(&fl_mem_heap, &s->model, &err) == 0);
	if (fl_kube_read(s->model, "world", t.bytes, t.n, &err) < 0 ||
	    fl_model_seal(s->model, &err) < 0) {
		fl_state_done(s);
		return false;
	}
	s->now = s->model->newest == FL_TIME_NONE ? 0 : s->model->newest;
	options.now = s->now;
	options.moving_usage = choose(c, 2);
	if (fl_model_check_samples(s->model, s->now, &err) < 0 ||
	    s->ops->new (s->model, &options, &s->policy, &err) < 0) {
		fl_state_done(s);
		return false;
	}
	return true;
}

static void step(struct fl_state *s)
{
	struct fl_decisions d;
	fairlead_error err;

	s->now = fl_sat_add(s->now, FL_SECOND);
	(void)s->ops->step(s->policy, s->now, /* flags= */ 0, /* sink= */ NULL, &d, &err);
}

static void happen(struct fl_state *s, struct choices *c, unsigned most)
{
	static const enum fl_event_kind kinds[] = { FL_EV_SUBMIT, FL_EV_CANCEL, FL_EV_EVICTED,
						    FL_EV_FINISHED, FL_EV_CELL };

	for (unsigned n = choose(c, most); n > 0; n--) {
		struct fl_event e = { .kind = kinds[choose(c, 5)] };
		unsigned jobs = s->model->n_workloads ? s->model->n_workloads : 1;

		e.workload.v = choose(c, jobs > 256 ? 256 : jobs);
		e.cell = (struct fl_cell){ .kind = FL_CELL_PRIORITY, .amount = choose(c, 5) };
		if (choose(c, 3) == 0)
			step(s);
		else
			(void)s->ops->apply(s->policy, s->now, &e, NULL);
	}
}

/* --- images --- */

static void save(const struct fl_state *s, struct reload_bytes *to)
{
	to->n = to->at = 0;
	ENSURE(fl_state_save(s, &(struct fl_image_output){ reload_write, to }, maker, NULL) == 0);
}

static bool load(struct reload_bytes *from, struct fl_state *ret)
{
	fairlead_error err = { .code = 0 };
	int r;

	from->at = 0;
	r = fl_state_load(&fl_mem_heap, &(struct fl_source){ reload_read, from }, maker, ret, &err);
	ENSURE(r == 0 || (r == err.code && err.text[0] && err.hint[0]) || r == FAIRLEAD_ELIMIT);
	return r == 0;
}

static void damage(struct reload_bytes *b, struct choices *c)
{
	static const uint32_t values[] = { 0, 1, 2, 0xff, 0x7fffffff, 0x80000000, 0xffffffff };
	size_t words = (b->n - FL_IMAGE_STEP) / 4;
	uint64_t sum[2];

	for (unsigned n = 1 + choose(c, MOST_DAMAGES); n > 0; n--) {
		size_t at = 0;
		uint32_t word;

		for (int i = 0; i < 3; i++)
			at = at << 8 | choose(c, 256);
		at = at % words * 4;
		memcpy(&word, b->bytes + at, 4);
		switch (choose(c, 3)) {
		case 0:
			word = values[choose(c, 7)];
			break;
		case 1:
			word += choose(c, 256) - 128;
			break;
		default:
			word ^= 1u << choose(c, 32);
		}
		memcpy(b->bytes + at, &word, 4);
	}
	fl_image_sum(b->bytes, b->n - FL_IMAGE_STEP, sum);
	memcpy(b->bytes + b->n - sizeof sum, sum, sizeof sum);
}

static void digest(const struct fl_state *s, uint64_t ret[2])
{
	s->ops->digest(s->policy, s->now, ret);
}

static void same(const struct fl_state *a, const struct fl_state *b)
{
	uint64_t x[2], y[2];

	digest(a, x);
	digest(b, y);
	ENSURE(memcmp(x, y, sizeof x) == 0);
}

static void undamaged(struct fl_state *s, const struct reload_bytes *b, struct reload_bytes *again)
{
	struct reload_bytes copy = *b;
	struct fl_state back;

	ENSURE(load(&copy, &back));
	same(s, &back);
	save(&back, again);
	ENSURE(again->n == b->n && memcmp(again->bytes, b->bytes, b->n) == 0);
	for (int i = 0; i < 3; i++) {
		step(s);
		step(&back);
		same(s, &back);
	}
	fl_state_done(&back);
}

static void damaged(struct choices *c, struct reload_bytes *b, struct reload_bytes *again)
{
	struct fl_state s, back;
	uint64_t before[2], after[2];
	fl_mark mark;

	damage(b, c);
	if (!load(b, &s))
		return;
	save(&s, again);
	ENSURE(load(again, &back));
	same(&s, &back);
	fl_state_done(&back);
	digest(&s, before);
	ENSURE(s.ops->mark(s.policy, &mark, NULL) == 0);
	back = s;
	happen(&back, c, MOST_EVENTS);
	step(&back);
	s.ops->rollback(s.policy, mark);
	digest(&s, after);
	ENSURE(memcmp(before, after, sizeof before) == 0);
	fl_state_done(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct choices c = { data, data + size };
	struct reload_bytes b = { 0 }, again = { 0 };
	struct fl_state s;

	if (!make(&c, &s))
		return 0;
	happen(&s, &c, MOST_EVENTS);
	save(&s, &b);
	undamaged(&s, &b, &again);
	fl_state_done(&s);
	damaged(&c, &b, &again);
	free(b.bytes);
	free(again.bytes);
	return 0;
}
