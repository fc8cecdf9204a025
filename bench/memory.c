/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory - what a cluster takes: bytes a workload, and how long until it is ready
 *
 * memory [--queues N] [--jobs N]
 *
 * The made-up cluster (cluster.h) without workloads, then with all of them waiting, then with
 * all of them running; what one takes is the difference, by their number.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "cluster.h"
#include "decide/borrow/borrow.h"
#include "measure.h"

static const struct fl_policy_ops *const ops = &fl_borrow_policy;

struct taken {
	size_t model, policy, names;
	double make_ms, setup_ms, resident_mb;
	uint32_t running;
};

/* 0 or negative. */
static int take(const struct cluster_size *size, struct taken *ret, fairlead_error *err)
{
	struct counter counter = { 0 };
	const struct fl_mem mem = { .resize = count_resize, .user = &counter };
	struct fl_policy_options options = { .mem = &mem,
					     .now = ((fl_time)size->jobs + 1) * FL_SECOND };
	struct cluster cluster;
	struct fl_policy *p = NULL;
	double start = now_ms();
	int r = cluster_make(size, &mem, &cluster, err);

	if (r < 0)
		return r;
	ret->make_ms = now_ms() - start;
	ret->model = counter.live;
	start = now_ms();
	r = ops->new (cluster.m, &options, &p, err);
	ret->setup_ms = now_ms() - start;
	ret->policy = counter.live - ret->model;
	ret->names = cluster.name_bytes;
	ret->running = cluster.n_running;
	ret->resident_mb = resident_mb();
	if (r == 0)
		ops->free(p);
	fl_model_free(cluster.m);
	return r;
}

static void print_figures(const struct cluster_size *size, const struct taken *none,
			  const struct taken *wait, const struct taken *run)
{
	struct rusage used;
	double jobs = size->jobs;

	getrusage(RUSAGE_SELF, &used);
	printf("{\"queues\":%u,\"jobs\":%u,\"running\":%u", size->queues, size->jobs, run->running);
	printf(",\"policyBytesPerWaiting\":%.1f,\"policyBytesPerRunning\":%.1f,"
	       "\"modelBytesPerWaiting\":%.1f,\"modelBytesPerRunning\":%.1f,\"nameBytesPerJob\":%.1f",
	       ((double)wait->policy - (double)none->policy) / jobs,
	       ((double)run->policy - (double)none->policy) / jobs,
	       ((double)wait->model - (double)none->model) / jobs,
	       ((double)run->model - (double)none->model) / jobs, (double)run->names / jobs);
	printf(",\"bytesPerQueue\":%.0f,\"modelMB\":%.3f,\"policyMB\":%.3f,\"totalMB\":%.3f,\"residentMB\":%.0f,"
	       "\"peakMB\":%.0f,\"makeMs\":%.2f,\"setupMs\":%.2f}\n",
	       (double)(none->model + none->policy) / size->queues, (double)run->model / 1e6,
	       (double)run->policy / 1e6, (double)(run->model + run->policy) / 1e6,
	       run->resident_mb, (double)used.ru_maxrss / 1e3, run->make_ms, run->setup_ms);
}

int main(int argc, char **argv)
{
	struct cluster_size size = { .queues = 10000, .jobs = 1000000 }, bare, waiting;
	struct taken none, wait, run;
	fairlead_error err;
	int r;

	for (int i = 1; i < argc; i += 2) {
		long n = i + 1 < argc ? strtol(argv[i + 1], NULL, 10) : 0;
		bool queues = strcmp(argv[i], "--queues") == 0;

		if ((!queues && strcmp(argv[i], "--jobs") != 0) || n < 10 || n > 10000000 ||
		    (queues && (n > 1000000 || n % 10 != 0))) {
			fputs("usage: memory [--queues N] [--jobs N]\n", stderr);
			return 2;
		}
		*(queues ? &size.queues : &size.jobs) = (uint32_t)n;
	}
	size.load = 50;
	bare = waiting = size;
	bare.jobs = 0;
	waiting.none_run = true;
	/* The one that says what is resident comes first, in memory that nobody used before. */
	if ((r = take(&size, &run, &err)) < 0 || (r = take(&waiting, &wait, &err)) < 0 ||
	    (r = take(&bare, &none, &err)) < 0) {
		fprintf(stderr, "memory: %s\n", err.text);
		return 3;
	}
	print_figures(&size, &none, &wait, &run);
	return 0;
}
