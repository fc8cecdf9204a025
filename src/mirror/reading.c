/* SPDX-License-Identifier: Apache-2.0 */
#include "mirror/reading.h"

#include <stdlib.h>

#include "base/limits.h"
#include "codec/object/fields.h"

/*
 * Different resources of one pod: half of what a model takes (model/pod.c), so that the defaults of a LimitRange
 * and the overhead of a RuntimeClass, which sealing adds, have room.
 */
enum { MOST_RESOURCES = FL_MAX_RESOURCES * FL_MAX_RESOURCE_GROUPS / 2 };

static uint32_t count_amounts(const struct fl_model *m, const struct fl_podset *p)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->parts.n; i++)
		n += m->parts[p->parts.first + i].amounts.n;
	return n;
}

static uint32_t count_resources(const struct fl_model *m, const struct fl_podset *p, bool *seen)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->parts.n; i++) {
		const struct fl_span amounts = m->parts[p->parts.first + i].amounts;

		for (uint32_t k = 0; k < amounts.n; k++) {
			bool *it = &seen[m->amounts[amounts.first + k].resource_name.v];

			n += !*it;
			*it = true;
		}
	}
	return n;
}

/* One that no model takes must not keep all others out of it. */
static int check_pods(const struct fl_model *m, fairlead_error *err)
{
	int r = 0;

	for (uint32_t i = 0; i < m->n_podsets && r == 0; i++) {
		bool *seen;

		if (count_amounts(m, &m->podsets[i]) <= MOST_RESOURCES)
			continue;
		seen = calloc(m->names.n, sizeof *seen);
		if (!seen)
			return fl_fail_nomem(err);
		if (count_resources(m, &m->podsets[i], seen) > MOST_RESOURCES)
			r = fl_fail(err, FAIRLEAD_ELIMIT, "a pod with more than %d resources",
				    MOST_RESOURCES);
		free(seen);
	}
	return r;
}

int fl_read_rows(struct fl_doc *doc, enum fl_mirror_kind kind, bool lenient, struct fl_model **ret,
		 fairlead_error *err)
{
	struct fl_sym input = { 0 };
	int r = fl_model_new(&fl_mem_heap, ret, err);

	if (r < 0)
		return r;
	(*ret)->wanted = fl_mirror_kind(kind)->whose;
	(*ret)->lenient = lenient;
	r = fl_model_push_inputs(*ret, &input, /* ret_id= */ NULL, err);
	return r < 0 ? r : fl_kube_read_doc(*ret, 0, doc, err);
}

static bool is_wrong(int r) { return r == FAIRLEAD_EINPUT || r == FAIRLEAD_ELIMIT; }

int fl_read_workload(struct fl_doc *doc, bool *uncertain, struct fl_model **ret,
		     fairlead_error *err)
{
	fairlead_error own = { 0 };
	int r = fl_read_rows(doc, FL_MIRROR_WORKLOAD, /* lenient= */ false, ret, err);

	if (is_wrong(r)) {
		*ret = fl_model_free(*ret);
		r = fl_read_rows(doc, FL_MIRROR_WORKLOAD, /* lenient= */ true, ret, &own);
		if (r == FAIRLEAD_ENOMEM)
			return r;
		*uncertain |= r == 0 && (*ret)->n_uncertain;
		r = r == 0 && (*ret)->n_workloads ? 1 : err->code;
	} else if (r == 0 && (*ret)->n_workloads != 1) {
		r = fl_fail(err, FAIRLEAD_EINPUT, "it is not read as a Workload");
	}
	if (r >= 0 && is_wrong(check_pods(*ret, &own))) {
		*err = own;
		if (!(*ret)->workloads[0].reserved || (*ret)->workloads[0].finished)
			return own.code;
		(*ret)->workloads[0].podsets.n = 0;
		r = 1;
	}
	return own.code == FAIRLEAD_ENOMEM ? own.code : r;
}
