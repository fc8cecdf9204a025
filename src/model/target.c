/* SPDX-License-Identifier: Apache-2.0 */
/* Names that jobs are sent to: found in the trees, or made by a template. */
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "model/table.h"

static const char namespace_of_traces[] = "trace";
static const struct fl_sym no_namespace = { 0 };

static int fail(const struct fl_model *m, struct fl_place by, fairlead_error *err)
{
	fl_fail_in(err, "Simulation/%.253s", fl_model_text(m, m->simulation.name));
	fl_model_fail_at(m, by, err);
	return FAIRLEAD_EINPUT;
}

static bool takes(const struct fl_model *m, enum fl_dialect kind)
{
	return m->wanted == FL_DIALECT_ANY || m->wanted == kind;
}

/* --- what there is --- */

static void offer_queues(const struct fl_model *m, struct fl_nearest *near)
{
	for (uint32_t i = 0; i < m->n_nodes; i++)
		if (m->nodes[i].kind != FL_COHORT)
			fl_nearest_offer(near, fl_model_text(m, m->nodes[i].name));
	for (uint32_t i = 0; i < m->n_queues; i++) {
		char name[512];

		(void)snprintf(name, sizeof name, "%.250s/%.253s",
			       fl_model_text(m, m->queues[i].namespace),
			       fl_model_text(m, m->queues[i].name));
		fl_nearest_offer(near, strchr(near->wanted, '/') ?
					       name :
					       fl_model_text(m, m->queues[i].name));
	}
}

static int fail_missing(const struct fl_model *m, struct fl_sym to, struct fl_place by,
			fairlead_error *err)
{
	struct fl_nearest near = { .wanted = fl_model_text(m, to) };
	char text[1600];

	fl_fail(err, FAIRLEAD_EINPUT, "there is no queue '%.300s'%s", near.wanted,
		m->n_templates ? ", and no template makes it" : "");
	offer_queues(m, &near);
	if (near.n)
		fl_fail_hint(err, "did you mean %s?", fl_nearest_text(&near, text, sizeof text));
	else
		fl_fail_hint(err, "'queueTemplates' can make queues for names like this");
	return fail(m, by, err);
}

static int fail_several(const struct fl_model *m, struct fl_sym to, struct fl_place by,
			fairlead_error *err)
{
	fl_fail(err, FAIRLEAD_EINPUT, "several LocalQueues are called '%.300s'",
		fl_model_text(m, to));
	fl_fail_hint(err, "write NAMESPACE/%.200s", fl_model_text(m, to));
	return fail(m, by, err);
}

/* "ns/name", or a name that only one LocalQueue has; 1 when there is none. */
static int find_local(const struct fl_model *m, struct fl_sym to, struct fl_place by,
		      struct fl_target_row *ret, fairlead_error *err)
{
	const char *text = fl_model_text(m, to), *slash = strchr(text, '/');
	uint32_t found = FL_NONE;

	if (slash) {
		struct fl_sym namespace = fl_names_find(&m->names, text, (size_t)(slash - text));
		struct fl_sym name = fl_names_find(&m->names, slash + 1, strlen(slash + 1));

		if (namespace.v != FL_NONE && name.v != FL_NONE)
			found = fl_table_find(m, FL_TABLE_QUEUE, namespace, name);
	}
	for (uint32_t i = 0; i < m->n_queues && !slash; i++) {
		if (m->queues[i].name.v != to.v)
			continue;
		if (found != FL_NONE)
			return fail_several(m, to, by, err);
		found = i;
	}
	if (found == FL_NONE)
		return 1;
	ret->namespace = m->queues[found].namespace;
	ret->queue_name = m->queues[found].name;
	return 0;
}

/* --- what is made --- */

/* Jobs of a trace live in a namespace of their own; entitle: in no queue's. */
static int send_to(struct fl_model *m, const struct fl_node_row *node, struct fl_place by,
		   struct fl_target_row *ret, fairlead_error *err)
{
	struct fl_queue_row row = fl_queue_default;
	struct fl_sym name = node->name;
	bool local = node->kind == FL_CLUSTER_QUEUE;
	int r = fl_model_sym(m, namespace_of_traces, sizeof namespace_of_traces - 1, &row.namespace,
			     err);

