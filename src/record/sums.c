/* SPDX-License-Identifier: Apache-2.0 */
#include "record/sums.h"

const char *fl_tier_name(enum fl_tier tier)
{
	static const char *const names[] = {
		[FL_TIER_PART] = "hour",   [FL_TIER_HOUR] = "hour",   [FL_TIER_DAY] = "day",
		[FL_TIER_MONTH] = "month", [FL_TIER_EXACT] = "exact",
	};

	return names[tier];
}
