/* SPDX-License-Identifier: Apache-2.0 */
/* KAI's queues as they stand in their tree, workloads that can never start, modes of a Policy. */
#include "ask/lint/entitle.h"

#include <stdio.h>

#include "ask/lint/lint.h"
#include "decide/match.h"

static const char *const axis_names[FL_BUNDLE] = { "cpu", "memory", "gpu" };

/* As people write it: cores, bytes, GPUs. */
static const char *amount(int axis, double value, char buffer[32])
{
	(void)snprintf(buffer, 32, "%.15g", axis == FL_CPU ? value / 1000 : value);
	return buffer;
}

static const struct fl_entitlement *says(const struct fl_model *m, uint32_t n)
{
	return &m->entitlements[m->nodes[n].entitlement];
}

/* --- children and their parent --- */

struct family {
	struct fl_bundle deserved; /* of the children together */
	bool unbounded[FL_BUNDLE]; /* one of them deserves without bound */
};

static void add_child(struct family *f, const struct fl_entitlement *e)
{
	for (int i = 0; i < FL_BUNDLE; i++) {
		if (e->deserved.of[i] == FL_UNBOUNDED)
			f->unbounded[i] = true;
		else
			f->deserved.of[i] += e->deserved.of[i];
	}
}

static int lint_parent(struct fl_model *m, uint32_t n, const struct family *f, fairlead_error *err)
{
	const struct fl_node_row *row = &m->nodes[n];
	char subject[FL_SUBJECT], children[32], own[32];
	int r = 0;

	fl_table_subject(m, FL_TABLE_ENTITLED, (struct fl_sym){ 0 }, row->name, subject);
	for (int i = 0; i < FL_BUNDLE && r == 0; i++) {
		double deserved = says(m, n)->deserved.of[i];

		if (deserved == FL_UNBOUNDED || (!f->unbounded[i] && f->deserved.of[i] <= deserved))
			continue;
		r = fl_model_notice(
			m, FL_NOTICE_CHILD_QUOTA, row->place, subject,
			/* hint= */ NULL, err,
			"the queues below it deserve %s %s together, and it deserves %s",
			f->unbounded[i] ? "any amount of" : amount(i, f->deserved.of[i], children),
			axis_names[i], amount(i, deserved, own));
	}
	return r;
}

static int lint_child(struct fl_model *m, uint32_t n, fairlead_error *err)
{
	const struct fl_node_row *row = &m->nodes[n];
	char subject[FL_SUBJECT], mine[32], above[32];
	int r = 0;

	fl_table_subject(m, FL_TABLE_ENTITLED, (struct fl_sym){ 0 }, row->name, subject);
	for (int i = 0; i < FL_BUNDLE && r == 0; i++) {
		double limit = says(m, n)->limit.of[i], most = says(m, row->parent.v)->limit.of[i];

		if (limit == FL_UNBOUNDED || most == FL_UNBOUNDED || limit <= most)
			continue;
		r = fl_model_notice(m, FL_NOTICE_CHILD_LIMIT, row->place, subject,
				    /* hint= */ NULL, err,
				    "its limit of %s is %s, and that of its parent '%s' is %s",
				    axis_names[i], amount(i, limit, mine),
				    fl_model_text(m, m->nodes[row->parent.v].name),
				    amount(i, most, above));
	}
	return r;
}

static int lint_families(struct fl_model *m, struct fl_arena *scratch, fairlead_error *err)
{
	struct family *families = fl_arena_alloc(scratch, m->n_nodes, sizeof *families, err);
	bool *has_children = fl_arena_alloc(scratch, m->n_nodes, sizeof *has_children, err);
	int r = 0;

	if (!families || !has_children)
		return FAIRLEAD_ENOMEM;
	for (uint32_t n = 0; n < m->n_nodes; n++) {
		families[n] = (struct family){ 0 };
		has_children[n] = false;
	}
	for (uint32_t n = 0; n < m->n_nodes && r == 0; n++) {
		const struct fl_node_row *row = &m->nodes[n];

		if (row->parent.v == FL_NONE)
			continue;
		has_children[row->parent.v] = true;
		add_child(&families[row->parent.v], says(m, n));
		r = lint_child(m, n, err);
	}
	for (uint32_t n = 0; n < m->n_nodes && r == 0; n++)
		if (has_children[n])
			r = lint_parent(m, n, &families[n], err);
	return r;
}

