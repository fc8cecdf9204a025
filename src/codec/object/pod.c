/* SPDX-License-Identifier: Apache-2.0 */
/* The pod template of a podset: containers, and constraints on nodes. */
#include <string.h>

#include "codec/object/workload.h"

/* --- resources of a container --- */

/* The row of a resource of one container, whose rows are the last in the pool. */
static int amount_of(struct fl_kube *k, uint32_t key, struct fl_span *span,
		     struct fl_pod_amount **ret)
{
	struct fl_model *m = k->m;
	struct fl_pod_amount row = { 0 };
	int r = fl_model_sym(m, fl_doc_text(&k->doc, key), k->doc.values[key].len,
			     &row.resource_name, k->err);

	if (r < 0)
		return r;
	for (uint32_t i = span->first; i < span->first + span->n; i++)
		if (m->amounts[i].resource_name.v == row.resource_name.v) {
			*ret = &m->amounts[i];
			return 0;
		}
	if (span->n == FL_MAX_AMOUNTS)
		return fl_kube_fail(k, key + 1, FAIRLEAD_ELIMIT,
				    "a container with more than %d resources", FL_MAX_AMOUNTS);
	r = fl_model_push_amounts(m, &row, /* ret_id= */ NULL, k->err);
	if (r < 0)
		return r;
	*ret = &m->amounts[span->first + span->n++];
	return 0;
}

int fl_kube_amounts(struct fl_kube *k, uint32_t v, bool limits, struct fl_span *amounts)
{
	uint32_t end = 0;
	int r = fl_kube_pairs(k, v, &end);

	for (uint32_t key = v + 1; r == 0 && key < end; key = fl_kube_next(k, key)) {
		struct fl_pod_amount *a = NULL;

		r = amount_of(k, key, amounts, &a);
		if (r == 0)
			r = fl_kube_quantity(k, key + 1, fl_doc_text(&k->doc, key),
					     limits ? &a->limit : &a->request);
		if (r == 0)
			*(limits ? &a->has_limit : &a->has_request) = true;
	}
	return r;
}

/* A container, or another part of the pod, while it is read. */
struct part {
	struct fl_span amounts;
	bool always; /* restartPolicy */
};

static int read_requests(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_amounts(k, v, /* limits= */ false, &((struct part *)row)->amounts);
}

static int read_limits(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_amounts(k, v, /* limits= */ true, &((struct part *)row)->amounts);
}

const struct fl_field fl_fields_pod_resources[] = {
	{ .name = "requests", .read = read_requests, .keys = FL_TEXT_RESOURCE },
	{ .name = "limits", .read = read_limits, .keys = FL_TEXT_RESOURCE },
	FL_NOTED("claims", "claims of devices do not count"),
	{ .name = NULL },
};

/* --- containers --- */

static int read_restart_policy(struct fl_kube *k, uint32_t v, void *row)
{
	struct fl_sym sym;
	int r = fl_kube_text(k, v, &sym);

	if (r == 0)
		((struct part *)row)->always = strcmp(fl_doc_text(&k->doc, v), "Always") == 0;
	return r;
}

const struct fl_field fl_fields_container[] = {
	{ .name = "resources", .fields = fl_fields_pod_resources },
	{ .name = "restartPolicy", .read = read_restart_policy, .text = FL_TEXT_WORD },
	FL_IGNORED("args"),
	FL_IGNORED("command"),
	FL_IGNORED("env"),
	FL_IGNORED("envFrom"),
	FL_IGNORED("image"),
	FL_IGNORED("imagePullPolicy"),
	FL_IGNORED("lifecycle"),
	FL_IGNORED("livenessProbe"),
	FL_RECORDED("name", .text = FL_TEXT_NAME),
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

static struct part begin_part(const struct fl_kube *k)
{
	return (struct part){ .amounts = { k->m->n_amounts, 0 } };
}

static int push_part(struct fl_kube *k, enum fl_pod_kind kind, const struct part *p)
{
	return fl_model_push_parts(k->m, &(struct fl_pod_part){ kind, p->amounts },
				   /* ret_id= */ NULL, k->err);
}

static int read_containers_as(struct fl_kube *k, uint32_t v, bool init)
{
	uint32_t end = 0;
	int r = fl_kube_list(k, v, &end);

	for (uint32_t item = v + 1; r == 0 && item < end; item = fl_kube_next(k, item)) {
		struct part p = begin_part(k);

		r = fl_kube_map(k, item, fl_fields_container, &p);
		if (r == 0)
			r = push_part(k,
				      !init    ? FL_POD_CONTAINER :
				      p.always ? FL_POD_SIDECAR :
						 FL_POD_INIT,
				      &p);
	}
	return r;
}

int fl_kube_containers(struct fl_kube *k, uint32_t v, void *row)
{
	(void)row;
	return read_containers_as(k, v, /* init= */ false);
}

int fl_kube_init_containers(struct fl_kube *k, uint32_t v, void *row)
{
	(void)row;
	return read_containers_as(k, v, /* init= */ true);
}

int fl_kube_pod_resources(struct fl_kube *k, uint32_t v, void *row)
{
	struct part p = begin_part(k);
	int r = fl_kube_map(k, v, fl_fields_pod_resources, &p);

	(void)row;
	return r < 0 ? r : push_part(k, FL_POD_WHOLE, &p);
}

int fl_kube_pod_overhead(struct fl_kube *k, uint32_t v, void *row)
{
	struct part p = begin_part(k);
	int r = read_requests(k, v, &p);

	(void)row;
	return r < 0 ? r : push_part(k, FL_POD_OVERHEAD, &p);
}

/* --- where pods may run --- */

static int read_term_expressions(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_expressions(k, v, &((struct fl_term *)row)->requirements.n);
}

static const struct fl_field term[] = {
	{ .name = "matchExpressions",
	  .read = read_term_expressions,
	  .fields = fl_fields_expression,
	  .list = true },
	FL_PASSED("matchFields", "flavors have no names of nodes"),
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
	FL_PASSED("preferredDuringSchedulingIgnoredDuringExecution",
		  "preferences do not choose a flavor"),
	{ .name = NULL },
};

const struct fl_field fl_fields_affinity[] = {
	{ .name = "nodeAffinity", .fields = node_affinity },
	FL_IGNORED("podAffinity"),
	FL_IGNORED("podAntiAffinity"),
	{ .name = NULL },
};

static const struct fl_field pod_spec[] = {
	FL_POD_SPEC,
	FL_POD_SPEC_IGNORED,
	FL_IGNORED("nodeName"),
	FL_IGNORED("priority"),
	FL_IGNORED("priorityClassName"),
	FL_IGNORED("schedulerName"),
	FL_IGNORED("schedulingGates"),
	{ .name = NULL },
};

static int read_pod_spec(struct fl_kube *k, uint32_t v, void *row)
{
	struct fl_podset *p = row;
	int r;

	p->spec_hash = fl_doc_hash(&k->doc, v);
	p->parts.first = k->m->n_parts;
	r = fl_kube_map(k, v, pod_spec, row);
	p->parts.n = k->m->n_parts - p->parts.first;
	return r;
}

const struct fl_field fl_fields_pod_template[] = {
	{ .name = "spec", .read = read_pod_spec, .fields = pod_spec, .text = FL_TEXT_SHAPE },
	FL_IGNORED("metadata"),
	{ .name = NULL },
};
