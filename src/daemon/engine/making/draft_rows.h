/* SPDX-License-Identifier: Apache-2.0 */
/*
 * draft_rows - jobs as rows of the model of a draft (engine/generation.h)
 *
 * Jobs with equal asks share a podset.  A workload is named by the number of its job.
 */
#ifndef FL_DAEMON_ENGINE_MAKING_DRAFT_ROWS_H
#define FL_DAEMON_ENGINE_MAKING_DRAFT_ROWS_H

#include "daemon/engine/generation.h"

/* The part of a job that its workload is made from. */
struct fl_joiner {
	uint64_t id;
	fl_time submitted, started;
	struct fl_sym queue;
	uint32_t asks;
	int32_t priority;
	bool holds; /* holds quota: it cannot stay out */
	const void *made_of;
};

/* The local queue that the name of a queue means in the model. */
struct fl_draft_place {
	bool known, gone;
	struct fl_sym namespace, queue;
};

struct fl_draft {
	struct fl_generation_options o;
	struct fl_names words; /* the words of the jobs, by the same symbols */
	struct fl_asks *asks;
	struct fl_joiner *rows;    /* by workload, which is the order of job numbers */
	uint32_t n_asks, n, n_out; /* n_out: rows behind the n, of jobs without queue */
	struct fl_generation g;    /* its model and policy, as far as they are done */
	bool made, gangs;
	struct fl_sym main; /* the name of a podset */
	/* NULL while one joins: */
	struct fl_draft_place *places; /* by symbol of the words */
	uint32_t *podset_of; /* by index of asks: one for all jobs with equal asks; FL_NONE */
	struct fl_model *m;  /* g's */
	void *making;        /* of the maker; NULL */
	fairlead_error error, *err; /* why it failed; where errors go while it is made */
	int code;
};

const char *fl_draft_word(const struct fl_draft *k, struct fl_sym sym);
/* The symbol of @text in its model. */
int fl_draft_sym(struct fl_draft *k, const char *text, struct fl_sym *ret);
/* Equal for jobs with equal asks, also after a restart, when symbols differ. */
uint64_t fl_draft_hash(const struct fl_draft *k, const struct fl_asks *a);
/* What the job asks for, a row of `asks`; one podset for all that ask the same, where that is kept. */
int fl_draft_podset(struct fl_draft *k, uint32_t asks, uint32_t *ret);
/* Its row without what it asks for. FAIRLEAD_ENOENT: there is no such queue. */
int fl_draft_row(struct fl_draft *k, const struct fl_joiner *job, struct fl_workload_row *row);
int fl_draft_add(struct fl_draft *k, const struct fl_joiner *job);
/* A pending job whose queue does not exist (any more) stays out. */
int fl_draft_leave_out(struct fl_draft *k);

#endif
