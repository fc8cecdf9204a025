/* SPDX-License-Identifier: Apache-2.0 */
/* damage - the list of damaged rows that were found and are not needed to go on */
#ifndef FL_STORE_DAMAGE_H
#define FL_STORE_DAMAGE_H

#include "store/store.h"

/* Adds a row for fl_store_damaged. Any thread. */
void fl_store_note(struct fl_store *s, uint64_t job, const char *format, ...) FL_PRINTF(3, 4);

#endif
