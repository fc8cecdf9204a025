/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pod: a task, or usage of other schedulers on a machine.
 *
 * The request of a pod is what the scheduler sees: its containers as they are (a LimitRange and a
 * RuntimeClass were applied when it was made), or parts of GPUs by annotation.
 */
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "codec/kai/kai.h"
#include "codec/own/life.h"

/* KAI counts a smaller fraction as no GPU. */
#define LEAST_FRACTION 0.01

enum phase { PENDING, RUNNING, SUCCEEDED, FAILED, UNKNOWN };

struct reading {
	struct fl_podset shape; /* first: the shared fields of a pod's spec write here */
	struct fl_task_row row;
	struct fl_sym class_label, project, pool;
	enum phase phase;
	bool deleted, gated, reserves, has_scheduler, ours;
	double fraction; /* of a GPU; 0: whole ones */
	double memory;   /* MiB of a GPU; 0: not by memory */
	int32_t devices;
	uint32_t fraction_at, memory_at;
};

#define POD(field, type, member) FL_IS(field, type, struct reading, member)

/* --- labels and annotations --- */

/* The earlier name of the label: counts only without the other one. */
static int read_old_queue(struct fl_kube *k, uint32_t v, void *row)
{
	struct reading *p = row;

	if (p->row.queue_name.v != FL_NONE)
		return 0;
	p->ours = true;
	return fl_kube_name(k, v, &p->row.queue_name);
}

/* Pods that reserve shared GPUs: the pods that share them hold the parts. */
static int read_app(struct fl_kube *k, uint32_t v, void *row)
{
	((struct reading *)row)->reserves = strcmp(fl_doc_text(&k->doc, v),
						   "kai-resource-reservation") == 0;
	return fl_kube_text(k, v, &(struct fl_sym){ 0 });
}

static const struct fl_field known_labels[] = {
	{ .name = "app", .read = read_app, .text = FL_TEXT_WORD },
	{ FL_IS_PREEMPTIBILITY("kai.scheduler/preemptibility", struct reading, row.stated) },
	{ POD("kai.scheduler/node-pool", name, pool), .text = FL_TEXT_LABEL_VALUE },
	{ POD("kai.scheduler/queue", name, row.queue_name), FL_SAID(struct reading, ours),
	  .text = FL_TEXT_CLUSTER_QUEUE },
	{ POD("priorityClassName", name, class_label), .text = FL_TEXT_CLASS },
	{ POD("project", name, project), .text = FL_TEXT_CLUSTER_QUEUE },
	{ .name = "runai/queue", .read = read_old_queue, .text = FL_TEXT_CLUSTER_QUEUE },
	{ .name = NULL },
};

static int read_fraction(struct fl_kube *k, uint32_t v, void *row)
{
	struct reading *p = row;
	int r = fl_kube_finite_text(k, v, &p->fraction);

	p->fraction_at = v;
	if (r == 0 && (p->fraction <= 0 || p->fraction >= 1))
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT,
				    "a part of a GPU must be more than 0 and less than 1");
	if (r == 0 && p->fraction < LEAST_FRACTION)
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT,
				    "a part less than %g would count as no GPU", LEAST_FRACTION);
	return r;
}

static int read_memory(struct fl_kube *k, uint32_t v, void *row)
{
	struct reading *p = row;
	int r = fl_kube_finite_text(k, v, &p->memory);

	p->memory_at = v;
	if (r == 0 &&
	    !(p->memory >= 1 && p->memory <= 0x1p30 && p->memory == (double)(int64_t)p->memory))
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT,
				    "expected MiB of a GPU, a whole number above 0");
	return r;
}

static int read_devices(struct fl_kube *k, uint32_t v, void *row)
{
	struct reading *p = row;
	double n = 0;
	int r = fl_kube_finite_text(k, v, &n);

	if (r == 0 && !(n >= 1 && n <= 1024 && n == (double)(int32_t)n))
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT,
				    "expected a number of GPUs from 1 to 1024");
	p->devices = (int32_t)n;
	return r;
}

static const struct fl_field known_annotations[] = {
	FL_LIFE_ANNOTATIONS,
	{ .name = "gpu-fraction", .read = read_fraction },
	{ .name = "gpu-fraction-num-devices", .read = read_devices },
	{ .name = "gpu-memory", .read = read_memory },
	{ POD("pod-group-name", name, row.gang_name), FL_SAID(struct reading, ours),
	  .text = FL_TEXT_WORKLOAD },
	{ .name = NULL },
};

