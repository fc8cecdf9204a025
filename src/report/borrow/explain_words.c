/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "report/borrow/explain_report.h"
#include "report/out/placement_text.h"

struct words {
	const struct fl_report *report;
	const struct fl_explain_report *e;
	char *at;
	size_t left;
};

static void add(struct words *w, const char *format, ...) FL_PRINTF(2, 3);
static void add(struct words *w, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int n = vsnprintf(w->at, w->left, format, args);
	va_end(args);
	if (n < 0)
		return;
	size_t wrote = (size_t)n < w->left ? (size_t)n : w->left - 1;
	w->at += wrote;
	w->left -= wrote;
}

const char *const fl_explain_verdicts[FL_NEED_NO_MATCH + 1] = {
	[FL_NEED_FITS] = "Fits",
	[FL_NEED_WAITS] = "NotAvailable",
	[FL_NEED_NEVER] = "ExceedsMaxQuota",
	[FL_NEED_REFUSED] = "Refused",
	[FL_NEED_NOT_COVERED] = "NotCovered",
	[FL_NEED_NO_MATCH] = "FlavorMismatch",
};

static void add_binding(struct words *w, const struct fl_explain_need *need)
{
	const struct fl_model *m = w->report->model;
	const struct fl_explain_report *e = w->e;
	struct fl_node n = need->bind.node;
	const char *resource = fl_report_short_resource(m, need->resource);
	const char *kind = fl_report_kind(m, n), *name = fl_report_node(m, n);
	struct fl_column c = fl_tree_column(e->tree, n, need->flavor, need->resource);
	char said[2][32];

	if (c.v == FL_NONE)
		return;
	size_t cell = fl_tree_cell(e->tree, n, c);
	if (need->bind.kind == FL_BIND_BORROWING_LIMIT) {
		fl_amount limit = e->tree->borrowing_limit[cell];
		fl_amount over =
			fl_amount_max(0, fl_sat_sub(e->usage->cell[cell], e->tree->subtree[cell]));

		fl_report_amounts(w->report, need->resource, (const fl_amount[]){ limit, over }, 2,
				  said);
		add(w, " What binds is the borrowing limit of %s '%s': %s %s", kind, name, said[0],
		    resource);
		if (need->verdict == FL_NEED_WAITS)
			add(w, ", %s borrowed already", said[1]);
		add(w, ".");
		return;
	}
	if (need->verdict == FL_NEED_NEVER) {
		add(w, " All quota it can reach, up to %s '%s', is %s %s.", kind, name,
		    fl_report_amount(w->report, need->resource, need->potential, said[0]),
		    resource);
		return;
	}
	fl_report_amounts(w->report, need->resource,
			  (const fl_amount[]){ e->usage->cell[cell], e->tree->subtree[cell] }, 2,
			  said);
	add(w, " What binds is %s '%s', where %s of %s %s are in use.", kind, name, said[0],
	    said[1], resource);
}

static void add_failure(struct words *w, const char *name, const char *queue)
{
	const struct fl_explain *x = w->e->x;
	const struct fl_model *m = w->report->model;
	const struct fl_explain_need *need = &x->needs[x->failing];
	const char *resource = fl_report_short_resource(m, need->resource);
	const char *flavor = fl_report_flavor(m, need->flavor);
	bool never = need->verdict == FL_NEED_NEVER;
	const fl_amount both[] = { need->requested, never ? need->potential : need->available };
	char said[2][32], c[32], numbers[FL_NUMBERS];

	fl_report_amounts(w->report, need->resource, both, 2, said);
	switch (need->verdict) {
	case FL_NEED_WAITS:
		add(w,
		    "%s waits: it asks for %s %s in flavor '%s', and queue '%s' can have %s now (%s short).",
		    name, said[0], resource, flavor, queue, said[1],
		    fl_report_amount(w->report, need->resource,
				     fl_sat_sub(need->requested, need->available), c));
		add_binding(w, need);
		return;
	case FL_NEED_NEVER:
		add(w,
		    "%s can never be admitted as quotas stand: it asks for %s %s in flavor '%s', and queue "
		    "'%s' could have %s at most, even if nothing were in use.",
		    name, said[0], resource, flavor, queue, said[1]);
		add_binding(w, need);
		return;
	case FL_NEED_REFUSED:
		add(w,
		    "%s waits: for %s %s in flavor '%s' of queue '%s' this must be true: %s (%s).",
		    name, fl_report_amount(w->report, need->resource, need->requested, c), resource,
		    flavor, queue, fl_check_meaning(need->check),
		    fl_explain_numbers(w->report,
				       &(struct fl_explain_refusal){ .check = need->check,
								     .victim = { FL_NONE },
								     .node = x->cluster_queue,
								     .flavor = { FL_NONE },
								     .resource = { FL_NONE },
								     .lhs = need->lhs,
								     .rhs = need->rhs },
				       numbers));
		return;
	case FL_NEED_NOT_COVERED:
		add(w,
		    "%s can never be admitted: it requests %s %s, and queue '%s' has no quota for %s.",
		    name, fl_report_amount(w->report, need->resource, need->requested, c), resource,
		    queue, resource);
		return;
	case FL_NEED_NO_MATCH:
		add(w,
		    "%s can never be admitted: no flavor of queue '%s' suits its pods (flavor '%s' was "
		    "refused for its labels or taints).",
		    name, queue, flavor);
		return;
	case FL_NEED_FITS:
		return;
	}
}

