/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entitle_series - a world of entitle_world.h over time: a cycle every so many seconds, and
 * usage moves
 *
 * As in the recorded series: nothing finishes, and an evicted one has ended, and is pending again, by
 * the next cycle.
 */
#ifndef FL_TESTS_ENTITLE_SERIES_H
#define FL_TESTS_ENTITLE_SERIES_H

#include "lib/entitle_world.h"

enum { SERIES_MOST = 12 }; /* queues */

struct world_series {
	struct fl_model *m;
	struct fl_policy *p;
	int64_t step; /* seconds between cycles */
	int64_t now;  /* seconds after WORLD_NOW */

	/* since reset */
	double held[SERIES_MOST]; /* GPU-seconds by queue */
	double busy;              /* of all together */
	int evictions;            /* workloads that lost tasks */
	int64_t longest;          /* cycles in which one queue held nothing */
	int64_t idle[SERIES_MOST];
};

struct world_series series_begin(const struct world_of *world, int64_t step);
void series_end(struct world_series *s);
void series_reset(struct world_series *s);
void series_run(struct world_series *s, int64_t cycles);

uint32_t series_node(const struct world_series *s, const char *queue);
/* What @queue held, of all that was held since reset. */
double series_part(const struct world_series *s, const char *queue);

/* History counts, with a window and a half-life (0: none) in seconds. */
struct fl_entitle_settings series_over_time(double k, int64_t window, int64_t half_life,
					    bool turns);

/* One machine of 8 GPUs. */
extern const struct world_machine series_eight[1];

/* Users u0, u1, ... below one queue, each with an endless job of 8 GPUs: job0, job1, ... */
struct series_users {
	struct world_leaf queues[SERIES_MOST];
	struct world_gang gangs[SERIES_MOST];
	char names[SERIES_MOST][2][16];
};

/* @weights NULL: equal ones. The world lives in @u. */
struct world_of series_whole_cluster(struct series_users *u, uint32_t n, const double *weights,
				     struct fl_entitle_settings settings);

#endif
