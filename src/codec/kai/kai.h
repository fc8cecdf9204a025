/* SPDX-License-Identifier: Apache-2.0 */
/* kai - what the readers of KAI's objects share; private to src/codec */
#ifndef FL_CODEC_KAI_KAI_H
#define FL_CODEC_KAI_KAI_H

#include "codec/object/workload.h"

/* group.c: "preemptible", "non-preemptible", or "" for neither */
int fl_kai_preemptibility(struct fl_kube *k, uint32_t v, enum fl_preemptibility *ret);

#endif
