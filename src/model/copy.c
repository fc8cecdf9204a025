/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "model/model.h"

static int copy_rows(const struct fl_mem *mem, const void *from, uint32_t n, size_t size,
		     void **ret, fairlead_error *err)
{
	void *rows = n ? mem->resize(mem->user, NULL, n * size) : NULL;

	if (n && !rows)
		return fl_fail_nomem(err);
	if (n)
		memcpy(rows, from, n * size);
	*ret = rows;
	return 0;
}

static int copy_names(const struct fl_names *from, const struct fl_mem *mem, struct fl_names *ret,
		      fairlead_error *err)
{
	struct fl_names to = { .mem = mem, .slots = from->slots };
	void *bytes = NULL, *start = NULL, *slot = NULL;
	int r = copy_rows(mem, from->bytes, from->bytes_n, 1, &bytes, err);

	if (r == 0)
		r = copy_rows(mem, from->start, from->n, sizeof *from->start, &start, err);
	if (r == 0)
		r = copy_rows(mem, from->slot, from->slots, sizeof *from->slot, &slot, err);
	to.bytes = bytes;
	to.start = start;
	to.slot = slot;
	if (r < 0) {
		fl_names_done(&to);
		return r;
	}
	to.bytes_n = to.bytes_cap = from->bytes_n;
	to.n = to.cap = from->n;
	fl_names_done(ret);
	*ret = to;
	return 0;
}

static int copy_tables(const struct fl_model *from, struct fl_model *to, fairlead_error *err)
{
	void *rows = NULL;
	int r = copy_rows(to->mem, from->by_name.slot, from->by_name.slots,
			  sizeof *from->by_name.slot, &rows, err);

	if (r < 0)
		return r;
	to->by_name.slot = rows;
	to->by_name.slots = from->by_name.slots;
	to->by_name.n = from->by_name.n;
	r = copy_rows(to->mem, from->named, from->n_named, sizeof *from->named, &rows, err);
	if (r < 0)
		return r;
	to->named = rows;
	to->n_named = from->n_named;
#define X(type, field)                                                                             \
	r = copy_rows(to->mem, from->field, from->n_##field, sizeof *from->field, &rows, err);     \
	if (r < 0)                                                                                 \
		return r;                                                                          \
	to->field = rows;                                                                          \
	to->n_##field = to->cap_##field = from->n_##field;
	FL_MODEL_TABLES(X)
#undef X
	return 0;
}

int fl_model_copy(const struct fl_model *m, const struct fl_mem *mem, struct fl_model **ret,
		  fairlead_error *err)
{
	struct fl_model *to = NULL;
	int r = fl_model_new(mem, &to, err);

	if (r == 0)
		r = copy_names(&m->names, mem, &to->names, err);
	if (r == 0)
		r = copy_tables(m, to, err);
	if (r < 0) {
		fl_model_free(to);
		return r;
	}
	to->settings = m->settings;
	to->entitle = m->entitle;
	to->documented = m->documented;
	to->simulation = m->simulation;
	to->daemon = m->daemon;
	to->wanted = m->wanted;
	to->lenient = m->lenient;
	to->warns = m->warns;
	to->judged = m->judged;
	memcpy(to->axis, m->axis, sizeof to->axis);
	to->notices_dropped = m->notices_dropped;
	to->spare = m->spare;
	to->places = m->places;
	to->worn = m->worn;
	to->newest = m->newest;
	to->sealed = m->sealed;
	*ret = to;
	return 0;
}
