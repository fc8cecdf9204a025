/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cluster - a made-up cluster of queues and workloads, as large as one likes
 *
 * The same sizes give the same cluster on every machine.  Cohorts of ten queues, each a tree of
 * its own or all under one root; queues own the same and are asked for 0.1 to 1.9 times the mean,
 * so that some lend and others borrow.  Workloads of 1 to 16 cores with 2 to 4 GiB a core, one of
 * eight with a higher priority.  At first each cohort is filled as fair sharing would do it: all
 * run up to the same level, or as many as ask for less.
 */
#ifndef BENCH_CLUSTER_H
#define BENCH_CLUSTER_H

#include <stdbool.h>

#include "model/model.h"

struct cluster_size {
	uint32_t queues, jobs;
	uint32_t spare;  /* workloads beyond `jobs`, which wait at first: cancel them */
	uint32_t places; /* for newcomers (model/newcomer.h) */
	uint32_t load;   /* what all of them hold or ask for, of 100 that there are */
	bool forest;     /* each cohort a tree of its own */
	bool never;      /* nobody takes back what others borrowed */
	bool classical;  /* no fair sharing */
	bool none_run;   /* all wait at first */
};

struct cluster {
	struct fl_model *m; /* sealed; the caller frees it */
	uint32_t n_running; /* of jobs */
	size_t name_bytes;  /* of workloads: names and uids */
};

/* 0 or negative, with nothing to free. */
int cluster_make(const struct cluster_size *size, const struct fl_mem *mem, struct cluster *ret,
		 fairlead_error *err);

#endif
