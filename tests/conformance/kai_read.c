/* SPDX-License-Identifier: Apache-2.0 */
#include "kai_read.h"

#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/time.h"
#include "codec/text/quantity.h"

static const char *const names[FL_BUNDLE] = {
	[FL_CPU] = "cpu", [FL_MEMORY] = "memory", [FL_GPU] = "gpu"
};

static int bad(const struct fl_doc *d, uint32_t v, const char *wanted, fairlead_error *err)
{
	char path[128];

	return fl_fail(err, FAIRLEAD_EINPUT, "%s is %s",
		       v == FL_NONE ? "something" : fl_doc_path(d, v, path, sizeof path), wanted);
}

void *kai_alloc(size_t n, size_t size)
{
	void *ptr = calloc(n ? n : 1, size);

	if (!ptr) {
		fputs("out of memory\n", stderr);
		exit(3);
	}
	return ptr;
}

int kai_read(struct fl_doc *d, const char *text, size_t len, fairlead_error *err)
{
	struct fl_reader *r;
	struct fl_token t;
	int rc = fl_reader_new(&fl_mem_heap, text, len, &r, err);

	if (rc < 0)
		return rc;
	if ((rc = fl_reader_next(r, &t, err)) == 0 && (rc = fl_reader_next(r, &t, err)) == 0)
		rc = fl_doc_read(d, r, &t, err);
	fl_reader_free(r);
	return rc;
}

int kai_number(const struct fl_doc *d, uint32_t map, const char *key, double *ret,
	       fairlead_error *err)
{
	uint32_t v = fl_doc_find(d, map, key);

	if (v == FL_NONE)
		return 0;
	if (d->values[v].kind != FL_TOKEN_SCALAR)
		return bad(d, v, "no number", err);
	return fl_number_parse(fl_doc_text(d, v), d->values[v].len, ret, err);
}

int kai_amounts(const struct fl_doc *d, uint32_t map, struct fl_bundle *ret, fairlead_error *err)
{
	int rc = 0;

	for (int r = 0; rc == 0 && r < FL_BUNDLE; r++)
		rc = kai_number(d, map, names[r], &ret->of[r], err);
	return rc;
}

int kai_bundle(const struct fl_doc *d, uint32_t map, const char *key, struct fl_bundle *ret,
	       fairlead_error *err)
{
	return kai_amounts(d, fl_doc_find(d, map, key), ret, err);
}

const char *kai_text(const struct fl_doc *d, uint32_t map, const char *key)
{
	uint32_t v = fl_doc_find(d, map, key);

	return v == FL_NONE || d->values[v].kind != FL_TOKEN_SCALAR ? "" : fl_doc_text(d, v);
}

bool kai_true(const struct fl_doc *d, uint32_t map, const char *key)
{
	return strcmp(kai_text(d, map, key), "true") == 0;
}

/* The form that has amounts by resource: {"cpu": {"deserved": ...}}. */
static int read_resources(const struct fl_doc *d, uint32_t map, struct kai_queue *q,
			  fairlead_error *err)
{
	int rc = 0;

	for (int r = 0; rc == 0 && r < FL_BUNDLE; r++) {
		uint32_t v = fl_doc_find(d, map, names[r]);

		if ((rc = kai_number(d, v, "deserved", &q->deserved.of[r], err)) == 0 &&
		    (rc = kai_number(d, v, "limit", &q->limit.of[r], err)) == 0 &&
		    (rc = kai_number(d, v, "overQuotaWeight", &q->weight.of[r], err)) == 0)
			rc = kai_number(d, v, "request", &q->request.of[r], err);
	}
	return rc;
}

/* The form that has resources by amount: {"deserved": {"cpu": ...}}. */
static int read_amounts(const struct fl_doc *d, struct kai_queue *q, fairlead_error *err)
{
	const struct {
		const char *key;
		struct fl_bundle *to;
	} amounts[] = {
		{ "deserved", &q->deserved },
		{ "limit", &q->limit },
		{ "overQuotaWeight", &q->weight },
		{ "request", &q->request },
		{ "usage", &q->usage },
		{ "allocated", &q->allocated },
		{ "allocatedNonPreemptible", &q->allocated_non_preemptible },
		{ "fairShare", &q->fair_share },
	};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sizeof amounts / sizeof *amounts; i++)
		rc = kai_bundle(d, q->value, amounts[i].key, amounts[i].to, err);
	return rc;
}

static int read_created(const struct fl_doc *d, struct kai_queue *q, fairlead_error *err)
{
	const char *text = kai_text(d, q->value, "creationTimestamp");
	fl_time t = 0;
	int rc;

	if (!text[0])
		return kai_number(d, q->value, "creationOrder", &q->created, err);
	rc = fl_time_parse(text, strlen(text), &t, err);
	q->created = (double)(t / FL_SECOND);
	return rc;
}

