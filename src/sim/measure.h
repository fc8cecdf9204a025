/* SPDX-License-Identifier: Apache-2.0 */
/*
 * measure - the numbers of a run: how long workloads waited, what queues held, and how fairly
 *
 * Listens to a simulation and adds up.  README.md says what each number means and what it
 * cannot tell.
 *
 * Guarantees:
 * - What is held and wanted is an exact integral over virtual time, entered at each event;
 *   sums and counts are exact, quantiles those of all jobs (nearest rank), not of a sample.
 * - Fairness (entitled, ratio, Jain, envy, corrections) is exact as well: it is found anew whenever
 *   something has changed and time goes on, means are integrals over time, and a correction is from
 *   event to event.  What lasts for no time counts nowhere.
 * - No number depends on the order of the input, and none on what is done with the results.
 *
 * Cost: an event O(depth x resources), the division of the siblings whose shares it moves
 * (entitled.h), and O(log queues) for each tenant that has changed.  After the start memory is
 * allocated only for pairs of queues that never preempted each other before, and for corrections.
 * Memory: 2 numbers per job and resource, and the series: up to FL_MEASURE_CELLS numbers in all,
 * with fewer buckets when there are very many queues.
 */
#ifndef FL_SIM_MEASURE_H
#define FL_SIM_MEASURE_H

#include "sim/simulation.h"

enum {
	FL_MEASURE_BUCKETS = 1024,
	FL_MEASURE_CELLS = 1 << 24,
	FL_MEASURE_NOTES = 1024, /* changes and failures that are kept to be shown */
	FL_WAIT_EDGES = 8,
};

/* In seconds: bins are [0, edge 0), [edge 0, edge 1), ..., [last edge, for ever). */
extern const double fl_wait_edges[FL_WAIT_EDGES];

/* In all of these NAN means: not known, or there was none. */

struct fl_spread {
	uint32_t n; /* 0: the rest is NAN */
	double mean, p50, p90, p99, max;
};

/* A resource of which a queue has quota, or a machine has some. */
struct fl_measured_resource {
	struct fl_resource id;
	const char *name;
	const char *unit; /* "cores", "bytes", "GPUs"; "" when it is counted */
	double scale;     /* natural units in one unit of amounts: fl_measure_scale */
	double capacity;  /* when the run ended, natural units; INFINITY: quota without bound */
};

/*
 * Amounts are in natural units; hours are of those.  An array has one a resource.  Jobs that
 * are excluded count nowhere but in totals.
 */
struct fl_measured_counts {
	uint32_t jobs; /* that came, or were there from the beginning */
	uint32_t finished, gave_up, waiting, running;
	uint32_t starts;           /* more given to a gang that runs is none */
	uint32_t evictions;        /* as victims: evicted or killed */
	uint32_t preemptions;      /* as preemptors: evictions for them */
	struct fl_spread wait;     /* of those that started: all their waiting, in seconds */
	struct fl_spread slowdown; /* of those that finished: (end - arrival) / max(run, 10 s) */
	double longest_waiting;    /* of those that still wait and never started, in seconds */
	double *hours;             /* held */
	double *useful;            /* work of jobs that finished, part of `hours` */
	double *lost;      /* work that was done and lost at an eviction or failure, part of it */
	double *restarted; /* held while starting again after an eviction, part of it */
};

struct fl_measured_node {
	struct fl_node node;
	uint32_t parent; /* row; FL_NONE at the top. Parents come first, siblings by name */
	bool leaf;
	struct fl_measured_counts counts;
	double *held, *wanted; /* means over the run; wanted is held + waiting for */
	double *entitled;      /* mean over the run */
	double blocked_seconds;
	double ratio_mean, ratio_least; /* while blocked, at most 1; NAN: it never was */
};

/* By class_name, or by size. Only those of which there are jobs. */
struct fl_measured_class {
	const char *name; /* "1 core", "2-8 GPUs", "small" */
	uint32_t jobs;
	struct fl_spread wait;
	struct fl_workload longest; /* FL_NONE: none waited */
	double longest_seconds;     /* so far, when it still waits */
};

/* Of one leaf and class: how many of `wait` are in which bin. */
struct fl_measured_waits {
	uint32_t node, class; /* rows */
	uint32_t counts[FL_WAIT_EDGES + 1];
};

