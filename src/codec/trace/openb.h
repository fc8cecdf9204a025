/* SPDX-License-Identifier: Apache-2.0 */
/* openb - reads pods and nodes of OpenB */
#ifndef FL_CODEC_TRACE_OPENB_H
#define FL_CODEC_TRACE_OPENB_H

#include "codec/trace/tracer.h"

/* All lines of pods. */
int fl_openb_read_pods(struct fl_tracer *t);

/* OPENB: its nodes, before its pods: machines or quota by GPU model, as the policy needs. */
int fl_trace_read_nodes(struct fl_model *m, uint32_t trace, const char *name,
			const struct fl_source *source, fairlead_error *err);

#endif
