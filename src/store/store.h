/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store - what the daemon knows for good: one SQLite database and one image beside it
 *
 * Guarantees: what fl_store_commit returned 0 for is on disk, whole, whatever happens then; what
 * it failed for is not there at all, and may be tried again.  A database that is damaged where it
 * is needed to go on, newer than this program, or not ours is refused with what to do, and not
 * written to; what else is damaged is given to nobody, and told (fl_store_damaged).  One process
 * at a time has a state folder.  README.md says what no sum can tell; tests/disk and
 * tests/unit/store cut the power and flip bits.
 *
 * The journal is what went into the policy, in order: with the image of a policy (checkpoint) and
 * the rows after it the policy is made again as it was, to the last bit, because a policy is a
 * deterministic state machine (decide/policy.h).  All else follows from it, or is for people:
 * jobs as they are, admissions, events, who did what.
 *
 * What writes (commit, set, checkpoint, expire) may be called on any thread, and waits for what
 * writes just then; so may backup, which waits for nobody.  Reads are for one thread at a time:
 * they have a connection of their own, and see what was committed.  README.md says why things are as
 * they are.  Nobody else includes sqlite3.h.
 */
#ifndef FL_STORE_STORE_H
#define FL_STORE_STORE_H

#include <stddef.h>

#include "record/history.h"
#include "record/record.h"

struct fl_store;

/* What went in: journal.def says of each kind what it says. */
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
	fl_time at;   /* the daemon's time, never before the row before */
	enum fl_journal_kind kind;
	uint64_t job; /* 0: none */
	union {       /* of that kind */
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

/* Who did what. */
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
	const struct fl_job_row *new_jobs, *jobs; /* jobs: updates of rows that are there */
	const struct fl_event_row *events;
	const struct fl_admission_row *admissions;
	const struct fl_condition_row *conditions; /* replace those of the same object and type */
	const struct fl_audit_row *audit;
	uint32_t n_journal, n_new_jobs, n_jobs, n_events, n_admissions, n_conditions, n_audit;
	/* The clock of the world, and that since boot, when the last row of the journal had its
	 * time `at`: kept when there is one. */
	fl_time wall, boot;
	const char *boot_id; /* of which boot; NULL: not known */
};

struct fl_store_options {
	const char *folder; /* state folder; made with mode 0700 when missing and `create` */
	bool create;
	bool read_only;  /* to look at, also while a daemon has it */
	const char *vfs; /* tests: SQLite's files through this one; NULL: the usual */
};

/*
 * Opens, brings an older schema up to date (after a copy of the database, "before-vN.db").
 * FAIRLEAD_ESTATE: another process has the folder (err says which).  FAIRLEAD_EINPUT: damaged, of
 * a newer program, or not ours.  FAIRLEAD_ENOENT: not there.  FAIRLEAD_EIO: folder or disk.
 */
int fl_store_open(const struct fl_store_options *options, struct fl_store **ret,
		  fairlead_error *err);
struct fl_store *fl_store_close(struct fl_store *s);

/*
 * Durable on return.  FAIRLEAD_EIO: nothing of it is there; err says whether the disk is full; it
 * may be tried again.  (Only when the disk failed the sync, and all after it, may a kill find it.)
 * FAIRLEAD_ESTATE: rows of the journal that do not follow the last ones.
 */
int fl_store_commit(struct fl_store *s, const struct fl_batch *batch, fairlead_error *err);

/* --- checkpoint --- */

/* The image of a policy as of journal row @seq: whole beside the old one, then in its place. */
int fl_store_checkpoint(struct fl_store *s, uint64_t seq,
			int (*write)(void *user, int fd, fairlead_error *err), void *user,
			fairlead_error *err);
/* Of the last one; *ret_fd open for reading, -1 and seq 0 when there is none. */
int fl_store_checkpointed(struct fl_store *s, uint64_t *ret_seq, int *ret_fd, fairlead_error *err);
/* Rows of the journal that no checkpoint needs and that are older than @before are deleted, a few
 * thousand a call; 1: there are more. The same of events and audit, of admissions that were over
 * before @usage_before, and of jobs that ended before @jobs_before, whose numbers go to @gone (a
 * few at a time), which may be told twice of one and must not call the store. */
struct fl_retention {
	fl_time events_before, usage_before, jobs_before;
	void (*gone)(void *user, uint64_t job);
	void *user;
};
int fl_store_expire(struct fl_store *s, const struct fl_retention *keep, fairlead_error *err);

/*
 * --- reading ---
 *
 * Texts are valid during the callback; a negative value of @fn ends it.  From a callback others
 * may be read, but not the same again (FAIRLEAD_ESTATE).
 */

typedef int fl_journal_fn(void *user, const struct fl_journal_row *row, fairlead_error *err);
typedef int fl_job_fn(void *user, const struct fl_job_row *row, fairlead_error *err);
typedef int fl_event_fn(void *user, const struct fl_event_row *row, fairlead_error *err);
typedef int fl_admission_fn(void *user, const struct fl_admission_row *row, fairlead_error *err);
typedef int fl_usage_fn(void *user, const struct fl_usage_sum_row *row, fairlead_error *err);
typedef int fl_condition_fn(void *user, const struct fl_condition_row *row, fairlead_error *err);
typedef int fl_audit_fn(void *user, const struct fl_audit_row *row, fairlead_error *err);

