/* SPDX-License-Identifier: Apache-2.0 */
/*
 * what-if - two sides of one state, with and without a change, and how they differ
 *
 * Both sides are the same engine.  Where only quotas, limits and weights change,
 * even the same policy: run, rolled back, changed by events, run again.  Otherwise
 * the input is read once more with the changes laid over it.  Nothing is printed
 * before both sides have settled.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ask/common/difference.h"
#include "base/limits.h"
#include "base/nearest.h"
#include "cli/client/daemon_ask.h"
#include "cli/input/snapshot.h"
#include "cli/options/condition.h"
#include "codec/edit/change.h"
#include "codec/object/known.h"
#include "decide/policies.h"
#include "input/input.h"
#include "tell/face.h"
#include "tell/side.h"

enum { SHOWN_WARNINGS = 20 };

struct what_if {
	const struct fl_options *options;
	struct fl_condition condition;
	struct fl_changes changes;
	struct fl_snapshot edit, before, after; /* edit: the changes alone, not sealed */
	struct fl_snapshot *second;             /* that of the side after: &before or &after */
	struct fl_arena arena;
	struct fl_outcome outcomes[2];
	struct fl_difference difference;
};

/* --- before anything is read --- */

/* A complaint with the place in the expression. */
static int complain_of_condition(const struct what_if *w, const fairlead_error *err)
{
	const char *text = w->options->fail_if;

	if (strlen(text) > 200 || strpbrk(text, "\n\t"))
		return fl_usage_error("what-if", "--fail-if: column %u: %s", err->column,
				      err->text);
	return fl_usage_error("what-if", "--fail-if: column %u: %s\n  %s\n  %*s^", err->column,
			      err->text, text, (int)err->column - 1, "");
}

static bool has_stdin(char **files, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (strcmp(files[i], "-") == 0)
			return true;
	return false;
}

/* @option: --delete or --set, @object: what was given with it. */
static int complain_of_object(const char *option, const char *object, const fairlead_error *err)
{
	size_t len = strcspn(object, "/");
	char kind[64] = "", text[1600];
	struct fl_nearest near = { .wanted = kind };

	if (err->code == FAIRLEAD_ENOMEM)
		return fl_complain(err);
	if (err->code != FAIRLEAD_ENOENT)
		return fl_usage_error("what-if", "%s: %s%s%s", option, err->text,
				      err->hint[0] ? "; " : "", err->hint);
	snprintf(kind, sizeof(kind), "%.*s", (int)(len < 60 ? len : 60), object);
	for (uint32_t i = 0; fl_kube_kind(i); i++)
		fl_nearest_offer(&near, fl_kube_kind(i));
	return fl_usage_error("what-if", "%s: %s%s%s%s", option, err->text,
			      near.n ? "; did you mean " : "",
			      fl_nearest_text(&near, text, sizeof(text)), near.n ? "?" : "");
}

/* An exit code. */
static int check_options(struct what_if *w)
{
	const struct fl_options *o = w->options;
	fairlead_error err = { 0 };

	if (o->n_changes + o->n_deletions + o->n_sets == 0)
		return fl_usage_error("what-if", "%s", fl_no_change);
	if (has_stdin(o->files, o->n_files) && has_stdin(o->changes, o->n_changes))
		return fl_usage_error("what-if", "standard input cannot be both the state and the "
						 "change");
	if (o->fail_if && fl_condition_parse(o->fail_if, &w->condition, &err) < 0)
		return complain_of_condition(w, &err);
	if (fl_changes_init(&w->changes, &fl_mem_heap, &err) < 0)
		return fl_complain(&err);
	w->changes.merges = true;
	for (uint32_t i = 0; i < o->n_deletions; i++)
		if (fl_changes_delete(&w->changes, o->deletions[i], &err) < 0)
			return complain_of_object("--delete", o->deletions[i], &err);
	for (uint32_t i = 0; i < o->n_sets; i++)
		if (fl_changes_set(&w->changes, o->sets[i], &err) < 0)
			return complain_of_object("--set", o->sets[i], &err);
	return FL_EXIT_YES;
}

/* --- reading --- */

