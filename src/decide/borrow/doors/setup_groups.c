/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/borrow/doors/setup_groups.h"

static int alloc_groups(struct fl_policy *p, fairlead_error *err)
{
	const struct fl_model *m = p->model;
	uint32_t groups = 0, resources = 0, flavors = 0, columns = 0;

	for (uint32_t n = 0; n < m->n_nodes; n++)
		for (uint32_t g = 0; g < m->nodes[n].groups.n; g++) {
			const struct fl_group *row = &m->groups[m->nodes[n].groups.first + g];

			groups++;
			resources += row->resources.n;
			flavors += row->flavors.n;
			columns += row->flavors.n * row->resources.n;
		}
	return FL_NEW(&p->arena, p->groups, groups, err) &&
			       FL_NEW(&p->arena, p->group_resources, resources, err) &&
			       FL_NEW(&p->arena, p->group_flavors, flavors, err) &&
			       FL_NEW(&p->arena, p->group_columns, columns, err) ?
		       0 :
		       FAIRLEAD_ENOMEM;
}

static struct fl_resource find_resource(const struct fl_model *m, struct fl_sym name)
{
	for (uint32_t r = 0; r < m->n_resources; r++)
		if (m->resources[r].v == name.v)
			return (struct fl_resource){ r };
	return (struct fl_resource){ FL_NONE };
}

struct group_room {
	uint32_t groups, resources, flavors, columns;
};

static void fill_group(struct fl_policy *p, struct fl_node q, const struct fl_group *row,
		       struct group_room *at)
{
	const struct fl_model *m = p->model;
	struct fl_queue_group *g = &p->groups[at->groups++];

	*g = (struct fl_queue_group){ .resources = { at->resources, row->resources.n },
				      .flavors = { at->flavors, row->flavors.n },
				      .columns = at->columns };
	for (uint32_t r = 0; r < row->resources.n; r++) {
		struct fl_resource id = find_resource(m, m->syms[row->resources.first + r]);

		p->group_resources[at->resources++] = id;
		p->backlogs[q.v].covers_pods |= id.v == p->pods_resource.v && id.v != FL_NONE;
	}
	for (uint32_t f = 0; f < row->flavors.n; f++) {
		struct fl_flavor flavor = m->group_flavors[row->flavors.first + f].id;

		p->group_flavors[at->flavors++] = flavor;
		for (uint32_t r = 0; r < row->resources.n; r++)
			p->group_columns[at->columns++] = fl_tree_column(
				&p->tree, q, flavor, p->group_resources[g->resources.first + r]);
	}
}

int fl_setup_groups(struct fl_policy *p, fairlead_error *err)
{
	const struct fl_model *m = p->model;
	struct group_room at = { 0 };
	struct fl_sym pods = fl_names_find(&m->names, "pods", 4);
	int r = alloc_groups(p, err);

	if (r < 0)
		return r;
	p->pods_resource = find_resource(m, pods);
	for (uint32_t n = 0; n < m->n_nodes; n++) {
		const struct fl_node_row *row = &m->nodes[n];
		struct fl_backlog *backlog = &p->backlogs[n];

		backlog->groups = (struct fl_span){ at.groups, row->kind == FL_CLUSTER_QUEUE ?
								       row->groups.n :
								       0 };
		backlog->active = row->kind == FL_CLUSTER_QUEUE && row->inactive == FL_ACTIVE;
		backlog->sticky = FL_NONE;
		for (uint32_t g = 0; g < backlog->groups.n; g++)
			fill_group(p, (struct fl_node){ n }, &m->groups[row->groups.first + g],
				   &at);
	}
	return 0;
}
