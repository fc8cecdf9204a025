/* SPDX-License-Identifier: Apache-2.0 */
/* grouping - one pod while its group is found; what the rules of all kinds share */
#ifndef FL_CODEC_GROUPER_GROUPING_H
#define FL_CODEC_GROUPER_GROUPING_H

#include "codec/grouper/kinds.h"

/* A pod and the rule that goes for it. */
struct fl_grouping {
	const struct fl_kjobs_run *run;
	const struct fl_grouper_pod *pod;
	const struct fl_kjob_sets *sets;
	const struct fl_grouper_kind *kind;
	const struct fl_kjobs_row *top, *skipped; /* skipped: the owner above it; NULL: none */
};

const char *fl_grouper_uid(const struct fl_grouping *g); /* of the top owner */
/* A label of the pod; none: it has no such label. */
bool fl_grouper_pod_label(const struct fl_grouper_pod *pod, const char *key, const char **ret);
/* 1 with ret->why. */
int fl_grouper_refuse(const struct fl_grouping *g, struct fl_made_group *ret, fairlead_error *err,
		      const char *format, ...) FL_PRINTF(4, 5);
/* The name of the group, in the arena. */
int fl_grouper_name(const struct fl_grouping *g, struct fl_made_group *ret, fairlead_error *err,
		    const char *format, ...) FL_PRINTF(4, 5);

#endif
