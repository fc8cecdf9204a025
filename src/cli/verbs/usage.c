/* SPDX-License-Identifier: Apache-2.0 */
/* usage: what users held over a time */
#include "report/job/usage.h"
#include "cli/client/daemon.h"
#include "report/job/answers.h"

static int usage_text(const struct fl_report *r, const struct json_t *answer, const void *user,
		      fairlead_error *err)
{
	(void)user;
	return fl_usage_text(r, answer, err);
}

int fl_cmd_usage(const struct fl_options *o)
{
	struct fl_daemon_question q = { fl_usage_document.kind, usage_text, NULL, NULL, NULL };
	struct fl_path path;

	fl_path_start(&path, "/v1/usage");
	fl_path_add(&path, "from", *o->since ? o->since : NULL);
	fl_path_add(&path, "to", *o->up_to ? o->up_to : NULL);
	return fl_daemon_answer(o, &path, &q);
}
