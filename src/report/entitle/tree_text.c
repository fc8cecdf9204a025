/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "report/entitle/face.h"
#include "report/entitle/tree_report.h"
#include "report/out/bundle_text.h"
#include "report/out/table.h"

enum {
	QUEUE,
	RESOURCE,
	DESERVED,
	OVER_QUOTA,
	FAIR_SHARE,
	ALLOCATED,
	SATURATION,
	REQUEST,
	LIMIT,
	WEIGHT,
	USAGE,
	PRIORITY,
	WAITING,
	COLUMNS
};

/* Columns of the two tables: bits by the enum. */
#define BIT(column) (1u << (column))
static const unsigned all_columns = BIT(COLUMNS) - 1;
static const unsigned share_columns = BIT(QUEUE) | BIT(RESOURCE) | BIT(DESERVED) | BIT(FAIR_SHARE) |
				      BIT(ALLOCATED) | BIT(REQUEST);

struct out {
	const struct fl_report *report;
	const struct fl_entitle_tree *tree;
	struct fl_table *table;
	unsigned columns;
	unsigned at[COLUMNS]; /* of the table, by the enum */
	int *row_of;          /* by node */
};

uint32_t fl_entitle_tree_first(const struct fl_entitle_tree *t)
{
	uint32_t at = 0;

	while (t->top.v != FL_NONE && t->standings->order[at] != t->top.v)
		at++;
	return at;
}

struct fl_node fl_entitle_tree_at(const struct fl_entitle_tree *t, uint32_t at)
{
	const struct fl_standings *s = t->standings;
	struct fl_node n = { at < s->n ? s->order[at] : FL_NONE };

	/* Those below the top stand behind it, and are deeper. */
	if (n.v != FL_NONE && t->top.v != FL_NONE && n.v != t->top.v &&
	    s->rows[n.v].depth <= s->rows[t->top.v].depth)
		n.v = FL_NONE;
	return n;
}

double fl_over_quota(const struct fl_standing *q, int resource)
{
	double over = q->fair_share.of[resource] - q->deserved.of[resource];

	return q->deserved.of[resource] == FL_UNBOUNDED || over < 0 ? 0 : over;
}

static bool has_usage(const struct fl_standings *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		for (int r = 0; r < FL_BUNDLE; r++)
			if (s->usage[s->order[i]].of[r] > 0)
				return true;
	return false;
}

static int add_columns(struct out *o, fairlead_error *err)
{
	static const struct {
		const char *head;
		unsigned flags, give_up;
	} columns[COLUMNS] = {
		[QUEUE] = { "QUEUE", FL_COL_TREE, 0 },
		[RESOURCE] = { "RESOURCE", 0, 0 },
		[DESERVED] = { "DESERVED", FL_COL_RIGHT, 0 },
		[OVER_QUOTA] = { "OVER-QUOTA", FL_COL_RIGHT, 7 },
		[FAIR_SHARE] = { "FAIR SHARE", FL_COL_RIGHT, 0 },
		[ALLOCATED] = { "ALLOCATED", FL_COL_RIGHT, 0 },
		[SATURATION] = { "SATURATION", FL_COL_RIGHT, 8 },
		[REQUEST] = { "REQUEST", FL_COL_RIGHT, 6 },
		[LIMIT] = { "LIMIT", FL_COL_RIGHT, 4 },
		[WEIGHT] = { "WEIGHT", FL_COL_RIGHT, 3 },
		[USAGE] = { "USAGE", FL_COL_RIGHT, 2 },
		[PRIORITY] = { "PRIORITY", FL_COL_RIGHT, 1 },
		[WAITING] = { "WAITING", FL_COL_RIGHT, 5 },
	};
	unsigned n = 0;
	int rc = 0;

	for (unsigned c = 0; c < COLUMNS && rc == 0; c++) {
		if (!(o->columns & BIT(c)))
			continue;
		o->at[c] = n++;
		rc = fl_table_column(o->table, columns[c].head, columns[c].flags,
				     columns[c].give_up, err);
	}
	return rc;
}

/* One line of a cell; zero is dimmed, so that other numbers stand out. */
static int line(const struct out *o, unsigned column, const char *text, bool zero,
		fairlead_error *err)
{
	if (!(o->columns & BIT(column)))
		return 0;
	return fl_table_line(o->table, o->at[column], zero ? "-" : text, err);
}

