/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table - the model's objects by kind and name; private to src/model, to ask/lint for the names
 * of objects, and to decide/adopt and api, which find those of one model in another, or by names
 *
 * One hash table serves every kind but workloads: cluster-wide kinds are keyed by (kind, name),
 * namespaced ones by (kind and namespace in one number, name).  Workloads, of which there are
 * most, have one of their own, by the same keys.
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
	FL_TABLE_ENTITLED, /* KAI's Queue: a node */
	FL_TABLE_MACHINE,
	FL_TABLE_QUEUE, /* from here on namespaced */
	FL_TABLE_WORKLOAD,
	FL_TABLE_LIMIT_RANGE,
	FL_TABLE_POD_GROUP,
	FL_TABLE_POD, /* by seal, those that are workloads: twins are found by it, too */
};

/* First halves of keys above all cluster-wide kinds: a Policy's rows, by scope. */
enum {
	FL_TABLE_PROTECTION_KEY = 13,
	FL_TABLE_BUDGET_KEY = 16,
	FL_TABLE_USAGE_KEY,
	FL_TABLE_TARGET_KEY,    /* where jobs are sent: target.c */
	FL_TABLE_GENERATED_KEY, /* names that were made: fl_model_generate */
};

/* totals.c: what each workload's pods take, from all that the input says of them */
int fl_totals_fill(struct fl_model *m, struct fl_arena *scratch, fairlead_error *err);
/* The same of a newcomer, whose row is not in the table yet. */
int fl_totals_fill_one(struct fl_model *m, struct fl_workload_row *row, fairlead_error *err);

/* seal_entitle.c: parents of KAI's queues; then all else of the entitle policy */
int fl_entitle_parents(struct fl_model *m, fairlead_error *err);
int fl_entitle_resolve(struct fl_model *m, struct fl_arena *scratch, fairlead_error *err);

/* seal.c: what a workload's row names, and why it takes no part; not of gangs */
int fl_model_resolve_workload(struct fl_model *m, struct fl_workload_row *row, int32_t otherwise,
			      fairlead_error *err);
/* seal_entitle.c: the same of a gang's row, and of its tasks */
int fl_entitle_resolve_one(struct fl_model *m, struct fl_workload_row *row, uint32_t w,
			   fairlead_error *err);

/* seal.c: a workload's priority by its class, or @otherwise; a notice when there is no such class */
int fl_model_resolve_priority(struct fl_model *m, struct fl_workload_row *row, int32_t otherwise,
			      const char *subject, fairlead_error *err);
/* The value of the PriorityClass that is the default, the least of several; else @otherwise. */
int32_t fl_model_default_priority(const struct fl_model *m, int32_t otherwise);

/* seal_simulation.c: what a Simulation names; after all else */
int fl_simulation_resolve(struct fl_model *m, struct fl_arena *scratch, fairlead_error *err);

/* moves.c: workloads that a Moves names; after all else */
int fl_moves_resolve(struct fl_model *m, fairlead_error *err);

/* protection.c: names to nodes */
int fl_protection_resolve(struct fl_model *m, fairlead_error *err);

/* "ClusterQueue" */
const char *fl_table_kind(enum fl_table table);

/* First half of the key; @namespace counts for namespaced kinds only. */
static inline uint32_t fl_table_key(enum fl_table table, struct fl_sym namespace)
{
	return table < FL_TABLE_QUEUE ?
		       (uint32_t)table :
		       (namespace.v + 8) * 8 + (uint32_t)table - (uint32_t)FL_TABLE_QUEUE;
}

/* named.c: workloads, PodGroups and Pods that are one for themselves; FL_NONE: there is none */
uint32_t fl_named_find(const struct fl_model *m, enum fl_table table, struct fl_sym namespace,
		       struct fl_sym name);
/* Room for one more; then the row that was pushed is entered. */
int fl_named_reserve(struct fl_model *m, fairlead_error *err);
void fl_named_add(struct fl_model *m, uint32_t id);
void fl_named_remove(struct fl_model *m, uint32_t id);
/* Of a model that is loaded: may it be searched? */
bool fl_named_is_sound(const struct fl_model *m);

static inline bool fl_table_is_of_workloads(enum fl_table table)
{
	return table == FL_TABLE_WORKLOAD || table == FL_TABLE_POD_GROUP || table == FL_TABLE_POD;
}

/* Id of the object, or FL_NONE. */
static inline uint32_t fl_table_find(const struct fl_model *m, enum fl_table table,
				     struct fl_sym namespace, struct fl_sym name)
{
	return fl_table_is_of_workloads(table) ?
		       fl_named_find(m, table, namespace, name) :
		       fl_pairs_find(&m->by_name, fl_table_key(table, namespace), name.v);
}

/* Longest subject: kind, namespace and name at their limits. */
enum { FL_SUBJECT = 560 };

/* "ClusterQueue/team-a", "Workload/ns/name" into @buffer; returns it. */
const char *fl_table_subject(const struct fl_model *m, enum fl_table table, struct fl_sym namespace,
			     struct fl_sym name, char buffer[FL_SUBJECT]);

static inline enum fl_table fl_table_of_node(const struct fl_node_row *row)
{
	return row->kind == FL_COHORT ? FL_TABLE_COHORT :
	       row->kind == FL_QUEUE  ? FL_TABLE_ENTITLED :
					FL_TABLE_CLUSTER_QUEUE;
}

/* Workload, PodGroup, or the Pod that is one for itself. */
static inline enum fl_table fl_table_of_workload(const struct fl_model *m,
						 const struct fl_workload_row *row)
{
	return row->gang == FL_NONE     ? FL_TABLE_WORKLOAD :
	       m->gangs[row->gang].lone ? FL_TABLE_POD :
					  FL_TABLE_POD_GROUP;
}

#endif
