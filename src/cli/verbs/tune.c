/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <langinfo.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/nearest.h"
#include "cli/input/snapshot.h"
#include "cli/verbs/tune_find.h"
#include "cli/verbs/tune_notes.h"
#include "cli/verbs/tune_question.h"
#include "codec/text/quantity.h"

/* --- options ---------------------------------------------------------------------------- */

static int wrong(const char *option, const char *text, const char *wanted)
{
	return fl_usage_error("tune", "--%s: '%s' is not %s", option, text, wanted);
}

static bool parse_number(const char *text, size_t len, double *ret)
{
	return fl_number_parse(text, len, ret, NULL) == 0 && isfinite(*ret);
}

/* A number above 0, when the option is there. An exit code, as all of these. */
static int take_number(const struct fl_options *o, enum fl_tune_option id, const char *name,
		       double *ret)
{
	const char *text = o->tune[id];

	if (text && (!parse_number(text, strlen(text), ret) || *ret <= 0))
		return wrong(name, text, "a number above 0");
	return FL_EXIT_YES;
}

static int take_time(const struct fl_options *o, enum fl_tune_option id, const char *name,
		     fl_time *ret)
{
	const char *text = o->tune[id];

	if (text && (!fl_options_duration(text, ret) || *ret == 0))
		return wrong(name, text, "a time such as 12h or 7d");
	return FL_EXIT_YES;
}

static int take_parameters(const struct fl_options *o, struct fl_tune_question *q)
{
	const char *k = o->tune[FL_TUNE_K_VALUE], *half_life = o->tune[FL_TUNE_HALVES];
	struct fl_tune *t = &q->report.tune;

	if (k) {
		if (!parse_number(k, strlen(k), &q->given_k))
			return wrong("k", k, "a number");
		t->k = fmax(q->given_k, 0);
		q->has_k = true;
	}
	if (half_life) {
		q->has_half_life = true;
		t->half_life = 0;
		if (strcmp(half_life, "none") != 0 && strcmp(half_life, "0") != 0 &&
		    take_time(o, FL_TUNE_HALVES, "half-life", &t->half_life) != FL_EXIT_YES)
			return FL_EXIT_USAGE;
	}
	q->has_window |= o->tune[FL_TUNE_SPAN] != NULL;
	return take_time(o, FL_TUNE_SPAN, "window", &t->window);
}

/* "50%" or "0.5" */
static int take_penalty(const struct fl_options *o, struct fl_tune_question *q)
{
	const char *text = o->tune[FL_TUNE_PENALTY];
	size_t len = text ? strlen(text) : 0;
	bool percent = len && text[len - 1] == '%';
	double cost;

	if (!text)
		return FL_EXIT_YES;
	if (!parse_number(text, len - percent, &cost) || cost <= 0 || cost > (percent ? 100 : 1))
		return wrong("penalty", text, "a part such as 50% or 0.5");
	q->report.cost = percent ? cost / 100 : cost;
	q->has_cost = true;
	return FL_EXIT_YES;
}

static int take_use(const struct fl_options *o, struct fl_tune_question *q)
{
	struct fl_tune_report *r = &q->report;
	const char *others = o->tune[FL_TUNE_OTHERS];
	double hours = 1;

	if (take_number(o, FL_TUNE_GPUS, "gpus", &r->gpus) != FL_EXIT_YES ||
	    take_number(o, FL_TUNE_CLUSTER, "cluster", &r->cluster) != FL_EXIT_YES ||
	    take_number(o, FL_TUNE_HOURS, "hours", &hours) != FL_EXIT_YES)
		return FL_EXIT_USAGE;
	if (hours > 1e6 || hours < 1e-3)
		return wrong("hours", o->tune[FL_TUNE_HOURS], "from 0.001 to 1000000");
	r->used = r->drawn = (fl_time)round(hours * 3600 * (double)FL_SECOND);
	if (r->gpus > 0 && r->cluster <= 0)
		return fl_usage_error("tune", "--gpus needs --cluster, or Nodes in an input");
	if (r->gpus > r->cluster)
		return fl_usage_error("tune",
				      "--gpus: %.6g is more than the %.6g GPUs of the cluster",
				      r->gpus, r->cluster);
	if (r->gpus <= 0)
		r->gpus = r->cluster;
	r->tune.unit = r->cluster >= 2 ? 1 / r->cluster : 0;
	r->part = r->cluster > 0 ? r->gpus / r->cluster : 1;
	if (others && strcmp(others, "busy") == 0)
		r->others = FL_OTHERS_BUSY;
	else if (others && strcmp(others, "idle") != 0)
		return fl_usage_error("tune", "--others: '%s' is neither idle nor busy", others);
	return FL_EXIT_YES;
}

/* --- weights ------------------------------------------------------------------------------ */

static int by_weight(const void *a, const void *b)
{
	double x = ((const struct fl_tune_weight *)a)->weight;
	double y = ((const struct fl_tune_weight *)b)->weight;

	return (x > y) - (x < y);
}

