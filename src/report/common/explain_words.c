/* SPDX-License-Identifier: Apache-2.0 */
#include "report/common/explain_words.h"

const char *const fl_explain_states[FL_EXPLAIN_EXCLUDED + 1] = {
	[FL_EXPLAIN_RUNS] = "Admitted",     [FL_EXPLAIN_EVICTING] = "Evicting",
	[FL_EXPLAIN_NEXT] = "AdmittedNext", [FL_EXPLAIN_PREEMPTS] = "Preempting",
	[FL_EXPLAIN_WAITS] = "Waiting",     [FL_EXPLAIN_EXCLUDED] = "Excluded",
};

const char *fl_explain_refused(enum fl_check check)
{
	switch (check) {
	case FL_CHECK_VICTIM_POLICY:
		return "this queue's preemption policy allows no victims there";
	case FL_CHECK_VICTIM_BORROWS:
		return "their queue or cohort stays within its own quota";
	case FL_CHECK_STILL_BORROWS:
		return "without earlier victims, their queue or cohort is back within its quota";
	case FL_CHECK_VICTIM_PRIORITY:
		return "their priority is not below this one's";
	case FL_CHECK_VICTIM_AGE:
		return "of the same priority, and they came first";
	case FL_CHECK_WHILE_BORROWING:
		return "this one would borrow, and borrowWithinCohort does not let it take them";
	case FL_CHECK_S2A:
		return "without them their side's share is below this one's";
	case FL_CHECK_S2B:
		return "their side's share is not above this one's";
	case FL_CHECK_RUNG:
		return "admitted at no higher share than this one would be, so that preemption "
		       "settles (Policy)";
	case FL_CHECK_VICTIM_NEEDED:
		return "chosen at first, but not needed";
	case FL_CHECK_FITS_WITHOUT:
		return "they may be preempted, but even without all of them it does not fit";
	case FL_CHECK_MINIMUM_RUN:
		return "they have not held their quota for their minimum run time (Policy)";
	case FL_CHECK_OVERRULING:
		return "their priority overrules fair sharing (Policy)";
	case FL_CHECK_MAINTAIN_FAIR_SHARE:
		return "their side holds no more than its fair share, and deserved quota does "
		       "not demand it";
	case FL_CHECK_SATURATION:
		return "a queue above this one would become more saturated than the one it takes from";
	case FL_CHECK_VICTIM_RUN_TIME:
		return "they have not run for their minimum run time";
	case FL_CHECK_VICTIM_PREEMPTIBLE:
		return "they may not be preempted";
	default:
		return fl_check_meaning(check);
	}
}

const char *const fl_cell_fields[FL_CELL_ALLOCATABLE + 1] = {
	[FL_CELL_NOMINAL] = "nominalQuota",
	[FL_CELL_BORROWING_LIMIT] = "borrowingLimit",
	[FL_CELL_LENDING_LIMIT] = "lendingLimit",
	[FL_CELL_WEIGHT] = "weight",
	[FL_CELL_PRIORITY] = "priority",
	[FL_CELL_DESERVED] = "quota",
	[FL_CELL_LIMIT] = "limit",
	[FL_CELL_OVER_QUOTA_WEIGHT] = "overQuotaWeight",
	[FL_CELL_QUEUE_PRIORITY] = "priority",
	[FL_CELL_ALLOCATABLE] = "allocatable",
};

const char *const fl_actions[FL_ACTION_STALE_GANG + 1] = {
	[FL_ACTION_NONE] = "",
	[FL_ACTION_ALLOCATE] = "allocate",
	[FL_ACTION_CONSOLIDATION] = "consolidation",
	[FL_ACTION_RECLAIM] = "reclaim",
	[FL_ACTION_PREEMPT] = "preempt",
	[FL_ACTION_STALE_GANG] = "stalegangeviction",
};
