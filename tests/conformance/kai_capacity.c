/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kai_capacity - recorded answers to "may this job hold so much more?", with their messages
 */
#include <stdlib.h>

#include "decide/entitle/rules/capacity.h"
#include "kai.h"
#include "kai_read.h"

/* How the recorded messages name a resource, and in which unit. */
static const struct {
	const char *limit, *unit, *request;
	double size;
} words[FL_BUNDLE] = {
	[FL_CPU] = { "CPU cores", "cores", "CPU cores", 1e3 },
	[FL_MEMORY] = { "memory", "GB", "GB memory", 1e9 },
	[FL_GPU] = { "GPUs", "GPUs", "GPUs", 1 },
};

static void put_refusal(FILE *out, const char *queue, const struct fl_refusal *f)
{
	double bound = f->bound / words[f->resource].size;
	double held = f->held / words[f->resource].size;
	double request = f->request / words[f->resource].size;

	fprintf(out, "{\"schedulable\":false,\"reason\":\"%s\",\"queue\":\"%s\",\"message\":\"",
		fl_reason_name(f->reason), queue);
	if (f->reason == FL_REASON_OVER_LIMIT)
		fprintf(out,
			"%s quota has reached the allowable limit of %s. Limit is %.15g %s, "
			"currently %.15g %s allocated and workload requested %.15g %s\"}",
			queue, words[f->resource].limit, bound, words[f->resource].unit, held,
			words[f->resource].unit, request, words[f->resource].unit);
	else
		fprintf(out,
			"Non-preemptible workload is over quota. Workload requested %.15g %s, but "
			"%s quota is %.15g %s, while %.15g %s are already allocated for "
			"non-preemptible pods. Use a preemptible workload to go over quota.\"}",
			request, words[f->resource].request, queue, bound, words[f->resource].unit,
			held, words[f->resource].unit);
}

static void put_answer(FILE *out, const char *key, const struct kai_queues *queues, bool fits,
		       const struct fl_refusal *refusal)
{
	fprintf(out, "\"%s\":", key);
	if (fits)
		fputs("{\"schedulable\":true}", out);
	else
		put_refusal(out, queues->rows[refusal->queue.v].name, refusal);
}

static int read_tasks(const struct fl_doc *d, uint32_t list, struct fl_bundle *ret,
		      fairlead_error *err)
{
	for (uint32_t v = list + 1; v < d->values[list].next; v = d->values[v].next) {
		struct fl_bundle amount = { { 0 } };
		int rc = kai_amounts(d, v, &amount, err);

		if (rc < 0)
			return rc;
		fl_bundle_add(ret, &amount);
	}
	return 0;
}

int kai_capacity_case(const struct fl_doc *d, FILE *out, fairlead_error *err)
{
	uint32_t job = fl_doc_find(d, 0, "job"), tasks = fl_doc_find(d, job, "tasks");
	bool preemptible = kai_true(d, job, "preemptible");
	struct fl_bundle request = { { 0 } };
	struct fl_refusal refusal;
	struct kai_queues queues;
	int rc;

	if (tasks == FL_NONE)
		return fl_fail(err, FAIRLEAD_EINPUT, "no tasks");
	if ((rc = read_tasks(d, tasks, &request, err)) < 0 ||
	    (rc = kai_queues_read(d, &queues, err)) < 0)
		return rc;
	struct fl_standing *standings = kai_standings(&queues);
	const struct fl_node leaf = { kai_queue_find(&queues, kai_text(d, job, "queue")) };

	if (leaf.v == FL_NONE) {
		rc = fl_fail(err, FAIRLEAD_EINPUT, "no such queue");
	} else {
		bool fits = fl_capacity_fits(standings, leaf, preemptible, &request,
					     /* witness= */ NULL, &refusal);

		fputc('{', out);
		put_answer(out, "isJobOverQueueCapacity", &queues, fits, &refusal);
		fputc(',', out);
		fits = preemptible || fl_capacity_within_quota(standings, leaf, &request,
							       /* witness= */ NULL, &refusal);
		put_answer(out, "isNonPreemptibleJobOverQuota", &queues, fits, &refusal);
		fputc('}', out);
	}
	free(standings);
	kai_queues_free(&queues);
	return rc;
}
