/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulate - a scenario run through in virtual time, and what it came to
 */
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>

#include "cli/client/daemon_ask.h"
#include "cli/input/eta.h"
#include "cli/input/scenario.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/out_dir.h"
#include "cli/terminal/progress.h"
#include "report/out/page.h"
#include "report/sim/sim_report.h"

struct files {
	struct fl_out_dir dir;
	FILE *page, *summary, *series, *jobs, *events;
};

struct run {
	const struct fl_options *options;
	struct fl_scenario scenario;
	struct fl_sim sim;
	struct fl_measure *measure;
	struct fl_progress progress;
	struct files files;        /* with --out */
	struct fl_life_row *lives; /* with --from-snapshot */
};

static bool go_on(void *user, const struct fl_sim *sim)
{
	struct run *run = user;

	fl_progress_show(&run->progress, sim);
	return !fl_interrupted();
}

static int write_event(void *user, const struct fl_sim *sim, const struct fl_sim_event *e,
		       fairlead_error *err)
{
	struct files *files = user;

	fl_sim_event_line(files->events, sim, e);
	return fl_out_dir_check(&files->dir, err);
}

static int open_files(struct files *f, const char *folder, fairlead_error *err)
{
	int rc = fl_out_dir_open(&f->dir, folder, err);

	if (rc == 0)
		rc = fl_out_dir_add(&f->dir, "report.html", &f->page, err);
	if (rc == 0)
		rc = fl_out_dir_add(&f->dir, "summary.json", &f->summary, err);
	if (rc == 0)
		rc = fl_out_dir_add(&f->dir, "series.csv", &f->series, err);
	if (rc == 0)
		rc = fl_out_dir_add(&f->dir, "jobs.csv", &f->jobs, err);
	if (rc == 0)
		rc = fl_out_dir_add(&f->dir, "events.jsonl", &f->events, err);
	return rc;
}

static int prepare(struct run *run, fairlead_error *err)
{
	struct fl_snapshot *s = &run->scenario.snapshot;
	struct fl_sim_options options = {
		.mem = &fl_mem_heap,
		.start = run->scenario.start,
		.go_on = go_on,
		.user = run,
	};
	int rc = 0;

	if (run->options->out) {
		rc = open_files(&run->files, run->options->out, err);
		options.listeners[options.n_listeners++] =
			(struct fl_sim_listener){ .event = write_event, .user = &run->files };
	}
	if (rc == 0 && run->options->from_snapshot)
		rc = fl_eta_lives(s, options.start, s->model->simulation.seed, &run->lives, err);
	options.lives = run->lives;
	if (rc == 0)
		rc = fl_sim_init(&run->sim, s->model, s->ops, s->policy, &s->model->simulation,
				 &options, err);
	return rc < 0 ? rc : fl_measure_new(&fl_mem_heap, &run->sim, &run->measure, err);
}

static int write_page(const struct run *run, const struct fl_sim_report *report,
		      fairlead_error *err)
{
	char *text = NULL;
	size_t len = 0;
	struct fl_json j;
	FILE *memory = open_memstream(&text, &len);

	if (!memory)
		return fl_fail_nomem(err);
	fl_json_init(&j, memory);
	fl_sim_json(&j, NULL, &run->scenario.snapshot.report, report, /* series= */ true);
	bool failed = ferror(memory) || j.failed;
	failed |= fclose(memory) != 0 || !text; /* NULL: it could not be moved */
	int rc = failed ? fl_fail_nomem(err) : 0;
	if (!failed && fl_page_write(run->files.page, text, len) < 0)
		rc = fl_out_dir_check(&run->files.dir, err);
	free(text);
	return rc;
}

static void put_summary(FILE *out, const struct run *run, const struct fl_sim_report *report)
{
	struct fl_json j;

	fl_json_init(&j, out);
	fl_sim_json(&j, NULL, &run->scenario.snapshot.report, report, /* series= */ false);
	putc('\n', out);
}

