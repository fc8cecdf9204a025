/* SPDX-License-Identifier: Apache-2.0 */
/*
 * whole - a loop that is more than a race for what was freed
 *
 * The shortest loop is often this: a workload is evicted, and is admitted again before its
 * preemptor.  Where there is a loop although each preemption is carried through before any other
 * workload is looked at (prove.h, `prompt`), that one says more.  It is made on the present policy,
 * move by move, before it counts.
 */
#ifndef FL_ASK_PROVE_WHOLE_H
#define FL_ASK_PROVE_WHOLE_H

#include "ask/prove/prove.h"

enum fl_whole {
	FL_WHOLE_UNKNOWN, /* neither was found out */
	FL_WHOLE_LOOP,    /* there is one */
	FL_WHOLE_NONE,    /* there is none, which is a proof (proof.h): it takes a race */
};

/*
 * Replaces the moves of @found, a loop of @p, by such a loop where there is one that is forced if
 * @found is.  @options as of fl_proof; its `states` is the limit of each exploration.
 * FAIRLEAD_ENOMEM, or an error of the policy: @found stays as it is.
 */
int fl_whole_loop(const struct fl_policy_ops *ops, struct fl_policy *p, const struct fl_model *m,
		  const struct fl_prove_options *options, struct fl_prove_result *found,
		  enum fl_whole *ret, fairlead_error *err);

#endif
