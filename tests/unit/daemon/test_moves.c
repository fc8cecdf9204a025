/* SPDX-License-Identifier: Apache-2.0 */
/* Which changes of what configures may be about who decides where, by which tree and rules; and which are not. */
#include "daemon/cluster/scheduler/moves.h"
#include "lib/unit.h"

enum { TEXT = 2000 };

/* What the mirror told of the last change. */
struct heard {
	bool told, moves;
};

static int changed(void *user, const struct fl_mirror_change *change, fairlead_error *err)
{
	struct heard *h = user;

	(void)err;
	*h = (struct heard){ .told = true, .moves = fl_scheduler_moves(change) };
	return 0;
}

static struct fl_mirror *begin(struct heard *h, enum fl_mirror_kind kind)
{
	struct fl_mirror *m;
	fairlead_error err;

	assert_int_equal(fl_mirror_new(changed, h, &m, &err), 0);
	fl_mirror_begin(m, kind, NULL);
	return m;
}

static void see(struct fl_mirror *m, struct heard *h, enum fl_mirror_kind kind, unsigned version,
		const char *meta, const char *spec)
{
	char text[TEXT];
	fairlead_error err = { 0 };

	*h = (struct heard){ 0 };
	(void)snprintf(text, sizeof text,
		       "{\"metadata\":{\"name\":\"o\",\"uid\":\"u\",\"resourceVersion\":\"%u\"%s},"
		       "\"spec\":{%s},\"status\":{\"n\":%u}}",
		       version, meta, spec, version);
	if (fl_mirror_see(m, kind, text, strlen(text), &err) != 0)
		fail_msg("%s: %s", text, err.text);
}

#define QUOTA(n)                                                                                   \
	"\"resourceGroups\":[{\"coveredResources\":[\"cpu\"],\"flavors\":[{\"name\":\"f\","        \
	"\"resources\":[{\"name\":\"cpu\",\"nominalQuota\":\"" n "\"}]}]}]"
#define HANDED(value) ",\"annotations\":{\"fairlead.dev/scheduler\":\"" value "\"}"
#define LABEL(value) ",\"labels\":{\"team\":\"" value "\"}"
#define HOLD "\"stopPolicy\":\"Hold\""

static const struct row {
	const char *name;
	enum fl_mirror_kind kind;
	bool moves;
	const char *meta_was, *spec_was, *meta_is, *spec_is;
} rows[] = {
	/* what may be missing in a view */
	{ "an amount of quota", FL_MIRROR_CLUSTER_QUEUE, false, "", QUOTA("4"), "", QUOTA("5") },
	{ "the first quota", FL_MIRROR_CLUSTER_QUEUE, false, "", HOLD, "", HOLD "," QUOTA("5") },
	{ "the last quota", FL_MIRROR_CLUSTER_QUEUE, false, "", QUOTA("4"), "", "" },
	{ "a weight", FL_MIRROR_CLUSTER_QUEUE, false, "", "\"fairSharing\":{\"weight\":\"1\"}", "",
	  "\"fairSharing\":{\"weight\":\"2\"}" },
	{ "a label", FL_MIRROR_CLUSTER_QUEUE, false, LABEL("a"), HOLD, LABEL("b"), HOLD },
	{ "all three", FL_MIRROR_CLUSTER_QUEUE, false, HANDED("true") LABEL("a"),
	  "\"fairSharing\":{\"weight\":\"1\"}," HOLD "," QUOTA("4"), HANDED("true"),
	  HOLD "," QUOTA("5") },
	{ "quota of a cohort", FL_MIRROR_COHORT, false, "", QUOTA("4"), "", QUOTA("5") },
	{ "weight of a cohort", FL_MIRROR_COHORT, false, "", "\"fairSharing\":{\"weight\":\"1\"}",
	  "", "" },
	{ "label of a cohort", FL_MIRROR_COHORT, false, LABEL("a"), "", LABEL("b"), "" },
	/* and what may not */
	{ "who decides", FL_MIRROR_CLUSTER_QUEUE, true, HANDED("true"), HOLD, HANDED("hold"),
	  HOLD },
	{ "it is handed over", FL_MIRROR_CLUSTER_QUEUE, true, "", HOLD, HANDED("true"), HOLD },
	{ "it is on hold", FL_MIRROR_CLUSTER_QUEUE, true, "", "", "", HOLD },
	{ "its cohort", FL_MIRROR_CLUSTER_QUEUE, true, "", "\"cohortName\":\"a\"", "",
	  "\"cohortName\":\"b\"" },
	{ "no cohort any more", FL_MIRROR_CLUSTER_QUEUE, true, "", "\"cohortName\":\"a\"", "", "" },
	{ "preemption", FL_MIRROR_CLUSTER_QUEUE, true, "",
	  "\"preemption\":{\"withinClusterQueue\":\"Never\"}", "",
	  "\"preemption\":{\"withinClusterQueue\":\"LowerPriority\"}" },
	{ "the order", FL_MIRROR_CLUSTER_QUEUE, true, "", "\"queueingStrategy\":\"BestEffortFIFO\"",
	  "", "\"queueingStrategy\":\"StrictFIFO\"" },
	{ "checks", FL_MIRROR_CLUSTER_QUEUE, true, "", "", "", "\"admissionChecks\":[\"a\"]" },
	{ "quota, and who decides", FL_MIRROR_CLUSTER_QUEUE, true, HANDED("true"), QUOTA("4"),
	  HANDED("hold"), QUOTA("5") },
	{ "quota, and the cohort", FL_MIRROR_CLUSTER_QUEUE, true, "", QUOTA("4"), "",
	  QUOTA("5") ",\"cohortName\":\"b\"" },
	{ "parent of a cohort", FL_MIRROR_COHORT, true, "", "\"parentName\":\"a\"", "",
	  "\"parentName\":\"b\"" },
	{ "a cohort gets a parent", FL_MIRROR_COHORT, true, "", QUOTA("4"), "",
	  QUOTA("4") ",\"parentName\":\"b\"" },
	{ "labels that nodes of a flavor have", FL_MIRROR_FLAVOR, true, "",
	  "\"nodeLabels\":{\"a\":\"b\"}", "", "\"nodeLabels\":{\"a\":\"c\"}" },
};

