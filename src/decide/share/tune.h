/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tune - what k, half-life and window mean, and which ones do what is intended
 *
 * A queue of normalised weight w (its part of the weights that compete) and usage u (part of
 * the cluster over the window, decide/share/history.h) has the portion
 *
 *     P' = P / sum of all P,   P = max(w + k (w - u), 0)
 *
 * of what is over quota.  The cost of its usage is what it loses of its weight's part,
 * 1 - P' / w: 0.5 when its portion is half of that, 1 when it gets nothing, below 0 when it
 * gets more.  What the others used matters, too, and is one of
 *
 *     idle  nothing: what this queue's usage costs by itself.  Any usage costs something, and
 *           P' = (w + k (w - u)) / (1 + k (1 - u));
 *     busy  all the rest, each in proportion to its weight.  Then the sum of all P is 1,
 *           P' = w + k (w - u), and only usage above w costs anything.
 *
 * (Both as long as nobody's P is cut at 0.)  Usage, cost, and everything here are those of a
 * sliding window in a cluster whose capacity was the same for all of it.
 *
 * Pure: allocates nothing, cannot fail.
 */
#ifndef FL_DECIDE_SHARE_TUNE_H
#define FL_DECIDE_SHARE_TUNE_H

#include "base/ids.h"

struct fl_tune {
	double k;          /* not negative */
	fl_time half_life; /* 0: none */
	fl_time window;    /* above 0 */
	/*
	 * A GPU as a part of the cluster, up to 1/2: shares are rounded to whole ones, so who is left
	 * less than half of one has nothing.  0: as if there were any number of them.
	 */
	double unit;
};

enum fl_tune_others { FL_OTHERS_IDLE, FL_OTHERS_BUSY };

/*
 * Usage of who held @part (0 to 1) of the cluster for @used and since then, for @idle, nothing:
 * of the window the part from `idle` to `idle + used` ago, by weight.
 */
double fl_tune_usage(const struct fl_tune *t, double part, fl_time used, fl_time idle);

double fl_tune_portion(double k, double weight, double usage, enum fl_tune_others others);
double fl_tune_cost(double k, double weight, double usage, enum fl_tune_others others);

/* --- backwards: which ... costs @cost (above 0, at most 1)? ------------------------------ */

/* Usage, in closed form; INFINITY with k = 0.  Above 1 nobody can have it. */
double fl_tune_usage_for(double k, double weight, double cost, enum fl_tune_others others);

/* k, in closed form; INFINITY when none does. */
double fl_tune_k_for(double weight, double usage, double cost, enum fl_tune_others others);

/* What it costs at most, which k above all bounds comes near to; 0 to 1. */
double fl_tune_most(double weight, double usage, enum fl_tune_others others);

/*
 * The half-life with which holding @part for @used is @usage, by bisection to a millionth:
 * it is the smaller the longer the half-life.  0: no half-life is short enough.
 * FL_NEVER: it is that, or more, without a half-life.
 */
fl_time fl_tune_half_life_for(const struct fl_tune *t, double part, fl_time used, double usage);

/* The window, in closed form; at least @used.  0: none is short enough. FL_NEVER: of any length. */
fl_time fl_tune_window_for(const struct fl_tune *t, double part, fl_time used, double usage);

/* --- what follows from the parameters ------------------------------------------------------ */

/*
 * From this k on a holder of the whole cluster gets nothing in the end: with e half a unit,
 * (w - e) / (1 - w).  */
double fl_tune_least_k(const struct fl_tune *t, double weight);

/*
 * How long it holds everything until then, the others idle before and after, in closed form:
 * until its usage is (1 + k) (w - e) / (k (1 - e)); FL_NEVER.
 */
fl_time fl_tune_yields(const struct fl_tune *t, double weight);

/* After using everything for a window or longer: idle until its portion is its weight's again. */
fl_time fl_tune_recovers(const struct fl_tune *t, double weight);

/* After holding something for @used: idle until the usage is half of what it was, by bisection. */
fl_time fl_tune_halves(const struct fl_tune *t, fl_time used);

/*
 * A model: two queues of equal weight with nothing but jobs that need the whole cluster, and no
 * minimum run time, take turns of this length; FL_NEVER when the first one keeps it (k < 1 - 2 e;
 * k = 1 - 2 e with a half-life so short that the window's end does not matter).
 *
 * Who holds yields at u* = (1 + k - 2 e) / 2k.  In turns of length T, with a window of at most 2T, the
 * holder held the last T of it, so gained(T) / gained(window) = u* (decide/share/integral.h): without a
 * half-life T = u* window.  With a longer window older turns are in it, too, and T is found by
 * bisection; for an endless one it is half-life * log2(u* / (1 - u*)).
 */
fl_time fl_tune_turn(const struct fl_tune *t);

#endif
