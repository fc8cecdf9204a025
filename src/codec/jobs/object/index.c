/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/jobs/object/index.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/sort.h"

static const struct {
	enum fl_kjobs_context kind;
	const char *group, *name; /* in any version */
	bool cluster;             /* it is in no namespace */
} contexts[] = {
	{ FL_KJOBS_NAMESPACE, "", "Namespace", true },
	{ FL_KJOBS_LOCAL_QUEUE, "kueue.x-k8s.io", "LocalQueue", false },
	{ FL_KJOBS_WORKLOAD_CLASS, "kueue.x-k8s.io", "WorkloadPriorityClass", true },
	{ FL_KJOBS_PRIORITY_CLASS, "scheduling.k8s.io", "PriorityClass", true },
	{ FL_KJOBS_RUNTIME_CLASS, "node.k8s.io", "RuntimeClass", true },
	{ FL_KJOBS_LIMIT_RANGE, "", "LimitRange", false },
	{ FL_KJOBS_CLUSTER_RUNTIME, "trainer.kubeflow.org", "ClusterTrainingRuntime", true },
	{ FL_KJOBS_RUNTIME, "trainer.kubeflow.org", "TrainingRuntime", false },
	{ FL_KJOBS_REPLICA_SET, "apps", "ReplicaSet", false },
	{ FL_KJOBS_WORKLOAD, "kueue.x-k8s.io", "Workload", false },
	{ FL_KJOBS_CRON_JOB, "batch", "CronJob", false },
	{ FL_KJOBS_NOTEBOOK, "kubeflow.org", "Notebook", false },
	{ FL_KJOBS_MPI_JOB, "kubeflow.org", "MPIJob", false },
};

enum { CONTEXTS = sizeof contexts / sizeof *contexts };

static uint32_t context_of(const char *api_version, const char *kind)
{
	const char *slash = strchr(api_version, '/');
	size_t len = slash ? (size_t)(slash - api_version) : 0;

	for (uint32_t i = 0; i < CONTEXTS; i++)
		if (strcmp(kind, contexts[i].name) == 0 && strlen(contexts[i].group) == len &&
		    memcmp(api_version, contexts[i].group, len) == 0)
			return i;
	return CONTEXTS;
}

uint32_t fl_kjobs_kind(const char *api_version, const char *kind)
{
	const struct fl_framework *f = fl_framework_find(api_version, kind);
	uint32_t i = f ? CONTEXTS : context_of(api_version, kind);

	if (f)
		return (uint32_t)(f - fl_frameworks);
	return i < CONTEXTS ? contexts[i].kind : FL_KJOBS_KINDS;
}

bool fl_kjobs_namespaced(uint32_t kind)
{
	for (uint32_t i = 0; i < CONTEXTS; i++)
		if (contexts[i].kind == kind)
			return !contexts[i].cluster;
	return true;
}

/* --- what is found --------------------------------------------------------------------------------- */

static int compare(const struct fl_kjobs_row *row, uint32_t kind, const char *namespace,
		   const char *name)
{
	int c = row->kind < kind ? -1 : row->kind > kind;

	if (c == 0)
		c = strcmp(row->namespace, namespace);
	return c == 0 && name ? strcmp(row->name, name) : c;
}

static int by_place(const void *ctx, uint32_t a, uint32_t b)
{
	const struct fl_kjobs_row *rows = ctx;
	int c = compare(&rows[a], rows[b].kind, rows[b].namespace, rows[b].name);

	return c ? c : a < b ? -1 : a > b;
}

/* --- Workloads by their owners --- */

static int by_owner(const void *a, const void *b)
{
	const struct fl_kjobs_owned *x = a, *y = b;
	int c = strcmp(x->workload->namespace, y->workload->namespace);

	if (c == 0)
		c = strcmp(x->name, y->name);
	return c ? c : strcmp(x->workload->name, y->workload->name);
}

static struct fl_kjob_value owners_of(const struct fl_kjobs_row *row)
{
	return fl_kjob_at(fl_kjob_root(&row->doc), "metadata.ownerReferences");
}

