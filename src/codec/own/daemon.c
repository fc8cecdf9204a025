/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Daemon (fairlead.dev/v1alpha1): how the daemon runs.  doc/guide/daemon.md.
 */
#include <string.h>

#include "base/limits.h"
#include "codec/own/daemon_parts.h"
#include "codec/own/simulation_parts.h"

enum {
	SOCKET_PATH = 107,       /* bytes that the name of a socket may have */
	CONNECTIONS = 1 << 16,   /* that anybody may ask for */
	SMALLEST_BODY = 1 << 10, /* in which a job fits */
	LARGEST_BODY = 1 << 26,  /* in which the largest array does */
	PATH = 4095,             /* bytes of a path */
	MAX_LOSSES = 1000,
};

int fl_daemon_word(struct fl_kube *k, uint32_t v, size_t longest, struct fl_sym *ret)
{
	int r = fl_kube_text(k, v, ret);

	if (r == 0 && k->doc.values[v].len == 0)
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "is empty");
	if (r == 0 && k->doc.values[v].len > longest)
		return fl_kube_fail(k, v, FAIRLEAD_ELIMIT, "is longer than %zu bytes", longest);
	return r;
}

/* --- where it is --- */

/* Daemons have no working folder of their own that anybody would know. */
static int read_path(struct fl_kube *k, uint32_t v, size_t longest, struct fl_sym *ret)
{
	int r = fl_daemon_word(k, v, longest, ret);

	if (r < 0 || fl_doc_text(&k->doc, v)[0] == '/')
		return r;
	fl_kube_fail(k, v, FAIRLEAD_EINPUT, "'%.200s' is not an absolute path",
		     fl_doc_text(&k->doc, v));
	fl_fail_hint(k->err, "begin it with '/'");
	return FAIRLEAD_EINPUT;
}

static int read_state(struct fl_kube *k, uint32_t v, void *row)
{
	return read_path(k, v, PATH, &((struct fl_daemon_settings *)row)->state);
}

static int read_backups(struct fl_kube *k, uint32_t v, void *row)
{
	return read_path(k, v, PATH, &((struct fl_daemon_settings *)row)->backups);
}

static int read_socket(struct fl_kube *k, uint32_t v, void *row)
{
	return read_path(k, v, SOCKET_PATH, &((struct fl_daemon_settings *)row)->socket);
}

/* As text: of a number YAML would lose that it is octal. */
static int read_mode(struct fl_kube *k, uint32_t v, void *row)
{
	const char *text = fl_doc_text(&k->doc, v);
	uint32_t mode = 0;

	if (k->doc.values[v].kind != FL_TOKEN_SCALAR || k->doc.values[v].type != FL_SCALAR_STRING ||
	    text[0] != '0' || strspn(text, "01234567") != strlen(text) || strlen(text) != 4) {
		fl_kube_fail(k, v, FAIRLEAD_EINPUT, "expected four octal digits in quotes");
		fl_fail_hint(k->err, "\"0666\" for everybody, \"0660\" for a group");
		return FAIRLEAD_EINPUT;
	}
	for (const char *digit = text; *digit; digit++)
		mode = mode * 8 + (uint32_t)(*digit - '0');
	((struct fl_daemon_settings *)row)->socket_mode = mode;
	return 0;
}

static const struct fl_field socket_fields[] = {
	{ .name = "path", .read = read_socket, .text = FL_TEXT_NAME },
	{ .name = "mode", .read = read_mode },
	{ .name = NULL },
};

static int read_tree(struct fl_kube *k, uint32_t v)
{
	struct fl_tree_row row = { .place = fl_kube_place(k, v) };
	int r = fl_daemon_word(k, v, PATH, &row.file);

	return r < 0 ? r : fl_model_push_daemon_trees(k->m, &row, /* ret_id= */ NULL, k->err);
}

static int read_trees(struct fl_kube *k, uint32_t v, void *row)
{
	struct fl_span *trees = &((struct fl_daemon_settings *)row)->trees;
	int r;

	trees->first = k->m->n_daemon_trees;
	r = fl_simulation_each(k, v, read_tree);
	trees->n = k->m->n_daemon_trees - trees->first;
	return r;
}

static int read_backend(struct fl_kube *k, uint32_t v, void *row)
{
	static const char *const names[] = { "local", NULL };
	uint32_t i;
	int r = fl_kube_enum(k, v, names, &i);

	return r < 0 ? r : fl_kube_text(k, v, &((struct fl_daemon_settings *)row)->backend);
}

/* --- numbers --- */

#define LENGTH(function, member)                                                                   \
	static int function(struct fl_kube *k, uint32_t v, void *row)                              \
	{                                                                                          \
		return fl_simulation_length(k, v, &((struct fl_daemon_settings *)row)->member);    \
	}

LENGTH(read_time_limit, time_limit)
LENGTH(read_max_time_limit, max_time_limit)
LENGTH(read_max_grace, max_grace)
LENGTH(read_keep_jobs, keep_jobs)
LENGTH(read_keep_events, keep_events)
LENGTH(read_keep_history, keep_history)
LENGTH(read_cycle_interval, cycle_interval)

static int read_grace(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_simulation_period(k, v, &((struct fl_daemon_settings *)row)->grace);
}

static int read_max_priority(struct fl_kube *k, uint32_t v, void *row)
{
	return fl_kube_int32(k, v, &((struct fl_daemon_settings *)row)->max_priority);
}

