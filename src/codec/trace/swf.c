/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Standard Workload Format 2.2: a line for each job, 18 numbers, -1 for an unknown one; above them
 * lines that begin with ';' and describe the machine.
 *
 * A job has as many pods of one core as it asked processors for (or used, if that is not known),
 * each with the memory that it asked for (or used).  Jobs that failed, or were cancelled while they
 * ran, count with the time that they ran.  A job that was cancelled before never ran: it arrives if
 * the source's `cancelled` is true, leaves after the time that it was pending then, and would run
 * for the time that it asked for.  Lines for parts of a job (status 2 to 4) are left out, as there
 * is a line for the whole job.
 */
#include "codec/trace/swf.h"

#include <stdio.h>
#include <string.h>

#include "codec/trace/jobs.h"
#include "codec/trace/tracer.h"

enum field {
	JOB,
	SUBMIT,
	WAIT,
	RUN,
	USED,
	CPU_TIME,
	USED_MEMORY,
	ASKED,
	ASKED_TIME,
	ASKED_MEMORY,
	STATUS,
	USER,
	GROUP,
	APPLICATION,
	QUEUE,
	PARTITION,
	PRECEDING,
	THINK,
	FIELDS
};

static const char *const names[FIELDS] = {
	"job number",     "submit time",      "wait time",   "run time",
	"processors",     "cpu time",         "memory used", "processors asked for",
	"time asked for", "memory asked for", "status",      "user",
	"group",          "application",      "queue",       "partition",
	"preceding job",  "think time",
};

#define UNKNOWN (-FL_SECOND)

enum status { FAILED, COMPLETED, PART, LAST_PART, LAST_PART_FAILED, CANCELLED };

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

static const char *behind_blanks(const char *at, const char *end)
{
	while (at < end && is_blank(*at))
		at++;
	return at;
}

static int64_t whole(int64_t field) { return field / FL_SECOND; }

static bool is_part(const int64_t *f)
{
	int64_t status = whole(f[STATUS]);

	return status == PART || status == LAST_PART || status == LAST_PART_FAILED;
}

/* Reads all 18 fields, in units of 10^-9; *where is the second one. */
static int read_fields(struct fl_tracer *t, const char *at, int64_t *fields, const char **where)
{
	const char *end = t->lines.end;
	fairlead_error own;

	for (int i = 0; i < FIELDS; i++) {
		const char *from = at = behind_blanks(at, end);

		while (at < end && !is_blank(*at))
			at++;
		if (at == from)
			return fl_tracer_fail(t, at, "%d fields, a job has %d", i, FIELDS);
		if (i == SUBMIT)
			*where = from;
		if (fl_lines_number(from, at, &fields[i], &own) < 0)
			return fl_tracer_fail(t, from, "field %d, %s: '%.*s' %s", i + 1, names[i],
					      (int)(at - from > 40 ? 40 : at - from), from,
					      own.text);
		if (fields[i] < 0 && fields[i] != UNKNOWN)
			return fl_tracer_fail(t, from, "field %d, %s: '%.*s' is below 0", i + 1,
					      names[i], (int)(at - from), from);
	}
	at = behind_blanks(at, end);
	if (at < end)
		return fl_tracer_fail(t, at, "more than %d fields", FIELDS);
	/* Of the parts of a job only the first has the arrival of the job. */
	if (fields[SUBMIT] < 0 && is_part(fields) && t->last != FL_TIME_NONE)
		fields[SUBMIT] = t->last;
	if (fields[JOB] < 0 || fields[SUBMIT] < 0)
		return fl_tracer_fail(t, t->lines.text, "a job without %s",
				      names[fields[JOB] < 0 ? JOB : SUBMIT]);
	return 0;
}

static bool is_cancelled(const int64_t *f)
{
	return whole(f[STATUS]) == CANCELLED && (f[RUN] <= 0 || f[USED] <= 0);
}

static fl_time known(int64_t field) { return field < 0 ? FL_TIME_NONE : field; }

/* Its run time, time until it gives up, and size; or why it is left out. */
static enum fl_trace_odd describe(const struct fl_tracer *t, const int64_t *f,
				  struct fl_trace_job *job)
{
	bool cancelled = is_cancelled(f);
	int64_t pods = whole(f[ASKED] > 0 ? f[ASKED] : f[USED]);
	int64_t kib = whole(f[ASKED_MEMORY] > 0 ? f[ASKED_MEMORY] : f[USED_MEMORY]);

