/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/input/scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/input/scenario_option.h"
#include "codec/edit/change.h"
#include "codec/trace/classes.h"
#include "codec/trace/openb.h"
#include "codec/trace/trace.h"
#include "input/input.h"

/* While it is read. */
struct reading {
	struct fl_scenario *s;
	struct fl_snapshot edit; /* the overlays alone, not sealed */
	struct fl_changes changes;
	bool overlaid;
	const struct fl_scenario_option *options;
	uint32_t n_options;
};

static struct fl_model *model(const struct reading *r) { return r->s->snapshot.model; }

static const struct fl_kube_tap *tap(const struct reading *r)
{
	return r->overlaid ? &r->changes.lay : NULL;
}

/* --- files that the Simulation names --- */

/* From the folder of the file at @by; NULL without memory. */
static char *path_of(const struct fl_model *m, struct fl_sym file, struct fl_place by)
{
	return fl_input_beside(by.file < m->n_inputs ? fl_model_text(m, m->inputs[by.file]) : "",
			       fl_model_text(m, file));
}

/* An error about a file as a whole may be a wrong name: say which document names it. */
static int blame(const struct fl_model *m, struct fl_place by, int rc, fairlead_error *err)
{
	if (rc < 0 && err->line == 0 && err->file[0] && !err->hint[0])
		fl_fail_hint(err, "it is named at %.200s:%u:%u",
			     fl_model_text(m, m->inputs[by.file]), by.line, by.column);
	return rc;
}

static int read_tree(struct reading *r, const struct fl_tree_row *tree, fairlead_error *err)
{
	char *path = path_of(model(r), tree->file, tree->place);

	if (!path)
		return fl_fail_nomem(err);
	int rc = fl_snapshot_add(&r->s->snapshot, &path, 1, tap(r), err);
	free(path);
	return blame(model(r), tree->place, rc, err);
}

/* A copy: reading may move the rows. */
static int read_trees(struct reading *r, fairlead_error *err)
{
	int rc = 0;

	for (uint32_t i = 0; i < model(r)->n_trees && rc == 0; i++) {
		const struct fl_tree_row tree = model(r)->trees[i];

		rc = read_tree(r, &tree, err);
	}
	return rc;
}

typedef int trace_reader(struct fl_model *m, uint32_t trace, const char *name,
			 const struct fl_source *source, fairlead_error *err);

static int read_file(struct reading *r, uint32_t trace, struct fl_sym file, trace_reader *read,
		     fairlead_error *err)
{
	struct fl_place by = model(r)->traces[trace].place;
	char *path = path_of(model(r), file, by);
	struct fl_input *in = NULL;
	int rc = path ? fl_input_open(path, &in, err) : fl_fail_nomem(err);

	if (rc == 0)
		rc = read(model(r), trace, path, fl_input_source(in), err);
	fl_input_close(in);
	free(path);
	return blame(model(r), by, rc, err);
}

static int read_sources(struct reading *r, fairlead_error *err)
{
	struct fl_model *m = model(r);
	int rc = 0;

	for (uint32_t i = 0; i < m->n_traces && rc == 0; i++) {
		if (m->traces[i].nodes_file.v != FL_NONE)
			rc = read_file(r, i, m->traces[i].nodes_file, fl_trace_read_nodes, err);
		if (rc == 0)
			rc = read_file(r, i, m->traces[i].file, fl_trace_read, err);
	}
	return rc;
}

/* --- what is laid over, and turned --- */

static int read_overlays(struct reading *r, char **overlays, uint32_t n, fairlead_error *err)
{
	int rc = fl_changes_init(&r->changes, &fl_mem_heap, err);

	r->overlaid = rc == 0;
	if (rc == 0)
		rc = fl_snapshot_begin(&r->edit, &r->s->options, err);
	if (rc == 0)
		rc = fl_snapshot_add(&r->edit, overlays, n, &r->changes.collect, err);
	return rc < 0 ? rc : fl_changes_begin(&r->changes, r->edit.model, model(r), err);
}

