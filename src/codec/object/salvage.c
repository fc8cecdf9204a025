/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/object/salvage.h"

#include <stdio.h>
#include <string.h>

bool fl_kube_may_leave_out(const struct fl_kind *kind)
{
	return kind == &fl_kind_workload || kind == &fl_kind_pod || kind == &fl_kind_pod_group ||
	       kind == &fl_kind_job_pod || kind == &fl_kind_waiting_pod || fl_kind_is_job(kind);
}

/* A notice where the mistake is. */
static int tell(struct fl_kube *k, enum fl_notice_kind kind, const fairlead_error *why,
		const char *then)
{
	const struct fl_place at = { k->input, (uint32_t)why->line, (uint32_t)why->column };
	const char *path = strchr(why->subject, ' ');

	return fl_model_notice(k->m, kind, k->fixed.line ? k->fixed : at, k->subject,
			       why->hint[0] ? why->hint : NULL, k->err, "%s: %s%s%s", then,
			       path ? path + 1 : "", path ? ": " : "", why->text);
}

/* Only what says which object it is and what it holds stays. */
static void cut_rest(struct fl_doc *doc)
{
	static const char *const kept[] = {
		"apiVersion", "kind",   "metadata",  "name",         "namespace",
		"uid",        "status", "admission", "clusterQueue", "podSetAssignments"
	};

	for (uint32_t top = 1; top < doc->values[0].next; top = doc->values[top].next) {
		bool map = doc->values[top + 1].kind == FL_TOKEN_MAP;
		bool stays = false;

		for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
			stays |= strcmp(fl_doc_text(doc, top), kept[i]) == 0;
		if (!stays)
			fl_doc_cut(doc, top);
		for (uint32_t key = top + 2; stays && map && key < doc->values[top].next;
		     key = doc->values[key].next) {
			bool below = false;

			for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
				below |= strcmp(fl_doc_text(doc, key), kept[i]) == 0;
			if (!below)
				fl_doc_cut(doc, key);
		}
	}
	fl_doc_close(doc);
}

static bool is_word(const struct fl_doc *doc, uint32_t map, const char *key, const char *word)
{
	uint32_t v = fl_doc_find(doc, map, key);

	return v != FL_NONE && doc->values[v].kind == FL_TOKEN_SCALAR &&
	       strcmp(fl_doc_text(doc, v), word) == 0;
}

/* What has ended keeps its admission, and holds nothing. */
static bool is_finished(const struct fl_doc *doc, uint32_t status)
{
	uint32_t all = fl_doc_find(doc, status, "conditions");

	if (all == FL_NONE || doc->values[all].kind != FL_TOKEN_LIST)
		return false;
	for (uint32_t v = all + 1; v < doc->values[all].next; v = doc->values[v].next)
		if (is_word(doc, v, "type", "Finished") && is_word(doc, v, "status", "True"))
			return true;
	return false;
}

static bool is_admitted(const struct fl_kube *k, const struct fl_kind *kind)
{
	uint32_t status = fl_doc_find(&k->doc, 0, "status");
	uint32_t admission = fl_doc_find(&k->doc, status, "admission");

	return kind == &fl_kind_workload && admission != FL_NONE &&
	       !fl_kube_is_null(k, admission) && !is_finished(&k->doc, status);
}

/* Read again, whole or only what it holds; when that fails, the model is as it was, and @ret_why says why. */
static int read_held(struct fl_kube *k, const struct fl_kind *kind,
		     const struct fl_model_mark *mark, bool whole, fairlead_error *ret_why)
{
	fairlead_error again = { 0 }, *err = k->err;
	int r;

	fl_model_cut(k->m, mark);
	if (!whole) {
		cut_rest(&k->doc);
		k->held = true;
	}
	k->err = &again;
	r = fl_kube_read_names(k, kind);
	if (r == 0)
		r = kind->read(k);
	k->err = err;
	if (r == FAIRLEAD_EINPUT || r == FAIRLEAD_ELIMIT) {
		fl_model_cut(k->m, mark);
		*ret_why = again;
		return 1;
	}
	if (r < 0)
		*err = again;
	return r;
}

/* --- what it holds cannot be read --- */

/* A name at @key of @map; FL_NONE: there is none that can be read. */
static int find_name(struct fl_kube *k, uint32_t map, const char *key, struct fl_sym *ret)
{
	const uint32_t v = fl_doc_find(&k->doc, map, key);
	const char *text = v != FL_NONE && k->doc.values[v].kind == FL_TOKEN_SCALAR &&
					   !fl_kube_is_null(k, v) ?
				   fl_doc_text(&k->doc, v) :
				   "";

	ret->v = FL_NONE;
	return *text ? fl_model_sym(k->m, text, strlen(text), ret, k->err) : 0;
}

/* Before anything is cut. */
static int find_queues(struct fl_kube *k, struct fl_uncertain_row *ret)
{
	const uint32_t status = fl_doc_find(&k->doc, 0, "status");
	int r = find_name(k, fl_doc_find(&k->doc, status, "admission"), "clusterQueue",
			  &ret->cluster_queue_name);

	return r < 0 ? r :
		       find_name(k, fl_doc_find(&k->doc, 0, "spec"), "queueName", &ret->queue_name);
}

static int be_uncertain(struct fl_kube *k, struct fl_uncertain_row *row, const fairlead_error *why)
{
	const char *path = strchr(why->subject, ' ');
	char text[200];
	int r;

	(void)snprintf(text, sizeof text, "%.80s%s%.110s", path ? path + 1 : "", path ? ": " : "",
		       why->text);
	r = fl_model_sym(k->m, text, strlen(text), &row->why, k->err);
	row->namespace = k->namespace;
	row->name = k->name;
	row->node.v = FL_NONE;
	if (r == 0)
		r = fl_model_push_uncertain(k->m, row, /* ret_id= */ NULL, k->err);
	return r < 0 ? r :
		       tell(k, FL_NOTICE_UNCERTAIN, why,
			    "it is admitted, and how much it holds cannot be read");
}

int fl_kube_salvage(struct fl_kube *k, const struct fl_kind *kind, const struct fl_model_mark *mark)
{
	const fairlead_error why = *k->err;
	struct fl_uncertain_row uncertain = { 0 };
	fairlead_error last = { 0 };
	int r;

	fl_model_cut(k->m, mark);
	if (!is_admitted(k, kind))
		return tell(k, FL_NOTICE_LEFT_OUT, &why, "left out, since it is wrong");
	r = find_queues(k, &uncertain);
	if (r == 0)
		r = read_held(k, kind, mark, /* whole= */ true, &last);
	if (r == 1)
		r = read_held(k, kind, mark, /* whole= */ false, &last);
	if (r < 0)
		return r;
	return r == 0 ? tell(k, FL_NOTICE_COUNTED, &why,
			     "it is wrong, but admitted, and what it holds counts") :
			be_uncertain(k, &uncertain, &last);
}
