/* SPDX-License-Identifier: Apache-2.0 */
/* A mirror that heard any events and then a list is a new one that heard the list. */
#include "base/random.h"
#include "lib/few.h"
#include "lib/unit.h"
#include "mirror/adding.h"
#include "mirror/mirror.h"
#include "unit/mirror/objects.h"

enum { NAMES = 40, EVENTS = 400, WORLDS = 60 };

struct world {
	struct fl_random random;
	struct written there[NAMES]; /* version 0: not there */
	unsigned version;
	unsigned told; /* changes */
};

static unsigned draw(struct world *w, unsigned below)
{
	return (unsigned)(fl_random_bits(&w->random) % below);
}

static int hear(void *user, const struct fl_mirror_change *change, fairlead_error *err)
{
	(void)err;
	assert_true(change->now || change->was);
	((struct world *)user)->told++;
	return 0;
}

static void see(struct fl_mirror *m, const struct written *w)
{
	char text[OBJECT];
	fairlead_error err = { 0 };

	write_workload(w, text);
	assert_int_equal(fl_mirror_see(m, FL_MIRROR_WORKLOAD, text, strlen(text), &err), 0);
}

static void gone(struct fl_mirror *m, unsigned i)
{
	char name[16];

	(void)snprintf(name, sizeof name, "w%u", i);
	assert_int_equal(fl_mirror_remove(m, FL_MIRROR_WORKLOAD, "ns", name, NULL), 0);
}

/* One thing happens; the mirror hears it unless @deaf. */
static void happen(struct world *w, struct fl_mirror *m, bool deaf)
{
	const unsigned i = draw(w, NAMES);
	struct written *o = &w->there[i];

	if (o->version && draw(w, 4) == 0) {
		o->version = 0;
		if (!deaf)
			gone(m, i);
		return;
	}
	if (!o->version)
		*o = (struct written){ .name = i, .uid = w->version };
	o->version = ++w->version;
	o->pods = draw(w, 3);
	o->priority = draw(w, 2);
	o->out = draw(w, 6) == 0;
	o->reserved = draw(w, 2);
	o->evicted = draw(w, 4) == 0;
	o->finished = draw(w, 6) == 0;
	o->held = draw(w, 2);
	o->requeue = draw(w, 2);
	if (!deaf)
		see(m, o);
}

static void list(struct world *w, struct fl_mirror *m)
{
	fairlead_error err = { 0 };

	fl_mirror_begin(m, FL_MIRROR_WORKLOAD, "v1beta2");
	for (unsigned i = 0; i < NAMES; i++)
		if (w->there[i].version)
			see(m, &w->there[i]);
	assert_int_equal(fl_mirror_listed(m, FL_MIRROR_WORKLOAD, &err), 0);
}

static int find_same(void *user, struct fl_mirror_object *o, fairlead_error *err)
{
	const struct fl_mirror *other = user;
	const struct fl_mirror_object *same = fl_mirror_find(
		other, (enum fl_mirror_kind)o->kind, fl_mirror_namespace(o), fl_mirror_name(o));
	uint64_t a[2], b[2];

	(void)err;
	assert_non_null(same);
	fl_mirror_digest_of(o, a);
	fl_mirror_digest_of(same, b);
	assert_memory_equal(a, b, sizeof a);
	return 0;
}

static void check(struct world *w, const struct fl_mirror *m)
{
	struct fl_mirror *fresh;
	fairlead_error err = { 0 };
	uint64_t a[2], b[2];

	assert_int_equal(fl_mirror_new(NULL, NULL, &fresh, &err), 0);
	list(w, fresh);
	assert_int_equal(fl_mirror_each(m, FL_MIRROR_WORKLOAD, find_same, fresh, &err), 0);
	assert_int_equal(fl_mirror_count(m, FL_MIRROR_WORKLOAD),
			 fl_mirror_count(fresh, FL_MIRROR_WORKLOAD));
	fl_mirror_digest(m, a);
	fl_mirror_digest(fresh, b);
	assert_memory_equal(a, b, sizeof a);
	fl_mirror_free(fresh);
}

TEST(any_events_then_a_list)
{
	for (unsigned seed = 0; seed < few(WORLDS); seed++) {
		struct world w = { .told = 0 };
		fairlead_error err = { 0 };
		struct fl_mirror *m;
		unsigned n;

		fl_random_init(&w.random, seed, fl_random_stream("mirror"));
		assert_int_equal(fl_mirror_new(hear, &w, &m, &err), 0);
		n = draw(&w, EVENTS);
		for (unsigned i = 0; i < n; i++)
			happen(&w, m, /* deaf= */ draw(&w, 10) == 0);
		if (draw(&w, 2))
			fl_mirror_pin(m);
		list(&w, m);
		check(&w, m);
		for (unsigned i = 0; i < n / 4; i++)
			happen(&w, m, /* deaf= */ false);
		check(&w, m); /* a watch without gaps needs no list */
		fl_mirror_free(m);
	}
}

