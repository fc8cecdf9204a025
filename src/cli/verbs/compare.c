/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare - a scenario run in several ways, and how they differ
 *
 * Every variant and point is read before the first one runs, so that a mistake in the last
 * file costs no time; then each is read again, run, and let go of before the next.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/input/scenario.h"
#include "cli/options/sweep.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/out_dir.h"
#include "cli/terminal/progress.h"
#include "report/out/page.h"
#include "report/sim/compare_json.h"

enum { MAX_VARIANTS = 32, BASELINE = 1, MAX_OPTIONS = 3 };

/* One run of the scenario. */
struct run {
	char name[360];
	char **files; /* laid over; into compare.files */
	uint32_t n_files;
	struct fl_scenario_option options[MAX_OPTIONS];
	uint32_t n_options;
};

/* JSON that grows in memory. */
struct text {
	char *bytes;
	size_t len;
	FILE *out;
	struct fl_json json;
};

struct compare {
	const struct fl_options *options;
	struct fl_sweep sweep; /* n 0: variants */
	struct fl_compared_sweep swept;
	struct run *runs;
	uint32_t n_runs;
	char **files; /* of all variants, by variant */
	struct fl_comparison comparison;
	struct text summary, page;
	struct fl_out_dir dir;
	FILE *page_file, *summary_file, *csv_file;
	struct fl_progress progress;
	struct fl_report report; /* a copy of the last snapshot's, without what was freed with it */
};

/* --- what is to be run --- */

static size_t name_length(const char *variant) { return strcspn(variant, "="); }

static bool same_name(const char *variant, const struct run *run)
{
	return strlen(run->name) == name_length(variant) &&
	       strncmp(variant, run->name, name_length(variant)) == 0;
}

static int check_variant(const char *variant)
{
	size_t len = name_length(variant);

	if (len == 0 || !variant[len] || !variant[len + 1])
		return fl_usage_error("compare", "--variant: '%s' is not NAME=FILE", variant);
	if (len > 60)
		return fl_usage_error("compare", "--variant: a name longer than 60 bytes");
	if (len == 8 && strncmp(variant, "baseline", len) == 0)
		return fl_usage_error("compare", "--variant: 'baseline' is the scenario as it is");
	return FL_EXIT_YES;
}

/* Runs in the order in which they are first named; the files of one side by side. */
static int list_variants(struct compare *c)
{
	const struct fl_options *o = c->options;
	uint32_t at = 0;

	for (uint32_t i = 0; i < o->n_variants; i++) {
		uint32_t known = BASELINE;
		int code = check_variant(o->variants[i]);

		if (code != FL_EXIT_YES)
			return code;
		while (known < c->n_runs && !same_name(o->variants[i], &c->runs[known]))
			known++;
		if (known < c->n_runs)
			continue;
		if (known == MAX_VARIANTS)
			return fl_usage_error("compare", "--variant: more than %d variants",
					      MAX_VARIANTS - BASELINE);
		struct run *run = &c->runs[c->n_runs++];
		snprintf(run->name, sizeof(run->name), "%.*s", (int)name_length(o->variants[i]),
			 o->variants[i]);
		run->files = c->files + at;
		for (uint32_t k = i; k < o->n_variants; k++)
			if (same_name(o->variants[k], run)) {
				c->files[at++] = strchr(o->variants[k], '=') + 1;
				run->n_files++;
			}
	}
	return FL_EXIT_YES;
}

/* What was turned on the command line, in every run. */
static void turn(const struct fl_options *o, struct run *run)
{
	if (o->has_seed)
		run->options[run->n_options++] = (struct fl_scenario_option){ "seed", o->seed };
	if (o->until != FL_TIME_NONE)
		run->options[run->n_options++] = (struct fl_scenario_option){
			"until", (double)o->until / (double)FL_SECOND
		};
}

static int list_runs(struct compare *c, fairlead_error *err)
{
	const struct fl_options *o = c->options;
	int code = FL_EXIT_YES;

	c->runs = calloc(FL_MAX_SWEEP + MAX_VARIANTS, sizeof(*c->runs));
	c->files = calloc((size_t)o->n_variants + 1, sizeof(*c->files));
	if (!c->runs || !c->files)
		return fl_fail_nomem(err);
	if (o->sweep) {
		for (c->n_runs = 0; c->n_runs < c->sweep.n; c->n_runs++) {
			struct run *run = &c->runs[c->n_runs];

			fl_sweep_label(&c->sweep, c->n_runs, run->name);
			run->options[run->n_options++] = (struct fl_scenario_option){
				c->sweep.name, c->sweep.values[c->n_runs]
			};
		}
	} else {
		strcpy(c->runs[0].name, "baseline");
		c->n_runs = 1;
		code = list_variants(c);
	}
	for (uint32_t i = 0; i < c->n_runs; i++)
		turn(o, &c->runs[i]);
	return code;
}

