/* SPDX-License-Identifier: Apache-2.0 */
/* What of an object's text is kept. */
#include "lib/unit.h"
#include "mirror/document.h"

static const struct row {
	enum fl_mirror_kind kind;
	const char *text, *kept; /* kept NULL: it is refused */
} rows[] = {
	{ FL_MIRROR_NAMESPACE,
	  "{\"metadata\":{\"name\":\"a\",\"labels\":{\"x\":\"1\"},\"managedFields\":[{\"a\":{}}],"
	  "\"annotations\":{\"b\":\"c\"}},\"spec\":{\"finalizers\":[\"k\"]},\"status\":{}}",
	  "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"a\","
	  "\"labels\":{\"x\":\"1\"}}}" },
	{ FL_MIRROR_LOCAL_QUEUE,
	  "{\"kind\":\"Odd\",\"apiVersion\":\"odd/v9\",\"status\":{\"pendingWorkloads\":3,"
	  "\"fairSharing\":{\"weight\":null}},\"spec\":{\"clusterQueue\":\"a\\\"b\\n\"},"
	  "\"metadata\":{\"namespace\":\"n\",\"name\":\"q\"}}",
	  "{\"apiVersion\":\"kueue.x-k8s.io/v1beta2\",\"kind\":\"LocalQueue\",\"status\":{"
	  "\"fairSharing\":{\"weight\":null}},\"spec\":{\"clusterQueue\":\"a\\u0022b\\u000a\"},"
	  "\"metadata\":{\"namespace\":\"n\",\"name\":\"q\"}}" },
	{ FL_MIRROR_WORKLOAD,
	  "{\"metadata\":{\"name\":\"w\",\"annotations\":{\"fairlead.dev/runs-for\":\"1h\",\"z\":\"y\"}},"
	  "\"spec\":{\"a\":[1,2.5,true,{}]},\"status\":{\"schedulingStats\":{},\"conditions\":[]}}",
	  "{\"apiVersion\":\"kueue.x-k8s.io/v1beta2\",\"kind\":\"Workload\",\"metadata\":{\"name\":"
	  "\"w\",\"annotations\":{\"fairlead.dev/runs-for\":\"1h\"}},\"spec\":{\"a\":[1,2.5,true,{}]},"
	  "\"status\":{\"conditions\":[]}}" },
	{ FL_MIRROR_COHORT, "{\"metadata\":{\"labels\":{}}}", NULL },
	{ FL_MIRROR_COHORT, "{\"metadata\":{\"name\":\"a\"", NULL },
	{ FL_MIRROR_COHORT, "{\"metadata\":{\"name\":\"a\",\"name\":\"b\"}}", NULL },
	{ FL_MIRROR_COHORT, "{\"metadata\":{\"name\":\"a\",\"resourceVersion\":{\"a\":1}}}", NULL },
	{ FL_MIRROR_COHORT, "[]", NULL },
	{ FL_MIRROR_COHORT, "", NULL },
};

TEST(fields_that_are_kept)
{
	struct fl_doc doc;

	fl_doc_init(&doc, &fl_mem_heap);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct fl_mirror_text text = { 0 };
		struct fl_mirror_names names;
		fairlead_error err = { 0 };
		int r = fl_mirror_document(fl_mirror_kind(rows[i].kind), NULL, rows[i].text,
					   strlen(rows[i].text), &doc, &names, &err);

		if (!rows[i].kept) {
			assert_int_equal(r, FAIRLEAD_EINPUT);
			continue;
		}
		assert_int_equal(r, 0);
		assert_int_equal(fl_mirror_write(&doc, &text, &err), 0);
		assert_string_equal(text.bytes, rows[i].kept);
		free(text.bytes);
	}
	fl_doc_done(&doc);
}

TEST(no_kind_keeps_more_fields_than_are_looked_at)
{
	for (enum fl_mirror_kind kind = 0; kind < FL_MIRROR_KINDS; kind++) {
		const struct fl_mirror_kind_row *row = fl_mirror_kind(kind);
		uint32_t n = 1;

		for (const char *c = row->keep; *c; c++)
			n += *c == ' ';
		CHECK(n <= FL_MIRROR_RULES, row->name);
	}
}

TEST(names_and_versions)
{
	static const char text[] = "{\"metadata\":{\"resourceVersion\":\"18446744073709551615\","
				   "\"uid\":\"u\",\"namespace\":\"n\",\"name\":\"w\"}}";
	struct fl_mirror_names names;
	fairlead_error err = { 0 };
	struct fl_doc doc;

	fl_doc_init(&doc, &fl_mem_heap);
	assert_int_equal(fl_mirror_document(fl_mirror_kind(FL_MIRROR_WORKLOAD), "v1beta1", text,
					    sizeof text - 1, &doc, &names, &err),
			 0);
	assert_string_equal(names.namespace, "n");
	assert_string_equal(names.name, "w");
	assert_string_equal(names.uid, "u");
	assert_true(names.version == UINT64_MAX);
	assert_string_equal(fl_doc_text(&doc, fl_doc_find(&doc, 0, "apiVersion")),
			    "kueue.x-k8s.io/v1beta1");
	fl_doc_done(&doc);
}

UNIT_GROUP("document")
