/* SPDX-License-Identifier: Apache-2.0 */
/* Workload: what it asks for, what it holds, what became of it. */
#include <string.h>

#include "base/limits.h"
#include "codec/fields.h"

enum { MAX_AMOUNTS = FL_MAX_RESOURCES * FL_MAX_RESOURCE_GROUPS };

/* --- resources of a container --- */

static int amount_of(struct fl_kube *k, uint32_t key, struct fl_pod_amount **ret)
{
	struct fl_sym sym;
	int r = fl_model_sym(k->m, fl_doc_text(&k->doc, key), k->doc.values[key].len, &sym, k->err);

	if (r < 0)
		return r;
	for (uint32_t i = 0; i < k->n_amounts; i++)
		if (k->amounts[i].resource == sym.v) {
			*ret = &k->amounts[i];
			return 0;
		}
	if (k->n_amounts == MAX_AMOUNTS)
		return fl_kube_fail(k, key + 1, FAIRLEAD_ELIMIT,
				    "a container with more than %d resources", MAX_AMOUNTS);
	r = fl_mem_grow(k->m->mem, &k->amounts, &k->cap_amounts, k->n_amounts + 1,
			sizeof *k->amounts, k->err);
	if (r < 0)
		return r;
	*ret = &k->amounts[k->n_amounts++];
	**ret = (struct fl_pod_amount){ .resource = sym.v };
	return 0;
}

static int read_amounts(struct fl_kube *k, uint32_t v, bool limits)
{
	uint32_t end = 0;
	int r = fl_kube_pairs(k, v, &end);

	for (uint32_t key = v + 1; r == 0 && key < end; key = fl_kube_next(k, key)) {
		struct fl_pod_amount *a = NULL;

		r = amount_of(k, key, &a);
		if (r == 0)
			r = fl_kube_quantity(k, key + 1, fl_doc_text(&k->doc, key),
					     limits ? &a->limit : &a->request);
		if (r == 0)
			*(limits ? &a->has_limit : &a->has_request) = true;
	}
	return r;
}

static int read_requests(struct fl_kube *k, uint32_t v, void *row)
{
	(void)row;
	return read_amounts(k, v, /* limits= */ false);
}

static int read_limits(struct fl_kube *k, uint32_t v, void *row)
{
	(void)row;
	return read_amounts(k, v, /* limits= */ true);
}

static const struct fl_field resources[] = {
	{ .name = "requests", .read = read_requests },
	{ .name = "limits", .read = read_limits },
	FL_NOTED("claims", "devices that are claimed do not count"),
	{ .name = NULL },
};

/* --- containers --- */

struct container {
	bool always;
};

static int read_restart_policy(struct fl_kube *k, uint32_t v, void *row)
{
	struct fl_sym sym;
	int r = fl_kube_text(k, v, &sym);

	if (r == 0)
		((struct container *)row)->always = strcmp(fl_doc_text(&k->doc, v), "Always") == 0;
	return r;
}

static const struct fl_field container[] = {
	{ .name = "resources", .fields = resources },
	{ .name = "restartPolicy", .read = read_restart_policy },
	FL_IGNORED("args"),
	FL_IGNORED("command"),
	FL_IGNORED("env"),
	FL_IGNORED("envFrom"),
	FL_IGNORED("image"),
	FL_IGNORED("imagePullPolicy"),
	FL_IGNORED("lifecycle"),
	FL_IGNORED("livenessProbe"),
	FL_IGNORED("name"),
	FL_IGNORED("ports"),
	FL_IGNORED("readinessProbe"),
	FL_IGNORED("resizePolicy"),
	FL_IGNORED("restartPolicyRules"),
	FL_IGNORED("securityContext"),
	FL_IGNORED("startupProbe"),
	FL_IGNORED("stdin"),
	FL_IGNORED("stdinOnce"),
	FL_IGNORED("terminationMessagePath"),
	FL_IGNORED("terminationMessagePolicy"),
	FL_IGNORED("tty"),
	FL_IGNORED("volumeDevices"),
	FL_IGNORED("volumeMounts"),
	FL_IGNORED("workingDir"),
	{ .name = NULL },
};

static int add_part(struct fl_kube *k, uint32_t v, enum fl_pod_part part)
{
	int r = fl_pod_add(&k->pod, part, k->amounts, k->n_amounts, k->err);

	return r == FAIRLEAD_ELIMIT ? fl_kube_blame(k, v) : r;
}

