/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace - files of jobs, and synthetic classes, to workloads with their times
 *
 * Guarantees: what counts of a source is decided by its row (model/simulation.h) alone; the
 * same bytes give the same rows, however they are cut.  Malformed lines, times that go
 * backwards and jobs that belong to nobody are errors with file, line and column.
 *
 * Memory: the rows.  Equal jobs of one queue share their podsets and requests.
 */
#ifndef FL_CODEC_TRACE_TRACE_H
#define FL_CODEC_TRACE_TRACE_H

#include "codec/text/reader.h"
#include "model/model.h"

/*
 * The jobs of m->traces[trace] (SWF, OPENB: its pods, GENERATOR) from @source, which messages
 * call @name: workloads and lives, queues where the source has its own.  The trees were read
 * before; the model is not sealed.  Lives that count from the start say so (`from_start`).
 */
int fl_trace_read(struct fl_model *m, uint32_t trace, const char *name,
		  const struct fl_source *source, fairlead_error *err);

/* OPENB: its nodes, before its pods: machines or quota by GPU model, as the policy has it. */
int fl_trace_read_nodes(struct fl_model *m, uint32_t trace, const char *name,
			const struct fl_source *source, fairlead_error *err);

/* All of m->classes; random numbers are those of m->simulation.seed and the class's name. */
int fl_classes_expand(struct fl_model *m, fl_time start, fairlead_error *err);

/* --- for the readers above --- */

/* Whose a job is, as its line says; NULL where it does not. */
struct fl_trace_owner {
	const char *user, *group, *queue, *partition;
};

/* Where it goes: namespace and queue_name of its workload. */
struct fl_trace_route {
	bool left_out; /* a rule says that it does not count: all else is not filled in */
	struct fl_sym namespace, queue_name;
	bool has_priority;
	int32_t priority;
};

/*
 * By the first of the trace's rules that matches, which is marked as used.  The queue is
 * made by a template when the trees have none.  FAIRLEAD_EINPUT at @at when the job is
 * nobody's, at the rule when its queue is not there.  Cost: O(names in the rules).
 */
int fl_trace_route(struct fl_model *m, uint32_t trace, const struct fl_trace_owner *owner,
		   struct fl_place at, struct fl_trace_route *ret, fairlead_error *err);

#endif
