/* SPDX-License-Identifier: Apache-2.0 */
#include "model/simulation.h"

const struct fl_simulation_settings fl_simulation_default = {
	.seed = 1,
	.start = FL_TIME_NONE,
	.until = FL_NEVER,
	.cycle_interval = FL_SECOND / 10,
	.period = FL_NEVER,
	.grace = 30 * FL_SECOND,
	.checkpoint = FL_NEVER,
	.top = 12,
};
