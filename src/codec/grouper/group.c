/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/grouper/group.h"

#include <string.h>

#include "base/limits.h"
#include "codec/grouper/grouping.h"
#include "codec/jobs/object/index.h"
#include "model/entitle.h"

static const char node_pool_label[] = "kai.scheduler/node-pool";
static const char default_queue[] = "default-queue";

/* --- labels ------------------------------------------------------------------------------------ */

static struct fl_kjob_value labels_of(const struct fl_kjobs_row *row)
{
	return fl_kjob_at(fl_kjob_root(&row->doc), "metadata.labels");
}

/* An empty label is one. */
static bool row_label(const struct fl_kjobs_row *row, const char *key, const char **ret)
{
	struct fl_kjob_value v = row ? fl_kjob_get(labels_of(row), key) : FL_KJOB_NO_VALUE;

	if (fl_kjob_has(v))
		*ret = fl_kjob_text(v);
	return fl_kjob_has(v);
}

/* Of the top owner, to which those of an owner that is skipped are added. */
static bool top_label(const struct fl_grouping *g, const char *key, const char **ret)
{
	return row_label(g->top, key, ret) || row_label(g->skipped, key, ret);
}

/* --- the default rule --------------------------------------------------------------------------- */

/* That of the top owner, else that of the pod. */
static bool label_of_either(const struct fl_grouping *g, const char *key, const char **ret)
{
	return top_label(g, key, ret) || fl_grouper_pod_label(g->pod, key, ret);
}

static int set_queue(const struct fl_grouping *g, struct fl_made_group *ret, fairlead_error *err)
{
	const char *project = "", *pool;

	if (label_of_either(g, FL_GROUPER_LABEL_QUEUE, &ret->queue) ||
	    label_of_either(g, FL_GROUPER_LABEL_OLD_QUEUE, &ret->queue))
		return 0;
	(void)label_of_either(g, "project", &project);
	ret->queue = *project ? project : default_queue;
	if (!*project || !fl_grouper_pod_label(g->pod, node_pool_label, &pool))
		return 0;
	ret->queue = fl_kjobs_format(g->run, err, "%s-%s", project, pool);
	return ret->queue ? 0 : FAIRLEAD_ENOMEM;
}

static bool class_exists(const struct fl_grouping *g, const char *name)
{
	int32_t value;

	return fl_entitle_own_class(name, &value) ||
	       fl_kjobs_find(g->run, FL_KJOBS_PRIORITY_CLASS, "", name);
}

/* The class that is named as one owner is looked at; "": none. */
static const char *class_by(const struct fl_grouping *g, const struct fl_kjobs_row *owner)
{
	const char *name = "";

	if ((owner == g->top ? top_label(g, "priorityClassName", &name) :
			       row_label(owner, "priorityClassName", &name)) ||
	    fl_grouper_pod_label(g->pod, "priorityClassName", &name))
		return name;
	return g->pod->class;
}

static const struct fl_kjobs_row *owner_at(const struct fl_grouping *g, uint32_t i)
{
	return g->kind->chain ? g->pod->owners[i] : g->top;
}

static uint32_t n_owners(const struct fl_grouping *g)
{
	return g->kind->chain ? g->pod->n_owners : 1;
}

static void set_class(const struct fl_grouping *g, struct fl_made_group *ret)
{
	for (uint32_t i = 0; i < n_owners(g); i++) {
		const char *name = class_by(g, owner_at(g, i));

		if (*name && class_exists(g, name)) {
			ret->class = name;
			ret->missing_class = NULL;
			return;
		}
		if (*name)
			ret->missing_class = name;
	}
	ret->class = g->kind->class;
}

static bool is_preemptibility(const char *text)
{
	return strcmp(text, "preemptible") == 0 || strcmp(text, "non-preemptible") == 0;
}

static void set_preemptible(const struct fl_grouping *g, struct fl_made_group *ret)
{
	static const char label[] = "kai.scheduler/preemptibility";
	const char *said;

	ret->preemptible = "";
	for (uint32_t i = 0; i < n_owners(g); i++)
		if ((owner_at(g, i) == g->top ? top_label(g, label, &said) :
						row_label(owner_at(g, i), label, &said)) &&
		    is_preemptibility(said)) {
			ret->preemptible = said;
			return;
		}
	if (fl_grouper_pod_label(g->pod, label, &said) && is_preemptibility(said))
		ret->preemptible = said;
}

static int by_default(const struct fl_grouping *g, struct fl_made_group *ret, fairlead_error *err)
{
	int r = set_queue(g, ret, err);

	set_class(g, ret);
	set_preemptible(g, ret);
	ret->least = 1;
	ret->top = g->top;
	return r < 0 ? r :
		       fl_grouper_name(g, ret, err, "pg-%s-%s", g->top->name, fl_grouper_uid(g));
}

/* --- which rule --------------------------------------------------------------------------------- */

/*
 * A TrainJob is passed over for what it made, whose rule counts; of a CronJob the Job counts, by the
 * default rule.
 */
static void choose(struct fl_grouping *g)
{
	const struct fl_grouper_pod *pod = g->pod;

	g->top = pod->owners[pod->n_owners - 1];
	g->kind = fl_grouper_kind(g->top->kind);
	if (pod->n_owners == 1 ||
	    (g->top->kind != FL_FRAMEWORK_TRAIN_JOB && g->top->kind != FL_KJOBS_CRON_JOB))
		return;
	if (g->top->kind == FL_FRAMEWORK_TRAIN_JOB) {
		g->skipped = g->top;
		g->kind = fl_grouper_kind(pod->owners[pod->n_owners - 2]->kind);
	}
	g->top = pod->owners[pod->n_owners - 2];
}

int fl_grouper_group(const struct fl_kjobs_run *run, const struct fl_grouper_pod *pod,
		     const struct fl_kjob_sets *sets, struct fl_made_group *ret,
		     fairlead_error *err)
{
	struct fl_grouping g = { .run = run, .pod = pod, .sets = sets };
	int r;

	*ret = (struct fl_made_group){ .name = "" };
	choose(&g);
	r = by_default(&g, ret, err);
	if (r == 0 && g.kind->rule)
		r = g.kind->rule(&g, ret, err);
	if (r)
		return r;
	if (ret->least < 0 || ret->least > INT32_MAX)
		return fl_grouper_refuse(&g, ret, err, "its least number of pods would be %lld",
					 (long long)ret->least);
	if (strlen(ret->name) > FL_MAX_NAME)
		return fl_grouper_refuse(&g, ret, err,
					 "the name of its pod group is longer than %d bytes",
					 FL_MAX_NAME);
	return 0;
}
