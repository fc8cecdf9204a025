/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/input/snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/time.h"
#include "cli/terminal/out_file.h"
#include "codec/object/kube.h"
#include "decide/image.h"
#include "decide/policies.h"
#include "input/input.h"
#include "tell/face.h"

enum { SHOWN_WARNINGS = 20 };

static const char metadata_name[] = "kubernetes.io/metadata.name";

/* For a verb that takes images the snapshot keeps it; for all other verbs it is an error. */
static int refuse_image(const char *name, const char *text, fairlead_error *err)
{
	fl_fail(err, FAIRLEAD_EINPUT, "%s", text);
	snprintf(err->file, sizeof(err->file), "%s", fl_input_title(name));
	return fl_fail_hint(err, "give the manifests that the image was saved from");
}

static int read_objects(struct fl_model *m, const char *name, struct fl_input *in,
			const struct fl_kube_tap *tap, fairlead_error *err)
{
	return (fl_input_is_kept(name) ? fl_kube_read_kept : fl_kube_read_from)(
		m, fl_input_title(name), fl_input_source(in), tap, err);
}

int fl_snapshot_load(struct fl_model *m, const char *name, const struct fl_kube_tap *tap,
		     fairlead_error *err)
{
	struct fl_input *in = NULL;
	bool is_image = false;
	int rc = fl_input_open(name, &in, err);

	if (rc == 0)
		rc = fl_input_is_image(in, &is_image, err);
	if (rc == 0 && is_image)
		rc = refuse_image(name, "is an image, and only manifests are read here", err);
	if (rc == 0)
		rc = read_objects(m, name, in, tap, err);
	fl_input_close(in);
	return rc;
}

enum { ASSUMED_NAMESPACES = 1 };

static const char maker[] = "fairlead " FAIRLEAD_VERSION;

static int take_image(struct fl_snapshot *s, const char *name, struct fl_input *in,
		      fairlead_error *err)
{
	struct fl_state state;
	int rc = fl_state_load(&fl_mem_heap, fl_input_source(in), maker, &state, err);

	if (rc < 0) {
		snprintf(err->file, sizeof(err->file), "%s", fl_input_title(name));
		return rc;
	}
	fl_model_free(s->model);
	s->model = state.model;
	s->ops = state.ops;
	s->policy = state.policy;
	s->now = state.now;
	s->assumed_namespaces = state.flags & ASSUMED_NAMESPACES;
	s->is_image = true;
	return 0;
}

static int write_image(void *user, const void *bytes, size_t n, fairlead_error *err)
{
	struct fl_out_file *f = user;

	return fwrite(bytes, 1, n, f->out) == n ? 0 : fl_out_fail(f->name, err);
}

int fl_snapshot_save(const struct fl_snapshot *s, const char *name, fairlead_error *err)
{
	const struct fl_state state = { .model = s->model,
					.ops = s->ops,
					.policy = s->policy,
					.now = s->now,
					.flags = s->assumed_namespaces ? ASSUMED_NAMESPACES : 0 };
	struct fl_out_file file;
	int rc = fl_out_file_open(&file, name, err);

	if (rc < 0)
		return rc;
	rc = fl_state_save(&state, &(struct fl_image_output){ write_image, &file }, maker, err);
	if (rc == 0)
		rc = fl_out_file_finish(&file, err);
	if (rc == 0)
		rc = fl_out_file_place(&file, err);
	fl_out_file_done(&file);
	return rc;
}

static int read_input(struct fl_snapshot *s, const struct fl_inputs *all, uint32_t i,
		      const struct fl_kube_tap *tap, fairlead_error *err)
{
	const char *name = all->names[i];
	struct fl_input *in = NULL;
	bool is_image = false;
	int rc = fl_input_open(name, &in, err);

	if (rc == 0)
		rc = fl_input_is_image(in, &is_image, err);
	if (rc == 0 && is_image && !s->images)
		rc = refuse_image(name, "is an image, and only manifests are read here", err);
	else if (rc == 0 && is_image && all->n > 1)
		rc = refuse_image(name, "is an image, a whole state: nothing can be added", err);
	else if (rc == 0 && is_image)
		rc = take_image(s, name, in, err);
	else if (rc == 0)
		rc = read_objects(s->model, name, in, tap, err);
	fl_input_close(in);
	return rc;
}

