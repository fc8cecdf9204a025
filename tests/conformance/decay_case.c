/* SPDX-License-Identifier: Apache-2.0 */
#include "decay_case.h"

#include <math.h>
#include <string.h>

#include "base/ids.h"
#include "codec/text/doc.h"
#include "codec/text/quantity.h"
#include "decide/share/decay.h"

enum { RESOURCES = 16 };

/* Resources in the order of their names, as usage sums them up. */
struct table {
	uint32_t n;
	const char *name[RESOURCES];
	double weight[RESOURCES];
	fl_nanos consumed[RESOURCES];
};

static int bad(const struct fl_doc *d, uint32_t v, const char *wanted, fairlead_error *err)
{
	char path[128];

	return fl_fail(err, FAIRLEAD_EINPUT, "%s is %s",
		       v == FL_NONE ? "something" : fl_doc_path(d, v, path, sizeof path), wanted);
}

/* A number or text of the line as billionths; seconds become nanoseconds, cores what they are here. */
static int get_nanos(const struct fl_doc *d, uint32_t v, fl_nanos *ret, fairlead_error *err)
{
	if (v == FL_NONE || d->values[v].kind != FL_TOKEN_SCALAR)
		return bad(d, v, "no quantity", err);
	return fl_quantity_parse_nanos(fl_doc_text(d, v), d->values[v].len, ret, err);
}

static int get_time(const struct fl_doc *d, uint32_t map, const char *key, fl_time *ret,
		    fairlead_error *err)
{
	fl_nanos nanos = 0;
	int r = get_nanos(d, fl_doc_find(d, map, key), &nanos, err);

	*ret = (fl_time)nanos;
	return r;
}

/* Where @name is in the table, put there when it is not. */
static int place_of(struct table *t, const char *name, uint32_t *ret, fairlead_error *err)
{
	uint32_t at = 0;

	while (at < t->n && strcmp(t->name[at], name) < 0)
		at++;
	*ret = at;
	if (at < t->n && strcmp(t->name[at], name) == 0)
		return 0;
	if (t->n == RESOURCES)
		return fl_fail(err, FAIRLEAD_ELIMIT, "more than %d resources", RESOURCES);
	for (uint32_t i = t->n++; i > at; i--) {
		t->name[i] = t->name[i - 1];
		t->weight[i] = t->weight[i - 1];
		t->consumed[i] = t->consumed[i - 1];
	}
	t->name[at] = name;
	t->weight[at] = 1;
	t->consumed[at] = 0;
	return 0;
}

typedef int take_entry(const struct fl_doc *d, uint32_t v, struct table *t, uint32_t at,
		       fairlead_error *err);

/* @take for each entry of map[key]; nothing when there is no such map. */
static int each(const struct fl_doc *d, uint32_t map, const char *key, struct table *t,
		take_entry *take, fairlead_error *err)
{
	uint32_t v = fl_doc_find(d, map, key), at = 0;
	int r = 0;

	if (v == FL_NONE)
		return 0;
	if (d->values[v].kind != FL_TOKEN_MAP)
		return bad(d, v, "no map", err);
	for (uint32_t k = v + 1; r == 0 && k < d->values[v].next; k = d->values[k].next)
		if ((r = place_of(t, fl_doc_text(d, k), &at, err)) == 0)
			r = take(d, k + 1, t, at, err);
	return r;
}

static int take_weight(const struct fl_doc *d, uint32_t v, struct table *t, uint32_t at,
		       fairlead_error *err)
{
	return fl_number_parse(fl_doc_text(d, v), d->values[v].len, &t->weight[at], err);
}

static int take_amount(const struct fl_doc *d, uint32_t v, struct table *t, uint32_t at,
		       fairlead_error *err)
{
	return get_nanos(d, v, &t->consumed[at], err);
}

/* The name becomes known, with nothing consumed. */
static int take_name(const struct fl_doc *d, uint32_t v, struct table *t, uint32_t at,
		     fairlead_error *err)
{
	(void)d;
	(void)v;
	(void)t;
	(void)at;
	(void)err;
	return 0;
}

static void put_amount(FILE *out, fl_nanos amount)
{
	/* At most 2^100: 31 digits. */
	char digits[48];
	size_t n = 0;

	do
		digits[n++] = (char)('0' + (int)(amount % 10));
	while ((amount /= 10) || n < 10);
	fputc('"', out);
	while (n-- > 0) {
		fputc(digits[n], out);
		if (n == 9)
			fputc('.', out);
	}
	fputc('"', out);
}

static void put_table(FILE *out, const struct table *t)
{
	fputc('{', out);
	for (uint32_t i = 0; i < t->n; i++) {
		/* Names of resources hold nothing that JSON would escape. */
		fprintf(out, "%s\"%s\":", i ? "," : "", t->name[i]);
		put_amount(out, t->consumed[i]);
	}
	fputc('}', out);
}

/* Amount of resource @name in map[key]; 0 when it is not there. */
static int amount_of(const struct fl_doc *d, uint32_t map, const char *key, const char *name,
		     fl_nanos *ret, fairlead_error *err)
{
	uint32_t v = fl_doc_find(d, fl_doc_find(d, map, key), name);

	*ret = 0;
	return v == FL_NONE ? 0 : get_nanos(d, v, ret, err);
}

