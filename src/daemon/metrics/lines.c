/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/metrics/lines.h"

#include <math.h>
#include <string.h>

/* Written one by one: a page has thousands of lines, and the daemon waits for it. */
static void put_bytes(const struct fl_rendering *r, const char *bytes, size_t n)
{
	(void)fwrite_unlocked(bytes, 1, n, r->out);
}

static void put_text(const struct fl_rendering *r, const char *text)
{
	put_bytes(r, text, strlen(text));
}

static void put_value(const struct fl_rendering *r, double v)
{
	char text[40];

	if (isinf(v))
		put_text(r, v > 0 ? "+Inf" : "-Inf");
	else if (v >= 0 && v < 1e15 && v == (double)(uint64_t)v) /* most values are whole numbers */
		put_bytes(r, text,
			  (size_t)snprintf(text, sizeof text, "%llu", (unsigned long long)v));
	else
		put_bytes(r, text, (size_t)snprintf(text, sizeof text, "%.17g", v));
	put_bytes(r, "\n", 1);
}

static void put_label(const struct fl_rendering *r, const char *separator, const char *name,
		      size_t len, const char *value)
{
	put_bytes(r, separator, 1);
	put_bytes(r, name, len);
	put_bytes(r, "=\"", 2);
	for (;;) {
		size_t plain = strcspn(value, "\n\"\\");

		put_bytes(r, value, plain);
		value += plain;
		if (!*value)
			break;
		put_bytes(r, "\\", 1);
		put_bytes(r, *value == '\n' ? "n" : value, 1);
		value++;
	}
	put_bytes(r, "\"", 1);
}

/* Label names are those of the row, in its order; @values as many. */
void fl_metrics_put(const struct fl_rendering *r, enum fl_metric id, const char *suffix,
		    const char *const *values, const char *le, double v)
{
	const struct fl_metric_row *row = &fl_metric_rows[id];
	const char *separator = "{";

	put_text(r, row->name);
	put_text(r, suffix);
	for (const char *at = row->labels; *at;) {
		size_t n = strcspn(at, ",");

		put_label(r, separator, at, n, *values++);
		separator = ",";
		at += n + (at[n] == ',');
	}
	if (le) {
		put_label(r, separator, "le", 2, le);
		separator = ",";
	}
	put_text(r, *separator == ',' ? "} " : " ");
	put_value(r, v);
}

void fl_metrics_put_plain(const struct fl_rendering *r, enum fl_metric id, double v)
{
	fl_metrics_put(r, id, "", NULL, NULL, v);
}

void fl_metrics_put_histogram(const struct fl_rendering *r, enum fl_metric id,
			      const char *const *values, const struct fl_histogram *h)
{
	uint64_t below = 0;

	for (uint32_t i = 0; i < h->n_bounds; i++) {
		char le[40];

		below += h->counts[i];
		(void)snprintf(le, sizeof le, "%g", (double)h->bounds[i] / (double)FL_SECOND);
		fl_metrics_put(r, id, "_bucket", values, le, (double)below);
	}
	fl_metrics_put(r, id, "_bucket", values, "+Inf", (double)h->n);
	fl_metrics_put(r, id, "_sum", values, NULL, h->sum);
	fl_metrics_put(r, id, "_count", values, NULL, (double)h->n);
}
