/* SPDX-License-Identifier: Apache-2.0 */
/*
 * standings - where every queue of the entitle policy stands, copied, parents first
 *
 * Memory: the caller's arena, once; looking again writes over the copy.
 */
#ifndef FL_ASK_ENTITLE_STANDINGS_H
#define FL_ASK_ENTITLE_STANDINGS_H

#include "decide/entitle/entitle.h"

struct fl_standings {
	const struct fl_model *model;
	struct fl_standing *rows; /* by node; of those that take no part all 0 */
	struct fl_bundle *usage;  /* by node: part of the capacity held over time */
	struct fl_bundle total;   /* what there is to be divided */
	uint32_t *order;          /* queues that take part, parents before children, by name */
	uint32_t n;
	/* A queue holds, asks for, deserves or is limited in this resource. */
	bool used[FL_BUNDLE];
	/* And a queue has a quota or a limit of it; as `used` where no queue has any of anything. */
	bool bounded[FL_BUNDLE];
};

int fl_standings_init(struct fl_standings *s, const struct fl_model *m, struct fl_arena *arena,
		      fairlead_error *err);
/* As of the last step or try of @p, or of its beginning. */
void fl_standings_look(struct fl_standings *s, const struct fl_policy *p);

/* What it holds of @resource as part of its fair share; INFINITY of a share of nothing. */
double fl_standings_saturation(const struct fl_standings *s, struct fl_node n, int resource);

#endif
