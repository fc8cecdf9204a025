/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/borrow/protect.h"

void fl_view_take(const struct fl_policy *p, struct fl_view *v, struct fl_workload holder)
{
	const struct fl_job *j = &p->jobs[holder.v];
	const struct fl_use *uses = fl_uses(p, j);

	for (uint32_t i = 0; i < j->n_use; i++)
		fl_usage_remove(&v->usage, &p->tree, j->held_by, uses[i].column, uses[i].amount);
}

void fl_view_give(const struct fl_policy *p, struct fl_view *v, struct fl_workload holder)
{
	const struct fl_job *j = &p->jobs[holder.v];
	const struct fl_use *uses = fl_uses(p, j);

	for (uint32_t i = j->n_use; i-- > 0;)
		fl_usage_add(&v->usage, &p->tree, j->held_by, uses[i].column, uses[i].amount);
}

void fl_view_add(struct fl_policy *p, struct fl_view *v, const struct fl_ask *ask)
{
	for (uint32_t i = 0; i < ask->n; i++)
		fl_usage_add(&v->usage, &p->tree, ask->queue, ask->uses[i].column,
			     ask->uses[i].amount);
}

void fl_view_sub(struct fl_policy *p, struct fl_view *v, const struct fl_ask *ask)
{
	for (uint32_t i = ask->n; i-- > 0;)
		fl_usage_remove(&v->usage, &p->tree, ask->queue, ask->uses[i].column,
				ask->uses[i].amount);
}

bool fl_view_fits(const struct fl_policy *p, const struct fl_view *v, const struct fl_ask *ask,
		  bool borrow)
{
	for (uint32_t i = 0; i < ask->n; i++) {
		struct fl_column column = ask->uses[i].column;
		fl_amount amount = ask->uses[i].amount;

		if ((!borrow || (amount > 0 && !fl_protect_may_borrow(p, ask->queue, column))) &&
		    fl_quota_borrows_with(&p->tree, &v->usage, ask->queue, column, amount))
			return false;
		if (amount >
		    fl_amount_max(0, fl_quota_available(&p->tree, &v->usage, ask->queue, column)))
			return false;
	}
	return true;
}
