/* SPDX-License-Identifier: Apache-2.0 */
/*
 * KAI's Config installs it, and is not modelled.  What it may say about which pods are whose is told
 * when it is not the default, which is what counts here.
 */
#include <string.h>

#include "codec/kai/kai.h"

static const struct {
	const char *path[4]; /* below .spec */
	const char *usual;   /* NULL: none */
	const char *counts;
} settings[] = {
	{ { "global", "schedulerName" },
	  "kai-scheduler",
	  "the scheduler of KAI's pods is 'kai-scheduler'" },
	{ { "global", "queueLabelKey" },
	  "kai.scheduler/queue",
	  "the label 'kai.scheduler/queue' names the queue" },
	{ { "global", "nodePoolLabelKey" },
	  "kai.scheduler/node-pool",
	  "the label 'kai.scheduler/node-pool' names the node pool" },
	{ { "global", "namespaceLabelSelector" }, NULL, "pods of all namespaces count" },
	{ { "podGrouper", "args", "defaultPrioritiesConfigMapName" },
	  NULL,
	  "classes of kinds of jobs are KAI's own" },
};

/* It says something else than what counts. */
static bool differs(const struct fl_kube *k, uint32_t v, const char *usual)
{
	const struct fl_value *value = &k->doc.values[v];

	if (value->kind != FL_TOKEN_SCALAR)
		return value->next > v + 1;
	return value->type == FL_SCALAR_STRING && value->len > 0 &&
	       (!usual || strcmp(fl_doc_text(&k->doc, v), usual) != 0);
}

int fl_kai_note_config(struct fl_kube *k)
{
	int r = 0;

	for (size_t i = 0; i < sizeof settings / sizeof *settings && r == 0; i++) {
		uint32_t v = fl_doc_find(&k->doc, 0, "spec");

		const char *name = "";

		for (size_t p = 0; p < 4 && settings[i].path[p]; p++) {
			name = settings[i].path[p];
			v = fl_doc_find(&k->doc, v, name);
		}
		if (v != FL_NONE && differs(k, v, settings[i].usual))
			r = fl_kube_notice(k, v, FL_NOTICE_IGNORED_FIELD, /* hint= */ NULL,
					   "'%s' is ignored: %s", name, settings[i].counts);
	}
	return r;
}
