/* SPDX-License-Identifier: Apache-2.0 */
#include "report/out/bundle_text.h"

#include <math.h>
#include <string.h>

/* GPUs first: they matter most. */
static const int shown[] = { FL_GPU, FL_CPU, FL_MEMORY };

const char *fl_bundle_name(int resource)
{
	static const char *const names[] = {
		[FL_CPU] = "cpu", [FL_MEMORY] = "memory", [FL_GPU] = "gpu"
	};

	return names[resource];
}

int fl_bundle_resource(const struct fl_model *m, struct fl_resource resource)
{
	int r = 0;

	while (r < FL_BUNDLE && m->axis[r].v != resource.v)
		r++;
	return r;
}

/* @decimals at most, without zeroes at the end. */
static void put_decimal(double value, int decimals, const char *unit, char buffer[32])
{
	int n = snprintf(buffer, 20, "%.*f", decimals, value);

	if (n >= 20) {
		snprintf(buffer, 32, "%.6g%s", value, unit);
		return;
	}
	if (memchr(buffer, '.', (size_t)n)) {
		while (buffer[n - 1] == '0')
			n--;
		n -= buffer[n - 1] == '.';
	}
	snprintf(buffer + n, 32 - (size_t)n, "%s", unit);
}

static void put_amount(const struct fl_report *r, int resource, double amount, int more,
		       char buffer[32])
{
	bool whole = amount == floor(amount) && fabs(amount) < 1e15;

	if (amount == FL_UNBOUNDED) {
		snprintf(buffer, 32, "unlimited");
	} else if (resource == FL_GPU) {
		put_decimal(amount, 3 + more, "", buffer);
	} else if (whole) {
		r->quantity(buffer, (fl_amount)amount, resource == FL_CPU, resource == FL_MEMORY);
		fl_report_shorten((fl_amount)amount, resource == FL_MEMORY, more, buffer);
	} else if (resource == FL_MEMORY) {
		fl_report_bytes(amount, more, buffer);
	} else {
		put_decimal(amount / 1000, 3 + more, "", buffer);
	}
}

const char *fl_bundle_amount(const struct fl_report *r, int resource, double amount,
			     char buffer[32])
{
	put_amount(r, resource, amount, /* more= */ 0, buffer);
	return buffer;
}

static bool blurred(const double *amounts, unsigned n, char (*texts)[32])
{
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < i; k++)
			if (amounts[i] != amounts[k] && strcmp(texts[i], texts[k]) == 0)
				return true;
	return false;
}

void fl_bundle_amounts(const struct fl_report *r, int resource, const double *amounts, unsigned n,
		       char (*ret)[32])
{
	for (int more = 0; more < 12; more += 3) {
		for (unsigned i = 0; i < n; i++)
			put_amount(r, resource, amounts[i], more, ret[i]);
		if (!blurred(amounts, n, ret))
			return;
	}
}

const char *fl_bundle_text(const struct fl_report *r, const struct fl_bundle *b, char *buffer,
			   size_t size)
{
	size_t at = 0;
	char text[32];

	snprintf(buffer, size, "nothing");
	for (unsigned i = 0; i < FL_BUNDLE && at < size; i++) {
		double amount = b->of[shown[i]];

		if (amount == 0)
			continue;
		int n = snprintf(buffer + at, size - at, "%s%s %s", at ? ", " : "",
				 fl_bundle_amount(r, shown[i], amount, text),
				 fl_bundle_name(shown[i]));
		at += (size_t)n;
	}
	return buffer;
}

void fl_json_bound(struct fl_json *j, const char *key, double amount)
{
	if (amount == FL_UNBOUNDED)
		fl_json_text(j, key, "unlimited");
	else
		fl_json_number(j, key, amount);
}

void fl_json_bundle(struct fl_json *j, const char *key, const struct fl_bundle *b)
{
	fl_json_object(j, key);
	for (unsigned i = 0; i < FL_BUNDLE; i++)
		fl_json_bound(j, fl_bundle_name(shown[i]), b->of[shown[i]]);
	fl_json_end_object(j);
}
