/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cluster/seen.h"

#include <stdio.h>
#include <string.h>

enum fl_go_why fl_cluster_go_why(const char *reason)
{
	static const struct {
		const char *reason;
		enum fl_go_why why;
	} words[] = {
		{ "Preempted", FL_GO_PREEMPTED },
		{ "ClusterQueueStopped", FL_GO_DRAIN },
		{ "LocalQueueStopped", FL_GO_DRAIN },
		{ "Deactivated", FL_GO_HELD },
		{ "InactiveWorkload", FL_GO_HELD },
		{ "MaximumExecutionTimeExceeded", FL_GO_TIME_LIMIT },
		{ "DeactivatedDueToMaximumExecutionTimeExceeded", FL_GO_TIME_LIMIT },
	};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strcmp(reason, words[i].reason) == 0)
			return words[i].why;
	return FL_GO_REQUEUED;
}

/* Amounts of the same resource and flavor together. */
static uint32_t add_grant(struct fl_run_grant *grants, uint32_t n, const char *resource,
			  const char *flavor, fl_amount amount)
{
	for (uint32_t i = 0; i < n; i++)
		if (strcmp(grants[i].resource, resource) == 0 &&
		    strcmp(grants[i].flavor, flavor) == 0) {
			grants[i].amount = fl_sat_add(grants[i].amount, amount);
			return n;
		}
	if (n == FL_GRANTS)
		return n;
	(void)snprintf(grants[n].resource, sizeof grants[n].resource, "%s", resource);
	(void)snprintf(grants[n].flavor, sizeof grants[n].flavor, "%s", flavor);
	grants[n].amount = amount;
	return n + 1;
}

static int see_held(const struct fl_shared *held, char ret[FL_PLACEMENT], fairlead_error *err)
{
	struct fl_run_grant grants[FL_GRANTS];
	struct fl_model *m = NULL;
	struct fl_span span;
	uint32_t n = 0;
	int r = fl_model_new(&fl_mem_heap, &m, err);

	if (r == 0)
		r = fl_rows_add_held(m, held->bytes, &span, err);
	for (uint32_t i = 0; r == 0 && i < m->n_assignments; i++) {
		const struct fl_assignment *a = &m->assignments[i];

		n = add_grant(grants, n, fl_model_text(m, a->resource_name),
			      fl_model_text(m, a->flavor_name), a->amount);
	}
	fl_model_free(m);
	if (r == 0)
		(void)fl_grants_text(grants, n, ret);
	return r;
}

/* The end of its run is kept as how long it waited and ran (codec/kueue). */
static fl_time finished_at(const struct fl_rows_own *own)
{
	if (!own->row.finished || !own->has_life || own->row.created == FL_TIME_NONE ||
	    own->life.waited == FL_TIME_NONE || own->life.runs == FL_NEVER)
		return FL_TIME_NONE;
	return fl_sat_add(fl_sat_add(own->row.created, own->life.waited), own->life.runs);
}

int fl_cluster_see(const struct fl_mirror_object *o, struct fl_seen_workload *ret,
		   fairlead_error *err)
{
	struct fl_rows_own own;
	struct fl_names names;
	int r;

	ret->queue[0] = ret->placement[0] = '\0';
	ret->finished = FL_TIME_NONE;
	if (!o->n_own)
		return 0;
	r = fl_names_init(&names, &fl_mem_heap, err);
	if (r == 0)
		r = fl_rows_read_own(fl_mirror_own(o), &names, &own, err);
	if (r == 0) {
		ret->finished = finished_at(&own);
		if (own.row.reserved)
			(void)snprintf(ret->queue, sizeof ret->queue, "%s",
				       fl_names_text(&names, own.row.admitted_queue_name));
	}
	fl_names_done(&names);
	return r < 0 || !o->held ? r : see_held(o->held, ret->placement, err);
}
