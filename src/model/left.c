/* SPDX-License-Identifier: Apache-2.0 */
#include "model/left.h"

#include <string.h>

#include "model/table.h"

static bool has_undecided_flavor(const struct fl_model *m, const struct fl_node_row *row)
{
	for (uint32_t g = 0; g < row->groups.n; g++) {
		const struct fl_span flavors = m->groups[row->groups.first + g].flavors;

		for (uint32_t i = 0; i < flavors.n; i++)
			if (m->flavors[m->group_flavors[flavors.first + i].id.v].undecided)
				return true;
	}
	return false;
}

bool fl_left_is_handed_over(const struct fl_node_row *row)
{
	const bool kept_from_kueue = row->checks == FL_CHECKS_NONE ?
					     row->stop == FL_STOP_HOLD :
					     row->checks == FL_CHECKS_TAKEN &&
						     row->stop == FL_STOP_NONE;

	return row->handed != FL_HANDED_NOT && kept_from_kueue &&
	       row->inactive != FL_INACTIVE_COHORT_CYCLE;
}

/*
 * Where it is admitted, whatever its LocalQueue says; that is asked only where the other cannot be read.  A name that no
 * ClusterQueue has tells no tree: it may be one that is left out.
 */
static struct fl_node queue_of(const struct fl_model *m, const struct fl_uncertain_row *row)
{
	static const struct fl_sym no_namespace = { 0 };
	struct fl_sym name = row->cluster_queue_name;

	if (name.v == FL_NONE && row->queue_name.v != FL_NONE) {
		uint32_t q = fl_table_find(m, FL_TABLE_QUEUE, row->namespace, row->queue_name);

		if (q != FL_NONE)
			name = m->queues[q].cluster_queue_name;
	}
	return (struct fl_node){ name.v == FL_NONE ? FL_NONE :
						     fl_table_find(m, FL_TABLE_CLUSTER_QUEUE,
								   no_namespace, name) };
}

/* Is there one that may be in any tree? */
static bool place_uncertain(struct fl_model *m)
{
	bool any = false;

	for (uint32_t i = 0; i < m->n_uncertain; i++) {
		const struct fl_node n = queue_of(m, &m->uncertain[i]);

		m->uncertain[i].node = n;
		any |= n.v == FL_NONE;
		if (n.v != FL_NONE && m->nodes[n.v].inactive != FL_INACTIVE_COHORT_CYCLE)
			m->nodes[fl_model_root(m, n).v].elsewhere = true;
	}
	return any;
}

/* By this node alone. */
static enum fl_left leaves(const struct fl_model *m, const struct fl_node_row *row)
{
	if (row->kind == FL_CLUSTER_QUEUE && !fl_left_is_handed_over(row))
		return row->handed != FL_HANDED_NOT && row->checks == FL_CHECKS_CHANGED ?
			       FL_LEFT_CHECKS :
			       FL_LEFT_QUEUE;
	if (row->undecided)
		return FL_LEFT_RULE;
	return has_undecided_flavor(m, row) ? FL_LEFT_FLAVOR : FL_LEFT_NOT;
}

void fl_left_find(struct fl_model *m)
{
	const bool nowhere = place_uncertain(m) || m->settings.undecided;

	for (uint32_t n = 0; n < m->n_nodes; n++) {
		const struct fl_node_row *row = &m->nodes[n];

		if (row->inactive == FL_INACTIVE_COHORT_CYCLE || nowhere)
			m->nodes[n].elsewhere = true;
		else if (leaves(m, row) != FL_LEFT_NOT)
			m->nodes[fl_model_root(m, (struct fl_node){ n }).v].elsewhere = true;
	}
	for (uint32_t n = 0; n < m->n_nodes; n++)
		if (m->nodes[n].inactive != FL_INACTIVE_COHORT_CYCLE)
			m->nodes[n].elsewhere =
				m->nodes[fl_model_root(m, (struct fl_node){ n }).v].elsewhere;
}

static int cmp_uncertain(const struct fl_model *m, const struct fl_uncertain_row *a,
			 const struct fl_uncertain_row *b)
{
	const int c = strcmp(fl_model_text(m, a->namespace), fl_model_text(m, b->namespace));

	return c ? c : strcmp(fl_model_text(m, a->name), fl_model_text(m, b->name));
}

/* Of a cycle of cohorts nothing is said: nothing is decided in it anyway, and the way up has no end. */
static bool is_one_tree(const struct fl_model *m, struct fl_node a, struct fl_node b)
{
	return m->nodes[a.v].inactive != FL_INACTIVE_COHORT_CYCLE &&
	       m->nodes[b.v].inactive != FL_INACTIVE_COHORT_CYCLE &&
	       fl_model_root(m, a).v == fl_model_root(m, b).v;
}

const struct fl_uncertain_row *fl_model_uncertain(const struct fl_model *m, struct fl_node n)
{
	const struct fl_uncertain_row *first = NULL;

	for (uint32_t i = 0; i < m->n_uncertain; i++) {
		const struct fl_uncertain_row *row = &m->uncertain[i];
		const bool is_here = row->node.v == FL_NONE || is_one_tree(m, row->node, n);

		if (is_here && (!first || cmp_uncertain(m, row, first) < 0))
			first = row;
	}
	return first;
}

enum fl_left fl_model_left(const struct fl_model *m, struct fl_node n, struct fl_node *ret_by)
{
	*ret_by = (struct fl_node){ FL_NONE };
	if (!m->nodes[n.v].elsewhere || m->nodes[n.v].inactive == FL_INACTIVE_COHORT_CYCLE)
		return FL_LEFT_NOT;
	if (m->settings.undecided)
		return FL_LEFT_CONFIGURATION;
	if (fl_model_uncertain(m, n))
		return FL_LEFT_UNCERTAIN;
	for (uint32_t i = 0; i < m->n_nodes; i++) {
		const struct fl_node by = { i };
		const enum fl_left why = leaves(m, &m->nodes[i]);

		if (why != FL_LEFT_NOT && is_one_tree(m, by, n)) {
			*ret_by = by;
			return why;
		}
	}
	return FL_LEFT_NOT;
}

const char *fl_left_words(enum fl_left why)
{
	static const char *const words[] = {
		[FL_LEFT_QUEUE] = "is not handed over",
		[FL_LEFT_CHECKS] = "has other admission checks than when it was handed over",
		[FL_LEFT_RULE] = "uses what fairlead does not decide for",
		[FL_LEFT_FLAVOR] = "has a flavor that uses what fairlead does not decide for",
	};

	return words[why];
}
