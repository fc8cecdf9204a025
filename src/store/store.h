/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store - the durable state of the daemon: one SQLite database and one image beside it
 *
 * Guarantees: a batch for which fl_store_commit returned 0 is on disk, complete, whatever happens
 * then; one for which it failed is not there at all, and may be tried again.  A database that is
 * damaged in rows that are needed to go on, newer than this program, or not ours is refused with a
 * hint what to do, and not written to; other damaged rows are never returned, and are reported
 * (fl_store_damaged).  One process at a time has a state folder.  README.md says what no checksum
 * can find; tests/disk and tests/unit/store cut the power and flip bits.
 *
 * The journal is the input of the policy, in order: from the image of a policy (checkpoint) and the
 * rows after it the policy is made again as it was, to the last bit, because a policy is a
 * deterministic state machine (decide/policy.h).  All other tables follow from it, or are for
 * people: jobs, admissions, events, audit.
 *
 * Functions that write (commit, set, checkpoint, expire) may be called on any thread, and wait for
 * each other; so may backup, which waits for none.  Reads are for one thread at a time: they have a
 * connection of their own, and see what was committed.  README.md has the reasons.  No other folder
 * includes sqlite3.h.
 */
#ifndef FL_STORE_STORE_H
#define FL_STORE_STORE_H

#include <stddef.h>

#include "record/history.h"
#include "record/record.h"

struct fl_store;

/* A row of the journal: journal.def has the fields of each kind. */
enum fl_journal_kind {
#define FL_RECORD_FIELD(member, type, name, cell, shift, bits)
#define FL_KIND(kind, member, fields) FL_JOURNAL_##kind,
#define FL_KIND_LIKE(kind, other) FL_JOURNAL_##kind,
#define FL_KIND_BARE(kind) FL_JOURNAL_##kind,
#include "store/journal.def"
	FL_JOURNAL_KINDS
};

struct fl_journal_row {
	uint64_t seq; /* from 1, without gaps */
	fl_time at;   /* the daemon's time, never less than in the row before */
	enum fl_journal_kind kind;
	uint64_t job; /* 0: none */
	union {       /* the fields of that kind */
#define FL_RECORD_FIELD(member, type, name, cell, shift, bits) type name;
#define FL_KIND(kind, member, fields)                                                              \
	struct {                                                                                   \
		fields                                                                             \
	} member;
#define FL_KIND_LIKE(kind, other)
#define FL_KIND_BARE(kind)
#include "store/journal.def"
	};
};

/* A row of the audit log: which user did what. */
struct fl_audit_row {
	fl_time at;
	uint32_t uid;
	int64_t pid;
	const char *user, *action, *subject; /* "cancel", "job 17" */
	int status;                          /* HTTP */
};

/* One transaction: all of it, or nothing. */
struct fl_batch {
	const struct fl_journal_row *journal;
	const struct fl_job_row *new_jobs, *jobs; /* jobs: updates of existing rows */
	const struct fl_event_row *events;
	const struct fl_admission_row *admissions;
	const struct fl_condition_row
		*conditions; /* they replace those of the same object and type */
	const struct fl_audit_row *audit;
	uint32_t n_journal, n_new_jobs, n_jobs, n_events, n_admissions, n_conditions, n_audit;
	/*
	 * The wall clock and the time since boot at the time `at` of the last row of the journal:
	 * stored if there is a row.
	 */
	fl_time wall, boot;
	const char *boot_id; /* the id of that boot; NULL: not known */
};

struct fl_store_options {
	const char *folder; /* state folder; with `create` made with mode 0700 when missing */
	bool create;
	bool read_only;  /* for reading only, also while a daemon has it */
	const char *vfs; /* tests: the SQLite VFS to use; NULL: the usual one */
};

/*
 * Opens, brings an older schema up to date (after a copy of the database, "before-vN.db").
 * FAIRLEAD_ESTATE: another process has the folder (err says which).  FAIRLEAD_EINPUT: damaged, of a
 * newer program, or not ours.  FAIRLEAD_ENOENT: it does not exist.  FAIRLEAD_EIO: folder or disk.
 */
