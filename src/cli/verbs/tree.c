/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/client/daemon_ask.h"
#include "cli/input/snapshot.h"
#include "tell/tell.h"

static int run(const struct fl_snapshot *s, struct fl_arena *arena, fairlead_error *err)
{
	const struct fl_question q = fl_snapshot_question(s, arena);

	return fl_tell_tree(&q, s->options->n_operands ? s->options->operands[0] : NULL, err);
}

int fl_cmd_tree(const struct fl_options *options)
{
	return options->n_files == 0 ? fl_daemon_tree(options) : fl_snapshot_answer(options, run);
}
