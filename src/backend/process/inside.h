/* SPDX-License-Identifier: Apache-2.0 */
/* inside - a control group by its files, as a runner has them; not for what is root's */
#ifndef FL_BACKEND_PROCESS_INSIDE_H
#define FL_BACKEND_PROCESS_INSIDE_H

#include "backend/process/group.h"

/* By its files: ends all in it; is nothing in it? */
bool fl_group_end(const struct fl_group_files *f);
bool fl_group_is_empty(const struct fl_group_files *f);
/* Did the kernel kill processes in it for using more memory than the limit? */
bool fl_group_out_of_memory(const struct fl_group_files *f);
/*
 * What all that was in it used: CPU time, ns, and memory at its highest, bytes; each is left as it
 * was where the kernel does not tell.
 */
void fl_group_used(const struct fl_group_files *f, uint64_t *cpu, uint64_t *memory);

#endif
