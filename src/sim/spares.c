/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/spares.h"

#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "sim/runtimes.h"

static const fl_time DAY = 86400 * FL_SECOND;

const struct fl_life_row fl_life_unknown = { .arrives = FL_TIME_NONE,
					     .runs = FL_NEVER,
					     .asked = FL_TIME_NONE,
					     .leaves = FL_NEVER,
					     .waited = FL_TIME_NONE,
					     .class_name = { FL_NONE },
					     .user = { FL_NONE } };

fl_time fl_forecast_period(fl_time now, fl_time first, uint32_t n, uint32_t *ret)
{
	fl_time period = fl_amount_min(fl_sat_sub(now, first), FL_FORECAST_LATELY);
	uint32_t most = n ? FL_FORECAST_SPARES / n : 1, wanted;

	period = fl_amount_max(period, 3600 * FL_SECOND);
	if (period >= 2 * DAY) /* one or two missing hours do not matter */
		period = (period + DAY / 8) / DAY * DAY;
	wanted = (uint32_t)((FL_FORECAST_LATELY + period - 1) / period);
	*ret = most == 0 ? 1 : wanted < most ? wanted : most;
	return period;
}

/* Gangs are made of pods, which come otherwise. */
static fl_time came(const struct fl_model *m, uint32_t w)
{
	return m->workloads[w].gang == FL_NONE ? m->workloads[w].created : FL_TIME_NONE;
}

/* Since when are arrivals known? */
static fl_time known_since(const struct fl_model *m, fl_time now)
{
	fl_time first = now, ended = FL_NEVER;

	for (uint32_t w = 0; w < m->n_workloads; w++)
		if (came(m, w) != FL_TIME_NONE)
			first = fl_amount_min(first, came(m, w));
	for (uint32_t i = 0; i < m->n_lives; i++)
		if (m->lives[i].workload.v != FL_NONE) /* a pod's has none before the seal */
			ended = fl_amount_min(ended, fl_run_ended(m, &m->lives[i]));
	return ended < now ? ended : first;
}

/* No object is called so; and it stands behind its original by name. */
static int add_spare(struct fl_model *m, uint32_t of, uint32_t copy, fairlead_error *err)
{
	struct fl_workload_row row = m->workloads[of];
	struct fl_life_row life = fl_life_unknown;
	char name[FL_MAX_NAME + 16];
	int r;

	(void)snprintf(name, sizeof name, "%s~%u", fl_model_text(m, row.name), copy);
	r = fl_model_sym(m, name, strlen(name), &row.name, err);
	row.uid = row.name;
	row.owner_job.v = FL_NONE;
	row.finished = row.evicted = row.reserved = row.admitted = false;
	row.check_retries = row.not_requeued = false;
	row.reserved_at = FL_TIME_NONE;
	row.requeue = FL_NONE;
	row.admission.n = 0;
	life.workload.v = m->n_workloads;
	life.arrives = FL_NEVER;
	if (r == 0)
		r = fl_model_add_workload(m, &row, err);
	return r < 0 ? r : fl_model_push_lives(m, &life, /* ret_id= */ NULL, err);
}

static bool comes_again(const struct fl_model *m, uint32_t w, fl_time since)
{
	return came(m, w) != FL_TIME_NONE && came(m, w) > since &&
	       strlen(fl_model_text(m, m->workloads[w].name)) < FL_MAX_NAME;
}

int fl_forecast_spares(struct fl_model *m, fl_time now, fl_time *ret_period, struct fl_span *ret,
		       fairlead_error *err)
{
	uint32_t n = m->n_workloads, came_lately = 0, copies;
	fl_time first = known_since(m, now), period = fl_forecast_period(now, first, 0, &copies);
	int r = 0;

	for (uint32_t w = 0; w < n; w++)
		came_lately += comes_again(m, w, fl_sat_sub(now, period));
	(void)fl_forecast_period(now, first, came_lately, &copies);
	for (uint32_t w = 0; w < n && r >= 0; w++)
		for (uint32_t i = 1; i <= copies && r >= 0; i++)
			if (comes_again(m, w, fl_sat_sub(now, period)))
				r = add_spare(m, w, i, err);
	*ret_period = period;
	*ret = (struct fl_span){ n, m->n_workloads - n };
	return r < 0 ? r : 0;
}

static uint32_t original(const struct fl_model *m, struct fl_sym namespace, struct fl_sym name)
{
	char text[FL_MAX_NAME + 16];

	(void)snprintf(text, sizeof text, "%s", fl_model_text(m, name));
	*strrchr(text, '~') = '\0';
	return fl_model_find_workload(m, fl_model_text(m, namespace), text).v;
}

void fl_forecast_set_aside(struct fl_model *m, struct fl_span spares, uint32_t *ret)
{
	uint32_t n = 0;
	static const fl_time later = 100 * 365 * (86400 * FL_SECOND);

	for (uint32_t w = 0; w < m->n_workloads; w++)
		ret[w] = FL_NONE;
	for (uint32_t w = spares.first; w < spares.first + spares.n; w++) {
		struct fl_workload_row *row = &m->workloads[w];

		ret[w] = row->excluded == FL_INCLUDED ? original(m, row->namespace, row->name) :
							FL_NONE;
		row->created = fl_sat_add(row->created, later);
	}
	/* Warnings about the original are enough. */
	for (uint32_t i = 0; i < m->n_notices; i++)
		if (!strchr(fl_model_text(m, m->notices[i].subject), '~'))
			m->notices[n++] = m->notices[i];
	m->n_notices = n;
}