static int read_inputs(struct fl_snapshot *s, const struct fl_inputs *in,
		       const struct fl_kube_tap *tap, fairlead_error *err)
{
	int rc = 0;

	for (uint32_t i = 0; i < in->n && rc == 0; i++)
		rc = read_input(s, in, i, tap, err);
	return rc;
}

static int assume_namespace(struct fl_model *m, struct fl_sym key, struct fl_sym name,
			    fairlead_error *err)
{
	struct fl_label label = { .key = key, .value = name };
	struct fl_namespace_row row = { .name = name, .labels = { .n = 1 } };

	int rc = fl_model_push_labels(m, &label, &row.labels.first, err);
	return rc < 0 ? rc : fl_model_add_namespace(m, &row, err);
}

/*
 * Without any Namespace in the input, a selector could match nothing: each one
 * a workload lives in is assumed to exist, with the one label that Kubernetes
 * itself gives it.
 */
static int assume_namespaces(struct fl_snapshot *s, bool always, fairlead_error *err)
{
	struct fl_model *m = s->model;
	struct fl_pairs seen;
	struct fl_sym key;

	if ((m->n_namespaces > 0 && !always) || m->n_workloads == 0)
		return 0;
	s->assumed_namespaces = true;
	int rc = fl_model_sym(m, metadata_name, sizeof(metadata_name) - 1, &key, err);
	fl_pairs_init(&seen, m->mem);
	for (uint32_t i = 0; i < m->n_namespaces && rc == 0; i++)
		rc = fl_pairs_add(&seen, m->namespaces[i].name.v, 0, 0, /* ret_old= */ NULL, err);
	for (uint32_t w = 0; w < m->n_workloads && rc == 0; w++) {
		struct fl_sym name = m->workloads[w].namespace;

		rc = fl_pairs_add(&seen, name.v, 0, 0, /* ret_old= */ NULL, err);
		if (rc == 0)
			rc = assume_namespace(m, key, name, err);
		else if (rc == 1)
			rc = 0;
	}
	fl_pairs_done(&seen);
	return rc;
}

int fl_snapshot_begin(struct fl_snapshot *s, const struct fl_options *o, fairlead_error *err)
{
	*s = (struct fl_snapshot){ .options = o, .ops = fl_policy_of(FL_DIALECT_KUEUE) };
	int rc = fl_model_new(&fl_mem_heap, &s->model, err);
	if (rc == 0) {
		s->model->wanted = o->policy ? fl_policy_dialect(o->policy) : FL_DIALECT_ANY;
		s->model->judged = true;
		s->model->lenient = s->model->warns = !o->strict;
	}
	return rc;
}

int fl_snapshot_add(struct fl_snapshot *s, char **files, uint32_t n, const struct fl_kube_tap *tap,
		    fairlead_error *err)
{
	struct fl_inputs in = { 0 };

	int rc = fl_inputs_find(&in, files, n, err);
	if (rc == 0)
		rc = read_inputs(s, &in, tap, err);
	fl_inputs_done(&in);
	return rc;
}

/* An image has its policy. */
static int check_policy(const struct fl_snapshot *s, fairlead_error *err)
{
	if (!s->options->policy || s->options->policy == s->ops)
		return 0;
	fl_fail(err, FAIRLEAD_EINPUT, "the image is of the policy %s", s->ops->name);
	return fl_fail_hint(err, "leave --policy out, or give the manifests that it was saved "
				 "from");
}

int fl_snapshot_seal(struct fl_snapshot *s, bool assume, fairlead_error *err)
{
	enum fl_dialect dialect = s->model->wanted;
	char names[200];

	if (s->is_image)
		return check_policy(s, err);
	int rc = fl_model_complete(s->model, err);
	if (rc < 0)
		return rc;
	if (dialect == FL_DIALECT_ANY)
		dialect = fl_model_dialect(s->model);
	if (dialect == FL_DIALECT_MIXED) {
		fl_fail(err, FAIRLEAD_EINPUT,
			"the input has objects of two policies, Kueue's and KAI's");
		fl_fail_hint(err, "choose one: %s",
			     fl_policy_names("--policy ", " or ", names, sizeof(names)));
		return FAIRLEAD_EINPUT;
	}
	s->ops = s->options->policy ? s->options->policy : fl_policy_of(dialect);
	rc = fl_face_of(s->ops)->by_namespace ? assume_namespaces(s, assume, err) : 0;
	return rc < 0 ? rc : fl_model_seal(s->model, err);
}