static const struct fl_field metadata[] = {
	{ POD("creationTimestamp", time, row.created) },
	{ .name = "deletionTimestamp",
	  .type = &fl_type_any_time,
	  FL_SAID(struct reading, deleted) },
	{ .name = "labels", .type = &fl_type_some, .fields = known_labels },
	{ .name = "annotations", .type = &fl_type_some, .fields = known_annotations },
	FL_IGNORED("name"), /* read before the fields */
	FL_IGNORED("namespace"),
	FL_IGNORED("ownerReferences"),
	FL_IGNORED("uid"),
	FL_METADATA_REST,
	{ .name = NULL },
};

/* --- spec --- */

static int read_scheduler(struct fl_kube *k, uint32_t v, void *row)
{
	struct reading *p = row;

	p->has_scheduler = k->doc.values[v].len > 0;
	if (p->has_scheduler)
		p->row.foreign = strcmp(fl_doc_text(&k->doc, v), "kai-scheduler") != 0;
	return fl_kube_text(k, v, &(struct fl_sym){ 0 });
}

static int read_gates(struct fl_kube *k, uint32_t v, void *row)
{
	uint32_t end = 0;
	int r = fl_kube_list(k, v, &end);

	((struct reading *)row)->gated = v + 1 < end;
	return r;
}

static const struct fl_field gate[] = {
	{ .name = "name", .text = FL_TEXT_NAME },
	{ .name = NULL },
};

static const struct fl_field spec[] = {
	FL_POD_SPEC,
	{ POD("nodeName", name, row.machine_name), .text = FL_TEXT_MACHINE },
	{ POD("priority", int32, row.priority), FL_SAID(struct reading, row.has_priority) },
	{ POD("priorityClassName", name, row.priority_class), .text = FL_TEXT_CLASS },
	{ .name = "schedulerName", .read = read_scheduler, .text = FL_TEXT_WORD },
	{ .name = "schedulingGates", .read = read_gates, .fields = gate, .list = true },
	FL_POD_SPEC_IGNORED,
	{ .name = NULL },
};

/* --- status --- */

static const struct fl_field status[] = {
	{ FL_IS_ENUM("phase", struct reading, phase, enum phase, "Pending", "Running", "Succeeded",
		     "Failed", "Unknown") },
	{ POD("startTime", time, row.started) },
	FL_IGNORED("allocatedResources"),
	FL_IGNORED("conditions"),
	FL_IGNORED("containerStatuses"),
	FL_IGNORED("ephemeralContainerStatuses"),
	FL_IGNORED("extendedResourceClaimStatus"),
	FL_IGNORED("hostIP"),
	FL_IGNORED("hostIPs"),
	FL_IGNORED("initContainerStatuses"),
	FL_IGNORED("message"),
	FL_IGNORED("nominatedNodeName"),
	FL_IGNORED("observedGeneration"),
	FL_IGNORED("podIP"),
	FL_IGNORED("podIPs"),
	FL_IGNORED("qosClass"),
	FL_IGNORED("reason"),
	FL_IGNORED("resize"),
	FL_IGNORED("resourceClaimStatuses"),
	FL_IGNORED("resources"),
	{ .name = NULL },
};

static const struct fl_field pod_fields[] = {
	FL_IGNORED("apiVersion"),
	FL_IGNORED("kind"),
	{ .name = "metadata", .fields = metadata },
	{ .name = "spec", .fields = spec },
	{ .name = "status", .fields = status },
	{ .name = NULL },
};

/* --- the whole --- */

static enum fl_task_phase phase_of(const struct reading *p)
{
	if (p->reserves || p->phase == SUCCEEDED || p->phase == FAILED)
		return FL_TASK_DONE;
	if (p->deleted)
		return FL_TASK_RELEASING;
	if (p->row.machine_name.v != FL_NONE)
		return FL_TASK_ALLOCATED;
	return p->gated ? FL_TASK_DONE : FL_TASK_PENDING;
}