static int turn(struct reading *r,
		int (*one)(struct fl_model *m, const struct fl_scenario_option *o,
			   fairlead_error *err),
		fairlead_error *err)
{
	int rc = 0;

	for (uint32_t i = 0; i < r->n_options && rc == 0; i++)
		rc = one(model(r), &r->options[i], err);
	return rc;
}

/* --- the whole --- */

static int read_objects(struct reading *r, fairlead_error *err)
{
	const struct fl_options *o = &r->s->options;
	struct fl_model *m = model(r);

	int rc = fl_snapshot_add(&r->s->snapshot, o->files, o->n_files, tap(r), err);
	if (rc == 0 && r->overlaid)
		rc = fl_changes_lay_simulation(&r->changes, m, err);
	if (rc == 0)
		rc = turn(r, fl_scenario_turn_settings, err);
	if (rc == 0)
		rc = fl_simulation_check(m, err);
	if (rc == 0)
		rc = read_trees(r, err);
	if (rc < 0 || !r->overlaid)
		return rc;
	r->changes.now = m->newest == FL_TIME_NONE ? 0 : m->newest;
	return fl_changes_add(&r->changes, m, err);
}

/* Jobs with their times: the start is known when all have come. */
static int read_jobs(struct reading *r, fairlead_error *err)
{
	struct fl_scenario *s = r->s;
	struct fl_model *m = model(r);

	int rc = read_sources(r, err);
	if (rc < 0)
		return rc;
	if (s->options.has_now)
		m->simulation.start = s->options.now;
	m->simulation.whole = true;
	rc = fl_simulation_fix_times(m, err);
	if (rc < 0)
		return rc;
	s->start = m->simulation.start;
	s->options.has_now = true;
	s->options.now = s->start;
	rc = fl_classes_expand(m, s->start, err);
	return rc < 0 ? rc : fl_simulation_unused(m, err);
}

static int open_reading(struct reading *r, char **overlays, uint32_t n_overlays,
			fairlead_error *err)
{
	struct fl_snapshot *snapshot = &r->s->snapshot;
	int rc = fl_snapshot_begin(snapshot, &r->s->options, err);

	snapshot->simulated = true;
	if (rc == 0 && n_overlays)
		rc = read_overlays(r, overlays, n_overlays, err);
	if (rc == 0)
		rc = read_objects(r, err);
	if (rc == 0)
		rc = read_jobs(r, err);
	if (rc == 0)
		rc = turn(r, fl_scenario_turn_queues, err);
	/* Jobs of traces are in a namespace that has no object in the input. */
	if (rc == 0)
		rc = fl_snapshot_seal(snapshot, /* assume= */ model(r)->n_targets > 0, err);
	if (rc < 0)
		return rc;
	return fl_snapshot_start(snapshot, r->s->start - model(r)->simulation.before, err);
}

/* So that the next one can read it again. */
static int keep_input(const struct fl_options *o, fairlead_error *err)
{
	int rc = fl_inputs_keep(o->files, o->n_files, err);

	return rc < 0 ? rc : fl_inputs_rewind(o->files, o->n_files, err);
}

int fl_scenario_vary(struct fl_scenario *s, const struct fl_options *o, char **overlays,
		     uint32_t n_overlays, const struct fl_scenario_option *options,
		     uint32_t n_options, fairlead_error *err)
{
	struct reading r = { .s = s, .options = options, .n_options = n_options };
	int rc = 0;

	*s = (struct fl_scenario){ .options = *o };
	for (uint32_t i = 0; i < n_options && rc == 0; i++)
		rc = fl_scenario_check(&options[i], err);
	if (rc == 0)
		rc = keep_input(o, err);
	if (rc == 0)
		rc = open_reading(&r, overlays, n_overlays, err);
	fl_changes_done(&r.changes);
	fl_snapshot_done(&r.edit);
	return rc;
}

int fl_scenario_open(struct fl_scenario *s, const struct fl_options *o, char **overlays,
		     uint32_t n_overlays, fairlead_error *err)
{
	return fl_scenario_vary(s, o, overlays, n_overlays, /* options= */ NULL, 0, err);
}

void fl_scenario_done(struct fl_scenario *s) { fl_snapshot_done(&s->snapshot); }
