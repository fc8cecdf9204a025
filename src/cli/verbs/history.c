/* SPDX-License-Identifier: Apache-2.0 */
/*
 * history: what queues held over a time, and what their weights would have given them
 */
#include "cli/client/daemon.h"
#include "report/job/answers.h"
#include "report/job/job_report.h"

static int history_text(const struct fl_report *r, const struct json_t *answer, const void *user,
			fairlead_error *err)
{
	(void)user;
	return fl_history_text(r, answer, err);
}

int fl_cmd_history(const struct fl_options *o)
{
	struct fl_daemon_question q = { fl_history_document.kind, history_text, NULL, NULL };
	struct fl_path path;

	fl_path_start(&path, "/v1/history");
	fl_path_add(&path, "from", *o->since ? o->since : NULL);
	return fl_daemon_answer(o, &path, &q);
}
