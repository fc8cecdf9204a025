/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/borrow/state/adopting.h"

struct fl_column fl_adopting_find_column(const struct fl_adopting *a, const struct fl_policy *p,
					 struct fl_node q, struct fl_column column)
{
	const struct fl_column_info *info = &fl_tree_root_of(&a->from->tree, q)->columns[column.v];

	return fl_tree_column(&p->tree, (struct fl_node){ a->is.nodes[q.v] },
			      (struct fl_flavor){ a->is.flavors[info->flavor.v] },
			      (struct fl_resource){ a->is.resources[info->resource.v] });
}

struct fl_column fl_adopting_column(const struct fl_adopting *a, const struct fl_policy *p,
				    struct fl_node q, struct fl_column column)
{
	uint32_t root = a->from->tree.root_index[q.v];
	uint32_t is = p->tree.root_index[a->is.nodes[q.v]];

	if (is == FL_NONE || is != a->to_root[root]) /* it belongs to another tree now */
		return fl_adopting_find_column(a, p, q, column);
	return (struct fl_column){ a->columns[a->first[root] + column.v] };
}
