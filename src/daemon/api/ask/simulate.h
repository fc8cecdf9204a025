/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulate - a simulation from the present state, in a copy of the process
 *
 * The copy writes pieces into its pipe: a head each, then so many bytes.  simulations.c reads them.
 */
#ifndef FL_DAEMON_API_SIMULATE_H
#define FL_DAEMON_API_SIMULATE_H

#include "daemon/api/call.h"

enum fl_simulate_piece {
	FL_SIMULATE_PROGRESS, /* a double, from 0 to 1 */
	FL_SIMULATE_ERROR,    /* a fairlead_error: it has failed */
	FL_SIMULATE_TEXT,     /* the report for people */
	FL_SIMULATE_JSON,     /* the same as JSON */
	FL_SIMULATE_PAGE,     /* the same with series, for the page */
	FL_SIMULATE_DONE,     /* nothing follows */
	FL_SIMULATE_PIECES
};

struct fl_simulate_head {
	uint64_t len; /* of the piece, without the head */
	enum fl_simulate_piece piece;
};

struct fl_simulate_options {
	fl_time horizon; /* how long it goes on from now; FL_NEVER: of a trace, to its end */
	uint64_t seed;
	bool arrivals; /* jobs come as they came lately */
	bool trace;    /* the jobs are those of the body, and no others */
	unsigned width;
	bool color, all;
};

/* Writes it to descriptor 3; of @call the changes, and the past. Only in a copy of the process. */
_Noreturn void fl_api_simulate(const struct fl_call *call,
			       const struct fl_simulate_options *options);

#endif
