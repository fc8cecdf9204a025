/* SPDX-License-Identifier: Apache-2.0 */
/*
 * changed - what a policy knows, carried into one on a model of which much is another
 *
 *   changed [--policy borrow|entitle] [--seed N] [--worlds N]
 *
 * Two random worlds of one size have the same names for other queues, cohorts, flavors, machines
 * and settings.  A policy lives in the first one for a while; then another on a mixture of both,
 * with the workloads of the first, adopts what it knows.  Nobody can say what should come of all
 * that, but: who holds something holds it still, and who must go must go; nobody who had gone is
 * there; what queues use is what is held in them; what is known now is adopted by a third policy to
 * the last word; and it goes on.  Or it is refused, because something that is held is no more.
 * On a difference it says which world, and aborts.
 */
#include <signal.h>
#include <string.h>

#include "base/random.h"
#include "codec/object/kube.h"
#include "decide/borrow/borrow.h"
#include "decide/entitle/entitle.h"
#include "fuzz/chosen_borrow.h"
#include "fuzz/chosen_entitle.h"
#include "prop/lockstep.h"
#include "prop/objects.h"

enum { WORLD_BYTES = 4096 };

static struct {
	bool entitled;
	unsigned long seed, worlds, world;
	unsigned long adopted, refused, holders, steps;
} run = { .seed = 1, .worlds = 300 };

static void say_where(int signal)
{
	(void)fprintf(stderr, "changed: died in world %lu of seed %lu, %s\n", run.world, run.seed,
		      run.entitled ? "entitle" : "borrow");
	_Exit(128 + signal);
}

static const struct fl_policy_ops *ops_of(void)
{
	return run.entitled ? &fl_entitle_policy : &fl_borrow_policy;
}

static void choose_objects(struct fl_random *r, struct text *text, struct objects *ret)
{
	static const struct chosen_borrow borrow = {
		.queues = 6, .cohorts = 4, .flavors = 2, .jobs = 24, .rich = true
	};
	static const struct chosen_entitle entitle = {
		.tops = 2, .middles = 2, .leaves = 4, .machines = 3, .jobs = 12, .pods = 3
	};
	static uint8_t bytes[WORLD_BYTES];
	struct choices c = { bytes, bytes + sizeof bytes };

	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (uint8_t)fl_random_bits(r);
	if (run.entitled)
		chosen_entitle(text, &c, &entitle);
	else
		chosen_borrow(text, &c, &borrow);
	objects_split(ret, text, /* keep_past= */ false);
}

static bool is_alike(const struct objects *a, unsigned i, const struct objects *b, unsigned k)
{
	const char *x = a->text->bytes + a->rows[i].first, *y = b->text->bytes + b->rows[k].first;
	static const char name[] = "\"name\":\"";
	size_t n = (size_t)(strchr(strstr(x, name) ? strstr(x, name) + sizeof name : x, '"') - x);

	return n < b->rows[k].n && memcmp(x, y, n) == 0; /* kind and name */
}

/* Objects of @a, but for some that are those of @b instead, or are not there. */
static void mix(struct fl_random *r, const struct objects *a, const struct objects *b,
		struct text *ret)
{
	unsigned of_100 = (unsigned)(fl_random_bits(r) % 60);

	objects_begin(ret);
	for (unsigned i = 0; i < a->n; i++) {
		unsigned k = 0;

		if (a->rows[i].of >= 0 || fl_random_bits(r) % 100 >= of_100) {
			objects_add(ret, a, i);
			continue;
		}
		while (k < b->n && !is_alike(a, i, b, k))
			k++;
		if (k < b->n)
			objects_add(ret, b, k);
		else if (fl_random_bits(r) % 4)
			objects_add(ret, a, i);
	}
	objects_end(ret);
}

/* NULL: what is mixed cannot be. */
static struct fl_model *read_model(const struct text *t, bool settles)
{
	struct fl_model *m = NULL;
	fairlead_error err = { 0 };

