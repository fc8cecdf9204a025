/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sampled usage with entry penalties, and the exact integral, against what was really
 * held.  Prints what it measures ("#" lines: doc/differences.md and the guide quote
 * them) and fails when the exact way is not exact, or the sampled way does not err as
 * the documents say.
 */
#include <math.h>

#include "afs_world.h"
#include "lib/unit.h"

static const struct fl_policy_ops *const ops = &fl_borrow_policy;

enum { SLOTS = 16, USERS = 3, LOG = 1 << 17 };

/* One user, with a local queue of its own and always another job to run. */
struct user {
	const char *name;
	double weight;
	fl_amount size;
	int64_t runs_for, rests_for; /* seconds */
	bool evicted;                /* each time it is evicted, and waits again */
};

/* What was really held: one row a run of a job. */
struct held {
	int user;
	fl_time from, to;
};

struct world {
	const struct user *users;
	int n;
	struct fl_model *m;
	struct fl_policy *p;
	fl_time half_life, sampling;
	struct slot {
		struct fl_workload w;
		int user;
		bool on;
		fl_time since, next; /* next: when it ends, or is submitted again */
	} slots[SLOTS * USERS];
	int n_slots;
	struct held *log;
	int n_log;
};

static void build(struct world *w, enum way way, fl_amount quota)
{
	struct world_node node = {
		"q", NULL, FL_CLUSTER_QUEUE, 1, { { quota, FL_NO_LIMIT, FL_NO_LIMIT } }
	};
	fairlead_error err;

	w->m = world_open(&fl_mem_heap, &node, 1, 1);
	set_afs(w->m, way, w->half_life, w->sampling);
	for (int u = 0; u < w->n; u++)
		add_local_queue(w->m, w->users[u].name, "q", w->users[u].weight, 0);
	for (int u = 0; u < w->n; u++)
		for (int i = 0; i < SLOTS; i++) {
			char name[16];

			(void)snprintf(name, sizeof name, "%s%02d", w->users[u].name, i);
			add_job(w->m, name, w->users[u].name, NULL, 0, 1, w->users[u].size);
		}
	assert_int_equal(fl_model_seal(w->m, &err), 0);
	w->p = world_policy(&fl_mem_heap, w->m, 0);
	w->n_slots = 0;
	for (int u = 0; u < w->n; u++)
		for (int i = 0; i < SLOTS; i++) {
			char name[16];

			(void)snprintf(name, sizeof name, "%s%02d", w->users[u].name, i);
			w->slots[w->n_slots++] = (struct slot){ job(w->m, name), u, false, 0,
								FL_NEVER };
		}
}

static void done(struct world *w)
{
	ops->free(w->p);
	fl_model_free(w->m);
	free(w->log);
}

/* What ends or arrives at @now does; then cycles, until one admits nobody. */
static void live(struct world *w, fl_time now)
{
	for (int i = 0; i < w->n_slots; i++) {
		struct slot *s = &w->slots[i];
		const struct user *u = &w->users[s->user];

		if (s->next != now)
			continue;
		s->next = FL_NEVER;
		if (!s->on) {
			happens(w->p, now, FL_EV_SUBMIT, s->w);
			continue;
		}
		s->on = false;
		assert_true(w->n_log < LOG);
		w->log[w->n_log++] = (struct held){ s->user, s->since, now };
		if (u->evicted) {
			happens(w->p, now, FL_EV_EVICTED, s->w);
		} else {
			happens(w->p, now, FL_EV_FINISHED, s->w);
			if (u->rests_for)
				s->next = now + u->rests_for * FL_SECOND;
			else
				happens(w->p, now, FL_EV_SUBMIT, s->w);
		}
	}
	while (cycle(w->p, now))
		for (int i = 0; i < w->n_slots; i++) {
			struct slot *s = &w->slots[i];

			if (s->on || !runs(w->p, s->w))
				continue;
			s->on = true;
			s->since = now;
			s->next = now + w->users[s->user].runs_for * FL_SECOND;
		}
}

static void run(struct world *w, fl_time end)
{
	w->log = calloc(LOG, sizeof *w->log);
	assert_non_null(w->log);
	w->n_log = 0;
	for (fl_time now = 0; now <= end;) {
		fl_time next = now / w->sampling * w->sampling + w->sampling;

		live(w, now);
		for (int i = 0; i < w->n_slots; i++)
			if (w->slots[i].next < next)
				next = w->slots[i].next;
		now = next > end && now < end ? end : next;
	}
}

/* The integral from the list of runs, each for itself, in 64 bits of mantissa: the truth. */
static long double truth(const struct world *w, int user, fl_time now)
{
	long double sum = 0, h = (long double)w->half_life;

	for (int i = 0; i < w->n_log; i++)
		if (w->log[i].user == user)
			sum += exp2l(-(long double)(now - w->log[i].to) / h) *
			       -expm1l(-(long double)(w->log[i].to - w->log[i].from) / h *
				       0.693147180559945309417232121458176568L);
	for (int i = 0; i < w->n_slots; i++)
		if (w->slots[i].on && w->slots[i].user == user)
			sum += -expm1l(-(long double)(now - w->slots[i].since) / h *
				       0.693147180559945309417232121458176568L);
	return sum * w->users[user].size;
}