static int read_queue(const struct fl_doc *d, struct kai_queue *q, fairlead_error *err)
{
	double priority = 100;
	int rc;

	q->name = kai_text(d, q->value, "name");
	if ((rc = kai_number(d, q->value, "priority", &priority, err)) < 0 ||
	    (rc = read_created(d, q, err)) < 0 || (rc = read_amounts(d, q, err)) < 0)
		return rc;
	q->priority = (int32_t)priority;
	return read_resources(d, fl_doc_find(d, q->value, "resources"), q, err);
}

static int by_name(const void *ctx, uint32_t a, uint32_t b)
{
	const struct kai_queue *rows = ctx;

	return strcmp(rows[a].name, rows[b].name);
}

static int by_rank(const void *ctx, uint32_t a, uint32_t b)
{
	const struct kai_queue *rows = ctx;

	if (rows[a].created != rows[b].created)
		return rows[a].created < rows[b].created ? -1 : 1;
	return by_name(ctx, a, b);
}

uint32_t kai_queue_find(const struct kai_queues *queues, const char *name)
{
	uint32_t low = 0, high = queues->n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		int order = strcmp(queues->rows[queues->by_name[middle]].name, name);

		if (order == 0)
			return queues->by_name[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return FL_NONE;
}

/* Names, ranks and parents. */
static void resolve(const struct fl_doc *d, struct kai_queues *queues)
{
	uint32_t *ids = kai_alloc(2 * (size_t)queues->n, sizeof *ids);

	for (uint32_t i = 0; i < queues->n; i++)
		ids[i] = queues->by_name[i] = i;
	fl_sort(ids, queues->n, ids + queues->n, by_rank, queues->rows);
	for (uint32_t i = 0; i < queues->n; i++)
		queues->rows[ids[i]].rank = i;
	fl_sort(queues->by_name, queues->n, ids, by_name, queues->rows);
	free(ids);
	for (uint32_t i = 0; i < queues->n; i++)
		queues->rows[i].parent =
			kai_queue_find(queues, kai_text(d, queues->rows[i].value, "parent"));
}

int kai_queues_read(const struct fl_doc *d, struct kai_queues *ret, fairlead_error *err)
{
	uint32_t list = fl_doc_find(d, 0, "queues"), n = 0;
	struct kai_queues queues = { .n = 0 };
	int rc = 0;

	if (list == FL_NONE || d->values[list].kind != FL_TOKEN_LIST)
		return bad(d, list, "no list of queues", err);
	for (uint32_t v = list + 1; v < d->values[list].next; v = d->values[v].next)
		n++;
	queues.rows = kai_alloc(n, sizeof *queues.rows);
	queues.by_name = kai_alloc(n, sizeof *queues.by_name);
	for (uint32_t v = list + 1; rc == 0 && queues.n < n; v = d->values[v].next) {
		queues.rows[queues.n].value = v;
		rc = read_queue(d, &queues.rows[queues.n++], err);
	}
	if (rc < 0) {
		kai_queues_free(&queues);
		return rc;
	}
	resolve(d, &queues);
	*ret = queues;
	return 0;
}

void kai_queues_free(struct kai_queues *queues)
{
	free(queues->rows);
	free(queues->by_name);
	*queues = (struct kai_queues){ .n = 0 };
}

struct fl_divide_queue kai_divide_row(const struct kai_queue *q)
{
	return (struct fl_divide_queue){
		.parent = q->parent,
		.rank = q->rank,
		.priority = q->priority,
		.deserved = q->deserved,
		.limit = q->limit,
		.weight = q->weight,
	};
}

static uint32_t depth_of(const struct kai_queues *queues, uint32_t q)
{
	uint32_t depth = 0;

	while ((q = queues->rows[q].parent) != FL_NONE)
		depth++;
	return depth;
}

struct fl_standing *kai_standings(const struct kai_queues *queues)
{
	struct fl_standing *rows = kai_alloc(queues->n, sizeof *rows);

	for (uint32_t i = 0; i < queues->n; i++) {
		const struct kai_queue *q = &queues->rows[i];

		rows[i] = (struct fl_standing){
			.parent = { q->parent },
			.depth = depth_of(queues, i),
			.priority = q->priority,
			.created = (fl_time)q->created,
			.rank = q->rank,
			.deserved = q->deserved,
			.limit = q->limit,
			.weight = q->weight,
			.preempt_min_run = FL_TIME_NONE,
			.reclaim_min_run = FL_TIME_NONE,
			.fair_share = q->fair_share,
			.request = q->request,
			.allocated = q->allocated,
			.non_preemptible = q->allocated_non_preemptible,
		};
	}
	return rows;
}

void kai_put_bundle(FILE *out, const struct fl_bundle *b)
{
	for (int r = 0; r < FL_BUNDLE; r++)
		fprintf(out, "%s\"%s\":%.17g", r ? "," : "{", names[r], b->of[r]);
	fputc('}', out);
}
