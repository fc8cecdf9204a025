/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cluster/handover/marked.h"

#include <string.h>

enum fl_stop fl_stop_of(const char *word)
{
	for (int i = FL_STOP_HOLD; word && i <= FL_STOP_HOLD_AND_DRAIN; i++)
		if (strcmp(fl_stop_word((enum fl_stop)i), word) == 0)
			return (enum fl_stop)i;
	return FL_STOP_NONE;
}

/* By stopPolicy. */
struct row {
	enum fl_handed marks[3];
	enum fl_stop stops[3];
};

#define OVER(none, hold)                                                                           \
	{                                                                                          \
		{ none, hold, FL_HANDED_DRAIN }, { FL_STOP_HOLD, FL_STOP_HOLD, FL_STOP_HOLD }      \
	}
static const struct row over[FL_HANDEDS] = {
	[FL_HANDED_NOT] = OVER(FL_HANDED_RUNS, FL_HANDED_HOLD),
	[FL_HANDED_RUNS] = OVER(FL_HANDED_RUNS, FL_HANDED_RUNS),
	[FL_HANDED_HOLD] = OVER(FL_HANDED_HOLD, FL_HANDED_HOLD),
	[FL_HANDED_DRAIN] = OVER(FL_HANDED_DRAIN, FL_HANDED_DRAIN),
	[FL_HANDED_BETWEEN] = OVER(FL_HANDED_RUNS, FL_HANDED_RUNS),
	[FL_HANDED_OTHER] = OVER(FL_HANDED_RUNS, FL_HANDED_HOLD),
};

/* What Hold was for fairlead; the others are Kueue's own. */
static const enum fl_stop back_from_hold[FL_HANDEDS] = {
	[FL_HANDED_NOT] = FL_STOP_HOLD,   [FL_HANDED_RUNS] = FL_STOP_NONE,
	[FL_HANDED_HOLD] = FL_STOP_HOLD,  [FL_HANDED_DRAIN] = FL_STOP_HOLD_AND_DRAIN,
	[FL_HANDED_OTHER] = FL_STOP_HOLD, [FL_HANDED_BETWEEN] = FL_STOP_NONE,
};

static enum fl_stop stop_after_back(struct fl_marked now)
{
	if (!fl_marked_checked(now))
		return now.stop == FL_STOP_HOLD ? back_from_hold[now.mark] : now.stop;
	/* The check stood in the place of Hold; one without the annotation is Kueue's already, but for the check. */
	return now.stop != FL_STOP_NONE || now.mark == FL_HANDED_NOT ? now.stop :
								       back_from_hold[now.mark];
}

struct fl_marked fl_marked_final(struct fl_marked now, enum fl_way way)
{
	/* Where the check is, a stopPolicy is a stop of a user. */
	const bool stopped = fl_marked_checked(now) && now.stop != FL_STOP_NONE;
	const struct row *row = &over[stopped ? FL_HANDED_NOT : now.mark];
	const bool checks = now.checks != FL_CHECKS_NONE;

	if (way == FL_WAY_OVER)
		return (struct fl_marked){ row->marks[now.stop],
					   checks ? FL_STOP_NONE : row->stops[now.stop],
					   checks ? FL_CHECKS_TAKEN : FL_CHECKS_NONE };
	return (struct fl_marked){ FL_HANDED_NOT, stop_after_back(now),
				   checks ? FL_CHECKS_THEIRS : FL_CHECKS_NONE };
}

struct fl_marked fl_marked_between(struct fl_marked now, enum fl_way way, bool quiet)
{
	if (fl_marked_held(now) && now.stop != FL_STOP_HOLD_AND_DRAIN &&
	    now.mark == FL_HANDED_RUNS && !quiet)
		now.mark = FL_HANDED_BETWEEN;
	if (fl_marked_held(now) || way == FL_WAY_BACK)
		return now;
	/* Of the others fairlead admits nothing, either. */
	if (now.mark != FL_HANDED_HOLD && now.mark != FL_HANDED_DRAIN)
		now.mark = FL_HANDED_BETWEEN;
	if (now.checks == FL_CHECKS_NONE)
		now.stop = FL_STOP_HOLD;
	else
		now.checks = FL_CHECKS_TAKEN;
	return now;
}
