/* SPDX-License-Identifier: Apache-2.0 */
/* swf - reads the Standard Workload Format; private to codec/trace */
#ifndef FL_CODEC_TRACE_SWF_H
#define FL_CODEC_TRACE_SWF_H

#include "codec/trace/tracer.h"

/* All lines. */
int fl_swf_read(struct fl_tracer *t);

#endif
