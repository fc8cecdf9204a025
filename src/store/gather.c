/* SPDX-License-Identifier: Apache-2.0 */
#include "store/gather.h"

#include <string.h>

void fl_gathered_init(struct fl_gathered *g)
{
	*g = (struct fl_gathered){ 0 };
	fl_arena_init(&g->arena, &fl_mem_heap);
}

void fl_gathered_done(struct fl_gathered *g)
{
	for (int part = 0; part < FL_BATCH_PARTS; part++) {
		const void *rows;

		(void)fl_batch_rows(&g->rows, (enum fl_batch_part)part, &rows);
		fl_mem_free(&fl_mem_heap, (void *)rows);
	}
	fl_arena_done(&g->arena);
	*g = (struct fl_gathered){ 0 };
}

void fl_gathered_clear(struct fl_gathered *g)
{
	fl_arena_reset(&g->arena);
	for (int part = 0; part < FL_BATCH_PARTS; part++) {
		const void *rows;

		(void)fl_batch_rows(&g->rows, (enum fl_batch_part)part, &rows);
		fl_batch_set(&g->rows, (enum fl_batch_part)part, rows, 0);
	}
}

uint32_t fl_gathered_count(const struct fl_gathered *g)
{
	const void *rows;
	uint32_t n = 0;

	for (int part = 0; part < FL_BATCH_PARTS; part++)
		n += fl_batch_rows(&g->rows, (enum fl_batch_part)part, &rows);
	return n;
}

int fl_gathered_text(struct fl_gathered *g, const char **text, fairlead_error *err)
{
	const size_t n = *text ? strlen(*text) + 1 : 0;
	char *to = *text ? fl_arena_alloc(&g->arena, n, 1, err) : NULL;

	if (*text && !to)
		return FAIRLEAD_ENOMEM;
	if (to)
		memcpy(to, *text, n);
	*text = to;
	return 0;
}

static int copy_text(void *gathered, const char **text, fairlead_error *err)
{
	return fl_gathered_text(gathered, text, err);
}

int fl_gathered_add(struct fl_gathered *g, enum fl_batch_part part, const void *row,
		    fairlead_error *err)
{
	const size_t size = fl_batch_row_size(part);
	const void *rows;
	uint32_t n = fl_batch_rows(&g->rows, part, &rows);
	void *mine;
	int r = fl_mem_grow(&fl_mem_heap, &rows, &g->caps[part], n + 1, size, err);

	if (r < 0)
		return r;
	fl_batch_set(&g->rows, part, rows, n);
	mine = (char *)rows + n * size;
	memcpy(mine, row, size);
	r = fl_batch_texts(part, mine, copy_text, g, err);
	if (r < 0)
		return r;
	fl_batch_set(&g->rows, part, rows, n + 1);
	return 0;
}
