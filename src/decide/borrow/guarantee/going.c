/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/borrow/guarantee/going.h"

#include "decide/borrow/backlog/holders.h"
#include "decide/borrow/guarantee/protect.h"

/* The next evicting workload with quota of @q; these are the first of its candidates. */
static uint32_t next_of(struct fl_policy *p, const struct fl_marks *marks, struct fl_node q,
			uint32_t *at)
{
	uint32_t n;
	const uint32_t *list = fl_holders_candidates(p, q, &n);

	while (*at < n && p->jobs[list[*at]].state == FL_STATE_EVICTING) {
		uint32_t w = list[(*at)++];

		if (!fl_marks_is_chosen(marks, w) && !fl_protect_is_stuck(p, w))
			return w;
	}
	return FL_NONE;
}

uint32_t fl_going_next(struct fl_policy *p, const struct fl_marks *marks, struct fl_node q,
		       struct fl_going *walk)
{
	struct fl_span queues = p->tree.queues[p->tree.root_index[q.v]];

	for (; walk->queue < queues.n; walk->queue++, walk->at = 0) {
		struct fl_node at = { p->tree.queue_ids[queues.first + walk->queue] };
		uint32_t w = next_of(p, marks, at, &walk->at);

		if (w != FL_NONE)
			return w;
	}
	return FL_NONE;
}

static void move(const struct fl_policy *p, struct fl_view *v, uint32_t w, bool out)
{
	if (out)
		fl_view_take(p, v, (struct fl_workload){ w });
	else
		fl_view_give(p, v, (struct fl_workload){ w });
}

void fl_going_move(struct fl_policy *p, const struct fl_marks *marks, struct fl_view *v,
		   struct fl_node q, bool out)
{
	struct fl_going walk = { 0 };

	for (uint32_t w = fl_going_next(p, marks, q, &walk); w != FL_NONE;
	     w = fl_going_next(p, marks, q, &walk))
		move(p, v, w, out);
}

void fl_going_move_own(struct fl_policy *p, const struct fl_marks *marks, struct fl_view *v,
		       struct fl_node q, bool out)
{
	uint32_t at = 0;

	for (uint32_t w = next_of(p, marks, q, &at); w != FL_NONE; w = next_of(p, marks, q, &at))
		move(p, v, w, out);
}

bool fl_going_fits_later(struct fl_policy *p, const struct fl_marks *marks, struct fl_view *v,
			 const struct fl_ask *ask)
{
	bool fits;

	fl_going_move(p, marks, v, ask->queue, /* out= */ true);
	fits = fl_protect_fits(p, v, ask, /* borrow= */ true);
	fl_going_move(p, marks, v, ask->queue, /* out= */ false);
	return fits;
}
