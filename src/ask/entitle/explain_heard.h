/* SPDX-License-Identifier: Apache-2.0 */
/* explain_heard - what the evidence of a trial came to; private to ask */
#ifndef FL_ASK_ENTITLE_EXPLAIN_HEARD_H
#define FL_ASK_ENTITLE_EXPLAIN_HEARD_H

#include "ask/entitle/explain_victims.h"
#include "ask/entitle/obstacle.h"

struct fl_entitle_heard {
	struct fl_obstacle_log obstacles;
	struct fl_entitle_victims victims;
};

#endif