int fl_store_open(const struct fl_store_options *options, struct fl_store **ret,
		  fairlead_error *err);
struct fl_store *fl_store_close(struct fl_store *s);

/*
 * Durable on return.  FAIRLEAD_EIO: nothing of it was written; err says whether the disk is full;
 * it may be tried again.  (Only if the sync and all later writes failed may it be found after a
 * kill.) FAIRLEAD_ESTATE: rows of the journal that do not follow the last ones.
 */
int fl_store_commit(struct fl_store *s, const struct fl_batch *batch, fairlead_error *err);

/* --- checkpoint --- */

/*
 * Stores the image of a policy as of journal row @seq: written beside the old one, then in its
 * place.
 */
int fl_store_checkpoint(struct fl_store *s, uint64_t seq,
			int (*write)(void *user, int fd, fairlead_error *err), void *user,
			fairlead_error *err);
/* The last checkpoint; *ret_fd open for reading, -1 and seq 0 when there is none. */
int fl_store_checkpointed(struct fl_store *s, uint64_t *ret_seq, int *ret_fd, fairlead_error *err);
/*
 * Deletes rows of the journal, events and audit that are older than @events_before (of the journal
 * only those before the checkpoint), admissions that ended before @usage_before, and jobs that
 * ended before @jobs_before, up to 1,000 rows of each and 100 jobs in a call; 1: there are more.
 * @gone gets the numbers of these jobs, some possibly twice, and must not call the store.
 */
struct fl_retention {
	fl_time events_before, usage_before, jobs_before;
	void (*gone)(void *user, uint64_t job);
	void *user;
};
int fl_store_expire(struct fl_store *s, const struct fl_retention *keep, fairlead_error *err);

/*
 * --- reading ---
 *
 * Texts are valid during the callback; a negative value of @fn ends it.  A callback may read other
 * tables, but not call the same function again (FAIRLEAD_ESTATE).
 */

typedef int fl_journal_fn(void *user, const struct fl_journal_row *row, fairlead_error *err);
typedef int fl_job_fn(void *user, const struct fl_job_row *row, fairlead_error *err);
typedef int fl_event_fn(void *user, const struct fl_event_row *row, fairlead_error *err);
typedef int fl_admission_fn(void *user, const struct fl_admission_row *row, fairlead_error *err);
typedef int fl_usage_fn(void *user, const struct fl_usage_sum_row *row, fairlead_error *err);
typedef int fl_condition_fn(void *user, const struct fl_condition_row *row, fairlead_error *err);
typedef int fl_audit_fn(void *user, const struct fl_audit_row *row, fairlead_error *err);

/* Settings by name: "config", "boot". FAIRLEAD_ENOENT. Set is durable on return. */
int fl_store_get(struct fl_store *s, const char *name, char *ret, size_t size, fairlead_error *err);
int fl_store_set(struct fl_store *s, const char *name, const char *value, fairlead_error *err);

/* New jobs get numbers above @job. Durable on return. */
int fl_store_number_above(struct fl_store *s, uint64_t job, fairlead_error *err);

/* Of the newest row of the journal; zeros when there is none. */
struct fl_store_end {
	uint64_t seq, job; /* the last journal row; the highest number of a job */
	fl_time at, wall, boot;
	char boot_id[64];
};
int fl_store_end(struct fl_store *s, struct fl_store_end *ret, fairlead_error *err);

int fl_store_journal(struct fl_store *s, uint64_t after, fl_journal_fn *fn, void *user,
		     fairlead_error *err);
/* FAIRLEAD_ENOENT. FAIRLEAD_EINPUT: it is damaged, so @fn is not called. */
int fl_store_job(struct fl_store *s, uint64_t id, fl_job_fn *fn, void *user, fairlead_error *err);