static int step(const struct fl_doc *d, uint32_t map, fl_time half_life, struct table *t,
		fairlead_error *err)
{
	fl_time elapsed;
	int r;

	if ((r = get_time(d, map, "elapsedSeconds", &elapsed, err)) < 0 ||
	    (r = each(d, map, "admittedUsage", t, take_name, err)) < 0 ||
	    (r = each(d, map, "settledPenalty", t, take_name, err)) < 0)
		return r;
	for (uint32_t i = 0; i < t->n; i++) {
		fl_nanos used, penalty;

		if ((r = amount_of(d, map, "admittedUsage", t->name[i], &used, err)) < 0 ||
		    (r = amount_of(d, map, "settledPenalty", t->name[i], &penalty, err)) < 0)
			return r;
		t->consumed[i] = fl_decay_toward(fl_decay_over(elapsed, half_life), t->consumed[i],
						 used) +
				 penalty;
	}
	return 0;
}

static void put_usage(FILE *out, const struct table *t, double weight)
{
	double amounts[RESOURCES], usage;

	for (uint32_t i = 0; i < t->n; i++)
		amounts[i] = fl_decay_natural(t->consumed[i]);
	usage = fl_decay_usage(t->weight, amounts, t->n, weight);
	if (isinf(usage))
		fputs("\"+Inf\"", out);
	else
		fprintf(out, "\"%.17g\"", usage);
}

static int decay(const struct fl_doc *d, FILE *out, fairlead_error *err)
{
	uint32_t weight = fl_doc_find(d, 0, "localQueueWeight"), list = fl_doc_find(d, 0, "steps");
	struct table known = { 0 }, t = { 0 };
	double queue_weight = 1;
	fl_time half_life;
	int r;

	if ((r = get_time(d, 0, "halfLifeSeconds", &half_life, err)) < 0 ||
	    (r = each(d, 0, "resourceWeights", &known, take_weight, err)) < 0 ||
	    (r = each(d, 0, "oldConsumed", &t, take_amount, err)) < 0 ||
	    (weight != FL_NONE &&
	     (r = fl_quantity_parse_double(fl_doc_text(d, weight), d->values[weight].len,
					   &queue_weight, err)) < 0))
		return r;
	if (list == FL_NONE || d->values[list].kind != FL_TOKEN_LIST)
		return bad(d, list, "no list of steps", err);
	fputs("{\"steps\":[", out);
	for (uint32_t v = list + 1; v < d->values[list].next; v = d->values[v].next) {
		if ((r = step(d, v, half_life, &t, err)) < 0)
			return r;
		for (uint32_t i = 0; i < t.n; i++)
			for (uint32_t k = 0; k < known.n; k++)
				if (strcmp(t.name[i], known.name[k]) == 0)
					t.weight[i] = known.weight[k];
		fputs(v == list + 1 ? "{\"newConsumed\":" : ",{\"newConsumed\":", out);
		put_table(out, &t);
		fputs(",\"usage\":", out);
		put_usage(out, &t, queue_weight);
		fputc('}', out);
	}
	fputs("]}", out);
	return 0;
}

static int entry_penalty(const struct fl_doc *d, FILE *out, fairlead_error *err)
{
	fl_time half_life, interval;
	struct table t = { 0 };
	int r;

	if ((r = get_time(d, 0, "halfLifeSeconds", &half_life, err)) < 0 ||
	    (r = get_time(d, 0, "samplingIntervalSeconds", &interval, err)) < 0 ||
	    (r = each(d, 0, "totalRequests", &t, take_amount, err)) < 0)
		return r;
	for (uint32_t i = 0; i < t.n; i++)
		t.consumed[i] = fl_decay_scale(t.consumed[i],
					       fl_decay_over(interval, half_life).gained);
	fputs("{\"penalty\":", out);
	put_table(out, &t);
	fputc('}', out);
	return 0;
}

static int read_line(struct fl_doc *d, const char *line, size_t len, fairlead_error *err)
{
	struct fl_reader *r;
	struct fl_token t;
	int rc = fl_reader_new(&fl_mem_heap, line, len, &r, err);

	if (rc < 0)
		return rc;
	if ((rc = fl_reader_next(r, &t, err)) == 0 && (rc = fl_reader_next(r, &t, err)) == 0)
		rc = fl_doc_read(d, r, &t, err);
	fl_reader_free(r);
	return rc;
}

int decay_case(const char *line, size_t len, FILE *out, fairlead_error *err)
{
	struct fl_doc d;
	const char *kind;
	int r;

	fl_doc_init(&d, &fl_mem_heap);
	if ((r = read_line(&d, line, len, err)) == 0) {
		kind = fl_doc_text(&d, fl_doc_find(&d, 0, "kind"));
		if (strcmp(kind, "decay") == 0)
			r = decay(&d, out, err);
		else if (strcmp(kind, "entryPenalty") == 0)
			r = entry_penalty(&d, out, err);
		else
			r = fl_fail(err, FAIRLEAD_EINPUT, "no kind of case: '%s'", kind);
	}
	fl_doc_done(&d);
	return r;
}
