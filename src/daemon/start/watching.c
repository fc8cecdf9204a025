/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/start/watching.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "daemon/cluster/follow.h"
#include "daemon/cluster/people/people.h"
#include "daemon/cluster/scheduler/scheduler.h"
#include "daemon/cluster/times.h"
#include "daemon/engine/process/confine.h"

enum {
	/* Bytes of an array: more than a reader of texts has (codec/text/json.c). */
	GIVEN_BACK = 512 << 10,
	AT_THE_END = 2 << 20, /* bytes at the end of the heap */
};

struct fl_watching {
	struct fl_kube_config *config;
	struct fl_kube_client *client;
	struct fl_following *following;
	struct fl_cluster *cluster;
	struct fl_cluster_people *people;
	struct fl_scheduler *scheduler; /* NULL: it observes */
	char identity[300];
};

/* Where fairlead's ConfigMap is: in a pod beside it, as an account of a pod is in no context. */
static const char *namespace_of(const struct fl_watching_options *options,
				const struct fl_kube_config *config)
{
	if (options->namespace)
		return options->namespace;
	return *config->context ? "fairlead" : config->namespace;
}

static const char *identity_of(const struct fl_watching_options *options, char buffer[300])
{
	const char *pod = getenv("POD_NAME");
	char host[256];

	if (options->identity || (pod && *pod))
		return options->identity ? options->identity : pod;
	if (gethostname(host, sizeof host) < 0)
		host[0] = '\0';
	host[sizeof host - 1] = '\0';
	(void)snprintf(buffer, 300, "%s-%ld", host, (long)getpid());
	return buffer;
}

/* A fifth of its requests. */
static uint32_t events_of(uint32_t qps) { return qps == 0 ? 10 : qps < 5 ? 1 : qps / 5; }

static int begin_scheduler(struct fl_watching *w, const struct fl_watching_options *options,
			   const char *namespace, fairlead_error *err)
{
	const struct fl_scheduler_options o = { .cluster = w->cluster,
						.client = w->client,
						.following = w->following,
						.namespace = namespace,
						.identity = identity_of(options, w->identity),
						.events = events_of(options->qps) };

	return options->schedules ? fl_scheduler_new(&o, &w->scheduler, err) : 0;
}

/*
 * A large array that is freed goes back to the system at once, and threads share one heap: else what is read of a
 * large cluster leaves holes that nothing fills.
 */
static void give_memory_back(void)
{
#ifdef M_MMAP_THRESHOLD
	(void)mallopt(M_MMAP_THRESHOLD, GIVEN_BACK);
	(void)mallopt(M_TRIM_THRESHOLD, AT_THE_END);
	(void)mallopt(M_ARENA_MAX, 1);
#endif
}

int fl_watching_new(const struct fl_watching_options *options, struct fl_watching **ret,
		    fairlead_error *err)
{
	const struct fl_kube_choice choice = { .kubeconfig = options->kubeconfig,
					       .context = options->context,
					       .in_cluster = !options->kubeconfig &&
							     !options->context };
	const struct fl_kube_options client = { .agent = "fairleadd/" FAIRLEAD_VERSION,
						.qps = options->qps,
						.burst = 2 * options->qps };
	struct fl_watching *w = calloc(1, sizeof *w);
	struct fl_cluster_options cluster = options->cluster;
	int r = w ? fl_kube_config_load(&choice, &w->config, err) : fl_fail_nomem(err);

	give_memory_back();
	cluster.name = "fairlead";
	cluster.kueue_namespace = "kueue-system";
	cluster.kueue_name = "kueue-manager-config";
	if (r == 0)
		cluster.namespace = namespace_of(options, w->config);
	/* Its own files are read; nothing that a server says was. */
	if (r == 0 && !fl_confine_watcher(fl_kube_config_has_plugin(w->config)) && cluster.log)
		cluster.log(cluster.user, "this kernel does not confine its calls (seccomp)");
	if (r == 0)
		r = fl_kube_new(cluster.loop, w->config, &client, &w->client, err);
	if (r == 0)
		r = fl_cluster_new(&cluster, &w->cluster, err);
	if (r == 0)
		fl_kube_hear_dates(w->client, fl_cluster_dated, w->cluster);
	if (r == 0)
		r = fl_following_new(w->client, w->cluster, &w->following, err);
	if (r == 0)
		r = fl_cluster_people_new(cluster.loop, w->client, &w->people, err);
	if (r == 0)
		r = begin_scheduler(w, options, cluster.namespace, err);
	if (r < 0)
		fl_watching_free(w);
	else
		*ret = w;
	return r;
}

struct fl_cluster *fl_watching_cluster(struct fl_watching *w) { return w->cluster; }

struct fl_people *fl_watching_people(struct fl_watching *w)
{
	return fl_cluster_people_of(w->people);
}

void fl_watching_leave(struct fl_watching *w, void (*left)(void *user), void *user)
{
	if (w->scheduler)
		fl_scheduler_close(w->scheduler, left, user);
	else
		left(user);
}

void fl_watching_close(struct fl_watching *w, void (*closed)(void *user), void *user)
{
	w->scheduler = fl_scheduler_free(w->scheduler);
	w->people = fl_cluster_people_free(w->people);
	w->following = fl_following_free(w->following);
	w->client = fl_kube_free(w->client);
	fl_cluster_close(w->cluster, closed, user);
}

struct fl_watching *fl_watching_free(struct fl_watching *w)
{
	if (!w)
		return NULL;
	fl_scheduler_free(w->scheduler);
	fl_cluster_people_free(w->people);
	fl_following_free(w->following);
	if (w->client)
		fl_kube_free(w->client);
	fl_cluster_free(w->cluster);
	if (w->config)
		fl_kube_config_free(w->config);
	free(w);
	return NULL;
}
