/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preemption that goes round, from what a driver says.
 *
 * Workloads are letters, one script a row: "+a" it arrives, "-a" is done, "~a" is killed, "<a" lets
 * go, "." a cycle that decides nothing; "[...]" a cycle, in which "a!" is admitted, "a>b" preempts,
 * "a>>b" the same though b goes already, "?>b" for nobody.  After "]" the state as a letter, lower
 * case when nobody is on the way out; without one it is a new state.
 */
#include <stdarg.h>

#include "lib/fail_mem.h"
#include "lib/unit.h"
#include "sim/loop_watch.h"

enum { JOBS = 26 };

/* A policy that is in the state it is told. */
struct fl_policy {
	uint64_t state;
	bool leaves;      /* who leaves for long: */
	uint32_t leaver;  /* z */
	uint32_t going;   /* who was told to, and not admitted since */
	uint32_t digests; /* taken */
};

static enum fl_workload_state state(const struct fl_policy *p, struct fl_workload w)
{
	return w.v == p->going || (p->leaves && w.v == p->leaver) ? FL_STATE_EVICTING :
								    FL_STATE_WAITING;
}

static void digest(const struct fl_policy *p, fl_time now, uint64_t ret[2])
{
	(void)now;
	((struct fl_policy *)p)->digests++;
	ret[0] = 1;
	ret[1] = p->state;
}

static const struct fl_policy_ops ops = { .state = state, .digest = digest };

struct script {
	struct fl_loop_watch r;
	struct fl_policy p;
	fl_time now; /* cycles */
	uint64_t fresh;
	char told[1024];
	size_t n;
	bool carried; /* "-z" is a generation without z, in which all have other numbers */
	bool turned;  /* z is 0 */
};

static uint32_t id_of(const struct script *s, char letter)
{
	return (uint32_t)(s->turned ? 'z' - letter : letter - 'a');
}

static char letter_of(const struct script *s, uint32_t id)
{
	return (char)(s->turned ? 'z' - (int)id : 'a' + (int)id);
}