static int read_containers_as(struct fl_kube *k, uint32_t v, bool init)
{
	uint32_t end = 0;
	int r = fl_kube_list(k, v, &end);

	for (uint32_t item = v + 1; r == 0 && item < end; item = fl_kube_next(k, item)) {
		struct container c = { 0 };

		k->n_amounts = 0;
		r = fl_kube_map(k, item, container, &c);
		if (r == 0)
			r = add_part(k, item,
				     !init    ? FL_POD_CONTAINER :
				     c.always ? FL_POD_SIDECAR :
						FL_POD_INIT);
	}
	return r;
}

static int read_containers(struct fl_kube *k, uint32_t v, void *row)
{
	(void)row;
	return read_containers_as(k, v, /* init= */ false);
}

static int read_init_containers(struct fl_kube *k, uint32_t v, void *row)
{
	(void)row;
	return read_containers_as(k, v, /* init= */ true);
}

static int read_pod_resources(struct fl_kube *k, uint32_t v, void *row)
{
	int r;

	k->n_amounts = 0;
	r = fl_kube_map(k, v, resources, row);
	return r < 0 ? r : add_part(k, v, FL_POD_WHOLE);
}

static int read_overhead(struct fl_kube *k, uint32_t v, void *row)
{
	int r;

	(void)row;
	k->n_amounts = 0;
	r = read_amounts(k, v, /* limits= */ false);
	return r < 0 ? r : add_part(k, v, FL_POD_OVERHEAD);
}

/* --- where pods may run --- */

static int read_node_selector(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_labels(k, v, &((struct fl_podset *)row)->node_selector);
}

static int read_pod_tolerations(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_tolerations(k, v, &((struct fl_podset *)row)->tolerations);
}

static int read_term_expressions(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_expressions(k, v, &((struct fl_term *)row)->requirements.n);
}

static const struct fl_field term[] = {
	{ .name = "matchExpressions",
	  .read = read_term_expressions,
	  .fields = fl_fields_expression,
	  .list = true },
	FL_IGNORED("matchFields"),
	{ .name = NULL },
};

static int read_terms(struct fl_kube *k, uint32_t v, void *row)
{
	struct fl_podset *podset = row;
	uint32_t end = 0;
	int r = fl_kube_list(k, v, &end);

	podset->has_affinity = true;
	podset->affinity.first = k->m->n_terms;
	for (uint32_t item = v + 1; r == 0 && item < end; item = fl_kube_next(k, item)) {
		struct fl_term t = { .requirements = { k->m->n_requirements, 0 } };

		r = fl_kube_map(k, item, term, &t);
		if (r == 0)
			r = fl_model_push_terms(k->m, &t, /* ret_id= */ NULL, k->err);
	}
	podset->affinity.n = k->m->n_terms - podset->affinity.first;
	return r;
}

static const struct fl_field required[] = {
	{ .name = "nodeSelectorTerms", .read = read_terms, .fields = term, .list = true },
	{ .name = NULL },
};

static const struct fl_field node_affinity[] = {
	{ .name = "requiredDuringSchedulingIgnoredDuringExecution", .fields = required },
	FL_IGNORED("preferredDuringSchedulingIgnoredDuringExecution"),
	{ .name = NULL },
};

static const struct fl_field affinity[] = {
	{ .name = "nodeAffinity", .fields = node_affinity },
	FL_IGNORED("podAffinity"),
	FL_IGNORED("podAntiAffinity"),
	{ .name = NULL },
};

