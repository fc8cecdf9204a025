/* SPDX-License-Identifier: Apache-2.0 */
/* rules - what kinds of top owners do differently from the default */
#ifndef FL_CODEC_GROUPER_RULES_H
#define FL_CODEC_GROUPER_RULES_H

#include "codec/grouper/kinds.h"

fl_grouper_rule fl_grouper_each_of_job; /* a group for each pod, with the uid of the Job */
fl_grouper_rule fl_grouper_each_pod;    /* the same with that of the pod */
fl_grouper_rule fl_grouper_roles;       /* the training operator's kinds */
fl_grouper_rule fl_grouper_mpi;
fl_grouper_rule fl_grouper_pytorch;
fl_grouper_rule fl_grouper_ray;
fl_grouper_rule fl_grouper_leaders; /* LeaderWorkerSet: one for each of its groups */

#endif
