/* SPDX-License-Identifier: Apache-2.0 */
#include "report/job/columns.h"

#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "report/job/words.h"
#include "report/out/table.h"

/* --- what there is --- */

typedef const char *text_of(const json_t *job, const char *key, fl_time now,
			    char buffer[FL_JOB_WORDS]);

struct fl_job_column {
	const char *name;
	const char *letters; /* squeue's */
	const char *title;
	unsigned flags; /* FL_COL_... */
	text_of *text;
	const char *key; /* of the job in JSON */
};

static const char *word(const json_t *job, const char *key, fl_time now, char buffer[FL_JOB_WORDS])
{
	(void)now;
	snprintf(buffer, FL_JOB_WORDS, "%s", fl_json_word(job, key));
	return buffer;
}

/* A number that is null where there is none. */
static const char *whole(const json_t *job, const char *key, fl_time now, char buffer[FL_JOB_WORDS])
{
	const json_t *value = json_object_get(job, key);

	(void)now;
	snprintf(buffer, FL_JOB_WORDS, json_is_integer(value) ? "%lld" : "-",
		 (long long)json_integer_value(value));
	return buffer;
}

static const char *moment(const json_t *job, const char *key, fl_time now,
			  char buffer[FL_JOB_WORDS])
{
	(void)now;
	return fl_job_clock(fl_json_instant(job, key), buffer);
}

static const char *title(const json_t *job, const char *key, fl_time now, char buffer[FL_JOB_WORDS])
{
	(void)key, (void)now;
	return fl_job_title(job, buffer);
}

static const char *why(const json_t *job, const char *key, fl_time now, char buffer[FL_JOB_WORDS])
{
	(void)key, (void)now;
	return fl_job_why(job, buffer);
}

static const char *asks(const json_t *job, const char *key, fl_time now, char buffer[FL_JOB_WORDS])
{
	(void)key, (void)now;
	return fl_job_asks(job, buffer);
}

static const char *length(const json_t *job, const char *key, fl_time now,
			  char buffer[FL_JOB_WORDS])
{
	(void)key;
	return fl_job_time(job, now, buffer);
}

static const char *ended_as(const json_t *job, const char *key, fl_time now,
			    char buffer[FL_JOB_WORDS])
{
	const json_t *ended = json_object_get(job, key);

	(void)now;
	snprintf(buffer, FL_JOB_WORDS, json_is_object(ended) ? "%s %lld" : "-",
		 fl_json_word(ended, "kind"), (long long)fl_json_whole(ended, "status"));
	return buffer;
}

/* Of all its tasks; @key: the end of the resource's name. */
static const char *total(const json_t *job, const char *key, fl_time now, char buffer[FL_JOB_WORDS])
{
	int64_t tasks = fl_json_whole(job, "tasks");
	json_t *requests = json_object_get(job, "requests"), *value;
	const char *name;
	double sum = 0;

	(void)now;
	json_object_foreach(requests, name, value) if (strcmp(fl_job_resource(name), key) == 0)
		sum += fl_json_units(requests, name);
	sum *= (double)(tasks > 1 ? tasks : 1);
	if (strcmp(key, "memory") == 0)
		fl_report_bytes(sum, 0, buffer);
	else
		snprintf(buffer, FL_JOB_WORDS, "%.6g", sum);
	return sum > 0 ? buffer : "-";
}

/* When it started, or will start as far as that is foreseen. */
static const char *start(const json_t *job, const char *key, fl_time now, char buffer[FL_JOB_WORDS])
{
	static const struct {
		const char *state, *text;
	} words[] = {
		{ "Fits", "soon" },
		{ "Beyond", "later than is foreseen" },
		{ "Never", "never as things are" },
		{ "Unknown", "not known" },
	};
	const json_t *expected = json_object_get(job, "expected");
	const char *state = fl_json_word(expected, "state");

	(void)key, (void)now;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strcmp(state, words[i].state) == 0)
			return words[i].text;
	return fl_job_clock(
		fl_json_instant(*state ? expected : job, *state ? "start" : "startedAt"), buffer);
}

static const char *between(const json_t *job, const char *key, fl_time now,
			   char buffer[FL_JOB_WORDS])
{
	const json_t *expected = json_object_get(job, "expected");
	fl_time from = fl_json_instant(expected, "from"), to = fl_json_instant(expected, "to");
	char a[40], b[40];

	(void)key, (void)now;
	if (from == FL_TIME_NONE)
		return "-";
	fl_job_clock(from, a);
	fl_job_clock(to, b);
	snprintf(buffer, FL_JOB_WORDS, "%s to %s", a,
		 to == FL_TIME_NONE                      ? "later than is foreseen" :
		 memcmp(a, b, strlen("2026-01-01")) == 0 ? b + strlen("2026-01-01 ") :
							   b);
	return buffer;
}

