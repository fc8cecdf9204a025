/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dialect - how the capacity of a machine is put into objects of Kueue and of KAI; a table for each
 */
#ifndef FL_DAEMON_CONFIG_DIALECT_H
#define FL_DAEMON_CONFIG_DIALECT_H

#include "daemon/config/config.h"

struct fl_config_dialect {
	/* NULL, or checks .spec.machine.cohort: FAIRLEAD_EINPUT where cohorts do not exist. */
	int (*check)(const struct fl_model *m, fairlead_error *err);
	/*
	 * NULL, or adds the rows that complete the trees that were read; once, after reading.
	 * @alone: the configuration has no queues, so one queue is added, beside those of @m.
	 */
	int (*complete)(struct fl_model *m, bool alone, fairlead_error *err);
	/* Adds the capacity of the machine; for every model. */
	int (*lay)(struct fl_model *m, const struct fl_capacity *capacity, fairlead_error *err);
	bool gangs; /* a job is a gang of one pod instead of a workload with podsets */
};

extern const struct fl_config_dialect fl_config_kueue, fl_config_kai;

/* Of the objects of @m, which are not MIXED. */
static inline const struct fl_config_dialect *fl_config_dialect_of(const struct fl_model *m)
{
	return fl_model_dialect(m) == FL_DIALECT_KAI ? &fl_config_kai : &fl_config_kueue;
}

#endif
