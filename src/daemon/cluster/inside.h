/* SPDX-License-Identifier: Apache-2.0 */
/* inside - the struct of a cluster; private to the files of its folder */
#ifndef FL_DAEMON_CLUSTER_INSIDE_H
#define FL_DAEMON_CLUSTER_INSIDE_H

#include "daemon/cluster/cluster.h"
#include "daemon/cluster/kept.h"
#include "daemon/cluster/times.h"
#include "daemon/engine/agreement/agreement.h"
#include "daemon/engine/drafter.h"
#include "daemon/engine/history/weighed.h"
#include "daemon/history/upkeep.h"
#include "daemon/metrics/metrics.h"
#include "mirror/kai_gang.h"
#include "model/daemon.h"
#include "store/store.h"

enum { FL_CLUSTER_OVER = 256 /* jobs that have ended, and are still in the table */ };

/* Our own documents, as they were read. */
struct fl_cluster_own {
	struct fl_config_text *texts;
	uint32_t n, cap;
};

struct fl_cluster_scheduler; /* scheduler.h */

struct fl_cluster {
	struct fl_daemon daemon;
	struct fl_cluster_options o;
	struct fl_mirror *mirror;
	struct fl_workload_maker maker;
	struct fl_backend backend;                    /* of drivers */
	const struct fl_cluster_scheduler *scheduler; /* NULL: drivers are never stepped */

	enum fl_dialect dialect;      /* whose kinds are read */
	struct fl_kai_gangs *gangs;   /* of a cluster with KAI (kai.h) */
	struct fl_doc doc;            /* used again for each of its objects */
	bool listed[FL_MIRROR_KINDS]; /* once at least */
	bool ready;  /* all kinds were listed, and all Workloads, or PodGroups, are jobs */
	bool viewed; /* the first view is there */
	/* Set by what follows the API server: is what was heard not too old? NULL: nothing follows. */
	bool (*fresh)(const void *following, char ret_why[300]);
	const void *following;
	char stale[300]; /* why it is too old, as of the last look; "": it is not */
	struct fl_times times;
	char trouble[600]; /* ""; why it is not known how the cluster is now */

	struct fl_cluster_own own;              /* the last that were right */
	struct fl_config *config, *next_config; /* next: of the draft; NULL: the same */
	struct fl_capacity nothing;             /* a cluster has no capacity beside its quotas */
	bool own_refused;                       /* the newest own documents were */
	char refused[1000]; /* why the newest configuration, or generation, was refused; "" */
	struct fl_jobs jobs;
	uint32_t no_asks; /* of all jobs: what they ask for is said by their workloads */
	uint64_t numbers; /* the highest that was given */
	struct fl_generation generation;
	struct fl_drafter drafter;
	uv_async_t drafted;
	uv_timer_t soon;
	bool restructured; /* an object that configures has changed since the last draft began */
	bool changed;      /* a Workload has, and only the next generation can have it */
	bool heard;    /* a Workload has, in any way, since a draft of all that there is began */
	bool stuck;    /* no generation has what there is now: tried again after any change */
	bool outdated; /* the newest objects that configure were refused, and those before count */
	bool with_old; /* the next draft is made with the configuration that there is */
	uint64_t *since; /* jobs that have changed since the draft was begun */
	uint32_t n_since, cap_since;
	struct fl_keeping kept; /* history, on its way to the store */
	struct fl_weighed_capacity
		capacity;               /* the last that is kept; since 0: none, of this start */
	struct fl_upkeep *upkeep;       /* of history; NULL: not before the first view */
	struct fl_before *before;       /* at the beginning: what the store has (before.h); NULL */
	struct fl_agreement *agreement; /* NULL: not yet, or not while a generation is taken */
	const struct fl_policy_ops *agreed_by; /* its policy */
	char *agreement_folder;
	uv_timer_t second;
	uint64_t generations, events; /* made; told to the policy of one */
	uint64_t version;
	uint64_t begun, rest; /* uv_hrtime: of the last draft; not before that the next */
	uint64_t configuring; /* ns that its configuration took */
	bool broken, closing;
	uint32_t open_handles;
	void (*closed)(void *user);
	void *closed_user;
};

#endif
