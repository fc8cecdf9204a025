/* SPDX-License-Identifier: Apache-2.0 */
#include <jansson.h>

#include "codec/job/job_json.h"
#include "lib/unit.h"

#define JOB(fields) "{\"queue\":\"q\",\"command\":[\"true\"],\"directory\":\"/\"" fields "}"

/* What is written of what was read; and read again, the same. */
static const struct {
	const char *text, *stored;
} good[] = {
	{ JOB(""), "\"priority\":0,\"tasks\":1,\"requests\":{}" },
	{ JOB(",\"requests\":{\"memory\":\"4Gi\",\"cpu\":\"0.5\",\"nvidia.com/gpu\":1}"),
	  "\"requests\":{\"cpu\":\"500m\",\"memory\":\"4Gi\",\"nvidia.com/gpu\":\"1\"}" },
	{ JOB(",\"requests\":{\"cpu\":0.1}"), "\"requests\":{\"cpu\":\"100m\"}" },
	{ JOB(",\"requests\":{\"cpu\":2.0}"), "\"requests\":{\"cpu\":\"2\"}" },
	{ JOB(",\"requests\":{\"memory\":\"1.5Gi\"}"), "\"requests\":{\"memory\":\"1536Mi\"}" },
	{ JOB(",\"requests\":{\"memory\":\"1G\"}"), "\"requests\":{\"memory\":\"1G\"}" },
	{ JOB(",\"requests\":{\"gpu\":\"2.0\"}"), "\"requests\":{\"gpu\":\"2\"}" },
	{ JOB(",\"timeLimit\":\"90m\",\"grace\":\"1500ms\",\"signal\":\"SIGINT\""),
	  "\"timeLimit\":\"1h30m\",\"grace\":\"1s500ms\",\"signal\":\"INT\"" },
	{ JOB(",\"grace\":\"0s\",\"timeLimit\":\"2w\""), "\"timeLimit\":\"14d\",\"grace\":\"0s\"" },
	{ JOB(",\"after\":[{\"job\":12},{\"job\":13,\"when\":\"any\"}]"),
	  "\"after\":[{\"job\":12,\"when\":\"ok\"},{\"job\":13,\"when\":\"any\"}]" },
	{ JOB(",\"labels\":{\"z\":\"1\",\"a\":\"2\"}"), "\"labels\":{\"a\":\"2\",\"z\":\"1\"}" },
	{ JOB(",\"environment\":{\"A\":\"x=y\",\"B\":\"\"}"),
	  "\"environment\":{\"A\":\"x=y\",\"B\":\"\"}" },
	{ JOB(",\"timeLimit\":\"90\""), "\"timeLimit\":\"1h30m\"" },
	{ JOB(",\"timeLimit\":\"1-02:00:00\""), "\"timeLimit\":\"1d2h\"" },
	{ JOB(",\"requeue\":false,\"comment\":\"a b\""),
	  "\"hold\":false,\"requeue\":false,\"comment\":\"a b\"" },
	{ JOB(",\"requeue\":true"), "\"hold\":false,\"uid\"" },
	{ JOB(",\"interactive\":\"terminal\""),
	  "\"hold\":false,\"requeue\":false,\"interactive\":\"terminal\",\"uid\"" },
	{ JOB(",\"begin\":\"2026-01-31T13:00:00+01:00\""), "\"begin\":\"2026-01-31T12:00:00Z\"" },
	{ JOB(",\"name\":\"n\",\"singleton\":true"), "\"singleton\":true" },
	{ JOB(",\"after\":[{\"job\":12,\"when\":\"begun\"}]"),
	  "\"after\":[{\"job\":12,\"when\":\"begun\"}]" },
	{ JOB(",\"environment\":{\"A\":\"1\"},\"hooks\":[{\"command\":\"echo\"},"
	      "{\"on\":[\"preempted\",\"fail\"],\"command\":\"mail me\"}]"),
	  "\"hooks\":[{\"on\":[\"begin\",\"end\",\"fail\",\"preempted\"],\"command\":\"echo\"},"
	  "{\"on\":[\"fail\",\"preempted\"],\"command\":\"mail me\"}]" },
	{ JOB(",\"environment\":{\"FAIRLEAD_ARRAY_MAX\":\"7\",\"B\":\"2\"}"),
	  "\"environment\":{\"B\":\"2\"}" },
	{ JOB(",\"name\":\"\\u00e4\",\"priority\":-3,\"hold\":true,\"tasks\":4,\"output\":\"/x\""),
	  "\"output\":\"/x\",\"hold\":true" },
};

