/* SPDX-License-Identifier: Apache-2.0 */
/*
 * match - labels, taints and selectors
 *
 * Three questions: may this pod run in that flavor, may this pod run on that machine, may this
 * namespace use that queue?
 *
 * Pure functions, which all policies and ask/lint call.
 */
#ifndef FL_DECIDE_MATCH_H
#define FL_DECIDE_MATCH_H

#include "model/model.h"

/*
 * True when the pod or the flavor itself tolerates each NoSchedule and NoExecute taint of the
 * flavor, and the flavor's node labels match the pod's node selector and required affinity.  Only
 * keys that the flavor defines are compared; other keys are unknown, and do not count.
 */
bool fl_match_flavor(const struct fl_model *m, const struct fl_podset *pods,
		     struct fl_flavor flavor);

/*
 * True when the pod tolerates each NoSchedule and NoExecute taint of the machine, and the
 * machine's labels match the pod's node selector and required affinity.
 */
bool fl_match_machine(const struct fl_model *m, const struct fl_task_row *pod,
		      const struct fl_machine_row *machine);

/* If the input has no Namespace object at all, all namespaces are taken to exist. */
bool fl_match_namespace_exists(const struct fl_model *m, struct fl_sym namespace);

/* An absent selector matches nothing, an empty one matches everything. */
bool fl_match_namespace(const struct fl_model *m, const struct fl_selector *selector,
			struct fl_sym namespace);

#endif