/* Small things by name: "config", "boot". FAIRLEAD_ENOENT. Set is durable on return. */
int fl_store_get(struct fl_store *s, const char *name, char *ret, size_t size, fairlead_error *err);
int fl_store_set(struct fl_store *s, const char *name, const char *value, fairlead_error *err);

/* Numbers of jobs go on above @job, at least. Durable on return. */
int fl_store_number_above(struct fl_store *s, uint64_t job, fairlead_error *err);

/* wall, boot, at of the newest row, its number; zeros when there is none. */
struct fl_store_end {
	uint64_t seq, job; /* the last journal row; the highest number of a job */
	fl_time at, wall, boot;
	char boot_id[64];
};
int fl_store_end(struct fl_store *s, struct fl_store_end *ret, fairlead_error *err);

int fl_store_journal(struct fl_store *s, uint64_t after, fl_journal_fn *fn, void *user,
		     fairlead_error *err);
/* FAIRLEAD_ENOENT.  FAIRLEAD_EINPUT: it is damaged, so nothing of it is told. */
int fl_store_job(struct fl_store *s, uint64_t id, fl_job_fn *fn, void *user, fairlead_error *err);

struct fl_job_filter {
	const char *queue, *user; /* NULL: any */
	uint32_t states;          /* bits 1 << enum fl_job_state; 0: any */
	uint64_t after, array;    /* only higher numbers; only of that array; 0: any */
	fl_time ended_after;      /* 0: any */
	uint32_t limit;           /* 0: all */
	bool newest_first;
	bool without_spec; /* spec NULL */
	bool damaged;      /* also those that are, with `damaged` set; else they are left out */
	bool aside;        /* by a connection of its own: on any thread */
};
int fl_store_jobs(struct fl_store *s, const struct fl_job_filter *filter, fl_job_fn *fn, void *user,
		  fairlead_error *err);

struct fl_event_filter {
	uint64_t after_seq;
	uint32_t after_n; /* behind (after_seq, after_n) */
	uint64_t job;     /* 0: any */
	const char *queue, *kind;
	fl_time since; /* 0: any */
	uint32_t limit;
	bool newest_first;
};
int fl_store_events(struct fl_store *s, const struct fl_event_filter *filter, fl_event_fn *fn,
		    void *user, fairlead_error *err);
int fl_store_admissions(struct fl_store *s, uint64_t job, fl_admission_fn *fn, void *user,
			fairlead_error *err); /* job 0: of all that hold quota */
/*
 * Those that waited or held something within (from, to], in no order; and what was held then, in
 * sum: a row for each queue, then by queue, resource and flavor.  What is still held counts until
 * @to.  Both have a connection of their own, so they may be read on any thread.
 */
int fl_store_holdings(struct fl_store *s, fl_time from, fl_time to, fl_admission_fn *fn, void *user,
		      fairlead_error *err);
int fl_store_usage(struct fl_store *s, fl_time from, fl_time to, fl_usage_fn *fn, void *user,
		   fairlead_error *err);
int fl_store_conditions(struct fl_store *s, fl_condition_fn *fn, void *user, fairlead_error *err);
int fl_store_audit(struct fl_store *s, uint32_t limit, fl_audit_fn *fn, void *user,
		   fairlead_error *err);

/*
 * What was found, since it was opened, that is not what was written, and that the daemon can do
 * without: jobs that are not acted on, rows for people that are left out, rows of the journal that
 * the checkpoint has passed.  Any thread.
 */
enum { FL_STORE_DAMAGED = 16 };
struct fl_store_damage {
	uint64_t cut;   /* pages of a transaction that was never finished, at the end of the log */
	uint64_t total; /* of which the first n are listed */
	uint32_t n;
	struct {
		uint64_t job; /* 0: of none */
		char text[120];
	} rows[FL_STORE_DAMAGED];
};
void fl_store_damaged(struct fl_store *s, struct fl_store_damage *ret);

/* On disk: the database and its write-ahead log. */
uint64_t fl_store_bytes(const struct fl_store *s);

/* --- backup --- */

/*
 * A copy of database and checkpoint that fit each other, into a new folder, while it runs.  The
 * folder is there when all of it is, on disk.
 */
int fl_store_backup(struct fl_store *s, const char *folder, fairlead_error *err);
/* The other way: @folder becomes a state folder at @to, which must not have one. */
struct fl_restore {
	uint64_t number_above;    /* numbers of jobs go on above it, at least */
	const char *name, *value; /* a setting that it has from then on; NULL: none */
};
int fl_store_restore(const char *folder, const char *to, const struct fl_restore *how,
		     fairlead_error *err);
/*
 * Is everything whole?  FAIRLEAD_EINPUT names what is not.  1: but for a transaction at the end of
 * the log that was not finished, which the next start cuts off.
 */
int fl_store_verify(const char *folder, fairlead_error *err);

#endif