static const struct fl_job_column columns[] = {
	{ "id", "iA", "JOB", FL_COL_RIGHT, whole, "id" },
	{ "name", "j", "NAME", FL_COL_WRAP, title, NULL },
	{ "queue", "P", "QUEUE", FL_COL_WRAP, word, "queue" },
	{ "user", "u", "USER", 0, word, "user" },
	{ "state", "Tt", "STATE", 0, word, "state" },
	{ "time", "M", "TIME", FL_COL_RIGHT, length, NULL },
	{ "asks", "", "ASKS FOR", FL_COL_WRAP, asks, NULL },
	{ "why", "Rr", "WHY", FL_COL_WRAP, why, NULL },
	{ "reason", "", "REASON", FL_COL_WRAP, word, "reason" },
	{ "start", "S", "START (UTC)", 0, start, NULL },
	{ "between", "", "4 OF 5 TIMES", FL_COL_WRAP, between, NULL },
	{ "priority", "Qp", "PRIORITY", FL_COL_RIGHT, whole, "priority" },
	{ "tasks", "", "TASKS", FL_COL_RIGHT, whole, "tasks" },
	{ "cpu", "C", "CPU", FL_COL_RIGHT, total, "cpu" },
	{ "memory", "m", "MEMORY", FL_COL_RIGHT, total, "memory" },
	{ "gpu", "b", "GPU", FL_COL_RIGHT, total, "gpu" },
	{ "array", "F", "ARRAY", FL_COL_RIGHT, whole, "array" },
	{ "index", "K", "INDEX", FL_COL_RIGHT, whole, "arrayIndex" },
	{ "submitted", "V", "SUBMITTED (UTC)", 0, moment, "submittedAt" },
	{ "started", "", "STARTED (UTC)", 0, moment, "startedAt" },
	{ "ended", "e", "ENDED (UTC)", 0, moment, "endedAt" },
	{ "exit", "", "EXIT", 0, ended_as, "exit" },
	{ "attempt", "", "ATTEMPT", FL_COL_RIGHT, whole, "attempt" },
	{ "evictions", "", "EVICTIONS", FL_COL_RIGHT, whole, "evictions" },
	{ "losses", "", "LOSSES", FL_COL_RIGHT, whole, "losses" },
};
enum { ALL = sizeof columns / sizeof *columns };

static bool needs_forecast(const struct fl_job_column *c)
{
	return c->text == start || c->text == between;
}

/* --- reading a format --- */

static int add(struct fl_job_format *f, const struct fl_job_item *item, fairlead_error *err)
{
	if (f->n == FL_JOB_COLUMNS)
		return fl_fail(err, FAIRLEAD_EINPUT, "more than %d columns", FL_JOB_COLUMNS);
	f->items[f->n++] = *item;
	f->starts |= needs_forecast(item->column);
	return 0;
}

/* A width at *@at, which is moved behind it. */
static int take_width(const char **at, unsigned *ret, fairlead_error *err)
{
	size_t digits = strspn(*at, "0123456789");
	unsigned long width = digits > 0 && digits < 6 ? strtoul(*at, NULL, 10) : 0;

	if (width < 1 || width > FL_JOB_WIDEST)
		return fl_fail(err, FAIRLEAD_EINPUT, "'%.*s' is not a width from 1 to %d",
			       (int)(digits ? digits : strcspn(*at, ",")), *at, FL_JOB_WIDEST);
	*ret = (unsigned)width;
	*at += digits;
	return 0;
}

static int unknown_name(const char *name, fairlead_error *err)
{
	struct fl_nearest near = { .wanted = name };
	char text[1600] = "";

	for (unsigned i = 0; i < ALL; i++)
		fl_nearest_offer(&near, columns[i].name);
	if (near.n)
		return fl_fail(err, FAIRLEAD_EINPUT, "'%s' is not a column; did you mean %s?", name,
			       fl_nearest_text(&near, text, sizeof text));
	for (unsigned i = 0; i < ALL; i++)
		snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? ", " : "",
			 columns[i].name);
	return fl_fail(err, FAIRLEAD_EINPUT, "'%s' is not a column; there are %s", name, text);
}

/* "why:40", up to a comma or the end. */
static int take_name(const char **at, struct fl_job_item *item, fairlead_error *err)
{
	size_t len = strcspn(*at, ":,");
	char name[64];

	snprintf(name, sizeof name, "%.*s", (int)(len < 60 ? len : 60), *at);
	for (unsigned i = 0; i < ALL && !item->column; i++)
		if (strcmp(columns[i].name, name) == 0)
			item->column = &columns[i];
	if (len == 0)
		return fl_fail(err, FAIRLEAD_EINPUT, "a column is missing");
	if (!item->column)
		return unknown_name(name, err);
	*at += len;
	if (**at == ':') {
		++*at;
		int rc = take_width(at, &item->width, err);

		if (rc < 0)
			return rc;
	}
	if (**at && **at != ',')
		return fl_fail(err, FAIRLEAD_EINPUT, "after '%s' comes a comma or :WIDTH", name);
	return 0;
}

