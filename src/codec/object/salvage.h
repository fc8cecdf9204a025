/* SPDX-License-Identifier: Apache-2.0 */
/*
 * salvage - an object that is wrong and configures nothing: left out, unless it holds something
 *
 * A Workload with status.admission is admitted, whatever else is wrong with it: it counts as that
 * says.  Where even that cannot be read, every answer is told to be uncertain (FL_NOTICE_UNCERTAIN), and the model has
 * what names its tree (struct fl_uncertain_row).
 * Private to src/codec.
 */
#ifndef FL_CODEC_OBJECT_SALVAGE_H
#define FL_CODEC_OBJECT_SALVAGE_H

#include "codec/object/fields.h"

/*
 * Workloads, jobs, pods and their groups: what configures is never left out, nor is one of two of a
 * name, since which one counts is not known.
 */
bool fl_kube_may_leave_out(const struct fl_kind *kind);

/* k->err says what is wrong; the model becomes what it was at @mark.  0, or negative without memory. */
int fl_kube_salvage(struct fl_kube *k, const struct fl_kind *kind,
		    const struct fl_model_mark *mark);

#endif
