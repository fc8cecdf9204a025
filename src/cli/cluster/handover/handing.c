/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cluster/handover/handing.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "cli/cluster/handover/over.h"
#include "cli/cluster/handover/refuse.h"
#include "cli/cluster/handover/rows.h"
#include "cli/cluster/handover/taken.h"
#include "decide/policies.h"

const char *fl_handing_text(struct fl_handing *t, fairlead_error *err, const char *format, ...)
{
	va_list args, again;
	char *text = NULL;

	va_start(args, format);
	va_copy(again, args);
	int n = vsnprintf(NULL, 0, format, args);
	if (n >= 0)
		text = fl_arena_alloc(&t->arena, (size_t)n + 1, 1, err);
	if (text)
		(void)vsnprintf(text, (size_t)n + 1, format, again);
	va_end(again);
	va_end(args);
	return text;
}

const char *fl_handing_controller(const struct fl_handing *t, const char *name, size_t len)
{
	for (uint32_t i = 0; i < t->n_checks; i++)
		if (strncmp(t->checks[i].name, name, len) == 0 && !t->checks[i].name[len])
			return t->checks[i].controller;
	return NULL;
}

/* --- which tree --- */

static int fail_unknown(const struct fl_handing *t, const char *name, fairlead_error *err)
{
	const struct fl_model *m = t->snapshot.model;
	struct fl_nearest near = { .wanted = name };
	char text[1600];

	for (uint32_t i = 0; i < m->n_nodes; i++)
		fl_nearest_offer(&near, fl_model_text(m, m->nodes[i].name));
	fl_fail(err, FAIRLEAD_ENOENT, "there is no cohort or ClusterQueue '%s'", name);
	if (near.n)
		fl_fail_hint(err, "did you mean %s?", fl_nearest_text(&near, text, sizeof text));
	return fl_fail_in(err, "%s", t->answer.context);
}

static int find_node(const struct fl_handing *t, const char *given, struct fl_node *ret,
		     fairlead_error *err)
{
	const struct fl_model *m = t->snapshot.model;
	const char *slash = strchr(given, '/'), *name = slash ? slash + 1 : given;
	bool cohorts = !slash || strncmp(given, "cohort/", 7) == 0;
	bool queues = !slash || strncmp(given, "queue/", 6) == 0;
	struct fl_node cohort = { FL_NONE }, queue = { FL_NONE };

	if (cohorts)
		cohort = fl_model_find_node(m, FL_COHORT, name);
	if (queues)
		queue = fl_model_find_node(m, FL_CLUSTER_QUEUE, name);
	if (cohort.v == FL_NONE && queue.v == FL_NONE)
		return fail_unknown(t, given, err);
	*ret = cohort.v != FL_NONE ? cohort : queue;
	if (cohort.v == FL_NONE || queue.v == FL_NONE ||
	    fl_model_root(m, cohort).v == fl_model_root(m, queue).v)
		return 0;
	fl_fail(err, FAIRLEAD_EINPUT, "a cohort and a ClusterQueue of another tree are both '%s'",
		name);
	return fl_fail_hint(err, "say cohort/%s or queue/%s", name, name);
}

/* All that hangs together with @n. */
static void mark_tree(struct fl_handing *t, struct fl_node n)
{
	const struct fl_model *m = t->snapshot.model;

	t->has[n.v] = true;
	for (bool more = true; more;) {
		more = false;
		for (uint32_t i = 0; i < m->n_nodes; i++) {
			uint32_t parent = m->nodes[i].parent.v;

			if (parent == FL_NONE || t->has[i] == t->has[parent])
				continue;
			t->has[i] = t->has[parent] = more = true;
		}
	}
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct fl_handing_queue *)a)->name,
		      ((const struct fl_handing_queue *)b)->name);
}

static void find_queues(struct fl_handing *t)
{
	for (uint32_t i = 0; i < t->n_queues; i++)
		t->queues[i].node = fl_model_find_node(t->snapshot.model, FL_CLUSTER_QUEUE,
						       t->queues[i].name);
}

