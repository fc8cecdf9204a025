/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/text/doc.h"

#include "lib/unit.h"

static void push(struct fl_doc *doc, const char *text)
{
	struct fl_token t = { .kind = FL_TOKEN_SCALAR, .text = text, .len = strlen(text) };

	assert_int_equal(fl_doc_push(doc, &t, NULL), 0);
}

/* A copy of one whose texts end where its memory does: nothing behind them is read. */
TEST(copies_what_fills_its_memory)
{
	struct fl_doc doc, copy;

	fl_doc_init(&doc, &fl_mem_heap);
	do
		push(&doc, "seven c");
	while (doc.n_bytes < doc.cap_bytes);
	assert_int_equal(doc.n_bytes, doc.cap_bytes);
	assert_int_equal(fl_doc_copy(&doc, &copy, NULL), 0);
	assert_int_equal(copy.n, doc.n);
	for (uint32_t i = 0; i < doc.n; i++)
		assert_string_equal(fl_doc_text(&copy, i), "seven c");
	/* And it goes on. */
	push(&copy, "one more");
	assert_string_equal(fl_doc_text(&copy, doc.n), "one more");
	fl_doc_done(&copy);
	fl_doc_done(&doc);
}

TEST(copies_nothing)
{
	struct fl_doc doc, copy;

	fl_doc_init(&doc, &fl_mem_heap);
	assert_int_equal(fl_doc_copy(&doc, &copy, NULL), 0);
	assert_int_equal(copy.n, 0);
	push(&copy, "a");
	assert_string_equal(fl_doc_text(&copy, 0), "a");
	fl_doc_done(&copy);
	fl_doc_done(&doc);
}

UNIT_GROUP("doc")
