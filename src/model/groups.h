/* SPDX-License-Identifier: Apache-2.0 */
/* groups - which resource groups a queue or cohort may have, as Kueue's webhooks check them */
#ifndef FL_MODEL_GROUPS_H
#define FL_MODEL_GROUPS_H

#include "model/model.h"

/*
 * A resource is in one group only, and each flavor has one quota for each resource of its group, and
 * no other.  FAIRLEAD_EINPUT, with the place and the field below .spec; FAIRLEAD_ELIMIT.
 */
int fl_model_check_groups(const struct fl_model *m, const struct fl_node_row *row,
			  fairlead_error *err);

#endif
