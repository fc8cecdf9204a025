/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/object/salvage.h"

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

/* Read again, whole or only what it holds; then the model is as it was, when that fails. */
static int read_held(struct fl_kube *k, const struct fl_kind *kind,
		     const struct fl_model_mark *mark, bool whole)
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
		return 1;
	}
	if (r < 0)
		*err = again;
	return r;
}

int fl_kube_salvage(struct fl_kube *k, const struct fl_kind *kind, const struct fl_model_mark *mark)
{
	const fairlead_error why = *k->err;
	int r;

	fl_model_cut(k->m, mark);
	if (!is_admitted(k, kind))
		return tell(k, FL_NOTICE_LEFT_OUT, &why, "left out, since it is wrong");
	r = read_held(k, kind, mark, /* whole= */ true);
	if (r == 1)
		r = read_held(k, kind, mark, /* whole= */ false);
	if (r < 0)
		return r;
	return r == 0 ? tell(k, FL_NOTICE_COUNTED, &why,
			     "it is wrong, but admitted, and what it holds counts") :
			tell(k, FL_NOTICE_UNCERTAIN, &why,
			     "it is admitted, and how much it holds cannot be read");
}