static const struct fl_field pod_spec[] = {
	{ .name = "containers", .read = read_containers, .fields = container, .list = true },
	{ .name = "initContainers",
	  .read = read_init_containers,
	  .fields = container,
	  .list = true },
	{ .name = "resources", .read = read_pod_resources, .fields = resources },
	{ .name = "overhead", .read = read_overhead },
	{ .name = "nodeSelector", .read = read_node_selector },
	{ .name = "affinity", .fields = affinity },
	{ .name = "tolerations",
	  .read = read_pod_tolerations,
	  .fields = fl_fields_toleration,
	  .list = true },
	FL_IGNORED("activeDeadlineSeconds"),
	FL_IGNORED("automountServiceAccountToken"),
	FL_IGNORED("dnsConfig"),
	FL_IGNORED("dnsPolicy"),
	FL_IGNORED("enableServiceLinks"),
	FL_IGNORED("ephemeralContainers"),
	FL_IGNORED("hostAliases"),
	FL_IGNORED("hostIPC"),
	FL_IGNORED("hostNetwork"),
	FL_IGNORED("hostPID"),
	FL_IGNORED("hostUsers"),
	FL_IGNORED("hostname"),
	FL_IGNORED("hostnameOverride"),
	FL_IGNORED("imagePullSecrets"),
	FL_IGNORED("nodeName"),
	FL_IGNORED("os"),
	FL_IGNORED("preemptionPolicy"),
	FL_IGNORED("priority"),
	FL_IGNORED("priorityClassName"),
	FL_IGNORED("readinessGates"),
	FL_NOTED("resourceClaims", "devices that are claimed do not count"),
	FL_IGNORED("restartPolicy"),
	FL_IGNORED("runtimeClassName"),
	FL_IGNORED("schedulerName"),
	FL_IGNORED("schedulingGates"),
	FL_IGNORED("securityContext"),
	FL_IGNORED("serviceAccount"),
	FL_IGNORED("serviceAccountName"),
	FL_IGNORED("setHostnameAsFQDN"),
	FL_IGNORED("shareProcessNamespace"),
	FL_IGNORED("subdomain"),
	FL_IGNORED("terminationGracePeriodSeconds"),
	FL_IGNORED("topologySpreadConstraints"),
	FL_IGNORED("volumes"),
	FL_IGNORED("workloadRef"),
	{ .name = NULL },
};

/* --- podSets --- */

struct reading { /* of one Workload */
	struct fl_workload_row row;
	bool quota_reserved, has_admission;
};

static int read_podset_name(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_text(k, v, &((struct fl_podset *)row)->name);
}

static int read_count_into(struct fl_kube *k, uint32_t v, int32_t *ret)
{
	int r = fl_kube_int32(k, v, ret);

	if (r == 0 && *ret < 0)
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "a count of %d", *ret);
	return r;
}

static int read_podset_count(struct fl_kube *k, uint32_t v, void *row)
{
	return read_count_into(k, v, &((struct fl_podset *)row)->count);
}

static int read_min_count(struct fl_kube *k, uint32_t v, void *row)
{
	return read_count_into(k, v, &((struct fl_podset *)row)->min_count);
}

static int read_pod_spec(struct fl_kube *k, uint32_t v, void *row)
{
	((struct fl_podset *)row)->spec_hash = fl_doc_hash(&k->doc, v);
	return fl_kube_map(k, v, pod_spec, row);
}

static const struct fl_field pod_template[] = {
	{ .name = "spec", .read = read_pod_spec, .fields = pod_spec },
	FL_IGNORED("metadata"),
	{ .name = NULL },
};

static const struct fl_field podset[] = {
	{ .name = "name", .read = read_podset_name },
	{ .name = "count", .read = read_podset_count },
	{ .name = "minCount", .read = read_min_count },
	{ .name = "template", .fields = pod_template },
	FL_NOTED("topologyRequest", "topology aware scheduling is not decided here"),
	{ .name = NULL },
};

/* The pod's rows as requests, in name order. */
static int push_requests(struct fl_kube *k, struct fl_span *ret)
{
	struct fl_model *m = k->m;
	uint32_t first = m->n_requests;

	for (uint32_t i = 0; i < k->pod.n; i++) {
		struct fl_request request = {
			.resource_name = { k->pod.rows[i].resource },
			.amount = fl_pod_total(&k->pod.rows[i]),
		};
		int r = fl_model_push_requests(m, &request, /* ret_id= */ NULL, k->err);
		uint32_t at = m->n_requests - 1;

		if (r < 0)
			return r;
		for (; at > first && fl_names_cmp(&m->names, m->requests[at - 1].resource_name,
						  request.resource_name) > 0;
		     at--)
			m->requests[at] = m->requests[at - 1];
		m->requests[at] = request;
	}
	*ret = (struct fl_span){ first, m->n_requests - first };
	return 0;
}