static int read_count(struct fl_kube *k, uint32_t v, int32_t least, int32_t most, uint32_t *ret)
{
	int32_t n = 0;
	int r = fl_kube_int32(k, v, &n);

	if (r == 0 && (n < least || n > most))
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "expected a number from %d to %d", least,
				    most);
	if (r == 0)
		*ret = (uint32_t)n;
	return r;
}

#define NUMBER(function, member, least, most)                                                      \
	static int function(struct fl_kube *k, uint32_t v, void *row)                              \
	{                                                                                          \
		return read_count(k, v, least, most, &((struct fl_daemon_settings *)row)->member); \
	}

NUMBER(read_losses, losses, 1, MAX_LOSSES)
NUMBER(read_max_jobs, max_jobs, 1, FL_MAX_WORKLOADS)
NUMBER(read_max_jobs_per_user, max_jobs_per_user, 1, FL_MAX_WORKLOADS)
NUMBER(read_max_jobs_per_queue, max_jobs_per_queue, 1, FL_MAX_WORKLOADS)
NUMBER(read_max_connections, max_connections, 1, CONNECTIONS)
NUMBER(read_max_requests, max_requests, 0, INT32_MAX)

static int read_bytes(struct fl_kube *k, uint32_t v, int64_t least, int64_t most,
		      const char *expected, int64_t *ret)
{
	fl_amount bytes = 0;
	int r = fl_kube_quantity(k, v, "memory", &bytes);

	if (r == 0 && (bytes < least || bytes > most))
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "expected %s", expected);
	if (r == 0)
		*ret = bytes;
	return r;
}

static int read_output_limit(struct fl_kube *k, uint32_t v, void *row)
{
	return read_bytes(k, v, 1, FL_UNLIMITED - 1, "a number of bytes above 0",
			  &((struct fl_daemon_settings *)row)->output_limit);
}

static int read_max_body(struct fl_kube *k, uint32_t v, void *row)
{
	return read_bytes(k, v, SMALLEST_BODY, LARGEST_BODY, "1Ki to 64Mi",
			  &((struct fl_daemon_settings *)row)->max_body);
}

static int read_max_bytes_per_user(struct fl_kube *k, uint32_t v, void *row)
{
	return read_bytes(k, v, SMALLEST_BODY, FL_UNLIMITED - 1, "1Ki or more",
			  &((struct fl_daemon_settings *)row)->max_bytes_per_user);
}

static const struct fl_field jobs[] = {
	{ .name = "grace", .read = read_grace },
	{ .name = "maxGrace", .read = read_max_grace },
	{ .name = "timeLimit", .read = read_time_limit },
	{ .name = "maxTimeLimit", .read = read_max_time_limit },
	{ .name = "outputLimit", .read = read_output_limit },
	{ .name = "maxPriority", .read = read_max_priority },
	{ .name = "losses", .read = read_losses },
	{ .name = NULL },
};

static const struct fl_field keep[] = {
	{ .name = "jobs", .read = read_keep_jobs },
	{ .name = "events", .read = read_keep_events },
	{ .name = "history", .read = read_keep_history },
	{ .name = NULL },
};

static const struct fl_field limits[] = {
	{ .name = "jobs", .read = read_max_jobs },
	{ .name = "jobsPerUser", .read = read_max_jobs_per_user },
	{ .name = "jobsPerQueue", .read = read_max_jobs_per_queue },
	{ .name = "bytesPerUser", .read = read_max_bytes_per_user },
	{ .name = "connections", .read = read_max_connections },
	{ .name = "bodyBytes", .read = read_max_body },
	{ .name = "requestsPerSecond", .read = read_max_requests },
	{ .name = NULL },
};

/* --- the whole --- */

static const struct fl_field spec[] = {
	{ .name = "tree", .read = read_trees, .text = FL_TEXT_NAME },
	{ .name = "state", .read = read_state, .text = FL_TEXT_NAME },
	{ .name = "backups", .read = read_backups, .text = FL_TEXT_NAME },
	{ .name = "socket", .fields = socket_fields },
	{ .name = "backend", .read = read_backend },
	{ .name = "machine", .fields = fl_fields_daemon_machine },
	{ .name = "jobs", .fields = jobs },
	{ .name = "keep", .fields = keep },
	{ .name = "limits", .fields = limits },
	{ .name = "access", .fields = fl_fields_daemon_access },
	{ .name = "cycleInterval", .read = read_cycle_interval },
	{ .name = NULL },
};

static const struct fl_field daemon_fields[] = {
	FL_HEAD,
	{ .name = "spec", .fields = spec },
	{ .name = NULL },
};

/* A limit that nobody asked for is the largest there is. */
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

	if (d->present) {
		fl_kube_fail(k, 0, FAIRLEAD_EINPUT, "a second Daemon");
		fl_fail_hint(k->err, "the first is at %.200s:%u:%u",
			     fl_model_text(k->m, k->m->inputs[d->place.file]), d->place.line,
			     d->place.column);
		return FAIRLEAD_EINPUT;
	}
	d->present = true;
	d->place = fl_kube_place(k, 0);
	d->name = k->name;
	r = fl_kube_map(k, 0, daemon_fields, d);
	return r < 0 ? r : check(k, d);
}

const struct fl_kind fl_kind_daemon = { "fairlead.dev", "Daemon",    false,
					daemon_fields,  read_daemon, FL_TEXT_NAME };
