/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/api/mirrored.h"

#include <inttypes.h>
#include <stdio.h>

#include "daemon/engine/daemon.h"
#include "report/job/mirrored.h"

/* False: an error was answered. */
static bool ask_for(const struct fl_call *call, struct fl_mirrored_question *ret)
{
	const char *place = fl_request_argument(call->r, "continue");
	const char *namespace = fl_request_argument(call->r, "namespace");
	uint64_t of;
	int end = 0;

	*ret = (struct fl_mirrored_question){ .name = fl_request_argument(call->r, "name"),
					      .namespace = namespace ? namespace : "" };
	if (!fl_api_number(call, "of", 0, UINT32_MAX, &of))
		return false;
	ret->of = (uint32_t)of;
	if (!fl_request_argument(call->r, "of") != !ret->name || (namespace && !ret->name) ||
	    (place && ret->name)) {
		fl_api_fail(call, 400, "one object is asked for by 'of', 'name' and 'namespace'",
			    "or give none of them, for all objects");
		return false;
	}
	if (!place || (sscanf(place, "m%8" SCNx64 "%n", &ret->from, &end) == 1 && !place[end]))
		return true;
	fl_api_fail(call, 400, "'continue' is not from an answer of this path",
		    "begin again without it");
	return false;
}

void fl_api_mirrored(struct fl_call *call)
{
	const struct fl_daemon *d = call->api->daemon;
	struct fl_mirrored_answer answer = { .n_kinds = 0 };
	struct fl_mirrored_question q;
	fairlead_error err = { 0 };
	char go_on[32];

	if (!ask_for(call, &q))
		return;
	if (d->ops->mirrored(d, &q, &answer, &err) < 0) {
		fl_api_error(call, &err);
	} else {
		(void)snprintf(go_on, sizeof go_on, "m%" PRIx64, answer.next);
		answer.go_on = answer.next == UINT64_MAX ? NULL : go_on;
		fl_api_answer(call, 200, &fl_mirrored_shape, &answer);
	}
	fl_mem_free(&fl_mem_heap, answer.objects);
}
