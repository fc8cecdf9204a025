/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cluster/capacity.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/engine/history/weighed_look.h"

int fl_cluster_note_capacity(struct fl_cluster *c, fairlead_error *err)
{
	struct fl_weighed_capacity now = { .since = fl_clock_now(&c->daemon.clock) };
	char name[64], value[100];
	const struct fl_setting row = { name, value };
	size_t n = 0;
	struct fl_live_view view;
	int r;

	fl_daemon_view(&c->daemon, &view);
	r = fl_weighed_look(&view, now.of, err);
	if (r < 0 || (c->capacity.since && memcmp(c->capacity.of, now.of, sizeof now.of) == 0))
		return r;
	c->capacity = now;
	(void)snprintf(name, sizeof name, FL_STORE_CAPACITY "%0*lld", FL_VERSION_DIGITS,
		       (long long)now.since);
	for (uint32_t i = 0; i < FL_WEIGHED_RESOURCES; i++)
		n += (size_t)snprintf(value + n, sizeof value - n, "%" PRId64 " ", now.of[i]);
	return fl_kept_row(c, &row, err);
}

struct listing {
	struct fl_weighed_capacity *rows;
	uint32_t n;
};

/* The newest first. */
static int take(void *user, const struct fl_setting *row, fairlead_error *err)
{
	struct listing *l = user;
	struct fl_weighed_capacity *to = &l->rows[l->n++];
	char *at = (char *)(uintptr_t)row->value;

	(void)err;
	to->since = strtoll(row->name + strlen(FL_STORE_CAPACITY), NULL, 10);
	for (uint32_t i = 0; i < FL_WEIGHED_RESOURCES; i++)
		to->of[i] = strtoll(at, &at, 10);
	return 0;
}

int fl_cluster_capacities(const struct fl_cluster *c, struct fl_weighed_capacity **ret,
			  uint32_t *ret_n, fairlead_error *err)
{
	struct listing l = { .rows = calloc(FL_STORE_VERSIONS + 1, sizeof *l.rows) };
	int r = l.rows ? fl_store_settings(c->daemon.store, FL_STORE_CAPACITY "0",
					   FL_STORE_CAPACITY "9~", FL_STORE_VERSIONS, take, &l,
					   err) :
			 fl_fail_nomem(err);

	for (uint32_t i = 0; i < l.n / 2; i++) {
		const struct fl_weighed_capacity first = l.rows[i];

		l.rows[i] = l.rows[l.n - 1 - i];
		l.rows[l.n - 1 - i] = first;
	}
	*ret = l.rows;
	*ret_n = l.n;
	return r;
}
