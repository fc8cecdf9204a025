/* SPDX-License-Identifier: Apache-2.0 */
#include "facts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec/text/reader.h"

static void add(struct facts *f, const char *format, ...) FL_PRINTF(2, 3);

static void add(struct facts *f, const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	if (f->n == f->cap) {
		f->cap = f->cap ? 2 * f->cap : 256;
		f->text = realloc(f->text, f->cap * sizeof *f->text);
	}
	if (f->text)
		f->text[f->n] = strdup(text);
	if (!f->text || !f->text[f->n]) {
		fputs("out of memory\n", stderr);
		exit(3);
	}
	f->n++;
}

void facts_free(struct facts *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->text[i]);
	free(f->text);
	*f = (struct facts){ .text = NULL };
}

static const char *workload_text(const struct fl_model *m, struct fl_workload w, char buffer[520])
{
	const struct fl_workload_row *row = &m->workloads[w.v];

	snprintf(buffer, 520, "%s/%s", fl_model_text(m, row->namespace),
		 fl_model_text(m, row->name));
	return buffer;
}

static void add_admitted(struct facts *f, const struct fl_model *m, const struct fl_decisions *d,
			 const struct fl_decision *row)
{
	const struct fl_workload_row *w = &m->workloads[row->workload.v];
	char name[520];

	workload_text(m, row->workload, name);
	add(f, "admitted %s", name);
	for (uint32_t i = 0; i < row->placement.n; i++) {
		const struct fl_placement *p = &d->placements[row->placement.first + i];

		if (p->resource.v == FL_NONE)
			continue;
		const struct fl_podset *podset = &m->podsets[w->podsets.first + p->podset];

		add(f, "admitted %s %s %d %s %s", name, fl_model_text(m, podset->name), p->count,
		    fl_model_text(m, m->resources[p->resource.v]),
		    fl_model_text(m, m->flavors[p->flavor.v].name));
	}
}

void facts_of_decisions(struct facts *f, const struct fl_model *m, const struct fl_decisions *d)
{
	char victim[520], preemptor[520];

	for (uint32_t i = 0; i < d->n; i++) {
		const struct fl_decision *row = &d->rows[i];

		if (row->kind == FL_ADMIT)
			add_admitted(f, m, d, row);
		else if (row->kind == FL_EVICT && !row->already_evicting)
			add(f, "preempted %s %s %s", workload_text(m, row->workload, victim),
			    workload_text(m, row->preemptor, preemptor),
			    fl_reason_name(row->reason));
	}
}

/* Members of one row that we care for. */
struct row {
	char workload[520], preemptor[520], reason[64];
	char podset[256], count[16];
	struct facts flavors; /* "podset count resource flavor", the first two filled in later */
};

static void copy(char *to, size_t size, const struct fl_token *t)
{
	size_t n = t->len < size ? t->len : size - 1;

	memcpy(to, t->text, n);
	to[n] = '\0';
}

static bool is(const struct fl_token *t, const char *text)
{
	return t->len == strlen(text) && memcmp(t->text, text, t->len) == 0;
}

/* {"cpu": "default", ...} */
static int read_flavors(struct fl_reader *r, struct row *row, fairlead_error *err)
{
	struct fl_token t;
	char resource[256], flavor[256];
	int rc = fl_reader_next(r, &t, err);

	while (rc == 0 && (rc = fl_reader_next(r, &t, err)) == 0 && t.kind == FL_TOKEN_KEY) {
		copy(resource, sizeof resource, &t);
		rc = fl_reader_next(r, &t, err);
		if (rc < 0)
			break;
		copy(flavor, sizeof flavor, &t);
		add(&row->flavors, "%s %s", resource, flavor);
	}
	return rc;
}

static int read_podset(struct fl_reader *r, struct facts *f, struct row *row, fairlead_error *err)
{
	struct fl_token t;
	int rc;

	while ((rc = fl_reader_next(r, &t, err)) == 0 && t.kind == FL_TOKEN_KEY) {
		bool name = is(&t, "name"), count = is(&t, "count");

		if (is(&t, "flavors")) {
			rc = read_flavors(r, row, err);
		} else if (name || count) {
			rc = fl_reader_next(r, &t, err);
			if (rc == 0 && name)
				copy(row->podset, sizeof row->podset, &t);
			else if (rc == 0)
				copy(row->count, sizeof row->count, &t);
		} else {
			rc = fl_reader_skip(r, err);
		}
		if (rc < 0)
			return rc;
	}
	for (size_t i = 0; i < row->flavors.n; i++)
		add(f, "%s %s %s", row->podset, row->count, row->flavors.text[i]);
	facts_free(&row->flavors);
	return rc;
}

