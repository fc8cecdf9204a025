/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Daemon (fairlead.dev/v1alpha1): how the daemon runs.  doc/guide/daemon.md.
 */
#include "codec/own/daemon.h"

#include <string.h>

#include "base/limits.h"
#include "codec/own/daemon_listen.h"

enum {
	SOCKET_PATH = 107,       /* bytes of the path of a socket, at most */
	CONNECTIONS = 1 << 16,   /* connections, at most */
	SMALLEST_BODY = 1 << 10, /* bytes that are enough for one job */
	LARGEST_BODY = 1 << 26,  /* bytes that are enough for the largest array */
	PATH = 4095,             /* bytes of a path, at most */
	MAX_LOSSES = 1000,
	METRICS_QUEUES = 10000,
	SMALLEST_SIMULATION = 1 << 20,
};

#define SETTING(field, type, member) FL_IS(field, type, struct fl_daemon_settings, member)

/* --- paths --- */

/* Paths must be absolute, as the working folder of a daemon is not known. */
static int read_path(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	int r = fl_kube_word(k, v, (size_t)f->most, to);

	if (r < 0 || fl_doc_text(&k->doc, v)[0] == '/')
		return r;
	fl_kube_fail(k, v, FAIRLEAD_EINPUT, "'%.200s' is not an absolute path",
		     fl_doc_text(&k->doc, v));
	fl_fail_hint(k->err, "a path must begin with '/'");
	return FAIRLEAD_EINPUT;
}

#define FL_C_path struct fl_sym
static const struct fl_type fl_type_path = { .read = read_path,
					     .schema = "\"type\": \"string\", \"pattern\": \"^/\"",
					     .high = "maxLength" };

/* As text, since YAML would read a number as decimal. */
static int read_mode(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	const char *text = fl_doc_text(&k->doc, v);
	uint32_t mode = 0;

	(void)f;
	if (k->doc.values[v].kind != FL_TOKEN_SCALAR || k->doc.values[v].type != FL_SCALAR_STRING ||
	    text[0] != '0' || strspn(text, "01234567") != strlen(text) || strlen(text) != 4) {
		fl_kube_fail(k, v, FAIRLEAD_EINPUT, "expected four octal digits in quotes");
		fl_fail_hint(k->err, "\"0666\" for all users, \"0660\" for a group");
		return FAIRLEAD_EINPUT;
	}
	for (const char *digit = text; *digit; digit++)
		mode = mode * 8 + (uint32_t)(*digit - '0');
	*(uint32_t *)to = mode;
	return 0;
}

#define FL_C_mode uint32_t
static const struct fl_type fl_type_mode = {
	.read = read_mode, .schema = "\"type\": \"string\", \"pattern\": \"^0[0-7]{3}$\""
};

static const struct fl_field socket_fields[] = {
	{ SETTING("path", path, socket), .most = SOCKET_PATH, .text = FL_TEXT_NAME,
	  .doc = "Default: fairlead.sock in the state folder." },
	{ SETTING("mode", mode, socket_mode),
	  .doc = "Mode of the socket. Default \"0666\": all users may connect, and the kernel says which user does." },
	{ .name = NULL },
};

static int read_tree(struct fl_kube *k, uint32_t v, void *unused)
{
	struct fl_tree_row row = { .place = fl_kube_place_of(k, v) };
	int r = fl_kube_word(k, v, PATH, &row.file);

	(void)unused;
	return r < 0 ? r : fl_model_push_daemon_trees(k->m, &row, /* ret_id= */ NULL, k->err);
}

static int read_backend(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	uint32_t i;
	int r = fl_kube_enum(k, v, f->words, &i);

	return r < 0 ? r : fl_kube_text(k, v, to);
}

#define FL_C_backend struct fl_sym
static const struct fl_type fl_type_backend = { .read = read_backend, .schema = "" };

/* --- numbers --- */

static const struct fl_field jobs[] = {
	{ SETTING("grace", period, grace),
	  .doc = "Time from the signal to the kill, for jobs without one of their own; default 30s." },
	{ SETTING("maxGrace", length, max_grace),
	  .doc = "The longest grace of a job; default 5m, or grace if that is longer." },
	{ SETTING("timeLimit", length, time_limit),
	  .doc = "Time limit of jobs without one of their own; default maxTimeLimit." },
	{ SETTING("maxTimeLimit", length, max_time_limit),
	  .doc = "The longest time limit of a job; default: no limit." },
	{ SETTING("outputLimit", quantity, output_limit), .resource = "memory", .least = 1,
	  .most = FL_UNLIMITED - 1, .fail = "expected a number of bytes above 0",
	  .doc = "Bytes that are kept of each stream of a task; default 64Mi." },
	{ SETTING("maxPriority", int32, max_priority),
	  .doc = "The highest priority for jobs of users that are not admins; default: no limit." },
	{ SETTING("losses", uint32, losses), .least = 1, .most = MAX_LOSSES,
	  .doc = "A job whose runner was lost so many times has failed; default 3." },
	{ .name = NULL },
};

