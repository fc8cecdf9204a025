/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace - files of jobs, and synthetic classes, to workloads with their times
 *
 * Guarantees: which jobs of a source count is decided by its row (model/simulation.h) alone; the
 * same bytes give the same rows, in pieces of any size.  Malformed lines, times that go backwards
 * and jobs without queue are errors with file, line and column.
 *
 * Memory: the rows.  Equal jobs of one queue share their podsets and requests.
 */
#ifndef FL_CODEC_TRACE_TRACE_H
#define FL_CODEC_TRACE_TRACE_H

#include "codec/text/reader.h"
#include "model/model.h"

/*
 * The jobs of m->traces[trace] (SWF, OPENB: its pods, GENERATOR) from @source, which messages call
 * @name: workloads and lives, queues where the source has its own.  The trees were read before; the
 * model is not sealed.  Lives with times relative to the start have `from_start`.
 */
int fl_trace_read(struct fl_model *m, uint32_t trace, const char *name,
		  const struct fl_source *source, fairlead_error *err);

/* --- for the readers above --- */

/* The owner of a job in its line; NULL: not given. */
struct fl_trace_owner {
	const char *user, *group, *queue, *partition;
};

/* A duration, scaled; FL_NEVER and FL_TIME_NONE stay unchanged. */
fl_time fl_trace_times(fl_time time, double factor);

#endif