	row.name = row.cluster_queue_name = name;
	row.place = by;
	if (r == 0 && local)
		r = fl_model_add_queue(m, &row, err);
	ret->namespace = row.namespace;
	ret->queue_name = name;
	return r;
}

/* @match: a name, or what stands around its one star. */
static bool matches(const char *match, const char *name)
{
	const char *star = strchr(match, '*');
	size_t before = star ? (size_t)(star - match) : 0, after = star ? strlen(star + 1) : 0;
	size_t len = strlen(name);

	if (!star)
		return strcmp(match, name) == 0;
	return len >= before + after && strncmp(match, name, before) == 0 &&
	       strcmp(star + 1, name + len - after) == 0;
}

/* In the namespace of traces: "ns/name" is only for one that exists. */
static int make_local(struct fl_model *m, const struct fl_template_row *t, struct fl_sym to,
		      fairlead_error *err)
{
	struct fl_queue_row row = t->queue;
	int r = fl_model_sym(m, namespace_of_traces, sizeof namespace_of_traces - 1, &row.namespace,
			     err);

	row.name = to;
	return r < 0 ? r : fl_model_add_queue(m, &row, err);
}

/* 1 when no template makes it; *@local: it is a LocalQueue. */
static int make(struct fl_model *m, struct fl_sym to, bool *local, fairlead_error *err)
{
	for (uint32_t i = 0; i < m->n_templates; i++) {
		struct fl_template_row *t = &m->templates[i];
		struct fl_node_row row = t->node;
		bool entitle = row.kind == FL_QUEUE;
		int r = 0;

		if (!takes(m, entitle ? FL_DIALECT_KAI : FL_DIALECT_KUEUE) ||
		    !matches(fl_model_text(m, t->match), fl_model_text(m, to)) ||
		    (t->local && strchr(fl_model_text(m, to), '/')))
			continue;
		t->used = true;
		*local = t->local;
		if (t->local)
			return make_local(m, t, to, err);
		row.name = to;
		if (entitle) {
			const struct fl_entitlement says = m->entitlements[row.entitlement];

			r = fl_model_push_entitlements(m, &says, &row.entitlement, err);
		}
		return r < 0 ? r : fl_model_add_node(m, &row, err);
	}
	return 1;
}

/* The ClusterQueue or Queue of that name; FL_NONE when there is none. */
static uint32_t find_node(const struct fl_model *m, struct fl_sym to)
{
	uint32_t n = takes(m, FL_DIALECT_KUEUE) ?
			     fl_table_find(m, FL_TABLE_CLUSTER_QUEUE, no_namespace, to) :
			     FL_NONE;

	return n == FL_NONE && takes(m, FL_DIALECT_KAI) ?
		       fl_table_find(m, FL_TABLE_ENTITLED, no_namespace, to) :
		       n;
}

static int resolve(struct fl_model *m, struct fl_sym to, struct fl_place by,
		   struct fl_target_row *ret, fairlead_error *err)
{
	int r = takes(m, FL_DIALECT_KUEUE) ? find_local(m, to, by, ret, err) : 1;
	bool local = false;
	uint32_t n;

	if (r <= 0)
		return r;
	n = find_node(m, to);
	if (n == FL_NONE) {
		r = make(m, to, &local, err);
		if (r < 0)
			return r;
		if (local)
			return find_local(m, to, by, ret, err);
		n = r ? FL_NONE : m->n_nodes - 1;
	}
	if (n == FL_NONE)
		return fail_missing(m, to, by, err);
	const struct fl_node_row node = m->nodes[n];

	return send_to(m, &node, by, ret, err);
}

int fl_model_target(struct fl_model *m, struct fl_sym to, struct fl_place by,
		    struct fl_target_row *ret, fairlead_error *err)
{
	uint32_t known = fl_pairs_find(&m->by_name, FL_TABLE_TARGET_KEY, to.v);
	struct fl_target_row row = { .to = to };
	int r;

	if (known != FL_NONE) {
		*ret = m->targets[known];
		return 0;
	}
	r = resolve(m, to, by, &row, err);
	if (r == 0)
		r = fl_pairs_add(&m->by_name, FL_TABLE_TARGET_KEY, to.v, m->n_targets,
				 /* ret_old= */ NULL, err);
	if (r == 0)
		r = fl_model_push_targets(m, &row, /* ret_id= */ NULL, err);
	if (r == 0)
		*ret = row;
	return r;
}
