/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/grouper/grouper.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/names.h"
#include "codec/grouper/group_doc.h"
#include "codec/grouper/pods.h"
#include "codec/grouper/said.h"
#include "codec/jobs/object/amounts.h"
#include "codec/jobs/object/index.h"
#include "codec/jobs/object/pod_doc.h"
#include "codec/object/fields.h"

struct making {
	struct fl_model *m;
	const struct fl_grouper_input *in;
	struct fl_kjobs_run run, pod_run; /* with the memory of a job, and that of a pod */
	struct fl_pairs groups, pods;     /* (namespace, name) that there are */
	struct fl_grouper_said said;
	const struct fl_kjobs_row *classless; /* the last one whose class does not exist */
};

/* --- what there is ------------------------------------------------------------------------------ */

/* 1: it was there already. */
static int there_is(struct making *a, struct fl_pairs *names, const char *namespace,
		    const char *name, fairlead_error *err)
{
	struct fl_sym ns, sym;
	int r = fl_model_sym(a->m, namespace, strlen(namespace), &ns, err);

	if (r == 0)
		r = fl_model_sym(a->m, name, strlen(name), &sym, err);
	return r < 0 ? r : fl_pairs_add(names, ns.v, sym.v, 0, /* ret_old= */ NULL, err);
}

static int note_model(struct making *a, fairlead_error *err)
{
	const struct fl_model *m = a->m;
	int r = 0;

	for (uint32_t w = 0; w < m->n_workloads && r >= 0; w++)
		if (m->workloads[w].gang != FL_NONE)
			r = fl_pairs_add(&a->groups, m->workloads[w].namespace.v,
					 m->workloads[w].name.v, 0, /* ret_old= */ NULL, err);
	for (uint32_t t = 0; t < m->n_tasks && r >= 0; t++)
		r = fl_pairs_add(&a->pods, m->tasks[t].namespace.v, m->tasks[t].name.v, 0,
				 /* ret_old= */ NULL, err);
	return r < 0 ? r : 0;
}

static bool is_pod(const struct fl_kjobs_row *row)
{
	return row->kind == FL_FRAMEWORK_POD || row->kind == FL_KJOBS_KAI_POD;
}

/* --- making ------------------------------------------------------------------------------------- */

static int read_made(struct making *a, const struct fl_kjobs_row *row, struct fl_doc *doc, int r,
		     fairlead_error *err)
{
	if (r == 0)
		r = fl_kube_read_made(a->m, row->input, doc, a->in->tap, err);
	fl_doc_done(doc);
	return r;
}

/* The group itself, unless it is there. */
static int make_group(struct making *a, const struct fl_made_group *group, fairlead_error *err)
{
	struct fl_doc doc;
	int r = there_is(a, &a->groups, group->top->namespace, group->name, err);

	if (r)
		return r < 0 ? r : 0;
	fl_doc_init(&doc, a->m->mem);
	r = read_made(a, group->top, &doc, fl_grouper_group_doc(group, &doc, err), err);
	if (r == 0)
		fl_grouper_said_group(&a->said, group);
	if (r < 0 || !group->missing_class || a->classless == group->top)
		return r;
	a->classless = group->top; /* once for all pods of a job */
	return fl_grouper_say_class(a->m, group, err);
}

/* A name that no other pod has: a number is added to one that is taken. */
static int free_name(struct making *a, const char *namespace, char *name, size_t size,
		     fairlead_error *err)
{
	size_t len = strlen(name);
	int r = there_is(a, &a->pods, namespace, name, err);

	for (uint32_t n = 2; r > 0; n++) {
		(void)snprintf(name + len, size - len, "-%" PRIu32, n);
		r = there_is(a, &a->pods, namespace, name, err);
	}
	return r;
}

/* 1: its job has no pod group, and said so. */
static int make_pod(struct making *a, const struct fl_grouper_pods *pods, uint32_t set,
		    int64_t group_index, int64_t index, fairlead_error *err)
{
	const struct fl_kjob_pod_set *from = &pods->sets.items[set];
	struct fl_kjob_value root = fl_kjob_root(&pods->row->doc);
	char name[FL_MAX_NAME + 16];
	struct fl_kjob_new_pod made = {
		.namespace = pods->row->namespace, .name = name, .job = root, .pod = &from->pod
	};
	struct fl_grouper_pod pod = {
		.name = name,
		.uid = "",
		.metadata = fl_kjob_get(from->pod.template, "metadata"),
		.more = &made.labels,
		.class = from->pod.priority_class,
		.owners = { pods->row },
		.n_owners = 1,
	};
	struct fl_made_group group = { .why = NULL };
	struct fl_doc doc;
	int r;

	fl_arena_reset(a->pod_run.arena);
	fl_grouper_pod_name(pods, set, group_index, index, name, sizeof name);
	if ((r = free_name(a, made.namespace, name, sizeof name, err)) < 0 ||
	    (r = fl_grouper_labels(&a->pod_run, pods, set, group_index, index, &made.labels, err)) <
		    0)
		return r;
	r = fl_grouper_owners(&a->pod_run, root, made.namespace, &pod, &group.why);
	if (r == 0)
		r = fl_grouper_group(&a->pod_run, &pod, &pods->sets, &group, err);
	if (r > 0) {
		r = fl_grouper_say_none(a->m, pods->row, group.why, err);
		return r < 0 ? r : 1;
	}
	if (r == 0)
		r = make_group(a, &group, err);
	if (r == 0)
		r = fl_kjob_set_pair(&a->pod_run, &made.annotations, "pod-group-name", group.name,
				     err);
	if (r < 0)
		return r;
	fl_doc_init(&doc, a->m->mem);
	fl_grouper_said_pod(&a->said, pods->row);
	r = fl_kjob_pod_doc(&made, &doc, err);
	if (index == 0 && group_index == 0)
		return read_made(a, pods->row, &doc, r, err);
	if (r == 0)
		r = fl_kube_read_alike(a->m, pods->row->input, &doc, a->in->tap, err);
	fl_doc_done(&doc);
	return r;
}

