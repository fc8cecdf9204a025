/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tune - what k, half-life and window mean, and which values do what is intended
 *
 * A queue of normalised weight w (its part of the weights that compete) and usage u (part of the
 * cluster over the window, decide/share/history.h) has the portion
 *
 *    P' = P / sum of all P,   P = max(w + k (w - u), 0)
 *
 * of what is over quota.  The cost of its usage is the part that it loses of what its weight gives
 * it, 1 - P' / w: 0.5 when its portion is half of that, 1 when it gets nothing, below 0 when it
 * gets more.  It also depends on what the other queues used, which is one of
 *
 *    idle  nothing: the cost of this queue's usage alone.  Any usage costs something, and
 *          P' = (w + k (w - u)) / (1 + k (1 - u));
 *    busy  all the rest, each in proportion to its weight.  Then the sum of all P is 1,
 *          P' = w + k (w - u), and only usage above w costs anything.
 *
 * (Both hold while no P is cut at 0.) Usage, cost, and all results here are those of a sliding
 * window in a cluster whose capacity was the same for the whole window.
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
	 * One GPU as a part of the cluster, up to 1/2: shares are rounded to whole GPUs, so a
	 * queue that is left less than half of one has nothing. 0: GPUs are not rounded.
	 */
	double unit;
};

enum fl_tune_others { FL_OTHERS_IDLE, FL_OTHERS_BUSY };

/*
 * Usage of a queue that held @part (0 to 1) of the cluster for @used and since then, for @idle,
 * nothing: the weighted part of the window from `idle + used` ago to `idle` ago.
 */
double fl_tune_usage(const struct fl_tune *t, double part, fl_time used, fl_time idle);

double fl_tune_portion(double k, double weight, double usage, enum fl_tune_others others);
double fl_tune_cost(double k, double weight, double usage, enum fl_tune_others others);

/*
 * --- backwards: which ... costs @cost (above 0, at most 1)? ------------------------------------
 */

/* The usage, in closed form; INFINITY with k = 0.  No queue can have a usage above 1. */
double fl_tune_usage_for(double k, double weight, double cost, enum fl_tune_others others);

/* The k, in closed form; INFINITY if there is none. */
double fl_tune_k_for(double weight, double usage, double cost, enum fl_tune_others others);

/* The limit of the cost as k goes to infinity, which it never exceeds; 0 to 1. */
double fl_tune_most(double weight, double usage, enum fl_tune_others others);

/*
 * The half-life with which holding @part for @used gives @usage, by bisection to a millionth:
 * usage falls as the half-life grows. 0: no half-life is short enough.  FL_NEVER: without a
 * half-life it is that usage, or more.
 */
fl_time fl_tune_half_life_for(const struct fl_tune *t, double part, fl_time used, double usage);

/* The window, in closed form; at least @used. 0: none is short enough.  FL_NEVER: of any length. */
fl_time fl_tune_window_for(const struct fl_tune *t, double part, fl_time used, double usage);

/*
 * --- what follows from the parameters ----------------------------------------------------------
 */

/*
 * The least k with which a holder of the whole cluster is given nothing in the end: (w - e) / (1 -
 * w), where e is half a unit.
 */
double fl_tune_least_k(const struct fl_tune *t, double weight);

/*
 * For how long a queue holds the whole cluster until then, the others idle before and after, in
 * closed form: until its usage is (1 + k) (w - e) / (k (1 - e)); FL_NEVER.
 */
fl_time fl_tune_yields(const struct fl_tune *t, double weight);

/*
 * After using the whole cluster for a window or longer: how long it is idle until its portion is
 * that of its weight again.
 */
fl_time fl_tune_recovers(const struct fl_tune *t, double weight);

/*
 * After holding something for @used: how long it is idle until its usage is half of what it was,
 * by bisection.
 */
fl_time fl_tune_halves(const struct fl_tune *t, fl_time used);

/*
 * A model: two queues of equal weight, whose jobs all need the whole cluster, and no minimum run
 * time, take turns of this duration; FL_NEVER if the first one keeps the cluster (k < 1 - 2 e; k =
 * 1 - 2 e with a half-life so short that the window's end does not matter).
 *
 * The holder yields at u* = (1 + k - 2 e) / 2k.  In turns of duration T, with a window of at most
 * 2T, the holder held the last T of it, so gained(T) / gained(window) = u*
 * (decide/share/integral.h): without a half-life T = u* window.  A longer window also has older
 * turns, and T is found by bisection; for an endless window it is half-life * log2(u* / (1 - u*)).
 */
fl_time fl_tune_turn(const struct fl_tune *t);

#endif
