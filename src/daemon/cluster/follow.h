/* SPDX-License-Identifier: Apache-2.0 */
/*
 * follow - a cluster hears each of its kinds from an API server: Kueue's, or KAI's
 *
 * Of which of them is what the policy of the Daemon goes by; where that names none, KAI's if the server has KAI's
 * Queues and no ClusterQueues.  That is found out once, at the beginning.
 *
 * It is fresh while each kind was listed, and each watch has been heard of within FL_FOLLOWING_OLDEST.
 * Whether it was at the end is known to the cluster after it: its history says nothing of the time since.
 *
 * What may not be read, or does not answer, is a trouble of the cluster, told in its health, and looked for
 * again; the state that was heard last stays.  Tested in tests/kube/test_cluster.py.
 */
#ifndef FL_DAEMON_CLUSTER_FOLLOW_H
#define FL_DAEMON_CLUSTER_FOLLOW_H

#include "daemon/cluster/cluster.h"
#include "kube/reflect.h"

enum { FL_FOLLOWING_OLDEST = 120 /* seconds */ };

/* Which objects of a kind are read. */
struct fl_cluster_source {
	const char *namespace; /* NULL: of all */
	char fields[300];      /* a selector; "": none */
};
void fl_cluster_source(const struct fl_cluster *c, enum fl_mirror_kind kind,
		       struct fl_cluster_source *ret);

struct fl_following;

/*
 * All kinds are listed anew; @done once they are, and the mirror is as the server was after this call.  Asked again
 * before that: once, after the last.
 */
void fl_following_again(struct fl_following *f, void (*done)(void *user), void *user);

/* @k and @c outlive it. */
int fl_following_new(struct fl_kube_client *k, struct fl_cluster *c, struct fl_following **ret,
		     fairlead_error *err);
struct fl_following *fl_following_free(struct fl_following *f); /* NULL is fine; returns NULL */

#endif