static int make_pods(struct making *a, const struct fl_grouper_pods *pods, fairlead_error *err)
{
	int r = 0;

	if (pods->n > FL_MAX_MADE_PODS - a->said.pods)
		return fl_grouper_say_many(a->m, pods->row, pods->n, err);
	for (int64_t g = 0; g < pods->groups && r == 0; g++)
		for (uint32_t set = 0; set < pods->sets.n && r == 0; set++)
			for (int64_t i = 0; i < pods->sets.items[set].count && r == 0; i++)
				r = make_pod(a, pods, set, g, i, err);
	return r < 0 ? r : 0;
}

/* --- each job ----------------------------------------------------------------------------------- */

static bool is_live(const struct making *a, const struct fl_kjobs_row *row)
{
	struct fl_kjob_value root = fl_kjob_root(&row->doc);
	const char *cluster = fl_kjob_text(fl_kjob_at(root, "status.rayClusterName"));

	return fl_kjob_is_live(a->in->live, row->namespace, fl_kjob_text(fl_kjob_get(root, "kind")),
			       row->name) ||
	       (*cluster &&
		(fl_kjobs_find(&a->run, FL_FRAMEWORK_RAY_CLUSTER, row->namespace, cluster) ||
		 fl_kjob_is_live(a->in->live, row->namespace, "RayCluster", cluster)));
}

static int make_job(struct making *a, const struct fl_kjobs_row *row, fairlead_error *err)
{
	const struct fl_grouper_kind *kind = fl_grouper_kind(row->kind);
	const struct fl_framework *like = &fl_frameworks[kind->like];
	struct fl_grouper_pods pods;
	fairlead_error problem = { 0 };
	const char *why = NULL;
	int r;

	if (is_live(a, row))
		return 0;
	if (kind->pods == FL_GROUPER_NO_PODS)
		return fl_grouper_left_out(&a->said, row,
					   row->kind == FL_KJOBS_CRON_JOB ? FL_GROUPER_CRON :
									    FL_GROUPER_WRAPPED);
	if (kind->kind != FL_KJOBS_NOTEBOOK && fl_framework_finished(like, &row->doc))
		return fl_grouper_left_out(&a->said, row, FL_GROUPER_FINISHED);
	fl_arena_reset(a->run.arena);
	r = fl_grouper_pods(&a->run, row, &pods, &why, &problem);
	if (r == FAIRLEAD_EINPUT || r == FAIRLEAD_ELIMIT)
		return fl_grouper_say_unreadable(a->m, row, &problem, err);
	if (r < 0) {
		*err = problem;
		return r;
	}
	if (r > 0)
		return fl_grouper_say_none(a->m, row, why, err);
	if (pods.foreign)
		return fl_grouper_left_out(&a->said, row, FL_GROUPER_FOREIGN);
	if (pods.n == 0)
		return fl_grouper_left_out(&a->said, row, FL_GROUPER_EMPTY);
	if (fl_framework_suspended(like, &row->doc))
		return fl_grouper_left_out(&a->said, row, FL_GROUPER_SUSPENDED);
	return make_pods(a, &pods, err);
}

/* --- each pod of the input ---------------------------------------------------------------------- */

/* Without an owner in the input it is a workload alone, which its reader sees to. */
static int read_alone(struct making *a, const struct fl_kjobs_row *row, fairlead_error *err)
{
	return fl_kube_read_made(a->m, row->input, &row->doc, a->in->tap, err);
}

