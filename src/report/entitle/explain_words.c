/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "report/entitle/explain_report.h"
#include "report/entitle/face.h"
#include "report/entitle/words.h"
#include "report/out/bundle_text.h"

static const char *plural(uint32_t n) { return n == 1 ? "" : "s"; }

const char *fl_gang_text(const struct fl_report *r, uint32_t n_tasks, const struct fl_bundle *b,
			 char *buffer, size_t size)
{
	char amounts[128];

	snprintf(buffer, size, "%u pod%s, %s", n_tasks, plural(n_tasks),
		 fl_bundle_text(r, b, amounts, sizeof(amounts)));
	return buffer;
}

/* What is said behind "waits": the inequality that failed, or what else it is. */
static void put_why(const struct fl_report *r, const struct fl_entitle_explain *x, char *buffer,
		    size_t size)
{
	const struct fl_evidence *row = x->failing == FL_NONE ? NULL : &x->obstacles[x->failing];
	int n = snprintf(buffer, size, ": it %s", fl_reason_sentence(x->reason));

	if (n > 0 && (size_t)n < size)
		fl_entitle_obstacle_text(r, row, ": ", buffer + n, size - (size_t)n);
}

/* More about it: only others come first, or the workloads that it could not have evicted. */
static void put_more(const struct fl_entitle_explain *x, char *buffer, size_t size)
{
	size_t at;

	*buffer = '\0';
	if (x->alone != FL_WAIT) {
		snprintf(buffer, size, ". If it alone waited, it would %s",
			 x->alone == FL_ADMIT ? "start" : "start after evictions");
		return;
	}
	if (x->n_rules == 0)
		return;
	at = (size_t)snprintf(buffer, size, ". %u workload%s could be evicted for it, but",
			      x->n_considered, plural(x->n_considered));
	for (uint32_t i = 0; i < x->n_rules && at < size; i++) {
		if (x->rules[i].workloads == x->n_considered)
			at += (size_t)snprintf(buffer + at, size - at, "%s", i ? ";" : "");
		else
			at += (size_t)snprintf(buffer + at, size - at, "%s of %u", i ? ";" : "",
					       x->rules[i].workloads);
		if (at < size)
			at += (size_t)snprintf(buffer + at, size - at, " %s",
					       fl_explain_refused(x->rules[i].check));
	}
}

static void put_running(const struct fl_report *r, const struct fl_entitle_explain *x,
			const char *name, char *buffer)
{
	char machines[512], gang[256], more[64] = "";

	if (x->n_more)
		snprintf(more, sizeof(more), "; %u more of its pods wait%s", x->n_more,
			 x->n_more == 1 ? "s" : "");
	fl_gang_text(r, x->n_tasks, &x->amount, gang, sizeof(gang));
	fl_machines_text(r->model, x->placement, x->n_placement, machines, sizeof(machines));
	snprintf(buffer, FL_SENTENCE, "%s %s in queue '%s': %s on %s%s%s.", name,
		 x->state == FL_EXPLAIN_RUNS ? "runs" : "is being evicted",
		 fl_report_node(r->model, x->queue), gang, machines, more,
		 x->preemptible ? "" : "; it may not be preempted");
}

static void put_coming(const struct fl_report *r, const struct fl_entitle_explain *x,
		       const char *name, char *buffer)
{
	char machines[512];

	fl_machines_text(r->model, x->placement, x->n_placement, machines, sizeof(machines));
	if (x->state == FL_EXPLAIN_NEXT)
		snprintf(buffer, FL_SENTENCE, "%s waits, and the coming cycle starts it on %s.",
			 name, machines);
	else if (x->n_victims)
		snprintf(buffer, FL_SENTENCE,
			 "%s waits, and the coming cycle %s %u workload%s for it (%s), so that it "
			 "can start on %s.",
			 name, x->by == FL_ACTION_CONSOLIDATION ? "moves" : "evicts", x->n_victims,
			 plural(x->n_victims), fl_actions[x->by], machines);
	else
		snprintf(buffer, FL_SENTENCE,
			 "%s waits, and has a place on %s as soon as the workloads that are being "
			 "evicted have ended.",
			 name, machines);
}

const char *fl_entitle_sentence(const struct fl_report *r, const struct fl_entitle_answer *a,
				char buffer[FL_SENTENCE])
{
	const struct fl_entitle_explain *x = a->x;
	char name[FL_REPORT_NAME + 4], who[FL_REPORT_NAME], why[1024], more[1024];

	snprintf(name, sizeof name, "%s%s", r->jobs ? "job " : "",
		 fl_report_who(r, r->model, x->workload, who));
	switch (x->state) {
	case FL_EXPLAIN_RUNS:
	case FL_EXPLAIN_EVICTING:
		put_running(r, x, name, buffer);
		break;
	case FL_EXPLAIN_NEXT:
	case FL_EXPLAIN_PREEMPTS:
		put_coming(r, x, name, buffer);
		break;
	case FL_EXPLAIN_EXCLUDED:
		snprintf(buffer, FL_SENTENCE, "%s takes no part: it %s.", name,
			 fl_reason_sentence(x->reason));
		break;
	case FL_EXPLAIN_WAITS:
		put_why(r, x, why, sizeof(why));
		put_more(x, more, sizeof(more));
		snprintf(buffer, FL_SENTENCE, "%s waits%s%s.", name, why, more);
		break;
	}
	return buffer;
}

