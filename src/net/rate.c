/* SPDX-License-Identifier: Apache-2.0 */
#include "net/rate.h"

enum { DEBT_SECONDS = 10 };

static struct fl_rate *place(struct fl_rates *r, uid_t uid, uint64_t now)
{
	struct fl_rate *oldest = r->users;

	for (uint32_t i = 0; i < r->n; i++) {
		if (r->users[i].uid == uid)
			return &r->users[i];
		if (r->users[i].at < oldest->at)
			oldest = &r->users[i];
	}
	if (r->n < FL_RATE_USERS) {
		oldest = &r->users[r->n++];
		oldest->tokens = r->per_second;
		oldest->at = now;
	}
	oldest->uid = uid;
	return oldest;
}

bool fl_rate_take(struct fl_rates *r, uid_t uid, uint64_t now)
{
	if (r->per_second == 0)
		return true;

	struct fl_rate *user = place(r, uid, now);

	user->tokens += (double)(now - user->at) * r->per_second / 1000;
	if (user->tokens > r->per_second)
		user->tokens = r->per_second;
	user->at = now;
	if (user->tokens < 1)
		return false;
	user->tokens -= 1;
	return true;
}

/* A debt has a limit: a user must not wait long because the machine stood still. */
void fl_rate_charge(struct fl_rates *r, uid_t uid, double seconds)
{
	double least = -DEBT_SECONDS * (double)r->per_second;

	for (uint32_t i = 0; i < r->n; i++) {
		struct fl_rate *user = &r->users[i];

		if (user->uid != uid)
			continue;
		user->tokens -= 2 * seconds * r->per_second;
		if (user->tokens < least)
			user->tokens = least;
	}
}
