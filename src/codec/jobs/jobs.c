/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/jobs/jobs.h"

#include <string.h>

#include "base/limits.h"
#include "base/sort.h"
#include "codec/jobs/admit.h"
#include "codec/jobs/group.h"
#include "codec/jobs/make.h"
#include "codec/jobs/manage.h"
#include "codec/jobs/object/index.h"
#include "codec/jobs/reconcile.h"
#include "codec/jobs/validate.h"
#include "codec/jobs/workload.h"

static const struct {
	const char *name, *sentence;
} reasons[] = {
	{ "", "a Workload is made of it" },
#define FL_KJOB_REASON(id, name, sentence) { name, sentence },
#include "codec/jobs/object/reason.def"
#undef FL_KJOB_REASON
};

const char *fl_kjob_reason_name(enum fl_kjob_reason reason) { return reasons[reason].name; }
const char *fl_kjob_reason_sentence(enum fl_kjob_reason reason) { return reasons[reason].sentence; }

/* --- what is kept ------------------------------------------------------------------------------ */

int fl_kjobs_new(const struct fl_mem *mem, struct fl_kjobs **ret, fairlead_error *err)
{
	struct fl_kjobs *j = mem->resize(mem->user, NULL, sizeof *j);

	if (!j)
		return fl_fail_nomem(err);
	*j = (struct fl_kjobs){ .mem = mem };
	*ret = j;
	return 0;
}

struct fl_kjobs *fl_kjobs_free(struct fl_kjobs *j)
{
	if (!j)
		return NULL;
	for (uint32_t i = 0; i < j->n; i++)
		fl_doc_done(&j->rows[i].doc);
	fl_mem_free(j->mem, j->rows);
	return fl_mem_free(j->mem, j);
}

bool fl_kjobs_any(const struct fl_kjobs *j)
{
	for (uint32_t i = 0; i < j->n; i++)
		if (!j->rows[i].context)
			return true;
	return false;
}

uint32_t fl_kjobs_input(const struct fl_doc *object)
{
	/* A row begins with its document. */
	return ((const struct fl_kjobs_row *)(const void *)object)->input;
}

int fl_kjobs_add(struct fl_kjobs *j, const struct fl_doc *doc, const struct fl_kjobs_origin *origin,
		 fairlead_error *err)
{
	struct fl_kjob_value root = fl_kjob_root(doc);
	uint32_t kind = fl_kjobs_kind(fl_kjob_text(fl_kjob_get(root, "apiVersion")),
				      fl_kjob_text(fl_kjob_get(root, "kind")));
	struct fl_kjobs_row *row;
	const char *namespace;
	int r;

	if (origin->without_group)
		kind = FL_KJOBS_KAI_POD;
	if (kind == FL_KJOBS_KINDS)
		return 0;
	if (j->n == FL_MAX_WORKLOADS)
		return fl_fail(err, FAIRLEAD_ELIMIT, "more than %d objects", FL_MAX_WORKLOADS);
	r = fl_mem_grow(j->mem, &j->rows, &j->cap, j->n + 1, sizeof *j->rows, err);
	if (r < 0)
		return r;
	row = &j->rows[j->n];
	*row = (struct fl_kjobs_row){ .kind = kind,
				      .context = origin->context,
				      .added = origin->added,
				      .input = origin->input };
	r = fl_doc_copy(doc, &row->doc, err);
	if (r < 0)
		return r;
	j->n++;
	root = fl_kjob_get(fl_kjob_root(&row->doc), "metadata");
	row->name = fl_kjob_text(fl_kjob_get(root, "name"));
	row->uid = fl_kjob_text(fl_kjob_get(root, "uid"));
	row->created = *row->uid || fl_kjob_has(fl_kjob_get(root, "creationTimestamp"));
	namespace = fl_kjob_text(fl_kjob_get(root, "namespace"));
	row->namespace = *namespace ? namespace : "default";
	if (!fl_kjobs_namespaced(kind))
		row->namespace = "";
	return 0;
}

/* --- one answer after another: a job, or the pods of a group, through all steps --- */

static struct fl_kjob begin_job(const struct fl_kjobs_run *run, const struct fl_kjobs_row *row)
{
	struct fl_kjob job = {
		.run = run,
		.row = row,
		.id = (enum fl_framework_id)row->kind,
		.framework = &fl_frameworks[row->kind],
		.object = fl_kjob_root(&row->doc),
	};
	struct fl_kjob_value metadata = fl_kjob_get(job.object, "metadata");
	struct fl_kjob_value finalizers = fl_kjob_get(metadata, "finalizers");

