/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Daemon (fairlead.dev/v1alpha1): how the daemon runs.  doc/guide/daemon.md.
 */
#include "codec/own/daemon.h"

#include <string.h>

#include "base/limits.h"

enum {
	SOCKET_PATH = 107,       /* bytes of the path of a socket, at most */
	CONNECTIONS = 1 << 16,   /* connections, at most */
	SMALLEST_BODY = 1 << 10, /* bytes that are enough for one job */
	LARGEST_BODY = 1 << 26,  /* bytes that are enough for the largest array */
	PATH = 4095,             /* bytes of a path, at most */
	MAX_LOSSES = 1000,
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
	fl_fail_hint(k->err, "begin it with '/'");
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
		fl_fail_hint(k->err, "\"0666\" for everybody, \"0660\" for a group");
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
	  .doc = "Default \"0666\": who calls is asked of the kernel." },
	{ .name = NULL },
};

static int read_tree(struct fl_kube *k, uint32_t v, void *unused)
{
	struct fl_tree_row row = { .place = fl_kube_place(k, v) };
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
	  .doc = "From the signal to the kill, of jobs that do not say; default 30s." },
	{ SETTING("maxGrace", length, max_grace),
	  .doc = "Nobody gets more; default 5m, or grace where that is more." },
	{ SETTING("timeLimit", length, time_limit),
	  .doc = "Of jobs that do not say; default maxTimeLimit." },
	{ SETTING("maxTimeLimit", length, max_time_limit),
	  .doc = "Nobody gets more; default: no limit." },
	{ SETTING("outputLimit", quantity, output_limit), .resource = "memory", .least = 1,
	  .most = FL_UNLIMITED - 1, .fail = "expected a number of bytes above 0",
	  .doc = "Bytes of each stream of a task; default 64Mi." },
	{ SETTING("maxPriority", int32, max_priority),
	  .doc = "Of jobs of those who are no admins; default: no limit." },
	{ SETTING("losses", uint32, losses), .least = 1, .most = MAX_LOSSES,
	  .doc = "A job whose runner was lost so often has failed; default 3." },
	{ .name = NULL },
};

static const struct fl_field keep[] = {
	{ SETTING("jobs", length, keep_jobs),
	  .doc = "After their end, with their output; default 7d." },
	{ SETTING("events", length, keep_events), .doc = "Default 30d." },
	{ SETTING("history", length, keep_history), .doc = "Of usage; default 400d." },
	{ .name = NULL },
};

static const struct fl_field limits[] = {
	{ SETTING("jobs", uint32, max_jobs), .least = 1, .most = FL_MAX_WORKLOADS,
	  .doc = "That are not over, in all; default 200000." },
	{ SETTING("jobsPerUser", uint32, max_jobs_per_user), .least = 1, .most = FL_MAX_WORKLOADS,
	  .doc = "Default 50000." },
	{ SETTING("jobsPerQueue", uint32, max_jobs_per_queue), .least = 1, .most = FL_MAX_WORKLOADS,
	  .doc = "Default 100000." },
	{ SETTING("bytesPerUser", quantity, max_bytes_per_user), .resource = "memory",
	  .least = SMALLEST_BODY, .most = FL_UNLIMITED - 1, .fail = "expected 1Ki or more",
	  .doc = "Of jobs of a user that are not over; 1Ki or more; default 512Mi." },
	{ SETTING("connections", uint32, max_connections), .least = 1, .most = CONNECTIONS,
	  .doc = "Default 256." },
	{ SETTING("bodyBytes", quantity, max_body), .resource = "memory", .least = SMALLEST_BODY,
	  .most = LARGEST_BODY, .fail = "expected 1Ki to 64Mi",
	  .doc = "1Ki to 64Mi; default 4Mi." },
	{ SETTING("requestsPerSecond", uint32, max_requests), .least = 0, .most = INT32_MAX,
	  .doc = "Of each user but root; default 2000; 0: no limit." },
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
	  .doc = "Folder below which admins may have backups made; without it only root and whom the daemon runs as may." },
	{ .name = "socket", .fields = socket_fields },
	{ SETTING("backend", backend, backend), .words = (const char *const[]){ "local", NULL } },
	{ SETTING("policy", text, policy),
	  .doc = "borrow or drf over Kueue's objects, entitle over KAI's. Default: borrow or entitle, whose objects the trees are." },
	{ .name = "machine", .fields = fl_fields_daemon_machine },
	{ .name = "jobs", .fields = jobs },
	{ .name = "keep", .fields = keep },
	{ .name = "limits", .fields = limits },
	{ .name = "access", .fields = fl_fields_daemon_access },
	{ SETTING("cycleInterval", length, cycle_interval),
	  .doc = "Scheduling cycles are at least so far apart; default 50ms." },
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

static int check(struct fl_kube *k, struct fl_daemon_settings *d)
{
	uint32_t v = fl_doc_find(&k->doc, 0, "spec");
	int r = 0;

	if (v != FL_NONE && !fl_kube_is_null(k, v))
		r = check_time_limits(k, d, fl_doc_find(&k->doc, v, "jobs"));
	return r < 0 ? r : fl_daemon_check_machine(k);
}

static int read_daemon(struct fl_kube *k)
{
	struct fl_daemon_settings *d = &k->m->daemon;
	int r;

	if (d->present)
		return fl_own_second(k, "Daemon", d->place);
	d->present = true;
	d->place = fl_kube_place(k, 0);
	d->name = k->name;
	r = fl_kube_map(k, 0, daemon_fields, d);
	return r < 0 ? r : check(k, d);
}

const struct fl_kind fl_kind_daemon = { "fairlead.dev", "Daemon",     false,     daemon_fields,
					read_daemon,    FL_TEXT_NAME, "v1alpha1" };