static int sort_owned(struct fl_kjobs_run *run, fairlead_error *err)
{
	uint32_t from = run->first[FL_KJOBS_WORKLOAD], to = run->first[FL_KJOBS_WORKLOAD + 1];
	size_t n = 0;

	for (uint32_t i = from; i < to; i++)
		n += fl_kjob_count(owners_of(&run->rows[run->sorted[i]]));
	if (n > FL_MAX_WORKLOADS)
		return fl_fail(err, FAIRLEAD_ELIMIT, "more than %d owners of Workloads",
			       FL_MAX_WORKLOADS);
	if (!FL_NEW(run->arena, run->owned, n, err))
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = from; i < to; i++) {
		const struct fl_kjobs_row *row = &run->rows[run->sorted[i]];
		struct fl_kjob_value list = owners_of(row);

		for (struct fl_kjob_value k = fl_kjob_first(list); fl_kjob_has(k);
		     k = fl_kjob_next(list, k))
			run->owned[run->n_owned++] = (struct fl_kjobs_owned){
				.workload = row,
				.name = fl_kjob_text(fl_kjob_get(k, "name")),
				.reference = k,
			};
	}
	if (run->n_owned)
		qsort(run->owned, run->n_owned, sizeof *run->owned, by_owner);
	return 0;
}

uint32_t fl_kjobs_owned_by(const struct fl_kjobs_run *run, const char *namespace, const char *name,
			   uint32_t *ret_end)
{
	uint32_t low = 0, high = run->n_owned, end;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		int c = strcmp(run->owned[mid].workload->namespace, namespace);

		if (c < 0 || (c == 0 && strcmp(run->owned[mid].name, name) < 0))
			low = mid + 1;
		else
			high = mid;
	}
	for (end = low; end < run->n_owned &&
			strcmp(run->owned[end].workload->namespace, namespace) == 0 &&
			strcmp(run->owned[end].name, name) == 0;)
		end++;
	*ret_end = end;
	return low;
}

/* --- objects by their place --- */

/* The last of several of the same name counts. */
int fl_kjobs_sort(struct fl_kjobs_run *run, uint32_t n, fairlead_error *err)
{
	uint32_t *ids, kept = 0, kind = 0;

	if (!FL_NEW(run->arena, ids, 2 * (size_t)n, err))
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		ids[i] = i;
	fl_sort(ids, n, ids + n, by_place, run->rows);
	for (uint32_t i = 0; i < n; i++) {
		const struct fl_kjobs_row *row = &run->rows[ids[i]];

		if (i + 1 < n &&
		    compare(&run->rows[ids[i + 1]], row->kind, row->namespace, row->name) == 0)
			continue;
		while (kind <= row->kind)
			run->first[kind++] = kept;
		ids[kept++] = ids[i];
	}
	while (kind <= FL_KJOBS_KINDS)
		run->first[kind++] = kept;
	run->sorted = ids;
	return sort_owned(run, err);
}

/* The first place that is not before. */
static uint32_t lower(const struct fl_kjobs_run *run, uint32_t kind, const char *namespace,
		      const char *name, bool after)
{
	uint32_t low = run->first[kind], high = run->first[kind + 1];

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		int c = compare(&run->rows[run->sorted[mid]], kind, namespace, name);

		if (c < 0 || (after && c == 0))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

const struct fl_kjobs_row *fl_kjobs_find(const struct fl_kjobs_run *run, uint32_t kind,
					 const char *namespace, const char *name)
{
	uint32_t at = lower(run, kind, namespace, name, /* after= */ false);

	if (at == run->first[kind + 1] ||
	    compare(&run->rows[run->sorted[at]], kind, namespace, name) != 0)
		return NULL;
	return &run->rows[run->sorted[at]];
}

uint32_t fl_kjobs_within(const struct fl_kjobs_run *run, uint32_t kind, const char *namespace,
			 uint32_t *ret_end)
{
	*ret_end = lower(run, kind, namespace, /* name= */ NULL, /* after= */ true);
	return lower(run, kind, namespace, /* name= */ NULL, /* after= */ false);
}

bool fl_kjobs_gate(const struct fl_kjobs_run *run, enum fl_kjobs_gates gate)
{
	return (run->config->gates & (uint32_t)gate) != 0;
}

char *fl_kjobs_format(const struct fl_kjobs_run *run, fairlead_error *err, const char *format, ...)
{
	char *text = NULL;
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (len < 0 || !FL_NEW(run->arena, text, (size_t)len + 1, err))
		return NULL;
	va_start(args, format);
	(void)vsnprintf(text, (size_t)len + 1, format, args);
	va_end(args);
	return text;
}
