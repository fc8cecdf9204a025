/* SPDX-License-Identifier: Apache-2.0 */
/* prepare - the next generation: made at once, or begun, made on a thread, and taken */
#ifndef FL_DAEMON_MACHINE_PREPARE_H
#define FL_DAEMON_MACHINE_PREPARE_H

#include "daemon/machine/batch.h"
#include "daemon/machine/core.h"

/* Makes the next generation at once, with the present jobs up to number @up_to. */
int fl_core_regenerate(struct fl_core *c, fl_time now, uint64_t up_to, fairlead_error *err);
/* Apply rows PREPARE and JOIN. */
int fl_core_prepare(struct fl_core *c, const struct fl_journal_row *row, fairlead_error *err);
int fl_core_join(struct fl_core *c, const struct fl_journal_row *row, fairlead_error *err);
/* How many jobs may take part once rows of a batch are applied. */
uint32_t fl_core_n_coming(const struct fl_core *c, const struct fl_gather *g);
/*
 * The next row for jobs that are to take part, those of the batch @g too, if it is time; false: none
 * yet.
 */
bool fl_core_next_join(const struct fl_core *c, const struct fl_gather *g,
		       struct fl_journal_row *ret);
void fl_core_drop_draft(struct fl_core *c);
/* Callbacks of the drafter: on its thread, and then on the loop. */
void fl_core_tell_drafted(void *core);
void fl_core_on_drafted(uv_async_t *async);

#endif