static int check_options(struct compare *c)
{
	const struct fl_options *o = c->options;
	fairlead_error err = { 0 };

	if (!o->sweep && o->n_variants == 0)
		return fl_usage_error("compare",
				      "nothing to compare with: give --variant NAME=FILE or "
				      "--sweep OPTION=FROM..TO");
	if (o->sweep && o->n_variants)
		return fl_usage_error("compare", "--variant and --sweep cannot be combined");
	if (o->sweep && fl_sweep_parse(o->sweep, &c->sweep, &err) < 0)
		return fl_usage_error("compare", "--sweep: %s", err.text);
	return FL_EXIT_YES;
}

/* --- running --- */

static bool go_on(void *user, const struct fl_sim *sim)
{
	struct compare *c = user;

	fl_progress_show(&c->progress, sim);
	return !fl_interrupted();
}

static int open_run(const struct compare *c, const struct run *run, struct fl_scenario *ret,
		    fairlead_error *err)
{
	return fl_scenario_vary(ret, c->options, run->files, run->n_files, run->options,
				run->n_options, err);
}

/* Read all of them, run none. An exit code, or negative. */
static int check_runs(const struct compare *c, fairlead_error *err)
{
	int rc = 0;

	for (uint32_t i = 0; i < c->n_runs && rc == 0; i++) {
		struct fl_scenario s;

		rc = open_run(c, &c->runs[i], &s, err);
		if (rc == 0 && i == 0)
			rc = fl_snapshot_warn(&s.snapshot);
		fl_scenario_done(&s);
	}
	return rc;
}

/* A SimulationReport as one of the variants, in all texts. */
static void put_run(struct compare *c, const struct fl_scenario *s,
		    const struct fl_sim_report *report, const char *name)
{
	struct text *texts[] = { &c->summary, c->page.out ? &c->page : NULL };

	for (int i = 0; i < 2 && texts[i]; i++)
		fl_comparison_json_run(&texts[i]->json, name, &s->snapshot.report, report,
				       /* series= */ i == 1);
}

static int keep(struct compare *c, const struct run *run, const struct fl_scenario *s,
		struct fl_sim *sim, struct fl_measure *measure, fairlead_error *err)
{
	const struct fl_options *o = c->options;
	struct fl_sim_report report = {
		.sim = sim,
		.top = o->all ? 0 :
		       o->top ? o->top :
				sim->settings.top,
	};
	int rc = fl_measure_end(measure, report.top, &report.measured, err);

	if (rc == 0) {
		c->comparison.top = report.top;
		rc = fl_comparison_add(&c->comparison, run->name, &report, err);
	}
	if (rc < 0)
		return rc;
	put_run(c, s, &report, run->name);
	if (c->csv_file)
		fl_comparison_csv(&c->comparison, c->csv_file, &report);
	return o->out ? fl_out_dir_check(&c->dir, err) : 0;
}

static int run_one(struct compare *c, uint32_t i, fairlead_error *err)
{
	struct run *run = &c->runs[i];
	struct fl_sim_options options = { .mem = &fl_mem_heap, .go_on = go_on, .user = c };
	struct fl_measure *measure = NULL;
	struct fl_scenario s;
	struct fl_sim sim = { 0 };
	char what[400];
	int rc = open_run(c, run, &s, err);

	if (rc == 0) {
		options.start = s.start;
		rc = fl_sim_init(&sim, s.snapshot.model, s.snapshot.ops, s.snapshot.policy,
				 &s.snapshot.model->simulation, &options, err);
	}
	if (rc == 0)
		rc = fl_measure_new(&fl_mem_heap, &sim, &measure, err);
	if (rc == 0) {
		snprintf(what, sizeof(what), "%s (%u of %u)", run->name, i + 1, c->n_runs);
		fl_progress_begin(&c->progress, what);
		rc = fl_sim_run(&sim, err);
		fl_progress_end(&c->progress);
	}
	if (rc >= 0)
		rc = keep(c, run, &s, &sim, measure, err);
	c->report = s.snapshot.report;
	fl_measure_free(measure);
	fl_sim_done(&sim);
	fl_scenario_done(&s);
	return rc;
}

/* --- writing --- */

