/* SPDX-License-Identifier: Apache-2.0 */
/* Queues of drf in a what-if: shares, quota and what is held, before and after. */
#include <string.h>

#include "report/drf/face.h"
#include "report/out/table.h"

/* --- JSON --- */

struct one {
	const struct fl_outcome *o;
	uint32_t n;
};

struct side {
	struct fl_drf_queue queue;
	double weight;
};

static bool fill_side(struct fl_shape_at *at, const void *source, uint32_t i, void *row)
{
	const struct one *one = source;

	(void)i;
	if (one->n == FL_NONE || !one->o->nodes[one->n].active)
		return false;
	const struct fl_drf_stand *s = fl_drf_stand(one->o);
	const struct fl_share *share = &s->shares[one->n];

	at->model = one->o->model;
	*(struct side *)row = (struct side){ { s, share, { one->n } }, share->weight };
	return true;
}

#define ROW struct side
static const struct fl_json_field side_fields[] = {
	FL_FIELD(NUMBER, "weight", weight, NULL),
	FL_FIELD_INLINE(queue, fl_drf_queue_shape),
};
static const struct fl_json_shape side_shape = FL_SHAPE_MADE(side_fields, fill_side,
							     sizeof(struct one), "standing");
#undef ROW

struct node {
	struct fl_node node;
	const char *change;
	struct one before, after;
};

static bool fill_node(struct fl_shape_at *at, const void *source, uint32_t i, void *row)
{
	const struct fl_difference *d = ((const struct fl_what_if_report *)at->answer)->d;
	const struct fl_pair *pair = source;
	struct node *n = row;

	(void)i;
	if (!pair->what)
		return false;
	*n = (struct node){ .change = fl_what_if_added(pair),
			    .before = { d->before, pair->before },
			    .after = { d->after, pair->after } };
	at->model = fl_what_if_node(d, pair, &n->node);
	return true;
}

#define ROW struct node
static const struct fl_json_field node_fields[] = {
	FL_FIELD_INLINE(node, fl_node_shape),
	FL_FIELD(TEXT, "change", change, NULL, .maybe = true, FL_WHAT_IF_ADDED),
	FL_FIELD_IN("before", before, side_shape, NULL, .maybe = true),
	FL_FIELD_IN("after", after, side_shape, NULL, .maybe = true),
};
const struct fl_json_shape fl_drf_what_if_shape =
	FL_SHAPE_MADE(node_fields, fill_node, sizeof(struct fl_pair), "changedNode");
#undef ROW

/* --- text --- */

static void both(const char *x, const char *y, char text[72])
{
	if (strcmp(x, y) == 0)
		snprintf(text, 72, "%.31s", x);
	else
		snprintf(text, 72, "%.31s -> %.31s", x, y);
}

static const char *share_of(const struct fl_outcome *o, uint32_t n, char buffer[32])
{
	if (n == FL_NONE)
		return "-";
	return o->nodes[n].active ? fl_report_share(&fl_drf_stand(o)->shares[n], buffer) :
				    "inactive";
}

/* What one side has, of the resource called @name; "-" where it is not there. */
static const char *amount_of(const struct fl_report *r, const struct fl_outcome *o, uint32_t n,
			     const char *name, bool held, char buffer[32])
{
	struct fl_resource res = fl_model_find_resource(o->model, name);
	const struct fl_drf_stand *s = fl_drf_stand(o);

	if (n == FL_NONE || res.v == FL_NONE)
		return "-";
	return fl_report_exact(
		r, res, (held ? s->held : s->quota)[(size_t)n * o->model->n_resources + res.v],
		buffer);
}

static int add_rows(const struct fl_what_if_report *w, struct fl_table *t,
		    const struct fl_pair *pair, fairlead_error *err)
{
	const struct fl_difference *d = w->d;
	bool there = pair->after != FL_NONE;
	const struct fl_model *m = there ? d->after->model : d->before->model;
	const char *queue = fl_report_node(m,
					   (struct fl_node){ there ? pair->after : pair->before });
	char x[32], y[32], share[72], quota[72], held[72];
	int rc = 0;

	both(share_of(d->before, pair->before, x), share_of(d->after, pair->after, y), share);
	for (uint32_t r = 0; r < m->n_resources && rc == 0; r++) {
		const char *name = fl_report_resource(m, (struct fl_resource){ r });

		both(amount_of(w->before, d->before, pair->before, name, false, x),
		     amount_of(w->after, d->after, pair->after, name, false, y), quota);
		both(amount_of(w->before, d->before, pair->before, name, true, x),
		     amount_of(w->after, d->after, pair->after, name, true, y), held);
		rc = fl_table_texts(t,
				    (const char *const[]){
					    r ? "" : queue, r ? "" : share,
					    fl_report_short_resource(m, (struct fl_resource){ r }),
					    quota, held },
				    5, err);
	}
	return rc;
}

int fl_drf_what_if_text(const struct fl_what_if_report *w, fairlead_error *err)
{
	static const struct fl_column_head columns[] = {
		{ "QUEUE", FL_COL_WRAP, 0 },  { "SHARE", FL_COL_RIGHT, 0 }, { "RESOURCE", 0, 0 },
		{ "QUOTA", FL_COL_RIGHT, 0 }, { "HELD", FL_COL_RIGHT, 0 },
	};
	const struct fl_difference *d = w->d;
	struct fl_table *t = NULL;
	uint32_t n = 0;
	int rc;

	for (uint32_t i = 0; i < d->n_nodes; i++)
		n += d->nodes[i].what != 0;
	if (!n)
		return 0;
	fl_report_say(w->after, FL_STYLE_BOLD, 0, "Queues:");
	rc = fl_table_begin(w->after, columns, 5, &t, err);
	for (uint32_t i = 0; i < d->n_nodes && rc == 0; i++)
		if (d->nodes[i].what)
			rc = add_rows(w, t, &d->nodes[i], err);
	rc = fl_table_end(t, rc, err);
	putc('\n', w->after->out);
	return rc;
}
