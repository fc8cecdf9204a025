/* SPDX-License-Identifier: Apache-2.0 */
/*
 * batch - rows that become durable together, while they are gathered
 *
 * Texts are copied.  The journal rows of one batch are applied in their order once it is durable;
 * who asked for them is answered then.
 */
#ifndef FL_DAEMON_MACHINE_BATCH_H
#define FL_DAEMON_MACHINE_BATCH_H

#include "daemon/machine/core.h"

/* Who is answered, of which rows of the journal. */
struct fl_post {
	fl_reply_fn *done;
	void *user;
	uint32_t first, n;
};

struct fl_gather {
	struct fl_arena arena;
	struct fl_batch rows; /* its arrays are those below */
	struct fl_journal_row *journal;
	const struct fl_job_spec **specs; /* beside the journal: of SUBMIT; else NULL */
	struct fl_job_row *new_jobs, *jobs;
	struct fl_event_row *events;
	struct fl_admission_row *admissions;
	struct fl_condition_row *conditions;
	struct fl_audit_row *audit;
	struct fl_post *posts;
	uint32_t n_journal, n_new_jobs, n_jobs, n_events, n_admissions, n_conditions, n_audit,
		n_posts;
	uint32_t cap_journal, cap_specs, cap_new_jobs, cap_jobs, cap_events, cap_admissions,
		cap_conditions, cap_audit, cap_posts;
};

void fl_gather_init(struct fl_gather *g);
void fl_gather_done(struct fl_gather *g);
void fl_gather_clear(struct fl_gather *g); /* keeps memory */
bool fl_gather_is_empty(const struct fl_gather *g);

/* The text in the batch's memory; NULL stays NULL. FAIRLEAD_ENOMEM. */
int fl_gather_text(struct fl_gather *g, const char *text, const char **ret, fairlead_error *err);

/* Each a copy, with its texts.  All or nothing. */
int fl_gather_journal(struct fl_gather *g, const struct fl_journal_row *row, fairlead_error *err);
/* What jobs of one submission have in common, but for their command and environment. */
int fl_gather_spec(struct fl_gather *g, const struct fl_job_spec *spec,
		   const struct fl_job_spec **ret, fairlead_error *err);
/* SUBMIT: @spec is of this batch; @json is the job's own as it is stored. */
int fl_gather_submit(struct fl_gather *g, const struct fl_journal_row *row,
		     const struct fl_job_spec *spec, const char *json, fairlead_error *err);
int fl_gather_job(struct fl_gather *g, const struct fl_job_row *row, fairlead_error *err);
int fl_gather_event(struct fl_gather *g, const struct fl_event_row *row, fairlead_error *err);
int fl_gather_admission(struct fl_gather *g, const struct fl_admission_row *row,
			fairlead_error *err);
int fl_gather_condition(struct fl_gather *g, const struct fl_condition_row *row,
			fairlead_error *err);
int fl_gather_audit(struct fl_gather *g, const struct fl_audit_row *row, fairlead_error *err);
int fl_gather_post(struct fl_gather *g, const struct fl_post *post, fairlead_error *err);

/*
 * What people asked for is taken out, and what was to be decided: the rest may be tried again.
 * Before it they have been answered.
 */
void fl_gather_keep_facts(struct fl_gather *g);

/* Fill in g->rows. */
const struct fl_batch *fl_gather_close(struct fl_gather *g);

#endif
