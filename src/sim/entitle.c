/* SPDX-License-Identifier: Apache-2.0 */
/* entitle - the fair shares that the policy itself divided in its last cycle */
#include "decide/entitle/entitle.h"
#include "sim/face.h"

static bool takes_part(const struct fl_node_row *row)
{
	return row->kind == FL_QUEUE && row->inactive == FL_ACTIVE;
}

static void note_resources(const struct fl_entitled *e, bool *found)
{
	struct fl_bundle total = fl_entitle_total(e->policy);

	for (int r = 0; r < FL_BUNDLE; r++)
		if (e->model->axis[r].v != FL_NONE && total.of[r] > 0)
			found[e->model->axis[r].v] = true;
}

static void changed(struct fl_entitled *e)
{
	struct fl_bundle total = fl_entitle_total(e->policy);

	for (int r = 0; r < FL_BUNDLE; r++) {
		uint32_t resource = e->model->axis[r].v;

		if (resource != FL_NONE && e->index[resource] != FL_NONE)
			e->capacity[e->index[resource]] = total.of[r];
	}
}

static int begin(struct fl_entitled *e, fairlead_error *err)
{
	(void)err;
	changed(e);
	return 0;
}

static void want(struct fl_entitled *e, uint32_t row, const double *wanted)
{
	for (uint32_t k = 0; k < e->n_resources; k++)
		*fl_entitled_cell(e, e->wants, row, k) = wanted[k];
}

/* The policy's own, but never more than what is wanted. */
static uint32_t find(struct fl_entitled *e, uint32_t *others)
{
	uint32_t n = 0;

	for (uint32_t row = 0; row < e->n; row++) {
		const struct fl_standing *s = fl_entitle_standing(e->policy,
								  (struct fl_node){ e->node[row] });
		bool differs = false;

		for (int r = 0; r < FL_BUNDLE; r++) {
			uint32_t resource = e->model->axis[r].v;
			uint32_t k = resource == FL_NONE ? FL_NONE : e->index[resource];
			double share = s->fair_share.of[r], *of;

			if (k == FL_NONE)
				continue;
			of = fl_entitled_cell(e, e->shares, row, k);
			if (share == FL_UNBOUNDED || share > *fl_entitled_cell(e, e->wants, row, k))
				share = *fl_entitled_cell(e, e->wants, row, k);
			differs |= *of != share;
			*of = share;
		}
		if (differs)
			others[n++] = row;
	}
	return n;
}

extern const struct fl_entitled_face fl_entitle_entitles;
const struct fl_entitled_face fl_entitle_entitles = {
	.takes_part = takes_part,
	.note_resources = note_resources,
	.begin = begin,
	.changed = changed,
	.want = want,
	.find = find,
	.by_cycle = true,
};
