/* SPDX-License-Identifier: Apache-2.0 */
/* dialect - how a machine comes into objects of Kueue and of KAI; a table a dialect */
#ifndef FL_DAEMON_CONFIG_DIALECT_H
#define FL_DAEMON_CONFIG_DIALECT_H

#include "daemon/config/config.h"

struct fl_config_dialect {
	/* NULL, or FAIRLEAD_EINPUT, of .spec.machine.cohort, where it means nothing. */
	int (*check)(const struct fl_model *m, fairlead_error *err);
	/*
	 * NULL, or the rows that make a tree of whatever was read; once, when it is read.
	 * @alone: nobody has said who there is, so there is one queue, beside those of @m.
	 */
	int (*complete)(struct fl_model *m, bool alone, fairlead_error *err);
	/* What the machine has; for every model. */
	int (*lay)(struct fl_model *m, const struct fl_capacity *capacity, fairlead_error *err);
	bool gangs; /* a job is a gang of one pod, and no workload with podsets */
};

extern const struct fl_config_dialect fl_config_kueue, fl_config_kai;

/* Of the objects of @m, which are not MIXED. */
static inline const struct fl_config_dialect *fl_config_dialect_of(const struct fl_model *m)
{
	return fl_model_dialect(m) == FL_DIALECT_KAI ? &fl_config_kai : &fl_config_kueue;
}

#endif
