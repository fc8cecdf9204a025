/* SPDX-License-Identifier: Apache-2.0 */
/* What two programs compare of an object, and the pages in which one is told the objects of the other. */
#include <stdlib.h>

#include "base/random.h"
#include "lib/few.h"
#include "lib/unit.h"
#include "mirror/essence.h"
#include "unit/mirror/objects.h"

static void see(struct fl_mirror *m, enum fl_mirror_kind kind, const char *text)
{
	fairlead_error err = { 0 };

	assert_true(fl_mirror_see(m, kind, text, strlen(text), &err) >= 0);
}

/* Of an object that no other one is seen beside. */
static const char *digest_of(enum fl_mirror_kind kind, const char *text, const char *namespace,
			     const char *name, char ret[FL_MIRROR_DIGEST])
{
	struct fl_mirror *m;
	fairlead_error err = { 0 };

	assert_int_equal(fl_mirror_new(NULL, NULL, &m, &err), 0);
	see(m, kind, text);
	fl_mirror_essence_text(fl_mirror_find(m, kind, namespace, name), ret);
	fl_mirror_free(m);
	return ret;
}

static bool is_same(const struct written *a, const struct written *b)
{
	char text[2][OBJECT], digest[2][FL_MIRROR_DIGEST];
	const struct written *const both[] = { a, b };

	for (int i = 0; i < 2; i++)
		digest_of(FL_MIRROR_WORKLOAD, write_workload(both[i], text[i]), "ns", "w1",
			  digest[i]);
	return strcmp(digest[0], digest[1]) == 0;
}

TEST(what_matters_differs_and_the_rest_does_not)
{
	const struct written one = { .name = 1, .uid = 1, .version = 1, .reserved = true };
	struct written other = one;

	/* And with it managed fields, an annotation, a status that decides nothing. */
	other.version = 2;
	assert_true(is_same(&one, &other));
	other.uid = 2;
	assert_false(is_same(&one, &other));
	other = one;
	other.pods = 1;
	assert_false(is_same(&one, &other));
	other = one;
	other.held = 1;
	assert_false(is_same(&one, &other));
	other = one;
	other.priority = 1;
	assert_false(is_same(&one, &other));
	other = one;
	other.finished = true;
	assert_false(is_same(&one, &other));
}

TEST(what_cannot_be_read_is_the_same_as_such)
{
	static const char *const bad[] = {
		"{\"metadata\":{\"name\":\"w1\",\"namespace\":\"ns\",\"uid\":\"u1\"},"
		"\"spec\":{\"podSets\":[{\"count\":\"many\"}]}}",
		"{\"metadata\":{\"name\":\"w1\",\"namespace\":\"ns\",\"uid\":\"u1\"},"
		"\"spec\":{\"podSets\":[{\"count\":\"few\"}]}}",
	};
	const struct written good = { .name = 1, .uid = 1, .version = 1 };
	char text[OBJECT], digest[3][FL_MIRROR_DIGEST];

	for (int i = 0; i < 2; i++)
		digest_of(FL_MIRROR_WORKLOAD, bad[i], "ns", "w1", digest[i]);
	digest_of(FL_MIRROR_WORKLOAD, write_workload(&good, text), "ns", "w1", digest[2]);
	assert_string_equal(digest[0], digest[1]);
	assert_string_not_equal(digest[0], digest[2]);
}

/*
 * What is made of these objects, as it was.  Another digest here is another form: raise FL_MIRROR_FORM, or a
 * command and a daemon of one version disagree about each object.
 */
