/* SPDX-License-Identifier: Apache-2.0 */
/* Aliases stand in the order of the names, and what is kept is kept. */
#include "codec/edit/alias.h"

#include "codec/edit/tape.h"
#include "lib/fail_mem.h"
#include "lib/unit.h"

static const uint64_t key[2] = { 7, 11 };

/* The example of the algorithm's authors: key 00..0f, text 00..0e. */
TEST(hash)
{
	const uint64_t k[2] = { UINT64_C(0x0706050403020100), UINT64_C(0x0f0e0d0c0b0a0908) };
	unsigned char text[15];

	for (unsigned i = 0; i < sizeof text; i++)
		text[i] = (unsigned char)i;
	assert_true(fl_keyed_hash(k, text, sizeof text) == UINT64_C(0xa129ca6149be45e5));
	assert_true(fl_keyed_hash(k, text, 0) == UINT64_C(0x726fdb47dd0e0e31));
	assert_true(fl_keyed_hash(k, text, 8) == UINT64_C(0x93f5f5799a932462));
	assert_true(fl_keyed_hash(key, text, 8) != fl_keyed_hash(k, text, 8));
}

enum { MOST = 16 };

/* The aliases of @n names of a kind; the memory of all that is the caller's. */
static int make(const struct fl_mem *mem, enum fl_text_kind kind, const char *const *texts,
		unsigned n, char ret[MOST][160], fairlead_error *err)
{
	struct fl_names names;
	struct fl_aliases a = { 0 };
	struct fl_sym syms[MOST], sym;
	int r = fl_names_init(&names, mem, err);

	fl_aliases_init(&a, mem, &names, key);
	for (unsigned i = 0; i < n && r == 0; i++) {
		r = fl_names_add(&names, texts[i], strlen(texts[i]), &syms[i], err);
		if (r == 0)
			r = fl_aliases_add(&a, kind, syms[i], err);
	}
	if (r == 0)
		r = fl_aliases_sort(&a, err);
	for (unsigned i = 0; i < n && r == 0; i++) {
		r = fl_alias(&a, kind, syms[i], &sym, err);
		if (r == 0)
			strcpy(ret[i], fl_names_text(&names, sym));
	}
	fl_aliases_done(&a);
	fl_names_done(&names);
	return r;
}

static int sign(int x) { return (x > 0) - (x < 0); }

TEST(order)
{
	static const struct {
		enum fl_text_kind kind;
		const char *texts[MOST];
	} rows[] = {
		{ FL_TEXT_WORKLOAD, { "b", "a", "a-1", "a.1", "a1", "A", "z", "zz", "0", "_" } },
		{ FL_TEXT_NAMESPACE, { "team", "team-a", "team.b", "teams" } },
		{ FL_TEXT_RESOURCE,
		  { "acme.com/a", "amd.com/gpu", "b", "cpu", "cpus", "dpu", "ephemeral-storage",
		    "f", "hugepages-1Gi", "i", "memory", "mf", "nvidia.com/gpu", "nvidia.com/mig",
		    "pods", "q" } },
		{ FL_TEXT_UID, { "10", "9", "-" } },
	};

	for (size_t row = 0; row < COUNT(rows); row++) {
		char aliases[MOST][160];
		unsigned n = 0;

		while (n < MOST && rows[row].texts[n])
			n++;
		assert_int_equal(
			make(&fl_mem_heap, rows[row].kind, rows[row].texts, n, aliases, NULL), 0);
		for (unsigned i = 0; i < n; i++)
			for (unsigned k = 0; k < n; k++) {
				CHECK(sign(strcmp(rows[row].texts[i], rows[row].texts[k])) ==
					      sign(strcmp(aliases[i], aliases[k])),
				      rows[row].texts[i]);
				/* none begins another: prefixes of resources are looked for */
				CHECK(i == k || strncmp(aliases[i], aliases[k],
							strlen(aliases[i])) != 0,
				      aliases[i]);
			}
	}
}

