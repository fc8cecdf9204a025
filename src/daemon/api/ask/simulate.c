/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/api/ask/simulate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "codec/text/quantity.h"
#include "daemon/api/ask/traced.h"
#include "daemon/api/ask/trial.h"
#include "daemon/engine/daemon.h"
#include "daemon/engine/process/aside.h"
#include "daemon/history/past.h"
#include "report/sim/sim_report.h"

enum { ASSUMPTIONS = 3, ASSUMPTION = 200 };

struct run {
	const struct fl_simulate_options *options;
	struct fl_api_trial trial;
	struct fl_future future;
	struct fl_sim sim;
	struct fl_measure *measure;
	double told; /* of progress */
	char texts[ASSUMPTIONS][ASSUMPTION];
	const char *assumptions[ASSUMPTIONS];
};

/* --- the pipe --- */

static void tell(enum fl_simulate_piece piece, const void *bytes, size_t len)
{
	const struct fl_simulate_head head = { .len = len, .piece = piece };

	if (fl_fd_write(FL_ASIDE_PIPE, &head, sizeof head) < 0 ||
	    fl_fd_write(FL_ASIDE_PIPE, bytes, len) < 0)
		_exit(1);
}

/* Each part of the jobs or of the time that is over, whichever is more. */
static double part_done(const struct fl_sim *s)
{
	double all = (double)s->n_finite + (double)s->n_done;
	double jobs = all > 0 ? (double)s->n_done / all : 0;
	double time = (double)(s->now - s->options.start) / (double)(s->end - s->options.start);
	double part = jobs > time ? jobs : time;

	return part < 0 ? 0 : part > 1 ? 1 : part;
}

static bool go_on(void *user, const struct fl_sim *sim)
{
	struct run *run = user;
	double part = part_done(sim);

	if (part >= run->told + 0.01) {
		run->told = part;
		tell(FL_SIMULATE_PROGRESS, &part, sizeof part);
	}
	return true;
}

/* --- the simulation --- */

static int draw(struct run *run, const struct fl_call *call, fairlead_error *err)
{
	struct fl_daemon *daemon = call->api->daemon;
	const char *queue = fl_request_argument(call->r, "queue");
	const struct fl_traced traced = { queue, call->r->body, call->r->body_len };
	struct fl_future_options options = {
		.config = fl_daemon_config(daemon),
		.seed = run->options->seed,
		.arrivals = run->options->arrivals,
	};
	struct fl_live_view is;
	int code = 0;

	if (fl_api_has_changes(call)) {
		code = fl_api_trial_read(&run->trial, call, err);
		if (code == 0)
			code = fl_api_trial_config(&run->trial, daemon, err);
		options.config = run->trial.config;
	}
	if (code < 0)
		return code;
	fl_daemon_view(daemon, &is);
	if (run->options->trace)
		return fl_traced_read(options.config, is.of.capacity, &traced, &run->future.view,
				      err);
	return fl_past_future(call->past, &is, daemon->ops->jobs(daemon), &options, &run->future,
			      err);
}

static int begin(struct run *run, const struct fl_call *call, fairlead_error *err)
{
	const struct fl_live_view *v = &run->future.view;
	const struct fl_daemon_settings *daemon = fl_daemon_settings_of(call->api->daemon);
	struct fl_sim_options options = { .mem = &fl_mem_heap, .go_on = go_on, .user = run };
	struct fl_simulation_settings settings;
	int code = draw(run, call, err);

	if (code < 0)
		return code;
	settings = v->model->simulation;
	settings.seed = run->options->seed;
	settings.until = run->options->horizon;
	settings.grace = daemon->grace;
	options.start = v->now;
	options.lives = run->future.lives;
	code = fl_sim_init(&run->sim, v->model, v->ops, v->policy, &settings, &options, err);
	return code < 0 ? code : fl_measure_new(&fl_mem_heap, &run->sim, &run->measure, err);
}

/* --- the report --- */

