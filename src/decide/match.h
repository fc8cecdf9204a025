/* SPDX-License-Identifier: Apache-2.0 */
/*
 * match - labels, taints and selectors: may this pod run in that flavor, may this
 * namespace use that queue; may this pod run on that machine?
 *
 * Pure: asked by both policies and by ask/lint.
 */
#ifndef FL_DECIDE_MATCH_H
#define FL_DECIDE_MATCH_H

#include "model/model.h"

/*
 * The flavor's NoSchedule and NoExecute taints are tolerated by the pod or by the
 * flavor itself, and its node labels suit the pod's node selector and required
 * affinity.  Only keys that the flavor defines count: of others nothing is known.
 */
bool fl_match_flavor(const struct fl_model *m, const struct fl_podset *pods,
		     struct fl_flavor flavor);

/*
 * The machine's NoSchedule and NoExecute taints are tolerated by the pod, and its labels
 * suit the pod's node selector and required affinity.
 */
bool fl_match_machine(const struct fl_model *m, const struct fl_task_row *pod,
		      const struct fl_machine_row *machine);

/* An input without any Namespace says nothing of them: all are taken to exist. */
bool fl_match_namespace_exists(const struct fl_model *m, struct fl_sym namespace);

/* Absent selectors match nothing, empty ones everything. */
bool fl_match_namespace(const struct fl_model *m, const struct fl_selector *selector,
			struct fl_sym namespace);

#endif
