/* SPDX-License-Identifier: Apache-2.0 */
/* Workload: its requests; its pods are read by codec/object/pod.c, its status by status.c. */
#include <string.h>

#include "codec/object/undecided.h"
#include "codec/object/workload.h"
#include "codec/own/life.h"

/* --- podSets --- */

#define PODSET(field, type, member) FL_IS(field, type, struct fl_podset, member)
#define WORKLOAD(field, type, member) FL_IS(field, type, struct fl_reading, row.member)

#define TOPOLOGY(field) FL_NOTED(field, "topology aware scheduling is not decided here")

/* Kueue gives one to each pod set of a Job: it asks for a topology by these fields alone. */
static const struct fl_field topology_request[] = {
	TOPOLOGY("podSetGroupName"),
	TOPOLOGY("podSetSliceRequiredTopology"),
	TOPOLOGY("podsetSliceRequiredTopologyConstraints"),
	TOPOLOGY("preferred"),
	TOPOLOGY("required"),
	TOPOLOGY("unconstrained"),
	FL_IGNORED("podIndexLabel"),
	FL_IGNORED("podSetSliceSize"),
	FL_IGNORED("subGroupCount"),
	FL_IGNORED("subGroupIndexLabel"),
	{ .name = NULL },
};

static const struct fl_field podset[] = {
	{ PODSET("name", text, name), .text = FL_TEXT_PODSET },
	{ PODSET("count", count, count) },
	{ PODSET("minCount", count, min_count) },
	{ .name = "template", .fields = fl_fields_pod_template },
	{ .name = "topologyRequest", .fields = topology_request },
	{ .name = NULL },
};

static int read_podset(struct fl_kube *k, uint32_t v, void *unused)
{
	struct fl_podset p = fl_podset_default;
	int r = fl_model_sym(k->m, "main", 4, &p.name, k->err);

	(void)unused;
	if (r == 0)
		r = fl_kube_map(k, v, podset, &p);
	if (r == 0 && p.min_count > p.count)
		r = fl_kube_fail(k, v, FAIRLEAD_EINPUT, "minCount %d is more than count %d",
				 p.min_count, p.count);
	return r < 0 ? r : fl_model_push_podsets(k->m, &p, /* ret_id= */ NULL, k->err);
}

/* --- spec --- */

/* The first word is for classes of workloads. */
static int read_class_kind(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	uint32_t i = 0;
	int r = fl_kube_enum(k, v, f->words, &i);

	*(bool *)to = i == 0;
	return r;
}

#define FL_C_class_kind bool
static const struct fl_type fl_type_class_kind = { .read = read_class_kind, .schema = "" };

static int read_limit(struct fl_kube *k, uint32_t v, void *row)
{
	int32_t seconds = 0;
	int r = fl_kube_count(k, v, &seconds);

	(void)row;
	if (r < 0 || seconds == 0)
		return r;
	k->life.noted = true;
	k->life.asked = seconds * FL_SECOND;
	return 0;
}

static const struct fl_field class_ref[] = {
	FL_RECORDED("group", .text = FL_TEXT_WORD), /* the kind is known from the object */
	{ WORKLOAD("kind", class_kind, class_of_workloads),
	  .words = (const char *const[]){ "WorkloadPriorityClass", "PriorityClass", NULL } },
	{ WORKLOAD("name", name, priority_class), .text = FL_TEXT_CLASS },
	{ .name = NULL },
};

static const struct fl_field workload_spec[] = {
	{ FL_IS_LIST("podSets", struct fl_reading, row.podsets, podsets, read_podset),
	  .fields = podset, .list = true },
	{ WORKLOAD("queueName", name, queue_name), .text = FL_TEXT_LOCAL_QUEUE },
	{ WORKLOAD("priority", int32, priority), FL_SAID(struct fl_reading, row.has_priority) },
	{ WORKLOAD("priorityClassName", name, priority_class), .text = FL_TEXT_CLASS },
	{ WORKLOAD("priorityClassSource", class_kind, class_of_workloads),
	  .words = (const char *const[]){ "kueue.x-k8s.io/workloadpriorityclass",
					  "scheduling.k8s.io/priorityclass", "", NULL } },
	{ .name = "priorityClassRef", .fields = class_ref },
	{ WORKLOAD("active", flag, active) },
	{ .name = "maximumExecutionTimeSeconds", .read = read_limit },
	FL_NOTED("preemptionGates", "a workload may always preempt"),
	{ .name = NULL },
};