static uint32_t assume(struct run *run)
{
	const struct fl_forecast_basis *b = &run->future.basis;
	uint32_t drawn = 0, unknown = b->n[FL_RUN_UNKNOWN], n = 0;
	char age[32];

	for (unsigned i = 0; i < FL_RUN_BASES; i++)
		drawn += i == FL_RUN_EXACT || i == FL_RUN_UNKNOWN ? 0 : b->n[i];
	if (run->options->trace)
		(void)snprintf(
			run->texts[n++], ASSUMPTION,
			"the jobs are those of the trace that was sent, without those of the daemon");
	if (drawn + unknown)
		(void)snprintf(run->texts[n++], ASSUMPTION,
			       "how long %u jobs run is drawn from what is known; of %u nothing is "
			       "known: they run on",
			       drawn, unknown);
	if (!run->options->trace && b->arrivals)
		(void)snprintf(run->texts[n++], ASSUMPTION,
			       "jobs that came lately come again, at other times, for %s; after "
			       "that no new ones come",
			       fl_report_age(b->horizon, age));
	else if (!run->options->trace)
		(void)snprintf(
			run->texts[n++], ASSUMPTION,
			"no new jobs come: only what is there already runs until it is done");
	for (uint32_t i = 0; i < n; i++)
		run->assumptions[i] = run->texts[i];
	return n;
}

static void put(enum fl_simulate_piece piece, struct fl_report *r,
		const struct fl_sim_report *report, fairlead_error *err)
{
	struct fl_json j;

	fl_json_init(&j, r->out);
	if (piece == FL_SIMULATE_TEXT) {
		(void)fl_sim_text(r, report, err);
		return;
	}
	fl_sim_json(&j, NULL, r, report, /* series= */ piece == FL_SIMULATE_PAGE);
	if (j.failed)
		fl_fail_nomem(err);
	else if (piece == FL_SIMULATE_JSON)
		putc('\n', r->out);
}

static int send_part(enum fl_simulate_piece piece, struct fl_report *r,
		     const struct fl_sim_report *report, fairlead_error *err)
{
	char *text = NULL;
	size_t len = 0;

	r->out = open_memstream(&text, &len);
	if (!r->out)
		return fl_fail_nomem(err);
	err->code = 0;
	put(piece, r, report, err);
	if ((fclose(r->out) != 0 || !text) && err->code == 0)
		fl_fail_nomem(err);
	if (err->code == 0)
		tell(piece, text, len);
	free(text);
	return err->code;
}

static int send_report(struct run *run, fairlead_error *err)
{
	const struct fl_simulate_options *o = run->options;
	struct fl_report r = {
		.model = run->sim.model,
		.mem = &fl_mem_heap,
		.quantity = fl_quantity_format,
		.width = o->width,
		.color = o->color,
		.all = o->all,
		.fair = run->sim.model->settings.fair_sharing,
		.jobs = true,
		.assumptions = run->assumptions,
		.n_assumptions = assume(run),
	};
	struct fl_sim_report report = { .sim = &run->sim, .utf8 = true };
	int code;

	report.top = o->all ? 0 : run->sim.settings.top;
	code = fl_measure_end(run->measure, report.top, &report.measured, err);
	for (int i = FL_SIMULATE_TEXT; i <= FL_SIMULATE_PAGE && code == 0; i++)
		code = send_part((enum fl_simulate_piece)i, &r, &report, err);
	return code;
}

/* Where in the trace it is; the file is the one that was sent. */
static void say_line(fairlead_error *err)
{
	char text[sizeof err->text];

	if (err->line == 0)
		return;
	memcpy(text, err->text, sizeof text);
	(void)snprintf(err->text, sizeof err->text, "line %u: %.*s", err->line,
		       (int)sizeof text - 32, text);
}

_Noreturn void fl_api_simulate(const struct fl_call *call,
			       const struct fl_simulate_options *options)
{
	struct run run = { .options = options };
	fairlead_error err = { 0 };
	int code = begin(&run, call, &err);

	if (code == 0)
		code = fl_sim_run(&run.sim, &err);
	if (code >= 0)
		code = send_report(&run, &err);
	if (code == FAIRLEAD_ENOMEM) {
		fl_fail(&err, FAIRLEAD_ENOMEM, "the simulation takes more memory than one may");
		fl_fail_hint(&err, "ask for a shorter horizon, or without arrivals; an admin can "
				   "raise .spec.limits.simulationBytes of the Daemon document");
	}
	if (code < 0 && options->trace)
		say_line(&err);
	if (code < 0)
		tell(FL_SIMULATE_ERROR, &err, sizeof err);
	else
		tell(FL_SIMULATE_DONE, NULL, 0);
	_exit(0);
}