static int read_podsets(struct fl_kube *k, uint32_t v, void *row)
{
	struct reading *w = row;
	uint32_t end = 0;
	int r = fl_kube_list(k, v, &end);

	w->row.podsets.first = k->m->n_podsets;
	for (uint32_t item = v + 1; r == 0 && item < end; item = fl_kube_next(k, item)) {
		struct fl_podset p = fl_podset_default;

		fl_pod_clear(&k->pod);
		r = fl_model_sym(k->m, "main", 4, &p.name, k->err);
		if (r == 0)
			r = fl_kube_map(k, item, podset, &p);
		if (r == 0 && p.min_count > p.count)
			r = fl_kube_fail(k, item, FAIRLEAD_EINPUT,
					 "minCount %d is more than count %d", p.min_count, p.count);
		if (r == 0)
			r = push_requests(k, &p.requests);
		if (r == 0)
			r = fl_model_push_podsets(k->m, &p, /* ret_id= */ NULL, k->err);
		w->row.misconfigured |= k->pod.misconfigured;
	}
	w->row.podsets.n = k->m->n_podsets - w->row.podsets.first;
	return r;
}

/* --- spec --- */

static int read_queue_name(struct fl_kube *k, uint32_t v, void *row)
{
	struct reading *w = row;
	int r = fl_kube_text(k, v, &w->row.queue_name);

	if (r == 0 && k->doc.values[v].len == 0)
		w->row.queue_name.v = FL_NONE;
	return r;
}

static int read_priority(struct fl_kube *k, uint32_t v, void *row)
{
	struct reading *w = row;

	w->row.has_priority = true;
	return fl_kube_int32(k, v, &w->row.priority);
}

static int read_class_name(struct fl_kube *k, uint32_t v, void *row)
{
	struct reading *w = row;
	int r = fl_kube_text(k, v, &w->row.priority_class);

	if (r == 0 && k->doc.values[v].len == 0)
		w->row.priority_class.v = FL_NONE;
	return r;
}

static int read_class_source(struct fl_kube *k, uint32_t v, void *row)
{
	static const char *const names[] = { "kueue.x-k8s.io/workloadpriorityclass",
					     "scheduling.k8s.io/priorityclass", "", NULL };
	uint32_t i = 0;
	int r = fl_kube_enum(k, v, names, &i);

	((struct reading *)row)->row.class_of_workloads = i == 0;
	return r;
}

static int read_class_kind(struct fl_kube *k, uint32_t v, void *row)
{
	static const char *const names[] = { "WorkloadPriorityClass", "PriorityClass", NULL };
	uint32_t i = 0;
	int r = fl_kube_enum(k, v, names, &i);

	((struct reading *)row)->row.class_of_workloads = i == 0;
	return r;
}

static int read_active(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_bool(k, v, &((struct reading *)row)->row.active);
}

static const struct fl_field class_ref[] = {
	FL_IGNORED("group"), /* the kind says it */
	{ .name = "kind", .read = read_class_kind },
	{ .name = "name", .read = read_class_name },
	{ .name = NULL },
};

static const struct fl_field workload_spec[] = {
	{ .name = "podSets", .read = read_podsets, .fields = podset, .list = true },
	{ .name = "queueName", .read = read_queue_name },
	{ .name = "priority", .read = read_priority },
	{ .name = "priorityClassName", .read = read_class_name },
	{ .name = "priorityClassSource", .read = read_class_source },
	{ .name = "priorityClassRef", .fields = class_ref },
	{ .name = "active", .read = read_active },
	FL_IGNORED("maximumExecutionTimeSeconds"),
	FL_NOTED("preemptionGates", "a workload may always preempt"),
	{ .name = NULL },
};

/* --- status --- */

struct condition {
	const char *type, *status;
	struct fl_sym reason;
	fl_time time;
};

static int read_reason(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_text(k, v, &((struct condition *)row)->reason);
}

static int read_transition(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_time(k, v, &((struct condition *)row)->time);
}

static int read_condition_type(struct fl_kube *k, uint32_t v, void *row)
{
	struct fl_sym sym;

	((struct condition *)row)->type = fl_doc_text(&k->doc, v);
	return fl_kube_text(k, v, &sym);
}

static int read_condition_status(struct fl_kube *k, uint32_t v, void *row)
{
	struct fl_sym sym;

	((struct condition *)row)->status = fl_doc_text(&k->doc, v);
	return fl_kube_text(k, v, &sym);
}

