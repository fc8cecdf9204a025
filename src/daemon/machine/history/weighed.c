/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/machine/history/weighed.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/machine/keep.h"
#include "daemon/machine/view.h"

struct capacities {
	struct fl_weighed_capacity rows[FL_STORE_VERSIONS]; /* the newest first */
	uint32_t n;
};

/* One that does not say what there was is from before versions did: as the one behind it. */
static int add(void *user, const struct fl_version *version, fairlead_error *err)
{
	struct capacities *all = user;
	struct fl_weighed_capacity *row = &all->rows[all->n];

	(void)err;
	row->since = version->at;
	if (version->has_capacity)
		memcpy(row->of, version->capacity, sizeof row->of);
	else if (all->n)
		memcpy(row->of, row[-1].of, sizeof row->of);
	else
		return 0;
	all->n++;
	return 0;
}

int fl_core_capacities(const struct fl_core *c, struct fl_weighed_capacity **ret, uint32_t *ret_n,
		       fairlead_error *err)
{
	struct capacities all = { .n = 0 };
	int r = fl_core_versions(c, add, &all, err);

	*ret = r == 0 ? malloc((all.n + 1) * sizeof **ret) : NULL;
	*ret_n = all.n;
	if (r == 0 && !*ret)
		return fl_fail_nomem(err);
	for (uint32_t i = 0; i < all.n && r == 0; i++)
		(*ret)[i] = all.rows[all.n - 1 - i];
	return r;
}
