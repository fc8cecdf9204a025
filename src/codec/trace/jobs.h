/* SPDX-License-Identifier: Apache-2.0 */
/* jobs - from a job of whatever format to its rows; private to codec/trace */
#ifndef FL_CODEC_TRACE_JOBS_H
#define FL_CODEC_TRACE_JOBS_H

#include "codec/trace/tracer.h"

/* Adds the file as an input of the model. Call fl_tracer_end also after an error. */
int fl_tracer_begin(struct fl_tracer *t, struct fl_model *m, uint32_t trace, const char *name,
		    const struct fl_source *source, fairlead_error *err);
/*
 * After all was read (@r 0), or an error @r: adds notices on what was left out.  Returns @r or an
 * error.
 */
int fl_tracer_end(struct fl_tracer *t, int r);

/* Reads the next line, whose place is t->at; 1 after the last. */
int fl_tracer_line(struct fl_tracer *t);
/* An error at @at in the current line. */
int fl_tracer_fail(struct fl_tracer *t, const char *at, const char *format, ...) FL_PRINTF(3, 4);

/*
 * Does a job with that arrival count? 0: yes; 1: not yet; 2: no, and no later one does.  Called for
 * each job, in order: FAIRLEAD_EINPUT at @at for one that arrives before the last one.
 */
int fl_tracer_counts(struct fl_tracer *t, const char *at, fl_time came);

/* Adds its rows, unless it does not count or its rule leaves it out. */
int fl_tracer_add(struct fl_tracer *t, const struct fl_trace_job *job);

/* Is it for the entitle policy, by its objects, or by those that templates make? */
bool fl_trace_entitle(const struct fl_model *m);

#endif