/* What the API server changes besides costs a comparison and tells nobody. */
TEST(the_same_essence_is_silent)
{
	struct written o = { .name = 1, .uid = 1, .version = 1, .reserved = true };
	struct world w = { .told = 0 };
	fairlead_error err = { 0 };
	struct fl_mirror *m;

	assert_int_equal(fl_mirror_new(hear, &w, &m, &err), 0);
	see(m, &o);
	assert_int_equal(w.told, 1);
	o.version =
		2; /* and with it managed fields, an annotation, a status that decides nothing */
	see(m, &o);
	assert_int_equal(w.told, 1);
	assert_true(fl_mirror_find(m, FL_MIRROR_WORKLOAD, "ns", "w1")->version == 2);
	fl_mirror_free(m);
}

TEST(equal_podsets_are_kept_once)
{
	enum { MANY = 1000 };
	struct written o = { .version = 1 };
	fairlead_error err = { 0 };
	struct fl_mirror *m;

	assert_int_equal(fl_mirror_new(NULL, NULL, &m, &err), 0);
	for (o.name = 0; o.name < MANY; o.name++) {
		o.uid = o.name;
		o.reserved = o.name % 2;
		see(m, &o);
	}
	assert_true(fl_mirror_bytes(m) / MANY < 300);
	fl_mirror_free(m);
}

TEST(what_cannot_be_read_stays_without_essence)
{
	static const char bad[] = "{\"metadata\":{\"name\":\"w1\",\"namespace\":\"ns\"},\"spec\":{"
				  "\"podSets\":[{\"count\":\"many\"}]}}";
	fairlead_error err = { 0 };
	struct written o = { .name = 1, .version = 1 };
	struct world w = { .told = 0 };
	struct fl_mirror *m;

	assert_int_equal(fl_mirror_new(hear, &w, &m, &err), 0);
	see(m, &o);
	assert_int_equal(fl_mirror_see(m, FL_MIRROR_WORKLOAD, bad, sizeof bad - 1, &err), 1);
	assert_true(err.text[0]);
	assert_int_equal(fl_mirror_find(m, FL_MIRROR_WORKLOAD, "ns", "w1")->fate, FL_FATE_NONE);
	assert_int_equal(fl_mirror_see(m, FL_MIRROR_WORKLOAD, "{", 1, &err), FAIRLEAD_EINPUT);
	assert_int_equal(fl_mirror_count(m, FL_MIRROR_WORKLOAD), 1);
	fl_mirror_free(m);
}

/* In a model: what names its tree, and what is wrong. */
static void check_uncertain(const struct fl_mirror_object *o, const char *cluster_queue,
			    const char *why)
{
	const struct fl_uncertain_row *row;
	struct fl_model *model = NULL;
	fairlead_error err = { 0 };

	assert_int_equal(fl_model_new(&fl_mem_heap, &model, &err), 0);
	assert_int_equal(fl_mirror_add_uncertain(model, o, &err), 0);
	assert_int_equal(model->n_uncertain, 1);
	row = &model->uncertain[0];
	assert_string_equal(fl_model_text(model, row->namespace), "ns");
	assert_string_equal(fl_model_text(model, row->name), fl_mirror_name(o));
	assert_int_equal(row->cluster_queue_name.v == FL_NONE, cluster_queue == NULL);
	if (cluster_queue)
		assert_string_equal(fl_model_text(model, row->cluster_queue_name), cluster_queue);
	assert_int_equal(row->queue_name.v, FL_NONE);
	assert_non_null(strstr(fl_model_text(model, row->why), why));
	fl_model_free(model);
}