/* The parts that were pushed since @first_part become the request, and are removed. */
static int sum_request(struct fl_kube *k, struct reading *p, uint32_t first_part,
		       uint32_t first_amount)
{
	static const char *const names[FL_BUNDLE] = { "cpu", "memory", "nvidia.com/gpu" };
	struct fl_model *m = k->m;
	struct fl_pod pod;
	int r = 0;

	fl_pod_init(&pod, m->mem);
	for (uint32_t i = first_part; i < m->n_parts && r == 0; i++) {
		const struct fl_pod_part *part = &m->parts[i];

		r = fl_pod_add(&pod, part->kind, m->amounts + part->amounts.first, part->amounts.n,
			       k->err);
	}
	for (uint32_t i = 0; i < pod.n; i++)
		for (int axis = 0; axis < FL_BUNDLE; axis++)
			if (strcmp(fl_model_text(m, pod.rows[i].resource_name), names[axis]) == 0)
				p->row.request.of[axis] = (double)fl_pod_total(&pod.rows[i]);
	fl_pod_done(&pod);
	m->n_parts = first_part;
	m->n_amounts = first_amount;
	return r;
}

/* What memory of a GPU is as a part of one is known by seal. */
static int apply_fraction(struct fl_kube *k, struct reading *p)
{
	if (p->memory > 0 && (p->fraction > 0 || p->row.request.of[FL_GPU] > 0))
		return fl_kube_fail(k, p->memory_at, FAIRLEAD_EINPUT,
				    "asks for memory of a GPU and for %s",
				    p->fraction > 0 ? "a part of one" : "whole ones");
	if (p->fraction == 0)
		return 0;
	if (p->row.request.of[FL_GPU] > 0)
		return fl_kube_fail(k, p->fraction_at, FAIRLEAD_EINPUT,
				    "asks for a part of a GPU and for whole ones");
	p->row.request.of[FL_GPU] = p->fraction * (double)p->devices;
	return 0;
}

/* A pod that belongs to no group and names no queue: that of its project, or KAI's own. */
static int default_queue(struct fl_kube *k, struct reading *p)
{
	const struct fl_model *m = k->m;
	char name[2 * FL_MAX_NAME];

	if (p->row.foreign || p->row.queue_name.v != FL_NONE || p->row.gang_name.v != FL_NONE)
		return 0;
	if (p->project.v != FL_NONE && p->pool.v == FL_NONE) {
		p->row.queue_name = p->project;
		return 0;
	}
	if (p->project.v == FL_NONE)
		return fl_model_sym(k->m, "default-queue", 13, &p->row.queue_name, k->err);
	(void)snprintf(name, sizeof name, "%.*s-%.*s", FL_MAX_NAME - 1,
		       fl_model_text(m, p->project), FL_MAX_NAME - 1, fl_model_text(m, p->pool));
	return fl_model_sym(k->m, name, strlen(name), &p->row.queue_name, k->err);
}

static int read_pod(struct fl_kube *k)
{
	struct reading p = {
		.shape = fl_podset_default,
		.row = fl_task_default,
		.class_label = { FL_NONE },
		.project = { FL_NONE },
		.pool = { FL_NONE },
		.devices = 1,
	};
	uint32_t first_part = k->m->n_parts, first_amount = k->m->n_amounts;
	int r = fl_kube_map(k, 0, pod_fields, &p);

	if (r == 0)
		r = sum_request(k, &p, first_part, first_amount);
	if (r == 0)
		r = apply_fraction(k, &p);
	if (r < 0)
		return r;
	p.row.namespace = k->namespace;
	p.row.name = k->name;
	p.row.place = fl_kube_place_of(k, 0);
	p.row.phase = phase_of(&p);
	p.row.foreign |= (!p.has_scheduler && !p.ours) || p.reserves;
	/* The label counts before the class of the pod, whose value is only in that class. */
	p.row.has_priority &= p.row.priority_class.v != FL_NONE && p.class_label.v == FL_NONE;
	if (p.class_label.v != FL_NONE)
		p.row.priority_class = p.class_label;
	p.row.node_selector = p.shape.node_selector;
	p.row.tolerations = p.shape.tolerations;
	p.row.affinity = p.shape.affinity;
	p.row.has_affinity = p.shape.has_affinity;
	r = default_queue(k, &p);
	if (r == 0)
		r = fl_life_push(k, /* workload= */ FL_NONE, &p.row.life);
	if (r == 0 && !k->made)
		r = fl_kube_note_owners(k);
	if (r == 0 && p.memory > 0)
		r = fl_model_push_gpu_memories(
			k->m, &(struct fl_gpu_memory_row){ k->m->n_tasks, p.devices, p.memory },
			/* ret_id= */ NULL, k->err);
	return r < 0 ? r : fl_model_add_task(k->m, &p.row, k->err);
}

const struct fl_kind fl_kind_pod = {
	"", "Pod", true, pod_fields, read_pod, FL_TEXT_WORKLOAD, "v1"
};