TEST(test_reads_and_writes)
{
	for (size_t i = 0; i < COUNT(good); i++) {
		struct fl_job_document d, again;
		fairlead_error err = { 0 };

		int rc = fl_job_parse(good[i].text, strlen(good[i].text), FL_JOB_SUBMITTED, &d,
				      &err);
		if (rc < 0)
			fail_msg("%s: %s %s", good[i].text, err.subject, err.text);
		assert_int_equal(d.copies, 1);
		char *text = fl_job_text(&d.spec);
		assert_non_null(text);
		if (!strstr(text, good[i].stored))
			fail_msg("%s is not in %s", good[i].stored, text);
		assert_int_equal(fl_job_parse(text, strlen(text), FL_JOB_STORED, &again, &err), 0);
		char *second = fl_job_text(&again.spec);
		assert_string_equal(text, second);
		free(text);
		free(second);
		fl_job_document_done(&d);
		fl_job_document_done(&again);
	}
}

TEST(test_values)
{
	static const char text[] = JOB(
		",\"array\":3,\"tasks\":2,\"requests\":{\"nvidia.com/gpu\":1,\"cpu\":\"1500m\"},"
		"\"environment\":{\"A\":\"1\"}");
	struct fl_job_document d;
	fairlead_error err = { 0 };

	assert_int_equal(fl_job_parse(text, strlen(text), FL_JOB_SUBMITTED, &d, &err), 0);
	assert_true(d.is_array);
	assert_int_equal(d.copies, 3);
	assert_int_equal(d.spec.array, 0);
	assert_int_equal(d.spec.n_requests, 2);
	assert_string_equal(d.spec.requests[0].resource, "cpu");
	assert_int_equal(d.spec.requests[0].amount, 1500);
	assert_int_equal(d.spec.requests[1].amount, 1);
	assert_int_equal(d.spec.time_limit, FL_NEVER);
	assert_int_equal(d.spec.grace, FL_TIME_NONE);
	assert_int_equal(d.spec.signal, 0);
	assert_int_equal(d.spec.command_len, 5);
	assert_string_equal(d.spec.environment, "A=1");
	assert_string_equal(d.spec.environment + 4, "FAIRLEAD_ARRAY_COUNT=3");
	assert_int_equal(d.spec.begin, 0);
	fl_job_document_done(&d);
}

