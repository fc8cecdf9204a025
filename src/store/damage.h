/* SPDX-License-Identifier: Apache-2.0 */
/* damage - what was found that is not what was written, and can be done without */
#ifndef FL_STORE_DAMAGE_H
#define FL_STORE_DAMAGE_H

#include "store/store.h"

/* For fl_store_damaged. Any thread. */
void fl_store_note(struct fl_store *s, uint64_t job, const char *format, ...) FL_PRINTF(3, 4);

#endif