static const struct fl_field tiers[] = {
	{ SETTING("exact", length, keep_exact),
	  .doc = "How long it is kept what each job held, and when; default 30d." },
	{ SETTING("hour", length, keep_hours),
	  .doc = "How long the sums of each hour are kept; default 400d." },
	{ SETTING("day", length, keep_days),
	  .doc = "How long the sums of each day are kept; default 5y. Those of months stay." },
	{ .name = NULL },
};

static const struct fl_field keep[] = {
	{ SETTING("jobs", length, keep_jobs),
	  .doc = "How long jobs are kept after their end, with their output; default 7d." },
	{ SETTING("events", length, keep_events), .doc = "How long events are kept; default 30d." },
	{ SETTING("history", length, keep_exact),
	  .doc = "The older name of tiers.exact; only one of both may be there." },
	{ .name = "tiers", .fields = tiers },
	{ .name = NULL },
};

static const struct fl_field limits[] = {
	{ SETTING("jobs", uint32, max_jobs), .least = 1, .most = FL_MAX_WORKLOADS,
	  .doc = "Jobs that have not ended, of all users; default 200000." },
	{ SETTING("jobsPerUser", uint32, max_jobs_per_user), .least = 1, .most = FL_MAX_WORKLOADS,
	  .doc = "Jobs of one user that have not ended; default 50000." },
	{ SETTING("jobsPerQueue", uint32, max_jobs_per_queue), .least = 1, .most = FL_MAX_WORKLOADS,
	  .doc = "Jobs of one queue that have not ended; default 100000." },
	{ SETTING("bytesPerUser", quantity, max_bytes_per_user), .resource = "memory",
	  .least = SMALLEST_BODY, .most = FL_UNLIMITED - 1, .fail = "expected 1Ki or more",
	  .doc = "Bytes of the specs of one user's jobs that have not ended; 1Ki or more; default 512Mi." },
	{ SETTING("connections", uint32, max_connections), .least = 1, .most = CONNECTIONS,
	  .doc = "Connections to the socket and to all addresses of listen together; default 256." },
	{ SETTING("bodyBytes", quantity, max_body), .resource = "memory", .least = SMALLEST_BODY,
	  .most = LARGEST_BODY, .fail = "expected 1Ki to 64Mi",
	  .doc = "Bytes of the body of a request; 1Ki to 64Mi; default 4Mi." },
	{ SETTING("requestsPerSecond", uint32, max_requests), .least = 0, .most = INT32_MAX,
	  .doc = "Requests a second of each user except root; default 2000; 0: no limit." },
	{ SETTING("requestsWithoutToken", uint32, max_strange), .least = 1, .most = INT32_MAX,
	  .doc = "Requests a second of each network address that have no valid token; an address of IPv6 is its /64; default 20." },
	{ SETTING("handshakesPerSecond", uint32, max_handshakes), .least = 1, .most = INT32_MAX,
	  .doc = "New connections with TLS a second of each network address; default 50." },
	{ SETTING("simulationBytes", quantity, max_simulation), .resource = "memory",
	  .least = SMALLEST_SIMULATION, .most = FL_UNLIMITED - 1, .fail = "expected 1Mi or more",
	  .doc = "Bytes of memory that one simulation may take, beside those that it shares with the daemon; 1Mi or more; default 1Gi." },
	{ .name = NULL },
};

static const struct fl_field metrics[] = {
	{ SETTING("queues", uint32, metrics_queues), .least = 0, .most = METRICS_QUEUES,
	  .doc = "Queues, and cohorts, with series of their own in /metrics, the first ones by name; of all others there are only sums. 0 to 10000; default 256." },
	{ .name = NULL },
};

/* --- the whole --- */