static const struct fl_field condition[] = {
	{ .name = "type", .read = read_condition_type },
	{ .name = "status", .read = read_condition_status },
	{ .name = "reason", .read = read_reason },
	{ .name = "lastTransitionTime", .read = read_transition },
	FL_IGNORED("message"),
	FL_IGNORED("observedGeneration"),
	{ .name = NULL },
};

static void apply_condition(struct reading *w, const struct condition *c)
{
	if (!c->type || !c->status || strcmp(c->status, "True") != 0)
		return;
	if (strcmp(c->type, "QuotaReserved") == 0) {
		w->quota_reserved = true;
		w->row.reserved_at = c->time;
	} else if (strcmp(c->type, "Admitted") == 0) {
		w->row.admitted = true;
	} else if (strcmp(c->type, "Finished") == 0) {
		w->row.finished = true;
	} else if (strcmp(c->type, "Evicted") == 0) {
		w->row.evicted = true;
		w->row.evicted_reason = c->reason;
		w->row.evicted_at = c->time;
	}
}

static int read_conditions(struct fl_kube *k, uint32_t v, void *row)
{
	uint32_t end = 0;
	int r = fl_kube_list(k, v, &end);

	for (uint32_t item = v + 1; r == 0 && item < end; item = fl_kube_next(k, item)) {
		struct condition c = { .time = FL_TIME_NONE };

		r = fl_kube_map(k, item, condition, &c);
		if (r == 0)
			apply_condition(row, &c);
	}
	return r;
}

/* What the handlers of one podset's assignment share. */
struct assigning {
	struct fl_podset_assignment row;
	uint32_t usage; /* resourceUsage; FL_NONE */
};

static int read_assigned_podset(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_text(k, v, &((struct assigning *)row)->row.podset);
}

static int read_assigned_count(struct fl_kube *k, uint32_t v, void *row)
{
	return read_count_into(k, v, &((struct assigning *)row)->row.count);
}

/* A flavor of a resource, with what is used of it: 0 when resourceUsage does not say. */
static int push_assignment(struct fl_kube *k, uint32_t key, uint32_t usage, uint32_t first)
{
	struct fl_model *m = k->m;
	struct fl_assignment a = { 0 };
	const char *resource = fl_doc_text(&k->doc, key);
	uint32_t amount = fl_doc_find(&k->doc, usage, resource), at;
	int r = fl_kube_text(k, key + 1, &a.flavor_name);

	if (r == 0)
		r = fl_model_sym(m, resource, k->doc.values[key].len, &a.resource_name, k->err);
	if (r == 0 && amount != FL_NONE && !fl_kube_is_null(k, amount))
		r = fl_kube_quantity(k, amount, fl_doc_text(&k->doc, key), &a.amount);
	if (r == 0)
		r = fl_model_push_assignments(m, &a, /* ret_id= */ NULL, k->err);
	if (r < 0)
		return r;
	/* In name order, whatever the order of the input. */
	for (at = m->n_assignments - 1;
	     at > first &&
	     fl_names_cmp(&m->names, m->assignments[at - 1].resource_name, a.resource_name) > 0;
	     at--)
		m->assignments[at] = m->assignments[at - 1];
	m->assignments[at] = a;
	return 0;
}

static int read_flavors(struct fl_kube *k, uint32_t v, void *row)
{
	struct assigning *a = row;
	uint32_t end = 0, n = 0;
	int r = fl_kube_pairs(k, v, &end);

	a->row.assignments.first = k->m->n_assignments;
	for (uint32_t key = v + 1; r == 0 && key < end; key = fl_kube_next(k, key)) {
		if (++n > MAX_AMOUNTS)
			return fl_kube_fail(k, v, FAIRLEAD_ELIMIT, "more than %d resources",
					    MAX_AMOUNTS);
		r = push_assignment(k, key, a->usage, a->row.assignments.first);
	}
	a->row.assignments.n = k->m->n_assignments - a->row.assignments.first;
	return r;
}

static int read_usage(struct fl_kube *k, uint32_t v, void *row)
{
	uint32_t end = 0;

	(void)row; /* read beside the flavors: a row needs both */
	return fl_kube_pairs(k, v, &end);
}

static const struct fl_field assignment[] = {
	{ .name = "name", .read = read_assigned_podset },
	{ .name = "flavors", .read = read_flavors },
	{ .name = "resourceUsage", .read = read_usage },
	{ .name = "count", .read = read_assigned_count },
	FL_NOTED("topologyAssignment", "topology aware scheduling is not decided here"),
	FL_IGNORED("delayedTopologyRequest"),
	{ .name = NULL },
};

