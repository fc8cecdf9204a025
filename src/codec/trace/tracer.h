/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tracer - what the files of a reader of traces share: the log in hand, and a job of it
 *
 * A reader goes from line to line, finds the arrival, run time and requests of each job, and counts
 * lines that are not jobs.  Which jobs count and how their times are scaled is decided here, the
 * stretched is decided in jobs.c, the same for all.  Private to codec/trace.
 */
#ifndef FL_CODEC_TRACE_TRACER_H
#define FL_CODEC_TRACE_TRACER_H

#include "codec/text/lines.h"
#include "codec/trace/trace.h"

/* GPUs in thousandths, as jobs ask for parts of one. */
#define FL_GPU_MILLI "fairlead.dev/gpu-milli"
/* Label of flavors and machines. */
#define FL_GPU_MODEL "fairlead.dev/gpu-model"

/* The pods of a job, which are all equal. */
struct fl_trace_shape {
	int32_t pods;
	fl_amount cpu, memory, gpu; /* of one pod: milli-cores, bytes, milli-GPUs */
	struct fl_sym models; /* "T4|P100": GPUs of these models only; symbol 0: of any model */
};

struct fl_trace_job {
	struct fl_sym name;
	fl_time came;   /* arrival, after the beginning of the log */
	fl_time runs;   /* run time; FL_NEVER: without end */
	fl_time asked;  /* FL_TIME_NONE */
	fl_time waited; /* FL_TIME_NONE */
	fl_time stays;  /* time after which it gives up; FL_NEVER */
	struct fl_trace_shape shape;
	struct fl_trace_owner owner;
};

/* Why a line is not a job here. */
enum fl_trace_odd { FL_ODD_CANCELLED, FL_ODD_NO_RUN_TIME, FL_ODD_NO_SIZE, FL_ODD_PARTIAL, FL_ODDS };

struct fl_tracer {
	struct fl_model *m;
	uint32_t trace;
	struct fl_line_reader lines;
	struct fl_place at;                                  /* place of the current line */
	struct fl_sym cpu, memory, gpu, podset, model_label; /* names of these */
	fl_time clock; /* time at the beginning of the log; FL_TIME_NONE: not given */
	fl_time first, last,
		base; /* arrivals of the first and last job, and of the first one that counts */
	struct fl_pairs
		shapes; /* a tree of requests: (node, request) -> node; the last is a podset */
	uint32_t n_shapes;
	uint32_t podsets, tasks, workloads; /* numbers of rows before this trace */
	uint32_t odd[FL_ODDS];
	fairlead_error *err;
};

#endif