static const struct fl_field spec[] = {
	{ FL_IS_LIST("tree", struct fl_daemon_settings, trees, daemon_trees, read_tree),
	  .text = FL_TEXT_NAME, .schema = FL_NOT_EMPTY_SCHEMA,
	  .doc = "Files, folders or patterns of objects, relative to this document; objects in this file count, too." },
	{ SETTING("state", path, state), .most = PATH, .text = FL_TEXT_NAME,
	  .doc = "Folder of the state; --state overrides." },
	{ SETTING("backups", path, backups), .most = PATH, .text = FL_TEXT_NAME,
	  .doc = "Folder below which admins may have backups made; without it only root and the user of the daemon may." },
	{ .name = "socket", .fields = socket_fields },
	{ FL_IS_ENUM("configuration", struct fl_daemon_settings, configuration,
		     enum fl_configuration_in, "file", "api"),
	  .doc = "Where the configuration is kept: in these files (default), or in the database, where PUT /v1/configuration changes it; then state, socket, listen and this field are still read from this file." },
	{ FL_IS_LIST("listen", struct fl_daemon_settings, listens, daemon_listens,
		     fl_daemon_read_listen),
	  .fields = fl_fields_daemon_listen, .list = true,
	  .doc = "Addresses of TCP where the daemon serves others, beside its socket; default: none." },
	{ SETTING("backend", backend, backend), .words = (const char *const[]){ "local", NULL } },
	{ SETTING("policy", text, policy),
	  .doc = "Policy: borrow or drf for Kueue's objects, entitle for KAI's. Default: borrow for Kueue's objects, entitle for KAI's." },
	{ .name = "machine", .fields = fl_fields_daemon_machine },
	{ .name = "jobs", .fields = jobs },
	{ .name = "keep", .fields = keep },
	{ .name = "limits", .fields = limits },
	{ .name = "metrics", .fields = metrics },
	{ .name = "access", .fields = fl_fields_daemon_access },
	{ SETTING("cycleInterval", length, cycle_interval),
	  .doc = "Least time between two scheduling cycles; default 50ms." },
	{ FL_IS_ENUM("events", struct fl_daemon_settings, events, enum fl_events_about, "none",
		     "preempted", "all"),
	  .doc = "Role scheduler of a cluster: of which decisions there are Events of Kubernetes, about their Workloads: none (default), preempted: those that evict, or all." },
	{ .name = NULL },
};

static const struct fl_field daemon_fields[] = {
	FL_HEAD,
	{ .name = "spec", .fields = spec },
	{ .name = NULL },
};

/* A limit that was not given is the largest possible one. */
static int check_time_limits(struct fl_kube *k, struct fl_daemon_settings *d, uint32_t v)
{
	if (v == FL_NONE || fl_kube_is_null(k, v))
		return 0;
	if (d->time_limit == FL_NEVER)
		d->time_limit = d->max_time_limit;
	if (d->time_limit > d->max_time_limit)
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT,
				    "'timeLimit' is more than 'maxTimeLimit'");
	if (fl_doc_find(&k->doc, v, "maxGrace") == FL_NONE)
		d->max_grace = fl_amount_max(d->max_grace, d->grace);
	if (d->grace > d->max_grace)
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "'grace' is more than 'maxGrace'");
	return 0;
}

/* Two names of one setting. */
static int check_keep(struct fl_kube *k, uint32_t v)
{
	uint32_t history, under, exact;

	if (v == FL_NONE || fl_kube_is_null(k, v))
		return 0;
	history = fl_doc_find(&k->doc, v, "history");
	under = fl_doc_find(&k->doc, v, "tiers");
	if (history == FL_NONE || under == FL_NONE || fl_kube_is_null(k, under))
		return 0;
	exact = fl_doc_find(&k->doc, under, "exact");
	if (exact == FL_NONE)
		return 0;
	fl_kube_fail(k, exact, FAIRLEAD_EINPUT, "both 'history' and 'tiers.exact'");
	fl_fail_hint(k->err, "'history' is the older name of 'tiers.exact': remove one of them");
	return FAIRLEAD_EINPUT;
}

static int check(struct fl_kube *k, struct fl_daemon_settings *d)
{
	uint32_t v = fl_doc_find(&k->doc, 0, "spec");
	int r = 0;

	if (v != FL_NONE && !fl_kube_is_null(k, v))
		r = check_time_limits(k, d, fl_doc_find(&k->doc, v, "jobs"));
	if (r == 0 && v != FL_NONE && !fl_kube_is_null(k, v))
		r = check_keep(k, fl_doc_find(&k->doc, v, "keep"));
	return r < 0 ? r : fl_daemon_check_machine(k);
}

static int read_daemon(struct fl_kube *k)
{
	struct fl_daemon_settings *d = &k->m->daemon;
	int r;

	if (d->present)
		return fl_own_second(k, "Daemon", d->place);
	d->present = true;
	d->place = fl_kube_place_of(k, 0);
	d->name = k->name;
	r = fl_kube_map(k, 0, daemon_fields, d);
	return r < 0 ? r : check(k, d);
}

const struct fl_kind fl_kind_daemon = { "fairlead.dev", "Daemon",     false,     daemon_fields,
					read_daemon,    FL_TEXT_NAME, "v1alpha1" };
