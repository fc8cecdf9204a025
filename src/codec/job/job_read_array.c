/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The indexes of an array: "0-99:2%10", "1,3,5-7".  Kept as a list of numbers, rising, once each,
 * as no array has more than FL_JOB_ARRAY of them.
 */
#include "codec/job/job_read_array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum variable { COUNT, MIN, MAX, STEP, VARIABLES };

static const char *const variables[VARIABLES] = {
	[COUNT] = "FAIRLEAD_ARRAY_COUNT",
	[MIN] = "FAIRLEAD_ARRAY_MIN",
	[MAX] = "FAIRLEAD_ARRAY_MAX",
	[STEP] = "FAIRLEAD_ARRAY_STEP",
};

/* A number of digits alone; *text moves behind it. False: none, or above @most. */
static bool take_digits(const char **text, uint32_t most, uint32_t *ret)
{
	size_t n = strspn(*text, "0123456789");
	uint64_t value = 0;

	if (n == 0 || n > 9)
		return false;
	for (size_t i = 0; i < n; i++)
		value = value * 10 + (uint64_t)((*text)[i] - '0');
	*text += n;
	*ret = (uint32_t)value;
	return value <= most;
}

static int fail(const char *text, const char *wrong, fairlead_error *err)
{
	fl_fail(err, FAIRLEAD_EINPUT, "'%.60s%s' %s", text, strlen(text) > 60 ? "..." : "", wrong);
	return fl_fail_hint(err, "write it like 0-99, 1,3,5-7, 0-99:2 or, with at most 10 at once, "
				 "0-99%%10");
}

static int too_many(const char *text, fairlead_error *err)
{
	return fl_fail(err, FAIRLEAD_ELIMIT, "'%.60s' has more than %d jobs", text, FL_JOB_ARRAY);
}

/* FIRST, FIRST-LAST or FIRST-LAST:STEP. */
struct range {
	uint32_t first, last, step;
};

static int take_range(const char *whole, const char **at, struct range *ret, fairlead_error *err)
{
	bool well = take_digits(at, FL_JOB_INDEX, &ret->first);

	ret->last = ret->first;
	ret->step = 1;
	if (well && **at == '-') {
		++*at;
		well = take_digits(at, FL_JOB_INDEX, &ret->last);
		if (well && **at == ':') {
			++*at;
			well = take_digits(at, FL_JOB_INDEX, &ret->step);
		}
	}
	if (!well || !strchr(",%", **at))
		return fail(whole, "is not a list of indexes up to 9999999", err);
	if (ret->last < ret->first)
		return fail(whole, "has a range that ends before it begins", err);
	return ret->step ? 0 : fail(whole, "has a step of 0", err);
}

static int add_range(struct fl_job_document *d, const char *whole, const struct range *r,
		     fairlead_error *err)
{
	uint32_t n = (r->last - r->first) / r->step + 1, *grown;

	if (n > FL_JOB_ARRAY || d->copies + n > FL_JOB_ARRAY)
		return too_many(whole, err);
	grown = realloc(d->indexes, (d->copies + n) * sizeof *grown);
	if (!grown)
		return fl_fail_nomem(err);
	d->indexes = grown;
	for (uint32_t i = 0; i < n; i++)
		grown[d->copies++] = r->first + i * r->step;
	return 0;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void sort_once(struct fl_job_document *d)
{
	uint32_t kept = 0;

	qsort(d->indexes, d->copies, sizeof *d->indexes, by_number);
	for (uint32_t i = 0; i < d->copies; i++)
		if (kept == 0 || d->indexes[kept - 1] != d->indexes[i])
			d->indexes[kept++] = d->indexes[i];
	d->copies = kept;
}

static int take_list(const char *text, struct fl_job_document *d, fairlead_error *err)
{
	const char *at = text;
	struct range r = { 0 };
	uint32_t n = 0;
	int rc;

	d->copies = 0;
	do {
		if ((rc = take_range(text, &at, &r, err)) < 0 ||
		    (rc = add_range(d, text, &r, err)) < 0)
			return rc;
		n++;
	} while (*at == ',' && at++);
	d->array_step = n == 1 ? r.step : 1;
	sort_once(d);
	if (*at == '%') {
		at++;
		if (!take_digits(&at, FL_JOB_INDEX, &d->spec.array_most) || *at ||
		    d->spec.array_most == 0)
			return fail(text, "does not end in a number of jobs behind %", err);
	}
	return 0;
}

int fl_job_take_array(json_t *json, struct fl_job_document *d, fairlead_error *err)
{
	const char *text = json_string_value(json);
	int64_t n = 0;
	int rc;

	if (text) {
		rc = take_list(text, d, err);
	} else if (json_is_integer(json)) {
		rc = fl_job_take_number(json, 1, FL_JOB_ARRAY, &n, err);
		d->copies = (uint32_t)n;
	} else {
		return fl_job_fail_type(json, "a number of jobs, or indexes such as \"0-99\"", err);
	}
	d->is_array = rc == 0;
	return rc;
}

bool fl_job_is_array_variable(const char *name)
{
	for (unsigned i = 0; i < VARIABLES; i++)
		if (strcmp(name, variables[i]) == 0)
			return true;
	return false;
}

int fl_job_add_array_variables(struct fl_job_document *d, fairlead_error *err)
{
	const uint32_t values[VARIABLES] = {
		[COUNT] = d->copies,
		[MIN] = d->indexes ? d->indexes[0] : 0,
		[MAX] = d->indexes ? d->indexes[d->copies - 1] : d->copies - 1,
		[STEP] = d->array_step ? d->array_step : 1,
	};
	int rc = 0;

	for (unsigned i = 0; i < VARIABLES && rc == 0; i++) {
		char text[16];

		snprintf(text, sizeof text, "%u", values[i]);
		rc = fl_job_add_text(d, variables[i], text, &d->spec.environment_len, err);
	}
	return rc;
}
