/* SPDX-License-Identifier: Apache-2.0 */
/*
 * history: who had how much over a time, and what its weight would have given it
 */
#include "cli/client/daemon.h"
#include "report/job/job_report.h"

static int history_text(const struct fl_report *r, const struct json_t *answer, const void *user,
			fairlead_error *err)
{
	(void)user;
	return fl_history_text(r, answer, err);
}

int fl_cmd_history(const struct fl_options *o)
{
	struct fl_daemon_question q = { "History", history_text, NULL, NULL };
	const char *since = fl_option_given(o, FL_CLIENT_SINCE);
	struct fl_path path;
	char from[40];

	if (since && !fl_daemon_since(since, from))
		return fl_usage_error("history",
				      "--since: '%s' is neither a time such as "
				      "2026-01-01T00:00:00Z nor how long ago, such as 1h",
				      since);
	fl_path_start(&path, "/v1/history");
	fl_path_add(&path, "from", since ? from : NULL);
	return fl_daemon_answer(o, &path, &q);
}
