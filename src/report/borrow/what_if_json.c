/* SPDX-License-Identifier: Apache-2.0 */
/* Queues and cohorts of the borrow policy in a what-if, as JSON. */
#include "ask/borrow/outcome.h"
#include "report/borrow/face.h"

#define ROW struct fl_ledger_cell
static const struct fl_json_field cell_fields[] = {
	FL_FIELD(AMOUNT, "nominal", nominal, NULL),
	FL_FIELD(LIMIT, "borrowingLimit", borrowing_limit, NULL),
	FL_FIELD(LIMIT, "lendingLimit", lending_limit, NULL),
	FL_FIELD(WHOLE, "usage", usage, NULL, .more = "{\"minimum\": 0}"),
	FL_FIELD(WHOLE, "borrowed", borrowed, NULL, .more = "{\"minimum\": 0}"),
};
static const struct fl_json_shape cell_shape =
	FL_SHAPE(cell_fields, "cell",
		 .doc = "amounts: cpu in milli-units, all else in whole units; a limit that is not "
			"there is no limit");
#undef ROW

struct quota {
	struct fl_flavor flavor;
	struct fl_resource resource;
	const struct fl_ledger_cell *before, *after;
};

static bool fill_quota(struct fl_shape_at *at, const void *source, uint32_t i, void *row)
{
	const struct fl_difference *d = ((const struct fl_what_if_report *)at->answer)->d;
	const struct fl_cell_pair *pair = source;
	const struct fl_ledger_cell *c = pair->after ? pair->after : pair->before;

	(void)i;
	at->model = pair->after ? d->after->model : d->before->model;
	*(struct quota *)row = (struct quota){ c->flavor, c->resource, pair->before, pair->after };
	return true;
}

#define ROW struct quota
static const struct fl_json_field quota_fields[] = {
	FL_FIELD(FLAVOR, "flavor", flavor, NULL),
	FL_FIELD(RESOURCE, "resource", resource, NULL),
	FL_FIELD_TO("before", before, cell_shape, NULL, .maybe = true),
	FL_FIELD_TO("after", after, cell_shape, NULL, .maybe = true),
};
static const struct fl_json_shape quota_shape = FL_SHAPE_MADE(quota_fields, fill_quota,
							      sizeof(struct fl_cell_pair), "quota");
#undef ROW

struct node {
	struct fl_node node;
	const char *change;
	const struct fl_share *before, *after;
	const struct fl_pair *pair;
};

static const struct fl_share *share_of(const struct fl_outcome *o, uint32_t n)
{
	if (n == FL_NONE || !o->model->settings.fair_sharing || !o->nodes[n].active)
		return NULL;
	return &fl_borrow_stand(o)->shares[n];
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
			    .before = share_of(d->before, pair->before),
			    .after = share_of(d->after, pair->after),
			    .pair = pair };
	at->model = fl_what_if_node(d, pair, &n->node);
	return true;
}

static void put_quota(const struct fl_shape_at *at, const char *key, const void *row)
{
	const struct fl_difference *d = ((const struct fl_what_if_report *)at->answer)->d;
	struct fl_cell_walk walk = { 0 };
	struct fl_cell_pair cell;

	fl_json_list(at->json, key);
	while (fl_difference_cell(d, ((const struct node *)row)->pair, &walk, &cell))
		if (cell.differ)
			fl_shape_json(at, NULL, &quota_shape, &cell);
	fl_json_end_list(at->json);
}

#define ROW struct node
static const struct fl_json_field share_fields[] = {
	FL_FIELD_TO("before", before, fl_share_shape, NULL, .maybe = true),
	FL_FIELD_TO("after", after, fl_share_shape, NULL, .maybe = true),
};
static const struct fl_json_shape shares_shape = FL_SHAPE(share_fields, "shares");

static const struct fl_json_field node_fields[] = {
	FL_FIELD_INLINE(node, fl_node_shape),
	FL_FIELD(TEXT, "change", change, NULL, .maybe = true, FL_WHAT_IF_ADDED),
	FL_FIELD_SAME("share", shares_shape, "with fair sharing, of a node that takes part"),
	FL_FIELD_PUT(LIST, "quota", put_quota, "cells that differ", .shape = &quota_shape),
};
const struct fl_json_shape fl_borrow_what_if_shape =
	FL_SHAPE_MADE(node_fields, fill_node, sizeof(struct fl_pair), "changedNode");
#undef ROW
