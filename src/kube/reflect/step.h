/* SPDX-License-Identifier: Apache-2.0 */
/* step - what a reflector does next, and when; private to src/kube */
#ifndef FL_KUBE_REFLECT_STEP_H
#define FL_KUBE_REFLECT_STEP_H

#include "kube/reflect/state.h"

/* Takes that step after @ms; 0: in the next turn of the loop. */
void fl_reflect_after(struct fl_kube_reflector *r, enum fl_reflect_step step, uint64_t ms);
/* The same after a wait that doubles with each failure. @retry_after: seconds, as the server said. */
void fl_reflect_again(struct fl_kube_reflector *r, enum fl_reflect_step step, uint32_t retry_after);
/* What went wrong is told, and @step is taken again when it is due. */
void fl_reflect_failed(struct fl_kube_reflector *r, enum fl_reflect_step step, const char *verb,
		       const struct fl_kube_answer *answer);
/* What was asked cannot be answered, however often. */
bool fl_reflect_is_wrong(unsigned status);

#endif
