/* SPDX-License-Identifier: Apache-2.0 */
/* Names of queues that jobs are submitted to. */
#include "daemon/config/config_queue.h"

#include <stdio.h>
#include <string.h>

#include "base/nearest.h"

static bool is_entitle(const struct fl_model *m)
{
	return m->n_nodes > 0 && m->nodes[0].kind == FL_QUEUE;
}

static int fail_missing(const struct fl_model *m, const char *name, fairlead_error *err)
{
	struct fl_nearest near = { .wanted = name };
	char text[1600], full[512];

	fl_fail(err, FAIRLEAD_ENOENT, "there is no queue '%.300s'", name);
	for (uint32_t i = 0; i < m->n_nodes; i++)
		if (m->nodes[i].kind != FL_COHORT)
			fl_nearest_offer(&near, fl_model_text(m, m->nodes[i].name));
	for (uint32_t i = 0; i < m->n_queues; i++) {
		const char *local = fl_model_text(m, m->queues[i].name);

		(void)snprintf(full, sizeof full, "%.250s/%.253s",
			       fl_model_text(m, m->queues[i].namespace), local);
		fl_nearest_offer(&near, strchr(name, '/') ? full : local);
	}
	if (near.n)
		return fl_fail_hint(err, "did you mean %s?",
				    fl_nearest_text(&near, text, sizeof text));
	return fl_fail_hint(err, "'fairlead queues' lists the queues");
}

static int fail_several(const struct fl_model *m, const char *what, const char *name,
			const struct fl_queue_row *a, const struct fl_queue_row *b,
			fairlead_error *err)
{
	fl_fail(err, FAIRLEAD_EINPUT, "several LocalQueues %s '%.253s'", what, name);
	return fl_fail_hint(err, "name one of them: %.100s/%.100s, %.100s/%.100s",
			    fl_model_text(m, a->namespace), fl_model_text(m, a->name),
			    fl_model_text(m, b->namespace), fl_model_text(m, b->name));
}

uint32_t fl_config_local_queue(const struct fl_model *m, struct fl_sym namespace,
			       struct fl_sym name)
{
	for (uint32_t i = 0; i < m->n_queues; i++)
		if (m->queues[i].name.v == name.v && m->queues[i].namespace.v == namespace.v)
			return i;
	return FL_NONE;
}

/* A LocalQueue by its name alone; FL_NONE: no such queue. */
static int find_by_name(const struct fl_model *m, struct fl_sym name, uint32_t *ret,
			fairlead_error *err)
{
	*ret = FL_NONE;
	for (uint32_t i = 0; i < m->n_queues; i++) {
		if (m->queues[i].name.v != name.v)
			continue;
		if (*ret != FL_NONE)
			return fail_several(m, "are called", fl_model_text(m, name),
					    &m->queues[*ret], &m->queues[i], err);
		*ret = i;
	}
	return 0;
}

/* The only LocalQueue that leads to the ClusterQueue; FL_NONE: none does. */
static int find_by_cluster_queue(const struct fl_model *m, struct fl_sym name, uint32_t *ret,
				 fairlead_error *err)
{
	*ret = FL_NONE;
	for (uint32_t i = 0; i < m->n_queues; i++) {
		if (m->queues[i].cluster_queue_name.v != name.v)
			continue;
		if (*ret != FL_NONE)
			return fail_several(m, "lead to", fl_model_text(m, name), &m->queues[*ret],
					    &m->queues[i], err);
		*ret = i;
	}
	return 0;
}

static int find_local(const struct fl_model *m, const char *text, uint32_t *ret,
		      fairlead_error *err)
{
	const char *slash = strchr(text, '/');
	struct fl_sym namespace, name;
	int r;

	name = fl_names_find(&m->names, slash ? slash + 1 : text, strlen(slash ? slash + 1 : text));
	*ret = FL_NONE;
	if (name.v == FL_NONE)
		return 0;
	if (slash) {
		namespace = fl_names_find(&m->names, text, (size_t)(slash - text));
		*ret = namespace.v == FL_NONE ? FL_NONE : fl_config_local_queue(m, namespace, name);
		return 0;
	}
	r = find_by_name(m, name, ret, err);
	if (r < 0 || *ret != FL_NONE)
		return r;
	return find_by_cluster_queue(m, name, ret, err);
}

/* A Queue that can have workloads. */
static int find_entitled(const struct fl_model *m, const char *text, struct fl_sym *ret,
			 fairlead_error *err)
{
	struct fl_node n = fl_model_find_node(m, FL_QUEUE, text);

	if (n.v == FL_NONE)
		return fail_missing(m, text, err);
	for (uint32_t i = 0; i < m->n_nodes; i++)
		if (m->nodes[i].parent_name.v == m->nodes[n.v].name.v) {
			fl_fail(err, FAIRLEAD_EINPUT, "queue '%.253s' has queues below it", text);
			return fl_fail_hint(err, "name one of those, such as '%.253s'",
					    fl_model_text(m, m->nodes[i].name));
		}
	*ret = m->nodes[n.v].name;
	return 0;
}

int fl_config_queue(const struct fl_model *m, const char *name, struct fl_sym *ret_namespace,
		    struct fl_sym *ret_queue, fairlead_error *err)
{
	uint32_t found = FL_NONE;
	int r;

	if (is_entitle(m)) {
		r = find_entitled(m, name, ret_queue, err);
		if (r == 0)
			*ret_namespace = fl_names_find(&m->names, "default", 7);
		return r;
	}
	r = find_local(m, name, &found, err);
	if (r < 0)
		return r;
	if (found == FL_NONE)
		return fail_missing(m, name, err);
	*ret_namespace = m->queues[found].namespace;
	*ret_queue = m->queues[found].name;
	return 0;
}