/* Indexes as they are written, the variables that say what they are, and how many run at once. */
TEST(test_arrays)
{
	static const struct {
		const char *array, *indexes, *count, *min, *max, *step;
		uint32_t most;
	} rows[] = {
		{ "3", "0 1 2 ", "3", "0", "2", "1", 0 },
		{ "\"0-3\"", "0 1 2 3 ", "4", "0", "3", "1", 0 },
		{ "\"5\"", "5 ", "1", "5", "5", "1", 0 },
		{ "\"0-7:3%2\"", "0 3 6 ", "3", "0", "6", "3", 2 },
		{ "\"9,1,3,5-7,6\"", "1 3 5 6 7 9 ", "6", "1", "9", "1", 0 },
		{ "\"1,3%1\"", "1 3 ", "2", "1", "3", "1", 1 },
		{ "\"9999998-9999999\"", "9999998 9999999 ", "2", "9999998", "9999999", "1", 0 },
		{ "\"4-4:9\"", "4 ", "1", "4", "4", "9", 0 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		char text[256], got[256] = "", wanted[256];
		struct fl_job_document d;
		fairlead_error err = { 0 };

		snprintf(text, sizeof text, JOB(",\"array\":%s"), rows[i].array);
		if (fl_job_parse(text, strlen(text), FL_JOB_SUBMITTED, &d, &err) < 0)
			fail_msg("%s: %s", text, err.text);
		for (uint32_t k = 0; k < d.copies; k++)
			snprintf(got + strlen(got), sizeof got - strlen(got), "%u ",
				 d.indexes ? d.indexes[k] : k);
		assert_string_equal(got, rows[i].indexes);
		assert_int_equal(d.spec.array_most, rows[i].most);
		assert_true(d.is_array);
		got[0] = '\0';
		for (uint32_t at = 0; at < d.spec.environment_len;
		     at += (uint32_t)strlen(d.spec.environment + at) + 1)
			snprintf(got + strlen(got), sizeof got - strlen(got), "%s ",
				 d.spec.environment + at);
		snprintf(wanted, sizeof wanted,
			 "FAIRLEAD_ARRAY_COUNT=%s FAIRLEAD_ARRAY_MIN=%s FAIRLEAD_ARRAY_MAX=%s "
			 "FAIRLEAD_ARRAY_STEP=%s ",
			 rows[i].count, rows[i].min, rows[i].max, rows[i].step);
		assert_string_equal(got, wanted);
		fl_job_document_done(&d);
	}
}

/* What the daemon adds is kept, of a stored one. */
TEST(test_stored)
{
	static const char text[] = JOB(
		",\"array\":70000,\"arrayIndex\":9,\"arrayMost\":3,\"uid\":1000,\"gid\":100,\"user\":\"bob\"");
	struct fl_job_document d;
	fairlead_error err = { 0 };

	assert_int_equal(fl_job_parse(text, strlen(text), FL_JOB_STORED, &d, &err), 0);
	assert_int_equal(d.spec.array, 70000);
	assert_int_equal(d.spec.array_index, 9);
	assert_int_equal(d.spec.uid, 1000);
	assert_int_equal(d.spec.gid, 100);
	assert_string_equal(d.spec.user, "bob");
	char *stored = fl_job_text(&d.spec);
	assert_non_null(strstr(
		stored, "\"array\":70000,\"arrayIndex\":9,\"arrayMost\":3,\"uid\":1000,\"gid\":100,"
			"\"user\":\"bob\"}"));
	free(stored);
	fl_job_document_done(&d);
}

#define TEXT63 "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffggg"

static const struct {
	const char *text;
	int code;
	const char *subject, *error, *hint;
} bad[] = {
	{ "", FAIRLEAD_EINPUT, "", "not valid JSON: ", "" },
	{ "{\"a\":1,\"a\":2}", FAIRLEAD_EINPUT, "", "duplicate object key", "" },
	{ "[]", FAIRLEAD_EINPUT, "", "must be an object with the fields of a job, not a list", "" },
	{ "{}", FAIRLEAD_EINPUT, "", "queue is missing", "" },
	{ "{\"queue\":\"q\"}", FAIRLEAD_EINPUT, "", "command is missing", "" },
	{ "{\"queue\":\"q\",\"command\":[\"x\"]}", FAIRLEAD_EINPUT, "", "directory is missing",
	  "" },
	{ JOB(",\"request\":{}"), FAIRLEAD_EINPUT, "", "there is no field 'request' in a job",
	  "did you mean 'requests' or 'requeue'?" },
	{ JOB(",\"uid\":0"), FAIRLEAD_EINPUT, "", "there is no field 'uid' in a job", "" },
	{ JOB(",\"user\":\"root\""), FAIRLEAD_EINPUT, "", "there is no field 'user' in a job", "" },
	{ JOB(",\"arrayIndex\":0"), FAIRLEAD_EINPUT, "", "there is no field 'arrayIndex'", "" },
	{ JOB(",\"requests\":[]"), FAIRLEAD_EINPUT, "requests", "must be an object, not a list",
	  "" },
	{ JOB(",\"requests\":{\"cpu\":\"2x\"}"), FAIRLEAD_EINPUT, "requests.cpu",
	  "'2x' is not a quantity", "" },
	{ JOB(",\"requests\":{\"cpu\":null}"), FAIRLEAD_EINPUT, "requests.cpu",
	  "must be an amount such as \"2\", \"500m\" or \"4Gi\", not null", "" },
	{ JOB(",\"requests\":{\"cpu\":-1}"), FAIRLEAD_EINPUT, "requests.cpu", "negative", "" },
	{ JOB(",\"requests\":{\"gpu\":0.5}"), FAIRLEAD_EINPUT, "requests.gpu",
	  "'0.5' is not a whole number", "" },
	{ JOB(",\"requests\":{\"gpu\":\"16E\"}"), FAIRLEAD_ELIMIT, "requests.gpu",
	  "'16E' is too large", "" },
	{ JOB(",\"tasks\":4096,\"requests\":{\"memory\":\"7Ei\"}"), FAIRLEAD_ELIMIT,
	  "requests.memory", "the requests of all 4096 tasks together are too large", "" },
	{ JOB(",\"requests\":{\"a b\":1}"), FAIRLEAD_EINPUT, "requests",
	  "'a b' is not the name of a resource", "" },
	{ JOB(",\"requests\":{\"" TEXT63 "x\":1}"), FAIRLEAD_ELIMIT, "requests",
	  "is longer than 63 bytes", "" },
	{ JOB(",\"requests\":{\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1,\"g\":1,\"h\":1,\"i\":1}"),
	  FAIRLEAD_ELIMIT, "requests", "has 9 entries; at most 8 are allowed", "" },
	{ JOB(",\"labels\":{\"a\":\"\",\"b\":\"\",\"c\":\"\",\"d\":\"\",\"e\":\"\"}"),
	  FAIRLEAD_ELIMIT, "labels", "has 5 entries; at most 4 are allowed", "" },
	{ JOB(",\"labels\":{\"a\":1}"), FAIRLEAD_EINPUT, "labels.a", "must be a text, not a number",
	  "" },
	{ JOB(",\"labels\":{\"\":\"x\"}"), FAIRLEAD_EINPUT, "labels",
	  "'' is not the name of a label", "" },
	{ JOB(",\"name\":\"a\\nb\""), FAIRLEAD_EINPUT, "name",
	  "has control characters, or characters that cannot be seen", "" },
	{ JOB(",\"name\":\"\\u009b2J\""), FAIRLEAD_EINPUT, "name",
	  "has control characters, or characters that cannot be seen", "" },
	{ JOB(",\"name\":\"gpj.\\u202eexe\""), FAIRLEAD_EINPUT, "name",
	  "has control characters, or characters that cannot be seen", "" },
	{ JOB(",\"name\":\"a\\u2028b\""), FAIRLEAD_EINPUT, "name",
	  "has control characters, or characters that cannot be seen", "" },
	{ JOB(",\"labels\":{\"a\":\"b\\u200b\"}"), FAIRLEAD_EINPUT, "labels.a",
	  "has control characters, or characters that cannot be seen", "" },
	{ JOB(",\"name\":\"a\\u0000b\""), FAIRLEAD_EINPUT, "", "not valid JSON", "" },
	{ JOB(",\"name\":\"" TEXT63 "x\""), FAIRLEAD_ELIMIT, "name", "is longer than 63 bytes",
	  "" },
	{ JOB(",\"priority\":2147483648"), FAIRLEAD_EINPUT, "priority",
	  "2147483648 is not from -2147483648 to 2147483647", "" },
	{ JOB(",\"priority\":1.5"), FAIRLEAD_EINPUT, "priority",
	  "must be a whole number, not a number", "" },
	{ JOB(",\"tasks\":0"), FAIRLEAD_EINPUT, "tasks", "0 is not from 1 to 4096", "" },
	{ JOB(",\"array\":10001"), FAIRLEAD_EINPUT, "array", "10001 is not from 1 to 10000", "" },
	{ JOB(",\"array\":\"\""), FAIRLEAD_EINPUT, "array", "'' is not a list of indexes",
	  "write it like 0-99, 1,3,5-7, 0-99:2 or, with at most 10 at once, 0-99%10" },
	{ JOB(",\"array\":\"1-\""), FAIRLEAD_EINPUT, "array", "'1-' is not a list of indexes", "" },
	{ JOB(",\"array\":\"1,,2\""), FAIRLEAD_EINPUT, "array", "is not a list of indexes", "" },
	{ JOB(",\"array\":\"a-b\""), FAIRLEAD_EINPUT, "array", "is not a list of indexes", "" },
	{ JOB(",\"array\":\"1-5:\""), FAIRLEAD_EINPUT, "array", "is not a list of indexes", "" },
	{ JOB(",\"array\":\"1 - 5\""), FAIRLEAD_EINPUT, "array", "is not a list of indexes", "" },
	{ JOB(",\"array\":\"-5\""), FAIRLEAD_EINPUT, "array", "is not a list of indexes", "" },
	{ JOB(",\"array\":\"10000000\""), FAIRLEAD_EINPUT, "array", "is not a list of indexes",
	  "" },
	{ JOB(",\"array\":\"5-1\""), FAIRLEAD_EINPUT, "array", "ends before it begins", "" },
	{ JOB(",\"array\":\"1-5:0\""), FAIRLEAD_EINPUT, "array", "has a step of 0", "" },
	{ JOB(",\"array\":\"0-9%0\""), FAIRLEAD_EINPUT, "array", "number of jobs behind %", "" },
	{ JOB(",\"array\":\"0-9%\""), FAIRLEAD_EINPUT, "array", "number of jobs behind %", "" },
	{ JOB(",\"array\":\"0-9%2,3\""), FAIRLEAD_EINPUT, "array", "number of jobs behind %", "" },
	{ JOB(",\"array\":\"0-10000\""), FAIRLEAD_ELIMIT, "array", "has more than 10000 jobs", "" },
	{ JOB(",\"array\":\"0-9999,70000-79999\""), FAIRLEAD_ELIMIT, "array",
	  "has more than 10000 jobs", "" },
	{ JOB(",\"array\":true"), FAIRLEAD_EINPUT, "array",
	  "must be a number of jobs, or indexes such as \"0-99\", not true or false", "" },
	{ JOB(",\"arrayMost\":1"), FAIRLEAD_EINPUT, "", "there is no field 'arrayMost'", "" },
	{ JOB(",\"begin\":\"16:00\""), FAIRLEAD_EINPUT, "begin", "'16:00' is not a time",
	  "write it like 2026-01-31T12:00:00Z" },
	{ JOB(",\"begin\":5"), FAIRLEAD_EINPUT, "begin",
	  "must be a time such as \"2026-01-31T12:00:00Z\", not a number", "" },
	{ JOB(",\"requeue\":\"no\""), FAIRLEAD_EINPUT, "requeue",
	  "must be true or false, not a text", "" },
	{ JOB(",\"comment\":\"a\\nb\""), FAIRLEAD_EINPUT, "comment",
	  "has control characters, or characters that cannot be seen", "" },
	{ JOB(",\"singleton\":true"), FAIRLEAD_EINPUT, "",
	  "singleton needs a name: it waits for earlier jobs of the same name",
	  "give it one with --name" },
	{ JOB(",\"hooks\":{}"), FAIRLEAD_EINPUT, "hooks", "must be a list, not an object", "" },
	{ JOB(",\"hooks\":[\"x\"]"), FAIRLEAD_EINPUT, "hooks[0]", "must be an object such as", "" },
	{ JOB(",\"hooks\":[{}]"), FAIRLEAD_EINPUT, "hooks[0]", "command is missing", "" },
	{ JOB(",\"hooks\":[{\"command\":\"\"}]"), FAIRLEAD_EINPUT, "hooks[0] command",
	  "must be a command of a shell", "" },
	{ JOB(",\"hooks\":[{\"command\":\"x\",\"on\":[\"start\"]}]"), FAIRLEAD_EINPUT,
	  "hooks[0] on", "has something other than begin, end, fail and preempted", "" },
	{ JOB(",\"hooks\":[{\"command\":\"x\",\"on\":[]}]"), FAIRLEAD_EINPUT, "hooks[0] on",
	  "names no event", "" },
	{ JOB(",\"hooks\":[{\"command\":\"x\",\"when\":1}]"), FAIRLEAD_EINPUT, "hooks[0]",
	  "there is no field 'when' here; the fields are on and command", "" },
	{ JOB(",\"hooks\":[1,2,3,4,5,6,7,8,9]"), FAIRLEAD_ELIMIT, "hooks",
	  "has 9 entries; at most 8 are allowed", "" },
	{ JOB(",\"timeLimit\":\"90:99\""), FAIRLEAD_EINPUT, "timeLimit", "is not a length of time",
	  "write it like 90 (minutes), 1:30:00, 1-12 (days-hours) or 1h30m" },
	{ JOB(",\"interactive\":\"window\""), FAIRLEAD_EINPUT, "interactive",
	  "'window' is neither files nor terminal", "" },
	{ JOB(",\"interactive\":\"files\",\"tasks\":2"), FAIRLEAD_EINPUT, "",
	  "an interactive job has one task, not 2", "" },
	{ JOB(",\"interactive\":\"files\",\"array\":2"), FAIRLEAD_EINPUT, "",
	  "an array cannot be interactive", "" },
	{ JOB(",\"interactive\":\"files\",\"output\":\"/x\""), FAIRLEAD_EINPUT, "",
	  "the output of an interactive job goes to its client", "" },
	{ JOB(",\"interactive\":\"files\",\"requeue\":true"), FAIRLEAD_EINPUT, "",
	  "an interactive job is not queued again when it was preempted", "" },
	{ JOB(",\"hold\":1"), FAIRLEAD_EINPUT, "hold", "must be true or false, not a number", "" },
	{ JOB(",\"output\":\"log\""), FAIRLEAD_EINPUT, "output", "'log' does not begin with '/'",
	  "" },
	{ JOB(",\"output\":\"/log-%A\""), FAIRLEAD_EINPUT, "output",
	  "'%A' in it is not known; after % comes j, t, a or %", "" },
	{ JOB(",\"output\":\"/%%%\""), FAIRLEAD_EINPUT, "output", "'%' in it is not known", "" },
	{ JOB(",\"timeLimit\":\"1 hour\""), FAIRLEAD_EINPUT, "timeLimit", "is not a", "" },
	{ JOB(",\"timeLimit\":\"0s\""), FAIRLEAD_EINPUT, "timeLimit", "must be longer than 0", "" },
	{ JOB(",\"grace\":30"), FAIRLEAD_EINPUT, "grace",
	  "must be a length of time such as \"1h30m\", not a number", "" },
	{ JOB(",\"signal\":\"STOP\""), FAIRLEAD_EINPUT, "signal",
	  "'STOP' is none of HUP, INT, KILL, QUIT, TERM, USR1 and USR2", "" },
	{ JOB(",\"after\":12"), FAIRLEAD_EINPUT, "after", "must be a list, not a number", "" },
	{ JOB(",\"after\":[{\"job\":1},{\"job\":0}]"), FAIRLEAD_EINPUT, "after[1] job",
	  "0 is not from 1 to", "" },
	{ JOB(",\"after\":[{}]"), FAIRLEAD_EINPUT, "after[0]", "job is missing", "" },
	{ JOB(",\"after\":[12]"), FAIRLEAD_EINPUT, "after[0]",
	  "must be an object such as {\"job\": 12, \"when\": \"ok\"}, not a number", "" },
	{ JOB(",\"after\":[{\"job\":1,\"when\":\"maybe\"}]"), FAIRLEAD_EINPUT, "after[0] when",
	  "is none of ok, failed, any and begun", "" },
	{ JOB(",\"after\":[{\"job\":1,\"how\":1}]"), FAIRLEAD_EINPUT, "after[0]",
	  "there is no field 'how' here; the fields are job and when", "" },
	{ JOB(",\"after\":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]"), FAIRLEAD_ELIMIT, "after",
	  "has 17 entries; a job can wait for at most 16 others", "" },
	{ JOB(",\"environment\":{\"A=B\":\"x\"}"), FAIRLEAD_EINPUT, "environment",
	  "'A=B' is not the name of a variable", "" },
	{ JOB(",\"environment\":{\"\":\"x\"}"), FAIRLEAD_EINPUT, "environment",
	  "'' is not the name of a variable", "" },
	{ JOB(",\"environment\":{\"A\":1}"), FAIRLEAD_EINPUT, "environment.A",
	  "must be a text, not a number", "" },
	{ "{\"command\":[1]}", FAIRLEAD_EINPUT, "command[0]", "must be a text, not a number", "" },
	{ "{\"command\":[]}", FAIRLEAD_EINPUT, "command", "names no program", "" },
	{ "{\"command\":[\"\"]}", FAIRLEAD_EINPUT, "command", "names no program", "" },
	{ "{\"command\":\"ls -l\"}", FAIRLEAD_EINPUT, "command",
	  "must be a list of texts, not a text", "" },
};

TEST(test_refuses)
{
	for (size_t i = 0; i < COUNT(bad); i++) {
		struct fl_job_document d = { .copies = 77 };
		fairlead_error err = { 0 };

		CHECK(fl_job_parse(bad[i].text, strlen(bad[i].text), FL_JOB_SUBMITTED, &d, &err) ==
			      bad[i].code,
		      bad[i].text);
		if (!strstr(err.text, bad[i].error) || strcmp(err.subject, bad[i].subject) != 0 ||
		    !strstr(err.hint, bad[i].hint))
			fail_msg("%s: '%s' '%s' '%s'", bad[i].text, err.subject, err.text,
				 err.hint);
		CHECK(d.copies == 77, bad[i].text);
	}
}

/* Command and environment together, to the byte. */
TEST(test_arguments)
{
	size_t most = FL_JOB_ARGUMENTS - strlen("true") - 1 - strlen("A=") - 1;
	char *text = malloc(FL_JOB_ARGUMENTS + 200), *value = malloc(most + 2);

	assert_true(text && value);
	memset(value, 'x', most + 1);
	for (size_t more = 0; more < 2; more++) {
		struct fl_job_document d;
		fairlead_error err = { 0 };

		value[most + more] = '\0';
		sprintf(text, JOB(",\"environment\":{\"A\":\"%s\"}"), value);
		int rc = fl_job_parse(text, strlen(text), FL_JOB_SUBMITTED, &d, &err);
		assert_int_equal(rc, more ? FAIRLEAD_ELIMIT : 0);
		if (rc == 0) {
			assert_int_equal(d.spec.command_len + d.spec.environment_len,
					 FL_JOB_ARGUMENTS);
			fl_job_document_done(&d);
		} else {
			assert_string_equal(err.subject, "environment");
			assert_string_equal(
				err.text,
				"command, hooks and environment together have more than 131072 "
				"bytes");
		}
		value[most + more] = 'x';
	}
	free(text);
	free(value);
}

TEST(test_words)
{
	static const fl_time lengths[] = {
		0, 1, 1500, FL_SECOND, 90 * FL_SECOND, 86400 * FL_SECOND + 1, FL_NEVER - 1,
	};
	char buffer[64];

	assert_int_equal(fl_job_signal("USR1"), fl_job_signal("SIGUSR1"));
	assert_int_equal(fl_job_signal("SIG"), 0);
	assert_string_equal(fl_job_signal_name(fl_job_signal("HUP")), "HUP");
	assert_null(fl_job_signal_name(0));
	assert_string_equal(fl_job_period(90 * FL_SECOND, buffer), "1m30s");
	for (size_t i = 0; i < COUNT(lengths); i++) {
		char text[512];
		struct fl_job_document d;

		snprintf(text, sizeof(text), JOB(",\"grace\":\"%s\""),
			 fl_job_period(lengths[i], buffer));
		assert_int_equal(fl_job_parse(text, strlen(text), FL_JOB_SUBMITTED, &d, NULL), 0);
		assert_int_equal(d.spec.grace, lengths[i]);
		fl_job_document_done(&d);
	}
}

/* Programs of before took more names: what they have stored is read, but not taken again. */
TEST(test_stored_before)
{
	static const char *const names[] = { "a\\u200bb", "\\ud83d\\udc69\\u200d\\ud83d\\udcbb" };

	for (size_t i = 0; i < COUNT(names); i++) {
		struct fl_job_document d;
		fairlead_error err;
		char text[300];

		(void)snprintf(text, sizeof text,
			       "{\"queue\":\"q\",\"command\":[\"true\"],\"directory\":\"/\","
			       "\"name\":\"%s\",\"labels\":{\"team\":\"%s\"}}",
			       names[i], names[i]);
		assert_int_equal(fl_job_parse(text, strlen(text), FL_JOB_SUBMITTED, &d, &err),
				 FAIRLEAD_EINPUT);
		assert_int_equal(fl_job_parse(text, strlen(text), FL_JOB_STORED, &d, &err), 0);
		assert_string_equal(d.spec.name, d.spec.labels[0].value);
		fl_job_document_done(&d);
	}
}

UNIT_GROUP("job-json")
