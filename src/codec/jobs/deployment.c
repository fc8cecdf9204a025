/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/jobs/deployment.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "codec/jobs/object/job.h"
#include "codec/jobs/object/pod_doc.h"

enum { AT_ONCE = 8192 }; /* pods that are kept as objects at the same time */

void fl_kjob_deployments_init(struct fl_kjob_deployments *d, const struct fl_mem *mem)
{
	*d = (struct fl_kjob_deployments){ .n = 0 };
	fl_arena_init(&d->arena, mem);
}

void fl_kjob_deployments_done(struct fl_kjob_deployments *d)
{
	fl_mem_free(d->arena.mem, d->items);
	fl_arena_done(&d->arena);
}

/* --- what is to be made ------------------------------------------------------------------------- */

static const char *keep_text(struct fl_arena *arena, const char *text, fairlead_error *err)
{
	size_t size = strlen(text) + 1;
	char *kept;

	return FL_NEW(arena, kept, size, err) ? memcpy(kept, text, size) : NULL;
}

/* The texts of an answer are valid during the call only. */
static int keep_pairs(struct fl_arena *arena, const struct fl_kjob_pairs *from,
		      struct fl_kjob_pairs *ret, fairlead_error *err)
{
	*ret = (struct fl_kjob_pairs){ .n = 0 };
	if (!FL_NEW(arena, ret->items, from->n, err))
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < from->n; i++) {
		struct fl_kjob_pair pair = { keep_text(arena, from->items[i].key, err),
					     keep_text(arena, from->items[i].value, err) };

		if (!pair.key || !pair.value)
			return FAIRLEAD_ENOMEM;
		ret->items[ret->n++] = pair;
	}
	return 0;
}

static bool is_managed(const struct fl_kjob_pairs *labels)
{
	for (uint32_t i = 0; i < labels->n; i++)
		if (strcmp(labels->items[i].key, FL_KJOB_MANAGED_LABEL) == 0)
			return strcmp(labels->items[i].value, "true") == 0;
	return false;
}

int fl_kjob_deploy(struct fl_kjob_deployments *d, const struct fl_kjobs *jobs,
		   const struct fl_kjob_live *live, const struct fl_kjob_answer *a,
		   fairlead_error *err)
{
	const struct fl_kjob_object *o = &a->objects[0];
	/* A row begins with its document. */
	const struct fl_kjobs_row *row = (const struct fl_kjobs_row *)(const void *)o->object.doc;
	struct fl_kjob_deployed made = {
		.row = (uint32_t)(row - jobs->rows),
		.replicas = fl_kjob_int_or(fl_kjob_at(o->object, "spec.replicas"), 1),
	};
	int r;

	if (a->framework != &fl_frameworks[FL_FRAMEWORK_DEPLOYMENT] ||
	    a->reason != FL_KJOB_PER_POD || made.replicas <= 0 ||
	    !is_managed(&o->template_labels) ||
	    fl_kjob_is_live(live, row->namespace, "Deployment", row->name))
		return 0;
	if (made.replicas > FL_MAX_MADE_PODS - d->pods)
		return 2;
	if ((r = keep_pairs(&d->arena, &o->template_labels, &made.labels, err)) < 0 ||
	    (r = keep_pairs(&d->arena, &o->template_annotations, &made.annotations, err)) < 0 ||
	    (r = fl_mem_grow(d->arena.mem, &d->items, &d->cap, d->n + 1, sizeof *d->items, err)) <
		    0)
		return r;
	d->items[d->n++] = made;
	d->pods += made.replicas;
	return 1;
}

/* "pod-web-5d4f6-x8b2k-1a2b3" is of a pod of the Deployment "web". */
static int note_workload(const struct fl_model *m, uint32_t w, struct fl_kjob_live *live,
			 fairlead_error *err)
{
	static const char pod[] = "pod-";
	enum { PREFIX = sizeof pod - 1, PARTS = 3 };
	const char *name = fl_model_text(m, m->workloads[w].name);
	size_t len = strlen(name);

	if (strncmp(name, pod, PREFIX) != 0)
		return 0;
	for (int i = 0; i < PARTS; i++) {
		while (len > PREFIX && name[len - 1] != '-')
			len--;
		len -= len > PREFIX;
	}
	return len == PREFIX ? 0 :
			       fl_kjob_live_add(live, fl_model_text(m, m->workloads[w].namespace),
						"Deployment", name + PREFIX, len - PREFIX, err);
}