/* --- workloads --- */

/* What it takes to start: the first tasks by name, as many as the minimum. */
struct start {
	struct fl_bundle need;
	int32_t n;
	bool runs; /* some task holds its place already */
};

static struct start start_of(const struct fl_model *m, const struct fl_gang *gang)
{
	struct start s = { .n = 0 };

	for (uint32_t t = gang->tasks.first; t < gang->tasks.first + gang->tasks.n; t++) {
		const struct fl_task_row *task = &m->tasks[t];

		s.runs |= task->phase == FL_TASK_ALLOCATED;
		if (task->phase != FL_TASK_PENDING || s.n == gang->min_tasks)
			continue;
		fl_bundle_add(&s.need, &task->request);
		s.n++;
	}
	return s;
}

/* The first queue on the way up that can never give so much. */
static int lint_path(struct fl_model *m, const struct fl_workload_row *w, const struct start *s,
		     const char *subject, bool *found, fairlead_error *err)
{
	bool preemptible = m->gangs[w->gang].preemptible;
	char asked[32], had[32];

	for (uint32_t n = w->cluster_queue.v; n != FL_NONE; n = m->nodes[n].parent.v)
		for (int i = 0; i < FL_BUNDLE; i++) {
			double need = s->need.of[i], limit = says(m, n)->limit.of[i];
			double deserved = says(m, n)->deserved.of[i];
			bool over = limit != FL_UNBOUNDED && need > limit;
			bool beyond = !preemptible && deserved != FL_UNBOUNDED && need > deserved;

			if (need == 0 || (!over && !beyond))
				continue;
			*found = true;
			return fl_model_notice(
				m, FL_NOTICE_NEVER_FITS, w->place, subject, /* hint= */ NULL, err,
				over ? "asks for %s %s to start; the limit of queue '%s' is %s" :
				       "may not be preempted and asks for %s %s; queue '%s' "
				       "deserves %s",
				amount(i, need, asked), axis_names[i],
				fl_model_text(m, m->nodes[n].name),
				amount(i, over ? limit : deserved, had));
		}
	return 0;
}

static bool has_room(const struct fl_model *m, const struct fl_task_row *task)
{
	for (uint32_t i = 0; i < m->n_machines; i++)
		if (fl_bundle_within(&task->request, &m->machines[i].allocatable) &&
		    fl_match_machine(m, task, &m->machines[i]))
			return true;
	return false;
}

/* Not even an empty machine takes it. */
static int lint_room(struct fl_model *m, const struct fl_workload_row *w, const char *subject,
		     fairlead_error *err)
{
	const struct fl_gang *gang = &m->gangs[w->gang];
	int32_t fit = 0;

	for (uint32_t i = 0; i < gang->tasks.n && fit < gang->min_tasks; i++) {
		const struct fl_task_row *task = &m->tasks[gang->tasks.first + i];

		fit += task->phase == FL_TASK_PENDING && has_room(m, task);
	}
	if (fit >= gang->min_tasks)
		return 0;
	return fl_model_notice(m, FL_NOTICE_NEVER_FITS, w->place, subject, /* hint= */ NULL, err,
			       "%d of its pods fit on any machine, and it needs %d to start", fit,
			       gang->min_tasks);
}

