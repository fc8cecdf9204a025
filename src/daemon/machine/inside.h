/* SPDX-License-Identifier: Apache-2.0 */
/* inside - the struct of a core; private to the files of machine */
#ifndef FL_DAEMON_MACHINE_INSIDE_H
#define FL_DAEMON_MACHINE_INSIDE_H

#include "daemon/engine/daemon.h"
#include "daemon/engine/decisions.h"
#include "daemon/engine/drafter.h"
#include "daemon/machine/adopt.h"
#include "daemon/machine/attach.h"
#include "daemon/machine/batch.h"
#include "daemon/machine/change.h"
#include "daemon/machine/keep.h"
#include "daemon/machine/tokens.h"
#include "daemon/metrics/metrics.h"
#include "daemon/token/run.h"

struct fl_core {
	struct fl_daemon daemon;
	struct fl_core_options options;
	uv_loop_t *loop;
	struct fl_config *config;
	struct fl_capacity capacity;  /* amounts are its own; remarks belong to the host */
	struct fl_upkeep *upkeep;     /* of history (history/upkeep.h); NULL */
	bool configuring;             /* a row CONFIGURED is on its way to the disk */
	struct fl_version version;    /* of the configuration */
	bool has_version;             /* one is known */
	char of_file[FL_CONFIG_HASH]; /* of the files, when the database's counts instead; "" */
	struct fl_host *host;
	const struct fl_backend_ops *backend;
	struct fl_token_key key; /* the key of the tokens of runs */
	uint64_t write_began;    /* uv_hrtime */
	struct fl_decisions_heard deciding;
	struct fl_backend driven; /* the backend of the drivers of generations */

	struct fl_jobs jobs;
	struct fl_generation generation;

	struct fl_drafter drafter; /* makes the next generation */
	uint32_t draft_from;       /* with so many jobs generations are drafted */
	uv_async_t drafted;

	struct fl_gather gathers[2];
	struct fl_gather *gather;  /* new rows are added here */
	struct fl_gather *writing; /* being committed, or to be tried again; NULL */
	bool in_flight;            /* the commit runs on its thread */
	uv_work_t work;
	int committed;                 /* result of the commit: 0 or an error */
	fairlead_error error;          /* its error */
	char problem[600];             /* "": no problem */
	uint64_t audit_lost;           /* rows of the audit log, while there was one */
	uint64_t damage_told;          /* count of fl_store_damaged that the log has */
	char warning[FL_CORE_WARNING]; /* until it is acknowledged (adopt.c); "": none */

	uv_check_t check;
	uv_timer_t due, again;
	bool closing;
	uint32_t open_handles;
	void (*closed)(void *user);
	void *closed_user;

	uint64_t seq;       /* the last row that is durable and applied, or is being applied */
	uint64_t submitted; /* the highest number given to a job */
	uint64_t checkpointed, replay_ns; /* ns to apply again all rows since then */
	bool checkpointing;               /* a copy of this process makes one */
	int stalled_ms; /* without a byte of it for so long, the copy is given up */
	struct fl_image_copy {
		uv_work_t work;
		pid_t pid;
		int fd; /* its image comes here */
		uint64_t seq;
		int code;
		fairlead_error error;
	} copy;
	bool must_checkpoint; /* make one soon, also with few rows */
	bool has_given_up;    /* rows for people were not written: the next start will */
	fl_time at;           /* time of the last row */
	uint64_t join_at,
		checkpoint_at;    /* on the loop's clock, ns: the earliest time of the next one */
	uint64_t checkpoint_made; /* the last one, on the same clock; 0: before this start */

	/* the row that is applied now, and how many events it has */
	uint64_t row_seq;
	uint32_t row_events;
	fairlead_error refused; /* why the last configuration was refused */
	bool replaying;         /* no run is started or stopped, no event reported */

	uint64_t *newcomers; /* pending jobs that are not in the generation */
	uint32_t n_newcomers, cap_newcomers;
	uint64_t *ended; /* ended jobs whose dependents are being told (apply.c) */
	uint32_t n_ended, cap_ended;
	uint64_t *dirty; /* jobs whose row in the store is outdated */
	uint32_t n_dirty, cap_dirty;
	struct fl_spec_change *spec_changes; /* that the specs in the store lack (change.c) */
	uint32_t n_spec_changes, cap_spec_changes;

	struct fl_tokens tokens;

	struct fl_attended *attended; /* interactive jobs, by number (attach.h) */
	uint32_t n_attended, cap_attended;
	uv_timer_t sweep; /* runs while one has no client */
};

#endif
