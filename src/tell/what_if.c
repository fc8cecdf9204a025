/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "base/nearest.h"
#include "tell/face.h"
#include "tell/rest.h"
#include "tell/side.h"

static int run(const struct fl_question *q, const struct fl_tell_side *options,
	       struct fl_outcome *ret, fairlead_error *err)
{
	const struct fl_outcome_options run = {
		.face = fl_face_of(q->ops)->ask,
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
		rc = fl_tell_take_from_rest(q, &events, &n, err);
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

		bool named = c->deleted || fl_change_is_set(c); /* on the command line */

		ret[i] = (struct fl_what_if_change){
			.what = c->deleted          ? "delete" :
				fl_change_is_set(c) ? "set" :
				c->met              ? "replace" :
						      "add",
			.object = fl_change_name(changes, i),
			.file = named ? NULL : fl_model_text(edit, edit->inputs[c->input]),
			.line = named ? 0 : c->doc.values[0].line,
			.sets = c->texts,
			.n_sets = c->n_sets,
		};
	}
}

/* --- objects that are named, and do not exist --- */

static void offer(struct fl_nearest *near, const struct fl_model *m, const char *kind,
		  const struct fl_sym *namespace, struct fl_sym name)
{
	char text[640];

	snprintf(text, sizeof(text), "%s/%s%s%s", kind,
		 namespace ? fl_model_text(m, *namespace) : "", namespace ? "/" : "",
		 fl_model_text(m, name));
	fl_nearest_offer(near, text);
}

static void offer_objects(struct fl_nearest *near, const struct fl_model *m)
{
	for (uint32_t i = 0; i < m->n_flavors; i++)
		offer(near, m, "ResourceFlavor", NULL, m->flavors[i].name);
	for (uint32_t i = 0; i < m->n_nodes; i++)
		offer(near, m, fl_report_kind(m, (struct fl_node){ i }), NULL, m->nodes[i].name);
	for (uint32_t i = 0; i < m->n_namespaces; i++)
		offer(near, m, "Namespace", NULL, m->namespaces[i].name);
	for (uint32_t i = 0; i < m->n_priorities; i++)
		offer(near, m,
		      m->priorities[i].of_workloads ? "WorkloadPriorityClass" : "PriorityClass",
		      NULL, m->priorities[i].name);
	for (uint32_t i = 0; i < m->n_queues; i++)
		offer(near, m, "LocalQueue", &m->queues[i].namespace, m->queues[i].name);
	for (uint32_t i = 0; i < m->n_workloads; i++)
		offer(near, m, fl_report_workload_kind(m, (struct fl_workload){ i }),
		      &m->workloads[i].namespace, m->workloads[i].name);
	for (uint32_t i = 0; i < m->n_machines; i++)
		offer(near, m, "Node", NULL, m->machines[i].name);
}

int fl_tell_check_named(const struct fl_changes *changes, const struct fl_model *m, bool options,
			fairlead_error *err)
{
	for (uint32_t i = 0; i < changes->n; i++) {
		const char *name = fl_change_name(changes, i);
		struct fl_nearest near = { .wanted = name };
		char text[1600];

		const struct fl_change *row = &changes->rows[i];

		if (!(row->deleted || (row->n_sets && row->doc.n == 0)) || row->met)
			continue;
		offer_objects(&near, m);
		fl_fail(err, FAIRLEAD_ENOENT, "%sthere is no %s in the input",
			!options     ? "" :
			row->deleted ? "--delete: " :
				       "--set: ",
			name);
		if (near.n)
			fl_fail_hint(err, "did you mean %s?",
				     fl_nearest_text(&near, text, sizeof(text)));
		return FAIRLEAD_ENOENT;
	}
	return 0;
}

/* --- both sides --- */

struct what_if {
	const struct fl_question *before, *after;
	struct fl_outcome outcomes[2];
	struct fl_difference difference;
};

static int compare(struct what_if *w, const struct fl_tell_side *options,
		   struct fl_changes *changes, const struct fl_model *edit, fairlead_error *err)
{
	int rc = fl_tell_side(w->before, options, &w->outcomes[0], err);

	if (rc == 0 && w->after)
		rc = fl_tell_side(w->after, options, &w->outcomes[1], err);
	else if (rc == 0)
		rc = fl_tell_changed_side(w->before, options, changes, edit, &w->outcomes[1], err);
	return rc ? rc :
		    fl_difference(&w->outcomes[0], &w->outcomes[1], w->before->arena,
				  &w->difference, err);
}

static int tell(const struct what_if *w, const struct fl_tell_side *options,
		const struct fl_what_if_change *changes, uint32_t n, fairlead_error *err)
{
	const struct fl_what_if_report answer = {
		.d = &w->difference,
		.face = fl_face_of(w->before->ops)->report,
		.before = w->before->report,
		.after = w->after ? w->after->report : w->before->report,
		.policy = w->before->ops->name,
		.limit = options->cycles,
		.changes = changes,
		.n_changes = n,
	};

	return w->before->json ? fl_what_if_json(&answer, err) : fl_what_if_text(&answer, err);
}

static void done(struct what_if *w)
{
	fl_outcome_done(&w->outcomes[0]);
	fl_outcome_done(&w->outcomes[1]);
}

int fl_tell_what_if(const struct fl_question *before, const struct fl_question *after,
		    const struct fl_tell_side *options, struct fl_changes *changes,
		    const struct fl_model *edit, fairlead_error *err)
{
	struct what_if w = { .before = before, .after = after };
	struct fl_what_if_change *list = fl_arena_alloc(before->arena, changes->n + 1, sizeof *list,
							err);
	int rc = list ? compare(&w, options, changes, edit, err) : FAIRLEAD_ENOMEM;

	if (rc == 0) {
		fl_tell_list_changes(changes, edit, list);
		rc = tell(&w, options, list, changes->n, err);
	}
	done(&w);
	return rc;
}

int fl_tell_difference(const struct fl_question *before, const struct fl_question *after,
		       const struct fl_tell_side *options, const struct fl_what_if_change *changes,
		       uint32_t n, fairlead_error *err)
{
	struct what_if w = { .before = before, .after = after };
	int rc = compare(&w, options, /* changes= */ NULL, /* edit= */ NULL, err);

	if (rc == 0)
		rc = tell(&w, options, changes, n, err);
	done(&w);
	return rc;
}
