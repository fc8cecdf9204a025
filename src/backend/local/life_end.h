/* SPDX-License-Identifier: Apache-2.0 */
/* life_end - a run whose runner has ended without a word: its processes are ended, and its end is recorded */
#ifndef FL_BACKEND_LOCAL_LIFE_END_H
#define FL_BACKEND_LOCAL_LIFE_END_H

#include "backend/local/host.h"

/* What is said of a run without a file. */
extern const char fl_life_gone[];
/* Is it the limit of open files, of us or of the machine? That says nothing about the file. */
bool fl_life_is_short(int why);
/* false: some of its processes could not be ended. */
bool fl_life_end_all(const struct fl_local_run *r, bool *ret_found);
/* May be called again while it is under way: by another order, by the end of its runner. */
void fl_life_lose(struct fl_local_run *r);

#endif
