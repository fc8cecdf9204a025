/* SPDX-License-Identifier: Apache-2.0 */
#include "report/job/queues.h"

#include <stdlib.h>
#include <string.h>

#include "report/job/words.h"
#include "report/out/table.h"

/* --- the tree --- */

static const char *parent_of(const json_t *queue)
{
	const char *parent = fl_json_word(queue, "parent");

	return *parent ? parent : fl_json_word(queue, "cohort");
}

static const char *name_of(const json_t *queue) { return fl_json_word(queue, "name"); }

/* What can stand above a queue of a kind: both may have the same name. */
static const char *kind_above(const json_t *queue)
{
	const char *kind = fl_json_word(queue, "kind");

	return strcmp(kind, "LocalQueue") == 0   ? "ClusterQueue" :
	       strcmp(kind, "ClusterQueue") == 0 ? "Cohort" :
						   kind;
}

/* The one above @queue; NULL: none, or not in the list. */
static const json_t *above(const json_t *queues, const json_t *queue)
{
	const char *name = parent_of(queue), *kind = kind_above(queue);

	for (size_t i = 0; *name && i < json_array_size(queues); i++) {
		const json_t *other = json_array_get(queues, i);

		if (strcmp(name_of(other), name) == 0 &&
		    strcmp(fl_json_word(other, "kind"), kind) == 0)
			return other;
	}
	return NULL;
}

/* A LocalQueue with the name of its ClusterQueue gets no line. */
static bool is_shown(const json_t *queue, bool doors)
{
	return strcmp(fl_json_word(queue, "kind"), "LocalQueue") != 0 ||
	       (doors && strcmp(name_of(queue), parent_of(queue)) != 0);
}

struct walk {
	const json_t *queues;
	struct fl_queue_text *rows;
	uint32_t n;
	bool *done; /* by queue: it stands in the rows */
};

/* Those below @below; NULL: those at the top. */
static void add_below(struct walk *w, const json_t *below, int parent)
{
	for (size_t i = 0; i < json_array_size(w->queues); i++) {
		const json_t *queue = json_array_get(w->queues, i);
		const char *mentioned = below ? "" : parent_of(queue);
		int at = parent;

		if (w->done[i] || above(w->queues, queue) != below)
			continue;
		w->done[i] = true;
		/* A cohort that is not in the answer stands where its first queue does. */
		for (uint32_t k = 0; *mentioned && k < w->n; k++)
			if (!w->rows[k].queue && strcmp(w->rows[k].name, mentioned) == 0)
				at = (int)k;
		if (*mentioned && at < 0) {
			at = (int)w->n;
			w->rows[w->n++] = (struct fl_queue_text){ NULL, mentioned, -1 };
		}
		w->rows[w->n++] = (struct fl_queue_text){ queue, name_of(queue), at };
		add_below(w, queue, (int)w->n - 1);
	}
}

int fl_queue_lines(const json_t *answer, bool doors, struct fl_queue_text **ret, uint32_t *ret_n,
		   fairlead_error *err)
{
	struct walk w = { .queues = json_object_get(answer, "queues") };
	size_t n = json_array_size(w.queues);

	w.rows = calloc(2 * n + 1, sizeof(*w.rows));
	w.done = calloc(n + 1, sizeof(*w.done));
	if (!w.rows || !w.done) {
		free(w.rows);
		free(w.done);
		return fl_fail_nomem(err);
	}
	for (size_t i = 0; i < n; i++)
		w.done[i] = !is_shown(json_array_get(w.queues, i), doors);
	add_below(&w, NULL, -1);
	/* Queues whose parents form a cycle are in no tree, and shown nevertheless. */
	for (size_t i = 0; i < n; i++)
		if (!w.done[i])
			w.rows[w.n++] =
				(struct fl_queue_text){ json_array_get(w.queues, i),
							name_of(json_array_get(w.queues, i)), -1 };
	free(w.done);
	*ret = w.rows;
	*ret_n = w.n;
	return 0;
}

/* --- the table --- */

enum {
	QUEUE,
	RESOURCE,
	NOMINAL,
	USAGE,
	BORROWED,
	LENT,
	PENDING,
	SHARE,
	WEIGHT,
	RUNS,
	WAITS,
	HELD,
	COLUMNS
};

