/* SPDX-License-Identifier: Apache-2.0 */
#include "net/rate.h"

enum { DEBT_SECONDS = 10 };

static struct fl_rate *place(struct fl_rates *r, const struct fl_principal *payer, uint64_t now)
{
	struct fl_rate *oldest = r->payers;

	for (uint32_t i = 0; i < r->n; i++) {
		if (fl_principal_same(&r->payers[i].payer, payer))
			return &r->payers[i];
		if (r->payers[i].at < oldest->at)
			oldest = &r->payers[i];
	}
	if (r->n < FL_RATE_PAYERS) {
		oldest = &r->payers[r->n++];
		oldest->tokens = r->per_second;
		oldest->at = now;
	}
	oldest->payer = *payer;
	return oldest;
}

bool fl_rate_take(struct fl_rates *r, const struct fl_principal *payer, uint64_t now)
{
	if (r->per_second == 0)
		return true;

	struct fl_rate *one = place(r, payer, now);

	one->tokens += (double)(now - one->at) * r->per_second / 1000;
	if (one->tokens > r->per_second)
		one->tokens = r->per_second;
	one->at = now;
	if (one->tokens < 1)
		return false;
	one->tokens -= 1;
	return true;
}

/* A debt has a limit: a payer must not wait long because the machine stood still. */
void fl_rate_charge(struct fl_rates *r, const struct fl_principal *payer, double seconds)
{
	double least = -DEBT_SECONDS * (double)r->per_second;

	for (uint32_t i = 0; i < r->n; i++) {
		struct fl_rate *one = &r->payers[i];

		if (!fl_principal_same(&one->payer, payer))
			continue;
		one->tokens -= 2 * seconds * r->per_second;
		if (one->tokens < least)
			one->tokens = least;
	}
}