/* " of 'side'", where that is not the queue that stands beside it anyway. */
static void put_side(const struct fl_report *r, const struct fl_explain_refusal *row, char *buffer,
		     size_t size)
{
	bool known = row->victim.v != FL_NONE &&
		     r->model->workloads[row->victim.v].cluster_queue.v == row->node.v;

	*buffer = '\0';
	if (!known && row->node.v != FL_NONE)
		snprintf(buffer, size, " of '%s'", fl_report_node(r->model, row->node));
}

const char *fl_entitle_numbers(const struct fl_report *r, const struct fl_explain_refusal *row,
			       char buffer[FL_NUMBERS])
{
	int res = fl_bundle_resource(r->model, row->resource);
	const double both[] = { row->lhs.share, row->rhs.share };
	char text[2][32], side[300];

	*buffer = '\0';
	put_side(r, row, side, sizeof(side));
	if (row->check == FL_CHECK_SATURATION) {
		snprintf(buffer, FL_NUMBERS, "%s: %.2f times the multiplier, against %.2f%s",
			 res == FL_BUNDLE ? "saturation" : fl_bundle_name(res), both[0], both[1],
			 side);
	} else if (row->lhs.kind == FL_NUMBER_BUNDLE && res != FL_BUNDLE) {
		fl_bundle_amounts(r, res, both, 2, text);
		snprintf(buffer, FL_NUMBERS, "may hold %s %s, holds %s%s", text[0],
			 fl_bundle_name(res), text[1], side);
	} else if (row->lhs.kind == FL_NUMBER_DURATION) {
		fl_report_age(row->lhs.amount, text[0]);
		fl_report_age(row->rhs.amount, text[1]);
		snprintf(buffer, FL_NUMBERS, "has run for %s of %s%s", text[0], text[1], side);
	} else if (row->check == FL_CHECK_VICTIM_PRIORITY) {
		snprintf(buffer, FL_NUMBERS, "its priority %lld, this one's %lld",
			 (long long)row->lhs.amount, (long long)row->rhs.amount);
	}
	return buffer;
}

static void put_subject(const struct fl_report *r, const struct fl_entitle_answer *a,
			const struct fl_entitle_change *c, char *buffer, size_t size)
{
	const struct fl_model *m = r->model;
	const char *field = c->kind == FL_CELL_OVER_QUOTA_WEIGHT ? "over-quota weight" :
								   fl_cell_fields[c->kind];
	const char *resource = c->resource == FL_BUNDLE ? "" : fl_bundle_name(c->resource);
	char name[FL_REPORT_NAME];

	if (c->kind == FL_CELL_PRIORITY)
		snprintf(buffer, size, "priority of %s", fl_report_who(r, m, a->x->workload, name));
	else if (c->kind == FL_CELL_ALLOCATABLE)
		snprintf(buffer, size, "%s of machine '%s'", resource,
			 fl_model_text(m, m->machines[c->machine.v].name));
	else
		snprintf(buffer, size, "%s%s%s of queue '%s'", resource, *resource ? " " : "",
			 field, fl_report_node(m, c->node));
}

const char *fl_entitle_change_text(const struct fl_report *r, const struct fl_entitle_answer *a,
				   const struct fl_entitle_change *c, char buffer[FL_SENTENCE])
{
	bool plain = c->resource == FL_BUNDLE || c->kind == FL_CELL_OVER_QUOTA_WEIGHT;
	char subject[FL_REPORT_NAME + 64], then[128], text[2][32];
	const double both[] = { c->from, c->to };

	put_subject(r, a, c, subject, sizeof(subject));
	if (!plain)
		fl_bundle_amounts(r, c->resource, both, 2, text);
	for (unsigned i = 0; plain && i < 2; i++)
		snprintf(text[i], sizeof(text[i]), "%.15g", both[i]);
	if (c->alone == FL_ADMIT)
		snprintf(then, sizeof(then), "it starts");
	else
		snprintf(then, sizeof(then), "%u workload%s evicted for it", c->n_victims,
			 c->n_victims == 1 ? " is" : "s are");
	snprintf(buffer, FL_SENTENCE, "%s from %s to %s%s; then %s%s", subject, text[0], text[1],
		 c->exact ? "" : " (less may be enough)", then,
		 c->next == FL_WAIT ? ", once those ahead of it are served" : "");
	return buffer;
}