/* Of every podset its "name count resource flavor" into @f. */
static int read_podsets(struct fl_reader *r, struct facts *f, struct row *row, fairlead_error *err)
{
	struct fl_token t;
	int rc = fl_reader_next(r, &t, err);

	if (rc < 0 || t.kind != FL_TOKEN_LIST)
		return rc;
	while ((rc = fl_reader_next(r, &t, err)) == 0 && t.kind == FL_TOKEN_MAP) {
		rc = read_podset(r, f, row, err);
		if (rc < 0)
			return rc;
	}
	return rc;
}

/* One row of a list, after its MAP. */
static int read_row(struct fl_reader *r, struct row *row, struct facts *podsets,
		    fairlead_error *err)
{
	struct fl_token t;
	int rc;

	while ((rc = fl_reader_next(r, &t, err)) == 0 && t.kind == FL_TOKEN_KEY) {
		char *to = is(&t, "workload")  ? row->workload :
			   is(&t, "preemptor") ? row->preemptor :
						 NULL;
		size_t size = sizeof row->workload;

		if (is(&t, "reason")) {
			to = row->reason;
			size = sizeof row->reason;
		}
		if (is(&t, "podSets")) {
			rc = read_podsets(r, podsets, row, err);
		} else if (to) {
			rc = fl_reader_next(r, &t, err);
			if (rc == 0)
				copy(to, size, &t);
		} else {
			rc = fl_reader_skip(r, err);
		}
		if (rc < 0)
			return rc;
	}
	return rc;
}

static int read_list(struct fl_reader *r, struct facts *f, bool admitted, fairlead_error *err)
{
	struct fl_token t;
	int rc = fl_reader_next(r, &t, err);

	if (rc < 0 || t.kind != FL_TOKEN_LIST) /* null is an empty list */
		return rc;
	while ((rc = fl_reader_next(r, &t, err)) == 0 && t.kind == FL_TOKEN_MAP) {
		struct row row = { .workload = "" };
		struct facts podsets = { .text = NULL };

		rc = read_row(r, &row, &podsets, err);
		if (admitted)
			add(f, "admitted %s", row.workload);
		else
			add(f, "preempted %s %s %s", row.workload, row.preemptor, row.reason);
		for (size_t i = 0; i < podsets.n; i++)
			add(f, "admitted %s %s", row.workload, podsets.text[i]);
		facts_free(&podsets);
		if (rc < 0)
			return rc;
	}
	return rc;
}

static int read_cycle(struct fl_reader *r, struct facts *f, fairlead_error *err)
{
	struct fl_token t;
	int rc;

	while ((rc = fl_reader_next(r, &t, err)) == 0 && t.kind == FL_TOKEN_KEY) {
		if (is(&t, "admitted") || is(&t, "preempted"))
			rc = read_list(r, f, is(&t, "admitted"), err);
		else
			rc = fl_reader_skip(r, err);
		if (rc < 0)
			return rc;
	}
	return rc;
}

/* DOCUMENT MAP "cycles" LIST MAP: the first cycle. */
static int find_cycle(struct fl_reader *r, struct facts *f, fairlead_error *err)
{
	struct fl_token t;
	int rc = fl_reader_next(r, &t, err);

	if (rc == 0)
		rc = fl_reader_next(r, &t, err);
	while (rc == 0 && (rc = fl_reader_next(r, &t, err)) == 0 && t.kind == FL_TOKEN_KEY) {
		if (!is(&t, "cycles")) {
			rc = fl_reader_skip(r, err);
			continue;
		}
		rc = fl_reader_next(r, &t, err);
		if (rc == 0)
			rc = fl_reader_next(r, &t, err);
		return rc < 0 ? rc : read_cycle(r, f, err);
	}
	return rc;
}

int facts_of_expected(struct facts *f, const char *text, size_t len, fairlead_error *err)
{
	struct fl_reader *r;
	int rc = fl_reader_new(&fl_mem_heap, text, len, &r, err);

	if (rc < 0)
		return rc;
	rc = find_cycle(r, f, err);
	fl_reader_free(r);
	return rc;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

bool facts_equal(struct facts *a, struct facts *b)
{
	if (a->n != b->n)
		return false;
	if (!a->n)
		return true;
	qsort(a->text, a->n, sizeof *a->text, by_text);
	qsort(b->text, b->n, sizeof *b->text, by_text);
	for (size_t i = 0; i < a->n; i++)
		if (strcmp(a->text[i], b->text[i]) != 0)
			return false;
	return true;
}
