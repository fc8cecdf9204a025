/* SPDX-License-Identifier: Apache-2.0 */
/* cycles - the engine's cycles in a window, and what happens between them; private to this folder */
#ifndef FL_ASK_AGREE_CYCLES_H
#define FL_ASK_AGREE_CYCLES_H

#include "ask/agree/window.h"

enum {
	FL_AGREE_STEPS = 10000, /* of one window: a policy that never rests is no reason to wait */
	FL_AGREE_TRIES = 64,    /* moments for one decision */
	FL_AGREE_CYCLES = 32,   /* of one try: a queue has one head a cycle */
	FL_AGREE_CLOCKS = 3,
};

/* By the scheduler's clock what did not fit is in line again when it is due, so much earlier, or later. */
extern const int fl_agree_clocks[FL_AGREE_CLOCKS];

struct fl_agree_cycles {
	struct fl_agree_window *w;
	const struct fl_sink *sink;
	uint32_t done;    /* of what was heard, this is applied */
	fl_time now, due; /* due: since when a cycle is */
	uint32_t steps;
	fl_time early; /* so much earlier than here the scheduler looks again at what did not fit */
	bool known;    /* what the scheduler decided before the window has taken effect */
	bool moved;    /* the last cycle: another one may decide what it could not */
};

/* Does it change what the engine decides? */
bool fl_agree_changes(const struct fl_agree_heard *h);
/* How many of fl_agree_clocks are to be tried. */
int fl_agree_n_clocks(const struct fl_agree_window *w);
/* What was heard before heard[@to]; of the scheduler's decisions those before the window. */
int fl_agree_apply_to(struct fl_agree_cycles *x, uint32_t to, fairlead_error *err);
/* The scheduler knows what it decided before the window, whatever else it knows.  1: not without that. */
int fl_agree_know(struct fl_agree_cycles *x, fairlead_error *err);
/* What did not fit is in line again, where that is due by @until. */
int fl_agree_flush(struct fl_agree_cycles *x, fl_time until, fairlead_error *err);
int fl_agree_cycle(struct fl_agree_cycles *x, const struct fl_sink *sink, fairlead_error *err);
/* Cycles before @until, with what is before heard[@at]: what has waited for so long that the scheduler would have decided it. */
int fl_agree_catch_up(struct fl_agree_cycles *x, uint32_t at, fl_time until, fairlead_error *err);

#endif
