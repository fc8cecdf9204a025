/* SPDX-License-Identifier: Apache-2.0 */
/* rules_train - the groups of a JobSet, and of a TrainJob, which makes one */
#ifndef FL_CODEC_GROUPER_RULES_TRAIN_H
#define FL_CODEC_GROUPER_RULES_TRAIN_H

#include "codec/grouper/kinds.h"

fl_grouper_rule fl_grouper_job_set; /* one for each replicated job, or one for all */
fl_grouper_rule fl_grouper_train;

#endif
