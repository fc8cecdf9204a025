/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/history/upkeep.h"

#include <stdlib.h>

#include "daemon/history/expire.h"
#include "daemon/history/tiers.h"

struct fl_upkeep {
	struct fl_upkeep_options o;
	struct fl_expiry *expiry;
	struct fl_tiers *tiers;
	void (*closed)(void *user);
	void *closed_user;
};

int fl_upkeep_new(const struct fl_upkeep_options *options, struct fl_upkeep **ret,
		  fairlead_error *err)
{
	struct fl_upkeep *u = calloc(1, sizeof *u);
	int r = u ? fl_expiry_new(options, &u->expiry, err) : fl_fail_nomem(err);

	if (r < 0) {
		free(u);
		return r;
	}
	u->o = *options;
	*ret = u;
	return fl_tiers_new(options, &u->tiers, err);
}

static void tiers_closed(void *user)
{
	struct fl_upkeep *u = user;

	u->closed(u->closed_user);
	free(u);
}

static void expiry_closed(void *user)
{
	struct fl_upkeep *u = user;
	struct fl_tiers *t = u->tiers;

	u->tiers = NULL;
	if (t)
		fl_tiers_close(t, tiers_closed, u);
	else
		tiers_closed(u);
}

void fl_upkeep_close(struct fl_upkeep *u, void (*closed)(void *user), void *user)
{
	u->closed = closed;
	u->closed_user = user;
	fl_expiry_close(u->expiry, expiry_closed, u);
}

void fl_upkeep_cut(struct fl_upkeep *u, fl_time at)
{
	if (u)
		fl_tiers_cut(u->tiers, at);
}
