/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kinds - the kinds whose definitions are known, and what looks like one of them
 */
#ifndef FL_CODEC_SCHEMA_KINDS_H
#define FL_CODEC_SCHEMA_KINDS_H

#include <stdbool.h>
#include <stddef.h>

struct fl_schema_kind;

/* NULL: a kind that is not judged. @api_version with its group. */
const struct fl_schema_kind *fl_schema_find(const char *api_version, const char *kind);

/*
 * Why a server with Kueue and KAI has no such kind, for kinds that look like one of theirs: the
 * version, the group or the spelling.  Fills @hint; false: nothing speaks against it.
 */
bool fl_schema_no_such_kind(const char *api_version, const char *kind, char *hint, size_t size);

#endif
