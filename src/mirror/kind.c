/* SPDX-License-Identifier: Apache-2.0 */
#include "mirror/kind.h"

#include <stdio.h>
#include <string.h>

static const struct fl_mirror_kind_row kinds[] = {
#define FL_MIRROR_KIND(id, whose, use, group, versions, name, plural, namespaced, keep)            \
	{ FL_DIALECT_##whose, FL_MIRROR_##use, group, versions, name, plural, namespaced, keep },
#include "mirror/kind.def"
#undef FL_MIRROR_KIND
};

const struct fl_mirror_kind_row *fl_mirror_kind(enum fl_mirror_kind kind) { return &kinds[kind]; }

bool fl_mirror_reads(enum fl_dialect dialect, enum fl_mirror_kind kind)
{
	return kinds[kind].whose == FL_DIALECT_ANY || kinds[kind].whose == dialect;
}

const char *fl_mirror_api_version(const struct fl_mirror_kind_row *kind, const char *version,
				  char ret[128])
{
	const char *word = version ? version : kind->versions;

	(void)snprintf(ret, 128, "%s%s%.*s", kind->group, *kind->group ? "/" : "",
		       (int)strcspn(word, " "), word);
	return ret;
}