static int begin_text(const struct compare *c, struct text *t, fairlead_error *err)
{
	t->out = open_memstream(&t->bytes, &t->len);
	if (!t->out)
		return fl_fail_nomem(err);
	fl_comparison_json_begin(&t->json, t->out, &c->comparison);
	return 0;
}

static int end_text(const struct compare *c, struct text *t, fairlead_error *err)
{
	bool failed;

	if (!t->out)
		return 0;
	fl_comparison_json_end(&t->json, &c->comparison);
	failed = ferror(t->out) || t->json.failed;
	/* Closing moves the text once more; NULL when that fails. */
	failed |= fclose(t->out) != 0 || !t->bytes;
	t->out = NULL;
	return failed ? fl_fail_nomem(err) : 0;
}

static int open_files(struct compare *c, fairlead_error *err)
{
	int rc = begin_text(c, &c->summary, err);

	if (rc < 0 || !c->options->out)
		return rc;
	rc = begin_text(c, &c->page, err);
	if (rc == 0)
		rc = fl_out_dir_open(&c->dir, c->options->out, err);
	if (rc == 0)
		rc = fl_out_dir_add(&c->dir, "report.html", &c->page_file, err);
	if (rc == 0)
		rc = fl_out_dir_add(&c->dir, "summary.json", &c->summary_file, err);
	if (rc == 0)
		rc = fl_out_dir_add(&c->dir, "comparison.csv", &c->csv_file, err);
	return rc;
}

/* What failed is asked for at once, while it is known why. */
static int write_files(struct compare *c, fairlead_error *err)
{
	int rc;

	(void)fl_page_write(c->page_file, c->page.bytes, c->page.len);
	rc = fl_out_dir_check(&c->dir, err);
	if (rc == 0) {
		fwrite(c->summary.bytes, 1, c->summary.len, c->summary_file);
		rc = fl_out_dir_check(&c->dir, err);
	}
	return rc < 0 ? rc : fl_out_dir_commit(&c->dir, err);
}

static int answer(struct compare *c, fairlead_error *err)
{
	const struct fl_options *o = c->options;
	int rc;

	c->comparison.report = &c->report;
	c->comparison.asked = c->n_runs;
	c->swept = (struct fl_compared_sweep){ c->sweep.name, c->sweep.unit, c->sweep.values };
	c->comparison.sweep = c->sweep.n ? &c->swept : NULL;
	rc = end_text(c, &c->summary, err);
	if (rc == 0)
		rc = end_text(c, &c->page, err);
	if (rc == 0 && o->out)
		rc = write_files(c, err);
	if (rc < 0)
		return rc;
	if (o->output == FL_OUTPUT_JSON) {
		fwrite(c->summary.bytes, 1, c->summary.len, stdout);
		return 0;
	}
	rc = fl_comparison_text(&c->comparison, err);
	if (rc == 0 && o->out)
		fl_report_say(&c->report, FL_STYLE_PLAIN, 0,
			      "Written: %s/report.html, summary.json, comparison.csv", o->out);
	return rc;
}

/* Asked to end after the last run, it is whole all the same. */
static bool is_whole(const struct compare *c)
{
	const struct fl_comparison *done = &c->comparison;

	return done->n == c->n_runs && done->runs[done->n - 1].ended != FL_SIM_STOPPED;
}

static int compare(struct compare *c, fairlead_error *err)
{
	int code = check_options(c);

	if (code == FL_EXIT_YES)
		code = list_runs(c, err);
	if (code == FL_EXIT_YES)
		code = check_runs(c, err);
	if (code == FL_EXIT_YES) {
		fl_interrupt_listen(); /* once there is a folder, it may be stopped */
		code = open_files(c, err);
	}
	if (code != FL_EXIT_YES)
		return code;
	/* The first one in any case: without it there is no report. */
	for (uint32_t i = 0; i < c->n_runs && code == 0 && (i == 0 || !fl_interrupted()); i++)
		code = run_one(c, i, err);
	if (code >= 0)
		code = answer(c, err);
	return code < 0 ? code : is_whole(c) ? FL_EXIT_YES : FL_EXIT_NO;
}

int fl_cmd_compare(const struct fl_options *o)
{
	struct compare c = { .options = o };
	fairlead_error err = { 0 };
	int code = compare(&c, &err);

	if (code < 0)
		code = fl_complain(&err);
	if (c.summary.out)
		fclose(c.summary.out);
	if (c.page.out)
		fclose(c.page.out);
	free(c.summary.bytes);
	free(c.page.bytes);
	fl_comparison_done(&c.comparison);
	fl_out_dir_done(&c.dir);
	free(c.runs);
	free(c.files);
	return code;
}
