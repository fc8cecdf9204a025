/* SPDX-License-Identifier: Apache-2.0 */
/* metrics_render - counters and the present state, in Prometheus' text format */
#ifndef FL_DAEMON_METRICS_METRICS_RENDER_H
#define FL_DAEMON_METRICS_METRICS_RENDER_H

#include "daemon/engine/daemon.h"
#include "daemon/engine/view.h"
#include "daemon/metrics/metrics.h"
#include "daemon/metrics/vitals.h"
#include "net/server.h"

struct fl_metrics_now {
	struct fl_live_view view; /* jobs NULL: no jobs */
	fl_time started;
	/* Of the store: bytes, damaged rows, pages that were cut off the write-ahead log. */
	uint64_t store_bytes, store_damaged, store_cut;
	bool store_fails, restored;
	int stale; /* what a cluster's daemon knows is old: 1 or 0; negative: there is no cluster */
	bool writes; /* `writing` is known */
	struct fl_daemon_writing writing;
	struct fl_server_figures server;
	struct fl_vitals vitals;
};

extern const char fl_metrics_type[]; /* Content-Type */

/* *ret from malloc, ended by a NUL that *ret_len does not count. Cost: once over all workloads. */
int fl_metrics_render(const struct fl_metrics *m, const struct fl_metrics_now *now, char **ret,
		      size_t *ret_len, fairlead_error *err);

#endif
