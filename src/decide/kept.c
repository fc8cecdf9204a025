/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/kept.h"

#include <string.h>

static struct fl_image_kind kind_of(const struct fl_kept *k)
{
	return (struct fl_image_kind){ k->name, k->row, /* fields= */ 0 };
}

static void *rows_of(const struct fl_kept *k)
{
	void *rows;

	memcpy(&rows, k->array, sizeof rows);
	return rows;
}

int fl_kept_new(struct fl_kept_list *ret, const struct fl_kept *rows, uint32_t n,
		struct fl_arena *a, fairlead_error *err)
{
	struct fl_kept *list;

	if (!FL_NEW(a, list, n, err))
		return FAIRLEAD_ENOMEM;
	memcpy(list, rows, n * sizeof *list);
	for (uint32_t i = 0; i < n; i++) {
		void *array = fl_arena_alloc(a, list[i].n, list[i].row, err);

		if (!array)
			return FAIRLEAD_ENOMEM;
		memcpy(list[i].array, &array, sizeof array);
	}
	*ret = (struct fl_kept_list){ list, n };
	return 0;
}

int fl_kept_save(const struct fl_kept_list *l, struct fl_image_writer *w, fairlead_error *err)
{
	int r = 0;

	for (uint32_t i = 0; i < l->n && r == 0; i++) {
		const struct fl_image_kind kind = kind_of(&l->rows[i]);

		if (l->rows[i].n > UINT32_MAX)
			return fl_fail(err, FAIRLEAD_ELIMIT, "too many rows for an image");
		if (kind.name)
			r = fl_image_put(w, &kind, rows_of(&l->rows[i]), (uint32_t)l->rows[i].n,
					 err);
	}
	return r;
}

static bool may_be(const struct fl_kept *k, const struct fl_policy *p)
{
	const char *row = rows_of(k);

	for (uint64_t i = 0; k->bound && i < k->n; i++, row += k->row)
		if (!k->bound(p, row))
			return false;
	return true;
}

int fl_kept_load(const struct fl_kept_list *l, const struct fl_policy *p, const struct fl_image *i,
		 fairlead_error *err)
{
	int r = 0;

	for (const struct fl_kept *k = l->rows; k < l->rows + l->n && r == 0; k++) {
		const struct fl_image_kind kind = kind_of(k);

		if (kind.name)
			r = fl_image_copy(i, &kind, k->n, rows_of(k), err);
		if (r == 0 && kind.name && !may_be(k, p))
			r = fl_image_damaged(kind.name, err);
	}
	return r;
}
