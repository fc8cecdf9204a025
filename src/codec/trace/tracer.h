/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tracer - what the files of a reader of traces share: the log in hand, and a job of it
 *
 * A reader goes from line to line, says of each job when it came, how long it ran and what it
 * asked for, and what it cannot make a job of.  Which jobs count and how their times are
 * stretched is decided in jobs.c, the same for all.  Private to codec/trace.
 */
#ifndef FL_CODEC_TRACE_TRACER_H
#define FL_CODEC_TRACE_TRACER_H

#include "codec/text/lines.h"
#include "codec/trace/trace.h"

/* In thousandths of a GPU; parts of one are meant. */
#define FL_GPU_MILLI "fairlead.dev/gpu-milli"
/* Label of flavors and machines. */
#define FL_GPU_MODEL "fairlead.dev/gpu-model"

/* Pods of a job, all alike. */
struct fl_trace_shape {
	int32_t pods;
	fl_amount cpu, memory, gpu; /* of one pod: milli-cores, bytes, milli-GPUs */
	struct fl_sym models;       /* "T4|P100": GPUs of these models only; symbol 0: of any */
};

struct fl_trace_job {
	struct fl_sym name;
	fl_time came;   /* after the beginning of the log */
	fl_time runs;   /* FL_NEVER: endless */
	fl_time asked;  /* FL_TIME_NONE */
	fl_time waited; /* FL_TIME_NONE */
	fl_time stays;  /* gives up after so long; FL_NEVER */
	struct fl_trace_shape shape;
	struct fl_trace_owner owner;
};

/* Why a job is none here. */
enum fl_trace_odd { FL_ODD_CANCELLED, FL_ODD_NO_RUN_TIME, FL_ODD_NO_SIZE, FL_ODD_PARTIAL, FL_ODDS };

struct fl_tracer {
	struct fl_model *m;
	uint32_t trace;
	struct fl_line_reader lines;
	struct fl_place at;                                  /* of the line in hand */
	struct fl_sym cpu, memory, gpu, podset, model_label; /* names */
	fl_time clock;             /* of the beginning of the log; FL_TIME_NONE: it does not say */
	fl_time first, last, base; /* of the first and last job, and of the first one that counts */
	struct fl_pairs shapes; /* (what was said before, what comes next) -> that; last: podset */
	uint32_t n_shapes;
	uint32_t podsets, tasks, workloads; /* rows before this trace */
	uint32_t odd[FL_ODDS];
	fairlead_error *err;
};

#endif
