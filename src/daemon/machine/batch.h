/* SPDX-License-Identifier: Apache-2.0 */
/*
 * batch - rows that are gathered, and become durable together
 *
 * Texts are copied.  The journal rows of one batch are applied in their order once it is durable;
 * their clients are answered then.
 */
#ifndef FL_DAEMON_MACHINE_BATCH_H
#define FL_DAEMON_MACHINE_BATCH_H

#include "daemon/machine/core.h"
#include "store/row.h"

/* A client to answer, and the rows of the journal that it asked for. */
struct fl_post {
	fl_reply_fn *done;
	void *user;
	uint32_t first, n;
};

struct fl_gather {
	struct fl_arena arena;
	struct fl_batch rows;
	const struct fl_job_spec *
		*specs; /* for each row of the journal: the spec of a SUBMIT; else NULL */
	struct fl_post *posts;
	uint32_t caps[FL_BATCH_PARTS], cap_specs, n_posts, cap_posts;
};

void fl_gather_init(struct fl_gather *g);
void fl_gather_done(struct fl_gather *g);
void fl_gather_clear(struct fl_gather *g); /* keeps memory */
bool fl_gather_is_empty(const struct fl_gather *g);

/* Copies a row, with its texts, into the part for rows of its kind. All or nothing. */
#define fl_gather_row(g, row, err)                                                                 \
	fl_gather_to(g,                                                                            \
		     _Generic(*(row), struct fl_journal_row                                        \
			      : FL_BATCH_JOURNAL, struct fl_job_row                                \
			      : FL_BATCH_JOBS, struct fl_event_row                                 \
			      : FL_BATCH_EVENTS, struct fl_admission_row                           \
			      : FL_BATCH_ADMISSIONS, struct fl_condition_row                       \
			      : FL_BATCH_CONDITIONS, struct fl_audit_row                           \
			      : FL_BATCH_AUDIT),                                                   \
		     row, err)
int fl_gather_to(struct fl_gather *g, enum fl_batch_part part, const void *row,
		 fairlead_error *err);
/* The spec that the jobs of one submission share, without command and environment. */
int fl_gather_spec(struct fl_gather *g, const struct fl_job_spec *spec,
		   const struct fl_job_spec **ret, fairlead_error *err);
/* A row SUBMIT: @spec is one of this batch; @json is the spec of the job as it is stored. */
int fl_gather_submit(struct fl_gather *g, const struct fl_journal_row *row,
		     const struct fl_job_spec *spec, const char *json, fairlead_error *err);
int fl_gather_post(struct fl_gather *g, const struct fl_post *post, fairlead_error *err);

/*
 * Numbers its rows of the journal from @seq + 1 on, with the time @at, also for the jobs submitted.
 */
void fl_gather_number(struct fl_gather *g, uint64_t seq, fl_time at);

/*
 * Removes the requests of clients, which were answered with an error, and the rows of decisions:
 * the rest may be tried again.
 */
void fl_gather_keep_facts(struct fl_gather *g);

#endif
