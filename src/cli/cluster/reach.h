/* SPDX-License-Identifier: Apache-2.0 */
/* reach - a client of the cluster that the options name, in a loop of its own */
#ifndef FL_CLI_CLUSTER_REACH_H
#define FL_CLI_CLUSTER_REACH_H

#include "cli/cli.h"
#include "kube/client.h"

struct fl_reach {
	uv_loop_t loop;
	struct fl_kube_config *config;
	struct fl_kube_client *client;
	const char *title; /* the name of the context; valid until it is closed */
	bool begun;        /* the loop is there */
};

/* By --kubeconfig and --context; else the current context, or in a pod its account. To be closed after an error, too. */
int fl_reach_open(const struct fl_options *o, struct fl_reach *ret, fairlead_error *err);
void fl_reach_close(struct fl_reach *r);

#endif