static void say(struct script *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(struct script *s, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	s->n += (size_t)vsnprintf(s->told + s->n, sizeof s->told - s->n, format, args);
	va_end(args);
	assert_true(s->n < sizeof s->told);
}

/* "3: 1 sure since 1, 6: a>b*3 b>a*3 | " at cycle 3, loop 1, 6 preemptions */
static void say_loops(struct script *s)
{
	const struct fl_watched_loop *l;
	const struct fl_watched_pair *p;

	while ((l = fl_loop_watch_next(&s->r))) {
		say(s, "%d: %u %s since %d, %d:", (int)s->now, l->number,
		    l->sure ? "sure" : "repeated", (int)l->since, (int)l->preemptions);
		assert_true(l->last <= s->now);
		for (uint32_t i = 0; (p = fl_loop_watch_pair_of(&s->r, l->number, &i));)
			say(s, " %c>%c*%u", letter_of(s, p->preemptor), letter_of(s, p->victim),
			    p->times);
		say(s, " | ");
	}
}

static const char *cycle(struct script *s, const char *at)
{
	struct fl_decision rows[16];
	struct fl_decisions d = { .rows = rows };
	fairlead_error err;

	for (; *at != ']'; at += *at == ' ') {
		uint32_t who = *at == '?' ? FL_NONE : id_of(s, *at);

		assert_true(d.n < COUNT(rows));
		if (at[1] == '!') {
			rows[d.n++] = (struct fl_decision){ .kind = FL_ADMIT, .workload = { who } };
			s->p.going = who == s->p.going ? FL_NONE : s->p.going;
			at += 2;
			continue;
		}
		assert_true(at[1] == '>');
		rows[d.n] = (struct fl_decision){ .kind = FL_EVICT,
						  .reason = FL_REASON_IN_COHORT_FAIR_SHARING,
						  .preemptor = { who },
						  .already_evicting = at[2] == '>' };
		at += rows[d.n].already_evicting ? 3 : 2;
		s->p.going = rows[d.n++].workload.v = id_of(s, *at++);
	}
	at++;
	s->now++;
	s->p.leaves = *at >= 'A' && *at <= 'Z';
	s->p.state = ++s->fresh << 8;
	if (s->p.leaves || (*at >= 'a' && *at <= 'z'))
		s->p.state = (uint64_t)(*at++ | 0x20);
	assert_int_equal(fl_loop_watch_decided(&s->r, s->now, &d, &err), 0);
	assert_int_equal(fl_loop_watch_look(&s->r, &ops, &s->p, s->now, &err), 0);
	say_loops(s);
	return at;
}

/* All that is known in another generation, which has another z. */
static void carry(struct script *s, const struct fl_mem *mem)
{
	struct fl_workload was[JOBS];
	struct fl_loop_watch next;
	fairlead_error err;

	for (uint32_t w = 0; w < JOBS; w++)
		was[w].v = JOBS - 1 - w;
	s->turned = !s->turned;
	s->p.leaver = id_of(s, 'z');
	was[s->p.leaver].v = FL_NONE;
	s->p.going = s->p.going == FL_NONE ? FL_NONE : JOBS - 1 - s->p.going;
	assert_int_equal(fl_loop_watch_init(&next, mem, JOBS, &err), 0);
	assert_int_equal(fl_loop_watch_adopt(&next, &s->r, was, &err), 0);
	fl_loop_watch_done(&s->r);
	s->r = next;
}

static void play(struct script *s, const char *at)
{
	static const struct {
		char sign;
		enum fl_event_kind kind;
	} events[] = { { '+', FL_EV_SUBMIT },  { '-', FL_EV_FINISHED }, { '~', FL_EV_KILLED },
		       { '<', FL_EV_EVICTED }, { '/', FL_EV_CANCEL },   { '=', FL_EV_CELL },
		       { '%', FL_EV_STARTED } };

	while (*at) {
		if (*at == '[') {
			at = cycle(s, at + 1);
		} else if (*at == ' ') {
			at++;
		} else if (s->carried && strncmp(at, "-z", 2) == 0) {
			carry(s, s->r.mem);
			at += 2;
		} else {
			struct fl_event e = { .workload = { id_of(s, at[1]) } };
			size_t i = 0;

			while (i < COUNT(events) && events[i].sign != *at)
				i++;
			assert_true(i < COUNT(events));
			e.kind = events[i].kind;
			if (e.kind == FL_EV_EVICTED && e.workload.v == s->p.going)
				s->p.going = FL_NONE;
			fl_loop_watch_event(&s->r, &e);
			at += 2;
		}
	}
}

static void begin(struct script *s, const struct fl_mem *mem)
{
	fairlead_error err;

	memset(s, 0, sizeof *s);
	s->p.going = FL_NONE;
	s->p.leaver = JOBS - 1;
	assert_int_equal(fl_loop_watch_init(&s->r, mem, JOBS, &err), 0);
}

/* One round of a ring of two: b holds, a takes it, b takes it back. */
#define RING "[a>b] <b [a!] [b>a] <a [b!] "
/* a takes from b, and b gets it back. */
#define VAIN "[a>b] <b [b!] "
#define TEN                                                                                        \
	"[a>b][a!][c>a][c!][d>c][d!][e>d][e!][f>e][f!][g>f][g!][h>g][h!][i>h][i!][j>i][j!][b>j][b!]"

TEST(what_goes_round_is_told)
{
	static const struct {
		const char *name, *script, *told;
	} rows[] = {
		{ "the third time, with events from outside", "[b!] " RING "-z " RING "-z " RING,
		  "10: 1 repeated since 2, 5: a>b*3 b>a*2 | " },
		{ "twice is none", "[b!] " RING "-z " RING "-z ", "" },
		{ "in vain", "[b!] " VAIN "-z " VAIN "+z " VAIN,
		  "6: 1 repeated since 2, 3: a>b*3 | " },
		{ "a ring of three",
		  "[b!] [a>b][a!][c>a][c!][b>c][b!] -z [a>b][a!][c>a][c!][b>c][b!] -z "
		  "[a>b][a!][c>a][c!][b>c]",
		  "14: 1 repeated since 2, 7: a>b*3 c>a*2 b>c*2 | " },
		{ "a ring of four",
		  "[b!] [a>b][a!][c>a][c!][d>c][d!][b>d][b!] -z "
		  "[a>b][a!][c>a][c!][d>c][d!][b>d][b!] -z [a>b][a!][c>a]",
		  "18: 1 repeated since 2, 9: a>b*3 c>a*2 d>c*2 b>d*2 | " },
		{ "a ring of ten is too long", "[b!] " TEN "-z " TEN "-z " TEN "-z " TEN, "" },
		{ "one is taken along, another takes back",
		  "[b!c!] [a>b a>c][a!][c>a][c!][b!] -z [a>b a>c][a!][c>a][c!][b!] -z [a>b a>c]",
		  "12: 1 repeated since 2, 8: a>b*3 a>c*3 c>a*2 | " },
		{ "told once, until another joins",
		  "[b!] " VAIN "-z " VAIN "-z " VAIN "-z " VAIN "-z " VAIN
		  "-z [a>b a>c][b!c!] -z [a>b a>c][b!c!] -z [a>b a>c]",
		  "6: 1 repeated since 2, 3: a>b*3 | 16: 1 repeated since 2, 11: a>b*8 a>c*3 | " },
		{ "two of them become one",
		  "[b!d!] [a>b c>d][b!d!] -z [a>b c>d][b!d!] -z [a>b c>d][b!d!] -z [a>d][d!] -z "
		  "[a>d][d!] -z [a>d]",
		  "6: 1 repeated since 2, 3: a>b*3 | 6: 2 repeated since 2, 3: c>d*3 | "
		  "12: 1 repeated since 2, 9: a>b*3 c>d*3 a>d*3 | " },
		/* What is no loop. */
		{ "taken by those who came later",
		  "[b!] [a>b][a!] +c [c>a][c!] -c [b!] [a>b][a!] +d [d>a][d!] -d [b!] [a>b][a!] "
		  "+e [e>a][e!] -e [b!] [a>b]",
		  "" },
		{ "the same by those who were there, and are done then",
		  "[b!] [a>b][a!] [c>a][c!] -c [b!] [a>b][a!] [d>a][d!] -d [b!] [a>b][a!] [e>a][e!] "
		  "-e [b!] [a>b]",
		  "" },
		{ "by those who make up for what newcomers took",
		  "[b!c!] [a>b][a!] +d [d>c][d!] [c>a][c!] -d [b!] [a>b][a!] +e [e>c][e!] "
		  "[c>a][c!] -e [b!] [a>b][a!] +f [f>c][f!] [c>a][c!] -f [b!] [a>b]",
		  "" },
		{ "lost to failures", "[b!] [a>b][a!] ~a [b!] [a>b][a!] ~a [b!] [a>b]", "" },
		{ "it keeps what it has, and takes more of it",
		  "[b!] [a>b][a! b!] -z [a>b][a! b!] -z [a>b][a! b!] -z [a>b]", "" },
		{ "one victim, told again and again", "[b!] [a>b] -z [a>>b] -z [a>>b] -z [a>>b]",
		  "" },
		{ "it gets nothing back", "[b!] [a>b] -z [a>b] -z [a>b] -z [a>b]", "" },
		{ "for nobody", "[b!] [?>b][b!] -z [?>b][b!] -z [?>b][b!] -z [?>b]", "" },
		{ "always another one", "[z!] [a>z][z!] -a [b>z][z!] -b [c>z][z!] -c [d>z][z!]",
		  "" },
		/* Back-off: gone, and the same again. */
		{ "who backs off is no newcomer",
		  "[b!] [a>b]<b/b[a!]+b [b>a]<a/a[b!]+a [a>b]<b/b[a!]+b [b>a]<a/a[b!]+a [a>b]",
		  "10: 1 repeated since 2, 5: a>b*3 b>a*2 | " },
		/* Nothing comes from outside: states are compared. */
		{ "the same state, in vain", "[b!]x [a>b]X [b!]x [a>b]X [b!]x [a>b]X [b!]x",
		  "7: 1 sure since 2, 3: a>b*3 | " },
		{ "a ring, in four states",
		  "[b!]p [a>b]P<b[a!]q [b>a]Q<a[b!]p [a>b]P<b[a!]q [b>a]Q<a[b!]p [a>b]P<b[a!]q",
		  "11: 1 sure since 2, 5: a>b*3 b>a*2 | " },
		{ "let go and started are not from outside",
		  "[b!]x [a>b]X <b [b!]x %b [a>b]X <b [b!]x %b [a>b]X <b [b!]x",
		  "7: 1 sure since 2, 3: a>b*3 | " },
		{ "a finish is",
		  "[b!]x [a>b]X [b!]x [a>b]X [b!]x -z [a>b]X [b!]x [a>b]X [b!]x [a>b]X [b!]x",
		  "6: 1 repeated since 2, 3: a>b*3 | 11: 1 sure since 2, 5: a>b*5 | " },
		{ "a cell is", "[b!]x [a>b]X [b!]x [a>b]X [b!]x =a [a>b]X [b!]x",
		  "6: 1 repeated since 2, 3: a>b*3 | " },
		{ "every state is another one: patience",
		  "[b!]" VAIN VAIN VAIN VAIN VAIN VAIN VAIN VAIN VAIN VAIN,
		  "18: 1 repeated since 2, 9: a>b*9 | " },
		{ "only those are on the way out who were just told",
		  "[b! a>b]x <b [b! a>b]x <b [b! a>b]x <b [b! a>b]x",
		  "3: 1 sure since 1, 3: a>b*3 | " },
		{ "those who were told are not all gone, and others are told",
		  "[b! a>b]x [c! a>c]x [b! a>b]X [c! a>c]X [b! a>b]X [c! a>c]X", "" },
		{ "somebody is always on the way out",
		  "[b!]X [a>b]X [b!]X [a>b]X [b!]X [a>b]X [b!]X [a>b]X [b!]X [a>b]X [b!]X", "" },
		{ "only what went round since",
		  "[b!d!]w [c>d]W[d!]w [a>b]W[b!]x [a>b]X[b!]x [a>b]X[b!]x",
		  "9: 1 sure since 4, 3: a>b*3 | " },
	};

	for (size_t i = 0; i < 2 * COUNT(rows); i++) {
		const char *name = rows[i / 2].name, *told = rows[i / 2].told;
		struct script s;

		begin(&s, &fl_mem_heap);
		s.carried = i % 2;
		play(&s, rows[i / 2].script);
		if (strcmp(s.told, told) != 0)
			fail_msg("%s%s: told\n%s\nnot\n%s", name, s.carried ? ", carried" : "",
				 s.told, told);
		fl_loop_watch_done(&s.r);
	}
}

/* Nobody looks at states while nothing goes round, nor when it is known, nor without admissions. */
TEST(states_are_looked_at_when_they_must)
{
	static const struct {
		const char *script;
		uint32_t digests;
	} rows[] = {
		{ "[b!]x [a>b]X [b!]x [c!] [d!]", 0 },
		{ "[b!]x [a>b]X [b!]x [c>d]X [d!]x", 0 },
		{ "[b!]x [a>b]X [b!]x [c>b]X [b!]x", 0 },
		{ "[b!]x [a>b]X [b!]x [a>b]X [] [] [] [b!]x", 1 },
		{ "[b!]x [a>b]X [b!]x [a>b]X [b!]x [a>b]X [b!]x [a>b]X [b!]x [a>b]X [b!]x", 2 },
		{ "[b!]x [a>b]X [b!]x [a>b]X [b!]x -z [c!] [d!] [e!]", 1 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct script s;

		begin(&s, &fl_mem_heap);
		play(&s, rows[i].script);
		CHECK(s.p.digests == rows[i].digests, rows[i].script);
		fl_loop_watch_done(&s.r);
	}
}

/* A preemption of @r, each in a cycle of its own in which the victim comes back. */
static void meet(struct fl_loop_watch *r, uint32_t preemptor, uint32_t victim)
{
	const struct fl_decision rows[] = {
		{ .kind = FL_EVICT, .preemptor = { preemptor }, .workload = { victim } },
		{ .kind = FL_ADMIT, .workload = { victim } },
	};
	const struct fl_event done = { .kind = FL_EV_FINISHED };

	for (int i = 0; i < 2; i++) {
		struct fl_decisions d = { .rows = rows + i, .n = 1 };

		assert_int_equal(fl_loop_watch_decided(r, r->cycle, &d, NULL), 0);
	}
	fl_loop_watch_event(r, &done);
}

TEST(old_pairs_are_forgotten)
{
	enum { MANY = 400 };
	const struct fl_watched_loop *l;
	struct fail_mem f;
	struct fl_loop_watch r;
	unsigned long calls = 0;
	uint32_t at = 0, n = 0;

	fail_mem_init(&f);
	assert_int_equal(fl_loop_watch_init(&r, &f.mem, MANY + 2, NULL), 0);
	meet(&r, 0, 1);
	for (uint32_t i = 0; i < MANY * MANY; i++) {
		if (i == FL_LOOP_WATCH_PAIRS + 10)
			calls = f.calls;
		if (i / MANY != i % MANY)
			meet(&r, i / MANY, i % MANY);
		if (i % (FL_LOOP_WATCH_PAIRS / 4) == 0)
			meet(&r, MANY, MANY + 1);
		assert_true(r.n_pairs <= FL_LOOP_WATCH_PAIRS);
	}
	/* Warm, it takes no memory, but for the first loops. */
	assert_true(f.calls <= calls + 2);
	assert_true(fl_pairs_find(&r.by_names, 0, 1) == FL_NONE);
	while ((l = fl_loop_watch_loop_at(&r, &at)))
		n++;
	assert_int_equal(n, 1);
	assert_int_equal(r.preemptions, MANY * MANY / (FL_LOOP_WATCH_PAIRS / 4) + 1);
	fl_loop_watch_done(&r);
	assert_int_equal(f.live, 0);
}

TEST(the_newest_loops_are_kept)
{
	enum { MANY = FL_LOOP_WATCH_LOOPS + 100 };
	const struct fl_watched_loop *l;
	struct fl_loop_watch r;
	uint32_t at = 0, n = 0;

	assert_int_equal(fl_loop_watch_init(&r, &fl_mem_heap, 2 * MANY, NULL), 0);
	for (uint32_t i = 0; i < MANY; i++)
		for (int k = 0; k < 3; k++)
			meet(&r, 2 * i, 2 * i + 1);
	assert_int_equal(r.n_loops, MANY);
	assert_int_equal(r.preemptions, 3 * MANY);
	while ((l = fl_loop_watch_loop_at(&r, &at)))
		assert_int_equal(l->number, MANY - FL_LOOP_WATCH_LOOPS + ++n);
	assert_int_equal(n, FL_LOOP_WATCH_LOOPS);
	for (n = 0; fl_loop_watch_next(&r); n++)
		;
	assert_int_equal(n, FL_LOOP_WATCH_LOOPS);
	fl_loop_watch_done(&r);
}

TEST(memory_that_runs_out_leaves_nothing)
{
	const struct fl_decision rows[] = {
		{ .kind = FL_EVICT, .preemptor = { 0 }, .workload = { 1 } },
		{ .kind = FL_ADMIT, .workload = { 1 } },
	};
	int rc = FAIRLEAD_ENOMEM;

	for (unsigned long n = 1; rc == FAIRLEAD_ENOMEM; n++) {
		fairlead_error err;
		struct fail_mem f;
		struct fl_loop_watch r, next = { 0 };
		const struct fl_workload was[] = { { 1 }, { 0 } };

		fail_mem_init(&f);
		f.fail_at = n;
		rc = fl_loop_watch_init(&r, &f.mem, 2, &err);
		for (int i = 0; i < 6 && rc == 0; i++) {
			struct fl_decisions d = { .rows = rows + i % 2, .n = 1 };
			const struct fl_event done = { .kind = FL_EV_FINISHED };

			rc = fl_loop_watch_decided(&r, i, &d, &err);
			fl_loop_watch_event(&r, &done);
		}
		assert_true(rc < 0 || r.n_loops == 1);
		if (rc == 0)
			rc = fl_loop_watch_init(&next, &f.mem, 2, &err);
		if (rc == 0)
			rc = fl_loop_watch_adopt(&next, &r, was, &err);
		fl_loop_watch_done(&r);
		fl_loop_watch_done(&next);
		assert_int_equal(f.live, 0);
		assert_true(n < 20);
	}
	assert_int_equal(rc, 0);
}

UNIT_GROUP("loop_watch")
