/* SPDX-License-Identifier: Apache-2.0 */
/* Answers cut at every byte give the same objects, and what is not JSON is refused as jansson refuses it. */
#include "kube/frames.h"

#include <jansson.h>
#include <stdlib.h>

#include "base/limits.h"
#include "base/random.h"
#include "lib/few.h"
#include "lib/unit.h"

struct seen {
	char text[4096];
	uint32_t n, large;
};

static int on_frame(void *user, const struct fl_kube_frame *f)
{
	struct seen *s = user;
	size_t len = strlen(s->text);

	s->n++;
	s->large += !f->object.json;
	if (f->object.json)
		assert_int_equal(strlen(f->object.json), f->object.len);
	(void)snprintf(s->text + len, sizeof s->text - len, "%s|%s|%s|%s|%s|%u|%s|%s|%d|%.200s\n",
		       f->type, f->object.namespace, f->object.name, f->object.uid,
		       f->object.resource_version, f->code, f->reason, f->message, f->initial_end,
		       f->object.json ? f->object.json : "-");
	return 0;
}

/* In two pieces, or in pieces of one byte with @cut 0. Returns the error. */
static int cut(enum fl_kube_form form, const char *text, size_t len, size_t at, struct seen *ret)
{
	struct fl_kube_frames f;
	fairlead_error err = { 0 };
	size_t end = at ? at : 1;
	int rc = 0;

	*ret = (struct seen){ 0 };
	fl_kube_frames_init(&f, form, on_frame, ret);
	for (size_t from = 0; from < len && rc == 0; from = end, end = at ? len : from + 1) {
		/* Of memory of its own, so that a byte read too far is seen. */
		char *piece = malloc(end - from);

		memcpy(piece, text + from, end - from);
		rc = fl_kube_frames_take(&f, piece, end - from, &err);
		free(piece);
	}
	if (rc == 0 && !fl_kube_frames_whole(&f))
		rc = 1;
	if (rc == 0 && form == FL_KUBE_LIST) {
		size_t n = strlen(ret->text);

		(void)snprintf(ret->text + n, sizeof ret->text - n, "%s|%s|%s", f.list_version,
			       f.token, f.remaining);
	}
	if (rc < 0)
		assert_true(err.text[0]);
	fl_kube_frames_done(&f);
	return rc;
}

#define EVENT(type, object) "{\"type\":\"" type "\",\"object\":" object "}\n"