static int add_resource(const struct out *o, struct fl_node n, int res, fairlead_error *err)
{
	static const unsigned columns[] = { DESERVED,  OVER_QUOTA, FAIR_SHARE,
					    ALLOCATED, REQUEST,    LIMIT };
	const struct fl_standings *s = o->tree->standings;
	const struct fl_standing *q = &s->rows[n.v];
	const double amounts[] = {
		q->deserved.of[res],  fl_over_quota(q, res), q->fair_share.of[res],
		q->allocated.of[res], q->request.of[res],    q->limit.of[res],
	};
	double saturation = fl_standings_saturation(s, n, res);
	char text[32];
	int rc = line(o, RESOURCE, fl_bundle_name(res), /* zero= */ false, err);

	for (unsigned i = 0; i < sizeof(columns) / sizeof(columns[0]) && rc == 0; i++)
		rc = line(o, columns[i], fl_bundle_amount(o->report, res, amounts[i], text),
			  amounts[i] == 0, err);
	snprintf(text, sizeof(text),
		 isinf(saturation) ? "inf" :
		 saturation < 1e6  ? "%.2f" :
				     "%.3g",
		 saturation);
	if (rc == 0)
		rc = line(o, SATURATION, text, saturation == 0, err);
	snprintf(text, sizeof(text), "%g", q->weight.of[res]);
	if (rc == 0)
		rc = line(o, WEIGHT, text, q->weight.of[res] == 0, err);
	snprintf(text, sizeof(text), s->usage[n.v].of[res] < 1000 ? "%.3f" : "%.4g",
		 s->usage[n.v].of[res]);
	return rc < 0 ? rc : line(o, USAGE, text, s->usage[n.v].of[res] == 0, err);
}

/* A resource that no queue bounds never decides. */
static bool is_shown(const struct out *o, int res)
{
	return o->report->all ? o->tree->standings->used[res] : o->tree->standings->bounded[res];
}

static int add_queue(const struct out *o, struct fl_node n, fairlead_error *err)
{
	static const int order[] = { FL_GPU, FL_CPU, FL_MEMORY };
	const struct fl_standing *q = &o->tree->standings->rows[n.v];
	bool below = n.v != o->tree->top.v && q->parent.v != FL_NONE;
	char text[32];

	int row = fl_table_row(o->table, below ? o->row_of[q->parent.v] : -1, err);
	if (row < 0)
		return row;
	o->row_of[n.v] = row;
	int rc = line(o, QUEUE, fl_report_node(o->report->model, n), /* zero= */ false, err);
	for (unsigned i = 0; i < FL_BUNDLE && rc == 0; i++)
		if (is_shown(o, order[i]))
			rc = add_resource(o, n, order[i], err);
	snprintf(text, sizeof(text), "%d", q->priority);
	if (rc == 0)
		rc = line(o, PRIORITY, text, /* zero= */ false, err);
	if (rc == 0 && o->tree->waiting && o->tree->waiting[n.v]) {
		snprintf(text, sizeof(text), "%u", o->tree->waiting[n.v]);
		rc = line(o, WAITING, text, /* zero= */ false, err);
	}
	return rc;
}

static void say_hidden(const struct out *o, unsigned indent)
{
	static const int order[] = { FL_CPU, FL_MEMORY, FL_GPU };
	char hidden[64] = "";
	size_t n = 0;

	for (unsigned i = 0; i < FL_BUNDLE; i++)
		if (o->tree->standings->used[order[i]] && !is_shown(o, order[i]))
			n += (size_t)snprintf(hidden + n, sizeof(hidden) - n, "%s%s", n ? ", " : "",
					      fl_bundle_name(order[i]));
	if (n)
		fl_report_say(o->report, FL_STYLE_DIM, indent,
			      "left out, because no queue limits it: %s (-o json has it)", hidden);
}

static int print_table(struct out *o, unsigned indent, fairlead_error *err)
{
	struct fl_node n;

	o->row_of = calloc((size_t)o->report->model->n_nodes + 1, sizeof(*o->row_of));
	int rc = o->row_of ? fl_table_new(o->report, &o->table, err) : fl_fail_nomem(err);
	if (rc == 0)
		rc = add_columns(o, err);
	for (uint32_t at = fl_entitle_tree_first(o->tree);
	     rc == 0 && (n = fl_entitle_tree_at(o->tree, at)).v != FL_NONE; at++)
		rc = add_queue(o, n, err);
	if (rc == 0)
		rc = fl_table_print(o->table, indent, err);
	if (rc == 0)
		say_hidden(o, indent);
	fl_table_free(o->table);
	free(o->row_of);
	return rc;
}

int fl_entitle_shares_table(const struct fl_report *r, const struct fl_entitle_tree *t,
			    fairlead_error *err)
{
	struct out o = { .report = r, .tree = t, .columns = share_columns };

	return print_table(&o, /* indent= */ 2, err);
}

int fl_entitle_tree_text(const struct fl_report *r, const struct fl_entitle_tree *t,
			 fairlead_error *err)
{
	const struct fl_model *m = r->model;
	struct out o = { .report = r, .tree = t, .columns = all_columns };
	char why[320], total[128];

	if (!has_usage(t->standings))
		o.columns &= ~BIT(USAGE);
	fl_entitle_headline(r);
	int rc = print_table(&o, /* indent= */ 0, err);
	if (rc < 0 || t->top.v != FL_NONE)
		return rc;
	putc('\n', r->out);
	fl_report_say(r, FL_STYLE_PLAIN, 0, "To be divided: %s",
		      fl_bundle_text(r, &t->standings->total, total, sizeof(total)));
	for (uint32_t i = 0; i < m->n_nodes; i++)
		if (m->nodes[i].kind == FL_QUEUE && m->nodes[i].inactive != FL_ACTIVE)
			fl_report_say(r, FL_STYLE_WARN, 0, "Queue %s takes no part: %s",
				      fl_report_node(m, (struct fl_node){ i }),
				      fl_report_why_inactive(m, (struct fl_node){ i }, why));
	return 0;
}
