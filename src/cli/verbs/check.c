/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check - all that is wrong, not just the first of it
 *
 * A malformed input leaves no model, so after an error every other file is read
 * by itself, to find what is wrong there, too.
 */
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "cli/input/snapshot.h"
#include "cli/verbs/findings.h"
#include "codec/object/kube.h"
#include "decide/policies.h"
#include "input/input.h"
#include "tell/face.h"

enum { KEPT_ERRORS = 1000 };

static int add_error(struct fl_findings *f, const fairlead_error *err)
{
	fairlead_error *grown = realloc(f->errors, (f->n_errors + 1) * sizeof(*grown));

	if (!grown)
		return FAIRLEAD_ENOMEM;
	f->errors = grown;
	f->errors[f->n_errors++] = *err;
	return 0;
}

/* The same error may be found twice: once with all files together, once alone. */
static bool known(const struct fl_findings *f, const fairlead_error *err)
{
	for (uint32_t i = 0; i < f->n_errors; i++)
		if (strcmp(f->errors[i].file, err->file) == 0 && f->errors[i].line == err->line &&
		    f->errors[i].column == err->column && strcmp(f->errors[i].text, err->text) == 0)
			return true;
	return false;
}

/* Everything that is wrong with objects comes here, and reading goes on. */
static int collect(void *user, const fairlead_error *err)
{
	struct fl_findings *f = user;

	if (f->n_errors >= KEPT_ERRORS) {
		f->errors_dropped++;
		return 0;
	}
	return f->again && known(f, err) ? 0 : add_error(f, err);
}

static void collect_from(struct fl_model *m, struct fl_findings *f)
{
	m->wrong.tell = collect;
	m->wrong.user = f;
	m->judged = true;
	if (f->former.n) {
		m->former = &f->former;
		m->former_of = fl_former_find;
	}
}

static int read_alone(const char *name, struct fl_findings *f, fairlead_error *err)
{
	struct fl_model *m = NULL;

	if (strcmp(name, "-") == 0)
		return 0; /* it was read already, and cannot be read again */
	int rc = fl_model_new(&fl_mem_heap, &m, err);
	if (rc == 0) {
		collect_from(m, f);
		rc = fl_snapshot_load(m, name, /* tap= */ NULL, err);
	}
	fl_model_free(m);
	return rc;
}

static int find_more(const struct fl_options *o, struct fl_findings *f)
{
	struct fl_inputs in = { 0 };
	fairlead_error err = { 0 };
	int rc = 0;

	if (fl_inputs_find(&in, o->files, o->n_files, &err) == 0)
		for (uint32_t i = 0; i < in.n && rc == 0; i++)
			if (read_alone(in.names[i], f, &err) < 0 && !known(f, &err))
				rc = add_error(f, &err);
	fl_inputs_done(&in);
	return rc;
}

/* Behind warnings, in their order; the list has room for two of each. */
static void part_notes(struct fl_findings *f)
{
	uint32_t *ids = f->notices, *notes = ids + f->n_notices;

	for (uint32_t i = 0; i < f->n_notices; i++)
		if (fl_notice_is_note(f->model->notices[ids[i]].kind))
			notes[f->n_notes++] = ids[i];
		else
			ids[f->n_warnings++] = ids[i];
	memmove(ids + f->n_warnings, notes, f->n_notes * sizeof(*notes));
	f->notes = ids + f->n_warnings;
}

static int take_notices(const struct fl_snapshot *s, struct fl_findings *f)
{
	f->model = s->model;
	f->notices = fl_snapshot_notices(s->model);
	f->n_notices = s->model->n_notices;
	f->dropped = s->model->notices_dropped;
	if (!f->notices)
		return FAIRLEAD_ENOMEM;
	part_notes(f);
	return 0;
}

/* What --was names; an error there is one of the command line's, and ends it. */
static int read_former(const struct fl_options *o, struct fl_former *former, fairlead_error *err)
{
	struct fl_model *m = NULL;
	struct fl_inputs in = { 0 };

	int rc = fl_former_init(former, &fl_mem_heap, err);
	if (rc == 0)
		rc = fl_inputs_find(&in, o->was, o->n_was, err);
	if (rc == 0)
		rc = fl_model_new(&fl_mem_heap, &m, err);
	for (uint32_t i = 0; i < in.n && rc == 0; i++)
		rc = fl_snapshot_load(m, in.names[i], &former->tap, err);
	fl_model_free(m);
	fl_inputs_done(&in);
	return rc;
}

