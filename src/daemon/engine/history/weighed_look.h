/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weighed_look - what there is now of each resource, where no machine says so: the sum of all quotas, or what is
 * divided
 *
 * O(nodes x resources).  A quota without limit says nothing.  Tested in tests/kube/test_history.py.
 */
#ifndef FL_DAEMON_ENGINE_WEIGHED_LOOK_H
#define FL_DAEMON_ENGINE_WEIGHED_LOOK_H

#include "daemon/engine/history/weighed.h"
#include "daemon/engine/view.h"

int fl_weighed_look(const struct fl_live_view *view, fl_amount ret[FL_WEIGHED_RESOURCES],
		    fairlead_error *err);

#endif
