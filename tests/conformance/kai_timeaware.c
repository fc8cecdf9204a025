/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kai_timeaware - recorded usage over time, and recorded beginnings of windows
 *
 * The samples of a case are a second long, and its clock stands at the end of the last one.
 */
#include <string.h>

#include "base/time.h"
#include "decide/share/history.h"
#include "kai.h"
#include "kai_read.h"

enum { MAX_QUEUES = 64 };

struct usage_case {
	const struct fl_doc *d;
	uint32_t allocations, capacity; /* lists of as many items */
	const char *names[MAX_QUEUES];
	uint32_t n;
	fl_time now;
};

static int time_of(const struct fl_doc *d, const char *key, fl_time *ret, fairlead_error *err)
{
	const char *text = kai_text(d, 0, key);

	return fl_time_parse(text, strlen(text), ret, err);
}

static int seconds_of(const struct fl_doc *d, const char *key, fl_time *ret, fairlead_error *err)
{
	double seconds = 0;
	int rc = kai_number(d, 0, key, &seconds, err);

	*ret = (fl_time)(seconds * (double)FL_SECOND);
	return rc;
}

/* --- beginnings of windows --------------------------------------------------------------- */

static int window_start(const struct fl_usage_window *w, const struct fl_doc *d, FILE *out,
			fairlead_error *err)
{
	char buffer[40];
	fl_time now;
	int rc = time_of(d, "now", &now, err);

	if (rc == 0)
		fprintf(out, "{\"windowStart\":\"%s\"}",
			fl_time_format(buffer, fl_window_start(w, now)));
	return rc;
}

static int tumbling_case(const struct fl_doc *d, FILE *out, fairlead_error *err)
{
	struct fl_usage_window w = { .kind = FL_WINDOW_TUMBLING };
	int rc;

	if ((rc = seconds_of(d, "windowSeconds", &w.length, err)) < 0 ||
	    (rc = time_of(d, "start", &w.first, err)) < 0)
		return rc;
	return window_start(&w, d, out, err);
}

static int cron_case(const struct fl_doc *d, FILE *out, fairlead_error *err)
{
	struct fl_usage_window w = { .kind = FL_WINDOW_CRON };
	const char *text = kai_text(d, 0, "cron");
	int rc = fl_cron_parse(text, strlen(text), &w.cron, err);

	return rc < 0 ? rc : window_start(&w, d, out, err);
}

/* --- usage ------------------------------------------------------------------------------- */

static uint32_t queue_of(struct usage_case *c, const char *name)
{
	uint32_t q = 0;

	while (q < c->n && strcmp(c->names[q], name) != 0)
		q++;
	if (q == c->n && c->n < MAX_QUEUES)
		c->names[c->n++] = name;
	return q;
}

static int add(const struct usage_case *c, struct fl_history *h, fl_time to, uint32_t queue,
	       uint32_t map, const char *key, fairlead_error *err)
{
	struct fl_bundle amounts = { { 0 } };
	int rc = kai_bundle(c->d, map, key, &amounts, err);

	if (queue == MAX_QUEUES)
		return fl_fail(err, FAIRLEAD_ELIMIT, "more than %d queues", MAX_QUEUES);
	return rc < 0 ? rc : fl_history_add(h, c->now, to - FL_SECOND, to, queue, &amounts, err);
}

/* All samples, oldest first. */
static int fill(struct usage_case *c, struct fl_history *h, fairlead_error *err)
{
	const struct fl_doc *d = c->d;
	uint32_t size = c->capacity + 1;
	fl_time to = 0;

	for (uint32_t v = c->allocations + 1; v < d->values[c->allocations].next;
	     v = d->values[v].next) {
		struct fl_bundle capacity = { { 0 } };
		int rc;

		to += FL_SECOND;
		for (uint32_t k = v + 1; k < d->values[v].next; k = d->values[k].next)
			if ((rc = add(c, h, to, queue_of(c, fl_doc_text(d, k)), v,
				      fl_doc_text(d, k), err)) < 0)
				return rc;
		if (size >= d->values[c->capacity].next)
			return fl_fail(err, FAIRLEAD_EINPUT, "more samples than capacities");
		for (uint32_t r = 0; r < FL_BUNDLE; r++) {
			static const char *const keys[] = { "cpu", "memory", "gpu" };

			if ((rc = kai_number(d, size, keys[r], &capacity.of[r], err)) < 0)
				return rc;
		}
		if ((rc = fl_history_add(h, c->now, to - FL_SECOND, to, FL_NONE, &capacity, err)) <
		    0)
			return rc;
		size = d->values[size].next;
	}
	return 0;
}

static int usage_case(const struct fl_doc *d, FILE *out, fairlead_error *err)
{
	struct usage_case c = { .d = d,
				.allocations = fl_doc_find(d, 0, "allocations"),
				.capacity = fl_doc_find(d, 0, "capacity") };
	struct fl_history_settings settings = { .window.kind = FL_WINDOW_SLIDING };
	struct fl_bundle usage[MAX_QUEUES];
	struct fl_history *h;
	int rc;

	if (c.allocations == FL_NONE || c.capacity == FL_NONE)
		return fl_fail(err, FAIRLEAD_EINPUT, "no samples");
	for (uint32_t v = c.allocations + 1; v < d->values[c.allocations].next;
	     v = d->values[v].next)
		c.now += FL_SECOND;
	if ((rc = seconds_of(d, "windowSeconds", &settings.window.length, err)) < 0 ||
	    (rc = seconds_of(d, "halfLifeSeconds", &settings.half_life, err)) < 0 ||
	    (rc = fl_history_new(&fl_mem_heap, &settings, MAX_QUEUES, &h, err)) < 0)
		return rc;
	if ((rc = fill(&c, h, err)) == 0) {
		fl_history_usage(h, c.now, usage);
		fputs("{\"usage\":{", out);
		for (uint32_t q = 0; q < c.n; q++) {
			/* Names of queues hold nothing that JSON would escape. */
			fprintf(out, "%s\"%s\":", q ? "," : "", c.names[q]);
			kai_put_bundle(out, &usage[q]);
		}
		fputs("}}", out);
	}
	fl_history_free(h);
	return rc;
}

int kai_timeaware_case(const struct fl_doc *d, FILE *out, fairlead_error *err)
{
	const char *kind = kai_text(d, 0, "kind");

	if (strcmp(kind, "usage") == 0)
		return usage_case(d, out, err);
	if (strcmp(kind, "tumblingReset") == 0)
		return tumbling_case(d, out, err);
	if (strcmp(kind, "cronReset") == 0)
		return cron_case(d, out, err);
	return fl_fail(err, FAIRLEAD_EINPUT, "no kind of case: '%s'", kind);
}