/* Read all of it; what is not wrong with single objects is in @err. */
static int read_whole(struct fl_snapshot *s, const struct fl_options *o, struct fl_findings *f,
		      fairlead_error *err)
{
	int rc = fl_snapshot_begin(s, o, err);

	s->images = true;
	if (rc == 0 && o->n_was)
		rc = read_former(o, &f->former, err);
	if (rc == 0)
		collect_from(s->model, f);
	if (rc == 0)
		rc = fl_snapshot_add(s, o->files, o->n_files, /* tap= */ NULL, err);
	if (rc == 0 && !s->is_image)
		rc = fl_model_complete(s->model, err); /* objects are made of jobs */
	if (rc == 0 && !s->model->spoiled)
		rc = fl_snapshot_seal(s, /* assume= */ false, err);
	return rc;
}

/* Everything that is wrong into @f. 0 or FAIRLEAD_ENOMEM. */
static int find(struct fl_snapshot *s, const struct fl_options *o, struct fl_findings *f)
{
	fairlead_error err = { 0 };

	int rc = read_whole(s, o, f, &err);
	if (rc == 0 && !s->model->spoiled)
		rc = fl_model_check_samples(s->model, fl_snapshot_clock(s), &err);
	if (rc == 0 && !s->model->spoiled)
		rc = fl_face_of(s->ops)->lint(s->model, &err);
	if (rc < 0) {
		int nomem = known(f, &err) ? 0 : add_error(f, &err);

		if (nomem || rc == FAIRLEAD_ENOMEM)
			return nomem;
		f->again = true;
		rc = find_more(o, f);
		return rc < 0 || !s->model ? rc : take_notices(s, f);
	}
	f->ops = s->ops;
	f->image = s->is_image ? s : NULL;
	return take_notices(s, f);
}

struct fl_diagnostic fl_finding_error(const struct fl_findings *f, uint32_t i)
{
	const fairlead_error *e = &f->errors[i];

	return (struct fl_diagnostic){ e->file,    e->line, e->column, "error",
				       e->subject, e->text, e->hint };
}

struct fl_diagnostic fl_finding_warning(const struct fl_findings *f, uint32_t i)
{
	return fl_snapshot_diagnostic(f->model, &f->model->notices[f->notices[i]],
				      i < f->n_warnings ? "warning" : "note");
}

static const char *plural(uint32_t n) { return n == 1 ? "" : "s"; }

/* "2 queues, " */
static void print_count(uint32_t n, const char *what) { printf("%u %s%s, ", n, what, plural(n)); }

static void print_text(const struct fl_findings *f)
{
	const struct fl_model *m = f->model;
	uint32_t warnings = f->n_warnings + f->dropped;

	for (uint32_t i = 0; i < f->n_errors; i++)
		fl_complain(&f->errors[i]);
	for (uint32_t i = 0; i < f->n_notices; i++) {
		struct fl_diagnostic d = fl_finding_warning(f, i);

		fl_print_diagnostic(&d);
	}
	if (f->errors_dropped)
		fprintf(stderr, "fairlead: %u more errors, above the limit of what is kept\n",
			f->errors_dropped);
	if (f->dropped)
		fprintf(stderr, "fairlead: %u more warnings, above the limit of what is kept\n",
			f->dropped);
	fflush(stderr);
	if (f->n_errors) {
		printf("%u error%s\n", f->n_errors + f->errors_dropped,
		       plural(f->n_errors + f->errors_dropped));
		return;
	}
	if (f->image) {
		char saved[40];

		fl_time_format(saved, f->image->now);
		printf("an image of the %s policy at %s: ", f->image->ops->name, saved);
	}
	fl_face_of(f->ops)->count(m, print_count);
	printf("%u workload%s: no errors, %u warning%s\n", m->n_workloads, plural(m->n_workloads),
	       warnings, plural(warnings));
}

static int exit_code_of(const struct fl_findings *f, bool strict)
{
	for (uint32_t i = 0; i < f->n_errors; i++)
		if (fl_exit_code(f->errors[i].code) == FL_EXIT_FAILED)
			return FL_EXIT_FAILED;
	if (f->n_errors || (strict && f->n_warnings + f->dropped))
		return FL_EXIT_NO;
	return FL_EXIT_YES;
}

int fl_cmd_check(const struct fl_options *options)
{
	struct fl_snapshot s;
	struct fl_findings f = { 0 };

	int rc = find(&s, options, &f);
	int code = exit_code_of(&f, options->strict);

	f.ok = code == FL_EXIT_YES;
	if (rc == 0 && options->output == FL_OUTPUT_SARIF)
		rc = fl_findings_sarif(&f, code);
	else if (rc == 0 && options->output == FL_OUTPUT_JSON)
		fl_document_json(&(struct fl_report){ .out = stdout, .model = f.model },
				 &fl_check_document, &f);
	else if (rc == 0)
		print_text(&f);
	if (rc < 0) {
		fairlead_error err = { 0 };

		fl_fail_nomem(&err);
		code = fl_complain(&err);
	}
	free(f.notices);
	free(f.errors);
	fl_former_done(&f.former);
	fl_snapshot_done(&s);
	return code;
}