TEST(the_form_is_told_apart)
{
	static const struct {
		enum fl_mirror_kind kind;
		const char *text, *namespace, *name, *digest;
	} objects[] = {
		{ FL_MIRROR_FLAVOR,
		  "{\"metadata\":{\"name\":\"f\",\"uid\":\"u\",\"resourceVersion\":\"7\","
		  "\"managedFields\":[{}]},\"spec\":{\"nodeLabels\":{\"a\":\"b\"}}}",
		  "", "f", "3bc56cabd31dad179f297e227bff2816" },
		{ FL_MIRROR_LOCAL_QUEUE,
		  "{\"metadata\":{\"name\":\"q\",\"namespace\":\"n\",\"uid\":\"u\"},"
		  "\"spec\":{\"clusterQueue\":\"cq\"},\"status\":{\"pendingWorkloads\":3}}",
		  "n", "q", "f297a4ceaa5c8fab2dab5f4f10be635a" },
		{ FL_MIRROR_WORKLOAD,
		  "{\"metadata\":{\"name\":\"w\",\"namespace\":\"n\",\"uid\":\"u\"},\"spec\":{"
		  "\"queueName\":\"q\"},\"status\":{\"admission\":{\"clusterQueue\":\"cq\","
		  "\"podSetAssignments\":\"many\"}}}",
		  "n", "w", "96171534f690a93548e074efd8006c54" },
	};
	const struct written w = { .name = 1,
				   .uid = 1,
				   .version = 1,
				   .pods = 2,
				   .priority = 1,
				   .reserved = true,
				   .held = 1,
				   .evicted = true,
				   .requeue = 1 };
	char text[OBJECT], digest[FL_MIRROR_DIGEST];

	for (size_t i = 0; i < sizeof objects / sizeof *objects; i++)
		assert_string_equal(digest_of(objects[i].kind, objects[i].text,
					      objects[i].namespace, objects[i].name, digest),
				    objects[i].digest);
	assert_string_equal(digest_of(FL_MIRROR_WORKLOAD, write_workload(&w, text), "ns", "w1",
				      digest),
			    "57f002cb78e3c0ffd156bae74f2ef7af");
	assert_int_equal(FL_MIRROR_FORM, 3);
}

/* --- pages --- */

enum { NAMES = 500, WORLDS = 40 };

struct told {
	unsigned of[2 * NAMES]; /* by name: how often */
};

static int tell(void *user, const struct fl_mirror_object *o, fairlead_error *err)
{
	struct told *t = user;

	(void)err;
	t->of[strtoul(fl_mirror_name(o) + 1, NULL, 10)]++;
	return 0;
}

static void see_named(struct fl_mirror *m, unsigned name)
{
	char text[200];

	(void)snprintf(text, sizeof text,
		       "{\"metadata\":{\"name\":\"f%u\",\"uid\":\"u\"},\"spec\":{}}", name);
	see(m, FL_MIRROR_FLAVOR, text);
}

static void remove_named(struct fl_mirror *m, unsigned name)
{
	char text[16];

	(void)snprintf(text, sizeof text, "f%u", name);
	assert_int_equal(fl_mirror_remove(m, FL_MIRROR_FLAVOR, "", text, NULL), 0);
}

/* Names below @stay are there all the time; others come and go between two pages. */
static void read_pages(struct fl_mirror *m, struct fl_random *random, unsigned stay, bool moves)
{
	const uint32_t slots = 1 + (uint32_t)(fl_random_bits(random) % 200);
	struct told told = { { 0 } };
	fairlead_error err = { 0 };
	uint64_t next = 0;

	while (next < FL_MIRROR_PAST) {
		const uint64_t from = next;

		assert_int_equal(fl_mirror_page(m, from, slots, tell, &told, &next, &err), 0);
		assert_true(next > from);
		for (unsigned i = 0; moves && i < 10; i++) {
			const unsigned name = stay + (unsigned)(fl_random_bits(random) % NAMES);

			if (fl_random_bits(random) % 3)
				see_named(m, name);
			else
				remove_named(m, name);
		}
	}
	for (unsigned i = 0; i < stay; i++)
		assert_int_equal(told.of[i], 1);
	for (unsigned i = stay; i < 2 * NAMES; i++)
		assert_true(told.of[i] <= moves);
}

TEST(each_object_is_on_one_page)
{
	for (unsigned seed = 0; seed < few(WORLDS); seed++) {
		struct fl_random random;
		fairlead_error err = { 0 };
		struct fl_mirror *m;
		unsigned n;

		fl_random_init(&random, seed, fl_random_stream("pages"));
		assert_int_equal(fl_mirror_new(NULL, NULL, &m, &err), 0);
		n = (unsigned)(fl_random_bits(&random) % NAMES);
		for (unsigned i = 0; i < n; i++)
			see_named(m, i);
		read_pages(m, &random, n, /* moves= */ false);
		read_pages(m, &random, n, /* moves= */ true);
		fl_mirror_free(m);
	}
}

TEST(of_nothing_there_is_one_page)
{
	struct fl_mirror *m;
	fairlead_error err = { 0 };
	uint64_t next = 0;

	assert_int_equal(fl_mirror_new(NULL, NULL, &m, &err), 0);
	assert_int_equal(fl_mirror_page(m, 0, 10, tell, NULL, &next, &err), 0);
	assert_true(next == FL_MIRROR_PAST);
	fl_mirror_free(m);
}

UNIT_GROUP("essence")