/* Units times seconds that @user held after @from. */
static double delivered(const struct world *w, int user, fl_time from, fl_time end)
{
	double sum = 0;

	for (int i = 0; i < w->n_log; i++)
		if (w->log[i].user == user && w->log[i].to > from)
			sum += (double)(w->log[i].to -
					(w->log[i].from > from ? w->log[i].from : from));
	for (int i = 0; i < w->n_slots; i++)
		if (w->slots[i].on && w->slots[i].user == user)
			sum += (double)(end -
					(w->slots[i].since > from ? w->slots[i].since : from));
	return sum * 1e-9 * (double)w->users[user].size;
}

struct result {
	double part[USERS]; /* of all that was delivered, in the second half of the time */
	double counted;     /* usage of the first user as counted, over what it really is */
	double worst;       /* relative error of the counted usage, of any user */
};

static struct result measure(const struct user *users, int n, enum way way, int64_t sampling)
{
	struct world w = { .users = users,
			   .n = n,
			   .half_life = 3600 * FL_SECOND,
			   .sampling = sampling * FL_SECOND };
	fl_time end = 24 * 3600 * FL_SECOND;
	struct result r = { 0 };
	double all = 0;

	build(&w, way, 10);
	run(&w, end);
	for (int u = 0; u < n; u++) {
		double is = (double)truth(&w, u, end), says = consumed(w.m, w.p, users[u].name);
		double error = fabs(says - is) / is;

		all += r.part[u] = delivered(&w, u, end / 2, end);
		r.worst = error > r.worst ? error : r.worst;
		if (u == 0)
			r.counted = says / is;
	}
	for (int u = 0; u < n; u++)
		r.part[u] /= all;
	done(&w);
	return r;
}

/* Ten units, half-life 1 h, 24 h; everybody always has another job to run. */
static const struct scenario {
	const char *name;
	struct user users[USERS];
	int n;
	int64_t sampling;
	double most, least; /* of the first user's part, sampled, as documented */
	double error;       /* of anybody's part, exact, against its due */
} scenarios[] = {
	{ "jobs of 10 s | 1000 s",
	  { { "a", 1, 1, 10, 0, false }, { "b", 1, 1, 1000, 0, false } },
	  FIELDS(2, 300, 0.06, 0.02, 0.01) },
	{ "1 min | 10 min",
	  { { "a", 1, 1, 60, 0, false }, { "b", 1, 1, 600, 0, false } },
	  FIELDS(2, 300, 0.25, 0.15, 0.01) },
	{ "1 min | 10 min, sampled 1 min",
	  { { "a", 1, 1, 60, 0, false }, { "b", 1, 1, 600, 0, false } },
	  FIELDS(2, 60, 0.40, 0.30, 0.01) },
	{ "4 min | 40 min",
	  { { "a", 1, 1, 240, 0, false }, { "b", 1, 1, 2400, 0, false } },
	  FIELDS(2, 300, 0.45, 0.35, 0.02) },
	{ "evicted after 60 s | 10 min",
	  { { "a", 1, 1, 60, 0, true }, { "b", 1, 1, 600, 0, false } },
	  FIELDS(2, 300, 0.25, 0.15, 0.01) },
	{ "10 min | 10 min",
	  { { "a", 1, 1, 600, 0, false }, { "b", 1, 1, 600, 0, false } },
	  FIELDS(2, 300, 0.51, 0.49, 0.01) },
	{ "1 min, weight 3 | 10 min",
	  { { "a", 3, 1, 60, 0, false }, { "b", 1, 1, 600, 0, false } },
	  FIELDS(2, 300, 0.50, 0.35, 0.02) },
	{ "1 min | 10 min | 100 min",
	  { { "a", 1, 1, 60, 0, false },
	    { "b", 1, 1, 600, 0, false },
	    { "c", 1, 1, 6000, 0, false } },
	  FIELDS(3, 300, 0.15, 0.05, 0.05) },
};

static void print(const struct scenario *s, enum way way, const struct result *r)
{
	char parts[64];
	size_t at = 0;

	for (int u = 0; u < s->n; u++)
		at += (size_t)snprintf(parts + at, sizeof parts - at, "%s%.1f %%", u ? " | " : "",
				       100 * r->part[u]);
	print_message("# %-30s %-8s %-26s counted/held %7.4f, worst error %.0e\n", s->name,
		      way == EXACT ? "exact" : "sampled", parts, r->counted, r->worst);
}

TEST(who_gets_what)
{
	for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
		const struct scenario *s = &scenarios[i];
		struct result sampled = measure(s->users, s->n, SAMPLED, s->sampling);
		struct result exact = measure(s->users, s->n, EXACT, s->sampling);
		double weights = 0;

		print(s, SAMPLED, &sampled);
		print(s, EXACT, &exact);
		assert_true(sampled.part[0] < s->most && sampled.part[0] > s->least);
		for (int u = 0; u < s->n; u++)
			weights += s->users[u].weight;
		for (int u = 0; u < s->n; u++)
			assert_true(fabs(exact.part[u] - s->users[u].weight / weights) < s->error);
		assert_true(exact.worst < 1e-12);
	}
}

UNIT_GROUP("afs_measure")
