/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/machine/rows.h"

#include <stdlib.h>

#include "daemon/machine/batch.h"
#include "daemon/machine/change.h"
#include "daemon/machine/inside.h"
#include "daemon/machine/view.h"

const char *fl_core_queue(const struct fl_core *c, const struct fl_live *job)
{
	struct fl_living living = fl_core_living(c);

	return fl_live_queue(&living, job);
}

int fl_core_touch(struct fl_core *c, const struct fl_live *job, fairlead_error *err)
{
	if (c->n_dirty && c->dirty[c->n_dirty - 1] == job->id)
		return 0;
	if (fl_mem_grow(&fl_mem_heap, &c->dirty, &c->cap_dirty, c->n_dirty + 1, sizeof *c->dirty,
			err) < 0)
		return FAIRLEAD_ENOMEM;
	c->dirty[c->n_dirty++] = job->id;
	return 0;
}

static int write_job(struct fl_core *c, const struct fl_live *job, fairlead_error *err)
{
	struct fl_living living = fl_core_living(c);
	struct fl_row_texts texts;
	struct fl_job_row row;

	fl_row_of_job(&living, job, &texts, &row);
	return fl_gather_row(c->gather, &row, err);
}

static int cmp_numbers(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

int fl_core_write_jobs(struct fl_core *c, fairlead_error *err)
{
	int r = 0;

	if (c->n_dirty)
		qsort(c->dirty, c->n_dirty, sizeof *c->dirty, cmp_numbers);
	for (uint32_t i = 0; i < c->n_dirty && r == 0; i++) {
		const struct fl_live *job = fl_jobs_find(&c->jobs, c->dirty[i]);

		if (job && (i == 0 || c->dirty[i] != c->dirty[i - 1]))
			r = write_job(c, job, err);
	}
	if (r == 0)
		c->n_dirty = 0;
	if (r == 0)
		r = fl_core_write_specs(c, err);
	return r < 0 ? r : fl_core_write_tokens(c, err);
}

int fl_core_tell(struct fl_core *c, const struct fl_tell *tell, fairlead_error *err)
{
	struct fl_event_row row;
	int r;

	fl_row_of_event(&c->jobs, tell, c->row_seq, c->row_events++, &row);
	r = fl_gather_row(c->gather, &row, err);
	if (r == 0 && !c->replaying)
		fl_followers_tell(&c->daemon.followers, &row);
	return r;
}

/* While the policy has what it holds. */
static int write_admission(struct fl_core *c, const struct fl_live *job, fl_time to,
			   const char *ended, fairlead_error *err)
{
	struct fl_living living = fl_core_living(c);
	struct fl_row_texts texts;
	struct fl_admission_row row;

	fl_row_of_admission(&living, job, to, ended, &texts, &row);
	return fl_gather_row(c->gather, &row, err);
}

int fl_core_admit(struct fl_core *c, const struct fl_live *job, fairlead_error *err)
{
	return write_admission(c, job, FL_TIME_NONE, /* ended= */ NULL, err);
}

int fl_core_release(struct fl_core *c, const struct fl_live *job, fl_time at, const char *ended,
		    fairlead_error *err)
{
	return write_admission(c, job, at, ended, err);
}

int fl_core_conditions(struct fl_core *c, fl_time at, fairlead_error *err)
{
	const struct fl_model *m = c->generation.model;
	int r = 0;

	for (uint32_t n = 0; n < m->n_nodes && r == 0; n++) {
		struct fl_condition_row row;

		fl_row_of_condition(m, (struct fl_node){ n }, at, &row);
		r = fl_gather_row(c->gather, &row, err);
	}
	return r;
}
