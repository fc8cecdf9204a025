/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/api/version.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "daemon/api/openapi.h"
#include "daemon/engine/daemon.h"

bool fl_api_is_versioned(const struct fl_route *route)
{
	switch (route->answer) {
	case FL_ANSWER_JOBS:
	case FL_ANSWER_JOB:
	case FL_ANSWER_QUEUES:
	case FL_ANSWER_SHARES:
	case FL_ANSWER_TREE:
		return true;
	default:
		return false;
	}
}

enum { TAG = 32 };

static const char *tag_of(uint64_t version, bool weak, char ret[TAG])
{
	(void)snprintf(ret, TAG, "%s\"%" PRIu64 "\"", weak ? "W/" : "", version);
	return ret;
}

/*
 * Does a list, `"17", W/"18"`, or "*", have the version?  A weak one is none for a change, which wants to know
 * for sure.
 */
static bool lists(const char *list, uint64_t version, bool weak)
{
	char tag[TAG];
	size_t n = strlen(tag_of(version, /* weak= */ false, tag));

	for (const char *at = list; *at; at += strcspn(at, ",")) {
		at += strspn(at, " \t,");

		size_t len = strcspn(at, ", \t"), skip = weak && strncmp(at, "W/", 2) == 0 ? 2 : 0;

		if ((len == 1 && *at == '*') ||
		    (len == skip + n && strncmp(at + skip, tag, n) == 0))
			return true;
	}
	return false;
}

static void add_headers(const struct fl_call *call, uint64_t version, bool weak)
{
	char tag[TAG];

	fl_exchange_header(call->x, "ETag", tag_of(version, weak, tag));
	/* Of its caller alone: another one sees less of it, or more. */
	fl_exchange_header(call->x, "Cache-Control", "private, no-cache");
}

static bool is_known(const struct fl_call *call, uint64_t version, bool weak)
{
	const char *known = fl_request_header(call->r, "If-None-Match");

	if (!known || !lists(known, version, /* weak= */ true))
		return false;
	add_headers(call, version, weak);
	fl_exchange_answer(call->x, 304, NULL, "", 0);
	return true;
}

/* What a caller of a cluster may see can change while the state does not. */
static bool has_version(const struct fl_call *call)
{
	return !call->sees && fl_api_is_versioned(call->route);
}

bool fl_api_is_known(const struct fl_call *call)
{
	return has_version(call) &&
	       is_known(call, fl_daemon_version(call->api->daemon), /* weak= */ true);
}

void fl_api_tag_state(const struct fl_call *call)
{
	if (has_version(call))
		add_headers(call, fl_daemon_version(call->api->daemon), /* weak= */ true);
}

bool fl_api_is_same(const struct fl_call *call, uint64_t version)
{
	return is_known(call, version, /* weak= */ false);
}

void fl_api_tag(const struct fl_call *call, uint64_t version)
{
	add_headers(call, version, /* weak= */ false);
}

bool fl_api_match(const struct fl_call *call, uint64_t version)
{
	const char *wanted = fl_request_header(call->r, "If-Match");
	char text[128];

	if (!wanted) {
		fl_api_fail(call, 428, "the header If-Match is missing: which version is changed",
			    "GET answers with it in the header ETag");
		return false;
	}
	if (lists(wanted, version, /* weak= */ false))
		return true;
	(void)snprintf(text, sizeof text, "it has changed meanwhile: it is version %" PRIu64 " now",
		       version);
	fl_api_fail(call, 412, text, "get it again, and make the change in that one");
	return false;
}
