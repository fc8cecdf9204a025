/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cancel, hold, release and requeue: the same of each job that is named or found, in one request
 */
#include <jansson.h>

#include "cli/client/wishes.h"
#include "codec/job/job_word.h"

/* With --signal jobs are not cancelled: they get the signal. */
int fl_cmd_cancel(const struct fl_options *o)
{
	struct fl_wishes w = { .options = o, .action = "cancel" };
	fairlead_error err = { 0 };
	int number;

	if (!o->signal) {
		w.body = json_object();
		return fl_wishes_ask(&w);
	}
	if (fl_job_signal_read(o->signal, &number, &err) < 0)
		return fl_usage_error(o->verb, "--signal: %s", err.text);
	w.body = json_pack("{s:s}", "signal", o->signal);
	w.done = "was sent the signal";
	return fl_wishes_ask(&w);
}

int fl_cmd_hold(const struct fl_options *o)
{
	const struct fl_wishes w = {
		.options = o,
		.action = "hold",
		.body = json_pack("{s:b, s:s*}", "stop", o->stop, "reason", o->reason),
		.running = "; held from starting again",
	};

	return fl_wishes_ask(&w);
}

int fl_cmd_release(const struct fl_options *o)
{
	const struct fl_wishes w = { .options = o, .action = "release", .body = json_object() };

	return fl_wishes_ask(&w);
}

int fl_cmd_requeue(const struct fl_options *o)
{
	const struct fl_wishes w = { .options = o, .action = "requeue", .body = json_object() };

	return fl_wishes_ask(&w);
}
