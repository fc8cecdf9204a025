/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a Policy: which node has which setting. */
#include "model/table.h"

#define UNSAID                                                                                     \
	{                                                                                          \
		FL_TIME_NONE, FL_TIME_NONE, FL_TIME_NONE, FL_TIME_NONE                             \
	}

const struct fl_protection fl_protection_default = {
	.minimum_run = UNSAID,
	.delay = UNSAID,
	.back_off_base = FL_TIME_NONE,
	.back_off_max = FL_TIME_NONE,
};

const char *fl_cause_name(enum fl_cause cause)
{
	static const char *const names[FL_CAUSES] = {
		[FL_CAUSE_WITHIN_QUEUE] = "InClusterQueue",
		[FL_CAUSE_RECLAIM] = "InCohortReclamation",
		[FL_CAUSE_FAIR_SHARING] = "InCohortFairSharing",
		[FL_CAUSE_RECLAIM_BORROWING] = "InCohortReclaimWhileBorrowing",
	};

	return (unsigned)cause < FL_CAUSES ? names[cause] : "";
}

int fl_model_add_protection(struct fl_model *m, const struct fl_protection_row *row,
			    fairlead_error *err)
{
	uint32_t key = FL_TABLE_PROTECTION_KEY + (uint32_t)row->scope, old = 0;
	int r = fl_pairs_add(&m->by_name, key, row->name.v, m->n_protections, &old, err);

	if (r == 0)
		return fl_model_push_protections(m, row, /* ret_id= */ NULL, err);
	if (r < 0)
		return r;
	fl_fail(err, FAIRLEAD_EINPUT, "'%.60s' is there already", fl_model_text(m, row->name));
	fl_fail_hint(err, "write all that holds for it in one place");
	return fl_model_fail_at(m, row->place, err);
}

int fl_protection_resolve(struct fl_model *m, fairlead_error *err)
{
	static const struct fl_sym no_namespace = { 0 };
	int r = 0;

	for (uint32_t i = 0; i < m->n_protections && r == 0; i++) {
		struct fl_protection_row *row = &m->protections[i];
		enum fl_table table = row->scope == FL_PROTECT_COHORT ? FL_TABLE_COHORT :
									FL_TABLE_CLUSTER_QUEUE;

		row->node.v = row->scope == FL_PROTECT_ALL ?
				      FL_NONE :
				      fl_table_find(m, table, no_namespace, row->name);
		if (row->scope != FL_PROTECT_ALL && row->node.v == FL_NONE)
			r = fl_model_notice(m, FL_NOTICE_MISSING_NODE, row->place, "Policy",
					    "its settings have no effect", err,
					    "there is no %s '%s'", fl_table_kind(table),
					    fl_model_text(m, row->name));
	}
	return r;
}
