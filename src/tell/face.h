/* SPDX-License-Identifier: Apache-2.0 */
/*
 * face - how a policy is asked, and how it answers, beside decide/policy.h
 *
 * A file a policy fills one (borrow.c, entitle.c), and decide/policies.def lists them.  Nothing else
 * outside the rooms of a policy needs to know which one it has before it.
 */
#ifndef FL_TELL_FACE_H
#define FL_TELL_FACE_H

#include "ask/common/face.h"
#include "report/common/face.h"
#include "tell/assume.h"
#include "tell/tell.h"

struct fl_tell_tree {
	struct fl_node top;          /* FL_NONE: all */
	uint32_t *running, *waiting; /* by node: workloads that hold quota there, and that wait */
};

struct fl_face {
	const struct fl_policy_ops *ops;
	const struct fl_ask_face *ask;
	const struct fl_report_face *report;
	int (*explain)(const struct fl_question *q, struct fl_workload w, const struct fl_eta *eta,
		       fairlead_error *err);
	int (*tree)(const struct fl_question *q, const struct fl_tell_tree *t, fairlead_error *err);
	/* What is surely not meant, as notices of @m, which is sealed. */
	int (*lint)(struct fl_model *m, fairlead_error *err);
	/* How many of each kind of thing there are: "cluster queue", "cohort". */
	void (*count)(const struct fl_model *m, void (*say)(uint32_t n, const char *what));
	void (*assume)(const struct fl_assuming *a);
	/* The node that `tree` begins with where people say @name; FL_NONE: there is none. */
	struct fl_node (*find)(const struct fl_model *m, const char *name);
	const char *nodes; /* what people may name: "cohort or queue" */
	bool by_namespace; /* queues take workloads of some namespaces, not of all */
	bool divides;      /* queues have fair shares that a division gives them */
	/*
	 * Would fair sharing, on or off, make a difference?  To decisions about workloads that wait:
	 * to any of them, or with @of to that one.  @anyway: though none waits.  NULL: it never does.
	 */
	bool (*shares)(const struct fl_model *m, const struct fl_policy *p, struct fl_workload of,
		       bool anyway);
	bool (*stands)(const struct fl_question *q, struct fl_node n); /* is it in a tree? */
};

const struct fl_face *fl_face_of(const struct fl_policy_ops *ops);

#endif
