/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rate - how often each user may send requests: a bucket of tokens each, in a table of fixed size
 *
 * A user may send as many requests a second as the rate says, and as many at once as in one second.
 * Requests that take long cost more: those of one user use at most half of the time of the loop;
 * more than that is paid back by waiting.  With more users than the table has places their requests
 * together are limited to the rate times the places: a new user takes over the place that was not
 * used for longest, with its tokens.
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

/*
 * A request took @seconds: half a second costs as many tokens as the rate gives in a second.
 */
void fl_rate_charge(struct fl_rates *r, uid_t uid, double seconds);
/* May @uid send one more request at @now (ms, never less than before)? */
bool fl_rate_take(struct fl_rates *r, uid_t uid, uint64_t now);

#endif