/* @n rows of one queue each become distinct ones with their parts; @own is the asker's weight. */
static void weigh(struct fl_tune_question *q, uint32_t n, double own)
{
	struct fl_tune_report *r = &q->report;
	double sum = 0;

	qsort(q->weights, n, sizeof(*q->weights), by_weight);
	for (uint32_t i = 0; i < n; i++) {
		sum += q->weights[i].weight;
		if (r->n_weights && q->weights[r->n_weights - 1].weight == q->weights[i].weight)
			q->weights[r->n_weights - 1].count++;
		else
			q->weights[r->n_weights++] = q->weights[i];
	}
	for (uint32_t i = 0; i < r->n_weights; i++) {
		q->weights[i].part = q->weights[i].weight / sum;
		if (q->weights[i].weight == own)
			r->own = i;
	}
	if (r->n_weights == 1 && q->weights[0].count == 1)
		q->weights[0].part = 1; /* and not what rounding made of it */
	r->weights = q->weights;
}

static bool add_weight(struct fl_tune_question *q, uint32_t n, double weight)
{
	struct fl_tune_weight *grown = q->weights;

	if ((n & (n - 1)) == 0) /* doubles at each power of two */
		grown = realloc(grown, 2 * ((size_t)n + 1) * sizeof(*grown));
	if (!grown)
		return false;
	q->weights = grown;
	grown[n] = (struct fl_tune_weight){ .weight = weight, .count = 1 };
	return true;
}

static int out_of_memory(void)
{
	fairlead_error err;

	fl_fail_nomem(&err);
	return fl_complain(&err);
}

static int take_weights(const struct fl_options *o, struct fl_tune_question *q)
{
	const char *text = o->tune[FL_TUNE_WEIGHTS], *at = text ? text : "1,1";
	double own = 0, weight;
	bool found = false;
	uint32_t n = 0;

	if (take_number(o, FL_TUNE_WEIGHT, "weight", &own) != FL_EXIT_YES)
		return FL_EXIT_USAGE;
	for (bool more = true; more; n++) {
		size_t len = strcspn(at, ",");

		if (!parse_number(at, len, &weight) || weight <= 0 || weight > 1e9)
			return wrong("weights", text, "a list of numbers above 0");
		if (!add_weight(q, n, weight))
			return out_of_memory();
		if (own <= 0)
			own = weight; /* the first one is its own, unless --weight says which */
		found |= weight == own;
		more = at[len] == ',';
		at += len + more;
	}
	if (!found)
		return fl_usage_error("tune", "--weight: %.6g is none of --weights", own);
	weigh(q, n, own);
	return FL_EXIT_YES;
}

/* --- manifests ---------------------------------------------------------------------------- */

static int find_queue(const struct fl_model *m, const char *name, struct fl_node *ret,
		      fairlead_error *err)
{
	struct fl_nearest near = { .wanted = name };
	char text[1600];

	*ret = fl_model_find_node(m, FL_QUEUE, name);
	if (ret->v != FL_NONE)
		return 0;
	for (uint32_t i = 0; i < m->n_nodes; i++)
		if (m->nodes[i].kind == FL_QUEUE)
			fl_nearest_offer(&near, fl_model_text(m, m->nodes[i].name));
	fl_fail(err, FAIRLEAD_ENOENT, "there is no Queue '%s'", name);
	if (near.n)
		fl_fail_hint(err, "did you mean %s?", fl_nearest_text(&near, text, sizeof(text)));
	return FAIRLEAD_ENOENT;
}

static uint32_t levels_above(const struct fl_model *m, uint32_t node)
{
	uint32_t n = 1;

	for (; m->nodes[node].parent.v != FL_NONE && n < FL_MAX_TREE_DEPTH; n++)
		node = m->nodes[node].parent.v;
	return n;
}

static double gpu_weight(const struct fl_model *m, uint32_t node)
{
	return m->entitlements[m->nodes[node].entitlement].weight.of[FL_GPU];
}

/* Weights of @queue and its siblings, or of the queues at the top. */
static int weights_of_input(struct fl_tune_question *q, const struct fl_model *m,
			    struct fl_node queue, fairlead_error *err)
{
	uint32_t parent = queue.v == FL_NONE ? FL_NONE : m->nodes[queue.v].parent.v, n = 0;
	double own = 0;

	for (uint32_t i = 0; i < m->n_nodes; i++) {
		if (m->nodes[i].kind != FL_QUEUE || m->nodes[i].inactive != FL_ACTIVE)
			continue;
		if (levels_above(m, i) > q->deepest)
			q->deepest = levels_above(m, i);
		if (m->nodes[i].parent.v != parent || gpu_weight(m, i) <= 0)
			continue;
		if (!add_weight(q, n++, gpu_weight(m, i)))
			return fl_fail_nomem(err);
		if (i == queue.v || (queue.v == FL_NONE && (own <= 0 || gpu_weight(m, i) < own)))
			own = gpu_weight(m, i);
	}
	q->nested = parent != FL_NONE;
	if (n == 0)
		return fl_fail(err, FAIRLEAD_ENOENT, "no queue has a weight for GPUs");
	if (own <= 0)
		return fl_fail(
			err, FAIRLEAD_ENOENT,
			"the queue '%s' has no weight for GPUs: it never gets more than it deserves",
			fl_report_node(m, queue));
	weigh(q, n, own);
	return 0;
}

