/* SPDX-License-Identifier: Apache-2.0 */
/* kai - the machine for KAI's queues: one node that all of them share */
#include <string.h>

#include "daemon/config/dialect.h"

static const char *const axes[FL_BUNDLE] = { "cpu", "memory", "nvidia.com/gpu" };

static int axis_of(const char *resource)
{
	int i = 0;

	while (i < FL_BUNDLE && strcmp(axes[i], resource) != 0)
		i++;
	return i;
}

/* The deserved quotas of queues without a parent; those of all others are part of these. */
static int note_deserved(struct fl_model *m, const struct fl_bundle *has, fairlead_error *err)
{
	struct fl_bundle sum = { { 0 } };
	int r = 0;

	for (uint32_t n = 0; n < m->n_nodes; n++)
		for (int i = 0; i < FL_BUNDLE && m->nodes[n].parent_name.v == FL_NONE; i++) {
			double deserved = m->entitlements[m->nodes[n].entitlement].deserved.of[i];

			sum.of[i] += deserved > 0 ? deserved : 0;
		}
	for (int i = 0; i < FL_BUNDLE && r == 0; i++)
		if (sum.of[i] > has->of[i])
			r = fl_model_notice(m, FL_NOTICE_BEYOND_MACHINE, m->daemon.place, "Daemon",
					    "lower the quotas of the queues: they cannot all "
					    "get what they deserve",
					    err,
					    "the queues deserve %g of '%s', but the machine has %g",
					    i == FL_CPU ? sum.of[i] / 1000 : sum.of[i], axes[i],
					    i == FL_CPU ? has->of[i] / 1000 : has->of[i]);
	return r;
}

static int lay(struct fl_model *m, const struct fl_capacity *capacity, fairlead_error *err)
{
	struct fl_machine_row row = { .name = m->daemon.machine_name, .place = m->daemon.place };
	int r;

	for (uint32_t i = 0; i < capacity->n; i++) {
		int axis = axis_of(capacity->rows[i].resource);

		if (axis < FL_BUNDLE)
			row.allocatable.of[axis] += (double)capacity->rows[i].amount;
	}
	r = capacity->n ? note_deserved(m, &row.allocatable, err) : 0;
	return r < 0 ? r : fl_model_add_machine(m, &row, err);
}

static int check(const struct fl_model *m, fairlead_error *err)
{
	if (m->daemon.cohort.v == 0)
		return 0;
	fl_fail(err, FAIRLEAD_EINPUT, "the trees have KAI's queues, and KAI has no cohorts");
	return fl_fail_hint(err, "remove it: all queues share the machine");
}

const struct fl_config_dialect fl_config_kai = { .check = check, .lay = lay, .gangs = true };