/* The changes, then the state; both sides have one clock. */
static int read_before(struct what_if *w, fairlead_error *err)
{
	const struct fl_options *o = w->options;
	struct fl_snapshot *s = &w->before;

	int rc = fl_snapshot_begin(&w->edit, o, err);

	if (rc == 0)
		w->edit.model->lenient = false; /* what is asked about is not left out */
	if (rc == 0)
		rc = fl_snapshot_add(&w->edit, o->changes, o->n_changes, &w->changes.collect, err);
	if (rc == 0)
		rc = fl_changes_collected(&w->changes, w->edit.model, err);
	if (rc == 0)
		rc = fl_snapshot_begin(s, o, err);
	s->images = true;
	if (rc == 0)
		rc = fl_snapshot_add(s, o->files, o->n_files, &w->changes.compare, err);
	if (rc == 0) {
		fl_kube_tap_made(s->model, &w->changes.compare);
		rc = fl_model_complete(s->model, err);
	}
	if (rc == 0 && s->is_image)
		rc = fl_changes_compare_sealed(&w->changes, s->model, w->edit.model, err);
	else if (rc == 0)
		rc = fl_changes_read_merged(&w->changes, w->edit.model, err);
	if (rc == 0)
		rc = fl_tell_check_named(&w->changes, w->before.model, /* options= */ true, err);
	if (rc < 0)
		return rc;
	fl_changes_compared(&w->changes);
	/* A state without queues and workloads: the change says which policy it is for. */
	if (s->model->wanted == FL_DIALECT_ANY && s->model->n_nodes + s->model->n_workloads == 0)
		s->model->wanted = fl_model_dialect(w->edit.model);
	if (w->edit.model->newest > s->model->newest)
		s->model->newest = w->edit.model->newest;
	return fl_snapshot_seal(s, /* assume= */ false, err);
}

static int read_after(struct what_if *w, fairlead_error *err)
{
	const struct fl_options *o = w->options;
	struct fl_snapshot *s = &w->after;

	w->changes.now = w->before.now;
	int rc = fl_snapshot_begin(s, o, err);
	if (rc == 0)
		s->model->wanted = fl_policy_dialect(w->before.ops);
	if (rc == 0)
		rc = fl_changes_begin(&w->changes, w->edit.model, s->model, err);
	if (rc == 0)
		rc = fl_inputs_rewind(o->files, o->n_files, err);
	if (rc == 0)
		rc = fl_snapshot_add(s, o->files, o->n_files, &w->changes.lay, err);
	if (rc == 0) {
		fl_kube_tap_made(s->model, &w->changes.lay);
		rc = fl_changes_add(&w->changes, s->model, err);
	}
	if (rc < 0)
		return rc;
	s->model->newest = w->before.model->newest;
	return fl_snapshot_seal(s, w->before.assumed_namespaces, err);
}

/* --- warnings that the change brings --- */

static int intern(struct fl_names *names, const struct fl_model *m, const struct fl_notice *n,
		  bool add, bool *ret_new, fairlead_error *err)
{
	struct fl_diagnostic d = fl_snapshot_diagnostic(m, n, "");
	struct fl_sym sym;
	char *text = NULL;
	int len = asprintf(&text, "%s:%u:%u %s %s", d.file, d.line, d.column, d.subject, d.text);
	int rc = 0;

	if (len < 0)
		return fl_fail_nomem(err);
	if (add)
		rc = fl_names_add(names, text, (size_t)len, &sym, err);
	else
		*ret_new = fl_names_find(names, text, (size_t)len).v == FL_NONE;
	free(text);
	return rc;
}

/* Of the side after: what was said of neither the state nor the change. */
static int warn_after(const struct what_if *w, fairlead_error *err)
{
	const struct fl_model *known[] = { w->edit.model, w->before.model }, *m = w->after.model;
	struct fl_names names;
	uint32_t shown = 0;
	bool new = false;

	int rc = fl_names_init(&names, &fl_mem_heap, err);
	for (int k = 0; k < 2; k++)
		for (uint32_t i = 0; i < known[k]->n_notices && rc == 0; i++)
			rc = intern(&names, known[k], &known[k]->notices[i], /* add= */ true, NULL,
				    err);
	for (uint32_t i = 0; i < m->n_notices && rc == 0 && shown < SHOWN_WARNINGS; i++) {
		const struct fl_notice *n = &m->notices[i];

		if (n->kind == FL_NOTICE_ASSUMED || n->place.line == 0)
			continue;
		rc = intern(&names, m, n, /* add= */ false, &new, err);
		if (rc < 0 || !new)
			continue;
		struct fl_diagnostic d = fl_snapshot_diagnostic(m, n, "warning");
		fl_print_diagnostic(&d);
		shown++;
	}
	fl_names_done(&names);
	return rc;
}

