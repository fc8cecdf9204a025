/* SPDX-License-Identifier: Apache-2.0 */
#include "model/suggest.h"

#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/nearest.h"

enum { ENOUGH_NOTICES = 100, SHORT = 3 };

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/*
 * Is it another one of a series, such as q1 of q0, or team-b of team-a?  That is no slip, but an
 * object of its own, as when one is deleted to see what happens.
 */
static bool is_of_series(const char *a, const char *b)
{
	size_t i = 0;

	while (a[i] && b[i] && (a[i] == b[i] || (is_digit(a[i]) && is_digit(b[i]))))
		i++;
	return a[i] == b[i] || (a[i] && b[i] && !a[i + 1] && !b[i + 1]);
}

static void offer_name(struct fl_nearest *near, const char *name)
{
	if (!is_of_series(near->wanted, name))
		fl_nearest_offer(near, name);
}

static void offer_flavors(const struct fl_model *m, struct fl_nearest *near)
{
	for (uint32_t i = 0; i < m->n_flavors; i++)
		if (m->flavors[i].declared)
			offer_name(near, fl_model_text(m, m->flavors[i].name));
}

static void offer_nodes(const struct fl_model *m, enum fl_table table, struct fl_nearest *near)
{
	for (uint32_t i = 0; i < m->n_nodes; i++)
		if (fl_table_of_node(&m->nodes[i]) == table)
			offer_name(near, fl_model_text(m, m->nodes[i].name));
}

static void offer_classes(const struct fl_model *m, bool of_workloads, struct fl_nearest *near)
{
	for (uint32_t i = 0; i < m->n_priorities; i++)
		if (m->priorities[i].of_workloads == of_workloads)
			offer_name(near, fl_model_text(m, m->priorities[i].name));
}

static void offer_queues(const struct fl_model *m, struct fl_nearest *near)
{
	char name[2 * FL_MAX_NAME + 2];

	for (uint32_t i = 0; i < m->n_queues; i++) {
		(void)snprintf(name, sizeof name, "%s/%s", fl_model_text(m, m->queues[i].namespace),
			       fl_model_text(m, m->queues[i].name));
		offer_name(near, name);
	}
}

static void offer(const struct fl_model *m, enum fl_table table, struct fl_nearest *near)
{
	switch (table) {
	case FL_TABLE_FLAVOR:
		offer_flavors(m, near);
		break;
	case FL_TABLE_CLUSTER_QUEUE:
	case FL_TABLE_ENTITLED:
		offer_nodes(m, table, near);
		break;
	case FL_TABLE_PRIORITY_CLASS:
	case FL_TABLE_WORKLOAD_PRIORITY_CLASS:
		offer_classes(m, table == FL_TABLE_WORKLOAD_PRIORITY_CLASS, near);
		break;
	case FL_TABLE_QUEUE:
		offer_queues(m, near);
		break;
	default:
		break;
	}
}

/* Is the one that is nearest in another namespace? */
static bool is_elsewhere(const char *namespace, const struct fl_nearest *near)
{
	size_t len = strlen(namespace);

	return strncmp(near->name[0], namespace, len) != 0 || near->name[0][len] != '/';
}

const char *fl_model_suggest(const struct fl_model *m, enum fl_table table, struct fl_sym namespace,
			     struct fl_sym name, char buffer[FL_SUGGESTION])
{
	const char *ns = table == FL_TABLE_QUEUE ? fl_model_text(m, namespace) : "";
	char wanted[2 * FL_MAX_NAME + 2], text[FL_SUGGESTION - 100];
	struct fl_nearest near = { .wanted = wanted };

	if (m->n_notices >= ENOUGH_NOTICES || strlen(fl_model_text(m, name)) < SHORT)
		return NULL;
	(void)snprintf(wanted, sizeof wanted, "%s%s%s", ns, *ns ? "/" : "", fl_model_text(m, name));
	offer(m, table, &near);
	if (near.n == 0)
		return NULL;
	(void)snprintf(buffer, FL_SUGGESTION, "did you mean %s?%s",
		       fl_nearest_text(&near, text, sizeof text),
		       *ns && is_elsewhere(ns, &near) ?
			       " A workload uses the local queues of its own namespace" :
			       "");
	return buffer;
}
