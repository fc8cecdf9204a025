/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/kueue/checks.h"

#include <string.h>

/* The value of @path, which ends with NULL; FL_NONE. */
static uint32_t find(const struct fl_doc *doc, const char *const *path)
{
	uint32_t v = 0;

	for (; *path && v != FL_NONE; path++)
		v = fl_doc_find(doc, v, *path);
	return v;
}

/* FL_NONE: there is none. */
static uint32_t list_of(const struct fl_doc *doc)
{
	static const char *const path[] = { "spec", "admissionChecksStrategy", "admissionChecks",
					    NULL };
	const uint32_t v = find(doc, path);

	return v != FL_NONE && doc->values[v].kind == FL_TOKEN_LIST ? v : FL_NONE;
}

static const char *name_of(const struct fl_doc *doc, uint32_t item)
{
	const uint32_t name = fl_doc_find(doc, item, "name");

	return name == FL_NONE || doc->values[name].kind != FL_TOKEN_SCALAR ?
		       "" :
		       fl_doc_text(doc, name);
}

const char *fl_checks_next(const struct fl_doc *doc, uint32_t after, uint32_t *ret_at)
{
	const uint32_t list = list_of(doc);

	if (list == FL_NONE)
		return NULL;
	for (uint32_t item = after ? doc->values[after].next : list + 1;
	     item < doc->values[list].next; item = doc->values[item].next) {
		const char *name = name_of(doc, item);

		*ret_at = item;
		if (strcmp(name, FL_CHECK_NAME) != 0)
			return name;
	}
	return NULL;
}

static bool has_ours(const struct fl_doc *doc)
{
	const uint32_t list = list_of(doc);

	for (uint32_t item = list == FL_NONE ? 0 : list + 1;
	     list != FL_NONE && item < doc->values[list].next; item = doc->values[item].next)
		if (strcmp(name_of(doc, item), FL_CHECK_NAME) == 0)
			return true;
	return false;
}

/* Are the others those of @known, "a,b", in this order? */
static bool are(const struct fl_doc *doc, const char *known)
{
	const char *name;
	uint32_t at = 0;

	while ((name = fl_checks_next(doc, at, &at))) {
		const size_t len = strlen(name);

		if (strncmp(known, name, len) != 0 || (known[len] && known[len] != ','))
			return false;
		known += len + (known[len] == ',');
	}
	return !*known;
}

enum fl_checks fl_checks_read(const struct fl_doc *doc)
{
	static const char *const path[] = { "metadata", "annotations", FL_CHECKS_ANNOTATION, NULL };
	const uint32_t known = find(doc, path);
	uint32_t at;

	if (!has_ours(doc))
		return fl_checks_next(doc, 0, &at) ? FL_CHECKS_THEIRS : FL_CHECKS_NONE;
	if (known == FL_NONE || doc->values[known].kind != FL_TOKEN_SCALAR)
		return FL_CHECKS_CHANGED;
	return are(doc, fl_doc_text(doc, known)) ? FL_CHECKS_TAKEN : FL_CHECKS_CHANGED;
}
