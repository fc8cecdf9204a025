/* SPDX-License-Identifier: Apache-2.0 */
/* Checks and changes in words; a check without words of its own has its meaning. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/time.h"
#include "report/borrow/explain_report.h"

/* Two shares with as many decimals as it takes to tell them apart. */
static void write_shares(double a, double b, char first[32], char second[32])
{
	for (int decimals = 0; decimals <= 17; decimals++) {
		snprintf(first, 32, "%.*f", decimals, a);
		snprintf(second, 32, "%.*f", decimals, b);
		if (strcmp(first, second) != 0 || a == b)
			break;
	}
}

static const char *write_number(const struct fl_report *r, struct fl_resource resource,
				struct fl_number n, char buffer[64])
{
	switch (n.kind) {
	case FL_NUMBER_SHARE:
	case FL_NUMBER_BUNDLE:
	case FL_NUMBER_RATIO:
		snprintf(buffer, 64, "%.1f", n.share);
		break;
	case FL_NUMBER_TIME:
		fl_time_format(buffer, n.amount);
		break;
	case FL_NUMBER_DURATION:
		fl_report_age(n.amount, buffer);
		break;
	case FL_NUMBER_AMOUNT:
		if (resource.v == FL_NONE)
			snprintf(buffer, 64, "%lld", (long long)n.amount);
		else
			fl_report_amount(r, resource, n.amount, buffer);
		break;
	}
	return buffer;
}

static bool says_nothing(struct fl_number n) { return n.kind == FL_NUMBER_AMOUNT && n.amount == 0; }

/* " of 'node'", where that is not the queue that stands beside it anyway. */
static void write_node(const struct fl_report *r, const struct fl_explain_refusal *row,
		       char buffer[FL_MAX_NAME + 8])
{
	bool known = row->victim.v == FL_NONE ||
		     fl_report_queue(r->model, row->victim).v == row->node.v;

	if (known)
		buffer[0] = '\0';
	else
		snprintf(buffer, FL_MAX_NAME + 8, " of '%s'", fl_report_node(r->model, row->node));
}

const char *fl_explain_numbers(const struct fl_report *r, const struct fl_explain_refusal *row,
			       char buffer[FL_NUMBERS])
{
	const char *resource = row->resource.v == FL_NONE ?
				       "" :
				       fl_report_short_resource(r->model, row->resource);
	char a[64], b[64], said[2][32], of[FL_MAX_NAME + 8];

	write_number(r, row->resource, row->lhs, a);
	write_number(r, row->resource, row->rhs, b);
	if (row->resource.v != FL_NONE && row->lhs.kind == FL_NUMBER_AMOUNT) {
		const fl_amount both[] = { row->lhs.amount, row->rhs.amount };

		fl_report_amounts(r, row->resource, both, 2, said);
		strcpy(a, said[0]);
		strcpy(b, said[1]);
	}
	write_node(r, row, of);
	switch (row->check) {
	case FL_CHECK_S2A:
	case FL_CHECK_S2B:
		write_shares(row->lhs.share, row->rhs.share, a, b);
		snprintf(buffer, FL_NUMBERS, "share%s %s%s, ours %s", of, b,
			 row->check == FL_CHECK_S2A ? " without it" : "", a);
		break;
	case FL_CHECK_RUNG:
		write_shares(row->lhs.share, row->rhs.share, a, b);
		snprintf(buffer, FL_NUMBERS, "admitted at share%s %s, ours %s", of, b, a);
		break;
	case FL_CHECK_VICTIM_PRIORITY:
		snprintf(buffer, FL_NUMBERS, "priority %s, ours %s", a, b);
		break;
	case FL_CHECK_VICTIM_AGE:
		snprintf(buffer, FL_NUMBERS, "waited since %s, ours %s", b, a);
		break;
	case FL_CHECK_VICTIM_BORROWS:
	case FL_CHECK_STILL_BORROWS:
		snprintf(buffer, FL_NUMBERS, "usage%s %s, quota %s %s", of, b, a, resource);
		break;
	case FL_CHECK_WHILE_BORROWING:
		if (row->rhs.amount == INT32_MIN)
			snprintf(buffer, FL_NUMBERS, "borrowWithinCohort is Never");
		else
			snprintf(buffer, FL_NUMBERS, "priority %s, at most %s", a, b);
		break;
	case FL_CHECK_VICTIM_NEEDED:
		snprintf(buffer, FL_NUMBERS, "%s %s free while it stays, %s asked", a, resource, b);
		break;
	case FL_CHECK_FITS_WITHOUT:
		snprintf(buffer, FL_NUMBERS, "%s free without them, %s %s asked", b, a, resource);
		break;
	case FL_CHECK_VICTIM_POLICY:
		snprintf(buffer, FL_NUMBERS, "%s: Never",
			 r->model->nodes[row->node.v].kind == FL_COHORT ? "reclaimWithinCohort" :
									  "withinClusterQueue");
		break;
	default:
		if (says_nothing(row->lhs) && says_nothing(row->rhs))
			buffer[0] = '\0';
		else
			snprintf(buffer, FL_NUMBERS, "%s / %s%s%s", a, b, *resource ? " " : "",
				 resource);
	}
	return buffer;
}

const char *fl_explain_change_text(const struct fl_report *r, const struct fl_explain_report *e,
				   const struct fl_explain_change *c, char buffer[FL_SENTENCE])
{
	const struct fl_model *m = r->model;
	const char *field = fl_cell_fields[c->kind];
	char said[2][32], name[FL_REPORT_NAME];

	switch (c->kind) {
	case FL_CELL_PRIORITY:
		snprintf(buffer, FL_SENTENCE, "%s%s: %s from %lld to %lld", r->jobs ? "job " : "",
			 fl_report_who(r, m, e->x->workload, name), field, (long long)c->from,
			 (long long)c->to);
		break;
	case FL_CELL_WEIGHT:
		snprintf(buffer, FL_SENTENCE, "%s '%s': %s from %.15g to %.15g",
			 fl_report_kind(m, c->node), fl_report_node(m, c->node), field,
			 c->weight_from, c->weight_to);
		break;
	case FL_CELL_NOMINAL:
	case FL_CELL_BORROWING_LIMIT:
	case FL_CELL_LENDING_LIMIT:
		fl_report_amounts(r, c->resource, (const fl_amount[]){ c->from, c->to }, 2, said);
		snprintf(buffer, FL_SENTENCE, "%s '%s': %s of %s in flavor '%s' from %s to %s",
			 fl_report_kind(m, c->node), fl_report_node(m, c->node), field,
			 fl_report_short_resource(m, c->resource), fl_report_flavor(m, c->flavor),
			 said[0], said[1]);
		break;
	default: /* of the entitle policy */
		break;
	}
	return buffer;
}

const char *fl_explain_outcome(const struct fl_explain_proposal *p, char buffer[160])
{
	const char *s = p->n_victims == 1 ? "" : "s";

	if (p->next == FL_ADMIT)
		snprintf(buffer, 160, "the coming cycle admits it");
	else if (p->next == FL_RESERVE)
		snprintf(buffer, 160, "the coming cycle preempts %u workload%s for it",
			 p->n_victims, s);
	else if (p->alone == FL_ADMIT)
		snprintf(buffer, 160, "it is admitted when its turn comes");
	else
		snprintf(buffer, 160, "%u workload%s can be preempted for it when its turn comes",
			 p->n_victims, s);
	return buffer;
}
