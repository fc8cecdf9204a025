/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulations - simulations from the present state, as jobs of the daemon: begun, asked for, cancelled
 *
 * Each runs in a niced copy of the process (simulate.h) and is known by a number until the daemon ends,
 * an hour after its end, or until it is forgotten.  Copies that run, bytes of reports, and memory and
 * processor time of a copy are limited.  Nothing of it is on the disk: a copy dies with the daemon.
 */
#ifndef FL_DAEMON_API_SIMULATIONS_H
#define FL_DAEMON_API_SIMULATIONS_H

#include "daemon/api/call.h"

void fl_api_simulations_begin(struct fl_call *call);
void fl_api_simulations(struct fl_call *call);
/* Of the one whose number is in the path. */
void fl_api_simulation(struct fl_call *call);
void fl_api_simulation_report(struct fl_call *call);
/* Cancels one that runs; forgets one that has ended. */
void fl_api_simulation_delete(struct fl_call *call);
/* The daemon ends: so do they. */
void fl_api_simulations_end(struct fl_api *a);

#endif