/* It is told by what it holds, as far as that can be read, until it has ended. */
TEST(what_is_wrong_and_holds_quota)
{
	static const char object[] =
		"{\"metadata\":{\"name\":\"w1\",\"namespace\":\"ns\"},\"spec\":{"
		"\"podSets\":[{\"count\":\"many\"}]},\"status\":{\"admission\":{"
		"\"clusterQueue\":\"cq\",\"podSetAssignments\":[{\"name\":\"main\",\"count\":1,"
		"\"flavors\":{\"cpu\":\"f\"},\"resourceUsage\":{\"cpu\":\"%s\"}}]},"
		"\"conditions\":[{\"type\":\"%s\",\"status\":\"True\",\"reason\":\"x\"}]}}";
	static const struct {
		const char *cpu, *condition;
		enum fl_fate fate;
		bool uncertain;
	} rows[] = {
		{ "1", "QuotaReserved", FL_FATE_HOLDS, false },
		{ "many", "QuotaReserved", FL_FATE_NONE, true },
		{ "9e40", "QuotaReserved", FL_FATE_NONE, true },
		{ "1", "QuotaReserved", FL_FATE_HOLDS, false },
		{ "1", "Finished", FL_FATE_NONE, false },
		{ "many", "Finished", FL_FATE_NONE, false },
	};
	fairlead_error err = { 0 };
	struct world w = { .told = 0 };
	const struct fl_mirror_object *o;
	struct fl_mirror *m;
	char text[OBJECT];

	assert_int_equal(fl_mirror_new(hear, &w, &m, &err), 0);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		(void)snprintf(text, sizeof text, object, rows[i].cpu, rows[i].condition);
		assert_int_equal(fl_mirror_see(m, FL_MIRROR_WORKLOAD, text, strlen(text), &err), 1);
		assert_true(err.text[0]);
		o = fl_mirror_find(m, FL_MIRROR_WORKLOAD, "ns", "w1");
		assert_int_equal(o->fate, rows[i].fate);
		assert_int_equal(o->held != NULL,
				 rows[i].fate == FL_FATE_HOLDS || rows[i].uncertain);
		assert_ptr_equal(fl_mirror_uncertain(m), rows[i].uncertain ? o : NULL);
		if (rows[i].uncertain)
			check_uncertain(o, "cq", ".resourceUsage.cpu: ");
	}
	assert_int_equal(fl_mirror_too_large(m, FL_MIRROR_WORKLOAD, "ns", "w2", "u", &err), 0);
	assert_non_null(fl_mirror_uncertain(m));
	check_uncertain(fl_mirror_uncertain(m), NULL, "it is too large to be read");
	assert_int_equal(fl_mirror_remove(m, FL_MIRROR_WORKLOAD, "ns", "w2", NULL), 0);
	assert_null(fl_mirror_uncertain(m));
	fl_mirror_free(m);
}

/* A watch may bring ever new names. */
TEST(no_more_of_a_kind_than_a_list_may_have)
{
	struct written o = { .version = 1 };
	struct world w = { .told = 0 };
	fairlead_error err = { 0 };
	struct fl_mirror *m;
	char text[OBJECT];

	assert_int_equal(fl_mirror_new(hear, &w, &m, &err), 0);
	fl_mirror_limit(m, 2);
	for (o.name = 0; o.name < 2; o.name++)
		see(m, &o);
	write_workload(&o, text);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(fl_mirror_see(m, FL_MIRROR_WORKLOAD, text, strlen(text), &err),
				 FAIRLEAD_ELIMIT);
	assert_string_equal(err.text, "there are more than 2 of them");
	assert_int_equal(fl_mirror_count(m, FL_MIRROR_WORKLOAD), 2);
	assert_int_equal(w.told, 2);
	o.name = 0;
	o.priority = 7;
	see(m, &o); /* those that are there go on */
	assert_int_equal(w.told, 3);
	o.uid = 9;
	see(m, &o);
	gone(m, 1);
	o.name = 2;
	see(m, &o);
	assert_int_equal(fl_mirror_count(m, FL_MIRROR_WORKLOAD), 2);
	fl_mirror_free(m);
}

static void answer(struct fl_mirror *m, const struct written *w)
{
	char text[OBJECT];
	fairlead_error err = { 0 };

	write_workload(w, text);
	assert_int_equal(fl_mirror_answer(m, FL_MIRROR_WORKLOAD, text, strlen(text), &err), 0);
}

/* An answer and the watch come in any order; the newest of them stays, and is told once. */
TEST(answers)
{
	struct written before = { .name = 1, .uid = 1, .version = 1 }, held = before;
	struct written again = { .name = 1, .uid = 2, .version = 7, .priority = 3 };
	struct world w = { .told = 0 };
	fairlead_error err = { 0 };
	struct fl_mirror *m;

	held.version = 5;
	held.reserved = held.admitted = true;
	assert_int_equal(fl_mirror_new(hear, &w, &m, &err), 0);
	fl_mirror_begin(m, FL_MIRROR_WORKLOAD, "v1beta2");
	see(m, &before);
	assert_int_equal(fl_mirror_latest(m)->fate, FL_FATE_WAITS);
	answer(m, &held);
	assert_int_equal(fl_mirror_latest(m)->fate, FL_FATE_HOLDS);
	assert_int_equal(w.told, 2);
	before.version = 4; /* the watch is behind */
	see(m, &before);
	assert_true(fl_mirror_latest(m)->version == 5);
	see(m, &held);
	answer(m, &held);
	assert_int_equal(w.told, 2);
	see(m, &again); /* deleted, and made again: what comes late is of the one before */
	assert_int_equal(w.told, 4);
	answer(m, &held);
	assert_int_equal(w.told, 4);
	assert_string_equal(fl_mirror_uid(fl_mirror_latest(m)), "u-2");
	assert_int_equal(fl_mirror_see(m, FL_MIRROR_WORKLOAD, "{", 1, &err), FAIRLEAD_EINPUT);
	assert_null(fl_mirror_latest(m));
	fl_mirror_free(m);
}

UNIT_GROUP("mirror")
