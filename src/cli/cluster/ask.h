/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ask - one request to the API server of a cluster, and its answer
 *
 * Tested in tests/kube/test_handover.py.
 */
#ifndef FL_CLI_CLUSTER_ASK_H
#define FL_CLI_CLUSTER_ASK_H

#include <jansson.h>

#include "cli/cluster/reach.h"

struct fl_asked {
	unsigned
		status; /* of HTTP; 0: there was no answer, and the request may have been carried out */
	json_t *body; /* of an answer 200; the caller's */
};

/*
 * Turns the loop until it has ended. 0: answer 200; else the problem, with the status there is. @body NULL: none; it is
 * given away.
 */
int fl_reach_ask(struct fl_reach *r, const char *method, const char *path, const char *type,
		 json_t *body, struct fl_asked *ret, fairlead_error *err);

#endif