	job.labels = fl_kjob_get(metadata, "labels");
	job.annotations = fl_kjob_get(metadata, "annotations");
	job.spec = fl_kjob_get(job.object, "spec");
	job.queue = fl_kjob_text(fl_kjob_get(job.labels, FL_KJOB_QUEUE_LABEL));
	job.class = fl_kjob_text(fl_kjob_get(job.labels, FL_KJOB_CLASS_LABEL));
	job.managed = fl_kjob_is(fl_kjob_get(job.labels, FL_KJOB_MANAGED_LABEL), "true");
	job.suspended = fl_framework_suspended(job.framework, &row->doc);
	for (struct fl_kjob_value i = fl_kjob_first(finalizers); fl_kjob_has(i);
	     i = fl_kjob_next(finalizers, i))
		job.finalizer |= fl_kjob_is(i, "kueue.x-k8s.io/managed");
	return job;
}

/* Gates that the pod has, and those that the webhook adds. */
static int gates(const struct fl_kjob *job, struct fl_kjob_object *ret, fairlead_error *err)
{
	static const char *const added[] = { FL_KJOB_ADMISSION_GATE, FL_KJOB_TOPOLOGY_GATE };
	struct fl_kjob_value list = fl_kjob_get(job->spec, "schedulingGates");
	uint32_t n = 0;

	if (!FL_NEW(job->run->arena, ret->gates, (size_t)fl_kjob_count(list) + 2, err))
		return FAIRLEAD_ENOMEM;
	for (struct fl_kjob_value i = fl_kjob_first(list); fl_kjob_has(i);
	     i = fl_kjob_next(list, i))
		if (!job->ungated || !fl_kjob_is(fl_kjob_get(i, "name"), FL_KJOB_ADMISSION_GATE))
			ret->gates[n++] = fl_kjob_text(fl_kjob_get(i, "name"));
	for (uint32_t k = 0; job->gated_now && k < 2; k++) {
		bool has = false;

		for (uint32_t i = 0; i < n; i++)
			has |= strcmp(ret->gates[i], added[k]) == 0;
		if (!has)
			ret->gates[n++] = added[k];
	}
	ret->n_gates = n;
	return 0;
}

static int describe(const struct fl_kjob *job, struct fl_kjob_object *ret, fairlead_error *err)
{
	bool suspended = job->suspended;
	int r;

	*ret = (struct fl_kjob_object){
		.object = job->object,
		.framework = job->framework,
		.name = job->row->name,
		.queue = job->queue,
		.class = job->class,
		.managed = job->managed,
	};
	if (job->id == FL_FRAMEWORK_POD) {
		if ((r = gates(job, ret, err)) < 0)
			return r;
		suspended = fl_kjob_finished(job);
		for (uint32_t i = 0; i < ret->n_gates; i++)
			suspended |= strcmp(ret->gates[i], FL_KJOB_ADMISSION_GATE) == 0;
	} else if (!*job->framework->suspend) {
		return fl_kjob_mark_template(job, ret, err);
	}
	if (!job->deleted)
		ret->suspended = suspended ? FL_KJOB_SUSPENDED : FL_KJOB_RUNS;
	return 0;
}

/* Webhooks of each object, then the controller of all of them together. */
static int answer_of(struct fl_kjob *jobs, uint32_t n, struct fl_kjob_answer *a,
		     struct fl_kjob_list *list, fairlead_error *err)
{
	const struct fl_kjobs_run *run = jobs->run;

	if (!fl_kjob_enabled(run, jobs->row->kind)) {
		a->reason = FL_KJOB_INTEGRATION_DISABLED;
		return 0;
	}
	for (uint32_t i = 0; run->config->creating && i < n && a->reason == FL_KJOB_MADE; i++) {
		a->reason = fl_kjob_admit(&jobs[i]);
		if (a->reason == FL_KJOB_MADE)
			a->reason = fl_kjob_validate(&jobs[i]);
		a->detail = jobs[i].detail;
	}
	if (a->reason != FL_KJOB_MADE)
		return 0;
	if (jobs->id == FL_FRAMEWORK_POD && *fl_kjob_group(jobs->object))
		return fl_kjob_make_group(jobs, n, list, &a->reason, &a->detail, err);
	return fl_kjob_make_one(jobs, list, &a->reason, &a->detail, err);
}

