/* SPDX-License-Identifier: Apache-2.0 */
/* The workloads of a Moves.  It is our document: an unknown one is an error, with the nearest name. */
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "model/table.h"

static int fail_missing(const struct fl_model *m, const struct fl_move_row *row, const char *name,
			fairlead_error *err)
{
	struct fl_nearest near = { .wanted = name };
	char text[1600];

	fl_fail(err, FAIRLEAD_EINPUT, "there is no workload '%.500s'", name);
	for (uint32_t w = 0; w < m->n_workloads; w++) {
		char other[512];

		(void)snprintf(other, sizeof other, "%.250s/%.253s",
			       fl_model_text(m, m->workloads[w].namespace),
			       fl_model_text(m, m->workloads[w].name));
		fl_nearest_offer(&near, other);
	}
	if (near.n)
		fl_fail_hint(err, "did you mean %s?", fl_nearest_text(&near, text, sizeof text));
	fl_fail_in(err, "Moves");
	fl_model_fail_at(m, row->place, err);
	return FAIRLEAD_EINPUT;
}

int fl_moves_resolve(struct fl_model *m, fairlead_error *err)
{
	for (uint32_t i = 0; i < m->n_moves; i++) {
		struct fl_move_row *row = &m->moves[i];
		char name[512];

		if (!fl_move_names(row->kind))
			continue;
		row->workload = fl_model_find_workload(m, fl_model_text(m, row->namespace),
						       fl_model_text(m, row->name));
		(void)snprintf(name, sizeof name, "%.250s/%.253s", fl_model_text(m, row->namespace),
			       fl_model_text(m, row->name));
		if (row->workload.v == FL_NONE)
			return fail_missing(m, row, name, err);
	}
	return 0;
}
