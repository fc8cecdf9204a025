/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "codec/kube.h"
#include "tell/side.h"

static int run(const struct fl_question *q, const struct fl_tell_side *options,
	       struct fl_outcome *ret, fairlead_error *err)
{
	const struct fl_outcome_options run = {
		.mem = &fl_mem_heap,
		.arena = q->arena,
		.now = q->now,
		.interval = options->interval,
		.cycles = options->cycles,
	};

	return fl_outcome_run(q->ops, q->policy, q->model, &run, ret, err);
}

/* 0; 1 when the policy does not take such a change. */
static int apply(const struct fl_question *q, const struct fl_event *events, uint32_t n,
		 fairlead_error *err)
{
	for (uint32_t i = 0; i < n; i++) {
		int rc = q->ops->apply(q->policy, q->now, &events[i], err);

		if (rc < 0)
			return rc == FAIRLEAD_ENOMEM ? rc : 1;
	}
	return 0;
}

static int run_with(const struct fl_question *q, const struct fl_tell_side *options,
		    const struct fl_event *events, uint32_t n, struct fl_outcome *ret,
		    fairlead_error *err)
{
	fl_mark mark;
	int rc = q->ops->mark(q->policy, &mark, err);

	if (rc < 0)
		return rc;
	rc = apply(q, events, n, err);
	if (rc == 0)
		rc = run(q, options, ret, err);
	q->ops->rollback(q->policy, mark);
	return rc;
}

int fl_tell_side(const struct fl_question *q, const struct fl_tell_side *options,
		 struct fl_outcome *ret, fairlead_error *err)
{
	return run_with(q, options, /* events= */ NULL, 0, ret, err);
}

int fl_tell_changed_side(const struct fl_question *q, const struct fl_tell_side *options,
			 struct fl_changes *changes, const struct fl_model *edit,
			 struct fl_outcome *ret, fairlead_error *err)
{
	struct fl_event *events = NULL;
	uint32_t n = 0;
	int rc = fl_changes_cells(changes, q->model, edit, &events, &n, err);

	if (rc == 0)
		rc = run_with(q, options, events, n, ret, err);
	free(events);
	return rc;
}

void fl_tell_list_changes(const struct fl_changes *changes, const struct fl_model *edit,
			  struct fl_what_if_change *ret)
{
	for (uint32_t i = 0; i < changes->n; i++) {
		const struct fl_change *c = &changes->rows[i];

		ret[i] = (struct fl_what_if_change){
			.what = c->deleted ? "delete" :
				c->met     ? "replace" :
					     "add",
			.object = fl_change_name(changes, i),
			.file = c->deleted ? NULL : fl_model_text(edit, edit->inputs[c->input]),
			.line = c->deleted ? 0 : c->doc.values[0].line,
		};
	}
}

/* --- of a state whose objects are not there to be read --- */

struct text {
	const char *at;
	size_t left;
};

static int read_text(void *user, char *buffer, size_t size, size_t *ret, fairlead_error *err)
{
	struct text *t = user;

	(void)err;
	*ret = size < t->left ? size : t->left;
	memcpy(buffer, t->at, *ret);
	t->at += *ret;
	t->left -= *ret;
	return 0;
}

struct what_if {
	const struct fl_question *q;
	const struct fl_tell_side *options;
	struct fl_changes changes;
	struct fl_model *edit;
	struct fl_outcome outcomes[2];
	struct fl_difference difference;
};

static int read_changes(struct what_if *w, const char *text, size_t len, fairlead_error *err)
{
	struct text at = { text, len };
	const struct fl_source source = { read_text, &at };
	int rc = fl_changes_init(&w->changes, &fl_mem_heap, err);

	if (rc == 0)
		rc = fl_model_new(&fl_mem_heap, &w->edit, err);
	if (rc == 0)
		rc = fl_kube_read_from(w->edit, "change", &source, &w->changes.collect, err);
	if (rc == 0 && w->changes.n == 0)
		rc = fl_fail(err, FAIRLEAD_EINPUT, "there are no changes in it");
	if (rc == 0)
		rc = fl_changes_compare_sealed(&w->changes, w->q->model, w->edit, err);
	if (rc == 0)
		fl_changes_compared(&w->changes);
	return rc;
}

static int compare(struct what_if *w, fairlead_error *err)
{
	int rc = fl_tell_side(w->q, w->options, &w->outcomes[0], err);

	if (rc == 0)
		rc = fl_tell_changed_side(w->q, w->options, &w->changes, w->edit, &w->outcomes[1],
					  err);
	if (rc == 1)
		rc = fl_fail(err, FAIRLEAD_EINPUT,
			     "more changes than quotas, limits and weights do");
	return rc < 0 ? rc :
			fl_difference(&w->outcomes[0], &w->outcomes[1], w->q->arena, &w->difference,
				      err);
}

static int report(struct what_if *w, fairlead_error *err)
{
	const struct fl_question *q = w->q;
	struct fl_what_if_change *list = fl_arena_alloc(q->arena, w->changes.n + 1, sizeof *list,
							err);
	const struct fl_what_if_report answer = {
		.d = &w->difference,
		.before = q->report,
		.after = q->report,
		.policy = q->ops->name,
		.limit = w->options->cycles,
		.changes = list,
		.n_changes = w->changes.n,
	};

	if (!list)
		return FAIRLEAD_ENOMEM;
	fl_tell_list_changes(&w->changes, w->edit, list);
	return q->json ? fl_what_if_json(&answer, err) : fl_what_if_text(&answer, err);
}

int fl_tell_what_if(const struct fl_question *q, const struct fl_tell_side *options,
		    const char *text, size_t len, fairlead_error *err)
{
	struct what_if w = { .q = q, .options = options };
	int rc = read_changes(&w, text, len, err);

	if (rc == 0)
		rc = compare(&w, err);
	if (rc == 0)
		rc = report(&w, err);
	fl_outcome_done(&w.outcomes[0]);
	fl_outcome_done(&w.outcomes[1]);
	fl_changes_done(&w.changes);
	fl_model_free(w.edit);
	return rc;
}
