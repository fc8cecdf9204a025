/* SPDX-License-Identifier: Apache-2.0 */
/* The admission checks of a ClusterQueue: whether that of fairlead is among them, and the others are those that it knows. */
#include "codec/kueue/checks.h"
#include "lib/unit.h"

#define SPEC(list) "spec: {admissionChecksStrategy: {admissionChecks: " list "}}"
#define KNOWN(names) "metadata: {annotations: {fairlead.dev/checks: " names "}}, "

static const struct row {
	const char *text;
	enum fl_checks checks;
	const char *others; /* "a b " */
} rows[] = {
	{ "{}", FL_CHECKS_NONE, "" },
	{ "{spec: {admissionChecksStrategy: {}}}", FL_CHECKS_NONE, "" },
	{ "{" SPEC("[]") "}", FL_CHECKS_NONE, "" },
	{ "{" SPEC("x") "}", FL_CHECKS_NONE, "" },
	{ "{" SPEC("[{name: a}]") "}", FL_CHECKS_THEIRS, "a " },
	{ "{" KNOWN("a") SPEC("[{name: a}]") "}", FL_CHECKS_THEIRS, "a " },
	{ "{" SPEC("[{name: fairleads}, {onFlavors: [f]}]") "}", FL_CHECKS_THEIRS, "fairleads  " },
	{ "{" SPEC("[{name: a}, {name: fairlead}]") "}", FL_CHECKS_CHANGED, "a " },
	{ "{" KNOWN("[a]") SPEC("[{name: a}, {name: fairlead}]") "}", FL_CHECKS_CHANGED, "a " },
	{ "{" KNOWN("ab") SPEC("[{name: a}, {name: fairlead}]") "}", FL_CHECKS_CHANGED, "a " },
	{ "{" KNOWN("'a,b'") SPEC("[{name: a}, {name: fairlead}]") "}", FL_CHECKS_CHANGED, "a " },
	{ "{" KNOWN("a") SPEC("[{name: a}, {name: fairlead}, {name: b}]") "}", FL_CHECKS_CHANGED,
	  "a b " },
	{ "{" KNOWN("a") SPEC("[{name: fairlead}]") "}", FL_CHECKS_CHANGED, "" },
	{ "{" KNOWN("''") SPEC("[{name: fairlead}]") "}", FL_CHECKS_TAKEN, "" },
	{ "{" KNOWN("a") SPEC("[{name: a}, {name: fairlead}]") "}", FL_CHECKS_TAKEN, "a " },
	{ "{" KNOWN("'a,b'") SPEC("[{name: a, onFlavors: [f]}, {name: fairlead}, {name: b}]") "}",
	  FL_CHECKS_TAKEN, "a b " },
};

static void read_text(const char *flow, struct fl_doc *doc)
{
	struct fl_reader *reader = NULL;
	char text[300];
	fairlead_error err = { 0 };
	struct fl_token t;

	assert_true(snprintf(text, sizeof text, "--- %s", flow) < (int)sizeof text);
	assert_int_equal(fl_reader_new(&fl_mem_heap, text, strlen(text), &reader, &err), 0);
	do
		assert_int_equal(fl_reader_next(reader, &t, &err), 0);
	while (t.kind != FL_TOKEN_MAP);
	assert_int_equal(fl_doc_read(doc, reader, &t, &err), 0);
	fl_reader_free(reader);
}

TEST(each_row)
{
	struct fl_doc doc;

	fl_doc_init(&doc, &fl_mem_heap);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char others[100] = "";
		const char *name;
		uint32_t at = 0;

		fl_doc_clear(&doc);
		read_text(rows[i].text, &doc);
		CHECK(fl_checks_read(&doc) == rows[i].checks, rows[i].text);
		while ((name = fl_checks_next(&doc, at, &at)))
			(void)snprintf(others + strlen(others), sizeof others - strlen(others),
				       "%s ", name);
		CHECK(strcmp(others, rows[i].others) == 0, rows[i].text);
	}
	fl_doc_done(&doc);
}

UNIT_GROUP("checks")
