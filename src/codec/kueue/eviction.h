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
/*
 * The same, written (heap); NULL: no memory. @uid, @job: of the Workload that it was for, and of its job; @rule: the reason of
 * condition Preempted; @by, @from: paths of the two queues, "/cohort/queue"; NULL of any: not known.
 */
char *fl_kube_why_preempted(const char *uid, const char *job, const char *rule, const char *by,
			    const char *from);
/* Is it about one before the present admission: "Previously: ..."? */
bool fl_kube_was_preempted(const char *message);

#endif