/* --- metadata and the whole --- */

/* The Job that owns it; of several the controller. */
static int read_owners(struct fl_kube *k, uint32_t v, void *row)
{
	struct fl_reading *w = row;
	uint32_t end = 0;
	int r = fl_kube_list(k, v, &end);

	for (uint32_t item = v + 1; r == 0 && item < end; item = fl_kube_next(k, item)) {
		uint32_t kind = fl_doc_find(&k->doc, item, "kind");
		uint32_t name = fl_doc_find(&k->doc, item, "name");
		uint32_t controls = fl_doc_find(&k->doc, item, "controller");
		bool controller = false;

		if (kind == FL_NONE || name == FL_NONE ||
		    strcmp(fl_doc_text(&k->doc, kind), "Job") != 0)
			continue;
		if (controls != FL_NONE && !fl_kube_is_null(k, controls))
			r = fl_kube_bool(k, controls, &controller);
		if (r == 0 && (controller || w->row.owner_job.v == FL_NONE))
			r = fl_kube_text(k, name, &w->row.owner_job);
	}
	return r;
}

static const struct fl_field owner[] = {
	FL_RECORDED("apiVersion", .text = FL_TEXT_WORD),
	FL_RECORDED("uid", .text = FL_TEXT_UID),
	{ .name = "kind", .text = FL_TEXT_WORD },
	{ .name = "name", .text = FL_TEXT_JOB },
	{ .name = "controller" },
	{ .name = NULL },
};

static int read_gate(struct fl_kube *k, uint32_t v, void *row)
{
	struct fl_sym gates;
	int r = fl_kube_text(k, v, &gates);

	if (r == 0 && *fl_doc_text(&k->doc, v))
		((struct fl_reading *)row)->row.gated = true;
	return r;
}

static int read_deletion(struct fl_kube *k, uint32_t v, void *row)
{
	if (!fl_kube_is_null(k, v))
		((struct fl_reading *)row)->row.gated = true;
	return 0;
}

static const struct fl_field known_annotations[] = {
	FL_LIFE_ANNOTATIONS,
	{ .name = "kueue.x-k8s.io/admission-gated-by", .read = read_gate, .text = FL_TEXT_WORD },
	{ .name = NULL },
};

static const struct fl_field workload_metadata[] = {
	{ WORKLOAD("uid", text, uid), .text = FL_TEXT_UID },
	{ WORKLOAD("creationTimestamp", time, created) },
	{ .name = "ownerReferences", .read = read_owners, .fields = owner, .list = true },
	FL_IGNORED("name"), /* read before the fields */
	FL_IGNORED("namespace"),
	FL_IGNORED("labels"),
	{ .name = "annotations", .type = &fl_type_some, .fields = known_annotations },
	{ .name = "deletionTimestamp", .read = read_deletion, .text = FL_TEXT_WORD },
	FL_METADATA_REST,
	{ .name = NULL },
};

static const struct fl_field workload_fields[] = {
	FL_IGNORED("apiVersion"),
	FL_IGNORED("kind"),
	{ .name = "metadata", .fields = workload_metadata },
	{ .name = "spec", .fields = workload_spec },
	{ .name = "status", .fields = fl_fields_workload_status },
	{ .name = NULL },
};

/* An assignment without count is of all the podset's pods. */
static void fill_counts(struct fl_model *m, const struct fl_workload_row *row)
{
	for (uint32_t i = 0; i < row->admission.n; i++) {
		struct fl_podset_assignment *a = &m->podset_assignments[row->admission.first + i];

		for (uint32_t p = 0; a->count < 0 && p < row->podsets.n; p++)
			if (m->podsets[row->podsets.first + p].name.v == a->podset.v)
				a->count = m->podsets[row->podsets.first + p].count;
		if (a->count < 0)
			a->count = 0;
	}
}