	ENSURE(fl_model_new(&fl_mem_heap, &m, &err) == 0);
	if (fl_kube_read(m, "in", t->bytes, t->n, &err) < 0 || fl_model_seal(m, &err) < 0)
		return fl_model_free(m);
	m->settings.settles |= settles;
	return m;
}

static struct fl_policy *make(const struct fl_model *m, fl_time now, bool moving)
{
	const struct fl_policy_options options = { .mem = &fl_mem_heap,
						   .now = now,
						   .moving_usage = moving };
	struct fl_policy *p = NULL;
	fairlead_error err;

	return ops_of()->new (m, &options, &p, &err) < 0 ? NULL : p;
}

/* --- some life --- */

static void live(struct fl_random *r, const struct fl_model *m, struct fl_policy *p, fl_time *now,
		 int times)
{
	for (int i = 0; i < times; i++) {
		uint64_t bits = fl_random_bits(r);
		struct fl_event e = { .kind = (enum fl_event_kind)(bits % FL_EV_USAGE),
				      .workload = { (uint32_t)(bits >> 8) % m->n_workloads },
				      .machine = { FL_NONE } };
		struct fl_decisions d;
		fairlead_error err;

		*now += (fl_time)(bits >> 40 & 3) * FL_SECOND;
		e.cell = (struct fl_cell){ .kind = FL_CELL_PRIORITY,
					   .amount = (fl_amount)(bits >> 16 & 7) };
		if (bits >> 20 & 1)
			(void)ops_of()->apply(p, *now, &e, &err);
		else
			ENSURE(ops_of()->step(p, *now, 0, /* sink= */ NULL, &d, &err) == 0);
		run.steps++;
	}
}

/* --- what must be so --- */

static void check_usage(const struct fl_model *m, const struct fl_policy *p)
{
	const struct fl_tree *t = fl_borrow_tree(p);
	double used = 0, held = 0;

	for (uint32_t n = 0; n < m->n_nodes; n++)
		for (uint32_t c = 0; t->root_index[n] != FL_NONE && !t->is_cohort[n] &&
				     c < fl_tree_root_of(t, (struct fl_node){ n })->n_columns;
		     c++)
			used += (double)fl_borrow_usage(p)->cell[t->row[n] + c];
	for (uint32_t w = 0; w < m->n_workloads; w++)
		for (uint32_t r = 0; r < m->n_resources; r++)
			held += m->workloads[w].cluster_queue.v == FL_NONE ||
						t->root_index[m->workloads[w].cluster_queue.v] ==
							FL_NONE ?
					0 :
					ops_of()->held(p, (struct fl_workload){ w },
						       (struct fl_resource){ r });
	ENSURE(used == held);
}

static bool holds(enum fl_workload_state s)
{
	return s == FL_STATE_ADMITTED || s == FL_STATE_EVICTING;
}

static void check_states(const struct fl_model *old, const struct fl_policy *from,
			 const struct fl_model *m, const struct fl_policy *p,
			 const struct fl_workload *was)
{
	for (uint32_t w = 0; w < m->n_workloads; w++) {
		enum fl_workload_state x = ops_of()->state(from, was[w]);
		enum fl_workload_state y = ops_of()->state(p, (struct fl_workload){ w });
		uint32_t n, k;

		ENSURE(holds(x) == holds(y) && (!holds(x) || x == y));
		ENSURE((x == FL_STATE_ABSENT) == (y == FL_STATE_ABSENT));
		(void)ops_of()->placement(from, was[w], &n);
		(void)ops_of()->placement(p, (struct fl_workload){ w }, &k);
		ENSURE(run.entitled || n == k);
		for (uint32_t r = 0; r < old->n_resources; r++)
			for (uint32_t i = 0; i < m->n_resources; i++)
				if (strcmp(fl_model_text(old, old->resources[r]),
					   fl_model_text(m, m->resources[i])) == 0)
					ENSURE(ops_of()->held(from, was[w],
							      (struct fl_resource){ r }) ==
					       ops_of()->held(p, (struct fl_workload){ w },
							      (struct fl_resource){ i }));
		run.holders += holds(x);
	}
}