struct fl_job_filter {
	const char *queue, *user; /* NULL: any */
	uint32_t states;          /* bits 1 << enum fl_job_state; 0: any */
	uint64_t after, array;    /* only higher numbers; only of that array; 0: any */
	fl_time ended_after;      /* 0: any */
	uint32_t limit;           /* 0: all */
	bool newest_first;
	bool without_spec; /* spec NULL */
	bool damaged;      /* also damaged jobs, with `damaged` set; else they are left out */
	bool aside;        /* with a connection of its own, so on any thread */
};
int fl_store_jobs(struct fl_store *s, const struct fl_job_filter *filter, fl_job_fn *fn, void *user,
		  fairlead_error *err);

struct fl_event_filter {
	uint64_t after_seq;
	uint32_t after_n; /* only events after (after_seq, after_n) */
	uint64_t job;     /* 0: any */
	const char *queue, *kind;
	fl_time since; /* 0: any */
	uint32_t limit;
	bool newest_first;
};
int fl_store_events(struct fl_store *s, const struct fl_event_filter *filter, fl_event_fn *fn,
		    void *user, fairlead_error *err);
int fl_store_admissions(struct fl_store *s, uint64_t job, fl_admission_fn *fn, void *user,
			fairlead_error *err); /* job 0: of all jobs that hold quota */
/*
 * Attempts that were pending or held quota within (from, to], in no order; and sums of the quota
 * held then: a row for each queue, then by queue, resource and flavor.  Quota that is still held
 * counts until @to.  Both have a connection of their own, so they may be called on any thread.
 */
int fl_store_holdings(struct fl_store *s, fl_time from, fl_time to, fl_admission_fn *fn, void *user,
		      fairlead_error *err);
int fl_store_usage(struct fl_store *s, fl_time from, fl_time to, fl_usage_fn *fn, void *user,
		   fairlead_error *err);
/*
 * The same by user, queue and resource, of all flavors: rows of a user stand together, by name,
 * those of jobs whose row is deleted or damaged first.
 */
int fl_store_user_usage(struct fl_store *s, fl_time from, fl_time to, fl_usage_fn *fn, void *user,
			fairlead_error *err);
int fl_store_conditions(struct fl_store *s, fl_condition_fn *fn, void *user, fairlead_error *err);
int fl_store_audit(struct fl_store *s, uint32_t limit, fl_audit_fn *fn, void *user,
		   fairlead_error *err);

/*
 * Damage that was found since the store was opened, in rows that are not needed to go on: jobs,
 * which are not acted on, rows for people, which are left out, rows of the journal from before the
 * checkpoint.  Any thread.
 */
enum { FL_STORE_DAMAGED = 16 };
struct fl_store_damage {
	uint64_t cut;   /* pages of a transaction that was never finished, at the end of the log */
	uint64_t total; /* damaged rows; the first n are listed */
	uint32_t n;
	struct {
		uint64_t job; /* 0: it is not the row of a job */
		char text[120];
	} rows[FL_STORE_DAMAGED];
};
void fl_store_damaged(struct fl_store *s, struct fl_store_damage *ret);

/* Bytes on disk of the database and its write-ahead log. */
uint64_t fl_store_bytes(const struct fl_store *s);

/* --- backup --- */

/*
 * Copies database and checkpoint of one moment into a new folder, while the daemon runs.  The
 * folder gets its name when it is complete and on disk.
 */
int fl_store_backup(struct fl_store *s, const char *folder, fairlead_error *err);
/* The other way: makes a state folder at @to, which must not have one, from the backup @folder. */
struct fl_restore {
	uint64_t number_above;    /* new jobs get numbers above it */
	const char *name, *value; /* a setting to add; NULL: none */
};
int fl_store_restore(const char *folder, const char *to, const struct fl_restore *how,
		     fairlead_error *err);
/*
 * Checks everything.  FAIRLEAD_EINPUT names what is damaged. 1: whole, except for a transaction at
 * the end of the log that was not finished, which the next start cuts off.
 */
int fl_store_verify(const char *folder, fairlead_error *err);

#endif
