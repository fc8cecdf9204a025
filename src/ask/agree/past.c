/* SPDX-License-Identifier: Apache-2.0 */
/* past - the model as of the state just before a window */
#include "ask/agree/past.h"

#include "model/newcomer.h"

static struct fl_workload of_its_name(const struct fl_model *m, struct fl_workload w)
{
	const struct fl_workload_row *row = &m->workloads[w.v];

	return fl_model_find_workload(m, fl_model_text(m, row->namespace),
				      fl_model_text(m, row->name));
}

void fl_agree_past(struct fl_agree_window *w)
{
	for (uint32_t i = w->n_all; i-- > 0;) {
		struct fl_agree_heard *h = &w->heard[i];

		if (h->what != FL_AGREE_LEAVES)
			continue;
		h->cover = of_its_name(w->m, h->event.workload);
		if (h->cover.v != FL_NONE) {
			h->covered = w->m->workloads[h->cover.v].excluded;
			fl_model_part(w->m, h->cover);
		}
		fl_model_unpart(w->m, h->event.workload, h->excluded);
	}
}

void fl_agree_present(struct fl_agree_window *w)
{
	for (uint32_t i = 0; i < w->n_all; i++) {
		struct fl_agree_heard *h = &w->heard[i];

		if (h->what != FL_AGREE_LEAVES)
			continue;
		fl_model_part(w->m, h->event.workload);
		if (h->cover.v != FL_NONE)
			fl_model_unpart(w->m, h->cover, h->covered);
	}
}