static void check_third(const struct fl_model *m, const struct fl_policy *p, fl_time now,
			bool moving)
{
	struct fl_workload same[LOCKSTEP_JOBS];
	struct fl_policy *third = make(m, now, moving);
	uint64_t x[2], y[2];

	for (uint32_t w = 0; w < m->n_workloads; w++)
		same[w].v = w;
	ENSURE(third && ops_of()->adopt(third, now, p, same, NULL) == 0);
	ops_of()->digest(p, now, x);
	ops_of()->digest(third, now, y);
	ENSURE(memcmp(x, y, sizeof x) == 0);
	ops_of()->free(third);
}

/* --- a world --- */

static void change(struct fl_random *r, const struct fl_model *old, struct fl_policy *from,
		   fl_time now, const struct fl_model *m, bool moving)
{
	struct fl_workload was[LOCKSTEP_JOBS];
	struct fl_policy *p = make(m, now, moving);
	fairlead_error err = { 0 };
	int code;

	if (!p)
		return; /* such as trees that are too deep */
	ENSURE(m->n_workloads <= LOCKSTEP_JOBS);
	for (uint32_t w = 0; w < m->n_workloads; w++)
		was[w] = fl_model_find_workload(old, fl_model_text(m, m->workloads[w].namespace),
						fl_model_text(m, m->workloads[w].name));
	code = ops_of()->adopt(p, now, from, was, &err);
	ENSURE(code == 0 || code == FAIRLEAD_EINPUT);
	if (code == 0) {
		check_states(old, from, m, p, was);
		if (!run.entitled)
			check_usage(m, p);
		check_third(m, p, now, moving);
		live(r, m, p, &now, 60);
		check_third(m, p, now, moving);
		run.adopted++;
	} else {
		run.refused++;
	}
	ops_of()->free(p);
}

static void one_world(void)
{
	static struct text texts[2], mixed;
	static struct objects objects[2];
	struct fl_random r;
	struct fl_model *old, *m;
	struct fl_policy *from;
	fl_time now;

	fl_random_init(&r, run.seed, run.world);
	bool settles = fl_random_bits(&r) % 3 == 0, moving = fl_random_bits(&r) % 2;

	for (int i = 0; i < 2; i++)
		choose_objects(&r, &texts[i], &objects[i]);
	old = read_model(&texts[0], settles);
	ENSURE(old);
	now = old->newest;
	from = make(old, now, moving);
	ENSURE(from);
	live(&r, old, from, &now, 60);
	for (int i = 0; i < 4; i++) {
		mix(&r, &objects[0], &objects[1], &mixed);
		m = read_model(&mixed, settles != (fl_random_bits(&r) % 8 == 0));
		if (m)
			change(&r, old, from, now, m, moving);
		fl_model_free(m);
	}
	ops_of()->free(from);
	fl_model_free(old);
}

int main(int argc, char **argv)
{
	for (int i = 1; i + 1 < argc; i += 2) {
		if (strcmp(argv[i], "--policy") == 0)
			run.entitled = strcmp(argv[i + 1], "entitle") == 0;
		else if (strcmp(argv[i], "--seed") == 0)
			run.seed = strtoul(argv[i + 1], NULL, 10);
		else if (strcmp(argv[i], "--worlds") == 0)
			run.worlds = strtoul(argv[i + 1], NULL, 10);
	}
	(void)signal(SIGABRT, say_where);
	(void)signal(SIGSEGV, say_where);
	for (run.world = 0; run.world < run.worlds; run.world++)
		one_world();
	printf("%s, seed %lu: %lu worlds, %lu changes adopted, %lu refused, %lu held on, %lu steps\n",
	       run.entitled ? "entitle" : "borrow", run.seed, run.worlds, run.adopted, run.refused,
	       run.holders, run.steps);
	return run.adopted > run.worlds / 4 ? 0 : 1; /* it is about something */
}
