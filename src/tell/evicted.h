/* SPDX-License-Identifier: Apache-2.0 */
/* evicted - the last eviction of a workload, as a question knows it */
#ifndef FL_TELL_EVICTED_H
#define FL_TELL_EVICTED_H

#include "tell/tell.h"

/* Of the question, or else of the model: @ret, or NULL where none is known. */
const struct fl_evicted *fl_tell_evicted(const struct fl_question *q, struct fl_workload w,
					 struct fl_evicted *ret);

#endif
