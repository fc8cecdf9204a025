/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/object/undecided.h"

#include <string.h>

#include "base/ids.h"

static const struct fl_undecided rows[] = {
#define FL_UNDECIDED(of, at, below, is, called, does, ...)                                         \
	{ .kind = of,                                                                              \
	  .path = at,                                                                              \
	  .key = below,                                                                            \
	  .when = FL_UNDECIDED_##is,                                                               \
	  .name = called,                                                                          \
	  .what = does,                                                                            \
	  .advice = __VA_ARGS__ },
#include "codec/object/undecided.def"
#undef FL_UNDECIDED
};

enum { N_ROWS = sizeof rows / sizeof *rows };
_Static_assert((int)N_ROWS <= (int)FL_UNDECIDED_MOST, "too many rows");

const struct fl_undecided *fl_undecided_at(unsigned i) { return i < N_ROWS ? &rows[i] : NULL; }

unsigned fl_undecided_number(const struct fl_undecided *row) { return (unsigned)(row - rows); }

static bool is_empty(const struct fl_doc *doc, uint32_t v)
{
	const struct fl_value *value = &doc->values[v];

	return value->kind == FL_TOKEN_SCALAR ? value->type == FL_SCALAR_NULL || value->len == 0 :
						value->next == v + 1;
}

static bool is_word(const struct fl_doc *doc, uint32_t v, const char *word)
{
	return doc->values[v].kind == FL_TOKEN_SCALAR && strcmp(fl_doc_text(doc, v), word) == 0;
}

static bool holds(const struct fl_undecided *row, const struct fl_doc *doc, uint32_t v)
{
	switch (row->when) {
	case FL_UNDECIDED_TRUE:
		return is_word(doc, v, "true");
	case FL_UNDECIDED_WORD:
		return is_word(doc, v, row->word);
	case FL_UNDECIDED_ANY:
		break;
	}
	return !is_empty(doc, v);
}

/* The first value below @v at @path for which @row holds; FL_NONE. */
static uint32_t find(const struct fl_undecided *row, const struct fl_doc *doc, uint32_t v,
		     const char *path)
{
	size_t len = strcspn(path, ".[");
	const bool each = strncmp(path + len, "[]", 2) == 0;
	const char *rest = path + len + (each ? 2 : 0);

	if (*path == '\0') {
		if (row->key)
			v = fl_doc_find(doc, v, row->key);
		return v != FL_NONE && holds(row, doc, v) ? v : FL_NONE;
	}
	v = fl_doc_find_part(doc, v, path, len);
	rest += *rest == '.';
	if (!each)
		return v == FL_NONE ? FL_NONE : find(row, doc, v, rest);
	if (v == FL_NONE || doc->values[v].kind != FL_TOKEN_LIST)
		return FL_NONE;
	for (uint32_t item = v + 1; item < doc->values[v].next; item = doc->values[item].next) {
		uint32_t found = find(row, doc, item, rest);

		if (found != FL_NONE)
			return found;
	}
	return FL_NONE;
}

static bool is_taken_back(const struct fl_undecided *row, const struct fl_doc *doc)
{
	const struct fl_undecided off = { .when = FL_UNDECIDED_WORD, .word = "false" };

	return row->unless && find(&off, doc, 0, row->unless) != FL_NONE;
}

const struct fl_undecided *fl_undecided_next(const struct fl_doc *doc, const char *kind,
					     const struct fl_undecided *after, uint32_t *ret_value)
{
	for (size_t i = after ? (size_t)(after - rows) + 1 : 0; i < N_ROWS; i++) {
		if (strcmp(rows[i].kind, kind) != 0)
			continue;
		*ret_value = find(&rows[i], doc, 0, rows[i].path);
		if (*ret_value != FL_NONE && !is_taken_back(&rows[i], doc))
			return &rows[i];
	}
	return NULL;
}

/* --- Workloads --- */

static bool podset_may_be(const struct fl_doc *doc, uint32_t v)
{
	return fl_doc_find(doc, v, "topologyRequest") != FL_NONE ||
	       fl_doc_find(doc, fl_doc_find(doc, fl_doc_find(doc, v, "template"), "spec"),
			   "resourceClaims") != FL_NONE;
}

/* Most have nothing that the table is about: a look at where it stands is enough. */
static bool may_be_undecided(const struct fl_doc *doc)
{
	const uint32_t metadata = fl_doc_find(doc, 0, "metadata"),
		       spec = fl_doc_find(doc, 0, "spec"), status = fl_doc_find(doc, 0, "status"),
		       podsets = fl_doc_find(doc, spec, "podSets");

	if (fl_doc_find(doc, metadata, "annotations") != FL_NONE ||
	    fl_doc_find(doc, fl_doc_find(doc, metadata, "labels"),
			"kueue.x-k8s.io/concurrent-admission-parent") != FL_NONE ||
	    fl_doc_find(doc, spec, "preemptionGates") != FL_NONE ||
	    fl_doc_find(doc, status, "clusterName") != FL_NONE ||
	    fl_doc_find(doc, status, "nominatedClusterNames") != FL_NONE)
		return true;
	if (podsets == FL_NONE || doc->values[podsets].kind != FL_TOKEN_LIST)
		return false;
	for (uint32_t v = podsets + 1; v < doc->values[podsets].next; v = doc->values[v].next)
		if (podset_may_be(doc, v))
			return true;
	return false;
}

bool fl_undecided_workload(const struct fl_doc *doc)
{
	uint32_t v;

	return may_be_undecided(doc) && fl_undecided_next(doc, "Workload", NULL, &v);
}
