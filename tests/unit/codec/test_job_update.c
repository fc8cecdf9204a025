/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of jobs, laid over what is stored and taken back; and words for jobs, states and signals. */
#include <jansson.h>
#include <signal.h>

#include "codec/job/job_update.h"
#include "codec/job/job_word.h"
#include "lib/unit.h"

#define STORED(fields)                                                                             \
	"{\"queue\":\"q\",\"command\":[\"true\"],\"directory\":\"/\",\"uid\":1,\"gid\":1,"         \
	"\"user\":\"ann\"" fields "}"

static int read_update(const char *text, struct fl_job_update *ret, fairlead_error *err)
{
	json_t *json = NULL;
	int r = fl_job_json_load(text, strlen(text), &json, err);

	if (r == 0)
		r = fl_job_update_from_json(json, FL_JOB_SUBMITTED, ret, err);
	json_decref(json);
	return r;
}

static const struct {
	const char *stored, *changes[2]; /* changes: one after the other */
	const char *wanted;              /* is in the text then */
} laid[] = {
	{ STORED(""), { "{\"queue\":\"r\"}" }, "\"queue\":\"r\"" },
	{ STORED(""), { "{\"queue\":\"r\"}", "{\"queue\":\"s\"}" }, "\"queue\":\"q\"" }, /* first */
	{ STORED(",\"timeLimit\":\"1h\""), { "{\"timeLimit\":\"2h\"}" }, "\"timeLimit\":\"2h\"" },
	{ STORED(",\"timeLimit\":\"1h\""), { "{\"timeLimit\":null}" }, "{\"bytes\":" },
	{ STORED(""), { "{\"after\":[{\"job\":3}]}", "{\"after\":[]}" }, "\"after\":null" },
	{ STORED(""), { "{\"comment\":\"x\",\"name\":\"n\"}" }, "\"comment\":\"x\"" },
	{ STORED(",\"holdReason\":\"x\""), { "{\"holdReason\":null}" }, "\"holdReason\":\"x\"" },
};

TEST(test_lays_and_undoes)
{
	for (size_t i = 0; i < COUNT(laid); i++) {
		char *text = strdup(laid[i].stored);
		struct fl_job_document was, is, first;
		fairlead_error err = { 0 };

		for (int k = 0; k < 2 && laid[i].changes[k]; k++) {
			struct fl_job_update u;
			char *next;

			assert_int_equal(read_update(laid[i].changes[k], &u, &err), 0);
			assert_int_equal(fl_job_update_lay(text, &u, &next, &err), 0);
			free(text);
			text = next;
		}
		if (!strstr(text, laid[i].wanted))
			fail_msg("%s is not in %s", laid[i].wanted, text);
		/* It can be read as it is, and as it was. */
		assert_int_equal(fl_job_parse(text, strlen(text), FL_JOB_STORED, &is, &err), 0);
		assert_int_equal(fl_job_parse(text, strlen(text), FL_JOB_FIRST, &first, &err), 0);
		assert_int_equal(fl_job_parse(laid[i].stored, strlen(laid[i].stored), FL_JOB_STORED,
					      &was, &err),
				 0);
		assert_int_equal(first.spec.bytes, was.spec.bytes);
		char *a = fl_job_text(&first.spec), *b = fl_job_text(&was.spec);
		assert_string_equal(a, b);
		free(a);
		free(b);
		free(text);
		fl_job_document_done(&was);
		fl_job_document_done(&is);
		fl_job_document_done(&first);
	}
}

/* A priority is not of the spec: that of the row counts. */
TEST(test_priority_stays_out)
{
	struct fl_job_update u;
	fairlead_error err = { 0 };
	char *text;

	assert_int_equal(read_update("{\"priority\":7}", &u, &err), 0);
	assert_true(fl_job_updates(&u, FL_JOB_F_PRIORITY) && u.spec.priority == 7);
	assert_int_equal(fl_job_update_lay(STORED(""), &u, &text, &err), 0);
	assert_null(strstr(text, "priority"));
	free(text);
}

static const struct {
	const char *list;
	int n; /* ranges; -1: it is refused */
	uint64_t jobs;
} lists[] = {
	{ "", 0, 0 },
	{ "17", 1, 1 },
	{ "3,5,10-20", 3, 13 },
	{ "17[]", 1, 1 },
	{ "17[],3", 2, 2 },
	{ "5-5", 1, 1 },
	{ "1-10000", 1, 10000 },
	{ "1-10001", -1, 0 },
	{ "0", -1, 0 },
	{ "3-", -1, 0 },
	{ "-3", -1, 0 },
	{ "5-3", -1, 0 },
	{ "3,", -1, 0 },
	{ ",3", -1, 0 },
	{ "3,,5", -1, 0 },
	{ "3 ", -1, 0 },
	{ "3[", -1, 0 },
	{ "3-5[]", -1, 0 },
	{ "x", -1, 0 },
	{ "+3", -1, 0 },
	{ "9999999999999999999", -1, 0 },
};

TEST(test_lists_of_jobs)
{
	for (size_t i = 0; i < COUNT(lists); i++) {
		const char *at = lists[i].list;
		struct fl_job_range range;
		fairlead_error err = { 0 };
		uint64_t jobs = 0;
		int n = 0, r;

		while ((r = fl_job_range_next(&at, &range, &err)) > 0) {
			n++;
			jobs += range.last - range.first + 1;
		}
		if (lists[i].n < 0 ? r != FAIRLEAD_EINPUT || !strstr(err.text, "job") :
				     r != 0 || n != lists[i].n || jobs != lists[i].jobs)
			fail_msg("'%s': %d, %d, %s", lists[i].list, r, n, err.text);
	}
}

static const struct {
	const char *text;
	uint32_t states; /* 0: it is refused */
} states[] = {
	{ "waits", 1 << FL_JOB_WAITS },
	{ "done,failed", 1 << FL_JOB_DONE | 1 << FL_JOB_FAILED },
	{ "PENDING", 7 },
	{ "pd,r", 63 },
	{ "Running", 56 },
	{ "", 0 },
	{ "waits,", 0 },
	{ "Waits", 0 },
	{ "SUSPENDED", 0 },
};

TEST(test_words_for_states)
{
	for (size_t i = 0; i < COUNT(states); i++) {
		fairlead_error err = { 0 };
		uint32_t got = 0;
		int r = fl_job_states_read(states[i].text, &got, &err);

		if (states[i].states ? r != 0 || got != states[i].states :
				       r != FAIRLEAD_EINPUT || !*err.hint)
			fail_msg("'%s': %d, %u, %s", states[i].text, r, got, err.text);
	}
}

static const struct {
	const char *text;
	int number; /* 0: it is refused */
} signals[] = {
	{ "USR1", SIGUSR1 },
	{ "SIGUSR1", SIGUSR1 },
	{ "10", SIGUSR1 },
	{ "STOP", SIGSTOP },
	{ "SIGCONT", SIGCONT },
	{ "9", SIGKILL },
	{ "usr1", 0 },
	{ "0", 0 },
	{ "64", 0 },
	{ "SIG", 0 },
	{ "", 0 },
	{ "SEGV", 0 },
	{ "11", 0 },
	{ "10x", 0 },
};

TEST(test_signals)
{
	for (size_t i = 0; i < COUNT(signals); i++) {
		int number = 0, r = fl_job_signal_read(signals[i].text, &number, NULL);

		if (signals[i].number ? r != 0 || number != signals[i].number :
					r != FAIRLEAD_EINPUT)
			fail_msg("'%s': %d, %d", signals[i].text, r, number);
	}
}

UNIT_GROUP("job-update")