static const struct {
	enum fl_kube_form form;
	const char *text, *expected;
} answers[] = {
	{ FL_KUBE_EVENTS,
	  EVENT("ADDED",
		"{\"metadata\":{\"name\":\"w\",\"namespace\":\"a\",\"uid\":\"u\","
		"\"resourceVersion\":\"7\",\"managedFields\":[{\"m\":\"]}\\\"\"}],\"z\":1}}") " \n" EVENT("BOOKMARK",
													  "{\"metadata\":{\"resourceVersion\":\"9\",\"annotations\":"
													  "{\"k8s.io/initial-events-end\":\"true\"}}}")
		  EVENT("ERROR",
			"{\"message\":\"\\u00e4 \\ud83d\\ude00\\n\\u003c\",\"reason\":\"Expired\","
			"\"code\":410}"),
	  "ADDED|a|w|u|7|0|||0|{\"metadata\":{\"name\":\"w\",\"namespace\":\"a\",\"uid\":\"u\","
	  "\"resourceVersion\":\"7\",\"managedFields\":null,\"z\":1}}\n"
	  "BOOKMARK||||9|0|||1|{\"metadata\":{\"resourceVersion\":\"9\",\"annotations\":"
	  "{\"k8s.io/initial-events-end\":\"true\"}}}\n"
	  "ERROR|||||410|Expired|\u00e4 \U0001f600\n<|0|{\"message\":\"\\u00e4 \\ud83d\\ude00\\n\\u003c\","
	  "\"reason\":\"Expired\",\"code\":410}\n" },
	/* The type may come last, and keys may be written with escapes. */
	{ FL_KUBE_EVENTS,
	  "{\"object\":{\"meta\\u0064ata\":{\"n\\u0061me\":\"w\"},\"reason\":\"own\"},\"type\":\"MODIFIED\"}",
	  "MODIFIED||w|||0|own||0|{\"meta\\u0064ata\":{\"n\\u0061me\":\"w\"},\"reason\":\"own\"}\n" },
	{ FL_KUBE_LIST,
	  "{\"items\":[{\"metadata\":{\"name\":\"a\"},\"items\":[{\"metadata\":{\"name\":\"no\"}}]},"
	  "{\"spec\":{\"metadata\":{\"name\":\"no\",\"managedFields\":[1]}},\"metadata\":{\"managedFields\":{},"
	  "\"name\":\"b\"}}],\"metadata\":{\"resourceVersion\":\"5\",\"continue\":\"t\","
	  "\"remainingItemCount\":12}}\n",
	  "||a|||0|||0|{\"metadata\":{\"name\":\"a\"},\"items\":[{\"metadata\":{\"name\":\"no\"}}]}\n"
	  "||b|||0|||0|{\"spec\":{\"metadata\":{\"name\":\"no\",\"managedFields\":[1]}},\"metadata\":"
	  "{\"managedFields\":null,\"name\":\"b\"}}\n5|t|12" },
	{ FL_KUBE_LIST, "{\"metadata\":{\"resourceVersion\":\"5\"},\"items\":null}", "5||" },
	{ FL_KUBE_LIST,
	  "{\"metadata\":{\"resourceVersion\":5,\"continue\":[\"x\"]},\"items\":{\"a\":[{}]}}",
	  "||" },
	{ FL_KUBE_KINDS, "{\"resources\":[{\"name\":\"jobs\"},{\"name\":\"jobs/status\"}]}",
	  "||jobs|||0|||0|{\"name\":\"jobs\"}\n||jobs/status|||0|||0|{\"name\":\"jobs/status\"}\n" },
	{ FL_KUBE_STATUS, "{\"message\":\"m\",\"code\":403}", "|||||403||m|0|-\n" },
	/* Whoever may annotate an object writes what he likes there. */
	{ FL_KUBE_EVENTS,
	  EVENT("ADDED",
		"{\"metadata\":{\"name\":\"w\",\"annotations\":"
		"{\"k8s.io/initial-events-end\":\"true, or longer\"}},\"code\":410410410410}"),
	  "ADDED||w|||4104104|||0|{\"metadata\":{\"name\":\"w\",\"annotations\":"
	  "{\"k8s.io/initial-events-end\":\"true, or longer\"}},\"code\":410410410410}\n" },
};

TEST(cut_at_each_byte)
{
	for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
		size_t len = strlen(answers[i].text);
		struct seen s;

		for (size_t at = 0; at <= len; at++) {
			assert_int_equal(cut(answers[i].form, answers[i].text, len, at, &s), 0);
			assert_string_equal(s.text, answers[i].expected);
		}
		/* Shorter it is not whole, unless only blanks are missing; nothing is handed on twice. */
		for (size_t shorter = 0; shorter < len; shorter++) {
			int rc = cut(answers[i].form, answers[i].text, shorter, 0, &s);

			assert_true(rc >= 0);
			assert_int_equal(strncmp(s.text, answers[i].expected,
						 rc == 0 && answers[i].form == FL_KUBE_LIST ?
							 0 :
							 strlen(s.text)),
					 0);
		}
	}
}

/* A byte of an answer becomes another one: what jansson does not take, is not taken. */
TEST(other_bytes)
{
	struct fl_random r;
	uint32_t refused = 0, n = few(20000);

	fl_random_init(&r, 1, fl_random_stream("bytes"));
	for (uint32_t i = 0; i < n; i++) {
		const char *from = answers[2 + i % 3].text;
		size_t len = strlen(from);
		char text[2048];
		struct seen s;

		memcpy(text, from, len);
		for (uint64_t k = 0; k <= i % 2; k++) {
			static const char bytes[] =
				"{}[]\",:\\0129eE.-+tfnu \n\t\x01\x80\xc3\xed\xf4\xff";
			text[fl_random_bits(&r) % len] =
				bytes[fl_random_bits(&r) % (sizeof bytes - 1)];
		}
		json_t *its = json_loadb(text, len, JSON_ALLOW_NUL, NULL);
		int rc = cut(FL_KUBE_LIST, text, len, 1 + fl_random_bits(&r) % len, &s);
		if (!its && rc == 0)
			fail_msg("taken: %.*s", (int)len, text);
		/* Jansson has numbers of a double and of 64 bits only; ours has bounds of its own. */
		if (its && rc != 0)
			fail_msg("refused: %.*s", (int)len, text);
		refused += rc != 0;
		json_decref(its);
	}
	assert_true(refused > n / 4);
}