static int lint_gangs(struct fl_model *m, fairlead_error *err)
{
	char subject[FL_SUBJECT];
	int r = 0;

	for (uint32_t i = 0; i < m->n_workloads && r == 0; i++) {
		const struct fl_workload_row *w = &m->workloads[i];
		const struct fl_gang *gang;
		bool found = false; /* one finding a workload is enough */
		struct start s;

		if (w->gang == FL_NONE || w->excluded != FL_INCLUDED)
			continue;
		gang = &m->gangs[w->gang];
		s = start_of(m, gang);
		if (s.runs || s.n == 0)
			continue;
		fl_table_subject(m, fl_table_of_workload(m, w), w->namespace, w->name, subject);
		if (s.n < gang->min_tasks) {
			r = fl_model_notice(m, FL_NOTICE_GANG_TOO_SMALL, w->place, subject,
					    /* hint= */ NULL, err,
					    "%d of the %d pods that it needs to start are there",
					    s.n, gang->min_tasks);
			continue;
		}
		r = lint_path(m, w, &s, subject, &found, err);
		if (r == 0 && !found && m->n_machines > 0)
			r = lint_room(m, w, subject, err);
	}
	return r;
}

/* --- modes of a Policy --- */

static int lint_mode(struct fl_model *m, const char *why, fairlead_error *err)
{
	return fl_model_notice(m, FL_NOTICE_MODE_WITHOUT_EFFECT, (struct fl_place){ 0 }, "Policy",
			       /* hint= */ NULL, err, "%s", why);
}

/* Some queue deserves something, and not everything. */
static bool has_quota(const struct fl_model *m)
{
	for (uint32_t n = 0; n < m->n_nodes; n++)
		for (int i = 0; i < FL_BUNDLE; i++)
			if (says(m, n)->deserved.of[i] > 0)
				return true;
	return false;
}

static const char *why_no_turns(const struct fl_model *m)
{
	if (m->entitle.has_budgets)
		return "turns have no effect beside budgets, which take their place";
	if (!(m->entitle.k > 0))
		return "turns have no effect: kValue is 0, so that history does not count";
	return m->entitle.usage_on ? NULL :
				     "turns have no effect: there is neither usageDBConfig nor a "
				     "history of usage";
}

static int lint_modes(struct fl_model *m, fairlead_error *err)
{
	const struct fl_entitle_settings *e = &m->entitle;
	int r = 0;

	if (e->free_within_share && !(e->k > 0))
		r = lint_mode(m,
			      "usageWithinShare has no effect: kValue is 0, so that history does "
			      "not count",
			      err);
	if (r == 0 && e->by_documents && !(e->multiplier > 1))
		r = lint_mode(m,
			      "documentedMultiplier has no effect: no "
			      "reclaimerUtilizationMultiplier above 1 is given",
			      err);
	if (r < 0)
		return r;
	if (e->turns && why_no_turns(m))
		r = lint_mode(m, why_no_turns(m), err);
	if (r == 0 && e->has_budgets && m->n_budgets == 0)
		r = lint_mode(m, "budgets have no effect: no queue has one", err);
	if (r == 0 && m->settings.many_heads)
		r = lint_mode(m, "headsPerCycle has no effect: a cycle considers all workloads",
			      err);
	if (r == 0 && m->settings.settles)
		r = lint_mode(m,
			      "preemptionGuarantee has no effect: it is a rule about shares of "
			      "ClusterQueues",
			      err);
	if (r == 0 && (e->keep_below_quota || e->protect_quota) && !has_quota(m))
		r = lint_mode(m,
			      "keepBelowQuota and protectQuota have no effect: no queue deserves a "
			      "part",
			      err);
	return r;
}

int fl_lint_entitle(struct fl_model *m, fairlead_error *err)
{
	struct fl_arena scratch;
	int r;

	fl_arena_init(&scratch, m->mem);
	r = lint_families(m, &scratch, err);
	if (r == 0)
		r = lint_gangs(m, err);
	if (r == 0)
		r = lint_modes(m, err);
	fl_arena_done(&scratch);
	return r;
}
