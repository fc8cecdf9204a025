/* SPDX-License-Identifier: Apache-2.0 */
/*
 * offers - the victims of a search, one offer after the other (search.h)
 *
 * Offers come in the order of the victims' lines, as it is while nobody is evicted; so they
 * are taken from the lines in ever larger lots between simulations, and used one by one.
 * Offers that solved the task before are recorded: they stand first and come from no line.
 */
#ifndef FL_DECIDE_ENTITLE_SEARCH_OFFERS_H
#define FL_DECIDE_ENTITLE_SEARCH_OFFERS_H

#include "decide/entitle/search/search.h"

/* For the next part: none is used but what is recorded. */
void fl_offers_begin(struct fl_policy *p, struct fl_search *s);
/* Take some more from the lines; false: there are none. Nobody may be evicted meanwhile. */
bool fl_offers_more(struct fl_policy *p, struct fl_search *s);
/* The next one is a victim. */
void fl_offers_use(struct fl_policy *p, struct fl_search *s);
/*
 * May the GPUs suffice that are idle, leaving and offered, each task on one machine, the
 * largest task first?  Where they do not, a simulation would only find that out.
 */
bool fl_offers_suffice(struct fl_search *s);
/*
 * An outcome was found and stands: of the offers that it evicted those are recorded of which a task
 * is lost, has moved, or is promised the place that it was promised before; and those evicted twice.
 */
void fl_offers_record(struct fl_policy *p, struct fl_search *s);
/* None at all. */
void fl_offers_forget(struct fl_search *s);

#endif