	if (is_part(f))
		return FL_ODD_PARTIAL;
	if (cancelled && !t->m->traces[t->trace].cancelled)
		return FL_ODD_CANCELLED;
	if (pods <= 0)
		return FL_ODD_NO_SIZE;
	job->asked = f[ASKED_TIME] > 0 ? f[ASKED_TIME] : FL_TIME_NONE;
	job->runs = cancelled ? job->asked : known(f[RUN]);
	if (job->runs == FL_TIME_NONE)
		return FL_ODD_NO_RUN_TIME;
	/* The time until then may be in either field. */
	job->stays = !cancelled ? FL_NEVER :
				  (f[WAIT] > 0 ? f[WAIT] : 0) + (f[RUN] > 0 ? f[RUN] : 0);
	job->waited = cancelled ? FL_TIME_NONE : known(f[WAIT]);
	job->shape = (struct fl_trace_shape){ .pods = (int32_t)pods,
					      .cpu = 1000,
					      .memory = kib > 0 ? kib * 1024 : 0 };
	return FL_ODDS;
}

/* "7", or NULL when it is not known. */
static const char *number(char buffer[16], int64_t field)
{
	if (field < 0)
		return NULL;
	(void)snprintf(buffer, 16, "%d", (int)whole(field));
	return buffer;
}

static int read_job(struct fl_tracer *t, const char *at)
{
	char user[16], group[16], queue[16], partition[16], name[48];
	struct fl_trace_job job = { .stays = FL_NEVER };
	int64_t f[FIELDS];
	const char *where = at;
	enum fl_trace_odd odd;
	int r = read_fields(t, at, f, &where);

	if (r < 0)
		return r;
	r = fl_tracer_counts(t, where, f[SUBMIT]);
	if (r != 0)
		return r == 1 ? 0 : r;
	odd = describe(t, f, &job);
	if (odd != FL_ODDS) {
		t->odd[odd]++;
		return 0;
	}
	job.came = f[SUBMIT];
	job.owner = (struct fl_trace_owner){ number(user, f[USER]), number(group, f[GROUP]),
					     number(queue, f[QUEUE]),
					     number(partition, f[PARTITION]) };
	if (t->trace)
		(void)snprintf(name, sizeof name, "t%u-job-%d", t->trace + 1, (int)whole(f[JOB]));
	else
		(void)snprintf(name, sizeof name, "job-%d", (int)whole(f[JOB]));
	r = fl_model_sym(t->m, name, strlen(name), &job.name, t->err);
	return r < 0 ? r : fl_tracer_add(t, &job);
}

/* --- the head --- */

/* The value after "Key:", without blanks around; NULL when the line has another key. */
static const char *value_of(const char *at, const char *end, const char *key, size_t *ret_len)
{
	size_t len = strlen(key);

	if ((size_t)(end - at) <= len || memcmp(at, key, len) != 0 || at[len] != ':')
		return NULL;
	at = behind_blanks(at + len + 1, end);
	while (end > at && is_blank(end[-1]))
		end--;
	*ret_len = (size_t)(end - at);
	return at;
}

/* The description of the log in reports. */
static int keep(struct fl_tracer *t, const char *key, const char *value, size_t len)
{
	struct fl_log_row row = { .trace = t->trace };
	int r = fl_model_sym(t->m, key, strlen(key), &row.key, t->err);

	if (r == 0)
		r = fl_model_sym(t->m, value, len, &row.value, t->err);
	return r < 0 ? r : fl_model_push_logs(t->m, &row, /* ret_id= */ NULL, t->err);
}

static int read_remark(struct fl_tracer *t, const char *at)
{
	static const char *const kept[] = { "Computer",      "Installation", "Acknowledge",
					    "UnixStartTime", "TimeZone",     "TimeZoneString",
					    "MaxNodes",      "MaxProcs" };
	const char *end = t->lines.end, *value;
	fairlead_error own;
	size_t len;

	at = behind_blanks(at + 1, end);
	for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
		int64_t start;

		value = value_of(at, end, kept[i], &len);
		if (!value)
			continue;
		if (strcmp(kept[i], "UnixStartTime") == 0) {
			if (fl_lines_number(value, value + len, &start, &own) < 0)
				return fl_tracer_fail(t, value, "UnixStartTime '%.*s' %s",
						      (int)(len > 40 ? 40 : len), value, own.text);
			t->clock = start > 0 ? start : FL_TIME_NONE;
		}
		return keep(t, kept[i], value, len);
	}
	return 0;
}

int fl_swf_read(struct fl_tracer *t)
{
	bool jobs = false;
	int r;

	while ((r = fl_tracer_line(t)) == 0) {
		const char *at = behind_blanks(t->lines.text, t->lines.end);

		if (at == t->lines.end)
			continue;
		if (*at == ';' && !jobs)
			r = read_remark(t, at);
		else if (*at != ';')
			r = read_job(t, at);
		jobs |= *at != ';';
		if (r != 0)
			return r == 2 ? 0 : r;
	}
	if (r == 1 && !jobs)
		return fl_tracer_fail(t, t->lines.text, "no job in it");
	return r == 1 ? 0 : r;
}