static int read_input(const struct fl_options *o, struct fl_tune_question *q,
		      const struct fl_model *m, fairlead_error *err)
{
	const struct fl_entitle_settings *e = &m->entitle;
	struct fl_node queue = { FL_NONE };
	int rc = 0;

	q->given_k = e->k;
	q->report.tune.k = fmax(e->k, 0);
	q->report.tune.half_life = e->half_life;
	q->window_kind = e->window_kind;
	if (e->window_kind != FL_WINDOW_CRON && e->window > 0)
		q->report.tune.window = e->window;
	q->fetch_interval = e->fetch_interval;
	q->multiplier = e->multiplier;
	for (uint32_t i = 0; i < m->n_machines; i++)
		q->report.cluster += fmax(m->machines[i].allocatable.of[FL_GPU], 0);
	if (o->n_operands)
		rc = find_queue(m, o->operands[0], &queue, err);
	if (rc == 0 && !o->tune[FL_TUNE_WEIGHTS])
		rc = weights_of_input(q, m, queue, err);
	return rc;
}

static int take_input(const struct fl_options *o, struct fl_tune_question *q)
{
	struct fl_snapshot s;
	fairlead_error err = { 0 };
	int rc;

	if (o->n_files == 0)
		return o->n_operands ?
			       fl_usage_error("tune", "a QUEUE needs an input: give -f FILE") :
			       FL_EXIT_YES;
	rc = fl_snapshot_read(&s, o, &err);
	if (rc == 0)
		rc = read_input(o, q, s.model, &err);
	int code = rc < 0 ? fl_complain(&err) : fl_snapshot_warn(&s);

	fl_snapshot_done(&s);
	return code;
}

/* --- the answer ---------------------------------------------------------------------------- */

static int write_svg(const char *name, const struct fl_tune_report *r)
{
	FILE *out = fopen(name, "w");
	bool bad = !out;

	if (out) {
		fl_tune_svg(out, r);
		bad = ferror(out) != 0;
		bad |= fclose(out) != 0;
	}
	if (!bad)
		return FL_EXIT_YES;
	fprintf(stderr, "fairlead: error: %s: %s\n", name, strerror(errno));
	return FL_EXIT_FAILED;
}

static int answer(const struct fl_options *o, struct fl_tune_question *q)
{
	const char *svg = o->svg;
	const struct fl_tune *t = &q->report.tune;
	struct fl_report report = { 0 };
	fairlead_error err = { 0 };
	int rc = fl_tune_find(q, &err);

	if (rc < 0)
		return fl_complain(&err);
	/* An hour is too little to see anything. */
	if (!o->tune[FL_TUNE_HOURS])
		q->report.drawn = t->half_life > 0 && t->half_life < t->window / 4 ?
					  2 * t->half_life :
					  t->window / 2;
	fl_tune_notes(q);
	q->report.notes = q->notes;
	q->report.utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	fl_terminal(&report);
	if (svg && strcmp(svg, "-") == 0) {
		fl_tune_svg(stdout, &q->report);
		return FL_EXIT_YES;
	}
	if (o->output == FL_OUTPUT_JSON)
		fl_tune_json(&report, &q->report);
	else
		rc = fl_tune_text(&report, &q->report, &err);
	if (rc < 0)
		return fl_complain(&err);
	return svg ? write_svg(svg, &q->report) : FL_EXIT_YES;
}

int fl_cmd_tune(const struct fl_options *o)
{
	const struct fl_entitle_settings *e = &fl_entitle_settings_default;
	struct fl_tune_question q = {
		.report.tune = { .k = e->k, .half_life = e->half_life, .window = e->window },
		.fetch_interval = e->fetch_interval,
	};
	int code = take_input(o, &q);

	if (code == FL_EXIT_YES)
		code = take_parameters(o, &q);
	if (code == FL_EXIT_YES)
		code = take_penalty(o, &q);
	if (code == FL_EXIT_YES)
		code = take_use(o, &q);
	if (code == FL_EXIT_YES && !q.report.n_weights)
		code = take_weights(o, &q);
	if (code == FL_EXIT_YES && q.has_cost && q.has_k && q.has_half_life && q.has_window)
		code = fl_usage_error("tune",
				      "nothing is left to find: leave out one of --k, --half-life, "
				      "--window and --penalty");
	if (code == FL_EXIT_YES)
		code = answer(o, &q);
	free(q.weights);
	return code;
}