/* Queues of other trees go, and those that could not be read. */
static void keep_queues(struct fl_handing *t)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->n_queues; i++)
		if (fl_handing_has(t, t->queues[i].node))
			t->queues[n++] = t->queues[i];
	t->n_queues = n;
	if (n)
		qsort(t->queues, n, sizeof *t->queues, by_name);
}

static int find_tree(struct fl_handing *t, const char *name, fairlead_error *err)
{
	const struct fl_model *m = t->snapshot.model;
	struct fl_node n = { FL_NONE }, root;
	int rc = find_node(t, name, &n, err);

	if (rc < 0)
		return rc;
	t->has = fl_arena_alloc(&t->arena, m->n_nodes, sizeof *t->has, err);
	if (!t->has)
		return FAIRLEAD_ENOMEM;
	mark_tree(t, n);
	root = fl_model_root(m, n);
	(void)snprintf(t->name, sizeof t->name, "%s %s",
		       m->nodes[root.v].kind == FL_COHORT ? "cohort" : "ClusterQueue",
		       fl_model_text(m, m->nodes[root.v].name));
	t->answer.tree = t->name;
	return 0;
}

/* --- reading --- */

static int read_model(struct fl_handing *t, fairlead_error *err)
{
	const struct fl_kube_tap tap = { .object = fl_handing_take, .user = t };
	int rc = fl_snapshot_begin(&t->snapshot, &t->options, err);

	if (rc < 0)
		return rc;
	/* A server has them: what it would refuse today is no reason to leave one out. */
	t->snapshot.model->judged = false;
	fl_terminal(&t->snapshot.report);
	rc = fl_snapshot_add(&t->snapshot, t->options.files, t->options.n_files, &tap, err);
	return rc < 0 ? rc : fl_snapshot_seal(&t->snapshot, /* assume= */ false, err);
}

static int answer(struct fl_handing *t, const char *name, fairlead_error *err)
{
	int rc = find_tree(t, name, err);

	if (rc < 0)
		return rc;
	find_queues(t);
	if (!t->answer.back)
		rc = fl_handing_refuse(t, err);
	if (rc < 0)
		return rc;
	keep_queues(t);
	if (t->answer.back)
		rc = fl_handing_over(t, err);
	return rc < 0 ? rc : fl_handing_rows(t, err);
}

int fl_handing_open(struct fl_handing *t, const struct fl_options *o, const char *context)
{
	fairlead_error err = { 0 };
	int code;

	*t = (struct fl_handing){ .options = *o };
	t->answer =
		(struct fl_handover){ .context = context, .back = o->back, .dry_run = o->dry_run };
	t->options.files = NULL;
	t->options.n_files = 0;
	t->options.of_cluster = true;
	t->options.policy = fl_policy_of(FL_DIALECT_KUEUE);
	fl_arena_init(&t->arena, &fl_mem_heap);
	code = fl_context_open(&t->options);
	if (code != FL_EXIT_YES)
		return code;
	if (read_model(t, &err) < 0 || answer(t, o->operands[0], &err) < 0)
		return fl_complain(&err);
	return FL_EXIT_YES;
}

void fl_handing_rest(struct fl_handing *t)
{
	if (t->snapshot.options)
		fl_snapshot_done(&t->snapshot);
	t->snapshot.options = NULL;
	fl_context_close(&t->options);
	free(t->options.files);
	t->options.files = NULL;
	(void)fl_mem_free(&fl_mem_heap, t->queues);
	(void)fl_mem_free(&fl_mem_heap, t->findings);
	(void)fl_mem_free(&fl_mem_heap, t->checks);
	t->queues = NULL;
	t->findings = NULL;
	t->checks = NULL;
	t->n_queues = t->n_findings = t->n_checks = 0;
	t->cap_queues = t->cap_findings = t->cap_checks = 0;
}

void fl_handing_close(struct fl_handing *t)
{
	fl_handing_rest(t);
	fl_arena_done(&t->arena);
}
