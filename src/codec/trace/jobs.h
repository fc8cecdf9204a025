/* SPDX-License-Identifier: Apache-2.0 */
/* jobs - from a job of whatever format to its rows; private to codec/trace */
#ifndef FL_CODEC_TRACE_JOBS_H
#define FL_CODEC_TRACE_JOBS_H

#include "codec/trace/tracer.h"

/* The file becomes an input of the model. Done also after an error. */
int fl_tracer_begin(struct fl_tracer *t, struct fl_model *m, uint32_t trace, const char *name,
		    const struct fl_source *source, fairlead_error *err);
/* All is read (@r 0), or not: what is left out is told. Returns @r or an error. */
int fl_tracer_end(struct fl_tracer *t, int r);

/* The next line, which is in t->at then; 1 behind the last. */
int fl_tracer_line(struct fl_tracer *t);
/* An error at @at in the line in hand. */
int fl_tracer_fail(struct fl_tracer *t, const char *at, const char *format, ...) FL_PRINTF(3, 4);

/*
 * Does a job that came then count?  0: yes; 1: not yet; 2: it does not, nor does anyone later.
 * Called for each job, in order: FAIRLEAD_EINPUT at @at for one before the last.
 */
int fl_tracer_counts(struct fl_tracer *t, const char *at, fl_time came);

/* Its rows, when it counts and its rule does not leave it out. */
int fl_tracer_add(struct fl_tracer *t, const struct fl_trace_job *job);

/* Is it for the entitle policy: by its objects, or by what templates make? */
bool fl_trace_entitle(const struct fl_model *m);

#endif