/* --- both sides --- */

static struct fl_tell_side how_far(const struct what_if *w)
{
	return (struct fl_tell_side){
		.interval = w->options->interval,
		.cycles = w->options->has_cycles ? w->options->cycles : FL_MAX_CYCLES,
	};
}

/* The side after on the policy of the side before; 1 when it takes a model of its own. */
static int run_cells(struct what_if *w, fairlead_error *err)
{
	const struct fl_question q = fl_snapshot_question(&w->before, &w->arena);
	const struct fl_tell_side side = how_far(w);

	w->second = &w->before;
	return fl_tell_changed_side(&q, &side, &w->changes, w->edit.model, &w->outcomes[1], err);
}

static int run_second(struct what_if *w, fairlead_error *err)
{
	const struct fl_tell_side side = how_far(w);
	int rc = read_after(w, err);

	if (rc == 0)
		rc = warn_after(w, err);
	if (rc == 0)
		rc = fl_snapshot_start(&w->after, w->before.now, err);
	w->second = &w->after;
	if (rc < 0)
		return rc;
	const struct fl_question q = fl_snapshot_question(&w->after, &w->arena);
	return fl_tell_side(&q, &side, &w->outcomes[1], err);
}

static int run(struct what_if *w, fairlead_error *err)
{
	const struct fl_tell_side side = how_far(w);
	struct fl_snapshot *s = &w->before;

	int rc = fl_snapshot_start(s, fl_snapshot_clock(s), err);
	if (rc < 0)
		return rc;
	const struct fl_question q = fl_snapshot_question(s, &w->arena);
	rc = fl_tell_side(&q, &side, &w->outcomes[0], err);
	if (rc == 0)
		rc = w->changes.general ? 1 : run_cells(w, err);
	if (rc == 1)
		rc = run_second(w, err);
	return rc < 0 ? rc :
			fl_difference(&w->outcomes[0], &w->outcomes[1], &w->arena, &w->difference,
				      err);
}

/* --- the answer --- */

struct texts {
	char *const *list;
	uint32_t n;
};

static bool has_text(const struct texts *t, const char *text)
{
	for (uint32_t i = 0; i < t->n; i++)
		if (strcmp(t->list[i], text) == 0)
			return true;
	return false;
}

/* What both sides say, then what one does; in the arena. */
static int merge_texts(struct what_if *w, const struct texts sides[2], const char *const **ret,
		       uint32_t *ret_n, fairlead_error *err)
{
	static const char *const marks[] = { "without the change: ", "with the change: " };
	size_t most = (size_t)sides[0].n + sides[1].n + 1;
	const char **list = fl_arena_alloc(&w->arena, most, sizeof(*list), err);
	uint32_t n = 0;

	if (!list)
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < sides[0].n; i++)
		if (has_text(&sides[1], sides[0].list[i]))
			list[n++] = sides[0].list[i];
	for (int k = 0; k < 2; k++)
		for (uint32_t i = 0; i < sides[k].n; i++) {
			const char *text = sides[k].list[i];
			size_t size = strlen(marks[k]) + strlen(text) + 1;

			if (has_text(&sides[!k], text))
				continue;
			char *marked = fl_arena_alloc(&w->arena, size, 1, err);
			if (!marked)
				return FAIRLEAD_ENOMEM;
			snprintf(marked, size, "%s%s", marks[k], text);
			list[n++] = marked;
		}
	*ret = list;
	*ret_n = n;
	return 0;
}

static int list_assumptions(struct what_if *w, struct fl_report *r, fairlead_error *err)
{
	const struct fl_snapshot *a = &w->before, *b = w->second;
	const struct texts assumed[] = { { a->assumptions, a->n_assumptions },
					 { b->assumptions, b->n_assumptions } };
	const struct texts warned[] = { { a->warnings, a->n_warnings },
					{ b->warnings, b->n_warnings } };
	int rc = merge_texts(w, assumed, &r->assumptions, &r->n_assumptions, err);

	return rc < 0 ? rc : merge_texts(w, warned, &r->warnings, &r->n_warnings, err);
}