static void fill_reclaimed(struct fl_model *m, const struct fl_reading *w)
{
	for (uint32_t i = 0; i < w->n_reclaimable; i++)
		for (uint32_t p = 0; p < w->row.podsets.n; p++) {
			struct fl_podset *pods = &m->podsets[w->row.podsets.first + p];

			if (pods->name.v == w->reclaimable[i].podset.v)
				pods->reclaimed = w->reclaimable[i].count;
		}
}

/* How long it ran the last time; an annotation counts before that. */
static void note_run(struct fl_kube *k, const struct fl_reading *w)
{
	fl_time start = w->admitted_at != FL_TIME_NONE ? w->admitted_at : w->row.reserved_at;

	if (start == FL_TIME_NONE || w->finished_at == FL_TIME_NONE || w->finished_at < start)
		return;
	k->life.noted = true;
	if (k->life.runs == FL_NEVER)
		k->life.runs = w->finished_at - start;
	if (w->row.created != FL_TIME_NONE && w->row.created <= start)
		k->life.waited = start - w->row.created;
}

/*
 * The last eviction: of one that is over only a preemption is still known.  Condition Preempted
 * may say more of it than Evicted does.
 */
static int push_eviction(struct fl_kube *k, struct fl_reading *w)
{
	struct fl_eviction_row *e = &w->eviction;
	const struct fl_eviction_row *p = &w->preemption;

	if (!w->row.evicted && !p->reason.v)
		return 0;
	if (!w->row.evicted) {
		*e = *p;
		e->over = w->row.reserved;
	} else if (p->reason.v && (p->reason.v == e->reason.v || !e->reason.v)) {
		e->reason = p->reason;
		e->rule = p->rule;
		e->preemptor = p->preemptor.v ? p->preemptor : e->preemptor;
		e->preemptor_job = p->preemptor_job.v ? p->preemptor_job : e->preemptor_job;
		e->preemptor_path = p->preemptor_path.v ? p->preemptor_path : e->preemptor_path;
	}
	e->workload.v = k->m->n_workloads - 1;
	return fl_model_push_evictions(k->m, e, /* ret_id= */ NULL, k->err);
}

static int read_workload(struct fl_kube *k)
{
	struct fl_reading w = { .row = fl_workload_default,
				.requeue = fl_requeue_default,
				.eviction = { .at = FL_TIME_NONE },
				.preemption = { .at = FL_TIME_NONE },
				.admitted_at = FL_TIME_NONE,
				.finished_at = FL_TIME_NONE };
	uint32_t life;
	int r;

	w.row.namespace = k->namespace;
	w.row.name = k->name;
	w.row.place = fl_kube_place_of(k, 0);
	r = fl_kube_map(k, 0, workload_fields, &w);
	if (r < 0)
		return r;
	if (k->held) /* its conditions may be what could not be read */
		w.quota_reserved = w.row.admitted = true;
	w.row.reserved = w.quota_reserved && w.has_admission;
	w.row.gated |= fl_undecided_workload(&k->doc);
	/*
	 * As Kueue will do: a workload with quota is deactivated when an admission check rejects
	 * it.
	 */
	w.row.active &= !w.to_deactivate && !(w.row.reserved && w.check_rejected);
	fill_reclaimed(k->m, &w);
	fill_counts(k->m, &w.row);
	note_run(k, &w);
	if (w.row.evicted || w.row.not_requeued || w.requeue.requeue_at != FL_TIME_NONE)
		r = fl_model_push_requeues(k->m, &w.requeue, &w.row.requeue, k->err);
	if (r == 0)
		r = fl_model_add_workload(k->m, &w.row, k->err);
	if (r == 0)
		r = push_eviction(k, &w);
	return r < 0 ? r : fl_life_push(k, k->m->n_workloads - 1, &life);
}

const struct fl_kind fl_kind_workload = { "kueue.x-k8s.io", "Workload",    true,
					  workload_fields,  read_workload, FL_TEXT_WORKLOAD,
					  "v1beta1 v1beta2" };