struct fl_measured_flow {
	uint32_t from; /* row of the preemptor's queue; FL_NONE: no preemptor */
	uint32_t to;   /* of the victim's */
	bool killed;   /* what it ran on failed: there is no reason */
	enum fl_reason reason;
	uint32_t count;
	double *lost; /* hours, of work */
};

/* Something to be written at the edge of a chart. */
struct fl_measured_note {
	fl_time at;
	struct fl_sim_event event; /* CHANGED, FAILED, BACK */
	struct fl_cell cell;       /* what its `cell` points to */
};

/* A line of the series: `held[k][b]` is of resource k in bucket b. */
struct fl_series_row {
	uint32_t node; /* row; of a rest its parent's, FL_NONE at the top */
	uint32_t
		members; /* 0: the node itself; else its children (or top nodes) without own line */
	double **held, **wanted; /* means over the bucket */
	double *waiting;         /* jobs, mean */
	double **entitled;       /* at its end */
	double *share;           /* the policy's, at its end, may be INFINITY; NULL of a rest */
};

struct fl_measured_series {
	fl_time start, step; /* the last bucket may be cut short by the end of the run */
	uint32_t n;
	double **held, **wanted, **capacity; /* of the cluster, means */
	double *waiting, *running;           /* jobs, means */
	double *jain, *jain_least; /* mean and least in the bucket; NAN: less than two tenants */
	double *envy;              /* the largest in the bucket; NAN: no tenant wanted anything */
	const struct fl_series_row *lines; /* in the order of nodes, a rest behind its siblings */
	uint32_t n_lines;
};

struct fl_measured_fairness {
	double jain;                        /* mean over the time with two tenants or more */
	double largest_envy;                /* at any time */
	double blocked_mean, blocked_least; /* ratio of blocked tenants, at most 1 */
	struct fl_spread corrections;       /* seconds; those that were over before the end */
	uint32_t open;                      /* not over at the end */
	double longest_open;                /* seconds */
};

struct fl_measured {
	fl_time start, end;
	double seconds; /* end - start */
	enum fl_sim_end ended;
	uint64_t cycles, events;
	uint32_t excluded;
	struct fl_measured_counts totals;
	struct fl_spread recorded_wait; /* as the sources have it; n 0: none has */
	/* Held of what there was, up to the last end of a job; to `end` when some still run. */
	double *utilisation;
	/* The same up to the last arrival: what the tail of a few long jobs does not blur. NAN: all
	 * were there when it began. */
	double *arrival_utilisation;
	struct fl_measured_fairness fairness;

	const struct fl_measured_resource *resources;
	const struct fl_measured_node *nodes;
	const struct fl_measured_class *classes;
	const struct fl_measured_waits *waits; /* by node, then class; those not all 0 */
	const struct fl_measured_flow *flows;  /* by from (FL_NONE last), to, reason */
	const struct fl_measured_note *notes;  /* by time */
	uint32_t n_resources, n_nodes, n_classes, n_waits, n_flows, n_notes;
	uint32_t notes_dropped;
	struct fl_measured_series series;
};

struct fl_measure;

/*
 * Of a simulation that was initialised and has not run yet; it is listened to from now on, and
 * must outlive this.  ENOMEM, with the simulation as it was.
 */
int fl_measure_new(const struct fl_mem *mem, struct fl_sim *sim, struct fl_measure **ret,
		   fairlead_error *err);
struct fl_measure *fl_measure_free(struct fl_measure *m); /* accepts NULL, returns NULL */

/*
 * When the simulation is over, however it ended; once.  @top: so many children of one parent
 * have a line of their own in the series, two thirds of them those that held most, the others
 * those that missed most of what they were entitled to; 0: all.  The results are
 * the measure's.
 */
int fl_measure_end(struct fl_measure *m, uint32_t top, const struct fl_measured **ret,
		   fairlead_error *err);

/* Within its files: enter integrals of a row, or of the capacity, up to @at. */
void fl_measure_touch(struct fl_measure *m, uint32_t row, fl_time at);
void fl_measure_touch_capacity(struct fl_measure *m, fl_time at);

#endif
