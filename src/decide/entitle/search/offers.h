/* SPDX-License-Identifier: Apache-2.0 */
/*
 * offers - the victims of a search, one offer after another (search.h)
 *
 * Offers come in the order of the victims' lines, with nothing evicted; so they are taken from the
 * lines in increasing batches between simulations, and used one by one.  Offers that solved the
 * task before are recorded: they come first, and do not come from a line.
 */
#ifndef FL_DECIDE_ENTITLE_SEARCH_OFFERS_H
#define FL_DECIDE_ENTITLE_SEARCH_OFFERS_H

#include "decide/entitle/search/search.h"

/* Begins the next part: only what is recorded is used. */
void fl_offers_begin(struct fl_policy *p, struct fl_search *s);
/*
 * Takes more offers from the lines; false: there are none.  To be called while nothing is evicted.
 */
bool fl_offers_more(struct fl_policy *p, struct fl_search *s);
/* Uses the next offer: its tasks become victims. */
void fl_offers_use(struct fl_policy *p, struct fl_search *s);
/*
 * Can the GPUs that are idle, leaving or offered be enough, each task on one machine, the largest
 * task first?  If not, a simulation could only fail.
 */
bool fl_offers_suffice(struct fl_search *s);
/*
 * An outcome was found and takes effect: of the offers that it evicted those are recorded of which
 * a task is lost, has moved, or is promised the place that it was promised before; and those that
 * were evicted twice.
 */
void fl_offers_record(struct fl_policy *p, struct fl_search *s);
/* Forgets all recorded offers. */
void fl_offers_forget(struct fl_search *s);

#endif