int fl_kjob_deployed_before(const struct fl_model *m, const struct fl_kjobs *jobs,
			    struct fl_kjob_live *live, fairlead_error *err)
{
	bool any = false;
	int r = 0;

	for (uint32_t i = 0; i < jobs->n; i++)
		any |= jobs->rows[i].kind == FL_FRAMEWORK_DEPLOYMENT;
	for (uint32_t w = 0; any && w < m->n_workloads && r == 0; w++)
		r = note_workload(m, w, live, err);
	for (uint32_t i = 0; any && i < jobs->n && r == 0; i++)
		if (jobs->rows[i].kind == FL_FRAMEWORK_POD)
			r = fl_kjob_live_add(live, jobs->rows[i].namespace, "Pod",
					     jobs->rows[i].name, strlen(jobs->rows[i].name), err);
	return r;
}

/* --- making ------------------------------------------------------------------------------------- */

/* "web-0"; a number is added to a name that is taken. */
static void name_pod(const struct fl_kjobs_row *row, int64_t index, const struct fl_kjob_live *live,
		     char *ret, size_t size)
{
	int len = snprintf(ret, size, "%.*s-%" PRId64, FL_MAX_NAME - 16, row->name, index);

	for (int n = 2; fl_kjob_is_live(live, row->namespace, "Pod", ret); n++)
		(void)snprintf(ret + len, size - (size_t)len, "-%d", n);
}

static int add_pod(struct fl_kjobs *jobs, const struct fl_kjob_deployed *of, int64_t index,
		   const struct fl_kjob_live *live, fairlead_error *err)
{
	const struct fl_kjobs_row *row = &jobs->rows[of->row];
	struct fl_kjob_value root = fl_kjob_root(&row->doc);
	const struct fl_kjobs_origin origin = { .input = row->input, .added = true };
	const struct fl_kjob_pod pod = { .template = fl_kjob_at(root, "spec.template") };
	char name[FL_MAX_NAME + 32];
	const struct fl_kjob_new_pod made = {
		.namespace = row->namespace,
		.name = name,
		.job = root,
		.pod = &pod,
		.labels = of->labels,
		.annotations = of->annotations,
	};
	struct fl_doc doc;
	int r;

	name_pod(row, index, live, name, sizeof name);
	fl_doc_init(&doc, jobs->mem);
	r = fl_kjob_pod_doc(&made, &doc, err);
	if (r == 0)
		r = fl_kjobs_add(jobs, &doc, &origin, err);
	fl_doc_done(&doc);
	return r;
}

/* All that were added, which are dropped then. */
static int make_added(struct fl_kjobs *jobs, uint32_t n, const struct fl_kjobs_config *config,
		      fl_kjobs_take *take, void *user, fairlead_error *err)
{
	int r = jobs->n == n ? 0 : fl_kjobs_make(jobs, config, take, user, err);

	while (jobs->n > n)
		fl_doc_done(&jobs->rows[--jobs->n].doc);
	return r;
}

int fl_kjob_make_deployed(struct fl_kjobs *jobs, const struct fl_kjob_deployments *d,
			  const struct fl_kjob_live *live, const struct fl_kjobs_config *config,
			  fl_kjobs_take *take, void *user, fairlead_error *err)
{
	struct fl_kjobs_config added = *config;
	uint32_t n = jobs->n;
	int r = 0;

	added.creating = true;
	added.only = FL_KJOBS_ADDED;
	for (uint32_t k = 0; k < d->n && r == 0; k++)
		for (int64_t i = 0; i < d->items[k].replicas && r == 0; i++) {
			r = add_pod(jobs, &d->items[k], i, live, err);
			if (r == 0 && jobs->n - n == AT_ONCE)
				r = make_added(jobs, n, &added, take, user, err);
		}
	if (r == 0)
		r = make_added(jobs, n, &added, take, user, err);
	while (jobs->n > n)
		fl_doc_done(&jobs->rows[--jobs->n].doc);
	return r;
}
