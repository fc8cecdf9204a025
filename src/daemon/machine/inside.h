/* SPDX-License-Identifier: Apache-2.0 */
/* inside - all that a core has; private to the files of machine */
#ifndef FL_DAEMON_MACHINE_INSIDE_H
#define FL_DAEMON_MACHINE_INSIDE_H

#include "daemon/engine/clock.h"
#include "daemon/engine/decisions.h"
#include "daemon/engine/drafter.h"
#include "daemon/machine/adopt.h"
#include "daemon/machine/batch.h"
#include "daemon/machine/token.h"
#include "daemon/metrics/metrics.h"

struct fl_core {
	struct fl_core_options options;
	uv_loop_t *loop;
	struct fl_config *config;
	struct fl_daemon_settings start_settings;
	struct fl_capacity capacity; /* its own; remarks are the host's */
	bool configuring;            /* a row CONFIGURED is on its way to the disk */
	struct fl_host *host;
	const struct fl_backend_ops *backend;
	struct fl_store *store;
	struct fl_token_key key; /* of the tokens of runs */
	struct fl_metrics *metrics;
	struct fl_clock clock;
	uint64_t write_began; /* uv_hrtime */
	struct fl_decisions_heard deciding;
	struct fl_backend driven; /* of the drivers of generations: that */

	struct fl_jobs jobs;
	struct fl_generation generation;

	struct fl_drafter drafter; /* of the next generation */
	uint32_t draft_from;       /* so many jobs: they are drafted */
	uv_async_t drafted;

	struct fl_gather gathers[2];
	struct fl_gather *gather;  /* what comes goes here */
	struct fl_gather *writing; /* being committed, or to be tried again; NULL */
	bool in_flight;            /* the commit runs on its thread */
	uv_work_t work;
	int committed;                 /* of it: 0 or an error */
	fairlead_error error;          /* the same */
	char problem[600];             /* "": all is well */
	uint64_t damage_told;          /* of fl_store_damaged, in the log */
	char warning[FL_CORE_WARNING]; /* until it is acknowledged (adopt.c); "": none */

	uv_check_t check;
	uv_timer_t due, again;
	bool closing;
	uint32_t open_handles;
	void (*closed)(void *user);
	void *closed_user;

	uint64_t seq;       /* the last row that is durable and applied, or is being applied */
	uint64_t submitted; /* the highest number given to a job */
	uint64_t checkpointed, replay_ns; /* what it would take to apply again what came since */
	bool checkpointing;               /* a copy of this process is at it */
	struct fl_image_copy {
		uv_work_t work;
		pid_t pid;
		int fd; /* what it writes comes here */
		uint64_t seq;
		int code;
		fairlead_error error;
	} copy;
	bool must_checkpoint; /* soon, whatever there is */
	bool has_given_up; /* rows for people that were not written: the next start makes them again */
	fl_time at;        /* of the last row */
	fl_time started;
	uint64_t join_at, checkpoint_at; /* on the loop's clock, ns: no other one before */
	uint64_t checkpoint_made;        /* the last one, on the same; 0: before this start */

	/* the row that is applied, and how many events it has had */
	uint64_t row_seq;
	uint32_t row_events;
	fairlead_error refused; /* why the last configuration was not taken */
	bool replaying;         /* nothing is started, stopped or told */

	uint64_t *newcomers; /* jobs that may want to come into the next generation */
	uint32_t n_newcomers, cap_newcomers;
	uint64_t *ended; /* jobs that are over and whose end is being told of (apply.c) */
	uint32_t n_ended, cap_ended;
	uint64_t *dirty; /* jobs whose row in the store is not as they are */
	uint32_t n_dirty, cap_dirty;

	struct fl_follower *followers;
};

#endif
