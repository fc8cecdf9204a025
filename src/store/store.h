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
#include "record/sums.h"

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

/* A text by its name: for what is kept whatever becomes of the journal. */
struct fl_setting {
	const char *name, *value;
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
	/* Of existing jobs: their name, queue and spec, which replace those before. */
	const struct fl_job_row *specs;
	const struct fl_setting *settings;   /* they replace those of the same name */
	const struct fl_token_row *tokens;   /* they replace those with the same id */
	const struct fl_object_row *objects; /* they replace those with the same number or uid */
	uint32_t n_journal, n_new_jobs, n_jobs, n_events, n_admissions, n_conditions, n_audit;
	uint32_t n_specs, n_settings, n_tokens, n_objects;
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
/*
 * The last checkpoint; *ret_fd open for reading, -1 and seq 0 when there is none.  *ret_seq is known, too, when
 * its image cannot be read.
 */
int fl_store_checkpointed(struct fl_store *s, uint64_t *ret_seq, int *ret_fd, fairlead_error *err);
/*
 * Deletes rows of the journal, events and audit that are older than @events_before (of the journal
 * only those before the checkpoint), admissions that ended before @usage_before and are in sums,
 * and jobs, with the objects that they are, and tokens that ended before @jobs_before, up to 1,000 rows of each and 100 jobs in a
 * call; 1: there are more.  Of sums, ends of hours before @hours_before and of days before
 * @days_before.
 * Of versions of the configuration the last FL_STORE_VERSIONS stay, whatever their age.
 * @gone gets the numbers of these jobs, some possibly twice, and must not call the store.
 */
struct fl_retention {
	fl_time events_before, usage_before, jobs_before, hours_before, days_before;
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
typedef int fl_setting_fn(void *user, const struct fl_setting *row, fairlead_error *err);
typedef int fl_token_fn(void *user, const struct fl_token_row *row, fairlead_error *err);
typedef int fl_object_fn(void *user, const struct fl_object_row *row, fairlead_error *err);
typedef int fl_audit_fn(void *user, const struct fl_audit_row *row, fairlead_error *err);

/* Settings by name: "config", "boot". FAIRLEAD_ENOENT. Set is durable on return. */
int fl_store_get(struct fl_store *s, const char *name, char *ret, size_t size, fairlead_error *err);
int fl_store_set(struct fl_store *s, const char *name, const char *value, fairlead_error *err);
/* Those from @first to @last, both included, by name, the last one first; @limit 0: all. */
int fl_store_settings(struct fl_store *s, const char *first, const char *last, uint32_t limit,
		      fl_setting_fn *fn, void *user, fairlead_error *err);
/*
 * Versions of the configuration are settings, two each, with the same FL_VERSION_DIGITS at the end:
 * how it was made, and its text.  Expiring leaves the last FL_STORE_VERSIONS.
 */
#define FL_STORE_VERSION "configured."
#define FL_STORE_VERSION_TEXT "configuration."
/*
 * Times of which there is no history, the last FL_STORE_VERSIONS: FL_STORE_GAP and the beginning, of
 * FL_VERSION_DIGITS; the value has the end, a blank, and why.
 */
#define FL_STORE_GAP "gap."
/* The same of what there was of each resource in a cluster: the amounts, with blanks between. */
#define FL_STORE_WATCHED "watched" /* it is of a daemon that watches a cluster; when it last did */
#define FL_STORE_CAPACITY "capacity."
enum { FL_STORE_VERSIONS = 100, FL_VERSION_DIGITS = 20 };

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
	uint64_t before;          /* only lower numbers; 0: any */
	fl_time ended_after;      /* 0: any */
	uint32_t limit;           /* 0: all */
	bool newest_first;
	bool without_spec; /* spec NULL */
	bool damaged;      /* also damaged jobs, with `damaged` set; else they are left out */
	bool aside;        /* with a connection of its own, so on any thread */
};
int fl_store_jobs(struct fl_store *s, const struct fl_job_filter *filter, fl_job_fn *fn, void *user,
		  fairlead_error *err);
/*
 * The row of a job, whose spec may be damaged: it is not read.  FAIRLEAD_ENOENT; FAIRLEAD_EINPUT:
 * the row itself is damaged.
 */
int fl_store_job_row(struct fl_store *s, uint64_t id, fl_job_fn *fn, void *user,
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
/* All of them, also those that have ended, by id.  A damaged one is left out: it is refused. */
int fl_store_tokens(struct fl_store *s, fl_token_fn *fn, void *user, fairlead_error *err);
/* Of jobs that have not ended, by number.  A damaged one is left out. */
int fl_store_objects(struct fl_store *s, fl_object_fn *fn, void *user, fairlead_error *err);
/* The number of an object; 0: it has none. */
int fl_store_number_of(struct fl_store *s, const char *uid, uint64_t *ret, fairlead_error *err);
int fl_store_audit(struct fl_store *s, uint32_t limit, fl_audit_fn *fn, void *user,
		   fairlead_error *err);

/*
 * --- sums over time: tiers.h ---
 *
 * Each of these reads with a connection of its own, so on any thread.
 */

/* All sums of a moment, since the beginning of its book. */
struct fl_closed {
	struct fl_closing closing;
	fl_time after; /* where the sums before it ended; FL_TIME_NONE: they are the first ones */
	const struct fl_queue_sum *queues;
	const struct fl_amount_sum *amounts;
	uint32_t n_queues, n_amounts;
};
/*
 * Durable on return; the end of an hour drops its parts.  FAIRLEAD_ESTATE: the sums do not end at
 * `after`, so nothing was written.
 */
int fl_store_close_hour(struct fl_store *s, const struct fl_closed *closed, fairlead_error *err);

/* Admissions are whole since then, as of one that begins to watch what others run. Durable on return. */
int fl_store_whole_since(struct fl_store *s, fl_time since, fairlead_error *err);

struct fl_tier_ends {
	struct fl_closing last; /* tier FL_TIERS: there are no sums yet */
	struct fl_closing hour; /* the last one that is no part of an hour; the same */
	fl_time first;          /* since when there are sums, and without any, admissions */
	fl_time exact;          /* since when the admissions are whole */
};
int fl_store_tier_ends(struct fl_store *s, struct fl_tier_ends *ret, fairlead_error *err);

typedef int fl_closing_fn(void *user, const struct fl_closing *row, fairlead_error *err);
typedef int fl_amount_sum_fn(void *user, const struct fl_amount_sum *row, fairlead_error *err);
typedef int fl_queue_sum_fn(void *user, const struct fl_queue_sum *row, fairlead_error *err);
struct fl_sum_reader {
	fl_closing_fn *closing; /* series only: of the rows that follow; `begin` is theirs */
	fl_amount_sum_fn *amount;
	fl_queue_sum_fn *queue;
	void *user;
};
/* Of the moment @until, as they were written. */
int fl_store_sums_at(struct fl_store *s, fl_time until, const struct fl_sum_reader *to,
		     fairlead_error *err);

struct fl_tier_told {
	fl_time from, to;  /* the part of the time asked for that there are sums of */
	enum fl_tier tier; /* the coarsest that was used */
	/* Length of the sums that `from` and `to` cut; of them the part by length is counted. */
	fl_time error;
};
/*
 * Sums of the time from @from to @to: a row for each queue and resource, then for each queue.  The
 * largest shares and waits are in FL_MOST_HOUR, and of whole days where it is longer than two.
 */
int fl_store_sums(struct fl_store *s, fl_time from, fl_time to, const struct fl_sum_reader *to_whom,
		  struct fl_tier_told *ret, fairlead_error *err);
/*
 * One queue along time: for each end of an hour, day or month (@step) that is kept and each coarser
 * one, what was added since the one before; those that lie at least in part within (from, to).  The
 * last may be a part.  @resource NULL: all.  The most are in FL_MOST_HOUR.  At most @limit; *ret_more:
 * the end of the last one when there are more, or FL_TIME_NONE.
 */
struct fl_series_filter {
	const char *queue, *resource;
	fl_time from, to;
	enum fl_tier step;
	uint32_t limit;
};
int fl_store_series(struct fl_store *s, const struct fl_series_filter *filter,
		    const struct fl_sum_reader *to, fl_time *ret_more, fairlead_error *err);

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
