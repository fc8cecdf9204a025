/* SPDX-License-Identifier: Apache-2.0 */
/* world - the state in which the engine decides by itself, while workloads come and end as they really did; private to this folder */
#ifndef FL_ASK_AGREE_WORLD_H
#define FL_ASK_AGREE_WORLD_H

#include "ask/agree/window.h"

/* What the engine decides is in w->engine. */
struct fl_agree_mark {
	fl_mark mark;
	uint32_t n, n_placements, n_stood;
};
void fl_agree_world_begin(struct fl_agree_window *w);
int fl_agree_world_mark(struct fl_agree_window *w, struct fl_agree_mark *ret, fairlead_error *err);
void fl_agree_world_back(struct fl_agree_window *w, const struct fl_agree_mark *mark);
int fl_agree_apply(struct fl_agree_window *w, const struct fl_agree_heard *h, fairlead_error *err);
/* A decision of the scheduler takes effect; as the policy's apply. */
int fl_agree_obey(struct fl_agree_window *w, const struct fl_agree_heard *h, fairlead_error *err);
/* A cycle, after heard[0 .. @heard) was applied.  *ret: another one may decide what this one could not. */
int fl_agree_step(struct fl_agree_window *w, fl_time now, uint32_t heard,
		  const struct fl_sink *sink, bool *ret, fairlead_error *err);
/* As the cluster keeps it. */
fl_time fl_agree_kept_time(const struct fl_agree_window *w, fl_time at);
bool fl_agree_is_preemption(enum fl_reason r);
int fl_agree_add(const struct fl_mem *mem, struct fl_agree_side_rows *s,
		 const struct fl_agree_decided *d, const struct fl_placement *rows, uint32_t n,
		 fairlead_error *err);
/* Where a workload is in that world. */
struct fl_workload fl_agree_place(const struct fl_agree_window *w, struct fl_workload v);

#endif
