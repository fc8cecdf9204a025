/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "ask/entitle/outcome.h"
#include "report/entitle/face.h"
#include "report/out/bundle_text.h"
#include "report/out/table.h"

enum { FAIR_SHARE, ALLOCATED, DESERVED, LIMIT, WEIGHT, AMOUNTS };

static const struct {
	const char *head;
	unsigned give_up;
} columns[AMOUNTS] = {
	[FAIR_SHARE] = { "FAIR SHARE", 0 }, [ALLOCATED] = { "ALLOCATED", 0 },
	[DESERVED] = { "DESERVED", 3 },     [LIMIT] = { "LIMIT", 2 },
	[WEIGHT] = { "WEIGHT", 1 },
};

/* What one side has of a queue; false where it does not have the queue. */
static bool amounts_of(const struct fl_outcome *o, uint32_t n, int res, double ret[AMOUNTS])
{
	if (n == FL_NONE || !o->nodes[n].active)
		return false;
	const struct fl_standing *q = &fl_entitle_stand(o)->rows[n];

	ret[FAIR_SHARE] = q->fair_share.of[res];
	ret[ALLOCATED] = q->allocated.of[res];
	ret[DESERVED] = q->deserved.of[res];
	ret[LIMIT] = q->limit.of[res];
	ret[WEIGHT] = q->weight.of[res];
	return true;
}

static void put_amount(const struct fl_report *r, int column, int res, bool there, double amount,
		       char text[32])
{
	if (!there)
		strcpy(text, "-");
	else if (column == WEIGHT)
		snprintf(text, 32, "%g", amount);
	else
		fl_bundle_amount(r, res, amount, text);
}

/* A row where anything of it differs. */
static int add_row(const struct fl_what_if_report *w, struct fl_table *t,
		   const struct fl_pair *pair, int res, fairlead_error *err)
{
	const struct fl_difference *d = w->d;
	double before[AMOUNTS], after[AMOUNTS];
	bool was = amounts_of(d->before, pair->before, res, before);
	bool is = amounts_of(d->after, pair->after, res, after);
	char x[32], y[32], both[72];

	/* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): to the last bit */
	if ((!was && !is) || (was && is && memcmp(before, after, sizeof(before)) == 0))
		return 0;
	const struct fl_model *m = is ? d->after->model : d->before->model;
	int rc = fl_table_row(t, -1, err);
	if (rc >= 0)
		rc = fl_table_cell(
			t, 0,
			fl_report_node(m, (struct fl_node){ is ? pair->after : pair->before }),
			err);
	if (rc == 0)
		rc = fl_table_cell(t, 1, fl_bundle_name(res), err);
	for (unsigned c = 0; c < AMOUNTS && rc == 0; c++) {
		put_amount(w->before, (int)c, res, was, was ? before[c] : 0, x);
		put_amount(w->after, (int)c, res, is, is ? after[c] : 0, y);
		if (strcmp(x, y) == 0)
			snprintf(both, sizeof(both), "%s", x);
		else
			snprintf(both, sizeof(both), "%s -> %s", x, y);
		rc = fl_table_cell(t, c + 2, both, err);
	}
	return rc < 0 ? rc : 1;
}

static bool is_shown(const struct fl_what_if_report *w, int res)
{
	const struct fl_standings *before = fl_entitle_stand(w->d->before);
	const struct fl_standings *after = fl_entitle_stand(w->d->after);

	return w->after->all ? before->used[res] || after->used[res] :
			       before->bounded[res] || after->bounded[res];
}

int fl_entitle_what_if_text(const struct fl_what_if_report *w, fairlead_error *err)
{
	static const int order[] = { FL_GPU, FL_CPU, FL_MEMORY };
	const struct fl_difference *d = w->d;
	struct fl_table *t = NULL;
	uint32_t n = 0;

	int rc = fl_table_new(w->after, &t, err);
	if (rc == 0)
		rc = fl_table_column(t, "QUEUE", FL_COL_WRAP, 0, err);
	if (rc == 0)
		rc = fl_table_column(t, "RESOURCE", 0, 0, err);
	for (unsigned c = 0; c < AMOUNTS && rc == 0; c++)
		rc = fl_table_column(t, columns[c].head, FL_COL_RIGHT, columns[c].give_up, err);
	for (uint32_t i = 0; i < d->n_nodes; i++)
		for (unsigned k = 0; k < FL_BUNDLE && rc >= 0 && d->nodes[i].what; k++)
			if (is_shown(w, order[k])) {
				rc = add_row(w, t, &d->nodes[i], order[k], err);
				n += rc > 0;
			}
	if (rc >= 0 && n) {
		fl_report_say(w->after, FL_STYLE_BOLD, 0, "Queues:");
		rc = fl_table_print(t, 2, err);
		putc('\n', w->after->out);
	}
	fl_table_free(t);
	return rc < 0 ? rc : 0;
}