/* What failed is asked for at once, while it is known why. */
static int write_files(struct run *run, const struct fl_sim_report *report, fairlead_error *err)
{
	struct files *f = &run->files;
	int rc = write_page(run, report, err);

	if (rc == 0) {
		put_summary(f->summary, run, report);
		rc = fl_out_dir_check(&f->dir, err);
	}
	if (rc == 0) {
		fl_sim_series_csv(f->series, report);
		rc = fl_out_dir_check(&f->dir, err);
	}
	if (rc == 0) {
		fl_sim_jobs_csv(f->jobs, &run->sim);
		rc = fl_out_dir_check(&f->dir, err);
	}
	return rc < 0 ? rc : fl_out_dir_commit(&f->dir, err);
}

static int answer(struct run *run, fairlead_error *err)
{
	const struct fl_options *o = run->options;
	const struct fl_report *r = &run->scenario.snapshot.report;
	struct fl_sim_report report = { .sim = &run->sim };
	uint32_t top = o->all ? 0 : o->top ? o->top : run->sim.settings.top;
	int rc = fl_measure_end(run->measure, top, &report.measured, err);

	if (rc < 0)
		return rc;
	report.top = top;
	report.utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	if (o->out)
		rc = write_files(run, &report, err);
	if (rc == 0 && o->output == FL_OUTPUT_JSON)
		put_summary(stdout, run, &report);
	else if (rc == 0)
		rc = fl_sim_text(r, &report, err);
	if (rc == 0 && o->out && o->output != FL_OUTPUT_JSON)
		fl_report_say(r, FL_STYLE_PLAIN, 0,
			      "Written: %s/report.html, summary.json, series.csv, jobs.csv, "
			      "events.jsonl",
			      o->out);
	return rc;
}

static int run_through(struct run *run, fairlead_error *err)
{
	int rc = prepare(run, err);

	if (rc < 0)
		return rc;
	fl_interrupt_listen();
	fl_progress_begin(&run->progress, "");
	rc = fl_sim_run(&run->sim, err);
	fl_progress_end(&run->progress);
	return rc < 0 ? rc : answer(run, err);
}

static int open_scenario(struct run *run, fairlead_error *err)
{
	const struct fl_options *o = run->options;
	struct fl_scenario_option turned[2];
	uint32_t n = 0;

	if (o->has_seed)
		turned[n++] = (struct fl_scenario_option){ "seed", o->seed };
	if (o->until != FL_TIME_NONE)
		turned[n++] = (struct fl_scenario_option){ "until", (double)o->until / 1e9 };
	return fl_scenario_vary(&run->scenario, o, NULL, 0, turned, n, err);
}

int fl_cmd_simulate(const struct fl_options *o)
{
	struct run run = { .options = o };
	fairlead_error err = { 0 };

	if (o->n_files == 0)
		return fl_daemon_simulate(o);
	if (o->n_changes + o->n_deletions + o->n_sets || o->no_arrivals)
		return fl_usage_error("simulate",
				      "--set, --change, --delete and --no-arrivals are of "
				      "the daemon's state: leave out -f; or lay objects "
				      "over the input with 'fairlead compare --variant'");

	int rc = open_scenario(&run, &err);
	int code = rc < 0 ? FL_EXIT_YES : fl_snapshot_warn(&run.scenario.snapshot);
	if (rc == 0 && code == FL_EXIT_YES) {
		rc = run_through(&run, &err);
		if (rc >= 0 && run.sim.ended == FL_SIM_STOPPED)
			code = FL_EXIT_NO;
	}
	if (rc < 0)
		code = fl_complain(&err);
	fl_measure_free(run.measure);
	fl_sim_done(&run.sim);
	free(run.lives);
	fl_out_dir_done(&run.files.dir);
	fl_scenario_done(&run.scenario);
	return code;
}
