/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/api/routes.h"

#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "daemon/api/agreement.h"
#include "daemon/api/ask/ask.h"
#include "daemon/api/ask/foretell.h"
#include "daemon/api/ask/simulations.h"
#include "daemon/api/call.h"
#include "daemon/api/configuration.h"
#include "daemon/api/history/events.h"
#include "daemon/api/history/history.h"
#include "daemon/api/history/kai_usage.h"
#include "daemon/api/history/series.h"
#include "daemon/api/history/usage.h"
#include "daemon/api/job/attach.h"
#include "daemon/api/job/jobs.h"
#include "daemon/api/job/list.h"
#include "daemon/api/job/log.h"
#include "daemon/api/job/pending.h"
#include "daemon/api/job/wishes.h"
#include "daemon/api/mirrored.h"
#include "daemon/api/openapi.h"
#include "daemon/api/page.h"
#include "daemon/api/queues.h"
#include "daemon/api/state.h"
#include "daemon/api/tokens.h"

static const struct fl_argument parts[] = {
#define PART(name, type, text) { name, FL_ARGUMENT_IS_##type, text },
#include "daemon/api/routes.def"
};

enum {
	NO_ARGUMENT,
#define ARGUMENT(id, name, type, text) id,
#include "daemon/api/routes.def"
	N_ARGUMENTS
};
static const struct fl_argument arguments[] = {
	{ NULL, FL_ARGUMENT_IS_TEXT, NULL },
#define ARGUMENT(id, name, type, text) { name, FL_ARGUMENT_IS_##type, text },
#include "daemon/api/routes.def"
};

static const struct fl_route routes[] = {
#define ARGS(...)                                                                                  \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}
#define NO_ARGUMENTS                                                                               \
	{                                                                                          \
		NO_ARGUMENT                                                                        \
	}
#define ROUTE(method, path, handler, who, daemons, action, arguments, body, answer, text)          \
	{ #method,                                                                                 \
	  path,                                                                                    \
	  #handler + sizeof "fl_api_" - 1,                                                         \
	  handler,                                                                                 \
	  FL_WHO_##who,                                                                            \
	  FL_DAEMONS_##daemons,                                                                    \
	  action,                                                                                  \
	  arguments,                                                                               \
	  FL_BODY_##body,                                                                          \
	  FL_ANSWER_##answer,                                                                      \
	  text },
#include "daemon/api/routes.def"
};

const struct fl_route *fl_route(unsigned i)
{
	return i < sizeof routes / sizeof *routes ? &routes[i] : NULL;
}

const struct fl_argument *fl_argument(unsigned i)
{
	return i && i < N_ARGUMENTS ? &arguments[i] : NULL;
}

const struct fl_argument *fl_route_part(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (strncmp(parts[i].name, name, len) == 0 && !parts[i].name[len])
			return &parts[i];
	return NULL;
}

/* --- which one --- */

static bool is_number(const char *text, size_t len, uint64_t *ret)
{
	uint64_t n = 0;

	for (size_t i = 0; i < len; i++)
		if (text[i] < '0' || text[i] > '9' || __builtin_mul_overflow(n, UINT64_C(10), &n) ||
		    __builtin_add_overflow(n, (uint64_t)(text[i] - '0'), &n))
			return false;
	*ret = n;
	return len > 0;
}

static bool matches(const char *pattern, const char *path, struct fl_route_place *ret)
{
	unsigned n = 0;

	*ret = (struct fl_route_place){ 0 };
	for (; *pattern; pattern++) {
		if (*pattern != '{') {
			if (*path++ != *pattern)
				return false;
			continue;
		}

		size_t name = strcspn(pattern, "}"), len = strcspn(path, "/");

		if (strncmp(pattern, "{job}", 5) == 0 || strncmp(pattern, "{window}", 8) == 0 ||
		    strncmp(pattern, "{simulation}", 12) == 0) {
			if (!is_number(path, len, &ret->job))
				return false;
		} else {
			if (!len)
				return false;
			ret->parts[n].text = path;
			ret->parts[n++].len = len;
		}
		path += len;
		pattern += name;
	}
	return !*path;
}

const struct fl_route *fl_route_of(const char *method, const char *path, struct fl_route_place *ret,
				   bool *ret_known)
{
	*ret_known = false;
	for (size_t i = 0; i < sizeof routes / sizeof *routes; i++) {
		if (!matches(routes[i].path, path, ret))
			continue;
		if (strcmp(routes[i].method, method) == 0)
			return &routes[i];
		*ret_known = true;
	}
	return NULL;
}

/* --- arguments --- */

enum { NAMES = 256 };

/* The names of all arguments of a route, separated by blanks. */
static const char *names_of(const struct fl_route *route, char ret[NAMES])
{
	size_t n = 0;

	ret[0] = '\0';
	for (const uint8_t *a = route->arguments; *a && n < NAMES; a++)
		n += (size_t)snprintf(ret + n, NAMES - n, "%s%s", n ? " " : "", arguments[*a].name);
	return ret;
}

bool fl_route_check(const struct fl_call *call)
{
	const struct fl_route *route = call->route;
	char known[NAMES], text[128], hint[400], names[300];
	const char *odd = fl_request_stranger(call->r, names_of(route, known));
	struct fl_nearest near = { .wanted = odd };

	if (!odd)
		return true;
	for (const uint8_t *a = route->arguments; *a; a++)
		fl_nearest_offer(&near, arguments[*a].name);
	(void)snprintf(text, sizeof text, "'%.60s' is not an argument of this path", odd);
	if (near.n)
		(void)snprintf(hint, sizeof hint, "did you mean %s?",
			       fl_nearest_text(&near, names, sizeof names));
	else
		(void)snprintf(hint, sizeof hint,
			       *known ? "its arguments: %s" : "it has no arguments", known);
	fl_api_fail(call, 400, text, hint);
	return false;
}
