/* SPDX-License-Identifier: Apache-2.0 */
/* Warnings of a configuration that is valid all the same. */
#include "daemon/config/config_warn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 20 };

static void say_notice(const struct fl_model *m, const struct fl_notice *n, fl_config_say *say,
		       void *user)
{
	const char *subject = fl_model_text(m, n->subject), *hint = fl_model_text(m, n->hint);
	char line[1500];

	(void)snprintf(line, sizeof line, "%.300s:%u:%u: warning: %.250s%s%.500s%s%.300s",
		       fl_model_text(m, m->inputs[n->place.file]), n->place.line, n->place.column,
		       subject, *subject ? ": " : "", fl_model_text(m, n->text), *hint ? "; " : "",
		       hint);
	say(user, line);
}

static void say_notices(const struct fl_model *m, fl_config_say *say, void *user)
{
	uint32_t shown = 0, rest = m->notices_dropped;
	char line[64];

	for (uint32_t i = 0; i < m->n_notices; i++) {
		const struct fl_notice *n = &m->notices[i];

		if (n->kind == FL_NOTICE_ASSUMED || n->place.file >= m->n_inputs)
			continue;
		if (shown++ < SHOWN)
			say_notice(m, n, say, user);
		else
			rest++;
	}
	if (rest) {
		(void)snprintf(line, sizeof line, "and %u more warnings", rest);
		say(user, line);
	}
}

int fl_config_warn(const struct fl_config *c, const struct fl_capacity *capacity,
		   fl_config_say *say, void *user, fairlead_error *err)
{
	struct fl_model *m = NULL;
	int r = fl_config_model(c, capacity, &fl_mem_heap, &m, err);

	if (r == 0)
		r = fl_model_seal(m, err);
	if (r == 0)
		say_notices(m, say, user);
	fl_model_free(m);
	return r;
}

/* --- settings that are read at the start only --- */

/* Two configurations, whose symbols are their own. */
struct sides {
	const struct fl_model *was, *is;
};

static bool same_text(const struct sides *s, struct fl_sym was, struct fl_sym is)
{
	return strcmp(fl_model_text(s->was, was), fl_model_text(s->is, is)) == 0;
}

static bool same_amounts(const struct sides *s, struct fl_span was, struct fl_span is)
{
	for (uint32_t i = 0; i < was.n && was.n == is.n; i++) {
		const struct fl_daemon_resource_row *a = &s->was->daemon_resources[was.first + i];
		const struct fl_daemon_resource_row *b = &s->is->daemon_resources[is.first + i];

		if (a->amount != b->amount || !same_text(s, a->resource_name, b->resource_name))
			return false;
	}
	return was.n == is.n;
}

static bool same_flavor(const struct sides *s, const struct fl_daemon_flavor_row *was,
			const struct fl_daemon_flavor_row *is)
{
	return same_text(s, was->name, is->name) && same_text(s, was->device, is->device) &&
	       same_amounts(s, was->resources, is->resources) && was->devices.n == is->devices.n &&
	       (was->devices.n == 0 || memcmp(s->was->daemon_devices + was->devices.first,
					      s->is->daemon_devices + is->devices.first,
					      was->devices.n * sizeof *s->is->daemon_devices) == 0);
}

static bool same_flavors(const struct sides *s)
{
	const struct fl_span was = s->was->daemon.flavors, is = s->is->daemon.flavors;

	for (uint32_t i = 0; i < was.n && was.n == is.n; i++)
		if (!same_flavor(s, &s->was->daemon_flavors[was.first + i],
				 &s->is->daemon_flavors[is.first + i]))
			return false;
	return was.n == is.n;
}

static bool same_names(const struct sides *s, struct fl_span was, struct fl_span is)
{
	for (uint32_t i = 0; i < was.n && was.n == is.n; i++)
		if (!same_text(s, s->was->syms[was.first + i], s->is->syms[is.first + i]))
			return false;
	return was.n == is.n;
}

static bool same_listener(const struct sides *s, const struct fl_daemon_listen_row *a,
			  const struct fl_daemon_listen_row *b)
{
	return same_text(s, a->host, b->host) && a->port == b->port && a->tls == b->tls &&
	       same_text(s, a->certificate, b->certificate) && same_text(s, a->key, b->key) &&
	       a->api == b->api && a->metrics == b->metrics && a->usage == b->usage &&
	       a->probe == b->probe && same_names(s, a->names, b->names);
}

static bool same_listeners(const struct sides *s)
{
	const struct fl_span was = s->was->daemon.listens, is = s->is->daemon.listens;

	for (uint32_t i = 0; i < was.n && was.n == is.n; i++)
		if (!same_listener(s, &s->was->daemon_listens[was.first + i],
				   &s->is->daemon_listens[is.first + i]))
			return false;
	return was.n == is.n;
}

/* A setting, and whether it is the same on both sides. */
struct setting {
	const char *name;
	bool same;
};

static const char *name_those(const struct setting *table, size_t rows, char *buffer, size_t size)
{
	size_t n = 0;

	*buffer = '\0';
	for (size_t i = 0; i < rows && n < size; i++)
		if (!table[i].same)
			n += (size_t)snprintf(buffer + n, size - n, "%s.spec.%s", n ? ", " : "",
					      table[i].name);
	return buffer;
}

static bool same_socket(const struct sides *s)
{
	return same_text(s, s->was->daemon.socket, s->is->daemon.socket) &&
	       s->was->daemon.socket_mode == s->is->daemon.socket_mode;
}

const char *fl_config_at_start(const struct fl_config *was, const struct fl_config *is,
			       char *buffer, size_t size)
{
	const struct sides s = { fl_config_objects(was), fl_config_objects(is) };
	const struct fl_daemon_settings *a = &s.was->daemon, *b = &s.is->daemon;
	const bool kept = a->configuration == FL_CONFIGURATION_API;
	const struct setting table[] = {
		{ "state", kept || same_text(&s, a->state, b->state) },
		{ "socket", kept || same_socket(&s) },
		{ "listen", kept || same_listeners(&s) },
		{ "machine.flavors", same_flavors(&s) },
		{ "machine.reserved", same_amounts(&s, a->reserved, b->reserved) },
		{ "machine.cgroup", a->cgroup == b->cgroup },
		{ "jobs.outputLimit", a->output_limit == b->output_limit },
		{ "limits.connections", a->max_connections == b->max_connections },
		{ "limits.bodyBytes", a->max_body == b->max_body },
		{ "limits.requestsPerSecond", a->max_requests == b->max_requests },
		{ "metrics.queues", a->metrics_queues == b->metrics_queues },
		{ "limits.requestsWithoutToken", a->max_strange == b->max_strange },
		{ "limits.handshakesPerSecond", a->max_handshakes == b->max_handshakes },
	};

	return name_those(table, sizeof table / sizeof *table, buffer, size);
}

const char *fl_config_of_file(const struct fl_config *was, const struct fl_config *is, char *buffer,
			      size_t size)
{
	const struct sides s = { fl_config_objects(was), fl_config_objects(is) };
	const struct setting table[] = {
		{ "state", same_text(&s, s.was->daemon.state, s.is->daemon.state) },
		{ "socket", same_socket(&s) },
		{ "listen", same_listeners(&s) },
		{ "tree", s.is->daemon.trees.n == 0 },
	};

	return name_those(table, sizeof table / sizeof *table, buffer, size);
}
