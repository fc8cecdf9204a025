/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare - the objects of a cluster beside those of the daemon that watches it
 *
 * Digests (mirror/essence.h) of a mirror of the command's own, of a fresh list, are compared with those of the
 * daemon.  Both go on meanwhile: what differs is asked for again, of both, for some seconds: up to a hundred
 * objects one by one, else their kinds whole.
 */
#ifndef FL_CLI_CLUSTER_COMPARE_H
#define FL_CLI_CLUSTER_COMPARE_H

#include "cli/cluster/fresh.h"
#include "net/client.h"
#include "report/job/verified.h"

/* An object that is not the same. */
struct fl_different {
	struct fl_fresh_kind *kind;
	char *namespace, *name, *uid;      /* heap; uid: of the daemon's; NULL: none */
	struct fl_verified_object daemon;  /* as it has it, but for its uid */
	bool there;                        /* the daemon has one */
	bool moves;                        /* the daemon has another than a moment before */
	const struct fl_mirror_object *is; /* what the cluster has; NULL: none */
};

struct fl_compared {
	struct fl_client *daemon;
	struct fl_reach reach;
	struct fl_fresh fresh;     /* kinds that the daemon follows */
	struct fl_different *rows; /* at the end those that still differ */
	uint32_t n, cap;
	uint64_t
		pass; /* of all: an object of the mirror has the number of the last that it was in */
	char *problem; /* what the daemon says of itself; heap; NULL */
};

/* *v is zero before. An error: it could not be found out. */
int fl_compare(const struct fl_options *o, struct fl_compared *v, fairlead_error *err);
void fl_compare_done(struct fl_compared *v);

#endif
