/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/borrow/view/tell.h"

void fl_tell_of(const struct fl_policy *p, const struct fl_teller *t, const struct fl_ask *ask,
		struct fl_column column, struct fl_evidence row)
{
	row.workload = ask->workload;
	row.podset = row.flavor.v = row.resource.v = FL_NONE;
	if (column.v != FL_NONE) {
		const struct fl_column_info *info =
			&fl_tree_root_of(&p->tree, ask->queue)->columns[column.v];

		row.flavor = info->flavor;
		row.resource = info->resource;
	}
	fl_tell(t, &row);
}
