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

struct fl_marked fl_marked_final(struct fl_marked now, enum fl_way way)
{
	const struct row *row = &over[now.mark];
	const bool held = now.stop == FL_STOP_HOLD;

	if (way == FL_WAY_OVER)
		return (struct fl_marked){ row->marks[now.stop], row->stops[now.stop] };
	return (struct fl_marked){ FL_HANDED_NOT, held ? back_from_hold[now.mark] : now.stop };
}

struct fl_marked fl_marked_between(struct fl_marked now, enum fl_way way, bool quiet)
{
	if (now.stop == FL_STOP_HOLD && now.mark == FL_HANDED_RUNS && !quiet)
		now.mark = FL_HANDED_BETWEEN;
	if (now.stop != FL_STOP_NONE || way == FL_WAY_BACK)
		return now;
	/* Of the others fairlead admits nothing, either. */
	if (now.mark != FL_HANDED_HOLD && now.mark != FL_HANDED_DRAIN)
		now.mark = FL_HANDED_BETWEEN;
	now.stop = FL_STOP_HOLD;
	return now;
}
