/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kinds - what is a job to KAI: a row for each kind of top owner
 *
 * A kind that has no row is none, as the kinds whose objects are not in the table of
 * codec/jobs/object are.
 */
#ifndef FL_CODEC_GROUPER_KINDS_H
#define FL_CODEC_GROUPER_KINDS_H

#include "codec/grouper/group.h"

struct fl_grouping;

/* Changes what the default rule gave. As fl_grouper_group. */
typedef int fl_grouper_rule(const struct fl_grouping *g, struct fl_made_group *ret,
			    fairlead_error *err);

/* How the pods of a job are called. */
enum fl_grouper_names {
	FL_GROUPER_NO_PODS, /* it has none of its own */
	FL_GROUPER_INDEX,   /* <job>-<index> */
	FL_GROUPER_SET,     /* <job>-<set>-<index> */
	FL_GROUPER_LEADER,  /* <set>-<group>, <set>-<group>-<index> */
};

struct fl_grouper_kind {
	uint32_t kind;             /* enum fl_framework_id or fl_kjobs_context */
	enum fl_framework_id like; /* the kind that has its sets of pods, and its status */
	enum fl_grouper_names pods;
	fl_grouper_rule *rule; /* NULL: the default */
	const char *class;     /* where none is named */
	const char *uid;       /* stands in its group's name for one that is not known */
	bool chain;            /* labels of all owners name the class, not of the top alone */
	bool ray;              /* KubeRay names the scheduler in its pods, when a queue is named */
	const char *specs;     /* the field with the numbers of its roles */
	const char *needed[2]; /* roles that must be there */
};

/* NULL: none. */
const struct fl_grouper_kind *fl_grouper_kind(uint32_t kind);

#endif
