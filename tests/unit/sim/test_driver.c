/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unit.h"
#include "sim/driver.h"

/* A policy that says what it is told to. */
struct fl_policy {
	bool moved;
	uint32_t n_heads;
	fl_time wake;
	struct fl_decision rows[4];
	uint32_t n;
	int fails;
};

static int apply(struct fl_policy *p, fl_time now, const struct fl_event *event,
		 fairlead_error *err)
{
	(void)now;
	(void)event;
	return p->fails ? fl_fail(err, FAIRLEAD_ESTATE, "no") : 0;
}

static int step(struct fl_policy *p, fl_time now, unsigned flags, const struct fl_sink *sink,
		struct fl_decisions *ret, fairlead_error *err)
{
	(void)now;
	(void)flags;
	(void)sink;
	if (p->fails)
		return fl_fail(err, FAIRLEAD_ENOMEM, "no");
	*ret = (struct fl_decisions){ .rows = p->rows,
				      .n = p->n,
				      .n_heads = p->n_heads,
				      .waiting = p->n_heads > 0,
				      .moved = p->moved };
	return 0;
}

static int serve(struct fl_policy *p, fl_time now, struct fl_workload w, const struct fl_sink *sink,
		 struct fl_decisions *ret, fairlead_error *err)
{
	if (p->fails)
		return fl_fail(err, p->fails, "no");
	p->rows[0].workload = w;
	return step(p, now, 0, sink, ret, err);
}

static fl_time wake(const struct fl_policy *p, fl_time now)
{
	(void)now;
	return p->wake;
}

static const struct fl_policy_ops ops = {
	.apply = apply, .step = step, .serve = serve, .wake = wake
};

struct told {
	char text[32];
	int n;
};

static int tell(struct told *t, char what)
{
	t->text[t->n++] = what;
	return 0;
}
static int start(void *user, fl_time now, const struct fl_decision *d, fairlead_error *err)
{
	(void)now;
	(void)err;
	return tell(user, (char)('a' + d->workload.v));
}
static int evict(void *user, fl_time now, const struct fl_decision *d, fairlead_error *err)
{
	(void)now;
	(void)err;
	return tell(user, (char)('A' + d->workload.v));
}
static int loop(void *user, fl_time now, const struct fl_watched_loop *l, fairlead_error *err)
{
	(void)now;
	(void)err;
	return tell(user, (char)('0' + l->number));
}
static int cycle(void *user, fl_time now, const struct fl_decisions *d, fairlead_error *err)
{
	(void)now;
	(void)err;
	(void)d;
	return tell(user, '.');
}

static void init(struct fl_driver *d, struct fl_policy *p, struct told *t, fl_time interval,
		 fl_time period)
{
	const struct fl_driver_options o = {
		.mem = &fl_mem_heap,
		.ops = &ops,
		.policy = p,
		.n_workloads = 4,
		.backend = { .start = start,
			     .evict = evict,
			     .cycle = cycle,
			     .loop = loop,
			     .user = t },
		.interval = interval,
		.period = period,
	};

	assert_int_equal(fl_driver_init(d, &o, NULL), 0);
}

enum { HEADS = 1, MOVED = 2, EVENT = 4 };

