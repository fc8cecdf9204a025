/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scenario - from what -f names to a policy at the start of a simulation
 *
 * Objects alone are a scenario: what is there runs on, and lives by its annotations.  With a
 * Simulation among them come its trees and the jobs of its sources and classes; what it names
 * is looked for in the folder of the document, and in the current one when that came from
 * standard input.  Errors of a file name the file, and the document that names it.
 */
#ifndef FL_CLI_INPUT_SCENARIO_H
#define FL_CLI_INPUT_SCENARIO_H

#include "cli/input/snapshot.h"

/* Points into itself: it stays where it is. */
struct fl_scenario {
	struct fl_options options;   /* as given, with the clock at the start */
	struct fl_snapshot snapshot; /* model (sealed), ops, policy, report */
	fl_time start;
};

/*
 * What a sweep turns.  Values are finite; units are those of `unit`: "seconds", "times"
 * (a factor), "" (a number).  What is not there to be turned is an error, as is a value that
 * the field would not take: never a run that is silently the same.
 *
 *   half-life       seconds; 0: nothing is forgotten.  borrow: usageHalfLifeTime of
 *                   admissionFairSharing, which must be on; entitle: halfLifePeriod, with a
 *                   usage database if there was none
 *   window          seconds, above 0.  entitle: windowSize, likewise; borrow: an error
 *   k               entitle: kValue; borrow: an error
 *   load, runtime   times, above 0: of every source, on top of what the source says; load:
 *                   also times between jobs of classes; runtime: also their run times
 *   cycle-interval, grace
 *                   seconds
 *   checkpoint      seconds between two; 0: always
 *   seed            a whole number from 0 to 2^53
 *   until           seconds, above 0
 *   weight:NAME     fair weight of a ClusterQueue, Cohort or LocalQueue (NAMESPACE/NAME);
 *                   over-quota weight of a Queue in every resource
 *   quota:NAME      times: nominal quotas, borrowing and lending limits of a ClusterQueue or
 *                   Cohort; what a Queue deserves and its limit.  Unlimited stays so
 */
struct fl_scenario_option {
	const char *name;
	double value;
};

/* The unit of option @name, or NULL when there is no such option. */
const char *fl_scenario_unit(const char *name);
/* All options, for messages: "half-life, window, ..." */
const char *fl_scenario_options(void);

/*
 * Read, seal and start; @overlays are files laid over, each object as `what-if --change`
 * does, but a Simulation field by field (a list, such as sources, is replaced whole).
 * Standard input is kept, so that the next one reads it again.  0 or an error; free in any
 * case.  Warnings are the caller's to print: fl_snapshot_warn.
 */
int fl_scenario_open(struct fl_scenario *s, const struct fl_options *o, char **overlays,
		     uint32_t n_overlays, fairlead_error *err);
/* The same, with @options turned. */
int fl_scenario_vary(struct fl_scenario *s, const struct fl_options *o, char **overlays,
		     uint32_t n_overlays, const struct fl_scenario_option *options,
		     uint32_t n_options, fairlead_error *err);
void fl_scenario_done(struct fl_scenario *s);

#endif
