/* SPDX-License-Identifier: Apache-2.0 */
#include "tell/assume.h"

#include "base/time.h"

void fl_assume_clock(const struct fl_assuming *a)
{
	char time[40];

	if (!a->has_now && a->model->newest == FL_TIME_NONE)
		a->say(a->user, "the clock is 1970-01-01T00:00:00Z: no time in the input");
	else if (!a->has_now)
		a->say(a->user, "the clock is %s, the newest time in the input",
		       fl_time_format(time, a->now));
}