TEST(changes)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct row *row = &rows[i];
		struct heard h;
		struct fl_mirror *m = begin(&h, row->kind);

		see(m, &h, row->kind, 1, row->meta_was, row->spec_was);
		see(m, &h, row->kind, 2, row->meta_is, row->spec_is);
		if (!h.told || h.moves != row->moves)
			fail_msg("%s: told %d, moves %d", row->name, h.told, h.moves);
		/* The way back is the same. */
		see(m, &h, row->kind, 3, row->meta_was, row->spec_was);
		if (!h.told || h.moves != row->moves)
			fail_msg("%s, back: told %d, moves %d", row->name, h.told, h.moves);
		fl_mirror_free(m);
	}
}

TEST(one_that_comes_or_goes)
{
	static const enum fl_mirror_kind kinds[] = { FL_MIRROR_CLUSTER_QUEUE, FL_MIRROR_COHORT };

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		struct heard h;
		struct fl_mirror *m = begin(&h, kinds[i]);
		fairlead_error err = { 0 };

		see(m, &h, kinds[i], 1, "", QUOTA("4"));
		assert_true(h.told && h.moves);
		h = (struct heard){ 0 };
		assert_int_equal(fl_mirror_remove(m, kinds[i], "", "o", &err), 0);
		assert_true(h.told && h.moves);
		fl_mirror_free(m);
	}
}

/* What was too large may be anything. */
TEST(one_that_cannot_be_read)
{
	struct heard h;
	struct fl_mirror *m = begin(&h, FL_MIRROR_CLUSTER_QUEUE);
	fairlead_error err = { 0 };

	see(m, &h, FL_MIRROR_CLUSTER_QUEUE, 1, "", QUOTA("4"));
	h = (struct heard){ 0 };
	assert_true(fl_mirror_too_large(m, FL_MIRROR_CLUSTER_QUEUE, "", "o", "u", &err) >= 0);
	assert_true(h.told && h.moves);
	see(m, &h, FL_MIRROR_CLUSTER_QUEUE, 3, "", QUOTA("4"));
	assert_true(h.told && h.moves);
	fl_mirror_free(m);
}

/* Whatever happens to one of them. */
TEST(kinds)
{
	static const bool never[FL_MIRROR_KINDS] = {
		[FL_MIRROR_NAMESPACE] = true,      [FL_MIRROR_LOCAL_QUEUE] = true,
		[FL_MIRROR_LIMIT_RANGE] = true,    [FL_MIRROR_RUNTIME_CLASS] = true,
		[FL_MIRROR_PRIORITY_CLASS] = true, [FL_MIRROR_WORKLOAD_PRIORITY_CLASS] = true,
	};

	for (enum fl_mirror_kind k = 0; k < FL_MIRROR_KINDS; k++) {
		const struct fl_mirror_change change = { .kind = k };

		if (fl_scheduler_moves(&change) == never[k])
			fail_msg("%s", fl_mirror_kind(k)->plural);
	}
}

UNIT_GROUP("moves")
