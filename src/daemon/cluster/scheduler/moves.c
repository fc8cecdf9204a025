/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cluster/scheduler/moves.h"

#include <string.h>

#include "mirror/document.h"

/* What may differ of a ClusterQueue or Cohort. */
static const char *const free_fields[] = { "resourceGroups", "fairSharing", "labels" };

static bool is_free(const char *name)
{
	for (size_t i = 0; i < sizeof free_fields / sizeof *free_fields; i++)
		if (strcmp(free_fields[i], name) == 0)
			return true;
	return false;
}

static void cut_free(struct fl_doc *doc)
{
	for (uint32_t top = 1; top < doc->values[0].next; top = doc->values[top + 1].next) {
		if (doc->values[top + 1].kind != FL_TOKEN_MAP)
			continue;
		for (uint32_t key = top + 2; key < doc->values[top + 1].next;
		     key = doc->values[key + 1].next)
			if (is_free(fl_doc_text(doc, key)))
				fl_doc_cut(doc, key);
	}
	fl_doc_close(doc);
}

static int write_rest(const struct fl_mirror_object *o, struct fl_mirror_text *ret,
		      fairlead_error *err)
{
	struct fl_doc doc;
	int r;

	fl_doc_init(&doc, &fl_mem_heap);
	r = fl_mirror_read(o, &doc, err);
	if (r == 0) {
		cut_free(&doc);
		r = fl_mirror_write(&doc, ret, err);
	}
	fl_doc_done(&doc);
	return r;
}

static bool differ(const struct fl_mirror_object *was, const struct fl_mirror_object *now)
{
	struct fl_mirror_text before = { 0 }, after = { 0 };
	fairlead_error err = { 0 };
	bool same = was && now && was->n_own && now->n_own && write_rest(was, &before, &err) == 0 &&
		    write_rest(now, &after, &err) == 0 && before.n == after.n &&
		    memcmp(before.bytes, after.bytes, before.n) == 0;

	fl_mem_free(&fl_mem_heap, before.bytes);
	fl_mem_free(&fl_mem_heap, after.bytes);
	return !same;
}

bool fl_scheduler_moves(const struct fl_mirror_change *change)
{
	switch (change->kind) {
	case FL_MIRROR_NAMESPACE:
	case FL_MIRROR_LOCAL_QUEUE:
	case FL_MIRROR_LIMIT_RANGE:
	case FL_MIRROR_RUNTIME_CLASS:
	case FL_MIRROR_PRIORITY_CLASS:
	case FL_MIRROR_WORKLOAD_PRIORITY_CLASS:
		return false;
	case FL_MIRROR_CLUSTER_QUEUE:
	case FL_MIRROR_COHORT:
		return differ(change->was, change->now);
	default:
		return true;
	}
}
