/* SPDX-License-Identifier: Apache-2.0 */
/* Queues and cohorts of the borrow policy in a what-if, as JSON. */
#include "ask/borrow/outcome.h"
#include "report/borrow/face.h"
#include "report/out/report_json.h"

static void put_amount(struct fl_json *j, const char *key, fl_amount v)
{
	if (v == FL_UNLIMITED)
		fl_json_text(j, key, "unlimited");
	else if (v != FL_NO_LIMIT)
		fl_json_int(j, key, v);
}

static void put_cell(struct fl_json *j, const char *key, const struct fl_ledger_cell *c)
{
	if (!c)
		return;
	fl_json_object(j, key);
	put_amount(j, "nominal", c->nominal);
	put_amount(j, "borrowingLimit", c->borrowing_limit);
	put_amount(j, "lendingLimit", c->lending_limit);
	fl_json_int(j, "usage", c->usage);
	fl_json_int(j, "borrowed", c->borrowed);
	fl_json_end_object(j);
}

static void put_quota(struct fl_json *j, const struct fl_difference *d, const struct fl_pair *pair)
{
	struct fl_cell_walk walk = { 0 };
	struct fl_cell_pair cell;

	fl_json_list(j, "quota");
	while (fl_difference_cell(d, pair, &walk, &cell)) {
		const struct fl_ledger_cell *c = cell.after ? cell.after : cell.before;
		const struct fl_model *m = cell.after ? d->after->model : d->before->model;

		if (!cell.differ)
			continue;
		fl_json_object(j, NULL);
		fl_json_text(j, "flavor", fl_report_flavor(m, c->flavor));
		fl_json_text(j, "resource", fl_report_resource(m, c->resource));
		put_cell(j, "before", cell.before);
		put_cell(j, "after", cell.after);
		fl_json_end_object(j);
	}
	fl_json_end_list(j);
}

static void put_share(struct fl_json *j, const char *key, const struct fl_outcome *o, uint32_t n)
{
	char text[32];

	if (n == FL_NONE || !o->model->settings.fair_sharing || !o->nodes[n].active)
		return;
	fl_json_object(j, key);
	fl_json_text(j, "weightedShare", fl_report_share(&fl_borrow_stand(o)->shares[n], text));
	fl_json_text(j, "precise", fl_report_precise(&fl_borrow_stand(o)->shares[n], text));
	fl_json_end_object(j);
}

void fl_borrow_what_if_json(struct fl_json *j, const struct fl_difference *d)
{
	fl_json_list(j, "nodes");
	for (uint32_t i = 0; i < d->n_nodes; i++) {
		const struct fl_pair *pair = &d->nodes[i];
		bool there = pair->after != FL_NONE;
		const struct fl_model *m = there ? d->after->model : d->before->model;
		struct fl_node n = { there ? pair->after : pair->before };

		if (!pair->what)
			continue;
		fl_json_object(j, NULL);
		fl_json_text(j, "kind", fl_report_kind(m, n));
		fl_json_text(j, "name", fl_report_node(m, n));
		if (pair->what & (FL_DIFF_ADDED | FL_DIFF_REMOVED))
			fl_json_text(j, "change", pair->what & FL_DIFF_ADDED ? "added" : "removed");
		fl_json_object(j, "share");
		put_share(j, "before", d->before, pair->before);
		put_share(j, "after", d->after, pair->after);
		fl_json_end_object(j);
		put_quota(j, d, pair);
		fl_json_end_object(j);
	}
	fl_json_end_list(j);
}
