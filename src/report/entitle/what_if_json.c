/* SPDX-License-Identifier: Apache-2.0 */
/* Queues of the entitle policy in a what-if, as JSON. */
#include "ask/entitle/outcome.h"
#include "report/entitle/face.h"

#define ROW struct fl_standing
static const struct fl_json_field side_fields[] = {
	FL_FIELD(BUNDLE, "fairShare", fair_share, NULL),
	FL_FIELD(BUNDLE, "allocated", allocated, NULL),
	FL_FIELD(BUNDLE, "deserved", deserved, NULL),
	FL_FIELD(BUNDLE, "limit", limit, NULL),
	FL_FIELD(BUNDLE, "overQuotaWeight", weight, NULL),
	FL_FIELD(INT, "priority", priority, NULL),
};
static const struct fl_json_shape side_shape = FL_SHAPE(side_fields, "standing");
#undef ROW

struct node {
	struct fl_node node;
	const char *change;
	const struct fl_standing *before, *after;
};

static const struct fl_standing *standing(const struct fl_outcome *o, uint32_t n)
{
	return n == FL_NONE || !o->nodes[n].active ? NULL : &fl_entitle_stand(o)->rows[n];
}

static bool fill_node(struct fl_shape_at *at, const void *source, uint32_t i, void *row)
{
	const struct fl_difference *d = ((const struct fl_what_if_report *)at->answer)->d;
	const struct fl_pair *pair = source;
	struct node *n = row;

	(void)i;
	if (!pair->what)
		return false;
	*n = (struct node){ .change = fl_what_if_added(pair),
			    .before = standing(d->before, pair->before),
			    .after = standing(d->after, pair->after) };
	at->model = fl_what_if_node(d, pair, &n->node);
	return true;
}

#define ROW struct node
static const struct fl_json_field node_fields[] = {
	FL_FIELD_INLINE(node, fl_queue_shape),
	FL_FIELD(TEXT, "change", change, NULL, .maybe = true, FL_WHAT_IF_ADDED),
	FL_FIELD_TO("before", before, side_shape, NULL, .maybe = true),
	FL_FIELD_TO("after", after, side_shape, NULL, .maybe = true),
};
const struct fl_json_shape fl_entitle_what_if_shape =
	FL_SHAPE_MADE(node_fields, fill_node, sizeof(struct fl_pair), "changedNode");
#undef ROW
