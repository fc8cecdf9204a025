/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rest - over a machine, quota that is given to queues is taken from the cohort that has the rest
 *
 * As a reload of the configuration would lay it, so that a change gives out no more than there is.
 */
#ifndef FL_TELL_REST_H
#define FL_TELL_REST_H

#include "record/record.h"
#include "tell/tell.h"

/*
 * Adds to the @n changes of cells, of malloc, those of that cohort: not of what is changed there in so
 * many words, which asks about a larger or smaller machine. Without a machine none. FAIRLEAD_ENOMEM.
 */
int fl_tell_take_from_rest(const struct fl_question *q, struct fl_event **events, uint32_t *n,
			   fairlead_error *err);

#endif
