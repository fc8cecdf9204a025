/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/engine/history/weighed_look.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/engine/face.h"
#include "report/job/words.h"

struct counting {
	const struct fl_model *m;
	fl_amount *of; /* FL_WEIGHED_RESOURCES */
};

/* A quota without limit says nothing of what there is. */
static void add(void *user, struct fl_node n, struct fl_flavor flavor, struct fl_resource resource,
		double amount)
{
	const struct counting *k = user;
	const uint32_t i =
		resource.v == FL_NONE ?
			FL_WEIGHED_RESOURCES :
			fl_weighed_resource(fl_model_text(k->m, k->m->resources[resource.v]));

	(void)n;
	(void)flavor;
	if (i < FL_WEIGHED_RESOURCES && isfinite(amount) && amount < (double)FL_UNLIMITED)
		k->of[i] = fl_sat_add(k->of[i], (fl_amount)amount);
}

static int count_total(const struct fl_daemon_face *face, const void *stand,
		       const struct fl_model *m, fl_amount of[FL_WEIGHED_RESOURCES])
{
	struct fl_queue_amounts *rows = calloc(m->n_resources + FL_BUNDLE, sizeof *rows);
	uint32_t n = rows ? face->total(stand, rows) : 0;

	for (uint32_t i = 0; i < FL_WEIGHED_RESOURCES && rows; i++) {
		const char *name = fl_weighed_name(i);
		const struct fl_queue_amounts *row = fl_queue_amounts_find(rows, n, name);
		const double units = row && *row->nominal ? fl_job_units(row->nominal) : 0;

		of[i] = (fl_amount)(strcmp(name, "cpu") == 0 ? units * 1000 : units);
	}
	free(rows);
	return rows ? 0 : FAIRLEAD_ENOMEM;
}

int fl_weighed_look(const struct fl_live_view *view, fl_amount ret[FL_WEIGHED_RESOURCES],
		    fairlead_error *err)
{
	struct counting k = { .m = view->model, .of = ret };
	const struct fl_daemon_face *face = fl_daemon_face_of(view->ops);
	struct fl_arena arena;
	void *stand;
	int r;

	memset(ret, 0, FL_WEIGHED_RESOURCES * sizeof *ret);
	fl_arena_init(&arena, &fl_mem_heap);
	r = face->look(view, &arena, &stand, err);
	for (uint32_t i = 0; i < k.m->n_nodes && r == 0 && !face->total; i++)
		face->figures(stand, (struct fl_node){ i }, FL_FIGURE_NOMINAL, add, &k);
	if (r == 0 && face->total && count_total(face, stand, k.m, ret) < 0)
		r = fl_fail_nomem(err);
	fl_arena_done(&arena);
	return r;
}
