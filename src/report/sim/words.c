/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "report/common/explain_words.h"
#include "report/sim/sim_report.h"
#include "sim/measure_waits.h"

double fl_sim_natural(const struct fl_model *m, struct fl_resource r, double amount)
{
	return fl_measure_scale(fl_report_resource(m, r)) < 1 ? amount / 1000 : amount;
}

const char *fl_sim_end_name(enum fl_sim_end end)
{
	static const char *const names[] = {
		[FL_SIM_GOES_ON] = "stopped", [FL_SIM_ALL_DONE] = "all-done",
		[FL_SIM_UNTIL] = "until",     [FL_SIM_NO_PROGRESS] = "no-progress",
		[FL_SIM_STOPPED] = "stopped",
	};

	return names[end];
}

bool fl_sim_cell_value(const struct fl_model *m, const struct fl_cell *c, double *ret)
{
	switch (c->kind) {
	case FL_CELL_NOMINAL:
	case FL_CELL_BORROWING_LIMIT:
	case FL_CELL_LENDING_LIMIT:
		*ret = fl_sim_natural(m, c->resource, (double)c->amount);
		return c->amount != FL_UNLIMITED && c->amount != FL_NO_LIMIT;
	case FL_CELL_PRIORITY:
		*ret = (double)c->amount;
		return true;
	case FL_CELL_WEIGHT:
		*ret = c->weight;
		return true;
	case FL_CELL_DESERVED:
	case FL_CELL_LIMIT:
	case FL_CELL_ALLOCATABLE:
		*ret = fl_sim_natural(m, c->resource, c->value);
		return c->value != FL_UNBOUNDED;
	case FL_CELL_OVER_QUOTA_WEIGHT:
	case FL_CELL_QUEUE_PRIORITY:
		*ret = c->value;
		return true;
	}
	return false;
}

const char *fl_sim_event_name(enum fl_sim_event_kind kind)
{
	static const char *const names[FL_SIM_EVENTS] = {
		[FL_SIM_ARRIVED] = "arrived", [FL_SIM_STARTED] = "started",
		[FL_SIM_EVICTED] = "evicted", [FL_SIM_LET_GO] = "letGo",
		[FL_SIM_KILLED] = "killed",   [FL_SIM_RETURNED] = "returned",
		[FL_SIM_ENDED] = "finished",  [FL_SIM_GAVE_UP] = "gaveUp",
		[FL_SIM_CHANGED] = "changed", [FL_SIM_FAILED] = "failed",
		[FL_SIM_BACK] = "back",       [FL_SIM_LOOP] = "loop",
	};

	return names[kind];
}

const char *fl_sim_change_text(const struct fl_model *m, const struct fl_measured_note *n,
			       char buffer[FL_SIM_CHANGE])
{
	const struct fl_cell *c = &n->cell;
	const char *whose = c->kind == FL_CELL_ALLOCATABLE ? fl_report_machine(m, c->machine) :
							     fl_report_node(m, c->node);
	const char *flavor = m->n_flavors ? fl_report_flavor(m, c->flavor) : "";
	const char *resource = fl_report_resource(m, c->resource);
	char number[32] = "unlimited";
	double value;

	if (c->kind == FL_CELL_ALLOCATABLE && c->resource.v == FL_NONE) { /* all of a machine */
		snprintf(buffer, FL_SIM_CHANGE, "%s", whose);
		return buffer;
	}
	if (fl_sim_cell_value(m, c, &value))
		fl_json_digits(value, number);
	snprintf(buffer, FL_SIM_CHANGE, "%s%s%s%s%s %s %s", whose, *flavor ? " " : "", flavor,
		 *resource ? " " : "", resource, fl_cell_fields[c->kind], number);
	return buffer;
}

const char *fl_sim_line_name(const struct fl_sim_report *s, const struct fl_series_row *l,
			     char buffer[FL_REPORT_NAME])
{
	const char *name = l->node == FL_NONE ?
				   "" :
				   fl_report_node(s->sim->model, s->measured->nodes[l->node].node);

	if (l->members == 0)
		snprintf(buffer, FL_REPORT_NAME, "%s", name);
	else
		snprintf(buffer, FL_REPORT_NAME, "%u other%s%s%.253s", l->members,
			 l->members == 1 ? "" : "s", *name ? " of " : "", name);
	return buffer;
}