static const struct fl_column_head heads[COLUMNS] = {
	[QUEUE] = { "QUEUE", FL_COL_TREE, 0 },        [RESOURCE] = { "RESOURCE", 0, 0 },
	[NOMINAL] = { "QUOTA", FL_COL_RIGHT, 0 },     [USAGE] = { "USED", FL_COL_RIGHT, 0 },
	[BORROWED] = { "BORROWED", FL_COL_RIGHT, 5 }, [LENT] = { "LENT", FL_COL_RIGHT, 3 },
	[PENDING] = { "WANTED", FL_COL_RIGHT, 0 },    [SHARE] = { "SHARE", FL_COL_RIGHT, 4 },
	[WEIGHT] = { "WEIGHT", FL_COL_RIGHT, 2 },     [RUNS] = { "RUN", FL_COL_RIGHT, 0 },
	[WAITS] = { "WAIT", FL_COL_RIGHT, 0 },        [HELD] = { "HELD", FL_COL_RIGHT, 1 },
};

/* A number or a text, as it was written; "-": nothing, or none. */
static int put(struct fl_table *t, unsigned column, const json_t *object, const char *key,
	       fairlead_error *err)
{
	const json_t *value = json_object_get(object, key);
	const char *text = json_string_value(value);
	char number[32];

	if (json_is_integer(value))
		snprintf(number, sizeof(number), "%lld", (long long)json_integer_value(value));
	else
		snprintf(number, sizeof(number), "%.4g", json_number_value(value));
	text = text ? fl_job_short(text, number) : json_is_number(value) ? number : "-";
	return fl_table_line(t, column, strcmp(text, "0") == 0 ? "-" : text, err);
}

static int put_resources(struct fl_table *t, const json_t *queue, fairlead_error *err)
{
	static const char *const keys[] = {
		[NOMINAL] = "nominal", [USAGE] = "usage",     [BORROWED] = "borrowed",
		[LENT] = "lent",       [PENDING] = "pending",
	};
	json_t *resources = json_object_get(queue, "resources"), *value;
	const char *name;
	int rc = 0;

	json_object_foreach(resources, name, value)
	{
		if (rc == 0)
			rc = fl_table_line(t, RESOURCE, fl_job_resource(name), err);
		for (unsigned c = NOMINAL; c <= PENDING && rc == 0; c++)
			rc = put(t, c, value, keys[c], err);
	}
	return rc;
}

static int add_queue(struct fl_table *t, const struct fl_queue_text *row, fairlead_error *err)
{
	static const struct {
		unsigned column;
		const char *key;
	} counts[] = {
		{ SHARE, "share" },   { WEIGHT, "weight" }, { RUNS, "running" },
		{ WAITS, "waiting" }, { HELD, "held" },
	};
	int rc = fl_table_row(t, row->parent, err);

	if (rc >= 0)
		rc = fl_table_cell(t, QUEUE, row->name, err);
	if (rc == 0 && row->queue)
		rc = put_resources(t, row->queue, err);
	for (unsigned i = 0; i < sizeof counts / sizeof *counts && rc == 0 && row->queue; i++)
		rc = put(t, counts[i].column, row->queue, counts[i].key, err);
	return rc;
}

static void say_conditions(const struct fl_report *r, const struct fl_queue_text *rows, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const json_t *list = json_object_get(rows[i].queue, "conditions");

		for (size_t k = 0; k < json_array_size(list); k++) {
			const json_t *one = json_array_get(list, k);
			const char *text = json_string_value(one);

			fl_report_say(r, FL_STYLE_WARN, 0, "%s: %s", rows[i].name,
				      text ? text : fl_json_word(one, "text"));
		}
	}
}

int fl_queues_text(const struct fl_report *r, const json_t *answer, fairlead_error *err)
{
	struct fl_queue_text *rows;
	struct fl_table *t;
	uint32_t n;
	int rc = fl_queue_lines(answer, /* doors= */ true, &rows, &n, err);

	if (rc < 0)
		return rc;
	if (n == 0) {
		free(rows);
		fl_report_say(r, FL_STYLE_PLAIN, 0, "No queues.");
		return 0;
	}
	rc = fl_table_begin(r, heads, COLUMNS, &t, err);
	for (uint32_t i = 0; i < n && rc == 0; i++)
		rc = add_queue(t, &rows[i], err);
	rc = fl_table_end(t, rc, err);
	if (rc == 0)
		say_conditions(r, rows, n);
	free(rows);
	return rc;
}
