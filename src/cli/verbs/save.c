/* SPDX-License-Identifier: Apache-2.0 */
/*
 * save - the state as an image
 *
 * Nothing is written before the whole input was read, found valid, and a policy made of it.
 */
#include "cli/input/snapshot.h"

static int save(const struct fl_snapshot *s, struct fl_arena *arena, fairlead_error *err)
{
	(void)arena;
	return fl_snapshot_save(s, s->options->out, err);
}

int fl_cmd_save(const struct fl_options *options)
{
	if (!options->out)
		return fl_usage_error("save", "no file to write to: give --out FILE");
	return fl_snapshot_answer(options, save);
}