/* After a cycle at 1000. */
TEST(a_cycle_is_due)
{
	static const struct {
		const char *name;
		int what;
		fl_time wake, interval, period, now, next;
	} rows[] = {
		{ "nothing", 0, FL_NEVER, 10, FL_NEVER, 1000, FL_NEVER },
		{ "it moved: at once, but for the interval", MOVED, FL_NEVER, 10, FL_NEVER, 1000,
		  1010 },
		{ "an event", EVENT, FL_NEVER, 10, FL_NEVER, 1003, 1010 },
		{ "an event, long after", EVENT, FL_NEVER, 10, FL_NEVER, 1500, 1500 },
		{ "no interval", MOVED, FL_NEVER, 0, FL_NEVER, 1000, 1000 },
		{ "the policy wakes", 0, 1200, 10, FL_NEVER, 1000, 1200 },
		{ "not within the interval", 0, 1002, 10, FL_NEVER, 1000, 1010 },
		{ "it is late", 0, 1200, 10, FL_NEVER, 1300, 1300 },
		{ "the period, somebody waits", HEADS, FL_NEVER, 10, 60, 1000, 1060 },
		{ "the period, nobody waits", 0, FL_NEVER, 10, 60, 1000, FL_NEVER },
		{ "wake before the period", HEADS, 1030, 10, 60, 1000, 1030 },
		{ "a period within the interval", HEADS, FL_NEVER, 10, 5, 1000, 1010 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fl_policy p = { .moved = rows[i].what & MOVED,
				       .n_heads = rows[i].what & HEADS ? 1 : 0,
				       .wake = rows[i].wake };
		struct fl_event event = { .kind = FL_EV_SUBMIT };
		struct told t = { 0 };
		struct fl_driver d;

		init(&d, &p, &t, rows[i].interval, rows[i].period);
		CHECK(fl_driver_next(&d, 7) == 7, rows[i].name);
		CHECK(fl_driver_cycle(&d, 1000, NULL) == 0, rows[i].name);
		if (rows[i].what & EVENT)
			CHECK(fl_driver_apply(&d, 1000, &event, NULL) == 0, rows[i].name);
		CHECK(fl_driver_next(&d, rows[i].now) == rows[i].next, rows[i].name);
		CHECK(d.cycles == 1 && d.events == (rows[i].what & EVENT ? 1 : 0), rows[i].name);
		fl_driver_done(&d);
	}
}

TEST(decisions_are_handed_over)
{
	struct fl_policy p = {
		.rows = { { .kind = FL_ADMIT, .workload = { 0 } },
			  { .kind = FL_EVICT, .workload = { 1 } },
			  { .kind = FL_EVICT, .workload = { 2 }, .already_evicting = true },
			  { .kind = FL_WAIT, .workload = { 3 } } },
		.n = 4,
		.wake = FL_NEVER
	};
	struct told t = { 0 };
	struct fl_event event = { .kind = FL_EV_SUBMIT };
	struct fl_driver d;

	init(&d, &p, &t, 10, FL_NEVER);
	assert_int_equal(fl_driver_cycle(&d, 5, NULL), 0);
	assert_string_equal(t.text, "aB.");
	/* What fails is as if it had not been. */
	p.fails = 1;
	assert_int_equal(fl_driver_apply(&d, 6, &event, NULL), FAIRLEAD_ESTATE);
	assert_int_equal(fl_driver_cycle(&d, 6, NULL), FAIRLEAD_ENOMEM);
	assert_true(d.events == 0 && d.cycles == 1 && d.last == 5 && !d.due);
	assert_true(fl_driver_next(&d, 6) == FL_NEVER);
	fl_driver_done(&d);
}

/* One is served, and what comes of it handed over; then a cycle is due. */
TEST(one_is_served)
{
	struct fl_policy p = { .rows = { { .kind = FL_ADMIT } }, .n = 1, .n_heads = 1, .wake = 77 };
	struct told t = { 0 };
	struct fl_driver d;

	init(&d, &p, &t, 0, FL_NEVER);
	assert_int_equal(fl_driver_cycle(&d, 4, NULL), 0);
	assert_true(fl_driver_next(&d, 5) == 77);
	assert_int_equal(fl_driver_serve(&d, 5, (struct fl_workload){ 2 }, NULL), 0);
	assert_string_equal(t.text, "a.c.");
	assert_true(d.cycles == 2 && d.heads == 2 && d.last == 4 && fl_driver_next(&d, 5) == 5);
	/* It is behind another one. */
	p.fails = FAIRLEAD_ESTATE;
	assert_int_equal(fl_driver_serve(&d, 6, (struct fl_workload){ 2 }, NULL), 0);
	p.fails = FAIRLEAD_ENOMEM;
	assert_int_equal(fl_driver_serve(&d, 6, (struct fl_workload){ 2 }, NULL), FAIRLEAD_ENOMEM);
	assert_string_equal(t.text, "a.c.");
	assert_true(d.cycles == 2);
	fl_driver_done(&d);
}

/* After all decisions of the cycle in which it is seen. */
TEST(a_loop_is_told)
{
	struct fl_policy p = {
		.rows = { { .kind = FL_EVICT, .preemptor = { 1 }, .workload = { 0 } } },
		.wake = FL_NEVER,
	};
	struct fl_event event = { .kind = FL_EV_SUBMIT };
	struct told t = { 0 };
	struct fl_driver d;

	init(&d, &p, &t, 10, FL_NEVER);
	p.n = 1;
	for (fl_time now = 0; now < 4; now++) {
		assert_int_equal(fl_driver_apply(&d, now, &event, NULL), 0);
		assert_int_equal(fl_driver_cycle(&d, now, NULL), 0);
		p.rows[0].kind = FL_ADMIT;
		assert_int_equal(fl_driver_cycle(&d, now, NULL), 0);
		p.rows[0].kind = FL_EVICT;
	}
	assert_string_equal(t.text, "A.a.A.a.A.1a.A.a.");
	assert_true(d.loop_watch.n_loops == 1 && d.loop_watch.preemptions == 4);
	fl_driver_done(&d);
}

UNIT_GROUP("driver")
