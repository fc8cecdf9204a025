/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sweep - values of one option of a scenario: "half-life=1h..30d", "k=0..2/5", "load=0.8,1,1.2"
 *
 * A range has as many points as stand behind "/" (9 when nothing does), both ends among
 * them: at equal ratios when the ends are above 0 and a factor of ten or more apart, else at
 * equal distances; those in between have three significant digits.  Where the option takes
 * whole numbers they are at equal distances and whole; what is the same comes once.
 */
#ifndef FL_CLI_OPTIONS_SWEEP_H
#define FL_CLI_OPTIONS_SWEEP_H

#include <stdint.h>

#include "base/error.h"

/* Each point is a run of the whole scenario. */
enum { FL_MAX_SWEEP = 64 };

struct fl_sweep {
	char name[300];   /* as fl_scenario_option has it */
	const char *unit; /* "seconds", "times", "" */
	double values[FL_MAX_SWEEP];
	uint32_t n;
};

/* FAIRLEAD_EINPUT or ELIMIT, with a text for people. */
int fl_sweep_parse(const char *text, struct fl_sweep *ret, fairlead_error *err);

/* "half-life 6 h", "load 1.2" */
const char *fl_sweep_label(const struct fl_sweep *s, uint32_t point, char buffer[360]);

#endif
