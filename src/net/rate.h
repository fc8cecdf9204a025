/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rate - how often each payer may send requests: a bucket of tokens each, in a table of fixed size
 *
 * One may send as many requests a second as the rate says, and as many at once as in one second.
 * Requests that take long cost more: those of one payer use at most half of the time of the loop;
 * more than that is paid back by waiting.  With more payers than the table has places their
 * requests together are limited to the rate times the places: a new one takes over the place that
 * was not used for longest, with its tokens.
 */
#ifndef FL_NET_RATE_H
#define FL_NET_RATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/principal.h"

enum { FL_RATE_PAYERS = 256 };

struct fl_rates {
	uint32_t per_second; /* 0: no limit */
	uint32_t n;
	struct fl_rate {
		struct fl_principal payer;
		double tokens;
		uint64_t at; /* ms */
	} payers[FL_RATE_PAYERS];
};

/*
 * A request took @seconds: half a second costs as many tokens as the rate gives in a second.
 */
void fl_rate_charge(struct fl_rates *r, const struct fl_principal *payer, double seconds);
/* May @payer send one more request at @now (ms, never less than before)? */
bool fl_rate_take(struct fl_rates *r, const struct fl_principal *payer, uint64_t now);

#endif
