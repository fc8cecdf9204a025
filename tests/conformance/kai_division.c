/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kai_division - recorded divisions: fair shares, and requests rolled up
 */
#include <stdlib.h>

#include "decide/share/divide.h"
#include "kai.h"
#include "kai_read.h"

static void put_rows(FILE *out, const char *key, const struct kai_queues *queues,
		     const struct fl_bundle *rows)
{
	fprintf(out, "\"%s\":{", key);
	for (uint32_t i = 0; i < queues->n; i++) {
		/* Names of queues hold nothing that JSON would escape. */
		fprintf(out, "%s\"%s\":", i ? "," : "", queues->rows[i].name);
		kai_put_bundle(out, &rows[i]);
	}
	fputc('}', out);
}

static int divide(const struct kai_queues *queues, const struct fl_bundle *total, double k,
		  unsigned flags, FILE *out, fairlead_error *err)
{
	struct fl_divide_queue *rows = kai_alloc(queues->n, sizeof *rows);
	struct fl_bundle *request = kai_alloc(queues->n, sizeof *request);
	struct fl_bundle *usage = kai_alloc(queues->n, sizeof *usage);
	struct fl_bundle *fair_share = kai_alloc(queues->n, sizeof *fair_share);
	struct fl_divider *d;

	for (uint32_t i = 0; i < queues->n; i++) {
		rows[i] = kai_divide_row(&queues->rows[i]);
		request[i] = queues->rows[i].request;
		usage[i] = queues->rows[i].usage;
	}
	int rc = fl_divider_new(&fl_mem_heap, rows, queues->n, &d, err);

	if (rc == 0) {
		fl_divide_roll_up(d, request);
		fl_divide(d, total, k, request, usage, flags, /* sink= */ NULL, fair_share);
		fputc('{', out);
		put_rows(out, "fairShare", queues, fair_share);
		fputc(',', out);
		put_rows(out, "request", queues, request);
		fputc('}', out);
		fl_divider_free(d);
	}
	free(rows);
	free(request);
	free(usage);
	free(fair_share);
	return rc;
}

int kai_division_case(const struct fl_doc *d, FILE *out, fairlead_error *err)
{
	struct fl_bundle total = { { 0 } };
	struct kai_queues queues;
	double k = 0;
	int rc;

	if ((rc = kai_bundle(d, 0, "total", &total, err)) < 0 ||
	    (rc = kai_number(d, 0, "k", &k, err)) < 0 ||
	    (rc = kai_queues_read(d, &queues, err)) < 0)
		return rc;
	rc = divide(&queues, &total, k, kai_true(d, 0, "bounded") ? FL_DIVIDE_BOUNDED : 0, out,
		    err);
	kai_queues_free(&queues);
	return rc;
}
