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
#include "store/gather.h"

/* A client to answer, and the rows of the journal that it asked for. */
struct fl_post {
	fl_reply_fn *done;
	void *user;
	uint32_t first, n;
};

struct fl_gather {
	struct fl_gathered all;
	const struct fl_job_spec *
		*specs; /* for each row of the journal: the spec of a SUBMIT; else NULL */
	struct fl_post *posts;
	uint32_t cap_specs, n_posts, cap_posts;
	uint64_t changed; /* bytes of the specs that its rows will change */
};

void fl_gather_init(struct fl_gather *g);
void fl_gather_done(struct fl_gather *g);
void fl_gather_clear(struct fl_gather *g); /* keeps memory */
bool fl_gather_is_empty(const struct fl_gather *g);

/* Copies a row, with its texts, into the part for rows of its kind. All or nothing. */
#define fl_gather_row(g, row, err) fl_gather_to(g, FL_BATCH_PART_OF(row), row, err)
int fl_gather_to(struct fl_gather *g, enum fl_batch_part part, const void *row,
		 fairlead_error *err);
/* The spec that the jobs of one submission share, without command and environment. */
int fl_gather_spec(struct fl_gather *g, const struct fl_job_spec *spec,
		   const struct fl_job_spec **ret, fairlead_error *err);
/* A row SUBMIT: @spec is one of this batch; @json is the spec of the job as it is stored. */
int fl_gather_submit(struct fl_gather *g, const struct fl_journal_row *row,
		     const struct fl_job_spec *spec, const char *json, fairlead_error *err);
/* The name, queue and spec of a job that is there. */
int fl_gather_new_spec(struct fl_gather *g, const struct fl_job_row *row, fairlead_error *err);
int fl_gather_post(struct fl_gather *g, const struct fl_post *post, fairlead_error *err);

/*
 * Numbers its rows of the journal from @seq + 1 on, with the time @at, also for the jobs submitted.
 */
void fl_gather_number(struct fl_gather *g, uint64_t seq, fl_time at);

/*
 * Removes the requests of clients, which were answered with an error, and the rows of decisions:
 * the rest may be tried again.  Is a change of the configuration among the rest?
 */
bool fl_gather_keep_facts(struct fl_gather *g);

#endif
