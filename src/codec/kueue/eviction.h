/* SPDX-License-Identifier: Apache-2.0 */
/* eviction - what Kueue writes into the message of condition Evicted or Preempted */
#ifndef FL_CODEC_KUEUE_EVICTION_H
#define FL_CODEC_KUEUE_EVICTION_H

#include "codec/object/types.h"

/*
 * Of a preemption; @rule: the reason of condition Preempted, FL_NONE: it is taken from the message.
 * What the message does not say stays as it is.
 */
int fl_kube_preempted(struct fl_kube *k, const char *message, struct fl_sym rule,
		      struct fl_eviction_row *ret);
/* Is it about one before the present admission: "Previously: ..."? */
bool fl_kube_was_preempted(const char *message);

#endif
