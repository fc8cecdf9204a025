/* SPDX-License-Identifier: Apache-2.0 */
/*
 * daemon - how the daemon runs: the `Daemon` document (doc/guide/daemon.md)
 *
 * Rows of the model that a Daemon document becomes; there is one at most.  They are in no image:
 * an image has the state of a policy, and not how the daemon runs.  Durations are in nanoseconds.
 */
#ifndef FL_MODEL_DAEMON_H
#define FL_MODEL_DAEMON_H

#include "base/amount.h"
#include "base/ids.h"
#include "base/names.h"

/* Amount of a resource that a flavor of the machine has; FL_NO_LIMIT: what is found. */
struct fl_daemon_resource_row {
	struct fl_sym flavor_name, resource_name;
	fl_amount amount;
	struct fl_place place;
};

/* A flavor of the machine, in the order in which they are tried. */
struct fl_daemon_flavor_row {
	struct fl_sym name;
	struct fl_span resources; /* into daemon_resources; n 0: all that is found */
	struct fl_sym device;   /* resource whose units are numbered devices; symbol 0: none said */
	struct fl_span devices; /* into daemon_devices: their numbers; n 0: found */
	struct fl_place place;
};

/* Users that may use a queue, or are admins (queue_name FL_NONE). */
struct fl_daemon_access_row {
	struct fl_sym queue_name;
	struct fl_span users, groups; /* into syms: names or numbers; both empty: all users */
	struct fl_place place;
};

/* Where the configuration is kept: in its files, or in the database, where the API changes it. */
enum fl_configuration_in { FL_CONFIGURATION_FILE, FL_CONFIGURATION_API };

/* Which requests are served: none, those with a valid token, all. */
enum fl_serves { FL_SERVES_OFF, FL_SERVES_TOKEN, FL_SERVES_OPEN };

/* An address of TCP that the daemon listens on. */
struct fl_daemon_listen_row {
	struct fl_sym host; /* an address of IPv4 or IPv6 without brackets, or a name */
	uint32_t port;      /* 0: any that is free */
	bool tls;
	struct fl_sym certificate, key; /* files; symbol 0: one that the daemon makes itself */
	enum fl_serves api, metrics;
	bool probe;           /* the daemon's health, without a token */
	bool usage;           /* what queues held, for KAI's scheduler, without a token */
	struct fl_span names; /* into syms: by which it is called, beside its address */
	struct fl_place place;
};

/* Of which decisions role scheduler writes Events of Kubernetes. */
enum fl_events_about { FL_EVENTS_NONE, FL_EVENTS_PREEMPTED, FL_EVENTS_ALL };

enum fl_cgroup_use { FL_CGROUP_AUTO, FL_CGROUP_OFF, FL_CGROUP_REQUIRED };

struct fl_daemon_settings {
	bool present;
	struct fl_place place;
	struct fl_sym name;    /* metadata.name; symbol 0 */
	struct fl_span trees;  /* into daemon_trees: files with objects, relative to the document */
	struct fl_sym state;   /* folder; symbol 0: not said */
	struct fl_sym socket;  /* path; symbol 0: "fairlead.sock" in the state folder */
	struct fl_sym backups; /* folder that admins may make backups in; symbol 0: none */
	uint32_t socket_mode;  /* default 0666: the kernel says which user calls */
	enum fl_configuration_in configuration;
	struct fl_span listens; /* into daemon_listens; n 0: on the socket alone */
	struct fl_sym backend;  /* "local" */
	struct fl_sym policy;   /* its name; symbol 0: the first one for the trees' objects */

	/* the machine */
	struct fl_sym machine_name; /* default "node" */
	struct fl_sym cohort;       /* borrow: gets the machine as its quota; symbol 0: none does */
	struct fl_span flavors;     /* into daemon_flavors; n 0: one, "default", all found */
	struct fl_span reserved;    /* into daemon_resources: kept for the system */
	enum fl_cgroup_use cgroup;

	/* jobs */
	fl_time grace;          /* of those that do not say; default 30 s */
	fl_time max_grace;      /* no job gets more; default 5 minutes, or grace */
	fl_time time_limit;     /* of those that do not say; default max_time_limit */
	fl_time max_time_limit; /* no job gets more; default FL_NEVER */
	int64_t output_limit;   /* bytes a stream of a task; default 64 MiB */
	int32_t max_priority;   /* of jobs of users that are not admins; default INT32_MAX */
	uint32_t losses;        /* a job whose runner was lost so often has failed; default 3 */
	fl_time keep_jobs;      /* after their end, with their output; default 7 days */
	fl_time keep_events;    /* default 30 days */
	fl_time keep_exact;     /* when each job held what; default 30 days */
	fl_time keep_hours;     /* sums of hours; default 400 days */
	fl_time keep_days;      /* sums of days; default 5 years; those of months stay */

	/* limits on what a client can make us do */
	uint32_t max_jobs;           /* waiting and running, in all; default 200000 */
	uint32_t max_jobs_per_user;  /* default 50000 */
	uint32_t max_jobs_per_queue; /* default 100000 */
	int64_t max_bytes_per_user;  /* of what jobs are to run; default 512 MiB */
	uint32_t max_connections;    /* default 256 */
	int64_t max_body;            /* bytes; default 4 MiB */
	uint32_t max_requests;       /* a second and user; default 2000; 0: no limit */
	uint32_t max_strange;        /* a second and address, without a token; default 20 */
	uint32_t max_handshakes;     /* a second and address; default 50 */

	int64_t max_simulation; /* bytes of memory; default 1 GiB */

	uint32_t metrics_queues;     /* with series of their own; default 256 */
	fl_time cycle_interval;      /* default 50 ms */
	enum fl_events_about events; /* default none */
	bool open; /* access: queues that are not named are open to all users; default true */
	bool without_account; /* users without an account on the machine are served; default false */
};

extern const struct fl_daemon_settings fl_daemon_default;

#endif