static int read_assignments(struct fl_kube *k, uint32_t v, void *row)
{
	struct reading *w = row;
	uint32_t end = 0;
	int r = fl_kube_list(k, v, &end);

	w->row.admission.first = k->m->n_podset_assignments;
	for (uint32_t item = v + 1; r == 0 && item < end; item = fl_kube_next(k, item)) {
		struct assigning a = { .row = { .count = -1 },
				       .usage = fl_doc_find(&k->doc, item, "resourceUsage") };

		r = fl_model_sym(k->m, "main", 4, &a.row.podset, k->err);
		if (r == 0)
			r = fl_kube_map(k, item, assignment, &a);
		if (r == 0)
			r = fl_model_push_podset_assignments(k->m, &a.row, /* ret_id= */ NULL,
							     k->err);
	}
	w->row.admission.n = k->m->n_podset_assignments - w->row.admission.first;
	return r;
}

static int read_admitted_queue(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_text(k, v, &((struct reading *)row)->row.admitted_queue_name);
}

static const struct fl_field admission[] = {
	{ .name = "clusterQueue", .read = read_admitted_queue },
	{ .name = "podSetAssignments",
	  .read = read_assignments,
	  .fields = assignment,
	  .list = true },
	{ .name = NULL },
};

static int read_admission(struct fl_kube *k, uint32_t v, void *row)
{
	((struct reading *)row)->has_admission = true;
	return fl_kube_map(k, v, admission, row);
}

static const struct fl_field workload_status[] = {
	{ .name = "admission", .read = read_admission, .fields = admission },
	{ .name = "conditions", .read = read_conditions, .fields = condition, .list = true },
	FL_IGNORED("accumulatedPastExecutionTimeSeconds"),
	FL_IGNORED("accumulatedPastExexcutionTimeSeconds"),
	FL_NOTED("admissionChecks", "workloads are admitted without waiting for checks"),
	FL_IGNORED("clusterName"),
	FL_IGNORED("nominatedClusterNames"),
	FL_NOTED("preemptionGates", "a workload may always preempt"),
	FL_NOTED("reclaimablePods", "the pods that are done still count"),
	FL_NOTED("requeueState", "a workload waits without back-off"),
	FL_IGNORED("resourceRequests"),
	FL_IGNORED("schedulingStats"),
	FL_IGNORED("unhealthyNodes"),
	{ .name = NULL },
};

/* --- metadata and the whole --- */

static int read_uid(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_text(k, v, &((struct reading *)row)->row.uid);
}

static int read_created(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_time(k, v, &((struct reading *)row)->row.created);
}

/* The Job that owns it; the controller when several do. */
static int read_owners(struct fl_kube *k, uint32_t v, void *row)
{
	struct reading *w = row;
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
	{ .name = "kind" },
	{ .name = "name" },
	{ .name = "controller" },
	{ .name = NULL },
};

static const struct fl_field workload_metadata[] = {
	{ .name = "uid", .read = read_uid },
	{ .name = "creationTimestamp", .read = read_created },
	{ .name = "ownerReferences", .read = read_owners, .fields = owner, .list = true },
	FL_IGNORED("name"), /* read before the fields */
	FL_IGNORED("namespace"),
	FL_IGNORED("labels"),
	FL_METADATA_IGNORED,
	{ .name = NULL },
};

static const struct fl_field workload_fields[] = {
	FL_IGNORED("apiVersion"),
	FL_IGNORED("kind"),
	{ .name = "metadata", .fields = workload_metadata },
	{ .name = "spec", .fields = workload_spec },
	{ .name = "status", .fields = workload_status },
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

static int read_workload(struct fl_kube *k)
{
	struct reading w = { .row = fl_workload_default };
	int r;

	w.row.namespace = k->namespace;
	w.row.name = k->name;
	w.row.place = fl_kube_place(k, 0);
	r = fl_kube_map(k, 0, workload_fields, &w);
	if (r < 0)
		return r;
	w.row.reserved = w.quota_reserved && w.has_admission;
	fill_counts(k->m, &w.row);
	return fl_model_add_workload(k->m, &w.row, k->err);
}

const struct fl_kind fl_kind_workload = { "kueue.x-k8s.io", "Workload", true, workload_fields,
					  read_workload };
