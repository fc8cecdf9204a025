/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/input/eta.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tell/tell.h"

/* Objects read, spares added, sealed. */
static int read_all(struct fl_snapshot *s, const struct fl_options *o, struct fl_eta_input *e,
		    fairlead_error *err)
{
	int rc = fl_snapshot_begin(s, o, err);

	if (rc == 0)
		rc = fl_snapshot_add(s, o->files, o->n_files, /* tap= */ NULL, err);
	if (rc == 0)
		rc = fl_forecast_spares(s->model, fl_snapshot_clock(s), &e->coming.period,
					&e->spares, err);
	if (rc == 0)
		rc = fl_snapshot_seal(s, /* assume= */ false, err);
	if (rc < 0)
		return rc;
	e->coming.original = calloc((size_t)s->model->n_workloads + 1, sizeof(uint32_t));
	if (!e->coming.original)
		return fl_fail_nomem(err);
	fl_forecast_set_aside(s->model, e->spares, e->coming.original);
	return 0;
}

static int take_out_spares(struct fl_snapshot *s, const struct fl_eta_input *e, fairlead_error *err)
{
	struct fl_event cancel = { .kind = FL_EV_CANCEL };
	int rc = 0;

	for (uint32_t w = e->spares.first; w < e->spares.first + e->spares.n && rc == 0; w++) {
		cancel.workload.v = w;
		if (s->model->workloads[w].excluded == FL_INCLUDED)
			rc = s->ops->apply(s->policy, s->now, &cancel, err);
	}
	return rc;
}

int fl_eta_open(struct fl_snapshot *s, const struct fl_options *o, struct fl_eta_input *ret)
{
	fairlead_error err = { 0 };
	int rc;

	*ret = (struct fl_eta_input){ 0 };
	rc = read_all(s, o, ret, &err);
	if (rc < 0)
		return fl_complain(&err);
	int code = fl_snapshot_warn(s);
	if (code != FL_EXIT_YES)
		return code;
	rc = fl_snapshot_start(s, fl_snapshot_clock(s), &err);
	if (rc == 0)
		rc = take_out_spares(s, ret, &err);
	return rc < 0 ? fl_complain(&err) : FL_EXIT_YES;
}

void fl_eta_done(struct fl_eta_input *e)
{
	free(e->coming.original);
	e->coming.original = NULL;
}

static int assume(struct fl_snapshot *s, char *text, fairlead_error *err)
{
	if (!text)
		return fl_fail_nomem(err);
	if (s->n_assumptions == FL_MAX_ASSUMPTIONS) {
		free(text);
		return 0;
	}
	s->assumptions[s->n_assumptions++] = text;
	s->report.n_assumptions = s->n_assumptions;
	return 0;
}

/* The assumptions of the one future. */
static int assume_lives(struct fl_snapshot *s, const struct fl_life_row *lives, fl_time start,
			const struct fl_forecast_basis *basis, fairlead_error *err)
{
	uint32_t drawn = 0, unknown = basis->n[FL_RUN_UNKNOWN], come = 0;
	char *text = NULL;
	int rc = 0;

	for (unsigned i = 0; i < FL_RUN_BASES; i++)
		drawn += i == FL_RUN_EXACT || i == FL_RUN_UNKNOWN ? 0 : basis->n[i];
	for (uint32_t w = 0; w < s->model->n_workloads; w++)
		come += lives[w].workload.v != FL_NONE && lives[w].arrives != FL_TIME_NONE &&
			lives[w].arrives > start;
	if (drawn + unknown) {
		if (asprintf(&text,
			     "how long %u workloads run is drawn from what is known; of %u nothing "
			     "is known: they run on",
			     drawn, unknown) < 0)
			text = NULL;
		rc = assume(s, text, err);
	}
	if (rc == 0 && come == 0)
		rc = assume(s,
			    strdup("nobody new comes: only what is there already runs until it is "
				   "done"),
			    err);
	return rc;
}

int fl_eta_lives(struct fl_snapshot *s, fl_time start, uint64_t seed, struct fl_life_row **ret,
		 fairlead_error *err)
{
	struct fl_forecast_options options = fl_forecast_default;
	struct fl_life_row *lives = calloc((size_t)s->model->n_workloads + 1, sizeof *lives);
	struct fl_forecast_basis basis;
	struct fl_runtimes times;
	int rc;

	if (!lives)
		return fl_fail_nomem(err);
	options.mem = &fl_mem_heap;
	options.now = start;
	options.told = true;
	options.seed = seed;
	rc = fl_runtimes_init(&times, &fl_mem_heap, s->model, err);
	if (rc == 0)
		rc = fl_runtimes_learn(&times, err);
	if (rc == 0)
		rc = fl_forecast_lives(s->ops, s->policy, s->model, &times, &options, /* run= */ 0,
				       lives, &basis, err);
	fl_runtimes_done(&times);
	if (rc == 0)
		rc = assume_lives(s, lives, start, &basis, err);
	if (rc == 0)
		*ret = lives;
	else
		free(lives);
	return rc;
}
