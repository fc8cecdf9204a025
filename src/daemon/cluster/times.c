/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cluster/times.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/amount.h"
#include "daemon/cluster/inside.h"

static const int64_t LATEST = INT64_C(7258118400); /* 2200-01-01: what says later is no clock */

void fl_times_init(struct fl_times *t)
{
	*t = (struct fl_times){ .leaps = FL_TIME_NONE,
				.leap_told = FL_TIME_NONE,
				.behind_told = FL_TIME_NONE };
}

static void shift(struct fl_cluster *c, fl_time by)
{
	fl_clock_shift(&c->daemon.clock, by);
	if (!c->ready)
		c->daemon.started = fl_sat_add(c->daemon.started, by);
}

static void tell(const struct fl_cluster *c, fl_time ahead)
{
	const long long seconds = llabs(ahead) / FL_SECOND;

	if (seconds >= FL_TIMES_TOLD)
		fl_cluster_log(
			c,
			"this machine's clock is about %lld s %s the API server's, whose times are told",
			seconds, ahead > 0 ? "ahead of" : "behind");
}

/* Is it time to log it again?  *@last: when that was last; FL_TIME_NONE: never. */
static bool may_log(fl_time *last, fl_time boot)
{
	if (*last != FL_TIME_NONE && boot - *last < FL_TIMES_AGAIN * FL_SECOND)
		return false;
	*last = boot;
	return true;
}

/* It may be wrong for a while, and what is followed cannot be taken back. */
static void leap(struct fl_cluster *c, fl_time by, fl_time boot)
{
	struct fl_times *t = &c->times;

	if (t->leaps == FL_TIME_NONE) {
		t->leaps = boot;
		t->least = by;
		if (may_log(&t->leap_told, boot))
			fl_cluster_log(c,
				       "the API server's clock is %lld s ahead of what was told "
				       "before: followed once it is so for %d minutes",
				       (long long)(by / FL_SECOND), FL_TIMES_SURE / 60);
	}
	t->least = fl_amount_min(t->least, by);
	if (boot - t->leaps < FL_TIMES_SURE * FL_SECOND)
		return;
	fl_cluster_log(c, "the API server's clock went forward by %lld s, and is followed",
		       (long long)(t->least / FL_SECOND));
	shift(c, t->least);
	t->leaps = FL_TIME_NONE;
}

static void note_behind(struct fl_cluster *c, fl_time by, fl_time boot)
{
	static const char what[] = "an API server's clock is %lld s behind what was told before "
				   "(it was set back, or servers differ)%s";
	struct fl_times *t = &c->times;
	const long long seconds = by / FL_SECOND;

	t->behind = boot;
	if (may_log(&t->behind_told, boot))
		fl_cluster_log(c, what, seconds, "");
	(void)snprintf(t->problem, sizeof t->problem, what, seconds,
		       ", and is not followed: events and sums have times that are too late until "
		       "that time comes, also after fairleadd is started again");
}

void fl_cluster_dated(void *cluster, int64_t date, uint64_t ago)
{
	struct fl_cluster *c = cluster;
	struct fl_times *t = &c->times;
	fl_time now, wall, boot, ahead;

	if (date > LATEST)
		return;
	fl_clock_read(&c->daemon.clock, &now, &wall, &boot);
	ahead = fl_clock_ahead(&c->daemon.clock, date * FL_SECOND,
			       (fl_time)ago * (FL_SECOND / 1000));
	if (!t->dated)
		tell(c, ahead);
	t->dated = true;
	if (!c->ready) { /* nothing has happened yet */
		shift(c, fl_sat_sub(0, ahead));
		return;
	}
	if (ahead < -FL_TIMES_LEAP * FL_SECOND) {
		leap(c, fl_sat_sub(0, ahead), boot);
	} else {
		t->leaps = FL_TIME_NONE;
		if (ahead < -FL_SECOND) /* by more than is not known of it */
			shift(c, -ahead);
	}
	if (ahead >= FL_TIMES_BACK * FL_SECOND)
		note_behind(c, ahead, boot);
	else if (t->problem[0] && boot - t->behind >= FL_TIMES_SURE * FL_SECOND)
		t->problem[0] = '\0';
}