TEST(wrong)
{
	static const struct {
		enum fl_kube_form form;
		const char *text;
	} texts[] = {
		{ FL_KUBE_LIST, "[]" },
		{ FL_KUBE_LIST, "{\"items\":[]}{" },
		{ FL_KUBE_LIST, "{\"items\":[]}{}" },
		{ FL_KUBE_LIST, "{\"items\":[{},]}" },
		{ FL_KUBE_LIST, "{\"items\":[{\"a\":\"\\ud800\"}]}" },
		{ FL_KUBE_LIST, "{\"items\":[{\"a\":\"\\udc00\"}]}" },
		{ FL_KUBE_LIST, "{\"items\":[{\"a\":\"\\ud800\\u0041\"}]}" },
		{ FL_KUBE_LIST, "{\"items\":[{\"a\":\"\xc0\xaf\"}]}" },
		{ FL_KUBE_LIST, "{\"items\":[{\"a\":\"\xed\xa0\x80\"}]}" },
		{ FL_KUBE_LIST, "{\"items\":[{\"a\":01}]}" },
		{ FL_KUBE_LIST, "{\"items\":[{\"a\":1.}]}" },
		{ FL_KUBE_LIST, "{\"items\":[{\"a\":tru}]}" },
		{ FL_KUBE_LIST, "{\"items\":[{\"a\" 1}]}" },
		{ FL_KUBE_LIST, "{\"items\":[{\"a\":1]}" },
		{ FL_KUBE_EVENTS, "{\"type\":\"ADDED\"}" },
		{ FL_KUBE_EVENTS,
		  "{\"type\":\"ADDED but longer than any type is\",\"object\":{}}" },
	};
	struct seen s;

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		for (size_t at = 0; at <= strlen(texts[i].text); at++)
			if (cut(texts[i].form, texts[i].text, strlen(texts[i].text), at, &s) == 0)
				fail_msg("taken: %s", texts[i].text);
}

/* Around the limit, and far above; the next object is not touched by it. */
TEST(large)
{
	static const char head[] = "{\"items\":[{\"metadata\":{\"name\":\"w\"},\"a\":\"";
	static const char tail[] = "\"},{\"metadata\":{\"name\":\"next\"}}],\"metadata\":{}}";
	size_t own = strlen("{\"metadata\":{\"name\":\"w\"},\"a\":\"\"}");

	for (int more = -1; more <= 2; more++) {
		size_t fill = FL_MAX_KUBE_OBJECT - own + (size_t)(more == 2 ? 1 << 20 : more);
		size_t len = strlen(head) + fill + strlen(tail);
		char *text = malloc(len + 1);
		struct seen s;

		assert_non_null(text);
		memcpy(text, head, strlen(head));
		memset(text + strlen(head), 'x', fill);
		memcpy(text + strlen(head) + fill, tail, sizeof tail);
		assert_int_equal(cut(FL_KUBE_LIST, text, len, len / 2, &s), 0);
		assert_int_equal(s.n, 2);
		assert_int_equal(s.large, more > 0);
		assert_non_null(strstr(s.text, "||next|"));
		assert_non_null(strstr(s.text, "||w|"));
		free(text);
	}
}

static int refuse(void *user, const struct fl_kube_frame *f)
{
	(void)f;
	return ++*(uint32_t *)user == 2 ? FAIRLEAD_ESTATE : 0;
}

TEST(ended_by_its_user)
{
	const char *text = EVENT("ADDED", "{}") EVENT("ADDED", "{}") EVENT("ADDED", "{}");
	struct fl_kube_frames f;
	uint32_t n = 0;

	fl_kube_frames_init(&f, FL_KUBE_EVENTS, refuse, &n);
	assert_int_equal(fl_kube_frames_take(&f, text, strlen(text), NULL), FAIRLEAD_ESTATE);
	assert_int_equal(n, 2);
	fl_kube_frames_done(&f);
}

UNIT_GROUP("frames")
