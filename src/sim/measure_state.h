/* SPDX-License-Identifier: Apache-2.0 */
/*
 * measure_state - what a measure keeps while it listens; private to its files
 *
 * measure.c listens and integrates, measure_fairness.c compares what tenants hold with
 * their entitlement, measure_series.c keeps buckets, measure_waits.c has quantiles of jobs, and
 * measure_results.c makes the results.
 */
#ifndef FL_SIM_MEASURE_STATE_H
#define FL_SIM_MEASURE_STATE_H

#include "sim/entitled.h"
#include "sim/measure.h"

/* What is counted of a job, as of its last event. Its amounts are in `job_amounts`. */
struct fl_measure_job {
	uint32_t row;     /* of its queue; FL_NONE: it counts nowhere */
	uint32_t flow;    /* it is being evicted: flow + 1 */
	fl_time works_at; /* since its last start: when work begins */
	bool came, waits, runs;
	bool partial; /* runs, and wants more */
	bool ran;     /* when all began: how long it waited is not known */
};

/* A row of `entitled`, or behind them the cluster. */
struct fl_measure_row {
	uint32_t above; /* row; of a top the cluster; of that FL_NONE */
	fl_time since;  /* integrals are entered up to here */
	fl_time blocked;
	uint32_t waiting, running, partial; /* jobs, in it and all below it */
	bool touched;                       /* it stands in `touched` of the measure */
	/* of the last look, which counts since `entered`, of the time that has passed */
	fl_time entered;
	bool is_blocked;
	double ratio; /* NAN: it is entitled to nothing */
	double ratio_sum, ratio_least;
	double ratio_time;
	fl_time behind_since; /* a leaf: blocked and below what is fair; FL_TIME_NONE */
};

/* Of some tenants: leaves that want something and are entitled to something. */
struct fl_measure_look {
	uint32_t tenants, blocked;
	double sum, squares, largest; /* of ratios */
	double least, blocked_sum,
		blocked_least; /* of blocked ones, at most 1; of `least` 1 for none */
};

/* Numbers of a row in the series: held and wanted, waiting, running, entitled, share; of the
 * cluster capacity and Jain in the place of the last two, largest envy and least Jain. */
enum fl_measure_column {
	FL_COLUMN_HELD,
	FL_COLUMN_WANTED,
	FL_COLUMN_WAITING,
	FL_COLUMN_RUNNING,
	FL_COLUMN_ENTITLED,
	FL_COLUMN_SHARE,
	FL_COLUMN_ENVY,
	FL_COLUMN_LEAST,
	FL_COLUMN_CAPACITY = FL_COLUMN_ENTITLED,
	FL_COLUMN_JAIN = FL_COLUMN_SHARE
};

/* By resource: integrals of what was held and what there was, from the beginning. */
struct fl_measure_use {
	double *held, *capacity;
};

struct fl_measure {
	const struct fl_mem *mem;
	struct fl_arena arena;
	struct fl_sim *sim;
	struct fl_entitled entitled;
	uint32_t n_resources, n_rows; /* rows: the cluster behind the nodes */
	uint32_t n_jobs;
	double *scale; /* by resource: natural units in one of amounts */

	struct fl_measure_job *jobs;
	double *job_amounts; /* by job: held, then wanted, of each resource */
	double *fresh;       /* of one job */

	struct fl_measure_row *rows;
	double *now;   /* by row: held, then wanted, of each resource */
	double *sum;   /* by row: integrals of those, of waiting and running; of this bucket */
	double *total; /* the same, of earlier ones */
	double *capacity_sum, *capacity_total; /* by resource */
	fl_time capacity_since;
	struct fl_measure_use to_end, to_arrival; /* up to the last end and arrival of a job */

	/* by row and resource; the sum is an integral */
	double *entitled_now, *entitled_sum;

	/* Looks: one after each moment in which something changed. */
	fl_time passed;               /* since the beginning */
	uint64_t cycles;              /* of the driver at the last look */
	uint32_t *touched, n_touched; /* rows that are not as they were at the last look */
	uint32_t *changed;            /* scratch */
	struct fl_measure_look
		*looks; /* 1: of all; i: of 2i and 2i + 1; the second half: of rows */
	uint32_t n_looks;
	double jain, envy; /* of all */
	struct {
		double jain_sum, jain_time, least, envy;
	} bucket; /* of this one; NAN if there was nothing to compare */
	double jain_sum, jain_time, largest_envy; /* integrals, and over how long */
	double blocked_sum, blocked_time, blocked_least;
	double *corrections; /* seconds */
	uint32_t n_corrections, cap_corrections;

	/* The series. */
	uint32_t columns, buckets; /* numbers of a row; room */
	double *series;            /* by row, column, bucket */
	fl_time step, bucket_begins;
	uint32_t n_buckets;

	/* Counts of leaves, filled as things happen, in units of amounts and nanoseconds. */
	struct fl_measured_node *nodes; /* by row, and the cluster */
	struct fl_pairs flow_of;
	struct fl_measured_flow *flows;
	double *flow_lost; /* by flow and resource */
	uint32_t n_flows, cap_flows, cap_flow_lost;
	struct fl_measured_note *notes;
	uint32_t n_notes, notes_dropped;

	struct fl_measured results;
};

static inline double *fl_measure_of(const struct fl_measure *m, double *of, uint32_t row)
{
	return of + (size_t)row * m->n_resources;
}

static inline double fl_measure_seconds(fl_time t) { return (double)t / (double)FL_SECOND; }

#endif
