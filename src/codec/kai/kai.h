/* SPDX-License-Identifier: Apache-2.0 */
/* kai - what the readers of KAI's objects share; private to src/codec */
#ifndef FL_CODEC_KAI_KAI_H
#define FL_CODEC_KAI_KAI_H

#include "codec/object/workload.h"

/* "preemptible", "non-preemptible", or "" for neither */
#define FL_IS_PREEMPTIBILITY(field, row, member)                                                   \
	FL_IS_ENUM(field, row, member, enum fl_preemptibility, "", "preemptible", "non-preemptible")

#endif