int fl_snapshot_read(struct fl_snapshot *s, const struct fl_options *o, fairlead_error *err)
{
	int rc = fl_snapshot_begin(s, o, err);

	s->images = true;
	if (rc == 0)
		rc = fl_snapshot_add(s, o->files, o->n_files, /* tap= */ NULL, err);
	return rc < 0 ? rc : fl_snapshot_seal(s, /* assume= */ false, err);
}

static int cmp_notices(const void *ctx, uint32_t a, uint32_t b)
{
	const struct fl_model *m = ctx;
	const struct fl_place *x = &m->notices[a].place, *y = &m->notices[b].place;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	if (x->column != y->column)
		return x->column < y->column ? -1 : 1;
	return (a > b) - (a < b);
}

uint32_t *fl_snapshot_notices(const struct fl_model *m)
{
	uint32_t *ids = calloc((size_t)m->n_notices * 2 + 1, sizeof(*ids));

	if (!ids)
		return NULL;
	for (uint32_t i = 0; i < m->n_notices; i++)
		ids[i] = i;
	fl_sort(ids, m->n_notices, ids + m->n_notices, cmp_notices, m);
	return ids;
}

struct fl_diagnostic fl_snapshot_diagnostic(const struct fl_model *m, const struct fl_notice *n,
					    const char *severity)
{
	return (struct fl_diagnostic){
		.file = fl_model_file(m, n->place),
		.line = n->place.line,
		.column = n->place.column,
		.severity = severity,
		.subject = fl_model_text(m, n->subject),
		.text = fl_model_text(m, n->text),
		.hint = fl_model_text(m, n->hint),
	};
}

static void print_notice(const struct fl_model *m, const struct fl_notice *n, const char *severity)
{
	struct fl_diagnostic d = fl_snapshot_diagnostic(m, n, severity);

	fl_print_diagnostic(&d);
}

/* Moves are for one verb alone, and have no effect in others, which is said. */
static void warn_of_moves(const struct fl_snapshot *s)
{
	const struct fl_settings *settings = &s->model->settings;
	const char *verb = s->options->verb;

	if (!settings->has_moves || s->options->settle || strcmp(verb, "record") == 0 ||
	    strcmp(verb, "save") == 0)
		return;
	const struct fl_diagnostic d = {
		.file = fl_model_text(s->model, s->model->inputs[settings->moves_place.file]),
		.line = settings->moves_place.line,
		.column = settings->moves_place.column,
		.severity = "warning",
		.subject = "Moves",
		.text = "are used by 'fairlead plan --settle' only, and ignored here",
	};
	fl_print_diagnostic(&d);
}

static bool is_output(const char *name) { return name && strcmp(name, "-") == 0; }

/* Told above the answer, and in its JSON; on standard error where the output is no answer for people. */
static bool is_told_above(const struct fl_snapshot *s, const struct fl_notice *n)
{
	const struct fl_options *o = s->options;

	return (n->kind == FL_NOTICE_LEFT_OUT || n->kind == FL_NOTICE_COUNTED ||
		n->kind == FL_NOTICE_UNCERTAIN) &&
	       strcmp(o->verb, "record") != 0 && strcmp(o->verb, "save") != 0 &&
	       strcmp(o->verb, "divide") != 0 && !is_output(o->svg) && !is_output(o->out);
}

static void tell_above(const struct fl_snapshot *s)
{
	struct fl_report r = { .model = s->model };

	for (uint32_t i = 0; i < s->model->n_notices; i++)
		if (is_told_above(s, &s->model->notices[i]) &&
		    s->options->output == FL_OUTPUT_TEXT) {
			fl_terminal(&r);
			fl_report_left_out(&r);
			return;
		}
}

bool fl_snapshot_uncertain(const struct fl_snapshot *s)
{
	for (uint32_t i = 0; i < s->model->n_notices; i++)
		if (s->model->notices[i].kind == FL_NOTICE_UNCERTAIN)
			return true;
	return false;
}

/* Warnings, cut after some; with --strict unknown fields are errors and end it.
 */