TEST(kept)
{
	static const struct {
		enum fl_text_kind kind;
		const char *text;
		bool kept;
	} rows[] = {
		{ FL_TEXT_VALUE, "anything", true },
		{ FL_TEXT_RESOURCE, "cpu", true },
		{ FL_TEXT_RESOURCE, "hugepages-2Mi", true },
		{ FL_TEXT_RESOURCE, "acme.com/cpu", false },
		{ FL_TEXT_LABEL_KEY, "kubernetes.io/metadata.name", true },
		{ FL_TEXT_LABEL_KEY, "kubernetes.io/arch", false },
		{ FL_TEXT_WORD, "Evicted", true },
		{ FL_TEXT_WORD, "AcmeEvicted", false },
		{ FL_TEXT_PODSET, "main", true },
		{ FL_TEXT_NAMESPACE, "default", false },
		{ FL_TEXT_NAMESPACE, "", true },
		{ FL_TEXT_CLUSTER_QUEUE, "cpu", false },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		char alias[MOST][160];

		CHECK(fl_alias_keeps(rows[i].kind, rows[i].text) == rows[i].kept, rows[i].text);
		assert_int_equal(make(&fl_mem_heap, rows[i].kind, &rows[i].text, 1, alias, NULL),
				 0);
		CHECK((strcmp(alias[0], rows[i].text) == 0) == rows[i].kept, rows[i].text);
	}
}

/* Node affinity compares numbers: they keep their order, and two spellings stay two. */
TEST(numbers)
{
	static const char *const texts[] = { "40",  "9",  "-3",  "+9", "009",
					     "100", "v1", "-30", "0",  "00" };
	static const char *const aliases[] = {
		"5", "4", "2", "+4", "004", "6", NULL, "1", "3", "03"
	};
	char got[MOST][160];

	assert_int_equal(make(&fl_mem_heap, FL_TEXT_LABEL_VALUE, texts, COUNT(texts), got, NULL),
			 0);
	for (size_t i = 0; i < COUNT(texts); i++)
		CHECK(aliases[i] ? strcmp(got[i], aliases[i]) == 0 :
				   strncmp(got[i], "value-07-", 9) == 0 ||
					   strncmp(got[i], "value-7-", 8) == 0,
		      got[i]);
	/* elsewhere a number is a name like any other */
	assert_int_equal(make(&fl_mem_heap, FL_TEXT_NAMESPACE, texts, 1, got, NULL), 0);
	assert_int_equal(strncmp(got[0], "namespace-1-", 12), 0);
}

TEST(json_numbers)
{
	static const char *const rows[][2] = {
		{ "0", "0" },      { "12", "12" },     { "-7", "-7" },    { "1.5", "1.5" },
		{ "1e3", "1e3" },  { "0.50", "0.50" }, { "+5", "5" },     { "007", "7" },
		{ "-05", "-5" },   { ".5", "0.5" },    { "-.5", "-0.5" }, { "5.", "5.0" },
		{ "00.5", "0.5" }, { "0x1F", "31" },   { "0o17", "15" },  { "1.e3", "1.0e3" },
		{ "00", "0" },
	};
	char buffer[64];

	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *got = fl_tape_number(rows[i][0], buffer, sizeof buffer);

		if (strcmp(got, rows[i][1]) != 0)
			fail_msg("%s became %s, not %s", rows[i][0], got, rows[i][1]);
	}
}

/* Each allocation fails once: an error, and nothing is lost. */
TEST(memory)
{
	static const char *const texts[] = { "a", "b", "c", "d" };
	char got[MOST][160];
	fairlead_error err;
	unsigned long n = 1;

	for (;; n++) {
		struct fail_mem f;

		fail_mem_init(&f);
		f.fail_at = n;
		int r = make(&f.mem, FL_TEXT_FLAVOR, texts, COUNT(texts), got, &err);
		assert_int_equal(f.live, 0);
		if (r == 0)
			break;
		assert_int_equal(r, FAIRLEAD_ENOMEM);
	}
	assert_true(n > 3);
}

UNIT_GROUP("alias")