static int group_pod(struct making *a, const struct fl_kjobs_row *row, fairlead_error *err)
{
	struct fl_kjob_value root = fl_kjob_root(&row->doc);
	struct fl_grouper_pod pod = {
		.name = row->name,
		.uid = row->uid,
		.metadata = fl_kjob_get(root, "metadata"),
		.class = fl_kjob_text(fl_kjob_at(root, "spec.priorityClassName")),
		.placed = *fl_kjob_text(fl_kjob_at(root, "spec.nodeName")) != '\0',
	};
	struct fl_made_group group = { .name = "" };
	struct fl_doc doc;
	int r;

	fl_arena_reset(a->pod_run.arena);
	if (!fl_grouper_waits(&row->doc))
		return read_alone(a, row, err);
	r = fl_grouper_owners(&a->pod_run, root, row->namespace, &pod, &group.why);
	if (pod.n_owners == 0)
		return read_alone(a, row, err);
	if (r == 0)
		r = fl_grouper_group(&a->pod_run, &pod, /* sets= */ NULL, &group, err);
	if (r > 0)
		r = fl_grouper_say_none(a->m, row, group.why, err);
	else if (r == 0)
		r = make_group(a, &group, err);
	/* A pod without a group is not scheduled, but takes room where it is. */
	if (r < 0 || (group.why && !pod.placed))
		return r;
	fl_doc_init(&doc, a->m->mem);
	fl_grouper_said_grouped(&a->said, row, group.why != NULL);
	r = fl_grouper_annotated(root, *group.name ? group.name : row->name, &doc, err);
	return read_made(a, row, &doc, r, err);
}

static int each(struct making *a, fairlead_error *err)
{
	int r = 0;

	for (int pods = 1; pods >= 0; pods--)
		for (uint32_t i = 0; i < a->run.first[FL_KJOBS_KINDS] && r == 0; i++) {
			const struct fl_kjobs_row *row = &a->run.rows[a->run.sorted[i]];

			if (is_pod(row) != (pods == 1) || !fl_grouper_kind(row->kind))
				continue;
			r = pods ? group_pod(a, row, err) : make_job(a, row, err);
		}
	return r;
}

int fl_grouper_make(struct fl_model *m, const struct fl_grouper_input *in, fairlead_error *err)
{
	static const struct fl_kjobs_config config = { .frameworks = 0 };
	struct making a = { .m = m,
			    .in = in,
			    .run = { .rows = in->kept->rows, .config = &config } };
	struct fl_arena index, job, pod;
	int r;

	fl_arena_init(&index, m->mem);
	fl_arena_init(&job, m->mem);
	fl_arena_init(&pod, m->mem);
	fl_pairs_init(&a.groups, m->mem);
	fl_pairs_init(&a.pods, m->mem);
	a.run.arena = &index;
	r = fl_kjobs_sort(&a.run, in->kept->n, err);
	a.run.arena = &job;
	a.pod_run = a.run;
	a.pod_run.arena = &pod;
	if (r == 0)
		r = note_model(&a, err);
	if (r == 0)
		r = each(&a, err);
	fl_pairs_done(&a.pods);
	fl_pairs_done(&a.groups);
	fl_arena_done(&pod);
	fl_arena_done(&job);
	fl_arena_done(&index);
	return r < 0 ? r : fl_grouper_say_all(m, &a.said, err);
}

/* --- what is not KAI's -------------------------------------------------------------------------- */

int fl_grouper_decline(struct fl_model *m, const struct fl_grouper_input *in, fairlead_error *err)
{
	int r = 0;

	for (uint32_t i = 0; i < in->kept->n && r == 0; i++) {
		const struct fl_kjobs_row *row = &in->kept->rows[i];

		if (row->kind == FL_KJOBS_KAI_POD)
			r = fl_kube_read_made(m, row->input, &row->doc, in->tap, err);
		else if (row->kind == FL_KJOBS_CRON_JOB || row->kind == FL_KJOBS_NOTEBOOK ||
			 row->kind == FL_KJOBS_MPI_JOB)
			r = fl_grouper_say_not_read(m, row, err);
	}
	return r;
}

bool fl_grouper_any_pod(const struct fl_kjobs *kept)
{
	for (uint32_t i = 0; i < kept->n; i++)
		if (kept->rows[i].kind == FL_KJOBS_KAI_POD)
			return true;
	return false;
}

bool fl_grouper_waits(const struct fl_doc *doc)
{
	struct fl_kjob_value pod = fl_kjob_root(doc), metadata = fl_kjob_get(pod, "metadata");
	struct fl_kjob_value scheduler = fl_kjob_at(pod, "spec.schedulerName");
	struct fl_kjob_value labels = fl_kjob_get(metadata, "labels");

	if (*fl_kjob_text(fl_kjob_get(fl_kjob_get(metadata, "annotations"), "pod-group-name")) ||
	    fl_kjob_count(fl_kjob_get(metadata, "ownerReferences")) == 0)
		return false;
	if (*fl_kjob_text(scheduler))
		return fl_kjob_is(scheduler, "kai-scheduler");
	return fl_kjob_has(fl_kjob_get(labels, FL_GROUPER_LABEL_QUEUE)) ||
	       fl_kjob_has(fl_kjob_get(labels, FL_GROUPER_LABEL_OLD_QUEUE));
}
