/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cluster/scheduler/refused.h"

#include <string.h>

enum { FIRST = 1000, MOST = 300000, FORGOTTEN = 600000 };

void fl_refused_done(struct fl_refused *r)
{
	fl_mem_free(&fl_mem_heap, r->rows);
	*r = (struct fl_refused){ 0 };
}

static void forget(struct fl_refused *r, uint32_t at)
{
	memmove(r->rows + at, r->rows + at + 1, (r->n - at - 1) * sizeof *r->rows);
	r->n--;
}

static uint64_t wait_of(uint32_t times)
{
	uint64_t wait = FIRST;

	while (--times && wait < MOST)
		wait *= 2;
	return wait < MOST ? wait : MOST;
}

int fl_refused_put(struct fl_refused *r, const struct fl_live *job, uint64_t now,
		   fairlead_error *err)
{
	struct fl_refused_row row = { .job = job->id, .out = true };

	for (uint32_t i = 0; i < r->n; i++)
		if (r->rows[i].job == job->id) {
			row.times = r->rows[i].times;
			forget(r, i);
			break;
		}
	if (fl_mem_grow(&fl_mem_heap, &r->rows, &r->cap, r->n + 1, sizeof *r->rows, err) < 0)
		return FAIRLEAD_ENOMEM;
	row.until = now + wait_of(++row.times);
	r->rows[r->n++] = row;
	return 0;
}

bool fl_refused_any(const struct fl_refused *r)
{
	for (uint32_t i = 0; i < r->n; i++)
		if (r->rows[i].out)
			return true;
	return false;
}

uint64_t fl_refused_due(struct fl_refused *r, uint64_t now)
{
	for (uint32_t i = 0; i < r->n; i++) {
		struct fl_refused_row *row = &r->rows[i];

		if (!row->out && now >= row->until + FORGOTTEN) {
			forget(r, i--);
		} else if (row->out && now >= row->until) {
			row->out = false;
			return row->job;
		}
	}
	return 0;
}