/* "%.8i" */
static int take_letter(const char **at, struct fl_job_item *item, fairlead_error *err)
{
	++*at;
	item->right = **at == '.';
	*at += item->right;
	if (item->right || (**at >= '0' && **at <= '9')) {
		int rc = take_width(at, &item->width, err);

		if (rc < 0)
			return rc;
	}
	for (unsigned i = 0; i < ALL && **at; i++)
		if (strchr(columns[i].letters, **at))
			item->column = &columns[i];
	if (!**at)
		return fl_fail(err, FAIRLEAD_EINPUT, "after the last %% a letter is missing");
	if (!item->column) {
		fl_fail(err, FAIRLEAD_EINPUT,
			"%%%c is none of the letters of squeue that are "
			"understood here: i A j P u T t M R r S Q p C m b F K V e",
			**at >= ' ' && **at < 127 ? **at : '?');
		return FAIRLEAD_EINPUT;
	}
	++*at;
	return 0;
}

int fl_job_format_parse(const char *text, struct fl_job_format *ret, fairlead_error *err)
{
	struct fl_job_format f = { .lines = strchr(text, '%') };
	int rc = 0;

	while (rc == 0) {
		size_t len = f.lines ? strcspn(text, "%") : 0;
		struct fl_job_item item = { .before = text, .before_len = (unsigned)len };

		f.rest = text;
		text += len;
		if (f.lines && !*text)
			break;
		rc = f.lines ? take_letter(&text, &item, err) : take_name(&text, &item, err);
		if (rc == 0)
			rc = add(&f, &item, err);
		if (!f.lines && rc == 0 && *text++ == '\0')
			break;
	}
	if (rc == 0)
		*ret = f;
	return rc;
}

/* --- writing --- */

/* Bytes of the first @width characters of @text; 0: all. */
static size_t bytes_of(const char *text, unsigned width, unsigned *ret_characters)
{
	unsigned n = 0;
	size_t at = 0;

	for (; text[at] && (width == 0 || n < width); n++)
		for (at++; ((unsigned char)text[at] & 0xc0) == 0x80;)
			at++;
	*ret_characters = n;
	return at;
}

/* Text of the format: tabs stay. */
static void put_between(const struct fl_report *r, const char *text, size_t len)
{
	while (len > 0) {
		size_t n = 0;

		while (n < len && text[n] != '\t')
			n++;
		fl_report_put_clean(r->out, text, n);
		if (n < len)
			putc('\t', r->out);
		n += n < len;
		text += n;
		len -= n;
	}
}

static void put_item(const struct fl_report *r, const struct fl_job_item *item, const char *text)
{
	unsigned characters, pad;
	size_t len = bytes_of(text, item->width, &characters);

	pad = item->width > characters ? item->width - characters : 0;
	put_between(r, item->before, item->before_len);
	if (item->right)
		fprintf(r->out, "%*s", (int)pad, "");
	fl_report_put_clean(r->out, text, len);
	if (!item->right)
		fprintf(r->out, "%*s", (int)pad, "");
}

/* @job NULL: the heads. */
static void put_line(const struct fl_report *r, const struct fl_job_format *f, const json_t *job,
		     fl_time now)
{
	char buffer[FL_JOB_WORDS];

	for (unsigned i = 0; i < f->n; i++) {
		const struct fl_job_column *c = f->items[i].column;

		put_item(r, &f->items[i], job ? c->text(job, c->key, now, buffer) : c->title);
	}
	put_between(r, f->rest, strlen(f->rest));
	putc('\n', r->out);
}

static int put_table(const struct fl_report *r, const struct fl_job_format *f, const json_t *jobs,
		     fl_time now, fairlead_error *err)
{
	struct fl_column_head heads[FL_JOB_COLUMNS];
	char(*buffers)[FL_JOB_WORDS] = calloc(FL_JOB_COLUMNS, sizeof *buffers);
	const char *texts[FL_JOB_COLUMNS];
	struct fl_table *t;

	if (!buffers)
		return fl_fail_nomem(err);
	for (unsigned i = 0; i < f->n; i++)
		heads[i] = (struct fl_column_head){ f->items[i].column->title,
						    f->items[i].column->flags, 0 };
	int rc = fl_table_begin(r, heads, f->n, &t, err);
	for (size_t k = 0; k < json_array_size(jobs) && rc == 0; k++) {
		for (unsigned i = 0; i < f->n; i++) {
			const struct fl_job_item *item = &f->items[i];
			unsigned characters;

			texts[i] = item->column->text(json_array_get(jobs, k), item->column->key,
						      now, buffers[i]);
			if (texts[i] == buffers[i])
				buffers[i][bytes_of(texts[i], item->width, &characters)] = '\0';
		}
		rc = fl_table_texts(t, texts, f->n, err);
	}
	rc = fl_table_end(t, rc, err);
	free(buffers);
	return rc;
}

int fl_job_format_text(const struct fl_report *r, const struct fl_job_format *f, const json_t *jobs,
		       fl_time now, bool heads, fairlead_error *err)
{
	if (!f->lines)
		return put_table(r, f, jobs, now, err);
	if (heads)
		put_line(r, f, /* job= */ NULL, now);
	for (size_t i = 0; i < json_array_size(jobs); i++)
		put_line(r, f, json_array_get(jobs, i), now);
	return 0;
}
