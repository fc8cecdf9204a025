/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cluster/handover/taken.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec/kueue/checks.h"
#include "codec/object/known.h"

/* The text at @path below @v, which names keys without dots; NULL. */
static const char *text_at(const struct fl_doc *doc, const char *const *path)
{
	uint32_t v = 0;

	for (; *path && v != FL_NONE; path++)
		v = fl_doc_find(doc, v, *path);
	return v == FL_NONE || doc->values[v].kind != FL_TOKEN_SCALAR ||
			       doc->values[v].type == FL_SCALAR_NULL ?
		       NULL :
		       fl_doc_text(doc, v);
}

#define TEXT_AT(doc, ...) text_at(doc, (const char *const[]){ __VA_ARGS__, NULL })

/* "a,b" (arena); NULL without memory. */
static const char *join_checks(struct fl_handing *t, const struct fl_doc *doc, fairlead_error *err)
{
	const char *text = fl_handing_text(t, err, "%s", ""), *name;
	uint32_t at = 0;

	while (text && (name = fl_checks_next(doc, at, &at)))
		text = fl_handing_text(t, err, "%s%s%s", text, *text ? "," : "", name);
	return text;
}

static int take_queue(struct fl_handing *t, struct fl_kube *k)
{
	const struct fl_doc *doc = &k->doc;
	const char *mark = TEXT_AT(doc, "metadata", "annotations", FL_HANDED_ANNOTATION);
	const char *generation = TEXT_AT(doc, "metadata", "generation");
	struct fl_handing_queue q = {
		.name = fl_handing_text(t, k->err, "%s", fl_model_text(k->m, k->name)),
		.version = fl_handing_text(t, k->err, "%s", TEXT_AT(doc, "apiVersion")),
		.mark = mark ? fl_handing_text(t, k->err, "%s", mark) : NULL,
		.checks = join_checks(t, doc, k->err),
		.now = { fl_handed_of(mark), fl_stop_of(TEXT_AT(doc, "spec", "stopPolicy")),
			 fl_checks_read(doc) },
		.generation = generation ? strtoll(generation, NULL, 10) : 0,
		.going = TEXT_AT(doc, "metadata", "deletionTimestamp"),
		.node = { FL_NONE },
	};
	int r = q.name && q.version && q.checks && (q.mark || !mark) ? 0 : FAIRLEAD_ENOMEM;

	if (r == 0)
		r = fl_mem_grow(&fl_mem_heap, &t->queues, &t->cap_queues, t->n_queues + 1, sizeof q,
				k->err);
	if (r == 0)
		t->queues[t->n_queues++] = q;
	return r;
}

static int take_check(struct fl_handing *t, struct fl_kube *k)
{
	const char *name = TEXT_AT(&k->doc, "metadata", "name");
	const char *controller = TEXT_AT(&k->doc, "spec", "controllerName");
	struct fl_handing_check check;
	int r;

	if (!name || !controller)
		return 0;
	check.name = fl_handing_text(t, k->err, "%s", name);
	check.controller = fl_handing_text(t, k->err, "%s", controller);
	r = check.name && check.controller ? 0 : FAIRLEAD_ENOMEM;
	if (r == 0)
		r = fl_mem_grow(&fl_mem_heap, &t->checks, &t->cap_checks, t->n_checks + 1,
				sizeof check, k->err);
	if (r == 0)
		t->checks[t->n_checks++] = check;
	return r;
}

/* Gates that this Configuration sets to false. */
static void take_gates(struct fl_handing *t, const struct fl_doc *doc)
{
	const struct fl_undecided *row;
	const char *value;

	for (unsigned i = 0; (row = fl_undecided_at(i)); i++) {
		value = row->gate ? TEXT_AT(doc, "featureGates", row->gate) : NULL;
		t->off[i] |= value && strcmp(value, "false") == 0;
	}
}

/* "a, b" of texts, or of the names of maps, in the list @v; "" of anything else. */
static const char *list_names(struct fl_handing *t, const struct fl_doc *doc, uint32_t v,
			      fairlead_error *err)
{
	char text[600] = "";
	size_t len = 0;

	if (doc->values[v].kind != FL_TOKEN_LIST)
		return "";
	for (uint32_t i = v + 1; i < doc->values[v].next && len < 300; i = doc->values[i].next) {
		uint32_t name = doc->values[i].kind == FL_TOKEN_SCALAR ?
					i :
					fl_doc_find(doc, i, "name");

		if (name != FL_NONE)
			len += (size_t)snprintf(text + len, sizeof text - len, "%s%.253s",
						len ? ", " : "", fl_doc_text(doc, name));
	}
	return fl_handing_text(t, err, "%s", text);
}

static int take_finding(struct fl_handing *t, struct fl_kube *k, const struct fl_undecided *row,
			uint32_t v)
{
	struct fl_handing_finding f = { .row = row, .namespace = k->namespace, .name = k->name };
	char path[300];
	int r;

	f.subject = fl_handing_text(t, k->err, "%s %s", k->subject,
				    fl_doc_path(&k->doc, v, path, sizeof path));
	f.detail = list_names(t, &k->doc, v, k->err);
	if (!f.subject || !f.detail)
		return FAIRLEAD_ENOMEM;
	r = fl_mem_grow(&fl_mem_heap, &t->findings, &t->cap_findings, t->n_findings + 1, sizeof f,
			k->err);
	if (r == 0)
		t->findings[t->n_findings++] = f;
	return r;
}

/* One row a rule. */
static int take_findings(struct fl_handing *t, struct fl_kube *k, const char *kind)
{
	const struct fl_undecided *row = NULL, *last = NULL;
	uint32_t v;
	int r = 0;

	while (r == 0 && (row = fl_undecided_next(&k->doc, kind, row, &v))) {
		if (!last || strcmp(last->name, row->name) != 0)
			r = take_finding(t, k, row, v);
		last = row;
	}
	return r;
}

int fl_handing_take(void *user, struct fl_kube *k, const struct fl_kind *kind)
{
	struct fl_handing *t = user;
	const char *name = kind ? fl_kind_name(kind) : TEXT_AT(&k->doc, "kind");
	int r = 0;

	if (!name)
		return 0;
	if (kind == &fl_kind_cluster_queue)
		r = take_queue(t, k);
	else if (kind == &fl_kind_configuration)
		take_gates(t, &k->doc);
	else if (!kind && strcmp(name, "AdmissionCheck") == 0)
		r = take_check(t, k);
	return r < 0 ? r : take_findings(t, k, name);
}