int fl_snapshot_warn(const struct fl_snapshot *s)
{
	const struct fl_model *m = s->model;
	uint32_t *ids = fl_snapshot_notices(m);
	uint32_t shown = 0, rest = m->notices_dropped;
	bool refused = false;

	if (!ids) {
		fairlead_error err;

		fl_fail_nomem(&err);
		return fl_complain(&err);
	}
	for (uint32_t i = 0; i < m->n_notices; i++) {
		const struct fl_notice *n = &m->notices[ids[i]];

		if (n->kind == FL_NOTICE_ASSUMED || is_told_above(s, n))
			continue;
		if (s->options->strict && n->kind == FL_NOTICE_UNKNOWN_FIELD) {
			refused = true;
			print_notice(m, n, "error");
		} else if (shown < SHOWN_WARNINGS) {
			shown++;
			print_notice(m, n, fl_notice_is_note(n->kind) ? "note" : "warning");
		} else {
			rest++;
		}
	}
	free(ids);
	fflush(stderr);
	tell_above(s);
	warn_of_moves(s);
	if (rest)
		fprintf(stderr, "fairlead: %u more warning%s; 'fairlead check' prints all\n", rest,
			rest == 1 ? "" : "s");
	return refused ? FL_EXIT_NO : FL_EXIT_YES;
}

int fl_snapshot_open(struct fl_snapshot *s, const struct fl_options *o)
{
	fairlead_error err = { 0 };

	int rc = fl_snapshot_read(s, o, &err);
	if (rc < 0)
		return fl_complain(&err);
	int code = fl_snapshot_warn(s);
	if (code != FL_EXIT_YES)
		return code;
	rc = fl_snapshot_start(s, fl_snapshot_clock(s), &err);
	return rc < 0 ? fl_complain(&err) : FL_EXIT_YES;
}

fl_time fl_snapshot_clock(const struct fl_snapshot *s)
{
	if (s->options->has_now)
		return s->options->now;
	if (s->is_image)
		return s->now;
	return s->model->newest == FL_TIME_NONE ? 0 : s->model->newest;
}

int fl_snapshot_start(struct fl_snapshot *s, fl_time now, fairlead_error *err)
{
	struct fl_policy_options options = { .mem = &fl_mem_heap,
					     .now = now,
					     .moving_usage = s->simulated };

	s->now = now;
	int rc = fl_model_check_samples(s->model, now, err);
	if (rc == 0 && !s->is_image)
		rc = s->ops->new (s->model, &options, &s->policy, err);
	if (rc < 0)
		return rc;
	fl_snapshot_assume(s);
	if (s->out_of_memory)
		return fl_fail_nomem(err);
	fl_terminal(&s->report);
	s->report.model = s->model;
	s->report.fair = s->model->settings.fair_sharing;
	s->report.all = s->options->all;
	s->report.assumptions = (const char *const *)s->assumptions;
	s->report.n_assumptions = s->n_assumptions;
	s->report.warnings = (const char *const *)s->warnings;
	s->report.n_warnings = s->n_warnings;
	return 0;
}

void fl_snapshot_done(struct fl_snapshot *s)
{
	if (s->policy)
		s->policy = s->ops->free(s->policy);
	s->model = fl_model_free(s->model);
	for (uint32_t i = 0; i < s->n_assumptions; i++)
		free(s->assumptions[i]);
	for (uint32_t i = 0; i < s->n_warnings; i++)
		free(s->warnings[i]);
	s->n_assumptions = s->n_warnings = 0;
}

int fl_snapshot_answer(const struct fl_options *o,
		       int (*answer)(const struct fl_snapshot *s, struct fl_arena *arena,
				     fairlead_error *err))
{
	struct fl_snapshot snapshot;
	struct fl_arena arena;
	fairlead_error err = { 0 };

	fl_arena_init(&arena, &fl_mem_heap);
	int code = fl_snapshot_open(&snapshot, o);
	if (code == FL_EXIT_YES && answer(&snapshot, &arena, &err) < 0)
		code = fl_complain(&err);
	fl_arena_done(&arena);
	fl_snapshot_done(&snapshot);
	return code;
}

struct fl_question fl_snapshot_question(const struct fl_snapshot *s, struct fl_arena *arena)
{
	return (struct fl_question){
		.model = s->model,
		.ops = s->ops,
		.policy = s->policy,
		.now = s->now,
		.report = &s->report,
		.json = s->options->output == FL_OUTPUT_JSON,
		.arena = arena,
	};
}