static const struct fl_requeue_row *requeue_of(const struct words *w)
{
	const struct fl_model *m = w->report->model;

	return fl_model_requeue(m, &m->workloads[w->e->x->workload.v]);
}

static void add_waiting(struct words *w, const char *name, const char *queue)
{
	const struct fl_explain *x = w->e->x;

	if (x->reason == FL_REASON_BACK_OFF) {
		char time[40];

		add(w, "%s waits for the end of its back-off, at %s.", name,
		    fl_time_format(time, requeue_of(w)->ready_at));
	} else if (x->reason == FL_REASON_NOT_REQUEUED) {
		const struct fl_model *m = w->report->model;

		if (m->workloads[x->workload.v].gated)
			add(w,
			    "%s is held back: it has a gate, waits for pods in place of others, is on "
			    "hold, is being deleted, or uses what fairlead does not decide for.",
			    name);
		else
			add(w, "%s is held back: its condition Requeued is False, for reason '%s'.",
			    name, fl_model_text(m, requeue_of(w)->requeued_reason));
	} else if (x->failing != FL_NONE) {
		add_failure(w, name, queue);
		if (x->alone == FL_RESERVE)
			add(w, " When its turn comes, %u workload%s can be preempted for it.",
			    x->n_victims, x->n_victims == 1 ? "" : "s");
	} else if (x->reason == FL_REASON_BEHIND_HEAD || !x->head) {
		add(w, "%s waits for its turn in queue '%s'%s.", name, queue,
		    x->alone == FL_ADMIT ? "; there is room for it" : "");
	} else {
		add(w, "%s waits: it %s.", name, fl_reason_sentence(x->reason));
	}
	if (x->n_ahead)
		add(w, " %u workload%s %s ahead of it in the queue.", x->n_ahead,
		    x->n_ahead == 1 ? "" : "s", x->n_ahead == 1 ? "is" : "are");
	if (x->parked)
		add(w, " It is parked until quota is freed.");
}

/* Kueue admits what has quota once its checks have passed; a daemon may hear of that later than it decides. */
static bool waits_for_checks(const struct fl_model *m, const struct fl_explain *x)
{
	return !m->workloads[x->workload.v].admitted &&
	       m->nodes[x->cluster_queue.v].checks != FL_CHECKS_NONE;
}

const char *fl_explain_sentence(const struct fl_report *r, const struct fl_explain_report *e,
				char buffer[FL_SENTENCE])
{
	const struct fl_explain *x = e->x;
	struct words w = { r, e, buffer, FL_SENTENCE };
	const struct fl_workload_row *row = &r->model->workloads[x->workload.v];
	const char *queue = fl_report_node(r->model, x->cluster_queue);
	char name[FL_REPORT_NAME + 4], who[FL_REPORT_NAME], time[40], size[512];

	buffer[0] = '\0';
	snprintf(name, sizeof name, "%s%s", r->jobs ? "job " : "",
		 fl_report_who(r, r->model, x->workload, who));
	fl_request_text(r, x->workload, size, sizeof(size));
	switch (x->state) {
	case FL_EXPLAIN_RUNS:
		add(&w,
		    waits_for_checks(r->model, x) ? "%s has quota in queue '%s'" :
						    "%s is admitted in queue '%s'",
		    name, queue);
		if (row->reserved && row->reserved_at != FL_TIME_NONE)
			add(&w, " since %s", fl_time_format(time, row->reserved_at));
		add(&w, waits_for_checks(r->model, x) ?
				", and is admitted when all its admission checks are Ready." :
				".");
		break;
	case FL_EXPLAIN_EVICTING:
		if (x->reason == FL_REASON_ALREADY_ADMITTED)
			add(&w, "%s is being evicted from queue '%s' and still holds its quota.",
			    name, queue);
		else
			add(&w, "%s %s; until it has ended it holds quota of queue '%s'.", name,
			    fl_reason_sentence(x->reason), queue);
		break;
	case FL_EXPLAIN_NEXT:
		add(&w, "%s fits: the coming cycle admits it in queue '%s'.", name, queue);
		break;
	case FL_EXPLAIN_PREEMPTS:
		add(&w,
		    "%s waits: the coming cycle preempts %u workload%s for it, and it can be admitted when "
		    "%s ended.",
		    name, x->n_victims, x->n_victims == 1 ? "" : "s",
		    x->n_victims == 1 ? "that one has" : "they have");
		break;
	case FL_EXPLAIN_WAITS:
		add_waiting(&w, name, queue);
		break;
	case FL_EXPLAIN_EXCLUDED:
		if (x->reason == FL_REASON_FINISHED || x->reason == FL_REASON_DEACTIVATED)
			add(&w, "%s %s.", name, fl_reason_sentence(x->reason));
		else
			add(&w, "%s cannot be admitted: it %s.", name,
			    fl_reason_sentence(x->reason));
		break;
	}
	return buffer;
}