static int make(const struct fl_kjobs_run *run, struct fl_kjob *jobs, uint32_t n,
		fl_kjobs_take *take, void *user, fairlead_error *err)
{
	struct fl_kjob_answer a = { .framework = jobs->framework };
	struct fl_kjob_list list = { .n = 0 };
	struct fl_kjob_object *objects;
	fairlead_error problem = { 0 };
	int r = answer_of(jobs, n, &a, &list, &problem);

	if (r == FAIRLEAD_EINPUT || r == FAIRLEAD_ELIMIT) {
		a.reason = FL_KJOB_UNREADABLE;
		a.detail = fl_kjobs_format(run, err, "%s%s%s", problem.subject,
					   *problem.subject ? ": " : "", problem.text);
		list.n = 0;
		r = a.detail ? 0 : FAIRLEAD_ENOMEM;
	} else if (r < 0 && err) {
		*err = problem;
	}
	if (r < 0)
		return r;
	if (!FL_NEW(run->arena, objects, n, err))
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < n && r == 0; i++)
		r = describe(&jobs[i], &objects[i], err);
	if (r < 0)
		return r;
	a.objects = objects;
	a.n_objects = n;
	a.workloads = list.items;
	a.n_workloads = list.n;
	return take(user, &a, err);
}

/* Pods of a group stand together; @ctx is the run. */
static int by_group(const void *ctx, uint32_t a, uint32_t b)
{
	const struct fl_kjobs_run *run = ctx;
	const struct fl_kjobs_row *x = &run->rows[a], *y = &run->rows[b];
	int c = x->kind < y->kind ? -1 : x->kind > y->kind;

	if (c == 0)
		c = strcmp(x->namespace, y->namespace);
	if (c == 0 && x->kind == FL_FRAMEWORK_POD)
		c = strcmp(fl_kjob_group(fl_kjob_root(&x->doc)),
			   fl_kjob_group(fl_kjob_root(&y->doc)));
	if (c == 0)
		c = strcmp(x->name, y->name);
	return c ? c : a < b ? -1 : a > b;
}

static bool same_group(const struct fl_kjobs_row *a, const struct fl_kjobs_row *b)
{
	const char *group = fl_kjob_group(fl_kjob_root(&a->doc));

	return a->kind == FL_FRAMEWORK_POD && b->kind == FL_FRAMEWORK_POD && *group &&
	       strcmp(a->namespace, b->namespace) == 0 &&
	       strcmp(group, fl_kjob_group(fl_kjob_root(&b->doc))) == 0;
}

static bool is_asked(const struct fl_kjobs_run *run, const struct fl_kjobs_row *row)
{
	if (row->context)
		return false;
	switch (run->config->only) {
	case FL_KJOBS_ALL:
		return true;
	case FL_KJOBS_ADDED:
		return row->added;
	default:
		return row->created == (run->config->only == FL_KJOBS_CREATED);
	}
}

/* The jobs among all objects, in the order of answers. */
static int subjects(const struct fl_kjobs_run *run, uint32_t **ret, uint32_t *ret_n,
		    fairlead_error *err)
{
	uint32_t all = run->first[FL_FRAMEWORKS], n = 0, *ids;

	if (!FL_NEW(run->arena, ids, 2 * (size_t)all, err))
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < all; i++)
		if (is_asked(run, &run->rows[run->sorted[i]]))
			ids[n++] = run->sorted[i];
	fl_sort(ids, n, ids + n, by_group, run);
	*ret = ids;
	*ret_n = n;
	return 0;
}

static int each(struct fl_kjobs_run *run, const uint32_t *ids, uint32_t n, fl_kjobs_take *take,
		void *user, fairlead_error *err)
{
	uint32_t end;
	int r = 0;

	for (uint32_t i = 0; i < n && r == 0; i = end) {
		struct fl_kjob *jobs;

		fl_arena_reset(run->arena);
		end = i + 1;
		while (end < n && same_group(&run->rows[ids[i]], &run->rows[ids[end]]))
			end++;
		if (!FL_NEW(run->arena, jobs, (size_t)(end - i), err))
			return FAIRLEAD_ENOMEM;
		for (uint32_t k = i; k < end; k++)
			jobs[k - i] = begin_job(run, &run->rows[ids[k]]);
		r = make(run, jobs, end - i, take, user, err);
	}
	return r;
}

int fl_kjobs_make(struct fl_kjobs *j, const struct fl_kjobs_config *config, fl_kjobs_take *take,
		  void *user, fairlead_error *err)
{
	struct fl_kjobs_run run = { .rows = j->rows, .config = config };
	struct fl_arena index, work;
	uint32_t *ids, n;
	int r;

	fl_arena_init(&index, j->mem);
	fl_arena_init(&work, j->mem);
	run.arena = &index;
	if ((r = fl_kjobs_sort(&run, j->n, err)) == 0 && (r = subjects(&run, &ids, &n, err)) == 0) {
		run.arena = &work;
		r = each(&run, ids, n, take, user, err);
	}
	fl_arena_done(&work);
	fl_arena_done(&index);
	return r;
}
