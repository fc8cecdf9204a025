/* SPDX-License-Identifier: Apache-2.0 */
/*
 * history: what queues held over a time, and what their weights would have given them; or one queue
 * along time
 */
#include "cli/client/daemon.h"
#include "report/job/answers.h"
#include "report/job/job_report.h"
#include "report/job/series.h"

static int history_text(const struct fl_report *r, const struct json_t *answer, const void *user,
			fairlead_error *err)
{
	(void)user;
	return fl_history_text(r, answer, err);
}

static int series_text(const struct fl_report *r, const struct json_t *answer, const void *user,
		       fairlead_error *err)
{
	(void)user;
	return fl_series_text(r, answer, err);
}

/* Of all queues, or of one along time. */
int fl_cmd_history(const struct fl_options *o)
{
	const bool along = o->queue || o->step;
	struct fl_daemon_question q = { along ? fl_series_document.kind : fl_history_document.kind,
					along ? series_text : history_text, NULL, NULL, NULL };
	struct fl_path path;

	fl_path_start(&path, along ? "/v1/series" : "/v1/history");
	fl_path_add(&path, "queue", o->queue);
	fl_path_add(&path, "step", o->step);
	fl_path_add(&path, "from", *o->since ? o->since : NULL);
	fl_path_add(&path, "to", *o->up_to ? o->up_to : NULL);
	return fl_daemon_answer(o, &path, &q);
}
