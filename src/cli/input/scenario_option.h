/* SPDX-License-Identifier: Apache-2.0 */
/* scenario_option - turning what a sweep turns; private to scenario */
#ifndef FL_CLI_INPUT_SCENARIO_OPTION_H
#define FL_CLI_INPUT_SCENARIO_OPTION_H

#include "cli/input/scenario.h"

/* There is such an option, and it takes this value. FAIRLEAD_EINPUT. */
int fl_scenario_check(const struct fl_scenario_option *o, fairlead_error *err);

/*
 * The model before its sources are read (settings, sources, classes), then when all but the
 * seal is done (queues, policies): each turns its own options.
 */
int fl_scenario_turn_settings(struct fl_model *m, const struct fl_scenario_option *o,
			      fairlead_error *err);
int fl_scenario_turn_queues(struct fl_model *m, const struct fl_scenario_option *o,
			    fairlead_error *err);

#endif
