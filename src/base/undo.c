/* SPDX-License-Identifier: Apache-2.0 */
#include "base/undo.h"

#include <assert.h>
#include <string.h>

#include "base/check.h"

/* Stands behind the old value it describes, so that the log is read backwards. */
struct note {
	void *ptr;
	uint32_t size;
};
_Static_assert(sizeof(struct note) <= FL_UNDO_NOTE, "what is reserved for one");

void fl_undo_init(struct fl_undo *u, const struct fl_mem *mem)
{
	*u = (struct fl_undo){ .mem = mem };
}

void fl_undo_done(struct fl_undo *u)
{
	if (u->mem) {
		fl_mem_free(u->mem, u->bytes);
		fl_mem_free(u->mem, u->mark);
	}
	*u = (struct fl_undo){ 0 };
}

int fl_undo_reserve(struct fl_undo *u, size_t room, fairlead_error *err)
{
	size_t need = u->n + room;

	if (!u->marks)
		return 0;
	if (need > UINT32_MAX)
		return fl_fail(err, FAIRLEAD_ELIMIT, "more than 4 GiB to undo");
	return fl_mem_grow(u->mem, &u->bytes, &u->cap, (uint32_t)need, 1, err);
}

/*
 * Too little was reserved.  A checked build stops there, so that tests find the wrong count.
 * Elsewhere the log grows: then a note may need memory, and only where there is none the program
 * ends.
 */
static void make_room(struct fl_undo *u, uint32_t need)
{
#ifdef FL_CHECKED
	FL_CHECK(u->cap - u->n >= need);
#endif
	int r = fl_mem_grow(u->mem, &u->bytes, &u->cap, u->n + need, 1, NULL);

	assert(r == 0);
	(void)r;
}

void fl_undo_save(struct fl_undo *u, void *ptr, uint32_t size)
{
	struct note note = { .ptr = ptr, .size = size };

	if (u->cap - u->n < size + sizeof note)
		make_room(u, size + (uint32_t)sizeof note);
	memcpy(u->bytes + u->n, ptr, size);
	memcpy(u->bytes + u->n + size, &note, sizeof note);
	u->n += size + (uint32_t)sizeof note;
}

int fl_undo_mark(struct fl_undo *u, uint32_t *ret, fairlead_error *err)
{
	int r = fl_mem_grow(u->mem, &u->mark, &u->cap_marks, u->marks + 1, sizeof *u->mark, err);

	if (r < 0)
		return r;
	u->mark[u->marks] = u->n;
	*ret = u->marks++;
	return 0;
}

void fl_undo_rollback(struct fl_undo *u, uint32_t mark)
{
	if (mark >= u->marks)
		return;
	while (u->n > u->mark[mark]) {
		struct note note;

		u->n -= (uint32_t)sizeof note;
		memcpy(&note, u->bytes + u->n, sizeof note);
		u->n -= note.size;
		memcpy(note.ptr, u->bytes + u->n, note.size);
	}
	u->marks = mark;
}

void fl_undo_keep(struct fl_undo *u, uint32_t mark)
{
	if (mark >= u->marks)
		return;
	u->marks = mark;
	if (mark == 0)
		u->n = 0;
}
