/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lists - kinds of a cluster that are listed, all at once, by turning the client of its API server until
 * that is done
 *
 * Only GET is sent.  A kind that may not be listed is told from one that is not there, which some servers
 * answer alike.  The first answer that is none of these ends all of them.
 *
 * Tested in tests/cli/test_cluster.py, tests/kube/test_command.py and tests/kube/test_verify.py.
 */
#ifndef FL_CLI_CLUSTER_LISTS_H
#define FL_CLI_CLUSTER_LISTS_H

#include "cli/cluster/reach.h"
#include "cli/terminal/progress.h"
#include "kube/discover.h"
#include "kube/listing.h"

enum fl_list_end {
	FL_LIST_WHOLE,     /* all of it was told */
	FL_LIST_ABSENT,    /* the server has no such kind */
	FL_LIST_FORBIDDEN, /* it may not be listed */
};

struct fl_lists;

/* One list; `user` is passed to its functions, whose errors end all. */
struct fl_list {
	struct fl_kube_source source;
	int (*begun)(void *user, const char *version, fairlead_error *err); /* or begun again */
	int (*object)(void *user, const struct fl_kube_object *object, fairlead_error *err);
	int (*ended)(void *user, enum fl_list_end how, fairlead_error *err);
	void *user;
	/* inside */
	struct fl_lists *all;
	struct fl_kube_listing *listing;
	struct fl_kube_discovery *discovery;
	uint64_t objects;
};

/* All zero but for @reach at first. */
struct fl_lists {
	struct fl_reach *reach;
	/* inside */
	uint32_t left;
	uint64_t objects;
	struct fl_ticker ticker;
	bool failed;
	fairlead_error error;
};

/* @l stays where it is until it is freed. */
int fl_list_begin(struct fl_lists *all, struct fl_list *l, fairlead_error *err);
/* Turns until those that were begun have ended, and says on a terminal how many objects it has read. */
int fl_lists_turn(struct fl_lists *all, fairlead_error *err);
/* All zero is fine. */
void fl_list_done(struct fl_list *l);

#endif
