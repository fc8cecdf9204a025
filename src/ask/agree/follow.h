/* SPDX-License-Identifier: Apache-2.0 */
/* follow - at which moment the scheduler decided as it did; private to this folder */
#ifndef FL_ASK_AGREE_FOLLOW_H
#define FL_ASK_AGREE_FOLLOW_H

#include "ask/agree/cycles.h"

/*
 * The scheduler decided heard[@at] a moment before it was heard, with some of what was heard before.
 * The engine has a cycle at the last of these moments at which it decides so, and nothing else.
 */
int fl_agree_follow(struct fl_agree_cycles *x, uint32_t at, fairlead_error *err);
/* The row of the engine, from @from on, that decides the same as @h; NULL. */
struct fl_agree_decided *fl_agree_row_of(const struct fl_agree_window *w, uint32_t from,
					 const struct fl_agree_heard *h);
/* Does the engine decide so, with the same placement? */
bool fl_agree_is_of_engine(const struct fl_agree_window *w, const struct fl_agree_heard *h);

#endif
