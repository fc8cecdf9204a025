/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spares - workloads that stand for those that came lately and will come again
 *
 * They are in the model and not in the policy, until a forecast lets them arrive.  A dump tells of
 * what finished as long as its objects are kept, so arrivals are known only for a while; that
 * while comes again as often as it takes, with as many spares for each.
 */
#ifndef FL_SIM_SPARES_H
#define FL_SIM_SPARES_H

#include "model/model.h"

/* Of which nothing is known. */
extern const struct fl_life_row fl_life_unknown;

/*
 * How long arrivals are known: since @first, FL_FORECAST_LATELY at most and an hour at least;
 * of two days and more the whole ones (three hours that are missing count as there).
 * *ret: how often that fits into FL_FORECAST_LATELY, so that @n arrivals have no more than
 * FL_FORECAST_SPARES.
 */
fl_time fl_forecast_period(fl_time now, fl_time first, uint32_t n, uint32_t *ret);
enum { FL_FORECAST_SPARES = 20000 };
#define FL_FORECAST_LATELY (7 * (86400 * FL_SECOND))

/*
 * Spares that stand for those that come again: of each Workload that came within the period, added
 * behind all others before the model is sealed.  *ret_period: `arrivals`; *ret: the spares; the seal
 * may add others behind them.
 * What ended long ago is not in a model: arrivals are known since the first end that is in it.
 */
int fl_forecast_spares(struct fl_model *m, fl_time now, fl_time *ret_period, struct fl_span *ret,
		       fairlead_error *err);
/*
 * After the seal, before the policy is made: they come after all others.  @ret, by workload,
 * is `original`.  The policy has to be told that they are not there (FL_EV_CANCEL).
 */
void fl_forecast_set_aside(struct fl_model *m, struct fl_span spares, uint32_t *ret);

#endif