static int list_parts(const struct what_if *w, const struct fl_condition_result *result,
		      struct fl_what_if_part *ret, fairlead_error *err)
{
	for (unsigned i = 0; i < w->condition.n_parts; i++) {
		const struct fl_condition_part *part = &w->condition.parts[i];

		ret[i].text = strndup(w->condition.text + part->start, part->len);
		if (!ret[i].text)
			return fl_fail_nomem(err);
		fl_condition_number(result->left[i], ret[i].left);
		fl_condition_number(result->right[i], ret[i].right);
		ret[i].op = fl_condition_operator(part);
		ret[i].holds = result->part[i];
	}
	return 0;
}

/* An exit code. */
static int answer(struct what_if *w)
{
	const struct fl_options *o = w->options;
	struct fl_what_if_part *parts = calloc(FL_CONDITION_PARTS, sizeof(*parts));
	struct fl_what_if_change *changes = calloc(w->changes.n + 1, sizeof(*changes));
	struct fl_condition_result result = { 0 };
	fairlead_error err = { 0 };
	int rc = 0, code = FL_EXIT_YES;

	if (!parts || !changes)
		rc = fl_fail_nomem(&err);
	if (rc == 0 && o->fail_if) {
		rc = fl_condition_evaluate(&w->condition, &w->difference, &result, &err);
		if (rc == FAIRLEAD_ENOENT)
			code = complain_of_condition(w, &err);
	}
	if (rc == 0)
		rc = list_parts(w, &result, parts, &err);
	if (rc == 0)
		rc = list_assumptions(w, &w->second->report, &err);
	if (rc == 0) {
		struct fl_what_if_report report = {
			.d = &w->difference,
			.face = fl_face_of(w->before.ops)->report,
			.before = &w->before.report,
			.after = &w->second->report,
			.policy = w->before.ops->name,
			.limit = o->has_cycles ? o->cycles : FL_MAX_CYCLES,
			.changes = changes,
			.n_changes = w->changes.n,
			.condition = o->fail_if,
			.fails = result.holds,
			.parts = parts,
			.n_parts = w->condition.n_parts,
		};

		fl_tell_list_changes(&w->changes, w->edit.model, changes);
		rc = o->output == FL_OUTPUT_JSON ? fl_what_if_json(&report, &err) :
						   fl_what_if_text(&report, &err);
		code = result.holds ? FL_EXIT_NO : FL_EXIT_YES;
		if (o->fail_if && fl_snapshot_uncertain(&w->before))
			code = FL_EXIT_UNKNOWN;
	}
	if (rc < 0 && code == FL_EXIT_YES)
		code = fl_complain(&err);
	for (unsigned i = 0; parts && i < FL_CONDITION_PARTS; i++)
		free(parts[i].text);
	free(parts);
	free(changes);
	return code;
}

static int what_if(struct what_if *w)
{
	fairlead_error err = { 0 };
	int code = check_options(w), rc;

	if (code != FL_EXIT_YES)
		return code;
	rc = fl_inputs_keep(w->options->files, w->options->n_files, &err);
	if (rc == 0)
		rc = read_before(w, &err);
	if (rc < 0)
		return fl_complain(&err);
	code = fl_snapshot_warn(&w->before);
	if (code == FL_EXIT_YES)
		code = fl_snapshot_warn(&w->edit);
	if (code != FL_EXIT_YES)
		return code;
	rc = run(w, &err);
	return rc < 0 ? fl_complain(&err) : answer(w);
}

int fl_cmd_what_if(const struct fl_options *options)
{
	fairlead_error err;

	if (options->n_files == 0)
		return fl_daemon_what_if(options);
	struct what_if *w = calloc(1, sizeof(*w)); /* too large for a stack */
	if (!w) {
		fl_fail_nomem(&err);
		return fl_complain(&err);
	}
	w->options = options;
	fl_arena_init(&w->arena, &fl_mem_heap);
	int code = what_if(w);
	fl_outcome_done(&w->outcomes[0]);
	fl_outcome_done(&w->outcomes[1]);
	fl_arena_done(&w->arena);
	fl_changes_done(&w->changes);
	fl_snapshot_done(&w->edit);
	fl_snapshot_done(&w->before);
	fl_snapshot_done(&w->after);
	free(w);
	return code;
}
