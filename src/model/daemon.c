/* SPDX-License-Identifier: Apache-2.0 */
#include "model/daemon.h"

#define DAY (24 * 60 * 60 * FL_SECOND)

const struct fl_daemon_settings fl_daemon_default = {
	.socket_mode = 0666,
	.cgroup = FL_CGROUP_AUTO,
	.grace = 30 * FL_SECOND,
	.max_grace = 300 * FL_SECOND,
	.time_limit = FL_NEVER,
	.max_time_limit = FL_NEVER,
	.output_limit = INT64_C(64) << 20,
	.max_priority = INT32_MAX,
	.losses = 3,
	.keep_jobs = 7 * DAY,
	.keep_events = 30 * DAY,
	.keep_exact = 30 * DAY,
	.keep_hours = 400 * DAY,
	.keep_days = 5 * 365 * DAY,
	.max_jobs = 200000,
	.max_jobs_per_user = 50000,
	.max_jobs_per_queue = 100000,
	.max_bytes_per_user = INT64_C(512) << 20,
	.max_connections = 256,
	.max_body = INT64_C(4) << 20,
	.max_requests = 2000,
	.max_simulation = INT64_C(1) << 30,
	.metrics_queues = 256,
	.max_strange = 20,
	.max_handshakes = 50,
	.cycle_interval = FL_SECOND / 20,
	.open = true,
};
