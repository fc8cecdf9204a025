/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table - the model's objects by kind and name; private to src/model, and to ask/lint for
 * the names of objects
 *
 * One hash table serves every kind: cluster-wide kinds are keyed by (kind, name),
 * namespaced ones by (kind and namespace in one number, name).
 */
#ifndef FL_MODEL_TABLE_H
#define FL_MODEL_TABLE_H

#include "model/model.h"

enum fl_table {
	FL_TABLE_FLAVOR,
	FL_TABLE_CLUSTER_QUEUE,
	FL_TABLE_COHORT,
	FL_TABLE_NAMESPACE,
	FL_TABLE_PRIORITY_CLASS,
	FL_TABLE_WORKLOAD_PRIORITY_CLASS,
	FL_TABLE_RUNTIME_CLASS,
	FL_TABLE_QUEUE, /* from here on namespaced */
	FL_TABLE_WORKLOAD,
	FL_TABLE_LIMIT_RANGE,
};

/* First halves of keys above all cluster-wide kinds: a Policy's rows, by scope. */
enum { FL_TABLE_PROTECTION_KEY = 13 };

/* totals.c: what each workload's pods take, from all that the input says of them */
int fl_totals_fill(struct fl_model *m, struct fl_arena *scratch, fairlead_error *err);

/* protection.c: names to nodes */
int fl_protection_resolve(struct fl_model *m, fairlead_error *err);

/* "ClusterQueue" */
const char *fl_table_kind(enum fl_table table);

/* First half of the key; @namespace counts for namespaced kinds only. */
static inline uint32_t fl_table_key(enum fl_table table, struct fl_sym namespace)
{
	return table < FL_TABLE_QUEUE ?
		       (uint32_t)table :
		       (namespace.v + 8) * 4 + (uint32_t)table - (uint32_t)FL_TABLE_QUEUE;
}

/* Id of the object, or FL_NONE. */
static inline uint32_t fl_table_find(const struct fl_model *m, enum fl_table table,
				     struct fl_sym namespace, struct fl_sym name)
{
	return fl_pairs_find(&m->by_name, fl_table_key(table, namespace), name.v);
}

/* Longest subject: kind, namespace and name at their limits. */
enum { FL_SUBJECT = 560 };

/* "ClusterQueue/team-a", "Workload/ns/name" into @buffer; returns it. */
const char *fl_table_subject(const struct fl_model *m, enum fl_table table, struct fl_sym namespace,
			     struct fl_sym name, char buffer[FL_SUBJECT]);

static inline enum fl_table fl_table_of_node(const struct fl_node_row *row)
{
	return row->kind == FL_COHORT ? FL_TABLE_COHORT : FL_TABLE_CLUSTER_QUEUE;
}

#endif
