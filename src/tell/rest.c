/* SPDX-License-Identifier: Apache-2.0 */
#include "tell/rest.h"

#include "ask/common/explain.h"
#include "base/amount.h"
#include "base/mem.h"

static bool is_nominal_of(const struct fl_event *e, const struct fl_explain_spare *of)
{
	return e->kind == FL_EV_CELL && e->cell.kind == FL_CELL_NOMINAL &&
	       e->cell.flavor.v == of->flavor.v && e->cell.resource.v == of->resource.v;
}

static fl_amount nominal_of(const struct fl_model *m, struct fl_node node,
			    const struct fl_explain_spare *of)
{
	struct fl_quota_walk walk = { 0 };
	const struct fl_quota *q;

	while ((q = fl_model_next_quota(m, node, &walk)) != NULL)
		if (q->flavor.v == of->flavor.v && q->resource.v == of->resource.v)
			return q->nominal;
	return 0;
}

/* What the queues have more, in @more; false: nothing changes there, or the rest itself is set. */
static bool look(const struct fl_question *q, const struct fl_event *events, uint32_t n,
		 const struct fl_explain_spare *of, fl_amount *more)
{
	bool changes = false;

	*more = 0;
	for (uint32_t i = 0; i < n; i++) {
		const struct fl_cell *cell = &events[i].cell;

		if (!is_nominal_of(&events[i], of))
			continue;
		if (cell->node.v == q->machine->rest.v)
			return false;
		changes = true;
		*more = fl_sat_add(*more,
				   fl_sat_sub(cell->amount, nominal_of(q->model, cell->node, of)));
	}
	return changes;
}

int fl_tell_take_from_rest(const struct fl_question *q, struct fl_event **events, uint32_t *n,
			   fairlead_error *err)
{
	const struct fl_explain_machine *m = q->machine;
	const uint32_t given = *n;
	uint32_t cap = given;

	for (uint32_t i = 0; m && m->rest.v != FL_NONE && i < m->n; i++) {
		const struct fl_explain_spare *spare = &m->spare[i];
		fl_amount more, left;

		if (!look(q, *events, given, spare, &more))
			continue;
		left = fl_sat_sub(fl_sat_sub(spare->amount, spare->beyond), more);
		if (fl_mem_grow(&fl_mem_heap, events, &cap, *n + 1, sizeof **events, err) < 0)
			return FAIRLEAD_ENOMEM;
		(*events)[(*n)++] = (struct fl_event){
			.kind = FL_EV_CELL,
			.workload = { FL_NONE },
			.cell = { .kind = FL_CELL_NOMINAL,
				  .node = m->rest,
				  .flavor = spare->flavor,
				  .resource = spare->resource,
				  .amount = left > 0 ? left : 0 },
		};
	}
	return 0;
}
