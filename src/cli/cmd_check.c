/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check - all that is wrong, not just the first of it
 *
 * A malformed input leaves no model, so after an error every other file is read
 * by itself, to find what is wrong there, too.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/input.h"
#include "cli/snapshot.h"
#include "codec/kube.h"
#include "model/lint.h"
#include "report/report_json.h"

struct findings {
	fairlead_error *errors;
	uint32_t n_errors, n_warnings;
	bool failed; /* one was no fault of the input */
};

static int add_error(struct findings *f, const fairlead_error *err)
{
	fairlead_error *grown = realloc(f->errors, (f->n_errors + 1) * sizeof(*grown));

	if (!grown)
		return FAIRLEAD_ENOMEM;
	f->errors = grown;
	f->errors[f->n_errors++] = *err;
	f->failed |= fl_exit_code(err->code) == FL_EXIT_FAILED;
	return 0;
}

/* The same error may be found twice: once with all files together, once alone. */
static bool known(const struct findings *f, const fairlead_error *err)
{
	for (uint32_t i = 0; i < f->n_errors; i++)
		if (strcmp(f->errors[i].file, err->file) == 0 && f->errors[i].line == err->line &&
		    f->errors[i].column == err->column && strcmp(f->errors[i].text, err->text) == 0)
			return true;
	return false;
}

static int read_alone(const char *name, fairlead_error *err)
{
	struct fl_model *m = NULL;
	struct fl_text text;

	if (strcmp(name, "-") == 0)
		return 0; /* it was read already, and cannot be read again */
	int rc = fl_input_read(name, &text, err);
	if (rc < 0)
		return rc;
	rc = fl_model_new(&fl_mem_heap, &m, err);
	if (rc == 0)
		rc = fl_kube_read(m, fl_input_title(name), text.bytes, text.len, err);
	fl_model_free(m);
	fl_text_done(&text);
	return rc;
}

static int find_more(const struct fl_options *o, struct findings *f)
{
	struct fl_inputs in = { 0 };
	fairlead_error err = { 0 };
	int rc = 0;

	if (fl_inputs_find(&in, o->files, o->n_files, &err) == 0)
		for (uint32_t i = 0; i < in.n && rc == 0; i++)
			if (read_alone(in.names[i], &err) < 0 && !known(f, &err))
				rc = add_error(f, &err);
	fl_inputs_done(&in);
	return rc;
}

static void put_finding(struct fl_json *j, const struct fl_diagnostic *d, const char *kind)
{
	fl_json_object(j, NULL);
	if (kind)
		fl_json_text(j, "kind", kind);
	if (*d->file)
		fl_json_text(j, "file", d->file);
	if (d->line)
		fl_json_int(j, "line", d->line);
	if (d->line && d->column)
		fl_json_int(j, "column", d->column);
	if (*d->subject)
		fl_json_text(j, "subject", d->subject);
	fl_json_text(j, "message", d->text);
	if (*d->hint)
		fl_json_text(j, "hint", d->hint);
	fl_json_end_object(j);
}

static void put_errors(struct fl_json *j, const struct findings *f)
{
	fl_json_list(j, "errors");
	for (uint32_t i = 0; i < f->n_errors; i++) {
		const fairlead_error *e = &f->errors[i];
		struct fl_diagnostic d = { e->file,    e->line, e->column, "error",
					   e->subject, e->text, e->hint };

		put_finding(j, &d, NULL);
	}
	fl_json_end_list(j);
}

static void put_warnings(struct fl_json *j, const struct fl_model *m, const uint32_t *ids)
{
	fl_json_list(j, "warnings");
	for (uint32_t i = 0; ids && i < m->n_notices; i++) {
		const struct fl_notice *n = &m->notices[ids[i]];
		struct fl_diagnostic d = {
			n->place.file < m->n_inputs ? fl_model_text(m, m->inputs[n->place.file]) :
						      "",
			n->place.line,
			n->place.column,
			"warning",
			fl_model_text(m, n->subject),
			fl_model_text(m, n->text),
			fl_model_text(m, n->hint),
		};

		put_finding(j, &d, fl_notice_name(n->kind));
	}
	fl_json_end_list(j);
}

static void print_json(const struct fl_snapshot *s, const struct findings *f, const uint32_t *ids,
		       bool ok)
{
	struct fl_report r = { .out = stdout };
	struct fl_json j;

	fl_json_start(&j, &r, "Check", NULL);
	fl_json_bool(&j, "ok", ok);
	put_errors(&j, f);
	put_warnings(&j, s->model, ids);
	fl_json_int(&j, "warningsNotListed", s->model ? s->model->notices_dropped : 0);
	fl_json_finish(&j);
}

static void print_text(const struct fl_snapshot *s, const struct findings *f, const uint32_t *ids)
{
	const struct fl_model *m = s->model;
	uint32_t queues = 0;

	for (uint32_t i = 0; i < f->n_errors; i++)
		fl_complain(&f->errors[i]);
	for (uint32_t i = 0; ids && i < m->n_notices; i++)
		fl_snapshot_print_notice(m, &m->notices[ids[i]], "warning");
	if (m && m->notices_dropped)
		fprintf(stderr, "fairlead: %u more warnings, above the limit of what is kept\n",
			m->notices_dropped);
	fflush(stderr);
	if (f->n_errors) {
		printf("%u error%s\n", f->n_errors, f->n_errors == 1 ? "" : "s");
		return;
	}
	for (uint32_t i = 0; i < m->n_nodes; i++)
		queues += m->nodes[i].kind == FL_CLUSTER_QUEUE;
	printf("%u cluster queue%s, %u cohort%s, %u local queue%s, %u workload%s: no errors, %u warning%s\n",
	       queues, queues == 1 ? "" : "s", m->n_nodes - queues,
	       m->n_nodes - queues == 1 ? "" : "s", m->n_queues, m->n_queues == 1 ? "" : "s",
	       m->n_workloads, m->n_workloads == 1 ? "" : "s", f->n_warnings,
	       f->n_warnings == 1 ? "" : "s");
}

int fl_cmd_check(const struct fl_options *options)
{
	struct fl_snapshot s;
	struct findings f = { 0 };
	fairlead_error err = { 0 };
	uint32_t *ids = NULL;
	int nomem = 0;

	int rc = fl_snapshot_read(&s, options, &err);
	if (rc == 0)
		rc = fl_model_lint(s.model, &err);
	if (rc < 0) {
		nomem = add_error(&f, &err);
		if (nomem == 0 && rc != FAIRLEAD_ENOMEM)
			nomem = find_more(options, &f);
	} else {
		ids = fl_snapshot_notices(s.model);
		nomem = ids ? 0 : FAIRLEAD_ENOMEM;
		f.n_warnings = s.model->n_notices + s.model->notices_dropped;
	}
	if (nomem < 0) {
		fl_fail_nomem(&err);
		fl_complain(&err);
	} else if (options->output == FL_OUTPUT_JSON) {
		print_json(&s, &f, ids, f.n_errors == 0 && !(options->strict && f.n_warnings));
	} else {
		print_text(&s, &f, ids);
	}
	bool no = f.n_errors || (options->strict && f.n_warnings);
	int code = nomem < 0 || f.failed ? FL_EXIT_FAILED : no ? FL_EXIT_NO : FL_EXIT_YES;
	free(ids);
	free(f.errors);
	fl_snapshot_done(&s);
	return code;
}
