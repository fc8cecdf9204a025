/* SPDX-License-Identifier: Apache-2.0 */
#include "base/limits.h"
#include "cli/client/daemon_ask.h"
#include "cli/input/snapshot.h"
#include "cli/terminal/progress.h"
#include "tell/tell.h"

static void progress(void *user, uint32_t cycles) { fl_ticker_show(user, "%u cycles", cycles); }

static int run(const struct fl_snapshot *s, struct fl_arena *arena, bool *ret_ok,
	       fairlead_error *err)
{
	const struct fl_question q = fl_snapshot_question(s, arena);
	const struct fl_options *o = s->options;
	struct fl_ticker ticker;
	const struct fl_tell_plan options = {
		.interval = o->interval,
		.cycles = o->settle && !o->has_cycles ? FL_MAX_CYCLES : o->cycles,
		.settle = o->settle,
		.progress = progress,
		.user = &ticker,
	};

	fl_ticker_begin(&ticker);
	int rc = fl_tell_plan(&q, &options, ret_ok, err);
	fl_ticker_end(&ticker);
	return rc;
}

int fl_cmd_plan(const struct fl_options *options)
{
	struct fl_snapshot snapshot;
	struct fl_arena arena;
	fairlead_error err = { 0 };
	bool ok = false;

	if (options->n_files == 0)
		return fl_daemon_plan(options);
	fl_arena_init(&arena, &fl_mem_heap);
	int code = fl_snapshot_open(&snapshot, options);
	if (code == FL_EXIT_YES) {
		int rc = run(&snapshot, &arena, &ok, &err);

		code = rc < 0 ? fl_complain(&err) : ok ? FL_EXIT_YES : FL_EXIT_NO;
	}
	fl_arena_done(&arena);
	fl_snapshot_done(&snapshot);
	return code;
}
