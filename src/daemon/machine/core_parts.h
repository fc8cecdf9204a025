/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core_parts - what the files of the core share: core.c (loop, batches), apply.c (what a row of the
 * journal does), prepare.c (generations), rows.c (what is written down of it), runs.c (backend),
 * replay.c (recovery), adopt.c (what the folders say against that), view.c (what there is)
 */
#ifndef FL_DAEMON_MACHINE_CORE_PARTS_H
#define FL_DAEMON_MACHINE_CORE_PARTS_H

#include <stdatomic.h>

#include "daemon/engine/decisions.h"
#include "daemon/engine/rows.h"
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

	struct fl_draft *draft; /* of the next generation; NULL */
	uint32_t draft_from;    /* so many jobs: they are drafted */
	bool drafting;          /* a thread has it */
	uv_thread_t drafter;
	uv_async_t drafted;
	atomic_bool draft_made;
	uint64_t draft_took; /* ns */

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

/* --- core.c --- */

/* It cannot go on. Returns err's code. */
int fl_core_break(struct fl_core *c, const fairlead_error *err);
void fl_core_log(const struct fl_core *c, const char *format, ...) FL_PRINTF(2, 3);
/* What the store found that is not what was written, when there is more of it. */
void fl_core_tell_damage(struct fl_core *c);
/* Is anything new taken? FAIRLEAD_EIO. */
int fl_core_check_open(const struct fl_core *c, fairlead_error *err);
/* The loop's clock. */
uint64_t fl_core_loop_ns(const struct fl_core *c);
/* There is something to write. */
void fl_core_soon(struct fl_core *c);
/* A fact of the journal: with the next batch. */
int fl_core_note(struct fl_core *c, const struct fl_journal_row *row, fairlead_error *err);
/* It waits, and is in no generation. */
int fl_core_newcomer(struct fl_core *c, const struct fl_live *job, fairlead_error *err);

/* --- apply.c: 0, or an error after which the core cannot go on --- */

/* *ret: how it went for who asked for it; FAIRLEAD_ESTATE, ENOENT: nothing came of it. */
int fl_core_apply(struct fl_core *c, const struct fl_journal_row *row,
		  const struct fl_job_spec *spec, int *ret, fairlead_error *err);
/* Fills in c->deciding and c->driven: what cycles decide is carried out. */
void fl_core_decide(struct fl_core *c);
/* Of a job that is there, or in the store alone; FL_JOB_STATES: it is in neither. */
enum fl_job_state fl_core_state_of(const struct fl_core *c, uint64_t id);
/* A job that is there and cannot go on is over now, without a row of the journal. */
int fl_core_end(struct fl_core *c, uint64_t id, enum fl_job_state state, const char *why,
		fairlead_error *err);
/* The next generation at once, of all that are there and of job @up_to and before. */
int fl_core_regenerate(struct fl_core *c, fl_time now, uint64_t up_to, fairlead_error *err);

/* --- view.c --- */

struct fl_living fl_core_living(const struct fl_core *c);

/* --- checkpoint.c --- */

/* Enough has happened since the last one, and one can be made. */
bool fl_core_checkpoint_due(const struct fl_core *c);
/* Of this moment: here and now, or by a copy of the process. When it fails the log says so. */
int fl_core_checkpoint(struct fl_core *c, fairlead_error *err);
void fl_core_checkpoint_aside(struct fl_core *c);

/* --- prepare.c: generations --- */

/* Rows PREPARE and JOIN. */
int fl_core_prepare(struct fl_core *c, const struct fl_journal_row *row, fairlead_error *err);
int fl_core_join(struct fl_core *c, const struct fl_journal_row *row, fairlead_error *err);
/* What is next for jobs that are to take part, if it is time; false: nothing yet. */
bool fl_core_next_join(const struct fl_core *c, struct fl_journal_row *ret);
void fl_core_drop_draft(struct fl_core *c);
void fl_core_on_drafted(uv_async_t *async);

/* --- rows.c --- */

/* The ClusterQueue or Queue of a job; "" when its queue is gone. */
const char *fl_core_queue(const struct fl_core *c, const struct fl_live *job);

/* The job's row in the store is to be written. */
int fl_core_touch(struct fl_core *c, const struct fl_live *job, fairlead_error *err);
/* Rows of all that were touched, into the batch that is gathered. */
int fl_core_write_jobs(struct fl_core *c, fairlead_error *err);
int fl_core_tell(struct fl_core *c, const struct fl_tell *tell, fairlead_error *err);
int fl_core_admit(struct fl_core *c, const struct fl_live *job, fairlead_error *err);
int fl_core_release(struct fl_core *c, const struct fl_live *job, fl_time at, const char *ended,
		    fairlead_error *err);
/* Conditions of all nodes of the generation. */
int fl_core_conditions(struct fl_core *c, fl_time at, fairlead_error *err);

/* --- runs.c --- */

/* Start it, as the policy says; what fails becomes an outcome. */
int fl_core_start(struct fl_core *c, struct fl_live *job, enum fl_before before,
		  fairlead_error *err);
/* Tell its run to go. */
int fl_core_stop(struct fl_core *c, struct fl_live *job, enum fl_go_why why, fairlead_error *err);
/* ENDED: a: the daemon's time when it ended, or FL_TIME_NONE; b: kind, reason and status. */
struct fl_journal_row fl_core_ended(const struct fl_clock *clock, const struct fl_run_outcome *o);
struct fl_run_outcome fl_core_outcome(const struct fl_journal_row *row);
int fl_core_open_host(struct fl_core *c, struct fl_capacity *ret, fairlead_error *err);
/* After recovery: what became of all that should run, and who runs and should not. */
int fl_core_find_runs(struct fl_core *c, fairlead_error *err);

/* --- keep.c: what a policy was made of, as text: the configuration and the capacity --- */

/* From malloc; NULL: no memory. */
char *fl_core_spell_config(const struct fl_config *config, const struct fl_capacity *capacity);
/* In place of those there are, which are freed; FAIRLEAD_EINPUT when it is damaged. */
int fl_core_take_config(struct fl_core *c, const char *text, size_t len, fairlead_error *err);
/* A copy of its own. */
int fl_core_copy_capacity(struct fl_core *c, const struct fl_capacity *from, fairlead_error *err);
/*
 * @wanted and @capacity from now on, which become the core's: when they are others than there
 * are, a row says so.  *ret: whether they are.
 */
int fl_core_want_config(struct fl_core *c, struct fl_config *wanted,
			const struct fl_capacity *capacity, bool *ret, fairlead_error *err);
/* --- adopt.c: runs in the state folder against what the database knows --- */

/* Open the store; FAIRLEAD_EINPUT: it knows fewer jobs than there are runs of. */
int fl_core_open_store(struct fl_core *c, fairlead_error *err);
/* Runs that nobody knows are ended and set aside. After recovery, before anything is started. */
int fl_core_disown_runs(struct fl_core *c, fairlead_error *err);
/* Rows DISOWNED, RESTORED and ACKNOWLEDGED. */
int fl_core_adopted(struct fl_core *c, const struct fl_journal_row *row, fairlead_error *err);

/* --- replay.c --- */

/* Write the image of what there is: fl_store_checkpoint's @write. */
int fl_core_save(void *core, int fd, fairlead_error *err);
/* From the store to where it was; a fresh store begins. */
int fl_core_recover(struct fl_core *c, const struct fl_capacity *capacity, fairlead_error *err);

#endif
