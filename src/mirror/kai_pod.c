/* SPDX-License-Identifier: Apache-2.0 */
#include "mirror/kai_pod.h"

#include <stdlib.h>
#include <string.h>

#include "base/ids.h"

/* --- the state of a pod --- */

enum { NO, YES, ANY };

/* The first row that fits. */
static const struct rule {
	int phase, deleted, node, binding, gated;
	enum fl_kai_state state;
} rules[] = {
	{ FL_KAI_IS_RUNNING, YES, ANY, ANY, ANY, FL_KAI_RELEASING },
	{ FL_KAI_IS_RUNNING, NO, ANY, ANY, ANY, FL_KAI_RUNNING },
	{ FL_KAI_IS_PENDING, YES, YES, ANY, ANY, FL_KAI_RELEASING },
	{ FL_KAI_IS_PENDING, YES, NO, ANY, ANY, FL_KAI_AWAY },
	{ FL_KAI_IS_PENDING, NO, YES, ANY, ANY, FL_KAI_BOUND },
	{ FL_KAI_IS_PENDING, NO, NO, YES, ANY, FL_KAI_BINDING },
	{ FL_KAI_IS_PENDING, NO, NO, NO, YES, FL_KAI_GATED },
	{ FL_KAI_IS_PENDING, NO, NO, NO, NO, FL_KAI_PENDING },
	/* One that was evicted may fail on its way out: that is no end of its group. */
	{ FL_KAI_IS_SUCCEEDED, YES, ANY, ANY, ANY, FL_KAI_AWAY },
	{ FL_KAI_IS_FAILED, YES, ANY, ANY, ANY, FL_KAI_AWAY },
	{ FL_KAI_IS_SUCCEEDED, NO, ANY, ANY, ANY, FL_KAI_ENDED },
	{ FL_KAI_IS_FAILED, NO, ANY, ANY, ANY, FL_KAI_ENDED },
	{ FL_KAI_IS_UNKNOWN, ANY, ANY, ANY, ANY, FL_KAI_AWAY },
};

static bool fits(int rule, bool is) { return rule == ANY || (rule == YES) == is; }

enum fl_kai_state fl_kai_state_of(const struct fl_kai_pod *pod, bool binding)
{
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
		if (rules[i].phase == (int)pod->phase && fits(rules[i].deleted, pod->deleted) &&
		    fits(rules[i].node, *pod->node) && fits(rules[i].binding, binding) &&
		    fits(rules[i].gated, pod->gated))
			return rules[i].state;
	return FL_KAI_AWAY;
}

/* --- what fields say --- */

static const char *text_of(const struct fl_doc *doc, uint32_t map, const char *key)
{
	const uint32_t v = fl_doc_find(doc, map, key);

	return v == FL_NONE || doc->values[v].kind != FL_TOKEN_SCALAR ||
			       doc->values[v].type == FL_SCALAR_NULL ?
		       "" :
		       fl_doc_text(doc, v);
}

static bool has_items(const struct fl_doc *doc, uint32_t list)
{
	return list != FL_NONE && doc->values[list].kind == FL_TOKEN_LIST &&
	       doc->values[list].next > list + 1;
}

void fl_kai_read_pod(const struct fl_doc *doc, struct fl_kai_pod *ret)
{
	static const char *const phases[] = { "Pending", "Running", "Succeeded", "Failed",
					      "Unknown" };
	const uint32_t metadata = fl_doc_find(doc, 0, "metadata");
	const uint32_t spec = fl_doc_find(doc, 0, "spec");
	const char *phase = text_of(doc, fl_doc_find(doc, 0, "status"), "phase");

	*ret = (struct fl_kai_pod){
		.group = text_of(doc, fl_doc_find(doc, metadata, "annotations"), "pod-group-name"),
		.node = text_of(doc, spec, "nodeName"),
		.deleted = *text_of(doc, metadata, "deletionTimestamp"),
		.gated = has_items(doc, fl_doc_find(doc, spec, "schedulingGates")),
	};
	for (int i = 0; i < (int)(sizeof phases / sizeof *phases); i++)
		if (strcmp(phases[i], phase) == 0)
			ret->phase = (enum fl_kai_phase)i;
}

bool fl_kai_has_ended(const struct fl_doc *doc)
{
	struct fl_kai_pod pod;

	fl_kai_read_pod(doc, &pod);
	return pod.phase == FL_KAI_IS_SUCCEEDED || pod.phase == FL_KAI_IS_FAILED;
}

void fl_kai_read_bind(const struct fl_doc *doc, struct fl_kai_bind *ret)
{
	const uint32_t spec = fl_doc_find(doc, 0, "spec"), status = fl_doc_find(doc, 0, "status");
	const char *limit = text_of(doc, spec, "backoffLimit");
	const char *attempts = text_of(doc, status, "failedAttempts");
	const bool failed = strcmp(text_of(doc, status, "phase"), "Failed") == 0;

	*ret = (struct fl_kai_bind){ text_of(doc, spec, "podName"),
				     text_of(doc, spec, "selectedNode") };
	/* It is tried again as often as its limit says; without one not at all. */
	if (failed && (!*limit || strtol(attempts, NULL, 10) >= strtol(limit, NULL, 10)))
		ret->node = "";
}

uint32_t fl_kai_read_least(const struct fl_doc *doc)
{
	const char *least = text_of(doc, fl_doc_find(doc, 0, "spec"), "minMember");
	const long n = strtol(least, NULL, 10);

	return n < 1 ? 1 : n > INT32_MAX ? INT32_MAX : (uint32_t)n;
}
