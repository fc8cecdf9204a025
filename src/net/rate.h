/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rate - how often each user may ask: a bucket of tokens each, in a table of fixed size
 *
 * A user may ask as often in one second as the rate says, and in a burst as often as in one
 * second.  Requests that take long cost more: those of one user take half of the time at most, what
 * is beyond that is paid back by waiting.  More users than the table has places cannot ask more
 * often in all than it has places: who comes new takes over the place that was not used for
 * longest with the tokens that are in it.
 */
#ifndef FL_NET_RATE_H
#define FL_NET_RATE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { FL_RATE_USERS = 256 };

struct fl_rates {
	uint32_t per_second; /* 0: no limit */
	uint32_t n;
	struct fl_rate {
		uid_t uid;
		double tokens;
		uint64_t at; /* ms */
	} users[FL_RATE_USERS];
};

/* What it was asked took so long: half a second costs as much as a second may. */
void fl_rate_charge(struct fl_rates *r, uid_t uid, double seconds);
/* One more of @uid at @now (ms, never going back): may it? */
bool fl_rate_take(struct fl_rates *r, uid_t uid, uint64_t now);

#endif
